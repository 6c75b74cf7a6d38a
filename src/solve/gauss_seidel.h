/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/gauss_seidel.h -- sweeps over the points, each solved exactly against the others (internal
 * to solve).
 *
 * For bodies: A falls apart into blocks of a few unknowns, so that A^-1 is at hand and a stress at
 * a point changes the velocity of few unknowns only. The velocity is kept up to date; at point q b
 * = B_q u + k_q - W_qq lambda_q,   W_qq = B_q A^-1 B_q^T m_q, the law is solved against W_qq and b
 * (cone/contact.h), and u += A^-1 B_q^T m_q dlambda_q [docs/theory.md, 6.10].
 *
 * Bodies are divided into parts, whatever the number of threads; a sweep takes the points between
 * bodies of one part first, part by part (on several threads), then those between neighbouring
 * parts, two and two, then the rest: the same bits on any number of threads. */
#ifndef SAB_SOLVE_GAUSS_SEIDEL_H
#define SAB_SOLVE_GAUSS_SEIDEL_H

#include "solve/program.h"

typedef struct sab_gauss_seidel sab_gauss_seidel;

/* The largest body, in unknowns. */
enum { SAB_BODY_MOST = 6 };

/* Does A fall apart into bodies, and has no point a yield stress? */
bool sab_gauss_seidel_fits(const sab_program *program);
/* Inverses, responses and parts. SAB_ERR_INPUT with a sentence if it does not fit; SAB_ERR_NUMERIC
 * if a body has no mass. The caller owns *gs. */
sab_status sab_gauss_seidel_create(const sab_program *program, sab_gauss_seidel **gs,
                                   sab_error *err);
void sab_gauss_seidel_destroy(sab_gauss_seidel **gs);
/* Are all points contacts of discs or spheres? Their sweeps read a sixth of B. */
bool sab_gauss_seidel_is_round(const sab_gauss_seidel *gs);
/* At most `most` sweeps from lambda, admissible, until one changes nothing; *sweeps is increased.
 * Conjugate: after each but the last lambda goes on along the way of those before, as in a method
 * of conjugate gradients with the sweep as its gradient, and begins anew where sweeps grow. */
void sab_gauss_seidel_run(sab_gauss_seidel *gs, const sab_program *program, bool conjugate,
                          int most, double *lambda, int *sweeps);

#endif

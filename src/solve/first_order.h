/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/first_order.h -- the iterations that need one solve with A per step (internal to solve).
 *
 * They work on lambda in physical units, in the metric <a,b> = sum_q (m_q/r_q) a_q.b_q: there the
 * gradient of the dual objective 1/2 <lambda, W lambda>_M + <b, lambda>_M is R gamma, R =
 * diag(r_q), R W is self-adjoint, and the projection on the cones is the pointwise one
 * [docs/theory.md, 4-6]. The step is lambda <- P(lambda - tau R (gamma + s)), with s given (a
 * convex program: Cadoux) or s = (mu - zeta)|gamma_T| in every step (direct). */
#ifndef SAB_SOLVE_FIRST_ORDER_H
#define SAB_SOLVE_FIRST_ORDER_H

#include "linalg/factor.h"
#include "solve/method.h"
#include "solve/program.h"

typedef struct sab_first_order sab_first_order;

/* Workspace for programs of these sizes; depth is the Anderson memory (0: not used). The caller
 * owns *iteration. */
sab_status sab_first_order_create(const sab_program *program, int depth,
                                  sab_first_order **iteration, sab_error *err);
void sab_first_order_destroy(sab_first_order **iteration);
/* Set tau: 1 when the program's step is safe, otherwise 1/|R W|, the norm estimated by power
 * iterations (20 solves). Once per factorisation. */
sab_status sab_first_order_measure(sab_first_order *iteration, const sab_program *program,
                                   sab_factor *factor, sab_error *err);
/* Is the matrix of Douglas-Rachford, A + B^T M rho B with rho = 3 tau r, a multiple of A to
 * rounding error, as two pseudo-random vectors see it? So it is for creeping flow with b = 1. After
 * each measure. */
bool sab_first_order_shares_factor(sab_first_order *iteration, const sab_program *program);
/* Prepare Douglas-Rachford: factor that matrix unless it is a multiple of A. After each measure. */
sab_status sab_first_order_split(sab_first_order *iteration, const sab_program *program,
                                 const sab_factor_options *linear, sab_error *err);
/* The factor of that matrix, borrowed; NULL if there was none so far. */
const sab_factor *sab_first_order_factor(const sab_first_order *iteration);
/* sab_factor_set_accuracy of that factor; nothing to do if there is none. */
void sab_first_order_set_accuracy(sab_first_order *iteration, double part);
/* Forget everything but tau and continue from lambda (admissible) and its strain rate. */
void sab_first_order_start(sab_first_order *iteration, const double *lambda, const double *gamma);
/* At least one and at most `most` steps, until the natural residual (rms, sab_residual_natural) is
 * at most `target`. lambda gets the admissible iterate of smallest natural residual of this call
 * (r_best of algorithm B.2), *steps is increased. A further call continues where this one ended:
 * memory and momentum are kept. */
sab_status sab_first_order_run(sab_first_order *iteration, sab_step_kind kind,
                               const sab_program *program, sab_factor *factor, const double *shift,
                               int most, double target, double *lambda, int *steps, sab_error *err);
/* The strain rate, [npoints][s], borrowed, of the iterate of the last step. That of
 * Douglas-Rachford obeys momentum, though not under the stress lambda, until it has converged. */
const double *sab_first_order_strain_rate(const sab_first_order *iteration);
/* CPU seconds spent in cones and vectors (all but solves and products with B) so far. */
double sab_first_order_cone_cpu(const sab_first_order *iteration);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/elastic.h -- the motion nearest to the unresisted flow, at a price (internal to solve).
 *
 * To learn whether any motion satisfies gN >= zeta|gT| at every point, let every point open by
 * itself, e_q, against a stiff spring:
 *     min (u - u0).A (u - u0)/2 + stiffness sum m r e^2/2,   B u + k + e n in that cone.
 * It always has a solution, and an interior, so that an interior point solves it. If there is a
 * motion, e vanishes as the stiffness grows; if there is none, e does not, and its stress
 * lambda_N = stiffness r e becomes a proof [docs/theory.md, 7.6]. */
#ifndef SAB_SOLVE_ELASTIC_H
#define SAB_SOLVE_ELASTIC_H

#include "solve/program.h"

/* The associated program in (u, e). The caller owns *elastic. */
sab_status sab_elastic_create(const sab_program *program, double stiffness, sab_program **elastic,
                              sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/ipm.h -- primal-dual interior point on the cone program (internal to solve).
 *
 * With g = (sigma + mu lambda_N, lambda_T) and z in the second-order cone K, z2 >= 0, the law reads
 *     gamma_T = z_T,   gamma_N + s = a z_N + z2,   g o z = 0,   lambda_N z2 = 0,
 * with a between zeta and mu and s = (a - zeta)|gamma_T| refreshed before every iteration. The part
 * mu - a of the non-associativity is treated exactly, the rest lags [docs/theory.md, 6]:
 *   exactness 0      a = mu, "lagged": the matrix is symmetric;
 *   exactness 0.3    a = max(zeta, mu - 0.3): beyond 0.3 the exact central path has folds;
 *   exactness inf    a = zeta, s = 0: the non-associated law itself, smooth.
 * Newton's method on g o z = tau e, lambda_N z2 = rho tau with Nesterov-Todd scaling, condensed on
 * the velocity: K = A + B^T M G^-1 B, one factorisation per iteration. */
#ifndef SAB_SOLVE_IPM_H
#define SAB_SOLVE_IPM_H

#include "linalg/factor.h"
#include "solve/program.h"

typedef struct sab_ipm sab_ipm;

/* Pattern, symbolic analysis and workspace. A convex program has s = 0 and a symmetric matrix
 * whatever the exactness. The caller owns *ipm. */
sab_status sab_ipm_create(const sab_program *program, double exactness,
                          const sab_factor_options *linear, sab_ipm **ipm, sab_error *err);
void sab_ipm_destroy(sab_ipm **ipm);
/* Does it have the kind of matrix, symmetric or not, that create would choose for this program? A
 * law that depends on time or flow may become convex or cease to be; then a new one is needed. */
bool sab_ipm_fits(const sab_ipm *ipm, const sab_program *program);

/* Start cold: u = 0, lambda and z on the axes of their cones, of the given scale of stress, and of
 * strain rate stress / r. `tight`: iterates on the way open less than those of the central path (of
 * a convex program they are its own). The same solution, a better volume at a rough tolerance. */
void sab_ipm_start(sab_ipm *ipm, const sab_program *program, double stress, bool tight);
/* Start from (u, lambda) of a nearby program, pushed inside the cones by `level` of the scales. */
void sab_ipm_start_warm(sab_ipm *ipm, const sab_program *program, const double *u,
                        const double *lambda, double level, double stress, bool tight);
/* One iteration. *length: of the step taken (1 is a full Newton step). SAB_ERR_NUMERIC if the
 * matrix cannot be factored or the direction is not finite: the iterate before is still there. */
sab_status sab_ipm_iterate(sab_ipm *ipm, const sab_program *program, double *length,
                           sab_error *err);

/* lambda [npoints][s] of the iterate. */
void sab_ipm_lambda(const sab_ipm *ipm, double *lambda);
/* u [n] of the iterate, borrowed. */
const double *sab_ipm_velocity(const sab_ipm *ipm);
/* Where the interior point keeps nu and phi' of program->rate, [npoints] each, NULL without one: to
 * be brought up to date by the certificate of each iterate. */
void sab_ipm_rate(sab_ipm *ipm, double **viscosity, double **tangent);
const sab_factor *sab_ipm_factor(const sab_ipm *ipm);
/* CPU seconds in cones and assembly so far. */
double sab_ipm_cone_cpu(const sab_ipm *ipm);

#endif

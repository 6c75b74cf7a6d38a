/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/anderson.h -- Anderson's acceleration of a fixed-point iteration (internal to solve).
 *
 * For x <- p(x) with the residual f = p(x) - x, the next point is not p(x) but p(x) - sum c_j dp_j,
 * where dp_j, df_j are differences of successive values and c makes f - sum c_j df_j smallest
 * [docs/theory.md, 6.5]. Vectors are stresses at the points, [npoints][s], and their metric that of
 * all first-order methods. */
#ifndef SAB_SOLVE_ANDERSON_H
#define SAB_SOLVE_ANDERSON_H

#include "solve/program.h"

typedef struct sab_anderson sab_anderson; /* the memory */

/* Room for `depth` differences (0: no acceleration). The caller owns *memory. */
sab_status sab_anderson_create(const sab_program *program, int depth, sab_anderson **memory,
                               sab_error *err);
void sab_anderson_destroy(sab_anderson **memory);
void sab_anderson_forget(sab_anderson *memory);
/* x = p - sum c_j dp_j. False, and x = p, when there is no memory or it is degenerate (then it is
 * emptied). */
bool sab_anderson_extrapolate(sab_anderson *memory, const sab_program *program, const double *p,
                              const double *f, double *x);
/* Store p - p_old and f - f_old in place of the oldest differences. */
void sab_anderson_remember(sab_anderson *memory, const sab_program *program, const double *p,
                           const double *p_old, const double *f, const double *f_old);
/* <a, b> = sum (m/r) a.b, the metric. */
double sab_anderson_dot(const sab_program *program, const double *a, const double *b);

#endif

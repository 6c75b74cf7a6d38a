/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/exact.h -- distance of a velocity to an exact solution given by formulas. */
#ifndef SAB_FEM_EXACT_H
#define SAB_FEM_EXACT_H

#include "fem/space.h"

typedef struct sab_error_norms {
    double L2, Linf, H1;                   /* of u - u_exact; H1 is the seminorm (gradient) */
    double exact_L2, exact_Linf, exact_H1; /* the same norms of u_exact, for relative errors */
} sab_error_norms;

/* By the rule for norms of the space, with the measure; Linf over its points and the nodes.
 * Gradients of the formulas by fourth-order differences, about an axis in the plane (r, z) alone. U
 * is a velocity vector of the space (its bubbles count), exact has dim functions. */
sab_status sab_exact_velocity(const sab_space *space, const double *U, const sab_function *exact,
                              double t, sab_error_norms *norms, sab_error *err);
/* L2 norm of p - p_exact and of p_exact over the elements with yielded[e] = 1 (in a rigid zone the
 * pressure is not determined), p the element mean against the mean of the formula. yielded NULL:
 * all elements. */
sab_status sab_exact_pressure(const sab_space *space, const double *pressure, const double *yielded,
                              const sab_function *exact, double t, double *L2, double *exact_L2,
                              sab_error *err);

#endif

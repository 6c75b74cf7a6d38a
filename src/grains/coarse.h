/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/coarse.h -- grains as a continuum, at given places [docs/theory.md, 12.5].
 *
 * A place a has a volume V_a, the integral of its hat on a mesh. What is at y goes to the places
 * nearer than the width, in the parts
 *     w_a(y) = W(|y - x_a|) V_a / sum_b W(|y - x_b|) V_b,   sum_a w_a = 1,
 * so that nothing is lost at walls: sum V_a rho_a = sum m, sum V_a sigma_a = -sum f b. */
#ifndef SAB_GRAINS_COARSE_H
#define SAB_GRAINS_COARSE_H

#include "grains/grains.h"

typedef struct sab_coarse {
    int dim, n;
    const double *x, *volume; /* [n][dim], [n]; borrowed */
    double width;
    double *density, *fraction; /* [n] mass and volume of grains per volume */
    double *velocity;           /* [n][dim] of a linear fit: exact for rigid motions */
    double *gradient; /* [n][dim][dim] of that fit, du_i/dx_j; 0 where grains are too few */
    double *stress;   /* [n][dim][dim] of contacts and fluctuations, tension positive */
    struct sab_coarse_work *work;
} sab_coarse;

/* The caller owns *coarse. SAB_ERR_INPUT unless width and volumes are positive. */
sab_status sab_coarse_create(int dim, int n, const double *x, const double *volume, double width,
                             sab_coarse **coarse, sab_error *err);
void sab_coarse_destroy(sab_coarse **coarse);
/* The grains as they are, with the contacts of their last step. */
sab_status sab_coarse_fill(sab_coarse *coarse, const sab_grains *grains, sab_error *err);

#endif

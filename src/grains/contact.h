/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/contact.h -- pairs of grains as a cone program [docs/theory.md, 12.1].
 *
 *     A = mass,  rows of B: relative velocity (N; T) of the pair,  l = M v + dt F,  k = (D/dt; 0),
 *
 * every contact scaled by c_q = (s / tr W_qq)^(1/2), so that r = 1 and residuals of grams and
 * kilograms have one unit. lambda_q c_q is the impulse. */
#ifndef SAB_GRAINS_CONTACT_H
#define SAB_GRAINS_CONTACT_H

#include "grains/pairs.h"
#include "solve/program.h"

typedef struct sab_contact_law {
    double friction, restitution; /* between grains; walls have their own */
    bool relaxed;                 /* zeta = mu, convex: sliding opens; else zeta = 0, Coulomb */
} sab_contact_law;

/* Unit vectors of the frame of a contact: [dim][dim], the normal first. */
void sab_contact_frame(int dim, const double *normal, double *frame);

/* The program of a step from the present places and velocities; at least one pair. scale [npairs]
 * gets c_q, gap [npairs] what k_N holds of the distance (unscaled; or of the bounce, if the pair
 * hits and has a restitution). The caller owns *program. */
sab_status sab_contact_program(const sab_bodies *bodies, const sab_grain_wall *wall,
                               const sab_pairs *pairs, const sab_contact_law *law,
                               const double *gravity, double dt, double *scale, double *gap,
                               sab_program **program, sab_error *err);

#endif

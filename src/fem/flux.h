/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/flux.h -- integrals over groups of sides: loads of tractions, fluxes of velocities. The
 * measure of the geometry is in them, and the face functions of the element. */
#ifndef SAB_FEM_FLUX_H
#define SAB_FEM_FLUX_H

#include "fem/space.h"

/* F, a force vector, += int t.v over the groups with traction or pressure, outward normal n: t
 * given, or -p n. */
sab_status sab_boundary_load(const sab_space *space, int nboundaries, const sab_boundary *boundary,
                             const int *group, double t, double *F, sab_error *err);
/* int u.n over a group. */
double sab_boundary_flux(const sab_space *space, int group, const double *U);
/* Integral of max(u.n, 0) over the whole boundary. */
double sab_boundary_outflow(const sab_space *space, const double *U);
/* Integral of u (u.n) over the whole boundary, momentum [dim]. */
void sab_boundary_momentum(const sab_space *space, const double *U, double *momentum);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/integral.h -- numbers of the whole domain: energy, power, areas [docs/theory.md, 10.6].
 *
 * Dissipations are sums over the law points, as in the cone program, so that they balance the power
 * of the loads to the gap of the solve. */
#ifndef SAB_FEM_INTEGRAL_H
#define SAB_FEM_INTEGRAL_H

#include "fem/fields.h"

/* With the measure of the geometry, that is of a sector of one radian about an axis. `above` is the
 * speed of MOVING_AREA; `gravity`, the force vector of sab_space_body_force, serves
 * GRAVITY_POWER. Others do not look at them. */
double sab_integral_of(const sab_fields *fields, sab_integral which, double above,
                       const double *gravity);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/material.h -- the rheology as the user gives it; converted to the law once, at input.
 * Each entry is a number or a formula in x, y, z, t. */
#ifndef SAB_FEM_MATERIAL_H
#define SAB_FEM_MATERIAL_H

#include "base/function.h"
#include "fem/geometry.h"

#include <stdbool.h>

/* Friction that grows with the inertial number I [docs/theory.md, 2.6]; the user's convention. */
typedef struct sab_mu_i {
    double resting, flowing; /* mu_S at I = 0, mu_D as I grows; mu_S <= mu_D */
    double I0;               /* where half of the way is made */
    double grain;            /* diameter D_g, in units of length */
} sab_mu_i;

typedef struct sab_material {
    bool has_mu_i; /* mu_i instead of friction */
    sab_mu_i mu_i;
    sab_function friction;  /* coefficient: yield when sqrt(J2) = friction * p + bingham */
    bool friction_is_angle; /* friction holds the angle in degrees instead, */
    bool has_friction_in;
    sab_friction_mode friction_in; /* measured in this motion; in the plane if not given */
    sab_function dilatancy;        /* same convention as friction (a coefficient) */
    sab_function bingham;          /* Bi = yield stress / (rho g L) */
    sab_function reynolds;         /* Re; INFINITY for none */
    double bulk;                   /* b, 0 < b <= 1 */
    bool has_viscosity;
    sab_function viscosity; /* eta(x, y, z, t, shear_rate, pressure), multiplies 1/Re */
} sab_material;

/* The law at one point. */
typedef struct sab_law {
    double friction, yield, dilatancy; /* mu, sigma, zeta of the s-vector law */
    double inverse_reynolds;
} sab_law;

/* Evaluate and convert: mu = friction / sqrt(d/2), an angle by its mode (fem/geometry.h); of mu(I)
 * the friction at rest. SAB_ERR_INPUT if a value is out of range there (friction < 0 or above
 * sab_friction_limit, dilatancy outside [0, friction], bingham < 0, reynolds <= 0). */
sab_status sab_material_law(const sab_material *material, const sab_geometry *geometry,
                            const sab_vars *at, sab_law *law, sab_error *err);

/* sab_friction_of_angle and sab_angle_of_friction in degrees. In the plane there is no angle from
 * friction 1 on, where slopes of any angle can rest [docs/theory.md, 2.5]. */
double sab_material_friction(const sab_geometry *geometry, sab_friction_mode mode, double degrees,
                             double dilatancy);
double sab_material_friction_angle(const sab_geometry *geometry, sab_friction_mode mode,
                                   double friction, double dilatancy);

/* I = 2 |gamma_T| D_g / sqrt(p), the density of the grains being that of the flow: the user gives
 * d phi^(-1/2) as D_g [docs/theory.md, 2.6]. INFINITY for p <= 0 with shear; 0 without shear, also
 * where p <= 0. */
double sab_material_inertial_number(const sab_mu_i *mu_i, double shear_rate, double pressure);
/* mu(I) = mu_S + (mu_D - mu_S) / (I0/I + 1), in [mu_S, mu_D]: mu_S at rest (and for 0/0, no shear
 * and no pressure), mu_D for shear without pressure. */
double sab_material_mu_i(const sab_mu_i *mu_i, double shear_rate, double pressure);

#endif

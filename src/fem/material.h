/* fem/material.h -- the rheology as the user gives it; converted to the law once, at input.
 * Each entry is a number or a formula in x, y, z, t. */
#ifndef SAB_FEM_MATERIAL_H
#define SAB_FEM_MATERIAL_H

#include "base/function.h"
#include "fem/geometry.h"

#include <stdbool.h>

typedef struct sab_material {
    sab_function friction;  /* coefficient: yield when sqrt(J2) = friction * p + bingham */
    bool friction_is_angle; /* friction holds the angle in degrees instead */
    sab_function dilatancy; /* same convention as friction (a coefficient) */
    sab_function bingham;   /* Bi = yield stress / (rho g L) */
    sab_function reynolds;  /* Re; INFINITY for none */
    double bulk;            /* b, 0 < b <= 1 */
    bool has_viscosity;
    sab_function viscosity; /* eta(x, y, z, t, shear_rate, pressure), multiplies 1/Re */
} sab_material;

/* The law at one point. */
typedef struct sab_law {
    double friction, yield, dilatancy; /* mu, sigma, zeta of the s-vector law */
    double inverse_reynolds;
} sab_law;

/* Evaluate and convert: mu = friction / sqrt(d/2), angle: plane sin(phi). SAB_ERR_INPUT if a value
 * is out of range there (friction < 0, dilatancy outside [0, friction], bingham < 0,
 * reynolds <= 0). */
sab_status sab_material_law(const sab_material *material, const sab_geometry *geometry,
                            const sab_vars *at, sab_law *law, sab_error *err);

#endif

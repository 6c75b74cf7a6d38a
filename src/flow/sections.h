/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/sections.h -- horizontal sections of the body: means and balances at a height.
 *
 * A section at height y is seen through the P2 function w that is 1 above it, 0 below, and goes
 * from one to the other within `reach`. By parts, with the discrete balance of momentum,
 *
 *     int (-sigma_zz dw/dz - ..) = gravity(w) - inertia(w) - borne(w),   all of these sum_a w_a F_a
 *
 * so that the mean vertical stress is exactly what is not borne above, on every mesh; the area,
 * int dw/dz, is exact between vertical sides, and so is the stress of a bed without friction. The
 * mean is that of the height z = int z dw/dz / area; the weight between z and y is added. Up is the
 * last axis. */
#ifndef SAB_FLOW_SECTIONS_H
#define SAB_FLOW_SECTIONS_H

#include "flow/forces.h"

typedef struct sab_section_point { /* int f dw/dz = sum of part f(law point) */
    int point;
    double part;
} sab_section_point;

typedef struct sab_section {
    double y, reach;
    double area, volume; /* int dw/dz; volume of what is above y */
    double rise;         /* of w through the body: 1, at its ends a half */
    double z;            /* where the mean is */
    double rim;          /* how much of its edge is wall with friction */
    int n;
    sab_section_point *at; /* [n] */
} sab_section;

typedef struct sab_sections {
    int n, up;
    sab_section *section; /* [n] from low to high */
    double low, high;     /* heights of the body */
    double volume;        /* of the body */
    bool endless;         /* sides above each other are periodic: nothing is above anything */
} sab_sections;

/* What a section has of the flow as it is. */
typedef struct sab_section_values {
    double area, volume, rim;
    double velocity; /* mean, downward */
    double vertical; /* mean vertical stress, compression positive; NAN if nothing says */
    double
        yielding; /* part of it that yields, however slowly: whose stress is on the yield surface */
} sab_section_values;

/* Sections at n heights (those closer than 0.4 `reach` are one: values between are
 * interpolated). The caller owns *sections. */
sab_status sab_sections_create(const sab_flow *flow, int n, const double *height, double reach,
                               sab_sections **sections, sab_error *err);
void sab_sections_destroy(sab_sections **sections);
/* value [sections->n] */
void sab_sections_evaluate(const sab_sections *sections, const sab_flow *flow,
                           const sab_forces *forces, sab_section_values *value);
/* The values at a height. */
sab_section_values sab_sections_at(const sab_sections *sections, const sab_section_values *value,
                                   double y);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/case_grains.h -- what a case says of grains: plain numbers, for whoever makes bodies of them.
 */
#ifndef SAB_IO_CASE_GRAINS_H
#define SAB_IO_CASE_GRAINS_H

#include "base/function.h"
#include "mesh/cell.h"

#include <stdbool.h>

enum { SAB_BOTH = 1 + 1 }; /* ends, bounds */

typedef struct sab_case_grains {
    double radius[SAB_BOTH], mass[SAB_BOTH]; /* lowest and highest */
    double radius_y[SAB_BOTH];               /* of ellipses */
    double angle[SAB_BOTH];                  /* of their own x with that of the room, degrees */
    bool has_radius, has_mass, has_radius_y, has_angle;
    double box[SAB_DIM][SAB_BOTH]; /* the room repeats itself from the one to the other */
    bool has_box[SAB_DIM];
    double density, friction, restitution;
    int law; /* coulomb, relaxed, fixed-point */
    double fixed_point, travel, reach, overlap;
    double velocity[SAB_DIM], spin; /* at time 0 */
    bool has_grid, has_rain;
    double grid[SAB_DIM]; /* whole numbers */
    int rain, seed;
    char *file; /* resolved against the directory of the case; NULL: none */
    double low[SAB_DIM], high[SAB_DIM], pitch, jitter, shift;
} sab_case_grains;

typedef struct sab_case_wall {
    const char *name; /* lives with the case */
    bool has_point, has_segment, has_friction, has_velocity, open;
    double point[SAB_DIM], normal[SAB_DIM];
    double segment[SAB_BOTH][SAB_DIM];
    double beads; /* radius of discs that are glued to it; 0: none */
    char *group;  /* NULL: none */
    double friction, restitution, until;
    sab_function velocity[SAB_DIM];
} sab_case_wall;

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/fill.h -- grains to begin with. The same seed gives the same grains on every machine. */
#ifndef SAB_GRAINS_FILL_H
#define SAB_GRAINS_FILL_H

#include "grains/bodies.h"
#include "grains/wall.h"

/* Sizes and masses, uniform between their bounds. */
typedef struct sab_grain_sizes {
    double radius_min, radius_max;
    double mass_min, mass_max; /* 0: from the density */
    double density;
    double second_min, second_max; /* of ellipses: semi-axis along their own y; 0: discs */
    double angle_min, angle_max;   /* of their own x with that of the room, radians */
} sab_grain_sizes;

typedef struct sab_fill_grid {
    int count[3];         /* grains along each axis */
    double low[3], pitch; /* corner of the first cell, its size */
    sab_grain_sizes sizes;
    double jitter; /* of each coordinate, uniform within -+ */
    double shift;  /* of the lowest row (layer) along x: a lattice that is not aligned */
    uint64_t seed;
} sab_fill_grid;

/* Add grains in the middles of the cells of a grid, moved by the jitter. SAB_ERR_INPUT if two could
 * overlap, radius_max + jitter > pitch/2 (of ellipses the larger semi-axis). */
sab_status sab_grain_fill_grid(sab_bodies *bodies, const sab_fill_grid *grid, sab_error *err);

typedef struct sab_fill_rain {
    int count;
    double low[3], high[3]; /* the box they are in, wholly */
    sab_grain_sizes sizes;
    uint64_t seed;
} sab_fill_rain;

/* Add grains one after the other at random places where they touch neither each other nor a wall.
 * SAB_ERR_INPUT if there is no room for so many: from half of the plane, a third of space, on. */
sab_status sab_grain_fill_rain(sab_bodies *bodies, const sab_fill_rain *rain, int nwalls,
                               const sab_grain_wall *wall, sab_error *err);

#endif

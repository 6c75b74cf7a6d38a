/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/wall.h -- bodies without unknowns: planes, segments and glued discs (in the plane) and
 * triangles (in space), at rest or in motion. */
#ifndef SAB_GRAINS_WALL_H
#define SAB_GRAINS_WALL_H

#include "base/function.h"

#include <stdbool.h>

typedef enum sab_grain_wall_kind {
    SAB_GRAIN_WALL_PLANE, /* a half space: grains are on the side of the normal */
    SAB_GRAIN_WALL_FACET, /* dim corners: both sides */
    SAB_GRAIN_WALL_BEAD   /* a disc */
} sab_grain_wall_kind;

typedef struct sab_grain_wall {
    sab_grain_wall_kind kind;
    int dim;
    double corner[3][3];        /* of a facet; of a plane the first is a point of it, of a bead its
                                   centre */
    double normal[3];           /* of a plane or facet, of length 1 */
    double radius;              /* of a bead */
    int image[3];               /* which copy it is, in a room that repeats itself */
    double velocity[3];         /* now */
    const sab_function *motion; /* [dim] velocity as a function of time, borrowed; NULL: as it is */
    double friction, restitution;
    double until; /* the time at which it vanishes; 0: never */
    bool gone;    /* it has */
    int part;     /* of which wall of the user: facets of one group have the same */
} sab_grain_wall;

/* A plane through `point`; the normal need not have length 1. SAB_ERR_INPUT if it has none. */
sab_status sab_grain_wall_plane(int dim, const double *point, const double *normal, double friction,
                                sab_grain_wall *wall, sab_error *err);
/* A segment or triangle; corner [dim][dim]. SAB_ERR_INPUT if it has no extent. */
sab_status sab_grain_wall_facet(int dim, const double *corner, double friction,
                                sab_grain_wall *wall, sab_error *err);
/* A disc. SAB_ERR_INPUT unless the radius is positive. */
sab_status sab_grain_wall_bead(const double *centre, double radius, double friction,
                               sab_grain_wall *wall, sab_error *err);
void sab_grain_wall_move(sab_grain_wall *wall, double dt);
/* The point of the wall closest to x, and the unit normal n there towards x; returns the distance,
 * of a plane with its sign. On a facet itself n is its own normal. */
double sab_grain_wall_distance(const sab_grain_wall *wall, const double *x, double *n);

#endif

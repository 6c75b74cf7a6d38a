/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/boundary.h -- what a case says about one boundary group. */
#ifndef SAB_FEM_BOUNDARY_H
#define SAB_FEM_BOUNDARY_H

#include "base/function.h"
#include "mesh/cell.h"

#include <stdbool.h>

/* A wall with Coulomb friction: only the part of its velocity along it counts
 * [docs/theory.md, 4.13]. */
typedef struct sab_wall_law {
    sab_function friction; /* traction along the wall over pressure when it slides */
    sab_function adhesion; /* and that without pressure */
    sab_function drag;     /* and per velocity of slip */
    bool has_velocity, has_speed;
    sab_function velocity[SAB_DIM];
    sab_function speed; /* in the plane and about an axis: anticlockwise around the domain */
} sab_wall_law;

typedef struct sab_boundary {
    char *group; /* name, or number as text; owned by whoever owns the array */
    int line;    /* of the case file, for messages; 0 if unknown */
    bool has_velocity;
    bool prescribed[SAB_DIM]; /* per component; false = free */
    sab_function velocity[SAB_DIM];
    bool slip; /* u.n = 0, tangential traction given (zero by default) */
    bool has_wall;
    sab_wall_law wall; /* friction: traction and normal velocity are both unknown */
    bool has_traction;
    sab_function traction[SAB_DIM]; /* total traction of the outside on the grains */
    bool has_pressure;
    sab_function pressure; /* traction -p n */
    bool has_inflow;       /* the velocity is that of grains that are fed, */
    sab_function fill;     /* with this fill */
    double opens;          /* time at which a wall is taken away; 0: never */
    char *periodic; /* the group that this one goes on at, which has no entry; NULL: none; owned too
                     */
    int nover;
    const char **over; /* [nover] groups that have no say at the nodes they share with this one */
} sab_boundary;

#endif

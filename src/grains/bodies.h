/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/bodies.h -- rigid discs (in the plane) and spheres (in space) [docs/theory.md, 12]. */
#ifndef SAB_GRAINS_BODIES_H
#define SAB_GRAINS_BODIES_H

#include "base/error.h"

#include <stdint.h>

/* A structure of arrays. In the plane a body has the unknowns (vx, vy, spin), in space (v, spin),
 * spins in the frame of the room: `freedoms` of them, 3 or 6. */
typedef struct sab_bodies {
    int dim, freedoms;
    int n, capacity;
    double *position;                /* [n][dim] centres */
    double *orientation;             /* [n][4] quaternion w, x, y, z; of discs (angle, 0, 0, 0) */
    double *velocity;                /* [n][freedoms] */
    double *radius, *mass, *inertia; /* [n] */
    int64_t *id;                     /* [n] rising: what keeps its name when others leave */
} sab_bodies;

/* No bodies, dim 2 or 3. The caller owns *bodies. */
sab_status sab_bodies_create(int dim, sab_bodies **bodies, sab_error *err);
void sab_bodies_destroy(sab_bodies **bodies);
/* One more, at rest; its inertia is that of a homogeneous disc or ball. SAB_ERR_INPUT unless radius
 * and mass are positive and all is finite. */
sab_status sab_bodies_add(sab_bodies *bodies, const double *position, double radius, double mass,
                          sab_error *err);
/* Take body i away; those after it move up. */
void sab_bodies_remove(sab_bodies *bodies, int i);
/* Positions and orientations after a time dt with the present velocities. */
void sab_bodies_move(sab_bodies *bodies, double dt);
double sab_bodies_largest(const sab_bodies *bodies);  /* radius; 0 without bodies */
double sab_bodies_smallest(const sab_bodies *bodies); /* likewise */
/* Place of the body with this name, or -1: gone. Names rise. */
int sab_bodies_find(const sab_bodies *b, int64_t id);

#endif

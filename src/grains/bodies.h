/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/bodies.h -- rigid discs and ellipses (in the plane) and spheres (in space)
 * [docs/theory.md, 12]. */
#ifndef SAB_GRAINS_BODIES_H
#define SAB_GRAINS_BODIES_H

#include "grains/ellipse.h"

#include <stdbool.h>
#include <stdint.h>

/* A room that repeats itself along the axes with a length > 0. */
typedef struct sab_box {
    double low[3], length[3];
} sab_box;

/* A structure of arrays. In the plane a body has the unknowns (vx, vy, spin), in space (v, spin),
 * spins in the frame of the room: `freedoms` of them, 3 or 6. */
typedef struct sab_bodies {
    int dim, freedoms;
    int n, capacity;
    double *position;    /* [n][dim] centres: where they have gone, not taken back into the box */
    double *orientation; /* [n][4] quaternion w, x, y, z; in the plane (angle, 0, 0, 0) */
    double *velocity;    /* [n][freedoms] */
    double *radius;      /* [n] of an ellipse the larger semi-axis */
    double *axis;        /* [n][2] semi-axes; of discs and spheres the radius */
    double *mass, *inertia; /* [n] */
    int64_t *id;            /* [n] rising: what keeps its name when others leave */
    sab_box box;            /* pairs see the nearest images of each other; none at first */
} sab_bodies;

/* No bodies, dim 2 or 3. The caller owns *bodies. */
sab_status sab_bodies_create(int dim, sab_bodies **bodies, sab_error *err);
void sab_bodies_destroy(sab_bodies **bodies);
/* One more, at rest; its inertia is that of a homogeneous disc or ball. SAB_ERR_INPUT unless radius
 * and mass are positive and all is finite. */
sab_status sab_bodies_add(sab_bodies *bodies, const double *position, double radius, double mass,
                          sab_error *err);
/* An ellipse, in the plane; angle of its first semi-axis with x. */
sab_status sab_bodies_add_ellipse(sab_bodies *bodies, const double *position, const double *axis,
                                  double angle, double mass, sab_error *err);
/* Take body i away; those after it move up. */
void sab_bodies_remove(sab_bodies *bodies, int i);
/* Positions and orientations after a time dt with the present velocities. */
void sab_bodies_move(sab_bodies *bodies, double dt);
double sab_bodies_largest(const sab_bodies *bodies);       /* radius; 0 without bodies */
double sab_bodies_smallest(const sab_bodies *bodies);      /* radius or semi-axis; likewise */
double sab_bodies_least(const sab_bodies *bodies, int i);  /* radius, or smaller semi-axis */
double sab_bodies_volume(const sab_bodies *bodies, int i); /* area in the plane */
bool sab_bodies_is_round(const sab_bodies *bodies, int i);
sab_ellipse sab_bodies_outline(const sab_bodies *bodies, int i); /* in the plane */
/* Its point farthest in direction n, from its centre. */
void sab_bodies_arm(const sab_bodies *bodies, int i, const double *n, double *arm);
/* The centre, or any place, taken back into the box, and a way between two to the nearest image. */
void sab_bodies_place(const sab_bodies *bodies, int i, double *x);
void sab_bodies_take_back(const sab_bodies *bodies, double *x);
void sab_bodies_nearest(const sab_bodies *bodies, double *way);
/* Place of the body with this name, or -1: gone. Names rise. */
int sab_bodies_find(const sab_bodies *b, int64_t id);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/wall_make.h -- how lines and surfaces are made walls. Only fem/wall*.c look at it. */
#ifndef SAB_FEM_WALL_MAKE_H
#define SAB_FEM_WALL_MAKE_H

#include "fem/wall.h"

#define SAB_WALL_CORNER 0.86602540378443865 /* cosine of 30 degrees, as for slip walls */

typedef struct sab_wall_of {
    const sab_mesh *mesh;
    const sab_geometry *geometry;
    const sab_mesh_group *group;
    const int *owner;
    int entry;
} sab_wall_of;

/* Does nobody else hold the node? */
bool sab_wall_owns(const sab_wall_of *of, int node);
/* Fill vertices and middles, of a surface its mesh as well, into a wall that is all zero. */
sab_status sab_wall_line(const sab_wall_of *of, int samples, sab_wall_trace *wall, sab_error *err);
sab_status sab_wall_surface(const sab_wall_of *of, sab_wall_trace *wall, sab_error *err);

#endif

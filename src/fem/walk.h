/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/walk.h -- a straight path through a mesh, and on along its walls (internal to fem: used by
 * transport.c). Triangles and tetrahedra have their own; both see the chords of curved elements. */
#ifndef SAB_FEM_WALK_H
#define SAB_FEM_WALK_H

#include "mesh/mesh.h"

/* The straight path x + s d, 0 <= s <= 1. */
typedef struct sab_path {
    double x[SAB_DIM], d[SAB_DIM], end[SAB_DIM];
} sab_path;

/* A foot: in an element, or on side `side` of it, at place `at` of the side. */
typedef struct sab_foot {
    int element, side;
    double at[SAB_DIM - 1], xi[SAB_DIM]; /* reference points of the side, of the element */
} sab_foot;

enum { SAB_INSIDE = -1 }; /* instead of a side: the foot is in the element */

/* The open side that ends a wall, and what is left of a path along it: element -1 if none. */
typedef struct sab_stop {
    int element, side;
    double d[SAB_DIM];
} sab_stop;

typedef struct sab_walker {
    /* Cross sides until the end of the path is not beyond the next one, or there is no neighbour:
     * then foot->side is that side. Returns the number of sides crossed. */
    int (*walk)(const sab_mesh *mesh, const sab_path *path, sab_foot *foot);
    /* Where the path meets the curved side that it has left the mesh by. Returns the share of the
     * path that lies beyond. */
    double (*meet)(const sab_mesh *mesh, const sab_path *path, sab_foot *foot);
    /* Go on along the wall for the rest of the path with the part of d along its sides (chords).
     * d.x grows all the way. Ends where d points into a corner, and where the wall ends: then *stop
     * says by what; open is [nelements][sides]. Returns the number of sides passed. */
    int (*slide)(const sab_mesh *mesh, const bool *open, const double *d, double rest,
                 sab_foot *foot, sab_stop *stop);
} sab_walker;

extern const sab_walker sab_walker_triangle, sab_walker_tetrahedron;

/* The side of a cell without corner i. */
int sab_walk_opposite(const sab_cell *cell, int i);
/* foot->xi from foot->side and foot->at. */
void sab_foot_on_side(const sab_cell *cell, sab_foot *foot);

#endif

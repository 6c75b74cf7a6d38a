/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/grid.h -- P2 meshes of a rectangle and of a box for tests, without Gmsh. */
#ifndef SAB_TESTS_GRID_H
#define SAB_TESTS_GRID_H

#include "mesh/mesh.h"

typedef struct sab_grid {
    int nx, ny;
    double x0, y0, x1, y1;
    double jitter;   /* inner vertices moved by this share of a cell at most */
    double bulge;    /* mid-sides of inner edges moved by this share of a cell: curved sides */
    double rotation; /* of the whole, radians */
} sab_grid;

/* Alternating diagonals; groups bottom, right, top, left (tags 1 to 4). */
sab_mesh *sab_grid_create(const sab_grid *grid);

typedef struct sab_box {
    int n[SAB_DIM]; /* cells along x, y, z, six tetrahedra each */
    double low[SAB_DIM], high[SAB_DIM];
    double jitter, bulge;     /* as above */
    double rotation[SAB_DIM]; /* of the whole about the origin: axis times angle */
} sab_box;

/* All cells cut alike, along the diagonals from low to high, so that opposite sides match. Groups
 * left, right (x), front, back (y), bottom, top (z), tags 1 to 6. */
sab_mesh *sab_grid_box(const sab_box *box);

#endif

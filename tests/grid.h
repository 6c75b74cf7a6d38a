/* tests/grid.h -- P2 meshes of a rectangle for tests, without Gmsh. */
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

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mesh/cell.h"

#include <stddef.h>

const sab_cell sab_cell_line = {
    .name = "line",
    .plural = "lines",
    .side_name = "end",
    .dim = 1,
    .corners = 2,
    .edges = 1,
    .nodes = 3,
    .sides = 2,
    .edge = {{0, 1}},
    .side = {{0}, {1}},
    .gmsh_linear = 1,
    .gmsh_type = 8,
    .vtk_type = 21,
    .gmsh = {0, 1, 2},
    .vtk = {0, 1, 2},
};

const sab_cell sab_cell_triangle = {
    .name = "triangle",
    .plural = "triangles",
    .side_name = "edge",
    .dim = 2,
    .corners = 3,
    .edges = 3,
    .nodes = 6,
    .sides = 3,
    .edge = {{0, 1}, {1, 2}, {2, 0}},
    .side = {{0, 1, 3}, {1, 2, 4}, {2, 0, 5}},
    .facet = &sab_cell_line,
    .gmsh_linear = 2,
    .gmsh_type = 9,
    .vtk_type = 22,
    .gmsh = {0, 1, 2, 3, 4, 5},
    .vtk = {0, 1, 2, 3, 4, 5},
};

const sab_cell sab_cell_tetrahedron = {
    .name = "tetrahedron",
    .plural = "tetrahedra",
    .side_name = "face",
    .dim = 3,
    .corners = 4,
    .edges = 6,
    .nodes = 10,
    .sides = 4,
    .edge = {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}},
    .side = {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 9, 7}, {1, 2, 3, 5, 8, 9}, {2, 0, 3, 6, 7, 8}},
    .facet = &sab_cell_triangle,
    .gmsh_linear = 4,
    .gmsh_type = 11,
    .vtk_type = 24,
    .gmsh = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
    .vtk = {0, 1, 2, 3, 4, 5, 6, 7, 9, 8},
};

static inline void barycentric(int dim, const double *xi, double *l)
{
    l[0] = 1.0;
    for (int d = 0; d < dim; d++) {
        l[0] -= xi[d];
        l[d + 1] = xi[d];
    }
}

void sab_cell_barycentric(const sab_cell *cell, const double *xi, double *l)
{
    barycentric(cell->dim, xi, l);
}

static inline void shapes(const sab_cell *cell, int dim, int corners, int edges, const double *xi,
                          double *value, double *gradient)
{
    static const double slope[SAB_CORNERS][SAB_DIM] = {
        {-1.0, -1.0, -1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    double l[SAB_CORNERS];

    barycentric(dim, xi, l);
    for (int i = 0; i < corners; i++)
        value[i] = l[i] * (2.0 * l[i] - 1.0);
    for (int i = 0; i < edges; i++)
        value[corners + i] = 4.0 * l[cell->edge[i][0]] * l[cell->edge[i][1]];
    if (gradient == NULL)
        return;
    for (int i = 0; i < corners; i++)
        for (int d = 0; d < dim; d++)
            gradient[dim * i + d] = (4.0 * l[i] - 1.0) * slope[i][d];
    for (int i = 0; i < edges; i++) {
        const int a = cell->edge[i][0], b = cell->edge[i][1];

        for (int d = 0; d < dim; d++)
            gradient[dim * (corners + i) + d] = 4.0 * (l[a] * slope[b][d] + l[b] * slope[a][d]);
    }
}

void sab_cell_shapes(const sab_cell *cell, const double *xi, double *value, double *gradient)
{
    if (cell == &sab_cell_triangle) /* with its numbers known to the compiler */
        shapes(&sab_cell_triangle, 2, 3, 3, xi, value, gradient);
    else
        shapes(cell, cell->dim, cell->corners, cell->edges, xi, value, gradient);
}

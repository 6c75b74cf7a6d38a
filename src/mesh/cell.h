/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/cell.h -- the shapes a mesh is made of, as tables: quadratic line, triangle, tetrahedron.
 *
 * Corner 0 of the reference cell is the origin, corner i is 1 on axis i - 1. The corners come
 * first, then the middles of the edges in the order of `edge`. The order is that of Gmsh. What a
 * mesh, a space or a file knows of its cells beyond "it is a simplex" is read from here. */
#ifndef SAB_MESH_CELL_H
#define SAB_MESH_CELL_H

enum { /* of the largest cell */
       SAB_DIM = 3,
       SAB_CORNERS = 4,
       SAB_EDGES = 6,
       SAB_NODES = 10,
       SAB_SIDES = 4,
       SAB_SIDE_NODES = 6
};

typedef struct sab_cell {
    /* as messages say it: "triangle", "triangles", and its sides: "edge" */
    const char *name, *plural, *side_name;
    int dim;
    int corners, edges, nodes; /* nodes = corners + edges */
    int sides;                 /* of dimension dim - 1 */
    int edge[SAB_EDGES][2];    /* corners at the ends of the edge whose middle is corners + i */
    /* Nodes of side i in the order of the cell `facet`; going round them by the right hand (in the
     * plane: with the cell on the left) the normal points outward. */
    int side[SAB_SIDES][SAB_SIDE_NODES];
    const struct sab_cell *facet;        /* what a side is: the line of a triangle; NULL: a point */
    int gmsh_linear, gmsh_type;          /* element types of Gmsh, linear and quadratic */
    int vtk_type;                        /* quadratic */
    int gmsh[SAB_NODES], vtk[SAB_NODES]; /* place of node i in the order of Gmsh, of VTK */
} sab_cell;

extern const sab_cell sab_cell_line, sab_cell_triangle, sab_cell_tetrahedron;

/* Barycentric coordinates l [corners] of reference point xi [dim]. */
void sab_cell_barycentric(const sab_cell *cell, const double *xi, double *l);
/* The quadratic shape functions at xi: value [nodes], and gradient [nodes][dim] in reference
 * coordinates unless it is NULL. N = l (2 l - 1) at corners, 4 l_a l_b between a and b. */
void sab_cell_shapes(const sab_cell *cell, const double *xi, double *value, double *gradient);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/sides.h -- sides and edges of elements, inside this layer. Side h = sides e + s of a mesh is
 * side s of element e, in the order of the cell; edge h likewise. */
#ifndef SAB_MESH_SIDES_H
#define SAB_MESH_SIDES_H

#include "mesh/mesh.h"

/* Nodes of side h. */
void sab_mesh_side(const sab_mesh *mesh, int h, int *node);
/* The corners of a side as messages show them: "from (0, 0) to (1, 0)", "with corners ...". */
enum { SAB_CORNERS_TEXT = SAB_DIM * (SAB_PLACE_TEXT + 8) };
const char *sab_mesh_corners(const sab_mesh *mesh, const int *node, char text[SAB_CORNERS_TEXT]);
/* Put n node numbers in ascending order. */
void sab_sort_nodes(int n, int *node);
/* The order of two sides by their corners [SAB_DIM], ascending, the unused ones 0: -1, 0 or 1. */
int sab_compare_corners(const int *a, const int *b);

/* twin[h] = the first side with the same corners as side h (h itself if it is the first), for
 * nelements elements; element is [nelements][nodes], twin [nelements][sides]. */
sab_status sab_mesh_match_sides(const sab_cell *cell, int nnodes, int nelements, const int *element,
                                int *twin, sab_error *err);
/* The same for edges: twin [nelements][edges]. */
sab_status sab_mesh_match_edges(const sab_cell *cell, int nnodes, int nelements, const int *element,
                                int *twin, sab_error *err);
/* Fill neighbour, side and the boundary facets of a mesh that has nodes and oriented elements.
 * Errors: a side of more than two elements, or with two on the same side of it; an edge with two
 * middles, a node that is the middle of two edges. */
sab_status sab_mesh_find_sides(sab_mesh *mesh, sab_error *err);

#endif

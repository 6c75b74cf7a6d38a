/* mesh/sides.h -- sides of elements, inside this layer. Side h = sides e + s of a mesh is side s of
 * element e; that of a triangle runs with the triangle on its left. */
#ifndef SAB_MESH_SIDES_H
#define SAB_MESH_SIDES_H

#include "mesh/mesh.h"

/* Nodes of side h: of a triangle ends and middle. */
void sab_mesh_side(const sab_mesh *mesh, int h, int *node);
/* twin[h] = the first side with the same ends as side h (h itself if it is the first), for
 * nelements triangles; element is [nelements][nodes], twin [nelements][sides]. */
sab_status sab_mesh_match_sides(const sab_cell *cell, int nnodes, int nelements, const int *element,
                                int *twin, sab_error *err);
/* Fill neighbour and the boundary facets of a mesh that has nodes and oriented elements. Errors: an
 * edge with more than two triangles, or with two on the same side, or with two middles. */
sab_status sab_mesh_find_sides(sab_mesh *mesh, sab_error *err);

#endif

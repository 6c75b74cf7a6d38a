/* mesh/sides.h -- sides of triangles, inside this layer. Side h = 3e + s of a mesh runs from corner
 * s to corner s+1 (mod 3) of triangle e, with the triangle on its left. */
#ifndef SAB_MESH_SIDES_H
#define SAB_MESH_SIDES_H

#include "mesh/mesh.h"

/* Ends and middle of side h. */
void sab_mesh_side(const sab_mesh *mesh, int h, int node[3]);
/* twin[h] = the first side with the same ends as side h (h itself if it is the first), for
 * nelements triangles; element is [nelements][6] with corners first, twin has 3 nelements. */
sab_status sab_mesh_match_sides(int nnodes, int nelements, const int *element, int *twin,
                                sab_error *err);
/* Fill neighbour and the boundary facets of a mesh that has nodes and oriented elements. Errors: an
 * edge with more than two triangles, or with two on the same side, or with two middles. */
sab_status sab_mesh_find_sides(sab_mesh *mesh, sab_error *err);

#endif

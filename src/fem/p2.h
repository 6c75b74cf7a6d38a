/* fem/p2.h -- quadratic shape functions on elements and their sides, in physical space.
 * Node order of mesh/cell.h; isoparametric, so that curved sides need nothing special. Of
 * triangles: the inverse of the Jacobian and the normal are those of the plane. */
#ifndef SAB_FEM_P2_H
#define SAB_FEM_P2_H

#include "mesh/mesh.h"

/* Everything about the nodal shape functions of an element at one reference point. */
typedef struct sab_p2 {
    double x[2]; /* physical position */
    double det;  /* of the Jacobian: dx = det dxi */
    double value[SAB_NODES];
    double dx[SAB_NODES][2]; /* physical gradient */
} sab_p2;

/* The shape functions of a side at one point of [0,1]. */
typedef struct sab_p2_side {
    double x[2];
    double normal_ds[2]; /* outward normal times ds/dxi (element on the left of the facet) */
    double value[SAB_SIDE_NODES];
} sab_p2_side;

void sab_p2_at(const sab_mesh *mesh, int element, const double *xi, sab_p2 *p);
void sab_p2_side_at(const sab_mesh *mesh, int facet, double xi, sab_p2_side *p);

#endif

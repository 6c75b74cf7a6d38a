/* fem/p2.h -- quadratic shape functions on triangles and their sides, in physical space.
 * Node order of mesh/mesh.h; isoparametric, so that curved sides need nothing special. */
#ifndef SAB_FEM_P2_H
#define SAB_FEM_P2_H

#include "mesh/mesh.h"

/* Everything about the six shape functions of an element at one reference point. */
typedef struct sab_p2 {
    double x[2]; /* physical position */
    double det;  /* of the Jacobian: dx = det dxi */
    double value[SAB_P2_TRIANGLE];
    double dx[SAB_P2_TRIANGLE][2]; /* physical gradient */
} sab_p2;

/* The three shape functions of a side at one point of [0,1]. */
typedef struct sab_p2_side {
    double x[2];
    double normal_ds[2]; /* outward normal times ds/dxi (element on the left of the facet) */
    double value[SAB_P2_LINE];
} sab_p2_side;

void sab_p2_reference(const double xi[2], double value[SAB_P2_TRIANGLE],
                      double gradient[SAB_P2_TRIANGLE][2]);
void sab_p2_at(const sab_mesh *mesh, int element, const double xi[2], sab_p2 *p);
void sab_p2_side_at(const sab_mesh *mesh, int facet, double xi, sab_p2_side *p);

#endif

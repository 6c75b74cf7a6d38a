/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/p2.h -- quadratic shape functions on elements and their sides, in physical space.
 * Node order of mesh/cell.h; isoparametric, so that curved sides need nothing special. */
#ifndef SAB_FEM_P2_H
#define SAB_FEM_P2_H

#include "mesh/mesh.h"

/* Everything about the nodal shape functions of an element at one reference point. */
typedef struct sab_p2 {
    double x[SAB_DIM]; /* physical position */
    double det;        /* of the Jacobian: dx = det dxi */
    double value[SAB_NODES];
    double dx[SAB_NODES][SAB_DIM]; /* physical gradient */
} sab_p2;

/* The shape functions of a side at one point of the reference cell of a facet. */
typedef struct sab_p2_side {
    double x[SAB_DIM];
    double normal_ds[SAB_DIM];            /* outward normal times ds/dxi (dS/dxi in space) */
    double ds;                            /* its length */
    double tangent[SAB_DIM - 1][SAB_DIM]; /* dx/dxi_a */
    double value[SAB_SIDE_NODES], slope[SAB_SIDE_NODES][SAB_DIM - 1]; /* d/dxi_a */
} sab_p2_side;

/* xi has the dimension of the element, that of a side one less. */
void sab_p2_at(const sab_mesh *mesh, int element, const double *xi, sab_p2 *p);
void sab_p2_side_at(const sab_mesh *mesh, int facet, const double *xi, sab_p2_side *p);
/* Unit normal n [SAB_DIM] of side i of an element in the middle of the side, outward. */
void sab_p2_side_normal(const sab_mesh *mesh, int element, int i, double *n);
/* Gradients [corners][SAB_DIM] of the barycentric coordinates in physical space, at the point of
 * p: l_i is P2, 1 at corner i and 1/2 in the middle of the edges that meet there. */
void sab_p2_barycentric(const sab_cell *cell, const sab_p2 *p, double (*gradient)[SAB_DIM]);

/* adj[i][j]: cofactors of J, so that J^-1 = adj^T/det; returns det. */
double sab_cofactors(int dim, double J[SAB_DIM][SAB_DIM], double adj[SAB_DIM][SAB_DIM]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/points.h -- points of the elements, and how they see the unknowns:
 *
 *     v_q = B_q u + k_q,    int (..) = sum_q weight_q (..)                      [docs/theory.md, 4]
 *
 * Strain rates at the law points (s of the geometry), velocities at the points of the mass matrix
 * (s = dim) and the hats of the vertices (s = 1) are such sets: one block of B per element, columns
 * in the order of its nodes, those of inner functions last. What is assembled over points of any
 * kind is linalg/blocks.h. */
#ifndef SAB_FEM_POINTS_H
#define SAB_FEM_POINTS_H

#include "fem/space.h"

typedef struct sab_points {
    int s, n;       /* components, points */
    double *x;      /* [n][dim] */
    double *weight; /* [n] Jacobian and measure of the geometry included */
    sab_blocks *B;  /* on the free unknowns */
    double *k;      /* [n][s] of what is prescribed; NULL: nothing is */
} sab_points;

/* Strain rates at the law points: B_q = chi^-1 D(.)(x_q), of inner functions as projected. */
sab_status sab_points_strain(const sab_space *space, const sab_dofs *dofs, sab_points **points,
                             sab_error *err);
/* Strain rates of bubbles at the points of the remainder of the space, on the columns of bubbles:
 * with weight space->remainder_factor these points complete the viscous matrix. The space has one.
 */
sab_status sab_points_remainder(const sab_space *space, const sab_dofs *dofs, sab_points **points,
                                sab_error *err);
/* Velocities along the axes at the points of a rule. */
sab_status sab_points_velocity(const sab_space *space, const sab_dofs *dofs,
                               const sab_quadrature *rule, sab_points **points, sab_error *err);
/* The components of all shape functions of each element along the axes, as one point per element
 * (s = dim shapes): sum_e B_e^T C_e B_e is a matrix given element by element. */
sab_status sab_points_functions(const sab_space *space, const sab_dofs *dofs, sab_points **points,
                                sab_error *err);
/* The P1 hats of the vertices at the law points; vertex [nnodes] numbers them, nvertices in all. */
sab_status sab_points_hats(const sab_space *space, int nvertices, const int *vertex,
                           sab_points **points, sab_error *err);
void sab_points_destroy(sab_points **points);

#endif

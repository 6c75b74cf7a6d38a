/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/wall_points.h -- where walls with friction have their law [docs/theory.md, 4.13].
 *
 *     v = (-n.(u - U) ; t.(u - U)),   (v, r) in DP(mu_w, c_w, 0),   int (..) ds = sum_a m_a (..)_a
 *
 * The points are the P2 nodes of the wall, m_a n_a = int phi_a n ds; in space the nodes and the
 * middle of each face, with the rule of degree 3 that has them. A node where directions meet that
 * are 30 degrees or more apart, or different entries, has a point for each. */
#ifndef SAB_FEM_WALL_POINTS_H
#define SAB_FEM_WALL_POINTS_H

#include "fem/points.h"

typedef struct sab_wall_point {
    int entry;                     /* of the boundary */
    int n, place[SAB_SIDE_SHAPES]; /* the shape functions that it sees, as in a velocity vector; the
                                     first is its node */
    double shape[SAB_SIDE_SHAPES]; /* and their values */
    double x[SAB_DIM];
    double weight;                        /* m, measure included */
    double normal[SAB_DIM];               /* unit, outward */
    double tangent[SAB_DIM - 1][SAB_DIM]; /* unit; in the plane anticlockwise */
} sab_wall_point;

/* Velocities are divided by a length, so that they are rates like those of the bulk, and weights
 * multiplied by it: the law, u and r do not change, the scales of the methods do. */
typedef struct sab_wall_points {
    int n, dim;
    sab_wall_point *point; /* [n] in the order of entries, sides and nodes */
    double length;
    sab_points *at; /* s = dim, B, k and weights scaled by the length */
} sab_wall_points;

/* *walls NULL if no entry is a wall. A node whose normal velocity another entry gives has no point:
 * the pressure there is that of the other entry. SAB_ERR_INPUT: a side that is curved so much that
 * its middle node has no area. The caller owns *walls; k is 0 until sab_wall_points_give. */
sab_status sab_wall_points_create(const sab_space *space, const sab_dofs *dofs, int nboundaries,
                                  const sab_boundary *boundary, const int *group, double length,
                                  sab_wall_points **walls, sab_error *err);
void sab_wall_points_destroy(sab_wall_points **walls);
/* Velocity U [dim] of the wall at a point and time, along the wall. */
sab_status sab_wall_velocity(const sab_wall_points *walls, int i, const sab_boundary *boundary,
                             double t, double *U, sab_error *err);
/* k of what is prescribed, dofs and wall velocities at time t. */
sab_status sab_wall_points_give(sab_wall_points *walls, const sab_dofs *dofs,
                                const sab_boundary *boundary, double t, sab_error *err);
/* F += the forces of the wall on the grains, traction [n][dim] with components (N; T). entry: of
 * this one only; SAB_NOBODY: of all. */
void sab_wall_points_force(const sab_wall_points *walls, int entry, const double *traction,
                           double *F);

#endif

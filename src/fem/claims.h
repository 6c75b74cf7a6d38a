/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/claims.h -- what the boundary entries say at each node, before any of them is given way to.
 * Only fem/dofs.c and fem/settle.c look at it. Vectors have SAB_DIM components, those beyond the
 * dimension of the mesh are 0. */
#ifndef SAB_FEM_CLAIMS_H
#define SAB_FEM_CLAIMS_H

#include "base/error.h"
#include "fem/dofs.h"

#include <math.h>

/* Directions closer than this (30 degrees) count as the same wall. */
#define SAB_CORNER_SINE 0.5

typedef struct sab_claim {
    int entry;
    int next;                      /* claim on the same place, plus one; 0: the last */
    double size;                   /* its part of the boundary at the node, positive */
    double velocity[SAB_DIM];      /* of a velocity entry, where boundary.prescribed */
    double wall[SAB_DIM][SAB_DIM]; /* of a slip entry: normals, not of unit length, of one wall or
                                      of several that meet here, then zeros */
    double friction[SAB_DIM][SAB_DIM]; /* the same of a wall with friction */
} sab_claim;

/* A place is a node, or one of the `faces` sides that have a function; these follow the nodes, and
 * on them a claim has only its entry. */
typedef struct sab_claims {
    int *first; /* [nnodes + faces] claim, plus one; 0: the place is on no group */
    int n;
    sab_claim *claim; /* [n] on one place in the order of the entries */
    double speed;     /* the largest prescribed one: what is zero beside it is at rest */
    double axis;      /* sab_axis_reach */
    int most;         /* the largest number of claims on one place */
} sab_claims;

/* The caller owns *claims. */
sab_status sab_claims_create(const sab_mesh *mesh, const sab_geometry *geometry, int faces,
                             int nboundaries, const sab_boundary *boundary, const int *group,
                             double t, sab_claims **claims, sab_error *err);
void sab_claims_destroy(sab_claims **claims);

/* settle.c -- fill frames, values, owners, shares and concessions of dofs (its numbers are 0 where
 * free, -1 where held); dofs->share has room for all claims. SAB_ERR_INPUT as in sab_dofs_create.
 */
sab_status sab_claims_settle(const sab_claims *claims, const sab_mesh *mesh,
                             const sab_boundary *boundary, const int *group, sab_dofs *dofs,
                             sab_error *err);

static inline double sab_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double sab_length(const double *a)
{
    return hypot(hypot(a[0], a[1]), a[2]);
}
static inline void sab_cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < SAB_DIM; i++) {
        const int j = (i + 1) % SAB_DIM, k = (i + 2) % SAB_DIM;

        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}
static inline bool sab_is_wall(const double *wall)
{
    return wall[0] != 0.0 || wall[1] != 0.0 || wall[2] != 0.0;
}
/* Do two normals, of any lengths and signs, differ by less than 30 degrees? */
bool sab_same_wall(const double *a, const double *b);
/* Length of the part of v across the span of n directions. */
double sab_off_span(int n, double direction[SAB_DIM][SAB_DIM], const double *v);

#endif

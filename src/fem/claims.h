/* fem/claims.h -- what the boundary entries say at each node, before any of them is given way to.
 * Only fem/dofs.c and fem/settle.c look at it. */
#ifndef SAB_FEM_CLAIMS_H
#define SAB_FEM_CLAIMS_H

#include "base/error.h"
#include "fem/dofs.h"

/* Directions closer than this (30 degrees) count as the same wall. */
#define SAB_CORNER_SINE 0.5

typedef struct sab_claim {
    int entry;
    int next;           /* claim on the same node, plus one; 0: the last */
    double size;        /* its part of the boundary: lumped P2 mass of its sides at the node */
    double velocity[2]; /* of a velocity entry, where boundary.prescribed */
    double wall[2][2];  /* of a slip entry: int phi n of one wall, or of two that meet here */
} sab_claim;

typedef struct sab_claims {
    int *first; /* [nnodes] claim, plus one; 0: the node is on no group */
    int n;
    sab_claim *claim; /* [n] on one node in the order of the entries */
    double speed;     /* the largest prescribed one: what is zero beside it is at rest */
} sab_claims;

/* The caller owns *claims. */
sab_status sab_claims_create(const sab_mesh *mesh, const sab_geometry *geometry, int nboundaries,
                             const sab_boundary *boundary, const int *group, double t,
                             sab_claims **claims, sab_error *err);
void sab_claims_destroy(sab_claims **claims);
/* Add a normal, not of unit length, to the wall it belongs to: the first one unless it turns away
 * from that by 30 degrees and more. */
void sab_claim_add_normal(double wall[2][2], const double normal[2]);

/* settle.c -- fill frames, values, owners, shares and concessions of dofs (its numbers are 0 where
 * free, -1 where held); dofs->share has room for all claims. SAB_ERR_INPUT as in sab_dofs_create.
 */
sab_status sab_claims_settle(const sab_claims *claims, const sab_mesh *mesh,
                             const sab_boundary *boundary, const int *group, sab_dofs *dofs,
                             sab_error *err);

#endif

/* fem/inflow.h -- what a side that is open by a traction asks of material that comes in
 * [docs/theory.md, 3.4]:
 *
 *     t_effective = t + 1/2 (w.n)_- u,      (w.n)_- = min(w.n, 0),
 *     D(u, v) = int 1/2 |(w.n)_-| u.v       over these sides, on the left of the momentum balance,
 *
 * w a velocity known before u. D is symmetric, without a negative value, and within the pattern of
 * the strain blocks. The rule has four points per side, on the true curve. */
#ifndef SAB_FEM_INFLOW_H
#define SAB_FEM_INFLOW_H

#include "fem/space.h"

typedef struct sab_inflow {
    const sab_mesh *mesh; /* borrowed */
    int nsides;
    int *facet;           /* [nsides] */
    sab_blocks *N;        /* s = 2: velocity along the axes at the points; NULL without sides */
    sab_scatter *scatter; /* of N in A */
    double *coefficient;  /* [points] 1/2 |(w.n)_-| ds with the weight of the rule; 0 as created */
    double *C;            /* [points][2][2] workspace */
} sab_inflow;

/* open [nfacets of the mesh]: the sides, NULL if there are none; A has the pattern of the strain
 * blocks. The caller owns *inflow. */
sab_status sab_inflow_create(const sab_space *space, const sab_dofs *dofs, const bool *open,
                             const sab_sparse *A, sab_inflow **inflow, sab_error *err);
void sab_inflow_destroy(sab_inflow **inflow);
/* The coefficients of a velocity vector w; NULL: zero. True if any of them is another than before.
 */
bool sab_inflow_update(sab_inflow *inflow, const double *w);
/* A += D. */
void sab_inflow_assemble(sab_inflow *inflow, sab_sparse *A);
/* F -= D U, a force vector. */
void sab_inflow_force(const sab_inflow *inflow, const double *U, double *F);
/* D(U, U): the power that it takes. */
double sab_inflow_power(const sab_inflow *inflow, const double *U);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/inflow.h -- what a side that is open by a traction asks of material that comes in
 * [docs/theory.md, 3.4]:
 *
 *     t_effective = t + 1/2 (w.n)_- (u - m),      (w.n)_- = min(w.n, 0),
 *     D(u, v) = int 1/2 |(w.n)_-| u.v             over these sides,
 *
 * D(u - m, v) on the left of the momentum balance; w is a velocity known before u, and m its mean
 * over what enters through a part of the boundary, weighted by the flux:
 * m = int |(w.n)_-| w / int |(w.n)_-|. D is symmetric, without a negative value, and within the
 * pattern of the strain blocks. The rule of a side is that of its other integrals,
 * on the true curve or surface. */
#ifndef SAB_FEM_INFLOW_H
#define SAB_FEM_INFLOW_H

#include "fem/space.h"

typedef struct sab_inflow {
    const sab_space *space; /* borrowed */
    int nsides, nparts;
    int *facet, *part;    /* [nsides] */
    sab_blocks *N;        /* s = dim: velocity along the axes at the points; NULL without sides */
    sab_scatter *scatter; /* of N in A */
    double *coefficient;  /* [points] 1/2 |(w.n)_-| ds with the weight of the rule; 0 as created */
    double *mean;         /* [nparts][dim] m */
    double *C;            /* [points][dim][dim] workspace */
} sab_inflow;

/* part [nfacets of the mesh]: to which of nparts parts a side belongs, -1 if it is not open; NULL
 * if none is. A has the pattern of the strain blocks. The caller owns *inflow. */
sab_status sab_inflow_create(const sab_space *space, const sab_dofs *dofs, int nparts,
                             const int *part, const sab_sparse *A, sab_inflow **inflow,
                             sab_error *err);
void sab_inflow_destroy(sab_inflow **inflow);
/* The coefficients of a velocity vector w, NULL: zero, and its means. True if any coefficient is
 * another than before. */
bool sab_inflow_update(sab_inflow *inflow, const double *w);
/* A += D. */
void sab_inflow_assemble(sab_inflow *inflow, sab_sparse *A);
/* F -= D (U - m), a force vector. */
void sab_inflow_force(const sab_inflow *inflow, const double *U, double *F);
/* D(U - m, U): the power that it takes; *brought = D(m, U), which material that enters with the
 * mean velocity brings along. */
double sab_inflow_power(const sab_inflow *inflow, const double *U, double *brought);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/inertia.h -- what inertia adds to a flow (internal to flow) [docs/theory.md, 3.3].
 *
 *     Du/Dt ~ factor (u - w),   order 1: factor = 1/dt,     w = u^n o X
 *                               order 2: factor = 3/(2 dt), w = (4 u^n o X1 - u^(n-1) o X2)/3
 */
#ifndef SAB_FLOW_INERTIA_H
#define SAB_FLOW_INERTIA_H

#include "fem/inflow.h"
#include "fem/mass.h"
#include "fem/transport.h"
#include "flow/flow.h"

typedef struct sab_inertia {
    sab_mass *mass;
    sab_transport *transport;
    sab_inflow *inflow; /* at the sides that are open by a traction */
    double factor;      /* of the mass matrix in A */
    double length2;     /* l0^2 of the step r = 2 eta/Re + factor l0^2 */
    bool *open;         /* [nfacets] material may pass; */
    int *part;          /* [nfacets] of the boundary, where nobody gives a velocity; else -1 */
    double *b, *c;      /* [points of mass][dim] u^n o X1, u^(n-1) o X2 of order 2 */
    double *carried;    /* [points of mass][dim] w */
    double *prescribed; /* velocity vector of the prescribed part, as dofs has it */
    double *given;      /* [points of mass][dim] the same at the points */
    double *work;       /* [points of mass][dim] */
    size_t size;        /* of a velocity vector */
    double *velocity, *previous; /* velocity vectors after the last step, and the one before */
    double *weight;              /* force vector: gravity, */
    double *applied;             /* gravity and tractions */
    double stored;               /* E after the last step, as order 2 counts it (flow/ledger.h) */
    bool varies;                 /* they, or prescribed velocities, may depend on time, */
    bool law_varies;             /* or the law */
    sab_transport_report report; /* of the last step, all attempts */
    double cpu_carry;            /* of the last step */
} sab_inertia;

/* Mass and trajectories of a flow whose space, dofs and load are there; the initial velocity. */
sab_status sab_inertia_create(const sab_flow *flow, sab_inertia **inertia, sab_error *err);
void sab_inertia_destroy(sab_inertia **inertia);
/* b, c, w and factor of a step from `velocity`, `previous`. */
void sab_inertia_carry(sab_inertia *inertia, double dt, int order);
/* After several steps instead of one of length dt from `start`: what they leave to the next one. */
void sab_inertia_join(sab_inertia *inertia, const double *start, double dt);
/* The velocities prescribed, as dofs has them. */
void sab_inertia_prescribe(sab_inertia *inertia, const sab_flow *flow);
/* carried = factor int (w - u_D).v for the unknowns, and l = applied + the same - D(u_D, v); F is a
 * force vector for work. */
void sab_inertia_load(sab_inertia *inertia, const sab_flow *flow, double *F, double *carried,
                      double *l);
/* F = applied + factor int (w - U).v - D(U, v): the loads, with inertia as one of them. */
void sab_inertia_balance(sab_inertia *inertia, const sab_flow *flow, const double *U, double *F);

#endif

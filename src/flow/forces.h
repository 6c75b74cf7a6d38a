/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/forces.h -- the balance of forces of the whole body, and of the part of it above a height
 * [docs/theory.md, 4.8].
 *
 *     gravity = inertia + sum_e F_e,      F_e the force of the grains on boundary entry e,
 *
 * walls with friction, held and slipping sides and given tractions alike. Inertia is all of
 * int Du/Dt as the time scheme has it, the pull of open sides on what enters included: what the
 * material inside gains, and what leaves with the outflow beyond what enters. It holds to rounding
 * on every mesh and at every tolerance; about an axis along it only. */
#ifndef SAB_FLOW_FORCES_H
#define SAB_FLOW_FORCES_H

#include "flow/flow.h"

/* Rows of `total`: */
enum {
    SAB_FORCES_GRAVITY,
    SAB_FORCES_INERTIA,
    SAB_FORCES_OUTFLOW, /* oint u (u.n): the part of inertia that leaves */
    SAB_FORCES_ENTRIES  /* and from here on F_e */
};

typedef struct sab_forces {
    int dim, up, nnodes, nentries;     /* up: the axis that points upward, the last one */
    double *gravity, *inertia, *borne; /* [nnodes] nodal forces along it; borne: sum of the F_e */
    double *total;                     /* [SAB_FORCES_ENTRIES + nentries][dim] */
    double *work;                      /* a force vector */
} sab_forces;

sab_status sab_forces_create(const sab_flow *flow, sab_forces **forces, sab_error *err);
void sab_forces_destroy(sab_forces **forces);
/* Of the flow as it is, after a solve. */
sab_status sab_forces_update(sab_forces *forces, const sab_flow *flow, sab_error *err);

#endif

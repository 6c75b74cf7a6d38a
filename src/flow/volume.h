/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/volume.h -- where volume is made: the balance of what leaves and what comes in.
 *
 *     outflow - inflow = int div u = net = dilatancy + parting + barrier - compaction,
 *
 * exactly, for any velocity. Dilatancy is that of the law, and parting happens where grains carry
 * no stress; the other two are errors, of the tolerance [docs/theory.md, 7.8]. */
#ifndef SAB_FLOW_VOLUME_H
#define SAB_FLOW_VOLUME_H

#include "flow/flow.h"

typedef struct sab_volume {
    double outflow;    /* int (u.n)_+ over the boundary; all are of the whole body, 2 pi included */
    double net;        /* int div u */
    double dilatancy;  /* zeta |gamma_T| */
    double parting;    /* opening where grains carry no stress */
    double barrier;    /* opening elsewhere */
    double compaction; /* gamma_N below zeta |gamma_T| */
    double rate;       /* int 2|gamma|: a flow whose outflow is far below does not flow through */
} sab_volume;

/* Of the fields of the flow, which are a solution; `stress` is the scale of its certificate. */
sab_volume sab_flow_volume(const sab_flow *flow, double stress);

#endif

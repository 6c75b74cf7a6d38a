/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/march_flow.h -- a flow as something that marches (run/march.h). */
#ifndef SAB_RUN_MARCH_FLOW_H
#define SAB_RUN_MARCH_FLOW_H

#include "fem/transport.h"
#include "run/march.h"

/* The body of such a march. */
typedef struct sab_march_flow {
    sab_flow *flow;                 /* borrowed */
    sab_probes *probes;             /* borrowed */
    sab_transport_report transport; /* of all steps */
    double cpu_transport;
} sab_march_flow;

/* A march of a flow, with its probes. The caller owns *march. */
sab_status sab_march_flow_create(sab_flow *flow, sab_probes *probes,
                                 const sab_march_options *options, sab_march **march,
                                 sab_error *err);
/* The body of a march that was made so, borrowed. */
sab_march_flow *sab_march_flow_of(const sab_march *march);

#endif

/* flow/parts.h -- what flow.c and step.c share; nobody else includes it. */
#ifndef SAB_FLOW_PARTS_H
#define SAB_FLOW_PARTS_H

#include "flow/flow.h"

/* A for the present viscosity and inertia; l for the present loads and what inertia carries. */
void sab_flow_assemble_matrix(sab_flow *flow);
void sab_flow_assemble_load(sab_flow *flow);
/* Loads and prescribed velocities of time t. */
sab_status sab_flow_set_time(sab_flow *flow, double t, sab_error *err);
/* After restoring the state of another process: A as that one had it, so that a run which goes on
 * counts its factorisations like one that never stopped. */
void sab_flow_go_on(sab_flow *flow, const sab_flow_state *state);
/* Velocity and all fields from u and lambda. */
void sab_flow_update_fields(sab_flow *flow);
/* Work of `now` added to that of earlier programs; everything else is that of `now`. */
void sab_flow_add_work(sab_report *sum, const sab_report *now);

#endif

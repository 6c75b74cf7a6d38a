/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/assemble.h -- what flow.c and step.c share; beside them only bench/ includes it. */
#ifndef SAB_FLOW_ASSEMBLE_H
#define SAB_FLOW_ASSEMBLE_H

#include "flow/flow.h"

/* sab_flow_create on a space that is there already, borrowed until it succeeds and then moved;
 * NULL: on one of its own. */
sab_status sab_flow_build(const sab_flow_setup *setup, sab_space *space, sab_flow **flow,
                          sab_error *err);
/* A for the present viscosity and inertia; l for the present loads and what inertia carries. */
void sab_flow_assemble_matrix(sab_flow *flow);
void sab_flow_assemble_load(sab_flow *flow);
/* Loads and prescribed velocities of time t. */
sab_status sab_flow_set_time(sab_flow *flow, double t, sab_error *err);
/* Velocity and all fields from u and lambda. */
void sab_flow_update_fields(sab_flow *flow);

#endif

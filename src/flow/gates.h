/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/gates.h -- walls that are taken away at a time: open sides from then on
 * [docs/theory.md, 3.5] (internal to flow).
 *
 * Unknowns, pattern and walls with friction are other ones then: the flow becomes another flow in
 * the place of the first, with the same state. Times are multiples of setup.dt, so that a step ends
 * there. A state at the very time of a gate is that of the wall; the next step begins without. */
#ifndef SAB_FLOW_GATES_H
#define SAB_FLOW_GATES_H

#include "flow/flow.h"

/* flow->setup, given and own: the setup with all gates up to setup.opened taken away.
 * SAB_ERR_INPUT: a time that is no multiple of dt. */
sab_status sab_gates_setup(const sab_flow_setup *setup, sab_flow *flow, sab_error *err);
/* Take away what is due before the next step. */
sab_status sab_gates_open_due(sab_flow *flow, sab_error *err);
/* The walls that a state has whose time is `at`. */
sab_status sab_gates_match(sab_flow *flow, double at, sab_error *err);
/* Has one just been taken away: is the next step one from a new start? */
bool sab_gates_just_opened(const sab_flow *flow);

#endif

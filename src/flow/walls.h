/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/walls.h -- walls with friction in the program of a flow: their points follow those of the
 * material [docs/theory.md, 4.13] (internal to flow). Without walls all of these do nothing. */
#ifndef SAB_FLOW_WALLS_H
#define SAB_FLOW_WALLS_H

#include "flow/flow.h"

/* The program for the points of the space and of flow->walls, with its ranges. */
sab_status sab_flow_walls_program(sab_flow *flow, sab_error *err);
/* Friction, adhesion and weights at flow->time, and k of what moves. */
sab_status sab_flow_walls_set(sab_flow *flow, sab_error *err);
sab_status sab_flow_walls_move(sab_flow *flow, sab_error *err);
/* program->B, of the strain rates, gets the rows of the walls. */
sab_status sab_flow_walls_join(sab_flow *flow, sab_error *err);
/* Drag, and r: the mean of that of the material. */
void sab_flow_walls_apply(sab_flow *flow);
/* slip, traction and wall_force of (u, lambda). */
void sab_flow_walls_update(sab_flow *flow);
/* The directions along walls that drag holds. The caller frees the arrays. */
sab_status sab_flow_walls_held(const sab_flow *flow, sab_support *held, sab_error *err);

typedef struct sab_wall_powers {
    double contact;   /* sum m lambda.v, minus what friction takes */
    double friction;  /* sum m (c + mu lambda_N) |v_T| */
    double drag;      /* sum m beta |v_T|^2 */
    double delivered; /* sum m r.U, by walls that move */
} sab_wall_powers;
sab_wall_powers sab_flow_walls_powers(const sab_flow *flow);

#endif

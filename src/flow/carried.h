/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/carried.h -- numbers of the grains of a flow whose surface moves, from its carriers; without
 * the factor `whole` (internal to flow) [docs/theory.md, 3.5]. */
#ifndef SAB_FLOW_CARRIED_H
#define SAB_FLOW_CARRIED_H

#include "fem/probe.h"
#include "flow/flow.h"

/* value: dim numbers of a centre or a momentum, along the axis of a round body one; else one. */
void sab_carried_number(const sab_flow *flow, sab_carried what, double *value);
/* Mass that has left through a group of the mesh, or was fed there. */
double sab_carried_through(const sab_flow *flow, int group, bool fed);
/* The first coordinate below which the share `share` of the mass lies. */
sab_status sab_carried_front(const sab_flow *flow, double share, double *front, sab_error *err);
/* Mass over width (and depth; about an axis over r) in n equal parts of from[0] .. to[0]. */
void sab_carried_height(const sab_flow *flow, const double *from, const double *to, int n,
                        double *height);
/* Is element e empty? False if the surface does not move. */
bool sab_carried_void(const sab_flow *flow, int e);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/still_flow.h -- time steps of a flow without advection, as cone programs.
 *
 *     (u - u_prev)/dt - div[(2/Re) E_b D(u) - lambda] = e_g,  (D(u), lambda) in DP;  dt = 0:
 * creeping
 *
 * The programs are those of flow/; the steps are the benchmark's own, so that it measures the solver
 * alone. */
#ifndef SAB_BENCH_STILL_FLOW_H
#define SAB_BENCH_STILL_FLOW_H

#include "flow/flow.h"
#include "run/session.h"

/* The case with its overrides, meshed and assembled: creeping, or the first step from rest, of first
 * order. On failure too, close it. */
sab_status bench_open(const char *path, int noverrides, const char *const *override, double dt,
                      sab_session *session, sab_error *err);
/* A uniform number as the part of r due to inertia; 0: as it is, l0^2/dt. */
void bench_set_inertia(sab_flow *flow, double inertia);
/* The program of the step that follows a velocity, given at the points of the mass matrix
 * ([points][2]), or as unknowns u. Nothing to do if it creeps. */
void bench_follow_points(sab_flow *flow, const double *v);
void bench_follow(sab_flow *flow, const double *u);
/* q [n] such that the flux through a group is q.u plus *given. */
sab_status bench_flux(const sab_flow *flow, const char *group, double *q, double *given,
                      sab_error *err);

#endif

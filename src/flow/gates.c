/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/gates.h"
#include "base/memory.h"
#include "flow/assemble.h"
#include "flow/inertia.h"

#include <math.h>
#include <string.h>

/* When entry b opens, in units of dt; INFINITY: never. */
static double time_of(const sab_flow_setup *setup, int b)
{
    return setup->boundary[b].opens > 0.0 ? rint(setup->boundary[b].opens / setup->dt) : INFINITY;
}

sab_status sab_gates_setup(const sab_flow_setup *setup, sab_flow *flow, sab_error *err)
{
    sab_status status = SAB_OK;

    flow->setup = *setup;
    flow->given = setup->boundary;
    for (int b = 0; b < setup->nboundaries; b++) {
        const sab_boundary *at = &setup->boundary[b];
        const double when = time_of(setup, b);

        if (isfinite(when) && (when < 1.0 || fabs(when * setup->dt - at->opens) > 1e-9 * at->opens))
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "boundaries.%s.opens: %g is no whole number of steps of %g: %g or %g would be",
                     at->group, at->opens, setup->dt,
                     setup->dt * fmax(1.0, floor(at->opens / setup->dt)),
                     setup->dt * (floor(at->opens / setup->dt) + 1.0));
        if (!(when <= setup->opened))
            continue;
        if (flow->own == NULL) {
            SAB_NEW(flow->own, setup->nboundaries);
            memcpy(flow->own, setup->boundary, (size_t)setup->nboundaries * sizeof *flow->own);
            flow->setup.boundary = flow->own;
        }
        flow->own[b] = (sab_boundary){.group = at->group,
                                      .line = at->line,
                                      .has_traction = true,
                                      .opens = at->opens,
                                      .nover = at->nover,
                                      .over = at->over};
    }
cleanup:
    return status;
}

/* Are these points of walls the same one? */
static bool is_same(const sab_wall_point *a, const sab_wall_point *b)
{
    double along = 0.0;

    for (int i = 0; i < SAB_DIM; i++)
        along += a->normal[i] * b->normal[i];
    return a->entry == b->entry && a->place[0] == b->place[0] && along > 0.99;
}

/* The stresses of `from` where `to` has a point too: both lists are in the same order. */
static void keep_stress(const sab_flow *from, const sab_flow *to, double *lambda)
{
    const size_t s = (size_t)from->program->s, bulk = (size_t)from->space->npoints;
    const int old = from->walls != NULL ? from->walls->n : 0;

    memcpy(lambda, from->lambda, s * bulk * sizeof *lambda);
    for (int i = 0, k = 0; to->walls != NULL && i < to->walls->n; i++) {
        int at = k;

        while (at < old && !is_same(&from->walls->point[at], &to->walls->point[i]))
            at++;
        if (at == old)
            continue; /* a corner that the gate had held */
        memcpy(lambda + s * (bulk + (size_t)i), from->lambda + s * (bulk + (size_t)at),
               s * sizeof *lambda);
        k = at + 1;
    }
}

/* All gates up to `until`, and no others, are taken away; the state stays, unless another one comes
 * next. */
static sab_status open_until(sab_flow *flow, double until, bool stays, sab_error *err)
{
    sab_flow_setup setup = flow->setup;
    sab_flow_state state = sab_flow_get_state(flow);
    sab_flow *next = NULL;
    double *lambda = NULL;
    sab_status status = SAB_OK;

    setup.boundary = flow->given;
    setup.opened = until;
    SAB_TRY(sab_flow_build(&setup, flow->space, &next, err));
    if (stays) {
        state.nstress = sab_flow_get_state(next).nstress;
        SAB_NEW(lambda, state.nstress);
        keep_stress(flow, next, lambda);
        state.lambda = lambda;
        SAB_TRY(sab_flow_restore(next, &state, err));
    }
    next->cpu_assembly += flow->cpu_assembly;
    const sab_flow before = *flow;
    *flow = *next;
    *next = before;
cleanup:
    if (next != NULL)
        next->space = NULL; /* the other one has it */
    sab_flow_destroy(&next);
    SAB_FREE(lambda);
    return status;
}

/* The flow as given: what time_of asks. */
static sab_flow_setup given(const sab_flow *flow)
{
    sab_flow_setup setup = flow->setup;

    setup.boundary = flow->given;
    return setup;
}

sab_status sab_gates_open_due(sab_flow *flow, sab_error *err)
{
    const sab_flow_setup setup = given(flow);
    bool due = false;

    for (int b = 0; b < setup.nboundaries; b++)
        due = due || (time_of(&setup, b) > setup.opened && time_of(&setup, b) <= flow->at);
    return due ? open_until(flow, flow->at, true, err) : SAB_OK;
}

sab_status sab_gates_match(sab_flow *flow, double at, sab_error *err)
{
    const sab_flow_setup setup = given(flow);
    bool match = true;

    for (int b = 0; b < setup.nboundaries; b++) {
        const double when = time_of(&setup, b);

        match = match && (when <= setup.opened ? when <= at : when >= at);
    }
    return match ? SAB_OK : open_until(flow, ceil(at) - 1.0, false, err);
}

bool sab_gates_just_opened(const sab_flow *flow)
{
    const sab_flow_setup setup = given(flow);
    bool now = false;

    for (int b = 0; b < setup.nboundaries; b++)
        now = now || (time_of(&setup, b) == flow->at && flow->at <= setup.opened);
    return now;
}

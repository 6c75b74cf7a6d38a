/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/step.c -- one time step, and what to do when its program resists [docs/theory.md, 3.3]. */
#include "base/memory.h"
#include "flow/inertia.h"
#include "flow/law.h"
#include "flow/assemble.h"
#include "flow/gates.h"
#include "flow/pace.h"

#include <math.h>
#include <string.h>

/* A step that violates the law by more than this part of its power is no step: try smaller ones. */
static const double USELESS = 0.2;
enum { HALVINGS = 3 };

/* Is there no step before the next one that it could go on from? */
static bool starts(const sab_flow *flow)
{
    return flow->steps == 0 || sab_gates_just_opened(flow);
}

/* Has a step come far enough? Rest is the hardest state to start from, and whether an interior
 * point jams there is decided by little: the first step is tried again as soon as the solver misses
 * its tolerance. */
static bool is_solved(const sab_flow *flow, const sab_flow_report *report)
{
    return starts(flow) ? report->solve.reason == SAB_CONVERGED
                        : sab_certificate_violation(&report->solve.certificate) <= USELESS;
}

sab_flow_state sab_flow_get_state(const sab_flow *flow)
{
    const sab_inertia *inertia = flow->inertia;
    const double *velocity = inertia != NULL ? inertia->velocity : flow->fields->velocity;
    const sab_carriers *c = flow->surface != NULL ? flow->surface->carriers : NULL;
    const sab_feeder *f = flow->surface != NULL ? flow->surface->feeder : NULL;

    return (sab_flow_state){.steps = flow->steps,
                            .at = flow->at,
                            .level = flow->level,
                            .time = flow->time,
                            .natural = flow->natural,
                            .inertia = inertia != NULL ? inertia->factor : 0.0,
                            .stored = inertia != NULL ? inertia->stored : 0.0,
                            .factored = !flow->stale || flow->counted,
                            .nvelocity = sab_space_size(flow->space),
                            .nstress = (size_t)flow->program->npoints * (size_t)flow->program->s,
                            .npoints = (size_t)flow->space->npoints,
                            .velocity = velocity,
                            .previous = inertia != NULL ? inertia->previous : velocity,
                            .lambda = flow->lambda,
                            .eta = flow->law->eta,
                            .nu = flow->law->nu,
                            .ncarriers = c != NULL ? c->n : 0,
                            .nsides = c != NULL ? flow->setup.mesh->nfacets : 0,
                            .carrier = c != NULL ? c->at : NULL,
                            .left = c != NULL ? c->left : NULL,
                            .fed = c != NULL ? c->fed : NULL,
                            .nowed = f != NULL ? (size_t)f->n * (size_t)f->parts : 0,
                            .owed = f != NULL ? f->owed : NULL};
}

static void copy(double *to, const double *from, size_t n)
{
    if (to != from)
        memcpy(to, from, n * sizeof *to);
}

sab_status sab_flow_restore(sab_flow *flow, const sab_flow_state *state, sab_error *err)
{
    sab_status status = SAB_OK;

    if (flow->inertia != NULL)
        SAB_TRY(sab_gates_match(flow, state->at, err));
    const sab_flow_state own = sab_flow_get_state(flow);
    sab_inertia *inertia = flow->inertia;
    if (state->nvelocity == own.nvelocity && state->npoints == own.npoints &&
        state->nstress != own.nstress) {
        const size_t s = (size_t)flow->program->s;

        return sab_fail(err, SAB_ERR_INPUT,
                        "the state has %zu points on walls with friction, this flow %zu: other "
                        "boundaries",
                        state->nstress / s - state->npoints, own.nstress / s - own.npoints);
    }
    if (state->nvelocity != own.nvelocity || state->npoints != own.npoints)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the state has %zu velocities and %zu stresses, this flow %zu and %zu: "
                        "another mesh or element",
                        state->nvelocity, state->nstress, own.nvelocity, own.nstress);
    if (state->nowed != own.nowed)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the state is fed through %zu parts of sides, this flow through %zu",
                        state->nowed, own.nowed);
    if (state->nsides != own.nsides)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the surface moves in only one of the state and this flow, or the mesh has "
                        "other sides: %d there, %d here",
                        state->nsides, own.nsides);
    if (flow->surface != NULL)
        SAB_TRY(sab_surface_restore(flow->surface, state, err));
    copy(flow->lambda, state->lambda, own.nstress);
    if (inertia == NULL)
        return SAB_OK;
    flow->steps = state->steps;
    flow->at = state->at;
    flow->level = state->level;
    flow->natural = state->natural;
    inertia->stored = state->stored;
    copy(inertia->velocity, state->velocity, own.nvelocity);
    copy(inertia->previous, state->previous, own.nvelocity);
    copy(flow->law->eta, state->eta, own.npoints);
    copy(flow->law->nu, state->nu, own.npoints);
    SAB_TRY(sab_flow_set_time(flow, state->time, err));
    if (flow->surface != NULL)
        SAB_TRY(sab_surface_prepare(flow, sab_flow_length(flow), err));
    sab_flow_assemble_matrix(flow); /* the viscosity goes into the fields too */
    sab_space_take(flow->space, flow->dofs, inertia->velocity, flow->u);
    sab_flow_update_fields(flow);
cleanup:
    return status;
}

void sab_flow_go_on(sab_flow *flow, const sab_flow_state *state)
{
    flow->inertia->factor = state->inertia;
    if (flow->surface == NULL)
        sab_inflow_update(flow->inertia->inflow, state->steps > 0 ? flow->inertia->previous : NULL);
    sab_flow_assemble_matrix(flow);
    flow->counted = state->factored;
}

/* Room for a state, to come back to. */
typedef struct saved {
    sab_flow_state state;
    double *velocity, *previous, *lambda, *eta, *nu, *left, *fed, *owed;
    sab_carrier *carrier;
} saved;

static void saved_destroy(saved *s)
{
    SAB_FREE(s->velocity);
    SAB_FREE(s->previous);
    SAB_FREE(s->lambda);
    SAB_FREE(s->eta);
    SAB_FREE(s->nu);
    SAB_FREE(s->carrier);
    SAB_FREE(s->left);
    SAB_FREE(s->fed);
    SAB_FREE(s->owed);
}

static sab_status save(const sab_flow *flow, saved *s, sab_error *err)
{
    const sab_flow_state now = sab_flow_get_state(flow);
    sab_status status = SAB_OK;

    SAB_NEW(s->velocity, now.nvelocity);
    SAB_NEW(s->previous, now.nvelocity);
    SAB_NEW(s->lambda, now.nstress);
    SAB_NEW(s->eta, now.npoints);
    SAB_NEW(s->nu, now.npoints);
    copy(s->velocity, now.velocity, now.nvelocity);
    copy(s->previous, now.previous, now.nvelocity);
    copy(s->lambda, now.lambda, now.nstress);
    copy(s->eta, now.eta, now.npoints);
    copy(s->nu, now.nu, now.npoints);
    SAB_NEW(s->carrier, now.ncarriers);
    SAB_NEW(s->left, now.nsides);
    SAB_NEW(s->fed, now.nsides);
    SAB_NEW(s->owed, now.nowed);
    if (now.nsides > 0) {
        memcpy(s->carrier, now.carrier, (size_t)now.ncarriers * sizeof *s->carrier);
        copy(s->left, now.left, (size_t)now.nsides);
        copy(s->fed, now.fed, (size_t)now.nsides);
    }
    if (now.nowed > 0)
        copy(s->owed, now.owed, now.nowed);
    s->state = now;
    s->state.carrier = s->carrier;
    s->state.left = s->left;
    s->state.fed = s->fed;
    s->state.owed = s->owed;
    s->state.velocity = s->velocity;
    s->state.previous = s->previous;
    s->state.lambda = s->lambda;
    s->state.eta = s->eta;
    s->state.nu = s->nu;
cleanup:
    return status;
}

/* The larger of what the solver and the rate law have left open. */
static double misfit(const sab_flow_report *report)
{
    return fmax(sab_certificate_merit(&report->solve.certificate), report->rate_residual);
}

/* Would a cold start be the same solve again? So it would from rest, where there is no stress yet,
 * unless the solve changes the viscosity on its way. */
static bool is_cold(const sab_flow *flow)
{
    const size_t rows = (size_t)flow->program->npoints * (size_t)flow->program->s;
    bool cold = !flow->law->rated;

    for (size_t i = 0; cold && i < rows; i++)
        cold = flow->lambda[i] == 0.0;
    return cold;
}

/* Solve the program of the step: warm; if that misses its tolerance, cold, and the better one
 * counts. The velocity of the step is then in inertia->velocity, the one before in `previous`. */
static sab_status solve_step(sab_flow *flow, const sab_flow_observer *observer,
                             sab_flow_report *report, sab_error *err)
{
    const size_t rows = (size_t)flow->program->npoints * (size_t)flow->program->s;
    const size_t n = (size_t)flow->program->n, points = (size_t)flow->space->npoints;
    const bool was_cold = is_cold(flow);
    sab_flow_report cold;
    double *u = NULL, *lambda = NULL, *eta = NULL, *nu = NULL;
    sab_status status = SAB_OK;

    /* the solver starts from the last velocity: that of the state, so that a resume has the same */
    sab_space_take(flow->space, flow->dofs, flow->inertia->velocity, flow->u);
    SAB_TRY(sab_flow_solve(flow, observer, report, err));
    if (report->solve.reason == SAB_CONVERGED || report->missed.by == SAB_MISS_INFEASIBLE)
        goto cleanup; /* if the rate law has not, a cold start is no help */
    if (was_cold)
        goto cleanup; /* another one would go the same way */
    SAB_NEW(u, n);
    SAB_NEW(lambda, rows);
    SAB_NEW(eta, points);
    SAB_NEW(nu, points);
    copy(u, flow->u, n);
    copy(lambda, flow->lambda, rows);
    copy(eta, flow->law->eta, points);
    copy(nu, flow->law->nu, points);
    memset(flow->lambda, 0, rows * sizeof *flow->lambda);
    SAB_TRY(sab_flow_solve(flow, observer, &cold, err));
    const bool better = cold.converged || misfit(&cold) < misfit(report);
    if (!better) {
        copy(flow->u, u, n);
        copy(flow->lambda, lambda, rows);
        copy(flow->law->eta, eta, points);
        copy(flow->law->nu, nu, points);
        if (flow->law->rated)
            sab_flow_assemble_matrix(flow);
        flow->natural = report->solve.certificate.natural;
        sab_flow_update_fields(flow);
    }
    sab_flow_report *chosen = better ? &cold : report, *other = better ? report : &cold;
    sab_flow_add_work(&other->solve, &chosen->solve);
    chosen->solve = other->solve;
    *report = *chosen;
    report->retries = 1;
cleanup:
    SAB_FREE(u);
    SAB_FREE(lambda);
    SAB_FREE(eta);
    SAB_FREE(nu);
    return status;
}

/* One step of length dt from the present state. */
static sab_status advance(sab_flow *flow, double t, double dt, int order,
                          const sab_flow_observer *observer, sab_flow_report *report,
                          sab_error *err)
{
    sab_inertia *inertia = flow->inertia;
    const size_t size = sab_space_size(flow->space);
    const double factor = inertia->factor;
    sab_status status = SAB_OK;

    if (flow->surface != NULL)
        inertia->factor = 1.0 / dt;
    else
        sab_inertia_carry(inertia, dt, order);
    SAB_TRY(sab_flow_set_time(flow, t, err));
    if (flow->surface != NULL)
        SAB_TRY(sab_surface_prepare(flow, dt, err));
    /* the rate law of the step before: one program, and another only where its residual asks */
    SAB_TRY(sab_flow_law_refresh(flow->law, flow->fields->strain_rate, flow->lambda, 0.5, err));
    const bool inflow = flow->surface == NULL && /* carriers take their own with them */
                        sab_inflow_update(inertia->inflow, inertia->velocity);
    if (inflow || flow->surface != NULL || flow->law->rated || inertia->factor != factor)
        sab_flow_assemble_matrix(flow);
    sab_flow_assemble_load(flow);
    SAB_TRY(solve_step(flow, observer, report, err));
    copy(inertia->previous, inertia->velocity, size);
    copy(inertia->velocity, flow->fields->velocity, size);
    sab_inertia_balance(inertia, flow, inertia->velocity, flow->load);
    if (flow->surface != NULL) {
        SAB_TRY(sab_surface_move(flow, dt, &report->ledger, err));
        goto cleanup;
    }
    sab_ledger_take(flow, dt, order, &report->ledger);
    inertia->stored = sab_ledger_stored(flow);
cleanup:
    return status;
}

/* 2^halvings steps of first order instead of one. Stops at a useless one, *usable = false, unless
 * there is nothing left to try; an unsound sum is not usable either. */
static sab_status advance_in_parts(sab_flow *flow, double t, double length, int halvings,
                                   const saved *start, const sab_flow_observer *observer,
                                   sab_flow_report *report, bool *usable, sab_error *err)
{
    const int parts = 1 << halvings;
    const double dt = length / parts;
    sab_flow_report sum = *report;
    sab_limit missed = {SAB_MISS_NONE, 0.0};
    sab_ledger ledger = {0};
    sab_status status = SAB_OK;

    *usable = true;
    SAB_TRY(sab_flow_restore(flow, &start->state, err));
    for (int i = 1; i <= parts && *usable; i++) {
        SAB_TRY(advance(flow, i < parts ? t - length + i * dt : t, dt, 1, observer, report, err));
        report->retries += sum.retries + (i == 1);
        sab_ledger_add(&ledger, &report->ledger);
        sab_flow_add_work(&sum.solve, &report->solve);
        report->solve = sum.solve;
        sum = *report;
        if (missed.by == SAB_MISS_NONE)
            missed = report->missed;
        *usable = halvings == HALVINGS || is_solved(flow, report);
    }
    report->missed = missed;
    report->converged = missed.by == SAB_MISS_NONE;
    report->ledger = ledger;
    *usable = *usable && sab_ledger_is_sound(&ledger);
    if (flow->surface == NULL) {
        sab_inertia_join(flow->inertia, start->velocity, length);
        flow->inertia->stored = sab_ledger_stored(flow);
    }
cleanup:
    return status;
}

double sab_flow_length(const sab_flow *flow)
{
    return ldexp(flow->setup.dt, -flow->level);
}

/* A step may go farther than the limit by this factor: its level was chosen before it. */
static const double BEYOND = 1.25;

/* The level of the next step, or of this one of `level`, which may have gone too far: tried again
 * then, because a start from rest says nothing of what comes. */
static int find_level(const sab_flow *flow, int level, double limit)
{
    if (flow->setup.levels == 0)
        return 0;
    return sab_pace_next(flow->setup.levels, level, flow->at,
                         sab_carriers_courant(flow->surface->carriers, flow->setup.dt), limit);
}

/* One step of length dt/2^level, or parts of it. */
static sab_status take_step(sab_flow *flow, int level, const saved *start,
                            const sab_flow_observer *observer, sab_flow_report *report,
                            sab_error *err)
{
    const int order = starts(flow) ? 1 : flow->setup.order;
    const double length = ldexp(flow->setup.dt, -level);
    const double t = (start->state.at + ldexp(1.0, -level)) * flow->setup.dt;
    sab_status status = SAB_OK;

    SAB_TRY(advance(flow, t, length, order, observer, report, err));
    const bool infeasible = report->missed.by == SAB_MISS_INFEASIBLE; /* so are smaller steps */
    const bool solved = is_solved(flow, report);
    bool usable = infeasible || (solved && sab_ledger_is_sound(&report->ledger));
    for (int halvings = solved && order == 2 ? 0 : 1; !usable && halvings <= HALVINGS; halvings++)
        SAB_TRY(advance_in_parts(flow, t, length, halvings, start, observer, report, &usable, err));
cleanup:
    return status;
}

sab_status sab_flow_step(sab_flow *flow, const sab_flow_observer *observer, sab_flow_report *report,
                         sab_error *err)
{
    sab_flow_report tried;
    saved start = {0};
    sab_status status = SAB_OK;

    SAB_TRY(sab_gates_open_due(flow, err));
    int level = find_level(flow, flow->level, flow->setup.courant);
    SAB_TRY(save(flow, &start, err));
    flow->inertia->report = (sab_transport_report){0};
    flow->inertia->cpu_carry = 0.0;
    if (flow->surface != NULL) {
        flow->surface->report = (sab_transport_report){0};
        flow->surface->cpu = 0.0;
    }
    SAB_TRY(take_step(flow, level, &start, observer, report, err));
    for (int next; (next = find_level(flow, level, BEYOND * flow->setup.courant)) > level;) {
        level = next;
        tried = *report;
        SAB_TRY(sab_flow_restore(flow, &start.state, err));
        SAB_TRY(take_step(flow, level, &start, observer, report, err));
        sab_flow_add_work(&tried.solve, &report->solve);
        report->solve = tried.solve;
        report->retries += tried.retries + 1;
    }
    report->unsound = !sab_ledger_is_sound(&report->ledger);
    report->unstable = !sab_ledger_is_stable(&report->ledger);
    if (report->unsound && report->missed.by == SAB_MISS_NONE)
        report->missed = (sab_limit){SAB_MISS_ENERGY, sab_ledger_excess(&report->ledger)};
    report->converged = report->missed.by == SAB_MISS_NONE;
    flow->steps++;
    flow->at = start.state.at + ldexp(1.0, -level);
    flow->level = level;
cleanup:
    if (status == SAB_INTERRUPTED) {
        sab_error ignored = {0};
        if (sab_flow_restore(flow, &start.state, &ignored) == SAB_OK)
            sab_flow_go_on(flow, &start.state);
    }
    saved_destroy(&start);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/call.h"

#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Within so many tolerances a method that stalls does best to start again from where it is. */
static const double NEAR = 2.0;

sab_solver_options sab_solver_options_default(void)
{
    return (sab_solver_options){.method = SAB_METHOD_AUTO,
                                .tolerance = 3e-2,
                                .change_tolerance = 1e-2,
                                .max_iterations = 200,
                                .inner = 100,
                                .damping = 0.5,
                                .anderson = 8,
                                .linear = SAB_LINEAR_AUTO};
}

bool sab_method_can_iterate(sab_method method)
{
    return sab_method_table[method].family == SAB_FAMILY_FIRST_ORDER;
}

static sab_status check_linear(const sab_solver_options *o, sab_error *err)
{
    if (!(o->blr >= 0.0 && o->blr < 1.0) || (o->blr > 0.0 && o->linear == SAB_CHOLMOD))
        return sab_fail(err, SAB_ERR_INPUT,
                        "blocks of low rank are for MUMPS, to within a part from 0 to 1, not %g",
                        o->blr);
    if (o->linear == SAB_AMG && !sab_method_can_iterate(o->method))
        return sab_fail(err, SAB_ERR_INPUT,
                        "multigrid is for methods that solve with one matrix again and again, such "
                        "as dr-aa; %s is not one of them",
                        sab_method_table[o->method].name);
    return SAB_OK;
}

static sab_status check_options(const sab_solver_options *o, sab_error *err)
{
    if ((int)o->method < 0 || o->method >= SAB_METHOD_COUNT)
        return sab_fail(err, SAB_ERR_INPUT, "there is no solver method %d", (int)o->method);
    if (!(o->tolerance > 0.0 && o->change_tolerance > 0.0))
        return sab_fail(err, SAB_ERR_INPUT, "solver tolerances must be positive: %g and %g",
                        o->tolerance, o->change_tolerance);
    if (o->max_iterations < 1 || o->inner < 1 || o->anderson < 1)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the solver needs at least one iteration, inner step and column of memory: "
                        "%d, %d, %d",
                        o->max_iterations, o->inner, o->anderson);
    if (!(o->damping > 0.0 && o->damping <= 1.0))
        return sab_fail(err, SAB_ERR_INPUT, "the damping of Cadoux is in (0, 1], not %g",
                        o->damping);
    return check_linear(o, err);
}

sab_status sab_solver_create(const sab_solver_options *options, const sab_program *program,
                             sab_solver **solver, sab_error *err)
{
    const size_t rows = (size_t)program->npoints * (size_t)program->s;
    sab_status status = SAB_OK;
    sab_solver *sol = NULL;

    *solver = NULL;
    SAB_TRY(check_options(options, err));
    SAB_NEW(sol, 1);
    sol->options = *options;
    sol->linear = (sab_factor_options){.backend = options->linear,
                                       .ordering = options->ordering,
                                       .space = program->s == 6,
                                       .blr = options->blr,
                                       .direction = program->direction};
    sol->s = program->s;
    sol->npoints = program->npoints;
    sol->n = program->n;
    sol->bodies = sab_gauss_seidel_fits(program);
    SAB_NEW(sol->lambda, rows);
    SAB_NEW(sol->gamma, rows);
    SAB_NEW(sol->u, program->n);
    SAB_NEW(sol->given, program->n);
    SAB_NEW(sol->shift, program->npoints);
    SAB_TRY(sab_residual_create(program, &sol->residual, err));
    SAB_TRY(sab_factor_create(&sol->linear, program->A, &sol->factor, err));
    sol->linear.like = sol->factor; /* the matrices of the methods mostly have its pattern */
    *solver = sol;
    sol = NULL;
cleanup:
    sab_solver_destroy(&sol);
    return status;
}

void sab_solver_destroy(sab_solver **solver)
{
    sab_solver *sol = *solver;

    if (sol == NULL)
        return;
    sab_factor_destroy(&sol->factor);
    sab_first_order_destroy(&sol->iteration);
    for (int i = 0; i < SAB_METHOD_COUNT; i++)
        sab_ipm_destroy(&sol->ipm[i]);
    sab_gauss_seidel_destroy(&sol->gs);
    sab_residual_destroy(&sol->residual);
    SAB_FREE(sol->lambda);
    SAB_FREE(sol->gamma);
    SAB_FREE(sol->u);
    SAB_FREE(sol->given);
    SAB_FREE(sol->shift);
    SAB_FREE(*solver);
}

int sab_solver_iterations(const sab_solver *solver)
{
    const sab_factor *split =
        solver->iteration != NULL ? sab_first_order_factor(solver->iteration) : NULL;

    return sab_factor_get_info(solver->factor).iterations +
           (split != NULL ? sab_factor_get_info(split).iterations : 0);
}

const sab_factor *sab_solver_factor(const sab_solver *solver)
{
    return solver->factor;
}

sab_status sab_solver_unresisted(sab_solver *solver, const sab_program *program, double *u,
                                 double *gamma, sab_error *err)
{
    sab_status status = SAB_OK;

    solver->factored = false;
    SAB_TRY(sab_factor_update(solver->factor, program->A, err));
    memset(solver->lambda, 0, (size_t)solver->npoints * (size_t)solver->s * sizeof(double));
    SAB_TRY(sab_program_respond(program, solver->factor, solver->lambda, u, gamma, err));
cleanup:
    return status;
}

/* What the plan depends on; at_rest is not known before the start has been certified. */
static sab_facts gather_facts(const sab_solver *sol, const sab_program *p, const double *lambda,
                              const double *u)
{
    sab_facts f = {.tolerance = sol->options.tolerance,
                   .convex = sab_program_is_convex(p),
                   .inertial = p->inertial,
                   .soft = p->bulk < 1.0,
                   .safe = p->r_is_safe,
                   .follows = p->rate != NULL,
                   .bodies = sol->bodies,
                   .unknowns = p->n};

    for (int q = 0; q < p->npoints; q++)
        f.excess = fmax(f.excess, p->friction[q] - p->dilatancy[q]);
    for (int i = 0; i < p->npoints * p->s && !f.warm; i++)
        f.warm = lambda[i] != 0.0;
    for (int i = 0; i < p->n && !f.moving; i++)
        f.moving = u[i] != 0.0;
    return f;
}

/* Factor A if it has new values, and take the scales of the program. */
static sab_status prepare(sab_solver *solver, const sab_program *program, bool new_values,
                          sab_error *err)
{
    sab_status status = SAB_OK;

    assert(program->s == solver->s && program->npoints == solver->npoints &&
           program->n == solver->n);
    if (new_values || !solver->factored) {
        solver->factored = solver->measured = solver->split = false;
        SAB_TRY(sab_factor_update(solver->factor, program->A, err));
        solver->factored = true;
    }
    sab_solver_set_accuracy(solver, 0.0);
    sab_gauss_seidel_destroy(&solver->gs); /* B may have changed too */
    SAB_TRY(sab_residual_refer(solver->residual, program, solver->factor, err));
cleanup:
    return status;
}

sab_status sab_solver_certify(sab_solver *solver, const sab_program *program, bool new_values,
                              double *lambda, double *u, sab_report *report, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_call call = {.solver = solver, .report = report, .at_start = sab_solver_work(solver)};

    memset(report, 0, sizeof *report);
    SAB_TRY(prepare(solver, program, new_values, err));
    SAB_TRY(sab_residual_certify(solver->residual, program, solver->factor, lambda, u,
                                 &report->certificate, err));
    report->reason = sab_certificate_meets(&report->certificate, solver->options.tolerance)
                         ? SAB_CONVERGED
                         : SAB_STALLED;
    sab_call_report(&call);
cleanup:
    return status;
}

sab_limit sab_report_missed(const sab_report *report, double tolerance)
{
    const sab_limit worst = sab_certificate_missed(&report->certificate, tolerance);

    if (report->reason == SAB_CONVERGED)
        return (sab_limit){SAB_MISS_NONE, worst.value};
    if (report->reason == SAB_INFEASIBLE)
        return (sab_limit){SAB_MISS_INFEASIBLE, report->distance};
    return worst.by != SAB_MISS_NONE ? worst : (sab_limit){SAB_MISS_CHANGE, report->change};
}

/* Make the answer of a law nearer to the associated one the current iterate: from nothing an
 * interior point gets there where the law itself jams, and from there to the law itself
 * [docs/theory.md, 6.7]. What the way there misses does not matter. An iterate that is NEAR the
 * tolerance is a better start, and stays. */
static sab_status relax(sab_call *call, sab_stage *stage, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_stage cold = {.method = SAB_METHOD_IPM_EXACT, .start = SAB_START_COLD};
    const size_t points = (size_t)sol->npoints, rows = points * (size_t)sol->s;
    sab_program relaxed = *call->program; /* borrowed, but for zeta */
    sab_report report = *call->report;
    sab_call way = *call;
    sab_status status = SAB_OK;

    if (sab_certificate_meets(&call->best, NEAR * sol->options.tolerance)) {
        stage->start = SAB_START_BEST;
        return SAB_OK;
    }
    relaxed.dilatancy = way.lambda = way.u = NULL;
    way.program = &relaxed;
    way.report = &report;
    way.any = false;
    SAB_NEW(relaxed.dilatancy, points);
    SAB_NEW(way.lambda, rows);
    SAB_NEW(way.u, (size_t)sol->n);
    for (size_t q = 0; q < points; q++) { /* mu - zeta half as large, and unfolded */
        const double mu = call->program->friction[q], zeta = call->program->dilatancy[q];

        relaxed.dilatancy[q] = mu - fmin(0.5 * (mu - zeta), SAB_UNFOLDED);
    }
    memset(sol->lambda, 0, rows * sizeof *sol->lambda);
    SAB_TRY(sab_call_certify(&way, cold.method, err));
    SAB_TRY(sab_stage_run(&way, &cold, err));
    memcpy(sol->lambda, way.lambda, rows * sizeof *sol->lambda);
    SAB_TRY(sab_call_certify(call, cold.method, err));
    call->tight = true; /* as from any stress that is given */
cleanup:
    SAB_FREE(relaxed.dilatancy);
    SAB_FREE(way.lambda);
    SAB_FREE(way.u);
    return status;
}

/* The same stage from the same iterate goes the same way. */
static bool repeats(const sab_stage *a, const sab_stage *b)
{
    return a->method == b->method && a->start == b->start && a->lift == b->lift;
}

/* Of a stage after `before`: the best iterate, or nothing if it is sweeps that start cold. */
static sab_status set_start(sab_call *call, sab_method before, const sab_stage *stage,
                            sab_error *err)
{
    sab_solver *sol = call->solver;

    if (stage->start != SAB_START_COLD || sab_method_is_ipm(stage->method))
        return sab_call_best(call, before, err);
    memset(sol->lambda, 0, (size_t)sol->npoints * (size_t)sol->s * sizeof *sol->lambda);
    return sab_call_certify(call, stage->method, err);
}

/* One stage after the other, from where the one before has stalled, until one ends otherwise. */
static sab_status run_plan(sab_call *call, const sab_plan *plan, sab_error *err)
{
    sab_report *report = call->report;
    sab_stage stage = plan->stage[0];
    bool used = false, done = false;
    sab_status status = SAB_OK;

    call->tight = plan->tight;
    SAB_TRY(sab_call_accept(call, stage.method, &done, err));
    if (!done && plan->predictor)
        SAB_TRY(sab_stage_predict(call, &used, &done, err));
    if (used)
        stage = plan->predicted;
    for (int i = 0; !done; i++) {
        const sab_certificate begin = call->best;

        if (i > 0) {
            SAB_TRY(set_start(call, stage.method, &plan->stage[i], err));
            stage = plan->stage[i];
        }
        if (stage.relaxed)
            SAB_TRY(relax(call, &stage, err));
        SAB_TRY(sab_stage_run(call, &stage, err));
        while (i + 1 < plan->n && repeats(&stage, &plan->stage[i + 1]) &&
               call->best.natural == begin.natural && call->best.gap == begin.gap)
            i++;
        const bool last = i == plan->n - 1 || report->reason != SAB_STALLED;
        if (report->reason != SAB_CONVERGED)
            SAB_TRY(sab_call_explain(call, last, err));
        done = last || report->reason == SAB_INFEASIBLE;
    }
cleanup:
    return status;
}

sab_status sab_solver_run(sab_solver *solver, const sab_program *program, bool new_values,
                          double *lambda, double *u, const sab_solve_observer *observer,
                          sab_report *report, sab_error *err)
{
    sab_facts facts = gather_facts(solver, program, lambda, u);
    sab_status status = SAB_OK;
    sab_call call = {.solver = solver,
                     .program = program,
                     .observer = observer,
                     .report = report,
                     .lambda = lambda,
                     .u = u,
                     .at_start = sab_solver_work(solver)};

    memset(report, 0, sizeof *report);
    SAB_TRY(prepare(solver, program, new_values, err));
    memcpy(solver->given, u, (size_t)solver->n * sizeof *u);
    SAB_TRY(sab_call_start(&call, err));
    facts.at_rest = call.current.at_rest;
    const sab_plan plan = sab_auto_plan(solver->options.method, &facts);
    call.best_method = plan.stage[0].method;
    SAB_TRY(run_plan(&call, &plan, err));
cleanup:
    if (status == SAB_OK || status == SAB_INTERRUPTED) {
        report->method = call.best_method;
        report->certificate = call.best;
        sab_call_report(&call);
    }
    return status;
}

#include "solve/solve.h"

#include "base/memory.h"
#include "base/timer.h"
#include "cone/cone.h"
#include "solve/first_order.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A method has stalled when the best iterate has not improved to `factor` times its measure within
 * `window` outer iterations. */
typedef struct patience {
    int window;
    double factor;
} patience;
static const patience last_method = {40, 0.99}, first_of_two = {6, 0.8};

#define INNER_TARGET 0.2 /* of the natural residual of the last certificate */

const sab_method_entry sab_method_table[SAB_METHOD_COUNT] = {
    [SAB_METHOD_AUTO] = {"auto", "apgd if the law is associated; else pg-aa, and cadoux-apgd from "
                                 "its best iterate if it stalls"},
    [SAB_METHOD_PG] = {"pg", "projected gradient"},
    [SAB_METHOD_PG_AA] = {"pg-aa", "projected gradient with safeguarded Anderson acceleration"},
    [SAB_METHOD_APGD] = {"apgd", "projected gradient with Nesterov acceleration and restart"},
    [SAB_METHOD_ASPG] = {"aspg", "Nesterov acceleration with Barzilai-Borwein steps"},
    [SAB_METHOD_CADOUX_PG] = {"cadoux-pg", "convex programs with a damped shift, each by pg"},
    [SAB_METHOD_CADOUX_APGD] = {"cadoux-apgd", "convex programs with a damped shift, each by apgd"},
    [SAB_METHOD_CADOUX_ASPG] = {"cadoux-aspg", "convex programs with a damped shift, each by aspg"},
};

static sab_step_kind step_kind(sab_method method)
{
    switch (method) {
    case SAB_METHOD_PG:
    case SAB_METHOD_CADOUX_PG:
        return SAB_STEP_PG;
    case SAB_METHOD_ASPG:
    case SAB_METHOD_CADOUX_ASPG:
        return SAB_STEP_ASPG;
    case SAB_METHOD_PG_AA:
        return SAB_STEP_ANDERSON;
    default:
        return SAB_STEP_APGD;
    }
}

static bool is_cadoux(sab_method method)
{
    return method == SAB_METHOD_CADOUX_PG || method == SAB_METHOD_CADOUX_APGD ||
           method == SAB_METHOD_CADOUX_ASPG;
}

sab_solver_options sab_solver_options_default(void)
{
    return (sab_solver_options){.method = SAB_METHOD_AUTO,
                                .tolerance = 3e-2,
                                .change_tolerance = 1e-2,
                                .max_iterations = 200,
                                .inner = 50,
                                .damping = 0.5,
                                .anderson = 8,
                                .linear = SAB_CHOLMOD};
}

struct sab_solver {
    sab_solver_options options;
    int s, npoints, n;
    bool factored;
    sab_factor *factor;
    sab_residual *residual;
    sab_first_order *iteration;
    double *lambda, *u; /* current iterate; the best one is in the caller's arrays */
    double *gamma;      /* [npoints][s] strain rate of the certificate before */
    double *shift;      /* [npoints] s of Cadoux */
};

/* One call of sab_solver_run. */
typedef struct solver_run {
    sab_solver *solver;
    const sab_program *program;
    const sab_solve_observer *observer;
    sab_report *report;
    double *lambda, *u; /* best iterate, the caller's arrays */
    sab_certificate best;
    sab_method best_method;
    sab_certificate current;
    sab_factor_info at_start;
    double cpu_start, cones_start;
} solver_run;

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
    return SAB_OK;
}

sab_status sab_solver_create(const sab_solver_options *options, const sab_program *program,
                             sab_solver **solver, sab_error *err)
{
    const bool anderson = options->method == SAB_METHOD_PG_AA || options->method == SAB_METHOD_AUTO;
    const size_t rows = (size_t)program->npoints * (size_t)program->s;
    sab_status status = SAB_OK;
    sab_solver *sol = NULL;

    *solver = NULL;
    SAB_TRY(check_options(options, err));
    SAB_NEW(sol, 1);
    sol->options = *options;
    sol->s = program->s;
    sol->npoints = program->npoints;
    sol->n = program->n;
    SAB_NEW(sol->lambda, rows);
    SAB_NEW(sol->gamma, rows);
    SAB_NEW(sol->u, program->n);
    SAB_NEW(sol->shift, program->npoints);
    SAB_TRY(sab_residual_create(program, &sol->residual, err));
    SAB_TRY(
        sab_first_order_create(program, anderson ? options->anderson : 0, &sol->iteration, err));
    SAB_TRY(sab_factor_create(options->linear, program->A, &sol->factor, err));
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
    sab_residual_destroy(&sol->residual);
    SAB_FREE(sol->lambda);
    SAB_FREE(sol->gamma);
    SAB_FREE(sol->u);
    SAB_FREE(sol->shift);
    SAB_FREE(*solver);
}

const sab_factor *sab_solver_factor(const sab_solver *solver)
{
    return solver->factor;
}

/* s <- (1 - theta) s + theta (mu - zeta)|gamma_T| [docs/theory.md, 5] */
static void update_shift(const sab_program *p, double theta, const double *gamma, double *shift)
{
    for (int q = 0; q < p->npoints; q++)
        shift[q] +=
            theta * ((p->friction[q] - p->dilatancy[q]) * sab_cone_norm_t(p->s, gamma + q * p->s) -
                     shift[q]);
}

/* |a - b|_M / |a|_M of strain rates; 0 when both vanish */
static double relative_change(const sab_program *p, const double *a, const double *b)
{
    double change = 0.0, scale = 0.0;

    for (int q = 0; q < p->npoints; q++)
        for (int i = q * p->s; i < (q + 1) * p->s; i++) {
            change += p->weight[q] * (a[i] - b[i]) * (a[i] - b[i]);
            scale += p->weight[q] * a[i] * a[i];
        }
    return change > 0.0 ? sqrt(change / scale) : 0.0;
}

static void fill_report(solver_run *run)
{
    const sab_factor_info now = sab_factor_get_info(run->solver->factor);
    sab_report *r = run->report;

    r->factorisations = now.updates - run->at_start.updates;
    r->solves = now.solves - run->at_start.solves;
    r->cpu_factorisation = now.total_update_cpu - run->at_start.total_update_cpu;
    r->cpu_solve = now.total_solve_cpu - run->at_start.total_solve_cpu;
    r->cpu_one_factorisation = now.update_cpu;
    r->cpu_cones = sab_first_order_cone_cpu(run->solver->iteration) - run->cones_start;
    r->cpu_total = sab_cpu_seconds() - run->cpu_start;
}

/* Is a better than b, the measure being `factor` times smaller at least? Merits beyond 0.2 say only
 * "not yet" (and stay there while a body comes to rest, D falling with the gap): among those the
 * natural residual decides. */
static bool better(const sab_certificate *a, const sab_certificate *b, double factor)
{
    const double ma = sab_certificate_merit(a), mb = sab_certificate_merit(b);
    const bool a_counts = ma < 0.2, b_counts = mb < 0.2;

    if (a_counts != b_counts)
        return a_counts;
    return a_counts ? ma < factor * mb : a->natural < factor * b->natural;
}

/* Measure the current iterate; keep it if it is the best. */
static sab_status certify(solver_run *run, sab_method method, sab_error *err)
{
    sab_solver *sol = run->solver;
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    sab_status status;

    status = sab_residual_certify(sol->residual, run->program, sol->factor, sol->lambda, sol->u,
                                  &run->current, err);
    if (status != SAB_OK)
        return status;
    if (run->best_method == SAB_METHOD_AUTO || /* the first */
        better(&run->current, &run->best, 1.0)) {
        memcpy(run->lambda, sol->lambda, rows * sizeof *run->lambda);
        memcpy(run->u, sol->u, (size_t)sol->n * sizeof *run->u);
        run->best = run->current;
        run->best_method = method;
    }
    return SAB_OK;
}

/* Certify the start. From lambda = 0 look first whether the body can simply rest: -R gamma(0) is
 * the smallest stress that balances the load (exactly so for creeping flow, b = 1), and a constant
 * pressure, which makes it admissible, does no work in a closed box. There the projections of the
 * methods would have to pump that pressure up. Elsewhere the trial does not rest and is dropped. */
static sab_status certify_start(solver_run *run, sab_method method, sab_error *err)
{
    sab_solver *sol = run->solver;
    const sab_program *p = run->program;
    const int s = p->s;
    const size_t rows = (size_t)sol->npoints * (size_t)s;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    double pressure = 0.0;
    sab_certificate trial;
    sab_status status = SAB_OK;

    memcpy(sol->lambda, run->lambda, rows * sizeof *run->lambda);
    SAB_TRY(certify(run, method, err));
    for (size_t i = 0; i < rows; i++)
        if (sol->lambda[i] != 0.0)
            return SAB_OK;
    if (run->current.at_rest)
        return SAB_OK;
    for (int q = 0; q < p->npoints; q++) {
        double *x = sol->lambda + q * s;
        for (int i = 0; i < s; i++)
            x[i] = -p->step[q] * gamma[q * s + i];
        const double over = sab_cone_norm_t(s, x) - p->yield[q];
        const double least = over > 0.0 && p->friction[q] > 0.0 ? over / p->friction[q] : 0.0;
        pressure = fmax(pressure, least - x[0]);
    }
    for (int q = 0; q < p->npoints; q++)
        sol->lambda[q * s] += pressure;
    SAB_TRY(sab_residual_certify(sol->residual, p, sol->factor, sol->lambda, sol->u, &trial, err));
    if (!trial.at_rest)
        memset(sol->lambda, 0, rows * sizeof *sol->lambda);
    SAB_TRY(certify(run, method, err));
cleanup:
    return status;
}

/* Outer iterations of one method from the current iterate, which has been certified. Leaves
 * report->reason. */
static sab_status run_method(solver_run *run, sab_method method, patience wait, sab_error *err)
{
    sab_solver *sol = run->solver;
    const sab_program *p = run->program;
    const sab_solver_options *o = &sol->options;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    /* a convex program has s = 0, and Cadoux is one program: do not restart it */
    const bool cadoux = is_cadoux(method) && !sab_program_is_convex(p);
    sab_certificate mark = run->best;
    int since = 0;
    sab_status status = SAB_OK;

    run->report->reason = SAB_MAX_ITERATIONS;
    if (cadoux)
        update_shift(p, 1.0, gamma, sol->shift);
    sab_first_order_start(sol->iteration, sol->lambda, gamma);
    while (run->report->outer < o->max_iterations) {
        run->report->outer++;
        memcpy(sol->gamma, gamma, rows * sizeof *gamma);
        SAB_TRY(sab_first_order_run(
            sol->iteration, step_kind(method), p, sol->factor, cadoux ? sol->shift : NULL, o->inner,
            fmax(INNER_TARGET * run->current.natural, 1e-14 * run->current.stress), sol->lambda,
            &run->report->inner, err));
        SAB_TRY(certify(run, method, err));
        run->report->method = method;
        run->report->certificate = run->current;
        run->report->change = relative_change(p, gamma, sol->gamma);
        fill_report(run);
        if (run->observer != NULL && !run->observer->row(run->observer->data, run->report))
            SAB_TRY(sab_fail(err, SAB_INTERRUPTED, "the solver was stopped after %d iterations",
                             run->report->outer));
        if (sab_certificate_meets(&run->current, o->tolerance) &&
            (run->current.at_rest || run->report->change <= o->change_tolerance)) {
            run->report->reason = SAB_CONVERGED;
            break;
        }
        since++;
        if (better(&run->best, &mark, wait.factor)) {
            mark = run->best;
            since = 0;
        }
        if (since >= wait.window) {
            run->report->reason = SAB_STALLED;
            break;
        }
        if (cadoux) {
            update_shift(p, o->damping, gamma, sol->shift);
            sab_first_order_start(sol->iteration, sol->lambda, gamma);
        }
    }
cleanup:
    return status;
}

sab_status sab_solver_run(sab_solver *solver, const sab_program *program, bool new_values,
                          double *lambda, double *u, const sab_solve_observer *observer,
                          sab_report *report, sab_error *err)
{
    const size_t rows = (size_t)solver->npoints * (size_t)solver->s;
    const sab_method method = solver->options.method;
    sab_status status = SAB_OK;
    solver_run run = {.solver = solver,
                      .program = program,
                      .observer = observer,
                      .report = report,
                      .lambda = lambda,
                      .u = u,
                      .best_method = SAB_METHOD_AUTO,
                      .at_start = sab_factor_get_info(solver->factor),
                      .cpu_start = sab_cpu_seconds(),
                      .cones_start = sab_first_order_cone_cpu(solver->iteration)};

    assert(program->s == solver->s && program->npoints == solver->npoints &&
           program->n == solver->n);
    memset(report, 0, sizeof *report);
    if (new_values || !solver->factored) {
        solver->factored = false;
        SAB_TRY(sab_factor_update(solver->factor, program->A, err));
        SAB_TRY(sab_first_order_measure(solver->iteration, program, solver->factor, err));
        solver->factored = true;
    }
    SAB_TRY(sab_residual_refer(solver->residual, program, solver->factor, err));
    const bool convex = sab_program_is_convex(program);
    const bool two = method == SAB_METHOD_AUTO && !convex;
    const sab_method first = method != SAB_METHOD_AUTO ? method
                             : convex                  ? SAB_METHOD_APGD
                                                       : SAB_METHOD_PG_AA;
    SAB_TRY(certify_start(&run, first, err));
    SAB_TRY(run_method(&run, first, two ? first_of_two : last_method, err));
    if (two && report->reason == SAB_STALLED) { /* go on from the best iterate */
        memcpy(solver->lambda, lambda, rows * sizeof *lambda);
        SAB_TRY(certify(&run, first, err));
        SAB_TRY(run_method(&run, SAB_METHOD_CADOUX_APGD, last_method, err));
    }
cleanup:
    if (status == SAB_OK || status == SAB_INTERRUPTED) {
        report->method = run.best_method;
        report->certificate = run.best;
        fill_report(&run);
    }
    return status;
}

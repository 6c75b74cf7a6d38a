#include "solve/solve.h"

#include "base/memory.h"
#include "base/timer.h"
#include "cone/cone.h"
#include "solve/auto.h"
#include "solve/elastic.h"
#include "solve/first_order.h"
#include "solve/ipm.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A method has stalled when the best iterate has not improved to `factor` times its measure within
 * `window` outer iterations. */
typedef struct patience {
    int window;
    double factor;
} patience;
static const patience first_order = {40, 0.99}, interior_point = {15, 0.9};

/* A jam of an interior point: that many steps in a row below that length, once a step was longer
 * than UNDER_WAY or JAM_START are taken. */
static const double JAM_STEP = 0.1, UNDER_WAY = 0.5;
/* The search for an admissible motion: stiffness of the elastic program, and its start, relative to
 * the natural residual of the unresisted flow: from far outside the interior point never jams. */
static const double STIFFNESS = 1e12, LARGE = 1e6;
enum { JAM = 3, JAM_START = 12, PREDICTOR_STEPS = 20, MOTION_STEPS = 25 };

/* A certificate so much better than asked for is accepted although the flow still changes, by no
 * more than MOST_CHANGE times what it may, if the LONG_GOOD ones before were good enough: most
 * flows do come to an end, and then are better; and one that changes by its own size is no answer.
 */
static const double EXCELLENT = 0.1, MOST_CHANGE = 3.0;
enum { LONG_GOOD = 5 };

static const double NOT_YET = 0.2;
#define INNER_TARGET 0.2 /* of the natural residual of the last certificate */

sab_solver_options sab_solver_options_default(void)
{
    return (sab_solver_options){.method = SAB_METHOD_AUTO,
                                .tolerance = 3e-2,
                                .change_tolerance = 1e-2,
                                .max_iterations = 200,
                                .inner = 100,
                                .damping = 0.5,
                                .anderson = 8,
                                .linear = SAB_CHOLMOD};
}

struct sab_solver {
    sab_solver_options options;
    sab_factor_options linear; /* of all factors */
    int s, npoints, n;
    bool factored;
    bool measured; /* the first-order step, for this factor */
    bool split;    /* Douglas-Rachford is prepared, likewise */
    sab_factor *factor;
    sab_residual *residual;
    sab_first_order *iteration;     /* made when a first-order method runs */
    sab_ipm *ipm[SAB_METHOD_COUNT]; /* likewise */
    sab_work done;      /* iterations, and the work of interior points that are no more */
    double *lambda, *u; /* current iterate; the best one is in the caller's arrays */
    double *given;      /* [n] velocity that the caller starts from */
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
    bool any;           /* iterate so far: then this is */
    sab_certificate best;
    sab_method best_method;
    sab_certificate current;
    bool tight;           /* interior points hold the volume on their way */
    sab_work at_start;    /* work of earlier runs */
    sab_certificate own;  /* best of the method, */
    sab_certificate mark; /* the same when it had last improved enough, */
    int since;            /* and outer iterations since then; -1: none yet */
    int good;             /* iterations in a row whose certificate met the tolerance */
    sab_ipm *follower;    /* the interior point that follows the rate law, or NULL */
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
    const size_t rows = (size_t)program->npoints * (size_t)program->s;
    sab_status status = SAB_OK;
    sab_solver *sol = NULL;

    *solver = NULL;
    SAB_TRY(check_options(options, err));
    SAB_NEW(sol, 1);
    sol->options = *options;
    sol->linear =
        (sab_factor_options){options->linear, options->ordering, .space = program->s == 6};
    sol->s = program->s;
    sol->npoints = program->npoints;
    sol->n = program->n;
    SAB_NEW(sol->lambda, rows);
    SAB_NEW(sol->gamma, rows);
    SAB_NEW(sol->u, program->n);
    SAB_NEW(sol->given, program->n);
    SAB_NEW(sol->shift, program->npoints);
    SAB_TRY(sab_residual_create(program, &sol->residual, err));
    SAB_TRY(sab_factor_create(&sol->linear, program->A, &sol->factor, err));
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
    sab_residual_destroy(&sol->residual);
    SAB_FREE(sol->lambda);
    SAB_FREE(sol->gamma);
    SAB_FREE(sol->u);
    SAB_FREE(sol->given);
    SAB_FREE(sol->shift);
    SAB_FREE(*solver);
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

static void add_factor(const sab_factor *factor, sab_work *work)
{
    const sab_factor_info info = sab_factor_get_info(factor);

    work->factorisations += info.updates;
    work->solves += info.solves;
    work->cpu_analysis += info.analysis_cpu;
    work->cpu_factorisation += info.total_update_cpu;
    work->cpu_solve += info.total_solve_cpu;
}

static void add_ipm(const sab_ipm *ipm, sab_work *work)
{
    add_factor(sab_ipm_factor(ipm), work);
    work->cpu_cones += sab_ipm_cone_cpu(ipm);
}

/* All work of this solver so far, over its factors. */
static sab_work work_so_far(const sab_solver *sol)
{
    sab_work w = sol->done;

    add_factor(sol->factor, &w);
    if (sol->iteration != NULL) {
        if (sab_first_order_factor(sol->iteration) != NULL)
            add_factor(sab_first_order_factor(sol->iteration), &w);
        w.cpu_cones += sab_first_order_cone_cpu(sol->iteration);
    }
    for (int i = 0; i < SAB_METHOD_COUNT; i++)
        if (sol->ipm[i] != NULL)
            add_ipm(sol->ipm[i], &w);
    w.cpu_one_factorisation = sab_factor_get_info(sol->factor).update_cpu;
    w.cpu_total = sab_cpu_seconds();
    return w;
}

static void fill_report(solver_run *run)
{
    const sab_work now = work_so_far(run->solver);

    run->report->work = sab_work_since(&now, &run->at_start);
}

/* Is a better than b, the measure being `factor` times smaller at least? Merits beyond NOT_YET say
 * only that (and stay there while a body comes to rest, D falling with the gap): among those the
 * natural residual decides. */
static bool better(const sab_certificate *a, const sab_certificate *b, double factor)
{
    const double ma = sab_certificate_merit(a), mb = sab_certificate_merit(b);
    const bool a_counts = sab_certificate_violation(a) < NOT_YET,
               b_counts = sab_certificate_violation(b) < NOT_YET;

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

    if (run->follower != NULL) {
        double *viscosity, *tangent;

        sab_ipm_rate(run->follower, &viscosity, &tangent);
        memcpy(sol->u, sab_ipm_velocity(run->follower), (size_t)sol->n * sizeof *sol->u);
        status = sab_residual_certify_followed(sol->residual, run->program, sol->lambda, sol->u,
                                               viscosity, tangent, &run->current, err);
    } else
        status = sab_residual_certify(sol->residual, run->program, sol->factor, sol->lambda, sol->u,
                                      &run->current, err);
    if (status != SAB_OK)
        return status;
    if (!run->any || better(&run->current, &run->best, 1.0)) {
        run->any = true;
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
 * methods would have to pump that pressure up. Elsewhere the trial does not rest and is dropped.
 * With walls A is not B^T M R B, and there is no such stress. */
static sab_status certify_start(solver_run *run, sab_error *err)
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
    SAB_TRY(certify(run, SAB_METHOD_AUTO, err));
    for (size_t i = 0; i < rows; i++)
        if (sol->lambda[i] != 0.0)
            return SAB_OK;
    if (run->current.at_rest || p->nranges > 1)
        return SAB_OK;
    for (int q = 0; q < p->npoints; q++) {
        double *x = sol->lambda + q * s;
        for (int i = 0; i < s; i++)
            x[i] = -p->r[q] * gamma[q * s + i];
        const double over = sab_cone_norm_t(s, x) - p->yield[q];
        const double least = over > 0.0 && p->friction[q] > 0.0 ? over / p->friction[q] : 0.0;
        pressure = fmax(pressure, least - x[0]);
    }
    for (int q = 0; q < p->npoints; q++)
        sol->lambda[q * s] += pressure;
    SAB_TRY(sab_residual_certify(sol->residual, p, sol->factor, sol->lambda, sol->u, &trial, err));
    if (!trial.at_rest)
        memset(sol->lambda, 0, rows * sizeof *sol->lambda);
    SAB_TRY(certify(run, SAB_METHOD_AUTO, err));
cleanup:
    return status;
}

/* The stopping test: the certificate, and that the strain rate has come to an end, or will not: the
 * refreshed shift of `ipm` may swing for ever about the answer. */
static bool has_converged(const solver_run *run, sab_method method)
{
    const sab_solver_options *o = &run->solver->options;
    const bool swings =
        run->good > LONG_GOOD && sab_certificate_meets(&run->current, EXCELLENT * o->tolerance);
    /* a rough answer may still move by as much as its tolerance */
    const double change = fmax(o->change_tolerance, o->tolerance) * (swings ? MOST_CHANGE : 1.0);
    /* the first iteration of an interior point only takes back the lift of a warm start: accepted
     * in one time step after the other, what it leaves adds up */
    const bool unlifted =
        !sab_method_is_ipm(method) || !run->program->inertial || run->report->work.outer > 1;

    return sab_certificate_meets(&run->current, o->tolerance) &&
           (run->current.idle || (unlifted && run->report->change <= change));
}

/* A method is judged by its own iterates: they may begin far above what it started from. */
static bool has_stalled(solver_run *run, patience wait)
{
    if (run->since < 0 || better(&run->current, &run->own, 1.0))
        run->own = run->current;
    if (run->since < 0 || better(&run->own, &run->mark, wait.factor)) {
        run->mark = run->own;
        run->since = 0;
    } else
        run->since++;
    return run->since >= wait.window;
}

/* The end of an outer iteration: certificate, row, stop rule. *done when the method is to end,
 * with report->reason. gamma of the certificate before is in solver->gamma. */
static sab_status finish_iteration(solver_run *run, sab_method method, patience wait, bool *done,
                                   sab_error *err)
{
    const sab_solver *sol = run->solver;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    sab_status status = certify(run, method, err);

    if (status == SAB_ERR_NUMERIC) { /* the iterate has overflowed: the best one stands */
        run->report->reason = SAB_STALLED;
        *done = true;
        return SAB_OK;
    }
    if (status != SAB_OK)
        return status;
    run->report->method = method;
    run->report->certificate = run->current;
    run->report->change = relative_change(run->program, gamma, sol->gamma);
    fill_report(run);
    if (run->observer != NULL && !run->observer->row(run->observer->data, run->report))
        return sab_fail(err, SAB_INTERRUPTED, "the solver was stopped after %d iterations",
                        run->report->work.outer);
    run->good = sab_certificate_meets(&run->current, sol->options.tolerance) ? run->good + 1 : 0;
    if (has_converged(run, method)) {
        run->report->reason = SAB_CONVERGED;
        *done = true;
        return SAB_OK;
    }
    const bool stalled = has_stalled(run, wait);
    run->report->reason = stalled ? SAB_STALLED : SAB_MAX_ITERATIONS;
    *done = stalled || run->report->work.outer >= sol->options.max_iterations;
    return SAB_OK;
}

/* Workspace, step and, for Douglas-Rachford, its matrix. */
static sab_status prepare_first_order(solver_run *run, sab_error *err)
{
    sab_solver *sol = run->solver;
    const sab_solver_options *o = &sol->options;
    const int memory = sab_method_table[o->method].memory ? o->anderson : 0;
    sab_status status = SAB_OK;

    if (sol->iteration == NULL)
        SAB_TRY(sab_first_order_create(run->program, memory, &sol->iteration, err));
    if (!sol->measured)
        SAB_TRY(sab_first_order_measure(sol->iteration, run->program, sol->factor, err));
    sol->measured = true;
cleanup:
    return status;
}

/* Outer iterations of a first-order method from the current iterate, which has been certified. */
static sab_status run_first_order(solver_run *run, sab_method method, sab_error *err)
{
    sab_solver *sol = run->solver;
    const sab_program *p = run->program;
    const sab_solver_options *o = &sol->options;
    const sab_method_entry *m = &sab_method_table[method];
    const double *gamma = sab_residual_strain_rate(sol->residual);
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    /* a convex program has s = 0, and Cadoux is one program: do not restart it */
    const bool cadoux = m->cadoux && !sab_program_is_convex(p);
    bool done = false;
    sab_status status = SAB_OK;

    SAB_TRY(prepare_first_order(run, err));
    if (m->split && !sol->split) {
        SAB_TRY(sab_first_order_split(sol->iteration, p, &sol->linear, err));
        sol->split = true;
    }
    if (cadoux) {
        memset(sol->shift, 0, (size_t)sol->npoints * sizeof *sol->shift);
        update_shift(p, 1.0, gamma, sol->shift);
    }
    sab_first_order_start(sol->iteration, sol->lambda, gamma);
    while (!done) {
        sol->done.outer++;
        memcpy(sol->gamma, gamma, rows * sizeof *gamma);
        SAB_TRY(sab_first_order_run(
            sol->iteration, m->step, p, sol->factor, cadoux ? sol->shift : NULL, o->inner,
            fmax(INNER_TARGET * run->current.natural, 1e-14 * run->current.stress), sol->lambda,
            &sol->done.inner, err));
        SAB_TRY(finish_iteration(run, method, first_order, &done, err));
        if (cadoux && !done) {
            update_shift(p, o->damping, gamma, sol->shift);
            sab_first_order_start(sol->iteration, sol->lambda, gamma);
        }
    }
cleanup:
    return status;
}

/* A predictor for the interior points of `auto`: an outer iteration of a few steps of
 * Douglas-Rachford, when they cost no factorisation. *used if it was one; *done if it has converged
 * at once. */
static sab_status predict(solver_run *run, bool *used, bool *done, sab_error *err)
{
    sab_solver *sol = run->solver;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    sab_status status = SAB_OK;

    SAB_TRY(prepare_first_order(run, err));
    *used = sab_first_order_shares_factor(sol->iteration, run->program);
    if (!*used)
        goto cleanup;
    sab_first_order_start(sol->iteration, sol->lambda, gamma);
    run->since = -1;
    sol->done.outer++;
    memcpy(sol->gamma, gamma, (size_t)sol->npoints * (size_t)sol->s * sizeof *gamma);
    SAB_TRY(sab_first_order_run(sol->iteration, SAB_STEP_DR, run->program, sol->factor, NULL,
                                PREDICTOR_STEPS, 1e-14 * run->current.stress, sol->lambda,
                                &sol->done.inner, err));
    SAB_TRY(finish_iteration(run, SAB_METHOD_DR, first_order, done, err));
cleanup:
    return status;
}

/* The interior point of this row, made anew if the kind of its matrix has changed. */
static sab_status take_ipm(sab_solver *sol, const sab_program *p, sab_method method, sab_ipm **ipm,
                           sab_error *err)
{
    sab_ipm **held = &sol->ipm[method];
    sab_status status = SAB_OK;

    if (*held != NULL && !sab_ipm_fits(*held, p)) {
        add_ipm(*held, &sol->done);
        sab_ipm_destroy(held);
    }
    if (*held == NULL)
        status = sab_ipm_create(p, sab_method_table[method].exactness, &sol->linear, held, err);
    *ipm = *held;
    return status;
}

static void start_ipm(const solver_run *run, sab_ipm *ipm, const sab_stage *stage)
{
    const sab_solver *sol = run->solver;
    const sab_program *p = run->program;
    const double stress = run->current.stress > 0.0 ? run->current.stress : 1.0;

    if (stage->start != SAB_START_COLD)
        sab_ipm_start_warm(ipm, p, stage->start == SAB_START_GIVEN ? sol->given : sol->u,
                           sol->lambda, stage->lift, stress, run->tight);
    else if (sab_program_is_convex(p)) /* sol->u is the unresisted flow */
        sab_ipm_start_warm(ipm, p, sol->u, sol->lambda, 1.0, stress, run->tight);
    else /* its large shift would lead the non-associated iterates astray */
        sab_ipm_start(ipm, p, stress, run->tight);
}

/* Iterations of an interior point. A jam, and a matrix that cannot be factored, count as stalled:
 * the best iterate stands. */
static sab_status run_ipm(solver_run *run, const sab_stage *stage, sab_error *err)
{
    sab_solver *sol = run->solver;
    const sab_program *p = run->program;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    int short_steps = 0, taken = 0;
    bool done = false, under_way = false;
    sab_ipm *ipm = NULL;
    sab_status status = SAB_OK;

    SAB_TRY(take_ipm(sol, p, stage->method, &ipm, err));
    run->follower = p->rate != NULL ? ipm : NULL;
    start_ipm(run, ipm, stage);
    while (!done && short_steps < JAM) {
        double step;

        sol->done.outer++;
        sol->done.inner++;
        memcpy(sol->gamma, gamma, rows * sizeof *gamma);
        status = sab_ipm_iterate(ipm, p, &step, err);
        if (status == SAB_ERR_NUMERIC) {
            status = SAB_OK;
            break;
        }
        SAB_TRY(status);
        sab_ipm_lambda(ipm, sol->lambda);
        SAB_TRY(finish_iteration(run, stage->method, interior_point, &done, err));
        /* from a cold start the first steps may be short */
        under_way = under_way || step > UNDER_WAY || ++taken > JAM_START;
        short_steps = under_way && step < JAM_STEP ? short_steps + 1 : 0;
    }
    if (!done)
        run->report->reason = SAB_STALLED;
cleanup:
    run->follower = NULL;
    run->report->followed = p->rate != NULL;
    return status;
}

static sab_status run_stage(solver_run *run, const sab_stage *stage, sab_error *err)
{
    run->since = -1;
    run->good = 0;
    run->report->reason = SAB_MAX_ITERATIONS;
    return sab_method_is_ipm(stage->method) ? run_ipm(run, stage, err)
                                            : run_first_order(run, stage->method, err);
}

/* What the plan depends on; at_rest is not known before the start has been certified. */
static sab_facts gather_facts(const sab_solver *sol, const sab_program *p, const double *lambda,
                              const double *u)
{
    sab_facts f = {.tolerance = sol->options.tolerance,
                   .convex = sab_program_is_convex(p),
                   .inertial = p->inertial,
                   .soft = p->bulk < 1.0,
                   .safe = p->step_is_safe,
                   .follows = p->rate != NULL};

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
    SAB_TRY(sab_residual_refer(solver->residual, program, solver->factor, err));
cleanup:
    return status;
}

sab_status sab_solver_certify(sab_solver *solver, const sab_program *program, bool new_values,
                              double *lambda, double *u, sab_report *report, sab_error *err)
{
    sab_status status = SAB_OK;
    solver_run run = {.solver = solver, .report = report, .at_start = work_so_far(solver)};

    memset(report, 0, sizeof *report);
    SAB_TRY(prepare(solver, program, new_values, err));
    SAB_TRY(sab_residual_certify(solver->residual, program, solver->factor, lambda, u,
                                 &report->certificate, err));
    report->reason = sab_certificate_meets(&report->certificate, solver->options.tolerance)
                         ? SAB_CONVERGED
                         : SAB_STALLED;
    fill_report(&run);
cleanup:
    return status;
}

/* Has the stress of the last iterate grown in a direction that no motion can yield to? */
static sab_status try_infeasible(solver_run *run, sab_error *err)
{
    sab_solver *sol = run->solver;
    double *distance = &run->report->distance;
    const sab_status status = sab_residual_distance(sol->residual, run->program, sol->factor,
                                                    sol->lambda, sol->gamma, distance, err);

    if (status == SAB_OK && *distance >= SAB_TOO_FAR)
        run->report->reason = SAB_INFEASIBLE;
    return status;
}

/* No method has made the compaction small. Is there a motion without any? The elastic program has
 * its answer: the stress of a motion that there is not grows to the proof. */
static sab_status look_for_motion(solver_run *run, sab_error *err)
{
    sab_solver *sol = run->solver;
    const sab_program *p = run->program;
    bool possible = false;
    sab_certificate now;
    sab_program *elastic = NULL;
    sab_ipm *ipm = NULL;
    double step;
    sab_status status = SAB_OK;

    SAB_TRY(sab_elastic_create(p, STIFFNESS, &elastic, err));
    SAB_TRY(sab_ipm_create(elastic, 0.0, &sol->linear, &ipm, err));
    sab_ipm_start(ipm, elastic, LARGE * run->best.unresisted, false);
    for (int i = 0; i < MOTION_STEPS && !possible && run->report->reason != SAB_INFEASIBLE; i++) {
        SAB_TRY(sab_ipm_iterate(ipm, elastic, &step, err));
        sab_ipm_lambda(ipm, sol->lambda);
        SAB_TRY(
            sab_residual_certify(sol->residual, p, sol->factor, sol->lambda, sol->u, &now, err));
        possible = now.compaction <= sol->options.tolerance;
        SAB_TRY(try_infeasible(run, err));
    }
cleanup:
    if (ipm != NULL)
        add_ipm(ipm, &sol->done);
    sab_ipm_destroy(&ipm);
    sab_program_destroy(&elastic);
    return status;
}

/* After a method has ended without success; `last`: there is no other. */
static sab_status explain(solver_run *run, bool last, sab_error *err)
{
    sab_status status = SAB_OK;

    if (run->best.compaction <= run->solver->options.tolerance)
        return SAB_OK; /* its motion is possible but for so much */
    SAB_TRY(try_infeasible(run, err));
    if (last && run->report->reason != SAB_INFEASIBLE) {
        status = look_for_motion(run, err);
        if (status == SAB_ERR_INPUT || status == SAB_ERR_NUMERIC) /* not for interior points */
            status = SAB_OK;
    }
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

/* The start may be the answer, if the body does not move: say so in one row. */
static sab_status accept_start(solver_run *run, sab_method method, bool *done, sab_error *err)
{
    sab_solver *sol = run->solver;

    if (!run->current.idle || !sab_certificate_meets(&run->current, sol->options.tolerance))
        return SAB_OK;
    sol->done.outer++;
    memcpy(sol->gamma, sab_residual_strain_rate(sol->residual),
           (size_t)sol->npoints * (size_t)sol->s * sizeof *sol->gamma);
    return finish_iteration(run, method, first_order, done, err);
}

/* Make the best iterate, which `method` has found or begun with, the current one. */
static sab_status take_best(solver_run *run, sab_method method, sab_error *err)
{
    sab_solver *sol = run->solver;

    memcpy(sol->lambda, run->lambda, (size_t)sol->npoints * (size_t)sol->s * sizeof *sol->lambda);
    memcpy(sol->u, run->u, (size_t)sol->n * sizeof *sol->u);
    /* the velocity of a rate law is not that of A */
    return run->program->rate == NULL ? certify(run, method, err) : SAB_OK;
}

/* One stage after the other, from where the one before has stalled, until one ends otherwise. */
static sab_status run_plan(solver_run *run, const sab_plan *plan, sab_error *err)
{
    sab_report *report = run->report;
    sab_stage stage = plan->stage[0];
    bool used = false, done = false;
    sab_status status = SAB_OK;

    run->tight = plan->tight;
    SAB_TRY(accept_start(run, stage.method, &done, err));
    if (!done && plan->predictor)
        SAB_TRY(predict(run, &used, &done, err));
    if (used)
        stage = plan->predicted;
    for (int i = 0; !done; i++) {
        if (i > 0) {
            SAB_TRY(take_best(run, stage.method, err));
            stage = plan->stage[i];
        }
        SAB_TRY(run_stage(run, &stage, err));
        const bool last = i == plan->n - 1 || report->reason != SAB_STALLED;
        if (report->reason != SAB_CONVERGED)
            SAB_TRY(explain(run, last, err));
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
    solver_run run = {.solver = solver,
                      .program = program,
                      .observer = observer,
                      .report = report,
                      .lambda = lambda,
                      .u = u,
                      .at_start = work_so_far(solver)};

    memset(report, 0, sizeof *report);
    SAB_TRY(prepare(solver, program, new_values, err));
    memcpy(solver->given, u, (size_t)solver->n * sizeof *u);
    SAB_TRY(certify_start(&run, err));
    facts.at_rest = run.current.at_rest;
    const sab_plan plan = sab_auto_plan(solver->options.method, &facts);
    run.best_method = plan.stage[0].method;
    SAB_TRY(run_plan(&run, &plan, err));
cleanup:
    if (status == SAB_OK || status == SAB_INTERRUPTED) {
        report->method = run.best_method;
        report->certificate = run.best;
        fill_report(&run);
    }
    return status;
}

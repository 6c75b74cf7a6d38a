/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/call.h"

#include "base/timer.h"
#include "cone/cone.h"

#include <math.h>
#include <string.h>

/* A certificate so much better than asked for is accepted although the flow still changes, by no
 * more than MOST_CHANGE times what it may, if the LONG_GOOD ones before were good enough: most
 * flows do come to an end, and then are better; and one that changes by its own size is no answer.
 */
static const double EXCELLENT = 0.1, MOST_CHANGE = 3.0;
enum { LONG_GOOD = 5 };

static const double NOT_YET = 0.2;

const sab_patience sab_patience_usual = {40, 0.99};

/* ---- what it costs ---- */

static void add_factor(const sab_factor *factor, sab_work *work)
{
    const sab_factor_info info = sab_factor_get_info(factor);

    work->factorisations += info.updates;
    work->solves += info.solves;
    work->cpu_analysis += info.analysis_cpu;
    work->cpu_factorisation += info.total_update_cpu;
    work->cpu_solve += info.total_solve_cpu;
}

void sab_work_add_ipm(const sab_ipm *ipm, sab_work *work)
{
    add_factor(sab_ipm_factor(ipm), work);
    work->cpu_cones += sab_ipm_cone_cpu(ipm);
}

sab_work sab_solver_work(const sab_solver *sol)
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
            sab_work_add_ipm(sol->ipm[i], &w);
    w.cpu_one_factorisation = sab_factor_get_info(sol->factor).update_cpu;
    w.cpu_total = sab_cpu_seconds();
    return w;
}

void sab_call_report(sab_call *call)
{
    const sab_work now = sab_solver_work(call->solver);

    call->report->work = sab_work_since(&now, &call->at_start);
}

/* ---- the iterate, and its certificate ---- */

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
sab_status sab_call_certify(sab_call *call, sab_method method, sab_error *err)
{
    sab_solver *sol = call->solver;
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    sab_status status;

    if (call->follower != NULL) {
        double *viscosity, *tangent;

        sab_ipm_rate(call->follower, &viscosity, &tangent);
        memcpy(sol->u, sab_ipm_velocity(call->follower), (size_t)sol->n * sizeof *sol->u);
        status = sab_residual_certify_followed(sol->residual, call->program, sol->lambda, sol->u,
                                               viscosity, tangent, &call->current, err);
    } else
        status = sab_residual_certify(sol->residual, call->program, sol->factor, sol->lambda,
                                      sol->u, &call->current, err);
    if (status != SAB_OK)
        return status;
    if (!call->any || better(&call->current, &call->best, 1.0)) {
        call->any = true;
        memcpy(call->lambda, sol->lambda, rows * sizeof *call->lambda);
        memcpy(call->u, sol->u, (size_t)sol->n * sizeof *call->u);
        call->best = call->current;
        call->best_method = method;
    }
    return SAB_OK;
}

/* Certify the start. From lambda = 0 look first whether the body can simply rest: -R gamma(0) is
 * the smallest stress that balances the load (exactly so for creeping flow, b = 1), and a constant
 * pressure, which makes it admissible, does no work in a closed box. There the projections of the
 * methods would have to pump that pressure up. Elsewhere the trial does not rest and is dropped.
 * With walls A is not B^T M R B, and there is no such stress. */
sab_status sab_call_start(sab_call *call, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_program *p = call->program;
    const int s = p->s;
    const size_t rows = (size_t)sol->npoints * (size_t)s;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    double pressure = 0.0;
    sab_certificate trial;
    sab_status status = SAB_OK;

    memcpy(sol->lambda, call->lambda, rows * sizeof *call->lambda);
    SAB_TRY(sab_call_certify(call, SAB_METHOD_AUTO, err));
    for (size_t i = 0; i < rows; i++)
        if (sol->lambda[i] != 0.0)
            return SAB_OK;
    if (call->current.at_rest || p->nranges > 1)
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
    SAB_TRY(sab_call_certify(call, SAB_METHOD_AUTO, err));
cleanup:
    return status;
}

sab_status sab_call_best(sab_call *call, sab_method method, sab_error *err)
{
    sab_solver *sol = call->solver;

    memcpy(sol->lambda, call->lambda, (size_t)sol->npoints * (size_t)sol->s * sizeof *sol->lambda);
    memcpy(sol->u, call->u, (size_t)sol->n * sizeof *sol->u);
    /* the velocity of a rate law is not that of A */
    return call->program->rate == NULL ? sab_call_certify(call, method, err) : SAB_OK;
}

/* ---- the stopping test ---- */

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

/* The stopping test: the certificate, and that the strain rate has come to an end, or will not: the
 * refreshed shift of `ipm` may swing for ever about the answer. */
static bool has_converged(const sab_call *call, sab_method method)
{
    const sab_solver_options *o = &call->solver->options;
    const bool swings =
        call->good > LONG_GOOD && sab_certificate_meets(&call->current, EXCELLENT * o->tolerance);
    /* a rough answer may still move by as much as its tolerance */
    const double change = fmax(o->change_tolerance, o->tolerance) * (swings ? MOST_CHANGE : 1.0);
    /* the first iteration of an interior point only takes back the lift of a warm start: accepted
     * in one time step after the other, what it leaves adds up */
    const bool unlifted =
        !sab_method_is_ipm(method) || !call->program->inertial || call->report->work.outer > 1;

    return sab_certificate_meets(&call->current, o->tolerance) &&
           (call->current.idle || (unlifted && call->report->change <= change));
}

/* A method is judged by its own iterates: they may begin far above what it started from. */
static bool has_stalled(sab_call *call, sab_patience wait)
{
    if (call->since < 0 || better(&call->current, &call->own, 1.0))
        call->own = call->current;
    if (call->since < 0 || better(&call->own, &call->mark, wait.factor)) {
        call->mark = call->own;
        call->since = 0;
    } else
        call->since++;
    return call->since >= wait.window;
}

sab_status sab_call_finish(sab_call *call, sab_method method, sab_patience wait, bool *done,
                           sab_error *err)
{
    const sab_solver *sol = call->solver;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    sab_status status = sab_call_certify(call, method, err);

    if (status == SAB_ERR_NUMERIC) { /* the iterate has overflowed: the best one stands */
        call->report->reason = SAB_STALLED;
        *done = true;
        return SAB_OK;
    }
    if (status != SAB_OK)
        return status;
    call->report->method = method;
    call->report->certificate = call->current;
    call->report->change = relative_change(call->program, gamma, sol->gamma);
    sab_call_report(call);
    if (call->observer != NULL && !call->observer->row(call->observer->data, call->report))
        return sab_fail(err, SAB_INTERRUPTED, "the solver was stopped after %d iterations",
                        call->report->work.outer);
    call->good = sab_certificate_meets(&call->current, sol->options.tolerance) ? call->good + 1 : 0;
    if (has_converged(call, method)) {
        call->report->reason = SAB_CONVERGED;
        *done = true;
        return SAB_OK;
    }
    const bool stalled = has_stalled(call, wait);
    call->report->reason = stalled ? SAB_STALLED : SAB_MAX_ITERATIONS;
    *done = stalled || call->report->work.outer >= sol->options.max_iterations;
    return SAB_OK;
}

sab_status sab_call_accept(sab_call *call, sab_method method, bool *done, sab_error *err)
{
    sab_solver *sol = call->solver;

    if (!call->current.idle || !sab_certificate_meets(&call->current, sol->options.tolerance))
        return SAB_OK;
    sol->done.outer++;
    memcpy(sol->gamma, sab_residual_strain_rate(sol->residual),
           (size_t)sol->npoints * (size_t)sol->s * sizeof *sol->gamma);
    return sab_call_finish(call, method, sab_patience_usual, done, err);
}

void sab_solver_set_accuracy(sab_solver *solver, double part)
{
    sab_factor_set_accuracy(solver->factor, part);
    if (solver->iteration != NULL)
        sab_first_order_set_accuracy(solver->iteration, part);
}

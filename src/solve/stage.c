/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages of a plan: the outer iterations of a method of each family, from the current iterate.
 */
#include "solve/call.h"

#include "base/timer.h"
#include "cone/cone.h"

#include <math.h>
#include <string.h>

static const sab_patience interior_point = {15, 0.9};
/* Of sweeps within a chain, cold and warm: `haste` of a stage. */
static const sab_patience slow = {2, 0.5}, very_slow = {30, 0.5};

/* A jam of an interior point: that many steps in a row below that length, once a step was longer
 * than UNDER_WAY or JAM_START are taken. */
static const double JAM_STEP = 0.1, UNDER_WAY = 0.5;
enum { JAM = 3, JAM_START = 12, PREDICTOR_STEPS = 20, FIRST_SWEEPS = 10 };
#define INNER_TARGET 0.2 /* of the natural residual of the last certificate */

/* s <- (1 - theta) s + theta (mu - zeta)|gamma_T| [docs/theory.md, 5] */
static void update_shift(const sab_program *p, double theta, const double *gamma, double *shift)
{
    for (int q = 0; q < p->npoints; q++)
        shift[q] +=
            theta * ((p->friction[q] - p->dilatancy[q]) * sab_cone_norm_t(p->s, gamma + q * p->s) -
                     shift[q]);
}

/* Solves by multigrid between two certificates are as good as this part of the merit of the first,
 * or of DOUBT if that is more: less would keep the iterations from it, more does not help them
 * [docs/scale.md]. Certificates are of accurate solves. */
static const double ENOUGH = 1.0 / 500.0, DOUBT = 0.5;

/* Workspace, step and, for Douglas-Rachford, its matrix. */
static sab_status prepare_first_order(sab_call *call, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_solver_options *o = &sol->options;
    const int memory = sab_method_table[o->method].memory ? o->anderson : 0;
    sab_status status = SAB_OK;

    if (sol->iteration == NULL)
        SAB_TRY(sab_first_order_create(call->program, memory, &sol->iteration, err));
    if (!sol->measured)
        SAB_TRY(sab_first_order_measure(sol->iteration, call->program, sol->factor, err));
    sol->measured = true;
cleanup:
    return status;
}

/* Outer iterations of a first-order method from the current iterate, which has been certified. */
static sab_status run_first_order(sab_call *call, sab_method method, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_program *p = call->program;
    const sab_solver_options *o = &sol->options;
    const sab_method_entry *m = &sab_method_table[method];
    const double *gamma = sab_residual_strain_rate(sol->residual);
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    /* a convex program has s = 0, and Cadoux is one program: do not restart it */
    const bool cadoux = m->cadoux && !sab_program_is_convex(p);
    bool done = false;
    sab_status status = SAB_OK;

    SAB_TRY(prepare_first_order(call, err));
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
        sab_solver_set_accuracy(sol, ENOUGH * fmin(DOUBT, sab_certificate_merit(&call->current)));
        SAB_TRY(sab_first_order_run(
            sol->iteration, m->step, p, sol->factor, cadoux ? sol->shift : NULL, o->inner,
            fmax(INNER_TARGET * call->current.natural, 1e-14 * call->current.stress), sol->lambda,
            &sol->done.inner, err));
        sab_solver_set_accuracy(sol, 0.0);
        SAB_TRY(sab_call_finish(call, method, sab_patience_usual, &done, err));
        if (cadoux && !done) {
            update_shift(p, o->damping, gamma, sol->shift);
            sab_first_order_start(sol->iteration, sol->lambda, gamma);
        }
    }
cleanup:
    return status;
}

sab_status sab_stage_predict(sab_call *call, bool *used, bool *done, sab_error *err)
{
    sab_solver *sol = call->solver;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    sab_status status = SAB_OK;

    SAB_TRY(prepare_first_order(call, err));
    *used = sab_first_order_shares_factor(sol->iteration, call->program);
    if (!*used)
        goto cleanup;
    sab_first_order_start(sol->iteration, sol->lambda, gamma);
    call->since = -1;
    sol->done.outer++;
    memcpy(sol->gamma, gamma, (size_t)sol->npoints * (size_t)sol->s * sizeof *gamma);
    SAB_TRY(sab_first_order_run(sol->iteration, SAB_STEP_DR, call->program, sol->factor, NULL,
                                PREDICTOR_STEPS, 1e-14 * call->current.stress, sol->lambda,
                                &sol->done.inner, err));
    SAB_TRY(sab_call_finish(call, SAB_METHOD_DR, sab_patience_usual, done, err));
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
        sab_work_add_ipm(*held, &sol->done);
        sab_ipm_destroy(held);
    }
    if (*held == NULL)
        status = sab_ipm_create(p, sab_method_table[method].exactness, &sol->linear, held, err);
    *ipm = *held;
    return status;
}

static void start_ipm(const sab_call *call, sab_ipm *ipm, const sab_stage *stage)
{
    const sab_solver *sol = call->solver;
    const sab_program *p = call->program;
    const double stress = call->current.stress > 0.0 ? call->current.stress : 1.0;

    if (stage->start != SAB_START_COLD)
        sab_ipm_start_warm(ipm, p, stage->start == SAB_START_GIVEN ? sol->given : sol->u,
                           sol->lambda, stage->lift, stress, call->tight);
    else if (sab_program_is_convex(p)) /* sol->u is the unresisted flow */
        sab_ipm_start_warm(ipm, p, sol->u, sol->lambda, 1.0, stress, call->tight);
    else /* its large shift would lead the non-associated iterates astray */
        sab_ipm_start(ipm, p, stress, call->tight);
}

/* Iterations of an interior point. A jam, and a matrix that cannot be factored, count as stalled:
 * the best iterate stands. */
static sab_status run_ipm(sab_call *call, const sab_stage *stage, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_program *p = call->program;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    const size_t rows = (size_t)sol->npoints * (size_t)sol->s;
    int short_steps = 0, taken = 0;
    bool done = false, under_way = false;
    sab_ipm *ipm = NULL;
    sab_status status = SAB_OK;

    SAB_TRY(take_ipm(sol, p, stage->method, &ipm, err));
    call->follower = p->rate != NULL ? ipm : NULL;
    start_ipm(call, ipm, stage);
    while (!done && short_steps < JAM) {
        double length;

        sol->done.outer++;
        sol->done.inner++;
        memcpy(sol->gamma, gamma, rows * sizeof *gamma);
        status = sab_ipm_iterate(ipm, p, &length, err);
        if (status == SAB_ERR_NUMERIC) {
            status = SAB_OK;
            break;
        }
        SAB_TRY(status);
        sab_ipm_lambda(ipm, sol->lambda);
        SAB_TRY(sab_call_finish(call, stage->method, interior_point, &done, err));
        /* from a cold start the first steps may be short */
        under_way = under_way || length > UNDER_WAY || ++taken > JAM_START;
        short_steps = under_way && length < JAM_STEP ? short_steps + 1 : 0;
    }
    if (!done)
        call->report->reason = SAB_STALLED;
cleanup:
    call->follower = NULL;
    call->report->followed = p->rate != NULL;
    return status;
}

/* Outer iterations of sweeps from the current iterate: FIRST_SWEEPS, then twice as many each, up to
 * `inner`; conjugate ones, and plain ones after those that have made it worse. Within a chain they
 * end when they are slow: interior points do better then. */
static sab_status run_sweeps(sab_call *call, const sab_stage *stage, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_program *p = call->program;
    const double *gamma = sab_residual_strain_rate(sol->residual);
    const sab_patience wait = stage->haste == 0   ? sab_patience_usual
                              : stage->haste == 1 ? slow
                                                  : very_slow;
    const bool plain = sab_method_table[stage->method].plain;
    bool done = false, conjugate = !plain;
    sab_status status = SAB_OK;

    for (int q = 0; q < p->npoints && plain; q++)
        if (p->friction[q] > 0.0)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "%s is for contacts without friction, but that of point %d is %g; take gs",
                     sab_method_table[stage->method].name, q, p->friction[q]);
    if (sol->gs == NULL)
        SAB_TRY(sab_gauss_seidel_create(p, &sol->gs, err));
    for (int most = FIRST_SWEEPS; !done; most *= 2) {
        const double start = sab_cpu_seconds(), before = call->current.natural;

        most = most < sol->options.inner ? most : sol->options.inner;
        sol->done.outer++;
        memcpy(sol->gamma, gamma, (size_t)sol->npoints * (size_t)sol->s * sizeof *gamma);
        sab_gauss_seidel_run(sol->gs, p, conjugate, most, sol->lambda, &sol->done.inner);
        sol->done.cpu_cones += sab_cpu_seconds() - start;
        SAB_TRY(sab_call_finish(call, stage->method, wait, &done, err));
        conjugate = !plain && (!conjugate || call->current.natural < before);
    }
cleanup:
    return status;
}

sab_status sab_stage_run(sab_call *call, const sab_stage *stage, sab_error *err)
{
    call->since = -1;
    call->good = 0;
    call->report->reason = SAB_MAX_ITERATIONS;
    switch (sab_method_table[stage->method].family) {
    case SAB_FAMILY_INTERIOR_POINT:
        return run_ipm(call, stage, err);
    case SAB_FAMILY_SWEEPS:
        return run_sweeps(call, stage, err);
    default:
        return run_first_order(call, stage->method, err);
    }
}

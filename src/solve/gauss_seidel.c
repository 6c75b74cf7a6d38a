/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/gauss_seidel_state.h"

#include "base/parallel.h"
#include "cone/contact.h"
#include "cone/soc.h"

#include <math.h>
#include <string.h>

/* u = A^-1 (B^T M lambda + l) */
static void respond(sab_gauss_seidel *gs, const sab_program *p, const double *lambda)
{
    const int s = p->s;

    if (gs->diagonal)
        for (int i = 0; i < p->n; i++)
            gs->u[i] = gs->inverse[i] * p->l[i];
    else {
        memset(gs->u, 0, (size_t)p->n * sizeof *gs->u);
        for (int i = 0; i < p->n; i++)
            for (int b = 0; b < gs->size[i]; b++)
                gs->u[gs->member[gs->first[i] + b]] += gs->inverse[i * SAB_BODY_MOST + b] * p->l[i];
    }
    for (int e = 0; e < p->B->nblocks; e++)
        for (int q = p->B->point[e]; q < p->B->point[e + 1]; q++) {
            double y[SAB_SOC_MAX];

            for (int i = 0; i < s; i++)
                y[i] = p->weight[q] * lambda[q * s + i];
            sab_gs_push(gs, s, sab_gs_rows_of(p->B, e, q), y, gs->u);
        }
}

/* B_N u + k_N of point q */
static inline double opening(const sab_gauss_seidel *gs, const sab_program *p, int s, int q)
{
    double sum = p->k[(int64_t)q * s];

    for (int64_t c = gs->row_start[q]; c < gs->row_start[q + 1]; c++)
        sum += gs->row_value[c] * gs->u[gs->row_column[c]];
    return sum;
}

/* One point. */
static inline void relax(int s, sab_gauss_seidel *gs, const sab_program *p, int e, int q, double *l,
                         sab_swept *done)
{
    const double wn = gs->normal[q], wt = gs->tangential[q];
    double b[SAB_SOC_MAX] = {0}, next[SAB_SOC_MAX] = {0}, change = 0.0, size = 0.0;

    if (wn == 0.0)
        return;
    if (p->dilatancy[q] == 0.0 && sab_point_dot(s, l, l) == 0.0 && opening(gs, p, s, q) >= 0.0)
        return; /* most pairs are open, and stay so */
    const sab_gs_rows r = sab_gs_rows_of(p->B, e, q);
    sab_gs_pull(s, r, gs->u, b);
    for (int i = 0; i < s; i++)
        b[i] += p->k[q * s + i];
    if (wn > 0.0) {
        b[0] -= wn * l[0];
        for (int i = 1; i < s; i++)
            b[i] -= wt * l[i];
        sab_contact_solve_diagonal(s, p->friction[q], p->dilatancy[q], wn, wt, b, next);
    } else {
        const double *W = gs->W + (int64_t)q * s * s;

        for (int i = 0; i < s; i++) {
            b[i] -= sab_point_dot(s, W + i * s, l);
            next[i] = l[i];
        }
        sab_contact_solve(s, p->friction[q], p->dilatancy[q], W, b, next);
    }
    for (int i = 0; i < s; i++) {
        const double d = next[i] - l[i];

        size += next[i] * next[i];
        change += d * d;
        l[i] = next[i];
        next[i] = d * p->weight[q];
    }
    if (!(change > 0.0))
        return;
    sab_gs_push(gs, s, r, next, gs->u);
    done->step += change;
    done->changed = done->changed || change > SAB_GS_NOTHING * SAB_GS_NOTHING * size;
}

static inline void sweep_blocks(int s, sab_gauss_seidel *gs, const sab_program *p, int from, int to,
                                sab_swept *result)
{
    sab_swept done = {0}; /* no neighbour of other threads' */

    for (int i = from; i < to; i++) {
        const int e = gs->order[i];

        for (int q = p->B->point[e]; q < p->B->point[e + 1]; q++)
            relax(s, gs, p, e, q, gs->lambda + (int64_t)q * s, &done);
    }
    *result = done;
}

/* All points once. */
static sab_swept sweep(sab_gauss_seidel *gs, const sab_program *p)
{
    sab_swept part[2 * SAB_GS_PARTS], sum = {0};

    for (int phase = 0; phase < SAB_GS_PHASES; phase++) {
        SAB_PRAGMA(omp parallel for schedule(dynamic, 1) if (gs->parts > 1))
        for (int t = gs->phase[phase]; t < gs->phase[phase + 1]; t++) {
            const int from = gs->start[t], to = gs->start[t + 1];

            if (gs->round != NULL)
                part[t] = sab_round_sweep(gs, p->s, from, to);
            else
                SAB_POINT_SIZES(p->s, sweep_blocks, gs, p, from, to, &part[t]);
        }
    }
    for (int t = 0; t < gs->phase[SAB_GS_PHASES]; t++) {
        sum.step += part[t].step;
        sum.changed = sum.changed || part[t].changed;
    }
    return sum;
}

/* x += beta way, way = beta way + (x - before), before = x: of the x before it */
static void go_on(int n, double beta, double *x, double *before, double *way)
{
    SAB_PARALLEL_FOR(n)
    for (int i = 0; i < n; i++) {
        const double step = x[i] - before[i], on = beta * way[i];

        x[i] += on;
        way[i] = on + step;
        before[i] = x[i];
    }
}

void sab_gauss_seidel_run(sab_gauss_seidel *gs, const sab_program *p, bool conjugate, int most,
                          double *lambda, int *sweeps)
{
    double last = 0.0;

    if (gs->round != NULL)
        sab_round_load(gs, p, lambda);
    else {
        memcpy(gs->lambda, lambda, (size_t)gs->nlambda * sizeof *lambda);
        respond(gs, p, lambda);
    }
    memcpy(gs->lambda_before, gs->lambda, (size_t)gs->nlambda * sizeof *lambda);
    memcpy(gs->u_before, gs->u, (size_t)gs->nu * sizeof *gs->u);
    memset(gs->lambda_way, 0, (size_t)gs->nlambda * sizeof *lambda);
    memset(gs->u_way, 0, (size_t)gs->nu * sizeof *gs->u);
    for (int k = 0; k < most; k++) {
        const sab_swept done = sweep(gs, p);

        (*sweeps)++;
        if (!done.changed ||
            k + 1 == most) /* what a sweep leaves is admissible, not what follows */
            break;
        if (!conjugate)
            continue;
        const double beta = done.step < last ? done.step / last : 0.0; /* anew where it grows */

        last = done.step;
        go_on(gs->nlambda, beta, gs->lambda, gs->lambda_before, gs->lambda_way);
        go_on(gs->nu, beta, gs->u, gs->u_before, gs->u_way);
    }
    if (gs->round != NULL)
        sab_round_store(gs, p, lambda);
    else
        memcpy(lambda, gs->lambda, (size_t)gs->nlambda * sizeof *lambda);
}

bool sab_gauss_seidel_is_round(const sab_gauss_seidel *gs)
{
    return gs->round != NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweeps over contacts of discs and spheres: a program of round bodies in few numbers. */
#include "solve/gauss_seidel_state.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "cone/contact.h"

#include <math.h>
#include <string.h>

/* Rows of B count as those of a round body if they are so near to them. */
static const double ROUNDING = 1e-12;

static void cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Velocity and spin of row `row` at body e of the block, in space. */
static void row_at(int dim, sab_gs_rows r, int row, int e, double *v, double *w)
{
    const int f = sab_round_freedoms(dim);
    const double *value = r.value + row * r.columns + e * f;

    memset(v, 0, 3 * sizeof *v);
    memset(w, 0, 3 * sizeof *w);
    for (int k = 0; k < dim; k++)
        v[k] = value[k];
    for (int k = dim; k < f; k++)
        w[dim == 2 ? 2 : k - 3] = value[k];
}

static bool near(const double *a, const double *b, double factor, double size)
{
    return fabs(a[0] - factor * b[0]) <= ROUNDING * size &&
           fabs(a[1] - factor * b[1]) <= ROUNDING * size &&
           fabs(a[2] - factor * b[2]) <= ROUNDING * size;
}

/* Are the rows of body e those of a round one, +-c (d, -+R n x d) in the directions d of a frame
 * with the normal n? *radius, if it is not known (< 0), is taken from them. */
static bool is_round(int dim, sab_gs_rows r, int e, double c, const double *n, double *radius)
{
    const double sign = e == 0 ? 1.0 : -1.0;
    double v[3], w[3], d[3], turn[3];

    if (*radius < 0.0) { /* from the turn in the first direction */
        row_at(dim, r, 1, 0, d, w);
        row_at(dim, r, 1, e, v, w);
        cross(n, d, turn);
        *radius = fmax(0.0, -dot(w, turn) / (c * c));
    }
    row_at(dim, r, 0, e, v, w);
    if (!near(v, n, sign * c, c) || !near(w, n, 0.0, c * *radius))
        return false;
    for (int i = 1; i < dim; i++) {
        row_at(dim, r, i, 0, d, w);
        if (fabs(dot(d, n)) > ROUNDING * c || fabs(dot(d, d) - c * c) > ROUNDING * c * c)
            return false;
        row_at(dim, r, i, e, v, w);
        cross(n, d, turn);
        if (!near(v, d, sign, c) || !near(w, turn, -*radius, c * *radius))
            return false;
    }
    return true;
}

/* The contact of block q, or false. */
static bool read_contact(sab_gauss_seidel *gs, const sab_program *p, int q, double *drag)
{
    const int dim = p->s, f = sab_round_freedoms(dim);
    const sab_gs_rows r = sab_gs_rows_of(p->B, q, q);
    sab_round_contact *to = &gs->round[q];
    double w[3], c;

    *to = (sab_round_contact){.j = -1, .mu = p->friction[q], .zeta = p->dilatancy[q]};
    if ((r.columns != f && r.columns != 2 * f) || p->weight[q] != 1.0)
        return false;
    for (int k = 0; k < r.columns; k++)
        if (r.column[k] != r.column[k / f * f] + k % f || r.column[k / f * f] % f != 0)
            return false;
    row_at(dim, r, 0, 0, to->n, w);
    c = sqrt(dot(to->n, to->n));
    if (!(c > 0.0))
        return false;
    for (int k = 0; k < 3; k++)
        to->n[k] /= c;
    to->k = p->k[q * dim] / c;
    to->i = r.column[0] / f;
    if (r.columns > f)
        to->j = r.column[f] / f;
    memset(drag, 0, 3 * sizeof *drag);
    for (int i = 1; i < dim; i++) {
        double d[3];

        row_at(dim, r, i, 0, d, w);
        for (int k = 0; k < 3; k++)
            drag[k] += p->k[q * dim + i] * d[k] / (c * c);
    }
    return is_round(dim, r, 0, c, to->n, &gs->radius[to->i]) &&
           (to->j < 0 || is_round(dim, r, 1, c, to->n, &gs->radius[to->j]));
}

/* One mass and one inertia each? A is diagonal. */
static bool has_round_masses(const sab_gauss_seidel *gs, int dim, int n)
{
    const int f = sab_round_freedoms(dim);

    if (n % f != 0)
        return false;
    for (int i = 0; i < n; i++) {
        const int first = i % f < dim ? i / f * f : i / f * f + dim;

        if (gs->inverse[i] != gs->inverse[first])
            return false;
    }
    return true;
}

sab_status sab_round_recognise(sab_gauss_seidel *gs, const sab_program *p, sab_error *err)
{
    const int bodies = p->n / sab_round_freedoms(p->s);
    bool round = gs->diagonal && (p->s == 2 || p->s == 3) && p->B->nblocks == p->npoints &&
                 has_round_masses(gs, p->s, p->n);
    bool dragged = false;
    sab_status status = SAB_OK;

    for (int q = 0; q < p->npoints && round; q++)
        round = p->B->point[q + 1] == q + 1;
    if (!round)
        return SAB_OK;
    SAB_NEW(gs->round, p->npoints);
    SAB_NEW(gs->drag, p->npoints);
    SAB_NEW(gs->radius, bodies);
    for (int i = 0; i < bodies; i++)
        gs->radius[i] = -1.0;
    for (int q = 0; q < p->npoints && round; q++) {
        round = read_contact(gs, p, q, gs->drag[q]);
        dragged = dragged || dot(gs->drag[q], gs->drag[q]) > 0.0;
    }
    if (!dragged)
        SAB_FREE(gs->drag);
    if (!round) {
        SAB_FREE(gs->round);
        SAB_FREE(gs->drag);
        SAB_FREE(gs->radius);
    }
cleanup:
    return status;
}

sab_status sab_round_sort(sab_gauss_seidel *gs, sab_error *err)
{
    const int n = gs->start[gs->phase[SAB_GS_PHASES]];
    sab_round_contact *round = NULL;
    double(*drag)[3] = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(round, n);
    if (gs->drag != NULL)
        SAB_NEW(drag, n);
    for (int q = 0; q < n; q++) {
        round[q] = gs->round[gs->order[q]];
        if (drag != NULL)
            memcpy(drag[q], gs->drag[gs->order[q]], sizeof *drag);
    }
    SAB_FREE(gs->round);
    SAB_FREE(gs->drag);
    gs->round = round;
    gs->drag = drag;
    round = NULL;
cleanup:
    SAB_FREE(round);
    return status;
}

/* u += A^-1 H^T P of two bodies */
static inline void push(const double *n, const double *P, double *a, double *b)
{
    const double turn[3] = {n[1] * P[2] - n[2] * P[1], n[2] * P[0] - n[0] * P[2],
                            n[0] * P[1] - n[1] * P[0]};

    for (int k = 0; k < 3; k++) {
        a[k] += a[SAB_ROUND_MASS] * P[k];
        b[k] -= b[SAB_ROUND_MASS] * P[k];
        a[SAB_ROUND_W + k] -= a[SAB_ROUND_INERTIA] * turn[k];
        b[SAB_ROUND_W + k] -= b[SAB_ROUND_INERTIA] * turn[k];
    }
}

void sab_round_load(sab_gauss_seidel *gs, const sab_program *p, const double *lambda)
{
    const int dim = p->s, f = sab_round_freedoms(dim);

    for (int i = 0; i < p->n / f; i++) {
        const double *inverse = gs->inverse + i * f, *l = p->l + i * f;
        const double R = fmax(0.0, gs->radius[i]); /* -1: no contact */
        double *u = gs->u + i * SAB_ROUND_U;

        memset(u, 0, SAB_ROUND_U * sizeof *u);
        for (int k = 0; k < f; k++)
            u[k < dim ? k : f == 3 ? SAB_ROUND_W + 2 : k] = inverse[k] * l[k] * (k < dim ? 1.0 : R);
        u[SAB_ROUND_MASS] = inverse[0];
        u[SAB_ROUND_INERTIA] = R * R * inverse[dim];
    }
    for (int e = 0; e < p->npoints; e++) {
        const int q = gs->order[e];
        const sab_round_contact *c = &gs->round[e];
        const sab_gs_rows r = sab_gs_rows_of(p->B, q, q);
        double still[SAB_ROUND_U] = {0}, *P = gs->lambda + (int64_t)e * 3;

        memset(P, 0, 3 * sizeof *P);
        for (int i = 0; i < dim; i++)
            for (int k = 0; k < dim; k++) /* c times a frame */
                P[k] += lambda[q * dim + i] * r.value[i * r.columns + k];
        push(c->n, P, gs->u + (int64_t)c->i * SAB_ROUND_U,
             c->j < 0 ? still : gs->u + (int64_t)c->j * SAB_ROUND_U);
    }
}

void sab_round_store(const sab_gauss_seidel *gs, const sab_program *p, double *lambda)
{
    const int dim = p->s;

    SAB_PARALLEL_FOR(p->npoints)
    for (int e = 0; e < p->npoints; e++) {
        const int q = gs->order[e];
        const sab_gs_rows r = sab_gs_rows_of(p->B, q, q);
        const double *P = gs->lambda + (int64_t)e * 3;

        for (int i = 0; i < dim; i++) {
            double sum = 0.0, square = 0.0;

            for (int k = 0; k < dim; k++) {
                const double d = r.value[i * r.columns + k];

                sum += P[k] * d;
                square += d * d;
            }
            lambda[q * dim + i] = sum / square;
        }
    }
}

/* One contact; b_T is a vector of space, of which the law asks for no more than its length. */
static inline void relax(int s, const sab_round_contact *c, const double *drag, double *restrict a,
                         double *restrict b, double *P, sab_swept *done)
{
    const double *n = c->n, *wa = a + SAB_ROUND_W, *wb = b + SAB_ROUND_W;
    const double v[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double opening = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    double x[4], next[4], change = 0.0, size = 0.0;

    if (c->zeta == 0.0 && opening + c->k >= 0.0 && P[0] == 0.0 && P[1] == 0.0 && P[2] == 0.0)
        return; /* most pairs are open, and stay so */
    const double w[3] = {wa[0] + wb[0], wa[1] + wb[1], wa[2] + wb[2]};
    const double g[3] = {v[0] - w[1] * n[2] + w[2] * n[1], v[1] - w[2] * n[0] + w[0] * n[2],
                         v[2] - w[0] * n[1] + w[1] * n[0]};
    const double wn = a[SAB_ROUND_MASS] + b[SAB_ROUND_MASS];
    const double wt = wn + a[SAB_ROUND_INERTIA] + b[SAB_ROUND_INERTIA];
    const double normal = P[0] * n[0] + P[1] * n[1] + P[2] * n[2];

    x[0] = opening + c->k - wn * normal;
    for (int k = 0; k < 3; k++)
        x[1 + k] = g[k] - wt * P[k] - (opening - wt * normal) * n[k];
    for (int k = 0; drag != NULL && k < 3; k++)
        x[1 + k] += drag[k];
    sab_contact_solve_diagonal(4, c->mu, c->zeta, wn, wt, x, next);
    for (int k = 0; k < 3; k++) {
        const double now = next[0] * n[k] + next[1 + k], d = now - P[k];

        size += now * now;
        change += d * d;
        P[k] = now;
        x[k] = d;
    }
    if (!(change > 0.0))
        return;
    push(n, x, a, b);
    done->step += change * (wn + (s - 1) * wt); /* of lambda = P / c, c^2 = s / tr W */
    done->changed = done->changed || change > SAB_GS_NOTHING * SAB_GS_NOTHING * size;
}

sab_swept sab_round_sweep(sab_gauss_seidel *gs, int s, int from, int to)
{
    sab_swept done = {0};

    for (int e = from; e < to; e++) {
        const sab_round_contact *c = &gs->round[e];
        double still[SAB_ROUND_U] = {0}; /* a wall */

        relax(s, c, gs->drag != NULL ? gs->drag[e] : NULL, gs->u + (int64_t)c->i * SAB_ROUND_U,
              c->j < 0 ? still : gs->u + (int64_t)c->j * SAB_ROUND_U, gs->lambda + (int64_t)e * 3,
              &done);
    }
    return done;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/gauss_seidel.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "cone/contact.h"
#include "cone/soc.h"

#include <math.h>
#include <string.h>

/* W_qq counts as diag(wn, wt, ..) if what is off is so small. */
static const double ROUNDING = 1e-13;
/* A sweep that changes no stress by more than this part of itself has changed nothing. */
static const double NOTHING = 1e-15;
/* Points that make a part worth a thread, and parts at most. */
enum { PART_POINTS = 2000, MOST_PARTS = 16 };

struct sab_gauss_seidel {
    int s;
    bool diagonal;   /* A is */
    double *inverse; /* diagonal: [n]; else [n][SAB_BODY_MOST], row i of the inverse of its body */
    int *first;      /* [n] else: first unknown of the body of unknown i in `member` */
    int *size;       /* [n] unknowns of that body */
    int *member;     /* [n] unknowns, body after body */
    double *normal,
        *tangential; /* [npoints] of a diagonal W_qq; normal < 0: it is full, and in W */
    double *W;       /* [npoints][s][s]; NULL: none is full */
    int parts;
    int *order; /* [nblocks] part after part, then what is between them */
    int *start; /* [parts + 2] */
    double *u;  /* [n] */
};

/* The root of a forest, with its paths shortened. */
static int root_of(int *parent, int i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* The connected parts of A: *body [n] numbered from 0 in the order of their first unknown, -1 and
 * less: none. *largest in unknowns. */
static sab_status find_bodies(const sab_sparse *A, int **body, int *bodies, int *largest,
                              sab_error *err)
{
    const int n = (int)A->n;
    int *parent = NULL, *count = NULL;
    sab_status status = SAB_OK;

    *body = NULL;
    *bodies = *largest = 0;
    SAB_NEW(parent, n);
    SAB_NEW(count, n);
    for (int i = 0; i < n; i++)
        parent[i] = i;
    for (int j = 0; j < n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            const int a = root_of(parent, j), b = root_of(parent, (int)A->row[p]);

            parent[a > b ? a : b] = a > b ? b : a; /* the first unknown is the root */
        }
    for (int i = 0; i < n; i++) {
        const int root = root_of(parent, i);

        count[root]++;
        *largest = count[root] > *largest ? count[root] : *largest;
    }
    for (int i = 0; i < n; i++) /* a root comes before the rest */
        count[i] = root_of(parent, i) == i ? (*bodies)++ : count[root_of(parent, i)];
    *body = count;
    count = NULL;
cleanup:
    SAB_FREE(parent);
    SAB_FREE(count);
    return status;
}

static int first_yielding(const sab_program *p)
{
    for (int q = 0; q < p->npoints; q++)
        if (p->yield[q] > 0.0)
            return q;
    return -1;
}

bool sab_gauss_seidel_fits(const sab_program *p)
{
    int *body = NULL, bodies, largest;
    sab_error err;

    for (int j = 0; j < p->n; j++) /* a look is enough for a mesh */
        if (p->A->start[j + 1] - p->A->start[j] > SAB_BODY_MOST)
            return false;
    const sab_status status = find_bodies(p->A, &body, &bodies, &largest, &err);

    SAB_FREE(body);
    return status == SAB_OK && largest <= SAB_BODY_MOST && first_yielding(p) < 0 &&
           p->s <= SAB_SOC_MAX && p->rate == NULL;
}

/* The rows of the inverse of the matrix of each body, by elimination: it is definite. */
static sab_status invert_bodies(sab_gauss_seidel *gs, const sab_sparse *A, sab_error *err)
{
    for (int i = 0; i < A->n; i += 1) {
        const int m = gs->size[i], *member = gs->member + gs->first[i];
        double M[SAB_BODY_MOST][2 * SAB_BODY_MOST] = {{0}};

        if (member[0] != i) /* once per body */
            continue;
        for (int a = 0; a < m; a++) {
            M[a][m + a] = 1.0;
            for (int b = 0; b < m; b++) {
                const int64_t at = member[a] > member[b] ? sab_sparse_find(A, member[a], member[b])
                                                         : sab_sparse_find(A, member[b], member[a]);
                M[a][b] = at >= 0 ? A->value[at] : 0.0;
            }
        }
        for (int k = 0; k < m; k++) {
            if (!(M[k][k] > 0.0))
                return sab_fail(err, SAB_ERR_NUMERIC,
                                "A is not positive definite: the body of unknown %d has no mass or "
                                "inertia in one direction",
                                i);
            for (int a = 0; a < m; a++) {
                const double factor = M[a][k] / M[k][k];

                for (int b = 0; a != k && b < 2 * m; b++)
                    M[a][b] -= factor * M[k][b];
            }
        }
        for (int a = 0; a < m; a++)
            for (int b = 0; b < m; b++)
                gs->inverse[member[a] * SAB_BODY_MOST + b] = M[a][m + b] / M[a][a];
    }
    return SAB_OK;
}

static sab_status set_inverse(sab_gauss_seidel *gs, const sab_sparse *A, const int *body,
                              int bodies, sab_error *err)
{
    const int n = (int)A->n;
    int *count = NULL;
    sab_status status = SAB_OK;

    gs->diagonal = bodies == n;
    SAB_NEW(gs->inverse, (size_t)n * (gs->diagonal ? 1 : SAB_BODY_MOST));
    if (gs->diagonal) {
        for (int i = 0; i < n; i++) {
            if (A->start[i] == A->start[i + 1] || !(A->value[A->start[i]] > 0.0))
                SAB_FAIL(err, SAB_ERR_NUMERIC, "A is not positive definite: unknown %d has no mass",
                         i);
            gs->inverse[i] = 1.0 / A->value[A->start[i]];
        }
        goto cleanup;
    }
    SAB_NEW(gs->first, n);
    SAB_NEW(gs->size, n);
    SAB_NEW(gs->member, n);
    SAB_NEW(count, bodies + 1);
    for (int i = 0; i < n; i++)
        count[body[i] + 1]++;
    for (int b = 0; b < bodies; b++)
        count[b + 1] += count[b];
    for (int i = 0; i < n; i++) {
        gs->first[i] = count[body[i]];
        gs->size[i] = count[body[i] + 1] - count[body[i]];
    }
    for (int i = n; i-- > 0;)
        gs->member[--count[body[i] + 1]] = i;
    SAB_TRY(invert_bodies(gs, A, err));
cleanup:
    SAB_FREE(count);
    return status;
}

/* One block of B: values of the rows of point q, and its columns. */
typedef struct rows {
    const double *value;
    const int *column;
    int columns;
} rows;

static inline rows rows_of(const sab_blocks *B, int e, int q)
{
    const int columns = (int)(B->column_start[e + 1] - B->column_start[e]);

    return (rows){B->value + B->value_start[e] + (int64_t)(q - B->point[e]) * B->s * columns,
                  B->column + B->column_start[e], columns};
}

/* u += A^-1 B_q^T y */
static inline void push(const sab_gauss_seidel *gs, int s, rows r, const double *y, double *u)
{
    for (int c = 0; c < r.columns; c++) {
        const int j = r.column[c];
        double force = 0.0;

        for (int i = 0; i < s; i++)
            force += r.value[i * r.columns + c] * y[i];
        if (gs->diagonal) {
            u[j] += gs->inverse[j] * force;
            continue;
        }
        for (int b = 0; b < gs->size[j]; b++)
            u[gs->member[gs->first[j] + b]] += gs->inverse[j * SAB_BODY_MOST + b] * force;
    }
}

/* g = B_q u */
static inline void pull(int s, rows r, const double *u, double *g)
{
    for (int i = 0; i < s; i++) {
        double sum = 0.0;

        for (int c = 0; c < r.columns; c++)
            sum += r.value[i * r.columns + c] * u[r.column[c]];
        g[i] = sum;
    }
}

/* W_qq of all points; u is zero before and after. */
static sab_status set_responses(sab_gauss_seidel *gs, const sab_program *p, sab_error *err)
{
    const sab_blocks *B = p->B;
    const int s = p->s;
    sab_status status = SAB_OK;

    SAB_NEW(gs->normal, p->npoints);
    SAB_NEW(gs->tangential, p->npoints);
    for (int e = 0; e < B->nblocks; e++)
        for (int q = B->point[e]; q < B->point[e + 1]; q++) {
            const rows r = rows_of(B, e, q);
            double W[SAB_SOC_MAX * SAB_SOC_MAX] = {0}, y[SAB_SOC_MAX] = {0}, trace = 0.0, off = 0.0;

            for (int j = 0; j < s; j++) {
                double column[SAB_SOC_MAX];

                y[j] = p->weight[q];
                push(gs, s, r, y, gs->u);
                pull(s, r, gs->u, column);
                y[j] = -p->weight[q];
                push(gs, s, r, y, gs->u);
                y[j] = 0.0;
                for (int c = 0; c < r.columns; c++) { /* rounding */
                    const int k = r.column[c];

                    gs->u[k] = 0.0;
                    for (int b = 0; !gs->diagonal && b < gs->size[k]; b++)
                        gs->u[gs->member[gs->first[k] + b]] = 0.0;
                }
                for (int i = 0; i < s; i++)
                    W[i * s + j] = column[i];
                trace += column[j];
            }
            for (int i = 0; i < s; i++)
                for (int j = 0; j < s; j++)
                    off = fmax(off, fabs(i != j  ? W[i * s + j]
                                         : i > 0 ? W[i * s + i] - W[s + 1]
                                                 : 0.0));
            gs->normal[q] = W[0];
            gs->tangential[q] = W[s + 1];
            if (off <= ROUNDING * trace) /* 0: nothing there can move */
                continue;
            if (gs->W == NULL)
                SAB_NEW(gs->W, (size_t)p->npoints * (size_t)(s * s));
            memcpy(gs->W + (int64_t)q * s * s, W, (size_t)(s * s) * sizeof *W);
            gs->normal[q] = -1.0;
        }
cleanup:
    return status;
}

/* Stretches of bodies are the parts; a block belongs to the part that all its bodies have. */
static sab_status set_parts(sab_gauss_seidel *gs, const sab_program *p, const int *body, int bodies,
                            sab_error *err)
{
    const sab_blocks *B = p->B;
    int *part = NULL;
    sab_status status = SAB_OK;

    gs->parts = p->npoints / PART_POINTS;
    gs->parts = gs->parts < 1 ? 1 : gs->parts > MOST_PARTS ? MOST_PARTS : gs->parts;
    SAB_NEW(gs->order, B->nblocks);
    SAB_NEW(gs->start, gs->parts + 2);
    SAB_NEW(part, B->nblocks);
    for (int e = 0; e < B->nblocks; e++) {
        part[e] = -1;
        for (int64_t c = B->column_start[e]; c < B->column_start[e + 1]; c++) {
            const int own = (int)((int64_t)body[B->column[c]] * gs->parts / bodies);

            part[e] = part[e] < 0 || part[e] == own ? own : gs->parts;
            if (part[e] == gs->parts)
                break;
        }
        part[e] = part[e] < 0 ? 0 : part[e];
        gs->start[part[e] + 1]++;
    }
    for (int t = 0; t <= gs->parts; t++)
        gs->start[t + 1] += gs->start[t];
    for (int e = B->nblocks; e-- > 0;)
        gs->order[--gs->start[part[e] + 1]] = e;
    /* each start has moved down to where the part begins */
    memmove(gs->start, gs->start + 1, (size_t)(gs->parts + 1) * sizeof *gs->start);
    gs->start[gs->parts + 1] = B->nblocks;
cleanup:
    SAB_FREE(part);
    return status;
}

sab_status sab_gauss_seidel_create(const sab_program *p, sab_gauss_seidel **result, sab_error *err)
{
    sab_gauss_seidel *gs = NULL;
    int *body = NULL, bodies, largest;
    sab_status status = SAB_OK;

    *result = NULL;
    SAB_TRY(find_bodies(p->A, &body, &bodies, &largest, err));
    if (largest > SAB_BODY_MOST)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "gs sweeps over contacts of bodies with at most %d unknowns each, but A couples "
                 "%d; take aspg or an interior point",
                 SAB_BODY_MOST, largest);
    if (first_yielding(p) >= 0 || p->s > SAB_SOC_MAX || p->rate != NULL)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "gs takes no yield stress, no rate law and at most %d components per point; take "
                 "an interior point",
                 SAB_SOC_MAX);
    SAB_NEW(gs, 1);
    gs->s = p->s;
    SAB_NEW(gs->u, p->n);
    SAB_TRY(set_inverse(gs, p->A, body, bodies, err));
    SAB_TRY(set_responses(gs, p, err));
    SAB_TRY(set_parts(gs, p, body, bodies, err));
    *result = gs;
    gs = NULL;
cleanup:
    SAB_FREE(body);
    sab_gauss_seidel_destroy(&gs);
    return status;
}

void sab_gauss_seidel_destroy(sab_gauss_seidel **gs)
{
    sab_gauss_seidel *g = *gs;

    if (g == NULL)
        return;
    SAB_FREE(g->inverse);
    SAB_FREE(g->first);
    SAB_FREE(g->size);
    SAB_FREE(g->member);
    SAB_FREE(g->normal);
    SAB_FREE(g->tangential);
    SAB_FREE(g->W);
    SAB_FREE(g->order);
    SAB_FREE(g->start);
    SAB_FREE(g->u);
    SAB_FREE(*gs);
}

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
            push(gs, s, rows_of(p->B, e, q), y, gs->u);
        }
}

/* One point; returns whether its stress has changed. */
static inline bool relax(int s, sab_gauss_seidel *gs, const sab_program *p, int e, int q, double *l)
{
    const rows r = rows_of(p->B, e, q);
    const double wn = gs->normal[q], wt = gs->tangential[q];
    double b[SAB_SOC_MAX] = {0}, next[SAB_SOC_MAX] = {0}, change = 0.0, size = 0.0;

    if (wn == 0.0)
        return false;
    if (wn > 0.0 && l[0] == 0.0 && p->dilatancy[q] == 0.0) { /* most pairs are open, and stay so */
        pull(1, r, gs->u, b);
        if (b[0] + p->k[q * s] >= 0.0)
            return false;
    }
    pull(s, r, gs->u, b);
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
        return false;
    push(gs, s, r, next, gs->u);
    return change > NOTHING * NOTHING * size;
}

static inline void sweep(int s, sab_gauss_seidel *gs, const sab_program *p, int from, int to,
                         double *lambda, bool *changed)
{
    for (int i = from; i < to; i++) {
        const int e = gs->order[i];

        for (int q = p->B->point[e]; q < p->B->point[e + 1]; q++)
            if (relax(s, gs, p, e, q, lambda + (int64_t)q * s))
                *changed = true;
    }
}

void sab_gauss_seidel_run(sab_gauss_seidel *gs, const sab_program *p, int most, double *lambda,
                          int *sweeps)
{
    bool any = true;

    respond(gs, p, lambda);
    for (int k = 0; k < most && any; k++) {
        bool changed[MOST_PARTS + 1] = {false};

        SAB_PRAGMA(omp parallel for schedule(dynamic, 1) if (gs->parts > 1))
        for (int t = 0; t < gs->parts; t++)
            SAB_POINT_SIZES(p->s, sweep, gs, p, gs->start[t], gs->start[t + 1], lambda,
                            &changed[t]);
        SAB_POINT_SIZES(p->s, sweep, gs, p, gs->start[gs->parts], gs->start[gs->parts + 1], lambda,
                        &changed[gs->parts]);
        any = false;
        for (int t = 0; t <= gs->parts; t++)
            any = any || changed[t];
        (*sweeps)++;
    }
}

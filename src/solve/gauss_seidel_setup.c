/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sweeps need of a program: the bodies that A falls apart into and their inverses, the
 * responses of the points, and the parts that threads share. */
#include "solve/gauss_seidel_state.h"

#include "base/memory.h"
#include "cone/soc.h"

#include <math.h>
#include <string.h>

/* W_qq counts as diag(wn, wt, ..) if what is off is so small. */
static const double ROUNDING = 1e-13;
/* Points that make a part worth a thread. */
enum { PART_POINTS = 2000 };

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
            const sab_gs_rows r = sab_gs_rows_of(B, e, q);
            double W[SAB_SOC_MAX * SAB_SOC_MAX] = {0}, y[SAB_SOC_MAX] = {0}, trace = 0.0, off = 0.0;

            for (int j = 0; j < s; j++) {
                double column[SAB_SOC_MAX];

                y[j] = p->weight[q];
                sab_gs_push(gs, s, r, y, gs->u);
                sab_gs_pull(s, r, gs->u, column);
                y[j] = -p->weight[q];
                sab_gs_push(gs, s, r, y, gs->u);
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

/* The entries of the first rows that are not zero. */
static sab_status set_first_rows(sab_gauss_seidel *gs, const sab_program *p, sab_error *err)
{
    const sab_blocks *B = p->B;
    int64_t at = 0;
    sab_status status = SAB_OK;

    SAB_NEW(gs->row_start, p->npoints + 1);
    for (int pass = 0; pass < 2; pass++, at = 0) { /* count, then fill */
        for (int e = 0; e < B->nblocks; e++)
            for (int q = B->point[e]; q < B->point[e + 1]; q++) {
                const sab_gs_rows r = sab_gs_rows_of(B, e, q);

                gs->row_start[q] = at;
                for (int c = 0; c < r.columns; c++)
                    if (r.value[c] != 0.0) {
                        if (pass > 0) {
                            gs->row_column[at] = r.column[c];
                            gs->row_value[at] = r.value[c];
                        }
                        at++;
                    }
            }
        gs->row_start[p->npoints] = at;
        if (pass == 0) {
            SAB_NEW(gs->row_column, at);
            SAB_NEW(gs->row_value, at);
        }
    }
cleanup:
    return status;
}

/* The stretch of a block whose bodies are in the parts first .. last. */
static int stretch_of(const sab_gauss_seidel *gs, int first, int last)
{
    if (first == last)
        return first;
    if (last == first + 1)
        return gs->phase[first % 2 == 0 ? 1 : 2] + first / 2;
    return gs->phase[3];
}

/* As many bodies in each part; blocks go to the stretches of sab_gauss_seidel. */
static sab_status set_parts(sab_gauss_seidel *gs, const sab_program *p, const int *body, int bodies,
                            sab_error *err)
{
    const sab_blocks *B = p->B;
    int *stretch = NULL;
    sab_status status = SAB_OK;

    gs->parts = p->npoints / PART_POINTS;
    gs->parts = gs->parts < 1 ? 1 : gs->parts > SAB_GS_PARTS ? SAB_GS_PARTS : gs->parts;
    gs->phase[1] = gs->parts;
    gs->phase[2] = gs->phase[1] + gs->parts / 2;
    gs->phase[3] = gs->phase[2] + (gs->parts - 1) / 2;
    gs->phase[4] = gs->phase[3] + 1;
    SAB_NEW(gs->order, B->nblocks);
    SAB_NEW(gs->start, gs->phase[4] + 2);
    SAB_NEW(stretch, B->nblocks);
    for (int e = 0; e < B->nblocks; e++) {
        int first = gs->parts, last = -1;

        for (int64_t c = B->column_start[e]; c < B->column_start[e + 1]; c++) {
            const int own = (int)((int64_t)body[B->column[c]] * gs->parts / bodies);

            first = own < first ? own : first;
            last = own > last ? own : last;
        }
        stretch[e] = last < 0 ? 0 : stretch_of(gs, first, last);
        gs->start[stretch[e] + 1]++;
    }
    for (int t = 0; t < gs->phase[4]; t++)
        gs->start[t + 1] += gs->start[t];
    for (int e = B->nblocks; e-- > 0;)
        gs->order[--gs->start[stretch[e] + 1]] = e;
    /* each start has moved down to where the stretch begins */
    memmove(gs->start, gs->start + 1, (size_t)gs->phase[4] * sizeof *gs->start);
    gs->start[gs->phase[4]] = B->nblocks;
cleanup:
    SAB_FREE(stretch);
    return status;
}

/* What sweeps read and write. */
static sab_status set_iterate(sab_gauss_seidel *gs, const sab_program *p, sab_error *err)
{
    sab_status status = SAB_OK;

    gs->nlambda = p->npoints * (gs->round != NULL ? 3 : p->s);
    gs->nu = gs->round != NULL ? p->n / sab_round_freedoms(p->s) * SAB_ROUND_U : p->n;
    SAB_NEW(gs->u, gs->nu);
    SAB_NEW(gs->u_before, gs->nu);
    SAB_NEW(gs->u_way, gs->nu);
    SAB_NEW(gs->lambda, gs->nlambda);
    SAB_NEW(gs->lambda_before, gs->nlambda);
    SAB_NEW(gs->lambda_way, gs->nlambda);
cleanup:
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
    SAB_TRY(set_inverse(gs, p->A, body, bodies, err));
    SAB_TRY(sab_round_recognise(gs, p, err));
    SAB_TRY(set_iterate(gs, p, err));
    if (gs->round == NULL) {
        SAB_TRY(set_responses(gs, p, err));
        SAB_TRY(set_first_rows(gs, p, err));
        SAB_TRY(set_parts(gs, p, body, bodies, err));
    } else {
        const int f = sab_round_freedoms(p->s);

        for (int i = 0; i < p->n; i++) /* not single unknowns */
            body[i] = i / f;
        SAB_TRY(set_parts(gs, p, body, p->n / f, err));
        SAB_TRY(sab_round_sort(gs, err));
    }
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
    SAB_FREE(g->row_start);
    SAB_FREE(g->row_column);
    SAB_FREE(g->row_value);
    SAB_FREE(g->round);
    SAB_FREE(g->drag);
    SAB_FREE(g->radius);
    SAB_FREE(g->u);
    SAB_FREE(g->lambda);
    SAB_FREE(g->u_before);
    SAB_FREE(g->u_way);
    SAB_FREE(g->lambda_before);
    SAB_FREE(g->lambda_way);
    SAB_FREE(*gs);
}

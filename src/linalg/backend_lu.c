/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/backend_lu.c -- multifrontal L U of an unsymmetric matrix with a symmetric pattern, on the
 * supernodes of CHOLMOD [docs/theory.md, 4.12].
 *
 * A supernode has c columns and m rows below them. Its front, and what is left of it,
 *     F = [F11 F12; F21 F22],   Q F11 = L11 U11,  U12 = L11^-1 Q F12,  L21 = F21 U11^-1,
 *     update = F22 - L21 U12,
 * of the matrix scaled to a unit diagonal. Rows are exchanged within F11 only (Q): what that cannot
 * mend, a tiny pivot or large entries of U12 and L21 U11, is refused, and factor.c turns to MUMPS.
 * Fronts come in postorder, so that the updates of the children are on top of a stack. */
#include "linalg/backend.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The BLAS and LAPACK by their Fortran names, with 32-bit integers. */
extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivot, int *info);
extern void dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
                   const int *m, const int *n, const double *alpha, const double *a, const int *lda,
                   double *b, const int *ldb);
extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const double *alpha, const double *a, const int *lda, const double *b,
                   const int *ldb, const double *beta, double *c, const int *ldc);
extern void dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n,
                   const double *a, const int *lda, double *x, const int *incx);
extern void dgemv_(const char *trans, const int *m, const int *n, const double *alpha,
                   const double *a, const int *lda, const double *x, const int *incx,
                   const double *beta, double *y, const int *incy);

/* Largest entry on the way that is taken for stable, the matrix having a unit diagonal. */
static const double LARGEST = 1e5;
/* Columns up to which a triangle is solved without the BLAS. */
enum { FEW = 32 };

typedef struct front {
    int columns, below;   /* c and m */
    int64_t first;        /* its columns are first .. first + columns - 1 in the order */
    const int64_t *row;   /* [columns + below] in the order, increasing; its columns first */
    int parent;           /* -1: a root */
    int children;         /* their updates are on top of the stack */
    int64_t left, right;  /* in value: L11 U11 and L21, [c + m][c]; and U12^T, [m][c], by columns:
                             the long way is the contiguous one in both */
    const int *in_parent; /* [below] place of its rows among those of the parent */
} front;

typedef struct lu_state {
    int64_t n, nfronts;
    sab_supernodes super;
    front *front;
    int *in_parent;
    int64_t *entries; /* [nfronts + 1] those of front k are entries[k] .. entries[k + 1] - 1 of */
    int64_t *entry;   /* [entries of A] which entry of A, */
    int *column;      /* its column, */
    int64_t *place;   /* and where in value it goes */
    int64_t *degree;  /* place in order of an unknown: the inverse of super.order */
    double *value;    /* the factor */
    int64_t size;
    double *scale; /* [n] 1/sqrt|a_jj|, 1 where that is 0 */
    int *pivot;    /* [n] row exchanges of F11, from 1, as dgetrf has them */
    double *stack; /* updates, [below][below] by columns, */
    int64_t high;  /* and the largest sum of them */
    int *open;     /* fronts whose updates are on the stack */
    double *x, *y; /* [n] of a solve */
} lu_state;

static void lu_state_destroy(void *data)
{
    lu_state *state = data;

    sab_supernodes_clear(&state->super);
    SAB_FREE(state->front);
    SAB_FREE(state->in_parent);
    SAB_FREE(state->entries);
    SAB_FREE(state->entry);
    SAB_FREE(state->column);
    SAB_FREE(state->place);
    SAB_FREE(state->degree);
    SAB_FREE(state->value);
    SAB_FREE(state->scale);
    SAB_FREE(state->pivot);
    SAB_FREE(state->stack);
    SAB_FREE(state->open);
    SAB_FREE(state->x);
    SAB_FREE(state->y);
    sab_free(state);
}

/* The place of `row` among the rows of a front, or -1. */
static int find_row(const front *f, int64_t row)
{
    int low = 0, high = f->columns + f->below;

    if (row >= f->first && row < f->first + f->columns)
        return (int)(row - f->first);
    while (low < high) {
        const int middle = (low + high) / 2;

        if (f->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->columns + f->below && f->row[low] == row ? low : -1;
}

/* Fronts, their tree, and where they keep their parts; owner [n] gets the front of each column. */
static sab_status create_fronts(lu_state *state, int *owner, sab_error *err)
{
    const sab_supernodes *s = &state->super;
    sab_status status = SAB_OK;
    int64_t below = 0, size = 0;

    SAB_NEW(state->front, s->n);
    for (int64_t k = 0; k < s->n; k++) {
        front *f = &state->front[k];

        f->first = s->first[k];
        f->columns = (int)(s->first[k + 1] - s->first[k]);
        f->below = (int)(s->start[k + 1] - s->start[k]) - f->columns;
        f->row = s->row + s->start[k];
        f->left = size;
        size += (int64_t)f->columns * (f->columns + f->below);
        f->right = size;
        size += (int64_t)f->columns * f->below;
        below += f->below;
        for (int64_t j = s->first[k]; j < s->first[k + 1]; j++)
            owner[j] = (int)k;
    }
    state->size = size;
    SAB_NEW(state->in_parent, below);
    below = 0;
    for (int64_t k = 0; k < s->n; k++) {
        front *f = &state->front[k];

        f->parent = f->below > 0 ? owner[f->row[f->columns]] : -1;
        f->in_parent = state->in_parent + below;
        for (int i = 0; i < f->below; i++) {
            front *p = &state->front[f->parent];
            const int at = find_row(p, f->row[f->columns + i]);

            if (at < 0)
                SAB_TRY(sab_fail(err, SAB_ERR_INTERNAL, "a supernode has rows its parent lacks"));
            state->in_parent[below++] = at;
        }
        if (f->parent >= 0)
            state->front[f->parent].children++;
    }
cleanup:
    return status;
}

/* How high the stack becomes; the children must be on top of it. */
static sab_status create_stack(lu_state *state, sab_error *err)
{
    sab_status status = SAB_OK;
    int64_t high = 0, now = 0, open = 0;

    SAB_NEW(state->open, state->nfronts);
    for (int64_t k = 0; k < state->nfronts; k++) {
        const front *f = &state->front[k];
        const int64_t own = (int64_t)f->below * f->below;
        int64_t children = 0;

        for (int c = 0; c < f->children; c++) {
            const front *child = &state->front[state->open[open - 1 - c]];

            if (open < f->children || child->parent != k)
                SAB_TRY(sab_fail(err, SAB_ERR_INTERNAL, "supernodes are not in postorder"));
            children += (int64_t)child->below * child->below;
        }
        high = now + own > high ? now + own : high;
        now += own - children;
        open -= f->children;
        if (f->parent >= 0)
            state->open[open++] = (int)k;
        else
            now -= own;
    }
    SAB_NEW(state->stack, high);
    state->high = high;
cleanup:
    return status;
}

/* The front of an entry of A: that of the column or the row that is eliminated first. */
static int64_t front_of(const lu_state *state, const int *owner, int64_t row, int64_t column)
{
    const int64_t i = state->degree[row], l = state->degree[column];

    return owner[i < l ? i : l];
}

/* Where the entries of A go, front by front: those are filled one after the other, each when it is
 * eliminated and the cache is warm with it. */
static sab_status create_places(lu_state *state, const sab_sparse *A, const int *owner,
                                sab_error *err)
{
    const int64_t entries = A->start[A->n];
    sab_status status = SAB_OK;

    SAB_NEW(state->entries, state->nfronts + 2);
    SAB_NEW(state->entry, entries);
    SAB_NEW(state->column, entries);
    SAB_NEW(state->place, entries);
    int64_t *next = state->entries + 1; /* becomes the end of each front */
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
            next[front_of(state, owner, A->row[k], j) + 1]++;
    for (int64_t k = 0; k < state->nfronts; k++)
        next[k + 1] += next[k];
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            const int64_t at = front_of(state, owner, A->row[k], j);
            const front *f = &state->front[at];
            const int i = find_row(f, state->degree[A->row[k]]);
            const int l = find_row(f, state->degree[j]);

            if (i < 0 || l < 0)
                SAB_TRY(sab_fail(err, SAB_ERR_NUMERIC, "the pattern is not symmetric"));
            state->entry[next[at]] = k;
            state->column[next[at]] = (int)j;
            state->place[next[at]++] = l < f->columns
                                           ? f->left + i + (int64_t)l * (f->columns + f->below)
                                           : f->right + (l - f->columns) + (int64_t)i * f->below;
        }
cleanup:
    return status;
}

static sab_status lu_state_create(const sab_sparse *A, const sab_analysis *how, void **data,
                                  sab_factor_info *info, sab_error *err)
{
    sab_status status = SAB_OK;
    lu_state *state = NULL;
    int *owner = NULL;

    *data = NULL;
    SAB_NEW(state, 1);
    state->n = A->n;
    SAB_TRY(sab_supernodes_create(A, how->metis, how->known, &state->super, info, err));
    state->nfronts = state->super.n;
    SAB_NEW(owner, A->n);
    SAB_TRY(create_fronts(state, owner, err));
    SAB_TRY(create_stack(state, err));
    SAB_NEW(state->degree, A->n);
    for (int64_t k = 0; k < A->n; k++)
        state->degree[state->super.order[k]] = k;
    SAB_TRY(create_places(state, A, owner, err));
    SAB_NEW(state->value, state->size);
    SAB_NEW(state->scale, A->n);
    SAB_NEW(state->pivot, A->n);
    SAB_NEW(state->x, A->n);
    SAB_NEW(state->y, A->n);
    info->entries = 2.0 * info->entries - (double)A->n; /* L and U, each as that of L L^T */
    info->flops *= 2.0;
    /* the rest is that of the estimate, which knew neither sum */
    info->bytes_lu =
        8.0 * (double)(state->size + state->high + state->super.start[state->nfronts]) +
        20.0 * (double)A->start[A->n] + 100.0 * (double)A->n;
    *data = state;
    state = NULL;
cleanup:
    SAB_FREE(owner);
    if (state != NULL)
        lu_state_destroy(state);
    return status;
}

static void measure_scale(lu_state *state, const sab_sparse *A)
{
    for (int64_t j = 0; j < A->n; j++) {
        const int64_t at = sab_sparse_find(A, j, j);
        const double diagonal = at < 0 ? 0.0 : fabs(A->value[at]);

        state->scale[j] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 1.0;
    }
}

/* The values of A, scaled to a unit diagonal, into front k. */
static void fill_front(const lu_state *state, const sab_sparse *A, int64_t k)
{
    const front *f = &state->front[k];
    const size_t size = (size_t)f->columns * (size_t)(f->columns + 2 * f->below);

    memset(state->value + f->left, 0, size * sizeof *state->value);
    for (int64_t e = state->entries[k]; e < state->entries[k + 1]; e++) {
        const int64_t from = state->entry[e];

        state->value[state->place[e]] =
            A->value[from] * state->scale[state->column[e]] * state->scale[A->row[from]];
    }
}

/* F += the update of a child */
static void extend_add(const lu_state *state, const front *child, const double *from,
                       const front *f, double *update)
{
    const int m = child->below, c = f->columns, *at = child->in_parent;
    int own = 0; /* rows of the child that are columns of the parent */

    while (own < m && at[own] < c)
        own++;
    for (int j = 0; j < own; j++) {
        double *left = state->value + f->left + (int64_t)at[j] * (c + f->below);
        double *right = state->value + f->right + (int64_t)at[j] * f->below - c;

        for (int i = 0; i < m; i++)
            left[at[i]] += from[i + (int64_t)j * m];
        for (int i = own; i < m; i++)
            right[at[i]] += from[j + (int64_t)i * m];
    }
    for (int j = own; j < m; j++) {
        double *column = update + (int64_t)(at[j] - c) * f->below - c;

        for (int i = own; i < m; i++)
            column[at[i]] += from[i + (int64_t)j * m];
    }
}

/* The largest of |x|, in lanes that do not wait for each other. */
static void note_largest(int64_t n, const double *x, double *largest)
{
    enum { LANES = 8 };
    double lane[LANES] = {0.0};
    int64_t i = 0;

    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++)
            lane[k] = fabs(x[i + k]) > lane[k] ? fabs(x[i + k]) : lane[k];
    for (; i < n; i++)
        lane[0] = fabs(x[i]) > lane[0] ? fabs(x[i]) : lane[0];
    for (int k = 0; k < LANES; k++)
        *largest = lane[k] > *largest ? lane[k] : *largest;
}

/* F11, F12 and F21 to their factors, and the update, which is F22 before if there were children,
 * and else not set; the smallest pivot, and the largest entry of what is eliminated: F11, F21 and
 * U12. */
static void eliminate(lu_state *state, const front *f, double *update, double *smallest,
                      double *largest)
{
    const int c = f->columns, m = f->below, rows = c + m, *pivot = state->pivot + f->first;
    double *F11 = state->value + f->left, *F12T = state->value + f->right;
    const double one = 1.0, minus = -1.0, before = f->children > 0 ? 1.0 : 0.0;
    int info;

    note_largest((int64_t)c * rows, F11, largest);
    dgetrf_(&c, &c, F11, &rows, state->pivot + f->first, &info);
    for (int k = 0; k < c; k++) {
        const double u = fabs(F11[k + (int64_t)k * rows]);

        if (!(u >= *smallest)) /* true for NaN */
            *smallest = u;
    }
    if (m == 0)
        return;
    for (int k = 0; k < c; k++) {
        double *a = F12T + (int64_t)k * m, *b = F12T + (int64_t)(pivot[k] - 1) * m;

        for (int j = 0; a != b && j < m; j++) {
            const double kept = a[j];

            a[j] = b[j];
            b[j] = kept;
        }
    }
    dtrsm_("R", "L", "T", "U", &m, &c, &one, F11, &rows, F12T, &m);
    dtrsm_("R", "U", "N", "N", &m, &c, &one, F11, &rows, F11 + c, &rows);
    note_largest((int64_t)c * m, F12T, largest);
    dgemm_("N", "T", &m, &m, &c, &minus, F11 + c, &rows, F12T, &m, &before, update, &m);
}

static sab_status lu_state_update(void *data, const sab_sparse *A, sab_factor_info *info,
                                  sab_error *err)
{
    lu_state *state = data;
    double smallest = INFINITY, largest = 0.0, *top = state->stack;
    int64_t open = 0;

    measure_scale(state, A);
    for (int64_t k = 0; k < state->nfronts && smallest >= SAB_PIVOT_NOISE; k++) {
        const front *f = &state->front[k];
        const size_t own = (size_t)f->below * (size_t)f->below;
        double *update = top, *child = top;

        fill_front(state, A, k);
        if (f->children > 0)
            memset(update, 0, own * sizeof *update);
        for (int c = 0; c < f->children; c++) {
            const front *from = &state->front[state->open[--open]];

            child -= (int64_t)from->below * from->below;
            extend_add(state, from, child, f, update);
        }
        eliminate(state, f, update, &smallest, &largest);
        memmove(child, update, own * sizeof *update);
        top = child;
        if (f->parent >= 0) {
            state->open[open++] = (int)k;
            top += own;
        }
    }
    info->smallest_pivot = smallest;
    if (smallest >= SAB_PIVOT_NOISE && largest <= LARGEST)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_NUMERIC,
                    "without exchanging rows of different supernodes the smallest pivot, after "
                    "scaling, is %.2g, and the largest entry %.2g",
                    smallest, largest);
}

/* x <- L11^-1 x and x <- U11^-1 x. Most fronts have a few columns, for which a call of the BLAS
 * costs more than its work. */
static void solve_lower(int c, const double *F11, int rows, double *x)
{
    const int step = 1;

    if (c > FEW)
        dtrsv_("L", "N", "U", &c, F11, &rows, x, &step);
    else
        for (int k = 0; k < c; k++, F11 += rows)
            for (int i = k + 1; i < c; i++)
                x[i] -= F11[i] * x[k];
}

static void solve_upper(int c, const double *F11, int rows, double *x)
{
    const int step = 1;

    if (c > FEW) {
        dtrsv_("U", "N", "N", &c, F11, &rows, x, &step);
        return;
    }
    for (int k = c - 1; k >= 0; k--) {
        const double *column = F11 + (int64_t)k * rows;

        x[k] /= column[k];
        for (int i = 0; i < k; i++)
            x[i] -= column[i] * x[k];
    }
}

static sab_status lu_state_solve(void *data, const double *b, double *x, sab_factor_info *info,
                                 sab_error *err)
{
    (void)info;
    lu_state *state = data;
    const double one = 1.0, minus = -1.0, zero = 0.0;
    const int step = 1;
    double *z = state->x, *w = state->y;

    (void)err;
    for (int64_t k = 0; k < state->n; k++) {
        const int64_t i = state->super.order[k];

        z[k] = state->scale[i] * b[i];
    }
    for (int64_t k = 0; k < state->nfronts; k++) {
        const front *f = &state->front[k];
        const int c = f->columns, m = f->below, rows = c + m, *pivot = state->pivot + f->first;
        const double *F11 = state->value + f->left;
        double *own = z + f->first;

        for (int i = 0; i < c; i++) {
            const double kept = own[i];

            own[i] = own[pivot[i] - 1];
            own[pivot[i] - 1] = kept;
        }
        solve_lower(c, F11, rows, own);
        if (m == 0)
            continue;
        dgemv_("N", &m, &c, &one, F11 + c, &rows, own, &step, &zero, w, &step);
        for (int i = 0; i < m; i++)
            z[f->row[c + i]] -= w[i];
    }
    for (int64_t k = state->nfronts - 1; k >= 0; k--) {
        const front *f = &state->front[k];
        const int c = f->columns, m = f->below, rows = c + m;
        double *own = z + f->first;

        for (int i = 0; i < m; i++)
            w[i] = z[f->row[c + i]];
        if (m > 0)
            dgemv_("T", &m, &c, &minus, state->value + f->right, &m, w, &step, &one, own, &step);
        solve_upper(c, state->value + f->left, rows, own);
    }
    for (int64_t k = 0; k < state->n; k++) {
        const int64_t i = state->super.order[k];

        x[i] = state->scale[i] * z[k];
    }
    return SAB_OK;
}

const sab_backend sab_backend_lu = {
    .name = "lu",
    .reserve = &sab_backend_mumps,
    .largest = INT32_MAX - 1,
    .create = lu_state_create,
    .update = lu_state_update,
    .solve = lu_state_solve,
    .destroy = lu_state_destroy,
};

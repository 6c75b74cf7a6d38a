/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/backend_cholmod.c -- supernodal Cholesky L L^T by CHOLMOD, with 64-bit indices.
 *
 * Supernodal is asked for by name: it is the fast one, and the simplicial L D L^T, which CHOLMOD
 * may choose for small matrices, accepts an indefinite matrix without a word. */
#include "linalg/backend.h"
#include "base/memory.h"

#ifdef HAVE_SUITESPARSE_SUBDIR
#include <suitesparse/cholmod.h>
#else
#include <cholmod.h>
#endif
#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct cholmod_state {
    cholmod_common common;
    cholmod_factor *L;
    cholmod_factor *symbolic; /* L as analysed, for others to take over */
    double lower;             /* entries of the triangle that was analysed */
    double entries, flops;    /* as analysed */
    cholmod_dense *x, *y, *e; /* solution and workspace of a solve */
} cholmod_state;

/* A in the form CHOLMOD reads it: the arrays are shared, and CHOLMOD only reads them. */
static cholmod_sparse view_matrix(const sab_sparse *A)
{
    return (cholmod_sparse){.nrow = (size_t)A->n,
                            .ncol = (size_t)A->n,
                            .nzmax = (size_t)A->start[A->n],
                            .p = A->start,
                            .i = A->row,
                            .x = A->value,
                            .stype = -1, /* symmetric, lower triangle stored */
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = true,
                            .packed = true};
}

/* CHOLMOD's functions return "true" even when they warn, so only common.status tells. */
static sab_status check_status(const cholmod_common *common, const char *what, sab_error *err)
{
    switch (common->status) {
    case CHOLMOD_OK:
    case CHOLMOD_NOT_POSDEF: /* reported with its column by check_pivots */
        return SAB_OK;
    case CHOLMOD_OUT_OF_MEMORY:
        return sab_fail(err, SAB_ERR_MEMORY, "CHOLMOD ran out of memory in its %s (it held %zu MB)",
                        what, common->memory_inuse / 1000000);
    case CHOLMOD_TOO_LARGE:
        return sab_fail(err, SAB_ERR_MEMORY,
                        "the factor is too large for the integers of CHOLMOD or of the BLAS (%s)",
                        what);
    default:
        return sab_fail(err, SAB_ERR_INTERNAL, "CHOLMOD failed in its %s with status %d", what,
                        common->status);
    }
}

static void cholmod_state_destroy(void *data)
{
    cholmod_state *state = data;

    cholmod_l_free_factor(&state->L, &state->common);
    cholmod_l_free_factor(&state->symbolic, &state->common);
    cholmod_l_free_dense(&state->x, &state->common);
    cholmod_l_free_dense(&state->y, &state->common);
    cholmod_l_free_dense(&state->e, &state->common);
    cholmod_l_finish(&state->common);
    sab_free(state);
}

static cholmod_dense *new_dense(cholmod_state *state, size_t rows, size_t columns)
{
    if (state->common.status != CHOLMOD_OK)
        return NULL; /* each call resets the status: keep the first failure */
    return cholmod_l_allocate_dense(rows, columns, rows, CHOLMOD_REAL, &state->common);
}

static const char *ordering_name(int ordering)
{
    switch (ordering) {
    case CHOLMOD_AMD:
        return "AMD";
    case CHOLMOD_METIS:
        return "METIS";
    default:
        return "unknown";
    }
}

/* Bytes of L L^T and of L U (backend_lu.c) on the supernodes of L, with the workspace of an update,
 * of a matrix with so many entries in its lower triangle. A supernode of c columns and m rows below
 * them has c (c + m) values in L L^T and c (c + 2 m) in L U, which also keeps the updates, m^2
 * values each, that wait for their parent. */
static sab_status measure_bytes(const cholmod_factor *L, double entries, sab_factor_info *info,
                                sab_error *err)
{
    const int64_t *super = L->super, *rows = L->pi, *row = L->s, nsuper = (int64_t)L->nsuper;
    const double n = (double)L->n, values = (double)L->xsize, index = (double)L->ssize;
    double upper = 0.0, waiting = 0.0, stack = 0.0;
    sab_status status = SAB_OK;
    int64_t *owner = NULL;
    double *children = NULL; /* their updates */

    SAB_NEW(owner, L->n);
    SAB_NEW(children, nsuper);
    for (int64_t k = 0; k < nsuper; k++)
        for (int64_t j = super[k]; j < super[k + 1]; j++)
            owner[j] = k;
    for (int64_t k = 0; k < nsuper; k++) {
        const int64_t c = super[k + 1] - super[k], m = rows[k + 1] - rows[k] - c;
        const double update = (double)m * (double)m;

        upper += (double)c * (double)m;
        stack = fmax(stack, waiting + update);
        waiting += update - children[k];
        if (m > 0)
            children[owner[row[rows[k] + c]]] += update;
    }
    /* CHOLMOD factors a permuted copy of A, which it makes of another one; its workspace is the
     * largest update, and the analysis is kept for others. L U scatters A by a table of places. */
    info->bytes_llt = 8.0 * (values + (double)L->maxcsize + 2.0 * index + (double)L->maxesize) +
                      32.0 * entries + 100.0 * n;
    info->bytes_lu =
        8.0 * (values + upper + stack + index) + 20.0 * (2.0 * entries - n) + 100.0 * n;
cleanup:
    SAB_FREE(owner);
    SAB_FREE(children);
    return status;
}

static sab_status analyse(cholmod_state *state, const sab_sparse *A, bool metis,
                          const cholmod_state *known, sab_factor_info *info, sab_error *err)
{
    cholmod_sparse view = view_matrix(A);

    cholmod_l_start(&state->common);
    state->common.print = 0; /* no messages: we look at the status */
    state->common.supernodal = CHOLMOD_SUPERNODAL;
    state->common.nmethods = 1;
    state->common.method[0].ordering = metis ? CHOLMOD_METIS : CHOLMOD_AMD;
    state->common.final_ll = true;
    state->common.quick_return_if_not_posdef = true;

    info->shared = known != NULL;
    state->L = info->shared ? cholmod_l_copy_factor(known->symbolic, &state->common)
                            : cholmod_l_analyze(&view, &state->common);
    sab_status status = check_status(&state->common, "analysis", err);
    if (status == SAB_OK) {
        state->lower = info->shared ? known->lower : state->common.anz;
        state->entries = info->shared ? known->entries : state->common.lnz;
        state->flops = info->shared ? known->flops : state->common.fl;
        info->ordering = ordering_name(state->L->ordering); /* without METIS it takes AMD */
        info->entries = state->entries;
        info->flops = state->flops;
        status = measure_bytes(state->L, state->lower, info, err);
    }
    return status;
}

static sab_status cholmod_state_create(const sab_sparse *A, const sab_analysis *how, void **data,
                                       sab_factor_info *info, sab_error *err)
{
    sab_status status = SAB_OK;
    cholmod_state *state = NULL;

    *data = NULL;
    SAB_NEW(state, 1);
    SAB_TRY(analyse(state, A, how->metis, how->known, info, err));
    state->symbolic = cholmod_l_copy_factor(state->L, &state->common);
    SAB_TRY(check_status(&state->common, "analysis", err));
    /* cholmod_l_solve2 would make these itself, but CHOLMOD 3.0 crashes when it cannot. It keeps
     * them if they have the shapes it wants; e is for the rows below a supernode. */
    state->x = new_dense(state, state->L->n, 1);
    state->y = new_dense(state, state->L->n, 1);
    state->e = new_dense(state, 1, state->L->maxesize);
    SAB_TRY(check_status(&state->common, "analysis", err));
    *data = state;
    state = NULL;
cleanup:
    if (state != NULL)
        cholmod_state_destroy(state);
    return status;
}

/* The smallest l_kk^2 / a_jj, where column k of L comes from column j = perm[k] of A. In exact
 * arithmetic a_jj = l_kk^2 + sum_i l_ki^2, so the ratio lies in (0, 1] and does not change when
 * rows and columns of A are scaled. */
static double smallest_pivot(const cholmod_factor *L, const sab_sparse *A, int64_t *column)
{
    const int64_t *super = L->super; /* supernode s has the columns super[s] .. super[s+1]-1 */
    const int64_t *rows = L->pi;     /* and rows[s+1] - rows[s] rows, stored dense by columns */
    const int64_t *first = L->px;    /* from value[first[s]] on */
    const int64_t *perm = L->Perm;
    const double *value = L->x;
    double smallest = INFINITY;

    *column = 0;
    for (size_t s = 0; s < L->nsuper; s++) {
        const int64_t stride = rows[s + 1] - rows[s];

        for (int64_t k = super[s]; k < super[s + 1]; k++) {
            const int64_t j = perm[k];
            const double l = value[first[s] + (k - super[s]) * (stride + 1)];
            const double ratio = l * l / A->value[A->start[j]]; /* lower: the diagonal is first */

            if (!(ratio >= smallest)) { /* true for NaN, after an overflow */
                smallest = ratio;
                *column = j;
            }
            if (isnan(ratio))
                return ratio;
        }
    }
    return smallest;
}

static sab_status check_pivots(const cholmod_state *state, const sab_sparse *A,
                               sab_factor_info *info, sab_error *err)
{
    int64_t column = 0;

    if (state->common.status == CHOLMOD_NOT_POSDEF) { /* L->minor counts in eliminated order */
        const int64_t *perm = state->L->Perm;

        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is singular or not positive definite: the pivot of column "
                        "%" PRId64 " (from 0) is not positive, after %zu good ones",
                        perm[state->L->minor], state->L->minor);
    }
    info->smallest_pivot = smallest_pivot(state->L, A, &column);
    if (!(info->smallest_pivot >= SAB_PIVOT_NOISE))
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is singular to working precision: the pivot of column "
                        "%" PRId64 " (from 0) is %.2g of its diagonal entry",
                        column, info->smallest_pivot);
    return SAB_OK;
}

static sab_status cholmod_state_update(void *data, const sab_sparse *A, sab_factor_info *info,
                                       sab_error *err)
{
    cholmod_state *state = data;
    cholmod_sparse view = view_matrix(A);
    sab_status status = SAB_OK;

    cholmod_l_factorize(&view, state->L, &state->common);
    SAB_TRY(check_status(&state->common, "factorisation", err));
    SAB_TRY(check_pivots(state, A, info, err));
cleanup:
    return status;
}

static sab_status cholmod_state_solve(void *data, const double *b, double *x, sab_factor_info *info,
                                      sab_error *err)
{
    (void)info;
    cholmod_state *state = data;
    const size_t n = state->L->n;
    cholmod_dense rhs = {.nrow = n,
                         .ncol = 1,
                         .nzmax = n,
                         .d = n,
                         .x = (void *)(uintptr_t)b, /* CHOLMOD only reads it */
                         .xtype = CHOLMOD_REAL,
                         .dtype = CHOLMOD_DOUBLE};

    cholmod_l_solve2(CHOLMOD_A, state->L, &rhs, NULL, &state->x, NULL, &state->y, &state->e,
                     &state->common);
    const sab_status status = check_status(&state->common, "solution", err);
    if (status == SAB_OK)
        memcpy(x, state->x->x, n * sizeof *x);
    return status;
}

sab_status sab_order_metis(const sab_sparse *A, int64_t *order, sab_error *err)
{
    cholmod_common common;
    cholmod_sparse view = view_matrix(A);
    sab_status status;

    cholmod_l_start(&common);
    common.print = 0;
    cholmod_l_metis(&view, NULL, 0, true, order, &common);
    status = check_status(&common, "ordering", err);
    cholmod_l_finish(&common);
    return status;
}

static sab_status copy_indices(size_t n, const void *from, int64_t **to, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_NEW(*to, n);
    memcpy(*to, from, n * sizeof **to);
cleanup:
    return status;
}

sab_status sab_supernodes_create(const sab_sparse *A, bool metis, const void *known,
                                 sab_supernodes *super, sab_factor_info *info, sab_error *err)
{
    sab_status status = SAB_OK;
    cholmod_state *state = NULL;

    SAB_NEW(state, 1);
    SAB_TRY(analyse(state, A, metis, known, info, err));
    const cholmod_factor *L = state->L;
    super->n = (int64_t)L->nsuper;
    SAB_TRY(copy_indices(L->n, L->Perm, &super->order, err));
    SAB_TRY(copy_indices(L->nsuper + 1, L->super, &super->first, err));
    SAB_TRY(copy_indices(L->nsuper + 1, L->pi, &super->start, err));
    SAB_TRY(copy_indices(L->ssize, L->s, &super->row, err));
cleanup:
    if (state != NULL)
        cholmod_state_destroy(state);
    return status;
}

void sab_supernodes_clear(sab_supernodes *super)
{
    SAB_FREE(super->order);
    SAB_FREE(super->first);
    SAB_FREE(super->start);
    SAB_FREE(super->row);
}

#define SAB_TEXT_OF(x) #x
#define SAB_TEXT(x) SAB_TEXT_OF(x)

const sab_backend sab_backend_cholmod = {
    .name = "cholmod",
    .version = SAB_TEXT(CHOLMOD_MAIN_VERSION) "." SAB_TEXT(CHOLMOD_SUB_VERSION) "." SAB_TEXT(
        CHOLMOD_SUBSUB_VERSION),
    .largest = INT64_MAX,
    .create = cholmod_state_create,
    .update = cholmod_state_update,
    .solve = cholmod_state_solve,
    .destroy = cholmod_state_destroy,
};

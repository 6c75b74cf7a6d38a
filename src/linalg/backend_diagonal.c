/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/backend.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <inttypes.h>

typedef struct diagonal {
    int64_t n;
    double *inverse; /* [n] */
} diagonal;

bool sab_pattern_is_diagonal(const sab_sparse *A)
{
    if (A->n == 0 || A->start[A->n] != A->n)
        return false;
    for (int64_t j = 0; j < A->n; j++)
        if (A->start[j] != j || A->row[j] != j)
            return false;
    return true;
}

static void destroy(void *state)
{
    diagonal *d = state;

    SAB_FREE(d->inverse);
    sab_free(d);
}

static sab_status create(const sab_sparse *A, const sab_analysis *how, void **state,
                         sab_factor_info *info, sab_error *err)
{
    diagonal *d = NULL;
    sab_status status = SAB_OK;

    (void)how;
    *state = NULL;
    SAB_NEW(d, 1);
    d->n = A->n;
    SAB_NEW(d->inverse, A->n);
    info->ordering = "none";
    info->entries = info->flops = (double)A->n;
    *state = d;
    d = NULL;
cleanup:
    if (d != NULL)
        destroy(d);
    return status;
}

static sab_status update(void *state, const sab_sparse *A, sab_factor_info *info, sab_error *err)
{
    diagonal *d = state;

    for (int64_t j = 0; j < d->n; j++) {
        if (!(A->value[j] > 0.0))
            return sab_fail(
                err, SAB_ERR_NUMERIC, "the matrix is %s: entry %" PRId64 " of its diagonal is %g",
                A->value[j] == 0.0 ? "singular" : "not positive definite", j, A->value[j]);
        d->inverse[j] = 1.0 / A->value[j];
    }
    info->smallest_pivot = 1.0;
    return SAB_OK;
}

static sab_status solve(void *state, const double *b, double *x, sab_factor_info *info,
                        sab_error *err)
{
    (void)info;
    const diagonal *d = state;

    (void)err;
    SAB_PARALLEL_FOR(d->n)
    for (int64_t j = 0; j < d->n; j++)
        x[j] = b[j] * d->inverse[j];
    return SAB_OK;
}

const sab_backend sab_backend_diagonal = {.name = "diagonal",
                                          .version = SAB_VERSION,
                                          .largest = INT64_MAX,
                                          .create = create,
                                          .update = update,
                                          .solve = solve,
                                          .destroy = destroy};

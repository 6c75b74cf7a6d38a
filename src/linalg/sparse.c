#include "linalg/sparse.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

sab_status sab_sparse_create(int64_t n, int64_t entries, bool symmetric, sab_sparse **A,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    sab_sparse *a = NULL;

    *A = NULL;
    SAB_NEW(a, 1);
    a->n = n;
    a->symmetric = symmetric;
    SAB_NEW(a->start, n + 1);
    SAB_NEW(a->row, entries);
    SAB_NEW(a->value, entries);
    *A = a;
    a = NULL;
cleanup:
    sab_sparse_destroy(&a);
    return status;
}

void sab_sparse_destroy(sab_sparse **A)
{
    if (*A != NULL) {
        SAB_FREE((*A)->start);
        SAB_FREE((*A)->row);
        SAB_FREE((*A)->value);
        SAB_FREE(*A);
    }
}

void sab_sparse_multiply(const sab_sparse *A, const double *restrict x, double *restrict y)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int64_t j = 0; j < A->n; j++) {
        const double xj = x[j];
        double sum = 0.0; /* the missing upper triangle, row j */
        int64_t p = A->start[j];

        if (!A->symmetric) {
            for (; p < A->start[j + 1]; p++)
                y[A->row[p]] += A->value[p] * xj;
            continue;
        }
        if (p < A->start[j + 1] && A->row[p] == j) /* lower: the diagonal is first */
            y[j] += A->value[p++] * xj;
        for (; p < A->start[j + 1]; p++) {
            const int64_t i = A->row[p];

            y[i] += A->value[p] * xj;
            sum += A->value[p] * x[i];
        }
        y[j] += sum;
    }
}

int64_t sab_sparse_find(const sab_sparse *A, int64_t i, int64_t j)
{
    int64_t low = A->start[j], high = A->start[j + 1];

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (A->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < A->start[j + 1] && A->row[low] == i ? low : -1;
}

/* The places in K of entry (i, j) of A and of its mirror image. */
static sab_status locate(const sab_sparse *K, int64_t i, int64_t j, int64_t place[2],
                         sab_error *err)
{
    place[0] = sab_sparse_find(K, i, j);
    place[1] = K->symmetric || i == j ? place[0] : sab_sparse_find(K, j, i);
    if (place[0] < 0 || place[1] < 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "entry (%lld, %lld) of A couples unknowns that no block of B has",
                        (long long)i, (long long)j);
    return SAB_OK;
}

sab_status sab_sparse_locate(const sab_sparse *A, const sab_sparse *K, int64_t **places,
                             sab_error *err)
{
    int64_t *found = NULL;
    sab_status status = SAB_OK;

    *places = NULL;
    SAB_NEW(found, 2 * A->start[A->n]);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++)
            SAB_TRY(locate(K, A->row[p], j, found + 2 * p, err));
    *places = found;
    found = NULL;
cleanup:
    SAB_FREE(found);
    return status;
}

void sab_sparse_copy(const sab_sparse *A, const int64_t *places, sab_sparse *K)
{
    memset(K->value, 0, (size_t)K->start[K->n] * sizeof *K->value);
    SAB_PARALLEL_FOR(A->n)
    for (int64_t p = 0; p < A->start[A->n]; p++)
        K->value[places[2 * p]] = K->value[places[2 * p + 1]] = A->value[p];
}

sab_status sab_sparse_add(const sab_sparse *A, sab_sparse *K, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int64_t j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            int64_t place[2];

            SAB_TRY(locate(K, A->row[p], j, place, err));
            K->value[place[0]] += A->value[p];
            if (place[1] != place[0])
                K->value[place[1]] += A->value[p];
        }
cleanup:
    return status;
}

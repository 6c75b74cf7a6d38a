#include "linalg/sparse.h"
#include "base/memory.h"

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

void sab_sparse_multiply(const sab_sparse *A, const double *x, double *y)
{
    memset(y, 0, (size_t)A->n * sizeof *y);
    for (int64_t j = 0; j < A->n; j++) {
        double sum = 0.0; /* the missing upper triangle, row j */

        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            const int64_t i = A->row[p];

            y[i] += A->value[p] * x[j];
            if (A->symmetric && i != j)
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

sab_status sab_sparse_add(const sab_sparse *A, sab_sparse *K, sab_error *err)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
            const int64_t i = A->row[p], here = sab_sparse_find(K, i, j);
            const int64_t mirror = K->symmetric || i == j ? here : sab_sparse_find(K, j, i);

            if (here < 0 || mirror < 0)
                return sab_fail(err, SAB_ERR_INPUT,
                                "entry (%lld, %lld) of A couples unknowns that no block of B has",
                                (long long)i, (long long)j);
            K->value[here] += A->value[p];
            if (mirror != here)
                K->value[mirror] += A->value[p];
        }
    return SAB_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
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

/* Column j of both: of K its rows, of A those of its lower triangle and, if K has both, of its
 * upper one, which stand in `upper`. Rising; where `row` is NULL they are counted only. */
static int64_t merge_column(const sab_sparse *K, const sab_sparse *A, const sab_sparse *upper,
                            int64_t j, int64_t *row)
{
    int64_t k = K->start[j], a = A->start[j], up = upper != NULL ? upper->start[j] : 0, n = 0;
    const int64_t kend = K->start[j + 1], aend = A->start[j + 1],
                  upend = upper != NULL ? upper->start[j + 1] : 0;

    while (k < kend || a < aend || up < upend) {
        int64_t next = INT64_MAX;

        if (k < kend)
            next = K->row[k];
        if (a < aend && A->row[a] < next)
            next = A->row[a];
        if (up < upend && upper->row[up] < next)
            next = upper->row[up];
        k += k < kend && K->row[k] == next;
        a += a < aend && A->row[a] == next;
        up += up < upend && upper->row[up] == next;
        if (row != NULL)
            row[n] = next;
        n++;
    }
    return n;
}

/* The pattern of the transpose. */
static sab_status transpose(const sab_sparse *A, sab_sparse **T, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_sparse *t = NULL;

    SAB_TRY(sab_sparse_create(A->n, A->start[A->n], false, &t, err));
    for (int64_t p = 0; p < A->start[A->n]; p++)
        t->start[A->row[p] + 1]++;
    for (int64_t j = 0; j < A->n; j++)
        t->start[j + 1] += t->start[j];
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t p = A->start[j]; p < A->start[j + 1]; p++)
            t->row[t->start[A->row[p]]++] = j;
    memmove(t->start + 1, t->start, (size_t)A->n * sizeof *t->start);
    t->start[0] = 0;
    *T = t;
cleanup:
    return status;
}

sab_status sab_sparse_include(const sab_sparse *A, sab_sparse **K, sab_error *err)
{
    sab_sparse *upper = NULL, *sum = NULL;
    int64_t entries = 0;
    sab_status status = SAB_OK;

    if (!(*K)->symmetric)
        SAB_TRY(transpose(A, &upper, err));
    for (int64_t j = 0; j < A->n; j++)
        entries += merge_column(*K, A, upper, j, NULL);
    if (entries == (*K)->start[A->n])
        goto cleanup;
    SAB_TRY(sab_sparse_create(A->n, entries, (*K)->symmetric, &sum, err));
    for (int64_t j = 0; j < A->n; j++)
        sum->start[j + 1] = sum->start[j] + merge_column(*K, A, upper, j, sum->row + sum->start[j]);
    sab_sparse_destroy(K);
    *K = sum;
cleanup:
    sab_sparse_destroy(&upper);
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

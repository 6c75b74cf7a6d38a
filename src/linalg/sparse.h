/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/sparse.h -- square sparse matrices in compressed columns, rows sorted in each column.
 * 64-bit indices throughout, as cholmod_l wants them. */
#ifndef SAB_LINALG_SPARSE_H
#define SAB_LINALG_SPARSE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sab_sparse {
    int64_t n;
    bool symmetric; /* true: only the lower triangle (row >= column) is stored */
    int64_t *start; /* [n+1] column j holds entries start[j] .. start[j+1]-1 */
    int64_t *row;   /* [start[n]] */
    double *value;  /* [start[n]] */
} sab_sparse;

/* Room for `entries` entries, all zero. The caller owns *A; NULL on failure. */
sab_status sab_sparse_create(int64_t n, int64_t entries, bool symmetric, sab_sparse **A,
                             sab_error *err);
void sab_sparse_destroy(sab_sparse **A);
/* y = A x, the missing triangle supplied when A is symmetric. x and y must differ. */
void sab_sparse_multiply(const sab_sparse *A, const double *x, double *y);
/* Place of entry (i, j) in row and value, by bisection; -1 if the pattern has none. */
int64_t sab_sparse_find(const sab_sparse *A, int64_t i, int64_t j);
/* Where the entries of A, symmetric, go in K, symmetric or not: places [2 * entries of A], of entry
 * (i, j) and of (j, i), the same place if K has no other. SAB_ERR_INPUT if the pattern of K lacks
 * one. The caller owns *places. */
sab_status sab_sparse_locate(const sab_sparse *A, const sab_sparse *K, int64_t **places,
                             sab_error *err);
/* Give the pattern of K that of A as well, A symmetric: nothing happens if it has it already. On a
 * failure *K is as it was. */
sab_status sab_sparse_include(const sab_sparse *A, sab_sparse **K, sab_error *err);
/* K = A, with the places found once. */
void sab_sparse_copy(const sab_sparse *A, const int64_t *places, sab_sparse *K);
/* K += A, A symmetric, K symmetric or not. SAB_ERR_INPUT if the pattern of K lacks an entry of A.
 */
sab_status sab_sparse_add(const sab_sparse *A, sab_sparse *K, sab_error *err);

#endif

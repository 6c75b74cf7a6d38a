/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/linalg/factors.h -- what tests of factors share: small matrices, residuals, and memory that
 * runs out. */
#ifndef SAB_TESTS_LINALG_FACTORS_H
#define SAB_TESTS_LINALG_FACTORS_H

#include "base/memory.h"
#include "linalg/factor.h"
#include "linalg/server.h"
#include "failing.h"
#include "unit.h"

#include <math.h>
#include <string.h>

/* A matrix from its dense rows, the nonzeros only; the lower triangle only if symmetric. */
static inline sab_sparse *make_dense(int n, bool symmetric, const double *a)
{
    sab_sparse *A = NULL;
    int64_t k = 0;

    CU_ASSERT_FATAL(sab_sparse_create(n, (int64_t)n * n, symmetric, &A, NULL) == SAB_OK);
    for (int j = 0; j < n; j++) {
        for (int i = symmetric ? j : 0; i < n; i++)
            if (a[i * n + j] != 0.0) {
                A->row[k] = i;
                A->value[k++] = a[i * n + j];
            }
        A->start[j + 1] = k;
    }
    return A;
}

static inline double *make_vector(int64_t n, unsigned long long seed)
{
    double *v = sab_alloc((size_t)n, sizeof *v);

    CU_ASSERT_FATAL(v != NULL);
    for (int64_t i = 0; i < n; i++)
        v[i] = 2.0 * sab_test_random(&seed) - 1.0;
    return v;
}

static inline double largest(int64_t n, const double *v)
{
    double m = 0.0;

    for (int64_t i = 0; i < n; i++)
        m = fmax(m, fabs(v[i]));
    return m;
}

/* |A x - b| / |b| */
static inline double residual(const sab_sparse *A, const double *x, const double *b)
{
    double *r = make_vector(A->n, 1);

    sab_sparse_multiply(A, x, r);
    for (int64_t i = 0; i < A->n; i++)
        r[i] -= b[i];
    const double relative = largest(A->n, r) / largest(A->n, b);
    sab_free(r);
    return relative;
}

/* Each allocation of ours fails in turn: SAB_ERR_MEMORY, and all is given back. There are more than
 * `least` in create, and none in update and solve. */
static inline void check_memory(sab_factor_options options, const sab_sparse *A, int least)
{
    double *b = make_vector(A->n, 7);
    const long before = sab_memory.live;
    sab_status status = SAB_ERR_MEMORY;

    for (int n = 1; status != SAB_OK && n < 40; n++) {
        sab_factor *f = NULL;
        sab_error err = {0};

        sab_memory.failing = n - 1;
        status = sab_factor_create(&options, A, &f, &err);
        if (status == SAB_OK) { /* n is beyond the last allocation of create */
            CU_ASSERT(n > least);
            sab_memory.failing = 0; /* update and solve have none that could fail */
            CU_ASSERT(sab_factor_update(f, A, &err) == SAB_OK);
            CU_ASSERT(sab_factor_solve(f, b, b, &err) == SAB_OK);
        } else {
            CU_ASSERT(status == SAB_ERR_MEMORY && f == NULL);
            CU_ASSERT(strstr(err.message, "out of memory") != NULL);
        }
        sab_memory.failing = -1;
        sab_factor_destroy(&f);
        CU_ASSERT_EQUAL(sab_memory.live, before);
    }
    CU_ASSERT(status == SAB_OK);
    sab_free(b);
}

#endif

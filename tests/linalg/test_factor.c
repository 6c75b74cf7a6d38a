/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factor and solve, the same tests for every backend. */
#include "factors.h"

#include <float.h>

static const sab_factor_backend backends[] = {SAB_CHOLMOD, SAB_MUMPS};
enum { NBACKENDS = sizeof backends / sizeof backends[0] };
static const sab_factor_options cholmod = {.backend = SAB_CHOLMOD};

/* ---- matrices ---- */

/* -Laplace u + shift u on an m x m grid, zero outside: 4 + shift on the diagonal, -1 beside. */
static sab_sparse *make_laplacian(int m, double shift)
{
    sab_sparse *A = NULL;
    int64_t k = 0;

    CU_ASSERT_FATAL(sab_sparse_create((int64_t)m * m, 3LL * m * m, true, &A, NULL) == SAB_OK);
    for (int j = 0; j < m * m; j++) {
        A->row[k] = j;
        A->value[k++] = 4.0 + shift;
        if (j % m < m - 1) {
            A->row[k] = j + 1;
            A->value[k++] = -1.0;
        }
        if (j / m < m - 1) {
            A->row[k] = j + m;
            A->value[k++] = -1.0;
        }
        A->start[j + 1] = k;
    }
    return A;
}

/* Random entries in [-1,1), about `per_column` each; the diagonal exceeds the sum of its row, so
 * that the symmetric one is positive definite. `scale` multiplies the whole. */
static sab_sparse *make_random(int n, int per_column, bool symmetric, double scale,
                               unsigned long long seed)
{
    sab_sparse *A = NULL;
    unsigned long long pattern = 7, state = seed; /* the pattern does not depend on the seed */
    double *sum = sab_alloc((size_t)n, sizeof *sum);
    int64_t k = 0;

    CU_ASSERT_FATAL(sum != NULL);
    CU_ASSERT_FATAL(sab_sparse_create(n, (int64_t)n * n, symmetric, &A, NULL) == SAB_OK);
    for (int j = 0; j < n; j++) {
        for (int i = symmetric ? j : 0; i < n; i++)
            if (i == j || sab_test_random(&pattern) * n < per_column) {
                const double v = i == j ? 0.0 : scale * (2.0 * sab_test_random(&state) - 1.0);

                A->row[k] = i;
                A->value[k++] = v;
                sum[i] += fabs(v);
                sum[j] += symmetric ? fabs(v) : 0.0;
            }
        A->start[j + 1] = k;
    }
    for (int j = 0; j < n; j++)
        for (int64_t l = A->start[j]; l < A->start[j + 1]; l++)
            if (A->row[l] == j)
                A->value[l] = sum[j] + 0.1 * scale;
    sab_free(sum);
    return A;
}

/* Create, update, solve A x = b; the residual is asserted. */
static void solve_checked(sab_factor_backend backend, const sab_sparse *A, const double *b,
                          double *x)
{
    sab_error err = {0};
    sab_factor *f = NULL;

    CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = backend}, A, &f, &err) ==
                    SAB_OK);
    CU_ASSERT_FATAL(sab_factor_update(f, A, &err) == SAB_OK);
    CU_ASSERT(sab_factor_solve(f, b, x, &err) == SAB_OK);
    SAB_ASSERT_CLOSE(residual(A, x, b), 0.0, 1e-12);
    sab_factor_destroy(&f);
    CU_ASSERT(f == NULL);
}

/* ---- tests ---- */

/* The residual of each backend, and the same solution from all. Takes A. */
static void check_all(sab_sparse *A)
{
    double *b = make_vector(A->n, 3), *first = make_vector(A->n, 1), *x = make_vector(A->n, 1);

    solve_checked(backends[0], A, b, first);
    for (int k = 1; k < NBACKENDS; k++) {
        solve_checked(backends[k], A, b, x);
        for (int64_t i = 0; i < A->n; i++)
            x[i] -= first[i];
        SAB_ASSERT_CLOSE(largest(A->n, x) / largest(A->n, first), 0.0, 1e-10);
    }
    sab_free(b);
    sab_free(first);
    sab_free(x);
    sab_sparse_destroy(&A);
}

static void test_random(void)
{
    check_all(make_random(400, 6, true, 1.0, 11));
    check_all(make_random(60, 60, true, 1e-9, 12)); /* full, and small values */
}

static void test_laplacian(void)
{
    check_all(make_laplacian(60, 0.0));
}

static void test_one_unknown(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_dense(1, true, (double[]){4.0});
        double x[1];

        solve_checked(backends[k], A, (double[]){2.0}, x);
        CU_ASSERT_EQUAL(x[0], 0.5);
        sab_sparse_destroy(&A);
    }
}

/* No unknown is no error: a problem whose velocities are all imposed has nothing to solve. */
static void test_no_unknown(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_dense(0, true, NULL);
        sab_factor *f = NULL;

        CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, A, &f,
                                          NULL) == SAB_OK);
        CU_ASSERT(sab_factor_update(f, A, NULL) == SAB_OK);
        CU_ASSERT(sab_factor_solve(f, NULL, NULL, NULL) == SAB_OK);
        CU_ASSERT_EQUAL(sab_factor_get_info(f).solves, 1);
        sab_factor_destroy(&f);
        sab_sparse_destroy(&A);
    }
}

/* New values in the same pattern, b and x the same array, and what info counts. */
static void test_update(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_random(200, 5, true, 1.0, 21), *B = make_random(200, 5, true, 3.0, 22);
        double *b = make_vector(A->n, 4), *x = make_vector(A->n, 1);
        sab_factor *f = NULL;

        CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, A, &f,
                                          NULL) == SAB_OK);
        CU_ASSERT_EQUAL(sab_factor_get_info(f).updates, 0);
        for (int step = 0; step < 3; step++) {
            const sab_sparse *M = step % 2 == 0 ? A : B;

            CU_ASSERT(sab_factor_update(f, M, NULL) == SAB_OK);
            CU_ASSERT(sab_factor_solve(f, b, x, NULL) == SAB_OK);
            SAB_ASSERT_CLOSE(residual(M, x, b), 0.0, 1e-12);
            memcpy(x, b, (size_t)M->n * sizeof *x);
            CU_ASSERT(sab_factor_solve(f, x, x, NULL) == SAB_OK);
            SAB_ASSERT_CLOSE(residual(M, x, b), 0.0, 1e-12);
        }
        const sab_factor_info info = sab_factor_get_info(f);
        CU_ASSERT_STRING_EQUAL(info.backend, backends[k] == SAB_MUMPS ? "mumps" : "cholmod");
        CU_ASSERT_STRING_EQUAL(info.ordering, "AMD");
        CU_ASSERT_EQUAL(info.updates, 3);
        CU_ASSERT_EQUAL(info.solves, 6);
        CU_ASSERT(info.entries >= (double)A->start[A->n]);
        CU_ASSERT(info.flops > info.entries);
        CU_ASSERT(info.smallest_pivot > 0.01 && info.smallest_pivot <= 1.0);
        CU_ASSERT(info.update_cpu > 0.0 && info.total_update_cpu >= info.update_cpu);
        CU_ASSERT(info.total_solve_cpu > 0.0);
        sab_factor_destroy(&f);
        sab_free(b);
        sab_free(x);
        sab_sparse_destroy(&A);
        sab_sparse_destroy(&B);
    }
}

/* Both scale to a unit diagonal: [1 c; c 1] has the pivots 1 and 1 - c^2, whatever the units. */
static void test_smallest_pivot(void)
{
    const double c = 0.8, s = 1e-7;

    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_dense(2, true, (double[]){1.0, s * c, s * c, s * s});
        sab_factor *f = NULL;

        CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, A, &f,
                                          NULL) == SAB_OK);
        CU_ASSERT(sab_factor_update(f, A, NULL) == SAB_OK);
        SAB_ASSERT_CLOSE(sab_factor_get_info(f).smallest_pivot, 1.0 - c * c, 1e-14);
        sab_factor_destroy(&f);
        sab_sparse_destroy(&A);
    }
}

/* -Laplace u on an m x m x m grid, zero outside; with convection, which makes it unsymmetric. */
static sab_sparse *make_cube(int m, bool symmetric)
{
    const int step[3] = {1, m, m * m};
    sab_sparse *A = NULL;
    int64_t k = 0;

    CU_ASSERT_FATAL(sab_sparse_create(m * m * m, 7LL * m * m * m, symmetric, &A, NULL) == SAB_OK);
    for (int j = 0; j < m * m * m; j++) {
        for (int i = 2; i >= 0 && !symmetric; i--)
            if (j / step[i] % m > 0) {
                A->row[k] = j - step[i];
                A->value[k++] = -1.3;
            }
        A->row[k] = j;
        A->value[k++] = 6.0;
        for (int i = 0; i < 3; i++)
            if (j / step[i] % m < m - 1) {
                A->row[k] = j + step[i];
                A->value[k++] = symmetric ? -1.0 : -0.7;
            }
        A->start[j + 1] = k;
    }
    return A;
}

/* In space nested dissection has the smaller factor, in both libraries; the solution is the same,
 * and so are its bits when it is done again. AUTO goes by what it is told. */
static void test_ordering(void)
{
    static const sab_factor_options options[] = {
        {.ordering = SAB_ORDERING_AMD, .space = true},
        {.ordering = SAB_ORDERING_METIS},
        {.space = true},
        {.space = false},
    };
    static const char *const used[] = {"AMD", "METIS", "METIS", "AMD"};

    for (int symmetric = 0; symmetric < 2; symmetric++)
        for (int k = 0; k < NBACKENDS; k++) {
            sab_sparse *A = make_cube(14, symmetric);
            const size_t size = (size_t)A->n * sizeof(double);
            double *b = make_vector(A->n, 6), *x = make_vector(A->n, 1), *first = NULL;
            sab_factor_info info[4];

            for (int i = 0; i < 4; i++) {
                sab_factor_options o = options[i];
                sab_factor *f = NULL;

                o.backend = backends[k];
                CU_ASSERT_FATAL(sab_factor_create(&o, A, &f, NULL) == SAB_OK);
                CU_ASSERT_FATAL(sab_factor_update(f, A, NULL) == SAB_OK);
                CU_ASSERT(sab_factor_solve(f, b, x, NULL) == SAB_OK);
                SAB_ASSERT_CLOSE(residual(A, x, b), 0.0, 1e-12);
                info[i] = sab_factor_get_info(f);
                CU_ASSERT_STRING_EQUAL(info[i].ordering, used[i]);
                sab_factor_destroy(&f);
                if (i == 1) {
                    first = x;
                    x = make_vector(A->n, 1);
                } else if (i == 2 && info[i].processes == 1)
                    CU_ASSERT(memcmp(x, first, size) == 0); /* several have bits of their own */
            }
            CU_ASSERT(info[1].flops < 0.8 * info[0].flops && info[1].entries < info[0].entries);
            CU_ASSERT(info[2].flops == info[1].flops && info[3].flops == info[0].flops);
            sab_free(b);
            sab_free(x);
            sab_free(first);
            sab_sparse_destroy(&A);
        }
}

/* Without a name: CHOLMOD, but MUMPS on several processes and for blocks of low rank. */
static void test_auto(void)
{
    sab_sparse *A = make_cube(4, true);
    const char *const expected[] = {sab_server_processes() > 1 ? "mumps" : "cholmod", "mumps"};

    for (int i = 0; i < (sab_factor_has_blr() ? 2 : 1); i++) {
        sab_factor *f = NULL;

        CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.blr = i == 0 ? 0.0 : 1e-6}, A, &f,
                                          NULL) == SAB_OK);
        CU_ASSERT_STRING_EQUAL(sab_factor_get_info(f).backend, expected[i]);
        CU_ASSERT_EQUAL(sab_factor_get_info(f).processes, sab_server_processes());
        sab_factor_destroy(&f);
    }
    sab_sparse_destroy(&A);
}

/* Compressed factors are smaller, and solutions as good as those of full ones; or there is an error
 * that says so: with the lowest eigenvalue nearly shifted away, what is left out weighs more. */
static void test_blr(void)
{
    enum { SIZE = 28 };
    const double lowest = 12.0 * pow(sin(acos(-1.0) / (2.0 * (SIZE + 1))), 2.0);
    static const double part[] = {0.0, 1e-8, 1e-4, 1e-2, 0.3};
    int failures = 0;

    if (!sab_factor_has_blr()) { /* refused, then */
        sab_sparse *A = make_cube(3, true);
        sab_factor *f = NULL;

        CU_ASSERT(sab_factor_create(&(sab_factor_options){.blr = 1e-6}, A, &f, NULL) ==
                      SAB_ERR_INPUT &&
                  f == NULL);
        sab_sparse_destroy(&A);
        return;
    }
    for (int hard = 0; hard < 2; hard++) {
        sab_sparse *A = make_cube(SIZE, true);
        double *b = make_vector(A->n, 6), *x = make_vector(A->n, 1), full = 0.0;

        for (int64_t j = 0; j < A->n && hard; j++)
            A->value[A->start[j]] -= (1.0 - 1e-8) * lowest;
        for (int i = 0; i < 5; i++) {
            const sab_factor_options o = {.backend = SAB_MUMPS, .space = true, .blr = part[i]};
            sab_error err = {0};
            sab_factor *f = NULL;

            CU_ASSERT_FATAL(sab_factor_create(&o, A, &f, &err) == SAB_OK);
            sab_status status = sab_factor_update(f, A, &err);
            if (status == SAB_OK)
                status = sab_factor_solve(f, b, x, &err);
            const sab_factor_info info = sab_factor_get_info(f);
            if (status == SAB_OK) {
                SAB_ASSERT_CLOSE(residual(A, x, b) / fmax(1.0, largest(A->n, x)), 0.0, 1e-11);
                CU_ASSERT(i > 0 || info.refinements == 0);
                CU_ASSERT(i < 2 || info.refinements > 0);
                full = i == 0 ? info.entries : full;
                CU_ASSERT(i < 2 || info.entries < full);
            } else {
                CU_ASSERT(i > (hard ? 1 : 2) && status == SAB_ERR_NUMERIC);
                CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "too coarse for this matrix"));
                failures++;
            }
            sab_factor_destroy(&f);
        }
        sab_free(b);
        sab_free(x);
        sab_sparse_destroy(&A);
    }
    CU_ASSERT(failures > 0);
    sab_sparse *A = make_cube(3, true);
    check_memory((sab_factor_options){.blr = 1e-6}, A, 6);
    sab_sparse_destroy(&A);
}

/* As many at a time as the processes of a solve have numbers for. */
static void test_many(void)
{
    enum { MOST = 64 };
    sab_sparse *A = make_cube(3, true);
    const sab_factor_options o = {.backend = SAB_MUMPS};
    sab_factor *f[MOST + 1] = {NULL};
    sab_error err = {0};

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MOST; i++)
            CU_ASSERT_FATAL(sab_factor_create(&o, A, &f[i], &err) == SAB_OK);
        CU_ASSERT(sab_factor_create(&o, A, &f[MOST], &err) == SAB_ERR_INTERNAL);
        CU_ASSERT_PTR_NULL(f[MOST]);
        for (int i = 0; i < MOST; i++)
            sab_factor_destroy(&f[i]);
    }
    sab_sparse_destroy(&A);
}

static void test_unsymmetric(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_random(300, 4, false, 1.0, 31);
        double *b = make_vector(A->n, 5), *x = make_vector(A->n, 1);

        solve_checked(backends[k], A, b, x);
        sab_free(b);
        sab_free(x);
        sab_sparse_destroy(&A);

        /* zero diagonal: rows must be exchanged */
        A = make_dense(3, false, (double[]){0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 4.0, 0.0, 1e-3});
        double y[3];
        solve_checked(backends[k], A, (double[]){1.0, 2.0, 3.0}, y);
        sab_sparse_destroy(&A);
    }
}

/* Supernodes of all sizes, rows exchanged in them: a symmetric pattern is factored by L U on the
 * supernodes of CHOLMOD, to the solution of MUMPS. */
static void test_lu(void)
{
    for (int k = 0; k < 3; k++) {
        sab_sparse *A = k == 0   ? make_cube(9, false)
                        : k == 1 ? make_dense(2, false, (double[]){1e-3, 2.0, 3.0, 4.0})
                                 : make_dense(1, false, (double[]){-2.0});
        double *b = make_vector(A->n, 5), *x = make_vector(A->n, 1), *y = make_vector(A->n, 1);
        sab_factor *f = NULL;

        CU_ASSERT_FATAL(sab_factor_create(&cholmod, A, &f, NULL) == SAB_OK);
        for (int i = 0; i < 2; i++) { /* nothing is left of the first */
            CU_ASSERT_FATAL(sab_factor_update(f, A, NULL) == SAB_OK);
            CU_ASSERT(sab_factor_solve(f, b, x, NULL) == SAB_OK);
            SAB_ASSERT_CLOSE(residual(A, x, b), 0.0, 1e-13);
        }
        const sab_factor_info info = sab_factor_get_info(f);
        CU_ASSERT_STRING_EQUAL(info.backend, "lu");
        CU_ASSERT_STRING_EQUAL(info.ordering, "AMD");
        CU_ASSERT(info.reserved == 0 && info.updates == 2);
        CU_ASSERT(info.smallest_pivot > 1e-3);
        CU_ASSERT(info.entries >= (double)A->start[A->n]);
        sab_factor_destroy(&f);
        solve_checked(SAB_MUMPS, A, b, y);
        for (int64_t i = 0; i < A->n; i++)
            SAB_ASSERT_CLOSE(x[i], y[i], 1e-12);
        sab_free(b);
        sab_free(x);
        sab_free(y);
        sab_sparse_destroy(&A);
    }
}

/* What the analysis of a symmetric matrix says of the memory of an L U is what L U then takes; by
 * hand where there is one supernode. */
static void test_bytes(void)
{
    for (int metis = 0; metis < 2; metis++) {
        const sab_factor_options o = {.backend = SAB_CHOLMOD,
                                      .ordering = metis ? SAB_ORDERING_METIS : SAB_ORDERING_AMD};
        sab_factor_info info[2];

        for (int symmetric = 0; symmetric < 2; symmetric++) {
            sab_sparse *A = make_cube(12, symmetric);
            sab_factor *f = NULL;

            CU_ASSERT_FATAL(sab_factor_create(&o, A, &f, NULL) == SAB_OK);
            info[symmetric] = sab_factor_get_info(f);
            sab_factor_destroy(&f);
            sab_sparse_destroy(&A);
        }
        CU_ASSERT(info[1].bytes_lu == info[0].bytes_lu);
        CU_ASSERT(info[1].bytes_llt >= 8.0 * info[1].entries);
        CU_ASSERT(info[1].bytes_lu >= 8.0 * info[0].entries);
    }
    sab_sparse *A = make_dense(3, true, (double[]){4, 1, 1, 1, 4, 1, 1, 1, 4});
    sab_factor *f = NULL;
    CU_ASSERT_FATAL(sab_factor_create(&cholmod, A, &f, NULL) == SAB_OK);
    CU_ASSERT(sab_factor_get_info(f).bytes_lu == 8.0 * (9 + 3) + 20.0 * 9 + 300.0);
    sab_factor_destroy(&f);
    sab_sparse_destroy(&A);
}

/* A diagonal of zeros or nearly so, or a pivot that breaks down: MUMPS is in reserve, for these
 * values only. */
static void test_reserve(void)
{
    sab_sparse *A = make_cube(6, false);
    double *b = make_vector(A->n, 5), *x = make_vector(A->n, 1);
    double *good = make_vector(A->start[A->n], 1);
    const size_t size = (size_t)A->start[A->n] * sizeof *good;
    static const double diagonal[] = {6.0, 1e-13, 0.0, 6.0};
    static const char *const used[] = {"lu", "mumps", "mumps", "lu"};
    unsigned long long state = 5;
    sab_factor *f = NULL;

    memcpy(good, A->value, size);
    CU_ASSERT_FATAL(sab_factor_create(&cholmod, A, &f, NULL) == SAB_OK);
    for (int i = 0; i < 4; i++) {
        memcpy(A->value, good, size);
        for (int64_t j = 0; i % 3 != 0 && j < A->n; j++)
            for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
                A->value[k] = A->row[k] == j ? diagonal[i] : sab_test_random(&state) - 0.5;
        CU_ASSERT_FATAL(sab_factor_update(f, A, NULL) == SAB_OK);
        CU_ASSERT(sab_factor_solve(f, b, x, NULL) == SAB_OK);
        SAB_ASSERT_CLOSE(residual(A, x, b) / fmax(1.0, largest(A->n, x)), 0.0, 1e-12);
        CU_ASSERT_STRING_EQUAL(sab_factor_get_info(f).backend, used[i]);
        CU_ASSERT_EQUAL(sab_factor_get_info(f).reserved, i == 0 ? 0 : i == 1 ? 1 : 2);
    }
    sab_factor_destroy(&f);
    sab_free(b);
    sab_free(x);
    sab_free(good);
    sab_sparse_destroy(&A);
}

/* A tiny diagonal, which the analysis of the pattern does not see: exchanging rows doubles the
 * factor, so that MUMPS runs out of its workspace and must be asked again with more. */
static void test_retry(void)
{
    enum { M = 40 };
    sab_sparse *A = NULL;
    sab_factor *f = NULL;
    unsigned long long state = 5;
    int64_t k = 0;

    CU_ASSERT_FATAL(sab_sparse_create(M * M, 5 * M * M, false, &A, NULL) == SAB_OK);
    for (int j = 0; j < M * M; j++) {
        const int rows[5] = {j - M, j - 1, j, j + 1, j + M};
        const bool inside[5] = {j / M > 0, j % M > 0, true, j % M < M - 1, j / M < M - 1};

        for (int i = 0; i < 5; i++)
            if (inside[i]) {
                A->row[k] = rows[i];
                A->value[k++] = i == 2 ? 1e-13 : sab_test_random(&state) - 0.5;
            }
        A->start[j + 1] = k;
    }
    double *b = make_vector(A->n, 8), *x = make_vector(A->n, 1);
    CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = SAB_MUMPS}, A, &f, NULL) ==
                    SAB_OK);
    const double foreseen = sab_factor_get_info(f).entries;
    CU_ASSERT(sab_factor_update(f, A, NULL) == SAB_OK);
    CU_ASSERT(sab_factor_get_info(f).entries > 2.0 * foreseen);
    CU_ASSERT(sab_factor_solve(f, b, x, NULL) == SAB_OK);
    SAB_ASSERT_CLOSE(residual(A, x, b) / largest(A->n, x), 0.0, 1e-11); /* x is large here */
    sab_factor_destroy(&f);
    sab_free(b);
    sab_free(x);
    sab_sparse_destroy(&A);
}

/* `bad` gives SAB_ERR_NUMERIC with a message that has `words`; then there is nothing to solve with.
 * The same factor still serves `good`, of the same pattern. Takes both. */
static void check_rejected(sab_factor_backend backend, sab_sparse *bad, sab_sparse *good,
                           const char *words)
{
    double *b = make_vector(bad->n, 6), *x = make_vector(bad->n, 1);
    sab_factor *f = NULL;
    sab_error err = {0};

    CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = backend}, bad, &f, &err) ==
                    SAB_OK);
    CU_ASSERT(sab_factor_update(f, bad, &err) == SAB_ERR_NUMERIC);
    CU_ASSERT(err.status == SAB_ERR_NUMERIC);
    CU_ASSERT(strstr(err.message, words) != NULL);
    CU_ASSERT(strstr(err.message, "while factoring") != NULL);
    CU_ASSERT_EQUAL(sab_factor_get_info(f).updates, 0);
    CU_ASSERT(sab_factor_solve(f, b, x, &err) == SAB_ERR_INTERNAL);
    if (good != NULL) {
        CU_ASSERT(sab_factor_update(f, good, &err) == SAB_OK);
        CU_ASSERT(sab_factor_solve(f, b, x, &err) == SAB_OK);
        SAB_ASSERT_CLOSE(residual(good, x, b), 0.0, 1e-12);
    }
    sab_factor_destroy(&f);
    sab_free(b);
    sab_free(x);
    sab_sparse_destroy(&bad);
    sab_sparse_destroy(&good);
}

static void test_singular(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        const sab_factor_backend backend = backends[k];
        sab_sparse *zero = make_dense(1, true, (double[]){1.0});

        zero->value[0] = 0.0; /* stored, but zero */
        check_rejected(backend, zero, make_dense(1, true, (double[]){2.0}), "singular");
        check_rejected(backend, make_dense(2, true, (double[]){1.0, 1.0, 1.0, 1.0}),
                       make_dense(2, true, (double[]){2.0, 1.0, 1.0, 2.0}), "singular");
        /* an empty column */
        check_rejected(backend, make_dense(3, true, (double[]){1, 0, 0, 0, 0, 0, 0, 0, 1}), NULL,
                       "singular");
        /* singular but for the last digits: the second pivot is 2 eps */
        check_rejected(backend,
                       make_dense(2, true, (double[]){1.0, 1.0, 1.0, 1.0 + 2.0 * DBL_EPSILON}),
                       make_dense(2, true, (double[]){2.0, 1.0, 1.0, 2.0}), "working precision");
    }
}

static void test_indefinite(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        const sab_factor_backend backend = backends[k];

        check_rejected(backend, make_dense(1, true, (double[]){-1.0}),
                       make_dense(1, true, (double[]){1.0}), "not positive definite");
        check_rejected(backend, make_dense(2, true, (double[]){1.0, 2.0, 2.0, 1.0}),
                       make_dense(2, true, (double[]){2.0, 1.0, 1.0, 2.0}),
                       "not positive definite");
        /* one negative eigenvalue (the smallest is 2 (1 - cos(pi/61)) * 2 = 0.0053), then all */
        check_rejected(backend, make_laplacian(60, -0.01), make_laplacian(60, 0.0),
                       "not positive definite");
        check_rejected(backend, make_laplacian(60, -9.0), make_laplacian(60, 0.0),
                       "not positive definite");
    }
}

/* CHOLMOD names the column of A, not of the permuted matrix. */
static void test_failing_column(void)
{
    sab_sparse *A = make_random(50, 3, true, 1.0, 41);

    for (int64_t j = 0; j < A->n; j++) { /* make it diagonal, but for the pattern */
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
            A->value[k] = 0.0;
        A->value[A->start[j]] = j == 17 ? -1.0 : 1.0;
    }
    check_rejected(SAB_CHOLMOD, A, NULL, "column 17 ");
}

static void test_singular_unsymmetric(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        check_rejected(backends[k], make_dense(2, false, (double[]){1.0, 2.0, 2.0, 4.0}),
                       make_dense(2, false, (double[]){1.0, 2.0, 3.0, 4.0}), "singular");
        check_rejected(backends[k], make_dense(2, false, (double[]){1.0, 0.0, 1.0, 0.0}), NULL,
                       "singular");
    }
}

/* Infinite values would pass through both libraries. */
static void test_not_finite(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_laplacian(5, 0.0), *B = make_laplacian(5, 0.0);

        A->value[3] = NAN;
        B->value[0] = INFINITY;
        check_rejected(backends[k], A, make_laplacian(5, 0.0), "not finite");
        check_rejected(backends[k], B, make_laplacian(5, 0.0), "not finite");
    }
}

/* Our own mistakes: another pattern, no update, bad indices, too many unknowns, no entries. */
static void test_misuse(void)
{
    for (int k = 0; k < NBACKENDS; k++) {
        sab_sparse *A = make_laplacian(5, 0.0), *B = make_laplacian(6, 0.0);
        sab_sparse *C = make_dense(25, true, (double[625]){1.0});
        sab_factor *f = NULL;
        double x[25] = {0.0};
        sab_error err = {0};

        CU_ASSERT_FATAL(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, A, &f,
                                          &err) == SAB_OK);
        CU_ASSERT(sab_factor_solve(f, x, x, &err) == SAB_ERR_INTERNAL);
        CU_ASSERT(sab_factor_update(f, B, &err) == SAB_ERR_INTERNAL); /* another n */
        CU_ASSERT(strstr(err.message, "25") != NULL && strstr(err.message, "36") != NULL);
        CU_ASSERT(sab_factor_update(f, C, &err) == SAB_ERR_INTERNAL); /* other entries */
        A->symmetric = false;
        CU_ASSERT(sab_factor_update(f, A, &err) == SAB_ERR_INTERNAL);
        A->symmetric = true;
        CU_ASSERT(sab_factor_update(f, A, NULL) == SAB_OK);
        sab_factor_destroy(&f);
        sab_factor_destroy(&f); /* nothing more to do */

        A->row[1] = 25; /* out of range */
        CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, A, &f, &err) ==
                  SAB_ERR_INTERNAL);
        A->row[1] = 0; /* the diagonal twice */
        CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, A, &f, &err) ==
                  SAB_ERR_INTERNAL);
        B->row[B->start[3]] = 2; /* above the diagonal */
        CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, B, &f, &err) ==
                  SAB_ERR_INTERNAL);
        B->start[1] = B->start[2] + 1;
        CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, B, &f, &err) ==
                  SAB_ERR_INTERNAL);
        B->start[0] = 1;
        CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, B, &f, &err) ==
                  SAB_ERR_INTERNAL);
        memset(C->start, 0, 26 * sizeof *C->start);
        CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = backends[k]}, C, &f, &err) ==
                  SAB_ERR_NUMERIC);
        CU_ASSERT(f == NULL);
        sab_sparse_destroy(&A);
        sab_sparse_destroy(&B);
        sab_sparse_destroy(&C);
    }
    const sab_sparse huge = {.n = (int64_t)INT32_MAX + 1, .symmetric = true};
    sab_factor *f = NULL;
    CU_ASSERT(sab_factor_create(&(sab_factor_options){.backend = SAB_MUMPS}, &huge, &f, NULL) ==
              SAB_ERR_INPUT);
}

static void test_memory(void)
{
    sab_sparse *A = make_laplacian(8, 0.0);

    for (int k = 0; k < NBACKENDS; k++)
        check_memory((sab_factor_options){.backend = backends[k]}, A, 2);
    sab_sparse_destroy(&A);
    A = make_cube(4, false);
    check_memory(cholmod, A, 14);
    sab_sparse_destroy(&A);
}

/* A matrix of the pattern of another: its analysis, taken over, gives the same bits. */
static void check_shared(const sab_sparse *A, const sab_sparse *K, bool metis, bool shared)
{
    const sab_ordering ordering = metis ? SAB_ORDERING_METIS : SAB_ORDERING_AMD;
    sab_factor *f[3] = {NULL};
    double *b = make_vector(K->n, 5), *x[3] = {NULL};

    CU_ASSERT_EQUAL_FATAL(
        sab_factor_create(&(sab_factor_options){.backend = SAB_CHOLMOD, .ordering = ordering}, A,
                          &f[0], NULL),
        SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_factor_update(f[0], A, NULL),
                          SAB_OK); /* a numeric factor shares too */
    for (int k = 1; k < 3; k++) {
        const sab_factor_options o = {
            .backend = SAB_CHOLMOD, .ordering = ordering, .like = k == 1 ? NULL : f[0]};

        CU_ASSERT_EQUAL_FATAL(sab_factor_create(&o, K, &f[k], NULL), SAB_OK);
        if (k == 2)
            sab_factor_destroy(&f[0]); /* borrowed for the call only */
        CU_ASSERT_EQUAL_FATAL(sab_factor_update(f[k], K, NULL), SAB_OK);
        x[k] = make_vector(K->n, 1);
        CU_ASSERT_EQUAL(sab_factor_solve(f[k], b, x[k], NULL), SAB_OK);
    }
    const sab_factor_info own = sab_factor_get_info(f[1]), taken = sab_factor_get_info(f[2]);
    CU_ASSERT(!own.shared);
    CU_ASSERT_EQUAL(taken.shared, shared);
    CU_ASSERT_EQUAL(own.entries, taken.entries);
    CU_ASSERT_EQUAL(own.flops, taken.flops);
    CU_ASSERT_STRING_EQUAL(own.ordering, taken.ordering);
    CU_ASSERT_EQUAL(memcmp(x[1], x[2], (size_t)K->n * sizeof(double)), 0);
    SAB_ASSERT_CLOSE(residual(K, x[2], b), 0.0, 1e-12);
    for (int k = 1; k < 3; k++) {
        sab_factor_destroy(&f[k]);
        sab_free(x[k]);
    }
    sab_free(b);
}

static void test_shared(void)
{
    sab_sparse *A = make_cube(7, true), *K = make_cube(7, false);
    sab_sparse *other = make_random((int)A->n, 5, true, 1.0, 3);

    for (int metis = 0; metis < 2; metis++) {
        check_shared(A, A, metis, true);
        check_shared(A, K, metis, true);
        check_shared(A, other, metis, false);
        check_shared(K, A, metis, false); /* an L U has none to give */
    }
    sab_sparse_destroy(&A);
    sab_sparse_destroy(&K);
    sab_sparse_destroy(&other);
}

static const sab_test tests[] = {
    {"random matrices", test_random},
    {"Laplacian of 3600 unknowns", test_laplacian},
    {"one unknown", test_one_unknown},
    {"no unknown", test_no_unknown},
    {"new values, same array, counts", test_update},
    {"smallest pivot", test_smallest_pivot},
    {"orders of elimination", test_ordering},
    {"the library that is chosen", test_auto},
    {"blocks of low rank", test_blr},
    {"many factors", test_many},
    {"the analysis of another", test_shared},
    {"unsymmetric", test_unsymmetric},
    {"unsymmetric on the supernodes of CHOLMOD", test_lu},
    {"memory that the analysis foresees", test_bytes},
    {"what needs more exchanges goes to MUMPS", test_reserve},
    {"more workspace than foreseen", test_retry},
    {"singular", test_singular},
    {"indefinite", test_indefinite},
    {"failing column", test_failing_column},
    {"singular unsymmetric", test_singular_unsymmetric},
    {"values not finite", test_not_finite},
    {"misuse", test_misuse},
    {"out of memory", test_memory},
};

int main(void)
{
    if (sab_server_start()) /* under mpirun: the suite `mpi` */
        return 0;
    return SAB_TEST_MAIN("linalg/factor", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conjugate gradients with multigrid: the solutions of a factor, as good as they are asked to be,
 * and no solution where there is none. In a build with -Dpetsc=true. */
#include "factors.h"

/* Three velocities on an m x m grid and m bubbles: -Laplace of each, 0.3 between the first two,
 * `shift` on the diagonal; `held`: zero outside, or else free. A bubble is coupled to the third
 * velocity of its column and to the bubble beside. */
static sab_sparse *make_flow(int m, bool held, double shift, int *direction)
{
    const int64_t nodes = 3LL * m * m, n = nodes + m;
    sab_sparse *A = NULL;
    int64_t k = 0;

    CU_ASSERT_FATAL(sab_sparse_create(n, 8 * n, true, &A, NULL) == SAB_OK);
    for (int64_t j = 0; j < n; j++) {
        const int64_t cell = j / 3;
        const int c = (int)(j % 3), x = (int)(cell % m), y = (int)(cell / m);
        const bool right = x < m - 1, up = y < m - 1;
        const int beside = right + up + (x > 0) + (y > 0);

        direction[j] = j < nodes ? c + 1 : 0;
        A->row[k] = j;
        A->value[k++] = j < nodes ? (held ? 4.0 : beside) + shift : 4.0;
        if (j >= nodes) {
            if (j + 1 < n) {
                A->row[k] = j + 1;
                A->value[k++] = 1.0;
            }
        } else {
            if (c == 0 && held) {
                A->row[k] = j + 1;
                A->value[k++] = 0.3;
            }
            if (right) {
                A->row[k] = j + 3;
                A->value[k++] = -1.0;
            }
            if (up) {
                A->row[k] = j + 3 * m;
                A->value[k++] = -1.0;
            }
            if (c == 2 && y == 0 && held) {
                A->row[k] = nodes + x;
                A->value[k++] = 0.5;
            }
        }
        A->start[j + 1] = k;
    }
    return A;
}

enum { M = 20, N = 3 * M * M + M };

static sab_factor *new_factor(const sab_sparse *A, const int *direction)
{
    const sab_factor_options o = {.backend = SAB_AMG, .direction = direction};
    sab_error err = {0};
    sab_factor *f = NULL;

    CU_ASSERT_FATAL(sab_factor_create(&o, A, &f, &err) == SAB_OK);
    return f;
}

/* With and without known directions, as CHOLMOD; in place too; and zero for zero. */
static void test_solution(void)
{
    int direction[N];
    sab_sparse *A = make_flow(M, true, 0.5, direction);
    double *b = make_vector(N, 5), *x = make_vector(N, 6), *exact = make_vector(N, 7);
    sab_error err = {0};
    sab_factor *f = NULL;

    CU_ASSERT_FATAL(sab_factor_create(NULL, A, &f, &err) == SAB_OK);
    CU_ASSERT_FATAL(sab_factor_update(f, A, &err) == SAB_OK);
    CU_ASSERT_FATAL(sab_factor_solve(f, b, exact, &err) == SAB_OK);
    sab_factor_destroy(&f);
    for (int known = 0; known < 2; known++) {
        f = new_factor(A, known ? direction : NULL);
        CU_ASSERT_FATAL(sab_factor_update(f, A, &err) == SAB_OK);
        CU_ASSERT_STRING_EQUAL(sab_factor_get_info(f).backend, "amg");
        CU_ASSERT(sab_factor_get_info(f).smallest_pivot > 0.01);
        const int before = sab_factor_get_info(f).iterations;
        CU_ASSERT(before > 0);
        CU_ASSERT_FATAL(sab_factor_solve(f, b, x, &err) == SAB_OK);
        CU_ASSERT(sab_factor_get_info(f).iterations - before < 40);
        CU_ASSERT(residual(A, x, b) < 1e-9);
        for (int i = 0; i < N; i++)
            SAB_ASSERT_CLOSE(x[i], exact[i], 1e-8);
        memcpy(x, b, N * sizeof *x);
        CU_ASSERT_FATAL(sab_factor_solve(f, x, x, &err) == SAB_OK);
        CU_ASSERT(residual(A, x, b) < 1e-9);
        memset(x, 0, N * sizeof *x);
        CU_ASSERT_FATAL(sab_factor_solve(f, x, x, &err) == SAB_OK);
        CU_ASSERT_EQUAL(largest(N, x), 0.0);
        sab_factor_destroy(&f);
    }
    sab_sparse_destroy(&A);
    sab_free(b);
    sab_free(x);
    sab_free(exact);
}

/* Less accuracy is fewer iterations and a larger residual, within what was asked for; a solution
 * near the last one is had for less; and 0 brings all digits back. */
static void test_accuracy(void)
{
    int direction[N], cold, count[2];
    sab_sparse *A = make_flow(M, true, 0.5, direction);
    double *b = make_vector(N, 5), *x = make_vector(N, 6);
    sab_error err = {0};
    sab_factor *f = new_factor(A, direction);

    CU_ASSERT_FATAL(sab_factor_update(f, A, &err) == SAB_OK);
    for (int loose = 0; loose < 2; loose++) {
        sab_factor_set_accuracy(f, loose ? 1e-3 : 0.0);
        cold = sab_factor_get_info(f).iterations;
        CU_ASSERT_FATAL(sab_factor_solve(f, b, x, &err) == SAB_OK);
        count[loose] = sab_factor_get_info(f).iterations - cold;
        CU_ASSERT(residual(A, x, b) < (loose ? 1e-2 : 1e-9));
        if (loose)
            CU_ASSERT(residual(A, x, b) > 1e-6);
    }
    CU_ASSERT(2 * count[1] < count[0]);
    for (int i = 0; i < N; i++)
        b[i] *= 1.0 + 2e-3 * (i % 2);
    cold = sab_factor_get_info(f).iterations;
    CU_ASSERT_FATAL(sab_factor_solve(f, b, x, &err) == SAB_OK);
    CU_ASSERT(2 * (sab_factor_get_info(f).iterations - cold) <= count[1]);
    sab_factor_set_accuracy(f, 0.0);
    CU_ASSERT_FATAL(sab_factor_solve(f, b, x, &err) == SAB_OK);
    CU_ASSERT(residual(A, x, b) < 1e-9);
    sab_factor_destroy(&f);
    sab_sparse_destroy(&A);
    sab_free(b);
    sab_free(x);
}

/* A body that nothing holds, a matrix that is not definite: told by the update, whatever the
 * right-hand side would have been. After that a good one is taken again. */
static void test_refused(void)
{
    int direction[N];
    sab_sparse *good = make_flow(M, false, 0.1, direction), *A = NULL;
    const double shift[] = {0.0, -0.5};
    double *x = make_vector(N, 6);
    sab_error err = {0};
    sab_factor *f = new_factor(good, direction);

    for (int k = 0; k < 2; k++) {
        A = make_flow(M, false, shift[k], direction);
        CU_ASSERT_EQUAL(sab_factor_update(f, A, &err), SAB_ERR_NUMERIC);
        CU_ASSERT(strstr(err.message, "singular, not positive definite, or too badly") != NULL);
        CU_ASSERT_EQUAL(sab_factor_solve(f, x, x, &err), SAB_ERR_INTERNAL);
        CU_ASSERT_EQUAL(sab_factor_update(f, good, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_factor_solve(f, x, x, &err), SAB_OK);
        sab_sparse_destroy(&A);
    }
    sab_factor_destroy(&f);
    A = make_dense(2, false, (double[]){2.0, 1.0, 0.5, 2.0});
    CU_ASSERT_EQUAL(sab_factor_create(&(sab_factor_options){.backend = SAB_AMG}, A, &f, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(f);
    sab_sparse_destroy(&A);
    sab_sparse_destroy(&good);
    sab_free(x);
}

static const sab_test tests[] = {
    {"the solution of a factor", test_solution},
    {"as good as it is asked to be", test_accuracy},
    {"singular and indefinite matrices", test_refused},
};

/* On several processes too (mpirun): process 0 tests, the others serve. */
int main(void)
{
    if (sab_server_start())
        return 0;
    return SAB_TEST_MAIN("linalg/amg", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Condensation inside sab_factor: the same solutions as without it, for every backend. */
#include "linalg/condense.h"
#include "factors.h"
#include "linalg/blocks.h"

#include <float.h>

/* ---- matrices ---- */

enum { M = 4, SIDE = 2 * M + 1, NODES = SIDE * SIDE, TRIANGLES = 2 * M * M, KEPT = 2 * NODES };
enum { ROWS = 16, POINTS = ROWS / 4 }; /* of B in a triangle: more than columns, 12 + 4 at most */

/* An M x M grid of squares, each of two P2 triangles, two unknowns at a node, and `size` more for
 * each triangle alone, the last ones: sum B^T C B with random B and C = 1 + skew. */
typedef struct mesh_matrix {
    int size;
    bool symmetric;
    bool vertices_first; /* as Gmsh has it; else nodes row by row */
    bool backwards;      /* the bubbles come first */
    unsigned long long seed;
} mesh_matrix;

static int number(const mesh_matrix *mm, int i, int j)
{
    const int vertices = (M + 1) * (M + 1), at = j * SIDE + i;

    if (!mm->vertices_first)
        return at;
    if (i % 2 == 0 && j % 2 == 0)
        return j / 2 * (M + 1) + i / 2;
    return vertices + at - (j + 1) / 2 * (M + 1) - (j % 2 == 0 ? (i + 1) / 2 : 0);
}

/* The unknowns of triangle e: its nodes are the corners and the middles of a half square. */
static int triangle(const mesh_matrix *mm, int e, int *column)
{
    const int x = 2 * (e / 2 % M), y = 2 * (e / 2 / M), n = KEPT + mm->size * TRIANGLES;
    int k = 0;

    for (int a = 0; a <= 2; a++)
        for (int b = 0; a + b <= 2; b++)
            for (int c = 0; c < 2; c++)
                column[k++] =
                    2 * number(mm, e % 2 == 0 ? x + a : x + 2 - a, e % 2 == 0 ? y + b : y + 2 - b) +
                    c;
    for (int b = 0; b < mm->size; b++)
        column[k++] = KEPT + mm->size * e + b;
    for (int i = 0; mm->backwards && i < k; i++)
        column[i] = n - 1 - column[i];
    return k;
}

static sab_sparse *make_mesh(const mesh_matrix *mm)
{
    const int columns = 12 + mm->size;
    unsigned long long seed = mm->seed;
    sab_blocks *B = NULL;
    sab_scatter *scatter = NULL;
    sab_sparse *K = NULL;
    double C[TRIANGLES * POINTS * 16];

    CU_ASSERT_FATAL(sab_blocks_create(4, TRIANGLES * POINTS, KEPT + mm->size * TRIANGLES, TRIANGLES,
                                      (int64_t)columns * TRIANGLES,
                                      (int64_t)ROWS * columns * TRIANGLES, &B, NULL) == SAB_OK);
    for (int e = 0; e < TRIANGLES; e++) {
        triangle(mm, e, B->column + B->column_start[e]);
        B->point[e + 1] = POINTS * (e + 1);
        B->column_start[e + 1] = columns * (e + 1);
        B->value_start[e + 1] = (int64_t)ROWS * columns * (e + 1);
    }
    for (int64_t i = 0; i < B->value_start[TRIANGLES]; i++)
        B->value[i] = sab_test_random(&seed) - 0.5;
    for (int q = 0; q < TRIANGLES * POINTS; q++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j <= i; j++) {
                const double skew = mm->symmetric ? 0.0 : 4.0 * sab_test_random(&seed) - 2.0;

                C[16 * q + 4 * i + j] = i == j ? 1.0 : skew;
                C[16 * q + 4 * j + i] = i == j ? 1.0 : -skew;
            }
    CU_ASSERT_FATAL(sab_blocks_pattern(B, mm->symmetric, &K, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_scatter_create(B, K, &scatter, NULL) == SAB_OK);
    sab_blocks_assemble(B, C, scatter, K);
    sab_scatter_destroy(&scatter);
    sab_blocks_destroy(&B);
    return K;
}

static void solve_ordered(sab_factor_options options, const sab_sparse *K, int64_t condensed,
                          const double *b, double *x)
{
    sab_factor *f = NULL;

    CU_ASSERT_FATAL(sab_factor_create(&options, K, &f, NULL) == SAB_OK);
    CU_ASSERT_EQUAL(sab_factor_get_info(f).condensed, condensed);
    CU_ASSERT_FATAL(sab_factor_update(f, K, NULL) == SAB_OK);
    memcpy(x, b, (size_t)K->n * sizeof *x);
    CU_ASSERT(sab_factor_solve(f, x, x, NULL) == SAB_OK);
    SAB_ASSERT_CLOSE(residual(K, x, b), 0.0, 1e-12);
    memset(x, 0, (size_t)K->n * sizeof *x);
    CU_ASSERT(sab_factor_solve(f, b, x, NULL) == SAB_OK);
    SAB_ASSERT_CLOSE(residual(K, x, b), 0.0, 1e-12);
    const sab_factor_info info = sab_factor_get_info(f);
    CU_ASSERT(info.smallest_pivot > 1e-6 && (!K->symmetric || info.smallest_pivot <= 1.0));
    CU_ASSERT(info.update_cpu > 0.0 && info.total_solve_cpu > 0.0);
    CU_ASSERT_STRING_EQUAL(info.ordering, options.space ? "METIS" : "AMD");
    sab_factor_destroy(&f);
}

/* Factor K in both orders and solve K x = b; the number of condensed unknowns and the residual are
 * asserted. */
static void solve_checked(sab_factor_backend backend, const sab_sparse *K, int64_t condensed,
                          const double *b, double *x)
{
    solve_ordered((sab_factor_options){.backend = backend, .space = true}, K, condensed, b, x);
    solve_ordered((sab_factor_options){.backend = backend}, K, condensed, b, x);
}

/* ---- tests ---- */

/* Two blocks of one unknown, S by hand: block 3 meets {0, 1}, block 4 meets {1, 2}. */
static void test_schur(void)
{
    const double a[25] = {4, 1, 0, 2, 0, /* */
                          1, 9, 3, 2, 6, /* */
                          0, 3, 7, 0, 3, /* */
                          2, 2, 0, 2, 0, /* */
                          0, 6, 3, 0, 9};
    const double S[3][3] = {{2, -1, 0}, {-1, 3, 1}, {0, 1, 6}};

    for (int symmetric = 0; symmetric < 2; symmetric++) {
        sab_sparse *K = make_dense(5, symmetric, a);
        sab_condense *c = NULL;
        double smallest, x[5] = {3, 5, 7, 2, 9};

        CU_ASSERT_FATAL(sab_condense_create(K, &c, NULL) == SAB_OK && c != NULL);
        const sab_sparse *s = sab_condense_matrix(c);
        CU_ASSERT_EQUAL_FATAL(s->n, 3);
        CU_ASSERT(sab_condense_update(c, K, &smallest, NULL) == SAB_OK);
        for (int64_t j = 0; j < 3; j++)
            for (int64_t p = s->start[j]; p < s->start[j + 1]; p++)
                SAB_ASSERT_CLOSE(s->value[p], S[s->row[p]][j], 1e-15);
        SAB_ASSERT_CLOSE(smallest, symmetric ? 3.0 / 9.0 : 1.0, 1e-15); /* S_11 / K_11 */
        sab_condense_reduce(c, x, x);
        SAB_ASSERT_CLOSE(x[0], 3.0 - 2.0, 1e-15);
        SAB_ASSERT_CLOSE(x[1], 5.0 - 2.0 - 6.0, 1e-15);
        SAB_ASSERT_CLOSE(x[2], 7.0 - 3.0, 1e-15);
        memcpy(x, (double[3]){1, 2, 3}, 3 * sizeof *x);
        sab_condense_expand(c, x);
        SAB_ASSERT_CLOSE(x[3], (2.0 - 2.0 * 1.0 - 2.0 * 2.0) / 2.0, 1e-15);
        SAB_ASSERT_CLOSE(x[4], (9.0 - 6.0 * 2.0 - 3.0 * 3.0) / 9.0, 1e-15);
        sab_condense_destroy(&c);
        CU_ASSERT(c == NULL);
        sab_condense_destroy(&c); /* nothing more to do */
        sab_sparse_destroy(&K);
    }
}

/* The same matrix with its unknowns in opposite order is not condensed: same solution. */
static void check_mesh(sab_factor_backend backend, mesh_matrix mm)
{
    sab_sparse *K = make_mesh(&mm);
    const size_t n = (size_t)K->n;
    double *b = make_vector(K->n, 3), *x = make_vector(K->n, 1);
    double *c = make_vector(K->n, 1), *y = make_vector(K->n, 1);

    for (size_t i = 0; i < n; i++)
        c[n - 1 - i] = b[i];
    solve_checked(backend, K, mm.size * TRIANGLES, b, x);
    sab_sparse_destroy(&K);
    mm.backwards = true;
    K = make_mesh(&mm);
    solve_checked(backend, K, 0, c, y);
    for (size_t i = 0; i < n; i++)
        SAB_ASSERT_CLOSE(x[i], y[n - 1 - i], 1e-11);
    sab_sparse_destroy(&K);
    SAB_FREE(b);
    SAB_FREE(x);
    SAB_FREE(c);
    SAB_FREE(y);
}

static void test_same_solution(void)
{
    for (int size = 1; size <= 4; size++)
        for (int vertices = 0; vertices < 2; vertices++) {
            check_mesh(SAB_CHOLMOD, (mesh_matrix){size, true, vertices, false, 5});
            check_mesh(SAB_MUMPS, (mesh_matrix){size, true, vertices, false, 6});
            check_mesh(SAB_MUMPS, (mesh_matrix){size, false, vertices, false, 7});
            check_mesh(SAB_CHOLMOD, (mesh_matrix){size, false, vertices, false, 7});
        }
}

/* No bubbles: check_mesh expects nothing to be condensed, in four numberings. */
static void test_plain(void)
{
    for (int vertices = 0; vertices < 2; vertices++) {
        check_mesh(SAB_CHOLMOD, (mesh_matrix){0, true, vertices, false, 8});
        check_mesh(SAB_MUMPS, (mesh_matrix){0, false, vertices, false, 9});
    }
}

static void check_refused(int n, bool symmetric, const double *a)
{
    sab_sparse *K = make_dense(n, symmetric, a);
    sab_condense *c = NULL;

    CU_ASSERT(sab_condense_create(K, &c, NULL) == SAB_OK);
    CU_ASSERT(c == NULL);
    sab_sparse_destroy(&K);
}

/* Patterns that do not fit. */
static void test_refused(void)
{
    double full[41 * 41];

    check_refused(0, true, NULL);
    check_refused(1, true, (double[]){1}); /* nothing would be left */
    check_refused(3, true, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    /* the neighbours 0 and 1 of unknown 2 are not coupled; of 3 neither */
    check_refused(4, true, (double[]){4, 0, 1, 1, 0, 4, 1, 1, 1, 1, 4, 0, 1, 1, 0, 4});
    /* unknown 1 couples to one of the block {2, 3} only; 0 to both */
    check_refused(4, true, (double[]){4, 1, 1, 1, 1, 4, 0, 1, 1, 0, 4, 1, 1, 1, 1, 4});
    /* rows are those of a block {2} beside {3}, columns are not */
    check_refused(4, false, (double[]){4, 1, 0, 0, 1, 4, 1, 1, 1, 1, 4, 0, 1, 1, 0, 4});
    /* a block without its diagonal */
    check_refused(3, false, (double[]){4, 1, 1, 1, 4, 1, 1, 1, 0});
    for (int i = 0; i < 41 * 41; i++)
        full[i] = i % 42 == 0 ? 41.0 : 1.0;
    check_refused(41, true, full); /* blocks of 4 at most: less than a tenth */
}

/* Values of the pattern of test_schur, but with blocks of two, on unknowns {3, 4} and {5, 6}. */
typedef double two_blocks[7][7];
static const two_blocks good = {
    {9, 1, 0, 1, 2, 0, 0}, {1, 9, 1, 1, 1, 1, 2}, {0, 1, 9, 0, 0, 2, 1}, {1, 1, 0, 4, 1, 0, 0},
    {2, 1, 0, 1, 4, 0, 0}, {0, 1, 2, 0, 0, 4, 1}, {0, 2, 1, 0, 0, 1, 4},
};

/* `bad` is SAB_ERR_NUMERIC with `words`, leaves nothing to solve with, and `good` still works. */
static void check_rejected(const two_blocks bad, const char *words)
{
    for (int k = 0; k < 3; k++) { /* CHOLMOD, MUMPS, MUMPS unsymmetric */
        sab_sparse *G = make_dense(7, k < 2, good[0]), *K = make_dense(7, k < 2, good[0]);
        sab_factor *f = NULL;
        sab_error err = {0};
        const double b[7] = {1, 2, 3, 4, 5, 6, 7};
        double x[7];

        for (int64_t j = 0; j < 7; j++)
            for (int64_t p = K->start[j]; p < K->start[j + 1]; p++)
                K->value[p] = bad[K->row[p]][j];
        CU_ASSERT_FATAL(
            sab_factor_create(&(sab_factor_options){.backend = k == 0 ? SAB_CHOLMOD : SAB_MUMPS}, K,
                              &f, &err) == SAB_OK);
        CU_ASSERT_EQUAL(sab_factor_get_info(f).condensed, 4);
        CU_ASSERT(sab_factor_update(f, G, &err) == SAB_OK);
        CU_ASSERT(sab_factor_update(f, K, &err) == SAB_ERR_NUMERIC);
        CU_ASSERT(strstr(err.message, words) != NULL);
        CU_ASSERT(strstr(err.message, "while factoring a matrix of 7 unknowns") != NULL);
        CU_ASSERT(sab_factor_solve(f, b, x, &err) == SAB_ERR_INTERNAL);
        CU_ASSERT(sab_factor_update(f, G, &err) == SAB_OK);
        CU_ASSERT(sab_factor_solve(f, b, x, &err) == SAB_OK);
        SAB_ASSERT_CLOSE(residual(G, x, b), 0.0, 1e-13);
        sab_factor_destroy(&f);
        sab_sparse_destroy(&G);
        sab_sparse_destroy(&K);
    }
}

static void test_singular(void)
{
    two_blocks bad;

    memcpy(bad, good, sizeof bad); /* a block of rank 1, also but for the last digits; of rank 0 */
    bad[5][5] = bad[6][6] = 1.0;
    check_rejected(bad, "column 6 ");
    bad[6][6] = 1.0 + 2.0 * DBL_EPSILON;
    check_rejected(bad, "working precision");
    bad[5][5] = bad[5][6] = bad[6][5] = bad[6][6] = 0.0;
    check_rejected(bad, "column 5 ");

    /* unknown 0 is like 3, and couples to nothing else: S has a row of zeros */
    memcpy(bad, good, sizeof bad);
    bad[0][1] = bad[1][0] = bad[0][4] = bad[4][0] = bad[3][4] = bad[4][3] = 0.0;
    bad[1][3] = bad[3][1] = 0.0;
    bad[0][0] = bad[0][3] = bad[3][0] = bad[3][3] = 0.1;
    check_rejected(bad, "singular");
    bad[0][0] *= 1.0 + DBL_EPSILON;
    check_rejected(bad, "singular");
}

/* Indefinite in a block, or in S only: no matrix for Cholesky. */
static void test_indefinite(void)
{
    for (int k = 0; k < 2; k++)
        for (int at = 0; at < 3; at++) {
            sab_sparse *K = make_dense(7, true, good[0]);
            sab_factor *f = NULL;
            sab_error err = {0};

            K->value[K->start[at == 0 ? 3 : at == 1 ? 4 : 1]] = at < 2 ? -4.0 : 1.0;
            CU_ASSERT_FATAL(sab_factor_create(
                                &(sab_factor_options){.backend = k == 0 ? SAB_CHOLMOD : SAB_MUMPS},
                                K, &f, &err) == SAB_OK);
            CU_ASSERT(sab_factor_update(f, K, &err) == SAB_ERR_NUMERIC);
            CU_ASSERT(strstr(err.message, "not positive definite") != NULL);
            sab_factor_destroy(&f);
            sab_sparse_destroy(&K);
        }
}

/* A block with zeros on its diagonal is fine if it need not be definite: rows are exchanged. */
static void test_exchange(void)
{
    sab_sparse *K = make_dense(7, false, good[0]);
    const double b[7] = {1, 2, 3, 4, 5, 6, 7};
    double x[7];

    for (int64_t j = 3; j < 5; j++)
        K->value[sab_sparse_find(K, j, j)] = 0.0;
    K->value[sab_sparse_find(K, 6, 5)] = -3.0;
    solve_checked(SAB_MUMPS, K, 4, b, x);

    /* Pivots do not depend on the units: [1 1/2; 3 1] has 3 and 1/6, in the order 3, 1. */
    sab_condense *c = NULL;
    double smallest;
    const double block[2][2] = {{1.0, 0.5e7}, {3e7, 1e14}};
    for (int64_t i = 0; i < 2; i++)
        for (int64_t j = 0; j < 2; j++) {
            K->value[sab_sparse_find(K, 3 + i, 3 + j)] = i == j ? 1.0 : 0.1;
            K->value[sab_sparse_find(K, 5 + i, 5 + j)] = block[i][j];
        }
    CU_ASSERT_FATAL(sab_condense_create(K, &c, NULL) == SAB_OK && c != NULL);
    CU_ASSERT(sab_condense_update(c, K, &smallest, NULL) == SAB_OK);
    SAB_ASSERT_CLOSE(smallest, 1.0 / 6.0, 1e-14);
    sab_condense_destroy(&c);
    sab_sparse_destroy(&K);
}

/* The block [1 c; c 1] has the pivots 1 and 1 - c^2, whatever the units. */
static void test_smallest_pivot(void)
{
    const double c = 0.99, unit = 1e-7;

    for (int k = 0; k < 3; k++) {
        sab_sparse *K = make_dense(7, k < 2, good[0]);
        sab_factor *f = NULL;

        for (int64_t j = 0; j < 7; j++)
            for (int64_t p = K->start[j]; p < K->start[j + 1]; p++) {
                const int64_t i = K->row[p];

                K->value[p] = i == j ? 1.0 : (i == 3 && j == 4) || (i == 4 && j == 3) ? c : 1e-3;
                K->value[p] *= (i == 4 ? unit : 1.0) * (j == 4 ? unit : 1.0);
            }
        CU_ASSERT_FATAL(
            sab_factor_create(&(sab_factor_options){.backend = k == 0 ? SAB_CHOLMOD : SAB_MUMPS}, K,
                              &f, NULL) == SAB_OK);
        CU_ASSERT(sab_factor_update(f, K, NULL) == SAB_OK);
        SAB_ASSERT_CLOSE(sab_factor_get_info(f).smallest_pivot, 1.0 - c * c, 1e-14);
        sab_factor_destroy(&f);
        sab_sparse_destroy(&K);
    }
}

static void test_memory(void)
{
    sab_sparse *K = make_mesh(&(mesh_matrix){2, true, false, false, 9});

    check_memory((sab_factor_options){0}, K, 12);
    check_memory((sab_factor_options){.backend = SAB_MUMPS}, K, 12);
    check_memory((sab_factor_options){.backend = SAB_MUMPS, .space = true}, K, 14);
    sab_sparse_destroy(&K);
}

static const sab_test tests[] = {
    {"Schur complement by hand", test_schur},
    {"same solution as without", test_same_solution},
    {"P2 without bubbles is left alone", test_plain},
    {"patterns that do not fit", test_refused},
    {"singular", test_singular},
    {"indefinite", test_indefinite},
    {"rows exchanged in a block", test_exchange},
    {"smallest pivot", test_smallest_pivot},
    {"out of memory", test_memory},
};

int main(void)
{
    if (sab_server_start()) /* under mpirun: the suite `mpi` */
        return 0;
    return SAB_TEST_MAIN("linalg/condense", tests);
}

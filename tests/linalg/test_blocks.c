#include "unit.h"

#include "base/memory.h"
#include "linalg/blocks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S = 3, BLOCKS = 40, COLUMNS = 25, POINTS = 3, SHAPES = 3 };

/* Columns and points of a block: any, an odd number, and that of a P2 triangle, which has kernels
 * of its own. */
static const int shapes[SHAPES][2] = {{6, 2}, {7, 3}, {12, 3}};

/* Random blocks: each couples some points to some different unknowns. */
static sab_blocks *random_blocks(int shape)
{
    const int columns = shapes[shape][0], points = shapes[shape][1];
    unsigned long long seed = 42;
    sab_blocks *B = NULL;

    CU_ASSERT_EQUAL(sab_blocks_create(S, points * BLOCKS, COLUMNS, BLOCKS, columns * BLOCKS,
                                      columns * S * points * BLOCKS, &B, NULL),
                    SAB_OK);
    for (int e = 0; e < BLOCKS; e++) {
        const int first = (int)(COLUMNS * sab_test_random(&seed));

        B->point[e + 1] = points * (e + 1);
        B->column_start[e + 1] = columns * (e + 1);
        B->value_start[e + 1] = columns * S * points * (e + 1);
        for (int j = 0; j < columns; j++) /* 4 and 25 have no common factor: all different */
            B->column[columns * e + j] = (first + 4 * j) % COLUMNS;
    }
    for (int i = 0; i < columns * S * points * BLOCKS; i++)
        B->value[i] = 2.0 * sab_test_random(&seed) - 1.0;
    return B;
}

static void random_vector(int n, unsigned long long seed, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 2.0 * sab_test_random(&seed) - 1.0;
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* B u entry by entry, and y.B u = B^T y.u. */
static void test_adjoint(void)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        const int columns = shapes[shape][0], rows = S * shapes[shape][1];
        sab_blocks *B = random_blocks(shape);
        double u[COLUMNS], y[S * POINTS * BLOCKS], Bu[S * POINTS * BLOCKS], Bty[COLUMNS] = {0.0};

        random_vector(COLUMNS, 1, u);
        random_vector(rows * BLOCKS, 2, y);
        sab_blocks_multiply(B, u, Bu);
        sab_blocks_multiply_transpose(B, y, Bty);
        for (int r = 0; r < rows * BLOCKS; r++) {
            double sum = 0.0;

            for (int j = 0; j < columns; j++)
                sum += B->value[r * columns + j] * u[B->column[r / rows * columns + j]];
            SAB_ASSERT_CLOSE(Bu[r], sum, 1e-13);
        }
        SAB_ASSERT_CLOSE(dot(rows * BLOCKS, Bu, y), dot(COLUMNS, u, Bty), 1e-13);
        sab_blocks_destroy(&B);
    }
}

/* v.(sum B^T C B) u against (B v).C (B u), symmetric storage with symmetric C, full with any C. */
static void test_assembly(void)
{
    for (int k = 0; k < 2 * SHAPES; k++) {
        const bool symmetric = k % 2 == 1;
        const int points = shapes[k / 2][1] * BLOCKS;
        sab_blocks *B = random_blocks(k / 2);
        sab_sparse *A = NULL;
        sab_scatter *scatter = NULL;
        double C[S * S * POINTS * BLOCKS], u[COLUMNS], v[COLUMNS], Au[COLUMNS];
        double Bu[S * POINTS * BLOCKS], Bv[S * POINTS * BLOCKS], expected = 0.0;

        random_vector(S * S * points, 3, C);
        for (int q = 0; symmetric && q < points; q++)
            for (int i = 0; i < S; i++)
                for (int j = 0; j < i; j++)
                    C[S * S * q + S * i + j] = C[S * S * q + S * j + i];
        CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, symmetric, &A, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_scatter_create(B, A, &scatter, NULL), SAB_OK);
        for (int64_t j = 0; j < A->n; j++)
            for (int64_t p = A->start[j]; p < A->start[j + 1]; p++) {
                CU_ASSERT(p == A->start[j] || A->row[p] > A->row[p - 1]);
                CU_ASSERT(!symmetric || A->row[p] >= j);
            }
        sab_blocks_assemble(B, C, scatter, A);
        random_vector(COLUMNS, 4, u);
        random_vector(COLUMNS, 5, v);
        sab_sparse_multiply(A, u, Au);
        sab_blocks_multiply(B, u, Bu);
        sab_blocks_multiply(B, v, Bv);
        for (int q = 0; q < points; q++)
            for (int i = 0; i < S; i++)
                for (int j = 0; j < S; j++)
                    expected += Bv[S * q + i] * C[S * S * q + S * i + j] * Bu[S * q + j];
        SAB_ASSERT_CLOSE(dot(COLUMNS, v, Au), expected, 1e-12);
        sab_scatter_destroy(&scatter);
        sab_sparse_destroy(&A);
        sab_blocks_destroy(&B);
    }
}

/* (K + A) u = K u + A u, K symmetric or full; an entry that K lacks is an error. */
static void test_addition(void)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        sab_blocks *B = random_blocks(0);
        sab_sparse *A = NULL, *K = NULL, *diagonal = NULL;
        sab_error err = {0};
        double u[COLUMNS], Au[COLUMNS], Ku[COLUMNS];
        int64_t *places = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, true, &A, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, symmetric, &K, NULL), SAB_OK);
        random_vector((int)A->start[COLUMNS], 6, A->value);
        random_vector(COLUMNS, 7, u);
        CU_ASSERT_EQUAL(sab_sparse_add(A, K, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_sparse_add(A, K, &err), SAB_OK);
        sab_sparse_multiply(A, u, Au);
        sab_sparse_multiply(K, u, Ku);
        for (int i = 0; i < COLUMNS; i++)
            SAB_ASSERT_CLOSE(Ku[i], 2.0 * Au[i], 1e-13);
        CU_ASSERT_EQUAL_FATAL(sab_sparse_locate(A, K, &places, &err), SAB_OK);
        sab_sparse_copy(A, places, K); /* not added to what was there */
        sab_sparse_multiply(K, u, Ku);
        for (int i = 0; i < COLUMNS; i++)
            SAB_ASSERT_CLOSE(Ku[i], Au[i], 1e-13);
        sab_free(places);
        CU_ASSERT_EQUAL_FATAL(sab_sparse_create(COLUMNS, COLUMNS, symmetric, &diagonal, NULL),
                              SAB_OK);
        for (int i = 0; i < COLUMNS; i++) {
            diagonal->start[i + 1] = i + 1;
            diagonal->row[i] = i;
        }
        CU_ASSERT_EQUAL(sab_sparse_locate(A, diagonal, &places, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NULL(places);
        CU_ASSERT_EQUAL(sab_sparse_add(A, diagonal, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no block of B has"));
        sab_sparse_destroy(&diagonal);
        sab_sparse_destroy(&K);
        sab_sparse_destroy(&A);
        sab_blocks_destroy(&B);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"B^T is the adjoint of B", test_adjoint},
                                     {"sum B^T C B, symmetric and not", test_assembly},
                                     {"K + A, K = A", test_addition}};

    return SAB_TEST_MAIN("linalg/blocks", tests);
}

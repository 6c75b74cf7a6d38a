/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "linalg/blocks.h"
#include "linalg/share.h"
#include "linalg/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { S = 3, BLOCKS = 40, COLUMNS = 41, POINTS = 3, SHAPES = 9, MOST_S = 6, MOST_POINTS = 4 };

/* Components, columns and points of a block: some, an odd number, and those that have kernels of
 * their own: the elements of the plane, the axisymmetric ones, and the tetrahedron. */
static const struct shape {
    int s, columns, points;
} shapes[SHAPES] = {{3, 6, 2},  {3, 7, 3},  {2, 9, 3},  {6, 35, 4}, {3, 12, 3},
                    {3, 14, 3}, {4, 12, 3}, {4, 14, 3}, {6, 37, 4}};

/* Random blocks: each couples some points to some different unknowns. */
static sab_blocks *random_blocks(int shape)
{
    const int s = shapes[shape].s, columns = shapes[shape].columns, points = shapes[shape].points;
    unsigned long long seed = 42;
    sab_blocks *B = NULL;

    CU_ASSERT_EQUAL(sab_blocks_create(s, points * BLOCKS, COLUMNS, BLOCKS, columns * BLOCKS,
                                      columns * s * points * BLOCKS, &B, NULL),
                    SAB_OK);
    for (int e = 0; e < BLOCKS; e++) {
        const int first = (int)(COLUMNS * sab_test_random(&seed));

        B->point[e + 1] = points * (e + 1);
        B->column_start[e + 1] = columns * (e + 1);
        B->value_start[e + 1] = columns * s * points * (e + 1);
        for (int j = 0; j < columns; j++) /* 4 and 41 have no common factor: all different */
            B->column[columns * e + j] = (first + 4 * j) % COLUMNS;
    }
    for (int i = 0; i < columns * s * points * BLOCKS; i++)
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
        const int columns = shapes[shape].columns, rows = shapes[shape].s * shapes[shape].points;
        sab_blocks *B = random_blocks(shape);
        double u[COLUMNS], Bty[COLUMNS] = {0.0};
        double y[MOST_S * MOST_POINTS * BLOCKS], Bu[MOST_S * MOST_POINTS * BLOCKS];

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
        const int s = shapes[k / 2].s, points = shapes[k / 2].points * BLOCKS;
        sab_blocks *B = random_blocks(k / 2);
        sab_sparse *A = NULL;
        sab_scatter *scatter = NULL;
        double C[MOST_S * MOST_S * MOST_POINTS * BLOCKS], u[COLUMNS], v[COLUMNS], Au[COLUMNS];
        double Bu[MOST_S * MOST_POINTS * BLOCKS], Bv[MOST_S * MOST_POINTS * BLOCKS], expected = 0.0;

        random_vector(s * s * points, 3, C);
        for (int q = 0; symmetric && q < points; q++)
            for (int i = 0; i < s; i++)
                for (int j = 0; j < i; j++)
                    C[s * s * q + s * i + j] = C[s * s * q + s * j + i];
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
            for (int i = 0; i < s; i++)
                for (int j = 0; j < s; j++)
                    expected += Bv[s * q + i] * C[s * s * q + s * i + j] * Bu[s * q + j];
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

/* A strip of WIDTH by LENGTH cells, blocks numbered across it at random: enough points for threads,
 * and parts that meet. Shapes alternate, so that all kernels run. */
enum { WIDTH = 20, LENGTH = 80, STRIP = WIDTH * LENGTH, NODES = (WIDTH + 1) * (LENGTH + 1) };

static sab_blocks *strip_blocks(void)
{
    unsigned long long seed = 8;
    sab_blocks *B = NULL;
    int order[STRIP];

    CU_ASSERT_EQUAL_FATAL(sab_blocks_create(S, POINTS * STRIP, 3 * NODES, STRIP, 12 * STRIP,
                                            12 * S * POINTS * STRIP, &B, NULL),
                          SAB_OK);
    for (int e = 0; e < STRIP; e++)
        order[e] = e;
    for (int e = STRIP - 1; e > 0; e--) {
        const int other = (int)((e + 1) * sab_test_random(&seed)), kept = order[e];

        order[e] = order[other];
        order[other] = kept;
    }
    for (int e = 0; e < STRIP; e++) {
        const int corner = order[e] / WIDTH * (WIDTH + 1) + order[e] % WIDTH;
        const int node[4] = {corner, corner + 1, corner + WIDTH + 1, corner + WIDTH + 2};
        const int columns = e % 3 == 0 ? 11 : 12;
        int *column = B->column + B->column_start[e];

        for (int j = 0; j < columns; j++)
            column[j] = 3 * node[j / 3] + j % 3;
        B->point[e + 1] = POINTS * (e + 1);
        B->column_start[e + 1] = B->column_start[e] + columns;
        B->value_start[e + 1] = B->value_start[e] + columns * S * POINTS;
    }
    random_vector((int)B->value_start[STRIP], 9, B->value);
    return B;
}

typedef struct results {
    double Bu[S * POINTS * STRIP], Bty[3 * NODES];
    sab_sparse *A[2];
} results;

static void compute(const sab_blocks *B, results *r)
{
    static double u[3 * NODES], y[S * POINTS * STRIP], C[S * S * POINTS * STRIP];
    sab_scatter *scatter = NULL;

    random_vector(3 * NODES, 1, u);
    random_vector(S * POINTS * STRIP, 2, y);
    random_vector(S * S * POINTS * STRIP, 3, C);
    random_vector(3 * NODES, 4, r->Bty); /* it is added to */
    sab_blocks_multiply(B, u, r->Bu);
    sab_blocks_multiply_transpose(B, y, r->Bty);
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, symmetric == 1, &r->A[symmetric], NULL),
                              SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_scatter_create(B, r->A[symmetric], &scatter, NULL), SAB_OK);
        sab_blocks_assemble(B, C, scatter, r->A[symmetric]);
        sab_scatter_destroy(&scatter);
    }
}

/* Products and assembly are the same bits with 1, 2, 3 and 7 threads, and more parts than threads.
 */
static void test_threads(void)
{
    static results one, many;
    sab_blocks *B = strip_blocks();

    sab_threads_set(1);
    compute(B, &one);
    for (int parts = 1; parts <= 7; parts += parts < 3 ? 1 : 4) {
        CU_ASSERT_EQUAL_FATAL(sab_blocks_share(B, parts, NULL), SAB_OK);
        CU_ASSERT_EQUAL(B->share == NULL, parts == 1);
        for (int threads = 1; threads <= 3; threads++) {
            sab_threads_set(threads);
            compute(B, &many);
            CU_ASSERT_EQUAL(memcmp(many.Bu, one.Bu, sizeof one.Bu), 0);
            CU_ASSERT_EQUAL(memcmp(many.Bty, one.Bty, sizeof one.Bty), 0);
            for (int k = 0; k < 2; k++) {
                CU_ASSERT_EQUAL(memcmp(many.A[k]->value, one.A[k]->value,
                                       (size_t)one.A[k]->start[one.A[k]->n] * sizeof(double)),
                                0);
                sab_sparse_destroy(&many.A[k]);
            }
        }
    }
    sab_threads_set(1);
    sab_sparse_destroy(&one.A[0]);
    sab_sparse_destroy(&one.A[1]);
    sab_blocks_destroy(&B);
}

/* Each block is in the list of every part that owns one of its unknowns, in order, and few blocks
 * are in two: the parts are stretches of the strip, whatever its numbering. */
static void test_share(void)
{
    sab_blocks *B = strip_blocks();

    for (int parts = 2; parts <= 4; parts++) {
        CU_ASSERT_EQUAL_FATAL(sab_blocks_share(B, parts, NULL), SAB_OK);
        const sab_share *share = B->share;

        for (int t = 0; t < parts; t++) {
            int64_t k = share->start[t];

            for (int e = 0; e < STRIP; e++) {
                int mine = 0, columns = (int)(B->column_start[e + 1] - B->column_start[e]);

                for (int j = 0; j < columns; j++)
                    mine += share->owner[B->column[B->column_start[e] + j]] == t;
                if (mine > 0) {
                    CU_ASSERT_EQUAL(share->block[k], mine == columns ? e : ~e);
                    k++;
                }
            }
            CU_ASSERT_EQUAL(k, share->start[t + 1]);
        }
        CU_ASSERT(share->start[parts] <= STRIP + 3 * WIDTH * (parts - 1));
    }
    sab_blocks_destroy(&B);
}

static void test_out_of_memory(void)
{
    sab_blocks *B = random_blocks(0);
    sab_error err;

    for (int k = 0;; k++) {
        sab_memory.failing = k;
        const sab_status status = sab_blocks_share(B, 3, &err);
        const bool reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(status, reached ? SAB_ERR_MEMORY : SAB_OK);
        CU_ASSERT_EQUAL(B->share == NULL, reached);
        if (!reached)
            break;
    }
    sab_blocks_destroy(&B);
}

int main(void)
{
    static const sab_test tests[] = {{"B^T is the adjoint of B", test_adjoint},
                                     {"sum B^T C B, symmetric and not", test_assembly},
                                     {"K + A, K = A", test_addition},
                                     {"threads change no bit", test_threads},
                                     {"parts and their blocks", test_share},
                                     {"each allocation fails in turn", test_out_of_memory}};

    return SAB_TEST_MAIN("linalg/blocks", tests);
}

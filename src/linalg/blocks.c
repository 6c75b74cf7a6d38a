/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/blocks.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "linalg/share.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

sab_status sab_blocks_create(int s, int npoints, int ncolumns, int nblocks, int64_t columns,
                             int64_t values, sab_blocks **B, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_blocks *b = NULL;

    *B = NULL;
    SAB_NEW(b, 1);
    b->s = s;
    b->npoints = npoints;
    b->ncolumns = ncolumns;
    b->nblocks = nblocks;
    SAB_NEW(b->point, nblocks + 1);
    SAB_NEW(b->column_start, nblocks + 1);
    SAB_NEW(b->column, columns);
    SAB_NEW(b->value_start, nblocks + 1);
    SAB_NEW(b->value, values);
    *B = b;
    b = NULL;
cleanup:
    sab_blocks_destroy(&b);
    return status;
}

void sab_blocks_destroy(sab_blocks **B)
{
    if (*B != NULL) {
        SAB_FREE((*B)->point);
        SAB_FREE((*B)->column_start);
        SAB_FREE((*B)->column);
        SAB_FREE((*B)->value_start);
        SAB_FREE((*B)->value);
        sab_share_destroy(&(*B)->share);
        SAB_FREE(*B);
    }
}

/* One block, seen. */
typedef struct block {
    int rows, columns;
    const int *column;
    const double *value; /* [rows][columns] */
} block;

static block block_at(const sab_blocks *B, int e)
{
    block b = {B->s * (B->point[e + 1] - B->point[e]),
               (int)(B->column_start[e + 1] - B->column_start[e]), B->column + B->column_start[e],
               B->value + B->value_start[e]};

    assert(b.rows <= SAB_BLOCK_ROWS && b.columns <= SAB_BLOCK_COLUMNS);
    return b;
}

/* The kernels of one block. Those of elements away from the boundary, nearly all, are compiled for
 * their sizes: the calls with constants in KERNEL are inlined, and their loops vectorised. */
#define KERNEL(call, s, rows, columns, ...)                                                        \
    do {                                                                                           \
        if ((s) == 3 && (rows) == 9 && (columns) == 12) /* plane, p2 */                            \
            call(3, 9, 12, __VA_ARGS__);                                                           \
        else if ((s) == 3 && (rows) == 9 && (columns) == 14) /* plane, p2b */                      \
            call(3, 9, 14, __VA_ARGS__);                                                           \
        else if ((s) == 4 && (rows) == 12 && (columns) == 12) /* axisymmetric, p2 */               \
            call(4, 12, 12, __VA_ARGS__);                                                          \
        else if ((s) == 4 && (rows) == 12 && (columns) == 14) /* axisymmetric, p2b */              \
            call(4, 12, 14, __VA_ARGS__);                                                          \
        else if ((s) == 6 && (rows) == 24 && (columns) == 37) /* space, p2nb */                    \
            call(6, 24, 37, __VA_ARGS__);                                                          \
        else                                                                                       \
            call(s, rows, columns, __VA_ARGS__);                                                   \
    } while (0)

/* As it is: compiled for its sizes it is no faster. */
static inline void multiply_block(int rows, int columns, const double *restrict value,
                                  const double *restrict u, double *restrict y)
{
    for (int i = 0; i < rows; i++, value += columns) {
        double even = 0.0, odd = 0.0;

        for (int j = 0; j + 1 < columns; j += 2) {
            even += value[j] * u[j];
            odd += value[j + 1] * u[j + 1];
        }
        y[i] = even + odd + (columns % 2 == 1 ? value[columns - 1] * u[columns - 1] : 0.0);
    }
}

static inline void multiply_block_transpose(int s, int rows, int columns,
                                            const double *restrict value, const double *restrict y,
                                            double *restrict f)
{
    (void)s;
    for (int j = 0; j < columns; j++)
        f[j] = 0.0;
    for (int i = 0; i < rows; i++, value += columns)
        for (int j = 0; j < columns; j++)
            f[j] += value[j] * y[i];
}

void sab_blocks_multiply(const sab_blocks *B, const double *u, double *y)
{
    SAB_PARALLEL_FOR(B->npoints)
    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        double local[SAB_BLOCK_COLUMNS];
        double *out = y + (size_t)B->s * (size_t)B->point[e];

        for (int j = 0; j < b.columns; j++)
            local[j] = u[b.column[j]];
        multiply_block(b.rows, b.columns, b.value, local, out);
    }
}

/* The blocks of part t, in their order: block e is part_block(B, t, k, &whole), k < part_size(B,
 * t). Without parts, part 0 has all of them. */
static int64_t part_size(const sab_blocks *B, int t)
{
    return B->share == NULL ? B->nblocks : B->share->start[t + 1] - B->share->start[t];
}

static int part_block(const sab_blocks *B, int t, int64_t k, bool *whole)
{
    const int e = B->share == NULL ? (int)k : B->share->block[B->share->start[t] + k];

    *whole = e >= 0;
    return e >= 0 ? e : ~e;
}

static int parts_of(const sab_blocks *B)
{
    return B->share == NULL ? 1 : B->share->parts;
}

/* The `for` that follows goes over all parts of B, one thread each. */
#define PART_PER_THREAD(B, parts)                                                                  \
    SAB_PRAGMA(omp parallel for schedule(static, 1) num_threads(parts)                             \
               if ((B)->npoints >= SAB_PARALLEL_LEAST))

static void multiply_transpose_part(const sab_blocks *B, int t, const double *y, double *f)
{
    const int64_t n = part_size(B, t);

    for (int64_t k = 0; k < n; k++) {
        bool whole;
        const int e = part_block(B, t, k, &whole);
        const block b = block_at(B, e);
        double local[SAB_BLOCK_COLUMNS];
        const double *in = y + (size_t)B->s * (size_t)B->point[e];

        KERNEL(multiply_block_transpose, B->s, b.rows, b.columns, b.value, in, local);
        for (int j = 0; j < b.columns; j++)
            if (whole || B->share->owner[b.column[j]] == t)
                f[b.column[j]] += local[j];
    }
}

void sab_blocks_multiply_transpose(const sab_blocks *B, const double *y, double *f)
{
    const int parts = parts_of(B);

    PART_PER_THREAD(B, parts)
    for (int t = 0; t < parts; t++)
        multiply_transpose_part(B, t, y, f);
}

static int compare_rows(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Column j of the pattern is the union of the columns of the blocks that contain j. */
sab_status sab_blocks_pattern(const sab_blocks *B, bool symmetric, sab_sparse **A, sab_error *err)
{
    sab_status status = SAB_OK;
    const int n = B->ncolumns;
    int64_t *first = NULL;
    int *blocks = NULL, *mark = NULL;
    sab_sparse *a = NULL;

    *A = NULL;
    SAB_TRY(sab_blocks_of_columns(B, &first, &blocks, err));
    SAB_NEW(mark, n);
    /* pass 0 counts, pass 1 fills */
    for (int pass = 0; pass < 2; pass++) {
        int64_t entries = 0;

        memset(mark, -1, (size_t)n * sizeof *mark);
        for (int j = 0; j < n; j++) {
            const int64_t begin = entries;

            for (int64_t q = first[j]; q < first[j + 1]; q++)
                for (int64_t p = B->column_start[blocks[q]]; p < B->column_start[blocks[q] + 1];
                     p++) {
                    const int i = B->column[p];

                    if (mark[i] == j || (symmetric && i < j))
                        continue;
                    mark[i] = j;
                    if (pass == 1)
                        a->row[entries] = i;
                    entries++;
                }
            if (pass == 1) {
                a->start[j + 1] = entries;
                qsort(a->row + begin, (size_t)(entries - begin), sizeof *a->row, compare_rows);
            }
        }
        if (pass == 0)
            SAB_TRY(sab_sparse_create(n, entries, symmetric, &a, err));
    }
    *A = a;
    a = NULL;
cleanup:
    sab_sparse_destroy(&a);
    SAB_FREE(first);
    SAB_FREE(blocks);
    SAB_FREE(mark);
    return status;
}

sab_status sab_scatter_create(const sab_blocks *B, const sab_sparse *A, sab_scatter **scatter,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    sab_scatter *sc = NULL;

    *scatter = NULL;
    if (A->start[A->n] > INT_MAX)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the matrix has %lld entries, more than this version can index; use a "
                        "coarser mesh",
                        (long long)A->start[A->n]);
    SAB_NEW(sc, 1);
    SAB_NEW(sc->start, B->nblocks + 1);
    for (int e = 0; e < B->nblocks; e++) {
        const int64_t c = B->column_start[e + 1] - B->column_start[e];
        sc->start[e + 1] = sc->start[e] + (A->symmetric ? c * (c + 1) / 2 : c * c);
    }
    SAB_NEW(sc->position, sc->start[B->nblocks]);
    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        int *position = sc->position + sc->start[e];

        for (int j = 0; j < b.columns; j++)
            for (int i = A->symmetric ? j : 0; i < b.columns; i++) {
                const bool lower = b.column[i] >= b.column[j];
                const bool as_is = lower || !A->symmetric;

                const int64_t entry =
                    sab_sparse_find(A, b.column[as_is ? i : j], b.column[as_is ? j : i]);

                assert(entry >= 0); /* the pattern of A holds that of B */
                *position++ = (int)entry;
            }
    }
    *scatter = sc;
    sc = NULL;
cleanup:
    sab_scatter_destroy(&sc);
    return status;
}

void sab_scatter_destroy(sab_scatter **scatter)
{
    if (*scatter != NULL) {
        SAB_FREE((*scatter)->start);
        SAB_FREE((*scatter)->position);
        SAB_FREE(*scatter);
    }
}

/* Four lanes at a time where the processor has them; the same operations, hence the same bits.
 * SAB_TSAN: the thread sanitizer is not there yet when the program is loaded and chooses. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(SAB_TSAN)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* x . y, each with one item in `columns` */
static inline double entry(int rows, int columns, const double *x, const double *y)
{
    double sum = 0.0;

    for (int r = 0; r < rows; r++)
        sum += x[r * columns] * y[r * columns];
    return sum;
}

/* K = B^T C B of one block, C [points][s][s], K [columns][columns] by columns; of the upper
 * triangle only what lies in the same tile as the diagonal, if `lower`. */
static inline void block_product(int s, int rows, int columns, bool lower,
                                 const double *restrict value, const double *restrict c,
                                 double *restrict K)
{
    enum { TILE = 4 };
    const int tiled = columns - columns % TILE;
    double CB[SAB_BLOCK_ROWS * SAB_BLOCK_COLUMNS]; /* C_q B_q, same shape as the block */

    for (int q = 0; q < rows / s; q++, c += s * s)
        for (int i = 0; i < s; i++) {
            double *out = CB + (q * s + i) * columns;

            for (int j = 0; j < columns; j++)
                out[j] = 0.0;
            for (int k = 0; k < s; k++)
                for (int j = 0; j < columns; j++)
                    out[j] += c[i * s + k] * value[(q * s + k) * columns + j];
        }
    for (int j = 0; j < tiled; j += TILE) {
        for (int i = lower ? j : 0; i < tiled; i += TILE) {
            double sum[TILE][TILE] = {{0.0}};

            for (int r = 0; r < rows; r++)
                for (int m = 0; m < TILE; m++)
                    for (int l = 0; l < TILE; l++)
                        sum[m][l] += value[r * columns + i + l] * CB[r * columns + j + m];
            for (int m = 0; m < TILE; m++)
                for (int l = 0; l < TILE; l++)
                    K[(j + m) * columns + i + l] = sum[m][l];
        }
        for (int i = tiled; i < columns; i++)
            for (int m = 0; m < TILE; m++)
                K[(j + m) * columns + i] = entry(rows, columns, value + i, CB + j + m);
    }
    for (int j = tiled; j < columns; j++)
        for (int i = lower ? tiled : 0; i < columns; i++)
            K[j * columns + i] = entry(rows, columns, value + i, CB + j);
}

/* Entry (i, j) belongs to the part that owns the smaller of the two unknowns. */
WIDE static void assemble_part(const sab_blocks *B, int t, const double *C,
                               const sab_scatter *scatter, sab_sparse *A)
{
    const size_t square = (size_t)B->s * (size_t)B->s;
    const int64_t n = part_size(B, t);
    double K[SAB_BLOCK_COLUMNS * SAB_BLOCK_COLUMNS];

    for (int64_t k = 0; k < n; k++) {
        bool whole;
        const int e = part_block(B, t, k, &whole);
        const block b = block_at(B, e);
        const int *position = scatter->position + scatter->start[e];

        KERNEL(block_product, B->s, b.rows, b.columns, A->symmetric, b.value,
               C + square * (size_t)B->point[e], K);
        for (int j = 0; j < b.columns; j++)
            for (int i = A->symmetric ? j : 0; i < b.columns; i++, position++)
                if (whole || B->share->owner[b.column[b.column[i] < b.column[j] ? i : j]] == t)
                    A->value[*position] += K[j * b.columns + i];
    }
}

void sab_blocks_assemble(const sab_blocks *B, const double *C, const sab_scatter *scatter,
                         sab_sparse *A)
{
    const int parts = parts_of(B);

    PART_PER_THREAD(B, parts)
    for (int t = 0; t < parts; t++)
        assemble_part(B, t, C, scatter, A);
}

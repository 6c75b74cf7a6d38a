#include "linalg/blocks.h"
#include "base/memory.h"

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

/* The kernels of one block. Those of a P2 triangle away from the boundary, nearly all, are compiled
 * for their sizes: the calls with constants in KERNEL are inlined, and their loops vectorised. */
#define KERNEL(call, s, rows, columns, ...)                                                        \
    do {                                                                                           \
        if ((s) == 3 && (rows) == 9 && (columns) == 12)                                            \
            call(3, 9, 12, __VA_ARGS__);                                                           \
        else                                                                                       \
            call(s, rows, columns, __VA_ARGS__);                                                   \
    } while (0)

static inline void multiply_block(int s, int rows, int columns, const double *restrict value,
                                  const double *restrict u, double *restrict y)
{
    (void)s;
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
    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        double local[SAB_BLOCK_COLUMNS];
        double *out = y + (size_t)B->s * (size_t)B->point[e];

        for (int j = 0; j < b.columns; j++)
            local[j] = u[b.column[j]];
        KERNEL(multiply_block, B->s, b.rows, b.columns, b.value, local, out);
    }
}

void sab_blocks_multiply_transpose(const sab_blocks *B, const double *y, double *f)
{
    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        double local[SAB_BLOCK_COLUMNS];
        const double *in = y + (size_t)B->s * (size_t)B->point[e];

        KERNEL(multiply_block_transpose, B->s, b.rows, b.columns, b.value, in, local);
        for (int j = 0; j < b.columns; j++)
            f[b.column[j]] += local[j];
    }
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
    int64_t *first = NULL; /* [n+1] blocks of unknown j: first[j] .. first[j+1]-1 in `blocks` */
    int *blocks = NULL, *mark = NULL;
    sab_sparse *a = NULL;

    *A = NULL;
    SAB_NEW(first, n + 2);
    SAB_NEW(blocks, B->column_start[B->nblocks]);
    SAB_NEW(mark, n);
    for (int64_t p = 0; p < B->column_start[B->nblocks]; p++)
        first[B->column[p] + 2]++;
    for (int j = 0; j < n; j++)
        first[j + 2] += first[j + 1];
    for (int e = 0; e < B->nblocks; e++)
        for (int64_t p = B->column_start[e]; p < B->column_start[e + 1]; p++)
            blocks[first[B->column[p] + 1]++] = e;

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

/* A += B^T C B of one block, C [points][s][s]. */
static inline void assemble_block(int s, int rows, int columns, bool lower,
                                  const double *restrict value, const double *restrict c,
                                  const int *restrict position, double *restrict A)
{
    double CB[SAB_BLOCK_ROWS * SAB_BLOCK_COLUMNS]; /* C_q B_q, same shape as the block */
    double local[SAB_BLOCK_COLUMNS];               /* one column of B^T C B */

    for (int q = 0; q < rows / s; q++, c += s * s)
        for (int i = 0; i < s; i++) {
            double *out = CB + (q * s + i) * columns;

            for (int j = 0; j < columns; j++)
                out[j] = 0.0;
            for (int k = 0; k < s; k++)
                for (int j = 0; j < columns; j++)
                    out[j] += c[i * s + k] * value[(q * s + k) * columns + j];
        }
    for (int j = 0; j < columns; j++) {
        const int first = lower ? j : 0, from = first - first % 4; /* whole vectors */

        for (int i = from; i < columns; i++)
            local[i] = 0.0;
        for (int r = 0; r < rows; r++) {
            const double cb = CB[r * columns + j];

            for (int i = from; i < columns; i++)
                local[i] += value[r * columns + i] * cb;
        }
        for (int i = first; i < columns; i++)
            A[*position++] += local[i];
    }
}

void sab_blocks_assemble(const sab_blocks *B, const double *C, const sab_scatter *scatter,
                         sab_sparse *A)
{
    const size_t square = (size_t)B->s * (size_t)B->s;

    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);

        KERNEL(assemble_block, B->s, b.rows, b.columns, A->symmetric, b.value,
               C + square * (size_t)B->point[e], scatter->position + scatter->start[e], A->value);
    }
}

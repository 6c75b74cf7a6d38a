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

void sab_blocks_multiply(const sab_blocks *B, const double *u, double *y)
{
    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        double local[SAB_BLOCK_COLUMNS];
        double *out = y + (size_t)B->s * (size_t)B->point[e];

        for (int j = 0; j < b.columns; j++)
            local[j] = u[b.column[j]];
        for (int i = 0; i < b.rows; i++) {
            const double *row = b.value + i * b.columns;
            double sum = 0.0;

            for (int j = 0; j < b.columns; j++)
                sum += row[j] * local[j];
            out[i] = sum;
        }
    }
}

void sab_blocks_multiply_transpose(const sab_blocks *B, const double *y, double *f)
{
    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        double local[SAB_BLOCK_COLUMNS] = {0.0};
        const double *in = y + (size_t)B->s * (size_t)B->point[e];

        for (int i = 0; i < b.rows; i++) {
            const double *row = b.value + i * b.columns;

            for (int j = 0; j < b.columns; j++)
                local[j] += row[j] * in[i];
        }
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

void sab_blocks_assemble(const sab_blocks *B, const double *C, const sab_scatter *scatter,
                         sab_sparse *A)
{
    const int s = B->s;

    for (int e = 0; e < B->nblocks; e++) {
        const block b = block_at(B, e);
        const double *c = C + (size_t)s * (size_t)s * (size_t)B->point[e];
        const int *position = scatter->position + scatter->start[e];
        double CB[SAB_BLOCK_ROWS * SAB_BLOCK_COLUMNS]; /* C_q B_q, same shape as the block */
        double local[SAB_BLOCK_COLUMNS];               /* one column of B^T C B */

        for (int q = 0; q < b.rows / s; q++, c += s * s)
            for (int i = 0; i < s; i++) {
                double *out = CB + (q * s + i) * b.columns;

                for (int j = 0; j < b.columns; j++)
                    out[j] = 0.0;
                for (int k = 0; k < s; k++) {
                    const double *row = b.value + (q * s + k) * b.columns;
                    const double cik = c[i * s + k];

                    for (int j = 0; j < b.columns; j++)
                        out[j] += cik * row[j];
                }
            }
        for (int j = 0; j < b.columns; j++) {
            const int i0 = A->symmetric ? j : 0;

            for (int i = i0; i < b.columns; i++)
                local[i] = 0.0;
            for (int r = 0; r < b.rows; r++) {
                const double *row = b.value + r * b.columns;
                const double cb = CB[r * b.columns + j];

                for (int i = i0; i < b.columns; i++)
                    local[i] += row[i] * cb;
            }
            for (int i = i0; i < b.columns; i++)
                A->value[*position++] += local[i];
        }
    }
}

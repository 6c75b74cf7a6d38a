/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/join.h"

#include <limits.h>
#include <string.h>

/* Components, columns, values and blocks of the whole. */
typedef struct sizes {
    int s;
    int64_t points, blocks, columns, values;
} sizes;

static sab_status check_block(const sab_blocks *b, int part, int e, int s, sab_error *err)
{
    const int64_t rows = (int64_t)s * (b->point[e + 1] - b->point[e]);

    if (rows > SAB_BLOCK_ROWS)
        return sab_fail(err, SAB_ERR_INPUT,
                        "block %d of part %d has %lld rows with %d components per point; at most "
                        "%d fit",
                        e, part, (long long)rows, s, SAB_BLOCK_ROWS);
    return SAB_OK;
}

static sab_status measure(int n, const sab_blocks *const *part, sizes *all, sab_error *err)
{
    sab_status status = SAB_OK;

    *all = (sizes){0};
    for (int i = 0; i < n; i++)
        all->s = part[i]->s > all->s ? part[i]->s : all->s;
    for (int i = 0; i < n; i++) {
        const sab_blocks *b = part[i];

        if (b->ncolumns != part[0]->ncolumns)
            return sab_fail(err, SAB_ERR_INPUT, "part %d has %d unknowns, part 0 has %d", i,
                            b->ncolumns, part[0]->ncolumns);
        for (int e = 0; e < b->nblocks; e++)
            SAB_TRY(check_block(b, i, e, all->s, err));
        all->points += b->npoints;
        all->blocks += b->nblocks;
        all->columns += b->column_start[b->nblocks];
        all->values += b->value_start[b->nblocks] / b->s * all->s;
    }
    if (all->points >= INT_MAX || all->blocks >= INT_MAX)
        return sab_fail(err, SAB_ERR_INPUT, "%lld points and %lld blocks are too many",
                        (long long)all->points, (long long)all->blocks);
cleanup:
    return status;
}

/* The blocks of a part behind the `at` that are there; their points begin at `first`. */
static void append(const sab_blocks *part, int first, int at, sab_blocks *B)
{
    for (int e = 0; e < part->nblocks; e++, at++) {
        const int64_t columns = part->column_start[e + 1] - part->column_start[e];
        const int points = part->point[e + 1] - part->point[e];
        const double *from = part->value + part->value_start[e];
        double *to = B->value + B->value_start[at];

        memcpy(B->column + B->column_start[at], part->column + part->column_start[e],
               (size_t)columns * sizeof *B->column);
        for (int q = 0; q < points; q++, from += part->s * columns, to += B->s * columns)
            memcpy(to, from, (size_t)(part->s * columns) * sizeof *to);
        B->point[at + 1] = first + part->point[e + 1];
        B->column_start[at + 1] = B->column_start[at] + columns;
        B->value_start[at + 1] = B->value_start[at] + B->s * points * columns;
    }
}

sab_status sab_blocks_join(int n, const sab_blocks *const *part, int *first, sab_blocks **B,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    sizes all;
    int block = 0;

    *B = NULL;
    SAB_TRY(measure(n, part, &all, err));
    SAB_TRY(sab_blocks_create(all.s, (int)all.points, part[0]->ncolumns, (int)all.blocks,
                              all.columns, all.values, B, err));
    first[0] = 0;
    for (int i = 0; i < n; i++) {
        append(part[i], first[i], block, *B);
        block += part[i]->nblocks;
        first[i + 1] = first[i] + part[i]->npoints;
    }
cleanup:
    return status;
}

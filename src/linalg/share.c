/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/share.h"
#include "base/memory.h"

sab_status sab_blocks_of_columns(const sab_blocks *B, int64_t **first, int **blocks, sab_error *err)
{
    sab_status status = SAB_OK;
    int64_t *f = NULL;
    int *b = NULL;

    SAB_NEW(f, B->ncolumns + 2);
    SAB_NEW(b, B->column_start[B->nblocks]);
    for (int64_t p = 0; p < B->column_start[B->nblocks]; p++)
        f[B->column[p] + 2]++;
    for (int j = 0; j < B->ncolumns; j++)
        f[j + 2] += f[j + 1];
    for (int e = 0; e < B->nblocks; e++)
        for (int64_t p = B->column_start[e]; p < B->column_start[e + 1]; p++)
            b[f[B->column[p] + 1]++] = e;
cleanup:
    *first = f;
    *blocks = b;
    return status;
}

void sab_share_destroy(sab_share **share)
{
    if (*share != NULL) {
        SAB_FREE((*share)->owner);
        SAB_FREE((*share)->start);
        SAB_FREE((*share)->block);
        SAB_FREE(*share);
    }
}

/* Breadth first from block `seed` over blocks with a common unknown, then from the first block not
 * yet reached: order [nblocks] is a permutation, seen [nblocks] is workspace. */
static void walk(const sab_blocks *B, const int64_t *first, const int *blocks, int seed, bool *seen,
                 int *order)
{
    int tail = 0, next = 0;

    for (int e = 0; e < B->nblocks; e++)
        seen[e] = false;
    for (int head = 0; head < B->nblocks; head++) {
        if (head == tail) {
            while (tail > 0 && seen[next])
                next++;
            order[tail] = tail == 0 ? seed : next;
            seen[order[tail++]] = true;
        }
        for (int64_t p = B->column_start[order[head]]; p < B->column_start[order[head] + 1]; p++)
            for (int64_t q = first[B->column[p]]; q < first[B->column[p] + 1]; q++)
                if (!seen[blocks[q]]) {
                    seen[blocks[q]] = true;
                    order[tail++] = blocks[q];
                }
    }
}

/* Does block e have an unknown of part t, and has it others? */
static void look(const sab_blocks *B, const int *owner, int e, int t, bool *some, bool *others)
{
    *some = *others = false;
    for (int64_t p = B->column_start[e]; p < B->column_start[e + 1]; p++)
        *(owner[B->column[p]] == t ? some : others) = true;
}

/* The lists of the parts, from the owners. */
static sab_status make_lists(const sab_blocks *B, sab_share *share, sab_error *err)
{
    sab_status status = SAB_OK;
    bool some, others;

    for (int pass = 0; pass < 2; pass++) { /* pass 0 counts, pass 1 fills */
        int64_t n = 0;

        for (int t = 0; t < share->parts; t++) {
            for (int e = 0; e < B->nblocks; e++) {
                look(B, share->owner, e, t, &some, &others);
                if (some && pass == 1)
                    share->block[n] = others ? ~e : e;
                n += some;
            }
            share->start[t + 1] = n;
        }
        if (pass == 0)
            SAB_NEW(share->block, n);
    }
cleanup:
    return status;
}

sab_status sab_blocks_share(sab_blocks *B, int parts, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_share *share = NULL;
    int64_t *first = NULL;
    int *blocks = NULL, *order = NULL;
    bool *seen = NULL;

    sab_share_destroy(&B->share);
    if (parts < 2 || B->nblocks < parts)
        return SAB_OK;
    SAB_NEW(share, 1);
    share->parts = parts;
    SAB_NEW(share->owner, B->ncolumns);
    SAB_NEW(share->start, parts + 1);
    SAB_NEW(order, B->nblocks);
    SAB_NEW(seen, B->nblocks);
    SAB_TRY(sab_blocks_of_columns(B, &first, &blocks, err));
    walk(B, first, blocks, 0, seen, order);
    walk(B, first, blocks, order[B->nblocks - 1], seen, order); /* from one end to the other */
    for (int k = B->nblocks - 1; k >= 0; k--) /* backwards: the first block of an unknown decides */
        for (int64_t p = B->column_start[order[k]]; p < B->column_start[order[k] + 1]; p++)
            share->owner[B->column[p]] = (int)((int64_t)k * parts / B->nblocks);
    SAB_TRY(make_lists(B, share, err));
    B->share = share;
    share = NULL;
cleanup:
    sab_share_destroy(&share);
    SAB_FREE(first);
    SAB_FREE(blocks);
    SAB_FREE(order);
    SAB_FREE(seen);
    return status;
}

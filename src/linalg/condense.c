/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/condense.h"
#include "linalg/backend.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MOST = 4,       /* unknowns of a block: bubbles have 2 in the plane, 3 in space */
    NEIGHBOURS = 64 /* unknowns coupled to a block: at most 12 on a triangle, 34 on a tetrahedron */
};

typedef struct block {
    int64_t first; /* its unknowns: first .. first + size - 1 */
    int size, neighbours;
    int64_t *neighbour; /* kept unknowns j coupled to it, increasing */
    int64_t *place;     /* where column j of K has its rows of the block */
    int *offset;        /* of the pairs of neighbours in their column of S: columns outer, rows
                           inner, the lower triangle only if S is symmetric */
    double *V, *W;      /* V^T and W, [size][neighbours] */
    double LU[MOST][MOST];
    int order[MOST]; /* row k of L U is row order[k] of the block of K */
} block;

struct sab_condense {
    sab_sparse *S; /* n unknowns are kept */
    int64_t nblocks;
    block *block;
    int64_t *neighbour, *place; /* these are of all blocks, one after the other */
    int *offset;
    double *V, *W;
};

/* Column j ends with the rows j .. end-1, all of them. */
static bool ends_with(const sab_sparse *K, int64_t j, int64_t end)
{
    const int64_t at = K->start[j + 1] - (end - j);

    return at >= K->start[j] && K->row[at] == j && K->row[K->start[j + 1] - 1] == end - 1;
}

/* The first of the unknowns at the end that couple, below the diagonal, in full blocks only. */
static int64_t first_condensed(const sab_sparse *K)
{
    int64_t first = K->n, end = K->n;

    for (int64_t j = K->n - 1; j >= 0; j--) {
        if (ends_with(K, j, j + 1))
            end = j + 1; /* coupled to none that follows: the last of its block */
        else if (end - j > MOST || !ends_with(K, j, end))
            break;
        first = j;
    }
    return first;
}

/* S with the pattern of K_PP: the rows below n come first in a column. */
static sab_status create_matrix(const sab_sparse *K, int64_t n, sab_sparse **S, sab_error *err)
{
    sab_status status = SAB_OK;
    int64_t entries = 0;

    for (int64_t p = 0; p < K->start[n]; p++)
        entries += K->row[p] < n;
    SAB_TRY(sab_sparse_create(n, entries, K->symmetric, S, err));
    entries = 0;
    for (int64_t j = 0; j < n; j++) {
        for (int64_t p = K->start[j]; p < K->start[j + 1] && K->row[p] < n; p++)
            (*S)->row[entries++] = K->row[p];
        (*S)->start[j + 1] = entries;
    }
cleanup:
    return status;
}

/* The blocks, and the block of each condensed unknown. */
static sab_status create_blocks(sab_condense *c, const sab_sparse *K, block ***owner,
                                sab_error *err)
{
    const int64_t n = c->S->n;
    sab_status status = SAB_OK;

    SAB_NEW(*owner, K->n - n);
    SAB_NEW(c->block, K->n - n);
    for (int64_t j = n; j < K->n; c->nblocks++) {
        block *b = &c->block[c->nblocks];
        const int64_t end = K->row[K->start[j + 1] - 1] + 1;

        b->first = j;
        b->size = (int)(end - j);
        for (; j < end; j++)
            (*owner)[j - n] = b;
    }
cleanup:
    return status;
}

/* One pass over K_bP: a column that has one row of a block must have them all, which is seen at the
 * last one, rows being sorted. Counts the neighbours of each block, and notes them if there is
 * room.
 */
static bool collect_neighbours(sab_condense *c, const sab_sparse *K, block *const *owner)
{
    for (int64_t k = 0; k < c->nblocks; k++)
        c->block[k].neighbours = 0;
    for (int64_t j = 0; j < c->S->n; j++) {
        int64_t p = K->start[j] + c->S->start[j + 1] - c->S->start[j];

        while (p < K->start[j + 1]) {
            block *b = owner[K->row[p] - c->S->n];
            const int64_t last = p + b->size - 1;

            if (b->neighbours == NEIGHBOURS || last >= K->start[j + 1] ||
                K->row[last] != b->first + b->size - 1)
                return false;
            if (b->neighbour != NULL) {
                b->neighbour[b->neighbours] = j;
                b->place[b->neighbours] = p;
            }
            b->neighbours++;
            p = last + 1;
        }
    }
    return true;
}

/* If K is not symmetric: columns of a block have its neighbours, and then its unknowns. */
static bool columns_match(const sab_sparse *K, const block *b)
{
    for (int64_t j = b->first; !K->symmetric && j < b->first + b->size; j++) {
        const int64_t *row = K->row + K->start[j];

        if (K->start[j + 1] - K->start[j] != b->neighbours + b->size ||
            row[b->neighbours] != b->first)
            return false;
        for (int i = 0; i < b->neighbours; i++)
            if (row[i] != b->neighbour[i])
                return false;
    }
    return true;
}

/* Neighbours must be coupled among themselves: this is where. */
static bool locate_pairs(const sab_sparse *S, block *b)
{
    int *offset = b->offset;

    for (int j = 0; j < b->neighbours; j++)
        for (int i = S->symmetric ? j : 0; i < b->neighbours; i++) {
            const int64_t at = sab_sparse_find(S, b->neighbour[i], b->neighbour[j]);

            if (at < 0)
                return false;
            *offset++ = (int)(at - S->start[b->neighbour[j]]);
        }
    return true;
}

static int64_t pairs(const sab_sparse *S, int64_t m)
{
    return S->symmetric ? m * (m + 1) / 2 : m * m;
}

/* *possible: the pattern is the one described in condense.h. */
static sab_status create_neighbours(sab_condense *c, const sab_sparse *K, block *const *owner,
                                    bool *possible, sab_error *err)
{
    sab_status status = SAB_OK;
    int64_t neighbours = 0, panel = 0, offset = 0;

    *possible = collect_neighbours(c, K, owner);
    if (!*possible)
        return SAB_OK;
    for (int64_t k = 0; k < c->nblocks; k++) {
        neighbours += c->block[k].neighbours;
        panel += c->block[k].size * c->block[k].neighbours;
        offset += pairs(c->S, c->block[k].neighbours);
    }
    SAB_NEW(c->neighbour, neighbours);
    SAB_NEW(c->place, neighbours);
    SAB_NEW(c->V, panel);
    SAB_NEW(c->W, panel);
    SAB_NEW(c->offset, offset);
    neighbours = panel = offset = 0;
    for (int64_t k = 0; k < c->nblocks; k++) {
        block *b = &c->block[k];

        b->neighbour = c->neighbour + neighbours;
        b->place = c->place + neighbours;
        b->V = c->V + panel;
        b->W = c->W + panel;
        b->offset = c->offset + offset;
        neighbours += b->neighbours;
        panel += b->size * b->neighbours;
        offset += pairs(c->S, b->neighbours);
    }
    collect_neighbours(c, K, owner);
    for (int64_t k = 0; *possible && k < c->nblocks; k++)
        *possible = columns_match(K, &c->block[k]) && locate_pairs(c->S, &c->block[k]);
cleanup:
    return status;
}

/* A vertex of the graph whose neighbours are all coupled is eliminated without fill. In a P2 mesh
 * without bubbles this holds only at nodes of a single triangle, on the boundary, and a few of them
 * may have the last numbers: they are not worth a second matrix, hence the tenth. The search ends
 * at the first unknown, from the end, that does not fit. */
sab_status sab_condense_create(const sab_sparse *K, sab_condense **condense, sab_error *err)
{
    sab_status status = SAB_OK;
    const int64_t n = first_condensed(K);
    sab_condense *c = NULL;
    block **owner = NULL; /* of each condensed unknown */
    bool possible = false;

    *condense = NULL;
    if (n == 0 || 10 * (K->n - n) < K->n)
        return SAB_OK;
    SAB_NEW(c, 1);
    SAB_TRY(create_matrix(K, n, &c->S, err));
    SAB_TRY(create_blocks(c, K, &owner, err));
    SAB_TRY(create_neighbours(c, K, owner, &possible, err));
    if (possible) {
        *condense = c;
        c = NULL;
    }
cleanup:
    SAB_FREE(owner);
    sab_condense_destroy(&c);
    return status;
}

void sab_condense_destroy(sab_condense **condense)
{
    sab_condense *c = *condense;

    if (c == NULL)
        return;
    sab_sparse_destroy(&c->S);
    SAB_FREE(c->block);
    SAB_FREE(c->neighbour);
    SAB_FREE(c->place);
    SAB_FREE(c->offset);
    SAB_FREE(c->V);
    SAB_FREE(c->W);
    SAB_FREE(*condense);
}

const sab_sparse *sab_condense_matrix(const sab_condense *condense)
{
    return condense->S;
}

/* What a pivot is compared with: the diagonal entry, but for zeros. */
static double scale(double diagonal)
{
    return diagonal != 0.0 ? fabs(diagonal) : 1.0;
}

/* Note a pivot, of the matrix scaled to a unit diagonal; fail if it is noise. */
static sab_status check_pivot(double pivot, bool symmetric, int64_t column, double *smallest,
                              sab_error *err)
{
    if (!(pivot >= *smallest)) /* true for NaN, after an overflow */
        *smallest = pivot;
    if (pivot >= SAB_PIVOT_NOISE)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_NUMERIC,
                    "the matrix is singular%s to working precision: the pivot of column "
                    "%" PRId64 " (from 0), with small blocks eliminated, is %.2g of its diagonal "
                    "entry",
                    symmetric ? " or not positive definite" : "", column, pivot);
}

/* The block, K_bP and K_Pb^T as they are in K, dense, into LU, W and V. */
static void gather(const sab_sparse *K, block *b)
{
    const int s = b->size, m = b->neighbours;

    for (int a = 0; a < s; a++) {
        const double *column = K->value + K->start[b->first + a];

        for (int i = 0; i < m; i++) {
            b->W[a * m + i] = K->value[b->place[i] + a];
            b->V[a * m + i] = K->symmetric ? b->W[a * m + i] : column[i];
        }
        for (int i = 0; i < s; i++)
            if (!K->symmetric)
                b->LU[i][a] = column[m + i];
            else if (i >= a)
                b->LU[i][a] = b->LU[a][i] = column[i - a];
    }
}

/* Rows k and r of the block, in L U and in W. */
static void exchange(block *b, int k, int r)
{
    const int m = b->neighbours, order = b->order[k];

    b->order[k] = b->order[r];
    b->order[r] = order;
    for (int i = 0; i < b->size; i++) {
        const double swap = b->LU[k][i];

        b->LU[k][i] = b->LU[r][i];
        b->LU[r][i] = swap;
    }
    for (int i = 0; i < m; i++) {
        const double swap = b->W[k * m + i];

        b->W[k * m + i] = b->W[r * m + i];
        b->W[r * m + i] = swap;
    }
}

/* K_bb = L U, W = L^-1 K_bP, V = K_Pb U^-1. Rows of the block are exchanged, largest pivot first,
 * unless K is symmetric: then U = D L^T with D > 0, and V = W^T D^-1. */
static sab_status eliminate(bool symmetric, block *b, double *smallest, sab_error *err)
{
    const int s = b->size, m = b->neighbours;
    double(*LU)[MOST] = b->LU, *V = b->V, *W = b->W, diagonal[MOST];

    for (int k = 0; k < s; k++) {
        b->order[k] = k;
        diagonal[k] = scale(LU[k][k]);
    }
    for (int k = 0; k < s; k++) {
        int largest = k;

        for (int i = k + 1; !symmetric && i < s; i++)
            if (fabs(LU[i][k]) > fabs(LU[largest][k]))
                largest = i;
        exchange(b, k, largest);
        const double pivot = LU[k][k], size = sqrt(diagonal[b->order[k]] * diagonal[k]);
        const sab_status status = check_pivot((symmetric ? pivot : fabs(pivot)) / size, symmetric,
                                              b->first + k, smallest, err);

        if (status != SAB_OK)
            return status;
        for (int i = k + 1; i < s; i++) {
            LU[i][k] /= pivot;
            for (int j = k + 1; j < s; j++)
                LU[i][j] -= LU[i][k] * LU[k][j];
            for (int j = 0; j < m; j++)
                W[i * m + j] -= LU[i][k] * W[k * m + j];
        }
        for (int j = 0; j < k; j++)
            for (int i = 0; i < m; i++)
                V[k * m + i] -= V[j * m + i] * LU[j][k];
        for (int i = 0; i < m; i++)
            V[k * m + i] /= pivot;
    }
    return SAB_OK;
}

/* S -= V W of one block. */
static void subtract(const block *b, sab_sparse *S)
{
    const int m = b->neighbours;
    const int *offset = b->offset;

    for (int j = 0; j < m; j++) {
        double *column = S->value + S->start[b->neighbour[j]], sum[NEIGHBOURS];

        for (int i = 0; i < m; i++)
            sum[i] = b->V[i] * b->W[j];
        for (int k = 1; k < b->size; k++)
            for (int i = 0; i < m; i++)
                sum[i] += b->V[k * m + i] * b->W[k * m + j];
        for (int i = S->symmetric ? j : 0; i < m; i++)
            column[*offset++] -= sum[i];
    }
}

/* What is left of the diagonal: S_jj of K_jj. The library sees S only, and what is rounding error
 * of K must not look like a pivot to it. In a symmetric matrix it would be one; in another, where
 * rows are exchanged, it is a zero. */
static sab_status check_diagonal(const sab_sparse *K, sab_sparse *S, double *smallest,
                                 sab_error *err)
{
    sab_status status = SAB_OK;

    for (int64_t j = 0; j < S->n; j++) {
        const int64_t at = sab_sparse_find(S, j, j);

        if (at < 0)
            continue; /* left to the library */
        const double left = S->value[at] / scale(K->value[K->start[j] + at - S->start[j]]);
        if (S->symmetric)
            SAB_TRY(check_pivot(left, true, j, smallest, err));
        else if (fabs(left) < SAB_PIVOT_NOISE)
            S->value[at] = 0.0;
    }
cleanup:
    return status;
}

sab_status sab_condense_update(sab_condense *condense, const sab_sparse *K, double *smallest,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    sab_sparse *S = condense->S;

    *smallest = INFINITY;
    for (int64_t j = 0; j < S->n; j++)
        memcpy(S->value + S->start[j], K->value + K->start[j],
               (size_t)(S->start[j + 1] - S->start[j]) * sizeof *S->value);
    for (int64_t k = 0; k < condense->nblocks; k++) {
        block *b = &condense->block[k];

        gather(K, b);
        SAB_TRY(eliminate(K->symmetric, b, smallest, err));
        subtract(b, S);
    }
    SAB_TRY(check_diagonal(K, S, smallest, err));
cleanup:
    return status;
}

void sab_condense_reduce(const sab_condense *condense, const double *b, double *x)
{
    memmove(x, b, (size_t)condense->S->n * sizeof *x);
    for (int64_t e = 0; e < condense->nblocks; e++) {
        const block *at = &condense->block[e];
        const int m = at->neighbours;
        double y[MOST];

        for (int k = 0; k < at->size; k++) {
            y[k] = b[at->first + at->order[k]];
            for (int j = 0; j < k; j++)
                y[k] -= at->LU[k][j] * y[j];
            for (int i = 0; i < m; i++)
                x[at->neighbour[i]] -= at->V[k * m + i] * y[k];
        }
        memcpy(x + at->first, y, (size_t)at->size * sizeof *x);
    }
}

void sab_condense_expand(const sab_condense *condense, double *x)
{
    for (int64_t e = 0; e < condense->nblocks; e++) {
        const block *at = &condense->block[e];
        const int m = at->neighbours;
        double *y = x + at->first;

        for (int k = at->size - 1; k >= 0; k--) {
            for (int i = 0; i < m; i++)
                y[k] -= at->W[k * m + i] * x[at->neighbour[i]];
            for (int j = k + 1; j < at->size; j++)
                y[k] -= at->LU[k][j] * y[j];
            y[k] /= at->LU[k][k];
        }
    }
}

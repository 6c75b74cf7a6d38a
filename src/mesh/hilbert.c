/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hilbert.c -- number elements and nodes along a curve that fills the box of the mesh. */
#include "mesh/hilbert.h"
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Cells of the curve along each axis, 2^BITS: dim BITS bits are a key. */
enum { BITS = 20 };

typedef struct place {
    uint64_t key; /* along the curve */
    int element;
} place;

static int compare_places(const void *a, const void *b)
{
    const place *p = a, *q = b;

    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->element - q->element;
}

/* The place along Hilbert's curve of the cell x [dim], by undoing its turns and reflections level
 * by level, from the coarsest (J. Skilling, AIP Conf. Proc. 707, 2004, 381-387); x is overwritten.
 */
static uint64_t hilbert_key(int dim, uint32_t *x)
{
    uint32_t turned = 0;
    uint64_t key = 0;

    for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1)
        for (int i = 0; i < dim; i++)
            if ((x[i] & bit) != 0) {
                x[0] ^= bit - 1;
            } else {
                const uint32_t t = (x[0] ^ x[i]) & (bit - 1);

                x[0] ^= t;
                x[i] ^= t;
            }
    for (int i = 1; i < dim; i++) /* Gray code */
        x[i] ^= x[i - 1];
    for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1)
        if ((x[dim - 1] & bit) != 0)
            turned ^= bit - 1;
    for (int i = 0; i < dim; i++)
        x[i] ^= turned;
    for (int b = BITS - 1; b >= 0; b--)
        for (int i = 0; i < dim; i++)
            key = key << 1 | (x[i] >> b & 1u);
    return key;
}

/* Sum of the corners of an element: dim coordinates. */
static void corner_sum(const sab_mesh *m, int e, double *sum)
{
    for (int i = 0; i < m->cell->dim; i++) {
        sum[i] = 0.0;
        for (int a = 0; a < m->cell->corners; a++)
            sum[i] += sab_mesh_x(m, sab_mesh_element(m, e)[a])[i];
    }
}

static void find_places(const sab_mesh *m, place *at)
{
    const int dim = m->cell->dim;
    double low[SAB_DIM], size = 0.0, sum[SAB_DIM];

    for (int i = 0; i < dim; i++) {
        double high = -INFINITY;

        low[i] = INFINITY;
        for (int e = 0; e < m->nelements; e++) {
            corner_sum(m, e, sum);
            low[i] = fmin(low[i], sum[i]);
            high = fmax(high, sum[i]);
        }
        size = fmax(size, high - low[i]);
    }
    for (int e = 0; e < m->nelements; e++) {
        uint32_t x[SAB_DIM];

        corner_sum(m, e, sum);
        for (int i = 0; i < dim; i++)
            x[i] = size > 0.0 ? (uint32_t)((sum[i] - low[i]) / size * ((1u << BITS) - 1u)) : 0u;
        at[e] = (place){hilbert_key(dim, x), e};
    }
}

sab_status sab_hilbert_order(const sab_mesh *m, int *element, int *number, sab_error *err)
{
    const int per = m->cell->nodes;
    sab_status status = SAB_OK;
    place *at = NULL;
    int next = 0;

    SAB_NEW(at, m->nelements);
    find_places(m, at);
    qsort(at, (size_t)m->nelements, sizeof *at, compare_places);
    for (int i = 0; i < m->nnodes; i++)
        number[i] = -1;
    for (int k = 0; k < per * m->nelements; k++) {
        const int node = sab_mesh_element(m, at[k / per].element)[k % per];

        if (number[node] < 0)
            number[node] = next++;
    }
    for (int e = 0; e < m->nelements; e++)
        element[e] = at[e].element;
cleanup:
    SAB_FREE(at);
    return status;
}

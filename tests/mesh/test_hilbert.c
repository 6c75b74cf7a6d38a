/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers along Hilbert's curve: it passes through every element once, never jumps, and does not
 * depend on the numbers before. */
#include "grid.h"
#include "unit.h"

#include "mesh/hilbert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void barycentre(const sab_mesh *m, int e, double *x)
{
    for (int i = 0; i < m->cell->dim; i++) {
        x[i] = 0.0;
        for (int a = 0; a < m->cell->corners; a++)
            x[i] += sab_mesh_x(m, sab_mesh_element(m, e)[a])[i] / m->cell->corners;
    }
}

static double distance(const sab_mesh *m, int e, int f)
{
    double a[SAB_DIM], b[SAB_DIM], square = 0.0;

    barycentre(m, e, a);
    barycentre(m, f, b);
    for (int i = 0; i < m->cell->dim; i++)
        square += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(square);
}

/* Both are permutations, nodes as the elements meet them, and from one element to the next it is
 * never farther than `most`. */
static void check_order(sab_mesh *m, double most)
{
    int *from = malloc((size_t)m->nelements * sizeof *from);
    int *number = malloc((size_t)m->nnodes * sizeof *number);
    char *seen = calloc((size_t)m->nelements, 1);
    int met = 0;
    double longest = 0.0;

    CU_ASSERT_EQUAL_FATAL(sab_hilbert_order(m, from, number, NULL), SAB_OK);
    for (int k = 0; k < m->nelements; k++) {
        CU_ASSERT_FATAL(from[k] >= 0 && from[k] < m->nelements && !seen[from[k]]);
        seen[from[k]] = 1;
        for (int a = 0; a < m->cell->nodes; a++) {
            const int i = number[sab_mesh_element(m, from[k])[a]];

            CU_ASSERT_FATAL(i >= 0 && i <= met);
            met += i == met;
        }
        if (k > 0)
            longest = fmax(longest, distance(m, from[k - 1], from[k]));
    }
    CU_ASSERT_EQUAL(met, m->nnodes);
    CU_ASSERT(longest < most);
    free(from);
    free(number);
    free(seen);
    sab_mesh_destroy(&m);
}

static void test_continuous(void)
{
    /* boxes of cells of width 1: in others the curve goes out and comes in again. An order without
     * its turns, by bits alone, jumps by half the box. */
    check_order(sab_grid_create(&(sab_grid){.nx = 32, .ny = 32, .x1 = 32.0, .y1 = 32.0}), 1.5);
    check_order(sab_grid_box(&(sab_box){.n = {8, 8, 8}, .high = {8.0, 8.0, 8.0}}), 1.5);
    check_order(sab_grid_create(&(sab_grid){.nx = 1, .ny = 1, .x1 = 1.0, .y1 = 1.0}), 1.0);
}

/* The elements of a mesh in another order are numbered alike. */
static void test_any_order(void)
{
    sab_mesh *m =
        sab_grid_create(&(sab_grid){.nx = 9, .ny = 7, .x1 = 1.0, .y1 = 1.0, .jitter = 0.2});
    const size_t per = (size_t)m->cell->nodes, n = (size_t)m->nelements;
    int *element = malloc(per * n * sizeof *element), *from = malloc(n * sizeof *from);
    int *other = malloc(n * sizeof *other), *number = malloc((size_t)m->nnodes * sizeof *number);
    double *x = malloc(2 * (size_t)m->nnodes * sizeof *x);
    sab_mesh *shuffled = NULL;

    memcpy(x, m->x, 2 * (size_t)m->nnodes * sizeof *x);
    for (size_t e = 0; e < n; e++) /* 55 and 126 have no common divisor */
        memcpy(element + per * e, m->element + per * (55 * e % n), per * sizeof *element);
    CU_ASSERT_EQUAL_FATAL(
        sab_mesh_create(m->cell, m->nnodes, x, m->nelements, element, &shuffled, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_hilbert_order(m, from, number, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_hilbert_order(shuffled, other, number, NULL), SAB_OK);
    for (size_t k = 0; k < n; k++)
        CU_ASSERT_EQUAL(from[k], 55 * other[k] % m->nelements);
    sab_mesh_destroy(&shuffled);
    sab_mesh_destroy(&m);
    free(from);
    free(other);
    free(number);
}

static const sab_test tests[] = {
    {"the curve never jumps", test_continuous},
    {"whatever the order before", test_any_order},
};

int main(void)
{
    return SAB_TEST_MAIN("hilbert", tests);
}

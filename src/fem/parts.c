/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/parts.h"
#include "mesh/cell.h"

#include <stdbool.h>

/* The centroid of a part whose corner is `corner` (in units of 1/n) and whose edges are along the
 * axes in the order `turn`. */
static void find_centroid(int dim, int n, const int *corner, const int *turn, double *xi)
{
    double y[SAB_DIM];

    /* Kuhn's coordinates 1 >= y_0 >= y_1 >= ... >= 0; xi_i = y_i - y_(i+1) */
    for (int i = 0; i < dim; i++)
        y[turn[i]] = (corner[turn[i]] + (double)(dim - i) / (dim + 1)) / n;
    for (int i = 0; i < dim; i++)
        xi[i] = y[i] - (i + 1 < dim ? y[i + 1] : 0.0);
}

/* The next number of dim digits below dim; false after the last. */
static bool count_up(int dim, int *digit)
{
    for (int i = 0; i < dim; i++) {
        if (++digit[i] < dim)
            return true;
        digit[i] = 0;
    }
    return false;
}

/* The parts of the cell in cube `corner` of n^dim: of all orders of the axes those whose simplex
 * lies in 1 >= y_0 >= y_1 >= ... Returns how many. */
static int find_in_cube(int dim, int n, const int *corner, double *xi)
{
    int rank[SAB_DIM] = {0}, turn[SAB_DIM], found = 0; /* rank: the larger, the smaller y */

    do {
        bool inside = true;

        for (int i = 0; i < dim; i++) {
            turn[rank[i]] = i;
            for (int k = 0; k < i; k++)
                inside = inside && rank[k] != rank[i]; /* an order of the axes */
        }
        for (int i = 0; i + 1 < dim; i++)
            inside = inside && (corner[i] > corner[i + 1] ||
                                (corner[i] == corner[i + 1] && rank[i] < rank[i + 1]));
        if (inside)
            find_centroid(dim, n, corner, turn, xi + dim * found++);
    } while (count_up(dim, rank));
    return found;
}

int sab_parts(int dim, int n, double *xi)
{
    int cubes = 1, found = 0;

    for (int i = 0; i < dim; i++)
        cubes *= n;
    for (int i = 0; i < cubes; i++) {
        int corner[SAB_DIM] = {0};

        for (int k = 0, rest = i; k < dim; k++, rest /= n)
            corner[k] = rest % n;
        found += find_in_cube(dim, n, corner, xi + dim * found);
    }
    return found;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shape.c -- the shape of elements: orientation, Jacobians positive everywhere, quality.
 *
 * The Jacobian matrix of a P2 map is affine: J = sum_k l_k J_k with J_k its value at corner k. So
 * det J is a polynomial of degree dim whose Bernstein coefficients are the mixed determinants
 *     b_klm = mean over the orders of (k, l, m) of det [column 0 of J_k, 1 of J_l, 2 of J_m]
 * (in the plane b_kl). det J lies between the smallest and the largest of them, and their mean is
 * its mean. The same holds in a part of the element with the J_k of the corners of the part. */
#include "mesh/shape.h"

#include <math.h>
#include <string.h>

typedef struct jacobians {
    double at[SAB_CORNERS][SAB_DIM][SAB_DIM]; /* at each corner [j][i] = dx_i/dxi_j: columns */
} jacobians;

static double cross(const double *a, const double *b)
{
    return a[0] * b[1] - a[1] * b[0];
}

static double determinant(int dim, const double *const column[SAB_DIM])
{
    const int z = dim - 1;
    const double *a = column[0], *b = column[1], *c = column[z];

    if (dim < SAB_DIM)
        return cross(a, b);
    return cross(a, b) * c[z] + cross(b, c) * a[z] + cross(c, a) * b[z];
}

static void jacobians_of(const sab_mesh *m, int e, jacobians *J)
{
    const int dim = m->cell->dim;

    for (int k = 0; k < m->cell->corners; k++) {
        double xi[SAB_DIM] = {0.0}, at[SAB_DIM][SAB_DIM];

        if (k > 0)
            xi[k - 1] = 1.0;
        sab_mesh_map(m, e, xi, NULL, at);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < dim; j++)
                J->at[k][j][i] = at[i][j];
    }
}

/* The Bernstein coefficients of det J: their smallest, their mean, and the smallest at a corner,
 * where they are values of det J. */
typedef struct bounds {
    double low, mean, corner;
} bounds;

static bounds bound(const sab_cell *cell, const jacobians *J)
{
    /* The coefficient of corners k, l, m has the number S^k + S^l + S^m, S = SAB_CORNERS, whatever
     * their order. */
    enum { NUMBERS = SAB_DIM * SAB_CORNERS * SAB_CORNERS * SAB_CORNERS + 1 };
    static const int power[SAB_CORNERS] = {1, SAB_CORNERS, SAB_CORNERS * SAB_CORNERS,
                                           SAB_CORNERS * SAB_CORNERS * SAB_CORNERS};
    double sum[NUMBERS] = {0.0}, total = 0.0;
    int orders[NUMBERS] = {0}, corner[SAB_DIM] = {0}, count = 0;
    bounds b = {.low = INFINITY, .corner = INFINITY};

    for (int i = 0; i < cell->dim;) { /* all corner[dim], as a counter */
        const double *column[SAB_DIM];
        int number = 0;

        for (int j = 0; j < cell->dim; j++) {
            column[j] = J->at[corner[j]][j];
            number += power[corner[j]];
        }
        sum[number] += determinant(cell->dim, column);
        orders[number]++;
        for (i = 0; i < cell->dim && ++corner[i] == cell->corners; i++)
            corner[i] = 0;
    }
    for (int n = 0; n < NUMBERS; n++)
        if (orders[n] > 0) {
            b.low = fmin(b.low, sum[n] / orders[n]);
            total += sum[n] / orders[n];
            count++;
        }
    for (int k = 0; k < cell->corners; k++)
        b.corner = fmin(b.corner, sum[cell->dim * power[k]]);
    b.mean = total / count;
    return b;
}

/* Cut a part of the element in two at the middle of the edge along which J varies most. */
static void bisect(const sab_cell *cell, const jacobians *J, jacobians *p, jacobians *q)
{
    double most = -1.0;
    int a = 0, b = 0;

    for (int n = 0; n < cell->edges; n++) {
        const int *end = cell->edge[n];
        double change = 0.0;

        for (int j = 0; j < cell->dim; j++)
            for (int i = 0; i < cell->dim; i++)
                change = fmax(change, fabs(J->at[end[0]][j][i] - J->at[end[1]][j][i]));
        if (change > most) {
            most = change;
            a = end[0];
            b = end[1];
        }
    }
    *p = *q = *J;
    for (int j = 0; j < cell->dim; j++)
        for (int i = 0; i < cell->dim; i++)
            p->at[b][j][i] = q->at[a][j][i] = 0.5 * (J->at[a][j][i] + J->at[b][j][i]);
}

/* Is det J above `smallest` in the whole part? *least becomes the smallest value seen. After so
 * many cuts the bounds are within 1e-4 of the variation of det J (1e-6 in the plane): what is not
 * decided then counts as folded. */
enum { CUTS = 20 };

static bool is_positive(const sab_cell *cell, const jacobians *J, double smallest, int cuts,
                        double *least)
{
    const bounds b = bound(cell, J);
    jacobians p, q; /* the halves */

    *least = fmin(*least, cuts > 0 ? b.corner : b.low);
    if (b.low > smallest)
        return true;
    if (b.corner <= smallest || cuts == 0)
        return false;
    bisect(cell, J, &p, &q);
    return is_positive(cell, &p, smallest, cuts - 1, least) &&
           is_positive(cell, &q, smallest, cuts - 1, least);
}

/* Exchange corners 1 and 2, and the middles of the edges that this exchanges. */
static void turn(const sab_cell *cell, int *node)
{
    static const int corner[SAB_CORNERS] = {0, 2, 1, 3};
    int old[SAB_NODES];

    memcpy(old, node, (size_t)cell->nodes * sizeof *node);
    for (int i = 0; i < cell->corners; i++)
        node[i] = old[corner[i]];
    for (int i = 0; i < cell->edges; i++) {
        const int a = corner[cell->edge[i][0]], b = corner[cell->edge[i][1]];
        int k = 0; /* the edge that joins a and b */

        while (!(cell->edge[k][0] == a && cell->edge[k][1] == b) &&
               !(cell->edge[k][0] == b && cell->edge[k][1] == a))
            k++;
        node[cell->corners + i] = old[cell->corners + k];
    }
}

static double distance(int dim, const double *a, const double *b)
{
    double square = 0.0;

    for (int i = 0; i < dim; i++)
        square += (b[i] - a[i]) * (b[i] - a[i]);
    return sqrt(square);
}

static double longest_edge(const sab_mesh *m, int e)
{
    const int *node = sab_mesh_element(m, e);
    double longest = 0.0;

    for (int i = 0; i < m->cell->edges; i++) {
        const int *end = m->cell->edge[i];

        longest = fmax(longest, distance(m->cell->dim, sab_mesh_x(m, node[end[0]]),
                                         sab_mesh_x(m, node[end[1]])));
    }
    return longest;
}

/* The edges from corner 0 of the straight element, x_k - x_0, and their determinant. */
static double straight(const sab_mesh *m, int e, double edge[SAB_DIM][SAB_DIM])
{
    const int *node = sab_mesh_element(m, e), dim = m->cell->dim;
    const double *column[SAB_DIM];

    for (int j = 0; j < dim; j++) {
        column[j] = edge[j];
        for (int i = 0; i < dim; i++)
            edge[j][i] = sab_mesh_x(m, node[j + 1])[i] - sab_mesh_x(m, node[0])[i];
    }
    return determinant(dim, column);
}

static void barycentre(const sab_mesh *m, int e, double *x)
{
    double xi[SAB_DIM];

    for (int i = 0; i < m->cell->dim; i++)
        xi[i] = 1.0 / m->cell->corners;
    sab_mesh_map(m, e, xi, x, NULL);
}

static sab_status check_shape(sab_mesh *m, int e, sab_error *err)
{
    const double longest = longest_edge(m, e), smallest = 1e-10 * pow(longest, m->cell->dim);
    double least = INFINITY, where[SAB_DIM], edge[SAB_DIM][SAB_DIM];
    char place[SAB_PLACE_TEXT];
    jacobians J = {{{{0.0}}}};

    /* The sign of the mean decides: a valid map has a Jacobian of one sign, while the corners alone
     * can mislead when sides are strongly curved. */
    jacobians_of(m, e, &J);
    if (bound(m->cell, &J).mean < 0.0) {
        turn(m->cell, sab_mesh_element(m, e));
        jacobians_of(m, e, &J);
    }
    if (is_positive(m->cell, &J, smallest, CUTS, &least))
        return SAB_OK;
    barycentre(m, e, where);
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s %d of %d, near %s, %s: its map has the Jacobian %.3g, with sides up to %g",
                    m->cell->name, e + 1, m->nelements, sab_place_text(m->cell->dim, where, place),
                    fabs(straight(m, e, edge)) > smallest ? "is folded by its curved sides"
                                                          : "is degenerate",
                    least, longest);
}

/* With e_k = x_k - x_0 and g_k = grad l_k (g_j.e_k = 1 if j = k, else 0):
 *     r = 1 / sum |grad l_k|, since |grad l_k| is one over the height on side k, and
 *     R = |c|, 2 c.e_k = |e_k|^2 for the centre c, so that c = sum_k g_k |e_k|^2 / 2.
 * In the plane a third edge, the axis, completes the e_k. */
static double quality(const sab_mesh *m, int e)
{
    const int dim = m->cell->dim;
    double edge[SAB_DIM][SAB_DIM] = {{0.0}}, first[SAB_DIM] = {0.0}, centre[SAB_DIM] = {0.0};
    double heights = 0.0;

    edge[SAB_DIM - 1][SAB_DIM - 1] = 1.0;
    const double det = straight(m, e, edge);
    for (int k = 0; k < dim; k++) {
        const double *a = edge[(k + 1) % SAB_DIM], *b = edge[(k + SAB_DIM - 1) % SAB_DIM];
        double g[SAB_DIM], square = 0.0;

        for (int i = 0; i < dim; i++) {
            const int p = (i + 1) % SAB_DIM, q = (i + SAB_DIM - 1) % SAB_DIM;

            g[i] = (a[p] * b[q] - a[q] * b[p]) / det;
            square += edge[k][i] * edge[k][i];
        }
        heights += distance(dim, (const double[SAB_DIM]){0.0}, g);
        for (int i = 0; i < dim; i++) {
            first[i] += g[i]; /* - grad l_0 */
            centre[i] += 0.5 * square * g[i];
        }
    }
    heights += distance(dim, (const double[SAB_DIM]){0.0}, first);
    return dim / heights / distance(dim, (const double[SAB_DIM]){0.0}, centre);
}

void sab_mesh_quality(const sab_mesh *m, double *worst, double *place)
{
    int where = 0;

    *worst = INFINITY;
    for (int e = 0; e < m->nelements; e++) {
        const double here = quality(m, e);

        if (here < *worst) {
            *worst = here;
            where = e;
        }
    }
    if (place != NULL)
        barycentre(m, where, place);
}

sab_status sab_mesh_check_shapes(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int e = 0; e < m->nelements && status == SAB_OK; e++)
        status = check_shape(m, e, err);
    return status;
}

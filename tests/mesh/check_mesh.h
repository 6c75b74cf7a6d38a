/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/mesh/check_mesh.h -- identities that every mesh has. */
#ifndef SAB_TESTS_MESH_CHECK_MESH_H
#define SAB_TESTS_MESH_CHECK_MESH_H

#include "failing.h"
#include "unit.h"

#include "mesh/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- identities ------------------------------------------------------------------------------- */

/* n by n Gauss points (exact to degree 2n - 1 each way, n = 3) folded onto a simplex: the integral
 * of f over the reference cell, degree 3 at least. The lectures call it Duffy's map. */
enum { GAUSS = 3 };

static const double gauss_x[GAUSS] = {0.1127016653792583, 0.5, 0.8872983346207417};
static const double gauss_w[GAUSS] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};

/* Point and weight number q < GAUSS^dim on a simplex. */
static inline double simplex_point(int dim, int q, double *xi)
{
    double weight = 1.0, left = 1.0;

    for (int d = 0; d < dim; d++, q /= GAUSS) {
        const double t = gauss_x[q % GAUSS];

        xi[d] = t * left;
        weight *= gauss_w[q % GAUSS] * left;
        left *= 1.0 - t;
    }
    return weight;
}

static inline int simplex_points(int dim)
{
    return dim == 1 ? GAUSS : dim == 2 ? GAUSS * GAUSS : GAUSS * GAUSS * GAUSS;
}

/* Area or volume: the integral of the Jacobian, of degree dim. */
static inline double mesh_area(const sab_mesh *m)
{
    const int dim = m->cell->dim;
    double area = 0.0;

    for (int e = 0; e < m->nelements; e++)
        for (int q = 0; q < simplex_points(dim); q++) {
            double xi[SAB_DIM], J[SAB_DIM][SAB_DIM] = {{0.0}};
            const double weight = simplex_point(dim, q, xi);

            J[2][2] = 1.0;
            sab_mesh_map(m, e, xi, NULL, J);
            for (int i = 0; i < 3; i++)
                area +=
                    weight * J[i][0] *
                    (J[(i + 1) % 3][1] * J[(i + 2) % 3][2] - J[(i + 2) % 3][1] * J[(i + 1) % 3][2]);
        }
    return area;
}

/* Place on a facet and the outward normal times its area, by the right hand. */
static inline void facet_point(const sab_mesh *m, int f, const double *xi, double *x, double *n)
{
    const sab_cell *facet = m->cell->facet;
    const int dim = m->cell->dim;
    double value[SAB_NODES], gradient[SAB_NODES * SAB_DIM], t[SAB_DIM][SAB_DIM] = {{0.0}};

    sab_cell_shapes(facet, xi, value, gradient);
    t[1][2] = 1.0; /* in the plane the second tangent is the axis */
    for (int i = 0; i < dim; i++) {
        x[i] = 0.0;
        for (int a = 0; a < facet->nodes; a++) {
            const double xa = sab_mesh_x(m, sab_mesh_facet(m, f)[a])[i];

            x[i] += value[a] * xa;
            for (int j = 0; j < facet->dim; j++)
                t[j][i] += gradient[facet->dim * a + j] * xa;
        }
    }
    if (dim == 3)
        t[1][2] -= 1.0;
    for (int i = 0; i < dim; i++)
        n[i] = t[0][(i + 1) % 3] * t[1][(i + 2) % 3] - t[0][(i + 2) % 3] * t[1][(i + 1) % 3];
}

/* Over the boundary facets: sum of outward normals, and 1/dim of the integral of x.n, which is the
 * area (divergence theorem). */
static inline double boundary_area(const sab_mesh *m, double normal[SAB_DIM])
{
    const int dim = m->cell->dim;
    double area = 0.0;

    memset(normal, 0, SAB_DIM * sizeof *normal);
    for (int f = 0; f < m->nfacets; f++)
        for (int q = 0; q < simplex_points(dim - 1) && !m->facet_interior[f]; q++) {
            double xi[SAB_DIM], x[SAB_DIM], n[SAB_DIM];
            const double weight = simplex_point(dim - 1, q, xi);

            facet_point(m, f, xi, x, n);
            for (int i = 0; i < dim; i++) {
                normal[i] += weight * n[i];
                area += weight * x[i] * n[i] / dim;
            }
        }
    return area;
}

static inline void check_facets(const sab_mesh *m)
{
    const sab_cell *c = m->cell;
    int nboundary = 0, bad = 0;

    for (int f = 0; f < m->nfacets; f++) {
        const int e = m->facet_element[f], s = m->facet_side[f];

        for (int a = 0; a < c->facet->nodes; a++)
            bad += sab_mesh_facet(m, f)[a] != sab_mesh_element(m, e)[c->side[s][a]];
        bad += m->facet_interior[f] != (m->neighbour[c->sides * e + s] >= 0);
        nboundary += !m->facet_interior[f];
    }
    for (int h = 0; h < c->sides * m->nelements; h++)
        nboundary -= m->neighbour[h] < 0;
    CU_ASSERT_EQUAL(bad, 0);
    CU_ASSERT_EQUAL(nboundary, 0);
}

/* Is facet b, nodes in order, facet a seen from the other side? It has the nodes of a, and its
 * corners run backwards round some start. */
static inline int opposite(const sab_cell *facet, const int *a, const int *b)
{
    const int n = facet->corners;
    int same = 0, backwards = 0;

    for (int i = 0; i < facet->nodes; i++)
        for (int k = 0; k < facet->nodes; k++)
            same += a[i] == b[k];
    for (int start = 0; start < n; start++) {
        int agree = 0;

        for (int i = 0; i < n; i++)
            agree += a[i] == b[(start + n - i) % n];
        backwards += agree == n;
    }
    /* two ends run backwards from either start: say which end is first */
    return same == facet->nodes && backwards == 1 && (n > 2 || a[0] == b[1]);
}

/* Neighbours are mutual, across one side of the same number and nodes, run in the other direction;
 * the numbers of sides are 0, 1, 2, ... each in one element or two. */
static inline void check_neighbours(const sab_mesh *m)
{
    const sab_cell *c = m->cell;
    int *seen = calloc((size_t)m->nsides, sizeof *seen), bad = 0;

    for (int h = 0; h < c->sides * m->nelements; h++) {
        const int e = h / c->sides, other = m->neighbour[h];
        int mine[SAB_SIDE_NODES], theirs[SAB_SIDE_NODES], found = 0;

        for (int a = 0; a < c->facet->nodes; a++)
            mine[a] = sab_mesh_element(m, e)[c->side[h % c->sides][a]];
        for (int k = 0; k < c->sides && other >= 0; k++) {
            for (int a = 0; a < c->facet->nodes; a++)
                theirs[a] = sab_mesh_element(m, other)[c->side[k][a]];
            found += opposite(c->facet, mine, theirs) && m->neighbour[c->sides * other + k] == e &&
                     m->side[c->sides * other + k] == m->side[h];
        }
        bad += other >= 0 && found != 1;
        bad += m->side[h] < 0 || m->side[h] >= m->nsides;
        seen[m->side[h]] += other >= 0 ? 1 : 2;
    }
    for (int s = 0; s < m->nsides; s++)
        bad += seen[s] != 2;
    CU_ASSERT_EQUAL(bad, 0);
    free(seen);
}

/* Euler: vertices - edges + sides - ... The characteristic of a disc or ball is 1; each hole
 * through a plane mesh takes one off, each hollow inside a solid adds one. */
static inline void check_mesh(const sab_mesh *m, int holes)
{
    double normal[SAB_DIM];
    const int dim = m->cell->dim, nedges = m->nnodes - m->nvertices;
    const int nsides = dim == 2 ? 0 : m->nsides;

    SAB_ASSERT_CLOSE(boundary_area(m, normal), mesh_area(m), 1e-13);
    for (int i = 0; i < dim; i++)
        SAB_ASSERT_CLOSE(normal[i], 0.0, 1e-13);
    CU_ASSERT_EQUAL(m->nvertices - nedges + nsides + (dim == 2 ? 1 : -1) * m->nelements,
                    1 - (dim == 2 ? holes : -holes));
    if (dim == 2)
        CU_ASSERT_EQUAL(m->nsides, nedges);
    check_facets(m);
    check_neighbours(m);
}

/* The split: three times the triangles, the same area, boundary facets and groups. */
static inline void check_split(const sab_mesh *m, int holes)
{
    sab_mesh *fine = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(m, &fine, &err), SAB_OK);
    check_mesh(fine, holes);
    CU_ASSERT_EQUAL(fine->nelements, 3 * m->nelements);
    CU_ASSERT_EQUAL(fine->nvertices, m->nvertices + m->nelements);
    SAB_ASSERT_CLOSE(mesh_area(fine), mesh_area(m), 1e-13);
    CU_ASSERT_EQUAL_FATAL(fine->nfacets, m->nfacets);
    CU_ASSERT_EQUAL(memcmp(fine->facet, m->facet, 3 * (size_t)m->nfacets * sizeof(int)), 0);
    CU_ASSERT_EQUAL(memcmp(fine->facet_interior, m->facet_interior, (size_t)m->nfacets), 0);
    CU_ASSERT_EQUAL_FATAL(fine->ngroups, m->ngroups);
    for (int g = 0; g < m->ngroups; g++) {
        CU_ASSERT_STRING_EQUAL(fine->group[g].name, m->group[g].name);
        CU_ASSERT_EQUAL(fine->group[g].tag, m->group[g].tag);
        CU_ASSERT_EQUAL_FATAL(fine->group[g].nfacets, m->group[g].nfacets);
        CU_ASSERT_EQUAL(memcmp(fine->group[g].facet, m->group[g].facet,
                               (size_t)m->group[g].nfacets * sizeof(int)),
                        0);
    }
    sab_mesh_destroy(&fine);
}

#endif

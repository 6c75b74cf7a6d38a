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

/* Integral of the Jacobian, of degree 2: three points are exact. */
static inline double mesh_area(const sab_mesh *m)
{
    static const double point[3][2] = {
        {1.0 / 6.0, 1.0 / 6.0}, {2.0 / 3.0, 1.0 / 6.0}, {1.0 / 6.0, 2.0 / 3.0}};
    double area = 0.0;

    for (int e = 0; e < m->nelements; e++)
        for (int q = 0; q < 3; q++) {
            double x[2], J[2][2];

            sab_mesh_map(m, e, point[q], x, J);
            area += (J[0][0] * J[1][1] - J[0][1] * J[1][0]) / 6.0;
        }
    return area;
}

/* Over the boundary facets, element on the left: sum of outward normals, and (1/2) of the integral
 * of x.n, which is the area (divergence theorem; degree 3 on a side, two Gauss points are exact).
 */
static inline double boundary_area(const sab_mesh *m, double normal[2])
{
    double area = 0.0;

    normal[0] = normal[1] = 0.0;
    for (int f = 0; f < m->nfacets; f++) {
        const double *a = m->x + 2 * m->facet[3 * f], *b = m->x + 2 * m->facet[3 * f + 1];
        const double *c = m->x + 2 * m->facet[3 * f + 2];

        if (m->facet_interior[f])
            continue;
        for (int q = 0; q < 2; q++) {
            const double t = 0.5 + (q == 0 ? -0.5 : 0.5) / sqrt(3.0);
            double x[2], dx[2];

            for (int i = 0; i < 2; i++) {
                x[i] =
                    (1 - t) * (1 - 2 * t) * a[i] + t * (2 * t - 1) * b[i] + 4 * t * (1 - t) * c[i];
                dx[i] = (4 * t - 3) * a[i] + (4 * t - 1) * b[i] + (4 - 8 * t) * c[i];
            }
            normal[0] += 0.5 * dx[1]; /* n ds = (dy, -dx) points right of the direction */
            normal[1] -= 0.5 * dx[0];
            area += 0.25 * (x[0] * dx[1] - x[1] * dx[0]);
        }
    }
    return area;
}

static inline void check_facets(const sab_mesh *m)
{
    int nboundary = 0, bad = 0;

    for (int f = 0; f < m->nfacets; f++) {
        const int e = m->facet_element[f], s = m->facet_side[f];
        const int *node = m->element + 6 * e;

        bad += m->facet[3 * f] != node[s] || m->facet[3 * f + 1] != node[(s + 1) % 3] ||
               m->facet[3 * f + 2] != node[3 + s];
        bad += m->facet_interior[f] != (m->neighbour[3 * e + s] >= 0);
        nboundary += !m->facet_interior[f];
    }
    for (int h = 0; h < 3 * m->nelements; h++)
        nboundary -= m->neighbour[h] < 0;
    CU_ASSERT_EQUAL(bad, 0);
    CU_ASSERT_EQUAL(nboundary, 0);
}

/* Neighbours are mutual, across a side with the same middle, run in the other direction. */
static inline void check_neighbours(const sab_mesh *m)
{
    int bad = 0;

    for (int h = 0; h < 3 * m->nelements; h++) {
        const int e = h / 3, s = h % 3, other = m->neighbour[h];
        const int *node = m->element + 6 * e;
        int found = 0;

        for (int k = 0; k < 3 && other >= 0; k++) {
            const int *far = m->element + 6 * other;

            found += far[3 + k] == node[3 + s] && far[k] == node[(s + 1) % 3] &&
                     far[(k + 1) % 3] == node[s] && m->neighbour[3 * other + k] == e;
        }
        bad += other >= 0 && found != 1;
    }
    CU_ASSERT_EQUAL(bad, 0);
}

static inline void check_mesh(const sab_mesh *m, int holes)
{
    double normal[2];
    const double area = mesh_area(m);
    int nboundary = 0;

    SAB_ASSERT_CLOSE(boundary_area(m, normal), area, 1e-13);
    SAB_ASSERT_CLOSE(normal[0], 0.0, 1e-13);
    SAB_ASSERT_CLOSE(normal[1], 0.0, 1e-13);
    for (int h = 0; h < 3 * m->nelements; h++)
        nboundary += m->neighbour[h] < 0;
    const int nedges = (3 * m->nelements + nboundary) / 2;
    CU_ASSERT_EQUAL(m->nvertices - nedges + m->nelements, 1 - holes); /* Euler */
    CU_ASSERT_EQUAL(m->nnodes, m->nvertices + nedges);
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

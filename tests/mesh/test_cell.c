/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of cells against geometry, Gmsh and the definition of VTK. */
#include "mesh/cell.h"
#include "mesh/gmsh_session.h"
#include "unit.h"

#include <gmshc.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const sab_cell *const all[] = {&sab_cell_line, &sab_cell_triangle, &sab_cell_tetrahedron};
enum { CELLS = sizeof all / sizeof *all };

/* Node a of the reference cell. */
static void place(const sab_cell *c, int a, double x[SAB_DIM])
{
    const int end[2] = {a < c->corners ? a : c->edge[a - c->corners][0],
                        a < c->corners ? a : c->edge[a - c->corners][1]};

    memset(x, 0, SAB_DIM * sizeof *x);
    for (int k = 0; k < 2; k++)
        if (end[k] > 0)
            x[end[k] - 1] += 0.5;
}

/* V - E + F - .. = 1 - (-1)^dim of the boundary of a simplex. */
static void test_euler(void)
{
    static const int faces[CELLS] = {0, 0, 4}; /* of dimension two, on the boundary */

    for (int k = 0; k < CELLS; k++) {
        const sab_cell *c = all[k];
        const int edges = c->dim > 1 ? c->edges : 0;

        CU_ASSERT_EQUAL(c->corners, c->dim + 1);
        CU_ASSERT_EQUAL(c->edges, c->corners * (c->corners - 1) / 2);
        CU_ASSERT_EQUAL(c->nodes, c->corners + c->edges);
        CU_ASSERT_EQUAL(c->sides, c->corners);
        CU_ASSERT_EQUAL(c->corners - edges + faces[k], c->dim % 2 == 0 ? 0 : 2);
        CU_ASSERT_EQUAL(c->facet == NULL ? 0 : c->facet->dim, c->dim - 1);
        CU_ASSERT_TRUE(c->dim <= SAB_DIM && c->corners <= SAB_CORNERS && c->edges <= SAB_EDGES &&
                       c->nodes <= SAB_NODES && c->sides <= SAB_SIDES);
    }
}

/* Every edge joins another pair of corners. */
static void test_edges(void)
{
    for (int k = 0; k < CELLS; k++) {
        bool seen[SAB_CORNERS][SAB_CORNERS] = {{false}};

        for (int i = 0; i < all[k]->edges; i++) {
            const int *e = all[k]->edge[i];

            CU_ASSERT_NOT_EQUAL(e[0], e[1]);
            CU_ASSERT_FALSE(seen[e[0]][e[1]]);
            seen[e[0]][e[1]] = seen[e[1]][e[0]] = true;
        }
    }
}

/* A side lacks one corner, opposite to it, each side another; a node of the cell is on it exactly
 * if its barycentric coordinate of that corner is 0; middles stand as in the cell of the side. */
static void test_sides(void)
{
    for (int k = 0; k < CELLS; k++) {
        const sab_cell *c = all[k];
        bool opposite[SAB_CORNERS] = {false};

        for (int s = 0; s < c->sides; s++) {
            const int corners = c->dim, nodes = c->facet == NULL ? 1 : c->facet->nodes;
            bool on[SAB_NODES] = {false};
            int off = -1, count = 0;

            CU_ASSERT_TRUE(nodes <= SAB_SIDE_NODES);
            for (int a = 0; a < nodes; a++) {
                CU_ASSERT_FALSE(on[c->side[s][a]]);
                CU_ASSERT_EQUAL(c->side[s][a] < c->corners, a < corners);
                on[c->side[s][a]] = true;
            }
            for (int i = 0; i < c->corners; i++)
                off = on[i] ? off : i;
            CU_ASSERT_FALSE_FATAL(off < 0);
            CU_ASSERT_FALSE(opposite[off]);
            opposite[off] = true;
            for (int a = 0; a < c->nodes; a++) {
                double x[SAB_DIM], l[SAB_CORNERS];

                place(c, a, x);
                sab_cell_barycentric(c, x, l);
                CU_ASSERT_EQUAL(l[off] == 0.0, on[a]);
                count += on[a];
            }
            CU_ASSERT_EQUAL(count, nodes);
            for (int i = 0; c->facet != NULL && i < c->facet->edges; i++) {
                const int a = c->side[s][c->facet->edge[i][0]],
                          b = c->side[s][c->facet->edge[i][1]];
                double xa[SAB_DIM], xb[SAB_DIM], middle[SAB_DIM];

                place(c, a, xa);
                place(c, b, xb);
                place(c, c->side[s][corners + i], middle);
                for (int d = 0; d < SAB_DIM; d++)
                    CU_ASSERT_EQUAL(middle[d], 0.5 * (xa[d] + xb[d]));
            }
        }
    }
}

/* The normal by the right hand points away from the opposite corner, for every side. */
static void test_outward(void)
{
    for (int s = 0; s < sab_cell_triangle.sides; s++) {
        double a[SAB_DIM], b[SAB_DIM], flux = 0.0;

        place(&sab_cell_triangle, sab_cell_triangle.side[s][0], a);
        place(&sab_cell_triangle, sab_cell_triangle.side[s][1], b);
        flux = (a[0] - 1.0 / 3.0) * (b[1] - a[1]) - (a[1] - 1.0 / 3.0) * (b[0] - a[0]);
        CU_ASSERT_TRUE(flux > 0.1);
    }
    for (int s = 0; s < sab_cell_tetrahedron.sides; s++) {
        double x[3][SAB_DIM], p[SAB_DIM], q[SAB_DIM], flux = 0.0;

        for (int i = 0; i < 3; i++)
            place(&sab_cell_tetrahedron, sab_cell_tetrahedron.side[s][i], x[i]);
        for (int d = 0; d < SAB_DIM; d++) {
            p[d] = x[1][d] - x[0][d];
            q[d] = x[2][d] - x[0][d];
        }
        for (int d = 0; d < SAB_DIM; d++)
            flux += (x[0][d] - 0.25) *
                    (p[(d + 1) % 3] * q[(d + 2) % 3] - p[(d + 2) % 3] * q[(d + 1) % 3]);
        CU_ASSERT_TRUE(flux > 0.1);
    }
}

/* Our node i is node gmsh[i] of Gmsh, whose own library says where that is. */
static void test_gmsh(void)
{
    sab_gmsh_session session = {0};
    int ierr = 0;

    CU_ASSERT_EQUAL_FATAL(sab_gmsh_session_open(&session, 0, NULL, NULL), SAB_OK);
    for (int k = 0; k < CELLS; k++)
        for (int order = 1; order <= 2; order++) {
            const sab_cell *c = all[k];
            const int type = order == 1 ? c->gmsh_linear : c->gmsh_type;
            char *name = NULL;
            double *at = NULL;
            int dim, degree, nodes, corners;
            size_t n = 0;

            gmshModelMeshGetElementProperties(type, &name, &dim, &degree, &nodes, &at, &n, &corners,
                                              &ierr);
            CU_ASSERT_EQUAL_FATAL(ierr, 0);
            CU_ASSERT_EQUAL(dim, c->dim);
            CU_ASSERT_EQUAL(degree, order);
            CU_ASSERT_EQUAL(corners, c->corners);
            CU_ASSERT_EQUAL_FATAL(nodes, order == 1 ? c->corners : c->nodes);
            for (int a = 0; a < nodes; a++) {
                double x[SAB_DIM];

                place(c, a, x);
                for (int d = 0; d < dim; d++) /* a line of Gmsh runs from -1 to 1 */
                    CU_ASSERT_EQUAL(dim == 1 ? 2.0 * x[d] - 1.0 : x[d], at[dim * c->gmsh[a] + d]);
            }
            gmshFree(name);
            gmshFree(at);
        }
    sab_gmsh_session_close(&session);
}

/* Ends of the edges whose middles follow the corners in VTK (vtkQuadraticTetra and the others). */
static void test_vtk(void)
{
    static const int end[CELLS][SAB_EDGES][2] = {
        {{0, 1}}, {{0, 1}, {1, 2}, {2, 0}}, {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}};

    for (int k = 0; k < CELLS; k++) {
        const sab_cell *c = all[k];
        bool seen[SAB_NODES] = {false};

        for (int a = 0; a < c->nodes; a++) {
            const int there = c->vtk[a];

            CU_ASSERT_FALSE_FATAL(there < 0 || there >= c->nodes || seen[there]);
            seen[there] = true;
            CU_ASSERT_EQUAL(there < c->corners, a < c->corners);
            if (a < c->corners) {
                CU_ASSERT_EQUAL(there, a);
                continue;
            }
            const int *mine = c->edge[a - c->corners], *theirs = end[k][there - c->corners];
            CU_ASSERT_TRUE((mine[0] == theirs[0] && mine[1] == theirs[1]) ||
                           (mine[0] == theirs[1] && mine[1] == theirs[0]));
        }
    }
}

/* 1 at its own node, 0 at the others; sum 1; the gradients are those of the values. */
static void test_shapes(void)
{
    static const double xi[SAB_DIM] = {0.21, 0.33, 0.17};
    const double h = 1e-6;

    for (int k = 0; k < CELLS; k++) {
        const sab_cell *c = all[k];
        double value[SAB_NODES], gradient[SAB_NODES * SAB_DIM], sum = 0.0;

        for (int b = 0; b < c->nodes; b++) {
            double x[SAB_DIM];

            place(c, b, x);
            sab_cell_shapes(c, x, value, gradient);
            for (int a = 0; a < c->nodes; a++)
                CU_ASSERT_EQUAL(value[a], a == b ? 1.0 : 0.0);
        }
        sab_cell_shapes(c, xi, value, gradient);
        for (int a = 0; a < c->nodes; a++)
            sum += value[a];
        SAB_ASSERT_CLOSE(sum, 1.0, 1e-15);
        for (int d = 0; d < c->dim; d++) {
            double x[SAB_DIM], less[SAB_NODES], more[SAB_NODES], unused[SAB_NODES * SAB_DIM];

            memcpy(x, xi, sizeof x);
            x[d] = xi[d] - h;
            sab_cell_shapes(c, x, less, unused);
            x[d] = xi[d] + h;
            sab_cell_shapes(c, x, more, unused);
            for (int a = 0; a < c->nodes; a++)
                SAB_ASSERT_CLOSE(gradient[c->dim * a + d], (more[a] - less[a]) / (2.0 * h), 1e-8);
        }
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"Euler's formula", test_euler},
        {"edges", test_edges},
        {"nodes of sides", test_sides},
        {"outward normals", test_outward},
        {"order of Gmsh, by Gmsh", test_gmsh},
        {"order of VTK", test_vtk},
        {"quadratic shape functions", test_shapes},
    };

    return SAB_TEST_MAIN("mesh/cell", tests);
}

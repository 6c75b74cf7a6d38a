/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law points and what they see [docs/theory.md, 4.1, 4.9 and 4.10]: moments against the measure,
 * the projection of gradients and of u_r/r, and the remainder that viscosity sees of bubbles. */
#include "unit.h"

#include "base/memory.h"
#include "fem/law_points.h"
#include "fem/points.h"
#include "grid.h"

#include <math.h>
#include <string.h>

#define ROOT5 2.23606797749978969641

/* A mesh of one straight triangle. */
static sab_mesh *one_triangle(const double x[3][2])
{
    double *nodes = sab_alloc(12, sizeof *nodes);
    int *element = sab_alloc(6, sizeof *element);
    sab_mesh *mesh = NULL;

    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            nodes[2 * i + k] = x[i][k];
            nodes[2 * (3 + i) + k] = 0.5 * (x[i][k] + x[(i + 1) % 3][k]);
        }
    for (int i = 0; i < 6; i++)
        element[i] = i;
    CU_ASSERT_EQUAL_FATAL(sab_mesh_create(&sab_cell_triangle, 6, nodes, 1, element, &mesh, NULL),
                          SAB_OK);
    return mesh;
}

/* The means of l_i and of l_i l_j against r over a triangle with radii r. */
static void exact_moments(const double r[3], double mean[3], double square[3][3])
{
    const double R = (r[0] + r[1] + r[2]) / 3.0;

    for (int i = 0; i < 3; i++) {
        mean[i] = (r[i] + 3.0 * R) / (12.0 * R);
        for (int j = 0; j < 3; j++) {
            square[i][j] = 0.0;
            for (int k = 0; k < 3; k++) {
                const int same = (i == j) + (j == k) + (i == k);

                square[i][j] += (same == 3 ? 1.0 / 10 : same == 1 ? 1.0 / 30 : 1.0 / 60) * r[k] / R;
            }
        }
    }
}

/* About an axis the points are exact to degree 2 against r, have equal weights, and are well
 * inside: the smallest barycentric coordinate is 0.0918, of a side on the axis. */
static void test_moments(void)
{
    unsigned long long seed = 7;
    double least = 1.0;

    for (int trial = 0; trial < 3000; trial++) {
        double x[3][2], mean[3], square[3][3];
        sab_law_points law;

        for (int i = 0; i < 3; i++) {
            x[i][0] = trial % 3 == 0 && i < 2 ? 0.0 : sab_test_random(&seed) + (trial % 7 == 0);
            x[i][1] = sab_test_random(&seed);
        }
        const double det =
            (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
        if (fabs(det) < 0.2) /* of others the Jacobian itself has rounding */
            continue;
        sab_mesh *mesh = one_triangle(x);
        double r[3];
        for (int i = 0; i < 3; i++)
            r[i] = sab_mesh_x(mesh, mesh->element[i])[0];
        sab_law_points_find(&sab_element_p2, &sab_geometry_axisymmetric, mesh, 0, &law);
        const double volume = law.weight[0] + law.weight[1] + law.weight[2];
        SAB_ASSERT_CLOSE(volume, 0.5 * fabs(det) * (r[0] + r[1] + r[2]) / 3.0, 1e-12);
        exact_moments(r, mean, square);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double sum = 0.0, linear = 0.0;

                for (int q = 0; q < 3; q++) {
                    double l[SAB_CORNERS];

                    sab_cell_barycentric(mesh->cell, law.xi[q], l);
                    sum += law.weight[q] / volume * l[i] * l[j];
                    linear += law.weight[q] / volume * l[i];
                    least = fmin(least, l[i]);
                }
                SAB_ASSERT_CLOSE(sum, square[i][j], 1e-14);
                SAB_ASSERT_CLOSE(linear, mean[i], 1e-14);
            }
        for (int q = 0; q < 3; q++)
            SAB_ASSERT_CLOSE(law.weight[q] / volume, 1.0 / 3.0, 1e-14);
        sab_mesh_destroy(&mesh);
    }
    CU_ASSERT_TRUE(least >= 0.0918 && least < 0.0922);
}

/* P2 gradients on straight elements are P1: the projection has their values at the points. u_r/r is
 * exact where it is P1, that is for u_r = r (a + b r + c z). */
static void test_projection(void)
{
    const sab_grid grid = {3, 3, 0, 0, 2, 1, 0.2, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int e = 0; e < mesh->nelements; e++) {
        const int *node = sab_mesh_element(mesh, e);
        sab_law_points law;

        sab_law_points_find(&sab_element_p2, &sab_geometry_axisymmetric, mesh, e, &law);
        for (int q = 0; q < 3; q++) {
            double hoop = 0.0;
            sab_p2 p;

            sab_p2_at(mesh, e, law.xi[q], &p);
            for (int a = 0; a < 6; a++) {
                const double *x = sab_mesh_x(mesh, node[a]);

                hoop += law.hoop[q][a] * x[0] * (0.3 - 0.7 * x[0] + 1.1 * x[1]);
                for (int k = 0; k < 2; k++)
                    SAB_ASSERT_CLOSE(law.gradient[q][a][k], p.dx[a][k], 1e-11);
            }
            SAB_ASSERT_CLOSE(hoop, 0.3 - 0.7 * p.x[0] + 1.1 * p.x[1], 1e-12);
        }
    }
    sab_mesh_destroy(&mesh);
}

static const sab_box straight_box = {{2, 1, 1}, {0, 0, 0}, {1, 0.7, 0.8},
                                     0.2,       0.0,       {0.3, 0.2, 0.5}};

/* The closed projections of the bubbles of a straight tetrahedron. */
static void test_bubbles_of_tetrahedron(void)
{
    sab_mesh *mesh = sab_grid_box(&straight_box);

    for (int e = 0; e < mesh->nelements; e++) {
        double dl[SAB_CORNERS][SAB_DIM];
        sab_law_points law;
        sab_p2 p;

        sab_law_points_find(&sab_element_p2nb, &sab_geometry_space, mesh, e, &law);
        sab_p2_at(mesh, e, (const double[3]){0.2, 0.3, 0.1}, &p);
        sab_p2_barycentric(mesh->cell, &p, dl);
        for (int q = 0; q < 4; q++) {
            SAB_ASSERT_CLOSE(law.weight[q], p.det / 24.0, 1e-14);
            for (int k = 0; k < 3; k++)
                SAB_ASSERT_CLOSE(law.gradient[q][14][k], -128.0 * ROOT5 / 105.0 * dl[q][k], 1e-11);
            for (int side = 0; side < 4; side++) {
                const int *on = mesh->cell->side[side], i = 6 - on[0] - on[1] - on[2];

                for (int k = 0; k < 3; k++)
                    SAB_ASSERT_CLOSE(
                        law.gradient[q][10 + side][k],
                        q == i ? 0.45 * (ROOT5 - 3.0) * dl[i][k]
                               : -0.45 * ((ROOT5 + 3.0) * dl[i][k] + 2.0 * ROOT5 * dl[q][k]),
                        1e-11);
            }
        }
    }
    sab_mesh_destroy(&mesh);
}

/* int D(u):D(u) times the measure over a mesh, by a rule. */
static double dissipation(const sab_space *space, const double *U)
{
    const sab_quadrature *rule = sab_rule(space->mesh->cell, 6);
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    double sum = 0.0;

    for (int e = 0; e < space->mesh->nelements; e++)
        for (int p = 0; p < rule->n; p++) {
            double gamma[SAB_MAX_S] = {0.0}, row[SAB_MAX_S];
            int index[SAB_SHAPES];
            sab_shapes at;

            sab_element_index(space->element, space->mesh, e, index);
            sab_element_at(space->element, space->mesh, e, rule->xi[p], &at);
            for (int a = 0; a < at.n; a++)
                for (int i = 0; i < dim; i++) {
                    const double hoop = space->geometry->axis ? at.value[a] / at.x[0] : 0.0;

                    space->geometry->strain(i, at.gradient[a], hoop, row);
                    for (int c = 0; c < s; c++)
                        gamma[c] += row[c] * U[dim * index[a] + i];
                }
            for (int c = 0; c < s; c++)
                sum +=
                    rule->weight[p] * at.det * space->geometry->measure(at.x) * gamma[c] * gamma[c];
        }
    return sum;
}

/* The same from what the law sees, and the remainder. */
static double seen(const sab_space *space, const double *U)
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    double *gamma = sab_alloc((size_t)(s * space->npoints), sizeof *gamma), sum = 0.0;

    sab_space_strain_rate(space, U, gamma);
    for (int i = 0; i < s * space->npoints; i++)
        sum += space->weight[i / s] * gamma[i] * gamma[i];
    for (int e = 0; e < space->mesh->nelements && space->remainder != NULL; e++)
        for (int p = 0; p < space->remainder->n; p++) {
            double row[SAB_MAX_S][SAB_COMPONENTS];
            const double w = sab_space_remainder_rows(space, e, p, row);
            int index[SAB_SHAPES];
            const int n = sab_element_index(space->element, space->mesh, e, index);

            for (int c = 0; c < s; c++) {
                double g = 0.0;

                for (int j = 0; j < dim * n; j++)
                    g += row[c][j] * U[dim * index[j / dim] + j % dim];
                sum += space->remainder_factor * w * g * g;
            }
        }
    SAB_FREE(gamma);
    return sum;
}

/* Law sum and remainder are the whole of int D:D: for p2nb with all velocities, for p2b for bubbles
 * in the plane (and about an axis, where u_r/r of the nodes has a part that nobody sees). */
static void test_remainder(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.2, 0.0, 0.0};
    const struct {
        const sab_element *element;
        const sab_geometry *geometry;
        bool bubbles_only;
    } all[] = {{&sab_element_p2nb, &sab_geometry_space, false},
               {&sab_element_p2b, &sab_geometry_plane, true},
               {&sab_element_p2b, &sab_geometry_axisymmetric, true}};
    unsigned long long seed = 3;

    for (int k = 0; k < 3; k++) {
        sab_mesh *mesh = k == 0 ? sab_grid_box(&straight_box) : sab_grid_create(&grid);
        sab_space *space = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, all[k].element, all[k].geometry, &space, NULL),
                              SAB_OK);
        const size_t size = sab_space_size(space);
        double *U = sab_alloc(size, sizeof *U);
        for (size_t i = 0; i < size; i++)
            U[i] = sab_test_random(&seed) - 0.5;
        if (all[k].bubbles_only)
            memset(U, 0, (size_t)(2 * mesh->nnodes) * sizeof *U);
        const double exact = dissipation(space, U);
        SAB_ASSERT_CLOSE(seen(space, U) / exact, 1.0, 1e-12);
        SAB_FREE(U);
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
}

/* The strain rates vanish for the rigid motions of the geometry, and chi is the inverse of chi^-1.
 */
static void test_rigid(void)
{
    const sab_geometry *const all[] = {&sab_geometry_plane, &sab_geometry_axisymmetric,
                                       &sab_geometry_space};
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.2, 0.0, 0.0};

    for (int g = 0; g < 3; g++) {
        const sab_geometry *geometry = all[g];
        const int s = geometry->s, dim = geometry->dim;
        sab_mesh *mesh = dim == 3 ? sab_grid_box(&straight_box) : sab_grid_create(&grid);
        sab_space *space = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, dim == 3 ? &sab_element_p2nb : &sab_element_p2,
                                               geometry, &space, NULL),
                              SAB_OK);
        double *U = sab_alloc(sab_space_size(space), sizeof *U);
        double *gamma = sab_alloc((size_t)(s * space->npoints), sizeof *gamma);
        for (int k = 0; k < geometry->rigid; k++) {
            for (int node = 0; node < mesh->nnodes; node++)
                geometry->motion(k, sab_mesh_x(mesh, node), U + dim * node);
            sab_space_strain_rate(space, U, gamma);
            for (int i = 0; i < s * space->npoints; i++)
                SAB_ASSERT_CLOSE(gamma[i], 0.0, 1e-12);
        }
        /* a linear field: D by hand, |D|^2 = D:D/2, the tensor comes back */
        const double L[3][3] = {{0.7, -0.4, 0.3}, {0.9, 0.2, -0.8}, {0.1, 0.5, -0.6}};
        double tensor[6], D[6] = {L[0][0],
                                  L[1][1],
                                  L[2][2],
                                  0.5 * (L[0][1] + L[1][0]),
                                  0.5 * (L[1][2] + L[2][1]),
                                  0.5 * (L[0][2] + L[2][0])};
        if (dim == 2) {
            D[2] = geometry->axis ? L[0][0] : 0.0; /* u_r = L00 r */
            D[4] = D[5] = 0.0;
        }
        for (int node = 0; node < mesh->nnodes; node++)
            for (int i = 0; i < dim; i++) {
                const double *x = sab_mesh_x(mesh, node);

                U[dim * node + i] = 0.0;
                for (int j = 0; j < dim; j++)
                    if (!geometry->axis || i == 1 || j == 0)
                        U[dim * node + i] += L[i][j] * x[j];
            }
        if (geometry->axis)
            D[3] = 0.5 * L[1][0];
        sab_space_strain_rate(space, U, gamma);
        for (int q = 0; q < space->npoints; q++) {
            double square = 0.0;

            for (int c = 0; c < s; c++)
                square += gamma[s * q + c] * gamma[s * q + c];
            geometry->tensor(gamma + s * q, tensor);
            if (geometry->d == 2)
                tensor[2] = 0.0; /* left open by the law of the plane */
            for (int i = 0; i < 6; i++)
                SAB_ASSERT_CLOSE(tensor[i], D[i], 1e-12);
            SAB_ASSERT_CLOSE(square,
                             0.5 * (D[0] * D[0] + D[1] * D[1] + D[2] * D[2]) + D[3] * D[3] +
                                 D[4] * D[4] + D[5] * D[5],
                             1e-12);
            SAB_ASSERT_CLOSE(gamma[s * q] * sab_geometry_trace(geometry), D[0] + D[1] + D[2],
                             1e-12);
        }
        SAB_FREE(U);
        SAB_FREE(gamma);
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
}

/* A P1 function given at the law points comes back at the nodes, about an axis and in space. */
static void test_extrapolation(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.2, 0.0, 0.0};

    for (int g = 0; g < 2; g++) {
        sab_mesh *mesh = g == 1 ? sab_grid_box(&straight_box) : sab_grid_create(&grid);
        const int dim = mesh->cell->dim, nodes = mesh->cell->nodes;
        sab_space *space = NULL;

        CU_ASSERT_EQUAL_FATAL(
            sab_space_create(mesh, g == 1 ? &sab_element_p2nb : &sab_element_p2b,
                             g == 1 ? &sab_geometry_space : &sab_geometry_axisymmetric, &space,
                             NULL),
            SAB_OK);
        double *value = sab_alloc((size_t)space->npoints, sizeof *value);
        double *nodal = sab_alloc((size_t)(nodes * mesh->nelements), sizeof *nodal);
        for (int q = 0; q < space->npoints; q++)
            value[q] = 0.7 - 2.0 * space->point[dim * q] + 3.0 * space->point[dim * q + 1];
        sab_space_to_nodes(space, 1, value, nodal);
        for (int i = 0; i < nodes * mesh->nelements; i++) {
            const double *x = sab_mesh_x(mesh, mesh->element[i]);

            SAB_ASSERT_CLOSE(nodal[i], 0.7 - 2.0 * x[0] + 3.0 * x[1], 1e-12);
        }
        SAB_FREE(value);
        SAB_FREE(nodal);
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"moments against r", test_moments},
        {"gradients and the hoop strain", test_projection},
        {"bubbles of a tetrahedron", test_bubbles_of_tetrahedron},
        {"law sum and remainder", test_remainder},
        {"rigid motions and linear fields", test_rigid},
        {"corner values", test_extrapolation},
    };

    return SAB_TEST_MAIN("fem/law_points", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "fem/p2.h"
#include "fem/quadrature.h"
#include "fem/space.h"
#include "grid.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static double power(double x, int n)
{
    double p = 1.0;

    while (n-- > 0)
        p *= x;
    return p;
}

static double factorial(int n)
{
    return n < 2 ? 1.0 : n * factorial(n - 1);
}

/* int x^a y^b over the reference triangle = a! b! / (a + b + 2)!. */
static void test_quadrature(void)
{
    const sab_quadrature *const rules[] = {&sab_triangle_law, sab_rule(&sab_cell_triangle, 4),
                                           sab_rule(&sab_cell_triangle, 6)};

    for (int r = 0; r < 3; r++)
        for (int a = 0; a <= rules[r]->degree; a++)
            for (int b = 0; a + b <= rules[r]->degree; b++) {
                double sum = 0.0;

                for (int q = 0; q < rules[r]->n; q++)
                    sum += rules[r]->weight[q] * power(rules[r]->xi[q][0], a) *
                           power(rules[r]->xi[q][1], b);
                SAB_ASSERT_CLOSE(sum, factorial(a) * factorial(b) / factorial(a + b + 2), 2e-15);
            }
    for (int a = 0; a <= sab_line_degree7.degree; a++) {
        double sum = 0.0;

        for (int q = 0; q < sab_line_degree7.n; q++)
            sum += sab_line_degree7.weight[q] * power(sab_line_degree7.xi[q][0], a);
        SAB_ASSERT_CLOSE(sum, 1.0 / (a + 1), 2e-15);
    }
}

/* The law point q is the one near corner q, with 2/3 of its shape. */
static void test_law_points(void)
{
    for (int q = 0; q < 3; q++) {
        const double *xi = sab_triangle_law.xi[q];
        const double l[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};

        SAB_ASSERT_CLOSE(l[q], 2.0 / 3.0, 1e-15);
    }
}

static void test_shapes(void)
{
    const sab_grid grid = {3, 2, 0, 0, 2, 1, 0.2, 0.05, 0.3};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int e = 0; e < mesh->nelements; e++)
        for (int q = 0; q < sab_rule(&sab_cell_triangle, 6)->n; q++) {
            const int *node = mesh->element + 6 * e;
            double one = 0.0, zero[2] = {0.0, 0.0}, identity[2][2] = {{0.0}};
            sab_p2 p;

            sab_p2_at(mesh, e, sab_rule(&sab_cell_triangle, 6)->xi[q], &p);
            for (int a = 0; a < 6; a++) {
                one += p.value[a];
                for (int j = 0; j < 2; j++) {
                    zero[j] += p.dx[a][j];
                    for (int i = 0; i < 2; i++)
                        identity[i][j] += mesh->x[2 * node[a] + i] * p.dx[a][j];
                }
            }
            SAB_ASSERT_CLOSE(one, 1.0, 1e-14);
            for (int i = 0; i < 2; i++) {
                SAB_ASSERT_CLOSE(zero[i], 0.0, 1e-12);
                for (int j = 0; j < 2; j++) /* curved elements hold linear functions too */
                    SAB_ASSERT_CLOSE(identity[i][j], i == j, 1e-12);
            }
        }
    sab_mesh_destroy(&mesh);
}

/* Nothing prescribed. */
static sab_dofs *free_dofs(const sab_mesh *mesh)
{
    sab_dofs *dofs = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(mesh, &sab_geometry_plane, 0, 0, NULL, NULL, 0.0, &dofs, NULL), SAB_OK);
    return dofs;
}

/* u = (x^2 + 3xy, y^2 - 2x): D is exact at every point of straight elements. */
static void test_strain_of_quadratic(void)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.0, 0.4};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U), *gamma;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    gamma = sab_alloc(3 * (size_t)space->npoints, sizeof *gamma);
    for (int n = 0; n < mesh->nnodes; n++) {
        const double x = mesh->x[2 * n], y = mesh->x[2 * n + 1];

        U[2 * n] = x * x + 3 * x * y;
        U[2 * n + 1] = y * y - 2 * x;
    }
    sab_space_strain_rate(space, U, gamma);
    for (int q = 0; q < space->npoints; q++) {
        const double x = space->point[2 * q], y = space->point[2 * q + 1];
        const double xx = 2 * x + 3 * y, yy = 2 * y, xy = 0.5 * (3 * x - 2);

        SAB_ASSERT_CLOSE(gamma[3 * q], 0.5 * (xx + yy), 1e-12);
        SAB_ASSERT_CLOSE(gamma[3 * q + 1], 0.5 * (xx - yy), 1e-12);
        SAB_ASSERT_CLOSE(gamma[3 * q + 2], xy, 1e-12);
    }
    SAB_FREE(U);
    SAB_FREE(gamma);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* B is what sab_space_strain_rate does, its transpose what sab_space_internal_force does, and
 * v.(sum B^T C B) u with C = m (2/Re) I is (2/Re) int D(u):D(v): theory.md section 4. */
static void test_operators_agree(void)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.04, 0.2};
    sab_mesh *mesh = sab_grid_create(&grid);
    const size_t nodal = 2 * (size_t)mesh->nnodes;
    sab_dofs *dofs = free_dofs(mesh);
    sab_space *space = NULL;
    sab_blocks *B = NULL;
    unsigned long long seed = 3;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    const size_t rows = 3 * (size_t)space->npoints;
    double *k = sab_alloc(rows, sizeof *k), *u = sab_alloc(nodal, sizeof *u);
    double *U = sab_alloc(nodal, sizeof *U), *Bu = sab_alloc(rows, sizeof *Bu);
    double *gamma = sab_alloc(rows, sizeof *gamma), *sigma = sab_alloc(rows, sizeof *sigma);
    double *F = sab_alloc(nodal, sizeof *F), power_points = 0.0, power_nodes = 0.0, area = 0.0;

    CU_ASSERT_EQUAL_FATAL(sab_space_strain(space, dofs, &B, k, NULL), SAB_OK);
    CU_ASSERT_EQUAL(dofs->nfree, (int)nodal);
    for (size_t i = 0; i < nodal; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    for (size_t i = 0; i < rows; i++)
        sigma[i] = sab_test_random(&seed) - 0.5;
    sab_dofs_expand(dofs, u, U);
    sab_blocks_multiply(B, u, Bu);
    sab_space_strain_rate(space, U, gamma);
    sab_space_internal_force(space, sigma, F);
    for (size_t i = 0; i < rows; i++) {
        SAB_ASSERT_CLOSE(Bu[i], gamma[i], 1e-12);
        CU_ASSERT_EQUAL(k[i], 0.0);
        power_points += 2.0 * space->weight[i / 3] * gamma[i] * sigma[i];
    }
    for (size_t i = 0; i < nodal; i++)
        power_nodes += F[i] * U[i];
    SAB_ASSERT_CLOSE(power_points, power_nodes, 1e-11);
    for (int q = 0; q < space->npoints; q++)
        area += space->weight[q];
    SAB_ASSERT_CLOSE(area, 2.0, 1e-3); /* order 2 is not exact where sides are curved */

    /* a rigid motion has no strain rate */
    for (int n = 0; n < mesh->nnodes; n++) {
        U[2 * n] = 0.3 - 1.7 * mesh->x[2 * n + 1];
        U[2 * n + 1] = -0.2 + 1.7 * mesh->x[2 * n];
    }
    sab_space_strain_rate(space, U, gamma);
    for (size_t i = 0; i < rows; i++)
        SAB_ASSERT_CLOSE(gamma[i], 0.0, 1e-12);
    SAB_FREE(k);
    SAB_FREE(u);
    SAB_FREE(U);
    SAB_FREE(Bu);
    SAB_FREE(gamma);
    SAB_FREE(sigma);
    SAB_FREE(F);
    sab_blocks_destroy(&B);
    sab_space_destroy(&space);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* int D(u):D(u) of a quadratic u by A, against the integral: A = sum H^T C H with
 * C = diag(1,1,1)/(Re w), H = 2 w B. u = (y^2, 0): D_xy = y, D:D = 2 y^2, int = 2 L/3 on 0<y<1. */
static void test_viscous_energy(void)
{
    const sab_grid grid = {5, 4, 0, 0, 2, 1, 0.2, 0.0, 0.0};
    const double Re = 3.0;
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_dofs *dofs = free_dofs(mesh);
    sab_space *space = NULL;
    sab_blocks *B = NULL;
    sab_sparse *A = NULL;
    sab_scatter *scatter = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    double *k = sab_alloc(3 * (size_t)space->npoints, sizeof *k);
    double *C = sab_alloc(9 * (size_t)space->npoints, sizeof *C);
    double *u = sab_alloc((size_t)dofs->nfree, sizeof *u);
    double *Au = sab_alloc((size_t)dofs->nfree, sizeof *Au), energy = 0.0;
    CU_ASSERT_EQUAL_FATAL(sab_space_strain(space, dofs, &B, k, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, true, &A, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(B, A, &scatter, NULL), SAB_OK);
    for (int q = 0; q < space->npoints; q++)
        for (int i = 0; i < 3; i++) {
            const double w = space->weight[q];

            C[9 * q + 4 * i] = (2.0 * w) * (2.0 * w) / (Re * w);
        }
    sab_blocks_assemble(B, C, scatter, A);
    for (int n = 0; n < mesh->nnodes; n++)
        u[dofs->number[2 * n]] = mesh->x[2 * n + 1] * mesh->x[2 * n + 1];
    sab_sparse_multiply(A, u, Au);
    for (int i = 0; i < dofs->nfree; i++)
        energy += u[i] * Au[i];
    SAB_ASSERT_CLOSE(energy, 2.0 / Re * (2.0 * 2.0 / 3.0), 1e-13); /* (2/Re) int D:D */
    SAB_FREE(k);
    SAB_FREE(C);
    SAB_FREE(u);
    SAB_FREE(Au);
    sab_scatter_destroy(&scatter);
    sab_sparse_destroy(&A);
    sab_blocks_destroy(&B);
    sab_space_destroy(&space);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

static sab_status cubic(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = at->x * at->x; /* times a shape function: degree 4 */
    return SAB_OK;
}

/* Gravity: the nodal forces sum to the integral of the force, with its moment. */
static void test_body_force(void)
{
    const sab_grid grid = {3, 3, 0, 0, 2, 1, 0.2, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;
    const sab_function f[2] = {{.call = cubic}, sab_constant(-1.0)};
    double *F = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *F), sum[2] = {0.0, 0.0}, moment = 0.0;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_space_body_force(space, f, 0.0, F, NULL), SAB_OK);
    for (int n = 0; n < mesh->nnodes; n++) {
        sum[0] += F[2 * n];
        sum[1] += F[2 * n + 1];
        moment += mesh->x[2 * n + 1] * F[2 * n];
    }
    SAB_ASSERT_CLOSE(sum[0], 8.0 / 3.0, 1e-13);
    SAB_ASSERT_CLOSE(sum[1], -2.0, 1e-13);
    SAB_ASSERT_CLOSE(moment, 0.5 * 8.0 / 3.0, 1e-13); /* int y x^2 */
    SAB_FREE(F);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* A P1 function is recovered at the nodes from its values at the law points, and its mean is the
 * value at the centroid. */
static void test_to_nodes(void)
{
    const sab_grid grid = {3, 2, 0, 0, 2, 1, 0.2, 0.0, 0.1};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    double *value = sab_alloc(2 * (size_t)space->npoints, sizeof *value);
    double *nodal = sab_alloc(12 * (size_t)mesh->nelements, sizeof *nodal);
    double *mean = sab_alloc(2 * (size_t)mesh->nelements, sizeof *mean);
    for (int q = 0; q < space->npoints; q++) {
        value[2 * q] = 1.0 + 2.0 * space->point[2 * q] - space->point[2 * q + 1];
        value[2 * q + 1] = -space->point[2 * q];
    }
    sab_space_to_nodes(space, 2, value, nodal);
    sab_space_element_mean(space, 2, value, mean);
    for (int e = 0; e < mesh->nelements; e++) {
        double centre[2] = {0.0, 0.0};

        for (int a = 0; a < 6; a++) {
            const double *x = mesh->x + 2 * mesh->element[6 * e + a];

            SAB_ASSERT_CLOSE(nodal[2 * (6 * e + a)], 1.0 + 2.0 * x[0] - x[1], 1e-13);
            SAB_ASSERT_CLOSE(nodal[2 * (6 * e + a) + 1], -x[0], 1e-13);
            for (int i = 0; a < 3 && i < 2; i++)
                centre[i] += x[i] / 3.0;
        }
        SAB_ASSERT_CLOSE(mean[2 * e], 1.0 + 2.0 * centre[0] - centre[1], 1e-13);
    }
    SAB_FREE(value);
    SAB_FREE(nodal);
    SAB_FREE(mean);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"quadrature is exact to its degree", test_quadrature},
        {"law point q is near corner q", test_law_points},
        {"shape functions: partition of unity, linears", test_shapes},
        {"strain rate of a quadratic velocity", test_strain_of_quadratic},
        {"B, its transpose and the nodal loops agree", test_operators_agree},
        {"A is the viscous energy", test_viscous_energy},
        {"body force", test_body_force},
        {"P1 from law points to nodes", test_to_nodes},
    };

    return SAB_TEST_MAIN("fem/space", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The identities of the bubble [docs/theory.md, 4.9], by quadrature and by coordinates. */
#include "unit.h"

#include "base/memory.h"
#include "fem/bubble.h"
#include "fem/exact.h"
#include "fem/fields.h"
#include "fem/points.h"
#include "fem/quadrature.h"
#include "fem/space.h"
#include "grid.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/* Gauss points on the square, collapsed to the triangle: exact to degree 6, and made of other
 * points and weights than the rules of fem/quadrature.c. */
enum { FINE = 16 };

static void fine_rule(double xi[FINE][2], double weight[FINE])
{
    const sab_quadrature *line = &sab_line_degree7;

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            const double x = line->xi[i][0];

            xi[4 * i + j][0] = x;
            xi[4 * i + j][1] = (1.0 - x) * line->xi[j][0];
            weight[4 * i + j] = line->weight[i] * line->weight[j] * (1.0 - x);
        }
}

/* A straight triangle: area and grad l_i from the coordinates of its corners. */
typedef struct triangle {
    double area, dl[3][2];
} triangle;

static triangle triangle_at(const sab_mesh *mesh, int e)
{
    const double *x[3];
    triangle t;

    for (int i = 0; i < 3; i++)
        x[i] = mesh->x + 2 * mesh->element[6 * e + i];
    t.area = 0.5 * ((x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) -
                    (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]));
    for (int i = 0; i < 3; i++) {
        const double *a = x[(i + 1) % 3], *b = x[(i + 2) % 3];

        t.dl[i][0] = (a[1] - b[1]) / (2.0 * t.area);
        t.dl[i][1] = (b[0] - a[0]) / (2.0 * t.area);
    }
    return t;
}

static double bubble_at(const double *xi)
{
    double value;

    sab_bubble_value(xi, &value);
    return value;
}

static const sab_grid straight = {3, 2, 0, 0, 2, 1, 0.2, 0.0, 0.3};

/* int b = 9/20 |T|, b = 1 at the centre; grad b against the coordinates, its mean is 0. */
static void test_integrals(void)
{
    sab_mesh *mesh = sab_grid_create(&straight);
    double xi[FINE][2], weight[FINE];

    fine_rule(xi, weight);
    SAB_ASSERT_CLOSE(bubble_at((double[2]){1.0 / 3.0, 1.0 / 3.0}), 1.0, 1e-15);
    for (int e = 0; e < mesh->nelements; e++) {
        const triangle t = triangle_at(mesh, e);
        const sab_quadrature *rule = sab_rule(&sab_cell_triangle, 4);
        double fine = 0.0, load = 0.0, mean[2] = {0.0, 0.0};

        for (int q = 0; q < FINE; q++) {
            const double l[3] = {1.0 - xi[q][0] - xi[q][1], xi[q][0], xi[q][1]};
            double db[1][SAB_DIM];
            sab_p2 p;

            sab_p2_at(mesh, e, xi[q], &p);
            sab_bubble_gradient(xi[q], &p, db);
            fine += weight[q] * p.det * bubble_at(xi[q]);
            for (int k = 0; k < 2; k++) {
                SAB_ASSERT_CLOSE(db[0][k],
                                 27.0 * (l[1] * l[2] * t.dl[0][k] + l[2] * l[0] * t.dl[1][k] +
                                         l[0] * l[1] * t.dl[2][k]),
                                 1e-12);
                mean[k] += weight[q] * db[0][k];
            }
        }
        for (int q = 0; q < rule->n; q++)
            load += rule->weight[q] * 2.0 * t.area * bubble_at(rule->xi[q]);
        SAB_ASSERT_CLOSE(fine, 9.0 / 20.0 * t.area, 1e-14);
        SAB_ASSERT_CLOSE(load, 9.0 / 20.0 * t.area, 1e-14);
        SAB_ASSERT_CLOSE(mean[0], 0.0, 1e-12);
        SAB_ASSERT_CLOSE(mean[1], 0.0, 1e-12);
    }
    sab_mesh_destroy(&mesh);
}

/* The projected gradient at law point q is (1/w_q) int psi_q grad b, psi_q = 2 l_q - 1/3; the
 * gradient itself is another one there. */
static void test_projection(void)
{
    sab_mesh *mesh = sab_grid_create(&straight);
    double xi[FINE][2], weight[FINE];

    fine_rule(xi, weight);
    for (int e = 0; e < mesh->nelements; e++) {
        const triangle t = triangle_at(mesh, e);

        for (int i = 0; i < 3; i++) {
            double projected[2] = {0.0, 0.0}, g[2], db[1][SAB_DIM];
            sab_p2 p;

            for (int q = 0; q < FINE; q++) {
                const double l[3] = {1.0 - xi[q][0] - xi[q][1], xi[q][0], xi[q][1]};

                sab_p2_at(mesh, e, xi[q], &p);
                sab_bubble_gradient(xi[q], &p, db);
                for (int k = 0; k < 2; k++)
                    projected[k] += 3.0 * weight[q] * 2.0 * (2.0 * l[i] - 1.0 / 3.0) *
                                    db[0][k]; /* dx = 2|T| dxi */
            }
            sab_p2_at(mesh, e, sab_triangle_law.xi[i], &p);
            sab_bubble_projected_gradient(i, &p, g);
            sab_bubble_gradient(sab_triangle_law.xi[i], &p, db);
            for (int k = 0; k < 2; k++) {
                SAB_ASSERT_CLOSE(g[k], projected[k], 1e-12);
                SAB_ASSERT_CLOSE(g[k], -27.0 / 10.0 * t.dl[i][k], 1e-12);
                SAB_ASSERT_CLOSE(db[0][k], -9.0 / 4.0 * t.dl[i][k], 1e-12);
            }
        }
    }
    sab_mesh_destroy(&mesh);
}

/* chi^-1 D of shape function a (6: the bubble) times e_i at a point of the fine rule. */
static void strain_at(const sab_p2 *p, const double xi[2], int a, int i, double row[3])
{
    double db[1][SAB_DIM];

    sab_bubble_gradient(xi, p, db);
    sab_geometry_plane.strain(i, a < 6 ? p->dx[a] : db[0], 0.0, row);
}

/* The element matrix int 2 eta D(v)^T C D(w) by sums over the law points against the fine rule, C a
 * full symmetric matrix. Constant eta: exact, with the factor 5/3 between bubbles. eta P1: the rule
 * itself is not exact any more; between bubbles the exact integral has the weights
 * (11 mean - 4 eta_q)/7 instead of eta_q. */
static void test_stiffness(void)
{
    static const double C[3][3] = {{1.3, 0.2, -0.4}, {0.2, 0.9, 0.1}, {-0.4, 0.1, 0.7}};
    sab_mesh *mesh = sab_grid_create(&straight);
    double xi[FINE][2], weight[FINE];

    fine_rule(xi, weight);
    for (int e = 0; e < mesh->nelements; e++)
        for (int linear = 0; linear < 2; linear++) {
            const double corner[3] = {1.0, linear ? 1.7 : 1.0, linear ? 0.6 : 1.0};
            const double mean = (corner[0] + corner[1] + corner[2]) / 3.0;
            double exact[14][14] = {{0.0}}, sum[14][14] = {{0.0}}, between[14][14] = {{0.0}};

            for (int q = 0; q < FINE + 3; q++) {
                const bool law = q >= FINE;
                const double *at = law ? sab_triangle_law.xi[q - FINE] : xi[q];
                const double l[3] = {1.0 - at[0] - at[1], at[0], at[1]};
                const double eta = l[0] * corner[0] + l[1] * corner[1] + l[2] * corner[2];
                double row[14][3], g[2];
                sab_p2 p;

                sab_p2_at(mesh, e, at, &p);
                for (int j = 0; j < 14; j++)
                    strain_at(&p, at, j / 2, j % 2, row[j]);
                if (law)
                    sab_bubble_projected_gradient(q - FINE, &p, g);
                for (int i = 0; law && i < 2; i++)
                    sab_geometry_plane.strain(i, g, 0.0, row[12 + i]);
                const double m =
                    2.0 * p.det * (law ? sab_triangle_law.weight[q - FINE] : weight[q]);
                for (int j = 0; j < 14; j++)
                    for (int k = 0; k < 14; k++) {
                        double form = 0.0;

                        for (int c = 0; c < 9; c++)
                            form += m * row[j][c / 3] * C[c / 3][c % 3] * row[k][c % 3];
                        *(law ? &sum[j][k] : &exact[j][k]) += eta * form;
                        if (law)
                            between[j][k] += (11.0 * mean - 4.0 * eta) / 7.0 * form;
                    }
            }
            for (int j = 0; j < 14; j++)
                for (int k = 0; k < 14; k++) {
                    const bool bubbles = j >= 12 && k >= 12;

                    if (!linear)
                        SAB_ASSERT_CLOSE((bubbles ? SAB_BUBBLE_STIFFNESS : 1.0) * sum[j][k],
                                         exact[j][k], 1e-12);
                    if (bubbles)
                        SAB_ASSERT_CLOSE(SAB_BUBBLE_STIFFNESS * between[j][k], exact[j][k], 1e-12);
                }
        }
    sab_mesh_destroy(&mesh);
}

static sab_space *bubble_space(const sab_mesh *mesh)
{
    sab_space *space = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2b, &sab_geometry_plane, &space, NULL), SAB_OK);
    return space;
}

/* B with prescribed values and oblique slip is what sab_space_strain_rate does; its transpose what
 * sab_space_internal_force does; on curved elements too. */
static void test_operators_agree(void)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.04, 0.2};
    const sab_boundary boundary[2] = {{.group = "left",
                                       .has_velocity = true,
                                       .prescribed = {true, true},
                                       .velocity = {sab_constant(0.3), sab_constant(-0.7)}},
                                      {.group = "bottom", .slip = true}};
    sab_mesh *mesh = sab_grid_create(&grid);
    const int group[2] = {sab_mesh_find_group(mesh, "left"), sab_mesh_find_group(mesh, "bottom")};
    sab_space *space = bubble_space(mesh);
    sab_dofs *dofs = NULL;
    sab_blocks *B = NULL;
    sab_points *bubble = NULL;
    unsigned long long seed = 5;

    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(mesh, &sab_geometry_plane, 0, 2, boundary, group, 0.0, &dofs, NULL),
        SAB_OK);
    const size_t size = sab_space_size(space), rows = 3 * (size_t)space->npoints;
    const size_t n = (size_t)sab_space_unknowns(space, dofs);
    CU_ASSERT_EQUAL(size, 2 * (size_t)(mesh->nnodes + mesh->nelements));
    CU_ASSERT_EQUAL(n, (size_t)(dofs->nfree + 2 * mesh->nelements));
    double *k = sab_alloc(rows, sizeof *k), *u = sab_alloc(n, sizeof *u);
    double *l = sab_alloc(n, sizeof *l), *U = sab_alloc(size, sizeof *U);
    double *F = sab_alloc(size, sizeof *F), *Bu = sab_alloc(rows, sizeof *Bu);
    double *gamma = sab_alloc(rows, sizeof *gamma), *sigma = sab_alloc(rows, sizeof *sigma);
    double at_points = 0.0, at_shapes = 0.0;

    CU_ASSERT_EQUAL_FATAL(sab_space_strain(space, dofs, &B, k, NULL), SAB_OK);
    for (size_t i = 0; i < n; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    for (size_t i = 0; i < rows; i++)
        sigma[i] = sab_test_random(&seed) - 0.5;
    sab_space_expand(space, dofs, u, U);
    sab_blocks_multiply(B, u, Bu);
    sab_space_strain_rate(space, U, gamma);
    sab_space_internal_force(space, sigma, F);
    for (size_t i = 0; i < rows; i++) {
        SAB_ASSERT_CLOSE(Bu[i] + k[i], gamma[i], 1e-12);
        at_points += 2.0 * space->weight[i / 3] * gamma[i] * sigma[i];
    }
    for (size_t i = 0; i < size; i++)
        at_shapes += F[i] * U[i];
    SAB_ASSERT_CLOSE(at_points, at_shapes, 1e-11);

    /* B^T M sigma = the restriction of F */
    sab_space_restrict(space, dofs, F, l);
    memset(u, 0, n * sizeof *u);
    for (size_t i = 0; i < rows; i++)
        sigma[i] *= 2.0 * space->weight[i / 3];
    sab_blocks_multiply_transpose(B, sigma, u);
    for (size_t i = 0; i < n; i++)
        SAB_ASSERT_CLOSE(u[i], l[i], 1e-12);

    /* the columns of the bubbles alone */
    CU_ASSERT_EQUAL_FATAL(sab_points_remainder(space, dofs, &bubble, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(space->remainder_factor, SAB_BUBBLE_STIFFNESS - 1.0, 0.0);
    for (size_t i = 0; i < n; i++)
        u[i] = i < (size_t)dofs->nfree ? 0.0 : sab_test_random(&seed);
    sab_blocks_multiply(B, u, Bu);
    sab_blocks_multiply(bubble->B, u, gamma);
    for (size_t i = 0; i < rows; i++)
        SAB_ASSERT_CLOSE(gamma[i], Bu[i], 1e-14);

    /* a factor condenses the bubbles, boundary conditions or not */
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        sab_sparse *K = NULL;
        sab_factor *factor = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, symmetric, &K, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(
            sab_factor_create(&(sab_factor_options){.backend = symmetric ? SAB_CHOLMOD : SAB_MUMPS},
                              K, &factor, NULL),
            SAB_OK);
        CU_ASSERT_EQUAL(sab_factor_get_info(factor).condensed, 2 * mesh->nelements);
        sab_factor_destroy(&factor);
        sab_sparse_destroy(&K);
    }
    SAB_FREE(k);
    SAB_FREE(u);
    SAB_FREE(l);
    SAB_FREE(U);
    SAB_FREE(F);
    SAB_FREE(Bu);
    SAB_FREE(gamma);
    SAB_FREE(sigma);
    sab_blocks_destroy(&B);
    sab_points_destroy(&bubble);
    sab_dofs_destroy(&dofs);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* v = c (l0^2 + l1^2 + l2^2 + (10/27) b) is continuous, not rigid, and its projected strain rate
 * vanishes: without the factor 5/3 the viscosity would not see it. */
static void test_hidden_field(void)
{
    sab_mesh *mesh = sab_grid_create(&straight);
    sab_space *space = bubble_space(mesh);
    double *U = sab_alloc(sab_space_size(space), sizeof *U);
    double *gamma = sab_alloc(3 * (size_t)space->npoints, sizeof *gamma);
    const double c[2] = {1.0, -0.4};
    const sab_function zero[2] = {sab_constant(0.0), sab_constant(0.0)};
    sab_error_norms norms;

    for (int e = 0; e < mesh->nelements; e++)
        for (int a = 0; a < 7; a++)
            for (int i = 0; i < 2; i++) {
                const int index = a < 6 ? mesh->element[6 * e + a] : mesh->nnodes + e;

                U[2 * index + i] = (a < 3 ? 1.0 : a < 6 ? 0.5 : 10.0 / 27.0) * c[i];
            }
    sab_space_strain_rate(space, U, gamma);
    for (int i = 0; i < 3 * space->npoints; i++)
        SAB_ASSERT_CLOSE(gamma[i], 0.0, 1e-12);
    CU_ASSERT_EQUAL(sab_exact_velocity(space, U, zero, 0.0, &norms, NULL), SAB_OK);
    CU_ASSERT(norms.H1 > 0.5);
    SAB_FREE(U);
    SAB_FREE(gamma);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

static sab_status linear_force(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 1.0 + at->x - 2.0 * at->y;
    return SAB_OK;
}

/* One bubble alone: load, norms, value at a point. int b^2 = 81/280 |T|, and by 4.9
 * int |grad b|^2 = (81/20)|T| sum |grad l_i|^2. */
static void test_single_bubble(void)
{
    sab_mesh *mesh = sab_grid_create(&straight);
    sab_space *space = bubble_space(mesh);
    sab_fields *fields = NULL;
    const int e = 5, at = 2 * (mesh->nnodes + e);
    const triangle t = triangle_at(mesh, e);
    const sab_function zero[2] = {sab_constant(0.0), sab_constant(0.0)};
    const sab_function f[2] = {{.call = linear_force}, sab_constant(-1.0)};
    double *U = sab_alloc(sab_space_size(space), sizeof *U);
    double *F = sab_alloc(sab_space_size(space), sizeof *F);
    double sum = 0.0, gradient2 = 0.0, centre[2] = {0.0, 0.0}, value[2];
    sab_error_norms norms;

    U[at] = 1.0;
    CU_ASSERT_EQUAL(sab_exact_velocity(space, U, zero, 0.0, &norms, NULL), SAB_OK);
    for (int i = 0; i < 3; i++) {
        gradient2 += t.dl[i][0] * t.dl[i][0] + t.dl[i][1] * t.dl[i][1];
        for (int k = 0; k < 2; k++)
            centre[k] += mesh->x[2 * mesh->element[6 * e + i] + k] / 3.0;
    }
    SAB_ASSERT_CLOSE(norms.L2, sqrt(81.0 / 280.0 * t.area), 1e-13);
    SAB_ASSERT_CLOSE(norms.H1, sqrt(81.0 / 20.0 * t.area * gradient2), 1e-12);

    CU_ASSERT_EQUAL(sab_space_body_force(space, f, 0.0, F, NULL), SAB_OK);
    /* b is symmetric in the corners, so a linear force acts with its value at the centre */
    SAB_ASSERT_CLOSE(F[at], 9.0 / 20.0 * t.area * (1.0 + centre[0] - 2.0 * centre[1]), 1e-14);
    SAB_ASSERT_CLOSE(F[at + 1], -9.0 / 20.0 * t.area, 1e-14);
    for (int n = 0; n < mesh->nnodes; n++)
        sum += F[2 * n + 1];
    SAB_ASSERT_CLOSE(sum, -2.0, 1e-13); /* the nodes carry the whole weight of the body */

    CU_ASSERT_EQUAL_FATAL(sab_fields_create(space, &fields, NULL), SAB_OK);
    memcpy(fields->velocity, U, sab_space_size(space) * sizeof *U);
    sab_fields_at(fields, SAB_FIELD_VELOCITY, e, (double[2]){0.2, 0.3}, value);
    SAB_ASSERT_CLOSE(value[0], 27.0 * 0.5 * 0.2 * 0.3, 1e-14);
    SAB_ASSERT_CLOSE(value[1], 0.0, 1e-14);
    SAB_FREE(U);
    SAB_FREE(F);
    sab_fields_destroy(&fields);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"integral, gradient, load", test_integrals},
        {"projection of the gradient", test_projection},
        {"stiffness and its factor 5/3", test_stiffness},
        {"B, its transpose and the loops agree; condensed", test_operators_agree},
        {"a field that the law points do not see", test_hidden_field},
        {"one bubble: norms, load, value", test_single_bubble},
    };

    return SAB_TEST_MAIN("fem/bubble", tests);
}

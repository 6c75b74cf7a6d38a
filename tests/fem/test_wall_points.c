/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of walls with friction [docs/theory.md, 4.13]: what they weigh, what passes through
 * them, and that the tractions at them are stable. */
#include "unit.h"

#include "base/memory.h"
#include "fem/flux.h"
#include "fem/wall_points.h"
#include "grid.h"
#include "linalg/factor.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A mesh with walls on some of its groups; the others are held. */
typedef struct body {
    sab_mesh *mesh;
    sab_boundary boundary[6];
    int nboundaries, group[6];
    sab_dofs *dofs;
    sab_space *space;
    sab_wall_points *walls;
} body;

static void make_body(body *b, sab_mesh *mesh, const sab_geometry *geometry,
                      const sab_element *element, const char *walls, bool others_held)
{
    sab_error err = {0};

    *b = (body){.mesh = mesh, .nboundaries = mesh->ngroups};
    for (int g = 0; g < mesh->ngroups; g++) {
        char *name = mesh->group[g].name;
        const bool wall = strstr(walls, name) != NULL;

        b->group[g] = g;
        b->boundary[g] = (sab_boundary){.group = name,
                                        .has_wall = wall,
                                        .has_velocity = !wall && others_held,
                                        .prescribed = {true, true, true}};
    }
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, geometry, sab_element_faces(element, mesh),
                                          b->nboundaries, b->boundary, b->group, 0.0, &b->dofs,
                                          &err),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element, geometry, &b->space, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_wall_points_create(b->space, b->dofs, b->nboundaries, b->boundary,
                                                 b->group, 1.0, &b->walls, &err),
                          SAB_OK);
}

static void destroy_body(body *b)
{
    sab_wall_points_destroy(&b->walls);
    sab_space_destroy(&b->space);
    sab_dofs_destroy(&b->dofs);
    sab_mesh_destroy(&b->mesh);
}

/* A += sum_q c weight_q B_q^T B_q */
static void add_square(sab_sparse *A, const sab_points *points, double c)
{
    const int s = points->s;
    double *C = sab_alloc((size_t)(s * s) * (size_t)points->n, sizeof *C);
    sab_scatter *scatter = NULL;

    for (int q = 0; q < points->n; q++)
        for (int i = 0; i < s; i++)
            C[s * s * q + i * (s + 1)] = c * points->weight[q];
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(points->B, A, &scatter, NULL), SAB_OK);
    sab_blocks_assemble(points->B, C, scatter, A);
    sab_scatter_destroy(&scatter);
    SAB_FREE(C);
}

/* Smallest eigenvalue of a symmetric matrix, by Jacobi's rotations. */
static double smallest(int n, double *S)
{
    double least = INFINITY;

    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (fabs(S[n * p + q]) < 1e-14)
                    continue;
                const double theta = 0.5 * atan2(2.0 * S[n * p + q], S[n * q + q] - S[n * p + p]);
                const double c = cos(theta), s = sin(theta);
                for (int k = 0; k < n; k++) {
                    const double a = S[n * k + p], b = S[n * k + q];
                    S[n * k + p] = c * a - s * b;
                    S[n * k + q] = s * a + c * b;
                }
                for (int k = 0; k < n; k++) {
                    const double a = S[n * p + k], b = S[n * q + k];
                    S[n * p + k] = c * a - s * b;
                    S[n * q + k] = s * a + c * b;
                }
            }
    for (int i = 0; i < n; i++)
        least = fmin(least, S[n * i + i]);
    return least;
}

/* beta = min_r max_v sum m r v_N / (|h^1/2 r| (int 2 D:D + v.v)^1/2). */
static double infsup(body *b, double h)
{
    const sab_wall_points *w = b->walls;
    const int n = w->n, dim = w->dim;
    sab_points *strain = NULL, *velocity = NULL, *rest = NULL;
    sab_sparse *A = NULL;
    sab_factor *factor = NULL;
    double *S = sab_alloc((size_t)(n * n), sizeof *S);
    double *y = sab_alloc((size_t)(n * dim), sizeof *y), *u;

    CU_ASSERT_EQUAL_FATAL(sab_points_strain(b->space, b->dofs, &strain, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_points_velocity(b->space, b->dofs, b->space->mass, &velocity, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(strain->B, true, &A, NULL), SAB_OK);
    add_square(A, strain, 4.0);
    add_square(A, velocity, 1.0);
    if (b->space->remainder != NULL) {
        CU_ASSERT_EQUAL_FATAL(sab_points_remainder(b->space, b->dofs, &rest, NULL), SAB_OK);
        add_square(A, rest, 4.0 * b->space->remainder_factor);
        sab_points_destroy(&rest);
    }
    CU_ASSERT_EQUAL_FATAL(sab_factor_create(NULL, A, &factor, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_factor_update(factor, A, NULL), SAB_OK);
    u = sab_alloc((size_t)A->n, sizeof *u);
    for (int q = 0; q < n; q++) {
        memset(y, 0, (size_t)(n * dim) * sizeof *y);
        memset(u, 0, (size_t)A->n * sizeof *u);
        y[dim * q] = sqrt(w->point[q].weight / h);
        sab_blocks_multiply_transpose(w->at->B, y, u);
        sab_factor_solve(factor, u, u, NULL);
        sab_blocks_multiply(w->at->B, u, y);
        for (int p = 0; p < n; p++)
            S[n * q + p] = sqrt(w->point[p].weight / h) * y[dim * p];
    }
    const double beta = sqrt(fmax(0.0, smallest(n, S)));
    SAB_FREE(S);
    SAB_FREE(y);
    SAB_FREE(u);
    sab_factor_destroy(&factor);
    sab_sparse_destroy(&A);
    sab_points_destroy(&strain);
    sab_points_destroy(&velocity);
    return beta;
}

/* A square of n^2 rhombi, each cut into two triangles with equal sides; only its bottom is a group.
 */
static sab_mesh *equilateral(int n)
{
    const int m = 2 * n + 1;
    double *x = sab_alloc((size_t)(2 * m * m), sizeof *x);
    int *element = sab_alloc((size_t)(12 * n * n), sizeof *element), side[3][32][2], k = 0;
    static const char *const name[] = {"bottom", "ends", "top"};
    sab_mesh *mesh = NULL;

    for (int a = 0; a < m * m; a++) {
        x[2 * a] = (a % m - 0.5 * (a / m)) / (2.0 * n);
        x[2 * a + 1] = 0.8660254037844386 * (a / m) / (2.0 * n);
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            const int o = 2 * j * m + 2 * i,
                      c = o + 1 + m; /* rising diagonals are the short ones */
            const int two[] = {o, o + 2,         o + 2 + 2 * m, o + 1, o + 2 + m,     c,
                               o, o + 2 + 2 * m, o + 2 * m,     c,     o + 1 + 2 * m, o + m};

            memcpy(element + k, two, sizeof two);
            k += 12;
        }
    CU_ASSERT_EQUAL_FATAL(
        sab_mesh_create(&sab_cell_triangle, m * m, x, 2 * n * n, element, &mesh, NULL), SAB_OK);
    for (int i = 0; i < n; i++) {
        for (int end = 0; end < 2; end++) {
            side[0][i][end] = 2 * (i + end);
            side[2][i][end] = 2 * (i + end) + (m - 1) * m;
            side[1][i][end] = 2 * (i + end) * m;
            side[1][n + i][end] = 2 * (i + end) * m + m - 1;
        }
    }
    for (int g = 0; g < 3; g++)
        CU_ASSERT_EQUAL(
            sab_mesh_add_group(mesh, name[g], g + 1, g == 1 ? 2 * n : n, side[g][0], NULL), SAB_OK);
    return mesh;
}

static void test_infsup(void)
{
    for (int n = 4; n <= 12; n += 4) { /* of well-shaped triangles */
        sab_mesh *coarse = equilateral(n), *split = NULL;
        body b;

        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &split, NULL), SAB_OK);
        sab_mesh_destroy(&coarse);
        make_body(&b, split, &sab_geometry_plane, &sab_element_p2, "bottom", true);
        const double beta = infsup(&b, 1.0 / n);
        printf("  plane, equal sides, n = %d: %.3f\n", n, beta);
        CU_ASSERT(beta > 0.42);
        destroy_body(&b);
    }
    for (int n = 4; n <= 12; n += 4) {
        const sab_grid grid = {n, n, 0, 0, 1, 1, 0.0, 0.0, 0.0};
        sab_mesh *coarse = sab_grid_create(&grid), *split = NULL;
        body b;

        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &split, NULL), SAB_OK);
        sab_mesh_destroy(&coarse);
        make_body(&b, split, &sab_geometry_plane, &sab_element_p2, "bottom", true);
        const double beta = infsup(&b, 1.0 / n);
        printf("  plane, n = %d: %.3f\n", n, beta);
        CU_ASSERT(beta > 0.38);
        destroy_body(&b);
    }
    for (int n = 2; n <= 5; n++) {
        const sab_box box = {{n, n, n}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0}};
        body b;

        make_body(&b, sab_grid_box(&box), &sab_geometry_space, &sab_element_p2nb, "bottom", true);
        const double beta = infsup(&b, 1.0 / n);
        printf("  space, n = %d: %.3f of %d points\n", n, beta, b.walls->n);
        CU_ASSERT(beta > 0.22);
        destroy_body(&b);
    }
}

static double cubic(const double *x, int dim, int i)
{
    return x[0] * x[0] + (0.3 + i) * x[1] * x[0] - 0.5 * x[1] * x[1] +
           (dim > 2 ? x[2] * (x[0] - x[2] * 0.2 * i) : 0.0);
}

/* With walls all around, sum m n.u is the flux of u through the boundary: what opens at the walls
 * is what the material loses, in every geometry and on curved sides. */
static void test_flux(void)
{
    for (int k = 0; k < 3; k++) {
        const sab_grid grid = {3, 3, 0.5, 0, 1.5, 1, 0.1, k == 0 ? 0.05 : 0.0, 0.0};
        const sab_box box = {{2, 2, 2}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0.1, 0.2, 0.3}};
        const sab_geometry *geometry = k == 0   ? &sab_geometry_plane
                                       : k == 1 ? &sab_geometry_axisymmetric
                                                : &sab_geometry_space;
        sab_mesh *mesh = k < 2 ? sab_grid_create(&grid) : sab_grid_box(&box);
        double flux = 0.0, exact = 0.0, *U;
        body b;

        make_body(&b, mesh, geometry, k < 2 ? &sab_element_p2 : &sab_element_p2nb,
                  "bottom right top left front back", false);
        const int dim = b.walls->dim;
        U = sab_alloc(sab_space_size(b.space), sizeof *U);
        for (int a = 0; a < mesh->nnodes; a++)
            for (int i = 0; i < dim; i++)
                U[dim * a + i] = cubic(sab_mesh_x(mesh, a), dim, i);
        for (int q = 0; q < b.walls->n; q++)
            for (int j = 0; j < b.walls->point[q].n; j++)
                for (int i = 0; i < dim; i++)
                    flux += b.walls->point[q].weight * b.walls->point[q].normal[i] *
                            b.walls->point[q].shape[j] * U[dim * b.walls->point[q].place[j] + i];
        for (int g = 0; g < mesh->ngroups; g++)
            exact += sab_boundary_flux(b.space, g, U);
        printf("  %s: %.12f of %.12f\n", geometry->name, flux, exact);
        SAB_ASSERT_CLOSE(flux, exact, 1e-12);
        SAB_FREE(U);
        destroy_body(&b);
    }
}

static const sab_test tests[] = {
    {"stable tractions", test_infsup},
    {"what opens is what flows", test_flux},
};

int main(void)
{
    return SAB_TEST_MAIN("fem/wall_points", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/mass.h"
#include "grid.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

/* A mesh with its mass matrix M, on the pattern of the strain blocks. */
typedef struct setup {
    sab_mesh *mesh;
    sab_dofs *dofs;
    sab_space *space;
    sab_mass *mass;
    sab_blocks *B;
    sab_sparse *M;
    sab_scatter *scatter;
    double *k;
} setup;

static setup set_up(const sab_grid *grid, bool bubbles, int nboundaries,
                    const sab_boundary *boundary)
{
    setup s = {.mesh = sab_grid_create(grid)};
    sab_boundary_report report;
    int group[4];

    if (nboundaries > 0)
        CU_ASSERT_EQUAL_FATAL(sab_boundary_match(s.mesh, &sab_geometry_plane, nboundaries, boundary,
                                                 group, &report, NULL),
                              SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(s.mesh, &sab_geometry_plane, 0, nboundaries, boundary,
                                          group, 0.0, &s.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(s.mesh, bubbles ? &sab_element_p2b : &sab_element_p2,
                                           &sab_geometry_plane, &s.space, NULL),
                          SAB_OK);
    s.k = sab_alloc(3 * (size_t)s.space->npoints, sizeof *s.k);
    CU_ASSERT_EQUAL_FATAL(sab_space_strain(s.space, s.dofs, &s.B, s.k, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(s.B, true, &s.M, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(s.B, s.M, &s.scatter, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_mass_create(s.space, s.dofs, &s.mass, NULL), SAB_OK);
    sab_mass_assemble(s.mass, 1.0, s.scatter, s.M);
    return s;
}

static void tear_down(setup *s)
{
    SAB_FREE(s->k);
    sab_mass_destroy(&s->mass);
    CU_ASSERT_PTR_NULL(s->mass);
    sab_scatter_destroy(&s->scatter);
    sab_sparse_destroy(&s->M);
    sab_blocks_destroy(&s->B);
    sab_space_destroy(&s->space);
    sab_dofs_destroy(&s->dofs);
    sab_mesh_destroy(&s->mesh);
}

/* u of a nodal velocity, nothing prescribed and all frames along the axes. */
static void sample(const setup *s, double (*f)(double x, double y), int component, double *u)
{
    memset(u, 0, (size_t)s->M->n * sizeof *u);
    for (int n = 0; n < s->mesh->nnodes; n++)
        u[s->dofs->number[2 * n + component]] = f(s->mesh->x[2 * n], s->mesh->x[2 * n + 1]);
}

static double product(const setup *s, const double *a, const double *b, double *work)
{
    double sum = 0.0;

    sab_sparse_multiply(s->M, b, work);
    for (int i = 0; i < s->M->n; i++)
        sum += a[i] * work[i];
    return sum;
}

static double one(double x, double y)
{
    (void)x;
    (void)y;
    return 1.0;
}
static double square_x(double x, double y)
{
    (void)y;
    return x * x;
}
static double mixed(double x, double y)
{
    return x * y - y * y + 0.5;
}

/* Quadratics on [0,2] x [0,1]: int 1 = 2 (the area), int x^4 = 32/5,
 * int x^2 (xy - y^2 + 1/2) = 4/2 - 8/9 + 4/3 = 22/9, and the components do not mix. */
static void test_quadratics(void)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.0, 0.0};

    for (int bubbles = 0; bubbles < 2; bubbles++) {
        setup s = set_up(&grid, bubbles == 1, 0, NULL);
        const size_t n = (size_t)s.M->n;
        double *a = sab_alloc(n, sizeof *a), *b = sab_alloc(n, sizeof *b);
        double *work = sab_alloc(n, sizeof *work), area = 0.0;

        CU_ASSERT_EQUAL(s.mass->at->n, (bubbles == 1 ? 12 : 6) * s.mesh->nelements);
        for (int p = 0; p < s.mass->at->n; p++)
            area += s.mass->at->weight[p];
        SAB_ASSERT_CLOSE(area, 2.0, 1e-14);
        for (int c = 0; c < 2; c++) {
            sample(&s, one, c, a);
            SAB_ASSERT_CLOSE(product(&s, a, a, work), 2.0, 1e-13);
            sample(&s, square_x, c, a);
            SAB_ASSERT_CLOSE(product(&s, a, a, work), 32.0 / 5.0, 1e-13);
            sample(&s, mixed, c, b);
            SAB_ASSERT_CLOSE(product(&s, a, b, work), 22.0 / 9.0, 1e-13);
            SAB_ASSERT_CLOSE(product(&s, b, a, work), 22.0 / 9.0, 1e-13);
            sample(&s, mixed, 1 - c, b);
            SAB_ASSERT_CLOSE(product(&s, a, b, work), 0.0, 1e-14);
        }
        SAB_FREE(a);
        SAB_FREE(b);
        SAB_FREE(work);
        tear_down(&s);
    }
}

/* The column of a bubble in M, on straight triangles: -3/140 |T| with the corners, 6/35 |T| with
 * the mid-sides, 81/280 |T| with itself [docs/theory.md, 4.9], nothing else; in sum with the nodes
 * int b = 9/20 |T|. */
static void test_bubbles(void)
{
    const sab_grid grid = {3, 2, 0, 0, 2, 1, 0.2, 0.0, 0.4};
    setup s = set_up(&grid, true, 0, NULL);
    const int n = sab_space_unknowns(s.space, s.dofs);
    double *a = sab_alloc((size_t)n, sizeof *a), *work = sab_alloc((size_t)n, sizeof *work);

    CU_ASSERT_EQUAL_FATAL(s.M->n, s.dofs->nfree + 2 * s.mesh->nelements);
    for (int e = 0; e < s.mesh->nelements; e++)
        for (int c = 0; c < 2; c++) {
            const int self = s.dofs->nfree + 2 * e + c;
            double area = 0.0, sum = 0.0, other = 0.0;

            for (int q = 0; q < 3; q++)
                area += s.space->weight[3 * e + q];
            memset(a, 0, (size_t)n * sizeof *a);
            a[self] = 1.0;
            sab_sparse_multiply(s.M, a, work);
            SAB_ASSERT_CLOSE(work[self] / area, 81.0 / 280.0, 1e-13);
            work[self] = 0.0;
            for (int k = 0; k < 6; k++) {
                double *at = work + s.dofs->number[2 * s.mesh->element[6 * e + k] + c];

                SAB_ASSERT_CLOSE(*at / area, k < 3 ? -3.0 / 140.0 : 6.0 / 35.0, 1e-13);
                sum += *at / area;
                *at = 0.0;
            }
            SAB_ASSERT_CLOSE(sum, 9.0 / 20.0, 1e-13);
            for (int i = 0; i < n; i++)
                other = fmax(other, fabs(work[i]));
            CU_ASSERT_EQUAL(other, 0.0);
        }
    SAB_FREE(a);
    SAB_FREE(work);
    tear_down(&s);
}

/* Positive definite: it factors, and the energy of random velocities lies between the bounds of
 * the weights; on curved elements too. factor scales it. */
static void check_definite(bool bubbles)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.04, 0.3};
    setup s = set_up(&grid, bubbles, 0, NULL);
    const size_t n = (size_t)s.M->n;
    double *a = sab_alloc(n, sizeof *a), *work = sab_alloc(n, sizeof *work);
    unsigned long long seed = 7;
    sab_factor *factor = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_factor_create(NULL, s.M, &factor, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_factor_update(factor, s.M, NULL), SAB_OK);
    CU_ASSERT(sab_factor_get_info(factor).smallest_pivot > 1e-3);
    for (int k = 0; k < 5; k++) {
        for (size_t i = 0; i < n; i++)
            a[i] = sab_test_random(&seed) - 0.5;
        const double before = product(&s, a, a, work);
        CU_ASSERT(before > 0.0);
        sab_mass_assemble(s.mass, 0.25 * pow(2.0, k), s.scatter, s.M);
        SAB_ASSERT_CLOSE(
            product(&s, a, a, work) / before,
            (1.0 + 0.25 * (pow(2.0, k + 1) - 1.0)) / (1.0 + 0.25 * (pow(2.0, k) - 1.0)), 1e-12);
    }
    sab_factor_destroy(&factor);
    SAB_FREE(a);
    SAB_FREE(work);
    tear_down(&s);
}

static void test_definite(void)
{
    check_definite(false);
    check_definite(true);
}

/* With given velocities and an oblique slip wall: v = N u + k is the P2 velocity of
 * sab_space_expand, and M u = load(v) gives u back. */
static void check_prescribed(bool bubbles)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.0, 0.6};
    char name[4][8] = {"bottom", "right", "top", "left"};
    const sab_boundary boundary[4] = {{.group = name[0], .slip = true},
                                      {.group = name[1], .has_traction = true},
                                      {.group = name[2], .has_traction = true},
                                      {.group = name[3],
                                       .has_velocity = true,
                                       .prescribed = {true, true},
                                       .velocity = {{1.5, 0, 0}, {-0.5, 0, 0}}}};
    setup s = set_up(&grid, bubbles, 4, boundary);
    const size_t n = (size_t)s.M->n, size = sab_space_size(s.space);
    double *u = sab_alloc(n, sizeof *u), *U = sab_alloc(size, sizeof *U);
    double *v = sab_alloc(2 * (size_t)s.mass->at->n, sizeof *v);
    double *l = sab_alloc(n, sizeof *l), energy = 0.0, moment[2] = {0.0, 0.0};
    unsigned long long seed = 11;
    sab_factor *factor = NULL;

    CU_ASSERT(n < size);
    for (size_t i = 0; i < n; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    sab_mass_velocity(s.mass, u, v);
    sab_mass_load(s.mass, 2.0, v, l);
    sab_space_expand(s.space, s.dofs, u, U);
    /* the same field at nodes: compare means, by the mid-side rule (exact for P2), and
     * int b = 9/20 |T| */
    for (int e = 0; e < s.mesh->nelements; e++) {
        double area = 0.0;
        for (int q = 0; q < 3; q++)
            area += s.space->weight[3 * e + q];
        for (int a = 3; a < 6; a++)
            for (int i = 0; i < 2; i++)
                moment[i] += area / 3.0 * U[2 * s.mesh->element[6 * e + a] + i];
        for (int i = 0; bubbles && i < 2; i++)
            moment[i] += 0.45 * area * U[2 * (s.mesh->nnodes + e) + i];
    }
    for (int p = 0; p < s.mass->at->n; p++)
        for (int i = 0; i < 2; i++) {
            moment[i] -= s.mass->at->weight[p] * v[2 * p + i];
            energy += s.mass->at->weight[p] * v[2 * p + i] * v[2 * p + i];
        }
    SAB_ASSERT_CLOSE(moment[0], 0.0, 1e-13);
    SAB_ASSERT_CLOSE(moment[1], 0.0, 1e-13);
    CU_ASSERT(energy > 0.0);
    CU_ASSERT_EQUAL_FATAL(sab_factor_create(NULL, s.M, &factor, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_factor_update(factor, s.M, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_factor_solve(factor, l, l, NULL), SAB_OK);
    for (size_t i = 0; i < n; i++)
        SAB_ASSERT_CLOSE(l[i], 2.0 * u[i], 1e-11);
    sab_factor_destroy(&factor);
    SAB_FREE(u);
    SAB_FREE(U);
    SAB_FREE(v);
    SAB_FREE(l);
    tear_down(&s);
}

static void test_prescribed(void)
{
    check_prescribed(false);
    check_prescribed(true);
}

static void test_out_of_memory(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    setup s = set_up(&grid, true, 0, NULL);

    for (int k = 0;; k++) {
        sab_mass *mass = NULL;
        sab_error err;

        sab_memory.failing = k;
        const sab_status status = sab_mass_create(s.space, s.dofs, &mass, &err);
        const bool reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        if (!reached) { /* no allocation failed: all were tried */
            CU_ASSERT_EQUAL(status, SAB_OK);
            CU_ASSERT(k > 5);
            sab_mass_destroy(&mass);
            break;
        }
        CU_ASSERT_EQUAL(status, SAB_ERR_MEMORY);
        CU_ASSERT_PTR_NULL(mass);
    }
    tear_down(&s);
}

static const sab_test tests[] = {
    {"quadratics are integrated exactly", test_quadratics},
    {"integrals of the bubble", test_bubbles},
    {"symmetric positive definite", test_definite},
    {"prescribed velocities and frames", test_prescribed},
    {"each allocation fails in turn", test_out_of_memory},
};

int main(void)
{
    return SAB_TEST_MAIN("mass", tests);
}

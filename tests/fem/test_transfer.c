/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Velocity and stress from one mesh to another. A field that both hold must be the same. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/transfer.h"
#include "grid.h"

#include <math.h>
#include <string.h>

typedef struct side {
    sab_mesh *mesh;
    sab_space *space;
    double *U, *lambda;
} side;

static side set_up(sab_mesh *mesh, const sab_element *element, const sab_geometry *geometry)
{
    side s = {.mesh = mesh};

    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element, geometry, &s.space, NULL), SAB_OK);
    s.U = sab_alloc(sab_space_size(s.space), sizeof *s.U);
    s.lambda = sab_alloc((size_t)geometry->s * (size_t)s.space->npoints, sizeof *s.lambda);
    return s;
}

static void tear_down(side *s)
{
    SAB_FREE(s->U);
    SAB_FREE(s->lambda);
    sab_space_destroy(&s->space);
    sab_mesh_destroy(&s->mesh);
}

/* A quadratic velocity without divergence in the plane and in space, and a linear stress. */
static void velocity(int dim, const double *x, double *v)
{
    if (dim == 2) {
        v[0] = 1.0 + x[0] - 2.0 * x[0] * x[1] + 0.5 * x[1] * x[1];
        v[1] = -x[1] + x[1] * x[1] + 3.0 * x[0] * x[0];
    } else {
        v[0] = x[1] * x[2] - x[0] * x[0] + 0.25;
        v[1] = 2.0 * x[0] * x[1] - x[2] * x[2];
        v[2] = x[0] * x[1] + 3.0 * x[1] * x[1];
    }
}

static double stress(int dim, const double *x, int k)
{
    double value = 1.0 + k;

    for (int i = 0; i < dim; i++)
        value += (0.5 + i - 0.3 * k) * x[i];
    return value;
}

static void fill(side *s)
{
    const int dim = s->mesh->cell->dim, n = s->space->geometry->s;

    for (int a = 0; a < s->mesh->nnodes; a++)
        velocity(dim, sab_mesh_x(s->mesh, a), s->U + dim * a);
    for (int q = 0; q < s->space->npoints; q++)
        for (int k = 0; k < n; k++)
            s->lambda[n * q + k] = stress(dim, s->space->point + dim * q, k);
}

/* Largest difference of all entries from those of fields filled in there; bubbles are 0. */
static double difference(const side *s)
{
    side exact = *s;
    const int n = s->space->geometry->s;
    double most = 0.0;

    exact.U = sab_alloc(sab_space_size(s->space), sizeof *exact.U);
    exact.lambda = sab_alloc((size_t)n * (size_t)s->space->npoints, sizeof *exact.lambda);
    fill(&exact);
    for (size_t i = 0; i < sab_space_size(s->space); i++)
        most = fmax(most, fabs(s->U[i] - exact.U[i]));
    for (int i = 0; i < n * s->space->npoints; i++)
        most = fmax(most, fabs(s->lambda[i] - exact.lambda[i]));
    SAB_FREE(exact.U);
    SAB_FREE(exact.lambda);
    return most;
}

static void check_exact(side from, side to)
{
    sab_transfer_report r;
    double energy, divergence[2];

    fill(&from);
    CU_ASSERT_EQUAL_FATAL(
        sab_transfer(from.space, from.U, from.lambda, to.space, to.U, to.lambda, &r, NULL), SAB_OK);
    CU_ASSERT_TRUE(difference(&to) < 1e-11);
    CU_ASSERT_TRUE(r.clamped == 0 && r.outside == 0.0 && r.farthest == 0.0);
    CU_ASSERT_TRUE(r.places >= to.mesh->nnodes);
    CU_ASSERT_EQUAL(sab_transfer_measure(from.space, from.U, &energy, &divergence[0], NULL),
                    SAB_OK);
    CU_ASSERT_EQUAL(sab_transfer_measure(to.space, to.U, &r.energy, &divergence[1], NULL), SAB_OK);
    CU_ASSERT_DOUBLE_EQUAL(r.energy, energy, 1e-11 * energy);
    CU_ASSERT_TRUE(divergence[0] < 1e-11 || from.space->geometry->axis);
    CU_ASSERT_TRUE(divergence[1] < 1e-11 || from.space->geometry->axis);
    tear_down(&from);
    tear_down(&to);
}

/* P2 velocities and P1 stresses go exactly, whatever the elements are. */
static void test_exact_plane(void)
{
    const sab_grid coarse = {.nx = 5, .ny = 4, .x0 = 0, .y0 = -1, .x1 = 2, .y1 = 1, .jitter = 0.2};
    const sab_grid fine = {.nx = 7, .ny = 9, .x0 = 0, .y0 = -1, .x1 = 2, .y1 = 1, .jitter = 0.15};
    const sab_element *const element[] = {&sab_element_p2, &sab_element_p2b};

    for (int i = 0; i < 4; i++)
        check_exact(set_up(sab_grid_create(&coarse), element[i % 2], &sab_geometry_plane),
                    set_up(sab_grid_create(&fine), element[i / 2], &sab_geometry_plane));
}

static void test_exact_axis(void)
{
    const sab_grid coarse = {.nx = 4, .ny = 4, .x1 = 1, .y1 = 2, .jitter = 0.2};
    const sab_grid fine = {.nx = 5, .ny = 7, .x1 = 1, .y1 = 2, .jitter = 0.1};

    check_exact(set_up(sab_grid_create(&coarse), &sab_element_p2b, &sab_geometry_axisymmetric),
                set_up(sab_grid_create(&fine), &sab_element_p2b, &sab_geometry_axisymmetric));
}

static void test_exact_space(void)
{
    const sab_box coarse = {.n = {2, 3, 2}, .high = {1, 1, 1}, .jitter = 0.2};
    const sab_box fine = {.n = {3, 3, 4}, .high = {1, 1, 1}, .jitter = 0.1};

    check_exact(set_up(sab_grid_box(&coarse), &sab_element_p2nb, &sab_geometry_space),
                set_up(sab_grid_box(&fine), &sab_element_p2nb, &sab_geometry_space));
}

/* What bubbles say goes with them: to the same mesh, nothing is lost. */
static void test_bubbles(void)
{
    const sab_grid plane = {.nx = 3, .ny = 3, .x1 = 1, .y1 = 1, .jitter = 0.2};
    const sab_box box = {.n = {2, 2, 2}, .high = {1, 1, 1}, .jitter = 0.1};

    for (int space = 0; space < 2; space++) {
        sab_transfer_report r;
        side from = space ? set_up(sab_grid_box(&box), &sab_element_p2nb, &sab_geometry_space)
                          : set_up(sab_grid_create(&plane), &sab_element_p2b, &sab_geometry_plane);
        side to = space ? set_up(sab_grid_box(&box), &sab_element_p2nb, &sab_geometry_space)
                        : set_up(sab_grid_create(&plane), &sab_element_p2b, &sab_geometry_plane);

        fill(&from);
        for (size_t i = 0; i < sab_space_size(from.space); i++)
            from.U[i] += 0.1 * sin(17.0 * (double)i);
        CU_ASSERT_EQUAL_FATAL(
            sab_transfer(from.space, from.U, from.lambda, to.space, to.U, to.lambda, &r, NULL),
            SAB_OK);
        for (size_t i = 0; i < sab_space_size(from.space); i++)
            CU_ASSERT_DOUBLE_EQUAL(to.U[i], from.U[i], 1e-11);
        tear_down(&from);
        tear_down(&to);
    }
}

/* Outside, the nearest place of the boundary answers: of u = x that is the projection itself. */
static void test_outside(void)
{
    const sab_grid small = {.nx = 3, .ny = 3, .x1 = 1, .y1 = 1};
    const sab_grid large = {.nx = 4, .ny = 4, .x0 = -0.5, .y0 = -0.25, .x1 = 1.5, .y1 = 1.25};
    side from = set_up(sab_grid_create(&small), &sab_element_p2, &sab_geometry_plane);
    side to = set_up(sab_grid_create(&large), &sab_element_p2, &sab_geometry_plane);
    sab_transfer_report r;
    int outside = 0;

    memcpy(from.U, from.mesh->x, 2 * (size_t)from.mesh->nnodes * sizeof *from.U);
    CU_ASSERT_EQUAL_FATAL(
        sab_transfer(from.space, from.U, from.lambda, to.space, to.U, to.lambda, &r, NULL), SAB_OK);
    for (int a = 0; a < to.mesh->nnodes; a++) {
        const double *x = sab_mesh_x(to.mesh, a);
        const double near[2] = {fmin(fmax(x[0], 0.0), 1.0), fmin(fmax(x[1], 0.0), 1.0)};

        outside += hypot(x[0] - near[0], x[1] - near[1]) > 1e-9;
        CU_ASSERT_DOUBLE_EQUAL(to.U[2 * a], near[0], 1e-9);
        CU_ASSERT_DOUBLE_EQUAL(to.U[2 * a + 1], near[1], 1e-9);
    }
    CU_ASSERT_EQUAL(r.clamped, outside);
    CU_ASSERT_DOUBLE_EQUAL(r.farthest, hypot(0.5, 0.25), 1e-9);
    CU_ASSERT_TRUE(r.outside > 0.5 && r.outside < 0.8); /* 2/3 */
    tear_down(&from);
    tear_down(&to);
}

/* u = x: all of the strain rate changes volume; u = (2x, y): the parts are as 3 to 1. */
static void test_measure(void)
{
    const sab_grid grid = {.nx = 3, .ny = 2, .x1 = 1, .y1 = 1, .jitter = 0.2};
    side s = set_up(sab_grid_create(&grid), &sab_element_p2, &sab_geometry_plane);
    double energy, divergence;

    memcpy(s.U, s.mesh->x, 2 * (size_t)s.mesh->nnodes * sizeof *s.U);
    CU_ASSERT_EQUAL(sab_transfer_measure(s.space, s.U, &energy, &divergence, NULL), SAB_OK);
    CU_ASSERT_DOUBLE_EQUAL(energy, 1.0 / 3.0, 1e-12); /* (1/2) int x^2 + y^2 */
    CU_ASSERT_DOUBLE_EQUAL(divergence, 1.0, 1e-12);
    for (int a = 0; a < s.mesh->nnodes; a++)
        s.U[2 * a] *= 2.0;
    CU_ASSERT_EQUAL(sab_transfer_measure(s.space, s.U, &energy, &divergence, NULL), SAB_OK);
    CU_ASSERT_DOUBLE_EQUAL(divergence, 3.0 / sqrt(10.0), 1e-12);
    memset(s.U, 0, sab_space_size(s.space) * sizeof *s.U);
    CU_ASSERT_EQUAL(sab_transfer_measure(s.space, s.U, &energy, &divergence, NULL), SAB_OK);
    CU_ASSERT_TRUE(energy == 0.0 && divergence == 0.0);
    tear_down(&s);
}

static void test_memory(void)
{
    const sab_grid grid = {.nx = 2, .ny = 2, .x1 = 1, .y1 = 1};
    side from = set_up(sab_grid_create(&grid), &sab_element_p2b, &sab_geometry_plane);
    side to = set_up(sab_grid_create(&grid), &sab_element_p2b, &sab_geometry_plane);
    sab_transfer_report r;
    const long live = sab_memory.live;

    for (long k = 0;; k++) {
        sab_memory.failing = k;
        const sab_status status =
            sab_transfer(from.space, from.U, from.lambda, to.space, to.U, to.lambda, &r, NULL);
        const bool reached = sab_memory.failing < 0;

        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(sab_memory.live, live);
        CU_ASSERT_EQUAL(status, reached ? SAB_ERR_MEMORY : SAB_OK);
        if (!reached) { /* no allocation failed: all were tried */
            CU_ASSERT(k > 4);
            break;
        }
    }
    tear_down(&from);
    tear_down(&to);
}

static const sab_test tests[] = {
    {"quadratic velocities, linear stresses: plane", test_exact_plane},
    {"the same about an axis", test_exact_axis},
    {"the same in space", test_exact_space},
    {"bubbles", test_bubbles},
    {"outside", test_outside},
    {"energy and divergence", test_measure},
    {"each allocation fails in turn", test_memory},
};

int main(void)
{
    return SAB_TEST_MAIN("transfer", tests);
}

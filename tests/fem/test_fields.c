/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/memory.h"
#include "fem/bubble.h"
#include "fem/exact.h"
#include "fem/integral.h"
#include "fem/locate.h"
#include "fem/quadrature.h"
#include "grid.h"

#include <math.h>

/* Every reference point of every element (curved too) is found again; also in elements that are
 * small against their coordinates. */
static void locate_all(const sab_grid *grid, double tolerance)
{
    sab_mesh *mesh = sab_grid_create(grid);
    sab_locator *locator = NULL;
    unsigned long long seed = 11;
    double outside[2] = {1e3, 1e3}, xi[2];

    CU_ASSERT_EQUAL_FATAL(sab_locator_create(mesh, &locator, NULL), SAB_OK);
    for (int e = 0; e < mesh->nelements; e++)
        for (int k = 0; k < 5; k++) {
            double in[2] = {sab_test_random(&seed), sab_test_random(&seed)};
            sab_p2 p;

            if (in[0] + in[1] > 1.0) {
                in[0] = 1.0 - in[0];
                in[1] = 1.0 - in[1];
            }
            sab_p2_at(mesh, e, in, &p);
            CU_ASSERT_EQUAL(sab_locator_find(locator, p.x, xi), e);
            SAB_ASSERT_CLOSE(xi[0], in[0], tolerance);
            SAB_ASSERT_CLOSE(xi[1], in[1], tolerance);
        }
    for (int n = 0; n < mesh->nnodes; n++) /* nodes lie on sides: found in some element */
        CU_ASSERT(sab_locator_find(locator, mesh->x + 2 * n, xi) >= 0);
    CU_ASSERT_EQUAL(sab_locator_find(locator, outside, xi), -1);
    sab_locator_destroy(&locator);
    sab_mesh_destroy(&mesh);
}

static void test_locate(void)
{
    locate_all(&(sab_grid){6, 5, -1, 0, 2, 1, 0.15, 0.05, 0.7}, 1e-10);
    locate_all(&(sab_grid){6, 5, 100, 50, 100.003, 50.001, 0.15, 0.0, 0.0}, 1e-8);
}

static sab_status quadratic(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = data == NULL ? at->x * at->x - at->y : 2.0 * at->x * at->y + 1.0;
    return SAB_OK;
}

/* A velocity in the space has no error; one shifted by a constant has that error. */
static void test_error_norms(void)
{
    const sab_grid grid = {5, 4, 0, 0, 2, 1, 0.2, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;
    int other = 1;
    const sab_function exact[2] = {{.call = quadratic}, {.call = quadratic, .data = &other}};
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U);
    sab_error_norms norms;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    for (int n = 0; n < mesh->nnodes; n++) {
        const double x = mesh->x[2 * n], y = mesh->x[2 * n + 1];

        U[2 * n] = x * x - y;
        U[2 * n + 1] = 2.0 * x * y + 1.0;
    }
    CU_ASSERT_EQUAL(sab_exact_velocity(space, U, exact, 0.0, &norms, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(norms.L2, 0.0, 1e-13);
    SAB_ASSERT_CLOSE(norms.Linf, 0.0, 1e-13);
    SAB_ASSERT_CLOSE(norms.H1, 0.0, 1e-10);
    /* |grad|^2 = 4x^2 + 1 + 4y^2 + 4x^2, integral 2(4/3)4 + 2 + 8/3 + ... */
    SAB_ASSERT_CLOSE(norms.exact_H1, sqrt(8.0 * 8.0 / 3.0 + 2.0 + 8.0 / 3.0), 1e-10);
    for (int n = 0; n < mesh->nnodes; n++)
        U[2 * n] += 3.0;
    sab_exact_velocity(space, U, exact, 0.0, &norms, NULL);
    SAB_ASSERT_CLOSE(norms.L2, 3.0 * sqrt(2.0), 1e-13);
    SAB_ASSERT_CLOSE(norms.Linf, 3.0, 1e-13);
    SAB_ASSERT_CLOSE(norms.H1, 0.0, 1e-10);
    SAB_FREE(U);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* Simple shear u = (2y, 0) under lambda = (p; -tau on xy): total stress, shear rate u'/2 = 1,
 * yield ratio, pressure. */
static void test_fields_of_shear(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    const double mu = 0.5, p = 4.0, nu = 3.0;
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;
    sab_fields *fields = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_fields_create(space, &fields, NULL), SAB_OK);
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U);
    double *lambda = sab_alloc(3 * (size_t)space->npoints, sizeof *lambda);
    double *friction = sab_alloc((size_t)space->npoints, sizeof *friction);
    double *yield = sab_alloc((size_t)space->npoints, sizeof *yield);
    double *viscosity = sab_alloc((size_t)space->npoints, sizeof *viscosity), value[6];
    const double xi[2] = {0.3, 0.2};

    for (int n = 0; n < mesh->nnodes; n++)
        U[2 * n] = 2.0 * mesh->x[2 * n + 1];
    for (int q = 0; q < space->npoints; q++) {
        lambda[3 * q] = p;
        lambda[3 * q + 2] = -mu * p; /* opposes D_xy > 0 */
        friction[q] = mu;
        viscosity[q] = nu;
    }
    sab_point_law law = {.friction = friction,
                         .yield = yield,
                         .viscosity = viscosity,
                         .bulk = 1.0,
                         .residual = 1e-3};
    sab_fields_update(fields, U, lambda, &law);
    sab_fields_at(fields, SAB_FIELD_SHEAR_RATE, 1, xi, value);
    SAB_ASSERT_CLOSE(value[0], 1.0, 1e-13);
    sab_fields_at(fields, SAB_FIELD_YIELD_RATIO, 1, xi, value);
    SAB_ASSERT_CLOSE(value[0], 1.0, 1e-13);
    sab_fields_at(fields, SAB_FIELD_PRESSURE, 1, xi, value);
    SAB_ASSERT_CLOSE(value[0], p, 1e-13);
    sab_fields_at(fields, SAB_FIELD_SHEAR_STRESS, 1, xi, value);
    SAB_ASSERT_CLOSE(value[0], nu * 1.0 + mu * p, 1e-13);
    sab_fields_at(fields, SAB_FIELD_STRESS, 1, xi, value);
    SAB_ASSERT_CLOSE(value[0], -p, 1e-13);
    SAB_ASSERT_CLOSE(value[1], -p, 1e-13);
    SAB_ASSERT_CLOSE(value[3], nu * 1.0 + mu * p, 1e-13);
    CU_ASSERT_EQUAL(fields->yielded[0], 1.0);
    /* |u| = 2 on top, cells of half the side, r = 2 nu */
    SAB_ASSERT_CLOSE(sab_fields_cell_reynolds(fields), 2.0 * 0.5 / (0.5 * nu), 1e-13);
    law.residual = 1.0; /* nothing stands out of such a residual */
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(fields->yielded[0], 0.0);
    law.residual = 1e-3;
    for (int q = 0; q < space->npoints; q++)
        lambda[3 * q + 2] = 0.0; /* far inside, and the viscous stress 3 exceeds the strength 2 */
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(fields->yielded[0], 1.0);
    for (int n = 0; n < mesh->nnodes; n++)
        U[2 * n] *= 0.1; /* it no longer does */
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(fields->yielded[0], 0.0);
    double *step = sab_alloc((size_t)space->npoints, sizeof *step);
    for (int q = 0; q < space->npoints; q++) {
        viscosity[q] = 0.0; /* none, but inertia in the r of the trial stress */
        step[q] = 30.0;
    }
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(fields->yielded[0], 0.0);
    law.r = step;
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(fields->yielded[0], 1.0);
    CU_ASSERT(isinf(sab_fields_cell_reynolds(fields)));
    for (int n = 0; n < mesh->nnodes; n++)
        U[2 * n] = 0.0;
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(sab_fields_cell_reynolds(fields), 0.0);
    SAB_FREE(step);
    SAB_FREE(U);
    SAB_FREE(lambda);
    SAB_FREE(friction);
    SAB_FREE(yield);
    SAB_FREE(viscosity);
    sab_fields_destroy(&fields);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* A body in shear with what its cone program would hold. */
typedef struct body {
    sab_mesh *mesh;
    sab_space *space;
    sab_fields *fields;
    double *U, *lambda, *friction, *yield, *viscosity;
    sab_point_law law;
} body;

static body make_body(const sab_grid *grid, bool bubbles)
{
    body b = {.mesh = sab_grid_create(grid)};

    CU_ASSERT_EQUAL_FATAL(sab_space_create(b.mesh, bubbles ? &sab_element_p2b : &sab_element_p2,
                                           &sab_geometry_plane, &b.space, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_fields_create(b.space, &b.fields, NULL), SAB_OK);
    b.U = sab_alloc(sab_space_size(b.space), sizeof *b.U);
    b.lambda = sab_alloc(3 * (size_t)b.space->npoints, sizeof *b.lambda);
    b.friction = sab_alloc((size_t)b.space->npoints, sizeof *b.friction);
    b.yield = sab_alloc((size_t)b.space->npoints, sizeof *b.yield);
    b.viscosity = sab_alloc((size_t)b.space->npoints, sizeof *b.viscosity);
    b.law = (sab_point_law){
        .friction = b.friction, .yield = b.yield, .viscosity = b.viscosity, .bulk = 1.0};
    return b;
}

static void free_body(body *b)
{
    SAB_FREE(b->U);
    SAB_FREE(b->lambda);
    SAB_FREE(b->friction);
    SAB_FREE(b->yield);
    SAB_FREE(b->viscosity);
    sab_fields_destroy(&b->fields);
    sab_space_destroy(&b->space);
    sab_mesh_destroy(&b->mesh);
}

/* u = (y^2, 0), so that |gamma_T| = y; the pressure oscillates by +-3 about its mean 4, as on a
 * plain pair, in all elements but the last, where there is none. mu(I) uses the mean. */
static void test_mu_i(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.2, 0.0, 0.0};
    const sab_mu_i mu_i = {.resting = 0.3, .flowing = 0.7, .I0 = 0.2, .grain = 0.1};
    body b = make_body(&grid, false);
    const int last = b.mesh->nelements - 1;

    for (int n = 0; n < b.mesh->nnodes; n++)
        b.U[2 * n] = b.mesh->x[2 * n + 1] * b.mesh->x[2 * n + 1];
    for (int q = 0; q < b.space->npoints; q++) {
        b.lambda[3 * q] = q / 3 == last ? 0.0 : 4.0 + 3.0 * (q % 3 - 1);
        b.friction[q] = 0.3; /* of the cone */
    }
    b.law.mu_i = &mu_i;
    sab_fields_update(b.fields, b.U, b.lambda, &b.law);
    double lowest = 1.0;
    int seen = 0;
    for (int i = 0; i < 6 * b.mesh->nelements; i++)
        lowest = fmin(lowest, b.fields->friction[i]);
    for (int e = 0; e <= last; e++) { /* the P1 function through the points, in bounds */
        const double xi[2] = {2.0 / 3.0, 1.0 / 6.0}; /* law point 1 */
        const double I = 0.1 * b.space->point[6 * e + 3];
        double value;

        sab_fields_at(b.fields, SAB_FIELD_INERTIAL_NUMBER, e, xi, &value);
        SAB_ASSERT_CLOSE(value, e == last ? 100.0 * 0.2 : I, 1e-12);
        sab_fields_at(b.fields, SAB_FIELD_FRICTION, e, xi, &value);
        bool cut = false; /* an extrapolated value was beyond all at the points */
        for (int i = 0; i < 6; i++)
            cut = cut || b.fields->friction[6 * e + i] == lowest;
        if (!cut)
            SAB_ASSERT_CLOSE(value, e == last ? 0.7 : 0.3 + 0.4 / (0.2 / I + 1.0), 1e-13);
        seen += !cut;
        for (int i = 0; i < 6; i++) {
            CU_ASSERT(b.fields->friction[6 * e + i] >= 0.3 && b.fields->friction[6 * e + i] <= 0.7);
            CU_ASSERT(b.fields->inertial_number[6 * e + i] >= 0.0);
            CU_ASSERT(b.fields->inertial_number[6 * e + i] <= 20.0);
        }
    }
    CU_ASSERT(seen > 2);
    b.law.mu_i = NULL;
    sab_fields_update(b.fields, b.U, b.lambda, &b.law);
    CU_ASSERT_EQUAL(b.fields->inertial_number[0], 0.0);
    free_body(&b);
}

/* Any stress, velocity and load: the parts of the force on a held wall add up to the total with the
 * load of its nodes, and the totals of all walls to the whole load. On a side with a traction the
 * total is minus its integral; contact and viscous parts are those of its nodes that no wall owns.
 */
static void try_force_parts(sab_boundary left)
{
    const sab_grid grid = {3, 3, 0, 0, 1, 1, 0.2, 0.0, 0.3};
    const sab_boundary boundary[4] = {
        {.group = "bottom", .has_velocity = true, .prescribed = {true, true}},
        {.group = "right", .has_velocity = true, .prescribed = {true, true}},
        left,
        {.group = "top",
         .has_traction = true,
         .traction = {sab_constant(0.5), sab_constant(-2.0)}}};
    body b = make_body(&grid, false);
    int group[4];
    sab_dofs *dofs = NULL;
    unsigned long long seed = 9;
    double *load = sab_alloc(sab_space_size(b.space), sizeof *load);
    double *F = sab_alloc(sab_space_size(b.space), sizeof *F), sum[2] = {0.0, 0.0};

    for (int i = 0; i < 4; i++)
        group[i] = sab_mesh_find_group(b.mesh, boundary[i].group);
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(b.mesh, &sab_geometry_plane, 0, 4, boundary, group, 0.0, &dofs, NULL),
        SAB_OK);
    for (int i = 0; i < 3 * b.space->npoints; i++)
        b.lambda[i] = sab_test_random(&seed);
    for (int q = 0; q < b.space->npoints; q++)
        b.viscosity[q] = 1.0 + sab_test_random(&seed);
    for (int i = 0; i < 2 * b.mesh->nnodes; i++) {
        b.U[i] = sab_test_random(&seed);
        load[i] = sab_test_random(&seed); /* gravity, inertia, whatever */
    }
    b.law.bulk = 0.5;
    sab_fields_update(b.fields, b.U, b.lambda, &b.law);
    /* in free directions the balance holds: make it so */
    sab_space_internal_force(b.space, b.fields->total, F);
    for (int i = 0; i < 2 * b.mesh->nnodes; i++)
        if (dofs->owner[i / 2] == SAB_NOBODY)
            load[i] = F[i];
    const sab_balance balance = {dofs, boundary, group, 0.0, load};
    for (int entry = 0; entry < 4; entry++) {
        double total[2], contact[2], viscous[2], rest[2] = {0.0, 0.0};

        sab_fields_force(b.fields, &balance, entry, SAB_FORCE_TOTAL, F, total, NULL);
        sab_fields_force(b.fields, &balance, entry, SAB_FORCE_CONTACT, F, contact, NULL);
        sab_fields_force(b.fields, &balance, entry, SAB_FORCE_VISCOUS, F, viscous, NULL);
        for (int n = 0; n < b.mesh->nnodes; n++) /* top: y = 1 before the turn */
            if (dofs->owner[n] == entry ||
                (entry == 3 && dofs->owner[n] == SAB_NOBODY &&
                 fabs(cos(0.3) * b.mesh->x[2 * n + 1] - sin(0.3) * b.mesh->x[2 * n] - 1.0) < 1e-12))
                for (int d = 0; d < 2; d++)
                    rest[d] += load[2 * n + d];
        for (int k = 0; k < 2 * dofs->nshares; k++) /* the two lower corners */
            for (int d = 0; d < 2 && dofs->share[k / 2].entry == entry; d++)
                rest[d] +=
                    dofs->share[k / 2].part[d][k % 2] * load[2 * dofs->share[k / 2].node + k % 2];
        if (entry == 3) { /* the load is what the stress balances, its own traction included */
            SAB_ASSERT_CLOSE(total[0], -0.5, 1e-12);
            SAB_ASSERT_CLOSE(total[1], 2.0, 1e-12);
            for (int d = 0; d < 2; d++)
                SAB_ASSERT_CLOSE(contact[d] + viscous[d], -rest[d], 1e-12);
        } else {
            for (int d = 0; d < 2; d++)
                SAB_ASSERT_CLOSE(total[d], contact[d] + viscous[d] + rest[d], 1e-12);
        }
        CU_ASSERT(fabs(contact[0]) > 1e-3 && fabs(viscous[0]) > 1e-3);
        for (int d = 0; d < 2; d++)
            sum[d] += total[d];
    }
    for (int i = 0; i < 2 * b.mesh->nnodes; i++)
        sum[i % 2] -= load[i];
    SAB_ASSERT_CLOSE(sum[0], -0.5, 1e-11); /* the traction acts as a load, and is returned */
    SAB_ASSERT_CLOSE(sum[1], 2.0, 1e-11);
    SAB_FREE(load);
    SAB_FREE(F);
    sab_dofs_destroy(&dofs);
    free_body(&b);
}

static void test_force_parts(void)
{
    sab_boundary left = {.group = "left", .has_velocity = true, .prescribed = {true, true}};

    try_force_parts(left);
    left.velocity[0] = sab_constant(1.0); /* gives way to the bottom, in one component */
    try_force_parts(left);
    try_force_parts((sab_boundary){.group = "left", .slip = true});
}

static double integral(const body *b, sab_integral which, double above)
{
    return sab_integral_of(b->fields, which, above, NULL);
}

/* u = (x^2 - y, 2xy + 1) on [0,2] x [0,1]: |u|^2 = x^4 - 2x^2y + y^2 + 4x^2y^2 + 4xy + 1 has the
 * integral 32/5 - 8/3 + 2/3 + 32/9 + 4 + 2, and D = ((2x, y - 1/2), (., 2x)), with the integrals
 * 32/3 of D_N^2 = 4x^2 and 1/6 of |D_T|^2 = (y - 1/2)^2. */
static void test_integrals(void)
{
    const sab_grid grid = {4, 3, 0, 0, 2, 1, 0.2, 0.0, 0.0};
    const double nu = 3.0, bulk = 0.25,
                 energy = 0.5 * (32.0 / 5 - 8.0 / 3 + 2.0 / 3 + 32.0 / 9 + 6);

    for (int bubbles = 0; bubbles < 2; bubbles++) {
        body b = make_body(&grid, bubbles != 0);
        double rate = 0.0;

        for (int n = 0; n < b.mesh->nnodes; n++) {
            const double x = b.mesh->x[2 * n], y = b.mesh->x[2 * n + 1];

            b.U[2 * n] = x * x - y;
            b.U[2 * n + 1] = 2.0 * x * y + 1.0;
        }
        for (int q = 0; q < b.space->npoints; q++) {
            b.viscosity[q] = nu;
            b.friction[q] = 0.5;
            b.yield[q] = 0.1;
            b.lambda[3 * q] = 2.0;
            rate += b.space->weight[q] * fabs(b.space->point[2 * q + 1] - 0.5);
        }
        b.law.bulk = bulk;
        sab_fields_update(b.fields, b.U, b.lambda, &b.law);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_KINETIC_ENERGY, 0.0), energy, 1e-12);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_VISCOUS_DISSIPATION, 0.0),
                         2.0 * nu * (bulk * 32.0 / 3 + 1.0 / 6), 1e-12);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_FRICTION_DISSIPATION, 0.0), 2.0 * 1.1 * rate,
                         1e-12);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_AREA, 0.0), 2.0, 1e-13);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_MOVING_AREA, 0.0), 2.0, 1e-13);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_MOVING_AREA, 10.0), 0.0, 1e-13);
        for (int e = 0; e < b.mesh->nelements; e++)
            b.fields->yielded[e] = e % 2 == 0 ? 1.0 / 3.0 : 0.0;
        double third = 0.0;
        for (int q = 0; q < b.space->npoints; q++)
            third += q / 3 % 2 == 0 ? b.space->weight[q] / 3.0 : 0.0;
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_YIELDED_AREA, 0.0), third, 1e-13);

        const sab_function gravity[2] = {sab_constant(3.0), sab_constant(0.0)};
        double *F = sab_alloc(sab_space_size(b.space), sizeof *F);
        sab_space_body_force(b.space, gravity, 0.0, F, NULL);
        SAB_ASSERT_CLOSE(sab_integral_of(b.fields, SAB_INTEGRAL_GRAVITY_POWER, 0.0, F),
                         3.0 * (8.0 / 3 - 1.0), 1e-12); /* int x^2 - y */
        SAB_FREE(F);
        free_body(&b);
    }
}

/* Bubbles alone, c b in every triangle: int b^2 = 81/280 |K|, int b = 9/20 |K|, and for c = e_x
 * int D:D = int (d_x b)^2 + (d_y b)^2/2 against the degree-6 rule on the true gradient. */
static void test_bubble_integrals(void)
{
    const sab_grid grid = {3, 2, 0, 0, 2, 1, 0.2, 0.0, 0.4};
    body b = make_body(&grid, true);
    const double c[2] = {2.0, -1.0}, nu = 1.5;
    double power = 0.0;

    for (int e = 0; e < b.mesh->nelements; e++)
        for (int i = 0; i < 2; i++)
            b.U[2 * (b.mesh->nnodes + e) + i] = c[i];
    for (int q = 0; q < b.space->npoints; q++)
        b.viscosity[q] = nu;
    b.law.bulk = 0.5;
    sab_fields_update(b.fields, b.U, b.lambda, &b.law);
    SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_KINETIC_ENERGY, 0.0), 0.5 * 5.0 * 81.0 / 280.0 * 2.0,
                     1e-13);
    for (int e = 0; e < b.mesh->nelements; e++)
        for (int q = 0; q < sab_rule(&sab_cell_triangle, 6)->n; q++) {
            double gradient[1][SAB_DIM], *g = gradient[0];
            sab_p2 p;

            sab_p2_at(b.mesh, e, sab_rule(&sab_cell_triangle, 6)->xi[q], &p);
            sab_bubble_gradient(sab_rule(&sab_cell_triangle, 6)->xi[q], &p, gradient);
            const double N = 0.5 * (c[0] * g[0] + c[1] * g[1]);
            const double T[2] = {0.5 * (c[0] * g[0] - c[1] * g[1]),
                                 0.5 * (c[0] * g[1] + c[1] * g[0])};
            power += p.det * sab_rule(&sab_cell_triangle, 6)->weight[q] * 2.0 * nu *
                     (0.5 * N * N + T[0] * T[0] + T[1] * T[1]);
        }
    SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_VISCOUS_DISSIPATION, 0.0), power, 1e-12);
    free_body(&b);
}

/* The pressure has an error where all points of an element flow, and only there. */
static void test_pressure_error(void)
{
    const sab_grid grid = {4, 2, 0, 0, 2, 1, 0.0, 0.0, 0.0};
    const sab_function exact = sab_constant(3.0);
    body b = make_body(&grid, false);
    double pressure[16], yielded[16], error, size;

    for (int e = 0; e < 16; e++) {
        yielded[e] = e < 4 ? 1.0 : e < 8 ? 2.0 / 3.0 : 0.0;
        pressure[e] = e < 4 ? 5.0 : 1e3;
    }
    CU_ASSERT_EQUAL(
        sab_exact_pressure(b.space, pressure, yielded, &exact, 0.0, &error, &size, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(error, 2.0 * sqrt(0.5), 1e-13); /* on a quarter of the area 2 */
    SAB_ASSERT_CLOSE(size, 3.0 * sqrt(0.5), 1e-13);
    free_body(&b);
}

/* Component *data of (yz, xz, xy), or about an axis of (rz, -z^2); both are in the space, and
 * neither changes volume. */
static sab_status in_space(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const int i = *(const int *)data;

    (void)err;
    *value = i == 0 ? at->y * at->z : i == 1 ? at->x * at->z : at->x * at->y;
    return SAB_OK;
}

static sab_status about_axis(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = *(const int *)data == 0 ? at->x * at->y : -at->y * at->y;
    return SAB_OK;
}

/* In the unit cube D has zeros on the diagonal and |D_T|^2 = x^2 + y^2 + z^2; about an axis, r <
 * 3/2 and z < 1, D = diag(z, -2z, z) and D_rz = r/2, |D_T|^2 = 3z^2 + r^2/4: integrals with r,
 * fields with the hoop, norms of the error. */
static void test_geometries(void)
{
    static int component[3] = {0, 1, 2};
    const double nu = 3.0, xi[3] = {0.3, 0.2, 0.1};

    for (int k = 0; k < 3; k++) {
        const bool round = k < 2;
        const sab_geometry *geometry = round ? &sab_geometry_axisymmetric : &sab_geometry_space;
        const int dim = geometry->dim, s = geometry->s;
        body b = {.mesh = round ? sab_grid_create(&(sab_grid){4, 3, 0, 0, 1.5, 1, 0.2, 0.0, 0.0})
                                : sab_grid_box(&(sab_box){
                                      .n = {3, 3, 2}, .high = {1, 1, 1}, .jitter = 0.1})};
        const sab_element *element = k == 0   ? &sab_element_p2
                                     : k == 1 ? &sab_element_p2b
                                              : &sab_element_p2nb;
        sab_function exact[3], gravity[3] = {{0}};
        sab_error_norms norms;
        double value[6];
        sab_p2 p;

        CU_ASSERT_EQUAL_FATAL(sab_space_create(b.mesh, element, geometry, &b.space, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_fields_create(b.space, &b.fields, NULL), SAB_OK);
        b.U = sab_alloc(sab_space_size(b.space), sizeof *b.U);
        b.lambda = sab_alloc((size_t)(s * b.space->npoints), sizeof *b.lambda);
        b.friction = sab_alloc((size_t)b.space->npoints, sizeof *b.friction);
        b.viscosity = sab_alloc((size_t)b.space->npoints, sizeof *b.viscosity);
        b.law = (sab_point_law){
            .friction = b.friction, .yield = b.friction, .viscosity = b.viscosity, .bulk = 1.0};
        for (int q = 0; q < b.space->npoints; q++)
            b.viscosity[q] = nu;
        for (int i = 0; i < dim; i++)
            exact[i] = (sab_function){.call = round ? about_axis : in_space, .data = &component[i]};
        for (int i = 0; i < dim * b.mesh->nnodes; i++) {
            const sab_vars at = sab_vars_at(dim, sab_mesh_x(b.mesh, i / dim), 0.0);

            exact[i % dim].call(&component[i % dim], &at, &b.U[i], NULL);
        }
        sab_fields_update(b.fields, b.U, b.lambda, &b.law);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_VOLUME, 0.0), round ? 1.125 : 1.0, 1e-13);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_MOVING_VOLUME, 100.0), 0.0, 1e-13);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_KINETIC_ENERGY, 0.0),
                         round ? 0.5 * (0.421875 + 0.225) : 1.0 / 6.0, 1e-13);
        SAB_ASSERT_CLOSE(integral(&b, SAB_INTEGRAL_VISCOUS_DISSIPATION, 0.0),
                         2.0 * nu * (round ? 1.125 + 0.31640625 : 1.0), 1e-12);
        gravity[dim - 1] = sab_constant(3.0);
        double *F = sab_alloc(sab_space_size(b.space), sizeof *F);
        sab_space_body_force(b.space, gravity, 0.0, F, NULL);
        SAB_ASSERT_CLOSE(sab_integral_of(b.fields, SAB_INTEGRAL_GRAVITY_POWER, 0.0, F),
                         3.0 * (round ? -0.375 : 0.25), 1e-13);
        sab_p2_at(b.mesh, 1, xi, &p);
        const double *x = p.x;
        sab_fields_at(b.fields, SAB_FIELD_STRESS, 1, xi, value);
        const double D[2][6] = {{x[1], -2.0 * x[1], x[1], 0.5 * x[0], 0.0, 0.0},
                                {0.0, 0.0, 0.0, x[2], x[0], x[1]}};
        for (int c = 0; c < 6; c++)
            SAB_ASSERT_CLOSE(value[c], nu * D[!round][c], 1e-12);
        CU_ASSERT_EQUAL(sab_fields_components(b.fields, SAB_FIELD_VELOCITY), dim);
        sab_fields_at(b.fields, SAB_FIELD_VELOCITY, 1, xi, value);
        SAB_ASSERT_CLOSE(value[0], round ? x[0] * x[1] : x[1] * x[2], 1e-13);
        SAB_ASSERT_CLOSE(value[dim - 1], round ? -x[1] * x[1] : x[0] * x[1], 1e-13);
        CU_ASSERT_EQUAL(sab_exact_velocity(b.space, b.U, exact, 0.0, &norms, NULL), SAB_OK);
        SAB_ASSERT_CLOSE(norms.L2, 0.0, 1e-13);
        SAB_ASSERT_CLOSE(norms.H1, 0.0, 1e-10);
        for (int n = 0; n < b.mesh->nnodes; n++)
            b.U[dim * n + dim - 1] += 2.0;
        CU_ASSERT_EQUAL(sab_exact_velocity(b.space, b.U, exact, 0.0, &norms, NULL), SAB_OK);
        SAB_ASSERT_CLOSE(norms.L2, 2.0 * sqrt(round ? 1.125 : 1.0), 1e-13);
        SAB_ASSERT_CLOSE(norms.Linf, 2.0, 1e-13);
        SAB_FREE(F);
        free_body(&b);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"locate", test_locate},
                                     {"error norms", test_error_norms},
                                     {"fields of a simple shear", test_fields_of_shear},
                                     {"mu(I) from element means", test_mu_i},
                                     {"parts of a force", test_force_parts},
                                     {"integrals of a P2 velocity", test_integrals},
                                     {"integrals of bubbles", test_bubble_integrals},
                                     {"error of the pressure", test_pressure_error},
                                     {"about an axis and in space", test_geometries}};

    return SAB_TEST_MAIN("fem/fields", tests);
}

#include "unit.h"

#include "base/memory.h"
#include "fem/exact.h"
#include "fem/fields.h"
#include "fem/locate.h"
#include "fem/p2.h"
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
    const sab_function exact[2] = {{0.0, quadratic, NULL}, {0.0, quadratic, &other}};
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U);
    sab_error_norms norms;

    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, &sab_geometry_plane, &space, NULL), SAB_OK);
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

    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, &sab_geometry_plane, &space, NULL), SAB_OK);
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
    sab_point_law law = {friction, yield, viscosity, 1.0, 1e-3};
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
    SAB_FREE(U);
    SAB_FREE(lambda);
    SAB_FREE(friction);
    SAB_FREE(yield);
    SAB_FREE(viscosity);
    sab_fields_destroy(&fields);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"locate", test_locate},
                                     {"error norms", test_error_norms},
                                     {"fields of a simple shear", test_fields_of_shear}};

    return SAB_TEST_MAIN("fem/fields", tests);
}

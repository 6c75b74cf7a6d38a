/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/recovery.h"
#include "grid.h"

#include <math.h>

static const sab_grid jittered = {6, 5, -1, 0, 2, 1, 0.15, 0.0, 0.7};

static double linear(const double *x)
{
    return 2.0 - 3.0 * x[0] + 0.5 * x[1];
}

static sab_mesh *split(sab_mesh *coarse)
{
    sab_mesh *fine = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &fine, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    return fine;
}

/* Functions that are linear everywhere are their own recovery, on plain and split meshes: three at
 * once, with another one between them that is noise. */
static void test_linear(void)
{
    for (int k = 0; k < 2; k++) {
        sab_mesh *mesh = sab_grid_create(&jittered);
        sab_space *space = NULL;
        sab_recovery *recovery = NULL;
        unsigned long long seed = 5;

        if (k == 1)
            mesh = split(mesh);
        CU_ASSERT_EQUAL_FATAL(
            sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_recovery_create(space, &recovery, NULL), SAB_OK);
        double *value = sab_alloc(3 * (size_t)space->npoints, sizeof *value);
        double *nodal = sab_alloc(3 * (size_t)mesh->nnodes, sizeof *nodal);

        for (int q = 0; q < space->npoints; q++) {
            value[3 * q] = linear(space->point + 2 * q);
            value[3 * q + 1] = sab_test_random(&seed);
            value[3 * q + 2] = 4.0 - 2.0 * value[3 * q];
        }
        CU_ASSERT_EQUAL(sab_recovery_project(recovery, 3, value, nodal, NULL), SAB_OK);
        for (int n = 0; n < mesh->nnodes; n++) {
            SAB_ASSERT_CLOSE(nodal[3 * n], linear(mesh->x + 2 * n), 1e-13);
            SAB_ASSERT_CLOSE(nodal[3 * n + 2], 4.0 - 2.0 * linear(mesh->x + 2 * n), 1e-13);
        }
        SAB_FREE(value);
        SAB_FREE(nodal);
        sab_recovery_destroy(&recovery);
        CU_ASSERT_PTR_NULL(recovery);
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
}

/* Split meshes and bubbles are stable; meshes of a few triangles, or in which all but one triangle
 * are thirds, are not. */
/* About an axis, with r in both sides and elements on it, and in space: linear functions again. */
static void test_geometries(void)
{
    static const sab_element *const element[3] = {&sab_element_p2, &sab_element_p2b,
                                                  &sab_element_p2nb};

    for (int k = 0; k < 3; k++) {
        sab_mesh *mesh =
            k < 2
                ? sab_grid_create(&(sab_grid){5, 4, 0, -1, 2, 1, 0.2, 0.0, 0.0})
                : sab_grid_box(&(sab_box){
                      .n = {3, 2, 3}, .high = {1, 1, 1}, .jitter = 0.1, .rotation = {0.4, 0.1, 1}});
        const sab_geometry *geometry = k < 2 ? &sab_geometry_axisymmetric : &sab_geometry_space;
        const int dim = geometry->dim;
        sab_space *space = NULL;
        sab_recovery *recovery = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element[k], geometry, &space, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_recovery_create(space, &recovery, NULL), SAB_OK);
        double *value = sab_alloc((size_t)space->npoints, sizeof *value);
        double *nodal = sab_alloc((size_t)mesh->nnodes, sizeof *nodal);
        for (int q = 0; q < space->npoints; q++)
            value[q] =
                linear(space->point + dim * q) + (dim == 3 ? 3.0 * space->point[dim * q + 2] : 0.0);
        CU_ASSERT_EQUAL(sab_recovery_project(recovery, 1, value, nodal, NULL), SAB_OK);
        for (int n = 0; n < mesh->nnodes; n++) {
            const double *x = sab_mesh_x(mesh, n);

            SAB_ASSERT_CLOSE(nodal[n], linear(x) + (dim == 3 ? 3.0 * x[2] : 0.0), 1e-12);
        }
        CU_ASSERT_EQUAL(sab_recovery_is_stable(space), k > 0);
        SAB_FREE(value);
        SAB_FREE(nodal);
        sab_recovery_destroy(&recovery);
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
}

static void test_stable(void)
{
    for (int k = 0; k < 3; k++) {
        const sab_grid grid = {1 + k, 1, 0, 0, 1, 1, 0.0, 0.0, 0.0};
        sab_mesh *mesh = sab_grid_create(k < 2 ? &grid : &jittered);
        sab_space *space = NULL;

        CU_ASSERT_EQUAL_FATAL(
            sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
        CU_ASSERT_FALSE(sab_recovery_is_stable(space));
        space->element = &sab_element_p2b;
        CU_ASSERT(sab_recovery_is_stable(space));
        sab_space_destroy(&space);
        mesh = split(mesh);
        CU_ASSERT_EQUAL_FATAL(
            sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
        CU_ASSERT(sab_recovery_is_stable(space));
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
    /* a triangle in thirds, and one beside it that is whole */
    const double corner[5][2] = {{0, 0}, {1, 0}, {0, 1}, {1.0 / 3, 1.0 / 3}, {1, 1}};
    const int triangle[4][3] = {{0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {1, 4, 2}};
    sab_mesh *mesh = NULL;
    sab_space *space = NULL;
    double *x = sab_alloc(2 * 13, sizeof *x);
    int *element = sab_alloc(4 * 6, sizeof *element), middle[5][5] = {{0}}, n = 5;

    for (int i = 0; i < 10; i++)
        x[i] = corner[i / 2][i % 2];
    for (int i = 0; i < 12; i++) {
        const int a = triangle[i / 3][i % 3], b = triangle[i / 3][(i + 1) % 3];

        if (middle[a][b] == 0) {
            for (int d = 0; d < 2; d++)
                x[2 * n + d] = 0.5 * (corner[a][d] + corner[b][d]);
            middle[a][b] = middle[b][a] = n++;
        }
        element[6 * (i / 3) + i % 3] = a;
        element[6 * (i / 3) + 3 + i % 3] = middle[a][b];
    }
    CU_ASSERT_EQUAL_FATAL(n, 13);
    CU_ASSERT_EQUAL_FATAL(sab_mesh_create(&sab_cell_triangle, 13, x, 4, element, &mesh, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    CU_ASSERT_FALSE(sab_recovery_is_stable(space));
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* The recovery of any function has its integrals against all linear functions, and what is left
 * over is orthogonal to it: |f|^2 = |Rf|^2 + |f - Rf|^2. */
static void test_projection(void)
{
    sab_mesh *mesh = sab_grid_create(&jittered);
    sab_space *space = NULL;
    sab_recovery *recovery = NULL;
    unsigned long long seed = 3;
    double f2 = 0.0, R2 = 0.0, rest2 = 0.0, moment[3] = {0.0}, exact[3] = {0.0};

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_recovery_create(space, &recovery, NULL), SAB_OK);
    double *value = sab_alloc((size_t)space->npoints, sizeof *value);
    double *nodal = sab_alloc((size_t)mesh->nnodes, sizeof *nodal);

    for (int q = 0; q < space->npoints; q++)
        value[q] = sab_test_random(&seed);
    CU_ASSERT_EQUAL(sab_recovery_project(recovery, 1, value, nodal, NULL), SAB_OK);
    for (int q = 0; q < space->npoints; q++) {
        const int *node = mesh->element + 6 * (q / 3);
        const double w = space->weight[q], *x = space->point + 2 * q;
        double R = 0.0; /* law point q lies near corner q: 2/3, 1/6, 1/6 */

        for (int i = 0; i < 3; i++)
            R += nodal[node[i]] * (i == q % 3 ? 2.0 / 3.0 : 1.0 / 6.0);
        f2 += w * value[q] * value[q];
        R2 += w * R * R;
        rest2 += w * (value[q] - R) * (value[q] - R);
        for (int i = 0; i < 3; i++) {
            moment[i] += w * R * (i == 0 ? 1.0 : x[i - 1]);
            exact[i] += w * value[q] * (i == 0 ? 1.0 : x[i - 1]);
        }
    }
    SAB_ASSERT_CLOSE(f2, R2 + rest2, 1e-13);
    for (int i = 0; i < 3; i++)
        SAB_ASSERT_CLOSE(moment[i], exact[i], 1e-13);
    for (int e = 0; e < mesh->nelements; e++) /* middles are the mean of their ends */
        for (int i = 0; i < 3; i++) {
            const int *node = mesh->element + 6 * e;

            SAB_ASSERT_CLOSE(nodal[node[3 + i]], 0.5 * (nodal[node[i]] + nodal[node[(i + 1) % 3]]),
                             1e-14);
        }
    SAB_FREE(value);
    SAB_FREE(nodal);
    sab_recovery_destroy(&recovery);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* Simple shear with unit stress and the pressure 5 + a z, z = (1, 1, -2) at the three points of
 * each element, which has no mean: the oscillation grows with a, whatever the pressure's level;
 * without flow there is none. */
static void test_oscillation(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;
    sab_fields *fields = NULL;
    sab_recovery *recovery = NULL;
    double found[3];

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_fields_create(space, &fields, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_recovery_create(space, &recovery, NULL), SAB_OK);
    const size_t points = (size_t)space->npoints;
    double *U = sab_alloc(sab_space_size(space), sizeof *U);
    double *lambda = sab_alloc(3 * points, sizeof *lambda);
    double *zero = sab_alloc(points, sizeof *zero), *viscosity = sab_alloc(points, sizeof *zero);
    const sab_point_law law = {
        .friction = zero, .yield = zero, .viscosity = viscosity, .bulk = 1.0};

    for (int n = 0; n < mesh->nnodes; n++)
        U[2 * n] = 2.0 * mesh->x[2 * n + 1];
    for (size_t q = 0; q < points; q++)
        viscosity[q] = 1.0;
    for (int k = 0; k < 3; k++) {
        sab_recovered r;

        for (size_t q = 0; q < points; q++)
            lambda[3 * q] = (k == 2 ? 500.0 : 5.0) + (k == 0 ? 0.1 : 1.0) * (q % 3 == 2 ? -2 : 1);
        sab_fields_update(fields, U, lambda, &law);
        CU_ASSERT_EQUAL(sab_recovery_pressure(recovery, fields, &r, NULL), SAB_OK);
        found[k] = r.oscillation;
    }
    CU_ASSERT(found[0] > 0.05 && found[0] < sqrt(2.0) * 0.1);
    SAB_ASSERT_CLOSE(found[1], 10.0 * found[0], 1e-12);
    SAB_ASSERT_CLOSE(found[2], found[1], 1e-10);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        U[i] = 0.0;
    sab_recovered r;
    sab_fields_update(fields, U, lambda, &law);
    CU_ASSERT_EQUAL(sab_recovery_pressure(recovery, fields, &r, NULL), SAB_OK);
    CU_ASSERT(isnan(r.oscillation));
    SAB_FREE(U);
    SAB_FREE(lambda);
    SAB_FREE(zero);
    SAB_FREE(viscosity);
    sab_recovery_destroy(&recovery);
    sab_fields_destroy(&fields);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

static void test_out_of_memory(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_space *space = NULL;
    bool reached = true;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    for (int k = 0; reached; k++) {
        sab_recovery *recovery = NULL;

        sab_memory.failing = k;
        const sab_status status = sab_recovery_create(space, &recovery, NULL);
        reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(status, reached ? SAB_ERR_MEMORY : SAB_OK);
        CU_ASSERT_EQUAL(recovery == NULL, reached);
        sab_recovery_destroy(&recovery);
    }
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"linear functions", test_linear},
        {"linear functions about an axis and in space", test_geometries},
        {"stable pairs", test_stable},
        {"orthogonal projection", test_projection},
        {"oscillation of the pressure", test_oscillation},
        {"out of memory", test_out_of_memory}};

    return SAB_TEST_MAIN("fem/recovery", tests);
}

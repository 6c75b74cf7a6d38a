/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and fluxes of sides in every geometry: the flux through the whole boundary is the integral
 * of the divergence as the law sees it, and a pressure works against this flux. */
#include "unit.h"

#include "base/memory.h"
#include "fem/flux.h"
#include "grid.h"

#include <math.h>
#include <string.h>

typedef struct body {
    sab_mesh *mesh;
    sab_space *space;
    sab_boundary boundary[6]; /* of all groups: pressure 3 */
    int group[6];
    double *U, *F;
    size_t size;
} body;

/* Sides outside the axis get curved, by a shift of their middles along (1, 2, 3). */
static void bend(sab_mesh *mesh, double shift)
{
    const int dim = mesh->cell->dim, corners = mesh->cell->facet->corners;

    for (int f = 0; f < mesh->nfacets; f++)
        for (int a = corners; a < mesh->cell->facet->nodes; a++) {
            double *x = sab_mesh_x(mesh, sab_mesh_facet(mesh, f)[a]);

            for (int i = 0; i < dim && x[0] > 0.0; i++)
                x[i] += shift * (i + 1) * cos(3.0 * f + a);
        }
}

static body make(const sab_geometry *geometry, const sab_element *element, bool curved)
{
    const double bulge = curved ? 0.04 : 0.0;
    const sab_grid grid = {3, 3, 0, 0, 1, 2, 0.2, bulge, 0.0};
    const sab_box box = {{2, 2, 1}, {0.0, 0.0, 0.0}, {1.0, 2.0, 0.8}, 0.1, bulge, {0.3, -0.5, 0.4}};
    unsigned long long seed = 3;
    body b = {.mesh = geometry->dim == 2 ? sab_grid_create(&grid) : sab_grid_box(&box)};

    bend(b.mesh, 0.25 * bulge);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(b.mesh, element, geometry, &b.space, NULL), SAB_OK);
    b.size = sab_space_size(b.space);
    b.U = sab_alloc(b.size, sizeof *b.U);
    b.F = sab_alloc(b.size, sizeof *b.F);
    for (size_t i = 0; i < b.size; i++)
        b.U[i] = sab_test_random(&seed) - 0.5;
    for (int g = 0; g < b.mesh->ngroups; g++) {
        b.group[g] = g;
        b.boundary[g] = (sab_boundary){.has_pressure = true, .pressure = sab_constant(3.0)};
    }
    return b;
}

static void destroy(body *b)
{
    sab_space_destroy(&b->space);
    sab_mesh_destroy(&b->mesh);
    SAB_FREE(b->U);
    SAB_FREE(b->F);
}

static double whole_flux(const body *b)
{
    double flux = 0.0;

    for (int g = 0; g < b->mesh->ngroups; g++)
        flux += sab_boundary_flux(b->space, g, b->U);
    return flux;
}

static const struct {
    const sab_geometry *geometry;
    const sab_element *element;
} table[] = {{&sab_geometry_plane, &sab_element_p2},
             {&sab_geometry_plane, &sab_element_p2b},
             {&sab_geometry_axisymmetric, &sab_element_p2},
             {&sab_geometry_axisymmetric, &sab_element_p2b},
             {&sab_geometry_space, &sab_element_p2nb}};

enum { KINDS = sizeof table / sizeof table[0] };

/* sum_q w_q sqrt(2d) gamma_N = int u.n, for any velocity, on straight and curved elements. */
static void test_divergence(void)
{
    for (int k = 0; k < 2 * KINDS; k++) {
        body b = make(table[k / 2].geometry, table[k / 2].element, k % 2 == 1);
        const int s = b.space->geometry->s;
        double *gamma = sab_alloc((size_t)(s * b.space->npoints), sizeof *gamma), sum = 0.0;

        sab_space_strain_rate(b.space, b.U, gamma);
        for (int q = 0; q < b.space->npoints; q++)
            sum += b.space->weight[q] * sab_geometry_trace(b.space->geometry) * gamma[s * q];
        CU_ASSERT(fabs(sum) > 0.01);
        SAB_ASSERT_CLOSE(whole_flux(&b), sum, 1e-12);
        SAB_FREE(gamma);
        destroy(&b);
    }
}

/* A uniform pressure on a closed boundary has no resultant, about an axis none along it; its power
 * is -p times the flux, face functions included. */
static void test_pressure(void)
{
    for (int k = 0; k < 2 * KINDS; k++) {
        body b = make(table[k / 2].geometry, table[k / 2].element, k % 2 == 1);
        const int dim = b.mesh->cell->dim;
        double sum[SAB_DIM] = {0.0}, power = 0.0;

        CU_ASSERT_EQUAL_FATAL(
            sab_boundary_load(b.space, b.mesh->ngroups, b.boundary, b.group, 0.0, b.F, NULL),
            SAB_OK);
        for (int i = 0; i < dim * b.mesh->nnodes; i++)
            sum[i % dim] += b.F[i];
        for (int i = b.space->geometry->axis; i < dim; i++)
            SAB_ASSERT_CLOSE(sum[i], 0.0, 1e-13);
        for (size_t i = 0; i < b.size; i++)
            power += b.F[i] * b.U[i];
        SAB_ASSERT_CLOSE(power, -3.0 * whole_flux(&b), 1e-12);
        destroy(&b);
    }
}

/* A traction on one side of a box has its area as a resultant, and the face functions get their
 * 9/20 of the area; a uniform velocity leaves through one side. */
static void test_box(void)
{
    const sab_box box = {{2, 2, 1}, {0.0, 0.0, 0.0}, {1.0, 2.0, 0.8}, 0.0, 0.0, {0.0, 0.0, 0.0}};
    const sab_boundary traction = {
        .has_traction = true,
        .traction = {sab_constant(1.0), sab_constant(-2.0), sab_constant(5.0)}};
    sab_mesh *mesh = sab_grid_box(&box);
    const int top = sab_mesh_find_group(mesh, "top");
    sab_space *space = NULL;
    double sum[SAB_DIM] = {0.0}, faces = 0.0;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2nb, &sab_geometry_space, &space, NULL), SAB_OK);
    double *F = sab_alloc(sab_space_size(space), sizeof *F);
    double *U = sab_alloc(sab_space_size(space), sizeof *U);
    CU_ASSERT_EQUAL_FATAL(sab_boundary_load(space, 1, &traction, &top, 0.0, F, NULL), SAB_OK);
    for (int i = 0; i < SAB_DIM * mesh->nnodes; i++)
        sum[i % SAB_DIM] += F[i];
    for (int i = 0; i < SAB_DIM; i++)
        SAB_ASSERT_CLOSE(sum[i], 2.0 * traction.traction[i].constant, 1e-14);
    for (int side = 0; side < mesh->nsides; side++)
        faces += F[SAB_DIM * (mesh->nnodes + side) + 2];
    SAB_ASSERT_CLOSE(faces, 0.45 * 2.0 * 5.0, 1e-14);
    for (int n = 0; n < mesh->nnodes; n++)
        U[SAB_DIM * n + 2] = -0.5;
    SAB_ASSERT_CLOSE(sab_boundary_outflow(space, U), 1.0, 1e-14);
    SAB_ASSERT_CLOSE(sab_boundary_flux(space, top, U), -1.0, 1e-14);
    SAB_FREE(F);
    SAB_FREE(U);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"flux and divergence", test_divergence},
                                     {"pressure on the whole boundary", test_pressure},
                                     {"sides of a box", test_box}};

    return SAB_TEST_MAIN("fem/flux", tests);
}

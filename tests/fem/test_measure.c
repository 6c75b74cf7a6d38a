/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The measure of a geometry is in every integral over the domain and over sides: here it is x, as
 * about an axis, on 1 < x < 2, 0 < y < 1, where int x dx dy = 3/2. What is no integral, the size of
 * an element, does not have it. */
#include "unit.h"

#include "base/memory.h"
#include "fem/exact.h"
#include "fem/flux.h"
#include "fem/inflow.h"
#include "fem/integral.h"
#include "fem/mass.h"
#include "fem/wall.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static double distance(const double *x)
{
    return x[0];
}

static const sab_grid grid = {3, 2, 1, 0, 2, 1, 0.2, 0.0, 0.0};
static char names[4][8] = {"bottom", "right", "top", "left"};

typedef struct body {
    sab_geometry geometry;
    sab_mesh *mesh;
    sab_space *space;
    sab_dofs *dofs;
    sab_boundary boundary[4];
    int group[4];
    double *F, *U, *sigma;
} body;

static void make_body(body *b)
{
    sab_boundary_report report;

    memset(b, 0, sizeof *b);
    b->geometry = sab_geometry_plane;
    b->geometry.measure = distance;
    b->mesh = sab_grid_create(&grid);
    for (int i = 0; i < 4; i++)
        b->boundary[i] =
            (sab_boundary){.group = names[i], .has_pressure = true, .pressure = sab_constant(1.0)};
    CU_ASSERT_EQUAL_FATAL(
        sab_boundary_match(b->mesh, &b->geometry, 4, b->boundary, b->group, &report, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(b->mesh, &b->geometry, 0, 4, b->boundary, b->group, 0.0, &b->dofs, NULL),
        SAB_OK);
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(b->mesh, &sab_element_p2b, &b->geometry, &b->space, NULL), SAB_OK);
    b->F = sab_alloc(sab_space_size(b->space), sizeof *b->F);
    b->sigma = sab_alloc(3 * (size_t)b->mesh->nnodes, sizeof *b->sigma);
    b->U = sab_alloc(sab_space_size(b->space), sizeof *b->U);
}

static void free_body(body *b)
{
    SAB_FREE(b->F);
    SAB_FREE(b->sigma);
    SAB_FREE(b->U);
    sab_space_destroy(&b->space);
    sab_dofs_destroy(&b->dofs);
    sab_mesh_destroy(&b->mesh);
}

/* U = (u, v), constant. */
static void fill(body *b, double u, double v)
{
    memset(b->U, 0, sab_space_size(b->space) * sizeof *b->U);
    for (int n = 0; n < b->mesh->nnodes; n++) {
        b->U[2 * n] = u;
        b->U[2 * n + 1] = v;
    }
}

/* Component i of the sum of all nodal forces. */
static double total(const body *b, int i)
{
    double sum = 0.0;

    for (int n = 0; n < b->mesh->nnodes; n++)
        sum += b->F[2 * n + i];
    return sum;
}

static void test_volume(void)
{
    const sab_function gravity[2] = {sab_constant(0.0), sab_constant(-1.0)};
    const sab_function velocity[2] = {sab_constant(1.0), sab_constant(0.0)};
    const sab_function pressure = sab_constant(2.0);
    body b;
    sab_mass *mass = NULL;
    sab_error_norms norms;
    double sum = 0.0, L2, exact_L2;

    make_body(&b);
    for (int q = 0; q < b.space->npoints; q++)
        sum += b.space->weight[q];
    SAB_ASSERT_CLOSE(sum, 1.5, 1e-14);
    CU_ASSERT_EQUAL_FATAL(sab_mass_create(b.space, b.dofs, &mass, NULL), SAB_OK);
    double *v = sab_alloc(2 * (size_t)mass->at->n, sizeof *v);
    fill(&b, 1.0, 0.0);
    sab_mass_interpolate(b.space, b.U, v);
    SAB_ASSERT_CLOSE(sab_mass_square(mass, v), 1.5, 1e-14);
    SAB_FREE(v);
    CU_ASSERT_EQUAL_FATAL(sab_space_body_force(b.space, gravity, 0.0, b.F, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(total(&b, 1), -1.5, 1e-14);
    SAB_ASSERT_CLOSE(total(&b, 0), 0.0, 1e-14);
    CU_ASSERT_EQUAL_FATAL(sab_exact_velocity(b.space, b.U, velocity, 0.0, &norms, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(norms.exact_L2, sqrt(1.5), 1e-14);
    double *p = sab_alloc((size_t)b.mesh->nelements, sizeof *p);
    CU_ASSERT_EQUAL_FATAL(
        sab_exact_pressure(b.space, p, NULL, &pressure, 0.0, &L2, &exact_L2, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(exact_L2, 2.0 * sqrt(1.5), 1e-14);
    SAB_FREE(p);
    sab_mass_destroy(&mass);
    free_body(&b);
}

static void test_fields(void)
{
    double courant[2];

    for (int plane = 0; plane < 2; plane++) {
        body b;
        sab_fields *f = NULL;

        make_body(&b);
        sab_space_destroy(&b.space);
        CU_ASSERT_EQUAL_FATAL(sab_space_create(b.mesh, &sab_element_p2b,
                                               plane ? &sab_geometry_plane : &b.geometry, &b.space,
                                               NULL),
                              SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_fields_create(b.space, &f, NULL), SAB_OK);
        const size_t n = (size_t)b.space->npoints;
        double *lambda = sab_alloc(3 * n, sizeof *lambda), *zero = sab_alloc(n, sizeof *zero);
        const sab_point_law law = {
            .friction = zero, .yield = zero, .viscosity = zero, .rate = zero, .bulk = 1.0};
        fill(&b, 1.0, 0.0);
        sab_fields_update(f, b.U, lambda, &law);
        courant[plane] = sab_fields_courant(f, 0.1);
        if (!plane) {
            SAB_ASSERT_CLOSE(sab_integral_of(f, SAB_INTEGRAL_KINETIC_ENERGY, 0.0, NULL), 0.75,
                             1e-14);
            SAB_ASSERT_CLOSE(sab_integral_of(f, SAB_INTEGRAL_MOVING_AREA, 0.5, NULL), 1.5, 1e-14);
            SAB_ASSERT_CLOSE(sab_integral_of(f, SAB_INTEGRAL_AREA, 0.0, NULL), 1.5, 1e-14);
        }
        SAB_FREE(lambda);
        SAB_FREE(zero);
        sab_fields_destroy(&f);
        free_body(&b);
    }
    SAB_ASSERT_CLOSE(courant[0], courant[1], 1e-14);
}

/* Loads, fluxes and the stress of a wall; that of a constant pressure is this pressure. */
static void test_sides(void)
{
    static const double length[4] = {1.5, 2.0, 1.5, 1.0}; /* int x ds */
    static const double normal[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    body b;

    make_body(&b);
    for (int g = 0; g < 4; g++) {
        sab_wall_trace *wall = NULL;
        double stress[64];

        memset(b.F, 0, sab_space_size(b.space) * sizeof *b.F);
        CU_ASSERT_EQUAL_FATAL(
            sab_boundary_load(b.space, 1, b.boundary + g, b.group + g, 0.0, b.F, NULL), SAB_OK);
        for (int i = 0; i < 2; i++)
            SAB_ASSERT_CLOSE(total(&b, i), -length[g] * normal[g][i], 1e-14);
        CU_ASSERT_EQUAL_FATAL(
            sab_wall_create(b.mesh, &b.geometry, b.group[g], b.dofs->owner, g, 0, &wall, NULL),
            SAB_OK);
        sab_wall_stress(wall, b.F, stress);
        for (int k = 0; k < wall->nrows; k++)
            SAB_ASSERT_CLOSE(stress[2 * k], -1.0, 1e-14);
        sab_wall_destroy(&wall);
        for (int n = 0; n < b.mesh->nnodes; n++) /* sigma = -1 */
            memcpy(b.sigma + 3 * n, (const double[3]){-1.0, 0.0, 0.0}, 3 * sizeof(double));
        sab_wall_force(b.mesh, b.group[g], &b.geometry, b.sigma, stress);
        for (int i = 0; i < 2; i++)
            SAB_ASSERT_CLOSE(stress[i], length[g] * normal[g][i], 1e-14);
        fill(&b, normal[g][0], normal[g][1]);
        SAB_ASSERT_CLOSE(sab_boundary_flux(b.space, b.group[g], b.U), length[g], 1e-14);
        SAB_ASSERT_CLOSE(sab_boundary_outflow(b.space, b.U), length[g], 1e-14);
    }
    free_body(&b);
}

/* int 1/2 |u.n| |u|^2 of what enters, times x. */
static void test_inflow(void)
{
    body b;
    sab_blocks *B = NULL;
    sab_sparse *A = NULL;
    sab_inflow *inflow = NULL;
    double brought;

    make_body(&b);
    double *k = sab_alloc(3 * (size_t)b.space->npoints, sizeof *k);
    int *part = sab_alloc((size_t)b.mesh->nfacets, sizeof *part);
    CU_ASSERT_EQUAL_FATAL(sab_space_strain(b.space, b.dofs, &B, k, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, true, &A, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_inflow_create(b.space, b.dofs, 1, part, A, &inflow, NULL), SAB_OK);
    fill(&b, -1.0, 0.0); /* enters at the right, where x = 2 */
    sab_inflow_update(inflow, b.U);
    const double power = sab_inflow_power(inflow, b.U, &brought);
    SAB_ASSERT_CLOSE(power + brought, 0.5 * 2.0, 1e-14);
    sab_inflow_destroy(&inflow);
    sab_sparse_destroy(&A);
    sab_blocks_destroy(&B);
    SAB_FREE(part);
    SAB_FREE(k);
    free_body(&b);
}

/* No volume flows through a curved slip wall, whatever the unknowns: its normals are int phi n x
 * ds. */
static void test_slip(void)
{
    const int top = 2;
    unsigned long long state = 3;
    body b;

    make_body(&b);
    const sab_mesh_group *group = &b.mesh->group[b.group[top]];
    for (int f = 0; f < group->nfacets; f++)
        sab_mesh_x(b.mesh, sab_mesh_facet(b.mesh, group->facet[f])[2])[1] += 0.05;
    sab_dofs_destroy(&b.dofs);
    b.boundary[top] = (sab_boundary){.group = names[top], .slip = true};
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(b.mesh, &b.geometry, 0, 4, b.boundary, b.group, 0.0, &b.dofs, NULL),
        SAB_OK);
    double *u = sab_alloc((size_t)b.dofs->nfree, sizeof *u);
    for (int i = 0; i < b.dofs->nfree; i++)
        u[i] = sab_test_random(&state) - 0.5;
    sab_dofs_expand(b.dofs, u, b.U);
    SAB_ASSERT_CLOSE(sab_boundary_flux(b.space, b.group[top], b.U), 0.0, 1e-14);
    sab_space_destroy(&b.space);
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(b.mesh, &sab_element_p2b, &sab_geometry_plane, &b.space, NULL), SAB_OK);
    CU_ASSERT(fabs(sab_boundary_flux(b.space, b.group[top], b.U)) > 1e-6);
    SAB_FREE(u);
    free_body(&b);
}

int main(void)
{
    static const sab_test tests[] = {{"integrals over the domain", test_volume},
                                     {"integrals of fields", test_fields},
                                     {"integrals over sides", test_sides},
                                     {"inflow", test_inflow},
                                     {"slip walls", test_slip}};

    return SAB_TEST_MAIN("fem/measure", tests);
}

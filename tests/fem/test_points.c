/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points see what they say: v = B u + k against the velocity vector of the same unknowns. */
#include "unit.h"

#include "base/memory.h"
#include "fem/mass.h"
#include "grid.h"

#include <math.h>
#include <stdlib.h>

static const sab_grid grid = {3, 2, 0, 0, 2, 1, 0.2, 0.1, 0.4}; /* turned: oblique frames */
static char names[4][8] = {"bottom", "right", "top", "left"};

typedef struct body {
    sab_mesh *mesh;
    sab_space *space;
    sab_dofs *dofs;
    double *u, *U;
} body;

static body make_body(const sab_element *element)
{
    sab_boundary boundary[4] = {
        {.group = names[0], .has_velocity = true, .prescribed = {true, true}},
        {.group = names[1], .slip = true},
        {.group = names[2], .has_traction = true},
        {.group = names[3], .has_traction = true}};
    sab_boundary_report report;
    unsigned long long state = 1;
    int group[4];
    body b = {.mesh = sab_grid_create(&grid)};

    boundary[0].velocity[0] = sab_constant(0.7);
    boundary[0].velocity[1] = sab_constant(-0.3);
    CU_ASSERT_EQUAL_FATAL(
        sab_boundary_match(b.mesh, &sab_geometry_plane, 4, boundary, group, &report, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(b.mesh, &sab_geometry_plane, 0, 4, boundary, group, 0.0, &b.dofs, NULL),
        SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(b.mesh, element, &sab_geometry_plane, &b.space, NULL),
                          SAB_OK);
    const size_t n = (size_t)sab_space_unknowns(b.space, b.dofs);
    b.u = sab_alloc(n, sizeof *b.u);
    b.U = sab_alloc(sab_space_size(b.space), sizeof *b.U);
    for (size_t i = 0; i < n; i++)
        b.u[i] = sab_test_random(&state) - 0.5;
    sab_space_expand(b.space, b.dofs, b.u, b.U);
    return b;
}

static void free_body(body *b)
{
    SAB_FREE(b->u);
    SAB_FREE(b->U);
    sab_dofs_destroy(&b->dofs);
    sab_space_destroy(&b->space);
    sab_mesh_destroy(&b->mesh);
}

/* B u + k is `expected`, and the weights add up to the area of the mesh. */
static void check(const body *b, const sab_points *p, const double *expected)
{
    const size_t n = (size_t)p->s * (size_t)p->n;
    double *v = sab_alloc(n, sizeof *v), area = 0.0, law = 0.0;

    CU_ASSERT_EQUAL(p->B->s, p->s);
    CU_ASSERT_EQUAL(p->B->npoints, p->n);
    sab_blocks_multiply(p->B, b->u, v);
    for (size_t i = 0; i < n; i++)
        SAB_ASSERT_CLOSE(v[i] + p->k[i], expected[i], 1e-12);
    for (int q = 0; q < p->n; q++)
        area += p->weight[q];
    for (int q = 0; q < b->space->npoints; q++)
        law += b->space->weight[q];
    SAB_ASSERT_CLOSE(area, law, 1e-13); /* both rules are exact for the Jacobian of P2 */
    SAB_FREE(v);
}

static void test_strain(void)
{
    const sab_element *const element[2] = {&sab_element_p2, &sab_element_p2b};

    for (int k = 0; k < 2; k++) {
        body b = make_body(element[k]);
        sab_points *p = NULL;
        double *gamma = sab_alloc(3 * (size_t)b.space->npoints, sizeof *gamma);

        CU_ASSERT_EQUAL_FATAL(sab_points_strain(b.space, b.dofs, &p, NULL), SAB_OK);
        CU_ASSERT_EQUAL(p->s, 3);
        sab_space_strain_rate(b.space, b.U, gamma);
        check(&b, p, gamma);
        for (int i = 0; i < 2 * p->n; i++)
            CU_ASSERT_EQUAL(p->x[i], b.space->point[i]);
        sab_points_destroy(&p);
        SAB_FREE(gamma);
        free_body(&b);
    }
}

static void test_velocity(void)
{
    const sab_element *const element[2] = {&sab_element_p2, &sab_element_p2b};

    for (int k = 0; k < 2; k++) {
        body b = make_body(element[k]);
        sab_points *p = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_points_velocity(b.space, b.dofs, b.space->mass, &p, NULL),
                              SAB_OK);
        double *v = sab_alloc(2 * (size_t)p->n, sizeof *v);
        CU_ASSERT_EQUAL(p->s, 2);
        sab_mass_interpolate(b.space, b.U, v);
        check(&b, p, v);
        SAB_FREE(v);
        sab_points_destroy(&p);
        free_body(&b);
    }
}

/* Hats add up to one and have the place of a point as the mean of their vertices, on straight
 * elements; nothing is prescribed. */
static void test_hats(void)
{
    const sab_grid straight = {3, 2, 0, 0, 2, 1, 0.2, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&straight);
    sab_space *space = NULL;
    sab_points *p = NULL;
    int *vertex = sab_alloc((size_t)mesh->nnodes, sizeof *vertex);

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    for (int i = 0; i < mesh->nnodes; i++)
        vertex[i] = i; /* middles too: columns that no hat has */
    CU_ASSERT_EQUAL_FATAL(sab_points_hats(space, mesh->nnodes, vertex, &p, NULL), SAB_OK);
    CU_ASSERT_PTR_NULL(p->k);
    double *u = sab_alloc((size_t)mesh->nnodes, sizeof *u), *v = sab_alloc((size_t)p->n, sizeof *v);
    for (int c = 0; c < 3; c++) { /* 1, x, y */
        for (int i = 0; i < mesh->nnodes; i++)
            u[i] = c == 0 ? 1.0 : mesh->x[2 * i + c - 1];
        sab_blocks_multiply(p->B, u, v);
        for (int q = 0; q < p->n; q++)
            SAB_ASSERT_CLOSE(v[q], c == 0 ? 1.0 : p->x[2 * q + c - 1], 1e-14);
    }
    SAB_FREE(u);
    SAB_FREE(v);
    SAB_FREE(vertex);
    sab_points_destroy(&p);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"strain rates", test_strain}, {"velocities", test_velocity}, {"hats", test_hats}};

    return SAB_TEST_MAIN("fem/points", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sides that go on at others: paths that leave by one come in by the other, as if the mesh were
 * repeated; unknowns and rigid motions [docs/theory.md, 4.7]. With the positions as the velocity
 * that is carried, sab_transport_along gives the feet themselves. */
#include "unit.h"

#include "base/memory.h"
#include "fem/mass.h"
#include "fem/transport.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>

/* Entries of all groups; some go on at others. */
typedef struct body {
    sab_mesh *mesh;
    const sab_geometry *geometry;
    sab_space *space;
    sab_boundary boundary[6];
    int group[6], nboundaries;
    sab_dofs *dofs;
} body;

static void make_body(body *b, sab_mesh *mesh, int npairs, char *pair[][2])
{
    sab_boundary_report report;
    sab_error err = {0};

    *b = (body){.mesh = mesh};
    const bool solid = mesh->cell->dim == 3;
    const sab_element *element = solid ? &sab_element_p2nb : &sab_element_p2;
    b->geometry = solid ? &sab_geometry_space : &sab_geometry_plane;
    for (int g = 0; g < mesh->ngroups; g++) {
        sab_boundary entry = {.group = mesh->group[g].name, .has_traction = true};
        bool partner = false;

        for (int k = 0; k < npairs; k++) {
            partner = partner || g == sab_mesh_find_group(mesh, pair[k][1]);
            if (g == sab_mesh_find_group(mesh, pair[k][0]))
                entry = (sab_boundary){.group = pair[k][0], .periodic = pair[k][1]};
        }
        if (!partner)
            b->boundary[b->nboundaries++] = entry;
    }
    CU_ASSERT_EQUAL_FATAL(
        sab_boundary_match(mesh, b->geometry, b->nboundaries, b->boundary, b->group, &report, &err),
        SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element, b->geometry, &b->space, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, b->geometry, sab_element_faces(element, mesh),
                                          b->nboundaries, b->boundary, b->group, 0.0, &b->dofs,
                                          &err),
                          SAB_OK);
}

static void destroy_body(body *b)
{
    sab_dofs_destroy(&b->dofs);
    sab_space_destroy(&b->space);
    sab_mesh_destroy(&b->mesh);
}

/* Largest distance of a foot from x + d in the repeated unit box, and in the last directions,
 * `walls` of them, between walls at 0 and 1. */
static double worst_foot(const body *b, const double *d, int walls)
{
    const int dim = b->mesh->cell->dim, rule = b->space->mass->n;
    const size_t size = sab_space_size(b->space),
                 points = (size_t)rule * (size_t)b->mesh->nelements;
    bool *open = sab_alloc((size_t)b->mesh->nfacets, sizeof *open);
    double *wind = sab_alloc(size, sizeof *wind), *place = sab_alloc(size, sizeof *place);
    double *foot = sab_alloc((size_t)dim * points, sizeof *foot), worst = 0.0;
    sab_transport *transport = NULL;
    sab_transport_report report;

    CU_ASSERT_EQUAL_FATAL(
        sab_transport_create(b->space, open, b->dofs->nmatches, b->dofs->match, &transport, NULL),
        SAB_OK);
    for (int i = 0; i < dim * b->mesh->nnodes; i++) {
        wind[i] = -d[i % dim];
        place[i] = b->mesh->x[i];
    }
    sab_transport_along(transport, 1.0, wind, place, foot, &report);
    CU_ASSERT_EQUAL(report.points, (int64_t)points);
    for (int p = 0; p < (int)points; p++) {
        double x[SAB_DIM];

        sab_mesh_map(b->mesh, p / rule, b->space->mass->xi[p % rule], x, NULL);
        for (int i = 0; i < dim; i++) {
            double off = foot[dim * p + i] - (x[i] + d[i]);

            if (i >= dim - walls)
                off = foot[dim * p + i] - fmin(fmax(x[i] + d[i], 0.0), 1.0);
            else
                off -= round(off);
            worst = fmax(worst, fabs(off));
        }
    }
    sab_transport_destroy(&transport);
    SAB_FREE(open);
    SAB_FREE(wind);
    SAB_FREE(place);
    SAB_FREE(foot);
    return worst;
}

static char *across_x[][2] = {{"left", "right"}};
static char *all_plane[][2] = {{"left", "right"}, {"top", "bottom"}};
static char *across_space[][2] = {{"right", "left"}, {"front", "back"}};
static char *all_space[][2] = {{"left", "right"}, {"front", "back"}, {"bottom", "top"}};

static void test_feet(void)
{
    const double d[][SAB_DIM] = {{0.3, 0.0, 0.0},  {-0.77, 0.13, 0.2},  {-3.4, 0.0, 0.0},
                                 {5.3, 2.2, -1.1}, {0.25, 0.25, 0.25},  {-1.0, -1.0, 2.0},
                                 {0.0, 0.0, 0.0},  {1e-13, -1e-13, 0.0}};
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    const sab_box box = {{3, 3, 3}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0}};

    for (int k = 0; k < 5; k++) {
        const int walls = k == 4 ? 2 : k % 2;
        body b;

        if (k < 2)
            make_body(&b, sab_grid_create(&grid), 2 - walls, walls == 1 ? across_x : all_plane);
        else
            make_body(&b, sab_grid_box(&box), 3 - walls,
                      walls == 2   ? across_x
                      : walls == 1 ? across_space
                                   : all_space);
        for (size_t i = 0; i < sizeof d / sizeof *d; i++) {
            const double worst = worst_foot(&b, d[i], walls);

            if (worst > 1e-8)
                printf("  body %d, path %d: %.1e\n", k, (int)i, worst);
            CU_ASSERT(worst < 1e-8);
        }
        destroy_body(&b);
    }
}

/* Curved periodic sides: feet on either side of them are found. */
static void test_curved(void)
{
    const double d[][SAB_DIM] = {{0.3, 0.0}, {-0.77, 0.0}, {-2.06, 0.0}};
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.0, 0.02, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    body b;

    for (int a = 0; a < mesh->nnodes; a++) { /* middles of both sides alike */
        double *x = sab_mesh_x(mesh, a);

        if ((x[0] == 0.0 || x[0] == 1.0) && fabs(fmod(8.0 * x[1], 2.0) - 1.0) < 1e-9)
            x[0] += 0.03;
    }
    make_body(&b, mesh, 1, across_x);
    for (size_t i = 0; i < sizeof d / sizeof *d; i++) {
        const double worst = worst_foot(&b, d[i], 1);

        printf("  path %d: %.1e\n", (int)i, worst);
        CU_ASSERT(worst < 1e-8);
    }
    destroy_body(&b);
}

/* A periodic body has the unknowns of a ring, forces of partners add up, velocities do not; it
 * cannot turn, and nothing keeps it from moving. */
static void test_unknowns(void)
{
    const sab_grid grid = {4, 3, 0, 0, 1, 1, 0.1, 0.0, 0.3};
    const sab_box box = {{3, 2, 3}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0.1, 0.2, 0.3}};

    for (int k = 0; k < 2; k++) {
        body b;
        int motions, node;
        double sum = 0.0, *F, *l, *u;

        make_body(&b, k == 0 ? sab_grid_create(&grid) : sab_grid_box(&box), 1, across_x);
        const int dim = b.dofs->dim;
        CU_ASSERT_EQUAL(
            sab_dofs_rigid_motions(b.dofs, b.mesh, b.geometry, NULL, &motions, &node, NULL),
            SAB_OK);
        CU_ASSERT_EQUAL(motions, k == 0 ? 2 : 4); /* in space it may turn about the period */
        if (k == 0)
            CU_ASSERT_EQUAL(b.dofs->nfree, dim * 8 * 7);
        F = sab_alloc(sab_space_size(b.space), sizeof *F);
        l = sab_alloc((size_t)sab_space_unknowns(b.space, b.dofs), sizeof *l);
        u = sab_alloc((size_t)sab_space_unknowns(b.space, b.dofs), sizeof *u);
        for (int i = 0; i < dim * b.dofs->nnodes; i++)
            F[i] = i % dim == 0 ? 1.0 : 0.0;
        sab_space_take(b.space, b.dofs, F, u); /* of a translation */
        sab_space_restrict(b.space, b.dofs, F, l);
        for (int i = 0; i < b.dofs->nfree; i++)
            sum += u[i] * l[i];
        if (k == 0)
            SAB_ASSERT_CLOSE(sum, (double)b.mesh->nnodes, 1e-12);
        sab_space_expand(b.space, b.dofs, u, F);
        for (int i = 0; i < dim * b.mesh->nnodes; i++)
            SAB_ASSERT_CLOSE(F[i], i % dim == 0 ? 1.0 : 0.0, 1e-14);
        SAB_FREE(F);
        SAB_FREE(l);
        SAB_FREE(u);
        destroy_body(&b);
    }
}

static const sab_test tests[] = {
    {"feet go on at the other side", test_feet},
    {"curved sides", test_curved},
    {"unknowns, forces and rigid motions", test_unknowns},
};

int main(void)
{
    return SAB_TEST_MAIN("fem/periodic", tests);
}

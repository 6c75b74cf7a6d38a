/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axis of an axisymmetric flow: u_r = 0 there, whatever the entries say [docs/theory.md, 4.7].
 */
#include "unit.h"

#include "base/memory.h"
#include "fem/axis.h"
#include "fem/flux.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static const sab_geometry *const ROUND = &sab_geometry_axisymmetric;
static const sab_grid cylinder = {3, 4, 0, 0, 1, 2, 0.1, 0.0, 0.0};

enum { BOTTOM, RIGHT, TOP, AXIS };

static sab_boundary velocity(char *group, double ur, double uz)
{
    return (sab_boundary){.group = group,
                          .has_velocity = true,
                          .prescribed = {true, true},
                          .velocity = {sab_constant(ur), sab_constant(uz)}};
}

/* Slip below, rest on the wall, open above; slip on the axis. */
static void make_entries(sab_boundary b[4])
{
    b[BOTTOM] = (sab_boundary){.group = "bottom", .slip = true};
    b[RIGHT] = velocity("right", 0, 0);
    b[TOP] = (sab_boundary){.group = "top", .has_traction = true};
    b[AXIS] = (sab_boundary){.group = "left", .slip = true};
}

/* The same triangles with the groups bottom, right and top only. */
static sab_mesh *without_axis(const sab_mesh *mesh)
{
    const int width = mesh->cell->facet->nodes;
    double *x = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *x);
    int *element = sab_alloc(6 * (size_t)mesh->nelements, sizeof *element);
    sab_mesh *copy = NULL;

    memcpy(x, mesh->x, 2 * (size_t)mesh->nnodes * sizeof *x);
    memcpy(element, mesh->element, 6 * (size_t)mesh->nelements * sizeof *element);
    CU_ASSERT_EQUAL_FATAL(
        sab_mesh_create(mesh->cell, mesh->nnodes, x, mesh->nelements, element, &copy, NULL),
        SAB_OK);
    for (int g = 0; g < AXIS; g++) {
        const sab_mesh_group *group = &mesh->group[g];
        int corner[64];

        for (int f = 0; f < group->nfacets; f++)
            memcpy(corner + 2 * f, mesh->facet + width * group->facet[f], 2 * sizeof *corner);
        CU_ASSERT_EQUAL_FATAL(
            sab_mesh_add_group(copy, group->name, group->tag, group->nfacets, corner, NULL),
            SAB_OK);
    }
    return copy;
}

static sab_dofs *apply(const sab_mesh *mesh, int n, const sab_boundary *boundary)
{
    sab_boundary_report report;
    sab_dofs *dofs = NULL;
    int group[4];

    CU_ASSERT_EQUAL_FATAL(sab_boundary_match(mesh, ROUND, n, boundary, group, &report, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL(report.uncovered, 0);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, ROUND, 0, n, boundary, group, 0.0, &dofs, NULL),
                          SAB_OK);
    return dofs;
}

/* The axis as a group that slips, as one with u_r = 0, and as no group: the same conditions. Its
 * sides are not missed. */
static void test_same_conditions(void)
{
    sab_mesh *mesh = sab_grid_create(&cylinder), *bare = without_axis(mesh);
    sab_boundary b[4];
    sab_dofs *dofs[3];

    make_entries(b);
    dofs[0] = apply(mesh, 4, b);
    b[AXIS] = velocity("left", 0, 0);
    b[AXIS].prescribed[1] = false;
    dofs[1] = apply(mesh, 4, b);
    dofs[2] = apply(bare, 3, b);
    for (int k = 1; k < 3; k++) {
        CU_ASSERT_EQUAL_FATAL(dofs[k]->nfree, dofs[0]->nfree);
        for (int i = 0; i < 2 * mesh->nnodes; i++) {
            CU_ASSERT_EQUAL(dofs[k]->number[i], dofs[0]->number[i]);
            CU_ASSERT_EQUAL(dofs[k]->value[i], dofs[0]->value[i]);
        }
    }
    for (int n = 0; n < mesh->nnodes; n++)
        if (mesh->x[2 * n] == 0.0) {
            CU_ASSERT_EQUAL(dofs[2]->number[2 * n], -1);
            CU_ASSERT_EQUAL(dofs[2]->number[2 * n + 1] < 0, mesh->x[2 * n + 1] == 0.0);
        }
    /* 7 x 9 nodes: the wall is at rest, the floor slips, on the axis one component is left */
    CU_ASSERT_EQUAL(dofs[0]->nfree, 2 * 5 * 8 + 5 + 8);
    for (int k = 0; k < 3; k++)
        sab_dofs_destroy(&dofs[k]);
    sab_mesh_destroy(&mesh);
    sab_mesh_destroy(&bare);
}

static int rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh)
{
    int motions, node;

    CU_ASSERT_EQUAL(sab_dofs_rigid_motions(dofs, mesh, ROUND, NULL, &motions, &node, NULL), SAB_OK);
    return motions;
}

/* The only rigid motion is along the axis; an entry may hold u_z on it. */
static void test_held(void)
{
    sab_mesh *mesh = sab_grid_create(&cylinder);
    sab_boundary b[4];
    sab_dofs *dofs;

    make_entries(b);
    b[BOTTOM] = b[TOP];
    b[BOTTOM].group = "bottom";
    b[RIGHT] = (sab_boundary){.group = "right", .slip = true};
    dofs = apply(mesh, 4, b);
    CU_ASSERT_EQUAL(rigid_motions(dofs, mesh), 1);
    sab_dofs_destroy(&dofs);
    b[AXIS] = velocity("left", 0, 2);
    dofs = apply(mesh, 4, b);
    CU_ASSERT_EQUAL(rigid_motions(dofs, mesh), 0);
    for (int n = 0; n < mesh->nnodes; n++)
        if (mesh->x[2 * n] == 0.0) {
            CU_ASSERT(dofs->number[2 * n] < 0 && dofs->number[2 * n + 1] < 0);
            CU_ASSERT_EQUAL(dofs->value[2 * n + 1], 2.0);
        }
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* A floor that slips, flat or conical: nothing flows through it whatever the unknowns, and its tip
 * on the axis is held. */
static void test_floor(void)
{
    for (int k = 0; k < 2; k++) {
        sab_mesh *mesh = sab_grid_create(&cylinder);
        sab_space *space = NULL;
        sab_boundary b[4];
        unsigned long long seed = 1;

        for (int n = 0; n < mesh->nnodes; n++)
            mesh->x[2 * n + 1] += 0.8 * k * mesh->x[2 * n];
        make_entries(b);
        sab_dofs *dofs = apply(mesh, 4, b);
        double *u = sab_alloc((size_t)dofs->nfree, sizeof *u);
        CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, &sab_element_p2, ROUND, &space, NULL), SAB_OK);
        double *U = sab_alloc(sab_space_size(space), sizeof *U);
        for (int i = 0; i < dofs->nfree; i++)
            u[i] = sab_test_random(&seed) - 0.5;
        sab_dofs_expand(dofs, u, U);
        SAB_ASSERT_CLOSE(sab_boundary_flux(space, BOTTOM, U), 0.0, 1e-15);
        SAB_ASSERT_CLOSE(sab_boundary_flux(space, AXIS, U), 0.0, 1e-15);
        CU_ASSERT(fabs(sab_boundary_flux(space, TOP, U)) > 1e-3);
        for (int n = 0; n < mesh->nnodes; n++)
            if (hypot(mesh->x[2 * n], mesh->x[2 * n + 1]) == 0.0)
                CU_ASSERT(dofs->number[2 * n] < 0 && dofs->number[2 * n + 1] < 0);
        SAB_FREE(u);
        SAB_FREE(U);
        sab_space_destroy(&space);
        sab_dofs_destroy(&dofs);
        sab_mesh_destroy(&mesh);
    }
}

/* Where the axis, as an entry, meets a floor at rest: the floor carries all along the axis. */
static void test_shares(void)
{
    sab_mesh *mesh = sab_grid_create(&cylinder);
    sab_boundary b[4];
    double sum[2][2] = {{0.0}};
    int parts = 0;

    make_entries(b);
    b[BOTTOM] = velocity("bottom", 0, 0);
    sab_dofs *dofs = apply(mesh, 4, b);
    for (const sab_share *s = dofs->share; s < dofs->share + dofs->nshares; s++) {
        if (hypot(mesh->x[2 * s->node], mesh->x[2 * s->node + 1]) > 0.0)
            continue;
        parts++;
        for (int i = 0; i < 4; i++)
            sum[i / 2][i % 2] += s->part[i / 2][i % 2];
        SAB_ASSERT_CLOSE(s->part[1][1], s->entry == BOTTOM ? 1.0 : 0.0, 1e-15);
    }
    CU_ASSERT_EQUAL(parts, 2);
    for (int i = 0; i < 4; i++)
        SAB_ASSERT_CLOSE(sum[i / 2][i % 2], i % 3 == 0, 1e-15);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* A radial velocity on the axis is an error that says where. */
static void test_radial(void)
{
    sab_mesh *mesh = sab_grid_create(&cylinder);
    const int group[4] = {0, 1, 2, 3};
    sab_boundary b[4];
    sab_dofs *dofs = NULL;
    sab_error err = {0};

    make_entries(b);
    b[AXIS] = velocity("left", 1, 0);
    CU_ASSERT_EQUAL(sab_dofs_create(mesh, ROUND, 0, 4, b, group, 0.0, &dofs, &err), SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(err.message,
                           "boundaries.left: moves with (1, 0) at (0, 0), on the axis, where the "
                           "radial velocity is 0; give one that vanishes there, or slip: true");
    make_entries(b);
    b[TOP] = velocity("top", -1, 0);
    CU_ASSERT_EQUAL(sab_dofs_create(mesh, ROUND, 0, 4, b, group, 0.0, &dofs, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "boundaries.top: moves with (-1, 0) at (0, 2)"));
    sab_mesh_destroy(&mesh);
}

/* A mesh beyond the axis is refused, rounding is not; the triangles of a plane are none of space.
 */
static void test_meshes(void)
{
    sab_grid grid = cylinder;
    sab_error err = {0};
    sab_mesh *mesh;

    grid.x0 = -1e-13;
    mesh = sab_grid_create(&grid);
    CU_ASSERT_EQUAL(sab_geometry_check_mesh(mesh, ROUND, &err), SAB_OK);
    sab_dofs *dofs = NULL;
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, ROUND, 0, 0, NULL, NULL, 0.0, &dofs, NULL), SAB_OK);
    CU_ASSERT_EQUAL(dofs->nfree, 2 * mesh->nnodes - 9);
    sab_dofs_destroy(&dofs);
    CU_ASSERT_EQUAL(sab_geometry_check_mesh(mesh, &sab_geometry_space, &err), SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(err.message,
                           "geometry: space needs a mesh of tetrahedra, this one has triangles");
    sab_mesh_destroy(&mesh);
    grid.x0 = -0.5;
    mesh = sab_grid_create(&grid);
    CU_ASSERT_EQUAL(sab_geometry_check_mesh(mesh, &sab_geometry_plane, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_geometry_check_mesh(mesh, ROUND, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "the mesh reaches (-0.5, 0), where r < 0"));
    sab_mesh_destroy(&mesh);
    grid.x0 = 0.0;
    mesh = sab_grid_create(&grid); /* a side that begins on the axis and first bends away from it */
    for (int f = 0; f < mesh->nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, f);

        if (hypot(sab_mesh_x(mesh, node[0])[0], sab_mesh_x(mesh, node[0])[1]) == 0.0)
            sab_mesh_x(mesh, node[2])[0] *= 0.4;
    }
    CU_ASSERT_EQUAL(sab_geometry_check_mesh(mesh, ROUND, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, ", 0), where r < 0"));
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"the axis with and without an entry", test_same_conditions},
                                     {"what holds it", test_held},
                                     {"a floor that slips", test_floor},
                                     {"shares of a reaction", test_shares},
                                     {"radial velocities", test_radial},
                                     {"meshes", test_meshes}};

    return SAB_TEST_MAIN("fem/axis", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Boundary conditions in space: faces, edges and corners of a box, straight and turned; the
 * functions of its sides. */
#include "unit.h"

#include "base/memory.h"
#include "fem/flux.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT, RIGHT, FRONT, BACK, BOTTOM, TOP, SIDES };

static char name[SIDES][8] = {"left", "right", "front", "back", "bottom", "top"};
static const int group[SIDES] = {0, 1, 2, 3, 4, 5};
static const double turned[SAB_DIM] = {0.3, 0.5, -0.2};

/* The cube of 5 x 5 x 5 nodes, 120 sides of which 48 outside; at rest on all sides, or turned. */
static sab_mesh *cube(bool turn)
{
    sab_box box = {{2, 2, 2}, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, 0.0, 0.0, {0.0, 0.0, 0.0}};

    if (turn)
        memcpy(box.rotation, turned, sizeof turned);
    return sab_grid_box(&box);
}

static sab_boundary slip(int side)
{
    return (sab_boundary){.group = name[side], .slip = true};
}

static sab_boundary rest(int side)
{
    return (sab_boundary){
        .group = name[side], .has_velocity = true, .prescribed = {true, true, true}};
}

static sab_boundary open(int side)
{
    return (sab_boundary){.group = name[side], .has_traction = true};
}

static sab_dofs *apply(const sab_mesh *mesh, const sab_boundary *b)
{
    sab_dofs *dofs = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(mesh, &sab_geometry_space, mesh->nsides, SIDES, b, group, 0.0, &dofs, NULL),
        SAB_OK);
    CU_ASSERT_EQUAL(dofs->nnodes, mesh->nnodes + mesh->nsides);
    return dofs;
}

/* Unknowns of nodes, of sides. */
static void expect_unknowns(const sab_dofs *dofs, const sab_mesh *mesh, int nodes, int sides)
{
    int count[2] = {0, 0};

    for (int i = 0; i < SAB_DIM * dofs->nnodes; i++)
        count[i / SAB_DIM >= mesh->nnodes] += dofs->number[i] >= 0;
    CU_ASSERT_EQUAL(count[0], nodes);
    CU_ASSERT_EQUAL(count[1], sides);
    CU_ASSERT_EQUAL(dofs->nfree, nodes + sides);
}

static int rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh, const sab_geometry *geometry)
{
    int motions, node;

    CU_ASSERT_EQUAL(sab_dofs_rigid_motions(dofs, mesh, geometry, NULL, &motions, &node, NULL),
                    SAB_OK);
    return motions;
}

/* On a face of slip walls two components are left, on an edge one, in a corner none; the side
 * functions of walls are held, those of an open face are free. */
static void test_unknowns(void)
{
    for (int turn = 0; turn < 2; turn++) {
        sab_mesh *mesh = cube(turn);
        sab_boundary b[SIDES];
        sab_dofs *dofs;

        CU_ASSERT_EQUAL(mesh->nnodes, 125);
        CU_ASSERT_EQUAL(mesh->nsides, 120);
        for (int i = 0; i < SIDES; i++)
            b[i] = slip(i);
        dofs = apply(mesh, b);
        expect_unknowns(dofs, mesh, 27 * 3 + 6 * 9 * 2 + 12 * 3 * 1, 120 - 48);
        CU_ASSERT_EQUAL(rigid_motions(dofs, mesh, &sab_geometry_space), 0);
        sab_dofs_destroy(&dofs);
        b[BOTTOM] = rest(BOTTOM);
        b[TOP] = open(TOP); /* four layers of 9 nodes inside, 12 on faces, 4 on edges */
        dofs = apply(mesh, b);
        expect_unknowns(dofs, mesh, 4 * (9 * 3 + 12 * 2 + 4), 120 - 40);
        sab_dofs_destroy(&dofs);
        b[BOTTOM] = open(BOTTOM); /* slip on the four others: it can fall */
        dofs = apply(mesh, b);
        CU_ASSERT_EQUAL(rigid_motions(dofs, mesh, &sab_geometry_space), 1);
        sab_dofs_destroy(&dofs);
        for (int i = 0; i < BOTTOM; i++)
            b[i] = open(i);
        b[BOTTOM] = slip(BOTTOM); /* slides and turns on a table */
        dofs = apply(mesh, b);
        CU_ASSERT_EQUAL(rigid_motions(dofs, mesh, &sab_geometry_space), 3);
        expect_unknowns(dofs, mesh, 125 * 3 - 25, 120 - 8);
        sab_dofs_destroy(&dofs);
        sab_mesh_destroy(&mesh);
    }
}

/* An outlet (0, 0, free) leaves the side functions along z, (free, free, 0) and an oblique one do
 * not. */
static void test_developed(void)
{
    for (int turn = 0; turn < 2; turn++) {
        sab_mesh *mesh = cube(turn);
        sab_boundary b[SIDES];
        sab_dofs *dofs;

        for (int i = 0; i < SIDES; i++)
            b[i] = slip(i);
        b[TOP] = rest(TOP);
        b[TOP].prescribed[2] = false;
        dofs = apply(mesh, b);
        if (!turn) /* z is left on the top, below it three layers as above and the bottom */
            expect_unknowns(dofs, mesh, 25 + 3 * 55 + 9 * 2 + 12, 120 - 40);
        else
            for (int f = 0; f < mesh->group[TOP].nfacets; f++) {
                const int facet = mesh->group[TOP].facet[f], e = mesh->facet_element[facet];
                const int side = mesh->side[mesh->cell->sides * e + mesh->facet_side[facet]];

                CU_ASSERT_EQUAL(dofs->number[SAB_DIM * (mesh->nnodes + side)], -1);
            }
        sab_dofs_destroy(&dofs);
        b[TOP].prescribed[0] = b[TOP].prescribed[1] = false;
        b[TOP].prescribed[2] = true;
        dofs = apply(mesh, b);
        if (!turn)
            expect_unknowns(dofs, mesh, 27 * 3 + 6 * 9 * 2 + 12 * 3 * 1, 120 - 48);
        sab_dofs_destroy(&dofs);
        sab_mesh_destroy(&mesh);
    }
}

/* The frame of a side is orthonormal, its first direction normal to the side; what it moves is
 * along it. */
static void test_frames(void)
{
    sab_mesh *mesh = cube(true);
    sab_boundary b[SIDES];

    for (int i = 0; i < SIDES; i++)
        b[i] = open(i);
    sab_dofs *dofs = apply(mesh, b);
    expect_unknowns(dofs, mesh, 3 * 125, 120);
    for (int k = 0; k < mesh->cell->sides * mesh->nelements; k++) {
        const int *side = mesh->cell->side[k % mesh->cell->sides];
        const int *node = sab_mesh_element(mesh, k / mesh->cell->sides);
        const double *f = dofs->frame + SAB_DIM * SAB_DIM * (mesh->nnodes + mesh->side[k]);

        for (int i = 0; i < SAB_DIM; i++) {
            const double *x = sab_mesh_x(mesh, node[side[i]]);
            const double *y = sab_mesh_x(mesh, node[side[(i + 1) % SAB_DIM]]);
            double along = 0.0;

            for (int d = 0; d < SAB_DIM; d++)
                along += f[d] * (x[d] - y[d]);
            SAB_ASSERT_CLOSE(along, 0.0, 1e-15);
            for (int j = 0; j < SAB_DIM; j++) {
                double product = 0.0;

                for (int d = 0; d < SAB_DIM; d++)
                    product += f[SAB_DIM * i + d] * f[SAB_DIM * j + d];
                SAB_ASSERT_CLOSE(product, i == j, 1e-15);
            }
        }
    }
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* Slip walls along a turned channel: it may slide as a whole, nothing flows through the walls
 * whatever the unknowns, and restriction is the transpose of expansion. */
static void test_channel(void)
{
    sab_mesh *mesh = cube(true);
    sab_space *space = NULL;
    sab_boundary b[SIDES];
    unsigned long long seed = 5;
    double along[SAB_DIM], work = 0.0, nodal = 0.0;

    for (int i = 0; i < SIDES; i++)
        b[i] = i == BOTTOM || i == TOP ? open(i) : slip(i);
    sab_dofs *dofs = apply(mesh, b);
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2nb, &sab_geometry_space, &space, NULL), SAB_OK);
    const size_t size = sab_space_size(space), n = (size_t)sab_space_unknowns(space, dofs);
    double *U = sab_alloc(size, sizeof *U), *F = sab_alloc(size, sizeof *F);
    double *u = sab_alloc(n, sizeof *u), *l = sab_alloc(n, sizeof *l);
    for (int d = 0; d < SAB_DIM; d++) /* along the edge from node 0 */
        along[d] = sab_mesh_x(mesh, 100)[d] - sab_mesh_x(mesh, 0)[d];
    for (int i = 0; i < SAB_DIM * mesh->nnodes; i++)
        F[i] = along[i % SAB_DIM];
    sab_space_restrict(space, dofs, F, u);
    sab_space_expand(space, dofs, u, U);
    for (size_t i = 0; i < size; i++)
        SAB_ASSERT_CLOSE(U[i], F[i], 1e-14);
    for (size_t i = 0; i < n; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    for (size_t i = 0; i < size; i++)
        F[i] = sab_test_random(&seed) - 0.5;
    sab_space_expand(space, dofs, u, U);
    for (int g = 0; g < BOTTOM; g++)
        SAB_ASSERT_CLOSE(sab_boundary_flux(space, g, U), 0.0, 1e-14);
    CU_ASSERT(fabs(sab_boundary_flux(space, TOP, U)) > 1e-3);
    sab_space_restrict(space, dofs, F, l);
    for (size_t i = 0; i < n; i++)
        work += l[i] * u[i];
    for (size_t i = 0; i < size; i++)
        nodal += F[i] * U[i];
    SAB_ASSERT_CLOSE(work, nodal, 1e-12);
    SAB_FREE(U);
    SAB_FREE(F);
    SAB_FREE(u);
    SAB_FREE(l);
    sab_space_destroy(&space);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* Flux of a smooth flow along a curved slip wall z = h(x, y), put on the frames of the wall,
 * through it. */
static double leak(int n)
{
    const sab_box box = {{n, n, 1}, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, 0.0, 0.0, {0.0, 0.0, 0.0}};
    const sab_boundary wall = slip(TOP);
    const int top = TOP;
    sab_mesh *mesh = sab_grid_box(&box);
    sab_space *space = NULL;
    sab_dofs *dofs = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2nb, &sab_geometry_space, &space, NULL), SAB_OK);
    double *U = sab_alloc(sab_space_size(space), sizeof *U);
    double *u = sab_alloc(sab_space_size(space), sizeof *u);
    for (int k = 0; k < mesh->nnodes; k++) {
        double *x = sab_mesh_x(mesh, k), *v = U + SAB_DIM * k;

        x[2] *= 1.0 + 0.3 * (x[0] * x[0] + x[1] * x[1] * x[1]);
        v[0] = cos(2.0 * x[0] + x[1]);
        v[1] = sin(x[0] - 3.0 * x[1]);
        v[2] = 0.3 * (2.0 * x[0] * v[0] + 3.0 * x[1] * x[1] * v[1]);
    }
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(mesh, &sab_geometry_space, mesh->nsides, 1, &wall, &top, 0.0, &dofs, NULL),
        SAB_OK);
    sab_space_restrict(space, dofs, U, u);
    sab_space_expand(space, dofs, u, U);
    const double flux = fabs(sab_boundary_flux(space, TOP, U));
    SAB_FREE(u);
    SAB_FREE(U);
    sab_space_destroy(&space);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
    return flux;
}

/* It vanishes with the fourth power of the size. */
static void test_curved_wall(void)
{
    const double coarse = leak(2), fine = leak(4), finest = leak(8);

    printf("\n    leak %.2e, %.2e, %.2e ... ", coarse, fine, finest);
    CU_ASSERT(coarse < 1e-3 && fine < coarse / 10.0 && finest < fine / 10.0);
}

/* A belt below moves along a slip wall and against another: it is crossed, and the dofs say where,
 * with three coordinates. A wall at rest keeps the edge. */
static void test_concessions(void)
{
    sab_mesh *mesh = cube(false);
    sab_boundary b[SIDES];
    int crossed = 0, kept = 0;

    for (int i = 0; i < SIDES; i++)
        b[i] = slip(i);
    b[LEFT] = rest(LEFT);
    b[BOTTOM] = rest(BOTTOM);
    b[BOTTOM].velocity[0] = sab_constant(2.0);
    sab_dofs *dofs = apply(mesh, b);
    CU_ASSERT_EQUAL(dofs->nconcessions, 2);
    for (int k = 0; k < dofs->nconcessions; k++) {
        const sab_concession *c = &dofs->concession[k];

        CU_ASSERT_EQUAL(c->nodes, 5);
        CU_ASSERT(c->place[1] == 0.0 && c->place[2] == 0.0);
        crossed += c->holder == BOTTOM && c->other == RIGHT && c->place[0] == 1.0;
        kept += c->holder == LEFT && c->other == BOTTOM && c->place[0] == 0.0;
    }
    CU_ASSERT(crossed == 1 && kept == 1);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* Two that move with different velocities at a common edge are refused, with the place. */
static void test_refused(void)
{
    sab_mesh *mesh = cube(false);
    sab_boundary b[SIDES];
    sab_dofs *dofs = NULL;
    sab_error err = {0};

    for (int i = 0; i < SIDES; i++)
        b[i] = open(i);
    b[LEFT] = rest(LEFT);
    b[LEFT].velocity[1] = sab_constant(1.0);
    b[LEFT].prescribed[0] = false;
    b[TOP] = rest(TOP);
    b[TOP].velocity[1] = sab_constant(2.0);
    CU_ASSERT_EQUAL(
        sab_dofs_create(mesh, &sab_geometry_space, mesh->nsides, SIDES, b, group, 0.0, &dofs, &err),
        SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(
        err.message,
        "boundaries.left: moves with (free, 1, 0) at (0, 0, 1), a node that it shares with "
        "'boundaries.top', which moves with (0, 2, 0); say which one holds there: over: top here, "
        "or over: left there");
    sab_mesh_destroy(&mesh);
}

/* Parts of a reaction: on an edge of two slip walls each carries what is along its normal and along
 * the edge, where nothing is, half each; in a corner of three each its normal. Where a slip wall
 * meets walls at rest it carries no shear. */
static void test_shares(void)
{
    for (int turn = 0; turn < 2; turn++) {
        sab_mesh *mesh = cube(turn);
        sab_boundary b[SIDES];
        double normal[SAB_DIM][SAB_DIM]; /* of right, back and top */
        const int start[SAB_DIM] = {4, 20, 100}, corner = 124, edge = 122; /* 122: (1/2, 1, 1) */

        for (int i = 0; i < SAB_DIM; i++)
            for (int d = 0; d < SAB_DIM; d++)
                normal[i][d] = sab_mesh_x(mesh, start[i])[d] - sab_mesh_x(mesh, 0)[d];
        for (int i = 0; i < SIDES; i++)
            b[i] = slip(i);
        for (int held = 0; held < 2; held++) {
            if (held == 1)
                b[BACK] = rest(BACK);
            sab_dofs *dofs = apply(mesh, b);

            for (const sab_share *s = dofs->share; s < dofs->share + dofs->nshares; s++)
                for (int i = 0; i < SAB_DIM && (s->node == corner || s->node == edge); i++) {
                    const bool own = s->entry == 2 * i + 1;
                    double part = 0.0, expected;

                    for (int k = 0; k < SAB_DIM * SAB_DIM; k++)
                        part += normal[i][k / SAB_DIM] * s->part[k / SAB_DIM][k % SAB_DIM] *
                                normal[i][k % SAB_DIM];
                    if (held == 1) /* back takes all but half of the normals of the others */
                        expected = s->entry == BACK
                                       ? (i == 1 || (i == 0 && s->node == edge) ? 1.0 : 0.5)
                                       : (own ? 0.5 : 0.0);
                    else
                        expected = s->node == edge && i == 0 ? 0.5 : own;
                    SAB_ASSERT_CLOSE(part, expected, 1e-13);
                }
            sab_dofs_destroy(&dofs);
        }
        sab_mesh_destroy(&mesh);
    }
}

/* Surfaces of a group inside the domain: their side functions are held like others. */
static void test_interior(void)
{
    sab_mesh *mesh = cube(false);
    const int corners[6] = {50, 52, 62, 50, 60, 62}; /* two triangles of the plane z = 1/2 */
    const int groups[1] = {SIDES};
    const sab_boundary wall = {.group = "inside", .slip = true};
    sab_dofs *dofs = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_mesh_add_group(mesh, "inside", 7, 2, corners, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, &sab_geometry_space, mesh->nsides, 1, &wall, groups,
                                          0.0, &dofs, NULL),
                          SAB_OK);
    expect_unknowns(dofs, mesh, 125 * 3 - 9, 120 - 2);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"unknowns of a box", test_unknowns},     {"developed outlets", test_developed},
        {"frames of sides", test_frames},         {"a turned channel", test_channel},
        {"a curved slip wall", test_curved_wall}, {"concessions", test_concessions},
        {"two motions at an edge", test_refused}, {"shares of a reaction", test_shares},
        {"a group inside", test_interior}};

    return SAB_TEST_MAIN("fem/dofs in space", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/memory.h"
#include "fem/flux.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const sab_grid unit_square = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};

static sab_boundary velocity(char *group, double ux, double uy)
{
    return (sab_boundary){.group = group,
                          .has_velocity = true,
                          .prescribed = {true, true},
                          .velocity = {sab_constant(ux), sab_constant(uy)}};
}

static int node_at(const sab_mesh *mesh, double x, double y)
{
    for (int n = 0; n < mesh->nnodes; n++)
        if (hypot(mesh->x[2 * n] - x, mesh->x[2 * n + 1] - y) < 1e-9)
            return n;
    return -1;
}

/* Velocity along the axes of a node when all unknowns are `u`. */
static void velocity_at(const sab_dofs *dofs, int node, double u, double out[2])
{
    double *all = sab_alloc((size_t)dofs->nfree + 1, sizeof *all);
    double *U = sab_alloc(2 * (size_t)dofs->nnodes, sizeof *U);

    for (int i = 0; i < dofs->nfree; i++)
        all[i] = u;
    sab_dofs_expand(dofs, all, U);
    out[0] = U[2 * node];
    out[1] = U[2 * node + 1];
    SAB_FREE(all);
    SAB_FREE(U);
}

static sab_space *space_of(const sab_mesh *mesh)
{
    sab_space *space = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    return space;
}

static double flux_through(const sab_mesh *mesh, int group, const double *U)
{
    sab_space *space = space_of(mesh);
    const double flux = sab_boundary_flux(space, group, U);

    sab_space_destroy(&space);
    return flux;
}

static void load_on(const sab_mesh *mesh, int n, const sab_boundary *b, const int *group, double *F)
{
    sab_space *space = space_of(mesh);

    CU_ASSERT_EQUAL(sab_boundary_load(space, n, b, group, 0.0, F, NULL), SAB_OK);
    sab_space_destroy(&space);
}

static sab_dofs *apply(const sab_mesh *mesh, int n, const sab_boundary *boundary)
{
    int group[8];
    sab_dofs *dofs = NULL;

    for (int b = 0; b < n; b++)
        group[b] = sab_mesh_find_group(mesh, boundary[b].group);
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(mesh, &sab_geometry_plane, 0, n, boundary, group, 0.0, &dofs, NULL),
        SAB_OK);
    return dofs;
}

/* Velocity at a node, all unknowns being 9, for the entries in each of their orders. */
static void expect_in_any_order(const sab_mesh *mesh, int n, const sab_boundary *boundary, int node,
                                double ux, double uy)
{
    int order[4] = {0, 1, 2, 3}, orders = 1;

    for (int k = 2; k <= n; k++)
        orders *= k;
    for (int k = 0; k < orders; k++) {
        sab_boundary shuffled[4];
        double u[2];
        int rest = k;

        for (int i = 0; i < n; i++)
            order[i] = i;
        for (int i = n; i > 1; i--) { /* the k-th permutation */
            const int j = rest % i, swap = order[j];

            rest /= i;
            order[j] = order[i - 1];
            order[i - 1] = swap;
        }
        for (int i = 0; i < n; i++)
            shuffled[i] = boundary[order[i]];
        sab_dofs *dofs = apply(mesh, n, shuffled);
        velocity_at(dofs, node, 9.0, u);
        SAB_ASSERT_CLOSE(u[0], ux, 1e-14);
        SAB_ASSERT_CLOSE(u[1], uy, 1e-14);
        sab_dofs_destroy(&dofs);
    }
}

/* Rest wins against motion, and the dofs say where; nothing is said where both agree. */
static void test_rest_wins(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const sab_boundary cavity[] = {velocity("left", 0, 0), velocity("right", 0, 0),
                                   velocity("top", 1, 0)};
    const sab_boundary agreed[] = {velocity("left", 1, 0), velocity("top", 1 + 1e-12, 0)};
    const int corner = node_at(mesh, 0, 1);

    expect_in_any_order(mesh, 3, cavity, corner, 0, 0);
    sab_dofs *dofs = apply(mesh, 3, cavity);
    CU_ASSERT_EQUAL(dofs->owner[corner], SAB_SEVERAL);
    CU_ASSERT_EQUAL(dofs->nshares, 4);
    for (int k = 0; k < dofs->nshares; k++) { /* the lid carries nothing where it gives way */
        const int lid = dofs->share[k].entry == 2;

        CU_ASSERT(dofs->share[k].part[0][1] == 0.0 && dofs->share[k].part[1][0] == 0.0);
        SAB_ASSERT_CLOSE(dofs->share[k].part[0][0], lid ? 0.0 : 1.0, 1e-15);
        SAB_ASSERT_CLOSE(dofs->share[k].part[1][1], 0.5, 1e-15);
    }
    CU_ASSERT_EQUAL(dofs->owner[node_at(mesh, 0.5, 1)], 2);
    CU_ASSERT_EQUAL(dofs->owner[node_at(mesh, 0.5, 0)], SAB_NOBODY);
    CU_ASSERT_EQUAL(dofs->nfree, 2 * (mesh->nnodes - 25));
    CU_ASSERT_EQUAL_FATAL(dofs->nconcessions, 2);
    for (int k = 0; k < 2; k++) {
        CU_ASSERT(dofs->concession[k].other == 2 && dofs->concession[k].nodes == 1);
        CU_ASSERT(dofs->concession[k].place[0] == dofs->concession[k].holder);
        CU_ASSERT(dofs->concession[k].place[1] == 1.0);
    }
    sab_dofs_destroy(&dofs);
    expect_in_any_order(mesh, 2, agreed, corner, 1, 0);
    dofs = apply(mesh, 2, agreed);
    CU_ASSERT_EQUAL(dofs->nconcessions, 0);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* Velocities hold their components, slip its normal where they leave one, tractions nothing. */
static void test_ranks(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const int corner = node_at(mesh, 0, 1);
    const sab_boundary top_slip = {.group = "top", .slip = true};
    const sab_boundary left_slip = {.group = "left", .slip = true};
    const sab_boundary open = {.group = "left", .has_traction = true};
    sab_boundary across = velocity("left", 5, 0), along = velocity("top", 0, 3);
    across.prescribed[1] = along.prescribed[0] = false;
    const sab_boundary free_both[] = {across, along};
    const sab_boundary rest_in_part[] = {velocity("left", 3, 4), velocity("top", 0, 0)};
    const sab_boundary over_slip[] = {velocity("left", 1, 2), top_slip};
    const sab_boundary with_slip[] = {across, top_slip};
    const sab_boundary slips[] = {left_slip, top_slip};
    const sab_boundary over_traction[] = {open, velocity("top", 1, 2)};
    const sab_boundary slip_traction[] = {open, top_slip};
    sab_boundary partly[2];

    expect_in_any_order(mesh, 2, free_both, corner, 5, 3);
    expect_in_any_order(mesh, 2, rest_in_part, corner, 0, 0);
    memcpy(partly, rest_in_part, sizeof partly);
    partly[1].prescribed[1] = false; /* top at rest along x only */
    expect_in_any_order(mesh, 2, partly, corner, 0, 4);
    expect_in_any_order(mesh, 2, over_slip, corner, 1, 2);
    expect_in_any_order(mesh, 2, with_slip, corner, 5, 0);
    expect_in_any_order(mesh, 2, slips, corner, 0, 0);
    expect_in_any_order(mesh, 2, over_traction, corner, 1, 2);
    expect_in_any_order(mesh, 2, slip_traction, corner, -9, 0); /* t = (-n_y, n_x), n = (0, 1) */
    sab_dofs *dofs = apply(mesh, 2, over_slip); /* 2 through the slip wall, at one node */
    CU_ASSERT_EQUAL_FATAL(dofs->nconcessions, 1);
    CU_ASSERT(dofs->concession[0].holder == 0 && dofs->concession[0].other == 1);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* One slip wall in two groups: the normal at their common node is that of both together. */
static void test_slip_in_two_groups(void)
{
    const double slope = 0.2;
    sab_mesh *mesh = sab_grid_create(&(sab_grid){2, 1, 0, 0, 2, 1, 0.0, 0.0, 0.0});
    double u[2];

    for (int n = 0; n < mesh->nnodes; n++) /* the bottom rises behind x = 1 */
        mesh->x[2 * n + 1] += slope * fmax(0.0, mesh->x[2 * n] - 1.0);
    const int a = node_at(mesh, 0, 0), b = node_at(mesh, 1, 0), c = node_at(mesh, 2, slope);
    const int west[1][2] = {{a, b}}, east[1][2] = {{b, c}};

    CU_ASSERT_EQUAL_FATAL(sab_mesh_add_group(mesh, "west", 8, 1, west[0], NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_mesh_add_group(mesh, "east", 9, 1, east[0], NULL), SAB_OK);
    for (int k = 0; k < 2; k++) {
        const sab_boundary wall[] = {{.group = k == 0 ? "west" : "east", .slip = true},
                                     {.group = k == 0 ? "east" : "west", .slip = true}};
        sab_dofs *dofs = apply(mesh, 2, wall);
        double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U), flux = 0.0;

        velocity_at(dofs, b, 9.0, u);
        SAB_ASSERT_CLOSE(hypot(u[0], u[1]), 9.0, 1e-13);
        SAB_ASSERT_CLOSE(fabs(u[1] / u[0]), 0.5 * slope, 1e-13); /* normals (0, 1), (-slope, 1) */
        U[2 * b] = u[0];
        U[2 * b + 1] = u[1];
        for (int g = 4; g < 6; g++)
            flux += flux_through(mesh, g, U);
        SAB_ASSERT_CLOSE(flux, 0.0, 1e-14);
        SAB_FREE(U);
        sab_dofs_destroy(&dofs);
    }
    sab_mesh_destroy(&mesh);
}

/* `over` silences a group at the common nodes, whatever its rank; two motions without it are an
 * error. */
static void test_over(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const int corner = node_at(mesh, 0, 1), group[2] = {3, 2};
    const char *top[1] = {"top"}, *left[1] = {"4"};
    sab_boundary lid[] = {velocity("left", 0, 0), velocity("top", 1, 0)};
    sab_boundary moving[] = {velocity("left", 1, 2), velocity("top", 1, 0)};
    sab_boundary outlet[] = {{.group = "left", .has_traction = true}, velocity("top", 0, 0)};
    sab_boundary axis[] = {{.group = "left", .slip = true}, velocity("top", 3, 4)};
    sab_dofs *dofs = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(
        sab_dofs_create(mesh, &sab_geometry_plane, 0, 2, moving, group, 0.0, &dofs, &err),
        SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(dofs);
    CU_ASSERT_STRING_EQUAL(
        err.message,
        "boundaries.left: moves with (1, 2) at (0, 1), a node that it shares with 'boundaries.top',"
        " which moves with (1, 0); say which one holds there: over: top here, or over: left there");
    lid[1].nover = moving[0].nover = outlet[0].nover = axis[0].nover = 1;
    lid[1].over = left; /* by number */
    moving[0].over = outlet[0].over = axis[0].over = top;
    expect_in_any_order(mesh, 2, lid, corner, 1, 0);
    expect_in_any_order(mesh, 2, moving, corner, 1, 2);
    expect_in_any_order(mesh, 2, outlet, corner, 9, 9);
    expect_in_any_order(mesh, 2, axis, corner, 0, -9); /* t = (-n_y, n_x), n = (-1, 0) */
    sab_mesh_destroy(&mesh);
}

/* Parts of the reaction at a corner: they add up to the identity; lengths share what two walls can
 * both carry, a slip wall carries nothing along itself, and two slip walls at an angle leave no
 * choice. Sides of the grid have lengths 1/2 and 1/4. */
static void test_shares(void)
{
    const double turn = 0.3, n[2] = {-cos(turn), -sin(turn)}, m[2] = {-sin(turn), cos(turn)};
    sab_mesh *mesh = sab_grid_create(&(sab_grid){2, 4, 0, 0, 1, 1, 0.0, 0.0, turn});
    const int corner = node_at(mesh, -sin(turn), cos(turn));
    const sab_boundary held_left = velocity("left", 0, 0), held_top = velocity("top", 0, 0);
    const sab_boundary slip_left = {.group = "left", .slip = true};
    const sab_boundary slip_top = {.group = "top", .slip = true};
    const sab_boundary open_top = {.group = "top", .has_traction = true};
    const sab_boundary open_left = {.group = "left", .has_traction = true};
    const char *top[1] = {"top"};
    sab_boundary left_over_top = held_left, through = velocity("left", cos(turn), sin(turn));
    left_over_top.over = top;
    left_over_top.nover = 1;
    const sab_boundary across = velocity("top", 1, 0); /* crosses the slip wall */
    const struct {
        sab_boundary left, top;
        double normal, along; /* what left gets of a force along n, and of one along m */
    } table[] = {{held_left, held_top, 1.0 / 3, 1.0 / 3}, {slip_left, held_top, 1.0 / 3, 0.0},
                 {held_left, slip_top, 1.0, 1.0 / 3},     {slip_left, slip_top, 1.0, 0.0},
                 {open_left, open_top, 1.0 / 3, 1.0 / 3}, {held_left, open_top, 1.0, 1.0},
                 {left_over_top, held_top, 1.0, 1.0},     {through, held_top, 0.0, 0.0},
                 {through, slip_top, 1.0, 1.0 / 3},       {slip_left, across, 0.0, 0.0}};

    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        for (int swap = 0; swap < 2; swap++) {
            const sab_boundary pair[2] = {swap ? table[k].top : table[k].left,
                                          swap ? table[k].left : table[k].top};
            sab_dofs *dofs = apply(mesh, 2, pair);
            double sum[2][2] = {{0.0}};
            int parts = 0;

            for (int s = 0; s < dofs->nshares; s++) {
                const sab_share *share = &dofs->share[s];

                if (share->node != corner)
                    continue;
                parts++;
                for (int i = 0; i < 2; i++) {
                    const double *row = share->part[i];

                    if (share->entry == swap) {
                        SAB_ASSERT_CLOSE(row[0] * n[0] + row[1] * n[1], table[k].normal * n[i],
                                         1e-14);
                        SAB_ASSERT_CLOSE(row[0] * m[0] + row[1] * m[1], table[k].along * m[i],
                                         1e-14);
                    }
                    for (int j = 0; j < 2; j++)
                        sum[i][j] += row[j];
                }
            }
            if (table[k].normal == table[k].along && table[k].normal != 1.0 / 3) { /* one alone */
                CU_ASSERT_EQUAL(parts, 0);
                CU_ASSERT_EQUAL(dofs->owner[corner], table[k].normal == 1.0 ? swap : !swap);
            } else {
                CU_ASSERT_EQUAL(parts, 2);
                for (int i = 0; i < 4; i++)
                    SAB_ASSERT_CLOSE(sum[i / 2][i % 2], i % 3 == 0 ? 1.0 : 0.0, 1e-14);
            }
            sab_dofs_destroy(&dofs);
        }
    sab_mesh_destroy(&mesh);
}

/* Slip on a rotated square: u.n = 0 on each side, corners at rest, and no flux whatever the
 * unknowns are. */
static void test_oblique_slip(void)
{
    sab_grid grid = unit_square;
    grid.rotation = 0.5;
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_boundary b[4] = {{.group = "bottom", .slip = true},
                         {.group = "right", .slip = true},
                         {.group = "top", .slip = true},
                         {.group = "left", .slip = true}};
    sab_dofs *dofs = apply(mesh, 4, b);
    double *u = sab_alloc((size_t)dofs->nfree, sizeof *u);
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U);
    unsigned long long seed = 5;

    for (int i = 0; i < dofs->nfree; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    sab_dofs_expand(dofs, u, U);
    const int middle = node_at(mesh, 0.5 * cos(0.5), 0.5 * sin(0.5));
    SAB_ASSERT_CLOSE(-sin(0.5) * U[2 * middle] + cos(0.5) * U[2 * middle + 1], 0.0, 1e-14);
    CU_ASSERT(hypot(U[2 * middle], U[2 * middle + 1]) > 0.01);
    const int corner = node_at(mesh, cos(0.5), sin(0.5));
    SAB_ASSERT_CLOSE(hypot(U[2 * corner], U[2 * corner + 1]), 0.0, 1e-15);
    for (int g = 0; g < 4; g++)
        SAB_ASSERT_CLOSE(flux_through(mesh, g, U), 0.0, 1e-14);
    /* l.u = F.U for a force: restriction is the transpose of expansion */
    double *l = sab_alloc((size_t)dofs->nfree, sizeof *l), work = 0.0, work_nodal = 0.0;
    double *F = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *F);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        F[i] = sab_test_random(&seed) - 0.5;
    sab_dofs_restrict(dofs, F, l);
    for (int i = 0; i < dofs->nfree; i++)
        work += l[i] * u[i];
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        work_nodal += F[i] * U[i];
    SAB_ASSERT_CLOSE(work, work_nodal, 1e-13);
    SAB_FREE(u);
    SAB_FREE(U);
    SAB_FREE(l);
    SAB_FREE(F);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* An oblique slip wall that meets a wall with given velocity at a corner: both hold. */
static void test_slip_meets_velocity(void)
{
    sab_grid grid = unit_square;
    grid.rotation = 0.5;
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_boundary b[2] = {{.group = "bottom", .slip = true},
                         {.group = "left",
                          .has_velocity = true,
                          .prescribed = {true, false},
                          .velocity = {sab_constant(2.0)}}};
    sab_dofs *dofs = apply(mesh, 2, b);
    double u[2];

    velocity_at(dofs, node_at(mesh, 0, 0), 9.0, u);
    SAB_ASSERT_CLOSE(u[0], 2.0, 1e-14);
    SAB_ASSERT_CLOSE(-sin(0.5) * u[0] + cos(0.5) * u[1], 0.0, 1e-14);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* What a node may not do: P += sign times the projection on its held directions, u likewise the
 * held velocity. */
static void add_held(const sab_dofs *d, int node, double sign, double P[SAB_DIM][SAB_DIM],
                     double u[SAB_DIM])
{
    for (int k = 0; k < d->dim; k++) {
        const double *f = d->frame + d->dim * (d->dim * node + k);

        for (int i = 0; i < d->dim && d->number[d->dim * node + k] < 0; i++) {
            u[i] += sign * f[i] * d->value[d->dim * node + k];
            for (int j = 0; j < d->dim; j++)
                P[i][j] += sign * f[i] * f[j];
        }
    }
}

/* The same conditions, and the same parts of reactions, which add up to the identity. */
static void compare_nodes(const sab_dofs *a, const sab_dofs *b, const int *order)
{
    const int dim = a->dim;

    for (int node = 0; node < a->nnodes; node++) {
        double P[SAB_DIM][SAB_DIM] = {{0.0}}, u[SAB_DIM] = {0.0}, sum[SAB_DIM][SAB_DIM] = {{0.0}};

        add_held(a, node, 1.0, P, u);
        add_held(b, node, -1.0, P, u);
        CU_ASSERT_EQUAL(a->owner[node] < 0 ? a->owner[node] : order[a->owner[node]],
                        b->owner[node]);
        for (int k = 0; k < b->nshares; k++)
            for (int i = 0; i < dim * dim && b->share[k].node == node; i++)
                sum[i / dim][i % dim] += b->share[k].part[i / dim][i % dim];
        for (int i = 0; i < dim; i++) {
            SAB_ASSERT_CLOSE(u[i], 0.0, 1e-13);
            for (int j = 0; j < dim; j++) {
                SAB_ASSERT_CLOSE(P[i][j], 0.0, 1e-13);
                if (b->owner[node] == SAB_SEVERAL)
                    SAB_ASSERT_CLOSE(sum[i][j], i == j, 1e-12);
            }
        }
    }
    CU_ASSERT_EQUAL_FATAL(a->nshares, b->nshares);
    for (int k = 0; k < a->nshares; k++)
        for (int m = 0; m < b->nshares; m++)
            if (a->share[k].node == b->share[m].node &&
                order[a->share[k].entry] == b->share[m].entry)
                for (int i = 0; i < dim * dim; i++)
                    SAB_ASSERT_CLOSE(a->share[k].part[i / dim][i % dim],
                                     b->share[m].part[i / dim][i % dim], 1e-12);
}

/* A parallelogram, or a parallelepiped, turned at random; corners down to 18 degrees. */
static sab_mesh *sheared(int dim, unsigned long long *seed)
{
    const double turn = 6.0 * sab_test_random(seed), shear = 3.0 * sab_test_random(seed);
    const sab_grid grid = {2, 3, 0, 0, 1, 1, 0.0, 0.0, turn};
    const sab_box box = {{1, 1, 2},
                         {0.0, 0.0, 0.0},
                         {1.0, 1.0, 1.0},
                         0.0,
                         0.0,
                         {turn, 6.0 * sab_test_random(seed), -turn}};
    sab_mesh *mesh = dim == 2 ? sab_grid_create(&grid) : sab_grid_box(&box);

    for (int n = 0; n < mesh->nnodes; n++) {
        double *x = sab_mesh_x(mesh, n);

        x[0] += shear * x[dim - 1];
    }
    return mesh;
}

/* Any conditions on the sides of such a body, forwards and backwards: the same. */
static void test_random_entries(void)
{
    /* no circle: each names one that it meets */
    const char *over[2][6] = {{"right", "top", "left", NULL},
                              {"front", "back", "bottom", "top", "right", NULL}};
    unsigned long long seed = 11;

    for (int dim = 2; dim <= 3; dim++) {
        const sab_geometry *geometry = dim == 2 ? &sab_geometry_plane : &sab_geometry_space;
        const int n = 2 * dim, faces = dim - 2;
        int settled = 0, refused = 0;

        for (int k = 0; k < (dim == 2 ? 400 : 800); k++) {
            sab_mesh *mesh = sheared(dim, &seed);
            sab_boundary b[2][6] = {{{0}}};
            sab_dofs *dofs[2] = {NULL, NULL};
            int backwards[6], group[6];
            sab_status status[2];

            for (int i = 0; i < n; i++) {
                const double kind = sab_test_random(&seed);

                b[0][i].group = mesh->group[i].name;
                b[0][i].has_velocity = kind < 0.5;
                b[0][i].slip = kind > 0.5 && kind < 0.85;
                b[0][i].has_traction = kind > 0.85;
                for (int c = 0; c < dim; c++) {
                    b[0][i].prescribed[c] = kind < 0.3 || c == (int)(10.0 * kind) % dim;
                    b[0][i].velocity[c] = sab_constant(kind < 0.25 ? 0.0 : floor(8.0 * kind) - 1.0);
                }
                b[0][i].nover = over[dim - 2][i] != NULL && sab_test_random(&seed) < 0.2;
                b[0][i].over = &over[dim - 2][i];
            }
            for (int way = 0; way < 2; way++) {
                for (int i = 0; i < n; i++) {
                    backwards[i] = n - 1 - i;
                    group[i] = way == 0 ? i : backwards[i];
                    b[way][i] = b[0][group[i]];
                }
                status[way] = sab_dofs_create(mesh, geometry, faces * mesh->nsides, n, b[way],
                                              group, 0.0, &dofs[way], NULL);
            }
            CU_ASSERT_EQUAL_FATAL(status[0], status[1]);
            if (status[0] == SAB_OK)
                compare_nodes(dofs[0], dofs[1], backwards);
            status[0] == SAB_OK ? settled++ : refused++;
            sab_dofs_destroy(&dofs[0]);
            sab_dofs_destroy(&dofs[1]);
            sab_mesh_destroy(&mesh);
        }
        printf("\n    %d settled, %d refused ... ", settled, refused);
        CU_ASSERT(settled > 100 && refused > 10);
    }
}

static void test_rigid_motions(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const sab_boundary fixed = velocity("left", 0, 0);
    const sab_boundary slip[3] = {{.group = "bottom", .slip = true},
                                  {.group = "top", .slip = true},
                                  {.group = "left", .slip = true}};
    const struct {
        int n;
        const sab_boundary *b;
        int motions;
    } table[] = {{0, NULL, 3}, {1, &fixed, 0}, {1, slip, 1}, {2, slip, 1}, {3, slip, 0}};

    for (int i = 0; i < 5; i++) {
        sab_dofs *dofs = apply(mesh, table[i].n, table[i].b);

        int motions, node;

        CU_ASSERT_EQUAL(
            sab_dofs_rigid_motions(dofs, mesh, &sab_geometry_plane, NULL, &motions, &node, NULL),
            SAB_OK);
        CU_ASSERT_EQUAL(motions, table[i].motions);
        sab_dofs_destroy(&dofs);
    }
    sab_mesh_destroy(&mesh);
}

/* A uniform pressure on a closed boundary has no resultant; a traction has its length as one. */
static void test_loads(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    sab_boundary b[4];
    int group[4] = {0, 1, 2, 3};
    char *names[4] = {"bottom", "right", "top", "left"};
    double *F = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *F), sum[2] = {0.0, 0.0};

    for (int i = 0; i < 4; i++)
        b[i] =
            (sab_boundary){.group = names[i], .has_pressure = true, .pressure = sab_constant(3.0)};
    load_on(mesh, 4, b, group, F);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        sum[i % 2] += F[i];
    SAB_ASSERT_CLOSE(sum[0], 0.0, 1e-14);
    SAB_ASSERT_CLOSE(sum[1], 0.0, 1e-14);
    memset(F, 0, 2 * (size_t)mesh->nnodes * sizeof *F);
    sum[0] = sum[1] = 0.0;
    load_on(mesh, 1, b, group, F); /* the bottom pushes up */
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        sum[i % 2] += F[i];
    SAB_ASSERT_CLOSE(sum[0], 0.0, 1e-14);
    SAB_ASSERT_CLOSE(sum[1], 3.0, 1e-14);
    memset(F, 0, 2 * (size_t)mesh->nnodes * sizeof *F);
    sum[0] = sum[1] = 0.0;
    b[1] = (sab_boundary){.group = names[1],
                          .has_traction = true,
                          .traction = {sab_constant(2.0), sab_constant(-5.0)}};
    load_on(mesh, 1, b + 1, group + 1, F);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        sum[i % 2] += F[i];
    SAB_ASSERT_CLOSE(sum[0], 2.0, 1e-14);
    SAB_ASSERT_CLOSE(sum[1], -5.0, 1e-14);
    SAB_FREE(F);
    sab_mesh_destroy(&mesh);
}

/* Outward flux of (3x, -y) is the divergence times the area. */
static void test_flux(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U), flux = 0.0;

    for (int n = 0; n < mesh->nnodes; n++) {
        U[2 * n] = 3.0 * mesh->x[2 * n];
        U[2 * n + 1] = -mesh->x[2 * n + 1];
    }
    for (int g = 0; g < 4; g++)
        flux += flux_through(mesh, g, U);
    SAB_ASSERT_CLOSE(flux, 2.0, 1e-13);
    SAB_ASSERT_CLOSE(flux_through(mesh, sab_mesh_find_group(mesh, "right"), U), 3.0, 1e-13);
    SAB_FREE(U);
    sab_mesh_destroy(&mesh);
}

static void test_matching(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    sab_boundary b[4] = {velocity("bottom", 0, 0), velocity("2", 0, 0), velocity("top", 0, 0),
                         velocity("left", 0, 0)};
    int group[4];
    sab_boundary_report report;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 4, b, group, &report, &err),
                    SAB_OK);
    CU_ASSERT_EQUAL(group[1], sab_mesh_find_group(mesh, "right")); /* by number */
    CU_ASSERT_EQUAL(report.uncovered, 0);
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 3, b, group, &report, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "group 'left' (number 4) of the mesh has no"));
    b[3].group = "lid";
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 4, b, group, &report, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "'bottom', 'right', 'top' and 'left'"));
    b[3].group = "right";
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 4, b, group, &report, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "the same group as 'boundaries.2'"));
    const char *right[1] = {"right"}, *top[1] = {"top"}, *bottom[2] = {"left", "bottom"};
    b[3].group = "left";
    b[0].over = right;
    b[1].over = top;
    b[2].over = bottom;
    b[0].nover = b[1].nover = b[2].nover = 1;
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 4, b, group, &report, &err),
                    SAB_OK);
    b[2].nover = 2; /* top and bottom do not meet */
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 4, b, group, &report, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(err.message, "boundaries.top.over: the group has no node in com"));
    b[2].nover = 1;
    b[3].nover = 1; /* bottom, right, top, left, and bottom again */
    b[3].over = bottom + 1;
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, &sab_geometry_plane, 4, b, group, &report, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "is in the end over"));
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"rest wins at shared nodes", test_rest_wins},
        {"velocity, slip, traction", test_ranks},
        {"a slip wall in two groups", test_slip_in_two_groups},
        {"one entry over another", test_over},
        {"shares of a reaction", test_shares},
        {"oblique slip", test_oblique_slip},
        {"slip meets a given velocity", test_slip_meets_velocity},
        {"any conditions, in two orders", test_random_entries},
        {"rigid motions", test_rigid_motions},
        {"pressure and traction", test_loads},
        {"flux", test_flux},
        {"matching groups and entries", test_matching},
    };

    return SAB_TEST_MAIN("fem/dofs", tests);
}

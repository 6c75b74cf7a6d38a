/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/fields.h"
#include "fem/wall.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static const sab_grid unit_square = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};

/* A stress without flow on a mesh, held on every side of `held` groups. */
typedef struct body {
    sab_mesh *mesh;
    sab_space *space;
    sab_dofs *dofs;
    sab_fields *fields;
    double *load, *F;
    int nboundaries, group[4];
    sab_boundary boundary[4];
} body;

static body make_body(sab_mesh *mesh, int held, char *const *name)
{
    body b = {.mesh = mesh, .nboundaries = held};

    for (int i = 0; i < held; i++) {
        b.boundary[i] =
            (sab_boundary){.group = name[i], .has_velocity = true, .prescribed = {true, true}};
        b.group[i] = sab_mesh_find_group(mesh, name[i]);
    }
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, &sab_geometry_plane, 0, held, b.boundary, b.group,
                                          0.0, &b.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &b.space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_fields_create(b.space, &b.fields, NULL), SAB_OK);
    b.load = sab_alloc(sab_space_size(b.space), sizeof *b.load);
    b.F = sab_alloc(sab_space_size(b.space), sizeof *b.F);
    return b;
}

static void free_body(body *b)
{
    SAB_FREE(b->load);
    SAB_FREE(b->F);
    sab_fields_destroy(&b->fields);
    sab_space_destroy(&b->space);
    sab_dofs_destroy(&b->dofs);
    sab_mesh_destroy(&b->mesh);
}

static sab_balance balance_of(const body *b)
{
    return (sab_balance){b->dofs, b->boundary, b->group, 0.0, b->load};
}

static void force_on(body *b, int entry)
{
    const sab_balance balance = balance_of(b);

    CU_ASSERT_EQUAL_FATAL(
        sab_fields_nodal_force(b->fields, &balance, entry, SAB_FORCE_TOTAL, b->F, NULL), SAB_OK);
}

static sab_wall_trace *wall_of(const body *b, int entry, int samples)
{
    sab_wall_trace *wall = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_wall_create(b->mesh, &sab_geometry_plane, b->group[entry],
                                          b->dofs->owner, entry, samples, &wall, NULL),
                          SAB_OK);
    return wall;
}

/* The film of docs/theory.md, 8.2: p = (1-y) cos a, sigma_xy = (1-y) sin a under gravity. The
 * reactions on the bottom are its weight, vertex by vertex: normal cos a, shear sin a. Turned by
 * any angle it is the same. */
static void test_film(void)
{
    const double a = 0.5;

    for (int k = 0; k < 3; k++) {
        const double turn = 0.8 * k, c = cos(turn), s = sin(turn);
        sab_grid grid = unit_square;
        double stress[2 * 16], force[2], sum[2] = {0.0, 0.0};

        grid.rotation = turn;
        body b = make_body(sab_grid_create(&grid), 1, (char *[]){"bottom"});
        const sab_function gravity[2] = {sab_constant(c * sin(a) + s * cos(a)),
                                         sab_constant(s * sin(a) - c * cos(a))};
        for (int q = 0; q < b.space->npoints; q++) {
            const double *x = b.space->point + 2 * q, y = -s * x[0] + c * x[1];
            const double shear = (1.0 - y) * sin(a);
            double *total = b.fields->total + 3 * q; /* mean, (xx - yy)/2, xy; turned */

            total[0] = -(1.0 - y) * cos(a);
            total[1] = -sin(2.0 * turn) * shear;
            total[2] = cos(2.0 * turn) * shear;
        }
        sab_space_body_force(b.space, gravity, 0.0, b.load, NULL);
        force_on(&b, 0);
        sab_wall_trace *wall = wall_of(&b, 0, 0);
        CU_ASSERT_EQUAL_FATAL(wall->nrows, 3);
        sab_wall_stress(wall, b.F, stress);
        for (int i = 0; i < wall->nrows; i++) {
            SAB_ASSERT_CLOSE(stress[2 * i], cos(a), 1e-12);
            SAB_ASSERT_CLOSE(stress[2 * i + 1], sin(a), 1e-12);
            SAB_ASSERT_CLOSE(wall->s[i], 0.25 * (i + 1), 1e-13);
            SAB_ASSERT_CLOSE(wall->x[2 * i], c * wall->s[i], 1e-13);
            SAB_ASSERT_CLOSE(wall->x[2 * i + 1], s * wall->s[i], 1e-13);
        }
        /* with the two ends, which the table leaves out, the force of the probe */
        const sab_balance balance = balance_of(&b);
        sab_fields_force(b.fields, &balance, 0, SAB_FORCE_TOTAL, b.F, force, NULL);
        for (int i = 0; i < wall->nvertices; i++)
            for (int d = 0; d < 2; d++) {
                const double *n = wall->vertex[i].normal, along = d == 0 ? -n[1] : n[0];

                sum[d] += wall->vertex[i].size * (stress[2 * i] * n[d] + stress[2 * i + 1] * along);
            }
        for (int f = 0; f < 4; f += 3) { /* the first and the last side of the bottom */
            const int *node = b.mesh->facet + 3 * b.mesh->group[b.group[0]].facet[f];

            for (int d = 0; d < 2; d++)
                sum[d] += b.F[2 * node[f / 3] + d] + 0.5 * b.F[2 * node[2] + d];
        }
        for (int d = 0; d < 2; d++)
            SAB_ASSERT_CLOSE(sum[d], force[d], 1e-12);
        sab_wall_destroy(&wall);
        CU_ASSERT_PTR_NULL(wall);
        free_body(&b);
    }
}

/* A continuous stress that is linear, sigma = (xx, yy, xy) = (1 + x, 2 - y, x + 3y), on a turned
 * square: its own value on the normal at each vertex, and the exact integral over each side. With
 * the middles of the sides moved out, a constant one: the integral of n sees only the two ends. */
static void test_continuous_stress(void)
{
    static char *const name[4] = {"bottom", "right", "top", "left"};

    for (int curved = 0; curved < 2; curved++) {
        const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.4};
        const double a = 1 - curved; /* of the linear part */
        body b = make_body(sab_grid_create(&grid), 4, name);
        const sab_mesh *mesh = b.mesh;
        double *sigma = sab_alloc(3 * (size_t)mesh->nnodes, sizeof *sigma);

        for (int n = 0; n < mesh->nnodes; n++) {
            const double x = a * mesh->x[2 * n], y = a * mesh->x[2 * n + 1];

            sigma[3 * n] = 0.5 * (3.0 + x - y);
            sigma[3 * n + 1] = 0.5 * (x + y - 1.0);
            sigma[3 * n + 2] = x + 3.0 * y + curved;
        }
        for (int f = 0; f < mesh->nfacets && curved; f++) {
            const int *node = mesh->facet + 3 * f;

            for (int d = 0; d < 2; d++)
                mesh->x[2 * node[2] + d] += 0.02 * (mesh->x[2 * node[2] + d] - 0.3);
        }
        for (int g = 0; g < 4; g++) {
            const sab_mesh_group *group = &mesh->group[b.group[g]];
            double n[2] = {0.0, 0.0}, force[2], stress[2 * 3], t[2] = {0.0, 0.0};

            for (int f = 0; f < group->nfacets; f++) { /* the whole side has length 1 */
                const int *node = mesh->facet + 3 * group->facet[f];

                n[0] += mesh->x[2 * node[1] + 1] - mesh->x[2 * node[0] + 1];
                n[1] -= mesh->x[2 * node[1]] - mesh->x[2 * node[0]];
            }
            SAB_ASSERT_CLOSE(hypot(n[0], n[1]), 1.0, 1e-13);
            sab_wall_trace *wall = wall_of(&b, g, 0);
            sab_wall_recovered(wall, &sab_geometry_plane, sigma, stress);
            for (int i = 0; i < 3; i++) {
                const double x = a * wall->x[2 * i], y = a * wall->x[2 * i + 1];
                const double xy = x + 3.0 * y + curved, *m = wall->vertex[i].normal;
                const double here[2] = {-(1.0 + x) * m[0] - xy * m[1],
                                        -xy * m[0] - (2.0 - y) * m[1]};

                SAB_ASSERT_CLOSE(stress[2 * i], here[0] * m[0] + here[1] * m[1], 1e-13);
                SAB_ASSERT_CLOSE(stress[2 * i + 1], here[1] * m[0] - here[0] * m[1], 1e-13);
                if (i == 1) { /* the middle of the side is the mean of a linear function */
                    t[0] = -(1.0 + x) * n[0] - xy * n[1];
                    t[1] = -xy * n[0] - (2.0 - y) * n[1];
                }
            }
            sab_wall_force(mesh, b.group[g], &sab_geometry_plane, sigma, force);
            SAB_ASSERT_CLOSE(force[0], t[0], 1e-13);
            SAB_ASSERT_CLOSE(force[1], t[1], 1e-13);
            sab_wall_destroy(&wall);
        }
        SAB_FREE(sigma);
        free_body(&b);
    }
}

/* A traction that the group itself applies is returned with the opposite sign: nothing is held. */
static void test_given_traction(void)
{
    body b = make_body(sab_grid_create(&unit_square), 0, NULL);
    double stress[2 * 3];

    b.group[0] = sab_mesh_find_group(b.mesh, "right");
    b.boundary[0] = (sab_boundary){.group = "right",
                                   .has_traction = true,
                                   .traction = {sab_constant(-2.0), sab_constant(0.5)}};
    force_on(&b, 0);
    sab_wall_trace *wall = wall_of(&b, 0, 0);
    CU_ASSERT_EQUAL_FATAL(wall->nrows, 3);
    sab_wall_stress(wall, b.F, stress);
    for (int i = 0; i < 3; i++) {
        SAB_ASSERT_CLOSE(stress[2 * i], 2.0, 1e-13); /* compressed */
        SAB_ASSERT_CLOSE(stress[2 * i + 1], -0.5, 1e-13);
    }
    sab_wall_destroy(&wall);
    free_body(&b);
}

/* One group of the bottom and the right side, given in disorder, and of the top: s runs around the
 * corner, whose vertex is left out, and on along the top, from right to left. */
static void test_corners_and_pieces(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const int corner = 8, mx = 9; /* nodes of the lattice of tests/grid.c */
    int side[12][2];

    for (int i = 0; i < 4; i++) {
        memcpy(side[i], (int[2]){2 * (3 - i), 2 * (3 - i) + 2}, sizeof side[i]);
        memcpy(side[4 + i], (int[2]){corner + 2 * mx * i, corner + 2 * mx * (i + 1)},
               sizeof side[i]);
        memcpy(side[8 + i], (int[2]){8 * mx + 2 * i, 8 * mx + 2 * i + 2}, sizeof side[i]);
    }
    /* top and right have a corner too: leave the uppermost side of the right one out */
    memcpy(side[7], side[0], sizeof side[0]);
    CU_ASSERT_EQUAL_FATAL(sab_mesh_add_group(mesh, "round", 9, 12, side[0], NULL), SAB_OK);
    body b = make_body(mesh, 1, (char *[]){"round"});
    double stress[2 * 40];

    /* sigma = -p, p = 1 + s on the wall: x on the bottom, 1 + y on the right, no matter on top */
    for (int q = 0; q < b.space->npoints; q++)
        b.fields->total[3 * q] = -1.0 - b.space->point[2 * q] - b.space->point[2 * q + 1];
    const sab_function balance[2] = {sab_constant(1.0), sab_constant(1.0)};
    sab_space_body_force(b.space, balance, 0.0, b.load, NULL);
    force_on(&b, 0);
    sab_wall_trace *wall = wall_of(&b, 0, 0);
    CU_ASSERT_EQUAL_FATAL(wall->nrows, 3 + 2 + 3);
    static const double s[8] = {0.25, 0.5, 0.75, 1.25, 1.5, 2.0, 2.25, 2.5};
    static const double x[8] = {0.25, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.25};
    sab_wall_stress(wall, b.F, stress);
    for (int i = 0; i < 8; i++) {
        const double p = 1.0 + wall->x[2 * i] + wall->x[2 * i + 1];

        SAB_ASSERT_CLOSE(wall->s[i], s[i], 1e-13);
        SAB_ASSERT_CLOSE(wall->x[2 * i], x[i], 1e-13);
        SAB_ASSERT_CLOSE(stress[2 * i], p, 1e-12);
        SAB_ASSERT_CLOSE(stress[2 * i + 1], 0.0, 1e-12);
    }
    sab_wall_destroy(&wall);

    /* 29 samples, none on a corner: linear between vertices of one part, the nearest vertex
     * elsewhere */
    wall = wall_of(&b, 0, 29);
    CU_ASSERT_EQUAL_FATAL(wall->nrows, 29);
    sab_wall_stress(wall, b.F, stress);
    for (int i = 0; i < 29; i++) {
        const double at = 0.25 + 2.25 / 28.0 * i;
        const double p = at <= 0.75   ? 1.0 + at
                         : at < 1.0   ? 1.75
                         : at < 1.25  ? 2.25
                         : at <= 1.5  ? 1.0 + at
                         : at <= 1.75 ? 2.5
                         : at < 2.0   ? 2.75
                                      : 2.75 - (at - 2.0);

        SAB_ASSERT_CLOSE(wall->s[i], at, 1e-13);
        SAB_ASSERT_CLOSE(stress[2 * i], p, 1e-12);
        if (at < 1.0)
            SAB_ASSERT_CLOSE(wall->x[2 * i], at, 1e-13);
    }
    sab_wall_destroy(&wall);
    free_body(&b);
}

/* A closed line of eight sides around a square, its four corners left out; on the octagon made of
 * it by moving the corners, every vertex turns by 45 degrees, and there is nothing left. */
static void test_closed(void)
{
    sab_mesh *mesh = sab_grid_create(&(sab_grid){2, 2, 0, 0, 1, 1, 0.0, 0.0, 0.0});
    const int ring[9] = {2, 4, 14, 24, 22, 20, 10, 0, 2};
    int side[8][2];
    sab_wall_trace *wall = NULL;
    sab_error err = {0};

    for (int i = 0; i < 8; i++)
        memcpy(side[i], ring + i, sizeof side[i]);
    CU_ASSERT_EQUAL_FATAL(sab_mesh_add_group(mesh, "ring", 9, 8, side[0], NULL), SAB_OK);
    body b = make_body(mesh, 1, (char *[]){"ring"});
    double stress[2 * 5];

    for (int q = 0; q < b.space->npoints; q++)
        b.fields->total[3 * q] = -4.0;
    force_on(&b, 0);
    wall = wall_of(&b, 0, 0);
    CU_ASSERT_EQUAL_FATAL(wall->nrows, 5); /* it begins and ends at (0.5, 0) */
    sab_wall_stress(wall, b.F, stress);
    for (int i = 0; i < 5; i++) {
        SAB_ASSERT_CLOSE(wall->s[i], i, 1e-13);
        SAB_ASSERT_CLOSE(stress[2 * i], 4.0, 1e-12);
        SAB_ASSERT_CLOSE(stress[2 * i + 1], 0.0, 1e-12);
    }
    CU_ASSERT(wall->x[0] == 0.5 && wall->x[1] == 0.0 && wall->x[8] == 0.5 && wall->x[9] == 0.0);
    sab_wall_destroy(&wall);

    const double cut = 1.0 / 3.0; /* corners of the octagon */
    for (int i = 0; i < 4; i++) {
        double *x = mesh->x + 2 * ring[1 + 2 * i];

        for (int d = 0; d < 2; d++)
            x[d] += x[d] > 0.5 ? -0.5 * cut : 0.5 * cut;
    }
    for (int f = 0; f < mesh->nfacets; f++) { /* middles back between their ends */
        const int *node = mesh->facet + 3 * f;

        for (int d = 0; d < 2; d++)
            mesh->x[2 * node[2] + d] = 0.5 * (mesh->x[2 * node[0] + d] + mesh->x[2 * node[1] + d]);
    }
    CU_ASSERT_EQUAL(
        sab_wall_create(mesh, &sab_geometry_plane, b.group[0], b.dofs->owner, 0, 0, &wall, &err),
        SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "group 'ring' has no vertex"));
    CU_ASSERT_PTR_NULL(wall);
    free_body(&b);
}

/* Sides inside the domain, a wall that another entry holds, memory. */
static void test_errors(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const int inside[1][2] = {{4 + 2 * 9, 4 + 4 * 9}};
    int *owner = sab_alloc((size_t)mesh->nnodes, sizeof *owner);
    sab_wall_trace *wall = NULL;
    sab_error err = {0};
    bool reached = true;

    sab_mesh_add_group(mesh, "inside", 9, 1, inside[0], NULL);
    CU_ASSERT_EQUAL(sab_wall_create(mesh, &sab_geometry_plane, sab_mesh_find_group(mesh, "inside"),
                                    owner, 0, 0, &wall, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "group 'inside' has sides inside the domain"));
    CU_ASSERT_EQUAL(sab_wall_create(mesh, &sab_geometry_plane, 0, owner, 1, 0, &wall, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "belong to another entry"));
    for (int k = 0; reached; k++) {
        sab_memory.failing = k;
        const sab_status status =
            sab_wall_create(mesh, &sab_geometry_plane, 0, owner, 0, 7, &wall, NULL);
        reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(status, reached ? SAB_ERR_MEMORY : SAB_OK);
        CU_ASSERT_EQUAL(wall == NULL, reached);
        sab_wall_destroy(&wall);
    }
    SAB_FREE(owner);
    sab_mesh_destroy(&mesh);
}

/* A stress on a mesh in any geometry, without flow; each boundary node belongs to one group, that
 * of the bottom before the others, so that no corner is shared. */
typedef struct vessel {
    sab_mesh *mesh;
    sab_space *space;
    sab_fields *fields;
    sab_dofs dofs;
    sab_boundary boundary[SAB_SIDES + 2];
    int group[SAB_SIDES + 2];
    double *load, *F;
} vessel;

static vessel make_vessel(sab_mesh *mesh, const sab_element *element, const sab_geometry *geometry)
{
    vessel v = {.mesh = mesh, .dofs = {.dim = geometry->dim, .nnodes = mesh->nnodes}};
    const int width = mesh->cell->facet->nodes;

    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element, geometry, &v.space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_fields_create(v.space, &v.fields, NULL), SAB_OK);
    v.load = sab_alloc(sab_space_size(v.space), sizeof *v.load);
    v.F = sab_alloc(sab_space_size(v.space), sizeof *v.F);
    v.dofs.owner = sab_alloc((size_t)mesh->nnodes, sizeof *v.dofs.owner);
    memset(v.dofs.owner, SAB_NOBODY, (size_t)mesh->nnodes * sizeof *v.dofs.owner);
    for (int k = mesh->ngroups; k >= 0; k--) {
        const int g = k > 0 ? k - 1 : sab_mesh_find_group(mesh, "bottom");

        v.group[g] = g;
        for (int i = 0; i < width * mesh->group[g].nfacets; i++)
            v.dofs.owner[sab_mesh_facet(mesh, mesh->group[g].facet[i / width])[i % width]] = g;
    }
    return v;
}

static void free_vessel(vessel *v)
{
    SAB_FREE(v->load);
    SAB_FREE(v->F);
    SAB_FREE(v->dofs.owner);
    sab_fields_destroy(&v->fields);
    sab_space_destroy(&v->space);
    sab_mesh_destroy(&v->mesh);
}

static double reaction(vessel *v, int entry, double *force)
{
    const sab_balance balance = {&v->dofs, v->boundary, v->group, 0.0, v->load};

    CU_ASSERT_EQUAL_FATAL(
        sab_fields_force(v->fields, &balance, entry, SAB_FORCE_TOTAL, v->F, force, NULL), SAB_OK);
    return force[v->dofs.dim - 1];
}

static sab_wall_trace *wall_at(const vessel *v, int entry)
{
    sab_wall_trace *wall = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_wall_create(v->mesh, v->space->geometry, entry, v->dofs.owner, entry, 0, &wall, NULL),
        SAB_OK);
    return wall;
}

/* A uniform stress of six components in a turned box with a disordered inside: at each inner vertex
 * of each wall its traction, from the reactions and from the recovered stress, and the integral of
 * the latter; the sum of all reactions is 0. */
static void test_uniform_box(void)
{
    const sab_box box = {
        .n = {3, 3, 4}, .high = {1.0, 0.8, 1.2}, .jitter = 0.1, .rotation = {0.3, -0.5, 0.2}};
    static const double sigma[6] = {-2.0, 0.3, -0.4, 0.7, -0.2, 0.5}; /* s-vector */
    static const double area[6] = {0.96, 0.96, 1.2, 1.2, 0.8, 0.8};
    vessel v = make_vessel(sab_grid_box(&box), &sab_element_p2nb, &sab_geometry_space);
    double tensor[6], sum[3] = {0.0};
    double *nodal = sab_alloc(6 * (size_t)v.mesh->nnodes, sizeof *nodal);

    for (int q = 0; q < v.space->npoints; q++)
        memcpy(v.fields->total + 6 * q, sigma, sizeof sigma);
    for (int n = 0; n < v.mesh->nnodes; n++)
        memcpy(nodal + 6 * n, sigma, sizeof sigma);
    sab_geometry_space.tensor(sigma, tensor);
    for (int g = 0; g < 6; g++) {
        sab_wall_trace *wall = wall_at(&v, g);
        double stress[2][4 * 9], force[3];

        reaction(&v, g, force);
        for (int i = 0; i < 3; i++)
            sum[i] += force[i];
        CU_ASSERT_EQUAL_FATAL(wall->nrows, g < 4 ? 6 : 4); /* (n - 1)(m - 1) */
        sab_wall_stress(wall, v.F, stress[0]);
        sab_wall_recovered(wall, &sab_geometry_space, nodal, stress[1]);
        const double *n = wall->vertex[0].normal;
        const double t[3] = {-(tensor[0] * n[0] + tensor[3] * n[1] + tensor[5] * n[2]),
                             -(tensor[3] * n[0] + tensor[1] * n[1] + tensor[4] * n[2]),
                             -(tensor[5] * n[0] + tensor[4] * n[1] + tensor[2] * n[2])};
        const double normal = t[0] * n[0] + t[1] * n[1] + t[2] * n[2];
        for (int k = 0; k < wall->nrows; k++)
            for (int from = 0; from < 2; from++) {
                SAB_ASSERT_CLOSE(stress[from][4 * k], normal, 1e-12);
                for (int i = 0; i < 3; i++)
                    SAB_ASSERT_CLOSE(stress[from][4 * k + 1 + i], t[i] - normal * n[i], 1e-12);
            }
        sab_wall_force(v.mesh, g, &sab_geometry_space, nodal, force);
        for (int i = 0; i < 3; i++)
            SAB_ASSERT_CLOSE(force[i], area[g] * t[i], 1e-12);
        sab_wall_destroy(&wall);
    }
    for (int i = 0; i < 3; i++)
        SAB_ASSERT_CLOSE(sum[i], 0.0, 1e-12);
    SAB_FREE(nodal);
    free_vessel(&v);
}

/* A heap at rest, p = 1 - z, in a box and in a round vessel of radius 1.5: p on the walls at every
 * inner vertex, that on the axis included; the bottom carries the weight, in the vessel 2 pi times
 * int r dr, pi 1.5^2 with `whole`. The lid, where p = 0, carries nothing. */
static void test_rest(void)
{
    for (int k = 0; k < 3; k++) {
        const bool round = k < 2;
        sab_mesh *mesh =
            round
                ? sab_grid_create(&(sab_grid){4, 3, 0, 0, 1.5, 1, 0.1, 0.0, 0.0})
                : sab_grid_box(&(sab_box){.n = {4, 4, 3}, .high = {1.5, 1.0, 1.0}, .jitter = 0.1});
        const sab_geometry *geometry = round ? &sab_geometry_axisymmetric : &sab_geometry_space;
        vessel v = make_vessel(mesh,
                               k == 0   ? &sab_element_p2
                               : k == 1 ? &sab_element_p2b
                                        : &sab_element_p2nb,
                               geometry);
        const int dim = geometry->dim, s = geometry->s,
                  bottom = sab_mesh_find_group(mesh, "bottom");
        const double scale = sab_geometry_normal_scale(geometry);
        const double weight = round ? 3.14159265358979323846 * 1.5 * 1.5 : 1.5;
        sab_function gravity[3] = {{0}};
        double *nodal = sab_alloc((size_t)s * (size_t)mesh->nnodes, sizeof *nodal);
        double force[3];

        gravity[dim - 1] = sab_constant(-1.0);
        for (int q = 0; q < v.space->npoints; q++)
            v.fields->total[s * q] = -scale * (1.0 - v.space->point[dim * q + dim - 1]);
        for (int n = 0; n < mesh->nnodes; n++)
            nodal[s * n] = -scale * (1.0 - sab_mesh_x(mesh, n)[dim - 1]);
        sab_space_body_force(v.space, gravity, 0.0, v.load, NULL);
        for (int g = 0; g < mesh->ngroups; g++) {
            const bool axis = round && strcmp(mesh->group[g].name, "left") == 0;
            double stress[4 * 20];

            if (axis)
                continue;
            reaction(&v, g, force);
            sab_wall_trace *wall = wall_at(&v, g);
            CU_ASSERT_FATAL(wall->nrows <= 20);
            for (int from = 0; from < 2; from++) {
                if (from == 0)
                    sab_wall_stress(wall, v.F, stress);
                else
                    sab_wall_recovered(wall, geometry, nodal, stress);
                for (int i = 0; i < wall->nrows; i++) {
                    SAB_ASSERT_CLOSE(stress[wall->components * i], 1.0 - wall->x[dim * i + dim - 1],
                                     1e-12);
                    for (int c = 1; c < wall->components; c++)
                        SAB_ASSERT_CLOSE(stress[wall->components * i + c], 0.0, 1e-12);
                }
            }
            /* three vertices inside, and the one on the axis, beside which there is no wall */
            if (round && g == bottom) {
                CU_ASSERT_EQUAL(wall->nrows, 4);
                CU_ASSERT_EQUAL(wall->x[0], 0.0);
                CU_ASSERT(wall->vertex[0].nmiddles == 1 && wall->vertex[0].size > 0.0);
            }
            sab_wall_destroy(&wall);
        }
        SAB_ASSERT_CLOSE(geometry->whole * reaction(&v, bottom, force), -weight, 1e-12);
        SAB_ASSERT_CLOSE(geometry->whole * reaction(&v, sab_mesh_find_group(mesh, "top"), force),
                         0.0, 1e-12);
        sab_wall_force(mesh, bottom, geometry, nodal, force);
        SAB_ASSERT_CLOSE(geometry->whole * force[dim - 1], -weight, 1e-12);
        /* int p over the wall on the right: 2 pi 1.5/2, or 1/2 */
        sab_wall_force(mesh, sab_mesh_find_group(mesh, "right"), geometry, nodal, force);
        SAB_ASSERT_CLOSE(geometry->whole * force[0], round ? 3.14159265358979323846 * 1.5 : 0.5,
                         1e-12);
        SAB_FREE(nodal);
        free_vessel(&v);
    }
}

/* A group of three walls around a corner of the box: the vertices of its edges are left out, and
 * the rest is as in the three alone. On a cylinder, whose facets turn by little, none are. Memory.
 */
static void test_edges(void)
{
    sab_mesh *mesh = sab_grid_box(&(sab_box){.n = {3, 3, 3}, .high = {1, 1, 1}});
    static const char *const name[3] = {"left", "front", "bottom"};
    int corner[54][3], n = 0, *owner = sab_alloc((size_t)mesh->nnodes, sizeof *owner);
    sab_wall_trace *wall = NULL;
    sab_error err = {0};
    bool reached = true;
    double size = 0.0;

    for (int k = 0; k < 3; k++) {
        const sab_mesh_group *g = &mesh->group[sab_mesh_find_group(mesh, name[k])];

        for (int f = 0; f < g->nfacets; f++)
            memcpy(corner[n++], sab_mesh_facet(mesh, g->facet[f]), sizeof corner[0]);
    }
    CU_ASSERT_EQUAL_FATAL(sab_mesh_add_group(mesh, "corner", 9, n, corner[0], NULL), SAB_OK);
    const int group = sab_mesh_find_group(mesh, "corner");
    for (int k = 0; reached; k++) {
        sab_memory.failing = k;
        const sab_status status =
            sab_wall_create(mesh, &sab_geometry_space, group, owner, 0, 0, &wall, NULL);
        reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(status, reached ? SAB_ERR_MEMORY : SAB_OK);
        if (reached)
            sab_wall_destroy(&wall);
    }
    CU_ASSERT_EQUAL(wall->nrows, 3 * 4);
    for (int i = 0; i < wall->nrows; i++) {
        const sab_wall_vertex *v = &wall->vertex[i];

        SAB_ASSERT_CLOSE(v->size, 1.0 / 9.0, 1e-14);
        CU_ASSERT_EQUAL(v->nmiddles, 6);
        size += v->normal[0] + v->normal[1] + v->normal[2];
    }
    SAB_ASSERT_CLOSE(size, -12.0, 1e-13);
    sab_wall_destroy(&wall);
    CU_ASSERT_EQUAL(sab_wall_create(mesh, &sab_geometry_space, group, owner, 0, 5, &wall, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "samples belong to lines"));
    /* roll the bottom up, y -> (sin y, -cos y): all turns are gentle now */
    for (int i = 0; i < mesh->nnodes; i++) {
        double *x = sab_mesh_x(mesh, i);
        const double y = 0.8 * x[1], r = 2.0 - x[2];

        x[1] = r * sin(y);
        x[2] = -r * cos(y);
    }
    const int bottom = sab_mesh_find_group(mesh, "bottom");
    CU_ASSERT_EQUAL_FATAL(
        sab_wall_create(mesh, &sab_geometry_space, bottom, owner, 0, 0, &wall, NULL), SAB_OK);
    CU_ASSERT_EQUAL(wall->nrows, 4);
    for (int i = 0; i < wall->nrows; i++) { /* radial, up to the error of int phi n */
        const double *x = wall->x + 3 * i, *m = wall->vertex[i].normal;

        CU_ASSERT(fabs(m[0]) < 1e-2);
        CU_ASSERT((x[1] * m[1] + x[2] * m[2]) / 2.0 > 0.999);
    }
    sab_wall_destroy(&wall);
    SAB_FREE(owner);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"film on a slope, turned", test_film},
                                     {"continuous stress", test_continuous_stress},
                                     {"traction given", test_given_traction},
                                     {"corners and pieces", test_corners_and_pieces},
                                     {"closed line", test_closed},
                                     {"uniform stress in a box", test_uniform_box},
                                     {"rest in a box and in a round vessel", test_rest},
                                     {"edges of a surface", test_edges},
                                     {"errors", test_errors}};

    return SAB_TEST_MAIN("fem/wall", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains where there is no room are moved to where there is: the obstacle problem of
 * [docs/theory.md, 3.5], in the plane, about an axis and in space. */
#include "unit.h"

#include "base/memory.h"
#include "flow/room.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct scene {
    sab_mesh *mesh;
    sab_dofs *dofs;
    sab_space *space;
    sab_carriers *carriers;
    sab_filling *fill;
    sab_room *room;
    bool *open;
} scene;

enum { PLANE, ROUND, SPACE, SHAPES };

/* The lower half is full, and around its middle `twice` as much as there is room for. */
static scene set_up(int shape, double twice)
{
    const sab_grid grid = {6, 6, 0.0, 0, 1.2, 1.2, 0.1, 0.0, 0.0};
    const sab_box box = {{3, 3, 4}, {0, 0, 0}, {0.9, 0.9, 1.2}, 0.1, 0.0, {0}};
    const sab_geometry *geometry = shape == SPACE   ? &sab_geometry_space
                                   : shape == ROUND ? &sab_geometry_axisymmetric
                                                    : &sab_geometry_plane;
    const sab_element *element = shape == SPACE ? &sab_element_p2nb : &sab_element_p2;
    scene s = {0};

    if (shape == SPACE)
        s.mesh = sab_grid_box(&box);
    else {
        sab_mesh *coarse = sab_grid_create(&grid);

        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &s.mesh, NULL), SAB_OK);
        sab_mesh_destroy(&coarse);
    }
    s.open = sab_alloc((size_t)s.mesh->nfacets, sizeof *s.open);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(s.mesh, geometry, sab_element_faces(element, s.mesh), 0,
                                          NULL, NULL, 0.0, &s.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(s.mesh, element, geometry, &s.space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_carriers_create(s.space, s.dofs, s.open, &s.carriers, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_filling_create(s.space, s.open, 0.8, 0.1, &s.fill, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_room_create(s.fill, &s.room, NULL), SAB_OK);
    for (int e = 0; e < s.mesh->nelements; e++) {
        const int first = s.carriers->n, up = s.mesh->cell->dim - 1;
        int kept = first;

        CU_ASSERT_EQUAL_FATAL(sab_carriers_fill(s.carriers, e, 3, 1.0, NULL), SAB_OK);
        for (int p = first; p < s.carriers->n; p++) {
            sab_carrier *at = &s.carriers->at[p];
            double far = 0.0;

            for (int i = 0; i <= up; i++)
                far = hypot(far, at->x[i] - (i < up ? 0.5 : 0.3));
            if (at->x[up] > 0.6)
                continue;
            if (far < 0.2)
                at->mass *= twice;
            at->v[0] = at->x[up];
            at->v[up] = -1.0;
            s.carriers->at[kept++] = *at;
        }
        s.carriers->n = kept;
    }
    sab_carriers_sort(s.carriers);
    sab_filling_measure(s.fill, s.carriers);
    return s;
}

static void tear_down(scene *s)
{
    sab_room_destroy(&s->room);
    sab_filling_destroy(&s->fill);
    sab_carriers_destroy(&s->carriers);
    sab_space_destroy(&s->space);
    sab_dofs_destroy(&s->dofs);
    sab_mesh_destroy(&s->mesh);
    SAB_FREE(s->open);
}

/* Move the carriers by room->d; returns the work against a unit force upwards. */
static double move(scene *s)
{
    const int dim = s->mesh->cell->dim;
    double *f = sab_alloc((size_t)(dim * s->carriers->n), sizeof *f), kinetic, work;
    sab_transport_report report = {0};

    for (int p = 0; p < s->carriers->n; p++)
        f[dim * p + dim - 1] = 1.0;
    sab_carriers_displace(s->carriers, s->room->d, f, &kinetic, &work, &report);
    sab_filling_measure(s->fill, s->carriers);
    sab_free(f);
    CU_ASSERT_EQUAL(kinetic, 0.0);
    return work;
}

/* sum m v_i, sum m |v|^2, sum m x of the last coordinate */
static void take_sums(const scene *s, double *sum)
{
    const int dim = s->mesh->cell->dim;

    memset(sum, 0, 5 * sizeof *sum);
    for (int p = 0; p < s->carriers->n; p++) {
        const sab_carrier *at = &s->carriers->at[p];

        for (int i = 0; i < dim; i++) {
            sum[i] += at->mass * at->v[i];
            sum[3] += at->mass * at->v[i] * at->v[i];
        }
        sum[4] += at->mass * at->x[dim - 1];
    }
}

/* Where carriers stay in their parents the masses of the vertices are those of the inequality,
 * M - T <= 0 and equal where psi > 0: a hundredth of the excess is taken back exactly. */
static void test_identity(void)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        scene s = set_up(shape, 1.2);
        const int n = s.fill->nvertices;
        double *before = sab_alloc((size_t)n, sizeof *before), worst = 0.0, most = 0.0;
        int held = 0;
        bool moves;

        memcpy(before, s.fill->hat_mass, (size_t)n * sizeof *before);
        CU_ASSERT_EQUAL_FATAL(sab_room_find(s.room, s.fill, 0.02, 0.01, &moves, NULL), SAB_OK);
        CU_ASSERT_FATAL(moves);
        move(&s);
        for (int v = 0; v < n; v++) {
            const double V = s.fill->hat_volume[v], M = before[v];
            const double T = M <= V ? V : M - fmax(0.0, 0.01 * (M - 1.02 * V));
            const double rest = s.fill->hat_mass[v] - T;

            most = fmax(most, M - T);
            worst = fmax(worst, s.room->lambda[2 * v] > 0.0 ? fabs(rest) : rest);
            held += s.room->lambda[2 * v] > 0.0;
        }
        printf("  %d vertices held, off by %.1e of %.1e\n", held, worst, most);
        CU_ASSERT(held > 3 && worst < 5e-3 * most);
        sab_free(before);
        tear_down(&s);
    }
}

/* The excess falls, and nothing but places changes; psi.b is sum m |d|^2; all that was moved is
 * the work. Projected gradients find the same displacement. */
static void test_excess(void)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        scene s = set_up(shape, 1.15);
        const int n = s.room->program->n;
        const double first = sab_filling_excess(s.fill);
        double was[5], now[5], lifted = 0.0, square = 0.0, power = 0.0, off = 0.0;
        double *u = sab_alloc((size_t)n, sizeof *u);
        double *lambda = sab_alloc(2 * (size_t)s.fill->nvertices, sizeof *lambda);
        sab_solver_options options = sab_solver_options_default();
        sab_solver *other = NULL;
        sab_report report;
        bool moves;

        take_sums(&s, was);
        CU_ASSERT_EQUAL_FATAL(sab_room_find(s.room, s.fill, 0.02, 0.1, &moves, NULL), SAB_OK);
        options.method = SAB_METHOD_APGD;
        options.tolerance = options.change_tolerance = 1e-4;
        CU_ASSERT_EQUAL_FATAL(sab_solver_create(&options, s.room->program, &other, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(
            sab_solver_run(other, s.room->program, true, lambda, u, NULL, &report, NULL), SAB_OK);
        CU_ASSERT_EQUAL(report.reason, SAB_CONVERGED);
        for (int i = 0; i < n; i++) {
            const double m = s.room->program->A->value[i];

            square += m * s.room->d[i] * s.room->d[i];
            off += m * (s.room->d[i] - u[i]) * (s.room->d[i] - u[i]);
        }
        for (int v = 0; v < s.fill->nvertices; v++)
            power -= s.room->lambda[2 * v] * s.room->program->k[2 * v];
        CU_ASSERT(fabs(square - power) < 1e-2 * power);
        CU_ASSERT(sqrt(off / square) < 1e-2);
        sab_solver_destroy(&other);
        for (int k = 0; k < 40 && moves; k++) {
            CU_ASSERT_EQUAL_FATAL(sab_room_find(s.room, s.fill, 0.02, 1.0, &moves, NULL), SAB_OK);
            if (moves)
                lifted += move(&s);
        }
        take_sums(&s, now);
        printf("  excess %.2g %% to %.2g %%, lifted by %.1e, other method %.1e\n", 100.0 * first,
               100.0 * sab_filling_excess(s.fill), lifted, sqrt(off / square));
        CU_ASSERT(first > 0.009 && sab_filling_excess(s.fill) < 0.7 * first);
        for (int v = 0; v < s.fill->nvertices; v++)
            CU_ASSERT(s.fill->hat_mass[v] < 1.0205 * s.fill->hat_volume[v]);
        for (int i = 0; i < 4; i++)
            SAB_ASSERT_CLOSE(now[i], was[i], 1e-13);
        SAB_ASSERT_CLOSE(now[4] - was[4], lifted, 1e-13);
        sab_free(u);
        sab_free(lambda);
        tear_down(&s);
    }
}

/* Nothing moves where nothing is beyond the band, to the bit; nor where there is no room at all. */
static void test_rest(void)
{
    scene s = set_up(PLANE, 1.0), full;
    bool moves = true;

    CU_ASSERT_EQUAL(sab_room_find(s.room, s.fill, 0.02, 1.0, &moves, NULL), SAB_OK);
    CU_ASSERT(!moves);
    for (int i = 0; i < s.room->program->n; i++)
        CU_ASSERT_EQUAL(s.room->d[i], 0.0);
    tear_down(&s);
    full = set_up(PLANE, 1.0);
    full.carriers->n = 0;
    for (int e = 0; e < full.mesh->nelements; e++)
        CU_ASSERT_EQUAL(sab_carriers_fill(full.carriers, e, 3, e == 40 ? 1.5 : 1.0, NULL), SAB_OK);
    sab_carriers_sort(full.carriers);
    sab_filling_measure(full.fill, full.carriers);
    CU_ASSERT(sab_filling_excess(full.fill) > 1e-3);
    CU_ASSERT_EQUAL(sab_room_find(full.room, full.fill, 0.02, 1.0, &moves, NULL), SAB_OK);
    CU_ASSERT(!moves);
    tear_down(&full);
}

/* The slope of a surface that cuts elements, in the plane and in space, whatever gravity is. */
static void test_slope(void)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        scene s = set_up(shape, 1.0);
        const int dim = s.mesh->cell->dim, up = dim - 1;
        const double level[3] = {shape == SPACE ? 0.0 : 0.0, shape == SPACE ? 0.0 : -2.0, -2.0};
        const double tilted[3] = {0.3, -1.0, 0.0};

        s.carriers->n = 0;
        for (int e = 0; e < s.mesh->nelements; e++) {
            int kept = s.carriers->n;
            const int first = kept;

            CU_ASSERT_EQUAL(sab_carriers_fill(s.carriers, e, 4, 1.0, NULL), SAB_OK);
            for (int p = first; p < s.carriers->n; p++)
                if (s.carriers->at[p].x[up] < 0.45 + 0.3 * s.carriers->at[p].x[0])
                    s.carriers->at[kept++] = s.carriers->at[p];
            s.carriers->n = kept;
        }
        sab_carriers_sort(s.carriers);
        sab_filling_measure(s.fill, s.carriers);
        printf("  slope %.4f\n", sab_filling_slope(s.fill, level));
        SAB_ASSERT_CLOSE(sab_filling_slope(s.fill, level), 0.3, shape == SPACE ? 0.04 : 0.02);
        if (shape == PLANE) /* tilted by atan 0.3 against it */
            SAB_ASSERT_CLOSE(sab_filling_slope(s.fill, tilted), 0.0, 0.02);
        tear_down(&s);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"masses of the vertices", test_identity},
        {"the excess falls, momentum stays, another method agrees", test_excess},
        {"rest, and no room", test_rest},
        {"the slope of a surface", test_slope},
    };

    return SAB_TEST_MAIN("room", tests);
}

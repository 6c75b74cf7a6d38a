/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Carriers that are fed through a side [docs/theory.md, 3.5]: how many, how heavy, and where. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/feeder.h"
#include "grid.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    sab_mesh *mesh;
    sab_dofs *dofs;
    sab_space *space;
    sab_carriers *carriers;
    sab_feeder *feeder;
    double *U;
    bool *none, *feeds;
} setup;

static const double HIGH = 1.2;

/* A rectangle or box fed through its top; the velocity vector is zero. */
static setup set_up(const sab_geometry *geometry)
{
    const sab_grid grid = {3, 4, 0.2, 0, 1.1, HIGH, 0.1, 0.0, 0.0};
    const sab_box box = {{2, 2, 3}, {0, 0, 0}, {0.8, 0.7, HIGH}, 0.1, 0.0, {0}};
    const bool space = geometry->dim == 3;
    const sab_element *element = space ? &sab_element_p2nb : &sab_element_p2;
    sab_mesh *coarse = space ? NULL : sab_grid_create(&grid);
    setup s = {.mesh = space ? sab_grid_box(&box) : NULL};

    if (!space)
        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &s.mesh, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    const sab_mesh_group *top = &s.mesh->group[sab_mesh_find_group(s.mesh, "top")];
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(s.mesh, geometry, sab_element_faces(element, s.mesh), 0,
                                          NULL, NULL, 0.0, &s.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(s.mesh, element, geometry, &s.space, NULL), SAB_OK);
    s.none = sab_alloc((size_t)s.mesh->nfacets, sizeof *s.none);
    s.feeds = sab_alloc((size_t)s.mesh->nfacets, sizeof *s.feeds);
    for (int i = 0; i < top->nfacets; i++)
        s.feeds[top->facet[i]] = true;
    s.U = sab_alloc(sab_space_size(s.space), sizeof *s.U);
    CU_ASSERT_EQUAL_FATAL(sab_carriers_create(s.space, s.dofs, s.none, &s.carriers, NULL), SAB_OK);
    sab_carriers_sort(s.carriers);
    CU_ASSERT_EQUAL_FATAL(sab_feeder_create(s.space, s.feeds, 3, &s.feeder, NULL), SAB_OK);
    CU_ASSERT_EQUAL(s.feeder->n, top->nfacets);
    return s;
}

static void tear_down(setup *s)
{
    sab_feeder_destroy(&s->feeder);
    sab_carriers_destroy(&s->carriers);
    sab_space_destroy(&s->space);
    sab_dofs_destroy(&s->dofs);
    sab_mesh_destroy(&s->mesh);
    SAB_FREE(s->U);
    SAB_FREE(s->none);
    SAB_FREE(s->feeds);
}

/* Downward speed a + b x at all nodes. */
static void set_speed(setup *s, double a, double b)
{
    const int dim = s->mesh->cell->dim;

    for (int i = 0; i < s->mesh->nnodes; i++)
        s->U[dim * i + dim - 1] = -(a + b * sab_mesh_x(s->mesh, i)[0]);
}

static void set_fill(setup *s, double fill)
{
    for (int i = 0; i < s->feeder->n * s->feeder->parts; i++)
        s->feeder->fill[i] = fill;
}

/* A step: what is there moves, then more comes. */
static double feed(setup *s, double dt)
{
    sab_transport_report moved = {0};
    double out, kinetic;
    int outward;

    sab_carriers_move(s->carriers, dt, false, s->U, &out, &moved);
    CU_ASSERT_EQUAL(sab_feeder_feed(s->feeder, s->carriers, dt, s->U, &kinetic, &outward, NULL),
                    SAB_OK);
    CU_ASSERT_EQUAL(outward, -1);
    return kinetic;
}

static double owed(const setup *s, double *most)
{
    double sum = 0.0;

    *most = 0.0;
    for (int i = 0; i < s->feeder->n * s->feeder->parts; i++) {
        sum += s->feeder->owed[i];
        *most = fmax(*most, fabs(s->feeder->owed[i]) / s->feeder->whole[i / s->feeder->parts]);
    }
    return sum;
}

/* What is fed and what is owed together are fill t int speed over the side, exactly, with the
 * measure of the geometry; nobody is owed more than half a carrier; the energy is theirs. */
static void test_mass(void)
{
    static const sab_geometry *const geometry[] = {&sab_geometry_plane, &sab_geometry_axisymmetric,
                                                   &sab_geometry_space};
    static const double length[] = {0.05, 0.2, 0.003, 0.003, 0.11}, a = 0.7, b = 0.4;

    for (int g = 0; g < 3; g++) {
        setup s = set_up(geometry[g]);
        const double x0 = g == 2 ? 0.0 : 0.2, x1 = g == 2 ? 0.8 : 1.1;
        const double I1 = (x1 * x1 - x0 * x0) / 2, I2 = (x1 * x1 * x1 - x0 * x0 * x0) / 3;
        const double flux = g == 1   ? a * I1 + b * I2
                            : g == 2 ? 0.7 * (a * (x1 - x0) + b * I1)
                                     : a * (x1 - x0) + b * I1;
        double t = 0.0, most, energy = 0.0, sum = 0.0;

        set_speed(&s, a, b);
        set_fill(&s, 0.9);
        for (int k = 0; k < 5; k++) {
            const int before = s.carriers->n;

            energy += feed(&s, length[k]);
            t += length[k];
            SAB_ASSERT_CLOSE(sab_carriers_fed(s.carriers) + owed(&s, &most), 0.9 * t * flux, 1e-13);
            CU_ASSERT(most <= 0.5 * 0.9 + 1e-12);
            CU_ASSERT(s.carriers->n >= before);
        }
        SAB_ASSERT_CLOSE(sab_carriers_mass(s.carriers), sab_carriers_fed(s.carriers), 1e-13);
        CU_ASSERT(s.carriers->n > 50);
        for (int p = 0; p < s.carriers->n; p++) {
            const sab_carrier *c = &s.carriers->at[p];
            const int dim = s.mesh->cell->dim;
            const double speed = a + b * c->x[0]; /* it falls along a line */

            CU_ASSERT(c->x[dim - 1] <= HIGH && c->x[dim - 1] >= HIGH - speed * t - 1e-12);
            SAB_ASSERT_CLOSE(c->v[dim - 1], -speed, 1e-12);
            sum += 0.5 * c->mass * speed * speed;
        }
        SAB_ASSERT_CLOSE(sum, energy, 1e-13);
        tear_down(&s);
    }
}

/* Where they stand does not depend on the steps they came in: of one length, or of many. */
static void test_places(void)
{
    setup one = set_up(&sab_geometry_plane), many = set_up(&sab_geometry_plane);
    double worst = 0.0;

    set_speed(&one, 1.0, 0.3);
    set_speed(&many, 1.0, 0.3);
    set_fill(&one, 1.0);
    set_fill(&many, 1.0);
    for (int k = 0; k < 2; k++)
        feed(&one, 0.25);
    for (int k = 0; k < 50; k++)
        feed(&many, 0.01);
    CU_ASSERT_EQUAL_FATAL(one.carriers->n, many.carriers->n);
    for (int p = 0; p < one.carriers->n; p++) {
        double nearest = 1.0;

        for (int q = 0; q < many.carriers->n; q++)
            nearest = fmin(nearest, hypot(one.carriers->at[p].x[0] - many.carriers->at[q].x[0],
                                          one.carriers->at[p].x[1] - many.carriers->at[q].x[1]));
        worst = fmax(worst, nearest);
    }
    CU_ASSERT(worst < 1e-12);
    tear_down(&one);
    tear_down(&many);
}

/* Nothing comes without velocity or fill, and none is made of what goes out. */
static void test_nothing(void)
{
    setup s = set_up(&sab_geometry_plane);
    double kinetic;
    int outward;

    set_fill(&s, 1.0);
    feed(&s, 1.0);
    set_speed(&s, 1.0, 0.0);
    set_fill(&s, 0.0);
    feed(&s, 1.0);
    set_speed(&s, -1.0, 0.0);
    set_fill(&s, 1.0);
    CU_ASSERT_EQUAL(sab_feeder_feed(s.feeder, s.carriers, 1.0, s.U, &kinetic, &outward, NULL),
                    SAB_OK);
    CU_ASSERT(outward >= 0 && s.feeds[outward]);
    CU_ASSERT(s.carriers->n == 0 && kinetic == 0.0 && sab_carriers_fed(s.carriers) == 0.0);
    sab_feeder_destroy(&s.feeder);
    CU_ASSERT_EQUAL(sab_feeder_create(s.space, s.none, 3, &s.feeder, NULL), SAB_OK);
    CU_ASSERT_PTR_NULL(s.feeder);
    tear_down(&s);
}

static void test_memory(void)
{
    setup s = set_up(&sab_geometry_plane);
    const long live = sab_memory.live;
    sab_status status = SAB_ERR_MEMORY;
    double kinetic;
    int outward;

    for (long k = 0; k < 100 && status != SAB_OK; k++) {
        sab_feeder *made = NULL;

        sab_memory.failing = k;
        status = sab_feeder_create(s.space, s.feeds, 3, &made, NULL);
        sab_memory.failing = -1;
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        sab_feeder_destroy(&made);
        CU_ASSERT_EQUAL(sab_memory.live, live);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    set_speed(&s, 1.0, 0.0);
    set_fill(&s, 1.0);
    sab_memory.failing = 0;
    CU_ASSERT_EQUAL(sab_feeder_feed(s.feeder, s.carriers, 1.0, s.U, &kinetic, &outward, NULL),
                    SAB_ERR_MEMORY);
    sab_memory.failing = -1;
    tear_down(&s);
}

int main(void)
{
    static const sab_test tests[] = {
        {"mass and energy", test_mass},
        {"places", test_places},
        {"nothing", test_nothing},
        {"memory", test_memory},
    };

    return SAB_TEST_MAIN("fem/feeder", tests);
}

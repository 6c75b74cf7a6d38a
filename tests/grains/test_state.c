/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains as numbers and back, bit for bit; a step that is stopped; walls made of many facets;
 * memory that fails at each place in turn. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"

#include "grains/coarse.h"
#include "grains/fill.h"

#include <math.h>
#include <string.h>

enum { ACROSS = 5, WALLS = 9 };

/* Discs between segments, over a gate that opens and a sink. */
static sab_status make(sab_grains **g, sab_error *err)
{
    const sab_fill_rain rain = {
        20, {0.1, 0.1}, {4.9, 8.0}, {0.3, 0.4, 0.0, 0.0, 1.0, 0, 0, 0, 0}, 7};
    const sab_grain_sizes one = {0.3, 0.3, 1.0, 1.0, 0.0, 0, 0, 0, 0};
    const sab_fill_grid top = {{1, 1, 1}, {2.0, 9.0, 0.0}, 1.0, one, 0.0, 0.0, 1};
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall wall[WALLS], sink;
    sab_bodies *b = NULL;
    sab_status status = SAB_OK;

    o.friction = 0.4;
    o.gravity[1] = -1.0;
    for (int k = 0; k < ACROSS; k++)
        SAB_TRY(sab_grain_wall_facet(2, (double[]){k, 0, k + 1, 0}, 0.4, &wall[k], err));
    wall[2].until = 1.0;
    SAB_TRY(sab_grain_wall_facet(2, (double[]){0, 0, 0, 5}, 0.4, &wall[5], err));
    SAB_TRY(sab_grain_wall_facet(2, (double[]){0, 5, 0, 12}, 0.4, &wall[6], err));
    SAB_TRY(sab_grain_wall_facet(2, (double[]){5, 0, 5, 5}, 0.4, &wall[7], err));
    SAB_TRY(sab_grain_wall_facet(2, (double[]){5, 5, 5, 12}, 0.4, &wall[8], err));
    SAB_TRY(sab_grain_wall_plane(2, (double[]){0, -1}, (double[]){0, 1}, 0.0, &sink, err));
    SAB_TRY(sab_bodies_create(2, &b, err));
    SAB_TRY(sab_grain_fill_rain(b, &rain, WALLS, wall, err));
    SAB_TRY(sab_grain_fill_grid(b, &top, err));
    SAB_TRY(sab_grains_create(&o, &b, WALLS, wall, 1, &sink, g, err));
cleanup:
    sab_bodies_destroy(&b);
    return status;
}

static bool same(const sab_grains_state *a, const sab_grains_state *b)
{
    return a->nreal == b->nreal && a->nwhole == b->nwhole &&
           memcmp(a->real, b->real, a->nreal * sizeof *a->real) == 0 &&
           memcmp(a->whole, b->whole, a->nwhole * sizeof *a->whole) == 0;
}

static bool stop(void *data, const sab_report *so_far)
{
    (void)so_far;
    return --*(int *)data > 0;
}

/* The same steps again from a state, in another set of grains; and none of a stopped one. */
static void test_state(void)
{
    sab_grains *g = NULL, *other = NULL;
    sab_grains_state begin = {0}, end = {0}, again = {0};
    sab_grains_report r;

    CU_ASSERT_FATAL(make(&g, NULL) == SAB_OK && make(&other, NULL) == SAB_OK);
    for (int k = 0; k < 60; k++) { /* some have left by then */
        CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT(r.steps >= 1 && fabs(g->time - 0.1 * (k + 1)) < 1e-12);
        CU_ASSERT(fabs(r.ledger.defect) < 1e-11);
        CU_ASSERT(r.overlap < 1e-2);
    }
    CU_ASSERT(g->bodies->n < 21 && g->left[0] > 0.0);
    g->wall[8].corner[1][1] += 0.25; /* as if it had moved */
    CU_ASSERT_FATAL(sab_grains_get_state(g, &begin, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_set_state(other, &begin, NULL) == SAB_OK);
    CU_ASSERT(other->left[0] == g->left[0] && other->last_dt == g->last_dt);
    CU_ASSERT_EQUAL(other->wall[8].corner[1][1], g->wall[8].corner[1][1]);
    for (int k = 0; k < 10; k++)
        CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_get_state(g, &end, NULL) == SAB_OK);
    CU_ASSERT_FALSE(same(&begin, &end));
    CU_ASSERT_FATAL(sab_grains_set_state(other, &begin, NULL) == SAB_OK);
    for (int k = 0; k < 10; k++)
        CU_ASSERT_FATAL(sab_grains_advance(other, 0.1, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_get_state(other, &again, NULL) == SAB_OK);
    CU_ASSERT(same(&again, &end));
    sab_grains_state_clear(&again);
    for (int rows = 1; rows < 4; rows++) { /* in the first step of an advance, and later */
        int left = rows;
        const sab_solve_observer observer = {stop, &left};

        const sab_status status = sab_grains_advance(other, 0.1, &observer, &r, NULL);
        CU_ASSERT(status == SAB_INTERRUPTED || (rows > 1 && status == SAB_OK));
        if (status == SAB_OK)
            break;
        CU_ASSERT_FATAL(sab_grains_get_state(other, &again, NULL) == SAB_OK);
        CU_ASSERT(same(&again, &end));
        sab_grains_state_clear(&again);
    }
    end.whole[3]++; /* other walls */
    CU_ASSERT_EQUAL(sab_grains_set_state(other, &end, NULL), SAB_ERR_INPUT);
    end.whole[3]--;
    end.real[5] = NAN;
    CU_ASSERT_EQUAL(sab_grains_set_state(other, &end, NULL), SAB_ERR_INPUT);
    end.nreal--;
    CU_ASSERT_EQUAL(sab_grains_set_state(other, &end, NULL), SAB_ERR_INPUT);
    sab_grains_state_clear(&begin);
    sab_grains_state_clear(&end);
    sab_grains_destroy(&g);
    sab_grains_destroy(&other);
}

/* When all have left, walls still move, in steps of their own. */
static void test_empty(void)
{
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall side, sink;
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grains_report r;

    o.gravity[1] = -1.0;
    sab_grain_wall_plane(2, (double[]){-5, 0}, (double[]){1, 0}, 0.3, &side, NULL);
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, 0.0, &sink, NULL);
    side.velocity[0] = 0.5;
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    sab_bodies_add(b, (double[]){0.0, 0.1}, 0.5, 1.0, NULL);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &side, 1, &sink, &g, NULL) == SAB_OK);
    for (int k = 0; k < 2000 && g->bodies->n > 0; k++)
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT_EQUAL_FATAL(g->bodies->n, 0);
    CU_ASSERT_EQUAL(r.left, 1.0);
    const double time = g->time;
    CU_ASSERT_DOUBLE_EQUAL(time, sqrt(2.0 * 0.6), 2.0 * o.step); /* wholly behind the sink */
    CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT_EQUAL_FATAL(r.dt, o.step);
    CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT(r.converged && r.steps == 1 && r.ledger.kinetic == 0.0);
    CU_ASSERT_DOUBLE_EQUAL(g->time, time + o.step + 0.1, 1e-14);
    CU_ASSERT_DOUBLE_EQUAL(g->wall[0].corner[0][0], -5.0 + 0.5 * g->time, 1e-12);
    sab_grains_destroy(&g);
}

/* A disc slides along many short segments without friction as along one: neither the ends of the
 * next ones nor those behind stop or lift it, though they were not typed to the last digit. Over
 * the edge of a step it goes on. */
static void test_facets(void)
{
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall wall[21];
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grains_report r;

    o.gravity[1] = -1.0;
    o.solver.tolerance = 1e-12;
    for (int k = 0; k < 20; k++)
        sab_grain_wall_facet(2, (double[]){0.37 * k + 1e-5 * (k % 3), 0, 0.37 * (k + 1), 0}, 0.0,
                             &wall[k], NULL);
    sab_grain_wall_facet(2, (double[]){7.4, 0, 7.4, -3}, 0.0, &wall[20], NULL);
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    sab_bodies_add(b, (double[]){0.2, 0.5}, 0.5, 1.0, NULL);
    b->velocity[0] = 1.3;
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 21, wall, 0, NULL, &g, NULL) == SAB_OK);
    for (int k = 0; k < 50; k++) {
        CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[0], 1.3, 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[1], 0.5, 1e-12);
        CU_ASSERT_EQUAL(g->nimpulses, 1);
    }
    for (int k = 0; k < 15; k++)
        CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT(g->bodies->position[0] > 7.9 && g->bodies->position[1] < 0.5);
    CU_ASSERT(g->bodies->velocity[0] >= 1.3); /* the edge can only push it on */
    sab_grains_destroy(&g);
}

/* A ball slides over a flat floor of narrow triangles about one corner, close by it: those behind
 * the next one have no side in common with that below the ball, and do not lift it either. */
static void test_fan(void)
{
    enum { TRIANGLES = 16 };
    const double angle = 2.0 * 3.14159265358979323846 / TRIANGLES;
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall wall[TRIANGLES];

    o.gravity[2] = -1.0;
    o.solver.tolerance = 1e-12;
    for (int k = 0; k < TRIANGLES; k++)
        sab_grain_wall_facet(3,
                             (double[]){0, 0, 0, 3.0 * cos(k * angle), 3.0 * sin(k * angle), 0,
                                        3.0 * cos((k + 1) * angle), 3.0 * sin((k + 1) * angle), 0},
                             0.0, &wall[k], NULL);
    for (int way = 0; way < 9; way++) {
        sab_bodies *b = NULL;
        sab_grains *g = NULL;
        sab_grains_report r;

        CU_ASSERT_FATAL(sab_bodies_create(3, &b, NULL) == SAB_OK);
        sab_bodies_add(b, (double[]){-1.5, 0.004 * way, 0.5}, 0.5, 1.0, NULL);
        b->velocity[0] = 0.8;
        b->velocity[1] = 0.003 * way;
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, TRIANGLES, wall, 0, NULL, &g, NULL) == SAB_OK);
        for (int k = 0; k < 70; k++) {
            CU_ASSERT_FATAL(sab_grains_advance(g, 0.05, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[0], 0.8, 1e-12);
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[1], 0.003 * way, 1e-12);
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[2], 0.5, 1e-12);
        }
        sab_grains_destroy(&g);
    }
}

/* A ball slides down into a bowl of short facets, without friction, and up at the other side: what
 * it loses is what it hits, (angle of a joint)^2 of its energy at each. In space the bowl is a
 * trough of triangles, whose corners are where those of the row beside have their sides. */
static double slide_through(int dim, double degrees)
{
    enum { ROWS = 8, MOST = 2 * ROWS * 200 };
    const double R = 10.0, angle = degrees * 3.14159265358979323846 / 180.0, from = -1.0;
    const double off = R * cos(0.5 * angle) - 1.001, begin = off * (1.0 - cos(from));
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall *wall = sab_alloc(MOST, sizeof *wall);
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grains_report r = {0};
    double highest = 0.0;
    int n = 0;

    CU_ASSERT_FATAL(wall != NULL);
    o.gravity[dim - 1] = -1.0;
    o.solver.tolerance = 1e-8;
    for (int k = -(int)(1.5 / angle); k * angle < 1.5; k++)
        for (int row = 0; row < (dim == 2 ? 1 : ROWS); row++) {
            const double y = 0.4 * (row - ROWS / 2), first = k + 0.5 * (row % 2),
                         at[4] = {first, first + 1.0, first + 0.5, first + 1.5};
            double p[4 * 3];

            for (int c = 0; c < 4; c++) {
                const double s = R * sin(at[c] * angle), t = -R * cos(at[c] * angle);

                memcpy(p + dim * c,
                       dim == 2 ? (double[]){s, t} : (double[]){s, c < 2 ? y : y + 0.4, t},
                       (size_t)dim * sizeof *p);
            }
            for (int t = 0; t < dim - 1; t++) {
                CU_ASSERT_FATAL(n < MOST);
                sab_grain_wall_facet(dim, p + dim * t, 0.0, &wall[n++], NULL);
            }
        }
    CU_ASSERT_FATAL(sab_bodies_create(dim, &b, NULL) == SAB_OK);
    sab_bodies_add(b,
                   dim == 2 ? (double[]){off * sin(from), -off * cos(from), 0.0}
                            : (double[]){off * sin(from), 0.1, -off * cos(from)},
                   1.0, 1.0, NULL);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, n, wall, 0, NULL, &g, NULL) == SAB_OK);
    SAB_FREE(wall);
    for (int k = 0; k < 400 && (g->bodies->velocity[0] > 0.0 || k < 10); k++) {
        CU_ASSERT_FATAL(sab_grains_advance(g, 0.05, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT(r.overlap < 1e-3);
        highest = g->bodies->position[dim - 1] + off;
    }
    CU_ASSERT(g->bodies->position[0] > 5.0);
    sab_grains_destroy(&g);
    return highest / begin;
}

static void test_bowl(void)
{
    for (int dim = 2; dim <= 3; dim++) {
        const double coarse = slide_through(dim, 4.0), fine = slide_through(dim, 1.0);
        CU_ASSERT(coarse > 0.72 && fine > 0.9 && fine < 1.0);
    }
}

static void test_memory(void)
{
    const double x[] = {1, 1, 3, 1, 2, 3}, volume[] = {1, 2, 3};
    const long before = sab_memory.live;
    sab_status status = SAB_ERR_MEMORY;

    for (long k = 0; status == SAB_ERR_MEMORY; k++) {
        sab_grains *g = NULL;
        sab_grains_state state = {0};
        sab_coarse *c = NULL;
        sab_grains_report r;
        sab_error err;

        sab_memory.failing = k;
        status = make(&g, &err);
        for (int i = 0; status == SAB_OK && i < 12; i++)
            status = sab_grains_advance(g, 0.1, NULL, &r, &err);
        if (status == SAB_OK)
            status = sab_grains_get_state(g, &state, &err);
        if (status == SAB_OK)
            status = sab_grains_set_state(g, &state, &err);
        if (status == SAB_OK)
            status = sab_coarse_create(2, 3, x, volume, 2.0, &c, &err);
        if (status == SAB_OK)
            status = sab_coarse_fill(c, g, &err);
        sab_memory.failing = -1;
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        sab_coarse_destroy(&c);
        sab_grains_state_clear(&state);
        sab_grains_destroy(&g);
        CU_ASSERT_EQUAL(sab_memory.live, before);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
}

int main(void)
{
    static const sab_test tests[] = {
        {"a state, and on from it", test_state}, {"none left, and walls that move", test_empty},
        {"walls of many facets", test_facets},   {"triangles about one corner", test_fan},
        {"a bowl of many facets", test_bowl},    {"failing memory", test_memory}};

    return SAB_TEST_MAIN("grains/state", tests);
}

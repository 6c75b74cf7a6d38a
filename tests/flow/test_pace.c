/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps of several lengths [docs/theory.md, 3.5]: the rule, a block that falls by it, a run that is
 * taken up again. */
#include "moving.h"

#include "flow/pace.h"

#include <string.h>

static void test_levels(void)
{
    CU_ASSERT_EQUAL(sab_pace_levels(0.1, 0.1), 0);
    CU_ASSERT_EQUAL(sab_pace_levels(0.1, 0.051), 0);
    CU_ASSERT_EQUAL(sab_pace_levels(0.1, 0.05), 1);
    CU_ASSERT_EQUAL(sab_pace_levels(0.3, 0.3 / 8), 3); /* whatever the rounding */
    CU_ASSERT_EQUAL(sab_pace_levels(1.0, 1e-300), SAB_PACE_LEVELS);
}

/* Whatever the grains do: the next step is fine enough if any is, it is coarser by one level at
 * most, it begins on its own grid, and so no step passes over a multiple of the longest. */
static void test_rule(void)
{
    enum { LEVELS = 5 };
    const double limit = 0.3;
    unsigned seed = 1;
    double at = 0.0, waits = 0.0;
    int level = 0, coarser = 0;

    for (int k = 0; k < 4000; k++) {
        seed = 1664525u * seed + 1013904223u;
        const double courant =
            limit * ldexp(1.0 + (seed >> 16) / 65536.0, (int)(seed >> 8) % 8 - 2);
        const int next = sab_pace_next(LEVELS, level, at, courant, limit);
        const double length = ldexp(1.0, -next);

        CU_ASSERT(next >= 0 && next <= LEVELS && next >= level - 1);
        CU_ASSERT(next == LEVELS || ldexp(courant, -next) <= limit);
        CU_ASSERT(fmod(at, length) == 0.0);
        CU_ASSERT(floor(at) == floor(at + 0.5 * length));
        coarser += next < level;
        waits += next == level && level > 0 && ldexp(courant, 1 - level) <= limit;
        at += length;
        level = next;
    }
    CU_ASSERT(coarser > 100 && waits > 10);
    CU_ASSERT_EQUAL(sab_pace_next(LEVELS, 3, 0.5, 0.0, limit), 2);   /* a half begins at 1/4 too, */
    CU_ASSERT_EQUAL(sab_pace_next(LEVELS, 3, 0.625, 0.0, limit), 3); /* but not at 5/8 */
    CU_ASSERT_EQUAL(sab_pace_next(LEVELS, 0, 3.0, 100.0, limit), LEVELS);
}

/* Free fall by steps l_k up to t_k: speed t_n, height z_0 - sum l_k t_k, both exact, whatever the
 * steps; grains go no farther than they may, and the first step, from rest, is taken again. */
static void test_fall(void)
{
    const sab_grid grid = {4, 12, 0, 0, 0.8, 2.4, 0.0, 0.0, 0.0};
    double height = 1.6, t = 0.0, shortest = 1.0;
    scene s;

    set_scene(&s, &grid, (region){{-1, 1.2, -1}, {2, 2.0, 1}}, 0.8);
    s.p.boundary[1].has_traction = false;
    s.p.boundary[1].slip = true;
    s.p.setup.levels = 5;
    s.p.setup.courant = 0.25;
    sab_flow *flow = start(&s);
    for (int k = 0; t < 0.8; k++) {
        sab_flow_report r;

        step(flow, &r);
        const double length = sab_flow_length(flow);
        t += length;
        height -= length * t;
        shortest = fmin(shortest, length);
        CU_ASSERT(r.converged && (k > 0 || r.retries > 0));
        CU_ASSERT(flow->time == flow->at * 0.8);
        SAB_ASSERT_CLOSE(flow->time, t, 1e-14);
        SAB_ASSERT_CLOSE(centre(flow, 1), height, 1e-3);
        CU_ASSERT(sab_carriers_courant(flow->surface->carriers, length) < 1.25 * 0.25);
        CU_ASSERT(fabs(r.ledger.defect) < 1e-10);
    }
    CU_ASSERT(flow->time == 0.8 && shortest <= 0.1 && flow->steps > 8);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* Taken up again in the middle of a long step, it goes on bit for bit. */
static void test_resume(void)
{
    const sab_grid grid = {6, 4, 0, 0, 1.2, 0.8, 0.0, 0.0, 0.0};
    sab_flow_report r, again;
    sab_error err;
    scene s;

    set_scene(&s, &grid, (region){{0, 0, -1}, {0.4, 0.6, 1}}, 0.4);
    s.p.setup.levels = 4;
    s.p.setup.courant = 0.2;
    sab_flow *a = start(&s), *b = start(&s);
    while (a->at == floor(a->at))
        step(a, &r);
    const sab_flow_state state = sab_flow_get_state(a);
    CU_ASSERT_EQUAL_FATAL(sab_flow_restore(b, &state, &err), SAB_OK);
    sab_flow_go_on(b, &state);
    for (int k = 0; k < 4; k++) {
        step(a, &r);
        step(b, &again);
        CU_ASSERT(a->level == b->level && a->at == b->at && r.retries == again.retries);
        CU_ASSERT_EQUAL(r.solve.work.factorisations, again.solve.work.factorisations);
    }
    const sab_carriers *ca = a->surface->carriers, *cb = b->surface->carriers;
    CU_ASSERT_EQUAL_FATAL(ca->n, cb->n);
    for (int p = 0; p < ca->n; p++)
        CU_ASSERT(memcmp(ca->at[p].x, cb->at[p].x, 2 * sizeof(double)) == 0 &&
                  memcmp(ca->at[p].v, cb->at[p].v, 2 * sizeof(double)) == 0);
    sab_flow_destroy(&a);
    sab_flow_destroy(&b);
    sab_mesh_destroy(&s.mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"levels between two lengths", test_levels},
        {"the rule", test_rule},
        {"free fall", test_fall},
        {"resumed bit for bit", test_resume},
    };

    return SAB_TEST_MAIN("pace", tests);
}

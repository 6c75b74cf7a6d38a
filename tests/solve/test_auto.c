/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy of `auto`, branch by branch: a change of it must change this table. */
#include "unit.h"

#include "solve/auto.h"

#define SMALL 3e-3
#define LARGE 3e-2

/* Facts of a creeping flow from nothing, mu - zeta = 0.5, at the default tolerance. */
#define CREEPING .tolerance = 0.03, .excess = 0.5, .safe = true
#define STEP .tolerance = 0.03, .excess = 0.5, .inertial = true

typedef struct row {
    const char *name;
    sab_method method;
    sab_facts facts;
    int n;
    sab_method chain[SAB_PLAN_MOST];
    sab_start start;
    double lift;
    bool predictor, tight;
} row;

#define IPM SAB_METHOD_IPM
#define BLEND SAB_METHOD_IPM_BLEND
#define EXACT SAB_METHOD_IPM_EXACT
#define PG_AA SAB_METHOD_PG_AA
#define APGD SAB_METHOD_APGD
#define GS SAB_METHOD_GS
#define AUTO SAB_METHOD_AUTO
#define COLD SAB_START_COLD, 0.0
#define GIVEN SAB_START_GIVEN
#define FLOW SAB_START_FLOW

/* clang-format off */
static const row table[] = {
    /* chains of creeping flow */
    {"folded, moderate", AUTO, {CREEPING}, 3, {BLEND, IPM, PG_AA}, COLD, false, true},
    {"folded, just moderate", AUTO, {.tolerance = 0.0499, .excess = 0.5, .safe = true}, 3, {BLEND, IPM, PG_AA}, COLD, false, true},
    {"folded, rough", AUTO, {.tolerance = 0.05, .excess = 0.5, .safe = true}, 3, {IPM, BLEND, PG_AA}, COLD, false, true},
    {"steep, rough", AUTO, {.tolerance = 0.05, .excess = 0.501, .safe = true}, 3, {BLEND, IPM, PG_AA}, COLD, false, true},
    {"unfolded, moderate", AUTO, {.tolerance = 0.03, .excess = 0.3, .safe = true}, 3, {IPM, BLEND, PG_AA}, COLD, true, true},
    {"just folded", AUTO, {.tolerance = 0.03, .excess = 0.3001, .safe = true}, 3, {BLEND, IPM, PG_AA}, COLD, false, true},
    {"hardly fine", AUTO, {.tolerance = 0.01, .excess = 0.2, .safe = true}, 3, {IPM, BLEND, PG_AA}, COLD, true, true},
    {"fine", AUTO, {.tolerance = 0.0099, .excess = 0.2, .safe = true}, 3, {EXACT, BLEND, IPM}, COLD, true, true},
    {"fine, folded", AUTO, {.tolerance = 0.0099, .excess = 0.5, .safe = true}, 3, {EXACT, BLEND, IPM}, COLD, false, true},
    {"thin", AUTO, {.tolerance = 0.002, .excess = 0.5, .safe = true}, 3, {EXACT, BLEND, IPM}, COLD, false, true},
    {"thinner", AUTO, {.tolerance = 0.0019, .excess = 0.5, .safe = true}, 3, {EXACT, BLEND, IPM}, COLD, false, false},
    {"convex", AUTO, {.tolerance = 0.03, .convex = true, .safe = true}, 2, {IPM, APGD}, COLD, false, true},
    {"convex, fine", AUTO, {.tolerance = 1e-3, .convex = true, .safe = true}, 2, {IPM, APGD}, COLD, false, false},
    {"convex, time step", AUTO, {.tolerance = 0.03, .convex = true, .inertial = true}, 2, {IPM, APGD}, COLD, false, false},
    {"unknown step: no predictor", AUTO, {.tolerance = 0.03, .excess = 0.3}, 3, {IPM, BLEND, PG_AA}, COLD, false, true},
    /* a rate law: interior points only, and no predictor */
    {"rate law", AUTO, {.tolerance = 0.03, .excess = 0.2, .safe = true, .follows = true}, 2, {IPM, BLEND}, COLD, false, true},
    {"rate law, fine", AUTO, {.tolerance = 0.005, .excess = 0.2, .safe = true, .follows = true}, 3, {EXACT, BLEND, IPM}, COLD, false, true},
    {"rate law, convex", AUTO, {.tolerance = 0.03, .convex = true, .safe = true, .follows = true}, 1, {IPM}, COLD, false, true},
    {"rate law, asked for", APGD, {CREEPING, .follows = true}, 1, {APGD}, COLD, false, true},
    /* time steps: cold ones have all the room */
    {"step, folded", AUTO, {STEP}, 4, {BLEND, BLEND, BLEND, EXACT}, COLD, false, false},
    {"step, folded, rough", AUTO, {.tolerance = 0.1, .excess = 0.5, .inertial = true}, 4, {BLEND, BLEND, BLEND, EXACT}, COLD, false, false},
    {"step, unfolded", AUTO, {.tolerance = 0.03, .excess = 0.3, .inertial = true}, 3, {EXACT, BLEND, IPM}, COLD, false, false},
    {"step, fine", AUTO, {.tolerance = 0.005, .excess = 0.5, .inertial = true}, 3, {EXACT, BLEND, IPM}, COLD, false, false},
    {"step, hardly fine", AUTO, {.tolerance = 0.01, .excess = 0.5, .inertial = true}, 4, {BLEND, BLEND, BLEND, EXACT}, COLD, false, false},
    {"step, warm", AUTO, {STEP, .warm = true, .moving = true}, 4, {BLEND, BLEND, BLEND, EXACT}, GIVEN, SMALL, false, true},
    {"step, warm, thin", AUTO, {.tolerance = 1e-3, .excess = 0.5, .inertial = true, .warm = true, .moving = true}, 3, {EXACT, BLEND, IPM}, GIVEN, LARGE, false, false},
    /* creeping with b < 1: as a time step */
    {"soft, folded", AUTO, {.tolerance = 0.03, .excess = 0.5, .soft = true}, 4, {BLEND, BLEND, BLEND, EXACT}, COLD, false, false},
    {"soft, unfolded", AUTO, {.tolerance = 0.03, .excess = 0.3, .soft = true}, 3, {EXACT, BLEND, IPM}, COLD, false, false},
    {"soft, warm", AUTO, {.tolerance = 0.03, .excess = 0.5, .soft = true, .warm = true}, 4, {BLEND, BLEND, BLEND, EXACT}, FLOW, SMALL, false, true},
    /* starts */
    {"warm", AUTO, {CREEPING, .warm = true, .moving = true}, 3, {BLEND, IPM, PG_AA}, GIVEN, SMALL, false, true},
    {"warm, stress alone", AUTO, {CREEPING, .warm = true}, 3, {BLEND, IPM, PG_AA}, FLOW, SMALL, false, true},
    {"warm, unfolded: no predictor", AUTO, {.tolerance = 0.03, .excess = 0.2, .safe = true, .warm = true}, 3, {IPM, BLEND, PG_AA}, FLOW, SMALL, false, true},
    {"warm, fine", AUTO, {.tolerance = 0.005, .excess = 0.5, .safe = true, .warm = true, .moving = true}, 3, {EXACT, BLEND, IPM}, GIVEN, LARGE, false, true},
    {"warm, step unfolded: exact but not fine", AUTO, {.tolerance = 0.03, .excess = 0.2, .inertial = true, .warm = true, .moving = true}, 3, {EXACT, BLEND, IPM}, GIVEN, SMALL, false, true},
    {"warm at rest", AUTO, {CREEPING, .warm = true, .moving = true, .at_rest = true}, 3, {BLEND, IPM, PG_AA}, GIVEN, SMALL, false, true},
    {"at rest", AUTO, {CREEPING, .at_rest = true}, 3, {BLEND, IPM, PG_AA}, FLOW, LARGE, false, true},
    {"at rest, unfolded: no predictor", AUTO, {.tolerance = 0.03, .excess = 0.2, .safe = true, .at_rest = true}, 3, {IPM, BLEND, PG_AA}, FLOW, LARGE, false, true},
    {"a velocity without a stress is no start", AUTO, {CREEPING, .moving = true}, 3, {BLEND, IPM, PG_AA}, COLD, false, true},
    /* contacts of bodies */
    {"bodies", AUTO, {.tolerance = 1e-3, .excess = 0.5, .bodies = true}, 5, {GS, EXACT, EXACT, BLEND, GS}, COLD, false, false},
    {"bodies, warm: sweeps wait", AUTO, {.tolerance = 1e-3, .excess = 0.5, .bodies = true, .warm = true, .moving = true}, 6, {GS, GS, EXACT, EXACT, BLEND, GS}, GIVEN, SMALL, false, false},
    {"bodies, warm, tight", AUTO, {.tolerance = 9e-5, .excess = 0.5, .bodies = true, .warm = true, .moving = true}, 6, {GS, GS, EXACT, EXACT, BLEND, GS}, GIVEN, SMALL, false, false},
    {"bodies, convex", AUTO, {.tolerance = 1e-3, .convex = true, .bodies = true}, 3, {GS, IPM, APGD}, COLD, false, false},
    {"bodies, too many for factors", AUTO, {.tolerance = 1e-3, .excess = 0.5, .bodies = true, .unknowns = 20001}, 1, {GS}, COLD, false, false},
    /* one method asked for: alone, and never predicted */
    {"exact, cold", EXACT, {.tolerance = 0.03, .excess = 0.2, .safe = true}, 1, {EXACT}, COLD, false, true},
    {"exact, warm and fine", EXACT, {.tolerance = 0.005, .excess = 0.2, .safe = true, .warm = true}, 1, {EXACT}, FLOW, LARGE, false, true},
    {"blend, warm and fine", BLEND, {.tolerance = 0.005, .excess = 0.2, .safe = true, .warm = true}, 1, {BLEND}, FLOW, SMALL, false, true},
    {"blend, convex", BLEND, {.tolerance = 0.03, .convex = true, .safe = true}, 1, {BLEND}, COLD, false, true},
    {"dr in a time step", SAB_METHOD_DR, {STEP}, 1, {SAB_METHOD_DR}, COLD, false, false},
};
/* clang-format on */

static bool is_row(const row *r, const sab_plan *p)
{
    bool same = p->n == r->n && p->predictor == r->predictor && p->tight == r->tight &&
                p->stage[0].start == r->start && p->stage[0].lift == r->lift;

    for (int i = 0; same && i < p->n; i++)
        same = p->stage[i].method == r->chain[i];
    for (int i = 1; same && i < p->n && !r->facts.bodies; i++) /* later: from the best iterate */
        same = p->stage[i].start == (p->stage[i].relaxed ? FLOW : SAB_START_BEST) &&
               p->stage[i].lift == SMALL;
    if (same && r->facts.bodies && p->n > 1) { /* cold sweeps do not wait, and then from afar */
        const int swept = p->n == SAB_PLAN_MOST ? 2 : 1;

        same = p->stage[0].haste == (r->facts.warm && r->facts.tolerance >= 1e-4 ? 2 : 1) &&
               (swept == 1 || (p->stage[1].start == SAB_START_COLD && p->stage[1].haste == 2)) &&
               p->stage[swept].start == SAB_START_COLD && p->stage[swept].haste == 0 &&
               p->stage[swept + 1].start == SAB_START_BEST && p->stage[swept + 1].lift == 1.0;
    }
    if (same && p->predictor)
        same = p->predicted.method == r->chain[0] && p->predicted.start == SAB_START_FLOW &&
               p->predicted.lift == LARGE;
    return same;
}

static void test_plan(void)
{
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const sab_plan plan = sab_auto_plan(table[i].method, &table[i].facts);

        if (!is_row(&table[i], &plan)) {
            printf("\n    %s: %d methods, the first %s, start %d, lift %g, %spredictor, %stight\n",
                   table[i].name, plan.n, sab_method_table[plan.stage[0].method].name,
                   (int)plan.stage[0].start, plan.stage[0].lift, plan.predictor ? "" : "no ",
                   plan.tight ? "" : "not ");
            CU_FAIL("plan");
        }
    }
}

/* The second stage, and no other, of a folded time step from rest goes by way of a relaxed law. */
static void test_relaxed(void)
{
    static const struct {
        sab_method method;
        sab_facts facts;
        bool relaxed;
    } relax[] = {{AUTO, {STEP}, true},
                 {AUTO, {.tolerance = 0.01, .excess = 0.31, .inertial = true}, true},
                 {AUTO, {.tolerance = 0.0099, .excess = 0.5, .inertial = true}, false},
                 {AUTO, {.tolerance = 0.03, .excess = 0.3, .inertial = true}, false},
                 {AUTO, {.tolerance = 0.03, .convex = true, .inertial = true}, false},
                 {AUTO, {STEP, .warm = true, .moving = true}, false},
                 {AUTO, {STEP, .bodies = true}, false},
                 {AUTO, {CREEPING}, false},
                 {AUTO, {CREEPING, .soft = true}, false},
                 {BLEND, {STEP}, false}};

    for (size_t k = 0; k < sizeof relax / sizeof relax[0]; k++) {
        const sab_plan plan = sab_auto_plan(relax[k].method, &relax[k].facts);

        for (int i = 0; i < plan.n; i++)
            CU_ASSERT_EQUAL(plan.stage[i].relaxed, i == 1 && relax[k].relaxed);
    }
}

/* Whatever the facts: there is a method, none is AUTO, a rate law has interior points only. */
static void test_always_a_plan(void)
{
    static const double tolerance[] = {1e-12, 1e-3, 0.01, 0.03, 0.05, 1.0};

    for (unsigned bits = 0; bits < 512; bits++)
        for (int t = 0; t < 6; t++)
            for (int e = 0; e < 3; e++) {
                const sab_facts f = {.tolerance = tolerance[t],
                                     .excess = 0.25 * e,
                                     .convex = (bits & 1) != 0,
                                     .inertial = (bits & 2) != 0,
                                     .soft = (bits & 4) != 0,
                                     .safe = (bits & 8) != 0,
                                     .follows = (bits & 16) != 0,
                                     .warm = (bits & 32) != 0,
                                     .moving = (bits & 64) != 0,
                                     .at_rest = (bits & 128) != 0,
                                     .bodies = (bits & 256) != 0};
                const sab_plan p = sab_auto_plan(SAB_METHOD_AUTO, &f);

                CU_ASSERT(p.n >= 1 && p.n <= SAB_PLAN_MOST);
                for (int i = 0; i < p.n; i++) {
                    CU_ASSERT(p.stage[i].method != SAB_METHOD_AUTO);
                    CU_ASSERT(!f.follows || sab_method_is_ipm(p.stage[i].method));
                    CU_ASSERT((p.stage[i].start == SAB_START_COLD) == (p.stage[i].lift == 0.0));
                }
                CU_ASSERT(!p.predictor || p.stage[0].start == SAB_START_COLD);
            }
}

/* A row of the table of methods has what its family needs. */
static void test_methods(void)
{
    for (int m = 0; m < SAB_METHOD_COUNT; m++) {
        const sab_method_entry *e = &sab_method_table[m];

        CU_ASSERT(e->name != NULL && e->help != NULL);
        CU_ASSERT((e->family == SAB_FAMILY_PLAN) == (m == SAB_METHOD_AUTO));
        if (e->family != SAB_FAMILY_FIRST_ORDER) {
            CU_ASSERT(!e->cadoux && !e->split);
            continue;
        }
        CU_ASSERT(e->exactness == 0.0);
        CU_ASSERT_EQUAL(e->split, e->step == SAB_STEP_DR || e->step == SAB_STEP_DR_ANDERSON);
        CU_ASSERT_EQUAL(e->memory, e->step == SAB_STEP_ANDERSON || e->step == SAB_STEP_DR_ANDERSON);
    }
}

static const sab_test tests[] = {{"the plan of every branch", test_plan},
                                 {"by way of a relaxed law", test_relaxed},
                                 {"there is always a plan", test_always_a_plan},
                                 {"rows of the table of methods", test_methods}};

int main(void)
{
    return SAB_TEST_MAIN("auto", tests);
}

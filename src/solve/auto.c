/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/auto.h"

/* Lift of a warm start (of the scales of stress and strain rate) from a solution or the best
 * iterate, and the larger one from the predictor, whose stress is rough, and of the exact law below
 * the tolerance FINE, where the solution before is too near the boundary for it. */
static const double LIFT = 3e-3, LIFT_MORE = 3e-2, FINE = 0.01;
/* From here on a tolerance is rough, */
static const double ROUGH = 0.05;
/* and beyond this mu - zeta the shift of `ipm` lags too much for a rough answer as well. */
static const double STEEP = 0.5;
/* Least tolerance for which interior points keep to a tight path. */
static const double THIN = 2e-3;

/* Least tolerance that warm sweeps are trusted with. */
static const double SWEPT = 1e-4;

/* Unused places are 0 = AUTO. */
typedef struct chain {
    sab_method method[SAB_PLAN_MOST];
} chain;
static const chain CONVEX = {{SAB_METHOD_IPM, SAB_METHOD_APGD}};
static const chain CHEAP = {{SAB_METHOD_IPM, SAB_METHOD_IPM_BLEND, SAB_METHOD_PG_AA}};
static const chain CAREFUL = {{SAB_METHOD_IPM_BLEND, SAB_METHOD_IPM, SAB_METHOD_PG_AA}};
static const chain EXACT = {{SAB_METHOD_IPM_EXACT, SAB_METHOD_IPM_BLEND, SAB_METHOD_IPM}};
static const chain AGAIN = {
    {SAB_METHOD_IPM_BLEND, SAB_METHOD_IPM_BLEND, SAB_METHOD_IPM_BLEND, SAB_METHOD_IPM_EXACT}};
/* Contacts of bodies. Where grains move sweeps cost a tenth of an interior point, where they are
 * locked they do not end; then the exact law from afar, and from elsewhere if it jams: whether it
 * does depends on the start, and at last sweeps to the end [docs/theory.md, 6.10]. */
static const chain BODIES = {{SAB_METHOD_GS, SAB_METHOD_IPM_EXACT, SAB_METHOD_IPM_EXACT,
                              SAB_METHOD_IPM_BLEND, SAB_METHOD_GS}};
/* From the impulses of the step before sweeps may jam where from nothing they do not. */
static const chain BODIES_WARM = {{SAB_METHOD_GS, SAB_METHOD_GS, SAB_METHOD_IPM_EXACT,
                                   SAB_METHOD_IPM_EXACT, SAB_METHOD_IPM_BLEND, SAB_METHOD_GS}};
static const chain BODIES_CONVEX = {{SAB_METHOD_GS, SAB_METHOD_IPM, SAB_METHOD_APGD}};
static const chain MANY = {{SAB_METHOD_GS}};
/* Beyond so many unknowns the factors of packings in space are too dear. */
enum { MANY_UNKNOWNS = 20000 };

/* What to try first, and what to go on with from the best iterate when that stalls. A convex
 * program is the interior point's own ground. A rough answer is cheapest with the symmetric matrix
 * of `ipm`, and up to mu - zeta = 0.3, where the exact law has no folds, a moderate one too;
 * beyond, the exact law gets far on some meshes and jams on others, and the blend is the safer
 * start for a moderate tolerance, and from mu - zeta = 0.5 on for a rough one. In a time step
 * inertia helps the exact law, first-order methods are of no use, and the blend itself gets further
 * when it starts again from its best iterate: a flow from rest needs that on fine meshes. A
 * creeping flow with b < 1 is as hard: with the chain of b = 1 it takes two to five times as many
 * iterations where mu - zeta is large. */
static const chain *choose(const sab_facts *f)
{
    const bool folded = f->excess > SAB_UNFOLDED;

    if (f->bodies && !f->follows)
        return f->unknowns > MANY_UNKNOWNS ? &MANY
               : f->convex                 ? &BODIES_CONVEX
               : f->warm                   ? &BODIES_WARM
                                           : &BODIES;
    if (f->convex)
        return &CONVEX;
    if (f->tolerance < FINE)
        return &EXACT;
    if (f->inertial || f->soft)
        return folded ? &AGAIN : &EXACT;
    return folded && (f->tolerance < ROUGH || f->excess > STEEP) ? &CAREFUL : &CHEAP;
}

static sab_stage first_stage(sab_method method, const sab_facts *f)
{
    const bool exact = method == SAB_METHOD_IPM_EXACT && f->tolerance < FINE;

    if (f->warm)
        return (sab_stage){.method = method,
                           .start = f->moving ? SAB_START_GIVEN : SAB_START_FLOW,
                           .lift = exact ? LIFT_MORE : LIFT};
    if (f->at_rest)
        return (sab_stage){.method = method, .start = SAB_START_FLOW, .lift = LIFT_MORE};
    return (sab_stage){.method = method, .start = SAB_START_COLD};
}

/* The stage after `i` others have stalled: from the best iterate; of bodies sweeps from impulses
 * are begun anew from none, the first interior point starts cold, and the next one with the largest
 * lift, when that has jammed. A time step that has
 * jammed from rest goes by way of a law nearer to the associated one [docs/theory.md, 6.7]. */
static sab_stage next_stage(sab_method method, int i, const sab_facts *f)
{
    if (f->bodies) {
        const int swept = f->warm && !f->convex ? 2 : 1; /* stages that were sweeps */

        if (i <= swept)
            return (sab_stage){
                .method = method, .start = SAB_START_COLD, .haste = i < swept ? 2 : 0};
        return (sab_stage){
            .method = method, .start = SAB_START_BEST, .lift = i == swept + 1 ? 1.0 : LIFT_MORE};
    }
    if (i == 1 && f->inertial && !f->warm && !f->convex && f->excess > SAB_UNFOLDED &&
        f->tolerance >= FINE)
        return (sab_stage){
            .method = method, .start = SAB_START_FLOW, .lift = LIFT, .relaxed = true};
    return (sab_stage){.method = method, .start = SAB_START_BEST, .lift = LIFT};
}

/* A few steps of Douglas-Rachford save the interior points a third of their iterations while
 * mu - zeta is moderate; where it is large they would lead them astray. */
static bool predictor_helps(const sab_facts *f)
{
    return !f->bodies && !f->warm && !f->at_rest && f->safe && !f->follows && !f->convex &&
           f->excess <= SAB_UNFOLDED;
}

/* From the impulses of the step before sweeps reach moderate tolerances in locked packings too, and
 * sooner than an interior point, which has no use for that start: 512 spheres in a box to rest take
 * a third of the time, and no step is missed. */
static bool sweeps_suffice(const sab_facts *f)
{
    return f->bodies && f->warm && f->tolerance >= SWEPT;
}

sab_plan sab_auto_plan(sab_method method, const sab_facts *f)
{
    const bool automatic = method == SAB_METHOD_AUTO;
    const chain alone = {{method}}, *chosen = automatic ? choose(f) : &alone;
    sab_plan plan = {.n = 0};

    for (int i = 0; i < SAB_PLAN_MOST && chosen->method[i] != SAB_METHOD_AUTO; i++) {
        const sab_method next = chosen->method[i];

        if (automatic && f->follows && !sab_method_is_ipm(next))
            break;
        plan.stage[plan.n++] = i == 0 ? first_stage(next, f) : next_stage(next, i, f);
    }
    plan.stage[0].haste = plan.n == 1 ? 0 : sweeps_suffice(f) ? 2 : 1;
    plan.predictor = automatic && predictor_helps(f);
    plan.predicted =
        (sab_stage){.method = plan.stage[0].method, .start = SAB_START_FLOW, .lift = LIFT_MORE};
    /* not in a time step from rest (or with b < 1), the hardest program, which needs all the room
     * there is; and below THIN the barrier is thin by itself, and the lag of what is taken out the
     * last to go */
    plan.tight = (f->warm || !(f->inertial || f->soft)) && f->tolerance >= THIN;
    return plan;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls that are taken away at a time [docs/theory.md, 3.5]: what rested on one falls freely from
 * then on, with a surface that moves and on a full mesh, and across a resume. */
#include "moving.h"

#include <string.h>

static void slip_side(problem *p, int b)
{
    p->boundary[b].has_traction = false;
    p->boundary[b].slip = true;
}

/* A layer on a floor that opens at `opens`, between walls that slip. */
static void set_layer(scene *s, double dt, double opens)
{
    static const sab_grid grid = {4, 6, 0, 0, 0.8, 1.2, 0.0, 0.0, 0.0};

    set_scene(s, &grid, (region){{-1, 0, -1}, {2, 0.8, 1}}, dt);
    slip_side(&s->p, 1);
    s->p.boundary[0].opens = opens;
}

static void end(scene *s, sab_flow **flow)
{
    sab_flow_destroy(flow);
    sab_mesh_destroy(&s->mesh);
}

/* Largest |v - (0, -speed)| of the grains. */
static double off_fall(const sab_flow *flow, double speed)
{
    const sab_carriers *c = flow->surface->carriers;
    double most = 0.0;

    for (int p = 0; p < c->n; p++)
        most = fmax(most, hypot(c->at[p].v[0], c->at[p].v[1] + speed));
    return most;
}

/* Rest until the gate opens, free fall from then on, and what is inside and has left is what there
 * was. The gate is a wall of each kind. */
static void test_fall(void)
{
    for (int kind = 0; kind < 3; kind++) {
        const double dt = 0.05;
        const int opens = 3;
        scene s;

        set_layer(&s, dt, opens * dt);
        if (kind > 0)
            s.p.boundary[0].has_velocity = false;
        s.p.boundary[0].slip = kind == 1;
        s.p.boundary[0].has_wall = kind == 2;
        s.p.boundary[0].wall.friction = sab_constant(0.5);
        if (kind == 2) { /* and one that stays, with points of its own */
            s.p.boundary[3].slip = false;
            s.p.boundary[3].has_wall = true;
        }
        sab_flow *flow = start(&s);
        const double mass = sab_carriers_mass(flow->surface->carriers);
        const int walls = flow->walls != NULL ? flow->walls->n : 0;

        for (int k = 1; k <= 9; k++) {
            sab_flow_report r;

            step(flow, &r);
            CU_ASSERT(r.converged && fabs(r.ledger.defect) < 1e-10);
            CU_ASSERT(flow->time == k * dt);
            CU_ASSERT(off_fall(flow, fmax(0.0, (k - opens) * dt)) < 5e-3);
            CU_ASSERT(fabs(sab_carriers_mass(flow->surface->carriers) +
                           sab_carriers_left(flow->surface->carriers) - mass) < 1e-14);
            CU_ASSERT((sab_carriers_left(flow->surface->carriers) > 0.0) == (k > opens + 2) ||
                      k == opens + 1 || k == opens + 2);
        }
        CU_ASSERT(sab_carriers_left(flow->surface->carriers) > 0.05 * mass);
        CU_ASSERT((flow->walls != NULL ? flow->walls->n : 0) < walls || kind < 2);
        CU_ASSERT((flow->walls != NULL) == (kind == 2));
        end(&s, &flow);
    }
}

/* On a full mesh, of order 2: what rested until T moves like what starts at rest without the gate,
 * its first step of order 1 too. */
static void test_full(void)
{
    static const sab_grid grid = {3, 4, 0, 0, 0.6, 0.8, 0.0, 0.0, 0.0};
    const double dt = 0.05;
    sab_flow_report r, other;
    scene s;

    set_scene(&s, &grid, (region){{-1, 0, -1}, {2, 0.8, 1}}, dt);
    slip_side(&s.p, 1);
    s.p.setup.surface = NULL;
    s.p.setup.order = 2;
    s.p.setup.solver.tolerance = 1e-4;
    s.p.boundary[0].opens = 2 * dt;
    sab_flow *flow = start(&s);
    sab_boundary none[4]; /* the others are borrowed */
    memcpy(none, s.p.boundary, sizeof none);
    none[0] = (sab_boundary){.group = none[0].group, .has_traction = true};
    s.p.setup.boundary = none;
    sab_flow *free = start(&s);
    for (int k = 1; k <= 6; k++) {
        double most = 0.0, fastest = 0.0;

        step(flow, &r);
        if (k > 2)
            step(free, &other);
        for (int i = 0; i < 2 * s.mesh->nnodes; i++) {
            most = fmax(most, fabs(flow->fields->velocity[i] - free->fields->velocity[i]));
            fastest = fmax(fastest, fabs(free->fields->velocity[i]));
        }
        CU_ASSERT(r.converged && most < 1e-3 * fmax(fastest, dt));
        CU_ASSERT(k <= 2 || fastest > 0.5 * (k - 2) * dt);
        CU_ASSERT(fabs(r.ledger.defect) < 1e-10);
    }
    sab_flow_destroy(&free);
    end(&s, &flow);
}

/* A state from before the gate, at its very time or after it is taken up again bit for bit. */
static void test_resume(void)
{
    for (int from = 1; from <= 3; from++) {
        sab_flow_report r, again;
        sab_error err;
        scene s;

        set_layer(&s, 0.05, 0.1);
        s.p.boundary[0].has_velocity = false;
        s.p.boundary[0].has_wall = true;
        s.p.boundary[0].wall.friction = sab_constant(0.3);
        sab_flow *a = start(&s), *b = start(&s);
        for (int k = 0; k < from; k++)
            step(a, &r);
        const sab_flow_state state = sab_flow_get_state(a);
        if (sab_flow_restore(b, &state, &err) != SAB_OK)
            CU_FAIL_FATAL(err.message);
        sab_flow_go_on(b, &state);
        CU_ASSERT((b->walls == NULL) == (from > 2)); /* a state at the time itself has the wall */
        for (int k = from; k < 5; k++) {
            step(a, &r);
            step(b, &again);
            CU_ASSERT_EQUAL(r.solve.work.factorisations, again.solve.work.factorisations);
        }
        const sab_carriers *ca = a->surface->carriers, *cb = b->surface->carriers;
        CU_ASSERT_EQUAL_FATAL(ca->n, cb->n);
        for (int p = 0; p < ca->n; p++)
            CU_ASSERT(memcmp(ca->at[p].x, cb->at[p].x, 2 * sizeof(double)) == 0 &&
                      memcmp(ca->at[p].v, cb->at[p].v, 2 * sizeof(double)) == 0);
        sab_flow_destroy(&b);
        end(&s, &a);
    }
}

/* Back to a state from before the gate: the wall is there again. */
static void test_back(void)
{
    sab_flow_report r;
    sab_error err;
    scene s;

    set_layer(&s, 0.05, 0.05);
    sab_flow *a = start(&s), *b = start(&s);
    for (int k = 0; k < 3; k++)
        step(a, &r);
    CU_ASSERT(off_fall(a, 0.1) < 5e-3);
    const sab_flow_state state = sab_flow_get_state(b);
    CU_ASSERT_EQUAL_FATAL(sab_flow_restore(a, &state, &err), SAB_OK);
    step(a, &r);
    CU_ASSERT(off_fall(a, 0.0) < 1e-6);
    sab_flow_destroy(&b);
    end(&s, &a);
}

static void test_refusals(void)
{
    static const double when[] = {0.12, 0.02};

    for (int k = 0; k < 2; k++) {
        sab_flow *flow = NULL;
        sab_error err = {0};
        scene s;

        set_layer(&s, 0.05, when[k]);
        CU_ASSERT_EQUAL(sab_flow_create(&s.p.setup, &flow, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "boundaries.bottom.opens"));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, k == 0 ? "0.1 or 0.15" : "0.05 or 0.05"));
        sab_mesh_destroy(&s.mesh);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"rest, then free fall", test_fall},  {"on a full mesh", test_full},
        {"resumed bit for bit", test_resume}, {"back to a time before", test_back},
        {"refusals", test_refusals},
    };

    return SAB_TEST_MAIN("gates", tests);
}

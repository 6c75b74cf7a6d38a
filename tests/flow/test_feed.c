/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains that are fed [docs/theory.md, 3.5]: mass and energy in every step, a stream that falls as
 * a stream does, a box that fills up, a run taken up again. */
#include "moving.h"

#include <string.h>

/* A box, empty below `level`, fed through its top at speed 1. */
static void set_box(scene *s, const sab_grid *grid, double dt, double level)
{
    set_scene(s, grid, (region){{-1, -1, -1}, {2, level, 1}}, dt);
    s->p.boundary[1].has_traction = false;
    s->p.boundary[1].slip = true;
    s->p.boundary[2] = (sab_boundary){.group = s->p.boundary[2].group,
                                      .has_velocity = true,
                                      .prescribed = {true, true},
                                      .velocity = {sab_constant(0.0), sab_constant(-1.0)},
                                      .has_inflow = true,
                                      .fill = sab_constant(1.0)};
}

/* inside + left - fed: what there was. */
static double balance(const sab_flow *flow)
{
    const sab_carriers *c = flow->surface->carriers;

    return sab_carriers_mass(c) + sab_carriers_left(c) - sab_carriers_fed(c);
}

/* A stream that falls out of the box again: it takes up speed as it falls, v^2 = 1 + 2 g h but for
 * the order of the scheme, it thins out like 1/v, and in the end as much leaves as is fed. Nothing
 * is there at the beginning. */
static void test_stream(void)
{
    static const sab_grid grid = {2, 8, 0, 0, 0.3, 1.2, 0.0, 0.0, 0.0};
    const double dt = 0.02, width = 0.3;
    scene s;

    set_box(&s, &grid, dt, -2.0);
    s.p.boundary[0] = (sab_boundary){.group = s.p.boundary[0].group, .has_traction = true};
    sab_flow *flow = start(&s);
    const sab_carriers *c = flow->surface->carriers;
    double left = 0.0, worst = 0.0, low = 0.0;

    for (int k = 1; k <= 60; k++) {
        sab_flow_report r;
        const double before = sab_carriers_fed(c);

        step(flow, &r);
        CU_ASSERT(r.converged && fabs(r.ledger.defect) < 1e-12);
        CU_ASSERT(fabs(balance(flow)) < 1e-13);
        SAB_ASSERT_CLOSE(r.ledger.in, 0.5 * (sab_carriers_fed(c) - before), 1e-14);
        CU_ASSERT(r.ledger.given == r.ledger.in && r.ledger.carried == r.ledger.in - r.ledger.out);
        left = k == 40 ? sab_carriers_left(c) : left;
    }
    for (int p = 0; p < c->n; p++) {
        const double v = sqrt(1.0 + 2.0 * (1.2 - c->at[p].x[1]));

        worst = fmax(worst, fabs(hypot(c->at[p].v[0], c->at[p].v[1]) / v - 1.0));
        low += c->at[p].x[1] < 0.6 ? c->at[p].mass : 0.0;
    }
    CU_ASSERT(worst < 0.04);
    /* t(0.6) = sqrt(2.2) - 1, t(0) = sqrt(3.4) - 1 of the fall */
    SAB_ASSERT_CLOSE(low, width * (sqrt(3.4) - sqrt(2.2)), 0.05);
    SAB_ASSERT_CLOSE((sab_carriers_left(c) - left) / (20 * dt), width, 0.05);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* Onto what is there: a box fills up by what is fed, and nothing is compressed. */
static void test_filling(void)
{
    static const sab_grid grid = {4, 6, 0, 0, 0.8, 1.2, 0.0, 0.0, 0.0};
    const double dt = 0.05;
    scene s;

    set_box(&s, &grid, dt, 0.4);
    sab_flow *flow = start(&s);
    const sab_carriers *c = flow->surface->carriers;
    const double initial = sab_carriers_mass(c);
    double fed = 0.0;

    for (int k = 1; k <= 12; k++) {
        sab_flow_report r;

        if (k == 9) /* and that is enough */
            s.p.boundary[2].fill = sab_constant(0.0);
        step(flow, &r);
        CU_ASSERT(r.converged && fabs(r.ledger.defect) < 1e-11);
        CU_ASSERT(fabs(balance(flow) - initial) < 1e-13);
        fed = k == 8 ? sab_carriers_fed(c) : fed;
        CU_ASSERT(sab_filling_excess(flow->surface->fill) < 5e-3);
    }
    SAB_ASSERT_CLOSE(fed, 0.8 * 8 * dt, 0.06);
    CU_ASSERT(sab_carriers_fed(c) == fed);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* Bit for bit from a state in the middle, with what is owed. */
static void test_resume(void)
{
    static const sab_grid grid = {3, 4, 0, 0, 0.6, 0.8, 0.0, 0.0, 0.0};
    sab_flow_report r;
    sab_error err;
    scene s;

    set_box(&s, &grid, 0.03, 0.2);
    sab_flow *a = start(&s), *b = start(&s);
    for (int k = 0; k < 5; k++)
        step(a, &r);
    const sab_flow_state state = sab_flow_get_state(a);
    CU_ASSERT_EQUAL_FATAL(sab_flow_restore(b, &state, &err), SAB_OK);
    sab_flow_go_on(b, &state);
    for (int k = 0; k < 3; k++) {
        step(a, &r);
        step(b, &r);
    }
    const sab_carriers *ca = a->surface->carriers, *cb = b->surface->carriers;
    CU_ASSERT_EQUAL_FATAL(ca->n, cb->n);
    for (int p = 0; p < ca->n; p++)
        CU_ASSERT(memcmp(ca->at[p].x, cb->at[p].x, 2 * sizeof(double)) == 0 &&
                  ca->at[p].mass == cb->at[p].mass);
    CU_ASSERT(sab_carriers_fed(ca) > 0.0 && sab_carriers_fed(ca) == sab_carriers_fed(cb));
    sab_flow_destroy(&a);
    sab_flow_destroy(&b);
    sab_mesh_destroy(&s.mesh);
}

/* What goes out is not fed. */
static void test_refusals(void)
{
    static const sab_grid grid = {2, 2, 0, 0, 0.4, 0.4, 0.0, 0.0, 0.0};

    for (int k = 0; k < 2; k++) {
        sab_flow_report r;
        sab_error err = {0};
        scene s;

        set_box(&s, &grid, 0.1, 0.2);
        if (k == 0)
            s.p.boundary[2].velocity[1] = sab_constant(0.1);
        else
            s.p.boundary[2].fill = sab_constant(1.5);
        sab_flow *flow = start(&s);
        CU_ASSERT_EQUAL(sab_flow_step(flow, NULL, &r, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, k == 0
                                                       ? "boundaries.top.inflow: at t = 0.1"
                                                       : "boundaries.top.inflow.fill: it is 1.5"));
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&s.mesh);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"a stream", test_stream},
        {"a box that fills up", test_filling},
        {"resumed bit for bit", test_resume},
        {"refusals", test_refusals},
    };

    return SAB_TEST_MAIN("feed", tests);
}

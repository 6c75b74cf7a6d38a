/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Free surfaces that move: energy, mass, rest, falling and landing, resuming; plane, about an axis
 * and in space [docs/theory.md, 3.5]. */
#include "moving.h"

#include <stdio.h>
#include <string.h>

/* The theorem: with Euler positions the loss of kinetic and potential energy is what viscosity,
 * lambda and the time step take, and lambda takes less than nothing by the gap at most. A column
 * that collapses. */
static void test_energy(void)
{
    const sab_grid grid = {10, 6, 0, 0, 2, 1.2, 0.0, 0.0, 0.0};
    scene s;

    set_scene(&s, &grid, (region){{0, 0, -1}, {0.8, 0.8, 1}}, 0.05);
    s.surface.euler = true;
    sab_flow *flow = start(&s);
    const double mass = sab_carriers_mass(flow->surface->carriers);
    double energy = mass * centre(flow, 1), worst = 0.0, lost = 0.0;
    const double first = energy;

    CU_ASSERT(fabs(mass - 0.64) < 1e-13);
    for (int k = 0; k < 12; k++) {
        sab_flow_report r;

        step(flow, &r);
        const sab_ledger *l = &r.ledger;
        const sab_certificate *c = &r.solve.certificate;
        const double now = l->energy + mass * centre(flow, 1);

        CU_ASSERT(r.converged);
        CU_ASSERT(fabs(l->defect) < 1e-9 * first);
        worst = fmax(worst, fabs(now - energy + l->viscous + l->friction + l->loss));
        CU_ASSERT(l->loss >= 0.0 && l->viscous >= 0.0);
        CU_ASSERT(l->friction >= -c->gap * c->dissipation * 0.05 - 1e-12);
        energy = now;
        lost = first - now;
    }
    printf("  lost %.4g of %.4g, identity to %.1e\n", lost, first, worst);
    CU_ASSERT(worst < 1e-9 && lost > 0.02 * first);
    CU_ASSERT(fabs(sab_carriers_mass(flow->surface->carriers) - mass) < 1e-14);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* A layer whose surface lies along sides of the mesh rests, to the bit if nothing moves. */
static void test_rest(void)
{
    const sab_grid grid = {6, 6, 0, 0, 1.2, 1.2, 0.0, 0.0, 0.0};
    scene s;

    set_scene(&s, &grid, (region){{0, 0, -1}, {2, 0.6, 1}}, 0.04);
    s.p.boundary[1].has_traction = false;
    s.p.boundary[1].slip = true;
    sab_flow *flow = start(&s);
    for (int k = 0; k < 5; k++) {
        sab_flow_report r;

        step(flow, &r);
        CU_ASSERT(r.converged && r.retries == 0);
    }
    CU_ASSERT(rms_speed(flow) < 1e-6);
    CU_ASSERT(fabs(centre(flow, 1) - 0.3) < 1e-7);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* A block falls freely, exactly: mean height z0 - t (t + dt)/2; it lands, stays, and is packed
 * again but for the gap that the inside rule leaves, (1 - dense) of an element. */
static void test_block(void)
{
    const sab_grid grid = {4, 8, 0, 0, 0.8, 1.6, 0.0, 0.0, 0.0};
    const double dt = 0.04;
    double highest = 0.0;
    scene s;

    set_scene(&s, &grid, (region){{-1, 0.4, -1}, {2, 1.0, 1}}, dt);
    s.p.boundary[1].has_traction = false;
    s.p.boundary[1].slip = true;
    sab_flow *flow = start(&s);
    for (int k = 1; k <= 45; k++) {
        sab_flow_report r;

        step(flow, &r);
        CU_ASSERT(r.converged);
        if (k <= 8) {
            SAB_ASSERT_CLOSE(centre(flow, 1), 0.7 - 0.5 * k * dt * (k + 1) * dt, 2e-4);
            CU_ASSERT(r.ledger.friction < 1e-6);
        }
        if (k == 30)
            highest = centre(flow, 1);
    }
    printf("  block: mean height %.4f (packed 0.3), then %.4f, speed %.1e, excess %.2f %%\n",
           highest, centre(flow, 1), rms_speed(flow),
           100.0 * sab_filling_excess(flow->surface->fill));
    CU_ASSERT(centre(flow, 1) > 0.297 && centre(flow, 1) < 0.3 + 0.2 * 0.2);
    CU_ASSERT(centre(flow, 1) <= highest + 1e-3 && rms_speed(flow) < 5e-3);
    CU_ASSERT(fabs(sab_carriers_mass(flow->surface->carriers) - 0.48) < 1e-13);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* Grains fall out of a box without a floor: inside and left together are what there was. */
static void test_mass(void)
{
    const sab_grid grid = {4, 6, 0, 0, 0.8, 1.2, 0.05, 0.0, 0.0};
    scene s;

    set_scene(&s, &grid, (region){{-1, 0.2, -1}, {2, 0.8, 1}}, 0.1);
    s.p.boundary[0] = s.p.boundary[2];
    s.p.boundary[0].group = (char *)"bottom";
    s.p.boundary[1].has_traction = false;
    s.p.boundary[1].slip = true;
    sab_flow *flow = start(&s);
    const double mass = sab_carriers_mass(flow->surface->carriers);
    double out = 0.0;
    for (int k = 0; k < 12; k++) {
        sab_flow_report r;

        step(flow, &r);
        out += 0.1 * flow->surface->outflow;
        CU_ASSERT(fabs(r.ledger.defect) < 1e-10);
        CU_ASSERT(fabs(sab_carriers_mass(flow->surface->carriers) +
                       sab_carriers_left(flow->surface->carriers) - mass) < 1e-14);
    }
    CU_ASSERT(fabs(out - sab_carriers_left(flow->surface->carriers)) < 1e-12 && out > 0.4 * mass);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&s.mesh);
}

/* A state that is taken up again goes on bit for bit. */
static void test_resume(void)
{
    const sab_grid grid = {6, 4, 0, 0, 1.2, 0.8, 0.0, 0.0, 0.0};
    scene s;

    set_scene(&s, &grid, (region){{0, 0, -1}, {0.4, 0.6, 1}}, 0.05);
    sab_flow *a = start(&s), *b = start(&s);
    sab_flow_report r;
    sab_error err;

    for (int k = 0; k < 4; k++)
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
                  memcmp(ca->at[p].v, cb->at[p].v, 2 * sizeof(double)) == 0);
    sab_flow_destroy(&a);
    sab_flow_destroy(&b);
    sab_mesh_destroy(&s.mesh);
}

/* About an axis and in space the same lines: a block falls freely, and keeps its mass. */
static void test_geometries(void)
{
    const sab_grid grid = {4, 6, 0, 0, 0.8, 1.2, 0.0, 0.0, 0.0};
    const sab_box box = {{2, 2, 4}, {0, 0, 0}, {0.8, 0.8, 1.6}, 0.0, 0.0, {0}};
    sab_boundary six[6];
    sab_function three[3] = {{0}};
    scene s;

    for (int space = 0; space < 2; space++) {
        const double dt = 0.05;

        set_scene(&s, &grid, (region){{-1, 0.4, -1}, {2, 1.0, 2}}, dt);
        s.p.boundary[1].has_traction = false;
        s.p.boundary[1].slip = true;
        if (space) {
            static const char *const name[] = {"bottom", "left", "right", "front", "back", "top"};

            sab_mesh_destroy(&s.mesh);
            s.mesh = sab_grid_box(&box);
            make_problem(&s.p, s.mesh, dt, 1);
            s.r = (region){{-1, -1, 0.4}, {2, 2, 1.2}};
            s.p.setup.surface = &s.surface;
            s.surface.points = 2;
            s.p.material.reynolds = sab_constant(1e4);
            s.p.material.friction = sab_constant(0.4);
            s.p.setup.element = &sab_element_p2nb;
            memset(six, 0, sizeof six);
            three[2] = sab_constant(-1.0);
            s.p.setup.gravity = three;
            s.p.setup.initial = NULL;
            s.p.setup.boundary = six;
            s.p.setup.nboundaries = 6;
            for (int b = 0; b < 6; b++) {
                six[b] = (sab_boundary){.group = (char *)name[b], .slip = b > 0 && b < 5};
                six[b].has_traction = b == 5;
                six[b].has_velocity = b == 0;
                for (int i = 0; i < 3; i++)
                    six[b].prescribed[i] = b == 0;
            }
        }
        s.p.setup.geometry = space ? &sab_geometry_space : &sab_geometry_axisymmetric;
        sab_flow *flow = start(&s);
        const double mass = sab_carriers_mass(flow->surface->carriers);
        const double z = centre(flow, space ? 2 : 1);

        SAB_ASSERT_CLOSE(mass, space ? 0.64 * 0.8 : 0.5 * 0.64 * 0.6, 1e-12);
        for (int k = 1; k <= 3; k++) {
            sab_flow_report r;

            step(flow, &r);
            CU_ASSERT(r.converged);
            CU_ASSERT(fabs(r.ledger.defect) < 1e-10);
            SAB_ASSERT_CLOSE(centre(flow, space ? 2 : 1), z - 0.5 * k * dt * (k + 1) * dt, 1e-3);
        }
        CU_ASSERT(fabs(sab_carriers_mass(flow->surface->carriers) - mass) < 1e-14);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&s.mesh);
    }
}

/* What it cannot have is said. */
static void test_refusals(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    static const char *const message[] = {"there are no grains", "traction or pressure",
                                          "goes through the side"};

    for (int k = 0; k < 3; k++) {
        sab_flow *flow = NULL;
        sab_error err = {0};
        scene s;

        set_scene(&s, &grid, (region){{0, 0, -1}, {k == 0 ? -1 : 1, 1, 1}}, 0.1);
        if (k == 1)
            s.p.boundary[2].traction[1] = sab_constant(-0.1);
        if (k == 2)
            s.p.boundary[0].velocity[1] = sab_constant(0.1);
        CU_ASSERT_EQUAL(sab_flow_create(&s.p.setup, &flow, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, message[k]));
        sab_mesh_destroy(&s.mesh);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"energy: the theorem", test_energy},
        {"rest", test_rest},
        {"a block falls and lands", test_block},
        {"mass inside and mass that left", test_mass},
        {"resumed bit for bit", test_resume},
        {"about an axis and in space", test_geometries},
        {"refusals", test_refusals},
    };

    return SAB_TEST_MAIN("surface", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The energies of a time step: they close to rounding, whatever the order, the pair, the walls and
 * the gap of the solve; and what the open sides take is what comes in. */
#include "problem.h"
#include "unit.h"

#include "flow/inertia.h"
#include "run/march_flow.h"
#include "grid.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void prepare(problem *p, const sab_mesh *mesh, double step, int order)
{
    make_problem(p, mesh, step, order);
    p->material.reynolds = sab_constant(50.0);
    p->material.friction = sab_constant(0.4);
    p->gravity[1] = sab_constant(-1.0);
}

static double size_of(const sab_ledger *l)
{
    return fmax(l->energy, fabs(l->gravity) + fabs(l->traction) + fabs(l->walls));
}

/* Steps of a flow; the largest defect relative to the energies of its step. */
static double defect_of(const problem *p, int steps, sab_ledger *sum)
{
    sab_flow *flow = NULL;
    sab_error err = {0};
    double worst = 0.0;

    *sum = (sab_ledger){0};
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p->setup, &flow, &err), SAB_OK);
    for (int k = 0; k < steps; k++) {
        sab_flow_report report;

        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        const sab_ledger *l = &report.ledger;
        worst = fmax(worst, fabs(l->defect) / size_of(l));
        CU_ASSERT(l->energy > 0.0 && l->loss >= 0.0 && l->viscous >= 0.0);
        sab_ledger_add(sum, l);
    }
    sab_flow_destroy(&flow);
    return worst;
}

/* Grains in a box that is open above and at a side, its bottom moves; curved and straight meshes,
 * both pairs, both orders, given friction and mu(I), a coarse tolerance. */
static void test_closes(void)
{
    const sab_grid grid[2] = {{4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0},
                              {4, 4, 0, 0, 1, 1, 0.1, 0.06, 0.3}};

    for (int variant = 0; variant < 16; variant++) {
        sab_mesh *mesh = sab_grid_create(&grid[variant / 4 % 2]);
        sab_ledger sum;
        problem p;

        prepare(&p, mesh, 0.1, 1 + variant % 2);
        p.setup.element = variant / 2 % 2 == 1 ? &sab_element_p2b : &sab_element_p2;
        p.setup.viscosity_iterations = 20;
        p.material.has_mu_i = variant >= 8;
        p.material.mu_i = (sab_mu_i){.resting = 0.2, .flowing = 0.6, .I0 = 0.3, .grain = 0.1};
        hold_side(&p, 0, 0.3);
        hold_side(&p, 3, 0.0);
        p.boundary[2].has_pressure = true;
        p.boundary[2].pressure = sab_constant(0.2);
        p.initial[0] = sab_constant(0.1);
        p.initial[1] = sab_constant(-0.2);
        const double worst = defect_of(&p, 5, &sum);
        printf("  curved %d, bubbles %d, order %d, mu(I) %d: defect %.1e\n", variant / 4 % 2,
               variant / 2 % 2, 1 + variant % 2, variant / 8, worst);
        CU_ASSERT(worst < 1e-12);
        CU_ASSERT(sum.inflow != 0.0 && sum.given > 1e-3);
        CU_ASSERT(sum.walls != 0.0 && sum.traction != 0.0);
        sab_mesh_destroy(&mesh);
    }
}

/* A plug of height H between slip walls, open above and below under the same pressure, which keeps
 * it together: what enters comes with the velocity that it all has, so that the plug falls freely.
 * In discrete time c H (u - w) = gH - u^n (u - u^n)/2 exactly. */
static void test_plug(void)
{
    const sab_grid grid = {2, 6, 0, 0, 0.7, 2, 0.1, 0.0, 0.0};
    const double H = 2.0, dt = 0.2;
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int variant = 0; variant < 4; variant++) {
        const int order = 1 + variant % 2;
        double now = 0.0, before = 0.0;
        sab_flow *flow = NULL;
        sab_error err = {0};
        problem p;

        prepare(&p, mesh, dt, order);
        p.setup.element = variant / 2 == 1 ? &sab_element_p2b : &sab_element_p2;
        p.setup.solver.tolerance = 1e-8;
        p.material.reynolds = sab_constant(INFINITY);
        for (int b = 0; b < 4; b++) {
            p.boundary[b].has_traction = false;
            p.boundary[b].slip = b % 2 == 1;
            p.boundary[b].has_pressure = b % 2 == 0;
            p.boundary[b].pressure = sab_constant(4.0);
        }
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        for (int k = 0; k < 20; k++) {
            const bool first = order == 1 || k == 0;
            const double c = (first ? 1.0 : 1.5) / dt, w = first ? now : (4.0 * now - before) / 3.0;
            const double next = (c * H * w + H + 0.5 * now * now) / (c * H + 0.5 * now);
            sab_flow_report report;

            CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
            CU_ASSERT(report.converged);
            before = now;
            now = next;
            for (int a = 0; a < mesh->nnodes; a += 7)
                CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a + 1], -now, 2e-6);
            CU_ASSERT(fabs(report.ledger.defect) < 1e-12 * size_of(&report.ledger));
        }
        CU_ASSERT(now > 0.75 * 20 * dt && now < 20 * dt); /* g t, with a lag of the open side */
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* What open sides take, and what the mean brings, is what comes in, up to the change of the
 * velocity in a step: half of the difference for half of the step. */
static void test_inflow_is_what_enters(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    double difference[2];

    for (int k = 0; k < 2; k++) {
        sab_ledger sum;
        problem p;

        prepare(&p, mesh, 0.1 / (1 << k), 1);
        p.boundary[1].slip = p.boundary[3].slip = true;
        p.boundary[1].has_traction = p.boundary[3].has_traction = false;
        for (int b = 0; b < 4; b += 2) {
            p.boundary[b].has_pressure = true;
            p.boundary[b].pressure = sab_constant(2.0);
        }
        defect_of(&p, 5 << k, &sum);
        CU_ASSERT(sum.in > 1e-3);
        difference[k] = fabs((sum.inflow + sum.given) / sum.in - 1.0);
    }
    printf("  taken / entering - 1: %.3e, %.3e\n", difference[0], difference[1]);
    CU_ASSERT(difference[0] < 0.7 && difference[0] > 0.02);
    CU_ASSERT_DOUBLE_EQUAL(difference[1] / difference[0], 0.5, 0.1);
    sab_mesh_destroy(&mesh);
}

/* A body that nothing holds or drives keeps its velocity: no energy comes or goes, and rounding is
 * not taken for a gain. Numbers that are not finite are never stable. */
static void test_coasting(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.3};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int order = 1; order <= 2; order++) {
        sab_flow *flow = NULL;
        sab_error err = {0};
        problem p;

        prepare(&p, mesh, 0.13, order);
        p.setup.free_inflow = true;
        p.gravity[1] = sab_constant(0.0);
        p.initial[0] = sab_constant(0.7);
        p.initial[1] = sab_constant(-0.3);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        for (int k = 0; k < 12; k++) {
            sab_flow_report report;

            CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
            CU_ASSERT(report.converged && !report.unsound && report.retries == 0);
            CU_ASSERT_DOUBLE_EQUAL(report.ledger.energy, 0.29, 1e-9);
            CU_ASSERT_DOUBLE_EQUAL(report.ledger.excess, 0.0, 1e-9);
        }
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
    CU_ASSERT(!sab_ledger_is_stable(&(sab_ledger){.energy = NAN, .carried = NAN}));
    CU_ASSERT(!sab_ledger_is_sound(&(sab_ledger){.energy = INFINITY, .carried = INFINITY}));
}

/* A fast silo, the half of it: without the term of open sides jets grow in through its top. The run
 * ends there, and says why; with the term its energy stays where it should. */
static void test_unstable(void)
{
    const sab_mesh_parameter size[] = {{"D", 3.0}, {"h", 1.3}, {"across", 6.0}};
    static char group[4][8] = {"top", "outlet", "axis", "wall"};
    sab_mesh *coarse = NULL, *mesh = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_mesh_read("meshes/silo.geo", 2, 3, size, &coarse, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &mesh, &err), SAB_OK);
    for (int sick = 0; sick < 2; sick++) {
        const sab_march_options options = {
            .end = sick == 1 ? 30.0 : 10.0, .window = 1.0, .probe = -1};
        sab_flow *flow = NULL;
        sab_probes *probes = NULL;
        sab_march *march = NULL;
        double largest = 0.0;
        problem p;

        prepare(&p, mesh, 0.1, 2);
        p.setup.free_inflow = sick == 1;
        p.material.friction = sab_constant(0.1);
        p.material.reynolds = sab_constant(INFINITY);
        for (int b = 0; b < 4; b++)
            p.boundary[b] =
                (sab_boundary){.group = group[b], .has_traction = b < 2, .slip = b == 2};
        hold_side(&p, 3, 0.0);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, 0, NULL, &probes, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_march_flow_create(flow, probes, &options, &march, &err), SAB_OK);
        while (march->end == SAB_MARCH_GOES_ON) {
            sab_flow_report report;

            CU_ASSERT_EQUAL_FATAL(sab_march_step(march, NULL, &report, &err), SAB_OK);
            largest = fmax(largest, report.ledger.energy);
        }
        const sab_march_energy e = sab_march_energies(march);
        printf("  %s: %d steps, largest energy %.3g, of nothing %.2g, dilation %.2g\n",
               sick == 1 ? "without" : "with", march->rows, largest, e.share, e.parting);
        CU_ASSERT_EQUAL(march->end, sick == 1 ? SAB_MARCH_UNSTABLE : SAB_MARCH_FINISHED);
        CU_ASSERT_EQUAL(sab_march_is_good(march), sick == 0);
        CU_ASSERT(sick == 1 || largest < 35.0);
        CU_ASSERT(e.defect < 1e-12);
        sab_march_destroy(&march);
        sab_probes_destroy(&probes);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&coarse);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"the ledger closes", test_closes},
                                     {"plug", test_plug},
                                     {"inflow", test_inflow_is_what_enters},
                                     {"coasting", test_coasting},
                                     {"unstable", test_unstable}};

    return SAB_TEST_MAIN("flow/ledger", tests);
}

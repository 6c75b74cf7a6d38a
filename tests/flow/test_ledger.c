/* The energies of a time step: they close to rounding, whatever the order, the pair, the walls and
 * the gap of the solve; and what the open sides take is what comes in. */
#include "unit.h"

#include "flow/inertia.h"
#include "flow/march.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct problem {
    sab_material material;
    sab_function gravity[2], initial[2];
    sab_boundary boundary[4];
    sab_flow_setup setup;
} problem;

static char names[4][8] = {"bottom", "right", "top", "left"};

/* All sides free of traction; the tests close some. */
static void prepare(problem *p, const sab_mesh *mesh, double step, int order)
{
    memset(p, 0, sizeof *p);
    p->material.reynolds = sab_constant(50.0);
    p->material.friction = sab_constant(0.4);
    p->material.bulk = 1.0;
    p->gravity[1] = sab_constant(-1.0);
    for (int b = 0; b < 4; b++)
        p->boundary[b] = (sab_boundary){.group = names[b], .has_traction = true};
    p->setup = (sab_flow_setup){.mesh = mesh,
                                .geometry = &sab_geometry_plane,
                                .material = &p->material,
                                .gravity = p->gravity,
                                .nboundaries = 4,
                                .boundary = p->boundary,
                                .solver = sab_solver_options_default(),
                                .step = step,
                                .order = order,
                                .initial = p->initial};
}

static void hold(problem *p, int b, double speed)
{
    p->boundary[b].has_traction = false;
    p->boundary[b].has_velocity = true;
    p->boundary[b].prescribed[0] = p->boundary[b].prescribed[1] = true;
    p->boundary[b].velocity[0] = sab_constant(speed);
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
        CU_ASSERT(l->energy > 0.0 && l->loss >= 0.0 && l->viscous >= 0.0 && l->inflow >= 0.0);
        sab_ledger_add(sum, l);
    }
    sab_flow_destroy(&flow);
    return worst;
}

/* Grains in a box that is open above and at a side, its bottom moves; curved and straight meshes,
 * both pairs, both orders, a coarse tolerance. */
static void test_closes(void)
{
    const sab_grid grid[2] = {{4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0},
                              {4, 4, 0, 0, 1, 1, 0.1, 0.06, 0.3}};

    for (int variant = 0; variant < 8; variant++) {
        sab_mesh *mesh = sab_grid_create(&grid[variant / 4]);
        sab_ledger sum;
        problem p;

        prepare(&p, mesh, 0.1, 1 + variant % 2);
        p.setup.bubbles = variant / 2 % 2 == 1;
        hold(&p, 0, 0.3);
        hold(&p, 3, 0.0);
        p.boundary[2].has_pressure = true;
        p.boundary[2].pressure = sab_constant(0.2);
        p.initial[0] = sab_constant(0.1);
        p.initial[1] = sab_constant(-0.2);
        const double worst = defect_of(&p, 5, &sum);
        printf("  curved %d, bubbles %d, order %d: defect %.1e\n", variant / 4, variant / 2 % 2,
               1 + variant % 2, worst);
        CU_ASSERT(worst < 1e-12);
        CU_ASSERT(sum.inflow > 1e-3 && sum.walls != 0.0 && sum.traction != 0.0);
        sab_mesh_destroy(&mesh);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"the ledger closes", test_closes}};

    return SAB_TEST_MAIN("flow/ledger", tests);
}

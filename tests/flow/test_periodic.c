/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flows that go on beyond their sides [docs/theory.md, 4.7]: exact profiles between walls, driven
 * by a pressure difference in every geometry, with inertia and its ledger; a chute that tends to
 * the creeping one. */
#include "problem.h"
#include "unit.h"

#include "base/memory.h"
#include "flow/inertia.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>

enum { BOTTOM, RIGHT, TOP, LEFT };

static const double Re = 8.0, difference = 0.5;

/* Re dp (y - y^2)/2; about an axis Re dp (1 - r^2)/4; in space with z for y. */
typedef enum kind { PLANE, AXIS, SPACE, KINDS } kind;

static double profile(kind k, const double *x)
{
    const double y = x[k == SPACE ? 2 : 1];

    return Re * difference * (k == AXIS ? 0.25 * (1.0 - x[0] * x[0]) : 0.5 * (y - y * y));
}

static sab_status profile_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double x[SAB_DIM] = {at->x, at->y, at->z};

    (void)err;
    *value = profile(*(const kind *)data, x);
    return SAB_OK;
}

static double worst_of(const sab_flow *flow, kind k)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const int dim = mesh->cell->dim;
    double worst = 0.0;

    for (int i = 0; i < dim * mesh->nnodes; i++) {
        const double u = i % dim == (k == AXIS) ? profile(k, sab_mesh_x(mesh, i / dim)) : 0.0;

        worst = fmax(worst, fabs(flow->fields->velocity[i] - u));
    }
    return worst;
}

/* It starts as it goes on. */
static void test_profiles(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    const sab_box box = {{3, 3, 3}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0}};
    static char space_names[6][8] = {"left", "front", "bottom", "top"};

    for (int i = 0; i < 2 * KINDS; i++) {
        kind k = i / 2;
        sab_mesh *mesh = k == SPACE ? sab_grid_box(&box) : sab_grid_create(&grid);
        const sab_function shape = {.call = profile_at, .data = &k, .steady = true};
        sab_function gravity[SAB_DIM] = {{0}}, initial[SAB_DIM] = {{0}};
        double worst = 0.0, defect = 0.0, excess = 0.0;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        problem p;

        make_problem(&p, mesh, 0.3, 1 + i % 2);
        p.material.reynolds = sab_constant(Re);
        p.setup.solver.tolerance = p.setup.solver.change_tolerance = 1e-10;
        p.setup.gravity = gravity;
        p.setup.initial = initial;
        initial[k == AXIS] = shape;
        if (k == PLANE) {
            p.boundary[LEFT].periodic = p.boundary[RIGHT].group;
            hold_side(&p, BOTTOM, 0.0);
            hold_side(&p, TOP, 0.0);
            p.boundary[RIGHT] = p.boundary[LEFT];
            p.setup.nboundaries = 3;
        } else if (k == AXIS) {
            p.setup.geometry = &sab_geometry_axisymmetric;
            p.boundary[BOTTOM].periodic = p.boundary[TOP].group;
            hold_side(&p, RIGHT, 0.0);
            p.boundary[TOP] = (sab_boundary){.group = p.boundary[LEFT].group, .slip = true};
            p.setup.nboundaries = 3;
        } else {
            p.setup.geometry = &sab_geometry_space;
            p.setup.element = &sab_element_p2nb;
            for (int b = 0; b < 4; b++) {
                const char *partner[4] = {"right", "back", NULL, NULL};

                p.boundary[b] = (sab_boundary){.group = space_names[b],
                                               .periodic = (char *)partner[b],
                                               .has_velocity = b >= 2,
                                               .prescribed = {true, true, true}};
            }
        }
        for (int b = 0; b < p.setup.nboundaries; b++)
            if (p.boundary[b].periodic != NULL) {
                p.boundary[b].has_traction = false;
                p.boundary[b].has_pressure = k != SPACE || b == 0;
                p.boundary[b].pressure = sab_constant(difference);
            }
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        for (int n = 0; n < 3; n++) {
            CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
            worst = fmax(worst, worst_of(flow, k));
            defect = fmax(defect, fabs(report.ledger.defect) / report.ledger.energy);
            excess = fmax(excess, fabs(report.ledger.excess) / report.ledger.energy);
            CU_ASSERT(report.ledger.in == 0.0 && report.ledger.out == 0.0);
        }
        printf("  %s, order %d: velocity %.1e, ledger %.1e, excess %.1e\n", p.setup.geometry->name,
               p.setup.order, worst, defect, excess);
        CU_ASSERT(worst < 1e-8 && defect < 1e-12 && excess < 1e-7);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

/* Waves in a body that is periodic in both directions and drifts: nothing but viscosity takes
 * energy from it, and its momentum stays. */
static sab_status wave_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double pi = 3.14159265358979;

    (void)err;
    *value = *(const int *)data == 0 ? 0.7 + 0.2 * sin(2.0 * pi * at->y)
                                     : 0.4 + 0.2 * sin(2.0 * pi * at->x);
    return SAB_OK;
}

static void test_drift(void)
{
    const sab_grid grid = {8, 8, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    int component[] = {0, 1};
    double momentum = 0.0, defect = 0.0, before = INFINITY;
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};
    problem p;

    make_problem(&p, mesh, 0.1, 2);
    p.setup.element = &sab_element_p2b;
    p.material.reynolds = sab_constant(100.0);
    p.material.bingham = sab_constant(0.0);
    p.setup.solver.tolerance = 1e-8;
    for (int i = 0; i < 2; i++) {
        p.initial[i] = (sab_function){.call = wave_at, .data = &component[i], .steady = true};
        p.boundary[i] = (sab_boundary){.group = i == 0 ? "left" : "bottom",
                                       .periodic = i == 0 ? "right" : "top"};
    }
    p.setup.nboundaries = 2;
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    for (int n = 0; n < 10; n++) {
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        defect = fmax(defect, fabs(report.ledger.defect) / report.ledger.energy);
        CU_ASSERT(report.ledger.energy < before);
        before = report.ledger.energy;
    }
    sab_mass_interpolate(flow->space, flow->fields->velocity, flow->inertia->work);
    for (int q = 0; q < flow->inertia->mass->at->n; q++)
        momentum += flow->inertia->mass->at->weight[q] * flow->inertia->work[2 * q];
    printf("  momentum %.6f, ledger %.1e, energy made %.1e\n", momentum, defect,
           report.ledger.excess);
    CU_ASSERT(fabs(momentum - 0.7) < 1e-4 && defect < 1e-12);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* A chute with friction and drag at its bottom, from rest: in the end it is the exact creeping one
 * [docs/theory.md, 8.5], which alone would be refused: friction holds nothing across the wall. */
static void test_chute(void)
{
    const double angle = 26.0 * 3.14159265358979 / 180.0, c = cos(angle), s = sin(angle);
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    double worst = 0.0, defect = 0.0;
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};
    problem p;

    make_problem(&p, mesh, 0.0, 1);
    p.material.reynolds = sab_constant(10.0);
    p.material.friction = sab_constant(0.3);
    p.gravity[0] = sab_constant(s);
    p.gravity[1] = sab_constant(-c);
    p.boundary[BOTTOM].has_traction = false;
    p.boundary[BOTTOM].has_wall = true;
    p.boundary[BOTTOM].wall.friction = sab_constant(0.35);
    p.boundary[BOTTOM].wall.drag = sab_constant(0.5);
    p.boundary[RIGHT] = (sab_boundary){.group = p.boundary[LEFT].group, .periodic = "right"};
    p.setup.nboundaries = 3;
    p.setup.solver.tolerance = p.setup.solver.change_tolerance = 1e-8;
    CU_ASSERT_EQUAL(sab_flow_create(&p.setup, &flow, &err), SAB_ERR_INPUT);
    p.setup.dt = 20.0;
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    for (int n = 0; n < 12; n++) {
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        defect = fmax(defect, fabs(report.ledger.defect) / report.ledger.energy);
    }
    for (int a = 0; a < mesh->nnodes; a++) {
        const double y = sab_mesh_x(mesh, a)[1];
        const double u = (s - 0.35 * c) / 0.5 + 10.0 * (s - 0.3 * c) * (y - 0.5 * y * y);

        worst = fmax(worst,
                     hypot(flow->fields->velocity[2 * a] - u, flow->fields->velocity[2 * a + 1]));
    }
    printf("  error %.1e, %d points on walls, ledger %.1e\n", worst, flow->walls->n, defect);
    CU_ASSERT(worst < 1e-5 && defect < 1e-12);
    CU_ASSERT_EQUAL(flow->walls->n, 8); /* both ends are one node */
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* Sides that do not match, or start otherwise, are errors that say so. */
static void test_refused(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.0, 0.0, 0.0}, thin = {1, 4, 0, 0, 1, 1, 0, 0, 0};
    int component = 1;

    for (int k = 0; k < 3; k++) {
        const char *expected[] = {"boundaries.left.periodic", "reaches from a periodic side",
                                  "initial.velocity"};
        sab_mesh *mesh = sab_grid_create(k == 1 ? &thin : &grid);
        sab_flow *flow = NULL;
        sab_error err = {0};
        problem p;

        make_problem(&p, mesh, 0.1, 1);
        p.material.reynolds = sab_constant(1.0);
        p.boundary[RIGHT] =
            (sab_boundary){.group = p.boundary[LEFT].group, .periodic = k == 0 ? "top" : "right"};
        if (k == 0) {
            sab_boundary right = {.group = "right", .has_traction = true};

            p.boundary[TOP] = right;
        }
        p.setup.nboundaries = 3;
        if (k == 2)
            p.initial[1] = (sab_function){.call = wave_at, .data = &component, .steady = true};
        if (k == 2)
            for (int a = 0; a < mesh->nnodes; a++) /* not a whole wave */
                mesh->x[2 * a] *= 1.25;
        CU_ASSERT_EQUAL(sab_flow_create(&p.setup, &flow, &err), SAB_ERR_INPUT);
        if (strstr(err.message, expected[k]) == NULL)
            printf("  %s\n", err.message);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, expected[k]));
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

static const sab_test tests[] = {
    {"profiles under a pressure difference", test_profiles},
    {"waves that drift", test_drift},
    {"a chute from rest", test_chute},
    {"what does not go on", test_refused},
};

int main(void)
{
    return SAB_TEST_MAIN("flow/periodic", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inertial flow: free fall, start-up of a channel, orders in time, restart, balance of forces. */
#include "problem.h"
#include "unit.h"

#include "fem/exact.h"
#include "run/march_flow.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static double at_time, reynolds;

/* A channel |y| < 1 under a unit force along x, from rest: du/dt = 1 + u''/Re. */
static sab_status channel(void *data, const sab_vars *at, double *value, sab_error *err)
{
    double u = 0.5 * reynolds * (1.0 - at->y * at->y);

    (void)data;
    (void)err;
    for (int k = 0; k < 60; k++) {
        const double a = (k + 0.5) * PI, sign = k % 2 == 0 ? 1.0 : -1.0;

        u -=
            2.0 * reynolds * sign / (a * a * a) * cos(a * at->y) * exp(-a * a * at_time / reynolds);
    }
    *value = u;
    return SAB_OK;
}

static void prepare(problem *p, const sab_mesh *mesh, double step, int order)
{
    make_problem(p, mesh, step, order);
    p->material.reynolds = sab_constant(reynolds);
    p->setup.solver.tolerance = 1e-8;
}

static void steps(sab_flow *flow, int n, bool converged)
{
    for (int k = 0; k < n; k++) {
        sab_flow_report report;
        sab_error err = {0};

        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        if (converged)
            CU_ASSERT(report.converged);
    }
}

/* A body that nothing holds falls: u = u0 + g t, whatever its strength and the order, if what takes
 * its place above comes with its velocity for nothing. */
static void test_free_fall(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.04, 0.3};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int order = 1; order <= 2; order++) {
        problem p;
        sab_flow *flow = NULL;
        sab_error err = {0};

        reynolds = INFINITY;
        prepare(&p, mesh, 0.3, order);
        p.setup.free_inflow = true;
        p.material.friction = sab_constant(0.4);
        p.gravity[1] = sab_constant(-1.0);
        p.initial[0] = sab_constant(0.7);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        steps(flow, 4, true);
        for (int a = 0; a < mesh->nnodes; a++) {
            CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a], 0.7, 1e-10);
            CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a + 1], -1.2, 1e-10);
        }
        CU_ASSERT_DOUBLE_EQUAL(flow->time, 1.2, 1e-15);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

static sab_status equals_time(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = at->t;
    return SAB_OK;
}

/* A box whose walls and load accelerate together: everything has their velocity t; the friction
 * is a formula of time as well. */
static void test_moving_box(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int order = 1; order <= 2; order++) {
        problem p;
        sab_flow *flow = NULL;
        sab_error err = {0};

        reynolds = 10.0;
        prepare(&p, mesh, 0.2, order);
        p.material.friction = (sab_function){.call = equals_time};
        p.gravity[0] = sab_constant(1.0);
        for (int b = 0; b < 4; b++) {
            hold_side(&p, b, 0.0);
            p.boundary[b].velocity[0] = (sab_function){.call = equals_time};
        }
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        steps(flow, 3, true);
        CU_ASSERT_DOUBLE_EQUAL(flow->program->friction[0], 0.6, 1e-12);
        for (int a = 0; a < mesh->nnodes; a++) {
            CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a], 0.6, 1e-10);
            CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[2 * a + 1], 0.0, 1e-10);
        }
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

static sab_status swirl(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double pi = acos(-1.0), *sign = data;
    const double a = *sign > 0.0 ? at->x : at->y, b = *sign > 0.0 ? at->y : at->x;

    (void)err;
    *value = *sign * sin(pi * a) * sin(pi * a) * sin(2.0 * pi * b);
    return SAB_OK;
}

/* In a closed box without load a swirl dies out, by many orders of magnitude in a step. No step
 * misses its tolerance, however little is left, and none is taken for infeasible. */
static void test_dies_out(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    double signs[2] = {1.0, -1.0};

    for (int k = 0; k < 2; k++) {
        problem p;
        sab_flow *flow = NULL;
        sab_error err = {0};
        double largest = 0.0;

        reynolds = 1.0;
        prepare(&p, mesh, 1.0, 1);
        p.setup.solver.tolerance = 3e-2;
        p.material.friction = sab_constant(k == 0 ? 0.0 : 0.3);
        for (int i = 0; i < 2; i++)
            p.initial[i] = (sab_function){.call = swirl, .data = &signs[i]};
        for (int b = 0; b < 4; b++)
            hold_side(&p, b, 0.0);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        steps(flow, 80, true);
        for (int i = 0; i < 2 * mesh->nnodes; i++)
            largest = fmax(largest, fabs(flow->fields->velocity[i]));
        CU_ASSERT(largest < 1e-50);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

static double channel_error(const sab_mesh *mesh, double step, int order, double end)
{
    const sab_function exact[2] = {{.call = channel}, sab_constant(0.0)};
    sab_error_norms norms = {0};
    sab_flow *flow = NULL;
    sab_error err = {0};
    problem p;

    reynolds = 2.0;
    prepare(&p, mesh, step, order);
    p.gravity[0] = sab_constant(1.0);
    for (int b = 0; b < 4; b++) { /* along the ends the fluid is held: it carries shear there */
        hold_side(&p, b, 0.0);
        p.boundary[b].prescribed[0] = b % 2 == 0;
    }
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    steps(flow, (int)round(end / step), true);
    at_time = end;
    CU_ASSERT_EQUAL_FATAL(
        sab_exact_velocity(flow->space, flow->fields->velocity, exact, 0.0, &norms, &err), SAB_OK);
    sab_flow_destroy(&flow);
    return norms.L2 / norms.exact_L2;
}

/* Order 1 and order 2 in time against the Fourier series. */
static void test_orders(void)
{
    const sab_grid grid = {3, 12, 0, -1, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int order = 1; order <= 2; order++) {
        const double e1 = channel_error(mesh, 0.2, order, 0.8);
        const double e2 = channel_error(mesh, 0.1, order, 0.8);
        const double e3 = channel_error(mesh, 0.05, order, 0.8);

        printf("  order %d: errors %.3e %.3e %.3e, orders %.2f %.2f\n", order, e1, e2, e3,
               log2(e1 / e2), log2(e2 / e3));
        CU_ASSERT(log2(e2 / e3) > order - 0.15);
    }
    sab_mesh_destroy(&mesh);
}

static bool stop(void *data, int viscosity_iteration, const sab_report *so_far)
{
    (void)data, (void)viscosity_iteration, (void)so_far;
    return false;
}

/* A viscous channel becomes steady: at the end of a window whose mean is that of the one before;
 * the mean and its deviation are those of the table; a march restored half way ends the same, and
 * one whose step is interrupted there does not notice, not even in its counts of work. */
static void test_march(void)
{
    const sab_flow_observer interruption = {stop, NULL};
    const sab_grid grid = {3, 6, 0, -1, 1, 1, 0.0, 0.0, 0.0};
    static char names[4][8] = {"bottom", "right", "top", "left"};
    const sab_probe probe[] = {{.name = names[1], .kind = SAB_PROBE_FLUX, .group = names[1]},
                               {.name = names[0], .kind = SAB_PROBE_FORCE, .group = names[0]},
                               {.name = names[2],
                                .kind = SAB_PROBE_LINE,
                                .field = SAB_FIELD_VELOCITY,
                                .from = {1.0, 0.0},
                                .to = {1.0, 1.0},
                                .samples = 3}};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_march_options options = {.end = 10.0, .steady = 1e-3, .window = 0.5, .max_missed = 0};
    double mean[64], deviation[64];
    sab_march *march[2] = {NULL, NULL};
    sab_probes *probes[2] = {NULL, NULL};
    sab_flow *flow[2] = {NULL, NULL};
    sab_error err = {0};
    problem p;

    reynolds = 1.0;
    prepare(&p, mesh, 0.1, 2);
    p.gravity[0] = sab_constant(1.0);
    for (int b = 0; b < 4; b++) {
        hold_side(&p, b, 0.0);
        p.boundary[b].prescribed[0] = b % 2 == 0;
    }
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow[i], &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow[i], 3, probe, &probes[i], &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_march_flow_create(flow[i], probes[i], &options, &march[i], &err),
                              SAB_OK);
    }
    CU_ASSERT_EQUAL(march[0]->columns, SAB_HISTORY_FIXED + 3);
    while (march[0]->end == SAB_MARCH_GOES_ON) {
        sab_flow_report report;

        CU_ASSERT_EQUAL_FATAL(sab_march_step(march[0], NULL, &report, &err), SAB_OK);
        if (march[0]->rows == 7) {
            const sab_flow_state state = sab_flow_get_state(flow[0]);
            int kept;
            const double *profiles = sab_march_kept(march[0], &kept);

            CU_ASSERT_EQUAL(kept, 5);
            CU_ASSERT_EQUAL_FATAL(
                sab_march_restore(march[1], &state, 7, march[0]->history, kept, profiles, &err),
                SAB_OK);
            CU_ASSERT_EQUAL(sab_march_step(march[0], &interruption, &report, &err),
                            SAB_INTERRUPTED);
            CU_ASSERT_EQUAL(march[0]->rows, 7);
            CU_ASSERT(state.factored && sab_flow_get_state(flow[0]).factored);
            CU_ASSERT(sab_flow_get_state(flow[1]).factored); /* also before its first step */
        }
    }
    while (march[1]->end == SAB_MARCH_GOES_ON) {
        sab_flow_report report;

        CU_ASSERT_EQUAL_FATAL(sab_march_step(march[1], NULL, &report, &err), SAB_OK);
    }
    CU_ASSERT_EQUAL(march[0]->end, SAB_MARCH_STEADY);
    CU_ASSERT_EQUAL(march[0]->rows % 5, 0);
    CU_ASSERT_EQUAL_FATAL(march[0]->rows, march[1]->rows);
    CU_ASSERT(memcmp(march[0]->history, march[1]->history,
                     (size_t)(march[0]->rows * march[0]->columns) * sizeof(double)) == 0);
    CU_ASSERT_EQUAL(sab_march_window(march[0], mean, deviation, NULL), 5);
    CU_ASSERT_DOUBLE_EQUAL(mean[SAB_HISTORY_TIME], march[0]->rows * 0.1 - 0.2, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(deviation[SAB_HISTORY_TIME], sqrt(0.025), 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(mean[SAB_HISTORY_FIXED], 2.0 / 3.0 * reynolds, 2e-3);

    double profile[2][6], spread[2][6];
    for (int i = 0; i < 2; i++) /* the same of both; on the axis of the steady flow Re/2 */
        CU_ASSERT_EQUAL(sab_march_profile(march[i], 2, profile[i], spread[i]), 5);
    CU_ASSERT(memcmp(profile[0], profile[1], sizeof profile[0]) == 0);
    CU_ASSERT(memcmp(spread[0], spread[1], sizeof spread[0]) == 0);
    CU_ASSERT_DOUBLE_EQUAL(profile[0][0], 0.5 * reynolds, 2e-3);
    CU_ASSERT(spread[0][0] > 0.0 && spread[0][0] < 1e-2);
    CU_ASSERT_DOUBLE_EQUAL(profile[0][4], 0.0, 1e-12); /* at the wall */

    for (int i = 0; i < 2; i++) {
        sab_march_destroy(&march[i]);
        sab_probes_destroy(&probes[i]);
        sab_flow_destroy(&flow[i]);
    }
    sab_mesh_destroy(&mesh);
}

/* Grains in a box with an opening: the force on all that holds them is what the loads and inertia
 * leave, to rounding; and a flow restored from its state goes on bit for bit. */
static void test_restart_and_balance(void)
{
    const sab_grid grid = {8, 8, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow *flow = NULL, *again = NULL;
    sab_error err = {0};
    problem p;

    reynolds = 50.0;
    prepare(&p, mesh, 0.05, 2);
    p.material.friction = sab_constant(0.4);
    p.gravity[1] = sab_constant(-1.0);
    p.setup.solver.tolerance = 3e-2;
    hold_side(&p, 3, 0.0);
    hold_side(&p, 0, 0.0);
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    steps(flow, 4, false);
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &again, &err), SAB_OK);
    const sab_flow_state state = sab_flow_get_state(flow);
    CU_ASSERT_EQUAL_FATAL(sab_flow_restore(again, &state, &err), SAB_OK);
    CU_ASSERT(memcmp(flow->fields->velocity, again->fields->velocity,
                     state.nvelocity * sizeof(double)) == 0);
    steps(flow, 2, false);
    steps(again, 2, false);
    CU_ASSERT_EQUAL(flow->steps, again->steps);
    CU_ASSERT(memcmp(flow->fields->velocity, again->fields->velocity,
                     state.nvelocity * sizeof(double)) == 0);
    CU_ASSERT(memcmp(flow->lambda, again->lambda, state.nstress * sizeof(double)) == 0);

    const sab_balance balance = {flow->dofs, p.boundary, flow->group, flow->time, flow->load};
    double total[2] = {0.0, 0.0}, force[2], sum[2] = {0.0, 0.0}, momentum = 0.0;
    for (int b = 0; b < 4; b++) {
        CU_ASSERT_EQUAL_FATAL(
            sab_fields_force(flow->fields, &balance, b, SAB_FORCE_TOTAL, flow->work, force, &err),
            SAB_OK);
        for (int i = 0; i < 2; i++)
            total[i] += force[i];
    }
    for (int a = 0; a < mesh->nnodes; a++)
        for (int i = 0; i < 2; i++)
            sum[i] += flow->load[2 * a + i];
    for (int a = 0; a < mesh->nnodes; a++)
        momentum = fmax(momentum, fabs(flow->fields->velocity[2 * a + 1]));
    CU_ASSERT(momentum > 0.05); /* it moves */
    CU_ASSERT_DOUBLE_EQUAL(total[0], sum[0], 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(total[1], sum[1], 1e-9);
    CU_ASSERT(fabs(sum[1] + 1.0) > 0.05); /* inertia is among the loads: less than the weight */
    sab_flow_destroy(&flow);
    sab_flow_destroy(&again);
    sab_mesh_destroy(&mesh);
}

/* The columns of work have the names and the order of its table. */
static void test_work_columns(void)
{
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        CU_ASSERT_STRING_EQUAL(sab_history_name[SAB_HISTORY_OUTER + i], sab_work_table[i].name);
    CU_ASSERT_EQUAL(SAB_HISTORY_OUTER + SAB_WORK_COUNTS, SAB_HISTORY_GAP);
}

int main(void)
{
    static const sab_test tests[] = {{"free fall", test_free_fall},
                                     {"columns of work", test_work_columns},
                                     {"moving box", test_moving_box},
                                     {"a swirl dies out", test_dies_out},
                                     {"orders in time", test_orders},
                                     {"march", test_march},
                                     {"restart and balance", test_restart_and_balance}};

    return SAB_TEST_MAIN("flow/inertia", tests);
}

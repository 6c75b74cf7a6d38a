/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The balance of volume: outflow - inflow = int div u, and its parts [docs/theory.md, 7.8]. */
#include "problem.h"
#include "unit.h"

#include "fem/flux.h"
#include "flow/volume.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void prepare(problem *p, const sab_mesh *mesh, double friction, double dilatancy)
{
    make_problem(p, mesh, 0.0, 1);
    p->material.friction = sab_constant(friction);
    p->material.dilatancy = sab_constant(dilatancy);
    p->material.reynolds = sab_constant(1.0);
    p->gravity[1] = sab_constant(-1.0);
}

/* u = (2x + y, -x/2), on a rectangle of 3 x 2: div u = 2, |gamma_T| = |(1, 1/4)|. */
static sab_status along_x(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 2.0 * at->x + at->y;
    return SAB_OK;
}

static sab_status along_y(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = -0.5 * at->x;
    return SAB_OK;
}

/* A velocity with known parts, under a stress in half of the elements and none in the others. */
static void test_parts(void)
{
    const double area = 6.0, shear = hypot(1.0, 0.25), zeta = 0.3;
    sab_mesh *mesh = sab_grid_create(&(sab_grid){3, 2, -1.0, 0.0, 2.0, 2.0, 0.0, 0.0, 0.0});
    sab_flow *flow = NULL;
    problem p;

    prepare(&p, mesh, 0.5, zeta);
    p.setup.dt = 0.1;
    p.initial[0] = (sab_function){.call = along_x};
    p.initial[1] = (sab_function){.call = along_y};
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, NULL), SAB_OK);
    const int n = flow->program->npoints;
    for (int q = 0; q < n; q++) /* elements of one size */
        flow->fields->lambda[3 * q] = q < n / 2 ? 0.99e3 : 1.01e3;
    const sab_volume v = sab_flow_volume(flow, 1e6);
    SAB_ASSERT_CLOSE(v.net, 2.0 * area, 1e-13);
    SAB_ASSERT_CLOSE(v.dilatancy, 2.0 * area * zeta * shear, 1e-13);
    SAB_ASSERT_CLOSE(v.parting, area * (1.0 - zeta * shear), 1e-13);
    SAB_ASSERT_CLOSE(v.barrier, area * (1.0 - zeta * shear), 1e-13);
    SAB_ASSERT_CLOSE(v.compaction, 0.0, 1e-13);
    SAB_ASSERT_CLOSE(v.rate, 2.0 * area * hypot(1.0, shear), 1e-13);
    /* u.n: right 4 + y, 2 high; left 2 - y >= 0; bottom x/2 where x > 0; top -x/2 where x < 0 */
    SAB_ASSERT_CLOSE(v.outflow, 10.0 + 2.0 + 1.0 + 0.25, 1e-13);
    /* the other way to be open: a stress that does not hold the opening */
    const double holding = 0.1 * flow->program->r[0] * (1.0 - zeta * shear);
    for (int q = 0; q < n; q++)
        flow->fields->lambda[3 * q] = (q < n / 2 ? 0.99 : 1.01) * holding;
    SAB_ASSERT_CLOSE(sab_flow_volume(flow, 0.0).parting, v.parting, 1e-13);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* net = sum of fluxes = sum of parts, whatever mesh, pair and law, for rough solutions too. */
static void check_balance(problem *p, const char *name)
{
    sab_flow *flow = NULL;
    sab_flow_report report;
    double flux = 0.0;

    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p->setup, &flow, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, NULL), SAB_OK);
    const sab_volume v = sab_flow_volume(flow, report.solve.certificate.stress);
    for (int b = 0; b < 4; b++)
        flux += sab_boundary_flux(flow->space, flow->group[b], flow->fields->velocity);
    printf("  %s: outflow %.4f, net %.4f, dilatancy %.4f, parting %.4f, barrier %.4f, "
           "compaction %.4f\n",
           name, v.outflow, v.net, v.dilatancy, v.parting, v.barrier, v.compaction);
    CU_ASSERT(v.outflow > 0.01 && v.net < v.outflow);
    SAB_ASSERT_CLOSE((v.net - flux) / v.outflow, 0.0, 1e-12);
    SAB_ASSERT_CLOSE((v.dilatancy + v.parting + v.barrier - v.compaction - v.net) / v.outflow, 0.0,
                     1e-12);
    sab_flow_destroy(&flow);
}

/* A column on an oblique, rough support that holds the left part of its bottom. */
static void test_identity(void)
{
    const sab_grid shape[] = {{6, 6, 0.0, 0.0, 1.0, 1.0, 0.2, 0.0, 0.0},
                              {6, 6, 0.0, 0.0, 1.0, 1.0, 0.1, 0.05, 0.3}};
    static const char *const name[] = {"straight", "curved", "curved, bubbles",
                                       "curved, dilatancy"};

    for (int k = 0; k < 4; k++) {
        sab_mesh *mesh = sab_grid_create(&shape[k > 0]);
        problem p;

        prepare(&p, mesh, 0.4, k == 3 ? 0.2 : 0.0);
        p.setup.element = k == 2 ? &sab_element_p2b : &sab_element_p2;
        for (int b = 1; b < 4; b += 2) {
            p.boundary[b].has_traction = false;
            p.boundary[b].has_velocity = true;
            p.boundary[b].prescribed[0] = p.boundary[b].prescribed[1] = true;
        }
        check_balance(&p, name[k]);
        sab_mesh_destroy(&mesh);
    }
}

static const sab_test tests[] = {{"parts of a known velocity", test_parts},
                                 {"fluxes and parts", test_identity}};

int main(void)
{
    return SAB_TEST_MAIN("flow volume", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Velocity prescribed all around: closed, expanding and compressed boxes. */
#include "unit.h"

#include "fem/exact.h"
#include "flow/flow.h"
#include "grid.h"

#include <stdio.h>
#include <string.h>

static double rate; /* of the uniform flow rate * x in the x direction */

static sab_status stretch(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = rate * at->x;
    return SAB_OK;
}

static sab_status run(sab_flow **flow, const sab_mesh *mesh, sab_error *err)
{
    static sab_material material;
    static const sab_function gravity[2] = {{.constant = 0.0}, {.constant = 0.0}};
    static sab_boundary boundary[4];
    static char *const names[4] = {"bottom", "right", "top", "left"};
    sab_flow_setup setup = {.mesh = mesh,
                            .element = &sab_element_p2,
                            .geometry = &sab_geometry_plane,
                            .material = &material,
                            .gravity = gravity,
                            .nboundaries = 4,
                            .boundary = boundary,
                            .solver = sab_solver_options_default()};
    sab_flow_report report;
    sab_status status;

    material =
        (sab_material){.bingham = sab_constant(0.3), .reynolds = sab_constant(1.0), .bulk = 1.0};
    for (int b = 0; b < 4; b++)
        boundary[b] = (sab_boundary){.group = names[b],
                                     .has_velocity = true,
                                     .prescribed = {true, true},
                                     .velocity = {{.call = stretch}, sab_constant(0.0)}};
    setup.solver.tolerance = 1e-8;
    status = sab_flow_create(&setup, flow, err);
    if (status == SAB_OK)
        status = sab_flow_solve(*flow, NULL, &report, err);
    if (status == SAB_OK)
        CU_ASSERT(report.converged);
    return status;
}

/* Pulled apart, the uniform expansion is the solution: no pressure, u = rate x. */
static void test_expanding(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.15, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    const sab_function exact[2] = {{.call = stretch}, sab_constant(0.0)};
    sab_flow *flow = NULL;
    sab_error err = {0};
    sab_error_norms norms;

    rate = 0.5;
    CU_ASSERT_EQUAL_FATAL(run(&flow, mesh, &err), SAB_OK);
    sab_exact_velocity(flow->space, flow->fields->velocity, exact, 0.0, &norms, NULL);
    printf("\n    largest error %.1e", norms.Linf);
    CU_ASSERT(norms.Linf < 1e-6);
    for (int e = 0; e < mesh->nelements; e++)
        CU_ASSERT(flow->fields->pressure[e] < 1e-3);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* Compression cannot be followed: an error, not a solve. */
static void test_compressed(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.15, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow *flow = NULL;
    sab_error err = {0};

    rate = -0.5;
    CU_ASSERT_EQUAL(run(&flow, mesh, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "push more material in than out"));
    CU_ASSERT_PTR_NULL(flow);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"expanding box", test_expanding},
                                     {"compressed box", test_compressed}};

    return SAB_TEST_MAIN("flow/closed", tests);
}

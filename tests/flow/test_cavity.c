/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lid-driven cavity of a Bingham fluid: methods agree on the same discrete problem, and dead zones
 * are at rest. */
#include "unit.h"

#include "flow/flow.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>

static sab_mesh *cavity_mesh(double h)
{
    const sab_mesh_parameter parameter[] = {{"h", h}, {"structured", 0.0}};
    sab_mesh *coarse = NULL, *mesh = NULL;
    sab_error err = {0};

    if (sab_mesh_read("meshes/cavity.geo", 2, 2, parameter, &coarse, &err) != SAB_OK ||
        sab_mesh_split_alfeld(coarse, &mesh, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("no mesh");
    }
    sab_mesh_destroy(&coarse);
    return mesh;
}

static sab_flow *solve_cavity(const sab_mesh *mesh, double Bi, sab_method method, double tolerance,
                              sab_flow_report *report)
{
    static sab_material material;
    static const sab_function gravity[2] = {{.constant = 0.0}, {.constant = 0.0}};
    static const sab_boundary boundary[2] = {
        {.group = "lid",
         .has_velocity = true,
         .prescribed = {true, true},
         .velocity = {{1.0, 0, 0}}},
        {.group = "wall", .has_velocity = true, .prescribed = {true, true}}};
    sab_flow_setup setup = {.mesh = mesh,
                            .element = &sab_element_p2,
                            .geometry = &sab_geometry_plane,
                            .material = &material,
                            .gravity = gravity,
                            .nboundaries = 2,
                            .boundary = boundary,
                            .solver = sab_solver_options_default()};
    sab_flow *flow = NULL;
    sab_error err = {0};

    material =
        (sab_material){.bingham = sab_constant(Bi), .reynolds = sab_constant(1.0), .bulk = 1.0};
    setup.solver.method = method;
    setup.solver.tolerance = tolerance;
    setup.solver.max_iterations = 2000;
    if (sab_flow_create(&setup, &flow, &err) != SAB_OK ||
        sab_flow_solve(flow, NULL, report, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("the cavity cannot be solved");
    }
    CU_ASSERT(report->converged);
    return flow;
}

/* The lid moves with velocity 1: absolute differences are relative ones. */
static void test_methods_agree(void)
{
    static const sab_method methods[] = {SAB_METHOD_IPM,  SAB_METHOD_PG,    SAB_METHOD_APGD,
                                         SAB_METHOD_ASPG, SAB_METHOD_PG_AA, SAB_METHOD_CADOUX_APGD};
    enum { METHODS = sizeof methods / sizeof methods[0] };
    sab_mesh *mesh = cavity_mesh(0.25);
    sab_flow *reference = NULL;

    for (int m = 0; m < METHODS; m++) {
        sab_flow_report report;
        sab_flow *flow = solve_cavity(mesh, 2.0, methods[m], 1e-8, &report);
        double difference = 0.0;

        if (m == 0)
            reference = flow;
        for (int i = 0; i < 2 * mesh->nnodes; i++)
            difference =
                fmax(difference, fabs(flow->fields->velocity[i] - reference->fields->velocity[i]));
        printf("\n    %-12s %6d solves, difference to ipm %.1e", sab_method_table[methods[m]].name,
               report.solve.work.solves, difference);
        CU_ASSERT(difference < 1e-5);
        if (m > 0)
            sab_flow_destroy(&flow);
    }
    sab_flow_destroy(&reference);
    sab_mesh_destroy(&mesh);
}

/* Bi = 50: below y = 0.3 nothing moves, to 1e-6 of the lid's velocity (the flow reaches down to
 * about y = 0.39). */
static void test_dead_zone(void)
{
    sab_mesh *mesh = cavity_mesh(0.06);
    sab_flow_report report;
    sab_flow *flow = solve_cavity(mesh, 50.0, SAB_METHOD_AUTO, 1e-7, &report);
    double fastest = 0.0;

    for (int n = 0; n < mesh->nnodes; n++)
        if (mesh->x[2 * n + 1] < 0.3)
            fastest = fmax(fastest,
                           hypot(flow->fields->velocity[2 * n], flow->fields->velocity[2 * n + 1]));
    printf("\n    largest velocity below y = 0.3 %.1e, G %.1e, %d factorisations", fastest,
           report.solve.certificate.gap, report.solve.work.factorisations);
    CU_ASSERT(fastest < 1e-6);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"six methods agree", test_methods_agree},
                                     {"dead zone at Bi = 50", test_dead_zone}};

    return SAB_TEST_MAIN("flow/cavity", tests);
}

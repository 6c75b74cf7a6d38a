/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flow about an axis against exact solutions [docs/theory.md, 4.10 and 8]: what is in the space
 * comes out exactly, Stokes flow has its orders, and the pipe knows sqrt(3/2). */
#include "unit.h"

#include "base/memory.h"
#include "fem/exact.h"
#include "grid.h"
#include "problem.h"

#include <math.h>
#include <stdio.h>

typedef double (*field)(double r, double z);

static sab_status call(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = (*(const field *)data)(at->x, at->y);
    return SAB_OK;
}

/* A function of r and z; the name is that of a static const field. */
#define FUNCTION(name)                                                                             \
    (sab_function)                                                                                 \
    {                                                                                              \
        .call = call, .data = (void *)&name##_field                                                \
    }
#define FIELD(name, formula)                                                                       \
    static double name(double r, double z)                                                         \
    {                                                                                              \
        (void)r;                                                                                   \
        (void)z;                                                                                   \
        return formula;                                                                            \
    }                                                                                              \
    static const field name##_field = name;

/* The cylinder r <= 1, 0 <= z <= height: n x height n cells, split or not. */
static sab_mesh *cylinder(int n, double height, bool split)
{
    const sab_grid grid = {n, (int)(n * height), 0, 0, 1, height, 0.25, 0.0, 0.0};
    sab_mesh *coarse = sab_grid_create(&grid), *mesh = NULL;

    if (!split)
        return coarse;
    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &mesh, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    return mesh;
}

static void make_round(problem *p, const sab_mesh *mesh, bool bubbles)
{
    make_problem(p, mesh, 0.0, 1);
    p->setup.geometry = &sab_geometry_axisymmetric;
    p->setup.element = bubbles ? &sab_element_p2b : &sab_element_p2;
    p->setup.solver.tolerance = 1e-9;
    p->setup.initial = NULL;
    p->material.reynolds = sab_constant(1.0);
    p->boundary[3] = (sab_boundary){.group = p->boundary[3].group, .slip = true}; /* the axis */
}

static sab_flow *solve(const problem *p)
{
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};

    if (sab_flow_create(&p->setup, &flow, &err) != SAB_OK ||
        sab_flow_solve(flow, NULL, &report, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("the flow cannot be solved");
    }
    CU_ASSERT_TRUE(report.converged);
    return flow;
}

/* Largest error of the velocity at the nodes and of the pressure at the law points. */
static void largest_errors(const sab_flow *flow, const sab_function u[2], const sab_function *p,
                           double *velocity, double *pressure)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const double scale = sab_geometry_normal_scale(flow->setup.geometry);
    const int s = flow->space->geometry->s;

    *velocity = *pressure = 0.0;
    for (int node = 0; node < mesh->nnodes; node++)
        for (int i = 0; i < 2; i++) {
            const sab_vars at = sab_vars_at(2, sab_mesh_x(mesh, node), 0.0);
            double exact;

            sab_function_at(&u[i], &at, &exact, NULL);
            *velocity = fmax(*velocity, fabs(flow->fields->velocity[2 * node + i] - exact));
        }
    for (int q = 0; q < flow->space->npoints; q++) {
        const sab_vars at = sab_vars_at(2, flow->space->point + 2 * q, 0.0);
        double exact;

        sab_function_at(p, &at, &exact, NULL);
        *pressure = fmax(*pressure, fabs(flow->lambda[s * q] / scale - exact));
    }
}

FIELD(parabola, (1.0 - r * r) / 4.0)
FIELD(falling, 5.0 - z)
FIELD(depth, 4.0 - z)
FIELD(shear_down, -r / 2.0) /* sigma_rz */
FIELD(shear_up, r / 2.0)
FIELD(push, -(5.0 - z))
FIELD(pull, 5.0 - z)

/* Newtonian pipe with a linear pressure: both are in the space. */
static void test_pipe(void)
{
    const sab_function u[2] = {sab_constant(0.0), FUNCTION(parabola)}, p = FUNCTION(falling);

    for (int bubbles = 0; bubbles < 2; bubbles++) {
        sab_mesh *mesh = cylinder(3, 2, !bubbles);
        double velocity, pressure;
        problem pipe;

        make_round(&pipe, mesh, bubbles);
        hold_side(&pipe, 1, 0.0);
        pipe.boundary[2].traction[0] = FUNCTION(shear_down);
        pipe.boundary[2].traction[1] = FUNCTION(push);
        pipe.boundary[0].traction[0] = FUNCTION(shear_up);
        pipe.boundary[0].traction[1] = FUNCTION(pull);
        sab_flow *flow = solve(&pipe);
        largest_errors(flow, u, &p, &velocity, &pressure);
        printf("\n    %s: u %.1e, p %.1e", bubbles ? "p2b" : "split", velocity, pressure);
        CU_ASSERT_TRUE(velocity < 1e-9 && pressure < 1e-8);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

/* A closed vessel at rest under gravity and a load on its surface. */
static void test_rest(void)
{
    const sab_function u[2] = {sab_constant(0.0), sab_constant(0.0)}, p = FUNCTION(depth);

    for (int bubbles = 0; bubbles < 2; bubbles++) {
        sab_mesh *mesh = cylinder(3, 1, !bubbles);
        double velocity, pressure;
        problem vessel;

        make_round(&vessel, mesh, bubbles);
        hold_side(&vessel, 0, 0.0);
        vessel.boundary[1] = (sab_boundary){.group = vessel.boundary[1].group, .slip = true};
        vessel.boundary[2].traction[1] = sab_constant(-3.0);
        vessel.gravity[1] = sab_constant(-1.0);
        sab_flow *flow = solve(&vessel);
        largest_errors(flow, u, &p, &velocity, &pressure);
        printf("\n    %s: u %.1e, p %.1e", bubbles ? "p2b" : "split", velocity, pressure);
        CU_ASSERT_TRUE(velocity < 1e-9 && pressure < 1e-8);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

/* u = (-(r + r^3) cos z, (2 + 4 r^2) sin z), p = 3 + cos(r^2 + 2 z), f = -lap u + grad p. */
FIELD(ur, -(r + r * r * r) * cos(z))
FIELD(uz, (2.0 + 4.0 * r * r) * sin(z))
FIELD(pressure_of, 3.0 + cos(r * r + 2.0 * z))
FIELD(fr, -(-7.0 * r + r * r * r) * cos(z) - 2.0 * r * sin(r * r + 2.0 * z))
FIELD(fz, -(14.0 - 4.0 * r * r) * sin(z) - 2.0 * sin(r * r + 2.0 * z))
FIELD(tr, (r + r * r * r) * sin(z) + 8.0 * r * sin(z)) /* 2 D_rz */
FIELD(tz, 2.0 * (2.0 + 4.0 * r * r) * cos(z) - pressure_of(r, z))

typedef struct orders {
    double L2, H1, mean;
} orders;

static orders stokes(const sab_mesh *mesh, bool bubbles)
{
    const sab_function u[2] = {FUNCTION(ur), FUNCTION(uz)}, p = FUNCTION(pressure_of);
    sab_error_norms norms;
    double mean, size;
    problem flowing;

    make_round(&flowing, mesh, bubbles);
    for (int b = 0; b < 2; b++) { /* bottom and wall */
        hold_side(&flowing, b, 0.0);
        memcpy(flowing.boundary[b].velocity, u, sizeof u);
    }
    flowing.boundary[2].traction[0] = FUNCTION(tr);
    flowing.boundary[2].traction[1] = FUNCTION(tz);
    flowing.gravity[0] = FUNCTION(fr);
    flowing.gravity[1] = FUNCTION(fz);
    sab_flow *flow = solve(&flowing);
    sab_exact_velocity(flow->space, flow->fields->velocity, u, 0.0, &norms, NULL);
    sab_exact_pressure(flow->space, flow->fields->pressure, NULL, &p, 0.0, &mean, &size, NULL);
    printf("\n    %5d triangles: u L2 %.2e H1 %.2e, mean p %.2e", mesh->nelements,
           norms.L2 / norms.exact_L2, norms.H1 / norms.exact_H1, mean / size);
    sab_flow_destroy(&flow);
    return (orders){norms.L2, norms.H1, mean};
}

static void test_stokes(void)
{
    for (int bubbles = 0; bubbles < 2; bubbles++) {
        orders e[3];

        printf("\n    %s", bubbles ? "p2b" : "split");
        for (int k = 0; k < 3; k++) {
            sab_mesh *mesh = cylinder(4 << k, 1, !bubbles);

            e[k] = stokes(mesh, bubbles);
            sab_mesh_destroy(&mesh);
        }
        const double L2 = log2(e[0].L2 / e[2].L2) / 2.0, H1 = log2(e[0].H1 / e[2].H1) / 2.0;
        const double mean = log2(e[0].mean / e[2].mean) / 2.0;
        printf("\n    orders %.2f %.2f %.2f", L2, H1, mean);
        CU_ASSERT_TRUE(L2 > 2.7 && H1 > 1.7 && mean > 1.7);
    }
}

/* Discharge of the pipe under a body force 1: Buckingham and Reiner, phi = 2 Bi the plug's radius.
 */
static double buckingham(double Bi)
{
    const double phi = 2.0 * Bi;

    return acos(-1.0) / 8.0 * (1.0 - 4.0 / 3.0 * phi + pow(phi, 4.0) / 3.0);
}

/* Q of the pipe, u_r = 0 on both ends, with pressure p0 there: yield stress Bi, or friction mu. */
static double discharge(const sab_mesh *mesh, bool bubbles, double Bi, double friction, double p0)
{
    problem pipe;

    make_round(&pipe, mesh, bubbles);
    pipe.setup.solver.tolerance = 1e-6;
    hold_side(&pipe, 1, 0.0);
    for (int b = 0; b < 3; b += 2) { /* developed ends: u_r = 0, axial traction */
        pipe.boundary[b].has_velocity = true;
        pipe.boundary[b].prescribed[0] = true;
        pipe.boundary[b].traction[1] = sab_constant(b == 0 ? p0 : -p0);
    }
    pipe.gravity[1] = sab_constant(1.0);
    pipe.material.bingham = sab_constant(Bi);
    pipe.material.friction = sab_constant(friction);
    sab_flow *flow = solve(&pipe);
    double Q = 0.0;
    for (int f = 0; f < mesh->nfacets; f++) { /* through the top, 2 pi r */
        const sab_quadrature *rule = sab_side_rule(mesh->cell);
        const int *node = sab_mesh_facet(mesh, f);

        for (int q = 0; q < rule->n; q++) {
            sab_p2_side p;

            sab_p2_side_at(mesh, f, rule->xi[q], &p);
            for (int a = 0; a < mesh->cell->facet->nodes; a++)
                if (p.normal_ds[1] > 0.0 && fabs(p.normal_ds[0]) < 1e-12)
                    Q += 2.0 * acos(-1.0) * rule->weight[q] * p.x[0] * p.value[a] *
                         flow->fields->velocity[2 * node[a] + 1] * p.normal_ds[1];
        }
    }
    sab_flow_destroy(&flow);
    return Q;
}

static void test_yield(void)
{
    for (int bubbles = 0; bubbles < 2; bubbles++)
        for (int k = 0; k < 3; k++) {
            const sab_grid grid = {(bubbles ? 6 : 4) << k, 2 << k, 0, 0, 1, 0.4, 0.25, 0.0, 0.0};
            sab_mesh *mesh = sab_grid_create(&grid), *fine = NULL;

            if (!bubbles) {
                sab_mesh_split_alfeld(mesh, &fine, NULL);
                sab_mesh_destroy(&mesh);
                mesh = fine;
            }
            const double plastic =
                discharge(mesh, bubbles, 0.25, 0.0, 1.0) / buckingham(0.25) - 1.0;
            const double friction =
                discharge(mesh, bubbles, 0.0, 0.25, 1.0) / buckingham(0.25) - 1.0;
            printf("\n    %s, %5d triangles: Bi %.1e, friction %.1e", bubbles ? "p2b" : "split",
                   mesh->nelements, plastic, friction);
            if (k == 2)
                CU_ASSERT_TRUE(fabs(plastic) < 1e-4 && fabs(friction) < 2e-4);
            sab_mesh_destroy(&mesh);
        }
}

int main(void)
{
    static const sab_test tests[] = {
        {"pipe with a linear pressure", test_pipe},
        {"closed vessel at rest", test_rest},
        {"orders of Stokes flow", test_stokes},
        {"Bingham and friction in a pipe", test_yield},
    };

    return SAB_TEST_MAIN("flow/axisymmetric", tests);
}

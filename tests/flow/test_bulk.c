/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bulk factor b < 1 of the viscosity: flows that open everywhere, so that the law is silent and
 * the viscous stress 2/Re (b tr(D)/2 + dev D) all there is [docs/theory.md, 1 and 3]. */
#include "unit.h"

#include "fem/integral.h"
#include "flow/flow.h"
#include "flow/inertia.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static const double RE = 4.0, BULK = 0.4;
static char names[4][8] = {"bottom", "right", "top", "left"};

/* u = (x + 0.3 x^2 + 0.2 xy, 0.5 y + 0.1 y^2) opens in the unit square, and P2 has it. Halves of
 * trace and difference of D, and D_xy. */
static void strain(double x, double y, double d[3])
{
    d[0] = 0.5 * (1.5 + 0.6 * x + 0.4 * y);
    d[1] = 0.5 * (0.5 + 0.6 * x);
    d[2] = 0.1 * x;
}

typedef enum quantity { UX, UY, XX, YY, XY } quantity;
static const quantity quantities[] = {UX, UY, XX, YY, XY};

static sab_status exact_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double x = at->x, y = at->y;
    double d[3];

    (void)err;
    strain(x, y, d);
    const double all[] = {x + 0.3 * x * x + 0.2 * x * y, 0.5 * y + 0.1 * y * y,
                          2.0 / RE * (BULK * d[0] + d[1]), 2.0 / RE * (BULK * d[0] - d[1]),
                          2.0 / RE * d[2]};
    *value = all[*(const quantity *)data];
    return SAB_OK;
}

static sab_function exact(quantity what)
{
    return (sab_function){.call = exact_at, .data = (void *)&quantities[what]};
}

static double value_of(quantity what, double x, double y)
{
    double value;

    exact_at((void *)&quantities[what], &(sab_vars){.x = x, .y = y}, &value, NULL);
    return value;
}

/* int 4/Re (b (tr/2)^2 + |dev|^2) by Simpson, exact for its degree. */
static double exact_dissipation(void)
{
    const double at[3] = {0.0, 0.5, 1.0}, w[3] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
    double sum = 0.0, d[3];

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            strain(at[i], at[j], d);
            sum += w[i] * w[j] * 4.0 / RE * (BULK * d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        }
    return sum;
}

/* Velocity, stress, dissipation and forces are exact; velocities prescribed below and at the left,
 * tractions elsewhere. */
static void test_patch(void)
{
    const sab_grid grid = {3, 3, 0, 0, 1, 1, 0.2, 0.0, 0.0};
    const sab_material material = {
        .friction = sab_constant(0.3), .reynolds = sab_constant(RE), .bulk = BULK};
    const sab_function gravity[2] = {sab_constant(-2.0 / RE * (0.3 * BULK + 0.3)),
                                     sab_constant(-2.0 / RE * (0.1 + 0.2 * BULK))};
    sab_boundary side[4];
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int b = 0; b < 4; b++) {
        side[b] = (sab_boundary){.group = names[b], .has_traction = b == 1 || b == 2};
        side[b].has_velocity = side[b].prescribed[0] = side[b].prescribed[1] =
            !side[b].has_traction;
        side[b].velocity[0] = exact(UX);
        side[b].velocity[1] = exact(UY);
        side[b].traction[0] = exact(b == 1 ? XX : XY);
        side[b].traction[1] = exact(b == 1 ? XY : YY);
    }
    for (int bubbles = 0; bubbles < 2; bubbles++) {
        sab_flow_setup setup = {.mesh = mesh,
                                .element = bubbles == 1 ? &sab_element_p2b : &sab_element_p2,
                                .geometry = &sab_geometry_plane,
                                .material = &material,
                                .gravity = gravity,
                                .nboundaries = 4,
                                .boundary = side,
                                .solver = sab_solver_options_default()};
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        double sum[2] = {0.0, 0.0}, viscous[2] = {0.0, 0.0}, largest = 0.0;

        setup.solver.tolerance = 1e-8;
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, &err), SAB_OK);
        CU_ASSERT(!flow->program->r_is_safe);
        CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
        CU_ASSERT(report.converged);
        for (int i = 0; i < 2 * mesh->nnodes; i++)
            CU_ASSERT_DOUBLE_EQUAL(
                flow->fields->velocity[i],
                value_of(i % 2 == 0 ? UX : UY, mesh->x[i / 2 * 2], mesh->x[i / 2 * 2 + 1]), 1e-7);
        for (size_t i = 2 * (size_t)mesh->nnodes; i < sab_space_size(flow->space); i++)
            largest = fmax(largest, fabs(flow->fields->velocity[i]));
        CU_ASSERT(largest < 1e-7);
        for (int q = 0; q < flow->space->npoints; q++) {
            const double *x = flow->space->point + 2 * q, *s = flow->fields->total + 3 * q;

            CU_ASSERT_DOUBLE_EQUAL(s[0] + s[1], value_of(XX, x[0], x[1]), 1e-6);
            CU_ASSERT_DOUBLE_EQUAL(s[0] - s[1], value_of(YY, x[0], x[1]), 1e-6);
            CU_ASSERT_DOUBLE_EQUAL(s[2], value_of(XY, x[0], x[1]), 1e-6);
        }
        const double power =
            sab_integral_of(flow->fields, SAB_INTEGRAL_VISCOUS_DISSIPATION, 0.0, NULL);
        SAB_ASSERT_CLOSE(power / exact_dissipation(), 1.0, 1e-6);
        SAB_ASSERT_CLOSE(report.solve.certificate.dissipation / exact_dissipation(), 1.0, 1e-6);
        const sab_balance balance = {flow->dofs, side, flow->group, 0.0, flow->load};
        for (int b = 0; b < 4; b++) {
            double force[2];

            sab_fields_force(flow->fields, &balance, b, SAB_FORCE_TOTAL, flow->work, force, NULL);
            sum[0] += force[0];
            sum[1] += force[1];
            if (b == 0 || b == 3) {
                viscous[0] += force[0];
                viscous[1] += force[1];
            }
        }
        for (int i = 0; i < 2; i++) /* all that acts on the body */
            CU_ASSERT_DOUBLE_EQUAL(sum[i], gravity[i].constant, 1e-10);
        /* what it does to the sides that hold it: int sigma n there, with the outward normal n */
        CU_ASSERT_DOUBLE_EQUAL(
            viscous[0],
            (value_of(XX, 0.0, 0.5) + (value_of(XY, 0.0, 0.0) + value_of(XY, 1.0, 0.0)) / 2.0),
            1e-6);
        CU_ASSERT_DOUBLE_EQUAL(
            viscous[1],
            (value_of(YY, 0.5, 0.0) + (value_of(XY, 0.0, 0.0) + value_of(XY, 0.0, 1.0)) / 2.0),
            1e-6);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* A cloud that flies apart and slows down: the power that responds to rate is that of shear and
 * twice what inertia gives, E' - E - carried + loss [docs/theory.md, 7.7]. */
static void test_response(void)
{
    const sab_grid grid = {3, 3, -0.5, -0.5, 0.5, 0.5, 0.1, 0.0, 0.0};
    const sab_material material = {
        .friction = sab_constant(0.3), .reynolds = sab_constant(RE), .bulk = BULK};
    const sab_function none[2] = {sab_constant(0.0), sab_constant(0.0)};
    const sab_function initial[2] = {exact(UX), exact(UY)};
    sab_boundary side[4];
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};
    double shear = 0.0;

    for (int b = 0; b < 4; b++)
        side[b] = (sab_boundary){.group = names[b], .has_traction = true};
    const sab_flow_setup setup = {.mesh = mesh,
                                  .element = &sab_element_p2,
                                  .geometry = &sab_geometry_plane,
                                  .material = &material,
                                  .gravity = none,
                                  .nboundaries = 4,
                                  .boundary = side,
                                  .solver = sab_solver_options_default(),
                                  .dt = 0.1,
                                  .order = 1,
                                  .initial = initial,
                                  .free_inflow = true};
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
    for (int q = 0; q < flow->program->npoints; q++) {
        const double *g = flow->fields->strain_rate + 3 * q;

        shear += flow->program->weight[q] * flow->program->slope[q] * (g[1] * g[1] + g[2] * g[2]);
    }
    const sab_ledger *l = &report.ledger;
    const double inertial = (l->gain - l->carried + l->loss) / setup.dt;
    CU_ASSERT(inertial < -0.1 && l->viscous > 0.0);
    SAB_ASSERT_CLOSE(report.solve.certificate.response, shear + 2.0 * fabs(inertial), 1e-9);
    CU_ASSERT(fabs(l->defect) < 1e-12);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"patch test of an opening flow", test_patch},
                                     {"power that responds to rate", test_response}};

    return SAB_TEST_MAIN("flow/bulk", tests);
}

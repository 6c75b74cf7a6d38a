/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law at the points: its split, its tangent, and that a formula beside mu(I) changes nothing.
 */
#include "unit.h"

#include "base/memory.h"
#include "flow/law.h"
#include "run/march_flow.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static const sab_mu_i MU_I = {.resting = 0.3, .flowing = 0.7, .I0 = 0.2, .grain = 0.1};

/* 1 + |D|^2 p */
static sab_status thickening(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 1.0 + at->shear_rate * at->shear_rate * at->pressure;
    return SAB_OK;
}

static sab_status nothing(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 0.0 * at->x;
    return SAB_OK;
}

static sab_status negative(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 1.0 - 5.0 * at->shear_rate;
    return SAB_OK;
}

typedef struct body {
    sab_mesh *mesh;
    sab_space *space;
    sab_program *program;
    sab_flow_law *law;
    double *gamma, *lambda, *viscosity, *tangent;
} body;

static body make_body(const sab_material *material)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.2, 0.0, 0.0};
    body b = {.mesh = sab_grid_create(&grid)};

    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(b.mesh, &sab_element_p2, &sab_geometry_plane, &b.space, NULL), SAB_OK);
    const size_t n = (size_t)b.space->npoints;
    CU_ASSERT_EQUAL_FATAL(sab_program_create(3, b.space->npoints, 1, &b.program, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_law_create(material, b.space, true, &b.law, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_law_set(b.law, 0.0, b.program, NULL), SAB_OK);
    b.gamma = sab_alloc(3 * n, sizeof *b.gamma);
    b.lambda = sab_alloc(3 * n, sizeof *b.lambda);
    b.viscosity = sab_alloc(n, sizeof *b.viscosity);
    b.tangent = sab_alloc(n, sizeof *b.tangent);
    for (size_t q = 0; q < n; q++) { /* the pressure oscillates by 1 about 2: its mean counts */
        b.gamma[3 * q + 1] = 0.3 + 0.1 * (double)(q % 5);
        b.gamma[3 * q + 2] = -0.4;
        b.lambda[3 * q] = 2.0 + (double)(q % 3) - 1.0;
    }
    return b;
}

static void free_body(body *b)
{
    SAB_FREE(b->gamma);
    SAB_FREE(b->lambda);
    SAB_FREE(b->viscosity);
    SAB_FREE(b->tangent);
    sab_flow_law_destroy(&b->law);
    sab_program_destroy(&b->program);
    sab_space_destroy(&b->space);
    sab_mesh_destroy(&b->mesh);
}

/* mu_S p + nu g = mu(I) p, with or without a viscosity of Newton beside it; the tangent and the
 * slope are the derivative of the stress; a law that is met is not violated. */
static void test_split(void)
{
    const sab_material material = {
        .has_mu_i = true, .mu_i = MU_I, .reynolds = sab_constant(8.0), .bulk = 1.0};
    const double p = 2.0, eps = 1e-6;
    body b = make_body(&material);
    double power;

    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 0.5, NULL), SAB_OK);
    sab_flow_law_apply(b.law, 0.25, b.program);
    CU_ASSERT_EQUAL(sab_flow_law_follow(b.law, b.gamma, b.lambda, b.viscosity, b.tangent, NULL),
                    SAB_OK);
    for (int q = 0; q < b.space->npoints; q++) {
        const double g = hypot(b.gamma[3 * q + 1], b.gamma[3 * q + 2]), nu = b.law->nu[q];
        const double more = g * (1 + eps), less = g * (1 - eps);
        const double slope =
            (p * sab_material_mu_i(&MU_I, more, p) - p * sab_material_mu_i(&MU_I, less, p)) /
            (more - less);

        SAB_ASSERT_CLOSE(MU_I.resting * p + nu * g, p * sab_material_mu_i(&MU_I, g, p), 1e-12);
        CU_ASSERT_EQUAL(b.program->friction[q], 0.3);
        SAB_ASSERT_CLOSE(b.program->viscosity[q], 2.0 / 8.0 + nu, 1e-14);
        SAB_ASSERT_CLOSE(b.program->r[q], 2.0 / 8.0 + nu + 0.25, 1e-14);
        SAB_ASSERT_CLOSE(b.program->slope[q], 2.0 / 8.0 + slope, 1e-7);
        CU_ASSERT_EQUAL(b.viscosity[q], b.program->viscosity[q]);
        CU_ASSERT_EQUAL(b.tangent[q], b.program->slope[q]);
    }
    CU_ASSERT_EQUAL(
        sab_flow_law_violation(b.law, b.program->weight, b.gamma, b.lambda, &power, NULL), SAB_OK);
    CU_ASSERT(fabs(power) < 1e-15);
    for (int i = 0; i < 3 * b.space->npoints; i++)
        b.gamma[i] *= 2.0;
    double by_hand = 0.0; /* nu was that of half the rate; what is void does not count */
    b.program->weight[1] *= 1e-6;
    for (int q = 0; q < b.space->npoints; q++) {
        const double g = hypot(b.gamma[3 * q + 1], b.gamma[3 * q + 2]);

        by_hand += (q == 1 ? 2e-6 : 2.0) * b.space->weight[q] * g *
                   fabs(b.law->nu[q] * g - p * (sab_material_mu_i(&MU_I, g, p) - MU_I.resting));
    }
    CU_ASSERT_EQUAL(
        sab_flow_law_violation(b.law, b.program->weight, b.gamma, b.lambda, &power, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(power / by_hand, 1.0, 1e-12);
    free_body(&b);
}

/* Without pressure or rate nothing is infinite, and the guess is the law at I = I0. */
static void test_limits(void)
{
    const sab_material material = {
        .has_mu_i = true, .mu_i = MU_I, .reynolds = sab_constant(INFINITY), .bulk = 1.0};
    body b = make_body(&material);

    sab_flow_law_guess(b.law, 4.0);
    SAB_ASSERT_CLOSE(b.law->nu[0], 0.4 * 4.0 / (2.0 * 2.0), 1e-14);
    memset(b.gamma, 0, 3 * (size_t)b.space->npoints * sizeof *b.gamma);
    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 0.5, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(b.law->nu[0], 0.4 * sqrt(2.0), 1e-13); /* c = I0/(2 D_g) = 1 */
    memset(b.lambda, 0, 3 * (size_t)b.space->npoints * sizeof *b.lambda);
    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 0.5, NULL), SAB_OK);
    CU_ASSERT_EQUAL(b.law->nu[0], 0.0);
    free_body(&b);
}

/* eta = 1 + g^2 p: half of the way, all of it, the slope d(2 eta g/Re)/dg; errors. */
static void test_formula(void)
{
    sab_material material = {.friction = sab_constant(0.4),
                             .reynolds = sab_constant(4.0),
                             .bulk = 1.0,
                             .has_viscosity = true,
                             .viscosity = {.call = thickening}};
    body b = make_body(&material);
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 0.5, NULL), SAB_OK);
    sab_flow_law_apply(b.law, 0.0, b.program);
    for (int q = 0; q < b.space->npoints; q++) {
        const double g = hypot(b.gamma[3 * q + 1], b.gamma[3 * q + 2]), eta = 1.0 + 2.0 * g * g;

        SAB_ASSERT_CLOSE(b.program->viscosity[q], 0.5 * 0.5 * (1.0 + eta), 1e-14);
        SAB_ASSERT_CLOSE(b.program->slope[q], 0.5 * (1.0 + 6.0 * g * g), 1e-6);
    }
    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 1.0, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(b.law->eta[0], 1.0 + 2.0 * (0.09 + 0.16), 1e-14);
    material.viscosity.call = negative;
    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 0.5, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "must not be negative"));
    free_body(&b);
}

/* x + 10 t + p: the place of the point, the time of the law, the pressure of its element. */
static sab_status of_all(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = at->x + 10.0 * at->t + at->pressure;
    return SAB_OK;
}

static sab_status equals_rate(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = at->shear_rate;
    return SAB_OK;
}

/* What a formula is given; mu(I) sees the same pressure. Reynolds and friction may be formulas of
 * time beside it. */
static void test_arguments(void)
{
    const sab_material material = {.has_mu_i = true,
                                   .mu_i = MU_I,
                                   .reynolds = {.call = of_all},
                                   .bulk = 1.0,
                                   .has_viscosity = true,
                                   .viscosity = {.call = of_all}};
    body b = make_body(&material);

    for (int q = 0; q < b.space->npoints; q++)
        b.lambda[3 * q] = 1.0 + q / 3;
    CU_ASSERT_EQUAL(sab_flow_law_set(b.law, 0.7, b.program, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 1.0, NULL), SAB_OK);
    sab_flow_law_apply(b.law, 0.0, b.program);
    for (int q = 0; q < b.space->npoints; q++) {
        const double x = b.space->point[2 * q], p = 1.0 + q / 3;
        const double g = hypot(b.gamma[3 * q + 1], b.gamma[3 * q + 2]);
        const double nu = p * (sab_material_mu_i(&MU_I, g, p) - MU_I.resting) / g;

        SAB_ASSERT_CLOSE(b.law->eta[q], x + 7.0 + p, 1e-13);
        SAB_ASSERT_CLOSE(b.program->viscosity[q], 2.0 * (x + 7.0 + p) / (x + 7.0) + nu, 1e-12);
        SAB_ASSERT_CLOSE(b.program->weight[q], 2.0 * b.space->weight[q], 1e-15);
    }
    free_body(&b);
}

/* eta = |D| where half of the body is rigid: it keeps a millionth of the largest. An interior point
 * is led half the way, without a slope. */
static void test_floor(void)
{
    const sab_material material = {.reynolds = sab_constant(1.0),
                                   .bulk = 1.0,
                                   .has_viscosity = true,
                                   .viscosity = {.call = equals_rate}};
    body b = make_body(&material);
    const int n = b.space->npoints;

    for (int q = 0; q < n; q++) {
        b.gamma[3 * q + 1] = q % 2 == 0 ? 0.6 : 0.0;
        b.gamma[3 * q + 2] = q % 2 == 0 ? 0.8 : 0.0;
        b.viscosity[q] = q % 2 == 0 ? 3.0 : 1e-9;
    }
    CU_ASSERT_EQUAL(sab_flow_law_refresh(b.law, b.gamma, b.lambda, 1.0, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_flow_law_follow(b.law, b.gamma, b.lambda, b.viscosity, b.tangent, NULL),
                    SAB_OK);
    for (int q = 0; q < n; q++) {
        SAB_ASSERT_CLOSE(b.law->eta[q] / (q % 2 == 0 ? 1.0 : 1e-6), 1.0, 1e-12);
        SAB_ASSERT_CLOSE(b.viscosity[q] / (q % 2 == 0 ? 2.5 : 2.5e-6), 1.0, 1e-12);
        CU_ASSERT_EQUAL(b.tangent[q], b.viscosity[q]);
    }
    free_body(&b);
}

/* A slumping column; kinetic energy after some steps. */
static double slump(const sab_material *material)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    static char name[4][8] = {"bottom", "right", "top", "left"};
    const sab_function gravity[2] = {sab_constant(0.3), sab_constant(-1.0)};
    sab_boundary side[4];
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow *flow = NULL;
    sab_flow_report report;
    double energy = 0.0;

    for (int i = 0; i < 4; i++)
        side[i] = (sab_boundary){.group = name[i], .has_traction = i > 0};
    side[0].has_velocity = side[0].prescribed[0] = side[0].prescribed[1] = true;
    const sab_flow_setup setup = {.mesh = mesh,
                                  .element = &sab_element_p2b,
                                  .geometry = &sab_geometry_plane,
                                  .material = material,
                                  .gravity = gravity,
                                  .nboundaries = 4,
                                  .boundary = side,
                                  .solver = sab_solver_options_default(),
                                  .viscosity_iterations = 20,
                                  .dt = 0.1,
                                  .order = 1};
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, NULL), SAB_OK);
    for (int i = 0; i < 6; i++) {
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, NULL), SAB_OK);
        CU_ASSERT(report.converged);
    }
    for (int a = 0; a < 2 * mesh->nnodes; a++)
        energy += flow->fields->velocity[a] * flow->fields->velocity[a];
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
    return energy;
}

/* A creeping flow, pushed and pressed from above. */
static sab_flow_report creep(double flowing, double bulk, double tolerance)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    static char name[4][8] = {"bottom", "right", "top", "left"};
    const sab_material material = {
        .has_mu_i = true,
        .mu_i = {.resting = 0.2, .flowing = flowing, .I0 = 0.3, .grain = 0.3},
        .reynolds = sab_constant(50.0),
        .bulk = bulk};
    const sab_function gravity[2] = {sab_constant(0.0), sab_constant(-1.0)};
    sab_boundary side[4];
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow *flow = NULL;
    sab_flow_report report;

    for (int i = 0; i < 4; i++)
        side[i] = (sab_boundary){.group = name[i], .has_velocity = true};
    for (int i = 0; i < 4; i++)
        side[i].prescribed[0] = side[i].prescribed[1] = i != 2;
    side[2] = (sab_boundary){.group = name[2],
                             .has_traction = true,
                             .traction = {sab_constant(0.6), sab_constant(-1.0)}};
    sab_flow_setup setup = {.mesh = mesh,
                            .element = &sab_element_p2b,
                            .geometry = &sab_geometry_plane,
                            .material = &material,
                            .gravity = gravity,
                            .nboundaries = 4,
                            .boundary = side,
                            .solver = sab_solver_options_default(),
                            .viscosity_iterations = 20};
    setup.solver.tolerance = tolerance;
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, NULL), SAB_OK);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
    return report;
}

/* Interior points follow mu(I) within their programs, and few programs are left to do. Here the law
 * bends: with its secant in place of its tangent they do not end. */
static void test_followed(void)
{
    const sab_flow_report report = creep(0.4, 0.8, 1e-3);

    CU_ASSERT(report.converged);
    CU_ASSERT(report.viscosity_iterations <= 8);
    CU_ASSERT(report.rate_residual <= 1e-3);
}

/* A formula that is zero, in any key, gives what the number 0 gives: mu(I) is not forgotten. */
static void test_formula_beside(void)
{
    const sab_material plain = {.has_mu_i = true,
                                .mu_i = {.resting = 0.2, .flowing = 0.7, .I0 = 0.1, .grain = 0.3},
                                .reynolds = sab_constant(100.0),
                                .bulk = 1.0};
    sab_material constant = plain, dilatant = plain, cohesive = plain;

    constant.has_mu_i = false;
    constant.friction = sab_constant(0.2);
    dilatant.dilatancy = (sab_function){.call = nothing};
    cohesive.bingham = (sab_function){.call = nothing};
    const double energy = slump(&plain);
    CU_ASSERT(slump(&constant) > 1.05 * energy); /* mu(I) matters here */
    CU_ASSERT_EQUAL(slump(&dilatant), energy);
    CU_ASSERT_EQUAL(slump(&cohesive), energy);
}

int main(void)
{
    static const sab_test tests[] = {{"mu(I) is a cone and a stress of the rate", test_split},
                                     {"limits", test_limits},
                                     {"viscosity formula", test_formula},
                                     {"what a formula is given", test_arguments},
                                     {"floor of a formula", test_floor},
                                     {"mu(I) is followed within a program", test_followed},
                                     {"a formula beside mu(I)", test_formula_beside}};

    return SAB_TEST_MAIN("flow/law", tests);
}

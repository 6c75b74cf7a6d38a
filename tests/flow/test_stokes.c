/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newtonian flow with a known pressure, and the granular film as a patch test: which pair of
 * velocity and stress converges on Gmsh meshes [docs/theory.md, 4.6 and 4.9]. */
#include "unit.h"

#include "base/memory.h"
#include "fem/bubble.h"
#include "fem/exact.h"
#include "fem/p2.h"
#include "fem/quadrature.h"
#include "flow/flow.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>

/* u = (dpsi/dy, -dpsi/dx), psi = g(x) h(y), g = sin(pi x + 0.4), h = sin(2 y + 0.3), and a pressure
 * between 1 and 5, so that the unilateral law never lets go. With Re = 1, friction = bingham = 0:
 *     f = -lap u + grad p,  lap u = -(pi^2 + 4) u;  top: t = (2 D_xy, 2 D_yy - p),
 *     2 D_xy = (pi^2 - 4) g h,  D_yy = -g' h'. */
typedef enum quantity { UX, UY, FX, FY, TX, TY, P } quantity;
static const quantity quantities[] = {UX, UY, FX, FY, TX, TY, P};

static sab_status exact_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double pi = acos(-1.0), x = at->x, y = at->y;
    const double g = sin(pi * x + 0.4), dg = pi * cos(pi * x + 0.4);
    const double h = sin(2.0 * y + 0.3), dh = 2.0 * cos(2.0 * y + 0.3);
    const double p = 3.0 + 2.0 * sin(3.0 * x - 1.0) * cos(2.0 * y);

    (void)err;
    switch (*(const quantity *)data) {
    case UX:
        *value = g * dh;
        break;
    case UY:
        *value = -dg * h;
        break;
    case FX:
        *value = (pi * pi + 4.0) * g * dh + 6.0 * cos(3.0 * x - 1.0) * cos(2.0 * y);
        break;
    case FY:
        *value = -(pi * pi + 4.0) * dg * h - 4.0 * sin(3.0 * x - 1.0) * sin(2.0 * y);
        break;
    case TX:
        *value = (pi * pi - 4.0) * g * h;
        break;
    case TY:
        *value = -2.0 * dg * dh - p;
        break;
    case P:
        *value = p;
        break;
    }
    return SAB_OK;
}

static sab_function exact(quantity what)
{
    return (sab_function){.call = exact_at, .data = (void *)&quantities[what]};
}

static sab_mesh *box(double h, bool split)
{
    const sab_mesh_parameter parameter[] = {{"h", h}};
    sab_mesh *coarse = NULL, *mesh = NULL;
    sab_error err = {0};

    if (sab_mesh_read("meshes/box.geo", 2, 1, parameter, &coarse, &err) != SAB_OK ||
        (split && sab_mesh_split_alfeld(coarse, &mesh, &err) != SAB_OK)) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("no mesh");
    }
    if (!split)
        return coarse;
    sab_mesh_destroy(&coarse);
    return mesh;
}

static sab_flow *solve(const sab_flow_setup *setup, sab_flow_report *report)
{
    sab_flow *flow = NULL;
    sab_error err = {0};

    if (sab_flow_create(setup, &flow, &err) != SAB_OK ||
        sab_flow_solve(flow, NULL, report, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("the flow cannot be solved");
    }
    CU_ASSERT(report->converged);
    return flow;
}

/* L2 norm of p_h - p, p_h the P1 function of each element with the values at the law points. */
static double raw_pressure_error(const sab_flow *flow)
{
    const sab_space *space = flow->space;
    const size_t points = (size_t)space->npoints;
    double *value = sab_alloc(points, sizeof *value), *nodal = sab_alloc(2 * points, sizeof *nodal);
    double sum = 0.0;

    for (size_t q = 0; q < points; q++)
        value[q] = flow->lambda[3 * q]; /* lambda_N = p in the plane */
    sab_space_to_nodes(space, 1, value, nodal);
    for (int e = 0; e < space->mesh->nelements; e++)
        for (int q = 0; q < sab_rule(&sab_cell_triangle, 6)->n; q++) {
            double p_h = 0.0, p = 0.0;
            sab_p2 at;

            sab_p2_at(space->mesh, e, sab_rule(&sab_cell_triangle, 6)->xi[q], &at);
            for (int a = 0; a < 6; a++)
                p_h += at.value[a] * nodal[6 * e + a];
            exact_at((void *)&quantities[P], &(sab_vars){.x = at.x[0], .y = at.x[1]}, &p, NULL);
            sum += sab_rule(&sab_cell_triangle, 6)->weight[q] * at.det * (p_h - p) * (p_h - p);
        }
    SAB_FREE(value);
    SAB_FREE(nodal);
    return sqrt(sum);
}

typedef struct errors {
    double H1, L2, mean, raw; /* of velocity, velocity, element mean of p, p */
} errors;

static errors solve_stokes(const sab_mesh *mesh, bool bubbles, sab_factor_backend linear)
{
    const sab_material material = {.reynolds = sab_constant(1.0), .bulk = 1.0};
    const sab_function f[2] = {exact(FX), exact(FY)}, u[2] = {exact(UX), exact(UY)};
    const sab_function p = exact(P);
    sab_boundary boundary[3] = {
        {.group = "top", .has_traction = true, .traction = {exact(TX), exact(TY)}},
        {.group = "side",
         .has_velocity = true,
         .prescribed = {true, true},
         .velocity = {u[0], u[1]}},
        {.group = "bottom",
         .has_velocity = true,
         .prescribed = {true, true},
         .velocity = {u[0], u[1]}}};
    sab_flow_setup setup = {.mesh = mesh,
                            .element = bubbles ? &sab_element_p2b : &sab_element_p2,
                            .geometry = &sab_geometry_plane,
                            .material = &material,
                            .gravity = f,
                            .nboundaries = 3,
                            .boundary = boundary,
                            .solver = sab_solver_options_default()};
    sab_flow_report report;
    sab_error_norms norms;
    errors e;
    double size;

    setup.solver.tolerance = 1e-9;
    setup.solver.linear = linear;
    sab_flow *flow = solve(&setup, &report);
    sab_exact_velocity(flow->space, flow->fields->velocity, u, 0.0, &norms, NULL);
    sab_exact_pressure(flow->space, flow->fields->pressure, NULL, &p, 0.0, &e.mean, &size, NULL);
    e.H1 = norms.H1;
    e.L2 = norms.L2;
    e.raw = raw_pressure_error(flow);
    printf("\n    %5d triangles, %5d unknowns: u H1 %.2e L2 %.2e, p mean %.2e raw %.2e, %s %d its, "
           "G %.0e",
           mesh->nelements, flow->program->n, e.H1, e.L2, e.mean, e.raw,
           sab_method_table[report.solve.method].name, report.solve.work.outer,
           report.solve.certificate.gap);
    sab_flow_destroy(&flow);
    return e;
}

/* Three levels of Gmsh meshes: mean orders over two halvings. */
static void check_orders(const char *name, bool split, bool bubbles, bool checked)
{
    /* the parents of a split mesh are larger by sqrt(3): about as many triangles */
    const double h = split ? 0.216 : 0.125;
    errors e[3];

    for (int level = 0; level < 3; level++) {
        sab_mesh *mesh = box(h / (1 << level), split);

        e[level] = solve_stokes(mesh, bubbles, SAB_CHOLMOD);
        sab_mesh_destroy(&mesh);
    }
    const double order[4] = {0.5 * log2(e[0].H1 / e[2].H1), 0.5 * log2(e[0].L2 / e[2].L2),
                             0.5 * log2(e[0].mean / e[2].mean), 0.5 * log2(e[0].raw / e[2].raw)};
    printf("\n    %s: orders u H1 %.2f, u L2 %.2f, p mean %.2f, p raw %.2f\n", name, order[0],
           order[1], order[2], order[3]);
    if (!checked)
        return;
    CU_ASSERT(fabs(order[0] - 2.0) < 0.2);
    CU_ASSERT(order[1] > 2.7);
    CU_ASSERT(order[2] > 1.8);
    CU_ASSERT(fabs(order[3] - 2.0) < 0.2);
}

static void test_alfeld(void)
{
    check_orders("p2, Alfeld split", true, false, true);
}

static void test_bubbles(void)
{
    check_orders("p2b", false, true, true);
}

/* Locks: one order is lost in the velocity, and the pressure does not converge. */
static void test_plain(void)
{
    check_orders("p2, plain pair", false, false, false);
}

static void test_mumps(void)
{
    sab_mesh *mesh = box(0.125, false);
    const errors a = solve_stokes(mesh, true, SAB_CHOLMOD), b = solve_stokes(mesh, true, SAB_MUMPS);

    SAB_ASSERT_CLOSE(a.H1 / b.H1, 1.0, 1e-6);
    SAB_ASSERT_CLOSE(a.raw / b.raw, 1.0, 1e-5);
    sab_mesh_destroy(&mesh);
}

/* Slope of 30 degrees, friction 0.5 [docs/theory.md, 8.2]: u = U (y - y^2/2), p = (1 - y) cos, with
 * the exact tractions on the sides. sign: normal of the side. */
static const double DOWN = 0.5, ACROSS = 0.86602540378443864676, FRICTION = 0.5;

static sab_status film_u(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = (DOWN - FRICTION * ACROSS) * (at->y - 0.5 * at->y * at->y);
    return SAB_OK;
}

static sab_status film_p(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = *(const double *)data * ACROSS * (1.0 - at->y);
    return SAB_OK;
}

static sab_status film_shear(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = *(const double *)data * DOWN * (1.0 - at->y);
    return SAB_OK;
}

/* The film lies in P2/P1, hence in p2b: reproduced with zero bubbles, and the bottom carries the
 * weight exactly. split: both choices together are allowed. */
static void check_film(bool split)
{
    double plus = 1.0, minus = -1.0;
    const sab_mesh_parameter parameter[] = {{"n", 8.0}, {"structured", 0.0}};
    const sab_material material = {
        .friction = sab_constant(FRICTION), .reynolds = sab_constant(1.0), .bulk = 1.0};
    const sab_function gravity[2] = {sab_constant(DOWN), sab_constant(-ACROSS)};
    const sab_function u[2] = {{.call = film_u}, sab_constant(0.0)},
                       p = {.call = film_p, .data = &plus};
    const sab_boundary boundary[4] = {
        {.group = "left",
         .has_traction = true,
         .traction = {{.call = film_p, .data = &plus}, {.call = film_shear, .data = &minus}}},
        {.group = "right",
         .has_traction = true,
         .traction = {{.call = film_p, .data = &minus}, {.call = film_shear, .data = &plus}}},
        {.group = "top", .has_traction = true},
        {.group = "bottom", .has_velocity = true, .prescribed = {true, true}}};
    sab_mesh *coarse = NULL, *mesh = NULL;
    sab_error err = {0};

    if (sab_mesh_read("meshes/film.geo", 2, 2, parameter, &coarse, &err) != SAB_OK ||
        (split && sab_mesh_split_alfeld(coarse, &mesh, &err) != SAB_OK)) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("no mesh");
    }
    sab_flow_setup setup = {.mesh = split ? mesh : coarse,
                            .element = &sab_element_p2b,
                            .geometry = &sab_geometry_plane,
                            .material = &material,
                            .gravity = gravity,
                            .nboundaries = 4,
                            .boundary = boundary,
                            .solver = sab_solver_options_default()};
    sab_flow_report report;
    sab_error_norms norms;
    double force[2], p_error, p_size, largest = 0.0;

    setup.solver.tolerance = 1e-7;
    sab_flow *flow = solve(&setup, &report);
    sab_exact_velocity(flow->space, flow->fields->velocity, u, 0.0, &norms, NULL);
    sab_exact_pressure(flow->space, flow->fields->pressure, NULL, &p, 0.0, &p_error, &p_size, NULL);
    CU_ASSERT(norms.L2 < 1e-6 * norms.exact_L2);
    CU_ASSERT(p_error < 1e-6 * p_size);
    for (size_t i = 2 * (size_t)setup.mesh->nnodes; i < sab_space_size(flow->space); i++)
        largest = fmax(largest, fabs(flow->fields->velocity[i]));
    CU_ASSERT(largest < 1e-6 * norms.exact_Linf);
    const sab_balance balance = {flow->dofs, boundary, flow->group, 0.0, flow->load};
    CU_ASSERT_EQUAL(
        sab_fields_force(flow->fields, &balance, 3, SAB_FORCE_TOTAL, flow->work, force, NULL),
        SAB_OK);
    SAB_ASSERT_CLOSE(force[0], DOWN, 1e-10);
    SAB_ASSERT_CLOSE(force[1], -ACROSS, 1e-10);
    printf("\n    %d triangles: u L2 %.1e max %.1e, p %.1e (relative), largest bubble %.1e, force "
           "- weight %.0e %.0e",
           setup.mesh->nelements, norms.L2 / norms.exact_L2, norms.Linf / norms.exact_Linf,
           p_error / p_size, largest / norms.exact_Linf, force[0] - DOWN, force[1] + ACROSS);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&coarse);
    sab_mesh_destroy(&mesh);
}

static void test_film(void)
{
    check_film(false);
    check_film(true);
}

/* Grains that slide between slip walls, the viscosity varying so that every part of A counts. */
static sab_status varying(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = 1.0 + 0.8 * sin(5.0 * at->x) * cos(4.0 * at->y);
    return SAB_OK;
}

/* Norm of R W, self-adjoint in sum m/r x.y, by power iteration: from below. */
static double norm_of_step(const sab_program *p)
{
    const int rows = p->s * p->npoints;
    double *x = sab_alloc((size_t)rows, sizeof *x), *y = sab_alloc((size_t)rows, sizeof *y);
    double *u = sab_alloc((size_t)p->n, sizeof *u), norm = 0.0;
    sab_factor *factor = NULL;
    unsigned long long seed = 1;

    CU_ASSERT_EQUAL_FATAL(sab_factor_create(NULL, p->A, &factor, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_factor_update(factor, p->A, NULL), SAB_OK);
    for (int i = 0; i < rows; i++)
        x[i] = sab_test_random(&seed) - 0.5;
    for (int k = 0; k < 30; k++) {
        double xx = 0.0, xy = 0.0;

        CU_ASSERT_EQUAL(sab_program_apply_w(p, factor, x, u, y, NULL), SAB_OK);
        for (int i = 0; i < rows; i++) {
            const double m = p->weight[i / p->s], r = p->r[i / p->s];

            xx += m / r * x[i] * x[i];
            xy += m * x[i] * y[i];
            x[i] = r * y[i];
        }
        norm = xy / xx;
    }
    sab_factor_destroy(&factor);
    SAB_FREE(x);
    SAB_FREE(y);
    SAB_FREE(u);
    return norm;
}

static void test_balance(void)
{
    const sab_material material = {.friction = sab_constant(0.2),
                                   .bingham = sab_constant(0.01),
                                   .reynolds = {.call = varying},
                                   .bulk = 1.0};
    const sab_function gravity[2] = {sab_constant(0.3), sab_constant(-1.0)};
    const sab_boundary boundary[3] = {
        {.group = "top", .has_pressure = true, .pressure = sab_constant(0.5)},
        {.group = "side", .slip = true},
        {.group = "bottom", .has_velocity = true, .prescribed = {true, true}}};
    sab_mesh *mesh = box(0.125, false);
    sab_flow_setup setup = {.mesh = mesh,
                            .element = &sab_element_p2b,
                            .geometry = &sab_geometry_plane,
                            .material = &material,
                            .gravity = gravity,
                            .nboundaries = 3,
                            .boundary = boundary,
                            .solver = sab_solver_options_default()};
    sab_flow_report report;
    double total[2] = {0.0, 0.0};

    sab_flow *flow = solve(&setup, &report); /* any tolerance will do */
    CU_ASSERT(flow->program->r_is_safe);
    const sab_balance balance = {flow->dofs, boundary, flow->group, 0.0, flow->load};
    for (int b = 0; b < 3; b++) {
        double force[2];

        sab_fields_force(flow->fields, &balance, b, SAB_FORCE_TOTAL, flow->work, force, NULL);
        total[0] += force[0];
        total[1] += force[1];
    }
    SAB_ASSERT_CLOSE(total[0], 0.3, 1e-10);
    SAB_ASSERT_CLOSE(total[1], -1.0, 1e-10);
    printf("\n    sum of forces - weight: %.0e %.0e; norm of r W %.6f", total[0] - 0.3,
           total[1] + 1.0, norm_of_step(flow->program));
    CU_ASSERT(norm_of_step(flow->program) < 1.0 + 1e-12);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"orders: p2 on split meshes", test_alfeld},
        {"orders: p2b on meshes as they are", test_bubbles},
        {"orders: the plain pair (printed only)", test_plain},
        {"p2b with MUMPS", test_mumps},
        {"p2b reproduces the film", test_film},
        {"p2b: exact balance of forces, step 1 is safe", test_balance},
    };

    return SAB_TEST_MAIN("flow/stokes", tests);
}

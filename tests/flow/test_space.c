/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flow in space against exact solutions [docs/theory.md, 4.11 and 8]: Stokes flow has its orders,
 * the granular film comes out in any frame, the Bingham duct has its discharge, and a plane flow
 * between slip planes is the flow of the plane. */
#include "unit.h"

#include "base/memory.h"
#include "fem/exact.h"
#include "flow/flow.h"
#include "grid.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef double (*field)(const double *x);

static sab_status call(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = (*(const field *)data)((const double[3]){at->x, at->y, at->z});
    return SAB_OK;
}

#define FUNCTION(name)                                                                             \
    (sab_function)                                                                                 \
    {                                                                                              \
        .call = call, .data = (void *)&name##_field                                                \
    }
#define FIELD(name, formula)                                                                       \
    static double name(const double *at)                                                           \
    {                                                                                              \
        const double x = at[0], y = at[1], z = at[2];                                              \
                                                                                                   \
        (void)x, (void)y, (void)z;                                                                 \
        return formula;                                                                            \
    }                                                                                              \
    static const field name##_field = name;

/* A flow in a box: groups left, right, front, back, bottom, top, free of traction as made. */
typedef struct problem {
    sab_material material;
    sab_function gravity[3];
    sab_boundary boundary[6];
    sab_flow_setup setup; /* borrows the rest: never copy this struct */
} problem;
enum { LEFT, RIGHT, FRONT, BACK, BOTTOM, TOP };

static void make_problem(problem *p, const sab_mesh *mesh)
{
    static char names[6][8] = {"left", "right", "front", "back", "bottom", "top"};

    memset(p, 0, sizeof *p);
    p->material.bulk = 1.0;
    p->material.reynolds = sab_constant(1.0);
    for (int b = 0; b < 6; b++)
        p->boundary[b] = (sab_boundary){.group = names[b], .has_traction = true};
    p->setup = (sab_flow_setup){.mesh = mesh,
                                .element = &sab_element_p2nb,
                                .geometry = &sab_geometry_space,
                                .material = &p->material,
                                .gravity = p->gravity,
                                .nboundaries = 6,
                                .boundary = p->boundary,
                                .solver = sab_solver_options_default()};
}

static void hold(problem *p, int b, const sab_function u[3])
{
    p->boundary[b].has_traction = false;
    p->boundary[b].has_velocity = true;
    for (int i = 0; i < 3; i++) {
        p->boundary[b].prescribed[i] = true;
        p->boundary[b].velocity[i] = u != NULL ? u[i] : sab_constant(0.0);
    }
}

static void slip(problem *p, int b)
{
    p->boundary[b] = (sab_boundary){.group = p->boundary[b].group, .slip = true};
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
    CU_ASSERT_TRUE(report->converged);
    return flow;
}

/* u = (2 cos s, -cos s - sin t, -sin t), s = x + 2y + z, t = 2x - y + z, p = 3 + cos(x + 2y - z),
 * f = 6 u + grad p. */
FIELD(ux, 2.0 * cos(x + 2.0 * y + z))
FIELD(uy, -cos(x + 2.0 * y + z) - sin(2.0 * x - y + z))
FIELD(uz, -sin(2.0 * x - y + z))
FIELD(pressure_of, 3.0 + cos(x + 2.0 * y - z))
FIELD(fx, 6.0 * ux(at) - sin(x + 2.0 * y - z))
FIELD(fy, 6.0 * uy(at) - 2.0 * sin(x + 2.0 * y - z))
FIELD(fz, 6.0 * uz(at) + sin(x + 2.0 * y - z))
FIELD(tx, -2.0 * sin(x + 2.0 * y + z) - 2.0 * cos(2.0 * x - y + z))
FIELD(ty, sin(x + 2.0 * y + z))
FIELD(tz, -2.0 * cos(2.0 * x - y + z) - pressure_of(at))

/* L2 error of the P1 pressure, and its norm. */
static double pressure_error(const sab_flow *flow, const sab_function *p)
{
    const sab_space *space = flow->space;
    const double scale = sab_geometry_normal_scale(space->geometry);
    double sum = 0.0, size = 0.0;

    for (int q = 0; q < space->npoints; q++) {
        const sab_vars at = sab_vars_at(3, space->point + 3 * q, 0.0);
        double exact;

        sab_function_at(p, &at, &exact, NULL);
        sum += space->weight[q] * pow(flow->lambda[6 * q] / scale - exact, 2.0);
        size += space->weight[q] * exact * exact;
    }
    return sqrt(sum / size);
}

static void test_stokes(void)
{
    static const int cells[3] = {2, 3, 5};
    const sab_function u[3] = {FUNCTION(ux), FUNCTION(uy), FUNCTION(uz)}, p = FUNCTION(pressure_of);
    double e[3][3];

    for (int k = 0; k < 3; k++) {
        const int n = cells[k];
        const sab_box box = {{n, n, n}, {0, 0, 0}, {1, 1, 1}, 0.15, 0.0, {0, 0, 0}};
        sab_mesh *mesh = sab_grid_box(&box);
        sab_flow_report report;
        sab_error_norms norms;
        problem flowing;

        make_problem(&flowing, mesh);
        for (int b = 0; b < TOP; b++)
            hold(&flowing, b, u);
        memcpy(flowing.boundary[TOP].traction,
               (const sab_function[3]){FUNCTION(tx), FUNCTION(ty), FUNCTION(tz)},
               sizeof flowing.gravity);
        memcpy(flowing.gravity, (const sab_function[3]){FUNCTION(fx), FUNCTION(fy), FUNCTION(fz)},
               sizeof flowing.gravity);
        flowing.setup.solver.tolerance = 1e-7;
        sab_flow *flow = solve(&flowing.setup, &report);
        sab_exact_velocity(flow->space, flow->fields->velocity, u, 0.0, &norms, NULL);
        e[k][0] = norms.L2 / norms.exact_L2;
        e[k][1] = norms.H1 / norms.exact_H1;
        e[k][2] = pressure_error(flow, &p);
        printf("\n    %5d tetrahedra, %5d unknowns: u %.2e, grad u %.2e, p %.2e, %d its",
               mesh->nelements, flow->program->n, e[k][0], e[k][1], e[k][2],
               report.solve.work.outer);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
    double order[3];
    for (int i = 0; i < 3; i++)
        order[i] = log(e[1][i] / e[2][i]) / log((double)cells[2] / cells[1]);
    printf("\n    orders %.2f %.2f %.2f", order[0], order[1], order[2]);
    CU_ASSERT_TRUE(order[0] > 2.7 && order[1] > 1.7 && order[2] > 1.6);
}

/* A film on a slope of 30 degrees with friction 0.5, in a frame turned at random: `normal` and
 * `down` are those of the slope, c the height above it. */
static double frame[3][3]; /* rows: down the slope, across, normal */
static double height(const double *x)
{
    return frame[2][0] * x[0] + frame[2][1] * x[1] + frame[2][2] * x[2];
}
static double speed(const double *x)
{
    const double c = height(x), angle = acos(-1.0) / 6.0;

    return (sin(angle) - 0.5 * cos(angle)) * (c - 0.5 * c * c);
}
FIELD(film_x, speed((const double[3]){x, y, z}) * frame[0][0])
FIELD(film_y, speed((const double[3]){x, y, z}) * frame[0][1])
FIELD(film_z, speed((const double[3]){x, y, z}) * frame[0][2])
FIELD(film_p, (1.0 - height((const double[3]){x, y, z})) * cos(acos(-1.0) / 6.0))

static void test_film(void)
{
    const sab_box box = {{2, 1, 3}, {0, 0, 0}, {0.8, 0.5, 1}, 0.1, 0.0, {0.7, -0.4, 1.1}};
    const sab_function u[3] = {FUNCTION(film_x), FUNCTION(film_y), FUNCTION(film_z)};
    const sab_function p = FUNCTION(film_p);
    const double angle = acos(-1.0) / 6.0;
    sab_mesh *mesh = sab_grid_box(&box);
    sab_flow_report report;
    sab_error_norms norms;
    problem film;

    /* the frame of the box, by its far corners (the origin stays) */
    for (int i = 0; i < 3; i++) {
        const double axis[3] = {0.7, -0.4, 1.1};
        const double turn = sqrt(0.49 + 0.16 + 1.21);
        const double k[3] = {axis[0] / turn, axis[1] / turn, axis[2] / turn};

        for (int j = 0; j < 3; j++) { /* Rodrigues: rotation of e_i */
            const double cross = i == j ? 0.0 : ((j - i + 3) % 3 == 1 ? 1.0 : -1.0) * k[3 - i - j];

            frame[i][j] =
                cos(turn) * (i == j) + sin(turn) * cross + (1.0 - cos(turn)) * k[i] * k[j];
        }
    }
    make_problem(&film, mesh);
    film.material.friction = sab_constant(0.5);
    for (int b = 0; b < TOP; b++)
        hold(&film, b, u);
    for (int i = 0; i < 3; i++)
        film.gravity[i] = sab_constant(sin(angle) * frame[0][i] - cos(angle) * frame[2][i]);
    film.setup.solver.tolerance = 1e-7;
    film.setup.solver.max_iterations = 200;
    sab_flow *flow = solve(&film.setup, &report);
    sab_exact_velocity(flow->space, flow->fields->velocity, u, 0.0, &norms, NULL);
    const double pressure = pressure_error(flow, &p);
    printf("\n    %d tetrahedra: u %.1e, p %.1e, %d its", mesh->nelements,
           norms.L2 / norms.exact_L2, pressure, report.solve.work.outer);
    CU_ASSERT_TRUE(norms.L2 / norms.exact_L2 < 1e-6 && pressure < 1e-5);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* int u.n over the top of a mesh, with face functions. */
static double flux_up(const sab_flow *flow)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_quadrature *rule = sab_side_rule(mesh->cell);
    double Q = 0.0;

    for (int f = 0; f < mesh->nfacets; f++) {
        int index[SAB_SIDE_SHAPES];

        sab_element_side_index(flow->setup.element, mesh, f, index);
        for (int q = 0; q < rule->n; q++) {
            double value[SAB_SIDE_SHAPES];
            sab_p2_side p;
            const int n = sab_element_side_at(flow->setup.element, mesh, f, rule->xi[q], &p, value);

            for (int a = 0; a < n && p.normal_ds[2] > 0.5 * p.ds; a++)
                for (int i = 0; i < 3; i++)
                    Q += rule->weight[q] * value[a] * p.normal_ds[i] *
                         flow->fields->velocity[3 * index[a] + i];
        }
    }
    return Q;
}

/* Quarter of a square duct under a unit body force: Q of the whole from a fine computation of the
 * section alone, 0.286690 (Bi = 0.2) and 0.060741 (Bi = 0.4). */
static void test_duct(void)
{
    const double Bi[2] = {0.2, 0.4}, Q[2] = {0.286690, 0.060741};

    for (int k = 0; k < 2; k++) {
        const int n = 6;
        const sab_box box = {{n, n, 1}, {0, 0, 0}, {1, 1, 0.25}, 0.0, 0.0, {0, 0, 0}};
        sab_mesh *mesh = sab_grid_box(&box);
        sab_flow_report report;
        problem duct;

        make_problem(&duct, mesh);
        slip(&duct, LEFT);
        slip(&duct, FRONT);
        hold(&duct, RIGHT, NULL);
        hold(&duct, BACK, NULL);
        for (int b = BOTTOM; b <= TOP; b++) {
            duct.boundary[b].has_velocity = true;
            duct.boundary[b].prescribed[0] = duct.boundary[b].prescribed[1] = true;
            duct.boundary[b].traction[2] = sab_constant(b == BOTTOM ? 1.0 : -1.0);
        }
        duct.gravity[2] = sab_constant(1.0);
        duct.material.bingham = sab_constant(Bi[k]);
        duct.setup.solver.tolerance = 1e-5;
        sab_flow *flow = solve(&duct.setup, &report);
        const double found = 4.0 * flux_up(flow);
        printf("\n    Bi = %g, %d tetrahedra: Q = %.5f (%.5f), %d its", Bi[k], mesh->nelements,
               found, Q[k], report.solve.work.outer);
        CU_ASSERT_TRUE(fabs(found / Q[k] - 1.0) < (k == 0 ? 2e-3 : 1e-2));
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

/* Bingham flow between plates z = 0 and 1 under a body force along x, between slip planes in y: the
 * flow of the plane, with friction p instead of a yield stress as well. Half of the channel,
 * u = (1 - c)^2/2 - max(h - c, 0)^2/2, c the yield stress, h = 1 - z the distance from the middle.
 */
FIELD(plane_flow, 0.5 * (0.49 - pow(fmax(1.0 - z - 0.3, 0.0), 2.0)))
FIELD(shear_left, 1.0 - z)
FIELD(shear_right, z - 1.0)

static void test_between_planes(void)
{
    const sab_box box = {{2, 1, 10}, {0, 0, 0}, {0.4, 0.2, 1}, 0.0, 0.0, {0, 0, 0}};
    const sab_function u[3] = {FUNCTION(plane_flow), sab_constant(0.0), sab_constant(0.0)};
    sab_mesh *mesh = sab_grid_box(&box);

    for (int friction = 0; friction < 2; friction++) {
        sab_flow_report report;
        sab_error_norms norms;
        problem channel;

        make_problem(&channel, mesh);
        slip(&channel, FRONT);
        slip(&channel, BACK);
        slip(&channel, TOP);
        hold(&channel, BOTTOM, NULL);
        for (int b = LEFT; b <= RIGHT; b++) { /* pressure 1, and the shear of the flow */
            channel.boundary[b].traction[0] = sab_constant(b == LEFT ? 1.0 : -1.0);
            channel.boundary[b].traction[2] =
                b == LEFT ? FUNCTION(shear_right) : FUNCTION(shear_left);
        }
        channel.gravity[0] = sab_constant(1.0);
        channel.material.bingham = sab_constant(friction ? 0.0 : 0.3);
        channel.material.friction = sab_constant(friction ? 0.3 : 0.0);
        channel.setup.solver.tolerance = 1e-6;
        channel.setup.solver.max_iterations = 200;
        sab_flow *flow = solve(&channel.setup, &report);
        sab_exact_velocity(flow->space, flow->fields->velocity, u, 0.0, &norms, NULL);
        printf("\n    %s: u %.1e, %d its", friction ? "friction" : "yield stress",
               norms.L2 / norms.exact_L2, report.solve.work.outer);
        CU_ASSERT_TRUE(norms.L2 / norms.exact_L2 < 1e-4);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"orders of Stokes flow", test_stokes},
        {"granular film in a turned frame", test_film},
        {"Bingham duct", test_duct},
        {"plane flow between slip planes", test_between_planes},
    };

    return SAB_TEST_MAIN("flow/space", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls with friction against exact solutions [docs/theory.md, 4.13 and 8.5]. */
#include "problem.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/integral.h"
#include "flow/walls.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>

enum { BOTTOM, RIGHT, TOP, LEFT };

/* a + b y */
typedef struct linear {
    double a, b;
} linear;

static sab_status linear_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const linear *f = data;

    (void)err;
    *value = f->a + f->b * at->y;
    return SAB_OK;
}

static sab_function of_height(linear *f)
{
    return (sab_function){.call = linear_at, .data = f, .steady = true};
}

static void make_wall(problem *p, int b, double friction)
{
    p->boundary[b].has_traction = false;
    p->boundary[b].has_wall = true;
    p->boundary[b].wall.friction = sab_constant(friction);
}

static void solve_tightly(problem *p)
{
    p->setup.solver.tolerance = 1e-9;
    p->setup.solver.change_tolerance = 1e-9;
    p->setup.solver.max_iterations = 300;
}

/* Stress of a layer on a slope: sides carry shear s (1 - y) and pressure c (1 - y). */
typedef struct sides {
    linear pressure[2], shear[2];
} sides;

static void load_sides(problem *p, sides *of, double s, double c)
{
    for (int k = 0; k < 2; k++) {
        const double sign = k == 0 ? 1.0 : -1.0;
        sab_boundary *b = &p->boundary[k == 0 ? RIGHT : LEFT];

        of->pressure[k] = (linear){-sign * c, sign * c};
        of->shear[k] = (linear){sign * s, -sign * s};
        b->traction[0] = of_height(&of->pressure[k]);
        b->traction[1] = of_height(&of->shear[k]);
    }
}

static double speed_of(const sab_flow *flow, int i)
{
    const sab_mesh *mesh = flow->setup.mesh;
    double largest = 0.0;

    for (int a = 0; a < mesh->nnodes; a++)
        largest = fmax(largest, fabs(flow->fields->velocity[2 * a + i]));
    return largest;
}

/* A rigid slab on a slope of angle a after a step from rest: dt (sin a - mu_w cos a), or rest. */
static sab_flow *slide(problem *p, sides *of, const sab_mesh *mesh, double angle, double friction)
{
    const double dt = 0.1, held = fmin(sin(angle), friction * cos(angle));
    sab_flow *flow = NULL;
    sab_error err = {0};

    make_problem(p, mesh, dt, 1);
    p->material.reynolds = sab_constant(10.0);
    p->material.friction = sab_constant(0.9);
    p->gravity[0] = sab_constant(sin(angle));
    p->gravity[1] = sab_constant(-cos(angle));
    make_wall(p, BOTTOM, friction);
    load_sides(p, of, held, cos(angle));
    solve_tightly(p);
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p->setup, &flow, &err), SAB_OK);
    return flow;
}

static void test_slab(void)
{
    const double angle = 25.0 * 3.14159265358979 / 180.0, dt = 0.1;
    const double friction[] = {0.0, 0.2, 0.4, 0.999 * tan(angle), 1.001 * tan(angle), 0.6};
    const sab_grid grid = {6, 3, 0, 0, 2, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int i = 0; i < 6; i++) {
        const double exact = dt * fmax(0.0, sin(angle) - friction[i] * cos(angle));
        sab_flow_report report;
        sab_error err = {0};
        problem p;
        sides of;
        sab_flow *flow = slide(&p, &of, mesh, angle, friction[i]);

        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        double worst = 0.0;
        for (int a = 0; a < mesh->nnodes; a++)
            worst = fmax(worst, hypot(flow->fields->velocity[2 * a] - exact,
                                      flow->fields->velocity[2 * a + 1]));
        printf("  mu_w %.4f: error %.1e of %.6f, gap %.1e of walls %.1e, %d iterations\n",
               friction[i], worst, exact, report.solve.certificate.gap,
               report.solve.certificate.gap_wall, report.solve.work.outer);
        CU_ASSERT(worst < (exact > 0.0 ? 1e-6 * exact : 1e-8));
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* Without the shift of de Saxce the slab lifts off: v_N = mu_w |v_T|, with speed / (1 + mu_w^2). */
static void test_associated(void)
{
    const double angle = 25.0 * 3.14159265358979 / 180.0, dt = 0.1, mu = 0.2;
    const sab_grid grid = {6, 3, 0, 0, 2, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow_report report;
    sab_error err = {0};
    problem p;
    sides of;
    sab_flow *flow = slide(&p, &of, mesh, angle, mu);

    for (int i = 0; i < flow->walls->n; i++)
        flow->program->dilatancy[flow->space->npoints + i] = mu;
    CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
    const double u = speed_of(flow, 0), exact = dt * (sin(angle) - mu * cos(angle)) / (1 + mu * mu);
    printf("  u_y/u_x = %.7f, u_x %.7f exact %.7f\n", speed_of(flow, 1) / u, u, exact);
    SAB_ASSERT_CLOSE(speed_of(flow, 1) / u, mu, 1e-4);
    SAB_ASSERT_CLOSE(u / exact, 1.0, 1e-4);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* Shear of a layer 0 < y < 1 under the traction (T, -P) of its top, with drag beta and adhesion c
 * below: slip = max(0, T - c - mu_w P)/beta, u = U + slip + Re max(0, T - mu P) y. The top is held
 * at its height, the sides have the stress of simple shear, which says P where the layer flows. */
static void test_couette(void)
{
    static const struct {
        const char *name;
        double T, mu, mu_w, c, U;
    } regime[] = {{"slips and shears", 0.5, 0.3, 0.2, 0.1, 0.0},
                  {"sticks and shears", 0.5, 0.3, 0.6, 0.0, 0.0},
                  {"slips on a belt", 0.5, 0.3, 0.2, 0.0, 0.7},
                  {"sticks to a belt", 0.5, 0.3, 0.5, 0.1, -0.4}};
    const double P = 1.0, beta = 0.5, Re = 10.0;
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int i = 0; i < 4; i++) {
        const double T = regime[i].T, mu = regime[i].mu, U = regime[i].U;
        const double slip = fmax(0.0, T - regime[i].c - regime[i].mu_w * P) / beta;
        const double slope = Re * fmax(0.0, T - mu * P);
        double worst = 0.0;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        problem p;

        make_problem(&p, mesh, 0.0, 1);
        p.material.reynolds = sab_constant(Re);
        p.material.friction = sab_constant(mu);
        make_wall(&p, BOTTOM, regime[i].mu_w);
        p.boundary[BOTTOM].wall.adhesion = sab_constant(regime[i].c);
        p.boundary[BOTTOM].wall.drag = sab_constant(beta);
        p.boundary[BOTTOM].wall.has_speed = true; /* anticlockwise: along x below */
        p.boundary[BOTTOM].wall.speed = sab_constant(U);
        p.boundary[TOP].has_velocity = p.boundary[TOP].prescribed[1] = true;
        p.boundary[TOP].traction[0] = sab_constant(T);
        for (int k = 0; k < 2; k++) {
            const double sign = k == 0 ? 1.0 : -1.0;
            p.boundary[k == 0 ? RIGHT : LEFT].traction[0] = sab_constant(-sign * P);
            p.boundary[k == 0 ? RIGHT : LEFT].traction[1] = sab_constant(sign * T);
        }
        solve_tightly(&p);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
        for (int a = 0; a < mesh->nnodes; a++) {
            const double u = U + slip + slope * sab_mesh_x(mesh, a)[1];
            worst = fmax(
                worst, hypot(flow->fields->velocity[2 * a] - u, flow->fields->velocity[2 * a + 1]));
        }
        /* the power of the loads and of the belt is dissipated */
        const sab_wall_powers power = sab_flow_walls_powers(flow);
        double load = 0.0;
        for (size_t k = 0; k < sab_space_size(flow->space); k++)
            load += flow->load[k] * flow->fields->velocity[k];
        const double lost =
            sab_integral_of(flow->fields, SAB_INTEGRAL_VISCOUS_DISSIPATION, 0.0, NULL) +
            sab_integral_of(flow->fields, SAB_INTEGRAL_FRICTION_DISSIPATION, 0.0, NULL) +
            power.friction + power.drag;
        printf("  %-18s error %.1e, power %.9f + %.9f of the belt = %.9f, %d iterations\n",
               regime[i].name, worst, load, power.delivered, lost, report.solve.work.outer);
        CU_ASSERT(worst < 1e-8 * (fabs(U) + slip + slope));
        SAB_ASSERT_CLOSE((load + power.delivered) / lost, 1.0, 1e-8);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* A film on a slope with a slipping base: u = (sin - mu_w cos)/beta + Re (sin - mu cos)(y - y^2/2).
 */
static void test_film(void)
{
    const double angle = 0.5, mu = 0.3, mu_w = 0.2, beta = 0.4, Re = 10.0;
    const double s = sin(angle), c = cos(angle);
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    double worst = 0.0;
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};
    problem p;
    sides of;

    make_problem(&p, mesh, 0.0, 1);
    p.material.reynolds = sab_constant(Re);
    p.material.friction = sab_constant(mu);
    p.gravity[0] = sab_constant(s);
    p.gravity[1] = sab_constant(-c);
    make_wall(&p, BOTTOM, mu_w);
    p.boundary[BOTTOM].wall.drag = sab_constant(beta);
    p.boundary[TOP].has_velocity = p.boundary[TOP].prescribed[1] = true;
    load_sides(&p, &of, s, c);
    solve_tightly(&p);
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
    for (int a = 0; a < mesh->nnodes; a++) {
        const double y = sab_mesh_x(mesh, a)[1];
        const double u = (s - mu_w * c) / beta + Re * (s - mu * c) * (y - 0.5 * y * y);
        worst = fmax(worst,
                     hypot(flow->fields->velocity[2 * a] - u, flow->fields->velocity[2 * a + 1]));
    }
    printf("  error %.1e, %d iterations\n", worst, report.solve.work.outer);
    CU_ASSERT(worst < 1e-8);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* Grains at rest in a box of walls with friction, open or closed above: the forces on the walls are
 * the weight, and in each corner two points keep them apart. */
static void test_box(void)
{
    const sab_grid grid = {6, 6, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int closed = 0; closed < 2; closed++) {
        double force[2] = {0.0}, sum[2] = {0.0}, *work;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        int corners = 0;
        problem p;

        make_problem(&p, mesh, 0.1, 1);
        p.material.reynolds = sab_constant(10.0);
        p.material.friction = sab_constant(0.5);
        p.gravity[1] = sab_constant(-1.0);
        for (int b = 0; b < 4; b++)
            if (b != TOP || closed)
                make_wall(&p, b, 0.3);
        solve_tightly(&p);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        work = sab_alloc(sab_space_size(flow->space), sizeof *work);
        const sab_balance balance = {flow->dofs, p.boundary, flow->group, flow->time, flow->load};
        for (int b = 0; b < 4; b++) {
            CU_ASSERT_EQUAL(
                sab_fields_force(flow->fields, &balance, b, SAB_FORCE_TOTAL, work, force, &err),
                SAB_OK);
            sum[0] += force[0];
            sum[1] += force[1];
        }
        for (int i = 0; i < flow->walls->n; i++)
            for (int j = 0; j < i; j++)
                corners += flow->walls->point[i].place[0] == flow->walls->point[j].place[0];
        printf("  closed %d: speed %.1e, force (%.1e, %.10f), %d corners\n", closed,
               fmax(speed_of(flow, 0), speed_of(flow, 1)), sum[0], sum[1], corners);
        CU_ASSERT(fmax(speed_of(flow, 0), speed_of(flow, 1)) < 1e-8);
        CU_ASSERT(fabs(sum[1] + 1.0) < 1e-7 && fabs(sum[0]) < 1e-7);
        CU_ASSERT_EQUAL(corners, closed ? 4 : 2);
        SAB_FREE(work);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* The ledger of energy closes with moving walls, drag, prescribed velocities and adhesion. */
static void test_ledger(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int variant = 0; variant < 4; variant++) {
        sab_flow *flow = NULL;
        sab_error err = {0};
        double worst = 0.0, walls = 0.0;
        problem p;

        make_problem(&p, mesh, 0.1, 1 + variant % 2);
        p.setup.element = variant >= 2 ? &sab_element_p2b : &sab_element_p2;
        p.setup.viscosity_iterations = 20;
        p.material.reynolds = sab_constant(50.0);
        p.material.friction = sab_constant(0.4);
        p.material.has_mu_i = variant == 3;
        p.material.mu_i = (sab_mu_i){.resting = 0.2, .flowing = 0.6, .I0 = 0.3, .grain = 0.1};
        p.gravity[1] = sab_constant(-1.0);
        make_wall(&p, BOTTOM, 0.3);
        p.boundary[BOTTOM].wall.drag = sab_constant(0.2);
        p.boundary[BOTTOM].wall.adhesion = sab_constant(0.05);
        p.boundary[BOTTOM].wall.has_velocity = true;
        p.boundary[BOTTOM].wall.velocity[0] = sab_constant(0.4);
        p.boundary[BOTTOM].wall.velocity[1] = sab_constant(0.9); /* does not count */
        make_wall(&p, LEFT, 0.2);
        hold_side(&p, RIGHT, -0.05);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        for (int k = 0; k < 5; k++) {
            sab_flow_report report;

            CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
            worst = fmax(worst, fabs(report.ledger.defect) /
                                    fmax(report.ledger.energy, fabs(report.ledger.walls)));
            walls += report.ledger.walls;
        }
        printf("  variant %d: defect %.1e, power of walls %.4f\n", variant, worst, walls);
        CU_ASSERT(worst < 1e-8 && walls > 0.0);
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* Friction alone does not hold a creeping flow. */
static void test_refused(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_flow *flow = NULL;
    sab_error err = {0};
    problem p;

    make_problem(&p, mesh, 0.0, 1);
    p.material.reynolds = sab_constant(1.0);
    make_wall(&p, BOTTOM, 0.3);
    make_wall(&p, LEFT, 0.3);
    make_wall(&p, RIGHT, 0.3);
    CU_ASSERT_EQUAL(sab_flow_create(&p.setup, &flow, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "inertia"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "drag"));
    for (int b = 0; b < 4; b++) /* now it is held, by walls that meet at an angle */
        p.boundary[b].wall.drag = sab_constant(b == TOP ? 0.0 : 0.1);
    CU_ASSERT_EQUAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* c r */
static sab_status radial_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = *(const double *)data * at->x;
    return SAB_OK;
}

/* Flow down a pipe of radius 1 under a pressure P, with shear stress r/2: slip
 * (1/2 - mu_w P)/beta, and Re (s(1) - s(r)), s = (r - 2 mu P)^2/4 beyond the plug. */
static void test_pipe(void)
{
    const double P = 1.25, beta = 0.4, Re = 10.0, mu_w = 0.2;
    const sab_grid grid = {4, 3, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int plug = 0; plug < 2; plug++) {
        const double mu = plug ? 0.2 : 0.0, slip = (0.5 - mu_w * P) / beta, rp = 2.0 * mu * P;
        double up = 0.5, down = -0.5, worst = 0.0;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        problem p;

        make_problem(&p, mesh, 0.0, 1);
        p.setup.geometry = &sab_geometry_axisymmetric;
        p.material.reynolds = sab_constant(Re);
        p.material.friction = sab_constant(mu);
        p.gravity[1] = sab_constant(-1.0);
        make_wall(&p, RIGHT, mu_w);
        p.boundary[RIGHT].wall.drag = sab_constant(beta);
        p.boundary[LEFT] = (sab_boundary){.group = p.boundary[LEFT].group, .slip = true};
        p.boundary[TOP].traction[0] =
            (sab_function){.call = radial_at, .data = &up, .steady = true};
        p.boundary[TOP].traction[1] = sab_constant(-P);
        p.boundary[BOTTOM].traction[0] =
            (sab_function){.call = radial_at, .data = &down, .steady = true};
        p.boundary[BOTTOM].traction[1] = sab_constant(P);
        solve_tightly(&p);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
        for (int a = 0; a < mesh->nnodes; a++) {
            const double r = sab_mesh_x(mesh, a)[0], s = fmax(0.0, r - rp);
            const double u = -slip - Re * 0.25 * ((1.0 - rp) * (1.0 - rp) - s * s);
            worst = fmax(
                worst, hypot(flow->fields->velocity[2 * a], flow->fields->velocity[2 * a + 1] - u));
        }
        printf("  mu %.1f: error %.1e, %d iterations\n", mu, worst, report.solve.work.outer);
        CU_ASSERT(worst < (plug ? 1e-5 : 1e-8));
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* A conical vessel at rest: its walls carry the weight of one radian. */
static void test_cone(void)
{
    const sab_grid grid = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    double sum = 0.0, weight = 0.0, force[2], *work;
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};
    problem p;

    for (int a = 0; a < mesh->nnodes; a++)
        mesh->x[2 * a] *= 0.4 + 0.6 * mesh->x[2 * a + 1];
    make_problem(&p, mesh, 0.1, 1);
    p.setup.geometry = &sab_geometry_axisymmetric;
    p.material.reynolds = sab_constant(10.0);
    p.material.friction = sab_constant(0.5);
    p.gravity[1] = sab_constant(-1.0);
    make_wall(&p, RIGHT, 0.3);
    make_wall(&p, BOTTOM, 0.3);
    p.boundary[LEFT] = (sab_boundary){.group = p.boundary[LEFT].group, .slip = true};
    solve_tightly(&p);
    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
    work = sab_alloc(sab_space_size(flow->space), sizeof *work);
    const sab_balance balance = {flow->dofs, p.boundary, flow->group, flow->time, flow->load};
    for (int b = 0; b < 4; b++) {
        CU_ASSERT_EQUAL(
            sab_fields_force(flow->fields, &balance, b, SAB_FORCE_TOTAL, work, force, &err),
            SAB_OK);
        sum += force[1];
    }
    for (int q = 0; q < flow->space->npoints; q++)
        weight += flow->space->weight[q];
    printf("  speed %.1e, force %.10f of %.10f\n", fmax(speed_of(flow, 0), speed_of(flow, 1)), -sum,
           weight);
    CU_ASSERT(fmax(speed_of(flow, 0), speed_of(flow, 1)) < 1e-8);
    SAB_ASSERT_CLOSE(-sum / weight, 1.0, 1e-7);
    SAB_FREE(work);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

/* a + b z */
static sab_status height_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const linear *f = data;

    (void)err;
    *value = f->a + f->b * at->z;
    return SAB_OK;
}

/* The slab in space, between slip walls. */
static void test_slab_in_space(void)
{
    static char names[6][8] = {"left", "right", "front", "back", "bottom", "top"};
    const double angle = 25.0 * 3.14159265358979 / 180.0, dt = 0.1;
    const sab_box box = {{3, 2, 2}, {0, 0, 0}, {1.5, 1, 1}, 0.1, 0.0, {0}};
    sab_mesh *mesh = sab_grid_box(&box);

    for (int k = 0; k < 2; k++) {
        const double mu_w = k == 0 ? 0.2 : 0.6, s = fmin(sin(angle), mu_w * cos(angle));
        const double exact = dt * fmax(0.0, sin(angle) - mu_w * cos(angle)), c = cos(angle);
        linear load[4] = {{c, -c}, {-s, s}, {-c, c}, {s, -s}};
        sab_boundary boundary[6];
        const sab_material material = {
            .bulk = 1.0, .reynolds = sab_constant(10.0), .friction = sab_constant(0.8)};
        const sab_function gravity[3] = {sab_constant(sin(angle)), sab_constant(0.0),
                                         sab_constant(-c)};
        sab_flow_setup setup = {.mesh = mesh,
                                .element = &sab_element_p2nb,
                                .geometry = &sab_geometry_space,
                                .material = &material,
                                .gravity = gravity,
                                .nboundaries = 6,
                                .boundary = boundary,
                                .solver = sab_solver_options_default(),
                                .dt = dt,
                                .order = 1};
        double worst = 0.0;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};

        for (int b = 0; b < 6; b++)
            boundary[b] = (sab_boundary){.group = names[b],
                                         .has_traction = b < 2 || b == 5,
                                         .slip = b == 2 || b == 3,
                                         .has_wall = b == 4};
        for (int i = 0; i < 4; i++)
            boundary[i / 2].traction[i % 2 == 0 ? 0 : 2] =
                (sab_function){.call = height_at, .data = &load[i], .steady = true};
        boundary[4].wall.friction = sab_constant(mu_w);
        setup.solver.tolerance = setup.solver.change_tolerance = 1e-8;
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
        for (int a = 0; a < 3 * mesh->nnodes; a++)
            worst = fmax(worst, fabs(flow->fields->velocity[a] - (a % 3 == 0 ? exact : 0.0)));
        printf("  mu_w %.1f: error %.1e of %.6f, %d iterations\n", mu_w, worst, exact,
               report.solve.work.outer);
        CU_ASSERT(worst < (exact > 0.0 ? 1e-6 * exact : 1e-8));
        sab_flow_destroy(&flow);
    }
    sab_mesh_destroy(&mesh);
}

/* A Newtonian flow that slips along a wall whose friction is just that of its shear stress:
 *     psi = y + y^2 c(x)/2, c = 1 + sin(pi x)/2, u = (psi_y, -psi_x), p = 3 + cos(pi x) (1 - y). */
typedef enum datum { U_X, U_Y, F_X, F_Y, T_X, T_Y, FRICTION, DATA } datum;

static double manufactured(datum which, double x, double y)
{
    const double pi = 3.14159265358979, c = 1.0 + 0.5 * sin(pi * x), dc = 0.5 * pi * cos(pi * x);
    const double ddc = -0.5 * pi * pi * sin(pi * x), dddc = -0.5 * pi * pi * pi * cos(pi * x);
    const double p = 3.0 + cos(pi * x) * (1.0 - y), shear = c - 0.5 * y * y * ddc;

    switch (which) {
    case U_X:
        return 1.0 + y * c;
    case U_Y:
        return -0.5 * y * y * dc;
    case F_X: /* - lap u + grad p */
        return -y * ddc - pi * sin(pi * x) * (1.0 - y);
    case F_Y:
        return 0.5 * y * y * dddc + dc - cos(pi * x);
    case T_X: /* of the top */
        return shear;
    case T_Y:
        return -2.0 * y * dc - p;
    default:
        return shear / p;
    }
}

static sab_status manufactured_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = manufactured(*(const datum *)data, at->x, at->y);
    return SAB_OK;
}

static void test_manufactured(void)
{
    static datum names[DATA] = {U_X, U_Y, F_X, F_Y, T_X, T_Y, FRICTION};
    double normal[3], shear[3], velocity[3];

    for (int k = 0; k < 3; k++) {
        const int n = 4 << k;
        const sab_grid grid = {n, n, 0, 0, 1, 1, 0.0, 0.0, 0.0};
        sab_mesh *coarse = sab_grid_create(&grid), *mesh = NULL;
        sab_function f[DATA];
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        problem p;
        double area = 0.0;

        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &mesh, &err), SAB_OK);
        for (int i = 0; i < DATA; i++)
            f[i] = (sab_function){.call = manufactured_at, .data = &names[i], .steady = true};
        make_problem(&p, mesh, 0.0, 1);
        p.material.reynolds = sab_constant(1.0);
        make_wall(&p, BOTTOM, 0.0);
        p.boundary[BOTTOM].wall.friction = f[FRICTION];
        for (int i = 0; i < 2; i++) {
            hold_side(&p, i == 0 ? RIGHT : LEFT, 0.0);
            p.boundary[TOP].traction[i] = f[T_X + i];
            p.gravity[i] = f[F_X + i];
            for (int j = 0; j < 2; j++)
                p.boundary[i == 0 ? RIGHT : LEFT].velocity[j] = f[U_X + j];
        }
        solve_tightly(&p);
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
        normal[k] = shear[k] = velocity[k] = 0.0;
        for (int i = 0; i < flow->walls->n; i++) {
            const sab_wall_point *at = &flow->walls->point[i];
            const double mu = manufactured(FRICTION, at->x[0], 0.0);
            const double r = manufactured(T_X, at->x[0], 0.0);

            area += at->weight;
            normal[k] += at->weight * pow(flow->traction[2 * i] - r / mu, 2);
            shear[k] += at->weight * pow(flow->traction[2 * i + 1] + r, 2);
        }
        normal[k] = sqrt(normal[k] / area);
        shear[k] = sqrt(shear[k] / area);
        for (int a = 0; a < mesh->nnodes; a++) {
            const double *x = sab_mesh_x(mesh, a), *u = flow->fields->velocity + 2 * a;

            velocity[k] = fmax(velocity[k], hypot(u[0] - manufactured(U_X, x[0], x[1]),
                                                  u[1] - manufactured(U_Y, x[0], x[1])));
        }
        printf("  n = %2d: r_N %.2e, r_T %.2e, u %.2e, gap %.1e\n", n, normal[k], shear[k],
               velocity[k], report.solve.certificate.gap);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
        sab_mesh_destroy(&coarse);
    }
    CU_ASSERT(normal[0] / normal[2] > 12.0 && shear[0] / shear[2] > 12.0);
    CU_ASSERT(velocity[0] / velocity[2] > 12.0);
}

static const sab_test tests[] = {
    {"a slab slides or rests", test_slab},
    {"an associated wall opens", test_associated},
    {"shear along a wall", test_couette},
    {"a film on a slope", test_film},
    {"a box at rest", test_box},
    {"the ledger of energy", test_ledger},
    {"a pipe with slip", test_pipe},
    {"a conical vessel at rest", test_cone},
    {"a slab in space", test_slab_in_space},
    {"order of tractions", test_manufactured},
    {"friction alone holds nothing", test_refused},
};

int main(void)
{
    return SAB_TEST_MAIN("flow/walls", tests);
}

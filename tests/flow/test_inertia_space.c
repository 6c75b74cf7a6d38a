/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inertial flow about an axis and in space: free fall, the energies of a step, what leaves through
 * open sides, orders in time. */
#include "unit.h"

#include "base/memory.h"
#include "flow/inertia.h"
#include "grid.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SIDES = 6, GEOMETRIES = 4 }; /* plane, the two elements about an axis, space */

typedef struct problem {
    sab_mesh *mesh;
    sab_material material;
    sab_function gravity[SAB_DIM], initial[SAB_DIM];
    sab_boundary boundary[SIDES];
    sab_flow_setup setup; /* borrows the rest: never copy this struct */
} problem;

static bool in_space(int geometry)
{
    return geometry == GEOMETRIES - 1;
}

/* [low, high]^dim, from r = 0 about an axis; all sides free of traction. */
static void make_problem(problem *p, int geometry, int n, double low, double high, double bulge)
{
    static char name[SIDES][8] = {"left", "right", "bottom", "top", "front", "back"};
    static const sab_geometry *const all[GEOMETRIES] = {
        &sab_geometry_plane, &sab_geometry_axisymmetric, &sab_geometry_axisymmetric,
        &sab_geometry_space};
    const double left = all[geometry]->axis ? 0.0 : low;

    memset(p, 0, sizeof *p);
    p->mesh =
        in_space(geometry)
            ? sab_grid_box(&(sab_box){{n, n, n},
                                      {low, low, low},
                                      {high, high, high},
                                      0.1,
                                      0.5 * bulge,
                                      {0.0, 0.0, 0.0}})
            : sab_grid_create(&(sab_grid){2 * n, 2 * n, left, low, high, high, 0.1, bulge, 0.0});
    p->material.bulk = 1.0;
    p->material.reynolds = sab_constant(50.0);
    for (int b = 0; b < SIDES; b++)
        p->boundary[b] = (sab_boundary){.group = name[b], .has_traction = true};
    p->setup = (sab_flow_setup){.mesh = p->mesh,
                                .element = in_space(geometry) ? &sab_element_p2nb
                                           : geometry == 2    ? &sab_element_p2b
                                                              : &sab_element_p2,
                                .geometry = all[geometry],
                                .material = &p->material,
                                .gravity = p->gravity,
                                .nboundaries = in_space(geometry) ? SIDES : 4,
                                .boundary = p->boundary,
                                .solver = sab_solver_options_default(),
                                .order = 1,
                                .initial = p->initial};
}

enum { LEFT, RIGHT, BOTTOM, TOP, FRONT, BACK };

static void slip(problem *p, int b)
{
    p->boundary[b] = (sab_boundary){.group = p->boundary[b].group, .slip = true};
}

static void hold(problem *p, int b)
{
    p->boundary[b].has_traction = false;
    p->boundary[b].has_velocity = true;
    for (int i = 0; i < SAB_DIM; i++)
        p->boundary[b].prescribed[i] = true;
}

static sab_flow *start(const problem *p)
{
    sab_flow *flow = NULL;
    sab_error err = {0};

    if (sab_flow_create(&p->setup, &flow, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("no flow");
    }
    return flow;
}

static void step(sab_flow *flow, sab_flow_report *report)
{
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, report, &err), SAB_OK);
}

/* A tube with a slip wall, or a box that nothing holds: everything has u = u0 + g t, whatever the
 * strength and the order, if what takes its place above comes with its velocity for nothing. */
static void test_free_fall(void)
{
    for (int g = 0; g < GEOMETRIES; g++)
        for (int order = 1; order <= 2; order++) {
            problem p;
            sab_flow_report report;

            /* on curved elements the rules of mass and load differ, but for p2 */
            make_problem(&p, g, 2, -1.0, 1.0, g < 2 ? 0.04 : 0.0);
            const int dim = p.mesh->cell->dim, down = dim - 1;
            p.setup.dt = 0.3;
            p.setup.order = order;
            p.setup.free_inflow = true;
            p.setup.solver.tolerance = 1e-8;
            p.material.reynolds = sab_constant(INFINITY);
            p.material.friction = sab_constant(0.4);
            p.gravity[down] = sab_constant(-1.0);
            p.initial[0] = sab_constant(p.setup.geometry->axis ? 0.0 : 0.7);
            if (p.setup.geometry->axis)
                slip(&p, RIGHT);
            sab_flow *flow = start(&p);
            for (int k = 0; k < 4; k++) {
                step(flow, &report);
                CU_ASSERT(report.converged);
            }
            double worst = 0.0;
            for (int i = 0; i < (int)sab_space_size(flow->space); i++) {
                const double u = i >= dim * p.mesh->nnodes ? 0.0 /* bubbles */
                                 : i % dim == down         ? -1.2
                                 : i % dim == 0            ? p.initial[0].constant
                                                           : 0.0;

                worst = fmax(worst, fabs(flow->fields->velocity[i] - u));
            }
            printf("  %s %s, order %d: error %.1e\n", p.setup.geometry->name, p.setup.element->name,
                   order, worst);
            CU_ASSERT(worst < 1e-9);
            CU_ASSERT(!p.setup.geometry->axis || flow->inertia->report.left > 0);
            CU_ASSERT_EQUAL(flow->inertia->report.clamped, 0);
            sab_flow_destroy(&flow);
            sab_mesh_destroy(&p.mesh);
        }
}

static double size_of(const sab_ledger *l)
{
    return fmax(l->energy, fabs(l->gravity) + fabs(l->traction) + fabs(l->walls));
}

/* Smooth, from a corner of the box to the opposite one, in a way of its own for each component. */
static sab_status stir(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double k = *(const double *)data;

    (void)err;
    *value = at->x * (0.3 * sin(k + 2.0 * at->x - at->y + 3.0 * at->z) +
                      0.2 * cos(2.0 * k * at->y + at->x * at->z));
    return SAB_OK;
}

/* Grains in a vessel that is open above and pressed there, whose floor moves, or turns inwards; the
 * energies of a step close to rounding whatever the tolerance of the solve. */
static void test_ledger_closes(void)
{
    static double phase[SAB_DIM] = {0.3, 1.1, 2.3};

    for (int g = 0; g < GEOMETRIES; g++)
        for (int order = 1; order <= 2; order++)
            for (int curved = 0; curved < 2; curved++) {
                sab_ledger sum = {0};
                double worst = 0.0;
                problem p;

                make_problem(&p, g, 2, 0.0, 1.0, 0.06 * curved);
                const int dim = p.mesh->cell->dim;
                p.setup.dt = 0.1;
                p.setup.order = order;
                p.material.friction = sab_constant(0.4);
                p.gravity[dim - 1] = sab_constant(-1.0);
                for (int i = 0; i < dim; i++)
                    p.initial[i] = (sab_function){.call = stir, .data = &phase[i]};
                hold(&p, RIGHT);
                if (in_space(g))
                    slip(&p, FRONT);
                else if (!p.setup.geometry->axis)
                    slip(&p, LEFT);
                hold(&p, BOTTOM);
                p.boundary[BOTTOM].velocity[dim - 1] = sab_constant(0.1); /* it feeds */
                p.boundary[TOP].has_pressure = true;
                p.boundary[TOP].pressure = sab_constant(0.2);
                sab_flow *flow = start(&p);
                for (int k = 0; k < 3; k++) {
                    sab_flow_report report;

                    step(flow, &report);
                    worst = fmax(worst, fabs(report.ledger.defect) / size_of(&report.ledger));
                    CU_ASSERT(report.ledger.energy > 0.0 && report.ledger.loss >= 0.0);
                    CU_ASSERT(report.ledger.viscous >= 0.0 && report.ledger.inflow >= -1e-12);
                    sab_ledger_add(&sum, &report.ledger);
                }
                printf("  %s %s, order %d, curved %d: defect %.1e; in %.2e, out %.2e\n",
                       p.setup.geometry->name, p.setup.element->name, order, curved, worst, sum.in,
                       sum.out);
                CU_ASSERT(worst < 1e-12);
                CU_ASSERT(sum.walls != 0.0 && sum.traction != 0.0 && sum.in > 0.0 && sum.out > 0.0);
                sab_flow_destroy(&flow);
                sab_mesh_destroy(&p.mesh);
            }
}

static const double ALPHA = 0.8;

static sab_status expand(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const int i = *(const int *)data;

    (void)err;
    *value = ALPHA * (i == 0 ? at->x : i == 1 ? at->y : at->z);
    return SAB_OK;
}

/* u = a x on [-1,1]^d: the side a step behind is the side times q = 1 - a dt, so that what leaves
 * is by the trapezoidal rule dt/2 (1 + q^(d+1)) of the flux of energy, 1/2 a^3 oint |x|^2 x.n: the
 * energy there has q^2, the flux of u through the side q^(d-1), d = 3 about an axis too. */
static void test_expansion(void)
{
    static int axis[SAB_DIM] = {0, 1, 2};
    /* plane: 4 sides of int 1 + y^2 = 8/3; axis: int 1 + z^2 = 8/3, 2 int (1 + r^2) r = 3/2;
     * space: 6 sides of int 1 + y^2 + z^2 = 20/3 */
    static const double flux[GEOMETRIES] = {32.0 / 3, 25.0 / 6, 25.0 / 6, 40.0};

    for (int g = 0; g < GEOMETRIES; g++) {
        sab_flow_report report;
        problem p;

        make_problem(&p, g, 2, -1.0, 1.0, 0.0);
        const int dim = p.mesh->cell->dim;
        const double dt = 0.1, q = 1.0 - ALPHA * dt;
        p.setup.dt = dt;
        for (int i = 0; i < dim; i++)
            p.initial[i] = (sab_function){.call = expand, .data = &axis[i]};
        sab_flow *flow = start(&p);
        step(flow, &report);
        CU_ASSERT_EQUAL(report.retries, 0);
        SAB_ASSERT_CLOSE(report.ledger.out / (0.5 * pow(ALPHA, 3.0) * flux[g] * 0.5 * dt),
                         1.0 + pow(q, p.setup.geometry->d + 1.0), 1e-12);
        CU_ASSERT_EQUAL(report.ledger.in, 0.0);
        /* div u = d a: dt d a times the energy before */
        const double before = report.ledger.energy - report.ledger.gain;
        SAB_ASSERT_CLOSE(report.ledger.dilation / (p.setup.geometry->d * ALPHA * dt * before), 1.0,
                         1e-12);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&p.mesh);
    }
}

/* --- orders in time ----------------------------------------------------------------------------
 */

/* The turn of a ball about an axis, at the rate w(t), and what drives it: Du/Dt. */
static const double turn[SAB_DIM] = {0.3, -0.2, 1.0};

static double rate(double t)
{
    return 0.5 + 0.2 * sin(2.0 * t);
}

static double cross(const double *a, const double *b, int i)
{
    const int j = (i + 1) % SAB_DIM, k = (i + 2) % SAB_DIM;

    return a[j] * b[k] - a[k] * b[j];
}

static sab_status velocity(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = rate(at->t) * cross(turn, (const double[]){at->x, at->y, at->z}, *(const int *)data);
    return SAB_OK;
}

static sab_status acceleration(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const double x[SAB_DIM] = {at->x, at->y, at->z}, w = rate(at->t);
    const double v[SAB_DIM] = {cross(turn, x, 0), cross(turn, x, 1), cross(turn, x, 2)};
    const int i = *(const int *)data;

    (void)err;
    *value = 0.4 * cos(2.0 * at->t) * v[i] + w * w * cross(turn, v, i);
    return SAB_OK;
}

/* Largest error at the nodes of a ball of curved tetrahedra that its wall turns. The velocity is in
 * the space, and feet leave the ball by dt^2 only: all error is of the time steps. */
static double ball_error(sab_mesh *mesh, double dt, int order, double end)
{
    static int axis[SAB_DIM] = {0, 1, 2};
    static char wall[] = "wall";
    double worst = 0.0;
    problem p = {.material = {.bulk = 1.0, .reynolds = sab_constant(20.0)}};

    p.boundary[0].group = wall;
    hold(&p, 0);
    for (int i = 0; i < SAB_DIM; i++) {
        p.initial[i] = p.boundary[0].velocity[i] =
            (sab_function){.call = velocity, .data = &axis[i]};
        p.gravity[i] = (sab_function){.call = acceleration, .data = &axis[i]};
    }
    p.setup = (sab_flow_setup){.mesh = mesh,
                               .element = &sab_element_p2nb,
                               .geometry = &sab_geometry_space,
                               .material = &p.material,
                               .gravity = p.gravity,
                               .nboundaries = 1,
                               .boundary = p.boundary,
                               .solver = sab_solver_options_default(),
                               .order = order,
                               .dt = dt,
                               .initial = p.initial};
    p.setup.solver.tolerance = 1e-9;
    sab_flow *flow = start(&p);
    for (int k = 0; k < (int)round(end / dt); k++) {
        sab_flow_report report;

        step(flow, &report);
        CU_ASSERT(report.converged && report.retries == 0);
    }
    for (int n = 0; n < mesh->nnodes; n++)
        for (int i = 0; i < SAB_DIM; i++) {
            const sab_vars at = sab_vars_at(SAB_DIM, sab_mesh_x(mesh, n), end);
            double u;

            velocity(&axis[i], &at, &u, NULL);
            worst = fmax(worst, fabs(flow->fields->velocity[SAB_DIM * n + i] - u));
        }
    sab_flow_destroy(&flow);
    return worst;
}

static void test_orders(void)
{
    const sab_mesh_parameter size[] = {{"h", 0.8}};
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_mesh_read("tests/mesh/data/ball.geo", SAB_DIM, 1, size, &mesh, &err),
                          SAB_OK);
    for (int order = 1; order <= 2; order++) {
        const double coarse = ball_error(mesh, 0.05, order, 0.4);
        const double fine = ball_error(mesh, 0.025, order, 0.4), seen = log2(coarse / fine);

        printf("  order %d: %.3e %.3e, %.2f\n", order, coarse, fine, seen);
        CU_ASSERT(fine > 1e-8 && seen > order - 0.25);
    }
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"free fall", test_free_fall},
                                     {"the ledger closes", test_ledger_closes},
                                     {"what leaves an expansion", test_expansion},
                                     {"orders in time", test_orders}};

    return SAB_TEST_MAIN("flow/inertia, axis and space", tests);
}

/* Inertial flow about an axis and in space: free fall, the energies of a step, what leaves through
 * open sides, orders in time. */
#include "unit.h"

#include "base/memory.h"
#include "flow/inertia.h"
#include "grid.h"

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

            make_problem(&p, g, 2, -1.0, 1.0, 0.04);
            const int dim = p.mesh->cell->dim, down = dim - 1;
            p.setup.step = 0.3;
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
            for (int i = 0; i < dim * p.mesh->nnodes; i++)
                CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[i],
                                       i % dim == down ? -1.2
                                       : i % dim == 0  ? p.initial[0].constant
                                                       : 0.0,
                                       1e-9);
            for (size_t i = (size_t)(dim * p.mesh->nnodes); i < sab_space_size(flow->space); i++)
                CU_ASSERT_DOUBLE_EQUAL(flow->fields->velocity[i], 0.0, 1e-9);
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
                p.setup.step = 0.1;
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
                p.boundary[RIGHT].over = NULL;
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

        make_problem(&p, g, 2, -1.0, 1.0, 0.04);
        const int dim = p.mesh->cell->dim;
        const double dt = 0.1, q = 1.0 - ALPHA * dt;
        p.setup.step = dt;
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
                         p.setup.geometry->degree > 0 || in_space(g) ? 2e-2 : 2e-2);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&p.mesh);
    }
}

/* --- orders in time ----------------------------------------------------------------------------
 */

#define PI 3.14159265358979323846

/* A vortex in [0,1]^2 or, with another along z, in [0,1]^3, that swings with time: no flow through
 * the sides. */
static sab_status whirl(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const int i = *(const int *)data;
    const double x = PI * at->x, y = PI * at->y, z = PI * at->z, c = cos(2.0 * at->t);

    (void)err;
    *value = i == 0   ? c * sin(x) * cos(y) + c * sin(x) * cos(z)
             : i == 1 ? -c * cos(x) * sin(y)
                      : -c * cos(x) * sin(z);
    return SAB_OK;
}

/* Driven by walls and a force of the same shape; the differences of runs with steps dt, dt/2, dt/4
 * on one mesh have the order of the scheme. */
static void test_orders(void)
{
    static int axis[SAB_DIM] = {0, 1, 2};

    for (int order = 1; order <= 2; order++) {
        double *u[3] = {NULL, NULL, NULL}, difference[2] = {0.0, 0.0};
        size_t n = 0;

        for (int k = 0; k < 3; k++) {
            problem p;

            make_problem(&p, GEOMETRIES - 1, 2, 0.0, 1.0, 0.0);
            p.setup.step = 0.1 / (1 << k);
            p.setup.order = order;
            p.setup.solver.tolerance = 1e-9;
            p.material.reynolds = sab_constant(20.0);
            for (int i = 0; i < SAB_DIM; i++) {
                p.initial[i] = (sab_function){.call = whirl, .data = &axis[i]};
                p.gravity[i] = (sab_function){.call = whirl, .data = &axis[i]};
            }
            for (int b = 0; b < SIDES; b++)
                slip(&p, b);
            sab_flow *flow = start(&p);
            for (int m = 0; m < 4 << k; m++) {
                sab_flow_report report;

                step(flow, &report);
                CU_ASSERT(report.converged && report.retries == 0);
            }
            n = (size_t)(SAB_DIM * p.mesh->nnodes);
            u[k] = sab_alloc(n, sizeof *u[k]);
            memcpy(u[k], flow->fields->velocity, n * sizeof *u[k]);
            sab_flow_destroy(&flow);
            sab_mesh_destroy(&p.mesh);
        }
        for (int k = 0; k < 2; k++)
            for (size_t i = 0; i < n; i++)
                difference[k] += pow(u[k][i] - u[k + 1][i], 2.0);
        const double seen = 0.5 * log2(difference[0] / difference[1]);
        printf("  order %d: %.3e %.3e, %.2f\n", order, sqrt(difference[0]), sqrt(difference[1]),
               seen);
        CU_ASSERT(seen > order - 0.25);
        for (int k = 0; k < 3; k++)
            SAB_FREE(u[k]);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"free fall", test_free_fall},
                                     {"the ledger closes", test_ledger_closes},
                                     {"what leaves an expansion", test_expansion},
                                     {"orders in time", test_orders}};

    return SAB_TEST_MAIN("flow/inertia, axis and space", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What d = 2 hides: a geometry of plane strain whose tensors are three-dimensional, d = 3, s = 4.
 *
 * A flow in it that neither opens nor dilates is the flow in the plane with the same coefficient of
 * friction, sqrt(J2) = friction p + Bi: Tr D = 0 leaves the out-of-plane stress at the mean of the
 * others. So velocity, pressure, forces and energies must agree, and every sqrt(d/2) or sqrt(2d)
 * that is missing, or one too many, shows. */
#include "unit.h"

#include "base/memory.h"
#include "fem/flux.h"
#include "fem/integral.h"
#include "fem/recovery.h"
#include "fem/wall.h"
#include "flow/inertia.h"
#include "flow/volume.h"
#include "grid.h"

#include <math.h>
#include <string.h>

#define ROOT3 1.7320508075688772
#define ROOT6 2.4494897427831779

/* (Tr D/sqrt 6, (xx - yy)/2, xy, (xx + yy - 2 zz)/(2 sqrt 3)) of D with zz = hoop */
static void strain(int i, const double *gradient, double hoop, double *row)
{
    row[0] = (gradient[i] + hoop) / ROOT6;
    row[1] = i == 0 ? 0.5 * gradient[0] : -0.5 * gradient[1];
    row[2] = 0.5 * gradient[1 - i];
    row[3] = (gradient[i] - 2.0 * hoop) / (2.0 * ROOT3);
}

static void tensor(const double *x, double t[6])
{
    t[0] = 2.0 / ROOT6 * x[0] + x[1] + x[3] / ROOT3;
    t[1] = 2.0 / ROOT6 * x[0] - x[1] + x[3] / ROOT3;
    t[2] = 2.0 / ROOT6 * x[0] - 2.0 * x[3] / ROOT3;
    t[3] = x[2];
    t[4] = t[5] = 0.0;
}

static void motion(int k, const double *x, double *velocity)
{
    sab_geometry_plane.motion(k, x, velocity);
}

static double one(const double *x)
{
    return x != NULL ? 1.0 : 0.0;
}

static const sab_geometry three = {.name = "three",
                                   .dim = 2,
                                   .d = 3,
                                   .s = 4,
                                   .rigid = 3,
                                   .motion = motion,
                                   .whole = 1.0,
                                   .measure = one,
                                   .strain = strain,
                                   .tensor = tensor,
                                   .coordinate = {"x", "y"}};
static const sab_geometry *const both[2] = {&sab_geometry_plane, &three};

/* chi is an isometry for <D, D> = D:D/2, its inverse gives the strain rate of a velocity, and
 * x_0 = Tr/sqrt(2d). */
static void test_identities(void)
{
    const double L[2][2] = {{0.7, -0.4}, {0.9, 0.2}}; /* dui/dxj */

    for (int g = 0; g < 2; g++) {
        const sab_geometry *geometry = both[g];
        double gamma[SAB_MAX_S] = {0.0}, t[6], square = 0.0, dot = 0.0;

        for (int i = 0; i < 2; i++) {
            double row[SAB_MAX_S];

            geometry->strain(i, L[i], 0.0, row);
            for (int c = 0; c < geometry->s; c++)
                gamma[c] += row[c];
        }
        geometry->tensor(gamma, t);
        SAB_ASSERT_CLOSE(t[0], L[0][0], 1e-15);
        SAB_ASSERT_CLOSE(t[1], L[1][1], 1e-15);
        SAB_ASSERT_CLOSE(t[3], 0.5 * (L[0][1] + L[1][0]), 1e-15);
        if (geometry->d == 3)
            SAB_ASSERT_CLOSE(t[2], 0.0, 1e-15);
        for (int c = 0; c < geometry->s; c++)
            dot += gamma[c] * gamma[c];
        for (int k = 0; k < geometry->d; k++)
            square += 0.5 * t[k] * t[k];
        SAB_ASSERT_CLOSE(square + t[3] * t[3], dot, 1e-15);
        SAB_ASSERT_CLOSE(sab_geometry_trace(geometry) * gamma[0], L[0][0] + L[1][1], 1e-15);
        SAB_ASSERT_CLOSE(sab_geometry_trace(geometry), 2.0 * sab_geometry_normal_scale(geometry),
                         1e-15);
    }
    double row[SAB_MAX_S], t[6]; /* u_r/r = 1 and nothing else: the third axis alone */
    three.strain(0, (const double[2]){0.0, 0.0}, 1.0, row);
    tensor(row, t);
    for (int c = 0; c < 6; c++)
        SAB_ASSERT_CLOSE(t[c], c == 2 ? 1.0 : 0.0, 1e-15);
}

/* An angle is turned into the coefficient of the geometry, divided by sqrt(d/2). */
static void test_angle(void)
{
    const sab_material m = {.friction = sab_constant(25.0),
                            .friction_is_angle = true,
                            .friction_in = SAB_FRICTION_SHEAR,
                            .dilatancy = sab_constant(0.1),
                            .bingham = sab_constant(0.3),
                            .reynolds = sab_constant(2.0),
                            .bulk = 1.0};

    for (int g = 0; g < 2; g++) {
        const double scale = sqrt(0.5 * both[g]->d), angle = 25.0 * acos(-1.0) / 180.0;
        sab_law law;

        CU_ASSERT_EQUAL(sab_material_law(&m, both[g], &(sab_vars){0}, &law, NULL), SAB_OK);
        SAB_ASSERT_CLOSE(law.friction,
                         sab_friction_of_angle(both[g], SAB_FRICTION_SHEAR, angle, 0.1) / scale,
                         1e-15);
        SAB_ASSERT_CLOSE(law.dilatancy, 0.1 / scale, 1e-15);
        CU_ASSERT_EQUAL(law.yield, 0.3);
        SAB_ASSERT_CLOSE(
            sab_material_friction_angle(both[g], SAB_FRICTION_SHEAR, law.friction * scale, 0.1),
            25.0, 1e-13);
    }
}

typedef struct problem {
    sab_material material;
    sab_function gravity[2], initial[2];
    sab_boundary boundary[4];
    sab_flow_setup setup;
} problem;

static char names[4][8] = {"bottom", "right", "top", "left"};
enum { BOTTOM, RIGHT, TOP, LEFT };

/* A block on a rough floor against a smooth wall, pressed from above and less so from the right:
 * all of it flows (where it does not, stresses are not determined), none of it opens. */
static void prepare(problem *p, const sab_mesh *mesh, const sab_element *element,
                    const sab_geometry *geometry)
{
    static const double pressure[4] = {0.0, 1.0, 2.0, 0.0};

    memset(p, 0, sizeof *p);
    p->material.reynolds = sab_constant(1.0);
    p->material.friction = sab_constant(0.15);
    p->material.bingham = sab_constant(0.01);
    p->material.bulk = 1.0;
    p->gravity[1] = sab_constant(-1.0);
    for (int b = 0; b < 4; b++)
        if (b == RIGHT || b == TOP)
            p->boundary[b] = (sab_boundary){
                .group = names[b], .has_pressure = true, .pressure = sab_constant(pressure[b])};
        else if (b == LEFT)
            p->boundary[b] = (sab_boundary){.group = names[b], .slip = true};
        else
            p->boundary[b] =
                (sab_boundary){.group = names[b], .has_velocity = true, .prescribed = {true, true}};
    p->setup = (sab_flow_setup){.mesh = mesh,
                                .element = element,
                                .geometry = geometry,
                                .material = &p->material,
                                .gravity = p->gravity,
                                .nboundaries = 4,
                                .boundary = p->boundary,
                                .solver = sab_solver_options_default(),
                                .viscosity_iterations = 30,
                                .initial = p->initial};
    p->setup.solver.tolerance = 1e-8;
}

/* Everything a user sees of a flow, as one list of numbers. */
enum { MOST = 4000 };
typedef struct seen {
    int n;
    double value[MOST];
} seen;

static void see(seen *s, int n, const double *value)
{
    CU_ASSERT_FATAL(s->n + n <= MOST);
    memcpy(s->value + s->n, value, (size_t)n * sizeof *value);
    s->n += n;
}

/* In-plane components and the out-of-plane one of n stresses. */
static void see_stresses(seen *s, const sab_geometry *geometry, int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        double t[6];

        geometry->tensor(x + geometry->s * i, t);
        see(s, 4, t);
    }
}

static void look(sab_flow *flow, seen *s)
{
    const sab_fields *f = flow->fields;
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_geometry *geometry = flow->setup.geometry;
    const sab_balance balance = {.boundary = flow->setup.boundary,
                                 .group = flow->group,
                                 .dofs = flow->dofs,
                                 .load = flow->load};
    const int nodal = mesh->cell->nodes * mesh->nelements;
    sab_recovery *recovery = NULL;
    sab_recovered pressure;
    sab_wall_trace *wall = NULL;
    const double *stress = NULL;
    double number[SAB_INTEGRAL_COUNT], force[2], pair[64];

    see(s, (int)sab_space_size(flow->space), f->velocity);
    see(s, mesh->nelements, f->pressure);
    see(s, mesh->nelements, f->yielded);
    see_stresses(s, geometry, nodal, f->stress);
    see(s, nodal, f->shear_stress);
    see(s, nodal, f->shear_rate);
    see(s, nodal, f->yield_ratio);
    see(s, nodal, f->friction);
    for (int i = 0; i < nodal; i++) /* large where there is little pressure: compare 1/(1 + I) */
        see(s, 1, (const double[1]){1.0 / (1.0 + f->inertial_number[i])});
    for (int k = 0; k < SAB_INTEGRAL_COUNT; k++)
        number[k] =
            k == SAB_INTEGRAL_GRAVITY_POWER ? 0.0 : sab_integral_of(f, (sab_integral)k, 0.1, NULL);
    see(s, SAB_INTEGRAL_COUNT, number);
    for (sab_force_part part = 0; part <= SAB_FORCE_VISCOUS; part++) {
        CU_ASSERT_EQUAL_FATAL(sab_fields_force(f, &balance, BOTTOM, part, flow->work, force, NULL),
                              SAB_OK);
        see(s, 2, force);
    }
    CU_ASSERT_EQUAL_FATAL(sab_recovery_create(flow->space, &recovery, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_recovery_pressure(recovery, f, &pressure, NULL), SAB_OK);
    see(s, mesh->nnodes, pressure.nodal);
    see(s, 1, &pressure.oscillation);
    CU_ASSERT_EQUAL_FATAL(sab_recovery_stress(recovery, f, &stress, NULL), SAB_OK);
    see_stresses(s, geometry, mesh->nnodes, stress);
    CU_ASSERT_EQUAL_FATAL(sab_wall_create(mesh, geometry, flow->group[BOTTOM], flow->dofs->owner,
                                          BOTTOM, 5, &wall, NULL),
                          SAB_OK);
    sab_wall_recovered(wall, geometry, stress, pair);
    see(s, 10, pair);
    sab_wall_force(mesh, flow->group[BOTTOM], geometry, stress, force);
    see(s, 2, force);
    const sab_volume v = sab_flow_volume(flow, 1.0);
    see(s, 1, &v.outflow);
    see(s, 1, &v.net);
    see(s, 1, &v.rate);
    sab_wall_destroy(&wall);
    sab_recovery_destroy(&recovery);
}

static void compare(const char *name, const seen s[2], double tolerance)
{
    double worst = 0.0;
    int at = -1;

    CU_ASSERT_EQUAL_FATAL(s[0].n, s[1].n);
    for (int i = 0; i < s[0].n; i++) {
        const double difference = fabs(s[0].value[i] - s[1].value[i]);

        CU_ASSERT_FATAL(isfinite(difference));
        if (difference > worst) {
            worst = difference;
            at = i;
        }
    }
    printf("\n    %s: %d numbers, at most %.1e apart (number %d: %g)", name, s[0].n, worst, at,
           at >= 0 ? s[0].value[at] : 0.0);
    CU_ASSERT(worst < tolerance);
}

static sab_mesh *make_mesh(bool split)
{
    const sab_grid grid = {3, 2, 0, 0, 1, 1, 0.2, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid), *fine = NULL;

    if (!split)
        return mesh;
    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(mesh, &fine, NULL), SAB_OK);
    sab_mesh_destroy(&mesh);
    return fine;
}

/* A creeping flow, with friction, Bingham stress and mu(I), of both elements. */
static void test_creeping(void)
{
    static seen s[2];

    for (int k = 0; k < 4; k++) {
        static const char *const name[] = {"p2", "p2b", "p2, mu(I)", "p2b, mu(I)"};
        const sab_element *element = k % 2 == 0 ? &sab_element_p2 : &sab_element_p2b;
        sab_mesh *mesh = make_mesh(!element->stable);

        for (int g = 0; g < 2; g++) {
            problem p;
            sab_flow *flow = NULL;
            sab_flow_report report;
            sab_error err = {0};

            prepare(&p, mesh, element, both[g]);
            p.material.has_mu_i = k >= 2;
            p.material.mu_i = (sab_mu_i){.resting = 0.1, .flowing = 0.2, .I0 = 0.1, .grain = 0.1};
            CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
            CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
            s[g].n = 0;
            look(flow, &s[g]);
            sab_flow_destroy(&flow);
        }
        compare(name[k], s, 1e-6);
        sab_mesh_destroy(&mesh);
    }
}

/* Time steps of the same block: the ledger too. */
static void test_inertial(void)
{
    static seen s[2];
    sab_mesh *mesh = make_mesh(true);

    for (int g = 0; g < 2; g++) {
        problem p;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};

        prepare(&p, mesh, &sab_element_p2, both[g]);
        p.setup.dt = 0.05;
        p.setup.order = 2;
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        s[g].n = 0;
        for (int step = 0; step < 3; step++) {
            double row[SAB_LEDGER_ENTRIES];

            CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, &err), SAB_OK);
            memcpy(row, &report.ledger, sizeof row);
            see(&s[g], SAB_LEDGER_ENTRIES, row);
        }
        look(flow, &s[g]);
        sab_flow_destroy(&flow);
    }
    compare("three steps", s, 1e-6);
    sab_mesh_destroy(&mesh);
}

/* Material that is pulled apart, u = 0.1 x: int div u is what leaves, by the law points as by the
 * sides; and all of it is opening. */
static void test_opening(void)
{
    for (int g = 0; g < 2; g++) {
        sab_mesh *mesh = make_mesh(true);
        problem p;
        sab_flow *flow = NULL;
        sab_flow_report report;
        sab_error err = {0};
        double flux = 0.0;

        prepare(&p, mesh, &sab_element_p2, both[g]); /* between the left and the right side */
        p.boundary[LEFT] =
            (sab_boundary){.group = names[LEFT], .has_velocity = true, .prescribed = {true, true}};
        p.gravity[1] = sab_constant(0.0);
        p.boundary[RIGHT] = (sab_boundary){.group = names[RIGHT],
                                           .has_velocity = true,
                                           .prescribed = {true, true},
                                           .velocity = {sab_constant(0.1)}};
        for (int b = BOTTOM; b <= TOP; b += TOP - BOTTOM)
            p.boundary[b] = (sab_boundary){.group = names[b], .slip = true};
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&p.setup, &flow, &err), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_solve(flow, NULL, &report, &err), SAB_OK);
        for (int b = 0; b < 4; b++)
            flux += sab_boundary_flux(flow->space, flow->group[b], flow->fields->velocity);
        const sab_volume v = sab_flow_volume(flow, 1.0);
        SAB_ASSERT_CLOSE(flux, 0.1, 1e-12);
        SAB_ASSERT_CLOSE(v.net, flux, 1e-12);
        SAB_ASSERT_CLOSE(v.parting + v.barrier - v.compaction, flux, 1e-12);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"identities", test_identities},  {"friction angle", test_angle},
        {"creeping flow", test_creeping}, {"time steps", test_inertial},
        {"opening", test_opening},
    };

    return SAB_TEST_MAIN("flow/geometry", tests);
}

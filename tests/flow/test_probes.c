/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pressure, wall stress, forces and energies of solved flows against exact solutions
 * [docs/theory.md, 8 and 10]. */
#include "unit.h"

#include "base/memory.h"
#include "fem/integral.h"
#include "fem/recovery.h"
#include "flow/probes.h"
#include "grid.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum pair { ALFELD, BUBBLE, PLAIN, PAIRS } pair;
static const char *const pair_name[PAIRS] = {"alfeld", "p2b", "plain"};

static sab_mesh *film_mesh(int n, pair which)
{
    const sab_mesh_parameter parameter[] = {{"n", n}, {"structured", 0.0}};
    sab_mesh *coarse = NULL, *mesh = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_mesh_read("meshes/film.geo", 2, 2, parameter, &coarse, NULL), SAB_OK);
    if (which != ALFELD)
        return coarse;
    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &mesh, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    return mesh;
}

static sab_flow *solve(sab_flow_setup *setup, double tolerance, sab_certificate *certificate)
{
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};

    if (setup->geometry == NULL)
        setup->geometry = &sab_geometry_plane;
    if (setup->element == NULL)
        setup->element = &sab_element_p2;
    setup->solver = sab_solver_options_default();
    setup->solver.tolerance = tolerance;
    setup->solver.max_iterations = 2000;
    if (sab_flow_create(setup, &flow, &err) != SAB_OK ||
        sab_flow_solve(flow, NULL, &report, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("the flow cannot be solved");
    }
    CU_ASSERT(report.converged);
    if (certificate != NULL)
        *certificate = report.solve.certificate;
    return flow;
}

typedef struct wall_errors { /* largest of normal and shear on the bottom */
    double reaction, recovered;
} wall_errors;

/* Also: the sum of the nodal forces against the force probe. */
static wall_errors wall_error(const sab_flow *flow,
                              void (*exact)(const double *x, double stress[2]))
{
    sab_probe probe[2] = {{.name = "wall", .kind = SAB_PROBE_TRACTION, .group = "bottom"},
                          {.name = "force", .kind = SAB_PROBE_FORCE, .group = "bottom"}};
    const sab_balance balance = {flow->dofs, flow->setup.boundary, flow->group, 0.0, flow->load};
    const int columns = sab_recovery_is_stable(flow->space) ? 4 : 2;
    const sab_probe_result *r;
    sab_probes *probes = NULL;
    wall_errors e = {0};
    double force[2] = {0.0, 0.0};

    CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, 2, probe, &probes, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_probes_evaluate(probes, flow, &r, NULL), SAB_OK);
    CU_ASSERT(r[0].samples > 2);
    CU_ASSERT_EQUAL_FATAL(r[0].components, columns);
    for (int i = 0; i < r[0].samples; i++) {
        const double *value = r[0].value + columns * i;
        double wanted[2];

        SAB_ASSERT_CLOSE(r[0].wall->s[i], r[0].x[2 * i], 1e-10);
        exact(r[0].x + 2 * i, wanted);
        for (int c = 0; c < 2; c++)
            e.reaction = fmax(e.reaction, fabs(value[c] - wanted[c]));
        for (int c = 0; c < 2 && columns == 4; c++)
            e.recovered = fmax(e.recovered, fabs(value[2 + c] - wanted[c]));
    }
    sab_fields_nodal_force(flow->fields, &balance, 0, SAB_FORCE_TOTAL, flow->work, NULL);
    for (int i = 0; i < 2 * flow->setup.mesh->nnodes; i++)
        force[i % 2] += flow->work[i];
    for (int i = 0; i < 2; i++)
        SAB_ASSERT_CLOSE(force[i], r[1].value[i], 1e-12);
    sab_probes_destroy(&probes);
    return e;
}

/* The force on the first `walls` entries together, of one kind. */
static void force_of(const sab_flow *flow, int walls, sab_force_part part, double force[2])
{
    force[0] = force[1] = 0.0;
    for (int b = 0; b < walls; b++) {
        sab_probe probe = {.name = "force",
                           .kind = SAB_PROBE_FORCE,
                           .group = flow->setup.boundary[b].group,
                           .part = part};
        const sab_probe_result *r;
        sab_probes *probes = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, 1, &probe, &probes, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_probes_evaluate(probes, flow, &r, NULL), SAB_OK);
        force[0] += r[0].value[0];
        force[1] += r[0].value[1];
        sab_probes_destroy(&probes);
    }
}

/* All integrals, as probes. */
static void integrals_of(const sab_flow *flow, double above, double value[SAB_INTEGRAL_COUNT])
{
    sab_probe probe[SAB_INTEGRAL_COUNT];
    const sab_probe_result *r;
    sab_probes *probes = NULL;

    for (int i = 0; i < SAB_INTEGRAL_COUNT; i++)
        probe[i] = (sab_probe){.name = "integral",
                               .kind = SAB_PROBE_INTEGRAL,
                               .integral = (sab_integral)i,
                               .above = above};
    CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, SAB_INTEGRAL_COUNT, probe, &probes, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_probes_evaluate(probes, flow, &r, NULL), SAB_OK);
    for (int i = 0; i < SAB_INTEGRAL_COUNT; i++) {
        CU_ASSERT(r[i].components == 1 && r[i].samples == 1);
        value[i] = r[i].value[0];
    }
    sab_probes_destroy(&probes);
}

/* Power of the loads less dissipation: at most the gap [docs/theory.md, 10.6]. */
static double energy_defect(const sab_flow *flow, const double value[SAB_INTEGRAL_COUNT])
{
    double power = 0.0;

    for (size_t i = 0; i < sab_space_size(flow->space); i++)
        power += flow->load[i] * flow->fields->velocity[i];
    return power - value[SAB_INTEGRAL_VISCOUS_DISSIPATION] -
           value[SAB_INTEGRAL_FRICTION_DISSIPATION];
}

typedef struct recovery_errors {
    double recovered;   /* largest error at the nodes */
    double lumped;      /* the same with a lumped mass matrix */
    double oscillation; /* of the pressure */
} recovery_errors;

static recovery_errors recovery_error(const sab_flow *flow, double (*exact)(const double *x))
{
    recovery_errors e = {0};
    const sab_mesh *mesh = flow->setup.mesh;
    sab_recovery *recovery = NULL;
    sab_recovered r;
    double *sum = sab_alloc((size_t)mesh->nnodes, sizeof *sum);
    double *mass = sab_alloc((size_t)mesh->nnodes, sizeof *mass);

    CU_ASSERT_EQUAL_FATAL(sab_recovery_create(flow->space, &recovery, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_recovery_pressure(recovery, flow->fields, &r, NULL), SAB_OK);
    for (int q = 0; q < flow->space->npoints; q++)
        for (int i = 0; i < 3; i++) {
            const int node = mesh->element[6 * (q / 3) + i];
            const double w = flow->space->weight[q] * (i == q % 3 ? 2.0 / 3.0 : 1.0 / 6.0);

            sum[node] += w * flow->lambda[3 * q]; /* lambda_N = p in the plane */
            mass[node] += w;
        }
    for (int n = 0; n < mesh->nnodes; n++) {
        const double p = exact(mesh->x + 2 * n);

        e.recovered = fmax(e.recovered, fabs(r.nodal[n] - p));
        if (mass[n] > 0.0)
            e.lumped = fmax(e.lumped, fabs(sum[n] / mass[n] - p));
    }
    e.oscillation = r.oscillation;
    sab_recovery_destroy(&recovery);
    SAB_FREE(sum);
    SAB_FREE(mass);
    return e;
}

static const double SLOPE = 0.52359877559829887; /* 30 degrees */

static double film_pressure(const double *x)
{
    return (1.0 - x[1]) * cos(SLOPE);
}

static void film_stress(const double *x, double stress[2])
{
    (void)x;
    stress[0] = cos(SLOPE);
    stress[1] = sin(SLOPE);
}

/* data: the factor of (1 - y) */
static sab_status towards_surface(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)err;
    *value = *(const double *)data * (1.0 - at->y);
    return SAB_OK;
}

/* Film of 8.2 on the groups of meshes/film.geo; the factors must outlive it. */
static void film_boundaries(double factor[4], sab_boundary boundary[4])
{
    factor[0] = cos(SLOPE);
    factor[1] = -cos(SLOPE);
    factor[2] = sin(SLOPE);
    factor[3] = -sin(SLOPE);
    boundary[0] =
        (sab_boundary){.group = "bottom", .has_velocity = true, .prescribed = {true, true}};
    boundary[1] = (sab_boundary){.group = "left",
                                 .has_traction = true,
                                 .traction = {{.call = towards_surface, .data = &factor[0]},
                                              {.call = towards_surface, .data = &factor[3]}}};
    boundary[2] = (sab_boundary){.group = "right",
                                 .has_traction = true,
                                 .traction = {{.call = towards_surface, .data = &factor[1]},
                                              {.call = towards_surface, .data = &factor[2]}}};
    boundary[3] = (sab_boundary){.group = "top", .has_traction = true};
}

/* Energies of the film per length, Re = 1, c = sin a - mu cos a: u = c (y - y^2/2). */
static void check_film_energy(const sab_flow *flow, const sab_certificate *certificate)
{
    const double mu = 0.5, c = sin(SLOPE) - mu * cos(SLOPE);
    double value[SAB_INTEGRAL_COUNT];

    integrals_of(flow, 0.25 * c, value); /* half of the largest speed */
    const double length = value[SAB_INTEGRAL_AREA];
    SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_KINETIC_ENERGY] / (length * c * c / 15.0), 1.0, 1e-5);
    SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_VISCOUS_DISSIPATION] / (length * c * c / 3.0), 1.0, 1e-5);
    SAB_ASSERT_CLOSE(
        value[SAB_INTEGRAL_FRICTION_DISSIPATION] / (length * mu * cos(SLOPE) * c / 3.0), 1.0, 1e-5);
    SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_GRAVITY_POWER] / (length * sin(SLOPE) * c / 3.0), 1.0,
                     1e-5);
    SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_MOVING_AREA] / length, sqrt(0.5), 0.02);
    CU_ASSERT(value[SAB_INTEGRAL_YIELDED_AREA] > 0.98 * length);
    CU_ASSERT(fabs(energy_defect(flow, value)) <=
              certificate->gap * certificate->dissipation + 1e-12);
}

/* The film of 8.2, friction 0.5: velocity and pressure are in the space, and so is the total
 * stress. */
static void test_film(void)
{
    const sab_function gravity[2] = {sab_constant(sin(SLOPE)), sab_constant(-cos(SLOPE))};
    const sab_material material = {
        .friction = sab_constant(0.5), .reynolds = sab_constant(1.0), .bulk = 1.0};
    double factor[4];
    sab_boundary boundary[4];

    film_boundaries(factor, boundary);
    for (pair which = ALFELD; which <= BUBBLE; which++)
        for (int n = 8; n <= 16; n *= 2) {
            sab_mesh *mesh = film_mesh(n, which);
            sab_flow_setup setup = {.mesh = mesh,
                                    .element = which == BUBBLE ? &sab_element_p2b : &sab_element_p2,
                                    .material = &material,
                                    .gravity = gravity,
                                    .nboundaries = 4,
                                    .boundary = boundary};
            sab_certificate certificate;
            sab_flow *flow = solve(&setup, 1e-7, &certificate);
            const wall_errors wall = wall_error(flow, film_stress);
            const recovery_errors e = recovery_error(flow, film_pressure);
            double total[2], recovered[2];

            force_of(flow, 1, SAB_FORCE_TOTAL, total);
            force_of(flow, 1, SAB_FORCE_RECOVERED, recovered);
            printf("\n    %-6s n %2d: wall %.1e, from recovered stress %.1e, recovered pressure "
                   "%.1e, lumped %.1e; forces %.1e apart",
                   pair_name[which], n, wall.reaction, wall.recovered, e.recovered, e.lumped,
                   hypot(recovered[0] - total[0], recovered[1] - total[1]));
            CU_ASSERT(wall.reaction < 1e-6);
            CU_ASSERT(wall.recovered < 3e-6);
            CU_ASSERT(e.recovered < 3e-6);
            CU_ASSERT(e.lumped > 1e-3);
            CU_ASSERT(e.oscillation < 1e-5);
            for (int i = 0; i < 2; i++)
                SAB_ASSERT_CLOSE(recovered[i], total[i], 1e-6);
            check_film_energy(flow, &certificate);
            sab_flow_destroy(&flow);
            sab_mesh_destroy(&mesh);
        }
}

/* The same film of a Bingham fluid, Bi = 0.2, sin a = 1/2: a plug above y = 0.6, and below it
 * u' = (0.6 - y)/2. Powers per length: viscous and plastic 0.018 each. At a coarse tolerance the
 * balance of energy holds to the gap, with bubbles too. */
static void test_bingham_film(void)
{
    const sab_function gravity[2] = {sab_constant(sin(SLOPE)), sab_constant(-cos(SLOPE))};
    const sab_material material = {
        .bingham = sab_constant(0.2), .reynolds = sab_constant(1.0), .bulk = 1.0};
    double factor[4];
    sab_boundary boundary[4];

    film_boundaries(factor, boundary);
    for (pair which = ALFELD; which <= BUBBLE; which++)
        for (int k = 0; k < 2; k++) {
            sab_mesh *mesh = film_mesh(16, which);
            sab_flow_setup setup = {.mesh = mesh,
                                    .element = which == BUBBLE ? &sab_element_p2b : &sab_element_p2,
                                    .material = &material,
                                    .gravity = gravity,
                                    .nboundaries = 4,
                                    .boundary = boundary};
            sab_certificate certificate;
            double value[SAB_INTEGRAL_COUNT];
            sab_flow *flow = solve(&setup, k == 0 ? 1e-6 : 3e-2, &certificate);

            integrals_of(flow, 0.0, value);
            const double length = value[SAB_INTEGRAL_AREA], defect = energy_defect(flow, value);
            const double bound = certificate.gap * certificate.dissipation;
            printf("\n    %-6s viscous %.5f, plastic %.5f (0.018), yielded %.3f (0.6); balance "
                   "%.1e, gap %.1e",
                   pair_name[which], value[SAB_INTEGRAL_VISCOUS_DISSIPATION] / length,
                   value[SAB_INTEGRAL_FRICTION_DISSIPATION] / length,
                   value[SAB_INTEGRAL_YIELDED_AREA] / length, defect, bound);
            CU_ASSERT(fabs(defect) <= bound + 1e-13);
            if (k == 0) {
                SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_VISCOUS_DISSIPATION] / length, 0.018, 2e-4);
                SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_FRICTION_DISSIPATION] / length, 0.018, 2e-4);
                SAB_ASSERT_CLOSE(value[SAB_INTEGRAL_YIELDED_AREA] / length, 0.6, 0.03);
            }
            sab_flow_destroy(&flow);
            sab_mesh_destroy(&mesh);
        }
}

/* Newtonian flow, Re = 1: u = (cos c, -2 cos c), c = 2x + y, p = 3 + cos(x + 2y). Then
 * sigma = 2 D - p with sigma_yy = 4 sin c - p, sigma_xy = 3 sin c, and f = 5 u + grad p. */
static double stokes_pressure(const double *x)
{
    return 3.0 + cos(x[0] + 2.0 * x[1]);
}

static void stokes_stress(const double *x, double stress[2])
{
    const double s = sin(2.0 * x[0] + x[1]);

    stress[0] = stokes_pressure(x) - 4.0 * s;
    stress[1] = 3.0 * s;
}

typedef struct stokes {
    double cosine, sine, pressure, slope; /* factors of cos c, sin c, p, sin(x + 2y) */
} stokes;

static sab_status stokes_at(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const stokes *f = data;
    const double x[2] = {at->x, at->y};

    (void)err;
    *value = f->cosine * cos(2.0 * at->x + at->y) + f->sine * sin(2.0 * at->x + at->y) +
             f->pressure * stokes_pressure(x) + f->slope * sin(at->x + 2.0 * at->y);
    return SAB_OK;
}

static void test_stokes(void)
{
    stokes u[2] = {{.cosine = 1.0}, {.cosine = -2.0}};
    stokes f[2] = {{.cosine = 5.0, .slope = -1.0}, {.cosine = -10.0, .slope = -2.0}};
    stokes t[2] = {{.sine = 3.0}, {.sine = 4.0, .pressure = -1.0}};
    const sab_function gravity[2] = {{.call = stokes_at, .data = &f[0]},
                                     {.call = stokes_at, .data = &f[1]}};
    const sab_material material = {.reynolds = sab_constant(1.0), .bulk = 1.0};
    const sab_boundary held = {
        .has_velocity = true,
        .prescribed = {true, true},
        .velocity = {{.call = stokes_at, .data = &u[0]}, {.call = stokes_at, .data = &u[1]}}};
    sab_boundary boundary[4] = {
        held,
        held,
        held,
        {.group = "top",
         .has_traction = true,
         .traction = {{.call = stokes_at, .data = &t[0]}, {.call = stokes_at, .data = &t[1]}}}};

    boundary[0].group = "bottom";
    boundary[1].group = "left";
    boundary[2].group = "right";
    for (pair which = 0; which < PAIRS; which++) {
        double wall[3], shown[3], recovered[3], apart[3], contact[3];

        for (int level = 0; level < 3; level++) {
            sab_mesh *mesh = film_mesh(8 << level, which);
            sab_flow_setup setup = {.mesh = mesh,
                                    .element = which == BUBBLE ? &sab_element_p2b : &sab_element_p2,
                                    .material = &material,
                                    .gravity = gravity,
                                    .nboundaries = 4,
                                    .boundary = boundary};
            sab_flow *flow = solve(&setup, 1e-8, NULL);
            double force[2], part[2], other[2];

            const wall_errors w = wall_error(flow, stokes_stress);
            const recovery_errors e = recovery_error(flow, stokes_pressure);
            wall[level] = w.reaction;
            shown[level] = w.recovered;
            recovered[level] = e.recovered;
            /* Corners belong to one of two walls: compare the three held ones together. */
            force_of(flow, 3, SAB_FORCE_TOTAL, force);
            force_of(flow, 3, SAB_FORCE_CONTACT, part);
            force_of(flow, 3, SAB_FORCE_VISCOUS, other);
            contact[level] = hypot(part[0] + other[0] - force[0], part[1] + other[1] - force[1]);
            if (which != PLAIN) {
                force_of(flow, 3, SAB_FORCE_RECOVERED, part);
                apart[level] = hypot(part[0] - force[0], part[1] - force[1]);
            }
            printf("\n    %-6s n %2d: wall %.1e, from recovered stress %.1e, recovered pressure "
                   "%.1e, lumped %.1e, oscillation %.1e",
                   pair_name[which], 8 << level, wall[level], shown[level], e.recovered, e.lumped,
                   e.oscillation);
            printf("; forces %.1e apart, of loads %.1e", which == PLAIN ? NAN : apart[level],
                   contact[level]);
            CU_ASSERT((which == PLAIN) == (e.oscillation > 0.02));
            sab_flow_destroy(&flow);
            sab_mesh_destroy(&mesh);
        }
        printf("\n    %-6s mean orders: wall %.2f, pressure %.2f, loads on the walls %.2f",
               pair_name[which], 0.5 * log2(wall[0] / wall[2]),
               0.5 * log2(recovered[0] / recovered[2]), 0.5 * log2(contact[0] / contact[2]));
        CU_ASSERT(0.5 * log2(contact[0] / contact[2]) > 0.9);
        if (which == PLAIN)
            continue; /* no order to rely on */
        printf("; wall from recovered stress %.2f, forces %.2f", log2(shown[1] / shown[2]),
               0.5 * log2(apart[0] / apart[2]));
        CU_ASSERT(0.5 * log2(wall[0] / wall[2]) > 1.8);
        CU_ASSERT(0.5 * log2(recovered[0] / recovered[2]) > 1.8);
        CU_ASSERT(log2(shown[1] / shown[2]) > 1.7); /* the coarsest mesh is not yet of the order */
        CU_ASSERT(0.5 * log2(apart[0] / apart[2]) > 1.7);
    }
}

/* A column of grains with mu(I) that begins to slump, one side open, two steps of order 1. From
 * rest the first step has inertia u/dt: forces are weight less momentum/dt to rounding, and the
 * power of gravity is dissipation and 2 kinetic_energy/dt to the gap. The cone keeps the friction
 * at rest; what mu(I) has above it is a stress of the rate, and its law is met in every step. */
static void test_inertial(void)
{
    const double dt = 0.1;
    const sab_function gravity[2] = {sab_constant(0.1), sab_constant(-1.0)};
    const sab_material material = {
        .has_mu_i = true,
        .mu_i = {.resting = 0.3, .flowing = 0.6, .I0 = 0.3, .grain = 0.05},
        .reynolds = sab_constant(100.0),
        .bulk = 1.0};
    const sab_boundary boundary[4] = {
        {.group = "left", .slip = true},
        {.group = "right", .has_traction = true},
        {.group = "top", .has_traction = true},
        {.group = "bottom", .has_velocity = true, .prescribed = {true, true}}};

    for (pair which = ALFELD; which <= BUBBLE; which++) {
        sab_mesh *mesh = film_mesh(8, which);
        sab_flow_setup setup = {.mesh = mesh,
                                .element = which == BUBBLE ? &sab_element_p2b : &sab_element_p2,
                                .geometry = &sab_geometry_plane,
                                .material = &material,
                                .gravity = gravity,
                                .nboundaries = 4,
                                .boundary = boundary,
                                .solver = sab_solver_options_default(),
                                .viscosity_iterations = 30,
                                .dt = dt,
                                .order = 1};
        sab_flow *flow = NULL;
        sab_flow_report report;
        double value[SAB_INTEGRAL_COUNT], force[2];

        setup.solver.tolerance = 1e-2;
        CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, NULL), SAB_OK);
        CU_ASSERT(report.converged);
        for (int q = 0; q < flow->space->npoints; q++)
            CU_ASSERT_EQUAL(flow->program->friction[q], 0.3);
        integrals_of(flow, 0.0, value);
        const double rate = 2.0 * value[SAB_INTEGRAL_KINETIC_ENERGY] / dt;
        const double defect = value[SAB_INTEGRAL_GRAVITY_POWER] - rate -
                              value[SAB_INTEGRAL_VISCOUS_DISSIPATION] -
                              value[SAB_INTEGRAL_FRICTION_DISSIPATION];
        const double bound = report.solve.certificate.gap * report.solve.certificate.dissipation;
        printf("\n    %-6s gravity %.4f = inertia %.4f + viscous %.4f + friction %.4f; defect "
               "%.1e, gap %.1e",
               pair_name[which], value[SAB_INTEGRAL_GRAVITY_POWER], rate,
               value[SAB_INTEGRAL_VISCOUS_DISSIPATION], value[SAB_INTEGRAL_FRICTION_DISSIPATION],
               defect, bound);
        CU_ASSERT(fabs(defect) <= bound + 1e-12);
        CU_ASSERT(rate > 0.1 * value[SAB_INTEGRAL_GRAVITY_POWER]);
        force_of(flow, 4, SAB_FORCE_TOTAL, force);
        for (int d = 0; d < 2; d++) {
            const sab_function along[2] = {sab_constant(d == 0), sab_constant(d == 1)};

            memset(flow->work, 0, sab_space_size(flow->space) * sizeof *flow->work);
            sab_space_body_force(flow->space, along, 0.0, flow->work, NULL);
            const double momentum = sab_integral_of(flow->fields, SAB_INTEGRAL_GRAVITY_POWER, 0.0,
                                                    flow->work); /* int u_d */
            SAB_ASSERT_CLOSE(force[d], gravity[d].constant - momentum / dt, 1e-11);
            CU_ASSERT(fabs(momentum / dt) > 1e-3);
        }

        CU_ASSERT_EQUAL_FATAL(sab_flow_step(flow, NULL, &report, NULL), SAB_OK);
        CU_ASSERT(report.converged && report.rate_residual <= setup.solver.tolerance);
        double highest = 0.0; /* of mu(I), which the cone does not have */
        for (int i = 0; i < 6 * mesh->nelements; i++)
            highest = fmax(highest, flow->fields->friction[i]);
        CU_ASSERT(highest > 0.32 && highest <= 0.6);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

/* A liquid at rest in a round vessel of radius 3/2 and in a box 3/2 x 1 x 1, p = 1 - z, on walls
 * that let it slip: the bottom carries the weight, 2 pi included, a side int p, the top nothing;
 * nothing flows through it; stresses on lines, slices and walls are those of p. Names as files have
 * them: a force about an axis has one component. */
static void test_vessels(void)
{
    static const char *const round_group[] = {"bottom", "right", "top", "left"};
    static const char *const box_group[] = {"bottom", "right", "top", "left", "front", "back"};
    const sab_material material = {.reynolds = sab_constant(1.0), .bulk = 1.0};

    for (int k = 0; k < 3; k++) {
        const bool round = k < 2;
        sab_mesh *mesh =
            round ? sab_grid_create(&(sab_grid){4, 4, 0, 0, 1.5, 1, 0.1, 0.0, 0.0})
                  : sab_grid_box(&(sab_box){.n = {3, 3, 3}, .high = {1.5, 1, 1}, .jitter = 0.1});
        const sab_geometry *geometry = round ? &sab_geometry_axisymmetric : &sab_geometry_space;
        const int dim = geometry->dim, groups = round ? 4 : 6;
        const double pi = 3.14159265358979323846;
        sab_boundary boundary[6] = {{0}};
        sab_function gravity[3] = {{0}};
        sab_mesh *split = NULL;

        gravity[dim - 1] = sab_constant(-1.0);
        for (int i = 0; i < groups; i++) {
            boundary[i].group = (char *)(round ? round_group : box_group)[i];
            boundary[i].slip = i != 2;
            boundary[i].has_traction = i == 2;
        }
        if (k == 0) {
            CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(mesh, &split, NULL), SAB_OK);
            sab_mesh_destroy(&mesh);
            mesh = split;
        }
        sab_flow_setup setup = {.mesh = mesh,
                                .geometry = geometry,
                                .element = k == 0   ? &sab_element_p2
                                           : k == 1 ? &sab_element_p2b
                                                    : &sab_element_p2nb,
                                .material = &material,
                                .gravity = gravity,
                                .nboundaries = groups,
                                .boundary = boundary};
        const sab_probe probe[] = {
            {.name = "weight", .kind = SAB_PROBE_FORCE, .group = "bottom"},
            {.name = "again",
             .kind = SAB_PROBE_FORCE,
             .group = "bottom",
             .part = SAB_FORCE_RECOVERED},
            {.name = "side", .kind = SAB_PROBE_FORCE, .group = "right"},
            {.name = "out", .kind = SAB_PROBE_FLUX, .group = "top"},
            {.name = "volume", .kind = SAB_PROBE_INTEGRAL, .integral = SAB_INTEGRAL_VOLUME},
            {.name = "bottom", .kind = SAB_PROBE_TRACTION, .group = "bottom"},
            {.name = "wall", .kind = SAB_PROBE_TRACTION, .group = "right"},
            {.name = "line",
             .kind = SAB_PROBE_LINE,
             .from = {0.2, 0.3, 0.1},
             .to = {0.9, 0.9, 0.9},
             .samples = 7,
             .field = SAB_FIELD_STRESS},
            {.name = "slice",
             .kind = round ? SAB_PROBE_POINT : SAB_PROBE_PLANE,
             .from = {0.5, 0.5, 0.5},
             .to = {0.3, -0.2, 1.0},
             .samples = 5,
             .across = 4,
             .field = SAB_FIELD_STRESS}};
        enum { N = sizeof probe / sizeof *probe };
        sab_flow *flow = solve(&setup, 1e-8, NULL);
        sab_probes *probes = NULL;
        const sab_probe_result *r;
        sab_error err = {0};

        if (sab_probes_create(flow, N, probe, &probes, &err) != SAB_OK)
            printf("%s\n", err.message);
        CU_ASSERT_EQUAL_FATAL(sab_probes_evaluate(probes, flow, &r, NULL), SAB_OK);
        const double weight = round ? pi * 1.5 * 1.5 : 1.5;
        for (int i = 0; i < 2; i++) {
            CU_ASSERT_EQUAL_FATAL(r[i].components, round ? 1 : 3);
            CU_ASSERT_STRING_EQUAL(r[i].name[r[i].components - 1], "z");
            for (int c = 0; c < r[i].components; c++)
                SAB_ASSERT_CLOSE(r[i].value[c], c == r[i].components - 1 ? -weight : 0.0, 1e-7);
        }
        if (!round) {
            SAB_ASSERT_CLOSE(r[2].value[0], 0.5, 1e-7);
            SAB_ASSERT_CLOSE(r[2].value[1], 0.0, 1e-7);
            SAB_ASSERT_CLOSE(r[2].value[2], 0.0, 1e-7);
        } else {
            SAB_ASSERT_CLOSE(r[2].value[0], 0.0, 1e-7);
        }
        SAB_ASSERT_CLOSE(r[3].value[0], 0.0, 1e-8);
        SAB_ASSERT_CLOSE(r[4].value[0], weight, 1e-12);
        for (int i = 5; i < 7; i++)
            for (int j = 0; j < r[i].samples; j++) {
                const double p = 1.0 - r[i].x[dim * j + dim - 1];
                const int n = r[i].wall->components;

                CU_ASSERT_EQUAL_FATAL(r[i].components, 2 * n);
                for (int c = 0; c < r[i].components; c++)
                    SAB_ASSERT_CLOSE(r[i].value[r[i].components * j + c], c % n == 0 ? p : 0.0,
                                     1e-6);
            }
        if (round) /* to the axis */
            CU_ASSERT_EQUAL(r[5].x[0], 0.0);
        for (int i = 7; i < 9; i++)
            for (int j = 0; j < r[i].samples; j++) {
                const double p = 1.0 - r[i].x[dim * j + dim - 1];

                CU_ASSERT_EQUAL_FATAL(r[i].components, 6);
                CU_ASSERT_STRING_EQUAL(r[i].name[2], round ? "TT" : "ZZ");
                for (int c = 0; c < 6; c++)
                    SAB_ASSERT_CLOSE(r[i].value[6 * j + c], c < 3 ? -p : 0.0, 1e-6);
            }
        CU_ASSERT(round ? r[8].samples == 1 : r[8].samples > 6);
        sab_probes_destroy(&probes);
        sab_flow_destroy(&flow);
        sab_mesh_destroy(&mesh);
    }
}

/* What a flow has not is an error of the probe, before anything is solved. */
static void test_errors(void)
{
    const sab_function gravity[2] = {sab_constant(0.0), sab_constant(-1.0)};
    const sab_material material = {
        .friction = sab_constant(0.5), .reynolds = sab_constant(1.0), .bulk = 1.0};
    const sab_boundary boundary[4] = {
        {.group = "bottom", .has_velocity = true, .prescribed = {true, true}},
        {.group = "left", .slip = true},
        {.group = "right", .slip = true},
        {.group = "top", .has_traction = true}};
    sab_mesh *mesh = film_mesh(4, PLAIN);
    const sab_flow_setup setup = {.mesh = mesh,
                                  .element = &sab_element_p2,
                                  .geometry = &sab_geometry_plane,
                                  .material = &material,
                                  .gravity = gravity,
                                  .nboundaries = 4,
                                  .boundary = boundary,
                                  .solver = sab_solver_options_default()};
    const sab_probe probe[] = {
        {.name = "slice", .kind = SAB_PROBE_PLANE, .to = {1.0}, .samples = 3, .across = 3},
        {.name = "drag", .kind = SAB_PROBE_FORCE, .group = "bottom", .part = SAB_FORCE_RECOVERED},
        {.name = "I", .kind = SAB_PROBE_POINT, .field = SAB_FIELD_INERTIAL_NUMBER},
        {.name = "solid", .kind = SAB_PROBE_POINT, .field = SAB_FIELD_FRACTION},
        {.name = "Q", .kind = SAB_PROBE_FLUX, .group = "lid"}};
    static const char *const message[] = {"probes.slice: a plane is for flow in space",
                                          "probes.drag: part: recovered needs a stable pair",
                                          "probes.I: inertial_number needs material.mu_i",
                                          "probes.solid: fraction is of grains one by one",
                                          "probes.Q: no boundary group 'lid'"};
    sab_flow *flow = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&setup, &flow, NULL), SAB_OK);
    for (size_t i = 0; i < sizeof probe / sizeof *probe; i++) {
        sab_error err = {0};
        sab_probes *probes = NULL;

        CU_ASSERT_EQUAL(sab_probes_create(flow, 1, &probe[i], &probes, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NULL(probes);
        CU_ASSERT_EQUAL(strncmp(err.message, message[i], strlen(message[i])), 0);
    }
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"granular film", test_film},
                                     {"film of a Bingham fluid", test_bingham_film},
                                     {"Newtonian flow with known pressure", test_stokes},
                                     {"a step with inertia and mu(I)", test_inertial},
                                     {"rest about an axis and in space", test_vessels},
                                     {"errors", test_errors}};

    return SAB_TEST_MAIN("flow/probes", tests);
}

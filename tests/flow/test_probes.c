/* Pressure and wall stress of solved flows against exact solutions [docs/theory.md, 8 and 10]. */
#include "unit.h"

#include "base/memory.h"
#include "fem/recovery.h"
#include "flow/probes.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>

typedef enum pair { ALFELD, BUBBLE, PLAIN, PAIRS } pair;
static const char *const pair_name[PAIRS] = {"alfeld", "p2b", "plain"};

static sab_mesh *film_mesh(int n, pair which)
{
    const sab_mesh_parameter parameter[] = {{"n", n}, {"structured", 0.0}};
    sab_mesh *coarse = NULL, *mesh = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_mesh_read("meshes/film.geo", 2, parameter, &coarse, NULL), SAB_OK);
    if (which != ALFELD)
        return coarse;
    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &mesh, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    return mesh;
}

static sab_flow *solve(sab_flow_setup *setup, double tolerance)
{
    sab_flow *flow = NULL;
    sab_flow_report report;
    sab_error err = {0};

    setup->geometry = &sab_geometry_plane;
    setup->solver = sab_solver_options_default();
    setup->solver.tolerance = tolerance;
    setup->solver.max_iterations = 2000;
    if (sab_flow_create(setup, &flow, &err) != SAB_OK ||
        sab_flow_solve(flow, NULL, &report, &err) != SAB_OK) {
        printf("%s\n", err.message);
        CU_FAIL_FATAL("the flow cannot be solved");
    }
    CU_ASSERT(report.converged);
    return flow;
}

/* Largest error of normal and shear on the bottom, and the sum of the nodal forces there against
 * the force probe. */
static double wall_error(const sab_flow *flow, void (*exact)(const double *x, double stress[2]))
{
    sab_probe probe[2] = {{.name = "wall", .kind = SAB_PROBE_TRACTION, .group = "bottom"},
                          {.name = "force", .kind = SAB_PROBE_FORCE, .group = "bottom"}};
    const sab_probe_result *r;
    sab_probes *probes = NULL;
    double largest = 0.0, force[2] = {0.0, 0.0};

    CU_ASSERT_EQUAL_FATAL(sab_probes_create(flow, 2, probe, &probes, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_probes_evaluate(probes, flow, &r, NULL), SAB_OK);
    CU_ASSERT(r[0].samples > 2 && r[0].components == 2);
    for (int i = 0; i < r[0].samples; i++) {
        double wanted[2];

        SAB_ASSERT_CLOSE(r[0].s[i], r[0].x[2 * i], 1e-10);
        exact(r[0].x + 2 * i, wanted);
        for (int c = 0; c < 2; c++)
            largest = fmax(largest, fabs(r[0].value[2 * i + c] - wanted[c]));
    }
    sab_fields_nodal_force(flow->fields, flow->dofs, 0, flow->setup.boundary, flow->group, 0.0,
                           flow->load, flow->work, NULL);
    for (int i = 0; i < 2 * flow->setup.mesh->nnodes; i++)
        force[i % 2] += flow->work[i];
    for (int i = 0; i < 2; i++)
        SAB_ASSERT_CLOSE(force[i], r[1].value[i], 1e-12);
    sab_probes_destroy(&probes);
    return largest;
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

/* The film of 8.2, friction 0.5: velocity and pressure are in the space. */
static void test_film(void)
{
    double across = cos(SLOPE), minus_across = -across, along = sin(SLOPE), minus_along = -along;
    const sab_function gravity[2] = {sab_constant(along), sab_constant(minus_across)};
    const sab_material material = {
        .friction = sab_constant(0.5), .reynolds = sab_constant(1.0), .bulk = 1.0};
    const sab_boundary boundary[4] = {
        {.group = "bottom", .has_velocity = true, .prescribed = {true, true}},
        {.group = "left",
         .has_traction = true,
         .traction = {{0.0, towards_surface, &across}, {0.0, towards_surface, &minus_along}}},
        {.group = "right",
         .has_traction = true,
         .traction = {{0.0, towards_surface, &minus_across}, {0.0, towards_surface, &along}}},
        {.group = "top", .has_traction = true}};

    for (pair which = ALFELD; which <= BUBBLE; which++)
        for (int n = 8; n <= 16; n *= 2) {
            sab_mesh *mesh = film_mesh(n, which);
            sab_flow_setup setup = {.mesh = mesh,
                                    .bubbles = which == BUBBLE,
                                    .material = &material,
                                    .gravity = gravity,
                                    .nboundaries = 4,
                                    .boundary = boundary};
            sab_flow *flow = solve(&setup, 1e-7);
            const double wall = wall_error(flow, film_stress);
            const recovery_errors e = recovery_error(flow, film_pressure);

            printf("\n    %-6s n %2d: wall %.1e, recovered pressure %.1e, lumped %.1e",
                   pair_name[which], n, wall, e.recovered, e.lumped);
            CU_ASSERT(wall < 1e-6);
            CU_ASSERT(e.recovered < 3e-6);
            CU_ASSERT(e.lumped > 1e-3);
            CU_ASSERT(e.oscillation < 1e-5);
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
    const sab_function gravity[2] = {{0.0, stokes_at, &f[0]}, {0.0, stokes_at, &f[1]}};
    const sab_material material = {.reynolds = sab_constant(1.0), .bulk = 1.0};
    const sab_boundary held = {.has_velocity = true,
                               .prescribed = {true, true},
                               .velocity = {{0.0, stokes_at, &u[0]}, {0.0, stokes_at, &u[1]}}};
    sab_boundary boundary[4] = {held,
                                held,
                                held,
                                {.group = "top",
                                 .has_traction = true,
                                 .traction = {{0.0, stokes_at, &t[0]}, {0.0, stokes_at, &t[1]}}}};

    boundary[0].group = "bottom";
    boundary[1].group = "left";
    boundary[2].group = "right";
    for (pair which = 0; which < PAIRS; which++) {
        double wall[3], recovered[3];

        for (int level = 0; level < 3; level++) {
            sab_mesh *mesh = film_mesh(8 << level, which);
            sab_flow_setup setup = {.mesh = mesh,
                                    .bubbles = which == BUBBLE,
                                    .material = &material,
                                    .gravity = gravity,
                                    .nboundaries = 4,
                                    .boundary = boundary};
            sab_flow *flow = solve(&setup, 1e-8);

            wall[level] = wall_error(flow, stokes_stress);
            const recovery_errors e = recovery_error(flow, stokes_pressure);
            recovered[level] = e.recovered;
            printf("\n    %-6s n %2d: wall %.1e, recovered pressure %.1e, lumped %.1e, "
                   "oscillation %.1e",
                   pair_name[which], 8 << level, wall[level], e.recovered, e.lumped, e.oscillation);
            CU_ASSERT((which == PLAIN) == (e.oscillation > 0.02));
            sab_flow_destroy(&flow);
            sab_mesh_destroy(&mesh);
        }
        printf("\n    %-6s mean orders %.2f, %.2f", pair_name[which], 0.5 * log2(wall[0] / wall[2]),
               0.5 * log2(recovered[0] / recovered[2]));
        if (which == PLAIN)
            continue; /* no order to rely on */
        CU_ASSERT(0.5 * log2(wall[0] / wall[2]) > 1.8);
        CU_ASSERT(0.5 * log2(recovered[0] / recovered[2]) > 1.8);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"granular film", test_film},
                                     {"Newtonian flow with known pressure", test_stokes}};

    return SAB_TEST_MAIN("flow/probes", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/robustness.c -- bench-robustness [--count N] [--seed S] [--triangles T] [--limit SECONDS]
 *                       [--method NAME] [--tolerance G] [--inertia R] [--directory DIR] [--write
 *                       DIR] [--keep G]
 *                       bench-robustness --flows [--count N] [--seed S] [--end T] [--steps N]
 *                       [--tolerance G] [--directory DIR] [--free-inflow]
 *
 * Random cone programs from random polygons with graded meshes, walls that hold, slide or move,
 * pressures and tractions, friction 0 to 0.8, dilatancy, cohesion, Re from 1 to infinity, with and
 * without inertia. Each is solved by one method in a process of its own, so that a crash is a
 * row like another. One line of CSV per program on standard output; program k has seed S + k and
 * can be made again. --write DIR saves those that end above --keep G (default: the tolerance).
 *
 * --flows: random inertial flows instead (bench/random_flows.h), a row each. Exit code 1 if one of
 * them ends well although more than 1 % of the work done on it is energy made of nothing. */
#include "base/memory.h"
#include "base/timer.h"
#include "flow/inertia.h"
#include "io/program_file.h"
#include "mesh/gmsh.h"
#include "options.h"
#include "random.h"
#include "random_flows.h"
#include "solve/solve.h"
#include "still_flow.h"

#include <math.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SIDES = 9 };
static const double PI = 3.14159265358979323846;

typedef struct wall {
    double a[2], c[2], speed; /* from a to c; speed along that direction in the middle */
    int component;
} wall;

typedef struct scene {
    int sides;
    double corner[MOST_SIDES][2], size[MOST_SIDES]; /* sizes at the corners, relative */
    double ball[3], ball_size;                      /* a fine spot: centre, radius, relative size */
    bool alfeld;
    char name[MOST_SIDES][16];
    wall wall[MOST_SIDES][2];
    sab_boundary boundary[MOST_SIDES];
    sab_function gravity[2];
    sab_material material;
    double friction, dilatancy, bingham, reynolds, dt; /* dt = 0: creeping */
    bool moving;      /* a wall moves: it is not certain that a solution exists */
    double before[6]; /* velocity before the step: a + b x + c y, per component */
} scene;

static void make_polygon(scene *s, unsigned long long *r)
{
    s->sides = 3 + (int)uniform(r, 1.0, 6.99);
    for (int i = 0; i < s->sides; i++) {
        const double angle = 2.0 * PI * (i + uniform(r, -0.3, 0.3)) / s->sides;
        const double radius = uniform(r, 0.6, 1.4);

        s->corner[i][0] = radius * cos(angle);
        s->corner[i][1] = radius * sin(angle);
        s->size[i] = decades(r, -1.0, 0.0);
    }
    s->ball[0] = uniform(r, -0.5, 0.5);
    s->ball[1] = uniform(r, -0.5, 0.5);
    s->ball[2] = uniform(r, 0.1, 0.4);
    s->ball_size = decades(r, -1.0, 0.0);
    s->alfeld = uniform(r, 0.0, 1.0) < 0.5;
}

/* Along the wall, zero at its ends with its derivative: a jump at a corner is compaction that no
 * velocity avoids, and the program has no solution. */
static sab_status wall_velocity(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const wall *w = data;
    const double d[2] = {w->c[0] - w->a[0], w->c[1] - w->a[1]}, length = hypot(d[0], d[1]);
    const double t = ((at->x - w->a[0]) * d[0] + (at->y - w->a[1]) * d[1]) / (length * length);

    (void)err;
    *value = 16.0 * t * t * (1.0 - t) * (1.0 - t) * w->speed * d[w->component] / length;
    return SAB_OK;
}

/* At least one side is held and one is open: a closed box of grains need not have a solution. */
static void make_boundaries(scene *s, unsigned long long *r)
{
    for (int i = 0; i < s->sides; i++) {
        sab_boundary *b = &s->boundary[i];
        const double kind = i == 0 ? 0.0 : i == 1 ? 0.9 : uniform(r, 0.0, 1.0);

        snprintf(s->name[i], sizeof s->name[i], "s%d", i + 1);
        b->group = s->name[i];
        if (kind < 0.4) {
            b->has_velocity = b->prescribed[0] = b->prescribed[1] = true;
        } else if (kind < 0.52) { /* moves along itself */
            const double *a = s->corner[i], *c = s->corner[(i + 1) % s->sides];
            const double speed = uniform(r, -0.5, 0.5);

            b->has_velocity = b->prescribed[0] = b->prescribed[1] = true;
            s->moving = true;
            for (int j = 0; j < 2; j++) {
                s->wall[i][j] = (wall){{a[0], a[1]}, {c[0], c[1]}, speed, j};
                b->velocity[j] = (sab_function){.call = wall_velocity, .data = &s->wall[i][j]};
            }
        } else if (kind < 0.65) {
            b->slip = true;
        } else if (kind < 0.8) {
            b->has_pressure = true;
            b->pressure = sab_constant(uniform(r, 0.0, 1.0));
        } else {
            b->has_traction = true;
            if (uniform(r, 0.0, 1.0) < 0.3)
                for (int c = 0; c < 2; c++)
                    b->traction[c] = sab_constant(uniform(r, -0.3, 0.3));
        }
    }
}

static void make_material(scene *s, unsigned long long *r)
{
    const double which = uniform(r, 0.0, 1.0), angle = uniform(r, 0.0, 2.0 * PI);

    s->friction = uniform(r, 0.0, 1.0) < 0.1 ? 0.0 : uniform(r, 0.0, 0.8);
    s->dilatancy = which < 0.4 ? 0.0 : which < 0.6 ? s->friction : uniform(r, 0.0, s->friction);
    s->bingham = uniform(r, 0.0, 1.0) < 0.5 ? 0.0 : decades(r, -2.0, 0.0);
    if (s->friction == 0.0 && s->bingham == 0.0)
        s->bingham = 0.3;
    s->dt = uniform(r, 0.0, 1.0) < 0.4 ? 0.0 : decades(r, -3.0, 0.0);
    s->reynolds = decades(r, 0.0, 3.0);
    if (s->dt > 0.0 && uniform(r, 0.0, 1.0) < 0.3)
        s->reynolds = INFINITY;
    s->material = (sab_material){.friction = sab_constant(s->friction),
                                 .dilatancy = sab_constant(s->dilatancy),
                                 .bingham = sab_constant(s->bingham),
                                 .reynolds = sab_constant(s->reynolds),
                                 .bulk = uniform(r, 0.0, 1.0) < 0.8 ? 1.0 : uniform(r, 0.1, 1.0)};
    s->gravity[0] = sab_constant(cos(angle));
    s->gravity[1] = sab_constant(sin(angle));
    for (int i = 0; i < 6; i++)
        s->before[i] = which < 0.5 ? 0.0 : uniform(r, -0.3, 0.3);
}

/* Write the .geo with sides of `h` times the relative sizes and mesh it. */
static sab_status mesh_scene(const scene *s, double h, const char *directory, sab_mesh **mesh,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh *coarse = NULL;
    char path[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/robustness-%ld.geo", directory, (long)getpid());
    file = fopen(path, "w");
    if (file == NULL)
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s'", path);
    for (int i = 0; i < s->sides; i++)
        fprintf(file, "Point(%d) = {%.9g, %.9g, 0, %.9g};\n", i + 1, s->corner[i][0],
                s->corner[i][1], h * s->size[i]);
    for (int i = 0; i < s->sides; i++)
        fprintf(file, "Line(%d) = {%d, %d};\nPhysical Curve(\"s%d\") = {%d};\n", i + 1, i + 1,
                (i + 1) % s->sides + 1, i + 1, i + 1);
    fprintf(file, "Curve Loop(1) = {1:%d};\nPlane Surface(1) = {1};\n", s->sides);
    fprintf(file,
            "Field[1] = Ball;\nField[1].XCenter = %.9g;\nField[1].YCenter = %.9g;\n"
            "Field[1].Radius = %.9g;\nField[1].VIn = %.9g;\nField[1].VOut = %.9g;\n"
            "Background Field = 1;\n",
            s->ball[0], s->ball[1], s->ball[2], h * s->ball_size, h);
    fclose(file);
    SAB_TRY(sab_mesh_read(path, 2, 0, NULL, &coarse, err));
    if (s->alfeld) {
        SAB_TRY(sab_mesh_split_alfeld(coarse, mesh, err));
    } else {
        *mesh = coarse;
        coarse = NULL;
    }
cleanup:
    sab_mesh_destroy(&coarse);
    remove(path);
    return status;
}

/* Coarsen until there are at most `triangles`. */
static sab_status mesh_to_size(const scene *s, int triangles, const char *directory,
                               sab_mesh **mesh, sab_error *err)
{
    double h = sqrt(3.0 / (0.3 * triangles));
    sab_status status = mesh_scene(s, h, directory, mesh, err);

    for (int k = 0; k < 12 && status == SAB_OK && (*mesh)->nelements > triangles; k++) {
        h *= fmin(1.5, fmax(1.1, sqrt((*mesh)->nelements / (double)triangles)));
        sab_mesh_destroy(mesh);
        status = mesh_scene(s, h, directory, mesh, err);
    }
    return status;
}

/* The velocity before the step at the points of the mass matrix. */
static void set_before(sab_flow *flow, const scene *s)
{
    if (flow->inertia == NULL)
        return;
    const sab_mass *m = flow->inertia->mass;
    double *v = flow->inertia->b;
    for (int p = 0; p < m->at->n; p++)
        for (int i = 0; i < 2; i++)
            v[2 * p + i] = s->before[3 * i] + s->before[3 * i + 1] * m->at->x[2 * p] +
                           s->before[3 * i + 2] * m->at->x[2 * p + 1];
    bench_follow_points(flow, v);
}

typedef struct limit {
    double end; /* CPU seconds */
    bool passed;
} limit;

static bool on_row(void *data, const sab_report *so_far)
{
    limit *l = data;

    (void)so_far;
    l->passed = sab_cpu_seconds() > l->end;
    return !l->passed;
}

typedef struct options {
    sab_solver_options solver;
    int triangles;
    double limit, keep, inertia;
    const char *directory, *write;
} options;

static sab_status run_one(unsigned long long seed, const options *o, sab_error *err)
{
    sab_status status = SAB_OK;
    unsigned long long r = bench_seed(seed);
    sab_mesh *mesh = NULL;
    sab_flow *flow = NULL;
    sab_solver *solver = NULL;
    double *lambda = NULL, *u = NULL;
    static const char *const reason[] = {"converged", "iterations", "stalled", "infeasible"};
    scene s = {0};
    sab_report report = {0};

    make_polygon(&s, &r);
    make_boundaries(&s, &r);
    make_material(&s, &r);
    const int triangles = (int)uniform(&r, 0.3 * o->triangles, o->triangles);
    SAB_TRY(mesh_to_size(&s, triangles, o->directory, &mesh, err));
    const sab_flow_setup setup = {.mesh = mesh,
                                  .element = &sab_element_p2,
                                  .geometry = &sab_geometry_plane,
                                  .material = &s.material,
                                  .gravity = s.gravity,
                                  .nboundaries = s.sides,
                                  .boundary = s.boundary,
                                  .solver = o->solver,
                                  .dt = s.dt,
                                  .order = 1};
    SAB_TRY(sab_flow_create(&setup, &flow, err));
    bench_set_inertia(flow, o->inertia);
    set_before(flow, &s);
    const sab_program *p = flow->program;
    SAB_NEW(lambda, (size_t)p->s * (size_t)p->npoints);
    SAB_NEW(u, p->n);
    limit l = {sab_cpu_seconds() + o->limit, false};
    const sab_solve_observer observer = {on_row, &l};
    const double begin = sab_cpu_seconds();
    SAB_TRY(sab_solver_create(&o->solver, p, &solver, err));
    status = sab_solver_run(solver, p, true, lambda, u, &observer, &report, err);
    if (status == SAB_INTERRUPTED && l.passed)
        status = SAB_OK;
    const sab_certificate *c = &report.certificate;
    const double merit = sab_certificate_merit(c);
    printf(
        "%llu,%s,%d,%d,%d,%.3f,%.3f,%.3g,%.3g,%.3g,%.2f,%s,%s,%d,%d,%d,%d,%.4f,%.3e,%.3e,%.3e,%.3e,"
        "%d,%.3e\n",
        seed, s.alfeld ? "alfeld" : "plain", s.moving ? 1 : 0, mesh->nelements, p->n, s.friction,
        s.dilatancy, s.bingham, s.reynolds, s.dt, p->bulk,
        status != SAB_OK ? "error"
        : l.passed       ? "limit"
                         : reason[report.reason],
        sab_method_table[report.method].name, report.work.outer, report.work.inner, report.work.factorisations,
        report.work.solves, sab_cpu_seconds() - begin, c->gap, c->compaction,
        c->relative, c->momentum, c->at_rest ? 1 : 0, merit);
    if (o->write != NULL && (status != SAB_OK || !(merit <= o->keep))) {
        char path[4096];

        snprintf(path, sizeof path, "%s/random-%llu.sabp", o->write, seed);
        SAB_TRY(sab_program_write(path, p, err));
    }
cleanup:
    sab_solver_destroy(&solver);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
    SAB_FREE(lambda);
    SAB_FREE(u);
    return status;
}

/* Run `one` in a process of its own, with at most so many seconds of CPU. Returns its exit code, or
 * minus the number of the signal that ended it. */
static int in_a_process(int (*one)(unsigned long long seed, const void *options),
                        unsigned long long seed, const void *o, double cpu_limit)
{
    int state = 0;

    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const rlim_t seconds = (rlim_t)cpu_limit;
        const struct rlimit cpu = {seconds, seconds};

        setrlimit(RLIMIT_CPU, &cpu);
        sab_threads_set(1);
        const int code = one(seed, o);
        fflush(stdout);
        _exit(code);
    }
    if (child < 0 || waitpid(child, &state, 0) != child)
        exit(1);
    return WIFSIGNALED(state) ? -WTERMSIG(state) : WEXITSTATUS(state);
}

static int one_program(unsigned long long seed, const void *o)
{
    sab_error err = {0};
    const sab_status status = run_one(seed, o, &err);

    if (status != SAB_OK)
        fprintf(stderr, "seed %llu: %s\n", seed, err.message);
    return status != SAB_OK;
}

enum { QUIET = 10 }; /* exit code of a flow that is wrong and does not say so */

static int one_flow(unsigned long long seed, const void *o)
{
    sab_error err = {0};
    bool quiet = false;
    const sab_status status = bench_flows_run(seed, o, &quiet, &err);

    if (status != SAB_OK)
        fprintf(stderr, "seed %llu: %s\n", seed, err.message);
    return status != SAB_OK ? 1 : quiet ? QUIET : 0;
}

static int run_programs(int count, unsigned long long first, const options *o)
{
    printf("seed,pair,moving,triangles,unknowns,friction,dilatancy,bingham,reynolds,dt,bulk,reason,"
           "method,"
           "outer,inner,factorisations,solves,cpu,gap,compaction,natural_relative,momentum,at_rest,"
           "merit\n");
    for (int k = 0; k < count; k++) {
        const unsigned long long seed = first + (unsigned long long)k;
        const int code = in_a_process(one_program, seed, o, 10.0 * o->limit + 20.0);

        if (code < 0)
            printf("%llu,,,,,,,,,,,signal %d,,,,,,,,,,,,\n", seed, -code);
    }
    return 0;
}

/* 1 if a flow is wrong and does not say so. */
static int run_flows(int count, unsigned long long first, const bench_flows *o)
{
    int quiet = 0;

    bench_flows_head();
    for (int k = 0; k < count; k++) {
        const unsigned long long seed = first + (unsigned long long)k;
        const int code = in_a_process(one_flow, seed, o, 600.0);

        quiet += code == QUIET;
        if (code < 0)
            printf("%llu,signal %d\n", seed, -code);
    }
    fprintf(stderr, "%d of %d flows end well with an excess above 1 %% of the work\n", quiet, count);
    return quiet > 0;
}

int main(int argc, char **argv)
{
    const int count = (int)bench_number(argc, argv, "--count", 200.0);
    const unsigned long long first = (unsigned long long)bench_number(argc, argv, "--seed", 1.0);
    options o = {.solver = sab_solver_options_default(),
                 .triangles = (int)bench_number(argc, argv, "--triangles", 600.0),
                 .limit = bench_number(argc, argv, "--limit", 3.0),
                 .inertia = bench_number(argc, argv, "--inertia", 0.0),
                 .directory = bench_option(argc, argv, "--directory", "."),
                 .write = bench_option(argc, argv, "--write", NULL)};

    bench_linear(argc, argv, &o.solver);
    o.solver.method = bench_method(bench_option(argc, argv, "--method", "auto"));
    o.solver.tolerance = bench_number(argc, argv, "--tolerance", 3e-2);
    o.keep = bench_number(argc, argv, "--keep", o.solver.tolerance);
    if (o.solver.method == SAB_METHOD_COUNT || bench_flag(argc, argv, "--help")) {
        fprintf(stderr, "see the head of bench/robustness.c\n");
        return 2;
    }
    const bench_flows flows = {.directory = o.directory,
                               .end = bench_number(argc, argv, "--end", 12.0),
                               .steps = (int)bench_number(argc, argv, "--steps", 150.0),
                               .tolerance = o.solver.tolerance,
                               .free_inflow = bench_flag(argc, argv, "--free-inflow")};
    return bench_flag(argc, argv, "--flows") ? run_flows(count, first, &flows)
                                             : run_programs(count, first, &o);
}

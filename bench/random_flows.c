/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "random_flows.h"
#include "base/memory.h"
#include "base/timer.h"
#include "run/march_flow.h"
#include "mesh/gmsh.h"
#include "random.h"

#include <stdio.h>
#include <unistd.h>

enum { SILO, HOPPER, CHANNEL, SIDES = 5 };
static const char *const kinds[] = {"silo", "hopper", "channel"};

/* Corners anticlockwise, sides s1 to s5 after them. */
typedef struct scene {
    int kind, order, sides;
    bool bubbles;
    double corner[SIDES][2], size[SIDES], outlet, dt, friction, reynolds, bingham;
    char name[SIDES][8];
    sab_boundary boundary[SIDES];
    sab_function gravity[2];
    sab_material material;
} scene;

static void open_side(scene *s, int i)
{
    s->boundary[i].has_traction = true;
}

static void hold_side(scene *s, int i, double speed)
{
    s->boundary[i].has_velocity = s->boundary[i].prescribed[0] = s->boundary[i].prescribed[1] = true;
    s->boundary[i].velocity[0] = sab_constant(speed);
}

static void put(scene *s, int i, double x, double y, double size)
{
    s->corner[i][0] = x;
    s->corner[i][1] = y;
    s->size[i] = size;
}

/* Half of a container with an outlet: outlet, bottom or slope, side, top, axis. */
static void make_container(scene *s, unsigned long long *r)
{
    const double W = uniform(r, 3.0, 8.0), H = uniform(r, 4.0, 8.0);
    const double rise = s->kind == HOPPER ? uniform(r, 0.2, 0.7) * H : 0.0;

    s->sides = 5;
    s->outlet = uniform(r, 0.1, 0.6) * W;
    put(s, 0, 0.0, 0.0, s->outlet / 6.0);
    put(s, 1, 0.5 * s->outlet, 0.0, s->outlet / 6.0);
    put(s, 2, 0.5 * W, rise, 0.15 * W);
    put(s, 3, 0.5 * W, H, 0.15 * W);
    put(s, 4, 0.0, H, 0.15 * W);
    open_side(s, 0);
    for (int i = 1; i < 3; i++)
        if (uniform(r, 0.0, 1.0) < 0.3)
            s->boundary[i].slip = true;
        else
            hold_side(s, i, 0.0);
    open_side(s, 3);
    s->boundary[4].slip = true;
    s->gravity[1] = sab_constant(-1.0);
}

/* Bottom held, top free, slipping or held; the left end fed or open, the right end open. */
static void make_channel(scene *s, unsigned long long *r)
{
    const double L = uniform(r, 2.0, 5.0), slope = uniform(r, 0.1, 1.5);
    const double top = uniform(r, 0.0, 1.0), feed = uniform(r, 0.0, 1.0);

    s->sides = 4;
    put(s, 0, 0.0, 0.0, 0.2);
    put(s, 1, L, 0.0, 0.2);
    put(s, 2, L, 1.0, 0.2);
    put(s, 3, 0.0, 1.0, 0.2);
    hold_side(s, 0, 0.0);
    open_side(s, 1);
    if (top < 0.4)
        open_side(s, 2);
    else if (top < 0.7)
        s->boundary[2].slip = true;
    else
        hold_side(s, 2, 0.0);
    if (feed < 0.4)
        hold_side(s, 3, uniform(r, 0.05, 0.5));
    else
        open_side(s, 3);
    s->gravity[0] = sab_constant(sin(slope));
    s->gravity[1] = sab_constant(-cos(slope));
}

static void make_scene(scene *s, unsigned long long *r)
{
    s->kind = (int)uniform(r, 0.0, 2.999);
    s->order = uniform(r, 0.0, 1.0) < 0.5 ? 1 : 2;
    s->bubbles = uniform(r, 0.0, 1.0) < 0.5;
    s->dt = decades(r, log10(0.02), log10(0.2));
    s->reynolds = uniform(r, 0.0, 1.0) < 0.3 ? INFINITY : decades(r, 1.0, 4.0);
    s->friction = uniform(r, 0.0, 0.6);
    s->bingham = uniform(r, 0.0, 1.0) < 0.8 ? 0.0 : decades(r, -3.0, -1.0);
    s->material = (sab_material){.friction = sab_constant(s->friction),
                                 .bingham = sab_constant(s->bingham),
                                 .reynolds = sab_constant(s->reynolds),
                                 .bulk = 1.0};
    for (int i = 0; i < SIDES; i++) {
        snprintf(s->name[i], sizeof s->name[i], "s%d", i + 1);
        s->boundary[i].group = s->name[i];
    }
    if (s->kind == CHANNEL)
        make_channel(s, r);
    else
        make_container(s, r);
}

static sab_status make_mesh(const scene *s, const char *directory, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh *coarse = NULL;
    char path[4096];

    snprintf(path, sizeof path, "%s/flow-%ld.geo", directory, (long)getpid());
    FILE *file = fopen(path, "w");
    if (file == NULL)
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s'", path);
    for (int i = 0; i < s->sides; i++)
        fprintf(file, "Point(%d) = {%.9g, %.9g, 0, %.9g};\n", i + 1, s->corner[i][0],
                s->corner[i][1], s->size[i]);
    for (int i = 0; i < s->sides; i++)
        fprintf(file, "Line(%d) = {%d, %d};\nPhysical Curve(\"s%d\") = {%d};\n", i + 1, i + 1,
                (i + 1) % s->sides + 1, i + 1, i + 1);
    fprintf(file, "Curve Loop(1) = {1:%d};\nPlane Surface(1) = {1};\n", s->sides);
    fclose(file);
    SAB_TRY(sab_mesh_read(path, 2, 0, NULL, &coarse, err));
    if (!s->bubbles) {
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

void bench_flows_head(void)
{
    printf("seed,kind,order,pair,dt,reynolds,friction,bingham,outlet,triangles,end,steps,missed,"
           "unsound,retries,energy,created,at,excess,growth,made,dilation,defect,courant,quiet,cpu\n");
}

sab_status bench_flows_run(unsigned long long seed, const bench_flows *o, bool *quiet,
                           sab_error *err)
{
    static const char *const end[] = {"goes_on", "steady", "finished", "given_up", "unstable"};
    unsigned long long r = bench_seed(seed);
    sab_status status = SAB_OK;
    sab_mesh *mesh = NULL;
    sab_flow *flow = NULL;
    sab_probes *probes = NULL;
    sab_march *march = NULL;
    scene s = {0};

    make_scene(&s, &r);
    SAB_TRY(make_mesh(&s, o->directory, &mesh, err));
    sab_flow_setup setup = {.mesh = mesh,
                            .element = s.bubbles ? &sab_element_p2b : &sab_element_p2,
                            .geometry = &sab_geometry_plane,
                            .material = &s.material,
                            .gravity = s.gravity,
                            .nboundaries = s.sides,
                            .boundary = s.boundary,
                            .solver = sab_solver_options_default(),
                            .dt = s.dt,
                            .order = s.order,
                            .free_inflow = o->free_inflow};
    setup.solver.tolerance = o->tolerance;
    SAB_TRY(sab_flow_create(&setup, &flow, err));
    SAB_TRY(sab_probes_create(flow, 0, NULL, &probes, err));
    const sab_march_options options = {.end = fmin(o->end, o->steps * s.dt),
                                       .window = 1.0,
                                       .probe = -1,
                                       .max_missed = 20};
    SAB_TRY(sab_march_flow_create(flow, probes, &options, &march, err));
    while (march->end == SAB_MARCH_GOES_ON) {
        sab_flow_report report;

        SAB_TRY(sab_march_step(march, NULL, &report, err));
    }
    const sab_march_energy e = sab_march_energies(march);
    double largest = 0.0, excess = 0.0, growth = -INFINITY; /* of a step, relative to E */
    double work = 0.0, created = 0.0;                    /* of all; what has no source, if positive */
    for (int i = 0; i < march->rows; i++) {
        const sab_ledger *l = sab_march_ledger(march, i);

        largest = fmax(largest, l->energy);
        work += fabs(l->gravity) + fabs(l->traction) + fabs(l->walls);
        created += fmax(0.0, l->carried - l->in + l->out);
        excess = fmax(excess, l->excess / l->energy);
        growth = fmax(growth, (l->carried - l->given - l->loss - l->viscous -
                               fmax(l->friction, 0.0) - l->inflow) /
                                  l->energy);
    }
    *quiet = sab_march_is_good(march) && !(created <= 0.01 * work);
    printf("%llu,%s,%d,%s,%.3g,%.3g,%.3f,%.3g,%.3g,%d,%s,%d,%d,%d,%d,%.4g,%.3g,%d,%.3g,%.3g,%.3g,%.3g,%.1e,%.3g,"
           "%d,%.2f\n",
           seed, kinds[s.kind], s.order, s.bubbles ? "p2b" : "alfeld", s.dt, s.reynolds, s.friction,
           s.bingham, s.outlet, mesh->nelements, end[march->end], march->rows, march->missed,
           e.unsound, march->total.retries, largest, e.created, e.created_step, excess, growth, e.share, e.parting, e.defect,
           sab_fields_courant(flow->fields, s.dt), *quiet ? 1 : 0, sab_cpu_seconds());
cleanup:
    sab_march_destroy(&march);
    sab_probes_destroy(&probes);
    sab_flow_destroy(&flow);
    sab_mesh_destroy(&mesh);
    return status;
}

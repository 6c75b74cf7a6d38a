/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/scene_report.h"
#include "run/march_grains.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double along(int dim, const double *a, const double *b)
{
    double sum = 0.0;

    for (int k = 0; k < dim; k++)
        sum += a[k] * b[k];
    return sum;
}

static const char *law_name(const sab_scene *s)
{
    static const char *const name[SAB_GRAINS_SCHEMES] = {
        [SAB_GRAINS_COULOMB] = "Coulomb's law",
        [SAB_GRAINS_RELAXED] = "relaxed: sliding contacts keep a gap",
        [SAB_GRAINS_FIXED_POINT] = "Coulomb's law by relaxed programs",
    };

    return name[s->grains->options.scheme];
}

/* ---- on the terminal ------------------------------------------------------------------------- */

static bool all_are_round(const sab_bodies *b)
{
    for (int i = 0; i < b->n; i++)
        if (!sab_bodies_is_round(b, i))
            return false;
    return true;
}

static void describe_walls(const sab_scene *s, const sab_teller *out)
{
    const sab_grains *g = s->grains;

    for (int w = 0; w < s->c->nwalls; w++) {
        const sab_case_wall *wall = &s->c->wall[w];
        int facets = 0;

        for (int k = 0; k < g->nwalls; k++) /* without the copies of a room that repeats itself */
            facets += g->wall[k].part == w && g->wall[k].image[0] == 0 &&
                      g->wall[k].image[1] == 0 && g->wall[k].image[2] == 0;
        if (wall->open)
            sab_tell(out, "open           %s: grains behind it have left", wall->name);
        else
            sab_tell(out, "wall           %s: %d %s, friction %g%s", wall->name, facets,
                     wall->has_point       ? "plane"
                     : wall->beads > 0.0   ? "beads"
                     : g->bodies->dim == 2 ? facets == 1 ? "segment" : "segments"
                                           : "triangles",
                     wall->friction, wall->has_velocity ? ", moves" : "");
    }
}

void sab_describe_scene(const sab_scene *s, const sab_teller *out)
{
    const sab_grains *g = s->grains;
    const sab_bodies *b = g->bodies;

    sab_tell(out, "grains         %d %s%s of %s %.4g to %.4g, mass %.6g in all", b->n,
             b->dim == 3        ? "sphere"
             : all_are_round(b) ? "disc"
                                : "ellipse",
             b->n == 1 ? "" : "s", all_are_round(b) ? "radius" : "semi-axes",
             sab_bodies_smallest(b), sab_bodies_largest(b), s->mass);
    for (int k = 0; k < b->dim; k++)
        if (b->box.length[k] > 0.0)
            sab_tell(out, "               the room repeats itself after %g along %s",
                     b->box.length[k], s->c->geometry->coordinate[k]);
    sab_tell(out, "               friction %g, restitution %g; %s", g->options.friction,
             g->options.restitution, law_name(s));
    describe_walls(s, out);
    if (g->options.travel > 0.0)
        sab_tell(out,
                 "               a step is made of several where a grain would move by more "
                 "than %g radii",
                 g->options.travel);
}

void sab_describe_scene_result(const sab_run *run, const sab_teller *out)
{
    const sab_march *m = run->march;
    const sab_grains_energy e = sab_march_grains_energies(m);
    const sab_march_figures f = sab_summary_figures(m);
    const sab_case *c = run->session.c;

    sab_tell(out, "contacts       %.4g pairs, %.4g bear; %.3g steps in one row",
             run->result.mean[SAB_GRAINS_PAIRS], run->result.mean[SAB_GRAINS_LOADED],
             run->result.mean[SAB_GRAINS_SUBSTEPS]);
    sab_tell(out,
             "energy         of the work %.2g was lost in impacts, %.2g by friction; "
             "%.2g came of nothing",
             e.work > 0.0 ? (e.sum.jump + e.sum.gap - e.sum.bounce) / e.work : 0.0,
             e.work > 0.0 ? (e.sum.friction - e.sum.opening) / e.work : 0.0, e.share);
    sab_tell(out, "overlap        at most %.2e of a radius, after step %d", e.overlap, e.worst);
    sab_tell(out, "worst step     %d: residual %.3e, C = %.3e (tolerance %g); %d steps missed",
             f.worst_step, f.worst_gap, f.worst_compaction, c->solver.tolerance, f.missed);
}

/* ---- summary.json ---------------------------------------------------------------------------- */

static void ledger(sab_json *json, const sab_march *m)
{
    const sab_grains_energy e = sab_march_grains_energies(m);
    double sum[SAB_GRAINS_COLUMNS - SAB_GRAINS_LEDGER];

    memcpy(sum, &e.sum, sizeof sum);
    sab_json_begin_object(json, "ledger");
    for (int i = 0; i < SAB_GRAINS_COLUMNS - SAB_GRAINS_LEDGER; i++)
        sab_json_number(json, sab_grains_column_name[SAB_GRAINS_LEDGER + i] + strlen("ledger_"),
                        sum[i]);
    sab_json_number(json, "work", e.work);
    sab_json_number(json, "made", e.made);
    sab_json_number(json, "made_share", e.share);
    sab_json_end_object(json);
}

void sab_summary_scene(sab_json *json, const sab_scene *s, const sab_run_result *result)
{
    const sab_grains *g = s->grains;
    const sab_report *r = &result->report.solve;
    const sab_grains_energy e = sab_march_grains_energies(result->march);
    double left = 0.0;

    for (int k = 0; k < g->nsinks; k++)
        left += g->left[k];
    sab_json_begin_object(json, "grains");
    sab_json_integer(json, "count", g->bodies->n);
    sab_json_number(json, "mass", s->mass);
    sab_json_number(json, "left", left);
    sab_json_number(json, "radius_min", sab_bodies_smallest(g->bodies));
    sab_json_number(json, "radius_max", sab_bodies_largest(g->bodies));
    sab_json_number(json, "friction", g->options.friction);
    sab_json_number(json, "pairs", result->mean[SAB_GRAINS_PAIRS]);
    sab_json_number(json, "loaded", result->mean[SAB_GRAINS_LOADED]);
    sab_json_number(json, "programs", result->mean[SAB_GRAINS_PROGRAMS]);
    sab_json_integer(json, "substeps", g->step);
    sab_json_number(json, "overlap", e.overlap);
    sab_json_integer(json, "overlap_step", e.worst);
    sab_json_end_object(json);
    sab_json_begin_object(json, "solver");
    sab_json_string(json, "method", sab_method_table[r->method].name);
    sab_json_number(json, "tolerance", s->c->solver.tolerance);
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        sab_json_integer(json, sab_work_table[i].name, (int64_t)sab_work_get(&r->work, i));
    sab_json_number(json, "merit", sab_certificate_merit(&r->certificate));
    sab_json_number(json, "gap", r->certificate.gap);
    sab_json_number(json, "natural", r->certificate.natural);
    sab_json_number(json, "natural_relative", r->certificate.relative);
    sab_json_number(json, "compaction", r->certificate.compaction);
    sab_json_number(json, "momentum", r->certificate.momentum);
    sab_json_end_object(json);
    ledger(json, result->march);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static double speed_at(const sab_case_wall *w, int dim, double time, double *velocity)
{
    const sab_vars at = {.t = time};
    double square = 0.0;

    for (int k = 0; k < dim; k++) {
        if (sab_function_at(&w->velocity[k], &at, &velocity[k], NULL) != SAB_OK)
            return NAN; /* a formula may have no value after the end of the run */
        square += velocity[k] * velocity[k];
    }
    return sqrt(square);
}

/* A wall has one velocity in a step, that of its middle. How far that is off, in parts of the way:
 * the integral of |v - v_middle| over that of |v|, by points that no period hides from. */
static double missed_motion(const sab_scene *s, const sab_case_wall *w)
{
    enum { STEPS = 4096, POINTS = 16 };
    static const double GOLDEN = 0.61803398874989485;
    const int dim = s->c->geometry->dim;
    const double travel = s->c->grains.travel * sab_bodies_smallest(s->grains->bodies);
    const double most = travel > 0.0 ? travel : INFINITY;
    double off = 0.0, way = 0.0, time = 0.0, middle[SAB_DIM], v[SAB_DIM];

    for (int i = 0; i < STEPS && time < s->c->time.end && !(w->until > 0.0 && time > w->until);
         i++) {
        double dt = s->c->time.step;

        for (int k = 0; k < 2; k++) /* steps are chosen by the speed now, and in their middle */
            dt = fmin(dt, most / speed_at(w, dim, time + 0.5 * k * dt, v));
        speed_at(w, dim, time + 0.5 * dt, middle);
        for (int p = 1; p <= POINTS; p++) {
            double square = 0.0;

            way += dt * speed_at(w, dim, time + dt * fmod(p * GOLDEN, 1.0), v);
            for (int k = 0; k < dim; k++)
                square += (v[k] - middle[k]) * (v[k] - middle[k]);
            off += dt * sqrt(square);
        }
        if (!isfinite(off + way))
            break;
        time += dt;
    }
    return way > 0.0 ? off / way : 0.0;
}

/* With three steps in a period a wall is still half its way off. */
static void warn_motion(const sab_scene *s, sab_warnings *warnings)
{
    for (int w = 0; w < s->c->nwalls; w++) {
        const sab_case_wall *wall = &s->c->wall[w];
        const double off = wall->has_velocity ? missed_motion(s, wall) : 0.0;

        if (off > 0.5)
            sab_warnings_add(warnings,
                             "walls.%s.velocity: changes faster than the steps; a step takes that "
                             "of its middle, which is off by %.0f %% of the way: give time.step a "
                             "tenth of a period or less",
                             wall->name, 100.0 * off);
    }
}

void sab_warn_scene(const sab_scene *s, sab_warnings *warnings)
{
    const sab_bodies *b = s->grains->bodies;
    const double largest = sab_bodies_largest(b);
    double smallest = largest; /* grain, of an ellipse the larger semi-axis */

    for (int i = 0; i < b->n; i++)
        smallest = fmin(smallest, b->radius[i]);
    if (largest > 5.0 * smallest)
        sab_warnings_add(warnings,
                         "grains.radius: the largest is %.3g times the smallest; pairs are looked "
                         "for in cells of the size of the largest, which takes long",
                         largest / smallest);
    if (s->outside > 0)
        sab_warnings_add(warnings,
                         "grains.fill: %d grain%s outside the mesh, beside it rather than above: "
                         "beyond its walls, if they are its sides",
                         s->outside, s->outside == 1 ? " is" : "s are");
    bool facets = false;

    for (int w = 0; w < s->grains->nwalls; w++)
        facets = facets || s->grains->wall[w].kind == SAB_GRAIN_WALL_FACET;
    if (facets && (s->c->grains.travel == 0.0 || s->c->grains.travel > 1.0))
        sab_warnings_add(
            warnings,
            "grains.travel: %g; grains may move by more than a radius in one step, and "
            "through thin walls",
            s->c->grains.travel);
    warn_motion(s, warnings);
}

/* Grains that are lower than any wall, and that nothing below will stop or let out. */
static int count_fallen(const sab_scene *s)
{
    const sab_grains *g = s->grains;
    const sab_bodies *b = g->bodies;
    const double *down = g->options.gravity;
    double lowest = -INFINITY;
    int fallen = 0;

    for (int k = 0; k < g->nsinks; k++)
        if (along(b->dim, g->sink[k].normal, down) < 0.0)
            return 0;
    for (int w = 0; w < g->nwalls; w++) {
        const sab_grain_wall *wall = &g->wall[w];

        if (wall->kind == SAB_GRAIN_WALL_PLANE && !wall->gone &&
            along(b->dim, wall->normal, down) < 0.0)
            return 0;
        for (int c = 0; wall->kind != SAB_GRAIN_WALL_PLANE && c < b->dim; c++)
            lowest = fmax(lowest, along(b->dim, wall->corner[wall->radius > 0.0 ? 0 : c], down));
    }
    const double size = sqrt(along(b->dim, down, down));
    for (int i = 0; i < b->n && isfinite(lowest); i++) {
        double x[3];

        sab_bodies_place(b, i, x); /* down a chute that repeats itself they go far */
        fallen +=
            along(b->dim, x, down) > lowest + 2.0 * size * (b->radius[i] + sab_bodies_largest(b));
    }
    return fallen;
}

void sab_warn_scene_result(sab_run *run)
{
    const sab_march *m = run->march;
    const sab_march_figures f = sab_summary_figures(m);
    const sab_grains_energy e = sab_march_grains_energies(m);
    const sab_case *c = run->session.c;
    const int fallen = count_fallen(run->session.scene);
    char list[400] = "";
    size_t n = 0;

    if (fallen > 0)
        sab_warnings_add(&run->warnings,
                         "%d grain%s below all walls and fall%s on, ever faster; a plane with "
                         "open: true lets them leave",
                         fallen, fallen == 1 ? " is" : "s are", fallen == 1 ? "s" : "");
    for (int by = SAB_MISS_NONE + 1; by < SAB_MISS_COUNT; by++)
        if (f.missed_by[by] > 0 && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%d by %s", n > 0 ? ", " : "",
                                  f.missed_by[by], sab_miss_table[by].text);
    if (m->end == SAB_MARCH_GIVEN_UP)
        sab_warnings_add(&run->warnings,
                         "given up after %d steps that missed (time.max_missed: %d)", f.missed,
                         m->options.max_missed);
    if (m->end == SAB_MARCH_UNSTABLE)
        sab_warnings_add(&run->warnings, "the energy of the grains is not finite any more");
    if (f.missed > 0)
        sab_warnings_add(&run->warnings,
                         "%d of %d steps missed: %s; the largest residual is %.2g, in step %d, the "
                         "tolerance %g; the largest overlap %.2g of a radius, in step %d",
                         f.missed, m->rows, list, f.worst_gap, f.worst_step, c->solver.tolerance,
                         e.overlap, e.worst);
    if (e.share > SAB_MADE_OF_NOTHING && e.first > 0.5 * e.made)
        sab_warnings_add(&run->warnings,
                         "the energy %.2g was made of nothing in the first step, of %.2g in all "
                         "and a work of %.2g: by grains that overlap at time 0, and are moved "
                         "apart within one step; smaller steps make more of it",
                         e.first, e.made, e.work);
    else if (e.share > SAB_MADE_OF_NOTHING)
        sab_warnings_add(&run->warnings,
                         "%.2g %% of the work was made of nothing, more than %g %%: by grains that "
                         "overlap, or by a solver that is too coarse; use a smaller time.step, "
                         "grains.travel or solver.tolerance",
                         100.0 * e.share, 100.0 * SAB_MADE_OF_NOTHING);
}

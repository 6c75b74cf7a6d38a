/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/grains.h"

#include "base/memory.h"
#include "grains/repeat.h"

#include <math.h>
#include <string.h>

enum { FIXED_POINT_MOST = 200 };

/* Pairs are looked for so many times farther than they are known to move. */
static const double MARGIN = 2.0;

sab_grains_options sab_grains_options_default(void)
{
    sab_grains_options o = {.step = 0.01, .travel = 0.2, .fixed_point = 1e-2};

    o.solver = sab_solver_options_default();
    o.solver.tolerance = 1e-3;
    return o;
}

/* Workspace of a step. */
typedef struct work {
    sab_program *program;
    sab_solver *solver;
    double *scale, *gap;        /* [pairs] */
    double *lambda, *gamma, *k; /* [pairs][s] */
    double *shift;              /* [pairs] of the fixed point */
    double *u;                  /* [n] */
} work;

static void work_clear(work *w)
{
    sab_program_destroy(&w->program);
    sab_solver_destroy(&w->solver);
    SAB_FREE(w->scale);
    SAB_FREE(w->gap);
    SAB_FREE(w->lambda);
    SAB_FREE(w->gamma);
    SAB_FREE(w->k);
    SAB_FREE(w->shift);
    SAB_FREE(w->u);
}

static sab_status check_options(const sab_grains_options *o, sab_error *err)
{
    if ((int)o->scheme < 0 || o->scheme >= SAB_GRAINS_SCHEMES)
        return sab_fail(err, SAB_ERR_INPUT, "there is no scheme %d of grains", (int)o->scheme);
    if (!(o->friction >= 0.0 && isfinite(o->friction) && o->restitution >= 0.0 &&
          o->restitution <= 1.0))
        return sab_fail(err, SAB_ERR_INPUT,
                        "grains need friction >= 0 and a restitution from 0 to 1: %g and %g",
                        o->friction, o->restitution);
    if (!(o->step > 0.0 && isfinite(o->step) && o->travel >= 0.0 && o->reach >= 0.0 &&
          o->fixed_point > 0.0))
        return sab_fail(err, SAB_ERR_INPUT,
                        "grains need a step > 0, travel >= 0, reach >= 0: %g, %g, %g", o->step,
                        o->travel, o->reach);
    return SAB_OK;
}

static sab_status check_walls(const sab_bodies *b, int nwalls, const sab_grain_wall *wall,
                              int nsinks, const sab_grain_wall *sink, sab_error *err)
{
    for (int w = 0; w < nwalls; w++)
        if (wall[w].dim != b->dim || !(wall[w].friction >= 0.0) ||
            !(wall[w].restitution >= 0.0 && wall[w].restitution <= 1.0))
            return sab_fail(
                err, SAB_ERR_INPUT,
                "wall %d needs %d dimensions, friction >= 0 and a restitution from 0 to 1", w,
                b->dim);
    for (int k = 0; k < nsinks; k++)
        if (sink[k].kind != SAB_GRAIN_WALL_PLANE || sink[k].dim != b->dim)
            return sab_fail(err, SAB_ERR_INPUT, "sink %d is not a plane of %d dimensions", k,
                            b->dim);
    return SAB_OK;
}

sab_status sab_grains_create(const sab_grains_options *options, sab_bodies **bodies, int nwalls,
                             const sab_grain_wall *wall, int nsinks, const sab_grain_wall *sink,
                             sab_grains **grains, sab_error *err)
{
    sab_grains *g = NULL;
    sab_status status = SAB_OK;

    *grains = NULL;
    SAB_TRY(check_options(options, err));
    SAB_TRY(check_walls(*bodies, nwalls, wall, nsinks, sink, err));
    SAB_NEW(g, 1);
    g->options = *options;
    SAB_TRY(sab_walls_repeat(&(*bodies)->box, nwalls, wall, &g->nwalls, &g->wall, err));
    for (int k = 0; k < nsinks; k++)
        SAB_TRY(sab_wall_fits(&(*bodies)->box, &sink[k], err));
    SAB_NEW(g->sink, nsinks + 1);
    SAB_NEW(g->wall_impulse, 3 * g->nwalls + 1);
    SAB_NEW(g->left, nsinks + 1);
    if (nsinks > 0)
        memcpy(g->sink, sink, (size_t)nsinks * sizeof *sink);
    g->nsinks = nsinks;
    g->bodies = *bodies;
    *bodies = NULL;
    *grains = g;
    g = NULL;
cleanup:
    sab_bodies_destroy(bodies);
    sab_grains_destroy(&g);
    return status;
}

void sab_grains_destroy(sab_grains **grains)
{
    sab_grains *g = *grains;

    if (g == NULL)
        return;
    sab_bodies_destroy(&g->bodies);
    SAB_FREE(g->wall);
    SAB_FREE(g->sink);
    SAB_FREE(g->wall_impulse);
    SAB_FREE(g->left);
    SAB_FREE(g->impulse);
    sab_pairs_clear(&g->pairs);
    SAB_FREE(*grains);
}

static double norm(int dim, const double *x)
{
    double sum = 0.0;

    for (int k = 0; k < dim; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/* The velocities of walls whose motion is a function of time, and which of them are still there. */
static sab_status set_walls(sab_grains *g, double time, sab_error *err)
{
    const sab_vars at = {.t = time};
    sab_status status = SAB_OK;

    for (int w = 0; w < g->nwalls; w++) {
        g->wall[w].gone = g->wall[w].until > 0.0 && time > g->wall[w].until;
        for (int k = 0; g->wall[w].motion != NULL && k < g->bodies->dim; k++)
            SAB_TRY(sab_function_at(&g->wall[w].motion[k], &at, &g->wall[w].velocity[k], err));
    }
cleanup:
    return status;
}

/* Of the grains, with these velocities, and of the walls. */
static double fastest(const sab_grains *g, const double *velocity)
{
    const sab_bodies *b = g->bodies;
    double speed = 0.0;

    for (int i = 0; i < b->n; i++) { /* no normal of an ellipse passes its centre farther off */
        const double *v = velocity + i * b->freedoms;
        const double off = b->radius[i] - sab_bodies_least(b, i);

        speed = fmax(speed, norm(b->dim, v) + off * fabs(v[b->dim]));
    }
    for (int w = 0; w < g->nwalls; w++)
        speed = fmax(speed, g->wall[w].gone ? 0.0 : norm(b->dim, g->wall[w].velocity));
    return speed;
}

/* The longest step: speed dt + gravity dt^2 <= travel r; any without grains */
static double step_of(const sab_grains *g, double speed, double most)
{
    const double length = g->options.travel * sab_bodies_smallest(g->bodies);
    const double gravity = norm(g->bodies->dim, g->options.gravity);
    const double root = speed + sqrt(speed * speed + 4.0 * gravity * length);

    return length > 0.0 && root > 0.0 ? fmin(most, 2.0 * length / root) : most;
}

/* How far a pair may be apart that meets within the step: twice what it closes in free motion, for
 * contacts may make a grain faster. Whether they did is seen after the step (step_by). */
static double reach_of(const sab_grains *g, double speed, double dt)
{
    const double moved = 2.0 * dt * (speed + dt * norm(g->bodies->dim, g->options.gravity));

    return fmax(g->options.reach, MARGIN * moved);
}

/* The length of the next step, `most` at the longest, and the speed it is for: a wall may be faster
 * in the middle of it than it is now. */
static sab_status choose_step(sab_grains *g, double most, double *dt, double *speed, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(set_walls(g, g->time, err));
    *speed = fastest(g, g->bodies->velocity);
    *dt = step_of(g, *speed, most);
    SAB_TRY(set_walls(g, g->time + 0.5 * *dt, err));
    *speed = fmax(*speed, fastest(g, g->bodies->velocity));
    *dt = step_of(g, *speed, most);
cleanup:
    return status;
}

static int64_t name_of(const sab_bodies *b, int j)
{
    return j < b->n ? b->id[j] : -1 - (int64_t)(j - b->n);
}

bool sab_grains_find_pair(const sab_grains *g, const sab_impulse *p, sab_pair *pair)
{
    const sab_bodies *b = g->bodies;

    *pair = (sab_pair){.i = sab_bodies_find(b, p->i),
                       .j = p->j >= 0 ? sab_bodies_find(b, p->j) : b->n + (int)(-1 - p->j)};
    return pair->i >= 0 && pair->j >= 0;
}

/* Grains before walls, each in its order: as pairs are sorted. */
static bool before(const sab_impulse *a, int64_t i, int64_t j)
{
    if (a->i != i)
        return a->i < i;
    if ((a->j < 0) != (j < 0))
        return j < 0;
    return a->j < 0 ? a->j > j : a->j < j;
}

/* The impulses of the step before, in the frames and scales of now. */
static void warm(const sab_grains *g, const work *w)
{
    const sab_bodies *b = g->bodies;
    const int dim = b->dim;
    int at = 0;

    for (int q = 0; q < g->pairs.n; q++) {
        const sab_pair *pair = &g->pairs.pair[q];
        const int64_t i = b->id[pair->i], j = name_of(b, pair->j);
        double frame[9];

        while (at < g->nimpulses && before(&g->impulse[at], i, j))
            at++;
        if (at == g->nimpulses || g->impulse[at].i != i || g->impulse[at].j != j)
            continue;
        sab_contact_frame(dim, pair->normal, frame);
        for (int c = 0; c < dim; c++) {
            double sum = 0.0;

            for (int k = 0; k < dim; k++)
                sum += frame[c * dim + k] * g->impulse[at].value[k];
            w->lambda[q * dim + c] = sum / w->scale[q];
        }
    }
}

static void keep_impulses(sab_grains *g, const work *w, sab_grains_report *report)
{
    const int dim = g->bodies->dim;

    g->nimpulses = 0;
    for (int q = 0; q < g->pairs.n; q++) {
        const sab_pair *pair = &g->pairs.pair[q];
        const double *lambda = w->lambda + q * dim;
        sab_impulse *to = &g->impulse[g->nimpulses];
        double frame[9];

        if (!(lambda[0] > 0.0))
            continue;
        sab_contact_frame(dim, pair->normal, frame);
        *to = (sab_impulse){.i = g->bodies->id[pair->i], .j = name_of(g->bodies, pair->j)};
        for (int k = 0; k < dim; k++) {
            for (int c = 0; c < dim; c++)
                to->value[k] += w->scale[q] * lambda[c] * frame[c * dim + k];
            if (pair->j >= g->bodies->n)
                g->wall_impulse[3 * (pair->j - g->bodies->n) + k] += to->value[k];
        }
        g->nimpulses++;
    }
    report->loaded = g->nimpulses;
}

/* gamma = B u + k with the k of the distances */
static void relative_velocities(const work *w)
{
    sab_blocks_multiply(w->program->B, w->u, w->gamma);
    for (int i = 0; i < w->program->npoints * w->program->s; i++)
        w->gamma[i] += w->k[i];
}

static double tangential(int s, const double *gamma)
{
    return norm(s - 1, gamma + 1);
}

/* What a change of sliding speeds is held against where nothing slides, the same in any units: the
 * speed of a fall by a radius, or what moves without gravity. */
static double usual_speed(const sab_grains *g)
{
    const sab_bodies *b = g->bodies;
    const double fall = 2.0 * norm(b->dim, g->options.gravity) * sab_bodies_smallest(b);

    return fall > 0.0 ? sqrt(fall) : fastest(g, b->velocity);
}

/* Relaxed programs whose gap mu |u_T| is taken from the solution before, until it changes no more
 * [docs/theory.md, 12.2]. */
static sab_status fixed_point(sab_grains *g, work *w, const sab_solve_observer *observer,
                              sab_grains_report *report, sab_error *err)
{
    sab_program *p = w->program;
    const double usual = usual_speed(g);
    sab_work sum = {0};
    sab_status status = SAB_OK;

    report->change = INFINITY;
    while (report->change > g->options.fixed_point && report->programs < FIXED_POINT_MOST) {
        double change = 0.0, size = 0.0;

        for (int q = 0; q < p->npoints; q++)
            p->k[q * p->s] = w->k[q * p->s] + p->friction[q] * w->shift[q];
        SAB_TRY(sab_solver_run(w->solver, p, report->programs == 0, w->lambda, w->u, observer,
                               &report->solve, err));
        report->programs++;
        sab_work_add(&sum, &report->solve.work);
        relative_velocities(w);
        for (int q = 0; q < p->npoints; q++) {
            const double slip = tangential(p->s, w->gamma + q * p->s);
            const double unscaled = 1.0 / w->scale[q]; /* of a velocity */

            change += (slip - w->shift[q]) * (slip - w->shift[q]) * unscaled * unscaled;
            size += w->shift[q] * w->shift[q] * unscaled * unscaled;
            w->shift[q] = slip;
        }
        report->change = change > 0.0 ? sqrt(change) / (sqrt(size) + usual) : 0.0;
        if (report->solve.reason != SAB_CONVERGED)
            break;
    }
    report->solve.work = sum;
    memcpy(p->k, w->k, (size_t)(p->npoints * p->s) * sizeof *p->k);
cleanup:
    return status;
}

static sab_status prepare(sab_grains *g, double dt, work *w, sab_error *err)
{
    const sab_contact_law law = {g->options.friction, g->options.restitution,
                                 g->options.scheme != SAB_GRAINS_COULOMB};
    const size_t pairs = (size_t)g->pairs.n, rows = pairs * (size_t)g->bodies->dim;
    sab_status status = SAB_OK;

    SAB_NEW(w->scale, pairs);
    SAB_NEW(w->gap, pairs);
    SAB_NEW(w->lambda, rows);
    SAB_NEW(w->gamma, rows);
    SAB_NEW(w->k, rows);
    SAB_NEW(w->shift, pairs);
    SAB_NEW(w->u, g->bodies->n * g->bodies->freedoms);
    if (pairs == 0)
        goto cleanup;
    SAB_TRY(sab_contact_program(g->bodies, g->wall, &g->pairs, &law, g->options.gravity, dt,
                                w->scale, w->gap, &w->program, err));
    memcpy(w->k, w->program->k, rows * sizeof *w->k);
    if (g->pairs.n > g->capacity) {
        sab_impulse *wider = sab_realloc(g->impulse, pairs, sizeof *wider);

        if (wider == NULL)
            SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory for the impulses of %d pairs", g->pairs.n);
        g->impulse = wider;
        g->capacity = g->pairs.n;
    }
cleanup:
    return status;
}

/* Solve for the velocities after the step, w->u. */
static sab_status solve(sab_grains *g, work *w, const sab_solve_observer *observer,
                        sab_grains_report *report, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_program_check(w->program, err));
    SAB_TRY(sab_solver_create(&g->options.solver, w->program, &w->solver, err));
    if (!g->options.cold) {
        warm(g, w);
        memcpy(w->u, g->bodies->velocity, (size_t)w->program->n * sizeof *w->u);
    }
    if (g->options.scheme == SAB_GRAINS_FIXED_POINT)
        SAB_TRY(fixed_point(g, w, observer, report, err));
    else {
        SAB_TRY(sab_solver_run(w->solver, w->program, true, w->lambda, w->u, observer,
                               &report->solve, err));
        report->programs = 1;
    }
    report->converged =
        report->solve.reason == SAB_CONVERGED && report->change <= g->options.fixed_point;
    relative_velocities(w);
cleanup:
    return status;
}

static double mass_of(const sab_bodies *b, int i, int freedom)
{
    return freedom < b->dim ? b->mass[i] : b->inertia[i];
}

/* The energies of a step from b->velocity to w->u [docs/theory.md, 12.3]; returns what is made of
 * nothing. */
static double fill_ledger(const sab_grains *g, const work *w, double dt, sab_grains_ledger *l)
{
    const sab_bodies *b = g->bodies;
    double before_step = 0.0, halfway = 0.0; /* work of gravity with the mean velocity */

    *l = (sab_grains_ledger){0};
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->freedoms; k++) {
            const double m = mass_of(b, i, k), v = b->velocity[i * b->freedoms + k],
                         next = w->u[i * b->freedoms + k];

            before_step += 0.5 * m * v * v;
            l->kinetic += 0.5 * m * next * next;
            l->jump += 0.5 * m * (next - v) * (next - v);
            l->gravity += k < b->dim ? m * dt * g->options.gravity[k] * next : 0.0;
            halfway += k < b->dim ? m * dt * g->options.gravity[k] * 0.5 * (v + next) : 0.0;
        }
    l->gain = l->kinetic - before_step;
    for (int q = 0; q < g->pairs.n; q++) {
        const int s = b->dim;
        const double *lambda = w->lambda + q * s, *gamma = w->gamma + q * s;
        const double held = lambda[0] * w->scale[q] * w->gap[q];

        l->opening += lambda[0] * gamma[0];
        for (int i = 1; i < s; i++)
            l->friction -= lambda[i] * gamma[i];
        if (w->gap[q] == g->pairs.pair[q].gap / dt)
            l->gap += held;
        else
            l->bounce -= held;
        l->walls += held;
        for (int i = 0; i < s; i++) /* k = c (gap - wall velocity) */
            l->walls -= lambda[i] * w->k[q * s + i];
    }
    l->defect =
        l->gain - (l->gravity - l->jump - l->friction - l->gap + l->opening + l->walls + l->bounce);
    return fmax(0.0, l->gain - fmax(l->gravity, halfway) - l->walls);
}

/* Largest overlap of the pairs where the grains are now, in parts of the smaller radius. */
static sab_status measure_overlap(const sab_grains *g, double *worst, sab_error *err)
{
    const sab_bodies *b = g->bodies;
    sab_status status = SAB_OK;

    *worst = 0.0;
    for (int q = 0; q < g->pairs.n; q++) {
        sab_pair p = g->pairs.pair[q];
        double least = sab_bodies_least(b, p.i);

        if (p.j < b->n)
            least = fmin(least, sab_bodies_least(b, p.j));
        SAB_TRY(sab_pair_measure(b, g->wall, &p, err));
        *worst = fmax(*worst, -p.gap / least);
    }
cleanup:
    return status;
}

bool sab_grains_is_behind(const sab_grain_wall *plane, const sab_bodies *b, int i)
{
    double n[3], arm[3], top = sab_grain_wall_distance(plane, b->position + i * b->dim, n);

    sab_bodies_arm(b, i, n, arm);
    for (int k = 0; k < b->dim; k++)
        top += arm[k] * n[k];
    return top < 0.0;
}

/* Grains wholly behind a sink are gone. */
static double drain(sab_grains *g)
{
    sab_bodies *b = g->bodies;
    double left = 0.0;

    for (int k = 0; k < g->nsinks; k++)
        for (int i = b->n; i-- > 0;)
            if (sab_grains_is_behind(&g->sink[k], b, i)) {
                left += b->mass[i];
                g->left[k] += b->mass[i];
                sab_bodies_remove(b, i);
            }
    return left;
}

sab_status sab_grains_program(sab_grains *g, sab_program **program, sab_error *err)
{
    double dt, speed;
    work w = {0};
    sab_status status = SAB_OK;

    *program = NULL;
    SAB_TRY(choose_step(g, g->options.step, &dt, &speed, err));
    SAB_TRY(set_walls(g, g->time + 0.5 * dt, err));
    SAB_TRY(sab_pairs_find(&g->pairs, g->bodies, g->nwalls, g->wall, reach_of(g, speed, dt), err));
    SAB_TRY(prepare(g, dt, &w, err));
    *program = w.program;
    w.program = NULL;
cleanup:
    work_clear(&w);
    return status;
}

/* The velocities after a step of `dt`, w->u, with the pairs up to `reach`. */
static sab_status meet(sab_grains *g, double dt, double reach, work *w,
                       const sab_solve_observer *observer, sab_grains_report *report,
                       sab_error *err)
{
    const sab_bodies *b = g->bodies;
    sab_status status = SAB_OK;

    SAB_TRY(sab_pairs_find(&g->pairs, b, g->nwalls, g->wall, reach, err));
    report->pairs = g->pairs.n;
    SAB_TRY(prepare(g, dt, w, err));
    if (g->pairs.n > 0)
        SAB_TRY(solve(g, w, observer, report, err));
    else
        for (int i = 0; i < b->n; i++)
            for (int k = 0; k < b->freedoms; k++)
                w->u[i * b->freedoms + k] = b->velocity[i * b->freedoms + k] +
                                            (k < b->dim ? dt * g->options.gravity[k] : 0.0);
cleanup:
    return status;
}

/* One step of `dt`. If contacts have made a grain so fast that it may have met one beyond reach,
 * the step is done again with all that it can meet. */
static sab_status step_by(sab_grains *g, double dt, double speed,
                          const sab_solve_observer *observer, sab_grains_report *report,
                          sab_error *err)
{
    sab_bodies *b = g->bodies;
    double reach = reach_of(g, speed, dt), closed = 0.0;
    work w = {0};
    sab_work done = {0};
    sab_status status = SAB_OK;

    SAB_TRY(set_walls(g, g->time + 0.5 * dt, err));
    do {
        reach = fmax(reach, MARGIN * closed);
        work_clear(&w);
        *report = (sab_grains_report){.dt = dt, .steps = 1, .converged = true};
        SAB_TRY(meet(g, dt, reach, &w, observer, report, err));
        sab_work_add(&done, &report->solve.work);
        closed = 2.0 * dt * fastest(g, w.u);
    } while (closed > reach && report->converged); /* one that has missed says so anyway */
    report->solve.work = done;
    report->made = fill_ledger(g, &w, dt, &report->ledger);
    keep_impulses(g, &w, report);
    memcpy(b->velocity, w.u, (size_t)(b->n * b->freedoms) * sizeof *w.u);
    sab_bodies_move(b, dt);
    for (int i = 0; i < g->nwalls; i++) {
        sab_grain_wall_move(&g->wall[i], dt);
        sab_wall_take_back(&b->box, &g->wall[i]);
    }
    SAB_TRY(measure_overlap(g, &report->overlap, err));
    report->left = drain(g);
    g->step++;
    g->time += dt;
    g->last_dt = dt;
cleanup:
    work_clear(&w);
    return status;
}

static void forget_wall_impulses(sab_grains *g)
{
    memset(g->wall_impulse, 0, (size_t)(3 * g->nwalls) * sizeof *g->wall_impulse);
}

sab_status sab_grains_step(sab_grains *g, const sab_solve_observer *observer,
                           sab_grains_report *report, sab_error *err)
{
    double dt, speed;
    sab_status status = SAB_OK;

    forget_wall_impulses(g);
    SAB_TRY(choose_step(g, g->options.step, &dt, &speed, err));
    SAB_TRY(step_by(g, dt, speed, observer, report, err));
cleanup:
    return status;
}

/* One more step in the report of an advance. */
static void add_report(sab_grains_report *sum, const sab_grains_report *one)
{
    const bool worse = sum->steps == 0 || sab_certificate_merit(&one->solve.certificate) >
                                              sab_certificate_merit(&sum->solve.certificate);
    sab_work done = sum->solve.work;
    const sab_grains_ledger before = sum->ledger;

    sab_work_add(&done, &one->solve.work);
    if (worse || (sum->converged && !one->converged))
        sum->solve = one->solve;
    sum->solve.work = done;
    sum->change = fmax(sum->change, one->change);
    sum->programs += one->programs;
    sum->pairs = one->pairs;
    sum->loaded = one->loaded;
    sum->dt = sum->steps == 0 ? one->dt : fmin(sum->dt, one->dt);
    sum->overlap = fmax(sum->overlap, one->overlap);
    sum->left += one->left;
    sum->made += one->made;
    sum->ledger = one->ledger; /* of the kinetic energy the last */
    sum->ledger.gain += before.gain;
    sum->ledger.gravity += before.gravity;
    sum->ledger.jump += before.jump;
    sum->ledger.friction += before.friction;
    sum->ledger.gap += before.gap;
    sum->ledger.opening += before.opening;
    sum->ledger.walls += before.walls;
    sum->ledger.bounce += before.bounce;
    sum->ledger.defect += before.defect;
    sum->converged = sum->converged && one->converged;
    sum->steps++;
}

sab_status sab_grains_advance(sab_grains *g, double length, const sab_solve_observer *observer,
                              sab_grains_report *report, sab_error *err)
{
    const double begin = g->time, end = begin + length;
    sab_grains_state before = {0};
    sab_status status = SAB_OK;

    *report = (sab_grains_report){.converged = true};
    SAB_TRY(sab_grains_get_state(g, &before, err));
    forget_wall_impulses(g);
    for (double left = length; left > 1e-9 * length; left = end - g->time) {
        sab_grains_report one;
        double longest, speed;

        SAB_TRY(choose_step(g, left, &longest, &speed, err));
        SAB_TRY(
            step_by(g, left / ceil(left / longest * (1.0 - 1e-12)), speed, observer, &one, err));
        add_report(report, &one);
    }
    g->time = end; /* not the sum of its parts: rows of a table have equal lengths */
cleanup:
    if (status == SAB_INTERRUPTED && sab_grains_set_state(g, &before, err) != SAB_OK)
        status = SAB_ERR_MEMORY;
    sab_grains_state_clear(&before);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/march_grains.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

const char *const sab_grains_column_name[SAB_GRAINS_COLUMNS] = {
    [SAB_HISTORY_STEP] = "step",
    [SAB_HISTORY_TIME] = "time",
    [SAB_HISTORY_OUTER] = "outer",
    [SAB_HISTORY_INNER] = "inner",
    [SAB_HISTORY_FACTORISATIONS] = "factorisations",
    [SAB_HISTORY_SOLVES] = "solves",
    [SAB_GRAINS_RESIDUAL] = "residual",
    [SAB_GRAINS_CHANGE] = "change",
    [SAB_HISTORY_COMPACTION] = "compaction",
    [SAB_GRAINS_OVERLAP] = "overlap",
    [SAB_HISTORY_NATURAL] = "natural",
    [SAB_HISTORY_MOMENTUM] = "momentum",
    [SAB_HISTORY_RETRIES] = "retries",
    [SAB_HISTORY_MISSED] = "missed",
    [SAB_HISTORY_UNSOUND] = "unsound",
    [SAB_GRAINS_SUBSTEPS] = "substeps",
    [SAB_GRAINS_PROGRAMS] = "programs",
    [SAB_GRAINS_COUNT] = "grains",
    [SAB_GRAINS_PAIRS] = "pairs",
    [SAB_GRAINS_LOADED] = "loaded",
    [SAB_GRAINS_LEFT] = "left",
    [SAB_GRAINS_MADE] = "made",
    [SAB_GRAINS_LEDGER] = "ledger_kinetic",
    "ledger_gain",
    "ledger_gravity",
    "ledger_jump",
    "ledger_friction",
    "ledger_gap",
    "ledger_opening",
    "ledger_walls",
    "ledger_bounce",
    "ledger_defect",
};
_Static_assert(sizeof(sab_grains_ledger) ==
                   (SAB_GRAINS_COLUMNS - SAB_GRAINS_LEDGER) * sizeof(double),
               "a column for each entry of the ledger");

typedef struct body {
    sab_scene *scene; /* borrowed */
    sab_grains_report report;
    int steps;
    double begun; /* kinetic energy at time 0 */
} body;

typedef struct relay {
    const sab_flow_observer *to;
} relay;

static bool pass_on(void *data, const sab_report *so_far)
{
    const sab_flow_observer *to = ((relay *)data)->to;

    return to == NULL || to->row == NULL || to->row(to->data, 0, so_far);
}

/* What kept a step from its tolerance. */
static sab_limit missed_by(const sab_scene *s, const sab_grains_report *r)
{
    const double tolerance = s->c->solver.tolerance;

    const sab_limit by =
        r->converged ? (sab_limit){SAB_MISS_NONE, 0.0} : sab_report_missed(&r->solve, tolerance);

    if (r->overlap > s->c->grains.overlap && by.by != SAB_MISS_INFEASIBLE)
        return (sab_limit){SAB_MISS_OVERLAP, r->overlap};
    return r->converged || by.by != SAB_MISS_NONE ? by : (sab_limit){SAB_MISS_CHANGE, r->change};
}

/* The energy that gravity would give this mass in a row of so many steps, if nothing bore it:
 * grains at rest move by rounding and by what the tolerance leaves, whose work is no scale. */
static double borne(const sab_scene *s, double mass, int steps)
{
    double square = 0.0;

    for (int k = 0; k < s->grains->bodies->dim; k++)
        square += pow(s->grains->options.gravity[k] * s->c->time.step, 2.0);
    return 0.5 * mass * square / steps;
}

static double mass_of(const sab_bodies *b)
{
    double sum = 0.0;

    for (int i = 0; i < b->n; i++)
        sum += b->mass[i];
    return sum;
}

static sab_status advance(void *data, const sab_flow_observer *observer, sab_flow_report *report,
                          sab_error *err)
{
    body *b = data;
    sab_scene *s = b->scene;
    relay to = {observer};
    const sab_solve_observer solver = {pass_on, &to};
    sab_grains_report r;
    sab_status status = SAB_OK;

    if (s->grains->nsinks > 0)
        memcpy(s->before, s->grains->left, (size_t)s->grains->nsinks * sizeof *s->before);
    s->length = s->c->time.step;
    SAB_TRY(sab_grains_advance(s->grains, s->length, &solver, &r, err));
    b->report = r;
    b->steps++;
    *report = (sab_flow_report){
        .solve = r.solve, .viscosity_iterations = r.programs, .missed = missed_by(s, &r)};
    report->converged = report->missed.by == SAB_MISS_NONE;
    report->unstable = !isfinite(r.ledger.kinetic);
    report->unsound =
        r.made >
        SAB_MADE_OF_NOTHING * (r.ledger.kinetic + fabs(r.ledger.gravity) + fabs(r.ledger.walls) +
                               borne(s, mass_of(s->grains->bodies), r.steps));
cleanup:
    return status;
}

static sab_status probe(void *data, const sab_probe_result **result, sab_error *err)
{
    return sab_scene_probe(((const body *)data)->scene, result, err);
}

static void fill_row(const void *data, const sab_flow_report *report, double *row)
{
    const body *b = data;
    const sab_grains_report *r = &b->report;
    const sab_certificate *c = &r->solve.certificate;

    row[SAB_HISTORY_STEP] = b->steps;
    row[SAB_HISTORY_TIME] = b->scene->grains->time;
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        row[SAB_HISTORY_OUTER + i] = sab_work_get(&r->solve.work, i);
    row[SAB_GRAINS_RESIDUAL] = fmax(c->relative, c->gap);
    row[SAB_GRAINS_CHANGE] = r->change;
    row[SAB_HISTORY_COMPACTION] = c->compaction;
    row[SAB_GRAINS_OVERLAP] = r->overlap;
    row[SAB_HISTORY_NATURAL] = c->natural;
    row[SAB_HISTORY_MOMENTUM] = c->momentum;
    row[SAB_HISTORY_RETRIES] = 0.0;
    row[SAB_HISTORY_MISSED] = (double)report->missed.by;
    row[SAB_HISTORY_UNSOUND] = report->unstable ? 2.0 : report->unsound ? 1.0 : 0.0;
    row[SAB_GRAINS_SUBSTEPS] = r->steps;
    row[SAB_GRAINS_PROGRAMS] = r->programs;
    row[SAB_GRAINS_COUNT] = b->scene->grains->bodies->n;
    row[SAB_GRAINS_PAIRS] = r->pairs;
    row[SAB_GRAINS_LOADED] = r->loaded;
    row[SAB_GRAINS_LEFT] = r->left;
    row[SAB_GRAINS_MADE] = r->made;
    memcpy(row + SAB_GRAINS_LEDGER, &r->ledger, sizeof r->ledger);
}

static double time_of(const void *data)
{
    return ((const body *)data)->scene->grains->time;
}

static sab_status restore(void *data, const void *state, sab_error *err)
{
    body *b = data;
    const sab_status status = sab_grains_set_state(b->scene->grains, state, err);

    b->steps = (int)lround(b->scene->grains->time / b->scene->c->time.step);
    return status;
}

sab_grains_energy sab_march_grains_energies(const sab_march *m)
{
    const body *b = m->body.data;
    sab_grains_energy e = {.work = b->begun};
    double sum[SAB_GRAINS_COLUMNS - SAB_GRAINS_LEDGER] = {0}, resting = 0.0, mass = b->scene->mass;

    for (int i = 0; i < m->rows; i++) {
        const double *row = m->history + (size_t)i * (size_t)m->columns;
        sab_grains_ledger l;

        memcpy(&l, row + SAB_GRAINS_LEDGER, sizeof l);
        e.work += fabs(l.gravity) + fabs(l.walls);
        e.made += row[SAB_GRAINS_MADE];
        resting += borne(b->scene, mass, (int)row[SAB_GRAINS_SUBSTEPS]);
        e.first = i == 0 ? e.made : e.first;
        mass -= row[SAB_GRAINS_LEFT];
        if (row[SAB_GRAINS_OVERLAP] > e.overlap) {
            e.overlap = row[SAB_GRAINS_OVERLAP];
            e.worst = i + 1;
        }
        for (int k = 1; k < SAB_GRAINS_COLUMNS - SAB_GRAINS_LEDGER; k++)
            sum[k] += row[SAB_GRAINS_LEDGER + k];
        sum[0] = l.kinetic;
    }
    memcpy(&e.sum, sum, sizeof sum);
    e.work = fmax(e.work, resting);
    e.share = e.made > 0.0 ? e.made / e.work : 0.0;
    return e;
}

static double made(const sab_march *m)
{
    return sab_march_grains_energies(m).share;
}

static double kinetic_of(const sab_bodies *b)
{
    double sum = 0.0;

    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < b->freedoms; k++)
            sum += 0.5 * (k < b->dim ? b->mass[i] : b->inertia[i]) *
                   pow(b->velocity[i * b->freedoms + k], 2.0);
    return sum;
}

sab_status sab_march_grains_create(sab_scene *scene, const sab_march_options *options,
                                   sab_march **march, sab_error *err)
{
    body *b = sab_alloc(1, sizeof *b);

    *march = NULL;
    if (b == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the steps of grains");
    *b = (body){.scene = scene, .begun = kinetic_of(scene->grains->bodies)};
    const sab_march_body made_of = {.data = b,
                                    .step = scene->c->time.step,
                                    .nprobes = scene->c->nprobes,
                                    .fixed = SAB_GRAINS_COLUMNS,
                                    .name = sab_grains_column_name,
                                    .made = made,
                                    .advance = advance,
                                    .probe = probe,
                                    .report = fill_row,
                                    .time = time_of,
                                    .restore = restore,
                                    .destroy = sab_free};
    return sab_march_create(&made_of, options, march, err);
}

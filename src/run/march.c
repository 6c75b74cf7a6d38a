/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/march.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <string.h>

const char *const sab_history_name[SAB_HISTORY_FIXED] = {
    [SAB_HISTORY_STEP] = "step",
    [SAB_HISTORY_TIME] = "time",
    [SAB_HISTORY_OUTER] = "outer",
    [SAB_HISTORY_INNER] = "inner",
    [SAB_HISTORY_FACTORISATIONS] = "factorisations",
    [SAB_HISTORY_SOLVES] = "solves",
    [SAB_HISTORY_GAP] = "gap",
    [SAB_HISTORY_GAP_RATE] = "gap_rate",
    [SAB_HISTORY_COMPACTION] = "compaction",
    [SAB_HISTORY_RATE] = "rate_residual",
    [SAB_HISTORY_NATURAL] = "natural",
    [SAB_HISTORY_MOMENTUM] = "momentum",
    [SAB_HISTORY_RETRIES] = "retries",
    [SAB_HISTORY_MISSED] = "missed",
    [SAB_HISTORY_UNSOUND] = "unsound",
    [SAB_HISTORY_LENGTH] = "length",
    [SAB_HISTORY_COURANT] = "courant",
    [SAB_HISTORY_OUTFLOW] = "outflow",
    [SAB_HISTORY_NET] = "volume_net",
    [SAB_HISTORY_PARTING] = "volume_parting",
    [SAB_HISTORY_BARRIER] = "volume_barrier",
    [SAB_HISTORY_COMPACTED] = "volume_compaction",
    [SAB_HISTORY_LEDGER] = "ledger_energy",
    "ledger_gain",
    "ledger_gravity",
    "ledger_traction",
    "ledger_walls",
    "ledger_viscous",
    "ledger_friction",
    "ledger_inflow",
    "ledger_loss",
    "ledger_carried",
    "ledger_in",
    "ledger_out",
    "ledger_given",
    "ledger_dilation",
    "ledger_excess",
    "ledger_defect",
    "ledger_lifted",
};

/* Steps of full length in a window: at least one, and so few that two windows can be counted. */
static double window_steps(const sab_march *march)
{
    const double steps = round(march->options.window / march->body.step);

    return fmax(1.0, fmin(steps, INT_MAX / 2));
}

/* The length of a step, in those of full length. */
static double weight_of(const sab_march *m, int row)
{
    const double length = sab_march_is_flow(m)
                              ? m->history[(size_t)row * (size_t)m->columns + SAB_HISTORY_LENGTH]
                              : 0.0;

    return length > 0.0 ? length / m->body.step : 1.0;
}

/* Rows of the window that ends before row `end`. */
static int window_rows(const sab_march *m, int end)
{
    const double steps = window_steps(m);
    double sum = 0.0;
    int rows = 0;

    while (rows < end && sum < steps)
        sum += weight_of(m, end - ++rows);
    return rows;
}

bool sab_march_is_flow(const sab_march *m)
{
    return m->body.fixed == 0;
}

bool sab_march_is_creeping(const sab_march *m)
{
    return m->body.step == 0.0;
}

double sab_march_time(const sab_march *m)
{
    return m->body.time(m->body.data);
}

/* Times are multiples of a small power of 1/2, but for rounding. */
double sab_march_at(const sab_march *m)
{
    static const double fine = 1 << 20;

    return rint(fine * (sab_march_time(m) / m->body.step)) / fine;
}

double sab_march_last(const sab_march *m)
{
    return m->rows > 0 ? weight_of(m, m->rows - 1) : 0.0;
}

static int columns_of(const sab_probe_result *r)
{
    return sab_probe_is_profile(r->probe) ? 0 : r->components;
}

static int profile_columns_of(const sab_probe_result *r)
{
    return sab_probe_is_profile(r->probe) ? r->samples * r->components + r->beside : 0;
}

int sab_march_watched(const sab_march *march)
{
    int column = march->fixed;

    if (march->options.probe < 0)
        return -1;
    for (int i = 0; i < march->options.probe; i++)
        column += columns_of(&march->probe[i]);
    return column;
}

sab_status sab_march_create(const sab_march_body *body, const sab_march_options *options,
                            sab_march **march, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_march *m = sab_alloc(1, sizeof *m);

    *march = NULL;
    if (m == NULL) {
        if (body->destroy != NULL)
            body->destroy(body->data);
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the steps of a run");
    }
    m->body = *body;
    m->options = *options;
    SAB_TRY(body->probe(body->data, &m->probe, err)); /* of the initial state */
    m->fixed = body->fixed > 0 ? body->fixed : SAB_HISTORY_FIXED;
    m->columns = m->fixed;
    for (int i = 0; i < body->nprobes; i++) {
        m->columns += columns_of(&m->probe[i]);
        m->profile_columns += profile_columns_of(&m->probe[i]);
    }
    if (options->probe >= body->nprobes ||
        (options->probe >= 0 && columns_of(&m->probe[options->probe]) != 1)) {
        status = sab_fail(err, SAB_ERR_INPUT, "time.probe: the probe watched must be one number");
        goto cleanup;
    }
    *march = m;
    m = NULL;
cleanup:
    sab_march_destroy(&m);
    return status;
}

void sab_march_destroy(sab_march **march)
{
    if (*march != NULL) {
        if ((*march)->body.destroy != NULL)
            (*march)->body.destroy((*march)->body.data);
        SAB_FREE((*march)->history);
        SAB_FREE((*march)->profiles);
        SAB_FREE(*march);
    }
}

/* Room for one more row. */
static sab_status reserve(sab_march *m, int rows, sab_error *err)
{
    if (rows <= m->capacity)
        return SAB_OK;
    const int capacity = 2 * rows;
    double *grown =
        sab_realloc(m->history, (size_t)capacity * (size_t)m->columns, sizeof *m->history);

    if (grown == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the history of %d steps", capacity);
    m->history = grown;
    m->capacity = capacity;
    return SAB_OK;
}

/* Room for the profiles of one more step; those before the last window go when there are two. */
static sab_status reserve_profiles(sab_march *m, int rows, sab_error *err)
{
    const int w = window_rows(m, m->rows);
    const size_t columns = (size_t)m->profile_columns;

    if (columns == 0)
        return SAB_OK;
    if (w > 0 && m->profile_rows - w >= w) {
        memmove(m->profiles, m->profiles + (size_t)(m->profile_rows - w) * columns,
                (size_t)w * columns * sizeof *m->profiles);
        m->profile_rows = w;
    }
    if (m->profile_rows + rows <= m->profile_capacity)
        return SAB_OK;
    const int capacity = 2 * (m->profile_rows + rows);
    double *grown = sab_realloc(m->profiles, (size_t)capacity * columns, sizeof *m->profiles);

    if (grown == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the profiles of %d steps",
                        capacity);
    m->profiles = grown;
    m->profile_capacity = capacity;
    return SAB_OK;
}

static void keep_profiles(sab_march *m)
{
    double *row = m->profiles;

    if (m->profile_columns == 0)
        return;
    row += (size_t)m->profile_rows++ * (size_t)m->profile_columns;
    for (int i = 0; i < m->body.nprobes; i++) {
        const int n = profile_columns_of(&m->probe[i]);

        if (n > 0)
            memcpy(row, m->probe[i].value, (size_t)n * sizeof *row);
        row += n;
    }
}

static void fill_row(const sab_march *m, const sab_flow_report *report, double *row)
{
    m->body.report(m->body.data, report, row);
    row += m->fixed;
    for (int i = 0; i < m->body.nprobes; i++)
        for (int k = 0; k < columns_of(&m->probe[i]); k++)
            *row++ = m->probe[i].value[k];
}

/* Mean in time and deviation of `rows` numbers, `stride` apart, of the steps from row `first`. */
static double mean_with(const sab_march *m, int first, int rows, const double *value, int stride,
                        double *deviation)
{
    double sum = 0.0, square = 0.0, total = 0.0;

    for (int i = 0; i < rows; i++) {
        const double w = weight_of(m, first + i);

        sum += w * value[(size_t)i * (size_t)stride];
        total += w;
    }
    const double mean = sum / total;
    for (int i = 0; i < rows; i++) {
        const double d = value[(size_t)i * (size_t)stride] - mean;

        square += weight_of(m, first + i) * d * d;
    }
    if (deviation != NULL)
        *deviation = rows > 1 ? sqrt(square / (total - total / rows)) : 0.0;
    return mean;
}

/* Of `rows` rows from `first`, for column c. */
static double mean_of(const sab_march *m, int first, int rows, int c, double *deviation)
{
    return mean_with(m, first, rows, m->history + (size_t)first * (size_t)m->columns + (size_t)c,
                     m->columns, deviation);
}

/* At the end of every window: has the mean stayed where it was in the window before? A flow that
 * has come to rest is steady too. */
static bool is_steady(const sab_march *m)
{
    const int column = sab_march_watched(m);
    const double steps = window_steps(m), at = sab_march_at(m);

    if (column < 0 || m->options.steady <= 0.0 || at < 2.0 * steps || fmod(at, steps) != 0.0)
        return false;
    const int w = window_rows(m, m->rows), before_w = window_rows(m, m->rows - w);
    const double now = mean_of(m, m->rows - w, w, column, NULL);
    const double before = mean_of(m, m->rows - w - before_w, before_w, column, NULL);
    return fabs(now - before) <= m->options.steady * fabs(now);
}

static sab_march_end find_end(const sab_march *m)
{
    const double *last = m->history + (size_t)(m->rows - 1) * (size_t)m->columns;

    if (last[SAB_HISTORY_MISSED] == (double)SAB_MISS_INFEASIBLE)
        return SAB_MARCH_INFEASIBLE;
    if (sab_march_is_creeping(m))
        return SAB_MARCH_FINISHED;
    if (last[SAB_HISTORY_UNSOUND] == 2.0)
        return SAB_MARCH_UNSTABLE;
    if (m->missed > m->options.max_missed)
        return SAB_MARCH_GIVEN_UP;
    if (is_steady(m))
        return SAB_MARCH_STEADY;
    return sab_march_at(m) >= rint(m->options.end / m->body.step) ? SAB_MARCH_FINISHED
                                                                  : SAB_MARCH_GOES_ON;
}

sab_status sab_march_step(sab_march *m, const sab_flow_observer *observer, sab_flow_report *report,
                          sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(reserve(m, m->rows + 1, err));
    SAB_TRY(reserve_profiles(m, 1, err));
    SAB_TRY(m->body.advance(m->body.data, observer, report, err));
    SAB_TRY(m->body.probe(m->body.data, &m->probe, err));
    fill_row(m, report, m->history + (size_t)m->rows * (size_t)m->columns);
    keep_profiles(m);
    m->rows++;
    m->missed += !report->converged;
    m->end = find_end(m);
    const int retries = m->total.retries + report->retries;
    sab_flow_add_work(&m->total.solve, &report->solve);
    const sab_report sum = m->total.solve;
    m->total = *report;
    m->total.solve = sum;
    m->total.retries = retries;
cleanup:
    return status;
}

int sab_march_window(const sab_march *m, double *mean, double *deviation, double *length)
{
    const int rows = window_rows(m, m->rows);
    double steps = 0.0;

    for (int i = m->rows - rows; i < m->rows; i++)
        steps += weight_of(m, i);
    if (length != NULL)
        *length = steps * m->body.step;
    for (int c = 0; c < m->columns && rows > 0; c++) {
        double d;
        const double value = mean_of(m, m->rows - rows, rows, c, &d);

        if (mean != NULL)
            mean[c] = value;
        if (deviation != NULL)
            deviation[c] = d;
    }
    return rows;
}

const sab_ledger *sab_march_ledger(const sab_march *m, int row)
{
    const double *at = m->history + (size_t)row * (size_t)m->columns + SAB_HISTORY_LEDGER;

    return (const void *)at; /* doubles, as fill_row has copied them */
}

sab_march_energy sab_march_energies(const sab_march *m)
{
    sab_march_energy e = {0};

    for (int i = 0; i < m->rows; i++) {
        const sab_ledger *l = sab_march_ledger(m, i);
        const double work = fabs(l->gravity) + fabs(l->traction) + fabs(l->walls);
        const double created = (l->dilation + l->excess) / l->energy;

        sab_ledger_add(&e.sum, l);
        e.work += work;
        const double own = l->excess + l->dilation, entered = l->in - l->given - l->inflow;
        e.made += fmax(0.0, own + fmax(0.0, entered));
        e.given += l->given;
        if (l->energy > 0.0)
            e.defect = fmax(e.defect, fabs(l->defect) / fmax(l->energy, work));
        if (created > e.created) {
            e.created = created;
            e.created_step = i + 1;
        }
        e.unsound += m->history[(size_t)i * (size_t)m->columns + SAB_HISTORY_UNSOUND] != 0.0;
    }
    e.work = e.work > 0.0 ? e.work : e.given; /* driven by what is fed alone */
    e.share = e.made > 0.0 ? e.made / e.work : 0.0;
    e.parting = e.work > 0.0 ? e.sum.dilation / e.work : 0.0;
    return e;
}

bool sab_march_is_good(const sab_march *m)
{
    const double share = m->body.made != NULL ? m->body.made(m) : sab_march_energies(m).share;

    return m->missed == 0 && m->end != SAB_MARCH_GIVEN_UP && m->end != SAB_MARCH_UNSTABLE &&
           share <= SAB_MADE_OF_NOTHING;
}

const double *sab_march_kept(const sab_march *m, int *rows)
{
    const int w = window_rows(m, m->rows);

    *rows = m->profile_rows < w ? m->profile_rows : w;
    if (m->profiles == NULL)
        return NULL;
    return m->profiles + (size_t)(m->profile_rows - *rows) * (size_t)m->profile_columns;
}

int sab_march_profile(const sab_march *m, int probe, double *mean, double *deviation)
{
    int rows;
    const double *first = sab_march_kept(m, &rows);

    for (int i = 0; i < probe; i++)
        first += profile_columns_of(&m->probe[i]);
    for (int k = 0; k < profile_columns_of(&m->probe[probe]) && rows > 0; k++)
        mean[k] = mean_with(m, m->rows - rows, rows, first + k, m->profile_columns, &deviation[k]);
    return rows;
}

sab_volume sab_march_volume(const double *row)
{
    sab_volume v = {.outflow = row[SAB_HISTORY_OUTFLOW],
                    .net = row[SAB_HISTORY_NET],
                    .parting = row[SAB_HISTORY_PARTING],
                    .barrier = row[SAB_HISTORY_BARRIER],
                    .compaction = row[SAB_HISTORY_COMPACTED]};

    v.dilatancy = v.net - v.parting - v.barrier + v.compaction;
    return v;
}

sab_status sab_march_restore(sab_march *m, const void *state, int rows, const double *history,
                             int kept, const double *profiles, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(reserve(m, rows, err));
    m->profile_rows = 0;
    SAB_TRY(reserve_profiles(m, kept, err));
    SAB_TRY(m->body.restore(m->body.data, state, err));
    memcpy(m->history, history, (size_t)rows * (size_t)m->columns * sizeof *history);
    if (m->profile_columns > 0 && kept > 0)
        memcpy(m->profiles, profiles, (size_t)kept * (size_t)m->profile_columns * sizeof *profiles);
    m->profile_rows = kept;
    m->rows = rows;
    m->missed = 0;
    for (int i = 0; i < rows; i++)
        m->missed += history[(size_t)i * (size_t)m->columns + SAB_HISTORY_MISSED] != 0.0;
    SAB_TRY(m->body.probe(m->body.data, &m->probe, err));
    m->end = rows > 0 ? find_end(m) : SAB_MARCH_GOES_ON;
cleanup:
    return status;
}

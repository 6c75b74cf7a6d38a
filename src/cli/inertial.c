#include "cli/inertial.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cli/live.h"
#include "cli/watch.h"
#include "io/file.h"
#include "io/program_file.h"

#include <stdio.h>
#include <string.h>

typedef struct run {
    sab_session *session;
    const char *directory;
    sab_terminal *term;
    sab_march *march;
    sab_run_state state;
    sab_live live;
    sab_watch watch;
    double cpu_start, wall_start;                    /* of this process */
    double cpu_before, wall_before, assembly_before; /* of earlier parts of the run */
    double last_checkpoint;                          /* on the clock */
    int watched_column;
    bool had_angle; /* friction below 1 everywhere, as the header saw it */
} run;

static bool on_row(void *data, int viscosity_iteration, const sab_report *so_far)
{
    return sab_watch_row(data, viscosity_iteration, so_far);
}

/* ---- checkpoints ------------------------------------------------------------------------------
 */

static void take_times(run *r)
{
    r->state.cpu_assembly = r->assembly_before + r->session->flow->cpu_assembly;
    r->state.cpu_total = r->cpu_before + sab_cpu_seconds() - r->cpu_start;
    r->state.wall = r->wall_before + sab_wall_seconds() - r->wall_start;
}

static sab_status write_checkpoint(run *r, sab_error *err)
{
    const double start = sab_cpu_seconds();

    take_times(r);
    const sab_status status = sab_state_write(r->directory, r->session, r->march, &r->state, err);
    r->state.cpu_output += sab_cpu_seconds() - start;
    r->last_checkpoint = sab_wall_seconds();
    return status;
}

/* ---- the beginning ----------------------------------------------------------------------------
 */

static sab_status create_march(run *r, sab_error *err)
{
    const sab_case_time *t = &r->session->c->time;
    const sab_march_options options = {.end = sab_session_steps(r->session) * t->step,
                                       .steady = t->steady,
                                       .window = t->window,
                                       .probe = r->session->watched,
                                       .max_missed = t->max_missed};
    const sab_status status =
        sab_march_create(r->session->flow, r->session->probes, &options, &r->march, err);

    if (status != SAB_OK)
        return status;
    r->watched_column = SAB_HISTORY_FIXED;
    for (int i = 0; i < r->session->watched; i++)
        if (!sab_probe_is_profile(r->march->probe[i].probe))
            r->watched_column += r->march->probe[i].components;
    return SAB_OK;
}

/* Where a checkpoint is the end of a run, its last files are written. Elsewhere the run must take
 * at least one step: the forces of a step are not part of a state. */
static sab_status resume(run *r, sab_error *err)
{
    const sab_case_time *t = &r->session->c->time;
    sab_status status = SAB_OK;

    SAB_TRY(sab_state_resume(r->directory, r->session, r->term, r->march, &r->state, err));
    if (!r->state.ended) {
        if (r->march->rows >= sab_session_steps(r->session)) {
            char place[1000];

            status = sab_fail(err, SAB_ERR_INPUT,
                              "%s: %g is not later than the checkpoint in '%s', at time %g",
                              sab_case_locate(r->session->c, "time.end", place, sizeof place),
                              t->end, r->directory, r->march->flow->time);
            goto cleanup;
        }
        r->march->end = SAB_MARCH_GOES_ON;
    }
    r->cpu_before = r->state.cpu_total;
    r->wall_before = r->state.wall;
    r->assembly_before = r->state.cpu_assembly;
    sab_say(r->term, "resumed        after step %d, at time %g", r->march->rows,
            r->march->flow->time);
cleanup:
    return status;
}

static sab_status begin(run *r, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(&r->state.convergence, err, "%s", ""));
    SAB_TRY(sab_live_begin(&r->live, err));
    if (r->session->c->output_every > 0.0)
        SAB_TRY(sab_live_frame(&r->live, 0.0, err));
    SAB_TRY(write_checkpoint(r, err));
cleanup:
    return status;
}

/* ---- steps ------------------------------------------------------------------------------------
 */

static void say_step(run *r)
{
    const sab_march *m = r->march;
    const double *row = m->history + (size_t)(m->rows - 1) * (size_t)m->columns;
    const sab_watch_line line = {.step = m->rows,
                                 .time = row[SAB_HISTORY_TIME],
                                 .outer = (int)row[SAB_HISTORY_OUTER],
                                 .inner = (int)row[SAB_HISTORY_INNER],
                                 .gap = row[SAB_HISTORY_GAP],
                                 .probe = r->session->watched >= 0 ? row[r->watched_column] : 0.0,
                                 .retries = (int)row[SAB_HISTORY_RETRIES],
                                 .missed = (sab_miss)row[SAB_HISTORY_MISSED],
                                 .last = m->end != SAB_MARCH_GOES_ON};

    sab_watch_step(&r->watch, &line);
}

static sab_status step(run *r, sab_error *err)
{
    const sab_flow_observer observer = {on_row, &r->watch};
    sab_march *m = r->march;
    sab_status status = SAB_OK;
    sab_flow_report report;

    if (sab_watch_interrupted())
        return SAB_INTERRUPTED;
    sab_watch_next(&r->watch, m->rows + 1);
    SAB_TRY(sab_march_step(m, &observer, &report, err));
    SAB_TRY(r->watch.status);
    r->state.ended = false;
    r->state.convergence.length = 0;
    SAB_TRY(sab_text_add(&r->state.convergence, err, "%s", r->watch.csv.data));
    SAB_TRY(sab_live_row(&r->live, err));
    say_step(r);
    if (sab_live_due(&r->live, m->rows) || m->end != SAB_MARCH_GOES_ON)
        SAB_TRY(sab_live_frame(&r->live, m->flow->time, err));
    if (m->end == SAB_MARCH_GOES_ON &&
        sab_wall_seconds() - r->last_checkpoint >= r->session->c->output_checkpoint)
        SAB_TRY(write_checkpoint(r, err));
cleanup:
    return status;
}

/* Means over the last window, with their deviations, as of the numbers. */
static sab_status write_profiles(run *r, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t n = (size_t)r->march->profile_columns;
    double *mean = NULL, *deviation = NULL;

    SAB_NEW(mean, n);
    SAB_NEW(deviation, n);
    for (int i = 0; i < r->session->c->nprobes; i++) {
        sab_march_profile(r->march, i, mean, deviation);
        SAB_TRY(sab_result_profile(r->directory, &r->march->probe[i], mean, deviation, err));
    }
cleanup:
    SAB_FREE(mean);
    SAB_FREE(deviation);
    return status;
}

/* All but the summary, which stands for a whole result. */
static sab_status write_last_files(run *r, const char *dump, sab_error *err)
{
    char path[SAB_PATH + 100];
    sab_status status = SAB_OK;

    SAB_TRY(sab_live_end(&r->live, err));
    snprintf(path, sizeof path, "%s/convergence.csv", r->directory);
    SAB_TRY(sab_file_write_text(path, r->state.convergence.data, err));
    SAB_TRY(write_profiles(r, err));
    if (dump != NULL) {
        SAB_TRY(sab_program_write(dump, r->session->flow->program, err));
        sab_say(r->term, "program        of the last step, written to %s", dump);
    }
    r->state.ended = true;
    SAB_TRY(write_checkpoint(r, err));
cleanup:
    return status;
}

static sab_status march(run *r, const char *dump, sab_error *err)
{
    const sab_case *c = r->session->c;
    const char *probe = r->session->watched >= 0 ? c->probe[r->session->watched].name : NULL;
    sab_status status = SAB_OK;

    sab_watch_begin_steps(&r->watch, r->term, c->solver.tolerance, c->solver.max_iterations,
                          sab_session_steps(r->session), probe);
    while (r->march->end == SAB_MARCH_GOES_ON)
        SAB_TRY(step(r, err));
    sab_progress_end(r->term);
    SAB_TRY(write_last_files(r, dump, err));
cleanup:
    sab_progress_end(r->term);
    if (status == SAB_INTERRUPTED) {
        const sab_status written = write_checkpoint(r, err);

        if (written != SAB_OK)
            return written;
        sab_warn(r->term,
                 "stopped by a signal after step %d of at most %d, at time %g; run again with "
                 "--resume to continue",
                 r->march->rows, sab_session_steps(r->session), r->march->flow->time);
    } else if (status == SAB_ERR_INPUT) {
        sab_case_place(c, err);
    }
    if (status != SAB_OK && status != SAB_INTERRUPTED)
        sab_error_context(err, "the run can be continued from its last checkpoint with --resume");
    return status;
}

/* ---- the end ----------------------------------------------------------------------------------
 */

static void say_probes(const run *r, const sab_run_result *result)
{
    const double *mean = result->mean + SAB_HISTORY_FIXED;
    const double *deviation = result->deviation + SAB_HISTORY_FIXED;

    for (int i = 0; i < r->session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        if (sab_probe_is_profile(p->probe)) {
            sab_say(r->term, "probe          %s: profiles/%s.csv, means with their deviations",
                    p->probe->name, p->probe->name);
            continue;
        }
        if (p->components == 1)
            sab_say(r->term, "probe          %s = %.8g +/- %.2g", p->probe->name, mean[0],
                    deviation[0]);
        else
            sab_say(r->term, "probe          %s = [%.8g, %.8g%s] +/- [%.2g, %.2g%s]",
                    p->probe->name, mean[0], mean[1], p->components > 2 ? ", ..." : "",
                    deviation[0], deviation[1], p->components > 2 ? ", ..." : "");
        mean += p->components;
        deviation += p->components;
    }
}

static void say_transport(const run *r)
{
    const sab_march *m = r->march;
    const sab_transport_report *feet = &m->transport;
    const double n = (double)feet->points;

    sab_say(r->term, "transport      %.0f feet per step, %.3g sides crossed by each, at most %d",
            n / m->rows, (double)feet->steps / n, feet->longest);
    sab_say(r->term,
            "               %.2g %% held by walls, %.2g %% from outside; CPU %.2g s per step",
            100.0 * (double)feet->clamped / n, 100.0 * (double)feet->left / n,
            m->cpu_transport / m->rows);
}

/* How many steps missed what. */
static void warn_missed(const run *r, const sab_march_figures *f)
{
    char list[800] = "";
    size_t n = 0;

    for (int by = SAB_MISS_NONE + 1; by < SAB_MISS_COUNT; by++)
        if (f->missed_by[by] > 0 && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%d by %s", n > 0 ? ", " : "",
                                  f->missed_by[by], sab_miss_table[by].text);
    if (f->missed > 0)
        sab_warn(r->term,
                 "%d of %d steps missed the tolerance %g: %s; the largest of step %d: G = %.2g, "
                 "C = %.2g",
                 f->missed, r->march->rows, r->session->c->solver.tolerance, list, f->worst_step,
                 f->worst_gap, f->worst_compaction);
}

/* Where the energy of the run came from, and whether that can be believed. */
static void say_energy(const run *r, const sab_march_energy *e)
{
    if (!(e->work > 0.0))
        return; /* nothing was done */
    sab_say(r->term, "energy         of the work %.2g became heat, %.2g left; %.2g came of nothing",
            (e->sum.viscous + e->sum.friction) / e->work, (e->sum.out - e->sum.in) / e->work,
            e->share);
}

static void warn_energy(const run *r, const sab_march_energy *e)
{
    const sab_march *m = r->march;

    if (m->end == SAB_MARCH_UNSTABLE)
        sab_warn(r->term,
                 "unstable: in step %d, at time %g, the energy grew by more than the work done on "
                 "the material, also with smaller steps; refine the mesh where the flow is fast, "
                 "give its velocity where material enters, or use a smaller time.step",
                 m->rows, m->flow->time);
    else if (e->unsound > 0)
        sab_warn(
            r->term,
            "%d of %d steps are unsound: energy appears from nowhere; use a smaller time.step, "
            "or refine the mesh where it is fast",
            e->unsound, m->rows);
    if (e->share > SAB_MADE_OF_NOTHING && e->parting > 0.5 * e->share)
        sab_warn(r->term,
                 "%.2g %% of the work done on the material came with volume that appears where "
                 "grains part, more than %g %%: this domain does not stay full",
                 100.0 * e->share, 100.0 * SAB_MADE_OF_NOTHING);
    else if (e->share > SAB_MADE_OF_NOTHING)
        sab_warn(r->term,
                 "%.2g %% of the work done on the material was made of nothing by the time steps, "
                 "more than %g %%; use a smaller time.step%s",
                 100.0 * e->share, 100.0 * SAB_MADE_OF_NOTHING,
                 r->session->c->time.order == 1 ? ", or time.order: 2" : "");
}

static void report_result(const run *r, const sab_run_result *result)
{
    const sab_march *m = r->march;
    const sab_report *t = &m->total.solve;
    const sab_march_figures f = sab_summary_figures(m);
    const sab_march_energy energy = sab_march_energies(m);
    const double n = m->rows;

    sab_say(r->term, "end            %s after %d steps, at time %g; means over the last %d steps",
            m->end == SAB_MARCH_STEADY     ? "steady"
            : m->end == SAB_MARCH_FINISHED ? "time.end"
            : m->end == SAB_MARCH_UNSTABLE ? "unstable"
                                           : "given up",
            m->rows, m->flow->time, result->window);
    say_probes(r, result);
    sab_summary_say_exact(result, r->term);
    sab_say(r->term, "work per step  %.3g outer, %.4g inner, %.3g factorisations, %.4g solves",
            t->work.outer / n, t->work.inner / n, t->work.factorisations / n, t->work.solves / n);
    sab_say(r->term, "               CPU %.3g s = %.3g factorisations of A; %d retries in all",
            t->work.cpu_total / n, f.cpu_per_step, f.retries);
    say_transport(r);
    if (result->courant > 0.0)
        sab_say(r->term, "courant        |u| step/h up to %.3g; step %.3g would give 1",
                result->courant, r->session->c->time.step / result->courant);
    say_energy(r, &energy);
    sab_say(r->term, "worst step     %d: G = %.3e, C = %.3e (tolerance %g); %d steps missed",
            f.worst_step, f.worst_gap, f.worst_compaction, r->session->c->solver.tolerance,
            f.missed);
    sab_summary_say_volume(result, r->term);
    if (m->end == SAB_MARCH_GIVEN_UP)
        sab_warn(r->term,
                 "given up after %d step%s that missed the tolerance or were unsound "
                 "(time.max_missed: %d)",
                 f.missed, f.missed == 1 ? "" : "s", m->options.max_missed);
    else if (m->end == SAB_MARCH_INFEASIBLE)
        sab_watch_missed(r->term, t, r->session->c->solver.tolerance);
    warn_missed(r, &f);
    if (r->had_angle) /* a formula of time may lose it */
        sab_session_warn_friction(r->session, r->term);
    warn_energy(r, &energy);
    sab_session_warn_advection(r->session, r->term, result->cell_reynolds);
    sab_session_warn_pressure(r->session, r->term, &result->shown);
}

static sab_status finish(run *r, sab_error *err)
{
    const sab_march *m = r->march;
    sab_run_result result = {.term = r->term,
                             .status = m->end == SAB_MARCH_STEADY       ? "steady"
                                       : m->end == SAB_MARCH_FINISHED   ? "finished"
                                       : m->end == SAB_MARCH_UNSTABLE   ? "unstable"
                                       : m->end == SAB_MARCH_INFEASIBLE ? "infeasible"
                                                                        : "not_converged",
                             .report = m->total,
                             .probe = m->probe,
                             .march = m};
    double *mean = NULL, *deviation = NULL;
    char path[SAB_PATH + 100];
    sab_status status = SAB_OK;

    SAB_NEW(mean, m->columns);
    SAB_NEW(deviation, m->columns);
    result.window = sab_march_window(m, mean, deviation);
    result.mean = mean;
    result.deviation = deviation;
    result.volume = sab_march_volume(mean);
    result.volume.rate = sab_flow_volume(m->flow, 0.0).rate;
    SAB_TRY(sab_session_recover(r->session, &result.shown, err));
    result.cell_reynolds = sab_session_cell_reynolds(r->session);
    result.courant = sab_session_courant(r->session);
    SAB_TRY(sab_summary_exact(r->session, m->flow->time, &result, err));
    take_times(r);
    result.cpu_assembly = r->state.cpu_assembly;
    result.cpu_output = r->state.cpu_output;
    result.cpu_total = r->state.cpu_total;
    result.wall_total = r->state.wall;
    snprintf(path, sizeof path, "%s/summary.json", r->directory);
    report_result(r, &result); /* its warnings belong to the summary */
    SAB_TRY(sab_summary_write(path, r->session, &result, err));
    sab_say(r->term, "result         %s: %s", r->directory, result.status);
cleanup:
    SAB_FREE(mean);
    SAB_FREE(deviation);
    return status;
}

sab_status sab_inertial_run(const sab_args *args, sab_session *session,
                            const sab_result_place *place, sab_terminal *term, double cpu_start,
                            int *missed, sab_error *err)
{
    sab_status status = SAB_OK;
    run r = {.session = session,
             .directory = place->directory,
             .term = term,
             .cpu_start = cpu_start,
             .wall_start = term->started};

    r.had_angle = sab_session_friction(session).high < 1.0;
    SAB_TRY(create_march(&r, err));
    r.live = (sab_live){
        .session = session, .directory = place->directory, .march = r.march, .run = &r.state};
    if (!args->resume) {
        sab_result_clear(place);
        SAB_TRY(begin(&r, err));
    } else {
        SAB_TRY(resume(&r, err));
        if (r.march->end != SAB_MARCH_GOES_ON && place->whole) {
            sab_say(term, "result         %s: nothing to do, the run has ended (%s)",
                    place->directory,
                    r.march->end == SAB_MARCH_STEADY     ? "steady"
                    : r.march->end == SAB_MARCH_FINISHED ? "time.end"
                                                         : "given up");
            goto cleanup;
        }
        sab_result_unfinished(place);
        SAB_TRY(sab_live_begin(&r.live, err));
    }
    if (r.march->end == SAB_MARCH_GOES_ON)
        SAB_TRY(march(&r, args->dump, err));
    SAB_TRY(finish(&r, err));
cleanup:
    if (r.march != NULL)
        *missed = r.march->missed + !sab_march_is_good(r.march);
    if (status == SAB_OK)
        status = sab_live_end(&r.live, err);
    else
        sab_live_end(&r.live, NULL);
    sab_watch_end(&r.watch);
    sab_run_state_destroy(&r.state);
    sab_march_destroy(&r.march);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/run.h"
#include "base/memory.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/program_file.h"
#include "run/march_grains.h"
#include "run/verdict.h"

#include <stdio.h>

static bool has_files(const sab_run *run)
{
    return run->options.directory != NULL;
}

static bool is_creeping(const sab_run *run)
{
    return sab_march_is_creeping(run->march);
}

/* The directory, to be written to. */
static const char *inside(const sab_run *run)
{
    return run->place.owner != NULL ? sab_owner_inside(run->place.owner) : run->place.directory;
}

/* After a failure: is it that the directory has been taken over? That says more than a file which
 * has gone. */
static bool tell_loss(const sab_run *run, sab_status status, sab_error *err)
{
    if (status == SAB_OK)
        return false;
    sab_owner_plain(run->place.owner, err);
    if (sab_owner_check(run->place.owner, NULL) == SAB_OK)
        return false;
    sab_owner_check(run->place.owner, err);
    return true;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static void take_times(sab_run *run)
{
    run->state.cpu_assembly =
        run->assembly_before + (run->session.flow != NULL ? run->session.flow->cpu_assembly : 0.0);
    run->state.cpu_total = run->cpu_before + sab_cpu_seconds() - run->cpu_start;
    run->state.wall = run->wall_before + sab_wall_seconds() - run->wall_start;
}

static sab_status write_checkpoint(sab_run *run, sab_error *err)
{
    const double start = sab_cpu_seconds();

    take_times(run);
    const sab_status status =
        sab_state_write(inside(run), run->place.owner, &run->session, run->march, &run->state, err);
    run->state.cpu_output += sab_cpu_seconds() - start;
    run->last_checkpoint = sab_wall_seconds();
    return status;
}

/* ---- the beginning --------------------------------------------------------------------------- */

static sab_status create_march(sab_run *run, sab_error *err)
{
    const sab_session *s = &run->session;
    const sab_case_time *t = &s->c->time;
    const sab_march_options options = {.end = sab_case_steps(s->c) * t->step,
                                       .steady = t->steady,
                                       .window = t->window,
                                       .probe = s->watched,
                                       .max_missed = t->max_missed};
    const sab_status status =
        s->scene != NULL ? sab_march_grains_create(s->scene, &options, &run->march, err)
                         : sab_march_flow_create(s->flow, s->probes, &options, &run->march, err);

    run->live = (sab_live){.session = s,
                           .directory = inside(run),
                           .march = run->march,
                           .run = &run->state,
                           .owner = run->place.owner};
    return status;
}

/* The files that grow with the run; before its first step, with a frame of the beginning. */
static sab_status begin_files(sab_run *run, sab_error *err)
{
    sab_status status = SAB_OK;

    if (run->march->rows == 0)
        run->state.nframes = 0;
    SAB_TRY(sab_live_begin(&run->live, err));
    if (run->march->rows == 0 && run->session.c->output_every > 0.0)
        SAB_TRY(sab_live_frame(&run->live, 0.0, err));
cleanup:
    return status;
}

/* Where a checkpoint is the end of a run, its last files are written. Elsewhere the run must take
 * at least one step: the forces of a step are not part of a state. */
static sab_status resume(sab_run *run, sab_error *err)
{
    sab_session *s = &run->session;
    sab_status status = SAB_OK;

    SAB_TRY(
        sab_state_resume(run->place.directory, s, &run->warnings, run->march, &run->state, err));
    if (!run->state.ended) {
        if (sab_march_at(run->march) >= sab_case_steps(s->c)) {
            char place[1000];

            status = sab_fail(err, SAB_ERR_INPUT,
                              "%s: %g is not later than the checkpoint in '%s', at time %g",
                              sab_case_locate(s->c, "time.end", place, sizeof place),
                              s->c->time.end, run->place.directory, sab_march_time(run->march));
            goto cleanup;
        }
        run->march->end = SAB_MARCH_GOES_ON;
    }
    run->cpu_before = run->state.cpu_total;
    run->wall_before = run->state.wall;
    run->assembly_before = run->state.cpu_assembly;
    if (sab_run_is_whole(run))
        goto cleanup;
    sab_result_unfinished(&run->place);
    SAB_TRY(begin_files(run, err));
cleanup:
    return status;
}

static sab_status begin(sab_run *run, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(&run->state.convergence, err, "%s", ""));
    if (is_creeping(run) && run->options.dump != NULL)
        SAB_TRY(sab_program_write(run->options.dump, run->session.flow->program, err));
    if (is_creeping(run) || !has_files(run)) /* what creeps is published at the end */
        goto cleanup;
    sab_result_clear(&run->place);
    SAB_TRY(write_checkpoint(run, err)); /* first: it says whose the files are */
    SAB_TRY(begin_files(run, err));
cleanup:
    return status;
}

sab_status sab_run_create(sab_case **c, const sab_run_options *options,
                          const sab_run_events *events, sab_run **run, sab_error *err)
{
    static const sab_run_events silence = {NULL};
    sab_status status = SAB_OK;
    sab_run *r = NULL;

    *run = NULL;
    SAB_NEW(r, 1);
    r->options = *options;
    r->events = events != NULL ? *events : silence;
    r->warnings.tell = r->events.warning;
    r->warnings.data = r->events.data;
    r->result.warnings = &r->warnings;
    r->cpu_start = sab_cpu_seconds();
    r->wall_start = sab_wall_seconds();
    r->session.c = *c;
    r->session.confined = options->confined;
    *c = NULL;
    if (options->resume && !has_files(r))
        SAB_TRY(sab_fail(err, SAB_ERR_USAGE, "resume: there is no directory to go on from"));
    if (has_files(r))
        SAB_TRY(sab_result_choose(options->directory, options->resume, options->force, r->session.c,
                                  &r->place, err));
    SAB_TRY(sab_session_build(&r->session, !options->resume, &r->events, err));
    sab_session_warn(&r->session, &r->warnings);
    if (has_files(r)) { /* another run may have come and gone while this one was meshing */
        SAB_TRY(sab_result_prepare(&r->place, err));
        SAB_TRY(sab_result_choose(options->directory, options->resume, options->force, r->session.c,
                                  &r->place, err));
    }
    r->had_angle = r->session.flow != NULL && sab_session_friction(&r->session).high < 1.0;
    SAB_TRY(create_march(r, err));
    SAB_TRY(options->resume ? resume(r, err) : begin(r, err));
    *run = r;
    r = NULL;
cleanup:
    if (r != NULL)
        tell_loss(r, status, err);
    sab_case_destroy(c);
    sab_run_destroy(&r);
    return status;
}

void sab_run_destroy(sab_run **run)
{
    sab_run *r = *run;

    if (r == NULL)
        return;
    sab_live_end(&r->live, NULL);
    if (!r->finished && has_files(r))
        sab_result_abandon(&r->place);
    sab_run_state_destroy(&r->state);
    sab_text_destroy(&r->convergence);
    sab_march_destroy(&r->march);
    sab_session_close(&r->session);
    SAB_FREE(r->mean);
    SAB_FREE(r->deviation);
    SAB_FREE(*run);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* convergence.csv of a step begins. */
static void begin_table(sab_run *run)
{
    run->convergence.length = 0;
    run->growing = sab_text_add(&run->convergence, NULL,
                                "viscosity_iteration,outer,inner,solves,gap,gap_friction,"
                                "gap_normal,compaction,natural,natural_max,momentum,"
                                "fischer_burmeister,dissipation,change,cpu\n");
}

static bool on_iteration(void *data, int viscosity_iteration, const sab_report *r)
{
    sab_run *run = data;
    const sab_certificate *c = &r->certificate;

    if (run->growing == SAB_OK)
        run->growing = sab_text_add(
            &run->convergence, NULL,
            "%d,%d,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.6g\n",
            viscosity_iteration, r->work.outer, r->work.inner, r->work.solves, c->gap,
            c->gap_friction, c->gap_normal, c->compaction, c->natural, c->natural_max, c->momentum,
            c->fischer_burmeister, run->session.c->geometry->whole * c->dissipation, r->change,
            r->work.cpu_total);
    return run->events.iteration == NULL ||
           run->events.iteration(run->events.data, viscosity_iteration, r);
}

bool sab_run_goes_on(const sab_run *run)
{
    return run->march->end == SAB_MARCH_GOES_ON;
}

/* Means over the last window, with their deviations unless there is one step only, as of the
 * numbers. */
static sab_status write_profiles(sab_run *run, const char *directory, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_march *m = run->march;
    const size_t n = (size_t)m->profile_columns;
    double *mean = NULL, *deviation = NULL;

    SAB_NEW(mean, n);
    SAB_NEW(deviation, n);
    for (int i = 0; i < run->session.c->nprobes; i++) {
        SAB_TRY(sab_owner_check(run->place.owner, err));
        sab_march_profile(m, i, mean, deviation);
        SAB_TRY(sab_result_profile(directory, run->session.c, sab_run_time(run), &m->probe[i], mean,
                                   is_creeping(run) ? NULL : deviation, err));
    }
cleanup:
    SAB_FREE(mean);
    SAB_FREE(deviation);
    return status;
}

/* The files that a run begins and ends with alike, creeping or not. */
static sab_status write_tables(sab_run *run, const char *directory, sab_error *err)
{
    char path[SAB_PATH];
    sab_status status = SAB_OK;

    SAB_TRY(sab_live_end(&run->live, err));
    SAB_TRY(sab_owner_check(run->place.owner, err));
    SAB_TRY(sab_path_set(path, err, "%s/convergence.csv", directory));
    SAB_TRY(sab_file_write_text(path, run->state.convergence.data, err));
    SAB_TRY(write_profiles(run, directory, err));
cleanup:
    return status;
}

/* Of grains that of the step that would come next. */
static sab_status dump_program(const sab_run *run, sab_error *err)
{
    sab_program *next = NULL;
    sab_status status = SAB_OK;

    if (run->session.scene == NULL)
        return sab_program_write(run->options.dump, run->session.flow->program, err);
    SAB_TRY(sab_grains_program(run->session.scene->grains, &next, err));
    if (next == NULL)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "--dump-program: no two grains are near each other, there is no program");
    SAB_TRY(sab_program_write(run->options.dump, next, err));
cleanup:
    sab_program_destroy(&next);
    return status;
}

/* All but the summary, which stands for a whole result. */
static sab_status write_last_files(sab_run *run, sab_error *err)
{
    sab_status status = SAB_OK;

    if (has_files(run))
        SAB_TRY(write_tables(run, inside(run), err));
    if (run->options.dump != NULL)
        SAB_TRY(dump_program(run, err));
    run->state.ended = true;
    if (has_files(run))
        SAB_TRY(write_checkpoint(run, err));
cleanup:
    return status;
}

static bool checkpoint_is_due(const sab_run *run)
{
    const bool wanted = run->events.checkpoint != NULL && run->events.checkpoint(run->events.data);

    return wanted || sab_wall_seconds() - run->last_checkpoint >= run->session.c->output_checkpoint;
}

/* After a step: the files that grow with the run, or end with it. */
static sab_status write_step(sab_run *run, sab_error *err)
{
    const sab_march *m = run->march;
    const bool last = m->end != SAB_MARCH_GOES_ON;
    sab_status status = SAB_OK;

    if (has_files(run) && (sab_live_due(&run->live) || last))
        SAB_TRY(sab_live_frame(&run->live, sab_march_time(m), err));
    if (last)
        SAB_TRY(write_last_files(run, err));
    else if (has_files(run) && checkpoint_is_due(run))
        SAB_TRY(write_checkpoint(run, err));
cleanup:
    return status;
}

static sab_status take_step(sab_run *run, sab_error *err)
{
    const sab_flow_observer observer = {on_iteration, run};
    sab_status status = SAB_OK;
    sab_flow_report report;

    SAB_TRY(sab_march_step(run->march, &observer, &report, err));
    if (run->growing != SAB_OK)
        SAB_FAIL(err, run->growing, "out of memory for convergence.csv");
    run->state.ended = false;
    run->state.convergence.length = 0;
    SAB_TRY(sab_text_add(&run->state.convergence, err, "%s", run->convergence.data));
    if (has_files(run) && !is_creeping(run))
        SAB_TRY(sab_live_row(&run->live, err));
    if (run->events.stepped != NULL)
        run->events.stepped(run->events.data, run);
    if (!is_creeping(run))
        SAB_TRY(write_step(run, err));
cleanup:
    return status;
}

sab_status sab_run_step(sab_run *run, sab_error *err)
{
    sab_status status = SAB_INTERRUPTED;

    begin_table(run);
    if (run->events.step == NULL || run->events.step(run->events.data, run->march->rows + 1))
        status = take_step(run, err);
    if (status == SAB_ERR_INPUT)
        sab_case_place(run->session.c, err);
    if (tell_loss(run, status, err))
        return SAB_ERR_IO; /* not SAB_INTERRUPTED: another process has the directory */
    if (is_creeping(run) || !has_files(run))
        return status;
    if (status == SAB_INTERRUPTED) {
        const sab_status written = write_checkpoint(run, err);

        if (written != SAB_OK)
            return written;
    } else if (status != SAB_OK) {
        sab_error_context(err, "the run can be continued from its last checkpoint with --resume");
    }
    return status;
}

/* ---- the end --------------------------------------------------------------------------------- */

bool sab_run_is_whole(const sab_run *run)
{
    return run->options.resume && run->place.whole && !sab_run_goes_on(run);
}

bool sab_run_is_good(const sab_run *run)
{
    return sab_march_is_good(run->march);
}

int sab_run_steps(const sab_run *run)
{
    return sab_case_steps(run->session.c);
}

double sab_run_time(const sab_run *run)
{
    return sab_march_time(run->march);
}

static const char *status_of(const sab_run *run)
{
    static const char *const end[] = {
        [SAB_MARCH_GOES_ON] = "not_converged", [SAB_MARCH_STEADY] = "steady",
        [SAB_MARCH_FINISHED] = "finished",     [SAB_MARCH_GIVEN_UP] = "not_converged",
        [SAB_MARCH_INFEASIBLE] = "infeasible", [SAB_MARCH_UNSTABLE] = "unstable"};
    const sab_flow_report *report = &run->result.report;

    if (!is_creeping(run))
        return end[run->march->end];
    return report->converged                          ? "converged"
           : report->missed.by == SAB_MISS_INFEASIBLE ? "infeasible"
                                                      : "not_converged";
}

static void set_times(sab_run *run)
{
    take_times(run);
    run->result.cpu_assembly = run->state.cpu_assembly;
    run->result.cpu_output = run->state.cpu_output;
    run->result.cpu_total = run->state.cpu_total;
    run->result.wall_total = run->state.wall;
}

/* The numbers of the last window, of all steps, and of the last step. */
static sab_status sum_up(sab_run *run, sab_error *err)
{
    const sab_march *m = run->march;
    const sab_session *s = &run->session;
    sab_run_result *result = &run->result;
    sab_status status = SAB_OK;

    SAB_FREE(run->mean);
    SAB_FREE(run->deviation);
    SAB_NEW(run->mean, m->columns);
    SAB_NEW(run->deviation, m->columns);
    result->report = m->total;
    result->probe = m->probe;
    result->march = m;
    result->window = sab_march_window(m, run->mean, run->deviation, &result->window_length);
    result->mean = run->mean;
    result->deviation = run->deviation;
    result->status = status_of(run);
    set_times(run);
    if (s->scene != NULL)
        goto cleanup;
    result->volume = sab_flow_volume(run->session.flow, m->total.solve.certificate.stress);
    if (!is_creeping(run)) {
        const double rate = result->volume.rate; /* that of the last step */

        result->volume = sab_march_volume(run->mean);
        result->volume.rate = rate;
        result->cell_reynolds = sab_session_cell_reynolds(s);
        result->courant = sab_session_courant(s);
    }
    SAB_TRY(sab_session_recover(s, &result->shown, err));
    SAB_TRY(sab_summary_exact(s, sab_run_time(run), result, err));
cleanup:
    return status;
}

/* A creeping flow: everything aside, then into place at once. */
static sab_status publish(sab_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char stage[SAB_PATH], path[SAB_PATH];

    SAB_TRY(sab_result_stage(&run->place, stage, err));
    run->live.directory = stage;
    run->state.nframes = 0;
    SAB_TRY(sab_live_begin(&run->live, err));
    SAB_TRY(sab_live_frame(&run->live, sab_run_time(run), err));
    SAB_TRY(write_tables(run, stage, err));
    SAB_TRY(sab_path_set(path, err, "%s/checkpoint.sab", stage));
    SAB_TRY(sab_state_write_flow(path, &run->session, err));
    set_times(run);
    SAB_TRY(sab_path_set(path, err, "%s/summary.json", stage));
    SAB_TRY(sab_summary_write(path, &run->session, &run->result, err));
    SAB_TRY(sab_result_publish(&run->place, stage, err));
cleanup:
    sab_live_end(&run->live, NULL);
    run->live.directory = inside(run);
    sab_result_discard(stage);
    return status;
}

/* An inertial one has written all the rest by now. */
static sab_status write_summary(sab_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_PATH];

    SAB_TRY(sab_owner_check(run->place.owner, err));
    SAB_TRY(sab_path_set(path, err, "%s/summary.json", inside(run)));
    SAB_TRY(sab_summary_write(path, &run->session, &run->result, err));
    SAB_TRY(sab_live_end(&run->live, err));
cleanup:
    return status;
}

sab_status sab_run_finish(sab_run *run, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sum_up(run, err));
    if (run->events.result != NULL)
        run->events.result(run->events.data, run);
    sab_run_warn(run); /* these belong to the summary */
    if (has_files(run))
        SAB_TRY(is_creeping(run) ? publish(run, err) : write_summary(run, err));
    run->finished = true;
    sab_owner_release(&run->place.owner);
cleanup:
    tell_loss(run, status, err);
    return status;
}

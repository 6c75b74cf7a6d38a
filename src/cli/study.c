/* cli/study.c -- `sablier study`: every point of a study in a process of its own, one table, a fit.
 */
#include "cli/study.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cli/commands.h"
#include "cli/fit.h"
#include "cli/pool.h"
#include "cli/watch.h"

#include <stdio.h>
#include <string.h>

typedef struct work {
    sab_study_run *run;
    sab_terminal *term;
    sab_pool pool;
} work;

/* ---- one point ------------------------------------------------------------------------------ */

/* Run it: `sablier run BASE -o DIR --set ...` */
static sab_status start_point(work *w, const sab_study_task *task, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_run *run = w->run;
    const char *argument[2 * SAB_MAX_OVERRIDES + 16];
    char *override[SAB_MAX_OVERRIDES] = {NULL}, directory[SAB_STUDY_PATH], log[SAB_STUDY_PATH + 16];
    sab_text line = {0};
    int n = 0, a = 0;

    SAB_TRY(sab_study_prepare(run, task, &n, override, err));
    snprintf(directory, sizeof directory, "%s/%s", run->points, run->point[task->point].name);
    snprintf(log, sizeof log, "%s/log.txt", directory);
    argument[a++] = "sablier";
    argument[a++] = "run";
    argument[a++] = run->study->base;
    argument[a++] = "-o";
    argument[a++] = directory;
    for (int k = 0; k < n; k++) {
        argument[a++] = "--set";
        argument[a++] = override[k];
    }
    argument[a++] = "-q";
    argument[a++] = "--threads";
    argument[a++] = "1";
    argument[a++] = task->resume ? "--resume" : "--force";
    argument[a] = NULL;
    SAB_TRY(sab_pool_start(&w->pool, task->point, argument, log, task->resume, err));
    for (int k = 0; k < a && w->term->verbosity > 0; k++)
        SAB_TRY(sab_text_add(&line, err,
                             strpbrk(argument[k], " \"*()[]{}&;<>|$") != NULL ? " '%s'" : " %s",
                             argument[k]));
    if (line.data != NULL)
        sab_say(w->term, "start         %s", line.data);
cleanup:
    sab_text_destroy(&line);
    for (int k = 0; k < n; k++)
        SAB_FREE(override[k]);
    return status;
}

static void report_point(const work *w, const sab_point *p)
{
    const sab_study_run *run = w->run;
    char text[700], duration[32], trouble[300];

    if (strcmp(p->status, "interrupted") == 0)
        return;
    if (p->summary == NULL) {
        sab_warn(w->term, "point %s failed (exit code %d): %s\n  its log is %s/%s/log.txt", p->name,
                 p->exit, sab_point_complaint(run->points, p, text, sizeof text), run->points,
                 p->name);
        return;
    }
    if (sab_point_trouble(p, trouble, sizeof trouble)[0] != '\0')
        sab_warn(w->term, "point %s: %s; %s", p->name, trouble,
                 sab_point_complaint(run->points, p, text, sizeof text));
    sab_say(w->term, "%4d of %-4d   %s: %s, %s", run->done, run->npoints, p->name, p->status,
            p->started > 0.0 ? sab_duration(p->seconds, duration, sizeof duration)
                             : "as it is there");
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void show_progress(const work *w)
{
    const sab_study_run *run = w->run;
    char left[32], now[32];
    const double spent = sab_wall_seconds() - w->term->started;
    const int waiting = run->npoints - run->done;

    if (run->ran > 0)
        sab_progress(
            w->term, "%d of %d points done, %d failed, %d running, about %s left", run->done,
            run->npoints, run->failed, w->pool.running,
            sab_duration(run->seconds / run->ran * waiting / w->pool.size, left, sizeof left));
    else
        sab_progress(w->term, "%d of %d points done, %d failed, %d running for %s", run->done,
                     run->npoints, run->failed, w->pool.running,
                     sab_duration(spent, now, sizeof now));
}

/* Start what there is room for. Points that are done already are passed by. */
static sab_status fill_pool(work *w, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_task task;

    while (w->pool.running < w->pool.size) {
        SAB_TRY(sab_study_next(w->run, &task, err));
        if (task.point < 0)
            break;
        if (task.found)
            report_point(w, &w->run->point[task.point]);
        else
            SAB_TRY(start_point(w, &task, err));
    }
cleanup:
    return status;
}

static sab_status run_all(work *w, sab_error *err)
{
    sab_status status = SAB_OK;
    int i, code = 0;

    while (true) {
        if (sab_watch_interrupted())
            sab_pool_stop(&w->pool);
        else
            SAB_TRY(fill_pool(w, err));
        if (w->pool.running == 0)
            break;
        show_progress(w);
        i = sab_pool_wait(&w->pool, 0.25, &code);
        if (i >= 0) {
            SAB_TRY(sab_study_done(w->run, i, code, w->pool.stopped, err));
            report_point(w, &w->run->point[i]);
        }
    }
cleanup:
    sab_pool_stop(&w->pool); /* after an error of our own too, no child is left behind */
    while (w->pool.running > 0)
        sab_pool_wait(&w->pool, 0.25, &code);
    sab_progress_end(w->term);
    if (status == SAB_OK && sab_watch_interrupted()) {
        sab_warn(w->term, "stopped by a signal; go on with --resume");
        status = SAB_INTERRUPTED;
    }
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static sab_status choose_jobs(const sab_args *args, const sab_study *study, int *jobs,
                              sab_error *err)
{
    sab_status status = SAB_OK;

    *jobs = study->jobs > 0 ? study->jobs : 1;
    if (args->jobs != NULL) {
        SAB_TRY(sab_args_integer("--jobs", args->jobs, jobs, err));
        if (*jobs < 1 || *jobs > 1024)
            status = sab_fail(err, SAB_ERR_USAGE, "--jobs: %d is not between 1 and 1024", *jobs);
    }
cleanup:
    return status;
}

static sab_status report_study(const sab_study_run *run, sab_terminal *term, bool *good,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char json[SAB_STUDY_PATH], csv[SAB_STUDY_PATH], sigma[200];
    int doubtful = 0;

    SAB_TRY(sab_study_table(run, &table, err));
    sab_study_show_table(run, table, term);
    sab_study_show_warnings(run, term);
    SAB_TRY(sab_study_write(run, err));
    if (run->study->has_bracket) {
        *good = sab_study_show_brackets(run, term);
        SAB_TRY(sab_study_write_brackets(run, err));
    }
    if (run->study->has_fit && run->failed < run->done) {
        sab_fit_request request = run->study->fit;

        snprintf(json, sizeof json, "%s/fit.json", run->directory);
        snprintf(csv, sizeof csv, "%s/fit_points.csv", run->directory);
        if (run->study->fit_weighted && strncmp(request.y, "probes.", 7) == 0) {
            snprintf(sigma, sizeof sigma, "deviations.%.180s", request.y + 7);
            if (sab_table_find(table, sigma) >= 0)
                request.sigma = sigma;
        }
        SAB_TRY(sab_fit_show(table, &request, json, csv, term, &doubtful, err));
        *good = *good && doubtful == 0;
    }
cleanup:
    sab_table_destroy(&table);
    return status;
}

int sab_command_study(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    char directory[SAB_PATH];
    work w = {.term = &term};
    sab_study *study = NULL;
    sab_study_run *run = NULL;
    sab_table *table = NULL;
    int jobs;
    bool good = true;

    sab_watch_signals(); /* first: `sablier study | head` goes on */
    SAB_TRY(sab_study_read(args->target, &study, err));
    SAB_TRY(choose_jobs(args, study, &jobs, err));
    SAB_TRY(sab_args_directory(args, study->name, directory, sizeof directory, err));
    SAB_TRY(sab_study_run_create(&study, directory, args->resume, args->force, &run, err));
    w.run = run;
    sab_say(&term, "sablier %s  %s", SAB_VERSION, run->study->title);
    sab_say(&term, "study          %s: %d points%s, %d at a time, in %s", run->study->path,
            run->npoints, run->study->has_bracket ? " at most" : "", jobs, run->directory);
    SAB_TRY(sab_pool_create(jobs, &w.pool, err));
    SAB_TRY(sab_study_table(run, &table, err));
    SAB_TRY(run_all(&w, err));
    SAB_TRY(report_study(run, &term, &good, err));
    sab_say(&term,
            "result         %s/results.csv: %d points, %d of them new, %d failed, %d missed their "
            "tolerance or are not valid, %d with warnings",
            run->directory, run->done, run->ran, run->failed, run->missed, run->warned);
    good = good && run->failed == 0 && run->missed == 0;
cleanup:
    if (status != SAB_OK && status != SAB_INTERRUPTED)
        sab_complain(&term, message.message);
    sab_table_destroy(&table);
    sab_pool_destroy(&w.pool);
    sab_study_run_destroy(&run);
    sab_study_destroy(&study);
    return status != SAB_OK ? sab_exit_code(status) : sab_say_end(&term, good ? 0 : 1);
}

/* cli/study.c -- `sablier study`: every point of a study, one table, a fit.
 *
 * Points stand in chains: those of a chain run one after the other, chains side by side. A chain is
 * one point, or the points along the continued axis, or a bisection, of which the points beyond the
 * two ends come to be as it goes. Point i of a chain has the number first + i stride. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli/study.h"
#include "base/memory.h"
#include "base/timer.h"
#include "cli/commands.h"
#include "cli/fit.h"
#include "cli/watch.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* ---- chains --------------------------------------------------------------------------------- */

/* Points of a bisection: the ends, and a halving each until the width is reached. */
static int bisection_length(const sab_study_bracket *b)
{
    int n = 2;

    for (double width = fabs(b->between[1] - b->between[0]); width > b->width * (1.0 + 1e-9);
         width /= 2.0)
        n++;
    return n;
}

static sab_status create_chains(sab_study_run *run, sab_error *err)
{
    const sab_study *s = run->study;
    sab_status status = SAB_OK;
    int length = 1, stride = 1;

    if (s->has_bracket) {
        length = bisection_length(&s->bracket);
    } else if (s->continued >= 0) {
        length = s->axis[s->continued].nvalues;
        stride = sab_study_stride(s, s->continued);
    }
    run->npoints = s->has_bracket ? s->ncombinations * length : s->ncombinations;
    SAB_NEW(run->point, run->npoints);
    SAB_NEW(run->chain, s->ncombinations);
    for (int c = 0; c < s->ncombinations; c++) {
        if (!s->has_bracket && s->continued >= 0 && sab_study_index(s, c, s->continued) > 0)
            continue; /* further down a chain */
        run->chain[run->nchains++] = (sab_chain){.first = s->has_bracket ? c * length : c,
                                                 .stride = stride,
                                                 .length = length,
                                                 .running = -1,
                                                 .last = -1,
                                                 .flowing = -1,
                                                 .arrested = -1,
                                                 .sure_flowing = -1,
                                                 .sure_arrested = -1};
    }
    for (int i = 0; i < run->npoints; i++) /* finds all errors of all cases */
        if (!s->has_bracket)
            SAB_TRY(sab_point_create(s, i, NAN, &run->point[i], err));
        else if (i % length < 2)
            SAB_TRY(sab_point_create(s, i / length, s->bracket.between[i % length], &run->point[i],
                                     err));
cleanup:
    return status;
}

/* The next point of a chain, or -1 if it has ended. */
static sab_status next_point(sab_study_run *run, sab_chain *chain, int *next, sab_error *err)
{
    const int i = chain->first + chain->next * chain->stride;

    *next = -1;
    if (chain->broken || chain->next == chain->length)
        return SAB_OK;
    if (run->study->has_bracket && chain->next >= 2) {
        if (chain->flowing < 0 || chain->arrested < 0)
            return SAB_OK; /* both ends are alike: nothing to look for */
        const double middle =
            0.5 * (run->point[chain->flowing].value + run->point[chain->arrested].value);
        const sab_status status = sab_point_create(run->study, run->point[chain->first].combination,
                                                   middle, &run->point[i], err);
        if (status != SAB_OK)
            return status;
    }
    chain->next++;
    *next = i;
    return SAB_OK;
}

/* A point of the chain is done: which side of the threshold is it on, may the next start from it?
 */
static void advance(sab_study_run *run, sab_chain *chain, int i)
{
    const sab_point *p = &run->point[i];
    const sab_study_bracket *b = &run->study->bracket;
    const bool good = sab_point_good(p);

    chain->running = -1;
    if (good)
        chain->last = i;
    if (strcmp(p->status, "interrupted") == 0)
        chain->broken = true;
    if (!run->study->has_bracket)
        return;
    const double value = sab_point_number(p, b->probe);
    if (isnan(value)) {
        chain->broken = true;
    } else if (fabs(value) < b->below) {
        chain->arrested = i;
        chain->sure_arrested = good ? i : chain->sure_arrested;
    } else {
        chain->flowing = i;
        chain->sure_flowing = good ? i : chain->sure_flowing;
    }
}

/* ---- one point ------------------------------------------------------------------------------ */

/* The point from which this one starts, or -1: the one before, and in a bisection the flowing one
 * that is nearest to the threshold, because a flow that stops says more than one that starts. */
static int starts_from(const sab_study_run *run, const sab_chain *chain)
{
    if (run->study->continued < 0)
        return -1;
    return run->study->has_bracket && chain->sure_flowing >= 0 ? chain->sure_flowing : chain->last;
}

/* Run it: `sablier run BASE -o DIR --set ...` */
static sab_status start_point(sab_study_run *run, int i, int from, bool resume, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_point *p = &run->point[i];
    const char *argument[2 * SAB_MAX_OVERRIDES + 16];
    char *override[SAB_MAX_OVERRIDES] = {NULL}, directory[SAB_STUDY_PATH], log[SAB_STUDY_PATH + 16];
    char value[40];
    sab_text line = {0};
    int n = 0, a = 0;

    SAB_TRY(sab_point_prepare(run->points, p, resume, err));
    snprintf(directory, sizeof directory, "%s/%s", run->points, p->name);
    snprintf(log, sizeof log, "%s/log.txt", directory);
    SAB_TRY(sab_study_overrides(run->study, p->combination,
                                run->study->has_bracket ? sab_point_value(p, value, sizeof value)
                                                        : NULL,
                                &n, override, SAB_STUDY_OVERRIDES, err));
    if (from >= 0) {
        sab_text text = {0};

        SAB_TRY(sab_text_add(&text, err, "initial.from=\"%s/%s/checkpoint.sab\"", run->points,
                             run->point[from].name));
        override[n++] = text.data;
    }
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
    argument[a++] = resume ? "--resume" : "--force";
    argument[a] = NULL;
    SAB_TRY(sab_pool_start(&run->pool, i, argument, log, resume, err));
    for (int k = 0; k < a && run->term->verbosity > 0; k++)
        SAB_TRY(sab_text_add(&line, err,
                             strpbrk(argument[k], " \"*()[]{}&;<>|$") != NULL ? " '%s'" : " %s",
                             argument[k]));
    if (line.data != NULL)
        sab_say(run->term, "start         %s", line.data);
cleanup:
    sab_text_destroy(&line);
    for (int k = 0; k < n; k++)
        SAB_FREE(override[k]);
    return status;
}

static void report_point(sab_study_run *run, const sab_point *p)
{
    char text[700], duration[32], trouble[300];

    run->done++;
    run->warned += sab_point_warnings(p) > 0;
    if (p->summary == NULL && strcmp(p->status, "interrupted") != 0) {
        run->failed++;
        sab_warn(run->term, "point %s failed (exit code %d): %s\n  its log is %s/%s/log.txt",
                 p->name, p->exit, sab_point_complaint(run->points, p, text, sizeof text),
                 run->points, p->name);
    } else if (strcmp(p->status, "interrupted") != 0) {
        if (sab_point_trouble(p, trouble, sizeof trouble)[0] != '\0') {
            run->missed++;
            sab_warn(run->term, "point %s: %s; %s", p->name, trouble,
                     sab_point_complaint(run->points, p, text, sizeof text));
        }
        sab_say(run->term, "%4d of %-4d   %s: %s, %s", run->done, run->expected, p->name, p->status,
                p->started > 0.0 ? sab_duration(p->seconds, duration, sizeof duration)
                                 : "as it is there");
    }
}

static sab_status write_table(const sab_study_run *run, sab_table **table, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_STUDY_PATH];

    SAB_TRY(sab_point_table(run->study, run->npoints, run->point, table, err));
    snprintf(path, sizeof path, "%s/results.csv", run->directory);
    SAB_TRY(sab_table_write(*table, path, err));
cleanup:
    return status;
}

/* ---- the loop ------------------------------------------------------------------------------- */

static void show_progress(sab_study_run *run)
{
    char left[32], now[32];
    const double spent = sab_wall_seconds() - run->term->started;
    const int waiting = run->expected - run->done;

    if (run->ran > 0)
        sab_progress(
            run->term, "%d of %d points done, %d failed, %d running, about %s left", run->done,
            run->expected, run->failed, run->pool.running,
            sab_duration(run->seconds / run->ran * waiting / run->pool.size, left, sizeof left));
    else
        sab_progress(run->term, "%d of %d points done, %d failed, %d running for %s", run->done,
                     run->expected, run->failed, run->pool.running,
                     sab_duration(spent, now, sizeof now));
}

/* Start what there is room for. Points that are done already are passed by. */
static sab_status fill_pool(sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int k = 0; k < run->nchains; k++) {
        sab_chain *chain = &run->chain[k];

        while (chain->running < 0 && run->pool.running < run->pool.size) {
            int i, from;

            SAB_TRY(next_point(run, chain, &i, err));
            if (i < 0)
                break;
            from = starts_from(run, chain);
            sab_point_follow(&run->point[i], from >= 0 ? &run->point[from] : NULL);
            const sab_point_found found =
                run->resume ? sab_point_find(run->points, &run->point[i]) : SAB_FOUND_NOTHING;
            if (found == SAB_FOUND_RESULT) {
                report_point(run, &run->point[i]);
                advance(run, chain, i);
            } else {
                SAB_TRY(start_point(run, i, from, found == SAB_FOUND_CHECKPOINT, err));
                chain->running = i;
            }
        }
    }
cleanup:
    return status;
}

static sab_status finish_point(sab_study_run *run, int i, int code, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;

    SAB_TRY(sab_point_finish(run->points, &run->point[i], code, run->pool.stopped, err));
    run->ran++;
    run->seconds += run->point[i].seconds;
    report_point(run, &run->point[i]);
    for (int k = 0; k < run->nchains; k++)
        if (run->chain[k].running == i)
            advance(run, &run->chain[k], i);
    SAB_TRY(write_table(run, &table, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

static sab_status run_all(sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    int i, code = 0;

    while (true) {
        if (sab_watch_interrupted())
            sab_pool_stop(&run->pool);
        else
            SAB_TRY(fill_pool(run, err));
        if (run->pool.running == 0)
            break;
        show_progress(run);
        i = sab_pool_wait(&run->pool, 0.25, &code);
        if (i >= 0)
            SAB_TRY(finish_point(run, i, code, err));
    }
cleanup:
    sab_pool_stop(&run->pool); /* after an error of our own too, no child is left behind */
    while (run->pool.running > 0)
        sab_pool_wait(&run->pool, 0.25, &code);
    sab_progress_end(run->term);
    if (status == SAB_OK && sab_watch_interrupted()) {
        sab_warn(run->term, "stopped by a signal; go on with --resume");
        status = SAB_INTERRUPTED;
    }
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static sab_status choose_directory(const sab_args *args, sab_study_run *run, sab_error *err)
{
    char path[SAB_STUDY_PATH + 20];
    const int n = args->output != NULL
                      ? snprintf(run->directory, SAB_PATH, "%s", args->output)
                      : snprintf(run->directory, SAB_PATH, "out/%s", run->study->name);

    if (n < 0 || n >= SAB_PATH)
        return sab_fail(err, SAB_ERR_USAGE, "the path of the output directory is too long");
    snprintf(path, sizeof path, "%s/summary.json", run->directory);
    if (sab_file_exists(path))
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds the result of a run: choose another directory with -o",
                        run->directory);
    snprintf(path, sizeof path, "%s/results.csv", run->directory);
    if (sab_file_exists(path) && !args->force && !args->resume)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds the result of a study already: go on with --resume, choose "
                        "another directory with -o, or replace it with --force",
                        run->directory);
    return SAB_OK;
}

/* Make the directories; hold a lock on them that children share, so that two studies do not mix. */
static sab_status open_directory(sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_STUDY_PATH], *real = NULL;

    snprintf(path, sizeof path, "%s/points", run->directory);
    SAB_TRY(sab_directory_create(path, err));
    real = realpath(path, NULL); /* initial.from is relative to the case file, not to us */
    if (real == NULL || strlen(real) >= SAB_PATH) {
        status = sab_fail(err, SAB_ERR_IO, "cannot find '%s': %s", path, strerror(errno));
        goto cleanup;
    }
    memcpy(run->points, real, strlen(real) + 1);
    run->lock = open(run->points, O_RDONLY | O_DIRECTORY);
    if (run->lock < 0 || flock(run->lock, LOCK_EX | LOCK_NB) != 0)
        status = sab_fail(err, SAB_ERR_USAGE, "another study is at work in '%s'", run->directory);
cleanup:
    free(real);
    return status;
}

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

static sab_status report_study(sab_study_run *run, bool *good, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char json[SAB_STUDY_PATH], csv[SAB_STUDY_PATH], sigma[200];
    int doubtful = 0;

    SAB_TRY(write_table(run, &table, err));
    sab_study_show_table(run, table);
    sab_study_show_warnings(run);
    SAB_TRY(sab_study_write(run, err));
    if (run->study->has_bracket)
        SAB_TRY(sab_study_show_brackets(run, good, err));
    if (run->study->has_fit && run->failed < run->done) {
        sab_fit_request request = run->study->fit;

        snprintf(json, sizeof json, "%s/fit.json", run->directory);
        snprintf(csv, sizeof csv, "%s/fit_points.csv", run->directory);
        if (run->study->fit_weighted && strncmp(request.y, "probes.", 7) == 0) {
            snprintf(sigma, sizeof sigma, "deviations.%.180s", request.y + 7);
            if (sab_table_find(table, sigma) >= 0)
                request.sigma = sigma;
        }
        SAB_TRY(sab_fit_show(table, &request, json, csv, run->term, &doubtful, err));
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
    sab_study_run run = {.term = &term, .resume = args->resume, .lock = -1};
    sab_table *table = NULL;
    int jobs;
    bool good = true;

    SAB_TRY(sab_study_read(args->target, &run.study, err));
    SAB_TRY(choose_jobs(args, run.study, &jobs, err));
    SAB_TRY(choose_directory(args, &run, err));
    SAB_TRY(create_chains(&run, err));
    run.expected = run.npoints;
    SAB_TRY(open_directory(&run, err));
    sab_say(&term, "sablier %s  %s", SAB_VERSION, run.study->title);
    sab_say(&term, "study          %s: %d points%s, %d at a time, in %s", run.study->path,
            run.npoints, run.study->has_bracket ? " at most" : "", jobs, run.directory);
    sab_watch_signals();
    SAB_TRY(sab_pool_create(jobs, &run.pool, err));
    SAB_TRY(write_table(&run, &table, err));
    SAB_TRY(run_all(&run, err));
    SAB_TRY(report_study(&run, &good, err));
    sab_say(&term,
            "result         %s/results.csv: %d points, %d of them new, %d failed, %d missed their "
            "tolerance or are not valid, %d with warnings",
            run.directory, run.done, run.ran, run.failed, run.missed, run.warned);
cleanup:
    if (status != SAB_OK && status != SAB_INTERRUPTED)
        sab_complain(&term, message.message);
    sab_table_destroy(&table);
    sab_pool_destroy(&run.pool);
    for (int i = 0; run.point != NULL && i < run.npoints; i++)
        sab_point_destroy(&run.point[i]);
    SAB_FREE(run.point);
    SAB_FREE(run.chain);
    if (run.lock >= 0)
        close(run.lock);
    sab_study_destroy(&run.study);
    if (status != SAB_OK)
        return sab_exit_code(status);
    return sab_say_end(&term, good && run.failed == 0 && run.missed == 0 ? 0 : 1);
}

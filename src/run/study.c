#define _XOPEN_SOURCE 700 /* realpath */
#include "run/study.h"
#include "base/memory.h"
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

static void count(sab_study_run *run, const sab_point *p)
{
    run->done++;
    run->warned += sab_point_warnings(p) > 0;
    if (strcmp(p->status, "interrupted") == 0)
        return;
    if (p->summary == NULL)
        run->failed++;
    else
        run->missed += !sab_point_good(p);
}

sab_status sab_study_next(sab_study_run *run, sab_study_task *task, sab_error *err)
{
    sab_status status = SAB_OK;

    *task = (sab_study_task){.point = -1, .from = -1};
    for (int k = 0; k < run->nchains && task->point < 0; k++) {
        sab_chain *chain = &run->chain[k];

        if (chain->running >= 0)
            continue;
        SAB_TRY(next_point(run, chain, &task->point, err));
        if (task->point < 0)
            continue;
        sab_point *p = &run->point[task->point];
        task->from = starts_from(run, chain);
        sab_point_follow(p, task->from >= 0 ? &run->point[task->from] : NULL);
        const sab_point_found found =
            run->resume ? sab_point_find(run->points, p) : SAB_FOUND_NOTHING;
        task->found = found == SAB_FOUND_RESULT;
        task->resume = found == SAB_FOUND_CHECKPOINT;
        chain->running = task->point;
        if (task->found) {
            count(run, p);
            advance(run, chain, task->point);
        }
    }
cleanup:
    return status;
}

sab_status sab_study_prepare(sab_study_run *run, const sab_study_task *task, int *n,
                             char **override, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_point *p = &run->point[task->point];
    char value[40];
    sab_text text = {0};

    *n = 0;
    SAB_TRY(sab_point_prepare(run->points, p, task->resume, err));
    SAB_TRY(sab_study_overrides(run->study, p->combination,
                                run->study->has_bracket ? sab_point_value(p, value, sizeof value)
                                                        : NULL,
                                n, override, SAB_STUDY_OVERRIDES, err));
    if (task->from >= 0) {
        SAB_TRY(sab_text_add(&text, err, "initial.from=\"%s/%s/checkpoint.sab\"", run->points,
                             run->point[task->from].name));
        override[(*n)++] = text.data;
    }
cleanup:
    return status;
}

sab_status sab_study_done(sab_study_run *run, int i, int code, bool stopped, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;

    SAB_TRY(sab_point_finish(run->points, &run->point[i], code, stopped, err));
    run->ran++;
    run->seconds += run->point[i].seconds;
    count(run, &run->point[i]);
    for (int k = 0; k < run->nchains; k++)
        if (run->chain[k].running == i)
            advance(run, &run->chain[k], i);
    SAB_TRY(sab_study_table(run, &table, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

sab_status sab_study_table(const sab_study_run *run, sab_table **table, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_STUDY_PATH];

    SAB_TRY(sab_point_table(run->study, run->npoints, run->point, table, err));
    snprintf(path, sizeof path, "%s/results.csv", run->directory);
    SAB_TRY(sab_table_write(*table, path, err));
cleanup:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static sab_status choose_directory(sab_study_run *run, const char *directory, bool force,
                                   sab_error *err)
{
    char path[SAB_STUDY_PATH + 20];
    const int n = snprintf(run->directory, SAB_PATH, "%s", directory);

    if (n < 0 || n >= SAB_PATH)
        return sab_fail(err, SAB_ERR_USAGE, "the path of the output directory is too long");
    snprintf(path, sizeof path, "%s/summary.json", run->directory);
    if (sab_file_exists(path))
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds the result of a run: choose another directory with -o",
                        run->directory);
    snprintf(path, sizeof path, "%s/results.csv", run->directory);
    if (sab_file_exists(path) && !force && !run->resume)
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

sab_status sab_study_run_create(sab_study **study, const char *directory, bool resume, bool force,
                                sab_study_run **run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_run *r = NULL;

    *run = NULL;
    SAB_NEW(r, 1);
    r->lock = -1;
    r->resume = resume;
    r->study = *study;
    *study = NULL;
    SAB_TRY(choose_directory(r, directory, force, err));
    SAB_TRY(create_chains(r, err));
    SAB_TRY(open_directory(r, err));
    *run = r;
    r = NULL;
cleanup:
    sab_study_destroy(study);
    sab_study_run_destroy(&r);
    return status;
}

void sab_study_run_destroy(sab_study_run **run)
{
    sab_study_run *r = *run;

    if (r == NULL)
        return;
    for (int i = 0; r->point != NULL && i < r->npoints; i++)
        sab_point_destroy(&r->point[i]);
    SAB_FREE(r->point);
    SAB_FREE(r->chain);
    if (r->lock >= 0)
        close(r->lock);
    sab_study_destroy(&r->study);
    SAB_FREE(*run);
}

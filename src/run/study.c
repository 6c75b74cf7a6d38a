/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */
#include "run/study.h"
#include "base/memory.h"
#include "io/file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The runs of a study that was killed end by themselves: that long they are waited for. */
static const double ORPHANS = 60.0; /* seconds */
/* Others that only submit or collect are quick. */
static const double OTHERS = 60.0;
#define CHAIN "chain" /* the name of its fence */

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

/* The points of a chain that are known before it runs. */
static int known(const sab_study_run *run, const sab_chain *chain)
{
    return run->study->has_bracket ? 2 : chain->length;
}

/* Those that are known before a chain runs: finds all errors of all cases. */
static sab_status create_points(sab_study_run *run, sab_error *err)
{
    const sab_study *s = run->study;
    sab_status status = SAB_OK;

    for (int k = 0; k < run->nchains; k++)
        for (int n = 0; n < known(run, &run->chain[k]); n++) {
            const int i = run->chain[k].first + n * run->chain[k].stride;

            SAB_TRY(sab_study_point_create(s, s->has_bracket ? i / run->chain[k].length : i,
                                           s->has_bracket ? s->bracket.between[n] : (double)NAN,
                                           &run->point[i], err));
        }
cleanup:
    return status;
}

static sab_status create_chains(sab_study_run *run, int only, sab_error *err)
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
    for (int c = 0, number = 0; c < s->ncombinations; c++) {
        if (!s->has_bracket && s->continued >= 0 && sab_study_index(s, c, s->continued) > 0)
            continue; /* further down a chain */
        if (number++ == only || only < 0)
            run->chain[run->nchains++] = (sab_chain){.number = number - 1,
                                                     .first = s->has_bracket ? c * length : c,
                                                     .stride = stride,
                                                     .length = length,
                                                     .running = -1,
                                                     .last = -1,
                                                     .flowing = -1,
                                                     .arrested = -1,
                                                     .sure_flowing = -1,
                                                     .sure_arrested = -1};
    }
    if (run->nchains == 0)
        SAB_FAIL(err, SAB_ERR_USAGE, "'%s' has no chain %d", s->path, only);
    SAB_TRY(create_points(run, err));
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
        const sab_status status = sab_study_point_create(
            run->study, run->point[chain->first].combination, middle, &run->point[i], err);
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
    const sab_study_point *p = &run->point[i];
    const sab_study_bracket *b = &run->study->bracket;
    const bool good = sab_study_point_good(p);

    chain->running = -1;
    if (good)
        chain->last = i;
    if (strcmp(p->status, "interrupted") == 0)
        chain->broken = true;
    if (!run->study->has_bracket)
        return;
    const double value = sab_study_point_number(p, b->probe);
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

static void count(sab_study_run *run, const sab_study_point *p)
{
    run->done++;
    run->warned += sab_study_point_warnings(p) > 0;
    if (strcmp(p->status, "interrupted") == 0)
        return;
    if (p->summary == NULL)
        run->failed++;
    else
        run->missed += !sab_study_point_good(p);
}

/* A chain has ended. What its last owner left, if that was killed, goes too. */
static void leave(const sab_study_run *run, sab_chain *chain)
{
    if (chain->left)
        return;
    chain->left = true;
    if (chain->owner == NULL && (run->use == SAB_STUDY_WORK || run->use == SAB_STUDY_CHAIN) &&
        sab_study_chain_owner(run, chain, NULL) == SAB_OWNER_DEAD)
        sab_study_chain_drop(run, chain);
    sab_owner_release(&chain->owner);
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
        if (task->point < 0) {
            leave(run, chain);
            continue;
        }
        sab_study_point *p = &run->point[task->point];
        task->from = starts_from(run, chain);
        sab_study_point_follow(p, task->from >= 0 ? &run->point[task->from] : NULL);
        const sab_study_point_found found =
            run->resume ? sab_study_point_find(run->points, p) : SAB_STUDY_FOUND_NOTHING;
        task->found = found == SAB_STUDY_FOUND_RESULT;
        task->resume = found == SAB_STUDY_FOUND_CHECKPOINT;
        chain->running = task->point;
        if (task->found) {
            count(run, p);
            advance(run, chain, task->point);
        }
    }
cleanup:
    return status;
}

static sab_chain *chain_of(sab_study_run *run, int point)
{
    for (int k = 0; k < run->nchains; k++)
        if (run->chain[k].running == point)
            return &run->chain[k];
    return NULL;
}

/* Where the file of its owner is. */
static const char *chain_directory(const sab_study_run *run, const sab_chain *chain,
                                   char path[SAB_PATH])
{
    sab_path_set(path, NULL, "%s/%s", run->points, run->point[chain->first].name);
    return path;
}

/* Own the chain; and wait for a run that the last owner has left behind. */
static sab_status own(sab_study_run *run, sab_chain *chain, const sab_study_point *p,
                      sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_PATH];

    if (chain->owner == NULL) {
        SAB_TRY(sab_directory_create(chain_directory(run, chain, path), err));
        SAB_TRY(sab_owner_take(path, CHAIN, &chain->owner, err));
    }
    SAB_TRY(sab_owner_check(chain->owner, err));
    SAB_TRY(sab_path_set(path, err, "%s/%s", run->points, p->name));
    SAB_TRY(sab_owner_ask(path, SAB_RUN_OWNER, ORPHANS, err));
cleanup:
    return status;
}

sab_status sab_study_prepare(sab_study_run *run, const sab_study_task *task, int *n,
                             char **override, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_point *p = &run->point[task->point];
    char value[40];
    sab_text text = {0};

    *n = 0;
    SAB_TRY(own(run, chain_of(run, task->point), p, err));
    SAB_TRY(sab_study_point_prepare(run->points, p, task->resume, err));
    SAB_TRY(sab_study_overrides(
        run->study, p->combination,
        run->study->has_bracket ? sab_study_point_value(p, value, sizeof value) : NULL, n, override,
        SAB_STUDY_OVERRIDES, err));
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
    sab_chain *chain = chain_of(run, i);

    SAB_TRY(sab_owner_check(chain->owner, err));
    SAB_TRY(sab_study_point_finish(run->points, &run->point[i], code, stopped, err));
    run->ran++;
    run->seconds += run->point[i].seconds;
    count(run, &run->point[i]);
    advance(run, chain, i);
    SAB_TRY(sab_study_table(run, &table, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

sab_status sab_study_table(const sab_study_run *run, sab_table **table, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_PATH];

    SAB_TRY(sab_study_point_table(run->study, run->npoints, run->point, table, err));
    if (run->use == SAB_STUDY_LOOK || run->use == SAB_STUDY_CHAIN)
        goto cleanup;
    SAB_TRY(sab_owner_check(run->owner, err));
    SAB_TRY(sab_path_set(path, err, "%s/results.csv", run->directory));
    SAB_TRY(sab_table_write(*table, path, err));
cleanup:
    return status;
}

/* ---- without running ------------------------------------------------------------------------ */

sab_status sab_study_gather(sab_study_run *run, bool again, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_task task;

    run->resume = true;
    while (true) {
        SAB_TRY(sab_study_next(run, &task, err));
        if (task.point < 0)
            break;
        if (task.found)
            continue;
        sab_chain *chain = chain_of(run, task.point);
        sab_study_point *p = &run->point[task.point];
        if (sab_study_point_failed(run->points, p) && !again) {
            count(run, p);
            advance(run, chain, task.point);
        } else {
            chain->running = -1;
            chain->broken = true;
        }
    }
cleanup:
    return status;
}

unsigned long long sab_study_chain_hash(const sab_study_run *run, const sab_chain *chain)
{
    unsigned long long h = 0;

    for (int n = 0; n < known(run, chain); n++) /* of numbers that are hashes themselves */
        h = (h ^ run->point[chain->first + n * chain->stride].case_hash) * 1099511628211ull + 1;
    return h;
}

sab_status sab_study_forget(const sab_study_run *run, sab_error *err)
{
    DIR *stream = opendir(run->points);
    char path[SAB_PATH];

    if (stream == NULL)
        return sab_fail(err, SAB_ERR_IO, "cannot read directory '%s': %s", run->points,
                        strerror(errno));
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        sab_path_set(path, NULL, "%s/%s/point.json", run->points, entry->d_name);
        remove(path);
    }
    closedir(stream);
    return SAB_OK;
}

sab_owner_state sab_study_chain_owner(const sab_study_run *run, const sab_chain *chain,
                                      sab_owner_who *who)
{
    char path[SAB_PATH];

    return sab_owner_look(chain_directory(run, chain, path), CHAIN, who);
}

void sab_study_chain_drop(const sab_study_run *run, const sab_chain *chain)
{
    char path[SAB_PATH];

    sab_owner_drop(chain_directory(run, chain, path), CHAIN);
    for (int n = 0; n < chain->length; n++) {
        const sab_study_point *p = &run->point[chain->first + n * chain->stride];

        sab_path_set(path, NULL, "%s/%s", run->points, p->name);
        if (p->state != SAB_STUDY_POINT_NONE)
            sab_owner_drop(path, SAB_RUN_OWNER);
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static sab_status choose_directory(sab_study_run *run, const char *directory, bool force,
                                   sab_error *err)
{
    char path[SAB_PATH];
    sab_status status = SAB_OK;

    SAB_TRY(sab_path_check(directory, err));
    SAB_TRY(sab_path_set(run->directory, err, "%s", directory));
    SAB_TRY(sab_path_set(path, err, "%s/summary.json", directory));
    if (sab_file_exists(path))
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "'%s' holds the result of a run: choose another directory with -o", directory);
    SAB_TRY(sab_path_set(path, err, "%s/results.csv", directory));
    const bool there = sab_file_exists(path);
    if (run->use != SAB_STUDY_WORK && !there)
        SAB_FAIL(err, SAB_ERR_USAGE, "there is no study in '%s'", directory);
    if (run->use == SAB_STUDY_WORK && there && !force && !run->resume)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "'%s' holds the result of a study already: go on with --resume, choose "
                 "another directory with -o, or replace it with --force",
                 directory);
cleanup:
    return status;
}

/* Make the directories, and own them, so that two studies do not mix. */
static sab_status open_directory(sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_PATH], *real = NULL;

    SAB_TRY(sab_path_set(path, err, "%s/points", run->directory));
    if (run->use == SAB_STUDY_WORK)
        SAB_TRY(sab_directory_create(path, err));
    real = realpath(path, NULL); /* initial.from is relative to the case file, not to us */
    if (real == NULL)
        SAB_FAIL(err, SAB_ERR_IO, "cannot find '%s': %s", path, strerror(errno));
    SAB_TRY(sab_path_check(real, err));
    SAB_TRY(sab_path_set(run->points, err, "%s", real));
    if (run->use == SAB_STUDY_COLLECT)
        SAB_TRY(sab_owner_ask(run->directory, SAB_RUN_OWNER, OTHERS, err));
    if (run->use == SAB_STUDY_WORK || run->use == SAB_STUDY_COLLECT)
        SAB_TRY(sab_owner_take(run->directory, SAB_RUN_OWNER, &run->owner, err));
cleanup:
    if (status == SAB_ERR_USAGE)
        sab_error_context(err, "another study is at work");
    free(real);
    return status;
}

sab_status sab_study_run_create(sab_study **study, const char *directory,
                                const sab_study_options *options, sab_study_run **run,
                                sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_run *r = NULL;

    *run = NULL;
    SAB_NEW(r, 1);
    r->use = options->use;
    r->resume = options->resume || options->use != SAB_STUDY_WORK;
    r->study = *study;
    *study = NULL;
    SAB_TRY(choose_directory(r, directory, options->force, err));
    SAB_TRY(create_chains(r, options->use == SAB_STUDY_CHAIN ? options->chain : -1, err));
    SAB_TRY(open_directory(r, err));
    SAB_TRY(choose_directory(r, directory, options->force, err)); /* now that it is ours */
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
        sab_study_point_destroy(&r->point[i]);
    SAB_FREE(r->point);
    for (int k = 0; k < r->nchains; k++)
        sab_owner_release(&r->chain[k].owner);
    SAB_FREE(r->chain);
    sab_owner_release(&r->owner);
    sab_study_destroy(&r->study);
    SAB_FREE(*run);
}

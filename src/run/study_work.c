/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/study_work.h"
#include "base/memory.h"
#include "run/pool.h"

#include <stdio.h>
#include <string.h>

/* A run of a study that was killed may come into being when we have already seen that nobody is at
 * work in the directory of its point: it stops soon, but ours is refused, with exit code 2. Then it
 * is started again. */
enum { REFUSED = 2, ATTEMPTS = 3 };

typedef struct started {
    sab_study_task task;
    int attempts; /* 0: a free place */
} started;

typedef struct work {
    sab_study_run *run;
    const sab_study_events *events;
    sab_pool pool;
    started *at; /* [pool.size] what runs */
} work;

/* ---- one point ------------------------------------------------------------------------------ */

/* Run it: `sablier run BASE -o DIR --set ...` */
static sab_status start_point(work *w, const sab_study_task *task, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_run *run = w->run;
    const char *argument[2 * (SAB_STUDY_OVERRIDES + 1) + 16];
    char *override[SAB_STUDY_OVERRIDES + 1] = {NULL}, directory[SAB_PATH], log[SAB_PATH];
    sab_text line = {0};
    int n = 0, a = 0;

    SAB_TRY(sab_study_prepare(run, task, &n, override, err));
    SAB_TRY(sab_path_set(directory, err, "%s/%s", run->points, run->point[task->point].name));
    SAB_TRY(sab_path_set(log, err, "%s/log.txt", directory));
    argument[a++] = "sablier";
    argument[a++] = "run";
    argument[a++] = sab_study_base(run->study, run->point[task->point].combination);
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
    for (int k = 0; k < a && w->events->started != NULL; k++)
        SAB_TRY(sab_text_add(&line, err,
                             strpbrk(argument[k], " \"*()[]{}&;<>|$") != NULL ? " '%s'" : " %s",
                             argument[k]));
    if (line.data != NULL)
        w->events->started(w->events->data, line.data);
cleanup:
    sab_text_destroy(&line);
    for (int k = 0; k < n; k++)
        SAB_FREE(override[k]);
    return status;
}

static started *place_of(const work *w, int point)
{
    for (int k = 0; k < w->pool.size; k++)
        if (w->at[k].attempts > 0 && w->at[k].task.point == point)
            return &w->at[k];
    return NULL;
}

static sab_status start_first(work *w, const sab_study_task *task, sab_error *err)
{
    started *place = w->at;

    while (place->attempts > 0)
        place++;
    *place = (started){*task, 1};
    return start_point(w, task, err);
}

/* The run of a point has ended with that code. */
static sab_status take_end(work *w, int point, int code, bool *again, sab_error *err)
{
    started *place = place_of(w, point);

    *again = code == REFUSED && !w->pool.stopped && place->attempts++ < ATTEMPTS;
    if (*again)
        return start_point(w, &place->task, err);
    place->attempts = 0;
    return sab_study_done(w->run, point, code, w->pool.stopped, err);
}

static void tell_end(const work *w, int point)
{
    if (w->events->ended != NULL && strcmp(w->run->point[point].status, "interrupted") != 0)
        w->events->ended(w->events->data, w->run, point);
}

/* ---- the loop ------------------------------------------------------------------------------- */

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
            tell_end(w, task.point);
        else
            SAB_TRY(start_first(w, &task, err));
    }
cleanup:
    return status;
}

sab_status sab_study_work(sab_study_run *run, int at_once, const sab_study_events *events,
                          sab_error *err)
{
    work w = {.run = run, .events = events};
    sab_status status = SAB_OK;
    int i, code = 0;
    bool again;

    SAB_TRY(sab_pool_create(at_once, &w.pool, err));
    SAB_NEW(w.at, at_once);
    while (true) {
        if (events->stopped(events->data))
            sab_pool_stop(&w.pool);
        else
            SAB_TRY(fill_pool(&w, err));
        if (w.pool.running == 0)
            break;
        if (events->progress != NULL)
            events->progress(events->data, run, w.pool.running, at_once);
        i = sab_pool_wait(&w.pool, 0.25, &code);
        if (i >= 0) {
            SAB_TRY(take_end(&w, i, code, &again, err));
            if (!again)
                tell_end(&w, i);
        }
    }
cleanup:
    sab_pool_stop(&w.pool); /* after an error of our own too, no child is left behind */
    while (w.pool.running > 0)
        sab_pool_wait(&w.pool, 0.25, &code);
    sab_pool_destroy(&w.pool);
    SAB_FREE(w.at);
    return status == SAB_OK && events->stopped(events->data) ? SAB_INTERRUPTED : status;
}

/* cli/study_work.c -- the points of a study at work, each in a process of its own. */
#include "base/memory.h"
#include "base/timer.h"
#include "cli/args.h"
#include "cli/pool.h"
#include "cli/study.h"

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

sab_status sab_study_work(sab_study_run *run, int jobs, bool (*stopped)(void), sab_terminal *term,
                          sab_error *err)
{
    work w = {.run = run, .term = term};
    sab_status status = SAB_OK;
    int i, code = 0;

    SAB_TRY(sab_pool_create(jobs, &w.pool, err));
    while (true) {
        if (stopped())
            sab_pool_stop(&w.pool);
        else
            SAB_TRY(fill_pool(&w, err));
        if (w.pool.running == 0)
            break;
        show_progress(&w);
        i = sab_pool_wait(&w.pool, 0.25, &code);
        if (i >= 0) {
            SAB_TRY(sab_study_done(run, i, code, w.pool.stopped, err));
            report_point(&w, &run->point[i]);
        }
    }
cleanup:
    sab_pool_stop(&w.pool); /* after an error of our own too, no child is left behind */
    while (w.pool.running > 0)
        sab_pool_wait(&w.pool, 0.25, &code);
    sab_pool_destroy(&w.pool);
    sab_progress_end(term);
    return status == SAB_OK && stopped() ? SAB_INTERRUPTED : status;
}

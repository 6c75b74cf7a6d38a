/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study_view.h"
#include "base/timer.h"
#include "cli/watch.h"

#include <stdio.h>

static bool on_stopped(void *data)
{
    (void)data;
    return sab_watch_interrupted();
}

static void on_warning(void *data, const char *sentence)
{
    sab_warn(((sab_study_view *)data)->term, "%s", sentence);
}

static void on_started(void *data, const char *command)
{
    sab_say(((sab_study_view *)data)->term, "start         %s", command);
}

static void on_ended(void *data, const sab_study_run *run, int point)
{
    sab_terminal *term = ((sab_study_view *)data)->term;
    const sab_study_point *p = &run->point[point];
    char text[700], duration[32], trouble[300];

    if (p->summary == NULL) {
        sab_warn(term, "point %s failed (exit code %d): %s\n  its log is %s/%s/log.txt", p->name,
                 p->exit, sab_study_point_complaint(run->points, p, text, sizeof text), run->points,
                 p->name);
        return;
    }
    if (sab_study_point_trouble(p, trouble, sizeof trouble)[0] != '\0')
        sab_warn(term, "point %s: %s; %s", p->name, trouble,
                 sab_study_point_complaint(run->points, p, text, sizeof text));
    sab_say(term, "%4d of %-4d   %s: %s, %s", run->done, run->npoints, p->name, p->status,
            p->started > 0.0 ? sab_duration(p->seconds, duration, sizeof duration)
                             : "as it is there");
}

static void on_progress(void *data, const sab_study_run *run, int running, int at_once)
{
    sab_terminal *term = ((sab_study_view *)data)->term;
    char left[32], now[32];
    const double spent = sab_wall_seconds() - term->started;
    const int waiting = run->npoints - run->done;

    if (run->ran > 0)
        sab_progress(term, "%d of %d points done, %d failed, %d running, about %s left", run->done,
                     run->npoints, run->failed, running,
                     sab_duration(run->seconds / run->ran * waiting / at_once, left, sizeof left));
    else
        sab_progress(term, "%d of %d points done, %d failed, %d running for %s", run->done,
                     run->npoints, run->failed, running, sab_duration(spent, now, sizeof now));
}

/* ---- on a batch system ---------------------------------------------------------------------- */

static void on_queued(void *data, int chains)
{
    sab_say(((sab_study_view *)data)->term, "in the queue   %d chain%s, not submitted again",
            chains, chains == 1 ? "" : "s");
}

static void on_submitted(void *data, int chains, const char *job)
{
    const sab_study_view *view = data;

    sab_say(view->term, "submitted      %d chain%s as job %s of %s", chains, chains == 1 ? "" : "s",
            job, view->jobs->system->name);
}

static void on_waiting(void *data, int chains)
{
    const sab_study_view *view = data;

    sab_progress(view->term, "%d of %d chains running or in the queue of %s", chains, view->nchains,
                 view->jobs->system->name);
}

sab_study_events sab_study_view_events(sab_study_view *view)
{
    return (sab_study_events){.data = view,
                              .stopped = on_stopped,
                              .warning = on_warning,
                              .started = view->term->verbosity > 0 ? on_started : NULL,
                              .ended = on_ended,
                              .progress = on_progress,
                              .queued = on_queued,
                              .submitted = on_submitted,
                              .waiting = on_waiting};
}

void sab_study_show_commands(const sab_study_jobs *jobs, sab_terminal *term)
{
    const char *directory = jobs->directory;

    sab_say(term, "parallel < %s/commands", directory);
    sab_say(term, "xargs -d '\\n' -P 2 -n 1 sh -c < %s/commands", directory);
    sab_say(term, "snakemake --cores 2 --keep-going --forceall -s %s/Snakefile", directory);
    sab_say(term, "%s/collect.sh   # then", directory);
}

sab_status sab_study_show_status(const sab_study_jobs *jobs, const sab_study_run *run,
                                 sab_terminal *term, sab_error *err)
{
    const sab_study_counts n = sab_study_count(run);
    sab_status status = SAB_OK;
    sab_study_queue queue = {0};

    sab_say(term,
            "points         %d done (%d of them failed, %d left out), %d running, %d interrupted, "
            "%d pending%s",
            run->done, run->failed, run->missed, n.running, n.interrupted, n.pending,
            run->study->has_bracket ? " and those that a bisection needs yet" : "");
    if (jobs->system == NULL)
        goto cleanup;
    SAB_TRY(sab_study_batch_ask(jobs, run->nchains, &queue, err));
    if (queue.known)
        sab_say(term, "%-14s %d of %d chains running or in the queue", jobs->system->name,
                queue.chains, run->nchains);
    else
        sab_warn(term, "%s", err->message);
cleanup:
    sab_study_queue_destroy(&queue);
    return status;
}

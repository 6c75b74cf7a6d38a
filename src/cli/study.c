/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/study.c -- `sablier study`: every point of a study in a process of its own, here or on a
 * batch system; one table, a fit. */
#include "cli/commands.h"
#include "cli/study_view.h"
#include "run/describe_study.h"
#include "cli/watch.h"
#include "run/study_work.h"

#include <stdio.h>
#include <string.h>

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

/* ---- options -------------------------------------------------------------------------------- */

/* Where the points run: *system is NULL for the others. */
typedef enum place { LOCAL, LIST, SYSTEM } place;

/* The name of the backend that is meant. */
static const char *backend_name(const sab_args *args, const sab_study_jobs *jobs)
{
    if (args->backend != NULL)
        return args->backend;
    if (args->resume && jobs->study[0] != '\0') /* as it was begun */
        return jobs->system != NULL ? jobs->system->name : "list";
    return "local";
}

static sab_status choose_place(const sab_args *args, const sab_study_jobs *jobs, place *where,
                               const sab_batch **system, sab_error *err)
{
    const char *name = backend_name(args, jobs);
    char names[200];

    *system = sab_batch_find(name);
    *where = *system != NULL ? SYSTEM : strcmp(name, "list") == 0 ? LIST : LOCAL;
    if (*where == LOCAL && strcmp(name, "local") != 0)
        return sab_fail(err, SAB_ERR_USAGE, "--backend: '%s' is not one of local, %s, list", name,
                        sab_batch_names(names, sizeof names));
    if (*where != SYSTEM && (args->submit != NULL || args->at_most != NULL || args->wait))
        return sab_fail(err, SAB_ERR_USAGE,
                        "--submit, --at-most and --wait belong to a batch system: --backend %s",
                        sab_batch_names(names, sizeof names));
    if (*where != LOCAL && args->jobs != NULL)
        return sab_fail(err, SAB_ERR_USAGE,
                        "--jobs is the number of points at once on this machine; on a batch system "
                        "it is --at-most");
    return SAB_OK;
}

static sab_status check_options(const sab_args *args, sab_error *err)
{
    const int asks = args->status + args->collect + args->cancel;
    const bool works = args->resume || args->force || args->backend != NULL || args->wait ||
                       args->submit != NULL || args->at_most != NULL || args->jobs != NULL;

    if (asks > 1)
        return sab_fail(err, SAB_ERR_USAGE, "--status, --collect and --cancel exclude each other");
    if (asks == 1 && works)
        return sab_fail(
            err, SAB_ERR_USAGE,
            "--status, --collect and --cancel run nothing: they take -o, -q and -v only");
    return SAB_OK;
}

/* ---- the command ---------------------------------------------------------------------------- */

typedef struct request {
    const sab_args *args;
    sab_terminal *term;
    char directory[SAB_PATH];
    sab_study *study;    /* moved into the run */
    sab_study_jobs jobs; /* on a batch system */
    sab_study_run *run;
    sab_study_view view;
    sab_study_events events; /* of this view */
    bool good;
} request;

static sab_status open_run(request *r, sab_study_use use, sab_error *err)
{
    const sab_study_options options = {
        .use = use, .resume = r->args->resume, .force = r->args->force};

    const sab_status status = sab_study_run_create(&r->study, r->directory, &options, &r->run, err);
    r->view = (sab_study_view){r->term, &r->jobs, r->run != NULL ? r->run->nchains : 0};
    r->events = sab_study_view_events(&r->view);
    return status;
}

static void say_begin(const request *r, const char *how, int n)
{
    const sab_study_run *run = r->run;

    sab_say(r->term, "sablier %s  %s", SAB_VERSION, run->study->title);
    sab_say(r->term, "study          %s: %d points%s, %d %s, in %s", run->study->path, run->npoints,
            run->study->has_bracket ? " at most" : "", n, how, run->directory);
}

static sab_status report(request *r, sab_error *err)
{
    const sab_teller out = sab_terminal_teller(r->term);

    return sab_describe_study(r->run, &out, &r->good, err);
}

static sab_status run_here(request *r, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    int jobs;

    SAB_TRY(choose_jobs(r->args, r->study, &jobs, err));
    SAB_TRY(open_run(r, SAB_STUDY_WORK, err));
    SAB_TRY(sab_study_batch_refuse(&r->jobs, r->run->nchains, err));
    say_begin(r, "at a time", jobs);
    SAB_TRY(sab_study_table(r->run, &table, err));
    status = sab_study_work(r->run, jobs, &r->events, err);
    sab_progress_end(r->term);
    if (status == SAB_INTERRUPTED)
        sab_warn(r->term, "stopped by a signal; go on with --resume");
    SAB_TRY(status);
    SAB_TRY(report(r, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

static sab_status collect(request *r, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(open_run(r, SAB_STUDY_COLLECT, err));
    SAB_TRY(sab_study_gather(r->run, false, err));
    SAB_TRY(report(r, err));
cleanup:
    return status;
}

/* As `collect`, of a study that was submitted a moment ago. */
static sab_status wait_and_collect(request *r, sab_error *err)
{
    sab_status status = SAB_OK;
    const int nchains = r->run->nchains;

    sab_study_run_destroy(&r->run); /* it is not ours while we wait */
    status = sab_study_batch_wait(&r->jobs, nchains, &r->events, err);
    sab_progress_end(r->term);
    if (status == SAB_INTERRUPTED)
        sab_warn(r->term, "stopped by a signal; the jobs go on (--status, --cancel)");
    SAB_TRY(status);
    SAB_TRY(sab_study_read(r->args->target, &r->study, err));
    SAB_TRY(collect(r, err));
cleanup:
    return status;
}

/* --submit and --at-most, unless those of the last time are meant. */
static sab_status take_options(request *r, sab_error *err)
{
    const sab_args *args = r->args;
    sab_study_jobs *jobs = &r->jobs;
    sab_status status = SAB_OK;

    if (args->submit != NULL)
        SAB_TRY(sab_study_jobs_text(&jobs->options, args->submit, err));
    if (args->at_most != NULL) {
        SAB_TRY(sab_args_integer("--at-most", args->at_most, &jobs->at_most, err));
        if (jobs->at_most < 1)
            SAB_FAIL(err, SAB_ERR_USAGE, "--at-most: %d is not positive", jobs->at_most);
    }
    jobs->safe = args->safe;
cleanup:
    return status;
}

static sab_status submit(request *r, const sab_batch *system, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    int left = 0;

    SAB_TRY(open_run(r, SAB_STUDY_WORK, err));
    SAB_TRY(sab_study_batch_choose(&r->jobs, system, r->args->force, r->run->nchains, err));
    SAB_TRY(take_options(r, err));
    if (r->args->force)
        SAB_TRY(sab_study_forget(r->run, err));
    SAB_TRY(sab_study_gather(r->run, true, err));
    SAB_TRY(sab_study_table(r->run, &table, err));
    say_begin(r, "chains", r->run->nchains);
    SAB_TRY(sab_study_batch_submit(&r->jobs, r->run, &r->events, &left, err));
    if (system == NULL)
        sab_study_show_commands(&r->jobs, r->term);
    if (left == 0)
        SAB_TRY(report(r, err));
    else if (r->args->wait)
        SAB_TRY(wait_and_collect(r, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

static sab_status look(request *r, sab_error *err)
{
    sab_status status = SAB_OK;
    bool cancelled = false;

    SAB_TRY(open_run(r, SAB_STUDY_LOOK, err));
    if (r->args->cancel) {
        SAB_TRY(sab_study_batch_cancel(&r->jobs, r->run->nchains, &cancelled, err));
        sab_say(r->term, "cancelled      %s",
                cancelled ? "the jobs that were in the queue; go on with --resume"
                          : "nothing: no job is in the queue");
    }
    if (r->args->status) {
        SAB_TRY(sab_study_gather(r->run, false, err));
        SAB_TRY(sab_study_show_status(&r->jobs, r->run, r->term, err));
    }
cleanup:
    return status;
}

int sab_command_study(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    request r = {.args = args, .term = &term, .good = true};
    const sab_batch *system = NULL;
    place where;

    sab_watch_signals(); /* first: `sablier study | head` goes on */
    SAB_TRY(check_options(args, err));
    SAB_TRY(sab_study_read(args->target, &r.study, err));
    SAB_TRY(sab_args_directory(args, r.study->name, r.directory, err));
    SAB_TRY(sab_study_jobs_read(r.directory, &r.jobs, err));
    SAB_TRY(choose_place(args, &r.jobs, &where, &system, err));
    if (args->status || args->cancel)
        SAB_TRY(look(&r, err));
    else if (args->collect)
        SAB_TRY(collect(&r, err));
    else
        SAB_TRY(where == LOCAL ? run_here(&r, err) : submit(&r, system, err));
cleanup:
    if (status != SAB_OK && status != SAB_INTERRUPTED)
        sab_complain(&term, message.message);
    sab_study_run_destroy(&r.run);
    sab_study_destroy(&r.study);
    sab_study_jobs_destroy(&r.jobs);
    return status != SAB_OK ? sab_exit_code(status) : sab_say_end(&term, r.good ? 0 : 1);
}

/* cli/study.c -- `sablier study`: every point of a study in a process of its own, here or on a
 * batch system; one table, a fit. */
#include "cli/study.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/fit.h"
#include "cli/watch.h"

#include <stdio.h>
#include <string.h>

sab_status sab_study_report(const sab_study_run *run, sab_terminal *term, bool *good,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char json[SAB_STUDY_PATH], csv[SAB_STUDY_PATH], sigma[200];
    int doubtful = 0, unfinished = 0;

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
    for (int i = 0; i < run->npoints; i++)
        unfinished +=
            run->point[i].state == SAB_POINT_PENDING || run->point[i].state == SAB_POINT_RUNNING;
    if (run->use == SAB_STUDY_COLLECT && unfinished > 0)
        sab_warn(term, "%d point%s no result yet; --status tells more, --resume goes on",
                 unfinished, unfinished == 1 ? " has" : "s have");
    sab_say(term,
            "result         %s/results.csv: %d points, %d of them new, %d failed, %d missed their "
            "tolerance or are not valid, %d with warnings",
            run->directory, run->done, run->ran, run->failed, run->missed, run->warned);
    *good = *good && run->failed == 0 && run->missed == 0 && unfinished == 0;
cleanup:
    sab_table_destroy(&table);
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

/* ---- options -------------------------------------------------------------------------------- */

/* Where the points run: *system is NULL for the others. */
typedef enum place { LOCAL, LIST, SYSTEM } place;

static sab_status choose_place(const sab_args *args, const sab_study_batch *batch, place *where,
                               const sab_batch **system, sab_error *err)
{
    const char *name = args->backend;
    char names[200];

    if (name == NULL && args->resume && batch->study[0] != '\0') /* as it was begun */
        name = batch->system != NULL ? batch->system->name : "list";
    if (name == NULL)
        name = "local";
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
    sab_study *study; /* moved into the run */
    sab_study_batch batch;
    sab_study_run *run;
    bool good;
} request;

static sab_status open_run(request *r, sab_study_use use, sab_error *err)
{
    const sab_study_options options = {
        .use = use, .resume = r->args->resume, .force = r->args->force};

    return sab_study_run_create(&r->study, r->directory, &options, &r->run, err);
}

static void say_begin(const request *r, const char *how, int n)
{
    const sab_study_run *run = r->run;

    sab_say(r->term, "sablier %s  %s", SAB_VERSION, run->study->title);
    sab_say(r->term, "study          %s: %d points%s, %d %s, in %s", run->study->path, run->npoints,
            run->study->has_bracket ? " at most" : "", n, how, run->directory);
}

static sab_status run_here(request *r, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    int jobs;

    SAB_TRY(choose_jobs(r->args, r->study, &jobs, err));
    SAB_TRY(open_run(r, SAB_STUDY_WORK, err));
    SAB_TRY(sab_study_batch_refuse(&r->batch, r->run->nchains, err));
    say_begin(r, "at a time", jobs);
    SAB_TRY(sab_study_table(r->run, &table, err));
    status = sab_study_work(r->run, jobs, sab_watch_interrupted, r->term, err);
    if (status == SAB_INTERRUPTED)
        sab_warn(r->term, "stopped by a signal; go on with --resume");
    SAB_TRY(status);
    SAB_TRY(sab_study_report(r->run, r->term, &r->good, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

static sab_status collect(request *r, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(open_run(r, SAB_STUDY_COLLECT, err));
    SAB_TRY(sab_study_gather(r->run, false, err));
    SAB_TRY(sab_study_report(r->run, r->term, &r->good, err));
cleanup:
    return status;
}

/* As `collect`, of a study that was submitted a moment ago. */
static sab_status wait_and_collect(request *r, sab_error *err)
{
    sab_status status = SAB_OK;
    const int nchains = r->run->nchains;

    sab_study_run_destroy(&r->run); /* it is not ours while we wait */
    status = sab_study_batch_wait(&r->batch, nchains, sab_watch_interrupted, r->term, err);
    if (status == SAB_INTERRUPTED)
        sab_warn(r->term, "stopped by a signal; the jobs go on (--status, --cancel)");
    SAB_TRY(status);
    SAB_TRY(sab_study_read(r->args->target, &r->study, err));
    SAB_TRY(collect(r, err));
cleanup:
    return status;
}

static sab_status submit(request *r, const sab_batch *system, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    int left = 0;

    SAB_TRY(open_run(r, SAB_STUDY_WORK, err));
    if (r->args->force || r->batch.system != system) {
        SAB_TRY(sab_study_batch_refuse(&r->batch, r->run->nchains, err));
        r->batch.njobs = 0; /* these jobs are over */
        if (r->batch.system != system) {
            r->batch.options[0] = '\0';
            r->batch.at_most = 0;
        }
        r->batch.system = system;
    }
    if (r->args->force)
        SAB_TRY(sab_study_forget(r->run, err));
    SAB_TRY(sab_study_gather(r->run, true, err));
    SAB_TRY(sab_study_table(r->run, &table, err));
    say_begin(r, "chains", r->run->nchains);
    SAB_TRY(sab_study_batch_submit(&r->batch, r->run, r->args, r->term, &left, err));
    if (left == 0)
        SAB_TRY(sab_study_report(r->run, r->term, &r->good, err));
    else if (r->args->wait)
        SAB_TRY(wait_and_collect(r, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

static sab_status look(request *r, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(open_run(r, SAB_STUDY_LOOK, err));
    if (r->args->cancel)
        SAB_TRY(sab_study_batch_cancel(&r->batch, r->run->nchains, r->term, err));
    if (r->args->status) {
        SAB_TRY(sab_study_gather(r->run, false, err));
        SAB_TRY(sab_study_batch_status(&r->batch, r->run, r->term, err));
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
    SAB_TRY(sab_args_directory(args, r.study->name, r.directory, sizeof r.directory, err));
    SAB_TRY(sab_study_batch_read(r.directory, &r.batch, err));
    SAB_TRY(choose_place(args, &r.batch, &where, &system, err));
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
    sab_study_batch_destroy(&r.batch);
    return status != SAB_OK ? sab_exit_code(status) : sab_say_end(&term, r.good ? 0 : 1);
}

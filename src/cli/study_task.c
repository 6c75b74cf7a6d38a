/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/study_task.c -- `sablier study-task DIR INDEX`: one chain of a study that was submitted.
 *
 * It goes on from whatever is there, so that it can be started any number of times. It writes in
 * the directories of its points only; the tables are made by `sablier study --collect`. */
#include "cli/commands.h"
#include "cli/study_view.h"
#include "cli/watch.h"
#include "run/study_work.h"

#include <signal.h>

static volatile sig_atomic_t limit; /* SIGUSR1: the time of the job is nearly over */

static void on_limit(int number)
{
    (void)number;
    limit = 1;
}

static bool stopped(void *data)
{
    (void)data;
    return limit != 0 || sab_watch_interrupted();
}

int sab_command_study_task(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    sab_study_options options = {.use = SAB_STUDY_CHAIN};
    sab_study_view view = {.term = &term};
    sab_study_events events = sab_study_view_events(&view);
    sab_study_jobs jobs = {0};
    sab_study *study = NULL;
    sab_study_run *run = NULL;
    bool good = true;
    char job[100];

    sab_watch_signals();
    signal(SIGUSR1, on_limit);
    events.stopped = stopped;
    SAB_TRY(sab_args_integer("INDEX", args->second, &options.chain, err));
    if (options.chain < 0)
        SAB_FAIL(err, SAB_ERR_USAGE, "INDEX: %d is negative", options.chain);
    SAB_TRY(sab_study_jobs_read(args->target, &jobs, err));
    if (jobs.study[0] == '\0')
        SAB_FAIL(err, SAB_ERR_USAGE, "'%s' holds no study that was prepared with --backend",
                 args->target);
    SAB_TRY(sab_study_read(jobs.study, &study, err));
    SAB_TRY(sab_study_run_create(&study, args->target, &options, &run, err));
    SAB_TRY(sab_study_batch_check(&jobs, run, err));
    sab_say(&term, "sablier %s  chain %d of %s, from %s", SAB_VERSION, options.chain,
            run->study->path, run->point[run->chain[0].first].name);
    SAB_TRY(sab_study_work(run, 1, &events, err));
    good = run->failed == 0 && run->missed == 0;
cleanup:
    sab_progress_end(&term);
    if (status == SAB_INTERRUPTED)
        sab_warn(&term, limit ? "the time of the job is nearly over" : "stopped by a signal");
    else if (status != SAB_OK)
        sab_complain(&term, message.message);
    if (status == SAB_INTERRUPTED && limit &&
        sab_study_batch_requeue(&jobs, run, &events, job, sizeof job))
        sab_say(&term, "requeued       job %s", job);
    sab_study_run_destroy(&run);
    sab_study_destroy(&study);
    sab_study_jobs_destroy(&jobs);
    return status != SAB_OK ? sab_exit_code(status) : sab_say_end(&term, good ? 0 : 1);
}

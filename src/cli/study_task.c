/* cli/study_task.c -- `sablier study-task DIR INDEX`: one chain of a study that was submitted.
 *
 * It goes on from whatever is there, so that it can be started any number of times. It writes in
 * the directories of its points only; the tables are made by `sablier study --collect`. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/study.h"
#include "cli/watch.h"
#include "io/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_RESTARTS = 1000 };

static volatile sig_atomic_t limit; /* SIGUSR1: the time of the job is nearly over */

static void on_limit(int number)
{
    (void)number;
    limit = 1;
}

static bool stopped(void)
{
    return limit != 0 || sab_watch_interrupted();
}

/* The chain must still be the one that was submitted: its number says nothing in another study. */
static sab_status check_hash(const sab_study_batch *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char path[SAB_STUDY_PATH + 40], hash[20];
    const int number = run->chain[0].number;
    int column;

    snprintf(path, sizeof path, "%s/chains.csv", b->directory);
    SAB_TRY(sab_table_read(path, &table, err));
    SAB_TRY(sab_table_column(table, "hash", "chains.csv", &column, err));
    snprintf(hash, sizeof hash, "%016llx", sab_study_chain_hash(run, &run->chain[0]));
    if (number >= table->nrows || strcmp(sab_table_cell(table, number, column), hash) != 0)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "the study '%s' has changed since it was submitted: submit it again with "
                 "sablier study --resume",
                 b->study);
cleanup:
    sab_table_destroy(&table);
    return status;
}

/* Has the chain come any further than when it last asked for more time? What it has done is
 * measured by the rows of its histories, in bytes, and kept in DIR/batch/progress-CHAIN. */
static bool has_advanced(const sab_study_batch *b, const sab_study_run *run)
{
    char path[SAB_STUDY_PATH + 40], text[40];
    long long done = 0, before = -1;
    struct stat info;

    for (int i = 0; i < run->npoints; i++) {
        snprintf(path, sizeof path, "%s/%s/history.csv", run->points, run->point[i].name);
        if (run->point[i].state != SAB_POINT_NONE && stat(path, &info) == 0)
            done += (long long)info.st_size;
    }
    snprintf(path, sizeof path, "%s/progress-%d", b->directory, run->chain[0].number);
    FILE *file = fopen(path, "r");
    if (file != NULL && fscanf(file, "%lld", &before) != 1)
        before = -1;
    if (file != NULL)
        fclose(file);
    snprintf(text, sizeof text, "%lld\n", done);
    return done > before && sab_file_write_text(path, text, NULL) == SAB_OK;
}

/* The time of the job is over: ask for more. */
static void come_again(const sab_study_batch *b, const sab_study_run *run, sab_terminal *term)
{
    char job[100];
    const sab_batch_word words[] = {{"id", job}, {NULL, NULL}};
    const char *restarts = getenv("SLURM_RESTART_COUNT");
    sab_error err = {0};
    sab_text output = {0};

    if (b->system == NULL || b->system->requeue == NULL ||
        sab_batch_this(b->system, job, sizeof job)[0] == '\0')
        return;
    if (!has_advanced(b, run))
        sab_warn(term, "the time limit of the job is too short: it has not come any further");
    else if (restarts != NULL && strtol(restarts, NULL, 10) >= MOST_RESTARTS)
        sab_warn(term, "the job was restarted %s times: not again", restarts);
    else if (sab_batch_run(b->system->requeue, words, &output, &err) == SAB_OK)
        sab_say(term, "requeued       job %s", job);
    else
        sab_warn(term, "%s\n  go on with sablier study --resume", err.message);
    sab_text_destroy(&output);
}

int sab_command_study_task(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    sab_study_options options = {.use = SAB_STUDY_CHAIN};
    sab_study_batch batch = {0};
    sab_study *study = NULL;
    sab_study_run *run = NULL;
    bool good = true;

    sab_watch_signals();
    signal(SIGUSR1, on_limit);
    SAB_TRY(sab_args_integer("INDEX", args->second, &options.chain, err));
    if (options.chain < 0)
        SAB_FAIL(err, SAB_ERR_USAGE, "INDEX: %d is negative", options.chain);
    SAB_TRY(sab_study_batch_read(args->target, &batch, err));
    if (batch.study[0] == '\0')
        SAB_FAIL(err, SAB_ERR_USAGE, "'%s' holds no study that was prepared with --backend",
                 args->target);
    SAB_TRY(sab_study_read(batch.study, &study, err));
    SAB_TRY(sab_study_run_create(&study, args->target, &options, &run, err));
    SAB_TRY(check_hash(&batch, run, err));
    sab_say(&term, "sablier %s  chain %d of %s, from %s", SAB_VERSION, options.chain,
            run->study->path, run->point[run->chain[0].first].name);
    SAB_TRY(sab_study_work(run, 1, stopped, &term, err));
    good = run->failed == 0 && run->missed == 0;
cleanup:
    if (status == SAB_INTERRUPTED)
        sab_warn(&term, limit ? "the time of the job is nearly over" : "stopped by a signal");
    else if (status != SAB_OK)
        sab_complain(&term, message.message);
    if (status == SAB_INTERRUPTED && limit)
        come_again(&batch, run, &term);
    sab_study_run_destroy(&run);
    sab_study_destroy(&study);
    sab_study_batch_destroy(&batch);
    return status != SAB_OK ? sab_exit_code(status) : sab_say_end(&term, good ? 0 : 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _POSIX_C_SOURCE 200809L /* nanosleep, getpwuid */
#include "run/study_batch.h"
#include "base/input.h"
#include "base/memory.h"
#include "io/file.h"

#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RESTARTS = 1000 };

void sab_study_warn(const sab_study_events *events, const char *format, ...)
{
    char sentence[4000];
    va_list args;

    if (events->warning == NULL)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    events->warning(events->data, sentence);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* What one line tells: an element of one of our arrays, or another job of ours. */
static int count_line(const sab_study_jobs *b, const char *line, int nchains, int *chain,
                      bool *waiting)
{
    char ours[SAB_JOB_NAME];
    const char *name;
    long id;
    int index;

    sab_study_jobs_name(b, ours);
    if (!sab_batch_line(b->system, line, &id, &index, &name))
        return 0;
    for (int k = 0; k < b->n; k++) {
        if (strtol(b->job[k].id, NULL, 10) != id)
            continue;
        const int n = index >= 0 ? sab_study_jobs_list(b, b->job[k].list, chain, nchains) : 0;
        if (index >= 0 && index < n && chain[index] >= 0 && chain[index] < nchains)
            waiting[chain[index]] = true;
        return 1;
    }
    if (strcmp(name, ours) != 0)
        return 0;
    for (int k = 0; k < nchains; k++) /* whichever chains it has */
        waiting[k] = true;
    return 1;
}

sab_status sab_study_batch_ask(const sab_study_jobs *b, int nchains, sab_study_queue *queue,
                               sab_error *err)
{
    const struct passwd *user = getpwuid(geteuid());
    char number[30];
    const sab_batch_word words[] = {{"user", user != NULL ? user->pw_name : number}, {NULL, NULL}};
    sab_status status = SAB_OK;
    sab_text output = {0};
    int *chain = NULL;

    *queue = (sab_study_queue){.known = true};
    SAB_NEW(queue->waiting, nchains);
    if (b->system == NULL)
        goto cleanup;
    snprintf(number, sizeof number, "%ld", (long)geteuid());
    SAB_NEW(chain, nchains);
    if (sab_batch_run(b->system->ask, words, &output, err) != SAB_OK) {
        queue->known = false;
        goto cleanup;
    }
    for (char *line = strtok(output.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        queue->jobs += count_line(b, line, nchains, chain, queue->waiting);
    for (int k = 0; k < nchains; k++)
        queue->chains += queue->waiting[k];
cleanup:
    sab_text_destroy(&output);
    SAB_FREE(chain);
    return status;
}

void sab_study_queue_destroy(sab_study_queue *queue)
{
    SAB_FREE(queue->waiting);
}

sab_status sab_study_batch_refuse(const sab_study_jobs *b, int nchains, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_queue queue = {0};

    SAB_TRY(sab_study_batch_ask(b, nchains, &queue, err));
    if (!queue.known)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "%s does not answer: there may be chains of this study in its queue",
                 b->system->name);
    if (queue.chains > 0)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "%d chains of this study are in the queue of %s: wait for them, or take them back "
                 "with --cancel",
                 queue.chains, b->system->name);
cleanup:
    sab_study_queue_destroy(&queue);
    return status;
}

/* ---- afterwards ----------------------------------------------------------------------------- */

sab_status sab_study_batch_cancel(const sab_study_jobs *b, int nchains, bool *cancelled,
                                  sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_queue queue = {0};
    sab_text output = {0};

    if (b->system == NULL || b->n == 0)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "nothing of this study was submitted: there is no job to cancel");
    SAB_TRY(sab_study_batch_ask(b, nchains, &queue, err));
    *cancelled = queue.jobs > 0 || !queue.known;
    for (int k = b->n - 1; k >= 0 && *cancelled; k--) { /* what collects first */
        const sab_batch_word words[] = {{"id", b->job[k].id}, {NULL, NULL}};

        sab_batch_run(b->system->cancel, words, &output, NULL); /* of what has ended: an error */
    }
cleanup:
    sab_text_destroy(&output);
    sab_study_queue_destroy(&queue);
    return status;
}

sab_status sab_study_batch_wait(const sab_study_jobs *b, int nchains,
                                const sab_study_events *events, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_queue queue = {0};
    int seconds = 1;

    while (!events->stopped(events->data)) {
        sab_study_queue_destroy(&queue);
        SAB_TRY(sab_study_batch_ask(b, nchains, &queue, err));
        if (queue.known && queue.chains == 0)
            break;
        if (events->waiting != NULL)
            events->waiting(events->data, queue.chains);
        for (int i = 0; i < 4 * seconds && !events->stopped(events->data); i++)
            nanosleep(&(struct timespec){0, 250000000}, NULL);
        seconds = seconds < 30 ? seconds + 1 : 30; /* many that wait are no burden to a cluster */
    }
    if (events->stopped(events->data))
        status = SAB_INTERRUPTED;
cleanup:
    sab_study_queue_destroy(&queue);
    return status;
}

/* ---- in a job ------------------------------------------------------------------------------- */

sab_status sab_study_batch_check(const sab_study_jobs *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char path[SAB_PATH], hash[20];
    const int number = run->chain[0].number;
    int column;

    SAB_TRY(sab_path_set(path, err, "%s/chains.csv", b->directory));
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
static bool has_advanced(const sab_study_jobs *b, const sab_study_run *run)
{
    char path[SAB_PATH], text[40];
    long long done = 0, before = -1;
    FILE *file = NULL;
    struct stat info;

    for (int i = 0; i < run->npoints; i++) {
        sab_path_set(path, NULL, "%s/%s/history.csv", run->points, run->point[i].name);
        if (run->point[i].state != SAB_STUDY_POINT_NONE && stat(path, &info) == 0)
            done += (long long)info.st_size;
    }
    sab_path_set(path, NULL, "%s/progress-%d", b->directory, run->chain[0].number);
    if (sab_input_open(path, &file, NULL, NULL) == SAB_OK) {
        if (fgets(text, sizeof text, file) != NULL)
            before = strtoll(text, NULL, 10);
        fclose(file);
    }
    snprintf(text, sizeof text, "%lld\n", done);
    return done > before && sab_file_write_text(path, text, NULL) == SAB_OK;
}

bool sab_study_batch_requeue(const sab_study_jobs *b, const sab_study_run *run,
                             const sab_study_events *events, char *job, size_t size)
{
    const sab_batch_word words[] = {{"id", job}, {NULL, NULL}};
    const char *restarts = getenv("SLURM_RESTART_COUNT");
    sab_error err = {0};
    sab_text output = {0};
    bool granted = false;

    if (b->system == NULL || b->system->requeue == NULL ||
        sab_batch_this(b->system, job, size)[0] == '\0')
        return false;
    if (!has_advanced(b, run))
        sab_study_warn(events,
                       "the time limit of the job is too short: it has not come any further");
    else if (restarts != NULL && strtol(restarts, NULL, 10) >= MOST_RESTARTS)
        sab_study_warn(events, "the job was restarted %s times: not again", restarts);
    else if (sab_batch_run(b->system->requeue, words, &output, &err) == SAB_OK)
        granted = true;
    else
        sab_study_warn(events, "%s\n  go on with sablier study --resume", err.message);
    sab_text_destroy(&output);
    return granted;
}

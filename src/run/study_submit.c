/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study_submit.c -- the chains of a study given to a batch system. */
#define _GNU_SOURCE /* realpath, getcwd */
#include "base/memory.h"
#include "io/file.h"
#include "run/study_batch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files for the tasks -------------------------------------------------------------------- */

/* A text as one word of a shell. */
static sab_status add_quoted(sab_text *text, const char *word, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(text, err, "'"));
    for (; *word != '\0'; word++)
        SAB_TRY(*word == '\'' ? sab_text_add(text, err, "'\\''")
                              : sab_text_add(text, err, "%c", *word));
    SAB_TRY(sab_text_add(text, err, "'"));
cleanup:
    return status;
}

static sab_status add_program(sab_text *text, sab_error *err)
{
    char program[SAB_PATH];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

    if (n < 0)
        return sab_fail(err, SAB_ERR_IO, "cannot find this program: %s", strerror(errno));
    program[n] = '\0';
    return add_quoted(text, program, err);
}

static sab_status save_script(const sab_study_jobs *b, const char *name, const sab_text *text,
                              sab_error *err)
{
    char path[SAB_PATH];

    sab_status status = sab_path_set(path, err, "%s/%s", b->directory, name);
    if (status == SAB_OK)
        status = sab_file_write_text(path, text->data, err);
    if (status == SAB_OK)
        chmod(path, 0755);
    return status;
}

static sab_status write_task(const sab_study_jobs *b, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char study[SAB_PATH];

    SAB_TRY(sab_path_set(study, err, "%.*s", (int)(strlen(b->directory) - strlen("/batch")),
                         b->directory));
    SAB_TRY(sab_text_add(&text, err,
                         "#!/bin/sh\n"
                         "# Runs a chain of the study: that of line INDEX + 1 of the file $1.\n"
                         "trap '' USR1 # until the program listens\n"
                         "index=${SLURM_ARRAY_TASK_ID:-$PBS_ARRAY_INDEX}\n"
                         "[ -n \"$index\" ] || index=$((LSB_JOBINDEX - 1))\n"
                         "chain=$(sed -n \"$((index + 1))p\" \"$1\")\n"
                         "[ -n \"$chain\" ] || exit 0 # the smallest array may be too large\n"
                         "exec "));
    SAB_TRY(add_program(&text, err));
    SAB_TRY(sab_text_add(&text, err, " study-task %s", b->safe ? "--safe " : ""));
    SAB_TRY(add_quoted(&text, study, err));
    SAB_TRY(sab_text_add(&text, err, " \"$chain\"\n"));
    SAB_TRY(save_script(b, "task.sh", &text, err));
cleanup:
    sab_text_destroy(&text);
    return status;
}

/* Paths as the user gave them, so that the files are those of a study that ran here. */
static sab_status write_collect(const sab_study_jobs *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char here[SAB_PATH];

    if (getcwd(here, sizeof here) == NULL)
        SAB_FAIL(err, SAB_ERR_IO, "cannot find the present directory: %s", strerror(errno));
    SAB_TRY(sab_text_add(&text, err,
                         "#!/bin/sh\n# Makes the tables of what the tasks have left.\ncd "));
    SAB_TRY(add_quoted(&text, here, err));
    SAB_TRY(sab_text_add(&text, err, " || exit 4\nexec "));
    SAB_TRY(add_program(&text, err));
    SAB_TRY(sab_text_add(&text, err, " study "));
    SAB_TRY(add_quoted(&text, run->study->path, err));
    SAB_TRY(sab_text_add(&text, err, " -o "));
    SAB_TRY(add_quoted(&text, run->directory, err));
    SAB_TRY(sab_text_add(&text, err, " --collect\n"));
    SAB_TRY(save_script(b, "collect.sh", &text, err));
cleanup:
    sab_text_destroy(&text);
    return status;
}

static sab_status write_chains(const sab_study_jobs *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char path[SAB_PATH], hash[20];

    SAB_TRY(sab_path_set(path, err, "%s/chains.csv", b->directory));
    SAB_TRY(sab_table_create(path, &table, err));
    SAB_TRY(sab_table_add_column(table, "chain", err));
    SAB_TRY(sab_table_add_column(table, "hash", err));
    SAB_TRY(sab_table_add_column(table, "first_point", err));
    for (int k = 0; k < run->nchains; k++) {
        snprintf(hash, sizeof hash, "%016llx", sab_study_chain_hash(run, &run->chain[k]));
        SAB_TRY(sab_table_add_row(table, err));
        SAB_TRY(sab_table_set_number(table, "chain", run->chain[k].number, err));
        SAB_TRY(sab_table_set(table, "hash", hash, err));
        SAB_TRY(sab_table_set(table, "first_point", run->point[run->chain[k].first].name, err));
    }
    SAB_TRY(sab_table_write(table, path, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

static sab_status write_files(sab_study_jobs *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char log[SAB_PATH], *real = realpath(run->study->path, NULL);

    if (real == NULL)
        SAB_FAIL(err, SAB_ERR_IO, "cannot find '%s': %s", run->study->path, strerror(errno));
    SAB_TRY(sab_study_jobs_text(&b->study, real, err));
    SAB_TRY(sab_path_set(b->directory, err, "%.*s/batch",
                         (int)(strlen(run->points) - strlen("/points")), run->points));
    SAB_TRY(sab_path_set(log, err, "%s/log", b->directory));
    SAB_TRY(sab_directory_create(log, err));
    SAB_TRY(write_chains(b, run, err));
    SAB_TRY(write_task(b, err));
    SAB_TRY(write_collect(b, run, err));
    SAB_TRY(sab_study_jobs_write(b, err));
cleanup:
    free(real);
    return status;
}

/* ---- submitting ----------------------------------------------------------------------------- */

/* Is the chain to be submitted? Its owner may be a job of ours that is in no queue any more: then
 * the batch system has lost it, and so has the chain. */
static bool is_free(const sab_study_jobs *b, const sab_study_run *run, const sab_chain *chain,
                    const sab_study_events *events)
{
    sab_owner_who who;
    const sab_owner_state state = sab_study_chain_owner(run, chain, &who);

    if (state != SAB_OWNER_OTHER)
        return true;
    const char *number = strchr(who.job, ':');
    for (int k = 0; number != NULL && k < b->n; k++)
        if (strtol(number + 1, NULL, 10) == strtol(b->job[k].id, NULL, 10)) {
            sab_study_chain_drop(run, chain);
            return true;
        }
    sab_study_warn(events, "chain %d (%s) is at work elsewhere: process %ld on host '%s' since %s",
                   chain->number, run->point[chain->first].name, who.pid, who.host, who.since);
    return false;
}

/* Was the chain ever given to the batch system? */
static bool was_submitted(const sab_study_jobs *b, int number, int nchains, int *chain)
{
    for (int k = 0; k < b->n; k++) {
        const int n =
            b->job[k].list > 0 ? sab_study_jobs_list(b, b->job[k].list, chain, nchains) : 0;

        for (int i = 0; i < n; i++)
            if (chain[i] == number)
                return true;
    }
    return false;
}

/* The chains to submit; the others that have no result are counted. */
static sab_status choose_chains(const sab_study_jobs *b, const sab_study_run *run,
                                const sab_study_events *events, int *n, int *chosen, int *others,
                                sab_error *err)
{
    sab_status status = SAB_OK;
    sab_study_queue queue = {0};
    int *chain = NULL;

    *n = *others = 0;
    SAB_NEW(chain, run->nchains);
    SAB_TRY(sab_study_batch_ask(b, run->nchains, &queue, err));
    if (!queue.known)
        sab_study_warn(
            events,
            "%s\n  what was submitted before is taken to be in the queue still; try again later",
            err->message);
    for (int k = 0; k < run->nchains; k++) {
        if (!run->chain[k].broken)
            continue; /* it has ended */
        if (queue.waiting[k] || (!queue.known && was_submitted(b, k, run->nchains, chain)))
            ++*others;
        else if (is_free(b, run, &run->chain[k], events))
            chosen[(*n)++] = k;
    }
cleanup:
    sab_study_queue_destroy(&queue);
    SAB_FREE(chain);
    return status;
}

static sab_status submit(sab_study_jobs *b, const char *command, const char *array, int list,
                         const char *after, sab_error *err)
{
    char name[SAB_JOB_NAME], log[SAB_PATH], script[SAB_PATH], file[SAB_PATH], id[sizeof b->job->id];
    const sab_batch_word words[] = {{"name", name},          {"log", log},   {"array", array},
                                    {"options", b->options}, {"list", file}, {"script", script},
                                    {"after", after},        {NULL, NULL}};
    sab_status status = SAB_OK;
    sab_text output = {0};

    sab_study_jobs_name(b, name);
    SAB_TRY(sab_path_set(log, err, "%s/log", b->directory));
    SAB_TRY(sab_path_set(script, err, "%s/%s", b->directory, list > 0 ? "task.sh" : "collect.sh"));
    SAB_TRY(sab_path_set(file, err, "%s/list-%d", b->directory, list));
    SAB_TRY(sab_batch_run(command, words, &output, err));
    SAB_TRY(sab_batch_id(output.data, id, sizeof id, err));
    SAB_TRY(sab_study_jobs_add(b, id, list, err));
    SAB_TRY(sab_study_jobs_write(b, err));
cleanup:
    sab_text_destroy(&output);
    return status;
}

/* After all arrays that are there: those that have ended do no harm. */
static sab_status submit_collect(sab_study_jobs *b, int first, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text after = {0};
    char one[100];

    for (int k = first; k < b->n; k++) {
        snprintf(one, sizeof one, b->system->after, b->job[k].id);
        SAB_TRY(sab_text_add(&after, err, "%s%s", k > first ? b->system->between : "", one));
    }
    SAB_TRY(submit(b, b->system->collect, "", 0, after.data, err));
cleanup:
    sab_text_destroy(&after);
    return status;
}

static sab_status submit_arrays(sab_study_jobs *b, int n, const int *chosen,
                                const sab_study_events *events, sab_error *err)
{
    sab_status status = SAB_OK;
    const int most = sab_batch_limit(b->system), first = b->n;
    int done = 0;

    for (; done < n; done += most) {
        const int size = n - done < most ? n - done : most;
        char array[60];

        sab_batch_array(b->system, size, b->at_most, array, sizeof array);
        SAB_TRY(sab_study_jobs_add_list(b, size, chosen + done, err));
        SAB_TRY(submit(b, b->system->submit, array, b->lists, "", err));
        if (events->submitted != NULL)
            events->submitted(events->data, size, b->job[b->n - 1].id);
    }
cleanup:
    if (status != SAB_OK && done > 0)
        sab_error_context(err, "%d of %d chains were submitted; submit the others with --resume",
                          done, n);
    if (b->n > first) {
        sab_error message = {0};

        if (submit_collect(b, first, &message) != SAB_OK)
            sab_study_warn(events, "nothing collects the results (%s): do it with --collect",
                           message.message);
    }
    return status;
}

/* For GNU parallel, xargs, Snakemake: a command per line. */
static sab_status write_commands(const sab_study_jobs *b, int n, const int *chosen, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text lines = {0}, rule = {0}, program = {0};
    char path[SAB_PATH], study[SAB_PATH];

    SAB_TRY(sab_path_set(study, err, "%.*s", (int)(strlen(b->directory) - strlen("/batch")),
                         b->directory));
    SAB_TRY(add_program(&program, err));
    SAB_TRY(sab_text_add(&program, err, " study-task %s", b->safe ? "--safe " : ""));
    SAB_TRY(add_quoted(&program, study, err));
    SAB_TRY(sab_text_add(&lines, err, "%s", ""));
    SAB_TRY(sab_text_add(&rule, err, "CHAINS = ["));
    for (int i = 0; i < n; i++) {
        SAB_TRY(sab_text_add(&lines, err, "%s %d\n", program.data, chosen[i]));
        SAB_TRY(sab_text_add(&rule, err, "%s%d", i > 0 ? ", " : "", chosen[i]));
    }
    /* exit code 1 is that of a chain that is done, but missed a tolerance */
    SAB_TRY(sab_text_add(&rule, err,
                         "]\nrule all:\n    input: expand(r\"%s/done/{chain}\", chain=CHAINS)\n"
                         "rule chain:\n    output: touch(r\"%s/done/{chain}\")\n"
                         "    shell: r\"\"\"%s {wildcards.chain} || [ $? -eq 1 ]\"\"\"\n",
                         b->directory, b->directory, program.data));
    SAB_TRY(sab_path_set(path, err, "%s/commands", b->directory));
    SAB_TRY(sab_file_write_text(path, lines.data, err));
    SAB_TRY(sab_path_set(path, err, "%s/Snakefile", b->directory));
    SAB_TRY(sab_file_write_text(path, rule.data, err));
cleanup:
    sab_text_destroy(&lines);
    sab_text_destroy(&rule);
    sab_text_destroy(&program);
    return status;
}

sab_status sab_study_batch_choose(sab_study_jobs *b, const sab_batch *system, bool force,
                                  int nchains, sab_error *err)
{
    if (!force && b->system == system)
        return SAB_OK;
    const sab_status status = sab_study_batch_refuse(b, nchains, err);
    if (status != SAB_OK)
        return status;
    b->n = 0; /* these jobs are over */
    if (b->system != system) {
        b->options[0] = '\0';
        b->at_most = 0;
    }
    b->system = system;
    return SAB_OK;
}

sab_status sab_study_batch_submit(sab_study_jobs *b, sab_study_run *run,
                                  const sab_study_events *events, int *left, sab_error *err)
{
    sab_status status = SAB_OK;
    int n = 0, others = 0, *chosen = NULL;

    SAB_NEW(chosen, run->nchains);
    SAB_TRY(write_files(b, run, err));
    SAB_TRY(choose_chains(b, run, events, &n, chosen, &others, err));
    *left = n + others;
    if (others > 0 && events->queued != NULL)
        events->queued(events->data, others);
    if (b->system == NULL)
        SAB_TRY(write_commands(b, n, chosen, err));
    else if (n > 0)
        SAB_TRY(submit_arrays(b, n, chosen, events, err));
cleanup:
    SAB_FREE(chosen);
    return status;
}

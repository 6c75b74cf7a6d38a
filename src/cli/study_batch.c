/* cli/study_batch.c -- a study on a batch system: what is submitted, asked, cancelled.
 *
 * DIR/batch holds
 *   jobs.json    what was submitted: batch system, options, jobs with their lists
 *   chains.csv   every chain with the hash of what it solves, for `sablier study-task`
 *   list-N       the chains of one array, a number per line
 *   task.sh      runs the chain of its element; collect.sh makes the tables when all have ended
 *   log/         what the jobs print
 * What a chain has come to is seen in the directories of its points, never asked of the batch
 * system. Of that only one thing is wanted: what it still has, so that nothing runs twice. */
#define _GNU_SOURCE /* realpath, getcwd */
#include "base/memory.h"
#include "cli/study.h"
#include "io/file.h"
#include "io/json.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH = SAB_STUDY_PATH + 40 };

/* ---- jobs.json ------------------------------------------------------------------------------ */

static sab_status add_job(sab_study_batch *b, const char *id, int list, sab_error *err)
{
    if (b->njobs == b->capacity) {
        const int capacity = 2 * b->capacity + 16;
        sab_study_job *grown = sab_realloc(b->job, (size_t)capacity, sizeof *grown);

        if (grown == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory for %d jobs", capacity);
        b->job = grown;
        b->capacity = capacity;
    }
    b->job[b->njobs] = (sab_study_job){.list = list};
    snprintf(b->job[b->njobs++].id, sizeof b->job->id, "%s", id);
    return SAB_OK;
}

static sab_status set_text(char **to, const char *text, sab_error *err)
{
    char *copy = sab_strdup(text);

    if (copy == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory");
    SAB_FREE(*to);
    *to = copy;
    return SAB_OK;
}

static const char *scalar(const sab_yaml *map, const char *key)
{
    const sab_yaml *node = sab_yaml_find(map, key);

    return node != NULL && node->kind == SAB_YAML_SCALAR ? node->text : "";
}

static sab_status take_jobs(const sab_yaml *root, sab_study_batch *b, sab_error *err)
{
    const sab_yaml *jobs = sab_yaml_find(root, "jobs");
    sab_status status = SAB_OK;
    int list;

    b->system = sab_batch_find(scalar(root, "backend"));
    SAB_TRY(set_text(&b->study, scalar(root, "study"), err));
    SAB_TRY(set_text(&b->options, scalar(root, "options"), err));
    if (!sab_parse_integer(scalar(root, "at_most"), &b->at_most) ||
        !sab_parse_integer(scalar(root, "lists"), &b->lists) || jobs == NULL ||
        jobs->kind != SAB_YAML_LIST)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s/jobs.json' is damaged", b->directory);
    for (int i = 0; i < jobs->n; i++) {
        if (!sab_parse_integer(scalar(jobs->item[i], "list"), &list))
            SAB_FAIL(err, SAB_ERR_INPUT, "'%s/jobs.json' is damaged", b->directory);
        SAB_TRY(add_job(b, scalar(jobs->item[i], "id"), list, err));
    }
cleanup:
    return status;
}

sab_status sab_study_batch_read(const char *directory, sab_study_batch *b, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *root = NULL;
    char path[PATH], *real = realpath(directory, NULL);

    *b = (sab_study_batch){0};
    SAB_TRY(set_text(&b->options, "", err));
    SAB_TRY(set_text(&b->study, "", err));
    if (real == NULL)
        goto cleanup; /* no directory, no jobs */
    snprintf(b->directory, sizeof b->directory, "%s/batch", real);
    snprintf(path, sizeof path, "%s/jobs.json", b->directory);
    if (!sab_file_exists(path))
        goto cleanup;
    SAB_TRY(sab_yaml_read(path, &root, err));
    SAB_TRY(take_jobs(root, b, err));
cleanup:
    free(real);
    sab_yaml_destroy(&root);
    return status;
}

void sab_study_batch_destroy(sab_study_batch *b)
{
    SAB_FREE(b->study);
    SAB_FREE(b->options);
    SAB_FREE(b->job);
}

static sab_status write_jobs(const sab_study_batch *b, sab_error *err)
{
    sab_json json = {0};
    char path[PATH];

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "backend", b->system != NULL ? b->system->name : "list");
    sab_json_string(&json, "study", b->study);
    sab_json_string(&json, "options", b->options);
    sab_json_integer(&json, "at_most", b->at_most);
    sab_json_integer(&json, "lists", b->lists);
    sab_json_begin_array(&json, "jobs");
    for (int i = 0; i < b->njobs; i++) {
        sab_json_begin_object(&json, NULL);
        sab_json_string(&json, "id", b->job[i].id);
        sab_json_integer(&json, "list", b->job[i].list);
        sab_json_end_object(&json);
    }
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    snprintf(path, sizeof path, "%s/jobs.json", b->directory);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

/* ---- lists of chains ------------------------------------------------------------------------ */

/* Append the numbers of list-N, at most `size` of them. */
static int read_list(const sab_study_batch *b, int list, int *chain, int size)
{
    char path[PATH];
    int n = 0;

    snprintf(path, sizeof path, "%s/list-%d", b->directory, list);
    FILE *file = fopen(path, "r");
    while (file != NULL && n < size && fscanf(file, "%d", &chain[n]) == 1)
        n++;
    if (file != NULL)
        fclose(file);
    return n;
}

static sab_status write_list(const sab_study_batch *b, int list, int n, const int *chain,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char path[PATH];

    for (int i = 0; i < n; i++)
        SAB_TRY(sab_text_add(&text, err, "%d\n", chain[i]));
    snprintf(path, sizeof path, "%s/list-%d", b->directory, list);
    SAB_TRY(sab_file_write_text(path, text.data, err));
cleanup:
    sab_text_destroy(&text);
    return status;
}

/* ---- asking --------------------------------------------------------------------------------- */

/* Jobs carry the name of the directory, so that one whose number could not be written down, because
 * this program was killed, is known all the same. */
static void job_name(const sab_study_batch *b, char name[40])
{
    unsigned long long h = 14695981039346656037ull;

    for (const char *c = b->directory; *c != '\0'; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211ull;
    snprintf(name, 40, "sablier-%010llx", h & 0xffffffffffull);
}

/* What one line tells: an element of one of our arrays, or another job of ours. */
static int count_line(const sab_study_batch *b, const char *line, int nchains, int *chain,
                      bool *queued)
{
    char ours[40];
    const char *name;
    long id;
    int index;

    job_name(b, ours);
    if (!sab_batch_line(b->system, line, &id, &index, &name))
        return 0;
    for (int k = 0; k < b->njobs; k++) {
        if (strtol(b->job[k].id, NULL, 10) != id)
            continue;
        const int n = index >= 0 ? read_list(b, b->job[k].list, chain, nchains) : 0;
        if (index >= 0 && index < n && chain[index] >= 0 && chain[index] < nchains)
            queued[chain[index]] = true;
        return 1;
    }
    if (strcmp(name, ours) != 0)
        return 0;
    for (int k = 0; k < nchains; k++) /* whichever chains it has */
        queued[k] = true;
    return 1;
}

sab_status sab_study_batch_ask(const sab_study_batch *b, int nchains, bool *queued, int *jobs,
                               bool *known, sab_error *err)
{
    const struct passwd *user = getpwuid(geteuid());
    char number[30];
    const sab_batch_word words[] = {{"user", user != NULL ? user->pw_name : number}, {NULL, NULL}};
    sab_status status = SAB_OK;
    sab_text output = {0};
    int *chain = NULL;

    *jobs = 0;
    *known = true;
    memset(queued, 0, (size_t)nchains * sizeof *queued);
    if (b->system == NULL)
        return SAB_OK;
    snprintf(number, sizeof number, "%ld", (long)geteuid());
    SAB_NEW(chain, nchains);
    if (sab_batch_run(b->system->ask, words, &output, err) != SAB_OK) {
        *known = false;
        goto cleanup;
    }
    for (char *line = strtok(output.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
        *jobs += count_line(b, line, nchains, chain, queued);
cleanup:
    sab_text_destroy(&output);
    SAB_FREE(chain);
    return status;
}

sab_status sab_study_batch_refuse(const sab_study_batch *b, int nchains, sab_error *err)
{
    sab_status status = SAB_OK;
    bool *queued = NULL, known;
    int jobs, n = 0;

    SAB_NEW(queued, nchains);
    SAB_TRY(sab_study_batch_ask(b, nchains, queued, &jobs, &known, err));
    for (int k = 0; k < nchains; k++)
        n += queued[k];
    if (!known)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "%s does not answer: there may be chains of this study in its queue",
                 b->system->name);
    if (n > 0)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "%d chains of this study are in the queue of %s: wait for them, or take them back "
                 "with --cancel",
                 n, b->system->name);
cleanup:
    SAB_FREE(queued);
    return status;
}

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
    char program[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);

    if (n < 0)
        return sab_fail(err, SAB_ERR_IO, "cannot find this program: %s", strerror(errno));
    program[n] = '\0';
    return add_quoted(text, program, err);
}

static sab_status save_script(const sab_study_batch *b, const char *name, const sab_text *text,
                              sab_error *err)
{
    char path[PATH];

    snprintf(path, sizeof path, "%s/%s", b->directory, name);
    const sab_status status = sab_file_write_text(path, text->data, err);
    if (status == SAB_OK)
        chmod(path, 0755);
    return status;
}

static sab_status write_task(const sab_study_batch *b, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char study[SAB_STUDY_PATH];

    snprintf(study, sizeof study, "%.*s", (int)(strlen(b->directory) - strlen("/batch")),
             b->directory);
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
static sab_status write_collect(const sab_study_batch *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char here[PATH_MAX];

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

static sab_status write_chains(const sab_study_batch *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    char path[PATH], hash[20];

    snprintf(path, sizeof path, "%s/chains.csv", b->directory);
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

static sab_status write_files(sab_study_batch *b, const sab_study_run *run, sab_error *err)
{
    sab_status status = SAB_OK;
    char log[PATH], *real = realpath(run->study->path, NULL);

    if (real == NULL)
        SAB_FAIL(err, SAB_ERR_IO, "cannot find '%s': %s", run->study->path, strerror(errno));
    SAB_TRY(set_text(&b->study, real, err));
    snprintf(b->directory, sizeof b->directory, "%.*s/batch",
             (int)(strlen(run->points) - strlen("/points")), run->points);
    snprintf(log, sizeof log, "%s/log", b->directory);
    SAB_TRY(sab_directory_create(log, err));
    SAB_TRY(write_chains(b, run, err));
    SAB_TRY(write_task(b, err));
    SAB_TRY(write_collect(b, run, err));
    SAB_TRY(write_jobs(b, err));
cleanup:
    free(real);
    return status;
}

/* ---- submitting ----------------------------------------------------------------------------- */

/* Is the chain to be submitted? Its owner may be a job of ours that is in no queue any more: then
 * the batch system has lost it, and so has the chain. */
static bool is_free(const sab_study_batch *b, const sab_study_run *run, const sab_chain *chain,
                    sab_terminal *term)
{
    sab_owner_who who;
    const sab_owner_state state = sab_study_chain_owner(run, chain, &who);

    if (state != SAB_OWNER_OTHER)
        return true;
    const char *number = strchr(who.job, ':');
    for (int k = 0; number != NULL && k < b->njobs; k++)
        if (strtol(number + 1, NULL, 10) == strtol(b->job[k].id, NULL, 10)) {
            sab_study_chain_drop(run, chain);
            return true;
        }
    sab_warn(term, "chain %d (%s) is at work elsewhere: process %ld on host '%s' since %s",
             chain->number, run->point[chain->first].name, who.pid, who.host, who.since);
    return false;
}

/* Was the chain ever given to the batch system? */
static bool was_submitted(const sab_study_batch *b, int number, int nchains, int *chain)
{
    for (int k = 0; k < b->njobs; k++) {
        const int n = b->job[k].list > 0 ? read_list(b, b->job[k].list, chain, nchains) : 0;

        for (int i = 0; i < n; i++)
            if (chain[i] == number)
                return true;
    }
    return false;
}

/* The chains to submit; the others that have no result are counted. */
static sab_status choose_chains(const sab_study_batch *b, const sab_study_run *run,
                                sab_terminal *term, int *n, int *chosen, int *queue, sab_error *err)
{
    sab_status status = SAB_OK;
    bool *queued = NULL, known;
    int jobs, *chain = NULL;

    *n = *queue = 0;
    SAB_NEW(queued, run->nchains);
    SAB_NEW(chain, run->nchains);
    SAB_TRY(sab_study_batch_ask(b, run->nchains, queued, &jobs, &known, err));
    if (!known)
        sab_warn(
            term,
            "%s\n  what was submitted before is taken to be in the queue still; try again later",
            err->message);
    for (int k = 0; k < run->nchains; k++) {
        if (!run->chain[k].broken)
            continue; /* it has ended */
        if (queued[k] || (!known && was_submitted(b, k, run->nchains, chain)))
            ++*queue;
        else if (is_free(b, run, &run->chain[k], term))
            chosen[(*n)++] = k;
    }
cleanup:
    SAB_FREE(queued);
    SAB_FREE(chain);
    return status;
}

static sab_status submit(sab_study_batch *b, const char *command, const char *array, int list,
                         const char *after, sab_error *err)
{
    char name[40], log[PATH], script[PATH], file[PATH], id[sizeof b->job->id];
    const sab_batch_word words[] = {{"name", name},          {"log", log},   {"array", array},
                                    {"options", b->options}, {"list", file}, {"script", script},
                                    {"after", after},        {NULL, NULL}};
    sab_status status = SAB_OK;
    sab_text output = {0};

    job_name(b, name);
    snprintf(log, sizeof log, "%s/log", b->directory);
    snprintf(script, sizeof script, "%s/%s", b->directory, list > 0 ? "task.sh" : "collect.sh");
    snprintf(file, sizeof file, "%s/list-%d", b->directory, list);
    SAB_TRY(sab_batch_run(command, words, &output, err));
    SAB_TRY(sab_batch_id(output.data, id, sizeof id, err));
    SAB_TRY(add_job(b, id, list, err));
    SAB_TRY(write_jobs(b, err));
cleanup:
    sab_text_destroy(&output);
    return status;
}

/* After all arrays that are there: those that have ended do no harm. */
static sab_status submit_collect(sab_study_batch *b, int first, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text after = {0};
    char one[100];

    for (int k = first; k < b->njobs; k++) {
        snprintf(one, sizeof one, b->system->after, b->job[k].id);
        SAB_TRY(sab_text_add(&after, err, "%s%s", k > first ? b->system->between : "", one));
    }
    SAB_TRY(submit(b, b->system->collect, "", 0, after.data, err));
cleanup:
    sab_text_destroy(&after);
    return status;
}

static sab_status submit_arrays(sab_study_batch *b, int n, const int *chosen, sab_terminal *term,
                                sab_error *err)
{
    sab_status status = SAB_OK;
    const int most = sab_batch_limit(b->system), first = b->njobs;
    int done = 0;

    for (; done < n; done += most) {
        const int size = n - done < most ? n - done : most;
        char array[60];

        sab_batch_array(b->system, size, b->at_most, array, sizeof array);
        b->lists++;
        SAB_TRY(write_list(b, b->lists, size, chosen + done, err));
        SAB_TRY(submit(b, b->system->submit, array, b->lists, "", err));
        sab_say(term, "submitted      %d chain%s as job %s of %s", size, size == 1 ? "" : "s",
                b->job[b->njobs - 1].id, b->system->name);
    }
cleanup:
    if (status != SAB_OK && done > 0)
        sab_error_context(err, "%d of %d chains were submitted; submit the others with --resume",
                          done, n);
    if (b->njobs > first) {
        sab_error message = {0};

        if (submit_collect(b, first, &message) != SAB_OK)
            sab_warn(term, "nothing collects the results (%s): do it with --collect",
                     message.message);
    }
    return status;
}

/* For GNU parallel, xargs, Snakemake: a command per line. */
static sab_status print_list(sab_study_batch *b, const sab_study_run *run, int n, const int *chosen,
                             sab_terminal *term, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text lines = {0}, rule = {0}, program = {0};
    char path[PATH], study[SAB_STUDY_PATH];

    snprintf(study, sizeof study, "%.*s", (int)(strlen(b->directory) - strlen("/batch")),
             b->directory);
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
    snprintf(path, sizeof path, "%s/commands", b->directory);
    SAB_TRY(sab_file_write_text(path, lines.data, err));
    snprintf(path, sizeof path, "%s/Snakefile", b->directory);
    SAB_TRY(sab_file_write_text(path, rule.data, err));
    sab_say(term, "parallel < %s/commands", b->directory);
    sab_say(term, "xargs -d '\\n' -P 2 -n 1 sh -c < %s/commands", b->directory);
    sab_say(term, "snakemake --cores 2 --keep-going --forceall -s %s/Snakefile", b->directory);
    sab_say(term, "%s/collect.sh   # then", b->directory);
    (void)run;
cleanup:
    sab_text_destroy(&lines);
    sab_text_destroy(&rule);
    sab_text_destroy(&program);
    return status;
}

sab_status sab_study_batch_submit(sab_study_batch *b, sab_study_run *run, const sab_args *args,
                                  sab_terminal *term, int *left, sab_error *err)
{
    sab_status status = SAB_OK;
    int n = 0, queue = 0, *chosen = NULL;

    if (args->submit != NULL)
        SAB_TRY(set_text(&b->options, args->submit, err));
    if (args->at_most != NULL) {
        SAB_TRY(sab_args_integer("--at-most", args->at_most, &b->at_most, err));
        if (b->at_most < 1)
            SAB_FAIL(err, SAB_ERR_USAGE, "--at-most: %d is not positive", b->at_most);
    }
    b->safe = args->safe;
    SAB_NEW(chosen, run->nchains);
    SAB_TRY(write_files(b, run, err));
    SAB_TRY(choose_chains(b, run, term, &n, chosen, &queue, err));
    *left = n + queue;
    if (queue > 0)
        sab_say(term, "in the queue   %d chain%s, not submitted again", queue,
                queue == 1 ? "" : "s");
    if (b->system == NULL)
        SAB_TRY(print_list(b, run, n, chosen, term, err));
    else if (n > 0)
        SAB_TRY(submit_arrays(b, n, chosen, term, err));
cleanup:
    SAB_FREE(chosen);
    return status;
}

/* ---- afterwards ----------------------------------------------------------------------------- */

sab_status sab_study_batch_status(const sab_study_batch *b, const sab_study_run *run,
                                  sab_terminal *term, sab_error *err)
{
    sab_status status = SAB_OK;
    bool *queued = NULL, known;
    int running = 0, interrupted = 0, pending = 0, waiting = 0, jobs;

    for (int i = 0; i < run->npoints; i++) {
        const sab_point *p = &run->point[i];

        running += strcmp(p->status, "running") == 0;
        interrupted += strcmp(p->status, "interrupted") == 0;
        pending += p->state == SAB_POINT_PENDING;
    }
    sab_say(term,
            "points         %d done (%d of them failed, %d left out), %d running, %d interrupted, "
            "%d pending%s",
            run->done, run->failed, run->missed, running, interrupted, pending,
            run->study->has_bracket ? " and those that a bisection needs yet" : "");
    if (b->system == NULL)
        goto cleanup;
    SAB_NEW(queued, run->nchains);
    SAB_TRY(sab_study_batch_ask(b, run->nchains, queued, &jobs, &known, err));
    for (int k = 0; k < run->nchains; k++)
        waiting += queued[k];
    if (known)
        sab_say(term, "%-14s %d of %d chains running or in the queue", b->system->name, waiting,
                run->nchains);
    else
        sab_warn(term, "%s", err->message);
cleanup:
    SAB_FREE(queued);
    return status;
}

sab_status sab_study_batch_cancel(const sab_study_batch *b, int nchains, sab_terminal *term,
                                  sab_error *err)
{
    sab_status status = SAB_OK;
    bool *queued = NULL, known;
    sab_text output = {0};
    int jobs = 0;

    if (b->system == NULL || b->njobs == 0)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "nothing of this study was submitted: there is no job to cancel");
    SAB_NEW(queued, nchains);
    SAB_TRY(sab_study_batch_ask(b, nchains, queued, &jobs, &known, err));
    for (int k = b->njobs - 1; k >= 0 && (jobs > 0 || !known); k--) { /* what collects first */
        const sab_batch_word words[] = {{"id", b->job[k].id}, {NULL, NULL}};

        sab_batch_run(b->system->cancel, words, &output, NULL); /* of what has ended: an error */
    }
    sab_say(term, "cancelled      %s%s",
            known && jobs == 0 ? "nothing: no job is in the queue"
                               : "the jobs that were in the queue",
            known && jobs == 0 ? "" : "; go on with --resume");
cleanup:
    sab_text_destroy(&output);
    SAB_FREE(queued);
    return status;
}

sab_status sab_study_batch_wait(const sab_study_batch *b, int nchains, bool (*stopped)(void),
                                sab_terminal *term, sab_error *err)
{
    sab_status status = SAB_OK;
    bool *queued = NULL, known;
    int seconds = 1, jobs;

    SAB_NEW(queued, nchains);
    while (!stopped()) {
        int n = 0;

        SAB_TRY(sab_study_batch_ask(b, nchains, queued, &jobs, &known, err));
        for (int k = 0; k < nchains; k++)
            n += queued[k];
        if (known && n == 0)
            break;
        sab_progress(term, "%d of %d chains running or in the queue of %s", n, nchains,
                     b->system->name);
        for (int i = 0; i < 4 * seconds && !stopped(); i++)
            nanosleep(&(struct timespec){0, 250000000}, NULL);
        seconds = seconds < 30 ? seconds + 1 : 30; /* many that wait are no burden to a cluster */
    }
    sab_progress_end(term);
    if (stopped())
        status = SAB_INTERRUPTED;
cleanup:
    SAB_FREE(queued);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* fileno */
#include "run/batch.h"
#include "base/memory.h"
#include "run/process.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORDS = 200 };

/* ---- the table ------------------------------------------------------------------------------ */

/* Slurm: USR1 comes before the time limit, to the task alone, and means: write a checkpoint and
 * come again; TERM, of scancel and requeue, means: write it and end. Only Slurm has been tried on a
 * real one; the others follow their manuals (PBS Professional 2022, LSF 10). */
static const sab_batch table[] = {
    {.name = "slurm",
     .submit = "sbatch --parsable --requeue --open-mode=append --signal=B:USR1@120 "
               "--job-name={name} --output={log}/%A_%a.txt --array={array} {options} {script} "
               "{list}",
     .collect = "sbatch --parsable --job-name={name} --output={log}/%j.txt "
                "--dependency=afterany{after} {options} {script}",
     .after = ":%s",
     .between = "",
     .range = "0-%d",
     .most = "%%%d",
     .smallest = 1,
     .ask = "squeue -h -r -u {user} -o '%F %K %j'",
     .first = 0,
     .cancel = "scancel {id}",
     .requeue = "scontrol requeue {id}",
     .limit = "scontrol show config",
     .limit_key = "MaxArraySize",
     .largest = 1001},
    {.name = "pbs",
     .submit =
         "qsub -r y -j oe -N {name} -o {log}/ -J {array} {options} -- /bin/sh {script} {list}",
     .collect = "qsub -j oe -N {name} -o {log}/ -W depend=afterany{after} {options} -- /bin/sh "
                "{script}",
     .after = ":%s",
     .between = "",
     .range = "0-%d",
     .most = "%%%d",
     .smallest = 2,
     .ask = "qselect -T -u {user}",
     .first = 0,
     .cancel = "qdel {id}",
     .largest = 10000},
    {.name = "lsf",
     .submit = "bsub -r -wa USR1 -wt 2 -J {name}[{array} -o {log}/%J_%I.txt {options} /bin/sh "
               "{script} {list}",
     .collect = "bsub -J {name} -o {log}/%J.txt -w {after} {options} /bin/sh {script}",
     .after = "ended(%s)",
     .between = "&&",
     .range = "1-%d]",
     .most = "%%%d",
     .smallest = 1,
     .ask = "bjobs -noheader -u {user} -o 'jobid jobindex job_name'",
     .first = 1,
     .cancel = "bkill {id}",
     .requeue = "brequeue {id}",
     .largest = 1000},
};
enum { SYSTEMS = sizeof table / sizeof table[0] };

const sab_batch *sab_batch_find(const char *name)
{
    for (int i = 0; i < SYSTEMS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

const char *sab_batch_names(char *buffer, size_t size)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (int i = 0; i < SYSTEMS && used < size; i++)
        used +=
            (size_t)snprintf(buffer + used, size - used, "%s%s", i > 0 ? ", " : "", table[i].name);
    return buffer;
}

/* ---- commands ------------------------------------------------------------------------------- */

typedef struct words {
    int n;
    char *word[MOST_WORDS + 1]; /* owned; NULL at the end */
} words;

static const char *value_of(const sab_batch_word *list, const char *name, size_t length)
{
    for (; list != NULL && list->name != NULL; list++)
        if (strlen(list->name) == length && strncmp(list->name, name, length) == 0)
            return list->text != NULL ? list->text : "";
    return NULL;
}

/* Append one word: its pieces are texts as they are and {names}. */
static sab_status add_word(words *w, const char *text, size_t length, const sab_batch_word *list,
                           sab_error *err)
{
    sab_text word = {0};
    sab_status status = SAB_OK;

    if (w->n == MOST_WORDS)
        SAB_FAIL(err, SAB_ERR_USAGE, "a command of more than %d words", MOST_WORDS);
    SAB_TRY(sab_text_add(&word, err, "%s", ""));
    for (size_t i = 0; i < length; i++) {
        const char *end = text[i] == '{' ? memchr(text + i, '}', length - i) : NULL;
        const char *value =
            end != NULL ? value_of(list, text + i + 1, (size_t)(end - text) - i - 1) : NULL;

        if (value != NULL)
            i = (size_t)(end - text);
        SAB_TRY(value != NULL ? sab_text_add(&word, err, "%s", value)
                              : sab_text_add(&word, err, "%c", text[i]));
    }
    w->word[w->n++] = word.data;
    word.data = NULL;
cleanup:
    sab_text_destroy(&word);
    return status;
}

/* Split at blanks that are not in quotes, which go. */
static sab_status add_words(words *w, const char *text, const sab_batch_word *list, sab_error *err)
{
    sab_status status = SAB_OK;
    char *word = NULL;

    SAB_NEW(word, strlen(text) + 1);
    while (*text != '\0') {
        size_t n = 0;
        char quote = '\0';

        while (isspace((unsigned char)*text))
            text++;
        if (*text == '\0')
            break;
        for (; *text != '\0' && (quote != '\0' || !isspace((unsigned char)*text)); text++)
            if (*text == quote)
                quote = '\0';
            else if (quote == '\0' && (*text == '\'' || *text == '"'))
                quote = *text;
            else
                word[n++] = *text;
        if (quote != '\0')
            SAB_FAIL(err, SAB_ERR_USAGE, "a quote is not closed in '%s'", text - n);
        if (n == 9 && strncmp(word, "{options}", n) == 0)
            SAB_TRY(add_words(w, value_of(list, "options", 7), NULL, err));
        else
            SAB_TRY(add_word(w, word, n, list, err));
    }
cleanup:
    SAB_FREE(word);
    return status;
}

static sab_status take_output(int file, sab_text *output, sab_error *err)
{
    sab_status status = SAB_OK;
    char buffer[4097];

    for (ssize_t n; (n = read(file, buffer, sizeof buffer - 1)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            break;
        buffer[n] = '\0';
        SAB_TRY(sab_text_add(output, err, "%s", buffer));
    }
cleanup:
    return status;
}

static sab_status failure(const words *w, int code, FILE *complaints, sab_error *err)
{
    char text[1200];

    rewind(complaints);
    const size_t n = fread(text, 1, sizeof text - 1, complaints);
    text[n] = '\0';
    text[strcspn(text, "\r")] = '\0';
    for (size_t i = strlen(text); i > 0 && isspace((unsigned char)text[i - 1]); i--)
        text[i - 1] = '\0';
    return sab_fail(err, SAB_ERR_USAGE, "%s failed (exit code %d): %s", w->word[0], code,
                    text[0] != '\0' ? text : "it does not say why");
}

sab_status sab_batch_run(const char *command, const sab_batch_word *list, sab_text *output,
                         sab_error *err)
{
    sab_status status = SAB_OK;
    words w = {0};
    FILE *complaints = NULL;
    int ends[2] = {-1, -1};
    pid_t pid = -1;

    SAB_TRY(sab_text_add(output, err, "%s", "")); /* never NULL */
    SAB_TRY(add_words(&w, command, list, err));
    complaints = tmpfile();
    if (complaints == NULL || pipe(ends) != 0)
        SAB_FAIL(err, SAB_ERR_IO, "cannot start '%s': %s", w.word[0], strerror(errno));
    SAB_TRY(sab_process_start(w.word[0], (const char *const *)w.word, ends[1], fileno(complaints),
                              false, &pid, err));
    close(ends[1]);
    ends[1] = -1;
    SAB_TRY(take_output(ends[0], output, err));
    const int code = sab_process_wait(pid);
    pid = -1;
    if (code != 0)
        status = failure(&w, code, complaints, err);
cleanup:
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (pid > 0)
        sab_process_wait(pid);
    if (complaints != NULL)
        fclose(complaints);
    for (int i = 0; i < w.n; i++)
        SAB_FREE(w.word[i]);
    return status;
}

/* ---- what they print ------------------------------------------------------------------------ */

void sab_batch_array(const sab_batch *system, int n, int at_most, char *text, size_t size)
{
    const int elements = n < system->smallest ? system->smallest : n;
    const size_t used = (size_t)snprintf(text, size, system->range, elements - 1 + system->first);
    if (at_most > 0 && used < size)
        snprintf(text + used, size - used, system->most, at_most);
}

sab_status sab_batch_id(const char *output, char *id, size_t size, sab_error *err)
{
    const char *start = output + strcspn(output, "0123456789");
    const size_t n = strcspn(start, ";> \t\n");

    if (n == 0 || n >= size)
        return sab_fail(err, SAB_ERR_USAGE, "the batch system gave no job number, but '%.300s'",
                        output);
    memcpy(id, start, n);
    id[n] = '\0';
    return SAB_OK;
}

int sab_batch_limit(const sab_batch *system)
{
    sab_text output = {0};
    int limit = system->largest;
    const char *line;

    if (system->limit != NULL && sab_batch_run(system->limit, NULL, &output, NULL) == SAB_OK &&
        (line = strstr(output.data, system->limit_key)) != NULL) {
        const long number = strtol(line + strcspn(line, "0123456789\n"), NULL, 10);

        if (number > 0 && number < 100000000)
            limit = (int)number;
    }
    sab_text_destroy(&output);
    return limit;
}

bool sab_batch_line(const sab_batch *system, const char *line, long *id, int *index,
                    const char **name)
{
    char *end;

    if (!isdigit((unsigned char)line[0]))
        return false;
    *id = strtol(line, &end, 10);
    *index = -1;
    if ((*end == ' ' || *end == '[') && isdigit((unsigned char)end[1]))
        *index = (int)strtol(end + 1, NULL, 10) - system->first;
    *name = strrchr(line, ' ') != NULL ? strrchr(line, ' ') + 1 : "";
    return true;
}

const char *sab_batch_this(const sab_batch *system, char *buffer, size_t size)
{
    const char *job = getenv("SLURM_ARRAY_JOB_ID"), *task = getenv("SLURM_ARRAY_TASK_ID");
    const char *lsf = getenv("LSB_JOBID"), *index = getenv("LSB_JOBINDEX");

    buffer[0] = '\0';
    if (strcmp(system->name, "slurm") == 0 && job != NULL && task != NULL)
        snprintf(buffer, size, "%s_%s", job, task); /* the plain job would be all of the array */
    if (strcmp(system->name, "lsf") == 0 && lsf != NULL && index != NULL)
        snprintf(buffer, size, "%s[%s]", lsf, index);
    return buffer;
}

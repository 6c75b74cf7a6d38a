/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/batch.h -- batch systems as rows of a table: how each is told to run, asked and cancelled.
 *
 * Commands are texts, words apart by blanks or in quotes. {name} and the like are put in as they
 * are, in one word; {options} is many words. What is true of a study is in its files: the batch
 * system is only asked what it still has, so that nothing is submitted twice. */
#ifndef SAB_RUN_BATCH_H
#define SAB_RUN_BATCH_H

#include "base/error.h"
#include "base/text.h"

#include <stdbool.h>

typedef struct sab_batch {
    const char *name;
    const char *submit;           /* an array of chains; prints its id */
    const char *collect;          /* a job after others; likewise */
    const char *after, *between;  /* one of those others in {after}, and what stands between two */
    const char *range, *most;     /* {array} of so many; behind it: so many at the same time */
    int smallest;                 /* array that it takes; the task script passes what is too much */
    const char *ask;              /* prints a line for each job and element: id, index, name */
    int first;                    /* index of the first element */
    const char *cancel, *requeue; /* of {id}; NULL: not possible */
    const char *limit, *limit_key; /* prints a line "key = number": the largest array; or NULL */
    int largest;                   /* array, if that does not tell */
} sab_batch;

/* The row of that name, or NULL. */
const sab_batch *sab_batch_find(const char *name);
/* All names, "slurm, pbs, ...". Returns `buffer`. */
const char *sab_batch_names(char *buffer, size_t size);

/* What {name} in a command stands for. */
typedef struct sab_batch_word {
    const char *name, *text;
} sab_batch_word;

/* Run a command with these words (the last has no name). Its standard output is appended to
 * `output`. SAB_ERR_USAGE, with the command and what it said, if it cannot be started or fails. */
sab_status sab_batch_run(const char *command, const sab_batch_word *words, sab_text *output,
                         sab_error *err);
/* {array} of n chains, at most so many at the same time (0: all). */
void sab_batch_array(const sab_batch *system, int n, int at_most, char *text, size_t size);
/* The id that a submission has printed: its first word, without what a cluster's name adds. */
sab_status sab_batch_id(const char *output, char *id, size_t size, sab_error *err);
/* The largest array. */
int sab_batch_limit(const sab_batch *system);
/* One line of `ask`: false if it tells of no job. The index is counted from 0, -1: no element. */
bool sab_batch_line(const sab_batch *system, const char *line, long *id, int *index,
                    const char **name);
/* The job that this process is, as `requeue` takes it; "" if it is none. Returns `buffer`. */
const char *sab_batch_this(const sab_batch *system, char *buffer, size_t size);

#endif

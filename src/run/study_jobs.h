/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study_jobs.h -- what of a study was given to a batch system.
 *
 * DIR/batch holds
 *   jobs.json    what was submitted: batch system, options, jobs with their lists
 *   chains.csv   every chain with the hash of what it solves, for `sablier study-task`
 *   list-N       the chains of one array, a number per line
 *   task.sh      runs the chain of its element; collect.sh makes the tables when all have ended
 *   log/         what the jobs print
 * What a chain has come to is seen in the directories of its points, never asked of the batch
 * system. Of that only one thing is wanted: what it still has, so that nothing runs twice. */
#ifndef SAB_RUN_STUDY_JOBS_H
#define SAB_RUN_STUDY_JOBS_H

#include "run/batch.h"
#include "run/study.h"

enum { SAB_JOB_NAME = 40 };

typedef struct sab_study_job {
    char id[64]; /* as the batch system calls it */
    int list;    /* its chains are the lines of DIR/batch/list-N; 0: the job that collects */
} sab_study_job;

typedef struct sab_study_jobs { /* DIR/batch/jobs.json */
    char directory[SAB_PATH];   /* DIR/batch, absolute */
    const sab_batch *system;    /* NULL: none so far */
    char *study, *options;      /* absolute path of study.yaml; of --submit; owned */
    int at_most;                /* chains at the same time; 0: no bound */
    bool safe;                  /* --safe, for the tasks too */
    int lists;                  /* written so far */
    int n, capacity;
    sab_study_job *job;
} sab_study_jobs;

/* What was submitted from this directory so far: nothing, if there is no such file. */
sab_status sab_study_jobs_read(const char *directory, sab_study_jobs *jobs, sab_error *err);
void sab_study_jobs_destroy(sab_study_jobs *jobs);
sab_status sab_study_jobs_write(const sab_study_jobs *jobs, sab_error *err);
sab_status sab_study_jobs_add(sab_study_jobs *jobs, const char *id, int list, sab_error *err);
/* Replace one of its texts. */
sab_status sab_study_jobs_text(char **to, const char *text, sab_error *err);
/* Jobs carry the name of the directory, so that one whose number could not be written down, because
 * this program was killed, is known all the same. */
void sab_study_jobs_name(const sab_study_jobs *jobs, char name[SAB_JOB_NAME]);

/* The numbers of list-N, at most `size` of them. Returns how many. */
int sab_study_jobs_list(const sab_study_jobs *jobs, int list, int *chain, int size);
sab_status sab_study_jobs_add_list(sab_study_jobs *jobs, int n, const int *chain, sab_error *err);

#endif

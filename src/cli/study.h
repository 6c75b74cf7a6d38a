/* cli/study.h -- a study on the terminal: at work, its report, and its jobs on a batch system. */
#ifndef SAB_CLI_STUDY_H
#define SAB_CLI_STUDY_H

#include "cli/args.h"
#include "cli/batch.h"
#include "cli/terminal.h"
#include "run/study.h"

/* Run all points, `jobs` at a time, until they are done or `stopped` says so: SAB_INTERRUPTED then,
 * with the checkpoints written. No process is left behind. */
sab_status sab_study_work(sab_study_run *run, int jobs, bool (*stopped)(void), sab_terminal *term,
                          sab_error *err);
/* The report: table, warnings, brackets, fit, and all files of the study. *good: everything is done
 * and met its tolerance. */
sab_status sab_study_report(const sab_study_run *run, sab_terminal *term, bool *good,
                            sab_error *err);
/* The table: varied keys, status, probes. */
void sab_study_show_table(const sab_study_run *run, const sab_table *table, sab_terminal *term);
/* What points warned about, each sentence once with the points it came from. */
void sab_study_show_warnings(const sab_study_run *run, sab_terminal *term);
/* The brackets; false if one is not closed. */
bool sab_study_show_brackets(const sab_study_run *run, sab_terminal *term);

/* ---- on a batch system ---- */

typedef struct sab_study_job {
    char id[64]; /* as the batch system calls it */
    int list;    /* its chains are the lines of DIR/batch/list-N; 0: the job that collects */
} sab_study_job;

typedef struct sab_study_batch {    /* DIR/batch/jobs.json */
    char directory[SAB_STUDY_PATH]; /* DIR/batch, absolute */
    const sab_batch *system;        /* NULL: none so far */
    char *study, *options;          /* absolute path of study.yaml; of --submit; owned */
    int at_most;                    /* chains at the same time; 0: no bound */
    bool safe;                      /* --safe, for the tasks too */
    int lists;                      /* written so far */
    int njobs, capacity;
    sab_study_job *job;
} sab_study_batch;

/* What was submitted from this directory so far: nothing, if there is no such file. */
sab_status sab_study_batch_read(const char *directory, sab_study_batch *batch, sab_error *err);
void sab_study_batch_destroy(sab_study_batch *batch);
/* Which chains are in the queue? queued [nchains]; *jobs: jobs of this study there, those that
 * collect included. *known is false if the batch system does not answer. */
sab_status sab_study_batch_ask(const sab_study_batch *batch, int nchains, bool *queued, int *jobs,
                               bool *known, sab_error *err);
/* SAB_ERR_USAGE if there are chains in the queue: they are not to be run here as well. */
sab_status sab_study_batch_refuse(const sab_study_batch *batch, int nchains, sab_error *err);
/* Submit the chains that have no result and are not in the queue, and a job that collects. *left:
 * chains that have no result. The study has been gathered. */
sab_status sab_study_batch_submit(sab_study_batch *batch, sab_study_run *run, const sab_args *args,
                                  sab_terminal *term, int *left, sab_error *err);
sab_status sab_study_batch_status(const sab_study_batch *batch, const sab_study_run *run,
                                  sab_terminal *term, sab_error *err);
sab_status sab_study_batch_cancel(const sab_study_batch *batch, int nchains, sab_terminal *term,
                                  sab_error *err);
/* Until none of its chains is in the queue, or `stopped`: SAB_INTERRUPTED. */
sab_status sab_study_batch_wait(const sab_study_batch *batch, int nchains, bool (*stopped)(void),
                                sab_terminal *term, sab_error *err);

#endif

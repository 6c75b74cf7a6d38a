/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study_batch.h -- a study on a batch system: chains submitted, asked for, cancelled, and gone
 * on with. The jobs are those of run/study_jobs.h, the batch systems rows of run/batch.h. */
#ifndef SAB_RUN_STUDY_BATCH_H
#define SAB_RUN_STUDY_BATCH_H

#include "run/events.h"
#include "run/study_jobs.h"

/* What the batch system has of the study. */
typedef struct sab_study_queue {
    bool known;    /* it has answered; else err of sab_study_batch_ask tells why not */
    int chains;    /* running or in the queue */
    int jobs;      /* those that collect included */
    bool *waiting; /* [nchains] the chains; owned */
} sab_study_queue;
/* The caller destroys the queue, also on failure. */
sab_status sab_study_batch_ask(const sab_study_jobs *jobs, int nchains, sab_study_queue *queue,
                               sab_error *err);
void sab_study_queue_destroy(sab_study_queue *queue);
/* SAB_ERR_USAGE if there are chains in the queue: they are not to be run here as well. */
sab_status sab_study_batch_refuse(const sab_study_jobs *jobs, int nchains, sab_error *err);

/* Take another batch system (NULL: lists of commands), or begin anew with `force`: SAB_ERR_USAGE if
 * there are chains in the queue of the old one. */
sab_status sab_study_batch_choose(sab_study_jobs *jobs, const sab_batch *system, bool force,
                                  int nchains, sab_error *err);
/* Submit the chains that have no result and are not in the queue, and a job that collects; without
 * a batch system write them as DIR/batch/commands and Snakefile. *left: chains that have no result.
 * The study has been gathered. */
sab_status sab_study_batch_submit(sab_study_jobs *jobs, sab_study_run *run,
                                  const sab_study_events *events, int *left, sab_error *err);
/* Cancel all jobs. *cancelled is false if none was in the queue. */
sab_status sab_study_batch_cancel(const sab_study_jobs *jobs, int nchains, bool *cancelled,
                                  sab_error *err);
/* Until none of its chains is in the queue, or `stopped`: SAB_INTERRUPTED. */
sab_status sab_study_batch_wait(const sab_study_jobs *jobs, int nchains,
                                const sab_study_events *events, sab_error *err);

/* ---- in a job: `sablier study-task` ---- */

/* SAB_ERR_USAGE if the one chain of `run` is not what was submitted: its number says nothing in
 * another study. */
sab_status sab_study_batch_check(const sab_study_jobs *jobs, const sab_study_run *run,
                                 sab_error *err);
/* The time of the job is over: ask for more, if that can be, and the chain has come any further
 * since it last did. True if it has been granted; `job` is the present one then. */
bool sab_study_batch_requeue(const sab_study_jobs *jobs, const sab_study_run *run,
                             const sab_study_events *events, char *job, size_t size);

/* Tell the events, if they want to know. */
void sab_study_warn(const sab_study_events *events, const char *format, ...) SAB_PRINTF(2, 3);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study.h -- a study at work: its points in chains, and what they say together.
 *
 * Points stand in chains: those of a chain run one after the other, chains side by side. A chain is
 * one point, or the points along the continued axis, or a bisection, of which the points beyond the
 * two ends come to be as it goes. Point i of a chain has the number first + i stride. Who runs a
 * point, and how, is for the caller: sab_study_next, the run, sab_study_done.
 *
 * A chain is also the unit that a batch system runs. Whoever works on it, here or there, owns it
 * (run/owner.h), by a file `chain.N` in the directory of its first point. */
#ifndef SAB_RUN_STUDY_H
#define SAB_RUN_STUDY_H

#include "run/result.h"
#include "run/study_point.h"

typedef struct sab_chain {
    int number;       /* of all chains of the study, from 0 */
    sab_owner *owner; /* owned; while it is at work here */
    bool left;        /* it has ended, and nobody owns it any more */
    int first, stride, length;
    int next;                        /* points taken from it so far */
    int running;                     /* number of the point that runs, or -1 */
    int last;                        /* the last good one, or -1 */
    int flowing, arrested;           /* the ends of the search so far, or -1 */
    int sure_flowing, sure_arrested; /* those of them that are good: the ends of the bracket */
    bool broken;                     /* a point has no value or no end: it cannot go on */
} sab_chain;

/* What is done in the directory of a study, beside others perhaps. */
typedef enum sab_study_use {
    SAB_STUDY_WORK,    /* run its points, or have them run: nobody else does so meanwhile */
    SAB_STUDY_COLLECT, /* make tables of what is there */
    SAB_STUDY_LOOK,    /* write nothing */
    SAB_STUDY_CHAIN    /* run one chain: others run theirs, and the tables are not ours */
} sab_study_use;

typedef struct sab_study_options {
    sab_study_use use;
    bool resume, force; /* SAB_STUDY_WORK: keep what is there; replace it */
    int chain;          /* SAB_STUDY_CHAIN: its number */
} sab_study_options;

typedef struct sab_study_run {
    sab_study *study; /* owned */
    sab_study_use use;
    char directory[SAB_PATH]; /* as the user gave it */
    char points[SAB_PATH];    /* directory/points, absolute */
    sab_owner *owner;         /* of the directory, owned; NULL for SAB_STUDY_LOOK and _CHAIN */
    bool resume;
    int npoints, nchains;
    sab_study_point
        *point;       /* with SAB_STUDY_CHAIN those of other chains are SAB_STUDY_POINT_NONE */
    sab_chain *chain; /* [nchains]: with SAB_STUDY_CHAIN this one only */
    int done, failed, missed, warned; /* points; missed: with a result not to be trusted */
    int ran;                          /* those that were not there already */
    double seconds;                   /* on the clock, of these */
} sab_study_run;

/* Chains and points, with all errors of all cases; then the directory. SAB_ERR_USAGE if a result is
 * there, without `resume` or `force`, if another study is at work there, or if nothing is there to
 * collect. The study is moved, also on failure. The caller owns *run. */
sab_status sab_study_run_create(sab_study **study, const char *directory,
                                const sab_study_options *options, sab_study_run **run,
                                sab_error *err);
void sab_study_run_destroy(sab_study_run **run);

/* What can be done now. */
typedef struct sab_study_task {
    int point;   /* its number, -1: nothing, before another point is done */
    int from;    /* the point it starts from, or -1 */
    bool found;  /* its result is there already, and counted: nothing to run */
    bool resume; /* there is a checkpoint to go on from */
} sab_study_task;
sab_status sab_study_next(sab_study_run *run, sab_study_task *task, sab_error *err);
/* Own its chain, make its directory ready, and give the keys to set: those of the study, and
 * initial.from. SAB_ERR_USAGE if another process is at work there. The caller frees the texts, also
 * on failure. */
sab_status sab_study_prepare(sab_study_run *run, const sab_study_task *task, int *noverrides,
                             char **override, sab_error *err);
/* The run of a point has ended with that exit code (`stopped`: it was asked to): read its result,
 * count it, write results.csv. SAB_ERR_IO if the chain is no longer ours. */
sab_status sab_study_done(sab_study_run *run, int point, int code, bool stopped, sab_error *err);

/* Instead of running: count what is there, up to the first point of each chain that has no end. Its
 * status is then "running", "interrupted" or "pending", and the chain is broken. With `again` a
 * point that failed has no end either: it will be run anew. */
sab_status sab_study_gather(sab_study_run *run, bool again, sab_error *err);
/* How far the points are that have no end. */
typedef struct sab_study_counts {
    int running, interrupted, pending;
    int unfinished; /* all of them */
} sab_study_counts;
sab_study_counts sab_study_count(const sab_study_run *run);
/* What the chain solves, as a number: that of its points which are known before the first runs. */
unsigned long long sab_study_chain_hash(const sab_study_run *run, const sab_chain *chain);
/* Forget what the points have solved, so that all are run again. */
sab_status sab_study_forget(const sab_study_run *run, sab_error *err);
/* Who owns a chain; and take it from its owner, with the runs of its points. */
sab_owner_state sab_study_chain_owner(const sab_study_run *run, const sab_chain *chain,
                                      sab_owner_who *who);
void sab_study_chain_drop(const sab_study_run *run, const sab_chain *chain);

/* results.csv, as it is now. The caller owns *table. */
sab_status sab_study_table(const sab_study_run *run, sab_table **table, sab_error *err);
/* The fit that the study asks for, of this table, whose names it borrows: weighted by the
 * deviations of the probe, if they are there and wanted. */
sab_fit_request sab_study_fit(const sab_study_run *run, const sab_table *table);
/* study.json: counts of points, those that are left out and why, all warnings. */
sab_status sab_study_write(const sab_study_run *run, sab_error *err);
/* Warning k of point i, if no earlier one is like it but for its numbers; else NULL. */
const char *sab_study_warning(const sab_study_run *run, int i, int k);
/* What a point warns about like this, or NULL. */
const char *sab_study_warns(const sab_study_point *point, const char *sentence);
/* Of a bisection: "bracketed", or why it is not. */
const char *sab_study_bracket_state(const sab_study_run *run, const sab_chain *chain);
/* Points of it that are not to be trusted. */
int sab_study_missed(const sab_study_run *run, const sab_chain *chain);
/* brackets.csv */
sab_status sab_study_write_brackets(const sab_study_run *run, sab_error *err);

#endif

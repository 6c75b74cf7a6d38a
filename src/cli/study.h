/* cli/study.h -- a study at work: what cli/study.c and cli/study_report.c share. */
#ifndef SAB_CLI_STUDY_H
#define SAB_CLI_STUDY_H

#include "cli/pool.h"
#include "run/result.h"
#include "run/study_point.h"
#include "cli/terminal.h"

enum { SAB_STUDY_PATH = SAB_PATH + SAB_STUDY_NAME + 40 };

typedef struct sab_chain {
    int first, stride, length;
    int next;                        /* points taken from it so far */
    int running;                     /* number of the point that runs, or -1 */
    int last;                        /* the last good one, or -1 */
    int flowing, arrested;           /* the ends of the search so far, or -1 */
    int sure_flowing, sure_arrested; /* those of them that are good: the ends of the bracket */
    bool broken;                     /* a point of the bisection has no value: it cannot go on */
} sab_chain;

typedef struct sab_study_run {
    sab_study *study;
    sab_terminal *term;
    char directory[SAB_PATH]; /* as the user gave it */
    char points[SAB_PATH];    /* directory/points, absolute */
    int lock;
    bool resume;
    int npoints, nchains;
    sab_point *point;
    sab_chain *chain;
    sab_pool pool;
    int expected, done, failed, missed,
        warned;     /* points; missed: with a result not to be trusted */
    int ran;        /* those that were not there already */
    double seconds; /* on the clock, of these */
} sab_study_run;

/* The table on the terminal: varied keys, status, probes. */
void sab_study_show_table(const sab_study_run *run, const sab_table *table);
/* What points warned about, each sentence once with the points it came from, on the terminal. */
void sab_study_show_warnings(const sab_study_run *run);
/* study.json: counts of points, those that are left out and why, all warnings. */
sab_status sab_study_write(const sab_study_run *run, sab_error *err);
/* The brackets on the terminal and in brackets.csv; *good becomes false if one is not closed. */
sab_status sab_study_show_brackets(const sab_study_run *run, bool *good, sab_error *err);

#endif

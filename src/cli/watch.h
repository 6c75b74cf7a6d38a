/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/watch.h -- follows a solve, or a run of many steps: table on the terminal, progress, signals.
 */
#ifndef SAB_CLI_WATCH_H
#define SAB_CLI_WATCH_H

#include "cli/terminal.h"
#include "solve/solve.h"

typedef struct sab_watch {
    sab_terminal *term;
    double tolerance;
    int max_iterations;
    int rows, printed_viscosity;
    double first_wall;
    double recent_wall[8], recent_gap[8]; /* the last rows, for the estimate of time left */
    int step, steps; /* of an inertial run: the present one, and all; 0: rows are printed */
    int done;        /* steps done by this process */
    double step_wall[8], step_at[8]; /* when the last of them ended, and where they were, in steps
                                        of full length */
    const char *probe;               /* the one that is watched, or NULL */
    const char *measure;             /* what is compared with the tolerance: "gap G" */
} sab_watch;

/* A line of the table of steps. */
typedef struct sab_watch_line {
    int step, outer, inner, retries;
    double time, at, gap, probe; /* at: in steps of full length */
    sab_miss missed;
    bool last;
} sab_watch_line;

/* SIGINT, SIGTERM, SIGHUP and SIGXCPU ask the solve to stop at the next row; a second one of the
 * first two ends the program. SIGUSR1 asks for a checkpoint. A reader of the log who goes away
 * changes nothing. */
void sab_watch_signals(void);
/* Has a checkpoint been asked for since the last call? */
bool sab_watch_checkpoint(void);
bool sab_watch_interrupted(void);
void sab_watch_begin(sab_watch *watch, sab_terminal *term, double tolerance, int max_iterations);
/* The same of a run of `steps` steps of full length that is at `at`: each has its lines with
 * sab_watch_step, its iterations are not printed. `probe` (borrowed) may be NULL. */
void sab_watch_begin_steps(sab_watch *watch, sab_terminal *term, double tolerance,
                           int max_iterations, double at, int steps, const char *probe);
/* Before a step. */
void sab_watch_next(sab_watch *watch, int step);
/* After it. */
void sab_watch_step(sab_watch *watch, const sab_watch_line *line);
/* One row; false when a signal has come. */
bool sab_watch_row(sab_watch *watch, int viscosity_iteration, const sab_report *report);
/* Also for a watch that has not begun, {0}. */
void sab_watch_end(sab_watch *watch);

#endif

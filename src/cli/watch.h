/* cli/watch.h -- follows a solve: table on the terminal, convergence.csv, progress, signals. */
#ifndef SAB_CLI_WATCH_H
#define SAB_CLI_WATCH_H

#include "base/text.h"
#include "cli/terminal.h"
#include "solve/solve.h"

typedef struct sab_watch {
    sab_terminal *term;
    double tolerance;
    int max_iterations;
    sab_text csv;      /* convergence.csv so far */
    sab_status status; /* of growing it */
    int rows, printed_viscosity;
    double first_wall;
    double recent_wall[8], recent_gap[8]; /* the last rows, for the estimate of time left */
} sab_watch;

/* SIGINT and SIGTERM ask the solve to stop at the next row; a second one ends the program. A reader
 * of the log who goes away does not. */
void sab_watch_signals(void);
bool sab_watch_interrupted(void);
void sab_watch_begin(sab_watch *watch, sab_terminal *term, double tolerance, int max_iterations);
/* One row; false when a signal has come. */
bool sab_watch_row(sab_watch *watch, int viscosity_iteration, const sab_report *report);
/* Also for a watch that has not begun, {0}. */
void sab_watch_end(sab_watch *watch);
/* Why a solve ended, in a few words. */
const char *sab_reason_text(sab_reason reason);
/* The warning that a solve has not converged, with what it reached. */
void sab_watch_missed(sab_terminal *term, const sab_report *report, double tolerance);
/* The certificates of a report, on the terminal. */
void sab_watch_certificates(sab_terminal *term, const sab_report *report, double tolerance);

#endif

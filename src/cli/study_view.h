/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/study_view.h -- a study on the terminal: at work, on a batch system, and its report. */
#ifndef SAB_CLI_STUDY_VIEW_H
#define SAB_CLI_STUDY_VIEW_H

#include "cli/terminal.h"
#include "run/study_batch.h"

typedef struct sab_study_view {
    sab_terminal *term;
    const sab_study_jobs *jobs; /* borrowed: the events of a batch system name it */
    int nchains;
} sab_study_view;

/* A study stops when a signal has come (cli/watch.h). */
sab_study_events sab_study_view_events(sab_study_view *view);
/* How to run what was written instead of submitted. */
void sab_study_show_commands(const sab_study_jobs *jobs, sab_terminal *term);
/* How far the points are; the study has been gathered. */
sab_status sab_study_show_status(const sab_study_jobs *jobs, const sab_study_run *run,
                                 sab_terminal *term, sab_error *err);

#endif

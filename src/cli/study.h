/* cli/study.h -- a study on the terminal. */
#ifndef SAB_CLI_STUDY_H
#define SAB_CLI_STUDY_H

#include "cli/terminal.h"
#include "run/study.h"

/* The table: varied keys, status, probes. */
void sab_study_show_table(const sab_study_run *run, const sab_table *table, sab_terminal *term);
/* What points warned about, each sentence once with the points it came from. */
void sab_study_show_warnings(const sab_study_run *run, sab_terminal *term);
/* The brackets; false if one is not closed. */
bool sab_study_show_brackets(const sab_study_run *run, sab_terminal *term);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/describe_study.h -- studies and fits in words, line by line, and the files of their results.
 */
#ifndef SAB_RUN_DESCRIBE_STUDY_H
#define SAB_RUN_DESCRIBE_STUDY_H

#include "io/table_fit.h"
#include "run/describe.h"
#include "run/study.h"

/* Fit a table, tell the result, and write it to `json` and `csv` unless these are NULL. *doubtful:
 * the number of groups whose fit is not sound (io/table_fit.h); each is warned about. */
sab_status sab_describe_fit(const sab_table *table, const sab_fit_request *request,
                            const char *json, const char *csv, const sab_teller *out, int *doubtful,
                            sab_error *err);
/* The report: table, warnings, brackets, fit, and all files of the study. *good: everything is done
 * and met its tolerance. */
sab_status sab_describe_study(const sab_study_run *run, const sab_teller *out, bool *good,
                              sab_error *err);
/* The points of a study and what they need: reads the case of every point, meshes each mesh once
 * (`confined`, mesh/sandbox.h), solves and writes nothing. */
sab_status sab_describe_plan(const sab_study *study, sab_confined confined, const sab_teller *out,
                             sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/history.h -- the table of the steps of a run, history.csv. */
#ifndef SAB_RUN_HISTORY_H
#define SAB_RUN_HISTORY_H

#include "base/text.h"
#include "io/case.h"
#include "run/march.h"

#include <stdio.h>

enum { SAB_HISTORY_NAME = 160 };

/* Of a column of march->history: fixed ones, then a column for each component of each probe that is
 * no profile. Returns `name` or a constant. */
const char *sab_history_column_name(const sab_march *march, int column,
                                    char name[SAB_HISTORY_NAME]);
/* The header, without the end of the line. */
sab_status sab_history_columns(const sab_march *march, sab_text *text, sab_error *err);
/* One row, 0 the first; of a case with units, time and probes again in SI ("discharge [kg/s]"). */
void sab_history_row(FILE *out, const sab_case *c, const sab_march *march, int row);
/* All there are so far. */
sab_status sab_history_write(const char *path, const sab_case *c, const sab_march *march,
                             sab_error *err);

#endif

/* run/history.h -- the table of the steps of a run, history.csv. */
#ifndef SAB_RUN_HISTORY_H
#define SAB_RUN_HISTORY_H

#include "base/text.h"
#include "run/march.h"

#include <stdio.h>

/* The header, without the end of the line. */
sab_status sab_history_columns(const sab_march *march, sab_text *text, sab_error *err);
/* One row, 0 the first. */
void sab_history_row(FILE *out, const sab_march *march, int row);
/* All there are so far. */
sab_status sab_history_write(const char *path, const sab_march *march, sab_error *err);

#endif

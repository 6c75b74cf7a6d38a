/* cli/fit.h -- fits on the terminal: what `sablier fit` and `sablier study` share. */
#ifndef SAB_CLI_FIT_H
#define SAB_CLI_FIT_H

#include "cli/terminal.h"
#include "io/table_fit.h"

/* Fit a table, print the result, and write it to `json` and `csv` unless these are NULL. *doubtful:
 * the number of groups whose fit is not sound (io/table_fit.h); each is warned about. */
sab_status sab_fit_show(const sab_table *table, const sab_fit_request *request, const char *json,
                        const char *csv, sab_terminal *term, int *doubtful, sab_error *err);
/* The law of that name, or SAB_FIT_LAWS. */
sab_fit_law sab_fit_find_law(const char *name);

#endif

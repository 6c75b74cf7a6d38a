/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/history.h"
#include "io/file.h"
#include "io/output.h"
#include "run/march_flow.h"

#include <math.h>

/* The columns of a creeping flow; an inertial one has all. */
static bool is_shown(const sab_march *march, int column)
{
    switch (column) {
    case SAB_HISTORY_STEP:
    case SAB_HISTORY_TIME:
    case SAB_HISTORY_OUTER:
    case SAB_HISTORY_INNER:
    case SAB_HISTORY_SOLVES:
    case SAB_HISTORY_GAP:
    case SAB_HISTORY_COMPACTION:
    case SAB_HISTORY_NATURAL:
    case SAB_HISTORY_MOMENTUM:
        return true;
    case SAB_HISTORY_COURANT:
        return !sab_march_is_flow(march) || sab_march_flow_of(march)->flow->surface != NULL;
    default:
        return column >= march->fixed || !sab_march_is_creeping(march);
    }
}

const char *sab_history_column_name(const sab_march *march, int column, char name[SAB_HISTORY_NAME])
{
    int first = march->fixed;

    if (column < first)
        return march->body.name != NULL ? march->body.name[column] : sab_history_name[column];
    for (int i = 0; i < march->body.nprobes; i++) {
        const sab_probe_result *p = &march->probe[i];
        const int n = sab_probe_is_profile(p->probe) ? 0 : p->components, c = column - first;

        if (c < n) {
            sab_output_component(p->probe->name, p->name != NULL ? p->name[c] : NULL, name,
                                 SAB_HISTORY_NAME);
            return name;
        }
        first += n;
    }
    return "";
}

sab_status sab_history_columns(const sab_march *march, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    char name[SAB_HISTORY_NAME];

    for (int c = 0; c < march->columns; c++)
        if (is_shown(march, c))
            SAB_TRY(sab_text_add(text, err, "%s%s", c > 0 ? "," : "",
                                 sab_history_column_name(march, c, name)));
cleanup:
    return status;
}

/* Time and probes in SI, behind all others: of a row, or the names if it is NULL. */
static void put_si(FILE *out, const sab_case *c, const sab_march *march, const double *row)
{
    static const sab_dimension seconds = {.s = 1};
    int column = march->fixed;

    if (!c->units.given)
        return;
    if (row == NULL)
        fputs(",time [s]", out);
    else
        fprintf(out, ",%.15g", row[SAB_HISTORY_TIME] * sab_units_scale(&c->units, seconds));
    for (int i = 0; i < march->body.nprobes; i++) {
        const sab_probe_result *p = &march->probe[i];
        const int n = sab_probe_is_profile(p->probe) ? 0 : p->components;
        char name[SAB_HISTORY_NAME], unit[40];
        sab_dimension dimension;
        double scale;
        bool extensive;
        const bool shown =
            sab_units_of_probe(p->probe, c->geometry, &c->units, &dimension, &scale, &extensive) &&
            isfinite(scale);

        for (int k = 0; k < n && shown; k++)
            if (row == NULL)
                fprintf(out, ",%s [%s]", sab_history_column_name(march, column + k, name),
                        sab_dimension_name(dimension, unit, sizeof unit));
            else
                fprintf(out, ",%.17g", scale * row[column + k]);
        column += n;
    }
}

/* Counts are whole; certificates are not worth more than nine digits; the rest reads back. */
void sab_history_row(FILE *out, const sab_case *c, const sab_march *march, int row)
{
    const double *value = march->history + (size_t)row * (size_t)march->columns;

    for (int k = 0; k < march->columns; k++) {
        const bool certificate = k >= SAB_HISTORY_GAP && k <= SAB_HISTORY_MOMENTUM;
        const char *format = k == SAB_HISTORY_TIME     ? "%s%.15g"
                             : certificate             ? "%s%.9g"
                             : k >= SAB_HISTORY_LENGTH ? "%s%.17g"
                                                       : "%s%.0f";

        if (is_shown(march, k))
            fprintf(out, format, k > 0 ? "," : "", value[k]);
    }
    put_si(out, c, march, value);
    fputc('\n', out);
}

sab_status sab_history_write(const char *path, const sab_case *c, const sab_march *march,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text columns = {0};
    sab_file file = {0};

    SAB_TRY(sab_history_columns(march, &columns, err));
    SAB_TRY(sab_file_open(path, &file, err));
    fputs(columns.data, file.stream);
    put_si(file.stream, c, march, NULL);
    fputc('\n', file.stream);
    for (int i = 0; i < march->rows; i++)
        sab_history_row(file.stream, c, march, i);
    SAB_TRY(sab_file_close(&file, err));
cleanup:
    sab_text_destroy(&columns);
    return status;
}

#include "run/history.h"
#include "io/file.h"
#include "io/output.h"

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
    default:
        return column >= SAB_HISTORY_FIXED || !sab_march_is_creeping(march);
    }
}

sab_status sab_history_columns(const sab_march *march, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    char name[160];

    for (int c = 0; c < SAB_HISTORY_FIXED; c++)
        if (is_shown(march, c))
            SAB_TRY(sab_text_add(text, err, "%s%s", c > 0 ? "," : "", sab_history_name[c]));
    for (int i = 0; i < march->body.nprobes; i++) {
        const sab_probe_result *p = &march->probe[i];

        for (int c = 0; c < p->components && !sab_probe_is_profile(p->probe); c++) {
            sab_output_component(p->probe->name, p->name != NULL ? p->name[c] : NULL, name,
                                 sizeof name);
            SAB_TRY(sab_text_add(text, err, ",%s", name));
        }
    }
cleanup:
    return status;
}

/* Counts are whole; certificates are not worth more than nine digits; the rest reads back. */
void sab_history_row(FILE *out, const sab_march *march, int row)
{
    const double *value = march->history + (size_t)row * (size_t)march->columns;

    for (int c = 0; c < march->columns; c++) {
        const bool certificate = c >= SAB_HISTORY_GAP && c <= SAB_HISTORY_MOMENTUM;
        const char *format = c == SAB_HISTORY_TIME      ? "%s%.15g"
                             : certificate              ? "%s%.9g"
                             : c >= SAB_HISTORY_OUTFLOW ? "%s%.17g"
                                                        : "%s%.0f";

        if (is_shown(march, c))
            fprintf(out, format, c > 0 ? "," : "", value[c]);
    }
    fputc('\n', out);
}

sab_status sab_history_write(const char *path, const sab_march *march, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text columns = {0};
    sab_file file = {0};

    SAB_TRY(sab_history_columns(march, &columns, err));
    SAB_TRY(sab_file_open(path, &file, err));
    fprintf(file.stream, "%s\n", columns.data);
    for (int i = 0; i < march->rows; i++)
        sab_history_row(file.stream, march, i);
    SAB_TRY(sab_file_close(&file, err));
cleanup:
    sab_text_destroy(&columns);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/table.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

#define MARK "\xef\xbb\xbf" /* that spreadsheets leave at the beginning */
enum { MAX_FILE = 256 * 1024 * 1024, MAX_COLUMNS = 10000 };

sab_status sab_table_create(const char *name, sab_table **table, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *t = NULL;

    *table = NULL;
    SAB_NEW(t, 1);
    t->name = sab_strdup(name);
    if (t->name == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: table '%s'", name);
        goto cleanup;
    }
    *table = t;
    t = NULL;
cleanup:
    sab_table_destroy(&t);
    return status;
}

void sab_table_destroy(sab_table **table)
{
    sab_table *t = *table;

    if (t == NULL)
        return;
    for (int i = 0; i < t->nrows * t->ncolumns; i++)
        SAB_FREE(t->cell[i]);
    for (int i = 0; i < t->ncolumns; i++)
        SAB_FREE(t->column[i]);
    SAB_FREE(t->cell);
    SAB_FREE(t->column);
    SAB_FREE(t->line);
    SAB_FREE(t->name);
    SAB_FREE(*table);
}

static sab_status out_of_memory(const sab_table *t, sab_error *err)
{
    return sab_fail(err, SAB_ERR_MEMORY, "out of memory: table '%s'", t->name);
}

sab_status sab_table_add_column(sab_table *t, const char *name, sab_error *err)
{
    if (sab_table_find(t, name) >= 0)
        return SAB_OK;
    if (t->ncolumns == t->column_capacity) {
        const int capacity = t->column_capacity > 0 ? 2 * t->column_capacity : 16;
        char **column = sab_realloc(t->column, (size_t)capacity, sizeof *column);

        if (column == NULL)
            return out_of_memory(t, err);
        t->column = column;
        t->column_capacity = capacity;
    }
    t->column[t->ncolumns] = sab_strdup(name);
    if (t->column[t->ncolumns] == NULL)
        return out_of_memory(t, err);
    t->ncolumns++;
    return SAB_OK;
}

sab_status sab_table_add_row(sab_table *t, sab_error *err)
{
    if (t->nrows == t->row_capacity) {
        const int capacity = t->row_capacity > 0 ? 2 * t->row_capacity : 16;
        int *line = sab_realloc(t->line, (size_t)capacity, sizeof *line);

        if (line == NULL)
            return out_of_memory(t, err);
        t->line = line;
        char **cell = sab_realloc(t->cell, (size_t)capacity * (size_t)t->ncolumns, sizeof *cell);
        if (cell == NULL)
            return out_of_memory(t, err);
        t->cell = cell;
        t->row_capacity = capacity;
    }
    for (int c = 0; c < t->ncolumns; c++)
        t->cell[t->nrows * t->ncolumns + c] = NULL;
    t->line[t->nrows] = t->nrows + 2;
    t->nrows++;
    return SAB_OK;
}

static sab_status put(sab_table *t, int column, const char *text, sab_error *err)
{
    char **cell = &t->cell[(t->nrows - 1) * t->ncolumns + column];

    SAB_FREE(*cell);
    *cell = sab_strdup(text);
    return *cell != NULL ? SAB_OK : out_of_memory(t, err);
}

sab_status sab_table_set(sab_table *t, const char *column, const char *text, sab_error *err)
{
    const int c = sab_table_find(t, column);

    if (c < 0)
        return sab_fail(err, SAB_ERR_INTERNAL, "table '%s' has no column '%s'", t->name, column);
    return put(t, c, text, err);
}

sab_status sab_table_set_number(sab_table *t, const char *column, double value, sab_error *err)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", value);
    return sab_table_set(t, column, isfinite(value) ? text : "", err);
}

int sab_table_find(const sab_table *t, const char *column)
{
    for (int c = 0; c < t->ncolumns; c++)
        if (strcmp(t->column[c], column) == 0)
            return c;
    return -1;
}

sab_status sab_table_column(const sab_table *t, const char *column, const char *what, int *number,
                            sab_error *err)
{
    const char *close =
        sab_closest_name(column, (const char *const *)t->column, (size_t)t->ncolumns);
    sab_status status = SAB_OK;
    sab_text list = {0};

    *number = sab_table_find(t, column);
    if (*number >= 0)
        return SAB_OK;
    for (int c = 0; c < t->ncolumns && close == NULL; c++) { /* discharge of probes.discharge */
        const char *dot = strrchr(t->column[c], '.');

        if (dot != NULL && strcmp(dot + 1, column) == 0)
            close = t->column[c];
    }
    if (close != NULL)
        return sab_fail(err, SAB_ERR_INPUT, "%s:1: %s: there is no column '%s'; did you mean '%s'?",
                        t->name, what, column, close);
    for (int c = 0; c < t->ncolumns; c++)
        SAB_TRY(sab_text_add(&list, err, "%s%s", c > 0 ? ", " : "", t->column[c]));
    status = sab_fail(err, SAB_ERR_INPUT, "%s:1: %s: there is no column '%s', only %s", t->name,
                      what, column, list.data);
cleanup:
    sab_text_destroy(&list);
    return status;
}

const char *sab_table_cell(const sab_table *t, int row, int column)
{
    const char *text = t->cell[row * t->ncolumns + column];

    return text != NULL ? text : "";
}

sab_status sab_table_number(const sab_table *t, int row, int column, double *value, sab_error *err)
{
    static const char *const nothing[] = {"", "nan", "-nan", "NaN", "NAN", "null", "NA"};
    static const char *const infinite[] = {"inf", "Inf", "INF", "infinity"};
    const char *text = sab_table_cell(t, row, column);

    *value = NAN;
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++)
        if (strcmp(text, nothing[i]) == 0)
            return SAB_OK;
    for (size_t i = 0; i < sizeof infinite / sizeof infinite[0]; i++)
        if (strcmp(text + (text[0] == '-' || text[0] == '+'), infinite[i]) == 0) {
            *value = text[0] == '-' ? -(double)INFINITY : (double)INFINITY;
            return SAB_OK;
        }
    if (!sab_parse_number(text, value))
        return sab_fail(err, SAB_ERR_INPUT, "%s:%d: %s: '%s' is not a number", t->name,
                        t->line[row], t->column[column], text);
    return SAB_OK;
}

/* ---- files ---- */

static sab_status read_file(const char *path, char **text, sab_error *err)
{
    size_t length = 0;
    const sab_status status = sab_input_read(path, MAX_FILE, "a table", text, &length, err);

    if (status == SAB_OK && strlen(*text) != length)
        return sab_fail(err, SAB_ERR_INPUT, "%s: is not a text: it contains a zero byte", path);
    return status;
}

typedef struct scanner {
    const char *path;
    char *at;
    int line;
    bool more; /* another cell follows on the line */
    sab_error *err;
} scanner;

static bool ends_cell(char c)
{
    return c == ',' || c == '\n' || c == '\r' || c == '\0';
}

/* One cell, in place: *cell points to its text, zero-terminated, and the scanner behind it. */
static sab_status next_cell(scanner *s, char **cell)
{
    const int line = s->line;
    char *end, stop;

    s->at += strspn(s->at, " \t");
    if (*s->at == '"') {
        char *out = *cell = s->at + 1;

        for (char *c = out;; c++) {
            if (*c == '\0')
                return sab_fail(s->err, SAB_ERR_INPUT, "%s:%d: a quote is not closed", s->path,
                                line);
            if (*c == '"' && *++c != '"') {
                s->at = c;
                break;
            }
            s->line += *c == '\n';
            *out++ = *c;
        }
        end = out;
        s->at += strspn(s->at, " \t");
        if (!ends_cell(*s->at))
            return sab_fail(s->err, SAB_ERR_INPUT, "%s:%d: '%c' after a closed quote", s->path,
                            s->line, *s->at);
    } else {
        *cell = s->at;
        while (!ends_cell(*s->at))
            s->at++;
        for (end = s->at; end > *cell && (end[-1] == ' ' || end[-1] == '\t'); end--)
            ;
    }
    stop = *s->at;
    if (stop == '\r' && s->at[1] == '\n')
        stop = *++s->at;
    s->more = stop == ',';
    s->line += stop == '\n';
    s->at += stop != '\0';
    *end = '\0';
    return SAB_OK;
}

static sab_status read_header(scanner *s, sab_table *t)
{
    sab_status status = SAB_OK;
    sab_error *err = s->err;
    char *cell;

    do {
        SAB_TRY(next_cell(s, &cell));
        if (cell[0] == '\0')
            return sab_fail(err, SAB_ERR_INPUT, "%s:1: column %d has no name", s->path,
                            t->ncolumns + 1);
        if (t->ncolumns == MAX_COLUMNS)
            return sab_fail(err, SAB_ERR_INPUT, "%s:1: there are more than %d columns", s->path,
                            MAX_COLUMNS);
        if (sab_table_find(t, cell) >= 0)
            return sab_fail(err, SAB_ERR_INPUT, "%s:1: there are two columns '%s'", s->path, cell);
        SAB_TRY(sab_table_add_column(t, cell, err));
    } while (s->more);
cleanup:
    return status;
}

static sab_status read_row(scanner *s, sab_table *t)
{
    sab_status status = SAB_OK;
    sab_error *err = s->err;
    const int line = s->line;
    int n = 0;
    char *cell;

    SAB_TRY(sab_table_add_row(t, err));
    t->line[t->nrows - 1] = line;
    do {
        SAB_TRY(next_cell(s, &cell));
        if (n < t->ncolumns)
            SAB_TRY(put(t, n, cell, err));
        n++;
    } while (s->more);
    if (n != t->ncolumns)
        status = sab_fail(err, SAB_ERR_INPUT, "%s:%d: %d cells, but the header has %d", s->path,
                          line, n, t->ncolumns);
cleanup:
    return status;
}

sab_status sab_table_read(const char *path, sab_table **table, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *t = NULL;
    char *text = NULL;

    *table = NULL;
    SAB_TRY(sab_table_create(path, &t, err));
    SAB_TRY(read_file(path, &text, err));
    scanner s = {path, text, 1, false, err};
    if (strncmp(text, MARK, 3) == 0)
        s.at += 3;
    if (s.at[strspn(s.at, " \t\r\n")] == '\0') {
        status =
            sab_fail(err, SAB_ERR_INPUT, "%s: is empty; expected a header line with names", path);
        goto cleanup;
    }
    SAB_TRY(read_header(&s, t));
    while (*s.at != '\0') {
        const size_t blank = strspn(s.at, " \t\r");

        if (s.at[blank] == '\n' || s.at[blank] == '\0') {
            s.line++;
            s.at += blank + (s.at[blank] == '\n');
        } else {
            SAB_TRY(read_row(&s, t));
        }
    }
    *table = t;
    t = NULL;
cleanup:
    SAB_FREE(text);
    sab_table_destroy(&t);
    return status;
}

/* In quotes where it would read back as something else; `alone`: as a line, which must not be
 * blank.
 */
static void write_cell(FILE *stream, const char *text, bool alone)
{
    const size_t n = strlen(text);
    const bool edges =
        n > 0 && (strchr(" \t", text[0]) != NULL || /* or what the file begins with */
                  strchr(" \t", text[n - 1]) != NULL || strncmp(text, MARK, 3) == 0);

    if (strpbrk(text, ",\"\r\n") == NULL && !edges && !(alone && n == 0)) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (const char *c = text; *c != '\0'; c++)
        fprintf(stream, *c == '"' ? "\"%c" : "%c", *c);
    fputc('"', stream);
}

sab_status sab_table_write(const sab_table *t, const char *path, sab_error *err)
{
    sab_file file;
    const sab_status status = sab_file_open(path, &file, err);

    if (status != SAB_OK)
        return status;
    for (int row = -1; row < t->nrows; row++)
        for (int c = 0; c < t->ncolumns; c++) {
            if (c > 0)
                fputc(',', file.stream);
            write_cell(file.stream, row < 0 ? t->column[c] : sab_table_cell(t, row, c),
                       t->ncolumns == 1);
            if (c + 1 == t->ncolumns)
                fputc('\n', file.stream);
        }
    return sab_file_close(&file, err);
}

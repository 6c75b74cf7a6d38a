/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */
#include "run/converge.h"
#include "base/path.h"
#include "base/richardson.h"
#include "io/file.h"
#include "io/json.h"
#include "io/table.h"
#include "io/yaml_tree.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20 };

/* Typical error of a probe in parts of the gap (docs/theory.md, 7). */
static const double GAP_SHARE = 0.05, ROUNDING = 1e-9;

/* ---- the study ------------------------------------------------------------------------------- */

/* From coarse to fine, before anything runs: numbers, perhaps with units, that fall or rise. */
static sab_status check_sizes(const char *list, sab_error *err)
{
    double last = NAN;
    int turns[2] = {0, 0};

    for (const char *at = list; at != NULL;
         at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        char text[100], *end;

        snprintf(text, sizeof text, "%.*s", (int)strcspn(at, ","), at);
        sab_dimension dimension;
        const char *unknown;
        double value = strtod(text, &end);
        if (end == text ||
            (sab_quantity_is_one(text) &&
             !sab_quantity_parse(text, &value, &dimension, &unknown)) ||
            value <= 0.0)
            return sab_fail(err, SAB_ERR_USAGE, "--over: '%s' is no positive number", text);
        turns[0] += value >= last;
        turns[1] += value <= last;
        last = value;
    }
    return turns[0] > 0 && turns[1] > 0
               ? sab_fail(err, SAB_ERR_USAGE,
                          "--over: give the values from coarse to fine, all falling or all rising")
               : SAB_OK;
}

sab_status sab_converge_check(const char *over, sab_error *err)
{
    const char *equals = over != NULL ? strchr(over, '=') : NULL;
    int values = 1;

    if (equals == NULL || equals == over)
        return sab_fail(err, SAB_ERR_USAGE,
                        "converge: say what is refined: --over mesh.parameters.h=0.4,0.2,0.1");
    for (const char *c = equals; *c != '\0'; c++)
        values += *c == ',';
    if (values < 3 || values > MOST)
        return sab_fail(err, SAB_ERR_USAGE,
                        "--over: give three values at least (and %d at most), the coarsest first; "
                        "an order needs three",
                        MOST);
    return check_sizes(equals + 1, err);
}

/* An assignment "key=value" as a line of the study. */
static sab_status add_line(const char *assignment, bool list, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *equals = strchr(assignment, '=');
    char key[400];

    if (equals == NULL)
        return sab_fail(err, SAB_ERR_INPUT, "--set %s: give a key and a value", assignment);
    snprintf(key, sizeof key, "%.*s", (int)(equals - assignment), assignment);
    SAB_TRY(sab_text_add(text, err, "  "));
    SAB_TRY(sab_yaml_write_key(key, text, err));
    SAB_TRY(sab_text_add(text, err, list ? ": [%s]\n" : ": %s\n", equals + 1));
cleanup:
    return status;
}

sab_status sab_converge_write(const sab_case *c, const char *over, int noverrides,
                              const char *const *override, const char *path, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_text text = {0};
    char real[PATH_MAX];

    if (realpath(c->path, real) == NULL)
        SAB_FAIL(err, SAB_ERR_INPUT, "cannot find '%s'", c->path);
    SAB_TRY(sab_text_add(&text, err, "# made by sablier converge\ntitle: "));
    SAB_TRY(sab_yaml_write_scalar(c->title, true, &text, err));
    SAB_TRY(sab_text_add(&text, err, "\nbase: "));
    SAB_TRY(sab_yaml_write_scalar(real, true, &text, err));
    if (noverrides > 0)
        SAB_TRY(sab_text_add(&text, err, "\nset:"));
    SAB_TRY(sab_text_add(&text, err, "\n"));
    for (int i = 0; i < noverrides; i++)
        SAB_TRY(add_line(override[i], false, &text, err));
    SAB_TRY(sab_text_add(&text, err, "vary:\n"));
    SAB_TRY(add_line(over, true, &text, err));
    SAB_TRY(sab_file_write_text(path, text.data, err));
cleanup:
    sab_text_destroy(&text);
    return status;
}

/* ---- what came out --------------------------------------------------------------------------- */

typedef struct outcome {
    const sab_table *table;
    char key[400];
    int n;
    double h[MOST];
    bool inverse; /* finer values are larger: h is one over it */
    double gap;   /* of the solver, of the finest; 0 if the tolerance itself is refined */
} outcome;

static sab_status read_sizes(const sab_table *t, const char *over, outcome *o, sab_error *err)
{
    sab_status status = SAB_OK;
    int column, left;

    snprintf(o->key, sizeof o->key, "%.*s", (int)strcspn(over, "="), over);
    o->table = t;
    o->n = t->nrows;
    SAB_TRY(sab_table_column(t, o->key, "--over", &column, err));
    left = sab_table_find(t, "left_out");
    for (int i = 0; i < o->n; i++) {
        SAB_TRY(sab_table_number(t, i, column, &o->h[i], err));
        if (left >= 0 && sab_table_cell(t, i, left)[0] != '\0')
            SAB_FAIL(err, SAB_ERR_NUMERIC, "the run with %s = %s is not to be trusted (%s): no %s",
                     o->key, sab_table_cell(t, i, column), sab_table_cell(t, i, left),
                     "extrapolation");
    }
    o->inverse = o->h[1] > o->h[0];
    for (int i = 0; i < o->n && o->inverse; i++)
        o->h[i] = 1.0 / o->h[i];
    column = sab_table_find(t, "worst_gap");
    if (column < 0)
        column = sab_table_find(t, "solver.gap");
    if (column >= 0 && strcmp(o->key, "solver.tolerance") != 0)
        SAB_TRY(sab_table_number(t, o->n - 1, column, &o->gap, err));
    if (!isfinite(o->gap))
        o->gap = 0.0;
cleanup:
    return status;
}

/* Why no order is claimed. */
static const char *kind_text(const sab_richardson *r)
{
    static const char *const text[] = {
        [SAB_RICHARDSON_ORDER] = "",
        [SAB_RICHARDSON_SAME] = "no order: changes are within what the solver leaves",
        [SAB_RICHARDSON_SWINGS] = "no order: not monotone; error: the spread",
        [SAB_RICHARDSON_NOT_FALLING] = "no order: changes do not fall; error: the spread"};

    return r->kind == SAB_RICHARDSON_ORDER && fabs(r->before - r->order) > 0.5
               ? "the order changes: not yet in its range"
               : text[r->kind];
}

static void add_json(sab_json *json, const char *name, double finest, const sab_richardson *r)
{
    sab_json_begin_object(json, name);
    sab_json_number(json, "finest", finest);
    sab_json_number(json, "order", r->order);
    sab_json_number(json, "order_before", r->before);
    sab_json_number(json, "limit", r->limit);
    sab_json_number(json, "error", r->error);
    sab_json_string(json, "note", kind_text(r));
    sab_json_end_object(json);
}

/* One column of the table, if it is a probe with numbers. */
static sab_status show_column(const outcome *o, int column, const sab_teller *out, sab_json *json,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    const char *name = o->table->column[column] + strlen("probes.");
    double f[MOST];
    char order[20] = "-";

    for (int i = 0; i < o->n; i++) {
        SAB_TRY(sab_table_number(o->table, i, column, &f[i], err));
        if (!isfinite(f[i]))
            return SAB_OK;
    }
    const double finest = f[o->n - 1];
    const sab_richardson r =
        sab_richardson_fit(o->n, o->h, f, fabs(finest) * fmax(ROUNDING, GAP_SHARE * o->gap));
    if (!isnan(r.order))
        snprintf(order, sizeof order, "%.2f", r.order);
    sab_tell(out, "  %-20s %14.8g %6s %14.8g %10.2g %7.2g%%", name, finest, order, r.limit, r.error,
             finest != 0.0 ? 100.0 * r.error / fabs(finest) : 0.0);
    if (kind_text(&r)[0] != '\0')
        sab_tell(out, "  %-20s %s", "", kind_text(&r));
    add_json(json, name, finest, &r);
cleanup:
    return status;
}

static sab_status tell(const outcome *o, const char *directory, const sab_teller *out,
                       sab_error *err)
{
    sab_status status = SAB_OK;
    sab_json json = {0};
    char path[SAB_PATH];

    sab_tell(out, "converge       over %s%s, %d runs", o->key,
             o->inverse ? " (h is one over it)" : "", o->n);
    sab_tell(out, "  %-20s %14s %6s %14s %10s %8s", "probe", "finest", "order", "extrapolated",
             "error", "relative");
    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "over", o->key);
    sab_json_begin_object(&json, "probes");
    for (int c = 0; c < o->table->ncolumns; c++)
        if (strncmp(o->table->column[c], "probes.", strlen("probes.")) == 0)
            SAB_TRY(show_column(o, c, out, &json, err));
    sab_json_end_object(&json);
    sab_json_end_object(&json);
    SAB_TRY(sab_path_set(path, err, "%s/converge.json", directory));
    SAB_TRY(sab_json_save(&json, path, err));
    sab_tell(out, "result         %s", path);
cleanup:
    sab_json_destroy(&json);
    return status;
}

sab_status sab_converge_describe(const char *directory, const char *over, const sab_teller *out,
                                 sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table *table = NULL;
    outcome o = {0};
    char path[SAB_PATH];

    SAB_TRY(sab_path_set(path, err, "%s/results.csv", directory));
    SAB_TRY(sab_table_read(path, &table, err));
    SAB_TRY(read_sizes(table, over, &o, err));
    SAB_TRY(tell(&o, directory, out, err));
cleanup:
    sab_table_destroy(&table);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _XOPEN_SOURCE 700 /* realpath */
#include "run/calibrate.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/file.h"
#include "io/yaml_tree.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Typical error of a probe in parts of the gap (docs/theory.md, 7). */
static const double GAP_SHARE = 0.05;

/* ---- what is asked --------------------------------------------------------------------------- */

/* "KEY=LOW,HIGH" */
static sab_status read_bounds(sab_calibration *c, int j, sab_error *err)
{
    const char *text = c->options.vary[j], *equals = strchr(text, '=');
    sab_calibrate *p = &c->problem;
    char rest = '\0';

    if (equals == NULL || equals == text || (size_t)(equals - text) >= sizeof c->key[j] ||
        sscanf(equals + 1, "%lf,%lf%c", &p->low[j], &p->high[j], &rest) != 2)
        return sab_fail(err, SAB_ERR_USAGE,
                        "--vary %s: give a key and its bounds: --vary material.friction=0.2,0.7",
                        text);
    if (!(p->low[j] < p->high[j]) || !isfinite(p->low[j]) || !isfinite(p->high[j]))
        return sab_fail(err, SAB_ERR_USAGE, "--vary %s: the first bound must be below the second",
                        text);
    snprintf(c->key[j], sizeof c->key[j], "%.*s", (int)(equals - text), text);
    c->name[j] = c->key[j];
    for (int k = 0; k < j; k++)
        if (strcmp(c->key[j], c->key[k]) == 0)
            return sab_fail(err, SAB_ERR_USAGE, "--vary: %s is given twice", c->key[j]);
    return SAB_OK;
}

static sab_status read_options(sab_calibration *c, sab_error *err)
{
    sab_status status = SAB_OK;

    if (c->options.data == NULL)
        SAB_FAIL(err, SAB_ERR_USAGE, "calibrate: say what was measured: --data TABLE.csv");
    if (c->options.nvary < 1)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "calibrate: say what is sought: --vary material.friction=0.2,0.7");
    for (int j = 0; j < c->options.nvary; j++)
        SAB_TRY(read_bounds(c, j, err));
    if (!(c->options.step > 0.0) || c->options.step > 0.25)
        SAB_FAIL(err, SAB_ERR_USAGE, "--step: %g is not between 0 and 0.25", c->options.step);
    if (c->options.scale == 0.0 || !isfinite(c->options.scale))
        SAB_FAIL(err, SAB_ERR_USAGE, "--scale: it must not be %g", c->options.scale);
cleanup:
    return status;
}

/* A column of numbers, all of them there. */
static sab_status read_column(const sab_calibration *c, const char *name, const char *what,
                              double *value, sab_error *err)
{
    const sab_table *t = c->table;
    sab_status status = SAB_OK;
    int column;

    SAB_TRY(sab_table_column(t, name, what, &column, err));
    for (int i = 0; i < t->nrows; i++) {
        SAB_TRY(sab_table_number(t, i, column, &value[i], err));
        if (!isfinite(value[i]))
            SAB_FAIL(err, SAB_ERR_INPUT, "%s:%d: there is no number in column '%s'", t->name,
                     t->line[i], name);
    }
cleanup:
    return status;
}

static sab_status read_sigma(sab_calibration *c, sab_error *err)
{
    const char *name = c->options.sigma;
    sab_status status = SAB_OK;

    if (name == NULL && sab_table_find(c->table, "sigma") < 0)
        return SAB_OK;
    SAB_NEW(c->sigma, c->table->nrows);
    SAB_TRY(read_column(c, name != NULL ? name : "sigma", "--sigma", c->sigma, err));
    for (int i = 0; i < c->table->nrows; i++)
        if (!(c->sigma[i] > 0.0))
            SAB_FAIL(err, SAB_ERR_INPUT, "%s:%d: sigma is %g, it must be positive", c->table->name,
                     c->table->line[i], c->sigma[i]);
cleanup:
    return status;
}

/* The different values of a key: one run each, however often it was measured there. */
static void find_values(sab_calibration *c)
{
    for (int i = 0; i < c->problem.n; i++) {
        int k = 0;

        while (k < c->nvalues && c->x[c->first[k]] != c->x[i])
            k++;
        if (k == c->nvalues)
            c->first[c->nvalues++] = i;
        c->value[i] = k;
    }
}

static sab_status read_table(sab_calibration *c, sab_error *err)
{
    const sab_calibration_options *o = &c->options;
    sab_status status = SAB_OK;

    SAB_TRY(sab_table_read(o->data, &c->table, err));
    if (c->table->ncolumns < 2 || c->table->nrows < 1)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "%s: a table of measurements has two columns and a row at "
                 "least: what was set, and what was measured",
                 o->data);
    c->x_name = o->x != NULL ? o->x : c->table->column[0];
    c->y_name = o->y != NULL ? o->y : c->table->column[1];
    c->kind = o->profile != NULL               ? SAB_CALIBRATE_PROFILE
              : strcmp(c->x_name, "time") == 0 ? SAB_CALIBRATE_TIME
                                               : SAB_CALIBRATE_KEY;
    c->problem.n = c->table->nrows;
    SAB_NEW(c->x, c->problem.n);
    SAB_NEW(c->y, c->problem.n);
    SAB_NEW(c->fitted, c->problem.n);
    SAB_NEW(c->noise, c->problem.n);
    SAB_NEW(c->value, c->problem.n);
    SAB_NEW(c->first, c->problem.n);
    SAB_TRY(read_column(c, c->x_name, "--x", c->x, err));
    SAB_TRY(read_column(c, c->y_name, "--y", c->y, err));
    SAB_TRY(read_sigma(c, err));
    if (c->kind == SAB_CALIBRATE_KEY)
        find_values(c);
cleanup:
    return status;
}

/* The column of a probe without `probes.`. */
static const char *probe_of(const sab_calibration *c)
{
    static const char probes[] = "probes.";
    const size_t n = strlen(probes);

    return strncmp(c->y_name, probes, n) == 0 ? c->y_name + n : c->y_name;
}

/* Does the case have the probe that was measured, before anything runs? Of vectors and of units a
 * column has more than the name. */
static sab_status check_probe(const sab_calibration *c, const sab_case *read, sab_error *err)
{
    const bool profile = c->kind == SAB_CALIBRATE_PROFILE;
    const char *name = profile ? c->options.profile : probe_of(c);
    sab_status status = SAB_OK;
    sab_text known = {0};

    if (c->kind == SAB_CALIBRATE_KEY && name == c->y_name)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "--y: '%s' is no column of results; a probe is called probes.NAME", c->y_name);
    for (int i = 0; i < read->nprobes; i++) {
        const size_t n = strlen(read->probe[i].name);

        if (strncmp(name, read->probe[i].name, n) == 0 &&
            (name[n] == '\0' || (!profile && (name[n] == '_' || name[n] == ' '))))
            goto cleanup;
        SAB_TRY(sab_text_add(&known, err, "%s%s", i > 0 ? ", " : "", read->probe[i].name));
    }
    status = sab_fail(err, SAB_ERR_USAGE, "%s: the case has no probe '%s'%s%s",
                      profile ? "--profile" : "--y", name, known.length > 0 ? "; there are " : "",
                      known.length > 0 ? known.data : "");
cleanup:
    sab_text_destroy(&known);
    return status;
}

/* The case with the keys in the middle of their bounds: a key that is not there is found here. */
static sab_status read_case(sab_calibration *c, const char *target, sab_error *err)
{
    const char *override[70];
    char text[SAB_CALIBRATE_MOST + 1][300], real[PATH_MAX];
    int n = 0;
    sab_case *read = NULL;
    sab_status status = SAB_OK;

    for (; n < c->options.noverrides && n < 64; n++)
        override[n] = c->options.override[n];
    for (int j = 0; j < c->options.nvary; j++, n++) {
        snprintf(text[j], sizeof text[j], "%s=%.6g", c->key[j],
                 0.5 * (c->problem.low[j] + c->problem.high[j]));
        override[n] = text[j];
    }
    if (c->kind == SAB_CALIBRATE_KEY) {
        snprintf(text[SAB_CALIBRATE_MOST], sizeof text[0], "%s=%.17g", c->x_name, c->x[0]);
        override[n++] = text[SAB_CALIBRATE_MOST];
    }
    SAB_TRY(sab_case_read(target, n, override, &read, err));
    SAB_TRY(check_probe(c, read, err));
    if (c->kind == SAB_CALIBRATE_TIME && read->time.scheme == SAB_CREEPING)
        SAB_FAIL(err, SAB_ERR_USAGE, "--x time: a creeping flow has no history");
    if (realpath(read->path, real) == NULL)
        SAB_FAIL(err, SAB_ERR_INPUT, "cannot find '%s'", read->path);
    SAB_TRY(sab_path_set(c->case_path, err, "%s", real));
    snprintf(c->title, sizeof c->title, "%s", read->title);
    snprintf(c->case_name, sizeof c->case_name, "%s", read->name);
cleanup:
    sab_case_destroy(&read);
    return status;
}

sab_status sab_calibration_open(const char *target, const sab_calibration_options *options,
                                sab_calibration *c, sab_error *err)
{
    sab_status status = SAB_OK;

    *c = (sab_calibration){.options = *options};
    c->problem.np = options->nvary;
    c->problem.name = c->name;
    c->problem.step = options->step;
    SAB_TRY(read_options(c, err));
    SAB_TRY(read_table(c, err));
    SAB_TRY(read_case(c, target, err));
    c->problem.y = c->y;
    c->problem.sigma = c->sigma;
cleanup:
    return status;
}

void sab_calibration_close(sab_calibration *c)
{
    sab_table_destroy(&c->table);
    SAB_FREE(c->x);
    SAB_FREE(c->y);
    SAB_FREE(c->sigma);
    SAB_FREE(c->fitted);
    SAB_FREE(c->noise);
    SAB_FREE(c->value);
    SAB_FREE(c->first);
}

/* ---- the runs -------------------------------------------------------------------------------- */

static sab_status add_key(const char *key, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_text_add(text, err, "  "));
    SAB_TRY(sab_yaml_write_key(key, text, err));
    SAB_TRY(sab_text_add(text, err, ": "));
cleanup:
    return status;
}

static sab_status add_overrides(const sab_calibration *c, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    if (c->options.noverrides > 0)
        SAB_TRY(sab_text_add(text, err, "set:\n"));
    for (int i = 0; i < c->options.noverrides; i++) {
        const char *equals = strchr(c->options.override[i], '=');
        char key[400];

        snprintf(key, sizeof key, "%.*s", (int)(equals - c->options.override[i]),
                 c->options.override[i]);
        SAB_TRY(add_key(key, text, err));
        SAB_TRY(sab_text_add(text, err, "%s\n", equals + 1));
    }
cleanup:
    return status;
}

sab_status sab_calibration_write(const sab_calibration *c, int m, const double *p, const char *path,
                                 sab_error *err)
{
    const int np = c->problem.np;
    sab_status status = SAB_OK;
    sab_text text = {0};

    SAB_TRY(sab_text_add(&text, err, "# made by sablier calibrate\ntitle: "));
    SAB_TRY(sab_yaml_write_scalar(c->title, true, &text, err));
    SAB_TRY(sab_text_add(&text, err, "\nbase: "));
    SAB_TRY(sab_yaml_write_scalar(c->case_path, true, &text, err));
    SAB_TRY(sab_text_add(&text, err, "\n"));
    SAB_TRY(add_overrides(c, &text, err));
    SAB_TRY(sab_text_add(&text, err, "zip:\n"));
    for (int j = 0; j < np; j++) {
        SAB_TRY(add_key(c->key[j], &text, err));
        for (int k = 0; k < m; k++)
            SAB_TRY(sab_text_add(&text, err, "%s%.6g", k == 0 ? "[" : ", ", p[np * k + j]));
        SAB_TRY(sab_text_add(&text, err, "]\n"));
    }
    if (c->kind == SAB_CALIBRATE_KEY) {
        SAB_TRY(sab_text_add(&text, err, "vary:\n"));
        SAB_TRY(add_key(c->x_name, &text, err));
        for (int k = 0; k < c->nvalues; k++)
            SAB_TRY(sab_text_add(&text, err, "%s%.12g", k == 0 ? "[" : ", ", c->x[c->first[k]]));
        SAB_TRY(sab_text_add(&text, err, "]\n"));
    }
    SAB_TRY(sab_file_write_text(path, text.data, err));
cleanup:
    sab_text_destroy(&text);
    return status;
}

/* What the solver leaves open of a value. */
static double open_of(const sab_table *t, int row)
{
    int column = sab_table_find(t, "worst_gap");
    double gap = 0.0;

    if (column < 0 || sab_table_cell(t, row, column)[0] == '\0')
        column = sab_table_find(t, "solver.gap");
    if (column < 0 || sab_table_number(t, row, column, &gap, NULL) != SAB_OK || !isfinite(gap))
        return 0.0;
    return GAP_SHARE * gap;
}

/* Value and deviation of a probe, from the table of all runs. */
static sab_status take_row(const sab_calibration *c, const sab_table *t, int row, double *f,
                           double *noise, sab_error *err)
{
    sab_status status = SAB_OK;
    char name[300];
    int column;

    snprintf(name, sizeof name, "deviations.%s", probe_of(c));
    SAB_TRY(sab_table_column(t, c->y_name, "--y", &column, err));
    SAB_TRY(sab_table_number(t, row, column, f, err));
    column = sab_table_find(t, name);
    *noise = 0.0;
    if (column >= 0)
        SAB_TRY(sab_table_number(t, row, column, noise, err));
    if (!isfinite(*noise))
        *noise = 0.0;
cleanup:
    return status;
}

/* The value at x of column y over column x of a table, between its rows; 0 for the noise if there
 * is no such column. */
static sab_status between_rows(const sab_calibration *c, const sab_table *t, int x, int y,
                               int noise_column, int i, double *f, double *noise, sab_error *err)
{
    double a, b, low = INFINITY, high = -INFINITY, u, v;

    *noise = 0.0;
    for (int row = 0; row + 1 < t->nrows; row++) {
        if (sab_table_number(t, row, x, &a, err) != SAB_OK ||
            sab_table_number(t, row + 1, x, &b, err) != SAB_OK)
            return SAB_ERR_INPUT;
        low = fmin(low, fmin(a, b));
        high = fmax(high, fmax(a, b));
        const double s = (c->x[i] - a) / (b - a);
        if (!(s >= -1e-9 && s <= 1.0 + 1e-9))
            continue;
        if (sab_table_number(t, row, y, &u, err) != SAB_OK ||
            sab_table_number(t, row + 1, y, &v, err) != SAB_OK)
            return SAB_ERR_INPUT;
        *f = u + s * (v - u);
        if (noise_column >= 0 && sab_table_number(t, row, noise_column, noise, err) != SAB_OK)
            return SAB_ERR_INPUT;
        return SAB_OK;
    }
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s:%d: %s = %g is not between %g and %g, what the runs have%s", c->table->name,
                    c->table->line[i], c->x_name, c->x[i], low, high,
                    c->kind == SAB_CALIBRATE_TIME ? "; a run that becomes steady ends: set "
                                                    "time.steady to 0"
                                                  : "");
}

/* All measurements from one run: its history, or a profile. */
static sab_status take_run(const sab_calibration *c, const char *directory, const char *point,
                           double *f, double *noise, sab_error *err)
{
    sab_status status = SAB_OK;
    const bool time = c->kind == SAB_CALIBRATE_TIME;
    const char *y = time ? probe_of(c) : c->y_name;
    char path[SAB_PATH], deviation[300];
    sab_table *t = NULL;
    int column_x, column_y;

    if (time)
        SAB_TRY(sab_path_set(path, err, "%s/points/%s/history.csv", directory, point));
    else
        SAB_TRY(sab_path_set(path, err, "%s/points/%s/profiles/%s.csv", directory, point,
                             c->options.profile));
    SAB_TRY(sab_table_read(path, &t, err));
    SAB_TRY(sab_table_column(t, c->x_name, "--x", &column_x, err));
    SAB_TRY(sab_table_column(t, y, "--y", &column_y, err));
    snprintf(deviation, sizeof deviation, "%s_deviation", y);
    const int spread = time ? -1 : sab_table_find(t, deviation);
    for (int i = 0; i < c->problem.n; i++)
        SAB_TRY(between_rows(c, t, column_x, column_y, spread, i, &f[i], &noise[i], err));
cleanup:
    sab_table_destroy(&t);
    return status;
}

static sab_status check_row(const sab_table *t, int row, sab_error *err)
{
    const int left = sab_table_find(t, "left_out"), point = sab_table_find(t, "point");

    return left >= 0 && sab_table_cell(t, row, left)[0] != '\0'
               ? sab_fail(err, SAB_ERR_NUMERIC,
                          "the run '%s' is not to be trusted (%s): nothing "
                          "can be learnt from it",
                          sab_table_cell(t, row, point), sab_table_cell(t, row, left))
               : SAB_OK;
}

/* Set k: a run for each value of the key, or one. */
static sab_status take_set(const sab_calibration *c, const sab_table *t, int k,
                           const char *directory, double *f, double *noise, sab_error *err)
{
    sab_status status = SAB_OK;

    if (c->kind != SAB_CALIBRATE_KEY) {
        SAB_TRY(check_row(t, k, err));
        SAB_TRY(take_run(c, directory, sab_table_cell(t, k, sab_table_find(t, "point")), f, noise,
                         err));
    }
    for (int i = 0; i < c->problem.n; i++) {
        const int row = c->kind == SAB_CALIBRATE_KEY ? k * c->nvalues + c->value[i] : k;

        if (c->kind == SAB_CALIBRATE_KEY) {
            SAB_TRY(check_row(t, row, err));
            SAB_TRY(take_row(c, t, row, &f[i], &noise[i], err));
        }
        noise[i] = fmax(noise[i], open_of(t, row) * fabs(f[i])) * fabs(c->options.scale);
        f[i] *= c->options.scale;
    }
cleanup:
    return status;
}

sab_status sab_calibration_read(const sab_calibration *c, int m, const char *directory, double *f,
                                double *noise, sab_error *err)
{
    const int n = c->problem.n, rows = m * (c->kind == SAB_CALIBRATE_KEY ? c->nvalues : 1);
    sab_status status = SAB_OK;
    sab_table *t = NULL;
    char path[SAB_PATH];

    SAB_TRY(sab_path_set(path, err, "%s/results.csv", directory));
    SAB_TRY(sab_table_read(path, &t, err));
    if (t->nrows != rows)
        SAB_FAIL(err, SAB_ERR_INPUT, "%s has %d rows, not %d", path, t->nrows, rows);
    for (int k = 0; k < m; k++)
        SAB_TRY(take_set(c, t, k, directory, f + n * k, noise + n * k, err));
cleanup:
    sab_table_destroy(&t);
    return status;
}

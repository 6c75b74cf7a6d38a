/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/table_fit.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/geometry.h"
#include "io/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct columns {
    int x, y, sigma, mark, group[SAB_FIT_GROUPS]; /* sigma, mark, geometry: -1 if there is none */
    int geometry;
} columns;

static sab_status find_columns(const sab_table *t, const sab_fit_request *r, columns *c,
                               sab_error *err)
{
    sab_status status = SAB_OK;

    c->sigma = -1;
    c->mark = r->all ? -1 : sab_table_find(t, SAB_LEFT_OUT);
    c->geometry =
        r->law == SAB_FIT_BEVERLOO && r->dimension == 0 ? sab_table_find(t, "geometry") : -1;
    SAB_TRY(sab_table_column(t, r->x, "x", &c->x, err));
    SAB_TRY(sab_table_column(t, r->y, "y", &c->y, err));
    if (r->sigma != NULL)
        SAB_TRY(sab_table_column(t, r->sigma, "sigma", &c->sigma, err));
    for (int i = 0; i < r->ngroups; i++)
        SAB_TRY(sab_table_column(t, r->group[i], "group", &c->group[i], err));
cleanup:
    return status;
}

static bool same_group(const sab_table *t, const columns *c, int ngroups, int a, int b)
{
    for (int i = 0; i < ngroups; i++)
        if (strcmp(sab_table_cell(t, a, c->group[i]), sab_table_cell(t, b, c->group[i])) != 0)
            return false;
    return true;
}

/* Leave a row out, with the reason. */
static void leave_out(sab_fit_group *g, int row, double x, double y, const char *format, ...)
    SAB_PRINTF(5, 6);

static void leave_out(sab_fit_group *g, int row, double x, double y, const char *format, ...)
{
    sab_fit_left *left = &g->left[g->left_out++];
    va_list args;

    *left = (sab_fit_left){.row = row, .x = x, .y = y};
    va_start(args, format);
    vsnprintf(left->reason, sizeof left->reason, format, args);
    va_end(args);
}

/* A row of the group becomes a point, or is left out. */
static sab_status take_row(const sab_table *t, const sab_fit_request *r, const columns *c, int row,
                           sab_fit_group *g, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *mark = c->mark >= 0 ? sab_table_cell(t, row, c->mark) : "";
    double x, y, sigma = NAN;

    SAB_TRY(sab_table_number(t, row, c->x, &x, err));
    SAB_TRY(sab_table_number(t, row, c->y, &y, err));
    y *= r->scale;
    if (mark[0] != '\0') {
        leave_out(g, row, x, y, "%.90s", mark);
        return SAB_OK;
    }
    if (!isfinite(x) || !isfinite(y)) {
        const char *name = isfinite(x) ? "y" : "x";

        leave_out(g, row, x, y, isnan(isfinite(x) ? y : x) ? "no %s" : "%s is infinite", name);
        return SAB_OK;
    }
    if (r->free == NULL && fmin(x, y) <= 0.0) { /* laws with a name are of positive numbers */
        leave_out(g, row, x, y, "%s = %.3g", x <= 0.0 ? "x" : "y", x <= 0.0 ? x : y);
        return SAB_OK;
    }
    if (c->sigma >= 0)
        SAB_TRY(sab_table_number(t, row, c->sigma, &sigma, err));
    if (sigma < 0.0)
        return sab_fail(err, SAB_ERR_INPUT, "%s:%d: %s: a standard deviation of %g is negative",
                        t->name, t->line[row], t->column[c->sigma], sigma);
    g->x[g->n] = x;
    g->y[g->n] = y;
    g->sigma[g->n] = fabs(r->scale) * sigma;
    g->without_sigma += c->sigma >= 0 && !isfinite(sigma);
    g->point[g->n++] = row;
cleanup:
    return status;
}

/* Those that are far off the law of the others go (base/fit.h). */
static sab_status leave_outliers(const sab_fit_request *r, sab_fit_group *g, sab_error *err)
{
    sab_status status = SAB_OK;
    const int all = g->n;

    if (r->all || r->free != NULL) /* outliers are sought against a law with a name */
        return SAB_OK;
    SAB_TRY(sab_fit_outliers(&g->model, all, g->x, g->y, g->fitted, err));
    g->n = 0;
    for (int i = 0; i < all; i++)
        if (!isnan(g->fitted[i])) {
            leave_out(g, g->point[i], g->x[i], g->y[i],
                      "outlier: y = %.3g, where the others expect %.3g", g->y[i], g->fitted[i]);
            g->outliers++;
        } else {
            g->x[g->n] = g->x[i];
            g->y[g->n] = g->y[i];
            g->sigma[g->n] = g->sigma[i];
            g->point[g->n++] = g->point[i];
        }
cleanup:
    return status;
}

/* The exponent of a group is that of the geometry of its rows; one that has failed may have none.
 */
static sab_status find_dimension(const sab_table *t, const sab_fit_request *r, const columns *c,
                                 sab_fit_group *g, sab_error *err)
{
    g->model = (sab_fit_model){r->law, r->grain, r->dimension != 0 ? r->dimension : 2};
    for (int row = g->row; c->geometry >= 0 && row < t->nrows; row++) {
        const char *name = sab_table_cell(t, row, c->geometry);
        const sab_geometry *geometry = sab_geometry_find(name);

        if (name[0] == '\0' || !same_group(t, c, r->ngroups, g->row, row))
            continue;
        if (geometry == NULL)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s:%d: geometry: '%s' is none of plane, axisymmetric, space", t->name,
                            t->line[row], name);
        if (g->geometry != NULL && geometry->d != g->model.dimension)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s:%d: geometry: %s, and %s above: one law of Beverloo has one "
                            "exponent; make groups of them, or give the dimension",
                            t->name, t->line[row], name, g->geometry);
        g->geometry = name;
        g->model.dimension = geometry->d;
    }
    return SAB_OK;
}

static sab_status fill_group(const sab_table *t, const sab_fit_request *r, const columns *c,
                             sab_fit_group *g, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(find_dimension(t, r, c, g, err));
    SAB_NEW(g->x, t->nrows);
    SAB_NEW(g->y, t->nrows);
    SAB_NEW(g->sigma, t->nrows);
    SAB_NEW(g->fitted, t->nrows);
    SAB_NEW(g->point, t->nrows);
    SAB_NEW(g->left, t->nrows);
    for (int row = g->row; row < t->nrows; row++)
        if (same_group(t, c, r->ngroups, g->row, row))
            SAB_TRY(take_row(t, r, c, row, g, err));
    SAB_TRY(leave_outliers(r, g, err));
    if (c->sigma < 0 || g->without_sigma > 0)
        SAB_FREE(g->sigma);
cleanup:
    return status;
}

static sab_status fit_free(const sab_free_law *law, sab_fit_group *g, sab_error *err)
{
    sab_status status = SAB_OK;
    double *weight = NULL;

    g->fit = (sab_fit){.n = g->n, .suspect = -1};
    SAB_NEW(weight, g->n);
    g->fit.sigma_floor = sab_fit_weigh(g->n, g->x, g->sigma, weight);
    g->fit.weighted = g->fit.sigma_floor > 0.0;
    SAB_TRY(
        sab_least_squares_solve(&law->problem, g->n, g->x, g->y, weight, g->fitted, &g->free, err));
cleanup:
    SAB_FREE(weight);
    return status;
}

sab_status sab_table_fit_create(const sab_table *t, const sab_fit_request *r, sab_table_fit **fit,
                                sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table_fit *f = NULL;
    columns c;

    *fit = NULL;
    SAB_TRY(find_columns(t, r, &c, err));
    SAB_NEW(f, 1);
    f->table = t;
    f->request = r;
    SAB_NEW(f->group, t->nrows);
    for (int row = 0; row < t->nrows; row++) {
        bool known = false;

        for (int i = 0; i < f->n && !known; i++)
            known = same_group(t, &c, r->ngroups, f->group[i].row, row);
        if (known)
            continue;
        sab_fit_group *g = &f->group[f->n++];
        g->row = row;
        SAB_TRY(fill_group(t, r, &c, g, err));
        g->failure.status = r->free != NULL ? fit_free(r->free, g, &g->failure)
                                            : sab_fit_points(&g->model, g->n, g->x, g->y, g->sigma,
                                                             g->fitted, &g->fit, &g->failure);
        if (g->failure.status == SAB_ERR_MEMORY)
            SAB_TRY(sab_fail(err, SAB_ERR_MEMORY, "%s", g->failure.message));
    }
    *fit = f;
    f = NULL;
cleanup:
    sab_table_fit_destroy(&f);
    return status;
}

void sab_table_fit_destroy(sab_table_fit **fit)
{
    sab_table_fit *f = *fit;

    if (f == NULL)
        return;
    for (int i = 0; f->group != NULL && i < f->n; i++) {
        SAB_FREE(f->group[i].x);
        SAB_FREE(f->group[i].y);
        SAB_FREE(f->group[i].sigma);
        SAB_FREE(f->group[i].fitted);
        SAB_FREE(f->group[i].point);
        SAB_FREE(f->group[i].left);
    }
    SAB_FREE(f->group);
    SAB_FREE(*fit);
}

const char *sab_table_fit_formula(const sab_table_fit *f, char *buffer, size_t size)
{
    bool same = true;

    for (int i = 1; i < f->n; i++)
        same = same && f->group[i].model.dimension == f->group[0].model.dimension;
    if (f->request->free != NULL)
        snprintf(buffer, size, "y = %s", f->request->free->text);
    else if (f->request->law != SAB_FIT_BEVERLOO)
        snprintf(buffer, size, "y = a x^exponent");
    else if (same && f->n > 0)
        snprintf(buffer, size, "y = C (x - k grain)^%g", sab_fit_power(&f->group[0].model));
    else
        snprintf(buffer, size, "y = C (x - k grain)^(d - 1/2)");
    return buffer;
}

/* What the group has in the column number i of the request. */
static const char *group_value(const sab_table_fit *f, int group, int i)
{
    const int column = sab_table_find(f->table, f->request->group[i]);

    return sab_table_cell(f->table, f->group[group].row, column);
}

const char *sab_table_fit_label(const sab_table_fit *f, int group, char *buffer, size_t size)
{
    size_t used = 0;

    buffer[0] = '\0';
    for (int i = 0; i < f->request->ngroups && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s = %s", i > 0 ? ", " : "",
                                 f->request->group[i], group_value(f, group, i));
    return buffer;
}

/* "D = 3", or where it stands if there is none. */
static void name_row(const sab_table_fit *f, int row, char *buffer, size_t size)
{
    const char *dot = strrchr(f->request->x, '.');
    const char *x = sab_table_cell(f->table, row, sab_table_find(f->table, f->request->x));

    if (x[0] != '\0')
        snprintf(buffer, size, "%.40s = %.40s", dot != NULL ? dot + 1 : f->request->x, x);
    else
        snprintf(buffer, size, "line %d", f->table->line[row]);
}

const char *sab_table_fit_left(const sab_table_fit *f, int group, char *buffer, size_t size)
{
    enum { NAMED = 6 };
    const sab_fit_group *g = &f->group[group];
    char name[100];
    size_t used = 0;

    buffer[0] = '\0';
    if (g->left_out > 0)
        used = (size_t)snprintf(buffer, size, "%d of %d points left out: ", g->left_out,
                                g->n + g->left_out);
    for (int i = 0; i < g->left_out && i < NAMED && used < size; i++) {
        name_row(f, g->left[i].row, name, sizeof name);
        used += (size_t)snprintf(buffer + used, size - used, "%s%s (%s)", i > 0 ? ", " : "", name,
                                 g->left[i].reason);
    }
    if (g->left_out > NAMED && used < size)
        snprintf(buffer + used, size - used, ", and %d more", g->left_out - NAMED);
    return buffer;
}

/* Points of the fit at which it is off by more than half. */
static int far_points(const sab_fit_group *g)
{
    int n = 0;

    for (int i = 0; g->failure.status == SAB_OK && i < g->n; i++)
        n += !(fabs(g->y[i] - g->fitted[i]) <= 0.5 * g->y[i]);
    return n;
}

bool sab_table_fit_sound(const sab_table_fit *f, int group)
{
    const sab_fit_group *g = &f->group[group];

    if (g->failure.status != SAB_OK)
        return false;
    return f->request->free != NULL ? sab_free_law_sound(f->request->free, &g->free)
                                    : g->outliers == 0 && 2 * far_points(g) < g->n;
}

const char *sab_table_fit_note(const sab_table_fit *f, int group, int i, char *buffer, size_t size)
{
    const sab_fit_group *g = &f->group[group];
    const bool fitted = g->failure.status == SAB_OK;
    const int s = g->fit.suspect;
    char name[100];
    int k = 0;

    buffer[0] = '\0';
    if (g->without_sigma > 0 && k++ == i)
        snprintf(buffer, size, "equal weights, because %d of its points %s no %s", g->without_sigma,
                 g->without_sigma == 1 ? "has" : "have", f->request->sigma);
    if (g->sigma != NULL && fitted && !g->fit.weighted && k++ == i)
        snprintf(buffer, size, "equal weights, because half of the values of %s or more are 0",
                 f->request->sigma);
    if (!fitted || i < k) /* said above */
        return buffer;
    if (f->request->free != NULL)
        return sab_free_law_note(f->request->free, &g->free, i - k, buffer, size);
    if (s >= 0 && k++ == i) {
        name_row(f, g->point[s], name, sizeof name);
        snprintf(buffer, size,
                 "%s is suspect: y = %.4g is %.1f standard deviations from the law of the others; "
                 "it is in the fit",
                 name, g->y[s], g->fit.suspect_residual);
    }
    if (2 * far_points(g) >= g->n && k++ == i)
        snprintf(buffer, size,
                 "these points do not follow the law: it is off by more than half at %d of %d",
                 far_points(g), g->n);
    return buffer;
}

static void write_left(sab_json *json, const sab_table_fit *f, int group)
{
    const sab_fit_group *g = &f->group[group];
    char text[300];

    sab_json_begin_array(json, "left_out_points");
    for (int i = 0; i < g->left_out; i++) {
        sab_json_begin_object(json, NULL);
        sab_json_integer(json, "line", f->table->line[g->left[i].row]);
        sab_json_number(json, "x", g->left[i].x);
        sab_json_number(json, "y", g->left[i].y);
        sab_json_string(json, "reason", g->left[i].reason);
        sab_json_end_object(json);
    }
    sab_json_end_array(json);
    sab_json_begin_array(json, "notes");
    for (int i = 0; sab_table_fit_note(f, group, i, text, sizeof text)[0] != '\0'; i++)
        sab_json_string(json, NULL, text);
    sab_json_end_array(json);
}

static void write_estimate(sab_json *json, const char *key, sab_estimate e)
{
    sab_json_begin_object(json, key);
    sab_json_number(json, "value", e.value);
    sab_json_number(json, "low", e.low);
    sab_json_number(json, "high", e.high);
    sab_json_end_object(json);
}

static void write_free(sab_json *json, const sab_free_law *law, const sab_least_squares_fit *fit)
{
    sab_json_begin_object(json, "parameters");
    for (int j = 0; j < law->problem.np; j++) {
        const sab_estimate *e = &fit->parameter[j], *b = &fit->bootstrap[j];

        sab_json_begin_object(json, law->problem.name[j]);
        sab_json_number(json, "value", e->value);
        sab_json_number(json, "low", e->low);
        sab_json_number(json, "high", e->high);
        if (law->problem.bootstrap > 0) {
            sab_json_number(json, "bootstrap_low", b->low);
            sab_json_number(json, "bootstrap_high", b->high);
        }
        sab_json_end_object(json);
    }
    sab_json_end_object(json);
    sab_json_number(json, "rms", fit->rms);
    sab_json_number(json, "unexplained", fit->unexplained);
    sab_json_integer(json, "starts", fit->starts);
    sab_json_integer(json, "starts_agree", fit->agree);
}

static void write_named(sab_json *json, const sab_fit_group *g, bool beverloo)
{
    write_estimate(json, beverloo ? "C" : "a", g->fit.factor);
    if (beverloo) {
        write_estimate(json, "k", g->fit.k);
        sab_json_number(json, "exponent_law", sab_fit_power(&g->model));
    }
    write_estimate(json, "exponent", g->fit.exponent);
    if (beverloo)
        write_estimate(json, "exponent_reduced", g->fit.reduced);
    sab_json_number(json, "rms_relative", g->fit.rms);
    sab_json_integer(json, "iterations", g->fit.iterations);
}

static void write_group(sab_json *json, const sab_table_fit *f, int group)
{
    const sab_fit_group *g = &f->group[group];

    sab_json_begin_object(json, NULL);
    sab_json_begin_object(json, "group");
    for (int i = 0; i < f->request->ngroups; i++) {
        const char *text = group_value(f, group, i);
        double number;

        if (sab_parse_number(text, &number))
            sab_json_number(json, f->request->group[i], number);
        else
            sab_json_string(json, f->request->group[i], text);
    }
    sab_json_end_object(json);
    sab_json_integer(json, "points", g->n);
    sab_json_integer(json, "left_out", g->left_out);
    write_left(json, f, group);
    if (g->failure.status != SAB_OK) {
        sab_json_string(json, "failure", g->failure.message);
    } else {
        sab_json_bool(json, "weighted", g->fit.weighted);
        if (g->fit.weighted)
            sab_json_number(json, "sigma_floor", g->fit.sigma_floor);
        if (f->request->free != NULL)
            write_free(json, f->request->free, &g->free);
        else
            write_named(json, g, f->request->law == SAB_FIT_BEVERLOO);
    }
    sab_json_end_object(json);
}

static sab_status save_json(const sab_table_fit *f, const char *path, sab_error *err)
{
    const sab_fit_request *r = f->request;
    sab_json json = {0};
    char formula[1000];

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "law", r->free != NULL ? "formula" : sab_fit_law_name[r->law]);
    sab_json_string(&json, "formula", sab_table_fit_formula(f, formula, sizeof formula));
    sab_json_string(&json, "table", f->table->name);
    sab_json_string(&json, "x", r->x);
    sab_json_string(&json, "y", r->y);
    if (r->sigma != NULL)
        sab_json_string(&json, "sigma", r->sigma);
    sab_json_number(&json, "scale", r->scale);
    if (r->law == SAB_FIT_BEVERLOO)
        sab_json_number(&json, "grain", r->grain);
    sab_json_number(&json, "confidence", SAB_CONFIDENCE);
    if (r->free != NULL && r->free->problem.bootstrap > 0)
        sab_json_integer(&json, "bootstrap", r->free->problem.bootstrap);
    sab_json_begin_array(&json, "fits");
    for (int i = 0; i < f->n; i++)
        write_group(&json, f, i);
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

/* The columns of the groups, then x, y (scaled), sigma, fitted and relative residual. */
static sab_status save_points(const sab_table_fit *f, const char *path, sab_error *err)
{
    static const char *const name[] = {"x", "y", "sigma", "fitted", "residual"};
    const sab_fit_request *r = f->request;
    sab_status status = SAB_OK;
    sab_table *t = NULL;

    SAB_TRY(sab_table_create(path, &t, err));
    for (int i = 0; i < r->ngroups; i++)
        SAB_TRY(sab_table_add_column(t, r->group[i], err));
    for (int i = 0; i < 5; i++)
        SAB_TRY(sab_table_add_column(t, name[i], err));
    for (int k = 0; k < f->n; k++) {
        const sab_fit_group *g = &f->group[k];
        const bool fitted = g->failure.status == SAB_OK;

        for (int p = 0; p < g->n; p++) {
            const double value[5] = {
                g->x[p], g->y[p], g->sigma != NULL ? g->sigma[p] : NAN, fitted ? g->fitted[p] : NAN,
                fitted && g->y[p] != 0.0 ? (g->y[p] - g->fitted[p]) / g->y[p] : NAN};

            SAB_TRY(sab_table_add_row(t, err));
            for (int i = 0; i < r->ngroups; i++)
                SAB_TRY(sab_table_set(t, r->group[i], group_value(f, k, i), err));
            for (int i = 0; i < 5; i++)
                SAB_TRY(sab_table_set_number(t, name[i], value[i], err));
        }
    }
    SAB_TRY(sab_table_write(t, path, err));
cleanup:
    sab_table_destroy(&t);
    return status;
}

sab_status sab_table_fit_save(const sab_table_fit *f, const char *json, const char *csv,
                              sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(save_json(f, json, err));
    SAB_TRY(save_points(f, csv, err));
cleanup:
    return status;
}

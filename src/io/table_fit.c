#include "io/table_fit.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct columns {
    int x, y, sigma, group[SAB_FIT_GROUPS];
} columns;

static sab_status find_columns(const sab_table *t, const sab_fit_request *r, columns *c,
                               sab_error *err)
{
    sab_status status = SAB_OK;

    c->sigma = -1;
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

static sab_status fill_group(const sab_table *t, const sab_fit_request *r, const columns *c,
                             sab_fit_group *g, sab_error *err)
{
    sab_status status = SAB_OK;
    bool weighted = c->sigma >= 0;

    SAB_NEW(g->x, t->nrows);
    SAB_NEW(g->y, t->nrows);
    SAB_NEW(g->sigma, t->nrows);
    SAB_NEW(g->fitted, t->nrows);
    for (int row = g->row; row < t->nrows; row++) {
        double x, y, sigma = NAN;

        if (!same_group(t, c, r->ngroups, g->row, row))
            continue;
        SAB_TRY(sab_table_number(t, row, c->x, &x, err));
        SAB_TRY(sab_table_number(t, row, c->y, &y, err));
        if (c->sigma >= 0)
            SAB_TRY(sab_table_number(t, row, c->sigma, &sigma, err));
        if (!(x > 0.0) || !(r->scale * y > 0.0)) {
            g->left_out++;
            continue;
        }
        g->x[g->n] = x;
        g->y[g->n] = r->scale * y;
        g->sigma[g->n] = fabs(r->scale) * sigma;
        weighted = weighted && sigma > 0.0;
        g->n++;
    }
    if (!weighted)
        SAB_FREE(g->sigma);
cleanup:
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
        g->failure.status = sab_fit_points(r->law, r->grain, g->n, g->x, g->y, g->sigma, g->fitted,
                                           &g->fit, &g->failure);
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
    }
    SAB_FREE(f->group);
    SAB_FREE(*fit);
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

static void write_estimate(sab_json *json, const char *key, sab_estimate e)
{
    sab_json_begin_object(json, key);
    sab_json_number(json, "value", e.value);
    sab_json_number(json, "low", e.low);
    sab_json_number(json, "high", e.high);
    sab_json_end_object(json);
}

static void write_group(sab_json *json, const sab_table_fit *f, int group)
{
    const sab_fit_group *g = &f->group[group];
    const bool beverloo = f->request->law == SAB_FIT_BEVERLOO;

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
    if (g->failure.status != SAB_OK) {
        sab_json_string(json, "failure", g->failure.message);
    } else {
        sab_json_bool(json, "weighted", g->fit.weighted);
        write_estimate(json, beverloo ? "C" : "a", g->fit.factor);
        if (beverloo)
            write_estimate(json, "k", g->fit.k);
        write_estimate(json, "exponent", g->fit.exponent);
        if (beverloo)
            write_estimate(json, "exponent_reduced", g->fit.reduced);
        sab_json_number(json, "rms_relative", g->fit.rms);
        sab_json_integer(json, "iterations", g->fit.iterations);
    }
    sab_json_end_object(json);
}

static sab_status save_json(const sab_table_fit *f, const char *path, sab_error *err)
{
    const sab_fit_request *r = f->request;
    sab_json json = {0};

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "law", sab_fit_law_name[r->law]);
    sab_json_string(&json, "formula",
                    r->law == SAB_FIT_BEVERLOO ? "y = C (x - k grain)^1.5" : "y = a x^exponent");
    sab_json_string(&json, "table", f->table->name);
    sab_json_string(&json, "x", r->x);
    sab_json_string(&json, "y", r->y);
    if (r->sigma != NULL)
        sab_json_string(&json, "sigma", r->sigma);
    sab_json_number(&json, "scale", r->scale);
    if (r->law == SAB_FIT_BEVERLOO)
        sab_json_number(&json, "grain", r->grain);
    sab_json_number(&json, "confidence", 0.95);
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
            const double value[5] = {g->x[p], g->y[p], g->sigma != NULL ? g->sigma[p] : NAN,
                                     fitted ? g->fitted[p] : NAN,
                                     fitted ? (g->y[p] - g->fitted[p]) / g->y[p] : NAN};

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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a calibration has found: in words, calibrate.json, calibrate_points.csv. */
#include "base/text.h"
#include "io/file.h"
#include "io/json.h"
#include "run/calibrate.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A chi^2 that chance makes once in a thousand; what a law must explain, as of fits. */
static const double UNLIKELY = 1e-3, UNEXPLAINED = 0.5;

void sab_calibration_tell_problem(const sab_calibration *c, const sab_teller *out)
{
    static const char *const over[] = {[SAB_CALIBRATE_KEY] = "",
                                       [SAB_CALIBRATE_TIME] = " of one run",
                                       [SAB_CALIBRATE_PROFILE] = " of a profile"};

    sab_tell(out, "calibrate      %d measurements of %s over %s%s%s", c->problem.n, c->y_name,
             c->x_name, over[c->kind], c->sigma != NULL ? ", sigma known" : "");
    for (int j = 0; j < c->problem.np; j++)
        sab_tell(out, "  %-28s between %g and %g", c->key[j], c->problem.low[j],
                 c->problem.high[j]);
}

typedef struct notes {
    int n;
    char text[2 * SAB_CALIBRATE_MOST + 2][300];
} notes;

static void SAB_PRINTF(2, 3) note(notes *s, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(s->text[s->n++], sizeof s->text[0], format, list);
    va_end(list);
}

static notes find_notes(const sab_calibration *c, const sab_calibrated *r)
{
    notes s = {0};

    for (int j = 0; j < c->problem.np; j++) {
        if (r->at_bound[j])
            note(&s, "%s is at its bound, and would go further: no interval; widen the bounds",
                 c->key[j]);
        if (r->wide[j])
            note(&s,
                 "the interval of %s is wider than its bounds: the measurements do not "
                 "determine it",
                 c->key[j]);
    }
    if (r->probability < UNLIKELY)
        note(&s,
             "chi^2 = %.4g with %d degrees of freedom: no values of these keys explain the "
             "measurements within sigma (probability %.1e)",
             r->sum, r->freedom, r->probability);
    if (c->sigma == NULL && r->unexplained > UNEXPLAINED)
        note(&s, "%.2g of the variation of the measurements is not explained", r->unexplained);
    return s;
}

static void tell_result(const sab_calibration *c, const sab_calibrated *r, const sab_teller *out)
{
    sab_tell(out, "  %-28s %12s   95 %% interval", "key", "value");
    for (int j = 0; j < c->problem.np; j++) {
        const sab_estimate *e = &r->parameter[j];

        if (isnan(e->low))
            sab_tell(out, "  %-28s %12.6g   none", c->key[j], e->value);
        else
            sab_tell(out, "  %-28s %12.6g   %.5g to %.5g", c->key[j], e->value, e->low, e->high);
    }
    if (c->sigma != NULL)
        sab_tell(out, "chi^2          %.4g, %d degrees of freedom, probability %.2g", r->sum,
                 r->freedom, r->probability);
    sab_tell(out, "residuals      rms %.3g; %.2g %% of the variation is left", r->rms,
             100.0 * r->unexplained);
    if (c->problem.np > 1)
        sab_tell(out, "correlation    up to %.3f between two keys", r->correlation);
}

static sab_status save_json(const sab_calibration *c, const sab_calibrated *r, const notes *s,
                            const char *path, sab_error *err)
{
    sab_json json = {0};

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "title", c->title);
    sab_json_string(&json, "data", c->options.data);
    sab_json_string(&json, "x", c->x_name);
    sab_json_string(&json, "y", c->y_name);
    sab_json_number(&json, "scale", c->options.scale);
    sab_json_number(&json, "confidence", SAB_CONFIDENCE);
    sab_json_begin_object(&json, "parameters");
    for (int j = 0; j < c->problem.np; j++) {
        sab_json_begin_object(&json, c->key[j]);
        sab_json_number(&json, "value", r->parameter[j].value);
        sab_json_number(&json, "low", r->parameter[j].low);
        sab_json_number(&json, "high", r->parameter[j].high);
        sab_json_begin_array(&json, "bounds");
        sab_json_number(&json, NULL, c->problem.low[j]);
        sab_json_number(&json, NULL, c->problem.high[j]);
        sab_json_end_array(&json);
        sab_json_bool(&json, "at_bound", r->at_bound[j]);
        sab_json_number(&json, "noise", r->noise[j]);
        sab_json_end_object(&json);
    }
    sab_json_end_object(&json);
    sab_json_number(&json, "correlation", r->correlation);
    sab_json_number(&json, "singular", r->singular);
    sab_json_number(&json, c->sigma != NULL ? "chi_square" : "sum", r->sum);
    sab_json_integer(&json, "freedom", r->freedom);
    sab_json_number(&json, "probability", r->probability);
    sab_json_number(&json, "rms", r->rms);
    sab_json_number(&json, "unexplained", r->unexplained);
    sab_json_integer(&json, "sets", r->sets);
    sab_json_begin_array(&json, "notes");
    for (int i = 0; i < s->n; i++)
        sab_json_string(&json, NULL, s->text[i]);
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

static sab_status save_points(const sab_calibration *c, const char *path, sab_error *err)
{
    static const char *const column[] = {"x", "y", "sigma", "model", "residual", "noise"};
    sab_status status = SAB_OK;
    sab_table *t = NULL;

    SAB_TRY(sab_table_create("calibrate_points.csv", &t, err));
    for (size_t k = 0; k < sizeof column / sizeof *column; k++)
        if (c->sigma != NULL || strcmp(column[k], "sigma") != 0)
            SAB_TRY(sab_table_add_column(t, column[k], err));
    for (int i = 0; i < c->problem.n; i++) {
        SAB_TRY(sab_table_add_row(t, err));
        SAB_TRY(sab_table_set_number(t, "x", c->x[i], err));
        SAB_TRY(sab_table_set_number(t, "y", c->y[i], err));
        if (c->sigma != NULL)
            SAB_TRY(sab_table_set_number(t, "sigma", c->sigma[i], err));
        SAB_TRY(sab_table_set_number(t, "model", c->fitted[i], err));
        SAB_TRY(sab_table_set_number(t, "residual", c->y[i] - c->fitted[i], err));
        SAB_TRY(sab_table_set_number(t, "noise", c->noise[i], err));
    }
    SAB_TRY(sab_table_write(t, path, err));
cleanup:
    sab_table_destroy(&t);
    return status;
}

sab_status sab_calibration_tell(const sab_calibration *c, const sab_calibrated *result,
                                const char *directory, const sab_teller *out, bool *good,
                                sab_error *err)
{
    const notes s = find_notes(c, result);
    char path[SAB_PATH];
    sab_status status = SAB_OK;

    *good = s.n == 0;
    tell_result(c, result, out);
    for (int i = 0; i < s.n; i++)
        sab_tell_warning(out, "%s", s.text[i]);
    SAB_TRY(sab_path_set(path, err, "%s/calibrate_points.csv", directory));
    SAB_TRY(save_points(c, path, err));
    SAB_TRY(sab_path_set(path, err, "%s/calibrate.json", directory));
    SAB_TRY(save_json(c, result, &s, path, err));
    sab_tell(out, "result         %s, %d sets of runs", path, result->sets);
    sab_tell(out, "next           sablier-calibrate %s draws it", directory);
cleanup:
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/describe_study.h"

#include <math.h>
#include <stdio.h>

/* "1.371 [1.352, 1.390]", or the value alone where two points leave no interval. */
static const char *estimate_text(sab_estimate e, char *buffer, size_t size)
{
    if (isnan(e.value))
        snprintf(buffer, size, "none");
    else if (isnan(e.low))
        snprintf(buffer, size, "%.6g (two points: no interval)", e.value);
    else
        snprintf(buffer, size, "%.6g [%.6g, %.6g]", e.value, e.low, e.high);
    return buffer;
}

static void show_free(const sab_free_law *law, const sab_fit_group *g, const sab_teller *out)
{
    char text[300];

    for (int i = 0; sab_free_law_line(law, &g->free, i, text, sizeof text)[0] != '\0'; i++)
        sab_tell(out, "%s", text);
    sab_tell(out, "  %-12s %.3g, rms; %.3g %% of the variation of y; %d of %d starts agree",
             "residuals", g->free.rms, 100.0 * g->free.unexplained, g->free.agree, g->free.starts);
    sab_tell(out, "  %12s %12s %12s %12s", "x", "y", "fitted", "residual");
    for (int i = 0; i < g->n; i++)
        sab_tell(out, "  %12.6g %12.6g %12.6g %+12.3g", g->x[i], g->y[i], g->fitted[i],
                 g->y[i] - g->fitted[i]);
}

static void show_named(const sab_fit_group *g, const sab_teller *out)
{
    const bool beverloo = g->model.law == SAB_FIT_BEVERLOO;
    char text[120];

    sab_tell(out, "  %-12s %s", beverloo ? "C" : "a",
             estimate_text(g->fit.factor, text, sizeof text));
    if (beverloo)
        sab_tell(out, "  %-12s %s%s", "k", estimate_text(g->fit.k, text, sizeof text),
                 g->fit.k.value < 0.0 ? "  (negative: no empty annulus)" : "");
    sab_tell(out, "  %-12s %s  log y against log x", "exponent",
             estimate_text(g->fit.exponent, text, sizeof text));
    if (beverloo)
        sab_tell(out, "  %-12s %s  log y against log(x - k grain); the law has %g", "",
                 estimate_text(g->fit.reduced, text, sizeof text), sab_fit_power(&g->model));
    sab_tell(out, "  %-12s %.3g of the values, rms", "residuals", g->fit.rms);
    sab_tell(out, "  %12s %12s %12s %12s", "x", "y", "fitted", "residual");
    for (int i = 0; i < g->n; i++)
        sab_tell(out, "  %12.6g %12.6g %12.6g %+11.2f%%", g->x[i], g->y[i], g->fitted[i],
                 100.0 * (g->y[i] - g->fitted[i]) / g->y[i]);
}

static void show_group(const sab_table_fit *f, int group, const sab_teller *out)
{
    const sab_fit_group *g = &f->group[group];
    char label[400];

    sab_table_fit_label(f, group, label, sizeof label);
    sab_tell(out, "fit            %s%s%d points%s", label, label[0] != '\0' ? ": " : "", g->n,
             g->fit.weighted ? ", weighted by 1/sigma^2 up to that of the median" : "");
    if (f->request->free != NULL)
        show_free(f->request->free, g, out);
    else
        show_named(g, out);
}

/* Who has said which exponent the law has. */
static const char *exponent_source(const sab_table_fit *f)
{
    bool known = f->n > 0;

    for (int i = 0; i < f->n; i++)
        known = known && f->group[i].geometry != NULL;
    return f->request->dimension != 0 ? "exponent of the dimension given"
           : known                    ? "exponent of the geometry"
                   : "exponent of a slot (give the dimension 3 for round outlets)";
}

sab_status sab_describe_fit(const sab_table *table, const sab_fit_request *r, const char *json,
                            const char *csv, const sab_teller *out, int *doubtful, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_table_fit *f = NULL;
    char label[400], times[40] = "", text[1200];

    *doubtful = 0;
    SAB_TRY(sab_table_fit_create(table, r, &f, err));
    if (r->scale != 1.0)
        snprintf(times, sizeof times, "%g ", r->scale);
    sab_table_fit_formula(f, text, sizeof text);
    if (r->law == SAB_FIT_BEVERLOO)
        sab_tell(out, "law            %s, grain = %g, %s", text, r->grain, exponent_source(f));
    else
        sab_tell(out, "law            %s", text);
    sab_tell(out, "               x = %s, y = %s%s; 95 %% intervals", r->x, times, r->y);
    for (int i = 0; i < f->n; i++) {
        const sab_fit_group *g = &f->group[i];

        sab_table_fit_label(f, i, label, sizeof label);
        if (sab_table_fit_left(f, i, text, sizeof text)[0] != '\0')
            sab_tell_warning(out, "fit%s%s: %s", label[0] != '\0' ? " of " : "", label, text);
        *doubtful += !sab_table_fit_sound(f, i);
        if (g->failure.status != SAB_OK)
            sab_tell_warning(out, "no fit%s%s: %s", label[0] != '\0' ? " of " : "", label,
                             g->failure.message);
        else
            show_group(f, i, out);
        for (int k = 0; sab_table_fit_note(f, i, k, text, sizeof text)[0] != '\0'; k++)
            sab_tell_warning(out, "fit%s%s: %s", label[0] != '\0' ? " of " : "", label, text);
    }
    if (json != NULL)
        SAB_TRY(sab_table_fit_save(f, json, csv, err));
cleanup:
    sab_table_fit_destroy(&f);
    return status;
}

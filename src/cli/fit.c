/* cli/fit.c -- `sablier fit`: a law through the rows of a CSV table. */
#include "cli/fit.h"
#include "base/text.h"
#include "cli/commands.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

sab_fit_law sab_fit_find_law(const char *name)
{
    int i = 0;

    while (i < SAB_FIT_LAWS && strcmp(sab_fit_law_name[i], name) != 0)
        i++;
    return (sab_fit_law)i;
}

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

static void show_group(const sab_table_fit *f, int group, sab_terminal *term)
{
    const sab_fit_request *r = f->request;
    const sab_fit_group *g = &f->group[group];
    const bool beverloo = r->law == SAB_FIT_BEVERLOO;
    char label[400], text[120];

    sab_table_fit_label(f, group, label, sizeof label);
    sab_say(term, "fit            %s%s%d points%s", label, label[0] != '\0' ? ": " : "", g->n,
            g->fit.weighted ? ", weighted by 1/sigma^2 up to that of the median" : "");
    sab_say(term, "  %-12s %s", beverloo ? "C" : "a",
            estimate_text(g->fit.factor, text, sizeof text));
    if (beverloo)
        sab_say(term, "  %-12s %s%s", "k", estimate_text(g->fit.k, text, sizeof text),
                g->fit.k.value < 0.0 ? "  (negative: no empty annulus)" : "");
    sab_say(term, "  %-12s %s  log y against log x", "exponent",
            estimate_text(g->fit.exponent, text, sizeof text));
    if (beverloo)
        sab_say(term, "  %-12s %s  log y against log(x - k grain); the law has %g", "",
                estimate_text(g->fit.reduced, text, sizeof text), sab_fit_power(&g->model));
    sab_say(term, "  %-12s %.3g of the values, rms", "residuals", g->fit.rms);
    sab_say(term, "  %12s %12s %12s %12s", "x", "y", "fitted", "residual");
    for (int i = 0; i < g->n; i++)
        sab_say(term, "  %12.6g %12.6g %12.6g %+11.2f%%", g->x[i], g->y[i], g->fitted[i],
                100.0 * (g->y[i] - g->fitted[i]) / g->y[i]);
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

sab_status sab_fit_show(const sab_table *table, const sab_fit_request *r, const char *json,
                        const char *csv, sab_terminal *term, int *doubtful, sab_error *err)
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
        sab_say(term, "law            %s, grain = %g, %s", text, r->grain, exponent_source(f));
    else
        sab_say(term, "law            %s", text);
    sab_say(term, "               x = %s, y = %s%s; 95 %% intervals", r->x, times, r->y);
    for (int i = 0; i < f->n; i++) {
        const sab_fit_group *g = &f->group[i];

        sab_table_fit_label(f, i, label, sizeof label);
        if (sab_table_fit_left(f, i, text, sizeof text)[0] != '\0')
            sab_warn(term, "fit%s%s: %s", label[0] != '\0' ? " of " : "", label, text);
        *doubtful += !sab_table_fit_sound(f, i);
        if (g->failure.status != SAB_OK)
            sab_warn(term, "no fit%s%s: %s", label[0] != '\0' ? " of " : "", label,
                     g->failure.message);
        else
            show_group(f, i, term);
        for (int k = 0; sab_table_fit_note(f, i, k, text, sizeof text)[0] != '\0'; k++)
            sab_warn(term, "fit%s%s: %s", label[0] != '\0' ? " of " : "", label, text);
    }
    if (json != NULL)
        SAB_TRY(sab_table_fit_save(f, json, csv, err));
cleanup:
    sab_table_fit_destroy(&f);
    return status;
}

/* --grain and --dimension */
static sab_status read_beverloo(const sab_args *args, sab_fit_request *r, sab_error *err)
{
    sab_status status = SAB_OK;

    if ((args->grain != NULL || args->dimension != NULL) && r->law != SAB_FIT_BEVERLOO)
        return sab_fail(err, SAB_ERR_USAGE, "%s belongs to --law beverloo",
                        args->grain != NULL ? "--grain" : "--dimension");
    if (args->grain != NULL)
        SAB_TRY(sab_args_number("--grain", args->grain, &r->grain, err));
    if (r->grain <= 0.0)
        return sab_fail(err, SAB_ERR_USAGE, "--grain: %s is not positive", args->grain);
    if (args->dimension != NULL && (!sab_parse_integer(args->dimension, &r->dimension) ||
                                    r->dimension < 2 || r->dimension > 3))
        return sab_fail(err, SAB_ERR_USAGE,
                        "--dimension: '%s' is neither 2 (slot, exponent 3/2) nor 3 (round outlet, "
                        "5/2)",
                        args->dimension);
cleanup:
    return status;
}

static sab_status read_request(const sab_args *args, sab_fit_request *r, sab_error *err)
{
    sab_status status = SAB_OK;

    *r = (sab_fit_request){.x = args->x,
                           .y = args->y,
                           .sigma = args->sigma,
                           .grain = 1.0,
                           .scale = 1.0,
                           .all = args->all};
    if (r->x == NULL || r->y == NULL)
        return sab_fail(err, SAB_ERR_USAGE, "fit: give the columns with --x KEY and --y KEY");
    if (args->law != NULL) {
        r->law = sab_fit_find_law(args->law);
        if (r->law == SAB_FIT_LAWS)
            return sab_fail(err, SAB_ERR_USAGE, "--law: '%s' is none of beverloo, power",
                            args->law);
    }
    SAB_TRY(read_beverloo(args, r, err));
    if (args->scale != NULL) {
        SAB_TRY(sab_args_number("--scale", args->scale, &r->scale, err));
        if (r->scale == 0.0)
            return sab_fail(err, SAB_ERR_USAGE, "--scale: must not be 0");
    }
    for (int i = 0; i < args->ngroups; i++)
        r->group[r->ngroups++] = args->group[i];
cleanup:
    return status;
}

/* FILE.json, and FILE_points.csv beside it. */
static sab_status name_files(const sab_args *args, char *csv, size_t size, sab_error *err)
{
    const size_t n = args->output != NULL ? strlen(args->output) : 0;

    if (n == 0)
        return SAB_OK;
    if (n < 6 || strcmp(args->output + n - 5, ".json") != 0)
        return sab_fail(err, SAB_ERR_USAGE, "-o: end the name of '%s' in .json", args->output);
    if (snprintf(csv, size, "%.*s_points.csv", (int)n - 5, args->output) >= (int)size)
        return sab_fail(err, SAB_ERR_USAGE, "-o: the path is too long");
    if (strcmp(csv, args->target) == 0)
        return sab_fail(err, SAB_ERR_USAGE, "-o: '%s' would replace the table itself", csv);
    return SAB_OK;
}

int sab_command_fit(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    sab_fit_request request;
    sab_table *table = NULL;
    char csv[4096];
    int doubtful = 0;

    SAB_TRY(read_request(args, &request, err));
    SAB_TRY(name_files(args, csv, sizeof csv, err));
    SAB_TRY(sab_table_read(args->target, &table, err));
    if (table->nrows == 0) {
        status =
            sab_fail(err, SAB_ERR_INPUT, "%s:1: there is no row below the header", table->name);
        goto cleanup;
    }
    SAB_TRY(sab_fit_show(table, &request, args->output, csv, &term, &doubtful, err));
    if (args->output != NULL)
        sab_say(&term, "result         %s, %s", args->output, csv);
cleanup:
    if (status != SAB_OK)
        sab_complain(&term, message.message);
    sab_table_destroy(&table);
    return sab_say_end(&term, status != SAB_OK ? sab_exit_code(status) : doubtful > 0 ? 1 : 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/fit.c -- `sablier fit`: a law through the rows of a CSV table. */
#include "base/path.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "run/describe_study.h"

#include <string.h>

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

/* --law, --start and --bootstrap */
static sab_status read_law(const sab_args *args, sab_fit_request *r, sab_free_law **law,
                           sab_error *err)
{
    enum { FEWEST = 100, MOST = 100000 };
    sab_status status = SAB_OK;
    int samples = 0;

    if (args->law != NULL)
        r->law = sab_fit_find_law(args->law);
    if (r->law != SAB_FIT_LAWS) {
        if (args->start != NULL || args->bootstrap != NULL)
            return sab_fail(err, SAB_ERR_USAGE,
                            "%s belongs to a --law that is a formula, such as \"C*(x-k)^1.5\"",
                            args->start != NULL ? "--start" : "--bootstrap");
        return SAB_OK;
    }
    if (strchr(args->law, 'x') == NULL)
        return sab_fail(err, SAB_ERR_USAGE,
                        "--law: '%s' is none of beverloo, power, and no formula of x", args->law);
    if (args->bootstrap != NULL) {
        SAB_TRY(sab_args_integer("--bootstrap", args->bootstrap, &samples, err));
        if (samples < FEWEST || samples > MOST)
            return sab_fail(err, SAB_ERR_USAGE, "--bootstrap: %d is not between %d and %d", samples,
                            FEWEST, MOST);
    }
    SAB_TRY(sab_free_law_create(args->law, args->start, samples, law, err));
    r->free = *law;
cleanup:
    return status;
}

static sab_status read_request(const sab_args *args, sab_fit_request *r, sab_free_law **law,
                               sab_error *err)
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
    SAB_TRY(read_law(args, r, law, err));
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
static sab_status name_files(const sab_args *args, char csv[SAB_PATH], sab_error *err)
{
    const size_t n = args->output != NULL ? strlen(args->output) : 0;

    if (n == 0)
        return SAB_OK;
    if (n < 6 || strcmp(args->output + n - 5, ".json") != 0)
        return sab_fail(err, SAB_ERR_USAGE, "-o: end the name of '%s' in .json", args->output);
    if (sab_path_set(csv, err, "%.*s_points.csv", (int)n - 5, args->output) != SAB_OK)
        return err->status;
    if (strcmp(csv, args->target) == 0)
        return sab_fail(err, SAB_ERR_USAGE, "-o: '%s' would replace the table itself", csv);
    return SAB_OK;
}

int sab_command_fit(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    const sab_teller out = sab_terminal_teller(&term);
    sab_fit_request request;
    sab_free_law *law = NULL;
    sab_table *table = NULL;
    char csv[SAB_PATH];
    int doubtful = 0;

    SAB_TRY(read_request(args, &request, &law, err));
    SAB_TRY(name_files(args, csv, err));
    SAB_TRY(sab_table_read(args->target, &table, err));
    if (table->nrows == 0) {
        status =
            sab_fail(err, SAB_ERR_INPUT, "%s:1: there is no row below the header", table->name);
        goto cleanup;
    }
    SAB_TRY(sab_describe_fit(table, &request, args->output, csv, &out, &doubtful, err));
    if (args->output != NULL)
        sab_say(&term, "result         %s, %s", args->output, csv);
cleanup:
    if (status != SAB_OK)
        sab_complain(&term, message.message);
    sab_table_destroy(&table);
    sab_free_law_destroy(&law);
    return sab_say_end(&term, status != SAB_OK ? sab_exit_code(status) : doubtful > 0 ? 1 : 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/calibrate.c -- `sablier calibrate`: studies in DIR/sets/NN, as many as it takes to find which
 * values of some keys explain a table of measurements. */
#include "cli/commands.h"
#include "cli/terminal.h"
#include "io/file.h"
#include "run/calibrate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct work {
    const sab_args *args;
    sab_terminal *term;
    sab_calibration calibration;
    char directory[SAB_PATH];
    int studies;
    int code; /* of the last study, if it ended all; 0: none did */
} work;

/* A study of the sets, run or, with --resume, gone on with. */
static sab_status evaluate(void *data, int m, const double *p, double *f, double *noise,
                           sab_error *err)
{
    work *w = data;
    const sab_args *args = w->args;
    char directory[SAB_PATH], study[SAB_PATH];
    sab_status status = SAB_OK;

    SAB_TRY(sab_path_set(directory, err, "%s/sets/%02d", w->directory, ++w->studies));
    SAB_TRY(sab_directory_create(directory, err));
    SAB_TRY(sab_path_set(study, err, "%s/study.yaml", directory));
    SAB_TRY(sab_calibration_write(&w->calibration, m, p, study, err));
    w->code = sab_command_study(&(sab_args){.target = study,
                                            .output = directory,
                                            .jobs = args->jobs,
                                            .resume = args->resume,
                                            .force = args->force,
                                            .safe = args->safe,
                                            .quiet = !args->verbose,
                                            .verbose = args->verbose});
    if (w->code > 1)
        return SAB_INTERRUPTED; /* it has said why */
    w->code = 0;
    SAB_TRY(sab_calibration_read(&w->calibration, m, directory, f, noise, err));
cleanup:
    return status;
}

static void progress(void *data, int sets, const double *p, double sum)
{
    work *w = data;
    char text[200] = "";
    size_t n = 0;

    for (int j = 0; j < w->calibration.problem.np && n < sizeof text; j++)
        n += (size_t)snprintf(text + n, sizeof text - n, " %12.6g", p[j]);
    sab_say(w->term, "%6d   %s   %12.6g", sets, text, sum);
}

/* Options that are numbers, and the directory; nothing is written if they are wrong. */
static sab_status prepare(work *w, sab_error *err)
{
    const sab_args *args = w->args;
    sab_status status = SAB_OK;
    char name[SAB_PATH], sets[SAB_PATH];
    sab_calibration_options o = {.data = args->data,
                                 .x = args->x,
                                 .y = args->y,
                                 .sigma = args->sigma,
                                 .profile = args->profile,
                                 .nvary = args->nvary,
                                 .scale = 1.0,
                                 .step = 0.05,
                                 .noverrides = args->noverrides,
                                 .override = args->override};

    memcpy(o.vary, args->vary, sizeof o.vary);
    if (args->scale != NULL)
        SAB_TRY(sab_args_number("--scale", args->scale, &o.scale, err));
    if (args->step != NULL)
        SAB_TRY(sab_args_number("--step", args->step, &o.step, err));
    SAB_TRY(sab_calibration_open(args->target, &o, &w->calibration, err));
    SAB_TRY(sab_path_set(name, err, "%s-calibrate", w->calibration.case_name));
    SAB_TRY(sab_args_directory(args, name, w->directory, err));
    SAB_TRY(sab_path_set(sets, err, "%s/sets", w->directory));
    if (sab_file_exists(sets) && !args->resume && !args->force)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "'%s' holds a result already: go on with --resume, choose another directory with "
                 "-o, or replace it with --force",
                 w->directory);
cleanup:
    return status;
}

int sab_command_calibrate(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    const sab_teller out = sab_terminal_teller(&term);
    work w = {.args = args, .term = &term};
    sab_calibrated result;
    bool good = true;

    SAB_TRY(prepare(&w, err));
    sab_calibration *c = &w.calibration;
    sab_calibration_tell_problem(c, &out);
    sab_say(&term, "  sets   %*s   %12s", 13 * c->problem.np, "best so far", "sum");
    c->problem.evaluate = evaluate;
    c->problem.progress = progress;
    c->problem.data = &w;
    SAB_TRY(sab_calibrate_solve(&c->problem, c->fitted, c->noise, &result, err));
    SAB_TRY(sab_calibration_tell(c, &result, w.directory, &out, &good, err));
cleanup:
    if (status != SAB_OK && w.code == 0)
        sab_complain(&term, message.message);
    sab_calibration_close(&w.calibration);
    if (w.code != 0)
        return w.code;
    if (status == SAB_ERR_NUMERIC) /* what the measurements do not say */
        return 1;
    return sab_say_end(&term, status != SAB_OK ? sab_exit_code(status) : good ? 0 : 1);
}

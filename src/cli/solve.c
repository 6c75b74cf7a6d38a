/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/solve.c -- `sablier solve`: a cone program from a file, by any method. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/watch.h"
#include "io/file.h"
#include "io/program_file.h"
#include "io/schema.h"
#include "run/summary.h"

#include <stdio.h>
#include <string.h>

/* An option that has the names of a key of `solver` in cases. */
static sab_status parse_choice(const char *key, const char *name, int *choice, sab_error *err)
{
    const char *(*const choices)(int) =
        sab_schema_find(sab_schema_find(NULL, "solver"), key)->choice;

    char all[100] = "";
    size_t used = 0;

    for (int i = 0; choices(i) != NULL; i++) {
        if (strcmp(choices(i), name) == 0) {
            *choice = i;
            return SAB_OK;
        }
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "",
                                     choices(i));
    }
    return sab_fail(err, SAB_ERR_USAGE, "--%s: '%s' is none of %s", key, name, all);
}

static sab_status parse_method(const char *name, sab_method *method, sab_error *err)
{
    const char *names[SAB_METHOD_COUNT];

    for (int m = 0; m < SAB_METHOD_COUNT; m++) {
        names[m] = sab_method_table[m].name;
        if (strcmp(names[m], name) == 0) {
            *method = (sab_method)m;
            return SAB_OK;
        }
    }
    const char *close = sab_closest_name(name, names, SAB_METHOD_COUNT);
    return sab_fail(err, SAB_ERR_USAGE, "--method: unknown method '%s'%s%s%s", name,
                    close != NULL ? "; did you mean '" : "",
                    close != NULL ? close : "; `sablier keys` lists them",
                    close != NULL ? "'?" : "");
}

static sab_status check_options(const sab_solver_options *options, sab_error *err)
{
    if (!(options->tolerance > 0.0 && options->tolerance < 1.0))
        return sab_fail(err, SAB_ERR_USAGE, "--tolerance: %g is not between 0 and 1",
                        options->tolerance);
    if (options->linear == SAB_CHOLMOD && options->blr > 0.0)
        return sab_fail(err, SAB_ERR_USAGE, "--blr: only mumps compresses, not --linear cholmod");
    if (options->blr > 0.0 && !sab_factor_has_blr())
        return sab_fail(err, SAB_ERR_USAGE, "--blr: needs a build with MPI (docs/scale.md)");
    if (!(options->blr >= 0.0 && options->blr < 1.0))
        return sab_fail(err, SAB_ERR_USAGE, "--blr: %g is not between 0 and 1", options->blr);
    if (options->linear == SAB_AMG && !sab_factor_has_amg())
        return sab_fail(err, SAB_ERR_USAGE,
                        "--linear: amg needs a build with PETSc (docs/scale.md)");
    if (options->linear == SAB_AMG && !sab_method_can_iterate(options->method))
        return sab_fail(err, SAB_ERR_USAGE,
                        "--linear: amg has no factor, and method %s needs one; give --method dr-aa "
                        "or another of first order",
                        sab_method_table[options->method].name);
    if (options->max_iterations < 1)
        return sab_fail(err, SAB_ERR_USAGE, "--max-iterations: %d is less than 1",
                        options->max_iterations);
    return SAB_OK;
}

static sab_status parse_options(const sab_args *args, sab_solver_options *options, sab_error *err)
{
    sab_status status = SAB_OK;
    int choice;

    if (args->method != NULL)
        SAB_TRY(parse_method(args->method, &options->method, err));
    if (args->linear != NULL) {
        SAB_TRY(parse_choice("linear", args->linear, &choice, err));
        options->linear = (sab_factor_backend)choice;
    }
    if (args->ordering != NULL) {
        SAB_TRY(parse_choice("ordering", args->ordering, &choice, err));
        options->ordering = (sab_ordering)choice;
    }
    if (args->blr != NULL)
        SAB_TRY(sab_args_number("--blr", args->blr, &options->blr, err));
    if (args->tolerance != NULL)
        SAB_TRY(sab_args_number("--tolerance", args->tolerance, &options->tolerance, err));
    if (args->max_iterations != NULL)
        SAB_TRY(sab_args_integer("--max-iterations", args->max_iterations, &options->max_iterations,
                                 err));
    status = check_options(options, err);
cleanup:
    return status;
}

/* Before the solve, so that a long one is not lost for want of a directory. */
static sab_status try_output(const char *path, sab_error *err)
{
    sab_file file = {0};
    const sab_status status = path != NULL ? sab_file_open(path, &file, err) : SAB_OK;

    sab_file_abort(&file);
    return status;
}

static bool on_row(void *data, const sab_report *so_far)
{
    return sab_watch_row(data, 1, so_far);
}

int sab_command_solve(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    sab_solver_options options = sab_solver_options_default();
    sab_program *program = NULL;
    sab_solver *solver = NULL;
    double *lambda = NULL, *u = NULL;
    char sentence[SAB_WARNING_LENGTH];
    sab_watch watch = {0};
    sab_report report = {.reason = SAB_MAX_ITERATIONS};
    const sab_solve_observer observer = {on_row, &watch};
    const sab_teller out = sab_terminal_teller(&term);

    SAB_TRY(parse_options(args, &options, err));
    SAB_TRY(sab_args_threads(args, err));
    sab_watch_signals();
    SAB_TRY(sab_program_read(args->target, &program, err));
    SAB_TRY(try_output(args->output, err));
    sab_say(&term, "sablier %s  cone program %s", SAB_VERSION, args->target);
    sab_say(&term, "unknowns       %d velocities, %d %s of %d components, %s", program->n,
            program->npoints, program->range[0].kind == SAB_POINTS_CONTACT ? "contacts" : "points",
            program->s, sab_program_is_convex(program) ? "convex" : "non-associated");
    SAB_NEW(lambda, (size_t)program->s * (size_t)program->npoints);
    SAB_NEW(u, program->n);
    SAB_TRY(sab_solver_create(&options, program, &solver, err));
    sab_watch_begin(&watch, &term, options.tolerance, options.max_iterations);
    SAB_TRY(sab_solver_run(solver, program, true, lambda, u, &observer, &report, err));
    sab_progress_end(&term);
    sab_describe_certificates(&report, options.tolerance, &out);
    if (args->output != NULL)
        SAB_TRY(sab_summary_program(args->output, &report, options.tolerance, solver, program->n, u,
                                    err));
    if (report.reason != SAB_CONVERGED)
        sab_warn(&term, "%s",
                 sab_missed_text(&report, options.tolerance, sentence, sizeof sentence));
cleanup:
    if (status == SAB_INTERRUPTED)
        sab_warn(&term, "stopped by a signal before the solve ended; nothing was written");
    else if (status != SAB_OK)
        sab_complain(&term, message.message);
    sab_watch_end(&watch);
    sab_solver_destroy(&solver);
    sab_program_destroy(&program);
    SAB_FREE(lambda);
    SAB_FREE(u);
    if (status != SAB_OK)
        return sab_exit_code(status);
    return sab_say_end(&term, report.reason == SAB_CONVERGED ? 0 : 1);
}

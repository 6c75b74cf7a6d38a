/* cli/solve.c -- `sablier solve`: a cone program from a file, by any method. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/watch.h"
#include "io/file.h"
#include "io/program_file.h"
#include "run/summary.h"

#include <string.h>

static sab_status parse_ordering(const char *name, sab_ordering *ordering, sab_error *err)
{
    static const char *const names[] = {"auto", "amd", "metis"}; /* as sab_ordering */

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *ordering = (sab_ordering)i;
            return SAB_OK;
        }
    return sab_fail(err, SAB_ERR_USAGE, "--ordering: '%s' is none of auto, amd, metis", name);
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

static sab_status parse_options(const sab_args *args, sab_solver_options *options, sab_error *err)
{
    sab_status status = SAB_OK;

    if (args->method != NULL)
        SAB_TRY(parse_method(args->method, &options->method, err));
    if (args->linear != NULL) {
        options->linear = strcmp(args->linear, "mumps") == 0 ? SAB_MUMPS : SAB_CHOLMOD;
        if (options->linear == SAB_CHOLMOD && strcmp(args->linear, "cholmod") != 0)
            return sab_fail(err, SAB_ERR_USAGE, "--linear: '%s' is neither cholmod nor mumps",
                            args->linear);
    }
    if (args->ordering != NULL)
        SAB_TRY(parse_ordering(args->ordering, &options->ordering, err));
    if (args->tolerance != NULL)
        SAB_TRY(sab_args_number("--tolerance", args->tolerance, &options->tolerance, err));
    if (args->max_iterations != NULL)
        SAB_TRY(sab_args_integer("--max-iterations", args->max_iterations, &options->max_iterations,
                                 err));
    if (!(options->tolerance > 0.0 && options->tolerance < 1.0))
        status = sab_fail(err, SAB_ERR_USAGE, "--tolerance: %g is not between 0 and 1",
                          options->tolerance);
    else if (options->max_iterations < 1)
        status = sab_fail(err, SAB_ERR_USAGE, "--max-iterations: %d is less than 1",
                          options->max_iterations);
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

    SAB_TRY(parse_options(args, &options, err));
    SAB_TRY(sab_args_threads(args, err));
    sab_watch_signals();
    SAB_TRY(sab_program_read(args->target, &program, err));
    SAB_TRY(try_output(args->output, err));
    sab_say(&term, "sablier %s  cone program %s", SAB_VERSION, args->target);
    sab_say(&term, "unknowns       %d velocities, %d points of %d components, %s", program->n,
            program->npoints, program->s,
            sab_program_is_convex(program) ? "convex" : "non-associated");
    SAB_NEW(lambda, (size_t)program->s * (size_t)program->npoints);
    SAB_NEW(u, program->n);
    SAB_TRY(sab_solver_create(&options, program, &solver, err));
    sab_watch_begin(&watch, &term, options.tolerance, options.max_iterations);
    SAB_TRY(sab_solver_run(solver, program, true, lambda, u, &observer, &report, err));
    sab_progress_end(&term);
    sab_watch_certificates(&term, &report, options.tolerance);
    if (args->output != NULL) {
        sab_json json = {0};

        sab_json_begin_object(&json, NULL);
        sab_json_string(&json, "status",
                        report.reason == SAB_CONVERGED    ? "converged"
                        : report.reason == SAB_INFEASIBLE ? "infeasible"
                                                          : "not_converged");
        sab_json_string(&json, "missed_by",
                        sab_miss_table[sab_report_missed(&report, options.tolerance).by].key);
        sab_json_string(&json, "version", SAB_VERSION);
        sab_summary_solver(&json, &report, sab_solver_factor(solver), 1.0);
        sab_json_number(&json, "cpu", report.work.cpu_total);
        sab_json_number(&json, "cpu_one_factorisation", report.work.cpu_one_factorisation);
        sab_json_begin_array(&json, "u");
        for (int i = 0; i < program->n; i++)
            sab_json_number(&json, NULL, u[i]);
        sab_json_end_array(&json);
        sab_json_end_object(&json);
        status = sab_json_save(&json, args->output, err);
        sab_json_destroy(&json);
        SAB_TRY(status);
    }
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

/* cli/run.c -- `sablier run`: solve a case and leave its result in a directory. */
#include "base/timer.h"
#include "cli/commands.h"
#include "cli/session.h"
#include "cli/summary.h"
#include "cli/watch.h"
#include "io/file.h"
#include "io/output.h"
#include "io/program_file.h"
#include "io/vtu.h"

#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

/* out/<case>, or -o; a result that is there already is not overwritten. */
static sab_status prepare_output(const sab_args *args, const sab_case *c, char *directory,
                                 sab_error *err)
{
    char summary[PATH + 16];

    if (args->output != NULL)
        snprintf(directory, PATH, "%s", args->output);
    else
        snprintf(directory, PATH, "out/%s", c->name);
    snprintf(summary, sizeof summary, "%s/summary.json", directory);
    if (sab_file_exists(summary) && !args->force)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' holds a result already: choose another directory with -o, or replace "
                        "it with --force",
                        directory);
    return sab_directory_create(directory, err);
}

static bool on_row(void *data, int viscosity_iteration, const sab_report *so_far)
{
    return sab_watch_row(data, viscosity_iteration, so_far);
}

static sab_status compare_exact(const sab_session *session, sab_run_result *result, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_case *c = session->c;
    const sab_fields *f = session->flow->fields;

    if (c->has_exact_velocity) {
        SAB_TRY(sab_exact_velocity(session->flow->space, f->velocity, c->exact_velocity, 0.0,
                                   &result->error, err));
        result->has_velocity_error = true;
    }
    if (c->has_exact_pressure) {
        SAB_TRY(sab_exact_pressure(session->flow->space, f->pressure, f->yielded,
                                   &c->exact_pressure, 0.0, &result->pressure_error,
                                   &result->pressure_scale, err));
        result->has_pressure_error = true;
    }
cleanup:
    return status;
}

static sab_status write_profiles(const char *directory, int n, const sab_probe_result *result,
                                 sab_error *err)
{
    sab_status status = SAB_OK;
    char path[PATH + 256];

    for (int i = 0; i < n; i++) {
        const sab_probe_result *r = &result[i];

        if (r->probe->kind != SAB_PROBE_LINE)
            continue;
        snprintf(path, sizeof path, "%s/profiles", directory);
        SAB_TRY(sab_directory_create(path, err));
        snprintf(path, sizeof path, "%s/profiles/%s.csv", directory, r->probe->name);
        SAB_TRY(sab_output_profile(path, sab_probe_field_name[r->probe->field], r->samples, 2, r->x,
                                   r->components, r->value, err));
    }
cleanup:
    return status;
}

/* One row per step; a creeping flow has one. */
static sab_status write_history(const char *path, const sab_session *session,
                                const sab_run_result *result, sab_error *err)
{
    const sab_report *r = &result->report.solve;
    sab_file file;
    const sab_status status = sab_file_open(path, &file, err);

    if (status != SAB_OK)
        return status;
    fprintf(file.stream, "step,time,outer,inner,solves,gap,compaction,natural,momentum");
    for (int i = 0; i < session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];
        char name[128];

        for (int c = 0; c < p->components && p->probe->kind != SAB_PROBE_LINE; c++) {
            sab_output_component(p->probe->name, p->components, c, name, sizeof name);
            fprintf(file.stream, ",%s", name);
        }
    }
    fprintf(file.stream, "\n1,0,%d,%d,%d,%.9g,%.9g,%.9g,%.9g", r->outer, r->inner, r->solves,
            r->certificate.gap, r->certificate.compaction, r->certificate.natural,
            r->certificate.momentum);
    for (int i = 0; i < session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        for (int c = 0; c < p->components && p->probe->kind != SAB_PROBE_LINE; c++)
            fprintf(file.stream, ",%.17g", p->value[c]);
    }
    fputc('\n', file.stream);
    return sab_file_close(&file, err);
}

/* Everything but summary.json, which comes last: where it stands, the result is whole. */
static sab_status write_result(const char *directory, const sab_session *session,
                               const sab_run_result *result, const char *convergence,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_case *c = session->c;
    const double time = 0.0;
    const char *const file = "fields_0000.vtu";
    char path[PATH + 64];
    sab_text yaml = {0};

    SAB_TRY(sab_case_resolved(c, &yaml, err));
    snprintf(path, sizeof path, "%s/case.resolved.yaml", directory);
    SAB_TRY(sab_file_write_text(path, yaml.data, err));
    snprintf(path, sizeof path, "%s/convergence.csv", directory);
    SAB_TRY(sab_file_write_text(path, convergence, err));
    snprintf(path, sizeof path, "%s/history.csv", directory);
    SAB_TRY(write_history(path, session, result, err));
    snprintf(path, sizeof path, "%s/%s", directory, file);
    SAB_TRY(sab_output_fields(path, session->flow->fields, time, c->output_float32, err));
    if (c->output_gauss) {
        snprintf(path, sizeof path, "%s/gauss_0000.vtu", directory);
        SAB_TRY(sab_output_gauss(path, session->flow->fields, time, c->output_float32, err));
    }
    snprintf(path, sizeof path, "%s/fields.pvd", directory);
    SAB_TRY(sab_pvd_write(path, 1, &time, &file, err));
    SAB_TRY(write_profiles(directory, c->nprobes, result->probe, err));
cleanup:
    sab_text_destroy(&yaml);
    return status;
}

static void report_result(sab_terminal *term, const sab_session *session,
                          const sab_run_result *result, const char *directory)
{
    const sab_error_norms *e = &result->error;

    sab_watch_certificates(term, &result->report.solve, session->c->solver.tolerance);
    if (session->c->material.has_viscosity)
        sab_say(term, "viscosity      %d fixed-point iterations, last change %.2e (tolerance %g)",
                result->report.viscosity_iterations, result->report.viscosity_change,
                session->c->viscosity_tolerance);
    if (result->has_velocity_error)
        sab_say(term, "exact solution error relative to it: L2 %.3e, max %.3e, H1 %.3e",
                e->L2 / e->exact_L2, e->Linf / e->exact_Linf, e->H1 / e->exact_H1);
    if (result->has_pressure_error)
        sab_say(term, "               pressure where the material yields: L2 %.3e",
                result->pressure_error / result->pressure_scale);
    for (int i = 0; i < session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        if (p->probe->kind == SAB_PROBE_LINE)
            sab_say(term, "probe          %s: profiles/%s.csv", p->probe->name, p->probe->name);
        else if (p->components == 1)
            sab_say(term, "probe          %s = %.10g", p->probe->name, p->value[0]);
        else
            sab_say(term, "probe          %s = [%.10g, %.10g%s]", p->probe->name, p->value[0],
                    p->value[1], p->components > 2 ? ", ..." : "");
    }
    sab_say(term, "result         %s: %s", directory, result->status);
}

int sab_command_run(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    const double cpu_start = sab_cpu_seconds();
    char directory[PATH], path[PATH + 64];
    sab_session session = {0};
    sab_watch watch = {0};
    sab_run_result result = {.status = "not_converged"};
    const sab_flow_observer observer = {on_row, &watch};

    if (args->resume) {
        status = sab_fail(err, SAB_ERR_USAGE,
                          "--resume: a creeping flow is one solve and has no checkpoint");
        goto cleanup;
    }
    sab_watch_signals();
    SAB_TRY(sab_session_open(args, &term, &session, err));
    sab_session_describe(&session, &term);
    SAB_TRY(prepare_output(args, session.c, directory, err));
    if (args->dump != NULL) {
        SAB_TRY(sab_program_write(args->dump, session.flow->program, err));
        sab_say(&term, "program        written to %s", args->dump);
    }
    sab_watch_begin(&watch, &term, session.c->solver.tolerance, session.c->solver.max_iterations);
    status = sab_flow_solve(session.flow, &observer, &result.report, err);
    sab_progress_end(&term);
    if (status == SAB_INTERRUPTED) {
        sab_warn(&term, "stopped by a signal before the solve ended; nothing was written to %s",
                 directory);
        goto cleanup;
    }
    SAB_TRY(status);
    SAB_TRY(watch.status);
    if (result.report.converged)
        result.status = "converged";

    const double cpu_output = sab_cpu_seconds();
    SAB_TRY(sab_probes_evaluate(session.probes, session.flow, &result.probe, err));
    SAB_TRY(compare_exact(&session, &result, err));
    SAB_TRY(write_result(directory, &session, &result, watch.csv.data, err));
    result.cpu_output = sab_cpu_seconds() - cpu_output;
    result.cpu_total = sab_cpu_seconds() - cpu_start;
    result.wall_total = sab_wall_seconds() - term.started;
    snprintf(path, sizeof path, "%s/summary.json", directory);
    SAB_TRY(sab_summary_write(path, &session, &result, err));
    report_result(&term, &session, &result, directory);
    if (!result.report.converged)
        sab_warn(&term, "the solve missed its tolerance: gap %.3e against %g",
                 result.report.solve.certificate.gap, session.c->solver.tolerance);
cleanup:
    if (status != SAB_OK && status != SAB_INTERRUPTED)
        sab_complain(&term, "%s", message.message);
    sab_watch_end(&watch);
    sab_session_close(&session);
    return status != SAB_OK ? sab_exit_code(status) : result.report.converged ? 0 : 1;
}

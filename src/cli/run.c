/* cli/run.c -- `sablier run`: solve a case and leave its result in a directory. */
#include "base/timer.h"
#include "cli/commands.h"
#include "cli/inertial.h"
#include "cli/watch.h"
#include "flow/law.h"
#include "io/program_file.h"

static bool on_row(void *data, int viscosity_iteration, const sab_report *so_far)
{
    return sab_watch_row(data, viscosity_iteration, so_far);
}

static void report_result(sab_terminal *term, const sab_session *session,
                          const sab_run_result *result)
{
    sab_watch_certificates(term, &result->report.solve, session->c->solver.tolerance);
    if (session->flow->law->rated)
        sab_say(term, "rate law       %d cone programs, residual %.2e (tolerance %g)",
                result->report.viscosity_iterations, result->report.rate_residual,
                session->c->solver.tolerance);
    sab_summary_say_volume(result, term);
    sab_summary_say_exact(result, term);
    for (int i = 0; i < session->c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        if (sab_probe_is_profile(p->probe))
            sab_say(term, "probe          %s: profiles/%s.csv", p->probe->name, p->probe->name);
        else if (p->components == 1)
            sab_say(term, "probe          %s = %.10g", p->probe->name, p->value[0]);
        else
            sab_say(term, "probe          %s = [%.10g, %.10g%s]", p->probe->name, p->value[0],
                    p->value[1], p->components > 2 ? ", ..." : "");
    }
}

static void warn_missed(sab_terminal *term, const sab_session *session,
                        const sab_flow_report *report)
{
    if (report->converged)
        return;
    if (report->missed.by == SAB_MISS_RATE)
        sab_warn(term,
                 "not converged (mu_i or material.viscosity): rate residual %.1e against %g after "
                 "%d cone programs",
                 report->rate_residual, session->c->solver.tolerance, report->viscosity_iterations);
    else
        sab_watch_missed(term, &report->solve, session->c->solver.tolerance);
}

int sab_command_run(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    const double cpu_start = sab_cpu_seconds();
    sab_session session = {0};
    sab_result_place place = {0};
    sab_watch watch = {0};
    sab_run_result result = {.term = &term, .status = "not_converged"};
    const sab_flow_observer observer = {on_row, &watch};
    int missed = 0;

    sab_watch_signals();
    SAB_TRY(sab_session_read(args, &session, err));
    SAB_TRY(sab_result_choose(args, session.c, &place, err));
    SAB_TRY(sab_session_build(&session, !args->resume, &term, err));
    sab_session_describe(&session, &term);
    SAB_TRY(sab_result_prepare(&place, err));
    if (session.c->time.scheme == SAB_INERTIAL) {
        SAB_TRY(sab_inertial_run(args, &session, &place, &term, cpu_start, &missed, err));
        goto cleanup;
    }
    if (args->dump != NULL) {
        SAB_TRY(sab_program_write(args->dump, session.flow->program, err));
        sab_say(&term, "program        written to %s", args->dump);
    }
    sab_watch_begin(&watch, &term, session.c->solver.tolerance, session.c->solver.max_iterations);
    status = sab_flow_solve(session.flow, &observer, &result.report, err);
    sab_progress_end(&term);
    if (status == SAB_INTERRUPTED) {
        sab_warn(&term, "stopped by a signal before the solve ended; nothing was written to %s",
                 place.directory);
        goto cleanup;
    }
    if (status == SAB_ERR_INPUT)
        sab_case_place(session.c, err);
    SAB_TRY(status);
    SAB_TRY(watch.status);
    if (result.report.converged)
        result.status = "converged";
    else if (result.report.missed.by == SAB_MISS_INFEASIBLE)
        result.status = "infeasible";
    SAB_TRY(sab_probes_evaluate(session.probes, session.flow, &result.probe, err));
    result.volume = sab_flow_volume(session.flow, result.report.solve.certificate.stress);
    SAB_TRY(sab_summary_exact(&session, 0.0, &result, err));
    SAB_TRY(sab_session_recover(&session, &result.shown, err));
    report_result(&term, &session, &result);
    warn_missed(&term, &session, &result.report);
    sab_session_warn_pressure(&session, &term, &result.shown);
    SAB_TRY(
        sab_result_write(&place, &session, watch.csv.data, cpu_start, term.started, &result, err));
    sab_say(&term, "result         %s: %s", place.directory, result.status);
    missed = result.report.converged ? 0 : 1;
cleanup:
    if (status != SAB_OK)
        sab_result_abandon(&place);
    if (status != SAB_OK && status != SAB_INTERRUPTED)
        sab_complain(&term, message.message);
    sab_watch_end(&watch);
    sab_session_close(&session);
    return status != SAB_OK ? sab_exit_code(status) : missed > 0 ? 1 : 0;
}

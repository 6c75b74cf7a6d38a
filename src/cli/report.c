/* cli/report.c -- what came out of a run, on the terminal. */
#include "cli/describe.h"
#include "cli/watch.h"
#include "flow/law.h"

#include <stdio.h>

/* ---- every flow ------------------------------------------------------------------------------ */

/* "0.25", "[1, 2, 3]"; of long ones the beginning. */
typedef struct list {
    char text[96];
} list;

static list list_of(int digits, int n, const double *value)
{
    const int shown = n <= SAB_DIM ? n : 2;
    list l;
    size_t end = 0;

    for (int i = 0; i < shown && end < sizeof l.text; i++)
        end += (size_t)snprintf(l.text + end, sizeof l.text - end, "%s%.*g%s",
                                i > 0   ? ", "
                                : n > 1 ? "["
                                        : "",
                                digits, value[i],
                                i + 1 < shown || n == 1 ? ""
                                : n > shown             ? ", ...]"
                                                        : "]");
    return l;
}

static void say_exact(const sab_run_result *result, sab_terminal *term)
{
    const sab_error_norms *e = &result->error;

    if (result->has_velocity_error && e->exact_Linf > 0.0)
        sab_say(term, "exact solution error relative to it: L2 %.3e, max %.3e, H1 %.3e",
                e->L2 / e->exact_L2, e->Linf / e->exact_Linf, e->H1 / e->exact_H1);
    else if (result->has_velocity_error)
        sab_say(term, "exact solution rest; the velocity is L2 %.3e, max %.3e, H1 %.3e", e->L2,
                e->Linf, e->H1);
    if (result->has_pressure_error && result->pressure_scale > 0.0) /* else nothing yields */
        sab_say(term, "               pressure where the material yields: L2 %.3e",
                result->pressure_error / result->pressure_scale);
}

static void say_volume(const sab_run_result *result, sab_terminal *term)
{
    const sab_volume *v = &result->volume;
    char dilatancy[40] = "";

    if (!sab_volume_flows(v) || result->report.solve.certificate.at_rest)
        return;
    if (v->dilatancy > 1e-9 * v->outflow)
        snprintf(dilatancy, sizeof dilatancy, "dilatancy %.1f, ",
                 100.0 * sab_volume_share(v, v->dilatancy));
    sab_say(term,
            "volume         %+.1f %% of outflow: %sparting %.1f, barrier %.1f, "
            "compaction %.1f",
            100.0 * sab_volume_share(v, v->net), dilatancy, 100.0 * sab_volume_share(v, v->parting),
            100.0 * sab_volume_share(v, v->barrier), -100.0 * sab_volume_share(v, v->compaction));
}

/* ---- creeping -------------------------------------------------------------------------------- */

static void report_creeping(const sab_run *run, sab_terminal *term)
{
    const sab_run_result *result = &run->result;
    const double tolerance = run->session.c->solver.tolerance;

    sab_watch_certificates(term, &result->report.solve, tolerance);
    if (run->session.flow->law->rated)
        sab_say(term, "rate law       %d cone programs, residual %.2e (tolerance %g)",
                result->report.viscosity_iterations, result->report.rate_residual, tolerance);
    say_volume(result, term);
    say_exact(result, term);
    for (int i = 0; i < run->session.c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        if (sab_probe_is_profile(p->probe))
            sab_say(term, "probe          %s: profiles/%s.csv", p->probe->name, p->probe->name);
        else
            sab_say(term, "probe          %s = %s", p->probe->name,
                    list_of(10, p->components, p->value).text);
    }
}

/* ---- inertial -------------------------------------------------------------------------------- */

static void say_probes(const sab_run *run, sab_terminal *term)
{
    const double *mean = run->result.mean + SAB_HISTORY_FIXED;
    const double *deviation = run->result.deviation + SAB_HISTORY_FIXED;

    for (int i = 0; i < run->session.c->nprobes; i++) {
        const sab_probe_result *p = &run->result.probe[i];

        if (sab_probe_is_profile(p->probe)) {
            sab_say(term, "probe          %s: profiles/%s.csv, means with their deviations",
                    p->probe->name, p->probe->name);
            continue;
        }
        sab_say(term, "probe          %s = %s +/- %s", p->probe->name,
                list_of(8, p->components, mean).text, list_of(2, p->components, deviation).text);
        mean += p->components;
        deviation += p->components;
    }
}

static void say_transport(const sab_march *m, sab_terminal *term)
{
    const sab_transport_report *feet = &sab_march_flow_of(m)->transport;
    const double n = (double)feet->points;

    sab_say(term, "transport      %.0f feet per step, %.3g sides crossed by each, at most %d",
            n / m->rows, (double)feet->steps / n, feet->longest);
    sab_say(term, "               %.2g %% held by walls, %.2g %% from outside; CPU %.2g s per step",
            100.0 * (double)feet->clamped / n, 100.0 * (double)feet->left / n,
            sab_march_flow_of(m)->cpu_transport / m->rows);
}

/* Where the energy of the run came from. */
static void say_energy(const sab_march *m, sab_terminal *term)
{
    const sab_march_energy e = sab_march_energies(m);

    if (e.work > 0.0)
        sab_say(
            term, "energy         of the work %.2g became heat, %.2g left; %.2g came of nothing",
            (e.sum.viscous + e.sum.friction) / e.work, (e.sum.out - e.sum.in) / e.work, e.share);
}

static void report_inertial(const sab_run *run, sab_terminal *term)
{
    const sab_march *m = run->march;
    const sab_run_result *result = &run->result;
    const sab_case *c = run->session.c;
    const sab_report *t = &m->total.solve;
    const sab_march_figures f = sab_summary_figures(m);
    const double n = m->rows;

    sab_say(term, "end            %s after %d steps, at time %g; means over the last %d steps",
            m->end == SAB_MARCH_STEADY     ? "steady"
            : m->end == SAB_MARCH_FINISHED ? "time.end"
            : m->end == SAB_MARCH_UNSTABLE ? "unstable"
                                           : "given up",
            m->rows, sab_march_time(m), result->window);
    say_probes(run, term);
    say_exact(result, term);
    sab_say(term, "work per step  %.3g outer, %.4g inner, %.3g factorisations, %.4g solves",
            t->work.outer / n, t->work.inner / n, t->work.factorisations / n, t->work.solves / n);
    sab_say(term, "               CPU %.3g s = %.3g factorisations of A; %d retries in all",
            t->work.cpu_total / n, f.cpu_per_step, f.retries);
    say_transport(m, term);
    if (result->courant > 0.0)
        sab_say(term, "courant        |u| step/h up to %.3g; step %.3g would give 1",
                result->courant, c->time.step / result->courant);
    say_energy(m, term);
    sab_say(term, "worst step     %d: G = %.3e, C = %.3e (tolerance %g); %d steps missed",
            f.worst_step, f.worst_gap, f.worst_compaction, c->solver.tolerance, f.missed);
    say_volume(result, term);
}

void sab_describe_result(const sab_run *run, sab_terminal *term)
{
    if (sab_march_is_creeping(run->march))
        report_creeping(run, term);
    else
        report_inertial(run, term);
}

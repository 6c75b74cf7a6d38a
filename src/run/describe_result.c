/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/describe_result.c -- what came out of a run, in words. */
#include "flow/law.h"
#include "run/describe.h"
#include "run/scene_report.h"

#include <math.h>
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

static void say_exact(const sab_run_result *result, const sab_teller *out)
{
    const sab_error_norms *e = &result->error;

    if (result->has_velocity_error && e->exact_Linf > 0.0)
        sab_tell(out, "exact solution error relative to it: L2 %.3e, max %.3e, H1 %.3e",
                 e->L2 / e->exact_L2, e->Linf / e->exact_Linf, e->H1 / e->exact_H1);
    else if (result->has_velocity_error)
        sab_tell(out, "exact solution rest; the velocity is L2 %.3e, max %.3e, H1 %.3e", e->L2,
                 e->Linf, e->H1);
    if (result->has_pressure_error && result->pressure_scale > 0.0) /* else nothing yields */
        sab_tell(out, "               pressure where the material yields: L2 %.3e",
                 result->pressure_error / result->pressure_scale);
}

static void say_volume(const sab_run_result *result, const sab_teller *out)
{
    const sab_volume *v = &result->volume;
    char dilatancy[40] = "";

    if (!sab_volume_flows(v) || result->report.solve.certificate.at_rest)
        return;
    if (v->dilatancy > 1e-9 * v->outflow)
        snprintf(dilatancy, sizeof dilatancy, "dilatancy %.1f, ",
                 100.0 * sab_volume_share(v, v->dilatancy));
    sab_tell(out,
             "volume         %+.1f %% of outflow: %sparting %.1f, barrier %.1f, "
             "compaction %.1f",
             100.0 * sab_volume_share(v, v->net), dilatancy,
             100.0 * sab_volume_share(v, v->parting), 100.0 * sab_volume_share(v, v->barrier),
             -100.0 * sab_volume_share(v, v->compaction));
}

void sab_describe_certificates(const sab_report *r, double tolerance, const sab_teller *out)
{
    const sab_certificate *c = &r->certificate;

    sab_tell(out, "method         %s: %s after %d outer, %d inner iterations",
             sab_method_table[r->method].name, sab_reason_text(r->reason), r->work.outer,
             r->work.inner);
    if (out->verbose)
        sab_tell(
            out, "work           %d factorisations, %d solves; CPU %.3g s = %.3g factorisations",
            r->work.factorisations, r->work.solves, r->work.cpu_total,
            r->work.cpu_one_factorisation > 0.0 ? r->work.cpu_total / r->work.cpu_one_factorisation
                                                : NAN);
    if (c->idle || c->contact)
        sab_tell(out, "%-14s natural residual %.3e of that of the unresisted flow (tolerance %g)",
                 c->at_rest ? "at rest"
                 : c->idle  ? "no dissipation"
                            : "contacts",
                 c->relative, tolerance);
    else
        sab_tell(out, "power gap      G = %.3e (friction %.1e, normal %.1e; tolerance %g)", c->gap,
                 c->gap_friction, c->gap_normal, tolerance);
    sab_tell(out, "certificates   compaction C = %.3e, momentum %.3e", c->compaction, c->momentum);
    if (out->verbose)
        sab_tell(out, "               natural %.3e (max %.3e)", c->natural, c->natural_max);
}

/* The numbers of a probe in SI, and of all copies where the case has a part of the whole. */
static void say_si(const sab_case *c, const sab_probe_result *p, const double *value,
                   const sab_teller *out)
{
    sab_dimension dimension;
    double scale, si[SAB_TENSOR] = {0.0};
    bool extensive;
    char unit[40] = "";
    const bool known =
        sab_units_of_probe(p->probe, c->geometry, &c->units, &dimension, &scale, &extensive) &&
        c->units.given && isfinite(scale);

    for (int i = 0; i < p->components && i < SAB_TENSOR; i++)
        si[i] = known ? scale * value[i] : value[i];
    if (known) {
        sab_dimension_name(dimension, unit, sizeof unit);
        sab_tell(out, "               = %s %s", list_of(6, p->components, si).text, unit);
    }
    if (extensive && c->symmetry > 1)
        sab_tell(out, "               the whole, %d of it: %.6g %s", c->symmetry,
                 c->symmetry * si[0], unit);
}

/* What a designer reads first of a wall load, and what is not determined. */
static void say_load(const sab_run *run, int probe, const sab_teller *out)
{
    sab_load_figures f;
    sab_error ignored = {0};
    char note[SAB_LOAD_NOTE];

    if (sab_summary_load(&run->session, &run->result, probe, &f, NULL, &ignored) != SAB_OK)
        return; /* it is in the summary, whose failure is told */
    sab_tell(out, "               %s flow, least slip %.2g of the mean velocity; K = %.3g",
             f.verdict, f.slip_ratio, f.K);
    if (f.hopper_peak > 0.0 && f.bin_peak > 0.0)
        sab_tell(out, "               peak below the transition %.3g, %.3g times the bin's",
                 f.hopper_peak, f.switch_ratio);
    if (f.bottom_share > 0.0)
        sab_tell(out, "               bottom %.4g, %.3g of the weight", f.bottom, f.bottom_share);
    sab_wall_load_note(&f, "\n               ", note);
    if (note[0] != '\0')
        sab_tell(out, "               %s", note);
}

/* ---- creeping -------------------------------------------------------------------------------- */

static void report_creeping(const sab_run *run, const sab_teller *out)
{
    const sab_run_result *result = &run->result;
    const double tolerance = run->session.c->solver.tolerance;

    sab_describe_certificates(&result->report.solve, tolerance, out);
    if (run->session.flow->law->rated)
        sab_tell(out, "rate law       %d cone programs, residual %.2e (tolerance %g)",
                 result->report.viscosity_iterations, result->report.rate_residual, tolerance);
    say_volume(result, out);
    say_exact(result, out);
    for (int i = 0; i < run->session.c->nprobes; i++) {
        const sab_probe_result *p = &result->probe[i];

        if (sab_probe_is_profile(p->probe))
            sab_tell(out, "probe          %s: profiles/%s.csv", p->probe->name, p->probe->name);
        else
            sab_tell(out, "probe          %s = %s", p->probe->name,
                     list_of(10, p->components, p->value).text);
        if (!sab_probe_is_profile(p->probe))
            say_si(run->session.c, p, p->value, out);
        if (p->load != NULL)
            say_load(run, i, out);
    }
}

/* ---- inertial -------------------------------------------------------------------------------- */

static void say_probes(const sab_run *run, const sab_teller *out)
{
    const double *mean = run->result.mean + run->march->fixed;
    const double *deviation = run->result.deviation + run->march->fixed;

    for (int i = 0; i < run->session.c->nprobes; i++) {
        const sab_probe_result *p = &run->result.probe[i];

        if (sab_probe_is_profile(p->probe)) {
            sab_tell(out, "probe          %s: profiles/%s.csv, means with their deviations",
                     p->probe->name, p->probe->name);
            if (p->load != NULL)
                say_load(run, i, out);
            continue;
        }
        sab_tell(out, "probe          %s = %s +/- %s", p->probe->name,
                 list_of(8, p->components, mean).text, list_of(2, p->components, deviation).text);
        say_si(run->session.c, p, mean, out);
        mean += p->components;
        deviation += p->components;
    }
}

static void say_transport(const sab_march *m, const sab_teller *out)
{
    const sab_transport_report *feet = &sab_march_flow_of(m)->transport;
    const double n = (double)feet->points;

    sab_tell(out, "transport      %.0f feet per step, %.3g sides crossed by each, at most %d",
             n / m->rows, (double)feet->steps / n, feet->longest);
    sab_tell(out, "               %.2g %% held by walls, %.2g %% from outside; CPU %.2g s per step",
             100.0 * (double)feet->clamped / n, 100.0 * (double)feet->left / n,
             sab_march_flow_of(m)->cpu_transport / m->rows);
}

/* What developers want to know. */
static void say_work(const sab_run *run, const sab_march_figures *f, const sab_teller *out)
{
    const sab_march *m = run->march;
    const sab_work *w = &m->total.solve.work;
    const double n = m->rows, courant = run->result.courant;

    sab_tell(out, "work per step  %.3g outer, %.4g inner, %.3g factorisations, %.4g solves",
             w->outer / n, w->inner / n, w->factorisations / n, w->solves / n);
    sab_tell(out, "               CPU %.3g s = %.3g factorisations of A; %d retries in all",
             w->cpu_total / n, f->cpu_per_step, f->retries);
    say_transport(m, out);
    if (courant > 0.0)
        sab_tell(out, "courant        |u| step/h up to %.3g; step %.3g would give 1", courant,
                 run->session.c->time.step / courant);
}

/* Where the energy of the run came from. */
static void say_energy(const sab_march *m, const sab_teller *out)
{
    const sab_march_energy e = sab_march_energies(m);

    if (e.work > 0.0)
        sab_tell(
            out, "energy         of the work %.2g became heat, %.2g left; %.2g came of nothing",
            (e.sum.viscous + e.sum.friction) / e.work, (e.sum.out - e.sum.in) / e.work, e.share);
}

static void report_inertial(const sab_run *run, const sab_teller *out)
{
    const sab_march *m = run->march;
    const sab_run_result *result = &run->result;
    const sab_case *c = run->session.c;
    const sab_march_figures f = sab_summary_figures(m);

    sab_tell(out, "end            %s after %d steps, at time %g; means over the last %d steps",
             m->end == SAB_MARCH_STEADY     ? "steady"
             : m->end == SAB_MARCH_FINISHED ? "time.end"
             : m->end == SAB_MARCH_UNSTABLE ? "unstable"
                                            : "given up",
             m->rows, sab_march_time(m), result->window);
    say_probes(run, out);
    say_exact(result, out);
    if (out->verbose && sab_march_is_flow(m))
        say_work(run, &f, out);
    if (!sab_march_is_flow(m)) {
        sab_describe_scene_result(run, out);
        return;
    }
    say_energy(m, out);
    sab_tell(out, "worst step     %d: G = %.3e, C = %.3e (tolerance %g); %d steps missed",
             f.worst_step, f.worst_gap, f.worst_compaction, c->solver.tolerance, f.missed);
    say_volume(result, out);
}

void sab_describe_result(const sab_run *run, const sab_teller *out)
{
    if (sab_march_is_creeping(run->march))
        report_creeping(run, out);
    else
        report_inertial(run, out);
}

/* ---- what to do next ------------------------------------------------------------------------- */

/* What helps against a miss, by what was missed. */
static const char *remedy(sab_miss by, bool creeping, bool stalled)
{
    switch (by) {
    case SAB_MISS_RATE:
        return "more solver.viscosity_iterations, or a larger I0 or smoother formula";
    case SAB_MISS_INFEASIBLE:
        return "a smaller material.dilatancy, or a side with traction: 0 where grains can expand";
    case SAB_MISS_ENERGY:
        return "a smaller time.step, or a finer mesh where the flow is fast";
    case SAB_MISS_MOMENTUM:
        return "solver.linear: mumps, or units in which numbers are nearer to 1";
    default:
        return !creeping ? "a smaller time.step, or more solver.max_iterations"
               : stalled ? "time.scheme: inertial, whose steps are easier, or solver.method: ipm"
                         : "more solver.max_iterations, or solver.method: ipm";
    }
}

static const char *remedy_of_grains(sab_miss by)
{
    switch (by) {
    case SAB_MISS_OVERLAP:
        return "a smaller grains.travel: what turns, or is squeezed, overlaps less in shorter "
               "steps";
    case SAB_MISS_INFEASIBLE:
        return "walls that leave the grains a way out: they are squeezed between them";
    case SAB_MISS_CHANGE:
        return "grains.law: coulomb, or a larger grains.fixed_point";
    default:
        return "a smaller grains.travel, more solver.max_iterations, or grains.law: relaxed";
    }
}

static void say_creeping_miss(const sab_run *run, const sab_teller *out)
{
    const sab_flow_report *r = &run->result.report;
    const double tolerance = run->session.c->solver.tolerance;

    sab_tell(out, "missed         %s %.2g, tolerance %g: this is the best iterate",
             sab_miss_table[r->missed.by].text, r->missed.value, tolerance);
    sab_tell(out, "try            %s", remedy(r->missed.by, true, r->solve.reason == SAB_STALLED));
    if (r->missed.by == SAB_MISS_GAP && r->missed.value < 0.5)
        sab_tell(out, "               or --set solver.tolerance=%.2g, if that accuracy will do",
                 1.05 * r->missed.value);
}

static void say_inertial_miss(const sab_run *run, const sab_teller *out)
{
    const sab_march_figures f = sab_summary_figures(run->march);

    for (int by = SAB_MISS_NONE + 1; by < SAB_MISS_COUNT; by++)
        if (f.missed_by[by] > 0) {
            sab_tell(out, "missed         %s in %d of %d steps", sab_miss_table[by].text,
                     f.missed_by[by], run->march->rows);
            sab_tell(out, "try            %s",
                     run->session.scene != NULL ? remedy_of_grains((sab_miss)by)
                                                : remedy((sab_miss)by, false, false));
        }
}

void sab_describe_next(const sab_run *run, const sab_teller *out)
{
    const char *directory = run->place.directory;

    if (sab_march_is_creeping(run->march)) {
        if (!run->result.report.converged)
            say_creeping_miss(run, out);
    } else {
        say_inertial_miss(run, out);
    }
    sab_tell(out, "next           sablier report %s, or open %s/%s.pvd in ParaView", directory,
             directory, run->session.c->has_grains ? "grains" : "fields");
}

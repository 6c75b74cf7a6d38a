/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/verdict.h"
#include "fem/transport.h"
#include "linalg/server.h"
#include "run/scene_report.h"

#include <math.h>
#include <stdio.h>

/* Part of the outflow beyond which volume made or lost by the solver is worth a warning. */
static const double VOLUME_ERROR = 0.02;
/* The same of volume that appears where grains part, in time steps: what flows in is short of it.
 */
static const double VOLUME_PARTED = 0.05;
/* Stable pairs stay below (docs/theory.md, 10). */
static const double ROUGH_PRESSURE = 0.3;
/* Inf-sup constants were measured down to 0.45 (docs/theory.md, 10.1). */
static const double FLAT_ELEMENT = 0.1;
/* Share of the mesh outside that of initial.from: more than two meshes of one curve differ by. */
static const double OUTSIDE_MESH = 0.01;
/* Share of grains without room: what short flows keep below without being corrected. */
static const double EXCESS = 0.01;

/* ---- before ---------------------------------------------------------------------------------- */

/* A node that a slip wall shares with an entry that moves through it. */
static void warn_corners(const sab_session *session, sab_warnings *warnings)
{
    const sab_boundary *boundary = session->c->boundary;

    for (int k = 0; k < session->held->nconcessions; k++) {
        const sab_concession *at = &session->held->concession[k];
        char place[SAB_PLACE_TEXT];

        if (boundary[at->other].slip)
            sab_warnings_add(warnings,
                             "'%s' moves through the slip wall '%s' where they meet (%d %s %s)",
                             boundary[at->holder].group, boundary[at->other].group, at->nodes,
                             at->nodes > 1 ? "nodes, the first at" : "node, at",
                             sab_place_text(session->mesh->cell->dim, at->place, place));
    }
}

/* The law has a solution there too, so it is no error; but it is not that of grains
 * [docs/theory.md, 2.5]. */
static void warn_friction(const sab_session *session, sab_warnings *warnings)
{
    const double friction = sab_session_friction(session).high;

    if (friction >= 1.0)
        sab_warnings_add(
            warnings,
            "%s: %g; from 1 on there is no friction angle in the plane (friction = "
            "sin(angle)), stresses may reach tension, and slopes of any angle can rest",
            session->c->material.has_mu_i ? "material.mu_i.dynamic" : "material.friction",
            friction);
}

/* The pair is stable with a constant that falls with the worst shape [docs/theory.md, 10.1]. */
static void warn_mesh(const sab_session *session, sab_warnings *warnings)
{
    const sab_memory_needs memory = sab_session_memory(session);
    char place[SAB_PLACE_TEXT];

    if (session->shape < FLAT_ELEMENT)
        sab_warnings_add(
            warnings,
            "mesh.file: the worst shape of an element is %.2g (1: regular, 0: flat), "
            "at %s; below %g pressures nearby deserve no trust, and far below the solver may "
            "stall, or find its matrix singular",
            session->shape, sab_place_text(session->mesh->cell->dim, session->shape_at, place),
            FLAT_ELEMENT);
    if (memory.machine > 0.0 && memory.needed > memory.machine)
        sab_warnings_add(warnings,
                         "the run will need about %.3g GB of memory, and this machine has %.3g; "
                         "about %.2g elements would fit",
                         1e-9 * memory.needed, 1e-9 * memory.machine, memory.elements);
}

void sab_session_warn(const sab_session *session, sab_warnings *warnings)
{
    char place[SAB_PLACE_TEXT];

    if (session->scene != NULL) {
        sab_warn_scene(session->scene, warnings);
        return;
    }
    const sab_boundary_report *report = &session->flow->boundaries;
    const sab_factor_info factor = sab_factor_get_info(sab_solver_factor(session->flow->solver));
    warn_corners(session, warnings);
    if (report->uncovered > 0)
        sab_warnings_add(
            warnings,
            "%d boundary sides belong to no group (the first is at %s): they are free of "
            "traction",
            report->uncovered, sab_place_text(session->mesh->cell->dim, report->place, place));
    warn_mesh(session, warnings);
    warn_friction(session, warnings);
    if (factor.processes < sab_server_processes())
        sab_warnings_add(warnings,
                         "solver.linear: %s works on one process, and the other %d wait; give auto "
                         "or mumps, or do without mpirun",
                         factor.backend, sab_server_processes() - 1);
    if (!sab_session_stable(session))
        sab_warnings_add(warnings,
                         "mesh.split: none is the plain P2/P1 pair: stable on special meshes only; "
                         "do not trust point values of its pressure (mesh.element: p2b is stable)");
}

/* ---- after: every flow ----------------------------------------------------------------------- */

/* A start from another mesh, a part of which is not there. */
static void warn_start(sab_run *run)
{
    const sab_transfer_report *r = &run->session.transfer;

    if (r->outside > OUTSIDE_MESH)
        sab_warnings_add(&run->warnings,
                         "initial.from: %.2g %% of this mesh is outside that of the state: the "
                         "velocity there is that of the nearest boundary, up to %.2g away",
                         100.0 * r->outside, r->farthest);
}

static void warn_volume(sab_run *run)
{
    const sab_volume *v = &run->result.volume;
    const double error = sab_volume_share(v, v->barrier - v->compaction);

    if (sab_volume_flows(v) && !run->result.report.solve.certificate.at_rest &&
        fabs(error) > VOLUME_ERROR)
        sab_warnings_add(&run->warnings,
                         "%.2g %% of the outflow is volume %s by the tolerance, not by the "
                         "material; lower solver.tolerance",
                         100.0 * fabs(error), error > 0.0 ? "made" : "lost");
    if (sab_volume_flows(v) && run->session.c->time.scheme == SAB_INERTIAL &&
        sab_volume_share(v, v->parting) > VOLUME_PARTED)
        sab_warnings_add(&run->warnings,
                         "%.2g %% of the outflow is volume that appears where grains part, and "
                         "does not come in: the domain does not stay full; where material is fed, "
                         "give its velocity",
                         100.0 * sab_volume_share(v, v->parting));
}

static void warn_solve(sab_run *run, const sab_report *report)
{
    char sentence[SAB_WARNING_LENGTH];

    sab_warnings_add(
        &run->warnings, "%s",
        sab_missed_text(report, run->session.c->solver.tolerance, sentence, sizeof sentence));
}

static void warn_pressure(sab_run *run)
{
    const double oscillation = run->result.shown.oscillation;

    if (!sab_session_stable(&run->session) && oscillation > ROUGH_PRESSURE)
        sab_warnings_add(
            &run->warnings,
            "the pressure oscillates inside elements (by %.2g of the stresses of the flow): "
            "the plain pair is unstable on this mesh; use mesh.split: alfeld or mesh.element: "
            "p2b",
            oscillation);
}

/* ---- creeping -------------------------------------------------------------------------------- */

static void warn_creeping(sab_run *run)
{
    const sab_flow_report *report = &run->result.report;

    if (report->converged)
        return;
    if (report->missed.by == SAB_MISS_RATE)
        sab_warnings_add(
            &run->warnings,
            "not converged (mu_i or material.viscosity): rate residual %.1e against %g after "
            "%d cone programs",
            report->rate_residual, run->session.c->solver.tolerance, report->viscosity_iterations);
    else
        warn_solve(run, &report->solve);
}

/* ---- inertial -------------------------------------------------------------------------------- */

/* How many steps missed what. */
static void warn_missed(sab_run *run, const sab_march_figures *f)
{
    char list[800] = "";
    size_t n = 0;

    for (int by = SAB_MISS_NONE + 1; by < SAB_MISS_COUNT; by++)
        if (f->missed_by[by] > 0 && n < sizeof list)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%d by %s", n > 0 ? ", " : "",
                                  f->missed_by[by], sab_miss_table[by].text);
    if (f->missed > 0)
        sab_warnings_add(
            &run->warnings,
            "%d of %d steps missed the tolerance %g: %s; the largest of step %d: G = %.2g, "
            "C = %.2g",
            f->missed, run->march->rows, run->session.c->solver.tolerance, list, f->worst_step,
            f->worst_gap, f->worst_compaction);
}

/* Where the energy of the run came from, and whether that can be believed. */
static void warn_energy(sab_run *run, const sab_march_energy *e)
{
    const sab_march *m = run->march;
    sab_warnings *warnings = &run->warnings;

    if (m->end == SAB_MARCH_UNSTABLE)
        sab_warnings_add(
            warnings,
            "unstable: in step %d, at time %g, the energy grew by more than the work done on "
            "the material, also with smaller steps; refine the mesh where the flow is fast, "
            "give its velocity where material enters, or use a smaller time.step",
            m->rows, sab_march_time(m));
    else if (e->unsound > 0)
        sab_warnings_add(
            warnings,
            "%d of %d steps are unsound: energy appears from nowhere; use a smaller time.step, "
            "or refine the mesh where it is fast",
            e->unsound, m->rows);
    if (e->share > SAB_MADE_OF_NOTHING && e->parting > 0.5 * e->share)
        sab_warnings_add(
            warnings,
            "%.2g %% of the work done on the material came with volume that appears where "
            "grains part, more than %g %%: this domain does not stay full",
            100.0 * e->share, 100.0 * SAB_MADE_OF_NOTHING);
    else if (e->share > SAB_MADE_OF_NOTHING)
        sab_warnings_add(
            warnings,
            "%.2g %% of the work done on the material was made of nothing by the time steps, "
            "more than %g %%; use a smaller time.step%s",
            100.0 * e->share, 100.0 * SAB_MADE_OF_NOTHING,
            run->session.c->time.order == 1 ? ", or time.order: 2" : "");
}

/* Beyond what the time scheme takes [docs/theory.md, 3.3]? Without viscosity every mesh is; what
 * the steps made then tells, a tenth of what is refused. */
static void warn_advection(sab_run *run, const sab_march_energy *e)
{
    const sab_case *c = run->session.c;
    const int order = c->time.order;
    const double limit =
        sab_transport_limit(c->element, sab_session_is_split(&run->session), order);

    if (run->session.flow->surface != NULL || !(run->result.cell_reynolds > limit))
        return;
    if (isfinite(run->result.cell_reynolds) || e->share > 0.1 * SAB_MADE_OF_NOTHING)
        sab_warnings_add(
            &run->warnings,
            "advection may be under-resolved on this mesh: |u| h Re up to %.3g, above %g; "
            "refine where it is fast%s",
            run->result.cell_reynolds, limit, order == 2 ? ", or use time.order: 1" : "");
}

/* Grains where there is no room for them: nothing in the law takes that back. */
static void warn_excess(sab_run *run)
{
    const sab_surface *surface = run->session.flow->surface;
    const double excess = surface != NULL ? sab_filling_excess(surface->fill) : 0.0;

    if (excess > EXCESS)
        sab_warnings_add(&run->warnings,
                         "%.2g %% of the grains stand where there is no room for them, more than "
                         "%g %%%s: volume has been lost",
                         100.0 * excess, 100.0 * EXCESS,
                         surface->room == NULL ? " (surface.correct is off)" : "");
}

/* Grains that go too far even in the shortest steps that are allowed. */
static void warn_courant(sab_run *run)
{
    static const double much = 1.25; /* that of flow/step.c, which takes finer ones beyond it */
    const sab_march *m = run->march;
    const sab_case_time *t = &run->session.c->time;
    double largest = 0.0;
    int fast = 0;

    for (int i = 0; i < m->rows && t->smallest > 0.0; i++) {
        const double *row = m->history + (size_t)i * (size_t)m->columns;

        largest = fmax(largest, row[SAB_HISTORY_COURANT]);
        fast += row[SAB_HISTORY_COURANT] > much * t->courant;
    }
    if (fast > 0)
        sab_warnings_add(&run->warnings,
                         "in %d of %d steps grains went farther than time.courant: %g of an "
                         "element, up to %.3g; use a smaller time.%s",
                         fast, m->rows, t->courant, largest,
                         run->session.flow->setup.levels > 0 ? "smallest" : "step");
}

static void warn_inertial(sab_run *run)
{
    const sab_march *m = run->march;
    const sab_march_figures f = sab_summary_figures(m);
    const sab_march_energy energy = sab_march_energies(m);

    if (m->end == SAB_MARCH_GIVEN_UP)
        sab_warnings_add(&run->warnings,
                         "given up after %d step%s that missed the tolerance or were unsound "
                         "(time.max_missed: %d)",
                         f.missed, f.missed == 1 ? "" : "s", m->options.max_missed);
    else if (m->end == SAB_MARCH_INFEASIBLE)
        warn_solve(run, &m->total.solve);
    warn_missed(run, &f);
    if (run->had_angle) /* a formula of time may lose it */
        warn_friction(&run->session, &run->warnings);
    warn_energy(run, &energy);
    warn_advection(run, &energy);
    warn_courant(run);
    warn_excess(run);
}

void sab_run_warn(sab_run *run)
{
    if (run->session.scene != NULL) {
        sab_warn_scene_result(run);
        return;
    }
    warn_start(run);
    warn_volume(run);
    if (sab_march_is_creeping(run->march))
        warn_creeping(run);
    else
        warn_inertial(run);
    warn_pressure(run);
}

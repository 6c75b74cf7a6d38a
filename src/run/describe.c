/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/describe.h"
#include "flow/law.h"
#include "flow/pace.h"
#include "run/scene_report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void sab_tell(const sab_teller *out, const char *format, ...)
{
    char line[4000];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    out->line(out->data, line);
}

void sab_tell_warning(const sab_teller *out, const char *format, ...)
{
    char sentence[4000];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    out->warning(out->data, sentence);
}

/* "0.5", or "0.3 to 0.5" where a formula varies. */
static void say_range(const sab_teller *out, const char *name, sab_range r, const char *meaning)
{
    if (r.low == r.high || r.high - r.low <= 1e-12 * fabs(r.high)) /* also inf */
        sab_tell(out, "  %-12s %-14.6g %s", name, r.high, meaning);
    else
        sab_tell(out, "  %-12s %.6g to %-8.6g %s", name, r.low, r.high, meaning);
}

/* "30", "17.5 to 30", "none" */
static const char *angle_text(sab_range angle, char *text, size_t size)
{
    if (isnan(angle.low))
        snprintf(text, size, "none");
    else if (isnan(angle.high))
        snprintf(text, size, "%.6g to none", angle.low);
    else if (angle.high - angle.low <= 1e-12 * angle.high)
        snprintf(text, size, "%.6g", angle.high);
    else
        snprintf(text, size, "%.6g to %.6g", angle.low, angle.high);
    return text;
}

enum { ANGLE_TEXT = 100 };

/* "30 in extension (as given)," */
static const char *angle_in(const sab_session *session, int mode, char text[ANGLE_TEXT])
{
    const sab_material *m = &session->c->material;
    char angle[60];

    angle_text(sab_session_friction_angle(session, (sab_friction_mode)mode), angle, sizeof angle);
    snprintf(text, ANGLE_TEXT, "%s in %s%s%s", angle,
             mode == SAB_FRICTION_PLANE ? "plane strain" : sab_friction_mode_name[mode],
             m->friction_is_angle && mode == (int)m->friction_in ? " (as given)" : "",
             mode == SAB_FRICTION_MODES - 1 ? " (degrees)" : ",");
    return text;
}

/* What the coefficient is as an angle: by the motion that the case names, and all others too where
 * they differ from each other (one cone fits one of them). */
static void say_angles(const sab_session *session, const sab_teller *out)
{
    static const char *const meaning[SAB_FRICTION_MODES] = {
        [SAB_FRICTION_PLANE] = "friction = sin(angle) in the plane",
        [SAB_FRICTION_SHEAR] = "friction = tan(angle) in shear without dilatancy",
    };
    const sab_material *m = &session->c->material;
    const bool plane = session->c->geometry->d == 2;
    char first[ANGLE_TEXT], second[ANGLE_TEXT], text[60];

    if (plane) {
        angle_text(sab_session_friction_angle(session, m->friction_in), text, sizeof text);
        sab_tell(out, "  %-12s %-14s degrees: %s", "angle", text, meaning[m->friction_in]);
        return;
    }
    for (int mode = 0; mode < SAB_FRICTION_MODES; mode += 2) /* two on a line */
        sab_tell(out, "  %-12s %s %s", mode == 0 ? "angle" : "", angle_in(session, mode, first),
                 angle_in(session, mode + 1, second));
}

static const char *geometry_text(const sab_geometry *geometry)
{
    return geometry->axis       ? "axisymmetric about x = 0: fluxes, forces and volumes are of "
                                  "the\n               whole body (2 pi r)"
           : geometry->dim == 2 ? "plane: fluxes, forces and volumes are per length across it"
                                : geometry->name;
}

static void describe_units(const sab_case *c, const sab_teller *out)
{
    const sab_units *u = &c->units;

    if (!u->given) {
        sab_tell(out,
                 "  units        lengths L, times sqrt(L/g), speeds sqrt(g L), stresses rho g L");
        return;
    }
    sab_tell(out, "  units        L = %.6g m, sqrt(L/g) = %.6g s, sqrt(g L) = %.6g m/s", u->length,
             sab_units_scale(u, (sab_dimension){.s = 1}),
             sab_units_scale(u, (sab_dimension){.m = 1, .s = -1}));
    if (u->has_density)
        sab_tell(out, "               rho = %.6g kg/m^3, rho g L = %.6g Pa", u->density,
                 sab_units_scale(u, (sab_dimension){.kg = 1, .m = -1, .s = -2}));
}

static void describe_rheology(const sab_session *session, const sab_teller *out)
{
    const sab_program *p = session->flow->program;
    const sab_case *c = session->c;
    const double scale = sab_geometry_normal_scale(c->geometry);
    const int n = session->flow->space->npoints;
    sab_range re = sab_range_of(n, session->flow->law->inverse_reynolds, 1.0);

    re = (sab_range){1.0 / re.high, 1.0 / re.low};
    sab_tell(out, "geometry       %s", geometry_text(c->geometry));
    sab_tell(out, "rheology       %s, viscoplastic Drucker-Prager, %s", c->geometry->name,
             c->time.scheme == SAB_INERTIAL ? "inertial" : "creeping");
    say_range(out, "friction", sab_range_of(n, p->friction, scale),
              "yield when sqrt(J2) = bingham + friction p");
    if (c->material.has_mu_i)
        sab_tell(out, "  %-12s at rest, up to %g as I grows; I0 = %g, grains %g", "",
                 c->material.mu_i.flowing, c->material.mu_i.I0, c->material.mu_i.grain);
    say_angles(session, out);
    say_range(out, "dilatancy", sab_range_of(n, p->dilatancy, scale),
              "0: the volume is kept; = friction: associated");
    if (!sab_program_is_convex(p)) /* cases/silo-round: two patterns on two meshes */
        sab_tell(out, "  %-12s not associated: compare two meshes, the flow may differ", "");
    say_range(out, "bingham", sab_range_of(n, p->yield, 1.0), "yield stress / (rho g L)");
    say_range(out, "reynolds", re, "rho sqrt(g L) L / eta: viscous stress (2/Re) E_b D");
    if (out->verbose || c->material.bulk != 1.0)
        sab_tell(out, "  %-12s %-14.6g %s", "bulk", c->material.bulk,
                 "b of E_b D = Dev D + (b/d) Tr D I");
    if (c->material.has_viscosity)
        sab_tell(out, "  %-12s %-14s %s", "viscosity", "formula",
                 "multiplies 1/Re, of the flow itself");
    describe_units(c, out);
}

static const char *start_of(const sab_session *session)
{
    const sab_case *c = session->c;

    if (session->scene != NULL)
        return sab_scene_moves(session->scene) ? "the velocities of the grains" : "rest";
    return c->has_initial_velocity   ? "initial.velocity"
           : c->initial_from != NULL ? c->initial_from
                                     : "rest";
}

static void describe_time(const sab_session *session, const sab_teller *out)
{
    const sab_case *c = session->c;
    const sab_case_time *t = &c->time;
    const int steps = sab_case_steps(session->c);
    const double end = steps * t->step;

    if (t->scheme == SAB_CREEPING)
        return;
    char shorter[60] = "";
    if (t->smallest > 0.0)
        snprintf(shorter, sizeof shorter, " or less, down to %g,",
                 ldexp(t->step, -sab_pace_levels(t->step, t->smallest)));
    sab_tell(out, "time           order %d, %d steps of %g%s to %g, from %s", t->order, steps,
             t->step, shorter, end, start_of(session));
    if (fabs(end - t->end) > 1e-9 * t->end)
        sab_tell(out, "               time.end: %g is no whole number of steps, the run ends at %g",
                 t->end, end);
    if (t->steady > 0.0 && session->watched >= 0)
        sab_tell(out, "               or when the mean of '%s' over %g changes by less than %g",
                 c->probe[session->watched].name, t->window, t->steady);
    else
        sab_tell(out, "               no test for a steady flow (%s): it runs to the end",
                 t->steady > 0.0 ? "no probe of one number" : "time.steady: 0");
    const double courant =
        session->flow != NULL ? sab_fields_courant(session->flow->fields, t->step) : 0.0;
    if (courant > 0.0) /* that of a flow from rest is known at its end */
        sab_tell(out, "courant        |u| step/h %.3g at the start; step %.3g would give 1",
                 courant, t->step / courant);
}

/* A start from another mesh: what was outside, and what interpolation has changed. */
static void describe_start(const sab_session *session, const sab_teller *out)
{
    const sab_transfer_report *r = &session->transfer;
    const double whole = session->c->geometry->whole;

    if (r->places == 0)
        return;
    sab_tell(out, "start          interpolated from another mesh: %s", session->c->initial_from);
    if (r->clamped > 0)
        sab_tell(out, "               %d of %d places outside, by up to %.2g: its boundary answers",
                 r->clamped, r->places, r->farthest);
    if (session->c->time.scheme == SAB_CREEPING)
        return;
    sab_tell(out, "               kinetic energy %.6g, there %.6g", whole * r->energy,
             whole * r->energy_source);
    sab_tell(out, "               share of the strain rate in volume %.2g %%, there %.2g %%",
             100.0 * r->divergence, 100.0 * r->divergence_source);
}

/* Where two entries differ at the nodes they share: who holds them. */
static void describe_corners(const sab_session *session, const sab_teller *out)
{
    const sab_dofs *dofs = session->held;
    const sab_boundary *boundary = session->c->boundary;

    for (int k = 0; k < dofs->nconcessions; k++) {
        const sab_concession *at = &dofs->concession[k];
        char place[SAB_PLACE_TEXT];

        if (!boundary[at->other].slip) /* else there is a warning */
            sab_tell(out, "%s '%s', at rest, holds %d shared %s %s, where '%s' moves",
                     k == 0 ? "corners       " : "              ", boundary[at->holder].group,
                     at->nodes, at->nodes > 1 ? "nodes, the first at" : "node, at",
                     sab_place_text(dofs->dim, at->place, place), boundary[at->other].group);
    }
}

static void describe_memory(const sab_session *session, const sab_factor_info *info,
                            const sab_teller *out)
{
    const sab_case *c = session->c;
    const sab_memory_needs memory = sab_session_memory(session);

    if (out->verbose && c->solver.linear == SAB_AMG)
        sab_tell(out, "memory         about %.3g MB; amg, no factor, matrix of %.3g M entries",
                 1e-6 * memory.needed, 1e-6 * info->entries);
    else if (out->verbose)
        sab_tell(out, "memory         about %.3g MB; %s (%s), factor %.3g M entries",
                 1e-6 * memory.needed, info->backend, info->ordering, 1e-6 * info->entries);
    else
        sab_tell(out, "memory         about %.3g MB", 1e-6 * memory.needed);
    if (c->solver.blr > 0.0)
        sab_tell(out, "               blocks of low rank, to within %g", c->solver.blr);
    if (out->verbose && memory.machine > 0.0)
        sab_tell(out, "               about %.2g %s would fill the %.3g GB of this machine",
                 memory.elements, session->mesh->cell->plural, 1e-9 * memory.machine);
}

/* Multigrid has no factor; it shares the matrix, row by row. */
static void describe_ranks(const sab_factor_info *info, const sab_teller *out)
{
    if (info->processes > 1 && info->memory > 0.0)
        sab_tell(out, "mpi            %d ranks share each factor, at most %.3g MB of it in one;",
                 info->processes, 1e-6 * info->memory);
    else if (info->processes > 1)
        sab_tell(out, "mpi            %d ranks share each solve;", info->processes);
    if (info->processes > 1)
        sab_tell(out, "               the last digits differ from one run to the next");
}

static void describe_flow(const sab_session *session, const sab_teller *out)
{
    const sab_case *c = session->c;
    const sab_mesh *mesh = session->mesh;
    const sab_program *p = session->flow->program;
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(session->flow->solver));
    const sab_disk_needs disk = sab_case_disk(c, session->flow->space->npoints);
    char place[SAB_PLACE_TEXT];

    sab_tell(out, "mesh           %s, %s", c->mesh_file,
             c->split == SAB_SPLIT_ALFELD ? "Alfeld split"
             : sab_mesh_is_split(mesh)    ? "as it is, an Alfeld split"
                                          : "as it is");
    sab_tell(out, "               %d vertices, %d %s%s", mesh->nvertices, mesh->nelements,
             mesh->cell->plural,
             c->element->faces       ? ", P2 with bubbles, on faces too"
             : c->element->inner > 0 ? ", P2 with a bubble in each"
                                     : "");
    if (out->verbose)
        sab_tell(out, "               worst shape %.3g of 1%s, at %s", session->shape,
                 c->split == SAB_SPLIT_ALFELD ? " before the split" : "",
                 sab_place_text(mesh->cell->dim, session->shape_at, place));
    sab_tell(out, "unknowns       %d velocities, %d law points", p->n,
             session->flow->space->npoints);
    if (session->flow->walls != NULL)
        sab_tell(out, "               %d points on walls with friction", session->flow->walls->n);
    describe_rheology(session, out);
    describe_corners(session, out);
    describe_time(session, out);
    describe_start(session, out);
    sab_tell(out, "solver         %s, tolerance %g on the power gap",
             sab_method_table[c->solver.method].name, c->solver.tolerance);
    describe_memory(session, &info, out);
    if (out->verbose)
        sab_tell(out, "disk           about %.3g MB: %d %s of %.3g MB, and checkpoints",
                 1e-6 * disk.bytes, disk.frames, disk.frames == 1 ? "frame" : "frames",
                 1e-6 * disk.frame);
    describe_ranks(&info, out);
}

void sab_describe_session(const sab_session *session, const sab_teller *out)
{
    sab_tell(out, "sablier %s  %s", SAB_VERSION, session->c->title);
    if (session->flow != NULL)
        describe_flow(session, out);
    else {
        sab_describe_scene(session->scene, out);
        describe_time(session, out);
        sab_tell(out, "solver         %s, tolerance %g on the residual, relative to free motion",
                 sab_method_table[session->c->solver.method].name, session->c->solver.tolerance);
    }
}

void sab_describe_boundaries(const sab_session *session, const sab_teller *out)
{
    static const char *const velocity[] = {"velocity", "velocity, one component free",
                                           "velocity, two components free"};

    for (int b = 0; b < session->c->nboundaries; b++) {
        const sab_boundary *entry = &session->c->boundary[b];
        const sab_mesh_group *group = &session->mesh->group[session->flow->group[b]];
        int nfree = 0;

        for (int i = 0; i < session->c->geometry->dim; i++)
            nfree += entry->has_velocity && !entry->prescribed[i];
        const char *kind = entry->slip           ? "slip"
                           : entry->has_wall     ? "wall with friction"
                           : entry->has_inflow   ? "inflow"
                           : entry->has_velocity ? velocity[nfree]
                           : entry->has_pressure ? "pressure"
                                                 : "traction";

        char opens[40] = "";
        if (entry->opens > 0.0)
            snprintf(opens, sizeof opens, ", opens at %g", entry->opens);
        sab_tell(out, "boundary       %-12s %5d sides, %s%s", entry->group, group->nfacets, kind,
                 opens);
    }
}

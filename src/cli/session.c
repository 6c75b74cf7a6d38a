#include "cli/session.h"
#include "base/timer.h"
#include "cli/state.h"
#include "fem/exact.h"
#include "fem/transport.h"
#include "flow/law.h"
#include "linalg/threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int sab_exit_code(sab_status status)
{
    switch (status) {
    case SAB_OK:
        return 0;
    case SAB_ERR_USAGE:
        return 2;
    case SAB_ERR_INPUT:
        return 3;
    case SAB_INTERRUPTED:
        return 75;
    default:
        return 4;
    }
}

/* The mesh that Gmsh works on. A .geo can end the process (Exit;), with exit code 0. */
static const char *meshing;

static void on_exit_while_meshing(void)
{
    if (meshing != NULL) {
        fflush(stdout);
        fprintf(stderr,
                "error: the mesh '%s' ended the program: Exit in a .geo? Use Error or Abort\n",
                meshing);
        _exit(sab_exit_code(SAB_ERR_INPUT));
    }
}

/* A message about a file of the mesh, "hopper.geo:12: ...", stays; others get the place of the key
 * they begin with, or of mesh.file. */
static void place_mesh_error(const sab_case *c, sab_error *err)
{
    const sab_error old = *err;
    const size_t n = strlen(c->mesh_file);
    char place[1000];

    sab_case_place(c, err);
    if (strcmp(err->message, old.message) == 0 &&
        !(strncmp(old.message, c->mesh_file, n) == 0 && old.message[n] == ':'))
        sab_fail(err, old.status, "%s: %s", sab_case_locate(c, "mesh.file", place, sizeof place),
                 old.message);
}

static sab_status load_mesh(sab_session *session, sab_error *err)
{
    const sab_case *c = session->c;
    sab_status status = SAB_OK;
    sab_mesh *coarse = NULL;

    atexit(on_exit_while_meshing);
    meshing = c->mesh_file;
    status = sab_mesh_read(c->mesh_file, c->nparameters, c->parameter, &coarse, err);
    meshing = NULL;
    if (status == SAB_ERR_INPUT)
        place_mesh_error(c, err);
    SAB_TRY(status);
    if (c->split == SAB_SPLIT_ALFELD) {
        SAB_TRY(sab_mesh_split_alfeld(coarse, &session->mesh, err));
    } else {
        session->mesh = coarse;
        coarse = NULL;
    }
cleanup:
    sab_mesh_destroy(&coarse);
    return status;
}

sab_status sab_session_threads(const sab_args *args, sab_error *err)
{
    sab_status status = SAB_OK;
    int threads = 1;

    if (args->threads != NULL) {
        SAB_TRY(sab_args_integer("--threads", args->threads, &threads, err));
        if (threads < 1 || threads > 1024)
            SAB_TRY(
                sab_fail(err, SAB_ERR_USAGE, "--threads: %d is not between 1 and 1024", threads));
    }
    sab_threads_set(threads);
cleanup:
    return status;
}

sab_status sab_session_read(const sab_args *args, sab_session *session, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_session_threads(args, err));
    SAB_TRY(sab_case_read(args->target, args->noverrides, args->override, &session->c, err));
cleanup:
    return status;
}

/* An exact solution is compared when all is solved: too late to find that its formula fails. */
static sab_status try_exact(const sab_session *session, sab_error *err)
{
    const sab_case *c = session->c;
    const sab_fields *f = session->flow->fields; /* zero still */
    const sab_space *space = session->flow->space;
    sab_status status = SAB_OK;
    sab_error_norms norms;
    double error, size;

    if (c->has_exact_velocity)
        SAB_TRY(sab_exact_velocity(space, f->velocity, c->exact_velocity, 0.0, &norms, err));
    if (c->has_exact_pressure)
        SAB_TRY(sab_exact_pressure(space, f->pressure, NULL, &c->exact_pressure, 0.0, &error, &size,
                                   err));
cleanup:
    return status;
}

/* The probe that is watched: the one the case names, or the first flux, or the first number. */
static sab_status find_watched(sab_session *session, sab_error *err)
{
    const sab_case *c = session->c;
    const sab_probe_result *r;
    sab_status status = SAB_OK;
    sab_text known = {0};

    session->watched = -1;
    if (c->time.scheme == SAB_CREEPING)
        return SAB_OK;
    SAB_TRY(sab_probes_evaluate(session->probes, session->flow, &r, err));
    for (int i = 0; i < c->nprobes; i++) {
        const int best = session->watched;

        if (sab_probe_is_profile(r[i].probe) || r[i].components != 1)
            continue;
        SAB_TRY(sab_text_add(&known, err, "%s%s", known.length > 0 ? ", " : "", c->probe[i].name));
        if (c->time.probe != NULL ? strcmp(c->probe[i].name, c->time.probe) == 0
                                  : best < 0 || (c->probe[i].kind == SAB_PROBE_FLUX &&
                                                 c->probe[best].kind != SAB_PROBE_FLUX))
            session->watched = i;
    }
    if (c->time.probe != NULL && session->watched < 0)
        status =
            sab_fail(err, SAB_ERR_INPUT, "time.probe: no probe of one number is called '%s'%s%s",
                     c->time.probe, known.length > 0 ? "; there are " : "; there is none",
                     known.length > 0 ? known.data : "");
cleanup:
    sab_text_destroy(&known);
    return status;
}

int sab_session_steps(const sab_session *session)
{
    return (int)fmax(1.0, rint(session->c->time.end / session->c->time.step));
}

sab_status sab_session_recover(const sab_session *session, sab_shown *shown, sab_error *err)
{
    const sab_fields *fields = session->flow->fields;
    sab_recovered recovered = {0};
    sab_status status = SAB_OK;

    *shown = (sab_shown){0};
    SAB_TRY(sab_recovery_pressure(session->recovery, fields, &recovered, err));
    shown->oscillation = recovered.oscillation;
    if (sab_session_stable(session)) {
        shown->pressure = recovered.nodal;
        SAB_TRY(sab_recovery_stress(session->recovery, fields, &shown->stress, err));
    }
cleanup:
    return status;
}

sab_status sab_session_build(sab_session *session, bool initial, sab_terminal *term, sab_error *err)
{
    sab_status status = SAB_OK;
    const double start = sab_wall_seconds();
    const sab_case *c = session->c;

    sab_progress(term, "meshing %s", c->mesh_file);
    SAB_TRY(load_mesh(session, err));
    session->wall_mesh = sab_wall_seconds() - start;

    const sab_flow_setup setup = {.mesh = session->mesh,
                                  .element = c->element,
                                  .geometry = c->geometry,
                                  .material = &c->material,
                                  .gravity = c->gravity,
                                  .nboundaries = c->nboundaries,
                                  .boundary = c->boundary,
                                  .solver = c->solver,
                                  .viscosity_iterations = c->viscosity_max_iterations,
                                  .step = c->time.scheme == SAB_INERTIAL ? c->time.step : 0.0,
                                  .order = c->time.order,
                                  .initial = c->has_initial_velocity ? c->initial_velocity : NULL};
    sab_progress(term, "assembling %d triangles", session->mesh->nelements);
    SAB_TRY(sab_flow_create(&setup, &session->flow, err));
    SAB_TRY(sab_dofs_create(session->mesh, c->geometry, c->nboundaries, c->boundary,
                            session->flow->group, setup.step, &session->held, err));
    if (initial && c->initial_from != NULL)
        SAB_TRY(sab_state_initial(session, err));
    SAB_TRY(sab_probes_create(session->flow, c->nprobes, c->probe, &session->probes, err));
    SAB_TRY(find_watched(session, err));
    SAB_TRY(try_exact(session, err));
    SAB_TRY(sab_recovery_create(session->flow->space, &session->recovery, err));
cleanup:
    sab_progress_end(term);
    if (status == SAB_ERR_INPUT)
        sab_case_place(c, err);
    return status;
}

void sab_session_close(sab_session *session)
{
    sab_recovery_destroy(&session->recovery);
    sab_probes_destroy(&session->probes);
    sab_dofs_destroy(&session->held);
    sab_flow_destroy(&session->flow);
    sab_mesh_destroy(&session->mesh);
    sab_case_destroy(&session->c);
}

bool sab_session_stable(const sab_session *session)
{
    return sab_recovery_is_stable(session->flow->space);
}

/* Was the element p2 made stable by a split? Then limits refer to the triangles before it. */
static bool is_split(const sab_session *session)
{
    return !session->c->element->stable && sab_mesh_is_split(session->mesh);
}

double sab_session_cell_reynolds(const sab_session *session)
{
    return sab_fields_cell_reynolds(session->flow->fields) * (is_split(session) ? sqrt(3.0) : 1.0);
}

double sab_session_courant(const sab_session *session)
{
    return sab_fields_courant(session->flow->fields, session->c->time.step) /
           (is_split(session) ? sqrt(3.0) : 1.0);
}

void sab_session_warn_advection(const sab_session *session, sab_terminal *term, double reynolds)
{
    const sab_case *c = session->c;
    const int order = c->time.order;
    const double limit = sab_transport_limit(c->element, is_split(session), order);

    if (reynolds > limit)
        sab_warn(term,
                 "advection may be under-resolved on this mesh: |u| h Re up to %.3g, above %g; "
                 "refine where it is fast%s",
                 reynolds, limit, order == 2 ? ", or use time.order: 1" : "");
}

/* Stable pairs stay below (docs/theory.md, 10). */
static const double ROUGH_PRESSURE = 0.3;

void sab_session_warn_pressure(const sab_session *session, sab_terminal *term,
                               const sab_shown *shown)
{
    if (!sab_session_stable(session) && shown->oscillation > ROUGH_PRESSURE)
        sab_warn(term,
                 "the pressure oscillates inside elements (by %.2g of the stresses of the flow): "
                 "the plain pair is unstable on this mesh; use mesh.split: alfeld or mesh.element: "
                 "p2b",
                 shown->oscillation);
}

sab_range sab_range_of(int n, const double *value, double scale)
{
    sab_range r = {INFINITY, -INFINITY};

    for (int i = 0; i < n; i++) {
        r.low = fmin(r.low, scale * value[i]);
        r.high = fmax(r.high, scale * value[i]);
    }
    return r;
}

/* "0.5", or "0.3 to 0.5" where a formula varies. */
static void say_range(sab_terminal *term, const char *name, sab_range r, const char *meaning)
{
    if (r.low == r.high || r.high - r.low <= 1e-12 * fabs(r.high)) /* also inf */
        sab_say(term, "  %-12s %-14.6g %s", name, r.high, meaning);
    else
        sab_say(term, "  %-12s %.6g to %-8.6g %s", name, r.low, r.high, meaning);
}

sab_range sab_session_friction(const sab_session *session)
{
    const sab_program *p = session->flow->program;
    const sab_material *m = &session->c->material;
    const double scale = sab_geometry_normal_scale(session->c->geometry);

    return m->has_mu_i ? (sab_range){m->mu_i.resting, m->mu_i.flowing}
                       : sab_range_of(p->npoints, p->friction, scale);
}

static void say_angle(sab_terminal *term, const sab_geometry *geometry, sab_range friction)
{
    static const char meaning[] = "degrees: friction = sin(angle) in the plane";
    const sab_range angle = {sab_material_friction_angle(geometry, friction.low),
                             sab_material_friction_angle(geometry, friction.high)};
    char text[40];

    if (!isnan(angle.high)) {
        say_range(term, "angle", angle, meaning);
        return;
    }
    snprintf(text, sizeof text, isnan(angle.low) ? "none" : "%.6g to none", angle.low);
    sab_say(term, "  %-12s %-14s %s", "angle", text, meaning);
}

static void describe_rheology(const sab_session *session, sab_terminal *term)
{
    const sab_program *p = session->flow->program;
    const sab_case *c = session->c;
    const double scale = sab_geometry_normal_scale(c->geometry);
    const int n = p->npoints;
    sab_range re = sab_range_of(n, session->flow->law->inverse_reynolds, 1.0);

    re = (sab_range){1.0 / re.high, 1.0 / re.low};
    sab_say(term, "rheology       %s, viscoplastic Drucker-Prager, %s", c->geometry->name,
            c->time.scheme == SAB_INERTIAL ? "inertial" : "creeping");
    say_range(term, "friction", sab_range_of(n, p->friction, scale),
              "yield when sqrt(J2) = bingham + friction p");
    if (c->material.has_mu_i)
        sab_say(term, "  %-12s at rest, up to %g as I grows; I0 = %g, grains %g", "",
                c->material.mu_i.flowing, c->material.mu_i.I0, c->material.mu_i.grain);
    say_angle(term, c->geometry, sab_session_friction(session));
    say_range(term, "dilatancy", sab_range_of(n, p->dilatancy, scale),
              "0: the volume is kept; = friction: associated");
    say_range(term, "bingham", sab_range_of(n, p->yield, 1.0), "yield stress / (rho g L)");
    say_range(term, "reynolds", re, "rho sqrt(g L) L / eta: viscous stress (2/Re) E_b D");
    sab_say(term, "  %-12s %-14.6g %s", "bulk", c->material.bulk,
            "b of E_b D = Dev D + (b/d) Tr D I");
    if (c->material.has_viscosity)
        sab_say(term, "  %-12s %-14s %s", "viscosity", "formula",
                "multiplies 1/Re, of the flow itself");
    sab_say(term, "  units        lengths L, times sqrt(L/g), speeds sqrt(g L), stresses rho g L");
}

static void describe_time(const sab_session *session, sab_terminal *term)
{
    const sab_case *c = session->c;
    const sab_case_time *t = &c->time;
    const int steps = sab_session_steps(session);
    const double end = steps * t->step;

    if (t->scheme == SAB_CREEPING)
        return;
    sab_say(term, "time           order %d, %d steps of %g to %g%s%s", t->order, steps, t->step,
            end, c->has_initial_velocity || c->initial_from != NULL ? ", from " : ", from rest",
            c->has_initial_velocity   ? "initial.velocity"
            : c->initial_from != NULL ? c->initial_from
                                      : "");
    if (fabs(end - t->end) > 1e-9 * t->end)
        sab_say(term, "               time.end: %g is no whole number of steps, the run ends at %g",
                t->end, end);
    if (t->steady > 0.0 && session->watched >= 0)
        sab_say(term, "               or when the mean of '%s' over %g changes by less than %g",
                c->probe[session->watched].name, t->window, t->steady);
    else
        sab_say(term, "               no test for a steady flow (%s): it runs to the end",
                t->steady > 0.0 ? "no probe of one number" : "time.steady: 0");
}

/* Where two entries differ at the nodes they share: who holds them. */
static void describe_corners(const sab_session *session, sab_terminal *term)
{
    const sab_dofs *dofs = session->held;
    const sab_boundary *boundary = session->c->boundary;

    for (int k = 0; k < dofs->nconcessions; k++) {
        const sab_concession *at = &dofs->concession[k];
        const char *holder = boundary[at->holder].group, *other = boundary[at->other].group;
        const char *nodes = at->nodes > 1 ? "nodes, the first at" : "node, at";

        if (boundary[at->other].slip)
            sab_warn(term, "'%s' moves through the slip wall '%s' where they meet (%d %s (%g, %g))",
                     holder, other, at->nodes, nodes, at->place[0], at->place[1]);
        else
            sab_say(term, "%s '%s', at rest, holds %d shared %s (%g, %g), where '%s' moves",
                    k == 0 ? "corners       " : "              ", holder, at->nodes, nodes,
                    at->place[0], at->place[1], other);
    }
}

void sab_session_warn_friction(const sab_session *session, sab_terminal *term)
{
    const double friction = sab_session_friction(session).high;

    if (friction >= 1.0)
        sab_warn(term,
                 "%s: %g; from 1 on there is no friction angle in the plane (friction = "
                 "sin(angle)), stresses may reach tension, and slopes of any angle can rest",
                 session->c->material.has_mu_i ? "material.mu_i.dynamic" : "material.friction",
                 friction);
}

void sab_session_describe(const sab_session *session, sab_terminal *term)
{
    const sab_case *c = session->c;
    const sab_mesh *mesh = session->mesh;
    const sab_program *p = session->flow->program;
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(session->flow->solver));
    const sab_boundary_report *report = &session->flow->boundaries;

    sab_say(term, "sablier %s  %s", SAB_VERSION, c->title);
    sab_say(term, "mesh           %s, %s", c->mesh_file,
            c->split == SAB_SPLIT_ALFELD ? "Alfeld split"
            : sab_mesh_is_split(mesh)    ? "as it is, an Alfeld split"
                                         : "as it is");
    sab_say(term, "               %d vertices, %d triangles%s", mesh->nvertices, mesh->nelements,
            c->element->inner > 0 ? ", P2 with a bubble in each" : "");
    sab_say(term, "unknowns       %d velocities, %d law points", p->n, p->npoints);
    describe_rheology(session, term);
    describe_corners(session, term);
    describe_time(session, term);
    sab_say(term, "solver         %s, tolerance %g on the power gap",
            sab_method_table[c->solver.method].name, c->solver.tolerance);
    sab_say(term, "memory         about %.3g MB; %s (%s), factor %.3g M entries",
            1e-6 * sab_flow_memory(session->flow), info.backend, info.ordering,
            1e-6 * info.entries);
    if (term->verbosity > 0)
        sab_say(term, "BLAS           %s", sab_blas_name());
    if (report->uncovered > 0)
        sab_warn(
            term,
            "%d boundary sides belong to no group (the first is at (%g, %g)): they are free of "
            "traction",
            report->uncovered, report->place[0], report->place[1]);
    sab_session_warn_friction(session, term);
    if (!sab_session_stable(session))
        sab_warn(term, "mesh.split: none is the plain P2/P1 pair: stable on special meshes only; "
                       "do not trust point values of its pressure (mesh.element: p2b is stable)");
}

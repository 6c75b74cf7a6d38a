/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/session.h"
#include "base/timer.h"
#include "fem/exact.h"
#include "flow/pace.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

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

    const bool all = session->confined == SAB_CONFINED_ALL;
    const bool data = session->confined == SAB_CONFINED_DATA && sab_mesh_file_is_data(c->mesh_file);
    status = all || data ? sab_mesh_read_apart(c->mesh_file, !all, c->geometry->dim, c->nparameters,
                                               c->parameter, &coarse, err)
                         : sab_mesh_read(c->mesh_file, c->geometry->dim, c->nparameters,
                                         c->parameter, &coarse, err);
    if (status == SAB_ERR_INPUT)
        place_mesh_error(c, err);
    SAB_TRY(status);
    sab_mesh_quality(coarse, &session->shape, session->shape_at);
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

static sab_status evaluate(const sab_session *session, const sab_probe_result **r, sab_error *err)
{
    return session->scene != NULL ? sab_scene_probe(session->scene, r, err)
                                  : sab_probes_evaluate(session->probes, session->flow, r, err);
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
    SAB_TRY(evaluate(session, &r, err));
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

int sab_case_steps(const sab_case *c)
{
    const sab_case_time *t = &c->time;

    return t->scheme == SAB_CREEPING ? 1 : (int)fmax(1.0, rint(t->end / t->step));
}

sab_status sab_session_recover(const sab_session *session, sab_shown *shown, sab_error *err)
{
    const sab_fields *fields = session->flow->fields;
    sab_recovered recovered = {0};
    sab_status status = SAB_OK;

    *shown = (sab_shown){0};
    SAB_TRY(sab_recovery_pressure(session->recovery, fields, &recovered, err));
    /* the fields have the fill that the step began with, those of a resumed run the next one's: no
     * number of the summary may depend on that */
    shown->oscillation = session->flow->surface != NULL ? NAN : recovered.oscillation;
    if (sab_session_stable(session)) {
        shown->pressure = recovered.nodal;
        SAB_TRY(sab_recovery_stress(session->recovery, fields, &shown->stress, err));
    }
cleanup:
    return status;
}

static void enter(const sab_run_events *events, sab_phase phase, const sab_session *session)
{
    if (events->phase != NULL)
        events->phase(events->data, phase, session);
}

static sab_status build_scene(sab_session *session, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_scene_create(session->c, session->mesh, &session->scene, err));
    SAB_TRY(find_watched(session, err));
cleanup:
    return status;
}

sab_status sab_session_build(sab_session *session, bool initial, const sab_run_events *events,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    const double start = sab_wall_seconds();
    const sab_case *c = session->c;

    enter(events, SAB_PHASE_MESH, session);
    if (c->mesh_file != NULL)
        SAB_TRY(load_mesh(session, err));
    session->wall_mesh = sab_wall_seconds() - start;
    if (c->has_grains) {
        SAB_TRY(build_scene(session, err));
        enter(events, SAB_PHASE_READY, session);
        goto cleanup;
    }
    session->surface = sab_surface_default();
    session->surface.points = c->surface_points;
    session->surface.dense = c->surface_dense;
    session->surface.contact = c->surface_contact;
    session->surface.correct = c->surface_correct;
    session->surface.band = c->surface_band;
    session->surface.fewest = c->surface_fewest;
    session->surface.fill = &c->initial_fill;
    session->surface.group = c->initial_group;
    const sab_flow_setup setup = {
        .mesh = session->mesh,
        .element = c->element,
        .geometry = c->geometry,
        .material = &c->material,
        .gravity = c->gravity,
        .nboundaries = c->nboundaries,
        .boundary = c->boundary,
        .solver = c->solver,
        .viscosity_iterations = c->viscosity_max_iterations,
        .dt = c->time.scheme == SAB_INERTIAL ? c->time.step : 0.0,
        .levels = c->time.smallest > 0.0 ? sab_pace_levels(c->time.step, c->time.smallest) : 0,
        .courant = c->time.courant,
        .order = c->time.order,
        .initial = c->has_initial_velocity ? c->initial_velocity : NULL,
        .surface = c->has_surface ? &session->surface : NULL};
    enter(events, SAB_PHASE_ASSEMBLY, session);
    SAB_TRY(sab_flow_create(&setup, &session->flow, err));
    SAB_TRY(sab_dofs_create(session->mesh, c->geometry,
                            sab_element_faces(c->element, session->mesh), c->nboundaries,
                            c->boundary, session->flow->group, setup.dt, &session->held, err));
    if (initial && c->initial_from != NULL)
        SAB_TRY(sab_initial_take(session, err));
    SAB_TRY(sab_probes_create(session->flow, c->nprobes, c->probe, &session->probes, err));
    SAB_TRY(find_watched(session, err));
    SAB_TRY(try_exact(session, err));
    SAB_TRY(sab_recovery_create(session->flow->space, &session->recovery, err));
    enter(events, SAB_PHASE_READY, session);
cleanup:
    if (status == SAB_ERR_INPUT)
        sab_case_place(c, err);
    return status;
}

void sab_session_close(sab_session *session)
{
    sab_scene_destroy(&session->scene);
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

bool sab_session_is_split(const sab_session *session)
{
    return !session->c->element->stable && sab_mesh_is_split(session->mesh);
}

double sab_session_cell_reynolds(const sab_session *session)
{
    return sab_fields_cell_reynolds(session->flow->fields) *
           (sab_session_is_split(session) ? sqrt(3.0) : 1.0);
}

double sab_session_courant(const sab_session *session)
{
    if (session->flow->surface != NULL)
        return sab_carriers_courant(session->flow->surface->carriers,
                                    sab_flow_length(session->flow));
    return sab_fields_courant(session->flow->fields, session->c->time.step) /
           (sab_session_is_split(session) ? sqrt(3.0) : 1.0);
}

/* nnz(L) ~ n^e of p2nb ordered by METIS, and in the plane by AMD: measured (docs/reference/
 * commands.md, "Memory"). */
static const double GROWTH_SPACE = 1.47, GROWTH_PLANE = 1.17;
/* What a process has before it does anything. */
static const double PROGRAM = 60e6;

sab_memory_needs sab_session_memory(const sab_session *session)
{
    const sab_flow_memory m = sab_flow_memory_of(session->flow);
    const double e = session->c->solver.linear == SAB_AMG ? 1.0
                     : session->c->geometry->dim > 2      ? GROWTH_SPACE
                                                          : GROWTH_PLANE;
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double low = 0.0, high = 1.0; /* elements, in those of this mesh */

    if (!(machine > PROGRAM))
        return (sab_memory_needs){PROGRAM + m.rest + m.factors, 0.0, 0.0};
    while (PROGRAM + m.rest * high + m.factors * pow(high, e) < machine && high < 1e9)
        high *= 2.0;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);

        if (PROGRAM + m.rest * middle + m.factors * pow(middle, e) < machine)
            low = middle;
        else
            high = middle;
    }
    return (sab_memory_needs){PROGRAM + m.rest + m.factors, machine,
                              low * session->mesh->nelements};
}

sab_disk_needs sab_case_disk(const sab_case *c, int npoints)
{
    /* bytes per law point, as the cases have them; of a frame of float64, in the plane and in space
     */
    enum { FRAME_PLANE = 230, FRAME_SPACE = 330, CHECKPOINT = 330, ROW = 350, COLUMN = 24 };
    const double points = npoints, steps = sab_case_steps(c);
    const double frame = points * (c->geometry->dim > 2 ? FRAME_SPACE : FRAME_PLANE) *
                         (c->output_float32 ? 0.5 : 1.0) * (c->output_gauss ? 2.0 : 1.0);
    const bool many = c->time.scheme == SAB_INERTIAL && c->output_every > 0.0;
    const double frames =
        many ? 1.0 + fmin(steps, floor(steps * c->time.step / c->output_every + 1e-9)) : 1.0;

    return (sab_disk_needs){.frames = (int)fmin(frames, 1e9),
                            .frame = frame,
                            .bytes = frames * frame + 2.0 * points * CHECKPOINT +
                                     steps * (ROW + COLUMN * c->nprobes)};
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

sab_range sab_session_friction(const sab_session *session)
{
    const sab_program *p = session->flow->program;
    const sab_material *m = &session->c->material;
    const double scale = sab_geometry_normal_scale(session->c->geometry);

    return m->has_mu_i ? (sab_range){m->mu_i.resting, m->mu_i.flowing}
                       : sab_range_of(session->flow->space->npoints, p->friction, scale);
}

sab_range sab_session_friction_angle(const sab_session *session, sab_friction_mode mode)
{
    const sab_program *p = session->flow->program;
    const sab_mu_i *mu_i = session->c->material.has_mu_i ? &session->c->material.mu_i : NULL;
    const sab_geometry *geometry = session->c->geometry;
    const double scale = sab_geometry_normal_scale(geometry);
    sab_range r = {INFINITY, -INFINITY};

    for (int i = 0; i < session->flow->space->npoints; i++) {
        const double friction = scale * p->friction[i], dilatancy = scale * p->dilatancy[i];
        const double low = sab_material_friction_angle(
            geometry, mode, mu_i != NULL ? mu_i->resting : friction, dilatancy);
        const double high = sab_material_friction_angle(
            geometry, mode, mu_i != NULL ? mu_i->flowing : friction, dilatancy);

        r.low = fmin(r.low, low); /* none counts as higher than any */
        r.high = isnan(high) || isnan(r.high) ? NAN : fmax(r.high, high);
    }
    r.low = isinf(r.low) ? NAN : r.low;
    return r;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/summary.h"
#include "run/scene_report.h"
#include "base/memory.h"
#include "base/timer.h"
#include "flow/law.h"
#include "io/output.h"
#include "linalg/server.h"
#include "run/provenance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Outflow per strain rate below which the flow turns in itself. */
static const double THROUGH = 1e-3;

sab_status sab_summary_exact(const sab_session *session, double time, sab_run_result *result,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_case *c = session->c;
    const sab_fields *f = session->flow->fields;
    const double whole = sqrt(c->geometry->whole); /* of an L2 norm */

    if (c->has_exact_velocity) {
        sab_error_norms *e = &result->error;

        SAB_TRY(
            sab_exact_velocity(session->flow->space, f->velocity, c->exact_velocity, time, e, err));
        double *const norm[] = {&e->L2, &e->H1, &e->exact_L2, &e->exact_H1};
        for (size_t i = 0; i < sizeof norm / sizeof *norm; i++)
            *norm[i] *= whole;
        result->has_velocity_error = true;
    }
    if (c->has_exact_pressure) {
        SAB_TRY(sab_exact_pressure(session->flow->space, f->pressure, f->yielded,
                                   &c->exact_pressure, time, &result->pressure_error,
                                   &result->pressure_scale, err));
        result->pressure_error *= whole;
        result->pressure_scale *= whole;
        result->has_pressure_error = true;
    }
cleanup:
    return status;
}

bool sab_volume_flows(const sab_volume *v)
{
    return v->outflow > THROUGH * v->rate;
}

double sab_volume_share(const sab_volume *v, double part)
{
    return sab_volume_flows(v) ? part / v->outflow : NAN;
}

static void volume(sab_json *json, const sab_volume *v)
{
    sab_json_begin_object(json, "volume");
    sab_json_number(json, "outflow", v->outflow);
    sab_json_number(json, "net", sab_volume_share(v, v->net));
    sab_json_number(json, "dilatancy", sab_volume_share(v, v->dilatancy));
    sab_json_number(json, "parting", sab_volume_share(v, v->parting));
    sab_json_number(json, "barrier", sab_volume_share(v, v->barrier));
    sab_json_number(json, "compaction", sab_volume_share(v, v->compaction));
    sab_json_end_object(json);
}

static void range(sab_json *json, const char *key, sab_range r)
{
    if (r.low == r.high) {
        sab_json_number(json, key, r.low);
        return;
    }
    sab_json_begin_array(json, key);
    sab_json_number(json, NULL, r.low);
    sab_json_number(json, NULL, r.high);
    sab_json_end_array(json);
}

/* null where there is none */
static void angle(sab_json *json, const char *key, const sab_session *session,
                  sab_friction_mode mode)
{
    const sab_range r = sab_session_friction_angle(session, mode);

    if (isnan(r.low))
        sab_json_number(json, key, r.high);
    else
        range(json, key, r);
}

/* One angle in the plane; with tensors of dimension 3 one for each motion it can be meant in. */
static void angles(sab_json *json, const sab_session *session)
{
    const sab_case *c = session->c;

    if (c->geometry->d == 2) {
        angle(json, "friction_angle", session, c->material.friction_in);
        return;
    }
    sab_json_begin_object(json, "friction_angle");
    for (int mode = 0; mode < SAB_FRICTION_MODES; mode++)
        angle(json, sab_friction_mode_name[mode], session, (sab_friction_mode)mode);
    sab_json_end_object(json);
}

static void mu_i(sab_json *json, const sab_mu_i *law)
{
    sab_json_begin_object(json, "mu_i");
    sab_json_number(json, "static", law->resting);
    sab_json_number(json, "dynamic", law->flowing);
    sab_json_number(json, "I0", law->I0);
    sab_json_number(json, "grain", law->grain);
    sab_json_end_object(json);
}

static void material(sab_json *json, const sab_session *session)
{
    const sab_program *p = session->flow->program;
    const int n = session->flow->space->npoints;
    const double scale = sab_geometry_normal_scale(session->c->geometry);
    const sab_range inverse = sab_range_of(n, session->flow->law->inverse_reynolds, 1.0);

    sab_json_begin_object(json, "material");
    range(json, "friction", sab_range_of(n, p->friction, scale));
    angles(json, session);
    range(json, "dilatancy", sab_range_of(n, p->dilatancy, scale));
    range(json, "bingham", sab_range_of(n, p->yield, 1.0));
    range(json, "reynolds", (sab_range){1.0 / inverse.high, 1.0 / inverse.low});
    sab_json_number(json, "bulk", p->bulk);
    sab_json_bool(json, "viscosity_formula", session->c->material.has_viscosity);
    if (session->c->material.has_mu_i)
        mu_i(json, &session->c->material.mu_i);
    sab_json_end_object(json);
}

static void add_solver(sab_json *json, const sab_report *r, double tolerance,
                       const sab_solver *solver, double whole)
{
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(solver));
    const sab_certificate *c = &r->certificate;

    sab_json_begin_object(json, "solver");
    sab_json_string(json, "method", sab_method_table[r->method].name);
    sab_json_number(json, "tolerance", tolerance);
    sab_json_string(json, "linear", info.backend);
    sab_json_string(json, "ordering", info.ordering);
    sab_json_integer(json, "processes", info.processes);
    sab_json_number(json, "factor_entries", info.entries);
    sab_json_number(json, "factor_flops", info.flops);
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        sab_json_integer(json, sab_work_table[i].name, (int64_t)sab_work_get(&r->work, i));
    if (sab_solver_iterations(solver) > 0)
        sab_json_integer(json, "cg_iterations", sab_solver_iterations(solver));
    sab_json_number(json, "merit", sab_certificate_merit(c));
    sab_json_number(json, "gap", c->gap);
    sab_json_number(json, "gap_friction", c->gap_friction);
    sab_json_number(json, "gap_normal", c->gap_normal);
    sab_json_number(json, "gap_wall", c->gap_wall);
    sab_json_number(json, "gap_rate", c->gap_rate);
    sab_json_number(json, "compaction", c->compaction);
    sab_json_number(json, "natural", c->natural);
    sab_json_number(json, "natural_max", c->natural_max);
    sab_json_number(json, "natural_relative", c->relative);
    sab_json_number(json, "fischer_burmeister", c->fischer_burmeister);
    sab_json_number(json, "momentum", c->momentum);
    sab_json_number(json, "dissipation", whole * c->dissipation);
    sab_json_bool(json, "at_rest", c->at_rest);
    sab_json_end_object(json);
}

/* A number, or the list of the components of a vector. */
static void numbers(sab_json *json, const char *key, bool vector, int n, const double *value)
{
    if (!vector) {
        sab_json_number(json, key, value[0]);
        return;
    }
    sab_json_begin_array(json, key);
    for (int c = 0; c < n; c++)
        sab_json_number(json, NULL, value[c]);
    sab_json_end_array(json);
}

/* The numbers of each probe, or the file of a profile: those of `column`, which has one entry per
 * number, or of the last step if it is NULL. */
static void probes(sab_json *json, const char *key, const sab_session *session,
                   const sab_run_result *result, const double *column, bool profiles)
{
    sab_json_begin_object(json, key);
    for (int i = 0; i < session->c->nprobes && result->probe != NULL; i++) {
        const sab_probe_result *r = &result->probe[i];

        if (sab_probe_is_profile(r->probe)) { /* the values are in profiles/ */
            char file[128];

            snprintf(file, sizeof file, "profiles/%s.csv", r->probe->name);
            if (profiles)
                sab_json_string(json, r->probe->name, file);
            continue;
        }
        numbers(json, r->probe->name, r->name != NULL, r->components,
                column != NULL ? column : r->value);
        if (column != NULL)
            column += r->components;
    }
    sab_json_end_object(json);
}

/* One probe in SI: its numbers, their deviation, the unit, and the whole of which it is a part. */
static void si_probe(sab_json *json, const sab_case *c, const sab_probe_result *r,
                     const double *value, const double *deviation)
{
    sab_dimension dimension;
    double scale, si[SAB_TENSOR], error[SAB_TENSOR];
    bool extensive;
    char unit[40];

    if (!sab_units_of_probe(r->probe, c->geometry, &c->units, &dimension, &scale, &extensive) ||
        !isfinite(scale) || r->components > SAB_TENSOR)
        return;
    for (int i = 0; i < r->components; i++) {
        si[i] = scale * value[i];
        error[i] = deviation != NULL ? scale * deviation[i] : 0.0;
    }
    sab_json_begin_object(json, r->probe->name);
    numbers(json, "value", r->name != NULL, r->components, si);
    if (deviation != NULL)
        numbers(json, "deviation", r->name != NULL, r->components, error);
    sab_json_string(json, "unit", sab_dimension_name(dimension, unit, sizeof unit));
    if (extensive && c->symmetry > 1)
        sab_json_number(json, "total", c->symmetry * si[0]);
    sab_json_end_object(json);
}

/* Of a case that is a part of the whole: what the whole has. `mean` as in si_object. */
static void totals(sab_json *json, const sab_case *c, const sab_run_result *result,
                   const double *mean)
{
    if (c->symmetry <= 1)
        return;
    sab_json_begin_object(json, "totals");
    for (int i = 0; i < c->nprobes && result->probe != NULL; i++) {
        const sab_probe_result *r = &result->probe[i];
        sab_dimension dimension;
        double scale;
        bool extensive;

        if (sab_probe_is_profile(r->probe))
            continue;
        sab_units_of_probe(r->probe, c->geometry, &c->units, &dimension, &scale, &extensive);
        if (extensive)
            sab_json_number(json, r->probe->name,
                            c->symmetry * (mean != NULL ? mean[0] : r->value[0]));
        mean = mean != NULL ? mean + r->components : NULL;
    }
    sab_json_end_object(json);
}

/* The result in SI. mean, deviation: a number per component of each probe; NULL of a creeping flow,
 * which has the last values only. */
static void si_object(sab_json *json, const sab_case *c, const sab_run_result *result,
                      const double *mean, const double *deviation)
{
    const sab_units *u = &c->units;

    if (!u->given)
        return;
    sab_json_begin_object(json, "si");
    sab_json_number(json, "length", u->length);
    sab_json_number(json, "density", u->has_density ? u->density : NAN);
    sab_json_number(json, "gravity", u->gravity);
    sab_json_number(json, "time",
                    sab_march_time(result->march) * sab_units_scale(u, (sab_dimension){.s = 1}));
    sab_json_begin_object(json, "probes");
    for (int i = 0; i < c->nprobes && result->probe != NULL; i++) {
        const sab_probe_result *r = &result->probe[i];

        if (sab_probe_is_profile(r->probe))
            continue;
        si_probe(json, c, r, mean != NULL ? mean : r->value, deviation);
        mean = mean != NULL ? mean + r->components : NULL;
        deviation = deviation != NULL ? deviation + r->components : NULL;
    }
    sab_json_end_object(json);
    sab_json_end_object(json);
}

/* What engineers ask of a wall: from the means of its rows over the window. */
sab_status sab_summary_load(const sab_session *session, const sab_run_result *result, int probe,
                            sab_load_figures *figures, double **force, sab_error *err)
{
    const sab_march *m = result->march;
    const sab_probe_result *r = &result->probe[probe];
    double *mean = NULL, *deviation = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(mean, m->profile_columns);
    SAB_NEW(deviation, m->profile_columns);
    if (sab_march_profile(m, probe, mean, deviation) == 0)
        memcpy(mean, r->value, (size_t)(r->samples * r->components + r->beside) * sizeof *mean);
    *figures = sab_wall_load_figures(r->load, session->flow, mean);
    if (force != NULL) {
        SAB_NEW(*force, r->beside);
        memcpy(*force, mean + r->samples * r->components, (size_t)r->beside * sizeof **force);
    }
cleanup:
    SAB_FREE(mean);
    SAB_FREE(deviation);
    return status;
}

/* The balance of forces, vectors; about an axis the part along it: gravity = inertia + the forces
 * on all entries. */
static void balance(sab_json *json, const sab_session *session, const sab_load_figures *f,
                    const double *force)
{
    const int dim = session->c->geometry->dim, n = session->c->geometry->axis ? 1 : dim;

    force += dim - n;
    sab_json_begin_object(json, "balance");
    numbers(json, "gravity", n > 1, n, force + dim * SAB_FORCES_GRAVITY);
    numbers(json, "inertia", n > 1, n, force + dim * SAB_FORCES_INERTIA);
    numbers(json, "outflow", n > 1, n, force + dim * SAB_FORCES_OUTFLOW);
    sab_json_begin_object(json, "forces");
    for (int b = 0; b < session->flow->setup.nboundaries; b++)
        numbers(json, session->flow->setup.boundary[b].group, n > 1, n,
                force + dim * (SAB_FORCES_ENTRIES + b));
    sab_json_end_object(json);
    sab_json_number(json, "defect", f->defect);
    sab_json_end_object(json);
}

static sab_status wall_loads(sab_json *json, const sab_session *session,
                             const sab_run_result *result, sab_error *err)
{
    bool open = false;
    sab_status status = SAB_OK;
    double *force = NULL;

    for (int i = 0; i < session->c->nprobes && result->probe != NULL; i++) {
        const sab_probe_result *r = &result->probe[i];
        char note[SAB_LOAD_NOTE];
        sab_load_figures f;

        if (r->load == NULL)
            continue;
        SAB_TRY(sab_summary_load(session, result, i, &f, &force, err));
        if (!open)
            sab_json_begin_object(json, "wall_loads");
        open = true;
        sab_wall_load_note(&f, "; ", note);
        sab_json_begin_object(json, r->probe->name);
        sab_json_number(json, "weight", f.weight);
        sab_json_number(json, "bottom", f.bottom);
        sab_json_number(json, "bottom_share", f.bottom_share);
        sab_json_number(json, "wall_friction", f.friction);
        sab_json_number(json, "vertical", f.vertical);
        sab_json_number(json, "K", f.K);
        sab_json_number(json, "janssen_error", f.janssen);
        sab_json_number(json, "bin_peak", f.bin_peak);
        sab_json_number(json, "hopper_peak", f.hopper_peak);
        sab_json_number(json, "switch_ratio", f.switch_ratio);
        sab_json_number(json, "slip_ratio", f.slip_ratio);
        sab_json_string(json, "flow", f.verdict);
        sab_json_number(json, "determined", f.sliding);
        sab_json_number(json, "rigid", f.rigid);
        sab_json_string(json, "note", note);
        balance(json, session, &f, force);
        SAB_FREE(force);
        sab_json_end_object(json);
    }
    if (open)
        sab_json_end_object(json);
cleanup:
    SAB_FREE(force);
    return status;
}

sab_march_figures sab_summary_figures(const sab_march *march)
{
    const sab_report *total = &march->total.solve;
    sab_march_figures f = {.missed = march->missed};

    for (int i = 0; i < march->rows; i++) {
        const double *row = march->history + (size_t)i * (size_t)march->columns;

        const double gap = row[SAB_HISTORY_GAP], compaction = row[SAB_HISTORY_COMPACTION];

        if (i == 0 || fmax(gap, compaction) > fmax(f.worst_gap, f.worst_compaction)) {
            f.worst_gap = gap;
            f.worst_compaction = compaction;
            f.worst_step = i + 1;
        }
        f.retries += (int)row[SAB_HISTORY_RETRIES];
        if (row[SAB_HISTORY_MISSED] >= 0.0 && row[SAB_HISTORY_MISSED] < SAB_MISS_COUNT)
            f.missed_by[(int)row[SAB_HISTORY_MISSED]]++;
    }
    f.cpu_per_step = total->work.cpu_total / total->work.cpu_one_factorisation / march->rows;
    return f;
}

static void transport(sab_json *json, const sab_transport_report *feet)
{
    sab_json_begin_object(json, "transport");
    sab_json_integer(json, "points", feet->points);
    sab_json_number(json, "steps_per_point", (double)feet->steps / (double)feet->points);
    sab_json_integer(json, "longest", feet->longest);
    sab_json_integer(json, "clamped", feet->clamped);
    sab_json_integer(json, "left", feet->left);
    sab_json_end_object(json);
}

/* The ledger of all steps, sums; and its signs of trouble. */
static void energies(sab_json *json, const sab_march *m)
{
    const sab_march_energy e = sab_march_energies(m);
    double sum[SAB_LEDGER_ENTRIES];

    memcpy(sum, &e.sum, sizeof sum);
    sab_json_begin_object(json, "ledger");
    for (int i = 0; i < SAB_LEDGER_ENTRIES; i++)
        sab_json_number(json, sab_history_name[SAB_HISTORY_LEDGER + i] + strlen("ledger_"), sum[i]);
    sab_json_number(json, "made", e.made);
    sab_json_number(json, "made_share", e.share);
    sab_json_number(json, "dilation_share", e.parting);
    sab_json_number(json, "worst_defect", e.defect);
    sab_json_number(json, "worst_created", e.created);
    sab_json_integer(json, "unsound", e.unsound);
    sab_json_end_object(json);
}

/* What only a run of many steps has. */
static void steps(sab_json *json, const sab_session *session, const sab_run_result *result)
{
    enum { LISTED = 50 };
    const sab_march *m = result->march;
    const sab_report *total = &m->total.solve;
    const sab_march_figures f = sab_summary_figures(m);
    int listed = 0;

    sab_json_begin_object(json, "window");
    sab_json_integer(json, "rows", result->window);
    sab_json_number(json, "length", result->window_length);
    if (session->watched >= 0)
        sab_json_string(json, "probe", session->c->probe[session->watched].name);
    sab_json_end_object(json);
    sab_json_integer(json, "missed", f.missed);
    sab_json_begin_array(json, "missed_steps");
    for (int i = 0; i < m->rows && listed < LISTED; i++)
        if (m->history[(size_t)i * (size_t)m->columns + SAB_HISTORY_MISSED] != 0.0) {
            sab_json_integer(json, NULL, i + 1);
            listed++;
        }
    sab_json_end_array(json);
    sab_json_begin_object(json, "missed_by");
    for (int by = SAB_MISS_NONE + 1; by < SAB_MISS_COUNT; by++)
        if (f.missed_by[by] > 0)
            sab_json_integer(json, sab_miss_table[by].key, f.missed_by[by]);
    sab_json_end_object(json);
    sab_json_integer(json, "retries", f.retries);
    sab_json_number(json, "worst_gap", f.worst_gap);
    sab_json_number(json, "worst_compaction", f.worst_compaction);
    sab_json_integer(json, "worst_step", f.worst_step);
    sab_json_begin_object(json, "per_step");
    for (int i = 0; i < SAB_WORK_COUNTS; i++)
        sab_json_number(json, sab_work_table[i].name, sab_work_get(&total->work, i) / m->rows);
    sab_json_number(json, "cpu", total->work.cpu_total / m->rows);
    sab_json_number(json, "cpu_in_factorisations", f.cpu_per_step);
    sab_json_end_object(json);
    if (!sab_march_is_flow(m))
        return;
    transport(json, &sab_march_flow_of(m)->transport);
    sab_json_number(json, "cell_reynolds", result->cell_reynolds);
    sab_json_number(json, "courant", result->courant);
    energies(json, m);
}

static void errors(sab_json *json, const sab_run_result *result)
{
    const sab_error_norms *e = &result->error;

    if (!result->has_velocity_error && !result->has_pressure_error)
        return;
    sab_json_begin_object(json, "errors");
    if (result->has_velocity_error) {
        sab_json_number(json, "L2", e->L2);
        sab_json_number(json, "Linf", e->Linf);
        sab_json_number(json, "H1", e->H1);
        sab_json_number(json, "relative_L2", e->L2 / e->exact_L2);
        sab_json_number(json, "relative_Linf", e->Linf / e->exact_Linf);
        sab_json_number(json, "relative_H1", e->H1 / e->exact_H1);
    }
    if (result->has_pressure_error) {
        sab_json_number(json, "pressure_L2", result->pressure_error);
        sab_json_number(json, "relative_pressure_L2",
                        result->pressure_error / result->pressure_scale);
    }
    sab_json_end_object(json);
}

/* What every result begins with. */
static void begin(sab_json *json, const sab_session *session, const sab_run_result *result)
{
    sab_json_begin_object(json, NULL);
    sab_json_integer(json, "format", SAB_SUMMARY_FORMAT);
    sab_json_string(json, "status", result->status);
    sab_json_bool(json, "good", sab_march_is_good(result->march));
    sab_json_begin_array(json, "warnings");
    for (int i = 0; i < sab_warnings_kept(result->warnings); i++)
        sab_json_string(json, NULL, result->warnings->text[i]);
    sab_json_end_array(json);
    sab_json_string(json, "version", SAB_VERSION);
    sab_json_string(json, "title", session->c->title);
    sab_json_string(json, "geometry", session->c->geometry->name);
}

/* Times, memory, steps. */
static void costs(sab_json *json, const sab_run_result *result)
{
    const sab_march *m = result->march;
    double most;

    sab_json_begin_object(json, "cpu");
    sab_json_number(json, "assembly", result->cpu_assembly);
    if (!sab_march_is_creeping(m) && sab_march_is_flow(m))
        sab_json_number(json, "transport", sab_march_flow_of(m)->cpu_transport);
    for (int i = SAB_WORK_COUNTS; i < SAB_WORK_ENTRIES; i++)
        sab_json_number(json, sab_work_table[i].name, sab_work_get(&result->report.solve.work, i));
    sab_json_number(json, "output", result->cpu_output);
    sab_json_number(json, "total", result->cpu_total);
    if (sab_server_processes() > 1)
        sab_json_number(json, "servers", sab_server_cpu(&most));
    sab_json_end_object(json);
    sab_json_number(json, "wall", result->wall_total);
    sab_json_number(json, "peak_memory", sab_peak_memory());
    sab_json_integer(json, "steps", m->rows);
    sab_json_number(json, "time", sab_march_time(m));
}

/* A start from another mesh (fem/transfer.h). */
static void initial(sab_json *json, const sab_session *session)
{
    const sab_transfer_report *r = &session->transfer;
    const double whole = session->c->geometry->whole;

    if (r->places == 0)
        return;
    sab_json_begin_object(json, "initial");
    sab_json_integer(json, "places", r->places);
    sab_json_integer(json, "clamped", r->clamped);
    sab_json_number(json, "farthest", r->farthest);
    sab_json_number(json, "outside", r->outside);
    sab_json_number(json, "energy", whole * r->energy);
    sab_json_number(json, "energy_source", whole * r->energy_source);
    sab_json_number(json, "divergence", r->divergence);
    sab_json_number(json, "divergence_source", r->divergence_source);
    sab_json_end_object(json);
}

static void flow_numbers(sab_json *json, const sab_session *session, const sab_run_result *result)
{
    const sab_mesh *mesh = session->mesh;

    sab_json_begin_object(json, "mesh");
    sab_json_integer(json, "vertices", mesh->nvertices);
    sab_json_integer(json, "elements", mesh->nelements);
    sab_json_integer(json, "velocity_dofs", session->flow->program->n);
    sab_json_integer(json, "gauss_points", session->flow->space->npoints);
    if (session->flow->walls != NULL)
        sab_json_integer(json, "wall_points", session->flow->walls->n);
    sab_json_end_object(json);
    material(json, session);
    initial(json, session);
    if (sab_march_is_creeping(result->march))
        sab_json_string(json, "missed_by", sab_miss_table[result->report.missed.by].key);
    add_solver(json, &result->report.solve, session->c->solver.tolerance, session->flow->solver,
               session->c->geometry->whole);
    volume(json, &result->volume);
}

sab_status sab_summary_write(const char *path, const sab_session *session,
                             const sab_run_result *result, sab_error *err)
{
    const sab_march *m = result->march;
    const bool inertial = !sab_march_is_creeping(m), flow = session->flow != NULL;
    sab_status status = SAB_OK;
    sab_json json = {0};

    begin(&json, session, result);
    if (flow)
        flow_numbers(&json, session, result);
    else
        sab_summary_scene(&json, session->scene, result);
    costs(&json, result);
    if (inertial)
        steps(&json, session, result);
    if (flow) {
        sab_json_integer(&json, "viscosity_iterations", result->report.viscosity_iterations);
        sab_json_number(&json, "rate_residual", result->report.rate_residual);
        sab_json_number(&json, "pressure_oscillation", result->shown.oscillation);
    }
    probes(&json, "probes", session, result, inertial ? result->mean + m->fixed : NULL, true);
    if (inertial)
        probes(&json, "deviations", session, result, result->deviation + m->fixed, false);
    totals(&json, session->c, result, inertial ? result->mean + m->fixed : NULL);
    si_object(&json, session->c, result, inertial ? result->mean + m->fixed : NULL,
              inertial ? result->deviation + m->fixed : NULL);
    if (flow)
        status = wall_loads(&json, session, result, err);
    errors(&json, result);
    if (status == SAB_OK)
        status = sab_provenance_write(&json, session, err);
    sab_json_end_object(&json);
    if (status == SAB_OK)
        status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

sab_status sab_summary_program(const char *path, const sab_report *report, double tolerance,
                               const sab_solver *solver, int n, const double *u, sab_error *err)
{
    sab_json json = {0};

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "status",
                    report->reason == SAB_CONVERGED    ? "converged"
                    : report->reason == SAB_INFEASIBLE ? "infeasible"
                                                       : "not_converged");
    sab_json_string(&json, "missed_by",
                    sab_miss_table[sab_report_missed(report, tolerance).by].key);
    sab_json_string(&json, "version", SAB_VERSION);
    add_solver(&json, report, tolerance, solver, 1.0);
    sab_json_number(&json, "cpu", report->work.cpu_total);
    sab_json_number(&json, "cpu_one_factorisation", report->work.cpu_one_factorisation);
    sab_json_begin_array(&json, "u");
    for (int i = 0; i < n; i++)
        sab_json_number(&json, NULL, u[i]);
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

#include "cli/summary.h"
#include "base/timer.h"
#include "io/output.h"

#include <stdio.h>

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

static void material(sab_json *json, const sab_session *session)
{
    const sab_program *p = session->flow->program;
    const double scale = sab_geometry_normal_scale(session->c->geometry);
    const sab_range inverse = sab_range_of(p->npoints, session->flow->inverse_reynolds, 1.0);

    sab_json_begin_object(json, "material");
    range(json, "friction", sab_range_of(p->npoints, p->friction, scale));
    range(json, "dilatancy", sab_range_of(p->npoints, p->dilatancy, scale));
    range(json, "bingham", sab_range_of(p->npoints, p->yield, 1.0));
    range(json, "reynolds", (sab_range){1.0 / inverse.high, 1.0 / inverse.low});
    sab_json_number(json, "bulk", p->bulk);
    sab_json_bool(json, "viscosity_formula", session->c->material.has_viscosity);
    sab_json_end_object(json);
}

void sab_summary_solver(sab_json *json, const sab_report *r, sab_factor_backend linear)
{
    const sab_certificate *c = &r->certificate;

    sab_json_begin_object(json, "solver");
    sab_json_string(json, "method", sab_method_table[r->method].name);
    sab_json_string(json, "linear", linear == SAB_MUMPS ? "mumps" : "cholmod");
    sab_json_integer(json, "outer", r->outer);
    sab_json_integer(json, "inner", r->inner);
    sab_json_integer(json, "factorisations", r->factorisations);
    sab_json_integer(json, "solves", r->solves);
    sab_json_number(json, "gap", c->gap);
    sab_json_number(json, "gap_friction", c->gap_friction);
    sab_json_number(json, "gap_normal", c->gap_normal);
    sab_json_number(json, "compaction", c->compaction);
    sab_json_number(json, "natural", c->natural);
    sab_json_number(json, "natural_max", c->natural_max);
    sab_json_number(json, "fischer_burmeister", c->fischer_burmeister);
    sab_json_number(json, "momentum", c->momentum);
    sab_json_number(json, "dissipation", c->dissipation);
    sab_json_bool(json, "at_rest", c->at_rest);
    sab_json_end_object(json);
}

static void probes(sab_json *json, const sab_session *session, const sab_run_result *result)
{
    sab_json_begin_object(json, "probes");
    for (int i = 0; i < session->c->nprobes && result->probe != NULL; i++) {
        const sab_probe_result *r = &result->probe[i];

        if (sab_probe_is_profile(r->probe)) { /* the values are in profiles/ */
            char file[128];

            snprintf(file, sizeof file, "profiles/%s.csv", r->probe->name);
            sab_json_string(json, r->probe->name, file);
        } else if (r->components == 1) {
            sab_json_number(json, r->probe->name, r->value[0]);
        } else {
            sab_json_begin_array(json, r->probe->name);
            for (int c = 0; c < r->components; c++)
                sab_json_number(json, NULL, r->value[c]);
            sab_json_end_array(json);
        }
    }
    sab_json_end_object(json);
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

sab_status sab_summary_write(const char *path, const sab_session *session,
                             const sab_run_result *result, sab_error *err)
{
    const sab_report *r = &result->report.solve;
    const sab_mesh *mesh = session->mesh;
    sab_json json = {0};

    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "status", result->status);
    sab_json_string(&json, "version", SAB_VERSION);
    sab_json_string(&json, "title", session->c->title);
    sab_json_begin_object(&json, "mesh");
    sab_json_integer(&json, "vertices", mesh->nvertices);
    sab_json_integer(&json, "elements", mesh->nelements);
    sab_json_integer(&json, "velocity_dofs", session->flow->program->n);
    sab_json_integer(&json, "gauss_points", session->flow->program->npoints);
    sab_json_end_object(&json);
    material(&json, session);
    sab_summary_solver(&json, r, session->c->solver.linear);
    sab_json_begin_object(&json, "cpu");
    sab_json_number(&json, "assembly", session->flow->cpu_assembly);
    sab_json_number(&json, "factorisation", r->cpu_factorisation);
    sab_json_number(&json, "solve", r->cpu_solve);
    sab_json_number(&json, "cones", r->cpu_cones);
    sab_json_number(&json, "output", result->cpu_output);
    sab_json_number(&json, "total", result->cpu_total);
    sab_json_number(&json, "one_factorisation", r->cpu_one_factorisation);
    sab_json_end_object(&json);
    sab_json_number(&json, "wall", result->wall_total);
    sab_json_number(&json, "peak_memory", sab_peak_memory());
    sab_json_integer(&json, "steps", 1);
    sab_json_number(&json, "time", 0.0);
    sab_json_integer(&json, "viscosity_iterations", result->report.viscosity_iterations);
    sab_json_number(&json, "viscosity_change", result->report.viscosity_change);
    sab_json_number(&json, "pressure_oscillation", result->oscillation);
    probes(&json, session, result);
    errors(&json, result);
    sab_json_end_object(&json);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

#include "cli/session.h"
#include "base/timer.h"
#include "cli/blas.h"

#include <math.h>
#include <stdio.h>

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

static sab_status load_mesh(sab_session *session, sab_error *err)
{
    const sab_case *c = session->c;
    sab_status status = SAB_OK;
    sab_mesh *coarse = NULL;

    SAB_TRY(sab_mesh_read(c->mesh_file, c->nparameters, c->parameter, &coarse, err));
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

sab_status sab_session_open(const sab_args *args, sab_terminal *term, sab_session *session,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    int threads = 1;

    if (args->threads != NULL) {
        SAB_TRY(sab_args_integer("--threads", args->threads, &threads, err));
        if (threads < 1 || threads > 1024) {
            status =
                sab_fail(err, SAB_ERR_USAGE, "--threads: %d is not between 1 and 1024", threads);
            goto cleanup;
        }
    }
    sab_blas_set_threads(threads);
    SAB_TRY(sab_case_read(args->target, args->noverrides, args->override, &session->c, err));

    const double start = sab_wall_seconds();
    sab_progress(term, "meshing %s", session->c->mesh_file);
    SAB_TRY(load_mesh(session, err));
    session->wall_mesh = sab_wall_seconds() - start;

    const sab_case *c = session->c;
    const sab_flow_setup setup = {.mesh = session->mesh,
                                  .geometry = c->geometry,
                                  .material = &c->material,
                                  .gravity = c->gravity,
                                  .nboundaries = c->nboundaries,
                                  .boundary = c->boundary,
                                  .solver = c->solver,
                                  .viscosity_iterations = c->viscosity_max_iterations,
                                  .viscosity_tolerance = c->viscosity_tolerance};
    sab_progress(term, "assembling %d triangles", session->mesh->nelements);
    SAB_TRY(sab_flow_create(&setup, &session->flow, err));
    SAB_TRY(sab_probes_create(session->flow, c->nprobes, c->probe, &session->probes, err));
cleanup:
    sab_progress_end(term);
    if (status == SAB_ERR_INPUT && session->c != NULL)
        sab_error_context(err, "in case '%s'", session->c->path);
    return status;
}

void sab_session_close(sab_session *session)
{
    sab_probes_destroy(&session->probes);
    sab_flow_destroy(&session->flow);
    sab_mesh_destroy(&session->mesh);
    sab_case_destroy(&session->c);
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
    if (r.high - r.low <= 1e-12 * fabs(r.high))
        sab_say(term, "  %-12s %-14.6g %s", name, r.high, meaning);
    else
        sab_say(term, "  %-12s %.6g to %-8.6g %s", name, r.low, r.high, meaning);
}

static void describe_rheology(const sab_session *session, sab_terminal *term)
{
    const sab_program *p = session->flow->program;
    const sab_case *c = session->c;
    const double scale = sab_geometry_normal_scale(c->geometry);
    const int n = p->npoints;
    sab_range re = sab_range_of(n, session->flow->inverse_reynolds, 1.0);

    re = (sab_range){1.0 / re.high, 1.0 / re.low};
    sab_say(term, "rheology       %s, viscoplastic Drucker-Prager, creeping", c->geometry->name);
    say_range(term, "friction", sab_range_of(n, p->friction, scale),
              "yield when sqrt(J2) = bingham + friction p");
    if (c->material.friction_is_angle)
        sab_say(term, "  %-12s given as an angle; friction = sin(angle) in plane strain", "");
    say_range(term, "dilatancy", sab_range_of(n, p->dilatancy, scale),
              "0: volume kept while yielding; = friction: associated");
    say_range(term, "bingham", sab_range_of(n, p->yield, 1.0), "yield stress / (rho g L)");
    say_range(term, "reynolds", re, "rho sqrt(g L) L / eta: viscous stress (2/Re) E_b D");
    sab_say(term, "  %-12s %-14.6g %s", "bulk", c->material.bulk,
            "b of E_b D = Dev D + (b/d) Tr D I");
    if (c->material.has_viscosity)
        sab_say(term, "  %-12s %-14s %s", "viscosity", "formula",
                "multiplies 1/Re, by averaged fixed point");
    sab_say(term, "  units        lengths L, velocities sqrt(g L), stresses rho g L");
}

void sab_session_describe(const sab_session *session, sab_terminal *term)
{
    const sab_case *c = session->c;
    const sab_mesh *mesh = session->mesh;
    const sab_program *p = session->flow->program;
    const sab_factor_info info = sab_factor_get_info(sab_solver_factor(session->flow->solver));
    const sab_boundary_report *report = &session->flow->boundaries;

    sab_say(term, "sablier %s  %s", SAB_VERSION, c->title);
    sab_say(term, "mesh           %s, %s: %d vertices, %d triangles", c->mesh_file,
            c->split == SAB_SPLIT_ALFELD ? "Alfeld split" : "as it is", mesh->nvertices,
            mesh->nelements);
    sab_say(term, "unknowns       %d velocities, %d law points", p->n, p->npoints);
    describe_rheology(session, term);
    sab_say(term,
            "solver         %s, tolerance %g on the power gap; %s (%s), factor %.3g M entries",
            sab_method_table[c->solver.method].name, c->solver.tolerance, info.backend,
            info.ordering, 1e-6 * info.entries);
    sab_say(term, "memory         about %.3g MB", 1e-6 * sab_flow_memory(session->flow));
    if (term->verbosity > 0)
        sab_say(term, "BLAS           %s", sab_blas_name());
    if (report->uncovered > 0)
        sab_warn(
            term,
            "%d boundary sides belong to no group (the first is at (%g, %g)): they are free of "
            "traction",
            report->uncovered, report->place[0], report->place[1]);
    if (c->split == SAB_SPLIT_NONE)
        sab_warn(term, "mesh.split: none is the plain P2/P1 pair: stable on special meshes only; "
                       "do not trust point values of its pressure");
}

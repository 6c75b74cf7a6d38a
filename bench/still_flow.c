/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "still_flow.h"
#include "base/memory.h"
#include "fem/flux.h"
#include "flow/inertia.h"
#include "flow/assemble.h"

#include <string.h>

sab_status bench_open(const char *path, int noverrides, const char *const *override, double dt,
                      sab_session *session, sab_error *err)
{
    static const sab_run_events silence = {NULL};
    sab_status status = SAB_OK;

    SAB_TRY(sab_case_read(path, noverrides, override, &session->c, err));
    sab_case_time *t = &session->c->time;
    t->scheme = dt > 0.0 ? SAB_INERTIAL : SAB_CREEPING;
    t->step = dt;
    t->end = dt;
    t->order = 1;
    SAB_TRY(sab_session_build(session, false, &silence, err));
cleanup:
    return status;
}

void bench_set_inertia(sab_flow *flow, double inertia)
{
    sab_program *p = flow->program;

    for (int q = 0; q < p->npoints && inertia > 0.0 && flow->inertia != NULL; q++)
        p->r[q] = p->viscosity[q] + inertia;
}

void bench_follow_points(sab_flow *flow, const double *v)
{
    if (flow->inertia == NULL)
        return;
    memmove(flow->inertia->carried, v, 2 * (size_t)flow->inertia->mass->at->n * sizeof *v);
    sab_flow_assemble_load(flow);
}

void bench_follow(sab_flow *flow, const double *u)
{
    if (flow->inertia == NULL)
        return;
    sab_space_expand(flow->space, flow->dofs, u, flow->work);
    sab_mass_interpolate(flow->space, flow->work, flow->inertia->b);
    bench_follow_points(flow, flow->inertia->b);
}

/* int u.n is the power of the traction n, that is of the pressure -1. */
sab_status bench_flux(const sab_flow *flow, const char *group, double *q, double *given,
                      sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = flow->setup.mesh;
    const size_t size = sab_space_size(flow->space);
    const int found = sab_mesh_find_group(mesh, group);
    char name[64] = "";
    const sab_boundary entry = {
        .group = name, .has_pressure = true, .pressure = sab_constant(-1.0)};
    double *F = NULL, *U = NULL;

    if (found < 0)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh has no group '%s'", group);
    strncpy(name, group, sizeof name - 1);
    SAB_NEW(F, size);
    SAB_NEW(U, size);
    SAB_TRY(sab_boundary_load(flow->space, 1, &entry, &found, 0.0, F, err));
    memset(q, 0, (size_t)flow->program->n * sizeof *q);
    sab_space_expand(flow->space, flow->dofs, q, U); /* what is prescribed */
    *given = 0.0;
    for (size_t i = 0; i < size; i++)
        *given += F[i] * U[i];
    sab_space_restrict(flow->space, flow->dofs, F, q);
cleanup:
    SAB_FREE(F);
    SAB_FREE(U);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/inertia.h"
#include "base/memory.h"
#include "base/timer.h"
#include "fem/axis.h"

#include <math.h>
#include <string.h>

static bool any_varies(int n, const sab_function *f)
{
    for (int i = 0; i < n; i++)
        if (sab_function_varies(&f[i]))
            return true;
    return false;
}

/* May the loads or the prescribed velocities change with time? */
static bool may_vary(const sab_flow_setup *setup)
{
    const int dim = setup->geometry->dim;
    bool varies = any_varies(dim, setup->gravity);

    for (int b = 0; b < setup->nboundaries; b++) {
        const sab_boundary *at = &setup->boundary[b];

        varies = varies || (at->has_velocity && any_varies(dim, at->velocity)) ||
                 (at->has_traction && any_varies(dim, at->traction)) ||
                 (at->has_pressure && any_varies(1, &at->pressure)) ||
                 (at->has_wall && ((at->wall.has_velocity && any_varies(dim, at->wall.velocity)) ||
                                   (at->wall.has_speed && any_varies(1, &at->wall.speed))));
    }
    return varies;
}

static bool walls_may_vary(const sab_flow_setup *setup)
{
    for (int b = 0; b < setup->nboundaries; b++) {
        const sab_wall_law *wall = &setup->boundary[b].wall;

        if (setup->boundary[b].has_wall &&
            (any_varies(1, &wall->friction) || any_varies(1, &wall->adhesion) ||
             any_varies(1, &wall->drag)))
            return true;
    }
    return false;
}

static bool law_may_vary(const sab_material *m)
{
    return (!m->has_mu_i && any_varies(1, &m->friction)) || any_varies(1, &m->dilatancy) ||
           any_varies(1, &m->bingham) || any_varies(1, &m->reynolds);
}

/* A wall holds the material, or lets it slip. Where another velocity is prescribed it may come in,
 * and then the velocity on the boundary is that of the material outside. */
static bool is_wall(const sab_boundary *at, int dim)
{
    bool held = at->has_velocity;

    for (int i = 0; i < dim; i++)
        held = held && at->prescribed[i] && at->velocity[i].call == NULL &&
               at->velocity[i].constant == 0.0;
    return held || at->slip || at->has_wall;
}

/* Material goes by the tractions alone through sides that nobody mentions, too: together they are
 * one part of the boundary, every entry is one of its own. Not where one component of the velocity
 * is given and the other free: this says that the flow is developed there, and comes in as it goes.
 */
static sab_status find_open_sides(const sab_flow *flow, sab_inertia *it, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const double axis = sab_axis_reach(mesh, flow->setup.geometry);
    sab_status status = SAB_OK;

    SAB_NEW(it->open, mesh->nfacets);
    SAB_NEW(it->part, mesh->nfacets);
    for (int f = 0; f < mesh->nfacets; f++) {
        it->open[f] = !sab_facet_on_axis(mesh, axis, f); /* where no material can pass */
        it->part[f] = it->open[f] ? flow->setup.nboundaries : -1;
    }
    for (int b = 0; b < flow->setup.nboundaries; b++) {
        const sab_boundary *at = &flow->setup.boundary[b];
        const sab_mesh_group *group = &mesh->group[flow->group[b]];

        for (int i = 0; i < group->nfacets; i++) {
            if (is_wall(at, flow->setup.geometry->dim))
                it->open[group->facet[i]] = false;
            if (at->slip || at->has_wall || at->has_velocity)
                it->part[group->facet[i]] = -1;
            else if (it->part[group->facet[i]] >= 0)
                it->part[group->facet[i]] = b;
        }
    }
    for (int k = 0; k < flow->dofs->nmatches; k++) { /* what goes through them stays inside */
        const sab_match *match = &flow->dofs->match[k];

        for (int i = 0; i < match->nfacets; i++) {
            it->open[match->facet_from[i]] = it->open[match->facet_to[i]] = false;
            it->part[match->facet_from[i]] = it->part[match->facet_to[i]] = -1;
        }
    }
cleanup:
    return status;
}

/* Partners of periodic sides must start alike. */
static sab_status check_partners(const sab_flow *flow, const double *U, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const int dim = mesh->cell->dim;
    char place[SAB_PLACE_TEXT];
    double most = 0.0;

    for (int i = 0; i < dim * mesh->nnodes; i++)
        most = fmax(most, fabs(U[i]));
    for (int i = 0; i < dim * mesh->nnodes; i++) {
        const int leader = flow->dofs->leader[i / dim];

        if (fabs(U[i] - U[dim * leader + i % dim]) > 1e-7 * most)
            return sab_fail(err, SAB_ERR_INPUT,
                            "initial.velocity: at %s it is not that of its partner on the other "
                            "side, though they are periodic",
                            sab_place_text(dim, sab_mesh_x(mesh, leader), place));
    }
    return SAB_OK;
}

/* The initial velocity at the nodes, with what is prescribed there. */
static sab_status set_initial(const sab_flow *flow, double *U, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    sab_status status = SAB_OK;

    for (int a = 0; flow->setup.initial != NULL && a < mesh->nnodes; a++) {
        const sab_vars at = sab_vars_at(mesh->cell->dim, sab_mesh_x(mesh, a), 0.0);

        for (int i = 0; i < mesh->cell->dim; i++)
            SAB_TRY(
                sab_function_at(&flow->setup.initial[i], &at, &U[mesh->cell->dim * a + i], err));
    }
    SAB_TRY(check_partners(flow, U, err));
    sab_space_take(flow->space, flow->dofs, U, flow->u);
    sab_space_expand(flow->space, flow->dofs, flow->u, U);
cleanup:
    return status;
}

sab_status sab_inertia_create(const sab_flow *flow, sab_inertia **inertia, sab_error *err)
{
    const size_t size = sab_space_size(flow->space);
    sab_status status = SAB_OK;
    sab_inertia *it = NULL;

    *inertia = NULL;
    SAB_NEW(it, 1);
    SAB_TRY(sab_mass_create(flow->space, flow->dofs, &it->mass, err));
    SAB_TRY(find_open_sides(flow, it, err));
    SAB_TRY(sab_transport_create(flow->space, it->open, flow->dofs->nmatches, flow->dofs->match,
                                 &it->transport, err));
    SAB_TRY(sab_inflow_create(flow->space, flow->dofs, flow->setup.nboundaries + 1,
                              flow->setup.free_inflow ? NULL : it->part, flow->program->A,
                              &it->inflow, err));
    const size_t points = (size_t)it->mass->at->s * (size_t)it->mass->at->n;
    it->size = size;
    SAB_NEW(it->b, points);
    SAB_NEW(it->c, points);
    SAB_NEW(it->carried, points);
    SAB_NEW(it->given, points);
    SAB_NEW(it->work, points);
    SAB_NEW(it->velocity, size);
    SAB_NEW(it->previous, size);
    SAB_NEW(it->prescribed, size);
    SAB_NEW(it->weight, size);
    SAB_NEW(it->applied, size);
    SAB_TRY(sab_space_body_force(flow->space, flow->setup.gravity, 0.0, it->weight, err));
    memcpy(it->applied, flow->load, size * sizeof *it->applied);
    it->varies = may_vary(&flow->setup);
    it->law_varies = law_may_vary(flow->setup.material) || walls_may_vary(&flow->setup);
    SAB_TRY(set_initial(flow, it->velocity, err));
    memcpy(it->previous, it->velocity, size * sizeof *it->previous);
    *inertia = it;
    it = NULL;
cleanup:
    sab_inertia_destroy(&it);
    return status;
}

void sab_inertia_destroy(sab_inertia **inertia)
{
    sab_inertia *it = *inertia;

    if (it == NULL)
        return;
    sab_mass_destroy(&it->mass);
    sab_transport_destroy(&it->transport);
    sab_inflow_destroy(&it->inflow);
    SAB_FREE(it->open);
    SAB_FREE(it->part);
    SAB_FREE(it->b);
    SAB_FREE(it->c);
    SAB_FREE(it->carried);
    SAB_FREE(it->given);
    SAB_FREE(it->work);
    SAB_FREE(it->velocity);
    SAB_FREE(it->previous);
    SAB_FREE(it->prescribed);
    SAB_FREE(it->weight);
    SAB_FREE(it->applied);
    SAB_FREE(*inertia);
}

void sab_inertia_carry(sab_inertia *it, double dt, int order)
{
    const size_t n = (size_t)it->mass->at->s * (size_t)it->mass->at->n;
    const double start = sab_cpu_seconds();
    sab_transport_report report;

    if (order == 1) {
        sab_transport_first(it->transport, dt, it->velocity, it->b, &report);
        memcpy(it->carried, it->b, n * sizeof *it->b);
        it->factor = 1.0 / dt;
    } else {
        sab_transport_second(it->transport, dt, it->velocity, it->previous, it->b, it->c, &report);
        for (size_t i = 0; i < n; i++)
            it->carried[i] = (4.0 * it->b[i] - it->c[i]) / 3.0;
        it->factor = 1.5 / dt;
    }
    sab_transport_add(&it->report, &report);
    it->cpu_carry += sab_cpu_seconds() - start;
}

void sab_inertia_join(sab_inertia *it, const double *start, double dt)
{
    memcpy(it->previous, start, it->size * sizeof *start);
    sab_transport_first(it->transport, dt, start, it->b, NULL);
}

void sab_inertia_prescribe(sab_inertia *it, const sab_flow *flow)
{
    sab_space_expand(flow->space, flow->dofs, NULL, it->prescribed);
    sab_mass_interpolate(flow->space, it->prescribed, it->given);
}

/* F += factor int (w - v).test, v given at the points */
static void add_force(sab_inertia *it, const sab_flow *flow, const double *v, double *F)
{
    for (size_t i = 0; i < (size_t)it->mass->at->s * (size_t)it->mass->at->n; i++)
        it->work[i] = it->factor * (it->carried[i] - v[i]);
    sab_mass_force(it->mass, flow->space, it->work, F);
}

void sab_inertia_load(sab_inertia *it, const sab_flow *flow, double *F, double *carried, double *l)
{
    const size_t size = sab_space_size(flow->space);

    memset(F, 0, size * sizeof *F);
    if (flow->surface != NULL)
        sab_surface_forces(flow, it->velocity, it->prescribed, F);
    else
        add_force(it, flow, it->given, F);
    sab_space_restrict(flow->space, flow->dofs, F, carried);
    for (size_t i = 0; i < size; i++)
        F[i] += it->applied[i];
    if (flow->surface == NULL)
        sab_inflow_force(it->inflow, it->prescribed, F);
    sab_space_restrict(flow->space, flow->dofs, F, l);
}

void sab_inertia_balance(sab_inertia *it, const sab_flow *flow, const double *U, double *F)
{
    memcpy(F, it->applied, sab_space_size(flow->space) * sizeof *F);
    if (flow->surface != NULL) {
        sab_surface_forces(flow, it->previous, U, F);
        return;
    }
    sab_mass_interpolate(flow->space, U, it->work);
    add_force(it, flow, it->work, F);
    sab_inflow_force(it->inflow, U, F);
}

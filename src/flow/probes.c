/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/probes.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/flux.h"
#include "fem/integral.h"
#include "fem/locate.h"
#include "fem/recovery.h"
#include "fem/slice.h"
#include "flow/carried.h"
#include "flow/walls.h"

#include <string.h>

struct sab_probes {
    int n;
    sab_probe_result *result; /* [n] */
    int *entry;               /* [n] boundary entry of a flux, force or traction */
    int **element;            /* [n] element of each sample, or NULL */
    double **xi;              /* [n][samples][dim] */
    sab_wall_trace **wall;    /* [n] of a traction, or NULL */
    sab_wall_load **load;     /* [n] of a wall load, or NULL */
    sab_recovery *recovery;   /* if a probe shows the recovered stress, else NULL */
    double *stress;           /* [rows][components] of the longest wall: workspace */
};

/* Does it look at a field, at points of its own? */
static bool is_sampled(const sab_probe *probe)
{
    return probe->kind == SAB_PROBE_POINT || probe->kind == SAB_PROBE_LINE ||
           probe->kind == SAB_PROBE_PLANE;
}

static bool is_integral(const sab_probe *probe)
{
    return probe->kind == SAB_PROBE_FLUX || probe->kind == SAB_PROBE_FORCE ||
           probe->kind == SAB_PROBE_INTEGRAL || probe->kind == SAB_PROBE_LEFT ||
           probe->kind == SAB_PROBE_FED ||
           (probe->kind == SAB_PROBE_GRAINS &&
            (probe->grains == SAB_CARRIED_MASS || probe->grains == SAB_CARRIED_KINETIC_ENERGY ||
             probe->grains == SAB_CARRIED_POTENTIAL_ENERGY ||
             probe->grains == SAB_CARRIED_MOMENTUM));
}

static sab_status find_entry(const sab_flow *flow, const sab_probe *probe, int *entry,
                             sab_error *err)
{
    const int g = sab_mesh_find_group(flow->setup.mesh, probe->group);
    sab_status status = SAB_OK;
    sab_text known = {0};

    for (int b = 0; b < flow->setup.nboundaries; b++)
        if (flow->group[b] == g) {
            *entry = b;
            return SAB_OK;
        }
    for (int b = 0; b < flow->setup.nboundaries && status == SAB_OK; b++)
        status =
            sab_text_add(&known, err, "%s%s", b > 0 ? ", " : "", flow->setup.boundary[b].group);
    if (status == SAB_OK)
        status = sab_fail(err, SAB_ERR_INPUT, "probes.%s: no boundary group '%s'; there are %s",
                          probe->name, probe->group, known.data);
    sab_text_destroy(&known);
    return status;
}

static sab_status place_samples(sab_probes *p, int i, const sab_probe *probe, const sab_mesh *mesh,
                                const sab_locator *locator, sab_error *err)
{
    sab_status status = SAB_OK;
    const int dim = mesh->cell->dim;
    sab_probe_result *r = &p->result[i];
    char place[SAB_PLACE_TEXT];

    r->samples = probe->kind == SAB_PROBE_LINE ? probe->samples : 1;
    SAB_NEW(p->element[i], r->samples);
    SAB_NEW(p->xi[i], (size_t)dim * (size_t)r->samples);
    SAB_NEW(r->x, (size_t)dim * (size_t)r->samples);
    for (int k = 0; k < r->samples; k++) {
        const double t = r->samples > 1 ? (double)k / (r->samples - 1) : 0.0;
        double *x = r->x + dim * k;

        for (int j = 0; j < dim; j++)
            x[j] = (1.0 - t) * probe->from[j] + t * probe->to[j];
        p->element[i][k] = sab_locator_find(locator, x, p->xi[i] + dim * k);
        if (p->element[i][k] < 0) {
            status = sab_fail(err, SAB_ERR_INPUT, "probes.%s: %s lies outside the domain",
                              probe->name, sab_place_text(dim, x, place));
            goto cleanup;
        }
    }
cleanup:
    return status;
}

/* The middles of the parts of a segment. */
static sab_status place_height(sab_probes *p, int i, const sab_probe *probe, const sab_mesh *mesh,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    const int dim = mesh->cell->dim;
    sab_probe_result *r = &p->result[i];

    if (!(probe->to[0] > probe->from[0]))
        SAB_FAIL(err, SAB_ERR_INPUT, "probes.%s: the segment of a height goes from left to right",
                 probe->name);
    r->samples = probe->samples;
    SAB_NEW(r->x, (size_t)dim * (size_t)r->samples);
    for (int k = 0; k < r->samples; k++)
        for (int j = 0; j < dim; j++)
            r->x[dim * k + j] =
                probe->from[j] + (k + 0.5) / r->samples * (probe->to[j] - probe->from[j]);
cleanup:
    return status;
}

/* The points of a slice, taken over from it. */
static sab_status place_slice(sab_probes *p, int i, const sab_probe *probe, const sab_mesh *mesh,
                              const sab_locator *locator, sab_error *err)
{
    sab_slice *slice = NULL;
    sab_error why = {0};
    sab_status status;

    if (mesh->cell->dim < SAB_DIM)
        return sab_fail(err, SAB_ERR_INPUT, "probes.%s: a plane is for flow in space; use line",
                        probe->name);
    status = sab_slice_create(mesh, locator, probe->from, probe->to, probe->samples, probe->across,
                              &slice, &why);
    if (status != SAB_OK)
        return sab_fail(err, status, "probes.%s: %s", probe->name, why.message);
    p->result[i].samples = slice->n;
    p->result[i].x = slice->x;
    p->element[i] = slice->element;
    p->xi[i] = slice->xi;
    SAB_FREE(slice);
    return SAB_OK;
}

/* The table of a traction: where its rows are. */
static sab_status place_wall(sab_probes *p, int i, const sab_flow *flow, const sab_probe *probe,
                             sab_error *err)
{
    sab_probe_result *r = &p->result[i];
    sab_error why = {0};
    const sab_status status =
        sab_wall_create(flow->setup.mesh, flow->setup.geometry, flow->group[p->entry[i]],
                        flow->dofs->owner, p->entry[i], probe->samples, &p->wall[i], &why);

    if (status != SAB_OK)
        return sab_fail(err, status, "probes.%s: %s", probe->name, why.message);
    r->wall = p->wall[i];
    r->samples = r->wall->nrows;
    r->x = r->wall->x;
    r->components = r->wall->components;
    if (sab_recovery_is_stable(flow->space)) /* beside those from reactions */
        r->components += r->wall->components;
    return SAB_OK;
}

/* The table of a wall load. */
static sab_status place_load(sab_probes *p, int i, const sab_flow *flow, const sab_probe *probe,
                             sab_error *err)
{
    sab_probe_result *r = &p->result[i];
    sab_error why = {0};
    const sab_status status = sab_wall_load_create(flow, p->entry[i], &p->load[i], &why);

    if (status != SAB_OK)
        return sab_fail(err, status, "probes.%s: %s", probe->name, why.message);
    r->load = p->load[i];
    r->samples = r->load->rows->n;
    r->x = r->load->rows->x;
    r->components = r->load->columns;
    r->beside = sab_wall_load_beside(r->load);
    return SAB_OK;
}

/* A sum of vectors: about an axis its axial component. */
static void name_vector(const sab_geometry *geometry, sab_probe_result *r)
{
    r->components = geometry->axis ? 1 : geometry->dim;
    r->name = geometry->coordinate + geometry->dim - r->components;
}

/* The components of a number or a field, and what they are called. */
static void name_components(const sab_flow *flow, const sab_probe *probe, sab_probe_result *r)
{
    const sab_geometry *geometry = flow->setup.geometry;

    r->components = 1;
    switch (probe->kind) {
    case SAB_PROBE_FLUX:
    case SAB_PROBE_INTEGRAL:
    case SAB_PROBE_TRACTION:
    case SAB_PROBE_WALL_LOAD:
    case SAB_PROBE_LEFT:
    case SAB_PROBE_FED:
    case SAB_PROBE_FRONT:
    case SAB_PROBE_HEIGHT:
        return;
    case SAB_PROBE_GRAINS:
        if (probe->grains == SAB_CARRIED_CENTRE) {
            r->components = geometry->dim;
            r->name = geometry->coordinate;
        } else if (probe->grains == SAB_CARRIED_MOMENTUM)
            name_vector(geometry, r);
        return;
    case SAB_PROBE_FORCE:
        name_vector(geometry, r);
        return;
    default:
        r->components = sab_fields_components(flow->fields, probe->field);
        r->name = probe->field == SAB_FIELD_VELOCITY ? geometry->coordinate
                  : probe->field == SAB_FIELD_STRESS ? geometry->component
                                                     : NULL;
    }
}

static bool has_field(const sab_flow *flow, sab_probe_field field)
{
    return field != SAB_FIELD_FRACTION &&
           (field != SAB_FIELD_INERTIAL_NUMBER || flow->setup.material->has_mu_i);
}

/* Can this flow give the numbers of this probe? */
static sab_status check(const sab_flow *flow, const sab_probe *probe, int entry, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;

    if (is_sampled(probe) && !has_field(flow, probe->field))
        return sab_fail(err, SAB_ERR_INPUT, "probes.%s: %s", probe->name,
                        probe->field == SAB_FIELD_FRACTION
                            ? "fraction is of grains one by one; a continuum is full"
                            : "inertial_number needs material.mu_i");
    const bool recovered = probe->kind == SAB_PROBE_FORCE && probe->part == SAB_FORCE_RECOVERED;

    if ((probe->kind == SAB_PROBE_FORCE || probe->kind == SAB_PROBE_TRACTION) && !recovered &&
        flow->setup.boundary[entry].periodic != NULL)
        return sab_fail(err, SAB_ERR_INPUT,
                        "probes.%s: '%s' is periodic, and bears nothing: the grains go on there; "
                        "use a line with field: stress",
                        probe->name, probe->group);
    if (probe->kind != SAB_PROBE_FORCE || probe->part != SAB_FORCE_RECOVERED)
        return SAB_OK;
    if (!sab_recovery_is_stable(flow->space))
        return sab_fail(err, SAB_ERR_INPUT,
                        "probes.%s: part: recovered needs a stable pair; use mesh.split: alfeld or "
                        "mesh.element: p2b",
                        probe->name);
    for (int f = 0; f < mesh->group[flow->group[entry]].nfacets; f++)
        if (mesh->facet_interior[mesh->group[flow->group[entry]].facet[f]])
            return sab_fail(err, SAB_ERR_INPUT,
                            "probes.%s: part: recovered needs a boundary, but group '%s' has sides "
                            "inside the domain",
                            probe->name, probe->group);
    return SAB_OK;
}

/* Does it look at the recovered stress? */
static bool recovers(const sab_probe_result *r)
{
    return (r->wall != NULL && r->components > r->wall->components) ||
           (r->probe->kind == SAB_PROBE_FORCE && r->probe->part == SAB_FORCE_RECOVERED);
}

/* Where probe i takes its numbers: samples, the entry of its group, its wall. The locator is made
 * when it is first asked for. */
static sab_status place_probe(sab_probes *p, int i, const sab_flow *flow, sab_locator **locator,
                              sab_error *err)
{
    const sab_probe *probe = p->result[i].probe;
    const sab_mesh *mesh = flow->setup.mesh;
    sab_status status = SAB_OK;

    if (is_sampled(probe) && *locator == NULL)
        SAB_TRY(sab_locator_create(mesh, locator, err));
    if (probe->kind == SAB_PROBE_PLANE)
        SAB_TRY(place_slice(p, i, probe, mesh, *locator, err));
    else if (is_sampled(probe))
        SAB_TRY(place_samples(p, i, probe, mesh, *locator, err));
    else if (probe->kind == SAB_PROBE_HEIGHT)
        SAB_TRY(place_height(p, i, probe, mesh, err));
    else if (probe->kind != SAB_PROBE_INTEGRAL && probe->kind != SAB_PROBE_GRAINS &&
             probe->kind != SAB_PROBE_FRONT)
        SAB_TRY(find_entry(flow, probe, &p->entry[i], err));
    SAB_TRY(check(flow, probe, p->entry[i], err));
    if (probe->kind == SAB_PROBE_TRACTION)
        SAB_TRY(place_wall(p, i, flow, probe, err));
    if (probe->kind == SAB_PROBE_WALL_LOAD)
        SAB_TRY(place_load(p, i, flow, probe, err));
cleanup:
    return status;
}

sab_status sab_probes_create(const sab_flow *flow, int n, const sab_probe *probe,
                             sab_probes **probes, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_probes *p = NULL;
    sab_locator *locator = NULL;
    int longest = 0;

    *probes = NULL;
    SAB_NEW(p, 1);
    SAB_NEW(p->result, n);
    SAB_NEW(p->entry, n);
    SAB_NEW(p->element, n);
    SAB_NEW(p->xi, n);
    SAB_NEW(p->wall, n);
    SAB_NEW(p->load, n);
    p->n = n;
    for (int i = 0; i < n; i++) {
        sab_probe_result *r = &p->result[i];

        r->probe = &probe[i];
        r->samples = 1;
        name_components(flow, &probe[i], r);
        SAB_TRY(place_probe(p, i, flow, &locator, err));
        if (recovers(r) && p->recovery == NULL)
            SAB_TRY(sab_recovery_create(flow->space, &p->recovery, err));
        if (r->wall != NULL && r->samples * r->wall->components > longest)
            longest = r->samples * r->wall->components;
        SAB_NEW(r->value, (size_t)r->samples * (size_t)r->components + (size_t)r->beside);
    }
    SAB_NEW(p->stress, longest);
    *probes = p;
    p = NULL;
cleanup:
    sab_locator_destroy(&locator);
    sab_probes_destroy(&p);
    return status;
}

void sab_probes_destroy(sab_probes **probes)
{
    sab_probes *p = *probes;

    if (p != NULL) {
        for (int i = 0; i < p->n; i++) {
            if (p->wall[i] == NULL && p->load[i] == NULL) /* else they are the wall's */
                SAB_FREE(p->result[i].x);
            SAB_FREE(p->result[i].value);
            SAB_FREE(p->element[i]);
            SAB_FREE(p->xi[i]);
            sab_wall_destroy(&p->wall[i]);
            sab_wall_load_destroy(&p->load[i]);
        }
        SAB_FREE(p->result);
        SAB_FREE(p->entry);
        SAB_FREE(p->element);
        SAB_FREE(p->xi);
        SAB_FREE(p->wall);
        SAB_FREE(p->load);
        sab_recovery_destroy(&p->recovery);
        SAB_FREE(p->stress);
        SAB_FREE(*probes);
    }
}

int sab_probes_count(const sab_probes *probes)
{
    return probes->n;
}

/* The columns of one kind of stress from p->stress. */
static void put_stress(const sab_probes *p, sab_probe_result *r, int column)
{
    const int n = r->wall->components;

    for (int k = 0; k < r->samples; k++)
        memcpy(r->value + r->components * k + column, p->stress + n * k,
               (size_t)n * sizeof *p->stress);
}

static sab_status evaluate_traction(const sab_probes *p, int i, const sab_flow *flow,
                                    const sab_balance *balance, const double *recovered,
                                    sab_error *err)
{
    const sab_status status = sab_fields_nodal_force(flow->fields, balance, p->entry[i],
                                                     SAB_FORCE_TOTAL, flow->work, err);

    if (status != SAB_OK)
        return status;
    sab_wall_stress(p->wall[i], flow->work, p->stress);
    put_stress(p, &p->result[i], 0);
    if (recovers(&p->result[i])) {
        sab_wall_recovered(p->wall[i], flow->setup.geometry, recovered, p->stress);
        put_stress(p, &p->result[i], p->wall[i]->components);
    }
    return SAB_OK;
}

/* The total force on an entry, or a part of it; about an axis its axial component. */
static sab_status evaluate_force(const sab_probes *p, int i, const sab_flow *flow,
                                 const sab_balance *balance, const double *recovered,
                                 sab_error *err)
{
    sab_probe_result *r = &p->result[i];
    sab_status status = SAB_OK;
    double force[SAB_DIM];

    if (recovers(r))
        sab_wall_force(flow->setup.mesh, flow->group[p->entry[i]], flow->setup.geometry, recovered,
                       force);
    else
        status = sab_fields_force(flow->fields, balance, p->entry[i], r->probe->part, flow->work,
                                  force, err);
    memcpy(r->value, force + flow->setup.geometry->dim - r->components,
           (size_t)r->components * sizeof *force);
    return status;
}

static sab_status evaluate_integral(const sab_flow *flow, const sab_probe *probe, double *value,
                                    sab_error *err)
{
    sab_status status = SAB_OK;

    if (probe->integral == SAB_INTEGRAL_GRAVITY_POWER) {
        memset(flow->work, 0, sab_space_size(flow->space) * sizeof *flow->work);
        SAB_TRY(
            sab_space_body_force(flow->space, flow->setup.gravity, flow->time, flow->work, err));
    }
    *value = probe->integral == SAB_INTEGRAL_WALL_FRICTION_DISSIPATION
                 ? sab_flow_walls_powers(flow).friction
                 : sab_integral_of(flow->fields, probe->integral, probe->above, flow->work);
cleanup:
    return status;
}

/* A field at points; 0 in the void. */
static void evaluate_samples(const sab_probes *p, int i, const sab_flow *flow)
{
    const sab_probe_result *r = &p->result[i];
    const int dim = flow->setup.geometry->dim;

    for (int k = 0; k < r->samples; k++) {
        double *value = r->value + k * r->components;

        if (sab_carried_void(flow, p->element[i][k]))
            memset(value, 0, (size_t)r->components * sizeof *value);
        else
            sab_fields_at(flow->fields, r->probe->field, p->element[i][k], p->xi[i] + dim * k,
                          value);
    }
}

sab_status sab_probes_evaluate(sab_probes *p, const sab_flow *flow, const sab_probe_result **result,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_balance balance = {flow->dofs, flow->setup.boundary, flow->group, flow->time,
                                 flow->load};
    const double *recovered = NULL;

    if (p->recovery != NULL)
        SAB_TRY(sab_recovery_stress(p->recovery, flow->fields, &recovered, err));
    for (int i = 0; i < p->n; i++) {
        const sab_probe *probe = p->result[i].probe;
        sab_probe_result *r = &p->result[i];

        switch (probe->kind) {
        case SAB_PROBE_FLUX:
            r->value[0] =
                sab_boundary_flux(flow->space, flow->group[p->entry[i]], flow->fields->velocity);
            break;
        case SAB_PROBE_FORCE:
            SAB_TRY(evaluate_force(p, i, flow, &balance, recovered, err));
            break;
        case SAB_PROBE_TRACTION:
            SAB_TRY(evaluate_traction(p, i, flow, &balance, recovered, err));
            break;
        case SAB_PROBE_WALL_LOAD:
            SAB_TRY(sab_wall_load_evaluate(r->load, flow, r->value, err));
            break;
        case SAB_PROBE_GRAINS:
            sab_carried_number(flow, probe->grains, r->value);
            break;
        case SAB_PROBE_LEFT:
        case SAB_PROBE_FED:
            r->value[0] =
                sab_carried_through(flow, flow->group[p->entry[i]], probe->kind == SAB_PROBE_FED);
            break;
        case SAB_PROBE_FRONT:
            SAB_TRY(sab_carried_front(flow, probe->share, r->value, err));
            break;
        case SAB_PROBE_HEIGHT:
            sab_carried_height(flow, probe->from, probe->to, r->samples, r->value);
            break;
        case SAB_PROBE_INTEGRAL:
            SAB_TRY(evaluate_integral(flow, probe, r->value, err));
            break;
        default:
            evaluate_samples(p, i, flow);
        }
        /* The one place where probes become those of the whole body. */
        for (int c = 0; c < r->components && is_integral(probe); c++)
            r->value[c] *= flow->setup.geometry->whole;
    }
    *result = p->result;
cleanup:
    return status;
}

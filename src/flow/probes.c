#include "flow/probes.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/flux.h"
#include "fem/integral.h"
#include "fem/locate.h"
#include "fem/recovery.h"
#include "fem/wall.h"

#include <string.h>

struct sab_probes {
    int n;
    sab_probe_result *result; /* [n] */
    int *entry;               /* [n] boundary entry of a flux, force or traction */
    int **element;            /* [n] element of each sample, or NULL */
    double **xi;              /* [n][samples][2] */
    sab_wall **wall;          /* [n] of a traction, or NULL */
    sab_recovery *recovery;   /* if a probe shows the recovered stress, else NULL */
    double *pair;             /* [rows of the longest wall][2] workspace */
};

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

static sab_status place_samples(sab_probes *p, int i, const sab_probe *probe,
                                const sab_locator *locator, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_probe_result *r = &p->result[i];

    SAB_NEW(p->element[i], r->samples);
    SAB_NEW(p->xi[i], 2 * (size_t)r->samples);
    SAB_NEW(r->x, 2 * (size_t)r->samples);
    for (int k = 0; k < r->samples; k++) {
        const double t = r->samples > 1 ? (double)k / (r->samples - 1) : 0.0;
        double *x = r->x + 2 * k;

        for (int j = 0; j < 2; j++)
            x[j] = (1.0 - t) * probe->from[j] + t * probe->to[j];
        p->element[i][k] = sab_locator_find(locator, x, p->xi[i] + 2 * k);
        if (p->element[i][k] < 0) {
            status = sab_fail(err, SAB_ERR_INPUT, "probes.%s: (%g, %g) lies outside the domain",
                              probe->name, x[0], x[1]);
            goto cleanup;
        }
    }
cleanup:
    return status;
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
    r->samples = p->wall[i]->nrows;
    r->s = p->wall[i]->s;
    r->x = p->wall[i]->x;
    return SAB_OK;
}

static int components_of(const sab_flow *flow, const sab_probe *probe)
{
    switch (probe->kind) {
    case SAB_PROBE_FLUX:
    case SAB_PROBE_INTEGRAL:
        return 1;
    case SAB_PROBE_FORCE:
        return flow->setup.geometry->dim;
    case SAB_PROBE_TRACTION: /* the recovered ones beside those from reactions */
        return sab_recovery_is_stable(flow->space) ? 4 : 2;
    default:
        return sab_fields_components(flow->fields, probe->field);
    }
}

/* Can this flow give the numbers of this probe? */
static sab_status check(const sab_flow *flow, const sab_probe *probe, int entry, sab_error *err)
{
    const bool field = probe->kind == SAB_PROBE_POINT || probe->kind == SAB_PROBE_LINE;
    const sab_mesh *mesh = flow->setup.mesh;

    if (field && probe->field == SAB_FIELD_INERTIAL_NUMBER && !flow->setup.material->has_mu_i)
        return sab_fail(err, SAB_ERR_INPUT, "probes.%s: inertial_number needs material.mu_i",
                        probe->name);
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
    return (r->probe->kind == SAB_PROBE_TRACTION && r->components == 4) ||
           (r->probe->kind == SAB_PROBE_FORCE && r->probe->part == SAB_FORCE_RECOVERED);
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
    p->n = n;
    for (int i = 0; i < n; i++) {
        const bool sampled = probe[i].kind == SAB_PROBE_POINT || probe[i].kind == SAB_PROBE_LINE;
        sab_probe_result *r = &p->result[i];

        r->probe = &probe[i];
        r->samples = probe[i].kind == SAB_PROBE_LINE ? probe[i].samples : 1;
        r->components = components_of(flow, &probe[i]);
        if (sampled && locator == NULL)
            SAB_TRY(sab_locator_create(flow->setup.mesh, &locator, err));
        if (sampled)
            SAB_TRY(place_samples(p, i, &probe[i], locator, err));
        else if (probe[i].kind != SAB_PROBE_INTEGRAL)
            SAB_TRY(find_entry(flow, &probe[i], &p->entry[i], err));
        SAB_TRY(check(flow, &probe[i], p->entry[i], err));
        if (probe[i].kind == SAB_PROBE_TRACTION)
            SAB_TRY(place_wall(p, i, flow, &probe[i], err));
        if (recovers(r) && p->recovery == NULL)
            SAB_TRY(sab_recovery_create(flow->space, &p->recovery, err));
        if (probe[i].kind == SAB_PROBE_TRACTION && r->samples > longest)
            longest = r->samples;
        SAB_NEW(r->value, (size_t)r->samples * (size_t)r->components);
    }
    SAB_NEW(p->pair, 2 * (size_t)longest);
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
            if (p->wall[i] == NULL) /* else they are the wall's */
                SAB_FREE(p->result[i].x);
            SAB_FREE(p->result[i].value);
            SAB_FREE(p->element[i]);
            SAB_FREE(p->xi[i]);
            sab_wall_destroy(&p->wall[i]);
        }
        SAB_FREE(p->result);
        SAB_FREE(p->entry);
        SAB_FREE(p->element);
        SAB_FREE(p->xi);
        SAB_FREE(p->wall);
        sab_recovery_destroy(&p->recovery);
        SAB_FREE(p->pair);
        SAB_FREE(*probes);
    }
}

int sab_probes_count(const sab_probes *probes)
{
    return probes->n;
}

/* Two columns of a table from p->pair. */
static void put_pair(const sab_probes *p, sab_probe_result *r, int column)
{
    for (int k = 0; k < r->samples; k++)
        memcpy(r->value + r->components * k + column, p->pair + 2 * k, 2 * sizeof *p->pair);
}

static sab_status evaluate_traction(const sab_probes *p, int i, const sab_flow *flow,
                                    const sab_balance *balance, const double *recovered,
                                    sab_error *err)
{
    const sab_status status = sab_fields_nodal_force(flow->fields, balance, p->entry[i],
                                                     SAB_FORCE_TOTAL, flow->work, err);

    if (status != SAB_OK)
        return status;
    sab_wall_stress(p->wall[i], flow->work, p->pair);
    put_pair(p, &p->result[i], 0);
    if (recovers(&p->result[i])) {
        sab_wall_recovered(p->wall[i], flow->setup.geometry, recovered, p->pair);
        put_pair(p, &p->result[i], 2);
    }
    return SAB_OK;
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
    *value = sab_integral_of(flow->fields, probe->integral, probe->above, flow->work);
cleanup:
    return status;
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
            if (recovers(r))
                sab_wall_force(flow->setup.mesh, flow->group[p->entry[i]], flow->setup.geometry,
                               recovered, r->value);
            else
                SAB_TRY(sab_fields_force(flow->fields, &balance, p->entry[i], probe->part,
                                         flow->work, r->value, err));
            break;
        case SAB_PROBE_TRACTION:
            SAB_TRY(evaluate_traction(p, i, flow, &balance, recovered, err));
            break;
        case SAB_PROBE_INTEGRAL:
            SAB_TRY(evaluate_integral(flow, probe, r->value, err));
            break;
        default:
            for (int k = 0; k < r->samples; k++)
                sab_fields_at(flow->fields, probe->field, p->element[i][k], p->xi[i] + 2 * k,
                              r->value + k * r->components);
        }
    }
    *result = p->result;
cleanup:
    return status;
}

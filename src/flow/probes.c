#include "flow/probes.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/locate.h"
#include "fem/wall.h"

struct sab_probes {
    int n;
    sab_probe_result *result; /* [n] */
    int *entry;               /* [n] boundary entry of a flux, force or traction */
    int **element;            /* [n] element of each sample, or NULL */
    double **xi;              /* [n][samples][2] */
    sab_wall **wall;          /* [n] of a traction, or NULL */
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
        sab_wall_create(flow->setup.mesh, flow->group[p->entry[i]], flow->dofs->owner, p->entry[i],
                        probe->samples, &p->wall[i], &why);

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
        return 1;
    case SAB_PROBE_FORCE:
        return flow->setup.geometry->dim;
    case SAB_PROBE_TRACTION:
        return 2;
    default:
        return sab_fields_components(flow->fields, probe->field);
    }
}

sab_status sab_probes_create(const sab_flow *flow, int n, const sab_probe *probe,
                             sab_probes **probes, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_probes *p = NULL;
    sab_locator *locator = NULL;

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
        else
            SAB_TRY(find_entry(flow, &probe[i], &p->entry[i], err));
        if (probe[i].kind == SAB_PROBE_TRACTION)
            SAB_TRY(place_wall(p, i, flow, &probe[i], err));
        SAB_NEW(r->value, (size_t)r->samples * (size_t)r->components);
    }
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
        SAB_FREE(*probes);
    }
}

sab_status sab_probes_evaluate(sab_probes *p, const sab_flow *flow, const sab_probe_result **result,
                               sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; i < p->n; i++) {
        const sab_probe *probe = p->result[i].probe;
        sab_probe_result *r = &p->result[i];

        if (probe->kind == SAB_PROBE_FLUX)
            r->value[0] = sab_boundary_flux(flow->setup.mesh, flow->group[p->entry[i]],
                                            flow->fields->velocity);
        else if (probe->kind == SAB_PROBE_FORCE)
            SAB_TRY(sab_fields_force(flow->fields, flow->dofs, p->entry[i], flow->setup.boundary,
                                     flow->group, 0.0, flow->load, flow->work, r->value, err));
        else if (probe->kind == SAB_PROBE_TRACTION)
            SAB_TRY(sab_fields_nodal_force(flow->fields, flow->dofs, p->entry[i],
                                           flow->setup.boundary, flow->group, 0.0, flow->load,
                                           flow->work, err));
        else
            for (int k = 0; k < r->samples; k++)
                sab_fields_at(flow->fields, probe->field, p->element[i][k], p->xi[i] + 2 * k,
                              r->value + k * r->components);
        if (probe->kind == SAB_PROBE_TRACTION)
            sab_wall_stress(p->wall[i], flow->work, r->value);
    }
    *result = p->result;
cleanup:
    return status;
}

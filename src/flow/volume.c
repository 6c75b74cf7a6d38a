/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/volume.h"
#include "cone/cone.h"
#include "fem/flux.h"

#include <math.h>

/* Grains part where lambda_N is small beside the scale of stress, or beside what would hold the
 * opening: a tolerance leaves lambda_N = rho tau/opening there. Both shares are compromises
 * [docs/theory.md, 7.8]. */
static const double OF_STRESS = 1e-3, OF_OPENING = 0.1;

sab_volume sab_flow_volume(const sab_flow *flow, double stress)
{
    const sab_program *p = flow->program;
    const sab_fields *f = flow->fields;
    const sab_geometry *geometry = flow->setup.geometry;
    const double whole = geometry->whole;

    if (flow->surface != NULL) /* void is no volume of material */
        return (sab_volume){.outflow = whole * flow->surface->outflow};
    const double scale =
        whole * sab_geometry_normal_scale(geometry); /* w div u = m sqrt(d/2) gamma_N */
    sab_volume v = {.outflow = whole * sab_boundary_outflow(flow->space, f->velocity)};

    for (int q = 0; q < flow->space->npoints; q++) {
        const double *gamma = f->strain_rate + q * p->s, m = scale * p->weight[q];
        const double shear = sab_cone_norm_t(p->s, gamma);
        const double dilatancy = p->dilatancy[q] * shear, opening = gamma[0] - dilatancy;

        v.rate += whole * p->weight[q] * hypot(gamma[0], shear);
        v.net += m * gamma[0];
        v.dilatancy += m * dilatancy;
        if (opening < 0.0)
            v.compaction -= m * opening;
        else if (f->lambda[q * p->s] < fmax(OF_STRESS * stress, OF_OPENING * p->r[q] * opening))
            v.parting += m * opening;
        else
            v.barrier += m * opening;
    }
    return v;
}

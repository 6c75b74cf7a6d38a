/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/forces.h"
#include "base/memory.h"
#include "fem/flux.h"
#include "flow/inertia.h"

#include <string.h>

sab_status sab_forces_create(const sab_flow *flow, sab_forces **forces, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_forces *f = NULL;
    const size_t nodes = (size_t)flow->setup.mesh->nnodes;

    *forces = NULL;
    SAB_NEW(f, 1);
    f->dim = flow->setup.geometry->dim;
    f->up = f->dim - 1;
    f->nnodes = flow->setup.mesh->nnodes;
    f->nentries = flow->setup.nboundaries;
    SAB_NEW(f->gravity, nodes);
    SAB_NEW(f->inertia, nodes);
    SAB_NEW(f->borne, nodes);
    SAB_NEW(f->total, (size_t)f->dim * (size_t)(SAB_FORCES_ENTRIES + f->nentries));
    SAB_NEW(f->work, sab_space_size(flow->space));
    *forces = f;
    f = NULL;
cleanup:
    sab_forces_destroy(&f);
    return status;
}

void sab_forces_destroy(sab_forces **forces)
{
    if (*forces != NULL) {
        SAB_FREE((*forces)->gravity);
        SAB_FREE((*forces)->inertia);
        SAB_FREE((*forces)->borne);
        SAB_FREE((*forces)->total);
        SAB_FREE((*forces)->work);
        SAB_FREE(*forces);
    }
}

/* The nodal forces in `work`: their sum, and their part along the axis upward added to `along`. */
static void take(sab_forces *f, int row, double *along)
{
    double *sum = f->total + f->dim * row;

    memset(sum, 0, (size_t)f->dim * sizeof *sum);
    for (int i = 0; i < f->dim * f->nnodes; i++)
        sum[i % f->dim] += f->work[i];
    for (int a = 0; a < f->nnodes; a++)
        along[a] += f->work[f->dim * a + f->up];
}

sab_status sab_forces_update(sab_forces *f, const sab_flow *flow, sab_error *err)
{
    const size_t size = sab_space_size(flow->space), nodal = (size_t)f->nnodes * sizeof(double);
    const sab_inertia *it = flow->inertia;
    const sab_balance balance = {flow->dofs, flow->setup.boundary, flow->group, flow->time,
                                 flow->load};
    sab_status status = SAB_OK;

    memset(f->gravity, 0, nodal);
    memset(f->inertia, 0, nodal);
    memset(f->borne, 0, nodal);
    memset(f->work, 0, size * sizeof *f->work);
    if (it != NULL)
        memcpy(f->work, it->weight, size * sizeof *f->work);
    else
        SAB_TRY(sab_space_body_force(flow->space, flow->setup.gravity, flow->time, f->work, err));
    take(f, SAB_FORCES_GRAVITY, f->gravity);
    for (size_t i = 0; i < size; i++) /* the loads have inertia as one of them */
        f->work[i] = it != NULL ? it->applied[i] - flow->load[i] : 0.0;
    take(f, SAB_FORCES_INERTIA, f->inertia);
    memset(f->total + f->dim * SAB_FORCES_OUTFLOW, 0, (size_t)f->dim * sizeof *f->total);
    if (it != NULL)
        sab_boundary_momentum(flow->space, flow->fields->velocity,
                              f->total + f->dim * SAB_FORCES_OUTFLOW);
    for (int b = 0; b < f->nentries; b++) {
        SAB_TRY(sab_fields_nodal_force(flow->fields, &balance, b, SAB_FORCE_TOTAL, f->work, err));
        take(f, SAB_FORCES_ENTRIES + b, f->borne);
    }
cleanup:
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/mass.h"
#include "base/memory.h"

#include <string.h>

sab_status sab_mass_create(const sab_space *space, const sab_dofs *dofs, sab_mass **mass,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mass *m = NULL;

    *mass = NULL;
    SAB_NEW(m, 1);
    SAB_TRY(sab_points_velocity(space, dofs, space->mass, &m->at, err));
    const size_t all = (size_t)m->at->s * (size_t)m->at->n;
    SAB_NEW(m->C, (size_t)m->at->s * all);
    SAB_NEW(m->work, all);
    *mass = m;
    m = NULL;
cleanup:
    sab_mass_destroy(&m);
    return status;
}

void sab_mass_destroy(sab_mass **mass)
{
    sab_mass *m = *mass;

    if (m == NULL)
        return;
    sab_points_destroy(&m->at);
    SAB_FREE(m->C);
    SAB_FREE(m->work);
    SAB_FREE(*mass);
}

void sab_mass_assemble(sab_mass *mass, double factor, const sab_scatter *scatter, sab_sparse *A)
{
    const size_t dim = (size_t)mass->at->s;

    for (int p = 0; p < mass->at->n; p++) {
        double *C = mass->C + dim * dim * (size_t)p;

        memset(C, 0, dim * dim * sizeof *C);
        for (size_t i = 0; i < dim; i++)
            C[i * (dim + 1)] = factor * mass->at->weight[p];
    }
    sab_blocks_assemble(mass->at->B, mass->C, scatter, A);
}

void sab_mass_velocity(const sab_mass *mass, const double *u, double *v)
{
    const size_t n = (size_t)mass->at->s * (size_t)mass->at->n;

    sab_blocks_multiply(mass->at->B, u, v);
    for (size_t i = 0; i < n; i++)
        v[i] += mass->at->k[i];
}

void sab_mass_load(sab_mass *mass, double factor, const double *v, double *l)
{
    const size_t dim = (size_t)mass->at->s, n = dim * (size_t)mass->at->n;

    for (size_t i = 0; i < n; i++)
        mass->work[i] = factor * mass->at->weight[i / dim] * (v[i] - mass->at->k[i]);
    sab_blocks_multiply_transpose(mass->at->B, mass->work, l);
}

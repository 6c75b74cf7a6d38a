/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/flux.h"

#include <math.h>

/* F += int t.v over one facet. */
static sab_status facet_load(const sab_space *space, int facet, const sab_boundary *entry, double t,
                             double *F, sab_error *err)
{
    const sab_quadrature *rule = sab_side_rule(space->mesh->cell);
    const int dim = space->mesh->cell->dim;
    sab_status status = SAB_OK;
    int index[SAB_SIDE_SHAPES];

    sab_element_side_index(space->element, space->mesh, facet, index);
    for (int q = 0; q < rule->n; q++) {
        double force[SAB_DIM] = {0.0}, shape[SAB_SIDE_SHAPES]; /* traction times ds */
        sab_p2_side p;

        const int n =
            sab_element_side_at(space->element, space->mesh, facet, rule->xi[q], &p, shape);
        const sab_vars at = sab_vars_at(dim, p.x, t);
        const double w = rule->weight[q] * space->geometry->measure(p.x);
        for (int i = 0; i < dim; i++) {
            double value;

            if (entry->has_traction) {
                SAB_TRY(sab_function_at(&entry->traction[i], &at, &value, err));
                force[i] += value * p.ds;
            }
            if (entry->has_pressure) {
                SAB_TRY(sab_function_at(&entry->pressure, &at, &value, err));
                force[i] -= value * p.normal_ds[i];
            }
        }
        for (int a = 0; a < n; a++)
            for (int i = 0; i < dim; i++)
                F[dim * index[a] + i] += w * shape[a] * force[i];
    }
cleanup:
    return status;
}

sab_status sab_boundary_load(const sab_space *space, int nboundaries, const sab_boundary *boundary,
                             const int *group, double t, double *F, sab_error *err)
{
    for (int b = 0; b < nboundaries; b++) {
        const sab_mesh_group *g = &space->mesh->group[group[b]];
        const bool loaded = boundary[b].has_traction || boundary[b].has_pressure;

        for (int f = 0; f < g->nfacets && loaded; f++) {
            const sab_status status = facet_load(space, g->facet[f], &boundary[b], t, F, err);

            if (status != SAB_OK)
                return status;
        }
    }
    return SAB_OK;
}

/* w u.n ds at point q of a side; u [dim] gets the velocity. */
static double flux_at(const sab_space *space, int facet, int q, const double *U, double *u)
{
    const sab_quadrature *rule = sab_side_rule(space->mesh->cell);
    const int dim = space->mesh->cell->dim;
    double flux = 0.0, shape[SAB_SIDE_SHAPES];
    int index[SAB_SIDE_SHAPES];
    sab_p2_side p;

    for (int i = 0; i < dim; i++)
        u[i] = 0.0;
    const int n = sab_element_side_at(space->element, space->mesh, facet, rule->xi[q], &p, shape);
    const double w = rule->weight[q] * space->geometry->measure(p.x);
    sab_element_side_index(space->element, space->mesh, facet, index);
    for (int a = 0; a < n; a++)
        for (int i = 0; i < dim; i++)
            u[i] += shape[a] * U[dim * index[a] + i];
    for (int i = 0; i < dim; i++)
        flux += w * p.normal_ds[i] * u[i];
    return flux;
}

double sab_boundary_flux(const sab_space *space, int group, const double *U)
{
    const int points = sab_side_rule(space->mesh->cell)->n;
    double flux = 0.0, u[SAB_DIM];

    for (int f = 0; f < space->mesh->group[group].nfacets; f++)
        for (int q = 0; q < points; q++)
            flux += flux_at(space, space->mesh->group[group].facet[f], q, U, u);
    return flux;
}

double sab_boundary_outflow(const sab_space *space, const double *U)
{
    const int points = sab_side_rule(space->mesh->cell)->n;
    double flux = 0.0, u[SAB_DIM];

    for (int f = 0; f < space->mesh->nfacets; f++)
        for (int q = 0; q < points && !space->mesh->facet_interior[f]; q++)
            flux += fmax(flux_at(space, f, q, U, u), 0.0);
    return flux;
}

void sab_boundary_momentum(const sab_space *space, const double *U, double *momentum)
{
    const int points = sab_side_rule(space->mesh->cell)->n, dim = space->mesh->cell->dim;
    double u[SAB_DIM];

    for (int i = 0; i < dim; i++)
        momentum[i] = 0.0;
    for (int f = 0; f < space->mesh->nfacets; f++)
        for (int q = 0; q < points && !space->mesh->facet_interior[f]; q++) {
            const double flux = flux_at(space, f, q, U, u);

            for (int i = 0; i < dim; i++)
                momentum[i] += flux * u[i];
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/feeder.h"
#include "base/memory.h"
#include "fem/parts.h"
#include "fem/walk.h"

#include <math.h>
#include <string.h>

/* Places of the parts of side i, and the mass of a carrier there. */
static void place_parts(sab_feeder *f, int i, int per_side)
{
    const sab_space *space = f->space;
    const sab_mesh *mesh = space->mesh;
    const int dim = mesh->cell->dim, points = space->element->law->n;
    const int parent = mesh->facet_element[f->facet[i]] / mesh->children;
    double volume = 0.0;

    for (int k = 0; k < f->parts; k++) {
        sab_p2_side p;
        double value[SAB_SIDE_SHAPES];

        sab_element_side_at(space->element, mesh, f->facet[i], f->xi + (dim - 1) * k, &p, value);
        memcpy(f->x + dim * (f->parts * i + k), p.x, (size_t)dim * sizeof *f->x);
    }
    for (int q = points * mesh->children * parent; q < points * mesh->children * (parent + 1); q++)
        volume += space->weight[q];
    f->whole[i] = volume / (mesh->children * pow(per_side, dim));
}

sab_status sab_feeder_create(const sab_space *space, const bool *feeds, int per_side,
                             sab_feeder **feeder, sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    const int dim = mesh->cell->dim;
    /* as far apart along the side as carriers are in the parent */
    const int along = (int)rint(per_side * pow(mesh->children, 1.0 / dim));
    sab_status status = SAB_OK;
    sab_feeder *f = NULL;
    int n = 0;

    *feeder = NULL;
    for (int s = 0; s < mesh->nfacets; s++)
        n += feeds[s];
    if (n == 0)
        return SAB_OK;
    SAB_NEW(f, 1);
    f->space = space;
    SAB_NEW(f->xi, (size_t)(along * along) * SAB_DIM);
    f->parts = sab_parts(dim - 1, along, f->xi);
    SAB_NEW(f->facet, n);
    SAB_NEW(f->whole, n);
    SAB_NEW(f->x, (size_t)n * (size_t)f->parts * (size_t)dim);
    SAB_NEW(f->owed, (size_t)n * (size_t)f->parts);
    SAB_NEW(f->fill, (size_t)n * (size_t)f->parts);
    SAB_NEW(f->rate, f->parts);
    for (int s = 0; s < mesh->nfacets; s++)
        if (feeds[s]) {
            f->facet[f->n] = s;
            place_parts(f, f->n, per_side);
            f->n++;
        }
    *feeder = f;
    f = NULL;
cleanup:
    sab_feeder_destroy(&f);
    return status;
}

void sab_feeder_destroy(sab_feeder **feeder)
{
    sab_feeder *f = *feeder;

    if (f == NULL)
        return;
    SAB_FREE(f->facet);
    SAB_FREE(f->xi);
    SAB_FREE(f->x);
    SAB_FREE(f->whole);
    SAB_FREE(f->owed);
    SAB_FREE(f->fill);
    SAB_FREE(f->rate);
    SAB_FREE(*feeder);
}

/* Velocity v [dim] of U at a point of a side; returns -v.n ds/dxi with the measure. */
static double inward(const sab_feeder *f, int facet, const double *xi, const double *U, double *v)
{
    const sab_space *space = f->space;
    const int dim = space->mesh->cell->dim;
    int index[SAB_SIDE_SHAPES];
    double value[SAB_SIDE_SHAPES], flux = 0.0;
    sab_p2_side p;
    const int n = sab_element_side_at(space->element, space->mesh, facet, xi, &p, value);

    sab_element_side_index(space->element, space->mesh, facet, index);
    for (int i = 0; i < dim; i++) {
        v[i] = 0.0;
        for (int a = 0; a < n; a++)
            v[i] += value[a] * U[dim * index[a] + i];
        flux -= v[i] * p.normal_ds[i];
    }
    return flux * space->geometry->measure(p.x);
}

/* f->rate: volume per time through each part; together the flux of the side, exactly. False if some
 * of it goes out. */
static bool find_rates(sab_feeder *f, int facet, const double *U)
{
    const sab_mesh *mesh = f->space->mesh;
    const sab_quadrature *rule = sab_side_rule(mesh->cell);
    double v[SAB_DIM], flux = 0.0, sum = 0.0, least = 0.0;

    for (int q = 0; q < rule->n; q++)
        flux += rule->weight[q] * inward(f, facet, rule->xi[q], U, v);
    for (int k = 0; k < f->parts; k++) {
        f->rate[k] = inward(f, facet, f->xi + (mesh->cell->dim - 1) * k, U, v);
        sum += f->rate[k];
        least = fmin(least, f->rate[k]);
    }
    for (int k = 0; k < f->parts; k++)
        f->rate[k] *= sum > 0.0 ? flux / sum : 0.0;
    return least >= -1e-9 * fabs(sum);
}

/* A carrier of this mass that entered `age` ago through part k of side i. */
static sab_status enter(const sab_feeder *f, sab_carriers *c, int i, int k, double mass, double age,
                        const double *U, double *kinetic, sab_error *err)
{
    const sab_mesh *mesh = f->space->mesh;
    const int dim = mesh->cell->dim, facet = f->facet[i];
    const double *xi = f->xi + (dim - 1) * k;
    sab_foot on = {.side = mesh->facet_side[facet]};
    sab_transport_report ignored = {0};
    double v[SAB_DIM] = {0.0}, d[SAB_DIM];
    sab_carrier *p;
    sab_status status = SAB_OK;

    memcpy(on.at, xi, (size_t)(dim - 1) * sizeof *xi);
    sab_foot_on_side(mesh->cell, &on);
    SAB_TRY(sab_carriers_add(c, mesh->facet_element[facet], on.xi, &p, err));
    inward(f, facet, xi, U, v);
    p->mass = mass;
    for (int j = 0; j < dim; j++) {
        p->v[j] = v[j];
        d[j] = age * v[j];
    }
    c->fed[facet] += mass;
    if (!sab_carriers_shift(c, c->n - 1, d, &ignored)) {
        c->n--; /* out again at once, which is counted */
        return SAB_OK;
    }
    for (int j = 0; j < dim; j++)
        *kinetic += 0.5 * mass * v[j] * v[j];
cleanup:
    return status;
}

sab_status sab_feeder_feed(sab_feeder *f, sab_carriers *c, double dt, const double *U,
                           double *kinetic, int *outward, sab_error *err)
{
    sab_status status = SAB_OK;

    *kinetic = 0.0;
    *outward = -1;
    for (int i = 0; i < f->n; i++) {
        if (!find_rates(f, f->facet[i], U)) {
            *outward = f->facet[i];
            continue;
        }
        for (int k = 0; k < f->parts; k++) {
            const double fill = f->fill[f->parts * i + k], rate = fill * f->rate[k];
            const double mass = fill * f->whole[i];
            double *owed = &f->owed[f->parts * i + k];

            for (*owed += dt * rate; rate > 0.0 && *owed >= 0.5 * mass; *owed -= mass)
                SAB_TRY(enter(f, c, i, k, mass, (*owed - 0.5 * mass) / rate, U, kinetic, err));
        }
    }
    sab_carriers_sort(c);
cleanup:
    return status;
}

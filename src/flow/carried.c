/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/carried.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEGREE = 57.295779513082320877;

/* sum m x over all, and sum m. */
static double first_moment(const sab_carriers *c, int dim, double *moment)
{
    double mass = 0.0;

    memset(moment, 0, SAB_DIM * sizeof *moment);
    for (int p = 0; p < c->n; p++) {
        mass += c->at[p].mass;
        for (int i = 0; i < dim; i++)
            moment[i] += c->at[p].mass * c->at[p].x[i];
    }
    return mass;
}

/* Gravity, if it is constant; else where the centre is. */
static void gravity_at(const sab_flow *flow, const double *x, double *g)
{
    const int dim = flow->setup.geometry->dim;
    const sab_vars at = sab_vars_at(dim, x, flow->time);

    for (int i = 0; i < dim; i++)
        if (sab_function_at(&flow->setup.gravity[i], &at, &g[i], NULL) != SAB_OK)
            g[i] = 0.0;
}

/* sum m v; the sum of a round body is along its axis, the last coordinate. */
static void momentum(const sab_flow *flow, double *value)
{
    const sab_geometry *geometry = flow->setup.geometry;
    const sab_carriers *c = flow->surface->carriers;
    const int first = geometry->axis ? geometry->dim - 1 : 0;

    for (int i = first; i < geometry->dim; i++) {
        value[i - first] = 0.0;
        for (int p = 0; p < c->n; p++)
            value[i - first] += c->at[p].mass * c->at[p].v[i];
    }
}

void sab_carried_number(const sab_flow *flow, sab_carried what, double *value)
{
    const sab_surface *s = flow->surface;
    const int dim = flow->setup.geometry->dim;
    double moment[SAB_DIM], g[SAB_DIM] = {0.0};
    const double mass = first_moment(s->carriers, dim, moment);

    for (int i = 0; i < dim; i++)
        moment[i] /= mass > 0.0 ? mass : 1.0;
    gravity_at(flow, moment, g);
    switch (what) {
    case SAB_CARRIED_MASS:
        *value = mass;
        break;
    case SAB_CARRIED_CENTRE:
        memcpy(value, moment, (size_t)dim * sizeof *value);
        break;
    case SAB_CARRIED_ANGLE:
        *value = DEGREE * atan(sab_filling_slope(s->fill, g));
        break;
    case SAB_CARRIED_LEAN: /* turned anticlockwise from gravity */
        *value = DEGREE *
                 atan2(g[0] * moment[1] - g[1] * moment[0], g[0] * moment[0] + g[1] * moment[1]);
        break;
    case SAB_CARRIED_KINETIC_ENERGY:
        *value = sab_surface_kinetic(s);
        break;
    case SAB_CARRIED_POTENTIAL_ENERGY:
        *value = 0.0;
        for (int i = 0; i < dim; i++)
            *value -= mass * g[i] * moment[i];
        break;
    case SAB_CARRIED_SPEED:
        *value = mass > 0.0 ? sqrt(2.0 * sab_surface_kinetic(s) / mass) : 0.0;
        break;
    case SAB_CARRIED_MOMENTUM:
        momentum(flow, value);
        break;
    case SAB_CARRIED_EXCESS:
        *value = sab_filling_excess(s->fill);
        break;
    case SAB_CARRIED_FEWEST:
        *value = s->fill->fewest;
        break;
    default:
        *value = s->carriers->n;
    }
}

double sab_carried_through(const sab_flow *flow, int group, bool fed)
{
    const sab_mesh_group *g = &flow->setup.mesh->group[group];
    const sab_carriers *c = flow->surface->carriers;
    double sum = 0.0;

    for (int i = 0; i < g->nfacets; i++)
        sum += (fed ? c->fed : c->left)[g->facet[i]];
    return sum;
}

typedef struct item {
    double x, mass;
} item;

static int by_place(const void *a, const void *b)
{
    const double x = ((const item *)a)->x, y = ((const item *)b)->x;

    return (x > y) - (x < y);
}

sab_status sab_carried_front(const sab_flow *flow, double share, double *front, sab_error *err)
{
    const sab_carriers *c = flow->surface->carriers;
    const double wanted = share * sab_carriers_mass(c);
    sab_status status = SAB_OK;
    item *list = NULL;
    double sum = 0.0;

    SAB_NEW(list, c->n);
    for (int p = 0; p < c->n; p++)
        list[p] = (item){c->at[p].x[0], c->at[p].mass};
    qsort(list, (size_t)c->n, sizeof *list, by_place);
    *front = 0.0;
    for (int p = 0; p < c->n && sum < wanted; p++) {
        sum += list[p].mass;
        *front = list[p].x;
    }
cleanup:
    SAB_FREE(list);
    return status;
}

void sab_carried_height(const sab_flow *flow, const double *from, const double *to, int n,
                        double *height)
{
    const sab_carriers *c = flow->surface->carriers;
    const double width = (to[0] - from[0]) / n;

    memset(height, 0, (size_t)n * sizeof *height);
    for (int p = 0; p < c->n; p++) {
        const double at = (c->at[p].x[0] - from[0]) / width;

        if (at >= 0.0 && at < n)
            height[(int)at] += c->at[p].mass / width;
    }
    for (int k = 0; k < n; k++) { /* of a ring of radius r */
        const double x[SAB_DIM] = {from[0] + (k + 0.5) * width};

        height[k] /= flow->setup.geometry->measure(x);
    }
}

bool sab_carried_void(const sab_flow *flow, int e)
{
    return flow->surface != NULL &&
           flow->surface->fill->state[e / flow->setup.mesh->children] == SAB_FILLING_EMPTY;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/scene_probes.c -- the numbers a case asks of its grains. */
#include "base/memory.h"
#include "run/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where a profile is: ends and between, or middles of parts; a point is where it is. */
static void place_samples(const sab_probe *p, int dim, const sab_probe_result *r)
{
    for (int k = 0; k < r->samples; k++) {
        const double t = p->kind == SAB_PROBE_HEIGHT ? (k + 0.5) / r->samples
                         : p->kind == SAB_PROBE_LINE ? (double)k / (r->samples - 1)
                                                     : 0.0;

        for (int e = 0; e < dim; e++)
            r->x[k * dim + e] = (1.0 - t) * p->from[e] + (t > 0.0 ? t * p->to[e] : 0.0);
    }
}

static bool is_vector(const sab_probe *p)
{
    return p->kind == SAB_PROBE_FORCE ||
           (p->kind == SAB_PROBE_GRAINS &&
            (p->grains == SAB_CARRIED_CENTRE || p->grains == SAB_CARRIED_MOMENTUM)) ||
           ((p->kind == SAB_PROBE_LINE || p->kind == SAB_PROBE_POINT) &&
            p->field == SAB_FIELD_VELOCITY);
}

sab_status sab_scene_make_probes(sab_scene *s, sab_error *err)
{
    const sab_geometry *geometry = s->c->geometry;
    sab_status status = SAB_OK;

    SAB_NEW(s->result, s->c->nprobes);
    for (int i = 0; i < s->c->nprobes; i++) {
        const sab_probe *p = &s->c->probe[i];
        sab_probe_result *r = &s->result[i];
        const bool vector = is_vector(p), profile = sab_probe_is_profile(p);

        r->probe = p;
        r->samples = profile ? p->samples : 1;
        r->components = vector ? geometry->dim : 1;
        r->name = vector ? geometry->coordinate : NULL;
        SAB_NEW(r->value, r->samples * r->components);
        if (!profile && p->kind != SAB_PROBE_POINT)
            continue;
        SAB_NEW(r->x, r->samples * geometry->dim);
        place_samples(p, geometry->dim, r);
    }
cleanup:
    return status;
}

void sab_scene_free_probes(sab_scene *s)
{
    for (int i = 0; i < s->c->nprobes && s->result != NULL; i++) {
        SAB_FREE(s->result[i].value);
        SAB_FREE(s->result[i].x);
    }
    SAB_FREE(s->result);
}

/* Mean force of the grains on a wall during the last advance. */
static void force_on(const sab_scene *s, int part, double *force)
{
    const sab_grains *g = s->grains;
    const int dim = g->bodies->dim;

    memset(force, 0, (size_t)dim * sizeof *force);
    for (int w = 0; w < g->nwalls; w++)
        for (int k = 0; k < dim && g->wall[w].part == part; k++)
            force[k] -= g->wall_impulse[3 * w + k] / s->length;
}

typedef struct sums {
    double mass, moment[3], momentum[3], kinetic;
} sums;

static sums sum_of(const sab_bodies *b)
{
    sums sum = {0};

    for (int i = 0; i < b->n; i++) {
        const double *v = b->velocity + i * b->freedoms;

        sum.mass += b->mass[i];
        for (int k = 0; k < b->dim; k++) {
            sum.moment[k] += b->mass[i] * b->position[i * b->dim + k];
            sum.momentum[k] += b->mass[i] * v[k];
        }
        for (int k = 0; k < b->freedoms; k++)
            sum.kinetic += 0.5 * (k < b->dim ? b->mass[i] : b->inertia[i]) * v[k] * v[k];
    }
    return sum;
}

/* Angle of x from y, turned anticlockwise, in degrees. */
static double angle_from(const double *y, const double *x)
{
    return 57.295779513082320877 * atan2(y[0] * x[1] - y[1] * x[0], y[0] * x[0] + y[1] * x[1]);
}

static void number_of(const sab_scene *s, sab_carried what, double *value)
{
    const sab_bodies *b = s->grains->bodies;
    const double *gravity = s->grains->options.gravity;
    const sums sum = sum_of(b);
    const double mass = sum.mass > 0.0 ? sum.mass : 1.0;

    switch (what) {
    case SAB_CARRIED_MASS:
        *value = sum.mass;
        break;
    case SAB_CARRIED_CENTRE:
        for (int k = 0; k < b->dim; k++)
            value[k] = sum.moment[k] / mass;
        break;
    case SAB_CARRIED_MOMENTUM:
        for (int k = 0; k < b->dim; k++)
            value[k] = sum.momentum[k];
        break;
    case SAB_CARRIED_LEAN:
        *value = angle_from(gravity, sum.moment);
        break;
    case SAB_CARRIED_KINETIC_ENERGY:
        *value = sum.kinetic;
        break;
    case SAB_CARRIED_POTENTIAL_ENERGY:
        *value = 0.0;
        for (int k = 0; k < b->dim; k++)
            *value -= gravity[k] * sum.moment[k];
        break;
    case SAB_CARRIED_SPEED:
        *value = 0.0; /* of the centres: spins are no speed */
        for (int i = 0; i < b->n; i++)
            for (int k = 0; k < b->dim; k++)
                *value += b->mass[i] * pow(b->velocity[i * b->freedoms + k], 2.0) / mass;
        *value = sqrt(*value);
        break;
    default:
        *value = b->n;
    }
}

typedef struct item {
    double x, mass;
} item;

static int by_place(const void *a, const void *b)
{
    const double x = ((const item *)a)->x, y = ((const item *)b)->x;

    return (x > y) - (x < y);
}

/* The x below which a share of the mass is. */
static sab_status front_of(const sab_bodies *b, double share, double *front, sab_error *err)
{
    double wanted = 0.0, sum = 0.0;
    item *list = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(list, b->n);
    for (int i = 0; i < b->n; i++) {
        list[i] = (item){b->position[i * b->dim], b->mass[i]};
        wanted += share * b->mass[i];
    }
    if (b->n > 0)
        qsort(list, (size_t)b->n, sizeof *list, by_place);
    *front = 0.0;
    for (int i = 0; i < b->n && sum < wanted; i++) {
        sum += list[i].mass;
        *front = list[i].x;
    }
cleanup:
    SAB_FREE(list);
    return status;
}

/* Mass per width over each part of a segment, by the places of the centres. */
static void heights_of(const sab_bodies *b, const sab_probe *p, double *height)
{
    double square = 0.0;

    for (int k = 0; k < b->dim; k++)
        square += (p->to[k] - p->from[k]) * (p->to[k] - p->from[k]);
    memset(height, 0, (size_t)p->samples * sizeof *height);
    for (int i = 0; i < b->n; i++) {
        double at = 0.0, x[3];

        sab_bodies_place(b, i, x);
        for (int k = 0; k < b->dim; k++)
            at += (x[k] - p->from[k]) * (p->to[k] - p->from[k]) / square;
        at *= p->samples;
        if (at >= 0.0 && at < p->samples)
            height[(int)at] += b->mass[i] * p->samples / sqrt(square);
    }
}

static int wall_of(const sab_case *c, const char *name)
{
    int w = 0;

    while (w < c->nwalls && strcmp(c->wall[w].name, name) != 0)
        w++;
    return w;
}

static bool has_samples(const sab_scene *s)
{
    for (int i = 0; s->sample != NULL && i < s->c->nprobes; i++)
        if (s->sample[i] != NULL)
            return true;
    return false;
}

sab_status sab_scene_probe(sab_scene *s, const sab_probe_result **result, sab_error *err)
{
    sab_status status = SAB_OK;

    if (has_samples(s))
        SAB_TRY(sab_coarse_fill(s->coarse, s->grains, err));
    for (int i = 0; i < s->c->nprobes; i++) {
        const sab_probe *p = &s->c->probe[i];
        double *value = s->result[i].value;
        const int wall = p->group != NULL ? wall_of(s->c, p->group) : -1;

        switch (p->kind) {
        case SAB_PROBE_POINT:
        case SAB_PROBE_LINE:
            sab_scene_sample(s, i, value);
            break;
        case SAB_PROBE_FORCE:
            force_on(s, wall, value);
            break;
        case SAB_PROBE_LEFT:
            *value = s->grains->left[s->sink[wall]];
            break;
        case SAB_PROBE_FLUX:
            *value = (s->grains->left[s->sink[wall]] - s->before[s->sink[wall]]) / s->length;
            break;
        case SAB_PROBE_FRONT:
            SAB_TRY(front_of(s->grains->bodies, p->share, value, err));
            break;
        case SAB_PROBE_HEIGHT:
            heights_of(s->grains->bodies, p, value);
            break;
        default:
            number_of(s, p->grains, value);
        }
    }
    *result = s->result;
cleanup:
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/fill.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>

/* splitmix64: uniform in [0, 1) */
static double uniform(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double between(double low, double high, uint64_t *state)
{
    return low + (high - low) * uniform(state);
}

/* A grain as it is drawn. */
typedef struct grain {
    double axis[2], angle, mass, radius;
} grain;

static grain draw(int dim, const sab_grain_sizes *s, uint64_t *state)
{
    static const double PI = 3.14159265358979323846;
    grain g = {{0.0}, 0.0, 0.0, between(s->radius_min, s->radius_max, state)};

    g.axis[0] = g.axis[1] = g.radius;
    if (s->second_max > 0.0) {
        g.axis[1] = between(s->second_min, s->second_max, state);
        g.angle = between(s->angle_min, s->angle_max, state);
        g.radius = fmax(g.axis[0], g.axis[1]);
    }
    const double volume = PI * g.axis[0] * g.axis[1] * (dim == 2 ? 1.0 : 4.0 / 3.0 * g.radius);
    g.mass = s->mass_max > 0.0 ? between(s->mass_min, s->mass_max, state) : s->density * volume;
    return g;
}

static sab_status add(sab_bodies *b, const double *x, const grain *g, sab_error *err)
{
    return g->axis[0] != g->axis[1] ? sab_bodies_add_ellipse(b, x, g->axis, g->angle, g->mass, err)
                                    : sab_bodies_add(b, x, g->radius, g->mass, err);
}

static double largest(const sab_grain_sizes *s)
{
    return fmax(s->radius_max, s->second_max);
}

static bool is_sound(const sab_grain_sizes *s)
{
    return s->radius_min > 0.0 && s->radius_max >= s->radius_min &&
           (s->second_max == 0.0 || (s->second_min > 0.0 && s->second_max >= s->second_min));
}

sab_status sab_grain_fill_grid(sab_bodies *b, const sab_fill_grid *g, sab_error *err)
{
    const sab_grain_sizes *s = &g->sizes;
    uint64_t state = g->seed;
    sab_status status = SAB_OK;

    if (!(is_sound(s) && g->jitter >= 0.0 &&
          largest(s) + g->jitter <= 0.5 * g->pitch * (1.0 + 1e-12)))
        return sab_fail(err, SAB_ERR_INPUT,
                        "grains of radius %g to %g, moved by up to %g, overlap on a grid of pitch "
                        "%g: it must be at least %g",
                        s->radius_min, largest(s), g->jitter, g->pitch,
                        2.0 * (largest(s) + g->jitter));
    for (int z = 0; z < (b->dim == 3 ? g->count[2] : 1); z++)
        for (int y = 0; y < g->count[1]; y++)
            for (int x = 0; x < g->count[0]; x++) {
                const int cell[3] = {x, y, z};
                double at[3];

                for (int k = 0; k < b->dim; k++)
                    at[k] = g->low[k] + (cell[k] + 0.5) * g->pitch +
                            g->jitter * (2.0 * uniform(&state) - 1.0);
                at[0] += cell[b->dim - 1] == 0 ? g->shift : 0.0;
                const grain one = draw(b->dim, s, &state);
                SAB_TRY(add(b, at, &one, err));
            }
cleanup:
    return status;
}

/* Cells of the box, each with a chain of the grains in it. */
typedef struct chains {
    int count[3];
    double size;
    int *first, *next; /* [cells], [grains]; -1: none */
} chains;

static int cell_of(const chains *c, const sab_fill_rain *rain, int dim, const double *x, int *at)
{
    int cell = 0;

    for (int k = dim; k-- > 0;) {
        at[k] = (int)((x[k] - rain->low[k]) / c->size);
        at[k] = at[k] < 0 ? 0 : at[k] >= c->count[k] ? c->count[k] - 1 : at[k];
        cell = cell * c->count[k] + at[k];
    }
    return cell;
}

static bool touches(const sab_bodies *b, int i, const double *x, double r)
{
    double square = 0.0;

    for (int k = 0; k < b->dim; k++)
        square += (x[k] - b->position[i * b->dim + k]) * (x[k] - b->position[i * b->dim + k]);
    return square < (r + b->radius[i]) * (r + b->radius[i]);
}

static bool is_free(const sab_bodies *b, const chains *c, const int *at, int begin, const double *x,
                    double r, int nwalls, const sab_grain_wall *wall)
{
    double n[3];

    for (int w = 0; w < nwalls; w++)
        if (sab_grain_wall_distance(&wall[w], x, n) < r)
            return false;
    for (int i = 0; i < begin; i++)
        if (touches(b, i, x, r))
            return false;
    for (int z = -(b->dim == 3); z <= (b->dim == 3); z++)
        for (int y = -1; y <= 1; y++)
            for (int k = -1; k <= 1; k++) {
                const int cell[3] = {at[0] + k, at[1] + y, (b->dim == 3 ? at[2] : 0) + z};
                bool inside = true;

                for (int e = 0; e < 3; e++)
                    inside = inside && cell[e] >= 0 && cell[e] < c->count[e];
                if (!inside)
                    continue;
                for (int i = c->first[(cell[2] * c->count[1] + cell[1]) * c->count[0] + cell[0]];
                     i >= 0; i = c->next[i - begin])
                    if (touches(b, i, x, r))
                        return false;
            }
    return true;
}

static sab_status make_chains(const sab_bodies *b, const sab_fill_rain *rain, chains *c,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    double cells = 1.0;

    *c = (chains){.count = {1, 1, 1}, .size = 2.0 * largest(&rain->sizes)};
    for (int k = 0; k < b->dim; k++)
        cells *= floor((rain->high[k] - rain->low[k]) / c->size) + 1.0;
    c->size *= pow(fmax(1.0, cells / (4.0 * rain->count + 64.0)), 1.0 / b->dim);
    for (int k = 0; k < b->dim; k++)
        c->count[k] = (int)((rain->high[k] - rain->low[k]) / c->size) + 1;
    const int total = c->count[0] * c->count[1] * c->count[2];
    SAB_NEW(c->first, total);
    SAB_NEW(c->next, rain->count);
    for (int i = 0; i < total; i++)
        c->first[i] = -1;
cleanup:
    return status;
}

sab_status sab_grain_fill_rain(sab_bodies *b, const sab_fill_rain *rain, int nwalls,
                               const sab_grain_wall *wall, sab_error *err)
{
    enum { TRIES = 20000 }; /* of one grain */
    const sab_grain_sizes *s = &rain->sizes;
    const int begin = b->n;
    uint64_t state = rain->seed;
    chains c = {0};
    sab_status status = SAB_OK;

    if (!(is_sound(s) && rain->count > 0))
        return sab_fail(err, SAB_ERR_INPUT, "%d grains of radius %g to %g", rain->count,
                        s->radius_min, s->radius_max);
    for (int k = 0; k < b->dim; k++)
        if (!(rain->high[k] - rain->low[k] > 2.0 * largest(s) &&
              isfinite(rain->high[k] - rain->low[k])))
            return sab_fail(err, SAB_ERR_INPUT, "grains of radius %g do not fit between %g and %g",
                            largest(s), rain->low[k], rain->high[k]);
    SAB_TRY(make_chains(b, rain, &c, err));
    for (int i = 0; i < rain->count; i++) {
        const grain one = draw(b->dim, s, &state);
        const double r = one.radius;
        double x[3];
        int at[3], cell = 0, tries = 0;
        bool free = false;

        for (; !free && tries < TRIES; tries++) {
            for (int k = 0; k < b->dim; k++)
                x[k] = between(rain->low[k] + r, rain->high[k] - r, &state);
            cell = cell_of(&c, rain, b->dim, x, at);
            free = is_free(b, &c, at, begin, x, r, nwalls, wall);
        }
        if (!free)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "there is room for %d of %d grains: after %d tries the next one still touches "
                     "others or a wall; make the box larger",
                     i, rain->count, tries);
        SAB_TRY(add(b, x, &one, err));
        c.next[i] = c.first[cell];
        c.first[cell] = begin + i;
    }
cleanup:
    SAB_FREE(c.first);
    SAB_FREE(c.next);
    return status;
}

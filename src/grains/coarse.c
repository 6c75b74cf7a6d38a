/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/coarse.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { DIM = 3, FIT = DIM + 1, MOMENTS = FIT * (FIT + 1) / 2 + DIM * FIT };

struct sab_coarse_work {
    int count[DIM], cells; /* bins of places, none narrower than the width */
    double low[DIM], size;
    int *start, *item; /* [cells + 1], [n] */
    int found;         /* places of the last call of `share`, */
    int *place;        /* [n] which, */
    double *part;      /* [n] and their parts */
    double *moment;    /* [n][MOMENTS] of mass and momentum about the place */
    double *fit;       /* [n][FIT][DIM] velocity, then gradient */
};

static double kernel(double distance, double width) /* Lucy's, without its factor */
{
    const double q = distance / width;

    return q < 1.0 ? (1.0 + 3.0 * q) * (1.0 - q) * (1.0 - q) * (1.0 - q) : 0.0;
}

static int bin_along(const struct sab_coarse_work *w, int k, double x)
{
    const double at = floor((x - w->low[k]) / w->size);

    return at < 0.0 ? 0 : at >= w->count[k] ? w->count[k] - 1 : (int)at;
}

static int bin_of(const sab_coarse *c, const double *x)
{
    int bin = 0;

    for (int k = c->dim; k-- > 0;)
        bin = bin * c->work->count[k] + bin_along(c->work, k, x[k]);
    return bin;
}

static sab_status make_bins(sab_coarse *c, sab_error *err)
{
    struct sab_coarse_work *w = c->work;
    double high[DIM] = {0.0}, cells = 1.0;
    sab_status status = SAB_OK;

    for (int k = 0; k < DIM; k++)
        w->count[k] = 1;
    for (int k = 0; k < c->dim; k++) {
        w->low[k] = high[k] = c->x[k];
        for (int a = 0; a < c->n; a++) {
            w->low[k] = fmin(w->low[k], c->x[a * c->dim + k]);
            high[k] = fmax(high[k], c->x[a * c->dim + k]);
        }
        cells *= floor((high[k] - w->low[k]) / c->width) + 1.0;
    }
    w->size = c->width * pow(fmax(1.0, cells / (2.0 * c->n + 64.0)), 1.0 / c->dim);
    w->cells = 1;
    for (int k = 0; k < c->dim; k++) {
        w->count[k] = (int)((high[k] - w->low[k]) / w->size) + 1;
        w->cells *= w->count[k];
    }
    SAB_NEW(w->start, w->cells + 1);
    SAB_NEW(w->item, c->n);
    for (int a = 0; a < c->n; a++)
        w->start[bin_of(c, c->x + a * c->dim) + 1]++;
    for (int b = 0; b < w->cells; b++)
        w->start[b + 1] += w->start[b];
    for (int a = c->n; a-- > 0;) /* each start moves down from the end of its bin */
        w->item[--w->start[bin_of(c, c->x + a * c->dim) + 1]] = a;
    memmove(w->start, w->start + 1, (size_t)w->cells * sizeof *w->start);
    w->start[w->cells] = c->n;
cleanup:
    return status;
}

sab_status sab_coarse_create(int dim, int n, const double *x, const double *volume, double width,
                             sab_coarse **coarse, sab_error *err)
{
    sab_coarse *c = NULL;
    sab_status status = SAB_OK;

    *coarse = NULL;
    if (!(width > 0.0 && isfinite(width) && n > 0))
        return sab_fail(err, SAB_ERR_INPUT, "coarse.width: %g, for %d places", width, n);
    for (int a = 0; a < n; a++)
        if (!(volume[a] > 0.0))
            return sab_fail(err, SAB_ERR_INPUT, "place %d has the volume %g", a, volume[a]);
    SAB_NEW(c, 1);
    *c = (sab_coarse){.dim = dim, .n = n, .x = x, .volume = volume, .width = width};
    SAB_NEW(c->work, 1);
    SAB_NEW(c->density, n);
    SAB_NEW(c->fraction, n);
    SAB_NEW(c->velocity, n * dim);
    SAB_NEW(c->gradient, n * dim * dim);
    SAB_NEW(c->stress, n * dim * dim);
    SAB_NEW(c->work->place, n);
    SAB_NEW(c->work->part, n);
    SAB_NEW(c->work->moment, n * MOMENTS);
    SAB_NEW(c->work->fit, n * FIT * DIM);
    SAB_TRY(make_bins(c, err));
    *coarse = c;
    c = NULL;
cleanup:
    sab_coarse_destroy(&c);
    return status;
}

void sab_coarse_destroy(sab_coarse **coarse)
{
    sab_coarse *c = *coarse;

    if (c == NULL)
        return;
    if (c->work != NULL) {
        SAB_FREE(c->work->start);
        SAB_FREE(c->work->item);
        SAB_FREE(c->work->place);
        SAB_FREE(c->work->part);
        SAB_FREE(c->work->moment);
        SAB_FREE(c->work->fit);
    }
    SAB_FREE(c->work);
    SAB_FREE(c->density);
    SAB_FREE(c->fraction);
    SAB_FREE(c->velocity);
    SAB_FREE(c->gradient);
    SAB_FREE(c->stress);
    SAB_FREE(*coarse);
}

static double distance_to(const sab_coarse *c, int a, const double *y)
{
    double square = 0.0;

    for (int k = 0; k < c->dim; k++)
        square += (y[k] - c->x[a * c->dim + k]) * (y[k] - c->x[a * c->dim + k]);
    return sqrt(square);
}

/* The places within the width and their parts; of a y that is far from all the nearest one. */
static void share(const sab_coarse *c, const double *y)
{
    struct sab_coarse_work *w = c->work;
    int at[DIM] = {0}, from[DIM] = {0}, to[DIM] = {0};
    double sum = 0.0;

    w->found = 0;
    for (int k = 0; k < c->dim; k++) {
        at[k] = bin_along(w, k, y[k]);
        from[k] = at[k] > 0 ? at[k] - 1 : 0;
        to[k] = at[k] + 1 < w->count[k] ? at[k] + 1 : at[k];
    }
    for (int l = from[2]; l <= to[2]; l++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int i = from[0]; i <= to[0]; i++) {
                const int bin = (l * w->count[1] + j) * w->count[0] + i;

                for (int e = w->start[bin]; e < w->start[bin + 1]; e++) {
                    const int a = w->item[e];
                    const double part = kernel(distance_to(c, a, y), c->width) * c->volume[a];

                    if (part > 0.0) {
                        w->place[w->found] = a;
                        w->part[w->found++] = part;
                        sum += part;
                    }
                }
            }
    for (int e = 0; e < w->found; e++)
        w->part[e] /= sum;
    if (w->found > 0)
        return;
    w->place[0] = 0;
    for (int a = 1; a < c->n; a++)
        if (distance_to(c, a, y) < distance_to(c, w->place[0], y))
            w->place[0] = a;
    w->part[0] = 1.0;
    w->found = 1;
}

/* Moments of mass (1, d)(1, d)^T and of momentum v (1, d), d = x_i - x_a. */
static void add_moments(const sab_coarse *c, int a, double mass, const double *x, const double *v)
{
    double *m = c->work->moment + a * MOMENTS, base[FIT] = {1.0};
    const int fit = c->dim + 1;

    for (int k = 0; k < c->dim; k++)
        base[k + 1] = x[k] - c->x[a * c->dim + k];
    for (int i = 0; i < fit; i++)
        for (int j = i; j < fit; j++)
            *m++ += mass * base[i] * base[j];
    for (int i = 0; i < fit; i++)
        for (int k = 0; k < c->dim; k++)
            *m++ += mass * base[i] * v[k];
}

/* Beyond so many (squared) spreads of the grains from their centre a fit would be extrapolated. */
static const double FARTHEST = 6.0;
/* Of a system whose pivots fall below this part of the mass, grains lie on a line. */
static const double SPREAD = 1e-3;

/* The symmetric system of a fit: right-hand sides are the components of the momentum and, last,
 * (1, 0, ..). */
typedef struct system {
    int n, sides;
    double A[FIT][FIT], b[FIT][DIM + 1];
} system;

/* From the moments, columns scaled by the width. */
static void set_system(const sab_coarse *c, const double *m, system *s)
{
    double scale[FIT];

    *s = (system){.n = c->dim + 1, .sides = c->dim + 1};
    for (int i = 0; i < s->n; i++)
        scale[i] = i > 0 ? 1.0 / c->width : 1.0;
    for (int i = 0; i < s->n; i++)
        for (int j = i; j < s->n; j++)
            s->A[i][j] = s->A[j][i] = *m++ * scale[i] * scale[j];
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < c->dim; k++)
            s->b[i][k] = *m++ * scale[i];
    s->b[0][c->dim] = 1.0;
}

/* By elimination, b becomes the solution; false if it is (nearly) singular: fewer than dim + 1
 * grains, or all on a line. */
static bool eliminate(system *s)
{
    const double whole = s->A[0][0];

    for (int i = 0; i < s->n; i++) {
        if (!(s->A[i][i] > SPREAD * whole))
            return false;
        for (int j = i + 1; j < s->n; j++) {
            const double factor = s->A[j][i] / s->A[i][i];

            for (int k = i; k < s->n; k++)
                s->A[j][k] -= factor * s->A[i][k];
            for (int k = 0; k < s->sides; k++)
                s->b[j][k] -= factor * s->b[i][k];
        }
    }
    for (int i = s->n; i-- > 0;)
        for (int k = 0; k < s->sides; k++) {
            for (int j = i + 1; j < s->n; j++)
                s->b[i][k] -= s->A[i][j] * s->b[j][k];
            s->b[i][k] /= s->A[i][i];
        }
    return true;
}

/* Velocity and gradient at a place; false if there is no fit, or it would be extrapolated: the
 * grains are on one side of the place, M z_0 - 1 = d Cov^-1 d for the way d from their centre to
 * it, z the last solution. */
static bool solve_fit(const sab_coarse *c, const double *moment, double *fit)
{
    system s;

    set_system(c, moment, &s);
    if (!eliminate(&s) || !(moment[0] * s.b[0][c->dim] - 1.0 <= FARTHEST))
        return false;
    for (int i = 0; i < s.n; i++)
        for (int k = 0; k < c->dim; k++)
            fit[i * DIM + k] = s.b[i][k] / (i > 0 ? c->width : 1.0);
    return true;
}

/* Velocity and gradient of each place, from the moments. */
static void fit_velocities(sab_coarse *c)
{
    const int dim = c->dim, fit = dim + 1, mean = fit * (fit + 1) / 2;

    memset(c->work->fit, 0, (size_t)(c->n * FIT * DIM) * sizeof *c->work->fit);
    for (int a = 0; a < c->n; a++) {
        const double *m = c->work->moment + a * MOMENTS;
        double *f = c->work->fit + a * FIT * DIM;

        if (m[0] > 0.0 && !solve_fit(c, m, f)) {
            memset(f, 0, FIT * DIM * sizeof *f);
            for (int k = 0; k < dim; k++)
                f[k] = m[mean + k] / m[0];
        }
        for (int k = 0; k < dim; k++) {
            c->velocity[a * dim + k] = f[k];
            for (int j = 0; j < dim; j++)
                c->gradient[(a * dim + k) * dim + j] = f[(j + 1) * DIM + k];
        }
    }
}

/* -m v' v' / V, with v' off the fit where the grain is. */
static void add_fluctuations(sab_coarse *c, const sab_bodies *b)
{
    const int dim = c->dim;

    for (int i = 0; i < b->n; i++) {
        const double *v = b->velocity + i * b->freedoms;
        double x[DIM];

        sab_bodies_place(b, i, x);
        share(c, x);
        for (int e = 0; e < c->work->found; e++) {
            const int a = c->work->place[e];
            const double *f = c->work->fit + a * FIT * DIM;
            double off[DIM];

            for (int k = 0; k < dim; k++) {
                off[k] = v[k] - f[k];
                for (int j = 0; j < dim; j++)
                    off[k] -= f[(j + 1) * DIM + k] * (x[j] - c->x[a * dim + j]);
            }
            for (int k = 0; k < dim; k++)
                for (int j = 0; j < dim; j++)
                    c->stress[(a * dim + k) * dim + j] -=
                        b->mass[i] * c->work->part[e] * off[k] * off[j] / c->volume[a];
        }
    }
}

/* -f b spread along the line from the other centre, or the wall, to that of grain i: 4 points of
 * Gauss. f is the force on i, b the line. */
static sab_status add_contact(sab_coarse *c, const sab_grains *g, const sab_impulse *p,
                              sab_error *err)
{
    static const double at[] = {0.069431844202973714, 0.33000947820757187, 0.66999052179242813,
                                0.93056815579702629},
                        weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                    0.17392742256872693};
    const sab_bodies *b = g->bodies;
    const int dim = c->dim;
    sab_pair pair;
    double line[DIM], x[DIM], y[DIM];
    sab_status status = SAB_OK;

    if (!sab_grains_find_pair(g, p, &pair)) /* it has left */
        return SAB_OK;
    SAB_TRY(sab_pair_measure(b, g->wall, &pair, err));
    sab_pair_line(b, &pair, line);
    sab_bodies_place(b, pair.i, x);
    for (int q = 0; q < 4; q++) {
        for (int k = 0; k < dim; k++)
            y[k] = x[k] - at[q] * line[k];
        sab_bodies_take_back(b, y);
        share(c, y);
        for (int e = 0; e < c->work->found; e++) {
            const int a = c->work->place[e];
            const double part = weight[q] * c->work->part[e] / (c->volume[a] * g->last_dt);

            for (int k = 0; k < dim; k++)
                for (int l = 0; l < dim; l++)
                    c->stress[(a * dim + k) * dim + l] -= part * p->value[k] * line[l];
        }
    }
cleanup:
    return status;
}

sab_status sab_coarse_fill(sab_coarse *c, const sab_grains *g, sab_error *err)
{
    const sab_bodies *b = g->bodies;
    const int dim = c->dim;
    sab_status status = SAB_OK;

    if (b->dim != dim)
        return sab_fail(err, SAB_ERR_INPUT, "grains of %d dimensions, places of %d", b->dim, dim);
    memset(c->density, 0, (size_t)c->n * sizeof *c->density);
    memset(c->fraction, 0, (size_t)c->n * sizeof *c->fraction);
    memset(c->stress, 0, (size_t)(c->n * dim * dim) * sizeof *c->stress);
    memset(c->work->moment, 0, (size_t)(c->n * MOMENTS) * sizeof *c->work->moment);
    for (int i = 0; i < b->n; i++) {
        const double *v = b->velocity + i * b->freedoms, solid = sab_bodies_volume(b, i);
        double x[DIM];

        sab_bodies_place(b, i, x);
        share(c, x);
        for (int e = 0; e < c->work->found; e++) {
            const int a = c->work->place[e];
            const double part = c->work->part[e];

            c->density[a] += part * b->mass[i] / c->volume[a];
            c->fraction[a] += part * solid / c->volume[a];
            add_moments(c, a, part * b->mass[i], x, v);
        }
    }
    fit_velocities(c);
    add_fluctuations(c, b);
    for (int q = 0; q < g->nimpulses && g->last_dt > 0.0; q++)
        SAB_TRY(add_contact(c, g, &g->impulse[q], err));
cleanup:
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grains/ellipse.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

double sab_ellipse_support(const sab_ellipse *e, const double *n, double *point, double *bend)
{
    const double x = e->cosine * n[0] + e->sine * n[1], y = e->cosine * n[1] - e->sine * n[0];
    const double a = e->axis[0] * e->axis[0] * x, b = e->axis[1] * e->axis[1] * y;
    const double h = hypot(e->axis[0] * x, e->axis[1] * y), scale = h > 0.0 ? 1.0 / h : 0.0;
    const double along = e->axis[0] * scale, across = e->axis[1] * scale;

    point[0] = scale * (e->cosine * a - e->sine * b);
    point[1] = scale * (e->sine * a + e->cosine * b);
    if (bend != NULL) /* a^2 b^2 / h^3 */
        *bend = along * along * across * across * h;
    return h;
}

typedef struct pair {
    const sab_ellipse *i, *j;
    const double *d;
    double size;    /* of all of it, for what counts as rounding */
    double rolling; /* sum of b^2/a: discs of that size roll inside */
} pair;

/* g at an angle, with its derivatives. p = d - x_i(n) - x_j(n) leads from the point of j to that of
 * i: it is the gradient of the concave G(x) = |x| g(x/|x|), g = p.n, g' = p.t, and since
 * p' = -(rho_i + rho_j) t, g'' = -(g + rho_i + rho_j). */
typedef struct sample {
    double angle, n[2], p[2], g, slope, second;
} sample;

static sample at(const pair *q, double angle)
{
    sample s = {.angle = angle, .n = {cos(angle), sin(angle)}};
    double x[2], y[2], rho_i, rho_j;

    sab_ellipse_support(q->i, s.n, x, &rho_i);
    sab_ellipse_support(q->j, s.n, y, &rho_j);
    for (int k = 0; k < 2; k++)
        s.p[k] = q->d[k] - x[k] - y[k];
    s.g = s.p[0] * s.n[0] + s.p[1] * s.n[1];
    s.slope = s.p[1] * s.n[0] - s.p[0] * s.n[1];
    s.second = -(s.g + rho_i + rho_j);
    return s;
}

/* Do the two points face each other, to rounding? */
static bool is_stationary(const pair *q, const sample *s)
{
    return fabs(s->slope) <= 1e-11 * (q->size + fabs(s->second));
}

/* The maximum between two angles where g rises and falls: Newton's steps while they stay between
 * and at least halve the slope, else bisection. */
static sample climb(const pair *q, double low, double high, double start)
{
    sample s = at(q, start), best = s;
    bool slow = false;

    for (int k = 0; k < 200 && s.slope != 0.0; k++) {
        const double before = fabs(s.slope), newton = s.angle - s.slope / s.second;

        *(s.slope > 0.0 ? &low : &high) = s.angle;
        if (high - low <= 4.0 * DBL_EPSILON * (1.0 + fabs(high)))
            break;
        s = at(q, !slow && s.second < 0.0 && newton > low && newton < high ? newton
                                                                           : 0.5 * (low + high));
        slow = fabs(s.slope) > 0.5 * before;
        if (fabs(s.slope) < fabs(best.slope))
            best = s;
    }
    return best;
}

/* The largest p.n on a sector: above all of G there, which is concave. */
static double highest(const sample *s, double from, double to)
{
    const double size = hypot(s->p[0], s->p[1]), peak = atan2(s->p[1], s->p[0]);
    const double off = fmod(fmod(peak - from, 2.0 * PI) + 2.0 * PI, 2.0 * PI);

    return off <= to - from ? size : size * fmax(cos(from - peak), cos(to - peak));
}

/* Branch and bound: the best sample of the sector between a and b, to 1e-8 of the size. */
static void search(const pair *q, const sample *a, const sample *b, int depth, sample *best)
{
    const double bound = fmin(highest(a, a->angle, b->angle), highest(b, a->angle, b->angle));

    if (depth == 0 || bound <= best->g + 1e-8 * q->size)
        return;
    const sample middle = at(q, 0.5 * (a->angle + b->angle));
    if (middle.g > best->g)
        *best = middle;
    search(q, a, &middle, depth - 1, best);
    search(q, &middle, b, depth - 1, best);
}

/* The maximum of all, wherever it is. */
static sample search_all(const pair *q, double start)
{
    enum { SECTORS = 8, DEPTH = 16 };
    sample ray[SECTORS + 1], best;

    for (int k = 0; k <= SECTORS; k++) {
        ray[k] = at(q, start + k * (2.0 * PI / SECTORS));
        if (k == 0 || ray[k].g > best.g)
            best = ray[k];
    }
    for (int k = 0; k < SECTORS; k++)
        search(q, &ray[k], &ray[k + 1], DEPTH, &best);
    for (double wide = 1e-4; wide < 0.5 * PI && !is_stationary(q, &best); wide *= 2.0)
        if (at(q, best.angle - wide).slope > 0.0 && at(q, best.angle + wide).slope < 0.0)
            return climb(q, best.angle - wide, best.angle + wide, best.angle);
    return best;
}

/* Between the two directions across d, g rises at the one and falls at the other if they are apart.
 * A maximum above -(rho_i + rho_j), the least radii of curvature, is the only one there: ellipses
 * are discs of these radii rolled about smaller convex bodies, whose g is concave where it is
 * positive. Deeper in each other they may have several, and all directions are searched. */
sab_status sab_ellipse_gap(const sab_ellipse *i, const sab_ellipse *j, const double *d, double *gap,
                           double *n, sab_error *err)
{
    const sab_ellipse *const both[2] = {i, j};
    pair q = {.i = i, .j = j, .d = d, .size = hypot(d[0], d[1])};
    const double start = atan2(d[1], d[0]);
    sample top = {0};
    bool only = false;

    for (int k = 0; k < 2; k++) {
        const double most = fmax(both[k]->axis[0], both[k]->axis[1]),
                     least = fmin(both[k]->axis[0], both[k]->axis[1]);

        q.size += most;
        q.rolling += most > 0.0 ? least * least / most : 0.0;
    }
    if (at(&q, start - 0.5 * PI).slope > 0.0 && at(&q, start + 0.5 * PI).slope < 0.0) {
        top = climb(&q, start - 0.5 * PI, start + 0.5 * PI, start);
        only = top.g > -q.rolling && is_stationary(&q, &top);
    }
    if (!only)
        top = search_all(&q, start);
    *gap = top.g;
    memcpy(n, top.n, sizeof top.n);
    if (!isfinite(q.size) || !is_stationary(&q, &top))
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the closest points of two ellipses, semi-axes %g, %g and %g, %g at (%g, "
                        "%g), were not found: they miss each other by %.2g",
                        i->axis[0], i->axis[1], j->axis[0], j->axis[1], d[0], d[1], top.slope);
    return SAB_OK;
}

/* g has a corner at the two normals of the segment, where it changes from the one end to the other,
 * and is that of a point between them: the maximum is at a normal if the point of the ellipse is
 * over the segment (and it is the only one, as above), else that of an end. */
sab_status sab_ellipse_segment_gap(const sab_ellipse *e, const double *a, const double *b,
                                   double *gap, double *n, sab_error *err)
{
    const double length = hypot(b[0] - a[0], b[1] - a[1]), *const end[2] = {a, b};
    const double t[2] = {(b[0] - a[0]) / length, (b[1] - a[1]) / length};
    const double most = fmax(e->axis[0], e->axis[1]), least = fmin(e->axis[0], e->axis[1]);
    const sab_ellipse point = {.cosine = 1.0};
    sab_status status = SAB_OK;
    bool only = false;

    *gap = -INFINITY;
    for (int k = 0; k < 4 && !only; k++) {
        double m[2] = {k == 0 ? -t[1] : t[1], k == 0 ? t[0] : -t[0]}, x[2], ends;

        if (k >= 2)
            SAB_TRY(sab_ellipse_gap(e, &point, (double[]){-end[k - 2][0], -end[k - 2][1]}, &ends, m,
                                    err));
        const double worth = -sab_ellipse_support(e, m, x, NULL) -
                             fmax(m[0] * a[0] + m[1] * a[1], m[0] * b[0] + m[1] * b[1]);
        const double foot = (-x[0] - a[0]) * t[0] + (-x[1] - a[1]) * t[1];

        if (!(worth > *gap))
            continue;
        *gap = worth;
        memcpy(n, m, sizeof m);
        only = k < 2 && worth > -least * least / most && foot >= 0.0 && foot <= length;
    }
cleanup:
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cone/soc.h -- the second-order cone K = { x_0 >= |x_1| } on s-vectors, for the interior point.
 *
 * Jordan product x o y = (x.y ; x_0 y_1 + y_0 x_1), unit e = (1 ; 0), det x = x_0^2 - |x_1|^2.
 * Nesterov-Todd scaling of g and z inside K: the Theta with Theta g = z,
 *     Theta = t (2 w w^T - J),  t = (det z / det g)^(1/2),  det w = 1,      [docs/theory.md, 6]
 * J = diag(1, -1, ..., -1). In all functions input and output may be the same array. Inline, as
 * in cone/point.h: loops over points are compiled for their number of components. */
#ifndef SAB_CONE_SOC_H
#define SAB_CONE_SOC_H

#include "cone/point.h"

#include <stddef.h>

enum { SAB_SOC_MAX = 6 };

typedef struct sab_nt {
    double t;              /* > 0 */
    double w[SAB_SOC_MAX]; /* det w = 1 */
} sab_nt;

static inline double sab_soc_det(int s, const double *x)
{
    const double t = sqrt(sab_point_norm2_t(s, x));

    return (x[0] - t) * (x[0] + t); /* not x0^2 - t^2: near the boundary that is rounding */
}

/* Theta for g, z inside K.
 * With g, z scaled to determinant 1: w = (z + J g) / (2 (1 + g.z)/2)^(1/2). */
static inline void sab_nt_create(int s, const double *g, const double *z, sab_nt *nt)
{
    /* a point that rounding has put on the boundary stays a hair inside */
    const double root_g = sqrt(fmax(sab_soc_det(s, g), 1e-32 * g[0] * g[0]));
    const double root_z = sqrt(fmax(sab_soc_det(s, z), 1e-32 * z[0] * z[0]));
    const double dot = (g[0] * z[0] + sab_point_dot_t(s, g, z)) / (root_g * root_z);
    const double scale = 1.0 / sqrt(2.0 * (1.0 + dot));

    nt->t = root_z / root_g;
    for (int i = 1; i < s; i++)
        nt->w[i] = scale * (z[i] / root_z - g[i] / root_g);
    nt->w[0] = sqrt(1.0 + sab_point_norm2_t(s, nt->w));
}

/* y = Theta x */
static inline void sab_nt_apply(int s, const sab_nt *nt, const double *x, double *y)
{
    const double wx = 2.0 * (nt->w[0] * x[0] + sab_point_dot_t(s, nt->w, x));

    y[0] = nt->t * (wx * nt->w[0] - x[0]);
    for (int i = 1; i < s; i++)
        y[i] = nt->t * (wx * nt->w[i] + x[i]);
}

/* (2 w w^T - J)^(1/2) = [w_0, w_1^T ; w_1, I + w_1 w_1^T / (1 + w_0)]; the inverse has -w_1. */
static inline void sab_nt_apply_root(int s, const double *w, double sign, double scale,
                                     const double *x, double *y)
{
    const double dot = sign * sab_point_dot_t(s, w, x), x0 = x[0];
    const double along = sign * (x0 + dot / (1.0 + w[0]));

    y[0] = scale * (w[0] * x0 + dot);
    for (int i = 1; i < s; i++)
        y[i] = scale * (x[i] + along * w[i]);
}

/* y = Theta^(1/2) x, or Theta^(-1/2) x */
static inline void sab_nt_apply_half(int s, const sab_nt *nt, const double *x, double *y)
{
    sab_nt_apply_root(s, nt->w, 1.0, sqrt(nt->t), x, y);
}

static inline void sab_nt_apply_inverse_half(int s, const sab_nt *nt, const double *x, double *y)
{
    sab_nt_apply_root(s, nt->w, -1.0, 1.0 / sqrt(nt->t), x, y);
}

/* x o y */
static inline void sab_soc_product(int s, const double *x, const double *y, double *out)
{
    const double x0 = x[0], y0 = y[0], dot = x0 * y0 + sab_point_dot_t(s, x, y);

    for (int i = 1; i < s; i++)
        out[i] = x0 * y[i] + y0 * x[i];
    out[0] = dot;
}

/* The v with x o v = y, x inside K. */
static inline void sab_soc_divide(int s, const double *x, const double *y, double *out)
{
    const double y0 = y[0], dot = sab_point_dot_t(s, x, y);
    const double v0 = (x[0] * y0 - dot) / sab_soc_det(s, x);

    for (int i = 1; i < s; i++)
        out[i] = (y[i] - v0 * x[i]) / x[0];
    out[0] = v0;
}

/* Largest a <= limit with x + a dx in K, x inside K.
 * Smallest positive root of det(x + a dx) = det x + 2 a (x, dx) + a^2 det dx, (,) the product of
 * signature (1, s-1), in the form that does not cancel. */
static inline double sab_soc_step(int s, const double *x, const double *dx, double limit)
{
    const double a = sab_soc_det(s, dx), c = sab_soc_det(s, x);
    const double b = x[0] * dx[0] - sab_point_dot_t(s, x, dx);
    const double disc = b * b - a * c;
    double root = INFINITY;

    if (a < 0.0 || (b < 0.0 && disc >= 0.0)) {
        const double d = sqrt(fmax(disc, 0.0));

        root = b < 0.0 ? c / (d - b) : -(b + d) / a;
    }
    if (dx[0] < 0.0 && -x[0] / dx[0] < root)
        root = -x[0] / dx[0];
    return fmin(root, limit);
}

/* G = E_a Theta E_mu + c e e^T + delta I, E_a = diag(a, 1, ..., 1), eliminated in closed form
 * without cancellation: a numerical inverse loses everything near the boundary of the cone. */
typedef struct sab_nt_block {
    double mu, a, delta;
    double direct, k, y; /* 1/(t + delta); of G_TT along w_1; G_TT^-1 (2 t w_0 w_1) = y w_1 */
    double complement;   /* of Theta_NN in Theta + delta I_T */
    double pivot;        /* of G_NN in G */
} sab_nt_block;

/* With T = G_TT = (t + d) I + 2 t w_1 w_1^T:
 *     T^-1 = (I - (2t/k) w_1 w_1^T)/(t + d),   k = t + d + 2 t |w_1|^2,   T^-1 (2 t w_0 w_1) = y
 * w_1, y = 2 t w_0/k,   Schur complement S = d + c + a mu s,   s = t (t + d (1 + 2|w_1|^2))/k. */
static inline void sab_nt_condense(int s, const sab_nt *nt, double mu, double a, double c,
                                   double delta, sab_nt_block *block)
{
    const double t = nt->t, v = sab_point_norm2_t(s, nt->w), k = t + delta + 2.0 * t * v;
    const double complement = t * (t + delta * (1.0 + 2.0 * v)) / k;

    *block = (sab_nt_block){.mu = mu,
                            .a = a,
                            .delta = delta,
                            .direct = 1.0 / (t + delta),
                            .k = k,
                            .y = 2.0 * t * nt->w[0] / k,
                            .complement = complement,
                            .pivot = delta + c + a * mu * complement};
}

/* G^-1, row-major s x s.
 * G^-1 = [1/S, -a y w_1^T/S ; -mu y w_1/S, T^-1 + a mu y^2 w_1 w_1^T/S] */
static inline void sab_nt_block_inverse(int s, const sab_nt *nt, const sab_nt_block *block,
                                        double *inverse)
{
    const double *w = nt->w, S = block->pivot, y = block->y;
    const double outer = block->a * block->mu * y * y / S - 2.0 * nt->t * block->direct / block->k;

    inverse[0] = 1.0 / S;
    for (int i = 1; i < s; i++) {
        inverse[i] = -block->a * y * w[i] / S;
        inverse[i * s] = -block->mu * y * w[i] / S;
        for (int j = 1; j < s; j++)
            inverse[i * s + j] = (i == j ? block->direct : 0.0) + outer * (w[i] * w[j]);
    }
}

/* x = G^-1 b and, unless it is NULL, z = Theta E_mu x. Not the same as products with the matrices:
 * where g and z are near the boundary their entries are large, and the parts of x and z across it
 * would be rounding errors. z may be b, not x.
 * x_N = (b_N - a y w_1.b_T)/S,  x_T = T^-1 b_T - mu y x_N w_1; from these rows
 * (Theta E_mu x)_N = mu s x_N + y w_1.b_T,  (Theta E_mu x)_T = b_T - d x_T. */
static inline void sab_nt_block_solve(int s, const sab_nt *nt, const sab_nt_block *block,
                                      const double *b, double *x, double *z)
{
    const double *w = nt->w, along = sab_point_dot_t(s, w, b), across = block->y * along;
    const double x0 = (b[0] - block->a * across) / block->pivot;
    const double back = 2.0 * nt->t * block->direct / block->k * along + block->mu * block->y * x0;

    for (int i = 1; i < s; i++)
        x[i] = block->direct * b[i] - back * w[i];
    x[0] = x0;
    if (z == NULL)
        return;
    for (int i = 1; i < s; i++)
        z[i] = b[i] - block->delta * x[i];
    z[0] = block->mu * block->complement * x0 + across;
}

#endif

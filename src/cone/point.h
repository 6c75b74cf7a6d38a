/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cone/point.h -- the functions of cone.h that loops over points call, inline: with a constant s
 * such a loop compiles to one body in which the number of components is known. */
#ifndef SAB_CONE_POINT_H
#define SAB_CONE_POINT_H

#include <math.h>

/* call(s, ...) of an inline function, compiled for slip in the plane (2), plane strain (3),
 * axisymmetric flow (4), space (6), and any s. */
#define SAB_POINT_SIZES(s, call, ...)                                                              \
    do {                                                                                           \
        if ((s) == 2)                                                                              \
            call(2, __VA_ARGS__);                                                                  \
        else if ((s) == 3)                                                                         \
            call(3, __VA_ARGS__);                                                                  \
        else if ((s) == 4)                                                                         \
            call(4, __VA_ARGS__);                                                                  \
        else if ((s) == 6)                                                                         \
            call(6, __VA_ARGS__);                                                                  \
        else                                                                                       \
            call(s, __VA_ARGS__);                                                                  \
    } while (0)

/* x . y */
static inline double sab_point_dot(int s, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < s; i++)
        sum += x[i] * y[i];
    return sum;
}

/* x_T . y_T */
static inline double sab_point_dot_t(int s, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 1; i < s; i++)
        sum += x[i] * y[i];
    return sum;
}

/* |x_T|^2 */
static inline double sab_point_norm2_t(int s, const double *x)
{
    return sab_point_dot_t(s, x, x);
}

/* p = (normal, factor x_T) */
static inline void sab_point_set(int s, double normal, double factor, const double *x, double *p)
{
    p[0] = normal;
    for (int i = 1; i < s; i++)
        p[i] = factor * x[i];
}

/* Closest point map along the flow direction (zeta, -1) in the plane (n, t) = (x_N, |x_T|); zeta =
 * mu is the orthogonal projection. With gamma = lambda - y, so |gamma_T| = g and y_T = lambda_T -
 * gamma_T parallel to lambda_T [docs/theory.md, 2]:
 *   g = 0:               lambda = (max(n,0), y_T), which needs t <= sigma + mu max(n,0);
 *   g > 0, lambda_N = 0: g = t - sigma, and gamma_N = -n >= zeta g;
 *   g > 0, lambda_N > 0: gamma_N = zeta g, so lambda_N = n + zeta g and t = sigma + mu lambda_N +
 * g, g = (t - sigma - mu n)/(1 + mu zeta). */
static inline void sab_point_return_map(int s, double mu, double sigma, double zeta,
                                        const double *y, double *lambda)
{
    const double n = y[0], bound = sigma + mu * n, t2 = sab_point_norm2_t(s, y);

    if (n >= 0.0 && t2 <= bound * bound) {
        sab_point_set(s, n, 1.0, y, lambda);
        return;
    }
    const double t = sqrt(t2), over = t - sigma;
    if (n <= 0.0 && over <= 0.0) {
        sab_point_set(s, 0.0, 1.0, y, lambda);
    } else if (n + zeta * over <= 0.0) {
        sab_point_set(s, 0.0, sigma / t, y, lambda);
    } else { /* t > 0: otherwise y was inside */
        const double normal = (n + zeta * over) / (1.0 + mu * zeta);
        sab_point_set(s, normal, (sigma + mu * normal) / t, y, lambda);
    }
}

/* p = P_T(y - r (gamma + shift n)) */
static inline void sab_point_step(int s, double mu, double sigma, double r, double shift,
                                  const double *y, const double *gamma, double *p)
{
    p[0] = y[0] - r * (gamma[0] + shift);
    for (int i = 1; i < s; i++)
        p[i] = y[i] - r * gamma[i];
    sab_point_return_map(s, mu, sigma, mu, p, p);
}

/* With w = x^2 + z^2, w_N = |x|^2 + |z|^2, w_T = 2 (x_N x_T + z_N z_T), the eigenvalues of w are
 * w_N -+ |w_T| and its root is ((a + b)/2, (b - a)/2 w_T/|w_T|), a, b the roots of the eigenvalues.
 * The small one comes from the product, a sum of non-negative terms,
 *     w_N^2 - |w_T|^2 = p^2 + q^2 + 2 [ |x_N z_T - z_N x_T|^2 + (x_N z_N - x_T.z_T)^2
 *                                       + |x_T|^2 |z_T|^2 - (x_T.z_T)^2 ],
 * p = x_N^2 - |x_T|^2, q likewise: the difference would leave phi = 1e-8 on the boundary. */
static inline void sab_point_fischer_burmeister(int s, double mu, double zeta, double c,
                                                const double *gamma, const double *lambda,
                                                double *phi)
{
    const double xt = sqrt(sab_point_norm2_t(s, lambda)), gt = sqrt(sab_point_norm2_t(s, gamma));
    const double xn = mu * lambda[0], zn = c * (gamma[0] + (mu - zeta) * gt), zt = c * mu * gt;
    double dot = 0.0, wt = 0.0, cross = 0.0;

    for (int i = 1; i < s; i++) {
        const double x = lambda[i], z = c * mu * gamma[i];
        const double w = 2.0 * (xn * x + zn * z), v = xn * z - zn * x;
        dot += x * z;
        wt += w * w;
        cross += v * v;
    }
    wt = sqrt(wt);
    const double p = (xn - xt) * (xn + xt), q = (zn - zt) * (zn + zt), e = xn * zn - dot;
    const double gram = fmax(0.0, (xt * zt - dot) * (xt * zt + dot));
    const double large = xn * xn + xt * xt + zn * zn + zt * zt + wt;
    const double small = large > 0.0 ? (p * p + q * q + 2.0 * (cross + e * e + gram)) / large : 0.0;
    const double a = sqrt(small), b = sqrt(large), f = wt > 0.0 ? 0.5 * (b - a) / wt : 0.0;
    for (int i = 1; i < s; i++) {
        const double x = lambda[i], z = c * mu * gamma[i];
        phi[i] = x + z - f * 2.0 * (xn * x + zn * z);
    }
    phi[0] = xn + zn - 0.5 * (a + b);
}

#endif

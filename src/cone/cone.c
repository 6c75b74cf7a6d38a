#include "cone/cone.h"

#include <math.h>
#include <stddef.h>

/* The point functions are inline so that the loops over points below compile to one body with the
 * number of components known. */

static inline double norm2_t(int s, const double *x)
{
    double t2 = 0.0;
    for (int i = 1; i < s; i++)
        t2 += x[i] * x[i];
    return t2;
}

static inline void set(int s, double normal, double factor, const double *x, double *p)
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
static inline void return_map(int s, double mu, double sigma, double zeta, const double *y,
                              double *lambda)
{
    const double n = y[0], bound = sigma + mu * n, t2 = norm2_t(s, y);

    if (n >= 0.0 && t2 <= bound * bound) {
        set(s, n, 1.0, y, lambda);
        return;
    }
    const double t = sqrt(t2), over = t - sigma;
    if (n <= 0.0 && over <= 0.0) {
        set(s, 0.0, 1.0, y, lambda);
    } else if (n + zeta * over <= 0.0) {
        set(s, 0.0, sigma / t, y, lambda);
    } else { /* t > 0: otherwise y was inside */
        const double normal = (n + zeta * over) / (1.0 + mu * zeta);
        set(s, normal, (sigma + mu * normal) / t, y, lambda);
    }
}

double sab_cone_norm_t(int s, const double *x)
{
    return sqrt(norm2_t(s, x));
}

double sab_cone_dot(int s, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < s; i++)
        sum += x[i] * y[i];
    return sum;
}

void sab_cone_project(int s, double mu, double sigma, const double *x, double *p)
{
    return_map(s, mu, sigma, mu, x, p);
}

void sab_cone_return_map(int s, double mu, double sigma, double zeta, const double *y,
                         double *lambda)
{
    return_map(s, mu, sigma, zeta, y, lambda);
}

void sab_cone_shift(int s, double mu, double zeta, const double *gamma, double *g)
{
    const double shift = (mu - zeta) * sab_cone_norm_t(s, gamma);

    set(s, gamma[0] + shift, 1.0, gamma, g);
}

void sab_cone_natural(int s, double mu, double sigma, double zeta, double r, const double *gamma,
                      const double *lambda, double *residual)
{
    const double shift = (mu - zeta) * sab_cone_norm_t(s, gamma);
    const double normal = lambda[0] - r * (gamma[0] + shift);
    double t2 = 0.0;

    /* P(x) = (p_N, f x_T): only the two numbers p_N and f are needed, so that residual may be
     * gamma or lambda */
    for (int i = 1; i < s; i++) {
        const double x = lambda[i] - r * gamma[i];
        t2 += x * x;
    }
    const double reduced[2] = {normal, sqrt(t2)};
    double p[2];
    return_map(2, mu, sigma, mu, reduced, p);
    const double f = t2 > 0.0 ? p[1] / reduced[1] : 1.0;
    residual[0] = lambda[0] - p[0];
    for (int i = 1; i < s; i++)
        residual[i] = lambda[i] - f * (lambda[i] - r * gamma[i]);
}

/* With w = x^2 + z^2, w_N = |x|^2 + |z|^2, w_T = 2 (x_N x_T + z_N z_T), the eigenvalues of w are
 * w_N -+ |w_T| and its root is ((a + b)/2, (b - a)/2 w_T/|w_T|), a, b the roots of the eigenvalues.
 * The small one comes from the product, a sum of non-negative terms,
 *     w_N^2 - |w_T|^2 = p^2 + q^2 + 2 [ |x_N z_T - z_N x_T|^2 + (x_N z_N - x_T.z_T)^2
 *                                       + |x_T|^2 |z_T|^2 - (x_T.z_T)^2 ],
 * p = x_N^2 - |x_T|^2, q likewise: the difference would leave phi = 1e-8 on the boundary. */
void sab_cone_fischer_burmeister(int s, double mu, double zeta, double c, const double *gamma,
                                 const double *lambda, double *phi)
{
    const double xt = sab_cone_norm_t(s, lambda), gt = sab_cone_norm_t(s, gamma);
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

double sab_cone_law_violation(int s, double mu, double sigma, double zeta, const double *gamma,
                              const double *lambda)
{
    const double gt = sab_cone_norm_t(s, gamma), lt = sab_cone_norm_t(s, lambda);
    const double threshold = sigma + mu * lambda[0], opening = gamma[0] - zeta * gt;
    double slip = 0.0;

    for (int i = 1; i < s; i++) { /* |gamma_T| lambda_T = -(sigma + mu lambda_N) gamma_T */
        const double d = gt * lambda[i] + threshold * gamma[i];
        slip += d * d;
    }
    const double worst = fmax(fmax(-lambda[0], lt - threshold), fmax(-opening, sqrt(slip)));
    return fmax(fmax(worst, fabs(lambda[0] * opening)), 0.0);
}

static inline void step_points(int s, const sab_cone_laws *laws, double tau, const double *shift,
                               const double *y, const double *gamma, double *p)
{
    for (int q = 0; q < laws->npoints; q++, y += s, gamma += s, p += s) {
        const double mu = laws->friction[q], r = tau * laws->step[q];
        const double normal =
            shift != NULL ? shift[q] : (mu - laws->dilatancy[q]) * sqrt(norm2_t(s, gamma));
        p[0] = y[0] - r * (gamma[0] + normal);
        for (int i = 1; i < s; i++)
            p[i] = y[i] - r * gamma[i];
        return_map(s, mu, laws->yield[q], mu, p, p);
    }
}

void sab_cone_step(const sab_cone_laws *laws, double tau, const double *shift, const double *y,
                   const double *gamma, double *p)
{
    switch (laws->s) {
    case 3:
        step_points(3, laws, tau, shift, y, gamma, p);
        break;
    case 6:
        step_points(6, laws, tau, shift, y, gamma, p);
        break;
    default:
        step_points(laws->s, laws, tau, shift, y, gamma, p);
    }
}

void sab_cone_project_all(const sab_cone_laws *laws, double *x)
{
    const int s = laws->s;

    for (int q = 0; q < laws->npoints; q++, x += s)
        return_map(s, laws->friction[q], laws->yield[q], laws->friction[q], x, x);
}

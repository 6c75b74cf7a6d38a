/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cone/cone.h"
#include "base/parallel.h"
#include "cone/point.h"

#include <stddef.h>

double sab_cone_norm_t(int s, const double *x)
{
    return sqrt(sab_point_norm2_t(s, x));
}

double sab_cone_dot(int s, const double *x, const double *y)
{
    return sab_point_dot(s, x, y);
}

void sab_cone_project(int s, double mu, double sigma, const double *x, double *p)
{
    sab_point_return_map(s, mu, sigma, mu, x, p);
}

void sab_cone_return_map(int s, double mu, double sigma, double zeta, const double *y,
                         double *lambda)
{
    sab_point_return_map(s, mu, sigma, zeta, y, lambda);
}

void sab_cone_shift(int s, double mu, double zeta, const double *gamma, double *g)
{
    const double shift = (mu - zeta) * sab_cone_norm_t(s, gamma);

    sab_point_set(s, gamma[0] + shift, 1.0, gamma, g);
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
    sab_point_return_map(2, mu, sigma, mu, reduced, p);
    const double f = t2 > 0.0 ? p[1] / reduced[1] : 1.0;
    residual[0] = lambda[0] - p[0];
    for (int i = 1; i < s; i++)
        residual[i] = lambda[i] - f * (lambda[i] - r * gamma[i]);
}

void sab_cone_fischer_burmeister(int s, double mu, double zeta, double c, const double *gamma,
                                 const double *lambda, double *phi)
{
    sab_point_fischer_burmeister(s, mu, zeta, c, gamma, lambda, phi);
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
    SAB_PARALLEL_FOR(laws->npoints)
    for (int q = 0; q < laws->npoints; q++) {
        const double mu = laws->friction[q], *g = gamma + q * s;
        const double slack = laws->slack != NULL ? laws->slack[q] : 0.0;
        const double normal =
            slack +
            (shift != NULL ? shift[q] : (mu - laws->dilatancy[q]) * sqrt(sab_point_norm2_t(s, g)));

        sab_point_step(s, mu, laws->yield[q], tau * laws->step[q], normal, y + q * s, g, p + q * s);
    }
}

void sab_cone_step(const sab_cone_laws *laws, double tau, const double *shift, const double *y,
                   const double *gamma, double *p)
{
    SAB_POINT_SIZES(laws->s, step_points, laws, tau, shift, y, gamma, p);
}

static inline void project_points(int s, const sab_cone_laws *laws, double *x)
{
    SAB_PARALLEL_FOR(laws->npoints)
    for (int q = 0; q < laws->npoints; q++)
        sab_point_return_map(s, laws->friction[q], laws->yield[q], laws->friction[q], x + q * s,
                             x + q * s);
}

void sab_cone_project_all(const sab_cone_laws *laws, double *x)
{
    SAB_POINT_SIZES(laws->s, project_points, laws, x);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cone/cone.h -- the law at one point, on s-vectors x = (x_N ; x_T), x[0] the normal part.
 *
 *     T(mu, sigma) = { x_N >= 0, |x_T| <= sigma + mu x_N }                    [docs/theory.md, 2]
 * mu = 0 (Bingham, a half-cylinder) and sigma = 0 are ordinary cases; s >= 2. In all functions
 * input and output may be the same array. */
#ifndef SAB_CONE_CONE_H
#define SAB_CONE_CONE_H

#include <stdbool.h>

/* |x_T| */
double sab_cone_norm_t(int s, const double *x);
/* x . y over all s components */
double sab_cone_dot(int s, const double *x, const double *y);
/* p = orthogonal projection of x on T(mu, sigma). */
void sab_cone_project(int s, double mu, double sigma, const double *x, double *p);
/* Non-associated return map: the lambda with (gamma, lambda) in DP(mu, sigma, zeta) for some
 * gamma = (lambda - y)/rho, any rho > 0. Equals the projection when zeta = mu. */
void sab_cone_return_map(int s, double mu, double sigma, double zeta, const double *y,
                         double *lambda);
/* de Saxce: g = gamma + (mu - zeta)|gamma_T| n. */
void sab_cone_shift(int s, double mu, double zeta, const double *gamma, double *g);
/* Natural residual: lambda - P_T(lambda - r g), g the shifted strain rate, r > 0. */
void sab_cone_natural(int s, double mu, double sigma, double zeta, double r, const double *gamma,
                      const double *lambda, double *residual);
/* Second-order-cone Fischer-Burmeister function x + z - (x^2 + z^2)^(1/2) (Jordan product) of
 * x = (mu lambda_N, lambda_T) and z = c (gamma_N + (mu-zeta)|gamma_T|, mu gamma_T); zero iff the
 * law holds. For sigma = 0 and mu > 0 only. c > 0 makes the units agree. */
void sab_cone_fischer_burmeister(int s, double mu, double zeta, double c, const double *gamma,
                                 const double *lambda, double *phi);
/* How far (gamma, lambda) is from DP(mu, sigma, zeta), the largest violation of its conditions
 * (an independent reading of theory.md section 2, for tests). */
double sab_cone_law_violation(int s, double mu, double sigma, double zeta, const double *gamma,
                              const double *lambda);

/* The laws of many points; arrays borrowed, [npoints]. */
typedef struct sab_cone_laws {
    int s, npoints;
    const double *friction, *yield, *dilatancy; /* mu, sigma, zeta */
    const double *step;                         /* r, stress per strain rate */
    const double *slack;                        /* added to gamma_N; NULL: none */
} sab_cone_laws;

/* The step shared by all first-order methods, at every point:
 *     p = P_T(y - tau r (gamma + (shift + slack) n)),
 * shift [npoints] given (Cadoux), or NULL for de Saxce's (mu - zeta)|gamma_T|. y, gamma and p have
 * shape [npoints][s]; p may be y, not gamma. */
void sab_cone_step(const sab_cone_laws *laws, double tau, const double *shift, const double *y,
                   const double *gamma, double *p);
/* x <- P_T(x) at every point. */
void sab_cone_project_all(const sab_cone_laws *laws, double *x);

#endif

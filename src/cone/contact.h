/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cone/contact.h -- the law at one point against a linear response, solved exactly:
 *
 *     gamma = W lambda + b,   (gamma, lambda) in DP(mu, 0, zeta),   W symmetric positive definite.
 *
 * This is one contact of two bodies [docs/theory.md, 6.10]. zeta = 0 is Coulomb's law, zeta = mu
 * its convex relaxation. */
#ifndef SAB_CONE_CONTACT_H
#define SAB_CONE_CONTACT_H

#include "cone/point.h"

#include <stdbool.h>

/* W = diag(wn, wt, ..., wt), as discs, spheres and planes have: in closed form. */
static inline void sab_contact_solve_diagonal(int s, double mu, double zeta, double wn, double wt,
                                              const double *b, double *lambda)
{
    const double t2 = sab_point_norm2_t(s, b), n = b[0], most = mu * n * wt;

    if (n >= 0.0 && n * n >= zeta * zeta * t2) { /* opens: n >= zeta |b_T| */
        sab_point_set(s, 0.0, 0.0, b, lambda);
    } else if (n < 0.0 && t2 * wn * wn <= most * most) { /* sticks: |b_T| wn <= -mu n wt */
        sab_point_set(s, -n / wn, t2 > 0.0 ? -1.0 / wt : 0.0, b, lambda); /* wt = 0: padding */
    } else { /* slides along b_T: gamma_N = zeta |gamma_T|, |gamma_T| = t - mu wt lambda_N */
        const double t = sqrt(t2), normal = (zeta * t - n) / (wn + zeta * mu * wt);

        sab_point_set(s, normal, -mu * normal / t, b, lambda);
    }
}

/* Any W [s][s], s <= 6: by enumeration of what the contact can do in the plane (s = 2) and in space
 * (s = 3, a quartic), otherwise, and where rounding has spoilt that, by Newton's method on the
 * function of Fischer and Burmeister. lambda in: a guess; out: the best of all that was found.
 * Returns its natural residual |lambda - P(lambda - r g~)|, r = s/tr W, in units of r |b|: rounding
 * if it is solved. */
double sab_contact_solve(int s, double mu, double zeta, const double *W, const double *b,
                         double *lambda);

/* Newton's method on Fischer-Burmeister alone, from the guess lambda; mu > 0. Returns as above. */
double sab_contact_newton(int s, double mu, double zeta, const double *W, const double *b,
                          double *lambda);

#endif

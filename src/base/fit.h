/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/fit.h -- laws through measured points by least squares, with 95 % confidence intervals.
 *
 * beverloo  y = C (x - k g)^(d - 1/2): discharge of a silo against the width of its outlet, g the
 *           size of a grain; d = 2 of a slot (in the plane), 3 of a round outlet [Beverloo, Leniger
 *           and van de Velde, Chem. Eng. Sci. 15 (1961) 260]
 * power     y = a x^n
 *
 * Weights are 1/sigma^2, but no point is taken to be more precise than the median of all, nor than
 * the median of its five neighbours: a flow that happens to be steady has a sigma of nothing, and
 * must not own the fit (docs/study.md, "Laws").
 *
 * Intervals are those of the linearised problem, +- t s sqrt(cov): s^2 is the variance of the
 * weighted residuals, so that a common factor of sigma does not matter, and t the quantile of
 * Student's distribution with n - 2 degrees of freedom. */
#ifndef SAB_BASE_FIT_H
#define SAB_BASE_FIT_H

#include "base/error.h"
#include "base/least_squares.h"

#include <stdbool.h>

/* SAB_FIT_LAWS: none of those with a name, as a formula (io/free_law.h) */
typedef enum sab_fit_law { SAB_FIT_BEVERLOO, SAB_FIT_POWER, SAB_FIT_LAWS } sab_fit_law;
extern const char *const sab_fit_law_name[SAB_FIT_LAWS];
/* The law of that name, or SAB_FIT_LAWS. */
sab_fit_law sab_fit_find_law(const char *name);

/* What is to be fitted; the last two are of beverloo. */
typedef struct sab_fit_model {
    sab_fit_law law;
    double grain;  /* g > 0 */
    int dimension; /* d */
} sab_fit_model;

/* d - 1/2 */
static inline double sab_fit_power(const sab_fit_model *model)
{
    return model->dimension - 0.5;
}

typedef struct sab_fit {
    int n;               /* points */
    bool weighted;       /* by sigma; not if half of them are 0 */
    double sigma_floor;  /* the median: a sigma below counts as this; 0 without weights */
    sab_estimate factor; /* C or a */
    sab_estimate k;      /* beverloo */
    /* Slopes of straight lines through the logarithms, weighted by (y/sigma)^2: log y against log x
     * (n of the power law), and against log(x - k g), with k as fitted; the latter is NaN if a
     * point lies at or below k g. */
    sab_estimate exponent, reduced;
    double rms;     /* of the relative residuals (y - fitted) / y */
    int iterations; /* 0 for the power law, which is a straight line */
    /* The point that is farthest from the law of the others, if no scatter like theirs explains it:
     * its deleted residual, in standard deviations, is beyond what one clean fit of a hundred has
     * (with weights: five). It stays in the fit. -1: none. */
    int suspect;
    double suspect_residual;
} sab_fit;

/* weight[n]: (m/s)^2 as above with s = max(sigma, medians) and m the median of all, which is
 * returned; 1, and 0 is returned, if sigma is NULL or m is 0. */
double sab_fit_weigh(int n, const double *x, const double *sigma, double *weight);
/* x, y > 0 and, unless sigma is NULL, sigma >= 0; at least two different x. Writes fitted[n].
 * SAB_ERR_INPUT with a sentence if the points allow no such law. */
sab_status sab_fit_points(const sab_fit_model *model, int n, const double *x, const double *y,
                          const double *sigma, double *fitted, sab_fit *fit, sab_error *err);

/* Points that are off by orders of magnitude from the law that most of the others follow:
 * expected[i] is what that law gives for such a point, and NaN for all others. x, y > 0. Needs four
 * points. */
sab_status sab_fit_outliers(const sab_fit_model *model, int n, const double *x, const double *y,
                            double *expected, sab_error *err);

#endif

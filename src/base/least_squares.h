/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/least_squares.h -- nonlinear least squares by GSL, with 95 % confidence intervals.
 *
 * The sum of w (y - f(x; p))^2 is made small from several starts, the same ones every time; the
 * smallest counts. What comes back is a stationary point, checked: the residual is orthogonal to
 * the columns of the Jacobian J = df/dp. Parameters that the points do not determine are refused:
 * J with columns of unit length has then a singular value of nothing.
 *
 * Intervals are those of the linearised problem, +- t s sqrt(cov), cov = (J^T W J)^-1 and t
 * Student's quantile of n - np degrees of freedom; or, on request, percentiles of fits to the law
 * with its own residuals drawn anew, each over sqrt(1 - leverage) [Efron and Tibshirani, An
 * Introduction to the Bootstrap, 1993, chapter 9]. */
#ifndef SAB_BASE_LEAST_SQUARES_H
#define SAB_BASE_LEAST_SQUARES_H

#include "base/error.h"

#include <stdbool.h>

enum { SAB_MAX_PARAMETERS = 8 };
#define SAB_CONFIDENCE 0.95

/* A value and its interval; low and high are NaN where the points leave no freedom. */
typedef struct sab_estimate {
    double value, low, high;
} sab_estimate;

typedef struct sab_least_squares {
    int np;
    const char *const *name;                              /* [np], of the parameters */
    double (*law)(void *data, const double *p, double x); /* may be NaN or infinite */
    void *data;
    double start[SAB_MAX_PARAMETERS];
    bool given[SAB_MAX_PARAMETERS]; /* by the user: its sign is kept by the other starts */
    int bootstrap;                  /* samples; 0: none */
} sab_least_squares;

typedef struct sab_least_squares_fit {
    int starts, agree; /* tried, and come to the smallest sum */
    sab_estimate parameter[SAB_MAX_PARAMETERS];
    sab_estimate bootstrap[SAB_MAX_PARAMETERS]; /* NaN without */
    int samples, failed;                        /* of the bootstrap: all, and without a fit */
    double rms;                                 /* of y - fitted */
    double unexplained; /* sum w (y - fitted)^2 over sum w (y - mean)^2; 0 if both are nothing */
    bool ambiguous;     /* other parameters have the same sum: */
    double other[SAB_MAX_PARAMETERS];
} sab_least_squares_fit;

/* t such that |T| <= t has this probability, in (0, 1); NaN if freedom < 1. */
double sab_student_quantile(double probability, int freedom);
/* Probability that chi^2 of so many degrees of freedom is larger than x; NaN if freedom < 1. */
double sab_chi_square_tail(double x, int freedom);
/* weight[n] > 0. Writes fitted[n]. SAB_ERR_INPUT with a sentence if there are fewer than np + 1
 * points, no start has a value, none converges, or parameters are not determined. */
sab_status sab_least_squares_solve(const sab_least_squares *problem, int n, const double *x,
                                   const double *y, const double *weight, double *fitted,
                                   sab_least_squares_fit *fit, sab_error *err);

#endif

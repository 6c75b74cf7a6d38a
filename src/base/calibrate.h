/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/calibrate.h -- which parameters of an expensive, slightly noisy model explain measurements.
 *
 * The sum of ((y - f(p))/sigma)^2 is made small within bounds by the method of Levenberg and
 * Marquardt. A value of f is a set of runs, so few are asked for, as many as possible at once: the
 * middle of the bounds and a cross around it; then one set for each step, with Broyden's update of
 * the Jacobian; and central differences where a step has become small, or failed. It ends where
 * these say that there is nowhere to go [docs/study.md, "Calibration"].
 *
 * What f cannot tell is refused: a parameter that changes it less than its own noise does, and
 * parameters whose effects are proportional. */
#ifndef SAB_BASE_CALIBRATE_H
#define SAB_BASE_CALIBRATE_H

#include "base/least_squares.h"

enum { SAB_CALIBRATE_MOST = 3 }; /* parameters */

typedef struct sab_calibrate {
    int np, n;               /* parameters, measurements */
    const char *const *name; /* [np] */
    double low[SAB_CALIBRATE_MOST], high[SAB_CALIBRATE_MOST];
    double step;         /* of the differences, in parts of high - low */
    const double *y;     /* [n] */
    const double *sigma; /* [n] > 0; NULL: not known, all the same */
    /* f [m][n] of m sets p [m][np], and its noise [m][n] >= 0, as a standard deviation. */
    sab_status (*evaluate)(void *data, int m, const double *p, double *f, double *noise,
                           sab_error *err);
    /* After each step: the best parameters so far, and their sum. May be NULL. */
    void (*progress)(void *data, int sets, const double *p, double sum);
    void *data;
} sab_calibrate;

typedef struct sab_calibrated {
    int sets; /* of parameters, for which f was asked */
    sab_estimate parameter[SAB_CALIBRATE_MOST];
    bool at_bound[SAB_CALIBRATE_MOST]; /* the sum falls beyond: then there is no interval */
    bool wide[SAB_CALIBRATE_MOST];     /* its interval is wider than its bounds */
    double correlation;                /* the largest |correlation| of two parameters; 0: one */
    double noise[SAB_CALIBRATE_MOST];  /* of f, in parts of what the differences change it by */
    double singular;                   /* least singular value of J with columns of unit length */
    double sum;                        /* chi^2 if sigma is known */
    int freedom;                       /* n - np */
    double probability;                /* of a larger chi^2 by chance; NaN without sigma */
    double rms, unexplained;           /* as in sab_least_squares_fit */
} sab_calibrated;

/* Writes fitted [n] and its noise [n]. SAB_ERR_INPUT if there are fewer measurements than
 * parameters; SAB_ERR_NUMERIC, with a sentence, if no minimum was found or parameters are not
 * determined. */
sab_status sab_calibrate_solve(const sab_calibrate *problem, double *fitted, double *noise,
                               sab_calibrated *result, sab_error *err);

#endif

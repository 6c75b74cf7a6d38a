/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fit.h"
#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *const sab_fit_law_name[SAB_FIT_LAWS] = {"beverloo", "power"};

sab_fit_law sab_fit_find_law(const char *name)
{
    int i = 0;

    while (i < SAB_FIT_LAWS && strcmp(sab_fit_law_name[i], name) != 0)
        i++;
    return (sab_fit_law)i;
}

enum { MAX_ITERATIONS = 500 };

static const sab_estimate unknown = {NAN, NAN, NAN};

static sab_estimate estimate(double value, double variance, int freedom)
{
    const double half = sab_student_quantile(SAB_CONFIDENCE, freedom) * sqrt(variance);

    return (sab_estimate){value, value - half, value + half};
}

/* ---- weights ---- */

typedef struct points {
    int n;
    const double *x, *y, *sigma;
    const double *weight, *log_weight; /* [n], in (0, 1]: of the residuals of y and of log y */
    double power;                      /* of beverloo */
} points;

/* Of y, or of log y, whose error is the relative one. */
static double sigma_of(const points *p, int i, bool relative)
{
    return relative ? p->sigma[i] / p->y[i] : p->sigma[i];
}

/* The smallest sigma that half of the points, at least, do not exceed. */
static double median_of_all(const points *p, bool relative)
{
    double median = INFINITY;

    for (int i = 0; i < p->n; i++) {
        const double s = sigma_of(p, i, relative);
        int below = 0;

        for (int j = 0; j < p->n; j++)
            below += sigma_of(p, j, relative) <= s;
        if (2 * below >= p->n)
            median = fmin(median, s);
    }
    return median;
}

/* The lower median of the five points whose x are nearest to that of point i, itself one of them.
 */
static double median_of_near(const points *p, int i, bool relative)
{
    enum { NEAR = 5 };
    double far[NEAR], sigma[NEAR];
    int n = 0;

    for (int j = 0; j < p->n; j++) { /* the nearest so far, in order */
        const double d = fabs(p->x[j] - p->x[i]);
        int k = n < NEAR ? n++ : NEAR;

        for (; k > 0 && far[k - 1] > d; k--)
            if (k < NEAR) {
                far[k] = far[k - 1];
                sigma[k] = sigma[k - 1];
            }
        if (k < NEAR) {
            far[k] = d;
            sigma[k] = sigma_of(p, j, relative);
        }
    }
    for (int j = 1; j < n; j++) /* now by sigma */
        for (int k = j; k > 0 && sigma[k - 1] > sigma[k]; k--) {
            const double s = sigma[k];

            sigma[k] = sigma[k - 1];
            sigma[k - 1] = s;
        }
    return sigma[(n - 1) / 2];
}

/* (m/s)^2 with s = max(sigma, m, median of its neighbours), m the median of all, which is returned;
 * equal weights if it is 0. The first bound keeps a group of quiet points from owning the fit, the
 * second a quiet one among large ones, whose sigma are far above m. */
static double weigh(const points *p, bool relative, double *weight)
{
    const double median = p->sigma != NULL ? median_of_all(p, relative) : 0.0;

    for (int i = 0; i < p->n; i++) {
        weight[i] = 1.0;
        if (median > 0.0)
            weight[i] = pow(median / fmax(fmax(median, sigma_of(p, i, relative)),
                                          median_of_near(p, i, relative)),
                            2);
    }
    return median;
}

double sab_fit_weigh(int n, const double *x, const double *sigma, double *weight)
{
    return weigh(&(points){.n = n, .x = x, .sigma = sigma}, false, weight);
}

/* ---- suspects ---- */

static const double ALARM = 0.01;      /* of all clean fits without weights have a suspect */
static const double NEGLIGIBLE = 1e-3; /* of y: no residual below is worth a word */

/* Is point i the farthest from the law so far? With the weighted residual e, the leverage h and the
 * weighted sum of squares S of n points and 2 unknowns, the residual against the law of the others,
 * in its standard deviations, is t with
 *     t^2 = e^2 (n - 3) / (S (1 - h) - e^2),
 * which has Student's distribution with n - 3 degrees of freedom [Cook and Weisberg 1982, 2.2]. */
static void consider(sab_fit *fit, int i, double e, double h, double sum)
{
    const double rest = sum * (1.0 - h) - e * e;
    const double t = rest > 0.0 ? fabs(e) * sqrt((fit->n - 3) / rest) : INFINITY;

    if (fit->n > 3 && t > fit->suspect_residual) {
        fit->suspect = i;
        fit->suspect_residual = t;
    }
}

typedef struct line {
    sab_estimate slope, intercept;
} line;

/* log y = intercept + slope log(x - shift). Centred at the mean, where the two are independent.
 * With `fit` not NULL its suspect is sought. */
static line fit_line(const points *p, double shift, sab_fit *fit)
{
    const int n = p->n;
    double sum = 0.0, mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0, rest = 0.0;

    for (int i = 0; i < n; i++) {
        const double w = p->log_weight[i];

        sum += w;
        mx += w * log(p->x[i] - shift);
        my += w * log(p->y[i]);
    }
    mx /= sum;
    my /= sum;
    for (int i = 0; i < n; i++) {
        const double w = p->log_weight[i], dx = log(p->x[i] - shift) - mx;

        sxx += w * dx * dx;
        sxy += w * dx * (log(p->y[i]) - my);
    }
    const double slope = sxy / sxx;
    for (int i = 0; i < n; i++)
        rest += p->log_weight[i] * pow(log(p->y[i]) - my - slope * (log(p->x[i] - shift) - mx), 2);
    for (int i = 0; fit != NULL && i < n; i++) {
        const double w = p->log_weight[i], dx = log(p->x[i] - shift) - mx;
        const double r = log(p->y[i]) - my - slope * dx;

        if (fabs(r) > NEGLIGIBLE)
            consider(fit, i, sqrt(w) * r, w * (1.0 / sum + dx * dx / sxx), rest);
    }
    const double variance = n > 2 ? rest / (n - 2) : NAN;
    return (line){estimate(slope, variance / sxx, n - 2),
                  estimate(my - slope * mx, variance * (1.0 / sum + mx * mx / sxx), n - 2)};
}

/* ---- Beverloo ---- */

/* max(0, x - shift)^p: below the shift nothing flows. */
static double flow(double x, double shift, double p)
{
    return x > shift ? pow(x - shift, p) : 0.0;
}

/* Sum of squares, and with `normal` not NULL the normal equations J^T W J (three entries: CC, Cs,
 * ss) and J^T W r, for the unknowns C and s = k g. */
static double sum_of_squares(const points *p, double C, double shift, double *normal,
                             double *gradient)
{
    double sum = 0.0;

    for (int i = 0; normal != NULL && i < 3; i++)
        normal[i] = gradient[i % 2] = 0.0;
    for (int i = 0; i < p->n; i++) {
        const double w = p->weight[i], f = flow(p->x[i], shift, p->power);
        const double r = p->y[i] - C * f;
        const double slope = -C * p->power * flow(p->x[i], shift, p->power - 1.0); /* d(C f)/ds */

        sum += w * r * r;
        if (normal != NULL) {
            normal[0] += w * f * f;
            normal[1] += w * f * slope;
            normal[2] += w * slope * slope;
            gradient[0] += w * f * r;
            gradient[1] += w * slope * r;
        }
    }
    return sum;
}

/* y^(1/power) is linear in x: exact data are solved by it, others begin with it. */
static sab_status first_guess(const points *p, double *C, double *shift, sab_error *err)
{
    double mx = 0.0, mz = 0.0, sxx = 0.0, sxz = 0.0, lowest = INFINITY, f = 0.0, fy = 0.0;

    for (int i = 0; i < p->n; i++) {
        mx += p->x[i] / p->n;
        mz += pow(p->y[i], 1.0 / p->power) / p->n;
        lowest = fmin(lowest, p->x[i]);
    }
    for (int i = 0; i < p->n; i++) {
        sxx += (p->x[i] - mx) * (p->x[i] - mx);
        sxz += (p->x[i] - mx) * (pow(p->y[i], 1.0 / p->power) - mz);
    }
    if (!(sxz > 0.0))
        return sab_fail(err, SAB_ERR_INPUT,
                        "y does not grow with x: there is no law of Beverloo through these points");
    *shift = fmin(mx - mz * sxx / sxz, 0.95 * lowest);
    for (int i = 0; i < p->n; i++) {
        f += p->weight[i] * pow(flow(p->x[i], *shift, p->power), 2);
        fy += p->weight[i] * flow(p->x[i], *shift, p->power) * p->y[i];
    }
    *C = fy / f;
    return SAB_OK;
}

/* Its suspect, from the normal equations at the solution. */
static void consider_all(const points *p, double C, double shift, const double *normal, double sum,
                         sab_fit *fit)
{
    const double determinant = normal[0] * normal[2] - normal[1] * normal[1];

    for (int i = 0; i < p->n; i++) {
        const double w = p->weight[i], f = flow(p->x[i], shift, p->power), r = p->y[i] - C * f;
        const double slope = -C * p->power * flow(p->x[i], shift, p->power - 1.0);
        const double leverage =
            w * (normal[2] * f * f - 2.0 * normal[1] * f * slope + normal[0] * slope * slope) /
            determinant;

        if (fabs(r) > NEGLIGIBLE * p->y[i])
            consider(fit, i, sqrt(w) * r, leverage, sum);
    }
}

/* Levenberg and Marquardt: Gauss-Newton, damped while the sum of squares would grow. */
static sab_status fit_beverloo(const points *p, double grain, sab_fit *fit, sab_error *err)
{
    double C = 0.0, shift = 0.0, normal[3], gradient[2], damping = 0.0, span = 0.0;
    sab_status status = first_guess(p, &C, &shift, err);
    bool found = false;

    if (status != SAB_OK)
        return status;
    for (int i = 0; i < p->n; i++)
        span = fmax(span, fabs(p->x[i]));
    double sum = sum_of_squares(p, C, shift, normal, gradient);
    for (int i = 0; i < MAX_ITERATIONS && !found; i++) {
        const double a = normal[0] * (1.0 + damping), b = normal[1];
        const double d = normal[2] * (1.0 + damping), determinant = a * d - b * b;
        const double dC = (d * gradient[0] - b * gradient[1]) / determinant;
        const double ds = (a * gradient[1] - b * gradient[0]) / determinant;

        if (!isfinite(dC) || !isfinite(ds))
            break;
        found = fabs(dC) <= 1e-13 * fabs(C) && fabs(ds) <= 1e-13 * span;
        /* near the solution the sum is flat to rounding, and the step alone tells */
        if (sum_of_squares(p, C + dC, shift + ds, NULL, NULL) <= sum * (1.0 + 1e-11) || found) {
            C += dC;
            shift += ds;
            sum = sum_of_squares(p, C, shift, normal, gradient);
            damping = damping > 1e-9 ? 0.1 * damping : 0.0;
        } else {
            damping = damping > 0.0 ? 10.0 * damping : 1e-6;
        }
        fit->iterations = i + 1;
    }
    if (!found)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the points are too far from a law of Beverloo: its fit does not converge");
    const double determinant = normal[0] * normal[2] - normal[1] * normal[1];
    const double variance = p->n > 2 ? sum / (p->n - 2) : NAN;
    fit->factor = estimate(C, variance * normal[2] / determinant, p->n - 2);
    fit->k =
        estimate(shift / grain, variance * normal[0] / determinant / (grain * grain), p->n - 2);
    consider_all(p, C, shift, normal, sum, fit);
    return SAB_OK;
}

/* ---- the interface ---- */

static sab_status check_points(const points *p, double grain, sab_error *err)
{
    bool differ = false;

    for (int i = 0; i < p->n; i++) {
        if (!(p->x[i] > 0.0) || !(p->y[i] > 0.0) || !isfinite(p->x[i]) || !isfinite(p->y[i]))
            return sab_fail(err, SAB_ERR_INPUT, "x = %g, y = %g: both must be positive", p->x[i],
                            p->y[i]);
        if (p->sigma != NULL && (!(p->sigma[i] >= 0.0) || !isfinite(p->sigma[i])))
            return sab_fail(err, SAB_ERR_INPUT, "sigma = %g must not be negative", p->sigma[i]);
        differ = differ || p->x[i] != p->x[0];
    }
    if (!differ)
        return sab_fail(err, SAB_ERR_INPUT, "a law needs two different x at least, there %s",
                        p->n == 0 ? "is no point" : "is one");
    if (!(grain > 0.0) || !isfinite(grain))
        return sab_fail(err, SAB_ERR_INPUT, "the size of a grain, %g, must be positive", grain);
    return SAB_OK;
}

sab_status sab_fit_points(const sab_fit_model *model, int n, const double *x, const double *y,
                          const double *sigma, double *fitted, sab_fit *fit, sab_error *err)
{
    sab_status status = SAB_OK;
    double *weight = NULL, *log_weight = NULL, lowest = INFINITY, squares = 0.0;
    points p = {n, x, y, sigma, NULL, NULL, sab_fit_power(model)};
    const bool beverloo = model->law == SAB_FIT_BEVERLOO;
    const double grain = model->grain;

    *fit = (sab_fit){.n = n,
                     .k = unknown,
                     .reduced = unknown,
                     .suspect = -1,
                     .suspect_residual = sab_student_quantile(1.0 - ALARM / n, n - 3)};
    SAB_TRY(check_points(&p, beverloo ? grain : 1.0, err));
    SAB_NEW(weight, n);
    SAB_NEW(log_weight, n);
    p.weight = weight;
    p.log_weight = log_weight;
    weigh(&p, true, log_weight);
    fit->sigma_floor = weigh(&p, false, weight);
    fit->weighted = fit->sigma_floor > 0.0;
    const line free_line = fit_line(&p, 0.0, beverloo ? NULL : fit);
    fit->exponent = free_line.slope;
    for (int i = 0; i < n; i++)
        lowest = fmin(lowest, x[i]);
    if (beverloo) {
        SAB_TRY(fit_beverloo(&p, grain, fit, err));
        if (lowest > fit->k.value * grain)
            fit->reduced = fit_line(&p, fit->k.value * grain, NULL).slope;
    } else {
        fit->factor = (sab_estimate){exp(free_line.intercept.value), exp(free_line.intercept.low),
                                     exp(free_line.intercept.high)};
    }
    for (int i = 0; i < n; i++) {
        fitted[i] = fit->factor.value * (beverloo ? flow(x[i], fit->k.value * grain, p.power)
                                                  : pow(x[i], fit->exponent.value));
        squares += pow((y[i] - fitted[i]) / y[i], 2);
    }
    fit->rms = sqrt(squares / n);
    if (fit->suspect < 0)
        fit->suspect_residual = NAN;
cleanup:
    SAB_FREE(weight);
    SAB_FREE(log_weight);
    return status;
}

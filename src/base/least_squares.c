/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only file that knows GSL. */
#include "base/least_squares.h"
#include "base/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { STARTS = 32, DESCENT = 300, POLISH = 30, SEED = 1961 };
static const double SINGULAR = 1e-7;   /* least singular value of J with unit columns */
static const double STATIONARY = 1e-6; /* cosine between residual and range of J */
static const double SAME = 1e-6;       /* relative difference of two sums that are one */

double sab_student_quantile(double probability, int freedom)
{
    return freedom < 1 ? NAN : gsl_cdf_tdist_Qinv(0.5 * (1.0 - probability), freedom);
}

double sab_chi_square_tail(double x, int freedom)
{
    return freedom < 1 ? NAN : gsl_cdf_chisq_Q(x, freedom);
}

/* ---- the law and its Jacobian, both times the roots of the weights ---- */

typedef struct work {
    const sab_least_squares *problem;
    int n;
    const double *x, *y, *root;
    double *value, *plus, *minus; /* [n] */
    double size;                  /* |root y| */
    gsl_multifit_nlinear_workspace *descent;
    gsl_matrix *J, *V; /* after decompose(): U and V of the scaled Jacobian */
    gsl_vector *S, *spare;
    double length[SAB_MAX_PARAMETERS]; /* of the columns of J */
    double part[SAB_MAX_PARAMETERS];   /* U^T residual */
    double sum;                        /* of the squares */
} work;

static double norm(int n, const double *v)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static bool evaluate(const work *w, const double *p, double *value)
{
    bool finite = true;

    for (int i = 0; i < w->n; i++) {
        value[i] = w->root[i] * w->problem->law(w->problem->data, p, w->x[i]);
        finite = finite && isfinite(value[i]);
    }
    return finite;
}

/* Where the law has no value the residual is a wall, from which the descent turns back. */
static int residual(const gsl_vector *p, void *data, gsl_vector *f)
{
    work *w = data;

    evaluate(w, p->data, w->value);
    for (int i = 0; i < w->n; i++) {
        const double r = w->value[i] - w->root[i] * w->y[i];

        gsl_vector_set(f, (size_t)i, isfinite(r) ? r : 1e8 * (w->size + 1.0));
    }
    return GSL_SUCCESS;
}

/* Central difference, one-sided at the edge of where the law has values. */
static double difference(double before, double here, double behind, double h)
{
    return isfinite(before) && isfinite(behind) ? (behind - before) / (2.0 * h)
           : isfinite(behind)                   ? (behind - here) / h
                                                : (here - before) / h;
}

/* The step grows until the law feels it by 2e-6 of itself: the error of rounding is then 1e-10 and
 * that of the difference 4e-12 of it, whatever the unit of the parameter, also if it is 0. */
static void column(const work *w, const double *p, int j, gsl_matrix *J)
{
    const double enough = 2e-6 * fmax(norm(w->n, w->value), w->size);
    double h = p[j] != 0.0 ? 6e-6 * fabs(p[j]) : 1e-12, q[SAB_MAX_PARAMETERS], felt = 0.0;

    memcpy(q, p, (size_t)w->problem->np * sizeof *q);
    for (int grow = 0; grow < 40 && felt < enough; grow++, h *= 4.0) {
        felt = 0.0;
        q[j] = p[j] + h;
        evaluate(w, q, w->plus);
        q[j] = p[j] - h;
        evaluate(w, q, w->minus);
        for (int i = 0; i < w->n; i++) {
            const double d = difference(w->minus[i], w->value[i], w->plus[i], h);

            gsl_matrix_set(J, (size_t)i, (size_t)j, d);
            felt = isfinite(d) ? hypot(felt, d * h) : INFINITY;
        }
    }
}

static int jacobian(const gsl_vector *p, void *data, gsl_matrix *J)
{
    work *w = data;

    if (!evaluate(w, p->data, w->value))
        return GSL_EDOM;
    for (int j = 0; j < w->problem->np; j++)
        column(w, p->data, j, J);
    for (size_t i = 0; i < J->size1 * J->size2; i++)
        if (!isfinite(J->data[i]))
            return GSL_EDOM;
    return GSL_SUCCESS;
}

/* ---- one start ---- */

typedef enum state { NO_VALUE, MOVING, UNDETERMINED, FOUND } state;

typedef struct trial {
    state state;
    double sum, p[SAB_MAX_PARAMETERS];
} trial;

/* J at p with columns of unit length = U S V^T; sum of squares and U^T r. */
static state decompose(work *w, const double *p)
{
    const int np = w->problem->np;
    const gsl_vector_const_view at = gsl_vector_const_view_array(p, (size_t)np);

    if (jacobian(&at.vector, w, w->J) != GSL_SUCCESS)
        return NO_VALUE;
    for (int j = 0; j < np; j++) {
        double sum = 0.0;

        for (int i = 0; i < w->n; i++)
            sum += pow(gsl_matrix_get(w->J, (size_t)i, (size_t)j), 2);
        w->length[j] = sqrt(sum);
        for (int i = 0; i < w->n && sum > 0.0; i++)
            *gsl_matrix_ptr(w->J, (size_t)i, (size_t)j) /= w->length[j];
    }
    if (gsl_linalg_SV_decomp(w->J, w->V, w->S, w->spare) != GSL_SUCCESS)
        return NO_VALUE;
    w->sum = 0.0;
    memset(w->part, 0, sizeof w->part);
    for (int i = 0; i < w->n; i++) {
        const double r = w->value[i] - w->root[i] * w->y[i];

        w->sum += r * r;
        for (int j = 0; j < np; j++)
            w->part[j] += gsl_matrix_get(w->J, (size_t)i, (size_t)j) * r;
    }
    return gsl_vector_get(w->S, (size_t)np - 1) > SINGULAR * gsl_vector_get(w->S, 0) ? FOUND
                                                                                     : UNDETERMINED;
}

static bool stationary(const work *w)
{
    return norm(w->problem->np, w->part) <= fmax(STATIONARY * sqrt(w->sum), 1e-12 * w->size);
}

/* p - J^+ r: the step of Gauss and Newton */
static void step(const work *w, const double *p, double *next)
{
    const int np = w->problem->np;

    for (int j = 0; j < np; j++) {
        double z = 0.0;

        for (int k = 0; k < np; k++)
            z += gsl_matrix_get(w->V, (size_t)j, (size_t)k) * w->part[k] /
                 gsl_vector_get(w->S, (size_t)k);
        next[j] = p[j] - z / w->length[j];
    }
}

/* Near the minimum the sum is flat to rounding, and says no more which p is the better one; the
 * gradient does. Leaves the decomposition at t->p. */
static void polish(work *w, trial *t)
{
    const size_t bytes = sizeof t->p;
    double p[SAB_MAX_PARAMETERS] = {0}, last = INFINITY;

    memcpy(p, t->p, bytes);
    for (int i = 0; i < POLISH; i++) {
        const state s = decompose(w, p);

        if (i == 0) {
            t->state = s;
            t->sum = s == NO_VALUE ? INFINITY : w->sum;
        }
        if (s != FOUND || !(norm(w->problem->np, w->part) < last) ||
            w->sum > t->sum * (1.0 + 1e-9) + 1e-24 * w->size * w->size)
            break;
        last = norm(w->problem->np, w->part);
        memcpy(t->p, p, bytes);
        step(w, t->p, p);
    }
    if (t->state != FOUND)
        return;
    t->state = decompose(w, t->p);
    t->sum = w->sum;
    if (t->state == FOUND && !stationary(w))
        t->state = MOVING;
}

static void descend(work *w, trial *t)
{
    const size_t np = (size_t)w->problem->np;
    gsl_multifit_nlinear_fdf fdf = {
        .f = residual, .df = jacobian, .n = (size_t)w->n, .p = np, .params = w};
    const gsl_vector_const_view start = gsl_vector_const_view_array(t->p, np);
    int info = 0;

    t->state = NO_VALUE;
    t->sum = INFINITY;
    if (!evaluate(w, t->p, w->value) ||
        gsl_multifit_nlinear_init(&start.vector, &fdf, w->descent) != GSL_SUCCESS)
        return;
    /* what it says of its end does not matter: polish() looks */
    gsl_multifit_nlinear_driver(DESCENT, 1e-13, 0.0, 0.0, NULL, NULL, &info, w->descent);
    memcpy(t->p, gsl_multifit_nlinear_position(w->descent)->data, np * sizeof *t->p);
    polish(w, t);
}

/* ---- all starts ---- */

/* Number 0 is that of the problem. The others are spread over four decades around it, and over the
 * range of x around 0, by multiples of irrational numbers. */
static void make_start(const work *w, int number, double *p)
{
    static const double prime[SAB_MAX_PARAMETERS] = {2, 3, 5, 7, 11, 13, 17, 19};
    const sab_least_squares *problem = w->problem;
    double span = 0.0, whole;

    for (int i = 0; i < w->n; i++)
        span = fmax(span, fabs(w->x[i]));
    for (int j = 0; j < problem->np; j++) {
        const double u = modf(number * sqrt(prime[j]), &whole);
        const bool turn = !problem->given[j] && modf(number * cbrt(prime[j]), &whole) < 0.35;

        p[j] = problem->start[j];
        if (number > 0)
            p[j] = p[j] == 0.0 ? span * (2.0 * u - 1.0)
                               : (turn ? -1.0 : 1.0) * p[j] * pow(10.0, 4.0 * u - 2.0);
    }
}

/* "C, k": the parameters that the direction without effect mixes. */
static sab_status fail_undetermined(const work *w, sab_error *err)
{
    const int np = w->problem->np;
    char names[300] = "";
    size_t used = 0;
    int n = 0;

    for (int j = 0; j < np && used < sizeof names; j++)
        if (fabs(gsl_matrix_get(w->V, (size_t)j, (size_t)np - 1)) > 0.05) {
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", n > 0 ? ", " : "",
                                     w->problem->name[j]);
            n++;
        }
    return sab_fail(err, SAB_ERR_INPUT,
                    "%s %s not determined by these points: %s without a change of the law there",
                    names, n == 1 ? "is" : "are",
                    n == 1 ? "it may change" : "they may change together");
}

/* Is `t` somewhere else than the trial whose decomposition is there? Measured by what it does. */
static bool elsewhere(const work *w, const trial *t, const double *p)
{
    double far = 0.0;

    for (int j = 0; j < w->problem->np; j++)
        far = fmax(far, w->length[j] * fabs(t->p[j] - p[j]));
    return far > 1e-4 * w->size + 1e-2 * sqrt(w->sum);
}

/* Which of the starts have come to p, whose decomposition is there, or to another such minimum. */
static void compare(const work *w, const trial *t, const double *p, double limit,
                    sab_least_squares_fit *fit)
{
    fit->starts = STARTS;
    for (int i = 0; i < STARTS; i++) {
        const bool same = t[i].state == FOUND && t[i].sum <= limit;

        fit->agree += same && !elsewhere(w, &t[i], p);
        if (same && !fit->ambiguous && elsewhere(w, &t[i], p)) {
            fit->ambiguous = true;
            memcpy(fit->other, t[i].p, sizeof fit->other);
        }
    }
}

/* The first of the starts that come to the smallest sum. */
static sab_status choose(work *w, trial *t, double p[SAB_MAX_PARAMETERS],
                         sab_least_squares_fit *fit, sab_error *err)
{
    double least = INFINITY;
    int best = -1, any = 0;

    for (int i = 0; i < STARTS; i++) {
        if (t[i].sum < least)
            any = i;
        least = fmin(least, t[i].sum);
    }
    if (!isfinite(least))
        return sab_fail(err, SAB_ERR_INPUT,
                        "the law has no value at these points for any of %d starts; give others",
                        STARTS);
    const double limit = least * (1.0 + SAME) + 1e-20 * w->size * w->size;
    for (int i = STARTS - 1; i >= 0; i--)
        if (t[i].state == FOUND && t[i].sum <= limit)
            best = i;
    if (best < 0 && decompose(w, t[any].p) == UNDETERMINED)
        return fail_undetermined(w, err);
    if (best < 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the fit does not converge from any of %d starts to the smallest sum of "
                        "squares seen; give others, or another law",
                        STARTS);
    memcpy(p, t[best].p, sizeof t[best].p);
    if (decompose(w, p) != FOUND)
        return fail_undetermined(w, err);
    compare(w, t, p, limit, fit);
    return SAB_OK;
}

/* ---- intervals ---- */

/* Of the decomposition that is there: cov_jj = sum_k (V_jk / S_k)^2 / length_j^2. */
static void linear_intervals(const work *w, const double *p, sab_least_squares_fit *fit)
{
    const int np = w->problem->np, freedom = w->n - np;
    const double t = sab_student_quantile(SAB_CONFIDENCE, freedom) * sqrt(w->sum / freedom);

    for (int j = 0; j < np; j++) {
        double variance = 0.0;

        for (int k = 0; k < np; k++)
            variance += pow(
                gsl_matrix_get(w->V, (size_t)j, (size_t)k) / gsl_vector_get(w->S, (size_t)k), 2);
        const double half = t * sqrt(variance) / w->length[j];
        fit->parameter[j] = (sab_estimate){p[j], p[j] - half, p[j] + half};
    }
}

/* Residuals of equal variance and no mean: over sqrt(1 - leverage), the leverage sum_k U_ik^2. A
 * point that the law goes through in any case has none. */
static void standard_residuals(const work *w, double *e)
{
    double mean = 0.0;

    for (int i = 0; i < w->n; i++) {
        double leverage = 0.0;

        for (int k = 0; k < w->problem->np; k++)
            leverage += pow(gsl_matrix_get(w->J, (size_t)i, (size_t)k), 2);
        e[i] = leverage < 1.0 - 1e-9 ? (w->root[i] * w->y[i] - w->value[i]) / sqrt(1.0 - leverage)
                                     : 0.0;
        mean += e[i] / w->n;
    }
    for (int i = 0; i < w->n; i++)
        e[i] -= mean;
}

static sab_status bootstrap(work *w, const double *p, const double *fitted,
                            sab_least_squares_fit *fit, sab_error *err)
{
    sab_status status = SAB_OK;
    const int np = w->problem->np, samples = w->problem->bootstrap;
    const double *const y = w->y;
    double *e = NULL, *drawn = NULL, *result = NULL;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

    if (rng == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: bootstrap");
    SAB_NEW(e, w->n);
    SAB_NEW(drawn, w->n);
    SAB_NEW(result, (size_t)np * (size_t)samples);
    gsl_rng_set(rng, SEED);
    standard_residuals(w, e);
    w->y = drawn;
    int good = 0;
    for (int s = 0; s < samples; s++) {
        trial t = {.state = NO_VALUE};

        for (int i = 0; i < w->n; i++)
            drawn[i] = fitted[i] + e[gsl_rng_uniform_int(rng, (unsigned long)w->n)] / w->root[i];
        memcpy(t.p, p, sizeof t.p);
        descend(w, &t);
        for (int j = 0; j < np && t.state == FOUND; j++)
            result[(size_t)j * (size_t)samples + (size_t)good] = t.p[j];
        good += t.state == FOUND;
    }
    fit->samples = samples;
    fit->failed = samples - good;
    for (int j = 0; j < np && 20 * fit->failed <= samples; j++) { /* 5 % may fail */
        double *r = result + (size_t)j * (size_t)samples;

        gsl_sort(r, 1, (size_t)good);
        fit->bootstrap[j] = (sab_estimate){
            p[j],
            gsl_stats_quantile_from_sorted_data(r, 1, (size_t)good, 0.5 - 0.5 * SAB_CONFIDENCE),
            gsl_stats_quantile_from_sorted_data(r, 1, (size_t)good, 0.5 + 0.5 * SAB_CONFIDENCE)};
    }
cleanup:
    w->y = y;
    SAB_FREE(e);
    SAB_FREE(drawn);
    SAB_FREE(result);
    gsl_rng_free(rng);
    return status;
}

/* ---- the interface ---- */

static sab_status create_work(work *w, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t n = (size_t)w->n, np = (size_t)w->problem->np;
    const gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();

    SAB_NEW(w->value, n);
    SAB_NEW(w->plus, n);
    SAB_NEW(w->minus, n);
    w->descent = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, n, np);
    w->J = gsl_matrix_alloc(n, np);
    w->V = gsl_matrix_alloc(np, np);
    w->S = gsl_vector_alloc(np);
    w->spare = gsl_vector_alloc(np);
    if (w->descent == NULL || w->J == NULL || w->V == NULL || w->S == NULL || w->spare == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: least squares of %d points", w->n);
cleanup:
    return status;
}

static void destroy_work(work *w)
{
    SAB_FREE(w->value);
    SAB_FREE(w->plus);
    SAB_FREE(w->minus);
    if (w->descent != NULL)
        gsl_multifit_nlinear_free(w->descent);
    gsl_matrix_free(w->J);
    gsl_matrix_free(w->V);
    gsl_vector_free(w->S);
    gsl_vector_free(w->spare);
}

static void describe(const work *w, const double *fitted, sab_least_squares_fit *fit)
{
    double squares = 0.0, sum = 0.0, mean = 0.0, spread = 0.0;

    for (int i = 0; i < w->n; i++) {
        squares += pow(w->y[i] - fitted[i], 2);
        sum += pow(w->root[i], 2);
        mean += pow(w->root[i], 2) * w->y[i];
    }
    for (int i = 0; i < w->n; i++)
        spread += pow(w->root[i] * (w->y[i] - mean / sum), 2);
    fit->rms = sqrt(squares / w->n);
    fit->unexplained = w->sum > 1e-20 * w->size * w->size ? w->sum / spread : 0.0;
}

static sab_status solve(work *w, double *fitted, sab_least_squares_fit *fit, sab_error *err)
{
    sab_status status = SAB_OK;
    trial *t = NULL;
    double p[SAB_MAX_PARAMETERS];

    SAB_TRY(create_work(w, err));
    SAB_NEW(t, STARTS);
    for (int i = 0; i < STARTS; i++) {
        make_start(w, i, t[i].p);
        descend(w, &t[i]);
    }
    SAB_TRY(choose(w, t, p, fit, err));
    for (int i = 0; i < w->n; i++)
        fitted[i] = w->value[i] / w->root[i];
    linear_intervals(w, p, fit);
    describe(w, fitted, fit);
    if (w->problem->bootstrap > 0)
        SAB_TRY(bootstrap(w, p, fitted, fit, err));
cleanup:
    SAB_FREE(t);
    destroy_work(w);
    return status;
}

sab_status sab_least_squares_solve(const sab_least_squares *problem, int n, const double *x,
                                   const double *y, const double *weight, double *fitted,
                                   sab_least_squares_fit *fit, sab_error *err)
{
    sab_status status = SAB_OK;
    double *root = NULL, size = 0.0;

    *fit = (sab_least_squares_fit){0};
    for (int j = 0; j < SAB_MAX_PARAMETERS; j++)
        fit->bootstrap[j] = (sab_estimate){NAN, NAN, NAN};
    if (n < problem->np + 1)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%d parameter%s need%s %d points at least, and there %s %d", problem->np,
                        problem->np == 1 ? "" : "s", problem->np == 1 ? "s" : "", problem->np + 1,
                        n == 1 ? "is" : "are", n);
    SAB_NEW(root, n);
    for (int i = 0; i < n; i++) {
        root[i] = sqrt(weight[i]);
        size = hypot(size, root[i] * y[i]);
    }
    work w = {.problem = problem, .n = n, .x = x, .y = y, .root = root, .size = size};
    gsl_error_handler_t *handler = gsl_set_error_handler_off(); /* the default one aborts */
    status = solve(&w, fitted, fit, err);
    gsl_set_error_handler(handler);
cleanup:
    SAB_FREE(root);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calibration of models that are formulas, so that the answer is known. */
#include "unit.h"

#include "base/calibrate.h"

#include <math.h>
#include <string.h>

enum { N = 8 };
static const char *const NAME[] = {"a", "b", "c"};
static const double X[N] = {0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4};

typedef struct model {
    double (*f)(const double *p, double x);
    int np, n;
    double noise;
    int sets, last;
} model;

static sab_status evaluate(void *data, int m, const double *p, double *f, double *noise,
                           sab_error *err)
{
    model *mo = data;

    (void)err;
    for (int k = 0; k < m; k++)
        for (int i = 0; i < mo->n; i++) {
            f[mo->n * k + i] = mo->f(p + mo->np * k, X[i]);
            noise[mo->n * k + i] = mo->noise;
        }
    mo->sets += m;
    return SAB_OK;
}

static void progress(void *data, int sets, const double *p, double sum)
{
    (void)p;
    CU_ASSERT(sum >= 0.0 && sets >= ((model *)data)->last);
    ((model *)data)->last = sets;
}

static double power(const double *p, double x)
{
    return p[0] * pow(x, p[1]);
}

static double offset(const double *p, double x)
{
    return p[0] * pow(x, p[1]) + p[2] * exp(-x);
}

static double product(const double *p, double x)
{
    return p[0] * p[1] * x;
}

static double square(const double *p, double x)
{
    return p[0] * x * x;
}

static double constant(const double *p, double x)
{
    (void)p;
    return x;
}

static sab_calibrate set_up(model *m, const double *y, const double *sigma)
{
    sab_calibrate c = {.np = m->np,
                       .n = m->n,
                       .name = NAME,
                       .step = 0.05,
                       .y = y,
                       .sigma = sigma,
                       .evaluate = evaluate,
                       .progress = progress,
                       .data = m};

    for (int j = 0; j < m->np; j++) {
        c.low[j] = 0.1;
        c.high[j] = 4.0;
    }
    return c;
}

/* Data of the model itself: the parameters come back, with few sets of runs. */
static void test_exact(void)
{
    const double truth[3] = {1.7, 0.6, 0.9};
    double y[N], fitted[N], noise[N];
    model m[] = {{.f = square, .np = 1, .n = N},
                 {.f = power, .np = 2, .n = N},
                 {.f = offset, .np = 3, .n = N}};

    for (int k = 0; k < 3; k++) {
        sab_calibrated r;
        sab_error err = {0};

        for (int i = 0; i < N; i++)
            y[i] = m[k].f(truth, X[i]);
        const sab_calibrate c = set_up(&m[k], y, NULL);
        CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, &err), SAB_OK);
        for (int j = 0; j < m[k].np; j++) {
            SAB_ASSERT_CLOSE(r.parameter[j].value, truth[j], 2e-3);
            CU_ASSERT(!r.at_bound[j] && !r.wide[j] && r.noise[j] == 0.0);
            CU_ASSERT(r.parameter[j].low <= truth[j] && truth[j] <= r.parameter[j].high);
        }
        CU_ASSERT_EQUAL(r.sets, m[k].sets);
        CU_ASSERT(r.sets <= 45);
        CU_ASSERT(r.unexplained < 1e-5 && isnan(r.probability));
        CU_ASSERT_EQUAL(r.freedom, N - m[k].np);
    }
}

/* Normal noise of known size: the intervals hold the truth in about 95 % of 400 trials, whether
 * sigma is given (1.96; a little more, since chi^2 above its mean widens them) or not. */
static void test_coverage(void)
{
    const double truth[2] = {1.7, 0.6};
    unsigned long long seed = 7;
    double sigma[N], y[N], fitted[N], noise[N];

    for (int known = 0; known < 2; known++) {
        int held[2] = {0, 0}, unlikely = 0;

        for (int trial = 0; trial < 400; trial++) {
            model m = {.f = power, .np = 2, .n = N};
            sab_calibrated r;

            for (int i = 0; i < N; i++) {
                const double u = sab_test_random(&seed), v = sab_test_random(&seed);

                sigma[i] = 0.02 * (1.0 + X[i]);
                y[i] = power(truth, X[i]) +
                       (known ? sigma[i] : 0.05) * sqrt(-2.0 * log(1.0 - u)) * cos(6.283185307 * v);
            }
            const sab_calibrate c = set_up(&m, y, known ? sigma : NULL);
            CU_ASSERT_EQUAL_FATAL(sab_calibrate_solve(&c, fitted, noise, &r, NULL), SAB_OK);
            for (int j = 0; j < 2; j++)
                held[j] += r.parameter[j].low <= truth[j] && truth[j] <= r.parameter[j].high;
            unlikely += r.probability < 0.05;
        }
        for (int j = 0; j < 2; j++)
            CU_ASSERT(held[j] >= 372 && held[j] <= 398); /* 93 % to 99.5 % */
        if (known)
            CU_ASSERT(unlikely >= 8 && unlikely <= 35); /* 5 % are 20 */
    }
}

/* What cannot be known is refused, by name. */
static void test_refused(void)
{
    double y[N], fitted[N], noise[N];
    sab_calibrated r;
    sab_error err = {0};
    model pair = {.f = product, .np = 2, .n = N}, none = {.f = constant, .np = 1, .n = N};
    model loud = {.f = square, .np = 1, .n = N, .noise = 2.0};
    model few = {.f = power, .np = 2, .n = 1};

    memcpy(y, X, sizeof y);
    sab_calibrate c = set_up(&pair, y, NULL);
    CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, &err), SAB_ERR_NUMERIC);
    CU_ASSERT(strstr(err.message, "do not tell") != NULL);
    CU_ASSERT(strstr(err.message, "a") != NULL && strstr(err.message, "b") != NULL);
    c = set_up(&none, y, NULL);
    CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, &err), SAB_ERR_NUMERIC);
    CU_ASSERT(strstr(err.message, "say nothing about a") != NULL);
    c = set_up(&loud, y, NULL);
    CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, &err), SAB_ERR_NUMERIC);
    CU_ASSERT(strstr(err.message, "fluctuate by more than a") != NULL);
    c = set_up(&few, y, NULL);
    CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, &err), SAB_ERR_INPUT);
    CU_ASSERT(strstr(err.message, "1 measurement for 2 parameters") != NULL);
}

/* The best value is beyond a bound: it is there, and has no interval; the other one has. */
static void test_bound(void)
{
    const double truth[2] = {6.0, 0.6};
    double y[N], fitted[N], noise[N];
    model m = {.f = power, .np = 2, .n = N};
    sab_calibrated r;

    for (int i = 0; i < N; i++)
        y[i] = power(truth, X[i]);
    const sab_calibrate c = set_up(&m, y, NULL);
    CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, NULL), SAB_OK);
    CU_ASSERT(r.at_bound[0] && !r.at_bound[1]);
    CU_ASSERT_DOUBLE_EQUAL(r.parameter[0].value, 4.0, 1e-12);
    CU_ASSERT(isnan(r.parameter[0].low) && r.parameter[1].low < r.parameter[1].high);
    CU_ASSERT(r.parameter[1].value > 0.6); /* it makes up for the other */
}

/* sigma that are too small: chi^2 says so, and the intervals are as wide as the scatter. */
static void test_chi_square(void)
{
    const double truth[2] = {1.7, 0.6};
    double y[N], sigma[N], fitted[N], noise[N], width[2];

    for (int k = 0; k < 2; k++) {
        model m = {.f = power, .np = 2, .n = N};
        sab_calibrated r;

        for (int i = 0; i < N; i++) {
            y[i] = power(truth, X[i]) + (i % 2 ? 0.1 : -0.1);
            sigma[i] = k == 0 ? 0.01 : 0.001;
        }
        const sab_calibrate c = set_up(&m, y, sigma);
        CU_ASSERT_EQUAL(sab_calibrate_solve(&c, fitted, noise, &r, NULL), SAB_OK);
        CU_ASSERT(r.probability < 1e-6 && r.sum > 100.0);
        width[k] = r.parameter[0].high - r.parameter[0].low;
    }
    SAB_ASSERT_CLOSE(width[0] / width[1], 1.0, 1e-3);
    SAB_ASSERT_CLOSE(sab_chi_square_tail(5.991464547107979, 2), 0.05, 1e-12);
    CU_ASSERT(isnan(sab_chi_square_tail(1.0, 0)));
}

static const sab_test tests[] = {
    {"data of the model itself", test_exact},
    {"intervals hold the truth", test_coverage},
    {"what cannot be known is refused", test_refused},
    {"a bound", test_bound},
    {"chi square", test_chi_square},
};

int main(void)
{
    return SAB_TEST_MAIN("calibrate", tests);
}

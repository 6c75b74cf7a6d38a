/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/fit.h"
#include "base/least_squares.h"

#include <math.h>
#include <string.h>

enum { N = 12 };
static const char *const abc[] = {"C", "k", "n"};

static double power(void *data, const double *p, double x)
{
    (void)data;
    return p[0] * pow(x - p[1], p[2]);
}

static double line(void *data, const double *p, double x)
{
    (void)data;
    return p[0] + p[1] * x;
}

static double product(void *data, const double *p, double x)
{
    (void)data;
    return p[0] * p[1] * x;
}

static double cosine(void *data, const double *p, double x)
{
    (void)data;
    return cos(p[0] * x);
}

static double slot(void *data, const double *p, double x)
{
    (void)data;
    return p[0] * pow(x - p[1], 1.5);
}

static double idle(void *data, const double *p, double x)
{
    (void)data;
    return p[0] * x + (x > 100.0 ? p[1] : 0.0);
}

static sab_least_squares problem_of(int np, double (*law)(void *, const double *, double))
{
    sab_least_squares p = {.np = np, .name = abc, .law = law};

    for (int i = 0; i < np; i++)
        p.start[i] = 1.0;
    return p;
}

/* Normal, nearly: variance 1. */
static double noise(unsigned long long *state)
{
    double sum = -6.0;

    for (int i = 0; i < 12; i++)
        sum += sab_test_random(state);
    return sum;
}

static void fill(double *x, double *weight)
{
    for (int i = 0; i < N; i++) {
        x[i] = 0.5 + 0.25 * i;
        weight[i] = 1.0;
    }
}

/* Exact data, in units from 1e-6 to 1e6 and with k = 0, whose derivative has no scale of its own.
 */
static void test_exact(void)
{
    static const double k[] = {0.3, 0.0, -2.0}, unit[] = {1e-6, 1.0, 1e6};
    sab_least_squares p = problem_of(3, power);
    double x[N], y[N], weight[N], fitted[N];
    sab_least_squares_fit fit;

    for (int j = 0; j < 3; j++)
        for (int u = 0; u < 3; u++) {
            const double exact[3] = {1.37 * unit[u], k[j], 1.7};

            fill(x, weight);
            for (int i = 0; i < N; i++) {
                y[i] = power(NULL, exact, x[i]);
                weight[i] = 1.0 / (1.0 + i % 3);
            }
            CU_ASSERT_EQUAL(sab_least_squares_solve(&p, N, x, y, weight, fitted, &fit, NULL),
                            SAB_OK);
            SAB_ASSERT_CLOSE(fit.parameter[0].value / exact[0], 1.0, 1e-10);
            SAB_ASSERT_CLOSE(fit.parameter[1].value, exact[1], 1e-10);
            SAB_ASSERT_CLOSE(fit.parameter[2].value, exact[2], 1e-10);
            CU_ASSERT(fit.rms < 1e-12 * unit[u] && !fit.ambiguous && fit.agree >= 3);
            CU_ASSERT(fit.parameter[1].high - fit.parameter[1].low < 1e-9);
            CU_ASSERT(isnan(fit.bootstrap[0].low) && fit.unexplained == 0.0);
        }
}

/* Straight lines with noise: value and interval are those of the closed form, and the intervals
 * hold the true slope in 95 % of the samples; so do those of the bootstrap, nearly. */
static void test_line(void)
{
    enum { TRIALS = 400, BOOTSTRAPS = 100 };
    sab_least_squares p = problem_of(2, line);
    double x[N], y[N], weight[N], fitted[N];
    sab_least_squares_fit fit, again;
    unsigned long long state = 7;
    int held = 0, held_bootstrap = 0;

    fill(x, weight);
    for (int trial = 0; trial < TRIALS; trial++) {
        double sw = 0.0, mx = 0.0, my = 0.0, sxx = 0.0, sxy = 0.0, rest = 0.0;

        for (int i = 0; i < N; i++) {
            weight[i] = i % 2 ? 1.0 : 0.25;
            y[i] = 3.0 - 2.0 * x[i] + 0.1 * noise(&state) / sqrt(weight[i]);
            sw += weight[i];
            mx += weight[i] * x[i];
            my += weight[i] * y[i];
        }
        mx /= sw;
        my /= sw;
        for (int i = 0; i < N; i++) {
            sxx += weight[i] * (x[i] - mx) * (x[i] - mx);
            sxy += weight[i] * (x[i] - mx) * (y[i] - my);
        }
        const double slope = sxy / sxx;
        for (int i = 0; i < N; i++)
            rest += weight[i] * pow(y[i] - my - slope * (x[i] - mx), 2);
        const double t = sab_student_quantile(0.95, N - 2), s2 = rest / (N - 2);
        p.bootstrap = trial < BOOTSTRAPS ? 200 : 0;
        CU_ASSERT_EQUAL(sab_least_squares_solve(&p, N, x, y, weight, fitted, &fit, NULL), SAB_OK);
        SAB_ASSERT_CLOSE(fit.parameter[1].value, slope, 1e-11);
        SAB_ASSERT_CLOSE(fit.parameter[0].value, my - slope * mx, 1e-11);
        SAB_ASSERT_CLOSE((fit.parameter[1].high - slope) / (t * sqrt(s2 / sxx)), 1.0, 1e-8);
        SAB_ASSERT_CLOSE((fit.parameter[0].value - fit.parameter[0].low) /
                             (t * sqrt(s2 * (1.0 / sw + mx * mx / sxx))),
                         1.0, 1e-8);
        CU_ASSERT(fit.agree == fit.starts);
        held += fit.parameter[1].low < -2.0 && -2.0 < fit.parameter[1].high;
        held_bootstrap += fit.bootstrap[1].low < -2.0 && -2.0 < fit.bootstrap[1].high;
        if (trial == 0) { /* the same numbers again */
            sab_least_squares_solve(&p, N, x, y, weight, fitted, &again, NULL);
            CU_ASSERT(memcmp(fit.bootstrap, again.bootstrap, 2 * sizeof fit.bootstrap[0]) == 0);
            CU_ASSERT(fit.samples == 200 && fit.failed == 0);
        }
    }
    /* three standard deviations of the count: 13; percentiles of twelve points are a little short
     */
    CU_ASSERT(fabs(held - 0.95 * TRIALS) < 13.5);
    CU_ASSERT(held_bootstrap >= 85 && held_bootstrap <= 99);
}

/* Beverloo's law as a formula is Beverloo's law: two programs for one minimum. */
static void test_beverloo(void)
{
    const sab_fit_model model = {SAB_FIT_BEVERLOO, 1.0, 2};
    sab_least_squares p = problem_of(2, slot);
    double x[N], y[N], weight[N], fitted[N];
    sab_least_squares_fit fit;
    unsigned long long state = 11;
    sab_fit named;

    fill(x, weight);
    for (int i = 0; i < N; i++)
        y[i] = 1.3 * pow(x[i] - 0.12, 1.5) * (1.0 + 0.03 * noise(&state));
    CU_ASSERT_EQUAL(sab_fit_points(&model, N, x, y, NULL, fitted, &named, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_least_squares_solve(&p, N, x, y, weight, fitted, &fit, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(fit.parameter[0].value, named.factor.value, 1e-10);
    SAB_ASSERT_CLOSE(fit.parameter[1].value, named.k.value, 1e-10);
    SAB_ASSERT_CLOSE(fit.parameter[0].low, named.factor.low, 1e-9);
    SAB_ASSERT_CLOSE(fit.parameter[1].high, named.k.high, 1e-9);
}

static void refuse(const sab_least_squares *p, int n, const double *x, const double *y,
                   const double *weight, const char *words)
{
    double fitted[N];
    sab_least_squares_fit fit;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_least_squares_solve(p, n, x, y, weight, fitted, &fit, &err), SAB_ERR_INPUT);
    CU_ASSERT(strstr(err.message, words) != NULL);
    if (strstr(err.message, words) == NULL)
        CU_FAIL(err.message);
}

static void test_refused(void)
{
    sab_least_squares p = problem_of(2, product), three = problem_of(3, power);
    double x[N], y[N], weight[N], fitted[N];
    sab_least_squares_fit fit;
    unsigned long long state = 3;

    fill(x, weight);
    for (int i = 0; i < N; i++)
        y[i] = 2.0 * x[i] + 0.1 * noise(&state);
    refuse(&p, N, x, y, weight, "C, k are not determined");
    p = problem_of(2, idle);
    refuse(&p, N, x, y, weight, "k is not determined");
    refuse(&three, 3, x, y, weight, "3 parameters need 4 points");
    /* the same x everywhere: a line has no slope there */
    p = problem_of(2, line);
    for (int i = 0; i < N; i++)
        x[i] = 2.0;
    refuse(&p, N, x, y, weight, "C, k are not determined");
    for (int i = 0; i < N; i++)
        x[i] = -1.0 - i; /* all below k: no value */
    three.start[1] = 1e6;
    three.given[1] = three.given[0] = three.given[2] = true;
    three.start[2] = 0.5;
    refuse(&three, N, x, y, weight, "no value");
    /* cos(w x) at whole x: w and 2 pi - w are one law; said, and the start decides */
    p = problem_of(1, cosine);
    for (int i = 0; i < N; i++) {
        x[i] = i;
        y[i] = cos(1.1 * i);
    }
    CU_ASSERT_EQUAL(sab_least_squares_solve(&p, N, x, y, weight, fitted, &fit, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(fit.parameter[0].value, 1.1, 1e-10);
    CU_ASSERT(fit.ambiguous && fabs(fit.other[0] - 1.1) > 1.0);
    SAB_ASSERT_CLOSE(cos(fit.other[0]), cos(1.1), 1e-9);
}

int main(void)
{
    static const sab_test tests[] = {
        {"exact laws", test_exact},
        {"straight lines with noise", test_line},
        {"Beverloo's law by two programs", test_beverloo},
        {"refused, or said", test_refused},
    };
    return SAB_TEST_MAIN("least squares", tests);
}

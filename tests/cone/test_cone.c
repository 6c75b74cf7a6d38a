/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "cone/cone.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define MAX 6
static const int sizes[] = {2, 3, 4, 6};
/* mu, sigma, zeta: friction, both, cohesion only, nothing, associated */
static const double laws[][3] = {{0.5, 0.0, 0.0}, {0.5, 0.0, 0.2}, {0.3, 0.7, 0.1},
                                 {0.0, 0.6, 0.0}, {0.0, 0.0, 0.0}, {0.4, 0.0, 0.4},
                                 {1.5, 0.2, 1.5}, {0.8, 0.5, 0.0}};
static unsigned long long seed = 7;

static double centred(void)
{
    return 2.0 * sab_test_random(&seed) - 1.0;
}

static void random_point(int s, double *x)
{
    for (int i = 0; i < s; i++)
        x[i] = 2.0 * centred();
}

#define FOR_EACH(s, law, trial)                                                                    \
    for (size_t is = 0; is < sizeof sizes / sizeof sizes[0]; is++)                                 \
        for (size_t il = 0; il < sizeof laws / sizeof laws[0]; il++)                               \
            for (int s = sizes[is], trial = 0; trial < 300; trial++)                               \
                for (const double *law = laws[il]; law != NULL; law = NULL)

static double distance(int s, const double *a, const double *b)
{
    double d = 0.0;
    for (int i = 0; i < s; i++)
        d += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(d);
}

static bool inside(int s, double mu, double sigma, const double *x)
{
    return x[0] >= 0.0 && sab_cone_norm_t(s, x) <= sigma + mu * x[0] + 1e-13;
}

/* Moreau: x = P_K(x) - P_K*(-x) with orthogonal parts; the dual of aperture mu has 1/mu. */
static void test_moreau(void)
{
    for (size_t is = 0; is < 4; is++)
        for (int trial = 0; trial < 1000; trial++) {
            const int s = sizes[is];
            const double mu = 0.1 + 2.0 * sab_test_random(&seed);
            double x[MAX], minus[MAX], p[MAX], d[MAX];
            random_point(s, x);
            for (int i = 0; i < s; i++)
                minus[i] = -x[i];
            sab_cone_project(s, mu, 0.0, x, p);
            sab_cone_project(s, 1.0 / mu, 0.0, minus, d);
            for (int i = 0; i < s; i++)
                CU_ASSERT_DOUBLE_EQUAL(p[i] - d[i], x[i], 1e-14);
            CU_ASSERT_DOUBLE_EQUAL(sab_cone_dot(s, p, d), 0.0, 1e-14);
            CU_ASSERT(inside(s, mu, 0.0, p) && inside(s, 1.0 / mu, 0.0, d));
        }
}

/* Idempotent, nonexpansive, in place; (x - Px).(y - Px) <= 0 for all y of T. */
static void test_projection(void)
{
    FOR_EACH(s, law, trial)
    {
        double x[MAX], y[MAX], p[MAX], q[MAX], again[MAX], dot = 0.0;
        random_point(s, x);
        random_point(s, y);
        sab_cone_project(s, law[0], law[1], x, p);
        sab_cone_project(s, law[0], law[1], y, q);
        sab_cone_project(s, law[0], law[1], p, again);
        CU_ASSERT(inside(s, law[0], law[1], p));
        CU_ASSERT_DOUBLE_EQUAL(distance(s, p, again), 0.0, 1e-15);
        CU_ASSERT(distance(s, p, q) <= distance(s, x, y) + 1e-15);
        for (int i = 0; i < s; i++)
            dot += (x[i] - p[i]) * (q[i] - p[i]);
        CU_ASSERT(dot <= 1e-14);
        sab_cone_project(s, law[0], law[1], x, x);
        CU_ASSERT_EQUAL(distance(s, x, p), 0.0);
    }
}

/* The return map satisfies the law with gamma = (lambda - y)/rho, and is the projection for
 * zeta = mu. */
static void test_return_map(void)
{
    FOR_EACH(s, law, trial)
    {
        const double rho = 0.1 + sab_test_random(&seed);
        double y[MAX], lambda[MAX], gamma[MAX], p[MAX];
        random_point(s, y);
        sab_cone_return_map(s, law[0], law[1], law[2], y, lambda);
        for (int i = 0; i < s; i++)
            gamma[i] = (lambda[i] - y[i]) / rho;
        CU_ASSERT(sab_cone_law_violation(s, law[0], law[1], law[2], gamma, lambda) < 1e-13 / rho);
        if (law[2] == law[0]) {
            sab_cone_project(s, law[0], law[1], y, p);
            CU_ASSERT_EQUAL(distance(s, p, lambda), 0.0);
        }
    }
}

/* A pair of the law: flowing under pressure, flowing and opening, or rigid. */
static void law_pair(int s, const double *law, int kind, double *gamma, double *lambda)
{
    random_point(s, gamma);
    const double gt = sab_cone_norm_t(s, gamma);
    const double pressure = kind == 0 ? 0.05 + sab_test_random(&seed) : 0.0;
    if (kind == 2) { /* rigid, anywhere in T */
        random_point(s, lambda);
        sab_cone_project(s, law[0], law[1], lambda, lambda);
        memset(gamma, 0, (size_t)s * sizeof *gamma);
        return;
    }
    gamma[0] = law[2] * gt + (kind == 0 ? 0.0 : sab_test_random(&seed));
    lambda[0] = pressure;
    for (int i = 1; i < s; i++)
        lambda[i] = -(law[1] + law[0] * pressure) * gamma[i] / gt;
}

/* Natural residual and Fischer-Burmeister vanish on the law and only there. */
static void test_residuals(void)
{
    FOR_EACH(s, law, trial)
    {
        const double mu = law[0], sigma = law[1], zeta = law[2], r = 0.1 + sab_test_random(&seed);
        double gamma[MAX], lambda[MAX], phi[MAX], zero[MAX] = {0};
        law_pair(s, law, trial % 3, gamma, lambda);
        CU_ASSERT(sab_cone_law_violation(s, mu, sigma, zeta, gamma, lambda) < 1e-14);
        sab_cone_natural(s, mu, sigma, zeta, r, gamma, lambda, phi);
        CU_ASSERT_DOUBLE_EQUAL(distance(s, phi, zero), 0.0, 2e-15);
        if (sigma == 0.0 && mu > 0.0) {
            sab_cone_fischer_burmeister(s, mu, zeta, r, gamma, lambda, phi);
            CU_ASSERT_DOUBLE_EQUAL(distance(s, phi, zero), 0.0, 4e-15);
        }
        /* a random pair breaks the law, and both see it */
        random_point(s, gamma);
        random_point(s, lambda);
        if (sab_cone_law_violation(s, mu, sigma, zeta, gamma, lambda) < 1e-3)
            continue;
        sab_cone_natural(s, mu, sigma, zeta, r, gamma, lambda, phi);
        CU_ASSERT(distance(s, phi, zero) > 1e-6);
        if (sigma == 0.0 && mu > 0.0) {
            sab_cone_fischer_burmeister(s, mu, zeta, r, gamma, lambda, phi);
            CU_ASSERT(distance(s, phi, zero) > 1e-6);
        }
    }
}

/* The definition: phi = x + z - w with w o w = x o x + z o z and w in K_1. */
static void test_fischer_burmeister_definition(void)
{
    for (int trial = 0; trial < 500; trial++) {
        const int s = sizes[trial % 4];
        const double mu = 0.2 + sab_test_random(&seed), c = 0.7;
        double gamma[MAX], lambda[MAX], phi[MAX], x[MAX], z[MAX], w[MAX];
        random_point(s, gamma);
        random_point(s, lambda);
        sab_cone_fischer_burmeister(s, mu, 0.1, c, gamma, lambda, phi);
        for (int i = 0; i < s; i++) {
            x[i] = i == 0 ? mu * lambda[0] : lambda[i];
            z[i] = c * (i == 0 ? gamma[0] + (mu - 0.1) * sab_cone_norm_t(s, gamma) : mu * gamma[i]);
            w[i] = x[i] + z[i] - phi[i];
        }
        CU_ASSERT(sab_cone_norm_t(s, w) <= w[0] + 1e-14);
        SAB_ASSERT_CLOSE(sab_cone_dot(s, w, w), sab_cone_dot(s, x, x) + sab_cone_dot(s, z, z),
                         1e-13);
        for (int i = 1; i < s; i++)
            SAB_ASSERT_CLOSE(w[0] * w[i], x[0] * x[i] + z[0] * z[i], 1e-13);
    }
}

/* All functions commute with a rotation of x_T. */
static void test_rotation(void)
{
    FOR_EACH(s, law, trial)
    {
        const double a = 3.0 * centred();
        double x[2][MAX], y[2][MAX], out[2][MAX];
        if (s < 3 || trial > 50)
            continue;
        random_point(s, x[0]);
        random_point(s, y[0]);
        for (int f = 0; f < 4; f++) {
            if (f == 3 && (law[1] > 0.0 || law[0] <= 0.0))
                continue;
            for (int k = 0; k < 2; k++) {
                if (k == 1) {
                    memcpy(x[1], x[0], sizeof x[0]);
                    memcpy(y[1], y[0], sizeof y[0]);
                    for (int j = 0; j < 2; j++) {
                        double *v = j ? y[1] : x[1], v1 = v[1], v2 = v[2];
                        v[1] = cos(a) * v1 - sin(a) * v2;
                        v[2] = sin(a) * v1 + cos(a) * v2;
                    }
                }
                if (f == 0)
                    sab_cone_project(s, law[0], law[1], x[k], out[k]);
                if (f == 1)
                    sab_cone_return_map(s, law[0], law[1], law[2], x[k], out[k]);
                if (f == 2)
                    sab_cone_natural(s, law[0], law[1], law[2], 0.3, x[k], y[k], out[k]);
                if (f == 3)
                    sab_cone_fischer_burmeister(s, law[0], law[2], 0.3, x[k], y[k], out[k]);
            }
            const double o1 = out[0][1], o2 = out[0][2];
            out[0][1] = cos(a) * o1 - sin(a) * o2;
            out[0][2] = sin(a) * o1 + cos(a) * o2;
            CU_ASSERT_DOUBLE_EQUAL(distance(s, out[0], out[1]), 0.0, 1e-13);
        }
    }
}

/* The loop over points is the point function, for a given shift and for de Saxce's. */
static void test_step(void)
{
    for (size_t is = 0; is < 4; is++) {
        enum { points = 40 };
        const int s = sizes[is];
        double mu[points], sigma[points], zeta[points], r[points], shift[points];
        double y[points * MAX], gamma[points * MAX], p[points * MAX], g[MAX], expected[MAX];
        const sab_cone_laws all = {s, points, mu, sigma, zeta, r, NULL};
        for (int q = 0; q < points; q++) {
            mu[q] = sab_test_random(&seed);
            sigma[q] = q % 3 == 0 ? 0.0 : sab_test_random(&seed);
            zeta[q] = mu[q] * sab_test_random(&seed);
            r[q] = 0.1 + sab_test_random(&seed);
            shift[q] = sab_test_random(&seed);
            random_point(s, y + q * s);
            random_point(s, gamma + q * s);
        }
        for (int given = 0; given < 2; given++) {
            sab_cone_step(&all, 0.7, given ? shift : NULL, y, gamma, p);
            for (int q = 0; q < points; q++) {
                sab_cone_shift(s, mu[q], zeta[q], gamma + q * s, g);
                if (given)
                    g[0] = gamma[q * s] + shift[q];
                for (int i = 0; i < s; i++)
                    expected[i] = y[q * s + i] - 0.7 * r[q] * g[i];
                sab_cone_project(s, mu[q], sigma[q], expected, expected);
                CU_ASSERT_DOUBLE_EQUAL(distance(s, expected, p + q * s), 0.0, 1e-14);
            }
        }
        sab_cone_project_all(&all, y);
        for (int q = 0; q < points; q++)
            CU_ASSERT(inside(s, mu[q], sigma[q], y + q * s));
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"Moreau decomposition", test_moreau},
        {"projection", test_projection},
        {"return map satisfies the law", test_return_map},
        {"residuals vanish on the law only", test_residuals},
        {"Fischer-Burmeister is its definition", test_fischer_burmeister_definition},
        {"rotation invariance", test_rotation},
        {"step over all points", test_step}};

    return SAB_TEST_MAIN("cone", tests);
}

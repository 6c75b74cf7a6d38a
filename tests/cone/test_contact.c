/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One contact against a linear response: the exact solution whatever the law, by every way there
 * is. */
#include "unit.h"

#include "cone/contact.h"
#include "cone/soc.h"

#include <math.h>
#include <string.h>

/* A symmetric positive definite matrix with eigenvalues between 1 and 10^-decades: Householder's
 * reflections of a diagonal one. */
static void random_matrix(int s, double decades, unsigned long long *seed, double *W)
{
    memset(W, 0, (size_t)(s * s) * sizeof *W);
    for (int i = 0; i < s; i++)
        W[i * s + i] = pow(10.0, -decades * sab_test_random(seed));
    for (int k = 0; k < s; k++) {
        double v[SAB_SOC_MAX], Wv[SAB_SOC_MAX], vWv = 0.0, size = 0.0;

        for (int i = 0; i < s; i++) {
            v[i] = 2.0 * sab_test_random(seed) - 1.0;
            size += v[i] * v[i];
        }
        for (int i = 0; i < s; i++)
            v[i] /= sqrt(size);
        for (int i = 0; i < s; i++) {
            Wv[i] = sab_point_dot(s, W + i * s, v);
            vWv += v[i] * Wv[i];
        }
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++)
                W[i * s + j] += 4.0 * v[i] * v[j] * vWv - 2.0 * (v[i] * Wv[j] + Wv[i] * v[j]);
    }
}

static void random_vector(int s, unsigned long long *seed, double *b)
{
    for (int i = 0; i < s; i++)
        b[i] = 2.0 * sab_test_random(seed) - 1.0;
}

enum { TRIALS = 60000 };

/* Any W of condition up to 1e6, mu up to 1.5, any zeta: no failure in 60 000 (natural residual, in
 * units of r |b|). */
static void test_general(void)
{
    static const int sizes[] = {2, 3};
    unsigned long long seed = 18;

    for (int k = 0; k < 2; k++) {
        const int s = sizes[k];
        int failed = 0, slides = 0;

        for (int i = 0; i < TRIALS; i++) {
            double W[9], b[3], lambda[3] = {0};
            const double mu = 1.5 * sab_test_random(&seed);
            const double zeta = i % 3 == 0 ? 0.0 : i % 3 == 1 ? mu : mu * sab_test_random(&seed);

            random_matrix(s, 6.0 * sab_test_random(&seed), &seed, W);
            random_vector(s, &seed, b);
            failed += !(sab_contact_solve(s, mu, zeta, W, b, lambda) <= 1e-10);
            slides += lambda[0] > 0.0 &&
                      fabs(sqrt(sab_point_norm2_t(s, lambda)) - mu * lambda[0]) < 1e-9 * lambda[0];
        }
        CU_ASSERT_EQUAL(failed, 0);
        CU_ASSERT(slides > TRIALS / 10);
    }
}

/* Closed form and enumeration are the same. */
static void test_diagonal(void)
{
    unsigned long long seed = 5;

    for (int i = 0; i < 3000; i++) {
        const int s = 2 + i % 2;
        const double wn = 0.1 + sab_test_random(&seed), wt = 0.1 + sab_test_random(&seed);
        const double mu = sab_test_random(&seed), zeta = i % 4 == 0   ? mu
                                                         : i % 4 == 1 ? 0.5 * mu
                                                                      : 0.0;
        double W[9] = {0}, b[3], closed[3], lambda[3] = {0}, worst = 0.0;

        W[0] = wn;
        for (int j = 1; j < s; j++)
            W[j * s + j] = wt;
        random_vector(s, &seed, b);
        sab_contact_solve_diagonal(s, mu, zeta, wn, wt, b, closed);
        sab_contact_solve(s, mu, zeta, W, b, lambda);
        for (int j = 0; j < s; j++)
            worst = fmax(worst, fabs(closed[j] - lambda[j]));
        CU_ASSERT(worst < 1e-11);
    }
}

/* Newton on Fischer-Burmeister, which knows nothing of the enumeration, finds the same where it
 * converges, and it does nearly always; also with the components of strain in space. */
static void test_newton(void)
{
    static const int sizes[] = {2, 3, 4, 6};
    unsigned long long seed = 77;

    for (int k = 0; k < 4; k++) {
        const int s = sizes[k];
        int solved = 0, other = 0;

        for (int i = 0; i < 2000; i++) {
            double W[36], b[6], lambda[6] = {0}, exact[6] = {0}, apart = 0.0;
            const double mu = 0.05 + sab_test_random(&seed), zeta = i % 2 == 0 ? mu : 0.0;

            random_matrix(s, 1.5, &seed, W);
            random_vector(s, &seed, b);
            lambda[0] = 1.0;
            if (!(sab_contact_newton(s, mu, zeta, W, b, lambda) <= 1e-10))
                continue;
            solved++;
            sab_contact_solve(s, mu, zeta, W, b, exact);
            for (int j = 0; j < s; j++)
                apart = fmax(apart, fabs(lambda[j] - exact[j]));
            other += zeta == mu && apart > 1e-7 * (1.0 + fabs(exact[0])); /* convex: one answer */
        }
        CU_ASSERT(solved > 1900);
        CU_ASSERT_EQUAL(other, 0);
    }
}

/* Nothing pushes, and pushes without friction. */
static void test_ends(void)
{
    const double W[9] = {2.0, 0.1, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0, 1.0};
    double lambda[3] = {1.0, 1.0, 1.0};

    CU_ASSERT_EQUAL(sab_contact_solve(3, 0.5, 0.0, W, (double[]){0.0, 0.0, 0.0}, lambda), 0.0);
    CU_ASSERT_EQUAL(lambda[0], 0.0);
    sab_contact_solve(3, 0.0, 0.0, W, (double[]){-1.0, 5.0, 5.0}, lambda);
    CU_ASSERT_EQUAL(lambda[0], 0.5);
    CU_ASSERT_EQUAL(lambda[1], 0.0);
    sab_contact_solve(3, 1e3, 0.0, W, (double[]){-1.0, 0.2, 0.3}, lambda); /* sticks */
    for (int i = 0; i < 3; i++) {
        const double gamma = sab_point_dot(3, W + 3 * i, lambda) + (i == 0   ? -1.0
                                                                    : i == 1 ? 0.2
                                                                             : 0.3);
        CU_ASSERT(fabs(gamma) < 1e-15);
    }
}

int main(void)
{
    static const sab_test tests[] = {
        {"any response, any law", test_general},
        {"closed form of discs and spheres", test_diagonal},
        {"Newton on Fischer-Burmeister", test_newton},
        {"no load, no friction, all friction", test_ends},
    };
    return SAB_TEST_MAIN("cone/contact", tests);
}

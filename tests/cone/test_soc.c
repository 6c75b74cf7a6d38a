/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "cone/soc.h"

#include <math.h>

static const int sizes[] = {2, 3, 4, 6};

/* A point inside the cone, from deep inside to a millionth of its boundary. */
static void inside(int s, unsigned long long *seed, double *x)
{
    double norm = 0.0;

    for (int i = 1; i < s; i++) {
        x[i] = 2.0 * sab_test_random(seed) - 1.0;
        norm += x[i] * x[i];
    }
    x[0] = sqrt(norm) * (1.0 + pow(10.0, -6.0 * sab_test_random(seed)));
}

static void any(int s, unsigned long long *seed, double *x)
{
    for (int i = 0; i < s; i++)
        x[i] = 2.0 * sab_test_random(seed) - 1.0;
}

static double distance(int s, const double *x, const double *y)
{
    double sum = 0.0, size = 0.0;

    for (int i = 0; i < s; i++) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
        size += y[i] * y[i];
    }
    return sqrt(sum / (1.0 + size));
}

/* Theta g = z; the halves compose to Theta and invert each other; Theta^(1/2) g = Theta^(-1/2) z.
 */
static void test_scaling(void)
{
    unsigned long long seed = 1;

    for (int k = 0; k < 400; k++) {
        const int s = sizes[k % 4];
        double g[6], z[6], x[6], y[6], v[6];
        sab_nt nt;

        inside(s, &seed, g);
        inside(s, &seed, z);
        any(s, &seed, x);
        sab_nt_create(s, g, z, &nt);
        SAB_ASSERT_CLOSE(sab_soc_det(s, nt.w), 1.0, 1e-8);
        sab_nt_apply(s, &nt, g, y);
        CU_ASSERT(distance(s, y, z) < 1e-8);
        sab_nt_apply_half(s, &nt, x, y);
        sab_nt_apply_half(s, &nt, y, y);
        sab_nt_apply(s, &nt, x, v);
        CU_ASSERT(distance(s, y, v) < 1e-8);
        sab_nt_apply_half(s, &nt, x, y);
        sab_nt_apply_inverse_half(s, &nt, y, y);
        CU_ASSERT(distance(s, y, x) < 1e-7);
        sab_nt_apply_half(s, &nt, g, y);
        sab_nt_apply_inverse_half(s, &nt, z, v);
        CU_ASSERT(distance(s, y, v) < 1e-8);
    }
}

static void test_division(void)
{
    unsigned long long seed = 2;

    for (int k = 0; k < 100; k++) {
        const int s = sizes[k % 4];
        double x[6], v[6] = {0}, y[6], out[6];

        inside(s, &seed, x);
        any(s, &seed, v);
        sab_soc_product(s, x, v, y);
        sab_soc_divide(s, x, y, out);
        CU_ASSERT(distance(s, out, v) < 1e-8);
    }
}

/* x + a dx is on the boundary at the step found, inside just before, outside just after. */
static void test_step(void)
{
    unsigned long long seed = 3;

    for (int k = 0; k < 400; k++) {
        const int s = sizes[k % 4];
        double x[6], dx[6], y[6];

        inside(s, &seed, x);
        any(s, &seed, dx);
        const double a = sab_soc_step(s, x, dx, 1e6);
        for (int side = -1; side <= 1; side += 2) {
            double tail = 0.0;

            for (int i = 0; i < s; i++)
                y[i] = x[i] + a * (1.0 + side * 1e-5) * dx[i];
            for (int i = 1; i < s; i++)
                tail += y[i] * y[i];
            if (side < 0)
                CU_ASSERT(y[0] >= sqrt(tail) * (1.0 - 1e-12));
            if (side > 0 && a < 1e6)
                CU_ASSERT(y[0] <= sqrt(tail) * (1.0 + 1e-12));
        }
    }
    const double x[3] = {1.0, 0.0, 0.0}, up[3] = {1.0, 0.5, 0.0}, back[3] = {-1.0, 0.0, 0.0};
    CU_ASSERT_EQUAL(sab_soc_step(3, x, up, 1.0), 1.0);
    SAB_ASSERT_CLOSE(sab_soc_step(3, x, back, 10.0), 1.0, 1e-14);
}

/* The closed form times E_a Theta E_mu + c e e^T + delta I is the identity. */
static void test_condensation(void)
{
    unsigned long long seed = 4;

    for (int k = 0; k < 400; k++) {
        const int s = sizes[k % 4];
        const double mu = k % 5 == 0 ? 0.0 : sab_test_random(&seed);
        const double a = k % 3 == 0 ? mu : k % 3 == 1 ? 0.0 : mu * sab_test_random(&seed);
        const double c = 0.1 + sab_test_random(&seed), delta = k % 2 == 0 ? 0.0 : 0.01;
        double g[6], z[6], inverse[36], worst = 0.0;
        sab_nt_block block;
        sab_nt nt;

        inside(s, &seed, g);
        inside(s, &seed, z);
        g[0] += 0.1; /* moderate conditioning, so that the identity can be seen */
        z[0] += 0.1;
        sab_nt_create(s, g, z, &nt);
        sab_nt_condense(s, &nt, mu, a, c, delta, &block);
        sab_nt_block_inverse(s, &nt, &block, inverse);
        for (int j = 0; j < s; j++) {
            double column[6], scaled[6], product[6];

            for (int i = 0; i < s; i++)
                column[i] = inverse[i * s + j];
            for (int i = 0; i < s; i++)
                scaled[i] = (i == 0 ? mu : 1.0) * column[i];
            sab_nt_apply(s, &nt, scaled, product);
            for (int i = 0; i < s; i++) {
                product[i] = (i == 0 ? a : 1.0) * product[i] + delta * column[i] +
                             (i == 0 ? c * column[0] : 0.0);
                worst = fmax(worst, fabs(product[i] - (i == j)));
            }
        }
        CU_ASSERT(worst < 1e-9);
        double b[6], x[6], scaled[6] = {0}, forward[6], product[6];
        any(s, &seed, b);
        sab_nt_block_solve(s, &nt, &block, b, x, forward);
        for (int i = 0; i < s; i++) {
            product[i] = 0.0;
            for (int j = 0; j < s; j++)
                product[i] += inverse[i * s + j] * b[j];
            scaled[i] = (i == 0 ? mu : 1.0) * x[i];
        }
        CU_ASSERT(distance(s, x, product) < 1e-9);
        sab_nt_apply(s, &nt, scaled, product);
        CU_ASSERT(distance(s, forward, product) < 1e-9);
        if (a == mu) /* symmetric when associated */
            for (int i = 0; i < s; i++)
                for (int j = 0; j < i; j++)
                    CU_ASSERT_EQUAL(inverse[i * s + j], inverse[j * s + i]);
    }
}

/* Complementary points at 1e-12 of the boundary, g along (1, v), z along (1, -v): Theta has the
 * eigenvalues t (2 w_0)^2 along (1, -v) and t/(2 w_0)^2 along (1, v), 1e24 apart. Solving keeps
 * both: the normal part of x, and E_a z = b - delta x, the kinematic row, to rounding error of b.
 */
static void test_near_boundary(void)
{
    unsigned long long seed = 5;

    for (int k = 0; k < 200; k++) {
        const int s = sizes[k % 4];
        const double mu = 0.5, delta = k % 2 == 0 ? 0.0 : 1e-8, near = 1e-12;
        double g[6], z[6], b[6], x[6], forward[6], norm = 0.0, out = 0.0, along = 0.0,
                                                   kinematic = 0.0;
        sab_nt_block block;
        sab_nt nt;

        any(s, &seed, g);
        for (int i = 1; i < s; i++)
            norm += g[i] * g[i];
        norm = sqrt(norm);
        for (int i = 1; i < s; i++) {
            g[i] /= norm;
            z[i] = -0.1 * g[i];
        }
        g[0] = 1.0 + near;
        z[0] = 0.1 * (1.0 + near);
        any(s, &seed, b);
        sab_nt_create(s, g, z, &nt);
        sab_nt_condense(s, &nt, mu, mu, 0.0, delta, &block);
        sab_nt_block_solve(s, &nt, &block, b, x, forward);
        for (int i = 0; i < s; i++)
            kinematic =
                fmax(kinematic, fabs((i == 0 ? mu : 1.0) * forward[i] + delta * x[i] - b[i]));
        CU_ASSERT(kinematic < 1e-13);
        if (delta > 0.0)
            continue; /* then (1, -v) is no eigenvector of G */
        /* (E_mu x).(1, -v) = (E_mu^-1 b).(1, -v) / (t (w_0 + |w_1|)^2) */
        out = mu * x[0];
        along = b[0] / mu;
        for (int i = 1; i < s; i++) {
            out -= x[i] * g[i];
            along -= b[i] * g[i];
        }
        const double big = nt.t * pow(nt.w[0] + sqrt(nt.w[0] * nt.w[0] - 1.0), 2.0);
        double size = 0.0;
        for (int i = 0; i < s; i++)
            size = fmax(size, fabs(x[i]));
        CU_ASSERT(fabs(out - along / big) <= 1e-15 * size);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"Nesterov-Todd scaling", test_scaling},
                                     {"Jordan division", test_division},
                                     {"step to the boundary", test_step},
                                     {"closed form of the condensed block", test_condensation},
                                     {"condensed block near the boundary", test_near_boundary}};

    return SAB_TEST_MAIN("cone/soc", tests);
}

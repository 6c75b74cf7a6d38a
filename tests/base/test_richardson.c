/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Richardson's extrapolation: exact for a single power, and silent where there is none. */
#include "base/richardson.h"
#include "unit.h"

#include <math.h>

static void test_power(void)
{
    static const double h[] = {0.8, 0.4, 0.25, 0.1}; /* no fixed ratio */

    for (double p = 0.75; p < 6.0; p += 0.25)
        for (int sign = -1; sign <= 1; sign += 2) {
            double f[4];

            for (int i = 0; i < 4; i++)
                f[i] = 3.0 + sign * 0.7 * pow(h[i], p);
            const sab_richardson r = sab_richardson_fit(4, h, f, 0.0);
            CU_ASSERT_EQUAL(r.kind, SAB_RICHARDSON_ORDER);
            SAB_ASSERT_CLOSE(r.order, p, 1e-6);
            SAB_ASSERT_CLOSE(r.before, p, 1e-6);
            SAB_ASSERT_CLOSE(r.limit, 3.0, 1e-9);
            SAB_ASSERT_CLOSE(r.error, 0.7 * pow(0.1, p), 1e-9);
        }
}

/* A second power beside the first: the limit is nearer than the finest value all the same. */
static void test_mixed(void)
{
    static const double h[] = {0.4, 0.2, 0.1};
    double f[3];

    for (int i = 0; i < 3; i++)
        f[i] = 1.0 + h[i] * h[i] + 0.3 * h[i] * h[i] * h[i];
    const sab_richardson r = sab_richardson_fit(3, h, f, 0.0);
    CU_ASSERT(fabs(r.order - 2.0) < 0.1);
    CU_ASSERT(fabs(r.limit - 1.0) < 0.1 * fabs(f[2] - 1.0));
    CU_ASSERT(isnan(r.before));
}

static void test_nothing(void)
{
    static const double h[] = {0.4, 0.2, 0.1};
    const double swings[] = {1.0, 1.2, 1.1}, grows[] = {1.0, 1.1, 1.3}, slow[] = {1.0, 1.1, 1.19},
                 same[] = {1.0, 1.1, 1.1 + 1e-9}, all[] = {2.0, 2.0, 2.0};

    CU_ASSERT_EQUAL(sab_richardson_fit(3, h, swings, 0.0).kind, SAB_RICHARDSON_SWINGS);
    CU_ASSERT_EQUAL(sab_richardson_fit(3, h, grows, 0.0).kind, SAB_RICHARDSON_NOT_FALLING);
    CU_ASSERT_EQUAL(sab_richardson_fit(3, h, slow, 0.0).kind, SAB_RICHARDSON_NOT_FALLING);
    CU_ASSERT_EQUAL(sab_richardson_fit(3, h, same, 1e-6).kind, SAB_RICHARDSON_SAME);
    CU_ASSERT_EQUAL(sab_richardson_fit(3, h, all, 0.0).kind, SAB_RICHARDSON_SAME);
    CU_ASSERT(isnan(sab_richardson_fit(3, h, swings, 0.0).order));
    SAB_ASSERT_CLOSE(sab_richardson_fit(3, h, swings, 0.0).error, 0.2, 1e-15);
    SAB_ASSERT_CLOSE(sab_richardson_fit(3, h, swings, 0.0).limit, 1.1, 1e-15);
}

int main(void)
{
    static const sab_test tests[] = {
        {"a power", test_power}, {"two powers", test_mixed}, {"no power", test_nothing}};

    return SAB_TEST_MAIN("richardson", tests);
}

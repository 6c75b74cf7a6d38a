/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who is close: cells against all pairs, distances to walls against points of them; bad input. */
#include "unit.h"

#include "failing.h"
#include "grains/fill.h"
#include "grains/pairs.h"

#include <math.h>
#include <string.h>

static double between(double low, double high, unsigned long long *seed)
{
    return low + (high - low) * sab_test_random(seed);
}

static sab_bodies *cloud(int dim, int n, double size, unsigned long long *seed)
{
    sab_bodies *b = NULL;

    CU_ASSERT_FATAL(sab_bodies_create(dim, &b, NULL) == SAB_OK);
    for (int i = 0; i < n; i++) {
        double x[3];

        for (int k = 0; k < dim; k++)
            x[k] = between(-size, size, seed);
        CU_ASSERT_FATAL(sab_bodies_add(b, x, between(0.2, 1.0, seed), 1.0, NULL) == SAB_OK);
    }
    return b;
}

static void test_cells(void)
{
    unsigned long long seed = 4;
    sab_pairs pairs = {0};

    for (int trial = 0; trial < 60; trial++) {
        const int dim = 2 + trial % 2, n = 1 + trial * 2;
        /* now and then far apart: larger cells than a pair needs */
        sab_bodies *b = cloud(dim, n, trial % 10 == 9 ? 1e6 : 6.0, &seed);
        const double reach = between(0.0, 1.0, &seed);
        sab_grain_wall floor;
        int found = 0;

        sab_grain_wall_plane(dim, (double[]){0.0, -3.0, 0.0}, (double[]){0.0, 2.0, 0.0}, 0.0,
                             &floor, NULL);
        CU_ASSERT_EQUAL(sab_pairs_find(&pairs, b, 1, &floor, reach, NULL), SAB_OK);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j <= n; j++) { /* sorted by (i, j), the wall last */
                const double *x = b->position + i * dim, *y = b->position + j * dim;
                double square = 0.0, gap = x[1] + 3.0 - b->radius[i];

                for (int k = 0; j < n && k < dim; k++)
                    square += (x[k] - y[k]) * (x[k] - y[k]);
                if (j < n)
                    gap = sqrt(square) - b->radius[i] - b->radius[j];
                if (gap > reach)
                    continue;
                CU_ASSERT_FATAL(found < pairs.n);
                CU_ASSERT(pairs.pair[found].i == i && pairs.pair[found].j == j);
                CU_ASSERT_DOUBLE_EQUAL(pairs.pair[found].gap, gap, 1e-9);
                found++;
            }
        CU_ASSERT_EQUAL(found, pairs.n);
        sab_bodies_destroy(&b);
    }
    sab_pairs_clear(&pairs);
}

/* Is x - distance n on the inner side of all its ends or sides? */
static bool is_on_facet(int dim, const sab_grain_wall *w, const double *x, double distance,
                        const double *n)
{
    bool on = true;

    for (int c = 0; c < dim; c++) {
        const double *a = w->corner[c], *b = w->corner[(c + 1) % dim];
        double e[3], f[3], across[3], sum = 0.0;

        for (int k = 0; k < dim; k++) {
            e[k] = b[k] - a[k];
            f[k] = x[k] - distance * n[k] - a[k];
        }
        if (dim == 2)
            sum = e[0] * f[0] + e[1] * f[1];
        for (int k = 0; k < dim && dim == 3; k++) {
            across[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
            sum += across[k] * w->normal[k];
        }
        on = on && sum >= -1e-12;
    }
    return on;
}

/* No point of a facet is closer than the distance, and the foot is one. */
static void test_facets(void)
{
    unsigned long long seed = 8;

    for (int trial = 0; trial < 400; trial++) {
        const int dim = 2 + trial % 2;
        double corner[9], x[3], n[3], least = INFINITY;
        sab_grain_wall wall;

        for (int k = 0; k < dim * dim; k++)
            corner[k] = between(-1.0, 1.0, &seed);
        for (int k = 0; k < dim; k++)
            x[k] = between(-2.0, 2.0, &seed);
        CU_ASSERT_FATAL(sab_grain_wall_facet(dim, corner, 0.0, &wall, NULL) == SAB_OK);
        const double distance = sab_grain_wall_distance(&wall, x, n);
        for (int a = 0; a <= 40; a++)
            for (int c = 0; c <= (dim == 3 ? 40 - a : 0); c++) {
                const double s = a / 40.0, t = c / 40.0;
                double square = 0.0;

                for (int k = 0; k < dim; k++) {
                    double p = corner[k] + s * (corner[dim + k] - corner[k]);

                    if (dim == 3)
                        p += t * (corner[6 + k] - corner[k]);
                    square += (x[k] - p) * (x[k] - p);
                }
                least = fmin(least, sqrt(square));
            }
        CU_ASSERT(distance <= least + 1e-12 && distance > least - 0.06);
        CU_ASSERT(is_on_facet(dim, &wall, x, distance, n));
        double size = 0.0;
        for (int k = 0; k < dim; k++)
            size += n[k] * n[k];
        CU_ASSERT_DOUBLE_EQUAL(size, 1.0, 1e-12);
    }
}

static void test_errors(void)
{
    sab_bodies *b = NULL;
    sab_pairs pairs = {0};
    sab_error err;
    sab_grain_wall wall;
    const sab_fill_grid tight = {{2, 2, 1}, {0}, 1.0, {0.5, 0.5, 1.0, 1.0, 0.0, 0, 0, 0, 0},
                                 0.01,      0.0, 1};

    CU_ASSERT_EQUAL(sab_bodies_create(4, &b, &err), SAB_ERR_INPUT);
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, &err) == SAB_OK);
    CU_ASSERT_EQUAL(sab_bodies_add(b, (double[]){0.0, 0.0}, 0.0, 1.0, &err), SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_bodies_add(b, (double[]){0.0, NAN}, 1.0, 1.0, &err), SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_grain_fill_grid(b, &tight, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "at least 1.02"));
    sab_bodies_add(b, (double[]){0.0, 1.0}, 1.0, 1.0, NULL);
    sab_bodies_add(b, (double[]){0.0, 1.0}, 1.0, 1.0, NULL);
    CU_ASSERT_EQUAL(sab_pairs_find(&pairs, b, 0, NULL, 0.1, &err), SAB_ERR_NUMERIC);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "same place"));
    CU_ASSERT_EQUAL(sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 0}, 0, &wall, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_grain_wall_facet(2, (double[]){1, 1, 1, 1}, 0, &wall, &err), SAB_ERR_INPUT);
    sab_pairs_clear(&pairs);
    sab_bodies_destroy(&b);
}

static void test_memory(void)
{
    const long before = sab_memory.live;
    sab_status status = SAB_ERR_MEMORY;

    for (long k = 0; status == SAB_ERR_MEMORY; k++) {
        const sab_fill_grid grid = {{5, 5, 1}, {0}, 1.0, {0.4, 0.5, 0.0, 0.0, 2.0, 0, 0, 0, 0},
                                    0.0,       0.0, 1};
        sab_bodies *b = NULL;
        sab_pairs pairs = {0};
        sab_error err;

        sab_memory.failing = k;
        status = sab_bodies_create(2, &b, &err);
        if (status == SAB_OK)
            status = sab_grain_fill_grid(b, &grid, &err);
        if (status == SAB_OK)
            status = sab_pairs_find(&pairs, b, 0, NULL, 0.5, &err);
        sab_memory.failing = -1;
        sab_pairs_clear(&pairs);
        sab_bodies_destroy(&b);
        CU_ASSERT_EQUAL(sab_memory.live, before);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
}

int main(void)
{
    static const sab_test tests[] = {{"cells against all pairs", test_cells},
                                     {"distance to facets", test_facets},
                                     {"bad input", test_errors},
                                     {"failing memory", test_memory}};

    return SAB_TEST_MAIN("grains/pairs", tests);
}

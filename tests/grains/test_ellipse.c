/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gaps of ellipses: those of discs, of all points of the two outlines, of either order and of a
 * room that is turned; apart, in touch, in each other, one inside the other. */
#include "unit.h"

#include "grains/ellipse.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double between(double low, double high, unsigned long long *seed)
{
    return low + (high - low) * sab_test_random(seed);
}

static sab_ellipse make(double a, double b, double angle)
{
    return (sab_ellipse){{a, b}, cos(angle), sin(angle)};
}

/* g of the header at an angle, by its definition. */
static double separation(const sab_ellipse *i, const sab_ellipse *j, const double *d, double angle)
{
    const sab_ellipse *const both[2] = {i, j};
    double g = d[0] * cos(angle) + d[1] * sin(angle);

    for (int k = 0; k < 2; k++) {
        const double own = angle - atan2(both[k]->sine, both[k]->cosine);

        g -= hypot(both[k]->axis[0] * cos(own), both[k]->axis[1] * sin(own));
    }
    return g;
}

/* The point of an ellipse about c at the parameter t, not an angle. */
static void outline(const sab_ellipse *e, const double *c, double t, double *x)
{
    const double a = e->axis[0] * cos(t), b = e->axis[1] * sin(t);

    x[0] = c[0] + e->cosine * a - e->sine * b;
    x[1] = c[1] + e->sine * a + e->cosine * b;
}

/* The points that face each other, and whether they do: p is along n and as long as the gap. */
static double mismatch(const sab_ellipse *i, const sab_ellipse *j, const double *d, double gap,
                       const double *n)
{
    double x[2], y[2];

    sab_ellipse_support(i, n, x, NULL);
    sab_ellipse_support(j, n, y, NULL);
    return hypot(d[0] - x[0] - y[0] - gap * n[0], d[1] - x[1] - y[1] - gap * n[1]);
}

static void test_discs(void)
{
    unsigned long long seed = 3;

    for (int k = 0; k < 2000; k++) {
        const double r = between(0.1, 2.0, &seed), s = between(0.1, 2.0, &seed);
        const double d[2] = {between(-4.0, 4.0, &seed), between(-4.0, 4.0, &seed)};
        const sab_ellipse i = make(r, r, between(0.0, 7.0, &seed)), j = make(s, s, 0.3);
        double gap, n[2];

        CU_ASSERT_FATAL(sab_ellipse_gap(&i, &j, d, &gap, n, NULL) == SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(gap, hypot(d[0], d[1]) - r - s, 1e-13);
        CU_ASSERT_DOUBLE_EQUAL(n[0] * d[1] - n[1] * d[0], 0.0, 1e-11);
        CU_ASSERT(n[0] * d[0] + n[1] * d[1] > 0.0);
    }
}

/* The best of 720 directions is at most the gap, and no more below it than their spacing allows:
 * |g''| <= |g| + rho. Half of the pairs overlap, some are deep in each other. */
static void test_random(void)
{
    unsigned long long seed = 5;
    int apart = 0, inside = 0;

    for (int k = 0; k < 6000; k++) {
        const double flat = k % 3 == 0 ? 0.02 : 0.3; /* some are needles */
        const sab_ellipse i = make(between(flat, 1.0, &seed), between(flat, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed)),
                          j = make(between(flat, 1.0, &seed), between(flat, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed));
        const double far = k % 2 == 0 ? 2.0 : 0.8;
        const double d[2] = {between(-far, far, &seed), between(-far, far, &seed)};
        double gap, n[2], best = -INFINITY, turned, m[2];

        CU_ASSERT_FATAL(sab_ellipse_gap(&i, &j, d, &gap, n, NULL) == SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(hypot(n[0], n[1]), 1.0, 1e-14);
        CU_ASSERT(mismatch(&i, &j, d, gap, n) < 1e-12 * 60.0);
        CU_ASSERT_DOUBLE_EQUAL(separation(&i, &j, d, atan2(n[1], n[0])), gap, 1e-13);
        for (int a = 0; a < 720; a++)
            best = fmax(best, separation(&i, &j, d, a * PI / 360.0));
        const double wide = PI / 720.0, bend = 2.0 * 1.0 / flat + 6.0;
        CU_ASSERT(best <= gap + 1e-8 * 6.0 && best >= gap - 0.5 * bend * wide * wide);
        apart += gap > 0.0;
        inside += gap < -0.5;
        /* in the other order */
        CU_ASSERT_FATAL(sab_ellipse_gap(&j, &i, (double[]){-d[0], -d[1]}, &turned, m, NULL) ==
                        SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(turned, gap, gap > -1e-3 ? 1e-13 : 1e-7);
        if (gap > -1e-3)
            CU_ASSERT(hypot(m[0] + n[0], m[1] + n[1]) < 1e-9);
        /* in a room that is turned by w */
        const double w = between(0.0, 2.0 * PI, &seed), c = cos(w), s = sin(w);
        const sab_ellipse p = {{i.axis[0], i.axis[1]},
                               c * i.cosine - s * i.sine,
                               s * i.cosine + c * i.sine},
                          q = {{j.axis[0], j.axis[1]},
                               c * j.cosine - s * j.sine,
                               s * j.cosine + c * j.sine};
        const double e[2] = {c * d[0] - s * d[1], s * d[0] + c * d[1]};
        CU_ASSERT_FATAL(sab_ellipse_gap(&p, &q, e, &turned, m, NULL) == SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(turned, gap, gap > -1e-3 ? 1e-13 : 1e-7);
        if (gap > -1e-3)
            CU_ASSERT(hypot(m[0] - c * n[0] + s * n[1], m[1] - s * n[0] - c * n[1]) < 1e-9);
    }
    CU_ASSERT(apart > 1000 && inside > 500);
}

/* Apart, the gap is the smallest of the distances of all points of the outlines. */
static void test_outlines(void)
{
    enum { POINTS = 240 };
    unsigned long long seed = 7;
    int seen = 0;

    for (int k = 0; k < 300; k++) {
        const sab_ellipse i = make(between(0.2, 1.0, &seed), between(0.2, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed)),
                          j = make(between(0.2, 1.0, &seed), between(0.2, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed));
        const double d[2] = {between(-2.5, 2.5, &seed), between(-2.5, 2.5, &seed)};
        double gap, n[2], least = INFINITY;

        CU_ASSERT_FATAL(sab_ellipse_gap(&i, &j, d, &gap, n, NULL) == SAB_OK);
        if (gap <= 0.05)
            continue;
        for (int a = 0; a < POINTS; a++)
            for (int b = 0; b < POINTS; b++) {
                double x[2], y[2];

                outline(&i, d, a * 2.0 * PI / POINTS, x);
                outline(&j, (double[]){0.0, 0.0}, b * 2.0 * PI / POINTS, y);
                least = fmin(least, hypot(x[0] - y[0], x[1] - y[1]));
            }
        CU_ASSERT(least >= gap - 1e-12);
        CU_ASSERT(least <= gap + 0.01);
        seen++;
    }
    CU_ASSERT(seen > 100);
}

/* In touch at a known point: two outlines with one tangent there. */
static void test_touch(void)
{
    unsigned long long seed = 11;

    for (int k = 0; k < 2000; k++) {
        const sab_ellipse i = make(between(0.05, 1.0, &seed), between(0.05, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed)),
                          j = make(between(0.05, 1.0, &seed), between(0.05, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed));
        const double angle = between(0.0, 2.0 * PI, &seed), known = between(-1e-3, 1e-3, &seed);
        const double m[2] = {cos(angle), sin(angle)};
        double x[2], y[2], d[2], gap, n[2];

        sab_ellipse_support(&i, m, x, NULL);
        sab_ellipse_support(&j, m, y, NULL);
        for (int e = 0; e < 2; e++)
            d[e] = x[e] + y[e] + known * m[e];
        CU_ASSERT_FATAL(sab_ellipse_gap(&i, &j, d, &gap, n, NULL) == SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(gap, known, 1e-13);
        CU_ASSERT(hypot(n[0] - m[0], n[1] - m[1]) < 1e-9);
    }
}

/* One about the same centre: out along the way that is shortest. */
static void test_nested(void)
{
    const sab_ellipse i = make(2.0, 1.0, 0.0), j = make(0.5, 0.4, 0.0), disc = make(1.0, 1.0, 0.0);
    double gap, n[2];

    CU_ASSERT_FATAL(sab_ellipse_gap(&i, &j, (double[]){0.0, 0.0}, &gap, n, NULL) == SAB_OK);
    CU_ASSERT_DOUBLE_EQUAL(gap, -1.4, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(fabs(n[1]), 1.0, 1e-9);
    CU_ASSERT_FATAL(sab_ellipse_gap(&disc, &disc, (double[]){0.0, 0.0}, &gap, n, NULL) == SAB_OK);
    CU_ASSERT_DOUBLE_EQUAL(gap, -2.0, 1e-12);
    CU_ASSERT_EQUAL(sab_ellipse_gap(&i, &j, (double[]){NAN, 0.0}, &gap, n, NULL), SAB_ERR_NUMERIC);
    CU_ASSERT_EQUAL(sab_ellipse_gap(&i, &j, (double[]){0.0, INFINITY}, &gap, n, NULL),
                    SAB_ERR_NUMERIC);
}

/* Segments: no point of one is nearer than the gap, and where they overlap the ellipse is out after
 * the way along n. */
static void test_segments(void)
{
    unsigned long long seed = 13;
    int apart = 0, over = 0;

    for (int k = 0; k < 3000; k++) {
        const double flat = k % 3 == 0 ? 0.03 : 0.2;
        const sab_ellipse e = make(between(flat, 1.0, &seed), between(flat, 1.0, &seed),
                                   between(0.0, 2.0 * PI, &seed)),
                          none = make(0.0, 0.0, 0.0);
        const double a[2] = {between(-2.0, 2.0, &seed), between(-2.0, 2.0, &seed)},
                     b[2] = {between(-2.0, 2.0, &seed), between(-2.0, 2.0, &seed)};
        double gap, n[2], least = INFINITY, swapped, m[2];

        CU_ASSERT_FATAL(sab_ellipse_segment_gap(&e, a, b, &gap, n, NULL) == SAB_OK);
        for (int c = 0; c <= 60; c++) {
            const double t = c / 60.0, p[2] = {a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])};
            double to;

            CU_ASSERT_FATAL(sab_ellipse_gap(&e, &none, (double[]){-p[0], -p[1]}, &to, m, NULL) ==
                            SAB_OK);
            least = fmin(least, to);
        }
        const double spacing = hypot(b[0] - a[0], b[1] - a[1]) / 120.0;
        if (gap > 0.0)
            CU_ASSERT(least >= gap - 1e-12 && least <= gap + spacing);
        if (least < -spacing)
            CU_ASSERT(gap < 0.0);
        apart += gap > 0.0;
        over += gap > 0.0 && fabs(n[0] * (b[0] - a[0]) + n[1] * (b[1] - a[1])) < 1e-12;
        /* g at n */
        double x[2];
        const double h = sab_ellipse_support(&e, n, x, NULL);
        CU_ASSERT_DOUBLE_EQUAL(gap, -h - fmax(n[0] * a[0] + n[1] * a[1], n[0] * b[0] + n[1] * b[1]),
                               1e-13);
        CU_ASSERT_FATAL(sab_ellipse_segment_gap(&e, b, a, &swapped, m, NULL) == SAB_OK);
        CU_ASSERT_DOUBLE_EQUAL(swapped, gap, gap > 0.0 ? 1e-13 : 1e-7);
    }
    CU_ASSERT(apart > 500 && over > 100 && over < apart);
}

int main(void)
{
    static const sab_test tests[] = {{"discs", test_discs},
                                     {"the best of all directions", test_random},
                                     {"the closest points of outlines", test_outlines},
                                     {"in touch", test_touch},
                                     {"in each other", test_nested},
                                     {"segments", test_segments}};

    return SAB_TEST_MAIN("grains/ellipse", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A disc that rests on a slope of 30 degrees, without friction: five projected gradients on its
 * program, and how many iterations each takes, as published [Bloch and Lefebvre-Lepot, Table 1].
 * The loops are here: the methods of the library stop on a residual, and at 1e-3 this rule ends PGD
 * with two thirds of the force. */
#include "unit.h"

#include "grains/grains.h"

#include <math.h>

typedef struct problem {
    double Q, C; /* dual: Q f^2/2 + C f -> min, f >= 0 the force */
} problem;

/* Of the program of a step, its scale taken back: gamma = B u + k, times dt. */
static problem from_program(void)
{
    const double angle = 3.14159265358979323846 / 6.0, dt = 0.05;
    sab_grains_options o = sab_grains_options_default();
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_program *p = NULL;
    sab_grain_wall wall;
    double B[3], Q = 0.0, C;

    o.gravity[0] = sin(angle);
    o.gravity[1] = -cos(angle);
    o.step = dt;
    o.travel = 0.0;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, 0.0, &wall, NULL);
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_bodies_add(b, (double[]){0.0, 1.0}, 1.0, 1.0, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &wall, 0, NULL, &g, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_program(g, &p, NULL) == SAB_OK && p != NULL);
    CU_ASSERT_EQUAL_FATAL(p->npoints, 1);
    C = p->k[0];
    for (int i = 0; i < 3; i++) {
        B[i] = p->B->value[i];
        Q += B[i] * B[i] / p->A->value[i];
        C += B[i] * p->l[i] / p->A->value[i];
    }
    const double scale = B[1]; /* the row of the normal is c (0, 1, 0) */
    sab_program_destroy(&p);
    sab_grains_destroy(&g);
    return (problem){dt * dt * Q / (scale * scale), dt * C / scale};
}

static double cost(const problem *p, double f)
{
    return 0.5 * p->Q * f * f + p->C * f;
}

static double slope(const problem *p, double f)
{
    return p->Q * f + p->C;
}

/* Iterations to the tolerance on |f' - f|/(|f| + 1); PGD, or APGD with adaptive steps or restarts.
 */
static int iterations(const problem *p, double tolerance, bool fast, bool steps, bool restarts,
                      double *force)
{
    double f = 0.0, y = 0.0, theta = 1.0, L = 0.5; /* rho = 2 */
    int n = 0;

    for (bool done = false; !done && n < 100000; n++) {
        double next = fmax(0.0, y - slope(p, y) / L);

        while (steps && cost(p, next) > cost(p, y) + slope(p, y) * (next - y) +
                                            0.5 * L * (next - y) * (next - y)) {
            L *= 2.0;
            next = fmax(0.0, y - slope(p, y) / L);
        }
        done = fabs(next - f) / (fabs(f) + 1.0) <= tolerance;
        const double t = 0.5 * theta * (sqrt(theta * theta + 4.0) - theta);
        const double beta = theta * (1.0 - theta) / (theta * theta + t);
        const bool again = restarts && slope(p, y) * (next - f) > 0.0;
        y = !fast || again ? next : next + beta * (next - f);
        theta = again ? 1.0 : t;
        f = next;
        L *= steps ? 0.97 : 1.0;
    }
    *force = f;
    return n;
}

static void test_table(void)
{
    const problem p = from_program();
    const double exact = cos(3.14159265358979323846 / 6.0);
    double f;

    CU_ASSERT_DOUBLE_EQUAL(p.Q, 0.0025, 1e-16);
    CU_ASSERT_DOUBLE_EQUAL(-p.C / p.Q, exact, 1e-13);
    CU_ASSERT_EQUAL(iterations(&p, 1e-3, false, false, false, &f), 206);
    CU_ASSERT_DOUBLE_EQUAL(f, 0.558, 5e-4); /* far from cos 30: the rule is no measure of error */
    CU_ASSERT_EQUAL(iterations(&p, 1e-9, false, false, false, &f), 2926);
    CU_ASSERT_DOUBLE_EQUAL(f, exact, 1e-6);
    CU_ASSERT_EQUAL(iterations(&p, 1e-3, true, false, false, &f), 68);
    CU_ASSERT_EQUAL(iterations(&p, 1e-9, true, false, false, &f), 2029);
    CU_ASSERT_EQUAL(iterations(&p, 1e-3, true, false, true, &f), 54);
    CU_ASSERT_EQUAL(iterations(&p, 1e-9, true, false, true, &f), 160);
    CU_ASSERT_EQUAL(iterations(&p, 1e-3, true, true, false, &f), 47);
    CU_ASSERT_EQUAL(iterations(&p, 1e-3, true, true, true, &f), 39);
    printf("\n    adaptive steps at 1e-9: %d and %d", iterations(&p, 1e-9, true, true, false, &f),
           iterations(&p, 1e-9, true, true, true, &f));
}

int main(void)
{
    static const sab_test tests[] = {{"iterations of five projected gradients", test_table}};

    return SAB_TEST_MAIN("grains/resting", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Grains as a continuum: what is summed is kept, rigid motions have no strain rate, a column at
 * rest carries its weight. */
#include "unit.h"

#include "grains/coarse.h"
#include "grains/fill.h"

#include <math.h>

enum { ACROSS = 9, HIGH = 25, PLACES = ACROSS * HIGH };

/* A grid of places over [0, wide] x [0, tall], with the volumes of its hats. */
static void make_grid(double wide, double tall, double *x, double *volume)
{
    const double dx = wide / (ACROSS - 1), dy = tall / (HIGH - 1);

    for (int j = 0; j < HIGH; j++)
        for (int i = 0; i < ACROSS; i++) {
            const int a = j * ACROSS + i;

            x[2 * a] = i * dx;
            x[2 * a + 1] = j * dy;
            volume[a] =
                dx * dy * (i % (ACROSS - 1) == 0 ? 0.5 : 1.0) * (j % (HIGH - 1) == 0 ? 0.5 : 1.0);
        }
}

static sab_grains *discs(double wide, int across, int high, double friction)
{
    sab_grains_options o = sab_grains_options_default();
    const double pitch = wide / across;
    sab_fill_grid fill = {.count = {across, high, 1},
                          .pitch = pitch,
                          .sizes = {0.40 * pitch, 0.46 * pitch, 0.0, 0.0, 1.0},
                          .jitter = 0.03 * pitch,
                          .seed = 5};
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall wall[3];

    o.friction = friction;
    o.gravity[1] = -1.0;
    o.step = 0.03;
    o.solver.tolerance = 1e-5;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, friction, &wall[0], NULL);
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){1, 0}, 0.0, &wall[1], NULL);
    sab_grain_wall_plane(2, (double[]){wide, 0}, (double[]){-1, 0}, 0.0, &wall[2], NULL);
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grain_fill_grid(b, &fill, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 3, wall, 0, NULL, &g, NULL) == SAB_OK);
    return g;
}

static void test_sums(void)
{
    static double x[2 * PLACES], volume[PLACES];
    sab_grains *g = discs(8.0, 8, 16, 0.3);
    const sab_bodies *b = g->bodies;
    double mass = 0.0, sum = 0.0, solid = 0.0, area = 0.0;
    sab_coarse *c = NULL;

    make_grid(8.0, 16.0, x, volume);
    CU_ASSERT_FATAL(sab_coarse_create(2, PLACES, x, volume, 1.7, &c, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_coarse_fill(c, g, NULL) == SAB_OK);
    for (int i = 0; i < b->n; i++) {
        mass += b->mass[i];
        area += 3.14159265358979323846 * b->radius[i] * b->radius[i];
    }
    for (int a = 0; a < PLACES; a++) {
        sum += volume[a] * c->density[a];
        solid += volume[a] * c->fraction[a];
    }
    CU_ASSERT_DOUBLE_EQUAL(sum / mass, 1.0, 1e-13);
    CU_ASSERT_DOUBLE_EQUAL(solid / area, 1.0, 1e-13);
    sab_coarse_destroy(&c);
    CU_ASSERT_EQUAL(sab_coarse_create(2, PLACES, x, volume, 0.0, &c, NULL), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(c);
    sab_grains_destroy(&g);
}

/* Neighbours to and fro at 1: no mean, and a pressure of the density. */
static void test_heat(void)
{
    static double x[2 * PLACES], volume[PLACES];
    sab_grains *g = discs(8.0, 16, 32, 0.3);
    sab_bodies *b = g->bodies;
    sab_coarse *c = NULL;
    double mass = 0.0, sum[4] = {0.0};

    make_grid(8.0, 16.0, x, volume);
    for (int i = 0; i < b->n; i++) {
        b->velocity[3 * i] = (i / 16 + i) % 2 == 0 ? 1.0 : -1.0;
        mass += b->mass[i];
    }
    CU_ASSERT_FATAL(sab_coarse_create(2, PLACES, x, volume, 2.0, &c, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_coarse_fill(c, g, NULL) == SAB_OK);
    for (int a = 0; a < PLACES; a++)
        for (int k = 0; k < 4; k++)
            sum[k] += volume[a] * c->stress[4 * a + k];
    CU_ASSERT_DOUBLE_EQUAL(sum[0] / mass, -1.0, 0.05); /* but for what the fit takes */
    for (int k = 1; k < 4; k++)
        CU_ASSERT_DOUBLE_EQUAL(sum[k], 0.0, 1e-12);
    sab_coarse_destroy(&c);
    sab_grains_destroy(&g);
}

/* v = u0 + w x x: inside the fit is exact, D = 0, and nothing fluctuates. */
static void test_rotation(void)
{
    static double x[2 * PLACES], volume[PLACES];
    sab_grains *g = discs(8.0, 8, 16, 0.3);
    sab_bodies *b = g->bodies;
    sab_coarse *c = NULL;
    int checked = 0;

    make_grid(8.0, 16.0, x, volume);
    for (int i = 0; i < b->n; i++) {
        const double *p = b->position + 2 * i;

        b->velocity[3 * i] = 0.7 - 1.3 * p[1];
        b->velocity[3 * i + 1] = -0.2 + 1.3 * p[0];
    }
    CU_ASSERT_FATAL(sab_coarse_create(2, PLACES, x, volume, 2.4, &c, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_coarse_fill(c, g, NULL) == SAB_OK);
    for (int a = 0; a < PLACES; a++) {
        const double *L = c->gradient + 4 * a;
        const double inside =
            fmin(fmin(x[2 * a], 8.0 - x[2 * a]), fmin(x[2 * a + 1], 16.0 - x[2 * a + 1]));

        if (inside < 0.9) /* at the edge all grains are on one side */
            continue;
        checked++;
        CU_ASSERT_DOUBLE_EQUAL(c->velocity[2 * a], 0.7 - 1.3 * x[2 * a + 1], 1e-10);
        CU_ASSERT_DOUBLE_EQUAL(c->velocity[2 * a + 1], -0.2 + 1.3 * x[2 * a], 1e-10);
        CU_ASSERT_DOUBLE_EQUAL(L[0], 0.0, 1e-11);
        CU_ASSERT_DOUBLE_EQUAL(L[3], 0.0, 1e-11);
        CU_ASSERT_DOUBLE_EQUAL(L[1] + L[2], 0.0, 1e-11);
        CU_ASSERT_DOUBLE_EQUAL(L[2], 1.3, 1e-11);
        for (int k = 0; k < 4; k++)
            CU_ASSERT_DOUBLE_EQUAL(c->stress[4 * a + k], 0.0, 1e-11);
    }
    CU_ASSERT(checked > 120);
    sab_coarse_destroy(&c);
    sab_grains_destroy(&g);
}

/* At rest between walls without friction: across a height the vertical stress carries what is
 * above, within a width; and the integral of the stress is the sum of f b. */
static void test_column(void)
{
    static double x[2 * PLACES], volume[PLACES];
    sab_grains *g = discs(8.0, 5, 8, 0.3);
    const sab_bodies *b = g->bodies;
    const double width = 2.4, dy = 16.0 / (HIGH - 1);
    sab_grains_report r = {0};
    sab_coarse *c = NULL;
    double mass = 0.0, height = 0.0;

    make_grid(8.0, 16.0, x, volume);
    for (int i = 0; i < b->n; i++)
        height += b->mass[i] * b->position[2 * i + 1];
    const double still = 1e-8 * height; /* of all the energy there is */
    for (int k = 0; k < 1500 && (k < 200 || r.ledger.kinetic > still); k++)
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT(r.ledger.kinetic <= still);
    CU_ASSERT_FATAL(sab_coarse_create(2, PLACES, x, volume, width, &c, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_coarse_fill(c, g, NULL) == SAB_OK);
    for (int i = 0; i < b->n; i++)
        mass += b->mass[i];
    for (int j = 2; j < HIGH - 2; j++) {
        double carried = 0.0, most = 0.0, least = 0.0;

        for (int i = 0; i < ACROSS; i++) {
            const int a = j * ACROSS + i;

            carried -= c->stress[4 * a + 3] * volume[a] / dy;
        }
        for (int i = 0; i < b->n; i++) {
            most += b->position[2 * i + 1] > j * dy - width ? b->mass[i] : 0.0;
            least += b->position[2 * i + 1] > j * dy + width ? b->mass[i] : 0.0;
        }
        CU_ASSERT(carried >= least - 0.01 * mass && carried <= most + 0.01 * mass);
    }
    double sum = 0.0, exact = 0.0;
    for (int a = 0; a < PLACES; a++)
        sum += volume[a] * c->stress[4 * a + 3];
    for (int i = 0; i < b->n; i++) /* virial: sum f b = sum m g y about the floor, at rest */
        exact -= b->mass[i] * b->position[2 * i + 1];
    CU_ASSERT_DOUBLE_EQUAL(sum / exact, 1.0, 1e-3);
    sab_coarse_destroy(&c);
    sab_grains_destroy(&g);
}

/* Where all grains are on one side, their shear is not extrapolated: nothing is faster than they.
 */
static void test_edge(void)
{
    static double x[2 * PLACES], volume[PLACES];
    sab_grains *g = discs(8.0, 8, 6, 0.3);
    sab_bodies *b = g->bodies;
    sab_coarse *c = NULL;
    double fastest = 0.0;

    make_grid(8.0, 16.0, x, volume);
    for (int i = 0; i < b->n; i++) {
        b->velocity[3 * i] = sin(3.0 * i);
        fastest = fmax(fastest, fabs(b->velocity[3 * i]));
    }
    CU_ASSERT_FATAL(sab_coarse_create(2, PLACES, x, volume, 1.7, &c, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_coarse_fill(c, g, NULL) == SAB_OK);
    for (int a = 0; a < PLACES; a++)
        CU_ASSERT(fabs(c->velocity[2 * a]) < 2.5 * fastest);
    sab_coarse_destroy(&c);
    sab_grains_destroy(&g);
}

int main(void)
{
    static const sab_test tests[] = {{"mass and volume are kept", test_sums},
                                     {"velocities to and fro", test_heat},
                                     {"a rigid motion has no strain rate", test_rotation},
                                     {"a column carries its weight", test_column},
                                     {"the edge of the grains", test_edge}};

    return SAB_TEST_MAIN("grains/coarse", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Few grains whose motion is known: every sign and factor of the step. */
#include "unit.h"

#include "grains/fill.h"
#include "grains/grains.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

/* A disc of radius and mass 1 above a plane through 0 that slopes by `angle`: (x along it, y off
 * it); gravity 1. */
static sab_grains *on_slope(double angle, double gap, double friction, sab_grains_scheme scheme,
                            double dt, double tolerance)
{
    sab_grains_options o = sab_grains_options_default();
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall wall;

    o.scheme = scheme;
    o.gravity[0] = sin(angle);
    o.gravity[1] = -cos(angle);
    o.step = dt;
    o.travel = 0.0;
    o.solver.tolerance = tolerance;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, friction, &wall, NULL);
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_bodies_add(b, (double[]){0.0, 1.0 + gap}, 1.0, 1.0, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &wall, 0, NULL, &g, NULL) == SAB_OK);
    return g;
}

static sab_grains_report run(sab_grains *g, int steps)
{
    sab_grains_report report = {0};

    for (int k = 0; k < steps; k++) {
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &report, NULL) == SAB_OK);
        CU_ASSERT(report.converged);
        CU_ASSERT(fabs(report.ledger.defect) <= 1e-13 * (1.0 + report.ledger.kinetic));
    }
    return report;
}

static double slip_of(const sab_grains *g)
{
    return g->bodies->velocity[0] + g->bodies->velocity[2]; /* v + R spin */
}

/* While it slides the relaxed law keeps a gap mu dt |u_T|, the others none; rolling ones neither.
 */
static void test_gap(void)
{
    const double dt = 0.05;

    for (int k = 0; k < SAB_GRAINS_SCHEMES; k++) {
        sab_grains *g = on_slope(PI / 6.0, 1.0, 0.1, (sab_grains_scheme)k, dt, 1e-10);

        run(g, 100);
        const double gap = g->bodies->position[1] - 1.0;
        if (k == SAB_GRAINS_RELAXED) {
            CU_ASSERT_DOUBLE_EQUAL(gap, 0.1 * dt * fabs(slip_of(g)), 1e-6 * gap);
            CU_ASSERT_DOUBLE_EQUAL(gap, 6.003e-3, 1e-6);
        } else
            CU_ASSERT(fabs(gap) <= (k == SAB_GRAINS_COULOMB ? 1e-10 : 1e-4));
        sab_grains_destroy(&g);
        g = on_slope(PI / 6.0, 1.0, 1.0, (sab_grains_scheme)k, dt, 1e-10);
        run(g, 100);
        CU_ASSERT(fabs(slip_of(g)) < 1e-9);
        CU_ASSERT(fabs(g->bodies->position[1] - 1.0) < 1e-9);
        sab_grains_destroy(&g);
    }
}

/* Where the disc is at time t [docs/theory.md, 12.4]: x along the plane. */
static double exact_x(double angle, double friction, double t)
{
    const double s = sin(angle), c = cos(angle), ti = sqrt(2.0 / c), after = t - ti;
    const double vn = -c * ti, vt = s * ti, x = 0.5 * s * ti * ti;

    if (friction >= tan(angle) / 3.0)
        return x + 2.0 / 3.0 * (vt * after + 0.5 * s * after * after);
    return x + (vt + friction * vn) * after + 0.5 * (s - friction * c) * after * after;
}

/* The nine relative errors that SCoPI stores of its own test: relaxed, dt 0.01, 1000 steps, against
 * the exact place at 10.01. */
static void test_stored_errors(void)
{
    static const double angle[] = {PI / 6.0, PI / 4.0, PI / 3.0}, friction[] = {0.1, 0.5, 1.0};
    static const double stored[3][3] = {{1.01117e-3, 1.02263e-3, 1.02867e-3},
                                        {1.05583e-3, 1.04746e-3, 1.09070e-3},
                                        {1.07652e-3, 1.12413e-3, 1.15830e-3}};

    for (int m = 0; m < 3; m++)
        for (int a = 0; a < 3; a++) {
            sab_grains *g = on_slope(angle[a], 1.0, friction[m], SAB_GRAINS_RELAXED, 0.01, 1e-10);
            const double x = exact_x(angle[a], friction[m], 10.01);

            run(g, 1000);
            const double error =
                hypot(g->bodies->position[0] - x, g->bodies->position[1] - 1.0) / hypot(x, 1.0);
            CU_ASSERT_DOUBLE_EQUAL(error / stored[m][a], 1.0, 1e-4);
            if (fabs(error / stored[m][a] - 1.0) > 1e-4)
                printf("\n    mu %g angle %g: %.6g, stored %.6g", friction[m], angle[a], error,
                       stored[m][a]);
            sab_grains_destroy(&g);
        }
}

/* Order 1 of the place in time, all schemes: sqrt(sum dt |x - x_k|^2) over T = 5. */
static double place_error(double friction, sab_grains_scheme scheme, double dt)
{
    sab_grains *g = on_slope(PI / 6.0, 1.0, friction, scheme, dt, 1e-10);
    const int steps = (int)lround(5.0 / dt);
    double sum = 0.0;

    for (int k = 0; k < steps; k++) {
        run(g, 1);
        const double t = g->time, ti = sqrt(2.0 / cos(PI / 6.0));
        const double x = t < ti ? 0.25 * t * t : exact_x(PI / 6.0, friction, t);
        const double y = t < ti ? 2.0 - 0.5 * cos(PI / 6.0) * t * t : 1.0;

        sum += dt * (pow(g->bodies->position[0] - x, 2.0) + pow(g->bodies->position[1] - y, 2.0));
    }
    sab_grains_destroy(&g);
    return sqrt(sum);
}

static void test_order(void)
{
    /* frictionless and relaxed at mu = 0.1: 8.4515e-2 and 7.1119e-2 at dt = 0.05 */
    CU_ASSERT_DOUBLE_EQUAL(place_error(0.0, SAB_GRAINS_COULOMB, 0.05) / 8.4515e-2, 1.0, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(place_error(0.1, SAB_GRAINS_RELAXED, 0.05) / 7.1119e-2, 1.0, 0.01);
    CU_ASSERT_DOUBLE_EQUAL(place_error(0.1, SAB_GRAINS_FIXED_POINT, 0.05) / 7.1475e-2, 1.0, 0.01);
    for (int k = 0; k < SAB_GRAINS_SCHEMES; k++) {
        const double coarse = place_error(0.1, (sab_grains_scheme)k, 0.05),
                     fine = place_error(0.1, (sab_grains_scheme)k, 0.0125);

        CU_ASSERT_DOUBLE_EQUAL(log2(coarse / fine) / 2.0, 1.0, 0.03);
    }
}

/* A disc in contact rolls iff mu >= tan/3. */
static void test_rolling(void)
{
    for (int k = -1; k <= 1; k += 2) {
        const double angle = 0.4, mu = tan(angle) / 3.0 + 1e-3 * k;
        sab_grains *g = on_slope(angle, 0.0, mu, SAB_GRAINS_COULOMB, 0.01, 1e-12);

        run(g, 10);
        CU_ASSERT_EQUAL(fabs(slip_of(g)) < 1e-12, k > 0);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[1], 1.0, 1e-12);
        sab_grains_destroy(&g);
    }
}

/* A body that cannot turn is a point mass: thrown along the plane. Coulomb: it never leaves it. The
 * relaxed law lifts it by mu v/(1 + mu^2) in the first step, whatever dt; both stop at
 * v^2/(2 mu g). */
static void test_point_mass(void)
{
    const double mu = 0.3, v = 3.0;

    for (int k = 0; k < 2; k++) {
        sab_grains *g = on_slope(0.0, 0.0, mu, (sab_grains_scheme)k, 1e-3, 1e-10);
        double highest = 0.0;

        g->bodies->inertia[0] = 1e12;
        g->bodies->velocity[0] = v;
        run(g, 1);
        if (k == SAB_GRAINS_RELAXED)
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[1], mu * v / (1.0 + mu * mu), 1e-3);
        for (int i = 0; i < 11000; i++) {
            run(g, 1);
            highest = fmax(highest, g->bodies->position[1] - 1.0);
        }
        if (k == SAB_GRAINS_COULOMB) {
            CU_ASSERT(highest < 1e-12);
        } else
            CU_ASSERT_DOUBLE_EQUAL(highest / (0.5 * 0.8257 * 0.8257), 1.0, 0.02);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[0] / (v * v / (2.0 * mu)), 1.0, 0.02);
        sab_grains_destroy(&g);
    }
}

/* It falls from 3 with (3, 0) and then slides: sqrt(sum (y - y_relaxed)^2)/2^k over T = 4 with
 * steps 0.1/2^k. The heights differ by a number of order dt at each time, so that this falls by
 * 2^{3/2} [Anitescu 2006, example 1; he does not tell gravity, these numbers are of gravity 1]. */
static void test_falling_mass(void)
{
    static const double known[] = {2.578e-1, 8.672e-2, 3.037e-2, 1.068e-2, 3.768e-3};
    double before = 0.0;

    for (int k = 0; k < 5; k++) {
        const int fine = 1 << k;
        sab_grains *g[2];
        double sum = 0.0;

        for (int j = 0; j < 2; j++) {
            g[j] = on_slope(0.0, 3.0, 0.3, j == 0 ? SAB_GRAINS_COULOMB : SAB_GRAINS_RELAXED,
                            0.1 / fine, 1e-10);
            g[j]->bodies->inertia[0] = 1e12;
            g[j]->bodies->velocity[0] = 3.0;
        }
        for (int i = 0; i < 40 * fine; i++) {
            run(g[0], 1);
            run(g[1], 1);
            const double d = g[0]->bodies->position[1] - g[1]->bodies->position[1];
            sum += d * d;
        }
        const double difference = sqrt(sum) / fine;
        CU_ASSERT_DOUBLE_EQUAL(difference / known[k], 1.0, 0.01);
        if (k > 2)
            CU_ASSERT_DOUBLE_EQUAL(before / difference, sqrt(8.0), 0.03);
        before = difference;
        sab_grains_destroy(&g[0]);
        sab_grains_destroy(&g[1]);
    }
}

/* One sliding contact: the energy of a step is lost to the jump of velocity, the gap and friction,
 * and to nothing else; the relaxed law takes friction back into the opening. */
static void test_ledger(void)
{
    for (int k = 0; k < 2; k++) {
        sab_grains *g = on_slope(PI / 6.0, 0.02, 0.1, (sab_grains_scheme)k, 0.05, 1e-12);
        bool slid = false;

        for (int i = 0; i < 60; i++) {
            const sab_grains_ledger l = run(g, 1).ledger;
            const double normal = g->wall_impulse[1];
            const double slip = 0.1 * normal * fabs(slip_of(g));

            CU_ASSERT_DOUBLE_EQUAL(l.friction, slip, 1e-10);
            CU_ASSERT_DOUBLE_EQUAL(l.opening, k == SAB_GRAINS_RELAXED ? slip : 0.0, 1e-10);
            CU_ASSERT(l.gap >= -1e-10 && l.jump >= 0.0);
            CU_ASSERT(l.gain - l.gravity <= 1e-12); /* energy never grows */
            slid = slid || slip > 1e-3;
        }
        CU_ASSERT(slid);
        sab_grains_destroy(&g);
    }
}

/* Discs on each other: the normal forces are the weights above. */
static void test_stack(void)
{
    sab_grains_options o = sab_grains_options_default();
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall floor;
    double above = 0.0;

    o.friction = 0.5;
    o.gravity[1] = -1.0;
    o.step = 0.01;
    o.reach = 0.1;
    o.solver.tolerance = 1e-13;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, 0.5, &floor, NULL);
    sab_bodies_create(2, &b, NULL);
    for (int i = 0; i < 6; i++)
        sab_bodies_add(b, (double[]){0.0, 1.0 + 2.0 * i}, 1.0, 1.0 + i, NULL);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, NULL) == SAB_OK);
    run(g, 2);
    CU_ASSERT_EQUAL_FATAL(g->nimpulses, 6);
    for (int i = 5; i >= 0; i--) { /* (0,1), (0,floor), (1,2), ... (4,5): sorted */
        above += (1.0 + i) * 0.01;
        const int at = i == 0 ? 1 : i == 1 ? 0 : i;
        CU_ASSERT_DOUBLE_EQUAL(fabs(g->impulse[at].value[1]), above, 1e-10);
    }
    CU_ASSERT_DOUBLE_EQUAL(g->wall_impulse[1], above, 1e-10);
    sab_grains_destroy(&g);
}

/* Two grains hit each other: momentum and angular momentum stay, the normal velocity turns around
 * e times as fast. */
static void test_collision(void)
{
    for (int dim = 2; dim <= 3; dim++)
        for (double e = 0.0; e <= 1.0; e += 0.5) {
            sab_grains_options o = sab_grains_options_default();
            sab_bodies *b = NULL;
            sab_grains *g = NULL;
            double p[3] = {0}, spin = 0.0;

            o.friction = 0.2;
            o.restitution = e;
            o.step = 0.02;
            o.solver.tolerance = 1e-12;
            sab_bodies_create(dim, &b, NULL);
            sab_bodies_add(b, (double[]){-1.5, 0.0, 0.0}, 1.0, 2.0, NULL);
            sab_bodies_add(b, (double[]){1.5, 0.0, 0.0}, 1.2, 3.0, NULL);
            b->velocity[0] = 1.0;
            b->velocity[1] = 0.05;
            CU_ASSERT_FATAL(sab_grains_create(&o, &b, 0, NULL, 0, NULL, &g, NULL) == SAB_OK);
            run(g, 100);
            const sab_bodies *c = g->bodies;
            for (int i = 0; i < 2; i++) {
                const double *v = c->velocity + i * c->freedoms, *x = c->position + i * dim;

                for (int k = 0; k < dim; k++)
                    p[k] += c->mass[i] * v[k];
                spin +=
                    c->inertia[i] * v[dim == 2 ? 2 : 5] + c->mass[i] * (x[0] * v[1] - x[1] * v[0]);
            }
            CU_ASSERT_DOUBLE_EQUAL(p[0], 2.0, 1e-13);
            CU_ASSERT_DOUBLE_EQUAL(p[1], 0.1, 1e-13);
            CU_ASSERT_DOUBLE_EQUAL(spin, 2.0 * -1.5 * 0.05, 0.02); /* first order in dt */
            CU_ASSERT_DOUBLE_EQUAL(c->velocity[c->freedoms] - c->velocity[0], e, 0.02);
            CU_ASSERT(fabs(c->velocity[dim == 2 ? 2 : 5]) > 1e-3); /* friction has turned it */
            sab_grains_destroy(&g);
        }
}

/* Along a plane without friction: a ball keeps its speed, x(T) = 0.3. And dropped with e = 1 it
 * comes back up, with what it had: no energy is made, though a bounce costs gravity a step. */
static void test_frictionless(void)
{
    sab_grains *g = on_slope(0.0, 0.0, 0.0, SAB_GRAINS_COULOMB, 1e-3, 1e-12);
    double highest = 0.0, made = 0.0;

    g->bodies->velocity[0] = 1.5;
    run(g, 200);
    CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[0], 0.3, 1e-12);
    sab_grains_destroy(&g);
    g = on_slope(0.0, 0.5, 0.0, SAB_GRAINS_COULOMB, 1e-3, 1e-12);
    g->wall[0].restitution = 1.0;
    for (int i = 0; i < 2600; i++) {
        made += run(g, 1).made;
        if (i < 1100)
            continue;
        highest = fmax(highest, g->bodies->position[1] - 1.0);
    }
    CU_ASSERT_DOUBLE_EQUAL(highest, 0.5, 0.01);
    CU_ASSERT(made < 1e-14);
    sab_grains_destroy(&g);
}

/* v turned by a quaternion: the columns of its matrix. */
static void turned(const double *q, int axis, double *v)
{
    const double *a = q + 1;

    for (int k = 0; k < 3; k++) {
        v[k] = 2.0 * a[k] * a[axis] + (k == axis ? 2.0 * q[0] * q[0] - 1.0 : 0.0);
        if (k == (axis + 1) % 3)
            v[k] += 2.0 * q[0] * a[(axis + 2) % 3];
        if (k == (axis + 2) % 3)
            v[k] -= 2.0 * q[0] * a[(axis + 1) % 3];
    }
}

/* Spins are in the frame of the room: what was turned before turns about them, by Rodrigues. */
static void test_turning(void)
{
    const double before[4] = {0.1, -0.5, 0.7, 0.5}, spin[3] = {0.3, -0.7, 1.1}, dt = 0.9;
    const double rate = sqrt(0.09 + 0.49 + 1.21), c = cos(rate * dt), s = sin(rate * dt);
    sab_bodies *b = NULL;

    CU_ASSERT_FATAL(sab_bodies_create(3, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_bodies_add(b, (double[]){0, 0, 0}, 1.0, 1.0, NULL) == SAB_OK);
    memcpy(b->orientation, before, sizeof before);
    memcpy(b->velocity + 3, spin, sizeof spin);
    sab_bodies_move(b, dt);
    for (int axis = 0; axis < 3; axis++) {
        double v[3], w[3], along = 0.0;

        turned(before, axis, v);
        turned(b->orientation, axis, w);
        for (int k = 0; k < 3; k++)
            along += spin[k] * v[k] / rate;
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;

            CU_ASSERT_DOUBLE_EQUAL(w[k],
                                   c * v[k] + s * (spin[i] * v[j] - spin[j] * v[i]) / rate +
                                       (1.0 - c) * along * spin[k] / rate,
                                   1e-14);
        }
    }
    sab_bodies_destroy(&b);
}

/* A wall hits a disc at rest, however far it comes in one step. */
static void test_struck(void)
{
    for (int k = 0; k < 6; k++) {
        const double e = 0.2 * k, speed = 0.5 + 3.0 * k;
        sab_grains *g = on_slope(0.0, 0.37, 0.3, SAB_GRAINS_COULOMB, 0.1, 1e-13);

        g->options.gravity[1] = 0.0;
        g->wall[0].restitution = e;
        g->wall[0].velocity[1] = speed;
        for (int i = 0; i < 10; i++)
            CU_ASSERT(run(g, 1).overlap <= 1e-12);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[1], (1.0 + e) * speed, 1e-12);
        sab_grains_destroy(&g);
    }
}

static sab_status sine(void *data, const sab_vars *at, double *value, sab_error *err)
{
    (void)data;
    (void)err;
    *value = sin(at->t);
    return SAB_OK;
}

/* Walls take the velocity in the middle of each step: order 2. And a step that travel makes
 * shorter: speed dt + g dt^2 = travel R. */
static void test_lengths(void)
{
    const sab_function motion[2] = {{.call = sine}, {.constant = 0.0}};
    sab_grains *g = on_slope(0.0, 9.0, 0.3, SAB_GRAINS_COULOMB, 0.05, 1e-12);

    g->wall[0].motion = motion;
    for (int k = 0; k < 60; k++) {
        run(g, 1);
        CU_ASSERT_DOUBLE_EQUAL(g->wall[0].corner[0][0], 1.0 - cos(g->time), 3e-4);
    }
    g->wall[0].motion = NULL;
    g->wall[0].velocity[0] = 0.0;
    g->options.travel = 0.01;
    const double *v = g->bodies->velocity, speed = hypot(v[0], v[1]);
    const double dt = run(g, 1).dt;
    CU_ASSERT_DOUBLE_EQUAL(speed * dt + dt * dt, 0.01, 1e-14);
    g->bodies->velocity[0] = g->bodies->velocity[1] = 0.0;
    CU_ASSERT_DOUBLE_EQUAL(run(g, 1).dt, 0.05, 0.0);
    g->bodies->velocity[0] = g->bodies->velocity[1] = 0.0;
    g->options.travel = 1e-4;
    CU_ASSERT_DOUBLE_EQUAL(run(g, 1).dt, 0.01, 1e-14);
    sab_grains_destroy(&g);

    g = on_slope(0.0, 9.0, 0.3, SAB_GRAINS_COULOMB, 1.0, 1e-12); /* a wall that is still at rest */
    g->wall[0].motion = motion;
    g->options.gravity[1] = 0.0;
    g->options.travel = 0.05;
    while (g->time < 1.0)
        CU_ASSERT(run(g, 1).dt * sin(g->time) <= 0.1);
    CU_ASSERT_DOUBLE_EQUAL(g->wall[0].corner[0][0], 1.0 - cos(g->time), 1e-3);
    sab_grains_destroy(&g);
}

/* A ball rolls down with 5/7 of what it would slide with, and turns by what it has rolled. */
static void test_ball(void)
{
    const double angle = 0.4, dt = 0.01;
    const double at[3] = {0.0, 0.0, 0.5}, up[3] = {0.0, 0.0, 1.0};
    sab_grains_options o = sab_grains_options_default();
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall floor;

    o.gravity[0] = sin(angle);
    o.gravity[2] = -cos(angle);
    o.step = dt;
    o.travel = 0.0;
    o.solver.tolerance = 1e-12;
    sab_grain_wall_plane(3, (double[]){0, 0, 0}, up, 0.5, &floor, NULL);
    CU_ASSERT_FATAL(sab_bodies_create(3, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_bodies_add(b, at, 0.5, 2.0, NULL) == SAB_OK);
    CU_ASSERT_DOUBLE_EQUAL(sab_bodies_volume(b, 0), PI / 6.0, 1e-15);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, NULL) == SAB_OK);
    run(g, 150);
    const double *q = g->bodies->orientation, turned = g->bodies->position[0] / 0.5;
    CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[0], 5.0 / 7.0 * sin(angle) * g->time, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[4], g->bodies->velocity[0] / 0.5, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(q[0], cos(0.5 * turned), 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(q[2], sin(0.5 * turned), 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(q[1], 0.0, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(q[3], 0.0, 1e-9);

    sab_grains_destroy(&g);
}

/* Bounces without gravity are exact, whatever the step: off a wall that rests or moves, and of two
 * grains head-on, v_i' = (p - m_j e (v_i - v_j))/(m_i + m_j). A push that lasts does not bounce. */
static void test_bounce(void)
{
    for (int k = 0; k <= 20; k++) {
        const double e = 0.05 * k, wall_speed = k % 3 == 0 ? 0.0 : 0.3, heavy = 1.0 + k;
        sab_grains *g = on_slope(0.0, 0.37, 0.0, SAB_GRAINS_COULOMB, 0.03, 1e-13);

        g->options.gravity[1] = 0.0;
        g->wall[0].restitution = e;
        g->wall[0].velocity[1] = wall_speed;
        g->bodies->velocity[0] = 0.7;
        g->bodies->velocity[1] = -1.0;
        double bounce = 0.0;
        for (int i = 0; i < 30; i++)
            bounce += run(g, 1).ledger.bounce;
        CU_ASSERT_DOUBLE_EQUAL(bounce, e * (1.0 + e) * pow(1.0 + wall_speed, 2.0), 1e-13);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[1], wall_speed + e * (1.0 + wall_speed), 1e-14);
        CU_ASSERT_EQUAL(g->bodies->velocity[0], 0.7);
        sab_grains_destroy(&g);

        sab_grains_options o = sab_grains_options_default();
        sab_bodies *b = NULL;
        o.restitution = e;
        o.step = 0.03;
        o.travel = 0.0;
        o.solver.tolerance = 1e-13;
        sab_bodies_create(3, &b, NULL);
        sab_bodies_add(b, (double[]){0.0, 0.0, 0.0}, 1.0, 1.0, NULL);
        sab_bodies_add(b, (double[]){0.0, 0.0, 2.37}, 1.0, heavy, NULL);
        b->velocity[2] = 1.0;
        b->velocity[8] = -0.5;
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, 0, NULL, 0, NULL, &g, NULL) == SAB_OK);
        run(g, 30);
        const double p = 1.0 - 0.5 * heavy;
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[2], (p - heavy * e * 1.5) / (1.0 + heavy),
                               1e-13);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[8], (p + e * 1.5) / (1.0 + heavy), 1e-13);
        sab_grains_destroy(&g);
    }
}

/* Barboteu and Dumont's first example: a ball along a plane, 1.5 m/s, 2000 steps of 0.1 ms. */
static void test_first_example(void)
{
    sab_grains *g = on_slope(0.0, 0.0, 0.0, SAB_GRAINS_COULOMB, 1e-4, 1e-7);

    g->options.gravity[1] = -9.81;
    g->options.solver.method = SAB_METHOD_PDAS;
    g->bodies->velocity[0] = 1.5;
    for (int k = 0; k < 2000; k++)
        CU_ASSERT_EQUAL(run(g, 1).loaded, 1);
    CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[0], 0.3, 1e-12);
    CU_ASSERT_EQUAL(g->bodies->position[1], 1.0);
    sab_grains_destroy(&g);
}

/* A wall that moves carries a disc along: first it slides, then it rests on it. */
static void test_moving_wall(void)
{
    sab_grains *g = on_slope(0.0, 0.0, 0.5, SAB_GRAINS_COULOMB, 0.01, 1e-12);
    double work = 0.0, made = 0.0;

    g->bodies->inertia[0] = 1e12;
    g->wall[0].velocity[0] = 1.0;
    for (int i = 0; i < 400; i++) {
        const sab_grains_report r = run(g, 1);

        work += r.ledger.walls;
        made += r.made;
    }
    CU_ASSERT(made < 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[0], 1.0, 1e-10);
    CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[0], 4.0 - 1.0, 0.02); /* slid for v/(mu g) = 2 */
    CU_ASSERT_DOUBLE_EQUAL(work, 1.0, 0.02); /* m v^2: half of it was friction */
    sab_grains_destroy(&g);
}

static double momentum(const sab_grains *g)
{
    double sum = 0.0;

    for (int i = 0; i < g->bodies->n; i++)
        sum += g->bodies->mass[i] * g->bodies->velocity[6 * i + 2];
    return sum;
}

/* Two heavy discs squeeze a small one out, five times as fast as anything moved before, towards a
 * fourth that is farther away than free motion reaches: it stops there all the same, and the step
 * is that of a reach that sees everything. */
static void test_squeezed(void)
{
    const double place[4][2] = {{-1.08, 0.0}, {1.08, 0.0}, {0.0, 0.2088}, {0.0, 0.4538}};
    const double radius[4] = {1.0, 1.0, 0.1, 0.1}, mass[4] = {10.0, 10.0, 0.1, 10.0};
    double after[2][12] = {{0}};

    for (int k = 0; k < 2; k++) {
        sab_grains_options o = sab_grains_options_default();
        sab_bodies *b = NULL;
        sab_grains *g = NULL;
        sab_grains_report r;

        o.step = 0.01;
        o.travel = 0.0;
        o.reach = k == 0 ? 0.0 : 10.0;
        o.solver.tolerance = 1e-8;
        CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
        for (int i = 0; i < 4; i++)
            CU_ASSERT_FATAL(sab_bodies_add(b, place[i], radius[i], mass[i], NULL) == SAB_OK);
        b->velocity[0] = 1.0;
        b->velocity[3] = -1.0;
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, 0, NULL, 0, NULL, &g, NULL) == SAB_OK);
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT(r.converged);
        const double *x = g->bodies->position;
        CU_ASSERT(x[5] > 0.2088 + 0.045); /* it is squeezed out, */
        CU_ASSERT(x[7] - x[5] > 0.2 - 1e-7);
        CU_ASSERT(x[7] > 0.4538); /* and pushes the fourth */
        memcpy(after[k], g->bodies->velocity, sizeof after[k]);
        sab_grains_destroy(&g);
    }
    for (int i = 0; i < 12; i++)
        CU_ASSERT_DOUBLE_EQUAL(after[0][i], after[1][i], 1e-6);
}

/* Outer iterations of the fixed point while the disc is in contact, released at a gap of 1, to
 * t = 5: where it rolls the gap of nothing is right at once; where it slides, and speeds up, it
 * takes 2.8 (the source has the labels of the two the other way around). And the gap is gone. */
static void test_outer_iterations(void)
{
    for (int k = 0; k < 4; k++) { /* masses are no part of it, nor the unit of length */
        const double length = k == 3 ? 1e-6 : 1.0;
        sab_grains *g =
            on_slope(PI / 6.0, 1.0, k != 1 ? 0.1 : 1.0, SAB_GRAINS_FIXED_POINT, 0.05, 1e-10);
        int programs = 0, steps = 0;

        g->bodies->position[1] *= length;
        g->bodies->radius[0] *= length;
        g->bodies->axis[0] = g->bodies->axis[1] = g->bodies->radius[0];
        g->bodies->inertia[0] *= length * length;
        g->options.gravity[0] *= length;
        g->options.gravity[1] *= length;

        g->bodies->mass[0] *= k == 2 ? 1e-4 : 1.0;
        g->bodies->inertia[0] *= k == 2 ? 1e-4 : 1.0;

        for (int i = 0; i < 100; i++) {
            const sab_grains_report r = run(g, 1);

            programs += r.loaded > 0 ? r.programs : 0;
            steps += r.loaded > 0;
        }
        CU_ASSERT_DOUBLE_EQUAL((double)programs / steps, k != 1 ? 2.8 : 1.1, 0.3);
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[1] / length, 1.0, 1e-4);
        sab_grains_destroy(&g);
    }
}

/* 27 spheres fall on a plane: no law lets them overlap, the fixed point by no more than its gaps
 * still change. */
static void test_overlap(void)
{
    const sab_fill_grid fill = {{3, 3, 3}, {0}, 1.0, {0.40, 0.45, 1.0, 2.0, 0.0, 0, 0, 0, 0},
                                0.025,     0.0, 3};

    for (int k = 0; k < SAB_GRAINS_SCHEMES + 1; k++) { /* and without friction */
        sab_grains_options o = sab_grains_options_default();
        sab_bodies *b = NULL;
        sab_grains *g = NULL;
        sab_grain_wall floor;
        sab_grains_report r = {0};

        o.friction = k < SAB_GRAINS_SCHEMES ? 0.4 : 0.0;
        o.scheme = (sab_grains_scheme)(k % SAB_GRAINS_SCHEMES);
        o.gravity[2] = -1.0;
        o.solver.tolerance = 1e-8;
        sab_grain_wall_plane(3, (double[]){0, 0, 0}, (double[]){0, 0, 1}, o.friction, &floor, NULL);
        sab_bodies_create(3, &b, NULL);
        CU_ASSERT_FATAL(sab_grain_fill_grid(b, &fill, NULL) == SAB_OK);
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, NULL) == SAB_OK);
        for (int i = 0; i < 40; i++) {
            CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT(r.converged && r.overlap < (k == SAB_GRAINS_FIXED_POINT ? 1e-3 : 1e-6));
        }
        sab_grains_destroy(&g);
    }
}

/* A pile of discs, row in the gaps of row between two walls, rests: the rounding of one step does
 * not grow from step to step into one that has no answer. */
static void test_pile(void)
{
    sab_grains_options o = sab_grains_options_default();
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall wall[3];
    sab_grains_report r;

    o.friction = 0.3;
    o.gravity[1] = -1.0;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, 0.3, &wall[0], NULL);
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){1, 0}, 0.3, &wall[1], NULL);
    sab_grain_wall_plane(2, (double[]){16, 0}, (double[]){-1, 0}, 0.3, &wall[2], NULL);
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    for (int row = 0; row < 6; row++)
        for (int k = 0; k < 8 - row % 2; k++)
            CU_ASSERT_FATAL(
                sab_bodies_add(b, (double[]){1.0 + 2.0 * k + row % 2, 1.0 + row * sqrt(3.0)}, 1.0,
                               PI, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 3, wall, 0, NULL, &g, NULL) == SAB_OK);
    for (int i = 0; i < 400; i++) {
        CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT_FATAL(r.converged && r.ledger.kinetic < 1e-6 && r.overlap < 1e-5);
        CU_ASSERT(i == 0 || i > 100 || r.solve.work.inner == 0); /* the impulses before bear it */
    }
    sab_grains_destroy(&g);
}

/* 64 spheres settle in a box: nothing overlaps, energy falls, and walls and weight change the
 * momentum, exactly. */
static void test_box(void)
{
    sab_grains_options o = sab_grains_options_default();
    const sab_fill_grid fill = {{4, 4, 4}, {0}, 1.0, {0.40, 0.45, 1.0, 2.0, 0.0, 0, 0, 0, 0},
                                0.025,     0.0, 3};
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall wall[5];
    double weight = 0.0, worst = 0.0, work = 0.0;
    sab_grains_report r = {0};

    o.friction = 0.3;
    o.gravity[2] = -1.0;
    o.step = 0.03;
    sab_bodies_create(3, &b, NULL);
    CU_ASSERT_FATAL(sab_grain_fill_grid(b, &fill, NULL) == SAB_OK);
    for (int w = 0; w < 5; w++) {
        double n[3] = {0}, at[3] = {0};

        n[w / 2] = w % 2 == 0 ? 1.0 : -1.0;
        at[w / 2] = w % 2 == 0 ? 0.0 : 4.0;
        sab_grain_wall_plane(3, at, n, 0.3, &wall[w], NULL);
    }
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 5, wall, 0, NULL, &g, NULL) == SAB_OK);
    for (int i = 0; i < g->bodies->n; i++)
        weight += g->bodies->mass[i];
    int steps = 0;
    for (; g->time < 14.0; steps++) {
        const double before = momentum(g);

        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT(r.converged);
        CU_ASSERT(r.ledger.gain - r.ledger.gravity <=
                  1e-3 * (r.ledger.kinetic + 0.5 * weight * r.dt * r.dt)); /* free fall */
        worst = fmax(worst, r.overlap);
        work += r.ledger.gravity;
        double push = -weight * r.dt;
        for (int w = 0; w < 5; w++)
            push += g->wall_impulse[3 * w + 2];
        CU_ASSERT_DOUBLE_EQUAL(momentum(g) - before, push, 1e-10);
    }
    CU_ASSERT(worst < 2e-4);
    CU_ASSERT(r.ledger.kinetic < 1e-2 * work); /* a loose sphere may roll for long */
    CU_ASSERT(steps > 400);
    sab_grains_destroy(&g);
}

/* A column of light discs, and far from it one that slides, light or heavy: what the floor carries
 * of the column. */
static void test_masses(void)
{
    enum { HIGH = 30 };

    for (int k = 0; k < 3; k++) {
        const double light = 1e-4, other = (double[]){1e-6, 1.0, 1e4}[k], weight = HIGH * light;
        sab_grains_options o = sab_grains_options_default();
        sab_bodies *b = NULL;
        sab_grains *g = NULL;
        sab_grain_wall wall[2];

        o.gravity[1] = -1.0;
        o.step = 0.05;
        sab_grain_wall_facet(2, (double[]){-1, 0, 1, 0}, 0.0, &wall[0], NULL);
        sab_grain_wall_facet(2, (double[]){40, 0, 90, 0}, 0.0, &wall[1], NULL);
        CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
        for (int i = 0; i < HIGH; i++)
            sab_bodies_add(b, (double[]){0.0, 0.5 + i}, 0.5, light, NULL);
        sab_bodies_add(b, (double[]){50.0, 0.5}, 0.5, other, NULL);
        b->velocity[3 * HIGH] = 1.0;
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, 2, wall, 0, NULL, &g, NULL) == SAB_OK);
        for (int i = 0; i < 200; i++) {
            const sab_grains_report r = run(g, 1);

            CU_ASSERT(r.overlap < 1e-4);
            if (i >= 50)
                CU_ASSERT_DOUBLE_EQUAL(g->wall_impulse[1] / r.dt, weight, 0.02 * weight);
        }
        sab_grains_destroy(&g);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"the gap of a sliding disc", test_gap},
                                     {"nine stored errors", test_stored_errors},
                                     {"order in time", test_order},
                                     {"when a disc rolls", test_rolling},
                                     {"a point mass thrown along a plane", test_point_mass},
                                     {"a point mass that falls and slides", test_falling_mass},
                                     {"the energy of one contact", test_ledger},
                                     {"a stack carries what is above", test_stack},
                                     {"two grains hit", test_collision},
                                     {"without friction; with restitution", test_frictionless},
                                     {"a ball rolls and turns", test_ball},
                                     {"spins turn what is turned", test_turning},
                                     {"exact bounces", test_bounce},
                                     {"struck by a wall", test_struck},
                                     {"lengths of steps", test_lengths},
                                     {"the first example of the active set", test_first_example},
                                     {"a wall that moves", test_moving_wall},
                                     {"squeezed out beyond reach", test_squeezed},
                                     {"outer iterations", test_outer_iterations},
                                     {"spheres on a plane by all laws", test_overlap},
                                     {"a pile rests", test_pile},
                                     {"light grains beside a heavy one", test_masses},
                                     {"spheres settle in a box", test_box}};

    return SAB_TEST_MAIN("grains", tests);
}

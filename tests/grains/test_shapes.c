/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ellipses that move, and rooms that repeat themselves: the rows of contacts are the derivatives of
 * the gaps, a rocking ellipse has its period, what does not depend on a shift of everything does
 * not, and momentum stays across the seam. */
#include "unit.h"

#include "base/memory.h"

#include "grains/fill.h"
#include "grains/grains.h"
#include "grains/repeat.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static double between(double low, double high, unsigned long long *seed)
{
    return low + (high - low) * sab_test_random(seed);
}

static void add_random(sab_bodies *b, const double *x, unsigned long long *seed)
{
    const double axis[2] = {between(0.3, 1.0, seed), between(0.3, 1.0, seed)};

    CU_ASSERT_FATAL(sab_bodies_add_ellipse(b, x, axis, between(0.0, 2.0 * PI, seed),
                                           between(1.0, 2.0, seed), NULL) == SAB_OK);
    for (int k = 0; k < b->freedoms; k++)
        b->velocity[(b->n - 1) * b->freedoms + k] = between(-1.0, 1.0, seed);
}

/* The gap of a pair a little later and a little earlier, against the normal row of its contact. */
static void test_rows(void)
{
    const double dt = 1e-5, still[3] = {0.0};
    unsigned long long seed = 21;
    int walls = 0, grains = 0;

    for (int trial = 0; trial < 400; trial++) {
        const sab_contact_law law = {0.5, 0.0, false};
        sab_bodies *b = NULL;
        sab_grain_wall wall[3];
        sab_pairs pairs = {0};
        sab_program *p = NULL;
        double scale[8], held[8], gamma[16];

        sab_grain_wall_plane(2, (double[]){0, -1.5}, (double[]){between(-1, 1, &seed), 1}, 0.2,
                             &wall[0], NULL);
        sab_grain_wall_facet(2, (double[]){0.5, 1.5, between(1, 3, &seed), 2.0}, 0.2, &wall[1],
                             NULL);
        sab_grain_wall_bead((double[]){-1.4, 0.3}, 0.2, 0.2, &wall[2], NULL);
        sab_bodies_create(2, &b, NULL);
        add_random(b, (double[]){0.0, between(-0.2, 0.2, &seed)}, &seed);
        add_random(b, (double[]){between(1.2, 2.0, &seed), between(-1.0, 1.0, &seed)}, &seed);
        CU_ASSERT_FATAL(sab_pairs_find(&pairs, b, 3, wall, 1.0, NULL) == SAB_OK);
        if (pairs.n > 0) {
            CU_ASSERT_FATAL(sab_contact_program(b, wall, &pairs, &law, still, 1e9, scale, held, &p,
                                                NULL) == SAB_OK);
            sab_blocks_multiply(p->B, b->velocity, gamma);
        }
        for (int q = 0; q < pairs.n; q++) {
            sab_pair later = pairs.pair[q], earlier = later;

            sab_bodies_move(b, dt);
            CU_ASSERT_EQUAL(sab_pair_measure(b, wall, &later, NULL), SAB_OK);
            sab_bodies_move(b, -2.0 * dt);
            CU_ASSERT_EQUAL(sab_pair_measure(b, wall, &earlier, NULL), SAB_OK);
            sab_bodies_move(b, dt);
            CU_ASSERT_DOUBLE_EQUAL((later.gap - earlier.gap) / (2.0 * dt), gamma[2 * q] / scale[q],
                                   2e-7);
            *(later.j < b->n ? &grains : &walls) += 1;
        }
        sab_program_destroy(&p);
        sab_pairs_clear(&pairs);
        sab_bodies_destroy(&b);
    }
    CU_ASSERT(grains > 100 && walls > 300);
}

/* An ellipse on its flat side with friction, let go at a small angle: when it is at the other end
 * of its way, and how far it overlaps and what energy it makes until then. */
static double rock(double a, double c, double angle, double dt, double *overlap, double *made)
{
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall floor;
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grains_report r;
    double turned = 0.0;

    o.friction = 1.0;
    o.gravity[1] = -1.0;
    o.step = dt;
    o.solver.tolerance = 1e-10;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, 1.0, &floor, NULL);
    sab_bodies_create(2, &b, NULL);
    sab_bodies_add_ellipse(b, (double[]){0.0, hypot(c * cos(angle), a * sin(angle))},
                           (double[]){a, c}, angle, 2.0, NULL);
    CU_ASSERT_DOUBLE_EQUAL(b->inertia[0], 0.25 * 2.0 * (a * a + c * c), 1e-14);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, NULL) == SAB_OK);
    *overlap = *made = 0.0;
    for (int k = 0; k * dt < 8.0 && turned == 0.0; k++) {
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT(r.converged && fabs(r.ledger.defect) < 1e-13);
        *overlap = fmax(*overlap, r.overlap);
        *made += r.made;
        if (g->time > 1.0 && g->bodies->velocity[2] >= 0.0)
            turned = g->time;
    }
    CU_ASSERT(g->bodies->orientation[0] < -0.95 * angle);
    sab_grains_destroy(&g);
    return turned;
}

/* (I + m b^2) theta'' = -m g (a^2 - b^2)/b theta, I = m (a^2 + b^2)/4. Order 1 in time damps it,
 * and leaves the period. Turning overlaps by what is of order 2, and so is the energy that pushing
 * that out makes, a part of what swings. */
static void test_rocking(void)
{
    const double a = 1.5, c = 1.0, begin = 0.02;
    const double rate = sqrt((a * a - c * c) / c / (0.25 * (a * a + c * c) + c * c)),
                 swings = 2.0 * (a * a - c * c) / (2.0 * c) * begin * begin;
    double overlap[2], made[2];

    rock(a, c, begin, 2e-3, &overlap[0], &made[0]);
    CU_ASSERT_DOUBLE_EQUAL(rock(a, c, begin, 1e-3, &overlap[1], &made[1]), PI / rate,
                           0.005 * PI / rate);
    CU_ASSERT(overlap[1] > 0.0 && fabs(overlap[0] / overlap[1] - 4.0) < 0.2);
    CU_ASSERT(fabs(made[0] / made[1] - 4.0) < 0.4 && made[1] < 1e-6 * swings);
}

/* Two that touch hit each other: momentum and angular momentum stay, to rounding. */
static void test_collision(void)
{
    unsigned long long seed = 31;

    for (int trial = 0; trial < 50; trial++) {
        sab_grains_options o = sab_grains_options_default();
        sab_bodies *b = NULL;
        sab_grains *g = NULL;
        sab_grains_report r;
        double sum[2][3] = {{0}};

        o.friction = 0.3;
        o.step = 1e-9; /* they stay where they are */
        o.restitution = trial % 2 == 0 ? 0.0 : 0.6;
        o.solver.tolerance = 1e-12;
        sab_bodies_create(2, &b, NULL);
        add_random(b, (double[]){0.0, 0.0}, &seed);
        add_random(b, (double[]){0.0, 0.0}, &seed);
        const double n[2] = {cos(0.1 * trial), sin(0.1 * trial)};
        double x[2], y[2];
        sab_bodies_arm(b, 0, n, x);
        sab_bodies_arm(b, 1, n, y);
        for (int k = 0; k < 2; k++) {
            b->position[2 + k] = x[k] + y[k];
            b->velocity[k] = 0.5 * n[k];
            b->velocity[3 + k] = -0.5 * n[k];
        }
        b->velocity[2] = b->velocity[5] = 0.1;
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, 0, NULL, 0, NULL, &g, NULL) == SAB_OK);
        for (int after = 0; after < 2; after++) {
            for (int i = 0; i < 2; i++) {
                const double *v = g->bodies->velocity + 3 * i, *p = g->bodies->position + 2 * i;
                const double m = g->bodies->mass[i];

                sum[after][0] += m * v[0];
                sum[after][1] += m * v[1];
                sum[after][2] += g->bodies->inertia[i] * v[2] + m * (p[0] * v[1] - p[1] * v[0]);
            }
            if (after == 0)
                CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        }
        CU_ASSERT(r.loaded == 1 && r.converged);
        for (int k = 0; k < 3; k++)
            CU_ASSERT_DOUBLE_EQUAL(sum[1][k], sum[0][k], k < 2 ? 1e-14 : 1e-8);
        sab_grains_destroy(&g);
    }
}

/* A bar of length 2 falls on a plane, leaning, and slides on its tip until it lies down: places
 * after each step, x in x[0]. */
static const double SLIDING = 0.3, GRAVITY = 9.81, BEGIN = 1.2, SPEED = 3.0, LEAN = 0.785398163397;

static void drop_bar(sab_grains_scheme scheme, double dt, double end, double *x, double *y)
{
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall floor;
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grains_report r;

    o.scheme = scheme;
    o.gravity[1] = -GRAVITY;
    o.step = dt;
    o.travel = 0.0;
    o.solver.tolerance = 1e-10;
    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){0, 1}, SLIDING, &floor, NULL);
    sab_bodies_create(2, &b, NULL);
    sab_bodies_add_ellipse(b, (double[]){0.0, BEGIN}, (double[]){1.0, 1e-3}, LEAN, 1.0, NULL);
    b->inertia[0] = 1.0 / 3.0; /* of a rod */
    b->velocity[0] = SPEED;
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, NULL) == SAB_OK);
    for (int k = 0; (k + 0.5) * dt < end; k++) {
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        CU_ASSERT(r.converged);
        y[k] = g->bodies->position[1];
    }
    *x = g->bodies->position[0];
    sab_grains_destroy(&g);
}

/* The same by hand: free fall; an impact that leaves the tip on the plane, sliding, P_T = -mu P_N;
 * then y = sin(angle), x'' = -mu N, angle'' = -3 (cos + mu sin) N. */
static void slide_bar(double end, double *x, double *y)
{
    const double fall = sqrt(2.0 * (BEGIN - sin(LEAN)) / GRAVITY);
    const double s = sin(LEAN), c = cos(LEAN), arm = 3.0 * (c + SLIDING * s),
                 impulse = GRAVITY * fall / (1.0 + c * arm);
    const int steps = 20000;
    const double h = (end - fall) / steps;
    double at[4] = {SPEED * fall, LEAN, SPEED - SLIDING * impulse, -arm * impulse};

    for (int k = 0; k < steps; k++) { /* Heun's method */
        double slope[2][4], next[4];

        memcpy(next, at, sizeof at);
        for (int e = 0; e < 2; e++) {
            const double sine = sin(next[1]), cosine = cos(next[1]), spin = next[3];
            const double turn = 3.0 * (cosine + SLIDING * sine),
                         N = (GRAVITY - sine * spin * spin) / (1.0 + cosine * turn);

            CU_ASSERT_FATAL(N > 0.0 && next[2] + sine * spin > 0.0); /* it presses, and slides */
            memcpy(slope[e], (double[]){next[2], spin, -SLIDING * N, -turn * N}, sizeof next);
            for (int i = 0; i < 4; i++)
                next[i] = at[i] + h * slope[0][i];
        }
        for (int i = 0; i < 4; i++)
            at[i] += 0.5 * h * (slope[0][i] + slope[1][i]);
    }
    *x = at[0];
    *y = sin(at[1]);
}

/* Anitescu's bar [2006, example 3, whose numbers are not printed]: order 1 towards the motion of
 * Coulomb's law, and the relaxed law towards the same, its difference scaled as there. */
static void test_bar(void)
{
    enum { HALVINGS = 7 };
    static double exact[1000], relaxed[1000];
    const double end = 0.5;
    double x, y, error[HALVINGS], apart[HALVINGS], other;

    slide_bar(end, &x, &y);
    for (int j = 0; j < HALVINGS; j++) {
        const double dt = 0.1 / (1 << j);
        const int steps = (int)lround(end / dt);
        double square = 0.0, last;

        drop_bar(SAB_GRAINS_COULOMB, dt, end, &last, exact);
        drop_bar(SAB_GRAINS_RELAXED, dt, end, &other, relaxed);
        for (int k = 0; k < steps; k++)
            square += (exact[k] - relaxed[k]) * (exact[k] - relaxed[k]);
        apart[j] = sqrt(square) / (1 << j);
        error[j] = hypot(last - x, exact[steps - 1] - y);
    }
    for (int j = 2; j < HALVINGS; j++)
        CU_ASSERT(error[j] < 0.55 * error[j - 1]);
    CU_ASSERT(error[HALVINGS - 1] < 5e-3);
    CU_ASSERT(apart[HALVINGS - 1] < 3e-3 * apart[0]);
}

/* Grains in a room that repeats itself along the axes `around` (bits), over a floor if y does not.
 */
static sab_grains *make_room(int dim, int around, bool ellipses, const double *shift)
{
    const double length = 8.0;
    const sab_fill_grid fill = {.count = {5, 5, dim == 3 ? 5 : 1},
                                .low = {0.0, 0.05, 0.0},
                                .pitch = 1.6,
                                .jitter = 0.1,
                                .sizes = {.radius_min = 0.5,
                                          .radius_max = 0.65,
                                          .density = 1.0,
                                          .second_min = 0.4,
                                          .second_max = ellipses ? 0.65 : 0.0,
                                          .angle_max = 3.0},
                                .seed = 4};
    sab_grains_options o = sab_grains_options_default();
    sab_grain_wall floor;
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    unsigned long long seed = 9;
    int walls = 0;

    o.friction = 0.3;
    o.restitution = 0.5;
    o.step = 0.02;
    o.reach = 0.4;
    o.solver.tolerance = 1e-11;
    CU_ASSERT_FATAL(sab_bodies_create(dim, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grain_fill_grid(b, &fill, NULL) == SAB_OK);
    for (int i = 0; i < b->n; i++) {
        for (int k = 0; k < dim; k++)
            b->position[i * dim + k] += shift[k];
        for (int k = 0; k < b->freedoms; k++)
            b->velocity[i * b->freedoms + k] = between(-1.0, 1.0, &seed);
    }
    for (int k = 0; k < dim; k++)
        if (around >> k & 1)
            b->box.length[k] = length;
    if (!(around & 2)) {
        o.gravity[1] = -1.0;
        sab_grain_wall_plane(dim, (double[]){0.0, shift[1], 0.0}, (double[]){0, 1, 0}, 0.3, &floor,
                             NULL);
        walls = 1;
    }
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, walls, &floor, 0, NULL, &g, NULL) == SAB_OK);
    return g;
}

/* Everything moved by any vector (along y only where that repeats itself too, or with the floor):
 * the same velocities. And momentum, to rounding, step by step. */
static void test_shift(void)
{
    const double here[3] = {0.0}, there[3] = {3.37, -5.21, 101.3};

    for (int trial = 0; trial < 6; trial++) {
        const int dim = trial == 5 ? 3 : 2, around = trial < 2 ? 1 : trial == 5 ? 7 : 3;
        const bool ellipses = dim == 2 && trial % 2 == 1;
        sab_grains *g = make_room(dim, around, ellipses, here),
                   *h = make_room(dim, around, ellipses, there);
        const sab_bodies *b = g->bodies, *c = h->bodies;
        double before[3] = {0}, worst = 0.0;
        int across = 0;

        for (int step = 0; step < 60; step++) {
            double after[3] = {0}, weight = 0.0;
            sab_grains_report r;

            CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT_FATAL(r.converged);
            CU_ASSERT(r.overlap < 2e-3 && fabs(r.ledger.defect) < 1e-10);
            for (int i = 0; i < b->n; i++) {
                weight += b->mass[i];
                for (int k = 0; k < dim; k++)
                    after[k] += b->mass[i] * b->velocity[i * b->freedoms + k];
            }
            for (int k = 0; k < dim && step > 0; k++) {
                const double push = g->nwalls > 0 ? g->wall_impulse[k] : 0.0;

                CU_ASSERT_DOUBLE_EQUAL(after[k] - before[k],
                                       push + r.dt * weight * g->options.gravity[k], 1e-12);
            }
            memcpy(before, after, sizeof before);
            CU_ASSERT_FATAL(sab_grains_step(h, NULL, &r, NULL) == SAB_OK);
            for (int q = 0; q < g->pairs.n; q++) {
                const sab_pair *p = &g->pairs.pair[q];

                across +=
                    p->j < b->n && fabs(b->position[p->i * dim] - b->position[p->j * dim]) > 4.0;
            }
        }
        CU_ASSERT(across > 50);
        for (int i = 0; i < b->n * b->freedoms; i++)
            worst = fmax(worst, fabs(b->velocity[i] - c->velocity[i]));
        CU_ASSERT(worst < 1e-6);
        sab_grains_destroy(&g);
        sab_grains_destroy(&h);
    }
}

/* All pairs, with all images, against the cells; from rooms of two cells on. */
static void test_images(void)
{
    unsigned long long seed = 17;
    sab_pairs pairs = {0};
    sab_error err;

    for (int trial = 0; trial < 60; trial++) {
        const int dim = 2 + trial % 2, n = 40;
        const double length = between(4.9, 20.0, &seed), reach = between(0.0, 0.4, &seed);
        sab_bodies *b = NULL;
        int found = 0;

        sab_bodies_create(dim, &b, NULL);
        for (int i = 0; i < n; i++) {
            double x[3];

            for (int k = 0; k < dim; k++) /* also far out of the box */
                x[k] = between(-30.0, 30.0, &seed);
            sab_bodies_add(b, x, between(0.3, 1.0, &seed), 1.0, NULL);
        }
        for (int k = 0; k < dim; k++) {
            b->box.low[k] = between(-3.0, 3.0, &seed);
            b->box.length[k] = trial % 4 == 0 && k == 1 ? 0.0 : length;
        }
        CU_ASSERT_FATAL(sab_pairs_find(&pairs, b, 0, NULL, reach, NULL) == SAB_OK);
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                double square = 0.0;

                for (int k = 0; k < dim; k++) {
                    double way = b->position[i * dim + k] - b->position[j * dim + k];

                    while (b->box.length[k] > 0.0 && way > 0.5 * length)
                        way -= length;
                    while (b->box.length[k] > 0.0 && way < -0.5 * length)
                        way += length;
                    square += way * way;
                }
                const double gap = sqrt(square) - b->radius[i] - b->radius[j];
                if (gap > reach)
                    continue;
                CU_ASSERT_FATAL(found < pairs.n);
                CU_ASSERT(pairs.pair[found].i == i && pairs.pair[found].j == j);
                CU_ASSERT_DOUBLE_EQUAL(pairs.pair[found].gap, gap, 1e-12);
                found++;
            }
        CU_ASSERT_EQUAL(found, pairs.n);
        b->box.length[0] = 4.0 * sab_bodies_largest(b) + 2.0 * reach - 1e-9;
        CU_ASSERT_EQUAL(sab_pairs_find(&pairs, b, 0, NULL, reach, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "grains.periodic.x: "));
        sab_bodies_destroy(&b);
    }
    sab_pairs_clear(&pairs);
}

/* A disc and an ellipse without friction on a floor that is one segment as long as the room: they
 * go round and round at the same speed, over the seam, which is no edge. Then the floor moves. */
static void test_round(void)
{
    for (int trial = 0; trial < 2; trial++) {
        sab_grains_options o = sab_grains_options_default();
        sab_grain_wall floor;
        sab_bodies *b = NULL;
        sab_grains *g = NULL;
        sab_grains_report r;
        sab_error err;

        o.gravity[1] = -1.0;
        o.reach = 0.2;
        o.solver.tolerance = 1e-12;
        sab_grain_wall_facet(2, (double[]){-1, 0, 4, 0}, 0.0, &floor, NULL);
        sab_bodies_create(2, &b, NULL);
        b->box = (sab_box){{0.0}, {5.0}};
        if (trial == 0)
            sab_bodies_add(b, (double[]){1.0, 0.5}, 0.5, 1.0, NULL);
        else
            sab_bodies_add_ellipse(b, (double[]){1.0, 0.5}, (double[]){0.8, 0.5}, 0.0, 1.0, NULL);
        b->velocity[0] = 1.0;
        CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, &err) == SAB_OK);
        CU_ASSERT_EQUAL(g->nwalls, 3);
        for (int k = 0; k < 160; k++) {
            CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[0], 1.0, 1e-10);
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[1], 0.5, 1e-9);
            CU_ASSERT_EQUAL(g->nimpulses, 1);
        }
        CU_ASSERT_DOUBLE_EQUAL(g->bodies->position[0], 17.0, 1e-8);
        double x[2];
        sab_bodies_place(g->bodies, 0, x);
        CU_ASSERT_DOUBLE_EQUAL(x[0], 2.0, 1e-8);
        for (int w = 0; w < g->nwalls; w++) {
            g->wall[w].friction = 0.5;
            g->wall[w].velocity[0] = 3.0;
        }
        for (int k = 0; k < 200; k++) {
            CU_ASSERT_FATAL(sab_grains_advance(g, 0.1, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT(g->nimpulses >= 1 && r.overlap < 1e-2);
            for (int w = 0; w < g->nwalls; w++) {
                const double middle = 0.5 * (g->wall[w].corner[0][0] + g->wall[w].corner[1][0]);

                CU_ASSERT(middle >= 5.0 * g->wall[w].image[0] - 1e-9 &&
                          middle < 5.0 * (g->wall[w].image[0] + 1) + 1e-9);
            }
        }
        if (trial == 0) /* it rolls: the floor at 3 is its contact */
            CU_ASSERT_DOUBLE_EQUAL(g->bodies->velocity[0] + 0.5 * g->bodies->velocity[2], 3.0,
                                   1e-9);
        sab_grains_destroy(&g);
    }
}

/* What cannot be there in a room that repeats itself; a state with ellipses in it, and back. */
static void test_input(void)
{
    const sab_box box = {{0.0}, {5.0}};
    const double no_shift[3] = {0.0};
    sab_grain_wall wall, *copy = NULL;
    sab_error err;
    int copies;
    sab_bodies *b = NULL;

    sab_grain_wall_plane(2, (double[]){0, 0}, (double[]){1e-3, 1}, 0.0, &wall, NULL);
    CU_ASSERT_EQUAL(sab_walls_repeat(&box, 1, &wall, &copies, &copy, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "once"));
    SAB_FREE(copy);
    sab_grain_wall_facet(2, (double[]){0, 0, 5.1, 1}, 0.0, &wall, NULL);
    CU_ASSERT_EQUAL(sab_walls_repeat(&box, 1, &wall, &copies, &copy, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "5.1 long along x"));
    SAB_FREE(copy);
    CU_ASSERT_EQUAL(sab_grain_wall_bead((double[]){0, 0}, 0.0, 0.1, &wall, &err), SAB_ERR_INPUT);
    sab_bodies_create(3, &b, NULL);
    CU_ASSERT_EQUAL(
        sab_bodies_add_ellipse(b, (double[]){0, 0, 0}, (double[]){1, 2}, 0.0, 1.0, &err),
        SAB_ERR_INPUT);
    sab_bodies_destroy(&b);

    sab_grains *g = make_room(2, 1, true, no_shift), *other = make_room(2, 1, true, no_shift);
    sab_grains_state half = {0}, end = {0}, again = {0};
    sab_grains_report r;
    for (int k = 0; k < 40; k++) {
        CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        if (k == 19)
            CU_ASSERT_FATAL(sab_grains_get_state(g, &half, NULL) == SAB_OK);
    }
    other->bodies->axis[3] = 0.1; /* a state brings its own */
    CU_ASSERT_FATAL(sab_grains_set_state(other, &half, NULL) == SAB_OK);
    for (int k = 0; k < 20; k++)
        CU_ASSERT_FATAL(sab_grains_step(other, NULL, &r, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_get_state(g, &end, NULL) == SAB_OK &&
                    sab_grains_get_state(other, &again, NULL) == SAB_OK);
    CU_ASSERT(end.nreal == again.nreal &&
              memcmp(end.real, again.real, end.nreal * sizeof *end.real) == 0);
    sab_grains_state_clear(&half);
    sab_grains_state_clear(&end);
    sab_grains_state_clear(&again);
    sab_grains_destroy(&g);
    sab_grains_destroy(&other);
}

int main(void)
{
    static const sab_test tests[] = {{"rows are derivatives of gaps", test_rows},
                                     {"an ellipse that rocks", test_rocking},
                                     {"two ellipses hit", test_collision},
                                     {"a bar that falls", test_bar},
                                     {"all images against cells", test_images},
                                     {"everything shifted; momentum", test_shift},
                                     {"round and round", test_round},
                                     {"bad input; a state", test_input}};

    return SAB_TEST_MAIN("grains/shapes", tests);
}

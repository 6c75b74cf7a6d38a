/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fifty steps of discs and spheres, falling, sliding and locked: Gauss-Seidel, an interior point
 * and spectral gradients find the same velocities. Forces of locked packings are not unique. */
#include "unit.h"

#include "base/memory.h"
#include "grains/fill.h"
#include "grains/grains.h"
#include "linalg/threads.h"
#include "solve/gauss_seidel.h"

#include <math.h>
#include <string.h>

static sab_grains *scene(int dim, double friction, uint64_t seed)
{
    sab_grains_options o = sab_grains_options_default();
    const sab_fill_grid fill = {.count = {4, dim == 2 ? 6 : 3, 3},
                                .pitch = 1.0,
                                .sizes = {0.40, 0.47, 1.0, 2.0, 0.0},
                                .jitter = 0.02,
                                .seed = seed};
    const int nwalls = 2 * dim - 1;
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_grain_wall wall[5];

    o.friction = friction;
    o.gravity[dim - 1] = -1.0;
    o.step = 0.05;
    o.solver.tolerance = 1e-4;
    CU_ASSERT_FATAL(sab_bodies_create(dim, &b, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grain_fill_grid(b, &fill, NULL) == SAB_OK);
    for (int w = 0; w < nwalls; w++) { /* floor, and sides */
        double n[3] = {0}, at[3] = {0};
        const int k = w == 0 ? dim - 1 : (w - 1) / 2;

        n[k] = w == 0 || w % 2 == 1 ? 1.0 : -1.0;
        at[k] = n[k] > 0.0 ? 0.0 : 4.0;
        sab_grain_wall_plane(dim, at, n, friction, &wall[w], NULL);
    }
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, nwalls, wall, 0, NULL, &g, NULL) == SAB_OK);
    return g;
}

enum { MOST_UNKNOWNS = 1000, MOST_ROWS = 3000, METHODS = 3 };

typedef struct answer {
    double u[MOST_UNKNOWNS], lambda[MOST_ROWS];
    bool solved;
} answer;

/* Solve by a method, from what the answer holds. */
static void solve_by(const sab_program *p, sab_method method, double tolerance, answer *a)
{
    sab_solver_options o = sab_solver_options_default();
    sab_solver *solver = NULL;
    sab_report report;

    o.method = method;
    o.tolerance = tolerance;
    o.max_iterations = 1000;
    CU_ASSERT_FATAL(p->n <= MOST_UNKNOWNS && p->npoints * p->s <= MOST_ROWS);
    CU_ASSERT_FATAL(sab_solver_create(&o, p, &solver, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_solver_run(solver, p, true, a->lambda, a->u, NULL, &report, NULL) ==
                    SAB_OK);
    a->solved = report.reason == SAB_CONVERGED;
    sab_solver_destroy(&solver);
}

/* |u_a - u_b|_A / |A^-1 l|_A: relative to the unresisted motion. */
static double apart(const sab_program *p, const answer *a, const answer *b)
{
    double sum = 0.0, size = 0.0;

    for (int i = 0; i < p->n; i++) {
        const double d = a->u[i] - b->u[i];

        sum += p->A->value[i] * d * d;
        size += p->l[i] * p->l[i] / p->A->value[i];
    }
    return sqrt(sum / size);
}

typedef struct score {
    int programs, solved[METHODS], compared, several;
    double worst;
} score;

/* Answers of the program by all methods. One of Coulomb's law may have several: that is told by two
 * that stay apart when each is solved a hundred times better from where it is. The relaxed law is
 * convex, and has one velocity. */
static void compare(const sab_program *p, bool one, score *s)
{
    static const sab_method method[METHODS] = {SAB_METHOD_GS, SAB_METHOD_IPM_EXACT,
                                               SAB_METHOD_ASPG};
    static answer a[METHODS];
    const double agree = 1e-6;

    s->programs++;
    for (int m = 0; m < METHODS; m++) {
        memset(&a[m], 0, sizeof a[m]);
        solve_by(p, method[m], 1e-8, &a[m]);
        s->solved[m] += a[m].solved;
    }
    for (int m = 1; m < METHODS; m++)
        for (int k = 0; k < m; k++) {
            double distance = apart(p, &a[m], &a[k]);

            if (!a[m].solved || !a[k].solved)
                continue;
            s->compared++;
            if (distance > agree) {
                solve_by(p, SAB_METHOD_GS, 1e-10, &a[m]);
                solve_by(p, SAB_METHOD_GS, 1e-10, &a[k]);
                distance = apart(p, &a[m], &a[k]);
                if (distance > agree) {
                    CU_ASSERT(!one && a[m].solved && a[k].solved);
                    s->several++;
                    continue;
                }
            }
            s->worst = fmax(s->worst, distance);
        }
}

static void test_agreement(void)
{
    score coulomb = {0}, relaxed = {0};

    for (int k = 0; k < 10; k++) { /* ten scenes, five steps of each */
        sab_grains *g = scene(k % 2 == 0 ? 2 : 3, 0.1 + 0.05 * k, (uint64_t)(k + 1));

        for (int s = 0; s < 5; s++) {
            sab_grains_report r;
            sab_program *p = NULL;

            for (int i = 0; i < 12; i++)
                CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT_FATAL(sab_grains_program(g, &p, NULL) == SAB_OK && p != NULL);
            compare(p, false, &coulomb);
            memcpy(p->dilatancy, p->friction, (size_t)p->npoints * sizeof *p->friction);
            compare(p, true, &relaxed);
            sab_program_destroy(&p);
        }
        sab_grains_destroy(&g);
    }
    for (int k = 0; k < 2; k++) {
        const score *s = k == 0 ? &coulomb : &relaxed;

        printf("\n    %s: of %d programs gs solves %d, ipm-exact %d, aspg %d to 1e-8; of %d pairs "
               "of answers %d are two, the others within %.1e",
               k == 0 ? "Coulomb" : "relaxed", s->programs, s->solved[0], s->solved[1],
               s->solved[2], s->compared, s->several, s->worst);
        CU_ASSERT_EQUAL(s->programs, 50);
        CU_ASSERT(s->worst <= 1e-6);
        CU_ASSERT(s->compared >= 100 && s->several <= s->compared / 20);
    }
}

/* lambda after some sweeps from nothing, and whether they were those of round bodies. */
static bool sweep(const sab_program *p, bool conjugate, int most, double *lambda)
{
    sab_gauss_seidel *gs = NULL;
    int sweeps = 0;

    CU_ASSERT_FATAL(p->npoints * p->s <= MOST_ROWS);
    memset(lambda, 0, (size_t)(p->npoints * p->s) * sizeof *lambda);
    CU_ASSERT_FATAL(sab_gauss_seidel_create(p, &gs, NULL) == SAB_OK);
    sab_gauss_seidel_run(gs, p, conjugate, most / 2, lambda, &sweeps);
    sab_gauss_seidel_run(gs, p, conjugate, most - most / 2, lambda, &sweeps);
    const bool round = sab_gauss_seidel_is_round(gs);
    sab_gauss_seidel_destroy(&gs);
    return round;
}

/* With weights of 2 for 1 the program is the same but for a factor of lambda, and not that of round
 * bodies: sweeps over the blocks of B. Both go the same way. */
static void compare_sweeps(sab_program *p)
{
    static double round[MOST_ROWS], blocks[MOST_ROWS];

    for (int k = 0; k < 6; k++) {
        double apart = 0.0, size = 0.0;
        const int most = (int[]){1, 2, 15}[k % 3];

        CU_ASSERT(sweep(p, k < 3, most, round));
        for (int q = 0; q < p->npoints; q++)
            p->weight[q] = 2.0;
        CU_ASSERT(!sweep(p, k < 3, most, blocks));
        for (int q = 0; q < p->npoints; q++)
            p->weight[q] = 1.0;
        for (int i = 0; i < p->npoints * p->s; i++) {
            apart = fmax(apart, fabs(round[i] - 2.0 * blocks[i]));
            size = fmax(size, fabs(round[i]));
        }
        CU_ASSERT(size > 0.0);
        CU_ASSERT(apart <= 1e-11 * size);
    }
}

static void test_round(void)
{
    for (int k = 0; k < 4; k++) {
        const int dim = 2 + k % 2;
        static double lambda[MOST_ROWS];
        sab_grains *g = scene(dim, 0.4, (uint64_t)(k + 1));
        sab_grains_report r;
        sab_program *p = NULL;

        for (int i = 0; i < 40; i++)
            CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
        if (k >= 2) { /* a floor that moves along itself, and up */
            g->wall[0].velocity[0] = 0.3;
            g->wall[0].velocity[dim - 1] = 0.1;
        }
        CU_ASSERT_FATAL(sab_grains_program(g, &p, NULL) == SAB_OK && p != NULL);
        compare_sweeps(p);
        memcpy(p->dilatancy, p->friction, (size_t)p->npoints * sizeof *p->friction);
        compare_sweeps(p);
        /* an arm, a mass, an inertia, a direction that no disc or sphere has */
        double *entry[] = {
            &p->B->value[dim == 2 ? p->B->column_start[1] + 2 : p->B->column_start[1] + 3],
            &p->A->value[1], &p->A->value[dim == 2 ? 0 : 4], &p->B->value[1]};
        for (int i = 0; i < 4; i++) {
            const double kept = *entry[i];

            *entry[i] += 1e-6 * fmax(1.0, fabs(kept));
            CU_ASSERT(!sweep(p, true, 2, lambda));
            *entry[i] = kept;
        }
        CU_ASSERT(sweep(p, true, 2, lambda));
        sab_program_destroy(&p);
        sab_grains_destroy(&g);
    }
}

/* A wall of discs, several parts: the same bits on one thread and on two. */
static void test_threads(void)
{
    enum { SIDE = 60 };
    sab_grains_options o = sab_grains_options_default();
    sab_bodies *b = NULL;
    sab_grains *g = NULL;
    sab_program *p = NULL;
    double *lambda[2] = {NULL, NULL};
    int loaded = 0;
    sab_grain_wall floor;

    o.friction = 0.3;
    o.reach = 0.05;
    o.gravity[1] = -1.0;
    CU_ASSERT_FATAL(sab_bodies_create(2, &b, NULL) == SAB_OK);
    for (int i = 0; i < SIDE * SIDE; i++)
        sab_bodies_add(b, (double[]){i % SIDE + 0.5 * (i / SIDE % 2), 0.5 + 0.866 * (i / SIDE)},
                       0.5, 1.0 + i % 7, NULL);
    sab_grain_wall_plane(2, (double[]){0.0, 0.0}, (double[]){0.0, 1.0}, 0.3, &floor, NULL);
    CU_ASSERT_FATAL(sab_grains_create(&o, &b, 1, &floor, 0, NULL, &g, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_grains_program(g, &p, NULL) == SAB_OK && p != NULL);
    CU_ASSERT_FATAL(p->npoints > 10000);
    for (int k = 0; k < 2; k++) {
        sab_gauss_seidel *gs = NULL;
        int sweeps = 0;

        sab_threads_set(1 + k);
        lambda[k] = sab_alloc((size_t)p->npoints * 2, sizeof(double));
        CU_ASSERT_FATAL(lambda[k] != NULL);
        CU_ASSERT_FATAL(sab_gauss_seidel_create(p, &gs, NULL) == SAB_OK);
        CU_ASSERT(sab_gauss_seidel_is_round(gs));
        sab_gauss_seidel_run(gs, p, true, 40, lambda[k], &sweeps);
        sab_gauss_seidel_destroy(&gs);
    }
    sab_threads_set(1);
    for (int q = 0; q < p->npoints; q++)
        loaded += lambda[0][2 * q] > 0.0;
    CU_ASSERT(loaded > SIDE * SIDE);
    CU_ASSERT_EQUAL(memcmp(lambda[0], lambda[1], (size_t)p->npoints * 2 * sizeof(double)), 0);
    SAB_FREE(lambda[0]);
    SAB_FREE(lambda[1]);
    sab_program_destroy(&p);
    sab_grains_destroy(&g);
}

int main(void)
{
    static const sab_test tests[] = {{"fifty steps by three methods", test_agreement},
                                     {"sweeps of round bodies and of any", test_round},
                                     {"the same bits on two threads", test_threads}};

    return SAB_TEST_MAIN("grains/methods", tests);
}

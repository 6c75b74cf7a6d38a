/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fifty steps of discs and spheres, falling, sliding and locked: Gauss-Seidel, an interior point
 * and spectral gradients find the same motion. Forces of locked packings are not unique, the energy
 * of the motion is. */
#include "unit.h"

#include "grains/fill.h"
#include "grains/grains.h"

#include <math.h>

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

/* u.A u of the program solved by a method; NAN if it does not get there. */
static double energy_by(const sab_program *p, sab_method method, double tolerance)
{
    sab_solver_options o = sab_solver_options_default();
    double lambda[3000] = {0}, u[1000] = {0}, energy = 0.0;
    sab_solver *solver = NULL;
    sab_report report;

    o.method = method;
    o.tolerance = tolerance;
    o.max_iterations = 3000;
    CU_ASSERT_FATAL(p->n <= 1000 && p->npoints * p->s <= 3000);
    CU_ASSERT_FATAL(sab_solver_create(&o, p, &solver, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_solver_run(solver, p, true, lambda, u, NULL, &report, NULL) == SAB_OK);
    for (int i = 0; i < p->n; i++)
        energy += p->A->value[i] * u[i] * u[i];
    sab_solver_destroy(&solver);
    return report.reason == SAB_CONVERGED ? energy : NAN;
}

static void test_agreement(void)
{
    static const sab_method method[] = {SAB_METHOD_GS, SAB_METHOD_IPM_EXACT, SAB_METHOD_ASPG};
    int compared[3] = {0}, programs = 0;
    double worst = 0.0;

    for (int k = 0; k < 10; k++) { /* ten scenes, five steps of each */
        sab_grains *g = scene(k % 2 == 0 ? 2 : 3, 0.1 + 0.05 * k, (uint64_t)(k + 1));

        for (int s = 0; s < 5; s++) {
            sab_grains_report r;
            sab_program *p = NULL;
            double size = 0.0, energy[3];

            for (int i = 0; i < 12; i++)
                CU_ASSERT_FATAL(sab_grains_step(g, NULL, &r, NULL) == SAB_OK);
            CU_ASSERT_FATAL(sab_grains_program(g, &p, NULL) == SAB_OK && p != NULL);
            for (int i = 0; i < p->n; i++) /* of the unresisted motion */
                size += p->l[i] * p->l[i] / p->A->value[i];
            for (int m = 0; m < 3; m++) {
                energy[m] = energy_by(p, method[m], 1e-8);
                compared[m] += !isnan(energy[m]);
                if (m > 0 && !isnan(energy[m]) && !isnan(energy[0]))
                    worst = fmax(worst, fabs(energy[m] - energy[0]) / size);
            }
            programs++;
            sab_program_destroy(&p);
        }
        sab_grains_destroy(&g);
    }
    printf(
        "\n    of %d programs gs solves %d, ipm-exact %d, aspg %d to 1e-8; energies differ by %.1e",
        programs, compared[0], compared[1], compared[2], worst);
    CU_ASSERT_EQUAL(programs, 50);
    CU_ASSERT(worst <= 1e-6);
    CU_ASSERT(compared[0] >= 40 && compared[1] >= 40 && compared[2] >= 25);
}

int main(void)
{
    static const sab_test tests[] = {{"fifty steps by three methods", test_agreement}};

    return SAB_TEST_MAIN("grains/methods", tests);
}

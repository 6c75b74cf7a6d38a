/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worst of the random programs of bench/robustness.c that are small enough to keep
 * (docs/benchmark.md tells how they were found). A bound is what `auto` reached when they were
 * saved, with a margin: improve it when the solver does. */
#include "unit.h"

#include "base/memory.h"
#include "io/program_file.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>

typedef struct hard {
    int seed;
    double rough, fine; /* merit to reach with tolerances 3e-2 and 1e-3 */
    bool solvable;
} hard;

static const hard programs[] = {
    /* plain pair, friction 0.55, Re 428, dt 0.1, a moving wall: stops near 2e-2 */
    {1183, 0.03, 0.03, true},
    /* Alfeld, friction 0.77, dilatancy 0.46, creeping, a moving wall: a solution exists with
     * friction 0.46, the interior points jam at once and pg-aa crawls */
    {1199, 0.6, 0.6, true},
    /* Alfeld, friction 0.53, Bi 0.35, Re 3, dt 2e-3: easy at 3e-2; at 1e-3 the chain of auto begins
     * with another method, jams, and did worse */
    {1236, 0.03, 0.6, true},
    /* plain pair, associated 0.78 (0.71), moving walls. Of the first no velocity satisfies the
     * dilatancy but for 0.3 % of the compaction of the unresisted flow, of the second only one that
     * is 1700 times faster than that flow: the stress grows with the iterations. The solver must
     * end, and not call it converged. */
    {3212, 0.0, 0.0, false},
    {3364, 0.0, 0.0, false},
};

static void check(const hard *h, double tolerance, double bound)
{
    sab_solver_options options = sab_solver_options_default();
    sab_program *p = NULL;
    sab_solver *solver = NULL;
    sab_report report;
    sab_error err = {0};
    char path[128];

    snprintf(path, sizeof path, "tests/solve/data/random-%d.sabp", h->seed);
    CU_ASSERT_EQUAL_FATAL(sab_program_read(path, &p, &err), SAB_OK);
    double *lambda = sab_alloc((size_t)p->s * (size_t)p->npoints, sizeof *lambda);
    double *u = sab_alloc((size_t)p->n, sizeof *u);
    options.tolerance = tolerance;
    CU_ASSERT_EQUAL_FATAL(sab_solver_create(&options, p, &solver, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_solver_run(solver, p, true, lambda, u, NULL, &report, &err), SAB_OK);
    const double merit = sab_certificate_merit(&report.certificate);
    CU_ASSERT(isfinite(merit));
    CU_ASSERT(report.certificate.momentum < 1e-6);
    for (int i = 0; i < p->n; i++)
        CU_ASSERT_FATAL(isfinite(u[i]));
    /* converged means that the certificate says so */
    CU_ASSERT(report.reason != SAB_CONVERGED ||
              sab_certificate_meets(&report.certificate, tolerance));
    if (h->solvable)
        CU_ASSERT(merit <= bound);
    if (!h->solvable)
        CU_ASSERT_NOT_EQUAL(report.reason, SAB_CONVERGED);
    sab_solver_destroy(&solver);
    sab_program_destroy(&p);
    SAB_FREE(lambda);
    SAB_FREE(u);
}

static void test_rough(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        check(&programs[i], 3e-2, programs[i].rough);
}

static void test_fine(void)
{
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        check(&programs[i], 1e-3, programs[i].fine);
}

static const sab_test tests[] = {
    {"tolerance 3e-2", test_rough},
    {"tolerance 1e-3", test_fine},
};

int main(void)
{
    return SAB_TEST_MAIN("hard", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/continuation.c -- bench-continuation FILE.sabp [--stages N] [--tolerance T] [--power P]
 *                         [--least S] [--iterations M] [--sweeps N] [--alone]
 *
 * From the associated law to that of the program: stage j of N has
 *     zeta_j = zeta + (1 - j/N)^P (mu - zeta),
 * stage 0 by `ipm`, which a convex program cannot jam, the others by `ipm-exact`, each from the
 * answer of the one before, M iterations at most; then N sweeps of `gs` with the law itself. A
 * stage that misses is tried again from the last one that was solved, half as long, as long as it
 * is longer than S of the whole; then the rest is gone at once. A line of each: how far it got with
 * its own law, and how far that answer is from the law of the program (natural residuals relative
 * to the unresisted motion). --alone: the last law only, from nothing.
 */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "options.h"

#include <math.h>

typedef struct way {
    const sab_program *target;
    double *lambda, *u;   /* the answer so far */
    double *copy, *speed; /* of it, to be judged */
    double *last, *flow;  /* the one that a stage begins with */
} way;

/* The residual of w->lambda by the law of the program. */
static sab_status judge(way *w, double *relative, sab_error *err)
{
    const sab_program *p = w->target;
    sab_solver_options options = sab_solver_options_default();
    sab_solver *solver = NULL;
    sab_report report;
    sab_status status = SAB_OK;

    SAB_TRY(sab_solver_create(&options, p, &solver, err));
    memcpy(w->copy, w->lambda, (size_t)p->npoints * (size_t)p->s * sizeof *w->copy);
    SAB_TRY(sab_solver_certify(solver, p, true, w->copy, w->speed, &report, err));
    *relative = report.certificate.relative;
cleanup:
    sab_solver_destroy(&solver);
    return status;
}

static sab_status stage(way *w, const sab_program *p, sab_method method, double part,
                        double tolerance, int iterations, bool *solved, sab_error *err)
{
    sab_solver_options options = sab_solver_options_default();
    sab_solver *solver = NULL;
    sab_report report;
    const double start = sab_cpu_seconds();
    double relative;
    sab_status status = SAB_OK;

    options.method = method;
    options.tolerance = tolerance;
    options.max_iterations = iterations;
    SAB_TRY(sab_solver_create(&options, p, &solver, err));
    SAB_TRY(sab_solver_run(solver, p, true, w->lambda, w->u, NULL, &report, err));
    *solved = report.reason == SAB_CONVERGED;
    const double used = sab_cpu_seconds() - start;
    SAB_TRY(judge(w, &relative, err));
    printf("| %.4f | %s | %d | %s | %.1e | %.1e | %.1f |\n", part, sab_method_table[method].name,
           report.work.inner,
           report.reason == SAB_CONVERGED ? "yes"
           : report.reason == SAB_STALLED ? "stalled"
                                          : "no",
           report.certificate.relative, relative, used);
    fflush(stdout);
cleanup:
    sab_solver_destroy(&solver);
    return status;
}

static sab_status go(int argc, char **argv, sab_error *err)
{
    const int stages =
        bench_flag(argc, argv, "--alone") ? 0 : (int)bench_number(argc, argv, "--stages", 8.0);
    const int iterations = (int)bench_number(argc, argv, "--iterations", 60.0);
    const double tolerance = bench_number(argc, argv, "--tolerance", 1e-6);
    const double power = bench_number(argc, argv, "--power", 1.0);
    const int sweeps = (int)bench_number(argc, argv, "--sweeps", 2000.0);
    sab_program *p = NULL, law = {0};
    const double least = bench_number(argc, argv, "--least", 0.02);
    double *zeta = NULL;
    bool solved;
    way w = {0};
    sab_status status = SAB_OK;

    SAB_TRY(sab_program_read(argv[1], &p, err));
    const size_t rows = (size_t)p->npoints * (size_t)p->s;
    w.target = p;
    SAB_NEW(w.lambda, rows);
    SAB_NEW(w.copy, rows);
    SAB_NEW(w.last, rows);
    SAB_NEW(w.flow, p->n);
    SAB_NEW(w.u, p->n);
    SAB_NEW(w.speed, p->n);
    SAB_NEW(zeta, p->npoints);
    law = *p; /* borrowed, but for zeta */
    law.dilatancy = zeta;
    printf("%d contacts, %d unknowns\n\n| (zeta - zeta_0)/(mu - zeta_0) | method | iterations | "
           "solved | residual | of the law itself | CPU s |\n|---|---|---|---|---|---|---|\n",
           p->npoints, p->n);
    if (stages > 0) {
        memcpy(zeta, p->friction, (size_t)p->npoints * sizeof *zeta);
        SAB_TRY(stage(&w, &law, SAB_METHOD_IPM, 1.0, tolerance, iterations, &solved, err));
    }
    for (double gone = 0.0, length = stages > 0 ? 1.0 / stages : 1.0; gone < 1.0;) {
        const bool leap = length < least || stages == 0;
        const double next = leap || gone + length > 1.0 - 1e-9 ? 1.0 : gone + length;
        const double part = pow(1.0 - next, power);

        for (int q = 0; q < p->npoints; q++)
            zeta[q] = p->dilatancy[q] + part * (p->friction[q] - p->dilatancy[q]);
        memcpy(w.last, w.lambda, rows * sizeof *w.last);
        memcpy(w.flow, w.u, (size_t)p->n * sizeof *w.flow);
        SAB_TRY(stage(&w, &law, SAB_METHOD_IPM_EXACT, part, tolerance, iterations, &solved, err));
        if (solved || leap) {
            gone = next;
            continue;
        }
        memcpy(w.lambda, w.last, rows * sizeof *w.last);
        memcpy(w.u, w.flow, (size_t)p->n * sizeof *w.flow);
        length /= 2.0;
    }
    if (sweeps > 0)
        SAB_TRY(stage(&w, p, SAB_METHOD_GS, 0.0, tolerance, sweeps / 100, &solved, err));
cleanup:
    sab_program_destroy(&p);
    SAB_FREE(w.lambda);
    SAB_FREE(w.copy);
    SAB_FREE(w.last);
    SAB_FREE(w.flow);
    SAB_FREE(w.u);
    SAB_FREE(w.speed);
    SAB_FREE(zeta);
    return status;
}

int main(int argc, char **argv)
{
    sab_error err = {0};

    if (argc < 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: bench-continuation FILE.sabp [--stages N] [--tolerance T] "
                        "[--power P] [--least S] [--iterations M] [--sweeps N] [--alone]\n");
        return 2;
    }
    bench_threads(argc, argv);
    if (go(argc, argv, &err) != SAB_OK) {
        fprintf(stderr, "bench-continuation: %s\n", err.message);
        return 1;
    }
    return 0;
}

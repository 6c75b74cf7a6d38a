/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/inertial_steps.c -- bench-inertial CASE --dt DT --steps N [--method NAME] [--tolerance G]
 *                           [--cold] [--inertia R] [--flux GROUP] [--set KEY=VALUE]...
 *
 * Time steps from rest without advection, each started from the stress of the one before. One line
 * of CSV per step; a summary on standard error, the second line of it of the steps after the first
 * WARM. */
#include "base/memory.h"
#include "base/timer.h"
#include "options.h"
#include "solve/solve.h"
#include "still_flow.h"

#include <math.h>

/* Steps until a flow from rest counts as warm. */
enum { WARM = 20 };

typedef struct totals {
    int steps, failed;
    double cpu, most, iterations, most_iterations, factorisations;
    sab_work work; /* CPU only */
} totals;

static void add_step(totals *t, const sab_report *r, double cpu)
{
    const sab_work *w = &r->work;

    t->steps++;
    t->failed += r->reason != SAB_CONVERGED;
    t->cpu += cpu;
    t->most = fmax(t->most, cpu);
    t->iterations += w->inner;
    t->most_iterations = fmax(t->most_iterations, w->inner);
    t->factorisations += w->factorisations;
    t->work.cpu_analysis += w->cpu_analysis;
    t->work.cpu_factorisation += w->cpu_factorisation;
    t->work.cpu_solve += w->cpu_solve;
    t->work.cpu_cones += w->cpu_cones;
}

static void print_totals(const char *which, const totals *t, double one)
{
    const double unit = one * t->steps;
    const sab_work *w = &t->work;

    if (t->steps == 0)
        return;
    fprintf(stderr,
            "%s%d steps: %.2f iterations (at most %.0f), %.2f factorisations, %.2f feq (at most "
            "%.1f; one is %.4f s): analysis %.2f, factorisations %.2f, solves %.2f, cones and "
            "assembly %.2f, the rest %.2f; %d not converged\n",
            which, t->steps, t->iterations / t->steps, t->most_iterations,
            t->factorisations / t->steps, t->cpu / unit, t->most / one, one, w->cpu_analysis / unit,
            w->cpu_factorisation / unit, w->cpu_solve / unit, w->cpu_cones / unit,
            (t->cpu - w->cpu_analysis - w->cpu_factorisation - w->cpu_solve - w->cpu_cones) / unit,
            t->failed);
}

/* CPU seconds of one more factorisation of A, in the conditions of this step; the median so far. */
static sab_status time_factorisation(sab_factor *factor, const sab_sparse *A, int k, double *sample,
                                     double *one, sab_error *err)
{
    const sab_status status = sab_factor_update(factor, A, err);

    sample[k] = sab_factor_get_info(factor).update_cpu;
    *one = bench_median(sample, k + 1);
    return status;
}

static void print_step(int k, double dt, const sab_report *r, double cpu, double one,
                       double discharge)
{
    const sab_certificate *c = &r->certificate;
    static const char *const reason[] = {"converged", "iterations", "stalled", "infeasible"};

    printf("%d,%.6g,%s,%s,%d,%d,%d,%d,%.6g,%.3f,%.4e,%.4e,%.4e,%.4e,%.2e,%.10g\n", k, k * dt,
           sab_method_table[r->method].name, reason[r->reason], r->work.outer, r->work.inner,
           r->work.factorisations, r->work.solves, cpu, cpu / one, c->gap, c->compaction,
           c->stress > 0.0 ? c->natural / c->stress : 0.0, c->momentum, r->change, discharge);
    fflush(stdout);
}

static sab_status march(sab_flow *flow, const sab_solver_options *options, int steps, bool cold,
                        const char *flux, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_program *p = flow->program;
    const size_t rows = (size_t)p->s * (size_t)p->npoints;
    sab_solver *solver = NULL;
    double *lambda = NULL, *u = NULL, *q = NULL, *sample = NULL, given = 0.0, one = 0.0;
    sab_factor *factor = NULL;
    totals all = {0}, warm = {0};

    SAB_NEW(lambda, rows);
    SAB_NEW(u, p->n);
    SAB_NEW(q, p->n);
    SAB_NEW(sample, steps + 3);
    SAB_TRY(sab_factor_create(NULL, p->A, &factor, err));
    for (int k = 0; k < 3; k++)
        SAB_TRY(time_factorisation(factor, p->A, k, sample, &one, err));
    SAB_TRY(bench_flux(flow, flux, q, &given, err));
    SAB_TRY(sab_solver_create(options, p, &solver, err));
    printf("step,time,method,reason,outer,inner,factorisations,solves,cpu,feq,gap,compaction,"
           "natural_relative,momentum,change,discharge\n");
    for (int k = 1; k <= steps; k++) {
        const double begin = sab_cpu_seconds();
        double discharge = given;
        sab_report r;

        if (cold)
            memset(lambda, 0, rows * sizeof *lambda);
        SAB_TRY(sab_solver_run(solver, p, k == 1, lambda, u, NULL, &r, err));
        const double cpu = sab_cpu_seconds() - begin;
        SAB_TRY(time_factorisation(factor, p->A, k + 2, sample, &one, err));
        for (int i = 0; i < p->n; i++)
            discharge += q[i] * u[i];
        print_step(k, flow->setup.dt, &r, cpu, one, discharge);
        add_step(&all, &r, cpu);
        if (k > WARM)
            add_step(&warm, &r, cpu);
        bench_follow(flow, u);
    }
    fprintf(stderr, "%d unknowns, %s, tolerance %g\n", p->n, sab_method_table[options->method].name,
            options->tolerance);
    print_totals("", &all, one);
    print_totals("after the first 20, ", &warm, one);
cleanup:
    sab_solver_destroy(&solver);
    sab_factor_destroy(&factor);
    SAB_FREE(sample);
    SAB_FREE(lambda);
    SAB_FREE(u);
    SAB_FREE(q);
    return status;
}

int main(int argc, char **argv)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_solver_options options = sab_solver_options_default();
    sab_session b = {0};
    const char *override[BENCH_OVERRIDES];
    const int n = bench_overrides(argc, argv, override);

    bench_threads(argc, argv);
    options.method = bench_method(bench_option(argc, argv, "--method", "auto"));
    bench_linear(argc, argv, &options);
    options.tolerance = bench_number(argc, argv, "--tolerance", options.tolerance);
    if (argc < 2 || options.method == SAB_METHOD_COUNT) {
        fprintf(stderr, "usage: bench-inertial CASE [--dt DT] [--steps N] [--method NAME] "
                        "[--tolerance G] [--cold] [--inertia R] [--flux GROUP] "
                        "[--threads N] [--linear NAME] [--ordering NAME] [--set KEY=VALUE]...\n");
        return 2;
    }
    SAB_TRY(bench_open(argv[1], n, override, bench_number(argc, argv, "--dt", 0.01), &b, err));
    bench_set_inertia(b.flow, bench_number(argc, argv, "--inertia", 0.0));
    SAB_TRY(march(b.flow, &options, (int)bench_number(argc, argv, "--steps", 100),
                  bench_flag(argc, argv, "--cold"), bench_option(argc, argv, "--flux", "outlet"),
                  err));
cleanup:
    if (status != SAB_OK)
        fprintf(stderr, "error: %s\n", message.message);
    sab_session_close(&b);
    return status != SAB_OK;
}

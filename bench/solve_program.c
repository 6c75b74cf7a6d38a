/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/solve_program.c -- bench-solve FILE.sabp METHOD [--tolerance G] [--limit SECONDS]
 *                          [--inner N] [--velocity PREFIX]
 * or bench-solve --list: the methods, one per line.
 *
 * As `sablier solve`, with a limit on CPU time, and one line of JSON per outer iteration on
 * standard output: work so far, the certificates of this iterate, and its merit. With --velocity,
 * PREFIX.0.bin, PREFIX.1.bin, ... hold the best velocity whenever its merit has fallen below the
 * next of 1, 10^-1/2, 10^-1, ...; PREFIX.bin is the result. The last line is the summary. */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "options.h"
#include "record.h"
#include "solve/solve.h"

typedef struct observed {
    bench_recorder *recorder;
    double start, own; /* CPU seconds: start, of the recorder */
} observed;

static bool on_row(void *data, const sab_report *so_far)
{
    observed *o = data;
    const double begin = sab_cpu_seconds();

    bench_recorder_row(o->recorder, so_far, begin - o->start - o->own);
    o->own += sab_cpu_seconds() - begin;
    return !o->recorder->stopped;
}

static sab_status solve(const char *path, const sab_solver_options *options, bench_recorder *r,
                        sab_error *err)
{
    sab_status status = SAB_OK;
    sab_program *p = NULL;
    sab_solver *solver = NULL;
    double *lambda = NULL, *u = NULL;
    sab_report report = {0};
    observed o = {.recorder = r};
    const sab_solve_observer observer = {on_row, &o};

    SAB_TRY(sab_program_read(path, &p, err));
    SAB_NEW(lambda, (size_t)p->s * (size_t)p->npoints);
    SAB_NEW(u, p->n);
    SAB_TRY(bench_recorder_refer(r, p, err));
    r->u = u;                    /* the solver keeps the best iterate there */
    o.start = sab_cpu_seconds(); /* analysis included */
    SAB_TRY(sab_solver_create(options, p, &solver, err));
    status = sab_solver_run(solver, p, true, lambda, u, &observer, &report, err);
    if (status == SAB_INTERRUPTED && r->stopped)
        status = SAB_OK;
    SAB_TRY(status);
    report.work.cpu_analysis += sab_factor_get_info(sab_solver_factor(solver)).analysis_cpu;
    bench_recorder_result(r, &report, sab_cpu_seconds() - o.start - o.own);
cleanup:
    sab_solver_destroy(&solver);
    sab_program_destroy(&p);
    SAB_FREE(lambda);
    SAB_FREE(u);
    return status;
}

int main(int argc, char **argv)
{
    sab_error err = {0};
    sab_solver_options options = sab_solver_options_default();
    bench_recorder r = bench_recorder_create(argc, argv);

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int m = 0; m < SAB_METHOD_COUNT; m++)
            printf("%s\n", sab_method_table[m].name);
        return 0;
    }
    if (argc < 3 || bench_method(argv[2]) == SAB_METHOD_COUNT) {
        fprintf(stderr,
                "usage: bench-solve FILE.sabp METHOD [--tolerance G] [--limit SECONDS] "
                "[--inner N] [--velocity PREFIX] [--threads N] [--linear NAME] [--ordering NAME]; "
                "bench-solve --list\n");
        return 2;
    }
    bench_threads(argc, argv);
    options.method = bench_method(argv[2]);
    bench_linear(argc, argv, &options);
    options.tolerance = bench_number(argc, argv, "--tolerance", 1e-9);
    options.inner = (int)bench_number(argc, argv, "--inner", options.inner);
    options.max_iterations = (int)bench_number(argc, argv, "--max-iterations", 1e9);
    if (solve(argv[1], &options, &r, &err) != SAB_OK) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    return 0;
}

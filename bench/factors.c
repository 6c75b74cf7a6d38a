/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/factors.c -- bench-factors FILE.sabp [--threads N] [--repeat N] [--iterations N] [--only A|amg]
 *
 * One factorisation and one solve by each library and each order of elimination: of A, and of K of
 * the interior point after some iterations (default 8), symmetric (ipm) and not (ipm-blend).
 * Markdown on standard output; times are the least of --repeat (default 5), CPU and wall, the CPU
 * also in units of the first row, A by CHOLMOD with AMD. Memory is what the process grew by, at most, beside what
 * the analysis of CHOLMOD foresaw. The residual is |A x - b| / |b| of one solve. --only A leaves out
 * the others, --only amg all but A by multigrid, --ordering metis AMD. In a build with -Dpetsc=true also multigrid, of A: its order of
 * elimination are the iterations of conjugate gradients of that solve, to 1e-8, and its
 * factorisation has a solve to SAB_ACCURATE in it. */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "linalg/server.h"
#include "options.h"
#include "solve/ipm_points.h"

#include <malloc.h>
#include <math.h>

typedef struct timing {
    double cpu, wall;
} timing;

static void least(timing *t, double cpu, double wall)
{
    t->cpu = fmin(t->cpu, sab_cpu_seconds() - cpu);
    t->wall = fmin(t->wall, sab_wall_seconds() - wall);
}

/* A line of /proc/self/status, in bytes; 0 where there is none. */
static double resident(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    double kilobytes = 0.0;

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            kilobytes = strtod(line + strlen(name) + 1, NULL);
    if (file != NULL)
        fclose(file);
    return 1024.0 * kilobytes;
}

/* What is resident now, with freed memory given back; from here on its peak counts anew. */
static double begin_peak(void)
{
    FILE *file;

    malloc_trim(0);
    if ((file = fopen("/proc/self/clear_refs", "w")) != NULL) {
        fputs("5", file);
        fclose(file);
    }
    return resident("VmRSS");
}

static double residual(const sab_sparse *A, const double *x, const double *b, double *r)
{
    double largest = 0.0, scale = 0.0;

    sab_sparse_multiply(A, x, r);
    for (int64_t i = 0; i < A->n; i++) {
        largest = fmax(largest, fabs(r[i] - b[i]));
        scale = fmax(scale, fabs(b[i]));
    }
    return largest / scale;
}

/* One row of the table; *one is set by the first. */
static sab_status measure(const char *name, const sab_sparse *A, const sab_factor_options *options,
                          const double *b, int repeat, double *one, sab_error *err)
{
    sab_status status = SAB_OK;
    timing factor = {INFINITY, INFINITY}, solve = {INFINITY, INFINITY};
    sab_factor *f = NULL;
    double *x = NULL, *r = NULL;
    char order[32] = "";

    SAB_NEW(x, A->n);
    SAB_NEW(r, A->n);
    const double before = begin_peak();
    SAB_TRY(sab_factor_create(options, A, &f, err));
    for (int k = 0; k < repeat; k++) {
        double cpu = sab_cpu_seconds(), wall = sab_wall_seconds();

        SAB_TRY(sab_factor_update(f, A, err));
        least(&factor, cpu, wall);
        cpu = sab_cpu_seconds();
        wall = sab_wall_seconds();
        sab_factor_set_accuracy(f, 1e-8);
        const int before_solve = sab_factor_get_info(f).iterations;
        SAB_TRY(sab_factor_solve(f, b, x, err));
        least(&solve, cpu, wall);
        snprintf(order, sizeof order, "%d iterations",
                 sab_factor_get_info(f).iterations - before_solve);
    }
    const sab_factor_info info = sab_factor_get_info(f);
    if (info.iterations == 0)
        snprintf(order, sizeof order, "%s", info.ordering);
    const double memory = resident("VmHWM") - before;
    const double foreseen = options->backend == SAB_CHOLMOD
                                ? (A->symmetric ? info.bytes_llt : info.bytes_lu)
                                : NAN;
    if (*one == 0.0)
        *one = factor.cpu;
    printf("| %s | %s %s | %.3g | %.3g | %.4g | %.4g | %.3f | %.4g | %.4g | %.4f | %.3g | %.3g | %.1e |\n",
           name,
           info.backend, order, info.entries, info.flops, info.analysis_cpu / *one,
           factor.cpu, factor.cpu / *one, factor.wall, solve.cpu, solve.cpu / *one,
           1e-6 * memory, 1e-6 * foreseen, residual(A, x, b, r));
cleanup:
    sab_factor_destroy(&f);
    SAB_FREE(x);
    SAB_FREE(r);
    return status;
}

static sab_status measure_all(const char *name, const sab_sparse *A, const double *b, int repeat,
                              int first, double *one, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int backend = SAB_CHOLMOD; backend < SAB_AMG; backend++)
        for (int ordering = first; ordering <= SAB_ORDERING_METIS; ordering++) {
            const sab_factor_options o = {(sab_factor_backend)backend, (sab_ordering)ordering,
                                          .space = false};

            SAB_TRY(measure(name, A, &o, b, repeat, one, err));
        }
cleanup:
    return status;
}

static sab_status run(const char *path, int repeat, int iterations, const char *only, int first,
                      sab_error *err)
{
    static const struct {
        const char *name;
        double exactness;
    } methods[] = {{"K, ipm", 0.0}, {"K, ipm-blend", SAB_UNFOLDED}};
    sab_status status = SAB_OK;
    sab_program *p = NULL;
    sab_ipm *ipm = NULL;
    double one = 0.0, step;

    SAB_TRY(sab_program_read(path, &p, err));
    printf("%d unknowns, %d points of %d components, %d threads\n\n", p->n, p->npoints, p->s,
           sab_threads_get());
    printf("| matrix | by | entries | flops | analysis, of one | CPU s | of one | wall s | solve "
           "CPU s | of "
           "one | memory MB | foreseen | residual |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    if (strcmp(only, "amg") != 0)
        SAB_TRY(measure_all("A", p->A, p->l, repeat, first, &one, err));
    for (int known = 1; known >= 0 && sab_factor_has_amg(); known--)
        SAB_TRY(measure(known ? "A" : "A, directions not known", p->A,
                        &(sab_factor_options){.backend = SAB_AMG,
                                              .direction = known ? p->direction : NULL},
                        p->l, repeat, &one, err));
    for (int m = 0; m < 2 && only[0] == 0; m++) {
        SAB_TRY(sab_ipm_create(p, methods[m].exactness, NULL, &ipm, err));
        sab_ipm_start(ipm, p, 1.0, false);
        for (int i = 0; i < iterations; i++)
            SAB_TRY(sab_ipm_iterate(ipm, p, &step, err));
        SAB_TRY(measure_all(methods[m].name, ipm->K, p->l, repeat, first, &one, err));
        sab_ipm_destroy(&ipm);
    }
cleanup:
    sab_ipm_destroy(&ipm);
    sab_program_destroy(&p);
    return status;
}

int main(int argc, char **argv)
{
    sab_error err = {0};

    if (sab_server_start()) /* under mpirun, in a build with MPI */
        return 0;
    if (argc < 2) {
        fprintf(stderr,
                "usage: bench-factors FILE.sabp [--threads N] [--repeat N] [--iterations N] "
                "[--only A|amg] [--ordering metis]\n");
        return 2;
    }
    bench_threads(argc, argv);
    if (run(argv[1], (int)bench_number(argc, argv, "--repeat", 5.0),
            (int)bench_number(argc, argv, "--iterations", 8.0),
            bench_option(argc, argv, "--only", ""),
            strcmp(bench_option(argc, argv, "--ordering", ""), "metis") == 0 ? SAB_ORDERING_METIS
                                                                             : SAB_ORDERING_AMD,
            &err) != SAB_OK) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    return 0;
}

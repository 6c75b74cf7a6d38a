/* bench/factors.c -- bench-factors FILE.sabp [--threads N] [--repeat N] [--iterations N]
 *
 * One factorisation and one solve by each library and each order of elimination: of A, and of K of
 * the interior point after some iterations (default 8), symmetric (ipm) and not (ipm-blend).
 * Markdown on standard output; times are the least of --repeat (default 5), CPU and wall, the CPU
 * also in units of A by CHOLMOD with AMD. The residual is |A x - b| / |b| of one solve. */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "options.h"
#include "solve/ipm_points.h"

#include <math.h>

typedef struct timing {
    double cpu, wall;
} timing;

static void least(timing *t, double cpu, double wall)
{
    t->cpu = fmin(t->cpu, sab_cpu_seconds() - cpu);
    t->wall = fmin(t->wall, sab_wall_seconds() - wall);
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

    SAB_NEW(x, A->n);
    SAB_NEW(r, A->n);
    SAB_TRY(sab_factor_create(options, A, &f, err));
    for (int k = 0; k < repeat; k++) {
        double cpu = sab_cpu_seconds(), wall = sab_wall_seconds();

        SAB_TRY(sab_factor_update(f, A, err));
        least(&factor, cpu, wall);
        cpu = sab_cpu_seconds();
        wall = sab_wall_seconds();
        SAB_TRY(sab_factor_solve(f, b, x, err));
        least(&solve, cpu, wall);
    }
    const sab_factor_info info = sab_factor_get_info(f);
    if (*one == 0.0)
        *one = factor.cpu;
    printf("| %s | %s %s | %.3g | %.3g | %.4g | %.4g | %.3f | %.4g | %.4g | %.4f | %.1e |\n", name,
           info.backend, info.ordering, info.entries, info.flops, info.analysis_cpu / *one,
           factor.cpu, factor.cpu / *one, factor.wall, solve.cpu, solve.cpu / *one,
           residual(A, x, b, r));
cleanup:
    sab_factor_destroy(&f);
    SAB_FREE(x);
    SAB_FREE(r);
    return status;
}

static sab_status measure_all(const char *name, const sab_sparse *A, const double *b, int repeat,
                              double *one, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int backend = 0; backend < SAB_BACKENDS; backend++)
        for (int ordering = SAB_ORDERING_AMD; ordering <= SAB_ORDERING_METIS; ordering++) {
            const sab_factor_options o = {(sab_factor_backend)backend, (sab_ordering)ordering,
                                          false};

            SAB_TRY(measure(name, A, &o, b, repeat, one, err));
        }
cleanup:
    return status;
}

static sab_status run(const char *path, int repeat, int iterations, sab_error *err)
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
           "one | residual |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    SAB_TRY(measure_all("A", p->A, p->l, repeat, &one, err));
    for (int m = 0; m < 2; m++) {
        SAB_TRY(sab_ipm_create(p, methods[m].exactness, NULL, &ipm, err));
        sab_ipm_start(ipm, p, 1.0, false);
        for (int i = 0; i < iterations; i++)
            SAB_TRY(sab_ipm_iterate(ipm, p, &step, err));
        SAB_TRY(measure_all(methods[m].name, ipm->K, p->l, repeat, &one, err));
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

    if (argc < 2) {
        fprintf(stderr,
                "usage: bench-factors FILE.sabp [--threads N] [--repeat N] [--iterations N]\n");
        return 2;
    }
    bench_threads(argc, argv);
    if (run(argv[1], (int)bench_number(argc, argv, "--repeat", 5.0),
            (int)bench_number(argc, argv, "--iterations", 8.0), &err) != SAB_OK) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    return 0;
}

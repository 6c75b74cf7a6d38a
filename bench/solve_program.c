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
#include "solve/solve.h"

#include <math.h>

typedef struct recorder {
    const sab_program *program;
    const double *u; /* best so far: the array given to sab_solver_run */
    const char *prefix;
    double best, next; /* merit of u, merit of the next snapshot */
    int snapshots;
    double start, own, limit; /* CPU seconds: start, of the recorder, limit */
    sab_report last;
    bool stopped;
} recorder;

static void write_velocity(const recorder *r, int number)
{
    char path[4096];
    FILE *file;

    if (r->prefix == NULL)
        return;
    if (number < 0)
        snprintf(path, sizeof path, "%s.bin", r->prefix);
    else
        snprintf(path, sizeof path, "%s.%d.bin", r->prefix, number);
    file = fopen(path, "wb");
    if (file == NULL ||
        fwrite(r->u, sizeof *r->u, (size_t)r->program->n, file) != (size_t)r->program->n ||
        fclose(file) != 0)
        fprintf(stderr, "cannot write '%s'\n", path);
}

/* NaN is no JSON */
static const char *number(double x, char buffer[32])
{
    if (isfinite(x))
        snprintf(buffer, 32, "%.9g", x);
    else
        snprintf(buffer, 32, "null");
    return buffer;
}

static void print_report(const char *kind, const sab_report *r, double cpu, int snapshot)
{
    const sab_certificate *c = &r->certificate;
    const double value[] = {c->gap,
                            c->gap_friction,
                            c->gap_normal,
                            c->compaction,
                            c->natural,
                            c->natural_max,
                            c->stress > 0.0 ? c->natural / c->stress : 0.0,
                            c->momentum,
                            c->fischer_burmeister,
                            c->dissipation,
                            sab_certificate_merit(c),
                            r->change};
    static const char *const name[] = {"gap",
                                       "gap_friction",
                                       "gap_normal",
                                       "compaction",
                                       "natural",
                                       "natural_max",
                                       "natural_relative",
                                       "momentum",
                                       "fischer_burmeister",
                                       "dissipation",
                                       "merit",
                                       "change"};
    char buffer[32];

    printf("{\"kind\": \"%s\", \"method\": \"%s\", \"reason\": %d, \"outer\": %d, \"inner\": %d, "
           "\"factorisations\": %d, \"solves\": %d, \"cpu\": %.6g, \"at_rest\": %s, "
           "\"snapshot\": %d",
           kind, sab_method_table[r->method].name, (int)r->reason, r->outer, r->inner,
           r->factorisations, r->solves, cpu, c->at_rest ? "true" : "false", snapshot);
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++)
        printf(", \"%s\": %s", name[i], number(value[i], buffer));
}

static bool on_row(void *data, const sab_report *so_far)
{
    recorder *r = data;
    const double begin = sab_cpu_seconds(), cpu = begin - r->start - r->own;
    const double merit = sab_certificate_merit(&so_far->certificate);
    int snapshot = -1;

    r->last = *so_far;
    if (merit < r->best)
        r->best = merit;
    if (r->best <= r->next) { /* u has this merit: the best one is in place */
        snapshot = r->snapshots++;
        write_velocity(r, snapshot);
        while (r->best <= r->next)
            r->next *= sqrt(0.1);
    }
    print_report("row", so_far, cpu, snapshot);
    printf("}\n");
    r->own += sab_cpu_seconds() - begin;
    r->stopped = cpu > r->limit;
    return !r->stopped;
}

/* Median CPU time of one factorisation of A, of three. */
static sab_status time_factorisation(const sab_program *p, double *seconds, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_factor *factor = NULL;
    double t[3];

    SAB_TRY(sab_factor_create(SAB_CHOLMOD, p->A, &factor, err));
    for (int i = 0; i < 3; i++) {
        SAB_TRY(sab_factor_update(factor, p->A, err));
        t[i] = sab_factor_get_info(factor).update_cpu;
    }
    *seconds = fmax(fmin(t[0], t[1]), fmin(fmax(t[0], t[1]), t[2]));
cleanup:
    sab_factor_destroy(&factor);
    return status;
}

static sab_status solve(const char *path, const sab_solver_options *options, recorder *r,
                        sab_error *err)
{
    sab_status status = SAB_OK;
    sab_program *p = NULL;
    sab_solver *solver = NULL;
    double *lambda = NULL, *u = NULL, one = 0.0;
    sab_report report = {0};
    const sab_solve_observer observer = {on_row, r};

    SAB_TRY(sab_program_read(path, &p, err));
    SAB_NEW(lambda, (size_t)p->s * (size_t)p->npoints);
    SAB_NEW(u, p->n);
    SAB_TRY(time_factorisation(p, &one, err));
    r->program = p;
    r->u = u;
    r->start = sab_cpu_seconds(); /* analysis included */
    SAB_TRY(sab_solver_create(options, p, &solver, err));
    status = sab_solver_run(solver, p, true, lambda, u, &observer, &report, err);
    if (status == SAB_INTERRUPTED && r->stopped)
        status = SAB_OK;
    SAB_TRY(status);
    write_velocity(r, -1);
    print_report("result", &report, sab_cpu_seconds() - r->start - r->own, -1);
    printf(", \"stopped\": %s, \"one_factorisation\": %.6g, \"cpu_factorisation\": %.6g, "
           "\"cpu_solve\": %.6g, \"cpu_cones\": %.6g, \"unknowns\": %d, \"points\": %d, "
           "\"convex\": %s}\n",
           r->stopped ? "true" : "false", one, report.cpu_factorisation, report.cpu_solve,
           report.cpu_cones, p->n, p->npoints, sab_program_is_convex(p) ? "true" : "false");
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
    recorder r = {.prefix = bench_option(argc, argv, "--velocity", NULL),
                  .limit = bench_number(argc, argv, "--limit", INFINITY),
                  .best = INFINITY,
                  .next = 1.0};

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int m = 0; m < SAB_METHOD_COUNT; m++)
            printf("%s\n", sab_method_table[m].name);
        return 0;
    }
    if (argc < 3 || bench_method(argv[2]) == SAB_METHOD_COUNT) {
        fprintf(stderr, "usage: bench-solve FILE.sabp METHOD [--tolerance G] [--limit SECONDS] "
                        "[--inner N] [--velocity PREFIX]; bench-solve --list\n");
        return 2;
    }
    options.method = bench_method(argv[2]);
    options.tolerance = bench_number(argc, argv, "--tolerance", 1e-9);
    options.inner = (int)bench_number(argc, argv, "--inner", options.inner);
    options.max_iterations = (int)bench_number(argc, argv, "--max-iterations", 1e9);
    if (solve(argv[1], &options, &r, &err) != SAB_OK) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "record.h"

#include "options.h"

#include <math.h>

bench_recorder bench_recorder_create(int argc, char **argv)
{
    return (bench_recorder){.prefix = bench_option(argc, argv, "--velocity", NULL),
                            .limit = bench_number(argc, argv, "--limit", INFINITY),
                            .best = INFINITY,
                            .next = 1.0};
}

sab_status bench_recorder_refer(bench_recorder *r, const sab_program *p, sab_error *err)
{
    enum { MOST = 25 };
    sab_status status = SAB_OK;
    sab_factor *factor = NULL;
    double sample[MOST], all = 0.0;
    int n = 0;

    SAB_TRY(sab_factor_create(NULL, p->A, &factor, err));
    SAB_TRY(sab_factor_update(factor, p->A, err)); /* memory is there, the processor awake */
    while (n < MOST && (n < 3 || all < 0.5)) {
        SAB_TRY(sab_factor_update(factor, p->A, err));
        sample[n] = sab_factor_get_info(factor).update_cpu;
        all += sample[n++];
    }
    r->program = p;
    r->one = bench_median(sample, n);
cleanup:
    sab_factor_destroy(&factor);
    return status;
}

static void write_velocity(const bench_recorder *r, int number)
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
    const size_t n = (size_t)r->program->n;
    const bool written = file != NULL && fwrite(r->u, sizeof *r->u, n, file) == n;
    const bool closed = file != NULL && fclose(file) == 0;

    if (!written || !closed)
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

static void print_report(const bench_recorder *recorder, const char *kind, const sab_report *r,
                         double cpu, int snapshot)
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
    const char *method =
        recorder->method != NULL ? recorder->method : sab_method_table[r->method].name;
    char buffer[32];

    printf("{\"kind\": \"%s\", \"method\": \"%s\", \"reason\": %d, \"outer\": %d, \"inner\": %d, "
           "\"factorisations\": %d, \"solves\": %d, \"cpu\": %.6g, \"at_rest\": %s, "
           "\"snapshot\": %d",
           kind, method, (int)r->reason, r->work.outer, r->work.inner,
           r->work.factorisations, r->work.solves, cpu, c->at_rest ? "true" : "false", snapshot);
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++)
        printf(", \"%s\": %s", name[i], number(value[i], buffer));
}

void bench_recorder_row(bench_recorder *r, const sab_report *report, double cpu)
{
    int snapshot = -1;

    r->best = fmin(r->best, sab_certificate_merit(&report->certificate));
    if (r->best <= r->next) {
        snapshot = r->snapshots++;
        write_velocity(r, snapshot);
        while (r->best <= r->next)
            r->next *= sqrt(0.1);
    }
    print_report(r, "row", report, cpu, snapshot);
    printf("}\n");
    fflush(stdout); /* a run may be killed */
    r->stopped = cpu > r->limit;
}

void bench_recorder_result(const bench_recorder *r, const sab_report *report, double cpu)
{
    const sab_program *p = r->program;

    write_velocity(r, -1);
    print_report(r, "result", report, cpu, -1);
    printf(", \"stopped\": %s, \"one_factorisation\": %.6g, \"cpu_analysis\": %.6g, "
           "\"cpu_factorisation\": %.6g, "
           "\"cpu_solve\": %.6g, \"cpu_cones\": %.6g, \"unknowns\": %d, \"points\": %d, "
           "\"convex\": %s}\n",
           r->stopped ? "true" : "false", r->one, report->work.cpu_analysis,
           report->work.cpu_factorisation, report->work.cpu_solve, report->work.cpu_cones, p->n, p->npoints, sab_program_is_convex(p) ? "true" : "false");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/ranks.c -- mpirun -n N bench-ranks FILE.sabp [--blr EPS] [--repeat N]
 *
 * One factorisation of A by MUMPS on N processes (a build with -Dmpi=true), with METIS: a row of
 * markdown. CPU seconds are of the factorisation, of process 0 and of the busiest of the others,
 * the least of --repeat (default 3); memory is what MUMPS counts in the process that has most; the
 * residual is |A x - b| / |b| of one solve, after so many refinements. */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "linalg/server.h"
#include "options.h"

#include <math.h>

static sab_status run(const char *path, double blr, int repeat, sab_error *err)
{
    const sab_factor_options options = {.backend = SAB_MUMPS, .space = true, .blr = blr};
    double cpu = INFINITY, others = INFINITY, largest = 0.0, scale = 0.0, *x = NULL, *r = NULL;
    sab_status status = SAB_OK;
    sab_program *p = NULL;
    sab_factor *f = NULL;

    SAB_TRY(sab_program_read(path, &p, err));
    SAB_NEW(x, p->n);
    SAB_NEW(r, p->n);
    SAB_TRY(sab_factor_create(&options, p->A, &f, err));
    for (int k = 0; k < repeat; k++) {
        double before, after;

        sab_server_cpu(&before);
        SAB_TRY(sab_factor_update(f, p->A, err));
        sab_server_cpu(&after);
        cpu = fmin(cpu, sab_factor_get_info(f).update_cpu);
        others = fmin(others, after - before);
    }
    SAB_TRY(sab_factor_solve(f, p->l, x, err));
    sab_sparse_multiply(p->A, x, r);
    for (int i = 0; i < p->n; i++) {
        largest = fmax(largest, fabs(r[i] - p->l[i]));
        scale = fmax(scale, fabs(p->l[i]));
    }
    const sab_factor_info info = sab_factor_get_info(f);
    printf("| %d | %d | %g | %.3g | %.3g | %.3g | %.3g | %.0f | %.1e (%d) |\n", p->n,
           info.processes, blr, info.entries, info.flops, cpu, others, 1e-6 * info.memory,
           largest / scale, info.refinements);
cleanup:
    sab_factor_destroy(&f);
    sab_program_destroy(&p);
    SAB_FREE(x);
    SAB_FREE(r);
    return status;
}

int main(int argc, char **argv)
{
    sab_error err = {0};

    if (sab_server_start())
        return 0;
    if (argc < 2) {
        fprintf(stderr, "usage: mpirun -n N bench-ranks FILE.sabp [--blr EPS] [--repeat N]\n");
        return 2;
    }
    if (run(argv[1], bench_number(argc, argv, "--blr", 0.0),
            (int)bench_number(argc, argv, "--repeat", 3.0), &err) != SAB_OK) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    return 0;
}

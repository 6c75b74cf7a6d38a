/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/write_program.c -- bench-program CASE OUT.sabp [--dt DT] [--steps N] [--set KEY=VALUE]...
 *
 * Writes the cone program of the case: creeping without --dt, else that of step N + 1 (N = 0: the
 * first one, from rest; the steps before are solved by auto at 3e-2). With --flux GROUP it writes
 * OUT.sabp.flux as well: n + 1 numbers q with discharge = q.u + q_n. */
#include "base/memory.h"
#include "io/program_file.h"
#include "options.h"
#include "solve/solve.h"
#include "still_flow.h"

static sab_status march(sab_flow *flow, int steps, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_solver_options options = sab_solver_options_default();
    const sab_program *p = flow->program;
    sab_solver *solver = NULL;
    double *lambda = NULL, *u = NULL;

    SAB_NEW(lambda, (size_t)p->s * (size_t)p->npoints);
    SAB_NEW(u, p->n);
    SAB_TRY(sab_solver_create(&options, p, &solver, err));
    for (int k = 0; k < steps; k++) {
        sab_report report;

        SAB_TRY(sab_solver_run(solver, p, k == 0, lambda, u, NULL, &report, err));
        bench_follow(flow, u);
    }
cleanup:
    sab_solver_destroy(&solver);
    SAB_FREE(lambda);
    SAB_FREE(u);
    return status;
}

static sab_status write_flux(const sab_flow *flow, const char *group, const char *program,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t n = (size_t)flow->program->n;
    char path[4096];
    double *q = NULL;
    FILE *file;

    SAB_NEW(q, n + 1);
    SAB_TRY(bench_flux(flow, group, q, q + n, err));
    snprintf(path, sizeof path, "%s.flux", program);
    file = fopen(path, "wb");
    if (file == NULL || fwrite(q, sizeof *q, n + 1, file) != n + 1 || fclose(file) != 0)
        status = sab_fail(err, SAB_ERR_IO, "cannot write '%s'", path);
cleanup:
    SAB_FREE(q);
    return status;
}

int main(int argc, char **argv)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_session b = {0};
    const char *override[BENCH_OVERRIDES];
    const int n = bench_overrides(argc, argv, override);
    const char *flux = bench_option(argc, argv, "--flux", NULL);

    if (argc < 3) {
        fprintf(stderr, "usage: bench-program CASE OUT.sabp [--dt DT] [--steps N] [--inertia R] "
                        "[--flux GROUP] [--threads N] [--set KEY=VALUE]...\n");
        return 2;
    }
    bench_threads(argc, argv);
    SAB_TRY(bench_open(argv[1], n, override, bench_number(argc, argv, "--dt", 0.0), &b, err));
    bench_set_inertia(b.flow, bench_number(argc, argv, "--inertia", 0.0));
    SAB_TRY(march(b.flow, (int)bench_number(argc, argv, "--steps", 0.0), err));
    SAB_TRY(sab_program_write(argv[2], b.flow->program, err));
    if (flux != NULL)
        SAB_TRY(write_flux(b.flow, flux, argv[2], err));
    printf("%d vertices, %d %s, %d unknowns, %d points\n", b.mesh->nvertices, b.mesh->nelements,
           b.mesh->cell->plural, b.flow->program->n, b.flow->program->npoints);
cleanup:
    if (status != SAB_OK)
        fprintf(stderr, "error: %s\n", message.message);
    sab_session_close(&b);
    return status != SAB_OK;
}

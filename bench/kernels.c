/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/kernels.c -- bench-kernels FILE.sabp [--threads N] [--repeat N]
 *
 * What an iteration consists of, piece by piece: the products with B, its transpose and A, the
 * assembly of sum B^T C B, and the certificate without its solve. Markdown on standard output: CPU
 * and wall milliseconds, the CPU in units of one factorisation of A, and bytes per second against
 * those of a copy between two arrays as large as B. Wall times are the least of N (default 30), CPU
 * times the least mean of five. Bytes are those that must move if every array passes once: the
 * caches may do better or worse. */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "options.h"
#include "solve/residual.h"

#include <math.h>

typedef struct setting {
    const sab_program *p;
    sab_sparse *K[2]; /* of the pattern of B^T B: unsymmetric, symmetric */
    sab_scatter *scatter[2];
    sab_factor *factor;
    sab_residual *residual;
    double *C;              /* [npoints][s][s] */
    double *u, *f;          /* [n] */
    double *gamma, *lambda; /* [npoints][s] */
    double *from, *to;      /* as large as B */
    double outside;         /* CPU seconds of solves in certificates so far, not to be counted */
    double wall_per_cpu;    /* of a solve */
} setting;

static size_t rows(const sab_program *p)
{
    return (size_t)p->s * (size_t)p->npoints;
}

static double bytes_of_B(const sab_blocks *B)
{
    return 8.0 * (double)B->value_start[B->nblocks] + 4.0 * (double)B->column_start[B->nblocks] +
           20.0 * B->nblocks;
}

static double bytes_of_A(const sab_sparse *A)
{
    return 16.0 * (double)A->start[A->n];
}

/* The kernels: each returns the bytes it moves. */

static double copy(setting *k)
{
    const size_t bytes = (size_t)k->p->B->value_start[k->p->B->nblocks] * sizeof(double);

    memcpy(k->to, k->from, bytes);
    return 2.0 * (double)bytes;
}

static double multiply(setting *k)
{
    sab_blocks_multiply(k->p->B, k->u, k->gamma);
    return bytes_of_B(k->p->B) + 8.0 * (double)rows(k->p) + 8.0 * k->p->n;
}

static double multiply_transpose(setting *k)
{
    sab_blocks_multiply_transpose(k->p->B, k->gamma, k->f);
    return bytes_of_B(k->p->B) + 8.0 * (double)rows(k->p) + 16.0 * k->p->n;
}

static double multiply_A(setting *k)
{
    sab_sparse_multiply(k->p->A, k->u, k->f);
    return bytes_of_A(k->p->A) + 24.0 * k->p->n;
}

static double assemble(setting *k, bool symmetric)
{
    const sab_scatter *scatter = k->scatter[symmetric];
    const sab_blocks *B = k->p->B;
    sab_sparse *K = k->K[symmetric];

    sab_blocks_assemble(B, k->C, scatter, K);
    return bytes_of_B(B) + 8.0 * k->p->s * (double)rows(k->p) +
           4.0 * (double)scatter->start[B->nblocks] + 16.0 * (double)K->start[K->n];
}

static double assemble_symmetric(setting *k)
{
    return assemble(k, true);
}

static double assemble_unsymmetric(setting *k)
{
    return assemble(k, false);
}

static double factorise(setting *k)
{
    if (sab_factor_update(k->factor, k->p->A, NULL) != SAB_OK)
        fprintf(stderr, "a factorisation has failed\n");
    return 0.0;
}

static double solve(setting *k)
{
    if (sab_factor_solve(k->factor, k->p->l, k->f, NULL) != SAB_OK)
        fprintf(stderr, "a solve has failed\n");
    return 0.0;
}

/* B passes three times, A once, lambda and gamma some times. */
static double certify(setting *k)
{
    const double before = sab_factor_get_info(k->factor).total_solve_cpu;
    sab_certificate c;

    if (sab_residual_certify(k->residual, k->p, k->factor, k->lambda, k->u, &c, NULL) != SAB_OK)
        fprintf(stderr, "a certificate has failed\n");
    k->outside += sab_factor_get_info(k->factor).total_solve_cpu - before;
    return 3.0 * bytes_of_B(k->p->B) + bytes_of_A(k->p->A);
}

typedef struct timing {
    double cpu, wall, bytes;
} timing;

/* The least wall time, and the least mean CPU time of GROUP calls: the CPU clock of a process may lag
 * behind its threads. */
static timing measure(double (*kernel)(setting *), setting *k, int repeat)
{
    enum { GROUP = 5 };
    timing t = {INFINITY, INFINITY, kernel(k)}; /* this call finds its data */

    for (int i = 0; i < repeat; i += GROUP) {
        const double cpu = sab_cpu_seconds(), outside = k->outside;

        for (int j = 0; j < GROUP; j++) {
            const double wall = sab_wall_seconds(), before = k->outside;

            kernel(k);
            t.wall = fmin(t.wall, sab_wall_seconds() - wall -
                                      k->wall_per_cpu * (k->outside - before));
        }
        t.cpu = fmin(t.cpu, (sab_cpu_seconds() - cpu - (k->outside - outside)) / GROUP);
    }
    return t;
}

static sab_status open_setting(const sab_program *p, setting *k, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t values = (size_t)p->B->value_start[p->B->nblocks], s = (size_t)p->s;

    k->p = p;
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        SAB_TRY(sab_blocks_pattern(p->B, symmetric == 1, &k->K[symmetric], err));
        SAB_TRY(sab_scatter_create(p->B, k->K[symmetric], &k->scatter[symmetric], err));
    }
    SAB_NEW(k->C, rows(p) * s);
    SAB_NEW(k->u, p->n);
    SAB_NEW(k->f, p->n);
    SAB_NEW(k->gamma, rows(p));
    SAB_NEW(k->lambda, rows(p));
    SAB_NEW(k->from, values);
    SAB_NEW(k->to, values);
    memcpy(k->from, p->B->value, values * sizeof *k->from);
    for (size_t i = 0; i < rows(p) * s; i++)
        k->C[i] = i % (s * s) % (s + 1) == 0 ? p->weight[i / (s * s)] : 0.0;
    for (int q = 0; q < p->npoints; q++) { /* some points inside, some outside of their cones */
        for (int i = 0; i < p->s; i++)
            k->lambda[q * p->s + i] = sin(3.0 * (q * p->s + i));
        k->lambda[q * p->s] += 0.5;
    }
    SAB_TRY(sab_factor_create(NULL, p->A, &k->factor, err));
    SAB_TRY(sab_factor_update(k->factor, p->A, err));
    SAB_TRY(sab_residual_create(p, &k->residual, err));
    SAB_TRY(sab_residual_refer(k->residual, p, k->factor, err));
cleanup:
    return status;
}

static void close_setting(setting *k)
{
    for (int symmetric = 0; symmetric < 2; symmetric++) {
        sab_scatter_destroy(&k->scatter[symmetric]);
        sab_sparse_destroy(&k->K[symmetric]);
    }
    SAB_FREE(k->C);
    SAB_FREE(k->u);
    SAB_FREE(k->f);
    SAB_FREE(k->gamma);
    SAB_FREE(k->lambda);
    SAB_FREE(k->from);
    SAB_FREE(k->to);
    sab_factor_destroy(&k->factor);
    sab_residual_destroy(&k->residual);
}

static void print_row(const char *name, timing t, timing one, double bandwidth)
{
    printf("| %s | %.3f | %.3f | %.3f |", name, 1e3 * t.cpu, 1e3 * t.wall, t.cpu / one.cpu);
    if (t.bytes > 0.0)
        printf(" %.1f | %.2f |\n", 1e-9 * t.bytes / t.wall, t.bytes / t.wall / bandwidth);
    else
        printf(" | |\n");
}

static sab_status measure_all(const char *path, int repeat, sab_error *err)
{
    static const struct {
        const char *name;
        double (*kernel)(setting *);
    } kernels[] = {{"B u", multiply},
                   {"B^T y", multiply_transpose},
                   {"A u", multiply_A},
                   {"sum B^T C B, symmetric", assemble_symmetric},
                   {"sum B^T C B, unsymmetric", assemble_unsymmetric}};
    sab_status status = SAB_OK;
    sab_program *p = NULL;
    setting k = {0};

    SAB_TRY(sab_program_read(path, &p, err));
    SAB_TRY(open_setting(p, &k, err));
    const timing one = measure(factorise, &k, repeat / 3 + 1);
    const timing copied = measure(copy, &k, repeat), solved = measure(solve, &k, repeat);
    const double bandwidth = copied.bytes / copied.wall;
    printf("%d unknowns, %d points, B %.1f MB, A %.1f MB\n\n", p->n, p->npoints,
           1e-6 * bytes_of_B(p->B), 1e-6 * bytes_of_A(p->A));
    printf("| | CPU ms | wall ms | of a factorisation | GB/s | of a copy |\n|---|---|---|---|---|"
           "---|\n");
    print_row("factorisation of A", one, one, bandwidth);
    print_row("solve with A", solved, one, bandwidth);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        print_row(kernels[i].name, measure(kernels[i].kernel, &k, repeat), one, bandwidth);
    k.wall_per_cpu = solved.wall / solved.cpu;
    print_row("certificate without its solve", measure(certify, &k, repeat), one, bandwidth);
    print_row("copy, one thread", copied, one, bandwidth);
cleanup:
    close_setting(&k);
    sab_program_destroy(&p);
    return status;
}

int main(int argc, char **argv)
{
    sab_error err = {0};

    if (argc < 2) {
        fprintf(stderr, "usage: bench-kernels FILE.sabp [--threads N] [--repeat N]\n");
        return 2;
    }
    bench_threads(argc, argv);
    if (measure_all(argv[1], (int)bench_number(argc, argv, "--repeat", 30.0), &err) != SAB_OK) {
        fprintf(stderr, "error: %s\n", err.message);
        return 1;
    }
    return 0;
}

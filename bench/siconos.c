/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/siconos.c -- bench-siconos FILE.sabp ADMM|NSGS|NSGS_WR [--tolerance G] [--limit SECONDS]
 *                    [--velocity PREFIX] [--max-iterations N] [--scaling step|weight|none]
 *                    [--rho RHO]
 * or bench-siconos --list: the methods as bench/run names them, one per line.
 *
 * A cone program solved by Siconos, measured by our certificate; output as that of bench-solve.
 * A point of a plane program is a contact with Coulomb's law, the stress its reaction:
 *     M v = q + H p,   w = H^T v + b,   (w, p) in Coulomb(mu)
 *     with  M = A,  v = u,  q = l,  H = B^T C,  b = C k,  w = C gamma,  p = C^-1 M lambda,
 * for any C = diag(c_q) > 0. c_q = (m_q r_q)^1/2 makes the Delassus operator H^T M^-1 H the r W of
 * solve/program.h, of norm 1 in creeping flow, and --rho, the penalty of ADMM, a multiple of r. The
 * other choices are m_q^1/2 and m_q (reactions are stresses).
 *
 * Siconos reports no iterates and knows no CPU limit, so a row is a run of its own: 50 iterations
 * from zero, then 100, 200, ...; `cpu` and the limit are those of this run alone. Only NSGS, whose
 * state is the reaction, continues the run before, and its `cpu` adds up. The result is the best
 * row. Siconos' own tolerance is out of reach: the merit decides, as for all methods. */
#include "base/memory.h"
#include "base/timer.h"
#include "io/program_file.h"
#include "options.h"
#include "record.h"

#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <limits.h>
#include <math.h>

enum { FIRST_RUN = 50 };        /* iterations */
static const double FULL = 4e9; /* bytes of a Delassus matrix, at most */

typedef struct peer_method {
    const char *name, *title;
    int id;
    bool resumes;  /* the reaction is all it remembers */
    bool delassus; /* forms H^T M^-1 H, a full matrix */
} peer_method;
static const peer_method methods[] = {
    {"ADMM", "siconos-admm", SICONOS_GLOBAL_FRICTION_3D_ADMM, false, false},
    {"NSGS", "siconos-nsgs", SICONOS_GLOBAL_FRICTION_3D_NSGS, true, false},
    {"NSGS_WR", "siconos-nsgs-wr", SICONOS_GLOBAL_FRICTION_3D_NSGS_WR, false, true},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* The program as Siconos sees it, and the state of its solver. */
typedef struct peer {
    const sab_program *program;
    GlobalFrictionContactProblem *problem; /* owned; its q, b and mu are borrowed */
    const peer_method *method;
    SolverOptions *options;                /* owned, new for each run from zero */
    double rho;                            /* penalty of ADMM */
    double *scale;                         /* [npoints] c_q */
    double *b, *reaction, *velocity;       /* [3 npoints] b, p, w */
    double *v;                             /* [n] */
} peer;

static const peer_method *find_method(const char *name)
{
    for (int i = 0; i < METHODS; i++)
        if (strcmp(name, methods[i].name) == 0 || strcmp(name, methods[i].title) == 0)
            return &methods[i];
    return NULL;
}

static sab_status check(const sab_program *p, const peer_method *method, sab_error *err)
{
    const double rows = (double)p->s * p->npoints;

    if (p->s != 3)
        return sab_fail(err, SAB_ERR_INPUT,
                        "a contact of Siconos has 3 components, the points of this program have "
                        "%d: only plane programs can be given to it",
                        p->s);
    for (int q = 0; q < p->npoints; q++)
        if (p->yield[q] != 0.0 || p->dilatancy[q] != 0.0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "Siconos knows Coulomb friction alone, and point %d has yield stress "
                            "%g and dilatancy %g: both must be 0",
                            q, p->yield[q], p->dilatancy[q]);
    if (method->delassus && 16.0 * rows * rows > FULL)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s forms the full Delassus matrix, %.1f GB for %d points: use ADMM or "
                        "NSGS, or a coarser mesh",
                        method->name, 16e-9 * rows * rows, p->npoints);
    return SAB_OK;
}

static NumericsMatrix *new_matrix(int rows, int columns, int64_t entries)
{
    NumericsMatrix *matrix = NM_create(NM_SPARSE, rows, columns);

    NM_triplet_alloc(matrix, entries);
    matrix->matrix2->origin = NSM_TRIPLET;
    return matrix;
}

static NumericsMatrix *export_a(const sab_sparse *A)
{
    const int n = (int)A->n;
    NumericsMatrix *M = new_matrix(n, n, 2 * A->start[n]);

    for (int j = 0; j < n; j++)
        for (int64_t e = A->start[j]; e < A->start[j + 1]; e++) {
            const int i = (int)A->row[e];

            NM_entry(M, i, j, A->value[e]);
            if (i != j)
                NM_entry(M, j, i, A->value[e]);
        }
    return M;
}

/* H = B^T C */
static NumericsMatrix *export_b(const sab_blocks *B, const double *scale)
{
    NumericsMatrix *H =
        new_matrix(B->ncolumns, B->s * B->npoints, B->value_start[B->nblocks]);

    for (int e = 0; e < B->nblocks; e++) {
        const int *column = B->column + B->column_start[e];
        const int64_t columns = B->column_start[e + 1] - B->column_start[e];
        const double *value = B->value + B->value_start[e];

        for (int row = B->s * B->point[e]; row < B->s * B->point[e + 1]; row++, value += columns)
            for (int64_t c = 0; c < columns; c++)
                NM_entry(H, column[c], row, scale[row / B->s] * value[c]);
    }
    return H;
}

static void peer_clear(peer *x)
{
    if (x->problem != NULL) {
        x->problem->q = x->problem->b = x->problem->mu = NULL;
        globalFrictionContact_free(x->problem);
    }
    if (x->options != NULL)
        solver_options_delete(x->options);
    SAB_FREE(x->scale);
    SAB_FREE(x->b);
    SAB_FREE(x->reaction);
    SAB_FREE(x->velocity);
    SAB_FREE(x->v);
}

typedef enum scaling { SCALE_STEP, SCALE_WEIGHT, SCALE_NONE, SCALINGS } scaling;

static scaling find_scaling(const char *name)
{
    static const char *const names[] = {"step", "weight", "none"};
    int i = 0;

    while (i < SCALINGS && strcmp(names[i], name) != 0)
        i++;
    return (scaling)i;
}

static double scale_of(const sab_program *p, int q, scaling how)
{
    return how == SCALE_NONE     ? p->weight[q]
           : how == SCALE_WEIGHT ? sqrt(p->weight[q])
                                 : sqrt(p->weight[q] * p->r[q]);
}

static sab_status peer_create(const sab_program *p, const peer_method *method, scaling how, double rho,
                              peer *x, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t rows = 3 * (size_t)p->npoints;

    x->program = p;
    x->method = method;
    x->rho = rho;
    SAB_NEW(x->scale, p->npoints);
    SAB_NEW(x->b, rows);
    SAB_NEW(x->reaction, rows);
    SAB_NEW(x->velocity, rows);
    SAB_NEW(x->v, p->n);
    for (int q = 0; q < p->npoints; q++)
        x->scale[q] = scale_of(p, q, how);
    for (size_t i = 0; i < rows; i++)
        x->b[i] = x->scale[i / 3] * p->k[i];

    x->problem = globalFrictionContactProblem_new();
    if (x->problem == NULL)
        SAB_TRY(sab_fail(err, SAB_ERR_MEMORY, "out of memory for a problem of Siconos"));
    x->problem->dimension = 3;
    x->problem->numberOfContacts = p->npoints;
    x->problem->H = export_b(p->B, x->scale);
    x->problem->q = p->l;
    x->problem->b = x->b;
    x->problem->mu = p->friction;
cleanup:
    return status;
}

/* A run changes its options, and leaves a factor in M, with which NSGS_WR fails the next time. */
static void start_from_zero(peer *x)
{
    const size_t rows = 3 * (size_t)x->program->npoints;

    memset(x->reaction, 0, rows * sizeof *x->reaction);
    memset(x->velocity, 0, rows * sizeof *x->velocity);
    memset(x->v, 0, (size_t)x->program->n * sizeof *x->v);
    if (x->options != NULL)
        solver_options_delete(x->options);
    if (x->problem->M != NULL)
        NM_free(x->problem->M);
    x->problem->M = export_a(x->program->A);
    x->options = solver_options_create(x->method->id);
    x->options->dparam[SICONOS_DPARAM_TOL] = 1e-13;
    if (!x->method->delassus) /* its own error after the last iteration only */
        x->options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = INT_MAX;
    if (x->method->id == SICONOS_GLOBAL_FRICTION_3D_ADMM)
        x->options->dparam[SICONOS_FRICTION_3D_ADMM_RHO] = x->rho;
}

/* `iterations` more from the reaction in place, or that many from zero. Returns CPU seconds. */
static double peer_run(peer *x, int iterations, bool resume)
{
    double begin;

    if (!resume)
        start_from_zero(x);
    x->options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    begin = sab_cpu_seconds();
    gfc3d_driver(x->problem, x->reaction, x->velocity, x->v, x->options);
    return sab_cpu_seconds() - begin;
}

/* lambda = M^-1 C p */
static void peer_stress(const peer *x, double *lambda)
{
    for (int i = 0; i < 3 * x->program->npoints; i++)
        lambda[i] = x->scale[i / 3] / x->program->weight[i / 3] * x->reaction[i];
}

/* The next number of iterations: twice as many, at most what the limits let through; 0 if that is
 * hardly more than before. */
static int next_run(int done, double cpu, double limit, int most)
{
    const double next = fmin(2.0 * done, fmin(0.95 * limit / cpu * done, most));

    return next >= (done < most / 1.1 ? 1.1 * done : done + 1.0) ? (int)next : 0;
}

static sab_status solve(const sab_program *p, const peer_method *method, peer *x, double tolerance,
                        int most, bench_recorder *r, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_factor *factor = NULL;
    sab_residual *residual = NULL;
    double *lambda = NULL, *u = NULL, *best = NULL, cpu = 0.0, best_cpu = 0.0;
    sab_report report = {.change = NAN}, result = report;

    SAB_NEW(lambda, 3 * (size_t)p->npoints);
    SAB_NEW(u, p->n);
    SAB_NEW(best, p->n);
    SAB_TRY(bench_recorder_refer(r, p, err));
    SAB_TRY(sab_factor_create(NULL, p->A, &factor, err));
    SAB_TRY(sab_factor_update(factor, p->A, err));
    SAB_TRY(sab_residual_create(p, &residual, err));
    SAB_TRY(sab_residual_refer(residual, p, factor, err));
    r->u = best;
    result.reason = SAB_MAX_ITERATIONS;
    for (int n = most < FIRST_RUN ? most : FIRST_RUN, done = 0; n > 0;
         done = n, n = next_run(n, cpu, r->limit, most)) {
        cpu = method->resumes ? cpu + peer_run(x, n - done, done > 0) : peer_run(x, n, false);
        peer_stress(x, lambda);
        SAB_TRY(sab_residual_certify(residual, p, factor, lambda, u, &report.certificate, err));
        report.work.outer++;
        report.work.inner = report.work.solves = n;
        report.work.factorisations = 1;
        if (done == 0 || sab_certificate_merit(&report.certificate) < r->best) {
            memcpy(best, u, (size_t)p->n * sizeof *u);
            result = report;
            best_cpu = cpu;
        }
        bench_recorder_row(r, &report, cpu);
        if (sab_certificate_meets(&report.certificate, tolerance)) {
            result.reason = SAB_CONVERGED;
            break;
        }
        result.reason = SAB_MAX_ITERATIONS;
        r->stopped = n < most;
    }
    bench_recorder_result(r, &result, best_cpu);
cleanup:
    sab_factor_destroy(&factor);
    sab_residual_destroy(&residual);
    SAB_FREE(lambda);
    SAB_FREE(u);
    SAB_FREE(best);
    return status;
}

int main(int argc, char **argv)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    bench_recorder r = bench_recorder_create(argc, argv);
    const peer_method *method = argc > 2 ? find_method(argv[2]) : NULL;
    const scaling how = find_scaling(bench_option(argc, argv, "--scaling", "step"));
    const double tolerance = bench_number(argc, argv, "--tolerance", 1e-9);
    const int most = (int)bench_number(argc, argv, "--max-iterations", 1e9);
    sab_program *p = NULL;
    peer x = {0};

    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < METHODS; i++)
            printf("%s\n", methods[i].title);
        return 0;
    }
    if (method == NULL || how == SCALINGS || most < 1) {
        fprintf(stderr, "usage: bench-siconos FILE.sabp ADMM|NSGS|NSGS_WR [--tolerance G] "
                        "[--limit SECONDS] [--velocity PREFIX] [--max-iterations N] "
                        "[--scaling step|weight|none] [--rho RHO]; bench-siconos --list\n");
        return 2;
    }
    sab_threads_set(1);
    (void)sab_threads_hold(true); /* to the end: it has libraries of its own */
    r.method = method->title;
    SAB_TRY(sab_program_read(argv[1], &p, err));
    SAB_TRY(check(p, method, err));
    SAB_TRY(peer_create(p, method, how, bench_number(argc, argv, "--rho", 100.0), &x, err));
    SAB_TRY(solve(p, method, &x, tolerance, most, &r, err));
cleanup:
    if (status != SAB_OK)
        fprintf(stderr, "error: %s\n", message.message);
    peer_clear(&x);
    sab_program_destroy(&p);
    return status == SAB_OK ? 0 : 1;
}

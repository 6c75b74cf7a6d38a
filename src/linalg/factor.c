/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/factor.h"
#include "linalg/backend.h"
#include "linalg/condense.h"
#include "linalg/server.h"
#include "linalg/threads.h"
#include "base/memory.h"
#include "base/timer.h"

#include <inttypes.h>
#include <math.h>

/* Flops of a factorisation from which on threads of the BLAS pay: below, and in solves, they wait
 * for each other [docs/benchmark.md]. */
static const double THREADED = 5e9;

struct sab_factor {
    const sab_backend *library;
    void *state; /* of the library, owned; NULL when n = 0, where there is nothing to do */
    void *spare; /* of its reserve, owned; NULL as long as that is not needed */
    const sab_backend *used; /* by the last update, */
    void *solver;            /* and its state: one of the two */
    sab_analysis how;        /* but for `known`, which is of the moment */
    uint64_t pattern;        /* hash of what the library has analysed */
    sab_condense *condense;  /* owned; NULL if the backend takes the matrix as it is */
    int64_t n, entries;
    bool symmetric; /* with n and entries: what update compares with */
    bool ready;     /* the last update succeeded */
    sab_factor_info info;
};

/* Neither library checks its indices where it matters: a bad one would be a crash or a wrong
 * matrix. Columns in order, rows in range, increasing, and in the lower triangle if symmetric. */
static sab_status check_pattern(const sab_sparse *A, sab_error *err)
{
    if (A->start[0] != 0)
        return sab_fail(err, SAB_ERR_INTERNAL, "the first column starts at entry %" PRId64,
                        A->start[0]);
    for (int64_t j = 0; j < A->n; j++) {
        int64_t smallest = A->symmetric ? j : 0;

        if (A->start[j + 1] < A->start[j])
            return sab_fail(err, SAB_ERR_INTERNAL, "column %" PRId64 " ends before it starts", j);
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            if (A->row[k] < smallest || A->row[k] >= A->n)
                return sab_fail(err, SAB_ERR_INTERNAL,
                                "row %" PRId64 " in column %" PRId64 " is out of order or range",
                                A->row[k], j);
            smallest = A->row[k] + 1;
        }
    }
    return SAB_OK;
}

/* An infinite or undefined value passes through both libraries without an error. */
static sab_status check_values(const sab_sparse *A, sab_error *err)
{
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
            if (!isfinite(A->value[k]))
                return sab_fail(err, SAB_ERR_NUMERIC,
                                "entry (%" PRId64 ", %" PRId64
                                ") of the matrix to factor is not finite: %g",
                                A->row[k], j, A->value[k]);
    return SAB_OK;
}

/* FNV-1a of the lower triangle: that is what CHOLMOD analyses. */
static uint64_t hash_pattern(const sab_sparse *S)
{
    uint64_t h = 14695981039346656037u ^ (uint64_t)S->n;

    for (int64_t j = 0; j < S->n; j++)
        for (int64_t k = S->start[j]; k < S->start[j + 1]; k++)
            if (S->row[k] >= j) {
                h = (h ^ (uint64_t)S->row[k]) * 1099511628211u;
                h = (h ^ (uint64_t)j) * 1099511628211u;
            }
    return h;
}

/* Analyse S with the library of the factor or, if its pattern is not for it, with the reserve. */
static sab_status analyse(sab_factor *f, const sab_sparse *S, const sab_factor *like,
                          sab_error *err)
{
    f->pattern = hash_pattern(S);
    const bool known = like != NULL && like->library == &sab_backend_cholmod &&
                       like->state != NULL && like->how.metis == f->how.metis &&
                       like->pattern == f->pattern;
    sab_analysis how = f->how;

    how.known = known ? like->state : NULL;
    sab_status status = f->library->create(S, &how, &f->state, &f->info, err);

    if (status == SAB_ERR_NUMERIC && f->library->reserve != NULL) {
        f->library = f->library->reserve;
        status = f->library->create(S, &f->how, &f->state, &f->info, err);
    }
    f->used = f->library;
    f->solver = f->state;
    return status;
}

static const sab_backend *choose_library(const sab_factor_options *o, const sab_sparse *A)
{
    const bool mumps = o->backend == SAB_MUMPS || (o->backend == SAB_LINEAR_AUTO &&
                                                   (sab_server_processes() > 1 || o->blr > 0.0));

    if (o->backend == SAB_AMG)
        return sab_backend_amg;
    return mumps ? &sab_backend_mumps : A->symmetric ? &sab_backend_cholmod : &sab_backend_lu;
}

/* Can it do what is asked of it? */
static sab_status check_library(const sab_factor_options *o, const sab_backend *library,
                                const sab_sparse *A, sab_error *err)
{
    if (o->blr > 0.0 && (library != &sab_backend_mumps || !sab_factor_has_blr()))
        return sab_fail(err, SAB_ERR_INPUT, "blocks of low rank need MUMPS, and its MPI build");
    if (library == NULL)
        return sab_fail(err, SAB_ERR_INPUT,
                        "this program was built without multigrid: build it with -Dpetsc=true "
                        "(scripts/setup --petsc, docs/scale.md)");
    if (o->backend == SAB_AMG && !A->symmetric)
        return sab_fail(err, SAB_ERR_INPUT, "multigrid is for symmetric matrices");
    if (A->n > library->largest)
        return sab_fail(err, SAB_ERR_INPUT,
                        "%" PRId64 " unknowns are too many for %s, which takes %" PRId64, A->n,
                        library->name, library->largest);
    return SAB_OK;
}

sab_status sab_factor_create(const sab_factor_options *options, const sab_sparse *A,
                             sab_factor **factor, sab_error *err)
{
    const double cpu = sab_cpu_seconds();
    const sab_factor_options o = options != NULL ? *options : (sab_factor_options){0};
    const sab_backend *library = choose_library(&o, A);
    sab_status status = SAB_OK;
    sab_factor *f = NULL;
    sab_held held;

    *factor = NULL;
    status = check_library(&o, library, A, err);
    if (status != SAB_OK)
        return status;
    held = sab_threads_hold(false);
    SAB_TRY(check_pattern(A, err));
    if (A->symmetric && sab_pattern_is_diagonal(A))
        library = &sab_backend_diagonal;
    if (A->n > 0 && A->start[A->n] == 0)
        SAB_TRY(sab_fail(err, SAB_ERR_NUMERIC, "the matrix is singular: it has no entries"));
    SAB_NEW(f, 1);
    f->library = library;
    f->how.metis = o.ordering == SAB_ORDERING_METIS || (o.ordering == SAB_ORDERING_AUTO && o.space);
    f->how.blr = o.blr;
    f->how.direction = o.direction;
    f->n = A->n;
    f->entries = A->start[A->n];
    f->symmetric = A->symmetric;
    f->info.ordering = "none";
    f->info.processes =
        library == &sab_backend_mumps || library == sab_backend_amg ? sab_server_processes() : 1;
    if (library != &sab_backend_diagonal)
        SAB_TRY(sab_condense_create(A, &f->condense, err));
    const sab_sparse *S = f->condense != NULL ? sab_condense_matrix(f->condense) : A;
    f->info.condensed = A->n - S->n;
    if (S->n > 0)
        SAB_TRY(analyse(f, S, o.like, err));
    f->how.direction = NULL; /* it was borrowed */
    f->info.backend = f->library->name;
    f->info.analysis_cpu = sab_cpu_seconds() - cpu;
    *factor = f; /* success: moved to the caller */
    f = NULL;
cleanup:
    sab_threads_release(held);
    if (status != SAB_OK)
        sab_error_context(err, "while analysing a matrix of %" PRId64 " unknowns with %s", A->n,
                          library->name);
    sab_factor_destroy(&f);
    return status;
}

/* Factor S with the library of the factor or, if it fails, with the reserve, made when it is first
 * needed. */
static sab_status factor_values(sab_factor *f, const sab_sparse *S, sab_error *err)
{
    const sab_backend *reserve = f->library->reserve;
    sab_status status = f->library->update(f->state, S, &f->info, err);

    f->used = f->library;
    f->solver = f->state;
    if (status == SAB_ERR_NUMERIC && reserve != NULL) {
        status = f->spare == NULL ? reserve->create(S, &f->how, &f->spare, &f->info, err) : SAB_OK;
        if (status == SAB_OK)
            status = reserve->update(f->spare, S, &f->info, err);
        f->info.reserved += status == SAB_OK;
        f->used = reserve;
        f->solver = f->spare;
    }
    f->info.backend = f->used->name;
    return status;
}

sab_status sab_factor_update(sab_factor *factor, const sab_sparse *A, sab_error *err)
{
    const double cpu = sab_cpu_seconds();
    const sab_sparse *S = A;
    double smallest = INFINITY; /* pivot of condensation */
    sab_status status = SAB_OK;
    sab_held held;

    factor->ready = false;
    if (A->n != factor->n || A->start[A->n] != factor->entries || A->symmetric != factor->symmetric)
        return sab_fail(err, SAB_ERR_INTERNAL,
                        "a %s matrix of %" PRId64 " unknowns and %" PRId64
                        " entries was analysed, but one of %" PRId64 " and %" PRId64
                        " (%s) is to be factored",
                        factor->symmetric ? "symmetric" : "unsymmetric", factor->n, factor->entries,
                        A->n, A->start[A->n], A->symmetric ? "symmetric" : "unsymmetric");
    held = sab_threads_hold(factor->info.flops >= THREADED);
    SAB_TRY(check_values(A, err));
    if (factor->condense != NULL) {
        SAB_TRY(sab_condense_update(factor->condense, A, &smallest, err));
        S = sab_condense_matrix(factor->condense);
    }
    if (factor->state != NULL)
        SAB_TRY(factor_values(factor, S, err));
    factor->info.smallest_pivot = fmin(factor->info.smallest_pivot, smallest);
    factor->ready = true;
    factor->info.updates++;
cleanup:
    sab_threads_release(held);
    factor->info.update_cpu = sab_cpu_seconds() - cpu;
    factor->info.total_update_cpu += factor->info.update_cpu;
    if (status != SAB_OK)
        sab_error_context(err, "while factoring a matrix of %" PRId64 " unknowns with %s", A->n,
                          factor->info.backend);
    return status;
}

sab_status sab_factor_solve(sab_factor *factor, const double *b, double *x, sab_error *err)
{
    const double cpu = sab_cpu_seconds();
    sab_status status = SAB_OK;
    sab_held held;

    if (!factor->ready)
        return sab_fail(err, SAB_ERR_INTERNAL, "there is no factor to solve with");
    held = sab_threads_hold(false);
    if (factor->condense != NULL) {
        sab_condense_reduce(factor->condense, b, x);
        b = x;
    }
    if (factor->state != NULL)
        SAB_TRY(factor->used->solve(factor->solver, b, x, &factor->info, err));
    if (factor->condense != NULL)
        sab_condense_expand(factor->condense, x);
    factor->info.solves++;
cleanup:
    sab_threads_release(held);
    factor->info.total_solve_cpu += sab_cpu_seconds() - cpu;
    if (status != SAB_OK)
        sab_error_context(err, "while solving for %" PRId64 " unknowns with %s", factor->n,
                          factor->info.backend);
    return status;
}

void sab_factor_destroy(sab_factor **factor)
{
    if (*factor == NULL)
        return;
    if ((*factor)->state != NULL)
        (*factor)->library->destroy((*factor)->state);
    if ((*factor)->spare != NULL)
        (*factor)->library->reserve->destroy((*factor)->spare);
    sab_condense_destroy(&(*factor)->condense);
    SAB_FREE(*factor);
}

bool sab_factor_has_amg(void)
{
    return sab_backend_amg != NULL;
}

void sab_factor_set_accuracy(sab_factor *factor, double part)
{
    if (factor->state != NULL && factor->library->set_accuracy != NULL)
        factor->library->set_accuracy(factor->state, part > 0.0 ? part : SAB_ACCURATE);
}

bool sab_factor_has_blr(void)
{
    return sab_mumps_has_blr;
}

sab_factor_info sab_factor_get_info(const sab_factor *factor)
{
    return factor->info;
}

const char *sab_factor_version(sab_factor_backend backend)
{
    if (backend == SAB_AMG)
        return sab_backend_amg != NULL ? sab_backend_amg->version : "none";
    return (backend == SAB_MUMPS ? &sab_backend_mumps : &sab_backend_cholmod)->version;
}

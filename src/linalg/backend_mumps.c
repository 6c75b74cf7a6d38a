/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/backend_mumps.c -- multifrontal L D L^T (SYM 1) or L U (SYM 0) by MUMPS.
 *
 * MUMPS is one function, dmumps_c, that does the `job` written in its structure. Its parameters are
 * known by the numbers of its manual, which count from 1: ICNTL, INFOG and RINFOG below. */
#include "linalg/backend.h"
#include "linalg/server.h"
#include "base/memory.h"

#include <dmumps_c.h>
#include <math.h>
#include <string.h>

#define ICNTL(id, i) ((id)->icntl[(i)-1])
#define INFOG(id, i) ((id)->infog[(i)-1])
#define RINFOG(id, i) ((id)->rinfog[(i)-1])
#define CNTL(id, i) ((id)->cntl[(i)-1])

enum { JOB_START = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3 };
enum { MOST_RETRIES = 6 }; /* each doubles the margin of workspace: 20 % to 1280 % */

/* Refinement ends when the backward error is that of a full factor, or no longer falls by half; it
 * has failed if more than the last is left. */
static const double ENOUGH = 1e-15, TOO_MUCH = 1e-12;
enum { MOST_REFINEMENTS = 20 };

typedef struct mumps_state {
    DMUMPS_STRUC_C id;
    int slot;                /* its number among `factors` */
    MUMPS_INT *row, *column; /* [entries] owned, counted from 1: MUMPS wants triplets */
    MUMPS_INT *place;        /* [n] owned, of each unknown in a given order, from 1, or NULL */
    /* For refinement, owned; NULL if the factor is full: */
    double *value;    /* [entries] of the matrix */
    double *b, *rest; /* [n] right-hand side, and what is left of it */
    double norm;      /* max_i sum_j |a_ij| */
} mumps_state;

/* All factors by the numbers that processes call them by: here, or this process's part of those of
 * process 0 (linalg/server.h). */
enum { MOST_FACTORS = 64 };
static DMUMPS_STRUC_C *factors[MOST_FACTORS];

/* MUMPS writes a number too large for 32 bits as minus so many millions. */
static double large_number(MUMPS_INT value)
{
    return value >= 0 ? (double)value : -1e6 * (double)value;
}

/* The error INFOG(1), with its detail INFOG(2), as a sentence. Positive values are warnings. */
static sab_status check_info(const DMUMPS_STRUC_C *id, const char *what, sab_error *err)
{
    const MUMPS_INT code = INFOG(id, 1);
    const MUMPS_INT detail = INFOG(id, 2);
    const double size = large_number(detail);

    if (code >= 0)
        return SAB_OK;
    switch (code) {
    case -2:
        return sab_fail(err, SAB_ERR_INTERNAL,
                        "MUMPS takes no matrix of %.0f entries (INFOG(1) = -2)", size);
    case -3:
        return sab_fail(err, SAB_ERR_INTERNAL,
                        "MUMPS was called in the wrong order, in its %s (INFOG(1) = -3)", what);
    case -6:
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is singular by its pattern alone: its structural rank is %d, "
                        "not %d (MUMPS, INFOG(1) = -6)",
                        detail, id->n);
    case -10:
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is singular: MUMPS found a zero pivot after %d good ones "
                        "(INFOG(1) = -10)",
                        detail);
    case -40:
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is singular or not positive definite: MUMPS found a pivot that "
                        "is not positive in its last block (INFOG(1) = -40)");
    case -5:
    case -7:
    case -13:
        return sab_fail(err, SAB_ERR_MEMORY,
                        "MUMPS ran out of memory in its %s: it asked for %.4g more %s "
                        "(INFOG(1) = %d)",
                        what, size, code == -7 ? "integers" : "numbers", code);
    case -8:
    case -9:
        return sab_fail(err, SAB_ERR_MEMORY,
                        "the workspace of MUMPS is too small, even after %d retries and with a "
                        "margin of %d %%: %.4g %s are missing (INFOG(1) = %d)",
                        MOST_RETRIES, ICNTL(id, 14), size, code == -8 ? "integers" : "numbers",
                        code);
    case -11:
    case -12:
    case -14:
    case -15:
        return sab_fail(err, SAB_ERR_MEMORY,
                        "the workspace of MUMPS is too small to solve: %.4g numbers are missing "
                        "(INFOG(1) = %d)",
                        size, code);
    case -16:
        return sab_fail(err, SAB_ERR_INTERNAL,
                        "MUMPS takes no matrix of %d unknowns (INFOG(1) = -16)", detail);
    case -17:
    case -18:
    case -20:
        return sab_fail(err, SAB_ERR_MEMORY,
                        "a buffer between the processes of MUMPS is too small in its %s "
                        "(INFOG(1) = %d, INFOG(2) = %d)",
                        what, code, detail);
    case -19:
        return sab_fail(err, SAB_ERR_MEMORY,
                        "the memory allowed to MUMPS, ICNTL(23), is too small by %.4g numbers "
                        "(INFOG(1) = -19)",
                        size);
    case -22:
        return sab_fail(err, SAB_ERR_INTERNAL,
                        "array %d of its manual was not given to MUMPS in its %s (INFOG(1) = -22)",
                        detail, what);
    case -23:
        return sab_fail(err, SAB_ERR_INTERNAL, "MPI was not started before MUMPS (INFOG(1) = -23)");
    default: /* -1, -4, -21 and the rest cannot come from how we call it */
        return sab_fail(err, SAB_ERR_INTERNAL,
                        "MUMPS failed in its %s: INFOG(1) = %d, INFOG(2) = %d; its manual says "
                        "what they mean",
                        what, code, detail);
    }
}

static const char *ordering_name(MUMPS_INT infog7)
{
    static const char *const names[] = {"AMD", "METIS", "AMF", "SCOTCH", "PORD", "METIS", "QAMD"};

    return infog7 >= 0 && infog7 < 7 ? names[infog7] : "unknown";
}

static void run(DMUMPS_STRUC_C *id, int slot, MUMPS_INT job)
{
    sab_server_tell(slot, job, id->sym);
    id->job = job;
    dmumps_c(id);
}

/* The same in all processes. */
static void start(DMUMPS_STRUC_C *id, int slot, MUMPS_INT symmetry)
{
    factors[slot] = id;
    id->sym = symmetry;
    id->par = 1; /* process 0 works too */
    id->comm_fortran = sab_server_communicator();
    run(id, slot, JOB_START);
    for (int i = 1; i <= 4; i++)
        ICNTL(id, i) = 0; /* no messages */
}

bool sab_mumps_serve(int slot, int job, int symmetry)
{
    if (job == JOB_START) {
        DMUMPS_STRUC_C *id = sab_alloc(1, sizeof *id);

        if (id == NULL)
            return false;
        start(id, slot, symmetry);
        return true;
    }
    run(factors[slot], slot, job);
    if (job == JOB_END)
        SAB_FREE(factors[slot]);
    return true;
}

static void mumps_state_destroy(void *data)
{
    mumps_state *state = data;

    if (state->id.job != 0) { /* started */
        run(&state->id, state->slot, JOB_END);
        factors[state->slot] = NULL;
    }
    SAB_FREE(state->row);
    SAB_FREE(state->column);
    SAB_FREE(state->place);
    SAB_FREE(state->value);
    SAB_FREE(state->b);
    SAB_FREE(state->rest);
    sab_free(state);
}

/* Builds of MUMPS differ in the orderings they have (Debian's has no METIS): it is given one. */
static sab_status give_order(mumps_state *state, const sab_sparse *A, sab_error *err)
{
    sab_status status = SAB_OK;
    int64_t *order = NULL;

    SAB_NEW(order, A->n);
    SAB_NEW(state->place, A->n);
    SAB_TRY(sab_order_metis(A, order, err));
    for (int64_t k = 0; k < A->n; k++)
        state->place[order[k]] = (MUMPS_INT)(k + 1);
    ICNTL(&state->id, 7) = 1;
    state->id.perm_in = state->place;
cleanup:
    SAB_FREE(order);
    return status;
}

/* Blocks of low rank, to within `blr` of what they are [MUMPS, ICNTL(35)]. */
static sab_status compress(mumps_state *state, const sab_sparse *A, double blr, sab_error *err)
{
    sab_status status = SAB_OK;

    ICNTL(&state->id, 35) = 2;
    CNTL(&state->id, 7) = blr;
    SAB_NEW(state->value, A->start[A->n]);
    SAB_NEW(state->b, A->n);
    SAB_NEW(state->rest, A->n);
cleanup:
    return status;
}

static sab_status mumps_state_create(const sab_sparse *A, const sab_analysis *how, void **data,
                                     sab_factor_info *info, sab_error *err)
{
    const int64_t entries = A->start[A->n];
    sab_status status = SAB_OK;
    mumps_state *state = NULL;

    *data = NULL;
    SAB_NEW(state, 1);
    SAB_NEW(state->row, entries);
    SAB_NEW(state->column, entries);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            state->row[k] = (MUMPS_INT)(A->row[k] + 1);
            state->column[k] = (MUMPS_INT)(j + 1);
        }

    DMUMPS_STRUC_C *id = &state->id;
    while (state->slot < MOST_FACTORS && factors[state->slot] != NULL)
        state->slot++;
    if (state->slot == MOST_FACTORS)
        SAB_TRY(sab_fail(err, SAB_ERR_INTERNAL, "more than %d factors of MUMPS at a time",
                         MOST_FACTORS));
    start(id, state->slot, A->symmetric ? 1 : 0);
    SAB_TRY(check_info(id, "start", err));
    ICNTL(id, 7) = 0;   /* AMD */
    ICNTL(id, 13) = 1;  /* no ScaLAPACK in the last block: it would not count negative pivots */
    ICNTL(id, 14) = 20; /* margin of workspace, in percent */
    ICNTL(id, 28) = 1;  /* sequential analysis: ICNTL(7) holds, INFOG(7) tells */
    ICNTL(id, 8) = 1;   /* scale to a unit diagonal: RINFOG(19) is then smallest_pivot */
    if (how->blr > 0.0)
        SAB_TRY(compress(state, A, how->blr, err));

    id->n = (MUMPS_INT)A->n;
    id->nnz = entries;
    id->irn = state->row;
    id->jcn = state->column;
    if (how->metis)
        SAB_TRY(give_order(state, A, err));
    run(id, state->slot, JOB_ANALYSE);
    SAB_TRY(check_info(id, "analysis", err));
    info->ordering = ordering_name(INFOG(id, 7));
    info->entries = large_number(INFOG(id, 20));
    info->flops = RINFOG(id, 1);
    info->memory = 1e6 * INFOG(id, 16);
    *data = state;
    state = NULL;
cleanup:
    if (state != NULL)
        mumps_state_destroy(state);
    return status;
}

/* SYM 1 does not pivot and goes on when a pivot is negative: it only counts it in INFOG(12). */
static sab_status check_pivots(const DMUMPS_STRUC_C *id, sab_factor_info *info, sab_error *err)
{
    if (id->sym == 1 && INFOG(id, 12) > 0)
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is not positive definite: %d of %d pivots are negative (MUMPS)",
                        INFOG(id, 12), id->n);
    info->smallest_pivot = RINFOG(id, 19);
    if (!(info->smallest_pivot >= SAB_PIVOT_NOISE)) /* true for NaN, after an overflow */
        return sab_fail(err, SAB_ERR_NUMERIC,
                        "the matrix is singular to working precision: its smallest pivot, after "
                        "scaling, is %.2g",
                        info->smallest_pivot);
    return SAB_OK;
}

static void keep_matrix(mumps_state *state, const sab_sparse *A)
{
    double *sum = state->rest; /* of the sizes in each row */

    memcpy(state->value, A->value, (size_t)A->start[A->n] * sizeof *A->value);
    memset(sum, 0, (size_t)A->n * sizeof *sum);
    for (int64_t k = 0; k < A->start[A->n]; k++) {
        const MUMPS_INT i = state->row[k] - 1, j = state->column[k] - 1;

        sum[i] += fabs(A->value[k]);
        if (A->symmetric && i != j)
            sum[j] += fabs(A->value[k]);
    }
    state->norm = 0.0;
    for (int64_t i = 0; i < A->n; i++)
        state->norm = fmax(state->norm, sum[i]);
}

static sab_status mumps_state_update(void *data, const sab_sparse *A, sab_factor_info *info,
                                     sab_error *err)
{
    mumps_state *state = data;
    DMUMPS_STRUC_C *id = &state->id;
    sab_status status = SAB_OK;

    id->a = A->value; /* only read */
    run(id, state->slot, JOB_FACTOR);
    /* Pivoting can need more room than the analysis foresaw: -8 integers, -9 numbers. */
    for (int i = 0; i < MOST_RETRIES && (INFOG(id, 1) == -8 || INFOG(id, 1) == -9); i++) {
        ICNTL(id, 14) *= 2; /* kept for the next update */
        run(id, state->slot, JOB_FACTOR);
    }
    id->a = NULL; /* borrowed for the call */
    SAB_TRY(check_info(id, "factorisation", err));
    info->entries = large_number(INFOG(id, state->value != NULL ? 35 : 29));
    info->flops = RINFOG(id, state->value != NULL ? 14 : 3);
    info->memory = 1e6 * INFOG(id, 21);
    if (state->value != NULL)
        keep_matrix(state, A);
    SAB_TRY(check_pivots(id, info, err));
cleanup:
    return status;
}

static sab_status solve_once(mumps_state *state, double *x, sab_error *err)
{
    DMUMPS_STRUC_C *id = &state->id;

    id->rhs = x;
    id->nrhs = 1;
    id->lrhs = id->n;
    run(id, state->slot, JOB_SOLVE);
    id->rhs = NULL;
    return check_info(id, "solution", err);
}

/* rest <- b - A x. Returns its size relative to |A||x| + |b|, in the maximum norm: the backward
 * error, rounding for every full factor, however badly conditioned A is. */
static double find_rest(mumps_state *state, const double *x)
{
    const DMUMPS_STRUC_C *id = &state->id;
    double left = 0.0, size_x = 0.0, size_b = 0.0;

    memcpy(state->rest, state->b, (size_t)id->n * sizeof *x);
    for (int64_t k = 0; k < id->nnz; k++) {
        const MUMPS_INT i = state->row[k] - 1, j = state->column[k] - 1;

        state->rest[i] -= state->value[k] * x[j];
        if (id->sym != 0 && i != j)
            state->rest[j] -= state->value[k] * x[i];
    }
    for (MUMPS_INT i = 0; i < id->n; i++) {
        left = fmax(left, fabs(state->rest[i]));
        size_x = fmax(size_x, fabs(x[i]));
        size_b = fmax(size_b, fabs(state->b[i]));
    }
    return left > 0.0 ? left / (state->norm * size_x + size_b) : 0.0;
}

static sab_status refine(mumps_state *state, double *x, sab_factor_info *info, sab_error *err)
{
    const MUMPS_INT n = state->id.n;
    double error = find_rest(state, x), before = INFINITY;
    sab_status status = SAB_OK;

    for (int k = 0; k < MOST_REFINEMENTS && error > ENOUGH && error < 0.5 * before; k++) {
        before = error;
        SAB_TRY(solve_once(state, state->rest, err));
        info->refinements++;
        for (MUMPS_INT i = 0; i < n; i++)
            x[i] += state->rest[i];
        error = find_rest(state, x);
    }
    if (!(error <= TOO_MUCH)) /* true for NaN */
        status = sab_fail(err, SAB_ERR_NUMERIC,
                          "solver.blr: %g is too coarse for this matrix: refinement ends at a "
                          "backward error of %.1e; make it smaller, or 0",
                          CNTL(&state->id, 7), error);
cleanup:
    return status;
}

static sab_status mumps_state_solve(void *data, const double *b, double *x, sab_factor_info *info,
                                    sab_error *err)
{
    mumps_state *state = data;
    const size_t size = (size_t)state->id.n * sizeof *x;

    if (state->value != NULL)
        memcpy(state->b, b, size);
    memmove(x, b, size); /* MUMPS solves in place */
    const sab_status status = solve_once(state, x, err);
    return status == SAB_OK && state->value != NULL ? refine(state, x, info, err) : status;
}

#ifdef SAB_MPI
const bool sab_mumps_has_blr = true;
#else
const bool sab_mumps_has_blr = false;
#endif

const sab_backend sab_backend_mumps = {
    .name = "mumps",
    .version = MUMPS_VERSION,
    .largest = INT32_MAX - 1,
    .create = mumps_state_create,
    .update = mumps_state_update,
    .solve = mumps_state_solve,
    .destroy = mumps_state_destroy,
};

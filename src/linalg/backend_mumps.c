/* linalg/backend_mumps.c -- multifrontal L D L^T (SYM 1) or L U (SYM 0) by MUMPS.
 *
 * MUMPS is one function, dmumps_c, that does the `job` written in its structure. Its parameters are
 * known by the numbers of its manual, which count from 1: ICNTL, INFOG and RINFOG below. */
#include "linalg/backend.h"
#include "base/memory.h"

#ifdef SAB_MPI
#include <mpi.h>
#include <stdlib.h>
#endif
#include <dmumps_c.h>
#include <string.h>

#define ICNTL(id, i) ((id)->icntl[(i)-1])
#define INFOG(id, i) ((id)->infog[(i)-1])
#define RINFOG(id, i) ((id)->rinfog[(i)-1])

enum { JOB_START = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3 };
enum { USE_COMM_WORLD = -987654 }; /* the constant MUMPS knows for MPI_COMM_WORLD */
enum { MOST_RETRIES = 6 };         /* each doubles the margin of workspace: 20 % to 1280 % */

typedef struct mumps_state {
    DMUMPS_STRUC_C id;
    MUMPS_INT *row, *column; /* [entries] owned, counted from 1: MUMPS wants triplets */
    MUMPS_INT *place;        /* [n] owned, of each unknown in a given order, from 1, or NULL */
} mumps_state;

/* With MPI every process runs the whole program, and MUMPS shares out the factorisation: it reads
 * the matrix and writes the solution on process 0. Without, there is nothing to do. */
#ifdef SAB_MPI
static void finish_mpi(void)
{
    int finished = 0;

    MPI_Finalized(&finished);
    if (!finished)
        MPI_Finalize();
}

static void start_mpi(void)
{
    int started = 0;

    MPI_Initialized(&started);
    if (!started) {
        MPI_Init(NULL, NULL);
        atexit(finish_mpi); /* MPI cannot be started again: it ends with the program */
    }
}

static void share_solution(double *x, MUMPS_INT n)
{
    MPI_Bcast(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}
#else
static void start_mpi(void)
{
}

static void share_solution(double *x, MUMPS_INT n)
{
    (void)x;
    (void)n;
}
#endif

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

static void run(DMUMPS_STRUC_C *id, MUMPS_INT job)
{
    id->job = job;
    dmumps_c(id);
}

static void mumps_state_destroy(void *data)
{
    mumps_state *state = data;

    if (state->id.job != 0) /* started */
        run(&state->id, JOB_END);
    SAB_FREE(state->row);
    SAB_FREE(state->column);
    SAB_FREE(state->place);
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

static sab_status mumps_state_create(const sab_sparse *A, bool metis, void **data,
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
    start_mpi();
    id->sym = A->symmetric ? 1 : 0;
    id->par = 1; /* process 0 works too */
    id->comm_fortran = USE_COMM_WORLD;
    run(id, JOB_START);
    SAB_TRY(check_info(id, "start", err));
    for (int i = 1; i <= 4; i++)
        ICNTL(id, i) = 0; /* no messages */
    ICNTL(id, 7) = 0;     /* AMD */
    ICNTL(id, 13) = 1;    /* no ScaLAPACK in the last block: it would not count negative pivots */
    ICNTL(id, 14) = 20;   /* margin of workspace, in percent */
    ICNTL(id, 28) = 1;    /* sequential analysis: ICNTL(7) holds, INFOG(7) tells */
    ICNTL(id, 8) = 1;     /* scale to a unit diagonal: RINFOG(19) is then smallest_pivot */

    id->n = (MUMPS_INT)A->n;
    id->nnz = entries;
    id->irn = state->row;
    id->jcn = state->column;
    if (metis)
        SAB_TRY(give_order(state, A, err));
    run(id, JOB_ANALYSE);
    SAB_TRY(check_info(id, "analysis", err));
    info->ordering = ordering_name(INFOG(id, 7));
    info->entries = large_number(INFOG(id, 20));
    info->flops = RINFOG(id, 1);
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

static sab_status mumps_state_update(void *data, const sab_sparse *A, sab_factor_info *info,
                                     sab_error *err)
{
    mumps_state *state = data;
    DMUMPS_STRUC_C *id = &state->id;
    sab_status status = SAB_OK;

    id->a = A->value; /* only read */
    run(id, JOB_FACTOR);
    /* Pivoting can need more room than the analysis foresaw: -8 integers, -9 numbers. */
    for (int i = 0; i < MOST_RETRIES && (INFOG(id, 1) == -8 || INFOG(id, 1) == -9); i++) {
        ICNTL(id, 14) *= 2; /* kept for the next update */
        run(id, JOB_FACTOR);
    }
    id->a = NULL; /* borrowed for the call */
    SAB_TRY(check_info(id, "factorisation", err));
    info->entries = large_number(INFOG(id, 29));
    info->flops = RINFOG(id, 3);
    SAB_TRY(check_pivots(id, info, err));
cleanup:
    return status;
}

static sab_status mumps_state_solve(void *data, const double *b, double *x, sab_error *err)
{
    mumps_state *state = data;
    DMUMPS_STRUC_C *id = &state->id;

    memmove(x, b, (size_t)id->n * sizeof *x); /* MUMPS solves in place */
    id->rhs = x;
    id->nrhs = 1;
    id->lrhs = id->n;
    run(id, JOB_SOLVE);
    id->rhs = NULL;
    const sab_status status = check_info(id, "solution", err);
    if (status == SAB_OK)
        share_solution(x, id->n);
    return status;
}

const sab_backend sab_backend_mumps = {
    .name = "mumps",
    .largest = INT32_MAX - 1,
    .create = mumps_state_create,
    .update = mumps_state_update,
    .solve = mumps_state_solve,
    .destroy = mumps_state_destroy,
};

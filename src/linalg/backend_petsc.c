/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend_petsc.c -- the only file that knows PETSc: conjugate gradients, preconditioned by groups
 * of unknowns [docs/theory.md, 4.12].
 *
 * The velocities of nodes along one axis are coupled as in a Laplacian, which multigrid (BoomerAMG
 * of hypre) has no trouble with; what couples the axes, by Korn's inequality, and bubbles to nodes,
 * whose angle no mesh makes small, costs iterations that do not grow with it; and bubbles among
 * themselves are no worse than their diagonal. So, with g = bubbles, x, y, z, y, x, bubbles, or
 * rather the axes in the order of their numbers of unknowns: the one that is held at fewest places
 * has the softest motions, and gets two of five cycles,
 *     x_g <- x_g + P_g (b - A x)_g,
 * P_g a cycle of multigrid for A_gg, of bubbles a symmetric sweep of Gauss and Seidel. Without
 * known directions all unknowns are one group. */
#include "linalg/backend.h"

#include <stddef.h>

#ifdef SAB_PETSC
#include "base/memory.h"
#include "linalg/server.h"

#include <limits.h>
#include <math.h>
#include <petscksp.h>
#include <string.h>

/* What a matrix, the parts of it and their coarser ones take, per entry: measured. */
static const double BYTES = 45.0;
enum { GROUPS = 4 }; /* bubbles, and velocities along three axes */
/* Iterations after which a solve is given up: one that works takes 20 to 40. A solution that was
 * not as good as conjugate gradients believed is mended so often. */
enum { MOST_ITERATIONS = 500, MOST_ROUNDS = 3 };
/* Residuals below this part of |A| |x| are rounding, if no larger than that part of |b|: an x out
 * of all bounds is none. */
static const double ROUNDING = 1e-14, BOUND = 1e-6;

typedef struct amg {
    PetscInt n;
    PetscInt *start, *column; /* A in rows, both triangles, */
    double *value;
    PetscInt *fill; /* and where the next entry of a row goes */
    Mat A;
    KSP ksp;
    Vec x, b, r;
    double norm, accuracy; /* of A; see factor.h */
} amg;

static sab_status fail_petsc(PetscErrorCode code, sab_error *err)
{
    const char *text = NULL;

    PetscErrorMessage(code, &text, NULL);
    return sab_fail(err, code == PETSC_ERR_MEM ? SAB_ERR_MEMORY : SAB_ERR_INTERNAL, "PETSc: %s",
                    text != NULL ? text : "unknown error");
}

#define TRY_PETSC(call)                                                                            \
    do {                                                                                           \
        const PetscErrorCode code_ = (call);                                                       \
        if (code_ != 0)                                                                            \
            SAB_TRY(fail_petsc(code_, err));                                                       \
    } while (0)

/* PETSc begins with the first matrix and ends with the process, which MPI does by itself
 * (linalg/server.h). It has this process to itself, and neither signals nor files of options. */
static sab_status begin(sab_error *err)
{
    PetscBool begun = PETSC_FALSE;
    sab_status status = SAB_OK;

    PetscInitialized(&begun);
    if (begun)
        return SAB_OK;
    sab_server_communicator(); /* MPI is begun there */
    PETSC_COMM_WORLD = MPI_COMM_SELF;
    TRY_PETSC(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
    TRY_PETSC(PetscOptionsSetValue(NULL, "-skip_petscrc", "true"));
    TRY_PETSC(PetscInitializeNoArguments());
    TRY_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
cleanup:
    return status;
}

static void destroy(void *state)
{
    amg *m = state;

    KSPDestroy(&m->ksp);
    MatDestroy(&m->A);
    VecDestroy(&m->x);
    VecDestroy(&m->b);
    VecDestroy(&m->r);
    SAB_FREE(m->start);
    SAB_FREE(m->column);
    SAB_FREE(m->value);
    SAB_FREE(m->fill);
    sab_free(m);
}

/* Columns of the lower triangle as rows of both. What a row gets from the columns before its own
 * comes first, so its entries are in order. */
static void fill_rows(amg *m, const sab_sparse *A)
{
    memcpy(m->fill, m->start, (size_t)m->n * sizeof *m->fill);
    for (PetscInt j = 0; j < m->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            const PetscInt i = (PetscInt)A->row[k];

            m->column[m->fill[j]] = i;
            m->value[m->fill[j]++] = A->value[k];
            if (i != j) {
                m->column[m->fill[i]] = j;
                m->value[m->fill[i]++] = A->value[k];
            }
        }
}

static sab_status make_matrix(amg *m, const sab_sparse *A, sab_factor_info *info, sab_error *err)
{
    int64_t entries = 0;
    sab_status status = SAB_OK;

    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
            entries += A->row[k] == j ? 1 : 2;
    if (entries > PETSC_MAX_INT)
        return sab_fail(err, SAB_ERR_INPUT, "PETSc here has room for %d entries",
                        (int)PETSC_MAX_INT);
    SAB_NEW(m->start, A->n + 1);
    SAB_NEW(m->column, entries);
    SAB_NEW(m->value, entries);
    SAB_NEW(m->fill, A->n);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            m->start[j + 1]++;
            m->start[A->row[k] + 1] += A->row[k] != j;
        }
    for (int64_t j = 0; j < A->n; j++)
        m->start[j + 1] += m->start[j];
    fill_rows(m, A);
    TRY_PETSC(
        MatCreateSeqAIJWithArrays(MPI_COMM_SELF, m->n, m->n, m->start, m->column, m->value, &m->A));
    TRY_PETSC(MatSetOption(m->A, MAT_SPD, PETSC_TRUE));
    info->ordering = "none";
    info->entries = (double)entries;
    info->bytes_llt = BYTES * info->entries;
cleanup:
    return status;
}

/* The axes by falling numbers of unknowns, behind the bubbles. */
static void sort_groups(const amg *m, const int *direction, int order[GROUPS])
{
    PetscInt count[GROUPS] = {0};

    for (PetscInt i = 0; direction != NULL && i < m->n; i++)
        count[direction[i]]++;
    for (int g = 0; g < GROUPS; g++)
        order[g] = g;
    for (int g = 2; g < GROUPS; g++)
        for (int h = g; h > 1 && count[order[h]] > count[order[h - 1]]; h--) {
            const int other = order[h];

            order[h] = order[h - 1];
            order[h - 1] = other;
        }
}

/* The unknowns of a group: *count of them, in list. */
static void find_group(const amg *m, const int *direction, int group, PetscInt *list,
                       PetscInt *count)
{
    *count = 0;
    for (PetscInt i = 0; i < m->n; i++)
        if ((direction != NULL ? direction[i] : 1) == group)
            list[(*count)++] = i;
}

static sab_status set_multigrid(const char *prefix, sab_error *err)
{
    static const char *const option[][2] = {{"ksp_type", "preonly"},
                                            {"pc_type", "hypre"},
                                            {"pc_hypre_type", "boomeramg"},
                                            {"pc_hypre_boomeramg_coarsen_type", "HMIS"},
                                            {"pc_hypre_boomeramg_interp_type", "ext+i"},
                                            {"pc_hypre_boomeramg_strong_threshold", "0.5"},
                                            {"pc_hypre_boomeramg_P_max", "4"}};
    sab_status status = SAB_OK;

    for (size_t i = 0; i < sizeof option / sizeof option[0]; i++) {
        char name[200];

        snprintf(name, sizeof name, "-%s%s", prefix, option[i][0]);
        TRY_PETSC(PetscOptionsSetValue(NULL, name, option[i][1]));
    }
cleanup:
    return status;
}

static sab_status set_groups(amg *m, PC pc, const int *direction, sab_error *err)
{
    static const char *const name[GROUPS] = {"bubbles", "x", "y", "z"};
    PetscInt *list = NULL, count;
    int order[GROUPS];
    sab_status status = SAB_OK;
    IS set = NULL;

    SAB_NEW(list, m->n);
    find_group(m, direction, 1, list, &count);
    if (count == m->n) {
        SAB_TRY(set_multigrid("sablier_all_", err));
        TRY_PETSC(KSPSetOptionsPrefix(m->ksp, "sablier_all_"));
        TRY_PETSC(PCSetFromOptions(pc));
        goto cleanup;
    }
    TRY_PETSC(KSPSetOptionsPrefix(m->ksp, "sablier_"));
    TRY_PETSC(PCSetType(pc, PCFIELDSPLIT));
    TRY_PETSC(PCFieldSplitSetType(pc, PC_COMPOSITE_SYMMETRIC_MULTIPLICATIVE));
    TRY_PETSC(PetscOptionsSetValue(NULL, "-sablier_fieldsplit_bubbles_ksp_type", "preonly"));
    TRY_PETSC(PetscOptionsSetValue(NULL, "-sablier_fieldsplit_bubbles_pc_type", "sor"));
    sort_groups(m, direction, order);
    for (int k = 0; k < GROUPS; k++) {
        const int g = order[k];
        char prefix[100];

        find_group(m, direction, g, list, &count);
        if (count == 0)
            continue;
        snprintf(prefix, sizeof prefix, "sablier_fieldsplit_%s_", name[g]);
        if (g > 0)
            SAB_TRY(set_multigrid(prefix, err));
        TRY_PETSC(ISCreateGeneral(MPI_COMM_SELF, count, list, PETSC_COPY_VALUES, &set));
        TRY_PETSC(PCFieldSplitSetIS(pc, name[g], set));
        TRY_PETSC(ISDestroy(&set));
    }
cleanup:
    ISDestroy(&set);
    SAB_FREE(list);
    return status;
}

static sab_status create(const sab_sparse *A, const sab_analysis *how, void **state,
                         sab_factor_info *info, sab_error *err)
{
    sab_status status = SAB_OK;
    amg *m = NULL;
    PC pc;

    *state = NULL;
    SAB_TRY(begin(err));
    SAB_NEW(m, 1);
    m->n = (PetscInt)A->n;
    m->accuracy = SAB_ACCURATE;
    SAB_TRY(make_matrix(m, A, info, err));
    TRY_PETSC(VecCreateSeq(MPI_COMM_SELF, m->n, &m->x));
    TRY_PETSC(VecDuplicate(m->x, &m->b));
    TRY_PETSC(VecDuplicate(m->x, &m->r));
    TRY_PETSC(KSPCreate(MPI_COMM_SELF, &m->ksp));
    TRY_PETSC(KSPSetType(m->ksp, KSPCG));
    TRY_PETSC(KSPSetNormType(m->ksp, KSP_NORM_UNPRECONDITIONED));
    TRY_PETSC(KSPSetOperators(m->ksp, m->A, m->A));
    TRY_PETSC(KSPSetInitialGuessNonzero(m->ksp, PETSC_TRUE));
    TRY_PETSC(KSPGetPC(m->ksp, &pc));
    SAB_TRY(set_groups(m, pc, how->direction, err));
    *state = m;
    m = NULL;
cleanup:
    if (m != NULL)
        destroy(m);
    return status;
}

static void set_accuracy(void *state, double part)
{
    amg *m = state;

    m->accuracy = part;
    VecSet(m->x, 0.0);
}

/* A x = b from the x that is there. The residual is looked at, not believed. */
static sab_status run(amg *m, sab_factor_info *info, sab_error *err)
{
    double before, after, size;
    PetscInt iterations;
    sab_status status = SAB_OK;

    TRY_PETSC(VecNorm(m->b, NORM_2, &before));
    if (before == 0.0)
        TRY_PETSC(VecSet(m->x, 0.0));
    for (int round = 0; before > 0.0; round++) {
        TRY_PETSC(MatMult(m->A, m->x, m->r));
        TRY_PETSC(VecAYPX(m->r, -1.0, m->b));
        TRY_PETSC(VecNorm(m->r, NORM_2, &after));
        TRY_PETSC(VecNorm(m->x, NORM_2, &size));
        if (after <= fmax(m->accuracy * before, fmin(ROUNDING * m->norm * size, BOUND * before)))
            break;
        if (round == MOST_ROUNDS || !isfinite(after))
            SAB_FAIL(err, SAB_ERR_NUMERIC,
                     "conjugate gradients have left %.1e of a residual, where %.1e was asked for: "
                     "the matrix is singular, not positive definite, or too badly conditioned for "
                     "multigrid; take cholmod or mumps",
                     after / before, m->accuracy);
        if (after > before) /* a guess that is worse than none */
            TRY_PETSC(VecSet(m->x, 0.0));
        TRY_PETSC(KSPSetTolerances(m->ksp, 0.5 * m->accuracy, 0.0, 1e30, MOST_ITERATIONS));
        TRY_PETSC(KSPSolve(m->ksp, m->b, m->x));
        TRY_PETSC(KSPGetIterationNumber(m->ksp, &iterations));
        info->iterations += (int)iterations;
    }
cleanup:
    return status;
}

/* New values, and a solve with random numbers: what lies in the kernel of a singular matrix would
 * otherwise show with some right-hand sides only. */
static sab_status update(void *state, const sab_sparse *A, sab_factor_info *info, sab_error *err)
{
    amg *m = state;
    double *values, largest = 1.0, smallest = 1.0;
    unsigned long long random = 1;
    sab_status status = SAB_OK;

    TRY_PETSC(MatSeqAIJGetArray(m->A, &values)); /* m->value; the end of this tells PETSc */
    fill_rows(m, A);
    TRY_PETSC(MatSeqAIJRestoreArray(m->A, &values));
    TRY_PETSC(MatNorm(m->A, NORM_INFINITY, &m->norm));
    TRY_PETSC(VecGetArrayWrite(m->b, &values));
    for (PetscInt i = 0; i < m->n; i++) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        values[i] = (double)(random >> 40) / 16777216.0 - 0.5;
    }
    TRY_PETSC(VecRestoreArrayWrite(m->b, &values));
    set_accuracy(m, SAB_ACCURATE);
    TRY_PETSC(KSPSetComputeSingularValues(m->ksp, PETSC_TRUE));
    SAB_TRY(run(m, info, err));
    TRY_PETSC(KSPComputeExtremeSingularValues(m->ksp, &largest, &smallest));
    info->smallest_pivot = smallest / largest;
    set_accuracy(m, SAB_ACCURATE);
cleanup:
    return status;
}

static sab_status solve(void *state, const double *b, double *x, sab_factor_info *info,
                        sab_error *err)
{
    amg *m = state;
    const double *solution;
    double *values;
    sab_status status = SAB_OK;

    TRY_PETSC(VecGetArrayWrite(m->b, &values));
    memcpy(values, b, (size_t)m->n * sizeof *b);
    TRY_PETSC(VecRestoreArrayWrite(m->b, &values));
    SAB_TRY(run(m, info, err));
    TRY_PETSC(VecGetArrayRead(m->x, &solution));
    memcpy(x, solution, (size_t)m->n * sizeof *x);
    TRY_PETSC(VecRestoreArrayRead(m->x, &solution));
cleanup:
    return status;
}

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
static const sab_backend petsc = {.name = "amg",
                                  .version = NUMBER(PETSC_VERSION_MAJOR) "." NUMBER(
                                      PETSC_VERSION_MINOR) "." NUMBER(PETSC_VERSION_SUBMINOR),
                                  .largest = PETSC_MAX_INT - 1,
                                  .create = create,
                                  .update = update,
                                  .solve = solve,
                                  .set_accuracy = set_accuracy,
                                  .destroy = destroy};
const sab_backend *const sab_backend_amg = &petsc;

#else
const sab_backend *const sab_backend_amg = NULL;
#endif

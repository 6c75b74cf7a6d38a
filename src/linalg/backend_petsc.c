/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend_petsc.c -- conjugate gradients of PETSc, preconditioned by groups of unknowns
 * [docs/theory.md, 4.12].
 *
 * The velocities of nodes along one axis are coupled as in a Laplacian, which multigrid (BoomerAMG
 * of hypre) has no trouble with; what couples the axes, by Korn's inequality, and bubbles to nodes,
 * whose angle no mesh makes small, costs iterations that do not grow with it; and bubbles among
 * themselves are no worse than their diagonal. So, with g = bubbles, x, y, z, y, x, bubbles, or
 * rather the axes in the order of their numbers of unknowns: the one that is held at fewest places
 * has the softest motions, and gets two of five cycles,
 *     x_g <- x_g + P_g (b - A x)_g,
 * P_g a cycle of multigrid for A_gg, of bubbles a symmetric sweep of Gauss and Seidel. Without
 * known directions all unknowns are one group.
 *
 * On several processes (linalg/server.h) each has a share of every group (linalg/spread.h), and all
 * do the same job at the same time: process 0, which alone knows the matrix, and has been asked,
 * tells the others. Bubbles are then swept by each process on its own. */
#include "linalg/backend.h"

#include <stddef.h>

#ifdef SAB_PETSC
#include "base/memory.h"
#include "linalg/petsc_matrix.h"
#include "linalg/server.h"

#include <math.h>

typedef sab_petsc amg;

enum { GROUPS = SAB_SPREAD_GROUPS }; /* bubbles, and velocities along three axes */
/* Iterations after which a solve is given up: one that works takes 20 to 40. A solution that was
 * not as good as conjugate gradients believed is mended so often. */
enum { MOST_ITERATIONS = 500, MOST_ROUNDS = 3 };
/* Residuals below this part of |A| |x| are rounding, if no larger than that part of |b|: an x out
 * of all bounds is none. */
static const double ROUNDING = 1e-14, BOUND = 1e-6;

/* All of them by the numbers that processes call them by, as those of MUMPS are. */
enum { MOST_FACTORS = 64 };
static amg *factors[MOST_FACTORS];
enum { JOB_CREATE, JOB_UPDATE, JOB_SOLVE, JOB_ACCURACY, JOB_DESTROY };

/* PETSc begins with the first matrix and ends with the process, which MPI does by itself
 * (linalg/server.h). It has its processes to itself, and neither signals nor files of options. */
static sab_status begin(sab_error *err)
{
    PetscBool begun = PETSC_FALSE;
    sab_status status = SAB_OK;

    PetscInitialized(&begun);
    if (begun)
        return SAB_OK;
    PETSC_COMM_WORLD = MPI_Comm_f2c(sab_server_communicator()); /* MPI is begun there */
    TRY_PETSC(PetscOptionsSetValue(NULL, "-no_signal_handler", "true"));
    TRY_PETSC(PetscOptionsSetValue(NULL, "-skip_petscrc", "true"));
    TRY_PETSC(PetscInitializeNoArguments());
    TRY_PETSC(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
cleanup:
    return status;
}

static void release(amg *m)
{
    KSPDestroy(&m->ksp);
    MatDestroy(&m->A);
    VecDestroy(&m->x);
    VecDestroy(&m->b);
    VecDestroy(&m->r);
    VecDestroy(&m->all);
    VecScatterDestroy(&m->gather);
    SAB_FREE(m->start);
    SAB_FREE(m->column);
    SAB_FREE(m->value);
    SAB_FREE(m->fill);
    SAB_FREE(m->place);
    if (factors[m->slot] == m)
        factors[m->slot] = NULL;
    sab_free(m);
}

static void destroy(void *state)
{
    amg *m = state;

    sab_server_tell(SAB_SERVE_AMG, m->slot, JOB_DESTROY);
    release(m);
}

/* The axes by falling numbers of unknowns, behind the bubbles. */
static void sort_groups(const sab_spread *s, int order[GROUPS])
{
    for (int g = 0; g < GROUPS; g++)
        order[g] = g;
    for (int g = 2; g < GROUPS; g++)
        for (int h = g; h > 1 && s->count[order[h]] > s->count[order[h - 1]]; h--) {
            const int other = order[h];

            order[h] = order[h - 1];
            order[h - 1] = other;
        }
}

/* The rows of a group: on one process those of its unknowns, else those of this process. */
static sab_status find_group(const amg *m, const int *direction, int group, IS *set, sab_error *err)
{
    const PetscInt count = (PetscInt)sab_spread_size(&m->spread, group, m->rank);
    PetscInt *list = NULL, k = 0;
    sab_status status = SAB_OK;

    if (m->spread.processes > 1) {
        TRY_PETSC(ISCreateStride(PETSC_COMM_WORLD, count,
                                 (PetscInt)sab_spread_first(&m->spread, group, m->rank), 1, set));
        return SAB_OK;
    }
    SAB_NEW(list, count);
    for (PetscInt i = 0; i < m->n; i++)
        if (direction[i] == group)
            list[k++] = i;
    TRY_PETSC(ISCreateGeneral(PETSC_COMM_WORLD, count, list, PETSC_COPY_VALUES, set));
cleanup:
    SAB_FREE(list);
    return status;
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
    int order[GROUPS];
    sab_status status = SAB_OK;
    IS set = NULL;

    if (m->spread.count[1] == m->n) {
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
    sort_groups(&m->spread, order);
    for (int k = 0; k < GROUPS; k++) {
        const int g = order[k];
        char prefix[100];

        if (m->spread.count[g] == 0)
            continue;
        snprintf(prefix, sizeof prefix, "sablier_fieldsplit_%s_", name[g]);
        if (g > 0)
            SAB_TRY(set_multigrid(prefix, err));
        SAB_TRY(find_group(m, direction, g, &set, err));
        TRY_PETSC(PCFieldSplitSetIS(pc, name[g], set));
        TRY_PETSC(ISDestroy(&set));
    }
cleanup:
    ISDestroy(&set);
    return status;
}

/* On all processes: matrix, vectors and the solver. `direction` is that of process 0 alone, and
 * needed where there is but one. */
static sab_status assemble(amg *m, const int *direction, sab_error *err)
{
    sab_status status = SAB_OK;
    PetscInt rows = 0;
    PC pc;

    sab_server_share(&m->spread, sizeof m->spread);
    MPI_Comm_rank(PETSC_COMM_WORLD, &m->rank);
    m->n = 0;
    for (int g = 0; g < GROUPS; g++) {
        m->n += (PetscInt)m->spread.count[g];
        rows += (PetscInt)sab_spread_size(&m->spread, g, m->rank);
    }
    m->accuracy = SAB_ACCURATE;
    TRY_PETSC(VecCreate(PETSC_COMM_WORLD, &m->b));
    TRY_PETSC(VecSetSizes(m->b, rows, m->n));
    TRY_PETSC(VecSetType(m->b, VECSTANDARD));
    SAB_TRY(sab_petsc_matrix(m, rows, err));
    TRY_PETSC(VecDuplicate(m->b, &m->x));
    TRY_PETSC(VecDuplicate(m->b, &m->r));
    TRY_PETSC(KSPCreate(PETSC_COMM_WORLD, &m->ksp));
    TRY_PETSC(KSPSetType(m->ksp, KSPCG));
    TRY_PETSC(KSPSetNormType(m->ksp, KSP_NORM_UNPRECONDITIONED));
    TRY_PETSC(KSPSetOperators(m->ksp, m->A, m->A));
    TRY_PETSC(KSPSetInitialGuessNonzero(m->ksp, PETSC_TRUE));
    TRY_PETSC(KSPGetPC(m->ksp, &pc));
    SAB_TRY(set_groups(m, pc, direction, err));
cleanup:
    return status;
}

static sab_status take_slot(amg *m, sab_error *err)
{
    for (m->slot = 0; m->slot < MOST_FACTORS; m->slot++)
        if (factors[m->slot] == NULL) {
            factors[m->slot] = m;
            return SAB_OK;
        }
    m->slot = 0;
    return sab_fail(err, SAB_ERR_INTERNAL, "more than %d matrices for multigrid", MOST_FACTORS);
}

static sab_status create(const sab_sparse *A, const sab_analysis *how, void **state,
                         sab_factor_info *info, sab_error *err)
{
    sab_status status = SAB_OK;
    bool told = false;
    amg *m = NULL;

    *state = NULL;
    SAB_NEW(m, 1);
    m->spread = sab_spread_count(A->n, how->direction, sab_server_processes());
    m->n = (PetscInt)A->n;
    SAB_TRY(sab_petsc_rows(m, A, how->direction, info, err)); /* before anybody else is told */
    SAB_TRY(take_slot(m, err));
    sab_server_tell(SAB_SERVE_AMG, m->slot, JOB_CREATE);
    told = true;
    SAB_TRY(begin(err));
    SAB_TRY(assemble(m, how->direction, err));
    *state = m;
    m = NULL;
cleanup:
    if (told && m != NULL)
        destroy(m);
    else if (m != NULL)
        release(m);
    return status;
}

static sab_status accept_accuracy(amg *m, double part, sab_error *err)
{
    sab_status status = SAB_OK;

    sab_server_share(&part, sizeof part);
    m->accuracy = part;
    TRY_PETSC(VecSet(m->x, 0.0));
cleanup:
    return status;
}

static void set_accuracy(void *state, double part)
{
    amg *m = state;

    sab_server_tell(SAB_SERVE_AMG, m->slot, JOB_ACCURACY);
    accept_accuracy(m, part, NULL);
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

/* New values, and a solve with random numbers, `trial` of process 0: what lies in the kernel of a
 * singular matrix would otherwise show with some right-hand sides only. */
static sab_status try_values(amg *m, const double *trial, sab_factor_info *info, sab_error *err)
{
    double largest = 1.0, smallest = 1.0;
    sab_status status = SAB_OK;

    SAB_TRY(sab_petsc_renew(m, err));
    SAB_TRY(sab_petsc_give(m, trial, err));
    SAB_TRY(accept_accuracy(m, SAB_ACCURATE, err));
    TRY_PETSC(KSPSetComputeSingularValues(m->ksp, PETSC_TRUE));
    SAB_TRY(run(m, info, err));
    TRY_PETSC(KSPComputeExtremeSingularValues(m->ksp, &largest, &smallest));
    info->smallest_pivot = smallest / largest;
    SAB_TRY(accept_accuracy(m, SAB_ACCURATE, err));
cleanup:
    return status;
}

static sab_status update(void *state, const sab_sparse *A, sab_factor_info *info, sab_error *err)
{
    amg *m = state;
    unsigned long long random = 1;
    double *trial = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(trial, A->n);
    for (int64_t i = 0; i < A->n; i++) {
        random = random * 6364136223846793005ULL + 1442695040888963407ULL;
        trial[i] = (double)(random >> 40) / 16777216.0 - 0.5;
    }
    sab_petsc_fill(m, A);
    sab_server_tell(SAB_SERVE_AMG, m->slot, JOB_UPDATE);
    SAB_TRY(try_values(m, trial, info, err));
cleanup:
    SAB_FREE(trial);
    return status;
}

/* On all processes. */
static sab_status solve_shared(amg *m, const double *b, double *x, sab_factor_info *info,
                               sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_petsc_give(m, b, err));
    SAB_TRY(run(m, info, err));
    SAB_TRY(sab_petsc_take(m, x, err));
cleanup:
    return status;
}

static sab_status solve(void *state, const double *b, double *x, sab_factor_info *info,
                        sab_error *err)
{
    amg *m = state;

    sab_server_tell(SAB_SERVE_AMG, m->slot, JOB_SOLVE);
    return solve_shared(m, b, x, info, err);
}

/* A job as process 0 does it, on the part of this one. That conjugate gradients fail all of them
 * find, and process 0 says. */
bool sab_amg_serve(int slot, int job)
{
    amg *m = factors[slot];
    sab_factor_info info = {0};
    sab_status status = SAB_OK;

    if (job == JOB_CREATE) {
        m = factors[slot] = sab_alloc(1, sizeof *m);
        if (m == NULL)
            return false;
        m->slot = slot;
        status = begin(NULL);
        if (status == SAB_OK)
            status = assemble(m, NULL, NULL);
    } else if (job == JOB_UPDATE)
        status = try_values(m, NULL, &info, NULL);
    else if (job == JOB_SOLVE)
        status = solve_shared(m, NULL, NULL, &info, NULL);
    else if (job == JOB_ACCURACY)
        status = accept_accuracy(m, 0.0, NULL);
    else
        release(m);
    return status == SAB_OK || status == SAB_ERR_NUMERIC;
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

bool sab_amg_serve(int slot, int job)
{
    (void)slot;
    (void)job;
    return false;
}
#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifdef SAB_PETSC
#include "linalg/petsc_matrix.h"

#include "base/memory.h"

#include <string.h>

/* What a matrix, the parts of it and their coarser ones take, per entry: measured. */
static const double BYTES = 45.0;

sab_status sab_petsc_fail(PetscErrorCode code, sab_error *err)
{
    const char *text = NULL;

    PetscErrorMessage(code, &text, NULL);
    return sab_fail(err, code == PETSC_ERR_MEM ? SAB_ERR_MEMORY : SAB_ERR_INTERNAL, "PETSc: %s",
                    text != NULL ? text : "unknown error");
}

/* Columns of the lower triangle as rows of both. Where unknowns have stayed in place, what a row
 * gets from the columns before its own comes first, so its entries are in order. */
void sab_petsc_fill(sab_petsc *m, const sab_sparse *A)
{
    memcpy(m->fill, m->start, (size_t)m->n * sizeof *m->fill);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            const PetscInt row = (PetscInt)m->place[A->row[k]], column = (PetscInt)m->place[j];

            m->column[m->fill[column]] = row;
            m->value[m->fill[column]++] = A->value[k];
            if (row != column) {
                m->column[m->fill[row]] = column;
                m->value[m->fill[row]++] = A->value[k];
            }
        }
}

sab_status sab_petsc_rows(sab_petsc *m, const sab_sparse *A, const int *direction,
                          sab_factor_info *info, sab_error *err)
{
    int64_t entries = 0;
    sab_status status = SAB_OK;

    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++)
            entries += A->row[k] == j ? 1 : 2;
    if (entries > PETSC_MAX_INT)
        return sab_fail(err, SAB_ERR_INPUT, "PETSc here has room for %d entries",
                        (int)PETSC_MAX_INT);
    SAB_NEW(m->place, A->n);
    SAB_NEW(m->start, A->n + 1);
    SAB_NEW(m->column, entries);
    SAB_NEW(m->value, entries);
    SAB_NEW(m->fill, A->n);
    for (int64_t i = 0; i < A->n; i++)
        m->place[i] = i;
    if (m->spread.processes > 1)
        sab_spread_place(&m->spread, A->n, direction, m->place);
    for (int64_t j = 0; j < A->n; j++)
        for (int64_t k = A->start[j]; k < A->start[j + 1]; k++) {
            m->start[m->place[j] + 1]++;
            m->start[m->place[A->row[k]] + 1] += A->row[k] != j;
        }
    for (int64_t j = 0; j < A->n; j++)
        m->start[j + 1] += m->start[j];
    sab_petsc_fill(m, A);
    info->ordering = "none";
    info->entries = (double)entries;
    info->bytes_llt = BYTES * info->entries;
cleanup:
    return status;
}

/* A vector that process 0 has, by rows, to the parts of all; and back. */
static sab_status hand_out(sab_petsc *m, Vec to, sab_error *err)
{
    sab_status status = SAB_OK;

    TRY_PETSC(VecScatterBegin(m->gather, m->all, to, INSERT_VALUES, SCATTER_REVERSE));
    TRY_PETSC(VecScatterEnd(m->gather, m->all, to, INSERT_VALUES, SCATTER_REVERSE));
cleanup:
    return status;
}

static sab_status collect(sab_petsc *m, Vec from, sab_error *err)
{
    sab_status status = SAB_OK;

    TRY_PETSC(VecScatterBegin(m->gather, from, m->all, INSERT_VALUES, SCATTER_FORWARD));
    TRY_PETSC(VecScatterEnd(m->gather, from, m->all, INSERT_VALUES, SCATTER_FORWARD));
cleanup:
    return status;
}

/* How many entries each row of this process has in columns of its own (or else of others): counted
 * by process 0, and handed out as a vector. */
static sab_status count_entries(sab_petsc *m, bool own, PetscInt *count, sab_error *err)
{
    const PetscInt *range; /* rows of the process that has row i */
    const double *part;
    double *all;
    PetscInt rows;
    sab_status status = SAB_OK;

    if (m->rank == 0) {
        TRY_PETSC(VecGetArray(m->all, &all));
        TRY_PETSC(VecGetOwnershipRanges(m->b, &range));
        for (PetscInt i = 0; i < m->n; i++) {
            while (i >= range[1])
                range++;
            all[i] = 0.0;
            for (PetscInt k = m->start[i]; k < m->start[i + 1]; k++)
                all[i] += (m->column[k] >= range[0] && m->column[k] < range[1]) == own;
        }
        TRY_PETSC(VecRestoreArray(m->all, &all));
    }
    SAB_TRY(hand_out(m, m->b, err));
    TRY_PETSC(VecGetLocalSize(m->b, &rows));
    TRY_PETSC(VecGetArrayRead(m->b, &part));
    for (PetscInt i = 0; i < rows; i++)
        count[i] = (PetscInt)part[i];
    TRY_PETSC(VecRestoreArrayRead(m->b, &part));
cleanup:
    return status;
}

/* The matrix on several processes; its values are those of set_values. */
static sab_status make_shared(sab_petsc *m, PetscInt rows, sab_error *err)
{
    PetscInt *own = NULL, *others = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(own, rows);
    SAB_NEW(others, rows);
    TRY_PETSC(VecScatterCreateToZero(m->b, &m->gather, &m->all));
    SAB_TRY(count_entries(m, true, own, err));
    SAB_TRY(count_entries(m, false, others, err));
    TRY_PETSC(MatCreateAIJ(PETSC_COMM_WORLD, rows, rows, m->n, m->n, 0, own, 0, others, &m->A));
cleanup:
    SAB_FREE(own);
    SAB_FREE(others);
    return status;
}

/* The values of all rows, from process 0. */
static sab_status set_values(sab_petsc *m, sab_error *err)
{
    sab_status status = SAB_OK;

    for (PetscInt i = 0; m->rank == 0 && i < m->n; i++)
        TRY_PETSC(MatSetValues(m->A, 1, &i, m->start[i + 1] - m->start[i], m->column + m->start[i],
                               m->value + m->start[i], INSERT_VALUES));
    TRY_PETSC(MatAssemblyBegin(m->A, MAT_FINAL_ASSEMBLY));
    TRY_PETSC(MatAssemblyEnd(m->A, MAT_FINAL_ASSEMBLY));
cleanup:
    return status;
}

sab_status sab_petsc_matrix(sab_petsc *m, PetscInt rows, sab_error *err)
{
    sab_status status = SAB_OK;

    if (m->spread.processes > 1) {
        SAB_TRY(make_shared(m, rows, err));
        SAB_TRY(set_values(m, err));
    } else {
        TRY_PETSC(MatCreateSeqAIJWithArrays(PETSC_COMM_WORLD, m->n, m->n, m->start, m->column,
                                            m->value, &m->A));
    }
    TRY_PETSC(MatSetOption(m->A, MAT_SPD, PETSC_TRUE));
cleanup:
    return status;
}

sab_status sab_petsc_give(sab_petsc *m, const double *b, sab_error *err)
{
    const bool several = m->spread.processes > 1;
    double *values;
    sab_status status = SAB_OK;

    if (m->rank == 0) {
        TRY_PETSC(VecGetArrayWrite(several ? m->all : m->b, &values));
        for (PetscInt i = 0; i < m->n; i++)
            values[m->place[i]] = b[i];
        TRY_PETSC(VecRestoreArrayWrite(several ? m->all : m->b, &values));
    }
    if (several)
        SAB_TRY(hand_out(m, m->b, err));
cleanup:
    return status;
}

sab_status sab_petsc_take(sab_petsc *m, double *x, sab_error *err)
{
    const bool several = m->spread.processes > 1;
    const double *values;
    sab_status status = SAB_OK;

    if (several)
        SAB_TRY(collect(m, m->x, err));
    if (m->rank == 0) {
        TRY_PETSC(VecGetArrayRead(several ? m->all : m->x, &values));
        for (PetscInt i = 0; i < m->n; i++)
            x[i] = values[m->place[i]];
        TRY_PETSC(VecRestoreArrayRead(several ? m->all : m->x, &values));
    }
cleanup:
    return status;
}

sab_status sab_petsc_renew(sab_petsc *m, sab_error *err)
{
    double *values;
    sab_status status = SAB_OK;

    if (m->spread.processes > 1) {
        SAB_TRY(set_values(m, err));
    } else { /* PETSc has m->value itself, and is told by this that it has changed */
        TRY_PETSC(MatSeqAIJGetArray(m->A, &values));
        TRY_PETSC(MatSeqAIJRestoreArray(m->A, &values));
    }
    TRY_PETSC(MatNorm(m->A, NORM_INFINITY, &m->norm));
cleanup:
    return status;
}

#else
typedef int sab_petsc_none; /* a file must not be empty */
#endif

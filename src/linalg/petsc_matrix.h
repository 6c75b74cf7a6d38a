/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/petsc_matrix.h -- a matrix and vectors of process 0 as those of PETSc, on one process or
 * shared out among several (linalg/spread.h); for backend_petsc.c, the only one beside
 * petsc_matrix.c that knows PETSc. Every call but those of rows is made by all processes at the
 * same time, with NULL for what only process 0 has. */
#ifndef SAB_LINALG_PETSC_MATRIX_H
#define SAB_LINALG_PETSC_MATRIX_H

#include "linalg/factor.h"
#include "linalg/spread.h"

#include <petscksp.h>

typedef struct sab_petsc {
    PetscInt n;
    sab_spread spread;
    int rank, slot;
    /* process 0: */
    PetscInt *start, *column; /* A in rows, both triangles, */
    double *value;
    PetscInt *fill; /* and where the next entry of a row goes */
    int64_t *place; /* row of each unknown */
    /* of several processes: */
    Vec all;           /* a vector on process 0, empty on the others, */
    VecScatter gather; /* and how it is made of the parts of all */
    Mat A;
    KSP ksp;
    Vec x, b, r;
    double norm, accuracy; /* of A; see factor.h */
} sab_petsc;

/* An error of PETSc as one of ours. */
sab_status sab_petsc_fail(PetscErrorCode code, sab_error *err);
#define TRY_PETSC(call)                                                                            \
    do {                                                                                           \
        const PetscErrorCode code_ = (call);                                                       \
        if (code_ != 0)                                                                            \
            SAB_TRY(sab_petsc_fail(code_, err));                                                   \
    } while (0)

/* On process 0: the rows of A, with what info says of them; and their values again. */
sab_status sab_petsc_rows(sab_petsc *m, const sab_sparse *A, const int *direction,
                          sab_factor_info *info, sab_error *err);
void sab_petsc_fill(sab_petsc *m, const sab_sparse *A);
/* m->A of those rows, of which this process has so many; m->b is there. */
sab_status sab_petsc_matrix(sab_petsc *m, PetscInt rows, sab_error *err);
/* New values of the rows to m->A. */
sab_status sab_petsc_renew(sab_petsc *m, sab_error *err);
/* b, by unknowns, to m->b; and m->x to x. */
sab_status sab_petsc_give(sab_petsc *m, const double *b, sab_error *err);
sab_status sab_petsc_take(sab_petsc *m, double *x, sab_error *err);

#endif

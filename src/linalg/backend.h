/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/backend.h -- what a factorisation library must provide; internal to linalg.
 *
 * factor.c checks arguments, counts and times; a backend_*.c only translates to its library.
 * The `state` of a backend is opaque to factor.c. */
#ifndef SAB_LINALG_BACKEND_H
#define SAB_LINALG_BACKEND_H

#include "linalg/factor.h"

/* A pivot below this fraction of the diagonal entry it started from is nothing but rounding error:
 * the matrix is singular to working precision. Kept at a few units of the last digit (2.2e-16),
 * since interior-point matrices are legitimately very badly conditioned. */
#define SAB_PIVOT_NOISE 1e-15

/* What a library is to do with a pattern. */
typedef struct sab_analysis {
    bool metis;           /* nested dissection, else AMD */
    const void *known;    /* a state of CHOLMOD for this pattern and order of elimination, whose
                             analysis is taken; NULL: none */
    double blr;           /* as in sab_factor_options; only MUMPS is given one */
    const int *direction; /* likewise, only multigrid */
} sab_analysis;

typedef struct sab_backend {
    const char *name;
    const char *version;               /* of the library */
    const struct sab_backend *reserve; /* takes what this one fails at; NULL: none */
    int64_t largest;                   /* largest n its indices can hold */

    /* Analyse the pattern of A (n >= 1); fill ordering, entries, flops and shared of info. The
     * caller owns *state, which is NULL on failure. */
    sab_status (*create)(const sab_sparse *A, const sab_analysis *how, void **state,
                         sab_factor_info *info, sab_error *err);
    /* Factor the values of A; fill entries, flops and smallest_pivot of info. */
    sab_status (*update)(void *state, const sab_sparse *A, sab_factor_info *info, sab_error *err);
    /* Solve; x and b may be the same array. Adds to refinements of info. */
    sab_status (*solve)(void *state, const double *b, double *x, sab_factor_info *info,
                        sab_error *err);
    void (*set_accuracy)(void *state, double part); /* NULL: a solution is exact */
    void (*destroy)(void *state);                   /* state is not NULL */
} sab_backend;

extern const sab_backend sab_backend_cholmod; /* backend_cholmod.c */
/* METIS as CHOLMOD has it, for libraries whose build has none: unknown order[k] is eliminated as
 * the k-th. Of an unsymmetric A the lower triangle counts, as if the pattern were symmetric. */
sab_status sab_order_metis(const sab_sparse *A, int64_t *order, sab_error *err);
extern const sab_backend sab_backend_mumps; /* backend_mumps.c */
extern const bool sab_mumps_has_blr;
/* The part of another process in a job of MUMPS (linalg/server.h). False: no memory to begin. */
bool sab_mumps_serve(int slot, int job, int symmetry);
extern const sab_backend *const sab_backend_amg; /* backend_petsc.c; NULL: not built */
/* The part of another process in a job of multigrid. False: it cannot go on. */
bool sab_amg_serve(int slot, int job);
extern const sab_backend sab_backend_lu; /* backend_lu.c */
/* Of matrices that have nothing but a diagonal, as masses of grains: no library is needed. */
extern const sab_backend sab_backend_diagonal; /* backend_diagonal.c */
bool sab_pattern_is_diagonal(const sab_sparse *A);

/* The symbolic analysis of CHOLMOD: supernode k has the columns first[k] .. first[k+1]-1 in the
 * order of elimination, and the rows row[start[k]] .. row[start[k+1]-1], its columns first. */
typedef struct sab_supernodes {
    int64_t n;
    int64_t *order; /* unknown that is eliminated as the k-th */
    int64_t *first, *start, *row;
} sab_supernodes;
/* As `create` above. Of an unsymmetric A the lower triangle counts. Fills ordering, entries and
 * flops of info, those of L L^T. To be cleared, also after a failure. */
sab_status sab_supernodes_create(const sab_sparse *A, bool metis, const void *known,
                                 sab_supernodes *super, sab_factor_info *info, sab_error *err);
void sab_supernodes_clear(sab_supernodes *super);

#endif

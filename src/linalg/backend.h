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

typedef struct sab_backend {
    const char *name;
    const struct sab_backend *reserve; /* takes what this one fails at; NULL: none */
    int64_t largest;                   /* largest n its indices can hold */

    /* Analyse the pattern of A (n >= 1), by nested dissection if `metis`, else with AMD; fill
     * ordering, entries and flops of info. The caller owns *state, which is NULL on failure. */
    sab_status (*create)(const sab_sparse *A, bool metis, void **state, sab_factor_info *info,
                         sab_error *err);
    /* Factor the values of A; fill entries, flops and smallest_pivot of info. */
    sab_status (*update)(void *state, const sab_sparse *A, sab_factor_info *info, sab_error *err);
    /* Solve; x and b may be the same array. */
    sab_status (*solve)(void *state, const double *b, double *x, sab_error *err);
    void (*destroy)(void *state); /* state is not NULL */
} sab_backend;

extern const sab_backend sab_backend_cholmod; /* backend_cholmod.c */
/* METIS as CHOLMOD has it, for libraries whose build has none: unknown order[k] is eliminated as
 * the k-th. Of an unsymmetric A the lower triangle counts, as if the pattern were symmetric. */
sab_status sab_order_metis(const sab_sparse *A, int64_t *order, sab_error *err);
extern const sab_backend sab_backend_mumps; /* backend_mumps.c */
extern const sab_backend sab_backend_lu;    /* backend_lu.c */

/* The symbolic analysis of CHOLMOD: supernode k has the columns first[k] .. first[k+1]-1 in the
 * order of elimination, and the rows row[start[k]] .. row[start[k+1]-1], its columns first. */
typedef struct sab_supernodes {
    int64_t n;
    int64_t *order; /* unknown that is eliminated as the k-th */
    int64_t *first, *start, *row;
} sab_supernodes;
/* Of an unsymmetric A the lower triangle counts. Fills ordering, entries and flops of info, those
 * of L L^T. To be cleared, also after a failure. */
sab_status sab_supernodes_create(const sab_sparse *A, bool metis, sab_supernodes *super,
                                 sab_factor_info *info, sab_error *err);
void sab_supernodes_clear(sab_supernodes *super);

#endif

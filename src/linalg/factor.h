/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/factor.h -- factor a sparse matrix once, solve with it many times.
 * The calls follow the cost: pattern once per run, values per step, right-hand side per solve. */
#ifndef SAB_LINALG_FACTOR_H
#define SAB_LINALG_FACTOR_H

#include "linalg/sparse.h"

typedef enum sab_factor_backend {
    SAB_LINEAR_AUTO, /* MUMPS on several processes (linalg/server.h) or with `blr`, else CHOLMOD */
    SAB_CHOLMOD,
    SAB_MUMPS,
    SAB_AMG, /* no factor: conjugate gradients with multigrid, symmetric matrices only */
    SAB_BACKENDS
} sab_factor_backend;

/* The order of elimination: of least degree, or nested dissection. In the plane both cost the same,
 * but for the analysis, which METIS makes dearer; on a mesh of space METIS needs a half to a
 * quarter of the flops, the less the finer the mesh [docs/benchmark.md]. */
typedef enum sab_ordering {
    SAB_ORDERING_AUTO, /* METIS if `space`, AMD if not */
    SAB_ORDERING_AMD,
    SAB_ORDERING_METIS
} sab_ordering;

typedef struct sab_factor sab_factor; /* opaque: defined in factor.c */

typedef struct sab_factor_options {
    sab_factor_backend backend;
    sab_ordering ordering;
    bool space; /* the unknowns are those of a mesh of space: a pattern alone does not tell */
    /* Block low-rank factors: blocks are compressed to within this part, and solutions refined
     * until they are as good as those of a full factor; 0: full. MUMPS only. */
    double blr;
    /* [n] borrowed for the call; NULL: not known. Of multigrid only: 1, 2, 3 is the velocity of a
     * node along about that axis, 0 a bubble. */
    const int *direction;
    const sab_factor *like; /* borrowed for the call; NULL: none. Its analysis is taken over if the
                               pattern is the same, unsymmetric or not, and it is by CHOLMOD */
} sab_factor_options;

typedef struct sab_factor_info {
    const char *backend;   /* "cholmod", "mumps", "lu" or "amg": of the last update */
    const char *ordering;  /* the one actually used: "AMD", "METIS", ... */
    int64_t condensed;     /* unknowns eliminated before the backend sees the matrix, see below */
    double entries;        /* nonzeros of the backend's factor */
    double flops;          /* of one numeric factorisation by the backend */
    double bytes_llt;      /* what an update will hold at most, from the analysis of CHOLMOD: as */
    double bytes_lu;       /* L L^T, and as an L U on the same supernodes; 0: not known */
    double smallest_pivot; /* of the last update, see below; 0 before the first */
    int updates;           /* successful numeric factorisations so far, */
    int reserved;          /* and those of them that needed MUMPS in the place of "lu" */
    int solves;            /* right-hand sides solved so far, */
    int refinements;       /* and further ones that corrected them (with `blr`) */
    int iterations;        /* of conjugate gradients so far (with multigrid) */
    int processes;         /* that share the factor */
    double memory;         /* bytes of the library, of the process with most; 0: it does not say */
    bool shared;           /* the analysis was that of another factor, see sab_factor_options */
    double analysis_cpu;   /* CPU seconds of create */
    double update_cpu;     /* CPU seconds of the last numeric factorisation */
    double total_update_cpu, total_solve_cpu;
} sab_factor_info;

/* A matrix whose last unknowns form tiny blocks that fit into the pattern of the others, as bubbles
 * do, is condensed: the backend factors the Schur complement of the others, and nothing else shows
 * [docs/theory.md, 4.9]. Whether this is so depends on the pattern alone.
 *
 * smallest_pivot is that of the matrix scaled to a unit diagonal (but for zeros, if it is
 * unsymmetric), so for a definite matrix it is at most about 1. An update fails when a pivot is
 * zero, negative or below 1e-15. A matrix singular in exact arithmetic, such as a Laplacian with no
 * fixed value, may leave a last pivot made of rounding errors (measured: 1e-14, of either sign),
 * which passes if positive. Below about 1e-12 the solution deserves no trust; the caller knows
 * whether that matters. With condensed unknowns it is the smallest of three: pivots of their
 * blocks, what they leave of the other diagonal entries (if symmetric), and pivots of the backend
 * against what was left. With multigrid, which solves once with random numbers to find out, it is
 * the inverse of the condition that conjugate gradients have met. */

/* Analyse the pattern of A (borrowed for the call; its values are not looked at). No options, NULL,
 * are all zero: automatic, with AMD. A symmetric A
 * must be positive definite (CHOLMOD, or MUMPS with SYM 1). An unsymmetric one goes to MUMPS (SYM
 * 0) or, if CHOLMOD it would be, to "lu", the L U on the supernodes of CHOLMOD
 * [docs/theory.md, 4.12]; what that finds unstable, or has no symmetric pattern, to MUMPS after
 * all. n = 0 is fine: nothing to factor, nothing to solve. The caller owns *factor; NULL on
 * failure. */
sab_status sab_factor_create(const sab_factor_options *options, const sab_sparse *A,
                             sab_factor **factor, sab_error *err);
/* Factor the values of A, whose pattern must be that given to create. SAB_ERR_NUMERIC if singular
 * or not positive definite, or if a value is not finite; the message gives the failing column
 * (CHOLMOD) or the number of pivots done or negative (MUMPS). After a failure a further update may
 * succeed, but a solve is SAB_ERR_INTERNAL until one does. */
sab_status sab_factor_update(sab_factor *factor, const sab_sparse *A, sab_error *err);
/* Whether `blr` is to be had. Debian's sequential MUMPS 5.5 hands SCOTCH 7 a graph that it has not
 * initialised, and crashes or groups unknowns at random; the MPI build does without SCOTCH. */
bool sab_factor_has_blr(void);
/* Whether SAB_AMG is: a build with -Dpetsc=true. */
bool sab_factor_has_amg(void);
/* Of multigrid: solutions need only have |A x - b| <= part |b| from now on, and each starts from
 * the one before, the first from zero. 0, as after create: SAB_ACCURATE. Factors are exact anyway.
 */
void sab_factor_set_accuracy(sab_factor *factor, double part);
#define SAB_ACCURATE 1e-10
/* Solve A x = b; x and b have n entries and may be the same array. Uses workspace: not const. With
 * `blr`, SAB_ERR_NUMERIC if refinement cannot mend what was left out of the factor; with multigrid
 * if its accuracy is not reached. */
sab_status sab_factor_solve(sab_factor *factor, const double *b, double *x, sab_error *err);
/* Free and set *factor to NULL; nothing to do if it is NULL already. */
void sab_factor_destroy(sab_factor **factor);
sab_factor_info sab_factor_get_info(const sab_factor *factor);
/* Version of the library of a backend. */
const char *sab_factor_version(sab_factor_backend backend);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/blocks.h -- a tall matrix B made of small dense blocks, and the one assembly loop.
 *
 * A block (an element, later a contact) couples some points (s rows each) to some columns
 * (velocity unknowns). Strain rate, velocity at quadrature points and contact kinematics are all
 * such matrices, and viscosity, mass, Newton and interior-point matrices are all
 *     sum_q B_q^T C_q B_q                                            [docs/theory.md, 4]
 * with an s x s matrix C_q at each point: sab_blocks_assemble is the only loop that builds one. */
#ifndef SAB_LINALG_BLOCKS_H
#define SAB_LINALG_BLOCKS_H

#include "linalg/sparse.h"

enum { /* the largest block: 9 x 14 on a triangle with bubble, 24 x 37 on a tetrahedron */
       SAB_BLOCK_ROWS = 144,   /* strain rates at the 24 points of a rule on a tetrahedron */
       SAB_BLOCK_COLUMNS = 192 /* a vertex and 64 tetrahedra: contacts may couple several bodies */
};

typedef struct sab_share sab_share; /* internal to linalg, share.h */

typedef struct sab_blocks {
    int s;        /* rows per point */
    int npoints;  /* rows = s * npoints */
    int ncolumns; /* unknowns */
    int nblocks;
    int *point;            /* [nblocks+1] block e has points point[e] .. point[e+1]-1 */
    int64_t *column_start; /* [nblocks+1] */
    int *column;           /* [column_start[nblocks]] unknowns of each block, all different */
    int64_t *value_start;  /* [nblocks+1] */
    double *value;         /* block e: row-major [s * its points][its columns] */
    sab_share *share;      /* owned; NULL: transposed products and assembly use one thread */
} sab_blocks;

/* Empty blocks with the given sizes; the caller fills the arrays. The caller owns *B. */
sab_status sab_blocks_create(int s, int npoints, int ncolumns, int nblocks, int64_t columns,
                             int64_t values, sab_blocks **B, sab_error *err);
void sab_blocks_destroy(sab_blocks **B);
/* Divide transposed products and assembly among `parts` threads (1: none), once the columns are
 * filled. Results are the same, bit by bit. */
sab_status sab_blocks_share(sab_blocks *B, int parts, sab_error *err);

/* y = B u; y has s*npoints entries. */
void sab_blocks_multiply(const sab_blocks *B, const double *u, double *y);
/* f += B^T y. */
void sab_blocks_multiply_transpose(const sab_blocks *B, const double *y, double *f);

/* The pattern of sum B^T C B with zero values. The caller owns *A. */
sab_status sab_blocks_pattern(const sab_blocks *B, bool symmetric, sab_sparse **A, sab_error *err);

/* Where the entries of each block go in A; found once, used by every assembly. */
typedef struct sab_scatter {
    int64_t *start; /* [nblocks+1] */
    int *position; /* per block, columns outer, rows inner; lower triangle only if A is symmetric */
} sab_scatter;
/* A must contain the pattern of B. The caller owns *scatter. */
sab_status sab_scatter_create(const sab_blocks *B, const sab_sparse *A, sab_scatter **scatter,
                              sab_error *err);
void sab_scatter_destroy(sab_scatter **scatter);

/* A += sum_q B_q^T C_q B_q; C has shape [npoints][s][s], symmetric blocks if A is symmetric. */
void sab_blocks_assemble(const sab_blocks *B, const double *C, const sab_scatter *scatter,
                         sab_sparse *A);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/condense.h -- eliminate the last unknowns of a sparse matrix before it is factored;
 * internal to linalg [docs/theory.md, 4.9].
 *
 *     K = [K_PP K_Pb; K_bP K_bb],   S = K_PP - K_Pb K_bb^-1 K_bP,
 *
 * where K_bb is block diagonal with tiny full blocks, and each block is coupled only to unknowns P
 * that are coupled among themselves already: S has the pattern of K_PP. Bubbles are such unknowns.
 * With K_bb = L U (L D L^T if K is symmetric), V = K_Pb U^-1 and W = L^-1 K_bP,
 *     S = K_PP - V W,   S x_P = b_P - V L^-1 b_b,   U x_b = L^-1 b_b - W x_P,
 * which are steps of the elimination of K itself, no more and no less stable. */
#ifndef SAB_LINALG_CONDENSE_H
#define SAB_LINALG_CONDENSE_H

#include "linalg/sparse.h"

typedef struct sab_condense sab_condense; /* opaque: defined in condense.c */

/* Decide from the pattern of K (borrowed for the call) whether to condense, and which unknowns: the
 * longest run at the end of such blocks, if it is a tenth of all unknowns or more, and not all.
 * *condense is NULL if not, and on failure; else the caller owns it. */
sab_status sab_condense_create(const sab_sparse *K, sab_condense **condense, sab_error *err);
void sab_condense_destroy(sab_condense **condense);

/* S, with the values of the last update; borrowed. */
const sab_sparse *sab_condense_matrix(const sab_condense *condense);
/* Eliminate in the values of K, of the pattern given to create. *smallest is the smallest pivot of
 * the blocks and, if K is symmetric, the smallest S_jj / K_jj, scaled as in factor.h.
 * SAB_ERR_NUMERIC if it is nothing but rounding error. */
sab_status sab_condense_update(sab_condense *condense, const sab_sparse *K, double *smallest,
                               sab_error *err);
/* x = (b_P - V L^-1 b_b, L^-1 b_b): the right-hand side of S, then what expand needs. x and b have
 * the size of K and may be the same array. */
void sab_condense_reduce(const sab_condense *condense, const double *b, double *x);
/* From x_P, the solution for S, and what reduce left behind it: the solution for K. */
void sab_condense_expand(const sab_condense *condense, double *x);

#endif

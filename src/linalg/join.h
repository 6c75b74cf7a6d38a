/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/join.h -- several sets of blocks under each other, as one.
 *
 * Points with fewer components get rows of zeros up to the largest s. A component that is zero in
 * strain rate and stress adds nothing to a norm or a product, so that every method gives the same
 * velocity in the same iterations, and programs, certificates and files need no second s. */
#ifndef SAB_LINALG_JOIN_H
#define SAB_LINALG_JOIN_H

#include "linalg/blocks.h"

/* n >= 1 parts, borrowed, all on the same unknowns; a part may be empty. first [n+1]: where the
 * points of each part begin, and their number. SAB_ERR_INPUT if unknowns differ or a padded block
 * is too large. The caller owns *B, which is not shared among threads. */
sab_status sab_blocks_join(int n, const sab_blocks *const *part, int *first, sab_blocks **B,
                           sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/share.h -- who adds to which unknown, so that threads never add to the same one.
 *
 * Every unknown has an owner, one of a few parts. A part works on all blocks that contain one of
 * its unknowns, in their order, and adds to its own unknowns only: each sum has one thread and the
 * order of the loop over all blocks, so that results are those of one thread, bit by bit. A block
 * with unknowns of two parts is computed twice. Parts are stretches of a breadth-first walk over
 * the blocks: in the plane they meet in about (number of blocks)^(1/2) blocks. */
#ifndef SAB_LINALG_SHARE_H
#define SAB_LINALG_SHARE_H

#include "linalg/blocks.h"

struct sab_share {
    int parts;
    int *owner;     /* [ncolumns] part of an unknown */
    int64_t *start; /* [parts+1] part t has entries start[t] .. start[t+1]-1 of block */
    int *block;     /* a block e, all whose unknowns belong to the part; ~e if only some do */
};

void sab_share_destroy(sab_share **share);

/* The blocks that contain unknown j: first[j] .. first[j+1]-1 of *blocks, increasing. The caller
 * owns both, also after a failure. */
sab_status sab_blocks_of_columns(const sab_blocks *B, int64_t **first, int **blocks,
                                 sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/checkpoint.h -- the state of a run on disk (.sab): named arrays, each with its checksum.
 *
 * Little-endian binary in words of 8 bytes (docs/checkpoint.md has every byte). This layer knows
 * blocks and their checksums; what a run puts into them is in run/state.h. */
#ifndef SAB_IO_CHECKPOINT_H
#define SAB_IO_CHECKPOINT_H

#include "base/error.h"
#include "mesh/mesh.h"

#include <stddef.h>
#include <stdint.h>

typedef enum sab_checkpoint_type {
    SAB_CHECKPOINT_REAL,
    SAB_CHECKPOINT_INTEGER,
    SAB_CHECKPOINT_TEXT
} sab_checkpoint_type;
enum { SAB_BLOCK_NAME = 24 }; /* bytes of a name, with at least one zero at its end */

typedef struct sab_checkpoint_block {
    const char *name;
    sab_checkpoint_type type;
    size_t count;     /* numbers; bytes of a text */
    const void *data; /* double, int64_t or char; a text that was read has a zero behind it */
} sab_checkpoint_block;

typedef struct sab_checkpoint {
    int nblocks;
    sab_checkpoint_block *block; /* names and data are owned */
} sab_checkpoint;

/* Write n blocks (borrowed), whole or not at all (io/file.h). Unless `previous` is NULL, the file
 * that stood at `path` is kept under that name; at every moment there is a whole one at `path`. */
sab_status sab_checkpoint_write(const char *path, const char *previous, int n,
                                const sab_checkpoint_block *block, sab_error *err);
/* SAB_ERR_INPUT if the file is missing, truncated, damaged or no checkpoint: nothing of it is
 * believed before its checksum is right, and no more is allocated than the file is long. The
 * caller owns *checkpoint. */
sab_status sab_checkpoint_read(const char *path, sab_checkpoint **checkpoint, sab_error *err);
void sab_checkpoint_destroy(sab_checkpoint **checkpoint);
/* The block of that name, borrowed. SAB_ERR_INPUT if there is none, or not of this type and count
 * (SAB_ANY_COUNT: any). */
#define SAB_ANY_COUNT SIZE_MAX
sab_status sab_checkpoint_get(const sab_checkpoint *checkpoint, const char *name,
                              sab_checkpoint_type type, size_t count,
                              const sab_checkpoint_block **block, sab_error *err);

/* FNV-1a (64 bits) of the positions of the nodes and the nodes of the elements, as little-endian
 * words: states can be exchanged between meshes for which it agrees. */
uint64_t sab_mesh_hash(const sab_mesh *mesh);
/* The same of the boundary groups: names (a word for each character), numbers, counts and nodes of
 * their sides. A run goes on only where this agrees too. */
uint64_t sab_mesh_group_hash(const sab_mesh *mesh);

#endif

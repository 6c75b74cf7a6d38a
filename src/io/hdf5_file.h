/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/hdf5_file.h -- arrays of numbers out of an HDF5 file; its .c is the only file that knows
 * hdf5.h. */
#ifndef SAB_IO_HDF5_FILE_H
#define SAB_IO_HDF5_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sab_hdf5 sab_hdf5; /* opaque */

/* SAB_ERR_INPUT if it is no such file, or this program was built without HDF5. The caller owns
 * *file. */
sab_status sab_hdf5_open(const char *path, sab_hdf5 **file, sab_error *err);
void sab_hdf5_close(sab_hdf5 **file);
/* Is there something of that name, /group/group/name? */
bool sab_hdf5_has(const sab_hdf5 *file, const char *name);
/* All numbers of a dataset, whatever its shape; the caller owns the array. SAB_ERR_INPUT if there
 * is none, or it has no such numbers. */
sab_status sab_hdf5_reals(const sab_hdf5 *file, const char *name, int64_t *n, double **value,
                          sab_error *err);
sab_status sab_hdf5_wholes(const sab_hdf5 *file, const char *name, int64_t *n, int64_t **value,
                           sab_error *err);

#endif

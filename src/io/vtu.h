/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/vtu.h -- VTU files: inline base64 + zlib (Debian's ParaView cannot read appended data).
 *
 * A context in the manner of: open, point and cell arrays, close. The file is written under a
 * temporary name in the same directory and renamed by close, so that a reader never sees a part. */
#ifndef SAB_IO_VTU_H
#define SAB_IO_VTU_H

#include "base/error.h"

#include <stdbool.h>

typedef struct sab_vtu sab_vtu;

enum { SAB_VTK_VERTEX = 1 }; /* other cell types: mesh/cell.h */

/* Begin a file with npoints points (x: [npoints][dim], padded to 3) and ncells cells of one type
 * with nodes_per_cell nodes each (cell: [ncells][nodes_per_cell]). `time` goes to FieldData
 * TimeValue. float32: store floating arrays, points included, as Float32. The caller owns *vtu;
 * x and cell are borrowed for the call. */
sab_status sab_vtu_open(const char *path, bool float32, double time, int dim, int npoints,
                        const double *x, int ncells, int nodes_per_cell, int cell_type,
                        const int *cell, sab_vtu **vtu, sab_error *err);
/* Add an array with `components` values per point (or per cell), written as given: pad plane
 * vectors to 3 components, ParaView knows no others. Names of components may be NULL. All point
 * arrays come before all cell arrays. No NaN, please: ParaView's integrals become meaningless;
 * write 0 and a mask. After a failure only close (which fails) or abort. */
sab_status sab_vtu_point_array(sab_vtu *vtu, const char *name, int components,
                               const char *const *component_name, const double *value,
                               sab_error *err);
sab_status sab_vtu_cell_array(sab_vtu *vtu, const char *name, int components,
                              const char *const *component_name, const double *value,
                              sab_error *err);
/* Finish, flush, rename, free (also on failure) and set *vtu to NULL. */
sab_status sab_vtu_close(sab_vtu **vtu, sab_error *err);
/* Give up: remove the temporary file, free and set *vtu to NULL; nothing to do if it is NULL. */
void sab_vtu_abort(sab_vtu **vtu);

/* Rewrite `path` (a .pvd) as the index of n files with their times, atomically. The names are
 * relative to the directory of the index. */
sab_status sab_pvd_write(const char *path, int n, const double *time, const char *const *file,
                         sab_error *err);

#endif

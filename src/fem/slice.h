/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/slice.h -- a regular grid of points on a plane through a mesh in space. */
#ifndef SAB_FEM_SLICE_H
#define SAB_FEM_SLICE_H

#include "fem/locate.h"

typedef struct sab_slice {
    int n;        /* points inside the domain */
    double *x;    /* [n][dim] */
    int *element; /* [n] that holds the point, */
    double *xi;   /* [n][dim] and where in it */
} sab_slice;

/* The plane through `point` with this normal cuts the mesh in a figure; its smallest rectangle
 * along two axes of the plane has samples x across points, of which those inside the domain are
 * kept, the first axis running fastest. The first axis is the projection of the coordinate axis
 * that follows the one nearest to the normal, in the order x y z x; the second is normal x first: a
 * normal along z gives x and y. SAB_ERR_INPUT: no normal, the plane misses the mesh, all points are
 * outside. The caller owns *slice. */
sab_status sab_slice_create(const sab_mesh *mesh, const sab_locator *locator, const double *point,
                            const double *normal, int samples, int across, sab_slice **slice,
                            sab_error *err);
void sab_slice_destroy(sab_slice **slice);

#endif

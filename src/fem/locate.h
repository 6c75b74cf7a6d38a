/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/locate.h -- which element holds a point, and where in it. */
#ifndef SAB_FEM_LOCATE_H
#define SAB_FEM_LOCATE_H

#include "mesh/mesh.h"

typedef struct sab_locator sab_locator; /* uniform bins of element bounding boxes */

/* The mesh is borrowed for the life of the locator. The caller owns *locator. */
sab_status sab_locator_create(const sab_mesh *mesh, sab_locator **locator, sab_error *err);
void sab_locator_destroy(sab_locator **locator);
/* Element that holds x [dim], and the reference point there [dim]; -1 if the mesh does not hold it.
 * Points outside by less than 1e-6 of an element's size count as on its side. */
int sab_locator_find(const sab_locator *locator, const double *x, double *xi);
/* Reference point of x in one element, by inversion of its quadratic map, and how far x is inside:
 * the smallest barycentric coordinate; -1 if x is outside and far, or the inversion fails. */
double sab_locate_inside(const sab_mesh *mesh, int element, const double *x, double *xi);
/* The same in the straight simplex of the corners of the element, where it never fails; the
 * smallest coordinate is that of corner *lowest. */
double sab_locate_chords(const sab_mesh *mesh, int element, const double *x, double *xi,
                         int *lowest);
/* The smallest of the barycentric coordinates l [corners]. */
int sab_locate_lowest(const sab_cell *cell, const double *l);

#endif

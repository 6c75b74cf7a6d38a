/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/parts.h -- a reference simplex in n^dim congruent parts: Kuhn's simplices of the cubes of
 * side 1/n. */
#ifndef SAB_FEM_PARTS_H
#define SAB_FEM_PARTS_H

/* Their centroids xi [n^dim][dim], in an order of their own. Returns n^dim. */
int sab_parts(int dim, int n, double *xi);

#endif

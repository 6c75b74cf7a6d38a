/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/quadrature.h -- Gauss rules on the reference cells of mesh/cell.h: [0,1], triangle,
 * tetrahedron. */
#ifndef SAB_FEM_QUADRATURE_H
#define SAB_FEM_QUADRATURE_H

#include "mesh/cell.h"

typedef struct sab_quadrature {
    int n, degree;
    const double (*xi)[SAB_DIM]; /* [n] reference points; on a line only xi[q][0] */
    const double *weight;        /* [n] they sum to the reference measure: 1, 1/2, 1/6 */
} sab_quadrature;

enum { SAB_RULE_POINTS = 24 }; /* of the largest rule */

/* The law lives at the points of an order-2 rule: as many as P1 has unknowns, and point q is the
 * one near corner q [docs/theory.md, 4]. About an axis they move (fem/law_points.h). */
extern const sab_quadrature sab_triangle_law, sab_tetrahedron_law;
extern const sab_quadrature sab_line_degree7; /* tractions, fluxes */

/* The rule of a cell with the fewest points that is exact for polynomials of this degree; the one
 * of highest degree if none is. */
const sab_quadrature *sab_rule(const sab_cell *cell, int degree);
/* The rule for integrals over the sides of a cell. */
const sab_quadrature *sab_side_rule(const sab_cell *cell);

#endif

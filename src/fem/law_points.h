/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/law_points.h -- where the law of an element lives, and what it sees there of the velocities
 * [docs/theory.md, 4.1 and 4.10].
 *
 * The law points x_q of an element are those of a rule that is exact to degree 2 against the
 * measure of the geometry; the P1 functions psi_q with psi_q(x_p) = delta_pq are then orthogonal,
 * and what the law sees of a field f is its P1 projection, f_q = (1/W_q) int psi_q f, W_q = int
 * psi_q. For gradients of P2 on straight elements these are the values at the points; for bubbles,
 * for curved elements and for u_r/r they are not. */
#ifndef SAB_FEM_LAW_POINTS_H
#define SAB_FEM_LAW_POINTS_H

#include "fem/element.h"
#include "fem/geometry.h"

typedef struct sab_law_points {
    double xi[SAB_LAW_POINTS][SAB_DIM];
    double weight[SAB_LAW_POINTS]; /* W_q, measure included */
    /* psi_q = sum_i corner[i][q] l_i: corner i of the P1 function with values f_q has
     * sum_q corner[i][q] f_q. */
    double corner[SAB_CORNERS][SAB_LAW_POINTS];
    double gradient[SAB_LAW_POINTS][SAB_SHAPES][SAB_DIM]; /* of the shape functions, projected */
    double hoop[SAB_LAW_POINTS][SAB_SHAPES];              /* phi/r likewise; 0 without an axis */
} sab_law_points;

/* By integration over element e, for every element, geometry and curved side. */
void sab_law_points_find(const sab_element *element, const sab_geometry *geometry,
                         const sab_mesh *mesh, int e, sab_law_points *law);

#endif

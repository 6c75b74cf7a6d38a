/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/bubble.h -- bubbles: products of barycentric coordinates l, 1 at the centre of what they live
 * on, 0 around it [docs/theory.md, 4.9].
 *
 * b = 27 l0 l1 l2 of a triangle; of a tetrahedron b_F = 27 lj lk lm for each side F and
 * b = 256 l0 l1 l2 l3. Their gradients are not P1, the stress is: the law sees the P1 projection of
 * the gradient. On curved elements they are mapped like everything else. */
#ifndef SAB_FEM_BUBBLE_H
#define SAB_FEM_BUBBLE_H

#include "fem/p2.h"

/* int 2 C D(b e_i):D(b e_j) is this times the sum over the law points that uses the projected
 * gradient, for every constant C, in the plane: int grad b (x) grad b = (5/3) sum_q w_q g_q (x)
 * g_q.
 */
#define SAB_BUBBLE_STIFFNESS (5.0 / 3.0)

void sab_bubble_value(const double *xi, double *value);
/* Gradient at xi in physical space; p is sab_p2_at the same point. */
void sab_bubble_gradient(const double *xi, const sab_p2 *p, double (*gradient)[SAB_DIM]);
/* Its P1 projection at law point q: g_q = -(27/10) grad l_q (the gradient itself is -(9/4) grad l_q
 * there, which would lose an order); p is sab_p2_at that point. Exact for straight sides. */
void sab_bubble_projected_gradient(int q, const sab_p2 *p, double *gradient);

/* Those of a tetrahedron: four of its sides, in their order, then the inner one. */
void sab_bubbles_tetrahedron(const double *xi, double *value);
void sab_bubbles_tetrahedron_gradient(const double *xi, const sab_p2 *p,
                                      double (*gradient)[SAB_DIM]);

#endif

/* fem/bubble.h -- the cubic bubble b = 27 l0 l1 l2 of a triangle: 1 at its centre, 0 on its sides
 * (l0, l1, l2: barycentric coordinates) [docs/theory.md, 4.9].
 *
 * Its gradient is quadratic, the stress P1: the law sees the P1 projection of the gradient. On
 * curved triangles b is mapped like everything else; the formulas below are exact for straight
 * sides. */
#ifndef SAB_FEM_BUBBLE_H
#define SAB_FEM_BUBBLE_H

#include "fem/p2.h"

/* int 2 C D(b e_i):D(b e_j) is this times the sum over the law points that uses the projected
 * gradient, for every constant C: int grad b (x) grad b = (5/3) sum_q w_q g_q (x) g_q. */
#define SAB_BUBBLE_STIFFNESS (5.0 / 3.0)

double sab_bubble_value(const double *xi);
/* Gradient at xi in physical space; p is sab_p2_at the same point. */
void sab_bubble_gradient(const double *xi, const sab_p2 *p, double *gradient);
/* Its P1 projection at law point q: g_q = -(27/10) grad l_q (the gradient itself is -(9/4) grad l_q
 * there, which would lose an order); p is sab_p2_at that point. */
void sab_bubble_projected_gradient(int q, const sab_p2 *p, double *gradient);

#endif

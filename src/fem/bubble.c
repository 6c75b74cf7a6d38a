/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/bubble.h"

#include <string.h>

void sab_bubble_value(const double *xi, double *value)
{
    *value = 27.0 * (1.0 - xi[0] - xi[1]) * xi[0] * xi[1];
}

void sab_bubble_gradient(const double *xi, const sab_p2 *p, double (*gradient)[SAB_DIM])
{
    const double l[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};
    double dl[SAB_CORNERS][SAB_DIM];

    sab_p2_barycentric(&sab_cell_triangle, p, dl);
    gradient[0][0] = gradient[0][1] = 0.0;
    for (int i = 0; i < 3; i++) {
        const double factor = 27.0 * l[(i + 1) % 3] * l[(i + 2) % 3];

        gradient[0][0] += factor * dl[i][0];
        gradient[0][1] += factor * dl[i][1];
    }
}

/* The P1 function psi_q that is 1 at law point q and 0 at the others is 2 l_q - 1/3. The rule is
 * exact for degree 2, so w_q g_q = int psi_q grad b = -int b grad psi_q = -2 (9/20)|T| grad l_q
 * with w_q = |T|/3. */
void sab_bubble_projected_gradient(int q, const sab_p2 *p, double *gradient)
{
    double dl[SAB_CORNERS][SAB_DIM];

    sab_p2_barycentric(&sab_cell_triangle, p, dl);
    gradient[0] = -2.7 * dl[q][0];
    gradient[1] = -2.7 * dl[q][1];
}

/* c times the product of l over n corners. */
static double product(double c, int n, const int *corner, const double *l)
{
    for (int i = 0; i < n; i++)
        c *= l[corner[i]];
    return c;
}

/* Its gradient. */
static void product_gradient(double c, int n, const int *corner, const double *l,
                             double dl[SAB_CORNERS][SAB_DIM], double *gradient)
{
    memset(gradient, 0, SAB_DIM * sizeof *gradient);
    for (int i = 0; i < n; i++) {
        double factor = c;

        for (int j = 0; j < n; j++)
            factor *= j == i ? 1.0 : l[corner[j]];
        for (int k = 0; k < SAB_DIM; k++)
            gradient[k] += factor * dl[corner[i]][k];
    }
}

static const int all[SAB_CORNERS] = {0, 1, 2, 3};

void sab_bubbles_tetrahedron(const double *xi, double *value)
{
    const sab_cell *cell = &sab_cell_tetrahedron;
    double l[SAB_CORNERS];

    sab_cell_barycentric(cell, xi, l);
    for (int side = 0; side < cell->sides; side++)
        value[side] = product(27.0, cell->facet->corners, cell->side[side], l);
    value[cell->sides] = product(256.0, cell->corners, all, l);
}

void sab_bubbles_tetrahedron_gradient(const double *xi, const sab_p2 *p,
                                      double (*gradient)[SAB_DIM])
{
    const sab_cell *cell = &sab_cell_tetrahedron;
    double l[SAB_CORNERS], dl[SAB_CORNERS][SAB_DIM];

    sab_cell_barycentric(cell, xi, l);
    sab_p2_barycentric(cell, p, dl);
    for (int side = 0; side < cell->sides; side++)
        product_gradient(27.0, cell->facet->corners, cell->side[side], l, dl, gradient[side]);
    product_gradient(256.0, cell->corners, all, l, dl, gradient[cell->sides]);
}

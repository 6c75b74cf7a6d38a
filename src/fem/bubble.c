#include "fem/bubble.h"

/* l_i is P2: 1 at corner i, 1/2 in the middle of the two sides that meet there. */
static void barycentric_gradient(int i, const sab_p2 *p, double *gradient)
{
    for (int k = 0; k < 2; k++)
        gradient[k] = p->dx[i][k] + 0.5 * (p->dx[3 + i][k] + p->dx[3 + (i + 2) % 3][k]);
}

double sab_bubble_value(const double *xi)
{
    return 27.0 * (1.0 - xi[0] - xi[1]) * xi[0] * xi[1];
}

void sab_bubble_gradient(const double *xi, const sab_p2 *p, double *gradient)
{
    const double l[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};

    gradient[0] = gradient[1] = 0.0;
    for (int i = 0; i < 3; i++) {
        const double factor = 27.0 * l[(i + 1) % 3] * l[(i + 2) % 3];
        double dl[2];

        barycentric_gradient(i, p, dl);
        gradient[0] += factor * dl[0];
        gradient[1] += factor * dl[1];
    }
}

/* The P1 function psi_q that is 1 at law point q and 0 at the others is 2 l_q - 1/3. The rule is
 * exact for degree 2, so w_q g_q = int psi_q grad b = -int b grad psi_q = -2 (9/20)|T| grad l_q
 * with w_q = |T|/3. */
void sab_bubble_projected_gradient(int q, const sab_p2 *p, double *gradient)
{
    barycentric_gradient(q, p, gradient);
    gradient[0] *= -2.7;
    gradient[1] *= -2.7;
}

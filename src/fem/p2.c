#include "fem/p2.h"

void sab_p2_reference(const double xi[2], double value[SAB_P2_TRIANGLE],
                      double gradient[SAB_P2_TRIANGLE][2])
{
    /* barycentric coordinates and their gradients */
    const double l[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};
    static const double dl[3][2] = {{-1.0, -1.0}, {1.0, 0.0}, {0.0, 1.0}};

    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3; /* mid-side 3+i lies on (i, j) */

        value[i] = l[i] * (2.0 * l[i] - 1.0);
        value[3 + i] = 4.0 * l[i] * l[j];
        for (int k = 0; k < 2; k++) {
            gradient[i][k] = (4.0 * l[i] - 1.0) * dl[i][k];
            gradient[3 + i][k] = 4.0 * (l[i] * dl[j][k] + l[j] * dl[i][k]);
        }
    }
}

void sab_p2_at(const sab_mesh *mesh, int element, const double xi[2], sab_p2 *p)
{
    const int *node = mesh->element + SAB_P2_TRIANGLE * element;
    double ref[SAB_P2_TRIANGLE][2];
    double J[2][2] = {{0.0}}; /* J[i][j] = dx_i/dxi_j */

    sab_p2_reference(xi, p->value, ref);
    p->x[0] = p->x[1] = 0.0;
    for (int a = 0; a < SAB_P2_TRIANGLE; a++)
        for (int i = 0; i < 2; i++) {
            const double xa = mesh->x[2 * node[a] + i];

            p->x[i] += p->value[a] * xa;
            J[i][0] += xa * ref[a][0];
            J[i][1] += xa * ref[a][1];
        }
    p->det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    for (int a = 0; a < SAB_P2_TRIANGLE; a++) {
        p->dx[a][0] = (J[1][1] * ref[a][0] - J[1][0] * ref[a][1]) / p->det;
        p->dx[a][1] = (-J[0][1] * ref[a][0] + J[0][0] * ref[a][1]) / p->det;
    }
}

void sab_p2_side_at(const sab_mesh *mesh, int facet, double xi, sab_p2_side *p)
{
    const int *node = mesh->facet + SAB_P2_LINE * facet;
    const double derivative[SAB_P2_LINE] = {4.0 * xi - 3.0, 4.0 * xi - 1.0, 4.0 - 8.0 * xi};
    double tangent[2] = {0.0, 0.0};

    p->value[0] = (1.0 - xi) * (1.0 - 2.0 * xi);
    p->value[1] = xi * (2.0 * xi - 1.0);
    p->value[2] = 4.0 * xi * (1.0 - xi);
    p->x[0] = p->x[1] = 0.0;
    for (int a = 0; a < SAB_P2_LINE; a++)
        for (int i = 0; i < 2; i++) {
            p->x[i] += p->value[a] * mesh->x[2 * node[a] + i];
            tangent[i] += derivative[a] * mesh->x[2 * node[a] + i];
        }
    p->normal_ds[0] = tangent[1];
    p->normal_ds[1] = -tangent[0];
}

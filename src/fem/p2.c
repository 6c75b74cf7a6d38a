#include "fem/p2.h"

void sab_p2_at(const sab_mesh *mesh, int element, const double *xi, sab_p2 *p)
{
    const int *node = sab_mesh_element(mesh, element), nodes = mesh->cell->nodes;
    double ref[SAB_NODES][2];
    double J[2][2] = {{0.0}}; /* J[i][j] = dx_i/dxi_j */

    sab_cell_shapes(mesh->cell, xi, p->value, ref[0]);
    p->x[0] = p->x[1] = 0.0;
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 2; i++) {
            const double xa = mesh->x[2 * node[a] + i];

            p->x[i] += p->value[a] * xa;
            J[i][0] += xa * ref[a][0];
            J[i][1] += xa * ref[a][1];
        }
    p->det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    for (int a = 0; a < nodes; a++) {
        p->dx[a][0] = (J[1][1] * ref[a][0] - J[1][0] * ref[a][1]) / p->det;
        p->dx[a][1] = (-J[0][1] * ref[a][0] + J[0][0] * ref[a][1]) / p->det;
    }
}

void sab_p2_side_at(const sab_mesh *mesh, int facet, double xi, sab_p2_side *p)
{
    const int *node = sab_mesh_facet(mesh, facet), nodes = mesh->cell->facet->nodes;
    const double derivative[] = {4.0 * xi - 3.0, 4.0 * xi - 1.0, 4.0 - 8.0 * xi};
    double tangent[2] = {0.0, 0.0};

    p->value[0] = (1.0 - xi) * (1.0 - 2.0 * xi);
    p->value[1] = xi * (2.0 * xi - 1.0);
    p->value[2] = 4.0 * xi * (1.0 - xi);
    p->x[0] = p->x[1] = 0.0;
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < 2; i++) {
            p->x[i] += p->value[a] * mesh->x[2 * node[a] + i];
            tangent[i] += derivative[a] * mesh->x[2 * node[a] + i];
        }
    p->normal_ds[0] = tangent[1];
    p->normal_ds[1] = -tangent[0];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/p2.h"

#include <math.h>
#include <string.h>

double sab_cofactors(int dim, double J[SAB_DIM][SAB_DIM], double adj[SAB_DIM][SAB_DIM])
{
    if (dim == 2) {
        adj[0][0] = J[1][1];
        adj[0][1] = -J[1][0];
        adj[1][0] = -J[0][1];
        adj[1][1] = J[0][0];
        return J[0][0] * J[1][1] - J[0][1] * J[1][0];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;

            adj[i][j] = J[a][c] * J[b][d] - J[a][d] * J[b][c];
        }
    return J[0][0] * adj[0][0] + J[0][1] * adj[0][1] + J[0][2] * adj[0][2];
}

static inline void p2_at(const sab_mesh *mesh, int dim, int nodes, int element, const double *xi,
                         sab_p2 *p)
{
    const int *node = mesh->element + nodes * element;
    double ref[SAB_NODES * SAB_DIM];
    double J[SAB_DIM][SAB_DIM] = {{0.0}}, adj[SAB_DIM][SAB_DIM]; /* J[i][j] = dx_i/dxi_j */

    sab_cell_shapes(mesh->cell, xi, p->value, ref);
    memset(p->x, 0, sizeof p->x);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < dim; i++) {
            const double xa = mesh->x[dim * node[a] + i];

            p->x[i] += p->value[a] * xa;
            for (int j = 0; j < dim; j++)
                J[i][j] += xa * ref[dim * a + j];
        }
    p->det = sab_cofactors(dim, J, adj);
    for (int a = 0; a < nodes; a++)
        for (int i = 0; i < dim; i++) {
            double sum = adj[i][0] * ref[dim * a];

            for (int j = 1; j < dim; j++)
                sum += adj[i][j] * ref[dim * a + j];
            p->dx[a][i] = sum / p->det;
        }
}

void sab_p2_at(const sab_mesh *mesh, int element, const double *xi, sab_p2 *p)
{
    if (mesh->cell == &sab_cell_triangle) /* with its numbers known to the compiler */
        p2_at(mesh, 2, 6, element, xi, p);
    else
        p2_at(mesh, mesh->cell->dim, mesh->cell->nodes, element, xi, p);
}

/* On a line the middle is best seen from both ends alike: (1 - xi)(1 - 2 xi) and xi (2 xi - 1). */
static void side_shapes(const sab_cell *cell, const double *xi, double *value, double *gradient)
{
    if (cell != &sab_cell_line) {
        sab_cell_shapes(cell, xi, value, gradient);
        return;
    }
    value[0] = (1.0 - xi[0]) * (1.0 - 2.0 * xi[0]);
    value[1] = xi[0] * (2.0 * xi[0] - 1.0);
    value[2] = 4.0 * xi[0] * (1.0 - xi[0]);
    gradient[0] = 4.0 * xi[0] - 3.0;
    gradient[1] = 4.0 * xi[0] - 1.0;
    gradient[2] = 4.0 - 8.0 * xi[0];
}

/* The side with these nodes. */
static void side_at(const sab_mesh *mesh, const int *node, const double *xi, sab_p2_side *p)
{
    const sab_cell *cell = mesh->cell->facet;
    const int dim = mesh->cell->dim;
    double ref[SAB_SIDE_NODES * SAB_DIM];

    side_shapes(cell, xi, p->value, ref);
    memset(p->x, 0, sizeof p->x);
    memset(p->tangent, 0, sizeof p->tangent);
    memset(p->slope, 0, sizeof p->slope);
    for (int a = 0; a < cell->nodes; a++)
        memcpy(p->slope[a], ref + cell->dim * a, (size_t)cell->dim * sizeof *ref);
    for (int a = 0; a < cell->nodes; a++)
        for (int i = 0; i < dim; i++) {
            const double xa = mesh->x[dim * node[a] + i];

            p->x[i] += p->value[a] * xa;
            for (int j = 0; j < cell->dim; j++)
                p->tangent[j][i] += p->slope[a][j] * xa;
        }
    const double *s = p->tangent[0], *t = p->tangent[1];
    if (dim == 2) {
        p->normal_ds[0] = s[1];
        p->normal_ds[1] = -s[0];
        p->normal_ds[2] = 0.0;
        p->ds = hypot(s[1], s[0]);
        return;
    }
    for (int i = 0; i < 3; i++)
        p->normal_ds[i] = s[(i + 1) % 3] * t[(i + 2) % 3] - s[(i + 2) % 3] * t[(i + 1) % 3];
    p->ds = sqrt(p->normal_ds[0] * p->normal_ds[0] + p->normal_ds[1] * p->normal_ds[1] +
                 p->normal_ds[2] * p->normal_ds[2]);
}

void sab_p2_side_at(const sab_mesh *mesh, int facet, const double *xi, sab_p2_side *p)
{
    side_at(mesh, sab_mesh_facet(mesh, facet), xi, p);
}

void sab_p2_side_normal(const sab_mesh *mesh, int element, int i, double *n)
{
    const sab_cell *cell = mesh->cell->facet;
    int node[SAB_SIDE_NODES];
    double middle[SAB_DIM];
    sab_p2_side p;

    for (int a = 0; a < cell->nodes; a++)
        node[a] = sab_mesh_element(mesh, element)[mesh->cell->side[i][a]];
    for (int d = 0; d < cell->dim; d++)
        middle[d] = 1.0 / cell->corners;
    side_at(mesh, node, middle, &p);
    for (int d = 0; d < SAB_DIM; d++)
        n[d] = p.normal_ds[d] / p.ds;
}

void sab_p2_barycentric(const sab_cell *cell, const sab_p2 *p, double (*gradient)[SAB_DIM])
{
    for (int i = 0; i < cell->corners; i++)
        for (int k = 0; k < cell->dim; k++) {
            double middles = 0.0;

            for (int a = 0; a < cell->edges; a++)
                if (cell->edge[a][0] == i || cell->edge[a][1] == i)
                    middles += p->dx[cell->corners + a][k];
            gradient[i][k] = p->dx[i][k] + 0.5 * middles;
        }
}

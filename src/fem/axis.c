/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/axis.h"

#include <math.h>
#include <string.h>

static const double ROUNDING = 1e-12; /* of the size of the domain */

double sab_axis_reach(const sab_mesh *mesh, const sab_geometry *geometry)
{
    const int dim = mesh->cell->dim;
    double low[SAB_DIM], high[SAB_DIM], size = 0.0;

    if (!geometry->axis)
        return -INFINITY;
    memcpy(low, mesh->x, (size_t)dim * sizeof *low);
    memcpy(high, mesh->x, (size_t)dim * sizeof *high);
    for (int i = 0; i < dim * mesh->nnodes; i++) {
        low[i % dim] = fmin(low[i % dim], mesh->x[i]);
        high[i % dim] = fmax(high[i % dim], mesh->x[i]);
    }
    for (int i = 0; i < dim; i++)
        size = fmax(size, high[i] - low[i]);
    return ROUNDING * size;
}

bool sab_facet_on_axis(const sab_mesh *mesh, double reach, int facet)
{
    for (int a = 0; a < mesh->cell->facet->nodes; a++)
        if (!sab_on_axis(mesh, reach, sab_mesh_facet(mesh, facet)[a]))
            return false;
    return true;
}

/* The least r of a side and where it is: r = r_0 + b s + a s^2 is that of a parabola. */
static double least_radius(const sab_mesh *mesh, int facet, double *x)
{
    const int *node = sab_mesh_facet(mesh, facet);
    const double *end = sab_mesh_x(mesh, node[0]), *other = sab_mesh_x(mesh, node[1]);
    const double *middle = sab_mesh_x(mesh, node[mesh->cell->facet->corners]);
    const double a = 2.0 * (end[0] + other[0]) - 4.0 * middle[0];
    const double b = 4.0 * middle[0] - 3.0 * end[0] - other[0];
    double s = end[0] < other[0] ? 0.0 : 1.0;

    if (a > 0.0 && b < 0.0 && -b < 2.0 * a)
        s = -b / (2.0 * a);
    for (int i = 0; i < mesh->cell->dim; i++)
        x[i] = (1.0 - s) * (1.0 - 2.0 * s) * end[i] + s * (2.0 * s - 1.0) * other[i] +
               4.0 * s * (1.0 - s) * middle[i];
    return x[0];
}

sab_status sab_geometry_check_mesh(const sab_mesh *mesh, const sab_geometry *geometry,
                                   sab_error *err)
{
    const sab_cell *cell =
        geometry->dim == sab_cell_triangle.dim ? &sab_cell_triangle : &sab_cell_tetrahedron;
    const double reach = sab_axis_reach(mesh, geometry);
    char place[SAB_PLACE_TEXT];
    double x[SAB_DIM];

    if (mesh->cell != cell)
        return sab_fail(err, SAB_ERR_INPUT, "geometry: %s needs a mesh of %s, this one has %s",
                        geometry->name, cell->plural, mesh->cell->plural);
    for (int f = 0; f < mesh->nfacets && geometry->axis; f++)
        if (least_radius(mesh, f, x) < -reach)
            return sab_fail(err, SAB_ERR_INPUT,
                            "geometry: axisymmetric, but the mesh reaches %s, where r < 0: x is "
                            "the distance from the axis; mesh one half of the section only",
                            sab_place_text(mesh->cell->dim, x, place));
    return SAB_OK;
}

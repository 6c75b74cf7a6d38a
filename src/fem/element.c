/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/element.h"
#include "fem/bubble.h"

#include <string.h>

const sab_element sab_element_p2 = {
    .name = "p2",
    .cell = &sab_cell_triangle,
    .inner_stiffness = 1.0,
    .law = &sab_triangle_law,
    .mass_degree = 4,
    .load_degree = 4,
    .norms_degree = 6,
    .extrapolate = 2.0, /* f_q = c_q/2 + (c_0 + c_1 + c_2)/6 */
    .reynolds_limit = {100.0, 25.0},
};

const sab_element sab_element_p2b = {
    .name = "p2b",
    .cell = &sab_cell_triangle,
    .stable = true,
    .inner = 1,
    .inner_stiffness = SAB_BUBBLE_STIFFNESS,
    .bubbles = sab_bubble_value,
    .bubble_gradients = sab_bubble_gradient,
    .inner_projection = sab_bubble_projected_gradient,
    .law = &sab_triangle_law,
    .mass_degree = 6, /* a bubble squared */
    .load_degree = 4,
    .norms_degree = 6,
    .extrapolate = 2.0,
    .reynolds_limit = {300.0, 50.0},
};

/* The square of the inner bubble has degree 8: its mass is that of a rule of degree 6, which the
 * scheme takes as well. */
const sab_element sab_element_p2nb = {
    .name = "p2nb",
    .cell = &sab_cell_tetrahedron,
    .stable = true,
    .faces = true,
    .inner = 1,
    .bubbles = sab_bubbles_tetrahedron,
    .bubble_gradients = sab_bubbles_tetrahedron_gradient,
    .law = &sab_tetrahedron_law,
    .mass_degree = 6,
    .load_degree = 5,
    .norms_degree = 6,
    .extrapolate = 2.23606797749978969641, /* psi_q = sqrt 5 l_q - (sqrt 5 - 1)/4 */
    .reynolds_limit = {800.0, 100.0},
};

const sab_element *sab_element_find(const char *name)
{
    static const sab_element *const all[] = {&sab_element_p2, &sab_element_p2b, &sab_element_p2nb};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

int sab_element_values(const sab_element *element, const double *xi, double *value)
{
    const int nodes = element->cell->nodes;

    sab_cell_shapes(element->cell, xi, value, NULL);
    if (element->bubbles != NULL)
        element->bubbles(xi, value + nodes);
    return nodes + sab_element_bubbles(element);
}

void sab_element_at(const sab_element *element, const sab_mesh *mesh, int e, const double *xi,
                    sab_shapes *at)
{
    const int nodes = element->cell->nodes, dim = element->cell->dim;
    sab_p2 p;

    sab_p2_at(mesh, e, xi, &p);
    at->n = nodes + sab_element_bubbles(element);
    memset(at->hoop, 0, (size_t)at->n * sizeof *at->hoop);
    at->det = p.det;
    memcpy(at->x, p.x, sizeof p.x);
    memcpy(at->value, p.value, (size_t)nodes * sizeof *at->value);
    for (int a = 0; a < nodes; a++)
        memcpy(at->gradient[a], p.dx[a], (size_t)dim * sizeof(double));
    if (element->bubbles != NULL) {
        element->bubbles(xi, at->value + nodes);
        element->bubble_gradients(xi, &p, at->gradient + nodes);
    }
}

int sab_element_index(const sab_element *element, const sab_mesh *mesh, int e,
                      int index[SAB_SHAPES])
{
    const int nodes = element->cell->nodes, sides = element->faces ? element->cell->sides : 0;
    const int inner = mesh->nnodes + sab_element_faces(element, mesh);

    memcpy(index, mesh->element + nodes * e, (size_t)nodes * sizeof *index);
    for (int i = 0; i < sides; i++)
        index[nodes + i] = mesh->nnodes + mesh->side[sides * e + i];
    for (int i = 0; i < element->inner; i++)
        index[nodes + sides + i] = inner + element->inner * e + i;
    return nodes + sides + element->inner;
}

int sab_element_side_at(const sab_element *element, const sab_mesh *mesh, int facet,
                        const double *xi, sab_p2_side *p, double *value)
{
    const sab_cell *cell = mesh->cell->facet;

    sab_p2_side_at(mesh, facet, xi, p);
    memcpy(value, p->value, (size_t)cell->nodes * sizeof *value);
    if (element->faces)
        sab_bubble_value(xi, value + cell->nodes);
    return cell->nodes + element->faces;
}

/* Of a face function 27 l0 xi_0 xi_1 with l0 = 1 - xi_0 - xi_1. */
void sab_element_side_slopes(const sab_element *element, const double *xi, const sab_p2_side *p,
                             double (*slope)[SAB_DIM - 1])
{
    const int nodes = element->cell->facet->nodes;

    memcpy(slope, p->slope, (size_t)nodes * sizeof *slope);
    if (element->faces) {
        const double l0 = 1.0 - xi[0] - xi[1];

        slope[nodes][0] = 27.0 * xi[1] * (l0 - xi[0]);
        slope[nodes][1] = 27.0 * xi[0] * (l0 - xi[1]);
    }
}

int sab_element_side_index(const sab_element *element, const sab_mesh *mesh, int facet,
                           int index[SAB_SIDE_SHAPES])
{
    const int nodes = mesh->cell->facet->nodes;

    memcpy(index, sab_mesh_facet(mesh, facet), (size_t)nodes * sizeof *index);
    if (element->faces)
        index[nodes] =
            mesh->nnodes +
            mesh->side[mesh->cell->sides * mesh->facet_element[facet] + mesh->facet_side[facet]];
    return nodes + element->faces;
}

#include "fem/element.h"
#include "fem/bubble.h"

#include <string.h>

const sab_element sab_element_p2 = {
    .name = "p2",
    .cell = &sab_cell_triangle,
    .inner_stiffness = 1.0,
    .law = &sab_triangle_law,
    .mass = &sab_triangle_degree4,
    .load = &sab_triangle_degree4,
    .norms = &sab_triangle_degree6,
    .extrapolate = 2.0, /* f_q = c_q/2 + (c_0 + c_1 + c_2)/6 */
    .reynolds_limit = {100.0, 25.0},
};

const sab_element sab_element_p2b = {
    .name = "p2b",
    .cell = &sab_cell_triangle,
    .stable = true,
    .inner = 1,
    .inner_stiffness = SAB_BUBBLE_STIFFNESS,
    .inner_value = sab_bubble_value,
    .inner_gradient = sab_bubble_gradient,
    .inner_projection = sab_bubble_projected_gradient,
    .law = &sab_triangle_law,
    .mass = &sab_triangle_degree6, /* a bubble squared */
    .load = &sab_triangle_degree4,
    .norms = &sab_triangle_degree6,
    .extrapolate = 2.0,
    .reynolds_limit = {300.0, 50.0},
};

const sab_element *sab_element_find(const char *name)
{
    static const sab_element *const all[] = {&sab_element_p2, &sab_element_p2b};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    return NULL;
}

int sab_element_values(const sab_element *element, const double *xi, double *value)
{
    const int nodes = element->cell->nodes;

    sab_cell_shapes(element->cell, xi, value, NULL);
    if (element->inner > 0)
        value[nodes] = element->inner_value(xi);
    return nodes + element->inner;
}

/* The nodal functions. */
static void start(const sab_element *element, const sab_p2 *p, sab_shapes *at)
{
    const int nodes = element->cell->nodes, dim = element->cell->dim;

    at->n = nodes + element->inner;
    memset(at->hoop, 0, (size_t)at->n * sizeof *at->hoop);
    at->det = p->det;
    memcpy(at->x, p->x, sizeof p->x);
    memcpy(at->value, p->value, (size_t)nodes * sizeof *at->value);
    for (int a = 0; a < nodes; a++)
        memcpy(at->gradient[a], p->dx[a], (size_t)dim * sizeof(double));
}

void sab_element_at(const sab_element *element, const sab_mesh *mesh, int e, const double *xi,
                    sab_shapes *at)
{
    sab_p2 p;

    sab_p2_at(mesh, e, xi, &p);
    start(element, &p, at);
    if (element->inner > 0) {
        at->value[at->n - 1] = element->inner_value(xi);
        element->inner_gradient(xi, &p, at->gradient[at->n - 1]);
    }
}

void sab_element_at_law(const sab_element *element, const sab_mesh *mesh, int e, int q,
                        sab_shapes *at)
{
    sab_p2 p;

    sab_p2_at(mesh, e, element->law->xi[q], &p);
    start(element, &p, at);
    if (element->inner > 0) {
        at->value[at->n - 1] = element->inner_value(element->law->xi[q]);
        element->inner_projection(q, &p, at->gradient[at->n - 1]);
    }
}

int sab_element_index(const sab_element *element, const sab_mesh *mesh, int e,
                      int index[SAB_SHAPES])
{
    const int nodes = element->cell->nodes;

    memcpy(index, mesh->element + nodes * e, (size_t)nodes * sizeof *index);
    for (int i = 0; i < element->inner; i++)
        index[nodes + i] = mesh->nnodes + element->inner * e + i;
    return nodes + element->inner;
}

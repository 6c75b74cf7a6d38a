/* SPDX-License-Identifier: GPL-3.0-or-later */
/* split.c -- the Alfeld split: three triangles from each, around its barycentre.
 *
 * A child is an affine part of the parent's reference triangle, so that the parent's quadratic map
 * restricted to it is again quadratic: placing the new nodes by that map changes neither shape nor
 * boundary. Why one splits: the pair of elements becomes stable on every mesh (docs/theory.md, 4).
 */
#include "mesh/mesh.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

/* New nodes of a parent: its barycentre, and the middles between it and corner 0, 1, 2. */
enum { NEW_NODES = 4 };

static void split_triangle(const sab_mesh *coarse, int e, int first_new, double *x, int *element)
{
    static const double place[NEW_NODES][SAB_DIM] = {{1.0 / 3.0, 1.0 / 3.0},
                                                     {1.0 / 6.0, 1.0 / 6.0},
                                                     {2.0 / 3.0, 1.0 / 6.0},
                                                     {1.0 / 6.0, 2.0 / 3.0}};
    const sab_cell *cell = coarse->cell;
    const int *parent = sab_mesh_element(coarse, e);

    for (int k = 0; k < NEW_NODES; k++)
        sab_mesh_map(coarse, e, place[k], x + cell->dim * (first_new + k), NULL);
    for (int i = 0; i < cell->sides; i++) {
        const int *side = cell->side[i], middle = side[cell->facet->corners];
        const int child[] = {parent[side[0]], parent[side[1]],         first_new,
                             parent[middle],  first_new + 1 + side[1], first_new + 1 + side[0]};

        memcpy(element + cell->nodes * (cell->sides * e + i), child, sizeof child);
    }
}

static sab_status copy_group(const sab_mesh *coarse, int g, sab_mesh *fine, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh_group *group = coarse->group + g;
    const size_t corners = (size_t)coarse->cell->facet->corners;
    int *side = NULL;

    SAB_NEW(side, corners * (size_t)group->nfacets);
    for (int i = 0; i < group->nfacets; i++) /* corners come first */
        memcpy(side + corners * (size_t)i, sab_mesh_facet(coarse, group->facet[i]),
               corners * sizeof *side);
    SAB_TRY(sab_mesh_add_group(fine, group->name, group->tag, group->nfacets, side, err));
cleanup:
    SAB_FREE(side);
    return status;
}

sab_status sab_mesh_split_alfeld(const sab_mesh *coarse, sab_mesh **fine, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_cell *cell = coarse->cell;
    const int children = cell->sides, dim = cell->dim;
    double *x = NULL;
    int *element = NULL;
    sab_mesh *m = NULL;

    *fine = NULL;
    if (cell != &sab_cell_triangle)
        return sab_fail(err, SAB_ERR_INPUT,
                        "only triangles can be split: on split tetrahedra the pair of p2 has weak "
                        "pressures that grow with the mesh; use the element p2nb");
    if (coarse->nelements > INT_MAX / (children * cell->nodes) || /* indices are int */
        coarse->nnodes > INT_MAX / dim - NEW_NODES * coarse->nelements) {
        status = sab_fail(err, SAB_ERR_INPUT, "the mesh is too large to split: %d triangles",
                          coarse->nelements);
        goto cleanup;
    }
    const int nnodes = coarse->nnodes + NEW_NODES * coarse->nelements;
    SAB_NEW(x, dim * nnodes);
    SAB_NEW(element, children * cell->nodes * coarse->nelements);
    memcpy(x, coarse->x, (size_t)dim * (size_t)coarse->nnodes * sizeof *x);
    for (int e = 0; e < coarse->nelements; e++)
        split_triangle(coarse, e, coarse->nnodes + NEW_NODES * e, x, element);
    status = sab_mesh_create(cell, nnodes, x, children * coarse->nelements, element, &m, err);
    x = NULL; /* moved, also on failure */
    element = NULL;
    SAB_TRY(status);
    m->children = children;
    for (int g = 0; g < coarse->ngroups; g++)
        SAB_TRY(copy_group(coarse, g, m, err));
    for (int i = 0; i < coarse->nregions; i++) {
        const sab_mesh_region *r = &coarse->region[i];

        SAB_TRY(sab_mesh_add_region(m, r->name, r->tag, 0, NULL, err));
        for (int e = 0; e < m->nelements; e++)
            m->region[i].has[e] = r->has[e / children];
    }
    *fine = m;
    m = NULL;
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "while splitting the mesh");
    sab_mesh_destroy(&m);
    SAB_FREE(element);
    SAB_FREE(x);
    return status;
}

/* Is corner i of element e inside the domain and shared by three elements only? Then the elements
 * across its two sides there meet at a third side, and the three fill a triangle. */
static bool is_split_at(const sab_mesh *mesh, int e, int i)
{
    const int sides = mesh->cell->sides;
    const int before = mesh->neighbour[sides * e + (i + sides - 1) % sides];
    const int behind = mesh->neighbour[sides * e + i];

    for (int k = 0; k < sides && before >= 0 && behind >= 0; k++)
        if (mesh->neighbour[sides * before + k] == behind)
            return true;
    return false;
}

bool sab_mesh_is_split(const sab_mesh *mesh)
{
    if (mesh->cell != &sab_cell_triangle)
        return false;
    for (int e = 0; e < mesh->nelements; e++) {
        bool found = false;

        for (int i = 0; i < mesh->cell->corners && !found; i++)
            found = is_split_at(mesh, e, i);
        if (!found)
            return false;
    }
    return true;
}

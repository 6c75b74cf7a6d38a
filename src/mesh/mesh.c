/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh.c -- from bare nodes and elements to a checked mesh. */
#include "mesh/mesh.h"
#include "mesh/shape.h"
#include "mesh/sides.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *sab_place_text(int dim, const double *x, char text[SAB_PLACE_TEXT])
{
    int used = 0;

    for (int i = 0; i < dim; i++)
        used += snprintf(text + used, (size_t)(SAB_PLACE_TEXT - used), "%s%g", i == 0 ? "(" : ", ",
                         x[i]);
    snprintf(text + used, (size_t)(SAB_PLACE_TEXT - used), ")");
    return text;
}

void sab_mesh_map(const sab_mesh *mesh, int element, const double *xi, double *x,
                  double jacobian[SAB_DIM][SAB_DIM])
{
    const int *node = sab_mesh_element(mesh, element);
    const int dim = mesh->cell->dim, nodes = mesh->cell->nodes;
    double value[SAB_NODES], gradient[SAB_NODES * SAB_DIM];

    sab_cell_shapes(mesh->cell, xi, value, jacobian != NULL ? gradient : NULL);
    for (int i = 0; i < dim && x != NULL; i++) {
        double position = 0.0;

        for (int a = 0; a < nodes; a++)
            position += value[a] * mesh->x[dim * node[a] + i];
        x[i] = position;
    }
    for (int i = 0; i < dim && jacobian != NULL; i++)
        for (int j = 0; j < dim; j++) {
            double slope = 0.0;

            for (int a = 0; a < nodes; a++)
                slope += gradient[dim * a + j] * mesh->x[dim * node[a] + i];
            jacobian[i][j] = slope;
        }
}

/* Node indices in range; role[node] = CORNER or MIDDLE; both at once is a hanging node. */
enum { UNUSED, CORNER, MIDDLE };

static sab_status find_roles(const sab_mesh *m, char *role, sab_error *err)
{
    const int per = m->cell->nodes;
    char place[SAB_PLACE_TEXT];

    for (int k = 0; k < per * m->nelements; k++) {
        const int node = m->element[k];
        const char mine = k % per < m->cell->corners ? CORNER : MIDDLE;

        if (node < 0 || node >= m->nnodes)
            return sab_fail(err, SAB_ERR_INPUT,
                            "%s %d uses node %d, but there are %d nodes (from 0)", m->cell->name,
                            k / per + 1, node, m->nnodes);
        const double *x = sab_mesh_x(m, node);
        for (int i = 0; i < m->cell->dim; i++)
            if (!isfinite(x[i]))
                return sab_fail(err, SAB_ERR_INPUT, "node %d of %s %d has no finite position", node,
                                m->cell->name, k / per + 1);
        if (role[node] != UNUSED && role[node] != mine)
            return sab_fail(err, SAB_ERR_INPUT,
                            "node %d at %s, in %s %d, is a corner of one %s and the middle of an "
                            "edge of another: the mesh does not conform there",
                            node, sab_place_text(m->cell->dim, x, place), m->cell->name,
                            k / per + 1, m->cell->name);
        role[node] = mine;
    }
    return SAB_OK;
}

/* Gmsh leaves nodes that no element uses, e.g. the centres of circles: close the gaps. */
static sab_status drop_unused_nodes(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;
    char *role = NULL;
    int *number = NULL;
    int kept = 0;

    SAB_NEW(role, m->nnodes);
    SAB_TRY(find_roles(m, role, err));
    SAB_NEW(number, m->nnodes);
    for (int i = 0; i < m->nnodes; i++) {
        if (role[i] == UNUSED)
            continue;
        m->nvertices += role[i] == CORNER;
        memmove(sab_mesh_x(m, kept), sab_mesh_x(m, i), (size_t)m->cell->dim * sizeof *m->x);
        number[i] = kept++;
    }
    for (int k = 0; k < m->cell->nodes * m->nelements; k++)
        m->element[k] = number[m->element[k]];
    m->nnodes = kept;
cleanup:
    SAB_FREE(role);
    SAB_FREE(number);
    return status;
}

sab_status sab_mesh_create(const sab_cell *cell, int nnodes, double *x, int nelements, int *element,
                           sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh *m = sab_alloc(1, sizeof *m);

    *mesh = NULL;
    if (m == NULL) {
        sab_free(x);
        sab_free(element);
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for a mesh");
    }
    *m = (sab_mesh){.cell = cell,
                    .nnodes = nnodes,
                    .x = x,
                    .nelements = nelements,
                    .element = element,
                    .children = 1};
    if (nnodes <= 0 || nelements <= 0) {
        status = sab_fail(err, SAB_ERR_INPUT, "the mesh is empty: %d nodes and %d %s", nnodes,
                          nelements, cell->plural);
        goto cleanup;
    }
    if (nelements > INT_MAX / m->cell->nodes ||
        nnodes > INT_MAX / m->cell->dim - 1) { /* indices are int */
        status = sab_fail(err, SAB_ERR_INPUT, "the mesh is too large: %d nodes and %d %s", nnodes,
                          nelements, cell->plural);
        goto cleanup;
    }
    SAB_TRY(drop_unused_nodes(m, err));
    SAB_TRY(sab_mesh_check_shapes(m, err));
    SAB_TRY(sab_mesh_find_sides(m, err));
    *mesh = m;
    m = NULL;
cleanup:
    sab_mesh_destroy(&m);
    return status;
}

void sab_mesh_destroy(sab_mesh **mesh)
{
    sab_mesh *m = *mesh;

    if (m == NULL)
        return;
    for (int g = 0; g < m->ngroups; g++) {
        SAB_FREE(m->group[g].name);
        SAB_FREE(m->group[g].facet);
    }
    SAB_FREE(m->group);
    SAB_FREE(m->facet_interior);
    for (int i = 0; i < m->nregions; i++) {
        SAB_FREE(m->region[i].name);
        SAB_FREE(m->region[i].has);
    }
    SAB_FREE(m->region);
    SAB_FREE(m->facet_side);
    SAB_FREE(m->facet_element);
    SAB_FREE(m->facet);
    SAB_FREE(m->side);
    SAB_FREE(m->neighbour);
    SAB_FREE(m->element);
    SAB_FREE(m->x);
    SAB_FREE(*mesh);
}

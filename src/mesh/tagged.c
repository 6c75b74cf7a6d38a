/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tagged.c -- tags of a mesh file to numbers of a mesh. */
#include "mesh/tagged.h"
#include "mesh/hilbert.h"
#include "mesh/sides.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sorted_tag {
    size_t tag, index;
} sorted_tag;

static int compare_sorted(const void *a, const void *b)
{
    const size_t p = ((const sorted_tag *)a)->tag, q = ((const sorted_tag *)b)->tag;

    return (p > q) - (p < q);
}

sab_status sab_tagged_create(size_t n, const size_t *tag, const double *x, sab_tagged *nodes,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    sorted_tag *sorted = NULL;

    if (n > INT_MAX / SAB_DIM - 1)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh is too large: %zu nodes", n);
    SAB_NEW(sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (sorted_tag){tag[i], i};
    qsort(sorted, n, sizeof *sorted, compare_sorted);
    SAB_NEW(nodes->tag, n);
    SAB_NEW(nodes->x, SAB_DIM * n);
    SAB_NEW(nodes->number, n);
    for (size_t i = 0; i < n; i++) {
        nodes->tag[i] = sorted[i].tag;
        memcpy(nodes->x + SAB_DIM * i, x + SAB_DIM * sorted[i].index, SAB_DIM * sizeof *x);
        nodes->number[i] = -1;
    }
    nodes->n = (int)n;
cleanup:
    SAB_FREE(sorted);
    return status;
}

void sab_tagged_destroy(sab_tagged *nodes)
{
    SAB_FREE(nodes->tag);
    SAB_FREE(nodes->x);
    SAB_FREE(nodes->number);
    nodes->n = 0;
}

static int compare_tag(const void *a, const void *b)
{
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;

    return (p > q) - (p < q);
}

/* Index of a tag, or -1. Tags mostly have no gaps; then the place is known at once. */
static int find_tag(const sab_tagged *nodes, size_t tag)
{
    const size_t n = (size_t)nodes->n;

    if (n > 0 && tag >= nodes->tag[0] && tag - nodes->tag[0] < n &&
        nodes->tag[tag - nodes->tag[0]] == tag)
        return (int)(tag - nodes->tag[0]);
    const size_t *found =
        n == 0 ? NULL : bsearch(&tag, nodes->tag, n, sizeof *nodes->tag, compare_tag);
    return found == NULL ? -1 : (int)(found - nodes->tag);
}

void sab_tagged_move(sab_tagged *nodes, size_t n, const size_t *tag, const double *x, double step)
{
    for (size_t k = 0; k < SAB_DIM * n && step > 0.0; k++) {
        const int i = find_tag(nodes, tag[k / SAB_DIM]);

        if (i >= 0) {
            double *old = nodes->x + SAB_DIM * i + k % SAB_DIM;

            *old += step * rint((x[k] - *old) / step);
        }
    }
}

/* The shortest edge, end to end; element [nelements][nodes] by places in `nodes`. */
static double shortest_edge(const sab_tagged *nodes, const sab_cell *cell, size_t nelements,
                            const int *element)
{
    const size_t edges = (size_t)cell->edges;
    double shortest = INFINITY;

    for (size_t h = 0; h < edges * nelements; h++) {
        const int *node = element + (size_t)cell->nodes * (h / edges), *end = cell->edge[h % edges];
        double square = 0.0;

        for (int d = 0; d < SAB_DIM; d++) {
            const double length =
                nodes->x[SAB_DIM * node[end[1]] + d] - nodes->x[SAB_DIM * node[end[0]] + d];

            square += length * length;
        }
        shortest = fmin(shortest, square);
    }
    return sqrt(shortest);
}

/* Are the used nodes in the plane z = 0, to rounding of their extent? */
static sab_status check_plane(const sab_tagged *nodes, sab_error *err)
{
    enum { Z = SAB_DIM - 1 };
    double low[SAB_DIM], high[SAB_DIM], size = 0.0;
    char place[SAB_PLACE_TEXT];
    int highest = 0;

    for (int d = 0; d < SAB_DIM; d++) {
        low[d] = INFINITY;
        high[d] = -INFINITY;
    }
    for (int i = 0; i < nodes->n; i++) {
        const double *x = nodes->x + SAB_DIM * i;

        if (nodes->number[i] < 0)
            continue;
        for (int d = 0; d < SAB_DIM; d++) {
            low[d] = fmin(low[d], x[d]);
            high[d] = fmax(high[d], x[d]);
        }
        if (fabs(x[Z]) > fabs(nodes->x[SAB_DIM * highest + Z]))
            highest = i;
    }
    for (int d = 0; d < Z; d++)
        size = fmax(size, high[d] - low[d]);
    if (fmax(fabs(low[Z]), fabs(high[Z])) > 1e-10 * size)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh is not in the plane z = 0: node %zu is at %s",
                        nodes->tag[highest],
                        sab_place_text(SAB_DIM, nodes->x + SAB_DIM * highest, place));
    return SAB_OK;
}

/* Number the nodes that have an element (marked by number >= 0) in order of tags, and copy them. */
static void number_nodes(sab_tagged *nodes, int dim, double *x)
{
    int used = 0;

    for (int i = 0; i < nodes->n; i++)
        if (nodes->number[i] >= 0) {
            memcpy(x + dim * used, nodes->x + SAB_DIM * i, (size_t)dim * sizeof *x);
            nodes->number[i] = used++;
        }
}

/* Raise linear elements to P2: one new node in the middle of each edge. Gmsh can do this too, but
 * only the geometry would make a difference, and it refuses format 2.2 with a side in two groups.
 */
static sab_status add_middles(const sab_cell *cell, int nelements, int *element, int *nnodes,
                              double **x, sab_error *err)
{
    sab_status status = SAB_OK;
    int *twin = NULL;
    const int dim = cell->dim, nedges = cell->edges * nelements;
    int ncorners = *nnodes, nmiddles = 0;

    SAB_NEW(twin, nedges);
    SAB_TRY(sab_mesh_match_edges(cell, ncorners, nelements, element, twin, err));
    for (int h = 0; h < nedges; h++)
        nmiddles += twin[h] == h;
    double *more = nmiddles > INT_MAX / dim - 1 - ncorners
                       ? NULL
                       : sab_realloc(*x, (size_t)dim * (size_t)(ncorners + nmiddles), sizeof *more);
    if (more == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: %d middles of edges", nmiddles);
    *x = more;
    for (int h = 0; h < nedges; h++) {
        const int *end = cell->edge[h % cell->edges];
        int *node = element + cell->nodes * (h / cell->edges);
        const double *a = more + dim * node[end[0]], *b = more + dim * node[end[1]];
        int *middle = node + cell->corners + h % cell->edges;

        if (twin[h] == h) {
            for (int i = 0; i < dim; i++)
                more[dim * *nnodes + i] = 0.5 * (a[i] + b[i]);
            *middle = (*nnodes)++;
        } else {
            *middle = element[cell->nodes * (twin[h] / cell->edges) + cell->corners +
                              twin[h] % cell->edges];
        }
    }
cleanup:
    SAB_FREE(twin);
    return status;
}

/* The mesh again with its numbers along the curve, and the numbers of the tags. It is made in the
 * order of the file first, whose elements the messages count. */
static sab_status renumber(sab_tagged *nodes, sab_mesh **mesh, sab_error *err)
{
    const sab_mesh *m = *mesh;
    const int dim = m->cell->dim, per = m->cell->nodes;
    sab_status status = SAB_OK;
    int *from = NULL, *number = NULL, *element = NULL;
    double *x = NULL;
    sab_mesh *ordered = NULL;

    SAB_NEW(from, m->nelements);
    SAB_NEW(number, m->nnodes);
    SAB_TRY(sab_hilbert_order(m, from, number, err));
    SAB_NEW(element, per * m->nelements);
    SAB_NEW(x, dim * m->nnodes);
    for (int k = 0; k < per * m->nelements; k++)
        element[k] = number[sab_mesh_element(m, from[k / per])[k % per]];
    for (int i = 0; i < m->nnodes; i++)
        memcpy(x + dim * number[i], sab_mesh_x(m, i), (size_t)dim * sizeof *x);
    status = sab_mesh_create(m->cell, m->nnodes, x, m->nelements, element, &ordered, err);
    x = NULL; /* moved, also on failure */
    element = NULL;
    SAB_TRY(status);
    for (int i = 0; i < nodes->n; i++)
        if (nodes->number[i] >= 0)
            nodes->number[i] = number[nodes->number[i]];
cleanup:
    SAB_FREE(from);
    SAB_FREE(number);
    SAB_FREE(element);
    SAB_FREE(x);
    sab_mesh_destroy(mesh);
    *mesh = ordered;
    return status;
}

sab_status sab_tagged_mesh(sab_tagged *nodes, const sab_cell *cell, int per, size_t n,
                           const size_t *element_tag, sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t width = (size_t)cell->nodes;
    double *x = NULL;
    int *element = NULL;
    int used = 0;

    *mesh = NULL;
    if (n > INT_MAX / width)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh is too large: %zu %s", n, cell->plural);
    SAB_NEW(element, width * n);
    for (int i = 0; i < nodes->n; i++)
        nodes->number[i] = -1;
    for (size_t e = 0; e < n; e++)
        for (size_t a = 0; a < (size_t)per; a++) {
            const size_t tag = element_tag[(size_t)per * e + a];
            const int i = find_tag(nodes, tag);

            if (i < 0)
                SAB_FAIL(err, SAB_ERR_INPUT, "%s %zu uses node %zu, which is missing", cell->name,
                         e + 1, tag);
            used += nodes->number[i] < 0;
            nodes->number[i] = 0; /* used; its number follows */
            element[width * e + a] = i;
        }
    nodes->shortest = shortest_edge(nodes, cell, n, element);
    if (cell->dim < SAB_DIM)
        SAB_TRY(check_plane(nodes, err));
    SAB_NEW(x, cell->dim * used);
    number_nodes(nodes, cell->dim, x);
    for (size_t e = 0; e < n; e++)
        for (size_t a = 0; a < (size_t)per; a++)
            element[width * e + a] = nodes->number[element[width * e + a]];
    if (per == cell->corners)
        SAB_TRY(add_middles(cell, (int)n, element, &used, &x, err));
    status = sab_mesh_create(cell, used, x, (int)n, element, mesh, err);
    x = NULL; /* moved, also on failure */
    element = NULL;
    SAB_TRY(status);
    SAB_TRY(renumber(nodes, mesh, err));
cleanup:
    SAB_FREE(x);
    SAB_FREE(element);
    return status;
}

sab_status sab_tagged_group(const sab_tagged *nodes, const char *name, int group_tag, size_t nsides,
                            const size_t *corner, sab_mesh *mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t per = (size_t)mesh->cell->facet->corners;
    char place[SAB_PLACE_TEXT];
    int *number = NULL;

    if (nsides > INT_MAX / per)
        return sab_fail(err, SAB_ERR_INPUT, "group '%s' is too large: %zu sides", name, nsides);
    SAB_NEW(number, per * nsides);
    for (size_t k = 0; k < per * nsides; k++) {
        const int i = find_tag(nodes, corner[k]);

        if (i < 0 || nodes->number[i] < 0)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "group '%s' (number %d) has a side at node %zu %s that is not the side of any "
                     "%s",
                     name, group_tag, corner[k],
                     i < 0 ? "(missing)"
                           : sab_place_text(mesh->cell->dim, nodes->x + SAB_DIM * i, place),
                     mesh->cell->name);
        number[k] = nodes->number[i];
    }
    SAB_TRY(sab_mesh_add_group(mesh, name, group_tag, (int)nsides, number, err));
cleanup:
    SAB_FREE(number);
    return status;
}

sab_status sab_tagged_region(const sab_tagged *nodes, const char *name, int tag, size_t n,
                             const size_t *corner, sab_mesh *mesh, sab_error *err)
{
    const size_t per = (size_t)mesh->cell->corners;
    sab_status status = SAB_OK;
    int *number = NULL;

    SAB_NEW(number, per * n);
    for (size_t k = 0; k < per * n; k++) {
        const int i = find_tag(nodes, corner[k]);

        number[k] = i >= 0 ? nodes->number[i] : -1;
    }
    SAB_TRY(sab_mesh_add_region(mesh, name, tag, (int)n, number, err));
cleanup:
    SAB_FREE(number);
    return status;
}

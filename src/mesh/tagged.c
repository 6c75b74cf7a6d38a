/* tagged.c -- tags of a mesh file to numbers of a mesh. */
#include "mesh/tagged.h"
#include "mesh/sides.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    size_t tag, index;
} place;

static int compare_place(const void *a, const void *b)
{
    const size_t p = ((const place *)a)->tag, q = ((const place *)b)->tag;

    return (p > q) - (p < q);
}

sab_status sab_tagged_create(size_t n, const size_t *tag, const double *x, sab_tagged *nodes,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    place *sorted = NULL;

    if (n > INT_MAX / 2 - 1)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh is too large: %zu nodes", n);
    SAB_NEW(sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (place){tag[i], i};
    qsort(sorted, n, sizeof *sorted, compare_place);
    SAB_NEW(nodes->tag, n);
    SAB_NEW(nodes->x, 3 * n);
    SAB_NEW(nodes->number, n);
    for (size_t i = 0; i < n; i++) {
        nodes->tag[i] = sorted[i].tag;
        memcpy(nodes->x + 3 * i, x + 3 * sorted[i].index, 3 * sizeof *x);
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

/* Index of a tag, or -1. Tags mostly have no gaps; then the place is known at once. */
static int find_tag(const sab_tagged *nodes, size_t tag)
{
    int begin = 0, end = nodes->n;

    if (end > 0 && tag >= nodes->tag[0] && tag - nodes->tag[0] < (size_t)end &&
        nodes->tag[tag - nodes->tag[0]] == tag)
        return (int)(tag - nodes->tag[0]);
    while (begin < end) {
        const int middle = begin + (end - begin) / 2;

        if (nodes->tag[middle] < tag)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < nodes->n && nodes->tag[begin] == tag ? begin : -1;
}

/* Number the nodes that have a triangle (marked by number >= 0) in order of tags, and copy them. */
static sab_status number_nodes(sab_tagged *nodes, double *x, sab_error *err)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int used = 0, highest = 0;

    for (int i = 0; i < nodes->n; i++) {
        const double *from = nodes->x + 3 * i;

        if (nodes->number[i] < 0)
            continue;
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], from[d]);
            high[d] = fmax(high[d], from[d]);
        }
        if (fabs(from[2]) > fabs(nodes->x[3 * highest + 2]))
            highest = i;
        x[2 * used] = from[0];
        x[2 * used + 1] = from[1];
        nodes->number[i] = used++;
    }
    const double size = fmax(high[0] - low[0], high[1] - low[1]);
    const double *top = nodes->x + 3 * highest;
    if (fmax(fabs(low[2]), fabs(high[2])) > 1e-10 * size)
        return sab_fail(err, SAB_ERR_INPUT,
                        "the mesh is not in the plane z = 0: node %zu is at (%g, %g, %g)",
                        nodes->tag[highest], top[0], top[1], top[2]);
    return SAB_OK;
}

/* Raise linear triangles to P2: one new node in the middle of each side. Gmsh can do this too, but
 * only the geometry would make a difference, and it refuses format 2.2 with a side in two groups.
 */
static sab_status add_middles(const sab_cell *cell, int nelements, int *element, int *nnodes,
                              double **x, sab_error *err)
{
    sab_status status = SAB_OK;
    int *twin = NULL;
    const int dim = cell->dim, nsides = cell->sides * nelements;
    int ncorners = *nnodes, nmiddles = 0;

    SAB_NEW(twin, nsides);
    SAB_TRY(sab_mesh_match_sides(cell, ncorners, nelements, element, twin, err));
    for (int h = 0; h < nsides; h++)
        nmiddles += twin[h] == h;
    double *more = nmiddles > INT_MAX / dim - 1 - ncorners
                       ? NULL
                       : sab_realloc(*x, (size_t)dim * (size_t)(ncorners + nmiddles), sizeof *more);
    if (more == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: %d middles of sides", nmiddles);
        goto cleanup;
    }
    *x = more;
    for (int h = 0; h < nsides; h++) {
        const int *side = cell->side[h % cell->sides];
        int *node = element + cell->nodes * (h / cell->sides);
        const double *a = more + dim * node[side[0]], *b = more + dim * node[side[1]];

        if (twin[h] == h) {
            for (int i = 0; i < dim; i++)
                more[dim * *nnodes + i] = 0.5 * (a[i] + b[i]);
            node[side[2]] = (*nnodes)++;
        } else {
            node[side[2]] = element[cell->nodes * (twin[h] / cell->sides) +
                                    cell->side[twin[h] % cell->sides][2]];
        }
    }
cleanup:
    SAB_FREE(twin);
    return status;
}

sab_status sab_tagged_mesh(sab_tagged *nodes, int per, size_t n, const size_t *triangle,
                           sab_mesh **mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_cell *cell = &sab_cell_triangle;
    const size_t width = (size_t)cell->nodes;
    double *x = NULL;
    int *element = NULL;
    int used = 0;

    *mesh = NULL;
    if (n > INT_MAX / width)
        return sab_fail(err, SAB_ERR_INPUT, "the mesh is too large: %zu triangles", n);
    SAB_NEW(element, width * n);
    for (size_t e = 0; e < n; e++)
        for (size_t a = 0; a < (size_t)per; a++) {
            const size_t tag = triangle[(size_t)per * e + a];
            const int i = find_tag(nodes, tag);

            if (i < 0) {
                status = sab_fail(err, SAB_ERR_INPUT,
                                  "triangle %zu uses node %zu, which is missing", e + 1, tag);
                goto cleanup;
            }
            used += nodes->number[i] < 0;
            nodes->number[i] = 0; /* used; its number follows */
            element[width * e + a] = i;
        }
    SAB_NEW(x, cell->dim * used);
    SAB_TRY(number_nodes(nodes, x, err));
    for (size_t e = 0; e < n; e++)
        for (size_t a = 0; a < (size_t)per; a++)
            element[width * e + a] = nodes->number[element[width * e + a]];
    if (per == cell->corners)
        SAB_TRY(add_middles(cell, (int)n, element, &used, &x, err));
    status = sab_mesh_create(cell, used, x, (int)n, element, mesh, err);
    x = NULL; /* moved, also on failure */
    element = NULL;
cleanup:
    SAB_FREE(x);
    SAB_FREE(element);
    return status;
}

sab_status sab_tagged_group(const sab_tagged *nodes, const char *name, int group_tag, size_t nsides,
                            const size_t *side, sab_mesh *mesh, sab_error *err)
{
    sab_status status = SAB_OK;
    int(*end)[2] = NULL;

    if (nsides > INT_MAX / 2)
        return sab_fail(err, SAB_ERR_INPUT, "group '%s' is too large: %zu sides", name, nsides);
    SAB_NEW(end, nsides);
    for (size_t k = 0; k < 2 * nsides; k++) {
        const int i = find_tag(nodes, side[k]);

        if (i < 0 || nodes->number[i] < 0) {
            const double *x = i < 0 ? NULL : nodes->x + 3 * i;

            status =
                sab_fail(err, SAB_ERR_INPUT,
                         "group '%s' (number %d) has a side at node %zu (%g, %g) that is not "
                         "the side of any triangle",
                         name, group_tag, side[k], x != NULL ? x[0] : NAN, x != NULL ? x[1] : NAN);
            goto cleanup;
        }
        end[k / 2][k % 2] = nodes->number[i];
    }
    SAB_TRY(sab_mesh_add_group(mesh, name, group_tag, (int)nsides, end[0], err));
cleanup:
    SAB_FREE(end);
    return status;
}

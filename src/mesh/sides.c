/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sides.c -- which elements share a side, and which sides are the boundary. */
#include "mesh/sides.h"
#include "base/memory.h"

#include <stdio.h>

void sab_sort_nodes(int n, int *node)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && node[k - 1] > node[k]; k--) {
            const int low = node[k];

            node[k] = node[k - 1];
            node[k - 1] = low;
        }
}

int sab_compare_corners(const int *a, const int *b)
{
    for (int i = 0; i < SAB_DIM; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* ---- Equal sides, equal edges ---------------------------------------------------------------- */

/* The sides or the edges of a cell: `per` of them, each known by its `corners`. */
typedef struct parts {
    const sab_cell *cell;
    int per, corners, stride;
    const int *corner; /* [per][stride] in the cell */
    const int *element;
} parts;

/* Corners of part h, ascending. */
static void corners_of(const parts *p, int h, int node[SAB_DIM])
{
    const int *element = p->element + p->cell->nodes * (h / p->per);
    const int *corner = p->corner + p->stride * (h % p->per);

    for (int i = 0; i < p->corners; i++)
        node[i] = element[corner[i]];
    sab_sort_nodes(p->corners, node);
}

/* Do parts h and k, equal in the lowest and highest corner, have the same ones between? */
static bool same_between(const parts *p, int h, int k)
{
    int a[SAB_DIM], b[SAB_DIM];

    corners_of(p, h, a);
    corners_of(p, k, b);
    for (int i = 1; i < p->corners - 1; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Parts are put in buckets by their lowest corner v. Within a bucket, seen[w] begins a chain of the
 * different parts whose highest corner is w (one edge, the few faces around an edge); it counts if
 * from[w] == v, so that nothing is cleared between buckets. Linear in time. */
static sab_status match(const parts *p, int nnodes, int nelements, int *twin, sab_error *err)
{
    sab_status status = SAB_OK;
    const int n = p->per * nelements, last = p->corners - 1;
    int *start = NULL, *bucket = NULL, *seen = NULL, *from = NULL, *next = NULL;
    int node[SAB_DIM];

    SAB_NEW(start, nnodes + 2);
    SAB_NEW(bucket, n);
    SAB_NEW(next, n);
    SAB_NEW(seen, nnodes);
    SAB_NEW(from, nnodes);
    for (int h = 0; h < n; h++) {
        corners_of(p, h, node);
        start[node[0] + 2]++;
    }
    for (int v = 0; v < nnodes; v++) {
        start[v + 2] += start[v + 1];
        from[v] = -1;
    }
    for (int h = 0; h < n; h++) { /* start[v + 1] moves from begin to end of bucket v */
        corners_of(p, h, node);
        bucket[start[node[0] + 1]++] = h;
    }
    for (int v = 0; v < nnodes; v++)
        for (int k = start[v]; k < start[v + 1]; k++) { /* ascending h */
            const int h = bucket[k];

            corners_of(p, h, node);
            int *link = seen + node[last];
            if (from[node[last]] != v)
                *link = -1;
            from[node[last]] = v;
            while (*link >= 0 && !same_between(p, *link, h))
                link = next + *link;
            if (*link < 0) {
                *link = h;
                next[h] = -1;
            }
            twin[h] = *link;
        }
cleanup:
    SAB_FREE(start);
    SAB_FREE(bucket);
    SAB_FREE(next);
    SAB_FREE(seen);
    SAB_FREE(from);
    return status;
}

sab_status sab_mesh_match_sides(const sab_cell *cell, int nnodes, int nelements, const int *element,
                                int *twin, sab_error *err)
{
    const parts p = {cell,           cell->sides,   cell->facet->corners,
                     SAB_SIDE_NODES, cell->side[0], element};

    return match(&p, nnodes, nelements, twin, err);
}

sab_status sab_mesh_match_edges(const sab_cell *cell, int nnodes, int nelements, const int *element,
                                int *twin, sab_error *err)
{
    enum { ENDS = sizeof cell->edge[0] / sizeof cell->edge[0][0] };
    const parts p = {cell, cell->edges, ENDS, ENDS, cell->edge[0], element};

    return match(&p, nnodes, nelements, twin, err);
}

/* ---- Neighbours ------------------------------------------------------------------------------ */

void sab_mesh_side(const sab_mesh *m, int h, int *node)
{
    const int *element = sab_mesh_element(m, h / m->cell->sides);

    for (int a = 0; a < m->cell->facet->nodes; a++)
        node[a] = element[m->cell->side[h % m->cell->sides][a]];
}

const char *sab_mesh_corners(const sab_mesh *m, const int *node, char text[SAB_CORNERS_TEXT])
{
    const int n = m->cell->facet->corners, dim = m->cell->dim;
    const char *before = m->cell->facet->dim == 1 ? "from " : "with corners ";
    const char *between = m->cell->facet->dim == 1 ? " to " : ", ";
    char place[SAB_PLACE_TEXT];
    int used = 0;

    for (int i = 0; i < n; i++)
        used +=
            snprintf(text + used, (size_t)(SAB_CORNERS_TEXT - used), "%s%s",
                     i == 0 ? before : between, sab_place_text(dim, sab_mesh_x(m, node[i]), place));
    return text;
}

/* Is the order of the n corners b that of a, up to an even number of exchanges? Then both elements
 * lie on the same side. */
static bool same_direction(int n, const int *a, const int *b)
{
    bool even = true;

    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) {
            int from = 0, to = 0; /* where b[i] and b[k] are in a */

            while (a[from] != b[i])
                from++;
            while (a[to] != b[k])
                to++;
            even = even != (from > to);
        }
    return even;
}

/* Two sides f and h have the same corners: they must belong to the two elements either side. */
static sab_status join_sides(sab_mesh *m, int f, int h, sab_error *err)
{
    const int p = f / m->cell->sides, q = h / m->cell->sides; /* the two */
    int a[SAB_SIDE_NODES], b[SAB_SIDE_NODES];
    char text[SAB_CORNERS_TEXT];

    sab_mesh_side(m, f, a);
    sab_mesh_side(m, h, b);
    if (m->neighbour[f] >= 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s %d, %d and %d share the %s %s: it can have two",
                        m->cell->plural, p + 1, m->neighbour[f] + 1, q + 1, m->cell->side_name,
                        sab_mesh_corners(m, a, text));
    if (same_direction(m->cell->facet->corners, a, b))
        return sab_fail(err, SAB_ERR_INPUT,
                        "%s %d and %d overlap: both lie on the same side of their %s %s, so one of "
                        "them is inverted or given twice",
                        m->cell->plural, p + 1, q + 1, m->cell->side_name,
                        sab_mesh_corners(m, a, text));
    m->neighbour[f] = q;
    m->neighbour[h] = p;
    return SAB_OK;
}

static sab_status find_neighbours(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;
    const int n = m->cell->sides * m->nelements;

    SAB_NEW(m->neighbour, n);
    SAB_NEW(m->side, n);
    SAB_TRY(sab_mesh_match_sides(m->cell, m->nnodes, m->nelements, m->element, m->side, err));
    for (int h = 0; h < n; h++)
        m->neighbour[h] = -1;
    for (int h = 0; h < n; h++) { /* side[h] is the twin of h until it becomes its number */
        const int twin = m->side[h];

        if (twin != h)
            SAB_TRY(join_sides(m, twin, h, err));
        m->side[h] = twin != h ? m->side[twin] : m->nsides++;
    }
cleanup:
    return status;
}

/* Edge h as messages show it: "the edge from (0, 0) to (1, 0)". */
static const char *edge_text(const sab_mesh *m, int h, char text[SAB_CORNERS_TEXT])
{
    const int *node = sab_mesh_element(m, h / m->cell->edges);
    const int *end = m->cell->edge[h % m->cell->edges];
    char from[SAB_PLACE_TEXT], to[SAB_PLACE_TEXT];

    snprintf(text, SAB_CORNERS_TEXT, "the edge from %s to %s",
             sab_place_text(m->cell->dim, sab_mesh_x(m, node[end[0]]), from),
             sab_place_text(m->cell->dim, sab_mesh_x(m, node[end[1]]), to));
    return text;
}

static int middle_of(const sab_mesh *m, int h)
{
    return sab_mesh_element(m, h / m->cell->edges)[m->cell->corners + h % m->cell->edges];
}

/* Every edge has one middle, the same in all elements around it, and every middle one edge. Around
 * an edge of tetrahedra not all elements need be neighbours: the sides alone would not tell. */
static sab_status check_middles(const sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_cell *cell = m->cell;
    const int n = cell->edges * m->nelements;
    int *twin = NULL, *edge = NULL; /* edge[node] = 1 + the first edge it is the middle of */
    char text[SAB_CORNERS_TEXT];

    SAB_NEW(twin, n);
    SAB_NEW(edge, m->nnodes);
    SAB_TRY(sab_mesh_match_edges(cell, m->nnodes, m->nelements, m->element, twin, err));
    for (int h = 0; h < n; h++) {
        const int middle = middle_of(m, h), other = middle_of(m, twin[h]);

        if (middle != other)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "%s %d and %d share %s but not its middle node (%d and %d)", cell->plural,
                     twin[h] / cell->edges + 1, h / cell->edges + 1, edge_text(m, twin[h], text),
                     other, middle);
        if (edge[middle] != 0 && edge[middle] != twin[h] + 1)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "node %d is the middle of %s of %s %d, and of another edge in %s %d", middle,
                     edge_text(m, h, text), cell->name, h / cell->edges + 1, cell->name,
                     (edge[middle] - 1) / cell->edges + 1);
        edge[middle] = twin[h] + 1;
    }
cleanup:
    SAB_FREE(twin);
    SAB_FREE(edge);
    return status;
}

static sab_status find_boundary(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;
    const int nsides = m->cell->sides * m->nelements;
    int count = 0;

    for (int h = 0; h < nsides; h++)
        count += m->neighbour[h] < 0;
    SAB_NEW(m->facet, m->cell->facet->nodes * count);
    SAB_NEW(m->facet_element, count);
    SAB_NEW(m->facet_side, count);
    SAB_NEW(m->facet_interior, count);
    for (int h = 0; h < nsides; h++) {
        if (m->neighbour[h] >= 0)
            continue;
        sab_mesh_side(m, h, sab_mesh_facet(m, m->nfacets));
        m->facet_element[m->nfacets] = h / m->cell->sides;
        m->facet_side[m->nfacets] = h % m->cell->sides;
        m->nfacets++;
    }
cleanup:
    return status;
}

sab_status sab_mesh_find_sides(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(find_neighbours(m, err));
    SAB_TRY(check_middles(m, err));
    SAB_TRY(find_boundary(m, err));
cleanup:
    return status;
}

/* sides.c -- which triangles share a side, and which sides are the boundary. */
#include "mesh/sides.h"
#include "base/memory.h"

/* Ends of side h, lower first. */
static void ends_of(const sab_cell *cell, const int *element, int h, int *low, int *high)
{
    const int *corner = element + cell->nodes * (h / cell->sides);
    const int *side = cell->side[h % cell->sides];
    const int a = corner[side[0]], b = corner[side[1]];

    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

/* Sides are put in buckets by their lower end v. Within a bucket, seen[w] is the first side towards
 * w; it counts if from[w] == v, so that nothing is cleared between buckets. Linear in time. */
sab_status sab_mesh_match_sides(const sab_cell *cell, int nnodes, int nelements, const int *element,
                                int *twin, sab_error *err)
{
    sab_status status = SAB_OK;
    const int nsides = cell->sides * nelements;
    int *start = NULL, *bucket = NULL, *seen = NULL, *from = NULL;
    int low, high;

    SAB_NEW(start, nnodes + 2);
    SAB_NEW(bucket, nsides);
    SAB_NEW(seen, nnodes);
    SAB_NEW(from, nnodes);
    for (int h = 0; h < nsides; h++) {
        ends_of(cell, element, h, &low, &high);
        start[low + 2]++;
    }
    for (int v = 0; v < nnodes; v++) {
        start[v + 2] += start[v + 1];
        from[v] = -1;
    }
    for (int h = 0; h < nsides; h++) { /* start[v + 1] moves from begin to end of bucket v */
        ends_of(cell, element, h, &low, &high);
        bucket[start[low + 1]++] = h;
    }
    for (int v = 0; v < nnodes; v++)
        for (int k = start[v]; k < start[v + 1]; k++) { /* ascending h */
            ends_of(cell, element, bucket[k], &low, &high);
            if (from[high] != v) {
                from[high] = v;
                seen[high] = bucket[k];
            }
            twin[bucket[k]] = seen[high];
        }
cleanup:
    SAB_FREE(start);
    SAB_FREE(bucket);
    SAB_FREE(seen);
    SAB_FREE(from);
    return status;
}

void sab_mesh_side(const sab_mesh *m, int h, int *node)
{
    const int *element = sab_mesh_element(m, h / m->cell->sides);

    for (int a = 0; a < m->cell->facet->nodes; a++)
        node[a] = element[m->cell->side[h % m->cell->sides][a]];
}

/* Two sides f and h join the same corners: they must belong to the two triangles either side. */
static sab_status join_sides(sab_mesh *m, int f, int h, sab_error *err)
{
    const int p = f / m->cell->sides, q = h / m->cell->sides; /* the two */
    int a[SAB_SIDE_NODES], b[SAB_SIDE_NODES];

    sab_mesh_side(m, f, a);
    sab_mesh_side(m, h, b);
    const double *from = sab_mesh_x(m, a[0]), *to = sab_mesh_x(m, a[1]);
    if (m->neighbour[f] >= 0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "triangles %d, %d and %d share the edge from (%g, %g) to (%g, %g): "
                        "an edge can have two",
                        p + 1, m->neighbour[f] + 1, q + 1, from[0], from[1], to[0], to[1]);
    if (a[0] == b[0])
        return sab_fail(err, SAB_ERR_INPUT,
                        "triangles %d and %d overlap: both lie on the same side of their edge from "
                        "(%g, %g) to (%g, %g), so one of them is inverted or given twice",
                        p + 1, q + 1, from[0], from[1], to[0], to[1]);
    if (a[2] != b[2])
        return sab_fail(err, SAB_ERR_INPUT,
                        "triangles %d and %d share the edge from (%g, %g) to (%g, %g) but not its "
                        "middle node (%d and %d)",
                        p + 1, q + 1, from[0], from[1], to[0], to[1], a[2], b[2]);
    m->neighbour[f] = q;
    m->neighbour[h] = p;
    return SAB_OK;
}

static sab_status find_neighbours(sab_mesh *m, sab_error *err)
{
    sab_status status = SAB_OK;
    const int nsides = m->cell->sides * m->nelements;
    int *twin = NULL;

    SAB_NEW(m->neighbour, nsides);
    SAB_NEW(twin, nsides);
    SAB_TRY(sab_mesh_match_sides(m->cell, m->nnodes, m->nelements, m->element, twin, err));
    for (int h = 0; h < nsides; h++)
        m->neighbour[h] = -1;
    for (int h = 0; h < nsides; h++)
        if (twin[h] != h)
            SAB_TRY(join_sides(m, twin[h], h, err));
cleanup:
    SAB_FREE(twin);
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
    const sab_status status = find_neighbours(m, err);

    return status == SAB_OK ? find_boundary(m, err) : status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/halves.h"
#include "base/memory.h"
#include "fem/walk.h"

#include <math.h>
#include <string.h>

/* d along the edge of its element along which carrier p can go farthest, both ways: half as far. In
 * barycentric coordinates it has min(l_i, l_j) to go along the edge from i to j. */
static void find_way(const sab_carriers *c, const sab_carrier *p, double *d)
{
    const sab_mesh *mesh = c->space->mesh;
    const int dim = mesh->cell->dim, *node = sab_mesh_element(mesh, p->element);
    double l[SAB_CORNERS], longest = 0.0;

    sab_cell_barycentric(mesh->cell, p->xi, l);
    memset(d, 0, SAB_DIM * sizeof *d);
    for (int i = 0; i < mesh->cell->corners; i++)
        for (int j = 0; j < i; j++) {
            const double reach = 0.5 * fmin(l[i], l[j]);
            double way[SAB_DIM] = {0.0}, length = 0.0;

            for (int k = 0; k < dim; k++) {
                way[k] = reach * (sab_mesh_x(mesh, node[i])[k] - sab_mesh_x(mesh, node[j])[k]);
                length = hypot(length, way[k]);
            }
            if (length > longest) {
                longest = length;
                memcpy(d, way, sizeof way);
            }
        }
}

/* Carrier p moved by sign d, if no side of the mesh is in the way. */
static bool shift(const sab_carriers *c, const double *d, double sign, sab_carrier *p)
{
    const int dim = c->space->mesh->cell->dim;
    sab_transport_report ignored = {0};
    double way[SAB_DIM] = {0.0};
    bool open = false;
    int side;

    for (int i = 0; i < dim; i++)
        way[i] = sign * d[i];
    sab_transport_follow(c->transport, way, &p->element, p->xi, &side, &open, &ignored);
    sab_mesh_map(c->space->mesh, p->element, p->xi, p->x, NULL);
    return side == SAB_INSIDE && !open;
}

/* Halve carrier p; the new one is the last. False: there is no room for both. */
static bool halve(sab_carriers *c, int p)
{
    sab_carrier one = c->at[p], other = one;
    double d[SAB_DIM];

    find_way(c, &one, d);
    one.mass *= 0.5;
    other.mass *= 0.5;
    if (!shift(c, d, 1.0, &one) || !shift(c, d, -1.0, &other))
        return false;
    c->at[p] = one;
    c->at[c->n++] = other;
    return true;
}

/* The first of the heaviest above `limit` in the list, or -1. */
static int find_heaviest(const sab_carriers *c, int n, const int *list, double limit)
{
    int best = -1;

    for (int i = 0; i < n; i++)
        if (c->at[list[i]].mass > (best < 0 ? limit : c->at[list[best]].mass))
            best = i;
    return best;
}

sab_status sab_halves_make(sab_carriers *c, const sab_filling *fill, int per_side, int fewest,
                           int *halved, sab_error *err)
{
    const sab_mesh *mesh = c->space->mesh;
    const double parts = mesh->children * pow(per_side, mesh->cell->dim);
    sab_status status = SAB_OK;
    int *list = NULL;

    *halved = 0;
    SAB_NEW(list, fewest);
    for (int k = 0; k < fill->nparents; k++) {
        const int first = c->start[mesh->children * k];
        const double limit = 1.01 * fill->volume[k] / parts;
        int n = c->start[mesh->children * (k + 1)] - first, best, kept = n;

        if (fill->state[k] != SAB_FILLING_INSIDE || n >= fewest)
            continue;
        for (int i = 0; i < n; i++)
            list[i] = first + i;
        while (n < fewest && (best = find_heaviest(c, kept, list, limit)) >= 0) {
            SAB_TRY(sab_carriers_reserve(c, c->n + 1, err));
            if (halve(c, list[best])) {
                list[kept++] = c->n - 1;
                n++;
                ++*halved;
            } else {
                list[best] = list[--kept]; /* it stays as it is */
            }
        }
    }
    if (*halved > 0)
        sab_carriers_sort(c);
cleanup:
    SAB_FREE(list);
    return status;
}

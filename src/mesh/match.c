/* SPDX-License-Identifier: GPL-3.0-or-later */
/* match.c -- two groups of which one is the other, moved: which node goes to which.
 *
 * Equal nodes are not enough: the sides of a square cut along either diagonal have the same nodes,
 * and a function continuous across one is not continuous across the other. So sides are compared
 * too. */
#include "mesh/mesh.h"
#include "mesh/sides.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node of a group, and where it is along a direction that no mesh is aligned with. */
typedef struct entry {
    double along;
    int node;
} entry;

typedef struct side_nodes {
    const sab_mesh *mesh;
    const sab_mesh_group *group;
    int n;
    entry *sorted;              /* [n] different nodes, ascending `along`; owned */
    double barycentre[SAB_DIM]; /* of the straight sides */
    double shortest;            /* edge */
} side_nodes;

static double along(int dim, const double *x)
{
    static const double direction[SAB_DIM] = {0.6123724356957945, 0.3535533905932738,
                                              0.7071067811865476};
    double sum = 0.0;

    for (int i = 0; i < dim; i++)
        sum += direction[i] * x[i];
    return sum;
}

static int compare_entry(const void *a, const void *b)
{
    const entry *p = a, *q = b;

    return p->along != q->along ? (p->along < q->along ? -1 : 1)
                                : (p->node > q->node) - (p->node < q->node);
}

/* Length or area of a straight side by the length of the product of its edges, and its shortest
 * edge. */
static double measure(const sab_mesh *mesh, const int *node, double *shortest)
{
    const sab_cell *facet = mesh->cell->facet;
    double edge[SAB_DIM][SAB_DIM] = {{0.0}}, square[SAB_DIM] = {0.0}, dot = 0.0;

    for (int k = 0; k < facet->edges; k++) {
        const double *a = sab_mesh_x(mesh, node[facet->edge[k][0]]);
        const double *b = sab_mesh_x(mesh, node[facet->edge[k][1]]);

        for (int i = 0; i < mesh->cell->dim; i++) {
            edge[k][i] = b[i] - a[i];
            square[k] += edge[k][i] * edge[k][i];
        }
        *shortest = fmin(*shortest, sqrt(square[k]));
    }
    if (facet->edges == 1)
        return sqrt(square[0]);
    for (int i = 0; i < mesh->cell->dim; i++)
        dot += edge[0][i] * edge[1][i];
    return 0.5 * sqrt(fmax(square[0] * square[1] - dot * dot, 0.0));
}

static sab_status gather(const sab_mesh *mesh, int group, side_nodes *s, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_cell *facet = mesh->cell->facet;
    double total = 0.0;
    int n = 0;

    *s = (side_nodes){.mesh = mesh, .group = mesh->group + group, .shortest = INFINITY};
    SAB_NEW(s->sorted, facet->nodes * s->group->nfacets);
    for (int f = 0; f < s->group->nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, s->group->facet[f]);
        const double weight = measure(mesh, node, &s->shortest);

        total += weight;
        for (int a = 0; a < facet->corners; a++)
            for (int i = 0; i < mesh->cell->dim; i++)
                s->barycentre[i] += weight * sab_mesh_x(mesh, node[a])[i] / facet->corners;
        for (int a = 0; a < facet->nodes; a++)
            s->sorted[n++] = (entry){along(mesh->cell->dim, sab_mesh_x(mesh, node[a])), node[a]};
    }
    for (int i = 0; i < mesh->cell->dim; i++)
        s->barycentre[i] /= total;
    qsort(s->sorted, (size_t)n, sizeof *s->sorted, compare_entry);
    for (int k = 0; k < n; k++)
        if (s->n == 0 || s->sorted[s->n - 1].node != s->sorted[k].node)
            s->sorted[s->n++] = s->sorted[k];
cleanup:
    return status;
}

/* The node of s within `reach` of x, or -1. */
static int node_near(const side_nodes *s, const double *x, double reach)
{
    const double begin = along(s->mesh->cell->dim, x) - reach;
    int low = 0, high = s->n;

    while (low < high) {
        const int middle = low + ((high - low) >> 1);

        if (s->sorted[middle].along < begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (int k = low; k < s->n && s->sorted[k].along <= begin + reach + reach; k++) {
        const double *y = sab_mesh_x(s->mesh, s->sorted[k].node);
        double far = 0.0;

        for (int i = 0; i < s->mesh->cell->dim; i++)
            far = fmax(far, fabs(y[i] - x[i]));
        if (far <= reach)
            return s->sorted[k].node;
    }
    return -1;
}

/* Corners of a side, ascending; unused ones 0. */
typedef struct corners {
    int node[SAB_DIM], facet;
} corners;

static int compare_corners(const void *a, const void *b)
{
    return sab_compare_corners(((const corners *)a)->node, ((const corners *)b)->node);
}

/* Every side of a, carried over by `image` of its nodes, is a side of b: facet_to [sides of a]. */
static sab_status pair_sides(const side_nodes *a, const side_nodes *b, const int *image,
                             int *facet_to, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = a->mesh;
    const int n = mesh->cell->facet->corners;
    corners *side = NULL;
    char text[SAB_CORNERS_TEXT];

    SAB_NEW(side, b->group->nfacets);
    for (int f = 0; f < b->group->nfacets; f++) {
        memcpy(side[f].node, sab_mesh_facet(mesh, b->group->facet[f]), (size_t)n * sizeof(int));
        side[f].facet = b->group->facet[f];
        sab_sort_nodes(n, side[f].node);
    }
    qsort(side, (size_t)b->group->nfacets, sizeof *side, compare_corners);
    for (int f = 0; f < a->group->nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, a->group->facet[f]);
        corners key = {{0}, 0}, *found;

        for (int i = 0; i < n; i++)
            key.node[i] = image[node[i]];
        sab_sort_nodes(n, key.node);
        found = bsearch(&key, side, (size_t)b->group->nfacets, sizeof *side, compare_corners);
        if (found == NULL)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "groups '%s' and '%s' have the same nodes, moved, but not the same sides: the "
                     "one %s has no partner",
                     a->group->name, b->group->name, sab_mesh_corners(mesh, node, text));
        facet_to[f] = found->facet;
    }
cleanup:
    SAB_FREE(side);
    return status;
}

static sab_status no_partner(const side_nodes *s, const side_nodes *other, int node, int sign,
                             const double *translation, sab_error *err)
{
    const int dim = s->mesh->cell->dim;
    char from[SAB_PLACE_TEXT], to[SAB_PLACE_TEXT];
    double x[SAB_DIM];

    for (int i = 0; i < dim; i++)
        x[i] = sab_mesh_x(s->mesh, node)[i] + sign * translation[i];
    return sab_fail(err, SAB_ERR_INPUT,
                    "groups '%s' and '%s' do not match: node %d of '%s' at %s has no partner in "
                    "'%s' at %s",
                    s->group->name, other->group->name, node, s->group->name,
                    sab_place_text(dim, sab_mesh_x(s->mesh, node), from), other->group->name,
                    sab_place_text(dim, x, to));
}

/* image[node of a] = its partner in b, both ways one to one; -1 elsewhere. */
static sab_status pair_nodes(const side_nodes *a, const side_nodes *b, const double *translation,
                             int *image, sab_error *err)
{
    sab_status status = SAB_OK;
    const int dim = a->mesh->cell->dim;
    const double reach = 1e-5 * fmin(a->shortest, b->shortest);
    double x[SAB_DIM];

    for (int k = 0; k < a->mesh->nnodes; k++)
        image[k] = -1;
    for (int k = 0; k < a->n; k++) {
        const int node = a->sorted[k].node;

        for (int i = 0; i < dim; i++)
            x[i] = sab_mesh_x(a->mesh, node)[i] + translation[i];
        image[node] = node_near(b, x, reach);
        if (image[node] < 0)
            SAB_TRY(no_partner(a, b, node, 1, translation, err));
    }
    for (int k = 0; k < b->n; k++) {
        const int node = b->sorted[k].node;

        for (int i = 0; i < dim; i++)
            x[i] = sab_mesh_x(b->mesh, node)[i] - translation[i];
        if (node_near(a, x, reach) < 0)
            SAB_TRY(no_partner(b, a, node, -1, translation, err));
    }
cleanup:
    return status;
}

sab_status sab_mesh_match_groups(const sab_mesh *mesh, int a, int b, sab_match *match,
                                 sab_error *err)
{
    sab_status status = SAB_OK;
    side_nodes from = {0}, to = {0};
    int *image = NULL;

    *match = (sab_match){.nfacets = mesh->group[a].nfacets};
    if (a == b || mesh->group[a].nfacets == 0 || mesh->group[b].nfacets == 0)
        SAB_FAIL(err, SAB_ERR_INPUT, "groups '%s' and '%s' do not match: %s", mesh->group[a].name,
                 mesh->group[b].name,
                 a == b ? "a group is no partner of itself" : "one of them has no sides");
    SAB_TRY(gather(mesh, a, &from, err));
    SAB_TRY(gather(mesh, b, &to, err));
    for (int i = 0; i < mesh->cell->dim; i++)
        match->translation[i] = to.barycentre[i] - from.barycentre[i];
    SAB_NEW(image, mesh->nnodes);
    SAB_TRY(pair_nodes(&from, &to, match->translation, image, err));
    SAB_NEW(match->facet_from, match->nfacets);
    SAB_NEW(match->facet_to, match->nfacets);
    memcpy(match->facet_from, mesh->group[a].facet, (size_t)match->nfacets * sizeof(int));
    SAB_TRY(pair_sides(&from, &to, image, match->facet_to, err));
    SAB_NEW(match->from, from.n);
    SAB_NEW(match->to, from.n);
    for (int node = 0; node < mesh->nnodes; node++)
        if (image[node] >= 0) {
            match->from[match->n] = node;
            match->to[match->n++] = image[node];
        }
cleanup:
    if (status != SAB_OK)
        sab_match_destroy(match);
    SAB_FREE(image);
    SAB_FREE(from.sorted);
    SAB_FREE(to.sorted);
    return status;
}

void sab_match_destroy(sab_match *match)
{
    SAB_FREE(match->from);
    SAB_FREE(match->to);
    SAB_FREE(match->facet_from);
    SAB_FREE(match->facet_to);
    *match = (sab_match){0};
}

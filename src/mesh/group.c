/* group.c -- named groups of sides. */
#include "mesh/mesh.h"
#include "mesh/sides.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* A side asked for by its ends, low < high; `given` is its place in the request. */
typedef struct wanted {
    int low, high, given;
    int facet; /* -1 until found */
} wanted;

static int compare_ends(const wanted *a, int low, int high)
{
    if (a->low != low)
        return a->low < low ? -1 : 1;
    return a->high == high ? 0 : (a->high < high ? -1 : 1);
}

static int compare_wanted(const void *a, const void *b)
{
    const wanted *p = a, *q = b;
    const int order = compare_ends(p, q->low, q->high);

    return order != 0 ? order : (p->given < q->given ? -1 : p->given > q->given);
}

/* The first of the n sorted sides that joins nodes a and b, or NULL. */
static wanted *find_wanted(wanted *side, int n, int a, int b)
{
    const int low = a < b ? a : b, high = a < b ? b : a;
    int begin = 0, end = n;

    while (begin < end) {
        const int middle = begin + (end - begin) / 2;

        if (compare_ends(side + middle, low, high) < 0)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin < n && compare_ends(side + begin, low, high) == 0 ? side + begin : NULL;
}

/* Sort the request and drop sides given twice; *n becomes the number of different ones. */
static sab_status sort_request(const sab_mesh *mesh, const char *name, int nsides,
                               const int (*side)[2], wanted *sorted, int *n, sab_error *err)
{
    for (int i = 0; i < nsides; i++) {
        const int a = side[i][0], b = side[i][1];

        if (a < 0 || a >= mesh->nnodes || b < 0 || b >= mesh->nnodes)
            return sab_fail(err, SAB_ERR_INPUT,
                            "group '%s' uses node %d, but there are %d nodes (from 0)", name,
                            a < 0 || a >= mesh->nnodes ? a : b, mesh->nnodes);
        sorted[i] = (wanted){a < b ? a : b, a < b ? b : a, i, -1};
    }
    qsort(sorted, (size_t)nsides, sizeof *sorted, compare_wanted);
    *n = 0;
    for (int i = 0; i < nsides; i++)
        if (*n == 0 || compare_ends(sorted + *n - 1, sorted[i].low, sorted[i].high) != 0)
            sorted[(*n)++] = sorted[i];
    return SAB_OK;
}

/* Room for `more` facets; the mesh stays valid if it fails half way. */
static sab_status grow_facets(sab_mesh *mesh, int more, sab_error *err)
{
    const size_t count = (size_t)mesh->nfacets + (size_t)more;
    int *facet = sab_realloc(mesh->facet, (size_t)mesh->cell->facet->nodes * count, sizeof *facet);
    if (facet != NULL)
        mesh->facet = facet;
    int *element = sab_realloc(mesh->facet_element, count, sizeof *element);
    if (element != NULL)
        mesh->facet_element = element;
    int *side = sab_realloc(mesh->facet_side, count, sizeof *side);
    if (side != NULL)
        mesh->facet_side = side;
    bool *interior = sab_realloc(mesh->facet_interior, count, sizeof *interior);
    if (interior != NULL)
        mesh->facet_interior = interior;
    if (facet == NULL || element == NULL || side == NULL || interior == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %zu facets of the mesh", count);
    return SAB_OK;
}

/* Find the facet of each wanted side. Boundary sides, the usual case, are facets already; interior
 * ones become facets of their lower-numbered triangle, after the present ones. *nfacets is their
 * new number, for the caller to accept when all has succeeded. */
static sab_status find_facets(sab_mesh *mesh, wanted *side, int n, int *nfacets, sab_error *err)
{
    const int sides = mesh->cell->sides;
    int missing = n;

    *nfacets = mesh->nfacets;
    for (int f = 0; f < mesh->nfacets && missing > 0; f++) {
        wanted *w = find_wanted(side, n, sab_mesh_facet(mesh, f)[0], sab_mesh_facet(mesh, f)[1]);

        if (w != NULL) {
            w->facet = f;
            missing--;
        }
    }
    if (missing == 0)
        return SAB_OK;
    const sab_status status = grow_facets(mesh, missing, err);
    for (int h = 0; h < sides * mesh->nelements && status == SAB_OK && missing > 0; h++) {
        int node[SAB_SIDE_NODES];

        sab_mesh_side(mesh, h, node);
        wanted *w = find_wanted(side, n, node[0], node[1]);
        if (w == NULL || w->facet >= 0)
            continue;
        w->facet = (*nfacets)++;
        missing--;
        sab_mesh_side(mesh, h, sab_mesh_facet(mesh, w->facet));
        mesh->facet_element[w->facet] = h / sides;
        mesh->facet_side[w->facet] = h % sides;
        mesh->facet_interior[w->facet] = true;
    }
    return status;
}

sab_status sab_mesh_add_group(sab_mesh *mesh, const char *name, int tag, int nsides,
                              const int (*side)[2], sab_error *err)
{
    sab_status status = SAB_OK;
    const char *label = name != NULL ? name : "";
    wanted *sorted = NULL;
    sab_mesh_group group = {.tag = tag}, *groups = NULL;
    int *facet_of = NULL; /* by place in the request; -1 for a repeated side */
    int n = 0, nfacets = 0;

    for (int g = 0; g < mesh->ngroups; g++)
        if (strcmp(mesh->group[g].name, label) == 0 &&
            (label[0] != '\0' || mesh->group[g].tag == tag))
            return sab_fail(err, SAB_ERR_INPUT,
                            "two boundary groups are named '%s' (numbers %d and %d)", label,
                            mesh->group[g].tag, tag);
    SAB_NEW(sorted, nsides);
    SAB_NEW(facet_of, nsides);
    SAB_TRY(sort_request(mesh, label, nsides, side, sorted, &n, err));
    SAB_TRY(find_facets(mesh, sorted, n, &nfacets, err));
    for (int i = 0; i < nsides; i++)
        facet_of[i] = -1;
    for (int i = 0; i < n; i++) {
        const double *a = sab_mesh_x(mesh, sorted[i].low), *b = sab_mesh_x(mesh, sorted[i].high);

        if (sorted[i].facet < 0) {
            status = sab_fail(err, SAB_ERR_INPUT,
                              "group '%s' (number %d) has a side from (%g, %g) to (%g, %g) that is "
                              "not the side of any triangle",
                              label, tag, a[0], a[1], b[0], b[1]);
            goto cleanup;
        }
        facet_of[sorted[i].given] = sorted[i].facet;
    }
    SAB_NEW(group.facet, n);
    for (int i = 0; i < nsides; i++)
        if (facet_of[i] >= 0)
            group.facet[group.nfacets++] = facet_of[i];
    group.name = sab_strdup(label);
    groups = sab_realloc(mesh->group, (size_t)mesh->ngroups + 1, sizeof *groups);
    if (groups != NULL)
        mesh->group = groups;
    if (groups == NULL || group.name == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory for group '%s'", label);
        goto cleanup;
    }
    mesh->group[mesh->ngroups++] = group; /* from here the mesh owns its arrays */
    group.name = NULL;
    group.facet = NULL;
    mesh->nfacets = nfacets;
cleanup:
    SAB_FREE(group.name);
    SAB_FREE(group.facet);
    SAB_FREE(facet_of);
    SAB_FREE(sorted);
    return status;
}

int sab_mesh_find_group(const sab_mesh *mesh, const char *name)
{
    int tag;

    if (name[0] == '\0')
        return -1;
    for (int g = 0; g < mesh->ngroups; g++)
        if (strcmp(mesh->group[g].name, name) == 0)
            return g;
    if (sab_parse_integer(name, &tag))
        for (int g = 0; g < mesh->ngroups; g++)
            if (mesh->group[g].tag == tag)
                return g;
    return -1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group.c -- named groups of sides. */
#include "mesh/mesh.h"
#include "mesh/sides.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* A side asked for by its corners, ascending (the unused ones 0); `given` is its place in the
 * request. */
typedef struct wanted {
    int corner[SAB_DIM], given;
    int facet; /* -1 until found */
} wanted;

static int compare_wanted(const void *a, const void *b)
{
    const wanted *p = a, *q = b;
    const int order = sab_compare_corners(p->corner, q->corner);

    return order != 0 ? order : (p->given < q->given ? -1 : p->given > q->given);
}

static wanted want(const sab_mesh *mesh, const int *node, int given)
{
    wanted w = {.given = given, .facet = -1};

    memcpy(w.corner, node, (size_t)mesh->cell->facet->corners * sizeof *node);
    sab_sort_nodes(mesh->cell->facet->corners, w.corner);
    return w;
}

static int compare_key(const void *key, const void *side)
{
    return sab_compare_corners(((const wanted *)key)->corner, ((const wanted *)side)->corner);
}

/* The one of the n sorted sides that has these corners, or NULL. */
static wanted *find_wanted(const sab_mesh *mesh, wanted *side, int n, const int *node)
{
    const wanted key = want(mesh, node, 0);

    return bsearch(&key, side, (size_t)n, sizeof *side, compare_key);
}

/* Sort the request and drop sides given twice; *n becomes the number of different ones. */
static sab_status sort_request(const sab_mesh *mesh, const char *name, int nsides,
                               const int *corner, wanted *sorted, int *n, sab_error *err)
{
    const int per = mesh->cell->facet->corners;

    for (int i = 0; i < per * nsides; i++)
        if (corner[i] < 0 || corner[i] >= mesh->nnodes)
            return sab_fail(err, SAB_ERR_INPUT,
                            "group '%s' uses node %d, but there are %d nodes (from 0)", name,
                            corner[i], mesh->nnodes);
    for (int i = 0; i < nsides; i++)
        sorted[i] = want(mesh, corner + per * i, i);
    qsort(sorted, (size_t)nsides, sizeof *sorted, compare_wanted);
    *n = 0;
    for (int i = 0; i < nsides; i++)
        if (*n == 0 || sab_compare_corners(sorted[*n - 1].corner, sorted[i].corner) != 0)
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
 * ones become facets of their lower-numbered element, after the present ones. *nfacets is their
 * new number, for the caller to accept when all has succeeded. */
static sab_status find_facets(sab_mesh *mesh, wanted *side, int n, int *nfacets, sab_error *err)
{
    const int sides = mesh->cell->sides;
    int missing = n;

    *nfacets = mesh->nfacets;
    for (int f = 0; f < mesh->nfacets && missing > 0; f++) {
        wanted *w = find_wanted(mesh, side, n, sab_mesh_facet(mesh, f));

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
        wanted *w = find_wanted(mesh, side, n, node);
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
                              const int *corner, sab_error *err)
{
    sab_status status = SAB_OK;
    const char *label = name != NULL ? name : "";
    wanted *sorted = NULL;
    sab_mesh_group group = {.tag = tag}, *groups = NULL;
    int *facet_of = NULL; /* by place in the request; -1 for a repeated side */
    char text[SAB_CORNERS_TEXT];
    int n = 0, nfacets = 0;

    for (int g = 0; g < mesh->ngroups; g++)
        if (strcmp(mesh->group[g].name, label) == 0 &&
            (label[0] != '\0' || mesh->group[g].tag == tag))
            return sab_fail(err, SAB_ERR_INPUT,
                            "two boundary groups are named '%s' (numbers %d and %d)", label,
                            mesh->group[g].tag, tag);
    SAB_NEW(sorted, nsides);
    SAB_NEW(facet_of, nsides);
    SAB_TRY(sort_request(mesh, label, nsides, corner, sorted, &n, err));
    SAB_TRY(find_facets(mesh, sorted, n, &nfacets, err));
    for (int i = 0; i < nsides; i++)
        facet_of[i] = -1;
    for (int i = 0; i < n; i++) {
        if (sorted[i].facet < 0)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "group '%s' (number %d) has a side %s that is not the side of any %s", label,
                     tag, sab_mesh_corners(mesh, sorted[i].corner, text), mesh->cell->name);
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

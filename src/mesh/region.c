/* SPDX-License-Identifier: GPL-3.0-or-later */
/* region.c -- named groups of elements. */
#include "mesh/mesh.h"
#include "mesh/sides.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct known { /* an element by its corners, ascending, the unused one 0 */
    int corner[SAB_CORNERS], element;
} known;

static int compare(const void *a, const void *b)
{
    const int *p = ((const known *)a)->corner, *q = ((const known *)b)->corner;

    for (int i = 0; i < SAB_CORNERS; i++)
        if (p[i] != q[i])
            return p[i] < q[i] ? -1 : 1;
    return 0;
}

static known know(const sab_cell *cell, const int *node, int element)
{
    known k = {.element = element};

    memcpy(k.corner, node, (size_t)cell->corners * sizeof *node);
    sab_sort_nodes(cell->corners, k.corner);
    return k;
}

/* has[e] of the elements with these corners. */
static sab_status find_elements(const sab_mesh *mesh, const char *name, int n, const int *corner,
                                bool *has, sab_error *err)
{
    sab_status status = SAB_OK;
    known *all = NULL;

    SAB_NEW(all, mesh->nelements);
    for (int e = 0; e < mesh->nelements; e++)
        all[e] = know(mesh->cell, sab_mesh_element(mesh, e), e);
    qsort(all, (size_t)mesh->nelements, sizeof *all, compare);
    for (int i = 0; i < n; i++) {
        const known key = know(mesh->cell, corner + mesh->cell->corners * i, -1);
        const known *found = bsearch(&key, all, (size_t)mesh->nelements, sizeof *all, compare);

        if (found == NULL)
            SAB_FAIL(err, SAB_ERR_INPUT, "group '%s' has a %s that is not in the mesh", name,
                     mesh->cell->name);
        has[found->element] = true;
    }
cleanup:
    SAB_FREE(all);
    return status;
}

sab_status sab_mesh_add_region(sab_mesh *mesh, const char *name, int tag, int n, const int *corner,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    sab_mesh_region r = {.tag = tag};

    r.name = sab_strdup(name != NULL ? name : "");
    if (r.name == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: the name of a group");
    SAB_NEW(r.has, mesh->nelements);
    SAB_TRY(find_elements(mesh, r.name, n, corner, r.has, err));
    sab_mesh_region *more =
        sab_realloc(mesh->region, (size_t)mesh->nregions + 1, sizeof *mesh->region);
    if (more == NULL)
        SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: group '%s'", r.name);
    mesh->region = more;
    mesh->region[mesh->nregions++] = r;
    return SAB_OK;
cleanup:
    SAB_FREE(r.name);
    SAB_FREE(r.has);
    return status;
}

int sab_mesh_find_region(const sab_mesh *mesh, const char *name)
{
    char *end;
    const long tag = strtol(name, &end, 10);
    const bool plain = *name >= '0' && *name <= '9' && *end == '\0';

    for (int i = 0; i < mesh->nregions; i++)
        if (*name != '\0' && strcmp(mesh->region[i].name, name) == 0)
            return i;
    for (int i = 0; i < mesh->nregions && plain; i++)
        if (mesh->region[i].tag == tag)
            return i;
    return -1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/boundary.h"
#include "base/memory.h"
#include "base/text.h"
#include "fem/axis.h"
#include "fem/dofs.h"

#include <string.h>

/* "'wall', 'lid' and 'outlet'": the groups of a mesh for a message. */
static sab_status list_groups(const sab_mesh *mesh, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int g = 0; g < mesh->ngroups; g++) {
        const char *join = g == 0 ? "" : g + 1 < mesh->ngroups ? ", " : " and ";

        if (mesh->group[g].name[0] != '\0')
            SAB_TRY(sab_text_add(text, err, "%s'%s'", join, mesh->group[g].name));
        else
            SAB_TRY(sab_text_add(text, err, "%s%d", join, mesh->group[g].tag));
    }
cleanup:
    return status;
}

static int count_interior(const sab_mesh *mesh, int group)
{
    int n = 0;

    for (int f = 0; f < mesh->group[group].nfacets; f++)
        n += mesh->facet_interior[mesh->group[group].facet[f]];
    return n;
}

static bool have_common_node(const sab_mesh *mesh, const sab_mesh_group *a, const sab_mesh_group *b,
                             bool *of_a)
{
    bool common = false;

    const int width = mesh->cell->facet->nodes;
    for (int i = 0; i < width * a->nfacets; i++)
        of_a[sab_mesh_facet(mesh, a->facet[i / width])[i % width]] = true;
    for (int i = 0; i < width * b->nfacets; i++)
        common |= of_a[sab_mesh_facet(mesh, b->facet[i / width])[i % width]];
    return common;
}

/* `over` must name other groups, and such that it has an effect on. */
static sab_status check_over(const sab_mesh *mesh, const sab_boundary *entry, int group,
                             const char *groups, sab_error *err)
{
    sab_status status = SAB_OK;
    bool *mark = NULL;

    if (entry->nover > 0)
        SAB_NEW(mark, mesh->nnodes);
    for (int k = 0; k < entry->nover && status == SAB_OK; k++) {
        const int g = sab_mesh_find_group(mesh, entry->over[k]);

        if (g < 0)
            status = sab_fail(err, SAB_ERR_INPUT,
                              "boundaries.%s.over: the mesh has no group '%s'; it has %s",
                              entry->group, entry->over[k], groups);
        else if (g == group)
            status = sab_fail(err, SAB_ERR_INPUT,
                              "boundaries.%s.over: names the group itself; give one that it meets",
                              entry->group);
        else if (!have_common_node(mesh, &mesh->group[group], &mesh->group[g], mark))
            status = sab_fail(err, SAB_ERR_INPUT,
                              "boundaries.%s.over: the group has no node in common with '%s'; give "
                              "one that it meets",
                              entry->group, entry->over[k]);
    }
cleanup:
    SAB_FREE(mark);
    return status;
}

/* No entry is over itself by way of others: take away those that are over nobody who is left,
 * until none is; who is left then stands in a circle, or before one. */
static sab_status check_circles(const sab_mesh *mesh, int nboundaries, const sab_boundary *boundary,
                                const int *entry, sab_error *err)
{
    sab_status status = SAB_OK;
    int *next = NULL; /* [nboundaries] someone left that it is over, plus one; 0: taken away */
    int left = 0;

    SAB_NEW(next, nboundaries);
    for (int b = 0; b < nboundaries; b++)
        next[b] = b + 1;
    for (int round = 0; round < nboundaries; round++) {
        left = 0;
        for (int b = 0; b < nboundaries; b++) {
            int below = 0;

            for (int k = 0; k < boundary[b].nover && next[b] > 0; k++) {
                const int other = entry[sab_mesh_find_group(mesh, boundary[b].over[k])] - 1;

                if (next[other] > 0)
                    below = other + 1;
            }
            next[b] = below;
            if (below > 0)
                left = below;
        }
    }
    if (left > 0) {
        for (int round = 0; round < nboundaries; round++)
            left = next[left - 1]; /* now it is in the circle */
        status = sab_fail(err, SAB_ERR_INPUT,
                          "boundaries.%s.over: '%s' is in the end over '%s' as well; one of them "
                          "must give way",
                          boundary[left - 1].group, boundary[next[left - 1] - 1].group,
                          boundary[left - 1].group);
    }
cleanup:
    SAB_FREE(next);
    return status;
}

/* Mark the partners of periodic entries, which have no entry of their own. */
static sab_status find_partners(const sab_mesh *mesh, int nboundaries, const sab_boundary *boundary,
                                const int *entry, bool *partner, const char *groups, sab_error *err)
{
    for (int b = 0; b < nboundaries; b++) {
        const int g =
            boundary[b].periodic != NULL ? sab_mesh_find_group(mesh, boundary[b].periodic) : -1;

        if (boundary[b].periodic == NULL)
            continue;
        if (g < 0)
            return sab_fail(err, SAB_ERR_INPUT,
                            "boundaries.%s.periodic: the mesh has no group '%s'; it has %s",
                            boundary[b].group, boundary[b].periodic, groups);
        if (entry[g] > 0 || partner[g])
            return sab_fail(err, SAB_ERR_INPUT,
                            "boundaries.%s.periodic: '%s' has an entry of its own, or another "
                            "partner; leave it out",
                            boundary[b].group, boundary[b].periodic);
        partner[g] = true;
    }
    return SAB_OK;
}

static void find_uncovered(const sab_mesh *mesh, double axis, const bool *covered,
                           sab_boundary_report *report)
{
    const int middle = mesh->cell->facet->corners; /* of its first edge */

    for (int f = 0; f < mesh->nfacets; f++)
        if (!covered[f] && !sab_facet_on_axis(mesh, axis, f) && report->uncovered++ == 0)
            memcpy(report->place, sab_mesh_x(mesh, sab_mesh_facet(mesh, f)[middle]),
                   (size_t)mesh->cell->dim * sizeof(double));
}

/* Sides of a group that lie inside the domain: none, or all, which is a thin plate. */
static sab_status check_inside(const sab_mesh *mesh, const sab_boundary *b, int g, sab_error *err)
{
    const int inside = count_interior(mesh, g);

    if (inside == 0)
        return SAB_OK;
    if (inside < mesh->group[g].nfacets)
        return sab_fail(
            err, SAB_ERR_INPUT,
            "boundaries.%s: %d of the %d sides of this group lie inside the domain, not on "
            "its boundary: give them a group of their own",
            b->group, inside, mesh->group[g].nfacets);
    if (b->has_wall)
        return sab_fail(err, SAB_ERR_INPUT,
                        "boundaries.%s: a wall with friction needs a boundary, but this group has "
                        "sides inside the domain; give velocity or slip",
                        b->group);
    if (b->has_traction || b->has_pressure)
        return sab_fail(err, SAB_ERR_INPUT,
                        "boundaries.%s: a traction needs a boundary, but this group has sides "
                        "inside the domain",
                        b->group);
    return SAB_OK;
}

sab_status sab_boundary_match(const sab_mesh *mesh, const sab_geometry *geometry, int nboundaries,
                              const sab_boundary *boundary, int *group, sab_boundary_report *report,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    int *entry = NULL;    /* [ngroups] entry of each group, plus one */
    bool *covered = NULL; /* [nfacets] */
    bool *partner = NULL; /* [ngroups] of a periodic entry */
    sab_text groups = {0};

    *report = (sab_boundary_report){0};
    SAB_NEW(entry, mesh->ngroups);
    SAB_NEW(covered, mesh->nfacets);
    SAB_NEW(partner, mesh->ngroups);
    SAB_TRY(list_groups(mesh, &groups, err));
    for (int b = 0; b < nboundaries; b++) {
        const int g = sab_mesh_find_group(mesh, boundary[b].group);

        if (g < 0)
            SAB_FAIL(err, SAB_ERR_INPUT, "boundaries.%s: the mesh has no such group; it has %s",
                     boundary[b].group, groups.data);
        if (entry[g] > 0)
            SAB_FAIL(err, SAB_ERR_INPUT, "boundaries.%s: the same group as 'boundaries.%s'",
                     boundary[b].group, boundary[entry[g] - 1].group);
        SAB_TRY(check_inside(mesh, &boundary[b], g, err));
        entry[g] = b + 1;
        group[b] = g;
    }
    SAB_TRY(find_partners(mesh, nboundaries, boundary, entry, partner, groups.data, err));
    for (int g = 0; g < mesh->ngroups; g++) {
        if (entry[g] == 0 && !partner[g]) {
            status =
                sab_fail(err, SAB_ERR_INPUT,
                         "boundaries: group '%s' (number %d) of the mesh has no condition; the "
                         "groups are %s",
                         mesh->group[g].name, mesh->group[g].tag, groups.data);
            goto cleanup;
        }
        for (int f = 0; f < mesh->group[g].nfacets; f++)
            covered[mesh->group[g].facet[f]] = true;
    }
    find_uncovered(mesh, sab_axis_reach(mesh, geometry), covered, report);
    for (int b = 0; b < nboundaries; b++)
        SAB_TRY(check_over(mesh, &boundary[b], group[b], groups.data, err));
    SAB_TRY(check_circles(mesh, nboundaries, boundary, entry, err));
cleanup:
    sab_text_destroy(&groups);
    SAB_FREE(entry);
    SAB_FREE(covered);
    SAB_FREE(partner);
    return status;
}

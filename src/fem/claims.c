/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/claims.h"
#include "base/memory.h"
#include "fem/axis.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <string.h>

bool sab_same_wall(const double *a, const double *b)
{
    double c[SAB_DIM];

    sab_cross(a, b, c);
    return !(sab_length(c) > SAB_CORNER_SINE * (sab_length(a) * sab_length(b)));
}

double sab_off_span(int n, double direction[SAB_DIM][SAB_DIM], const double *v)
{
    double c[SAB_DIM];

    if (n == 0)
        return sab_length(v);
    sab_cross(direction[0], n == 1 ? v : direction[1], c);
    if (n == 1)
        return sab_length(c) / sab_length(direction[0]);
    return n < SAB_DIM ? fabs(sab_dot(v, c)) / sab_length(c) : 0.0;
}

/* A normal belongs to the first wall that it is near; it is a new one if it turns away from the
 * span of all by 30 degrees and more, else of the last. On surfaces inside the domain its sign
 * means nothing. */
static void add_normal(double wall[SAB_DIM][SAB_DIM], const double *normal, bool interior)
{
    int w = 0;

    while (w < SAB_DIM && sab_is_wall(wall[w]) && !sab_same_wall(wall[w], normal))
        w++;
    if (w == SAB_DIM || (w > 0 && !sab_is_wall(wall[w]) &&
                         !(sab_off_span(w, wall, normal) > SAB_CORNER_SINE * sab_length(normal))))
        w--;
    const double sign = interior && sab_dot(wall[w], normal) < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < SAB_DIM; i++)
        wall[w][i] += sign * normal[i];
}

/* The claim of an entry on a place; a new one is put before those of later entries. */
static sab_claim *claim_on(sab_claims *c, int place, int entry)
{
    const int first = c->first[place];

    if (first > 0 && c->claim[first - 1].entry == entry)
        return &c->claim[first - 1];
    c->claim[c->n] = (sab_claim){.entry = entry, .next = first};
    c->first[place] = ++c->n;
    return &c->claim[c->n - 1];
}

/* Area of a side, shared among its nodes: on a line as its lumped P2 mass is, 1/6 and 4/6, on a
 * triangle, where that has nothing for corners, 1/12 and 1/4 (4.8). The factor r about an axis is
 * common to all entries of a node. */
static double part_of_side(const sab_cell *side, int a)
{
    if (side == &sab_cell_line)
        return a < side->corners ? 1.0 / 6.0 : 4.0 / 6.0;
    return a < side->corners ? 1.0 / 12.0 : 1.0 / 4.0;
}

/* In the plane the consistent normals int phi n of a slip wall, so that no volume flows through the
 * discrete wall; on an axis, where int phi r vanishes, without the factor r (4.7). Returns the area
 * of the side. */
static double integrate_normals(const sab_claims *c, const sab_mesh *mesh,
                                const sab_geometry *geometry, int facet,
                                double normal[SAB_SIDE_NODES][SAB_DIM])
{
    const sab_quadrature *rule = sab_side_rule(mesh->cell);
    const int *node = sab_mesh_facet(mesh, facet);
    double area = 0.0;

    for (int q = 0; q < rule->n; q++) {
        sab_p2_side p;

        sab_p2_side_at(mesh, facet, rule->xi[q], &p);
        const double w = rule->weight[q], measured = w * geometry->measure(p.x);
        area += w * p.ds;
        for (int a = 0; a < mesh->cell->facet->nodes; a++)
            for (int i = 0; i < mesh->cell->dim; i++)
                normal[a][i] += (sab_on_axis(mesh, c->axis, node[a]) ? w : measured) * p.value[a] *
                                p.normal_ds[i];
    }
    return area;
}

/* In space the normals of the surface itself, n dS at the nodes: int phi vanishes at the corners of
 * flat triangles, and where they are curved these let less through (4.7). */
static void normals_at_nodes(const sab_mesh *mesh, int facet,
                             double normal[SAB_SIDE_NODES][SAB_DIM])
{
    const sab_cell *side = mesh->cell->facet;

    for (int a = 0; a < side->nodes; a++) {
        const int *end = a < side->corners ? (const int[]){a, a} : side->edge[a - side->corners];
        double xi[SAB_DIM] = {0.0};
        sab_p2_side p;

        for (int i = 0; i < side->dim; i++) /* corner k is 1 on axis k - 1 */
            xi[i] = 0.5 * ((end[0] == i + 1) + (end[1] == i + 1));
        sab_p2_side_at(mesh, facet, xi, &p);
        memcpy(normal[a], p.normal_ds, sizeof p.normal_ds);
    }
}

static void claim_side(sab_claims *c, const sab_mesh *mesh, const sab_geometry *geometry, int facet,
                       int entry, const sab_boundary *boundary)
{
    const sab_cell *side = mesh->cell->facet;
    double normal[SAB_SIDE_NODES][SAB_DIM] = {{0.0}};
    const double area = integrate_normals(c, mesh, geometry, facet, normal);

    if (side != &sab_cell_line)
        normals_at_nodes(mesh, facet, normal);
    for (int a = 0; a < side->nodes; a++) {
        sab_claim *claim = claim_on(c, sab_mesh_facet(mesh, facet)[a], entry);

        claim->size += part_of_side(side, a) * area;
        /* on an axis a wall has no area, and no friction */
        const bool held =
            boundary->slip ||
            (boundary->has_wall && sab_on_axis(mesh, c->axis, sab_mesh_facet(mesh, facet)[a]));
        if (held || boundary->has_wall)
            add_normal(held ? claim->wall : claim->friction, normal[a],
                       mesh->facet_interior[facet]);
    }
}

static sab_status evaluate_velocities(sab_claims *c, const sab_mesh *mesh,
                                      const sab_boundary *boundary, double t, sab_error *err)
{
    const int dim = mesh->cell->dim;
    sab_status status = SAB_OK;

    for (int node = 0; node < mesh->nnodes; node++) {
        int n = 0;

        for (int k = c->first[node]; k > 0; k = c->claim[k - 1].next) {
            sab_claim *claim = &c->claim[k - 1];
            const sab_boundary *entry = &boundary[claim->entry];
            const sab_vars at = sab_vars_at(dim, sab_mesh_x(mesh, node), t);

            for (int i = 0; i < dim; i++)
                if (entry->has_velocity && entry->prescribed[i])
                    SAB_TRY(sab_function_at(&entry->velocity[i], &at, &claim->velocity[i], err));
            c->speed = fmax(c->speed, sab_length(claim->velocity));
            c->most = ++n > c->most ? n : c->most;
        }
    }
cleanup:
    return status;
}

sab_status sab_claims_create(const sab_mesh *mesh, const sab_geometry *geometry, int faces,
                             int nboundaries, const sab_boundary *boundary, const int *group,
                             double t, sab_claims **claims, sab_error *err)
{
    const int nodes = mesh->cell->facet->nodes, sides = mesh->cell->sides;
    sab_status status = SAB_OK;
    sab_claims *c = NULL;
    size_t most = 0;

    *claims = NULL;
    for (int b = 0; b < nboundaries; b++)
        most += (size_t)(nodes + (faces > 0)) * (size_t)mesh->group[group[b]].nfacets;
    SAB_NEW(c, 1);
    SAB_NEW(c->first, mesh->nnodes + faces);
    SAB_NEW(c->claim, most);
    c->axis = sab_axis_reach(mesh, geometry);
    for (int b = nboundaries - 1; b >= 0; b--)
        for (int f = 0; f < mesh->group[group[b]].nfacets; f++) {
            const int facet = mesh->group[group[b]].facet[f];
            const int side = sides * mesh->facet_element[facet] + mesh->facet_side[facet];

            claim_side(c, mesh, geometry, facet, b, &boundary[b]);
            if (faces > 0)
                claim_on(c, mesh->nnodes + mesh->side[side], b);
        }
    SAB_TRY(evaluate_velocities(c, mesh, boundary, t, err));
    *claims = c;
    c = NULL;
cleanup:
    sab_claims_destroy(&c);
    return status;
}

void sab_claims_destroy(sab_claims **claims)
{
    if (*claims != NULL) {
        SAB_FREE((*claims)->first);
        SAB_FREE((*claims)->claim);
        SAB_FREE(*claims);
    }
}

#include "fem/claims.h"
#include "base/memory.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <math.h>

void sab_claim_add_normal(double wall[2][2], const double normal[2])
{
    const double *a = wall[0];
    const double size = hypot(a[0], a[1]) * hypot(normal[0], normal[1]);
    const double sine = a[0] * normal[1] - a[1] * normal[0];
    double *to = wall[fabs(sine) > SAB_CORNER_SINE * size ? 1 : 0];

    to[0] += normal[0];
    to[1] += normal[1];
}

/* The claim of an entry on a node; a new one is put before those of later entries. */
static sab_claim *claim_on(sab_claims *c, int node, int entry)
{
    const int first = c->first[node];

    if (first > 0 && c->claim[first - 1].entry == entry)
        return &c->claim[first - 1];
    c->claim[c->n] = (sab_claim){.entry = entry, .next = first};
    c->first[node] = ++c->n;
    return &c->claim[c->n - 1];
}

/* Length of a side, shared among its nodes as its lumped P2 mass is (4.8); the consistent normals
 * int phi n of a slip wall, so that no volume flows through the discrete wall (4.7). */
static void claim_side(sab_claims *c, const sab_mesh *mesh, const sab_geometry *geometry, int facet,
                       int entry, bool slip)
{
    static const double lumped[] = {1.0 / 6.0, 1.0 / 6.0, 4.0 / 6.0};
    const int nodes = mesh->cell->facet->nodes;
    double normal[SAB_SIDE_NODES][2] = {{0.0}}, length = 0.0;

    for (int q = 0; q < sab_line_degree7.n; q++) {
        sab_p2_side p;

        sab_p2_side_at(mesh, facet, sab_line_degree7.xi[q], &p);
        const double w = sab_line_degree7.weight[q] * geometry->measure(p.x);
        length += w * hypot(p.normal_ds[0], p.normal_ds[1]);
        for (int a = 0; a < nodes; a++)
            for (int i = 0; i < 2; i++)
                normal[a][i] += w * p.value[a] * p.normal_ds[i];
    }
    for (int a = 0; a < nodes; a++) {
        sab_claim *claim = claim_on(c, sab_mesh_facet(mesh, facet)[a], entry);

        claim->size += lumped[a] * length;
        if (slip)
            sab_claim_add_normal(claim->wall, normal[a]);
    }
}

static sab_status evaluate_velocities(sab_claims *c, const sab_mesh *mesh,
                                      const sab_boundary *boundary, double t, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int node = 0; node < mesh->nnodes; node++)
        for (int k = c->first[node]; k > 0; k = c->claim[k - 1].next) {
            sab_claim *claim = &c->claim[k - 1];
            const sab_boundary *entry = &boundary[claim->entry];
            const sab_vars at = {.x = mesh->x[2 * node], .y = mesh->x[2 * node + 1], .t = t};

            for (int i = 0; i < 2; i++)
                if (entry->has_velocity && entry->prescribed[i])
                    SAB_TRY(sab_function_at(&entry->velocity[i], &at, &claim->velocity[i], err));
            c->speed = fmax(c->speed, hypot(claim->velocity[0], claim->velocity[1]));
        }
cleanup:
    return status;
}

sab_status sab_claims_create(const sab_mesh *mesh, const sab_geometry *geometry, int nboundaries,
                             const sab_boundary *boundary, const int *group, double t,
                             sab_claims **claims, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_claims *c = NULL;
    size_t most = 0;

    *claims = NULL;
    for (int b = 0; b < nboundaries; b++)
        most += (size_t)mesh->cell->facet->nodes * (size_t)mesh->group[group[b]].nfacets;
    SAB_NEW(c, 1);
    SAB_NEW(c->first, mesh->nnodes);
    SAB_NEW(c->claim, most);
    for (int b = nboundaries - 1; b >= 0; b--)
        for (int f = 0; f < mesh->group[group[b]].nfacets; f++)
            claim_side(c, mesh, geometry, mesh->group[group[b]].facet[f], b, boundary[b].slip);
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

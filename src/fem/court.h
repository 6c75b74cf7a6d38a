/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/court.h -- what settling a node needs; of fem/settle.c and fem/sharing.c only. */
#ifndef SAB_FEM_COURT_H
#define SAB_FEM_COURT_H

#include "fem/axis.h"
#include "fem/claims.h"

#include <stddef.h>

/* Two directions with a smaller sine are the same: rounding of the places of nodes. */
#define SAB_ALONG 1e-6

/* What is prescribed at one node: up to dim directions with the velocity along them. */
typedef struct hold {
    int n, given; /* directions, and how many of them velocities or an axis give; the others are
                     slip walls */
    double direction[SAB_DIM][SAB_DIM]; /* unit */
    double value[SAB_DIM];
} hold;

/* All that is needed to settle who holds a node. */
typedef struct court {
    const sab_mesh *mesh;
    const sab_boundary *boundary;
    const int *group;
    const sab_claims *claims;
    double still; /* a slower velocity is rest */
    sab_dofs *dofs;
    /* workspace: the normals of all claims on a node, and the wall each of them belongs to */
    double (*normal)[SAB_DIM];
    int *part;
} court;

/* The claims on a node, one after the other. */
static inline const sab_claim *first_claim(const court *c, int node)
{
    const int k = c->claims->first[node];

    return k > 0 ? &c->claims->claim[k - 1] : NULL;
}

static inline const sab_claim *next_claim(const court *c, const sab_claim *claim)
{
    return claim->next > 0 ? &c->claims->claim[claim->next - 1] : NULL;
}

static inline bool prescribes(const court *c, const sab_claim *claim, int i)
{
    const sab_boundary *b = &c->boundary[claim->entry];

    return b->has_velocity && b->prescribed[i];
}

/* Does another entry at this node say `over` to the one of the claim? */
static inline bool is_overruled(const court *c, int node, const sab_claim *claim)
{
    for (const sab_claim *by = first_claim(c, node); by != NULL; by = next_claim(c, by)) {
        const sab_boundary *b = &c->boundary[by->entry];

        for (int k = 0; k < b->nover && by != claim; k++)
            if (sab_mesh_find_group(c->mesh, b->over[k]) == c->group[claim->entry])
                return true;
    }
    return false;
}

static inline bool is_at_rest(const court *c, const sab_claim *claim)
{
    return sab_length(claim->velocity) <= c->still;
}

static inline bool is_on_axis(const court *c, int node)
{
    return sab_on_axis(c->mesh, c->claims->axis, node);
}

/* Is the normal of a slip wall that of a wall with friction, too, which ranks before it? */
static inline bool has_friction(const court *c, int node, const double *normal)
{
    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k))
        for (int w = 0; w < SAB_DIM; w++)
            if (sab_is_wall(k->friction[w]) && sab_same_wall(k->friction[w], normal) &&
                !is_overruled(c, node, k))
                return true;
    return false;
}

/* sharing.c -- does the velocity that others give a node lead through a slip wall of this claim? */
bool sab_court_crossed(const court *c, int node, hold *h, const sab_claim *claim);
/* Who carries the reaction of a node whose frame is set: its owner and its shares. */
void sab_court_share(const court *c, int node, hold *h);

#endif

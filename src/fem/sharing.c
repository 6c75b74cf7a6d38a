/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/sharing.c -- who carries the reaction of a node that boundary entries share
 * [docs/theory.md, 4.8]. */
#include "fem/court.h"

#include <string.h>

/* The velocity of a node as far as it is held, along the axes. */
static void held_velocity(const court *c, int node, double u[SAB_DIM])
{
    const int dim = c->dofs->dim;
    const double *f = c->dofs->frame + dim * dim * node, *v = c->dofs->value + dim * node;

    memset(u, 0, SAB_DIM * sizeof *u);
    for (int k = 0; k < dim; k++)
        for (int i = 0; i < dim; i++)
            u[i] += f[dim * k + i] * v[k];
}

bool sab_court_crossed(const court *c, int node, hold *h, const sab_claim *claim)
{
    double u[SAB_DIM];

    held_velocity(c, node, u);
    for (int w = 0; w < SAB_DIM && sab_is_wall(claim->wall[w]); w++) {
        const double size = sab_length(claim->wall[w]);

        if (sab_off_span(h->given, h->direction, claim->wall[w]) <= SAB_ALONG * size &&
            fabs(sab_dot(u, claim->wall[w])) > c->still * size)
            return true;
    }
    return false;
}

/* Add a direction to a list of independent ones. */
static void add_direction(double list[SAB_DIM][SAB_DIM], int *n, const double *direction)
{
    if (sab_off_span(*n, list, direction) > SAB_ALONG * sab_length(direction))
        memcpy(list[(*n)++], direction, sizeof *list);
}

/* P on the span of n independent directions. */
static void project_on(int dim, int n, double list[SAB_DIM][SAB_DIM], double P[SAB_DIM][SAB_DIM])
{
    double normal[SAB_DIM] = {0.0}; /* of the span, or its only direction */
    const bool line = n == 1;

    if (line)
        memcpy(normal, list[0], sizeof normal);
    else if (n < dim)
        sab_cross(list[0], list[1], normal);
    const double square = sab_dot(normal, normal);

    for (int i = 0; i < SAB_DIM; i++)
        for (int j = 0; j < SAB_DIM; j++) {
            const double along = n < dim ? normal[i] * normal[j] / square : 0.0;

            P[i][j] = line ? along : (i == j) - along;
        }
}

/* P_e of the claim: on the directions in which the entry holds the node, alone or with others, and
 * on those that no entry holds. The identity where there is one direction, or none; returns false
 * if the entry holds nothing, where another does [docs/theory.md, 4.8]. */
static bool project(const court *c, int node, hold *h, const sab_claim *claim,
                    double P[SAB_DIM][SAB_DIM])
{
    static const double axes[SAB_DIM][SAB_DIM] = {
        {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    const int dim = c->dofs->dim;
    const bool silent = is_overruled(c, node, claim);
    bool holds = h->n == 0;
    double list[SAB_DIM][SAB_DIM], u[SAB_DIM];
    int n = 0;

    held_velocity(c, node, u);
    if (is_on_axis(c, node))
        add_direction(list, &n, axes[0]);
    for (int k = h->n; k < dim; k++) { /* free */
        double f[SAB_DIM] = {0.0};

        memcpy(f, c->dofs->frame + dim * (dim * node + k), (size_t)dim * sizeof *f);
        add_direction(list, &n, f);
    }
    for (int w = 0; w < SAB_DIM && sab_is_wall(claim->wall[0]) && !silent; w++)
        if (!sab_court_crossed(c, node, h, claim) && sab_is_wall(claim->wall[w]) &&
            !has_friction(c, node, claim->wall[w])) {
            add_direction(list, &n, claim->wall[w]);
            holds = true;
        }
    for (int i = 0; i < dim && !silent; i++)
        if (prescribes(c, claim, i) && fabs(claim->velocity[i] - u[i]) <= c->still) {
            add_direction(list, &n, axes[i]);
            holds = true;
        }
    if (holds)
        project_on(dim, h->n <= 1 ? dim : n, list, P);
    return holds;
}

/* inverse = M^-1 by cofactors; in the plane the last row and column of M are those of 1. */
static void invert(double M[SAB_DIM][SAB_DIM], double inverse[SAB_DIM][SAB_DIM])
{
    double cofactor[SAB_DIM][SAB_DIM];

    for (int i = 0; i < SAB_DIM; i++)
        sab_cross(M[(i + 1) % SAB_DIM], M[(i + 2) % SAB_DIM], cofactor[i]);
    const double det = sab_dot(M[0], cofactor[0]);
    for (int i = 0; i < SAB_DIM; i++)
        for (int j = 0; j < SAB_DIM; j++)
            inverse[i][j] = cofactor[j][i] / det;
}

/* R the reaction: R_e = w_e P_e mu with (sum w_e P_e) mu = R, w_e the parts
 * of the boundary [docs/theory.md, 4.8]. */
void sab_court_share(const court *c, int node, hold *h)
{
    double M[SAB_DIM][SAB_DIM] = {{0.0}}, inverse[SAB_DIM][SAB_DIM], P[SAB_DIM][SAB_DIM];
    sab_dofs *d = c->dofs;
    int sharers = 0;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        if (!project(c, node, h, k, P))
            continue;
        for (int i = 0; i < d->dim; i++)
            for (int j = 0; j < d->dim; j++)
                M[i][j] += k->size * P[i][j];
        d->owner[node] = h->n == 0 ? SAB_NOBODY : sharers == 0 ? k->entry : SAB_SEVERAL;
        sharers++;
    }
    if (sharers <= 1)
        return;
    for (int i = d->dim; i < SAB_DIM; i++)
        M[i][i] = 1.0;
    invert(M, inverse);
    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        sab_share *share = &d->share[d->nshares];

        if (!project(c, node, h, k, P))
            continue;
        *share = (sab_share){.node = node, .entry = k->entry};
        for (int i = 0; i < d->dim; i++)
            for (int j = 0; j < d->dim; j++) {
                for (int m = 0; m < d->dim; m++)
                    share->part[i][j] += P[i][m] * inverse[m][j];
                share->part[i][j] *= k->size;
            }
        d->nshares++;
    }
}

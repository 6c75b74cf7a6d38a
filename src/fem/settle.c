/* fem/settle.c -- who holds a node that boundary entries share, and who carries its reaction
 * [docs/theory.md, 4.7 and 4.8]. */
#include "base/memory.h"
#include "fem/claims.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Velocities that differ by less than this part of the largest one are the same: a formula on one
 * side of a corner, a number on the other. */
static const double SAME = 1e-8;

/* What is prescribed at one node: up to two directions with the velocity along them. */
typedef struct hold {
    int n, given; /* directions, and how many of them velocities give; the others are slip walls */
    double direction[2][2]; /* unit */
    double value[2];
} hold;

/* All that is needed to settle who holds a node. */
typedef struct court {
    const sab_mesh *mesh;
    const sab_boundary *boundary;
    const int *group;
    const sab_claims *claims;
    double still; /* a slower velocity is rest */
    sab_dofs *dofs;
} court;

/* The claims on a node, one after the other. */
static const sab_claim *first_claim(const court *c, int node)
{
    const int k = c->claims->first[node];

    return k > 0 ? &c->claims->claim[k - 1] : NULL;
}

static const sab_claim *next_claim(const court *c, const sab_claim *claim)
{
    return claim->next > 0 ? &c->claims->claim[claim->next - 1] : NULL;
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

static bool prescribes(const court *c, const sab_claim *claim, int i)
{
    const sab_boundary *b = &c->boundary[claim->entry];

    return b->has_velocity && b->prescribed[i];
}

static bool is_wall(const double wall[2])
{
    return wall[0] != 0.0 || wall[1] != 0.0;
}

/* Does another entry at this node say `over` to the one of the claim? */
static bool is_overruled(const court *c, int node, const sab_claim *claim)
{
    for (const sab_claim *by = first_claim(c, node); by != NULL; by = next_claim(c, by)) {
        const sab_boundary *b = &c->boundary[by->entry];

        for (int k = 0; k < b->nover && by != claim; k++)
            if (sab_mesh_find_group(c->mesh, b->over[k]) == c->group[claim->entry])
                return true;
    }
    return false;
}

static bool is_at_rest(const court *c, const sab_claim *claim)
{
    return hypot(claim->velocity[0], claim->velocity[1]) <= c->still;
}

/* "(1, free)" */
typedef struct velocity_text {
    char text[80];
} velocity_text;

static velocity_text text_of(const court *c, const sab_claim *claim)
{
    char part[2][32] = {"free", "free"};
    velocity_text v;

    for (int i = 0; i < 2; i++)
        if (prescribes(c, claim, i))
            snprintf(part[i], sizeof part[i], "%g", claim->velocity[i]);
    snprintf(v.text, sizeof v.text, "(%s, %s)", part[0], part[1]);
    return v;
}

static sab_status fail_moving(const court *c, int node, const sab_claim *a, const sab_claim *b,
                              sab_error *err)
{
    const char *one = c->boundary[a->entry].group, *other = c->boundary[b->entry].group;

    return sab_fail(err, SAB_ERR_INPUT,
                    "boundaries.%s: moves with %s at (%g, %g), a node that it shares with "
                    "'boundaries.%s', which moves with %s; say which one holds there: over: %s "
                    "here, or over: %s there",
                    one, text_of(c, a).text, c->mesh->x[2 * node], c->mesh->x[2 * node + 1], other,
                    text_of(c, b).text, other, one);
}

/* Remember, for people, that a velocity gave way at a node. */
static sab_status add_concession(const court *c, int node, int holder, int other, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_dofs *d = c->dofs;
    sab_concession *grown;

    for (int k = 0; k < d->nconcessions; k++)
        if (d->concession[k].holder == holder && d->concession[k].other == other) {
            d->concession[k].nodes++;
            return SAB_OK;
        }
    grown = sab_realloc(d->concession, (size_t)d->nconcessions + 1, sizeof *grown);
    if (grown == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %d shared nodes", d->nconcessions);
    d->concession = grown;
    grown[d->nconcessions] = (sab_concession){.holder = holder, .other = other, .nodes = 1};
    memcpy(grown[d->nconcessions++].place, c->mesh->x + 2 * node, 2 * sizeof(double));
    return status;
}

/* The claim that gives component i: one at rest, or else the slowest, so that the choice does not
 * depend on the order. */
static const sab_claim *find_holder(const court *c, int node, int i)
{
    const sab_claim *best = NULL;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        if (!prescribes(c, k, i) || is_overruled(c, node, k))
            continue;
        if (best == NULL || is_at_rest(c, k) > is_at_rest(c, best) ||
            (is_at_rest(c, k) == is_at_rest(c, best) &&
             fabs(k->velocity[i]) < fabs(best->velocity[i])))
            best = k;
    }
    return best;
}

/* Component by component: entries that agree, or rest against motion, which rest wins; two motions
 * are an error. */
static sab_status settle_velocity(const court *c, int node, hold *h, sab_error *err)
{
    const sab_claim *holder[2] = {find_holder(c, node, 0), find_holder(c, node, 1)};
    sab_status status = SAB_OK;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        const sab_claim *conceded = NULL;

        for (int i = 0; i < 2; i++) {
            if (holder[i] == NULL || !prescribes(c, k, i) || is_overruled(c, node, k) ||
                fabs(k->velocity[i] - holder[i]->velocity[i]) <= c->still)
                continue;
            if (!is_at_rest(c, holder[i]))
                return fail_moving(c, node, holder[i]->entry < k->entry ? holder[i] : k,
                                   holder[i]->entry < k->entry ? k : holder[i], err);
            conceded = holder[i];
        }
        if (conceded != NULL)
            SAB_TRY(add_concession(c, node, conceded->entry, k->entry, err));
    }
    for (int i = 0; i < 2; i++)
        if (holder[i] != NULL) {
            h->direction[h->n][i] = 1.0;
            h->value[h->n++] = holder[i]->velocity[i];
        }
cleanup:
    return status;
}

/* Slip: the walls of all entries together, since no volume is to pass through any of them; where
 * velocities leave a direction, the wall that is farthest from theirs. */
static void settle_slip(const court *c, int node, hold *h)
{
    double wall[2][2] = {{0.0}};

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k))
        for (int w = 0; w < 2; w++)
            if (is_wall(k->wall[w]) && !is_overruled(c, node, k))
                sab_claim_add_normal(wall, k->wall[w]);
    for (int w = 0; w < 2; w++) {
        const double size = hypot(wall[w][0], wall[w][1]);

        for (int i = 0; i < 2 && size > 0.0; i++)
            wall[w][i] /= size;
    }
    if (h->n == 1) {
        const double *v = h->direction[0];
        const int far = fabs(cross(v, wall[1])) > fabs(cross(v, wall[0]));

        if (fabs(cross(v, wall[far])) > SAB_CORNER_SINE)
            memcpy(h->direction[h->n++], wall[far], sizeof wall[far]);
    } else if (h->n == 0) {
        for (int w = 0; w < 2 && is_wall(wall[w]); w++)
            memcpy(h->direction[h->n++], wall[w], sizeof wall[w]);
    }
}

/* The frame of a node: its first direction n, and t _|_ n. A second direction d with d.u = v gives
 * t.u = (v - (d.n) u_n) / (d.t). */
static void set_frame(sab_dofs *dofs, int node, const hold *h)
{
    const double *n = h->direction[0], *d = h->direction[1];
    const double t[2] = {-n[1], n[0]};

    if (h->n == 0)
        return; /* the axes */
    memcpy(dofs->frame + 4 * node, (double[4]){n[0], n[1], t[0], t[1]}, 4 * sizeof(double));
    dofs->number[2 * node] = -1;
    dofs->value[2 * node] = h->value[0];
    if (h->n == 2) {
        dofs->number[2 * node + 1] = -1;
        dofs->value[2 * node + 1] =
            (h->value[1] - (d[0] * n[0] + d[1] * n[1]) * h->value[0]) / (d[0] * t[0] + d[1] * t[1]);
    }
}

/* The velocity of a node as far as it is held, along the axes. */
static void held_velocity(const court *c, int node, double u[2])
{
    const double *f = c->dofs->frame + 4 * node, *v = c->dofs->value + 2 * node;

    for (int i = 0; i < 2; i++)
        u[i] = f[i] * v[0] + f[2 + i] * v[1];
}

/* Does the velocity that others give a node lead through the slip wall of this claim? */
static bool is_crossed(const court *c, int node, const hold *h, const sab_claim *claim)
{
    double u[2];

    held_velocity(c, node, u);
    for (int w = 0; w < 2 && h->given == 2; w++)
        if (fabs(u[0] * claim->wall[w][0] + u[1] * claim->wall[w][1]) >
            c->still * hypot(claim->wall[w][0], claim->wall[w][1]))
            return true;
    return false;
}

static sab_status note_crossed_walls(const court *c, int node, const hold *h, sab_error *err)
{
    sab_status status = SAB_OK;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        if (!is_crossed(c, node, h, k) || is_overruled(c, node, k))
            continue;
        for (const sab_claim *by = first_claim(c, node); by != NULL; by = next_claim(c, by))
            if (!is_at_rest(c, by) && !is_overruled(c, node, by))
                SAB_TRY(add_concession(c, node, by->entry, k->entry, err));
    }
cleanup:
    return status;
}

/* P_e of the claim: on the directions in which the entry holds the node, alone or with others. The
 * identity where there is one direction, or none; *holds is false if the entry holds nothing, where
 * another does [docs/theory.md, 4.8]. */
static void project(const court *c, int node, const hold *h, const sab_claim *claim, double P[2][2],
                    bool *holds)
{
    const double *n = claim->wall[0], square = n[0] * n[0] + n[1] * n[1];
    const bool corner = is_wall(claim->wall[1]), silent = is_overruled(c, node, claim);
    double u[2];

    *holds = h->n == 0;
    held_velocity(c, node, u);
    for (int i = 0; i < 4; i++)
        P[i / 2][i % 2] = 0.0;
    if (is_wall(n) && !silent && !is_crossed(c, node, h, claim)) {
        for (int i = 0; i < 4; i++)
            P[i / 2][i % 2] = corner ? i % 3 == 0 : n[i / 2] * n[i % 2] / square;
        *holds = true;
    }
    for (int i = 0; i < 2; i++)
        if (prescribes(c, claim, i) && !silent && fabs(claim->velocity[i] - u[i]) <= c->still) {
            P[i][i] = 1.0;
            *holds = true;
        }
    for (int i = 0; i < 4 && h->n < 2; i++)
        P[i / 2][i % 2] = i % 3 == 0;
}

/* Who carries the reaction R of a node: R_e = w_e P_e mu with (sum w_e P_e) mu = R, w_e the parts
 * of the boundary [docs/theory.md, 4.8]. */
static void share_reaction(const court *c, int node, const hold *h)
{
    double M[2][2] = {{0.0}}, P[2][2];
    sab_dofs *d = c->dofs;
    int sharers = 0;
    bool holds;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        project(c, node, h, k, P, &holds);
        if (!holds)
            continue;
        for (int i = 0; i < 4; i++)
            M[i / 2][i % 2] += k->size * P[i / 2][i % 2];
        d->owner[node] = h->n == 0 ? SAB_NOBODY : sharers == 0 ? k->entry : SAB_SEVERAL;
        sharers++;
    }
    if (sharers == 1)
        return;
    const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
    const double inverse[2][2] = {{M[1][1] / det, -M[0][1] / det}, {-M[1][0] / det, M[0][0] / det}};

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        sab_share *share = &d->share[d->nshares];

        project(c, node, h, k, P, &holds);
        if (!holds)
            continue;
        *share = (sab_share){.node = node, .entry = k->entry};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                share->part[i][j] = k->size * (P[i][0] * inverse[0][j] + P[i][1] * inverse[1][j]);
        d->nshares++;
    }
}

sab_status sab_claims_settle(const sab_claims *claims, const sab_mesh *mesh,
                             const sab_boundary *boundary, const int *group, sab_dofs *dofs,
                             sab_error *err)
{
    const court c = {mesh, boundary, group, claims, SAME * claims->speed, dofs};
    sab_status status = SAB_OK;

    for (int node = 0; node < mesh->nnodes; node++) {
        hold h = {0};

        if (claims->first[node] == 0)
            continue;
        SAB_TRY(settle_velocity(&c, node, &h, err));
        h.given = h.n;
        settle_slip(&c, node, &h);
        set_frame(dofs, node, &h);
        SAB_TRY(note_crossed_walls(&c, node, &h, err));
        share_reaction(&c, node, &h);
    }
cleanup:
    return status;
}

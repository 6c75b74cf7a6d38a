/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/settle.c -- who holds a node that boundary entries share [docs/theory.md, 4.7]. */
#include "base/memory.h"
#include "fem/court.h"
#include "fem/p2.h"

#include <stdio.h>
#include <string.h>

/* Velocities that differ by less than this part of the largest one are the same: a formula on one
 * side of a corner, a number on the other. */
static const double SAME = 1e-8;

/* "(1, free)" */
typedef struct velocity_text {
    char text[SAB_PLACE_TEXT];
} velocity_text;

static velocity_text text_of(const court *c, const sab_claim *claim)
{
    velocity_text v;
    int used = 0;

    for (int i = 0; i < c->dofs->dim; i++) {
        char part[32] = "free";

        if (prescribes(c, claim, i))
            snprintf(part, sizeof part, "%g", claim->velocity[i]);
        used += snprintf(v.text + used, sizeof v.text - (size_t)used, "%s%s", i == 0 ? "(" : ", ",
                         part);
    }
    snprintf(v.text + used, sizeof v.text - (size_t)used, ")");
    return v;
}

static sab_status fail_moving(const court *c, int node, const sab_claim *a, const sab_claim *b,
                              sab_error *err)
{
    const char *one = c->boundary[a->entry].group, *other = c->boundary[b->entry].group;
    char place[SAB_PLACE_TEXT];

    return sab_fail(err, SAB_ERR_INPUT,
                    "boundaries.%s: moves with %s at %s, a node that it shares with "
                    "'boundaries.%s', which moves with %s; say which one holds there: over: %s "
                    "here, or over: %s there",
                    one, text_of(c, a).text,
                    sab_place_text(c->dofs->dim, sab_mesh_x(c->mesh, node), place), other,
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
    memcpy(grown[d->nconcessions++].place, sab_mesh_x(c->mesh, node),
           (size_t)d->dim * sizeof(double));
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

/* On an axis u_r = 0, whatever entries say; but they should not say something else. */
static sab_status check_axis(const court *c, int node, sab_error *err)
{
    char place[SAB_PLACE_TEXT];

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k))
        if (prescribes(c, k, 0) && !is_overruled(c, node, k) && fabs(k->velocity[0]) > c->still)
            return sab_fail(err, SAB_ERR_INPUT,
                            "boundaries.%s: moves with %s at %s, on the axis, where the radial "
                            "velocity is 0; give one that vanishes there, or slip: true",
                            c->boundary[k->entry].group, text_of(c, k).text,
                            sab_place_text(c->dofs->dim, sab_mesh_x(c->mesh, node), place));
    return SAB_OK;
}

/* One claim against those that hold the components: it agrees with them, or moves where they are at
 * rest, which it concedes. Two motions are an error. */
static sab_status settle_claim(const court *c, int node, const sab_claim *k,
                               const sab_claim *const *holder, sab_error *err)
{
    const sab_claim *conceded = NULL;

    for (int i = 0; i < c->dofs->dim; i++) {
        if (holder[i] == NULL || !prescribes(c, k, i) || is_overruled(c, node, k) ||
            fabs(k->velocity[i] - holder[i]->velocity[i]) <= c->still)
            continue;
        if (!is_at_rest(c, holder[i]))
            return fail_moving(c, node, holder[i]->entry < k->entry ? holder[i] : k,
                               holder[i]->entry < k->entry ? k : holder[i], err);
        conceded = holder[i];
    }
    return conceded != NULL ? add_concession(c, node, conceded->entry, k->entry, err) : SAB_OK;
}

/* Component by component: entries that agree, or rest against motion, which rest wins. */
static sab_status settle_velocity(const court *c, int node, hold *h, sab_error *err)
{
    const sab_claim *holder[SAB_DIM] = {NULL};
    const int dim = c->dofs->dim;
    sab_status status = SAB_OK;

    if (is_on_axis(c, node))
        SAB_TRY(check_axis(c, node, err));
    for (int i = 0; i < dim; i++)
        holder[i] = find_holder(c, node, i);
    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k))
        SAB_TRY(settle_claim(c, node, k, holder, err));
    for (int i = 0; i < dim; i++) {
        const bool axis = i == 0 && is_on_axis(c, node);

        if (holder[i] != NULL || axis) {
            h->direction[h->n][i] = 1.0;
            h->value[h->n++] = axis ? 0.0 : holder[i]->velocity[i];
        }
    }
    h->given = h->n;
cleanup:
    return status;
}

/* The slip walls of all entries at a node, each a part of its own. Returns their number. */
static int collect_walls(const court *c, int node)
{
    int n = 0;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k))
        for (int w = 0; w < SAB_DIM; w++)
            if (sab_is_wall(k->wall[w]) && !is_overruled(c, node, k) &&
                !has_friction(c, node, k->wall[w])) {
                memcpy(c->normal[n], k->wall[w], sizeof *c->normal);
                c->part[n] = n;
                n++;
            }
    return n;
}

/* Give both parts the smaller number. */
static void join_parts(const court *c, int n, int a, int b)
{
    for (int k = 0; k < n; k++)
        if (c->part[k] == (a > b ? a : b))
            c->part[k] = a > b ? b : a;
}

/* The slip walls of all entries at a node together, since no volume is to pass through any of them:
 * normals that differ by less than 30 degrees, directly or by way of others, are one wall. Their
 * unit normals to c->normal; returns their number. */
static int gather_walls(const court *c, int node)
{
    const int n = collect_walls(c, node);
    int walls = 0;

    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (sab_same_wall(c->normal[j], c->normal[i]))
                join_parts(c, n, c->part[i], c->part[j]);
    for (int i = 0; i < n; i++) /* each part begins with the normal of its number */
        if (c->part[i] == i) {
            double sum[SAB_DIM] = {0.0};

            for (int j = i; j < n; j++)
                for (int d = 0; d < SAB_DIM && c->part[j] == i; d++)
                    sum[d] += c->normal[j][d];
            const double size = sab_length(sum);
            for (int d = 0; d < SAB_DIM && size > 0.0; d++)
                c->normal[walls][d] = sum[d] / size;
            walls += size > 0.0;
        }
    return walls;
}

/* The wall to hold first where no velocity is given: one of the two that are farthest apart. */
static int first_wall(const court *c, int walls)
{
    double most = -1.0;
    int first = 0;

    for (int a = 0; a < walls; a++)
        for (int b = 0; b < walls; b++) {
            double cross[SAB_DIM];

            sab_cross(c->normal[a], c->normal[b], cross);
            if (sab_length(cross) > most) {
                most = sab_length(cross);
                first = a;
            }
        }
    return first;
}

/* Slip walls, where velocities leave a direction: one after the other the wall that is farthest
 * from all that is held, down to 30 degrees. Two walls are always two. */
static void settle_slip(const court *c, int node, hold *h)
{
    const int walls = gather_walls(c, node);

    if (h->n == 0 && walls > 0)
        memcpy(h->direction[h->n++], c->normal[first_wall(c, walls)], sizeof *c->normal);
    while (h->n < c->dofs->dim) {
        double most = h->given == 0 && h->n == 1 ? 0.0 : SAB_CORNER_SINE;
        int far = -1;

        for (int w = 0; w < walls; w++) {
            const double off = sab_off_span(h->n, h->direction, c->normal[w]);

            if (off > most) {
                most = off;
                far = w;
            }
        }
        if (far < 0)
            break;
        memcpy(h->direction[h->n++], c->normal[far], sizeof *c->normal);
    }
}

/* Rows of an orthonormal frame: n, then across it, in space towards `second`. */
static void make_frame(int dim, const double *n, const double *second, double f[SAB_DIM][SAB_DIM])
{
    memset(f, 0, SAB_DIM * sizeof *f);
    memcpy(f[0], n, sizeof *f);
    if (dim < SAB_DIM) {
        f[1][0] = -n[1];
        f[1][1] = n[0];
        return;
    }
    for (int i = 0; i < dim; i++)
        f[1][i] = second[i] - sab_dot(second, n) * n[i];
    const double size = sab_length(f[1]);
    for (int i = 0; i < dim; i++)
        f[1][i] /= size;
    sab_cross(f[0], f[1], f[2]);
}

/* The axis that is least along a direction. */
static void find_across(const double *n, double *axis)
{
    int least = 0;

    for (int i = 1; i < SAB_DIM; i++)
        if (fabs(n[i]) < fabs(n[least]))
            least = i;
    for (int i = 0; i < SAB_DIM; i++)
        axis[i] = i == least;
}

static void put_frame(sab_dofs *dofs, int place, double f[SAB_DIM][SAB_DIM])
{
    for (int k = 0; k < dofs->dim; k++)
        memcpy(dofs->frame + dofs->dim * (dofs->dim * place + k), f[k],
               (size_t)dofs->dim * sizeof(double));
}

/* The frame of a node: f_k is in the span of the directions d_0 .. d_k that are held, so that
 * d_k.u = v_k gives f_k.u = (v_k - sum_{j<k} (d_k.f_j) (f_j.u)) / (d_k.f_k). */
static void set_frame(sab_dofs *dofs, int node, const hold *h)
{
    const int first = dofs->dim * node;
    double f[SAB_DIM][SAB_DIM], across[SAB_DIM];

    if (h->n == 0)
        return; /* the axes */
    find_across(h->direction[0], across);
    make_frame(dofs->dim, h->direction[0], h->n > 1 ? h->direction[1] : across, f);
    put_frame(dofs, node, f);
    for (int k = 0; k < h->n; k++) {
        const double *d = h->direction[k];
        double value = h->value[k];

        for (int j = 0; j < k; j++)
            value -= sab_dot(d, f[j]) * dofs->value[first + j];
        dofs->number[first + k] = -1;
        dofs->value[first + k] = k == 0 ? value : value / sab_dot(d, f[k]);
    }
}

static sab_status note_crossed_walls(const court *c, int node, hold *h, sab_error *err)
{
    sab_status status = SAB_OK;

    for (const sab_claim *k = first_claim(c, node); k != NULL; k = next_claim(c, k)) {
        if (!sab_court_crossed(c, node, h, k) || is_overruled(c, node, k))
            continue;
        for (const sab_claim *by = first_claim(c, node); by != NULL; by = next_claim(c, by))
            if (!is_at_rest(c, by) && !is_overruled(c, node, by))
                SAB_TRY(add_concession(c, node, by->entry, k->entry, err));
    }
cleanup:
    return status;
}

/* Does an entry hold the function of a side with this normal? */
static bool holds_face(const court *c, int place, const double *n)
{
    for (const sab_claim *k = first_claim(c, place); k != NULL; k = next_claim(c, k)) {
        bool along = c->boundary[k->entry].slip;

        for (int i = 0; i < c->dofs->dim; i++)
            along = along || (prescribes(c, k, i) && fabs(n[i]) > SAB_ALONG);
        if (along && !is_overruled(c, place, k))
            return true;
    }
    return false;
}

/* A face function has one unknown, along the normal of its side in the middle; none where an entry
 * says what passes through the side [docs/theory.md, 4.7]. */
static void settle_faces(const court *c)
{
    const sab_mesh *mesh = c->mesh;
    const int dim = c->dofs->dim, sides = mesh->cell->sides;
    const int faces = c->dofs->nnodes - mesh->nnodes;

    for (int k = 0; k < sides * mesh->nelements && faces > 0; k++) {
        const int place = mesh->nnodes + mesh->side[k];
        double f[SAB_DIM][SAB_DIM], n[SAB_DIM], across[SAB_DIM];

        if (c->dofs->number[dim * place + 1] < 0)
            continue; /* seen from the other element */
        sab_p2_side_normal(mesh, k / sides, k % sides, n);
        find_across(n, across);
        make_frame(dim, n, across, f);
        put_frame(c->dofs, place, f);
        for (int i = 1; i < dim; i++)
            c->dofs->number[dim * place + i] = -1;
        if (holds_face(c, place, n))
            c->dofs->number[dim * place] = -1;
    }
}

sab_status sab_claims_settle(const sab_claims *claims, const sab_mesh *mesh,
                             const sab_boundary *boundary, const int *group, sab_dofs *dofs,
                             sab_error *err)
{
    court c = {mesh, boundary, group, claims, SAME * claims->speed, dofs, NULL, NULL};
    sab_status status = SAB_OK;

    SAB_NEW(c.normal, SAB_DIM * (size_t)claims->most);
    SAB_NEW(c.part, SAB_DIM * (size_t)claims->most);
    for (int node = 0; node < mesh->nnodes; node++) {
        hold h = {0};

        if (claims->first[node] == 0 && !is_on_axis(&c, node))
            continue;
        SAB_TRY(settle_velocity(&c, node, &h, err));
        settle_slip(&c, node, &h);
        set_frame(dofs, node, &h);
        SAB_TRY(note_crossed_walls(&c, node, &h, err));
        sab_court_share(&c, node, &h);
    }
    settle_faces(&c);
cleanup:
    SAB_FREE(c.normal);
    SAB_FREE(c.part);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* transport.c -- feet of trajectories by a straight walk through the mesh (fem/walk.h).
 *
 * Curved elements. The walk sees their chords; where it ends, the curve decides: the reference
 * point is found by Newton's method, in that element or in one that shares a curved side with it.
 */
#include "fem/transport.h"
#include "base/memory.h"
#include "fem/claims.h"
#include "fem/locate.h"
#include "fem/mass.h"
#include "fem/walk.h"

#include <math.h>
#include <string.h>

static const double SLACK = 1e-9;     /* in barycentric coordinates: on the side, not beyond */
static const double STRAIGHT = 1e-10; /* distance of a middle node, relative to its edge */

struct sab_transport {
    const sab_space *space;
    const sab_walker *walker;
    sab_locator *locator; /* where the walk does not end in the right element */
    bool *open;           /* [nelements][sides]; a path may go on there, or a wall ends */
    int *beyond;          /* [nelements][sides] the facet that a periodic side goes on at, plus one;
                             NULL if there are none */
    double (*moved)[SAB_DIM]; /* [nelements][sides] and the translation to it */
    double shortest;          /* of the translations */
    bool *curved;             /* [nelements] */
    double *w;                /* velocity vector, halfway between two steps */
};

/* The same behind a periodic side of the element: true if it is there. */
static bool settle_beyond(const sab_transport *t, const double *x, sab_foot *f)
{
    const sab_mesh *mesh = t->space->mesh;
    const sab_cell *cell = mesh->cell;

    for (int i = 0; i < cell->sides; i++) {
        const int side = cell->sides * f->element + i;
        double y[SAB_DIM];

        for (int k = 0; k < cell->dim && t->beyond[side] > 0; k++)
            y[k] = x[k] + t->moved[side][k];
        if (t->beyond[side] > 0 &&
            sab_locate_inside(mesh, mesh->facet_element[t->beyond[side] - 1], y, f->xi) >= -SLACK) {
            f->element = mesh->facet_element[t->beyond[side] - 1];
            return true;
        }
    }
    return false;
}

/* Reference point of x, which the chords place in element f->element: there, in one beside it, or
 * anywhere. If nowhere, x is outside by the depth of a curved side: the nearest point of the
 * element in reference coordinates, and the side it is on. */
static void settle(const sab_transport *t, const double *x, sab_foot *f)
{
    const sab_mesh *mesh = t->space->mesh;
    const sab_cell *cell = mesh->cell;
    double l[SAB_CORNERS], sum = 0.0;
    int lowest;

    if (t->curved[f->element] ? sab_locate_inside(mesh, f->element, x, f->xi) >= -SLACK
                              : sab_locate_chords(mesh, f->element, x, f->xi, &lowest) >= -SLACK)
        return;
    for (int i = 0; i < cell->sides; i++) {
        const int next = mesh->neighbour[cell->sides * f->element + i];

        if (next >= 0 && sab_locate_inside(mesh, next, x, f->xi) >= -SLACK) {
            f->element = next;
            return;
        }
    }
    if (t->beyond != NULL && settle_beyond(t, x, f))
        return;
    const int found = sab_locator_find(t->locator, x, f->xi);
    if (found >= 0) {
        f->element = found;
        return;
    }
    if (sab_locate_inside(mesh, f->element, x, f->xi) <= -1.0)
        sab_locate_chords(mesh, f->element, x, f->xi, &lowest);
    sab_cell_barycentric(cell, f->xi, l);
    f->side = sab_walk_opposite(cell, sab_locate_lowest(cell, l));
    for (int i = 0; i < cell->corners; i++) {
        l[i] = fmax(l[i], 0.0);
        sum += l[i];
    }
    for (int i = 0; i < cell->dim; i++)
        f->xi[i] = l[i + 1] / sum;
}

/* The path from point xi of element e along d; false if it has no end. */
static bool make_path(const sab_mesh *mesh, int e, const double *xi, const double *d, sab_path *p)
{
    bool finite = true;

    sab_mesh_map(mesh, e, xi, p->x, NULL);
    for (int i = 0; i < mesh->cell->dim; i++) {
        p->d[i] = d[i];
        p->end[i] = p->x[i] + d[i];
        finite = finite && isfinite(p->end[i]);
    }
    return finite;
}

/* The path begins within the chords of element e, a little inside, near where l [corners] says. */
static void begin_inside(const sab_mesh *mesh, int e, double *l, sab_path *p)
{
    const sab_cell *cell = mesh->cell;
    double sum = 0.0;

    for (int i = 0; i < cell->corners; i++) {
        l[i] = fmax(l[i], SLACK);
        sum += l[i];
    }
    for (int i = 0; i < cell->dim; i++) {
        p->x[i] = 0.0;
        for (int k = 0; k < cell->corners; k++)
            p->x[i] += l[k] / sum * sab_mesh_x(mesh, sab_mesh_element(mesh, e)[k])[i];
        p->d[i] = p->end[i] - p->x[i];
    }
}

/* The walk needs a place within the chords, and x may lie between a curved side and its chord: then
 * it starts in the element beside, or else from the nearest point of e, in reference coordinates,
 * which is no farther than the depth of the side. */
static void start_walk(const sab_mesh *mesh, int e, sab_path *p, sab_foot *f)
{
    const sab_cell *cell = mesh->cell;
    double xi[SAB_DIM], l[SAB_CORNERS];
    int lowest, ignored;

    if (sab_locate_chords(mesh, e, p->x, xi, &lowest) >= 0.0)
        return;
    sab_cell_barycentric(cell, xi, l);
    const int beside = mesh->neighbour[cell->sides * e + sab_walk_opposite(cell, lowest)];
    if (beside >= 0 && sab_locate_chords(mesh, beside, p->x, xi, &ignored) >= 0.0) {
        f->element = beside;
        return;
    }
    begin_inside(mesh, e, l, p);
}

/* The path goes on at the partner of a periodic side, from where it meets the side, a little within
 * the element there: so that the line meets this element, whatever rounding does. The end of the
 * path is moved, and nothing else. */
static void pass(const sab_transport *t, int side, const double *from, sab_path *p, sab_foot *f)
{
    const sab_mesh *mesh = t->space->mesh;
    const sab_cell *cell = mesh->cell;
    const double *translation = t->moved[side];
    double xi[SAB_DIM], l[SAB_CORNERS];
    int lowest;

    f->element = mesh->facet_element[t->beyond[side] - 1];
    f->side = SAB_INSIDE;
    for (int i = 0; i < cell->dim; i++) {
        p->x[i] = from[i] + translation[i];
        p->end[i] += translation[i];
    }
    sab_locate_chords(mesh, f->element, p->x, xi, &lowest);
    sab_cell_barycentric(cell, xi, l);
    begin_inside(mesh, f->element, l, p);
}

/* Do two elements have a corner in common? */
static bool touch(const sab_mesh *mesh, int e, int f)
{
    for (int i = 0; i < mesh->cell->corners; i++)
        for (int k = 0; k < mesh->cell->corners; k++)
            if (sab_mesh_element(mesh, e)[i] == sab_mesh_element(mesh, f)[k])
                return true;
    return false;
}

/* The path has left the chords by a side of the boundary. Between chords and curve it goes on, and
 * may end there, in this element or in one beside it or beside the place where it slides to. *on:
 * it goes on beyond a periodic side, also where a wall ends along which it slides. */
static int leave(const sab_transport *t, sab_path *p, sab_foot *f, bool *on)
{
    const sab_mesh *mesh = t->space->mesh;
    const bool curved = t->curved[f->element];
    const int out = mesh->cell->sides * f->element + f->side;
    sab_foot end = {.side = SAB_INSIDE};
    double x[SAB_DIM];
    int steps = 0;

    *on = false;
    if (curved && sab_locate_inside(mesh, f->element, p->end, f->xi) >= -SLACK) {
        f->side = SAB_INSIDE;
        return 0;
    }
    if (t->beyond != NULL && t->beyond[out] > 0) {
        t->walker->meet(mesh, p, f);
        sab_mesh_map(mesh, f->element, f->xi, x, NULL);
        pass(t, out, x, p, f);
        *on = true;
        return 0;
    }
    end.element = curved ? sab_locator_find(t->locator, p->end, end.xi) : -1;
    if (end.element < 0 || !touch(mesh, end.element, f->element)) {
        const double rest = t->walker->meet(mesh, p, f);

        if (!t->open[out]) {
            sab_stop stop = {.element = -1};

            steps = t->walker->slide(mesh, t->open, p->d, rest, f, &stop);
            const int next = mesh->cell->sides * stop.element + stop.side;
            if (stop.element >= 0 && t->beyond != NULL && t->beyond[next] > 0) {
                sab_mesh_map(mesh, f->element, f->xi, x, NULL);
                for (int i = 0; i < mesh->cell->dim; i++)
                    p->end[i] = x[i] + stop.d[i];
                pass(t, next, x, p, f);
                *on = true;
                return steps;
            }
        }
    }
    if (end.element >= 0 && touch(mesh, end.element, f->element))
        *f = end;
    return steps;
}

/* How often a path may leave the mesh: as often as there are periods along it, and a few times more
 * where it runs along a side and rounding takes it to and fro. */
static int rounds_of(const sab_transport *t, const double *d)
{
    double length = 0.0;

    for (int i = 0; i < t->space->mesh->cell->dim; i++)
        length = hypot(length, d[i]);
    return t->beyond == NULL ? 1 : 8 + (int)fmin(SAB_DIM * length / t->shortest, 1e6);
}

/* Follow x + d from point xi of element e. */
static sab_foot find_foot(const sab_transport *t, int e, const double *xi, const double *d,
                          sab_transport_report *report)
{
    const sab_mesh *mesh = t->space->mesh;
    sab_foot f = {.element = e, .side = SAB_INSIDE};
    sab_path p;

    report->points++;
    if (!make_path(mesh, e, xi, d, &p)) { /* show it in the velocity, not in a crash */
        for (int i = 0; i < mesh->cell->dim; i++)
            f.xi[i] = NAN;
        return f;
    }
    if (t->curved[e])
        start_walk(mesh, e, &p, &f);
    int steps = 0, rounds = rounds_of(t, d);
    for (bool on = true; on;) {
        steps += t->walker->walk(mesh, &p, &f);
        on = f.side != SAB_INSIDE && rounds-- > 0;
        if (on) {
            steps += leave(t, &p, &f, &on);
        } else {
            f.side = SAB_INSIDE;
            settle(t, p.end, &f);
        }
    }
    if (f.side != SAB_INSIDE) {
        const bool open = t->open[mesh->cell->sides * f.element + f.side];

        report->left += open;
        report->clamped += !open;
    }
    report->steps += steps;
    report->longest = steps > report->longest ? steps : report->longest;
    return f;
}

/* v = U at a foot. The sum has corners and as many middles in pairs, then the rest. */
static void velocity_at(const sab_space *space, const sab_foot *f, const double *U, double *v)
{
    const int dim = space->mesh->cell->dim, corners = space->mesh->cell->corners;
    double value[SAB_SHAPES];
    int index[SAB_SHAPES];
    const int n = sab_element_values(space->element, f->xi, value);

    sab_element_index(space->element, space->mesh, f->element, index);
    for (int i = 0; i < dim; i++) {
        const double *u = U + i;

        v[i] = 0.0;
        for (int a = 0, b = corners; a < corners; a++, b++)
            v[i] += value[a] * u[dim * index[a]] + value[b] * u[dim * index[b]];
        for (int a = corners + corners; a < n; a++)
            v[i] += value[a] * u[dim * index[a]];
    }
}

/* v = U(x - dt wind) for point xi of element e; wind and v may be the same. */
static void carry(const sab_transport *t, int e, const double *xi, double dt, const double *wind,
                  const double *U, double *v, sab_transport_report *report)
{
    double d[SAB_DIM];

    for (int i = 0; i < t->space->mesh->cell->dim; i++)
        d[i] = -dt * wind[i];
    const sab_foot f = find_foot(t, e, xi, d, report);
    velocity_at(t->space, &f, U, v);
}

/* Does the middle of an edge stand off its chord? */
static bool is_curved(const sab_mesh *mesh, int e)
{
    const sab_cell *cell = mesh->cell;
    const int *node = sab_mesh_element(mesh, e);

    for (int k = 0; k < cell->edges; k++) {
        const double *a = sab_mesh_x(mesh, node[cell->edge[k][0]]);
        const double *b = sab_mesh_x(mesh, node[cell->edge[k][1]]);
        const double *m = sab_mesh_x(mesh, node[cell->corners + k]);
        double off = 0.0, length = 0.0;

        for (int i = 0; i < cell->dim; i++) {
            off = hypot(off, m[i] - 0.5 * (a[i] + b[i]));
            length = hypot(length, b[i] - a[i]);
        }
        if (off > STRAIGHT * length)
            return true;
    }
    return false;
}

/* A path that leaves by facet a goes on at b, moved by sign times the translation. */
static void go_on(sab_transport *t, int a, int b, double sign, const double *translation)
{
    const sab_mesh *mesh = t->space->mesh;
    const int side = mesh->cell->sides * mesh->facet_element[a] + mesh->facet_side[a];

    t->beyond[side] = b + 1;
    t->open[side] = true; /* walls end there */
    for (int i = 0; i < mesh->cell->dim; i++)
        t->moved[side][i] = sign * translation[i];
}

/* Where periodic sides go on. */
static sab_status find_beyond(sab_transport *t, int nmatches, const sab_match *match,
                              sab_error *err)
{
    const sab_mesh *mesh = t->space->mesh;
    const size_t sides = (size_t)mesh->cell->sides * (size_t)mesh->nelements;
    sab_status status = SAB_OK;

    if (nmatches == 0)
        return SAB_OK;
    t->shortest = INFINITY;
    SAB_NEW(t->beyond, sides);
    SAB_NEW(t->moved, sides);
    for (int k = 0; k < nmatches; k++) {
        t->shortest = fmin(t->shortest, sab_length(match[k].translation));
        for (int f = 0; f < match[k].nfacets; f++) {
            go_on(t, match[k].facet_from[f], match[k].facet_to[f], 1.0, match[k].translation);
            go_on(t, match[k].facet_to[f], match[k].facet_from[f], -1.0, match[k].translation);
        }
    }
cleanup:
    return status;
}

sab_status sab_transport_create(const sab_space *space, const bool *open, int nmatches,
                                const sab_match *match, sab_transport **transport, sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    sab_status status = SAB_OK;
    sab_transport *t = NULL;

    *transport = NULL;
    SAB_NEW(t, 1);
    t->space = space;
    t->walker = mesh->cell == &sab_cell_triangle ? &sab_walker_triangle : &sab_walker_tetrahedron;
    SAB_TRY(sab_locator_create(mesh, &t->locator, err));
    SAB_NEW(t->open, (size_t)mesh->cell->sides * (size_t)mesh->nelements);
    SAB_NEW(t->curved, mesh->nelements);
    SAB_NEW(t->w, sab_space_size(space));
    for (int f = 0; open != NULL && f < mesh->nfacets; f++)
        if (!mesh->facet_interior[f])
            t->open[mesh->cell->sides * mesh->facet_element[f] + mesh->facet_side[f]] = open[f];
    for (int e = 0; e < mesh->nelements; e++)
        t->curved[e] = is_curved(mesh, e);
    SAB_TRY(find_beyond(t, nmatches, match, err));
    *transport = t;
    t = NULL;
cleanup:
    sab_transport_destroy(&t);
    return status;
}

void sab_transport_destroy(sab_transport **transport)
{
    sab_transport *t = *transport;

    if (t == NULL)
        return;
    sab_locator_destroy(&t->locator);
    SAB_FREE(t->open);
    SAB_FREE(t->beyond);
    SAB_FREE(t->moved);
    SAB_FREE(t->curved);
    SAB_FREE(t->w);
    SAB_FREE(*transport);
}

void sab_transport_add(sab_transport_report *sum, const sab_transport_report *now)
{
    sum->points += now->points;
    sum->steps += now->steps;
    sum->clamped += now->clamped;
    sum->left += now->left;
    sum->longest = now->longest > sum->longest ? now->longest : sum->longest;
}

double sab_transport_limit(const sab_element *element, bool split, int order)
{
    return (split && !element->stable ? 4.0 : 1.0) * element->reynolds_limit[order - 1];
}

void sab_transport_first(sab_transport *t, double dt, const double *U, double *v,
                         sab_transport_report *report)
{
    sab_transport_along(t, dt, U, U, v, report);
}

void sab_transport_along(sab_transport *t, double dt, const double *wind, const double *U,
                         double *v, sab_transport_report *report)
{
    const sab_quadrature *rule = t->space->mass;
    const int dim = t->space->mesh->cell->dim;
    sab_transport_report sum = {0};

    sab_mass_interpolate(t->space, wind, v);
    for (int e = 0; e < t->space->mesh->nelements; e++)
        for (int q = 0; q < rule->n; q++, v += dim)
            carry(t, e, rule->xi[q], dt, v, U, v, &sum);
    if (report != NULL)
        *report = sum;
}

/* X(s) with dX/ds = u(X, s), X(t^{n+1}) = x, by the midpoint rule, whose error in one step is of
 * third order. For X1, w is u(t^{n+1/2}) up to second order, and it is taken at a place right up to
 * second order: the foot is right up to third. For X2 the middle of the step 2 dt is t^n, where
 * the velocity is known and the place is X1: the same order, for no search more. Third-order feet
 * make a second-order (3 u^{n+1} - 4 u^n o X1 + u^{n-1} o X2)/(2 dt). With x - dt w2(x) in the
 * place of X1 (w2 any velocity at t^{n+1} or t^n) the order is the same, but in a rotation by theta
 * per step |X2|/|x| is 1 + 2 theta^4 instead of 1 + theta^6/2. */
void sab_transport_second(sab_transport *t, double dt, const double *now, const double *before,
                          double *v1, double *v2, sab_transport_report *report)
{
    const sab_quadrature *rule = t->space->mass;
    const size_t size = sab_space_size(t->space);
    const int dim = t->space->mesh->cell->dim;
    sab_transport_report sum = {0};

    for (size_t i = 0; i < size; i++)
        t->w[i] = 1.5 * now[i] - 0.5 * before[i];
    sab_mass_interpolate(t->space, t->w, v1);
    for (int e = 0; e < t->space->mesh->nelements; e++)
        for (int q = 0; q < rule->n; q++, v1 += dim, v2 += dim) {
            double middle[SAB_DIM];

            carry(t, e, rule->xi[q], 0.5 * dt, v1, t->w, middle, &sum);
            carry(t, e, rule->xi[q], dt, middle, now, v1, &sum);
            carry(t, e, rule->xi[q], 2.0 * dt, v1, before, v2, &sum);
        }
    if (report != NULL)
        *report = sum;
}

void sab_transport_follow(const sab_transport *t, const double *d, int *element, double *xi,
                          int *side, bool *open, sab_transport_report *report)
{
    const sab_cell *cell = t->space->mesh->cell;
    const sab_foot f = find_foot(t, *element, xi, d, report);

    *element = f.element;
    memcpy(xi, f.xi, (size_t)cell->dim * sizeof *xi);
    *side = f.side;
    *open = f.side != SAB_INSIDE && t->open[cell->sides * f.element + f.side];
}

void sab_transport_from_side(const sab_transport *t, int facet, const double *xi, const double *d,
                             const double *U, double *v)
{
    const sab_mesh *mesh = t->space->mesh;
    sab_transport_report ignored = {0};
    sab_foot on = {.side = mesh->facet_side[facet]};

    memcpy(on.at, xi, (size_t)mesh->cell->facet->dim * sizeof *xi);
    sab_foot_on_side(mesh->cell, &on);
    const sab_foot f = find_foot(t, mesh->facet_element[facet], on.xi, d, &ignored);
    velocity_at(t->space, &f, U, v);
}

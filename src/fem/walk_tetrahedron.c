/* SPDX-License-Identifier: GPL-3.0-or-later */
/* walk_tetrahedron.c -- straight paths through tetrahedra, and along walls of triangles.
 *
 * The walk. Seen along the path, the corners of the mesh are points of a plane and the path is its
 * origin; a side is crossed where its triangle holds the origin, and it is left by those that turn
 * left about it seen from outside. What counts of a corner is its direction from the origin: of two
 * corners, the one is left or right of the other. This is decided exactly (turns_left), as if the
 * directions were turned by a tiny angle each, the more the higher the number of the node, and a
 * corner at the origin had one. Then no three directions are in doubt, and of the four triangles of
 * a tetrahedron none holds the origin, or one that is entered and one that is left. As in the plane
 * paths through corners or along edges need nothing special, no tetrahedron but the first can come
 * twice, and the walk never loops. */
#include "fem/walk.h"

#include <math.h>
#include <stddef.h>

static const double AT_CORNER = 1e-12; /* in barycentric coordinates of a side: not on its edge */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void minus(const double *a, const double *b, double *d)
{
    for (int i = 0; i < SAB_DIM; i++)
        d[i] = a[i] - b[i];
}

/* (b - a) x (c - a) */
static void normal_of(const double *a, const double *b, const double *c, double *n)
{
    double u[SAB_DIM], v[SAB_DIM];

    minus(b, a, u);
    minus(c, a, v);
    n[0] = u[1] * v[2] - u[2] * v[1];
    n[1] = u[2] * v[0] - u[0] * v[2];
    n[2] = u[0] * v[1] - u[1] * v[0];
}

/* Along the path: axis[0] is the one nearest to d, and (axis[1], axis[2]) span the plane, so turned
 * that d points at whoever looks. */
typedef struct view {
    const double *x;
    double d[SAB_DIM]; /* the largest component is 1 or -1: squares of long paths overflow */
    int axis[SAB_DIM];
} view;

/* False if there is no direction. */
static bool look_along(const sab_path *p, view *v)
{
    int k = 0;

    for (int i = 1; i < SAB_DIM; i++)
        if (fabs(p->d[i]) > fabs(p->d[k]))
            k = i;
    const double size = fabs(p->d[k]);
    if (!(size > 0.0))
        return false;
    v->x = p->x;
    for (int i = 0; i < SAB_DIM; i++)
        v->d[i] = p->d[i] / size;
    const int turn = p->d[k] > 0.0 ? 1 : SAB_DIM - 1;
    for (int i = 0; i < SAB_DIM; i++)
        v->axis[i] = (k + i * turn) % SAB_DIM;
    return true;
}

static void see(const view *v, const double *x, double p[SAB_DIM - 1])
{
    const int k = v->axis[0];

    for (int a = 0; a < SAB_DIM - 1; a++) {
        const int i = v->axis[a + 1];

        p[a] = (x[i] - v->x[i]) * v->d[k] - (x[k] - v->x[k]) * v->d[i];
    }
}

/* A node as the path sees it. */
typedef struct seen {
    int node;
    const double *x;
    double p[SAB_DIM - 1];
} seen;

static seen see_node(const sab_mesh *mesh, const view *v, int node)
{
    seen s = {.node = node, .x = sab_mesh_x(mesh, node)};

    see(v, s.x, s.p);
    return s;
}

/* Is the direction of b left of that of a, by less than half a turn? With the exact sign of the
 * cross product: rounding is monotone, and where both products are rounded to the same number their
 * errors, which fma gives, decide. */
static bool turns_left(const seen *a, const seen *b)
{
    static const double right[SAB_DIM - 1] = {1.0, 0.0};
    const double *p = a->p[0] == 0.0 && a->p[1] == 0.0 ? right : a->p;
    const double *q = b->p[0] == 0.0 && b->p[1] == 0.0 ? right : b->p;
    const double plus = p[0] * q[1], less = p[1] * q[0];

    if (plus != less)
        return plus > less;
    const double plus_rest = fma(p[0], q[1], -plus), less_rest = fma(p[1], q[0], -less);
    if (plus_rest != less_rest)
        return plus_rest > less_rest;
    const bool same = p[0] * q[0] + p[1] * q[1] > 0.0; /* or opposite */
    return same == (a->node < b->node);
}

static int place_of(const sab_mesh *mesh, int e, int node)
{
    const int *corner = sab_mesh_element(mesh, e);
    int i = 0;

    while (corner[i] != node)
        i++;
    return i;
}

/* The corner of element e that is none of the three. */
static int apex_of(const sab_mesh *mesh, int e, int a, int b, int c)
{
    const int *corner = sab_mesh_element(mesh, e);
    int i = 0;

    while (corner[i] == a || corner[i] == b || corner[i] == c)
        i++;
    return corner[i];
}

/* The side by which the line leaves element e, its corners going left about the line; -1 if it does
 * not meet the element. */
static int leave(const sab_mesh *mesh, const view *v, int e, seen face[SAB_DIM])
{
    const int *node = sab_mesh_element(mesh, e);

    for (int s = 0; s < mesh->cell->sides; s++) {
        for (int k = 0; k < SAB_DIM; k++)
            face[k] = see_node(mesh, v, node[mesh->cell->side[s][k]]);
        if (turns_left(&face[0], &face[1]) && turns_left(&face[1], &face[2]) &&
            turns_left(&face[2], &face[0]))
            return s;
    }
    return -1;
}

static int walk(const sab_mesh *mesh, const sab_path *p, sab_foot *f)
{
    const int first = f->element, sides = mesh->cell->sides;
    seen face[SAB_DIM];
    int steps = 0;
    view v;

    f->side = SAB_INSIDE;
    if (!look_along(p, &v))
        return 0;
    int s = leave(mesh, &v, first, face);
    while (s >= 0) {
        double n[SAB_DIM], to_end[SAB_DIM];
        const int next = mesh->neighbour[sides * f->element + s];

        normal_of(face[0].x, face[1].x, face[2].x, n);
        minus(p->end, face[0].x, to_end);
        if (!(dot(n, to_end) > 0.0))
            break;
        if (next < 0) {
            f->side = s;
            break;
        }
        if (next == first)
            break;
        f->element = next;
        steps++;
        /* it is left by the side of two corners of the face and the fourth one that holds the
         * origin: the one that the face loses is on the other side of it than the fourth */
        const seen apex =
            see_node(mesh, &v, apex_of(mesh, next, face[0].node, face[1].node, face[2].node));
        int lost = 0;
        while (lost < SAB_DIM - 1 && !(turns_left(&face[(lost + 2) % SAB_DIM], &apex) &&
                                       turns_left(&apex, &face[(lost + 1) % SAB_DIM])))
            lost++;
        s = sab_walk_opposite(mesh->cell, place_of(mesh, next, face[lost].node));
        face[lost] = apex;
    }
    return steps;
}

/* The root of the quadratic map of the side, as the path sees it: Newton's method from where the
 * path meets the triangle of the corners. If that fails, there; and on the side in any case. */
static double meet(const sab_mesh *mesh, const sab_path *p, sab_foot *f)
{
    const sab_cell *side = mesh->cell->facet;
    const int *node = sab_mesh_element(mesh, f->element);
    double q[SAB_SIDE_NODES][SAB_DIM - 1], l[SAB_DIM], x[SAB_DIM], at[SAB_DIM - 1];
    double sum = 0.0, step = INFINITY;
    view v;

    if (!look_along(p, &v))
        return 0.0; /* no path meets a side without a direction */
    for (int a = 0; a < side->nodes; a++)
        see(&v, sab_mesh_x(mesh, node[mesh->cell->side[f->side][a]]), q[a]);
    for (int k = 0; k < SAB_DIM; k++) {
        const double *a = q[(k + 1) % SAB_DIM], *b = q[(k + 2) % SAB_DIM];

        l[k] = fmax(a[0] * b[1] - a[1] * b[0], 0.0);
        sum += l[k];
    }
    for (int k = 0; k < SAB_DIM; k++)
        l[k] = sum > 0.0 ? l[k] / sum : 1.0 / SAB_DIM;
    at[0] = l[1];
    at[1] = l[2];
    for (int k = 0; k < 20 && step > 1e-12; k++) {
        double value[SAB_NODES], slope[SAB_NODES * SAB_DIM], r[2] = {0.0}, J[2][2] = {{0.0}};

        sab_cell_shapes(side, at, value, slope);
        for (int a = 0; a < side->nodes; a++)
            for (int i = 0; i < SAB_DIM - 1; i++) {
                r[i] -= value[a] * q[a][i];
                for (int j = 0; j < SAB_DIM - 1; j++)
                    J[i][j] += slope[side->dim * a + j] * q[a][i];
            }
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        const double d[2] = {(J[1][1] * r[0] - J[0][1] * r[1]) / det,
                             (J[0][0] * r[1] - J[1][0] * r[0]) / det};
        at[0] += d[0];
        at[1] += d[1];
        step = fabs(d[0]) + fabs(d[1]);
    }
    const double beyond = fmin(fmin(at[0], at[1]), 1.0 - at[0] - at[1]);
    if (step <= 1e-12 && beyond > -0.5) /* otherwise another root of it, or none */
        sab_cell_barycentric(side, at, l);
    sum = 0.0;
    for (int k = 0; k < SAB_DIM; k++) {
        l[k] = fmax(l[k], 0.0);
        sum += l[k];
    }
    f->at[0] = l[1] / sum;
    f->at[1] = l[2] / sum;
    sab_foot_on_side(mesh->cell, f);
    sab_mesh_map(mesh, f->element, f->xi, x, NULL);
    minus(x, p->x, x);
    const double size = fabs(p->d[v.axis[0]]);
    return fmin(fmax(1.0 - dot(x, v.d) / dot(v.d, v.d) / size, 0.0), 1.0);
}

/* Where a foot slides: side s of element e, with corners a [3] and barycentric coordinates l. */
typedef struct wall {
    const sab_mesh *mesh;
    const bool *open;
    const double *d;
    int e, s, node[SAB_DIM];
    double l[SAB_DIM];
    double rest;          /* of the path, as a share of d */
    double last[SAB_DIM]; /* the last move, per share of d */
    sab_stop stop;
} wall;

static void set_side(wall *w, int e, int s)
{
    w->e = e;
    w->s = s;
    for (int k = 0; k < SAB_DIM; k++)
        w->node[k] = sab_mesh_element(w->mesh, e)[w->mesh->cell->side[s][k]];
}

static bool is_open(const wall *w)
{
    return w->open[w->mesh->cell->sides * w->e + w->s];
}

/* To the boundary side beyond the edge from corner k to the next, through the tetrahedra about it.
 * Its corners are in the order of their side: coordinates l follow the nodes. */
static void cross_edge(wall *w, int k)
{
    const sab_cell *cell = w->mesh->cell;
    const int a = w->node[k], b = w->node[(k + 1) % SAB_DIM];
    int e = w->e, from = w->node[(k + 2) % SAB_DIM], s, next;

    for (;;) { /* into e through the side of a, b and `from`, out by that of a, b and the fourth */
        const int fourth = apex_of(w->mesh, e, a, b, from);

        s = sab_walk_opposite(cell, place_of(w->mesh, e, from));
        next = w->mesh->neighbour[cell->sides * e + s];
        if (next < 0)
            break;
        e = next;
        from = fourth;
    }
    const wall old = *w;
    set_side(w, e, s);
    for (int i = 0; i < SAB_DIM; i++) {
        w->l[i] = 0.0;
        for (int j = 0; j < SAB_DIM; j++)
            if (old.node[j] == w->node[i] && (w->node[i] == a || w->node[i] == b))
                w->l[i] = old.l[j];
    }
}

/* dl/ds of the part of d along the side; returns the square of its length. */
static double rates_of(const wall *w, double rate[SAB_DIM])
{
    const double *a = sab_mesh_x(w->mesh, w->node[0]);
    double u[SAB_DIM], v[SAB_DIM];

    minus(sab_mesh_x(w->mesh, w->node[1]), a, u);
    minus(sab_mesh_x(w->mesh, w->node[2]), a, v);
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), ud = dot(u, w->d);
    const double vd = dot(v, w->d), det = uu * vv - uv * uv;
    rate[1] = (vv * ud - uv * vd) / det;
    rate[2] = (uu * vd - uv * ud) / det;
    rate[0] = -rate[1] - rate[2];
    return rate[1] * ud + rate[2] * vd;
}

/* Slope of d.x along the edge from corner i to corner j, per length; *rate: shares of the edge per
 * share of d. */
static double edge_slope(const wall *w, int i, int j, double *rate)
{
    double t[SAB_DIM];

    minus(sab_mesh_x(w->mesh, w->node[j]), sab_mesh_x(w->mesh, w->node[i]), t);
    const double square = dot(t, t), along = dot(w->d, t);
    *rate = along / square;
    return along / sqrt(square);
}

static int corner_at(const wall *w) /* -1: none */
{
    for (int k = 0; k < SAB_DIM; k++)
        if (w->l[k] >= 1.0 - AT_CORNER)
            return k;
    return -1;
}

static void put_at_corner(wall *w, int node)
{
    for (int k = 0; k < SAB_DIM; k++)
        w->l[k] = w->node[k] == node ? 1.0 : 0.0;
}

/* Across the side until an edge, the one without corner k, which is returned; -1 at the end. */
static int move_in_side(wall *w)
{
    double rate[SAB_DIM], share = w->rest;
    int k = -1;

    rates_of(w, rate);
    for (int i = 0; i < SAB_DIM; i++) {
        w->last[i] = 0.0;
        for (int j = 0; j < SAB_DIM; j++)
            w->last[i] += rate[j] * sab_mesh_x(w->mesh, w->node[j])[i];
    }
    for (int i = 0; i < SAB_DIM; i++)
        if (rate[i] < 0.0 && w->l[i] < -rate[i] * share) {
            share = w->l[i] / -rate[i];
            k = i;
        }
    double sum = 0.0;
    for (int i = 0; i < SAB_DIM; i++) {
        w->l[i] = i == k ? 0.0 : fmax(w->l[i] + share * rate[i], 0.0);
        sum += w->l[i];
    }
    for (int i = 0; i < SAB_DIM; i++)
        w->l[i] /= sum;
    w->rest -= share;
    return k;
}

/* Along the edge between corners i and j, up to one of them. False: the end. */
static bool move_along_edge(wall *w, int i, int j)
{
    double rate;

    edge_slope(w, i, j, &rate);
    const int to = rate > 0.0 ? j : i, from = rate > 0.0 ? i : j;
    const double room = w->l[from];
    rate = fabs(rate);
    if (!(w->rest * rate > room)) {
        w->l[from] = room - w->rest * rate;
        w->l[to] = 1.0 - w->l[from];
        return false;
    }
    w->rest -= room / rate;
    for (int k = 0; k < SAB_DIM; k++)
        w->last[k] =
            rate * (sab_mesh_x(w->mesh, w->node[to])[k] - sab_mesh_x(w->mesh, w->node[from])[k]);
    put_at_corner(w, w->node[to]);
    return true;
}

/* The wall ends at an open side, and what is left of the path goes on as it came. */
static void note_stop(wall *w, const wall *at)
{
    w->stop.element = at->e;
    w->stop.side = at->s;
    for (int i = 0; i < SAB_DIM; i++)
        w->stop.d[i] = w->rest * w->last[i];
}

/* Beyond the edge without corner k, into the next side if d goes on there, otherwise along the
 * edge. False: the end. */
static bool leave_side(wall *w, int k)
{
    const int i = (k + 1) % SAB_DIM, j = (k + 2) % SAB_DIM;
    double rate[SAB_DIM];
    wall next = *w;
    int third = 0;

    cross_edge(&next, i);
    if (is_open(&next)) {
        note_stop(w, &next);
        return false;
    }
    rates_of(&next, rate);
    while (next.node[third] == w->node[i] || next.node[third] == w->node[j])
        third++;
    if (!(rate[third] > 0.0))
        return move_along_edge(w, i, j);
    *w = next;
    return true;
}

/* From corner k to where d.x grows fastest: into a side that has the direction, *edge = -1, or
 * along an edge of it, to its corner *edge. False: nowhere. */
static bool turn_at_corner(wall *w, int k, int *edge)
{
    const int node = w->node[k];
    const wall start = *w;
    double best = 0.0;
    wall to = *w, end = {.e = -1};

    do { /* once around */
        const int i = w->node[0] == node ? 0 : w->node[1] == node ? 1 : 2;
        const int j[] = {(i + 1) % SAB_DIM, (i + 2) % SAB_DIM};
        double rate[SAB_DIM], unused;

        if (!is_open(w)) {
            const double square = rates_of(w, rate);

            if (rate[j[0]] >= 0.0 && rate[j[1]] >= 0.0 && square > best * best) {
                best = sqrt(square);
                to = *w;
                *edge = -1;
            }
            for (int m = 0; m < SAB_DIM - 1; m++) {
                const double slope = edge_slope(w, i, j[m], &unused);

                if (slope > best) {
                    best = slope;
                    to = *w;
                    *edge = j[m];
                }
            }
        }
        if (is_open(w))
            end = *w;
        cross_edge(w, i);
    } while (w->e != start.e || w->s != start.s);
    *w = to;
    put_at_corner(w, node);
    if (!(best > 0.0) && end.e >= 0)
        note_stop(w, &end);
    return best > 0.0;
}

/* The steepest way up d.x on the triangles of the wall: in a triangle along the part of d in it; at
 * an edge into the next one if that goes on, otherwise along the edge; at a corner the best of all.
 * About a corner it cannot go round, since d.x does not grow all the way; what rounding may do is
 * bounded. */
static int slide(const sab_mesh *mesh, const bool *open, const double *d, double rest, sab_foot *f,
                 sab_stop *stop)
{
    double size = 0.0, along[SAB_DIM]; /* squares of long paths overflow */
    wall w = {.mesh = mesh, .open = open, .d = along, .stop = {.element = -1}};
    int steps = 0;

    for (int i = 0; i < SAB_DIM; i++)
        size = fmax(size, fabs(d[i]));
    for (int i = 0; i < SAB_DIM; i++)
        along[i] = d[i] / size;
    w.rest = rest * size;
    set_side(&w, f->element, f->side);
    sab_cell_barycentric(mesh->cell->facet, f->at, w.l);
    for (; steps < 2 * mesh->nfacets; steps++) {
        const int corner = corner_at(&w);
        int edge = -1;

        if (corner >= 0 && !turn_at_corner(&w, corner, &edge))
            break;
        if (edge >= 0) {
            if (!move_along_edge(&w, corner_at(&w), edge))
                break;
        } else {
            const int k = move_in_side(&w);

            if (k < 0 || (corner_at(&w) < 0 && !leave_side(&w, k)))
                break;
        }
    }
    f->element = w.e;
    f->side = w.s;
    f->at[0] = w.l[1];
    f->at[1] = w.l[2];
    sab_foot_on_side(mesh->cell, f);
    *stop = w.stop;
    return steps;
}

const sab_walker sab_walker_tetrahedron = {walk, meet, slide};

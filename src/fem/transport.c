/* transport.c -- feet of trajectories by a straight walk through the mesh.
 *
 * The walk. The line from x along d divides the corners of the mesh into those on its left and
 * those on its right (a corner on the line counts as left). A triangle with both kinds has exactly
 * one side that runs, counterclockwise, from right to left: there the line leaves it. Its neighbour
 * has the same side from left to right, and so the next triangle depends on labels of corners only:
 * lines through corners or along sides need nothing special. No triangle but the first can come
 * twice, since each is entered by one side only; the walk ends there too, hence it never loops,
 * whatever rounding does to the labels.
 *
 * Curved triangles. The walk sees their chords; where it ends, the curve decides: the reference
 * point is found by Newton's method, in that triangle or in one that shares a curved side with it.
 */
#include "fem/transport.h"
#include "base/memory.h"
#include "fem/locate.h"
#include "fem/mass.h"

#include <math.h>
#include <string.h>

/* The walk is one of triangles. */
enum { NODES = 6, INSIDE = -1 /* instead of a side: the foot is in the element */ };

static const double SLACK = 1e-9;     /* in barycentric coordinates: on the side, not beyond */
static const double STRAIGHT = 1e-10; /* distance of a middle node, relative to its side */

struct sab_transport {
    const sab_space *space;
    sab_locator *locator; /* where the walk does not end in the right element */
    bool *open;           /* [nelements][3] */
    bool *curved;         /* [nelements] */
    double *w;            /* velocity vector, halfway between two steps */
};

/* The straight path x + s d, 0 <= s <= 1. */
typedef struct path {
    double x[2], d[2], end[2];
} path;

/* A foot: in an element, or where the path meets side `side` of it, at the share tau of the side.
 */
typedef struct foot {
    int element, side;
    double tau, xi[2];
} foot;

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* Positive on the left of the path. */
static double left_of(const path *p, const double v[2])
{
    return p->d[0] * (v[1] - p->x[1]) - p->d[1] * (v[0] - p->x[0]);
}

static const double *corner(const sab_mesh *mesh, int e, int i)
{
    return mesh->x + 2 * mesh->element[NODES * e + i % 3];
}

static int lowest_of(const double l[3])
{
    const int k = l[1] < l[0] ? 1 : 0;

    return l[2] < l[k] ? 2 : k;
}

/* Reference point of x in the triangle of the corners. Returns the smallest barycentric
 * coordinate; that of corner *lowest. */
static double invert_chords(const sab_mesh *mesh, int e, const double x[2], double xi[2],
                            int *lowest)
{
    const double *o = corner(mesh, e, 0), *a = corner(mesh, e, 1), *b = corner(mesh, e, 2);
    const double u[2] = {a[0] - o[0], a[1] - o[1]}, v[2] = {b[0] - o[0], b[1] - o[1]};
    const double r[2] = {x[0] - o[0], x[1] - o[1]}, det = cross(u, v);

    xi[0] = cross(r, v) / det;
    xi[1] = cross(u, r) / det;
    const double l[3] = {1.0 - xi[0] - xi[1], xi[0], xi[1]};
    *lowest = lowest_of(l);
    return l[*lowest];
}

/* Cross sides until the end of the path is not beyond the next one, or there is no neighbour.
 * Returns the number of sides crossed. */
static int walk(const sab_mesh *mesh, const path *p, foot *f)
{
    const int first = f->element;
    int e = first, i = 0, steps = 0;
    bool left[3];

    for (int k = 0; k < 3; k++)
        left[k] = left_of(p, corner(mesh, e, k)) >= 0.0;
    while (i < 3 && (left[i] || !left[(i + 1) % 3]))
        i++;
    f->side = INSIDE;
    while (i < 3) { /* i == 3: the line does not meet the first triangle, or d is zero */
        const double *a = corner(mesh, e, i), *b = corner(mesh, e, i + 1);
        const double side[2] = {b[0] - a[0], b[1] - a[1]};
        const double to_end[2] = {p->end[0] - a[0], p->end[1] - a[1]};
        const int next = mesh->neighbour[3 * e + i], node = mesh->element[NODES * e + (i + 1) % 3];

        if (!(cross(side, to_end) < 0.0))
            break;
        if (next < 0) {
            f->side = i;
            break;
        }
        if (next == first)
            break;
        e = next;
        steps++;
        for (i = 0; mesh->element[NODES * e + i] != node; i++)
            ; /* the side entered runs from corner i (left) to i + 1 (right) */
        i = (left_of(p, corner(mesh, e, i + 2)) >= 0.0 ? i + 1 : i + 2) % 3;
    }
    f->element = e;
    return steps;
}

static void side_point(int side, double tau, double xi[2])
{
    static const double at[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {0.0, 1.0}};
    const double *a = at[side], *b = at[(side + 1) % 3];

    xi[0] = a[0] + tau * (b[0] - a[0]);
    xi[1] = a[1] + tau * (b[1] - a[1]);
}

/* Where the line meets the parabola of side f->side, whose ends are right and left of it: the root
 * in [0,1] of the quadratic through the three values of left_of. Returns the share of the path that
 * lies beyond. */
static double meet_side(const sab_mesh *mesh, const path *p, foot *f)
{
    const double *a = corner(mesh, f->element, f->side), *b = corner(mesh, f->element, f->side + 1);
    const double *m = mesh->x + 2 * mesh->element[NODES * f->element + 3 + f->side];
    const double length = hypot(p->d[0], p->d[1]); /* squares of long paths overflow */
    const double fa = left_of(p, a) / length, fb = left_of(p, b) / length;
    const double fm = left_of(p, m) / length;
    const double slope = 4.0 * fm - 3.0 * fa - fb, bend = 2.0 * (fa + fb) - 4.0 * fm;
    const double root = sqrt(fmax(slope * slope - 4.0 * bend * fa, 0.0));
    double at[2];

    f->tau = slope >= 0.0 ? -2.0 * fa / (slope + root) : (root - slope) / (2.0 * bend);
    f->tau = fmin(fmax(f->tau, 0.0), 1.0);
    side_point(f->side, f->tau, f->xi);
    sab_mesh_map(mesh, f->element, f->xi, at, NULL);
    const double done[2] = {at[0] - p->x[0], at[1] - p->x[1]};
    return fmin(fmax(1.0 - dot(done, p->d) / length / length, 0.0), 1.0);
}

/* The boundary side after (before) a boundary side: turn about the corner they share. */
static void next_side(const sab_mesh *mesh, bool forward, int *e, int *side)
{
    const int node = mesh->element[NODES * *e + (forward ? (*side + 1) % 3 : *side)];

    for (int n = *e; n >= 0; n = mesh->neighbour[3 * *e + *side]) {
        int k = 0;

        *e = n;
        while (mesh->element[NODES * n + k] != node)
            k++;
        *side = forward ? k : (k + 2) % 3;
    }
}

/* Go on along the wall for the rest of the path with the part of d along its sides (chords). d.x
 * grows all the way: no side comes twice. Ends in a corner that d points into, and where the wall
 * ends. Returns the number of sides passed. */
static int slide(const sab_transport *t, const double d[2], double rest, foot *f)
{
    const sab_mesh *mesh = t->space->mesh;
    int steps = 0, e = f->element, side = f->side;
    bool forward = false;

    for (;; steps++) {
        const double *a = corner(mesh, e, side), *b = corner(mesh, e, side + 1);
        const double chord[2] = {b[0] - a[0], b[1] - a[1]};
        const double rate = dot(d, chord) / dot(chord, chord);

        if (steps > 0) {
            if (t->open[3 * e + side] || (forward ? !(rate > 0.0) : !(rate < 0.0)))
                break; /* at the corner reached before */
            f->element = e;
            f->side = side;
            f->tau = forward ? 0.0 : 1.0;
        }
        forward = rate > 0.0;
        const double room = (forward ? 1.0 : 0.0) - f->tau;
        if (!(rest * fabs(rate) > fabs(room))) {
            f->tau += rest * rate;
            break;
        }
        f->tau += room;
        rest -= room / rate;
        next_side(mesh, forward, &e, &side);
    }
    side_point(f->side, f->tau, f->xi);
    return steps;
}

/* Reference point of x, which the chords place in element f->element: there, in a triangle beside
 * it, or anywhere. If nowhere, x is outside by the depth of a curved side: the nearest point of
 * the element in reference coordinates, and the side it is on. */
static void settle(const sab_transport *t, const double x[2], foot *f)
{
    const sab_mesh *mesh = t->space->mesh;
    int lowest;

    if (t->curved[f->element] ? sab_locate_inside(mesh, f->element, x, f->xi) >= -SLACK
                              : invert_chords(mesh, f->element, x, f->xi, &lowest) >= -SLACK)
        return;
    for (int i = 0; i < 3; i++) {
        const int next = mesh->neighbour[3 * f->element + i];

        if (next >= 0 && sab_locate_inside(mesh, next, x, f->xi) >= -SLACK) {
            f->element = next;
            return;
        }
    }
    const int found = sab_locator_find(t->locator, x, f->xi);
    if (found >= 0) {
        f->element = found;
        return;
    }
    if (sab_locate_inside(mesh, f->element, x, f->xi) <= -1.0)
        invert_chords(mesh, f->element, x, f->xi, &lowest);
    double l[3] = {1.0 - f->xi[0] - f->xi[1], f->xi[0], f->xi[1]};
    f->side = (lowest_of(l) + 1) % 3; /* opposite */
    for (int i = 0; i < 3; i++)
        l[i] = fmax(l[i], 0.0);
    f->xi[0] = l[1] / (l[0] + l[1] + l[2]);
    f->xi[1] = l[2] / (l[0] + l[1] + l[2]);
}

/* Follow x + d from point xi of element e. */
static foot find_foot(const sab_transport *t, int e, const double xi[2], const double d[2],
                      sab_transport_report *report)
{
    const sab_mesh *mesh = t->space->mesh;
    foot f = {.element = e, .side = INSIDE, .xi = {xi[0], xi[1]}};
    path p = {.d = {d[0], d[1]}};
    int steps = 0, lowest;

    sab_mesh_map(mesh, e, xi, p.x, NULL);
    p.end[0] = p.x[0] + d[0];
    p.end[1] = p.x[1] + d[1];
    report->points++;
    if (!isfinite(p.end[0]) || !isfinite(p.end[1])) { /* show it in the velocity, not in a crash */
        f.xi[0] = f.xi[1] = NAN;
        return f;
    }
    if (t->curved[e]) { /* x may lie between a curved side and its chord */
        double at[2];
        const double low = invert_chords(mesh, e, p.x, at, &lowest);
        const int beside = mesh->neighbour[3 * e + (lowest + 1) % 3];

        f.element = low < 0.0 && beside >= 0 ? beside : e;
    }
    steps = walk(mesh, &p, &f);
    if (f.side == INSIDE)
        settle(t, p.end, &f);
    else if (!t->curved[f.element] ||
             sab_locate_inside(mesh, f.element, p.end, f.xi) < -SLACK) { /* truly outside */
        const double rest = meet_side(mesh, &p, &f);

        if (!t->open[3 * f.element + f.side])
            steps += slide(t, d, rest, &f);
    } else
        f.side = INSIDE; /* beyond the chord, but not beyond the curve */
    if (f.side != INSIDE) {
        const bool open = t->open[3 * f.element + f.side];

        report->left += open;
        report->clamped += !open;
    }
    report->steps += steps;
    report->longest = steps > report->longest ? steps : report->longest;
    return f;
}

/* v = U at a foot. */
static void velocity_at(const sab_space *space, const foot *f, const double *U, double v[2])
{
    const int *node = space->mesh->element + NODES * f->element;
    const double l[3] = {1.0 - f->xi[0] - f->xi[1], f->xi[0], f->xi[1]};

    v[0] = v[1] = 0.0;
    for (int i = 0; i < 3; i++) {
        const double *end = U + 2 * node[i], *middle = U + 2 * node[3 + i];
        const double phi = l[i] * (2.0 * l[i] - 1.0), psi = 4.0 * l[i] * l[(i + 1) % 3];

        v[0] += phi * end[0] + psi * middle[0];
        v[1] += phi * end[1] + psi * middle[1];
    }
    if (space->element->inner > 0) {
        const double *at = U + 2 * ((size_t)space->mesh->nnodes + (size_t)f->element);
        double phi;

        space->element->bubbles(f->xi, &phi);
        v[0] += phi * at[0];
        v[1] += phi * at[1];
    }
}

/* v = U(x - dt wind) for point xi of element e; wind and v may be the same. */
static void carry(const sab_transport *t, int e, const double xi[2], double dt,
                  const double wind[2], const double *U, double v[2], sab_transport_report *report)
{
    const foot f = find_foot(t, e, xi, (const double[2]){-dt * wind[0], -dt * wind[1]}, report);

    velocity_at(t->space, &f, U, v);
}

static bool is_curved(const sab_mesh *mesh, int e)
{
    for (int i = 0; i < 3; i++) {
        const double *a = corner(mesh, e, i), *b = corner(mesh, e, i + 1);
        const double *m = mesh->x + 2 * mesh->element[NODES * e + 3 + i];
        const double off = hypot(m[0] - 0.5 * (a[0] + b[0]), m[1] - 0.5 * (a[1] + b[1]));

        if (off > STRAIGHT * hypot(b[0] - a[0], b[1] - a[1]))
            return true;
    }
    return false;
}

sab_status sab_transport_create(const sab_space *space, const bool *open, sab_transport **transport,
                                sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    sab_status status = SAB_OK;
    sab_transport *t = NULL;

    *transport = NULL;
    SAB_NEW(t, 1);
    t->space = space;
    SAB_TRY(sab_locator_create(mesh, &t->locator, err));
    SAB_NEW(t->open, 3 * (size_t)mesh->nelements);
    SAB_NEW(t->curved, mesh->nelements);
    SAB_NEW(t->w, sab_space_size(space));
    for (int f = 0; open != NULL && f < mesh->nfacets; f++)
        if (!mesh->facet_interior[f])
            t->open[3 * mesh->facet_element[f] + mesh->facet_side[f]] = open[f];
    for (int e = 0; e < mesh->nelements; e++)
        t->curved[e] = is_curved(mesh, e);
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
    sab_transport_report sum = {0};

    sab_mass_interpolate(t->space, wind, v);
    for (int e = 0; e < t->space->mesh->nelements; e++)
        for (int q = 0; q < rule->n; q++, v += 2)
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
    sab_transport_report sum = {0};

    for (size_t i = 0; i < size; i++)
        t->w[i] = 1.5 * now[i] - 0.5 * before[i];
    sab_mass_interpolate(t->space, t->w, v1);
    for (int e = 0; e < t->space->mesh->nelements; e++)
        for (int q = 0; q < rule->n; q++, v1 += 2, v2 += 2) {
            double middle[2];

            carry(t, e, rule->xi[q], 0.5 * dt, v1, t->w, middle, &sum);
            carry(t, e, rule->xi[q], dt, middle, now, v1, &sum);
            carry(t, e, rule->xi[q], 2.0 * dt, v1, before, v2, &sum);
        }
    if (report != NULL)
        *report = sum;
}

void sab_transport_from_side(const sab_transport *t, int facet, double tau, const double d[2],
                             const double *U, double v[2])
{
    const sab_mesh *mesh = t->space->mesh;
    sab_transport_report ignored = {0};
    double xi[2];

    side_point(mesh->facet_side[facet], tau, xi);
    const foot f = find_foot(t, mesh->facet_element[facet], xi, d, &ignored);
    velocity_at(t->space, &f, U, v);
}

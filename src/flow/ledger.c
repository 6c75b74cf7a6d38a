/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/ledger.h"
#include "fem/integral.h"
#include "flow/inertia.h"
#include "flow/walls.h"

#include <math.h>
#include <string.h>

/* Share of E, the larger of before and after, that a step may make of nothing: the runs that it
 * comes from are in docs/theory.md, 3.4. */
static const double UNSOUND = 0.02;
static const double ROUNDING = 1e-6;

void sab_ledger_add(sab_ledger *sum, const sab_ledger *part)
{
    sum->energy = part->energy;
    sum->gain += part->gain;
    sum->gravity += part->gravity;
    sum->traction += part->traction;
    sum->walls += part->walls;
    sum->viscous += part->viscous;
    sum->friction += part->friction;
    sum->inflow += part->inflow;
    sum->loss += part->loss;
    sum->carried += part->carried;
    sum->in += part->in;
    sum->out += part->out;
    sum->given += part->given;
    sum->dilation += part->dilation;
    sum->excess += part->excess;
    sum->defect += part->defect;
    sum->lifted += part->lifted;
}

/* Friction that is negative is the gap of a solve near rest, and not energy from nowhere; a body
 * that nothing slows down gains and loses rounding only. */
bool sab_ledger_is_stable(const sab_ledger *l)
{
    const double taken = l->loss + l->viscous + fmax(l->friction, 0.0) + l->inflow;

    return isfinite(l->energy) && l->carried - l->given <= taken + ROUNDING * l->energy;
}

double sab_ledger_excess(const sab_ledger *l)
{
    const double scale = fmax(l->energy, l->energy - l->gain); /* after, or before */

    return scale > 0.0 ? l->excess / scale : 0.0;
}

bool sab_ledger_is_sound(const sab_ledger *l)
{
    return sab_ledger_excess(l) <= UNSOUND && sab_ledger_is_stable(l);
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0.0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* sum w |x u + y b + z c|^2 over the points of the mass matrix */
static double square(const sab_inertia *it, const double *u, double x, double y, double z)
{
    const int dim = it->mass->at->s;
    double sum = 0.0;

    for (int p = 0; p < it->mass->at->n; p++)
        for (int i = dim * p; i < dim * (p + 1); i++) {
            const double v = x * u[i] + y * it->b[i] + (z != 0.0 ? z * it->c[i] : 0.0);

            sum += it->mass->at->weight[p] * v * v;
        }
    return sum;
}

double sab_ledger_stored(const sab_flow *flow)
{
    const sab_inertia *it = flow->inertia;

    sab_mass_interpolate(flow->space, it->velocity, it->work);
    return 0.25 * (square(it, it->work, 1.0, 0.0, 0.0) + square(it, it->work, 2.0, -1.0, 0.0));
}

/* What the time derivative contributes: c dt (u - w).u = E' - E - carried + loss, with
 *     order 1:  2 (u - b).u      = |u|^2 - |b|^2 + |u - b|^2
 *     order 2:  (3u - 4b + c).u  = (|u|^2 + |2u-b|^2 - |b|^2 - |2b-c|^2 + |u-2b+c|^2)/2 */
static void take_change(const sab_flow *flow, int order, sab_ledger *l)
{
    const sab_inertia *it = flow->inertia;
    double before, moved;

    if (order == 1) {
        sab_mass_interpolate(flow->space, it->previous, it->work);
        before = 0.5 * square(it, it->work, 1.0, 0.0, 0.0);
        sab_mass_interpolate(flow->space, it->velocity, it->work);
        moved = 0.5 * square(it, it->work, 0.0, 1.0, 0.0);
        l->energy = 0.5 * square(it, it->work, 1.0, 0.0, 0.0);
        l->loss = 0.5 * square(it, it->work, 1.0, -1.0, 0.0);
    } else {
        before = it->stored;
        sab_mass_interpolate(flow->space, it->velocity, it->work);
        moved = 0.25 * (square(it, it->work, 0.0, 1.0, 0.0) + square(it, it->work, 0.0, 2.0, -1.0));
        l->energy =
            0.25 * (square(it, it->work, 1.0, 0.0, 0.0) + square(it, it->work, 2.0, -1.0, 0.0));
        l->loss = 0.25 * square(it, it->work, 1.0, -2.0, 1.0);
    }
    l->gain = l->energy - before;
    l->carried = moved - before;
}

void sab_ledger_take_work(sab_flow *flow, double dt, sab_ledger *l)
{
    const sab_inertia *it = flow->inertia;
    const sab_fields *f = flow->fields;
    const size_t size = sab_space_size(flow->space);
    const double *U = it->velocity;
    const int s = flow->space->geometry->s;
    double contact = 0.0, brought;

    l->gravity = dt * dot(size, it->weight, U);
    l->traction = dt * (dot(size, it->applied, U) - dot(size, it->weight, U));
    l->viscous = dt * sab_integral_of(f, SAB_INTEGRAL_VISCOUS_DISSIPATION, 0.0, NULL);
    for (int q = 0; q < flow->space->npoints; q++)
        contact += 2.0 * flow->space->weight[q] *
                   (dot((size_t)s, f->lambda + s * q, f->strain_rate + s * q) -
                    f->law.rate[q] *
                        dot((size_t)s - 1, f->strain_rate + s * q + 1, f->strain_rate + s * q + 1));
    const sab_wall_powers walls = sab_flow_walls_powers(flow);
    l->viscous += dt * walls.drag;
    l->friction = -dt * (contact + walls.contact);
    if (flow->surface == NULL) {
        l->inflow = dt * sab_inflow_power(it->inflow, U, &brought);
        l->given += dt * brought;
    }
    memset(flow->work, 0, size * sizeof *flow->work); /* reactions: int D(v):sigma - load */
    sab_space_internal_force(flow->space, f->total, flow->work);
    l->walls = dt * (dot(size, flow->work, it->prescribed) - dot(size, flow->load, it->prescribed));
    if (flow->walls != NULL)
        l->walls += dt * (walls.delivered - dot(size, flow->wall_force, it->prescribed));
}

/* Half |u|^2 is carried by the velocity v = (a + b)/2: the mean of that of a and of b. */
typedef struct carrier {
    const sab_space *space;
    const double *a, *b;
} carrier;

/* Energy and velocity from n values of shape functions, `index` their places. */
static double energy_at(const carrier *c, int n, const int *index, const double *shape, double *v)
{
    const int dim = c->space->geometry->dim;
    double a[SAB_DIM] = {0.0}, b[SAB_DIM] = {0.0};

    for (int k = 0; k < n; k++)
        for (int i = 0; i < dim; i++) {
            a[i] += shape[k] * c->a[dim * index[k] + i];
            b[i] += shape[k] * c->b[dim * index[k] + i];
        }
    for (int i = 0; i < dim; i++)
        v[i] = 0.5 * (a[i] + b[i]);
    return 0.25 * (dot((size_t)dim, a, a) + dot((size_t)dim, b, b));
}

/* The same on a side, at point xi of a facet. */
typedef struct side_point {
    int facet, n, index[SAB_SIDE_SHAPES];
    const double *xi;
    sab_p2_side p;
    double v[SAB_DIM], energy, flux; /* flux: v.n ds/dxi */
} side_point;

static void look_at_side(const carrier *c, int facet, const double *xi, side_point *at)
{
    const sab_space *space = c->space;
    double value[SAB_SIDE_SHAPES];

    at->facet = facet;
    at->xi = xi;
    at->n = sab_element_side_index(space->element, space->mesh, facet, at->index);
    sab_element_side_at(space->element, space->mesh, facet, xi, &at->p, value);
    at->energy = energy_at(c, at->n, at->index, value, at->v);
    at->flux = dot((size_t)space->geometry->dim, at->v, at->p.normal_ds);
}

static void cross(const double *a, const double *b, double *c)
{
    for (int i = 0; i < SAB_DIM; i++) {
        const int j = (i + 1) % SAB_DIM, k = (i + 2) % SAB_DIM;

        c[i] = a[j] * b[k] - a[k] * b[j];
    }
}

/* The flux of v through the side moved to x(xi) - tau v(xi), whose tangents are t_a - tau v_a with
 * v_a = dv/dxi_a:
 *     v.(t_1 - tau v_1) x (t_2 - tau v_2) = flux - tau sum_a turn_a.v_a + tau^2 v.(v_1 x v_2),
 *     turn_1 = t_2 x v, turn_2 = v x t_1; in the plane flux - tau v x v_1. */
static double flux_behind(const carrier *c, const side_point *at, double tau)
{
    const sab_element *element = c->space->element;
    const int dim = c->space->geometry->dim;
    double turn[SAB_DIM - 1][SAB_DIM] = {{-at->v[1], at->v[0]}};
    double slope[SAB_SIDE_SHAPES][SAB_DIM - 1], along[SAB_DIM - 1][SAB_DIM] = {{0.0}};
    double first = 0.0, second = 0.0, n[SAB_DIM];

    if (dim == SAB_DIM) {
        cross(at->p.tangent[1], at->v, turn[0]);
        cross(at->v, at->p.tangent[0], turn[1]);
    }
    sab_element_side_slopes(element, at->xi, &at->p, slope);
    for (int k = 0; k < at->n; k++)
        for (int i = 0; i < dim; i++) {
            const double a = c->a[dim * at->index[k] + i], b = c->b[dim * at->index[k] + i];

            for (int j = 0; j < dim - 1; j++) {
                first += turn[j][i] * slope[k][j] * 0.5 * (a + b);
                along[j][i] += slope[k][j] * 0.5 * (a + b);
            }
        }
    if (dim == SAB_DIM) {
        cross(along[0], along[1], n);
        second = dot(SAB_DIM, at->v, n);
    }
    return at->flux - tau * first + tau * tau * second;
}

/* What leaves in a step is what was in the strip y = x - tau v, x on the side, 0 < tau < dt, of
 * volume dtau dxi times the flux through the side behind. The trapezoidal rule in tau; this is its
 * second value. */
static double energy_behind(const sab_flow *flow, const carrier *c, const side_point *at, double dt)
{
    const sab_geometry *geometry = c->space->geometry;
    const size_t dim = (size_t)geometry->dim;
    double d[SAB_DIM], y[SAB_DIM], a[SAB_DIM], b[SAB_DIM];

    for (size_t i = 0; i < dim; i++) {
        d[i] = -dt * at->v[i];
        y[i] = at->p.x[i] + d[i];
    }
    sab_transport_from_side(flow->inertia->transport, at->facet, at->xi, d, c->a, a);
    sab_transport_from_side(flow->inertia->transport, at->facet, at->xi, d, c->b, b);
    return fmax(geometry->measure(y), 0.0) * 0.25 * (dot(dim, a, a) + dot(dim, b, b)) *
           fmax(flux_behind(c, at, dt), 0.0);
}

static void take_sides(const sab_flow *flow, const carrier *c, double dt, sab_ledger *l)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_quadrature *rule = sab_side_rule(mesh->cell);

    for (int f = 0; f < mesh->nfacets; f++)
        for (int q = 0; q < rule->n; q++) {
            side_point at;

            if (mesh->facet_interior[f] || !flow->inertia->open[f])
                continue;
            look_at_side(c, f, rule->xi[q], &at);
            const double w = dt * rule->weight[q], m = flow->space->geometry->measure(at.p.x);
            const double e = at.energy;
            if (at.flux > 0.0)
                l->out += 0.5 * w * (m * e * at.flux + energy_behind(flow, c, &at, dt));
            else
                l->in -= w * m * e * at.flux;
            l->given -= flow->inertia->part[f] >= 0 ? 0.0 : w * m * e * fmin(at.flux, 0.0);
        }
}

/* dt int 1/2|u|^2 div u over the law points, where the law knows div u = sqrt(2d) gamma_N. */
static void take_dilation(const sab_flow *flow, const carrier *c, double dt, sab_ledger *l)
{
    const sab_space *space = flow->space;
    const int s = space->geometry->s, points = space->element->law->n;
    const double trace = sab_geometry_trace(space->geometry);
    double *gamma = flow->fields->work;

    for (size_t i = 0; i < sab_space_size(space); i++)
        flow->work[i] = 0.5 * (c->a[i] + c->b[i]);
    sab_space_strain_rate(space, flow->work, gamma);
    for (int q = 0; q < space->npoints; q++) {
        double shape[SAB_SHAPES], v[SAB_DIM];
        int index[SAB_SHAPES];
        const int shapes = sab_element_index(space->element, space->mesh, q / points, index);

        sab_element_values(space->element, sab_space_xi(space, q / points, q % points), shape);
        l->dilation +=
            dt * space->weight[q] * trace * gamma[s * q] * energy_at(c, shapes, index, shape, v);
    }
}

void sab_ledger_take(sab_flow *flow, double dt, int order, sab_ledger *l)
{
    const sab_inertia *it = flow->inertia;
    const carrier c = {flow->space, it->previous, order == 1 ? it->previous : it->velocity};

    *l = (sab_ledger){0};
    take_change(flow, order, l);
    sab_ledger_take_work(flow, dt, l);
    take_sides(flow, &c, dt, l);
    take_dilation(flow, &c, dt, l);
    l->excess = l->carried - l->in + l->out - l->dilation;
    l->defect = l->gain - (l->gravity + l->traction + l->walls - l->viscous - l->friction -
                           l->inflow - l->loss + l->carried);
}

#include "flow/ledger.h"
#include "fem/integral.h"
#include "flow/inertia.h"

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
    double sum = 0.0;

    for (int p = 0; p < it->mass->at->n; p++)
        for (int i = 2 * p; i < 2 * p + 2; i++) {
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

/* The work of what acts on the material, and what takes energy from it. */
static void take_work(sab_flow *flow, double dt, sab_ledger *l)
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
    l->friction = -dt * contact;
    l->inflow = dt * sab_inflow_power(it->inflow, U, &brought);
    l->given += dt * brought;
    memset(flow->work, 0, size * sizeof *flow->work); /* reactions: int D(v):sigma - load */
    sab_space_internal_force(flow->space, f->total, flow->work);
    l->walls = dt * (dot(size, flow->work, it->prescribed) - dot(size, flow->load, it->prescribed));
}

/* Half |u|^2 is carried by the velocity v = (a + b)/2: the mean of that of a and of b. */
typedef struct carrier {
    const sab_space *space;
    const double *a, *b;
} carrier;

/* Energy and velocity from n values of shape functions, `index` their places. */
static double energy_at(const carrier *c, int n, const int *index, const double *shape, double v[2])
{
    double a[2] = {0.0, 0.0}, b[2] = {0.0, 0.0};

    for (int k = 0; k < n; k++)
        for (int i = 0; i < 2; i++) {
            a[i] += shape[k] * c->a[2 * index[k] + i];
            b[i] += shape[k] * c->b[2 * index[k] + i];
        }
    for (int i = 0; i < 2; i++)
        v[i] = 0.5 * (a[i] + b[i]);
    return 0.25 * (dot(2, a, a) + dot(2, b, b));
}

/* What leaves in a step is what was in the strip y = x - tau v, x on the side, 0 < tau < dt, of
 * area (v.n - tau v x dv/ds) ds dtau. The trapezoidal rule in tau; this is its second value. */
static double energy_behind(const sab_flow *flow, const carrier *c, int facet, int q, double dt,
                            const double v[2], double flux)
{
    const double d[2] = {-dt * v[0], -dt * v[1]}, tau = sab_line_degree7.xi[q][0];
    const double slope[] = {4.0 * tau - 3.0, 4.0 * tau - 1.0, 4.0 - 8.0 * tau};
    const int *node = sab_mesh_facet(flow->setup.mesh, facet);
    double a[2], b[2], turn = 0.0;

    for (int k = 0; k < flow->setup.mesh->cell->facet->nodes; k++)
        for (int i = 0; i < 2; i++)
            turn += (i == 0 ? -v[1] : v[0]) * slope[k] * 0.5 *
                    (c->a[2 * node[k] + i] + c->b[2 * node[k] + i]);
    sab_transport_from_side(flow->inertia->transport, facet, tau, d, c->a, a);
    sab_transport_from_side(flow->inertia->transport, facet, tau, d, c->b, b);
    return 0.25 * (dot(2, a, a) + dot(2, b, b)) * fmax(flux - dt * turn, 0.0);
}

static void take_sides(const sab_flow *flow, const carrier *c, double dt, sab_ledger *l)
{
    const sab_mesh *mesh = flow->setup.mesh;

    for (int f = 0; f < mesh->nfacets; f++)
        for (int q = 0; q < sab_line_degree7.n; q++) {
            sab_p2_side p;
            double v[2];

            if (mesh->facet_interior[f] || !flow->inertia->open[f])
                continue;
            sab_p2_side_at(mesh, f, sab_line_degree7.xi[q], &p);
            const double e =
                energy_at(c, mesh->cell->facet->nodes, sab_mesh_facet(mesh, f), p.value, v);
            const double w = dt * sab_line_degree7.weight[q] * flow->space->geometry->measure(p.x);
            const double flux = dot(2, v, p.normal_ds);
            if (flux > 0.0)
                l->out += 0.5 * w * (e * flux + energy_behind(flow, c, f, q, dt, v, flux));
            else
                l->in -= w * e * flux;
            l->given -= flow->inertia->part[f] >= 0 ? 0.0 : w * e * fmin(flux, 0.0);
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
        double shape[SAB_SHAPES], v[2];
        int index[SAB_SHAPES];
        const int shapes = sab_element_index(space->element, space->mesh, q / points, index);

        sab_element_values(space->element, space->element->law->xi[q % points], shape);
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
    take_work(flow, dt, l);
    take_sides(flow, &c, dt, l);
    take_dilation(flow, &c, dt, l);
    l->excess = l->carried - l->in + l->out - l->dilation;
    l->defect = l->gain - (l->gravity + l->traction + l->walls - l->viscous - l->friction -
                           l->inflow - l->loss + l->carried);
}

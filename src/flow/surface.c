/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/surface.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/timer.h"
#include "fem/axis.h"
#include "fem/flux.h"
#include "flow/inertia.h"
#include "flow/law.h"
#include "flow/walls.h"

#include <math.h>
#include <string.h>

/* A prescribed velocity may pass through its side by this share of itself: sides of a drum. */
static const double TIGHT = 0.02;

sab_surface_setup sab_surface_default(void)
{
    return (sab_surface_setup){.points = 3,
                               .dense = 0.8,
                               .contact = 0.1,
                               .light = 1e-4,
                               .correct = true,
                               .band = 0.01,
                               .fewest = 18};
}

static sab_status refuse_loads(const sab_boundary *at, int dim, sab_error *err)
{
    bool loaded = at->has_pressure && (at->pressure.call != NULL || at->pressure.constant != 0.0);

    for (int i = 0; i < dim && at->has_traction; i++)
        loaded = loaded || at->traction[i].call != NULL || at->traction[i].constant != 0.0;
    return loaded ? sab_fail(err, SAB_ERR_INPUT,
                             "boundaries.%s: a traction or pressure would act on the void, where "
                             "there may be no grains: with a moving surface only traction: 0",
                             at->group)
                  : SAB_OK;
}

/* Does the prescribed velocity U take grains in or out, without feeding any? */
static sab_status refuse_feeding(const sab_flow *flow, int b, const double *U, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_mesh_group *group = &mesh->group[flow->group[b]];
    const sab_quadrature *rule = sab_side_rule(mesh->cell);
    double through = 0.0, along = 0.0;

    for (int i = 0; i < group->nfacets; i++)
        for (int q = 0; q < rule->n; q++) {
            int index[SAB_SIDE_SHAPES];
            double value[SAB_SIDE_SHAPES], v[SAB_DIM] = {0.0}, flux = 0.0, speed = 0.0, area = 0.0;
            sab_p2_side p;
            const int n = sab_element_side_at(flow->space->element, mesh, group->facet[i],
                                              rule->xi[q], &p, value);

            sab_element_side_index(flow->space->element, mesh, group->facet[i], index);
            for (int k = 0; k < mesh->cell->dim; k++) {
                for (int a = 0; a < n; a++)
                    v[k] += value[a] * U[mesh->cell->dim * index[a] + k];
                flux += v[k] * p.normal_ds[k];
                speed = hypot(speed, v[k]);
                area = hypot(area, p.normal_ds[k]);
            }
            through += rule->weight[q] * fabs(flux);
            along += rule->weight[q] * speed * area;
        }
    return through > TIGHT * along
               ? sab_fail(err, SAB_ERR_INPUT,
                          "boundaries.%s: this velocity goes through the side: where the surface "
                          "moves give inflow: {velocity: ...} to feed grains, traction: 0 to let "
                          "them out, or a velocity along the side",
                          flow->setup.boundary[b].group)
               : SAB_OK;
}

/* Grains leave through sides that nobody holds. */
static sab_status find_open(const sab_flow *flow, sab_surface *s, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const double axis = sab_axis_reach(mesh, flow->setup.geometry);
    double *U = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(s->open, mesh->nfacets);
    SAB_NEW(s->feeds, mesh->nfacets);
    SAB_NEW(U, sab_space_size(flow->space));
    sab_space_expand(flow->space, flow->dofs, NULL, U);
    for (int f = 0; f < mesh->nfacets; f++)
        s->feeds[f] = -1;
    for (int f = 0; f < mesh->nfacets; f++)
        s->open[f] = !mesh->facet_interior[f] && !sab_facet_on_axis(mesh, axis, f);
    for (int b = 0; b < flow->setup.nboundaries; b++) {
        const sab_boundary *at = &flow->setup.boundary[b];
        const sab_mesh_group *group = &mesh->group[flow->group[b]];
        const bool held = at->slip || at->has_wall || at->has_velocity;

        SAB_TRY(refuse_loads(at, flow->setup.geometry->dim, err));
        if (at->periodic != NULL)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "boundaries.%s: grains whose surface moves do not go on at periodic sides yet",
                     at->group);
        for (int i = 0; i < group->nfacets && held; i++) {
            s->open[group->facet[i]] = false;
            if (at->has_inflow && !mesh->facet_interior[group->facet[i]])
                s->feeds[group->facet[i]] = b;
        }
        if (at->has_velocity && !at->has_inflow)
            SAB_TRY(refuse_feeding(flow, b, U, err));
    }
cleanup:
    SAB_FREE(U);
    return status;
}

/* s->force for the carriers that there are now. */
static sab_status make_workspace(sab_surface *s, sab_error *err)
{
    const size_t dim = (size_t)s->carriers->space->mesh->cell->dim;
    sab_status status = SAB_OK;

    if (s->carriers->n <= s->room_for)
        return SAB_OK;
    SAB_FREE(s->force);
    s->room_for = 0;
    SAB_NEW(s->force, dim * (size_t)s->carriers->capacity);
    s->room_for = s->carriers->capacity;
cleanup:
    return status;
}

/* Carriers of element e, from `first` on, with the fill of their place, and without those that have
 * none. */
static sab_status thin_out(const sab_surface *s, int first, sab_error *err)
{
    sab_carriers *c = s->carriers;
    const int dim = c->space->mesh->cell->dim;
    sab_status status = SAB_OK;
    int kept = first;

    for (int p = first; p < c->n; p++) {
        const sab_vars at = sab_vars_at(dim, c->at[p].x, 0.0);
        double fill;

        SAB_TRY(sab_function_at(s->setup.fill, &at, &fill, err));
        if (!(fill >= 0.0 && fill <= 1.0)) {
            char place[SAB_PLACE_TEXT];

            SAB_FAIL(err, SAB_ERR_INPUT, "initial.fill: it is %g at %s, not between 0 and 1", fill,
                     sab_place_text(dim, c->at[p].x, place));
        }
        if (fill == 0.0)
            continue;
        c->at[p].mass *= fill;
        c->at[kept++] = c->at[p];
    }
    c->n = kept;
cleanup:
    return status;
}

/* The elements of the group that is full; NULL if none is named. */
static sab_status find_region(const sab_surface *s, const bool **has, sab_error *err)
{
    const sab_mesh *mesh = s->carriers->space->mesh;
    const int region = s->setup.group != NULL ? sab_mesh_find_region(mesh, s->setup.group) : -1;
    sab_status status = SAB_OK;
    sab_text known = {0};

    *has = region >= 0 ? mesh->region[region].has : NULL;
    if (region >= 0 || s->setup.group == NULL)
        return SAB_OK;
    for (int i = 0; i < mesh->nregions; i++)
        SAB_TRY(
            sab_text_add(&known, err, "%s%s", i > 0 ? ", " : "; there are ", mesh->region[i].name));
    SAB_FAIL(err, SAB_ERR_INPUT, "initial.fill.group: no group of elements is called '%s'%s",
             s->setup.group, known.length > 0 ? known.data : ", the mesh names none");
cleanup:
    sab_text_destroy(&known);
    return status;
}

/* Carriers in every element that is to have some. */
static sab_status fill_up(const sab_flow *flow, sab_surface *s, sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    sab_carriers *c = s->carriers;
    const bool *has;
    sab_status status = SAB_OK;

    SAB_TRY(find_region(s, &has, err));
    for (int e = 0; e < mesh->nelements; e++) {
        const int first = c->n;

        if (has != NULL && !has[e])
            continue;
        SAB_TRY(sab_carriers_fill(c, e, s->setup.points, 1.0, err));
        if (has == NULL)
            SAB_TRY(thin_out(s, first, err));
    }
    if (c->n == 0 && s->feeder == NULL)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "initial.fill: there are no grains at all: it is 0 at every point");
    sab_carriers_sort(c);
    SAB_TRY(make_workspace(s, err));
    sab_carriers_velocity(c, flow->inertia->velocity, s->force);
cleanup:
    return status;
}

static sab_status create_feeder(const sab_flow *flow, sab_surface *s, sab_error *err)
{
    const int n = flow->setup.mesh->nfacets;
    sab_status status = SAB_OK;
    bool *feeds = NULL;

    SAB_NEW(feeds, n);
    for (int f = 0; f < n; f++)
        feeds[f] = s->feeds[f] >= 0;
    SAB_TRY(sab_feeder_create(flow->space, feeds, s->setup.points, &s->feeder, err));
cleanup:
    SAB_FREE(feeds);
    return status;
}

sab_status sab_surface_create(const sab_flow *flow, sab_surface **surface, sab_error *err)
{
    const int dim = flow->setup.geometry->dim;
    const size_t points = (size_t)flow->program->npoints;
    sab_status status = SAB_OK;
    sab_surface *s = NULL;

    *surface = NULL;
    SAB_NEW(s, 1);
    s->setup = *flow->setup.surface;
    SAB_TRY(find_open(flow, s, err));
    SAB_TRY(sab_carriers_create(flow->space, flow->dofs, s->open, &s->carriers, err));
    SAB_TRY(
        sab_filling_create(flow->space, s->open, s->setup.dense, s->setup.contact, &s->fill, err));
    if (s->setup.correct)
        SAB_TRY(sab_room_create(s->fill, &s->room, err));
    SAB_NEW(s->lambda, points * (size_t)flow->program->s);
    SAB_NEW(s->scaled, SAB_SCALED * points);
    SAB_TRY(create_feeder(flow, s, err));
    SAB_TRY(fill_up(flow, s, err));
    for (int p = 0; p < s->carriers->n; p++) /* the initial velocity */
        memcpy(s->carriers->at[p].v, s->force + dim * p, (size_t)dim * sizeof(double));
    SAB_NEW(s->at_node, flow->setup.mesh->nnodes);
    SAB_NEW(s->content, flow->setup.mesh->nelements);
    flow->fields->fill = s->content;
    *surface = s;
    s = NULL;
cleanup:
    sab_surface_destroy(&s);
    return status;
}

void sab_surface_destroy(sab_surface **surface)
{
    sab_surface *s = *surface;

    if (s == NULL)
        return;
    sab_carriers_destroy(&s->carriers);
    sab_filling_destroy(&s->fill);
    sab_room_destroy(&s->room);
    sab_feeder_destroy(&s->feeder);
    SAB_FREE(s->open);
    SAB_FREE(s->feeds);
    SAB_FREE(s->content);
    SAB_FREE(s->at_node);
    SAB_FREE(s->force);
    SAB_FREE(s->lambda);
    SAB_FREE(s->scaled);
    SAB_FREE(*surface);
}

sab_status sab_surface_restore(sab_surface *s, const sab_flow_state *state, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_carriers_restore(s->carriers, state->ncarriers, state->carrier, state->left,
                                 state->fed, err));
    if (s->feeder != NULL && state->owed != s->feeder->owed)
        memcpy(s->feeder->owed, state->owed, state->nowed * sizeof *state->owed);
    SAB_TRY(make_workspace(s, err));
cleanup:
    return status;
}

/* The fill, as the law, probes and frames see it. */
static void measure(sab_surface *s)
{
    const sab_mesh *mesh = s->carriers->space->mesh;

    sab_filling_measure(s->fill, s->carriers);
    for (int e = 0; e < mesh->nelements; e++)
        s->content[e] = s->fill->content[e / mesh->children];
}

/* s->force = gravity at the carriers. */
static sab_status pull(const sab_flow *flow, sab_error *err)
{
    const sab_surface *s = flow->surface;
    const int dim = flow->setup.geometry->dim;
    sab_status status = SAB_OK;

    for (int p = 0; p < s->carriers->n; p++) {
        const sab_vars at = sab_vars_at(dim, s->carriers->at[p].x, flow->time);

        for (int i = 0; i < dim; i++)
            SAB_TRY(sab_function_at(&flow->setup.gravity[i], &at, &s->force[dim * p + i], err));
    }
cleanup:
    return status;
}

/* The weight of the carriers, in the place of that of a full mesh. */
static sab_status weigh(sab_flow *flow, sab_error *err)
{
    const sab_surface *s = flow->surface;
    const size_t size = sab_space_size(flow->space) * sizeof(double);
    sab_inertia *it = flow->inertia;
    sab_status status = SAB_OK;

    SAB_TRY(pull(flow, err));
    memset(it->weight, 0, size);
    sab_carriers_force(s->carriers, s->force, it->weight);
    memcpy(it->applied, it->weight, size); /* tractions are refused */
cleanup:
    return status;
}

/* Points of walls beside the void have little weight and no adhesion: sums must not see them. */
static void set_walls(sab_flow *flow)
{
    const sab_mesh *mesh = flow->setup.mesh;
    const sab_surface *s = flow->surface;

    if (flow->walls == NULL)
        return;
    memset(s->at_node, 0, (size_t)mesh->nnodes * sizeof *s->at_node);
    for (int e = 0; e < mesh->nelements; e++)
        for (int i = 0; i < mesh->cell->nodes; i++) {
            double *full = &s->at_node[sab_mesh_element(mesh, e)[i]];

            *full = fmax(*full, fmin(1.0, s->content[e]));
        }
    for (int i = 0; i < flow->walls->n; i++) {
        const double full = s->at_node[flow->walls->point[i].place[0]];
        const int q = flow->space->npoints + i;

        flow->program->weight[q] *= fmax(SAB_FILLING_VOID, full);
        if (full < s->setup.contact)
            flow->program->yield[q] = 0.0;
    }
}

sab_status sab_surface_prepare(sab_flow *flow, double dt, sab_error *err)
{
    const double start = sab_cpu_seconds();
    const sab_filling *fill = flow->surface->fill;
    const double trace = sab_geometry_trace(flow->setup.geometry), most = 1.0 / dt;
    sab_program *p = flow->program;
    sab_status status = SAB_OK;

    SAB_TRY(sab_flow_law_set(flow->law, flow->time, p, err)); /* weight and yield as given */
    SAB_TRY(sab_flow_walls_set(flow, err));
    SAB_TRY(sab_program_add_slack(p, err));
    measure(flow->surface);
    for (int q = 0; q < flow->space->npoints; q++) {
        p->weight[q] *= fill->share[q];
        p->slack[q] =
            fill->phi[q] > 0.0 ? fmin((1.0 / fill->phi[q] - 1.0) / (trace * dt), most) : most;
        if (fill->phi[q] < 1.0) /* grains that do not touch do not hold each other */
            p->yield[q] = 0.0;
    }
    set_walls(flow);
    SAB_TRY(weigh(flow, err));
cleanup:
    flow->surface->cpu += sab_cpu_seconds() - start;
    return status;
}

void sab_surface_assemble(sab_flow *flow)
{
    const double start = sab_cpu_seconds();
    const sab_surface *s = flow->surface;
    const double factor = flow->inertia->factor;

    sab_carriers_assemble(s->carriers, factor, flow->scatter, flow->program->A);
    sab_mass_assemble(flow->inertia->mass, s->setup.light * factor, flow->scatter,
                      flow->program->A);
    flow->surface->cpu += sab_cpu_seconds() - start;
}

void sab_surface_forces(const sab_flow *flow, const double *old, const double *U, double *F)
{
    const double start = sab_cpu_seconds(), light = flow->surface->setup.light;
    const int dim = flow->setup.geometry->dim;
    sab_surface *s = flow->surface;
    sab_inertia *it = flow->inertia;
    const size_t n = (size_t)it->mass->at->s * (size_t)it->mass->at->n;

    sab_carriers_velocity(s->carriers, U, s->force);
    for (int p = 0; p < s->carriers->n; p++)
        for (int i = 0; i < dim; i++)
            s->force[dim * p + i] = it->factor * (s->carriers->at[p].v[i] - s->force[dim * p + i]);
    sab_carriers_force(s->carriers, s->force, F);
    sab_mass_interpolate(flow->space, old, it->work);
    sab_mass_interpolate(flow->space, U, it->b);
    for (size_t i = 0; i < n; i++)
        it->work[i] = light * it->factor * (it->work[i] - it->b[i]);
    sab_mass_force(it->mass, flow->space, it->work, F);
    s->cpu += sab_cpu_seconds() - start;
}

double sab_surface_kinetic(const sab_surface *s)
{
    const int dim = s->carriers->space->mesh->cell->dim;
    double sum = 0.0;

    for (int p = 0; p < s->carriers->n; p++)
        for (int i = 0; i < dim; i++)
            sum +=
                0.5 * s->carriers->at[p].mass * s->carriers->at[p].v[i] * s->carriers->at[p].v[i];
    return sum;
}

/* Kinetic energies of carriers and of the light mass: before, after, of the difference. */
static void take_change(const sab_flow *flow, const double *now, sab_ledger *l)
{
    const sab_surface *s = flow->surface;
    sab_inertia *it = flow->inertia;
    const int dim = flow->setup.geometry->dim;
    const size_t n = (size_t)it->mass->at->s * (size_t)it->mass->at->n;
    double energy = 0.0, after = 0.0, loss = 0.0;

    for (int p = 0; p < s->carriers->n; p++)
        for (int i = 0; i < dim; i++) {
            const double m = s->carriers->at[p].mass, v = s->carriers->at[p].v[i];
            const double u = now[dim * p + i], d = u - v;

            energy += 0.5 * m * v * v;
            after += 0.5 * m * u * u;
            loss += 0.5 * m * d * d;
        }
    sab_mass_interpolate(flow->space, it->previous, it->b);
    sab_mass_interpolate(flow->space, it->velocity, it->work);
    energy += 0.5 * s->setup.light * sab_mass_square(it->mass, it->b);
    after += 0.5 * s->setup.light * sab_mass_square(it->mass, it->work);
    for (size_t i = 0; i < n; i++)
        it->work[i] -= it->b[i];
    l->loss = loss + 0.5 * s->setup.light * sab_mass_square(it->mass, it->work);
    l->energy = after;
    l->gain = after - energy;
}

/* Grains come in where they are fed. */
static sab_status feed(sab_flow *flow, double dt, sab_ledger *l, sab_error *err)
{
    sab_surface *s = flow->surface;
    sab_feeder *f = s->feeder;
    const int dim = flow->setup.geometry->dim;
    char place[SAB_PLACE_TEXT];
    int outward;
    sab_status status = SAB_OK;

    if (f == NULL)
        return SAB_OK;
    for (int i = 0; i < f->n * f->parts; i++) {
        const sab_boundary *at = &flow->setup.boundary[s->feeds[f->facet[i / f->parts]]];
        const double *x = f->x + dim * i;
        const sab_vars vars = sab_vars_at(dim, x, flow->time);

        SAB_TRY(sab_function_at(&at->fill, &vars, &f->fill[i], err));
        if (!(f->fill[i] >= 0.0 && f->fill[i] <= 1.0))
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "boundaries.%s.inflow.fill: it is %g at %s, t = %g, not between 0 and 1",
                     at->group, f->fill[i], sab_place_text(dim, x, place), flow->time);
    }
    SAB_TRY(sab_feeder_feed(f, s->carriers, dt, flow->inertia->velocity, &l->in, &outward, err));
    if (outward >= 0)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "boundaries.%s.inflow: at t = %g the velocity goes out of the domain: what is fed "
                 "comes in; let grains out by traction: 0",
                 flow->setup.boundary[s->feeds[outward]].group, flow->time);
    l->given = l->in;
    SAB_TRY(make_workspace(s, err));
cleanup:
    return status;
}

/* Where there are few carriers, heavy ones are halved: their fill is what it was. */
static sab_status halve(sab_surface *s, sab_error *err)
{
    sab_status status = SAB_OK;
    int halved;

    SAB_TRY(sab_halves_make(s->carriers, s->fill, s->setup.points, s->setup.fewest, &halved, err));
    if (halved > 0) {
        measure(s);
        SAB_TRY(make_workspace(s, err));
    }
cleanup:
    return status;
}

/* Grains that have no room go to where there is. */
static sab_status make_room(sab_flow *flow, sab_ledger *l, sab_error *err)
{
    sab_surface *s = flow->surface;
    sab_transport_report moved = {0};
    double out = 0.0, work = 0.0;
    bool moves = false;
    sab_status status = SAB_OK;

    if (s->room == NULL)
        return SAB_OK;
    SAB_TRY(sab_room_find(s->room, s->fill, s->setup.band, 1.0, &moves, err));
    if (!moves)
        goto cleanup;
    SAB_TRY(pull(flow, err));
    sab_carriers_displace(s->carriers, s->room->d, s->force, &out, &work, &moved);
    l->out += out;
    l->lifted -= work;
    sab_transport_add(&s->report, &moved);
    measure(s);
cleanup:
    return status;
}

sab_status sab_surface_move(sab_flow *flow, double dt, sab_ledger *l, sab_error *err)
{
    sab_surface *s = flow->surface;
    const double start = sab_cpu_seconds(), left = sab_carriers_left(s->carriers);
    sab_status status = SAB_OK;

    *l = (sab_ledger){0};
    sab_ledger_take_work(flow, dt, l);
    sab_carriers_velocity(s->carriers, flow->inertia->velocity, s->force);
    take_change(flow, s->force, l);
    sab_transport_report moved = {0};
    sab_carriers_move(s->carriers, dt, s->setup.euler, flow->inertia->velocity, &l->out, &moved);
    sab_transport_add(&s->report, &moved);
    SAB_TRY(feed(flow, dt, l, err));
    measure(s);
    SAB_TRY(halve(s, err));
    SAB_TRY(make_room(flow, l, err));
    l->carried = l->in - l->out;
    l->energy += l->carried;
    l->gain += l->carried;
    l->defect = l->gain - (l->gravity + l->traction + l->walls - l->viscous - l->friction -
                           l->inflow - l->loss + l->carried);
    s->outflow = (sab_carriers_left(s->carriers) - left) / dt;
cleanup:
    s->cpu += sab_cpu_seconds() - start;
    return status;
}

void sab_surface_scale(sab_flow *flow)
{
    const sab_program *p = flow->program;
    sab_surface *s = flow->surface;
    double *viscosity = s->scaled, *rate = viscosity + p->npoints, *yield = rate + p->npoints;

    memcpy(s->lambda, flow->lambda, (size_t)p->npoints * (size_t)p->s * sizeof *s->lambda);
    for (int q = 0; q < flow->space->npoints; q++) {
        const double share = s->fill->share[q];

        for (int c = 0; c < p->s; c++)
            s->lambda[p->s * q + c] *= share;
        viscosity[q] = share * p->viscosity[q];
        rate[q] = share * flow->law->nu[q];
        yield[q] = share * p->yield[q];
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/fields.h"
#include "base/memory.h"
#include "fem/flux.h"

#include <math.h>
#include <string.h>

sab_status sab_fields_create(const sab_space *space, sab_fields **fields, sab_error *err)
{
    sab_status status = SAB_OK;
    const size_t s = (size_t)space->geometry->s, points = (size_t)space->npoints;
    const size_t elements = (size_t)space->mesh->nelements;
    const size_t nodal = (size_t)space->mesh->cell->nodes * elements;
    sab_fields *f = NULL;

    *fields = NULL;
    SAB_NEW(f, 1);
    f->space = space;
    SAB_NEW(f->velocity, sab_space_size(space));
    SAB_NEW(f->strain_rate, s * points);
    SAB_NEW(f->lambda, s * points);
    SAB_NEW(f->total, s * points);
    SAB_NEW(f->stress, s * nodal);
    SAB_NEW(f->shear_stress, nodal);
    SAB_NEW(f->shear_rate, nodal);
    SAB_NEW(f->yield_ratio, nodal);
    SAB_NEW(f->friction, nodal);
    SAB_NEW(f->inertial_number, nodal);
    SAB_NEW(f->pressure, elements);
    SAB_NEW(f->yielded, elements);
    SAB_NEW(f->given, 4 * points);
    SAB_NEW(f->work, 7 * points);
    SAB_NEW(f->marked, space->mesh->nnodes);
    f->law = (sab_point_law){.friction = f->given,
                             .yield = f->given + points,
                             .viscosity = f->given + 2 * points,
                             .rate = f->given + 3 * points,
                             .bulk = 1.0};
    *fields = f;
    f = NULL;
cleanup:
    sab_fields_destroy(&f);
    return status;
}

void sab_fields_destroy(sab_fields **fields)
{
    sab_fields *f = *fields;

    if (f != NULL) {
        SAB_FREE(f->velocity);
        SAB_FREE(f->strain_rate);
        SAB_FREE(f->lambda);
        SAB_FREE(f->total);
        SAB_FREE(f->stress);
        SAB_FREE(f->shear_stress);
        SAB_FREE(f->shear_rate);
        SAB_FREE(f->yield_ratio);
        SAB_FREE(f->friction);
        SAB_FREE(f->inertial_number);
        SAB_FREE(f->pressure);
        SAB_FREE(f->yielded);
        SAB_FREE(f->given);
        SAB_FREE(f->work);
        SAB_FREE(f->marked);
        SAB_FREE(*fields);
    }
}

static double norm_t(int s, const double *x)
{
    double sum = 0.0;

    for (int c = 1; c < s; c++)
        sum += x[c] * x[c];
    return sqrt(sum);
}

/* Copy the law: integrals are asked for when the program may have another one. */
static void keep_law(sab_fields *f, const sab_point_law *law)
{
    const size_t n = (size_t)f->space->npoints;

    memcpy(f->given, law->friction, n * sizeof *f->given);
    memcpy(f->given + n, law->yield, n * sizeof *f->given);
    memcpy(f->given + 2 * n, law->viscosity, n * sizeof *f->given);
    for (size_t q = 0; q < n; q++)
        f->given[3 * n + q] = law->rate != NULL ? law->rate[q] : 0.0;
    f->law.bulk = law->bulk;
    f->law.residual = law->residual;
    f->law.mu_i = law->mu_i;
}

/* Friction and inertial number of this flow at the nodes. */
static void update_friction(sab_fields *f, const double *shear_rate, double *friction, double *I)
{
    const double scale = sab_geometry_normal_scale(f->space->geometry);
    const sab_mu_i *mu_i = f->law.mu_i;
    const double bound = mu_i != NULL ? SAB_INERTIAL_BOUND * mu_i->I0 : 0.0;
    const int points = f->space->element->law->n;
    double low = INFINITY, high = 0.0;

    for (int q = 0; q < f->space->npoints; q++) {
        friction[q] = mu_i == NULL
                          ? scale * f->law.friction[q]
                          : sab_material_mu_i(mu_i, shear_rate[q], f->pressure[q / points]);
        low = fmin(low, friction[q]);
        high = fmax(high, friction[q]);
        I[q] = mu_i == NULL ? 0.0
                            : fmin(bound, sab_material_inertial_number(mu_i, shear_rate[q],
                                                                       f->pressure[q / points]));
    }
    sab_space_to_nodes(f->space, 1, friction, f->friction);
    sab_space_to_nodes(f->space, 1, I, f->inertial_number);
    for (int i = 0; i < f->space->mesh->cell->nodes * f->space->mesh->nelements; i++) {
        f->friction[i] = fmin(fmax(f->friction[i], low), high);
        f->inertial_number[i] = fmin(fmax(f->inertial_number[i], 0.0), bound);
    }
}

void sab_fields_update(sab_fields *f, const double *velocity, const double *lambda,
                       const sab_point_law *law)
{
    const sab_space *space = f->space;
    const int s = space->geometry->s, n = space->npoints;
    double *shear_stress = f->work, *shear_rate = f->work + n, *ratio = f->work + 2 * n;
    double *pressure = f->work + 3 * n, *yielded = f->work + 4 * n;

    keep_law(f, law);
    memcpy(f->velocity, velocity, sab_space_size(space) * sizeof *velocity);
    memcpy(f->lambda, lambda, (size_t)s * (size_t)n * sizeof *lambda);
    sab_space_strain_rate(space, velocity, f->strain_rate);
    for (int q = 0; q < n; q++) {
        const double *g = f->strain_rate + s * q, *l = lambda + s * q;
        double *total = f->total + s * q;

        total[0] = law->viscosity[q] * law->bulk * g[0] - l[0];
        for (int c = 1; c < s; c++)
            total[c] = law->viscosity[q] * g[c] - l[c];
        shear_stress[q] = norm_t(s, total);
        shear_rate[q] = norm_t(s, g);
        pressure[q] = l[0] / sab_geometry_normal_scale(space->geometry);
        const double strength = law->yield[q] + law->friction[q] * l[0];
        ratio[q] = strength > 0.0 ? norm_t(s, l) / strength : 0.0;
    }
    /* A point flows if its trial stress lambda - r gamma is beyond the yield surface, lambda_T and
     * gamma_T being opposed there: |lambda_T| + r|gamma_T| > strength; and if r|gamma_T| stands out
     * of what the solver has left open. */
    for (int q = 0; q < n; q++) {
        const double trial = (law->r != NULL ? law->r : law->viscosity)[q] * shear_rate[q];
        const double strength = law->yield[q] + law->friction[q] * lambda[s * q];

        yielded[q] = trial > strength - norm_t(s, lambda + s * q) && trial > 10.0 * law->residual;
    }
    sab_space_to_nodes(space, s, f->total, f->stress);
    sab_space_to_nodes(space, 1, shear_stress, f->shear_stress);
    sab_space_to_nodes(space, 1, shear_rate, f->shear_rate);
    sab_space_to_nodes(space, 1, ratio, f->yield_ratio);
    sab_space_element_mean(space, 1, pressure, f->pressure);
    update_friction(f, shear_rate, f->work + 5 * n, f->work + 6 * n);
    const int points = space->element->law->n;
    for (int e = 0; e < space->mesh->nelements; e++) {
        f->yielded[e] = 0.0;
        for (int q = points * e; q < points * (e + 1); q++)
            f->yielded[e] += yielded[q];
        f->yielded[e] /= points;
    }
    /* extrapolation to the nodes must not leave the range of a norm or a ratio */
    for (int i = 0; i < space->mesh->cell->nodes * space->mesh->nelements; i++) {
        f->shear_stress[i] = fmax(f->shear_stress[i], 0.0);
        f->shear_rate[i] = fmax(f->shear_rate[i], 0.0);
        f->yield_ratio[i] = fmin(fmax(f->yield_ratio[i], 0.0), 1.0);
    }
}

int sab_fields_components(const sab_fields *f, sab_probe_field field)
{
    return field == SAB_FIELD_VELOCITY ? f->space->geometry->dim
           : field == SAB_FIELD_STRESS ? 6
                                       : 1;
}

/* Interpolate `components` values at the n nodes of an element. */
static void interpolate(int n, const double *shape, int components, const double *nodal,
                        double *value)
{
    for (int c = 0; c < components; c++) {
        value[c] = 0.0;
        for (int a = 0; a < n; a++)
            value[c] += shape[a] * nodal[a * components + c];
    }
}

void sab_fields_at(const sab_fields *f, sab_probe_field field, int element, const double *xi,
                   double *value)
{
    double shape[SAB_SHAPES];
    const int s = f->space->geometry->s;
    const int n = f->space->mesh->cell->nodes, dim = f->space->mesh->cell->dim;
    const int at = n * element, shapes = sab_element_values(f->space->element, xi, shape);
    int index[SAB_SHAPES];
    double sigma[SAB_MAX_S];

    switch (field) {
    case SAB_FIELD_VELOCITY:
        sab_element_index(f->space->element, f->space->mesh, element, index);
        for (int i = 0; i < dim; i++) {
            value[i] = 0.0;
            for (int a = 0; a < shapes; a++)
                value[i] += shape[a] * f->velocity[dim * index[a] + i];
        }
        break;
    case SAB_FIELD_STRESS:
        interpolate(n, shape, s, f->stress + s * at, sigma);
        f->space->geometry->tensor(sigma, value);
        break;
    case SAB_FIELD_SHEAR_STRESS:
        interpolate(n, shape, 1, f->shear_stress + at, value);
        break;
    case SAB_FIELD_SHEAR_RATE:
        interpolate(n, shape, 1, f->shear_rate + at, value);
        break;
    case SAB_FIELD_YIELD_RATIO:
        interpolate(n, shape, 1, f->yield_ratio + at, value);
        break;
    case SAB_FIELD_FRICTION:
        interpolate(n, shape, 1, f->friction + at, value);
        break;
    case SAB_FIELD_INERTIAL_NUMBER:
        interpolate(n, shape, 1, f->inertial_number + at, value);
        break;
    default:
        *value = f->pressure[element];
    }
}

/* Largest |u| at the nodes of element e. */
static double speed_of(const sab_fields *f, int e)
{
    const int dim = f->space->mesh->cell->dim;
    double u = 0.0;

    for (int a = 0; a < f->space->mesh->cell->nodes; a++) {
        const double *at = f->velocity + dim * sab_mesh_element(f->space->mesh, e)[a];
        double speed = 0.0;

        for (int i = 0; i < dim; i++)
            speed = hypot(speed, at[i]);
        u = fmax(u, speed);
    }
    return u;
}

double sab_fields_courant(const sab_fields *f, double dt)
{
    double largest = 0.0;

    for (int e = 0; e < f->space->mesh->nelements; e++)
        largest = fmax(largest, speed_of(f, e) * dt / sab_space_length(f->space, e));
    return largest;
}

double sab_fields_cell_reynolds(const sab_fields *f)
{
    const sab_space *space = f->space;
    const int points = space->element->law->n;
    double largest = 0.0;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const double u = speed_of(f, e), h = sab_space_length(space, e);
        double r = INFINITY; /* 2 nu */

        for (int q = points * e; q < points * (e + 1); q++)
            r = fmin(r, f->law.viscosity[q]);
        if (u > 0.0)
            largest = fmax(largest, u * h / (0.5 * r));
    }
    return largest;
}

/* Keep of F what belongs to an entry: nodes it holds, its part of those it holds with others and,
 * if `open`, those of its group that nobody holds. */
static void restrict_to_entry(const sab_fields *f, const sab_balance *b, int entry, bool open,
                              double *F)
{
    const sab_mesh *mesh = f->space->mesh;
    const sab_mesh_group *group = &mesh->group[b->group[entry]];
    const sab_dofs *dofs = b->dofs;
    const int dim = mesh->cell->dim;

    for (int n = 0; n < mesh->nnodes; n++)
        f->marked[n] = dofs->owner[n] == entry;
    const int width = mesh->cell->facet->nodes;
    for (int i = 0; i < width * group->nfacets && open; i++) {
        const int n = sab_mesh_facet(mesh, group->facet[i / width])[i % width];

        f->marked[n] |= dofs->owner[n] == SAB_NOBODY;
    }
    for (const sab_share *s = dofs->share; s < dofs->share + dofs->nshares; s++)
        if (s->entry == entry && (open || dofs->owner[s->node] == SAB_SEVERAL)) {
            double *at = F + dim * s->node, whole[SAB_DIM];

            memcpy(whole, at, (size_t)dim * sizeof *at);
            for (int i = 0; i < dim; i++) {
                at[i] = s->part[i][0] * whole[0];
                for (int j = 1; j < dim; j++)
                    at[i] += s->part[i][j] * whole[j];
            }
            f->marked[s->node] = true;
        }
    for (int i = 0; i < dim * mesh->nnodes; i++)
        if (!f->marked[i / dim])
            F[i] = 0.0;
}

sab_status sab_fields_nodal_force(const sab_fields *f, const sab_balance *b, int entry,
                                  sab_force_part part, double *F, sab_error *err)
{
    const int n = f->space->geometry->dim * f->space->mesh->nnodes;
    const int rows = f->space->geometry->s * f->space->npoints;
    const double *stress = part == SAB_FORCE_CONTACT ? f->lambda : f->total;
    sab_status status = SAB_OK;

    if (part == SAB_FORCE_VISCOUS) {
        for (int i = 0; i < rows; i++)
            f->work[i] = f->total[i] + f->lambda[i];
        stress = f->work;
    }
    memset(F, 0, sab_space_size(f->space) * sizeof *F);
    sab_space_internal_force(f->space, stress, F);
    for (int i = 0; i < n && part == SAB_FORCE_TOTAL; i++)
        F[i] -= b->load[i] + (f->walls != NULL ? f->wall_force[i] : 0.0);
    restrict_to_entry(f, b, entry, part != SAB_FORCE_TOTAL, F);
    if (part == SAB_FORCE_TOTAL && f->walls != NULL)
        sab_wall_points_force(f->walls, entry, f->traction, F);
    if (part == SAB_FORCE_TOTAL)
        status =
            sab_boundary_load(f->space, 1, b->boundary + entry, b->group + entry, b->t, F, err);
    for (int i = 0; i < n && part != SAB_FORCE_CONTACT; i++)
        F[i] = -F[i];
    return status;
}

sab_status sab_fields_force(const sab_fields *f, const sab_balance *b, int entry,
                            sab_force_part part, double *work, double *force, sab_error *err)
{
    const sab_status status = sab_fields_nodal_force(f, b, entry, part, work, err);
    const int dim = f->space->geometry->dim;

    for (int i = 0; i < dim; i++)
        force[i] = 0.0;
    for (int i = 0; i < dim * f->space->mesh->nnodes; i++)
        force[i % dim] += work[i];
    return status;
}

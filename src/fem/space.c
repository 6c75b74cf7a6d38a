/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/space.h"
#include "base/memory.h"
#include "fem/law_points.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Law points and what they see, by integration over each element. */
static sab_status tabulate(sab_space *sp, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = sp->mesh;
    const int dim = mesh->cell->dim, points = sp->element->law->n, corners = mesh->cell->corners;
    const int shapes = mesh->cell->nodes + sab_element_bubbles(sp->element);
    const size_t n = (size_t)sp->npoints, row = (size_t)dim * sizeof(double);

    SAB_NEW(sp->xi, (size_t)dim * n);
    SAB_NEW(sp->gradient, (size_t)(dim * shapes) * n);
    if (sp->geometry->axis)
        SAB_NEW(sp->hoop, (size_t)shapes * n);
    SAB_NEW(sp->corner, (size_t)corners * n);
    for (int e = 0; e < mesh->nelements; e++) {
        sab_law_points law;

        sab_law_points_find(sp->element, sp->geometry, mesh, e, &law);
        for (int q = 0; q < points; q++) {
            const size_t at = (size_t)points * (size_t)e + (size_t)q;
            double *gradient = sp->gradient + (size_t)(dim * shapes) * at;

            memcpy(sp->xi + (size_t)dim * at, law.xi[q], row);
            sab_mesh_map(mesh, e, law.xi[q], sp->point + (size_t)dim * at, NULL);
            sp->weight[at] = law.weight[q];
            for (int a = 0; a < shapes; a++)
                memcpy(gradient + dim * a, law.gradient[q][a], row);
            if (sp->hoop != NULL)
                memcpy(sp->hoop + (size_t)shapes * at, law.hoop[q],
                       (size_t)shapes * sizeof(double));
            for (int i = 0; i < corners; i++)
                sp->corner[(size_t)(corners * points) * (size_t)e + (size_t)(points * i + q)] =
                    law.corner[i][q];
        }
    }
cleanup:
    return status;
}

sab_status sab_space_create(const sab_mesh *mesh, const sab_element *element,
                            const sab_geometry *geometry, sab_space **space, sab_error *err)
{
    sab_status status = SAB_OK;
    const int dim = mesh->cell->dim, points = element->law->n;
    const bool closed = !geometry->axis && element->inner_stiffness > 0.0;
    sab_space *sp = NULL;

    assert(element->cell == mesh->cell && geometry->dim == dim);
    *space = NULL;
    SAB_NEW(sp, 1);
    sp->mesh = mesh;
    sp->element = element;
    sp->geometry = geometry;
    sp->mass = sab_rule(mesh->cell, element->mass_degree + geometry->degree);
    sp->load = sab_rule(mesh->cell, element->load_degree + geometry->degree);
    sp->norms = sab_rule(mesh->cell, element->norms_degree + geometry->degree);
    if (sab_element_bubbles(element) > 0) {
        sp->remainder = closed ? element->law : sab_rule(mesh->cell, 6);
        sp->remainder_factor = closed ? element->inner_stiffness - 1.0 : 1.0;
    }
    sp->npoints = points * mesh->nelements;
    SAB_NEW(sp->point, (size_t)dim * (size_t)sp->npoints);
    SAB_NEW(sp->weight, sp->npoints);
    if (!closed)
        SAB_TRY(tabulate(sp, err));
    for (int i = 0; closed && i < sp->npoints; i++) {
        sab_p2 p;

        sab_p2_at(mesh, i / points, element->law->xi[i % points], &p);
        memcpy(sp->point + dim * i, p.x, (size_t)dim * sizeof *p.x);
        sp->weight[i] = p.det * element->law->weight[i % points] * geometry->measure(p.x);
    }
    *space = sp;
    sp = NULL;
cleanup:
    sab_space_destroy(&sp);
    return status;
}

void sab_space_destroy(sab_space **space)
{
    if (*space != NULL) {
        SAB_FREE((*space)->point);
        SAB_FREE((*space)->weight);
        SAB_FREE((*space)->xi);
        SAB_FREE((*space)->gradient);
        SAB_FREE((*space)->hoop);
        SAB_FREE((*space)->corner);
        SAB_FREE(*space);
    }
}

/* Velocities of inner functions: of one element, of all. */
static int inner_of(const sab_space *space)
{
    return space->mesh->cell->dim * space->element->inner;
}

static size_t inner_size(const sab_space *space)
{
    return (size_t)inner_of(space) * (size_t)space->mesh->nelements;
}

/* Velocities of nodes and sides: those that have a frame. */
static size_t nodal_size(const sab_space *space)
{
    const int nodes = space->mesh->nnodes + sab_element_faces(space->element, space->mesh);

    return (size_t)space->mesh->cell->dim * (size_t)nodes;
}

size_t sab_space_size(const sab_space *space)
{
    return nodal_size(space) + inner_size(space);
}

int sab_space_unknowns(const sab_space *space, const sab_dofs *dofs)
{
    return dofs->nfree + inner_of(space) * space->mesh->nelements;
}

void sab_space_restrict(const sab_space *space, const sab_dofs *dofs, const double *F, double *l)
{
    sab_dofs_restrict(dofs, F, l);
    memcpy(l + dofs->nfree, F + nodal_size(space), inner_size(space) * sizeof *l);
}

void sab_space_take(const sab_space *space, const sab_dofs *dofs, const double *U, double *u)
{
    sab_dofs_take(dofs, U, u);
    memcpy(u + dofs->nfree, U + nodal_size(space), inner_size(space) * sizeof *u);
}

void sab_space_expand(const sab_space *space, const sab_dofs *dofs, const double *u, double *U)
{
    double *inner = U + nodal_size(space);

    sab_dofs_expand(dofs, u, U);
    if (u != NULL)
        memcpy(inner, u + dofs->nfree, inner_size(space) * sizeof *U);
    else
        memset(inner, 0, inner_size(space) * sizeof *U);
}

/* The shape functions as law point q of element e sees them. */
static void see(const sab_space *space, int e, int q, sab_shapes *at)
{
    const sab_element *element = space->element;
    const int dim = space->mesh->cell->dim, nodes = element->cell->nodes;

    if (space->gradient == NULL) {
        sab_p2 p;

        sab_p2_at(space->mesh, e, element->law->xi[q], &p);
        at->n = nodes + element->inner;
        memset(at->hoop, 0, (size_t)at->n * sizeof *at->hoop);
        for (int a = 0; a < nodes; a++)
            memcpy(at->gradient[a], p.dx[a], (size_t)dim * sizeof(double));
        if (element->inner > 0)
            element->inner_projection(q, &p, at->gradient[nodes]);
        return;
    }
    at->n = nodes + sab_element_bubbles(element);
    const size_t point = (size_t)element->law->n * (size_t)e + (size_t)q;
    const double *gradient = space->gradient + (size_t)(dim * at->n) * point;
    const double *hoop = space->hoop != NULL ? space->hoop + (size_t)at->n * point : NULL;
    for (int a = 0; a < at->n; a++) {
        memcpy(at->gradient[a], gradient + dim * a, (size_t)dim * sizeof(double));
        at->hoop[a] = hoop != NULL ? hoop[a] : 0.0;
    }
}

/* chi^-1 D of the shape functions from `first` on. */
static void strain_rows(const sab_space *space, const sab_shapes *at, int first,
                        double row[SAB_MAX_S][SAB_COMPONENTS])
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    double column[SAB_MAX_S];

    for (int c = 0; c < s; c++)
        memset(row[c], 0, (size_t)(dim * first) * sizeof(double));
    for (int a = first; a < at->n; a++)
        for (int i = 0; i < dim; i++) {
            space->geometry->strain(i, at->gradient[a], at->hoop[a], column);
            for (int c = 0; c < s; c++)
                row[c][dim * a + i] = column[c];
        }
}

void sab_space_strain_rows(const sab_space *space, int e, int q,
                           double row[SAB_MAX_S][SAB_COMPONENTS])
{
    sab_shapes at;

    see(space, e, q, &at);
    strain_rows(space, &at, 0, row);
}

/* In the plane, where int D(b):D(b) is a multiple of the law sum: that sum. Otherwise
 * int D:D - sum_q w_q D_q:D_q = int |D - Pi D|^2, Pi the projection of the law points. */
double sab_space_remainder_rows(const sab_space *space, int e, int p,
                                double row[SAB_MAX_S][SAB_COMPONENTS])
{
    const sab_cell *cell = space->mesh->cell;
    const int nodes = cell->nodes, points = space->element->law->n;
    sab_shapes at, law;

    if (space->gradient == NULL) {
        see(space, e, p, &at);
        strain_rows(space, &at, nodes, row);
        return space->weight[points * e + p];
    }
    double l[SAB_CORNERS];
    const double *corner = space->corner + (size_t)(cell->corners * points) * (size_t)e;
    sab_element_at(space->element, space->mesh, e, space->remainder->xi[p], &at);
    sab_cell_barycentric(cell, space->remainder->xi[p], l);
    for (int a = nodes; a < at.n && space->geometry->axis; a++)
        at.hoop[a] = at.value[a] / at.x[0];
    for (int q = 0; q < points; q++) {
        double psi = 0.0;

        for (int i = 0; i < cell->corners; i++)
            psi += corner[points * i + q] * l[i];
        see(space, e, q, &law);
        for (int a = nodes; a < at.n; a++) {
            for (int i = 0; i < cell->dim; i++)
                at.gradient[a][i] -= psi * law.gradient[a][i];
            at.hoop[a] -= psi * law.hoop[a];
        }
    }
    strain_rows(space, &at, nodes, row);
    return at.det * space->remainder->weight[p] * space->geometry->measure(at.x);
}

double sab_space_remainder_value(const sab_space *space, const double *value, int e, int p)
{
    const int points = space->element->law->n;
    double sum = 0.0;

    if (space->gradient == NULL)
        return value[points * e + p];
    for (int q = 0; q < points; q++)
        sum += value[points * e + q];
    return sum / points;
}

void sab_space_strain_rate(const sab_space *space, const double *U, double *gamma)
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];
        const int shapes = sab_element_index(space->element, space->mesh, e, index);

        for (int q = 0; q < points; q++) {
            double row[SAB_MAX_S][SAB_COMPONENTS];

            sab_space_strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                double sum = 0.0;

                for (int a = 0; a < shapes; a++)
                    for (int i = 0; i < dim; i++)
                        sum += row[c][dim * a + i] * U[dim * index[a] + i];
                gamma[s * (points * e + q) + c] = sum;
            }
        }
    }
}

void sab_space_internal_force(const sab_space *space, const double *sigma, double *F)
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];
        const int shapes = sab_element_index(space->element, space->mesh, e, index);

        for (int q = 0; q < points; q++) {
            const double m = 2.0 * space->weight[points * e + q];
            double row[SAB_MAX_S][SAB_COMPONENTS];

            sab_space_strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                const double ms = m * sigma[s * (points * e + q) + c];

                for (int a = 0; a < shapes; a++)
                    for (int i = 0; i < dim; i++)
                        F[dim * index[a] + i] += row[c][dim * a + i] * ms;
            }
        }
    }
}

sab_status sab_space_body_force(const sab_space *space, const sab_function *f, double t, double *F,
                                sab_error *err)
{
    const sab_quadrature *rule = space->load;
    const int dim = space->mesh->cell->dim;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];

        sab_element_index(space->element, space->mesh, e, index);
        for (int q = 0; q < rule->n; q++) {
            sab_shapes p;

            sab_element_at(space->element, space->mesh, e, rule->xi[q], &p);
            const sab_vars at = sab_vars_at(dim, p.x, t);
            for (int i = 0; i < dim; i++) {
                double force;
                const sab_status status = sab_function_at(&f[i], &at, &force, err);

                if (status != SAB_OK)
                    return status;
                force *= rule->weight[q] * p.det * space->geometry->measure(p.x);
                for (int a = 0; a < p.n; a++)
                    F[dim * index[a] + i] += force * p.value[a];
            }
        }
    }
    return SAB_OK;
}

/* Component c at corner i of element e of the P1 function that has the values f at its law points.
 */
static double corner_value(const sab_space *space, int e, int i, int components, const double *f,
                           int c)
{
    const int points = space->element->law->n, corners = space->mesh->cell->corners;
    const double own = space->element->extrapolate;
    double sum = 0.0;

    if (space->corner != NULL) {
        const double *corner = space->corner + (size_t)points * (size_t)(corners * e + i);

        for (int q = 0; q < points; q++)
            sum += corner[q] * f[q * components + c];
        return sum;
    }
    for (int q = 0; q < points; q++)
        sum += f[q * components + c];
    return own * f[i * components + c] - (own - 1.0) * (sum / points);
}

void sab_space_to_nodes(const sab_space *space, int components, const double *value, double *nodal)
{
    const sab_cell *cell = space->mesh->cell;
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const double *f = value + (size_t)(points * e) * (size_t)components;
        double *out = nodal + (size_t)(cell->nodes * e) * (size_t)components;

        for (int c = 0; c < components; c++) {
            for (int i = 0; i < cell->corners; i++)
                out[i * components + c] = corner_value(space, e, i, components, f, c);
            for (int i = 0; i < cell->edges; i++)
                out[(cell->corners + i) * components + c] =
                    0.5 * (out[cell->edge[i][0] * components + c] +
                           out[cell->edge[i][1] * components + c]);
        }
    }
}

void sab_space_element_mean(const sab_space *space, int components, const double *value,
                            double *mean)
{
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const double *w = space->weight + points * e;
        const double *f = value + (size_t)(points * e) * (size_t)components;

        for (int c = 0; c < components; c++) {
            double sum = w[0] * f[c], volume = w[0];

            for (int q = 1; q < points; q++) {
                sum += w[q] * f[q * components + c];
                volume += w[q];
            }
            mean[(size_t)e * (size_t)components + (size_t)c] = sum / volume;
        }
    }
}

double sab_space_length(const sab_space *space, int e)
{
    const sab_quadrature *rule = space->element->law;
    double volume = 0.0;

    for (int q = 0; q < rule->n; q++) {
        sab_p2 p;

        sab_p2_at(space->mesh, e, rule->xi[q], &p);
        volume += p.det * rule->weight[q];
    }
    return space->mesh->cell->dim == 2 ? sqrt(2.0 * volume) : cbrt(6.0 * volume);
}

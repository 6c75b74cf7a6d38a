/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/transfer.h"
#include "base/memory.h"
#include "fem/locate.h"
#include "fem/transport.h"

#include <math.h>
#include <string.h>

typedef struct source {
    const sab_space *space;
    const double *U;
    double *nodal; /* [nelements][nodes][s] stress, P1 */
    sab_locator *locator;
    sab_transport *transport; /* walks to the boundary: all of it is a wall */
    sab_transfer_report *report;
} source;

static double distance2(int dim, const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < dim; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* The facet of the boundary with the node nearest to x. */
static int nearest_facet(const sab_mesh *mesh, const double *x)
{
    int nearest = -1;
    double best = INFINITY;

    for (int f = 0; f < mesh->nfacets; f++)
        for (int a = 0; a < mesh->cell->facet->nodes && !mesh->facet_interior[f]; a++) {
            const double d =
                distance2(mesh->cell->dim, x, sab_mesh_x(mesh, sab_mesh_facet(mesh, f)[a]));

            if (d < best) {
                best = d;
                nearest = f;
            }
        }
    return nearest;
}

/* Element and reference point of x; if x is outside, those of the place where a walk to x from
 * inside is held by the boundary and has slid along it. Returns how far that is from x. */
static double find(const source *s, const double *x, int *element, double *xi)
{
    const sab_mesh *mesh = s->space->mesh;
    const int dim = mesh->cell->dim;
    sab_transport_report ignored = {0};
    double at[SAB_DIM], d[SAB_DIM];
    bool open;
    int side;

    *element = sab_locator_find(s->locator, x, xi);
    if (*element >= 0)
        return 0.0;
    *element = mesh->facet_element[nearest_facet(mesh, x)];
    for (int i = 0; i < dim; i++)
        xi[i] = 1.0 / mesh->cell->corners;
    sab_mesh_map(mesh, *element, xi, at, NULL);
    for (int i = 0; i < dim; i++)
        d[i] = x[i] - at[i];
    sab_transport_follow(s->transport, d, element, xi, &side, &open, &ignored);
    sab_mesh_map(mesh, *element, xi, at, NULL);
    return sqrt(distance2(dim, x, at));
}

static void velocity_in(const sab_space *space, const double *U, int e, const double *xi, double *v)
{
    const int dim = space->mesh->cell->dim;
    double value[SAB_SHAPES];
    int index[SAB_SHAPES];
    const int n = sab_element_values(space->element, xi, value);

    sab_element_index(space->element, space->mesh, e, index);
    for (int i = 0; i < dim; i++) {
        v[i] = 0.0;
        for (int a = 0; a < n; a++)
            v[i] += value[a] * U[dim * index[a] + i];
    }
}

/* v = u(x), counted. */
static void velocity_at(const source *s, const double *x, double *v)
{
    sab_transfer_report *r = s->report;
    double xi[SAB_DIM];
    int element;
    const double away = find(s, x, &element, xi);

    r->places++;
    r->clamped += away > 0.0;
    r->farthest = fmax(r->farthest, away);
    velocity_in(s->space, s->U, element, xi, v);
}

/* The bubble at place `a` of element e: one at xi, so its coefficient is u(x) less what the others,
 * nodes and the bubbles before it, have there. */
static void take_bubble(const source *s, const sab_space *to, int e, const double *xi, int a,
                        double *V)
{
    const int dim = to->mesh->cell->dim;
    double x[SAB_DIM], u[SAB_DIM], v[SAB_DIM];
    int index[SAB_SHAPES];

    sab_element_index(to->element, to->mesh, e, index);
    double *to_set = V + dim * index[a];
    memset(to_set, 0, (size_t)dim * sizeof *to_set);
    sab_mesh_map(to->mesh, e, xi, x, NULL);
    velocity_at(s, x, u);
    velocity_in(to, V, e, xi, v);
    for (int i = 0; i < dim; i++)
        to_set[i] = u[i] - v[i];
}

/* Bubbles of faces, where the inner ones vanish; then these. */
static void take_bubbles(const source *s, const sab_space *to, double *V)
{
    const sab_mesh *mesh = to->mesh;
    const sab_cell *cell = mesh->cell;
    const int faces = to->element->faces ? cell->sides : 0;

    for (int e = 0; e < mesh->nelements; e++) {
        double xi[SAB_DIM];

        for (int f = 0; f < faces; f++) {
            const int beside = mesh->neighbour[cell->sides * e + f];

            if (beside >= 0 && beside < e)
                continue; /* done from there */
            for (int i = 0; i < cell->dim; i++)
                xi[i] = 0.0;
            for (int c = 0; c < cell->dim; c++) { /* corners of a side */
                const int corner = cell->side[f][c];

                if (corner > 0)
                    xi[corner - 1] = 1.0 / cell->dim;
            }
            take_bubble(s, to, e, xi, cell->nodes + f, V);
        }
    }
    for (int e = 0; e < mesh->nelements && to->element->inner > 0; e++) {
        double xi[SAB_DIM];

        for (int i = 0; i < cell->dim; i++)
            xi[i] = 1.0 / cell->corners;
        take_bubble(s, to, e, xi, cell->nodes + faces, V);
    }
}

/* The stress at the law points, and how much of the target is outside. */
static void take_stress(const source *s, const sab_space *to, double *stress)
{
    const sab_cell *cell = to->mesh->cell;
    const int n = to->geometry->s;
    double outside = 0.0, all = 0.0;

    for (int q = 0; q < to->npoints; q++) {
        double xi[SAB_DIM], l[SAB_CORNERS];
        int e;

        if (find(s, to->point + cell->dim * q, &e, xi) > 0.0)
            outside += to->weight[q];
        all += to->weight[q];
        sab_cell_barycentric(cell, xi, l);
        for (int k = 0; k < n; k++) {
            stress[n * q + k] = 0.0;
            for (int c = 0; c < cell->corners; c++)
                stress[n * q + k] += l[c] * s->nodal[n * (cell->nodes * e + c) + k];
        }
    }
    s->report->outside = outside / all;
}

static double energy_of(const sab_space *space, const double *U)
{
    double sum = 0.0;

    for (int e = 0; e < space->mesh->nelements; e++)
        for (int p = 0; p < space->mass->n; p++) {
            double v[SAB_DIM];
            sab_p2 at;

            sab_p2_at(space->mesh, e, space->mass->xi[p], &at);
            velocity_in(space, U, e, space->mass->xi[p], v);
            for (int i = 0; i < space->mesh->cell->dim; i++)
                sum += 0.5 * space->mass->weight[p] * at.det * space->geometry->measure(at.x) *
                       v[i] * v[i];
        }
    return sum;
}

sab_status sab_transfer_measure(const sab_space *space, const double *U, double *energy,
                                double *divergence, sab_error *err)
{
    const int s = space->geometry->s;
    double *gamma = NULL, normal = 0.0, all = 0.0;
    sab_status status = SAB_OK;

    SAB_NEW(gamma, (size_t)s * (size_t)space->npoints);
    sab_space_strain_rate(space, U, gamma);
    for (int q = 0; q < space->npoints; q++)
        for (int k = 0; k < s; k++) {
            const double part = space->weight[q] * gamma[s * q + k] * gamma[s * q + k];

            normal += k == 0 ? part : 0.0;
            all += part;
        }
    *divergence = all > 0.0 ? sqrt(normal / all) : 0.0;
    *energy = energy_of(space, U);
cleanup:
    SAB_FREE(gamma);
    return status;
}

sab_status sab_transfer(const sab_space *from, const double *U, const double *lambda,
                        const sab_space *to, double *V, double *stress, sab_transfer_report *report,
                        sab_error *err)
{
    const int dim = to->mesh->cell->dim;
    source s = {.space = from, .U = U, .report = report};
    sab_status status = SAB_OK;

    *report = (sab_transfer_report){0};
    SAB_NEW(s.nodal, (size_t)from->geometry->s * (size_t)from->mesh->cell->nodes *
                         (size_t)from->mesh->nelements);
    SAB_TRY(sab_locator_create(from->mesh, &s.locator, err));
    SAB_TRY(sab_transport_create(from, NULL, 0, NULL, &s.transport, err));
    sab_space_to_nodes(from, from->geometry->s, lambda, s.nodal);
    memset(V, 0, sab_space_size(to) * sizeof *V);
    for (int a = 0; a < to->mesh->nnodes; a++)
        velocity_at(&s, sab_mesh_x(to->mesh, a), V + dim * a);
    take_bubbles(&s, to, V);
    take_stress(&s, to, stress);
cleanup:
    sab_transport_destroy(&s.transport);
    sab_locator_destroy(&s.locator);
    SAB_FREE(s.nodal);
    return status;
}

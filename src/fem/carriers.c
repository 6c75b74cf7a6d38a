/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/carriers.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "fem/parts.h"
#include "fem/walk.h"

#include <math.h>
#include <string.h>

sab_status sab_carriers_create(const sab_space *space, const sab_dofs *dofs, const bool *open,
                               sab_carriers **carriers, sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    const size_t sides = (size_t)mesh->cell->sides * (size_t)mesh->nelements;
    sab_status status = SAB_OK;
    sab_carriers *c = NULL;

    *carriers = NULL;
    SAB_NEW(c, 1);
    c->space = space;
    SAB_TRY(sab_transport_create(space, open, 0, NULL, &c->transport, err));
    SAB_NEW(c->start, (size_t)mesh->nelements + 1);
    SAB_NEW(c->left, mesh->nfacets);
    SAB_NEW(c->fed, mesh->nfacets);
    SAB_NEW(c->facet, sides);
    for (size_t i = 0; i < sides; i++)
        c->facet[i] = -1;
    for (int f = 0; f < mesh->nfacets; f++)
        if (!mesh->facet_interior[f])
            c->facet[mesh->cell->sides * mesh->facet_element[f] + mesh->facet_side[f]] = f;
    SAB_TRY(sab_points_functions(space, dofs, &c->functions, err));
    const size_t s = (size_t)c->functions->s;
    SAB_NEW(c->C, s * s * (size_t)mesh->nelements);
    *carriers = c;
    c = NULL;
cleanup:
    sab_carriers_destroy(&c);
    return status;
}

void sab_carriers_destroy(sab_carriers **carriers)
{
    sab_carriers *c = *carriers;

    if (c == NULL)
        return;
    sab_transport_destroy(&c->transport);
    sab_points_destroy(&c->functions);
    SAB_FREE(c->at);
    SAB_FREE(c->start);
    SAB_FREE(c->left);
    SAB_FREE(c->fed);
    SAB_FREE(c->facet);
    SAB_FREE(c->order);
    SAB_FREE(c->sorted);
    SAB_FREE(c->C);
    SAB_FREE(*carriers);
}

sab_status sab_carriers_reserve(sab_carriers *c, int n, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_carrier *at = NULL, *sorted = NULL;
    int *order = NULL;

    if (n <= c->capacity)
        return SAB_OK;
    const int grown = c->capacity + c->capacity, capacity = n > grown ? n : grown;
    SAB_NEW(at, capacity);
    SAB_NEW(sorted, capacity);
    SAB_NEW(order, capacity);
    if (c->n > 0)
        memcpy(at, c->at, (size_t)c->n * sizeof *at);
    SAB_FREE(c->at);
    SAB_FREE(c->sorted);
    SAB_FREE(c->order);
    c->at = at;
    c->sorted = sorted;
    c->order = order;
    c->capacity = capacity;
    return SAB_OK;
cleanup:
    SAB_FREE(at);
    SAB_FREE(sorted);
    SAB_FREE(order);
    return status;
}

sab_status sab_carriers_add(sab_carriers *c, int e, const double *xi, sab_carrier **added,
                            sab_error *err)
{
    const sab_mesh *mesh = c->space->mesh;
    const sab_status status = sab_carriers_reserve(c, c->n + 1, err);

    if (status != SAB_OK)
        return status;
    *added = &c->at[c->n++];
    **added = (sab_carrier){.element = e};
    memcpy((*added)->xi, xi, (size_t)mesh->cell->dim * sizeof *xi);
    sab_mesh_map(mesh, e, xi, (*added)->x, NULL);
    return SAB_OK;
}

sab_status sab_carriers_fill(sab_carriers *c, int e, int n, double fill, sab_error *err)
{
    const sab_space *space = c->space;
    const int dim = space->mesh->cell->dim, points = space->element->law->n, first = c->n;
    double *xi = NULL, volume = 0.0, sum = 0.0;
    sab_status status = SAB_OK;

    SAB_NEW(xi, (size_t)(n * n * n) * SAB_DIM);
    const int parts = sab_parts(dim, n, xi);
    for (int i = 0; i < parts; i++) {
        sab_carrier *p;
        sab_p2 at;

        SAB_TRY(sab_carriers_add(c, e, xi + dim * i, &p, err));
        sab_p2_at(space->mesh, e, p->xi, &at);
        p->mass = at.det * space->geometry->measure(at.x);
    }
    for (int q = points * e; q < points * (e + 1); q++)
        volume += space->weight[q];
    for (int p = first; p < c->n; p++)
        sum += c->at[p].mass;
    for (int p = first; p < c->n; p++)
        c->at[p].mass *= fill * volume / sum;
cleanup:
    SAB_FREE(xi);
    return status;
}

sab_status sab_carriers_restore(sab_carriers *c, int n, const sab_carrier *at, const double *left,
                                const double *fed, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_carriers_reserve(c, n, err));
    if (at != c->at && n > 0)
        memcpy(c->at, at, (size_t)n * sizeof *at);
    if (left != c->left)
        memcpy(c->left, left, (size_t)c->space->mesh->nfacets * sizeof *left);
    if (fed != c->fed)
        memcpy(c->fed, fed, (size_t)c->space->mesh->nfacets * sizeof *fed);
    c->n = n;
    sab_carriers_sort(c);
cleanup:
    return status;
}

/* A counting sort: `start` counts, then tells where the next of each element goes. */
void sab_carriers_sort(sab_carriers *c)
{
    const int nelements = c->space->mesh->nelements;

    memset(c->start, 0, ((size_t)nelements + 1) * sizeof *c->start);
    for (int p = 0; p < c->n; p++)
        c->start[c->at[p].element + 1]++;
    for (int e = 0; e < nelements; e++)
        c->start[e + 1] += c->start[e];
    for (int p = 0; p < c->n; p++)
        c->order[p] = c->start[c->at[p].element]++;
    for (int p = 0; p < c->n; p++)
        c->sorted[c->order[p]] = c->at[p];
    for (int e = nelements; e > 0; e--)
        c->start[e] = c->start[e - 1];
    c->start[0] = 0;
    sab_carrier *at = c->at;
    c->at = c->sorted;
    c->sorted = at;
}

void sab_carriers_assemble(sab_carriers *c, double factor, const sab_scatter *scatter,
                           sab_sparse *A)
{
    const sab_space *space = c->space;
    const int dim = space->mesh->cell->dim, s = c->functions->s;

    SAB_PARALLEL_FOR(c->n)
    for (int e = 0; e < space->mesh->nelements; e++) {
        double *C = c->C + (size_t)s * (size_t)s * (size_t)e;

        memset(C, 0, (size_t)s * (size_t)s * sizeof *C);
        for (int p = c->start[e]; p < c->start[e + 1]; p++) {
            double phi[SAB_SHAPES];
            const int n = sab_element_values(space->element, c->at[p].xi, phi);
            const double m = factor * c->at[p].mass;

            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++)
                    C[(dim * a) * s + dim * b] += m * phi[a] * phi[b];
        }
        for (int i = 0; i < s; i += dim) /* the same for every component */
            for (int j = 0; j < s; j += dim)
                for (int k = 1; k < dim; k++)
                    C[(i + k) * s + j + k] = C[i * s + j];
    }
    sab_blocks_assemble(c->functions->B, c->C, scatter, A);
}

void sab_carriers_force(const sab_carriers *c, const double *f, double *F)
{
    const sab_space *space = c->space;
    const int dim = space->mesh->cell->dim;

    for (int p = 0; p < c->n; p++, f += dim) {
        double phi[SAB_SHAPES];
        int index[SAB_SHAPES];
        const int n = sab_element_values(space->element, c->at[p].xi, phi);

        sab_element_index(space->element, space->mesh, c->at[p].element, index);
        for (int a = 0; a < n; a++)
            for (int i = 0; i < dim; i++)
                F[dim * index[a] + i] += c->at[p].mass * phi[a] * f[i];
    }
}

/* v = U at a point of an element */
static void velocity_at(const sab_space *space, int e, const double *xi, const double *U, double *v)
{
    const int dim = space->mesh->cell->dim;
    double phi[SAB_SHAPES];
    int index[SAB_SHAPES];
    const int n = sab_element_values(space->element, xi, phi);

    sab_element_index(space->element, space->mesh, e, index);
    for (int i = 0; i < dim; i++) {
        v[i] = 0.0;
        for (int a = 0; a < n; a++)
            v[i] += phi[a] * U[dim * index[a] + i];
    }
}

void sab_carriers_velocity(const sab_carriers *c, const double *U, double *v)
{
    const int dim = c->space->mesh->cell->dim;

    for (int p = 0; p < c->n; p++, v += dim)
        velocity_at(c->space, c->at[p].element, c->at[p].xi, U, v);
}

bool sab_carriers_shift(sab_carriers *c, int p, const double *d, sab_transport_report *report)
{
    const sab_mesh *mesh = c->space->mesh;
    sab_carrier *at = &c->at[p];
    bool moves = false, open = false;
    int side;

    for (int i = 0; i < mesh->cell->dim; i++)
        moves = moves || d[i] != 0.0;
    if (!moves) /* what rests, rests to the bit */
        return true;
    sab_transport_follow(c->transport, d, &at->element, at->xi, &side, &open, report);
    sab_mesh_map(mesh, at->element, at->xi, at->x, NULL);
    if (open)
        c->left[c->facet[mesh->cell->sides * at->element + side]] += at->mass;
    return !open;
}

/* Shift carrier p by d; it becomes carrier number *kept if it stays, or takes its energy along. */
static void keep(sab_carriers *c, int p, const double *d, int *kept, double *kinetic,
                 sab_transport_report *report)
{
    const sab_carrier *at = &c->at[p];

    if (sab_carriers_shift(c, p, d, report)) {
        c->at[(*kept)++] = *at;
        return;
    }
    for (int i = 0; i < c->space->mesh->cell->dim; i++)
        *kinetic += 0.5 * at->mass * at->v[i] * at->v[i];
}

void sab_carriers_displace(sab_carriers *c, const double *d, const double *f, double *kinetic,
                           double *work, sab_transport_report *report)
{
    const sab_mesh *mesh = c->space->mesh;
    const int dim = mesh->cell->dim;
    int kept = 0;

    *kinetic = *work = 0.0;
    for (int p = 0; p < c->n; p++, f += dim) {
        const double *by = d + dim * (c->at[p].element / mesh->children);
        double x[SAB_DIM];

        memcpy(x, c->at[p].x, sizeof x);
        keep(c, p, by, &kept, kinetic, report); /* which leaves carrier p readable */
        for (int i = 0; i < dim; i++)
            *work += c->at[p].mass * f[i] * (c->at[p].x[i] - x[i]);
    }
    c->n = kept;
    sab_carriers_sort(c);
}

void sab_carriers_move(sab_carriers *c, double dt, bool euler, const double *U, double *kinetic,
                       sab_transport_report *report)
{
    const int dim = c->space->mesh->cell->dim;
    int kept = 0;

    *kinetic = 0.0;
    for (int p = 0; p < c->n; p++) {
        sab_carrier *at = &c->at[p];
        double d[SAB_DIM];

        velocity_at(c->space, at->element, at->xi, U, at->v);
        memcpy(d, at->v, sizeof d);
        if (!euler) { /* the velocity halfway */
            int e = at->element, side;
            double xi[SAB_DIM];
            bool open;

            memcpy(xi, at->xi, sizeof xi);
            for (int i = 0; i < dim; i++)
                d[i] *= 0.5 * dt;
            sab_transport_follow(c->transport, d, &e, xi, &side, &open, report);
            velocity_at(c->space, e, xi, U, d);
        }
        for (int i = 0; i < dim; i++)
            d[i] *= dt;
        keep(c, p, d, &kept, kinetic, report);
    }
    c->n = kept;
    sab_carriers_sort(c);
}

double sab_carriers_courant(const sab_carriers *c, double dt)
{
    const sab_mesh *mesh = c->space->mesh;
    const double parts = pow(mesh->children, 1.0 / mesh->cell->dim); /* of equal volume */
    double largest = 0.0;

    for (int e = 0; e < mesh->nelements; e++) {
        double square = 0.0;

        for (int p = c->start[e]; p < c->start[e + 1]; p++) {
            double v2 = 0.0;

            for (int i = 0; i < mesh->cell->dim; i++)
                v2 += c->at[p].v[i] * c->at[p].v[i];
            square = fmax(square, v2);
        }
        if (square > 0.0)
            largest = fmax(largest, sqrt(square) * dt / (parts * sab_space_length(c->space, e)));
    }
    return largest;
}

double sab_carriers_mass(const sab_carriers *c)
{
    double sum = 0.0;

    for (int p = 0; p < c->n; p++)
        sum += c->at[p].mass;
    return sum;
}

static double sum_sides(const sab_carriers *c, const double *side)
{
    double sum = 0.0;

    for (int f = 0; f < c->space->mesh->nfacets; f++)
        sum += side[f];
    return sum;
}

double sab_carriers_left(const sab_carriers *c)
{
    return sum_sides(c, c->left);
}

double sab_carriers_fed(const sab_carriers *c)
{
    return sum_sides(c, c->fed);
}

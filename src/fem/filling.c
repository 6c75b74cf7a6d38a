/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/filling.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Below this content a parent is empty. */
static const double EMPTY = 1e-3;

/* The corners of a child of a split parent: two of the parent's, then its centre. */
int sab_filling_corner(const sab_mesh *mesh, int parent, int i)
{
    if (mesh->children == 1)
        return sab_mesh_element(mesh, parent)[i];
    return sab_mesh_element(mesh, mesh->children * parent + i)[0];
}

void sab_filling_hats(const sab_space *space, int e, const double *xi, double *l)
{
    const sab_mesh *mesh = space->mesh;
    const int corners = mesh->cell->corners, child = e % mesh->children;
    double own[SAB_CORNERS];

    sab_cell_barycentric(mesh->cell, xi, own);
    if (mesh->children == 1) {
        memcpy(l, own, (size_t)corners * sizeof *l);
        return;
    }
    for (int i = 0; i < corners; i++) /* the centre has a third of each */
        l[i] = own[corners - 1] / corners;
    l[child] += own[0]; /* child i begins at corner i of its parent, and goes on to the next */
    l[(child + 1) % corners] += own[1];
}

/* Numbers of the vertices of parents, and which of them lie on open sides. */
static sab_status number_vertices(sab_filling *f, const bool *open, sab_error *err)
{
    const sab_mesh *mesh = f->space->mesh;
    const int corners = mesh->cell->corners;
    sab_status status = SAB_OK;
    int *number = NULL;

    SAB_NEW(number, mesh->nnodes);
    for (int a = 0; a < mesh->nnodes; a++)
        number[a] = -1;
    for (int k = 0; k < f->nparents; k++)
        for (int i = 0; i < corners; i++) {
            const int node = sab_filling_corner(mesh, k, i);

            if (number[node] < 0)
                number[node] = f->nvertices++;
            f->vertex[corners * k + i] = number[node];
        }
    SAB_NEW(f->open, f->nvertices);
    for (int s = 0; s < mesh->nfacets; s++)
        for (int i = 0; i < mesh->cell->facet->corners; i++)
            if (!mesh->facet_interior[s] && open[s])
                f->open[number[sab_mesh_facet(mesh, s)[i]]] = true;
cleanup:
    SAB_FREE(number);
    return status;
}

sab_status sab_filling_create(const sab_space *space, const bool *open, double dense,
                              double contact, sab_filling **fill, sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    const int corners = mesh->cell->corners, points = space->element->law->n;
    sab_status status = SAB_OK;
    sab_filling *f = NULL;

    *fill = NULL;
    SAB_NEW(f, 1);
    f->space = space;
    f->dense = dense;
    f->contact = contact;
    f->nparents = mesh->nelements / mesh->children;
    SAB_NEW(f->vertex, (size_t)corners * (size_t)f->nparents);
    SAB_TRY(number_vertices(f, open, err));
    SAB_NEW(f->volume, f->nparents);
    SAB_NEW(f->content, f->nparents);
    SAB_NEW(f->state, f->nparents);
    SAB_NEW(f->bare, f->nvertices);
    SAB_NEW(f->hat_mass, f->nvertices);
    SAB_NEW(f->hat_volume, f->nvertices);
    SAB_NEW(f->centre, (size_t)mesh->cell->dim * (size_t)f->nvertices);
    SAB_NEW(f->mass, f->nvertices);
    SAB_NEW(f->room, f->nvertices);
    SAB_NEW(f->phi, space->npoints);
    SAB_NEW(f->share, space->npoints);
    for (int q = 0; q < space->npoints; q++) {
        const int e = q / points, k = e / mesh->children;
        double l[SAB_CORNERS], x[SAB_DIM];

        sab_filling_hats(space, e, sab_space_xi(space, e, q % points), l);
        sab_mesh_map(mesh, e, sab_space_xi(space, e, q % points), x, NULL);
        f->volume[k] += space->weight[q];
        for (int i = 0; i < corners; i++) {
            const int v = f->vertex[corners * k + i];

            f->hat_volume[v] += space->weight[q] * l[i];
            for (int c = 0; c < mesh->cell->dim; c++)
                f->centre[mesh->cell->dim * v + c] += space->weight[q] * l[i] * x[c];
        }
    }
    for (int i = 0; i < mesh->cell->dim * f->nvertices; i++)
        f->centre[i] /= f->hat_volume[i / mesh->cell->dim];
    *fill = f;
    f = NULL;
cleanup:
    sab_filling_destroy(&f);
    return status;
}

void sab_filling_destroy(sab_filling **fill)
{
    sab_filling *f = *fill;

    if (f == NULL)
        return;
    SAB_FREE(f->vertex);
    SAB_FREE(f->volume);
    SAB_FREE(f->content);
    SAB_FREE(f->state);
    SAB_FREE(f->open);
    SAB_FREE(f->bare);
    SAB_FREE(f->hat_mass);
    SAB_FREE(f->hat_volume);
    SAB_FREE(f->centre);
    SAB_FREE(f->mass);
    SAB_FREE(f->room);
    SAB_FREE(f->phi);
    SAB_FREE(f->share);
    SAB_FREE(*fill);
}

/* Content and state of every parent; *fewest carriers of an inside one. */
static void find_states(sab_filling *f, const sab_carriers *c)
{
    const sab_mesh *mesh = f->space->mesh;
    const int corners = mesh->cell->corners;

    for (int i = 0; i < f->nvertices; i++)
        f->bare[i] = f->open[i];
    for (int k = 0; k < f->nparents; k++) {
        double mass = 0.0;

        for (int p = c->start[mesh->children * k]; p < c->start[mesh->children * (k + 1)]; p++)
            mass += c->at[p].mass;
        f->content[k] = mass / f->volume[k];
        for (int i = 0; f->content[k] < EMPTY && i < corners; i++)
            f->bare[f->vertex[corners * k + i]] = true;
    }
    f->fewest = 0;
    for (int k = 0; k < f->nparents; k++) {
        const int n = c->start[mesh->children * (k + 1)] - c->start[mesh->children * k];

        f->state[k] = f->content[k] < EMPTY ? SAB_FILLING_EMPTY : SAB_FILLING_INSIDE;
        for (int i = 0; f->state[k] == SAB_FILLING_INSIDE && i < corners; i++)
            if (f->bare[f->vertex[corners * k + i]])
                f->state[k] = SAB_FILLING_SURFACE;
        if (f->state[k] == SAB_FILLING_INSIDE && (f->fewest == 0 || n < f->fewest))
            f->fewest = n;
    }
}

/* The sums of hats over carriers and over volume. */
static void sum_hats(sab_filling *f, const sab_carriers *c)
{
    const sab_space *space = f->space;
    const int corners = space->mesh->cell->corners, points = space->element->law->n;
    const int children = space->mesh->children;
    const size_t size = (size_t)f->nvertices * sizeof(double);
    double l[SAB_CORNERS];

    memset(f->hat_mass, 0, size);
    memset(f->mass, 0, size);
    memset(f->room, 0, size);
    for (int p = 0; p < c->n; p++) {
        const int k = c->at[p].element / children;

        sab_filling_hats(space, c->at[p].element, c->at[p].xi, l);
        for (int i = 0; i < corners; i++) {
            const int v = f->vertex[corners * k + i];

            f->hat_mass[v] += c->at[p].mass * l[i];
            if (f->state[k] == SAB_FILLING_INSIDE)
                f->mass[v] += c->at[p].mass * l[i];
        }
    }
    for (int q = 0; q < space->npoints; q++) {
        const int e = q / points, k = e / children;

        if (f->state[k] != SAB_FILLING_INSIDE)
            continue;
        sab_filling_hats(space, e, sab_space_xi(space, e, q % points), l);
        for (int i = 0; i < corners; i++)
            f->room[f->vertex[corners * k + i]] += space->weight[q] * l[i];
    }
}

void sab_filling_measure(sab_filling *f, const sab_carriers *c)
{
    const sab_space *space = f->space;
    const int corners = space->mesh->cell->corners, points = space->element->law->n;

    find_states(f, c);
    sum_hats(f, c);
    for (int q = 0; q < space->npoints; q++) {
        const int e = q / points, k = e / space->mesh->children;
        double l[SAB_CORNERS], F = 0.0;

        if (f->state[k] == SAB_FILLING_EMPTY) {
            f->phi[q] = 0.0;
            f->share[q] = SAB_FILLING_VOID;
            continue;
        }
        F = f->content[k];
        if (f->state[k] == SAB_FILLING_INSIDE) {
            sab_filling_hats(space, e, sab_space_xi(space, e, q % points), l);
            F = 0.0;
            for (int i = 0; i < corners; i++) {
                const int v = f->vertex[corners * k + i];

                F += l[i] * f->mass[v] / f->room[v];
            }
        }
        f->phi[q] = fmin(1.0, F / (f->state[k] == SAB_FILLING_INSIDE ? f->dense : f->contact));
        f->share[q] = fmax(SAB_FILLING_VOID, fmin(1.0, F));
    }
}

double sab_filling_excess(const sab_filling *f)
{
    double excess = 0.0, mass = 0.0;

    for (int i = 0; i < f->nvertices; i++) {
        mass += f->hat_mass[i];
        excess += fmax(0.0, f->hat_mass[i] - f->hat_volume[i]);
    }
    return mass > 0.0 ? excess / mass : 0.0;
}

/* Fill at a law point, and how much it varies over the parent: in proportion to its gradient. The
 * fill of a vertex is a mean about the centre of its hat, not about the vertex, which may lie on
 * the boundary: x [dim] is the place that this fill is of. */
static double fill_at(const sab_filling *f, int q, double *spread, double *x)
{
    const sab_space *space = f->space;
    const int corners = space->mesh->cell->corners, points = space->element->law->n;
    const int e = q / points, *vertex = f->vertex + corners * (e / space->mesh->children);
    double l[SAB_CORNERS], F = 0.0, least = INFINITY, most = -INFINITY;
    const int dim = space->mesh->cell->dim;

    memset(x, 0, (size_t)dim * sizeof *x);
    sab_filling_hats(space, e, sab_space_xi(space, e, q % points), l);
    for (int i = 0; i < corners; i++) {
        const double at = f->hat_mass[vertex[i]] / f->hat_volume[vertex[i]];

        F += l[i] * at;
        for (int c = 0; c < dim; c++)
            x[c] += l[i] * f->centre[dim * vertex[i] + c];
        least = fmin(least, at);
        most = fmax(most, at);
    }
    *spread = most - least;
    return F;
}

/* Axes t that are level: the axes of coordinates without what is along `up` = -g/|g| and those
 * before, as far as anything is left; in the plane `up` turned clockwise. Behind them `up`. Returns
 * their number, 0 without gravity. */
static int level_axes(int dim, const double *g, double t[SAB_DIM][SAB_DIM])
{
    double *up = t[dim - 1], weight = 0.0;
    int n = 0;

    for (int i = 0; i < dim; i++)
        weight = hypot(weight, g[i]);
    if (!(weight > 0.0))
        return 0;
    for (int i = 0; i < dim; i++)
        up[i] = -g[i] / weight;
    for (int axis = 0; axis < dim && n < dim - 1; axis++) {
        double size = 0.0;

        for (int i = 0; i < dim; i++)
            t[n][i] = (i == axis) - up[axis] * up[i];
        for (int k = 0; k < n; k++) {
            double along = 0.0;

            for (int i = 0; i < dim; i++)
                along += t[n][i] * t[k][i];
            for (int i = 0; i < dim; i++)
                t[n][i] -= along * t[k][i];
        }
        for (int i = 0; i < dim; i++)
            size = hypot(size, t[n][i]);
        if (size < 0.5) /* of unit vectors one at least is far from any other direction */
            continue;
        if (t[n][0] * up[1] < t[n][1] * up[0])
            size = -size;
        for (int i = 0; i < dim; i++)
            t[n][i] /= size;
        n++;
    }
    return n;
}

/* S b = column n of S, S [n][n] definite: no pivots. */
static bool regress(int n, double S[SAB_DIM][SAB_DIM], double *b)
{
    for (int k = 0; k < n; k++) {
        if (!(S[k][k] > 0.0))
            return false;
        for (int i = k + 1; i < n; i++)
            for (int j = n; j >= k; j--)
                S[i][j] -= S[i][k] / S[k][k] * S[k][j];
    }
    for (int k = n; k-- > 0;) {
        b[k] = S[k][n];
        for (int j = k + 1; j < n; j++)
            b[k] -= S[k][j] * b[j];
        b[k] /= S[k][k];
    }
    return true;
}

double sab_filling_slope(const sab_filling *f, const double *g)
{
    const sab_space *space = f->space;
    const int dim = space->mesh->cell->dim;
    double t[SAB_DIM][SAB_DIM] = {{0}}, mean[SAB_DIM] = {0}, S[SAB_DIM][SAB_DIM] = {{0}};
    double b[SAB_DIM] = {0}, weight = 0.0;
    const int n = level_axes(dim, g, t);

    for (int pass = 0; pass <= 1; pass++) /* means of (level, height), then products about them */
        for (int q = 0; q < space->npoints; q++) {
            double spread, x[SAB_DIM], z[SAB_DIM] = {0};
            const double F = fill_at(f, q, &spread, x);
            const double w = space->weight[q] * spread * fmax(0.0, (F - 0.25) * (0.75 - F));

            for (int k = 0; k <= n; k++)
                for (int i = 0; i < dim; i++)
                    z[k] += t[k][i] * x[i];
            weight += pass == 0 ? w : 0.0;
            for (int k = 0; k <= n; k++) {
                mean[k] += pass == 0 ? w * z[k] : 0.0;
                for (int m = 0; pass == 1 && m <= n && weight > 0.0; m++)
                    S[k][m] += w * (z[k] - mean[k] / weight) * (z[m] - mean[m] / weight);
            }
        }
    if (!regress(n, S, b))
        return 0.0;
    for (int k = 1; k < n; k++)
        b[0] = hypot(b[0], b[k]);
    return b[0];
}

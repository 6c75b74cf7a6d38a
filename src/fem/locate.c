/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/locate.h"
#include "base/memory.h"
#include "fem/p2.h"

#include <math.h>
#include <string.h>

struct sab_locator {
    const sab_mesh *mesh;
    double low[SAB_DIM], cell; /* corner of the grid, size of its cells, which are cubes */
    int n[SAB_DIM];
    int *start;   /* [n0*n1*n2+1] */
    int *element; /* elements whose box meets a cell */
};

static const double OUTSIDE = 1e-6; /* in barycentric coordinates */

/* Cells of the grid per element, at most: flat elements make more. */
enum { CELLS = 8 };

/* Bounding box of the nodes, widened: a curved side may bulge between them. */
static void element_box(const sab_mesh *mesh, int e, double *low, double *high)
{
    const int dim = mesh->cell->dim;
    double longest = 0.0;

    for (int i = 0; i < dim; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        for (int a = 0; a < mesh->cell->nodes; a++) {
            const double x = sab_mesh_x(mesh, sab_mesh_element(mesh, e)[a])[i];

            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
        longest = fmax(longest, high[i] - low[i]);
    }
    const double margin = 0.1 * longest;
    for (int i = 0; i < dim; i++) {
        low[i] -= margin;
        high[i] += margin;
    }
}

static int bin(const sab_locator *g, double x, int i)
{
    const double k = floor((x - g->low[i]) / g->cell);

    return k < 0.0 ? 0 : k >= g->n[i] ? g->n[i] - 1 : (int)k;
}

/* Extent of the grid; about one cell per element. Returns the number of cells. */
static int lay_grid(sab_locator *g)
{
    const sab_mesh *mesh = g->mesh;
    const int dim = mesh->cell->dim;
    double high[SAB_DIM], volume = 1.0, cells;

    for (int i = 0; i < dim; i++) {
        g->low[i] = INFINITY;
        high[i] = -INFINITY;
        for (int a = 0; a < mesh->nnodes; a++) {
            g->low[i] = fmin(g->low[i], sab_mesh_x(mesh, a)[i]);
            high[i] = fmax(high[i], sab_mesh_x(mesh, a)[i]);
        }
        volume *= high[i] - g->low[i];
    }
    g->cell = dim == 2 ? sqrt(volume / mesh->nelements) : cbrt(volume / mesh->nelements);
    for (;; g->cell *= 1.5) {
        cells = 1.0;
        for (int i = 0; i < dim; i++) {
            g->n[i] =
                (int)fmin(1.0 + floor((high[i] - g->low[i]) / g->cell), mesh->nelements + 1.0);
            cells *= g->n[i];
        }
        if (cells <= CELLS * (mesh->nelements + 1.0))
            return (int)cells;
    }
}

/* Number of the cell at k [dim]. */
static int cell_at(const sab_locator *g, const int *k)
{
    int c = 0;

    for (int i = g->mesh->cell->dim - 1; i >= 0; i--)
        c = c * g->n[i] + k[i];
    return c;
}

/* Count the cells that the box of element e meets; with `next`, enter it there. */
static void enter(sab_locator *g, int e, int *next)
{
    const int dim = g->mesh->cell->dim;
    int first[SAB_DIM], last[SAB_DIM], k[SAB_DIM], i;
    double low[SAB_DIM], high[SAB_DIM];

    element_box(g->mesh, e, low, high);
    for (i = 0; i < dim; i++) {
        k[i] = first[i] = bin(g, low[i], i);
        last[i] = bin(g, high[i], i);
    }
    do {
        const int c = cell_at(g, k);

        if (next == NULL)
            g->start[c + 1]++;
        else
            g->element[next[c]++] = e;
        for (i = 0; i < dim && ++k[i] > last[i]; i++)
            k[i] = first[i];
    } while (i < dim);
}

sab_status sab_locator_create(const sab_mesh *mesh, sab_locator **locator, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_locator *g = NULL;
    int *next = NULL;

    *locator = NULL;
    SAB_NEW(g, 1);
    g->mesh = mesh;
    const int cells = lay_grid(g);
    SAB_NEW(g->start, cells + 1);
    SAB_NEW(next, cells);
    for (int e = 0; e < mesh->nelements; e++)
        enter(g, e, NULL);
    for (int c = 0; c < cells; c++)
        g->start[c + 1] += g->start[c];
    memcpy(next, g->start, (size_t)cells * sizeof *next);
    SAB_NEW(g->element, g->start[cells]);
    for (int e = 0; e < mesh->nelements; e++)
        enter(g, e, next);
    *locator = g;
    g = NULL;
cleanup:
    SAB_FREE(next);
    sab_locator_destroy(&g);
    return status;
}

void sab_locator_destroy(sab_locator **locator)
{
    if (*locator != NULL) {
        SAB_FREE((*locator)->start);
        SAB_FREE((*locator)->element);
        SAB_FREE(*locator);
    }
}

/* d = J^-1 r */
static void solve(int dim, double J[SAB_DIM][SAB_DIM], const double *r, double *d)
{
    double adj[SAB_DIM][SAB_DIM];
    const double det = sab_cofactors(dim, J, adj);

    for (int j = 0; j < dim; j++) {
        double sum = adj[0][j] * r[0];

        for (int i = 1; i < dim; i++)
            sum += adj[i][j] * r[i];
        d[j] = sum / det;
    }
}

int sab_locate_lowest(const sab_cell *cell, const double *l)
{
    int lowest = 0;

    for (int i = 1; i < cell->corners; i++)
        if (l[i] < l[lowest])
            lowest = i;
    return lowest;
}

/* Newton: one step when the sides are straight. */
double sab_locate_inside(const sab_mesh *mesh, int e, const double *x, double *xi)
{
    const sab_cell *cell = mesh->cell;
    double l[SAB_CORNERS];

    for (int i = 0; i < cell->dim; i++)
        xi[i] = 1.0 / cell->corners;
    for (int k = 0; k < 20; k++) {
        double at[SAB_DIM], J[SAB_DIM][SAB_DIM], r[SAB_DIM] = {0.0}, d[SAB_DIM];
        double step = 0.0;
        bool far = false;

        sab_mesh_map(mesh, e, xi, at, J);
        for (int i = 0; i < cell->dim; i++)
            r[i] = x[i] - at[i];
        solve(cell->dim, J, r, d);
        for (int i = 0; i < cell->dim; i++) {
            xi[i] += d[i];
            step += fabs(d[i]);
            far = far || fabs(xi[i]) > 10.0;
        }
        if (far)
            break; /* outside, or lost */
        /* quadratic convergence: the next step would be rounding, which is larger the smaller the
         * element is against its coordinates */
        if (step < 1e-9) {
            sab_cell_barycentric(cell, xi, l);
            return l[sab_locate_lowest(cell, l)];
        }
    }
    return -1.0;
}

double sab_locate_chords(const sab_mesh *mesh, int e, const double *x, double *xi, int *lowest)
{
    const sab_cell *cell = mesh->cell;
    const int *node = sab_mesh_element(mesh, e);
    const double *o = sab_mesh_x(mesh, node[0]);
    double J[SAB_DIM][SAB_DIM], r[SAB_DIM] = {0.0}, l[SAB_CORNERS];

    for (int i = 0; i < cell->dim; i++) {
        r[i] = x[i] - o[i];
        for (int j = 0; j < cell->dim; j++)
            J[i][j] = sab_mesh_x(mesh, node[j + 1])[i] - o[i];
    }
    solve(cell->dim, J, r, xi);
    sab_cell_barycentric(cell, xi, l);
    *lowest = sab_locate_lowest(cell, l);
    return l[*lowest];
}

int sab_locator_find(const sab_locator *g, const double *x, double *xi)
{
    const int dim = g->mesh->cell->dim;
    int k[SAB_DIM], found = -1;
    double best = -OUTSIDE;

    for (int i = 0; i < dim; i++)
        k[i] = bin(g, x[i], i);
    const int c = cell_at(g, k);
    for (int p = g->start[c]; p < g->start[c + 1]; p++) {
        double trial[SAB_DIM];
        const double inside = sab_locate_inside(g->mesh, g->element[p], x, trial);

        if (inside > best) {
            best = inside;
            found = g->element[p];
            memcpy(xi, trial, (size_t)dim * sizeof *xi);
            if (inside > 1e-9)
                break;
        }
    }
    return found;
}

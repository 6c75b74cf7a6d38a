#include "fem/locate.h"
#include "base/memory.h"
#include "fem/p2.h"

#include <math.h>
#include <string.h>

struct sab_locator {
    const sab_mesh *mesh;
    double low[2], cell; /* corner of the grid, size of its square cells */
    int n[2];
    int *start;   /* [n0*n1+1] */
    int *element; /* elements whose box meets a cell */
};

static const double OUTSIDE = 1e-6; /* in barycentric coordinates */

/* Bounding box of the nodes, widened: a curved side may bulge between them. */
static void element_box(const sab_mesh *mesh, int e, double low[2], double high[2])
{
    for (int i = 0; i < 2; i++) {
        low[i] = INFINITY;
        high[i] = -INFINITY;
        for (int a = 0; a < mesh->cell->nodes; a++) {
            const double x = sab_mesh_x(mesh, sab_mesh_element(mesh, e)[a])[i];

            low[i] = fmin(low[i], x);
            high[i] = fmax(high[i], x);
        }
    }
    const double margin = 0.1 * fmax(high[0] - low[0], high[1] - low[1]);
    for (int i = 0; i < 2; i++) {
        low[i] -= margin;
        high[i] += margin;
    }
}

static int bin(const sab_locator *g, double x, int i)
{
    const double k = floor((x - g->low[i]) / g->cell);

    return k < 0.0 ? 0 : k >= g->n[i] ? g->n[i] - 1 : (int)k;
}

sab_status sab_locator_create(const sab_mesh *mesh, sab_locator **locator, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_locator *g = NULL;
    double high[2] = {-INFINITY, -INFINITY}, lo[2], hi[2];
    int *next = NULL;

    *locator = NULL;
    SAB_NEW(g, 1);
    g->mesh = mesh;
    g->low[0] = g->low[1] = INFINITY;
    for (int i = 0; i < 2 * mesh->nnodes; i++) {
        g->low[i % 2] = fmin(g->low[i % 2], mesh->x[i]);
        high[i % 2] = fmax(high[i % 2], mesh->x[i]);
    }
    /* about one cell per element */
    g->cell = sqrt((high[0] - g->low[0]) * (high[1] - g->low[1]) / mesh->nelements);
    for (int i = 0; i < 2; i++)
        g->n[i] = (int)fmin(1.0 + floor((high[i] - g->low[i]) / g->cell), mesh->nelements + 1.0);
    const int cells = g->n[0] * g->n[1];
    SAB_NEW(g->start, cells + 1);
    SAB_NEW(next, cells);
    for (int pass = 0; pass < 2; pass++) { /* count, then fill */
        for (int e = 0; e < mesh->nelements; e++) {
            element_box(mesh, e, lo, hi);
            for (int j = bin(g, lo[1], 1); j <= bin(g, hi[1], 1); j++)
                for (int i = bin(g, lo[0], 0); i <= bin(g, hi[0], 0); i++) {
                    if (pass == 0)
                        g->start[j * g->n[0] + i + 1]++;
                    else
                        g->element[next[j * g->n[0] + i]++] = e;
                }
        }
        if (pass == 0) {
            for (int c = 0; c < cells; c++)
                g->start[c + 1] += g->start[c];
            memcpy(next, g->start, (size_t)cells * sizeof *next);
            SAB_NEW(g->element, g->start[cells]);
        }
    }
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

/* Newton: one step when the sides are straight. */
double sab_locate_inside(const sab_mesh *mesh, int e, const double x[2], double xi[2])
{
    xi[0] = xi[1] = 1.0 / 3.0;
    for (int k = 0; k < 20; k++) {
        double at[2], J[SAB_DIM][SAB_DIM];

        sab_mesh_map(mesh, e, xi, at, J);
        const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
        const double r[2] = {x[0] - at[0], x[1] - at[1]};
        const double d[2] = {(J[1][1] * r[0] - J[0][1] * r[1]) / det,
                             (J[0][0] * r[1] - J[1][0] * r[0]) / det};

        xi[0] += d[0];
        xi[1] += d[1];
        if (fabs(xi[0]) > 10.0 || fabs(xi[1]) > 10.0)
            break; /* far outside, or lost */
        /* quadratic convergence: the next step would be rounding, which is larger the smaller the
         * element is against its coordinates */
        if (fabs(d[0]) + fabs(d[1]) < 1e-9)
            return fmin(fmin(xi[0], xi[1]), 1.0 - xi[0] - xi[1]);
    }
    return -1.0;
}

int sab_locator_find(const sab_locator *g, const double x[2], double xi[2])
{
    const int c = bin(g, x[1], 1) * g->n[0] + bin(g, x[0], 0);
    double best = -OUTSIDE;
    int found = -1;

    for (int p = g->start[c]; p < g->start[c + 1]; p++) {
        double trial[2];
        const double inside = sab_locate_inside(g->mesh, g->element[p], x, trial);

        if (inside > best) {
            best = inside;
            found = g->element[p];
            xi[0] = trial[0];
            xi[1] = trial[1];
            if (inside > 1e-9)
                break;
        }
    }
    return found;
}

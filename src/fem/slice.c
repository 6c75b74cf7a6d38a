/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/slice.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FLAT = SAB_DIM - 1 }; /* dimension of a plane */

typedef struct frame {
    double origin[SAB_DIM], normal[SAB_DIM];
    double axis[FLAT][SAB_DIM];
    double low[FLAT], high[FLAT]; /* of the figure */
} frame;

static double dot(const double *a, const double *b)
{
    double sum = 0.0;

    for (int i = 0; i < SAB_DIM; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Makes a unit vector; false if it is zero. */
static bool normalise(double *a)
{
    const double length = sqrt(dot(a, a));

    for (int i = 0; i < SAB_DIM && length > 0.0; i++)
        a[i] /= length;
    return length > 0.0;
}

static bool make_frame(const double *point, const double *normal, frame *f)
{
    double *n = f->normal, *first = f->axis[0], *second = f->axis[1];
    int nearest = 0;

    memcpy(f->origin, point, sizeof f->origin);
    memcpy(n, normal, sizeof f->normal);
    if (!normalise(n))
        return false;
    for (int i = 1; i < SAB_DIM; i++)
        if (fabs(n[i]) > fabs(n[nearest]))
            nearest = i;
    const int along = (nearest + 1) % SAB_DIM;
    for (int i = 0; i < SAB_DIM; i++)
        first[i] = (i == along ? 1.0 : 0.0) - n[along] * n[i];
    normalise(first);
    for (int i = 0; i < SAB_DIM; i++) {
        const int j = (i + 1) % SAB_DIM, k = (i + FLAT) % SAB_DIM;

        second[i] = n[j] * first[k] - n[k] * first[j];
    }
    for (int a = 0; a < FLAT; a++) {
        f->low[a] = INFINITY;
        f->high[a] = -INFINITY;
    }
    return true;
}

/* The part of the segment between two nodes that lies in the plane widens the figure. */
static void cut(frame *f, const double *a, const double *b)
{
    double from[SAB_DIM], to[SAB_DIM];

    for (int i = 0; i < SAB_DIM; i++) {
        from[i] = a[i] - f->origin[i];
        to[i] = b[i] - f->origin[i];
    }
    const double da = dot(from, f->normal), db = dot(to, f->normal);
    if ((da > 0.0 && db > 0.0) || (da < 0.0 && db < 0.0))
        return;
    const double t = da != db ? da / (da - db) : 0.0;
    for (int k = 0; k < FLAT; k++) {
        const double u = dot(from, f->axis[k]), v = dot(to, f->axis[k]);
        const double here = u + t * (v - u), there = da != db ? here : v;

        f->low[k] = fmin(f->low[k], fmin(here, there));
        f->high[k] = fmax(f->high[k], fmax(here, there));
    }
}

sab_status sab_slice_create(const sab_mesh *mesh, const sab_locator *locator, const double *point,
                            const double *normal, int samples, int across, sab_slice **slice,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_cell *cell = mesh->cell;
    const size_t n = (size_t)samples * (size_t)across;
    sab_slice *s = NULL;
    frame f;

    *slice = NULL;
    if (!make_frame(point, normal, &f))
        return sab_fail(err, SAB_ERR_INPUT, "the normal of the plane is zero");
    for (int i = 0; i < cell->edges * mesh->nelements; i++) {
        const int *node = sab_mesh_element(mesh, i / cell->edges);
        const int e = i % cell->edges;
        const double *middle = sab_mesh_x(mesh, node[cell->corners + e]);

        for (int k = 0; k <= 1; k++)
            cut(&f, sab_mesh_x(mesh, node[cell->edge[e][k]]), middle);
    }
    if (!(f.low[0] <= f.high[0]))
        return sab_fail(err, SAB_ERR_INPUT, "the plane does not cut the domain");
    SAB_NEW(s, 1);
    SAB_NEW(s->x, SAB_DIM * n);
    SAB_NEW(s->element, n);
    SAB_NEW(s->xi, SAB_DIM * n);
    for (size_t k = 0; k < n; k++) {
        const int at[FLAT] = {(int)(k % (size_t)samples), (int)(k / (size_t)samples)};
        const int steps[FLAT] = {samples - 1, across - 1};
        double *x = s->x + SAB_DIM * s->n;

        memcpy(x, f.origin, sizeof f.origin);
        for (int a = 0; a < FLAT; a++) {
            const double t = (double)at[a] / steps[a];
            const double u = (1.0 - t) * f.low[a] + t * f.high[a];

            for (int i = 0; i < SAB_DIM; i++)
                x[i] += u * f.axis[a][i];
        }
        s->element[s->n] = sab_locator_find(locator, x, s->xi + SAB_DIM * s->n);
        s->n += s->element[s->n] >= 0;
    }
    if (s->n == 0) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "none of the %d x %d points of the plane lies inside the domain", samples,
                          across);
        goto cleanup;
    }
    *slice = s;
    s = NULL;
cleanup:
    sab_slice_destroy(&s);
    return status;
}

void sab_slice_destroy(sab_slice **slice)
{
    if (*slice != NULL) {
        SAB_FREE((*slice)->x);
        SAB_FREE((*slice)->element);
        SAB_FREE((*slice)->xi);
        SAB_FREE(*slice);
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "grid.h"
#include "base/memory.h"
#include "unit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Nodes of a (2 nx + 1) x (2 ny + 1) lattice; vertices at even indices. */
sab_mesh *sab_grid_create(const sab_grid *g)
{
    const int mx = 2 * g->nx + 1, my = 2 * g->ny + 1;
    const double hx = (g->x1 - g->x0) / g->nx, hy = (g->y1 - g->y0) / g->ny;
    unsigned long long seed = 7;
    double *x = sab_alloc((size_t)(2 * mx * my), sizeof *x);
    int *element = sab_alloc((size_t)(12 * g->nx * g->ny), sizeof *element);
    sab_mesh *mesh = NULL;
    int n = 0;

    for (int j = 0; j < my; j++)
        for (int i = 0; i < mx; i++) {
            const int inner = i > 0 && j > 0 && i < mx - 1 && j < my - 1;
            const double move = inner && i % 2 == 0 && j % 2 == 0 ? g->jitter : 0.0;

            x[2 * (j * mx + i)] =
                g->x0 + 0.5 * hx * i + move * hx * (2.0 * sab_test_random(&seed) - 1.0);
            x[2 * (j * mx + i) + 1] =
                g->y0 + 0.5 * hy * j + move * hy * (2.0 * sab_test_random(&seed) - 1.0);
        }
    for (int j = 0; j < g->ny; j++)
        for (int i = 0; i < g->nx; i++) {
            const int o = 2 * j * mx + 2 * i; /* lattice index of the lower left vertex */
            const int v[4] = {o, o + 2, o + 2 + 2 * mx, o + 2 * mx};
            const int c = o + 1 + mx, b = o + 1, r = o + 2 + mx, t = o + 1 + 2 * mx, l = o + mx;
            const int rising[2][6] = {{v[0], v[1], v[2], b, r, c}, {v[0], v[2], v[3], c, t, l}};
            const int falling[2][6] = {{v[0], v[1], v[3], b, c, l}, {v[1], v[2], v[3], r, t, c}};

            for (int k = 0; k < 12; k++)
                element[n++] = (i + j) % 2 == 0 ? rising[k / 6][k % 6] : falling[k / 6][k % 6];
        }
    /* mid-sides back to the middle of their moved vertices, then bulged inside the domain */
    for (int k = 0; k < 2 * g->nx * g->ny; k++)
        for (int s = 0; s < 3; s++) {
            const int a = element[6 * k + s], b = element[6 * k + (s + 1) % 3];
            const int m = element[6 * k + 3 + s], i = m % mx, j = m / mx;
            const int inner = i > 0 && j > 0 && i < mx - 1 && j < my - 1;

            for (int d = 0; d < 2; d++)
                x[2 * m + d] = 0.5 * (x[2 * a + d] + x[2 * b + d]) +
                               (inner ? g->bulge * (d == 0 ? hx : hy) * sin(3.0 * m + d) : 0.0);
        }
    for (int k = 0; k < mx * my; k++) {
        const double c = cos(g->rotation), s = sin(g->rotation), X = x[2 * k], Y = x[2 * k + 1];

        x[2 * k] = c * X - s * Y;
        x[2 * k + 1] = s * X + c * Y;
    }
    if (sab_mesh_create(&sab_cell_triangle, mx * my, x, 2 * g->nx * g->ny, element, &mesh, NULL) !=
        SAB_OK)
        abort(); /* a test cannot go on */
    int bottom[512][2], right[512][2], top[512][2], left[512][2];
    assert(g->nx <= 512 && g->ny <= 512);
    for (int i = 0; i < g->nx; i++) {
        bottom[i][0] = 2 * i;
        bottom[i][1] = 2 * i + 2;
        top[i][0] = 2 * i + (my - 1) * mx;
        top[i][1] = 2 * i + 2 + (my - 1) * mx;
    }
    for (int j = 0; j < g->ny; j++) {
        left[j][0] = 2 * j * mx;
        left[j][1] = 2 * (j + 1) * mx;
        right[j][0] = 2 * j * mx + mx - 1;
        right[j][1] = 2 * (j + 1) * mx + mx - 1;
    }
    sab_mesh_add_group(mesh, "bottom", 1, g->nx, bottom[0], NULL);
    sab_mesh_add_group(mesh, "right", 2, g->ny, right[0], NULL);
    sab_mesh_add_group(mesh, "top", 3, g->nx, top[0], NULL);
    sab_mesh_add_group(mesh, "left", 4, g->ny, left[0], NULL);
    if (mesh->ngroups != 4)
        abort();
    return mesh;
}

/* --- tetrahedra ------------------------------------------------------------------------------- */

/* Nodes of a lattice of 2 n + 1 points each way, vertices at even indices. */
typedef struct lattice {
    const sab_box *box;
    int points[SAB_DIM];
} lattice;

static int node_at(const lattice *l, const int *at)
{
    return (at[2] * l->points[1] + at[1]) * l->points[0] + at[0];
}

static void indices_of(const lattice *l, int node, int *at)
{
    at[0] = node % l->points[0];
    at[1] = node / l->points[0] % l->points[1];
    at[2] = node / l->points[0] / l->points[1];
}

static bool is_inner(const lattice *l, int node)
{
    int at[SAB_DIM];

    indices_of(l, node, at);
    for (int d = 0; d < SAB_DIM; d++)
        if (at[d] == 0 || at[d] == l->points[d] - 1)
            return false;
    return true;
}

static double cell_size(const sab_box *box, int d)
{
    return (box->high[d] - box->low[d]) / box->n[d];
}

static void place_vertices(const lattice *l, int nnodes, double *x)
{
    unsigned long long seed = 7;

    for (int k = 0; k < nnodes; k++) {
        int at[SAB_DIM];

        indices_of(l, k, at);
        for (int d = 0; d < SAB_DIM; d++) {
            const double move = is_inner(l, k) ? l->box->jitter : 0.0, h = cell_size(l->box, d);

            x[SAB_DIM * k + d] =
                l->box->low[d] + 0.5 * h * at[d] + move * h * (2.0 * sab_test_random(&seed) - 1.0);
        }
    }
}

/* The six tetrahedra of a cell go from its lowest vertex to its highest, along the axes in each
 * order. Their middles are points of the lattice. */
static void cut_cells(const lattice *l, int *element)
{
    static const int order[6][SAB_DIM] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                          {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const sab_cell *cell = &sab_cell_tetrahedron;
    const int *n = l->box->n;

    for (int c = 0; c < n[0] * n[1] * n[2]; c++)
        for (int k = 0; k < 6; k++) {
            int at[SAB_CORNERS][SAB_DIM] = {
                {2 * (c % n[0]), 2 * (c / n[0] % n[1]), 2 * (c / n[0] / n[1])}};

            for (int i = 1; i < cell->corners; i++)
                for (int d = 0; d < SAB_DIM; d++)
                    at[i][d] = at[i - 1][d] + (order[k][i - 1] == d ? 2 : 0);
            for (int i = 0; i < cell->corners; i++)
                *element++ = node_at(l, at[i]);
            for (int i = 0; i < cell->edges; i++) {
                int middle[SAB_DIM];

                for (int d = 0; d < SAB_DIM; d++)
                    middle[d] = (at[cell->edge[i][0]][d] + at[cell->edge[i][1]][d]) / 2;
                *element++ = node_at(l, middle);
            }
        }
}

static void place_middles(const lattice *l, int nelements, const int *element, double *x)
{
    const sab_cell *cell = &sab_cell_tetrahedron;

    for (int k = 0; k < cell->edges * nelements; k++) {
        const int *node = element + cell->nodes * (k / cell->edges);
        const int *end = cell->edge[k % cell->edges], m = node[cell->corners + k % cell->edges];
        const double bulge = is_inner(l, m) ? l->box->bulge : 0.0;

        for (int d = 0; d < SAB_DIM; d++)
            x[SAB_DIM * m + d] =
                0.5 * (x[SAB_DIM * node[end[0]] + d] + x[SAB_DIM * node[end[1]] + d]) +
                bulge * cell_size(l->box, d) * sin(3.0 * m + d);
    }
}

/* Rodrigues: x cos a + (axis x) sin a + axis (axis.x) (1 - cos a). */
static void rotate(const double *rotation, double *x)
{
    const double angle =
        sqrt(rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2]);
    double axis[SAB_DIM], old[SAB_DIM], along = 0.0;

    if (angle == 0.0)
        return;
    for (int d = 0; d < SAB_DIM; d++) {
        axis[d] = rotation[d] / angle;
        old[d] = x[d];
        along += axis[d] * x[d];
    }
    for (int d = 0; d < SAB_DIM; d++) {
        const int p = (d + 1) % SAB_DIM, q = (d + 2) % SAB_DIM;

        x[d] = cos(angle) * old[d] + sin(angle) * (axis[p] * old[q] - axis[q] * old[p]) +
               (1.0 - cos(angle)) * along * axis[d];
    }
}

/* The facets whose corners have index 0 or the last along axis d. */
static void add_box_group(const lattice *l, sab_mesh *mesh, const char *name, int tag, int d,
                          int index)
{
    const int corners = mesh->cell->facet->corners;
    int *corner = sab_alloc((size_t)(corners * mesh->nfacets), sizeof *corner), n = 0;

    for (int f = 0; f < mesh->nfacets; f++) {
        bool there = true;

        for (int i = 0; i < corners; i++) {
            int at[SAB_DIM];

            corner[corners * n + i] = sab_mesh_facet(mesh, f)[i];
            indices_of(l, corner[corners * n + i], at);
            there = there && at[d] == index;
        }
        n += there;
    }
    if (sab_mesh_add_group(mesh, name, tag, n, corner, NULL) != SAB_OK)
        abort();
    sab_free(corner);
}

sab_mesh *sab_grid_box(const sab_box *box)
{
    static const char *const name[] = {"left", "right", "front", "back", "bottom", "top"};
    const sab_cell *cell = &sab_cell_tetrahedron;
    const int nelements = 6 * box->n[0] * box->n[1] * box->n[2];
    lattice l = {box, {2 * box->n[0] + 1, 2 * box->n[1] + 1, 2 * box->n[2] + 1}};
    const int nnodes = l.points[0] * l.points[1] * l.points[2];
    double *x = sab_alloc((size_t)(SAB_DIM * nnodes), sizeof *x);
    int *element = sab_alloc((size_t)(cell->nodes * nelements), sizeof *element);
    sab_mesh *mesh = NULL;

    place_vertices(&l, nnodes, x);
    cut_cells(&l, element);
    place_middles(&l, nelements, element, x);
    for (int k = 0; k < nnodes; k++)
        rotate(box->rotation, x + SAB_DIM * k);
    if (sab_mesh_create(cell, nnodes, x, nelements, element, &mesh, NULL) != SAB_OK)
        abort();
    for (int g = 0; g < 6; g++)
        add_box_group(&l, mesh, name[g], g + 1, g / 2, g % 2 == 0 ? 0 : l.points[g / 2] - 1);
    return mesh;
}

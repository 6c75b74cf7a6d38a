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
    if (sab_mesh_create(mx * my, x, 2 * g->nx * g->ny, element, &mesh, NULL) != SAB_OK)
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
    sab_mesh_add_group(mesh, "bottom", 1, g->nx, (const int(*)[2])bottom, NULL);
    sab_mesh_add_group(mesh, "right", 2, g->ny, (const int(*)[2])right, NULL);
    sab_mesh_add_group(mesh, "top", 3, g->nx, (const int(*)[2])top, NULL);
    sab_mesh_add_group(mesh, "left", 4, g->ny, (const int(*)[2])left, NULL);
    if (mesh->ngroups != 4)
        abort();
    return mesh;
}

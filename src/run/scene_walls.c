/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/scene_walls.c -- walls for ParaView: segments, in space triangles. */
#include "base/memory.h"
#include "io/vtu.h"
#include "run/scene.h"

#include <math.h>
#include <string.h>

enum { VTK_LINE = 3, VTK_TRIANGLE = 5, BEAD_SIDES = 12 };

typedef struct shown {
    int n;            /* pieces: each a cell with its own points */
    double *x;        /* [n][dim][dim] */
    int *wall, *cell; /* [n] of the scene, [n][dim] */
} shown;

/* So many pieces show a wall; the copies of a room that repeats itself are not shown. */
static int pieces(const sab_grain_wall *w)
{
    if (w->gone || w->image[0] != 0 || w->image[1] != 0 || w->image[2] != 0)
        return 0;
    return w->kind == SAB_GRAIN_WALL_FACET  ? 1
           : w->kind == SAB_GRAIN_WALL_BEAD ? BEAD_SIDES
                                            : w->dim - 1;
}

static void add_bead(const sab_grain_wall *w, shown *s)
{
    static const double PI = 3.14159265358979323846;

    for (int k = 0; k < 2 * BEAD_SIDES; k++) {
        const double angle = 2.0 * PI * ((k + 1) / 2) / BEAD_SIDES; /* 0 1, 1 2, 2 3, ... */

        s->x[4 * s->n + 2 * k] = w->corner[0][0] + w->radius * cos(angle);
        s->x[4 * s->n + 2 * k + 1] = w->corner[0][1] + w->radius * sin(angle);
    }
}

/* A plane has no end: it is shown as far as the grains reach along it. */
static void add_plane(const sab_grain_wall *w, const sab_bodies *b, shown *s)
{
    const int dim = w->dim;
    double frame[9], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    double place[3], corner[4][3];

    sab_contact_frame(dim, w->normal, frame);
    for (int i = 0; i < b->n; i++) {
        sab_bodies_place(b, i, place);
        for (int t = 0; t < dim - 1; t++) {
            double along = 0.0;

            for (int k = 0; k < dim; k++)
                along += frame[(t + 1) * dim + k] * (place[k] - w->corner[0][k]);
            low[t] = fmin(low[t], along - b->radius[i]);
            high[t] = fmax(high[t], along + b->radius[i]);
        }
    }
    for (int c = 0; c < 2 * (dim - 1); c++) /* around the rectangle */
        for (int k = 0; k < dim; k++) {
            corner[c][k] = w->corner[0][k] + frame[dim + k] * (c == 1 || c == 2 ? high[0] : low[0]);
            if (dim == 3)
                corner[c][k] += frame[2 * dim + k] * (c >= 2 ? high[1] : low[1]);
        }
    for (int q = 0; q < dim - 1; q++) /* 0 1, or 0 1 2 and 0 2 3 */
        for (int c = 0; c < dim; c++)
            memcpy(s->x + dim * (dim * (s->n + q) + c), corner[c == 0 ? 0 : c + q],
                   (size_t)dim * sizeof *s->x);
}

static sab_status show(const sab_grains *g, shown *s, sab_error *err)
{
    const int dim = g->bodies->dim;
    sab_status status = SAB_OK;
    int n = 0;

    for (int w = 0; w < g->nwalls; w++)
        n += pieces(&g->wall[w]);
    SAB_NEW(s->x, n * dim * dim + 1);
    SAB_NEW(s->wall, n + 1);
    SAB_NEW(s->cell, n * dim + 1);
    for (int w = 0; w < g->nwalls; w++) {
        const sab_grain_wall *wall = &g->wall[w];

        if (pieces(wall) == 0 || (wall->kind == SAB_GRAIN_WALL_PLANE && g->bodies->n == 0))
            continue;
        if (wall->kind == SAB_GRAIN_WALL_PLANE)
            add_plane(wall, g->bodies, s);
        else if (wall->kind == SAB_GRAIN_WALL_BEAD)
            add_bead(wall, s);
        else
            for (int c = 0; c < dim; c++)
                memcpy(s->x + dim * (dim * s->n + c), wall->corner[c], (size_t)dim * sizeof *s->x);
        for (int q = 0; q < pieces(wall); q++)
            s->wall[s->n++] = w;
    }
    for (int k = 0; k < s->n * dim; k++)
        s->cell[k] = k;
cleanup:
    return status;
}

sab_status sab_scene_write_walls(const sab_scene *scene, const char *path, double time,
                                 sab_error *err)
{
    const sab_grains *g = scene->grains;
    const int dim = g->bodies->dim;
    shown s = {0};
    double *value = NULL;
    sab_vtu *vtu = NULL;
    sab_status status = SAB_OK;

    SAB_TRY(show(g, &s, err));
    SAB_NEW(value, 3 * s.n + 1);
    SAB_TRY(sab_vtu_open(path, scene->c->output_float32, time, dim, s.n * dim, s.x, s.n, dim,
                         dim == 2 ? VTK_LINE : VTK_TRIANGLE, s.cell, &vtu, err));
    for (int i = 0; i < s.n; i++)
        value[i] = g->wall[s.wall[i]].part;
    SAB_TRY(sab_vtu_cell_array(vtu, "wall", 1, NULL, value, err));
    memset(value, 0, (size_t)(3 * s.n) * sizeof *value);
    for (int i = 0; i < s.n; i++) /* in equal parts: the sum over the cells is that on the wall */
        for (int k = 0; k < dim && scene->length > 0.0; k++)
            value[3 * i + k] =
                -g->wall_impulse[3 * s.wall[i] + k] / scene->length / pieces(&g->wall[s.wall[i]]);
    SAB_TRY(sab_vtu_cell_array(vtu, "force", 3, NULL, value, err));
    for (int i = 0; i < s.n; i++)
        for (int k = 0; k < dim; k++)
            value[3 * i + k] = g->wall[s.wall[i]].velocity[k];
    SAB_TRY(sab_vtu_cell_array(vtu, "velocity", 3, NULL, value, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(value);
    SAB_FREE(s.x);
    SAB_FREE(s.wall);
    SAB_FREE(s.cell);
    return status;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/scene_output.c -- grains and contacts for ParaView. */
#include "base/memory.h"
#include "io/vtu.h"
#include "mesh/cell.h"
#include "run/scene.h"

#include <math.h>
#include <string.h>

enum { VTK_LINE = 3 };

/* Vectors of three numbers, whatever the dimension. */
static void pad(int n, int dim, int stride, const double *from, double *to)
{
    memset(to, 0, (size_t)(3 * n) * sizeof *to);
    for (int i = 0; i < n; i++)
        memcpy(to + 3 * i, from + i * stride, (size_t)dim * sizeof *to);
}

/* Mean normal stress in each grain: sum of -arm.force over dim times volume. */
static sab_status pressures(const sab_grains *g, double *pressure, sab_error *err)
{
    const sab_bodies *b = g->bodies;
    sab_status status = SAB_OK;

    memset(pressure, 0, (size_t)b->n * sizeof *pressure);
    for (int q = 0; q < g->nimpulses && g->last_dt > 0.0; q++) {
        const sab_impulse *p = &g->impulse[q];
        sab_pair pair;

        if (!sab_grains_find_pair(g, p, &pair))
            continue;
        SAB_TRY(sab_pair_measure(b, g->wall, &pair, err));
        for (int e = 0; e < (pair.j < b->n ? 2 : 1); e++) {
            const int i = e == 0 ? pair.i : pair.j;
            const double part = (e == 0 ? -1.0 : 1.0) / (g->last_dt * b->dim);
            double arm[3];

            sab_pair_arm(b, &pair, e, arm);
            for (int k = 0; k < b->dim; k++)
                pressure[i] += part * arm[k] * p->value[k] / sab_bodies_volume(b, i);
        }
    }
cleanup:
    return status;
}

/* Semi-axes and, as a thickness for pictures, the smaller again; false if all are round. */
static bool fill_axes(const sab_bodies *b, double *axes)
{
    bool any = false;

    for (int i = 0; i < b->n; i++) {
        const double *axis = b->axis + 2 * i;

        any = any || !sab_bodies_is_round(b, i);
        memcpy(axes + 3 * i, (double[]){axis[0], axis[1], sab_bodies_least(b, i)},
               3 * sizeof *axes);
    }
    return any;
}

sab_status sab_scene_write(const sab_scene *s, const char *path, double time, sab_error *err)
{
    static const char *const quaternion[] = {"w", "x", "y", "z"};
    const sab_bodies *b = s->grains->bodies;
    const int dim = b->dim;
    sab_vtu *vtu = NULL;
    double *work = NULL, *place = NULL;
    int *cell = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(work, 4 * b->n + 1);
    SAB_NEW(place, dim * b->n + 1);
    SAB_NEW(cell, b->n + 1);
    for (int i = 0; i < b->n; i++) {
        cell[i] = i;
        sab_bodies_place(b, i, place + dim * i);
    }
    SAB_TRY(sab_vtu_open(path, s->c->output_float32, time, dim, b->n, place, b->n, 1,
                         SAB_VTK_VERTEX, cell, &vtu, err));
    SAB_TRY(sab_vtu_point_array(vtu, "radius", 1, NULL, b->radius, err));
    if (fill_axes(b, work))
        SAB_TRY(sab_vtu_point_array(vtu, "axes", 3, NULL, work, err));
    pad(b->n, dim, b->freedoms, b->velocity, work);
    SAB_TRY(sab_vtu_point_array(vtu, "velocity", 3, NULL, work, err));
    if (dim == 3)
        pad(b->n, 3, b->freedoms, b->velocity + 3, work);
    else
        for (int i = 0; i < b->n; i++)
            memcpy(work + 3 * i, (double[]){0.0, 0.0, b->velocity[3 * i + 2]}, 3 * sizeof *work);
    SAB_TRY(sab_vtu_point_array(vtu, "spin", 3, NULL, work, err));
    memcpy(work, b->orientation, (size_t)(4 * b->n) * sizeof *work);
    for (int i = 0; i < b->n && dim == 2; i++) { /* an angle, about z */
        work[4 * i + 3] = sin(0.5 * b->orientation[4 * i]);
        work[4 * i] = cos(0.5 * b->orientation[4 * i]);
    }
    SAB_TRY(sab_vtu_point_array(vtu, "orientation", 4, quaternion, work, err));
    SAB_TRY(sab_vtu_point_array(vtu, "mass", 1, NULL, b->mass, err));
    for (int i = 0; i < b->n; i++)
        work[i] = (double)b->id[i];
    SAB_TRY(sab_vtu_point_array(vtu, "id", 1, NULL, work, err));
    SAB_TRY(pressures(s->grains, work, err));
    SAB_TRY(sab_vtu_point_array(vtu, "pressure", 1, NULL, work, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(work);
    SAB_FREE(place);
    SAB_FREE(cell);
    return status;
}

sab_status sab_scene_write_contacts(const sab_scene *s, const char *path, double time,
                                    sab_error *err)
{
    const sab_grains *g = s->grains;
    const sab_bodies *b = g->bodies;
    const int dim = b->dim;
    double *x = NULL, *force = NULL, *size = NULL;
    int *cell = NULL, n = 0;
    sab_vtu *vtu = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(x, 2 * dim * g->nimpulses + 1);
    SAB_NEW(force, 3 * g->nimpulses + 1);
    SAB_NEW(size, g->nimpulses + 1);
    SAB_NEW(cell, 2 * g->nimpulses + 1);
    for (int q = 0; q < g->nimpulses; q++) {
        const sab_impulse *p = &g->impulse[q];
        double *end = x + 2 * dim * n, line[3];
        sab_pair pair;

        if (!sab_grains_find_pair(g, p, &pair)) /* it has left */
            continue;
        SAB_TRY(sab_pair_measure(b, g->wall, &pair, err));
        sab_pair_line(b, &pair, line);
        sab_bodies_place(b, pair.i, end);
        for (int k = 0; k < dim; k++) {
            end[dim + k] = end[k] - line[k];
            force[3 * n + k] = p->value[k] / g->last_dt;
            size[n] += force[3 * n + k] * force[3 * n + k];
        }
        size[n] = sqrt(size[n]);
        cell[2 * n] = 2 * n;
        cell[2 * n + 1] = 2 * n + 1;
        n++;
    }
    SAB_TRY(sab_vtu_open(path, s->c->output_float32, time, dim, 2 * n, x, n, 2, VTK_LINE, cell,
                         &vtu, err));
    SAB_TRY(sab_vtu_cell_array(vtu, "force", 3, NULL, force, err));
    SAB_TRY(sab_vtu_cell_array(vtu, "force_magnitude", 1, NULL, size, err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    SAB_FREE(x);
    SAB_FREE(force);
    SAB_FREE(size);
    SAB_FREE(cell);
    return status;
}

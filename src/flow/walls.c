/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/walls.h"
#include "base/memory.h"
#include "linalg/join.h"
#include "linalg/threads.h"

#include <math.h>
#include <string.h>

/* The axis nearest to each unknown velocity of a node; functions of sides and inner ones have 0. */
static sab_status name_directions(const sab_flow *f, int **direction, sab_error *err)
{
    const sab_dofs *d = f->dofs;
    const int dim = d->dim;
    sab_status status = SAB_OK;

    SAB_NEW(*direction, f->program->n);
    for (int i = 0; i < dim * f->space->mesh->nnodes; i++) {
        const double *along = d->frame + dim * i;
        int nearest = 0;

        for (int j = 1; j < dim; j++)
            nearest = fabs(along[j]) > fabs(along[nearest]) ? j : nearest;
        if (d->number[i] >= 0)
            (*direction)[d->number[i]] = nearest + 1;
    }
cleanup:
    return status;
}

sab_status sab_flow_walls_program(sab_flow *f, sab_error *err)
{
    const int bulk = f->space->npoints, s = f->setup.geometry->s;
    const int walls = f->walls != NULL ? f->walls->n : 0;
    sab_status status = SAB_OK;

    SAB_TRY(sab_program_create(s, bulk + walls, sab_space_unknowns(f->space, f->dofs), &f->program,
                               err));
    SAB_TRY(name_directions(f, &f->program->direction, err));
    if (walls == 0)
        return SAB_OK;
    const sab_point_range range[] = {{SAB_POINTS_STRAIN, 0, bulk, s},
                                     {SAB_POINTS_WALL, bulk, walls, f->walls->dim}};
    SAB_TRY(sab_program_set_ranges(f->program, 2, range, err));
    SAB_NEW(f->slip, (size_t)f->walls->dim * (size_t)walls);
    SAB_NEW(f->traction, (size_t)f->walls->dim * (size_t)walls);
    SAB_NEW(f->wall_force, sab_space_size(f->space));
cleanup:
    return status;
}

static sab_status not_negative(const sab_flow *f, const sab_function *datum, const char *key,
                               const sab_wall_point *p, double *value, sab_error *err)
{
    const sab_vars at = sab_vars_at(f->walls->dim, p->x, f->time);
    const sab_status status = sab_function_at(datum, &at, value, err);

    if (status == SAB_OK && *value < 0.0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "boundaries.%s.wall.%s = %g at (%g, %g), t = %g: it must not be negative",
                        f->setup.boundary[p->entry].group, key, *value, p->x[0], p->x[1], f->time);
    return status;
}

sab_status sab_flow_walls_set(sab_flow *f, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int i = 0; f->walls != NULL && i < f->walls->n; i++) {
        const sab_wall_point *p = &f->walls->point[i];
        const sab_wall_law *law = &f->setup.boundary[p->entry].wall;
        const int q = f->space->npoints + i;
        double drag;

        SAB_TRY(not_negative(f, &law->friction, "friction", p, &f->program->friction[q], err));
        SAB_TRY(not_negative(f, &law->adhesion, "adhesion", p, &f->program->yield[q], err));
        SAB_TRY(not_negative(f, &law->drag, "drag", p, &drag, err));
        f->program->viscosity[q] = drag * f->walls->length; /* stress per rate */
        f->program->weight[q] = f->walls->at->weight[i];
    }
cleanup:
    return status;
}

sab_status sab_flow_walls_move(sab_flow *f, sab_error *err)
{
    const int s = f->program->s;
    sab_status status = SAB_OK;

    if (f->walls == NULL)
        return SAB_OK;
    SAB_TRY(sab_wall_points_give(f->walls, f->dofs, f->setup.boundary, f->time, err));
    for (int i = 0; i < f->walls->n; i++)
        memcpy(f->program->k + s * (f->space->npoints + i), f->walls->at->k + f->walls->dim * i,
               (size_t)f->walls->dim * sizeof(double));
cleanup:
    return status;
}

sab_status sab_flow_walls_join(sab_flow *f, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_blocks *joined = NULL;
    enum { BULK, WALLS, PARTS };
    int first[PARTS + 1];

    if (f->walls == NULL)
        return SAB_OK;
    SAB_TRY(sab_blocks_join(
        PARTS, (const sab_blocks *const[]){[BULK] = f->program->B, [WALLS] = f->walls->at->B},
        first, &joined, err));
    SAB_TRY(sab_blocks_share(joined, sab_threads_get(), err));
    sab_blocks_destroy(&f->program->B);
    f->program->B = joined;
    joined = NULL;
    SAB_TRY(sab_flow_walls_move(f, err));
cleanup:
    sab_blocks_destroy(&joined);
    return status;
}

void sab_flow_walls_apply(sab_flow *f)
{
    sab_program *p = f->program;
    const int bulk = f->space->npoints;
    double sum = 0.0, volume = 0.0;

    if (f->walls == NULL)
        return;
    for (int q = 0; q < bulk; q++) {
        sum += p->weight[q] * p->r[q];
        volume += p->weight[q];
    }
    for (int q = bulk; q < p->npoints; q++) {
        p->slope[q] = p->viscosity[q];
        p->r[q] = sum / volume;
    }
}

void sab_flow_walls_update(sab_flow *f)
{
    const sab_program *p = f->program;
    sab_wall_points *w = f->walls;

    if (w == NULL)
        return;
    sab_blocks_multiply(w->at->B, f->u, f->slip);
    for (int i = 0; i < w->n; i++) {
        const int q = f->space->npoints + i;
        const double full = p->weight[q] / w->at->weight[i]; /* 1, but beside void */

        for (int c = 0; c < w->dim; c++) {
            const int at = w->dim * i + c;
            const double rate = f->slip[at] + w->at->k[at];

            f->slip[at] = w->length * rate;
            f->traction[at] =
                full * (f->lambda[p->s * q + c] - (c == 0 ? 0.0 : p->viscosity[q] * rate));
        }
    }
    memset(f->wall_force, 0, sab_space_size(f->space) * sizeof *f->wall_force);
    sab_wall_points_force(w, SAB_NOBODY, f->traction, f->wall_force);
}

sab_status sab_flow_walls_held(const sab_flow *f, sab_support *held, sab_error *err)
{
    const sab_wall_points *w = f->walls;
    sab_status status = SAB_OK;

    if (w == NULL)
        return SAB_OK;
    const size_t most = (size_t)w->n * (size_t)(w->dim - 1) * SAB_SIDE_SHAPES;
    SAB_NEW(held->node, most);
    SAB_NEW(held->direction, most * (size_t)w->dim);
    for (int i = 0; i < w->n; i++) {
        const sab_wall_point *p = &w->point[i];
        double drag;

        SAB_TRY(not_negative(f, &f->setup.boundary[p->entry].wall.drag, "drag", p, &drag, err));
        for (int c = 0; c < w->dim - 1 && drag > 0.0 && p->n == 1; c++, held->n++) {
            held->node[held->n] = p->place[0];
            memcpy(held->direction + w->dim * held->n, p->tangent[c],
                   (size_t)w->dim * sizeof(double));
        }
    }
cleanup:
    return status;
}

sab_wall_powers sab_flow_walls_powers(const sab_flow *f)
{
    const sab_program *p = f->program;
    const sab_wall_points *w = f->walls;
    sab_wall_powers sum = {0};

    for (int i = 0; w != NULL && i < w->n; i++) {
        const int q = f->space->npoints + i;
        const double m = p->weight[q] / w->length, *lambda = f->lambda + p->s * q;
        const double *v = f->slip + w->dim * i, *r = f->traction + w->dim * i;
        double U[SAB_DIM], slip2 = 0.0;
        sab_error ignored = {0};

        for (int c = 0; c < w->dim; c++)
            sum.contact += m * lambda[c] * v[c];
        for (int c = 1; c < w->dim; c++)
            slip2 += v[c] * v[c];
        sum.friction += m * (p->yield[q] + p->friction[q] * lambda[0]) * sqrt(slip2);
        sum.drag += m * p->viscosity[q] / w->length * slip2;
        if (sab_wall_velocity(w, i, f->setup.boundary, f->time, U, &ignored) != SAB_OK)
            continue; /* it has been found before, for k */
        for (int c = 1; c < w->dim; c++)
            for (int j = 0; j < w->dim; j++)
                sum.delivered += w->point[i].weight * r[c] * w->point[i].tangent[c - 1][j] * U[j];
    }
    return sum;
}

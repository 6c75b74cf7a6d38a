/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/room.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Least mass of a parent, of what it holds: an empty one would be moved for nothing. */
static const double LIGHT = 0.02;
/* A carrier moves by no more than this part of the height of its parent. */
static const double FARTHEST = 0.1;
/* Of the solve, relative to what is over-full. */
static const double TOLERANCE = 1e-3;
/* Of a contact: its normal, and one that is padding, because a cone has two components at least. */
enum { ROWS = 2 };

/* Gradients of the hats of a parent with straight sides: rows of the inverse of (x_j - x_last). */
static void find_gradients(const sab_mesh *mesh, const int *node, double *gradient)
{
    const int dim = mesh->cell->dim;
    const int wide = dim + dim;
    double M[SAB_DIM][SAB_DIM + SAB_DIM] = {{0}};

    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim; j++) {
            M[i][j] = sab_mesh_x(mesh, node[j])[i] - sab_mesh_x(mesh, node[dim])[i];
            M[i][dim + j] = i == j;
        }
    for (int k = 0; k < dim; k++) { /* Gauss and Jordan, the largest pivot of the column */
        int best = k;

        for (int i = k + 1; i < dim; i++)
            if (fabs(M[i][k]) > fabs(M[best][k]))
                best = i;
        for (int j = 0; j < wide; j++) {
            const double swap = M[k][j];
            M[k][j] = M[best][j];
            M[best][j] = swap;
        }
        for (int i = 0; i < dim; i++) {
            const double factor = i == k ? 1.0 - 1.0 / M[k][k] : M[i][k] / M[k][k];

            for (int j = wide; j-- > 0;)
                M[i][j] -= factor * M[k][j];
        }
    }
    memset(gradient + dim * dim, 0, (size_t)dim * sizeof *gradient);
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            gradient[dim * j + i] = M[j][dim + i];
            gradient[dim * dim + i] -= M[j][dim + i];
        }
}

/* A: one diagonal entry per component of a parent. */
static sab_status set_bodies(const sab_filling *fill, sab_room *r, sab_error *err)
{
    const int n = fill->space->mesh->cell->dim * fill->nparents;
    sab_status status = SAB_OK;

    SAB_TRY(sab_sparse_create(n, n, true, &r->program->A, err));
    for (int j = 0; j < n; j++) {
        r->program->A->start[j + 1] = j + 1;
        r->program->A->row[j] = j;
        r->program->A->value[j] = 1.0;
    }
cleanup:
    return status;
}

/* B: a block per vertex, with the unknowns of its parents in order. */
static sab_status set_contacts(const sab_filling *fill, sab_room *r, sab_error *err)
{
    const int dim = fill->space->mesh->cell->dim, corners = fill->space->mesh->cell->corners;
    const int64_t columns = (int64_t)corners * fill->nparents * dim;
    sab_program *p = r->program;
    sab_status status = SAB_OK;

    SAB_TRY(
        sab_blocks_create(p->s, p->npoints, p->n, p->npoints, columns, columns * p->s, &p->B, err));
    for (int i = 0; i < corners * fill->nparents; i++)
        p->B->column_start[fill->vertex[i] + 1] += dim;
    for (int v = 0; v < p->npoints; v++) {
        if (p->B->column_start[v + 1] > SAB_BLOCK_COLUMNS)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "a vertex of the mesh belongs to %d elements; where the surface moves it may "
                     "to %d: make the mesh more even",
                     (int)p->B->column_start[v + 1] / dim, SAB_BLOCK_COLUMNS / dim);
        p->B->point[v + 1] = v + 1;
        p->B->column_start[v + 1] += p->B->column_start[v];
        p->B->value_start[v + 1] = p->s * p->B->column_start[v + 1];
    }
    for (int k = 0; k < fill->nparents; k++)
        for (int i = 0; i < corners; i++) { /* start: where the next goes */
            int64_t *next = &p->B->column_start[fill->vertex[corners * k + i]];

            for (int c = 0; c < dim; c++)
                p->B->column[(*next)++] = dim * k + c;
        }
    for (int v = p->npoints; v > 0; v--)
        p->B->column_start[v] = p->B->column_start[v - 1];
    p->B->column_start[0] = 0;
    for (int v = 0; v < p->npoints; v++)
        p->weight[v] = p->r[v] = 1.0;
cleanup:
    return status;
}

sab_status sab_room_create(const sab_filling *fill, sab_room **room, sab_error *err)
{
    const sab_mesh *mesh = fill->space->mesh;
    const int dim = mesh->cell->dim, corners = mesh->cell->corners;
    sab_solver_options options = sab_solver_options_default();
    sab_status status = SAB_OK;
    sab_room *r = NULL;

    *room = NULL;
    SAB_NEW(r, 1);
    SAB_NEW(r->gradient, (size_t)(fill->nparents * corners * dim));
    SAB_NEW(r->height, fill->nparents);
    SAB_NEW(r->scale, fill->nvertices);
    SAB_NEW(r->lambda, ROWS * (size_t)fill->nvertices);
    SAB_NEW(r->d, (size_t)(dim * fill->nparents));
    for (int k = 0; k < fill->nparents; k++) {
        double *gradient = r->gradient + k * corners * dim, steepest = 0.0;
        int node[SAB_CORNERS];

        for (int i = 0; i < corners; i++)
            node[i] = sab_filling_corner(mesh, k, i);
        find_gradients(mesh, node, gradient);
        for (int i = 0; i < corners; i++) {
            double square = 0.0;

            for (int c = 0; c < dim; c++)
                square += gradient[dim * i + c] * gradient[dim * i + c];
            steepest = fmax(steepest, square);
        }
        r->height[k] = 1.0 / sqrt(steepest);
    }
    SAB_TRY(sab_program_create(ROWS, fill->nvertices, dim * fill->nparents, &r->program, err));
    SAB_TRY(sab_program_set_ranges(
        r->program, 1, &(sab_point_range){SAB_POINTS_CONTACT, 0, fill->nvertices, 1}, err));
    SAB_TRY(set_bodies(fill, r, err));
    SAB_TRY(set_contacts(fill, r, err));
    options.method = SAB_METHOD_GS;
    options.tolerance = options.change_tolerance = TOLERANCE;
    SAB_TRY(sab_solver_create(&options, r->program, &r->solver, err));
    *room = r;
    r = NULL;
cleanup:
    sab_room_destroy(&r);
    return status;
}

void sab_room_destroy(sab_room **room)
{
    sab_room *r = *room;

    if (r == NULL)
        return;
    sab_solver_destroy(&r->solver);
    sab_program_destroy(&r->program);
    SAB_FREE(r->gradient);
    SAB_FREE(r->height);
    SAB_FREE(r->scale);
    SAB_FREE(r->lambda);
    SAB_FREE(r->d);
    SAB_FREE(*room);
}

/* M_i - T_i */
static double over(const sab_filling *fill, int i, double band, double relax)
{
    const double M = fill->hat_mass[i], V = fill->hat_volume[i];

    if (M <= V)
        return M - V;
    return fmax(0.0, relax * (M - (1.0 + band) * V));
}

/* Values of A, B and k. Rows are divided by the root of their response, so that r = 1. */
static void set_values(sab_room *r, const sab_filling *fill, double band, double relax)
{
    const int dim = fill->space->mesh->cell->dim, corners = fill->space->mesh->cell->corners;
    sab_program *p = r->program;

    memset(r->scale, 0, (size_t)fill->nvertices * sizeof *r->scale);
    for (int k = 0; k < fill->nparents; k++) {
        const double mass = fmax(fill->content[k], LIGHT) * fill->volume[k];

        for (int c = 0; c < dim; c++)
            p->A->value[dim * k + c] = mass;
        for (int i = 0; i < corners; i++) {
            const double *g = r->gradient + (corners * k + i) * dim;
            double square = 0.0;

            for (int c = 0; c < dim; c++)
                square += g[c] * g[c];
            r->scale[fill->vertex[corners * k + i]] += mass * square;
        }
    }
    for (int v = 0; v < fill->nvertices; v++) {
        r->scale[v] = 1.0 / sqrt(r->scale[v]);
        p->k[ROWS * v] = -r->scale[v] * over(fill, v, band, relax);
    }
    for (int k = 0; k < fill->nparents; k++)
        for (int i = 0; i < corners; i++) {
            const int v = fill->vertex[corners * k + i];
            const double *g = r->gradient + (corners * k + i) * dim;
            double *row = p->B->value + p->B->value_start[v];
            int64_t at = 0;

            while (p->B->column[p->B->column_start[v] + at] != dim * k)
                at += dim;
            for (int c = 0; c < dim; c++)
                row[at + c] = -r->scale[v] * p->A->value[dim * k] * g[c];
        }
}

sab_status sab_room_find(sab_room *r, const sab_filling *fill, double band, double relax,
                         bool *moves, sab_error *err)
{
    const int dim = fill->space->mesh->cell->dim;
    double most = 0.0, sum = 0.0;
    sab_status status = SAB_OK;
    sab_report report;

    memset(r->d, 0, (size_t)(dim * fill->nparents) * sizeof *r->d);
    for (int v = 0; v < fill->nvertices; v++) {
        const double b = over(fill, v, band, relax);

        most = fmax(most, b);
        sum += b;
    }
    *moves = most > 0.0 && sum <= 0.0;
    if (!*moves)
        goto cleanup;
    set_values(r, fill, band, relax);
    memset(r->lambda, 0, ROWS * (size_t)fill->nvertices * sizeof *r->lambda);
    SAB_TRY(sab_solver_run(r->solver, r->program, true, r->lambda, r->d, NULL, &report, err));
    *moves = report.reason != SAB_INFEASIBLE;
    for (int k = 0; k < fill->nparents && *moves; k++) {
        double length = 0.0;

        for (int c = 0; c < dim; c++)
            length = hypot(length, r->d[dim * k + c]);
        for (int c = 0; c < dim && length > FARTHEST * r->height[k]; c++)
            r->d[dim * k + c] *= FARTHEST * r->height[k] / length;
    }
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "while moving grains to where there is room");
    return status;
}

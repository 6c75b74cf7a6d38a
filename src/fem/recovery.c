/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/recovery.h"
#include "base/memory.h"
#include "fem/points.h"
#include "linalg/factor.h"

#include <math.h>
#include <string.h>

struct sab_recovery {
    const sab_space *space;
    sab_points *hats; /* of the vertices, at the law points */
    sab_factor *factor;
    int *vertex;      /* [nnodes] its number among the vertices, or -1 */
    double *value;    /* [npoints] */
    double *load;     /* [nvertices] */
    double *nodal;    /* [nnodes] pressure */
    double *stress;   /* [nnodes][s] */
    double *at_point; /* [npoints] of the load, then the recovered function there */
};

/* M_ij = int phi_i phi_j = sum_q w_q phi_i(x_q) phi_j(x_q): exact on straight triangles. */
static sab_status factor_mass(sab_recovery *r, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_sparse *M = NULL;
    sab_scatter *scatter = NULL;

    SAB_TRY(sab_blocks_pattern(r->hats->B, true, &M, err));
    SAB_TRY(sab_scatter_create(r->hats->B, M, &scatter, err));
    sab_blocks_assemble(r->hats->B, r->hats->weight, scatter, M);
    SAB_TRY(sab_factor_create(&(sab_factor_options){.space = r->space->mesh->cell->dim == 3}, M,
                              &r->factor, err));
    SAB_TRY(sab_factor_update(r->factor, M, err));
cleanup:
    sab_scatter_destroy(&scatter);
    sab_sparse_destroy(&M);
    return status;
}

sab_status sab_recovery_create(const sab_space *space, sab_recovery **recovery, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const int corners = mesh->cell->corners;
    sab_recovery *r = NULL;
    int nvertices = 0;

    *recovery = NULL;
    SAB_NEW(r, 1);
    r->space = space;
    SAB_NEW(r->vertex, mesh->nnodes);
    memset(r->vertex, -1, (size_t)mesh->nnodes * sizeof *r->vertex);
    for (int i = 0; i < corners * mesh->nelements; i++) {
        const int node = sab_mesh_element(mesh, i / corners)[i % corners];

        if (r->vertex[node] < 0)
            r->vertex[node] = nvertices++;
    }
    SAB_NEW(r->value, space->npoints);
    SAB_NEW(r->load, nvertices);
    SAB_NEW(r->nodal, mesh->nnodes);
    SAB_NEW(r->stress, (size_t)space->geometry->s * (size_t)mesh->nnodes);
    SAB_NEW(r->at_point, space->npoints);
    SAB_TRY(sab_points_hats(space, nvertices, r->vertex, &r->hats, err));
    SAB_TRY(factor_mass(r, err));
    *recovery = r;
    r = NULL;
cleanup:
    sab_recovery_destroy(&r);
    return status;
}

void sab_recovery_destroy(sab_recovery **recovery)
{
    sab_recovery *r = *recovery;

    if (r != NULL) {
        sab_points_destroy(&r->hats);
        sab_factor_destroy(&r->factor);
        SAB_FREE(r->vertex);
        SAB_FREE(r->value);
        SAB_FREE(r->load);
        SAB_FREE(r->nodal);
        SAB_FREE(r->stress);
        SAB_FREE(r->at_point);
        SAB_FREE(*recovery);
    }
}

bool sab_recovery_is_stable(const sab_space *space)
{
    return space->element->stable || sab_mesh_is_split(space->mesh);
}

/* M c = int f phi into r->load, f being component c of values at the law points. */
static sab_status solve(sab_recovery *r, int components, int c, const double *value, sab_error *err)
{
    for (int q = 0; q < r->space->npoints; q++)
        r->at_point[q] = r->hats->weight[q] * value[components * q + c];
    memset(r->load, 0, (size_t)r->hats->B->ncolumns * sizeof *r->load);
    sab_blocks_multiply_transpose(r->hats->B, r->at_point, r->load);
    return sab_factor_solve(r->factor, r->load, r->load, err);
}

sab_status sab_recovery_project(sab_recovery *r, int components, const double *value, double *nodal,
                                sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = r->space->mesh;
    const sab_cell *cell = mesh->cell;

    for (int c = 0; c < components; c++) {
        SAB_TRY(solve(r, components, c, value, err));
        for (int e = 0; e < mesh->nelements; e++) {
            const int *node = sab_mesh_element(mesh, e);

            for (int i = 0; i < cell->corners; i++)
                nodal[components * node[i] + c] = r->load[r->vertex[node[i]]];
            for (int i = 0; i < cell->edges; i++)
                nodal[components * node[cell->corners + i] + c] =
                    0.5 * (nodal[components * node[cell->edge[i][0]] + c] +
                           nodal[components * node[cell->edge[i][1]] + c]);
        }
    }
cleanup:
    return status;
}

/* |p - recovered p| / (|mean_K p - mean p|^2 + |Dev sigma|^2)^1/2, L2 norms over the elements that
 * flow; p and the recovered p are at the law points. */
static double oscillation(const sab_fields *f, const double *p, const double *recovered)
{
    const double *w = f->space->weight;
    const int s = f->space->geometry->s, points = f->space->element->law->n;
    double volume = 0.0, sum = 0.0, rough = 0.0, size = 0.0;

    for (int q = 0; q < f->space->npoints; q++)
        if (f->yielded[q / points] == 1.0) {
            volume += w[q];
            sum += w[q] * p[q];
        }
    for (int q = 0; q < f->space->npoints; q++) {
        const double deviation = f->pressure[q / points] - sum / volume;
        const double difference = p[q] - recovered[q];
        double shear2 = 0.0;

        if (f->yielded[q / points] < 1.0)
            continue;
        for (int c = 1; c < s; c++)
            shear2 += f->total[s * q + c] * f->total[s * q + c];
        rough += w[q] * difference * difference;
        size += w[q] * (deviation * deviation + shear2);
    }
    return volume > 0.0 ? sqrt(rough / size) : NAN;
}

sab_status sab_recovery_pressure(sab_recovery *r, const sab_fields *f, sab_recovered *result,
                                 sab_error *err)
{
    sab_status status = SAB_OK;
    const double scale = sab_geometry_normal_scale(r->space->geometry);
    const int s = r->space->geometry->s;

    for (int q = 0; q < r->space->npoints; q++)
        r->value[q] = f->lambda[s * q] / scale;
    SAB_TRY(sab_recovery_project(r, 1, r->value, r->nodal, err));
    sab_blocks_multiply(r->hats->B, r->load, r->at_point);
    result->nodal = r->nodal;
    result->oscillation = oscillation(f, r->value, r->at_point);
cleanup:
    return status;
}

sab_status sab_recovery_stress(sab_recovery *r, const sab_fields *f, const double **stress,
                               sab_error *err)
{
    *stress = r->stress;
    return sab_recovery_project(r, r->space->geometry->s, f->total, r->stress, err);
}

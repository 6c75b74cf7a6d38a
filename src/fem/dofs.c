#include "fem/dofs.h"
#include "base/memory.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <math.h>
#include <string.h>

/* Directions closer than this (30 degrees) count as the same wall. */
static const double CORNER_SINE = 0.5;

/* What one boundary entry says at one node: up to two directions with the velocity along them. */
typedef struct constraint {
    int n;
    double direction[2][2]; /* unit */
    double value[2];
} constraint;

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/* A new entry at a node that may have an older one. First component of the frame: the new entry's
 * first direction. Second: the new entry's second, or else an older direction that is another wall,
 * or else free. A second direction d with d.u = v gives t.u = (v - (d.n) u_n) / (d.t), t _|_ n. */
static void constrain(sab_dofs *dofs, int node, const constraint *now, int entry)
{
    double *frame = dofs->frame + 4 * node, *value = dofs->value + 2 * node;
    int *number = dofs->number + 2 * node;
    constraint all = *now;

    for (int i = 0; i < 2 && all.n < 2; i++)
        if (number[i] < 0 && fabs(cross(all.direction[0], frame + 2 * i)) > CORNER_SINE) {
            memcpy(all.direction[1], frame + 2 * i, sizeof all.direction[1]);
            all.value[1] = value[i];
            all.n = 2;
        }
    const double *n = all.direction[0];
    const double t[2] = {-n[1], n[0]};

    value[0] = all.value[0];
    value[1] = 0.0;
    number[0] = -1;
    number[1] = 0; /* free; numbered when all entries are applied */
    if (all.n == 2) {
        const double *d = all.direction[1];

        value[1] =
            (all.value[1] - (d[0] * n[0] + d[1] * n[1]) * value[0]) / (d[0] * t[0] + d[1] * t[1]);
        number[1] = -1;
    }
    memcpy(frame, (double[4]){n[0], n[1], t[0], t[1]}, 4 * sizeof *frame);
    dofs->owner[node] = entry;
}

static sab_status apply_velocity(sab_dofs *dofs, const sab_mesh *mesh, const sab_boundary *entry,
                                 int index, const sab_mesh_group *group, double t, sab_error *err)
{
    for (int f = 0; f < group->nfacets; f++)
        for (int a = 0; a < SAB_P2_LINE; a++) {
            const int node = mesh->facet[SAB_P2_LINE * group->facet[f] + a];
            const sab_vars at = {.x = mesh->x[2 * node], .y = mesh->x[2 * node + 1], .t = t};
            constraint c = {0};

            if (dofs->owner[node] == index)
                continue; /* seen from the neighbouring facet */
            for (int i = 0; i < 2; i++)
                if (entry->prescribed[i]) {
                    const sab_status status =
                        sab_function_at(&entry->velocity[i], &at, &c.value[c.n], err);

                    if (status != SAB_OK)
                        return status;
                    c.direction[c.n][i] = 1.0;
                    c.n++;
                }
            if (c.n > 0)
                constrain(dofs, node, &c, index);
        }
    return SAB_OK;
}

/* Slip: the normal of a node is int phi n over the facets of the group, so that no volume flows
 * through the discrete wall; facets that meet at a corner (30 degrees and more) are two walls. */
static sab_status apply_slip(sab_dofs *dofs, const sab_mesh *mesh, int index,
                             const sab_mesh_group *group, sab_error *err)
{
    sab_status status = SAB_OK;
    double *normal = NULL; /* [nnodes][2 walls][2] */

    SAB_NEW(normal, 4 * (size_t)mesh->nnodes);
    for (int f = 0; f < group->nfacets; f++) {
        const int facet = group->facet[f];
        double own[SAB_P2_LINE][2] = {{0.0}};

        for (int q = 0; q < sab_line_degree7.n; q++) {
            sab_p2_side p;

            sab_p2_side_at(mesh, facet, sab_line_degree7.xi[q][0], &p);
            for (int a = 0; a < SAB_P2_LINE; a++)
                for (int i = 0; i < 2; i++)
                    own[a][i] += sab_line_degree7.weight[q] * p.value[a] * p.normal_ds[i];
        }
        for (int a = 0; a < SAB_P2_LINE; a++) {
            double *wall = normal + 4 * (size_t)mesh->facet[SAB_P2_LINE * facet + a];
            const double size = hypot(wall[0], wall[1]) * hypot(own[a][0], own[a][1]);

            if (fabs(cross(wall, own[a])) > CORNER_SINE * size)
                wall += 2;
            wall[0] += own[a][0];
            wall[1] += own[a][1];
        }
    }
    for (int node = 0; node < mesh->nnodes; node++) {
        constraint c = {0};

        for (int w = 0; w < 2; w++) {
            const double *wall = normal + 4 * (size_t)node + 2 * w;
            const double size = hypot(wall[0], wall[1]);

            if (size > 0.0) {
                c.direction[c.n][0] = wall[0] / size;
                c.direction[c.n][1] = wall[1] / size;
                c.n++;
            }
        }
        if (c.n > 0)
            constrain(dofs, node, &c, index);
    }
cleanup:
    SAB_FREE(normal);
    return status;
}

sab_status sab_dofs_create(const sab_mesh *mesh, int nboundaries, const sab_boundary *boundary,
                           const int *group, double t, sab_dofs **dofs, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_dofs *d = NULL;

    *dofs = NULL;
    SAB_NEW(d, 1);
    d->dim = 2;
    d->nnodes = mesh->nnodes;
    SAB_NEW(d->number, 2 * (size_t)mesh->nnodes);
    SAB_NEW(d->value, 2 * (size_t)mesh->nnodes);
    SAB_NEW(d->frame, 4 * (size_t)mesh->nnodes);
    SAB_NEW(d->owner, mesh->nnodes);
    for (int node = 0; node < mesh->nnodes; node++) {
        d->frame[4 * node] = d->frame[4 * node + 3] = 1.0;
        d->owner[node] = -1;
    }
    for (int b = 0; b < nboundaries; b++) {
        if (boundary[b].has_velocity)
            SAB_TRY(apply_velocity(d, mesh, &boundary[b], b, &mesh->group[group[b]], t, err));
        if (boundary[b].slip)
            SAB_TRY(apply_slip(d, mesh, b, &mesh->group[group[b]], err));
    }
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        if (d->number[i] >= 0)
            d->number[i] = d->nfree++;
    *dofs = d;
    d = NULL;
cleanup:
    sab_dofs_destroy(&d);
    return status;
}

void sab_dofs_destroy(sab_dofs **dofs)
{
    if (*dofs != NULL) {
        SAB_FREE((*dofs)->number);
        SAB_FREE((*dofs)->value);
        SAB_FREE((*dofs)->frame);
        SAB_FREE((*dofs)->owner);
        SAB_FREE(*dofs);
    }
}

/* Gram matrix of the rigid motions (1,0), (0,1), (-y,x) on the constrained directions, lengths
 * scaled by the mesh; its rank by elimination is the number of motions that are held. */
int sab_dofs_rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh)
{
    double centre[2] = {0.0, 0.0}, size = 0.0, gram[3][3] = {{0.0}};
    int held = 0;

    for (int i = 0; i < 2 * mesh->nnodes; i++)
        centre[i % 2] += mesh->x[i] / mesh->nnodes;
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        size = fmax(size, fabs(mesh->x[i] - centre[i % 2]));
    for (int i = 0; i < 2 * mesh->nnodes; i++) {
        if (dofs->number[i] >= 0)
            continue;
        const int node = i / 2;
        const double *d = dofs->frame + 2 * i;
        const double x = (mesh->x[2 * node] - centre[0]) / size;
        const double y = (mesh->x[2 * node + 1] - centre[1]) / size;
        const double motion[3] = {d[0], d[1], -y * d[0] + x * d[1]};

        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                gram[a][b] += motion[a] * motion[b];
    }
    const double scale = gram[0][0] + gram[1][1] + gram[2][2];
    for (int k = 0; k < 3; k++) { /* complete pivoting on the diagonal of a Gram matrix */
        int pivot = k;

        for (int a = k + 1; a < 3; a++)
            if (gram[a][a] > gram[pivot][pivot])
                pivot = a;
        for (int b = 0; b < 3; b++) {
            const double swap = gram[k][b];
            gram[k][b] = gram[pivot][b];
            gram[pivot][b] = swap;
        }
        for (int a = 0; a < 3; a++) {
            const double swap = gram[a][k];
            gram[a][k] = gram[a][pivot];
            gram[a][pivot] = swap;
        }
        if (!(gram[k][k] > 1e-12 * scale))
            break;
        held++;
        for (int a = k + 1; a < 3; a++)
            for (int b = 2; b >= k; b--)
                gram[a][b] -= gram[a][k] / gram[k][k] * gram[k][b];
    }
    return 3 - held;
}

void sab_dofs_restrict(const sab_dofs *dofs, const double *F, double *l)
{
    for (int i = 0; i < 2 * dofs->nnodes; i++)
        if (dofs->number[i] >= 0) {
            const double *d = dofs->frame + 2 * i, *f = F + 2 * (i / 2);

            l[dofs->number[i]] = d[0] * f[0] + d[1] * f[1];
        }
}

void sab_dofs_expand(const sab_dofs *dofs, const double *u, double *U)
{
    for (int node = 0; node < dofs->nnodes; node++) {
        U[2 * node] = U[2 * node + 1] = 0.0;
        for (int c = 0; c < 2; c++) {
            const int number = dofs->number[2 * node + c];
            const double value = number < 0  ? dofs->value[2 * node + c]
                                 : u != NULL ? u[number]
                                             : 0.0;
            const double *d = dofs->frame + 4 * node + 2 * c;

            U[2 * node] += value * d[0];
            U[2 * node + 1] += value * d[1];
        }
    }
}

#include "fem/dofs.h"
#include "base/memory.h"
#include "fem/claims.h"

#include <math.h>
#include <string.h>

sab_status sab_dofs_create(const sab_mesh *mesh, const sab_geometry *geometry, int faces,
                           int nboundaries, const sab_boundary *boundary, const int *group,
                           double t, sab_dofs **dofs, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_claims *claims = NULL;
    sab_dofs *d = NULL;

    *dofs = NULL;
    SAB_NEW(d, 1);
    const int dim = mesh->cell->dim;
    const size_t components = (size_t)dim * (size_t)(mesh->nnodes + faces);
    d->dim = dim;
    d->nnodes = mesh->nnodes + faces;
    SAB_NEW(d->number, components);
    SAB_NEW(d->value, components);
    SAB_NEW(d->frame, (size_t)dim * components);
    SAB_NEW(d->owner, d->nnodes);
    for (int node = 0; node < d->nnodes; node++) {
        for (int i = 0; i < dim; i++)
            d->frame[dim * (dim * node + i) + i] = 1.0;
        d->owner[node] = SAB_NOBODY;
    }
    SAB_TRY(
        sab_claims_create(mesh, geometry, faces, nboundaries, boundary, group, t, &claims, err));
    SAB_NEW(d->share, claims->n);
    SAB_TRY(sab_claims_settle(claims, mesh, boundary, group, d, err));
    for (int i = 0; i < dim * d->nnodes; i++)
        if (d->number[i] >= 0)
            d->number[i] = d->nfree++;
    *dofs = d;
    d = NULL;
cleanup:
    sab_claims_destroy(&claims);
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
        SAB_FREE((*dofs)->share);
        SAB_FREE((*dofs)->concession);
        SAB_FREE(*dofs);
    }
}

/* Rank of a Gram matrix of n rows, entries of size `scale` where they are not 0: elimination with
 * complete pivoting on its diagonal. */
static int rank_of(int n, double scale, double gram[SAB_MAX_RIGID][SAB_MAX_RIGID])
{
    int rank = 0;

    for (int k = 0; k < n; k++) {
        int pivot = k;

        for (int a = k + 1; a < n; a++)
            if (gram[a][a] > gram[pivot][pivot])
                pivot = a;
        for (int b = 0; b < n; b++) {
            const double swap = gram[k][b];
            gram[k][b] = gram[pivot][b];
            gram[pivot][b] = swap;
        }
        for (int a = 0; a < n; a++) {
            const double swap = gram[a][k];
            gram[a][k] = gram[a][pivot];
            gram[a][pivot] = swap;
        }
        if (!(gram[k][k] > 1e-12 * scale))
            break;
        rank++;
        for (int a = k + 1; a < n; a++)
            for (int b = n - 1; b >= k; b--)
                gram[a][b] -= gram[a][k] / gram[k][k] * gram[k][b];
    }
    return rank;
}

/* The first node of the part that a node belongs to; the way there is made shorter. */
static int first_of(int *part, int node)
{
    while (part[node] != node) {
        part[node] = part[part[node]];
        node = part[node];
    }
    return node;
}

/* part [nnodes] = the number of the part of a node; returns how many there are. Parts have no node
 * in common. */
static int find_parts(const sab_mesh *mesh, int *first, int *part)
{
    const int nodes = mesh->cell->nodes;
    int n = 0;

    for (int i = 0; i < mesh->nnodes; i++)
        first[i] = i;
    for (int i = 0; i < nodes * mesh->nelements; i++) {
        const int a = first_of(first, mesh->element[i]);
        const int b = first_of(first, mesh->element[i / nodes * nodes]);

        first[a > b ? a : b] = a > b ? b : a;
    }
    for (int i = 0; i < mesh->nnodes; i++) /* the lowest node of a part leads the others */
        part[i] = first[i] == i ? n++ : part[first_of(first, i)];
    return n;
}

typedef struct gram {
    int held; /* constrained directions: each adds to the matrix what is of order 1 */
    double entry[SAB_MAX_RIGID][SAB_MAX_RIGID];
} gram;

/* The rigid motions on the constrained directions, lengths scaled by the mesh: the rank of the Gram
 * matrix of a part is the number of its motions that are held. */
static void add_constraints(const sab_dofs *dofs, const sab_mesh *mesh,
                            const sab_geometry *geometry, const int *part, gram *of)
{
    const int dim = dofs->dim, n = geometry->rigid;
    double centre[SAB_DIM] = {0.0}, size = 0.0;

    for (int i = 0; i < dim * mesh->nnodes; i++)
        centre[i % dim] += mesh->x[i] / mesh->nnodes;
    for (int i = 0; i < dim * mesh->nnodes; i++)
        size = fmax(size, fabs(mesh->x[i] - centre[i % dim]));
    for (int i = 0; i < dim * mesh->nnodes; i++) {
        double x[SAB_DIM], motion[SAB_MAX_RIGID];

        if (dofs->number[i] >= 0)
            continue;
        of[part[i / dim]].held++;
        for (int j = 0; j < dim; j++)
            x[j] = (mesh->x[i / dim * dim + j] - centre[j]) / size;
        for (int k = 0; k < n; k++) {
            double u[SAB_DIM];

            geometry->motion(k, x, u);
            motion[k] = 0.0;
            for (int j = 0; j < dim; j++)
                motion[k] += dofs->frame[dim * i + j] * u[j];
        }
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                of[part[i / dim]].entry[a][b] += motion[a] * motion[b];
    }
}

sab_status sab_dofs_rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh,
                                  const sab_geometry *geometry, int *motions, int *node,
                                  sab_error *err)
{
    sab_status status = SAB_OK;
    int *first = NULL, *part = NULL;
    gram *of = NULL;

    *motions = 0;
    *node = 0;
    SAB_NEW(first, mesh->nnodes);
    SAB_NEW(part, mesh->nnodes);
    SAB_NEW(of, find_parts(mesh, first, part));
    add_constraints(dofs, mesh, geometry, part, of);
    for (int i = 0; i < mesh->nnodes; i++) {
        gram *own = &of[part[i]];
        const int n =
            first[i] == i ? geometry->rigid - rank_of(geometry->rigid, own->held, own->entry) : 0;

        if (n > *motions) {
            *motions = n;
            *node = i;
        }
    }
cleanup:
    SAB_FREE(first);
    SAB_FREE(part);
    SAB_FREE(of);
    return status;
}

void sab_dofs_restrict(const sab_dofs *dofs, const double *F, double *l)
{
    const int dim = dofs->dim;

    for (int i = 0; i < dim * dofs->nnodes; i++)
        if (dofs->number[i] >= 0) {
            const double *d = dofs->frame + dim * i, *f = F + i / dim * dim;
            double along = d[0] * f[0];

            for (int j = 1; j < dim; j++)
                along += d[j] * f[j];
            l[dofs->number[i]] = along;
        }
}

void sab_dofs_expand(const sab_dofs *dofs, const double *u, double *U)
{
    const int dim = dofs->dim, n = dim * dofs->nnodes;

    memset(U, 0, (size_t)n * sizeof *U);
    for (int i = 0; i < n; i++) {
        const int number = dofs->number[i];
        const double value = number < 0 ? dofs->value[i] : u != NULL ? u[number] : 0.0;

        for (int j = 0; j < dim; j++)
            U[i / dim * dim + j] += value * dofs->frame[dim * i + j];
    }
}

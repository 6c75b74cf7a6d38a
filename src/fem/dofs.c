#include "fem/dofs.h"
#include "base/memory.h"
#include "fem/claims.h"

#include <math.h>

sab_status sab_dofs_create(const sab_mesh *mesh, int nboundaries, const sab_boundary *boundary,
                           const int *group, double t, sab_dofs **dofs, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_claims *claims = NULL;
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
        d->owner[node] = SAB_NOBODY;
    }
    SAB_TRY(sab_claims_create(mesh, nboundaries, boundary, group, t, &claims, err));
    SAB_NEW(d->share, claims->n);
    SAB_TRY(sab_claims_settle(claims, mesh, boundary, group, d, err));
    for (int i = 0; i < 2 * mesh->nnodes; i++)
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

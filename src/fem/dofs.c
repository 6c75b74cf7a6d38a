#include "fem/dofs.h"
#include "base/memory.h"
#include "fem/claims.h"

#include <math.h>
#include <string.h>

/* The nodes of a periodic entry and their partners have the same unknowns: leader [components] of
 * the partner is that of the node. What others hold there must be the same at both. */
static sab_status join_sides(const sab_mesh *mesh, const sab_boundary *b, int group,
                             const sab_dofs *d, int *leader, sab_error *err)
{
    const int dim = d->dim;
    double translation[SAB_DIM];
    int n = 0, *node_a = NULL, *node_b = NULL;
    sab_error why = {0};
    char place[SAB_PLACE_TEXT];
    sab_status status = sab_mesh_match_groups(mesh, group, sab_mesh_find_group(mesh, b->periodic),
                                              translation, &n, &node_a, &node_b, &why);

    if (status != SAB_OK)
        SAB_FAIL(err, status, "boundaries.%s.periodic: %s", b->group, why.message);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < dim; i++) {
            const int a = dim * node_a[k] + i, c = dim * node_b[k] + i;
            double off =
                fabs(d->value[a] - d->value[c]) + ((d->number[a] < 0) != (d->number[c] < 0));

            for (int j = 0; j < dim; j++)
                off += fabs(d->frame[dim * a + j] - d->frame[dim * c + j]);
            if (off > 1e-9)
                SAB_FAIL(err, SAB_ERR_INPUT,
                         "boundaries.%s.periodic: at %s other conditions hold the flow otherwise "
                         "than at the partner",
                         b->group, sab_place_text(dim, sab_mesh_x(mesh, node_a[k]), place));
            leader[c] = a;
        }
cleanup:
    SAB_FREE(node_a);
    SAB_FREE(node_b);
    return status;
}

/* Number the unknowns: those of leaders first. */
static sab_status number_unknowns(const sab_mesh *mesh, int nboundaries,
                                  const sab_boundary *boundary, const int *group, sab_dofs *d,
                                  sab_error *err)
{
    const int n = d->dim * d->nnodes, nodes = mesh->cell->nodes;
    sab_status status = SAB_OK;
    int *leader = NULL;

    SAB_NEW(leader, n);
    for (int i = 0; i < n; i++)
        leader[i] = i;
    for (int b = 0; b < nboundaries; b++)
        if (boundary[b].periodic != NULL) {
            d->joined = true;
            SAB_TRY(join_sides(mesh, &boundary[b], group[b], d, leader, err));
        }
    for (int i = 0; i < n; i++)
        if (d->number[i] >= 0 && leader[i] == i)
            d->number[i] = d->nfree++;
    for (int i = 0; i < n && d->joined; i++) {
        int first = i;

        while (leader[first] != first)
            first = leader[first];
        d->number[i] = d->number[first];
    }
    for (int e = 0; e < mesh->nelements && d->joined; e++)
        for (int a = 0; a < nodes * nodes; a++) {
            const int *node = sab_mesh_element(mesh, e), i = d->dim * node[a / nodes];

            if (a / nodes < a % nodes && d->number[i] >= 0 &&
                d->number[i] == d->number[d->dim * node[a % nodes]])
                SAB_FAIL(err, SAB_ERR_INPUT,
                         "boundaries: an element reaches from a periodic side to its partner; the "
                         "mesh needs two of them between both");
        }
cleanup:
    SAB_FREE(leader);
    return status;
}

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
    SAB_TRY(number_unknowns(mesh, nboundaries, boundary, group, d, err));
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

/* The mesh as a unit: centre and size. */
typedef struct frame_of_mesh {
    double centre[SAB_DIM], size;
} frame_of_mesh;

static frame_of_mesh measure_mesh(const sab_mesh *mesh)
{
    const int dim = mesh->cell->dim;
    frame_of_mesh f = {{0.0}, 0.0};

    for (int i = 0; i < dim * mesh->nnodes; i++)
        f.centre[i % dim] += mesh->x[i] / mesh->nnodes;
    for (int i = 0; i < dim * mesh->nnodes; i++)
        f.size = fmax(f.size, fabs(mesh->x[i] - f.centre[i % dim]));
    return f;
}

/* The rigid motions on a direction that is held, lengths scaled by the mesh: the rank of the Gram
 * matrix of a part is the number of its motions that are held. */
static void add_constraint(const sab_mesh *mesh, const sab_geometry *geometry,
                           const frame_of_mesh *of, int node, const double *direction, gram *g)
{
    const int dim = mesh->cell->dim, n = geometry->rigid;
    double x[SAB_DIM], motion[SAB_MAX_RIGID];

    g->held++;
    for (int j = 0; j < dim; j++)
        x[j] = (sab_mesh_x(mesh, node)[j] - of->centre[j]) / of->size;
    for (int k = 0; k < n; k++) {
        double u[SAB_DIM];

        geometry->motion(k, x, u);
        motion[k] = 0.0;
        for (int j = 0; j < dim; j++)
            motion[k] += direction[j] * u[j];
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            g->entry[a][b] += motion[a] * motion[b];
}

static void add_constraints(const sab_dofs *dofs, const sab_mesh *mesh,
                            const sab_geometry *geometry, const sab_support *held, const int *part,
                            gram *of)
{
    const int dim = dofs->dim;
    const frame_of_mesh frame = measure_mesh(mesh);

    for (int i = 0; i < dim * mesh->nnodes; i++)
        if (dofs->number[i] < 0)
            add_constraint(mesh, geometry, &frame, i / dim, dofs->frame + dim * i,
                           &of[part[i / dim]]);
    for (int k = 0; held != NULL && k < held->n; k++)
        add_constraint(mesh, geometry, &frame, held->node[k], held->direction + dim * k,
                       &of[part[held->node[k]]]);
}

sab_status sab_dofs_rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh,
                                  const sab_geometry *geometry, const sab_support *held,
                                  int *motions, int *node, sab_error *err)
{
    sab_status status = SAB_OK;
    int *first = NULL, *part = NULL;
    gram *of = NULL;

    *motions = 0;
    *node = 0;
    SAB_NEW(first, mesh->nnodes);
    SAB_NEW(part, mesh->nnodes);
    SAB_NEW(of, find_parts(mesh, first, part));
    add_constraints(dofs, mesh, geometry, held, part, of);
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

    if (dofs->joined)
        memset(l, 0, (size_t)dofs->nfree * sizeof *l);
    for (int i = 0; i < dim * dofs->nnodes; i++)
        if (dofs->number[i] >= 0) {
            const double *d = dofs->frame + dim * i, *f = F + i / dim * dim;
            double along = d[0] * f[0];

            for (int j = 1; j < dim; j++)
                along += d[j] * f[j];
            l[dofs->number[i]] = along + (dofs->joined ? l[dofs->number[i]] : 0.0);
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

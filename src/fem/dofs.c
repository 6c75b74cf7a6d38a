/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/dofs.h"
#include "base/memory.h"
#include "fem/claims.h"

#include <math.h>
#include <string.h>

/* Both places, nodes or functions of sides, get the same unknowns: `to` follows `from`. */
static bool join_places(const sab_dofs *d, int from, int to)
{
    const int dim = d->dim;

    for (int i = 0; i < dim; i++) {
        const int a = dim * from + i, c = dim * to + i;

        if (fabs(d->value[a] - d->value[c]) > 1e-9 || (d->number[a] < 0) != (d->number[c] < 0))
            return false;
        for (int j = 0; j < dim; j++)
            if (fabs(d->frame[dim * a + j] - d->frame[dim * c + j]) > 1e-6)
                return false;
    }
    memcpy(d->frame + dim * dim * to, d->frame + dim * dim * from,
           (size_t)(dim * dim) * sizeof *d->frame);
    d->leader[to] = from;
    return true;
}

/* The function of a side. Its normal is that of whichever element comes first: here both have that
 * of the first one. */
static bool join_faces(const sab_mesh *mesh, const sab_dofs *d, int facet_a, int facet_b)
{
    const int facet[] = {facet_a, facet_b}, dim = d->dim;
    int place[] = {0, 0};

    for (int k = 0; k <= 1; k++)
        place[k] = mesh->nnodes + mesh->side[mesh->cell->sides * mesh->facet_element[facet[k]] +
                                             mesh->facet_side[facet[k]]];
    memcpy(d->frame + dim * dim * place[1], d->frame + dim * dim * place[0],
           (size_t)(dim * dim) * sizeof *d->frame);
    return join_places(d, place[0], place[1]);
}

/* The nodes of a periodic entry and their partners have the same unknowns. What others hold there
 * must be the same at both. */
static sab_status join_sides(const sab_mesh *mesh, const sab_geometry *geometry,
                             const sab_boundary *b, int group, sab_dofs *d, sab_error *err)
{
    sab_match *match = &d->match[d->nmatches];
    sab_error why = {0};
    char place[SAB_PLACE_TEXT];
    sab_status status =
        sab_mesh_match_groups(mesh, group, sab_mesh_find_group(mesh, b->periodic), match, &why);

    if (status != SAB_OK)
        SAB_FAIL(err, status, "boundaries.%s.periodic: %s", b->group, why.message);
    d->nmatches++;
    if (geometry->axis && fabs(match->translation[0]) > 1e-9 * fabs(match->translation[1]))
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "boundaries.%s.periodic: about an axis only sides that are moved along it match",
                 b->group);
    for (int k = 0; k < match->n; k++)
        if (!join_places(d, match->from[k], match->to[k]))
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "boundaries.%s.periodic: at %s other conditions hold the flow otherwise "
                     "than at the partner",
                     b->group, sab_place_text(d->dim, sab_mesh_x(mesh, match->from[k]), place));
    for (int k = 0; k < match->nfacets && d->nnodes > mesh->nnodes; k++)
        if (!join_faces(mesh, d, match->facet_from[k], match->facet_to[k]))
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "boundaries.%s.periodic: other conditions hold the flow through a side "
                     "otherwise than at the partner",
                     b->group);
cleanup:
    return status;
}

/* No element may have a node and its partner: their unknowns would be one. */
static sab_status check_reach(const sab_mesh *mesh, const sab_dofs *d, sab_error *err)
{
    const int nodes = mesh->cell->nodes;

    for (int e = 0; e < mesh->nelements; e++)
        for (int a = 0; a < nodes * nodes; a++) {
            const int *node = sab_mesh_element(mesh, e);

            if (a / nodes < a % nodes && d->leader[node[a / nodes]] == d->leader[node[a % nodes]])
                return sab_fail(err, SAB_ERR_INPUT,
                                "boundaries: an element reaches from a periodic side to its "
                                "partner; the mesh needs two of them between both");
        }
    return SAB_OK;
}

/* Number the unknowns: those of leaders first. */
static sab_status number_unknowns(const sab_mesh *mesh, const sab_geometry *geometry,
                                  int nboundaries, const sab_boundary *boundary, const int *group,
                                  sab_dofs *d, sab_error *err)
{
    const int n = d->dim * d->nnodes;
    sab_status status = SAB_OK;

    SAB_NEW(d->match, nboundaries > 0 ? nboundaries : 1);
    SAB_NEW(d->leader, d->nnodes);
    for (int place = 0; place < d->nnodes; place++)
        d->leader[place] = place;
    for (int b = 0; b < nboundaries; b++)
        if (boundary[b].periodic != NULL)
            SAB_TRY(join_sides(mesh, geometry, &boundary[b], group[b], d, err));
    for (int place = 0; place < d->nnodes && d->nmatches > 0; place++)
        while (d->leader[place] != d->leader[d->leader[place]])
            d->leader[place] = d->leader[d->leader[place]];
    for (int i = 0; i < n; i++)
        if (d->number[i] >= 0 && d->leader[i / d->dim] == i / d->dim)
            d->number[i] = d->nfree++;
    for (int i = 0; i < n; i++)
        d->number[i] = d->number[d->dim * d->leader[i / d->dim] + i % d->dim];
    if (d->nmatches > 0)
        SAB_TRY(check_reach(mesh, d, err));
cleanup:
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
    SAB_TRY(number_unknowns(mesh, geometry, nboundaries, boundary, group, d, err));
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
        for (int k = 0; k < (*dofs)->nmatches; k++)
            sab_match_destroy(&(*dofs)->match[k]);
        SAB_FREE((*dofs)->match);
        SAB_FREE((*dofs)->leader);
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

/* The first node of the piece that a node belongs to; the way there is made shorter. */
static int first_of(int *piece, int node)
{
    while (piece[node] != node) {
        piece[node] = piece[piece[node]];
        node = piece[node];
    }
    return node;
}

static void unite(int *first, int one, int other)
{
    const int a = first_of(first, one), b = first_of(first, other);

    first[a > b ? a : b] = a > b ? b : a;
}

/* piece [nnodes] = the number of the piece of a node; returns how many there are. Pieces have no
 * node in common, and none that is the partner of another's. */
static int find_pieces(const sab_dofs *dofs, const sab_mesh *mesh, int *first, int *piece)
{
    const int nodes = mesh->cell->nodes;
    int n = 0;

    for (int i = 0; i < mesh->nnodes; i++)
        first[i] = i;
    for (int i = 0; i < nodes * mesh->nelements; i++)
        unite(first, mesh->element[i], mesh->element[i / nodes * nodes]);
    for (int i = 0; i < mesh->nnodes; i++)
        unite(first, i, dofs->leader[i]);
    for (int i = 0; i < mesh->nnodes; i++) /* the lowest node of a piece leads the others */
        piece[i] = first[i] == i ? n++ : piece[first_of(first, i)];
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
 * matrix of a piece is the number of its motions that are held. less >= 0: not the motion of the
 * node is held, but its difference from that of this one, its partner. */
static void add_constraint(const sab_mesh *mesh, const sab_geometry *geometry,
                           const frame_of_mesh *of, int node, int less, const double *direction,
                           gram *g)
{
    const int dim = mesh->cell->dim, n = geometry->rigid;
    double x[SAB_DIM], motion[SAB_MAX_RIGID] = {0.0};

    g->held++;
    for (int side = 0; side < (less < 0 ? 1 : 2); side++) {
        const double *at = sab_mesh_x(mesh, side == 0 ? node : less);

        for (int j = 0; j < dim; j++)
            x[j] = (at[j] - of->centre[j]) / of->size;
        for (int k = 0; k < n; k++) {
            double u[SAB_DIM];

            geometry->motion(k, x, u);
            for (int j = 0; j < dim; j++)
                motion[k] += (side == 0 ? direction[j] : -direction[j]) * u[j];
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
            g->entry[a][b] += motion[a] * motion[b];
}

static void add_constraints(const sab_dofs *dofs, const sab_mesh *mesh,
                            const sab_geometry *geometry, const sab_support *held, const int *piece,
                            gram *of)
{
    const int dim = dofs->dim;
    const frame_of_mesh frame = measure_mesh(mesh);

    for (int i = 0; i < dim * mesh->nnodes; i++)
        if (dofs->number[i] < 0)
            add_constraint(mesh, geometry, &frame, i / dim, -1, dofs->frame + dim * i,
                           &of[piece[i / dim]]);
    for (int k = 0; held != NULL && k < held->n; k++)
        add_constraint(mesh, geometry, &frame, held->node[k], -1, held->direction + dim * k,
                       &of[piece[held->node[k]]]);
    for (int k = 0; k < dofs->nmatches; k++)
        for (int i = 0; i < dim; i++) {
            const double axis[SAB_DIM] = {i == 0, i == 1, i == 1 + 1};
            const int from = dofs->match[k].from[0];

            add_constraint(mesh, geometry, &frame, from, dofs->match[k].to[0], axis,
                           &of[piece[from]]);
        }
}

sab_status sab_dofs_rigid_motions(const sab_dofs *dofs, const sab_mesh *mesh,
                                  const sab_geometry *geometry, const sab_support *held,
                                  int *motions, int *node, sab_error *err)
{
    sab_status status = SAB_OK;
    int *first = NULL, *piece = NULL;
    gram *of = NULL;

    *motions = 0;
    *node = 0;
    SAB_NEW(first, mesh->nnodes);
    SAB_NEW(piece, mesh->nnodes);
    SAB_NEW(of, find_pieces(dofs, mesh, first, piece));
    add_constraints(dofs, mesh, geometry, held, piece, of);
    for (int i = 0; i < mesh->nnodes; i++) {
        gram *own = &of[piece[i]];
        const int n =
            first[i] == i ? geometry->rigid - rank_of(geometry->rigid, own->held, own->entry) : 0;

        if (n > *motions) {
            *motions = n;
            *node = i;
        }
    }
cleanup:
    SAB_FREE(first);
    SAB_FREE(piece);
    SAB_FREE(of);
    return status;
}

/* The part of F along frame component i. */
static double along_frame(const sab_dofs *dofs, const double *F, int i)
{
    const int dim = dofs->dim;
    const double *d = dofs->frame + dim * i, *f = F + i / dim * dim;
    double along = d[0] * f[0];

    for (int j = 1; j < dim; j++)
        along += d[j] * f[j];
    return along;
}

void sab_dofs_restrict(const sab_dofs *dofs, const double *F, double *l)
{
    sab_dofs_take(dofs, F, l);
    for (int i = 0; i < dofs->dim * dofs->nnodes && dofs->nmatches > 0; i++)
        if (dofs->number[i] >= 0 && dofs->leader[i / dofs->dim] != i / dofs->dim)
            l[dofs->number[i]] += along_frame(dofs, F, i);
}

void sab_dofs_take(const sab_dofs *dofs, const double *U, double *u)
{
    for (int i = 0; i < dofs->dim * dofs->nnodes; i++)
        if (dofs->number[i] >= 0 && dofs->leader[i / dofs->dim] == i / dofs->dim)
            u[dofs->number[i]] = along_frame(dofs, U, i);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/wall_rows.h"
#include "base/memory.h"
#include "fem/claims.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    const sab_flow *flow;
    const sab_mesh_group *group;
    int entry;
    int *first, *next; /* points of a place of the velocity, plus one: [places], [points] */
    int *row;          /* [points] plus one */
    sab_wall_rows *rows;
    double s;
    /* of the plane: sides by the node they begin at, plus one; a side ends here; done */
    int *from;
    bool *ends, *done;
} builder;

/* Points by what stands there: their node, partners of periodic sides being one, or the function of
 * their face. */
static sab_status index_points(builder *b, sab_error *err)
{
    const sab_wall_points *p = b->flow->walls;
    sab_status status = SAB_OK;

    SAB_NEW(b->first, sab_space_size(b->flow->space) / (size_t)p->dim);
    SAB_NEW(b->next, p->n);
    SAB_NEW(b->row, p->n);
    for (int i = p->n - 1; i >= 0; i--) {
        const sab_wall_point *at = &p->point[i];
        const int place = at->n == 1 ? b->flow->dofs->leader[at->place[0]] : at->place[at->n - 1];

        if (at->entry == b->entry) {
            b->next[i] = b->first[place];
            b->first[place] = i + 1;
        }
    }
cleanup:
    return status;
}

/* The point of a place that faces as a side does, or -1. */
static int find_point(const builder *b, int place, const double *normal)
{
    double best = 0.5;
    int found = -1;

    for (int i = b->first[place] - 1; i >= 0; i = b->next[i] - 1) {
        const double along = sab_dot(b->flow->walls->point[i].normal, normal);

        if (along > best) {
            best = along;
            found = i;
        }
    }
    return found;
}

/* The row of a point, made if there is none; -1: no point. */
static int row_of(builder *b, int point, const double *x, double s)
{
    sab_wall_rows *r = b->rows;
    const int dim = b->flow->walls->dim;

    if (point < 0)
        return -1;
    if (b->row[point] == 0) {
        r->point[r->n] = point;
        if (r->s != NULL)
            r->s[r->n] = s;
        memcpy(r->x + dim * r->n, x, (size_t)dim * sizeof *x);
        b->row[point] = ++r->n;
    }
    return b->row[point] - 1;
}

/* A point gives to those of n rows that are there, or has one of its own. */
static void share(builder *b, int point, int n, const int *row)
{
    sab_wall_rows *r = b->rows;
    bool given = false;

    if (point < 0)
        return;
    for (int k = 0; k < n; k++)
        if (row[k] >= 0) {
            r->share[r->nshares++] = (sab_row_share){point, row[k], 1.0};
            given = true;
        }
    if (!given) {
        const int own = row_of(b, point, b->flow->walls->point[point].x, b->s);

        r->share[r->nshares++] = (sab_row_share){point, own, 1.0};
    }
}

/* The rows of one side, and what its points give them. */
static void add_side(builder *b, int facet)
{
    const sab_mesh *mesh = b->flow->setup.mesh;
    const sab_cell *side = mesh->cell->facet;
    const int *node = sab_mesh_facet(mesh, facet), *leader = b->flow->dofs->leader;
    int index[SAB_SIDE_SHAPES], row[SAB_CORNERS];
    const int shapes = sab_element_side_index(b->flow->space->element, mesh, facet, index);
    double middle[SAB_DIM];
    sab_p2_side p;

    for (int i = 0; i < side->dim; i++)
        middle[i] = 1.0 / side->corners;
    sab_p2_side_at(mesh, facet, middle, &p);
    for (int i = 0; i < SAB_DIM; i++)
        p.normal_ds[i] /= p.ds;
    const double size = side->dim == 1 ? p.ds : sqrt(p.ds); /* ds of a triangle is twice its area */
    for (int a = 0; a < side->corners; a++)
        row[a] = row_of(b, find_point(b, leader[node[a]], p.normal_ds), sab_mesh_x(mesh, node[a]),
                        b->s + (a > 0 ? size : 0.0));
    b->s += size;
    for (int a = 0; a < side->corners; a++)
        if (row[a] >= 0)
            share(b, b->rows->point[row[a]], 1, &row[a]);
    for (int e = 0; e < side->edges; e++)
        share(b, find_point(b, leader[node[side->corners + e]], p.normal_ds), 1 + 1,
              (int[]){row[side->edge[e][0]], row[side->edge[e][1]]});
    if (shapes > side->nodes)
        share(b, find_point(b, index[shapes - 1], p.normal_ds), side->corners, row);
}

static void follow(builder *b, int side)
{
    while (side >= 0 && !b->done[side]) {
        const int facet = b->group->facet[side];

        b->done[side] = true;
        add_side(b, facet);
        side = b->from[sab_mesh_facet(b->flow->setup.mesh, facet)[1]] - 1;
    }
}

/* The sides of a line in the order of the line: lines first, then rings. */
static sab_status follow_all(builder *b, sab_error *err)
{
    const sab_mesh *mesh = b->flow->setup.mesh;
    sab_status status = SAB_OK;

    SAB_NEW(b->from, mesh->nnodes);
    SAB_NEW(b->ends, mesh->nnodes);
    SAB_NEW(b->done, b->group->nfacets);
    for (int f = 0; f < b->group->nfacets; f++) {
        const int *node = sab_mesh_facet(mesh, b->group->facet[f]);

        b->from[node[0]] = f + 1;
        b->ends[node[1]] = true;
    }
    for (int f = 0; f < b->group->nfacets; f++)
        if (!b->ends[sab_mesh_facet(mesh, b->group->facet[f])[0]])
            follow(b, f);
    for (int f = 0; f < b->group->nfacets; f++)
        follow(b, f);
cleanup:
    return status;
}

/* Each point is given away once, in equal parts. */
static void normalise(builder *b)
{
    const sab_wall_points *p = b->flow->walls;
    sab_wall_rows *r = b->rows;
    int *count = b->next; /* no longer needed */

    memset(count, 0, (size_t)p->n * sizeof *count);
    for (int k = 0; k < r->nshares; k++)
        count[r->share[k].point]++;
    for (int k = 0; k < r->nshares; k++) {
        r->share[k].part /= count[r->share[k].point];
        r->weight[r->share[k].row] += r->share[k].part * p->point[r->share[k].point].weight;
    }
}

sab_status sab_wall_rows_create(const sab_flow *flow, int entry, sab_wall_rows **rows,
                                sab_error *err)
{
    const sab_mesh *mesh = flow->setup.mesh;
    builder b = {.flow = flow, .group = &mesh->group[flow->group[entry]], .entry = entry};
    const size_t dim = (size_t)mesh->cell->dim, most = (size_t)flow->walls->n;
    sab_status status = SAB_OK;
    sab_wall_rows *r = NULL;

    *rows = NULL;
    SAB_NEW(r, 1);
    SAB_NEW(r->x, dim * most);
    SAB_NEW(r->point, most);
    SAB_NEW(r->weight, most);
    SAB_NEW(r->share, (size_t)(SAB_SIDE_SHAPES * SAB_CORNERS) * (size_t)b.group->nfacets);
    if (mesh->cell->dim < SAB_DIM)
        SAB_NEW(r->s, most);
    b.rows = r;
    SAB_TRY(index_points(&b, err));
    if (r->s != NULL)
        SAB_TRY(follow_all(&b, err));
    for (int f = 0; f < b.group->nfacets && r->s == NULL; f++)
        add_side(&b, b.group->facet[f]);
    r->reach = b.s / b.group->nfacets;
    normalise(&b);
    *rows = r;
    r = NULL;
cleanup:
    SAB_FREE(b.first);
    SAB_FREE(b.next);
    SAB_FREE(b.row);
    SAB_FREE(b.from);
    SAB_FREE(b.ends);
    SAB_FREE(b.done);
    sab_wall_rows_destroy(&r);
    return status;
}

void sab_wall_rows_destroy(sab_wall_rows **rows)
{
    if (*rows != NULL) {
        SAB_FREE((*rows)->s);
        SAB_FREE((*rows)->x);
        SAB_FREE((*rows)->point);
        SAB_FREE((*rows)->weight);
        SAB_FREE((*rows)->share);
        SAB_FREE(*rows);
    }
}

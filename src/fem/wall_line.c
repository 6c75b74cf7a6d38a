/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls that are lines: the sides of a group in order, and the vertices between them. */
#include "base/memory.h"
#include "fem/axis.h"
#include "fem/dofs.h"
#include "fem/p2.h"
#include "fem/quadrature.h"
#include "fem/wall_make.h"

#include <math.h>
#include <string.h>

enum { ENDS = 2, MIDDLE = ENDS }; /* of a side: its nodes are the ends, then the middle */

/* One side of the wall in its order, with integrals over it; hats 0 and 1 are those of its ends. */
typedef struct side {
    int node[SAB_SIDE_NODES];
    int facet;
    bool begins;                  /* nothing of the wall before it */
    double s, length;             /* where it begins, and its length */
    double size[ENDS];            /* int phi ds, with the measure of the geometry */
    double normal[ENDS][SAB_DIM]; /* int phi n ds */
    double at[ENDS][SAB_DIM];     /* the normal at the ends, unit */
} side;

static double dot(int dim, const double *a, const double *b)
{
    double sum = a[0] * b[0];

    for (int i = 1; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

static void measure(const sab_wall_of *of, int facet, side *out)
{
    const sab_quadrature *rule = sab_side_rule(of->mesh->cell);
    const int dim = of->mesh->cell->dim;
    double length[ENDS] = {0.0, 0.0};
    sab_p2_side p;

    *out = (side){.facet = facet};
    memcpy(out->node, sab_mesh_facet(of->mesh, facet),
           (size_t)of->mesh->cell->facet->nodes * sizeof *out->node);
    for (int q = 0; q < rule->n; q++) {
        const double xi = rule->xi[q][0], hat[ENDS] = {1.0 - xi, xi};

        sab_p2_side_at(of->mesh, facet, &xi, &p);
        for (int a = 0; a < ENDS; a++) {
            const double w = rule->weight[q] * hat[a];

            out->size[a] += w * p.ds * of->geometry->measure(p.x);
            length[a] += w * p.ds;
            for (int i = 0; i < dim; i++)
                out->normal[a][i] += w * p.normal_ds[i];
        }
    }
    out->length = length[0] + length[1];
    for (int a = 0; a < ENDS; a++) {
        sab_p2_side_at(of->mesh, facet, &(double){a}, &p);
        for (int i = 0; i < dim; i++)
            out->at[a][i] = p.normal_ds[i] / p.ds;
    }
}

/* The sides of a group one behind the other: open lines first, from their beginnings, then closed
 * ones, in the order of the group. Fills `sides`, and `degree` [nnodes], the number of sides of the
 * group that have this node as an end: 2 inside a line. */
static sab_status order_sides(const sab_wall_of *of, side *sides, int *degree, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = of->mesh;
    const sab_mesh_group *group = of->group;
    int *first = NULL; /* [nnodes] a side that begins here, plus one; others by `next` */
    int *next = NULL;  /* [nfacets] of the group */
    int *arrive = NULL;
    bool *used = NULL;
    int n = 0;
    double s = 0.0;

    SAB_NEW(first, mesh->nnodes);
    SAB_NEW(next, group->nfacets);
    SAB_NEW(arrive, mesh->nnodes);
    SAB_NEW(used, group->nfacets);
    for (int f = group->nfacets - 1; f >= 0; f--) {
        const int *node = sab_mesh_facet(mesh, group->facet[f]);

        next[f] = first[node[0]];
        first[node[0]] = f + 1;
        arrive[node[1]]++;
        degree[node[0]]++;
        degree[node[1]]++;
    }
    for (int pass = 0; pass <= 1; pass++)
        for (int start = 0; start < group->nfacets; start++) {
            if (used[start] ||
                (pass == 0 && arrive[sab_mesh_facet(mesh, group->facet[start])[0]] > 0))
                continue;
            for (int f = start, begins = 1; f >= 0; begins = 0) {
                side *here = &sides[n++];

                used[f] = true;
                measure(of, group->facet[f], here);
                here->begins = begins;
                here->s = s;
                s += here->length;
                f = first[here->node[1]] - 1;
                while (f >= 0 && used[f])
                    f = next[f] - 1;
            }
        }
cleanup:
    SAB_FREE(first);
    SAB_FREE(next);
    SAB_FREE(arrive);
    SAB_FREE(used);
    return status;
}

/* Does the wall pass smoothly from one side to the next, all nodes its own? */
static bool is_smooth(const sab_wall_of *of, const side *before, const side *behind,
                      const int *degree)
{
    const int node = behind->node[0];

    return sab_wall_owns(of, node) && sab_wall_owns(of, before->node[MIDDLE]) &&
           sab_wall_owns(of, behind->node[MIDDLE]) && degree[node] == ENDS &&
           dot(of->mesh->cell->dim, before->at[1], behind->at[0]) > SAB_WALL_CORNER;
}

/* Does the wall end on the axis, and go on smoothly in its mirror image? The normal (n_r, n_z) of
 * that is (-n_r, n_z). An entry on the axis that shares the node has no axial force. */
static bool crosses_axis(const sab_wall_of *of, double reach, const side *here, int end,
                         const int *degree)
{
    const int node = here->node[end];
    const double *n = here->at[end];

    return of->geometry->axis && degree[node] == 1 && sab_on_axis(of->mesh, reach, node) &&
           (sab_wall_owns(of, node) || of->owner[node] == SAB_SEVERAL) &&
           sab_wall_owns(of, here->node[MIDDLE]) && n[1] * n[1] - n[0] * n[0] > SAB_WALL_CORNER;
}

/* The vertex between two sides; on an axis one of them is NULL, and the normal is along it. */
static void add_vertex(sab_wall_trace *w, const side *before, const side *behind, double s,
                       int part)
{
    sab_wall_vertex *v = &w->vertex[w->nvertices];
    const side *of[ENDS] = {before, behind};
    double n[SAB_DIM] = {0.0};

    *v = (sab_wall_vertex){.node = behind != NULL ? behind->node[0] : before->node[1],
                           .first = ENDS * w->nvertices++,
                           .part = part,
                           .s = s};
    for (int k = 0; k < ENDS; k++)
        if (of[k] != NULL) {
            w->middle[v->first + v->nmiddles++] = of[k]->node[MIDDLE];
            v->size += of[k]->size[1 - k];
            for (int i = 0; i < w->dim; i++)
                n[i] += of[k]->normal[1 - k][i];
        }
    v->axis = before == NULL || behind == NULL;
    if (v->axis)
        n[0] = 0.0;
    const double length = hypot(n[0], n[1]);
    for (int i = 0; i < w->dim; i++)
        v->normal[i] = n[i] / length;
}

/* The vertices of all lines, w->vertex having room for them. */
static void find_vertices(const sab_wall_of *of, int nsides, const side *sides, const int *degree,
                          sab_wall_trace *w)
{
    const double reach = sab_axis_reach(of->mesh, of->geometry);
    int part = 0;

    for (int begin = 0, end; begin < nsides; begin = end) {
        for (end = begin + 1; end < nsides && !sides[end].begins; end++)
            ;
        const side *first = &sides[begin], *last = &sides[end - 1];
        const bool closed = last->node[1] == first->node[0] && is_smooth(of, last, first, degree);

        part++;
        if (closed)
            add_vertex(w, last, first, first->s, part);
        else if (crosses_axis(of, reach, first, 0, degree))
            add_vertex(w, NULL, first, first->s, part);
        for (const side *here = first + 1; here <= last; here++)
            if (is_smooth(of, here - 1, here, degree))
                add_vertex(w, here - 1, here, here->s, part);
            else
                part++;
        if (closed)
            add_vertex(w, last, first, last->s + last->length, part);
        else if (crosses_axis(of, reach, last, 1, degree))
            add_vertex(w, last, NULL, last->s + last->length, part);
    }
}

static void rows_at_vertices(sab_wall_trace *w, const sab_mesh *mesh)
{
    for (int i = 0; i < w->nvertices; i++) {
        w->s[i] = w->vertex[i].s;
        w->left[i] = i;
        memcpy(w->x + w->dim * i, sab_mesh_x(mesh, w->vertex[i].node),
               (size_t)w->dim * sizeof *w->x);
    }
}

static void rows_at_samples(sab_wall_trace *w, const sab_mesh *mesh, int nsides, const side *sides)
{
    const sab_wall_vertex *v = w->vertex;
    const double from = v[0].s, to = v[w->nvertices - 1].s;

    for (int k = 0, i = 0, h = 0; k < w->nrows; k++) {
        const double t = w->nrows > 1 ? (double)k / (w->nrows - 1) : 0.0;
        const double s = (1.0 - t) * from + t * to;
        sab_p2_side p;

        while (i + 1 < w->nvertices && v[i + 1].s <= s)
            i++;
        w->s[k] = s;
        w->left[k] = i;
        if (i + 1 < w->nvertices) {
            const double share = (s - v[i].s) / (v[i + 1].s - v[i].s);

            w->share[k] = v[i].part == v[i + 1].part ? share : share < 0.5 ? 0.0 : 1.0;
        }
        while (h + 1 < nsides && sides[h + 1].s <= s)
            h++;
        sab_p2_side_at(mesh, sides[h].facet, &(double){(s - sides[h].s) / sides[h].length}, &p);
        memcpy(w->x + w->dim * k, p.x, (size_t)w->dim * sizeof *w->x);
    }
}

sab_status sab_wall_line(const sab_wall_of *of, int samples, sab_wall_trace *w, sab_error *err)
{
    sab_status status = SAB_OK;
    const int nsides = of->group->nfacets;
    const size_t most = ENDS * (size_t)nsides;
    side *sides = NULL;
    int *degree = NULL;

    SAB_NEW(sides, nsides);
    SAB_NEW(degree, of->mesh->nnodes);
    SAB_NEW(w->vertex, most);
    SAB_NEW(w->middle, ENDS * most);
    SAB_TRY(order_sides(of, sides, degree, err));
    find_vertices(of, nsides, sides, degree, w);
    if (w->nvertices == 0)
        goto cleanup;
    w->nrows = samples > 0 ? samples : w->nvertices;
    SAB_NEW(w->s, w->nrows);
    SAB_NEW(w->x, (size_t)w->dim * (size_t)w->nrows);
    SAB_NEW(w->left, w->nrows);
    SAB_NEW(w->share, w->nrows);
    if (samples > 0)
        rows_at_samples(w, of->mesh, nsides, sides);
    else
        rows_at_vertices(w, of->mesh);
cleanup:
    SAB_FREE(sides);
    SAB_FREE(degree);
    return status;
}

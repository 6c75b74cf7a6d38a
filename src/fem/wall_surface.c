/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walls that are surfaces: vertices inside them, and the surface as a mesh of its own. */
#include "base/memory.h"
#include "fem/p2.h"
#include "fem/quadrature.h"
#include "fem/wall_make.h"

#include <math.h>
#include <string.h>

/* What a point of the surface knows of the facets around it. */
typedef struct around {
    int facets;    /* that have it: around a vertex, on both sides of an edge */
    bool left_out; /* of a vertex: the rim or a corner of the wall, or another entry's */
    double size, normal[SAB_DIM]; /* of a vertex: int phi, int phi n */
    int seen;                     /* normals of facets, in `normals` */
} around;

/* Number the nodes of the group in their order: w->npoints of them, w->cell, w->point. */
static sab_status find_points(const sab_wall_of *of, sab_wall_trace *w, int **node, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = of->mesh;
    const int width = mesh->cell->facet->nodes;
    const size_t dim = (size_t)w->dim;
    int *number = NULL; /* [nnodes] plus one */

    w->facet = mesh->cell->facet;
    w->cells = of->group->nfacets;
    SAB_NEW(number, mesh->nnodes);
    SAB_NEW(w->cell, (size_t)width * (size_t)w->cells);
    for (int i = 0; i < width * w->cells; i++)
        number[sab_mesh_facet(mesh, of->group->facet[i / width])[i % width]] = 1;
    for (int n = 0; n < mesh->nnodes; n++)
        if (number[n] > 0)
            number[n] = ++w->npoints;
    for (int i = 0; i < width * w->cells; i++)
        w->cell[i] = number[sab_mesh_facet(mesh, of->group->facet[i / width])[i % width]] - 1;
    SAB_NEW(w->point, dim * (size_t)w->npoints);
    SAB_NEW(w->row, w->npoints);
    SAB_NEW(*node, w->npoints);
    for (int n = 0; n < mesh->nnodes; n++)
        if (number[n] > 0) {
            (*node)[number[n] - 1] = n;
            memcpy(w->point + dim * (size_t)(number[n] - 1), sab_mesh_x(mesh, n),
                   dim * sizeof *w->point);
        }
cleanup:
    SAB_FREE(number);
    return status;
}

/* Add the integrals of the hats of facet f to its corners, and its normals there to those seen
 * before: a vertex where two of them differ by 30 degrees and more is left out. */
static void visit(const sab_wall_of *of, int f, const int *cell, const int *begin, around *at,
                  double *normals)
{
    const sab_cell *facet = of->mesh->cell->facet;
    const sab_quadrature *rule = sab_side_rule(of->mesh->cell);
    double l[SAB_CORNERS];
    sab_p2_side p;

    for (int q = 0; q < rule->n; q++) {
        sab_p2_side_at(of->mesh, of->group->facet[f], rule->xi[q], &p);
        sab_cell_barycentric(facet, rule->xi[q], l);
        for (int a = 0; a < facet->corners; a++) {
            around *v = &at[cell[a]];

            v->size += rule->weight[q] * l[a] * p.ds * of->geometry->measure(p.x);
            for (int i = 0; i < SAB_DIM; i++)
                v->normal[i] += rule->weight[q] * l[a] * p.normal_ds[i];
        }
    }
    for (int a = 0; a < facet->corners; a++) {
        double corner[SAB_DIM] = {0.0};
        around *v = &at[cell[a]];
        double *seen = normals + SAB_DIM * begin[cell[a]];

        if (a > 0)
            corner[a - 1] = 1.0;
        sab_p2_side_at(of->mesh, of->group->facet[f], corner, &p);
        for (int k = 0; k < v->seen; k++) {
            double cosine = 0.0;

            for (int i = 0; i < SAB_DIM; i++)
                cosine += p.normal_ds[i] / p.ds * seen[SAB_DIM * k + i];
            v->left_out |= cosine <= SAB_WALL_CORNER;
        }
        for (int i = 0; i < SAB_DIM; i++)
            seen[SAB_DIM * v->seen + i] = p.normal_ds[i] / p.ds;
        v->seen++;
    }
}

/* Edges with one facet are the rim; where another entry holds a vertex, or the middle of an edge
 * that ends there, it is left out too. Counts the vertices of each facet into `facets`. */
static void mark_rim(const sab_wall_of *of, const sab_wall_trace *w, const int *node, around *at)
{
    const sab_cell *facet = of->mesh->cell->facet;

    for (int i = 0; i < facet->nodes * w->cells; i++)
        at[w->cell[i]].facets++;
    for (int f = 0; f < w->cells; f++) {
        const int *cell = w->cell + facet->nodes * f;

        for (int a = 0; a < facet->corners; a++)
            at[cell[a]].left_out |= !sab_wall_owns(of, node[cell[a]]);
        for (int e = 0; e < facet->edges; e++) {
            const int middle = cell[facet->corners + e];
            const bool rim = at[middle].facets != 1 + 1; /* one on each side of it */

            for (int k = 0; k <= 1; k++)
                at[cell[facet->edge[e][k]]].left_out |= rim || !sab_wall_owns(of, node[middle]);
        }
    }
}

/* A row for each vertex that is left, in the order of the points. */
static sab_status make_rows(const sab_wall_of *of, sab_wall_trace *w, const int *node,
                            const around *at, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_cell *facet = of->mesh->cell->facet;
    const size_t n = (size_t)w->npoints;
    int middles = 0;

    SAB_NEW(w->vertex, n);
    SAB_NEW(w->x, (size_t)w->dim * n);
    SAB_NEW(w->area, n);
    SAB_NEW(w->left, n);
    SAB_NEW(w->share, n);
    for (int i = 0; i < w->npoints; i++) {
        w->row[i] = -1;
        if (at[i].seen == 0 || at[i].left_out)
            continue;
        const int row = w->nvertices++;
        sab_wall_vertex *v = &w->vertex[row];
        double length2 = 0.0;

        *v = (sab_wall_vertex){.node = node[i], .first = middles, .size = at[i].size};
        for (int k = 0; k < SAB_DIM; k++)
            length2 += at[i].normal[k] * at[i].normal[k];
        for (int k = 0; k < SAB_DIM; k++)
            v->normal[k] = at[i].normal[k] / sqrt(length2);
        middles += at[i].facets; /* inside a surface as many edges as facets */
        memcpy(w->x + w->dim * row, w->point + w->dim * i, (size_t)w->dim * sizeof *w->x);
        w->area[row] = v->size;
        w->left[row] = w->row[i] = row;
    }
    w->nrows = w->nvertices;
    SAB_NEW(w->middle, middles);
    for (int f = 0; f < w->cells; f++) {
        const int *cell = w->cell + facet->nodes * f;

        /* each edge is in two facets, which run along it in opposite directions: counted at the one
         * in which it begins here */
        for (int e = 0; e < facet->edges; e++) {
            const int row = w->row[cell[facet->edge[e][0]]];

            if (row >= 0) {
                sab_wall_vertex *v = &w->vertex[row];

                w->middle[v->first + v->nmiddles++] = node[cell[facet->corners + e]];
            }
        }
    }
cleanup:
    return status;
}

sab_status sab_wall_surface(const sab_wall_of *of, sab_wall_trace *w, sab_error *err)
{
    sab_status status = SAB_OK;
    const int width = of->mesh->cell->facet->nodes;
    int *node = NULL, *begin = NULL; /* [npoints] */
    around *at = NULL;
    double *normals = NULL; /* of the facets around each vertex, from begin */
    int n = 0;

    SAB_TRY(find_points(of, w, &node, err));
    SAB_NEW(begin, w->npoints);
    SAB_NEW(at, w->npoints);
    SAB_NEW(normals, SAB_DIM * (size_t)width * (size_t)w->cells);
    mark_rim(of, w, node, at);
    for (int i = 0; i < w->npoints; i++) {
        begin[i] = n;
        n += at[i].facets;
    }
    for (int f = 0; f < w->cells; f++)
        visit(of, f, w->cell + width * f, begin, at, normals);
    SAB_TRY(make_rows(of, w, node, at, err));
cleanup:
    SAB_FREE(node);
    SAB_FREE(begin);
    SAB_FREE(at);
    SAB_FREE(normals);
    return status;
}

/* One round: vertices not yet known get the mean of their neighbours that are, once per facet.
 * Returns how many. */
static int fill_in(const sab_wall_trace *w, int columns, double *at, int *known, int *count)
{
    int filled = 0;

    memset(count, 0, (size_t)w->npoints * sizeof *count);
    for (int i = 0; i < w->facet->edges * w->cells; i++) {
        const int *cell = w->cell + w->facet->nodes * (i / w->facet->edges);
        const int *edge = w->facet->edge[i % w->facet->edges];

        for (int k = 0; k <= 1; k++) {
            const int to = cell[edge[k]], from = cell[edge[1 - k]];

            if (known[to] || !known[from])
                continue;
            for (int c = 0; c < columns; c++)
                at[columns * to + c] += at[columns * from + c];
            count[to]++;
        }
    }
    for (int i = 0; i < w->npoints; i++)
        if (count[i] > 0) {
            for (int c = 0; c < columns; c++)
                at[columns * i + c] /= count[i];
            known[i] = 1;
            filled++;
        }
    return filled;
}

sab_status sab_wall_spread(const sab_wall_trace *w, int columns, const double *value, double *at,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    int *known = NULL, *count = NULL; /* [npoints] */

    SAB_NEW(known, w->npoints);
    SAB_NEW(count, w->npoints);
    memset(at, 0, (size_t)columns * (size_t)w->npoints * sizeof *at);
    for (int i = 0; i < w->npoints; i++)
        if (w->row[i] >= 0) {
            known[i] = 1;
            memcpy(at + columns * i, value + columns * w->row[i], (size_t)columns * sizeof *at);
        }
    while (fill_in(w, columns, at, known, count) > 0)
        ;
    for (int i = 0; i < w->facet->edges * w->cells; i++) { /* middles */
        const int *cell = w->cell + w->facet->nodes * (i / w->facet->edges);
        const int e = i % w->facet->edges, *edge = w->facet->edge[e];
        double *middle = at + columns * cell[w->facet->corners + e];

        for (int c = 0; c < columns; c++)
            middle[c] = 0.5 * (at[columns * cell[edge[0]] + c] + at[columns * cell[edge[1]] + c]);
    }
cleanup:
    SAB_FREE(known);
    SAB_FREE(count);
    return status;
}

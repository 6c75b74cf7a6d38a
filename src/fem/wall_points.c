/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/wall_points.h"
#include "base/memory.h"
#include "fem/axis.h"
#include "fem/claims.h"

#include <string.h>

/* Points of one node point in the same direction if their normals are less than 30 degrees apart.
 */
static const double CORNER_COSINE = 0.8660254037844386;
/* A row of B without more than this is 0. */
static const double ALONG = 1e-6;

/* The rule of degree 3 on a triangle with its corners, the middles of its edges and its own. */
static const double CORNER = 1.0 / 40.0, EDGE = 1.0 / 15.0, MIDDLE = 9.0 / 40.0;

typedef struct builder {
    const sab_space *space;
    const sab_dofs *dofs;
    const sab_boundary *boundary;
    const int *group;
    double axis;
    int *first, *next; /* points of a node, plus one */
    sab_wall_points *walls;
} builder;

/* What a side contributes to one of its points: int phi n ds, and where. */
static void add_point(builder *b, int entry, const sab_wall_point *part)
{
    sab_wall_points *w = b->walls;
    const int node = b->dofs->leader[part->place[0]]; /* partners of periodic sides are one */

    for (int k = part->n == 1 ? b->first[node] : 0; k > 0; k = b->next[k - 1]) {
        sab_wall_point *at = &w->point[k - 1];

        if (at->entry == entry &&
            sab_dot(at->normal, part->normal) >
                CORNER_COSINE * sab_length(at->normal) * sab_length(part->normal)) {
            for (int i = 0; i < SAB_DIM; i++)
                at->normal[i] += part->normal[i];
            return;
        }
    }
    w->point[w->n] = *part;
    w->point[w->n].entry = entry;
    if (part->n == 1) {
        b->next[w->n] = b->first[node];
        b->first[node] = w->n + 1;
    }
    w->n++;
}

/* A line: int phi_a n ds of its nodes. */
static sab_status add_line(builder *b, int entry, int facet, sab_error *err)
{
    const sab_mesh *mesh = b->space->mesh;
    const sab_quadrature *rule = sab_side_rule(mesh->cell);
    const int *node = sab_mesh_facet(mesh, facet), nodes = mesh->cell->facet->nodes;
    sab_wall_point part[SAB_SIDE_NODES] = {{0}};
    double area[SAB_SIDE_NODES] = {0.0};

    for (int q = 0; q < rule->n; q++) {
        sab_p2_side p;

        sab_p2_side_at(mesh, facet, rule->xi[q], &p);
        const double m = rule->weight[q] * b->space->geometry->measure(p.x);
        for (int a = 0; a < nodes; a++) {
            area[a] += m * p.value[a] * p.ds;
            for (int i = 0; i < mesh->cell->dim; i++)
                part[a].normal[i] += m * p.value[a] * p.normal_ds[i];
        }
    }
    for (int a = 0; a < nodes; a++) {
        if (sab_on_axis(mesh, b->axis, node[a]))
            continue; /* held (fem/claims.c) */
        if (!(area[a] > 0.0))
            return sab_fail(err, SAB_ERR_INPUT,
                            "boundaries.%s: the side at (%g, %g) is curved too much for a wall "
                            "with friction: a finer mesh there helps",
                            b->boundary[entry].group, sab_mesh_x(mesh, node[a])[0],
                            sab_mesh_x(mesh, node[a])[1]);
        part[a].n = 1;
        part[a].place[0] = node[a];
        part[a].shape[0] = 1.0;
        memcpy(part[a].x, sab_mesh_x(mesh, node[a]), (size_t)mesh->cell->dim * sizeof(double));
        add_point(b, entry, &part[a]);
    }
    return SAB_OK;
}

/* A triangle: int phi of a corner is 0, but the rule with the middle, where the face function
 * lives, has as many points as there are normal velocities. */
static void add_triangle(builder *b, int entry, int facet)
{
    const sab_mesh *mesh = b->space->mesh;
    const sab_element *element = b->space->element;
    const sab_cell *side = mesh->cell->facet;
    int index[SAB_SIDE_SHAPES];
    const int shapes = sab_element_side_index(element, mesh, facet, index);

    for (int a = 0; a <= side->nodes; a++) {
        const bool middle = a == side->nodes;
        double xi[SAB_DIM] = {1.0 / 3.0, 1.0 / 3.0}, value[SAB_SIDE_SHAPES];
        sab_wall_point part = {.n = 1, .place = {index[middle ? 0 : a]}, .shape = {1.0}};
        sab_p2_side p;

        for (int i = 0; i < side->dim && !middle; i++) {
            const int edge = a - side->corners; /* xi_i is the barycentric coordinate of i + 1 */

            xi[i] = edge < 0
                        ? a == i + 1
                        : 0.5 * ((side->edge[edge][0] == i + 1) + (side->edge[edge][1] == i + 1));
        }
        sab_element_side_at(element, mesh, facet, xi, &p, value);
        if (middle) {
            part.n = shapes;
            memcpy(part.place, index, (size_t)shapes * sizeof *index);
            memcpy(part.shape, value, (size_t)shapes * sizeof *value);
        }
        memcpy(part.x, p.x, sizeof part.x);
        for (int i = 0; i < SAB_DIM; i++)
            part.normal[i] = (middle ? MIDDLE : a < side->corners ? CORNER : EDGE) * p.normal_ds[i];
        add_point(b, entry, &part);
    }
}

/* Component c of the velocity of a point along frame direction i of place k, as B has it. */
static double row_entry(const builder *b, const sab_wall_point *p, int c, int k, int i)
{
    const int dim = b->dofs->dim;
    const double *frame = b->dofs->frame + dim * (dim * p->place[k] + i);
    const double *along = c == 0 ? p->normal : p->tangent[c - 1];
    double sum = 0.0;

    for (int j = 0; j < dim; j++)
        sum += along[j] * frame[j];
    return (c == 0 ? -1.0 : 1.0) * p->shape[k] * sum / b->walls->length;
}

/* Does another entry at the node of the point say `over` to that of the point? */
static bool is_overruled(const builder *b, int nboundaries, const sab_wall_point *p)
{
    const sab_mesh *mesh = b->space->mesh;
    const int width = mesh->cell->facet->nodes;

    for (int by = 0; by < nboundaries && p->n == 1; by++)
        for (int k = 0; k < b->boundary[by].nover; k++) {
            const sab_mesh_group *group = &mesh->group[b->group[by]];

            if (sab_mesh_find_group(mesh, b->boundary[by].over[k]) != b->group[p->entry])
                continue;
            for (int i = 0; i < width * group->nfacets; i++)
                if (sab_mesh_facet(mesh, group->facet[i / width])[i % width] == p->place[0])
                    return true;
        }
    return false;
}

/* Unit normal, tangents and weight; false if nothing is left to decide there. */
static bool finish_point(const builder *b, int nboundaries, sab_wall_point *p)
{
    const int dim = b->dofs->dim;
    bool decides = false;

    p->weight = sab_length(p->normal);
    for (int i = 0; i < SAB_DIM; i++)
        p->normal[i] /= p->weight;
    const double *n = p->normal;
    if (dim < SAB_DIM) {
        p->tangent[0][0] = -n[1];
        p->tangent[0][1] = n[0];
    } else { /* across the axis that is least along the normal */
        double axis[SAB_DIM] = {0.0};
        int least = 0;

        for (int i = 1; i < SAB_DIM; i++)
            if (fabs(n[i]) < fabs(n[least]))
                least = i;
        axis[least] = 1.0;
        sab_cross(n, axis, p->tangent[0]);
        const double size = sab_length(p->tangent[0]);
        for (int i = 0; i < SAB_DIM; i++)
            p->tangent[0][i] /= size;
        sab_cross(n, p->tangent[0], p->tangent[1]);
    }
    for (int k = 0; k < p->n; k++)
        for (int i = 0; i < dim; i++)
            decides = decides || (b->dofs->number[dim * p->place[k] + i] >= 0 &&
                                  fabs(row_entry(b, p, 0, k, i)) * b->walls->length > ALONG);
    return decides && !is_overruled(b, nboundaries, p);
}

/* One block per point: its components against the free ones of what it sees. */
static sab_status make_blocks(const builder *b, sab_error *err)
{
    sab_wall_points *w = b->walls;
    const sab_dofs *dofs = b->dofs;
    const int dim = dofs->dim;
    sab_status status = SAB_OK;
    int64_t columns = 0;
    sab_blocks *B;

    for (int q = 0; q < w->n; q++)
        for (int k = 0; k < w->point[q].n; k++)
            for (int i = 0; i < dim; i++)
                columns += dofs->number[dim * w->point[q].place[k] + i] >= 0;
    SAB_TRY(sab_blocks_create(dim, w->n, sab_space_unknowns(b->space, dofs), w->n, columns,
                              dim * columns, &w->at->B, err));
    B = w->at->B;
    for (int q = 0; q < w->n; q++) {
        const sab_wall_point *p = &w->point[q];
        int *column = B->column + B->column_start[q], n = 0;
        double *value = B->value + B->value_start[q];

        for (int k = 0; k < p->n; k++)
            for (int i = 0; i < dim; i++)
                if (dofs->number[dim * p->place[k] + i] >= 0)
                    column[n++] = dofs->number[dim * p->place[k] + i];
        for (int c = 0; c < dim; c++)
            for (int k = 0; k < p->n; k++)
                for (int i = 0; i < dim; i++)
                    if (dofs->number[dim * p->place[k] + i] >= 0)
                        *value++ = row_entry(b, p, c, k, i);
        B->point[q + 1] = q + 1;
        B->column_start[q + 1] = B->column_start[q] + n;
        B->value_start[q + 1] = B->value_start[q] + (int64_t)n * dim;
    }
cleanup:
    return status;
}

static sab_status gather(builder *b, int nboundaries, sab_error *err)
{
    const sab_mesh *mesh = b->space->mesh;
    sab_wall_points *w = b->walls;
    sab_status status = SAB_OK;
    int kept = 0;

    for (int e = 0; e < nboundaries; e++)
        for (int f = 0; f < mesh->group[b->group[e]].nfacets && b->boundary[e].has_wall; f++) {
            const int facet = mesh->group[b->group[e]].facet[f];

            if (mesh->cell->dim == 2)
                SAB_TRY(add_line(b, e, facet, err));
            else
                add_triangle(b, e, facet);
        }
    for (int q = 0; q < w->n; q++)
        if (finish_point(b, nboundaries, &w->point[q]))
            w->point[kept++] = w->point[q];
    w->n = kept;
cleanup:
    return status;
}

sab_status sab_wall_points_create(const sab_space *space, const sab_dofs *dofs, int nboundaries,
                                  const sab_boundary *boundary, const int *group, double length,
                                  sab_wall_points **walls, sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    const int dim = mesh->cell->dim;
    sab_status status = SAB_OK;
    builder b = {.space = space,
                 .dofs = dofs,
                 .boundary = boundary,
                 .group = group,
                 .axis = sab_axis_reach(mesh, space->geometry)};
    sab_wall_points *w = NULL;
    size_t most = 0;

    *walls = NULL;
    for (int e = 0; e < nboundaries; e++)
        if (boundary[e].has_wall)
            most += (size_t)SAB_SIDE_SHAPES * (size_t)mesh->group[group[e]].nfacets;
    if (most == 0)
        return SAB_OK;
    SAB_NEW(w, 1);
    SAB_NEW(w->point, most);
    SAB_NEW(b.first, mesh->nnodes);
    SAB_NEW(b.next, most);
    w->dim = dim;
    w->length = length;
    b.walls = w;
    SAB_TRY(gather(&b, nboundaries, err));
    if (w->n == 0)
        goto cleanup; /* others hold all of it */
    SAB_NEW(w->at, 1);
    w->at->s = dim;
    w->at->n = w->n;
    SAB_NEW(w->at->x, (size_t)dim * (size_t)w->n);
    SAB_NEW(w->at->weight, w->n);
    SAB_NEW(w->at->k, (size_t)dim * (size_t)w->n);
    for (int q = 0; q < w->n; q++) {
        memcpy(w->at->x + dim * q, w->point[q].x, (size_t)dim * sizeof(double));
        w->at->weight[q] = w->point[q].weight * length;
    }
    SAB_TRY(make_blocks(&b, err));
    *walls = w;
    w = NULL;
cleanup:
    SAB_FREE(b.first);
    SAB_FREE(b.next);
    sab_wall_points_destroy(&w);
    return status;
}

void sab_wall_points_destroy(sab_wall_points **walls)
{
    if (*walls != NULL) {
        sab_points_destroy(&(*walls)->at);
        SAB_FREE((*walls)->point);
        SAB_FREE(*walls);
    }
}

sab_status sab_wall_velocity(const sab_wall_points *w, int i, const sab_boundary *boundary,
                             double t, double *U, sab_error *err)
{
    const sab_wall_point *p = &w->point[i];
    const sab_wall_law *law = &boundary[p->entry].wall;
    const sab_vars at = sab_vars_at(w->dim, p->x, t);
    sab_status status = SAB_OK;
    double speed, across = 0.0;

    memset(U, 0, (size_t)w->dim * sizeof *U);
    if (law->has_speed) {
        SAB_TRY(sab_function_at(&law->speed, &at, &speed, err));
        for (int j = 0; j < w->dim; j++)
            U[j] = speed * p->tangent[0][j];
    }
    for (int j = 0; j < w->dim && law->has_velocity; j++) {
        SAB_TRY(sab_function_at(&law->velocity[j], &at, &U[j], err));
        across += U[j] * p->normal[j];
    }
    for (int j = 0; j < w->dim; j++)
        U[j] -= across * p->normal[j];
cleanup:
    return status;
}

sab_status sab_wall_points_give(sab_wall_points *w, const sab_dofs *dofs,
                                const sab_boundary *boundary, double t, sab_error *err)
{
    const int dim = w->dim;
    sab_status status = SAB_OK;

    for (int q = 0; q < w->n; q++) {
        const sab_wall_point *p = &w->point[q];
        double given[SAB_DIM] = {0.0}, U[SAB_DIM] = {0.0};

        SAB_TRY(sab_wall_velocity(w, q, boundary, t, U, err));
        for (int k = 0; k < p->n; k++)
            for (int i = 0; i < dim; i++)
                for (int j = 0; j < dim; j++)
                    given[j] += p->shape[k] * dofs->value[dim * p->place[k] + i] *
                                dofs->frame[dim * (dim * p->place[k] + i) + j];
        for (int i = 0; i < dim; i++)
            given[i] -= U[i];
        for (int c = 0; c < dim; c++)
            w->at->k[dim * q + c] =
                (c == 0 ? -sab_dot(p->normal, given) : sab_dot(p->tangent[c - 1], given)) /
                w->length;
    }
cleanup:
    return status;
}

void sab_wall_points_force(const sab_wall_points *w, int entry, const double *traction, double *F)
{
    const int dim = w->dim;

    for (int q = 0; q < w->n; q++) {
        const sab_wall_point *p = &w->point[q];
        const double *r = traction + dim * q;

        for (int i = 0; i < dim && (entry == SAB_NOBODY || entry == p->entry); i++) {
            double f = -r[0] * p->normal[i];

            for (int c = 1; c < dim; c++)
                f += r[c] * p->tangent[c - 1][i];
            for (int k = 0; k < p->n; k++)
                F[dim * p->place[k] + i] += p->weight * p->shape[k] * f;
        }
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/points.h"
#include "base/memory.h"
#include "linalg/threads.h"

#include <string.h>

/* What a set of points sees: `rows` fills axis[s][dim shapes], the components of v at point q of
 * element e for the shape functions of the element along the axes. */
typedef struct view {
    const sab_space *space;
    const sab_quadrature *rule;
    int s, first; /* components, and the first shape function that counts */
    void (*rows)(const struct view *view, int e, int q, double axis[SAB_MAX_S][SAB_COMPONENTS]);
} view;

static void strain_rows(const view *v, int e, int q, double axis[SAB_MAX_S][SAB_COMPONENTS])
{
    sab_space_strain_rows(v->space, e, q, axis);
}

static void remainder_rows(const view *v, int e, int p, double axis[SAB_MAX_S][SAB_COMPONENTS])
{
    sab_space_remainder_rows(v->space, e, p, axis);
}

/* Component i of a velocity: phi of its own shape functions. */
static void velocity_rows(const view *v, int e, int q, double axis[SAB_MAX_S][SAB_COMPONENTS])
{
    double phi[SAB_SHAPES];
    const int n = sab_element_values(v->space->element, v->rule->xi[q], phi), dim = v->s;

    (void)e;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j < dim * n; j++)
            axis[i][j] = j % dim == i ? phi[j / dim] : 0.0;
}

static void function_rows(const view *v, int e, int q, double axis[SAB_MAX_S][SAB_COMPONENTS])
{
    (void)e;
    (void)q;
    for (int i = 0; i < v->s; i++)
        for (int j = 0; j < v->s; j++)
            axis[i][j] = i == j ? 1.0 : 0.0;
}

/* The frame components of element e: unknown or -1, prescribed value, direction. */
typedef struct component {
    int number;
    double value, direction[SAB_DIM];
} component;

/* Fills them and returns their number. */
static int components_of(const sab_space *space, const sab_dofs *dofs, int e,
                         component local[SAB_COMPONENTS])
{
    const int dim = dofs->dim, inner = dim * space->element->inner;
    int index[SAB_SHAPES];
    const int framed = dim * sab_element_index(space->element, space->mesh, e, index) - inner;

    for (int i = 0; i < framed; i++) {
        const int at = dim * index[i / dim] + i % dim;

        local[i] = (component){dofs->number[at], dofs->value[at], {0.0}};
        memcpy(local[i].direction, dofs->frame + dim * at, (size_t)dim * sizeof(double));
    }
    for (int i = 0; i < inner; i++) { /* inner functions are free, along the axes */
        local[framed + i] = (component){dofs->nfree + inner * e + i, 0.0, {0.0}};
        local[framed + i].direction[i % dim] = 1.0;
    }
    return framed + inner;
}

/* One row of a block: v along the axes, turned into the frames of the nodes. Returns what is
 * prescribed of it; *value moves on. */
static double turn_row(int dim, int first, int n, const component *local, const double *axis,
                       double **value)
{
    double given = 0.0;

    for (int i = first; i < n; i++) {
        const double *d = local[i].direction, *along = axis + i / dim * dim;
        double turned = d[0] * along[0];

        for (int j = 1; j < dim; j++)
            turned += d[j] * along[j];
        given += turned * local[i].value;
        if (local[i].number >= 0)
            *(*value)++ = turned;
    }
    return given;
}

static sab_status make_blocks(const view *v, const sab_dofs *dofs, sab_blocks **B, double *k,
                              sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = v->space->mesh;
    const int s = v->s, dim = dofs->dim, points = v->rule->n, first = dim * v->first;
    component local[SAB_COMPONENTS];
    int64_t columns = 0;
    sab_blocks *b = NULL;

    *B = NULL;
    for (int e = 0; e < mesh->nelements; e++) {
        const int components = components_of(v->space, dofs, e, local);

        for (int i = first; i < components; i++)
            columns += local[i].number >= 0;
    }
    SAB_TRY(sab_blocks_create(s, points * mesh->nelements, sab_space_unknowns(v->space, dofs),
                              mesh->nelements, columns, columns * points * s, &b, err));
    for (int e = 0; e < mesh->nelements; e++) {
        const int components = components_of(v->space, dofs, e, local);
        int *column = b->column + b->column_start[e], n = 0;
        double *value = b->value + b->value_start[e];

        for (int i = first; i < components; i++)
            if (local[i].number >= 0)
                column[n++] = local[i].number;
        b->point[e + 1] = points * (e + 1);
        b->column_start[e + 1] = b->column_start[e] + n;
        b->value_start[e + 1] = b->value_start[e] + (int64_t)n * points * s;
        for (int q = 0; q < points; q++) {
            double axis[SAB_COMPONENTS][SAB_COMPONENTS]; /* SAB_MAX_S rows but for functions */

            v->rows(v, e, q, axis);
            for (int c = 0; c < s; c++)
                *k++ = turn_row(dim, first, components, local, axis[c], &value);
        }
    }
    SAB_TRY(sab_blocks_share(b, sab_threads_get(), err));
    *B = b;
    b = NULL;
cleanup:
    sab_blocks_destroy(&b);
    return status;
}

/* Places and weights of the points of a rule, of NULL the law points; without blocks. */
static sab_status create(const sab_space *space, const sab_quadrature *rule, int s,
                         sab_points **points, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const size_t dim = (size_t)mesh->cell->dim;
    sab_points *p = NULL;

    *points = NULL;
    SAB_NEW(p, 1);
    p->s = s;
    p->n = rule == NULL ? space->npoints : rule->n * mesh->nelements;
    SAB_NEW(p->x, dim * (size_t)p->n);
    SAB_NEW(p->weight, p->n);
    if (rule == NULL) {
        memcpy(p->x, space->point, dim * (size_t)p->n * sizeof *p->x);
        memcpy(p->weight, space->weight, (size_t)p->n * sizeof *p->weight);
    }
    for (int i = 0; rule != NULL && i < p->n; i++) {
        sab_p2 at;

        sab_p2_at(mesh, i / rule->n, rule->xi[i % rule->n], &at);
        memcpy(p->x + dim * (size_t)i, at.x, dim * sizeof *at.x);
        p->weight[i] = at.det * rule->weight[i % rule->n] * space->geometry->measure(at.x);
    }
    *points = p;
    p = NULL;
cleanup:
    sab_points_destroy(&p);
    return status;
}

static sab_status see(const view *v, const sab_quadrature *rule, const sab_dofs *dofs,
                      sab_points **points, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_points *p = NULL;

    *points = NULL;
    SAB_TRY(create(v->space, rule, v->s, &p, err));
    SAB_NEW(p->k, (size_t)p->s * (size_t)p->n);
    SAB_TRY(make_blocks(v, dofs, &p->B, p->k, err));
    *points = p;
    p = NULL;
cleanup:
    sab_points_destroy(&p);
    return status;
}

sab_status sab_points_strain(const sab_space *space, const sab_dofs *dofs, sab_points **points,
                             sab_error *err)
{
    const view v = {space, space->element->law, space->geometry->s, 0, strain_rows};

    return see(&v, NULL, dofs, points, err);
}

sab_status sab_space_strain(const sab_space *space, const sab_dofs *dofs, sab_blocks **B, double *k,
                            sab_error *err)
{
    const view v = {space, space->element->law, space->geometry->s, 0, strain_rows};

    return make_blocks(&v, dofs, B, k, err);
}

sab_status sab_points_remainder(const sab_space *space, const sab_dofs *dofs, sab_points **points,
                                sab_error *err)
{
    const int nodes = space->mesh->cell->nodes;
    const view v = {space, space->remainder, space->geometry->s, nodes, remainder_rows};

    return see(&v, space->gradient == NULL ? NULL : space->remainder, dofs, points, err);
}

sab_status sab_points_velocity(const sab_space *space, const sab_dofs *dofs,
                               const sab_quadrature *rule, sab_points **points, sab_error *err)
{
    return see(&(view){space, rule, dofs->dim, 0, velocity_rows}, rule, dofs, points, err);
}

sab_status sab_points_functions(const sab_space *space, const sab_dofs *dofs, sab_points **points,
                                sab_error *err)
{
    const int shapes = space->mesh->cell->nodes + sab_element_bubbles(space->element);
    static const double middle[1][SAB_DIM] = {{0.25, 0.25, 0.25}}, weight[1] = {1.0};
    static const sab_quadrature one = {1, 0, middle, weight}; /* where does not matter */

    return see(&(view){space, &one, dofs->dim * shapes, 0, function_rows}, &one, dofs, points, err);
}

sab_status sab_points_hats(const sab_space *space, int nvertices, const int *vertex,
                           sab_points **points, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const sab_quadrature *rule = space->element->law;
    const int corners = mesh->cell->corners;
    sab_points *p = NULL;

    *points = NULL;
    SAB_TRY(create(space, NULL, 1, &p, err));
    SAB_TRY(sab_blocks_create(1, p->n, nvertices, mesh->nelements,
                              corners * (int64_t)mesh->nelements, corners * (int64_t)p->n, &p->B,
                              err));
    for (int e = 0; e < mesh->nelements; e++) {
        sab_blocks *B = p->B;
        double *value = B->value + (int64_t)(rule->n * corners) * e;

        B->point[e + 1] = rule->n * (e + 1);
        B->column_start[e + 1] = corners * ((int64_t)e + 1);
        B->value_start[e + 1] = rule->n * corners * ((int64_t)e + 1);
        for (int i = 0; i < corners; i++)
            B->column[corners * e + i] = vertex[sab_mesh_element(mesh, e)[i]];
        for (int q = 0; q < rule->n; q++)
            sab_cell_barycentric(mesh->cell, sab_space_xi(space, e, q), value + corners * q);
    }
    *points = p;
    p = NULL;
cleanup:
    sab_points_destroy(&p);
    return status;
}

void sab_points_destroy(sab_points **points)
{
    sab_points *p = *points;

    if (p != NULL) {
        SAB_FREE(p->x);
        SAB_FREE(p->weight);
        SAB_FREE(p->k);
        sab_blocks_destroy(&p->B);
        SAB_FREE(*points);
    }
}

#include "fem/space.h"
#include "base/memory.h"
#include "fem/bubble.h"
#include "fem/p2.h"
#include "fem/quadrature.h"
#include "linalg/threads.h"

#include <assert.h>
#include <string.h>

enum {
    NODES = SAB_P2_TRIANGLE,
    POINTS = 3, /* law points of an element */
    MAX_S = 6,
    SHAPES = NODES + 1, /* at most: the bubble is the last */
    LOCAL = 2 * SHAPES  /* velocity components of an element */
};

sab_status sab_space_create(const sab_mesh *mesh, const sab_geometry *geometry, sab_space **space,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    sab_space *sp = NULL;

    *space = NULL;
    SAB_NEW(sp, 1);
    sp->mesh = mesh;
    sp->geometry = geometry;
    sp->npoints = POINTS * mesh->nelements;
    SAB_NEW(sp->point, 2 * (size_t)sp->npoints);
    SAB_NEW(sp->weight, sp->npoints);
    for (int e = 0; e < mesh->nelements; e++)
        for (int q = 0; q < POINTS; q++) {
            sab_p2 p;

            sab_p2_at(mesh, e, sab_triangle_law.xi[q], &p);
            memcpy(sp->point + 2 * (POINTS * e + q), p.x, sizeof p.x);
            sp->weight[POINTS * e + q] = p.det * sab_triangle_law.weight[q];
        }
    *space = sp;
    sp = NULL;
cleanup:
    sab_space_destroy(&sp);
    return status;
}

void sab_space_destroy(sab_space **space)
{
    if (*space != NULL) {
        SAB_FREE((*space)->point);
        SAB_FREE((*space)->weight);
        SAB_FREE(*space);
    }
}

size_t sab_space_size(const sab_space *space)
{
    return 2 *
           ((size_t)space->mesh->nnodes + (space->bubbles ? (size_t)space->mesh->nelements : 0));
}

int sab_space_unknowns(const sab_space *space, const sab_dofs *dofs)
{
    return dofs->nfree + (space->bubbles ? 2 * space->mesh->nelements : 0);
}

void sab_space_restrict(const sab_space *space, const sab_dofs *dofs, const double *F, double *l)
{
    const size_t nodal = 2 * (size_t)space->mesh->nnodes;

    sab_dofs_restrict(dofs, F, l);
    memcpy(l + dofs->nfree, F + nodal, (sab_space_size(space) - nodal) * sizeof *l);
}

void sab_space_expand(const sab_space *space, const sab_dofs *dofs, const double *u, double *U)
{
    const size_t nodal = 2 * (size_t)space->mesh->nnodes;

    sab_dofs_expand(dofs, u, U);
    if (u != NULL)
        memcpy(U + nodal, u + dofs->nfree, (sab_space_size(space) - nodal) * sizeof *U);
    else
        memset(U + nodal, 0, (sab_space_size(space) - nodal) * sizeof *U);
}

/* Where the shape functions of element e stand in a velocity vector: 2 index[a] + i. Returns their
 * number. */
static int shapes_of(const sab_space *space, int e, int index[SHAPES])
{
    memcpy(index, space->mesh->element + NODES * e, NODES * sizeof *index);
    index[NODES] = space->mesh->nnodes + e;
    return space->bubbles ? SHAPES : NODES;
}

/* chi^-1 D at law point q of element e for the axis components of its shape functions:
 * row[s][2 shapes]. */
static void strain_rows(const sab_space *space, int e, int q, double row[MAX_S][LOCAL])
{
    const int s = space->geometry->s, shapes = space->bubbles ? SHAPES : NODES;
    sab_p2 p;
    double bubble[2], column[MAX_S];

    sab_p2_at(space->mesh, e, sab_triangle_law.xi[q], &p);
    sab_bubble_projected_gradient(q, &p, bubble);
    for (int a = 0; a < shapes; a++)
        for (int i = 0; i < 2; i++) {
            space->geometry->strain(i, a < NODES ? p.dx[a] : bubble, column);
            for (int c = 0; c < s; c++)
                row[c][2 * a + i] = column[c];
        }
}

/* The 2 shapes frame components of element e: unknown or -1, prescribed value, direction. */
typedef struct component {
    int number;
    double value, direction[2];
} component;

static void components_of(const sab_space *space, const sab_dofs *dofs, int e,
                          component local[LOCAL])
{
    for (int i = 0; i < 2 * NODES; i++) {
        const int at = 2 * space->mesh->element[NODES * e + i / 2] + i % 2;

        local[i] = (component){
            dofs->number[at], dofs->value[at], {dofs->frame[2 * at], dofs->frame[2 * at + 1]}};
    }
    for (int i = 0; i < 2; i++) /* a bubble is free, along the axes */
        local[2 * NODES + i] = (component){dofs->nfree + 2 * e + i, 0.0, {i == 0, i == 1}};
}

sab_status sab_space_strain(const sab_space *space, const sab_dofs *dofs, sab_blocks **B, double *k,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const int s = space->geometry->s, components = 2 * (space->bubbles ? SHAPES : NODES);
    int64_t columns = space->bubbles ? 2 * (int64_t)mesh->nelements : 0;
    sab_blocks *b = NULL;

    *B = NULL;
    for (int i = 0; i < NODES * mesh->nelements; i++)
        for (int c = 0; c < 2; c++)
            columns += dofs->number[2 * mesh->element[i] + c] >= 0;
    SAB_TRY(sab_blocks_create(s, space->npoints, sab_space_unknowns(space, dofs), mesh->nelements,
                              columns, columns * POINTS * s, &b, err));
    for (int e = 0; e < mesh->nelements; e++) {
        component local[LOCAL];
        int *column = b->column + b->column_start[e], n = 0;
        double *value = b->value + b->value_start[e];

        components_of(space, dofs, e, local);
        for (int i = 0; i < components; i++)
            if (local[i].number >= 0)
                column[n++] = local[i].number;
        b->point[e + 1] = POINTS * (e + 1);
        b->column_start[e + 1] = b->column_start[e] + n;
        b->value_start[e + 1] = b->value_start[e] + (int64_t)n * POINTS * s;
        for (int q = 0; q < POINTS; q++) {
            double axis[MAX_S][LOCAL];
            double *kq = k + (size_t)s * (size_t)(POINTS * e + q);

            strain_rows(space, e, q, axis);
            for (int c = 0; c < s; c++) {
                kq[c] = 0.0;
                for (int i = 0; i < components; i++) {
                    const double *d = local[i].direction, *pair = axis[c] + i / 2 * 2;
                    const double turned = d[0] * pair[0] + d[1] * pair[1];

                    kq[c] += turned * local[i].value;
                    if (local[i].number >= 0)
                        *value++ = turned;
                }
            }
        }
    }
    SAB_TRY(sab_blocks_share(b, sab_threads_get(), err));
    *B = b;
    b = NULL;
cleanup:
    sab_blocks_destroy(&b);
    return status;
}

sab_status sab_space_bubble_strain(const sab_space *space, const sab_blocks *B, sab_blocks **bubble,
                                   sab_error *err)
{
    sab_status status = SAB_OK;
    const int rows = POINTS * B->s;
    const int64_t columns = 2 * (int64_t)B->nblocks;
    sab_blocks *b = NULL;

    assert(space->bubbles);
    *bubble = NULL;
    SAB_TRY(sab_blocks_create(B->s, B->npoints, B->ncolumns, B->nblocks, columns, columns * rows,
                              &b, err));
    for (int e = 0; e < B->nblocks; e++) {
        const int64_t n = B->column_start[e + 1] - B->column_start[e];
        const double *from = B->value + B->value_start[e];

        b->point[e + 1] = B->point[e + 1];
        b->column_start[e + 1] = 2 * (e + 1);
        b->value_start[e + 1] = (int64_t)(2 * rows) * (e + 1);
        for (int j = 0; j < 2; j++) {
            b->column[2 * e + j] = B->column[B->column_start[e + 1] - 2 + j];
            for (int i = 0; i < rows; i++)
                b->value[b->value_start[e] + 2 * i + j] = from[i * n + n - 2 + j];
        }
    }
    *bubble = b;
    b = NULL;
cleanup:
    sab_blocks_destroy(&b);
    return status;
}

void sab_space_strain_rate(const sab_space *space, const double *U, double *gamma)
{
    const int s = space->geometry->s;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SHAPES];
        const int shapes = shapes_of(space, e, index);

        for (int q = 0; q < POINTS; q++) {
            double row[MAX_S][LOCAL];

            strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                double sum = 0.0;

                for (int a = 0; a < shapes; a++)
                    for (int i = 0; i < 2; i++)
                        sum += row[c][2 * a + i] * U[2 * index[a] + i];
                gamma[s * (POINTS * e + q) + c] = sum;
            }
        }
    }
}

void sab_space_internal_force(const sab_space *space, const double *sigma, double *F)
{
    const int s = space->geometry->s;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SHAPES];
        const int shapes = shapes_of(space, e, index);

        for (int q = 0; q < POINTS; q++) {
            const double m = 2.0 * space->weight[POINTS * e + q];
            double row[MAX_S][LOCAL];

            strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                const double ms = m * sigma[s * (POINTS * e + q) + c];

                for (int a = 0; a < shapes; a++)
                    for (int i = 0; i < 2; i++)
                        F[2 * index[a] + i] += row[c][2 * a + i] * ms;
            }
        }
    }
}

sab_status sab_space_body_force(const sab_space *space, const sab_function *f, double t, double *F,
                                sab_error *err)
{
    const sab_quadrature *rule = &sab_triangle_degree4;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SHAPES];
        const int shapes = shapes_of(space, e, index);

        for (int q = 0; q < rule->n; q++) {
            sab_p2 p;

            sab_p2_at(space->mesh, e, rule->xi[q], &p);
            const sab_vars at = {.x = p.x[0], .y = p.x[1], .t = t};
            const double bubble = sab_bubble_value(rule->xi[q]);
            for (int i = 0; i < 2; i++) {
                double force;
                const sab_status status = sab_function_at(&f[i], &at, &force, err);

                if (status != SAB_OK)
                    return status;
                force *= rule->weight[q] * p.det;
                for (int a = 0; a < shapes; a++)
                    F[2 * index[a] + i] += force * (a < NODES ? p.value[a] : bubble);
            }
        }
    }
    return SAB_OK;
}

/* The P1 function with values f_0 f_1 f_2 at the law points has 2 f_i - (f_0 + f_1 + f_2)/3 at
 * corner i, since f_i = c_i/2 + (c_0 + c_1 + c_2)/6. */
void sab_space_to_nodes(const sab_space *space, int components, const double *value, double *nodal)
{
    for (int e = 0; e < space->mesh->nelements; e++) {
        const double *f = value + (size_t)(POINTS * e) * (size_t)components;
        double *out = nodal + (size_t)(NODES * e) * (size_t)components;

        for (int c = 0; c < components; c++) {
            const double sum = f[c] + f[components + c] + f[2 * components + c];

            for (int i = 0; i < 3; i++)
                out[i * components + c] = 2.0 * f[i * components + c] - sum / 3.0;
            for (int i = 0; i < 3; i++)
                out[(3 + i) * components + c] =
                    0.5 * (out[i * components + c] + out[(i + 1) % 3 * components + c]);
        }
    }
}

void sab_space_element_mean(const sab_space *space, int components, const double *value,
                            double *mean)
{
    for (int e = 0; e < space->mesh->nelements; e++) {
        const double *w = space->weight + POINTS * e;
        const double *f = value + (size_t)(POINTS * e) * (size_t)components;

        for (int c = 0; c < components; c++)
            mean[(size_t)e * (size_t)components + (size_t)c] =
                (w[0] * f[c] + w[1] * f[components + c] + w[2] * f[2 * components + c]) /
                (w[0] + w[1] + w[2]);
    }
}

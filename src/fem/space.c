#include "fem/space.h"
#include "base/memory.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <string.h>

enum {
    NODES = SAB_P2_TRIANGLE,
    POINTS = 3, /* law points of an element */
    MAX_S = 6,
    LOCAL = 2 * NODES /* velocity components of an element */
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

/* chi^-1 D at law point q of element e for the 12 axis components of its nodes: row[s][12]. */
static void strain_rows(const sab_space *space, int e, int q, double row[MAX_S][LOCAL])
{
    const int s = space->geometry->s;
    sab_p2 p;
    double column[MAX_S];

    sab_p2_at(space->mesh, e, sab_triangle_law.xi[q], &p);
    for (int a = 0; a < NODES; a++)
        for (int i = 0; i < 2; i++) {
            space->geometry->strain(i, p.dx[a], column);
            for (int c = 0; c < s; c++)
                row[c][2 * a + i] = column[c];
        }
}

sab_status sab_space_strain(const sab_space *space, const sab_dofs *dofs, sab_blocks **B, double *k,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const int s = space->geometry->s;
    int64_t columns = 0;
    sab_blocks *b = NULL;

    *B = NULL;
    for (int i = 0; i < NODES * mesh->nelements; i++)
        for (int c = 0; c < 2; c++)
            columns += dofs->number[2 * mesh->element[i] + c] >= 0;
    SAB_TRY(sab_blocks_create(s, space->npoints, dofs->nfree, mesh->nelements, columns,
                              columns * POINTS * s, &b, err));
    for (int e = 0; e < mesh->nelements; e++) {
        const int *node = mesh->element + NODES * e;
        int local[LOCAL], n = 0; /* free frame components of this element: 2 a + c */
        int *column = b->column + b->column_start[e];
        double *value = b->value + b->value_start[e];

        for (int a = 0; a < NODES; a++)
            for (int c = 0; c < 2; c++)
                if (dofs->number[2 * node[a] + c] >= 0) {
                    column[n] = dofs->number[2 * node[a] + c];
                    local[n++] = 2 * a + c;
                }
        b->point[e + 1] = POINTS * (e + 1);
        b->column_start[e + 1] = b->column_start[e] + n;
        b->value_start[e + 1] = b->value_start[e] + (int64_t)n * POINTS * s;
        for (int q = 0; q < POINTS; q++) {
            double axis[MAX_S][LOCAL], turned[MAX_S][LOCAL];
            double *kq = k + (size_t)s * (size_t)(POINTS * e + q);

            strain_rows(space, e, q, axis);
            for (int c = 0; c < s; c++) {
                kq[c] = 0.0;
                for (int a = 0; a < NODES; a++)
                    for (int i = 0; i < 2; i++) {
                        const double *frame = dofs->frame + 4 * node[a] + 2 * i;

                        turned[c][2 * a + i] =
                            frame[0] * axis[c][2 * a] + frame[1] * axis[c][2 * a + 1];
                        kq[c] += turned[c][2 * a + i] * dofs->value[2 * node[a] + i];
                    }
                for (int j = 0; j < n; j++)
                    value[(q * s + c) * n + j] = turned[c][local[j]];
            }
        }
    }
    *B = b;
    b = NULL;
cleanup:
    sab_blocks_destroy(&b);
    return status;
}

void sab_space_strain_rate(const sab_space *space, const double *U, double *gamma)
{
    const int s = space->geometry->s;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const int *node = space->mesh->element + NODES * e;

        for (int q = 0; q < POINTS; q++) {
            double row[MAX_S][LOCAL];

            strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                double sum = 0.0;

                for (int a = 0; a < NODES; a++)
                    sum += row[c][2 * a] * U[2 * node[a]] + row[c][2 * a + 1] * U[2 * node[a] + 1];
                gamma[s * (POINTS * e + q) + c] = sum;
            }
        }
    }
}

void sab_space_internal_force(const sab_space *space, const double *sigma, double *F)
{
    const int s = space->geometry->s;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const int *node = space->mesh->element + NODES * e;

        for (int q = 0; q < POINTS; q++) {
            const double m = 2.0 * space->weight[POINTS * e + q];
            double row[MAX_S][LOCAL];

            strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                const double ms = m * sigma[s * (POINTS * e + q) + c];

                for (int a = 0; a < NODES; a++)
                    for (int i = 0; i < 2; i++)
                        F[2 * node[a] + i] += row[c][2 * a + i] * ms;
            }
        }
    }
}

sab_status sab_space_body_force(const sab_space *space, const sab_function *f, double t, double *F,
                                sab_error *err)
{
    const sab_quadrature *rule = &sab_triangle_degree4;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const int *node = space->mesh->element + NODES * e;

        for (int q = 0; q < rule->n; q++) {
            sab_p2 p;

            sab_p2_at(space->mesh, e, rule->xi[q], &p);
            const sab_vars at = {.x = p.x[0], .y = p.x[1], .t = t};
            for (int i = 0; i < 2; i++) {
                double force;
                const sab_status status = sab_function_at(&f[i], &at, &force, err);

                if (status != SAB_OK)
                    return status;
                for (int a = 0; a < NODES; a++)
                    F[2 * node[a] + i] += rule->weight[q] * p.det * p.value[a] * force;
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

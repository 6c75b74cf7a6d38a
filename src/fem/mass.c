#include "fem/mass.h"
#include "base/memory.h"
#include "fem/bubble.h"
#include "fem/p2.h"
#include "linalg/threads.h"

#include <string.h>

enum {
    NODES = SAB_P2_TRIANGLE,
    SHAPES = NODES + 1, /* at most: the bubble is the last */
    LOCAL = 2 * SHAPES  /* velocity components of an element */
};

const sab_quadrature *sab_mass_rule(const sab_space *space)
{
    return space->bubbles ? &sab_triangle_degree6 : &sab_triangle_degree4;
}

/* Columns of element e in the order of the strain blocks: column[n], local[n] = 2 a + c. */
static int free_components(const sab_space *space, const sab_dofs *dofs, int e, int *column,
                           int local[LOCAL])
{
    const int *node = space->mesh->element + NODES * e;
    int n = 0;

    for (int a = 0; a < NODES; a++)
        for (int c = 0; c < 2; c++)
            if (dofs->number[2 * node[a] + c] >= 0) {
                column[n] = dofs->number[2 * node[a] + c];
                local[n++] = 2 * a + c;
            }
    for (int c = 0; space->bubbles && c < 2; c++) { /* a bubble is free */
        column[n] = dofs->nfree + 2 * e + c;
        local[n++] = 2 * NODES + c;
    }
    return n;
}

/* Both components of the velocity at one point: a frame component along direction f adds phi f;
 * those of a bubble are along the axes. */
static void fill_point(const sab_dofs *dofs, const int *node, const double phi[SHAPES], int n,
                       const int local[LOCAL], double *value, double *k)
{
    for (int i = 0; i < 2; i++) {
        k[i] = 0.0;
        for (int a = 0; a < NODES; a++)
            for (int c = 0; c < 2; c++)
                k[i] +=
                    phi[a] * dofs->frame[4 * node[a] + 2 * c + i] * dofs->value[2 * node[a] + c];
        for (int j = 0; j < n; j++) {
            const int a = local[j] / 2, c = local[j] % 2;

            value[i * n + j] =
                phi[a] * (a < NODES ? dofs->frame[4 * node[a] + 2 * c + i] : (double)(c == i));
        }
    }
}

sab_status sab_mass_create(const sab_space *space, const sab_dofs *dofs, sab_mass **mass,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const sab_quadrature *rule = sab_mass_rule(space);
    const size_t npoints = (size_t)rule->n * (size_t)mesh->nelements;
    int64_t columns = space->bubbles ? 2 * (int64_t)mesh->nelements : 0;
    sab_mass *m = NULL;

    *mass = NULL;
    for (int i = 0; i < NODES * mesh->nelements; i++)
        for (int c = 0; c < 2; c++)
            columns += dofs->number[2 * mesh->element[i] + c] >= 0;
    SAB_NEW(m, 1);
    SAB_NEW(m->k, 2 * npoints);
    SAB_NEW(m->x, 2 * npoints);
    SAB_NEW(m->weight, npoints);
    SAB_NEW(m->C, 4 * npoints);
    SAB_NEW(m->work, 2 * npoints);
    SAB_TRY(sab_blocks_create(2, (int)npoints, sab_space_unknowns(space, dofs), mesh->nelements,
                              columns, columns * rule->n * 2, &m->N, err));
    for (int e = 0; e < mesh->nelements; e++) {
        sab_blocks *N = m->N;
        const int *node = mesh->element + NODES * e;
        int local[LOCAL];
        const int n = free_components(space, dofs, e, N->column + N->column_start[e], local);

        N->point[e + 1] = rule->n * (e + 1);
        N->column_start[e + 1] = N->column_start[e] + n;
        N->value_start[e + 1] = N->value_start[e] + (int64_t)n * rule->n * 2;
        for (int q = 0; q < rule->n; q++) {
            const size_t at = (size_t)rule->n * (size_t)e + (size_t)q;
            double phi[SHAPES];
            sab_p2 p;

            sab_p2_at(mesh, e, rule->xi[q], &p);
            memcpy(phi, p.value, sizeof p.value);
            phi[NODES] = sab_bubble_value(rule->xi[q]);
            m->weight[at] = p.det * rule->weight[q];
            memcpy(m->x + 2 * at, p.x, sizeof p.x);
            fill_point(dofs, node, phi, n, local, N->value + N->value_start[e] + 2 * q * n,
                       m->k + 2 * at);
        }
    }
    SAB_TRY(sab_blocks_share(m->N, sab_threads_get(), err));
    *mass = m;
    m = NULL;
cleanup:
    sab_mass_destroy(&m);
    return status;
}

void sab_mass_destroy(sab_mass **mass)
{
    sab_mass *m = *mass;

    if (m == NULL)
        return;
    sab_blocks_destroy(&m->N);
    SAB_FREE(m->k);
    SAB_FREE(m->x);
    SAB_FREE(m->weight);
    SAB_FREE(m->C);
    SAB_FREE(m->work);
    SAB_FREE(*mass);
}

void sab_mass_assemble(sab_mass *mass, double factor, const sab_scatter *scatter, sab_sparse *A)
{
    for (int p = 0; p < mass->N->npoints; p++) {
        double *C = mass->C + 4 * (size_t)p;

        C[0] = C[3] = factor * mass->weight[p];
        C[1] = C[2] = 0.0;
    }
    sab_blocks_assemble(mass->N, mass->C, scatter, A);
}

void sab_mass_velocity(const sab_mass *mass, const double *u, double *v)
{
    sab_blocks_multiply(mass->N, u, v);
    for (size_t i = 0; i < 2 * (size_t)mass->N->npoints; i++)
        v[i] += mass->k[i];
}

void sab_mass_load(sab_mass *mass, double factor, const double *v, double *l)
{
    for (size_t i = 0; i < 2 * (size_t)mass->N->npoints; i++)
        mass->work[i] = factor * mass->weight[i / 2] * (v[i] - mass->k[i]);
    sab_blocks_multiply_transpose(mass->N, mass->work, l);
}

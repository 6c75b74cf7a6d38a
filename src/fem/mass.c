#include "fem/mass.h"
#include "base/memory.h"
#include "linalg/threads.h"

#include <string.h>

const sab_quadrature *sab_mass_rule(const sab_space *space)
{
    return space->element->mass;
}

/* Columns of element e in the order of the strain blocks: column[n], local[n] = dim a + c. */
static int free_components(const sab_space *space, const sab_dofs *dofs, int e, int *column,
                           int local[SAB_COMPONENTS])
{
    const int dim = dofs->dim, inner = dim * space->element->inner,
              nodes = space->mesh->cell->nodes;
    const int *node = sab_mesh_element(space->mesh, e);
    int n = 0;

    for (int i = 0; i < dim * nodes; i++) {
        const int number = dofs->number[dim * node[i / dim] + i % dim];

        if (number >= 0) {
            column[n] = number;
            local[n++] = i;
        }
    }
    for (int i = 0; i < inner; i++) { /* inner functions are free */
        column[n] = dofs->nfree + inner * e + i;
        local[n++] = dim * nodes + i;
    }
    return n;
}

/* All components of the velocity at one point: a frame component along direction f adds phi f;
 * those of inner functions are along the axes. */
static void fill_point(const sab_dofs *dofs, int nodes, const int *node, const double *phi, int n,
                       const int local[SAB_COMPONENTS], double *value, double *k)
{
    const int dim = dofs->dim;

    for (int i = 0; i < dim; i++) {
        k[i] = 0.0;
        for (int a = 0; a < nodes; a++)
            for (int c = 0; c < dim; c++)
                k[i] += phi[a] * dofs->frame[dim * (dim * node[a] + c) + i] *
                        dofs->value[dim * node[a] + c];
        for (int j = 0; j < n; j++) {
            const int a = local[j] / dim, c = local[j] % dim;

            value[i * n + j] = phi[a] * (a < nodes ? dofs->frame[dim * (dim * node[a] + c) + i]
                                                   : (double)(c == i));
        }
    }
}

sab_status sab_mass_create(const sab_space *space, const sab_dofs *dofs, sab_mass **mass,
                           sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const sab_quadrature *rule = sab_mass_rule(space);
    const int dim = dofs->dim, nodes = mesh->cell->nodes;
    const size_t npoints = (size_t)rule->n * (size_t)mesh->nelements, all = (size_t)dim * npoints;
    int64_t columns = (int64_t)(dim * space->element->inner) * mesh->nelements;
    sab_mass *m = NULL;

    *mass = NULL;
    for (int i = 0; i < nodes * mesh->nelements; i++)
        for (int c = 0; c < dim; c++)
            columns += dofs->number[dim * mesh->element[i] + c] >= 0;
    SAB_NEW(m, 1);
    SAB_NEW(m->k, all);
    SAB_NEW(m->x, all);
    SAB_NEW(m->weight, npoints);
    SAB_NEW(m->C, (size_t)dim * all);
    SAB_NEW(m->work, all);
    SAB_TRY(sab_blocks_create(dim, (int)npoints, sab_space_unknowns(space, dofs), mesh->nelements,
                              columns, columns * rule->n * dim, &m->N, err));
    for (int e = 0; e < mesh->nelements; e++) {
        sab_blocks *N = m->N;
        int local[SAB_COMPONENTS];
        const int n = free_components(space, dofs, e, N->column + N->column_start[e], local);

        N->point[e + 1] = rule->n * (e + 1);
        N->column_start[e + 1] = N->column_start[e] + n;
        N->value_start[e + 1] = N->value_start[e] + (int64_t)n * rule->n * dim;
        for (int q = 0; q < rule->n; q++) {
            const size_t at = (size_t)rule->n * (size_t)e + (size_t)q;
            sab_shapes p;

            sab_element_at(space->element, mesh, e, rule->xi[q], &p);
            m->weight[at] = p.det * rule->weight[q] * space->geometry->measure(p.x);
            memcpy(m->x + (size_t)dim * at, p.x, (size_t)dim * sizeof *p.x);
            fill_point(dofs, nodes, sab_mesh_element(mesh, e), p.value, n, local,
                       N->value + N->value_start[e] + dim * q * n, m->k + (size_t)dim * at);
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
    const size_t dim = (size_t)mass->N->s;

    for (int p = 0; p < mass->N->npoints; p++) {
        double *C = mass->C + dim * dim * (size_t)p;

        memset(C, 0, dim * dim * sizeof *C);
        for (size_t i = 0; i < dim; i++)
            C[i * (dim + 1)] = factor * mass->weight[p];
    }
    sab_blocks_assemble(mass->N, mass->C, scatter, A);
}

void sab_mass_velocity(const sab_mass *mass, const double *u, double *v)
{
    const size_t n = (size_t)mass->N->s * (size_t)mass->N->npoints;

    sab_blocks_multiply(mass->N, u, v);
    for (size_t i = 0; i < n; i++)
        v[i] += mass->k[i];
}

void sab_mass_load(sab_mass *mass, double factor, const double *v, double *l)
{
    const size_t dim = (size_t)mass->N->s, n = dim * (size_t)mass->N->npoints;

    for (size_t i = 0; i < n; i++)
        mass->work[i] = factor * mass->weight[i / dim] * (v[i] - mass->k[i]);
    sab_blocks_multiply_transpose(mass->N, mass->work, l);
}

#include "fem/space.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

sab_status sab_space_create(const sab_mesh *mesh, const sab_element *element,
                            const sab_geometry *geometry, sab_space **space, sab_error *err)
{
    sab_status status = SAB_OK;
    const int dim = mesh->cell->dim, points = element->law->n;
    sab_space *sp = NULL;

    assert(element->cell == mesh->cell && geometry->dim == dim);
    *space = NULL;
    SAB_NEW(sp, 1);
    sp->mesh = mesh;
    sp->element = element;
    sp->geometry = geometry;
    sp->npoints = points * mesh->nelements;
    SAB_NEW(sp->point, (size_t)dim * (size_t)sp->npoints);
    SAB_NEW(sp->weight, sp->npoints);
    for (int e = 0; e < mesh->nelements; e++)
        for (int q = 0; q < points; q++) {
            sab_p2 p;

            sab_p2_at(mesh, e, element->law->xi[q], &p);
            memcpy(sp->point + dim * (points * e + q), p.x, (size_t)dim * sizeof *p.x);
            sp->weight[points * e + q] = p.det * element->law->weight[q] * geometry->measure(p.x);
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

/* Velocities of inner functions: of one element, of all. */
static int inner_of(const sab_space *space)
{
    return space->mesh->cell->dim * space->element->inner;
}

static size_t inner_size(const sab_space *space)
{
    return (size_t)inner_of(space) * (size_t)space->mesh->nelements;
}

static size_t nodal_size(const sab_space *space)
{
    return (size_t)space->mesh->cell->dim * (size_t)space->mesh->nnodes;
}

size_t sab_space_size(const sab_space *space)
{
    return nodal_size(space) + inner_size(space);
}

int sab_space_unknowns(const sab_space *space, const sab_dofs *dofs)
{
    return dofs->nfree + inner_of(space) * space->mesh->nelements;
}

void sab_space_restrict(const sab_space *space, const sab_dofs *dofs, const double *F, double *l)
{
    sab_dofs_restrict(dofs, F, l);
    memcpy(l + dofs->nfree, F + nodal_size(space), inner_size(space) * sizeof *l);
}

void sab_space_expand(const sab_space *space, const sab_dofs *dofs, const double *u, double *U)
{
    double *inner = U + nodal_size(space);

    sab_dofs_expand(dofs, u, U);
    if (u != NULL)
        memcpy(inner, u + dofs->nfree, inner_size(space) * sizeof *U);
    else
        memset(inner, 0, inner_size(space) * sizeof *U);
}

void sab_space_strain_rows(const sab_space *space, int e, int q,
                           double row[SAB_MAX_S][SAB_COMPONENTS])
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    double column[SAB_MAX_S];
    sab_shapes at;

    sab_element_at_law(space->element, space->mesh, e, q, &at);
    for (int a = 0; a < at.n; a++)
        for (int i = 0; i < dim; i++) {
            space->geometry->strain(i, at.gradient[a], at.hoop[a], column);
            for (int c = 0; c < s; c++)
                row[c][dim * a + i] = column[c];
        }
}

sab_status sab_space_inner_strain(const sab_space *space, const sab_blocks *B, sab_blocks **inner,
                                  sab_error *err)
{
    sab_status status = SAB_OK;
    const int rows = space->element->law->n * B->s, own = inner_of(space);
    const int64_t columns = (int64_t)own * B->nblocks;
    sab_blocks *b = NULL;

    assert(own > 0);
    *inner = NULL;
    SAB_TRY(sab_blocks_create(B->s, B->npoints, B->ncolumns, B->nblocks, columns, columns * rows,
                              &b, err));
    for (int e = 0; e < B->nblocks; e++) {
        const int64_t n = B->column_start[e + 1] - B->column_start[e];
        const double *from = B->value + B->value_start[e];

        b->point[e + 1] = B->point[e + 1];
        b->column_start[e + 1] = own * (e + 1);
        b->value_start[e + 1] = (int64_t)(own * rows) * (e + 1);
        for (int j = 0; j < own; j++) {
            b->column[own * e + j] = B->column[B->column_start[e + 1] - own + j];
            for (int i = 0; i < rows; i++)
                b->value[b->value_start[e] + own * i + j] = from[i * n + n - own + j];
        }
    }
    *inner = b;
    b = NULL;
cleanup:
    sab_blocks_destroy(&b);
    return status;
}

void sab_space_strain_rate(const sab_space *space, const double *U, double *gamma)
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];
        const int shapes = sab_element_index(space->element, space->mesh, e, index);

        for (int q = 0; q < points; q++) {
            double row[SAB_MAX_S][SAB_COMPONENTS];

            sab_space_strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                double sum = 0.0;

                for (int a = 0; a < shapes; a++)
                    for (int i = 0; i < dim; i++)
                        sum += row[c][dim * a + i] * U[dim * index[a] + i];
                gamma[s * (points * e + q) + c] = sum;
            }
        }
    }
}

void sab_space_internal_force(const sab_space *space, const double *sigma, double *F)
{
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];
        const int shapes = sab_element_index(space->element, space->mesh, e, index);

        for (int q = 0; q < points; q++) {
            const double m = 2.0 * space->weight[points * e + q];
            double row[SAB_MAX_S][SAB_COMPONENTS];

            sab_space_strain_rows(space, e, q, row);
            for (int c = 0; c < s; c++) {
                const double ms = m * sigma[s * (points * e + q) + c];

                for (int a = 0; a < shapes; a++)
                    for (int i = 0; i < dim; i++)
                        F[dim * index[a] + i] += row[c][dim * a + i] * ms;
            }
        }
    }
}

sab_status sab_space_body_force(const sab_space *space, const sab_function *f, double t, double *F,
                                sab_error *err)
{
    const sab_quadrature *rule = space->element->load;
    const int dim = space->mesh->cell->dim;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];

        sab_element_index(space->element, space->mesh, e, index);
        for (int q = 0; q < rule->n; q++) {
            sab_shapes p;

            sab_element_at(space->element, space->mesh, e, rule->xi[q], &p);
            const sab_vars at = {.x = p.x[0], .y = p.x[1], .t = t};
            for (int i = 0; i < dim; i++) {
                double force;
                const sab_status status = sab_function_at(&f[i], &at, &force, err);

                if (status != SAB_OK)
                    return status;
                force *= rule->weight[q] * p.det * space->geometry->measure(p.x);
                for (int a = 0; a < p.n; a++)
                    F[dim * index[a] + i] += force * p.value[a];
            }
        }
    }
    return SAB_OK;
}

void sab_space_to_nodes(const sab_space *space, int components, const double *value, double *nodal)
{
    const sab_cell *cell = space->mesh->cell;
    const int points = space->element->law->n;
    const double own = space->element->extrapolate;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const double *f = value + (size_t)(points * e) * (size_t)components;
        double *out = nodal + (size_t)(cell->nodes * e) * (size_t)components;

        for (int c = 0; c < components; c++) {
            double sum = f[c];

            for (int q = 1; q < points; q++)
                sum += f[q * components + c];
            for (int i = 0; i < cell->corners; i++)
                out[i * components + c] =
                    own * f[i * components + c] - (own - 1.0) * (sum / points);
            for (int i = 0; i < cell->edges; i++)
                out[(cell->corners + i) * components + c] =
                    0.5 * (out[cell->edge[i][0] * components + c] +
                           out[cell->edge[i][1] * components + c]);
        }
    }
}

void sab_space_element_mean(const sab_space *space, int components, const double *value,
                            double *mean)
{
    const int points = space->element->law->n;

    for (int e = 0; e < space->mesh->nelements; e++) {
        const double *w = space->weight + points * e;
        const double *f = value + (size_t)(points * e) * (size_t)components;

        for (int c = 0; c < components; c++) {
            double sum = w[0] * f[c], volume = w[0];

            for (int q = 1; q < points; q++) {
                sum += w[q] * f[q * components + c];
                volume += w[q];
            }
            mean[(size_t)e * (size_t)components + (size_t)c] = sum / volume;
        }
    }
}

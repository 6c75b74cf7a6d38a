/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/inflow.h"
#include "base/memory.h"

#include <string.h>

static const sab_quadrature *rule_of(const sab_inflow *in)
{
    return sab_side_rule(in->space->mesh->cell);
}

static int dim_of(const sab_inflow *in)
{
    return in->space->mesh->cell->dim;
}

/* Points of all sides. */
static int points_of(const sab_inflow *in)
{
    return rule_of(in)->n * in->nsides;
}

static double dot(int dim, const double *a, const double *b)
{
    double sum = a[0] * b[0];

    for (int i = 1; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Point k of all: what there is of velocity U. */
typedef struct side_point {
    int n, index[SAB_SIDE_SHAPES]; /* shape functions, and where they stand in U */
    double shape[SAB_SIDE_SHAPES], u[SAB_DIM];
    double weight;
    sab_p2_side p;
} side_point;

static void look_at(const sab_inflow *in, int k, const double *U, side_point *at)
{
    const sab_quadrature *rule = rule_of(in);
    const sab_space *space = in->space;
    const int facet = in->facet[k / rule->n], q = k % rule->n, dim = dim_of(in);

    sab_element_side_index(space->element, space->mesh, facet, at->index);
    at->n = sab_element_side_at(space->element, space->mesh, facet, rule->xi[q], &at->p, at->shape);
    at->weight = rule->weight[q];
    memset(at->u, 0, sizeof at->u);
    for (int a = 0; a < at->n; a++)
        for (int i = 0; i < dim; i++)
            at->u[i] += at->shape[a] * U[dim * at->index[a] + i];
}

static double *mean_at(const sab_inflow *in, int k)
{
    return in->mean + dim_of(in) * in->part[k / rule_of(in)->n];
}

/* Free components of the velocity on a facet: local [SAB_DIM SAB_SIDE_SHAPES], and their number. */
static int free_components(const sab_space *space, const sab_dofs *dofs, const int *index,
                           int *local)
{
    const int shapes = space->mesh->cell->facet->nodes + space->element->faces;
    int n = 0;

    for (int i = 0; i < dofs->dim * shapes; i++)
        if (dofs->number[dofs->dim * index[i / dofs->dim] + i % dofs->dim] >= 0)
            local[n++] = i;
    return n;
}

/* The block of one side: a frame component along direction f adds phi f. */
static void fill_side(const sab_inflow *in, const sab_dofs *dofs, int side)
{
    sab_blocks *N = in->N;
    const sab_space *space = in->space;
    const sab_quadrature *rule = rule_of(in);
    const int dim = dofs->dim, facet = in->facet[side];
    int local[SAB_DIM * SAB_SIDE_SHAPES], index[SAB_SIDE_SHAPES];
    double *value = N->value + N->value_start[side], shape[SAB_SIDE_SHAPES];

    sab_element_side_index(space->element, space->mesh, facet, index);
    const int n = free_components(space, dofs, index, local);
    for (int j = 0; j < n; j++)
        N->column[N->column_start[side] + j] =
            dofs->number[dim * index[local[j] / dim] + local[j] % dim];
    N->point[side + 1] = rule->n * (side + 1);
    N->column_start[side + 1] = N->column_start[side] + n;
    N->value_start[side + 1] = N->value_start[side] + (int64_t)n * rule->n * dim;
    for (int q = 0; q < rule->n; q++) {
        sab_p2_side p;

        sab_element_side_at(space->element, space->mesh, facet, rule->xi[q], &p, shape);
        for (int i = 0; i < dim; i++)
            for (int j = 0; j < n; j++) {
                const int a = local[j] / dim, c = local[j] % dim;

                *value++ = shape[a] * dofs->frame[dim * (dim * index[a] + c) + i];
            }
    }
}

sab_status sab_inflow_create(const sab_space *space, const sab_dofs *dofs, int nparts,
                             const int *part, const sab_sparse *A, sab_inflow **inflow,
                             sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    const int dim = mesh->cell->dim;
    sab_status status = SAB_OK;
    sab_inflow *in = NULL;
    int64_t columns = 0;

    *inflow = NULL;
    SAB_NEW(in, 1);
    in->space = space;
    in->nparts = nparts;
    SAB_NEW(in->facet, mesh->nfacets);
    SAB_NEW(in->part, mesh->nfacets);
    SAB_NEW(in->mean, (size_t)(dim * nparts));
    for (int f = 0; f < mesh->nfacets; f++) {
        int index[SAB_SIDE_SHAPES], local[SAB_DIM * SAB_SIDE_SHAPES];

        if (part == NULL || part[f] < 0 || mesh->facet_interior[f])
            continue;
        in->part[in->nsides] = part[f];
        in->facet[in->nsides++] = f;
        sab_element_side_index(space->element, mesh, f, index);
        columns += free_components(space, dofs, index, local);
    }
    const int npoints = points_of(in);
    SAB_NEW(in->coefficient, npoints);
    SAB_NEW(in->C, (size_t)(dim * dim) * (size_t)npoints);
    if (in->nsides > 0) {
        SAB_TRY(sab_blocks_create(dim, npoints, sab_space_unknowns(space, dofs), in->nsides,
                                  columns, columns * rule_of(in)->n * dim, &in->N, err));
        for (int side = 0; side < in->nsides; side++)
            fill_side(in, dofs, side);
        SAB_TRY(sab_scatter_create(in->N, A, &in->scatter, err));
    }
    *inflow = in;
    in = NULL;
cleanup:
    sab_inflow_destroy(&in);
    return status;
}

void sab_inflow_destroy(sab_inflow **inflow)
{
    sab_inflow *in = *inflow;

    if (in == NULL)
        return;
    SAB_FREE(in->facet);
    SAB_FREE(in->part);
    SAB_FREE(in->mean);
    sab_blocks_destroy(&in->N);
    sab_scatter_destroy(&in->scatter);
    SAB_FREE(in->coefficient);
    SAB_FREE(in->C);
    SAB_FREE(*inflow);
}

/* m of every part; zero where nothing enters. */
static void find_means(sab_inflow *in, const double *w)
{
    const int dim = dim_of(in);

    memset(in->mean, 0, (size_t)(dim * in->nparts) * sizeof *in->mean);
    for (int part = 0; part < in->nparts; part++) {
        double *m = in->mean + dim * part, sum = 0.0;

        for (int k = 0; k < points_of(in); k++) {
            side_point at;

            if (in->part[k / rule_of(in)->n] != part || in->coefficient[k] == 0.0)
                continue;
            look_at(in, k, w, &at);
            sum += in->coefficient[k];
            for (int i = 0; i < dim; i++)
                m[i] += in->coefficient[k] * at.u[i];
        }
        for (int i = 0; i < dim && sum > 0.0; i++)
            m[i] /= sum;
    }
}

bool sab_inflow_update(sab_inflow *in, const double *w)
{
    bool changed = false;

    for (int k = 0; k < points_of(in); k++) {
        double value = 0.0;

        if (w != NULL) {
            side_point at;

            look_at(in, k, w, &at);
            const double flux = dot(dim_of(in), at.u, at.p.normal_ds);
            value =
                flux < 0.0 ? -0.5 * at.weight * flux * in->space->geometry->measure(at.p.x) : 0.0;
        }
        changed = changed || value != in->coefficient[k];
        in->coefficient[k] = value;
    }
    find_means(in, w);
    return changed;
}

void sab_inflow_assemble(sab_inflow *in, sab_sparse *A)
{
    const int dim = dim_of(in);

    if (in->nsides == 0)
        return;
    memset(in->C, 0, (size_t)(dim * dim) * (size_t)points_of(in) * sizeof *in->C);
    for (int k = 0; k < points_of(in); k++)
        for (int i = 0; i < dim; i++)
            in->C[dim * (dim * k + i) + i] = in->coefficient[k];
    sab_blocks_assemble(in->N, in->C, in->scatter, A);
}

void sab_inflow_force(const sab_inflow *in, const double *U, double *F)
{
    const int dim = dim_of(in);

    for (int k = 0; k < points_of(in); k++) {
        const double *m = mean_at(in, k);
        side_point at;

        look_at(in, k, U, &at);
        for (int a = 0; a < at.n; a++)
            for (int i = 0; i < dim; i++)
                F[dim * at.index[a] + i] -= in->coefficient[k] * at.shape[a] * (at.u[i] - m[i]);
    }
}

double sab_inflow_power(const sab_inflow *in, const double *U, double *brought)
{
    const int dim = dim_of(in);
    double all = 0.0;

    *brought = 0.0;
    for (int k = 0; k < points_of(in); k++) {
        side_point at;

        look_at(in, k, U, &at);
        all += in->coefficient[k] * dot(dim, at.u, at.u);
        *brought += in->coefficient[k] * dot(dim, mean_at(in, k), at.u);
    }
    return all - *brought;
}

#include "fem/inflow.h"
#include "base/memory.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4 };

static const int *nodes_of(const sab_inflow *in, int side)
{
    return sab_mesh_facet(in->mesh, in->facet[side]);
}

/* Velocity at point q of a side, and the shape functions there. */
static void velocity_at(const sab_inflow *in, int side, int q, const double *U, double u[2],
                        sab_p2_side *p)
{
    const int *node = nodes_of(in, side);

    sab_p2_side_at(in->mesh, in->facet[side], sab_line_degree7.xi[q], p);
    u[0] = u[1] = 0.0;
    for (int a = 0; a < in->mesh->cell->facet->nodes; a++)
        for (int i = 0; i < 2; i++)
            u[i] += p->value[a] * U[2 * node[a] + i];
}

/* The block of one side: a frame component along direction f adds phi f. */
static void fill_side(const sab_inflow *in, const sab_dofs *dofs, int side)
{
    sab_blocks *N = in->N;
    const int *node = nodes_of(in, side);
    const int components = in->mesh->cell->dim * in->mesh->cell->facet->nodes;
    int local[SAB_DIM * SAB_SIDE_NODES], n = 0;
    double *value = N->value + N->value_start[side];

    for (int i = 0; i < components; i++)
        if (dofs->number[2 * node[i / 2] + i % 2] >= 0) {
            N->column[N->column_start[side] + n] = dofs->number[2 * node[i / 2] + i % 2];
            local[n++] = i;
        }
    N->point[side + 1] = POINTS * (side + 1);
    N->column_start[side + 1] = N->column_start[side] + n;
    N->value_start[side + 1] = N->value_start[side] + (int64_t)n * POINTS * 2;
    for (int q = 0; q < POINTS; q++) {
        sab_p2_side p;

        sab_p2_side_at(in->mesh, in->facet[side], sab_line_degree7.xi[q], &p);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < n; j++) {
                const int a = local[j] / 2, c = local[j] % 2;

                *value++ = p.value[a] * dofs->frame[4 * node[a] + 2 * c + i];
            }
    }
}

sab_status sab_inflow_create(const sab_space *space, const sab_dofs *dofs, int nparts,
                             const int *part, const sab_sparse *A, sab_inflow **inflow,
                             sab_error *err)
{
    const sab_mesh *mesh = space->mesh;
    sab_status status = SAB_OK;
    sab_inflow *in = NULL;
    int64_t columns = 0;

    *inflow = NULL;
    SAB_NEW(in, 1);
    in->mesh = mesh;
    in->geometry = space->geometry;
    in->nparts = nparts;
    SAB_NEW(in->facet, mesh->nfacets);
    SAB_NEW(in->part, mesh->nfacets);
    SAB_NEW(in->mean, 2 * (size_t)nparts);
    for (int f = 0; f < mesh->nfacets; f++) {
        if (part == NULL || part[f] < 0 || mesh->facet_interior[f])
            continue;
        in->part[in->nsides] = part[f];
        in->facet[in->nsides++] = f;
        for (int i = 0; i < mesh->cell->dim * mesh->cell->facet->nodes; i++)
            columns += dofs->number[2 * sab_mesh_facet(mesh, f)[i / 2] + i % 2] >= 0;
    }
    const int npoints = POINTS * in->nsides;
    SAB_NEW(in->coefficient, npoints);
    SAB_NEW(in->C, 4 * (size_t)npoints);
    if (in->nsides > 0) {
        SAB_TRY(sab_blocks_create(2, npoints, sab_space_unknowns(space, dofs), in->nsides, columns,
                                  columns * POINTS * 2, &in->N, err));
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
    memset(in->mean, 0, 2 * (size_t)in->nparts * sizeof *in->mean);
    for (int part = 0; part < in->nparts; part++) {
        double *m = in->mean + 2 * part, sum = 0.0;

        for (int k = 0; k < POINTS * in->nsides; k++) {
            sab_p2_side p;
            double u[2];

            if (in->part[k / POINTS] != part || in->coefficient[k] == 0.0)
                continue;
            velocity_at(in, k / POINTS, k % POINTS, w, u, &p);
            sum += in->coefficient[k];
            for (int i = 0; i < 2; i++)
                m[i] += in->coefficient[k] * u[i];
        }
        for (int i = 0; i < 2 && sum > 0.0; i++)
            m[i] /= sum;
    }
}

bool sab_inflow_update(sab_inflow *in, const double *w)
{
    bool changed = false;

    for (int k = 0; k < POINTS * in->nsides; k++) {
        const int q = k % POINTS;
        double value = 0.0;

        if (w != NULL) {
            sab_p2_side p;
            double u[2];

            velocity_at(in, k / POINTS, q, w, u, &p);
            const double flux = u[0] * p.normal_ds[0] + u[1] * p.normal_ds[1];
            value = flux < 0.0
                        ? -0.5 * sab_line_degree7.weight[q] * flux * in->geometry->measure(p.x)
                        : 0.0;
        }
        changed = changed || value != in->coefficient[k];
        in->coefficient[k] = value;
    }
    find_means(in, w);
    return changed;
}

void sab_inflow_assemble(sab_inflow *in, sab_sparse *A)
{
    if (in->nsides == 0)
        return;
    for (int k = 0; k < POINTS * in->nsides; k++) {
        double *C = in->C + 4 * (size_t)k;

        C[0] = C[3] = in->coefficient[k];
        C[1] = C[2] = 0.0;
    }
    sab_blocks_assemble(in->N, in->C, in->scatter, A);
}

void sab_inflow_force(const sab_inflow *in, const double *U, double *F)
{
    for (int k = 0; k < POINTS * in->nsides; k++) {
        const int *node = nodes_of(in, k / POINTS);
        const double *m = in->mean + 2 * in->part[k / POINTS];
        sab_p2_side p;
        double u[2];

        velocity_at(in, k / POINTS, k % POINTS, U, u, &p);
        for (int a = 0; a < in->mesh->cell->facet->nodes; a++)
            for (int i = 0; i < 2; i++)
                F[2 * node[a] + i] -= in->coefficient[k] * p.value[a] * (u[i] - m[i]);
    }
}

double sab_inflow_power(const sab_inflow *in, const double *U, double *brought)
{
    double all = 0.0;

    *brought = 0.0;
    for (int k = 0; k < POINTS * in->nsides; k++) {
        const double *m = in->mean + 2 * in->part[k / POINTS];
        sab_p2_side p;
        double u[2];

        velocity_at(in, k / POINTS, k % POINTS, U, u, &p);
        all += in->coefficient[k] * (u[0] * u[0] + u[1] * u[1]);
        *brought += in->coefficient[k] * (m[0] * u[0] + m[1] * u[1]);
    }
    return all - *brought;
}

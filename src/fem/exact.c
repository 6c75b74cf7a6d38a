/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/exact.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static sab_status value_at(const sab_function *f, int dim, const double *x, double t, double *value,
                           sab_error *err)
{
    const sab_vars at = sab_vars_at(dim, x, t);

    return sab_function_at(f, &at, value, err);
}

/* Fourth-order difference along axis j: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h. */
static sab_status derivative_at(const sab_function *f, int dim, const double *x, double t, int j,
                                double h, double *value, sab_error *err)
{
    static const double place[4] = {-2.0, -1.0, 1.0, 2.0}, weight[4] = {1.0, -8.0, 8.0, -1.0};

    *value = 0.0;
    for (int k = 0; k < 4; k++) {
        double y[SAB_DIM], fk;

        memcpy(y, x, (size_t)dim * sizeof *x);
        y[j] += place[k] * h;
        const sab_status status = value_at(f, dim, y, t, &fk, err);
        if (status != SAB_OK)
            return status;
        *value += weight[k] * fk / (12.0 * h);
    }
    return SAB_OK;
}

sab_status sab_exact_velocity(const sab_space *space, const double *U, const sab_function *exact,
                              double t, sab_error_norms *norms, sab_error *err)
{
    sab_status status = SAB_OK;
    const sab_mesh *mesh = space->mesh;
    const sab_quadrature *rule = space->norms;
    const int dim = mesh->cell->dim, nodes = mesh->cell->nodes;

    *norms = (sab_error_norms){0};
    for (int e = 0; e < mesh->nelements; e++) {
        int index[SAB_SHAPES];

        sab_element_index(space->element, mesh, e, index);
        for (int q = 0; q < rule->n; q++) {
            sab_shapes p;
            double error2 = 0.0, exact2 = 0.0;

            sab_element_at(space->element, mesh, e, rule->xi[q], &p);
            /* differences stay inside the element: its size is about that of a cube of volume det,
             * and the points of the rule are at least 0.04 of that away from the sides */
            const double w = rule->weight[q] * p.det * space->geometry->measure(p.x);
            const double h = 1e-3 * (dim == SAB_DIM ? cbrt(p.det) : sqrt(p.det));
            for (int i = 0; i < dim; i++) {
                double u = 0.0, v;

                for (int a = nodes; a < p.n; a++)
                    u += p.value[a] * U[dim * index[a] + i];
                for (int a = 0; a < nodes; a++)
                    u += p.value[a] * U[dim * index[a] + i];
                SAB_TRY(value_at(&exact[i], dim, p.x, t, &v, err));
                error2 += (u - v) * (u - v);
                exact2 += v * v;
                for (int j = 0; j < dim; j++) {
                    double du = 0.0, dv;

                    for (int a = nodes; a < p.n; a++)
                        du += p.gradient[a][j] * U[dim * index[a] + i];
                    for (int a = 0; a < nodes; a++)
                        du += p.gradient[a][j] * U[dim * index[a] + i];
                    SAB_TRY(derivative_at(&exact[i], dim, p.x, t, j, h, &dv, err));
                    norms->H1 += w * (du - dv) * (du - dv);
                    norms->exact_H1 += w * dv * dv;
                }
            }
            norms->L2 += w * error2;
            norms->exact_L2 += w * exact2;
            norms->Linf = fmax(norms->Linf, error2);
            norms->exact_Linf = fmax(norms->exact_Linf, exact2);
        }
    }
    for (int n = 0; n < mesh->nnodes; n++) {
        double error2 = 0.0, exact2 = 0.0, v;

        for (int i = 0; i < dim; i++) {
            SAB_TRY(value_at(&exact[i], dim, sab_mesh_x(mesh, n), t, &v, err));
            error2 += (U[dim * n + i] - v) * (U[dim * n + i] - v);
            exact2 += v * v;
        }
        norms->Linf = fmax(norms->Linf, error2);
        norms->exact_Linf = fmax(norms->exact_Linf, exact2);
    }
    double *const all[6] = {&norms->L2,       &norms->Linf,       &norms->H1,
                            &norms->exact_L2, &norms->exact_Linf, &norms->exact_H1};
    for (int k = 0; k < 6; k++)
        *all[k] = sqrt(*all[k]);
cleanup:
    return status;
}

sab_status sab_exact_pressure(const sab_space *space, const double *pressure, const double *yielded,
                              const sab_function *exact, double t, double *L2, double *exact_L2,
                              sab_error *err)
{
    const sab_quadrature *rule = space->load;

    *L2 = *exact_L2 = 0.0;
    for (int e = 0; e < space->mesh->nelements; e++) {
        double mean = 0.0, area = 0.0;

        if (yielded != NULL && yielded[e] < 1.0)
            continue;
        for (int q = 0; q < rule->n; q++) {
            sab_p2 p;
            double v;

            sab_p2_at(space->mesh, e, rule->xi[q], &p);
            const sab_status status = value_at(exact, space->geometry->dim, p.x, t, &v, err);
            if (status != SAB_OK)
                return status;
            const double w = rule->weight[q] * p.det * space->geometry->measure(p.x);
            mean += w * v;
            area += w;
        }
        mean /= area;
        *L2 += area * (pressure[e] - mean) * (pressure[e] - mean);
        *exact_L2 += area * mean * mean;
    }
    *L2 = sqrt(*L2);
    *exact_L2 = sqrt(*exact_L2);
    return SAB_OK;
}

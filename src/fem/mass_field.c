/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/mass_field.c -- between velocity vectors and values at the points of the mass matrix. */
#include "fem/mass.h"

/* The shape functions at the points of the rule: the same in every element. */
typedef struct table {
    int points, shapes;
    double value[SAB_RULE_POINTS][SAB_SHAPES];
} table;

static table tabulate(const sab_space *space)
{
    const sab_quadrature *rule = space->mass;
    table t = {rule->n, 0, {{0.0}}};

    for (int q = 0; q < rule->n; q++)
        t.shapes = sab_element_values(space->element, rule->xi[q], t.value[q]);
    return t;
}

void sab_mass_interpolate(const sab_space *space, const double *U, double *v)
{
    const table t = tabulate(space);
    const int dim = space->mesh->cell->dim;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];

        sab_element_index(space->element, space->mesh, e, index);
        for (int q = 0; q < t.points; q++, v += dim)
            for (int i = 0; i < dim; i++) {
                double sum = 0.0;

                for (int a = 0; a < t.shapes; a++)
                    sum += t.value[q][a] * U[dim * index[a] + i];
                v[i] = sum;
            }
    }
}

void sab_mass_force(const sab_mass *mass, const sab_space *space, const double *f, double *F)
{
    const table t = tabulate(space);
    const double *w = mass->at->weight;
    const int dim = space->mesh->cell->dim;

    for (int e = 0; e < space->mesh->nelements; e++) {
        int index[SAB_SHAPES];

        sab_element_index(space->element, space->mesh, e, index);
        for (int q = 0; q < t.points; q++, w++, f += dim)
            for (int a = 0; a < t.shapes; a++)
                for (int i = 0; i < dim; i++)
                    F[dim * index[a] + i] += *w * t.value[q][a] * f[i];
    }
}

double sab_mass_square(const sab_mass *mass, const double *v)
{
    const int dim = mass->at->s;
    double sum = 0.0;

    for (int p = 0; p < mass->at->n; p++, v += dim) {
        double v2 = v[0] * v[0];

        for (int i = 1; i < dim; i++)
            v2 += v[i] * v[i];
        sum += mass->at->weight[p] * v2;
    }
    return sum;
}

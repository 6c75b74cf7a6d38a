/* fem/mass_field.c -- between velocity vectors and values at the points of the mass matrix. */
#include "fem/bubble.h"
#include "fem/mass.h"
#include "fem/p2.h"

#include <string.h>

enum { NODES = SAB_P2_TRIANGLE, SHAPES = NODES + 1, MOST_POINTS = 16 };

/* The shape functions at the points of the rule: the same in every element. */
typedef struct table {
    int points, shapes;
    double value[MOST_POINTS][SHAPES];
} table;

static table tabulate(const sab_space *space)
{
    const sab_quadrature *rule = sab_mass_rule(space);
    table t = {rule->n, space->bubbles ? SHAPES : NODES, {{0.0}}};

    for (int q = 0; q < rule->n; q++) {
        double gradient[NODES][2];

        sab_p2_reference(rule->xi[q], t.value[q], gradient);
        t.value[q][NODES] = sab_bubble_value(rule->xi[q]);
    }
    return t;
}

/* Where shape function a of element e stands in a velocity vector. */
static size_t place(const sab_mesh *mesh, int e, int a)
{
    return 2 * (size_t)(a < NODES ? mesh->element[NODES * e + a] : mesh->nnodes + e);
}

void sab_mass_interpolate(const sab_space *space, const double *U, double *v)
{
    const table t = tabulate(space);

    for (int e = 0; e < space->mesh->nelements; e++)
        for (int q = 0; q < t.points; q++, v += 2) {
            v[0] = v[1] = 0.0;
            for (int a = 0; a < t.shapes; a++) {
                const double *at = U + place(space->mesh, e, a);

                v[0] += t.value[q][a] * at[0];
                v[1] += t.value[q][a] * at[1];
            }
        }
}

void sab_mass_force(const sab_mass *mass, const sab_space *space, const double *f, double *F)
{
    const table t = tabulate(space);
    const double *w = mass->weight;

    for (int e = 0; e < space->mesh->nelements; e++)
        for (int q = 0; q < t.points; q++, w++, f += 2)
            for (int a = 0; a < t.shapes; a++) {
                double *at = F + place(space->mesh, e, a);

                at[0] += *w * t.value[q][a] * f[0];
                at[1] += *w * t.value[q][a] * f[1];
            }
}

double sab_mass_square(const sab_mass *mass, const double *v)
{
    double sum = 0.0;

    for (int p = 0; p < mass->N->npoints; p++)
        sum += mass->weight[p] * (v[2 * p] * v[2 * p] + v[2 * p + 1] * v[2 * p + 1]);
    return sum;
}

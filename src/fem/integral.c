/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/integral.h"

#include <math.h>

/* x^T E_b y: the normal parts count b times. */
static double product(int s, double bulk, const double *x, const double *y)
{
    double sum = bulk * x[0] * y[0];

    for (int c = 1; c < s; c++)
        sum += x[c] * y[c];
    return sum;
}

/* sum_p m_p r_p gamma_b^T E_b gamma_b of the bubbles of one element over its remainder. */
static double remainder_dissipation(const sab_fields *f, int e)
{
    const sab_space *space = f->space;
    const int s = space->geometry->s, dim = space->mesh->cell->dim;
    const int nodes = space->mesh->cell->nodes;
    int index[SAB_SHAPES];
    double sum = 0.0;

    const int shapes = sab_element_index(space->element, space->mesh, e, index);
    for (int p = 0; p < space->remainder->n; p++) {
        double row[SAB_MAX_S][SAB_COMPONENTS], gamma[SAB_MAX_S] = {0.0};
        const double w = sab_space_remainder_rows(space, e, p, row);

        for (int a = nodes; a < shapes; a++)
            for (int i = 0; i < dim; i++)
                for (int c = 0; c < s; c++)
                    gamma[c] += f->velocity[dim * index[a] + i] * row[c][dim * a + i];
        sum += 2.0 * w * sab_space_remainder_value(space, f->law.viscosity, e, p) *
               product(s, f->law.bulk, gamma, gamma);
    }
    return sum;
}

/* u^T A u of the viscous matrix: sum_q m_q r_q gamma^T E_b gamma, and among bubbles what the law
 * does not see of them [docs/theory.md, 4.9]; less what mu(I) takes of it, which is friction. */
static double viscous_dissipation(const sab_fields *f)
{
    const sab_space *space = f->space;
    const int s = space->geometry->s;
    double sum = 0.0;

    for (int q = 0; q < space->npoints; q++) {
        const double *gamma = f->strain_rate + s * q;

        sum += 2.0 * space->weight[q] *
               (f->law.viscosity[q] * product(s, f->law.bulk, gamma, gamma) -
                f->law.rate[q] * product(s, 0.0, gamma, gamma));
    }
    for (int e = 0; e < space->mesh->nelements && space->remainder != NULL; e++)
        sum += space->remainder_factor * remainder_dissipation(f, e);
    return sum;
}

/* sum_q m_q [(sigma + mu lambda_N) |gamma_T| + nu |gamma_T|^2], nu the rate stress of mu(I) */
static double friction_dissipation(const sab_fields *f)
{
    const sab_space *space = f->space;
    const int s = space->geometry->s;
    double sum = 0.0;

    for (int q = 0; q < space->npoints; q++) {
        const double *gamma = f->strain_rate + s * q;
        const double strength = f->law.yield[q] + f->law.friction[q] * f->lambda[s * q];

        const double shear2 = product(s, 0.0, gamma, gamma);

        sum += 2.0 * space->weight[q] * (strength * sqrt(shear2) + f->law.rate[q] * shear2);
    }
    return sum;
}

/* Sum over the points of a rule, of |u|^2/2, or of 1 where |u| > above. */
static double of_velocity(const sab_fields *f, const sab_quadrature *rule, bool energy,
                          double above)
{
    double sum = 0.0;

    for (int e = 0; e < f->space->mesh->nelements; e++)
        for (int q = 0; q < rule->n; q++) {
            double u[SAB_DIM], u2 = 0.0;
            sab_p2 p;

            sab_p2_at(f->space->mesh, e, rule->xi[q], &p);
            sab_fields_at(f, SAB_FIELD_VELOCITY, e, rule->xi[q], u);
            for (int i = 0; i < f->space->mesh->cell->dim; i++)
                u2 += u[i] * u[i];
            sum += p.det * rule->weight[q] * f->space->geometry->measure(p.x) *
                   (energy ? 0.5 * u2 : u2 > above * above);
        }
    return sum;
}

static double area(const sab_fields *f, bool yielded)
{
    double sum = 0.0;

    for (int q = 0; q < f->space->npoints; q++)
        sum += f->space->weight[q] * (yielded ? f->yielded[q / f->space->element->law->n] : 1.0);
    return sum;
}

double sab_integral_of(const sab_fields *f, sab_integral which, double above, const double *gravity)
{
    double sum = 0.0;

    switch (which) {
    case SAB_INTEGRAL_KINETIC_ENERGY:
        return of_velocity(f, f->space->mass, true, 0.0);
    case SAB_INTEGRAL_VISCOUS_DISSIPATION:
        return viscous_dissipation(f);
    case SAB_INTEGRAL_FRICTION_DISSIPATION:
        return friction_dissipation(f);
    case SAB_INTEGRAL_GRAVITY_POWER:
        for (size_t i = 0; i < sab_space_size(f->space); i++)
            sum += gravity[i] * f->velocity[i];
        return sum;
    case SAB_INTEGRAL_YIELDED_AREA:
    case SAB_INTEGRAL_YIELDED_VOLUME:
        return area(f, true);
    case SAB_INTEGRAL_MOVING_AREA:
    case SAB_INTEGRAL_MOVING_VOLUME:
        return of_velocity(f, f->space->norms, false, above);
    default:
        return area(f, false);
    }
}

#include "fem/integral.h"
#include "fem/bubble.h"
#include "fem/p2.h"
#include "fem/quadrature.h"

#include <math.h>

enum { POINTS = 3, MAX_S = 6 };

/* x^T E_b y: the normal parts count b times. */
static double product(int s, double bulk, const double *x, const double *y)
{
    double sum = bulk * x[0] * y[0];

    for (int c = 1; c < s; c++)
        sum += x[c] * y[c];
    return sum;
}

/* sum_q m_q r_q gamma_b^T E_b gamma_b of the bubbles of one element. */
static double bubble_dissipation(const sab_fields *f, int e)
{
    const sab_space *space = f->space;
    const double *u = f->velocity + 2 * (space->mesh->nnodes + e);
    const int s = space->geometry->s;
    double sum = 0.0;

    for (int q = 0; q < POINTS; q++) {
        const int at = POINTS * e + q;
        double slope[2], row[2][MAX_S], gamma[MAX_S];
        sab_p2 p;

        sab_p2_at(space->mesh, e, sab_triangle_law.xi[q], &p);
        sab_bubble_projected_gradient(q, &p, slope);
        for (int i = 0; i < 2; i++)
            space->geometry->strain(i, slope, row[i]);
        for (int c = 0; c < s; c++)
            gamma[c] = u[0] * row[0][c] + u[1] * row[1][c];
        sum +=
            2.0 * space->weight[at] * f->law.viscosity[at] * product(s, f->law.bulk, gamma, gamma);
    }
    return sum;
}

/* u^T A u of the viscous matrix: sum_q m_q r_q gamma^T E_b gamma, in which bubbles among themselves
 * count 5/3 times [docs/theory.md, 4.9]; less what mu(I) takes of it, which is friction. */
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
    for (int e = 0; e < space->mesh->nelements && space->bubbles; e++)
        sum += (SAB_BUBBLE_STIFFNESS - 1.0) * bubble_dissipation(f, e);
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
            double u[3];
            sab_p2 p;

            sab_p2_at(f->space->mesh, e, rule->xi[q], &p);
            sab_fields_at(f, SAB_FIELD_VELOCITY, e, rule->xi[q], u);
            const double u2 = u[0] * u[0] + u[1] * u[1];
            sum += p.det * rule->weight[q] * (energy ? 0.5 * u2 : u2 > above * above);
        }
    return sum;
}

static double area(const sab_fields *f, bool yielded)
{
    double sum = 0.0;

    for (int q = 0; q < f->space->npoints; q++)
        sum += f->space->weight[q] * (yielded ? f->yielded[q / POINTS] : 1.0);
    return sum;
}

double sab_integral_of(const sab_fields *f, sab_integral which, double above, const double *gravity)
{
    double sum = 0.0;

    switch (which) {
    case SAB_INTEGRAL_KINETIC_ENERGY: /* a bubble squared has degree 6 */
        return of_velocity(f, f->space->bubbles ? &sab_triangle_degree6 : &sab_triangle_degree4,
                           true, 0.0);
    case SAB_INTEGRAL_VISCOUS_DISSIPATION:
        return viscous_dissipation(f);
    case SAB_INTEGRAL_FRICTION_DISSIPATION:
        return friction_dissipation(f);
    case SAB_INTEGRAL_GRAVITY_POWER:
        for (size_t i = 0; i < sab_space_size(f->space); i++)
            sum += gravity[i] * f->velocity[i];
        return sum;
    case SAB_INTEGRAL_YIELDED_AREA:
        return area(f, true);
    case SAB_INTEGRAL_MOVING_AREA:
        return of_velocity(f, &sab_triangle_degree6, false, above);
    default:
        return area(f, false);
    }
}

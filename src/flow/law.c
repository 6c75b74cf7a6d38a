/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/law.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

/* Where a viscosity formula vanishes (a rigid zone with eta = |D|) the matrix must stay regular:
 * eta is kept above this share of its largest value. */
static const double VISCOSITY_FLOOR = 1e-6;
/* Relative distance of the values that give the slope of a formula. */
static const double DIFFERENCE = 1e-4;

sab_status sab_flow_law_create(const sab_material *material, const sab_space *space, bool creeping,
                               sab_flow_law **law, sab_error *err)
{
    const size_t points = (size_t)space->npoints;
    sab_status status = SAB_OK;
    sab_flow_law *it = NULL;

    *law = NULL;
    SAB_NEW(it, 1);
    it->material = material;
    it->space = space;
    it->npoints = space->npoints;
    it->creeping = creeping;
    it->rated = material->has_mu_i || material->has_viscosity;
    SAB_NEW(it->inverse_reynolds, points);
    SAB_NEW(it->eta, points);
    SAB_NEW(it->nu, points);
    SAB_NEW(it->slope, points);
    SAB_NEW(it->pressure, space->mesh->nelements);
    SAB_NEW(it->fresh_eta, points);
    SAB_NEW(it->fresh_nu, points);
    for (size_t q = 0; q < points; q++)
        it->eta[q] = 1.0;
    *law = it;
    it = NULL;
cleanup:
    sab_flow_law_destroy(&it);
    return status;
}

void sab_flow_law_destroy(sab_flow_law **law)
{
    sab_flow_law *it = *law;

    if (it == NULL)
        return;
    SAB_FREE(it->inverse_reynolds);
    SAB_FREE(it->eta);
    SAB_FREE(it->nu);
    SAB_FREE(it->slope);
    SAB_FREE(it->pressure);
    SAB_FREE(it->fresh_eta);
    SAB_FREE(it->fresh_nu);
    SAB_FREE(*law);
}

/* mu(I) gives even a creeping flow without viscosity a scale of velocity. */
static bool has_rate_friction(const sab_material *m)
{
    return m->has_mu_i && m->mu_i.flowing > m->mu_i.resting;
}

sab_status sab_flow_law_set(sab_flow_law *law, double t, sab_program *program, sab_error *err)
{
    law->time = t;
    for (int q = 0; q < law->space->npoints; q++) {
        const double *x = law->space->point + law->space->geometry->dim * q;
        const sab_vars at = sab_vars_at(law->space->geometry->dim, x, t);
        sab_law here;
        const sab_status status =
            sab_material_law(law->material, law->space->geometry, &at, &here, err);

        if (status != SAB_OK)
            return status;
        if (here.inverse_reynolds == 0.0 && law->creeping && !has_rate_friction(law->material))
            return sab_fail(err, SAB_ERR_INPUT,
                            "material.reynolds: a creeping flow needs a finite Reynolds number "
                            "(without viscosity and inertia the velocity is not determined)");
        program->friction[q] = here.friction;
        program->yield[q] = here.yield;
        program->dilatancy[q] = here.dilatancy;
        program->weight[q] = 2.0 * law->space->weight[q];
        law->inverse_reynolds[q] = here.inverse_reynolds;
    }
    program->bulk = law->material->bulk;
    program->rated = law->rated;
    return SAB_OK;
}

/* phi/g and dphi/dg of phi = (mu_D - mu_S) p g / (c sqrt(p) + g), c = I0/(2 D_g): what friction has
 * above mu_S p. Both are bounded for p -> 0 and g -> 0. */
static double rate_friction(const sab_mu_i *m, double g, double p, double *slope)
{
    const double root = p > 0.0 ? m->I0 / (2.0 * m->grain) * sqrt(p) : 0.0;
    const double nu = p > 0.0 ? (m->flowing - m->resting) * p / (root + g) : 0.0;

    *slope = p > 0.0 ? nu * root / (root + g) : 0.0;
    return nu;
}

void sab_flow_law_guess(sab_flow_law *law, double pressure)
{
    const sab_mu_i *m = &law->material->mu_i;

    if (!law->material->has_mu_i)
        return;
    for (int q = 0; q < law->space->npoints; q++)
        law->nu[q] =
            rate_friction(m, m->I0 / (2.0 * m->grain) * sqrt(pressure), pressure, &law->slope[q]);
}

static double norm_t(int s, const double *x)
{
    double sum = 0.0;

    for (int c = 1; c < s; c++)
        sum += x[c] * x[c];
    return sqrt(sum);
}

static sab_status viscosity_at(const sab_flow_law *law, const sab_vars *at, double *eta,
                               sab_error *err)
{
    const sab_status status = sab_function_at(&law->material->viscosity, at, eta, err);

    if (status == SAB_OK && *eta < 0.0)
        return sab_fail(err, SAB_ERR_INPUT,
                        "material.viscosity = %g at (%g, %g), shear rate %g, pressure %g: it "
                        "must not be negative",
                        *eta, at->x, at->y, at->shear_rate, at->pressure);
    return status;
}

/* eta of the formula, and d(eta g)/dg by a difference. */
static sab_status formula_at(const sab_flow_law *law, const sab_vars *at, double *eta,
                             double *slope, sab_error *err)
{
    const double g = at->shear_rate, step = DIFFERENCE * g;
    sab_vars near = *at;
    double more, less;
    sab_status status = SAB_OK;

    SAB_TRY(viscosity_at(law, at, eta, err));
    *slope = *eta;
    if (!(step > 0.0))
        return SAB_OK;
    near.shear_rate = g + step;
    SAB_TRY(viscosity_at(law, &near, &more, err));
    near.shear_rate = g - step;
    SAB_TRY(viscosity_at(law, &near, &less, err));
    *slope = fmax(0.0, (more * (g + step) - less * (g - step)) / (2.0 * step));
cleanup:
    return status;
}

/* fresh_eta, fresh_nu and slope of the flow (gamma, lambda). */
static sab_status evaluate(sab_flow_law *law, const double *gamma, const double *lambda,
                           double *slope, sab_error *err)
{
    const sab_space *space = law->space;
    const int s = space->geometry->s;
    const double scale = sab_geometry_normal_scale(space->geometry);
    sab_status status = SAB_OK;

    for (int q = 0; q < space->npoints; q++)
        law->fresh_nu[q] = lambda[s * q] / scale;
    sab_space_element_mean(space, 1, law->fresh_nu, law->pressure);
    for (int q = 0; q < space->npoints; q++) {
        const double g = norm_t(s, gamma + s * q), p = law->pressure[q / space->element->law->n];
        const double *x = space->point + space->geometry->dim * q;
        double bend = 0.0, eta_slope = 1.0;

        law->fresh_eta[q] = 1.0;
        law->fresh_nu[q] = 0.0;
        if (law->material->has_viscosity) {
            sab_vars at = sab_vars_at(space->geometry->dim, x, law->time);

            at.shear_rate = g;
            at.pressure = p;
            SAB_TRY(formula_at(law, &at, &law->fresh_eta[q], &eta_slope, err));
        }
        if (law->material->has_mu_i)
            law->fresh_nu[q] = rate_friction(&law->material->mu_i, g, p, &bend);
        slope[q] = 2.0 * eta_slope * law->inverse_reynolds[q] + bend;
    }
cleanup:
    return status;
}

/* The largest of n values, times the floor; an error if none is positive. */
static sab_status find_floor(int n, const double *eta, double *least, sab_error *err)
{
    double largest = 0.0;

    for (int q = 0; q < n; q++)
        largest = fmax(largest, eta[q]);
    *least = VISCOSITY_FLOOR * largest;
    return largest > 0.0 ? SAB_OK
                         : sab_fail(err, SAB_ERR_INPUT, "material.viscosity is zero everywhere");
}

/* eta <- (eta + formula)/2, unless the flow has followed the formula: for eta = |D| the plain
 * update is an exact 2-cycle, because |D| is proportional to 1/eta; the mean is the Babylonian
 * square root [docs/theory.md, 9]. */
sab_status sab_flow_law_refresh(sab_flow_law *law, const double *gamma, const double *lambda,
                                double theta, sab_error *err)
{
    const int n = law->space->npoints;
    double least = 0.0;
    sab_status status = SAB_OK;

    if (!law->rated)
        return SAB_OK;
    SAB_TRY(evaluate(law, gamma, lambda, law->slope, err));
    for (int q = 0; q < n; q++) {
        law->nu[q] = law->fresh_nu[q];
        law->eta[q] += theta * (law->fresh_eta[q] - law->eta[q]);
    }
    SAB_TRY(find_floor(n, law->eta, &least, err));
    for (int q = 0; q < n; q++)
        law->eta[q] = fmax(law->eta[q], least);
cleanup:
    return status;
}

void sab_flow_law_apply(const sab_flow_law *law, double inert, sab_program *program)
{
    for (int q = 0; q < law->space->npoints; q++) {
        const double viscosity = 2.0 * law->eta[q] * law->inverse_reynolds[q] + law->nu[q];

        program->viscosity[q] = viscosity;
        program->slope[q] = law->rated ? law->slope[q] : viscosity;
        program->r[q] = viscosity + inert;
    }
}

sab_status sab_flow_law_violation(sab_flow_law *law, const double *weight, const double *gamma,
                                  const double *lambda, double *power, sab_error *err)
{
    const int s = law->space->geometry->s;
    sab_status status = SAB_OK;

    *power = 0.0;
    if (!law->rated)
        return SAB_OK;
    SAB_TRY(evaluate(law, gamma, lambda, law->slope, err));
    for (int q = 0; q < law->space->npoints; q++) {
        const double g = norm_t(s, gamma + s * q);
        const double used = 2.0 * law->eta[q] * law->inverse_reynolds[q] + law->nu[q];
        const double asked = 2.0 * law->fresh_eta[q] * law->inverse_reynolds[q] + law->fresh_nu[q];

        *power += weight[q] * fabs(used - asked) * g * g;
    }
cleanup:
    return status;
}

sab_status sab_flow_law_follow(void *data, const double *gamma, const double *lambda,
                               double *viscosity, double *tangent, sab_error *err)
{
    sab_flow_law *law = data;
    const int n = law->space->npoints;
    const bool formula = law->material->has_viscosity;
    double least = 0.0;
    sab_status status = SAB_OK;

    SAB_TRY(evaluate(law, gamma, lambda, tangent, err));
    for (int q = 0; q < n; q++) {
        const double fresh = 2.0 * law->fresh_eta[q] * law->inverse_reynolds[q] + law->fresh_nu[q];

        viscosity[q] = formula ? 0.5 * (viscosity[q] + fresh) : fresh;
    }
    for (int q = n; q < law->npoints; q++) /* the drag of a wall is given */
        tangent[q] = viscosity[q];
    if (!formula)
        return SAB_OK;
    SAB_TRY(find_floor(n, viscosity, &least, err));
    for (int q = 0; q < n; q++) /* far from the solution the slope of a formula leads astray */
        tangent[q] = viscosity[q] = fmax(viscosity[q], least);
cleanup:
    return status;
}

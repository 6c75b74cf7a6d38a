/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fem/material.h"

#include <math.h>

static sab_status out_of_range(sab_error *err, const sab_vars *at, const char *what, double value,
                               const char *range)
{
    return sab_fail(err, SAB_ERR_INPUT, "%s = %g at (%g, %g, %g): it must be %s", what, value,
                    at->x, at->y, at->z, range);
}

sab_status sab_material_law(const sab_material *material, const sab_geometry *geometry,
                            const sab_vars *at, sab_law *law, sab_error *err)
{
    sab_status status = SAB_OK;
    const double scale = sab_geometry_normal_scale(geometry);
    double friction = material->mu_i.resting, dilatancy, bingham, reynolds;

    if (!material->has_mu_i)
        SAB_TRY(sab_function_at(&material->friction, at, &friction, err));
    SAB_TRY(sab_function_at(&material->dilatancy, at, &dilatancy, err));
    SAB_TRY(sab_function_at(&material->bingham, at, &bingham, err));
    SAB_TRY(sab_function_at(&material->reynolds, at, &reynolds, err));
    if (material->friction_is_angle && !material->has_mu_i) {
        if (!(friction >= 0.0 && friction < 90.0))
            return out_of_range(err, at, "material.friction.angle", friction, "in [0, 90) degrees");
        if (!(dilatancy >= 0.0))
            return out_of_range(err, at, "material.dilatancy", dilatancy, "0 or more");
        friction = sab_material_friction(geometry, material->friction_in, friction, dilatancy);
    }
    if (!(friction >= 0.0))
        return out_of_range(err, at, "material.friction", friction, "0 or more");
    if (friction > sab_friction_limit(geometry))
        return out_of_range(err, at, "material.friction", friction,
                            "at most sqrt(3)/2 = 0.866, above which the cone admits tension");
    if (!(dilatancy >= 0.0 && dilatancy <= friction))
        return out_of_range(err, at, "material.dilatancy", dilatancy,
                            material->has_mu_i ? "between 0 and the static friction"
                                               : "between 0 and the friction");
    if (!(bingham >= 0.0))
        return out_of_range(err, at, "material.bingham", bingham, "0 or more");
    if (!(reynolds > 0.0))
        return out_of_range(err, at, "material.reynolds", reynolds, "positive");
    /* |lambda_T| = sqrt(J2) and lambda_N = sqrt(d/2) p: sqrt(J2) = friction p + Bi reads
     * |lambda_T| = sigma + mu lambda_N with mu = friction / sqrt(d/2), sigma = Bi. */
    law->friction = friction / scale;
    law->dilatancy = dilatancy / scale;
    law->yield = bingham;
    law->inverse_reynolds = 1.0 / reynolds;
cleanup:
    return status;
}

double sab_material_friction(const sab_geometry *geometry, sab_friction_mode mode, double degrees,
                             double dilatancy)
{
    return sab_friction_of_angle(geometry, mode, degrees * acos(-1.0) / 180.0, dilatancy);
}

double sab_material_friction_angle(const sab_geometry *geometry, sab_friction_mode mode,
                                   double friction, double dilatancy)
{
    return sab_angle_of_friction(geometry, mode, friction, dilatancy) * 180.0 / acos(-1.0);
}

double sab_material_inertial_number(const sab_mu_i *mu_i, double shear_rate, double pressure)
{
    if (!(shear_rate > 0.0))
        return 0.0;
    return pressure > 0.0 ? 2.0 * shear_rate * mu_i->grain / sqrt(pressure) : INFINITY;
}

double sab_material_mu_i(const sab_mu_i *mu_i, double shear_rate, double pressure)
{
    const double I = sab_material_inertial_number(mu_i, shear_rate, pressure);

    /* I0/0 and I0/INFINITY are INFINITY and 0: both ends are exact */
    return mu_i->resting + (mu_i->flowing - mu_i->resting) / (mu_i->I0 / I + 1.0);
}

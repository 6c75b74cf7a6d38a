/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "fem/material.h"

#include <math.h>
#include <string.h>

static const sab_mu_i grains = {.resting = 0.32, .flowing = 0.6, .I0 = 0.4, .grain = 0.0893};

/* mu_S at rest, mu_D without pressure, half way at I = I0, the printed formula between. */
static void test_limits(void)
{
    const double at_half = grains.I0 / (2.0 * grains.grain); /* shear rate of I = I0 under p = 1 */

    CU_ASSERT_EQUAL(sab_material_mu_i(&grains, 0.0, 1.0), 0.32);
    CU_ASSERT_EQUAL(sab_material_mu_i(&grains, 0.0, 0.0), 0.32); /* 0/0: rest */
    CU_ASSERT_EQUAL(sab_material_mu_i(&grains, 0.0, -1.0), 0.32);
    CU_ASSERT_EQUAL(sab_material_mu_i(&grains, 1e-9, 0.0), 0.6);
    CU_ASSERT_EQUAL(sab_material_mu_i(&grains, 1e-9, -2.0), 0.6);
    SAB_ASSERT_CLOSE(sab_material_mu_i(&grains, 1e-9, 1.0), 0.32, 1e-8);
    SAB_ASSERT_CLOSE(sab_material_mu_i(&grains, 1e9, 1.0), 0.6, 1e-8);
    SAB_ASSERT_CLOSE(sab_material_mu_i(&grains, 1.0, 1e-20), 0.6, 1e-8);
    SAB_ASSERT_CLOSE(sab_material_mu_i(&grains, 1.0, 1e20), 0.32, 1e-8);
    CU_ASSERT(isfinite(sab_material_mu_i(&grains, 1e300, 5e-324)));
    CU_ASSERT(isfinite(sab_material_mu_i(&grains, 5e-324, 1e300)));
    SAB_ASSERT_CLOSE(sab_material_mu_i(&grains, at_half, 1.0), 0.46, 1e-14);
    /* twice the shear rate under four times the pressure is the same I */
    SAB_ASSERT_CLOSE(sab_material_mu_i(&grains, 2.0 * at_half, 4.0), 0.46, 1e-14);
    SAB_ASSERT_CLOSE(sab_material_inertial_number(&grains, 3.0, 4.0), 3.0 * 0.0893, 1e-14);
    CU_ASSERT(isinf(sab_material_inertial_number(&grains, 1.0, 0.0)));
    CU_ASSERT_EQUAL(sab_material_inertial_number(&grains, 0.0, 0.0), 0.0);
}

/* Between its bounds, growing with the shear rate and falling with the pressure. */
static void test_monotone(void)
{
    double before = grains.resting;

    for (double rate = 1e-6; rate < 1e6; rate *= 1.7) {
        const double mu = sab_material_mu_i(&grains, rate, 0.3);

        CU_ASSERT(mu >= before && mu <= grains.flowing);
        CU_ASSERT(sab_material_mu_i(&grains, rate, 0.4) < mu);
        before = mu;
    }
}

/* Can a layer rest on a slope, with some stress s beside it? [docs/theory.md, 2.5] */
static bool can_rest(double friction, double degrees)
{
    const double q = cos(degrees * acos(-1.0) / 180.0), t = sin(degrees * acos(-1.0) / 180.0);

    for (double s = 1e-6 * q; s < 1e9; s *= 1.001)
        if (hypot(0.5 * (s - q), t) <= 0.5 * friction * (s + q) * (1.0 + 1e-12))
            return true;
    return false;
}

/* The angle is that of the steepest slope that can rest; from 1 on every slope can. */
static void test_angle(void)
{
    SAB_ASSERT_CLOSE(sab_material_friction_angle(&sab_geometry_plane, SAB_FRICTION_PLANE, 0.5, 0.0),
                     30.0, 1e-14);
    CU_ASSERT_EQUAL(sab_material_friction_angle(&sab_geometry_plane, SAB_FRICTION_PLANE, 0.0, 0.0),
                    0.0);
    for (double friction = 0.1; friction < 0.95; friction += 0.2) {
        const double angle =
            sab_material_friction_angle(&sab_geometry_plane, SAB_FRICTION_PLANE, friction, 0.0);

        CU_ASSERT(can_rest(friction, angle - 0.05));
        CU_ASSERT_FALSE(can_rest(friction, angle + 0.05));
    }
    CU_ASSERT_FALSE(can_rest(0.999, 89.0));
    for (double friction = 1.0; friction < 3.0; friction += 0.5) {
        CU_ASSERT(isnan(
            sab_material_friction_angle(&sab_geometry_plane, SAB_FRICTION_PLANE, friction, 0.0)));
        CU_ASSERT(can_rest(friction, 60.0) && can_rest(friction, 89.0) &&
                  can_rest(friction, 89.99));
    }
}

static const sab_geometry *const geometries[] = {&sab_geometry_plane, &sab_geometry_axisymmetric,
                                                 &sab_geometry_space};

/* The printed formulas [docs/theory.md, 2.5], and numbers of their table for 30 degrees. */
static void test_modes(void)
{
    for (double angle = 0.02; angle < 1.5; angle += 0.1) {
        const double s = sin(angle);

        for (int g = 0; g < 3; g++) {
            const sab_geometry *at = geometries[g];

            SAB_ASSERT_CLOSE(sab_friction_of_angle(at, SAB_FRICTION_PLANE, angle, 0.0), s, 1e-15);
            SAB_ASSERT_CLOSE(sab_friction_of_angle(at, SAB_FRICTION_SHEAR, angle, 0.0), tan(angle),
                             1e-14 * tan(angle));
        }
        for (int g = 1; g < 3; g++) {
            const sab_geometry *at = geometries[g];
            const double inscribed = sqrt(3.0) * s / sqrt(3.0 + s * s);

            SAB_ASSERT_CLOSE(sab_friction_of_angle(at, SAB_FRICTION_COMPRESSION, angle, 0.3),
                             2.0 * sqrt(3.0) * s / (3.0 - s), 1e-14);
            SAB_ASSERT_CLOSE(sab_friction_of_angle(at, SAB_FRICTION_EXTENSION, angle, 0.3),
                             2.0 * sqrt(3.0) * s / (3.0 + s), 1e-14);
            /* associated: the cone inside the pyramid */
            SAB_ASSERT_CLOSE(sab_friction_of_angle(at, SAB_FRICTION_PLANE, angle, inscribed),
                             inscribed, 1e-14);
        }
        /* Davis: T = sin(phi) cos(psi)/(1 - sin(phi) sin(psi)) in the plane */
        SAB_ASSERT_CLOSE(sab_angle_of_friction(&sab_geometry_plane, SAB_FRICTION_SHEAR, s, 0.5 * s),
                         atan(s * sqrt(1.0 - 0.25 * s * s) / (1.0 - 0.5 * s * s)), 1e-14);
    }
    const double thirty = acos(-1.0) / 6.0;
    SAB_ASSERT_CLOSE(
        sab_friction_of_angle(&sab_geometry_space, SAB_FRICTION_COMPRESSION, thirty, 0.0), 0.693,
        5e-4);
    SAB_ASSERT_CLOSE(
        sab_friction_of_angle(&sab_geometry_space, SAB_FRICTION_EXTENSION, thirty, 0.0), 0.495,
        5e-4);
    CU_ASSERT(isnan(sab_friction_of_angle(&sab_geometry_plane, SAB_FRICTION_EXTENSION, 0.5, 0.0)));
    CU_ASSERT(isnan(sab_angle_of_friction(&sab_geometry_plane, SAB_FRICTION_COMPRESSION, 0.5, 0)));
}

/* There and back, over modes, dilatancies and geometries. */
static void test_round_trip(void)
{
    for (int g = 0; g < 3; g++)
        for (int m = 0; m < SAB_FRICTION_MODES; m++)
            for (double degrees = 1.0; degrees < 40.0; degrees += 3.0)
                for (double z = 0.0; z < 0.5; z += 0.1) {
                    const sab_friction_mode mode = (sab_friction_mode)m;
                    const double friction = sab_material_friction(geometries[g], mode, degrees, z);

                    if (!sab_friction_has_mode(geometries[g], mode) || z > friction)
                        continue;
                    SAB_ASSERT_CLOSE(sab_material_friction_angle(geometries[g], mode, friction, z),
                                     degrees, 1e-12);
                }
}

/* The stress of a motion by the law itself: p - friction p Dev D/|Dev D|, compression positive,
 * with the trace of D that the dilatancy asks for. D = diag + shear in the plane (0, 1). */
static void law_stress(int d, double friction, double dilatancy, const double *diagonal,
                       double shear, double *pressure)
{
    double mean = 0.0, square = shear * shear;

    for (int i = 0; i < d; i++)
        mean += diagonal[i] / d;
    for (int i = 0; i < d; i++)
        square += 0.5 * (diagonal[i] - mean) * (diagonal[i] - mean);
    SAB_ASSERT_CLOSE(d * mean, 2.0 * dilatancy * sqrt(square), 1e-12); /* Tr D = 2 z |Dev D| */
    for (int i = 0; i < d; i++)
        pressure[i] = 1.0 - friction * (diagonal[i] - mean) / sqrt(square);
    pressure[d] = friction * shear / sqrt(square);
}

/* Plane strain and simple shear: the angle is read off the stress that the flow rule gives. */
static void test_flow_rule(void)
{
    for (int g = 0; g < 3; g++)
        for (double m = 0.1; m < 0.85; m += 0.1)
            for (double z = 0.0; z <= m; z += 0.1) {
                const int d = geometries[g]->d;
                double p[4];

                /* D = (e + 1, e - 1, 0), Tr D = 2 e = 2 z sqrt(1 + e^2 (d - 2)/d) */
                const double e = z / sqrt(1.0 - z * z * (d - 2.0) / d);
                law_stress(d, m, z, (double[]){e + 1.0, e - 1.0, 0.0}, 0.0, p);
                SAB_ASSERT_CLOSE(sab_angle_of_friction(geometries[g], SAB_FRICTION_PLANE, m, z),
                                 asin(fabs(p[1] - p[0]) / (p[0] + p[1])), 1e-12);
                /* D = shear and a stretch s across it, s = 2 z sqrt(1 + s^2 (d - 1)/(2 d)) */
                const double s = 2.0 * z / sqrt(1.0 - 2.0 * z * z * (d - 1.0) / d);
                law_stress(d, m, z, (double[]){0.0, s, 0.0}, 1.0, p);
                SAB_ASSERT_CLOSE(sab_angle_of_friction(geometries[g], SAB_FRICTION_SHEAR, m, z),
                                 atan(p[d] / p[1]), 1e-12);
            }
}

/* Triaxial tests: two equal stresses; and the coefficient at which extension reaches tension. */
static void test_triaxial(void)
{
    for (double m = 0.1; m < 0.85; m += 0.1) {
        double p[4];

        law_stress(3, m, 0.0, (double[]){-2.0, 1.0, 1.0}, 0.0, p); /* p[0] the largest */
        SAB_ASSERT_CLOSE(
            sab_angle_of_friction(&sab_geometry_space, SAB_FRICTION_COMPRESSION, m, 0.0),
            asin((p[0] - p[1]) / (p[0] + p[1])), 1e-12);
        law_stress(3, m, 0.0, (double[]){2.0, -1.0, -1.0}, 0.0, p); /* p[0] the smallest */
        SAB_ASSERT_CLOSE(sab_angle_of_friction(&sab_geometry_space, SAB_FRICTION_EXTENSION, m, 0.0),
                         asin((p[1] - p[0]) / (p[0] + p[1])), 1e-12);
        CU_ASSERT(p[0] > 0.0);
    }
    const double limit = sab_friction_limit(&sab_geometry_axisymmetric);
    double p[4];
    law_stress(3, limit, 0.0, (double[]){2.0, -1.0, -1.0}, 0.0, p);
    SAB_ASSERT_CLOSE(p[0], 0.0, 1e-15);
    CU_ASSERT(isinf(sab_friction_limit(&sab_geometry_plane)));

    sab_material m = {.friction = sab_constant(0.86),
                      .dilatancy = sab_constant(0.0),
                      .bingham = sab_constant(0.0),
                      .reynolds = sab_constant(1.0),
                      .bulk = 1.0};
    sab_error err = {0};
    sab_law law;
    CU_ASSERT_EQUAL(sab_material_law(&m, &sab_geometry_space, &(sab_vars){0}, &law, &err), SAB_OK);
    m.friction = sab_constant(0.87);
    CU_ASSERT_EQUAL(sab_material_law(&m, &sab_geometry_plane, &(sab_vars){0}, &law, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_material_law(&m, &sab_geometry_space, &(sab_vars){0}, &law, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "admits tension"));
}

/* The law starts at rest, with mu_S; dilatancy is held against it. */
static void test_law(void)
{
    sab_material m = {.has_mu_i = true,
                      .mu_i = grains,
                      .friction = sab_constant(17.0), /* not looked at */
                      .friction_is_angle = true,
                      .dilatancy = sab_constant(0.3),
                      .reynolds = sab_constant(10.0),
                      .bulk = 1.0};
    sab_error err = {0};
    sab_law law;

    CU_ASSERT_EQUAL(sab_material_law(&m, &sab_geometry_plane, &(sab_vars){0}, &law, &err), SAB_OK);
    CU_ASSERT_EQUAL(law.friction, 0.32);
    CU_ASSERT_EQUAL(law.dilatancy, 0.3);
    m.dilatancy = sab_constant(0.33);
    CU_ASSERT_EQUAL(sab_material_law(&m, &sab_geometry_plane, &(sab_vars){0}, &law, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "material.dilatancy = 0.33"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "static friction"));
}

/* friction {angle} is its sine in the plane (2.5); with tensors of dimension 3, lambda_N =
 * sqrt(3/2) p takes both coefficients down [docs/theory.md, 1 and 2]. */
static void test_convention(void)
{
    sab_geometry space = sab_geometry_plane;
    const sab_material m = {.friction = sab_constant(30.0),
                            .friction_is_angle = true,
                            .dilatancy = sab_constant(0.2),
                            .bingham = sab_constant(0.7),
                            .reynolds = sab_constant(10.0),
                            .bulk = 1.0};
    sab_law law;

    CU_ASSERT_EQUAL(sab_material_law(&m, &sab_geometry_plane, &(sab_vars){0}, &law, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(law.friction, 0.5, 1e-15);
    SAB_ASSERT_CLOSE(law.dilatancy, 0.2, 1e-15);
    space.d = 3;
    CU_ASSERT_EQUAL(sab_material_law(&m, &space, &(sab_vars){0}, &law, NULL), SAB_OK);
    SAB_ASSERT_CLOSE(law.friction, 0.5 / (sqrt(1.0 - 0.04 / 3.0) + 0.1 / 3.0) / sqrt(1.5), 1e-15);
    SAB_ASSERT_CLOSE(law.dilatancy, 0.2 / sqrt(1.5), 1e-15);
    CU_ASSERT_EQUAL(law.yield, 0.7);
    SAB_ASSERT_CLOSE(law.inverse_reynolds, 0.1, 1e-15);
}

int main(void)
{
    static const sab_test tests[] = {{"limits of mu(I)", test_limits},
                                     {"mu(I) is monotone", test_monotone},
                                     {"friction angle", test_angle},
                                     {"modes of the angle", test_modes},
                                     {"angle and coefficient", test_round_trip},
                                     {"angle of the flow rule", test_flow_rule},
                                     {"triaxial tests, tension", test_triaxial},
                                     {"law at rest", test_law},
                                     {"convention of friction", test_convention}};

    return SAB_TEST_MAIN("fem/material", tests);
}

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
    SAB_ASSERT_CLOSE(sab_material_friction_angle(&sab_geometry_plane, 0.5), 30.0, 1e-14);
    CU_ASSERT_EQUAL(sab_material_friction_angle(&sab_geometry_plane, 0.0), 0.0);
    for (double friction = 0.1; friction < 0.95; friction += 0.2) {
        const double angle = sab_material_friction_angle(&sab_geometry_plane, friction);

        CU_ASSERT(can_rest(friction, angle - 0.05));
        CU_ASSERT_FALSE(can_rest(friction, angle + 0.05));
    }
    CU_ASSERT_FALSE(can_rest(0.999, 89.0));
    for (double friction = 1.0; friction < 3.0; friction += 0.5) {
        CU_ASSERT(isnan(sab_material_friction_angle(&sab_geometry_plane, friction)));
        CU_ASSERT(can_rest(friction, 60.0) && can_rest(friction, 89.0) &&
                  can_rest(friction, 89.99));
    }
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

/* friction {angle} is its sine in the plane; with tensors of dimension 3, lambda_N = sqrt(3/2) p
 * takes both coefficients down [docs/theory.md, 1 and 2]. */
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
    SAB_ASSERT_CLOSE(law.friction, 0.5 / sqrt(1.5), 1e-15);
    SAB_ASSERT_CLOSE(law.dilatancy, 0.2 / sqrt(1.5), 1e-15);
    CU_ASSERT_EQUAL(law.yield, 0.7);
    SAB_ASSERT_CLOSE(law.inverse_reynolds, 0.1, 1e-15);
}

int main(void)
{
    static const sab_test tests[] = {{"limits of mu(I)", test_limits},
                                     {"mu(I) is monotone", test_monotone},
                                     {"friction angle", test_angle},
                                     {"law at rest", test_law},
                                     {"convention of friction", test_convention}};

    return SAB_TEST_MAIN("fem/material", tests);
}

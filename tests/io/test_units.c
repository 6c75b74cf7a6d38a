/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantities with units: texts, dimensions, scales, and the keys that have them. */
#include "io/schema.h"
#include "io/units.h"
#include "unit.h"

#include <math.h>
#include <string.h>

static void test_texts(void)
{
    static const struct {
        const char *text;
        double value;
        sab_dimension dimension;
    } good[] = {
        {"2 cm", 0.02, {0, 1, 0, false}},
        {"2cm", 0.02, {0, 1, 0, false}},
        {"-3.5e1 mm", -0.035, {0, 1, 0, false}},
        {"1600 kg/m^3", 1600.0, {1, -3, 0, false}},
        {"1.6 g/cm^3", 1600.0, {1, -3, 0, false}},
        {"1.6 t m^-3", 1600.0, {1, -3, 0, false}},
        {"9.81 m/s^2", 9.81, {0, 1, -2, false}},
        {"9.81 m/s/s", 9.81, {0, 1, -2, false}},
        {"1.2 kPa", 1200.0, {1, -1, -2, false}},
        {"1200 N/m^2", 1200.0, {1, -1, -2, false}},
        {"10 Pa s", 10.0, {1, -1, -1, false}},
        {"10 Pa*s", 10.0, {1, -1, -1, false}},
        {"36 km/h", 10.0, {0, 1, -1, false}},
        {"30 deg", 30.0, {0, 0, 0, true}},
        {"1 rad", 180.0 / 3.14159265358979323846, {0, 0, 0, true}},
        {"5 min", 300.0, {0, 0, 1, false}},
    };
    static const char *const no_quantity[] = {"2",    "x",   "2*x",   "0.5x", "2 x",  "sin(x)",
                                              "free", "inf", "1e-3",  "0x10", "",     "cm",
                                              "2 pi", "1/3", "2 - y", "true", "y^2 m"};
    static const char *const unknown[] = {"2 foo", "2 m/", "2 m^x", "2 m^0", "3 m/foo", "2 Cm"};
    const char *where;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        double value;
        sab_dimension d;

        CU_ASSERT(sab_quantity_is_one(good[i].text));
        CU_ASSERT_FATAL(sab_quantity_parse(good[i].text, &value, &d, &where));
        SAB_ASSERT_CLOSE(value, good[i].value, 1e-14);
        CU_ASSERT(sab_dimension_equal(d, good[i].dimension));
    }
    for (size_t i = 0; i < sizeof no_quantity / sizeof no_quantity[0]; i++)
        CU_ASSERT(!sab_quantity_is_one(no_quantity[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
        double value;
        sab_dimension d;

        CU_ASSERT(sab_quantity_is_one(unknown[i]));
        CU_ASSERT(!sab_quantity_parse(unknown[i], &value, &d, &where));
    }
}

/* The scale of a product is the product of the scales; of what the schema names, what it says. */
static void test_scales(void)
{
    const double L = 0.2, rho = 1600.0, g = 9.81;
    const sab_units u = {
        .given = true, .has_density = true, .length = L, .density = rho, .gravity = g};
    const struct {
        const char *unit;
        double value;
    } schema[] = {{"L", L},
                  {"sqrt(L/g)", sqrt(L / g)},
                  {"sqrt(g L)", sqrt(g * L)},
                  {"rho g L", rho * g * L},
                  {"rho sqrt(g L)", rho * sqrt(g * L)},
                  {"g", g},
                  {"kg/m^3", rho},
                  {"Pa s", rho * sqrt(g * L) * L}};

    for (size_t i = 0; i < sizeof schema / sizeof schema[0]; i++) {
        sab_dimension d;

        CU_ASSERT_FATAL(sab_dimension_of_key(schema[i].unit, &d));
        SAB_ASSERT_CLOSE(sab_units_scale(&u, d), schema[i].value, 1e-14 * schema[i].value);
    }
    for (int a = -2; a <= 2; a++)
        for (int b = -2; b <= 2; b++) {
            const sab_dimension p = {a, b, a - b, false}, q = {b, 1, -a, false},
                                pq = {a + b, b + 1, -b, false};
            const double product = sab_units_scale(&u, p) * sab_units_scale(&u, q);

            SAB_ASSERT_CLOSE(sab_units_scale(&u, pq) / product, 1.0, 1e-13);
        }
    const sab_units light = {.given = true, .length = L, .gravity = g};
    CU_ASSERT(isnan(sab_units_scale(&light, (sab_dimension){1, -1, -2, false})));
    CU_ASSERT(isfinite(sab_units_scale(&light, (sab_dimension){0, 1, -1, false})));
}

/* Every number of the schema that has a unit has a dimension. */
static void check_rows(const sab_key *parent)
{
    for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;) {
        sab_dimension d;

        if (row->unit != NULL && row->type != SAB_KEY_NAME) {
            if (!sab_dimension_of_key(row->unit, &d))
                printf("\n    %s: no dimension for '%s'", row->path, row->unit);
            CU_ASSERT(sab_dimension_of_key(row->unit, &d));
        }
        check_rows(row);
    }
}

static void test_schema(void)
{
    check_rows(NULL);
}

static void test_names(void)
{
    const sab_units u = {
        .given = true, .has_density = true, .length = 1.0, .density = 1.0, .gravity = 1.0};
    sab_probe p = {.kind = SAB_PROBE_FLUX};
    sab_dimension d;
    double scale;
    bool extensive;
    char name[40];

    CU_ASSERT(sab_units_of_probe(&p, &sab_geometry_plane, &u, &d, &scale, &extensive) && extensive);
    CU_ASSERT_STRING_EQUAL(sab_dimension_name(d, name, sizeof name), "kg/s/m");
    CU_ASSERT(sab_units_of_probe(&p, &sab_geometry_space, &u, &d, &scale, &extensive));
    CU_ASSERT_STRING_EQUAL(sab_dimension_name(d, name, sizeof name), "kg/s");
    p.kind = SAB_PROBE_FORCE;
    CU_ASSERT(sab_units_of_probe(&p, &sab_geometry_plane, &u, &d, &scale, &extensive) &&
              !extensive);
    CU_ASSERT_STRING_EQUAL(sab_dimension_name(d, name, sizeof name), "N/m");
    p = (sab_probe){.kind = SAB_PROBE_GRAINS, .grains = SAB_CARRIED_MOMENTUM};
    CU_ASSERT(sab_units_of_probe(&p, &sab_geometry_space, &u, &d, &scale, &extensive) &&
              !extensive && d.kg == 1 && d.m == 1 && d.s == -1);
    CU_ASSERT(sab_units_of_probe(&p, &sab_geometry_plane, &u, &d, &scale, &extensive) &&
              !extensive && d.kg == 1 && d.m == 0 && d.s == -1);
    p = (sab_probe){.kind = SAB_PROBE_POINT, .field = SAB_FIELD_YIELD_RATIO};
    CU_ASSERT(!sab_units_of_probe(&p, &sab_geometry_plane, &u, &d, &scale, &extensive));
    CU_ASSERT(sab_units_of_column("shear_rate", &u, &d, &scale));
    CU_ASSERT_STRING_EQUAL(sab_dimension_name(d, name, sizeof name), "1/s");
    CU_ASSERT(sab_units_of_column("shear_stress", &u, &d, &scale));
    CU_ASSERT_STRING_EQUAL(sab_dimension_name(d, name, sizeof name), "Pa");
    CU_ASSERT(!sab_units_of_column("mobilised", &u, &d, &scale));
    CU_ASSERT(!sab_units_of_column("samples", &u, &d, &scale));
}

int main(void)
{
    static const sab_test tests[] = {{"texts", test_texts},
                                     {"scales", test_scales},
                                     {"every key", test_schema},
                                     {"results", test_names}};

    return SAB_TEST_MAIN("units", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "io/formula.h"

#include <math.h>
#include <string.h>

#define PLANE &sab_geometry_plane

static const sab_vars here = {
    .x = 0.25, .y = -2.0, .z = 0.5, .t = 3.0, .shear_rate = 7.0, .pressure = 11.0};

/* Compile and evaluate at `here`; NAN if either fails. */
static double value_of(const char *text, int state)
{
    sab_formula *formula = NULL;
    sab_error err = {0};
    double value = NAN;

    if (sab_formula_create(text, "case.yaml:1:2: key", PLANE, state, &formula, &err) == SAB_OK) {
        const sab_function f = sab_formula_function(formula);

        if (sab_function_at(&f, &here, &value, &err) != SAB_OK)
            value = NAN;
    }
    sab_formula_destroy(&formula);
    CU_ASSERT_PTR_NULL(formula);
    return value;
}

static void test_values(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"1/3", 1.0 / 3.0},
        {"1-x^2", 1.0 - 0.0625},
        {"-2^2", -4.0},
        {"2^-1", 0.5},
        {"x > 0 ? y : z", -2.0},
        {"x == 0.25", 1.0},
        {"x != 0.25", 0.0},
        {"x <= 0.25 && y >= -2", 1.0},
        {"max(x, y, t)", 3.0},
        {"atan2(x, y)", 3.0172376590430322}, /* pi - atan(1/8) */
        {"sin(pi/6) + cos(_pi)", -0.5},
        {"ln(_e) + log(_e) + log10(100) + log2(8)", 7.0},
        {"x\n+ y", -1.75},
        {" 5. + .5 ", 5.5},
    };

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        SAB_ASSERT_CLOSE(value_of(good[i].text, 0), good[i].value, 1e-15);
    SAB_ASSERT_CLOSE(value_of("shear_rate * pressure", 1), 77.0, 1e-15);
}

static void test_refusals(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"x = 3", "assignment"},
        {"x += 3", "assignment"},
        {"x === 3", "="},
        {"0,5", "comma outside parentheses"},
        {"max(1, 2), 3", "comma outside parentheses"},
        {"(1, 2)", "Function arguments used without a function"},
        {"x**2", "with ^, as in x^2"},
        {"pow(x, 2)", "with ^, as in x^2"},
        {"sqr(x)", "unknown name 'sqr'; did you mean 'sqrt'?"},
        {"abz(x)", "did you mean 'abs'?"},
        {"foobar + 1", "unknown name 'foobar'; a formula knows x, y, z, t, pi"},
        {"shear_rate", "only material.viscosity may use it"},
        {"1 + pressure", "only material.viscosity may use it"},
        {"shear_rat", "unknown name 'shear_rat'; a formula knows"},
        {"sin", "needs its argument in parentheses"},
        {"2 x", "an operator is missing before 'x'"},
        {"1.5.2", "an operator is missing before '.2'"},
        {"sin(x", "Missing parenthesis"},
        {"x +", "Unexpected end of expression"},
        {"", "the formula is empty"},
        {" \n", "the formula is empty"},
        {"\"abc\"", "String"},
        {"1e400*x", "1e400"},
        {"\xc2\xb5 * x", "formula '"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        sab_formula *formula = NULL;
        sab_error err = {0};

        CU_ASSERT_EQUAL(
            sab_formula_create(bad[i].text, "case.yaml:1:2: key", PLANE, 0, &formula, &err),
            SAB_ERR_INPUT);
        CU_ASSERT_PTR_NULL(formula);
        CU_ASSERT(strncmp(err.message, "case.yaml:1:2: key: ", 20) == 0);
        if (strstr(err.message, bad[i].message) == NULL)
            printf("\n    '%s' gives '%s'", bad[i].text, err.message);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, bad[i].message));
    }
    CU_ASSERT_EQUAL(sab_formula_create("shear_rat", "k", PLANE, 1, &(sab_formula *){NULL}, NULL),
                    SAB_ERR_INPUT); /* err may be NULL */
}

/* Inf and nan are found where they happen, not before. */
static void test_not_finite(void)
{
    sab_formula *formula = NULL;
    sab_error err = {0};
    double value = 0.0;

    CU_ASSERT_EQUAL_FATAL(sab_formula_create("1/(x-0.5)", "k", PLANE, 0, &formula, &err), SAB_OK);
    sab_function f = sab_formula_function(formula);
    CU_ASSERT_EQUAL(sab_function_at(&f, &(sab_vars){.x = 1.0}, &value, &err), SAB_OK);
    CU_ASSERT_EQUAL(value, 2.0);
    CU_ASSERT_EQUAL(sab_function_at(&f, &(sab_vars){.x = 0.5, .y = 4.0, .t = 2.0}, &value, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(err.message,
                           "k: formula '1/(x-0.5)' is infinite at x = 0.5, y = 4, z = 0, t = 2");
    sab_formula_destroy(&formula);

    CU_ASSERT_EQUAL_FATAL(sab_formula_create("sqrt(-pressure)", "k", PLANE, 1, &formula, &err),
                          SAB_OK);
    f = sab_formula_function(formula);
    CU_ASSERT_EQUAL(sab_function_at(&f, &here, &value, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "is not a number at x = 0.25"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "shear_rate = 7, pressure = 11"));
    CU_ASSERT_EQUAL(sab_function_at(&f, &(sab_vars){.pressure = -4.0}, &value, &err), SAB_OK);
    CU_ASSERT_EQUAL(value, 2.0); /* it recovers */
    sab_formula_destroy(&formula);

    CU_ASSERT_EQUAL_FATAL(sab_formula_create("1/0", "k", PLANE, 0, &formula, &err), SAB_OK);
    f = sab_formula_function(formula);
    CU_ASSERT_EQUAL(sab_function_at(&f, &here, &value, &err), SAB_ERR_INPUT);
    CU_ASSERT_STRING_EQUAL(err.message, "k: formula '1/0' is infinite");
    sab_formula_destroy(&formula);
    sab_formula_destroy(&formula); /* harmless */
}

static void test_constants(void)
{
    static const struct {
        const char *text;
        bool constant;
    } list[] = {{"1/3", true}, {"pi", true}, {"max(1, 2)", true}, {"x", false}, {"0*t", false}};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        sab_formula *formula = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_formula_create(list[i].text, "k", PLANE, 0, &formula, NULL),
                              SAB_OK);
        CU_ASSERT_EQUAL(sab_formula_is_constant(formula), list[i].constant);
        sab_formula_destroy(&formula);
    }
}

/* Two formulas have variables of their own. */
static void test_independence(void)
{
    sab_formula *a = NULL, *b = NULL;
    double va = 0.0, vb = 0.0;

    CU_ASSERT_EQUAL_FATAL(sab_formula_create("x", "a", PLANE, 0, &a, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_formula_create("x + 1", "b", PLANE, 0, &b, NULL), SAB_OK);
    const sab_function fa = sab_formula_function(a), fb = sab_formula_function(b);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(sab_function_at(&fa, &(sab_vars){.x = i}, &va, NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_function_at(&fb, &(sab_vars){.x = -i}, &vb, NULL), SAB_OK);
        CU_ASSERT_EQUAL(va, i);
        CU_ASSERT_EQUAL(vb, 1 - i);
    }
    sab_formula_destroy(&a);
    sab_formula_destroy(&b);
}

/* What has no t in it does not change with time, whatever its functions are called. */
static void test_steady(void)
{
    const struct {
        const char *text;
        bool steady;
    } list[] = {{"x + y", true},          {"tan(x) + sqrt(y)", true}, {"1/3", true},
                {"x + t", false},         {"sin(2*pi*t)", false},     {"min(t, 0*x)", false},
                {"shear_rate + x", true}, {"pressure*t", false}};

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        sab_formula *formula = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_formula_create(list[i].text, "k", PLANE, 1, &formula, NULL),
                              SAB_OK);
        const sab_function f = sab_formula_function(formula);
        CU_ASSERT_EQUAL(f.steady, list[i].steady);
        CU_ASSERT_EQUAL(sab_function_varies(&f), !list[i].steady);
        sab_formula_destroy(&formula);
    }
}

int main(void)
{
    static const sab_test tests[] = {{"values", test_values},
                                     {"refusals", test_refusals},
                                     {"not finite", test_not_finite},
                                     {"constants", test_constants},
                                     {"independence", test_independence},
                                     {"steady", test_steady}};

    return SAB_TEST_MAIN("io/formula", tests);
}

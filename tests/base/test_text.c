/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/text.h"

#include <string.h>

static void test_numbers(void)
{
    static const char *const bad[] = {"",   " 1",  "1 ", "0,5",   "nan",  "inf", "0x10", "1e400",
                                      "1e", "--1", ".",  "1.5.2", "1e5e", "e5",  "+",    "1d3"};
    double v = 0.0;

    CU_ASSERT(sab_parse_number("-1.25e-3", &v));
    CU_ASSERT_EQUAL(v, -1.25e-3);
    CU_ASSERT(sab_parse_number(".5", &v) && v == 0.5);
    CU_ASSERT(sab_parse_number("1e-400", &v)); /* underflow is not an error */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CU_ASSERT_FALSE(sab_parse_number(bad[i], &v));
}

static void test_integers(void)
{
    int v = 0;

    CU_ASSERT(sab_parse_integer("-17", &v) && v == -17);
    CU_ASSERT_FALSE(sab_parse_integer("1.0", &v));
    CU_ASSERT_FALSE(sab_parse_integer("99999999999", &v));
    CU_ASSERT_FALSE(sab_parse_integer("", &v));
}

static void test_closest(void)
{
    static const char *const names[] = {"friction", "dilatancy", "reynolds", "bingham", "x"};

    CU_ASSERT_STRING_EQUAL(sab_closest_name("frction", names, 5), "friction");
    CU_ASSERT_STRING_EQUAL(sab_closest_name("Reynold", names, 5), "reynolds");
    CU_ASSERT_STRING_EQUAL(sab_closest_name("dilatnacy", names, 5), "dilatancy");
    CU_ASSERT_PTR_NULL(sab_closest_name("completely", names, 5));
}

static void test_growing_text(void)
{
    sab_text text = {0};
    char expected[2001];

    memset(expected, 'a', 2000);
    expected[2000] = '\0';
    for (int i = 0; i < 2000; i++)
        CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "%c", 'a'), SAB_OK);
    CU_ASSERT_STRING_EQUAL(text.data, expected);
    sab_text_destroy(&text);
    CU_ASSERT_PTR_NULL(text.data);
}

static void test_error_context(void)
{
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_fail(&err, SAB_ERR_INPUT, "node %d", 5), SAB_ERR_INPUT);
    sab_error_context(&err, "while reading '%s'", "a.msh");
    CU_ASSERT_STRING_EQUAL(err.message, "node 5\n  while reading 'a.msh'");
    for (int i = 0; i < 200; i++) /* never overruns */
        sab_error_context(&err, "level %d of a very long chain of callers", i);
    CU_ASSERT(strlen(err.message) < sizeof err.message);
}

int main(void)
{
    static const sab_test tests[] = {{"numbers are strict", test_numbers},
                                     {"integers are strict", test_integers},
                                     {"closest name", test_closest},
                                     {"growing text", test_growing_text},
                                     {"context is appended", test_error_context}};

    return SAB_TEST_MAIN("base/text", tests);
}

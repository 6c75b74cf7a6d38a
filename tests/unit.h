/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/unit.h -- a CUnit program in one table:
 *     static const sab_test tests[] = {{"Moreau decomposition", test_moreau}};
 *     int main(void) { return SAB_TEST_MAIN("cone", tests); } */
#ifndef SAB_TESTS_UNIT_H
#define SAB_TESTS_UNIT_H

#include <CUnit/Basic.h>
#include <stddef.h>

typedef struct sab_test {
    const char *name;
    void (*run)(void);
} sab_test;

int sab_test_main(const char *suite, const sab_test *tests, size_t n);
#define SAB_TEST_MAIN(suite, tests) sab_test_main(suite, tests, sizeof(tests) / sizeof((tests)[0]))

/* |a - b| <= tolerance * max(1, |b|), shown with both values when it fails. */
#define SAB_ASSERT_CLOSE(a, b, tolerance)                                                          \
    CU_assertImplementation(sab_test_close((a), (b), (tolerance)), __LINE__,                       \
                            sab_test_close_text((a), (b), (tolerance), #a, #b), __FILE__, "", 0)
int sab_test_close(double a, double b, double tolerance);
const char *sab_test_close_text(double a, double b, double tolerance, const char *a_text,
                                const char *b_text);
/* Pseudo-random numbers, the same on every machine: in [0,1). */
double sab_test_random(unsigned long long *state);

#endif

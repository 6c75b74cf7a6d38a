/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include <math.h>
#include <stdio.h>

int sab_test_main(const char *suite, const sab_test *tests, size_t n)
{
    unsigned failures = 1;

    if (CU_initialize_registry() != CUE_SUCCESS)
        return 1;
    CU_pSuite s = CU_add_suite(suite, NULL, NULL);
    for (size_t i = 0; s != NULL && i < n; i++)
        if (CU_add_test(s, tests[i].name, tests[i].run) == NULL)
            s = NULL;
    if (s != NULL) {
        CU_basic_set_mode(CU_BRM_VERBOSE);
        CU_basic_run_tests();
        failures = CU_get_number_of_failures();
    }
    CU_cleanup_registry();
    return failures != 0;
}

int sab_test_close(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1.0, fabs(b)); /* false for NaN */
}

const char *sab_test_close_text(double a, double b, double tolerance, const char *a_text,
                                const char *b_text)
{
    /* CUnit keeps the pointer until the summary: as many texts as failures worth reading */
    static char text[64][256];
    static unsigned used;
    char *line = text[used % 64];

    if (sab_test_close(a, b, tolerance))
        return "";
    used++;
    snprintf(line, sizeof text[0], "%s = %.15g, %s = %.15g, tolerance %g", a_text, a, b_text, b,
             tolerance);
    return line;
}

double sab_test_random(unsigned long long *state)
{
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL; /* Knuth's MMIX */
    return (double)(*state >> 11) / 9007199254740992.0;
}

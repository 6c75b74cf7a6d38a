/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of work covers the structure, so that no sum and no checkpoint forgets a member. */
#include "unit.h"

#include "solve/work.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Every member has one row: the sizes add up, and no two rows share a byte. */
static void test_table(void)
{
    char used[sizeof(sab_work)] = {0};
    size_t size = 0;

    for (int i = 0; i < SAB_WORK_ENTRIES; i++) {
        const size_t bytes = i < SAB_WORK_COUNTS ? sizeof(int) : sizeof(double);

        CU_ASSERT_PTR_NOT_NULL_FATAL(sab_work_table[i].name);
        CU_ASSERT_FATAL(sab_work_table[i].offset + bytes <= sizeof(sab_work));
        for (size_t b = 0; b < bytes; b++)
            CU_ASSERT_EQUAL(used[sab_work_table[i].offset + b]++, 0);
        size += bytes;
        for (int j = 0; j < i; j++)
            CU_ASSERT_STRING_NOT_EQUAL(sab_work_table[i].name, sab_work_table[j].name);
    }
    CU_ASSERT_EQUAL(size, sizeof(sab_work));
}

/* a + b - b = a, but for what does not sum, where the last one stands. */
static void test_sums(void)
{
    sab_work a = {0}, b = {0};

    for (int i = 0; i < SAB_WORK_ENTRIES; i++) {
        sab_work_set(&a, i, 3.0 + i);
        sab_work_set(&b, i, 40.0 + 2 * i);
        CU_ASSERT_EQUAL(sab_work_get(&a, i), 3.0 + i);
    }
    CU_ASSERT(a.outer == 3 && a.solves == 6 && a.cpu_analysis == 7.0);
    sab_work sum = a;
    sab_work_add(&sum, &b);
    CU_ASSERT(sum.outer == 43 && sum.cpu_total == 3.0 + 8 + 40.0 + 16);
    CU_ASSERT_EQUAL(sum.cpu_one_factorisation, a.cpu_one_factorisation);
    const sab_work back = sab_work_since(&sum, &b);
    CU_ASSERT_EQUAL(memcmp(&back, &a, sizeof a), 0);
}

/* What a damaged file may hold. */
static void test_absurd(void)
{
    sab_work w = {0};

    sab_work_set(&w, 0, 1e30);
    sab_work_set(&w, 1, -1e30);
    sab_work_set(&w, 2, NAN);
    CU_ASSERT(w.outer == INT_MAX && w.inner == INT_MIN && w.factorisations == INT_MIN);
}

static const sab_test tests[] = {{"one row per member", test_table},
                                 {"sums and differences", test_sums},
                                 {"absurd numbers", test_absurd}};

int main(void)
{
    return SAB_TEST_MAIN("work", tests);
}

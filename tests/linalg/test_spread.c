/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unknowns over processes: every one has a row of its own, every process its share of every group,
 * in one piece, and within a group and a process the order stays. */
#include "unit.h"

#include "linalg/spread.h"

#include <stdbool.h>

enum { N = 101 };

static void check_spread(int processes, const int *group)
{
    const sab_spread s = sab_spread_count(N, group, processes);
    int64_t place[N], end = 0;
    bool taken[N] = {false};

    sab_spread_place(&s, N, group, place);
    for (int p = 0; p < processes; p++)
        for (int g = 0; g < SAB_SPREAD_GROUPS; g++) {
            const int64_t size = sab_spread_size(&s, g, p);

            CU_ASSERT_EQUAL(sab_spread_first(&s, g, p), end); /* one behind the other */
            CU_ASSERT(size == s.count[g] / processes || size == s.count[g] / processes + 1);
            end += size;
        }
    CU_ASSERT_EQUAL(end, N);
    for (int i = 0; i < N; i++) {
        CU_ASSERT_FATAL(place[i] >= 0 && place[i] < N);
        CU_ASSERT(!taken[place[i]]);
        taken[place[i]] = true;
        for (int j = 0; j < i; j++)
            CU_ASSERT((group != NULL && group[i] != group[j]) || place[j] < place[i]);
    }
    for (int i = 0; i < N; i++) { /* and it lies in a share of its group */
        const int g = group != NULL ? group[i] : 1;
        int held = 0;

        for (int p = 0; p < processes; p++)
            held += place[i] >= sab_spread_first(&s, g, p) &&
                    place[i] < sab_spread_first(&s, g, p) + sab_spread_size(&s, g, p);
        CU_ASSERT_EQUAL(held, 1);
    }
}

static void test_places(void)
{
    int group[N];

    for (int i = 0; i < N; i++) /* none in group 2, two in group 3: fewer than processes */
        group[i] = i == 7 || i == 90 ? 3 : i % 3 == 0 ? 0 : 1;
    for (int processes = 1; processes <= 5; processes++) {
        check_spread(processes, group);
        check_spread(processes, NULL);
    }
}

/* On one process and without groups the unknowns stay in place. */
static void test_stay(void)
{
    const sab_spread s = sab_spread_count(N, NULL, 1);
    int64_t place[N];

    sab_spread_place(&s, N, NULL, place);
    for (int i = 0; i < N; i++)
        CU_ASSERT_EQUAL(place[i], i);
}

static const sab_test tests[] = {{"a row for each unknown, a share for each process", test_places},
                                 {"one process, no groups", test_stay}};

int main(void)
{
    return SAB_TEST_MAIN("linalg/spread", tests);
}

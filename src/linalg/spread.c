/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linalg/spread.h"

#include <stddef.h>

/* The first of `count` that belongs to a process. */
static int64_t begin(int64_t count, int process, int processes)
{
    return count / processes * process + count % processes * process / processes;
}

sab_spread sab_spread_count(int64_t n, const int *group, int processes)
{
    sab_spread s = {.processes = processes};

    for (int64_t i = 0; i < n; i++)
        s.count[group != NULL ? group[i] : 1]++;
    return s;
}

int64_t sab_spread_size(const sab_spread *s, int group, int process)
{
    return begin(s->count[group], process + 1, s->processes) -
           begin(s->count[group], process, s->processes);
}

int64_t sab_spread_first(const sab_spread *s, int group, int process)
{
    int64_t row = 0;

    for (int g = 0; g < SAB_SPREAD_GROUPS; g++) {
        row += begin(s->count[g], process, s->processes);
        row += g < group ? sab_spread_size(s, g, process) : 0;
    }
    return row;
}

void sab_spread_place(const sab_spread *s, int64_t n, const int *group, int64_t *place)
{
    int64_t row[SAB_SPREAD_GROUPS], left[SAB_SPREAD_GROUPS];
    int process[SAB_SPREAD_GROUPS] = {0};

    for (int g = 0; g < SAB_SPREAD_GROUPS; g++) {
        row[g] = sab_spread_first(s, g, 0);
        left[g] = sab_spread_size(s, g, 0);
    }
    for (int64_t i = 0; i < n; i++) {
        const int g = group != NULL ? group[i] : 1;

        while (left[g] == 0) {
            process[g]++;
            row[g] = sab_spread_first(s, g, process[g]);
            left[g] = sab_spread_size(s, g, process[g]);
        }
        place[i] = row[g]++;
        left[g]--;
    }
}

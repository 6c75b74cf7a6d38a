/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solve/work.h"

#include <limits.h>
#include <math.h>

#define ENTRY(name, member, sums)                                                                  \
    {                                                                                              \
        name, offsetof(sab_work, member), sums                                                     \
    }

const sab_work_entry sab_work_table[SAB_WORK_ENTRIES] = {
    ENTRY("outer", outer, true),
    ENTRY("inner", inner, true),
    ENTRY("factorisations", factorisations, true),
    ENTRY("solves", solves, true),
    ENTRY("analysis", cpu_analysis, true),
    ENTRY("factorisation", cpu_factorisation, true),
    ENTRY("solve", cpu_solve, true),
    ENTRY("cones", cpu_cones, true),
    ENTRY("solver", cpu_total, true),
    ENTRY("one_factorisation", cpu_one_factorisation, false),
};

double sab_work_get(const sab_work *work, int i)
{
    const char *at = (const char *)work + sab_work_table[i].offset;

    return i < SAB_WORK_COUNTS ? (double)*(const int *)(const void *)at
                               : *(const double *)(const void *)at;
}

void sab_work_set(sab_work *work, int i, double value)
{
    void *at = (char *)work + sab_work_table[i].offset;

    if (i >= SAB_WORK_COUNTS)
        *(double *)at = value;
    else
        *(int *)at = (int)fmin(fmax(value, INT_MIN), INT_MAX);
}

void sab_work_add(sab_work *sum, const sab_work *more)
{
    for (int i = 0; i < SAB_WORK_ENTRIES; i++)
        if (sab_work_table[i].sums)
            sab_work_set(sum, i, sab_work_get(sum, i) + sab_work_get(more, i));
}

sab_work sab_work_since(const sab_work *now, const sab_work *then)
{
    sab_work since = *now;

    for (int i = 0; i < SAB_WORK_ENTRIES; i++)
        if (sab_work_table[i].sums)
            sab_work_set(&since, i, sab_work_get(now, i) - sab_work_get(then, i));
    return since;
}

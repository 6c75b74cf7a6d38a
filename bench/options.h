/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/options.h -- the command lines of the benchmark programs: NAME VALUE pairs after the
 * arguments, --set collected. */
#ifndef SAB_BENCH_OPTIONS_H
#define SAB_BENCH_OPTIONS_H

#include "linalg/threads.h"
#include "solve/solve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_OVERRIDES = 32 };

static inline int bench_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of n numbers, which are sorted. */
static inline double bench_median(double *sample, int n)
{
    qsort(sample, (size_t)n, sizeof *sample, bench_compare);
    return sample[n / 2];
}

/* The value of an option, or `fallback`. */
static inline const char *bench_option(int argc, char **argv, const char *name,
                                       const char *fallback)
{
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return argv[i + 1];
    return fallback;
}

static inline double bench_number(int argc, char **argv, const char *name, double fallback)
{
    const char *text = bench_option(argc, argv, name, NULL);

    return text != NULL ? strtod(text, NULL) : fallback;
}

static inline bool bench_flag(int argc, char **argv, const char *name)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return false;
}

static inline int bench_overrides(int argc, char **argv, const char **override)
{
    int n = 0;

    for (int i = 1; i + 1 < argc && n < BENCH_OVERRIDES; i++)
        if (strcmp(argv[i], "--set") == 0)
            override[n++] = argv[++i];
    return n;
}

/* --threads N; one if it is not given, so that CPU times compare. */
static inline void bench_threads(int argc, char **argv)
{
    sab_threads_set((int)bench_number(argc, argv, "--threads", 1.0));
}

/* The method of that name, or SAB_METHOD_COUNT. */
static inline sab_method bench_method(const char *name)
{
    int m = 0;

    while (m < SAB_METHOD_COUNT && strcmp(sab_method_table[m].name, name) != 0)
        m++;
    return (sab_method)m;
}

/* --linear cholmod|mumps, --ordering amd|metis */
static inline void bench_linear(int argc, char **argv, sab_solver_options *options)
{
    const char *ordering = bench_option(argc, argv, "--ordering", "auto");

    if (strcmp(bench_option(argc, argv, "--linear", "auto"), "mumps") == 0)
        options->linear = SAB_MUMPS;
    if (strcmp(ordering, "auto") != 0)
        options->ordering = strcmp(ordering, "metis") == 0 ? SAB_ORDERING_METIS : SAB_ORDERING_AMD;
}

#endif

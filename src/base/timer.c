/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/timer.h"

#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t clock_id)
{
    struct timespec t;

    clock_gettime(clock_id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double sab_cpu_seconds(void)
{
    return seconds(CLOCK_PROCESS_CPUTIME_ID);
}

double sab_wall_seconds(void)
{
    return seconds(CLOCK_MONOTONIC);
}

double sab_peak_memory(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss; /* Linux reports kilobytes */
}

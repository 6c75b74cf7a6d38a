/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/random_flows.h -- random inertial flows: half silos, hoppers and channels, coarse. */
#ifndef SAB_BENCH_RANDOM_FLOWS_H
#define SAB_BENCH_RANDOM_FLOWS_H

#include "base/error.h"

#include <stdbool.h>

typedef struct bench_flows {
    const char *directory; /* for meshes */
    double end;            /* time; at most `steps` steps are made */
    int steps;
    double tolerance;
    bool free_inflow; /* without the term of open sides [docs/theory.md, 3.4] */
} bench_flows;

/* The head of the table, and the row of one flow. *quiet is true if the flow ends well (exit code
 * 0) and yet more energy than 1 % of the work done on it was made of nothing. */
void bench_flows_head(void);
sab_status bench_flows_run(unsigned long long seed, const bench_flows *o, bool *quiet,
                           sab_error *err);

#endif

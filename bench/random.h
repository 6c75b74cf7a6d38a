/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/random.h -- numbers that are the same on every machine. */
#ifndef SAB_BENCH_RANDOM_H
#define SAB_BENCH_RANDOM_H

#include <math.h>

/* xorshift64* */
static inline double uniform(unsigned long long *state, double low, double high)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return low +
           (high - low) * (double)((*state * 2685821657736338717ULL) >> 11) / 9007199254740992.0;
}

/* 10^a to 10^b, the exponent uniform */
static inline double decades(unsigned long long *state, double a, double b)
{
    return pow(10.0, uniform(state, a, b));
}

/* A state that depends on every bit of the seed. */
static inline unsigned long long bench_seed(unsigned long long seed)
{
    unsigned long long r = seed * 2654435761ULL + 88172645463325252ULL;

    for (int i = 0; i < 20; i++)
        uniform(&r, 0.0, 1.0);
    return r;
}

#endif

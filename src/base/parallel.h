/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/parallel.h -- loops on several threads, with results that do not depend on their number.
 *
 * A loop whose turns write to different places needs nothing but SAB_PARALLEL_FOR. A sum is taken
 * over SAB_CHUNKS parts, whatever the number of threads, and these are added in their order:
 *
 *     double part[SAB_CHUNKS], sum = 0.0;
 *     SAB_PARALLEL_FOR(n)
 *     for (int c = 0; c < SAB_CHUNKS; c++) {
 *         part[c] = 0.0;
 *         for (int i = sab_chunk(n, c); i < sab_chunk(n, c + 1); i++)
 *             part[c] += x[i];
 *     }
 *     for (int c = 0; c < SAB_CHUNKS; c++)
 *         sum += part[c];
 *
 * The number of threads is that of OpenMP (linalg/threads.h sets it); without OpenMP it is one. */
#ifndef SAB_BASE_PARALLEL_H
#define SAB_BASE_PARALLEL_H

#include <stdint.h>

enum { SAB_CHUNKS = 64 };

/* Below so many points or unknowns, waking a thread costs more than it does. */
enum { SAB_PARALLEL_LEAST = 4000 };

#ifdef _OPENMP
#define SAB_PRAGMA(text) _Pragma(#text)
#else
#define SAB_PRAGMA(text)
#endif
/* The `for` that follows goes to all threads if `work`, points or unknowns, is enough for them. */
#define SAB_PARALLEL_FOR(work)                                                                     \
    SAB_PRAGMA(omp parallel for schedule(static) if ((work) >= SAB_PARALLEL_LEAST))

/* Where chunk c of n items begins; it ends where c + 1 begins. */
static inline int sab_chunk(int n, int c)
{
    return (int)((int64_t)n * c / SAB_CHUNKS);
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* linalg/threads.h -- how many threads work: in our own loops (base/parallel.h) and in the BLAS.
 * The numbers are kept by OpenMP and by OpenBLAS, which is looked up at run time, because Debian
 * chooses the BLAS of a machine by its alternatives. */
#ifndef SAB_LINALG_THREADS_H
#define SAB_LINALG_THREADS_H

#include <stdbool.h>

#include "base/error.h"

/* For this process, from now on. Before the first call both libraries take all processors. */
void sab_threads_set(int threads);
int sab_threads_get(void); /* of our own loops; 1 without OpenMP */

/* Between hold and release, OpenMP gives one thread to whoever asks, and the BLAS has one unless
 * `blas`: around calls of factorisation libraries. CHOLMOD asks for four, whatever the environment
 * says; and on small fronts threads of the BLAS only wait. Release what hold returned. */
typedef struct sab_held {
    int levels, blas;
} sab_held;
sab_held sab_threads_hold(bool blas);
void sab_threads_release(sab_held held);

const char *sab_blas_name(void); /* "OpenBLAS 0.3.21 ..." or "unknown BLAS" */

/* OpenBLAS asks for its buffer (128 MB of addresses) at the first call, and where it gets none it
 * asks again for ever. So this is tried before, and the buffer is taken while it can be had.
 * SAB_ERR_MEMORY if it cannot. */
sab_status sab_blas_reserve(sab_error *err);

#endif

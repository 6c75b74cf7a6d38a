/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "linalg/threads.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* ISO C has no conversion from void * to a function pointer; POSIX says to copy the bits. */
#define LOOK_UP(name, function)                                                                    \
    do {                                                                                           \
        void *symbol = dlsym(RTLD_DEFAULT, name);                                                  \
        memcpy(&(function), &symbol, sizeof(function));                                            \
    } while (0)

const char *sab_blas_name(void)
{
    char *(*config)(void);

    LOOK_UP("openblas_get_config", config);
    return config != NULL ? config() : "unknown BLAS";
}

static void call_if_there(const char *name, int argument)
{
    void (*call)(int);

    LOOK_UP(name, call);
    if (call != NULL)
        call(argument);
}

sab_status sab_blas_reserve(sab_error *err)
{
    enum { BUFFER = 160 * 1024 * 1024 };
    void (*dsyrk)(const char *, const char *, const int *, const int *, const double *,
                  const double *, const int *, const double *, double *, const int *);
    void *room = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    const double one = 1.0;
    const int n = 1;
    double c = 0.0;

    if (room == MAP_FAILED)
        return sab_fail(err, SAB_ERR_MEMORY,
                        "out of memory: the BLAS needs %d MB of addresses for its buffer; is there "
                        "a limit (ulimit -v)?",
                        BUFFER >> 20);
    munmap(room, BUFFER);
    LOOK_UP("dsyrk_", dsyrk);
    if (dsyrk != NULL) /* of any size it takes the buffer, and OpenBLAS keeps it */
        dsyrk("L", "N", &n, &n, &one, &one, &n, &one, &c, &n);
    return SAB_OK;
}

/* Leaves the BLAS with one thread, and returns how many it had; 0 if it does not say. */
static int hold_blas(void)
{
    int (*count)(void);

    LOOK_UP("openblas_get_num_threads", count);
    const int threads = count != NULL ? count() : 0;
    if (threads > 1)
        call_if_there("openblas_set_num_threads", 1);
    return threads;
}

static void release_blas(int threads)
{
    if (threads > 1)
        call_if_there("openblas_set_num_threads", threads);
}

#ifdef _OPENMP

void sab_threads_set(int threads)
{
    call_if_there("openblas_set_num_threads", threads);
    omp_set_num_threads(threads);
}

int sab_threads_get(void)
{
    return omp_get_max_threads();
}

sab_held sab_threads_hold(bool blas)
{
    const sab_held held = {omp_get_max_active_levels(), blas ? 0 : hold_blas()};

    omp_set_max_active_levels(0);
    return held;
}

void sab_threads_release(sab_held held)
{
    omp_set_max_active_levels(held.levels);
    release_blas(held.blas);
}

#else /* no loops of our own to keep, but CHOLMOD may still have its own */

void sab_threads_set(int threads)
{
    call_if_there("openblas_set_num_threads", threads);
    call_if_there("omp_set_max_active_levels", 0);
}

int sab_threads_get(void)
{
    return 1;
}

sab_held sab_threads_hold(bool blas)
{
    return (sab_held){0, blas ? 0 : hold_blas()};
}

void sab_threads_release(sab_held held)
{
    release_blas(held.blas);
}

#endif

#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "cli/blas.h"

#include <dlfcn.h>
#include <string.h>

const char *sab_blas_name(void)
{
    /* ISO C has no conversion from void * to a function pointer; POSIX says to copy the bits */
    char *(*config)(void) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_config");

    memcpy(&config, &symbol, sizeof config);
    return config != NULL ? config() : "unknown BLAS";
}

static void call_if_there(const char *function, int argument)
{
    void (*call)(int) = NULL;
    void *symbol = dlsym(RTLD_DEFAULT, function);

    memcpy(&call, &symbol, sizeof call);
    if (call != NULL)
        call(argument);
}

void sab_blas_set_threads(int threads)
{
    call_if_there("openblas_set_num_threads", threads);
    /* CHOLMOD asks for four OpenMP threads whatever the environment says: 1.5 times the CPU of one
     * in the plane. Zero active levels means that no parallel region gets a second thread. */
    call_if_there("omp_set_max_active_levels", threads > 1 ? 1 : 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/memory.h -- allocation with overflow check; every allocation of the library goes through
 * sab_alloc or sab_realloc, so that tests can make each one fail in turn (ld --wrap). */
#ifndef SAB_BASE_MEMORY_H
#define SAB_BASE_MEMORY_H

#include "base/error.h"

#include <stddef.h>

/* Zeroed array of `count` items; NULL if memory is short or count*size overflows. A count of zero
 * gives a valid pointer. */
void *sab_alloc(size_t count, size_t size);
/* As realloc, with overflow check; new items are not cleared. */
void *sab_realloc(void *array, size_t count, size_t size);
/* free(*array) and set it to NULL; pass the address of the pointer. */
#define SAB_FREE(array) (sab_free(array), (array) = NULL)
void sab_free(void *array);
/* Owned copy of a string; NULL if memory is short. */
char *sab_strdup(const char *text);

/* In a function with `status`, `err` and `cleanup`: array = sab_alloc(...) or leave. */
#define SAB_NEW(array, count)                                                                      \
    do {                                                                                           \
        (array) = sab_alloc((size_t)(count), sizeof *(array));                                     \
        if ((array) == NULL)                                                                       \
            SAB_FAIL(err, SAB_ERR_MEMORY, "out of memory: %zu bytes for '%s' in %s",               \
                     (size_t)(count) * sizeof *(array), #array, __func__);                         \
    } while (0)

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *sab_alloc(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size); /* calloc checks count*size */
}

void *sab_realloc(void *array, size_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return NULL;
    return realloc(array, count > 0 ? count * size : size);
}

void sab_free(void *array)
{
    free(array);
}

char *sab_strdup(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = sab_alloc(size, 1);

    if (copy != NULL)
        memcpy(copy, text, size);
    return copy;
}

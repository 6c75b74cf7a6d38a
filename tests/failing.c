/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"

#include <stdbool.h>

struct sab_test_memory sab_memory = {.failing = -1};

void *__real_sab_alloc(size_t count, size_t size);
void *__wrap_sab_alloc(size_t count, size_t size);
void *__real_sab_realloc(void *array, size_t count, size_t size);
void *__wrap_sab_realloc(void *array, size_t count, size_t size);
char *__real_sab_strdup(const char *text);
char *__wrap_sab_strdup(const char *text);
void __real_sab_free(void *array);
void __wrap_sab_free(void *array);

static bool fails(void)
{
    return sab_memory.failing >= 0 && sab_memory.failing-- == 0;
}

static void *count(void *array, size_t bytes)
{
    sab_memory.live += array != NULL;
    if (bytes > sab_memory.largest)
        sab_memory.largest = bytes;
    return array;
}

void *__wrap_sab_alloc(size_t n, size_t size)
{
    return fails() ? NULL : count(__real_sab_alloc(n, size), n * size);
}

void *__wrap_sab_realloc(void *array, size_t n, size_t size)
{
    if (fails())
        return NULL;
    const bool old = array != NULL;
    void *grown = count(__real_sab_realloc(array, n, size), n * size);

    sab_memory.live -= old && grown != NULL; /* in its place */
    return grown;
}

char *__wrap_sab_strdup(const char *text)
{
    return fails() ? NULL : count(__real_sab_strdup(text), 0);
}

void __wrap_sab_free(void *array)
{
    sab_memory.live -= array != NULL;
    __real_sab_free(array);
}

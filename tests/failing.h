/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/failing.h -- allocations that are counted, and fail on demand. Programs that use it have
 * failing_dep in tests/meson.build, which puts it between the library and base/memory.h. */
#ifndef SAB_TESTS_FAILING_H
#define SAB_TESTS_FAILING_H

#include <stddef.h>

extern struct sab_test_memory {
    long failing;   /* allocations before the one that fails, counted down; negative: none does */
    long live;      /* arrays that have not been given back */
    size_t largest; /* allocation so far, bytes */
} sab_memory;

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/pool.h -- runs of this program as child processes, a few at a time.
 *
 * Each child has a process group of its own, so that Ctrl-C reaches it once, through
 * sab_pool_stop, and not from the terminal as well: the second signal would end it without a
 * checkpoint. A batch system sends SIGTERM to all processes of a job at once, so that the signal
 * from here is another one. It is told to stop when this process dies. */
#ifndef SAB_RUN_POOL_H
#define SAB_RUN_POOL_H

#include "base/error.h"

#include <stdbool.h>

typedef struct sab_pool {
    int size, running;
    struct sab_child *child; /* [size] */
    bool stopped;
} sab_pool;

sab_status sab_pool_create(int size, sab_pool *pool, sab_error *err);
/* Start this program with these arguments (NULL at the end), its output in the file `log`: a new
 * one, or what is there goes on. There must be room: running < size. */
sab_status sab_pool_start(sab_pool *pool, int tag, const char *const *argument, const char *log,
                          bool append, sab_error *err);
/* Wait until a child ends, a signal comes or that many seconds are over. The tag of a child that
 * has ended, with its exit code (128 + n if signal n ended it); -1 if none has. */
int sab_pool_wait(sab_pool *pool, double seconds, int *code);
/* Ask all children to stop, once. */
void sab_pool_stop(sab_pool *pool);
/* All children must have ended. */
void sab_pool_destroy(sab_pool *pool);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* sigtimedwait, setenv */
#include "run/pool.h"
#include "base/memory.h"
#include "run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct sab_child {
    pid_t pid; /* 0: free */
    int tag;
};

sab_status sab_pool_create(int size, sab_pool *pool, sab_error *err)
{
    sab_status status = SAB_OK;
    sigset_t set;

    *pool = (sab_pool){0};
    SAB_NEW(pool->child, size);
    pool->size = size; /* not before: it is asked how many there are also where this failed */
    sigemptyset(&set); /* blocked, so that sigtimedwait finds it; children get it back */
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    /* one thread each: points at the same time use the processors better than threads do */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_THREAD_LIMIT", "1", 1);
cleanup:
    return status;
}

sab_status sab_pool_start(sab_pool *pool, int tag, const char *const *argument, const char *log,
                          bool append, sab_error *err)
{
    const int file = open(
        log,
        O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (append ? O_APPEND : O_TRUNC),
        0666); /* not through a link, and without waiting for the reader of a pipe */
    sab_status status;
    int slot = 0;
    pid_t pid;

    if (file < 0)
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", log,
                        errno == ELOOP ? "there is a link of that name" : strerror(errno));
    while (pool->child[slot].pid != 0)
        slot++;
    status = sab_process_start("/proc/self/exe", argument, file, file, true, &pid, err);
    close(file);
    if (status != SAB_OK)
        return status;
    pool->child[slot] = (struct sab_child){pid, tag};
    pool->running++;
    return SAB_OK;
}

int sab_pool_wait(sab_pool *pool, double seconds, int *code)
{
    const struct timespec limit = {(time_t)seconds,
                                   (long)(1e9 * (seconds - (double)(time_t)seconds))};
    sigset_t set;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < pool->size; i++) {
            if (pool->child[i].pid == 0 || (*code = sab_process_code(pool->child[i].pid)) < 0)
                continue;
            pool->child[i].pid = 0;
            pool->running--;
            return pool->child[i].tag;
        }
        sigemptyset(&set);
        sigaddset(&set, SIGCHLD);
        if (round == 0)
            sigtimedwait(&set, NULL, &limit); /* also ends when a handler has run */
    }
    return -1;
}

void sab_pool_stop(sab_pool *pool)
{
    for (int i = 0; i < pool->size && !pool->stopped; i++)
        if (pool->child[i].pid != 0)
            kill(pool->child[i].pid, SIGINT); /* not TERM: a batch system sends that itself */
    pool->stopped = true;
}

void sab_pool_destroy(sab_pool *pool)
{
    SAB_FREE(pool->child);
}

#define _GNU_SOURCE /* prctl's constants, environment */
#include "cli/pool.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct sab_child {
    pid_t pid; /* 0: free */
    int tag;
};

/* SIGCHLD is blocked, so that sigtimedwait finds it; children get it back. */
static void block_child_signal(int how, sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGCHLD);
    sigprocmask(how, set, NULL);
}

sab_status sab_pool_create(int size, sab_pool *pool, sab_error *err)
{
    sab_status status = SAB_OK;
    sigset_t set;

    *pool = (sab_pool){.size = size};
    SAB_NEW(pool->child, size);
    block_child_signal(SIG_BLOCK, &set);
    /* one thread each: points at the same time use the processors better than threads do */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    setenv("OMP_THREAD_LIMIT", "1", 1);
cleanup:
    return status;
}

/* In the child: never returns. */
static void become(const char *const *argument, int log, pid_t parent)
{
    const int nothing = open("/dev/null", O_RDONLY);
    sigset_t set;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it has died already */
        _exit(75);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    block_child_signal(SIG_UNBLOCK, &set);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execv("/proc/self/exe", (char *const *)argument);
    static const char sentence[] = "error: cannot start /proc/self/exe\n";
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(4);
}

sab_status sab_pool_start(sab_pool *pool, int tag, const char *const *argument, const char *log,
                          bool append, sab_error *err)
{
    const pid_t parent = getpid();
    const int file =
        open(log, O_WRONLY | O_CREAT | O_CLOEXEC | (append ? O_APPEND : O_TRUNC), 0666);
    int slot = 0;

    if (file < 0)
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", log, strerror(errno));
    while (pool->child[slot].pid != 0)
        slot++;
    const pid_t pid = fork();
    if (pid == 0)
        become(argument, file, parent);
    const int reason = errno;
    close(file);
    if (pid < 0)
        return sab_fail(err, SAB_ERR_MEMORY, "cannot start a process: %s", strerror(reason));
    setpgid(pid, pid); /* here too: whoever is first */
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
            int result;

            if (pool->child[i].pid == 0 ||
                waitpid(pool->child[i].pid, &result, WNOHANG) != pool->child[i].pid)
                continue;
            *code = WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
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

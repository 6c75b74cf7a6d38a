/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* dprintf, prctl's constants */
#include "run/process.h"
#include "linalg/server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void hold(pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it has died already */
        _exit(75);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

/* In the child: never returns. */
static void become(const char *program, const char *const *word, int output, int complaints)
{
    const int nothing = open("/dev/null", O_RDONLY);
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD); /* which a pool blocks */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(complaints, STDERR_FILENO);
    sab_server_disown();
    execvp(program, (char *const *)word);
    dprintf(STDERR_FILENO, "%s\n", strerror(errno));
    _exit(127);
}

sab_status sab_process_start(const char *program, const char *const *word, int output,
                             int complaints, bool leash, pid_t *pid, sab_error *err)
{
    const pid_t parent = getpid();
    struct sigaction old;

    /* Whoever starts us may have said that children are of no interest. Then the system forgets
     * them as they end, and nobody could ask how. */
    if (sigaction(SIGCHLD, NULL, &old) == 0 && old.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
    *pid = fork();
    if (*pid < 0)
        return sab_fail(err, SAB_ERR_MEMORY, "cannot start '%s': %s", word[0], strerror(errno));
    if (*pid == 0) {
        if (leash)
            hold(parent);
        become(program, word, output, complaints);
    }
    if (leash)
        setpgid(*pid, *pid); /* here too: whoever is first */
    return SAB_OK;
}

static int code_of(int result)
{
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128 + WTERMSIG(result);
}

int sab_process_wait(pid_t pid)
{
    int result = 0;
    pid_t ended;

    do
        ended = waitpid(pid, &result, 0);
    while (ended < 0 && errno == EINTR);
    return ended == pid ? code_of(result) : SAB_PROCESS_LOST;
}

int sab_process_code(pid_t pid)
{
    int result = 0;
    const pid_t ended = waitpid(pid, &result, WNOHANG);

    if (ended == pid)
        return code_of(result);
    return ended < 0 && errno == ECHILD ? SAB_PROCESS_LOST : -1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preload.c -- make one call fail, or kill the process there (LD_PRELOAD; scripts/faults).
 *
 * Counted are calls that come from the program itself, not from libraries: those that allocate, and
 * those that change or sync files. Environment:
 *   FAULTS_KIND   alloc, read, fork (and pipes, files in memory), io (all below), or write fsync
 *                 rename open link unlink mkdir truncate
 *   FAULTS_AT     number of the call, from 0; none: count only
 *   FAULTS_ERRNO  what it fails with; 0: SIGKILL instead, before the call; -1: no error, but only a
 *                 part is written or read
 *   FAULTS_STAY   all later ones fail too: a full disk
 *   FAULTS_COUNT  file to which the numbers of calls are written at the end
 *   FAULTS_SIGNAL, FAULTS_AFTER  a signal to the process after so many microseconds of its CPU
 * time, which does not depend on what else the machine does FAULTS_WORD   only if this is the first
 * word of the command line (run, study)
 *
 * With FAULTS_SERVER the program is loaded once, which takes longer than a small run, and forks for
 * each request: one that comes in on standard input, as texts that end with a zero byte, the first
 * of them their number; then the directory to go to, the file for what is said, settings
 * NAME=VALUE, "", and the arguments. The answers are lines: the number of the process, then its
 * status (waitpid). A process that such a one starts by execv of itself is made by calling main
 * again. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static uintptr_t begin, end; /* of the program's own code */
static const char *kind;
enum { KINDS = 11, IO = 3 }; /* the first three are not among io */
static const char *const name[KINDS] = {"alloc", "read", "fork",   "write", "fsync",   "rename",
                                        "open",  "link", "unlink", "mkdir", "truncate"};
static long at = -1, calls, counted[KINDS];
static int number;
static bool stay, active;

static int own_code(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];

        if (p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0) {
            begin = info->dlpi_addr + p->p_vaddr;
            end = begin + p->p_memsz;
        }
    }
    return 1; /* the first is the program */
}

/* Take the settings from the environment; `word` is the first one of the command line. */
static void set_up(const char *word)
{
    const char *text = getenv("FAULTS_AT"), *why = getenv("FAULTS_ERRNO"),
               *wanted = getenv("FAULTS_WORD");

    kind = getenv("FAULTS_KIND");
    at = text != NULL ? atol(text) : -1;
    number = why != NULL ? atoi(why) : EIO;
    stay = getenv("FAULTS_STAY") != NULL;
    calls = 0;
    memset(counted, 0, sizeof counted);
    active = kind != NULL && (wanted == NULL || (word != NULL && strcmp(word, wanted) == 0));
    text = getenv("FAULTS_AFTER");
    why = getenv("FAULTS_SIGNAL");
    if (active && text != NULL && why != NULL) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = atoi(why)};
        const struct itimerspec when = {
            .it_value = {atol(text) / 1000000, 1000 * (atol(text) % 1000000) + 1}};
        timer_t timer;

        if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 ||
            timer_settime(timer, 0, &when, NULL) != 0)
            _exit(98);
    }
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("FAULTS_COUNT");

    if (path != NULL && active) {
        char text[400] = "";
        int n = 0;

        for (int i = 0; i < KINDS; i++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s %ld\n", name[i], counted[i]);
        const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

        syscall(SYS_write, fd, text, n);
        syscall(SYS_close, fd);
    }
}

/* Does this call fail? */
static bool fails(const char *what, const void *caller)
{
    const uintptr_t from = (uintptr_t)caller;

    if (!active || from < begin || from >= end)
        return false;
    int index = 0;
    while (strcmp(name[index], what) != 0)
        index++;
    __atomic_fetch_add(&counted[index], 1, __ATOMIC_RELAXED);
    if (strcmp(kind, what) != 0 && !(strcmp(kind, "io") == 0 && index >= IO))
        return false;
    const long mine = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (at < 0 || mine < at || (mine > at && !stay))
        return false;
    if (number == 0) {
        syscall(SYS_kill, getpid(), SIGKILL);
        __builtin_trap(); /* the reader of a mesh may send no signals, not even to itself */
    }
    errno = number;
    return true;
}

#define CALLER __builtin_return_address(0)

void *calloc(size_t n, size_t size)
{
    return fails("alloc", CALLER) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *old, size_t size)
{
    return fails("alloc", CALLER) ? NULL : __libc_realloc(old, size);
}
ssize_t write(int fd, const void *bytes, size_t n)
{
    /* what is printed is no file */
    if (fd > 2 && fails("write", CALLER)) {
        if (number > 0)
            return -1;
        n = (n + 1) / 2;
    }
    return (ssize_t)syscall(SYS_write, fd, bytes, n);
}
ssize_t read(int fd, void *bytes, size_t n)
{
    if (fails("read", CALLER)) {
        if (number > 0)
            return -1;
        n = (n + 1) / 2;
    }
    return (ssize_t)syscall(SYS_read, fd, bytes, n);
}
pid_t fork(void)
{
    static pid_t (*real)(void);

    if (real == NULL)
        real = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    return fails("fork", CALLER) ? -1 : real();
}
int pipe(int ends[2])
{
    return fails("fork", CALLER) ? -1 : (int)syscall(SYS_pipe2, ends, 0);
}
int memfd_create(const char *label, unsigned flags)
{
    return fails("fork", CALLER) ? -1 : (int)syscall(SYS_memfd_create, label, flags);
}
int fsync(int fd)
{
    return fails("fsync", CALLER) ? -1 : (int)syscall(SYS_fsync, fd);
}
int rename(const char *from, const char *to)
{
    return fails("rename", CALLER) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int link(const char *from, const char *to)
{
    return fails("link", CALLER) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int unlink(const char *path)
{
    return fails("unlink", CALLER) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int unlinkat(int fd, const char *path, int flags)
{
    return fails("unlink", CALLER) ? -1 : (int)syscall(SYS_unlinkat, fd, path, flags);
}
int mkdir(const char *path, mode_t mode)
{
    return fails("mkdir", CALLER) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
int ftruncate64(int fd, off64_t size)
{
    return fails("truncate", CALLER) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}
static int opening(int folder, const char *path, int flags, va_list args, const void *caller)
{
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(args, mode_t) : 0;

    /* where a disk stays full, what is there can be opened */
    return !(stay && (flags & O_CREAT) == 0) && fails("open", caller)
               ? -1
               : (int)syscall(SYS_openat, folder, path, flags, mode);
}
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        const int fd = opening(AT_FDCWD, path, flags, args, CALLER);                               \
        va_end(args);                                                                              \
        return fd;                                                                                 \
    }
#undef open
#undef open64
OPEN(open)
OPEN(open64)
int openat64(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const int fd = opening(folder, path, flags, args, CALLER);
    va_end(args);
    return fd;
}
FILE *fopen64(const char *path, const char *mode)
{
    static FILE *(*real)(const char *, const char *);

    if (real == NULL)
        real = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen64");
    return !stay && fails("open", CALLER) ? NULL : real(path, mode);
}
DIR *opendir(const char *path)
{
    static DIR *(*real)(const char *);

    if (real == NULL)
        real = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    return !stay && fails("open", CALLER) ? NULL : real(path);
}
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags) /* FORTIFY */
{
    return !stay && fails("open", CALLER) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

/* ---- one process for many runs --------------------------------------------------------------- */

typedef int main_function(int argc, char **argv, char **environment);
static main_function *program;
static bool serving;
extern char **environ;

/* The next text of a request, in a buffer of its own; ends the process where there is none. */
static char *next_text(void)
{
    size_t size = 0;
    char *text = NULL;

    if (getdelim(&text, &size, 0, stdin) <= 0)
        _exit(0);
    return text;
}

static void run_request(void)
{
    const int count = atoi(next_text());
    char *text[count + 1];
    int i = 2;

    for (int k = 0; k < count; k++)
        text[k] = next_text();
    text[count] = NULL;
    const pid_t pid = fork();
    if (pid == 0) {
        const int nothing = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR);
        const int words = (int)syscall(SYS_openat, AT_FDCWD, text[1],
                                       O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);

        if (chdir(text[0]) != 0 || nothing < 0 || words < 0)
            _exit(99);
        dup2(nothing, 0);
        dup2(nothing, 1);
        dup2(words, 2);
        close(nothing);
        close(words);
        __fpurge(stdin);
        clearerr(stdin);
        for (; text[i] != NULL && text[i][0] != '\0'; i++)
            putenv(text[i]);
        set_up(text[i + 1 + 1]);
        exit(program(count - i - 1, text + i + 1, environ));
    }
    printf("%ld\n", (long)pid);
    fflush(stdout);
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    printf("%d\n", status);
    fflush(stdout);
    for (int k = 0; k < count; k++)
        free(text[k]);
}

static int serve(int argc, char **argv, char **environment)
{
    if (getenv("FAULTS_SERVER") == NULL) {
        set_up(argc > 1 ? argv[1] : NULL);
        return program(argc, argv, environment);
    }
    unsetenv("FAULTS_SERVER");
    serving = true;
    for (;;)
        run_request();
}

/* What the kernel does of it: descriptors, handlers and what was not printed yet go. */
int execv(const char *path, char *const *argument)
{
    int argc = 0;

    if (!serving || strcmp(path, "/proc/self/exe") != 0) {
        syscall(SYS_execve, path, argument, environ);
        return -1;
    }
    for (int fd = 3; fd < 256; fd++)
        if ((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0)
            close(fd);
    for (int s = 1; s < 32; s++) {
        struct sigaction old;

        if (sigaction(s, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            signal(s, SIG_DFL);
    }
    __fpurge(stdout);
    __fpurge(stderr);
    while (argument[argc] != NULL)
        argc++;
    set_up(argc > 1 ? argument[1] : NULL);
    exit(program(argc, (char **)argument, environ));
}

int execvp(const char *path, char *const *argument)
{
    static int (*real)(const char *, char *const *);

    if (real == NULL)
        real = (int (*)(const char *, char *const *))dlsym(RTLD_NEXT, "execvp");
    return strcmp(path, "/proc/self/exe") == 0 ? execv(path, argument) : real(path, argument);
}

int __libc_start_main(main_function *main, int argc, char **argv, main_function *init,
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*real)(main_function *, int, char **, main_function *, void (*)(void), void (*)(void),
                void *) = dlsym(RTLD_NEXT, "__libc_start_main");

    dl_iterate_phdr(own_code, NULL);
    program = main;
    return real(serve, argc, argv, init, fini, rtld_fini, stack_end);
}

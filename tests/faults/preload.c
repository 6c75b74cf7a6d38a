/* preload.c -- make one call fail, or kill the process there (LD_PRELOAD; scripts/faults).
 *
 * Counted are calls that come from the program itself, not from libraries: those that allocate, and
 * those that change or sync files. Environment:
 *   FAULTS_KIND   alloc, io (all below), or write fsync rename open link unlink mkdir truncate
 *   FAULTS_AT     number of the call, from 0; none: count only
 *   FAULTS_ERRNO  what it fails with; 0: SIGKILL instead, before the call
 *   FAULTS_STAY   all later ones fail too: a full disk
 *   FAULTS_COUNT  file to which the numbers of calls are written at the end
 *   FAULTS_WORD   only if this is the first word of the command line (run, study) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static uintptr_t begin, end; /* of the program's own code */
static const char *kind;
enum { KINDS = 9 };
static const char *const name[KINDS] = {"alloc", "write",  "fsync", "rename",  "open",
                                        "link",  "unlink", "mkdir", "truncate"};
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

static bool has_word(const char *word)
{
    char line[4096] = "";
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    const ssize_t n = read(fd, line, sizeof line - 1);

    close(fd);
    return n > 0 && strcmp(line + strlen(line) + 1, word) == 0;
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAULTS_AT"), *why = getenv("FAULTS_ERRNO"),
               *word = getenv("FAULTS_WORD");

    kind = getenv("FAULTS_KIND");
    at = text != NULL ? atol(text) : -1;
    number = why != NULL ? atoi(why) : EIO;
    stay = getenv("FAULTS_STAY") != NULL;
    dl_iterate_phdr(own_code, NULL);
    active = kind != NULL && (word == NULL || has_word(word));
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
    for (int i = 0; i < KINDS; i++)
        if (strcmp(name[i], what) == 0)
            __atomic_fetch_add(&counted[i], 1, __ATOMIC_RELAXED);
    if (strcmp(kind, what) != 0 && !(strcmp(kind, "io") == 0 && strcmp(what, "alloc") != 0))
        return false;
    const long mine = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
    if (at < 0 || mine < at || (mine > at && !stay))
        return false;
    if (number == 0)
        syscall(SYS_kill, getpid(), SIGKILL);
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
    return fd > 2 && fails("write", CALLER) ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, n);
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

    return fails("open", caller) ? -1 : (int)syscall(SYS_openat, folder, path, flags, mode);
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
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags) /* FORTIFY */
{
    return fails("open", CALLER) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0);
}

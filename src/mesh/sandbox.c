/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* prctl, CLONE_THREAD */
#include "mesh/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/* Calls that read, allocate, wait, or write to what is open already. */
static const int allowed[] = {
    SYS_read,
    SYS_write,
    SYS_close,
    SYS_fstat,
    SYS_lseek,
    SYS_mmap,
    SYS_mprotect,
    SYS_munmap,
    SYS_brk,
    SYS_mremap,
    SYS_madvise,
    SYS_mbind,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_newfstatat,
    SYS_statx,
    SYS_fstatfs,
    SYS_statfs,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getdents64,
    SYS_getcwd,
    SYS_ftruncate,
    SYS_memfd_create,
    SYS_dup,
    SYS_fcntl,
    SYS_fadvise64,
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_uname,
    SYS_sysinfo,
    SYS_getrusage,
    SYS_times,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    SYS_ppoll,
#ifdef SYS_stat
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_time,
    SYS_arch_prctl,
    SYS_getrlimit,
#endif
};

/* A filter as an array that grows: `next` is where the next instruction goes. */
typedef struct program {
    unsigned short n;
    struct sock_filter code[256];
} program;

static void add(program *p, unsigned short code, unsigned k, unsigned char yes, unsigned char no)
{
    p->code[p->n++] = (struct sock_filter){code, yes, no, k};
}

static void load(program *p, size_t offset)
{
    add(p, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void end_with(program *p, unsigned answer)
{
    add(p, BPF_RET | BPF_K, answer, 0, 0);
}

/* The call `number` is allowed if its argument has (`wanted`) or has not (!wanted) a bit of `mask`.
 */
static void judge_bits(program *p, int number, int argument, unsigned mask, int wanted)
{
    const unsigned char yes = wanted ? 0 : 1, no = wanted ? 1 : 0;

    add(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4);
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(p, BPF_JMP | BPF_JSET | BPF_K, mask, yes, no);
    end_with(p, SECCOMP_RET_ALLOW);
    end_with(p, SECCOMP_RET_ERRNO | EPERM);
}

/* The call `number` is allowed if the lower half of its argument is this. */
static void judge_value(program *p, int number, int argument, unsigned value)
{
    add(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4);
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add(p, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    end_with(p, SECCOMP_RET_ALLOW);
    load(p, offsetof(struct seccomp_data, nr)); /* for what comes after */
}

static void make_filter(program *p)
{
    const unsigned writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

    load(p, offsetof(struct seccomp_data, arch));
    add(p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    end_with(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++) {
        add(p, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
        end_with(p, SECCOMP_RET_ALLOW);
    }
    add(p, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1); /* glibc then asks for clone */
    end_with(p, SECCOMP_RET_ERRNO | ENOSYS);
    judge_bits(p, SYS_openat, 2, writes, 0);
#ifdef SYS_open
    judge_bits(p, SYS_open, 1, writes, 0);
#endif
    judge_bits(p, SYS_clone, 0, CLONE_THREAD, 1);      /* threads, no processes */
    judge_value(p, SYS_prlimit64, 0, 0);               /* limits of others */
    judge_value(p, SYS_tgkill, 0, (unsigned)getpid()); /* to itself, no signal to others */
    judge_value(p, SYS_ioctl, 1, TCGETS);              /* is it a terminal? */
    end_with(p, SECCOMP_RET_ERRNO | EPERM);
}

static bool filter_calls(void)
{
    program p = {0};

    make_filter(&p);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){p.n, p.code}) == 0;
}

#else

static bool filter_calls(void)
{
    errno = ENOSYS;
    return false;
}

#endif

static int limit(int what, rlim_t most)
{
    struct rlimit now;

    if (getrlimit((__rlimit_resource_t)what, &now) != 0)
        return -1;
    if (now.rlim_max < most)
        most = now.rlim_max;
    return setrlimit((__rlimit_resource_t)what, &(struct rlimit){most, most});
}

/* Address space that the sanitizers reserve is not memory. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

static bool limit_memory(double bytes)
{
#ifdef SANITIZED
    (void)bytes;
    return true;
#else
    FILE *file = fopen("/proc/self/statm", "r");
    double pages = 0.0;

    if (file != NULL) {
        if (fscanf(file, "%lf", &pages) != 1)
            pages = 0.0;
        fclose(file);
    }
    return limit(RLIMIT_AS, (rlim_t)(pages * (double)sysconf(_SC_PAGESIZE) + bytes)) == 0;
#endif
}

/* Nothing that the program has open can be written to. */
static bool let_go(int keep)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct rlimit files;

    if (nothing < 0 || getrlimit(RLIMIT_NOFILE, &files) != 0)
        return false;
    for (int fd = 0; fd <= 2; fd++)
        if (dup2(nothing, fd) != fd)
            return false;
#ifdef SYS_close_range
    if (keep > 3)
        syscall(SYS_close_range, 3, keep - 1, 0);
    if (syscall(SYS_close_range, keep + 1, ~0u, 0) == 0)
        return true;
#endif
    for (int fd = 3; fd < (files.rlim_cur < 65536 ? (int)files.rlim_cur : 65536); fd++)
        if (fd != keep)
            close(fd);
    return true;
}

sab_status sab_sandbox_enter(int keep, double bytes, bool lenient, sab_error *err)
{
    enum { SECONDS = 600 };
    sigset_t wake;

    sigemptyset(&wake);
    sigaddset(&wake, SIGALRM);
    signal(SIGALRM, SIG_DFL); /* whatever the caller of the program had made of it */
    sigprocmask(SIG_UNBLOCK, &wake, NULL);
    alarm(SECONDS + SECONDS); /* also if it waits for something */
    if (!let_go(keep) || limit(RLIMIT_CPU, SECONDS) != 0 || limit(RLIMIT_CORE, 0) != 0 ||
        limit(RLIMIT_FSIZE, (rlim_t)4 << 30) != 0 || !limit_memory(bytes) ||
        (!filter_calls() && !lenient))
        return sab_fail(err, SAB_ERR_INTERNAL, "--safe: this system cannot confine a process: %s",
                        strerror(errno));
    return SAB_OK;
}

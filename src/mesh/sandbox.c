#define _GNU_SOURCE /* prctl, CLONE_THREAD */
#include "mesh/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
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
    SYS_ioctl,
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
    SYS_prlimit64,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_futex,
    SYS_set_robust_list,
    SYS_set_tid_address,
    SYS_rseq,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    SYS_tgkill,
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
    judge_bits(p, SYS_clone, 0, CLONE_THREAD, 1); /* threads, no processes */
    end_with(p, SECCOMP_RET_ERRNO | EPERM);
}

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

sab_status sab_sandbox_enter(sab_error *err)
{
    enum { SECONDS = 600 };
    const rlim_t gigabyte = (rlim_t)1 << 30;
    program p = {0};

    make_filter(&p);
    alarm(SECONDS + SECONDS); /* also if it waits for something */
    if (limit(RLIMIT_CPU, SECONDS) != 0 || limit(RLIMIT_CORE, 0) != 0 ||
        limit(RLIMIT_FSIZE, 4 * gigabyte) != 0 ||
#ifndef SANITIZED
        limit(RLIMIT_AS, 8 * gigabyte) != 0 ||
#endif
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &(struct sock_fprog){p.n, p.code}) != 0)
        return sab_fail(err, SAB_ERR_INTERNAL, "--safe: this system cannot confine a process: %s",
                        strerror(errno));
    return SAB_OK;
}

#else

sab_status sab_sandbox_enter(sab_error *err)
{
    return sab_fail(err, SAB_ERR_INTERNAL,
                    "--safe: processes of this kind of machine cannot be confined yet");
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/io/io_test.h -- a scratch directory. */
#ifndef SAB_TESTS_IO_IO_TEST_H
#define SAB_TESTS_IO_IO_TEST_H

#include "failing.h"
#include "unit.h"

#include "base/error.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- scratch directory ------------------------------------------------------------------------ */

static char scratch[64];

static inline void scratch_create(void)
{
    strcpy(scratch, "/tmp/sab-io-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(scratch));
}

/* "<scratch>/<name>"; one of four buffers in turn. */
static inline const char *scratch_path(const char *name)
{
    static char path[4][256];
    static int next;

    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", scratch, name);
    return path[next];
}

/* Number of files in a directory, dot files counted. */
static inline int count_files(const char *directory)
{
    DIR *dir = opendir(directory);
    int n = 0;

    CU_ASSERT_PTR_NOT_NULL_FATAL(dir);
    for (const struct dirent *d = readdir(dir); d != NULL; d = readdir(dir))
        n += strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0;
    closedir(dir);
    return n;
}

/* The whole file, zero-terminated; the caller frees it. */
static inline char *slurp(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *data = NULL;
    size_t n = 0, got = 1;

    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    while (got > 0) {
        data = realloc(data, n + 65537);
        CU_ASSERT_PTR_NOT_NULL_FATAL(data);
        got = fread(data + n, 1, 65536, in);
        n += got;
    }
    fclose(in);
    data[n] = '\0';
    if (size != NULL)
        *size = n;
    return data;
}

static inline void spit(const char *path, const void *data, size_t size)
{
    FILE *out = fopen(path, "wb");

    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    CU_ASSERT_EQUAL(fwrite(data, 1, size, out), size);
    CU_ASSERT_EQUAL(fclose(out), 0);
}

/* The directory must be empty: whoever wrote a file removes it. */
static inline void scratch_remove(void)
{
    CU_ASSERT_EQUAL(rmdir(scratch), 0);
}

/* Run a program without a shell; true if it ends with 0. */
static inline int run(const char *const argument[])
{
    const pid_t child = fork();
    int result = -1;

    if (child == 0) {
        if (freopen("/dev/null", "w", stderr) != NULL)
            execvp(argument[0], (char *const *)argument);
        _exit(127);
    }
    return child > 0 && waitpid(child, &result, 0) == child && WIFEXITED(result) &&
           WEXITSTATUS(result) == 0;
}

/* A scratch directory that is a small file system of its own, so that it can be full or read-only.
 * False, said in the output, where mounting is not allowed. */
static inline int scratch_mount(const char *options)
{
    scratch_create();
    const char *const mount[] = {"mount", "-t", "tmpfs", "-o", options, "tmpfs", scratch, NULL};
    if (run(mount))
        return 1;
    printf("skipped: tmpfs cannot be mounted here ... ");
    scratch_remove();
    return 0;
}

static inline void scratch_unmount(void)
{
    const char *const unmount[] = {"umount", scratch, NULL};

    CU_ASSERT(run(unmount));
    scratch_remove();
}

#endif

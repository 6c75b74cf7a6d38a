/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a case and its files are. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/memory.h"
#include "base/path.h"
#include "io/case_read.h"
#include "io/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* "<directory>/<file>", owned; the file alone if the directory is "." or the file absolute. */
static sab_status join(const char *directory, const char *file, char **joined, sab_error *err)
{
    const size_t n = strlen(directory);
    const bool alone = file[0] == '/' || strcmp(directory, ".") == 0;
    const bool closed = alone || (n > 0 && directory[n - 1] == '/');
    char path[SAB_PATH];
    const sab_status status =
        sab_path_set(path, err, "%s%s%s", alone ? "" : directory, closed ? "" : "/", file);

    if (status != SAB_OK)
        return status;
    *joined = sab_strdup(path);
    return *joined != NULL ? SAB_OK
                           : sab_fail(err, SAB_ERR_MEMORY, "out of memory: path of '%s'", file);
}

sab_status sab_case_find(const char *path, sab_case *c, sab_error *err)
{
    sab_status status = SAB_OK;
    struct stat info;
    const char *slash;
    size_t length;

    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        SAB_TRY(join(path, "case.yaml", &c->path, err));
        if (stat(c->path, &info) != 0) {
            status = sab_fail(err, SAB_ERR_INPUT, "%s: there is no such file in the directory '%s'",
                              c->path, path);
            goto cleanup;
        }
    } else {
        c->path = sab_strdup(path);
        if (c->path == NULL) {
            status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: path '%s'", path);
            goto cleanup;
        }
    }
    slash = strrchr(c->path, '/');
    length = slash == NULL ? 0 : slash == c->path ? 1 : (size_t)(slash - c->path);
    c->directory = sab_strdup(slash == NULL ? "." : c->path);
    if (c->directory != NULL && slash != NULL)
        c->directory[length] = '\0';
    if (c->directory == NULL)
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: path '%s'", path);
    else
        status = sab_file_result_name(c->path, "case.yaml", &c->name, err);
cleanup:
    return status;
}

/* "/a/b/../c" is "/a/c", as realpath has it for files that are there. */
static void drop_parents(char *path)
{
    for (char *up; (up = strstr(path, "/../")) != NULL;) {
        char *before = up;

        while (before > path && *--before != '/')
            ;
        memmove(before, up + 3, strlen(up + 3) + 1);
    }
}

sab_status sab_case_find_file(sab_case *c, const char *key, char **path, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_yaml *node = c->store->root;
    char *file = NULL, *absolute = NULL;
    char real[PATH_MAX];

    if (*path == NULL || (*path)[0] == '/')
        return SAB_OK;
    for (const char *k = key; *k != '\0';
         k += strspn(k, ".")) { /* it is there, as it has been read */
        char name[40] = "";
        const size_t n = strcspn(k, ".");

        memcpy(name, k, n < sizeof name ? n : sizeof name - 1);
        node = sab_yaml_find(node, name);
        k += n;
    }
    SAB_TRY(join(c->directory, *path, &file, err));
    if (realpath(file, real) != NULL)
        absolute = sab_strdup(real);
    else if (realpath(c->directory, real) != NULL) /* no such file: its reader will say so */
        SAB_TRY(join(real, *path, &absolute, err));
    else
        absolute = sab_strdup(file);
    if (absolute != NULL && absolute[0] == '/')
        drop_parents(absolute);
    if (absolute == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: path of '%s'", *path);
        goto cleanup;
    }
    SAB_FREE(node->text);
    node->text = absolute;
    absolute = NULL;
    SAB_FREE(*path);
    *path = file;
    file = NULL;
cleanup:
    SAB_FREE(file);
    SAB_FREE(absolute);
    return status;
}

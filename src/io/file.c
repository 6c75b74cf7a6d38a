#define _XOPEN_SOURCE 700 /* realpath */
#include "io/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void release(sab_file *file)
{
    SAB_FREE(file->path);
    SAB_FREE(file->temporary);
    file->stream = NULL;
}

sab_status sab_file_open(const char *path, sab_file *file, sab_error *err)
{
    static const char suffix[] = ".tmp~";
    const size_t length = strlen(path);
    sab_status status = SAB_OK;
    struct stat info;

    *file = (sab_file){0};
    /* Said now rather than after the writing; and rename, when root, would replace /dev/null. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return sab_fail(err, SAB_ERR_IO, "cannot write '%s': it is %s", path,
                        S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
    SAB_NEW(file->path, length + 1);
    SAB_NEW(file->temporary, length + sizeof suffix);
    memcpy(file->path, path, length + 1);
    memcpy(file->temporary, path, length);
    memcpy(file->temporary + length, suffix, sizeof suffix);
    unlink(file->temporary); /* of a process that was killed; one that still writes keeps its own */
    file->stream = fopen(file->temporary, "wbx");
    if (file->stream == NULL)
        status = sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", path, strerror(errno));
cleanup:
    if (status != SAB_OK)
        release(file);
    return status;
}

sab_status sab_file_close(sab_file *file, sab_error *err)
{
    sab_status status = SAB_OK;
    int reason = 0;

    errno = 0; /* an error flag left by an earlier write has lost its errno: then EIO */
    if (fflush(file->stream) != 0 || ferror(file->stream) || fsync(fileno(file->stream)) != 0)
        reason = errno != 0 ? errno : EIO;
    if (fclose(file->stream) != 0 && reason == 0)
        reason = errno;
    /* After the fsync: a power cut leaves the old file or the new one, never an empty one. */
    if (reason == 0 && rename(file->temporary, file->path) != 0)
        reason = errno;
    if (reason != 0) {
        remove(file->temporary);
        status = sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", file->path, strerror(reason));
    }
    release(file);
    return status;
}

void sab_file_abort(sab_file *file)
{
    if (file->stream != NULL) {
        fclose(file->stream);
        remove(file->temporary);
    }
    release(file);
}

sab_status sab_file_write_text(const char *path, const char *text, sab_error *err)
{
    sab_file file;
    const sab_status status = sab_file_open(path, &file, err);

    if (status != SAB_OK)
        return status;
    fputs(text, file.stream);
    return sab_file_close(&file, err);
}

/* One level. What counts is that the directory is there: on a read-only or foreign file system
 * mkdir may give another reason than EEXIST for a parent that exists. */
static sab_status make_directory(const char *path, sab_error *err)
{
    struct stat info;

    if (mkdir(path, 0777) == 0)
        return SAB_OK;
    const int reason = errno;
    if (stat(path, &info) != 0)
        return sab_fail(err, SAB_ERR_IO, "cannot create directory '%s': %s", path,
                        strerror(reason));
    if (!S_ISDIR(info.st_mode))
        return sab_fail(err, SAB_ERR_IO,
                        "cannot create directory '%s': there is a file of that name", path);
    return SAB_OK;
}

sab_status sab_directory_create(const char *path, sab_error *err)
{
    static const char probe[] = "/.writable.tmp~";
    const size_t length = strlen(path);
    sab_status status = SAB_OK;
    char *name = NULL;

    SAB_NEW(name, length + sizeof probe);
    memcpy(name, path, length);
    for (size_t i = 1; i < length; i++)
        if (path[i] == '/' && path[i - 1] != '/') {
            name[i] = '\0';
            SAB_TRY(make_directory(name, err));
            name[i] = '/';
        }
    SAB_TRY(make_directory(name, err));
    /* Permission bits do not tell (root, quotas, read-only mounts): only trying does. The name is
     * fixed, so that what a killed process leaves behind goes with the next try. */
    memcpy(name + length, probe, sizeof probe);
    remove(name);
    const int descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
        status =
            sab_fail(err, SAB_ERR_IO, "cannot write in directory '%s': %s", path, strerror(errno));
        goto cleanup;
    }
    close(descriptor);
    remove(name);
cleanup:
    SAB_FREE(name);
    return status;
}

bool sab_file_exists(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0;
}

sab_status sab_file_result_name(const char *path, const char *usual, char **name, sab_error *err)
{
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(file, '.');
    const bool yaml = dot > file && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    const char *directory;
    char folder[PATH_MAX], real[PATH_MAX];
    sab_text text = {0};
    sab_status status;

    snprintf(folder, sizeof folder, "%.*s", (int)(file - path), path);
    if (realpath(slash != NULL ? folder : ".", real) == NULL || strcmp(real, "/") == 0)
        directory = "root";
    else
        directory = strrchr(real, '/') + 1;
    if (strcmp(file, usual) == 0)
        status = sab_text_add(&text, err, "%s", directory);
    else
        status = sab_text_add(&text, err, "%s-%.*s", directory,
                              (int)(yaml ? (size_t)(dot - file) : strlen(file)), file);
    *name = text.data;
    return status;
}

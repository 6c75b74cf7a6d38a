/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE /* fopencookie, O_DIRECTORY, realpath */
#include "io/file.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A system call that a signal has cut short is made again. */
#define UNLESS_INTERRUPTED(result, call)                                                           \
    do                                                                                             \
        (result) = (call);                                                                         \
    while ((result) < 0 && errno == EINTR)

/* ---- streams ---------------------------------------------------------------------------------
 * stdio forgets what it could not write, and why. Below it stands our own writer, which goes on
 * after a signal and keeps the first error. */

struct sab_sink {
    int descriptor;
    int failure; /* errno of the first write that failed */
    off_t whole; /* bytes up to the last flush that succeeded */
};

static ssize_t write_all(void *cookie, const char *bytes, size_t size)
{
    struct sab_sink *sink = cookie;

    for (size_t done = 0; done < size && sink->failure == 0;) {
        const ssize_t n = write(sink->descriptor, bytes + done, size - done);

        if (n > 0)
            done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            sink->failure = n == 0 ? EIO : errno;
    }
    return sink->failure == 0 ? (ssize_t)size : 0; /* 0 is an error of the stream */
}

static int seek(void *cookie, off64_t *offset, int whence)
{
    const off64_t at = lseek64(((struct sab_sink *)cookie)->descriptor, *offset, whence);

    if (at >= 0)
        *offset = at;
    return at >= 0 ? 0 : -1;
}

static void release(sab_file *file)
{
    if (file->stream != NULL)
        fclose(file->stream);
    if (file->sink != NULL && file->sink->descriptor >= 0)
        close(file->sink->descriptor);
    SAB_FREE(file->sink);
    SAB_FREE(file->path);
    SAB_FREE(file->temporary);
    file->stream = NULL;
}

static sab_status cannot_write(const char *path, int reason, sab_error *err)
{
    return sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", path, strerror(reason));
}

/* No link is followed: `flags` has O_EXCL for a new file, and an old one must not be a link. */
static sab_status open_stream(const char *name, int flags, sab_file *file, sab_error *err)
{
    const cookie_io_functions_t functions = {.write = write_all, .seek = seek};
    struct stat info;
    int descriptor;

    UNLESS_INTERRUPTED(descriptor,
                       open(name, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC | flags, 0666));
    if (descriptor < 0)
        return cannot_write(file->path, errno, err);
    file->sink->descriptor = descriptor;
    if (fstat(descriptor, &info) != 0)
        return cannot_write(file->path, errno, err);
    file->sink->whole = info.st_size;
    file->stream = fopencookie(file->sink, "wb", functions);
    if (file->stream == NULL)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory for the file '%s'", file->path);
    return SAB_OK;
}

static sab_status create_file(const char *path, sab_file *file, sab_error *err)
{
    sab_status status = SAB_OK;

    *file = (sab_file){0};
    SAB_NEW(file->sink, 1);
    file->sink->descriptor = -1;
    file->path = sab_strdup(path);
    if (file->path == NULL)
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory for the name '%s'", path);
cleanup:
    return status;
}

sab_status sab_file_open(const char *path, sab_file *file, sab_error *err)
{
    static const char suffix[] = ".tmp~";
    const size_t length = strlen(path);
    sab_status status = SAB_OK;
    struct stat info;

    SAB_TRY(create_file(path, file, err));
    /* Said now rather than after the writing; and rename, when root, would replace /dev/null. */
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        SAB_FAIL(err, SAB_ERR_IO, "cannot write '%s': it is %s", path,
                 S_ISDIR(info.st_mode) ? "a directory" : "not a regular file");
    SAB_NEW(file->temporary, length + sizeof suffix);
    memcpy(file->temporary, path, length);
    memcpy(file->temporary + length, suffix, sizeof suffix);
    unlink(file->temporary); /* of a process that was killed, or a link: not what it leads to */
    SAB_TRY(open_stream(file->temporary, O_CREAT | O_EXCL, file, err));
cleanup:
    if (status != SAB_OK)
        sab_file_abort(file);
    return status;
}

sab_status sab_file_append(const char *path, sab_file *file, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(create_file(path, file, err));
    SAB_TRY(open_stream(path, O_APPEND, file, err));
cleanup:
    if (status != SAB_OK)
        sab_file_abort(file);
    return status;
}

/* 0, or the reason why not all is written. */
static int flush(sab_file *file)
{
    fflush(file->stream);
    if (file->sink->failure == 0 && ferror(file->stream))
        file->sink->failure = EIO;
    return file->sink->failure;
}

sab_status sab_file_flush(sab_file *file, sab_error *err)
{
    struct sab_sink *sink = file->sink;
    const int reason = flush(file);

    if (reason == 0) {
        sink->whole = lseek(sink->descriptor, 0, SEEK_END);
        return SAB_OK;
    }
    (void)!ftruncate(sink->descriptor, sink->whole); /* no half of a row stays */
    return cannot_write(file->path, reason, err);
}

static int sync_descriptor(int descriptor)
{
    int result;

    UNLESS_INTERRUPTED(result, fsync(descriptor));
    return result == 0 ? 0 : errno;
}

/* The directory of a file that was renamed: only then does the new name outlast a power cut. The
 * file itself is whole and in its place, and not every file system can do this: no error. */
void sab_directory_sync(const char *path)
{
    int descriptor;

    UNLESS_INTERRUPTED(descriptor, open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (descriptor >= 0) {
        sync_descriptor(descriptor);
        close(descriptor);
    }
}

static void sync_directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[SAB_PATH] = ".";

    if (slash != NULL)
        sab_path_set(folder, NULL, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    sab_directory_sync(folder);
}

static int move(const char *from, const char *to)
{
    int result;

    UNLESS_INTERRUPTED(result, rename(from, to));
    return result == 0 ? 0 : errno;
}

/* The present file gets a second name, so that at no moment it has none; where a file system has no
 * links, it is moved. 0, or the reason why not. */
static int keep_as(const char *path, const char *previous)
{
    char aside[SAB_PATH];
    int reason;

    if (sab_path_set(aside, NULL, "%s.tmp~", previous) != SAB_OK)
        return ENAMETOOLONG;
    unlink(aside);
    if (link(path, aside) == 0) {
        reason = move(aside, previous);
        unlink(aside); /* still there if the two are one file, or after a failure */
        return reason;
    }
    if (errno == ENOENT)
        return 0;
    return move(path, previous);
}

/* Is the temporary file still the one that was opened? Another process may have removed it, or put
 * its own in this place: that is not ours to rename or to remove. */
static bool has_temporary(const sab_file *file)
{
    struct stat mine, there;

    return file->temporary != NULL && fstat(file->sink->descriptor, &mine) == 0 &&
           lstat(file->temporary, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

sab_status sab_file_close_keeping(sab_file *file, const char *previous, sab_error *err)
{
    sab_status status = SAB_OK;
    int reason = flush(file);

    /* Before the renaming: a power cut leaves the old file or the new one, never an empty one. */
    if (reason == 0)
        reason = sync_descriptor(file->sink->descriptor);
    const bool temporary = has_temporary(file);
    if (reason == 0 && file->temporary != NULL && !temporary)
        reason = ENOENT;
    if (close(file->sink->descriptor) != 0 && reason == 0 && errno != EINTR)
        reason = errno;
    file->sink->descriptor = -1;
    if (temporary) {
        if (reason == 0 && previous != NULL)
            reason = keep_as(file->path, previous);
        if (reason == 0)
            reason = move(file->temporary, file->path);
        if (reason == 0)
            sync_directory_of(file->path);
        else
            unlink(file->temporary);
    }
    if (reason != 0)
        status = cannot_write(file->path, reason, err);
    release(file);
    return status;
}

sab_status sab_file_close(sab_file *file, sab_error *err)
{
    return sab_file_close_keeping(file, NULL, err);
}

void sab_file_abort(sab_file *file)
{
    if (file->sink != NULL && file->sink->descriptor >= 0 && has_temporary(file))
        unlink(file->temporary);
    if (file->sink != NULL && file->sink->failure == 0)
        file->sink->failure = ECANCELED; /* what is still in the stream stays there */
    release(file);
}

sab_status sab_file_move(const char *from, const char *to, sab_error *err)
{
    const int reason = move(from, to);

    return reason == 0 ? SAB_OK : cannot_write(to, reason, err);
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

/* ---- directories ----------------------------------------------------------------------------- */

/* One level. What counts is that the directory is there: on a read-only or foreign file system
 * mkdir may give another reason than EEXIST for a parent that exists. */
static sab_status make_directory(const char *path, bool follow, sab_error *err)
{
    struct stat info;

    if (mkdir(path, 0777) == 0)
        return SAB_OK;
    const int reason = errno;
    if ((follow ? stat(path, &info) : lstat(path, &info)) != 0)
        return sab_fail(err, SAB_ERR_IO, "cannot create directory '%s': %s", path,
                        strerror(reason));
    if (!S_ISDIR(info.st_mode))
        return sab_fail(err, SAB_ERR_IO, "cannot create directory '%s': there is a %s of that name",
                        path, S_ISLNK(info.st_mode) ? "link" : "file");
    return SAB_OK;
}

sab_status sab_directory_create_inside(const char *path, sab_error *err)
{
    return make_directory(path, false, err);
}

sab_status sab_directory_create(const char *path, sab_error *err)
{
    static const char probe[] = "/.writable.tmp~";
    const size_t length = strlen(path);
    sab_status status = SAB_OK;
    char *name = NULL;
    int descriptor;

    SAB_NEW(name, length + sizeof probe);
    memcpy(name, path, length);
    for (size_t i = 1; i < length; i++)
        if (path[i] == '/' && path[i - 1] != '/') {
            name[i] = '\0';
            SAB_TRY(make_directory(name, true, err));
            name[i] = '/';
        }
    SAB_TRY(make_directory(name, true, err));
    /* Permission bits do not tell (root, quotas, read-only mounts): only trying does. The name is
     * fixed, so that what a killed process leaves behind goes with the next try. */
    memcpy(name + length, probe, sizeof probe);
    const bool gone = unlink(name) == 0 || errno == ENOENT;
    UNLESS_INTERRUPTED(descriptor,
                       open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (descriptor < 0 && gone && errno == EEXIST)
        goto cleanup; /* another process is trying the same: it can be done */
    if (descriptor < 0)
        SAB_FAIL(err, SAB_ERR_IO, "cannot write in directory '%s': %s", path, strerror(errno));
    close(descriptor);
    unlink(name);
cleanup:
    SAB_FREE(name);
    return status;
}

/* All that is in the directory `name` of `parent`, and the directory. */
static void remove_tree(int parent, const char *name, int depth)
{
    const int descriptor =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    DIR *stream = descriptor >= 0 ? fdopendir(descriptor) : NULL;

    if (stream != NULL) {
        for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                unlinkat(descriptor, entry->d_name, 0) != 0 && depth > 0)
                remove_tree(descriptor, entry->d_name, depth - 1);
        closedir(stream);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
    unlinkat(parent, name, AT_REMOVEDIR);
}

void sab_directory_remove(const char *path)
{
    enum { DEPTH = 8 }; /* ours are not that deep */

    if (unlink(path) != 0) /* a link goes, what it leads to stays */
        remove_tree(AT_FDCWD, path, DEPTH);
}

sab_status sab_directory_refuse_root(const char *path, sab_error *err)
{
    char real[PATH_MAX];

    if (realpath(path, real) != NULL && strcmp(real, "/") == 0)
        return sab_fail(err, SAB_ERR_USAGE,
                        "'%s' is the root of the file system: choose another directory with -o",
                        path);
    return SAB_OK;
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
    const char *chosen = "root";
    size_t length;
    char folder[SAB_PATH], real[PATH_MAX];
    sab_text text = {0};
    sab_status status;

    sab_path_set(folder, NULL, "%.*s", (int)(file - path), path);
    if (strcmp(file, usual) != 0)
        chosen = file;
    else if (realpath(slash != NULL ? folder : ".", real) != NULL && strcmp(real, "/") != 0)
        chosen = strrchr(real, '/') + 1;
    length = chosen == file && yaml ? (size_t)(dot - file) : strlen(chosen);
    if (strspn(chosen, ".") >= length) /* not out/.. */
        chosen = "case", length = strlen(chosen);
    status = sab_text_add(&text, err, "%.*s", (int)length, chosen);
    *name = text.data;
    return status;
}

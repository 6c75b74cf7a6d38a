/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/input.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sab_status check(int failed, const struct stat *info, sab_error *err)
{
    if (failed)
        return sab_fail(err, SAB_ERR_INPUT, "%s", strerror(errno));
    if (!S_ISREG(info->st_mode))
        return sab_fail(err, SAB_ERR_INPUT, "it is %snot a regular file",
                        S_ISDIR(info->st_mode) ? "a directory, " : "");
    return SAB_OK;
}

sab_status sab_input_open(const char *path, FILE **file, long long *size, sab_error *err)
{
    struct stat info;
    sab_status status = check(stat(path, &info) != 0, &info, err);
    int descriptor = -1;

    *file = NULL;
    if (status != SAB_OK)
        return status;
    /* another file may have taken its place: not to block there either */
    do
        descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    while (descriptor < 0 && errno == EINTR);
    status = check(descriptor < 0 || fstat(descriptor, &info) != 0, &info, err);
    if (status == SAB_OK) {
        *file = fdopen(descriptor, "rb");
        if (*file == NULL)
            status = sab_fail(err, SAB_ERR_MEMORY, "out of memory for a file");
    }
    if (status != SAB_OK && descriptor >= 0)
        close(descriptor);
    if (size != NULL)
        *size = (long long)info.st_size;
    return status;
}

sab_status sab_input_read(const char *path, long long most, const char *what, char **text,
                          size_t *length, sab_error *err)
{
    sab_status status = SAB_OK;
    FILE *file = NULL;
    long long size = 0;
    sab_error why;

    *text = NULL;
    status = sab_input_open(path, &file, &size, &why);
    if (status != SAB_OK)
        return sab_fail(err, status, "%s: cannot open: %s", path, why.message);
    if (size > most)
        SAB_FAIL(err, SAB_ERR_INPUT, "%s: is too large for %s (%lld bytes)", path, what, size);
    SAB_NEW(*text, size + 1);
    *length = fread(*text, 1, (size_t)size, file);
    if (ferror(file))
        SAB_FAIL(err, SAB_ERR_INPUT, "%s: cannot read: %s", path, strerror(errno));
cleanup:
    fclose(file);
    if (status != SAB_OK)
        SAB_FREE(*text);
    return status;
}

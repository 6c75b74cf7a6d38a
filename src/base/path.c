/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 }; /* characters, of a path that is too long */

sab_status sab_path_set(char path[SAB_PATH], sab_error *err, const char *format, ...)
{
    char beginning[SHOWN + 1];
    va_list args;

    va_start(args, format);
    const int n = vsnprintf(path, SAB_PATH, format, args);
    va_end(args);
    if (n >= 0 && n < SAB_PATH)
        return SAB_OK;
    snprintf(beginning, sizeof beginning, "%.*s", SHOWN, path);
    path[0] = '\0';
    return sab_fail(err, SAB_ERR_IO, "the path '%s...' is too long: %d characters, at most %d",
                    beginning, n, SAB_PATH - 1);
}

sab_status sab_path_check(const char *directory, sab_error *err)
{
    if (strlen(directory) + SAB_PATH_ROOM >= SAB_PATH)
        return sab_fail(err, SAB_ERR_USAGE,
                        "the path of the output directory is too long: %zu characters, at most %d",
                        strlen(directory), SAB_PATH - SAB_PATH_ROOM - 1);
    return SAB_OK;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sab_error_set(sab_error *err, sab_status status, const char *format, ...)
{
    if (err != NULL) {
        va_list args;

        err->status = status;
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
    }
}

void sab_error_context(sab_error *err, const char *format, ...)
{
    if (err != NULL) {
        const size_t used = strlen(err->message);
        char *end = err->message + used;
        const size_t room = sizeof err->message - used;
        const int indent = snprintf(end, room, "\n  ");

        if (indent > 0 && (size_t)indent < room) {
            va_list args;

            va_start(args, format);
            vsnprintf(end + indent, room - (size_t)indent, format, args);
            va_end(args);
        }
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/input.h -- open a file to read: a regular one only.
 *
 * A pipe would block until somebody writes into it, and to open a device may do something: both are
 * refused before they are opened. */
#ifndef SAB_BASE_INPUT_H
#define SAB_BASE_INPUT_H

#include "base/error.h"

#include <stdio.h>

/* SAB_ERR_INPUT, with the reason alone for a message ("No such file or directory"; "it is a
 * directory, not a regular file"). The caller closes *file; `size`, in bytes, may be NULL. */
sab_status sab_input_open(const char *path, FILE **file, long long *size, sab_error *err);
/* All of a file, with a zero behind it; *text is owned. SAB_ERR_INPUT, with the path, if it cannot
 * be read or has more than `most` bytes, too many for `what` it is ("a table"). */
sab_status sab_input_read(const char *path, long long most, const char *what, char **text,
                          size_t *length, sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/path.h -- the one way to put the path of a file together. */
#ifndef SAB_BASE_PATH_H
#define SAB_BASE_PATH_H

#include "base/error.h"

/* What the system takes, zero included; and what a result may add to the path of its directory:
 * directories of owners, points and profiles, names, the endings of files being written. */
enum { SAB_PATH = 4096, SAB_PATH_ROOM = 600 };

/* As printf does. One too long is a failure, SAB_ERR_IO, and empty: no other file is ever opened or
 * removed instead, also where the status is not looked at. */
sab_status sab_path_set(char path[SAB_PATH], sab_error *err, const char *format, ...)
    SAB_PRINTF(3, 4);
/* Is there room for files below this directory? SAB_ERR_USAGE if not. */
sab_status sab_path_check(const char *directory, sab_error *err);

#endif

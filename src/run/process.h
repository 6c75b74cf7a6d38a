/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/process.h -- another program as a child of this process. */
#ifndef SAB_RUN_PROCESS_H
#define SAB_RUN_PROCESS_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Start `program` (looked for in PATH, unless there is a slash in it) with these words (NULL at the
 * end), nothing on its standard input, and its output in these files. On a leash it has a process
 * group of its own, and is told to stop when this process dies. If it cannot be started, the child
 * says why and ends with 127. SAB_ERR_MEMORY if there can be no child. */
sab_status sab_process_start(const char *program, const char *const *word, int output,
                             int complaints, bool leash, pid_t *pid, sab_error *err);
/* The code of a child that is none, or that somebody else has asked: nobody knows how it ended. */
enum { SAB_PROCESS_LOST = 255 };
/* Wait for it. Its exit code, or 128 + n if signal n ended it. */
int sab_process_wait(pid_t pid);
/* The same if it has ended already, else -1. */
int sab_process_code(pid_t pid);

#endif

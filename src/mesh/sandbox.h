/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mesh/sandbox.h -- give up, for the rest of a process, what reading a mesh does not need; inside
 * this layer. A .geo is a program: it can run others, write files and never end. */
#ifndef SAB_MESH_SANDBOX_H
#define SAB_MESH_SANDBOX_H

#include "base/error.h"

#include <stdbool.h>

/* From here on no other program is started, no file opened for writing, no connection made, no
 * other process signalled (seccomp: such calls fail with EPERM); CPU time, time on the clock and
 * memory are limited, that to `bytes` beyond what the process has. Of descriptors only `keep` stays
 * open; the standard streams are /dev/null. Files can be read. No privileges are needed.
 * SAB_ERR_INTERNAL if the system cannot do it; with `lenient` only the limits are a must. */
sab_status sab_sandbox_enter(int keep, double bytes, bool lenient, sab_error *err);

#endif

/* mesh/sandbox.h -- give up, for the rest of a process, what reading a mesh does not need; inside
 * this layer. A .geo is a program: it can run others, write files and never end. */
#ifndef SAB_MESH_SANDBOX_H
#define SAB_MESH_SANDBOX_H

#include "base/error.h"

/* From here on no other program is started, no file opened for writing, no connection made
 * (seccomp: such calls fail with EPERM); CPU time, memory and time on the clock are limited. Files
 * can be read, and descriptors that are open be written to. No privileges are needed.
 * SAB_ERR_INTERNAL if the system cannot do it. */
sab_status sab_sandbox_enter(sab_error *err);

#endif

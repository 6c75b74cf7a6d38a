/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/program_file.h -- cone programs on disk (.sabp): written by `sablier run --dump-program`, read
 * by `sablier solve`.
 *
 * Little-endian binary in words of 8 bytes: magic "SABPROG1", a header of 64-bit integers, the
 * arrays, and the CRC-32 of all that precedes. docs/program-format.md describes it byte by byte. */
#ifndef SAB_IO_PROGRAM_FILE_H
#define SAB_IO_PROGRAM_FILE_H

#include "solve/program.h"

/* Atomic, as io/file.h says. Any program can be written, also one that sab_program_check refuses.
 */
sab_status sab_program_write(const char *path, const sab_program *program, sab_error *err);
/* A .sabp, or a global problem of FCLIB (io/fclib.h), which is an HDF5 file.
 * SAB_ERR_INPUT if the file is missing, truncated, damaged or not such a file; the result has
 * passed sab_program_check, and its indices are in range. Nothing large is allocated before the
 * sizes have been compared with that of the file. The caller owns *program. */
sab_status sab_program_read(const char *path, sab_program **program, sab_error *err);

#endif

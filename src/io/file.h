/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/file.h -- text and binary files written whole or not at all.
 *
 * sab_file writes to "<path>.tmp~" and renames on close after checking every write, the flush and
 * the fsync, then syncs the directory: a full disk is an error (SAB_ERR_IO, with the system's
 * reason) and leaves neither the temporary file nor a damaged old one. Links are never written
 * through: one at "<path>.tmp~" is removed, one at `path` replaced. */
#ifndef SAB_IO_FILE_H
#define SAB_IO_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sab_file {
    FILE *stream; /* write with stdio; errors are caught by flush and close */
    char *path, *temporary;
    struct sab_sink *sink; /* what is below the stream */
} sab_file;

/* Refused if `path` exists and is not a regular file. On failure *file is zero. */
sab_status sab_file_open(const char *path, sab_file *file, sab_error *err);
/* To write at the end of a file that is there. Close does not rename it then. */
sab_status sab_file_append(const char *path, sab_file *file, sab_error *err);
/* What has been written so far reaches the file; on failure the file ends where the last flush
 * left it. */
sab_status sab_file_flush(sab_file *file, sab_error *err);
/* Commit. On failure too everything is released, and the temporary file is gone. */
sab_status sab_file_close(sab_file *file, sab_error *err);
/* The same, but the file that stood there is kept as `previous` (NULL: not). At every moment there
 * is a whole file at `path`, the old one or the new one. */
sab_status sab_file_close_keeping(sab_file *file, const char *previous, sab_error *err);
/* Give up; nothing to do after close, or if *file is zero. */
void sab_file_abort(sab_file *file);
/* The whole text at once. */
sab_status sab_file_write_text(const char *path, const char *text, sab_error *err);
/* rename, with a sentence. */
sab_status sab_file_move(const char *from, const char *to, sab_error *err);
/* Create a directory and its parents; fine if it is there. SAB_ERR_IO if it cannot be made or is
 * not writable. */
sab_status sab_directory_create(const char *path, sab_error *err);
/* One level, in a directory of ours: a link of that name is refused. */
sab_status sab_directory_create_inside(const char *path, sab_error *err);
/* Remove a directory with all that is in it, as far as possible. No link is followed. */
void sab_directory_remove(const char *path);
/* So that files which were moved there outlast a power cut, where the file system can do it. */
void sab_directory_sync(const char *path);
/* SAB_ERR_USAGE if the path leads to the root directory, where no result belongs. */
sab_status sab_directory_refuse_root(const char *path, sab_error *err);
/* What the result of an input file is called: the name of its directory if the file has its usual
 * one ("case.yaml"), else that of the file without .yaml. Owned. */
sab_status sab_file_result_name(const char *path, const char *usual, char **name, sab_error *err);
/* Is there anything of that name: file, directory or device? */
bool sab_file_exists(const char *path);

#endif

/* io/file.h -- text and binary files written whole or not at all.
 *
 * sab_file writes to "<path>.tmp~" and renames on close after checking every write, the flush and
 * the fsync: a full disk is an error (SAB_ERR_IO, with the system's reason) and leaves neither the
 * temporary file nor a damaged old one. */
#ifndef SAB_IO_FILE_H
#define SAB_IO_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct sab_file {
    FILE *stream; /* write with stdio; errors are caught by close */
    char *path, *temporary;
} sab_file;

/* Refused if `path` exists and is not a regular file. On failure *file is zero. */
sab_status sab_file_open(const char *path, sab_file *file, sab_error *err);
/* Commit. On failure too everything is released, and the temporary file is gone. */
sab_status sab_file_close(sab_file *file, sab_error *err);
/* Give up; nothing to do after close, or if *file is zero. */
void sab_file_abort(sab_file *file);
/* The whole text at once. */
sab_status sab_file_write_text(const char *path, const char *text, sab_error *err);
/* Create a directory and its parents; fine if it is there. SAB_ERR_IO if it cannot be made or is
 * not writable. */
sab_status sab_directory_create(const char *path, sab_error *err);
/* What the result of an input file is called, so that two files do not share one: <directory> if
 * the file has its usual name ("case.yaml"), else <directory>-<file without .yaml>. Owned. */
sab_status sab_file_result_name(const char *path, const char *usual, char **name, sab_error *err);
/* Is there anything of that name: file, directory or device? */
bool sab_file_exists(const char *path);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/table.h -- a CSV table of texts: one header line, then rows; columns are found by name.
 *
 * Cells are texts, because keys and status are; numbers are asked for one by one, and a message
 * about one begins with its place, "results.csv:3: ". */
#ifndef SAB_IO_TABLE_H
#define SAB_IO_TABLE_H

#include "base/error.h"

#include <stdbool.h>

typedef struct sab_table {
    char *name; /* of the file, for messages */
    int ncolumns, nrows;
    char **column; /* names */
    char **cell;   /* [nrows][ncolumns]; "" or NULL: nothing there */
    int *line;     /* [nrows] in the file */
    int column_capacity, row_capacity;
} sab_table;

/* An empty table; the caller owns *table. */
sab_status sab_table_create(const char *name, sab_table **table, sab_error *err);
/* Read a file: commas, quotes as "a ""b"", c"; blanks around cells and empty lines do not count.
 * SAB_ERR_INPUT if it is no such table. The caller owns *table. */
sab_status sab_table_read(const char *path, sab_table **table, sab_error *err);
void sab_table_destroy(sab_table **table);

/* Add a column, unless it is there already: only while there are no rows. */
sab_status sab_table_add_column(sab_table *table, const char *name, sab_error *err);
/* Add a row of empty cells. */
sab_status sab_table_add_row(sab_table *table, sab_error *err);
/* Fill a cell of the last row. */
sab_status sab_table_set(sab_table *table, const char *column, const char *text, sab_error *err);
sab_status sab_table_set_number(sab_table *table, const char *column, double value, sab_error *err);

/* Number of the column, or -1. */
int sab_table_find(const sab_table *table, const char *column);
/* The same, or SAB_ERR_INPUT with a suggestion. `what` is said of it: "--x". */
sab_status sab_table_column(const sab_table *table, const char *column, const char *what,
                            int *number, sab_error *err);
/* Never NULL. */
const char *sab_table_cell(const sab_table *table, int row, int column);
/* The number in a cell, inf included; NaN if there is none: empty, nan, null. SAB_ERR_INPUT if it
 * is a text. */
sab_status sab_table_number(const sab_table *table, int row, int column, double *value,
                            sab_error *err);
/* Write the table to a file, atomically. */
sab_status sab_table_write(const sab_table *table, const char *path, sab_error *err);

#endif

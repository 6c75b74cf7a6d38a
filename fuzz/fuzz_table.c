/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table: what is read and written reads back, cell by cell. */
#include "fuzz.h"
#include "io/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *scratch(void)
{
    static char path[64];

    if (path[0] == '\0')
        snprintf(path, sizeof path, "/dev/shm/sablier-fuzz-%d.csv", (int)getpid());
    return path;
}

static void compare(const sab_table *a, const sab_table *b)
{
    fuzz_promise(a->nrows == b->nrows && a->ncolumns == b->ncolumns, "a table keeps its size");
    for (int c = 0; c < a->ncolumns; c++)
        fuzz_promise(strcmp(a->column[c], b->column[c]) == 0, "a column keeps its name");
    for (int r = 0; r < a->nrows; r++)
        for (int c = 0; c < a->ncolumns; c++)
            fuzz_promise(strcmp(sab_table_cell(a, r, c), sab_table_cell(b, r, c)) == 0,
                         "a cell keeps its text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_table *a = NULL, *b = NULL;
    double value;

    if (sab_table_read(fuzz_file(data, size), &a, &err) == SAB_OK) {
        fuzz_promise(sab_table_write(a, scratch(), &err) == SAB_OK, err.message);
        fuzz_promise(sab_table_read(scratch(), &b, &err) == SAB_OK, err.message);
        compare(a, b);
        for (int i = 0; i < a->nrows * a->ncolumns; i++)
            (void)sab_table_number(a, i / a->ncolumns, i % a->ncolumns, &value, &err);
        unlink(scratch());
    } else {
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    }
    sab_table_destroy(&a);
    sab_table_destroy(&b);
    return 0;
}

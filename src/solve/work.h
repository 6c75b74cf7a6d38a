/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/work.h -- what a solve has cost: counts and CPU seconds. One table names the entries, and
 * sums, history, checkpoint and summary go through it: a new entry is a member and a row. */
#ifndef SAB_SOLVE_WORK_H
#define SAB_SOLVE_WORK_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sab_work {
    int outer, inner; /* iterations in all */
    int factorisations, solves;
    double cpu_analysis; /* of matrices that were needed for the first time, not that of A */
    double cpu_factorisation, cpu_solve, cpu_cones, cpu_total, cpu_one_factorisation;
} sab_work;

/* Rows of the table: counts first, then times. */
enum {
    SAB_WORK_COUNTS = 4,
    SAB_WORK_TIMES = 6,
    SAB_WORK_ENTRIES = SAB_WORK_COUNTS + SAB_WORK_TIMES
};

typedef struct sab_work_entry {
    const char *name; /* a column of history.csv, a key of summary.json */
    size_t offset;    /* of an int if it is a count, else of a double */
    bool sums;        /* over solves; if not, the last one stands */
} sab_work_entry;
extern const sab_work_entry sab_work_table[SAB_WORK_ENTRIES];

/* Entry i of the table. A count that no int can hold becomes the nearest. */
double sab_work_get(const sab_work *work, int i);
void sab_work_set(sab_work *work, int i, double value);
/* sum += more; what does not sum stays that of `sum`. */
void sab_work_add(sab_work *sum, const sab_work *more);
/* now - then; what does not sum is that of `now`. */
sab_work sab_work_since(const sab_work *now, const sab_work *then);

#endif

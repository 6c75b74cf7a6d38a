/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench/record.h -- what the solving programs of the benchmark print: one line of JSON per row and
 * one for the result, and the velocities that bench/measure.py compares. */
#ifndef SAB_BENCH_RECORD_H
#define SAB_BENCH_RECORD_H

#include "solve/solve.h"

typedef struct bench_recorder {
    const char *method; /* NULL: the one that the report names */
    const sab_program *program;
    const double *u; /* the velocity that has the merit `best` */
    const char *prefix;
    double best, next; /* merit of u, merit of the next snapshot */
    int snapshots;
    double limit, one; /* CPU seconds: limit, one factorisation of A */
    bool stopped;      /* by the limit */
} bench_recorder;

/* --limit and --velocity; the rest empty. */
bench_recorder bench_recorder_create(int argc, char **argv);
/* The median CPU time of one factorisation of A, of 3 to 25. Sets recorder->program and ->one. */
sab_status bench_recorder_refer(bench_recorder *recorder, const sab_program *program,
                                sab_error *err);
/* One row. recorder->u must hold the best velocity, this one included. It goes to PREFIX.0.bin,
 * PREFIX.1.bin, ... when its merit has fallen below the next of 1, 10^-1/2, 10^-1, ...
 * `cpu` counts from the start of the method. Sets `stopped`. */
void bench_recorder_row(bench_recorder *recorder, const sab_report *report, double cpu);
/* The summary, and u in PREFIX.bin. */
void bench_recorder_result(const bench_recorder *recorder, const sab_report *report, double cpu);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/args.h -- the command line, parsed by one table per command that also prints --help. */
#ifndef SAB_CLI_ARGS_H
#define SAB_CLI_ARGS_H

#include "base/path.h"

#include <stdbool.h>
#include <stddef.h>

enum { SAB_MAX_OVERRIDES = 64, SAB_MAX_GROUPS = 16, SAB_MAX_VARY = 3 };

typedef struct sab_args {
    const char *target, *second; /* CASE or FILE; INDEX */
    const char *output;          /* -o */
    const char *dump;            /* --dump-program */
    const char *method, *linear, *ordering, *blr, *tolerance, *max_iterations; /* of `solve` */
    const char *threads, *from, *over;
    const char *jobs, *backend, *submit, *at_most;               /* of `study` */
    const char *x, *y, *sigma, *law, *grain, *dimension, *scale; /* of `fit` */
    const char *start, *bootstrap;
    const char *data, *profile, *step; /* of `calibrate` */
    const char *vary[SAB_MAX_VARY];
    int nvary;
    const char *group[SAB_MAX_GROUPS];
    int ngroups;
    const char *override[SAB_MAX_OVERRIDES];
    int noverrides;
    bool quiet, verbose, resume, force, safe, all, markdown, open, help;
    bool wait, status, collect, cancel; /* of `study` */
} sab_args;

typedef struct sab_command {
    const char *name;
    const char *usage;   /* "run CASE [options]" */
    const char *summary; /* one line */
    const char *options; /* letters of the option table that it takes */
    int targets;         /* number of its arguments: none, one or two; -1: one or none */
    int (*run)(const sab_args *args); /* returns the exit code */
} sab_command;

/* SAB_ERR_USAGE with a sentence and, where there is one, a suggestion. argv starts with
 * the command; options as getopt_long takes them: -j2, --jobs=2, --job 2, -qv, and -- before
 * arguments that begin with a minus. */
sab_status sab_args_parse(const sab_command *command, int argc, char **argv, sab_args *args,
                          sab_error *err);
/* The help page of a command, on standard output. */
void sab_args_help(const sab_command *command);
/* A number or an integer given to an option, checked. */
sab_status sab_args_number(const char *name, const char *text, double *value, sab_error *err);
sab_status sab_args_integer(const char *name, const char *text, int *value, sab_error *err);
/* Set the number of threads, --threads or one, and take the memory that the BLAS needs. */
sab_status sab_args_threads(const sab_args *args, sab_error *err);
/* The directory of a result: -o, or out/<name>. Not the root directory. */
sab_status sab_args_directory(const sab_args *args, const char *name, char directory[SAB_PATH],
                              sab_error *err);

#endif

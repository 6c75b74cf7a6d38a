/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/args.h"
#include "base/text.h"
#include "io/file.h"
#include "linalg/threads.h"

#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { FLAG, TEXT, OVERRIDES, GROUPS, VARY } kind;

typedef struct row {
    char letter; /* its key in sab_command.options */
    const char *name, *shortname, *argument, *help;
    kind kind;
    size_t offset; /* of its field in sab_args */
} row;

static const row table[] = {
    {'o', "--output", "-o", "DIR", "directory (default out/<directory>), or file", TEXT,
     offsetof(sab_args, output)},
    {'s', "--set", NULL, "KEY=VALUE", "override a key by its dotted path (repeatable)", OVERRIDES,
     0},
    {'t', "--threads", NULL, "N", "threads of our own loops and of the BLAS (default 1)", TEXT,
     offsetof(sab_args, threads)},
    {'r', "--resume", NULL, NULL, "continue an interrupted run from its checkpoint", FLAG,
     offsetof(sab_args, resume)},
    {'f', "--force", NULL, NULL, "replace a result that is already there", FLAG,
     offsetof(sab_args, force)},
    {'A', "--safe", NULL, NULL, "do not trust the mesh: confine its reader", FLAG,
     offsetof(sab_args, safe)},
    {'d', "--dump-program", NULL, "FILE", "write the cone program to FILE (.sabp) before solving",
     TEXT, offsetof(sab_args, dump)},
    {'m', "--method", NULL, "NAME", "solver method (see `sablier keys`, solver.method)", TEXT,
     offsetof(sab_args, method)},
    {'l', "--linear", NULL, "NAME", "auto, cholmod, mumps or amg", TEXT,
     offsetof(sab_args, linear)},
    {'B', "--blr", NULL, "EPS", "compress the factor (see `sablier keys`, solver.blr)", TEXT,
     offsetof(sab_args, blr)},
    {'O', "--ordering", NULL, "NAME", "auto, amd or metis", TEXT, offsetof(sab_args, ordering)},
    {'e', "--tolerance", NULL, "G", "tolerance on the power gap", TEXT,
     offsetof(sab_args, tolerance)},
    {'n', "--max-iterations", NULL, "N", "outer iterations at most", TEXT,
     offsetof(sab_args, max_iterations)},
    {'j', "--jobs", "-j", "N", "points at once (default: jobs of the study, or 1)", TEXT,
     offsetof(sab_args, jobs)},
    {'b', "--backend", NULL, "NAME", "local (default), slurm, pbs, lsf; list: run nothing", TEXT,
     offsetof(sab_args, backend)},
    {'u', "--submit", NULL, "OPTIONS", "for sbatch, qsub or bsub, as they stand", TEXT,
     offsetof(sab_args, submit)},
    {'N', "--at-most", NULL, "N", "chains at once on a batch system (default: all)", TEXT,
     offsetof(sab_args, at_most)},
    {'w', "--wait", NULL, NULL, "after submitting, until all has ended; then collect", FLAG,
     offsetof(sab_args, wait)},
    {'i', "--status", NULL, NULL, "say how far the study is, and end", FLAG,
     offsetof(sab_args, status)},
    {'C', "--collect", NULL, NULL, "make tables and fit of what is there, and end", FLAG,
     offsetof(sab_args, collect)},
    {'k', "--cancel", NULL, NULL, "take its jobs out of the queue, and end", FLAG,
     offsetof(sab_args, cancel)},
    {'x', "--x", NULL, "KEY", "column of the abscissa", TEXT, offsetof(sab_args, x)},
    {'y', "--y", NULL, "KEY", "column of the ordinate", TEXT, offsetof(sab_args, y)},
    {'L', "--law", NULL, "LAW", "beverloo (default), power, or a formula: \"C*(x-k)^n\"", TEXT,
     offsetof(sab_args, law)},
    {'T', "--start", NULL, "C=1,k=0", "where the parameters of a formula start (default 1)", TEXT,
     offsetof(sab_args, start)},
    {'Z', "--bootstrap", NULL, "N", "intervals of a formula by N samples, too", TEXT,
     offsetof(sab_args, bootstrap)},
    {'G', "--grain", NULL, "SIZE", "of beverloo (default 1: k is then a length)", TEXT,
     offsetof(sab_args, grain)},
    {'D', "--dimension", NULL, "D", "of beverloo: 2 slot, 3 round (default: by geometry)", TEXT,
     offsetof(sab_args, dimension)},
    {'c', "--scale", NULL, "FACTOR", "of y, such as 2 for the discharge of half a silo", TEXT,
     offsetof(sab_args, scale)},
    {'S', "--sigma", NULL, "KEY", "column of the deviation of y: weights 1/sigma^2", TEXT,
     offsetof(sab_args, sigma)},
    {'g', "--group", NULL, "KEY", "one fit for each value of this column (repeatable)", GROUPS, 0},
    {'a', "--all", NULL, NULL, "keep rows that are marked as left_out, and outliers", FLAG,
     offsetof(sab_args, all)},
    {'M', "--markdown", NULL, NULL, "as a page for docs/", FLAG, offsetof(sab_args, markdown)},
    {'V', "--over", NULL, "KEY=A,B,C", "what is refined, from coarse to fine", TEXT,
     offsetof(sab_args, over)},
    {'E', "--data", NULL, "TABLE.csv", "measurements: a column of x, one of y (and sigma)", TEXT,
     offsetof(sab_args, data)},
    {'K', "--vary", NULL, "KEY=LOW,HIGH", "a key that is sought, and its bounds (repeatable)", VARY,
     0},
    {'R', "--profile", NULL, "NAME", "x and y are columns of this profile of a run", TEXT,
     offsetof(sab_args, profile)},
    {'p', "--step", NULL, "S", "of differences, in parts of the bounds (default 0.05)", TEXT,
     offsetof(sab_args, step)},
    {'F', "--from", NULL, "CASE", "a case to start from (default silo; `list`: which there are)",
     TEXT, offsetof(sab_args, from)},
    {'P', "--open", NULL, NULL, "show it in a browser", FLAG, offsetof(sab_args, open)},
    {'q', "--quiet", "-q", NULL, "print warnings and errors only", FLAG, offsetof(sab_args, quiet)},
    {'v', "--verbose", "-v", NULL, "print every iteration", FLAG, offsetof(sab_args, verbose)},
    {'h', "--help", "-h", NULL, "this page", FLAG, offsetof(sab_args, help)},
};
static const char SAFE[] = "SABLIER_SAFE";
enum { OPTIONS = sizeof table / sizeof table[0] };

static bool takes(const sab_command *command, const row *o)
{
    return o->letter == 'h' || strchr(command->options, o->letter) != NULL;
}

/* What is wrong with the long option `word`, which no name of the command fits, or more than one.
 */
static sab_status unknown_option(const sab_command *command, const char *word, sab_error *err)
{
    const char *names[OPTIONS], *close;
    const size_t length = strcspn(word, "=");
    char name[100];
    size_t n = 0;
    int fit = 0;

    for (int i = 0; i < OPTIONS; i++)
        if (takes(command, &table[i])) {
            fit += strncmp(table[i].name, word, length) == 0;
            names[n++] = table[i].name;
        }
    if (fit > 1)
        return sab_fail(err, SAB_ERR_USAGE,
                        "%s: '%s' is the beginning of %d options; see "
                        "sablier %s --help",
                        command->name, word, fit, command->name);
    snprintf(name, sizeof name, "%.*s", (int)(length < 99 ? length : 99), word);
    close = sab_closest_name(name, names, n);
    return sab_fail(err, SAB_ERR_USAGE, "%s: unknown option '%s'%s%s%s", command->name, word,
                    close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
                    close != NULL ? "'?" : "");
}

static sab_status store(const row *o, const char *value, sab_args *args, sab_error *err)
{
    char *field = (char *)args + o->offset;

    switch (o->kind) {
    case FLAG:
        *(bool *)(void *)field = true;
        break;
    case TEXT:
        *(const char **)(void *)field = value;
        break;
    case OVERRIDES:
        if (args->noverrides == SAB_MAX_OVERRIDES)
            return sab_fail(err, SAB_ERR_USAGE, "more than %d times --set", SAB_MAX_OVERRIDES);
        args->override[args->noverrides++] = value;
        break;
    case GROUPS:
        if (args->ngroups == SAB_MAX_GROUPS)
            return sab_fail(err, SAB_ERR_USAGE, "more than %d times --group", SAB_MAX_GROUPS);
        args->group[args->ngroups++] = value;
        break;
    case VARY:
        if (args->nvary == SAB_MAX_VARY)
            return sab_fail(err, SAB_ERR_USAGE, "--vary: more than %d keys", SAB_MAX_VARY);
        args->vary[args->nvary++] = value;
    }
    return SAB_OK;
}

static sab_status take_target(const sab_command *command, const char *word, sab_args *args,
                              sab_error *err)
{
    if (command->targets == 0)
        return sab_fail(err, SAB_ERR_USAGE, "%s takes no argument, but got '%s'", command->name,
                        word);
    if (word[0] == '\0')
        return sab_fail(err, SAB_ERR_USAGE, "%s: its argument is empty", command->name);
    if (args->target != NULL && (command->targets != 2 || args->second != NULL))
        return sab_fail(err, SAB_ERR_USAGE, "%s takes %s, but got '%s' and '%s'", command->name,
                        command->targets != 2 ? "one argument" : "two arguments", args->target,
                        word);
    *(args->target == NULL ? &args->target : &args->second) = word;
    return SAB_OK;
}

/* The tables of getopt_long for a command. Every option has the value FIRST + its row, also if it
 * is given by its letter. */
enum { FIRST = 256 };
typedef struct habits {
    struct option name[OPTIONS + 1];
    char letters[2 * OPTIONS + 4];
    int row[UCHAR_MAX + 1]; /* of a letter; -1: none */
} habits;

static habits make_habits(const sab_command *command)
{
    habits h = {.letters = "-:"}; /* arguments in their order; `:` for a value that is missing */
    size_t n = 2;
    int names = 0;

    for (int c = 0; c <= UCHAR_MAX; c++)
        h.row[c] = -1;
    for (int i = 0; i < OPTIONS; i++) {
        if (!takes(command, &table[i]))
            continue;
        h.name[names++] = (struct option){table[i].name + 2,
                                          table[i].kind == FLAG ? no_argument : required_argument,
                                          NULL, FIRST + i};
        if (table[i].shortname == NULL)
            continue;
        h.row[(unsigned char)table[i].shortname[1]] = i;
        h.letters[n++] = table[i].shortname[1];
        if (table[i].kind != FLAG)
            h.letters[n++] = ':';
    }
    return h;
}

/* Why getopt_long has not taken an option: `code` is '?' or ':', `word` where it stands. */
static sab_status refuse_option(const sab_command *command, const habits *h, int code,
                                const char *word, sab_error *err)
{
    const char letter[3] = {'-', (char)optopt, '\0'};
    const int i = optopt >= FIRST ? optopt - FIRST : h->row[(unsigned char)optopt];

    if (code == ':')
        return sab_fail(err, SAB_ERR_USAGE, "%s: option '%s' needs %s", command->name,
                        optopt >= FIRST ? table[i].name : letter, table[i].argument);
    if (optopt >= FIRST)
        return sab_fail(err, SAB_ERR_USAGE, "%s: option '%s' takes no value", command->name,
                        table[i].name);
    return unknown_option(command, optopt > 0 ? letter : word, err);
}

/* What all commands want of their arguments. */
static sab_status finish_args(const sab_command *command, sab_args *args, sab_error *err)
{
    if (args->safe)
        setenv(SAFE, "1", 1); /* the points of a study inherit it */
    const char *safe = getenv(SAFE);
    args->safe = safe != NULL && safe[0] != '\0';
    if (args->quiet && args->verbose)
        return sab_fail(err, SAB_ERR_USAGE, "-q and -v exclude each other");
    if ((command->targets > 0 && args->target == NULL) ||
        (command->targets > 1 && args->second == NULL))
        return sab_fail(err, SAB_ERR_USAGE, "usage: sablier %s", command->usage);
    return SAB_OK;
}

static sab_status take_words(const sab_command *command, int argc, char **argv, sab_args *args,
                             sab_error *err)
{
    sab_status status = SAB_OK;
    const habits h = make_habits(command);
    int code;

    optind = 0; /* glibc: from the beginning */
    opterr = 0;
    while ((code = getopt_long(argc, argv, h.letters, h.name, NULL)) != -1) {
        if (code == 1) {
            SAB_TRY(take_target(command, optarg, args, err));
            continue;
        }
        if (code == '?' || code == ':')
            SAB_TRY(refuse_option(command, &h, code, argv[optind - 1], err));
        const row *o = &table[code >= FIRST ? code - FIRST : h.row[code]];
        if (o->kind != FLAG && optarg[0] == '\0')
            SAB_FAIL(err, SAB_ERR_USAGE, "%s: option '%s' needs %s", command->name,
                     code >= FIRST ? o->name : o->shortname, o->argument);
        SAB_TRY(store(o, optarg, args, err));
    }
    for (; optind < argc; optind++) /* behind -- */
        SAB_TRY(take_target(command, argv[optind], args, err));
cleanup:
    return status;
}

sab_status sab_args_parse(const sab_command *command, int argc, char **argv, sab_args *args,
                          sab_error *err)
{
    *args = (sab_args){0};
    const sab_status status = take_words(command, argc, argv, args, err);
    return status != SAB_OK || args->help ? status : finish_args(command, args, err);
}

void sab_args_help(const sab_command *command)
{
    printf("usage: sablier %s\n\n%s\n\n", command->usage, command->summary);
    for (int i = 0; i < OPTIONS; i++)
        if (takes(command, &table[i])) {
            char left[64];

            snprintf(left, sizeof left, "%s%s%s%s%s", table[i].shortname ? table[i].shortname : "",
                     table[i].shortname ? ", " : "", table[i].name, table[i].argument ? " " : "",
                     table[i].argument ? table[i].argument : "");
            printf("  %-24s %s\n", left, table[i].help);
        }
}

sab_status sab_args_number(const char *name, const char *text, double *value, sab_error *err)
{
    if (!sab_parse_number(text, value))
        return sab_fail(err, SAB_ERR_USAGE, "%s: '%s' is not a number", name, text);
    return SAB_OK;
}

sab_status sab_args_integer(const char *name, const char *text, int *value, sab_error *err)
{
    if (!sab_parse_integer(text, value))
        return sab_fail(err, SAB_ERR_USAGE, "%s: '%s' is not a whole number", name, text);
    return SAB_OK;
}

sab_status sab_args_threads(const sab_args *args, sab_error *err)
{
    sab_status status = SAB_OK;
    int threads = 1;

    if (args->threads != NULL) {
        SAB_TRY(sab_args_integer("--threads", args->threads, &threads, err));
        if (threads < 1 || threads > 1024)
            SAB_TRY(
                sab_fail(err, SAB_ERR_USAGE, "--threads: %d is not between 1 and 1024", threads));
    }
    sab_threads_set(threads);
    SAB_TRY(sab_blas_reserve(err));
cleanup:
    return status;
}

sab_status sab_args_directory(const sab_args *args, const char *name, char directory[SAB_PATH],
                              sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(sab_path_check(args->output != NULL ? args->output : name, err));
    SAB_TRY(args->output != NULL ? sab_path_set(directory, err, "%s", args->output)
                                 : sab_path_set(directory, err, "out/%s", name));
    SAB_TRY(sab_directory_refuse_root(directory, err));
cleanup:
    return status;
}

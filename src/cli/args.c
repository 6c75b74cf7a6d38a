#include "cli/args.h"
#include "base/text.h"
#include "io/file.h"
#include "linalg/threads.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { FLAG, TEXT, OVERRIDES, GROUPS } kind;

typedef struct option {
    char letter; /* its key in sab_command.options */
    const char *name, *shortname, *argument, *help;
    kind kind;
    size_t offset; /* of its field in sab_args */
} option;

static const option table[] = {
    {'o', "--output", "-o", "DIR", "output directory (default out/<directory>)", TEXT,
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
    {'l', "--linear", NULL, "NAME", "cholmod or mumps", TEXT, offsetof(sab_args, linear)},
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
    {'L', "--law", NULL, "NAME", "beverloo (default): C (x - k g)^(d-1/2); power: a x^n", TEXT,
     offsetof(sab_args, law)},
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
    {'q', "--quiet", "-q", NULL, "print warnings and errors only", FLAG, offsetof(sab_args, quiet)},
    {'v', "--verbose", "-v", NULL, "print every iteration", FLAG, offsetof(sab_args, verbose)},
    {'h', "--help", "-h", NULL, "this page", FLAG, offsetof(sab_args, help)},
};
static const char SAFE[] = "SABLIER_SAFE";
enum { OPTIONS = sizeof table / sizeof table[0] };

static bool takes(const sab_command *command, const option *o)
{
    return o->letter == 'h' || strchr(command->options, o->letter) != NULL;
}

static const option *find_option(const sab_command *command, const char *word, size_t length)
{
    for (int i = 0; i < OPTIONS; i++) {
        const option *o = &table[i];
        const bool long_name = strlen(o->name) == length && strncmp(o->name, word, length) == 0;
        const bool short_name = o->shortname != NULL && strlen(o->shortname) == length &&
                                strncmp(o->shortname, word, length) == 0;

        if (takes(command, o) && (long_name || short_name))
            return o;
    }
    return NULL;
}

static sab_status unknown_option(const sab_command *command, const char *word, sab_error *err)
{
    const char *names[OPTIONS];
    size_t n = 0;

    for (int i = 0; i < OPTIONS; i++)
        if (takes(command, &table[i]))
            names[n++] = table[i].name;
    const char *close = sab_closest_name(word, names, n);
    return sab_fail(err, SAB_ERR_USAGE, "%s: unknown option '%s'%s%s%s", command->name, word,
                    close != NULL ? "; did you mean '" : "", close != NULL ? close : "",
                    close != NULL ? "'?" : "");
}

static sab_status store(const option *o, const char *value, sab_args *args, sab_error *err)
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
    if (args->target != NULL && (command->targets == 1 || args->second != NULL))
        return sab_fail(err, SAB_ERR_USAGE, "%s takes %s, but got '%s' and '%s'", command->name,
                        command->targets == 1 ? "one argument" : "two arguments", args->target,
                        word);
    *(args->target == NULL ? &args->target : &args->second) = word;
    return SAB_OK;
}

/* "--name", "--name=value" or "--name value", of which *next is the word behind; it is set to NULL
 * if it was not taken. */
static sab_status take_option(const sab_command *command, const char *word, const char **next,
                              sab_args *args, sab_error *err)
{
    const char *equals = strchr(word, '='), *value = NULL;
    const size_t length = word[1] == '-' && equals != NULL ? (size_t)(equals - word) : strlen(word);
    const option *o = find_option(command, word, length);
    const char *behind = *next;

    *next = NULL;
    if (o == NULL)
        return unknown_option(command, word, err);
    if (o->kind == FLAG) {
        if (length < strlen(word))
            return sab_fail(err, SAB_ERR_USAGE, "%s: option '%s' takes no value", command->name,
                            o->name);
        return store(o, NULL, args, err);
    }
    if (length < strlen(word))
        value = equals + 1;
    else
        value = *next = behind;
    if (value == NULL || value[0] == '\0')
        return sab_fail(err, SAB_ERR_USAGE, "%s: option '%s' needs %s", command->name, word,
                        o->argument);
    return store(o, value, args, err);
}

sab_status sab_args_parse(const sab_command *command, int argc, char **argv, sab_args *args,
                          sab_error *err)
{
    *args = (sab_args){0};
    for (int i = 0; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        const bool is_option = argv[i][0] == '-' && argv[i][1] != '\0';
        const sab_status status = is_option ? take_option(command, argv[i], &next, args, err)
                                            : take_target(command, argv[i], args, err);

        if (status != SAB_OK)
            return status;
        i += is_option && next != NULL;
    }
    if (args->help)
        return SAB_OK;
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

sab_status sab_args_directory(const sab_args *args, const char *name, char *directory, size_t size,
                              sab_error *err)
{
    const int n = args->output != NULL ? snprintf(directory, size, "%s", args->output)
                                       : snprintf(directory, size, "out/%s", name);

    if (n < 0 || (size_t)n >= size)
        return sab_fail(err, SAB_ERR_USAGE, "the path of the output directory is too long");
    return sab_directory_refuse_root(directory, err);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/converge.c -- `sablier converge`: a study of one axis, written to DIR/converge.yaml, and what
 * its probes tend to. */
#include "cli/commands.h"
#include "cli/terminal.h"
#include "io/file.h"
#include "run/converge.h"

#include <stdio.h>
#include <string.h>

/* The case with its overrides, before anything is written. */
static sab_status prepare(const sab_args *args, char directory[SAB_PATH], char study[SAB_PATH],
                          sab_error *err)
{
    sab_status status = SAB_OK;
    sab_case *c = NULL;
    const char *override[SAB_MAX_OVERRIDES + 1];
    char coarsest[500];
    char name[SAB_PATH], results[SAB_PATH];

    SAB_TRY(sab_converge_check(args->over, err));
    snprintf(coarsest, sizeof coarsest, "%.*s", (int)strcspn(args->over, ","), args->over);
    memcpy(override, args->override, sizeof args->override);
    override[args->noverrides] = coarsest; /* a key that is not there is found here */
    SAB_TRY(sab_case_read(args->target, args->noverrides + 1, override, &c, err));
    SAB_TRY(sab_path_set(name, err, "%s-converge", c->name));
    SAB_TRY(sab_args_directory(args, name, directory, err));
    SAB_TRY(sab_path_set(results, err, "%s/results.csv", directory));
    if (sab_file_exists(results) && !args->resume && !args->force)
        SAB_FAIL(err, SAB_ERR_USAGE,
                 "'%s' holds a result already: go on with --resume, choose another directory with "
                 "-o, or replace it with --force",
                 directory);
    SAB_TRY(sab_directory_create(directory, err));
    SAB_TRY(sab_path_set(study, err, "%s/converge.yaml", directory));
    SAB_TRY(sab_converge_write(c, args->over, args->noverrides, args->override, study, err));
cleanup:
    sab_case_destroy(&c);
    return status;
}

int sab_command_converge(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    const sab_teller out = sab_terminal_teller(&term);
    char directory[SAB_PATH], study[SAB_PATH];
    int code = 0;

    SAB_TRY(prepare(args, directory, study, err));
    code = sab_command_study(&(sab_args){.target = study,
                                         .output = directory,
                                         .jobs = args->jobs,
                                         .resume = args->resume,
                                         .force = args->force,
                                         .safe = args->safe,
                                         .quiet = args->quiet,
                                         .verbose = args->verbose});
    if (code > 1)
        return code;
    SAB_TRY(sab_converge_describe(directory, args->over, &out, err));
cleanup:
    if (status != SAB_OK)
        sab_complain(&term, message.message);
    if (status == SAB_ERR_NUMERIC) /* a run that missed: it has said so */
        return 1;
    return sab_say_end(&term, status != SAB_OK ? sab_exit_code(status) : code);
}

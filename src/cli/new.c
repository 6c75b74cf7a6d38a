/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/new.c -- `sablier new`: a directory with a copy of a case to start from. */
#include "cli/commands.h"
#include "cli/terminal.h"
#include "io/file.h"
#include "run/template.h"

#include <string.h>

static sab_status say_next(const char *name, sab_terminal *term, sab_error *err)
{
    sab_status status = SAB_OK;
    char path[SAB_PATH];

    SAB_TRY(sab_path_set(path, err, "%s/case.yaml", name));
    const bool is_case = sab_file_exists(path);
    SAB_TRY(sab_path_set(path, err, "%s/study.yaml", name));
    const bool is_study = sab_file_exists(path);
    sab_say(term, "made           %s", name);
    sab_say(term, "next           edit %s/%s, then", name, is_case ? "case.yaml" : "study.yaml");
    if (is_case)
        sab_say(term, "               sablier check %s; sablier run %s", name, name);
    if (is_study)
        sab_say(term, "               sablier study %s", name);
cleanup:
    return status;
}

int sab_command_new(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(0);
    const sab_teller out = sab_terminal_teller(&term);
    const char *wanted = args->from != NULL ? args->from : "silo";

    if (strcmp(wanted, "list") == 0) {
        SAB_TRY(sab_template_list(&out, err));
        goto cleanup;
    }
    if (args->target == NULL)
        SAB_FAIL(err, SAB_ERR_USAGE, "new: give the name of the directory to make");
    SAB_TRY(sab_template_copy(wanted, args->target, err));
    SAB_TRY(say_next(args->target, &term, err));
cleanup:
    if (status != SAB_OK)
        sab_complain(&term, message.message);
    return sab_say_end(&term, sab_exit_code(status));
}

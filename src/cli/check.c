/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/check.c -- `sablier check` and `sablier keys`: what a case means, without solving it. */
#include "cli/commands.h"
#include "cli/view.h"
#include "run/describe_study.h"
#include "run/verdict.h"

#include <stdio.h>

static int check_case(const sab_args *args, sab_terminal *term)
{
    sab_error message = {0};
    sab_view view = {.term = term};
    const sab_run_events events = sab_view_events(&view);
    const sab_teller out = sab_terminal_teller(term);
    sab_warnings warnings = {.tell = events.warning, .data = events.data};
    sab_session session = {.confined = args->safe ? SAB_CONFINED_ALL : SAB_CONFINED_DATA};
    sab_status status = sab_args_threads(args, &message);

    if (status == SAB_OK)
        status =
            sab_case_read(args->target, args->noverrides, args->override, &session.c, &message);
    if (status == SAB_OK)
        status = sab_session_build(&session, true, &events, &message);
    sab_view_end(&view);
    if (status == SAB_OK) {
        sab_session_warn(&session, &warnings);
        sab_describe_boundaries(&session, &out);
        sab_say(term, "the case is sound; nothing was solved");
    } else {
        sab_complain(term, message.message);
    }
    sab_session_close(&session);
    return sab_say_end(term, sab_exit_code(status));
}

static int check_study(const sab_args *args, sab_terminal *term)
{
    const sab_teller out = sab_terminal_teller(term);
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_study *study = NULL;

    SAB_TRY(sab_args_threads(args, err));
    if (args->noverrides > 0)
        SAB_FAIL(err, SAB_ERR_USAGE, "--set is for a case; a study has its keys in `set`");
    SAB_TRY(sab_study_read(args->target, &study, err));
    sab_say(term, "sablier %s  %s", SAB_VERSION, study->title);
    SAB_TRY(sab_describe_plan(study, args->safe ? SAB_CONFINED_ALL : SAB_CONFINED_DATA, &out, err));
cleanup:
    if (status != SAB_OK)
        sab_complain(term, message.message);
    sab_study_destroy(&study);
    return sab_say_end(term, sab_exit_code(status));
}

int sab_command_check(const sab_args *args)
{
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : 1); /* whoever asks wants it all */

    return sab_study_is_one(args->target) ? check_study(args, &term) : check_case(args, &term);
}

int sab_command_keys(const sab_args *args)
{
    sab_error message = {0};
    sab_terminal term = sab_terminal_create(0);
    sab_text text = {0};
    const sab_status status = sab_case_keys(args->target, args->markdown, &text, &message);

    if (status == SAB_OK)
        fputs(text.data, stdout);
    else
        sab_complain(&term, message.message);
    sab_text_destroy(&text);
    return sab_say_end(&term, sab_exit_code(status));
}

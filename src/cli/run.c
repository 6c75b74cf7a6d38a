/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/run.c -- `sablier run`: solve a case and leave its result in a directory. */
#include "cli/commands.h"
#include "cli/view.h"

/* What the resumed run has done so far. */
static void say_resumed(const sab_run *run, sab_terminal *term)
{
    const sab_march_end end = run->march->end;

    sab_say(term, "resumed        after step %d, at time %g", run->march->rows, sab_run_time(run));
    if (sab_run_is_whole(run))
        sab_say(term, "result         %s: nothing to do, the run has ended (%s)",
                run->place.directory,
                end == SAB_MARCH_STEADY     ? "steady"
                : end == SAB_MARCH_FINISHED ? "time.end"
                                            : "given up");
}

static void warn_interrupted(const sab_run *run, sab_terminal *term)
{
    if (!sab_march_is_creeping(run->march))
        sab_warn(term,
                 "stopped by a signal after step %d of at most %d, at time %g; run again with "
                 "--resume to continue",
                 run->march->rows, sab_run_steps(run), sab_run_time(run));
    else
        sab_warn(term, "stopped by a signal before the solve ended; nothing was written to %s",
                 run->place.directory);
}

static sab_status take_steps(sab_run *run, sab_view *view, sab_error *err)
{
    const char *dump = run->options.dump;
    const bool creeping = sab_march_is_creeping(run->march);
    sab_status status = SAB_OK;

    if (dump != NULL && creeping)
        sab_say(view->term, "program        written to %s", dump);
    sab_view_begin(view, run);
    while (sab_run_goes_on(run)) {
        SAB_TRY(sab_run_step(run, err));
        if (dump != NULL && !creeping && !sab_run_goes_on(run))
            sab_say(view->term, "program        of the last step, written to %s", dump);
    }
    SAB_TRY(sab_run_finish(run, err));
    sab_say(view->term, "result         %s: %s", run->place.directory, run->result.status);
    const sab_teller out = sab_terminal_teller(view->term);
    sab_describe_next(run, &out);
cleanup:
    return status;
}

int sab_command_run(const sab_args *args)
{
    sab_status status = SAB_OK;
    sab_error message = {0}, *err = &message;
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    char directory[SAB_PATH];
    sab_view view = {.term = &term};
    const sab_run_events events = sab_view_events(&view);
    const sab_run_options options = {.directory = directory,
                                     .dump = args->dump,
                                     .resume = args->resume,
                                     .force = args->force,
                                     .confined = args->safe ? SAB_CONFINED_ALL : SAB_CONFINED_DATA};
    sab_case *c = NULL;
    sab_run *run = NULL;
    bool good = true;

    sab_watch_signals();
    SAB_TRY(sab_args_threads(args, err));
    SAB_TRY(sab_case_read(args->target, args->noverrides, args->override, &c, err));
    SAB_TRY(sab_args_directory(args, c->name, directory, err));
    SAB_TRY(sab_run_create(&c, &options, &events, &run, err));
    if (args->resume)
        say_resumed(run, &term);
    if (!sab_run_is_whole(run))
        SAB_TRY(take_steps(run, &view, err));
    good = sab_run_is_good(run);
cleanup:
    sab_view_end(&view);
    if (status == SAB_INTERRUPTED)
        warn_interrupted(run, &term);
    else if (status != SAB_OK)
        sab_complain(&term, message.message);
    sab_case_destroy(&c);
    sab_run_destroy(&run);
    return status != SAB_OK ? sab_exit_code(status) : good ? 0 : 1;
}

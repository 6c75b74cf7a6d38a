/* cli/check.c -- `sablier check` and `sablier keys`: what a case means, without solving it. */
#include "cli/commands.h"
#include "cli/view.h"
#include "run/verdict.h"

#include <stdio.h>

static void describe_boundaries(const sab_session *session, sab_terminal *term)
{
    static const char *const velocity[] = {"velocity", "velocity, one component free",
                                           "velocity, two components free"};

    for (int b = 0; b < session->c->nboundaries; b++) {
        const sab_boundary *entry = &session->c->boundary[b];
        const sab_mesh_group *group = &session->mesh->group[session->flow->group[b]];
        int nfree = 0;

        for (int i = 0; i < session->c->geometry->dim; i++)
            nfree += entry->has_velocity && !entry->prescribed[i];
        const char *kind = entry->slip           ? "slip"
                           : entry->has_velocity ? velocity[nfree]
                           : entry->has_pressure ? "pressure"
                                                 : "traction";

        sab_say(term, "boundary       %-12s %5d sides, %s", entry->group, group->nfacets, kind);
    }
}

int sab_command_check(const sab_args *args)
{
    sab_error message = {0};
    sab_terminal term = sab_terminal_create(args->quiet ? -1 : args->verbose);
    sab_view view = {.term = &term};
    const sab_run_events events = sab_view_events(&view);
    sab_warnings warnings = {.tell = events.warning, .data = events.data};
    sab_session session = {.safe = args->safe};
    sab_status status = sab_args_threads(args, &message);

    if (status == SAB_OK)
        status =
            sab_case_read(args->target, args->noverrides, args->override, &session.c, &message);
    if (status == SAB_OK)
        status = sab_session_build(&session, true, &events, &message);
    sab_view_end(&view);
    if (status == SAB_OK) {
        sab_session_warn(&session, &warnings);
        describe_boundaries(&session, &term);
        sab_say(&term, "the case is sound; nothing was solved");
    } else {
        sab_complain(&term, message.message);
    }
    sab_session_close(&session);
    return sab_say_end(&term, sab_exit_code(status));
}

int sab_command_keys(const sab_args *args)
{
    sab_error message = {0};
    sab_terminal term = sab_terminal_create(0);
    sab_text text = {0};
    const sab_status status = sab_case_keys(args->markdown, &text, &message);

    if (status == SAB_OK)
        fputs(text.data, stdout);
    else
        sab_complain(&term, message.message);
    sab_text_destroy(&text);
    return sab_say_end(&term, sab_exit_code(status));
}

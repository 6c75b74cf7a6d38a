/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/view.h -- the events of a run on the terminal. */
#ifndef SAB_CLI_VIEW_H
#define SAB_CLI_VIEW_H

#include "cli/watch.h"
#include "run/run.h"

typedef struct sab_view {
    sab_terminal *term;
    sab_watch watch;
} sab_view;

/* `view` is borrowed as long as the events are in use. */
sab_run_events sab_view_events(sab_view *view);
/* Before the first step: what there will be to follow. */
void sab_view_begin(sab_view *view, const sab_run *run);
/* The run, or what there was of it, has ended. */
void sab_view_end(sab_view *view);

#endif

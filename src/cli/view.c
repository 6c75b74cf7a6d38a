/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/view.h"
#include "cli/commands.h"
#include "linalg/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

/* The mesh that Gmsh works on. A .geo can end the process (Exit;), with exit code 0. */
static const char *meshing;
static pid_t meshing_process;

static void on_exit_while_meshing(void)
{
    if (meshing != NULL && getpid() == meshing_process) { /* not in the one of --safe */
        fflush(stdout);
        fprintf(stderr,
                "error: the mesh '%s' ended the program: Exit in a .geo? Use Error or Abort\n",
                meshing);
        sab_server_stop();
        _exit(sab_exit_code(SAB_ERR_INPUT));
    }
}

static void on_phase(void *data, sab_phase phase, const sab_session *session)
{
    const sab_view *view = data;
    const sab_teller out = sab_terminal_teller(view->term);

    meshing = NULL;
    if (phase == SAB_PHASE_MESH && session->c->mesh_file == NULL)
        return; /* grains without one */
    if (phase == SAB_PHASE_MESH) {
        atexit(on_exit_while_meshing);
        meshing = session->c->mesh_file;
        meshing_process = getpid();
        sab_progress(view->term, "meshing %s", session->c->mesh_file);
    } else if (phase == SAB_PHASE_ASSEMBLY) {
        sab_progress(view->term, "assembling %d %s", session->mesh->nelements,
                     session->mesh->cell->plural);
    } else {
        sab_progress_end(view->term);
        sab_describe_session(session, &out);
    }
}

static void on_warning(void *data, const char *sentence)
{
    sab_warn(((sab_view *)data)->term, "%s", sentence);
}

static bool on_step(void *data, int step)
{
    sab_view *view = data;

    sab_watch_next(&view->watch, step);
    return !sab_watch_interrupted();
}

static bool on_iteration(void *data, int viscosity_iteration, const sab_report *so_far)
{
    return sab_watch_row(&((sab_view *)data)->watch, viscosity_iteration, so_far);
}

static bool on_checkpoint(void *data)
{
    (void)data;
    return sab_watch_checkpoint();
}

static void on_stepped(void *data, const sab_run *run)
{
    sab_view *view = data;
    const sab_march *m = run->march;

    if (sab_march_is_creeping(m)) { /* its iterations are the table */
        sab_progress_end(view->term);
        return;
    }
    const int watched = sab_march_watched(m);
    const double *row = m->history + (size_t)(m->rows - 1) * (size_t)m->columns;
    const sab_watch_line line = {.step = m->rows,
                                 .time = row[SAB_HISTORY_TIME],
                                 .at = sab_march_at(m),
                                 .outer = (int)row[SAB_HISTORY_OUTER],
                                 .inner = (int)row[SAB_HISTORY_INNER],
                                 .gap = row[SAB_HISTORY_GAP],
                                 .probe = watched >= 0 ? row[watched] : 0.0,
                                 .retries = (int)row[SAB_HISTORY_RETRIES],
                                 .missed = (sab_miss)row[SAB_HISTORY_MISSED],
                                 .last = m->end != SAB_MARCH_GOES_ON};

    sab_watch_step(&view->watch, &line);
}

static void on_result(void *data, const sab_run *run)
{
    const sab_teller out = sab_terminal_teller(((sab_view *)data)->term);

    sab_describe_result(run, &out);
}

sab_run_events sab_view_events(sab_view *view)
{
    return (sab_run_events){.data = view,
                            .phase = on_phase,
                            .warning = on_warning,
                            .step = on_step,
                            .iteration = on_iteration,
                            .checkpoint = on_checkpoint,
                            .stepped = on_stepped,
                            .result = on_result};
}

void sab_view_begin(sab_view *view, const sab_run *run)
{
    const sab_case *c = run->session.c;
    const int watched = run->session.watched;

    if (sab_march_is_creeping(run->march))
        sab_watch_begin(&view->watch, view->term, c->solver.tolerance, c->solver.max_iterations);
    else
        sab_watch_begin_steps(&view->watch, view->term, c->solver.tolerance,
                              c->solver.max_iterations, sab_march_at(run->march),
                              sab_run_steps(run), watched >= 0 ? c->probe[watched].name : NULL);
    if (c->has_grains)
        view->watch.measure = "residual";
}

void sab_view_end(sab_view *view)
{
    meshing = NULL;
    sab_progress_end(view->term);
}

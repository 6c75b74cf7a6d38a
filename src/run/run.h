/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/run.h -- a case at work, without a terminal: create, step, finish.
 *
 * A creeping flow is a run of one step. Nothing is printed: events tell what happens
 * (run/events.h), and what there is to see is in the members below. */
#ifndef SAB_RUN_RUN_H
#define SAB_RUN_RUN_H

#include "run/live.h"
#include "run/result.h"
#include "run/summary.h"

typedef struct sab_run_options {
    const char *directory; /* of the result; NULL: no files at all */
    const char *dump;      /* file for the cone program, of the last step; NULL: none */
    bool resume, force;    /* go on from the checkpoint there; replace what is there */
    sab_confined confined; /* the mesh may be hostile */
} sab_run_options;

typedef struct sab_run { /* to look at; only run/ writes */
    sab_session session;
    sab_result_place place;
    sab_warnings warnings;
    sab_march *march;      /* steps so far; of a creeping flow there is one */
    sab_run_result result; /* from sab_run_finish on */
    /* its own */
    sab_run_options options;
    sab_run_events events;
    sab_run_state state;
    sab_live live;
    sab_text convergence; /* of the step at work */
    sab_status growing;   /* of that text */
    double *mean, *deviation;
    double cpu_start, wall_start;                    /* of this process */
    double cpu_before, wall_before, assembly_before; /* of earlier parts of the run */
    double last_checkpoint;                          /* on the clock */
    bool had_angle; /* friction below 1 everywhere, as the header saw it */
    bool finished;
} sab_run;

/* Mesh, flow, probes, directory; nothing is solved. The case is moved, also on failure. What
 * `options` and `events` point to is borrowed. The caller owns *run. */
sab_status sab_run_create(sab_case **c, const sab_run_options *options,
                          const sab_run_events *events, sab_run **run, sab_error *err);
/* Directories that create has made go if nothing is in them. */
void sab_run_destroy(sab_run **run);
/* Is there a step to take? */
bool sab_run_goes_on(const sab_run *run);
/* One step, its row, its frame and checkpoint if they are due; after the last one all files but
 * summary.json. SAB_INTERRUPTED: an event said so; of an inertial run a checkpoint stands then, and
 * the run is as it was before the step. */
sab_status sab_run_step(sab_run *run, sab_error *err);
/* What came out, its warnings, and summary.json: the directory holds a whole result then. That of a
 * creeping flow is written whole or not at all. */
sab_status sab_run_finish(sab_run *run, sab_error *err);
/* The run has been there before, whole: nothing to do (resume). */
bool sab_run_is_whole(const sab_run *run);
/* Everything met its tolerance, and the energies are in order. */
bool sab_run_is_good(const sab_run *run);
/* Steps of all of it, at most; the time now. */
int sab_run_steps(const sab_run *run);
double sab_run_time(const sab_run *run);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/events.h -- what a run, or a study, tells while it is at work. Nothing in run/ prints. */
#ifndef SAB_RUN_EVENTS_H
#define SAB_RUN_EVENTS_H

#include "solve/solve.h"

struct sab_run;
struct sab_session;
struct sab_study_run;

typedef enum sab_phase {
    SAB_PHASE_MESH,     /* the case is read; Gmsh may work for long, and may end the process */
    SAB_PHASE_ASSEMBLY, /* the mesh is there */
    SAB_PHASE_READY     /* all is there but the solution */
} sab_phase;

/* Each may be NULL. */
typedef struct sab_run_events {
    void *data;
    void (*phase)(void *data, sab_phase phase, const struct sab_session *session);
    void (*warning)(void *data, const char *sentence); /* sablier run keeps them in the summary */
    bool (*step)(void *data, int step);                /* one begins, from 1; false: stop */
    bool (*iteration)(void *data, int viscosity_iteration,
                      const sab_report *so_far);            /* of the solver; false: stop */
    bool (*checkpoint)(void *data);                         /* after a step: is one wanted now? */
    void (*stepped)(void *data, const struct sab_run *run); /* a step and its row are done */
    void (*result)(void *data, const struct sab_run *run);  /* there is one; it is written next */
} sab_run_events;

/* Of a study. `stopped` must be there, the others may be NULL. */
typedef struct sab_study_events {
    void *data;
    bool (*stopped)(void *data); /* is the study to stop, as soon as it can be taken up again? */
    void (*warning)(void *data, const char *sentence);
    void (*started)(void *data, const char *command);
    void (*ended)(void *data, const struct sab_study_run *study, int point); /* or found, done */
    void (*progress)(void *data, const struct sab_study_run *study, int running, int at_once);
    /* on a batch system */
    void (*queued)(void *data, int chains); /* that are not submitted again */
    void (*submitted)(void *data, int chains, const char *job);
    void (*waiting)(void *data, int chains); /* running or in the queue */
} sab_study_events;

#endif

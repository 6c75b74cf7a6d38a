/* run/events.h -- what a run tells while it is at work. Nothing in run/ prints. */
#ifndef SAB_RUN_EVENTS_H
#define SAB_RUN_EVENTS_H

#include "solve/solve.h"

struct sab_run;
struct sab_session;

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

#endif

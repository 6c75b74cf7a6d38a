/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/session.h -- a case loaded, meshed and assembled: what a run and a check share. */
#ifndef SAB_RUN_SESSION_H
#define SAB_RUN_SESSION_H

#include "fem/recovery.h"
#include "flow/flow.h"
#include "flow/probes.h"
#include "io/case.h"
#include "run/events.h"
#include "run/initial.h"
#include "run/scene.h"

/* Which meshes are read in a process that can do nothing else (sab_mesh_read_apart)? */
typedef enum sab_confined {
    SAB_CONFINED_NONE, /* for programs that would rather not fork */
    SAB_CONFINED_DATA, /* .msh, as far as the system can */
    SAB_CONFINED_ALL   /* or it is an error */
} sab_confined;

typedef struct sab_session {
    sab_case *c;
    sab_confined confined;
    sab_mesh *mesh;   /* NULL: grains without one */
    sab_flow *flow;   /* NULL: a scene of grains, */
    sab_scene *scene; /* or NULL: a flow */
    sab_dofs
        *held; /* who holds which node, at the end of the first step: a lid may start from rest */
    sab_probes *probes;
    sab_recovery *recovery;
    int watched;                     /* the probe that must be steady (time.probe), or -1 */
    double shape, shape_at[SAB_DIM]; /* sab_mesh_quality of the mesh before it is split */
    sab_surface_setup surface;       /* what the flow borrows, if its surface moves */
    sab_transfer_report transfer;    /* of initial.from, if it is of another mesh: places > 0 */
    double wall_mesh;                /* seconds to read or make the mesh, split included */
} sab_session;

/* Read or make the mesh of session->c, assemble, analyse, find the probes: all that can fail before
 * the solve. With `initial` the state of initial.from is read too. Start with {.c = the case,
 * .confined}, which is moved; close in any case. */
sab_status sab_session_build(sab_session *session, bool initial, const sab_run_events *events,
                             sab_error *err);
void sab_session_close(sab_session *session);
/* sab_recovery_is_stable */
bool sab_session_stable(const sab_session *session);
/* Was the element p2 made stable by a split? Then limits refer to the triangles before it. */
bool sab_session_is_split(const sab_session *session);
/* Time steps from the beginning to time.end; 1 of a creeping flow. */
int sab_case_steps(const sab_case *c);
/* The stresses one can show: continuous, if the pair is stable; and how rough the pressure is
 * (fem/recovery.h). Borrowed until the next call. */
typedef struct sab_shown {
    const double *pressure, *stress; /* [nnodes], [nnodes][s]; NULL if the pair is unstable */
    double oscillation;
} sab_shown;
sab_status sab_session_recover(const sab_session *session, sab_shown *shown, sab_error *err);
/* Largest |u| h/nu of the elements, as they were before a split [docs/theory.md, 3.3]. */
double sab_session_cell_reynolds(const sab_session *session);
/* Largest |u| step/h, with the same h. */
double sab_session_courant(const sab_session *session);

/* What a run needs, in bytes, before anything is factored; what this machine has (0: not known),
 * and how many elements would need that, by the exponent with which factors grow. Estimates. */
typedef struct sab_memory_needs {
    double needed, machine, elements;
} sab_memory_needs;
sab_memory_needs sab_session_memory(const sab_session *session);

/* Bytes that a result with so many law points takes on the disk, if it runs to time.end: frames for
 * ParaView, two checkpoints, the history; and how many frames. An estimate: they are compressed. */
typedef struct sab_disk_needs {
    double bytes, frame;
    int frames;
} sab_disk_needs;
sab_disk_needs sab_case_disk(const sab_case *c, int npoints);

/* Lowest and highest of n values. */
typedef struct sab_range {
    double low, high;
} sab_range;
sab_range sab_range_of(int n, const double *value, double scale);
/* The coefficient in the user's convention, over the points; of mu(I) from rest to fast flow. */
sab_range sab_session_friction(const sab_session *session);
/* The same as angles in degrees; NAN where there is none. */
sab_range sab_session_friction_angle(const sab_session *session, sab_friction_mode mode);

#endif

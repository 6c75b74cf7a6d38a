/* cli/session.h -- a case loaded, meshed and assembled: what `run` and `check` share. */
#ifndef SAB_CLI_SESSION_H
#define SAB_CLI_SESSION_H

#include "cli/args.h"
#include "cli/terminal.h"
#include "fem/recovery.h"
#include "flow/flow.h"
#include "flow/probes.h"
#include "io/case.h"

typedef struct sab_session {
    sab_case *c;
    sab_mesh *mesh;
    sab_flow *flow;
    sab_dofs
        *held; /* who holds which node, at the end of the first step: a lid may start from rest */
    sab_probes *probes;
    sab_recovery *recovery;
    int watched;      /* the probe that must be steady (time.probe), or -1 */
    double wall_mesh; /* seconds to read or make the mesh, split included */
} sab_session;

/* Set the number of threads, --threads or one. */
sab_status sab_session_threads(const sab_args *args, sab_error *err);
/* Read the case, and set the number of threads. Start with {0}; close in any case. */
sab_status sab_session_read(const sab_args *args, sab_session *session, sab_error *err);
/* Read or make the mesh, assemble, analyse, find the probes: all that can fail before the solve.
 * With `initial` the state of initial.from is read too. */
sab_status sab_session_build(sab_session *session, bool initial, sab_terminal *term,
                             sab_error *err);
void sab_session_close(sab_session *session);
/* sab_recovery_is_stable */
bool sab_session_stable(const sab_session *session);
/* Time steps from the beginning to time.end. */
int sab_session_steps(const sab_session *session);
/* The stresses one can show: continuous, if the pair is stable; and how rough the pressure is
 * (fem/recovery.h). Borrowed until the next call. */
typedef struct sab_shown {
    const double *pressure, *stress; /* [nnodes], [nnodes][s]; NULL if the pair is unstable */
    double oscillation;
} sab_shown;
sab_status sab_session_recover(const sab_session *session, sab_shown *shown, sab_error *err);
/* Largest |u| h/nu of the elements, as they were before a split, and a warning if it is beyond what
 * the time scheme takes [docs/theory.md, 3.3]. */
double sab_session_cell_reynolds(const sab_session *session);
/* Largest |u| step/h, with the same h. */
double sab_session_courant(const sab_session *session);
void sab_session_warn_advection(const sab_session *session, sab_terminal *term, double reynolds);
/* A warning if friction is 1 or more somewhere. The law has a solution there too, so it is no
 * error; but it is not that of grains [docs/theory.md, 2.5]. */
void sab_session_warn_friction(const sab_session *session, sab_terminal *term);
/* A warning if the pair is unstable and its pressure shows it. */
void sab_session_warn_pressure(const sab_session *session, sab_terminal *term,
                               const sab_shown *shown);
/* Case, mesh, sizes, effective rheology, solver: the header of a run. Warnings too. */
void sab_session_describe(const sab_session *session, sab_terminal *term);

/* Exit code of a failure (docs/architecture.md). */
int sab_exit_code(sab_status status);
/* Lowest and highest of n values. */
typedef struct sab_range {
    double low, high;
} sab_range;
sab_range sab_range_of(int n, const double *value, double scale);
/* The coefficient in the user's convention, over the points; of mu(I) from rest to fast flow. */
sab_range sab_session_friction(const sab_session *session);

#endif

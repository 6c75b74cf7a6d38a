/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/state.h -- what a run keeps in checkpoint.sab, and how it goes on from there.
 *
 * The blocks are listed in docs/checkpoint.md. Of an inertial run: the state of the flow, the
 * history, the frames written, and the sums of work and time; of a creeping flow only its state,
 * for initial.from. */
#ifndef SAB_RUN_STATE_H
#define SAB_RUN_STATE_H

#include "base/text.h"
#include "run/owner.h"
#include "run/session.h"
#include "run/warnings.h"
#include "run/march_flow.h"
#include "io/checkpoint.h"

/* What an inertial run has to remember beside the march. Times are sums over all parts of a run
 * that was interrupted, up to the last checkpoint or the present. */
typedef struct sab_run_state {
    sab_text convergence; /* convergence.csv of the last step */
    int nframes, capacity;
    double *frame; /* [nframes] times of fields_NNNN.vtu */
    bool ended;    /* the run has ended here, and everything but summary.json is written */
    double cpu_assembly, cpu_output, cpu_total, wall;
} sab_run_state;

void sab_run_state_destroy(sab_run_state *run);
/* One more frame. */
sab_status sab_run_state_add_frame(sab_run_state *run, double time, sab_error *err);

/* Of a creeping flow. */
sab_status sab_state_write_flow(const char *path, const sab_session *session, sab_error *err);
/* <directory>/checkpoint.sab, if that is still ours; the one before is kept as
 * checkpoint.previous.sab. */
sab_status sab_state_write(const char *directory, const sab_owner *owner,
                           const sab_session *session, const sab_march *march,
                           const sab_run_state *run, sab_error *err);
/* Is there one of the two? */
bool sab_state_exists(const char *directory);
/* Is the checkpoint there that of a creeping flow? Without a summary it is what is left of a result
 * that could not be moved into place, not a run that can go on. */
bool sab_state_creeps(const char *directory);
/* Go on where the run in this directory was: march and run are as they were then, and what the
 * session tells of its start. If the
 * checkpoint is damaged the one before is taken, with a warning. SAB_ERR_USAGE if it is of another
 * case, with the key, or of another mesh. */
sab_status sab_state_resume(const char *directory, sab_session *session, sab_warnings *warnings,
                            sab_march *march, sab_run_state *run, sab_error *err);
/* The state of a flow; its arrays are borrowed from the checkpoint. */
sab_status sab_state_get_flow(const sab_checkpoint *c, sab_flow_state *state, sab_error *err);
/* Are nodes and elements the same; and the boundary groups (NULL: whatever they are)? */
sab_status sab_state_check_mesh(const sab_checkpoint *c, const sab_session *session, bool *same,
                                bool *same_groups, sab_error *err);

#endif

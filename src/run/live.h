/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/live.h -- the files of an inertial run that grow with it: history.csv, a row per step, and
 * the frames fields_NNNN.vtu with their index fields.pvd, and of a moving surface grains_NNNN.vtu
 * with grains.pvd. */
#ifndef SAB_RUN_LIVE_H
#define SAB_RUN_LIVE_H

#include "io/file.h"
#include "run/owner.h"
#include "run/state.h"

typedef struct sab_live {
    const sab_session *session; /* borrowed, as all below */
    const char *directory;
    const sab_march *march;
    sab_run_state *run;
    const sab_owner *owner; /* of the directory: asked before each write */
    sab_file history;       /* owned; its stream is NULL unless it is open */
} sab_live;

/* case.resolved.yaml, history.csv with the rows of the march, fields.pvd with the frames of the
 * run; later frames, of a part of the run that was lost, are removed. */
sab_status sab_live_begin(sab_live *live, sab_error *err);
/* Append the last row of the march. */
sab_status sab_live_row(sab_live *live, sab_error *err);
/* The next frame, of the present fields. */
sab_status sab_live_frame(sab_live *live, double time, sab_error *err);
/* Is a frame due after the last step? Not the initial state, nor the one at the end. */
bool sab_live_due(const sab_live *live);
/* Close history.csv. Nothing to do if it is not open. */
sab_status sab_live_end(sab_live *live, sab_error *err);

/* Frame number of "fields_0012.vtu", or of what a killed run left of it; -1 for other names. */
long sab_live_frame_number(const char *name);
/* Remove the frames from number `first` on, of an older result or of a part of a run that was
 * lost. */
sab_status sab_live_remove_frames(const char *directory, int first, sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/result.h -- the files of a result: all of them, or none.
 *
 * Those of a creeping flow are written to <directory>/.new~ and moved into place when all are
 * there, summary.json last. So a full disk leaves an older result as it was, and where summary.json
 * stands, the result is whole. An inertial run writes into its directory as it goes (run/live.h),
 * after removing an older summary.json, and its own comes last too. One run at a time writes there:
 * its fence (run/owner.h) is asked before each write. */
#ifndef SAB_RUN_RESULT_H
#define SAB_RUN_RESULT_H

#include "base/path.h"
#include "flow/probes.h"
#include "io/case.h"
#include "run/owner.h"

typedef struct sab_result_place {
    char directory[SAB_PATH];
    size_t made;      /* length of the shortest part of this path that was not there before; or 0 */
    bool whole;       /* a result is there: summary.json */
    sab_owner *owner; /* of the directory, from prepare on until abandon or release; owned */
} sab_result_place;

/* SAB_ERR_USAGE if a run is at work there; if a result or an unfinished run is there already,
 * without `force` or `resume`; and for `resume` if there is nothing to go on from. Start with {0}.
 */
sab_status sab_result_choose(const char *directory, bool resume, bool force, const sab_case *c,
                             sab_result_place *place, sab_error *err);
/* Make the directory, before the solve, and own it: SAB_ERR_IO if it cannot be written to,
 * SAB_ERR_USAGE if another run has it. What was chosen must be chosen again then. */
sab_status sab_result_prepare(sab_result_place *place, sab_error *err);
/* Remove what prepare has made, if nothing is in it. The directory is no longer owned. */
void sab_result_abandon(sab_result_place *place);
/* An inertial run begins: the summary and the checkpoints of an older one go; or it goes on: only
 * the summary. */
void sab_result_clear(const sab_result_place *place);
void sab_result_unfinished(const sab_result_place *place);
/* profiles/NAME.csv of a probe, if it is a profile: these values, and their deviations unless they
 * are NULL; of a wall in space also profiles/NAME.vtu. */
sab_status sab_result_profile(const char *directory, const sab_case *c, double time,
                              const sab_probe_result *probe, const double *value,
                              const double *deviation, sab_error *err);
/* A directory aside, to write to; all that is in it into place, summary.json last, as long as the
 * directory is ours; and gone. */
sab_status sab_result_stage(const sab_result_place *place, char stage[SAB_PATH], sab_error *err);
sab_status sab_result_publish(const sab_result_place *place, const char *stage, sab_error *err);
void sab_result_discard(const char *stage);

#endif

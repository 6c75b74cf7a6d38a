/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/study_work.h -- the points of a study at work, each in a process of its own. */
#ifndef SAB_RUN_STUDY_WORK_H
#define SAB_RUN_STUDY_WORK_H

#include "run/events.h"
#include "run/study.h"

/* Run all points, so many at a time, until they are done or `stopped` says so: SAB_INTERRUPTED
 * then, with the checkpoints written. No process is left behind. */
sab_status sab_study_work(sab_study_run *run, int at_once, const sab_study_events *events,
                          sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/verdict.h -- what there is to warn about: a case before it is solved, a result after. */
#ifndef SAB_RUN_VERDICT_H
#define SAB_RUN_VERDICT_H

#include "run/run.h"

/* Slip walls that are left at corners, sides without a group, friction of 1 or more, the plain
 * pair.
 */
void sab_session_warn(const sab_session *session, sab_warnings *warnings);
/* Of a run whose result is there: volume, tolerance, energies, advection, pressure. */
void sab_run_warn(sab_run *run);

#endif

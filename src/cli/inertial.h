/* cli/inertial.h -- `sablier run` of an inertial flow: step after step, with files that grow,
 * checkpoints, and a way to go on after an interruption. */
#ifndef SAB_CLI_INERTIAL_H
#define SAB_CLI_INERTIAL_H

#include "cli/result.h"

/* The session is built, the directory chosen and made. cpu_start: when the process began. *missed:
 * steps that did not meet their tolerance, or 1 if the run was given up. SAB_INTERRUPTED after a
 * signal and a checkpoint. */
sab_status sab_inertial_run(const sab_args *args, sab_session *session,
                            const sab_result_place *place, sab_terminal *term, double cpu_start,
                            int *missed, sab_error *err);

#endif

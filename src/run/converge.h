/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/converge.h -- a case on finer and finer meshes, steps or tolerances, and what its probes tend
 * to.
 *
 * The runs are those of a study of one axis; so they run side by side, are resumed, and are looked
 * at as any study is. */
#ifndef SAB_RUN_CONVERGE_H
#define SAB_RUN_CONVERGE_H

#include "io/case.h"
#include "run/describe.h"

/* "KEY=a,b,c": at least three positive numbers, perhaps with units, from coarse to fine.
 * SAB_ERR_USAGE if it is not. */
sab_status sab_converge_check(const char *over, sab_error *err);
/* The study that runs the case, as it was overridden, with these values. */
sab_status sab_converge_write(const sab_case *c, const char *over, int noverrides,
                              const char *const *override, const char *path, sab_error *err);
/* Observed order, limit and error of each probe of the study in `directory`, also in converge.json
 * there. SAB_ERR_NUMERIC if a run is not to be trusted. */
sab_status sab_converge_describe(const char *directory, const char *over, const sab_teller *out,
                                 sab_error *err);

#endif

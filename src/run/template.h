/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/template.h -- cases to start from, and a copy of one.
 *
 * The copy stands alone: the mesh of each file lies beside it, and so does the case that a study
 * begins with. Comments and the order of keys stay, because texts are copied, not trees. */
#ifndef SAB_RUN_TEMPLATE_H
#define SAB_RUN_TEMPLATE_H

#include "run/describe.h"

/* Name and title of each case that comes with the program. */
sab_status sab_template_list(const sab_teller *out, sab_error *err);
/* The directory `name` with a copy of one of them, or of the directory `template` (with a slash),
 * whole or not at all. SAB_ERR_USAGE if `name` is there already, or there is no such case. */
sab_status sab_template_copy(const char *template, const char *name, sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/fclib.h -- global problems of FCLIB, the library of frictional contact problems, as cone
 * programs [docs/program-format.md].
 *
 *     M v = H r + f,   u = H^T v + w,   Coulomb's law (u, r) with mu at each contact
 *
 * is A = M, B = H^T, l = f, k = w; every contact is scaled by (s / tr W_qq)^(1/2), as those of
 * grains are [docs/theory.md, 12.1]. */
#ifndef SAB_IO_FCLIB_H
#define SAB_IO_FCLIB_H

#include "solve/program.h"

/* SAB_ERR_INPUT: no such problem, or one with bilateral constraints (G), with an unsymmetric M, or
 * local (W, q alone); SAB_ERR_NUMERIC: M is singular. The result has passed sab_program_check; the
 * caller owns it. */
sab_status sab_fclib_read(const char *path, sab_program **program, sab_error *err);

#endif

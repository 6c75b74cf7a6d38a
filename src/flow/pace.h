/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/pace.h -- how long the next step of a flow is [docs/theory.md, 3.5].
 *
 * Steps are dt/2^level, 0 <= level <= levels, and a step of level k begins at a multiple of
 * dt/2^k: times are exact in units of dt, every multiple of dt is the end of a step, and the next
 * level follows from the state alone. */
#ifndef SAB_FLOW_PACE_H
#define SAB_FLOW_PACE_H

/* Levels that a run may have. */
enum { SAB_PACE_LEVELS = 20 };

/* Levels between two lengths of a step: the longest step, halved so often, is not shorter than
 * `shortest`. */
int sab_pace_levels(double longest, double shortest);
/* The level after one of `level` that ended at `at` (in units of dt), for grains that would go by
 * `courant` of an element in a step of level 0, and should by `limit` at most: finer at once, as
 * far as needed; coarser by one, where the longer step may begin. */
int sab_pace_next(int levels, int level, double at, double courant, double limit);

#endif

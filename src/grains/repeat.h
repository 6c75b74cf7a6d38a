/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/repeat.h -- walls in a room that repeats itself [docs/theory.md, 12.7].
 *
 * A grain meets a wall from its place in the box. A facet or bead whose middle is in the box too,
 * and its copies one length to either side, are all that it can touch. */
#ifndef SAB_GRAINS_REPEAT_H
#define SAB_GRAINS_REPEAT_H

#include "grains/bodies.h"
#include "grains/wall.h"

/* SAB_ERR_INPUT if the wall cannot be there: a plane across a direction in which the room repeats
 * itself, a facet longer than it. */
sab_status sab_wall_fits(const sab_box *box, const sab_grain_wall *wall, sab_error *err);
/* The walls with their copies, owned by the caller: in the order of the walls, each with its copies
 * behind it. */
sab_status sab_walls_repeat(const sab_box *box, int n, const sab_grain_wall *wall, int *copies,
                            sab_grain_wall **copy, sab_error *err);
/* Move a facet or bead by whole lengths to where its middle belongs. */
void sab_wall_take_back(const sab_box *box, sab_grain_wall *wall);

#endif

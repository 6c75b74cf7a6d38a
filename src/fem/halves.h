/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/halves.h -- where carriers are few, the heavy ones are halved [docs/theory.md, 3.5].
 *
 * Few are those that come from large elements into small ones, or to the axis. The halves stand at
 * x + d and x - d with the velocity of the whole: mass, momentum, centre of mass and kinetic energy
 * stay, the masses that vertices have too, because hats are linear. */
#ifndef SAB_FEM_HALVES_H
#define SAB_FEM_HALVES_H

#include "fem/filling.h"

/* Halve the heaviest carriers of each inside parent that has fewer than `fewest`, until it has so
 * many, or none that is heavier than those of sab_carriers_fill with `per_side`. The fill is that
 * measured last. *halved: how many were; sorted then. */
sab_status sab_halves_make(sab_carriers *carriers, const sab_filling *fill, int per_side,
                           int fewest, int *halved, sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/pairs.h -- which grains, and which grains and walls, are close. */
#ifndef SAB_GRAINS_PAIRS_H
#define SAB_GRAINS_PAIRS_H

#include "grains/bodies.h"
#include "grains/wall.h"

#include <stdbool.h>

/* A candidate contact. i is a grain; j > i another one, or n + w for wall w. */
typedef struct sab_pair {
    int i, j;
    double gap;       /* D, negative where they overlap */
    double normal[3]; /* of length 1, from j to i */
} sab_pair;

typedef struct sab_pairs {
    int n, capacity;
    sab_pair *pair;           /* sorted by (i, j) */
    int *cell, *next, *start; /* of the cell list */
    int cells, bodies, walls; /* capacities */
    bool *drop;               /* [walls] workspace */
} sab_pairs;

void sab_pairs_clear(sab_pairs *pairs);
/* All pairs with D <= reach, by a list of cells. Start with {0}; arrays are kept from one call to
 * the next. SAB_ERR_NUMERIC if two centres are the same, or a place is not finite. */
sab_status sab_pairs_find(sab_pairs *pairs, const sab_bodies *bodies, int nwalls,
                          const sab_grain_wall *wall, double reach, sab_error *err);

#endif

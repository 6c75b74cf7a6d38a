/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/pairs.h -- which grains, and which grains and walls, are close. */
#ifndef SAB_GRAINS_PAIRS_H
#define SAB_GRAINS_PAIRS_H

#include "grains/bodies.h"
#include "grains/wall.h"

#include <stdbool.h>

/* A candidate contact. i is a grain; j > i another one, or n + w for wall w. In a room that repeats
 * itself it is that of the nearest images. */
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

/* Gap and normal of i and j where they are now. SAB_ERR_NUMERIC if two centres are the same. */
sab_status sab_pair_measure(const sab_bodies *bodies, const sab_grain_wall *wall, sab_pair *pair,
                            sab_error *err);
/* From the centre of i (which = 0) or j (1), a grain, to its point that is closest to the other. */
void sab_pair_arm(const sab_bodies *bodies, const sab_pair *pair, int which, double *arm);
/* The way from j, its centre or the point of a wall, to the centre of i. */
void sab_pair_line(const sab_bodies *bodies, const sab_pair *pair, double *line);
void sab_pairs_clear(sab_pairs *pairs);
/* All pairs with D <= reach, by a list of cells. Start with {0}; arrays are kept from one call to
 * the next. SAB_ERR_NUMERIC if two centres are the same, or a place is not finite; SAB_ERR_INPUT if
 * the room repeats itself so soon that a pair could touch twice. */
sab_status sab_pairs_find(sab_pairs *pairs, const sab_bodies *bodies, int nwalls,
                          const sab_grain_wall *wall, double reach, sab_error *err);

#endif

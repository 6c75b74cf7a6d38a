/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/march_grains.h -- a scene of grains as something that marches (run/march.h). */
#ifndef SAB_RUN_MARCH_GRAINS_H
#define SAB_RUN_MARCH_GRAINS_H

#include "run/march.h"
#include "run/scene.h"

/* Columns of the history behind SAB_HISTORY_UNSOUND. */
typedef enum sab_grains_column {
    SAB_GRAINS_SUBSTEPS = SAB_HISTORY_UNSOUND + 1,
    SAB_GRAINS_PROGRAMS,
    SAB_GRAINS_COUNT,
    SAB_GRAINS_PAIRS,
    SAB_GRAINS_LOADED,
    SAB_GRAINS_LEFT,
    SAB_GRAINS_MADE,
    SAB_GRAINS_LEDGER, /* the entries of a sab_grains_ledger, in its order */
    SAB_GRAINS_COLUMNS = SAB_GRAINS_LEDGER + 10
} sab_grains_column;
/* and three before it that are other numbers than those of a flow */
enum {
    SAB_GRAINS_RESIDUAL = SAB_HISTORY_GAP,    /* the larger of G and the natural one, relative */
    SAB_GRAINS_CHANGE = SAB_HISTORY_GAP_RATE, /* of the fixed point */
    SAB_GRAINS_OVERLAP = SAB_HISTORY_RATE     /* largest, in parts of a radius */
};
extern const char *const sab_grains_column_name[SAB_GRAINS_COLUMNS];

/* A march of the scene (borrowed). The caller owns *march. */
sab_status sab_march_grains_create(sab_scene *scene, const sab_march_options *options,
                                   sab_march **march, sab_error *err);
/* What the ledgers of all steps say: sums; kinetic energy that of the last step. */
typedef struct sab_grains_energy {
    sab_grains_ledger sum;
    double work;    /* of gravity and walls, without sign, and the energy at the beginning; at least
                       what gravity would do in each step if nothing bore the grains */
    double made;    /* energy from nowhere, */
    double first;   /* what of it in the first step, */
    double share;   /* and all in parts of the work */
    double overlap; /* largest of all steps, */
    int worst;      /* and which one */
} sab_grains_energy;
sab_grains_energy sab_march_grains_energies(const sab_march *march);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/wall_load.h -- what the designer of a silo asks of a wall with friction
 * [docs/engineering.md].
 *
 * Rows along the wall (flow/wall_rows.h) with means over their points, and what the section at
 * their height has (flow/sections.h). Where grains do not slide (mobilised < 1) a load is one of
 * many that are in balance [docs/theory.md, 8.4]. Up is the last axis: y in the plane, z about an
 * axis and in space. */
#ifndef SAB_FLOW_WALL_LOAD_H
#define SAB_FLOW_WALL_LOAD_H

#include "flow/sections.h"
#include "flow/wall_rows.h"

enum {
    SAB_LOAD_NORMAL,    /* stress, compression positive */
    SAB_LOAD_SHEAR,     /* of the grains on the wall, anticlockwise around the domain; in space a
                           vector */
    SAB_LOAD_SLIP,      /* velocity along the wall, off its own, likewise */
    SAB_LOAD_OPENING,   /* and away from it */
    SAB_LOAD_MOBILISED, /* |shear| (without drag) over what slides, 0 to 1 */
    SAB_LOAD_VELOCITY,  /* mean downward velocity at this height */
    SAB_LOAD_VERTICAL,  /* mean vertical stress there, by the balance of all that is above */
    SAB_LOAD_JANSSEN,   /* normal stress of Janssen's formula with the K of this wall; NAN where the
                           wall is not vertical */
    SAB_LOAD_KINDS,
    SAB_LOAD_COLUMNS = SAB_LOAD_KINDS + (SAB_DIM - 1) + (SAB_DIM - 1), /* most */
    SAB_LOAD_NAME = 16
};

/* Sums over the points of the wall. */
enum {
    SAB_LOAD_LOWER,    /* mean vertical stress at the lower end of vertical walls */
    SAB_LOAD_BOTTOM,   /* downward force on what is within 30 degrees of horizontal, */
    SAB_LOAD_FRICTION, /* and of shear on vertical walls */
    SAB_LOAD_SUMS
};

typedef struct sab_wall_load {
    int entry, dim;
    int columns, column[SAB_LOAD_KINDS]; /* where each begins */
    char name[SAB_LOAD_COLUMNS][SAB_LOAD_NAME];
    sab_wall_rows *rows;
    sab_sections *sections;
    sab_section_values *section; /* [sections->n] workspace */
    sab_forces *forces;
    double lower, upper; /* ends of its vertical part, as heights */
    bool *floor;         /* [entries] holds grains, and is within 30 degrees of horizontal */
} sab_wall_load;

/* SAB_ERR_INPUT: the entry is no wall with friction. */
sab_status sab_wall_load_create(const sab_flow *flow, int entry, sab_wall_load **load,
                                sab_error *err);
void sab_wall_load_destroy(sab_wall_load **load);
/* Numbers beside the rows: the balance of forces of the whole body, forces->total, and the sums. */
int sab_wall_load_beside(const sab_wall_load *load);
/* Of the flow as it is: value [rows][columns], then those beside. */
sab_status sab_wall_load_evaluate(const sab_wall_load *load, const sab_flow *flow, double *value,
                                  sab_error *err);

/* Sums over the wall, of the whole body, from the values of a step, or their means. NAN: there is
 * no such wall. */
typedef struct sab_load_figures {
    double weight;       /* of the material */
    double bottom;       /* vertical force on what is within 30 degrees of horizontal, here and of
                            other entries, */
    double bottom_share; /* in parts of the weight */
    double friction;     /* vertical force of shear on vertical walls: axial load of the shell */
    double vertical;     /* mean vertical stress at the lower end of vertical walls, */
    double K;            /* and normal stress over vertical stress on them */
    double janssen;      /* rms of normal - Janssen's over the mean normal on vertical walls */
    double bin_peak;     /* largest normal stress on vertical walls, */
    double hopper_peak;  /* on oblique ones below them, */
    double switch_ratio; /* the second over the first */
    double slip_ratio;   /* slip over mean velocity along it: on oblique walls, or else vertical
                            ones, the smallest */
    double sliding;      /* part of the area of the wall that slides: loads are determined there */
    double rigid;        /* part of vertical walls beside sections that do not yield: the stress
                            across is not determined there, even if the wall slides */
    double defect;       /* of the balance of forces, in parts of the largest of them */
    bool aslant;         /* gravity does not point down: vertical, K and Janssen's are along -up */
    bool endless;        /* periodic sides above each other: no vertical stress, K, Janssen's */
    const char *verdict; /* "mass", "funnel", "mixed", "rest", "none" */
} sab_load_figures;
sab_load_figures sab_wall_load_figures(const sab_wall_load *load, const sab_flow *flow,
                                       const double *value);
/* Which of them are not determined, in words; empty if all are. */
enum { SAB_LOAD_NOTE = 512 };
void sab_wall_load_note(const sab_load_figures *figures, const char *between,
                        char text[SAB_LOAD_NOTE]);

#endif

/* flow/wall_load.h -- what the designer of a silo asks of a wall with friction
 * [docs/engineering.md].
 *
 * Rows along the wall, one per vertex: means over its points (fem/wall_points.h) with the hat of
 * the vertex, to which a point in the middle of a side gives a half [docs/theory.md, 10.3]; the
 * sums over rows are those over points. A corner has two rows. Where grains do not slide (mobilised
 * < 1) a load is one of many that are in balance [docs/theory.md, 8.4]. Gravity acts along -y (-z
 * about an axis); `velocity` and `vertical` are means over the section at that height, vertical =
 * (weight above - what all walls with friction bear above) / section, a balance without inertia and
 * without loads on the surface. */
#ifndef SAB_FLOW_WALL_LOAD_H
#define SAB_FLOW_WALL_LOAD_H

#include "flow/flow.h"

enum {
    SAB_LOAD_NORMAL,    /* stress, compression positive */
    SAB_LOAD_SHEAR,     /* of the grains on the wall, anticlockwise around the domain */
    SAB_LOAD_SLIP,      /* velocity along the wall, off its own, likewise */
    SAB_LOAD_OPENING,   /* and away from it */
    SAB_LOAD_MOBILISED, /* |shear| (without drag) over what slides, 0 to 1 */
    SAB_LOAD_VELOCITY,  /* mean downward velocity at this height */
    SAB_LOAD_VERTICAL,  /* mean vertical stress there, by balance */
    SAB_LOAD_JANSSEN,   /* normal stress of Janssen's formula with the K of this wall; NAN where the
                           wall is not vertical */
    SAB_LOAD_COLUMNS
};
extern const char *const sab_load_name[SAB_LOAD_COLUMNS];

typedef struct sab_load_share { /* the part of a point that belongs to a row */
    int point, row;
    double part;
} sab_load_share;

typedef struct sab_wall_load {
    int nrows, entry;
    double *s, *x;  /* [nrows], [nrows][dim] */
    int *point;     /* [nrows] the wall point at the vertex */
    double *weight; /* [nrows] */
    int nshares;
    sab_load_share *share;
    double *section, *above; /* [nrows] area of the section at this height, volume above it, */
    double *rim;             /* and how much of its rim is wall with friction */
    int samples;
    int *element; /* [nrows][samples] on the section, or -1, */
    double *xi;   /* and where in it */
} sab_wall_load;

/* SAB_ERR_INPUT: the entry is no wall with friction; in space. */
sab_status sab_wall_load_create(const sab_flow *flow, int entry, sab_wall_load **load,
                                sab_error *err);
void sab_wall_load_destroy(sab_wall_load **load);
/* value [nrows][SAB_LOAD_COLUMNS] of the flow as it is. */
void sab_wall_load_evaluate(const sab_wall_load *load, const sab_flow *flow, double *value);

/* Sums over the wall, of the whole body, from rows (of a step, or their means). NAN: there is no
 * such wall. */
typedef struct sab_load_figures {
    double weight;       /* of the material */
    double bottom;       /* vertical force on what is within 30 degrees of horizontal, */
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
    const char *verdict; /* "mass", "funnel", "mixed", "rest", "none" */
} sab_load_figures;
sab_load_figures sab_wall_load_figures(const sab_wall_load *load, const sab_flow *flow,
                                       const double *value);

#endif

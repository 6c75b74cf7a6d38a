/* SPDX-License-Identifier: GPL-3.0-or-later */
/* grains/grains.h -- one step of grains after the other [docs/theory.md, 12].
 *
 *     pairs with D <= reach  ->  cone program (D/dt in k)  ->  solve  ->  v,  q += dt v.
 *
 * The gap is linearised: spheres that do not overlap do not after the step, whatever dt; ellipses
 * that turn may, by what is of second order in the angle. */
#ifndef SAB_GRAINS_GRAINS_H
#define SAB_GRAINS_GRAINS_H

#include "grains/contact.h"
#include "solve/solve.h"

typedef enum sab_grains_scheme {
    SAB_GRAINS_COULOMB,     /* exact, zeta = 0 */
    SAB_GRAINS_RELAXED,     /* convex, zeta = mu: sliding contacts keep a gap mu dt |u_T| */
    SAB_GRAINS_FIXED_POINT, /* relaxed programs, the gap taken back one after the other */
    SAB_GRAINS_SCHEMES
} sab_grains_scheme;

typedef struct sab_grains_options {
    sab_grains_scheme scheme;
    double friction, restitution; /* between grains */
    double gravity[3];
    double step;   /* of time, at most */
    double travel; /* and so short that no grain moves by more than this part of the smallest
                      radius; 0: as `step` says */
    double reach;  /* pairs up to this distance at least; all that can meet in a step are found */
    bool cold;     /* without the impulses of the step before */
    double fixed_point; /* |s - s_before| / (|s_before| + s_0) that ends the fixed point */
    sab_solver_options solver;
} sab_grains_options;
sab_grains_options sab_grains_options_default(void);

/* Energies of a step: gain = gravity - jump - friction - gap + opening + walls + bounce + defect,
 * exactly but for rounding, whatever the solver has left. */
typedef struct sab_grains_ledger {
    double kinetic;  /* after the step */
    double gain;     /* of kinetic energy */
    double gravity;  /* work */
    double jump;     /* |v - v_before|^2_M / 2, lost in impacts */
    double friction; /* -sum r_T.u_T >= 0 */
    double gap;      /* sum r_N D/dt: >= 0 while nothing overlaps */
    double opening;  /* sum r_N (u_N + D/dt): 0 by Coulomb's law, taken from friction by the relaxed
                        one */
    double walls;    /* work of those that move */
    double bounce;   /* given back by restitution */
    double defect;   /* rounding */
} sab_grains_ledger;

typedef struct sab_grains_report {
    sab_report solve;  /* of the last program; all zero and converged without pairs */
    int programs;      /* solved: one, or those of the fixed point */
    double change;     /* of the fixed point */
    int pairs, loaded; /* with an impulse */
    double dt;
    int steps;      /* that it was made of: one, or those of an advance */
    double overlap; /* largest after the step, in parts of the smaller radius */
    double left;    /* mass that has left through sinks */
    double made;    /* energy from nowhere [docs/theory.md, 12.3] */
    sab_grains_ledger ledger;
    bool converged; /* and the fixed point too */
} sab_grains_report;

typedef struct sab_grains { /* only the functions below write */
    sab_grains_options options;
    sab_bodies *bodies; /* owned */
    int nwalls, nsinks;
    sab_grain_wall *wall; /* [nwalls] owned, with the copies */
    sab_grain_wall *sink; /* [nsinks] owned: planes behind which grains are gone */
    double *left;         /* [nsinks] mass that has gone there so far */
    int64_t step;
    double time;
    double last_dt; /* of the step that the impulses are of */
    /* impulses of the last step, of pairs with one, sorted as the pairs were */
    int nimpulses, capacity;
    struct sab_impulse *impulse;
    sab_pairs pairs;      /* of the last step */
    double *wall_impulse; /* [nwalls][3] on the grains, of the last step or advance */
} sab_grains;

typedef struct sab_impulse {
    int64_t i, j; /* id; of walls -1 - number */
    double value[3];
} sab_impulse;

/* Bodies are moved, also on failure. In a room that repeats itself (bodies->box) every facet and
 * bead is there as copies too, of the same part. The caller owns *grains. */
sab_status sab_grains_create(const sab_grains_options *options, sab_bodies **bodies, int nwalls,
                             const sab_grain_wall *wall, int nsinks, const sab_grain_wall *sink,
                             sab_grains **grains, sab_error *err);
void sab_grains_destroy(sab_grains **grains);
/* A step. SAB_INTERRUPTED (the observer said so, which may be NULL) leaves the grains as they were.
 * One whose solve misses its tolerance is taken, and reported. */
sab_status sab_grains_step(sab_grains *grains, const sab_solve_observer *observer,
                           sab_grains_report *report, sab_error *err);
/* Steps, as equal as they can be, over a length of time: `travel` says how many, options.step does
 * not count. Of the report the work, the energies and what left are sums, overlap and certificate
 * those of the worst step. SAB_INTERRUPTED leaves the grains as they were before the first. */
sab_status sab_grains_advance(sab_grains *grains, double length, const sab_solve_observer *observer,
                              sab_grains_report *report, sab_error *err);
/* The program of the next step, or NULL without pairs; the caller owns it. */
sab_status sab_grains_program(sab_grains *grains, sab_program **program, sab_error *err);

/* Is body i wholly behind a plane? */
bool sab_grains_is_behind(const sab_grain_wall *plane, const sab_bodies *bodies, int i);
/* The pair of an impulse, its i and j alone; false if one of them has left. */
bool sab_grains_find_pair(const sab_grains *grains, const sab_impulse *impulse, sab_pair *pair);

/* All that the grains remember from one step to the next, as numbers. */
typedef struct sab_grains_state {
    size_t nreal, nwhole;
    double *real; /* owned, as the other */
    int64_t *whole;
} sab_grains_state;
sab_status sab_grains_get_state(const sab_grains *grains, sab_grains_state *state, sab_error *err);
void sab_grains_state_clear(sab_grains_state *state);
/* Copied; SAB_ERR_INPUT if it is not of grains with these walls and sinks. */
sab_status sab_grains_set_state(sab_grains *grains, const sab_grains_state *state, sab_error *err);

#endif

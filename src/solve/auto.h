/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/auto.h -- what a run of the solver is going to do: a pure function from facts about the
 * program and its start to a plan (internal to solve). */
#ifndef SAB_SOLVE_AUTO_H
#define SAB_SOLVE_AUTO_H

#include "solve/method.h"

typedef struct sab_facts {
    double tolerance;
    bool convex;   /* zeta = mu at every point */
    double excess; /* largest mu - zeta */
    bool inertial; /* a time step */
    bool soft;     /* b < 1: the viscosity resists less to a change of volume than to shear */
    bool safe;     /* r is a safe step of the first-order methods */
    bool follows;  /* the viscosity is that of a rate law: only interior points follow it */
    bool warm;     /* a stress is given, */
    bool moving;   /* and a velocity */
    bool at_rest;  /* the start is a body at rest */
    bool bodies;   /* A falls apart: gs fits */
    int unknowns;
} sab_facts;

/* Where an interior point starts; a first-order method always starts from the current stress. */
typedef enum sab_start {
    SAB_START_COLD,
    SAB_START_GIVEN, /* velocity of the caller */
    SAB_START_FLOW,  /* that of the current stress */
    SAB_START_BEST   /* of the best iterate so far, its stress too */
} sab_start;

typedef struct sab_stage {
    sab_method method;
    sab_start start;
    double lift;  /* off the boundary of the cones, unless it starts cold */
    int haste;    /* gs: 1, 2: end when slow, when very slow; the next stage does better. 0: no */
    bool relaxed; /* start from the answer of the law with half of mu - zeta */
} sab_stage;

enum { SAB_PLAN_MOST = 6 };

typedef struct sab_plan {
    int n;
    sab_stage stage[SAB_PLAN_MOST]; /* the next one when one has stalled */
    bool predictor;                 /* a few steps of Douglas-Rachford, if they need no factor, */
    sab_stage predicted;            /* and then this for the first stage */
    bool tight;                     /* interior points hold the volume on their way */
} sab_plan;

/* The plan for `method`: a chain if it is AUTO, the method alone if not. */
sab_plan sab_auto_plan(sab_method method, const sab_facts *facts);

#endif

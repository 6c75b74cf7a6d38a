/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/method.h -- the methods as rows of one table: what a loop must know of a method stands
 * there, and a new method is a new row. */
#ifndef SAB_SOLVE_METHOD_H
#define SAB_SOLVE_METHOD_H

#include <stdbool.h>

typedef enum sab_method {
    SAB_METHOD_AUTO,
    SAB_METHOD_PG,    /* projected gradient on the non-associated problem */
    SAB_METHOD_PG_AA, /* the same with safeguarded Anderson acceleration */
    SAB_METHOD_APGD,
    SAB_METHOD_ASPG,
    SAB_METHOD_CADOUX_PG,
    SAB_METHOD_CADOUX_APGD,
    SAB_METHOD_CADOUX_ASPG,
    SAB_METHOD_DR,        /* Douglas-Rachford with the non-associated return map */
    SAB_METHOD_DR_AA,     /* the same with safeguarded Anderson acceleration */
    SAB_METHOD_IPM,       /* interior point, the shift refreshed at every iteration */
    SAB_METHOD_IPM_BLEND, /* a part of the non-associativity exact, the rest as in IPM */
    SAB_METHOD_IPM_EXACT, /* interior point on the non-associated law itself */
    SAB_METHOD_GS,        /* Gauss-Seidel over contacts, each solved exactly */
    SAB_METHOD_PDAS,      /* the same without friction, sweep by sweep: primal-dual active set */
    SAB_METHOD_COUNT
} sab_method;

/* One step of a first-order method. */
typedef enum sab_step_kind {
    SAB_STEP_PG,         /* projected gradient */
    SAB_STEP_ANDERSON,   /* the same, accelerated by Anderson's extrapolation, safeguarded */
    SAB_STEP_APGD,       /* Nesterov's extrapolation with gradient restart */
    SAB_STEP_ASPG,       /* Nesterov's with a Barzilai-Borwein step, thesis algorithm B.2 */
    SAB_STEP_DR,         /* Douglas-Rachford with the return map of the non-associated law */
    SAB_STEP_DR_ANDERSON /* the same, accelerated */
} sab_step_kind;

typedef enum sab_family {
    SAB_FAMILY_PLAN,           /* not a method of its own: solve/auto.h makes a chain of others */
    SAB_FAMILY_FIRST_ORDER,    /* one solve with A per step */
    SAB_FAMILY_INTERIOR_POINT, /* one factorisation per step */
    SAB_FAMILY_SWEEPS          /* of programs of bodies: no factor at all */
} sab_family;

/* Up to this mu - zeta the exact law has no folds. */
#define SAB_UNFOLDED 0.3

typedef struct sab_method_entry {
    const char *name, *help; /* for the case file and the documentation */
    sab_family family;
    sab_step_kind step; /* first order */
    bool cadoux;        /* first order: convex programs with a shift that is damped, one by one */
    bool split;         /* first order: has the matrix of Douglas-Rachford */
    bool memory;        /* uses Anderson's, or a method of its plan does */
    double exactness;   /* interior point: of ipm.h */
    bool plain;         /* sweeps: not conjugate, and without friction */
} sab_method_entry;
extern const sab_method_entry sab_method_table[SAB_METHOD_COUNT];

static inline bool sab_method_is_ipm(sab_method method)
{
    return sab_method_table[method].family == SAB_FAMILY_INTERIOR_POINT;
}

#endif

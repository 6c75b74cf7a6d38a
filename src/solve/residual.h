/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/residual.h -- how good is (u, lambda)? One answer for all methods.
 *
 * Computed outside the methods, with lambda admissible and u recomputed from it, so that momentum
 * holds [docs/theory.md, 7]. */
#ifndef SAB_SOLVE_RESIDUAL_H
#define SAB_SOLVE_RESIDUAL_H

#include "linalg/factor.h"
#include "solve/program.h"

typedef struct sab_certificate {
    double gap;          /* G = gap_friction + gap_normal, relative to the dissipation; of contacts
                            of bodies to the power of the unresisted flow instead */
    double gap_friction; /* sum m [(sigma + mu lN)|gT| + lT.gT] / D */
    double gap_normal;   /* sum m lN |gN - zeta|gT|| / D */
    double gap_wall;     /* the part of G that is of walls and contacts */
    double dissipation;  /* D = sum m [viscosity (b gN^2 + |gT|^2) + (sigma + mu lN)|gT|] */
    double compaction;   /* C = sum m max(0, zeta|gT| - gN) / the smaller of the same sum for the
                            unresisted flow, which a time step may be close to, and of the rate of
                            shear and compaction; at rest, and of contacts of bodies, / that of the
                            unresisted flow */
    double response; /* S, the power that responds to rate: sum m slope |gT|^2 and twice what goes
                        into inertia, at least a twentieth of D */
    double gap_rate; /* G D/S, or G where S > D: an estimate of the error of the velocity */
    bool rated;      /* the program has a rate law: gap_rate decides, not gap */
    double natural;  /* rms over the volume of lambda - P(lambda - r g~), stress units; or that over
                        the walls, where it is larger; of contacts of bodies, where r = 1, it and C
                        count each by its velocity, in stress units of a middle one */
    double natural_max; /* its largest point value */
    double unresisted;  /* the same rms at lambda = 0, at least 1e-9 of the stress that the power
                           of that flow and r make: a scale that does not grow with lambda */
    double relative;    /* natural / unresisted; 0 where natural is rounding */
    double stress;      /* for the methods to start from: the larger of the rms of lambda and of
                           r gamma of the unresisted flow */
    double momentum;    /* |A u - B^T M lambda - l|_inf / |l|_inf (absolute if l = 0); of contacts
                           of bodies / max(|l|_inf, |A u|_inf) */
    double fischer_burmeister; /* largest point norm, with c = r (z in stress units); NaN if any
                                  point has sigma > 0 or mu = 0, where it does not apply */
    bool idle;                 /* D is negligible: then `relative` decides, in place of G */
    bool at_rest;              /* u.A u is too: nothing moves */
    bool contact;              /* all points are contacts of bodies: `relative` decides as well as
                                  G, which is no part of the dissipation: near rest there is none */
} sab_certificate;

/* Below this part of the power of the unresisted flow, a power counts as none: D = 0 says that the
 * body rests or moves rigidly or without friction. The gaps are taken relative to no less. */
#define SAB_REST 1e-8

/* What kept an answer from its tolerance. A new kind is a row here and in sab_miss_table; where it
 * is a part of the merit, one in sab_certificate_limit too. The numbers are in history.csv: append
 * only. */
typedef enum sab_miss {
    SAB_MISS_NONE,
    SAB_MISS_GAP,
    SAB_MISS_COMPACTION,
    SAB_MISS_NATURAL,
    SAB_MISS_MOMENTUM,
    SAB_MISS_CHANGE,     /* good, but the iterations still moved it */
    SAB_MISS_RATE,       /* of a flow: mu(I) or the viscosity formula */
    SAB_MISS_INFEASIBLE, /* there is no solution */
    SAB_MISS_GAP_RATE,   /* G D/S */
    SAB_MISS_ENERGY,     /* of a time step: energy from nowhere */
    SAB_MISS_OVERLAP,    /* of grains: they are in each other */
    SAB_MISS_COUNT
} sab_miss;

typedef struct sab_miss_entry {
    const char *key, *text; /* in summary.json, on the terminal */
} sab_miss_entry;
extern const sab_miss_entry sab_miss_table[SAB_MISS_COUNT];

/* The number that decides, and which one it is. */
typedef struct sab_limit {
    sab_miss by;
    double value;
} sab_limit;

typedef struct sab_residual sab_residual; /* workspace and the scales of the unresisted flow */

/* Workspace for programs of these sizes. The caller owns *residual. */
sab_status sab_residual_create(const sab_program *program, sab_residual **residual, sab_error *err);
void sab_residual_destroy(sab_residual **residual);
/* The scales of `program`, from the flow with lambda = 0 (one solve with `factor`, of program->A):
 * the power u.A u + D(u, 0) + sum m/r |natural|^2, which is not zero without viscosity or without
 * load, the natural residual and the stress r gamma. SAB_ERR_NUMERIC if they overflow. Call it
 * whenever the program has changed. */
sab_status sab_residual_refer(sab_residual *residual, const sab_program *program,
                              sab_factor *factor, sab_error *err);
/* Project lambda on the cones in place, recompute u = A^-1 (B^T M lambda + l), and measure. One
 * solve, one product with B. SAB_ERR_NUMERIC if a number is not finite. */
sab_status sab_residual_certify(sab_residual *residual, const sab_program *program,
                                sab_factor *factor, double *lambda, double *u,
                                sab_certificate *certificate, sab_error *err);
/* The same for a flow u that has followed the rate law p->rate, while A holds another viscosity: u
 * stands, and momentum is in error. viscosity [npoints] in: as before; out, with slope: that of the
 * law at (u, lambda). */
sab_status sab_residual_certify_followed(sab_residual *residual, const sab_program *program,
                                         double *lambda, const double *u, double *viscosity,
                                         double *slope, sab_certificate *certificate,
                                         sab_error *err);
/* The strain rate of the iterate certified last, [npoints][s], borrowed. */
const double *sab_residual_strain_rate(const sab_residual *residual);
/* The largest of the numbers compared with the tolerance: G (G D/S with a rate law) and C (G alone
 * is blind to compaction where lN = 0, and is 0 for lambda = 0 when sigma = 0), or `relative` and C
 * where nothing dissipates; of contacts of bodies all three. */
sab_limit sab_certificate_limit(const sab_certificate *certificate);
double sab_certificate_merit(const sab_certificate *certificate); /* its value */
#define SAB_MOMENTUM 1e-3
/* SAB_MISS_NONE if merit <= tolerance and momentum < SAB_MOMENTUM. NaN misses. */
sab_limit sab_certificate_missed(const sab_certificate *certificate, double tolerance);
bool sab_certificate_meets(const sab_certificate *certificate, double tolerance);
/* By how much the law is violated: the same with G where a rate law asks for G D/S
 * [docs/theory.md, 7.7]. */
double sab_certificate_violation(const sab_certificate *certificate);

/* Does lambda, scaled by any number, prove that the program has no solution? Its part in the cones
 * |lT| <= zeta lN makes every motion with gN >= zeta|gT| at every point differ from the unresisted
 * flow by *distance at least, in units of the root of the power of that flow (energy norm; 0: it
 * proves nothing) [docs/theory.md, 7.6]. One solve; gamma [npoints][s] is workspace. */
sab_status sab_residual_distance(sab_residual *residual, const sab_program *program,
                                 sab_factor *factor, const double *lambda, double *gamma,
                                 double *distance, sab_error *err);
/* Beyond this distance a program counts as infeasible. */
#define SAB_TOO_FAR 1e4

/* The rms over the volume of lambda - P(lambda - r (gamma + shift n)), shift as in sab_cone_step;
 * work [npoints][s]. largest (may be NULL) is the largest norm at a point. */
double sab_residual_natural(const sab_program *program, const double *shift, const double *lambda,
                            const double *gamma, double *work, double *largest);

#endif

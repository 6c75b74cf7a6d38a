/* solve/residual.h -- how good is (u, lambda)? One answer for all methods.
 *
 * Computed outside the methods, with lambda admissible and u recomputed from it, so that momentum
 * holds [docs/theory.md, 7]. */
#ifndef SAB_SOLVE_RESIDUAL_H
#define SAB_SOLVE_RESIDUAL_H

#include "linalg/factor.h"
#include "solve/program.h"

typedef struct sab_certificate {
    double gap;          /* G = gap_friction + gap_normal, relative to the dissipation */
    double gap_friction; /* sum m [(sigma + mu lN)|gT| + lT.gT] / D */
    double gap_normal;   /* sum m lN |gN - zeta|gT|| / D */
    double dissipation;  /* D = sum m [viscosity (b gN^2 + |gT|^2) + (sigma + mu lN)|gT|] */
    double compaction;   /* C = sum m max(0, zeta|gT| - gN) / the smaller of the same sum for the
                            unresisted flow, which a time step may be close to, and sum m |g| */
    double response; /* S, the power that responds to rate: sum m slope |gT|^2 and twice what goes
                        into inertia, at least a twentieth of D */
    double gap_rate; /* G D/S, or G where S > D: an estimate of the error of the velocity */
    bool rated;      /* the program has a rate law: gap_rate decides, not gap */
    double natural;  /* rms over the volume of lambda - P(lambda - r g~), stress units */
    double natural_max; /* its largest point value */
    double stress;      /* scale: the larger of the rms of lambda and of r gamma of the unresisted
                           flow (its viscous stress when b = 1 and there is no inertia), at least
                           1e-5 of the stress that its power and r make */
    double momentum;    /* |A u - B^T M lambda - l|_inf / |l|_inf (absolute if l = 0) */
    double fischer_burmeister; /* largest point norm, with c = r (z in stress units); NaN if any
                                  point has sigma > 0 or mu = 0, where it does not apply */
    bool at_rest; /* D is negligible against the unresisted flow: then natural decides */
} sab_certificate;

/* Below this part of the power of the unresisted flow, D counts as none: the body is at rest (or
 * moves rigidly), and the gaps are taken relative to that part. */
#define SAB_REST 1e-8

typedef struct sab_residual sab_residual; /* workspace and the scales of the unresisted flow */

/* Workspace for programs of these sizes. The caller owns *residual. */
sab_status sab_residual_create(const sab_program *program, sab_residual **residual, sab_error *err);
void sab_residual_destroy(sab_residual **residual);
/* The scales of `program`, from the flow with lambda = 0 (one solve with `factor`, of program->A):
 * the power u.A u + D(u, 0), which is not zero without viscosity, and the stress r gamma. Call it
 * whenever the program has changed. */
sab_status sab_residual_refer(sab_residual *residual, const sab_program *program,
                              sab_factor *factor, sab_error *err);
/* Project lambda on the cones in place, recompute u = A^-1 (B^T M lambda + l), and measure. One
 * solve, one product with B. */
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
/* merit <= tolerance and momentum < 1e-3. */
bool sab_certificate_meets(const sab_certificate *certificate, double tolerance);
/* By how much the law is violated: the larger of G and C (G alone is blind to compaction
 * where lN = 0, and is 0 for lambda = 0 when sigma = 0), or natural / stress for a body at rest. */
double sab_certificate_violation(const sab_certificate *certificate);
/* The number compared with the tolerance: the same, with G D/S in place of G where there is a rate
 * law [docs/theory.md, 7.6]. */
double sab_certificate_merit(const sab_certificate *certificate);

/* The rms over the volume of lambda - P(lambda - r (gamma + shift n)), shift as in sab_cone_step;
 * work [npoints][s]. largest (may be NULL) is the largest norm at a point. */
double sab_residual_natural(const sab_program *program, const double *shift, const double *lambda,
                            const double *gamma, double *work, double *largest);

#endif

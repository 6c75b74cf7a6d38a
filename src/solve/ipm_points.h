/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/ipm_points.h -- the interior point at the points: scalings, condensed blocks, right-hand
 * sides of the complementarity, steps to the boundary, and the tangent of a rate law. What joins
 * the points, momentum and factorisation, is in solve/ipm.c (internal to solve). */
#ifndef SAB_SOLVE_IPM_POINTS_H
#define SAB_SOLVE_IPM_POINTS_H

#include "cone/point.h"
#include "cone/soc.h"
#include "solve/ipm.h"

/* Per point: how the law is written. */
typedef struct sab_ipm_form {
    bool cone;       /* mu > 0 or sigma > 0: g can be inside K; else lambda_T = 0 */
    bool unilateral; /* lambda_N z2 = 0 is a condition of its own */
    double a;        /* of gamma_N + slack + s = a z_N + z2 */
} sab_ipm_form;

/* A direction (or an iterate) in all unknowns. */
typedef struct sab_ipm_direction {
    double *u;      /* [n] */
    double *lambda; /* [npoints][s] */
    double *z;      /* [npoints][s] */
    double *z2;     /* [npoints] */
} sab_ipm_direction;

struct sab_ipm {
    int s, npoints, n;
    size_t rows;
    double exactness; /* least mu - a where mu - zeta is larger */
    bool convex;      /* the program of the last start */
    double rho;       /* lambda_N z2 = rho tau */
    bool symmetric;   /* pattern and factor of K */
    bool closed;      /* no flow changes the volume, and mu = 0: gamma_N = 0 is an equation */
    sab_ipm_form *form;
    sab_sparse *K;
    sab_scatter *scatter;
    int64_t *places; /* of the entries of A in K */
    sab_factor *factor;
    sab_ipm_direction now, affine, newton;
    double *gamma;     /* [npoints][s] strain rate of now.u */
    double *shear;     /* [npoints] |gamma_T|, of which the shift is (a - zeta) times */
    sab_nt *nt;        /* [npoints] Theta */
    sab_nt_block *G;   /* [npoints] */
    double *C;         /* [npoints][s][s] m (G^-1 + T) */
    double *momentum;  /* [n] A u - B^T M lambda - l */
    double *kinematic; /* [npoints][s] gamma + (slack + s) n - E_a z - z2 n */
    double *rc, *r2;   /* right-hand sides of the complementarity rows */
    double *h, *Bu;    /* [npoints][s] */
    double *force, *work;
    double *viscosity, *tangent; /* [npoints] of the rate law at the iterate; NULL: it has none */
    double load;                 /* |l|_inf */
    double tau;
    int iteration; /* since the start */
    bool settled;  /* the iteration before has changed the shear by less than SETTLED */
    double cone_cpu;
};

/* g = (sigma + mu lambda_N, lambda_T); inline, as the loops over points are, for a constant s. */
static inline void sab_ipm_stress_in_cone(int s, const sab_program *p, int q, const double *lambda,
                                          double *g)
{
    sab_point_set(s, p->yield[q] + p->friction[q] * lambda[0], 1.0, lambda, g);
}

/* Scalings Theta and blocks C = m (G^-1 + T), T of the rate law if there is one. */
void sab_ipm_points_scale(sab_ipm *ipm, const sab_program *program);
/* x = G^-1 b at every point and, unless it is NULL, z = Theta E_mu x. */
void sab_ipm_points_solve(const sab_ipm *ipm, const double *b, double *x, double *z);
/* Longest step <= limit that keeps everything inside. */
double sab_ipm_points_step(const sab_ipm *ipm, const sab_program *program,
                           const sab_ipm_direction *d, double limit);

/* Right-hand sides of the complementarity rows for a target tau, with Mehrotra's second-order term
 * of the affine direction if `corrected`:
 *     rc = -z + Theta^(1/2) (nu \ (target e - Theta^(1/2) dg o Theta^(-1/2) dz)),
 *     r2 = -lambda_N z2 + rho target - dlambda_N dz2,     nu = Theta^(1/2) g. */
void sab_ipm_points_complement(sab_ipm *ipm, const sab_program *program, double target,
                               bool corrected);
/* Add to them what brings the complementarities of the trial point, `length` along the direction,
 * near the target: few points that are far from it are what makes steps short [gondzio1996]. */
void sab_ipm_points_centre(sab_ipm *ipm, const sab_program *program, const sab_ipm_direction *d,
                           double length, double target);
/* Take the opening that the central path has at the target out of the kinematics
 * [docs/theory.md, 6.6]. */
void sab_ipm_points_aim(sab_ipm *ipm, const sab_program *program, double target);

/* The stress of the rate law that A does not hold, as a load: work += m (nu - viscosity) E_b gamma,
 * and at the start of a program the law itself; afterwards it is that of the last certificate. */
sab_status sab_ipm_rate_add_stress(sab_ipm *ipm, const sab_program *program, sab_error *err);
/* stress -= T B du */
void sab_ipm_rate_subtract(sab_ipm *ipm, const sab_program *program, const double *du,
                           double *stress);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/program.h -- the cone program: a value that physics makes and methods solve.
 *
 *     A u = B^T M lambda + l,   gamma = B u + k,
 *     (gamma_q + slack_q n, lambda_q) in DP(mu_q, sigma_q, zeta_q)
 *
 * slack_q >= 0 is the rate at which grains at q may come closer before they touch: the law sees it,
 * viscosity and dissipation do not [docs/theory.md, 4.14]. Material that is dense has none.
 *
 * gamma and lambda are in physical units: gamma_q = chi^-1 D(u)(x_q) and lambda_q = chi^-1 of the
 * stress, compression positive. M = diag(m_q), m_q = 2 w_q, so that H = M B is the H of
 * docs/theory.md section 4 and <a,b>_M = sum_q m_q a_q.b_q is the metric of all methods: in it
 * W = B A^-1 B^T M is symmetric, and r_q W is an orthogonal projector for creeping flow with b = 1
 * and r_q = 2 eta_q/Re, hence the step is known without line search. */
#ifndef SAB_SOLVE_PROGRAM_H
#define SAB_SOLVE_PROGRAM_H

#include "cone/cone.h"
#include "linalg/blocks.h"
#include "linalg/factor.h"
#include "linalg/sparse.h"

#include <stddef.h>

/* A law whose viscous stress is not proportional to the rate: nu(gamma, lambda) gamma instead of a
 * given viscosity [docs/theory.md, 2.6 and 9]. The interior points follow it within a program. */
typedef struct sab_rate_law {
    /* viscosity [npoints], in: the values before; out: those of the law at (gamma, lambda), total.
     * tangent [npoints]: d(nu |gamma_T|)/d|gamma_T| for Newton's matrix, > 0 where nu is. */
    sab_status (*evaluate)(void *data, const double *gamma, const double *lambda, double *viscosity,
                           double *tangent, sab_error *err);
    void *data; /* borrowed */
} sab_rate_law;

/* Which points are what. A point with fewer components than s has rows of zeros. */
typedef enum sab_points_kind {
    SAB_POINTS_STRAIN,  /* strain rates of a material, the only ones that have a volume */
    SAB_POINTS_WALL,    /* slip along a wall */
    SAB_POINTS_CONTACT, /* of bodies */
    SAB_POINTS_KINDS
} sab_points_kind;
typedef struct sab_point_range {
    sab_points_kind kind;
    int first, n, s; /* s: components that are not padding */
} sab_point_range;

typedef struct sab_program {
    int s;                  /* components per point */
    int npoints, n;         /* points, unknown velocities */
    int nranges;            /* one after the other, they are all points */
    sab_point_range *range; /* owned */
    bool inertial;          /* a time step */
    sab_sparse *A;          /* owned, symmetric positive definite, n x n */
    sab_blocks *B;          /* owned, strain rate at the points */
    double *l;              /* [n] load, with the Dirichlet part: l - A_D u_D */
    double *carried; /* [n] the part of l that is inertia, factor int (w - u_D).v; NULL: creeping,
                        or not known */
    double *k;       /* [npoints][s] strain rate of the Dirichlet part */
    double *slack;   /* [npoints] >= 0; NULL: none anywhere */
    int *
        direction; /* [n] as in sab_factor_options: a hint, which changes no solution; NULL: none */
    double *weight;    /* [npoints] m_q = 2 w_q */
    double *viscosity; /* [npoints] 2 eta_q / Re; 0 where there is none */
    double *slope;     /* [npoints] d stress/d rate of what A holds as a secant in `viscosity`; the
                          same where the viscosity is given */
    bool rated;        /* the viscosity comes from a rate law: errors are held against the power
                          that responds to rate [docs/theory.md, 7.7] */
    const sab_rate_law *rate; /* borrowed; NULL: `viscosity` is that of this program */
    double bulk;              /* b: viscous stress is viscosity * (b gamma_N ; gamma_T) */
    double *r;                /* [npoints] r_q > 0, stress per strain rate */
    bool r_is_safe;           /* r_q W <= 1 is known; if false the methods estimate the norm */
    double *friction, *yield, *dilatancy; /* [npoints] mu, sigma, zeta */
} sab_program;

/* Arrays allocated and zero, one range of strain rates, creeping, A and B NULL (the caller moves
 * them in). The caller owns *program. */
sab_status sab_program_create(int s, int npoints, int n, sab_program **program, sab_error *err);
void sab_program_destroy(sab_program **program);
/* Other ranges, copied. */
sab_status sab_program_set_ranges(sab_program *program, int n, const sab_point_range *range,
                                  sab_error *err);
/* SAB_ERR_INPUT with a sentence if sizes disagree, a law has mu < 0, sigma < 0, zeta outside
 * [0, mu], a slack is negative, a weight or r is not positive, ranges do not follow each other or
 * have components where zeros should be, a number is not finite, or numbers are so large or so
 * small that the certificate would over- or underflow. */
sab_status sab_program_check(const sab_program *program, sab_error *err);
/* True if the program is convex: zeta = mu at every point (mu = 0 included). */
bool sab_program_is_convex(const sab_program *program);
/* slack_q, 0 where the program has none. */
static inline double sab_program_slack(const sab_program *program, int q)
{
    return program->slack != NULL ? program->slack[q] : 0.0;
}
/* All points with no slack, which the caller may then set. */
sab_status sab_program_add_slack(sab_program *program, sab_error *err);
/* The laws of all points; arrays borrowed. */
sab_cone_laws sab_program_laws(const sab_program *program);

/* True if no u changes the volume of the material, B^T M n = 0: velocities are prescribed all
 * around. *expansion is then the rate at which they change it, sum m (k_N + slack), relative to
 * sum m (|k_N| + slack); negative is compression, which the law gamma_N >= 0 cannot follow. work
 * has npoints*s entries, force n. */
bool sab_program_is_closed(const sab_program *program, double *work, double *force,
                           double *expansion);

/* The flow under a given stress: u = A^-1 (B^T M lambda + l), gamma = B u + k. One solve with
 * `factor` (of program->A); gamma must not be lambda. */
sab_status sab_program_respond(const sab_program *program, sab_factor *factor, const double *lambda,
                               double *u, double *gamma, sab_error *err);
/* The linear part alone: gamma = W lambda, W = B A^-1 B^T M. u is workspace of n entries. */
sab_status sab_program_apply_w(const sab_program *program, sab_factor *factor, const double *lambda,
                               double *u, double *gamma, sab_error *err);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/solve.h -- solve a cone program by a named method.
 *
 * All first-order methods are one loop. An outer iteration updates the de Saxce shift
 * s = (mu - zeta)|gamma_T| (Cadoux, damped by theta; not at all for direct methods, which carry it
 * in every step), runs at most `inner` steps of PG, APGD or ASPG, asks solve/residual.h for the
 * certificate, reports one row, and stops on it. An outer iteration of the interior point is one of
 * its iterations. The best iterate is returned. */
#ifndef SAB_SOLVE_SOLVE_H
#define SAB_SOLVE_SOLVE_H

#include "linalg/factor.h"
#include "solve/method.h"
#include "solve/program.h"
#include "solve/residual.h"
#include "solve/work.h"

typedef struct sab_solver_options {
    sab_method method;
    double tolerance;        /* on the power gap G */
    double change_tolerance; /* on |u - u_previous| / |u| between outer iterations (M-norm of
                                strain rates) */
    int max_iterations;      /* outer */
    int inner;               /* steps per outer iteration */
    double damping;          /* theta of s in Cadoux */
    int anderson;            /* depth of the Anderson memory of PG_AA and DR_AA */
    sab_factor_backend linear;
    sab_ordering ordering;
    double blr; /* of sab_factor_options */
} sab_solver_options;
sab_solver_options sab_solver_options_default(void);

typedef enum sab_reason {
    SAB_CONVERGED,
    SAB_MAX_ITERATIONS,
    SAB_STALLED,
    SAB_INFEASIBLE /* there is no solution: sab_report.distance proves it */
} sab_reason;

typedef struct sab_report {
    sab_method method; /* the one that gave the result; never AUTO */
    sab_reason reason;
    sab_work work;
    double change;   /* last relative change of u */
    bool followed;   /* an interior point has followed program->rate: u obeys that law, not A */
    double distance; /* if infeasible: sab_residual_distance */
    sab_certificate certificate; /* of the returned iterate */
} sab_report;

/* What kept this report from converging; SAB_MISS_NONE if it has. */
sab_limit sab_report_missed(const sab_report *report, double tolerance);

/* One row per outer iteration. Return false to stop (SAB_INTERRUPTED). */
typedef struct sab_solve_observer {
    bool (*row)(void *data, const sab_report *so_far);
    void *data;
} sab_solve_observer;

typedef struct sab_solver sab_solver; /* factor and workspace for programs of one pattern */

/* Analyse the pattern of program->A and allocate everything. The caller owns *solver. */
sab_status sab_solver_create(const sab_solver_options *options, const sab_program *program,
                             sab_solver **solver, sab_error *err);
void sab_solver_destroy(sab_solver **solver);
/* Solve from the given lambda and u (of the previous step: warm), or from lambda = 0, and then a
 * state of rest under a constant pressure is tried first and u is output only. If u = 0 is given
 * with a lambda, its flow is taken. An interior point starts better from the old velocity than from
 * the flow of the old stress under the new load [docs/theory.md, 6.6].
 * `new_values`: A changed since the last call, or this is the first: factor it again. Not
 * converging is no error: see report->reason. observer may be NULL. */
sab_status sab_solver_run(sab_solver *solver, const sab_program *program, bool new_values,
                          double *lambda, double *u, const sab_solve_observer *observer,
                          sab_report *report, sab_error *err);
/* Certify (u, lambda) as it stands: lambda is projected and u becomes its flow. reason is
 * SAB_CONVERGED if that meets the tolerance. One factorisation if A has new values. */
sab_status sab_solver_certify(sab_solver *solver, const sab_program *program, bool new_values,
                              double *lambda, double *u, sab_report *report, sab_error *err);
/* The flow without resistance, lambda = 0: u [n] and its strain rate gamma [npoints][s]. Factors A,
 * for this call. */
sab_status sab_solver_unresisted(sab_solver *solver, const sab_program *program, double *u,
                                 double *gamma, sab_error *err);
/* Can this method do without a factor, by multigrid (SAB_AMG)? Only those that solve with one
 * matrix again and again. */
bool sab_method_can_iterate(sab_method method);
/* Iterations of conjugate gradients so far, in all solves by multigrid. */
int sab_solver_iterations(const sab_solver *solver);
/* The factor of A, borrowed (information for the run header). */
const sab_factor *sab_solver_factor(const sab_solver *solver);

#endif

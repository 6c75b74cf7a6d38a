/* SPDX-License-Identifier: GPL-3.0-or-later */
/* solve/call.h -- one call of the solver (internal to solve): the iterate, its certificate, the
 * best one so far, and the stopping test.
 *
 *     solve.c   the solver, and the plan that a call follows
 *     call.c    certificates, the best iterate, the end of an outer iteration, what it costs
 *     stage.c   the outer iterations of a method
 *     motion.c  when all methods have failed: is there a motion at all? */
#ifndef SAB_SOLVE_CALL_H
#define SAB_SOLVE_CALL_H

#include "solve/auto.h"
#include "solve/first_order.h"
#include "solve/gauss_seidel.h"
#include "solve/ipm.h"
#include "solve/solve.h"

struct sab_solver { /* of solve/solve.h */
    sab_solver_options options;
    sab_factor_options linear; /* of all factors */
    int s, npoints, n;
    bool bodies; /* gs fits */
    bool factored;
    bool measured; /* the first-order step, for this factor */
    bool split;    /* Douglas-Rachford is prepared, likewise */
    sab_factor *factor;
    sab_residual *residual;
    sab_first_order *iteration;     /* made when a first-order method runs */
    sab_ipm *ipm[SAB_METHOD_COUNT]; /* likewise */
    sab_gauss_seidel *gs;           /* likewise, of the present values */
    sab_work done;      /* iterations, and the work of interior points that are no more */
    double *lambda, *u; /* current iterate; the best one is in the caller's arrays */
    double *given;      /* [n] velocity that the caller starts from */
    double *gamma;      /* [npoints][s] strain rate of the certificate before */
    double *shift;      /* [npoints] s of Cadoux */
};
/* Of all solves from now on (sab_factor_set_accuracy); 0: accurate. */
void sab_solver_set_accuracy(sab_solver *solver, double part);

/* The call at work. */
typedef struct sab_call {
    sab_solver *solver;
    const sab_program *program;
    const sab_solve_observer *observer;
    sab_report *report;
    double *lambda, *u; /* best iterate, the caller's arrays */
    bool any;           /* iterate so far: then this is */
    sab_certificate best;
    sab_method best_method;
    sab_certificate current;
    bool tight;           /* interior points hold the volume on their way */
    sab_work at_start;    /* work of earlier runs */
    sab_certificate own;  /* best of the method, */
    sab_certificate mark; /* the same when it had last improved enough, */
    int since;            /* and outer iterations since then; -1: none yet */
    int good;             /* iterations in a row whose certificate met the tolerance */
    sab_ipm *follower;    /* the interior point that follows the rate law, or NULL */
} sab_call;

/* A method has stalled when the best iterate has not improved to `factor` times its measure within
 * `window` outer iterations. */
typedef struct sab_patience {
    int window;
    double factor;
} sab_patience;
extern const sab_patience sab_patience_usual; /* of first-order methods */

/* All work of this solver so far, over its factors; that of one interior point; and the report of
 * what this call has done. */
sab_work sab_solver_work(const sab_solver *solver);
void sab_work_add_ipm(const sab_ipm *ipm, sab_work *work);
void sab_call_report(sab_call *call);

/* Measure the current iterate, which `method` has made; keep it if it is the best. */
sab_status sab_call_certify(sab_call *call, sab_method method, sab_error *err);
/* Certify what the caller has given, or a better start (see there). */
sab_status sab_call_start(sab_call *call, sab_error *err);
/* Make the best iterate, which `method` has found or begun with, the current one. */
sab_status sab_call_best(sab_call *call, sab_method method, sab_error *err);
/* The start may be the answer, if the body does not move: say so in one row. */
sab_status sab_call_accept(sab_call *call, sab_method method, bool *done, sab_error *err);
/* The end of an outer iteration: certificate, row, stop rule. *done when the method is to end, with
 * report->reason. gamma of the certificate before is in solver->gamma. */
sab_status sab_call_finish(sab_call *call, sab_method method, sab_patience wait, bool *done,
                           sab_error *err);

/* A predictor for the interior points of `auto`: an outer iteration of a few steps of
 * Douglas-Rachford, when they cost no factorisation. *used if it was one; *done if it has converged
 * at once. */
sab_status sab_stage_predict(sab_call *call, bool *used, bool *done, sab_error *err);
/* Until it converges, stalls or has had its iterations: report->reason. */
sab_status sab_stage_run(sab_call *call, const sab_stage *stage, sab_error *err);

/* After a method has ended without success; `last`: there is no other. report->reason becomes
 * SAB_INFEASIBLE where it is proved. */
sab_status sab_call_explain(sab_call *call, bool last, sab_error *err);

#endif

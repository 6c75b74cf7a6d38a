/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why there is no answer: a motion that no method finds may not exist. */
#include "solve/call.h"
#include "solve/elastic.h"

/* The search for an admissible motion: stiffness of the elastic program, and its start, relative to
 * the natural residual of the unresisted flow: from far outside the interior point never jams. */
static const double STIFFNESS = 1e12, LARGE = 1e6;
enum { MOTION_STEPS = 25 };

/* Has the stress of the last iterate grown in a direction that no motion can yield to? */
static sab_status try_infeasible(sab_call *call, sab_error *err)
{
    sab_solver *sol = call->solver;
    double *distance = &call->report->distance;
    const sab_status status = sab_residual_distance(sol->residual, call->program, sol->factor,
                                                    sol->lambda, sol->gamma, distance, err);

    if (status == SAB_OK && *distance >= SAB_TOO_FAR)
        call->report->reason = SAB_INFEASIBLE;
    return status;
}

/* No method has made the compaction small. Is there a motion without any? The elastic program has
 * its answer: the stress of a motion that there is not grows to the proof. */
static sab_status look_for_motion(sab_call *call, sab_error *err)
{
    sab_solver *sol = call->solver;
    const sab_program *p = call->program;
    bool possible = false;
    sab_certificate now;
    sab_program *elastic = NULL;
    sab_ipm *ipm = NULL;
    double length;
    sab_status status = SAB_OK;

    SAB_TRY(sab_elastic_create(p, STIFFNESS, &elastic, err));
    SAB_TRY(sab_ipm_create(elastic, 0.0, &sol->linear, &ipm, err));
    sab_ipm_start(ipm, elastic, LARGE * call->best.unresisted, false);
    for (int i = 0; i < MOTION_STEPS && !possible && call->report->reason != SAB_INFEASIBLE; i++) {
        SAB_TRY(sab_ipm_iterate(ipm, elastic, &length, err));
        sab_ipm_lambda(ipm, sol->lambda);
        SAB_TRY(
            sab_residual_certify(sol->residual, p, sol->factor, sol->lambda, sol->u, &now, err));
        possible = now.compaction <= sol->options.tolerance;
        SAB_TRY(try_infeasible(call, err));
    }
cleanup:
    if (ipm != NULL)
        sab_work_add_ipm(ipm, &sol->done);
    sab_ipm_destroy(&ipm);
    sab_program_destroy(&elastic);
    return status;
}

sab_status sab_call_explain(sab_call *call, bool last, sab_error *err)
{
    sab_status status = SAB_OK;

    if (call->best.compaction <= call->solver->options.tolerance)
        return SAB_OK; /* its motion is possible but for so much */
    SAB_TRY(try_infeasible(call, err));
    if (last && call->report->reason != SAB_INFEASIBLE && call->solver->options.linear != SAB_AMG) {
        status = look_for_motion(call, err);
        if (status == SAB_ERR_INPUT || status == SAB_ERR_NUMERIC) /* not for interior points */
            status = SAB_OK;
    }
cleanup:
    return status;
}

/* cli/summary.h -- summary.json of a run (docs/architecture.md lists its keys). */
#ifndef SAB_CLI_SUMMARY_H
#define SAB_CLI_SUMMARY_H

#include "cli/session.h"
#include "fem/exact.h"
#include "io/json.h"

typedef struct sab_run_result {
    const char *status; /* converged, not_converged, interrupted */
    sab_flow_report report;
    const sab_probe_result *probe; /* [c->nprobes] */
    double oscillation;            /* of the pressure (fem/recovery.h) */
    const double *recovered;       /* [nnodes] continuous pressure; NULL if the pair is unstable */
    bool has_velocity_error, has_pressure_error;
    sab_error_norms error;
    double pressure_error, pressure_scale;
    double cpu_output, cpu_total, wall_total;
} sab_run_result;

sab_status sab_summary_write(const char *path, const sab_session *session,
                             const sab_run_result *result, sab_error *err);
/* The solver object: shared with `sablier solve`. */
void sab_summary_solver(sab_json *json, const sab_report *report, sab_factor_backend linear);

#endif

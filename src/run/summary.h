/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/summary.h -- summary.json of a run (docs/reference/files.md lists its keys). */
#ifndef SAB_RUN_SUMMARY_H
#define SAB_RUN_SUMMARY_H

#include "run/session.h"
#include "run/warnings.h"
#include "fem/exact.h"
#include "run/march_flow.h"
#include "io/json.h"

/* Raised when a key changes its meaning or goes; new keys do not count. */
enum { SAB_SUMMARY_FORMAT = 1 };

typedef struct sab_run_result {
    const sab_warnings *warnings; /* those that belong to the result */
    const char *status; /* converged, steady, finished, not_converged, infeasible, unstable */
    sab_flow_report report;
    const sab_probe_result *probe; /* [c->nprobes] */
    sab_shown shown;
    sab_volume volume; /* mean over the window */
    bool has_velocity_error, has_pressure_error;
    sab_error_norms error;
    double pressure_error, pressure_scale;
    double cpu_assembly, cpu_output, cpu_total, wall_total;
    const sab_march *march;         /* report is its total */
    const double *mean, *deviation; /* [march->columns] over the last window */
    int window;                     /* its rows, */
    double window_length;           /* and the time they took */
    double cell_reynolds, courant;  /* at the end */
} sab_run_result;

/* What the history of an inertial run says as a whole. */
typedef struct sab_march_figures {
    int worst_step; /* whose gap G or compaction C is the largest of all */
    double worst_gap, worst_compaction;
    int missed, retries;
    int missed_by[SAB_MISS_COUNT]; /* steps */
    double cpu_per_step;           /* of the solver, in units of one factorisation */
} sab_march_figures;
sab_march_figures sab_summary_figures(const sab_march *march);
/* Those of a wall load, from its means over the window; and, if force is not NULL, the forces of
 * the whole body (flow/forces.h), which the caller frees. */
sab_status sab_summary_load(const sab_session *session, const sab_run_result *result, int probe,
                            sab_load_figures *figures, double **force, sab_error *err);

sab_status sab_summary_write(const char *path, const sab_session *session,
                             const sab_run_result *result, sab_error *err);
/* The error norms, at that time, if the case has an exact solution. */
sab_status sab_summary_exact(const sab_session *session, double time, sab_run_result *result,
                             sab_error *err);
/* Does so much leave that the balance of volume can be told in parts of it? And a part of it; NaN,
 * which is null in a file, if not. */
bool sab_volume_flows(const sab_volume *volume);
double sab_volume_share(const sab_volume *volume, double part);
/* The file of `sablier solve -o`: certificates, work and velocities of a cone program alone. */
sab_status sab_summary_program(const char *path, const sab_report *report, double tolerance,
                               const sab_solver *solver, int n, const double *u, sab_error *err);

#endif

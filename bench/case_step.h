/* bench/case_step.h -- the cone program of a case file, creeping or with inertia. */
#ifndef SAB_BENCH_CASE_STEP_H
#define SAB_BENCH_CASE_STEP_H

#include "flow_step.h"
#include "io/case.h"

typedef struct bench_case {
    sab_case *c;
    sab_mesh *mesh;
    bench_step *step;
} bench_case;

/* Read the case with its overrides, mesh, split, assemble. On failure too, close it. */
sab_status bench_case_open(const char *path, int noverrides, const char *const *override, double dt,
                           double inertia, bench_case *opened, sab_error *err);
void bench_case_close(bench_case *opened);

#endif

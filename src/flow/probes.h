/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/probes.h -- the numbers a case asks for, taken from a solved flow. */
#ifndef SAB_FLOW_PROBES_H
#define SAB_FLOW_PROBES_H

#include "fem/wall.h"
#include "flow/flow.h"
#include "flow/wall_load.h"

/* Fluxes, forces and integrals are of the whole body: about an axis with the factor 2 pi. A force
 * there is its axial component, the only one that balances anything. */
typedef struct sab_probe_result {
    const sab_probe *probe; /* borrowed */
    int samples;            /* 1, or rows of a profile */
    int components;
    const char *const *name; /* [components] "x", "XX"; NULL: one plain number, or a traction */
    double *x;               /* [samples][dim] where (point, line, plane, traction) */
    double *value; /* [samples][components]; of a traction normal and shear (fem/wall.h), and on
                      stable pairs both again from the recovered stress */
    const sab_wall_trace *wall; /* of a traction, NULL for others; borrowed */
    const sab_wall_load *load;  /* of a wall load likewise; `value` has its columns, */
    int beside;                 /* and then so many numbers that are not of its rows */
} sab_probe_result;

typedef struct sab_probes sab_probes;

/* Find groups and elements: before solving, so that a bad probe is an error at once
 * (SAB_ERR_INPUT: unknown group, no entry, point outside the domain, wall without inner vertex,
 * what this flow has not).
 * The caller owns *probes. */
sab_status sab_probes_create(const sab_flow *flow, int n, const sab_probe *probe,
                             sab_probes **probes, sab_error *err);
void sab_probes_destroy(sab_probes **probes);
int sab_probes_count(const sab_probes *probes);
/* Evaluate all; the results (n of them, in order) are borrowed until the next call. */
sab_status sab_probes_evaluate(sab_probes *probes, const sab_flow *flow,
                               const sab_probe_result **result, sab_error *err);

#endif

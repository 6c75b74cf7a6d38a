/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/recovery.h -- continuous pressure and stress for pictures and papers, and a measure of how
 * rough the discontinuous pressure is [docs/theory.md, 10]. */
#ifndef SAB_FEM_RECOVERY_H
#define SAB_FEM_RECOVERY_H

#include "fem/fields.h"

typedef struct sab_recovery sab_recovery;

/* Number the vertices of the space (borrowed), assemble and factor the P1 mass matrix. The caller
 * owns *recovery. */
sab_status sab_recovery_create(const sab_space *space, sab_recovery **recovery, sab_error *err);
void sab_recovery_destroy(sab_recovery **recovery);
/* Is the pair of velocity and stress inf-sup stable, so that its recovered stresses are worth
 * looking at: a stable element, or triangles that are the thirds of larger ones (Alfeld split)? The
 * one answer for probes, files and warnings: it is the mesh that decides, not how it came to be. */
bool sab_recovery_is_stable(const sab_space *space);
/* nodal [nnodes][components]: the continuous P1 functions nearest in L2 to those that have `value`
 * [npoints][components] at the law points and are P1 in each element; middles have the mean of
 * their ends. */
sab_status sab_recovery_project(sab_recovery *recovery, int components, const double *value,
                                double *nodal, sab_error *err);

typedef struct sab_recovered {
    const double *nodal; /* [nnodes] borrowed from the recovery until the next call */
    double oscillation;  /* |p - nodal| relative to the stresses of the flow, where it flows: small
                            for stable pairs. NAN if nothing flows: the pressure of rigid zones is
                            not determined */
} sab_recovered;
/* The pressure lambda_N / sqrt(d/2) of fields on this space. */
sab_status sab_recovery_pressure(sab_recovery *recovery, const sab_fields *fields,
                                 sab_recovered *result, sab_error *err);
/* The total stress [nnodes][s], tension positive; borrowed from the recovery until the next call of
 * this function. */
sab_status sab_recovery_stress(sab_recovery *recovery, const sab_fields *fields,
                               const double **stress, sab_error *err);

#endif

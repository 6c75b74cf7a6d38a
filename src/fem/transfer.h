/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/transfer.h -- velocity and stress of one mesh, as another one can hold them.
 *
 * Interpolation [docs/theory.md, 4.16]: the velocity of the source is evaluated at the nodes of the
 * target, and at the centres of what its bubbles live on; the stress, P1 in each element of the
 * source, at the law points of the target. A field that both spaces hold is the same afterwards.
 * Nothing else is kept: how much of energy and volume is, the report says. */
#ifndef SAB_FEM_TRANSFER_H
#define SAB_FEM_TRANSFER_H

#include "fem/space.h"

typedef struct sab_transfer_report {
    int places;      /* where the velocity was asked for */
    int clamped;     /* of these outside the source: its nearest boundary answered, */
    double farthest; /* no farther away than this */
    double outside;  /* share of the target, by volume, that the source does not hold */
    /* (1/2) int |u|^2, without geometry->whole, and the share of the strain rate that changes
     * volume, |gamma_N| / |gamma| in L2; of the target, and of the source. */
    double energy, energy_source, divergence, divergence_source;
} sab_transfer_report;

/* U, lambda: a velocity vector of `from`, and [npoints][s] there; V, stress: the same of `to`,
 * whose cell and geometry must be those of `from`. Boundary conditions are for the caller, and so
 * are, when these hold, energy and divergence of the report. */
sab_status sab_transfer(const sab_space *from, const double *U, const double *lambda,
                        const sab_space *to, double *V, double *stress, sab_transfer_report *report,
                        sab_error *err);
/* Energy and divergence of a velocity. */
sab_status sab_transfer_measure(const sab_space *space, const double *U, double *energy,
                                double *divergence, sab_error *err);

#endif

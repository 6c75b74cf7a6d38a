/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/feeder.h -- carriers that enter through sides where material is fed [docs/theory.md, 3.5].
 *
 * A side is cut into equal parts. Through each enters the mass fill dt int -u.n in a step, which is
 * remembered, and becomes carriers of the mass that those of the element have at the beginning. A
 * carrier is made when half of it has entered, and stands where its middle is: x + age u. So what
 * is fed is ahead of what has entered, or behind, by half a carrier per part at most, whatever the
 * lengths of the steps, and it depends on nothing but the state. */
#ifndef SAB_FEM_FEEDER_H
#define SAB_FEM_FEEDER_H

#include "fem/carriers.h"

typedef struct sab_feeder {
    const sab_space *space; /* borrowed */
    int n, parts;           /* sides, and parts of each */
    int *facet;             /* [n] */
    double *xi;             /* [parts][dim-1] the middles of the parts, as points of a side */
    double *x;              /* [n][parts][dim] likewise, as places */
    double *whole;          /* [n] mass of a carrier where fill is 1 */
    double *owed;           /* [n][parts] mass that has entered and is in no carrier */
    double *fill;           /* [n][parts] of the next call of feed: to be given */
    double *rate;           /* [parts] workspace */
} sab_feeder;

/* feeds [nfacets]: through which sides; per_side: that of sab_carriers_fill. *feeder is NULL if
 * there are none. The space is borrowed; the caller owns *feeder. */
sab_status sab_feeder_create(const sab_space *space, const bool *feeds, int per_side,
                             sab_feeder **feeder, sab_error *err);
void sab_feeder_destroy(sab_feeder **feeder);
/* New carriers of a step of length dt with velocity vector U, sorted in; *kinetic is the energy
 * they bring. *outward, if it is not -1 then, is a facet through which U goes out; nothing is fed
 * there. */
sab_status sab_feeder_feed(sab_feeder *feeder, sab_carriers *carriers, double dt, const double *U,
                           double *kinetic, int *outward, sab_error *err);

#endif

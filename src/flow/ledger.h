/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/ledger.h -- where the kinetic energy of a time step comes from, and where it goes
 * [docs/theory.md, 3.4]. All are energies, of the whole step.
 *
 *     gain = gravity + traction + walls - viscous - friction - inflow - loss + carried
 *
 * holds to rounding, whatever the gap of the solve: `defect` is the difference. Only `carried` has
 * no sign: carried = in - out + dilation + excess. */
#ifndef SAB_FLOW_LEDGER_H
#define SAB_FLOW_LEDGER_H

#include <stdbool.h>

typedef struct sab_ledger {
    double energy;   /* E after the step, in the norm of its scheme */
    double gain;     /* E after less E before, in the same norm */
    double gravity;  /* work of gravity, */
    double traction; /* of tractions and pressures, */
    double walls;    /* of walls that move: reactions times prescribed velocities */
    double viscous;  /* dissipated by viscosity, */
    double friction; /* by lambda and the rate stress of mu(I), */
    double inflow;   /* by the directional traction of open sides (fem/inflow.h), */
    double loss;     /* and by the time scheme */
    double carried;  /* gained along the trajectories */
    double in, out;  /* carried through open sides; both positive */
    double given;    /* of `in`, where a velocity is prescribed, or by the mean of what enters */
    double dilation; /* int 1/2 |u|^2 div u: of material that appears where grains part */
    double excess;   /* carried - in + out - dilation: what the scheme makes of nothing */
    double defect;
    double lifted; /* potential energy that grains gain where they are moved to where there is room
                      (flow/room.h): of the places, not of E */
} sab_ledger;
enum { SAB_LEDGER_ENTRIES = 17 };
_Static_assert(sizeof(sab_ledger) == SAB_LEDGER_ENTRIES * sizeof(double), "entries of a ledger");

/* Add a later part of the same step. */
void sab_ledger_add(sab_ledger *sum, const sab_ledger *part);

/* Does E grow by no more than the work done and what comes in at a given velocity; is it finite? */
bool sab_ledger_is_stable(const sab_ledger *ledger);
/* The excess, as a share of the energy before or after the step, whichever is larger. */
double sab_ledger_excess(const sab_ledger *ledger);
/* And is that a share that a healthy step may have? */
bool sab_ledger_is_sound(const sab_ledger *ledger);

struct sab_flow;
/* Of the step of length dt just solved, from inertia->previous to inertia->velocity, with the
 * forces of flow->load. */
void sab_ledger_take(struct sab_flow *flow, double dt, int order, sab_ledger *ledger);
/* Of it the work of what acts on the material, and what takes energy from it. */
void sab_ledger_take_work(struct sab_flow *flow, double dt, sab_ledger *ledger);
/* E of a state in the norm of order 2, for the next step; inertia->b is the velocity carried over
 * the last one. */
double sab_ledger_stored(const struct sab_flow *flow);

#endif

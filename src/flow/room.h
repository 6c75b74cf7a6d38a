/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/room.h -- grains that stand where there is no room are moved to where there is
 * [docs/theory.md, 3.5].
 *
 * Of all displacements of the carriers the smallest that leaves no vertex of the parents over-full:
 *     min 1/2 sum_p m_p |d_p|^2   with   M_i + sum_p m_p grad phi_i(x_p).d_p <= T_i,
 * M_i = sum_p m_p phi_i(x_p), phi_i the hats of the parents. Hats are linear there: d is one vector
 * per parent, and M_i afterwards is that of the inequality, exactly, unless a carrier has left its
 * parent. It is a program of contacts without friction: parents are the bodies, of mass m_K,
 * vertices the contacts; lambda is the potential psi, d = -grad psi. Mass, momentum and kinetic
 * energy stay as they are. */
#ifndef SAB_FLOW_ROOM_H
#define SAB_FLOW_ROOM_H

#include "fem/filling.h"
#include "solve/solve.h"

typedef struct sab_room {
    sab_program *program;
    sab_solver *solver;
    double *gradient; /* [nparents][corners][dim] of the hats */
    double *height;   /* [nparents] the smallest */
    double *scale;    /* [nvertices] of its row in the program */
    double *lambda;   /* [nvertices][2] */
    double *d;        /* [nparents][dim] of the last call */
} sab_room;

/* The caller owns *room. */
sab_status sab_room_create(const sab_filling *fill, sab_room **room, sab_error *err);
void sab_room_destroy(sab_room **room);
/* room->d for the fill just measured; *moves is false, and d zero, if no vertex holds more than
 * 1 + band. Above that T_i takes back the part `relax` of what is beyond 1 + band; between 1 and
 * 1 + band, the noise of carriers, M_i may not grow. A closed vessel that is full everywhere has
 * nowhere to go: then *moves is false too. No d is longer than a tenth of its parent is high. */
sab_status sab_room_find(sab_room *room, const sab_filling *fill, double band, double relax,
                         bool *moves, sab_error *err);

#endif

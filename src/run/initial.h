/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/initial.h -- initial.from: a run starts from the state of another one, of the same mesh or,
 * interpolated, of another [docs/theory.md, 4.16]. */
#ifndef SAB_RUN_INITIAL_H
#define SAB_RUN_INITIAL_H

#include "fem/transfer.h"

struct sab_session;

/* Velocity and stress of the checkpoint session->c->initial_from for session->flow; what was
 * interpolated is in session->transfer. SAB_ERR_INPUT, a sentence about the key, if too much of the
 * mesh is outside the other one. */
sab_status sab_initial_take(struct sab_session *session, sab_error *err);

/* The report as numbers, for a checkpoint: a run that goes on tells the same as one that never
 * stopped. */
enum { SAB_INITIAL_NUMBERS = 8 };
void sab_initial_pack(const sab_transfer_report *report, double number[SAB_INITIAL_NUMBERS]);
void sab_initial_unpack(const double number[SAB_INITIAL_NUMBERS], sab_transfer_report *report);

#endif

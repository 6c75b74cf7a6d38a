/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/provenance.h -- where a result comes from: what it takes to get it again. */
#ifndef SAB_RUN_PROVENANCE_H
#define SAB_RUN_PROVENANCE_H

#include "io/json.h"
#include "run/session.h"

/* The object "provenance": commit of the source, command, date, host, hashes of the resolved case
 * and of the mesh, versions of the libraries. Nothing of it changes a result, and what cannot be
 * found out is "". */
sab_status sab_provenance_write(sab_json *json, const sab_session *session, sab_error *err);

#endif

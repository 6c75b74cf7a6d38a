/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/describe.h -- a case and its result in words, line by line, for whoever shows them. */
#ifndef SAB_RUN_DESCRIBE_H
#define SAB_RUN_DESCRIBE_H

#include "run/run.h"

typedef struct sab_teller {
    void *data;
    void (*line)(void *data, const char *text);    /* without its end */
    void (*warning)(void *data, const char *text); /* a sentence; as sab_warnings.tell */
    bool verbose;                                  /* what developers want to know, too */
} sab_teller;

void sab_tell(const sab_teller *out, const char *format, ...) SAB_PRINTF(2, 3);
void sab_tell_warning(const sab_teller *out, const char *format, ...) SAB_PRINTF(2, 3);

/* Case, mesh, sizes, effective rheology, solver: the header of a run. */
void sab_describe_session(const sab_session *session, const sab_teller *out);
/* A line for each entry of `boundaries`. */
void sab_describe_boundaries(const sab_session *session, const sab_teller *out);
/* What came out. */
void sab_describe_result(const sab_run *run, const sab_teller *out);
/* What it missed, and what helps; where to look at it. */
void sab_describe_next(const sab_run *run, const sab_teller *out);
/* Work and certificates of a solve. */
void sab_describe_certificates(const sab_report *report, double tolerance, const sab_teller *out);

#endif

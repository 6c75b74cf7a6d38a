/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run/warnings.h -- what a run warns about: told at once, and kept for its summary. */
#ifndef SAB_RUN_WARNINGS_H
#define SAB_RUN_WARNINGS_H

#include "base/error.h"
#include "solve/solve.h"

#include <stddef.h>

enum { SAB_WARNINGS = 16, SAB_WARNING_LENGTH = 500 };

typedef struct sab_warnings {
    void (*tell)(void *data, const char *sentence); /* may be NULL */
    void *data;
    int given;
    char text[SAB_WARNINGS][SAB_WARNING_LENGTH]; /* the first of them; the last one is last */
} sab_warnings;

/* Tell it and keep it. */
void sab_warnings_add(sab_warnings *warnings, const char *format, ...) SAB_PRINTF(2, 3);
/* Tell it only: it is not about the result. */
void sab_warnings_mention(const sab_warnings *warnings, const char *format, ...) SAB_PRINTF(2, 3);
/* Number of those that are kept. */
int sab_warnings_kept(const sab_warnings *warnings);

/* Why a solve ended, in a few words. */
const char *sab_reason_text(sab_reason reason);
/* The sentence that a solve has not converged, with what it reached. Returns `buffer`. */
const char *sab_missed_text(const sab_report *report, double tolerance, char *buffer, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli/terminal.h -- what the user sees: messages, colours, a progress line on a terminal only. */
#ifndef SAB_CLI_TERMINAL_H
#define SAB_CLI_TERMINAL_H

#include "run/describe.h"

typedef struct sab_terminal {
    int verbosity; /* -1 quiet, 0, 1 verbose */
    bool live;     /* standard error is a terminal: a progress line may be drawn */
    bool colour_out, colour_err;
    bool line_shown;
    double started, last_drawn; /* wall seconds */
} sab_terminal;

/* Looks at the streams, NO_COLOR and TERM. */
sab_terminal sab_terminal_create(int verbosity);
/* A line on standard output, unless quiet. Here and below control characters are shown as '?', and
 * a line that is wider than the terminal is broken at blanks. */
void sab_say(sab_terminal *term, const char *format, ...) SAB_PRINTF(2, 3);
/* The same for whoever tells something line by line. */
sab_teller sab_terminal_teller(sab_terminal *term);
/* "warning: ..." on standard error, also when quiet. */
void sab_warn(sab_terminal *term, const char *format, ...) SAB_PRINTF(2, 3);
/* "error: ..." on standard error; a message that begins with a place, "case.yaml:12:9: ...", stands
 * as it is, for editors that jump to it; each of several, if the message has more lines with one.
 */
void sab_complain(sab_terminal *term, const char *message);
/* The exit code of a command whose result is its standard output: `code`, or 4 if that could not be
 * written, as when `sablier keys > keys.md` does not fit on the disk. */
int sab_say_end(sab_terminal *term, int code);
/* Replace the progress line (at most five times a second; nothing unless live and not quiet). */
void sab_progress(sab_terminal *term, const char *format, ...) SAB_PRINTF(2, 3);
/* Remove it. */
void sab_progress_end(sab_terminal *term);
/* Seconds as "12 s", "3 min 20 s", "2 h 05 min". */
const char *sab_duration(double seconds, char *buffer, unsigned long size);

#endif

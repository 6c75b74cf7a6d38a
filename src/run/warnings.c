/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/warnings.h"

#include <stdarg.h>
#include <stdio.h>

enum { SENTENCE = sizeof(((sab_error *)0)->message) + 200 };

void sab_warnings_add(sab_warnings *w, const char *format, ...)
{
    char sentence[SENTENCE];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    snprintf(w->text[w->given < SAB_WARNINGS ? w->given : SAB_WARNINGS - 1], SAB_WARNING_LENGTH,
             "%.*s", SAB_WARNING_LENGTH - 1, sentence);
    w->given++;
    if (w->tell != NULL)
        w->tell(w->data, sentence);
}

void sab_warnings_mention(const sab_warnings *w, const char *format, ...)
{
    char sentence[SENTENCE];
    va_list args;

    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (w->tell != NULL)
        w->tell(w->data, sentence);
}

int sab_warnings_kept(const sab_warnings *w)
{
    return w->given < SAB_WARNINGS ? w->given : SAB_WARNINGS;
}

const char *sab_reason_text(sab_reason reason)
{
    static const char *const text[] = {[SAB_CONVERGED] = "converged",
                                       [SAB_MAX_ITERATIONS] = "iterations used up",
                                       [SAB_STALLED] = "stalled: no further improvement",
                                       [SAB_INFEASIBLE] = "infeasible: there is no solution"};

    return text[reason];
}

const char *sab_missed_text(const sab_report *r, double tolerance, char *buffer, size_t size)
{
    const sab_limit missed = sab_report_missed(r, tolerance);

    if (missed.by == SAB_MISS_INFEASIBLE)
        snprintf(buffer, size,
                 "infeasible: no motion opens or dilates at every point as the law asks, none at "
                 "least that differs from the unresisted flow by less than %.0e times its size",
                 missed.value);
    else
        snprintf(buffer, size,
                 "not converged (%s): %s %.3e against %g, last change of the velocity %.1e",
                 sab_reason_text(r->reason), sab_miss_table[missed.by].text, missed.value,
                 missed.by == SAB_MISS_MOMENTUM ? SAB_MOMENTUM : tolerance, r->change);
    return buffer;
}

#include "cli/terminal.h"
#include "base/timer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char BOLD[] = "\033[1m", RED[] = "\033[1;31m", YELLOW[] = "\033[1;33m",
                  PLAIN[] = "\033[0m";

sab_terminal sab_terminal_create(int verbosity)
{
    const char *no_color = getenv("NO_COLOR"), *type = getenv("TERM");
    const bool dumb = type == NULL || strcmp(type, "dumb") == 0;
    const bool colour = !dumb && (no_color == NULL || no_color[0] == '\0');

    return (sab_terminal){.verbosity = verbosity,
                          .live = isatty(STDERR_FILENO) && !dumb,
                          .colour_out = colour && isatty(STDOUT_FILENO),
                          .colour_err = colour && isatty(STDERR_FILENO),
                          .started = sab_wall_seconds()};
}

void sab_say(sab_terminal *term, const char *format, ...)
{
    va_list args;

    if (term->verbosity < 0)
        return;
    sab_progress_end(term);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

static void labelled(sab_terminal *term, const char *colour, const char *label, const char *format,
                     va_list args)
{
    sab_progress_end(term);
    fflush(stdout);
    if (term->colour_err)
        fprintf(stderr, "%s%s:%s ", colour, label, PLAIN);
    else
        fprintf(stderr, "%s: ", label);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

void sab_warn(sab_terminal *term, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    labelled(term, YELLOW, "warning", format, args);
    va_end(args);
}

void sab_complain(sab_terminal *term, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    labelled(term, RED, "error", format, args);
    va_end(args);
}

void sab_progress(sab_terminal *term, const char *format, ...)
{
    const double now = sab_wall_seconds();
    va_list args;

    if (!term->live || term->verbosity < 0 || now - term->last_drawn < 0.2)
        return;
    term->last_drawn = now;
    fprintf(stderr, "\r\033[K%s", term->colour_err ? BOLD : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputs(term->colour_err ? PLAIN : "", stderr);
    fflush(stderr);
    term->line_shown = true;
}

void sab_progress_end(sab_terminal *term)
{
    if (term->line_shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        term->line_shown = false;
    }
}

const char *sab_duration(double seconds, char *buffer, unsigned long size)
{
    const long s = seconds < 0.0 ? 0 : seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000L;

    if (s < 60)
        snprintf(buffer, size, "%ld s", s);
    else if (s < 3600)
        snprintf(buffer, size, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(buffer, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
    return buffer;
}

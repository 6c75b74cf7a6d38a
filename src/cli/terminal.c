#include "cli/terminal.h"
#include "base/timer.h"

#include <ctype.h>
#include <errno.h>
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

/* Titles, names and paths may contain anything; what a terminal would obey is shown as '?'. */
static void print(FILE *stream, const char *format, va_list args)
{
    char text[4000];
    const int n = vsnprintf(text, sizeof text, format, args);

    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
        else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* U+0080 to U+009F in UTF-8 */
            c[0] = c[1] = '?';
    }
    fputs(text, stream);
    if (n >= (int)sizeof text)
        fputs("...", stream);
}

static void print_text(FILE *stream, const char *format, ...) SAB_PRINTF(2, 3);
static void print_text(FILE *stream, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(stream, format, args);
    va_end(args);
}

void sab_say(sab_terminal *term, const char *format, ...)
{
    va_list args;

    if (term->verbosity < 0)
        return;
    sab_progress_end(term);
    va_start(args, format);
    print(stdout, format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

void sab_warn(sab_terminal *term, const char *format, ...)
{
    va_list args;

    sab_progress_end(term);
    fflush(stdout);
    fprintf(stderr, "%swarning:%s ", term->colour_err ? YELLOW : "", term->colour_err ? PLAIN : "");
    va_start(args, format);
    print(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* Length of "case.yaml:12:9:" at the beginning of a message, 0 if there is no such place. */
static int place_length(const char *message)
{
    const char *end = strchr(message, ':');

    if (end == NULL || !isdigit((unsigned char)end[1]))
        return 0;
    while (*end == ':' && isdigit((unsigned char)end[1]))
        end += 1 + strspn(end + 1, "0123456789");
    return *end == ':' ? (int)(end + 1 - message) : 0;
}

void sab_complain(sab_terminal *term, const char *message)
{
    const int place = place_length(message);

    sab_progress_end(term);
    fflush(stdout);
    fputs(!term->colour_err ? "" : place == 0 ? RED : BOLD, stderr);
    print_text(stderr, "%.*s", place == 0 ? 6 : place, place == 0 ? "error:" : message);
    fputs(term->colour_err ? PLAIN : "", stderr);
    print_text(stderr, "%s%s\n", place == 0 ? " " : "", message + place);
}

int sab_say_end(sab_terminal *term, int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != 0)
        return code;
    fprintf(stderr, "%serror:%s cannot write to standard output%s%s\n", term->colour_err ? RED : "",
            term->colour_err ? PLAIN : "", errno != 0 ? ": " : "",
            errno != 0 ? strerror(errno) : "");
    return 4;
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
    print(stderr, format, args);
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

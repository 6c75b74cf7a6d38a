/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/terminal.h"
#include "base/timer.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

/* Columns of the terminal behind a stream; 0 if it is none: a log keeps its lines whole, so that
 * they can be searched. */
static size_t columns_of(FILE *stream)
{
    enum { NARROWEST = 40 };
    const char *given = getenv("COLUMNS");
    struct winsize size;
    int columns = 0;

    if (!isatty(fileno(stream)))
        return 0;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        columns = size.ws_col;
    else if (given != NULL)
        columns = atoi(given);
    return columns >= NARROWEST ? (size_t)columns : 0;
}

/* What a terminal would obey is shown as '?'. */
static void make_harmless(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
        if ((*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f)
            *c = '?';
        else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* U+0080 to U+009F in UTF-8 */
            c[0] = c[1] = '?';
    }
}

/* Columns of n bytes of UTF-8: those that do not continue a character. */
static size_t columns_in(const char *text, size_t n)
{
    size_t columns = 0;

    for (size_t i = 0; i < n; i++)
        columns += ((unsigned char)text[i] & 0xc0) != 0x80;
    return columns;
}

/* One line, broken at blanks where it is wider than the terminal; `column` is where it begins. What
 * follows is indented: below the value if the line has a name of 14 columns before it. */
static void put_line(FILE *stream, const char *line, size_t length, size_t column, size_t width)
{
    enum { VALUE = 15, INDENT = 2 };
    const bool named =
        column == 0 && length > VALUE && line[VALUE - 1] == ' ' && line[VALUE] != ' ';
    const size_t indent = named ? VALUE : INDENT;
    size_t begun = 0; /* of what is not written yet */

    while (width > 0 && column + columns_in(line + begun, length - begun) > width) {
        size_t end = 0, at = column;

        for (size_t i = begun; i < length && at <= width; i++) {
            if (line[i] == ' ' && i > begun + (begun == 0 ? indent : 0))
                end = i;
            at += ((unsigned char)line[i] & 0xc0) != 0x80;
        }
        if (end == 0) /* one long word */
            break;
        fprintf(stream, "%.*s\n%*s", (int)(end - begun), line + begun, (int)indent, "");
        for (begun = end; begun < length && line[begun] == ' '; begun++)
            ;
        column = indent;
    }
    fprintf(stream, "%.*s", (int)(length - begun), line + begun);
}

/* Titles, names and paths may contain anything. `column`: where it begins. */
static void print(FILE *stream, size_t column, const char *format, va_list args)
{
    char text[5000];
    const int n = vsnprintf(text, sizeof text, format, args);
    const size_t width = columns_of(stream);

    make_harmless(text);
    for (const char *line = text;; column = 0) {
        const size_t length = strcspn(line, "\n");

        put_line(stream, line, length, column, width);
        line += length;
        if (*line == '\0')
            break;
        fputc(*line++, stream);
    }
    if (n >= (int)sizeof text)
        fputs("...", stream);
}

static void print_text(FILE *stream, size_t column, const char *format, ...) SAB_PRINTF(3, 4);
static void print_text(FILE *stream, size_t column, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    print(stream, column, format, args);
    va_end(args);
}

void sab_say(sab_terminal *term, const char *format, ...)
{
    va_list args;

    if (term->verbosity < 0)
        return;
    sab_progress_end(term);
    va_start(args, format);
    print(stdout, 0, format, args);
    va_end(args);
    putchar('\n');
    fflush(stdout);
}

static void say_line(void *data, const char *text)
{
    sab_say(data, "%s", text);
}

void sab_warn(sab_terminal *term, const char *format, ...)
{
    va_list args;

    sab_progress_end(term);
    fflush(stdout);
    fprintf(stderr, "%swarning:%s ", term->colour_err ? YELLOW : "", term->colour_err ? PLAIN : "");
    va_start(args, format);
    print(stderr, strlen("warning: "), format, args);
    va_end(args);
    fputc('\n', stderr);
}

static void warn_line(void *data, const char *text)
{
    sab_warn(data, "%s", text);
}

sab_teller sab_terminal_teller(sab_terminal *term)
{
    return (sab_teller){
        .data = term, .line = say_line, .warning = warn_line, .verbose = term->verbosity > 0};
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

/* One sentence, with its context. */
static void complain(const sab_terminal *term, const char *message)
{
    const int place = place_length(message);

    fputs(!term->colour_err ? "" : place == 0 ? RED : BOLD, stderr);
    print_text(stderr, 0, "%.*s", place == 0 ? 6 : place, place == 0 ? "error:" : message);
    fputs(term->colour_err ? PLAIN : "", stderr);
    print_text(stderr, place == 0 ? 6 : (size_t)place, "%s%s\n", place == 0 ? " " : "",
               message + place);
}

/* The end of the first of several errors: the next one has a place of its own, where context is
 * indented. NULL if there is only one. */
static const char *next_error(const char *message)
{
    for (const char *end = message; (end = strchr(end, '\n')) != NULL; end++)
        if (place_length(end + 1) > 0 || strncmp(end + 1, "--set ", 6) == 0)
            return end;
    return NULL;
}

void sab_complain(sab_terminal *term, const char *message)
{
    sab_progress_end(term);
    fflush(stdout);
    for (const char *end; (end = next_error(message)) != NULL; message = end + 1) {
        char one[sizeof(((sab_error *)0)->message)];

        snprintf(one, sizeof one, "%.*s", (int)(end - message), message);
        complain(term, one);
    }
    complain(term, message);
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
    char text[400];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    make_harmless(text);
    const size_t width = columns_of(stderr); /* a line that wraps could not be taken back */
    if (width > 0 && strlen(text) >= width)
        text[width - 1] = '\0';
    term->last_drawn = now;
    fprintf(stderr, "\r\033[K%s%s%s", term->colour_err ? BOLD : "", text,
            term->colour_err ? PLAIN : "");
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sab_parse_number(const char *text, double *value)
{
    char *end = NULL;

    /* strtod alone would take blanks, hexadecimal, nan and infinity */
    if (text[0] == '\0' || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    errno = 0;
    const double v = strtod(text, &end);
    if (*end != '\0' || end == text || !isfinite(v) || (errno == ERANGE && fabs(v) > 1.0))
        return false;
    *value = v;
    return true;
}

bool sab_parse_integer(const char *text, int *value)
{
    char *end = NULL;

    if (text[0] == '\0' || strspn(text, "+-0123456789") != strlen(text))
        return false;
    errno = 0;
    const long v = strtol(text, &end, 10);
    if (*end != '\0' || end == text || errno == ERANGE || v < INT_MIN || v > INT_MAX)
        return false;
    *value = (int)v;
    return true;
}

/* Edit distance (insert, delete, replace, swap of neighbours), at most 63 characters compared. */
static int edit_distance(const char *a, const char *b)
{
    enum { MAX = 63 };
    const int na = (int)strnlen(a, MAX), nb = (int)strnlen(b, MAX);
    int row[3][MAX + 1]; /* rows i-2, i-1, i in turn */

    for (int j = 0; j <= nb; j++)
        row[0][j] = j;
    for (int i = 1; i <= na; i++) {
        int *now = row[i % 3], *before = row[(i + 2) % 3], *first = row[(i + 1) % 3];

        now[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int ca = tolower((unsigned char)a[i - 1]), cb = tolower((unsigned char)b[j - 1]);
            int d = before[j - 1] + (ca != cb);

            if (before[j] + 1 < d)
                d = before[j] + 1;
            if (now[j - 1] + 1 < d)
                d = now[j - 1] + 1;
            if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                cb == tolower((unsigned char)a[i - 2]) && first[j - 2] + 1 < d)
                d = first[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[na % 3][nb];
}

const char *sab_closest_name(const char *word, const char *const *names, size_t n)
{
    const int length = (int)strlen(word);
    int best = (length < 3 ? 1 : length / 3) + 1;
    const char *closest = NULL;

    for (size_t i = 0; i < n; i++) {
        const int d = edit_distance(word, names[i]);
        if (d < best) {
            best = d;
            closest = names[i];
        }
    }
    return closest;
}

sab_status sab_text_add(sab_text *text, sab_error *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    const int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (need < 0)
        return sab_fail(err, SAB_ERR_INTERNAL, "cannot format text");
    const size_t wanted = text->length + (size_t)need + 1;
    if (wanted > text->capacity) {
        const size_t capacity = wanted < 256 ? 256 : 2 * wanted;
        char *data = sab_realloc(text->data, capacity, 1);

        if (data == NULL)
            return sab_fail(err, SAB_ERR_MEMORY, "out of memory: %zu bytes of text", capacity);
        text->data = data;
        text->capacity = capacity;
    }
    va_start(args, format);
    vsnprintf(text->data + text->length, (size_t)need + 1, format, args);
    va_end(args);
    text->length += (size_t)need;
    return SAB_OK;
}

void sab_text_destroy(sab_text *text)
{
    SAB_FREE(text->data);
    text->length = text->capacity = 0;
}

uint64_t sab_hash(uint64_t hash, const void *data, size_t n)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ byte[i]) * UINT64_C(1099511628211);
    return hash;
}

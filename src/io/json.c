/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/json.h"
#include "io/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ADD(json, ...)                                                                             \
    do {                                                                                           \
        if ((json)->status == SAB_OK)                                                              \
            (json)->status = sab_text_add(&(json)->text, NULL, __VA_ARGS__);                       \
    } while (0)

/* Bytes of the well-formed UTF-8 sequence at s, 0 if there is none [RFC 3629, section 4]. */
static int utf8_length(const unsigned char *s)
{
    const unsigned char c = s[0];
    unsigned char low = 0x80, high = 0xBF; /* bounds of the second byte */
    int length;

    if (c < 0x80)
        return 1;
    if (c >= 0xC2 && c <= 0xDF)
        length = 2;
    else if (c >= 0xE0 && c <= 0xEF)
        length = 3;
    else if (c >= 0xF0 && c <= 0xF4)
        length = 4;
    else
        return 0;
    if (c == 0xE0)
        low = 0xA0; /* overlong */
    if (c == 0xED)
        high = 0x9F; /* surrogates */
    if (c == 0xF0)
        low = 0x90; /* overlong */
    if (c == 0xF4)
        high = 0x8F; /* above U+10FFFF */
    if (s[1] < low || s[1] > high)
        return 0;
    for (int i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xBF)
            return 0;
    return length;
}

static void add_quoted(sab_json *json, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;

    ADD(json, "\"");
    while (*s != '\0') {
        const int length = utf8_length(s);

        if (length == 0)
            ADD(json, "\xEF\xBF\xBD");
        else if (*s == '"' || *s == '\\')
            ADD(json, "\\%c", *s);
        else if (*s == '\n')
            ADD(json, "\\n");
        else if (*s == '\t')
            ADD(json, "\\t");
        else if (*s < 0x20)
            ADD(json, "\\u%04x", (unsigned)*s);
        else
            ADD(json, "%.*s", length, (const char *)s);
        s += length > 0 ? length : 1;
    }
    ADD(json, "\"");
}

/* What stands before every value: comma, line, indent, key. */
static void add_start(sab_json *json, const char *key)
{
    if (json->depth > 0) {
        ADD(json, "%s\n%*s", json->first[json->depth - 1] ? "" : ",", 2 * json->depth, "");
        json->first[json->depth - 1] = false;
    } else if (json->text.length > 0 && json->status == SAB_OK) {
        json->status = SAB_ERR_INTERNAL; /* a second root */
    }
    if (key != NULL) {
        add_quoted(json, key);
        ADD(json, ": ");
    }
}

static void add_end(sab_json *json)
{
    if (json->depth == 0)
        ADD(json, "\n");
}

static void begin(sab_json *json, const char *key, char bracket)
{
    add_start(json, key);
    ADD(json, "%c", bracket);
    if (json->depth == SAB_JSON_DEPTH && json->status == SAB_OK)
        json->status = SAB_ERR_INTERNAL;
    if (json->status == SAB_OK)
        json->first[json->depth++] = true;
}

static void end(sab_json *json, char bracket)
{
    if (json->depth == 0 && json->status == SAB_OK)
        json->status = SAB_ERR_INTERNAL;
    if (json->status != SAB_OK)
        return;
    json->depth--;
    if (!json->first[json->depth])
        ADD(json, "\n%*s", 2 * json->depth, "");
    ADD(json, "%c", bracket);
    add_end(json);
}

void sab_json_begin_object(sab_json *json, const char *key)
{
    begin(json, key, '{');
}

void sab_json_end_object(sab_json *json)
{
    end(json, '}');
}

void sab_json_begin_array(sab_json *json, const char *key)
{
    begin(json, key, '[');
}

void sab_json_end_array(sab_json *json)
{
    end(json, ']');
}

void sab_json_number(sab_json *json, const char *key, double value)
{
    char digits[40] = "null";

    /* 0.03 rather than 0.029999999999999999: the first of 15, 16, 17 digits that is exact. The
     * program stays in the C locale, so that the point is a point. */
    if (isfinite(value))
        for (int n = 15; n <= 17; n++) {
            snprintf(digits, sizeof digits, "%.*g", n, value);
            if (strtod(digits, NULL) == value)
                break;
        }
    add_start(json, key);
    ADD(json, "%s", digits);
    add_end(json);
}

void sab_json_integer(sab_json *json, const char *key, long long value)
{
    add_start(json, key);
    ADD(json, "%lld", value);
    add_end(json);
}

void sab_json_string(sab_json *json, const char *key, const char *value)
{
    add_start(json, key);
    add_quoted(json, value);
    add_end(json);
}

void sab_json_bool(sab_json *json, const char *key, bool value)
{
    add_start(json, key);
    ADD(json, "%s", value ? "true" : "false");
    add_end(json);
}

sab_status sab_json_save(sab_json *json, const char *path, sab_error *err)
{
    if (json->status == SAB_ERR_MEMORY)
        return sab_fail(err, json->status, "out of memory while preparing '%s'", path);
    if (json->status != SAB_OK || json->depth != 0 || json->text.length == 0)
        return sab_fail(err, SAB_ERR_INTERNAL, "'%s' is not complete JSON", path);
    return sab_file_write_text(path, json->text.data, err);
}

void sab_json_destroy(sab_json *json)
{
    sab_text_destroy(&json->text);
    *json = (sab_json){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/yaml_tree.h"
#include "base/memory.h"

#include <string.h>
#include <strings.h>

/* The code point that begins at *text, which is moved behind it. The text came out of libyaml, so
 * it is valid UTF-8. */
static unsigned long next_point(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    const int more = c[0] < 0x80 ? 0 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : 3;
    unsigned long point = more == 0 ? c[0] : c[0] & (0x3fu >> more);

    for (int i = 1; i <= more && c[i] != '\0'; i++) {
        point = (point << 6) | (c[i] & 0x3fu);
        (*text)++;
    }
    (*text)++;
    return point;
}

/* What a double-quoted scalar cannot hold as it is: controls, and what counts as a line break. */
static bool needs_escape(unsigned long point)
{
    return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0x2028 || point == 0x2029 ||
           point == 0xfeff || point == 0xfffe || point == 0xffff;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

bool sab_yaml_is_ambiguous(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "~", "inf", "nan", NULL};

    return strchr("+-.0123456789", text[0]) != NULL || is_one_of(text, words);
}

sab_status sab_yaml_set_number(sab_yaml *node, const char *number, sab_error *err)
{
    const bool negative = number[0] == '-';
    const char *whole = number + strspn(number, "+-"), *point, *exponent, *digits;
    const char *sign = "";
    sab_text text = {0};
    sab_status status;

    whole += strspn(whole, "0");
    point = whole + strspn(whole, "0123456789");
    exponent = point + strcspn(point, "eE");
    digits = exponent + strspn(exponent, "eE");
    if (*digits != '\0')
        sign = *digits == '-' ? "-" : "+";
    digits += strspn(digits, "+-");
    const char *fraction = point + (*point == '.');
    const bool is_integer = *point == '\0', has_fraction = exponent > fraction;

    status = sab_text_add(&text, err, "%s%.*s%s%.*s%s%s%s", negative ? "-" : "",
                          point > whole ? (int)(point - whole) : 1, point > whole ? whole : "0",
                          is_integer ? "" : ".", has_fraction ? (int)(exponent - fraction) : 1,
                          is_integer     ? ""
                          : has_fraction ? fraction
                                         : "0",
                          *digits != '\0' ? "e" : "", sign, digits);
    if (status == SAB_OK) {
        SAB_FREE(node->text);
        node->text = text.data;
    }
    return status;
}

/* Safe without quotes in block and in flow: neither a sign of YAML nor an empty value, nor what
 * version 1.1 takes for a boolean (a case knows true and false only). */
static bool is_plain(const char *text)
{
    static const char *const booleans[] = {"y", "n", "yes", "no", "on", "off", NULL};

    return text[0] != '\0' && strcmp(text, "null") != 0 && !is_one_of(text, booleans) &&
           text[strspn(text, "-.")] != '\0' && /* -, --- and ... mean something */
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./+-") ==
               strlen(text);
}

sab_status sab_yaml_write_scalar(const char *scalar, bool quoted, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;

    if (!quoted && is_plain(scalar))
        return sab_text_add(text, err, "%s", scalar);
    SAB_TRY(sab_text_add(text, err, "\""));
    for (const char *c = scalar; *c != '\0';) {
        const char *begin = c;
        const unsigned long point = next_point(&c);

        if (point == '"' || point == '\\')
            SAB_TRY(sab_text_add(text, err, "\\%c", (char)point));
        else if (needs_escape(point))
            SAB_TRY(sab_text_add(text, err, "\\u%04lx", point));
        else
            SAB_TRY(sab_text_add(text, err, "%.*s", (int)(c - begin), begin));
    }
    SAB_TRY(sab_text_add(text, err, "\""));
cleanup:
    return status;
}

sab_status sab_yaml_write_key(const char *key, sab_text *text, sab_error *err)
{
    return sab_yaml_write_scalar(key, sab_yaml_is_ambiguous(key), text, err);
}

sab_status sab_yaml_write(const sab_yaml *node, sab_text *text, sab_error *err)
{
    sab_status status = SAB_OK;
    const bool map = node->kind == SAB_YAML_MAP;

    if (node->kind == SAB_YAML_SCALAR)
        return sab_yaml_write_scalar(node->text, node->quoted, text, err);
    SAB_TRY(sab_text_add(text, err, map ? "{" : "["));
    for (int i = 0; i < node->n; i++) {
        if (i > 0)
            SAB_TRY(sab_text_add(text, err, ", "));
        if (map) {
            SAB_TRY(sab_yaml_write_key(node->item[i]->key, text, err));
            SAB_TRY(sab_text_add(text, err, ": "));
        }
        SAB_TRY(sab_yaml_write(node->item[i], text, err));
    }
    SAB_TRY(sab_text_add(text, err, map ? "}" : "]"));
cleanup:
    return status;
}

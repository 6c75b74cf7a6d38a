/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/json.h -- a small JSON writer: nesting, commas, escapes; numbers with as many digits as it
 * takes to read back the same value (at most 17), NaN and infinity as null. Indented by two.
 *
 * Start with {0}. Strings are UTF-8; a byte that is not becomes U+FFFD, because one stray byte in
 * a file name must not make the whole summary unreadable. */
#ifndef SAB_IO_JSON_H
#define SAB_IO_JSON_H

#include "base/text.h"

enum { SAB_JSON_DEPTH = 16 };

typedef struct sab_json {
    sab_text text;
    int depth;
    bool first[SAB_JSON_DEPTH];
    sab_status status; /* sticky: the first failure is kept, later calls do nothing */
} sab_json;

void sab_json_begin_object(sab_json *json, const char *key); /* key NULL at the root, in arrays */
void sab_json_end_object(sab_json *json);
void sab_json_begin_array(sab_json *json, const char *key);
void sab_json_end_array(sab_json *json);
void sab_json_number(sab_json *json, const char *key, double value);
void sab_json_integer(sab_json *json, const char *key, long long value);
void sab_json_string(sab_json *json, const char *key, const char *value);
void sab_json_bool(sab_json *json, const char *key, bool value);
/* Write the finished text to a file, atomically. Fails with the sticky status if there is one, and
 * with SAB_ERR_INTERNAL if the text is not finished. */
sab_status sab_json_save(sab_json *json, const char *path, sab_error *err);
void sab_json_destroy(sab_json *json);

#endif

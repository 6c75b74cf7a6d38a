/* SPDX-License-Identifier: GPL-3.0-or-later */
/* base/text.h -- strict numbers, closest names, growing strings. */
#ifndef SAB_BASE_TEXT_H
#define SAB_BASE_TEXT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole of `text` as a finite decimal number (C locale): no hexadecimal, no nan, no inf, no
 * overflow, no trailing characters. false if it is not one. */
bool sab_parse_number(const char *text, double *value);
/* The whole of `text` as a decimal integer that fits an int. */
bool sab_parse_integer(const char *text, int *value);
/* The entry of `names` (n of them) closest to `word` (edit distance at most a third of the word's
 * length, at least 1, case ignored), or NULL when none is close enough to be suggested. */
const char *sab_closest_name(const char *word, const char *const *names, size_t n);

/* A string that grows. Start with {0}; free with sab_text_destroy. */
typedef struct sab_text {
    char *data; /* owned, zero-terminated, NULL while empty */
    size_t length, capacity;
} sab_text;

/* Append as printf does. SAB_ERR_MEMORY if it cannot grow. */
sab_status sab_text_add(sab_text *text, sab_error *err, const char *format, ...) SAB_PRINTF(3, 4);
void sab_text_destroy(sab_text *text);

/* FNV-1a (64 bits): a number that stands for some bytes. Begin with SAB_HASH. */
#define SAB_HASH UINT64_C(14695981039346656037)
uint64_t sab_hash(uint64_t hash, const void *data, size_t n);

#endif

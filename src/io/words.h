/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/words.h -- words of 8 bytes, little-endian on disk whatever the machine is; for io/ only. */
#ifndef SAB_IO_WORDS_H
#define SAB_IO_WORDS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t sab_real_to_word(double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double sab_word_to_real(uint64_t word)
{
    double value;

    memcpy(&value, &word, sizeof value);
    return value;
}

static inline void sab_word_to_bytes(uint64_t word, unsigned char *bytes)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i) & 255);
}

static inline uint64_t sab_bytes_to_word(const unsigned char *bytes)
{
    uint64_t word = 0;

    for (int i = 0; i < 8; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

#endif

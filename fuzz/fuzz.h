/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fuzz.h -- what the targets share: the input as a file, a promise that must hold. */
#ifndef SAB_FUZZ_H
#define SAB_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* The one function of a target, called by libFuzzer or by replay.c. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file with this content, in memory; its path is good until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);
/* Abort, with the words, unless it holds. */
void fuzz_promise(int holds, const char *words);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io/free_law.h -- a law that the user writes as a formula, "C*(x-k)^n", through points. */
#ifndef SAB_IO_FREE_LAW_H
#define SAB_IO_FREE_LAW_H

#include "base/least_squares.h"

#include <stddef.h>

typedef struct sab_free_law {
    char *text; /* owned, as `formula` */
    struct sab_formula *formula;
    sab_least_squares problem; /* its names and its data are those of the formula */
    bool chosen;               /* the user has given a start */
} sab_free_law;

/* `start` is NULL or "C=1,k=0", the others start at 1; `bootstrap` samples, 0: none. SAB_ERR_INPUT
 * if the text is no law, SAB_ERR_USAGE if `start` is wrong. The caller owns *law. */
sab_status sab_free_law_create(const char *text, const char *start, int bootstrap,
                               sab_free_law **law, sab_error *err);
void sab_free_law_destroy(sab_free_law **law);
/* Line number `i`, from 0, of the parameters as the terminal shows them, or "". Returns `buffer`.
 */
const char *sab_free_law_line(const sab_free_law *law, const sab_least_squares_fit *fit, int i,
                              char *buffer, size_t size);
/* Is it one law, and does it explain half of the variation? */
bool sab_free_law_sound(const sab_free_law *law, const sab_least_squares_fit *fit);
/* What a reader must know: "" or a sentence for each `i` from 0. Returns `buffer`. */
const char *sab_free_law_note(const sab_free_law *law, const sab_least_squares_fit *fit, int i,
                              char *buffer, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A formula: accepted or refused with a sentence; and its values are finite, or refused. */
#include "fuzz.h"
#include "io/formula.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_formula *formula = NULL;
    char *text = malloc(size + 1);
    double value = 0.0;

    memcpy(text, data, size);
    text[size] = '\0';
    if (sab_formula_create(text, "here", &sab_geometry_plane, true, &formula, &err) == SAB_OK) {
        const sab_function f = sab_formula_function(formula);

        for (int i = 0; i < 3; i++) {
            const sab_vars at = {.x = i - 1.0, .y = 0.3 * i, .t = i, .shear_rate = 2.0 - i};

            if (sab_function_at(&f, &at, &value, &err) == SAB_OK)
                fuzz_promise(isfinite(value), "a value is finite");
        }
    } else {
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    }
    sab_formula_destroy(&formula);
    free(text);
    return 0;
}

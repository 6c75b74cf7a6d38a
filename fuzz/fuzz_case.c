/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A case: what is accepted reads back from its resolved text to the same resolved text. */
#include "fuzz.h"
#include "base/memory.h"
#include "io/case.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_case *a = NULL, *b = NULL;
    sab_text ya = {0}, yb = {0};

    if (sab_case_read(fuzz_file(data, size), 0, NULL, &a, &err) == SAB_OK) {
        fuzz_promise(sab_case_resolved(a, &ya, &err) == SAB_OK, err.message);
        fuzz_promise(sab_case_read(fuzz_file((const uint8_t *)ya.data, ya.length), 0, NULL, &b,
                                   &err) == SAB_OK,
                     err.message);
        fuzz_promise(sab_case_resolved(b, &yb, &err) == SAB_OK, err.message);
        fuzz_promise(strcmp(ya.data, yb.data) == 0, "the resolved case reads back to itself");
    } else {
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    }
    sab_text_destroy(&ya);
    sab_text_destroy(&yb);
    sab_case_destroy(&a);
    sab_case_destroy(&b);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A study; and the case of its first point. Bases are found from the root of the sources, where the
 * targets run: base: /proc/self/cwd/cases/poiseuille. */
#include "fuzz.h"
#include "io/case.h"
#include "io/study.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_study *study = NULL;
    sab_case *c = NULL;

    if (sab_study_read(fuzz_file(data, size), &study, &err) == SAB_OK)
        (void)sab_study_case(study, 0, study->has_bracket ? "1" : NULL, &c, &err);
    else
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    sab_case_destroy(&c);
    sab_study_destroy(&study);
    return 0;
}

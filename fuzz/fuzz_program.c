/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cone program. The input is a file without its checksum, which is put behind it here: otherwise
 * nothing behind the checksum would ever be seen. What is accepted is written and read again. */
#include "fuzz.h"
#include "io/program_file.h"
#include "io/words.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_program *program = NULL;
    uint8_t *whole = malloc(size + 8);

    memcpy(whole, data, size);
    sab_word_to_bytes(crc32(crc32(0, NULL, 0), data, (uInt)size), whole + size);
    if (sab_program_read(fuzz_file(whole, size + 8), &program, &err) != SAB_OK)
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    sab_program_destroy(&program);
    free(whole);
    return 0;
}

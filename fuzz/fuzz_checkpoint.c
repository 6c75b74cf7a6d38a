/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checkpoint. All checksums are put right first, as far as the file can be followed, so that what
 * stands behind them is seen. */
#include "fuzz.h"
#include "io/checkpoint.h"
#include "io/words.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = 24, HEAD = SAB_BLOCK_NAME + 16 };

static void put_sum(uint8_t *bytes, size_t from, size_t to)
{
    sab_word_to_bytes(crc32(crc32(0, NULL, 0), bytes + from, (uInt)(to - from)), bytes + to);
}

static void mend(uint8_t *bytes, size_t size)
{
    size_t at = HEADER + 8;

    if (size < HEADER + 16)
        return;
    put_sum(bytes, 0, HEADER);
    while (size - at > HEAD + 16) {
        const uint64_t type = sab_bytes_to_word(bytes + at + SAB_BLOCK_NAME);
        const uint64_t count = sab_bytes_to_word(bytes + at + SAB_BLOCK_NAME + 8);
        const uint64_t length = type == SAB_CHECKPOINT_TEXT ? (count + 7) / 8 * 8 : 8 * count;

        if (count > size || length > size - at - HEAD - 16)
            break;
        put_sum(bytes, at, at + HEAD + (size_t)length);
        at += HEAD + (size_t)length + 8;
    }
    put_sum(bytes, 0, size - 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sab_error err = {0};
    sab_checkpoint *checkpoint = NULL;
    const sab_checkpoint_block *block;
    uint8_t *whole = malloc(size + 1);

    memcpy(whole, data, size);
    mend(whole, size);
    if (sab_checkpoint_read(fuzz_file(whole, size), &checkpoint, &err) == SAB_OK) {
        for (int i = 0; i < checkpoint->nblocks; i++) {
            const sab_checkpoint_block *b = &checkpoint->block[i];

            fuzz_promise(sab_checkpoint_get(checkpoint, b->name, b->type, SAB_ANY_COUNT, &block,
                                            &err) == SAB_OK ||
                             err.status == SAB_ERR_INPUT,
                         err.message);
            if (b->type == SAB_CHECKPOINT_TEXT)
                fuzz_promise(strlen(b->data) <= b->count, "a text ends");
        }
    } else {
        fuzz_promise(err.message[0] != '\0', "a refusal has a sentence");
    }
    sab_checkpoint_destroy(&checkpoint);
    free(whole);
    return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/checkpoint.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/file.h"
#include "io/words.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* version 1 knew nothing of boundary groups, 2 numbered nodes and elements as the mesh file does, 3
 * had steps of one length */
enum { OLDEST = 3, VERSION = 4, MOST_BLOCKS = 1000 };
enum { CHUNK = 4096 };                                  /* words converted at a time */
enum { HEADER = 3 * 8, HEAD = SAB_BLOCK_NAME + 2 * 8 }; /* bytes of the file's, of a block's */
static const char magic[8] = {'S', 'A', 'B', 'S', 'T', 'A', 'T', 'E'};

/* Bytes of the data of a block on disk: a text is filled up with zeros. */
static size_t padded(sab_checkpoint_type type, size_t count)
{
    return type == SAB_CHECKPOINT_TEXT ? (count + 7) / 8 * 8 : 8 * count;
}

/* --- writing ---------------------------------------------------------------------------------- */

typedef struct sums { /* checksums of what has passed: since the block began, and in all */
    uLong block, file;
} sums;

static void add(sums *sum, const unsigned char *bytes, size_t size)
{
    sum->block = crc32(sum->block, bytes, (uInt)size);
    sum->file = crc32(sum->file, bytes, (uInt)size);
}

static void put(FILE *out, sums *sum, const unsigned char *bytes, size_t size)
{
    add(sum, bytes, size);
    fwrite(bytes, 1, size, out); /* failures are caught by sab_file_close_keeping */
}

/* The checksum of the block, or of the header, which begins the next one anew. */
static void put_sum(FILE *out, sums *sum)
{
    unsigned char bytes[8];

    sab_word_to_bytes(sum->block, bytes);
    put(out, sum, bytes, 8);
    sum->block = crc32(0, NULL, 0);
}

/* `n` bytes of the data from byte `at`, as they are on disk. */
static void to_disk(const sab_checkpoint_block *b, size_t at, size_t n, unsigned char *bytes)
{
    if (b->type == SAB_CHECKPOINT_TEXT) {
        const size_t left = b->count - at < n ? b->count - at : n;

        memset(bytes, 0, n);
        memcpy(bytes, (const char *)b->data + at, left);
        return;
    }
    for (size_t i = 0; i < n / 8; i++)
        sab_word_to_bytes(b->type == SAB_CHECKPOINT_REAL
                              ? sab_real_to_word(((const double *)b->data)[at / 8 + i])
                              : (uint64_t)((const int64_t *)b->data)[at / 8 + i],
                          bytes + 8 * i);
}

static void put_block(FILE *out, sums *sum, const sab_checkpoint_block *b, unsigned char *bytes)
{
    const size_t size = padded(b->type, b->count);

    assert(strlen(b->name) < SAB_BLOCK_NAME);
    memset(bytes, 0, HEAD);
    memcpy(bytes, b->name, strlen(b->name));
    sab_word_to_bytes((uint64_t)b->type, bytes + SAB_BLOCK_NAME);
    sab_word_to_bytes((uint64_t)b->count, bytes + SAB_BLOCK_NAME + 8);
    put(out, sum, bytes, HEAD);
    for (size_t at = 0; at < size; at += 8 * CHUNK) {
        const size_t n = size - at < 8 * CHUNK ? size - at : 8 * CHUNK;

        to_disk(b, at, n, bytes);
        put(out, sum, bytes, n);
    }
    put_sum(out, sum);
}

sab_status sab_checkpoint_write(const char *path, const char *previous, int n,
                                const sab_checkpoint_block *block, sab_error *err)
{
    sab_status status = SAB_OK;
    sums sum = {.block = crc32(0, NULL, 0), .file = crc32(0, NULL, 0)};
    unsigned char *bytes = NULL;
    sab_file file = {0};

    SAB_NEW(bytes, 8 * CHUNK);
    SAB_TRY(sab_file_open(path, &file, err));
    memcpy(bytes, magic, 8);
    sab_word_to_bytes(VERSION, bytes + 8);
    sab_word_to_bytes((uint64_t)n, bytes + 16);
    put(file.stream, &sum, bytes, HEADER);
    put_sum(file.stream, &sum);
    for (int i = 0; i < n; i++)
        put_block(file.stream, &sum, &block[i], bytes);
    sab_word_to_bytes(sum.file, bytes);
    put(file.stream, &sum, bytes, 8);
    status = sab_file_close_keeping(&file, previous, err);
cleanup:
    sab_file_abort(&file);
    SAB_FREE(bytes);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct source {
    FILE *in;
    uint64_t left; /* bytes of the file behind those read */
    sums sum;
} source;

static sab_status get(source *s, unsigned char *bytes, size_t size, sab_error *err)
{
    if (size > s->left || fread(bytes, 1, size, s->in) != size)
        return sab_fail(err, SAB_ERR_INPUT, "%s",
                        ferror(s->in) ? strerror(errno) : "the file ends too early");
    s->left -= size;
    add(&s->sum, bytes, size);
    return SAB_OK;
}

static sab_status get_sum(source *s, const char *what, sab_error *err)
{
    const uLong wanted = s->sum.block;
    unsigned char bytes[8];
    const sab_status status = get(s, bytes, 8, err);

    if (status == SAB_OK && sab_bytes_to_word(bytes) != wanted)
        return sab_fail(err, SAB_ERR_INPUT, "the checksum of %s is wrong: the file is damaged",
                        what);
    s->sum.block = crc32(0, NULL, 0);
    return status;
}

static sab_status get_header(source *s, int *nblocks, sab_error *err)
{
    sab_status status = SAB_OK;
    unsigned char bytes[HEADER];

    if (s->left < 8 || get(s, bytes, 8, err) != SAB_OK || memcmp(bytes, magic, 8) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "it does not begin with %.8s", magic);
    SAB_TRY(get(s, bytes + 8, HEADER - 8, err));
    SAB_TRY(get_sum(s, "its header", err));
    const uint64_t version = sab_bytes_to_word(bytes + 8), n = sab_bytes_to_word(bytes + 16);
    if (version < OLDEST || version > VERSION)
        return sab_fail(err, SAB_ERR_INPUT,
                        "it has version %" PRIu64 " of the format, this program reads %d and %d: "
                        "go on with the program that wrote it (block 'version'), or start anew",
                        version, OLDEST, VERSION);
    if (n > MOST_BLOCKS)
        return sab_fail(err, SAB_ERR_INPUT, "it has %" PRIu64 " blocks, more than %d", n,
                        MOST_BLOCKS);
    *nblocks = (int)n;
cleanup:
    return status;
}

static void from_disk(sab_checkpoint_type type, size_t at, size_t n, const unsigned char *bytes,
                      void *data)
{
    if (type == SAB_CHECKPOINT_TEXT)
        memcpy((char *)data + at, bytes, n);
    else
        for (size_t i = 0; i < n / 8; i++) {
            const uint64_t word = sab_bytes_to_word(bytes + 8 * i);

            if (type == SAB_CHECKPOINT_REAL)
                ((double *)data)[at / 8 + i] = sab_word_to_real(word);
            else
                ((int64_t *)data)[at / 8 + i] = (int64_t)word;
        }
}

/* One block, whose name and data are allocated: the count is compared with the file before. */
static sab_status get_block(source *s, sab_checkpoint_block *b, unsigned char *bytes,
                            sab_error *err)
{
    sab_status status = SAB_OK;
    char *name = NULL, *data = NULL;
    char what[SAB_BLOCK_NAME + 16];

    SAB_TRY(get(s, bytes, HEAD, err));
    const uint64_t type = sab_bytes_to_word(bytes + SAB_BLOCK_NAME);
    const uint64_t count = sab_bytes_to_word(bytes + SAB_BLOCK_NAME + 8);
    if (memchr(bytes, 0, SAB_BLOCK_NAME) == NULL || type > SAB_CHECKPOINT_TEXT) {
        status = sab_fail(err, SAB_ERR_INPUT, "the head of a block is damaged");
        goto cleanup;
    }
    snprintf(what, sizeof what, "block '%s'", (const char *)bytes);
    if (count > (type == SAB_CHECKPOINT_TEXT ? s->left : s->left / 8)) {
        status = sab_fail(err, SAB_ERR_INPUT,
                          "%s has %" PRIu64 " items, more than the file can hold", what, count);
        goto cleanup;
    }
    const size_t size = padded((sab_checkpoint_type)type, (size_t)count);
    name = sab_strdup((const char *)bytes);
    if (name == NULL) {
        status = sab_fail(err, SAB_ERR_MEMORY, "out of memory: %s", what);
        goto cleanup;
    }
    SAB_NEW(data, size + 8); /* a text has a zero behind it, an empty array an address */
    for (size_t at = 0; at < size; at += 8 * CHUNK) {
        const size_t n = size - at < 8 * CHUNK ? size - at : 8 * CHUNK;

        SAB_TRY(get(s, bytes, n, err));
        from_disk((sab_checkpoint_type)type, at, n, bytes, data);
    }
    SAB_TRY(get_sum(s, what, err));
    data[type == SAB_CHECKPOINT_TEXT ? count : size] = '\0'; /* whatever it was filled up with */
    *b = (sab_checkpoint_block){name, (sab_checkpoint_type)type, (size_t)count, data};
    name = data = NULL;
cleanup:
    SAB_FREE(name);
    SAB_FREE(data);
    return status;
}

static sab_status get_end(source *s, sab_error *err)
{
    const uLong wanted = s->sum.file;
    unsigned char bytes[8];
    const sab_status status = get(s, bytes, 8, err);

    if (status != SAB_OK)
        return status;
    if (sab_bytes_to_word(bytes) != wanted)
        return sab_fail(err, SAB_ERR_INPUT, "its checksum is wrong: the file is damaged");
    if (s->left != 0)
        return sab_fail(err, SAB_ERR_INPUT, "the file is longer than its header says");
    return SAB_OK;
}

sab_status sab_checkpoint_read(const char *path, sab_checkpoint **checkpoint, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_checkpoint *c = NULL;
    unsigned char *bytes = NULL;
    source s = {.sum = {.block = crc32(0, NULL, 0), .file = crc32(0, NULL, 0)}};
    int nblocks = 0;
    long long size;
    sab_error why;

    *checkpoint = NULL;
    status = sab_input_open(path, &s.in, &size, &why);
    if (status != SAB_OK)
        return sab_fail(err, status, "cannot open checkpoint '%s': %s", path, why.message);
    s.left = (uint64_t)size;
    SAB_NEW(bytes, 8 * CHUNK);
    SAB_TRY(get_header(&s, &nblocks, err));
    SAB_NEW(c, 1);
    SAB_NEW(c->block, nblocks);
    for (; c->nblocks < nblocks; c->nblocks++)
        SAB_TRY(get_block(&s, &c->block[c->nblocks], bytes, err));
    SAB_TRY(get_end(&s, err));
    *checkpoint = c;
    c = NULL;
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "while reading checkpoint '%s'", path);
    sab_checkpoint_destroy(&c);
    SAB_FREE(bytes);
    fclose(s.in);
    return status;
}

void sab_checkpoint_destroy(sab_checkpoint **checkpoint)
{
    sab_checkpoint *c = *checkpoint;

    if (c == NULL)
        return;
    for (int i = 0; i < c->nblocks; i++) { /* both allocated by get_block */
        sab_free((void *)c->block[i].name);
        sab_free((void *)c->block[i].data);
    }
    SAB_FREE(c->block);
    SAB_FREE(*checkpoint);
}

sab_status sab_checkpoint_get(const sab_checkpoint *c, const char *name, sab_checkpoint_type type,
                              size_t count, const sab_checkpoint_block **block, sab_error *err)
{
    for (int i = 0; i < c->nblocks; i++) {
        const sab_checkpoint_block *b = &c->block[i];

        if (strcmp(b->name, name) != 0)
            continue;
        if (b->type != type || (count != SAB_ANY_COUNT && b->count != count))
            return sab_fail(err, SAB_ERR_INPUT,
                            "its block '%s' is not as expected: %zu items of type %d", name,
                            b->count, (int)b->type);
        *block = b;
        return SAB_OK;
    }
    return sab_fail(err, SAB_ERR_INPUT, "it has no block '%s'", name);
}

/* --- meshes ----------------------------------------------------------------------------------- */

static uint64_t hash_word(uint64_t hash, uint64_t word)
{
    unsigned char byte[8];

    for (int i = 0; i < 8; i++)
        byte[i] = (unsigned char)(word >> (8 * i) & 255);
    return sab_hash(hash, byte, sizeof byte);
}

uint64_t sab_mesh_hash(const sab_mesh *mesh)
{
    uint64_t hash = SAB_HASH;

    for (size_t i = 0; i < (size_t)mesh->nnodes * (size_t)mesh->cell->dim; i++)
        hash = hash_word(hash, sab_real_to_word(mesh->x[i]));
    for (size_t i = 0; i < (size_t)mesh->nelements * (size_t)mesh->cell->nodes; i++)
        hash = hash_word(hash, (uint64_t)mesh->element[i]);
    return hash;
}

uint64_t sab_mesh_group_hash(const sab_mesh *mesh)
{
    const int nodes = mesh->cell->facet->nodes;
    uint64_t hash = hash_word(SAB_HASH, (uint64_t)mesh->ngroups);

    for (int g = 0; g < mesh->ngroups; g++) {
        const sab_mesh_group *group = &mesh->group[g];

        for (const char *c = group->name; *c != '\0'; c++)
            hash = hash_word(hash, (unsigned char)*c);
        hash = hash_word(hash, (uint64_t)group->tag);
        hash = hash_word(hash, (uint64_t)group->nfacets);
        for (int i = 0; i < nodes * group->nfacets; i++)
            hash =
                hash_word(hash, (uint64_t)sab_mesh_facet(mesh, group->facet[i / nodes])[i % nodes]);
    }
    return hash;
}

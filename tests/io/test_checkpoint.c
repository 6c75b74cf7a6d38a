/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io_test.h"

#include "io/checkpoint.h"

#include <math.h>
#include <stdint.h>
#include <zlib.h>

/* Blocks of each type, empty ones too, and one larger than a buffer. */
enum { LARGE = 10000 };
static double large[LARGE];
static const double reals[] = {0.1, -0.0, 1e-310, INFINITY, -1.0 / 3.0};
static const int64_t integers[] = {0, -1, INT64_MAX, INT64_MIN};
static const sab_checkpoint_block blocks[] = {
    {"case", SAB_CHECKPOINT_TEXT, 11, "title: x\n\n\n"},
    {"reals", SAB_CHECKPOINT_REAL, 5, reals},
    {"nothing", SAB_CHECKPOINT_REAL, 0, reals},
    {"integers", SAB_CHECKPOINT_INTEGER, 4, integers},
    {"empty", SAB_CHECKPOINT_TEXT, 0, ""},
    {"eight", SAB_CHECKPOINT_TEXT, 8, "12345678"}, /* no padding */
    {"a name of 23 characters", SAB_CHECKPOINT_REAL, LARGE, large},
};
enum { SMALL = 6, ALL = 7 };

static void assert_same(const sab_checkpoint *c, int n)
{
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(c->nblocks, n);
    for (int i = 0; i < n; i++) {
        const size_t size = blocks[i].type == SAB_CHECKPOINT_TEXT ? 1 : 8;
        const sab_checkpoint_block *b = NULL;

        CU_ASSERT_EQUAL_FATAL(
            sab_checkpoint_get(c, blocks[i].name, blocks[i].type, blocks[i].count, &b, &err),
            SAB_OK);
        CU_ASSERT_EQUAL(memcmp(b->data, blocks[i].data, size * b->count), 0);
        if (size == 1)
            CU_ASSERT_EQUAL(((const char *)b->data)[b->count], '\0');
    }
}

static void test_round_trip(void)
{
    const char *names[] = {"a.sab", "b.sab"};
    sab_checkpoint *c = NULL;
    sab_error err = {0};
    const sab_checkpoint_block *b;

    scratch_create();
    for (int i = 0; i < LARGE; i++)
        large[i] = 1.0 / (i + 1);
    const char *path = scratch_path(names[0]), *previous = scratch_path(names[1]);
    CU_ASSERT_EQUAL(sab_checkpoint_write(path, previous, 0, blocks, &err), SAB_OK);
    CU_ASSERT_EQUAL(count_files(scratch), 1); /* there was none to be kept */
    CU_ASSERT_EQUAL(sab_checkpoint_write(path, previous, ALL, blocks, &err), SAB_OK);
    CU_ASSERT_EQUAL(count_files(scratch), 2);
    CU_ASSERT_EQUAL_FATAL(sab_checkpoint_read(path, &c, &err), SAB_OK);
    assert_same(c, ALL);
    CU_ASSERT_EQUAL(sab_checkpoint_get(c, "none", SAB_CHECKPOINT_REAL, 0, &b, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no block 'none'"));
    CU_ASSERT_EQUAL(sab_checkpoint_get(c, "reals", SAB_CHECKPOINT_REAL, 4, &b, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_checkpoint_get(c, "reals", SAB_CHECKPOINT_TEXT, 5, &b, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_checkpoint_get(c, "reals", SAB_CHECKPOINT_REAL, SAB_ANY_COUNT, &b, &err),
                    SAB_OK);
    sab_checkpoint_destroy(&c);
    CU_ASSERT_PTR_NULL(c);
    CU_ASSERT_EQUAL_FATAL(sab_checkpoint_read(previous, &c, &err), SAB_OK);
    assert_same(c, 0);
    sab_checkpoint_destroy(&c);
    remove(path);
    remove(previous);
    scratch_remove();
}

/* A file in memory, to be damaged. */
typedef struct image {
    unsigned char *byte;
    size_t size;
} image;

static image make_image(void)
{
    const char *path = scratch_path("image.sab");
    image im;

    CU_ASSERT_EQUAL_FATAL(sab_checkpoint_write(path, NULL, SMALL, blocks, NULL), SAB_OK);
    im.byte = (unsigned char *)slurp(path, &im.size);
    remove(path);
    return im;
}

/* Reading the first `size` bytes is refused with SAB_ERR_INPUT, and a sentence that has `word`. */
static void assert_refused(const image *im, size_t size, const char *word)
{
    const char *path = scratch_path("bad.sab");
    sab_error err = {0};
    sab_checkpoint *c = (sab_checkpoint *)&err; /* must be overwritten */

    spit(path, im->byte, size);
    sab_memory.largest = 0;
    CU_ASSERT_EQUAL(sab_checkpoint_read(path, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(c);
    CU_ASSERT(sab_memory.largest <= (1 << 16) + im->size);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "while reading checkpoint"));
    if (word != NULL && strstr(err.message, word) == NULL) {
        printf("\n    '%s' has not '%s'\n", err.message, word);
        CU_FAIL("message");
    }
    sab_checkpoint_destroy(&c);
    remove(path);
}

static void test_truncated(void)
{
    scratch_create();
    image im = make_image();
    for (size_t size = 0; size < im.size; size++)
        assert_refused(&im, size, NULL);
    assert_refused(&im, im.size - 1, "ends too early");
    image longer = {realloc(im.byte, im.size + 8), im.size + 8};
    CU_ASSERT_PTR_NOT_NULL_FATAL(longer.byte);
    memset(longer.byte + im.size, 0, 8);
    for (size_t more = 1; more <= 8; more++)
        assert_refused(&longer, im.size + more, "longer");
    free(longer.byte);
    scratch_remove();
}

static void test_damaged(void)
{
    scratch_create();
    image im = make_image();
    for (size_t i = 0; i < im.size; i++)
        for (int k = 0; k < 9; k++) { /* each bit, and all of a byte */
            const unsigned char mask = (unsigned char)(k < 8 ? 1 << k : 255);

            im.byte[i] ^= mask;
            assert_refused(&im, im.size, NULL);
            im.byte[i] ^= mask;
        }
    free(im.byte);
    scratch_remove();
}

static void set_word(image *im, size_t byte, int64_t value)
{
    memcpy(im->byte + byte, &value, 8); /* this test runs on little-endian machines */
}

static void set_sum(image *im, size_t from, size_t to)
{
    set_word(im, to, (int64_t)crc32(crc32(0, NULL, 0), im->byte + from, (uInt)(to - from)));
}

/* Numbers that no file can hold, with checksums that fit: refused before they are allocated. */
static void test_absurd_counts(void)
{
    static const int64_t absurd[] = {-1,           INT32_MAX,        (int64_t)1 << 32, INT64_MAX,
                                     INT64_MIN,    (int64_t)1 << 40, (int64_t)1 << 61, 1001,
                                     INT64_MAX / 8};
    enum {
        HEADER_SUM = 24,
        BLOCK = 32,
        TYPE = BLOCK + 24,
        COUNT = BLOCK + 32,
        DATA = BLOCK + 40,
        BLOCK_SUM = DATA + 16
    };

    scratch_create();
    image im = make_image();
    for (size_t k = 0; k < sizeof absurd / sizeof absurd[0]; k++) {
        set_word(&im, 16, absurd[k]);
        set_sum(&im, 0, HEADER_SUM);
        set_sum(&im, 0, im.size - 8);
        assert_refused(&im, im.size, "blocks");
        set_word(&im, 16, SMALL);
        set_sum(&im, 0, HEADER_SUM);
        set_word(&im, COUNT, absurd[k]);
        set_sum(&im, BLOCK, BLOCK_SUM);
        set_sum(&im, 0, im.size - 8);
        assert_refused(&im, im.size, "block 'case' has");
        set_word(&im, COUNT, 11);
        set_sum(&im, BLOCK, BLOCK_SUM);
    }
    set_word(&im, TYPE, 3);
    assert_refused(&im, im.size, "head of a block");
    set_word(&im, TYPE, SAB_CHECKPOINT_TEXT);
    memset(im.byte + BLOCK, 'x', SAB_BLOCK_NAME); /* a name without end */
    assert_refused(&im, im.size, "head of a block");
    set_word(&im, 8, 1); /* of before the boundary groups */
    set_sum(&im, 0, HEADER_SUM);
    assert_refused(&im, im.size, "it has version 1 of the format, this program reads 3 and 4");
    free(im.byte);
    scratch_remove();
}

static void test_bad_paths(void)
{
    sab_checkpoint *c = NULL;
    sab_error err = {0};

    scratch_create();
    CU_ASSERT_EQUAL(sab_checkpoint_read(scratch_path("none.sab"), &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No such file"));
    CU_ASSERT_EQUAL(sab_checkpoint_read(scratch, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "regular file"));
    CU_ASSERT_EQUAL(sab_checkpoint_write(scratch_path("no/a.sab"), NULL, SMALL, blocks, &err),
                    SAB_ERR_IO);
    scratch_remove();
}

/* The disk is full: the older checkpoints stay as they were. */
static void test_full_disk(void)
{
    sab_checkpoint *c = NULL;
    sab_error err = {0};

    if (!scratch_mount("size=64k"))
        return;
    const char *path = scratch_path("a.sab"), *previous = scratch_path("b.sab");
    CU_ASSERT_EQUAL(sab_checkpoint_write(path, previous, 0, blocks, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_checkpoint_write(path, previous, SMALL, blocks, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_checkpoint_write(path, previous, ALL, blocks, &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No space left"));
    CU_ASSERT_EQUAL(count_files(scratch), 2);
    CU_ASSERT_EQUAL_FATAL(sab_checkpoint_read(path, &c, &err), SAB_OK);
    assert_same(c, SMALL);
    sab_checkpoint_destroy(&c);
    CU_ASSERT_EQUAL_FATAL(sab_checkpoint_read(previous, &c, &err), SAB_OK);
    assert_same(c, 0);
    sab_checkpoint_destroy(&c);
    scratch_unmount();
}

static void test_out_of_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;
    int failures = -1;

    scratch_create();
    const char *path = scratch_path("a.sab");
    for (int k = 0; status != SAB_OK && k < 100; k++) {
        sab_memory.failing = k;
        status = sab_checkpoint_write(path, NULL, SMALL, blocks, NULL);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT_EQUAL(count_files(scratch), status == SAB_OK);
        failures++;
    }
    CU_ASSERT_EQUAL(failures, 4);
    status = SAB_ERR_MEMORY;
    failures = -1;
    for (int k = 0; status != SAB_OK && k < 100; k++) {
        sab_checkpoint *c = NULL;

        sab_memory.failing = k;
        status = sab_checkpoint_read(path, &c, NULL);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT((c != NULL) == (status == SAB_OK));
        sab_checkpoint_destroy(&c);
        failures++;
    }
    CU_ASSERT(failures >= 3 + SMALL);
    sab_memory.failing = -1;
    remove(path);
    scratch_remove();
}

/* The hash sees each coordinate and each node of an element, and nothing else. */
static void test_mesh_hash(void)
{
    double x[] = {0, 0, 1, 0, 0, 1, 0.5, 0, 0.5, 0.5, 0, 0.5};
    int element[] = {0, 1, 2, 3, 4, 5};
    const sab_mesh mesh = {
        .cell = &sab_cell_triangle, .nnodes = 6, .x = x, .nelements = 1, .element = element};
    const uint64_t hash = sab_mesh_hash(&mesh);

    CU_ASSERT_EQUAL(sab_mesh_hash(&mesh), hash);
    for (int i = 0; i < 12; i++) {
        const double old = x[i];

        x[i] = nextafter(old, 2.0);
        CU_ASSERT_NOT_EQUAL(sab_mesh_hash(&mesh), hash);
        x[i] = old;
    }
    for (int i = 0; i < 6; i++) {
        element[i]++;
        CU_ASSERT_NOT_EQUAL(sab_mesh_hash(&mesh), hash);
        element[i]--;
    }
    const sab_mesh empty = {.cell = &sab_cell_triangle};
    CU_ASSERT_EQUAL(sab_mesh_hash(&empty), UINT64_C(0xcbf29ce484222325)); /* FNV-1a of nothing */
}

/* That of the groups sees each side, name and number, and their order. */
static void test_group_hash(void)
{
    int facet[] = {0, 1, 3, 1, 2, 4, 2, 0, 5}, of[] = {0, 1, 2};
    char name[2][4] = {"in", "out"};
    sab_mesh_group group[] = {{name[0], 1, 1, of}, {name[1], 2, 2, of + 1}};
    sab_mesh mesh = {
        .cell = &sab_cell_triangle, .nfacets = 3, .facet = facet, .ngroups = 2, .group = group};
    const uint64_t hash = sab_mesh_group_hash(&mesh);

    CU_ASSERT_EQUAL(sab_mesh_group_hash(&mesh), hash);
    group[0].nfacets = 2; /* a side changes hands */
    group[1] = (sab_mesh_group){name[1], 2, 1, of + 2};
    CU_ASSERT_NOT_EQUAL(sab_mesh_group_hash(&mesh), hash);
    group[0].nfacets = 1;
    group[1] = (sab_mesh_group){name[1], 2, 2, of + 1};
    CU_ASSERT_EQUAL(sab_mesh_group_hash(&mesh), hash);
    for (int i = 0; i < 9; i++) {
        facet[i]++;
        CU_ASSERT_NOT_EQUAL(sab_mesh_group_hash(&mesh), hash);
        facet[i]--;
    }
    name[1][0]++;
    CU_ASSERT_NOT_EQUAL(sab_mesh_group_hash(&mesh), hash);
    name[1][0]--;
    group[1].tag++;
    CU_ASSERT_NOT_EQUAL(sab_mesh_group_hash(&mesh), hash);
    group[1].tag--;
    mesh.ngroups = 1;
    CU_ASSERT_NOT_EQUAL(sab_mesh_group_hash(&mesh), hash);
}

int main(void)
{
    static const sab_test tests[] = {
        {"bit for bit", test_round_trip},       {"cut anywhere", test_truncated},
        {"damaged anywhere", test_damaged},     {"absurd counts", test_absurd_counts},
        {"bad paths", test_bad_paths},          {"full disk", test_full_disk},
        {"out of memory", test_out_of_memory},  {"hash of a mesh", test_mesh_hash},
        {"hash of its groups", test_group_hash}};

    return SAB_TEST_MAIN("io/checkpoint", tests);
}

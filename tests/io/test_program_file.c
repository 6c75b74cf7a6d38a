/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io_test.h"

#include "base/memory.h"
#include "io/program_file.h"

#include <math.h>
#include <stdint.h>
#include <zlib.h>

/* Plane strain on a strip of `nblocks` elements that share two unknowns with the next. The numbers
 * are random: what matters here is that each of them comes back. */
static sab_status make_program(int nblocks, sab_program **program, sab_error *err)
{
    enum { POINTS = 3, COLUMNS = 12, S = 3 };
    const int npoints = POINTS * nblocks, n = 10 * nblocks + 2;
    unsigned long long state = 11;
    sab_status status = SAB_OK;
    sab_program *p = NULL;

    *program = NULL;
    SAB_TRY(sab_program_create(S, npoints, n, &p, err));
    SAB_TRY(sab_blocks_create(S, npoints, n, nblocks, COLUMNS * nblocks,
                              S * POINTS * COLUMNS * nblocks, &p->B, err));
    for (int e = 0; e <= nblocks; e++) {
        p->B->point[e] = POINTS * e;
        p->B->column_start[e] = COLUMNS * e;
        p->B->value_start[e] = S * POINTS * COLUMNS * e;
    }
    for (int i = 0; i < COLUMNS * nblocks; i++)
        p->B->column[i] = i / COLUMNS * 10 + i % COLUMNS;
    for (int i = 0; i < S * POINTS * COLUMNS * nblocks; i++)
        p->B->value[i] = sab_test_random(&state) - 0.5;
    SAB_TRY(sab_blocks_pattern(p->B, true, &p->A, err));
    for (int64_t i = 0; i < p->A->start[n]; i++)
        p->A->value[i] = sab_test_random(&state) / 3.0;
    /* signs of zero and denormals count too */
    for (int i = 0; i < n; i++)
        p->l[i] = i % 5 == 0 ? -0.0 : i == 1 ? 1.0 : 1e-310 * i;
    for (int i = 0; i < S * npoints; i++)
        p->k[i] = sab_test_random(&state);
    for (int q = 0; q < npoints; q++) {
        p->weight[q] = 0.1 + sab_test_random(&state);
        p->viscosity[q] = p->slope[q] = sab_test_random(&state);
        p->r[q] = 0.1 + sab_test_random(&state);
        p->friction[q] = 0.5 + sab_test_random(&state);
        p->yield[q] = sab_test_random(&state);
        p->dilatancy[q] = 0.5 * sab_test_random(&state);
    }
    p->bulk = 0.7;
    p->r_is_safe = true;
    *program = p;
    p = NULL;
cleanup:
    sab_program_destroy(&p);
    return status;
}

/* Make it a time step of a rate law whose last point slips along a wall: all that is optional. */
static sab_status add_all(sab_program *p, sab_error *err)
{
    const int last = p->npoints - 1, e = p->B->nblocks - 1;
    const sab_point_range range[] = {{SAB_POINTS_STRAIN, 0, last, 3},
                                     {SAB_POINTS_WALL, last, 1, 2}};
    double *row = p->B->value + p->B->value_start[e] + 8 * 12; /* the last of the point */
    sab_status status = SAB_OK;

    p->inertial = p->rated = true;
    p->r_is_safe = false;
    SAB_NEW(p->carried, p->n);
    for (int i = 0; i < p->n; i++)
        p->carried[i] = 0.25 * i;
    SAB_NEW(p->direction, p->n);
    for (int i = 0; i < p->n; i++)
        p->direction[i] = i % 4;
    SAB_TRY(sab_program_add_slack(p, err));
    for (int q = 0; q < p->npoints; q++) {
        p->slope[q] *= 0.5;
        p->slack[q] = 0.1 * q;
    }
    for (int i = 0; i < 12; i++)
        row[i] = 0.0;
    p->k[3 * last + 2] = 0.0;
    SAB_TRY(sab_program_set_ranges(p, 2, range, err));
cleanup:
    return status;
}

static sab_program *new_program(int nblocks)
{
    sab_error err = {0};
    sab_program *p = NULL;

    CU_ASSERT_EQUAL_FATAL(make_program(nblocks, &p, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_OK);
    return p;
}

#define ASSERT_SAME(a, b, n) CU_ASSERT_EQUAL(memcmp((a), (b), (size_t)(n) * sizeof *(a)), 0)

static void assert_equal_programs(const sab_program *p, const sab_program *q)
{
    const int64_t entries = p->A->start[p->n], columns = p->B->column_start[p->B->nblocks];
    const int64_t values = p->B->value_start[p->B->nblocks];

    CU_ASSERT_EQUAL_FATAL(p->s, q->s);
    CU_ASSERT_EQUAL_FATAL(p->npoints, q->npoints);
    CU_ASSERT_EQUAL_FATAL(p->n, q->n);
    CU_ASSERT_EQUAL_FATAL(p->B->nblocks, q->B->nblocks);
    CU_ASSERT_EQUAL(p->bulk, q->bulk);
    CU_ASSERT_EQUAL(p->r_is_safe, q->r_is_safe);
    CU_ASSERT_EQUAL(p->inertial, q->inertial);
    CU_ASSERT_EQUAL(p->rated, q->rated);
    CU_ASSERT_EQUAL_FATAL(p->nranges, q->nranges);
    ASSERT_SAME(p->range, q->range, p->nranges);
    CU_ASSERT_EQUAL_FATAL(p->carried != NULL, q->carried != NULL);
    if (p->carried != NULL)
        ASSERT_SAME(p->carried, q->carried, p->n);
    ASSERT_SAME(p->slope, q->slope, p->npoints);
    CU_ASSERT_EQUAL_FATAL(p->slack != NULL, q->slack != NULL);
    if (p->slack != NULL)
        ASSERT_SAME(p->slack, q->slack, p->npoints);
    CU_ASSERT_EQUAL_FATAL(p->direction != NULL, q->direction != NULL);
    if (p->direction != NULL)
        ASSERT_SAME(p->direction, q->direction, p->n);
    CU_ASSERT_EQUAL(p->A->n, q->A->n);
    CU_ASSERT_EQUAL(p->A->symmetric, q->A->symmetric);
    CU_ASSERT_EQUAL(p->B->s, q->B->s);
    CU_ASSERT_EQUAL(p->B->npoints, q->B->npoints);
    CU_ASSERT_EQUAL(p->B->ncolumns, q->B->ncolumns);
    ASSERT_SAME(p->l, q->l, p->n);
    ASSERT_SAME(p->k, q->k, p->s * p->npoints);
    ASSERT_SAME(p->weight, q->weight, p->npoints);
    ASSERT_SAME(p->viscosity, q->viscosity, p->npoints);
    ASSERT_SAME(p->r, q->r, p->npoints);
    ASSERT_SAME(p->friction, q->friction, p->npoints);
    ASSERT_SAME(p->yield, q->yield, p->npoints);
    ASSERT_SAME(p->dilatancy, q->dilatancy, p->npoints);
    ASSERT_SAME(p->A->start, q->A->start, p->n + 1);
    ASSERT_SAME(p->A->row, q->A->row, entries);
    ASSERT_SAME(p->A->value, q->A->value, entries);
    ASSERT_SAME(p->B->point, q->B->point, p->B->nblocks + 1);
    ASSERT_SAME(p->B->column_start, q->B->column_start, p->B->nblocks + 1);
    ASSERT_SAME(p->B->column, q->B->column, columns);
    ASSERT_SAME(p->B->value_start, q->B->value_start, p->B->nblocks + 1);
    ASSERT_SAME(p->B->value, q->B->value, values);
}

static void test_round_trip(void)
{
    static const int sizes[] = {1, 2, 200}; /* the last is larger than one buffer */

    scratch_create();
    for (int k = 0; k < 6; k++) {
        const char *path = scratch_path("a.sabp");
        sab_program *p = new_program(sizes[k % 3]), *q = NULL;
        sab_error err = {0};

        p->r_is_safe = k % 2 == 0;
        if (k >= 3)
            CU_ASSERT_EQUAL(add_all(p, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_program_write(path, p, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_program_read(path, &q, &err), SAB_OK);
        CU_ASSERT_STRING_EQUAL(err.message, "");
        CU_ASSERT_PTR_NOT_NULL_FATAL(q);
        assert_equal_programs(p, q);
        CU_ASSERT_EQUAL(count_files(scratch), 1);
        remove(path);
        sab_program_destroy(&p);
        sab_program_destroy(&q);
    }
    scratch_remove();
}

/* A file in memory, to be damaged. */
typedef struct image {
    unsigned char *byte;
    size_t size;
} image;

static image make_image(int nblocks, bool all)
{
    sab_program *p = new_program(nblocks);
    const char *path = scratch_path("image.sabp");
    image im;

    if (all)
        CU_ASSERT_EQUAL_FATAL(add_all(p, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_program_write(path, p, NULL), SAB_OK);
    im.byte = (unsigned char *)slurp(path, &im.size);
    remove(path);
    sab_program_destroy(&p);
    return im;
}

static void set_word(image *im, size_t index, int64_t value)
{
    memcpy(im->byte + 8 * index, &value, 8); /* this test runs on little-endian machines */
}

static int64_t get_word(const image *im, size_t index)
{
    int64_t value;

    memcpy(&value, im->byte + 8 * index, 8);
    return value;
}

static void set_crc(image *im)
{
    set_word(im, im->size / 8 - 1,
             (int64_t)crc32(crc32(0, NULL, 0), im->byte, (uInt)(im->size - 8)));
}

/* Reading the first `size` bytes is refused with SAB_ERR_INPUT, and a sentence that has `word`. */
static void assert_refused(const image *im, size_t size, const char *word)
{
    const char *path = scratch_path("bad.sabp");
    sab_error err = {0};
    sab_program *p = (sab_program *)&err; /* must be overwritten */

    spit(path, im->byte, size);
    sab_memory.largest = 0;
    CU_ASSERT_EQUAL(sab_program_read(path, &p, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(p);
    CU_ASSERT(sab_memory.largest <= (1 << 16) + 2 * im->size);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "while reading cone program"));
    if (word != NULL && strstr(err.message, word) == NULL) {
        printf("\n    '%s' has not '%s'\n", err.message, word);
        CU_FAIL("message");
    }
    sab_program_destroy(&p);
    remove(path);
}

static void test_truncated(void)
{
    scratch_create();
    image im = make_image(2, true);
    for (size_t size = 0; size < im.size; size++) /* every section, and everywhere else */
        assert_refused(&im, size, NULL);
    image longer = {realloc(im.byte, im.size + 8), im.size + 8};
    CU_ASSERT_PTR_NOT_NULL_FATAL(longer.byte);
    memset(longer.byte + im.size, 0, 8);
    for (size_t more = 1; more <= 8; more++)
        assert_refused(&longer, im.size + more, "longer");
    free(longer.byte);
    scratch_remove();
}

static void test_flipped_bits(void)
{
    unsigned long long state = 5;

    scratch_create();
    image im = make_image(2, true);
    for (int k = 0; k < 200 + 8 * 96; k++) { /* at random, and each bit of header and a bit more */
        const size_t bit =
            k < 200 ? (size_t)(sab_test_random(&state) * 8.0 * (double)im.size) : (size_t)k - 200;
        const unsigned char mask = (unsigned char)(1 << bit % 8);

        im.byte[bit / 8] ^= mask;
        assert_refused(&im, im.size, NULL);
        im.byte[bit / 8] ^= mask;
    }
    free(im.byte);
    scratch_remove();
}

/* Counts that no file can hold, with a checksum that fits: refused before anything is allocated. */
static void test_absurd_sizes(void)
{
    static const int64_t absurd[] = {
        -1,        INT32_MAX,        (int64_t)1 << 32, INT64_MAX, INT64_MIN, (int64_t)1 << 40,
        INT32_MIN, (int64_t)1 << 61, INT32_MAX - 1,    1000,      0};

    scratch_create();
    image im = make_image(2, true);
    for (size_t word = 2; word <= 11; word += word == 8 ? 3 : 1) /* not flags and bulk */
        for (size_t k = 0; k < sizeof absurd / sizeof absurd[0]; k++) {
            const int64_t old = get_word(&im, word);

            set_word(&im, word, absurd[k]);
            set_crc(&im);
            assert_refused(&im, im.size, NULL);
            set_word(&im, word, old);
        }
    set_word(&im, 1, 3);
    set_crc(&im);
    assert_refused(&im, im.size, "version 3");
    set_word(&im, 1, 2);
    set_word(&im, 9, 8);
    set_crc(&im);
    assert_refused(&im, im.size, "flags");
    free(im.byte);
    scratch_remove();
}

/* As version 1 had it: no list of optional arrays, one flag. The image must have none. */
static void to_version_1(image *im)
{
    CU_ASSERT_EQUAL_FATAL(get_word(im, 11), 0);
    memmove(im->byte + 88, im->byte + 96, im->size - 96);
    im->size -= 8;
    set_word(im, 1, 1);
    set_word(im, 9, get_word(im, 9) & 1);
    set_crc(im);
}

/* A file of version 1 is read; r that is not safe makes it a time step. */
static void test_version_1(void)
{
    scratch_create();
    for (int safe = 0; safe < 2; safe++) {
        const char *path = scratch_path("old.sabp");
        sab_program *p = new_program(2), *q = NULL;
        image im = make_image(2, false);

        to_version_1(&im);
        set_word(&im, 9, safe);
        set_crc(&im);
        spit(path, im.byte, im.size);
        CU_ASSERT_EQUAL_FATAL(sab_program_read(path, &q, NULL), SAB_OK);
        p->r_is_safe = safe;
        p->inertial = !safe;
        assert_equal_programs(p, q);
        set_word(&im, 9, 2); /* a flag of version 2 */
        set_crc(&im);
        assert_refused(&im, im.size, "flags");
        remove(path);
        free(im.byte);
        sab_program_destroy(&p);
        sab_program_destroy(&q);
    }
    scratch_remove();
}

/* Without ranges, points that have no volume, viscosity or yield stress are contacts; strain rates
 * that look like them are written with ranges, and stay what they are. */
static void test_kind_without_ranges(void)
{
    static const struct {
        double weight, viscosity, yield;
        sab_points_kind kind;
    } one[] = {{1.0, 0.0, 0.0, SAB_POINTS_CONTACT},
               {0.5, 0.0, 0.0, SAB_POINTS_STRAIN},
               {1.0, 0.1, 0.0, SAB_POINTS_STRAIN},
               {1.0, 0.0, 0.1, SAB_POINTS_STRAIN}};
    enum { L = 22, K = 18, SECOND_WEIGHT = 12 + L + K + 1 }; /* words: make_program(2), no list */

    scratch_create();
    for (size_t k = 0; k < sizeof one / sizeof one[0]; k++) {
        const char *path = scratch_path("kind.sabp");
        sab_program *p = new_program(2), *q = NULL;

        for (int i = 0; i < p->npoints; i++) {
            p->weight[i] = 1.0;
            p->viscosity[i] = p->slope[i] = p->yield[i] = 0.0;
        }
        p->weight[1] = 0.5; /* so that no ranges are written; then in the file */
        p->viscosity[1] = p->slope[1] = one[k].viscosity;
        p->yield[1] = one[k].yield;
        CU_ASSERT_EQUAL_FATAL(p->n, L);
        CU_ASSERT_EQUAL_FATAL(sab_program_write(path, p, NULL), SAB_OK);
        image im;
        im.byte = (unsigned char *)slurp(path, &im.size);
        CU_ASSERT_EQUAL_FATAL(get_word(&im, 11), 0);
        memcpy(im.byte + 8 * SECOND_WEIGHT, &one[k].weight, 8);
        set_crc(&im);
        spit(path, im.byte, im.size);
        free(im.byte);
        CU_ASSERT_EQUAL_FATAL(sab_program_read(path, &q, NULL), SAB_OK);
        CU_ASSERT_EQUAL(q->weight[1], one[k].weight);
        CU_ASSERT_EQUAL(q->nranges, 1);
        CU_ASSERT_EQUAL(q->range[0].kind, one[k].kind);
        for (int kind = 0; kind < SAB_POINTS_KINDS; kind++) { /* what is known comes back */
            sab_program *back = NULL;

            q->range[0].kind = (sab_points_kind)kind;
            CU_ASSERT_EQUAL_FATAL(sab_program_write(path, q, NULL), SAB_OK);
            CU_ASSERT_EQUAL_FATAL(sab_program_read(path, &back, NULL), SAB_OK);
            assert_equal_programs(q, back);
            sab_program_destroy(&back);
        }
        remove(path);
        sab_program_destroy(&p);
        sab_program_destroy(&q);
    }
    scratch_remove();
}

/* The list of optional arrays: carried, slope, ranges, slack, direction, each with two words of
 * name and a count. */
static void test_bad_lists(void)
{
    static const struct {
        size_t word;
        const char *name; /* or a count */
        int64_t count;
        const char *message;
    } change[] = {{12, "fancy", 0, "'fancy' is not known"},
                  {15, "carried", 0, "carried is there twice"},
                  {14, NULL, 21, "array carried has 21 items"},
                  {17, NULL, 5, "array slope has 5 items"},
                  {20, NULL, 7, "array ranges has 7 items"},
                  {20, NULL, 400, "array ranges has 400 items"},
                  {20, NULL, -8, "array ranges has -8 items"},
                  {20, NULL, 0, "longer"},
                  {20, NULL, 12, "more than the file can hold"},
                  {23, NULL, 5, "array slack has 5 items"},
                  {26, NULL, 5, "array direction has 5 items"},
                  {11, NULL, 4, "longer"},
                  {11, NULL, 6, "optional arrays is 6"}};

    scratch_create();
    for (size_t k = 0; k < sizeof change / sizeof change[0]; k++) {
        image im = make_image(2, true);
        char name[8] = {0};

        if (change[k].name != NULL) {
            memcpy(name, change[k].name, strlen(change[k].name));
            memcpy(im.byte + 8 * change[k].word, name, 8);
        } else
            set_word(&im, change[k].word, change[k].count);
        set_crc(&im);
        assert_refused(&im, im.size, change[k].message);
        free(im.byte);
    }
    scratch_remove();
}

/* Ranges that do not fit, and padding that is not zero. */
static void test_bad_ranges(void)
{
    static const struct {
        sab_point_range range[2];
        const char *message;
    } bad[] = {{{{SAB_POINTS_STRAIN, 0, 5, 3}, {SAB_POINTS_KINDS, 5, 1, 2}}, "unknown"},
               {{{SAB_POINTS_STRAIN, 0, 5, 3}, {SAB_POINTS_WALL, 4, 2, 2}}, "ends at 5"},
               {{{SAB_POINTS_STRAIN, 0, 4, 3}, {SAB_POINTS_WALL, 4, 1, 3}}, "have 5 points"},
               {{{SAB_POINTS_STRAIN, 0, 5, 3}, {SAB_POINTS_WALL, 5, 2, 2}}, "2 points of 2"},
               {{{SAB_POINTS_STRAIN, 0, 5, 3}, {SAB_POINTS_WALL, 5, 1, 4}}, "1 points of 4"},
               {{{SAB_POINTS_STRAIN, 0, 6, 3}, {SAB_POINTS_WALL, 6, 0, 2}}, "0 points"},
               {{{SAB_POINTS_STRAIN, 0, 4, 3}, {SAB_POINTS_WALL, 4, 2, 2}},
                "component 2 of point 4 is not zero"}};
    sab_program *p = new_program(2);

    CU_ASSERT_EQUAL_FATAL(add_all(p, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_program_check(p, NULL), SAB_OK);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        sab_error err = {0};

        CU_ASSERT_EQUAL_FATAL(sab_program_set_ranges(p, 2, bad[k].range, &err), SAB_OK);
        CU_ASSERT_EQUAL(sab_program_check(p, &err), SAB_ERR_INPUT);
        if (strstr(err.message, bad[k].message) == NULL) {
            printf("\n    '%s' has not '%s'\n", err.message, bad[k].message);
            CU_FAIL("message");
        }
    }
    sab_program_destroy(&p);
}

/* Where the arrays are, in words. */
typedef struct places {
    size_t l, weight, friction, start, row, point, column_start, column, value_start, value;
} places;

static places find_places(const image *im)
{
    const size_t s = (size_t)get_word(im, 2), points = (size_t)get_word(im, 3);
    const size_t n = (size_t)get_word(im, 4), blocks = (size_t)get_word(im, 5);
    const size_t entries = (size_t)get_word(im, 6), columns = (size_t)get_word(im, 7);
    places at = {.l = 12 + 3 * (size_t)get_word(im, 11)};

    at.weight = at.l + n + s * points;
    at.friction = at.weight + 3 * points;
    at.start = at.weight + 6 * points;
    at.row = at.start + n + 1;
    at.point = at.row + 2 * entries;
    at.column_start = at.point + blocks + 1;
    at.column = at.column_start + blocks + 1;
    at.value_start = at.column + columns;
    at.value = at.value_start + blocks + 1;
    return at;
}

/* Wrong contents with a checksum that fits: as a program of somebody else would write them. */
static void test_bad_contents(void)
{
    scratch_create();
    image im = make_image(2, true);
    const places at = find_places(&im);
    const int64_t nan_bits = 0x7FF8000000000000, minus_one_bits = (int64_t)0xBFF0000000000000;
    const struct {
        size_t word;
        int64_t value;
        const char *message;
    } change[] = {
        {at.l, nan_bits, "l"},
        {at.weight, minus_one_bits, "weight"},
        {at.friction, minus_one_bits, "mu"},
        {at.start, 1, "A.start"},
        {at.start + 1, 100000, "A.start"},
        {at.start + 2, 0, "A.start"},
        {at.row, -1, "A.row"},
        {at.row + 1, 22, "A.row"},
        {at.row + 1, 0, "A.row"},
        {at.row + (size_t)get_word(&im, at.start + 1), 0, "A.row"}, /* upper triangle */
        {at.point, 1, "B.point"},
        {at.point + 1, 7, "B.point"},
        {at.point + 1, -3, "B.point"},
        {at.point + 1, (int64_t)1 << 32, "B.point"},
        {at.point + 1, 4, "values"},
        {at.point + 2, 5, "B.point"},
        {at.column_start, 1, "B.column_start"},
        {at.column_start + 1, 13, "values"},
        {at.column_start + 1, 25, "B.column_start"},
        {at.column, -1, "B.column"},
        {at.column, 22, "B.column"},
        {at.column, (int64_t)1 << 33, "B.column"},
        {at.column, 1, "twice"},
        {at.value_start + 1, 0, "values"},
        {at.value_start + 1, -5, "B.value_start"},
        {at.value, nan_bits, "B"},
    };

    for (size_t k = 0; k < sizeof change / sizeof change[0]; k++) {
        const int64_t old = get_word(&im, change[k].word);

        set_word(&im, change[k].word, change[k].value);
        set_crc(&im);
        assert_refused(&im, im.size, change[k].message);
        set_word(&im, change[k].word, old);
    }
    memcpy(im.byte, "SABPROGX", 8);
    set_crc(&im);
    assert_refused(&im, im.size, "SABPROG1");
    free(im.byte);
    scratch_remove();
}

static void test_bad_paths(void)
{
    sab_program *p = NULL, *q = new_program(1);
    sab_error err = {0};

    scratch_create();
    CU_ASSERT_EQUAL(sab_program_read(scratch_path("none.sabp"), &p, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No such file"));
    CU_ASSERT_EQUAL(sab_program_read(scratch, &p, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "regular file"));
    CU_ASSERT_EQUAL(sab_program_write(scratch_path("no/a.sabp"), q, &err), SAB_ERR_IO);
    sab_program_destroy(&q);
    scratch_remove();
}

static void test_out_of_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;
    sab_program *p = new_program(2);
    int failures = -1;

    CU_ASSERT_EQUAL_FATAL(add_all(p, NULL), SAB_OK);
    scratch_create();
    const char *path = scratch_path("a.sabp");
    for (int k = 0; status != SAB_OK && k < 100; k++) {
        sab_memory.failing = k;
        status = sab_program_write(path, p, NULL);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT_EQUAL(count_files(scratch), status == SAB_OK);
        failures++;
    }
    CU_ASSERT(failures >= 4);
    status = SAB_ERR_MEMORY;
    failures = -1;
    for (int k = 0; status != SAB_OK && k < 100; k++) {
        sab_error err = {0};
        sab_program *q = NULL;

        sab_memory.failing = k;
        status = sab_program_read(path, &q, &err);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT((q != NULL) == (status == SAB_OK));
        sab_program_destroy(&q);
        failures++;
    }
    CU_ASSERT(failures > 15);
    sab_memory.failing = -1;
    remove(path);
    sab_program_destroy(&p);
    scratch_remove();
}

/* `test_program_file FILE` writes a small program there, for the example of
 * docs/program-format.md. */
int main(int argc, char **argv)
{
    static const sab_test tests[] = {{"bit for bit", test_round_trip},
                                     {"cut anywhere", test_truncated},
                                     {"flipped bits", test_flipped_bits},
                                     {"absurd sizes", test_absurd_sizes},
                                     {"wrong contents", test_bad_contents},
                                     {"bad paths", test_bad_paths},
                                     {"version 1", test_version_1},
                                     {"wrong lists", test_bad_lists},
                                     {"contacts by their looks", test_kind_without_ranges},
                                     {"wrong ranges", test_bad_ranges},
                                     {"out of memory", test_out_of_memory}};

    if (argc > 1) {
        sab_program *p = NULL;
        const int failed = make_program(4, &p, NULL) != SAB_OK || add_all(p, NULL) != SAB_OK ||
                           sab_program_write(argv[1], p, NULL) != SAB_OK;

        sab_program_destroy(&p);
        return failed;
    }
    return SAB_TEST_MAIN("io/program_file", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/program_file.h"
#include "base/input.h"
#include "base/memory.h"
#include "io/fclib.h"
#include "io/file.h"
#include "linalg/threads.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { VERSION = 2 };
enum { R_IS_SAFE = 1, INERTIAL = 2, RATED = 4, ALL_FLAGS = 7 }; /* version 1 has the first */
enum { CHUNK = 4096 };                                          /* words converted at a time */
static const char magic[8] = {'S', 'A', 'B', 'P', 'R', 'O', 'G', '1'};

/* Arrays that a program may have; since version 2 the header lists those that are there. */
typedef enum optional { CARRIED, SLOPE, RANGES, SLACK, DIRECTION, OPTIONALS } optional;
enum { NAME = 16, RANGE_WORDS = 4 };
static const char *const optional_name[OPTIONALS] = {"carried", "slope", "ranges", "slack",
                                                     "direction"};

/* The words between magic and arrays, in the order of the file. */
typedef struct header {
    int64_t version, s, npoints, n, nblocks;
    int64_t entries, columns, values; /* stored entries of A; columns and values of all blocks */
    int64_t flags;
    double bulk;
    int64_t noptional;
    struct {
        optional which;
        int64_t count;
    } optional[OPTIONALS];
} header;
/* With the magic; of version 1, which ends with bulk, and of one optional array. */
enum { HEADER_WORDS = 11, ENTRY_WORDS = NAME / 8 + 1 };
enum { MOST_HEADER_WORDS = HEADER_WORDS + 1 + OPTIONALS * ENTRY_WORDS };

static int header_words(const header *h)
{
    return h->version == 1 ? HEADER_WORDS : HEADER_WORDS + 1 + (int)h->noptional * ENTRY_WORDS;
}

/* An array of the file, 8 bytes an item on disk whatever it is in memory. */
typedef struct array {
    const char *name;
    int64_t count;
    double *real; /* one of these three */
    int64_t *wide;
    int *narrow;
} array;
enum { REQUIRED = 16, NARRAYS = REQUIRED + OPTIONALS };

/* The arrays in the order of the file; returns how many. Reading, counting and writing all use this
 * list. Without a program only the counts. `ranges`: of RANGE_WORDS each, kind, first, n, s. */
static int list_arrays(const header *h, const sab_program *p, int64_t *ranges, array list[NARRAYS])
{
    sab_sparse no_matrix = {0};
    sab_blocks no_blocks = {0};
    const sab_program none = {.A = &no_matrix, .B = &no_blocks};
    const sab_program *q = p != NULL ? p : &none;
    const array all[REQUIRED] = {
        {.name = "l", .count = h->n, .real = q->l},
        {.name = "k", .count = h->s * h->npoints, .real = q->k},
        {.name = "weight", .count = h->npoints, .real = q->weight},
        {.name = "viscosity", .count = h->npoints, .real = q->viscosity},
        {.name = "r", .count = h->npoints, .real = q->r},
        {.name = "friction", .count = h->npoints, .real = q->friction},
        {.name = "yield", .count = h->npoints, .real = q->yield},
        {.name = "dilatancy", .count = h->npoints, .real = q->dilatancy},
        {.name = "A.start", .count = h->n + 1, .wide = q->A->start},
        {.name = "A.row", .count = h->entries, .wide = q->A->row},
        {.name = "A.value", .count = h->entries, .real = q->A->value},
        {.name = "B.point", .count = h->nblocks + 1, .narrow = q->B->point},
        {.name = "B.column_start", .count = h->nblocks + 1, .wide = q->B->column_start},
        {.name = "B.column", .count = h->columns, .narrow = q->B->column},
        {.name = "B.value_start", .count = h->nblocks + 1, .wide = q->B->value_start},
        {.name = "B.value", .count = h->values, .real = q->B->value},
    };

    memcpy(list, all, sizeof all);
    for (int i = 0; i < h->noptional; i++)
        list[REQUIRED + i] =
            (array){.name = optional_name[h->optional[i].which],
                    .count = h->optional[i].count,
                    .real = h->optional[i].which == CARRIED ? q->carried
                            : h->optional[i].which == SLOPE ? q->slope
                            : h->optional[i].which == SLACK ? q->slack
                                                            : NULL,
                    .wide = h->optional[i].which == RANGES ? ranges : NULL,
                    .narrow = h->optional[i].which == DIRECTION ? q->direction : NULL};
    return REQUIRED + (int)h->noptional;
}

static uint64_t real_to_word(double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

static double word_to_real(uint64_t word)
{
    double value;

    memcpy(&value, &word, sizeof value);
    return value;
}

static void word_to_bytes(uint64_t word, unsigned char *bytes)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(word >> (8 * i) & 255);
}

static uint64_t bytes_to_word(const unsigned char *bytes)
{
    uint64_t word = 0;

    for (int i = 0; i < 8; i++)
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Failures of fwrite are caught by sab_file_close. */
static void put_bytes(FILE *out, uLong *crc, const unsigned char *bytes, size_t size)
{
    *crc = crc32(*crc, bytes, (uInt)size);
    fwrite(bytes, 1, size, out);
}

static uint64_t array_word(const array *a, int64_t i)
{
    if (a->real != NULL)
        return real_to_word(a->real[i]);
    if (a->wide != NULL)
        return (uint64_t)a->wide[i];
    return (uint64_t)(int64_t)a->narrow[i];
}

static void put_array(FILE *out, uLong *crc, const array *a, unsigned char *bytes)
{
    for (int64_t i = 0; i < a->count; i += CHUNK) {
        const int64_t n = a->count - i < CHUNK ? a->count - i : CHUNK;

        for (int64_t j = 0; j < n; j++)
            word_to_bytes(array_word(a, i + j), bytes + 8 * j);
        put_bytes(out, crc, bytes, 8 * (size_t)n);
    }
}

static void put_header(FILE *out, uLong *crc, const header *h, unsigned char *bytes)
{
    const int64_t word[] = {h->version, h->s,       h->npoints, h->n,    h->nblocks,
                            h->entries, h->columns, h->values,  h->flags};

    memset(bytes, 0, 8 * MOST_HEADER_WORDS);
    memcpy(bytes, magic, 8);
    for (int i = 1; i < HEADER_WORDS - 1; i++)
        word_to_bytes((uint64_t)word[i - 1], bytes + 8 * i);
    word_to_bytes(real_to_word(h->bulk), bytes + 8 * (HEADER_WORDS - 1));
    word_to_bytes((uint64_t)h->noptional, bytes + 8 * HEADER_WORDS);
    for (int i = 0; i < h->noptional; i++) {
        unsigned char *entry = bytes + 8 * (HEADER_WORDS + 1 + i * ENTRY_WORDS);
        const char *name = optional_name[h->optional[i].which];

        memcpy(entry, name, strlen(name));
        word_to_bytes((uint64_t)h->optional[i].count, entry + NAME);
    }
    put_bytes(out, crc, bytes, 8 * (size_t)header_words(h));
}

static void add_optional(header *h, optional which, int64_t count)
{
    h->optional[h->noptional].which = which;
    h->optional[h->noptional].count = count;
    h->noptional++;
}

/* What the points are if no ranges say it. Strain rates have three components at least, and weights
 * that are volumes; contacts have neither volume nor viscosity nor yield stress. The power gap,
 * which decides for strain rates, is blind to what contacts near rest do [docs/theory.md, 12.1]. */
static sab_points_kind kind_without_ranges(const sab_program *p)
{
    bool contacts = p->npoints > 0;

    for (int q = 0; q < p->npoints && p->s > 2 && contacts; q++)
        contacts = p->weight[q] == 1.0 && p->viscosity[q] == 0.0 && p->yield[q] == 0.0;
    return contacts ? SAB_POINTS_CONTACT : SAB_POINTS_STRAIN;
}

static header make_header(const sab_program *p)
{
    const sab_point_range *r = p->range;
    header h = {.version = VERSION,
                .s = p->s,
                .npoints = p->npoints,
                .n = p->n,
                .nblocks = p->B->nblocks,
                .entries = p->A->start[p->n],
                .columns = p->B->column_start[p->B->nblocks],
                .values = p->B->value_start[p->B->nblocks],
                .flags = (p->r_is_safe ? R_IS_SAFE : 0) | (p->inertial ? INERTIAL : 0) |
                         (p->rated ? RATED : 0),
                .bulk = p->bulk};

    if (p->carried != NULL)
        add_optional(&h, CARRIED, p->n);
    if (memcmp(p->slope, p->viscosity, (size_t)p->npoints * sizeof *p->slope) != 0)
        add_optional(&h, SLOPE, p->npoints);
    if (p->nranges != 1 || r->kind != SAB_POINTS_STRAIN || r->s != p->s ||
        kind_without_ranges(p) != SAB_POINTS_STRAIN)
        add_optional(&h, RANGES, (int64_t)RANGE_WORDS * p->nranges);
    if (p->slack != NULL)
        add_optional(&h, SLACK, p->npoints);
    if (p->direction != NULL)
        add_optional(&h, DIRECTION, p->n);
    return h;
}

sab_status sab_program_write(const char *path, const sab_program *program, sab_error *err)
{
    const header h = make_header(program);
    sab_status status = SAB_OK;
    uLong crc = crc32(0, NULL, 0);
    unsigned char *bytes = NULL;
    int64_t *ranges = NULL;
    array list[NARRAYS];
    sab_file file = {0};

    assert(program->A->symmetric && program->A->n == program->n);
    assert(program->B->ncolumns == program->n);
    assert(program->B->s == program->s && program->B->npoints == program->npoints);
    SAB_NEW(bytes, 8 * CHUNK);
    SAB_NEW(ranges, RANGE_WORDS * program->nranges);
    for (int i = 0; i < program->nranges; i++) {
        const sab_point_range *r = &program->range[i];

        memcpy(ranges + RANGE_WORDS * i, (int64_t[]){r->kind, r->first, r->n, r->s},
               RANGE_WORDS * sizeof *ranges);
    }
    SAB_TRY(sab_file_open(path, &file, err));
    put_header(file.stream, &crc, &h, bytes);
    const int n = list_arrays(&h, program, ranges, list);
    for (int i = 0; i < n; i++)
        put_array(file.stream, &crc, &list[i], bytes);
    word_to_bytes(crc, bytes);
    fwrite(bytes, 1, 8, file.stream);
    SAB_TRY(sab_file_close(&file, err));
cleanup:
    sab_file_abort(&file);
    SAB_FREE(bytes);
    SAB_FREE(ranges);
    return status;
}

/* --- reading ---------------------------------------------------------------------------------- */

static sab_status get_bytes(FILE *in, unsigned char *bytes, size_t size, sab_error *err)
{
    if (fread(bytes, 1, size, in) == size)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_INPUT, "%s",
                    ferror(in) ? strerror(errno) : "the file ends too early");
}

static sab_status check_range(const char *name, int64_t value, int64_t low, int64_t high,
                              sab_error *err)
{
    if (low <= value && value <= high)
        return SAB_OK;
    return sab_fail(err, SAB_ERR_INPUT, "%s is %" PRId64 ", not in %" PRId64 " .. %" PRId64, name,
                    value, low, high);
}

/* The entry of an optional array: one that is known, once, and of the right length. */
static sab_status get_optional(const unsigned char *entry, header *h, sab_error *err)
{
    const int64_t count = (int64_t)bytes_to_word(entry + NAME);
    const int64_t wanted[OPTIONALS] = {[CARRIED] = h->n,
                                       [SLOPE] = h->npoints,
                                       [RANGES] = count,
                                       [SLACK] = h->npoints,
                                       [DIRECTION] = h->n};
    char name[NAME + 1] = {0};
    int which = 0;

    memcpy(name, entry, NAME);
    while (which < OPTIONALS && strcmp(name, optional_name[which]) != 0)
        which++;
    if (which == OPTIONALS)
        return sab_fail(err, SAB_ERR_INPUT,
                        "array '%s' is not known: the file is of a newer version", name);
    for (int i = 0; i < h->noptional; i++)
        if ((int)h->optional[i].which == which)
            return sab_fail(err, SAB_ERR_INPUT, "array %s is there twice", name);
    if (count != wanted[which] ||
        (which == RANGES && (count % RANGE_WORDS != 0 || count / RANGE_WORDS > h->npoints)))
        return sab_fail(err, SAB_ERR_INPUT, "array %s has %" PRId64 " items", name, count);
    add_optional(h, (optional)which, count);
    return SAB_OK;
}

/* The part of the header that version 1 does not have. */
static sab_status get_directory(FILE *in, header *h, sab_error *err)
{
    unsigned char bytes[8 * ENTRY_WORDS];
    sab_status status = SAB_OK;

    SAB_TRY(get_bytes(in, bytes, 8, err));
    const int64_t n = (int64_t)bytes_to_word(bytes);
    SAB_TRY(check_range("the number of optional arrays", n, 0, OPTIONALS, err));
    for (int64_t i = 0; i < n; i++) {
        SAB_TRY(get_bytes(in, bytes, sizeof bytes, err));
        SAB_TRY(get_optional(bytes, h, err));
    }
cleanup:
    return status;
}

/* Does the file have as many words as the header says? */
static sab_status check_length(const header *h, int64_t size, sab_error *err)
{
    int64_t left = size / 8 - header_words(h) - 1;
    array list[NARRAYS];
    const int n = list_arrays(h, NULL, NULL, list);

    for (int i = 0; i < n; i++) {
        if (list[i].count < 0 || list[i].count > left)
            return sab_fail(err, SAB_ERR_INPUT,
                            "array %s has %" PRId64 " items, more than the file can hold",
                            list[i].name, list[i].count);
        left -= list[i].count;
    }
    if (left != 0 || size % 8 != 0)
        return sab_fail(err, SAB_ERR_INPUT, "the file is longer than its header says");
    return SAB_OK;
}

/* Read the header, and compare all counts with the number of words in the file: nothing has been
 * allocated yet, so that a damaged count cannot ask for terabytes. */
static sab_status get_header(FILE *in, header *h, sab_error *err)
{
    unsigned char bytes[8 * HEADER_WORDS];
    sab_status status = SAB_OK;
    struct stat info;

    if (fstat(fileno(in), &info) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s", strerror(errno));
    if (info.st_size < 8 || fread(bytes, 1, 8, in) != 8 || memcmp(bytes, magic, 8) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "it does not begin with %.8s", magic);
    SAB_TRY(get_bytes(in, bytes + 8, sizeof bytes - 8, err));
    int64_t word[HEADER_WORDS];
    for (int i = 1; i < HEADER_WORDS; i++)
        word[i] = (int64_t)bytes_to_word(bytes + 8 * i);
    *h = (header){.version = word[1],
                  .s = word[2],
                  .npoints = word[3],
                  .n = word[4],
                  .nblocks = word[5],
                  .entries = word[6],
                  .columns = word[7],
                  .values = word[8],
                  .flags = word[9],
                  .bulk = word_to_real((uint64_t)word[10])};
    if (h->version < 1 || h->version > VERSION)
        return sab_fail(err, SAB_ERR_INPUT,
                        "version %" PRId64 " of the format, only 1 to %d are known", h->version,
                        VERSION);
    /* These are int in memory, and one more still is; products of two cannot overflow. */
    SAB_TRY(check_range("s", h->s, 1, INT_MAX - 1, err));
    SAB_TRY(check_range("the number of points", h->npoints, 0, INT_MAX - 1, err));
    SAB_TRY(check_range("the number of unknowns", h->n, 0, INT_MAX - 1, err));
    SAB_TRY(check_range("the number of blocks", h->nblocks, 0, INT_MAX - 1, err));
    SAB_TRY(check_range("flags", h->flags, 0, h->version == 1 ? R_IS_SAFE : ALL_FLAGS, err));
    if (h->version > 1)
        SAB_TRY(get_directory(in, h, err));
    SAB_TRY(check_length(h, (int64_t)info.st_size, err));
cleanup:
    return status;
}

/* The whole file once, before anything of it is believed; then back to the arrays. */
static sab_status check_crc(FILE *in, const header *h, unsigned char *bytes, sab_error *err)
{
    sab_status status = SAB_OK;
    uLong crc = crc32(0, NULL, 0);
    struct stat info;

    if (fstat(fileno(in), &info) != 0 || fseek(in, 0, SEEK_SET) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s", strerror(errno));
    for (int64_t left = (int64_t)info.st_size - 8; left > 0;) {
        const int64_t size = left < 8 * CHUNK ? left : 8 * CHUNK;

        SAB_TRY(get_bytes(in, bytes, (size_t)size, err));
        crc = crc32(crc, bytes, (uInt)size);
        left -= size;
    }
    SAB_TRY(get_bytes(in, bytes, 8, err));
    if (bytes_to_word(bytes) != crc)
        return sab_fail(err, SAB_ERR_INPUT, "its checksum is wrong: the file is damaged");
    if (fseek(in, 8L * header_words(h), SEEK_SET) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s", strerror(errno));
cleanup:
    return status;
}

static sab_status get_array(FILE *in, const array *a, unsigned char *bytes, sab_error *err)
{
    sab_status status = SAB_OK;

    for (int64_t i = 0; i < a->count; i += CHUNK) {
        const int64_t n = a->count - i < CHUNK ? a->count - i : CHUNK;

        SAB_TRY(get_bytes(in, bytes, 8 * (size_t)n, err));
        for (int64_t j = 0; j < n; j++) {
            const uint64_t word = bytes_to_word(bytes + 8 * j);

            if (a->real != NULL) {
                a->real[i + j] = word_to_real(word);
            } else if (a->wide != NULL) {
                a->wide[i + j] = (int64_t)word;
            } else {
                SAB_TRY(check_range(a->name, (int64_t)word, 0, INT_MAX, err));
                a->narrow[i + j] = (int)word;
            }
        }
    }
cleanup:
    return status;
}

/* start[0] = 0 <= start[1] <= ... <= start[n] = total */
static sab_status check_starts(const char *name, const int64_t *start, int64_t n, int64_t total,
                               sab_error *err)
{
    bool good = start[0] == 0 && start[n] == total;

    for (int64_t i = 0; good && i < n; i++)
        good = start[i] <= start[i + 1];
    return good ? SAB_OK
                : sab_fail(err, SAB_ERR_INPUT, "%s does not rise from 0 to %" PRId64, name, total);
}

static sab_status check_matrix(const sab_sparse *A, int64_t entries, sab_error *err)
{
    sab_status status = SAB_OK;

    SAB_TRY(check_starts("A.start", A->start, A->n, entries, err));
    for (int64_t j = 0; j < A->n; j++) {
        int64_t low = j; /* rows rise from the diagonal: the lower triangle */

        for (int64_t i = A->start[j]; i < A->start[j + 1]; i++) {
            SAB_TRY(check_range("A.row", A->row[i], low, A->n - 1, err));
            low = A->row[i] + 1;
        }
    }
cleanup:
    return status;
}

static sab_status check_blocks(const sab_blocks *B, int64_t columns, int64_t values, sab_error *err)
{
    sab_status status = SAB_OK;
    int *last = NULL; /* [ncolumns] 1 + last block that had this column */

    SAB_NEW(last, B->ncolumns);
    SAB_TRY(check_starts("B.column_start", B->column_start, B->nblocks, columns, err));
    SAB_TRY(check_starts("B.value_start", B->value_start, B->nblocks, values, err));
    SAB_TRY(check_range("B.point, first", B->point[0], 0, 0, err));
    SAB_TRY(check_range("B.point, last", B->point[B->nblocks], B->npoints, B->npoints, err));
    for (int e = 0; e < B->nblocks; e++) {
        const int64_t c = B->column_start[e + 1] - B->column_start[e];

        SAB_TRY(check_range("B.point", B->point[e + 1], B->point[e], B->npoints, err));
        const int64_t rows = (int64_t)B->s * (B->point[e + 1] - B->point[e]);
        const int64_t held = B->value_start[e + 1] - B->value_start[e];
        /* rows * c might overflow, held / rows does not */
        if (rows > 0 ? held % rows != 0 || held / rows != c : held != 0)
            SAB_FAIL(err, SAB_ERR_INPUT,
                     "block %d has %" PRId64 " values, not %" PRId64 " x %" PRId64, e, held, rows,
                     c);
        for (int64_t i = B->column_start[e]; i < B->column_start[e + 1]; i++) {
            SAB_TRY(check_range("B.column", B->column[i], 0, B->ncolumns - 1, err));
            if (last[B->column[i]] == e + 1)
                SAB_FAIL(err, SAB_ERR_INPUT, "block %d has column %d twice", e, B->column[i]);
            last[B->column[i]] = e + 1;
        }
    }
cleanup:
    SAB_FREE(last);
    return status;
}

/* What the flags say. Version 1 does not tell a time step from a creeping flow whose r is not
 * safe, and takes it for one. */
static void set_flags(const header *h, sab_program *p)
{
    p->bulk = h->bulk;
    p->r_is_safe = (h->flags & R_IS_SAFE) != 0;
    p->inertial = h->version == 1 ? !p->r_is_safe : (h->flags & INERTIAL) != 0;
    p->rated = (h->flags & RATED) != 0;
}

static sab_status set_ranges(sab_program *p, int64_t n, const int64_t *word, sab_error *err)
{
    sab_status status = SAB_OK;
    sab_point_range *range = NULL;

    SAB_NEW(range, n);
    for (int64_t i = 0; i < n; i++, word += RANGE_WORDS) {
        SAB_TRY(check_range("ranges, kind", word[0], 0, SAB_POINTS_KINDS - 1, err));
        for (int j = 1; j < RANGE_WORDS; j++)
            SAB_TRY(check_range("ranges", word[j], 0, INT_MAX, err));
        range[i] =
            (sab_point_range){(sab_points_kind)word[0], (int)word[1], (int)word[2], (int)word[3]};
    }
    SAB_TRY(sab_program_set_ranges(p, (int)n, range, err));
cleanup:
    SAB_FREE(range);
    return status;
}

/* All arrays, into a program that has been created with their sizes. */
static sab_status get_arrays(FILE *in, const header *h, sab_program *p, unsigned char *bytes,
                             sab_error *err)
{
    int64_t has[OPTIONALS] = {0}, *ranges = NULL;
    sab_status status = SAB_OK;
    array list[NARRAYS];

    for (int i = 0; i < h->noptional; i++)
        has[h->optional[i].which] = h->optional[i].count;
    if (has[CARRIED] > 0)
        SAB_NEW(p->carried, p->n);
    if (has[SLACK] > 0)
        SAB_TRY(sab_program_add_slack(p, err));
    if (has[DIRECTION] > 0)
        SAB_NEW(p->direction, p->n);
    SAB_NEW(ranges, has[RANGES]);
    const int n = list_arrays(h, p, ranges, list);
    for (int i = 0; i < n; i++)
        SAB_TRY(get_array(in, &list[i], bytes, err));
    if (has[SLOPE] == 0)
        memcpy(p->slope, p->viscosity, (size_t)p->npoints * sizeof *p->slope);
    if (has[RANGES] > 0)
        SAB_TRY(set_ranges(p, has[RANGES] / RANGE_WORDS, ranges, err));
    else
        p->range[0].kind = kind_without_ranges(p);
cleanup:
    SAB_FREE(ranges);
    return status;
}

/* By its first bytes; the file is at its beginning again. */
static bool is_hdf5(FILE *in)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    char begin[sizeof signature - 1];
    const bool is = fread(begin, 1, sizeof begin, in) == sizeof begin &&
                    memcmp(begin, signature, sizeof begin) == 0;

    rewind(in);
    return is;
}

sab_status sab_program_read(const char *path, sab_program **program, sab_error *err)
{
    sab_status status = SAB_OK;
    unsigned char *bytes = NULL;
    sab_program *p = NULL;
    header h;
    FILE *in;
    sab_error why;

    *program = NULL;
    status = sab_input_open(path, &in, NULL, &why);
    if (status != SAB_OK)
        return sab_fail(err, status, "cannot open cone program '%s': %s", path, why.message);
    if (is_hdf5(in)) {
        SAB_TRY(sab_fclib_read(path, &p, err));
        SAB_TRY(sab_blocks_share(p->B, sab_threads_get(), err));
        *program = p;
        p = NULL;
        goto cleanup;
    }
    SAB_NEW(bytes, 8 * CHUNK);
    SAB_TRY(get_header(in, &h, err));
    SAB_TRY(check_crc(in, &h, bytes, err));
    SAB_TRY(sab_program_create((int)h.s, (int)h.npoints, (int)h.n, &p, err));
    SAB_TRY(sab_sparse_create(h.n, h.entries, true, &p->A, err));
    SAB_TRY(sab_blocks_create((int)h.s, (int)h.npoints, (int)h.n, (int)h.nblocks, h.columns,
                              h.values, &p->B, err));
    set_flags(&h, p);
    SAB_TRY(get_arrays(in, &h, p, bytes, err));
    SAB_TRY(check_matrix(p->A, h.entries, err));
    SAB_TRY(check_blocks(p->B, h.columns, h.values, err));
    SAB_TRY(sab_program_check(p, err));
    SAB_TRY(sab_blocks_share(p->B, sab_threads_get(), err));
    *program = p;
    p = NULL;
cleanup:
    if (status != SAB_OK)
        sab_error_context(err, "while reading cone program '%s'", path);
    sab_program_destroy(&p);
    SAB_FREE(bytes);
    fclose(in);
    return status;
}

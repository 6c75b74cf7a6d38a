#include "io/program_file.h"
#include "base/memory.h"
#include "io/file.h"
#include "linalg/threads.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { VERSION = 1, STEP_IS_SAFE = 1 };
enum { CHUNK = 4096 }; /* words converted at a time */
static const char magic[8] = {'S', 'A', 'B', 'P', 'R', 'O', 'G', '1'};

/* The words between magic and arrays, in the order of the file. */
typedef struct header {
    int64_t version, s, npoints, n, nblocks;
    int64_t entries, columns, values; /* stored entries of A; columns and values of all blocks */
    int64_t flags;
    double bulk;
} header;
enum { HEADER_WORDS = 11, HEADER_BYTES = 8 * HEADER_WORDS }; /* with the magic */

/* An array of the file, 8 bytes an item on disk whatever it is in memory. */
typedef struct array {
    const char *name;
    int64_t count;
    double *real; /* one of these three */
    int64_t *wide;
    int *narrow;
} array;
enum { NARRAYS = 16 };

/* The arrays in the order of the file. Reading, counting and writing all use this list. Without a
 * program only the counts. */
static void list_arrays(const header *h, const sab_program *p, array list[NARRAYS])
{
    sab_sparse no_matrix = {0};
    sab_blocks no_blocks = {0};
    const sab_program none = {.A = &no_matrix, .B = &no_blocks};
    const sab_program *q = p != NULL ? p : &none;
    const array all[NARRAYS] = {
        {.name = "l", .count = h->n, .real = q->l},
        {.name = "k", .count = h->s * h->npoints, .real = q->k},
        {.name = "weight", .count = h->npoints, .real = q->weight},
        {.name = "viscosity", .count = h->npoints, .real = q->viscosity},
        {.name = "step", .count = h->npoints, .real = q->step},
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

    memcpy(bytes, magic, 8);
    for (int i = 1; i < HEADER_WORDS - 1; i++)
        word_to_bytes((uint64_t)word[i - 1], bytes + 8 * i);
    word_to_bytes(real_to_word(h->bulk), bytes + 8 * (HEADER_WORDS - 1));
    put_bytes(out, crc, bytes, HEADER_BYTES);
}

sab_status sab_program_write(const char *path, const sab_program *program, sab_error *err)
{
    const sab_sparse *A = program->A;
    const sab_blocks *B = program->B;
    const header h = {.version = VERSION,
                      .s = program->s,
                      .npoints = program->npoints,
                      .n = program->n,
                      .nblocks = B->nblocks,
                      .entries = A->start[A->n],
                      .columns = B->column_start[B->nblocks],
                      .values = B->value_start[B->nblocks],
                      .flags = program->step_is_safe ? STEP_IS_SAFE : 0,
                      .bulk = program->bulk};
    sab_status status = SAB_OK;
    uLong crc = crc32(0, NULL, 0);
    unsigned char *bytes = NULL;
    array list[NARRAYS];
    sab_file file = {0};

    assert(A->symmetric && A->n == program->n && B->ncolumns == program->n);
    assert(B->s == program->s && B->npoints == program->npoints);
    SAB_NEW(bytes, 8 * CHUNK);
    SAB_TRY(sab_file_open(path, &file, err));
    put_header(file.stream, &crc, &h, bytes);
    list_arrays(&h, program, list);
    for (int i = 0; i < NARRAYS; i++)
        put_array(file.stream, &crc, &list[i], bytes);
    word_to_bytes(crc, bytes);
    fwrite(bytes, 1, 8, file.stream);
    SAB_TRY(sab_file_close(&file, err));
cleanup:
    sab_file_abort(&file);
    SAB_FREE(bytes);
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

/* Read the header, and compare all counts with the number of words in the file: nothing has been
 * allocated yet, so that a damaged count cannot ask for terabytes. */
static sab_status get_header(FILE *in, header *h, sab_error *err)
{
    unsigned char bytes[HEADER_BYTES];
    sab_status status = SAB_OK;
    array list[NARRAYS];
    struct stat info;

    if (fstat(fileno(in), &info) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "%s", strerror(errno));
    if (!S_ISREG(info.st_mode))
        return sab_fail(err, SAB_ERR_INPUT, "it is not a regular file");
    if (info.st_size < 8 || fread(bytes, 1, 8, in) != 8 || memcmp(bytes, magic, 8) != 0)
        return sab_fail(err, SAB_ERR_INPUT, "it does not begin with %.8s", magic);
    SAB_TRY(get_bytes(in, bytes + 8, HEADER_BYTES - 8, err));
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
    if (h->version != VERSION)
        return sab_fail(err, SAB_ERR_INPUT, "version %" PRId64 " of the format, only %d is known",
                        h->version, VERSION);
    /* These are int in memory, and one more still is; products of two cannot overflow. */
    SAB_TRY(check_range("s", h->s, 1, INT_MAX - 1, err));
    SAB_TRY(check_range("the number of points", h->npoints, 0, INT_MAX - 1, err));
    SAB_TRY(check_range("the number of unknowns", h->n, 0, INT_MAX - 1, err));
    SAB_TRY(check_range("the number of blocks", h->nblocks, 0, INT_MAX - 1, err));
    SAB_TRY(check_range("flags", h->flags, 0, STEP_IS_SAFE, err));

    int64_t left = (int64_t)info.st_size / 8 - HEADER_WORDS - 1;
    list_arrays(h, NULL, list);
    for (int i = 0; i < NARRAYS; i++) {
        if (list[i].count < 0 || list[i].count > left)
            return sab_fail(err, SAB_ERR_INPUT,
                            "array %s has %" PRId64 " items, more than the file can hold",
                            list[i].name, list[i].count);
        left -= list[i].count;
    }
    if (left != 0 || info.st_size % 8 != 0)
        return sab_fail(err, SAB_ERR_INPUT, "the file is longer than its header says");
cleanup:
    return status;
}

/* The whole file once, before anything of it is believed; then back to the arrays. */
static sab_status check_crc(FILE *in, unsigned char *bytes, sab_error *err)
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
    if (fseek(in, HEADER_BYTES, SEEK_SET) != 0)
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
        if (rows > 0 ? held % rows != 0 || held / rows != c : held != 0) {
            status = sab_fail(err, SAB_ERR_INPUT,
                              "block %d has %" PRId64 " values, not %" PRId64 " x %" PRId64, e,
                              held, rows, c);
            goto cleanup;
        }
        for (int64_t i = B->column_start[e]; i < B->column_start[e + 1]; i++) {
            SAB_TRY(check_range("B.column", B->column[i], 0, B->ncolumns - 1, err));
            if (last[B->column[i]] == e + 1) {
                status =
                    sab_fail(err, SAB_ERR_INPUT, "block %d has column %d twice", e, B->column[i]);
                goto cleanup;
            }
            last[B->column[i]] = e + 1;
        }
    }
cleanup:
    SAB_FREE(last);
    return status;
}

sab_status sab_program_read(const char *path, sab_program **program, sab_error *err)
{
    sab_status status = SAB_OK;
    unsigned char *bytes = NULL;
    sab_program *p = NULL;
    array list[NARRAYS];
    header h;

    *program = NULL;
    FILE *in = fopen(path, "rb");
    if (in == NULL)
        return sab_fail(err, SAB_ERR_INPUT, "cannot open cone program '%s': %s", path,
                        strerror(errno));
    SAB_NEW(bytes, 8 * CHUNK);
    SAB_TRY(get_header(in, &h, err));
    SAB_TRY(check_crc(in, bytes, err));
    SAB_TRY(sab_program_create((int)h.s, (int)h.npoints, (int)h.n, &p, err));
    SAB_TRY(sab_sparse_create(h.n, h.entries, true, &p->A, err));
    SAB_TRY(sab_blocks_create((int)h.s, (int)h.npoints, (int)h.n, (int)h.nblocks, h.columns,
                              h.values, &p->B, err));
    p->bulk = h.bulk;
    p->step_is_safe = (h.flags & STEP_IS_SAFE) != 0;
    list_arrays(&h, p, list);
    for (int i = 0; i < NARRAYS; i++)
        SAB_TRY(get_array(in, &list[i], bytes, err));
    memcpy(p->slope, p->viscosity, (size_t)p->npoints * sizeof *p->slope);
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

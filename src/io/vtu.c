/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/vtu.h"
#include "base/memory.h"
#include "io/file.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <zlib.h>

enum { BLOCK = 32768, ZLIB_LEVEL = 1 }; /* higher levels save nothing on smooth fields */

typedef enum section { SECTION_NONE, SECTION_POINT, SECTION_CELL } section;

struct sab_vtu {
    sab_file file;
    bool float32;
    int npoints, ncells;
    section section;   /* the element that is open */
    sab_status status; /* sticky: a file with a broken array is never committed */
    z_stream zlib;
    bool zlib_ready;
    uLong packed_size;     /* room for any compressed block */
    unsigned char *packed; /* [packed_size] */
    unsigned char raw[BLOCK];
};

/* --- base64, streaming ------------------------------------------------------------------------ */

typedef struct base64 {
    FILE *out;
    int n; /* bytes waiting, 0 to 2 */
    unsigned char byte[3];
} base64;

static void base64_group(base64 *b)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned bits =
        (unsigned)b->byte[0] << 16 | (unsigned)b->byte[1] << 8 | (unsigned)b->byte[2];

    for (int i = 0; i < 4; i++)
        putc_unlocked(i <= b->n ? digit[bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->n = 0;
}

static void base64_add(base64 *b, const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        b->byte[b->n++] = data[i];
        if (b->n == 3)
            base64_group(b);
    }
}

static void base64_end(base64 *b)
{
    if (b->n > 0) {
        memset(b->byte + b->n, 0, (size_t)(3 - b->n));
        base64_group(b);
    }
}

/* --- data arrays ------------------------------------------------------------------------------ */

typedef struct data_array {
    enum { POINTS, REALS, CELLS, OFFSETS, TYPES } kind;
    const char *name;
    size_t n; /* items, that is tuples * components */
    int components;
    const char *const *component_name; /* or NULL */
    const double *real;                /* POINTS, REALS */
    const int *integer;                /* CELLS */
    int number;                        /* dim of POINTS, nodes per cell of OFFSETS, type of TYPES */
} data_array;

static uint64_t real_bits(bool float32, double value)
{
    uint64_t bits64;
    uint32_t bits32;

    if (float32) {
        const float rounded = (float)value;
        memcpy(&bits32, &rounded, sizeof bits32);
        return bits32;
    }
    memcpy(&bits64, &value, sizeof bits64);
    return bits64;
}

/* Item i as it goes to disk, in the low bits. */
static uint64_t item_bits(const data_array *a, bool float32, size_t i)
{
    const size_t number = (size_t)a->number;

    switch (a->kind) {
    case POINTS:
        return real_bits(float32, i % 3 < number ? a->real[i / 3 * number + i % 3] : 0.0);
    case REALS:
        return real_bits(float32, a->real[i]);
    case CELLS:
        return (uint32_t)a->integer[i];
    case OFFSETS:
        return (i + 1) * number;
    default: /* TYPES */
        return number;
    }
}

static size_t item_size(const data_array *a, bool float32)
{
    switch (a->kind) {
    case CELLS:
        return 4;
    case OFFSETS:
        return 8;
    case TYPES:
        return 1;
    default:
        return float32 ? 4 : 8;
    }
}

static const char *item_type(const data_array *a, bool float32)
{
    switch (a->kind) {
    case CELLS:
        return "Int32";
    case OFFSETS:
        return "Int64";
    case TYPES:
        return "UInt8";
    default:
        return float32 ? "Float32" : "Float64";
    }
}

static void put_little_endian(unsigned char *to, uint64_t bits, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(bits >> (8 * i) & 255);
}

static void write_words(FILE *out, const uint64_t *word, size_t n)
{
    base64 b = {.out = out};
    unsigned char bytes[8];

    for (size_t i = 0; i < n; i++) {
        put_little_endian(bytes, word[i], 8);
        base64_add(&b, bytes, 8);
    }
    base64_end(&b);
}

/* Text for an attribute. */
static void write_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            putc(*text, out);
        }
}

/* vtu->raw to vtu->packed; one z_stream serves all blocks. */
static sab_status pack_block(sab_vtu *vtu, size_t size, size_t *packed, sab_error *err)
{
    z_stream *z = &vtu->zlib;

    if (deflateReset(z) != Z_OK)
        return sab_fail(err, SAB_ERR_INTERNAL, "zlib cannot be reset");
    z->next_in = vtu->raw;
    z->avail_in = (uInt)size;
    z->next_out = vtu->packed;
    z->avail_out = (uInt)vtu->packed_size;
    if (deflate(z, Z_FINISH) != Z_STREAM_END)
        return sab_fail(err, SAB_ERR_INTERNAL, "zlib cannot compress a block of %zu bytes", size);
    *packed = (size_t)(vtu->packed_size - z->avail_out);
    return SAB_OK;
}

/* base64(header) base64(blocks), each encoded on its own. The header holds the compressed sizes,
 * known last, but its length is known first: it is written twice at the same place, so that no
 * array is ever held in memory compressed. */
static sab_status write_blocks(sab_vtu *vtu, const data_array *a, sab_error *err)
{
    FILE *out = vtu->file.stream;
    const size_t size = item_size(a, vtu->float32), per_block = BLOCK / size;
    const size_t nblocks = a->n / per_block + (a->n % per_block > 0);
    sab_status status = SAB_OK;
    base64 b = {.out = out};
    uint64_t *header = NULL;

    SAB_NEW(header, 3 + nblocks);
    header[0] = nblocks;
    header[1] = BLOCK;
    header[2] = a->n % per_block * size; /* of the last block if it is not full, else 0 */
    const off_t begin = ftello(out);
    write_words(out, header, 3 + nblocks);
    for (size_t k = 0; k < nblocks; k++) {
        const size_t first = k * per_block;
        const size_t n = a->n - first < per_block ? a->n - first : per_block;
        size_t packed = 0;

        for (size_t i = 0; i < n; i++)
            put_little_endian(vtu->raw + i * size, item_bits(a, vtu->float32, first + i), size);
        SAB_TRY(pack_block(vtu, n * size, &packed, err));
        header[3 + k] = packed;
        base64_add(&b, vtu->packed, packed);
    }
    base64_end(&b);
    const off_t end = ftello(out);
    if (begin < 0 || end < 0 || fseeko(out, begin, SEEK_SET) != 0) {
        status =
            sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", vtu->file.path, strerror(errno));
        goto cleanup;
    }
    write_words(out, header, 3 + nblocks);
    if (fseeko(out, end, SEEK_SET) != 0)
        status =
            sab_fail(err, SAB_ERR_IO, "cannot write '%s': %s", vtu->file.path, strerror(errno));
cleanup:
    SAB_FREE(header);
    return status;
}

static sab_status write_array(sab_vtu *vtu, const data_array *a, sab_error *err)
{
    FILE *out = vtu->file.stream;

    fprintf(out, "        <DataArray type=\"%s\" Name=\"", item_type(a, vtu->float32));
    write_escaped(out, a->name);
    fprintf(out, "\" NumberOfComponents=\"%d\"", a->components);
    for (int i = 0; a->component_name != NULL && i < a->components; i++) {
        fprintf(out, " ComponentName%d=\"", i);
        write_escaped(out, a->component_name[i]);
        putc('"', out);
    }
    fputs(" format=\"binary\">\n", out);
    vtu->status = write_blocks(vtu, a, err);
    if (vtu->status != SAB_OK)
        sab_error_context(err, "while writing array '%s'", a->name);
    fputs("\n        </DataArray>\n", out);
    return vtu->status;
}

/* --- the file --------------------------------------------------------------------------------- */

/* zlib's memory through sab_alloc too, so that tests can make it fail. */
static voidpf zlib_alloc(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return sab_alloc(count, size);
}

static void zlib_free(voidpf opaque, voidpf memory)
{
    (void)opaque;
    sab_free(memory);
}

static sab_status start_zlib(sab_vtu *vtu, sab_error *err)
{
    sab_status status = SAB_OK;

    vtu->zlib.zalloc = zlib_alloc;
    vtu->zlib.zfree = zlib_free;
    const int code = deflateInit(&vtu->zlib, ZLIB_LEVEL);
    if (code == Z_MEM_ERROR)
        return sab_fail(err, SAB_ERR_MEMORY, "out of memory: state of zlib");
    if (code != Z_OK)
        return sab_fail(err, SAB_ERR_INTERNAL, "zlib cannot be started (code %d)", code);
    vtu->zlib_ready = true;
    vtu->packed_size = deflateBound(&vtu->zlib, BLOCK);
    SAB_NEW(vtu->packed, vtu->packed_size);
cleanup:
    return status;
}

sab_status sab_vtu_open(const char *path, bool float32, double time, int dim, int npoints,
                        const double *x, int ncells, int nodes_per_cell, int cell_type,
                        const int *cell, sab_vtu **vtu, sab_error *err)
{
    const data_array points = {.kind = POINTS,
                               .name = "Points",
                               .n = 3 * (size_t)npoints,
                               .components = 3,
                               .real = x,
                               .number = dim};
    const data_array connectivity = {.kind = CELLS,
                                     .name = "connectivity",
                                     .n = (size_t)ncells * (size_t)nodes_per_cell,
                                     .components = 1,
                                     .integer = cell};
    const data_array offsets = {.kind = OFFSETS,
                                .name = "offsets",
                                .n = (size_t)ncells,
                                .components = 1,
                                .number = nodes_per_cell};
    const data_array types = {
        .kind = TYPES, .name = "types", .n = (size_t)ncells, .components = 1, .number = cell_type};
    sab_status status = SAB_OK;
    sab_vtu *v = NULL;

    assert(1 <= dim && dim <= 3 && isfinite(time));
    for (size_t i = 0; i < connectivity.n; i++)
        assert(0 <= cell[i] && cell[i] < npoints); /* ParaView would crash */
    *vtu = NULL;
    SAB_NEW(v, 1);
    v->float32 = float32;
    v->npoints = npoints;
    v->ncells = ncells;
    SAB_TRY(start_zlib(v, err));
    SAB_TRY(sab_file_open(path, &v->file, err));
    fprintf(v->file.stream,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\""
            " header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\">\n"
            "  <UnstructuredGrid>\n"
            "    <FieldData>\n"
            "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\""
            " format=\"ascii\">%.17g</DataArray>\n"
            "    </FieldData>\n"
            "    <Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n"
            "      <Points>\n",
            time, npoints, ncells);
    SAB_TRY(write_array(v, &points, err));
    fputs("      </Points>\n      <Cells>\n", v->file.stream);
    SAB_TRY(write_array(v, &connectivity, err));
    SAB_TRY(write_array(v, &offsets, err));
    SAB_TRY(write_array(v, &types, err));
    fputs("      </Cells>\n", v->file.stream);
    *vtu = v;
    v = NULL;
cleanup:
    sab_vtu_abort(&v);
    return status;
}

/* Close the element that is open and open the next. */
static void enter(sab_vtu *vtu, section next)
{
    static const char *const element[] = {"", "PointData", "CellData"};

    if (next == vtu->section)
        return;
    if (vtu->section != SECTION_NONE)
        fprintf(vtu->file.stream, "      </%s>\n", element[vtu->section]);
    if (next != SECTION_NONE)
        fprintf(vtu->file.stream, "      <%s>\n", element[next]);
    vtu->section = next;
}

static sab_status add_array(sab_vtu *vtu, section where, const char *name, int components,
                            const char *const *component_name, const double *value, sab_error *err)
{
    const int tuples = where == SECTION_POINT ? vtu->npoints : vtu->ncells;
    const data_array a = {.kind = REALS,
                          .name = name,
                          .n = (size_t)tuples * (size_t)components,
                          .components = components,
                          .component_name = component_name,
                          .real = value};

    assert(vtu->section <= where && components > 0);
    if (vtu->status != SAB_OK)
        return sab_fail(err, vtu->status, "'%s' has already failed", vtu->file.path);
    enter(vtu, where);
    return write_array(vtu, &a, err);
}

sab_status sab_vtu_point_array(sab_vtu *vtu, const char *name, int components,
                               const char *const *component_name, const double *value,
                               sab_error *err)
{
    return add_array(vtu, SECTION_POINT, name, components, component_name, value, err);
}

sab_status sab_vtu_cell_array(sab_vtu *vtu, const char *name, int components,
                              const char *const *component_name, const double *value,
                              sab_error *err)
{
    return add_array(vtu, SECTION_CELL, name, components, component_name, value, err);
}

sab_status sab_vtu_close(sab_vtu **vtu, sab_error *err)
{
    sab_vtu *v = *vtu;
    sab_status status = v->status;

    if (status == SAB_OK) {
        enter(v, SECTION_NONE);
        fputs("    </Piece>\n  </UnstructuredGrid>\n</VTKFile>\n", v->file.stream);
        status = sab_file_close(&v->file, err);
    } else {
        sab_fail(err, status, "'%s' is not written: one of its arrays failed", v->file.path);
    }
    sab_vtu_abort(vtu); /* what remains after the commit is memory */
    return status;
}

void sab_vtu_abort(sab_vtu **vtu)
{
    if (*vtu == NULL)
        return;
    sab_file_abort(&(*vtu)->file);
    if ((*vtu)->zlib_ready)
        deflateEnd(&(*vtu)->zlib);
    SAB_FREE((*vtu)->packed);
    SAB_FREE(*vtu);
}

sab_status sab_pvd_write(const char *path, int n, const double *time, const char *const *file,
                         sab_error *err)
{
    sab_file out;
    const sab_status status = sab_file_open(path, &out, err);

    if (status != SAB_OK)
        return status;
    fputs("<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
          "  <Collection>\n",
          out.stream);
    for (int i = 0; i < n; i++) {
        fprintf(out.stream, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"", time[i]);
        write_escaped(out.stream, file[i]);
        fputs("\"/>\n", out.stream);
    }
    fputs("  </Collection>\n</VTKFile>\n", out.stream);
    return sab_file_close(&out, err);
}

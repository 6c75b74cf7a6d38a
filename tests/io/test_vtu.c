/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer against a decoder of our own, bit for bit. `test_vtu DIR` writes the sample files
 * fields_0000.vtu, fields_0001.vtu, gauss.vtu and fields.pvd there instead, for check_vtu.py. */
#include "io_test.h"

#include "grid.h"
#include "io/output.h"
#include "io/vtu.h"

#include <math.h>
#include <stdint.h>
#include <zlib.h>

/* --- decoder ---------------------------------------------------------------------------------- */

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c != '\0' ? strchr(digits, c) : NULL;

    return at != NULL ? (int)(at - digits) : -1;
}

/* Decode `size` bytes; returns the characters used, which fill whole groups of four. */
static size_t base64_decode(const char *text, unsigned char *data, size_t size)
{
    const size_t groups = (size + 2) / 3;
    int bad = 0;

    for (size_t g = 0; g < groups; g++) {
        unsigned bits = 0;

        for (size_t i = 0; i < 4; i++) {
            const char c = text[4 * g + i];
            const int expected = 3 * g + i <= size; /* else padding */

            bad += expected ? base64_digit(c) < 0 : c != '=';
            bits = bits << 6 | (expected ? (unsigned)base64_digit(c) : 0);
        }
        for (size_t i = 0; i < 3 && 3 * g + i < size; i++)
            data[3 * g + i] = (unsigned char)(bits >> (16 - 8 * i) & 255);
    }
    CU_ASSERT_EQUAL(bad, 0);
    return 4 * groups;
}

typedef struct decoded {
    char tag[512]; /* <DataArray ...> */
    size_t size, nblocks;
    unsigned char *data; /* free it */
} decoded;

static decoded decode(const char *xml, const char *name)
{
    decoded d = {{0}, 0, 0, NULL};
    char key[80];
    uint64_t *header;
    size_t packed = 0;

    snprintf(key, sizeof key, "Name=\"%s\"", name);
    const char *at = strstr(xml, key);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    const char *tag = at;
    while (*tag != '<')
        tag--;
    at = strchr(at, '>') + 1;
    snprintf(d.tag, sizeof d.tag, "%.*s", (int)(at - tag), tag);
    at += strspn(at, " \n");

    unsigned char first[9];
    base64_decode(at, first, 9);
    memcpy(&d.nblocks, first, 8); /* this test runs on little-endian machines */
    CU_ASSERT_FATAL(d.nblocks < 1000);
    header = calloc(3 + d.nblocks, 8);
    CU_ASSERT_PTR_NOT_NULL_FATAL(header);
    at += base64_decode(at, (unsigned char *)header, 8 * (3 + d.nblocks));
    CU_ASSERT_EQUAL(header[1], 32768);
    CU_ASSERT(header[2] < 32768);
    for (size_t k = 0; k < d.nblocks; k++)
        packed += header[3 + k];
    unsigned char *blocks = malloc(packed + 1), *next = blocks;
    d.data = malloc(d.nblocks * 32768 + 1);
    CU_ASSERT_FATAL(blocks != NULL && d.data != NULL);
    at += base64_decode(at, blocks, packed);
    CU_ASSERT_EQUAL(strncmp(at, "\n        </DataArray>", 21), 0);
    for (size_t k = 0; k < d.nblocks; k++) {
        const size_t expected = k + 1 == d.nblocks && header[2] > 0 ? header[2] : 32768;
        uLongf size = 32768;

        CU_ASSERT_EQUAL(uncompress(d.data + d.size, &size, next, header[3 + k]), Z_OK);
        CU_ASSERT_EQUAL(size, expected);
        d.size += size;
        next += header[3 + k];
    }
    free(blocks);
    free(header);
    return d;
}

/* The array `name` holds these doubles, rounded if float32. */
static void assert_reals(const char *xml, const char *name, int float32, const double *value,
                         size_t n)
{
    decoded d = decode(xml, name);
    const size_t size = float32 ? 4 : 8;
    int different = 0;

    CU_ASSERT_PTR_NOT_NULL(strstr(d.tag, float32 ? "\"Float32\"" : "\"Float64\""));
    CU_ASSERT_EQUAL(d.size, n * size);
    CU_ASSERT_EQUAL(d.nblocks, (n * size + 32767) / 32768);
    for (size_t i = 0; i < n && d.size == n * size; i++) {
        const float rounded = (float)value[i];
        different +=
            memcmp(d.data + i * size, float32 ? (const void *)&rounded : &value[i], size) != 0;
    }
    CU_ASSERT_EQUAL(different, 0);
    free(d.data);
}

/* --- sample: a unit square of P2 triangles, no point shared --------------------------------- */

enum { SIDE = 10, CELLS = 2 * SIDE * SIDE, POINTS = 6 * CELLS };

typedef struct sample {
    double x[POINTS][2], x3[POINTS][3];
    int cell[CELLS][6];
    double pressure[POINTS];    /* x^2 + x y */
    double velocity[POINTS][3]; /* (y^2, -x^2, 0) */
    double stress[POINTS][6];
    double jump[POINTS]; /* constant in each triangle */
    double region[CELLS];
    double frame[CELLS][3];
} sample;

static const char *const stress_names[] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};

static void sample_fill(sample *m)
{
    static const double node[2][6][2] = {
        {{0, 0}, {1, 0}, {1, 1}, {0.5, 0}, {1, 0.5}, {0.5, 0.5}},
        {{0, 0}, {1, 1}, {0, 1}, {0.5, 0.5}, {0.5, 1}, {0, 0.5}},
    };

    for (int e = 0; e < CELLS; e++) {
        m->region[e] = e % 7;
        for (int i = 0; i < 3; i++)
            m->frame[e][i] = e + 0.1 * i;
        for (int a = 0; a < 6; a++) {
            const int p = 6 * e + a;
            const double x = (e / 2 % SIDE + node[e % 2][a][0]) / SIDE;
            const double y = (e / 2 / SIDE + node[e % 2][a][1]) / SIDE;

            m->cell[e][a] = p;
            m->x[p][0] = m->x3[p][0] = x;
            m->x[p][1] = m->x3[p][1] = y;
            m->pressure[p] = x * x + x * y;
            m->velocity[p][0] = y * y;
            m->velocity[p][1] = -x * x;
            m->jump[p] = e % 2 + x;
            for (int i = 0; i < 6; i++)
                m->stress[p][i] = i + x / 3.0;
        }
    }
}

static sab_status sample_write(const char *path, const sample *m, bool float32, double time,
                               sab_error *err)
{
    sab_status status = SAB_OK;
    sab_vtu *vtu = NULL;

    SAB_TRY(sab_vtu_open(path, float32, time, 2, POINTS, m->x[0], CELLS, 6,
                         sab_cell_triangle.vtk_type, m->cell[0], &vtu, err));
    SAB_TRY(sab_vtu_point_array(vtu, "pressure", 1, NULL, m->pressure, err));
    SAB_TRY(sab_vtu_point_array(vtu, "velocity", 3, NULL, m->velocity[0], err));
    SAB_TRY(sab_vtu_point_array(vtu, "stress", 6, stress_names, m->stress[0], err));
    SAB_TRY(sab_vtu_point_array(vtu, "jump", 1, NULL, m->jump, err));
    SAB_TRY(sab_vtu_cell_array(vtu, "region", 1, NULL, m->region, err));
    SAB_TRY(sab_vtu_cell_array(vtu, "frame", 3, (const char *const[]){"a", "b<&>\"", "c"},
                               m->frame[0], err));
    SAB_TRY(sab_vtu_close(&vtu, err));
cleanup:
    sab_vtu_abort(&vtu);
    return status;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void check_sample(bool float32)
{
    sab_error err = {0};
    sample *m = calloc(1, sizeof *m);

    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    sample_fill(m);
    m->pressure[0] = NAN; /* written as given, down to the bits */
    m->pressure[1] = -INFINITY;
    m->pressure[2] = -0.0;
    scratch_create();
    const char *path = scratch_path("a.vtu");
    CU_ASSERT_EQUAL(sample_write(path, m, float32, 0.1, &err), SAB_OK);
    CU_ASSERT_EQUAL(count_files(scratch), 1);
    char *xml = slurp(path, NULL);

    CU_ASSERT_PTR_NOT_NULL(strstr(xml,
                                  "version=\"1.0\" byte_order=\"LittleEndian\" "
                                  "header_type=\"UInt64\" compressor=\"vtkZLibDataCompressor\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(xml, "format=\"ascii\">0.10000000000000001</DataArray>"));
    CU_ASSERT_PTR_NOT_NULL(strstr(xml, "<Piece NumberOfPoints=\"1200\" NumberOfCells=\"200\">"));
    CU_ASSERT(strstr(xml, "<PointData>") < strstr(xml, "</PointData>"));
    CU_ASSERT(strstr(xml, "</PointData>") < strstr(xml, "<CellData>"));
    CU_ASSERT(strstr(xml, "<CellData>") < strstr(xml, "</CellData>"));
    assert_reals(xml, "Points", float32, m->x3[0], 3 * POINTS);
    assert_reals(xml, "pressure", float32, m->pressure, POINTS);
    assert_reals(xml, "velocity", float32, m->velocity[0], 3 * POINTS);
    assert_reals(xml, "stress", float32, m->stress[0], 6 * POINTS);
    assert_reals(xml, "region", float32, m->region, CELLS);
    assert_reals(xml, "frame", float32, m->frame[0], 3 * CELLS);

    decoded d = decode(xml, "stress");
    CU_ASSERT_PTR_NOT_NULL(strstr(d.tag, "NumberOfComponents=\"6\" ComponentName0=\"XX\""));
    free(d.data);
    CU_ASSERT_PTR_NOT_NULL(strstr(xml, "ComponentName1=\"b&lt;&amp;&gt;&quot;\""));
    d = decode(xml, "connectivity");
    CU_ASSERT_PTR_NOT_NULL(strstr(d.tag, "\"Int32\""));
    CU_ASSERT_EQUAL(d.size, 4 * POINTS);
    CU_ASSERT_EQUAL(memcmp(d.data, m->cell, d.size), 0);
    free(d.data);
    d = decode(xml, "offsets");
    CU_ASSERT_PTR_NOT_NULL(strstr(d.tag, "\"Int64\""));
    CU_ASSERT_EQUAL(d.size, 8 * CELLS);
    for (int64_t e = 0, offset; e < CELLS; e++) {
        memcpy(&offset, d.data + 8 * e, 8);
        CU_ASSERT_EQUAL(offset, 6 * (e + 1));
    }
    free(d.data);
    d = decode(xml, "types");
    CU_ASSERT_PTR_NOT_NULL(strstr(d.tag, "\"UInt8\""));
    CU_ASSERT_EQUAL(d.size, CELLS);
    for (int e = 0; e < CELLS; e++)
        CU_ASSERT_EQUAL(d.data[e], 22);
    free(d.data);
    free(xml);
    free(m);
    remove(path);
    scratch_remove();
}

static void test_float64(void)
{
    check_sample(false);
}

static void test_float32(void)
{
    check_sample(true);
}

/* Random numbers (zlib cannot shrink them) in arrays that end before, at and after a block. */
static void test_block_boundaries(void)
{
    static const int sizes[] = {0, 1, 2, 3, 4095, 4096, 4097, 8192, 8193, 32768, 32769};
    enum { MOST = 32769 };
    unsigned long long state = 3;
    double *x = malloc(3 * MOST * sizeof *x), *value = malloc(MOST * sizeof *value);
    int *cell = malloc(MOST * sizeof *cell);

    CU_ASSERT_FATAL(x != NULL && value != NULL && cell != NULL);
    for (int i = 0; i < MOST; i++) {
        cell[i] = i;
        value[i] = sab_test_random(&state) / 3.0;
        for (int j = 0; j < 3; j++)
            x[3 * i + j] = sab_test_random(&state) / 3.0;
    }
    scratch_create();
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        const int n = sizes[k / 2], float32 = k % 2;
        const char *path = scratch_path("a.vtu");
        sab_vtu *vtu = NULL;

        CU_ASSERT_EQUAL(
            sab_vtu_open(path, float32, 0.0, 3, n, x, n, 1, SAB_VTK_VERTEX, cell, &vtu, NULL),
            SAB_OK);
        CU_ASSERT_EQUAL(sab_vtu_point_array(vtu, "value", 1, NULL, value, NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_vtu_close(&vtu, NULL), SAB_OK);
        CU_ASSERT_PTR_NULL(vtu);
        char *xml = slurp(path, NULL);
        assert_reals(xml, "Points", float32, x, 3 * (size_t)n);
        assert_reals(xml, "value", float32, value, (size_t)n);
        decoded d = decode(xml, "types");
        CU_ASSERT_EQUAL(d.size, (size_t)n);
        CU_ASSERT(n == 0 || d.data[n - 1] == 1);
        free(d.data);
        d = decode(xml, "connectivity");
        CU_ASSERT_EQUAL(d.size, 4 * (size_t)n);
        CU_ASSERT_EQUAL(memcmp(d.data, cell, d.size), 0);
        free(d.data);
        free(xml);
        remove(path);
    }
    free(x);
    free(value);
    free(cell);
    scratch_remove();
}

static void test_refusals(void)
{
    sab_error err = {0};
    sab_vtu *vtu = (sab_vtu *)&err; /* must be overwritten */

    scratch_create();
    CU_ASSERT_EQUAL(sab_vtu_open(scratch_path("no/a.vtu"), false, 0.0, 2, 1, (double[]){0, 0}, 1, 1,
                                 SAB_VTK_VERTEX, (int[]){0}, &vtu, &err),
                    SAB_ERR_IO);
    CU_ASSERT_PTR_NULL(vtu);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no/a.vtu"));
    sab_vtu_abort(&vtu); /* harmless */
    scratch_remove();
}

static void test_out_of_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;
    sample *m = calloc(1, sizeof *m);
    int failures = -1;

    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    sample_fill(m);
    scratch_create();
    const char *path = scratch_path("a.vtu");
    for (int k = 0; status != SAB_OK && k < 100; k++) {
        sab_error err = {0};

        sab_memory.failing = k;
        status = sample_write(path, m, false, 1.0, &err);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT(status == SAB_OK || strstr(err.message, "out of memory") != NULL);
        CU_ASSERT_EQUAL(count_files(scratch), status == SAB_OK);
        failures++;
    }
    sab_memory.failing = -1;
    CU_ASSERT(failures > 10);
    remove(path);

    /* close after a failed array fails too: a file with a hole is never committed */
    sab_error err = {0};
    sab_vtu *vtu = NULL;
    CU_ASSERT_EQUAL(sab_vtu_open(path, false, 0.0, 2, POINTS, m->x[0], CELLS, 6,
                                 sab_cell_triangle.vtk_type, m->cell[0], &vtu, &err),
                    SAB_OK);
    sab_memory.failing = 0;
    CU_ASSERT_EQUAL(sab_vtu_point_array(vtu, "jump", 1, NULL, m->jump, &err), SAB_ERR_MEMORY);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "while writing array 'jump'"));
    CU_ASSERT_EQUAL(sab_vtu_cell_array(vtu, "region", 1, NULL, m->region, &err), SAB_ERR_MEMORY);
    CU_ASSERT_EQUAL(sab_vtu_close(&vtu, &err), SAB_ERR_MEMORY);
    CU_ASSERT_PTR_NULL(vtu);
    CU_ASSERT_EQUAL(count_files(scratch), 0);
    sab_memory.failing = -1;
    free(m);
    scratch_remove();
}

static void test_disk_full(void)
{
    sab_error err = {0};
    sample *m = calloc(1, sizeof *m);

    CU_ASSERT_PTR_NOT_NULL_FATAL(m);
    sample_fill(m);
    if (scratch_mount("size=16k")) {
        const char *path = scratch_path("a.vtu");

        spit(path, "old", 3);
        CU_ASSERT_EQUAL(sample_write(path, m, false, 1.0, &err), SAB_ERR_IO);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No space left on device"));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, path));
        CU_ASSERT_EQUAL(count_files(scratch), 1);
        scratch_unmount();
    }
    free(m);
}

static sab_status pvd_sample(const char *path)
{
    return sab_pvd_write(path, 2, (double[]){0.5, 1.5},
                         (const char *const[]){"fields_0000.vtu", "fields_0001.vtu"}, NULL);
}

static void test_pvd(void)
{
    scratch_create();
    const char *path = scratch_path("fields.pvd");
    CU_ASSERT_EQUAL(sab_pvd_write(path, 0, NULL, NULL, NULL), SAB_OK);
    CU_ASSERT_EQUAL(pvd_sample(path), SAB_OK);
    char *xml = slurp(path, NULL);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(xml, "<DataSet timestep=\"1.5\" part=\"0\" file=\"fields_0001.vtu\"/>"));
    free(xml);
    CU_ASSERT_EQUAL(count_files(scratch), 1);
    remove(path);
    for (int k = 0; k < 2; k++) {
        sab_memory.failing = k;
        CU_ASSERT_EQUAL(pvd_sample(path), SAB_ERR_MEMORY);
        CU_ASSERT_EQUAL(count_files(scratch), 0);
    }
    sab_memory.failing = -1;
    scratch_remove();
}

/* fields_NNNN.vtu of a flow: arrays that it always has, those of mu(I), and the recovered ones,
 * nodal values repeated in each element; tensors XX YY ZZ XY YZ XZ. The table of a wall. */
static void test_fields(void)
{
    static const double wall[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    double s[2] = {0.5, 1.5}, x[4] = {1, 2, 3, 4};
    sab_wall_trace table = {.dim = 2, .components = 2, .nrows = 2, .s = s, .x = x};
    const sab_mu_i mu_i = {.resting = 0.3, .flowing = 0.6, .I0 = 0.3, .grain = 0.1};
    sab_mesh *mesh = sab_grid_create(&(sab_grid){1, 1, 0, 0, 1, 1, 0.0, 0.0, 0.0});
    sab_space *space = NULL;
    sab_fields *f = NULL;
    double pressure[9], stress[9][3], at_point[12], tensor[12][6];

    CU_ASSERT_EQUAL_FATAL(mesh->nnodes, 9);
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2, &sab_geometry_plane, &space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_fields_create(space, &f, NULL), SAB_OK);
    for (int n = 0; n < 9; n++) {
        pressure[n] = 100.0 + n;
        for (int c = 0; c < 3; c++)
            stress[n][c] = 10.0 * n + c;
    }
    for (int i = 0; i < 12; i++) {
        const double *a = stress[mesh->element[i]];

        at_point[i] = pressure[mesh->element[i]];
        f->friction[i] = 0.3 + 0.01 * i;
        f->inertial_number[i] = 0.001 * i;
        memcpy(tensor[i], (double[6]){a[0] + a[1], a[0] - a[1], a[0], a[2]}, sizeof tensor[i]);
    }
    scratch_create();
    const char *path = scratch_path("f.vtu");
    for (int k = 0; k < 2; k++) {
        f->law.mu_i = k == 1 ? &mu_i : NULL;
        CU_ASSERT_EQUAL(sab_output_fields(path, f, k == 1 ? pressure : NULL,
                                          k == 1 ? stress[0] : NULL, 0.0, false, NULL),
                        SAB_OK);
        char *xml = slurp(path, NULL);
        CU_ASSERT_PTR_NOT_NULL(strstr(xml, "\"yield_ratio\""));
        CU_ASSERT_EQUAL(strstr(xml, "_recovered") != NULL, k == 1);
        CU_ASSERT_EQUAL(strstr(xml, "\"friction\"") != NULL, k == 1);
        if (k == 1) {
            assert_reals(xml, "pressure_recovered", false, at_point, 12);
            assert_reals(xml, "stress_recovered", false, tensor[0], 72);
            assert_reals(xml, "friction", false, f->friction, 12);
            assert_reals(xml, "inertial_number", false, f->inertial_number, 12);
        }
        free(xml);
    }
    remove(path);
    for (int columns = 2; columns <= 4; columns += 2) {
        CU_ASSERT_EQUAL(
            sab_output_wall(path, &sab_geometry_plane, &table, columns, wall, NULL, NULL, NULL),
            SAB_OK);
        char *csv = slurp(path, NULL);
        CU_ASSERT_STRING_EQUAL(csv, columns == 2
                                        ? "s,x,y,normal,shear\n0.5,1,2,1,2\n1.5,3,4,3,4\n"
                                        : "s,x,y,normal,shear,normal_recovered,shear_recovered\n"
                                          "0.5,1,2,1,2,3,4\n1.5,3,4,5,6,7,8\n");
        free(csv);
    }
    table.nrows = 1;
    CU_ASSERT_EQUAL(
        sab_output_wall(path, &sab_geometry_plane, &table, 2, wall, wall + 2, NULL, NULL), SAB_OK);
    char *csv = slurp(path, NULL);
    CU_ASSERT_STRING_EQUAL(csv, "s,x,y,normal,shear,normal_deviation,shear_deviation\n"
                                "0.5,1,2,1,2,3,4\n");
    free(csv);
    remove(path);
    scratch_remove();
    sab_fields_destroy(&f);
    sab_space_destroy(&space);
    sab_mesh_destroy(&mesh);
}

/* The cells of a file are those of the mesh: node i of the cell stands at its place in the order of
 * VTK, which is that of mesh/cell.h for triangles and tetrahedra alike. */
static void assert_cells(const char *xml, const sab_cell *cell, int n, const int *node)
{
    decoded d = decode(xml, "connectivity"), types = decode(xml, "types");
    const int32_t *found = (const void *)d.data;
    int different = 0;

    CU_ASSERT_EQUAL_FATAL(d.size, (size_t)(n * cell->nodes) * sizeof *found);
    for (int i = 0; i < n * cell->nodes; i++)
        different += found[i - i % cell->nodes + cell->vtk[i % cell->nodes]] != node[i];
    CU_ASSERT_EQUAL(different, 0);
    CU_ASSERT_EQUAL_FATAL(types.size, (size_t)n);
    for (int i = 0; i < n; i++)
        CU_ASSERT_EQUAL(types.data[i], cell->vtk_type);
    free(d.data);
    free(types.data);
}

/* About an axis tensors have the hoop in third place and say so; velocities have three components.
 * In space: quadratic tetrahedra, all components of a tensor. */
static void test_geometries(void)
{
    static const sab_geometry *const both[2] = {&sab_geometry_axisymmetric, &sab_geometry_space};
    static const char *const says[2] = {
        "ComponentName0=\"RR\" ComponentName1=\"ZZ\" ComponentName2=\"TT\" "
        "ComponentName3=\"RZ\"",
        "ComponentName0=\"XX\" ComponentName1=\"YY\" ComponentName2=\"ZZ\" "
        "ComponentName3=\"XY\""};

    for (int g = 0; g < 2; g++) {
        const int dim = both[g]->dim, s = both[g]->s;
        sab_mesh *mesh = g == 0 ? sab_grid_create(&(sab_grid){1, 1, 1, 0, 2, 1, 0.0, 0.0, 0.0})
                                : sab_grid_box(&(sab_box){.n = {1, 1, 1}, .high = {1, 1, 1}});
        const sab_cell *cell = mesh->cell;
        const int n = cell->nodes * mesh->nelements;
        sab_space *space = NULL;
        sab_fields *f = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, g == 0 ? &sab_element_p2b : &sab_element_p2nb,
                                               both[g], &space, NULL),
                              SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_fields_create(space, &f, NULL), SAB_OK);
        double *velocity = calloc(3 * (size_t)n, sizeof *velocity);
        double *tensor = calloc(6 * (size_t)n, sizeof *tensor);
        double *weight = calloc((size_t)space->npoints, sizeof *weight), volume = 0.0;
        int *own = calloc((size_t)n, sizeof *own);
        for (int i = 0; i < s * n; i++)
            f->stress[i] = sin(1.0 + i);
        for (int i = 0; i < dim * mesh->nnodes; i++)
            f->velocity[i] = cos(1.0 + i);
        for (int i = 0; i < n; i++) {
            own[i] = i;
            memcpy(velocity + 3 * i, f->velocity + dim * mesh->element[i],
                   (size_t)dim * sizeof *velocity);
            both[g]->tensor(f->stress + s * i, tensor + 6 * i);
        }
        for (int q = 0; q < space->npoints; q++) {
            weight[q] = (g == 0 ? 2.0 * 3.14159265358979323846 : 1.0) * space->weight[q];
            volume += weight[q];
        }
        SAB_ASSERT_CLOSE(volume, g == 0 ? 3.0 * 3.14159265358979323846 : 1.0, 1e-13);
        scratch_create();
        const char *path = scratch_path("f.vtu");
        CU_ASSERT_EQUAL(sab_output_fields(path, f, NULL, NULL, 0.0, false, NULL), SAB_OK);
        char *xml = slurp(path, NULL);
        assert_cells(xml, cell, mesh->nelements, own);
        assert_reals(xml, "velocity", false, velocity, 3 * (size_t)n);
        assert_reals(xml, "stress", false, tensor, 6 * (size_t)n);
        CU_ASSERT_PTR_NOT_NULL(strstr(xml, says[g]));
        free(xml);
        CU_ASSERT_EQUAL(sab_output_gauss(path, f, 0.0, false, NULL), SAB_OK);
        xml = slurp(path, NULL);
        assert_reals(xml, "weight", false, weight, (size_t)space->npoints);
        free(xml);
        /* a profile: names and as many coordinates as the mesh has */
        CU_ASSERT_EQUAL(sab_output_profile(path, both[g], g == 0, "velocity", both[g]->coordinate,
                                           1, (double[3]){1, 2, 3}, dim, (double[3]){4, 5, 6}, NULL,
                                           NULL, NULL),
                        SAB_OK);
        char *csv = slurp(path, NULL);
        CU_ASSERT_STRING_EQUAL(csv, g == 0 ? "s,r,z,velocity_r,velocity_z\n0,1,2,4,5\n"
                                           : "x,y,z,velocity_x,velocity_y,velocity_z\n"
                                             "1,2,3,4,5,6\n");
        free(csv);
        remove(path);
        scratch_remove();
        free(velocity);
        free(tensor);
        free(weight);
        free(own);
        sab_fields_destroy(&f);
        sab_space_destroy(&space);
        sab_mesh_destroy(&mesh);
    }
}

/* A wall in space: its table and its surface. A constant stress comes back at all points,
 * those of the rim among them, where `measured` is 0. */
static void test_surface(void)
{
    sab_mesh *mesh = sab_grid_box(&(sab_box){.n = {3, 3, 1}, .high = {3, 3, 1}});
    const int group = sab_mesh_find_group(mesh, "bottom");
    int *owner = calloc((size_t)mesh->nnodes, sizeof *owner);
    sab_wall_trace *wall = NULL;
    double stress[4][4], normal[49], measured[49], shear[147];

    CU_ASSERT_EQUAL_FATAL(
        sab_wall_create(mesh, &sab_geometry_space, group, owner, 0, 0, &wall, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(wall->nrows, 4); /* 2 x 2 inner vertices */
    CU_ASSERT_EQUAL_FATAL(wall->npoints, 49);
    for (int i = 0; i < 4; i++)
        memcpy(stress[i], (double[4]){10.0, 1.0, 2.0, 0.0}, sizeof stress[i]);
    for (int i = 0; i < 49; i++) {
        normal[i] = 10.0;
        measured[i] = wall->row[i] >= 0;
        memcpy(shear + 3 * i, (double[3]){1.0, 2.0, 0.0}, 3 * sizeof *shear);
    }
    scratch_create();
    const char *path = scratch_path("wall.vtu");
    CU_ASSERT_EQUAL(sab_output_wall_surface(path, wall, 4, stress[0], stress[0], 1.5, false, NULL),
                    SAB_OK);
    char *xml = slurp(path, NULL);
    assert_cells(xml, &sab_cell_triangle, 18, wall->cell);
    assert_reals(xml, "normal", false, normal, 49);
    assert_reals(xml, "shear", false, shear, 147);
    assert_reals(xml, "normal_deviation", false, normal, 49);
    assert_reals(xml, "measured", false, measured, 49);
    CU_ASSERT_PTR_NULL(strstr(xml, "_recovered"));
    free(xml);
    SAB_ASSERT_CLOSE(wall->area[0], 1.0, 1e-14);
    wall->nrows = 1;
    wall->area[0] = 1.0;
    CU_ASSERT_EQUAL(
        sab_output_wall(path, &sab_geometry_space, wall, 4, stress[0], NULL, NULL, NULL), SAB_OK);
    char *csv = slurp(path, NULL);
    CU_ASSERT_STRING_EQUAL(csv, "x,y,z,area,normal,shear_x,shear_y,shear_z\n1,1,0,1,10,1,2,0\n");
    free(csv);
    remove(path);
    scratch_remove();
    sab_wall_destroy(&wall);
    sab_mesh_destroy(&mesh);
    free(owner);
}

static int write_samples(const char *directory)
{
    sample *m = calloc(1, sizeof *m);
    sab_error err = {0};
    sab_vtu *vtu = NULL;
    char path[512];
    int result = 1;

    if (m == NULL)
        return 1;
    sample_fill(m);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/fields_%04d.vtu", directory, k);
        if (sample_write(path, m, k == 1, 0.5 + k, &err) != SAB_OK)
            goto cleanup;
    }
    snprintf(path, sizeof path, "%s/gauss.vtu", directory);
    for (int e = 0; e < CELLS; e++)
        m->cell[e / 6][e % 6] = e;
    if (sab_vtu_open(path, false, 0.5, 2, CELLS, m->x[0], CELLS, 1, SAB_VTK_VERTEX, m->cell[0],
                     &vtu, &err) != SAB_OK ||
        sab_vtu_point_array(vtu, "value", 1, NULL, m->region, &err) != SAB_OK ||
        sab_vtu_close(&vtu, &err) != SAB_OK)
        goto cleanup;
    snprintf(path, sizeof path, "%s/fields.pvd", directory);
    result = pvd_sample(path) != SAB_OK;
cleanup:
    if (result != 0)
        fprintf(stderr, "%s\n", err.message);
    sab_vtu_abort(&vtu);
    free(m);
    return result;
}

int main(int argc, char **argv)
{
    static const sab_test tests[] = {{"Float64, read back", test_float64},
                                     {"Float32, read back", test_float32},
                                     {"block boundaries", test_block_boundaries},
                                     {"bad targets are refused", test_refusals},
                                     {"a full disk leaves the old file", test_disk_full},
                                     {"out of memory", test_out_of_memory},
                                     {"index of a series", test_pvd},
                                     {"fields of a flow", test_fields},
                                     {"fields about an axis and in space", test_geometries},
                                     {"the surface of a wall", test_surface}};

    if (argc > 1)
        return write_samples(argv[1]);
    return SAB_TEST_MAIN("io/vtu", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Global problems of FCLIB, written here by the HDF5 library in all the forms its matrices have,
 * against the same problem as a .sabp; what is refused, and how. */
#include "io_test.h"

#include "io/program_file.h"
#include "solve/solve.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { BODIES = 3, CONTACTS = 4, S = 3, F = 6, N = BODIES * F, ROWS = CONTACTS * S };
enum { TRIPLETS = 0, COLUMNS = -1, LINES = -2 };
typedef enum triangle { WHOLE, LOWER, UPPER } triangle;

/* M v = H r + f, u = H' v + w: dense, as the test has it. */
typedef struct problem {
    double M[N][N], H[N][ROWS], f[N], w[ROWS], mu[CONTACTS];
} problem;

/* Bodies with full blocks of mass; contacts 0 (with the ground), 0-1, 1-2, 2. */
static problem make(void)
{
    static const int body[CONTACTS][2] = {{0, -1}, {0, 1}, {1, 2}, {2, -1}};
    unsigned long long seed = 12;
    problem p = {0};

    for (int b = 0; b < BODIES; b++)
        for (int i = 0; i < F; i++)
            for (int j = 0; j <= i; j++) {
                const double value = i == j ? 3.0 + b : sab_test_random(&seed) - 0.5;

                p.M[b * F + i][b * F + j] = p.M[b * F + j][b * F + i] = value;
            }
    for (int q = 0; q < CONTACTS; q++)
        for (int e = 0; e < 2 && body[q][e] >= 0; e++)
            for (int i = 0; i < F; i++)
                for (int k = 0; k < S; k++)
                    p.H[body[q][e] * F + i][q * S + k] = 2.0 * sab_test_random(&seed) - 1.0;
    for (int i = 0; i < N; i++)
        p.f[i] = 4.0 * sab_test_random(&seed) - 2.0;
    for (int i = 0; i < ROWS; i++)
        p.w[i] = 0.2 * sab_test_random(&seed) - 0.1;
    for (int q = 0; q < CONTACTS; q++)
        p.mu[q] = 0.2 + 0.1 * q;
    return p;
}

static void put(hid_t file, const char *group, const char *name, bool real, int n,
                const void *value)
{
    const hsize_t size = (hsize_t)n;
    char path[100];

    snprintf(path, sizeof path, "/fclib_global/%s%s%s", group, group[0] != '\0' ? "/" : "", name);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, path, real ? H5T_IEEE_F64LE : H5T_STD_I32LE, space,
                                 H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CU_ASSERT_FATAL(set >= 0);
    CU_ASSERT_FATAL(n == 0 || H5Dwrite(set, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT, H5S_ALL,
                                       H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* A dense matrix as triplets (one of them in two parts), compressed columns or rows. */
static void put_matrix(hid_t file, const char *group, int m, int n, const double *a, int form,
                       triangle part)
{
    static int p[N * N + 2], i[N * N + 2];
    static double x[N * N + 2];
    const int lines = form == LINES ? m : n, across = form == LINES ? n : m;
    int count = 0;
    char path[100];

    p[0] = 0;
    for (int line = 0; line < lines; line++) {
        for (int c = 0; c < across; c++) {
            const int row = form == LINES ? line : c, column = form == LINES ? c : line;
            const double value = a[row * n + column];

            if (value == 0.0 || (part == LOWER && row < column) || (part == UPPER && row > column))
                continue;
            x[count] = value;
            i[count] = c;
            if (form == TRIPLETS)
                p[count] = line;
            count++;
        }
        if (form != TRIPLETS)
            p[line + 1] = count;
    }
    if (form == TRIPLETS) {
        x[count] = 0.25 * x[0];
        x[0] *= 0.75;
        i[count] = i[0];
        p[count] = p[0];
        count++;
    }
    snprintf(path, sizeof path, "/fclib_global/%s", group);
    H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put(file, group, "m", false, 1, &m);
    put(file, group, "n", false, 1, &n);
    put(file, group, "nzmax", false, 1, &count);
    put(file, group, "nz", false, 1, &(int){form == TRIPLETS ? count : form});
    put(file, group, "p", false, form == TRIPLETS ? count : lines + 1, p);
    put(file, group, "i", false, count, i);
    put(file, group, "x", true, count, x);
}

static hid_t begin(const char *path, const char *group)
{
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);

    CU_ASSERT_FATAL(file >= 0);
    H5Gclose(H5Gcreate2(file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return file;
}

static void write_problem(const char *path, const problem *p, int form, triangle part)
{
    const hid_t file = begin(path, "/fclib_global");

    put(file, "", "spacedim", false, 1, &(int){S});
    put_matrix(file, "M", N, N, &p->M[0][0], form, part);
    put_matrix(file, "H", N, ROWS, &p->H[0][0], form, WHOLE);
    H5Gclose(H5Gcreate2(file, "/fclib_global/vectors", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    put(file, "vectors", "f", true, N, p->f);
    put(file, "vectors", "w", true, ROWS, p->w);
    put(file, "vectors", "mu", true, CONTACTS, p->mu);
    H5Fclose(file);
}

/* The same as a program, without scales; all columns in each block. */
static sab_program *direct(const problem *p)
{
    sab_program *made = NULL;
    int64_t at = 0;

    CU_ASSERT_FATAL(sab_program_create(S, CONTACTS, N, &made, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_program_set_ranges(made, 1,
                                           &(sab_point_range){SAB_POINTS_CONTACT, 0, CONTACTS, S},
                                           NULL) == SAB_OK);
    made->inertial = true;
    CU_ASSERT_FATAL(sab_sparse_create(N, BODIES * F * (F + 1) / 2, true, &made->A, NULL) == SAB_OK);
    for (int j = 0; j < N; j++) {
        for (int i = j; i < N; i++)
            if (p->M[i][j] != 0.0) {
                made->A->row[at] = i;
                made->A->value[at++] = p->M[i][j];
            }
        made->A->start[j + 1] = at;
    }
    CU_ASSERT_FATAL(sab_blocks_create(S, CONTACTS, N, CONTACTS, CONTACTS * N, CONTACTS * N * S,
                                      &made->B, NULL) == SAB_OK);
    for (int q = 0; q < CONTACTS; q++) {
        made->B->point[q + 1] = q + 1;
        made->B->column_start[q + 1] = (q + 1) * N;
        made->B->value_start[q + 1] = (q + 1) * N * S;
        made->weight[q] = made->r[q] = 1.0;
        made->friction[q] = p->mu[q];
        for (int j = 0; j < N; j++) {
            made->B->column[q * N + j] = j;
            for (int k = 0; k < S; k++)
                made->B->value[(q * S + k) * N + j] = p->H[j][q * S + k];
        }
    }
    memcpy(made->l, p->f, sizeof p->f);
    memcpy(made->k, p->w, sizeof p->w);
    return made;
}

static void solve(const sab_program *p, double *u)
{
    sab_solver_options o = sab_solver_options_default();
    sab_solver *solver = NULL;
    double lambda[ROWS] = {0};
    sab_report report;

    memset(u, 0, N * sizeof *u);
    o.tolerance = 1e-11;
    CU_ASSERT_FATAL(sab_solver_create(&o, p, &solver, NULL) == SAB_OK);
    CU_ASSERT_FATAL(sab_solver_run(solver, p, true, lambda, u, NULL, &report, NULL) == SAB_OK);
    CU_ASSERT(report.reason == SAB_CONVERGED);
    sab_solver_destroy(&solver);
}

/* Every form of the matrices: the rows of B are those of H, scaled, and the velocities are those of
 * the .sabp. */
static void test_forms(void)
{
    static const int form[] = {TRIPLETS, COLUMNS, LINES};
    const problem p = make();
    sab_program *plain = direct(&p), *read = NULL;
    double u[N], v[N], x[N], gamma[2][ROWS];
    unsigned long long seed = 3;
    int loaded = 0;

    scratch_create();
    CU_ASSERT_FATAL(sab_program_write(scratch_path("test_fclib.sabp"), plain, NULL) == SAB_OK);
    sab_program_destroy(&plain);
    CU_ASSERT_FATAL(sab_program_read(scratch_path("test_fclib.sabp"), &plain, NULL) == SAB_OK);
    solve(plain, u);
    for (int i = 0; i < N; i++)
        x[i] = sab_test_random(&seed);
    sab_blocks_multiply(plain->B, x, gamma[0]);
    for (int k = 0; k < 9; k++) {
        sab_error err = {0};

        write_problem(scratch_path("test_fclib.hdf5"), &p, form[k / 3], (triangle)(k % 3));
        CU_ASSERT_FATAL(sab_program_read(scratch_path("test_fclib.hdf5"), &read, &err) == SAB_OK);
        CU_ASSERT(read->n == N && read->npoints == CONTACTS && read->s == S);
        CU_ASSERT_EQUAL(read->B->column_start[CONTACTS], 6 * F); /* no column of zeros */
        sab_blocks_multiply(read->B, x, gamma[1]);
        for (int q = 0; q < CONTACTS; q++) {
            const double c = gamma[1][q * S] / gamma[0][q * S];

            CU_ASSERT(c > 0.0);
            for (int i = 0; i < S; i++) {
                CU_ASSERT_DOUBLE_EQUAL(gamma[1][q * S + i], c * gamma[0][q * S + i], 1e-12);
                CU_ASSERT_DOUBLE_EQUAL(read->k[q * S + i], c * p.w[q * S + i], 1e-12);
            }
        }
        solve(read, v);
        for (int i = 0; i < N; i++)
            CU_ASSERT_DOUBLE_EQUAL(v[i], u[i], 1e-8);
        sab_program_destroy(&read);
    }
    sab_blocks_multiply(plain->B, u, gamma[0]);
    for (int q = 0; q < CONTACTS; q++)
        loaded += fabs(gamma[0][q * S] + p.w[q * S]) < 1e-8;
    CU_ASSERT(loaded > 0); /* some contact bears: the law has been asked */
    sab_program_destroy(&plain);
}

static void refused(const char *said)
{
    sab_program *p = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_program_read(scratch_path("test_fclib.hdf5"), &p, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(p);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, said));
    if (strstr(err.message, said) == NULL)
        printf("'%s' has no '%s'\n", err.message, said);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "test_fclib.hdf5"));
}

static void replace(const char *group, const char *name, bool real, int n, const void *value)
{
    const problem p = make();
    char path[100];

    write_problem(scratch_path("test_fclib.hdf5"), &p, TRIPLETS, WHOLE);
    const hid_t file = H5Fopen(scratch_path("test_fclib.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
    snprintf(path, sizeof path, "/fclib_global/%s%s%s", group, group[0] != '\0' ? "/" : "", name);
    H5Ldelete(file, path, H5P_DEFAULT);
    if (n >= 0)
        put(file, group, name, real, n, value);
    H5Fclose(file);
}

static void test_refused(void)
{
    problem p = make();
    double values[N * N] = {0};
    hid_t file;

    p.M[1][0] *= 1.001;
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    refused("M is not symmetric");
    p = make();
    p.M[1][0] = 0.0;
    write_problem(scratch_path("test_fclib.hdf5"), &p, LINES, WHOLE);
    refused("M is not symmetric");
    p = make();
    for (int j = 0; j < N; j++)
        p.H[j][3] = p.H[j][4] = p.H[j][5] = 0.0;
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    refused("contact 1 has 0 unknowns");
    p = make();
    p.mu[2] = -0.1;
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    refused("mu = -0.1");
    p = make();
    p.f[3] = NAN;
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    refused("finite");
    replace("", "spacedim", false, 1, &(int){4});
    refused("spacedim' is 4");
    replace("", "spacedim", false, 1, &(int){2}); /* 12 columns are 6 contacts then */
    refused("'/fclib_global/vectors/mu' has 4 numbers, and should have 6");
    replace("vectors", "mu", true, -1, NULL);
    refused("there is no '/fclib_global/vectors/mu'");
    replace("vectors", "f", true, N - 1, values);
    refused("'/fclib_global/vectors/f' has 17 numbers, and should have 18");
    replace("H", "nz", false, 1, &(int){-3});
    refused("do not fit nz = -3");
    replace("H", "nz", false, 1, &(int){100000});
    refused("do not fit nz = 100000");
    replace("M", "n", false, 1, &(int){5});
    refused("of M, at");
    replace("M", "m", false, 1, &(int){-5});
    refused("M is -5 x 18");
    replace("M", "x", false, 3, (int[]){1, 2, 3});
    refused("'/fclib_global/M/x' is no array of real numbers");
    replace("M", "nz", false, 2, (int[]){1, 2});
    refused("has 2 numbers, and should have one");

    p = make();
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    file = H5Fopen(scratch_path("test_fclib.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
    put_matrix(file, "G", N, 2, values, COLUMNS, WHOLE);
    H5Fclose(file);
    refused("2 bilateral constraints");
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    file = H5Fopen(scratch_path("test_fclib.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t starts = H5Dopen2(file, "/fclib_global/H/p", H5P_DEFAULT);
    int start[ROWS + 1] = {0};
    H5Dread(starts, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, start);
    start[1] = start[2] + 1; /* a column that ends before it begins */
    H5Dwrite(starts, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, start);
    H5Dclose(starts);
    H5Fclose(file);
    refused("do not fit nz = -1");
    H5Fclose(begin(scratch_path("test_fclib.hdf5"), "/fclib_local"));
    refused("local problem");
    H5Fclose(begin(scratch_path("test_fclib.hdf5"), "/other"));
    refused("no problem of FCLIB");
    write_problem(scratch_path("test_fclib.hdf5"), &p, COLUMNS, WHOLE);
    CU_ASSERT_FATAL(truncate(scratch_path("test_fclib.hdf5"), 700) == 0);
    refused("damaged, or not whole");
}

static void test_memory(void)
{
    const problem p = make();
    const long before = sab_memory.live;
    sab_status status = SAB_ERR_MEMORY;

    write_problem(scratch_path("test_fclib.hdf5"), &p, TRIPLETS, WHOLE);
    for (long k = 0; status == SAB_ERR_MEMORY; k++) {
        sab_program *read = NULL;
        sab_error err;

        sab_memory.failing = k;
        status = sab_program_read(scratch_path("test_fclib.hdf5"), &read, &err);
        sab_memory.failing = -1;
        sab_program_destroy(&read);
        CU_ASSERT_EQUAL(sab_memory.live, before);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    unlink(scratch_path("test_fclib.hdf5"));
    unlink(scratch_path("test_fclib.sabp"));
    rmdir(scratch);
}

int main(void)
{
    static const sab_test tests[] = {{"all forms of matrices, against a .sabp", test_forms},
                                     {"what is refused", test_refused},
                                     {"failing memory", test_memory}};

    return SAB_TEST_MAIN("io/fclib", tests);
}

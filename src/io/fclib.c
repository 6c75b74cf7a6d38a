/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/fclib.h"

#include "base/memory.h"
#include "io/hdf5_file.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An entry of a matrix. */
typedef struct entry {
    int64_t major, minor, part; /* what it is sorted by: column, row, 0 */
    double value;
} entry;

typedef struct matrix {
    int64_t m, n, entries;
    entry *entry; /* [entries] owned */
} matrix;

typedef struct name {
    char text[80];
} name;

static name path_of(const char *group, const char *what)
{
    name n;

    snprintf(n.text, sizeof n.text, "/fclib_global/%s/%s", group, what);
    return n;
}

static sab_status get_whole(const sab_hdf5 *file, const char *path, int64_t *value, sab_error *err)
{
    int64_t *list = NULL, n;
    sab_status status = SAB_OK;

    SAB_TRY(sab_hdf5_wholes(file, path, &n, &list, err));
    if (n != 1)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s' has %lld numbers, and should have one", path,
                 (long long)n);
    *value = list[0];
cleanup:
    SAB_FREE(list);
    return status;
}

/* nz >= 0: so many triplets, p columns, i rows; -1: compressed columns, p their starts; ROWS:
 * compressed rows. */
enum { ROWS = -2 };
typedef struct packed {
    int64_t nz, np, ni, nx, *p, *i;
    double *x;
} packed;

/* How many entries there are; -1 if the arrays do not fit. */
static int64_t count_entries(const packed *k, int64_t lines)
{
    int64_t n = k->nz;

    if (k->nz < 0) {
        if (k->nz < ROWS || k->np != lines + 1 || k->p[0] != 0)
            return -1;
        for (int64_t line = 0; line < lines; line++)
            if (k->p[line + 1] < k->p[line])
                return -1;
        n = k->p[lines];
    } else if (k->np < n)
        return -1;
    return n <= k->ni && n <= k->nx ? n : -1;
}

static sab_status unpack(const char *group, const packed *k, matrix *a, sab_error *err)
{
    const int64_t lines = k->nz == ROWS ? a->m : a->n;
    sab_status status = SAB_OK;

    a->entries = count_entries(k, lines);
    if (a->entries < 0)
        SAB_FAIL(err, SAB_ERR_INPUT, "the arrays p, i, x of the matrix %s do not fit nz = %lld",
                 group, (long long)k->nz);
    SAB_NEW(a->entry, a->entries + 1);
    for (int64_t e = 0, line = 0; e < a->entries; e++) {
        while (k->nz < 0 && k->p[line + 1] <= e)
            line++;
        const int64_t first = k->nz < 0 ? line : k->p[e], second = k->i[e],
                      column = k->nz == ROWS ? second : first, row = k->nz == ROWS ? first : second;

        if (column < 0 || column >= a->n || row < 0 || row >= a->m)
            SAB_FAIL(err, SAB_ERR_INPUT, "entry %lld of %s, at (%lld, %lld), is not in %lld x %lld",
                     (long long)e, group, (long long)row, (long long)column, (long long)a->m,
                     (long long)a->n);
        a->entry[e] = (entry){column, row, 0, k->x[e]};
    }
cleanup:
    return status;
}

static sab_status get_matrix(const sab_hdf5 *file, const char *group, matrix *a, sab_error *err)
{
    packed k = {0};
    sab_status status = SAB_OK;

    SAB_TRY(get_whole(file, path_of(group, "m").text, &a->m, err));
    SAB_TRY(get_whole(file, path_of(group, "n").text, &a->n, err));
    SAB_TRY(get_whole(file, path_of(group, "nz").text, &k.nz, err));
    if (a->m < 0 || a->m > INT_MAX / 8 || a->n < 0 || a->n > INT_MAX / 8)
        SAB_FAIL(err, SAB_ERR_INPUT, "the matrix %s is %lld x %lld", group, (long long)a->m,
                 (long long)a->n);
    SAB_TRY(sab_hdf5_wholes(file, path_of(group, "p").text, &k.np, &k.p, err));
    SAB_TRY(sab_hdf5_wholes(file, path_of(group, "i").text, &k.ni, &k.i, err));
    SAB_TRY(sab_hdf5_reals(file, path_of(group, "x").text, &k.nx, &k.x, err));
    SAB_TRY(unpack(group, &k, a, err));
cleanup:
    SAB_FREE(k.p);
    SAB_FREE(k.i);
    SAB_FREE(k.x);
    return status;
}

static int by_place(const void *a, const void *b)
{
    const entry *x = a, *y = b;

    if (x->major != y->major)
        return x->major < y->major ? -1 : 1;
    if (x->minor != y->minor)
        return x->minor < y->minor ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

static bool is_same(const entry *a, const entry *b)
{
    return by_place(a, b) == 0;
}

/* Sort, and add up what has one place; returns how many are left. */
static int64_t gather(int64_t n, entry *list)
{
    int64_t kept = 0;

    if (n > 1)
        qsort(list, (size_t)n, sizeof *list, by_place);
    for (int64_t e = 0; e < n; e++)
        if (kept > 0 && is_same(&list[kept - 1], &list[e]))
            list[kept - 1].value += list[e].value;
        else
            list[kept++] = list[e];
    return kept;
}

/* What (i, j) and (j, i) differ by at most, of the two triangles one after the other: lower, and
 * the upper turned over; what one lacks is zero there. */
static double difference(int64_t n, const entry *lower, int64_t m, const entry *upper)
{
    double apart = 0.0;

    for (int64_t e = 0, f = 0; e < n || f < m;) {
        const int order = e == n ? 1 : f == m ? -1 : by_place(&lower[e], &upper[f]);
        const double a = order <= 0 ? lower[e].value : 0.0, b = order >= 0 ? upper[f].value : 0.0;

        if (order >= 0 || lower[e].major != lower[e].minor) /* the diagonal is below only */
            apart = fmax(apart, fabs(a - b));
        e += order <= 0;
        f += order >= 0;
    }
    return apart;
}

/* The lower triangle of M, which may be stored whole or as either triangle. SAB_ERR_INPUT if both
 * are there and differ. */
static sab_status fill_mass(const matrix *m, sab_program *p, sab_error *err)
{
    entry *lower = NULL, *upper = NULL;
    int64_t below = 0, above = 0, diagonal = 0;
    double largest = 0.0;
    sab_status status = SAB_OK;

    SAB_NEW(lower, m->entries + 1);
    SAB_NEW(upper, m->entries + 1);
    for (int64_t e = 0; e < m->entries; e++) {
        const int64_t column = m->entry[e].major, row = m->entry[e].minor;
        const double value = m->entry[e].value;

        largest = fmax(largest, fabs(value));
        diagonal += row == column;
        if (row >= column)
            lower[below++] = m->entry[e];
        else if (value != 0.0)
            upper[above++] = (entry){row, column, 0, value};
    }
    const bool half = below == diagonal; /* the upper one alone: it goes to the lower */
    for (int64_t e = 0; half && e < above; e++)
        lower[below++] = upper[e];
    below = gather(below, lower);
    above = gather(above, upper);
    const double apart = half || above == 0 ? 0.0 : difference(below, lower, above, upper);
    if (apart > 1e-10 * largest)
        SAB_FAIL(
            err, SAB_ERR_INPUT,
            "M is not symmetric: entries (i, j) and (j, i) differ by up to %.3g of the largest "
            "one",
            apart / largest);
    SAB_TRY(sab_sparse_create(p->n, below, true, &p->A, err));
    for (int64_t e = 0; e < below; e++) {
        p->A->start[lower[e].major + 1]++;
        p->A->row[e] = lower[e].minor;
        p->A->value[e] = lower[e].value;
    }
    for (int j = 0; j < p->n; j++)
        p->A->start[j + 1] += p->A->start[j];
cleanup:
    SAB_FREE(lower);
    SAB_FREE(upper);
    return status;
}

/* A block for each contact: its unknowns are the rows of H that its s columns have. */
static sab_status fill_contacts(matrix *h, sab_program *p, sab_error *err)
{
    const int s = p->s;
    int64_t columns = 0, at = 0;
    sab_status status = SAB_OK;

    for (int64_t e = 0; e < h->entries; e++) { /* contact, unknown, component */
        entry *x = &h->entry[e];

        *x = (entry){x->major / s, x->minor, x->major % s, x->value};
    }
    h->entries = gather(h->entries, h->entry);
    for (int64_t e = 0; e < h->entries; e++)
        columns += e == 0 || h->entry[e].major != h->entry[e - 1].major ||
                   h->entry[e].minor != h->entry[e - 1].minor;
    SAB_TRY(sab_blocks_create(s, p->npoints, p->n, p->npoints, columns, columns * s, &p->B, err));
    for (int q = 0; q < p->npoints; q++) {
        const int64_t first = at, begin = p->B->column_start[q], values = p->B->value_start[q];
        int64_t wide = 0;

        for (; at < h->entries && h->entry[at].major == q; at++)
            if (at == first || h->entry[at].minor != h->entry[at - 1].minor)
                p->B->column[begin + wide++] = (int)h->entry[at].minor;
        if (wide == 0 || wide > SAB_BLOCK_COLUMNS)
            SAB_FAIL(err, SAB_ERR_INPUT, "contact %d has %lld unknowns; from 1 to %d can be", q,
                     (long long)wide, SAB_BLOCK_COLUMNS);
        p->B->point[q + 1] = q + 1;
        p->B->column_start[q + 1] = begin + wide;
        p->B->value_start[q + 1] = values + wide * s;
        for (int64_t e = first, c = 0; e < at; e++) {
            c += e > first && h->entry[e].minor != h->entry[e - 1].minor;
            p->B->value[values + h->entry[e].part * wide + c] = h->entry[e].value;
        }
    }
cleanup:
    return status;
}

/* Scale contact q by (s / tr W_qq)^(1/2), W = B A^-1 B'. */
static sab_status scale_contacts(sab_program *p, sab_error *err)
{
    const int s = p->s;
    sab_factor *factor = NULL;
    double *row = NULL, *x = NULL;
    sab_status status = SAB_OK;

    SAB_NEW(row, p->n);
    SAB_NEW(x, p->n);
    SAB_TRY(sab_factor_create(NULL, p->A, &factor, err));
    SAB_TRY(sab_factor_update(factor, p->A, err));
    for (int q = 0; q < p->npoints; q++) {
        const int64_t first = p->B->column_start[q], wide = p->B->column_start[q + 1] - first;
        double *value = p->B->value + p->B->value_start[q], trace = 0.0;

        for (int i = 0; i < s; i++) {
            for (int64_t c = 0; c < wide; c++)
                row[p->B->column[first + c]] = value[i * wide + c];
            SAB_TRY(sab_factor_solve(factor, row, x, err));
            for (int64_t c = 0; c < wide; c++) {
                trace += value[i * wide + c] * x[p->B->column[first + c]];
                row[p->B->column[first + c]] = 0.0;
            }
        }
        if (!(trace > 0.0 && isfinite(trace)))
            SAB_FAIL(err, SAB_ERR_INPUT, "contact %d moves nothing: its columns of H are zero", q);
        const double c = sqrt(s / trace);
        for (int64_t k = 0; k < s * wide; k++)
            value[k] *= c;
        for (int i = 0; i < s; i++)
            p->k[q * s + i] *= c;
    }
cleanup:
    sab_factor_destroy(&factor);
    SAB_FREE(row);
    SAB_FREE(x);
    return status;
}

static sab_status get_vector(const sab_hdf5 *file, const char *what, int64_t n, double *to,
                             sab_error *err)
{
    const name path = path_of("vectors", what);
    double *value = NULL;
    int64_t count;
    sab_status status = SAB_OK;

    SAB_TRY(sab_hdf5_reals(file, path.text, &count, &value, err));
    if (count != n)
        SAB_FAIL(err, SAB_ERR_INPUT, "'%s' has %lld numbers, and should have %lld", path.text,
                 (long long)count, (long long)n);
    memcpy(to, value, (size_t)n * sizeof *to);
cleanup:
    SAB_FREE(value);
    return status;
}

/* What kinds of problems there are, and which this one is. */
static sab_status check_kind(const sab_hdf5 *file, sab_error *err)
{
    int64_t bilateral = 0;
    sab_status status = SAB_OK;

    if (!sab_hdf5_has(file, "/fclib_global"))
        SAB_FAIL(err, SAB_ERR_INPUT,
                 sab_hdf5_has(file, "/fclib_local")
                     ? "it is a local problem of FCLIB (W and q alone); only global ones (M, H, f, "
                       "w, mu) can be read"
                     : "it is an HDF5 file, but no problem of FCLIB: there is no '/fclib_global'");
    if (sab_hdf5_has(file, "/fclib_global/G"))
        SAB_TRY(get_whole(file, "/fclib_global/G/n", &bilateral, err));
    if (bilateral != 0)
        SAB_FAIL(err, SAB_ERR_INPUT,
                 "it has %lld bilateral constraints (G); only contacts can be solved",
                 (long long)bilateral);
cleanup:
    return status;
}

static sab_status check_sizes(int64_t s, const matrix *m, const matrix *h, sab_error *err)
{
    if (s != 2 && s != 3)
        return sab_fail(err, SAB_ERR_INPUT,
                        "'/fclib_global/spacedim' is %lld, and should be 2 or 3", (long long)s);
    if (m->m != m->n || m->n == 0 || h->m != m->n || h->n == 0 || h->n % s != 0)
        return sab_fail(
            err, SAB_ERR_INPUT,
            "M is %lld x %lld and H %lld x %lld: M must be square, H have as many rows, "
            "and %lld columns for each contact",
            (long long)m->m, (long long)m->n, (long long)h->m, (long long)h->n, (long long)s);
    return SAB_OK;
}

sab_status sab_fclib_read(const char *path, sab_program **program, sab_error *err)
{
    sab_hdf5 *file = NULL;
    matrix m = {0}, h = {0};
    sab_program *p = NULL;
    int64_t s;
    sab_status status = SAB_OK;

    *program = NULL;
    SAB_TRY(sab_hdf5_open(path, &file, err));
    SAB_TRY(check_kind(file, err));
    SAB_TRY(get_whole(file, "/fclib_global/spacedim", &s, err));
    SAB_TRY(get_matrix(file, "M", &m, err));
    SAB_TRY(get_matrix(file, "H", &h, err));
    SAB_TRY(check_sizes(s, &m, &h, err));
    SAB_TRY(sab_program_create((int)s, (int)(h.n / s), (int)m.n, &p, err));
    SAB_TRY(sab_program_set_ranges(
        p, 1, &(sab_point_range){SAB_POINTS_CONTACT, 0, p->npoints, p->s}, err));
    p->inertial = true;
    for (int q = 0; q < p->npoints; q++)
        p->weight[q] = p->r[q] = 1.0;
    SAB_TRY(get_vector(file, "f", m.n, p->l, err));
    SAB_TRY(get_vector(file, "w", h.n, p->k, err));
    SAB_TRY(get_vector(file, "mu", h.n / s, p->friction, err));
    SAB_TRY(fill_mass(&m, p, err));
    SAB_TRY(fill_contacts(&h, p, err));
    SAB_TRY(scale_contacts(p, err));
    SAB_TRY(sab_program_check(p, err));
    *program = p;
    p = NULL;
cleanup:
    sab_hdf5_close(&file);
    sab_program_destroy(&p);
    SAB_FREE(m.entry);
    SAB_FREE(h.entry);
    return status;
}

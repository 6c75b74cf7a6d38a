/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/solve/synthetic.h -- small cone programs without mesh code: P2 triangles on a rectangle cut
 * into nx x ny cells, and random blocks for any s. */
#ifndef SAB_TESTS_SOLVE_SYNTHETIC_H
#define SAB_TESTS_SOLVE_SYNTHETIC_H

#include "base/memory.h"
#include "cone/cone.h"
#include "solve/program.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct synthetic {
    int nx, ny;
    double width, height;
    double viscosity, mass; /* 2/Re, 1/dt */
    double mu, sigma, zeta;
    double gravity[2];
    /* Dirichlet values at (x, y): bit 0 of the answer fixes u[0], bit 1 u[1] */
    int (*fixed)(double x, double y, double *u);
} synthetic;

/* Take everything, or give up the test program: a test has no cleanup to do. */
static inline void synthetic_require(sab_status status, const sab_error *err)
{
    if (status != SAB_OK) {
        fprintf(stderr, "synthetic program: %s\n", err->message);
        abort();
    }
}

/* A = sum m_q B_q^T diag(b v_q, v_q, ...) B_q + diag(mass), viscosity v_q = program->viscosity. */
static inline void synthetic_assemble(sab_program *p, const double *mass)
{
    const int s = p->s;
    double *C = sab_alloc((size_t)p->npoints * (size_t)(s * s), sizeof *C);
    sab_scatter *scatter = NULL;
    sab_error err;

    for (int q = 0; q < p->npoints; q++)
        for (int i = 0; i < s; i++)
            C[q * s * s + i * s + i] = p->weight[q] * p->viscosity[q] * (i == 0 ? p->bulk : 1.0);
    synthetic_require(sab_blocks_pattern(p->B, true, &p->A, &err), &err);
    synthetic_require(sab_scatter_create(p->B, p->A, &scatter, &err), &err);
    sab_blocks_assemble(p->B, C, scatter, p->A);
    for (int j = 0; j < p->n; j++) /* the diagonal comes first in its column */
        p->A->value[p->A->start[j]] += mass[j];
    sab_scatter_destroy(&scatter);
    sab_free(C);
}

/* Gradients of the P2 shape functions at barycentric (a, b, c): vertices 0 1 2, then the middles
 * of the edges 01 12 20. */
static inline void synthetic_p2(const double x[3][2], const double bary[3], double grad[6][2])
{
    const double det =
        (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);

    double g[3][2];
    for (int a = 0; a < 3; a++) {
        const double *y = x[(a + 1) % 3], *z = x[(a + 2) % 3];
        g[a][0] = (y[1] - z[1]) / det;
        g[a][1] = (z[0] - y[0]) / det;
    }
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < 2; i++) {
            const int b = (a + 1) % 3;
            grad[a][i] = (4.0 * bary[a] - 1.0) * g[a][i];
            grad[3 + a][i] = 4.0 * (bary[a] * g[b][i] + bary[b] * g[a][i]);
        }
}

static inline sab_program *synthetic_create(const synthetic *spec)
{
    const int nodes_x = 2 * spec->nx + 1, nodes = nodes_x * (2 * spec->ny + 1);
    const int triangles = 2 * spec->nx * spec->ny;
    const double hx = spec->width / (2 * spec->nx), hy = spec->height / (2 * spec->ny);
    static const int corner[2][6][2] = {{{0, 0}, {2, 0}, {2, 2}, {1, 0}, {2, 1}, {1, 1}},
                                        {{0, 0}, {2, 2}, {0, 2}, {1, 1}, {1, 2}, {0, 1}}};
    int *unknown = malloc((size_t)nodes * 2 * sizeof *unknown), n = 0;
    double *value = calloc((size_t)nodes * 2, sizeof *value);
    sab_program *p = NULL;
    sab_error err;

    for (int node = 0; node < nodes; node++) {
        double *v = value + 2 * node;
        const int bits = spec->fixed(node % nodes_x * hx, node / nodes_x * hy, v);
        for (int i = 0; i < 2; i++)
            unknown[2 * node + i] = (bits >> i & 1) ? -1 : n++;
    }
    synthetic_require(sab_program_create(3, 3 * triangles, n, &p, &err), &err);
    synthetic_require(sab_blocks_create(3, 3 * triangles, n, triangles, 12 * (int64_t)triangles,
                                        108 * (int64_t)triangles, &p->B, &err),
                      &err);
    double *mass = calloc((size_t)n, sizeof *mass);
    for (int e = 0, column = 0, entry = 0; e < triangles; e++) {
        const int i0 = e / 2 % spec->nx * 2, j0 = e / 2 / spec->nx * 2;
        const double area = 2.0 * hx * hy;
        double x[3][2];
        int dof[12];
        for (int a = 0; a < 6; a++) {
            const int i = i0 + corner[e % 2][a][0], j = j0 + corner[e % 2][a][1];
            if (a < 3) {
                x[a][0] = i * hx;
                x[a][1] = j * hy;
            }
            for (int c = 0; c < 2; c++) {
                dof[2 * a + c] = 2 * (j * nodes_x + i) + c;
                const int k = unknown[dof[2 * a + c]];
                if (k >= 0) {
                    p->l[k] += a < 3 ? 0.0 : spec->gravity[c] * area / 3.0;
                    mass[k] += spec->mass * area / 6.0;
                }
            }
        }
        p->B->point[e] = 3 * e;
        p->B->column_start[e] = column;
        p->B->value_start[e] = entry;
        for (int k = 0; k < 12; k++)
            if (unknown[dof[k]] >= 0)
                p->B->column[column++] = unknown[dof[k]];
        for (int g = 0; g < 3; g++) {
            const double bary[3] = {g == 0 ? 2.0 / 3 : 1.0 / 6, g == 1 ? 2.0 / 3 : 1.0 / 6,
                                    g == 2 ? 2.0 / 3 : 1.0 / 6};
            const int q = 3 * e + g;
            double grad[6][2];
            synthetic_p2(x, bary, grad);
            p->weight[q] = 2.0 * area / 3.0;
            p->viscosity[q] = p->r[q] = spec->viscosity;
            p->friction[q] = spec->mu;
            p->yield[q] = spec->sigma;
            p->dilatancy[q] = spec->zeta;
            for (int row = 0; row < 3; row++)
                for (int k = 0; k < 12; k++) { /* ((xx+yy)/2, (xx-yy)/2, xy) of D */
                    const double dx = grad[k / 2][0], dy = grad[k / 2][1];
                    const double b = 0.5 * (row == 0   ? (k % 2 ? dy : dx)
                                            : row == 1 ? (k % 2 ? -dy : dx)
                                                       : (k % 2 ? dx : dy));
                    if (unknown[dof[k]] >= 0)
                        p->B->value[entry++] = b;
                    else
                        p->k[3 * q + row] += b * value[dof[k]];
                }
        }
        p->B->point[e + 1] = 3 * e + 3;
        p->B->column_start[e + 1] = column;
        p->B->value_start[e + 1] = entry;
    }
    p->bulk = 1.0;
    p->r_is_safe = true;
    synthetic_assemble(p, mass);
    double *f = calloc((size_t)(3 * p->npoints), sizeof *f);
    for (int i = 0; i < 3 * p->npoints; i++) /* l - A_D u_D */
        f[i] = -p->weight[i / 3] * p->viscosity[i / 3] * p->k[i];
    sab_blocks_multiply_transpose(p->B, f, p->l);
    free(f);
    free(mass);
    free(unknown);
    free(value);
    return p;
}

/* Random blocks of 3 points and 2s+2 columns over n unknowns; weights and steps vary by point. */
static inline sab_program *synthetic_random(int s, int nblocks, int n, double mu, double zeta,
                                            double sigma, unsigned long long *seed)
{
    const int columns = 2 * s + 2;
    sab_program *p = NULL;
    sab_error err;

    synthetic_require(sab_program_create(s, 3 * nblocks, n, &p, &err), &err);
    synthetic_require(sab_blocks_create(s, 3 * nblocks, n, nblocks, (int64_t)nblocks * columns,
                                        (int64_t)nblocks * columns * 3 * s, &p->B, &err),
                      &err);
    for (int e = 0; e < nblocks; e++) {
        const int first = (int)((int64_t)e * n / nblocks); /* every column is in some block */
        p->B->point[e + 1] = 3 * (e + 1);
        p->B->column_start[e + 1] = (int64_t)(e + 1) * columns;
        p->B->value_start[e + 1] = (int64_t)(e + 1) * columns * 3 * s;
        for (int k = 0; k < columns; k++)
            p->B->column[e * columns + k] = (first + k) % n;
    }
    for (int64_t i = 0; i < p->B->value_start[nblocks]; i++)
        p->B->value[i] = 2.0 * sab_test_random(seed) - 1.0;
    for (int q = 0; q < p->npoints; q++) {
        p->weight[q] = 0.1 + sab_test_random(seed);
        p->viscosity[q] = p->r[q] = 0.5 + sab_test_random(seed);
        p->friction[q] = mu;
        p->dilatancy[q] = zeta;
        p->yield[q] = sigma;
    }
    for (int i = 0; i < n; i++)
        p->l[i] = 2.0 * sab_test_random(seed) - 1.0;
    p->bulk = 1.0;
    p->r_is_safe = true;
    double *mass = calloc((size_t)n, sizeof *mass);
    synthetic_assemble(p, mass);
    free(mass);
    return p;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stability of the pairs on unstructured meshes [docs/theory.md, 10.1]: the inf-sup constant
 *     beta = min_p max_v int p div v / (|p| (int 2 D(v):D(v))^1/2),   v = 0 on the whole boundary,
 * beta^2 being the smallest eigenvalue of M^-1/2 G A^-1 G^T M^-1/2 on the pressures that some v
 * sees. In the basis of the law points M is diagonal. */
#include "unit.h"

#include "base/memory.h"
#include "fem/bubble.h"
#include "fem/points.h"
#include "grid.h"
#include "linalg/factor.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>

typedef enum pair { PLAIN, ALFELD, BUBBLE, PAIRS } pair;
static const char *const pair_name[PAIRS] = {"plain", "alfeld", "p2b"};

/* A domain, its meshes, and the groups where the velocity is 0; others slip. */
typedef struct domain {
    const sab_geometry *geometry;
    const char *file;
    char *held[6], *slips;
} domain;

static const domain channel = {
    &sab_geometry_plane, "meshes/channel.geo", {"wall", "inlet", "outlet"}, NULL};
static const domain pipe = {
    &sab_geometry_axisymmetric, "meshes/pipe.geo", {"wall", "inlet", "outlet"}, "axis"};

static const domain cube = {&sab_geometry_space,
                            "meshes/block.geo",
                            {"left", "right", "front", "back", "bottom", "top"},
                            NULL};

static sab_mesh *read_mesh(const domain *where, int n, bool split)
{
    const sab_mesh_parameter parameter[] = {{"L", 1.0}, {"n", n}, {"structured", 0.0}};
    sab_mesh *coarse = NULL, *fine = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_mesh_read(where->file, 2, 3, parameter, &coarse, NULL), SAB_OK);
    if (!split)
        return coarse;
    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &fine, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    return fine;
}

static sab_dofs *held_everywhere(const domain *where, const sab_mesh *mesh, int faces)
{
    sab_boundary boundary[7];
    sab_dofs *dofs = NULL;
    int group[7], n = 0;

    for (; n < 6 && where->held[n] != NULL; n++)
        boundary[n] = (sab_boundary){
            .group = where->held[n], .has_velocity = true, .prescribed = {true, true, true}};
    if (where->slips != NULL)
        boundary[n++] = (sab_boundary){.group = where->slips, .slip = true};
    for (int b = 0; b < n; b++)
        group[b] = sab_mesh_find_group(mesh, boundary[b].group);
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(mesh, where->geometry, faces, n, boundary, group, 0.0, &dofs, NULL),
        SAB_OK);
    return dofs;
}

/* A = int 2 D(u):D(v) = sum_q 4 w_q gamma_q(u).gamma_q(v), factored. */
static sab_factor *factor_stiffness(const sab_space *space, const sab_dofs *dofs,
                                    const sab_blocks *B)
{
    const int s = B->s;
    double *C = sab_alloc((size_t)(s * s) * (size_t)B->npoints, sizeof *C);
    sab_sparse *A = NULL;
    sab_scatter *scatter = NULL;
    sab_factor *factor = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(B, true, &A, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(B, A, &scatter, NULL), SAB_OK);
    for (int q = 0; q < B->npoints; q++)
        for (int c = 0; c < s; c++)
            C[s * s * q + c * (s + 1)] = 4.0 * space->weight[q];
    sab_blocks_assemble(B, C, scatter, A);
    sab_scatter_destroy(&scatter);
    if (space->remainder != NULL) { /* what the law does not see of bubbles */
        sab_points *rest = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_points_remainder(space, dofs, &rest, NULL), SAB_OK);
        CU_ASSERT_EQUAL_FATAL(sab_scatter_create(rest->B, A, &scatter, NULL), SAB_OK);
        double *R = sab_alloc((size_t)(s * s) * (size_t)rest->n, sizeof *R);
        for (int p = 0; p < rest->n; p++)
            for (int c = 0; c < s; c++)
                R[s * s * p + c * (s + 1)] = 4.0 * space->remainder_factor * rest->weight[p];
        sab_blocks_assemble(rest->B, R, scatter, A);
        SAB_FREE(R);
        sab_scatter_destroy(&scatter);
        sab_points_destroy(&rest);
    }
    CU_ASSERT_EQUAL_FATAL(sab_factor_create(NULL, A, &factor, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_factor_update(factor, A, NULL), SAB_OK);
    sab_sparse_destroy(&A);
    SAB_FREE(C);
    return factor;
}

/* S_pq = (sqrt(w_p) div_p) A^-1 (sqrt(w_q) div_q)^T with div = sqrt(2d) gamma_N, [n][n]. */
static double *schur_complement(const sab_space *space, const sab_blocks *B, sab_factor *factor)
{
    const size_t n = (size_t)B->npoints, s = (size_t)B->s;
    const double trace = sab_geometry_trace(space->geometry);
    double *S = sab_alloc(n * n, sizeof *S), *y = sab_alloc(s * n, sizeof *y);
    double *u = sab_alloc((size_t)B->ncolumns, sizeof *u);

    for (size_t q = 0; q < n; q++) {
        for (size_t i = 0; i < s * n; i++)
            y[i] = 0.0;
        for (int i = 0; i < B->ncolumns; i++)
            u[i] = 0.0;
        y[s * q] = trace * sqrt(space->weight[q]);
        sab_blocks_multiply_transpose(B, y, u);
        sab_factor_solve(factor, u, u, NULL);
        sab_blocks_multiply(B, u, y);
        for (size_t p = 0; p < n; p++)
            S[n * q + p] = trace * sqrt(space->weight[p]) * y[s * p];
    }
    SAB_FREE(y);
    SAB_FREE(u);
    return S;
}

/* Householder: orthogonal similarity of the symmetric S (destroyed) to a tridiagonal matrix with
 * `diagonal` and `beside`. Step k maps row k behind the diagonal, x, to -sign(x_0)|x| e_0 by
 * H = 1 - 2 v v^T / v.v; with p = 2 S v / v.v and K = p.v / v.v, H S H = S - v q^T - q v^T,
 * q = p - K v. */
static void tridiagonalise(size_t n, double *S, double *diagonal, double *beside)
{
    double *v = sab_alloc(n, sizeof *v), *p = sab_alloc(n, sizeof *p);

    for (size_t k = 0; k < n; k++) {
        double norm2 = 0.0, vv, K = 0.0;

        diagonal[k] = S[n * k + k];
        for (size_t i = k + 1; i < n; i++) {
            v[i] = S[n * k + i];
            norm2 += v[i] * v[i];
        }
        if (k + 1 == n)
            break;
        const double alpha = v[k + 1] > 0.0 ? -sqrt(norm2) : sqrt(norm2);
        beside[k] = alpha;
        v[k + 1] -= alpha;
        vv = 2.0 * (norm2 - alpha * (v[k + 1] + alpha));
        if (!(vv > 0.0))
            continue;
        for (size_t i = k + 1; i < n; i++) {
            double sum = 0.0;

            for (size_t j = k + 1; j < n; j++)
                sum += S[n * i + j] * v[j];
            p[i] = 2.0 * sum / vv;
            K += p[i] * v[i] / vv;
        }
        for (size_t i = k + 1; i < n; i++)
            p[i] -= K * v[i];
        for (size_t i = k + 1; i < n; i++)
            for (size_t j = k + 1; j < n; j++)
                S[n * i + j] -= v[i] * p[j] + p[i] * v[j];
    }
    SAB_FREE(v);
    SAB_FREE(p);
}

/* Sturm: the number of eigenvalues below x is that of negative pivots of T - x. */
static int count_below(size_t n, const double *diagonal, const double *beside, double x)
{
    double pivot = 1.0;
    int count = 0;

    for (size_t k = 0; k < n; k++) {
        const double b2 = k > 0 ? beside[k - 1] * beside[k - 1] : 0.0;

        pivot = diagonal[k] - x - b2 / pivot;
        if (pivot == 0.0)
            pivot = -1e-300;
        count += pivot < 0.0;
    }
    return count;
}

typedef struct stability {
    int elements, pressures;
    int spurious; /* pressures no velocity sees, the constant not counted */
    int weak;     /* further ones with beta < 0.1 */
    double beta;  /* the smallest that is not zero */
} stability;

static stability measure(const domain *where, sab_mesh *mesh, const sab_element *element)
{
    sab_dofs *dofs = held_everywhere(where, mesh, sab_element_faces(element, mesh));
    sab_space *space = NULL;
    sab_blocks *B = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element, where->geometry, &space, NULL), SAB_OK);
    const size_t size = (size_t)space->npoints;
    double *k = sab_alloc((size_t)where->geometry->s * size, sizeof *k);
    double *diagonal = sab_alloc(size, sizeof *diagonal), *beside = sab_alloc(size, sizeof *beside);
    CU_ASSERT_EQUAL_FATAL(sab_space_strain(space, dofs, &B, k, NULL), SAB_OK);
    sab_factor *factor = factor_stiffness(space, dofs, B);
    double *S = schur_complement(space, B, factor);

    tridiagonalise(size, S, diagonal, beside);
    const int zero = count_below(size, diagonal, beside, 1e-12);
    double low = 1e-12, high = 1.0;
    for (int i = 0; i < 60; i++) {
        const double middle = sqrt(low * high);

        *(count_below(size, diagonal, beside, middle) > zero ? &high : &low) = middle;
    }
    const stability result = {mesh->nelements, space->npoints, zero - 1,
                              count_below(size, diagonal, beside, 0.01) - zero, sqrt(high)};

    CU_ASSERT_EQUAL(count_below(size, diagonal, beside, 1.0 + 1e-12), space->npoints);
    sab_factor_destroy(&factor);
    sab_blocks_destroy(&B);
    sab_space_destroy(&space);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
    SAB_FREE(S);
    SAB_FREE(k);
    SAB_FREE(diagonal);
    SAB_FREE(beside);
    return result;
}

/* Eigenvalues 2 - 2 cos(k pi/(n+1)) of the second difference, hidden by a reflection. */
static void test_eigenvalues(void)
{
    enum { N = 12 };
    double S[N * N], w[N], Tw[N], wTw = 0.0, ww = 0.0, diagonal[N], beside[N];

    for (int i = 0; i < N; i++) {
        w[i] = 1.0 + sin(3.0 * i);
        ww += w[i] * w[i];
    }
    for (int i = 0; i < N; i++) {
        Tw[i] = 2.0 * w[i] - (i > 0 ? w[i - 1] : 0.0) - (i + 1 < N ? w[i + 1] : 0.0);
        wTw += w[i] * Tw[i];
    }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            S[N * i + j] = (i == j                     ? 2.0
                            : i - j == 1 || j - i == 1 ? -1.0
                                                       : 0.0) -
                           2.0 * (w[i] * Tw[j] + Tw[i] * w[j]) / ww +
                           4.0 * wTw * w[i] * w[j] / (ww * ww);
    tridiagonalise(N, S, diagonal, beside);
    for (int k = 1; k <= N; k++) {
        const double value = 2.0 - 2.0 * cos(k * acos(-1.0) / (N + 1));

        CU_ASSERT_EQUAL(count_below(N, diagonal, beside, value - 1e-12), k - 1);
        CU_ASSERT_EQUAL(count_below(N, diagonal, beside, value + 1e-12), k);
    }
}

static void check_pairs(const domain *where, const int level[3], double least)
{
    printf("\n    pair     n  triangles  pressures  spurious  weak    beta");
    for (pair which = 0; which < PAIRS; which++) {
        int weak = 0;

        for (int i = 0; i < 3; i++) {
            const stability r = measure(where, read_mesh(where, level[i], which == ALFELD),
                                        which == BUBBLE ? &sab_element_p2b : &sab_element_p2);

            printf("\n    %-7s %2d  %9d  %9d  %8d  %4d  %.4f", pair_name[which], level[i],
                   r.elements, r.pressures, r.spurious, r.weak, r.beta);
            fflush(stdout);
            weak += r.weak;
            if (which != PLAIN) {
                CU_ASSERT_EQUAL(r.spurious, 0);
                CU_ASSERT_EQUAL(r.weak, 0);
                CU_ASSERT(r.beta > (which == BUBBLE ? least + 0.05 : least));
            }
        }
        if (which == PLAIN)
            CU_ASSERT(weak > 0);
    }
}

static void test_plane(void)
{
    check_pairs(&channel, (const int[3]){4, 8, 12}, 0.3);
}

static void test_axisymmetric(void)
{
    check_pairs(&pipe, (const int[3]){3, 6, 8}, 0.3);
}

/* P2 with normal bubbles on the sides and one inside: stable; the constant follows the worst shape,
 * not the size. Plain P2 has spurious pressures. */
static void test_space(void)
{
    static const double size[4] = {0.5, 0.4, 0.0, 0.32}; /* 0: a grid */
    const sab_box grid = {{4, 3, 3}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0, 0, 0}};

    printf("\n    pair     h  tetrahedra  quality  pressures  spurious  weak    beta");
    for (int i = 0; i < 4; i++)
        for (int plain = 0; plain < 2 && (i == 0 || !plain); plain++) {
            const sab_mesh_parameter parameter[] = {{"B", 1.0}, {"h", size[i]}};
            sab_element p2 = sab_element_p2nb; /* without its bubbles */
            double quality, place[SAB_DIM];
            sab_mesh *mesh = NULL;

            p2.faces = false;
            p2.inner = 0;
            p2.bubbles = NULL;
            if (size[i] == 0.0)
                mesh = sab_grid_box(&grid);
            else
                CU_ASSERT_EQUAL_FATAL(sab_mesh_read(cube.file, 3, 2, parameter, &mesh, NULL),
                                      SAB_OK);
            sab_mesh_quality(mesh, &quality, place);
            const stability r = measure(&cube, mesh, plain ? &p2 : &sab_element_p2nb);
            printf("\n    %-5s %4.2f  %10d  %7.2f  %9d  %8d  %4d  %.4f", plain ? "p2" : "p2nb",
                   size[i], r.elements, quality, r.pressures, r.spurious, r.weak, r.beta);
            fflush(stdout);
            if (plain) {
                CU_ASSERT(r.spurious > r.elements);
            } else {
                CU_ASSERT(quality > (i < 3 ? 0.45 : 0.25));
                CU_ASSERT(r.spurious == 0 && r.weak == 0 && r.beta > 0.15);
            }
        }
}

int main(void)
{
    static const sab_test tests[] = {{"eigenvalues of a symmetric matrix", test_eigenvalues},
                                     {"inf-sup constants, plane", test_plane},
                                     {"inf-sup constants about an axis", test_axisymmetric},
                                     {"inf-sup constants in space", test_space}};

    return SAB_TEST_MAIN("fem/infsup", tests);
}

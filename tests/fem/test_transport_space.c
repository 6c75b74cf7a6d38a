/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Feet of trajectories through tetrahedra, and what they carry. With the positions as the velocity
 * that is carried, sab_transport_along gives the feet themselves. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/locate.h"
#include "fem/mass.h"
#include "fem/transport.h"
#include "grid.h"
#include "linalg/factor.h"
#include "mesh/gmsh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A mesh, the points of its mass matrix, and a transport; velocity vectors of its space and fields
 * at the points. */
typedef struct setup {
    sab_mesh *mesh;
    sab_space *space;
    sab_transport *transport;
    sab_transport_report report;
    int npoints;
    size_t size;
    double *x, *U, *W, *v, *v2;
} setup;

/* The mesh is moved. open_group: the name of the one open group, or NULL. */
static setup set_up(sab_mesh *mesh, const char *open_group)
{
    setup s = {.mesh = mesh};
    bool *open = sab_alloc((size_t)mesh->nfacets, sizeof *open);
    const int g = open_group == NULL ? -1 : sab_mesh_find_group(mesh, open_group);

    for (int i = 0; g >= 0 && i < mesh->group[g].nfacets; i++)
        open[mesh->group[g].facet[i]] = true;
    CU_ASSERT_EQUAL_FATAL(
        sab_space_create(mesh, &sab_element_p2nb, &sab_geometry_space, &s.space, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(
        sab_transport_create(s.space, g >= 0 ? open : NULL, 0, NULL, &s.transport, NULL), SAB_OK);
    SAB_FREE(open);
    s.npoints = s.space->mass->n * mesh->nelements;
    s.size = sab_space_size(s.space);
    s.U = sab_alloc(s.size, sizeof *s.U);
    s.W = sab_alloc(s.size, sizeof *s.W);
    s.x = sab_alloc(3 * (size_t)s.npoints, sizeof *s.x);
    s.v = sab_alloc(3 * (size_t)s.npoints, sizeof *s.v);
    s.v2 = sab_alloc(3 * (size_t)s.npoints, sizeof *s.v2);
    for (int p = 0; p < s.npoints; p++)
        sab_mesh_map(mesh, p / s.space->mass->n, s.space->mass->xi[p % s.space->mass->n],
                     s.x + 3 * p, NULL);
    return s;
}

static void tear_down(setup *s)
{
    sab_transport_destroy(&s->transport);
    sab_space_destroy(&s->space);
    sab_mesh_destroy(&s->mesh);
    SAB_FREE(s->x);
    SAB_FREE(s->U);
    SAB_FREE(s->W);
    SAB_FREE(s->v);
    SAB_FREE(s->v2);
}

/* u = c + G x */
typedef struct affine {
    double c[3], G[3][3];
} affine;

static const affine positions = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
static const affine rotation = {{0, 0, 0}, {{0, -0.6, 0.5}, {0.6, 0, -0.8}, {-0.5, 0.8, 0}}};
static const affine shear = {{0.1, 0, 0}, {{0, 0.8, 0}, {0, 0, -0.5}, {0, 0, 0}}};
static const affine mixed = {{0.2, -0.1, 0.1}, {{0.3, -0.9, 0.1}, {0.7, 0.2, 0}, {0.4, 0, -0.5}}};

static void affine_at(const affine *f, const double *x, double *u)
{
    const double at[3] = {x[0], x[1], x[2]};

    for (int i = 0; i < 3; i++)
        u[i] = f->c[i] + f->G[i][0] * at[0] + f->G[i][1] * at[1] + f->G[i][2] * at[2];
}

static void sample_affine(const setup *s, const affine *f, double *U)
{
    memset(U, 0, s->size * sizeof *U);
    for (int n = 0; n < s->mesh->nnodes; n++)
        affine_at(f, s->mesh->x + 3 * n, U + 3 * n);
}

static void sample_constant(const setup *s, const double *c, double *U)
{
    sample_affine(s, &(affine){{c[0], c[1], c[2]}, {{0}}}, U);
}

static void sample_random(const setup *s, unsigned long long *seed, double *U)
{
    for (size_t i = 0; i < s->size; i++)
        U[i] = 2.0 * sab_test_random(seed) - 1.0;
}

/* U in element e at xi, faces and inner function included */
static void value_at(const setup *s, const double *U, int e, const double *xi, double *u)
{
    double value[SAB_SHAPES];
    int index[SAB_SHAPES];
    const int n = sab_element_values(s->space->element, xi, value);

    sab_element_index(s->space->element, s->mesh, e, index);
    for (int i = 0; i < 3; i++) {
        u[i] = 0.0;
        for (int a = 0; a < n; a++)
            u[i] += value[a] * U[3 * index[a] + i];
    }
}

static void go(const double *x, double dt, const double *u, double *X)
{
    for (int i = 0; i < 3; i++)
        X[i] = x[i] - dt * u[i];
}

static bool in_box(const double *x, double half)
{
    return fabs(x[0]) < half && fabs(x[1]) < half && fabs(x[2]) < half;
}

static double length_of(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void assert_close(const double *a, const double *b, double tolerance)
{
    for (int i = 0; i < 3; i++)
        SAB_ASSERT_CLOSE(a[i], b[i], tolerance);
}

/* [-1,1]^3 with sides that are straight, or not; irregular. */
static sab_mesh *cube(int n, double jitter, double bulge)
{
    return sab_grid_box(
        &(sab_box){{n, n, n}, {-1, -1, -1}, {1, 1, 1}, jitter, bulge, {0.0, 0.0, 0.0}});
}

/* X = x - dt u(x) and u(X) are affine: exact as long as the foot stays inside, over many elements
 * and with curved sides. */
static void test_affine_first(void)
{
    const affine *field[3] = {&rotation, &shear, &mixed};

    for (int k = 0; k < 6; k++) {
        setup s = set_up(cube(5, 0.12, k / 3 == 1 ? 0.03 : 0.0), NULL);
        const affine *f = field[k % 3];
        const double dt = 0.7;
        int inside = 0;

        sample_affine(&s, f, s.U);
        sab_transport_first(s.transport, dt, s.U, s.v, &s.report);
        for (int p = 0; p < s.npoints; p++) {
            double u[3], X[3];

            affine_at(f, s.x + 3 * p, u);
            go(s.x + 3 * p, dt, u, X);
            if (!in_box(X, 1.0))
                continue;
            inside++;
            affine_at(f, X, u);
            assert_close(s.v + 3 * p, u, 1e-12);
        }
        CU_ASSERT(inside > s.npoints / 2 && inside < s.npoints);
        CU_ASSERT_EQUAL(s.report.points, s.npoints);
        CU_ASSERT_EQUAL(s.report.clamped, s.npoints - inside);
        CU_ASSERT_EQUAL(s.report.left, 0);
        CU_ASSERT(s.report.longest >= 4 && s.report.steps > s.npoints / 2);
        tear_down(&s);
    }
}

/* The same for the two feet of the second-order scheme, of a velocity that changes in time. */
static void test_affine_second(void)
{
    const affine *now = &rotation, *before = &mixed;

    for (int k = 0; k < 2; k++) {
        setup s = set_up(cube(4, 0.12, k == 1 ? 0.03 : 0.0), NULL);
        const double dt = 0.2;
        int inside = 0;
        affine w;

        for (int i = 0; i < 3; i++) {
            w.c[i] = 1.5 * now->c[i] - 0.5 * before->c[i];
            for (int j = 0; j < 3; j++)
                w.G[i][j] = 1.5 * now->G[i][j] - 0.5 * before->G[i][j];
        }
        sample_affine(&s, now, s.U);
        sample_affine(&s, before, s.W);
        sab_transport_second(s.transport, dt, s.U, s.W, s.v, s.v2, &s.report);
        CU_ASSERT_EQUAL(s.report.points, 3 * s.npoints);
        for (int p = 0; p < s.npoints; p++) {
            const double *x = s.x + 3 * p;
            double u[3], middle[3], X1[3], X2[3];

            affine_at(&w, x, u);
            go(x, 0.5 * dt, u, middle);
            affine_at(&w, middle, u);
            go(x, dt, u, X1);
            affine_at(now, X1, u);
            go(x, 2.0 * dt, u, X2);
            if (!in_box(middle, 1.0) || !in_box(X1, 1.0))
                continue;
            assert_close(s.v + 3 * p, u, 1e-12);
            if (!in_box(X2, 1.0))
                continue;
            inside++;
            affine_at(before, X2, u);
            assert_close(s.v2 + 3 * p, u, 1e-12);
        }
        CU_ASSERT(inside > s.npoints / 2);
        tear_down(&s);
    }
}

/* Continuous, but rough, with face and inner functions: feet inside must be found where the bins of
 * fem/locate.c, which know no paths, find them. */
static void test_rough(void)
{
    unsigned long long seed = 3;

    for (int k = 0; k < 2; k++) {
        setup s = set_up(cube(4, 0.12, k == 1 ? 0.03 : 0.0), NULL);
        sab_locator *locator = NULL;
        int inside = 0;

        CU_ASSERT_EQUAL_FATAL(sab_locator_create(s.mesh, &locator, NULL), SAB_OK);
        for (int round = 0; round < 3; round++) {
            const double dt = 0.1 + 0.3 * round;

            sample_random(&s, &seed, s.U);
            sample_random(&s, &seed, s.W);
            sab_transport_along(s.transport, dt, s.W, s.U, s.v, &s.report);
            sab_mass_interpolate(s.space, s.W, s.v2);
            for (int p = 0; p < s.npoints; p++) {
                double X[3], xi[3], u[3];

                go(s.x + 3 * p, dt, s.v2 + 3 * p, X);
                const int e = in_box(X, 1.0 - 1e-9) ? sab_locator_find(locator, X, xi) : -1;
                if (e < 0)
                    continue;
                inside++;
                value_at(&s, s.U, e, xi, u);
                assert_close(s.v + 3 * p, u, 1e-8);
            }
        }
        CU_ASSERT(inside > s.npoints);
        sab_locator_destroy(&locator);
        tear_down(&s);
    }
}

/* Closed box, turned: the foot slides along walls and their edges, which for a uniform displacement
 * is to hold each coordinate of the box apart. Steps of a tenth of an element to many boxes; along
 * axes, diagonals of faces and of the box, through corners of regular meshes, and anyhow. */
static void test_walls(void)
{
    static const double direction[9][3] = {
        {1, 0, 0},   {0, 0, -1},        {1, 1, 0},           {-1, 0, 1},      {1, 1, 1},
        {-1, 1, -1}, {0.31, -0.8, 0.5}, {0.999, 0.01, 0.02}, {0.2, 0.9, 1e-9}};

    for (int k = 0; k < 36; k++) {
        const double dt = pow(10.0, k / 9 - 1), *d = direction[k % 9];
        const double angle = k % 2 == 0 ? 0.0 : 0.6;
        sab_box box = {{3, 4, 3}, {-1, -1, -1}, {1, 1, 1}, 0.0, 0.0, {0.0, 0.0, angle}};

        box.jitter = k % 4 < 2 ? 0.12 : 0.0;
        box.bulge = k % 4 == 1 ? 0.03 : 0.0;
        setup s = set_up(sab_grid_box(&box), NULL);
        const double c = cos(angle), sn = sin(angle);
        const double wind[3] = {c * d[0] - sn * d[1], sn * d[0] + c * d[1], d[2]};
        const affine back = {{0, 0, 0}, {{c, sn, 0}, {-sn, c, 0}, {0, 0, 1}}};
        int held = 0;

        sample_constant(&s, wind, s.W);
        sample_affine(&s, &positions, s.U);
        sab_transport_along(s.transport, dt, s.W, s.U, s.v, &s.report);
        for (int p = 0; p < s.npoints; p++) {
            double x[3], X[3], end[3];

            affine_at(&back, s.x + 3 * p, x);
            affine_at(&back, s.v + 3 * p, X);
            go(x, dt, d, end);
            held += !in_box(end, 1.0);
            for (int i = 0; i < 3; i++)
                SAB_ASSERT_CLOSE(X[i], fmin(fmax(end[i], -1.0), 1.0), 1e-11);
        }
        CU_ASSERT_EQUAL(s.report.clamped, held);
        CU_ASSERT_EQUAL(s.report.left, 0);
        CU_ASSERT(s.report.longest < s.mesh->nelements);
        tear_down(&s);
    }
}

/* Through the open top the foot stops where it leaves; at a wall it slides, to the end of it. */
static void test_open(void)
{
    setup s = set_up(cube(4, 0.12, 0.0), "top");
    const double dt = 1.5, wind[3] = {-0.4, 0.0, -0.9};
    int left = 0, held = 0;

    sample_constant(&s, wind, s.W);
    sample_affine(&s, &positions, s.U);
    sab_transport_along(s.transport, dt, s.W, s.U, s.v, &s.report);
    for (int p = 0; p < s.npoints; p++) {
        const double *x = s.x + 3 * p, to_top = (1.0 - x[2]) / (0.9 * dt);
        const double to_right = (1.0 - x[0]) / (0.4 * dt), share = fmin(1.0, to_top);

        left += to_top < fmin(1.0, to_right);
        held += to_right < fmin(1.0, to_top);
        SAB_ASSERT_CLOSE(s.v[3 * p], fmin(1.0, x[0] + 0.4 * dt * share), 1e-12);
        SAB_ASSERT_CLOSE(s.v[3 * p + 1], x[1], 1e-12);
        SAB_ASSERT_CLOSE(s.v[3 * p + 2], x[2] + 0.9 * dt * share, 1e-12);
    }
    CU_ASSERT(left > 20 && held > 20);
    CU_ASSERT_EQUAL(s.report.left, left);
    CU_ASSERT_EQUAL(s.report.clamped, held);
    tear_down(&s);
}

/* A box without one of its eighths: whatever the path, no foot is in the part that is missing, none
 * is across it, and no walk goes on for ever. Where the straight path stays inside, it is exact. */
static void test_corner_room(void)
{
    sab_mesh *full = cube(4, 0.0, 0.0), *mesh = NULL;
    double *x = sab_alloc(3 * (size_t)full->nnodes, sizeof *x);
    int *element = sab_alloc(10 * (size_t)full->nelements, sizeof *element), n = 0, exact = 0;
    unsigned long long seed = 21;

    memcpy(x, full->x, 3 * (size_t)full->nnodes * sizeof *x);
    for (int e = 0; e < full->nelements; e++) {
        double centre[3];

        sab_mesh_map(full, e, (const double[3]){0.25, 0.25, 0.25}, centre, NULL);
        if (centre[0] > 0.0 && centre[1] > 0.0 && centre[2] > 0.0)
            continue;
        memcpy(element + 10 * n++, full->element + 10 * e, 10 * sizeof *element);
    }
    CU_ASSERT_EQUAL_FATAL(
        sab_mesh_create(&sab_cell_tetrahedron, full->nnodes, x, n, element, &mesh, NULL), SAB_OK);
    sab_mesh_destroy(&full);
    setup s = set_up(mesh, NULL);
    sample_affine(&s, &positions, s.U);
    for (int round = 0; round < 6; round++) {
        const double dt = pow(4.0, round - 3);

        sample_random(&s, &seed, s.W);
        if (round % 2 == 1) /* all into the corner of the missing part, or out of it */
            sample_constant(&s, (const double[3]){-1, -1, round == 1 ? -1 : -1e-3}, s.W);
        sab_transport_along(s.transport, dt, s.W, s.U, s.v, &s.report);
        sab_mass_interpolate(s.space, s.W, s.v2);
        CU_ASSERT(s.report.longest < s.mesh->nelements);
        for (int p = 0; p < s.npoints; p++) {
            const double *at = s.x + 3 * p, *X = s.v + 3 * p;
            double end[3];
            bool straight = true;

            CU_ASSERT(in_box(X, 1.0 + 1e-12));
            CU_ASSERT(X[0] < 1e-12 || X[1] < 1e-12 || X[2] < 1e-12);
            go(at, dt, s.v2 + 3 * p, end);
            for (int k = 0; k <= 64; k++) {
                double on[3];

                for (int i = 0; i < 3; i++)
                    on[i] = at[i] + k / 64.0 * (end[i] - at[i]);
                straight = straight && in_box(on, 1.0) &&
                           (on[0] < -0.05 || on[1] < -0.05 || on[2] < -0.05);
            }
            exact += straight;
            if (straight)
                assert_close(X, end, 1e-12);
        }
    }
    CU_ASSERT(exact > 1000);
    tear_down(&s);
}

/* 10^5 random paths in a ball of curved tetrahedra: inside exact, beyond the wall on it. */
static void test_ball(void)
{
    const sab_mesh_parameter size[] = {{"h", 0.45}};
    unsigned long long seed = 11;
    sab_mesh *mesh = NULL;
    sab_error err = {0};
    int paths = 0, inside = 0, held = 0;

    CU_ASSERT_EQUAL_FATAL(sab_mesh_read("tests/mesh/data/ball.geo", 3, 1, size, &mesh, &err),
                          SAB_OK);
    setup s = set_up(mesh, NULL);
    double radius = 0.0;
    for (int n = 0; n < mesh->nnodes; n++)
        radius = fmax(radius, length_of(mesh->x + 3 * n));
    sample_affine(&s, &positions, s.U);
    for (int round = 0; paths < 100000; round++) {
        const double dt = radius * (round % 4 == 0   ? 0.1
                                    : round % 4 == 1 ? 0.5
                                    : round % 4 == 2 ? 3
                                                     : 40);

        sample_random(&s, &seed, s.W);
        sab_transport_along(s.transport, dt, s.W, s.U, s.v, &s.report);
        sab_mass_interpolate(s.space, s.W, s.v2);
        CU_ASSERT(s.report.longest < s.mesh->nelements);
        CU_ASSERT_EQUAL(s.report.left, 0);
        for (int p = 0; p < s.npoints; p++) {
            double end[3];

            go(s.x + 3 * p, dt, s.v2 + 3 * p, end);
            CU_ASSERT(length_of(s.v + 3 * p) < radius * 1.01); /* P2 against the sphere */
            if (length_of(end) < 0.98 * radius) {
                inside++;
                assert_close(s.v + 3 * p, end, 1e-11);
            } else if (length_of(end) > 1.02 * radius) {
                held++;
                SAB_ASSERT_CLOSE(length_of(s.v + 3 * p) / radius, 1.0, 0.02);
            }
        }
        paths += s.npoints;
    }
    printf("  ball of %d tetrahedra: %d paths, %d end inside, %d on the wall\n", mesh->nelements,
           paths, inside, held);
    CU_ASSERT(inside > 10000 && held > 10000);
    tear_down(&s);
}

/* Paths exactly through each node of a regular mesh, from every point, and on by a quarter of the
 * distance or to eight times it: the walk ends, and in the right element. */
static void test_through_corners(void)
{
    setup s = set_up(cube(2, 0.0, 0.0), NULL);
    sab_locator *locator = NULL;
    unsigned long long seed = 5;
    int inside = 0;

    CU_ASSERT_EQUAL_FATAL(sab_locator_create(s.mesh, &locator, NULL), SAB_OK);
    sample_random(&s, &seed, s.U);
    for (int k = 0; k < s.mesh->nnodes; k++)
        for (int p = k % 7; p < s.npoints; p += 7) {
            const double *x = s.x + 3 * p, *corner = s.mesh->x + 3 * k;
            const double dt = (k + p) % 3 == 0 ? 8.0 : 1.25;
            const double wind[3] = {x[0] - corner[0], x[1] - corner[1], x[2] - corner[2]};
            double X[3], xi[3], u[3];

            if (p % 49 != k % 49) /* enough of them */
                continue;
            sample_constant(&s, wind, s.W);
            sab_transport_along(s.transport, dt, s.W, s.U, s.v, &s.report);
            CU_ASSERT(s.report.longest < s.mesh->nelements);
            go(x, dt, wind, X);
            const int e = in_box(X, 1.0 - 1e-9) ? sab_locator_find(locator, X, xi) : -1;
            if (e < 0)
                continue;
            inside++;
            value_at(&s, s.U, e, xi, u);
            assert_close(s.v + 3 * p, u, 1e-9);
        }
    CU_ASSERT(inside > 200);
    sab_locator_destroy(&locator);
    tear_down(&s);
}

/* Advection by a steady vortex of the closed box of n^3 cells,
 *     c M u^{n+1} + dt nu K u^{n+1} = c load(w),  order 1: w = u^n o X, c = 1;
 *                                                 order 2: w = (4 u^n o X - u^{n-1} o X2)/3, c =
 * 3/2, from random velocities: the largest int |u|^2 of the steps over the first, and the last one.
 */
typedef struct advection {
    int n, order, steps;
    double dt, nu;
} advection;
typedef struct energies {
    double largest, last;
} energies;

/* M += sum_p 4 nu w_p B^T B: int 2 nu D:D = sum 4 nu w |gamma|^2. */
static void add_viscosity(const sab_points *at, double factor, const sab_scatter *scatter,
                          sab_sparse *M)
{
    const size_t s = (size_t)at->s;
    double *C = sab_alloc(s * s * (size_t)at->n, sizeof *C);

    for (int p = 0; p < at->n; p++)
        for (size_t i = 0; i < s; i++)
            C[s * s * (size_t)p + i * (s + 1)] = 4.0 * factor * at->weight[p];
    sab_blocks_assemble(at->B, C, scatter, M);
    SAB_FREE(C);
}

/* In [-1,1]^3, |u| up to 1. */
static void vortices(const double *x, double *u)
{
    const double h = 0.5 * acos(-1.0);

    u[0] = 0.5 * cos(h * x[0]) * sin(h * x[1]);
    u[1] = 0.5 * cos(h * x[1]) * (sin(h * x[2]) - sin(h * x[0]));
    u[2] = -0.5 * sin(h * x[1]) * cos(h * x[2]);
}

static energies advect(const advection *a)
{
    setup s = set_up(cube(a->n, 0.1, 0.0), NULL);
    const double c = a->order == 1 ? 1.0 : 1.5;
    const int faces = sab_element_faces(s.space->element, s.mesh);
    sab_scatter *scatter = NULL, *bubbles = NULL;
    sab_points *strain = NULL, *rest = NULL;
    energies e = {0.0, 0.0};
    unsigned long long seed = 1;
    sab_factor *factor = NULL;
    sab_dofs *dofs = NULL;
    sab_mass *mass = NULL;
    sab_sparse *M = NULL;

    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(s.mesh, s.space->geometry, faces, 0, NULL, NULL, 0.0, &dofs, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_mass_create(s.space, dofs, &mass, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_points_strain(s.space, dofs, &strain, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_points_remainder(s.space, dofs, &rest, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(strain->B, true, &M, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(strain->B, M, &scatter, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(rest->B, M, &bubbles, NULL), SAB_OK);
    sab_mass_assemble(mass, c, scatter, M);
    add_viscosity(strain, a->dt * a->nu, scatter, M);
    add_viscosity(rest, a->dt * a->nu * s.space->remainder_factor, bubbles, M);
    CU_ASSERT_EQUAL_FATAL(sab_factor_create(NULL, M, &factor, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_factor_update(factor, M, NULL), SAB_OK);
    const size_t unknowns = (size_t)sab_space_unknowns(s.space, dofs);
    double *u = sab_alloc(unknowns, sizeof *u), *before = sab_alloc(s.size, sizeof *before);
    for (int n = 0; n < s.mesh->nnodes; n++)
        vortices(s.mesh->x + 3 * n, s.W + 3 * n);
    sample_random(&s, &seed, s.U);
    sab_space_restrict(s.space, dofs, s.U, u); /* of face functions the normal part */
    sab_space_expand(s.space, dofs, u, s.U);
    memcpy(before, s.U, s.size * sizeof *s.U);
    sab_mass_interpolate(s.space, s.U, s.v);
    const double start = sab_mass_square(mass, s.v);
    for (int step = 0; step < a->steps; step++) {
        sab_transport_along(s.transport, a->dt, s.W, s.U, s.v, &s.report);
        CU_ASSERT_EQUAL(s.report.left, 0);
        if (a->order == 2) {
            sab_transport_along(s.transport, 2.0 * a->dt, s.W, before, s.v2, NULL);
            for (int i = 0; i < 3 * s.npoints; i++)
                s.v[i] = (4.0 * s.v[i] - s.v2[i]) / 3.0;
        }
        memset(u, 0, unknowns * sizeof *u);
        sab_mass_load(mass, c, s.v, u);
        CU_ASSERT_EQUAL_FATAL(sab_factor_solve(factor, u, u, NULL), SAB_OK);
        memcpy(before, s.U, s.size * sizeof *s.U);
        sab_space_expand(s.space, dofs, u, s.U);
        sab_mass_interpolate(s.space, s.U, s.v);
        e.last = sab_mass_square(mass, s.v) / start;
        e.largest = fmax(e.largest, e.last);
    }
    SAB_FREE(before);
    SAB_FREE(u);
    sab_factor_destroy(&factor);
    sab_scatter_destroy(&bubbles);
    sab_scatter_destroy(&scatter);
    sab_points_destroy(&rest);
    sab_points_destroy(&strain);
    sab_sparse_destroy(&M);
    sab_mass_destroy(&mass);
    sab_dofs_destroy(&dofs);
    tear_down(&s);
    return e;
}

/* With |u| h/nu at the limit of each order random velocities lose energy at the steps that would be
 * worst without viscosity; without any, they gain. */
static void test_limit(void)
{
    for (int order = 1; order <= 2; order++) {
        advection a = {.n = 2, .order = order, .steps = 100};
        const double h = 2.0 / a.n, limit = sab_transport_limit(&sab_element_p2nb, false, order);
        double grown = 0.0;

        for (int i = 0; i < 3; i++) {
            a.dt = (i == 0 ? 0.03 : i == 1 ? 0.06 : 0.12) * h;
            a.nu = h / limit;
            CU_ASSERT(advect(&a).largest < 1.0);
            a.nu = 0.0;
            grown = fmax(grown, advect(&a).last);
        }
        CU_ASSERT(grown > 1.0);
    }
}

/* Rest and dt = 0 give U at the points; a displacement of 1e200 ends; what is not a number stays
 * with its point; the same input gives the same bits. */
static void test_extremes(void)
{
    for (int curved = 0; curved < 2; curved++) {
        setup s = set_up(cube(3, 0.12, curved == 1 ? 0.03 : 0.0), NULL);
        unsigned long long seed = 9;
        int lost = 0;

        sample_random(&s, &seed, s.U);
        sab_mass_interpolate(s.space, s.U, s.v2);
        sab_transport_first(s.transport, 0.0, s.U, s.v, &s.report);
        CU_ASSERT_EQUAL(s.report.clamped, 0);
        for (int i = 0; i < 3 * s.npoints; i++)
            SAB_ASSERT_CLOSE(s.v[i], s.v2[i], 1e-13);

        sab_transport_first(s.transport, 0.8, s.U, s.v, NULL);
        sab_transport_first(s.transport, 0.8, s.U, s.v2, NULL);
        CU_ASSERT(memcmp(s.v, s.v2, 3 * (size_t)s.npoints * sizeof *s.v) == 0);

        sample_affine(&s, &positions, s.W);
        sab_transport_along(s.transport, 1e200, s.U, s.W, s.v, &s.report);
        CU_ASSERT(s.report.clamped == s.npoints);
        CU_ASSERT(s.report.longest < s.mesh->nelements);
        for (int p = 0; p < s.npoints; p++)
            CU_ASSERT(in_box(s.v + 3 * p, 1.0 + 1e-12));

        s.U[3 * s.mesh->element[0]] = NAN;
        sab_transport_first(s.transport, 0.3, s.U, s.v, &s.report);
        for (int p = 0; p < s.npoints; p++)
            lost += isnan(s.v[3 * p]);
        CU_ASSERT(lost >= 24 && lost < s.npoints);
        s.U[3 * s.mesh->element[0]] = INFINITY;
        sab_transport_second(s.transport, 0.3, s.U, s.U, s.v, s.v2, &s.report);
        CU_ASSERT_EQUAL(s.report.points, 3 * s.npoints);
        tear_down(&s);
    }
}

/* From points of the boundary inwards: affine velocities are exact. */
static void test_from_side(void)
{
    setup s = set_up(cube(3, 0.12, 0.03), "top");
    const sab_quadrature *rule = sab_side_rule(s.mesh->cell);
    int inside = 0;

    sample_affine(&s, &mixed, s.U);
    for (int f = 0; f < s.mesh->nfacets; f++)
        for (int q = 0; q < rule->n; q++) {
            sab_p2_side at;
            double v[3], d[3], X[3], u[3];

            sab_p2_side_at(s.mesh, f, rule->xi[q], &at);
            for (int i = 0; i < 3; i++)
                d[i] = -0.3 * at.x[i] + 0.05 * (i - 1);
            go(at.x, -1.0, d, X);
            if (!in_box(X, 1.0))
                continue;
            inside++;
            sab_transport_from_side(s.transport, f, rule->xi[q], d, s.U, v);
            affine_at(&mixed, X, u);
            assert_close(v, u, 1e-12);
        }
    CU_ASSERT_EQUAL(inside, s.mesh->nfacets * rule->n);
    tear_down(&s);
}

/* The bins hold every point, whatever the shape of the mesh, and know what is outside. */
static void test_locate(void)
{
    const sab_box box[3] = {{{4, 4, 4}, {-1, -1, -1}, {1, 1, 1}, 0.12, 0.03, {0.3, -0.2, 0.5}},
                            {{40, 1, 1}, {0, 0, 0}, {40, 1, 1e-3}, 0.0, 0.0, {0.1, 0.0, 0.0}},
                            {{6, 6, 1}, {0, 0, 0}, {1, 1, 1e-4}, 0.0, 0.0, {0.0, 0.0, 0.0}}};
    unsigned long long seed = 17;

    for (int k = 0; k < 3; k++) {
        sab_mesh *mesh = sab_grid_box(&box[k]);
        sab_locator *locator = NULL;

        CU_ASSERT_EQUAL_FATAL(sab_locator_create(mesh, &locator, NULL), SAB_OK);
        for (int e = 0; e < mesh->nelements; e++) {
            double a = sab_test_random(&seed), b = sab_test_random(&seed), xi[3], x[3], y[3];

            a *= 1.0 / 3.0;
            b *= 1.0 / 3.0;
            const double at[3] = {a, b, 1.0 / 3.0 - 0.5 * a};
            sab_mesh_map(mesh, e, at, x, NULL);
            const int found = sab_locator_find(locator, x, xi);
            CU_ASSERT_EQUAL_FATAL(found, e);
            sab_mesh_map(mesh, found, xi, y, NULL);
            assert_close(y, x, 1e-12);
            x[2] += 50.0;
            CU_ASSERT_EQUAL(sab_locator_find(locator, x, xi), -1);
        }
        sab_locator_destroy(&locator);
        sab_mesh_destroy(&mesh);
    }
}

static void test_out_of_memory(void)
{
    setup s = set_up(cube(1, 0.0, 0.0), NULL);

    for (int k = 0;; k++) {
        sab_transport *transport = NULL;
        sab_error err;

        sab_memory.failing = k;
        const sab_status status = sab_transport_create(s.space, NULL, 0, NULL, &transport, &err);
        const bool reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        if (!reached) { /* no allocation failed: all were tried */
            CU_ASSERT_EQUAL(status, SAB_OK);
            sab_memory.failing = 0; /* and the calls allocate nothing */
            sab_transport_second(transport, 0.1, s.U, s.W, s.v, s.v2, NULL);
            CU_ASSERT_EQUAL(sab_memory.failing, 0);
            sab_memory.failing = -1;
            sab_transport_destroy(&transport);
            break;
        }
        CU_ASSERT_EQUAL(status, SAB_ERR_MEMORY);
        CU_ASSERT_PTR_NULL(transport);
    }
    tear_down(&s);
}

static const sab_test tests[] = {
    {"affine velocities, first order: exact", test_affine_first},
    {"affine velocities, second order: exact", test_affine_second},
    {"rough velocities: the right element", test_rough},
    {"closed box: slide, none lost", test_walls},
    {"open side: value at the exit", test_open},
    {"a corner that is missing", test_corner_room},
    {"ball of curved elements", test_ball},
    {"paths through corners", test_through_corners},
    {"closed box: how much viscosity short steps need", test_limit},
    {"rest, long paths, not a number, same bits", test_extremes},
    {"from the boundary", test_from_side},
    {"points in bins", test_locate},
    {"each allocation fails in turn", test_out_of_memory},
};

int main(void)
{
    return SAB_TEST_MAIN("transport in space", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Meshes of tetrahedra, made by hand. */
#include "check_mesh.h"
#include "grid.h"

#include "base/memory.h"

#include <stdio.h>

static sab_status create(int nnodes, const double *x, int nelements, const int *element,
                         sab_mesh **mesh, sab_error *err)
{
    double *x_copy = malloc(3 * (size_t)nnodes * sizeof *x + 1);
    int *element_copy = malloc(10 * (size_t)nelements * sizeof *element + 1);

    memcpy(x_copy, x, 3 * (size_t)nnodes * sizeof *x);
    memcpy(element_copy, element, 10 * (size_t)nelements * sizeof *element);
    return sab_mesh_create(&sab_cell_tetrahedron, nnodes, x_copy, nelements, element_copy, mesh,
                           err);
}

/* --- boxes ------------------------------------------------------------------------------------ */

static void test_box(void)
{
    const sab_box box[] = {
        {.n = {1, 1, 1}, .high = {1.0, 1.0, 1.0}},
        {.n = {3, 2, 4}, .low = {-1.0, 0.0, 2.0}, .high = {1.0, 1.0, 5.0}, .jitter = 0.2},
        {.n = {3, 3, 3},
         .high = {1.0, 2.0, 3.0},
         .jitter = 0.1,
         .bulge = 0.03,
         .rotation = {0.3, -1.2, 0.8}}};
    const double volume[] = {1.0, 6.0, 6.0};

    for (int k = 0; k < 3; k++) {
        const int *n = box[k].n, cells = n[0] * n[1] * n[2];
        sab_mesh *m = sab_grid_box(&box[k]);
        int total = 0;

        check_mesh(m, 0);
        CU_ASSERT_EQUAL(m->nelements, 6 * cells);
        CU_ASSERT_EQUAL(m->nvertices, (n[0] + 1) * (n[1] + 1) * (n[2] + 1));
        CU_ASSERT_EQUAL(m->nfacets, 4 * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]));
        CU_ASSERT_EQUAL(m->nsides, (4 * m->nelements + m->nfacets) / 2);
        SAB_ASSERT_CLOSE(mesh_area(m), volume[k], 1e-13);
        for (int g = 0; g < m->ngroups; g++)
            total += m->group[g].nfacets;
        CU_ASSERT_EQUAL(total, m->nfacets);
        CU_ASSERT_FALSE(sab_mesh_is_split(m));
        sab_mesh_destroy(&m);
    }
}

/* The groups of a box have the normals of its sides. */
static void test_box_groups(void)
{
    sab_mesh *m = sab_grid_box(&(sab_box){.n = {2, 3, 2}, .high = {1.0, 1.0, 1.0}, .jitter = 0.1});
    static const char *const name[] = {"left", "right", "front", "back", "bottom", "top"};

    for (int k = 0; k < 6; k++) {
        const int g = sab_mesh_find_group(m, name[k]);
        double normal[SAB_DIM] = {0.0};

        CU_ASSERT_TRUE_FATAL(g >= 0);
        for (int i = 0; i < m->group[g].nfacets; i++) {
            double x[SAB_DIM], n[SAB_DIM];

            facet_point(m, m->group[g].facet[i], (double[]){0.3, 0.3}, x, n);
            SAB_ASSERT_CLOSE(x[k / 2], k % 2, 1e-14);
            for (int d = 0; d < SAB_DIM; d++)
                normal[d] += 0.5 * n[d];
        }
        for (int d = 0; d < SAB_DIM; d++)
            SAB_ASSERT_CLOSE(normal[d], d == k / 2 ? 2.0 * (k % 2) - 1.0 : 0.0, 1e-13);
    }
    sab_mesh_destroy(&m);
}

/* --- one and two tetrahedra ------------------------------------------------------------------- */

/* Two tetrahedra on either side of the triangle 1 2 3, corners 0 and 4. The middle of (a, b) is
 * middle[a][b]. */
enum { NODES = 14 };

typedef struct pair {
    double x[NODES + 8][3];
    int element[3][10];
} pair;

static pair two(void)
{
    static const double vertex[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    static const int corner[2][4] = {{0, 1, 2, 3}, {4, 1, 2, 3}}; /* the second is negative */
    int middle[5][5] = {{0}}, n = 5;
    pair p;

    memset(&p, 0, sizeof p);
    memcpy(p.x, vertex, sizeof vertex);
    for (int e = 0; e < 2; e++) {
        memcpy(p.element[e], corner[e], sizeof corner[e]);
        for (int i = 0; i < 6; i++) {
            const int a = corner[e][sab_cell_tetrahedron.edge[i][0]];
            const int b = corner[e][sab_cell_tetrahedron.edge[i][1]];

            if (middle[a][b] == 0)
                middle[a][b] = middle[b][a] = n++;
            p.element[e][4 + i] = middle[a][b];
            for (int d = 0; d < 3; d++)
                p.x[middle[a][b]][d] = 0.5 * (vertex[a][d] + vertex[b][d]);
        }
    }
    CU_ASSERT_EQUAL(n, NODES);
    return p;
}

static int middle_between(const pair *p, int a, int b)
{
    for (int e = 0; e < 2; e++)
        for (int i = 0; i < 6; i++) {
            const int *end = sab_cell_tetrahedron.edge[i];
            const int u = p->element[e][end[0]], v = p->element[e][end[1]];

            if ((u == a && v == b) || (u == b && v == a))
                return p->element[e][4 + i];
        }
    return -1;
}

/* The negative one is turned with its middles; curved inside, it keeps the volume of its hull. */
static void test_two(void)
{
    pair p = two();
    sab_mesh *m = NULL;
    sab_error err = {0};

    p.x[middle_between(&p, 1, 2)][2] += 0.05;
    p.x[middle_between(&p, 0, 3)][0] -= 0.1;
    CU_ASSERT_EQUAL_FATAL(create(NODES, p.x[0], 2, p.element[0], &m, &err), SAB_OK);
    CU_ASSERT_EQUAL(m->element[10], 4);
    CU_ASSERT_EQUAL(m->element[11], 2);
    CU_ASSERT_EQUAL(m->element[12], 1);
    CU_ASSERT_EQUAL(m->element[13], 3);
    CU_ASSERT_EQUAL(memcmp(m->element, p.element[0], sizeof p.element[0]), 0);
    for (int i = 0; i < 6; i++) {
        const int *end = sab_cell_tetrahedron.edge[i];

        CU_ASSERT_EQUAL(m->element[14 + i],
                        middle_between(&p, m->element[10 + end[0]], m->element[10 + end[1]]));
    }
    CU_ASSERT_EQUAL(m->nsides, 7);
    CU_ASSERT_EQUAL(m->nfacets, 6);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
    p = two();
    CU_ASSERT_EQUAL_FATAL(create(NODES, p.x[0], 2, p.element[0], &m, &err), SAB_OK);
    SAB_ASSERT_CLOSE(mesh_area(m), 1.0 / 6.0 + 1.0 / 3.0, 1e-14);
    sab_mesh_destroy(&m);
}

/* Groups: boundary sides in any order of corners, a side given twice, the interior side. */
static void test_groups(void)
{
    static const int wall[][3] = {{2, 1, 0}, {4, 3, 2}, {0, 1, 2}}, inside[][3] = {{3, 1, 2}};
    static const int no_side[][3] = {{0, 1, 4}}, no_node[][3] = {{0, 1, NODES}};
    const pair p = two();
    sab_mesh *m = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(create(NODES, p.x[0], 2, p.element[0], &m, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "wall", 1, 3, wall[0], &err), SAB_OK);
    CU_ASSERT_EQUAL(m->group[0].nfacets, 2);
    CU_ASSERT_EQUAL(m->facet_element[m->group[0].facet[0]], 0);
    CU_ASSERT_EQUAL(m->facet_element[m->group[0].facet[1]], 1);
    CU_ASSERT_EQUAL(m->nfacets, 6);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "x", 2, 1, no_side[0], &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(err.message, "with corners (0, 0, 0), (1, 0, 0), (1, 1, 1) that is not the side of "
                            "any tetrahedron"));
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "x", 2, 1, no_node[0], &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "uses node 14"));
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "inside", 3, 1, inside[0], &err), SAB_OK);
    CU_ASSERT_EQUAL(m->nfacets, 7);
    CU_ASSERT_TRUE(m->facet_interior[6]);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
}

/* --- errors ----------------------------------------------------------------------------------- */

static void expect(const pair *p, int nnodes, int nelements, const char *text)
{
    sab_mesh *m = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(create(nnodes, p->x[0], nelements, p->element[0], &m, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(m);
    if (strstr(err.message, text) == NULL) {
        printf("\n    expected '%s' in '%s'", text, err.message);
        CU_FAIL("message");
    }
    sab_mesh_destroy(&m);
}

static void test_errors(void)
{
    pair p = two();

    expect(&p, NODES, 0, "14 nodes and 0 tetrahedra");
    p.element[1][9] = 99;
    expect(&p, NODES, 2, "tetrahedron 2 uses node 99, but there are 14 nodes");

    p = two();
    p.element[1][9] = 0;
    expect(&p, NODES, 2,
           "node 0 at (0, 0, 0), in tetrahedron 2, is a corner of one tetrahedron and the middle");

    p = two(); /* the first again, in another order */
    memcpy(p.element[1], (int[]){1, 2, 0, 3}, 4 * sizeof(int));
    for (int i = 0; i < 6; i++)
        p.element[1][4 + i] = middle_between(&p, p.element[1][sab_cell_tetrahedron.edge[i][0]],
                                             p.element[1][sab_cell_tetrahedron.edge[i][1]]);
    expect(&p, NODES, 2, "tetrahedra 1 and 2 overlap: both lie on the same side of their face");

    p = two(); /* a third one on the common side */
    memcpy(p.element[2], p.element[0], sizeof p.element[0]);
    p.element[2][0] = NODES;
    for (int d = 0; d < 3; d++)
        p.x[NODES][d] = -0.5;
    for (int i = 0, n = NODES + 1; i < 6; i++)
        if (sab_cell_tetrahedron.edge[i][0] == 0 || sab_cell_tetrahedron.edge[i][1] == 0) {
            const int *end = sab_cell_tetrahedron.edge[i];

            for (int d = 0; d < 3; d++)
                p.x[n][d] = 0.5 * (p.x[p.element[2][end[0]]][d] + p.x[p.element[2][end[1]]][d]);
            p.element[2][4 + i] = n++;
        }
    expect(&p, NODES + 4, 3, "tetrahedra 1, 2 and 3 share the face with corners");

    p = two();
    p.element[1][4 + 1] = NODES; /* the edge (1, 2) with another middle */
    memcpy(p.x[NODES], p.x[middle_between(&p, 1, 2)], sizeof p.x[0]);
    expect(&p, NODES + 1, 2, "share the edge from (1, 0, 0) to (0, 1, 0) but not its middle node");

    p = two();
    p.x[0][2] = NAN;
    expect(&p, NODES, 2, "finite");

    p = two(); /* corner 0 in the plane of 1, 2, 3 */
    for (int d = 0; d < 3; d++)
        p.x[0][d] = 1.0 / 3.0;
    for (int b = 1; b < 4; b++)
        for (int d = 0; d < 3; d++)
            p.x[middle_between(&p, 0, b)][d] = 0.5 * (p.x[0][d] + p.x[b][d]);
    expect(&p, NODES, 2, "tetrahedron 1 of 2, near (0.333333, 0.333333, 0.333333), is degenerate");

    p = two();
    p.x[middle_between(&p, 0, 1)][2] = 0.6;
    expect(&p, NODES, 2, "is folded by its curved sides");
}

/* Tetrahedra that have only an edge in common can disagree on its middle: no side tells. */
static void test_edge_only(void)
{
    const double corner[6][3] = {{0, 0, 0}, {0, 0, 1},  {1, 0, 0},
                                 {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    pair p;
    int n = 6;

    for (int same = 0; same < 2; same++) {
        memset(&p, 0, sizeof p);
        n = 6;
        memcpy(p.x, corner, sizeof corner);
        for (int e = 0; e < 2; e++) {
            memcpy(p.element[e], (int[]){0, 2 + 2 * e, 3 + 2 * e, 1}, 4 * sizeof(int));
            for (int i = 0; i < 6; i++) {
                const int *end = sab_cell_tetrahedron.edge[i];

                if (same && e == 1 && i == 3) { /* the edge (3, 0) */
                    p.element[1][7] = p.element[0][7];
                    continue;
                }
                for (int d = 0; d < 3; d++)
                    p.x[n][d] = 0.5 * (p.x[p.element[e][end[0]]][d] + p.x[p.element[e][end[1]]][d]);
                p.element[e][4 + i] = n++;
            }
        }
        if (same) {
            sab_mesh *m = NULL;

            CU_ASSERT_EQUAL(create(n, p.x[0], 2, p.element[0], &m, NULL), SAB_OK);
            check_mesh(m, 0);
            sab_mesh_destroy(&m);
        } else {
            expect(&p, n, 2, "share the edge from (0, 0, 1) to (0, 0, 0) but not its middle node");
        }
    }
}

/* Two tetrahedra, above and below, whose edges cross at their middles: one node cannot be both. */
static void test_shared_middle(void)
{
    const double corner[8][3] = {{0, 0, 0},  {2, 0, 0}, {1, 1, 1},  {1, -1, 1},
                                 {1, -1, 0}, {1, 1, 0}, {0, 0, -1}, {2, 0, -1}};
    pair p;
    int n = 8;

    memset(&p, 0, sizeof p);
    memcpy(p.x, corner, sizeof corner);
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < 4; i++)
            p.element[e][i] = 4 * e + i;
        for (int i = 0; i < 6; i++) {
            const int *end = sab_cell_tetrahedron.edge[i];

            p.element[e][4 + i] = e == 1 && i == 0 ? p.element[0][4] : n++;
            for (int d = 0; d < 3; d++)
                p.x[p.element[e][4 + i]][d] =
                    0.5 * (p.x[4 * e + end[0]][d] + p.x[4 * e + end[1]][d]);
        }
    }
    expect(&p, n, 2,
           "node 8 is the middle of the edge from (1, 1, 0) to (1, -1, 0) of tetrahedron 2, and "
           "of another edge in tetrahedron 1");
}

/* --- the Jacobian ----------------------------------------------------------------------------- */

/* A fold between the corners, seen by no node: det J is positive at the ten nodes and negative
 * inside. The bounds find it; a hair less curved it passes. */
static double smallest_of_map(const pair *p, double *at_nodes)
{
    const sab_mesh m = {
        .cell = &sab_cell_tetrahedron, .x = (double *)p->x, .element = (int *)p->element};
    const int n = 24;
    double least = INFINITY;

    *at_nodes = INFINITY;
    for (int i = 0; i <= n; i++)
        for (int j = 0; i + j <= n; j++)
            for (int k = 0; i + j + k <= n; k++) {
                const double xi[] = {(double)i / n, (double)j / n, (double)k / n};
                double J[SAB_DIM][SAB_DIM], det = 0.0;

                sab_mesh_map(&m, 0, xi, NULL, J);
                for (int d = 0; d < 3; d++)
                    det += J[d][0] * (J[(d + 1) % 3][1] * J[(d + 2) % 3][2] -
                                      J[(d + 2) % 3][1] * J[(d + 1) % 3][2]);
                least = fmin(least, det);
                if (i % (n / 2) == 0 && j % (n / 2) == 0 && k % (n / 2) == 0)
                    *at_nodes = fmin(*at_nodes, det);
            }
    return least;
}

/* Random curved tetrahedra: what passes has a positive det J on a fine lattice; what has a det J
 * clearly positive there passes. Some are folded only between the nodes. */
static void test_folds(void)
{
    unsigned long long seed = 3;
    int passed = 0, refused = 0, hidden = 0;

    for (int k = 0; k < 400; k++) {
        pair p = two();
        double at_nodes;
        sab_mesh *m = NULL;
        sab_error err = {0};

        for (int a = 4; a < 10; a++)
            for (int d = 0; d < 3; d++)
                p.x[p.element[0][a]][d] += 0.16 * (2.0 * sab_test_random(&seed) - 1.0);
        const double least = smallest_of_map(&p, &at_nodes);
        const bool good = create(NODES, p.x[0], 1, p.element[0], &m, &err) == SAB_OK;

        CU_ASSERT_FALSE(good && least <= 0.0);
        CU_ASSERT_FALSE(!good && least > 0.02);
        passed += good;
        refused += !good;
        hidden += !good && at_nodes > 0.0;
        sab_mesh_destroy(&m);
    }
    CU_ASSERT_TRUE(passed > 50 && refused > 50 && hidden > 0);
}

/* --- quality ---------------------------------------------------------------------------------- */

static sab_mesh *simplex(const sab_cell *cell, const double *corner)
{
    const int dim = cell->dim;
    double *x = malloc((size_t)(dim * cell->nodes) * sizeof *x);
    int *element = malloc((size_t)cell->nodes * sizeof *element);
    sab_mesh *m = NULL;

    memcpy(x, corner, (size_t)(dim * cell->corners) * sizeof *x);
    for (int a = 0; a < cell->nodes; a++)
        element[a] = a;
    for (int i = 0; i < cell->edges; i++)
        for (int d = 0; d < dim; d++)
            x[dim * (cell->corners + i) + d] =
                0.5 * (corner[dim * cell->edge[i][0] + d] + corner[dim * cell->edge[i][1] + d]);
    CU_ASSERT_EQUAL_FATAL(sab_mesh_create(cell, cell->nodes, x, 1, element, &m, NULL), SAB_OK);
    return m;
}

/* Regular: 1. Right-angled: triangle 2 (2 - sqrt 2)/(2 sqrt 2), and the corner of a cube, where
 * r = 1/(3 + sqrt 3) and R = sqrt(3)/2. */
static void test_quality(void)
{
    static const double regular2[] = {0, 0, 1, 0, 0.5, 0.8660254037844386};
    static const double regular3[] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    static const double right2[] = {3, 1, 5, 1, 3, 3},
                        right3[] = {0, 0, 5, 1, 0, 5, 0, 1, 5, 0, 0, 6};
    const struct {
        const sab_cell *cell;
        const double *corner;
        double quality;
    } known[] = {{&sab_cell_triangle, regular2, 1.0},
                 {&sab_cell_tetrahedron, regular3, 1.0},
                 {&sab_cell_triangle, right2, (2.0 - sqrt(2.0)) * sqrt(2.0)},
                 {&sab_cell_tetrahedron, right3, 3.0 / (3.0 + sqrt(3.0)) / (0.5 * sqrt(3.0))}};
    double worst, place[SAB_DIM];

    for (int k = 0; k < 4; k++) {
        sab_mesh *m = simplex(known[k].cell, known[k].corner);

        sab_mesh_quality(m, &worst, place);
        SAB_ASSERT_CLOSE(worst, known[k].quality, 1e-14);
        sab_mesh_destroy(&m);
    }
    sab_mesh *m = sab_grid_box(&(sab_box){.n = {2, 2, 2}, .high = {2.0, 2.0, 2.0}});
    sab_mesh_x(m, 0)[0] = 0.9; /* the worst is where the corner has moved */
    sab_mesh_quality(m, &worst, place);
    CU_ASSERT_TRUE(worst < 0.2 && worst > 0.0);
    CU_ASSERT_TRUE(place[0] < 1.0 && place[1] < 1.0 && place[2] < 1.0);
    sab_mesh_quality(m, &worst, NULL);
    sab_mesh_destroy(&m);
}

/* --- groups that match ------------------------------------------------------------------------ */

static void expect_match(const sab_mesh *m, const char *a, const char *b, const double *translation,
                         int nodes)
{
    const int corners = m->cell->facet->corners;
    sab_match match;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_mesh_match_groups(m, sab_mesh_find_group(m, a),
                                                sab_mesh_find_group(m, b), &match, &err),
                          SAB_OK);
    CU_ASSERT_EQUAL(match.n, nodes);
    for (int d = 0; d < m->cell->dim; d++)
        SAB_ASSERT_CLOSE(match.translation[d], translation[d], 1e-13);
    for (int k = 0; k < match.n; k++) {
        CU_ASSERT_TRUE(k == 0 || match.from[k] > match.from[k - 1]);
        for (int d = 0; d < m->cell->dim; d++)
            SAB_ASSERT_CLOSE(sab_mesh_x(m, match.to[k])[d],
                             sab_mesh_x(m, match.from[k])[d] + translation[d], 1e-12);
    }
    for (int k = 0; k < match.nfacets; k++)
        for (int d = 0; d < m->cell->dim; d++) {
            double off = -corners * translation[d];

            for (int i = 0; i < corners; i++)
                off += sab_mesh_x(m, sab_mesh_facet(m, match.facet_to[k])[i])[d] -
                       sab_mesh_x(m, sab_mesh_facet(m, match.facet_from[k])[i])[d];
            SAB_ASSERT_CLOSE(off, 0.0, 1e-12);
        }
    sab_match_destroy(&match);
}

static void expect_no_match(const sab_mesh *m, const char *a, const char *b, const char *text)
{
    sab_match match;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_mesh_match_groups(m, sab_mesh_find_group(m, a), sab_mesh_find_group(m, b),
                                          &match, &err),
                    SAB_ERR_INPUT);
    CU_ASSERT_TRUE(match.from == NULL && match.facet_to == NULL && match.n == 0);
    if (strstr(err.message, text) == NULL) {
        printf("\n    expected '%s' in '%s'", text, err.message);
        CU_FAIL("message");
    }
}

static void test_match(void)
{
    sab_mesh *m = sab_grid_box(&(sab_box){.n = {3, 2, 4}, .high = {3.0, 1.0, 2.0}, .jitter = 0.1});
    sab_mesh *plane = sab_grid_create(&(sab_grid){.nx = 4, .ny = 3, .x1 = 2.0, .y1 = 1.0});
    sab_match match;
    sab_status status = SAB_ERR_MEMORY;
    long k;

    expect_match(m, "left", "right", (double[]){3.0, 0.0, 0.0}, 5 * 9);
    expect_match(m, "top", "bottom", (double[]){0.0, 0.0, -2.0}, 7 * 5);
    expect_match(plane, "left", "right", (double[]){2.0, 0.0}, 7);
    expect_no_match(m, "left", "left", "no partner of itself");
    expect_no_match(m, "left", "front", "has no partner in 'front' at (");
    for (k = 0; status != SAB_OK && k < 100; k++) {
        sab_memory.failing = k;
        status = sab_mesh_match_groups(m, 0, 1, &match, NULL);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && match.from == NULL &&
                                            match.to == NULL && match.facet_from == NULL));
    }
    sab_memory.failing = -1;
    CU_ASSERT_TRUE(status == SAB_OK && k > 8);
    sab_match_destroy(&match);

    for (int i = 0; i < m->nnodes; i++) { /* one node of the left, within the side */
        double *x = sab_mesh_x(m, i);

        if (x[0] == 0.0 && fabs(x[1] - 0.75) < 1e-9 && fabs(x[2] - 0.75) < 1e-9)
            x[1] += 0.001;
    }
    expect_no_match(m, "left", "right",
                    "of 'left' at (0, 0.751, 0.75) has no partner in 'right' "
                    "at (3, 0.751, 0.75)");
    expect_no_match(m, "right", "left",
                    "of 'right' at (3, 0.75, 0.75) has no partner in 'left' at "
                    "(0, 0.75, 0.75)");
    sab_mesh_destroy(&plane);
    sab_mesh_destroy(&m);
}

/* Two prisms apart, each a square cut in two along one of its diagonals and an apex behind: the
 * same nodes of the squares, but not the same sides. */
static void test_match_sides(void)
{
    static const double corner[10][3] = {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {-1, 0.5, 0.5},
                                         {2, 0, 0}, {2, 1, 0}, {2, 1, 1}, {2, 0, 1}, {3, 0.5, 0.5}};
    static const int tetrahedron[4][4] = {{0, 1, 2, 4}, {0, 2, 3, 4}, {5, 6, 8, 9}, {6, 7, 8, 9}};
    double *x = malloc(3 * 40 * sizeof *x);
    int *element = malloc(40 * sizeof *element), n = 10, middle[10][10] = {{0}};
    sab_mesh *m = NULL;

    memcpy(x, corner, sizeof corner);
    for (int e = 0; e < 4; e++) {
        memcpy(element + 10 * e, tetrahedron[e], sizeof tetrahedron[e]);
        for (int i = 0; i < 6; i++) {
            const int a = tetrahedron[e][sab_cell_tetrahedron.edge[i][0]];
            const int b = tetrahedron[e][sab_cell_tetrahedron.edge[i][1]];

            if (middle[a][b] == 0)
                middle[a][b] = middle[b][a] = n++;
            element[10 * e + 4 + i] = middle[a][b];
            for (int d = 0; d < 3; d++)
                x[3 * middle[a][b] + d] = 0.5 * (corner[a][d] + corner[b][d]);
        }
    }
    CU_ASSERT_EQUAL_FATAL(sab_mesh_create(&sab_cell_tetrahedron, n, x, 4, element, &m, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "a", 1, 2, (int[]){0, 1, 2, 0, 2, 3}, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "b", 2, 2, (int[]){5, 6, 8, 6, 7, 8}, NULL), SAB_OK);
    expect_no_match(m, "a", "b", "have the same nodes, moved, but not the same sides");
    sab_mesh_destroy(&m);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void test_out_of_memory(void)
{
    static const int side[][3] = {{0, 1, 2}, {1, 2, 3}};
    const pair p = two();
    sab_status status = SAB_ERR_MEMORY;
    sab_mesh *m = NULL, *fine = NULL;
    sab_error err = {0};
    long n;

    for (n = 0; status != SAB_OK && n < 100; n++) {
        sab_memory.failing = n;
        status = create(NODES, p.x[0], 2, p.element[0], &m, &err);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && m == NULL));
    }
    CU_ASSERT_TRUE_FATAL(status == SAB_OK && n > 15);
    status = SAB_ERR_MEMORY;
    for (n = 0; status != SAB_OK && n < 100; n++) {
        sab_memory.failing = n;
        status = sab_mesh_add_group(m, "wall", 1, 2, side[0], &err);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && m->ngroups == 0));
        CU_ASSERT_TRUE(status == SAB_OK || m->nfacets == 6);
    }
    CU_ASSERT_TRUE_FATAL(status == SAB_OK && n > 5);
    sab_memory.failing = -1;
    CU_ASSERT_EQUAL(sab_mesh_split_alfeld(m, &fine, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "p2nb"));
    CU_ASSERT_PTR_NULL(fine);
    sab_mesh_destroy(&m);
}

static const sab_test tests[] = {
    {"boxes", test_box},
    {"groups of a box", test_box_groups},
    {"two tetrahedra", test_two},
    {"groups", test_groups},
    {"errors", test_errors},
    {"an edge in common", test_edge_only},
    {"one middle of two edges", test_shared_middle},
    {"folds", test_folds},
    {"quality", test_quality},
    {"groups that match", test_match},
    {"nodes match, sides do not", test_match_sides},
    {"out of memory", test_out_of_memory},
};

int main(void)
{
    return SAB_TEST_MAIN("tetrahedra", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check_mesh.h"

#include <stdio.h>

/* sab_mesh_create takes its arrays: give it copies. */
static sab_status create(int nnodes, const double *x, int nelements, const int *element,
                         sab_mesh **mesh, sab_error *err)
{
    double *x_copy = malloc(2 * (size_t)nnodes * sizeof *x + 1);
    int *element_copy = malloc(6 * (size_t)nelements * sizeof *element + 1);

    memcpy(x_copy, x, 2 * (size_t)nnodes * sizeof *x);
    memcpy(element_copy, element, 6 * (size_t)nelements * sizeof *element);
    return sab_mesh_create(&sab_cell_triangle, nnodes, x_copy, nelements, element_copy, mesh, err);
}

/* Unit square of two triangles, diagonal from 0 to 2:
 *     3 -7- 2      the second triangle is given clockwise, the diagonal is bent at node 8,
 *     6   8 5      and the bottom bulges out by 0.1 at node 4
 *     0 -4- 1                                                                               */
static const double square_x[][2] = {{0, 0},   {1, 0},   {1, 1},   {0, 1},     {0.5, -0.1},
                                     {1, 0.5}, {0, 0.5}, {0.5, 1}, {0.52, 0.5}};
static const int square_element[][6] = {{0, 1, 2, 4, 5, 8}, {0, 3, 2, 6, 7, 8}};

static sab_mesh *square(void)
{
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(create(9, square_x[0], 2, square_element[0], &mesh, &err), SAB_OK);
    return mesh;
}

static void test_square(void)
{
    static const int left_and_bottom[][2] = {{0, 3}, {1, 0}, {3, 0}};
    sab_mesh *m = square();
    sab_error err = {0};

    CU_ASSERT_EQUAL(m->nvertices, 4);
    CU_ASSERT_EQUAL(m->nfacets, 4);
    CU_ASSERT_EQUAL(m->element[6 + 1], 2); /* turned */
    CU_ASSERT_EQUAL(m->element[6 + 3], 8);
    CU_ASSERT_EQUAL(m->element[6 + 5], 6);
    CU_ASSERT_EQUAL(m->neighbour[2], 1);
    CU_ASSERT_EQUAL(m->neighbour[3], 0);
    SAB_ASSERT_CLOSE(mesh_area(m), 1.0 + 2.0 / 3.0 * 0.1, 1e-15);
    check_mesh(m, 0);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "wall", 5, 3, left_and_bottom[0], &err), SAB_OK);
    CU_ASSERT_EQUAL(m->group[0].nfacets, 2); /* the left was given twice */
    CU_ASSERT_EQUAL(m->facet[3 * m->group[0].facet[0] + 2], 6);
    CU_ASSERT_EQUAL(m->facet[3 * m->group[0].facet[1] + 2], 4);
    CU_ASSERT_EQUAL(sab_mesh_find_group(m, "wall"), 0);
    CU_ASSERT_EQUAL(sab_mesh_find_group(m, "5"), 0);
    CU_ASSERT_EQUAL(sab_mesh_find_group(m, "Wall"), -1);
    CU_ASSERT_EQUAL(sab_mesh_find_group(m, ""), -1);
    check_split(m, 0);
    sab_mesh_destroy(&m);
    CU_ASSERT_PTR_NULL(m);
    sab_mesh_destroy(&m);
}

/* An interior side becomes a facet, once, however many groups have it. */
static void test_interior_group(void)
{
    static const int diagonal[][2] = {{2, 0}}, both[][2] = {{0, 1}, {0, 2}};
    sab_mesh *m = square();
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "slip", 1, 1, diagonal[0], &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "7", 2, 2, both[0], &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, NULL, 7, 0, NULL, &err), SAB_OK);
    CU_ASSERT_EQUAL(m->nfacets, 5);
    CU_ASSERT_TRUE(m->facet_interior[4]);
    CU_ASSERT_EQUAL(m->facet_element[4], 0);
    CU_ASSERT_EQUAL(m->group[1].facet[1], 4);
    CU_ASSERT_EQUAL(sab_mesh_find_group(m, "7"), 1); /* a name goes before a number */
    check_mesh(m, 0);
    check_split(m, 0);
    sab_mesh_destroy(&m);
}

/* Every group error leaves the mesh as it was. */
static void test_group_errors(void)
{
    static const int fine[][2] = {{0, 1}}, no_side[][2] = {{0, 2}, {1, 3}}, no_node[][2] = {{0, 9}};
    sab_mesh *m = square();
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "a", 1, 2, no_side[0], &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "from (1, 0) to (0, 1)"));
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "a", 1, 1, no_node[0], &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "uses node 9"));
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "a", 1, 1, fine[0], &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_mesh_add_group(m, "a", 2, 1, fine[0], &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "named 'a'"));
    CU_ASSERT_EQUAL(m->ngroups, 1);
    CU_ASSERT_EQUAL(m->nfacets, 4);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
}

/* A node that no triangle uses, here number 2, is dropped; the later ones move down. */
static void test_unused_node(void)
{
    static const double x[][2] = {{0, 0}, {1, 0}, {NAN, 7}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
    static const int element[6] = {0, 1, 3, 4, 5, 6};
    sab_mesh *m = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(create(7, x[0], 1, element, &m, &err), SAB_OK);
    CU_ASSERT_EQUAL(m->nnodes, 6);
    CU_ASSERT_EQUAL(m->element[2], 2);
    CU_ASSERT_EQUAL(m->x[2 * 2 + 1], 1.0);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
}

static void expect(int nnodes, const double *x, int nelements, const int *element, const char *text)
{
    sab_mesh *m = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(create(nnodes, x, nelements, element, &m, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(m);
    if (strstr(err.message, text) == NULL) {
        printf("\n    expected '%s' in '%s'", text, err.message);
        CU_FAIL("message");
    }
    sab_mesh_destroy(&m);
}

static void test_create_errors(void)
{
    int element[3][6];
    double x[12][2] = {{0}};

    memcpy(x, square_x, sizeof square_x);
    memcpy(x[9], (double[][2]){{0.4, 0.6}, {0.7, 0.8}, {0.2, 0.3}}, 3 * sizeof x[0]);

    expect(9, square_x[0], 0, square_element[0], "empty");
    expect(0, square_x[0], 2, square_element[0], "empty");

    memcpy(element, square_element, sizeof square_element);
    element[1][4] = 9;
    expect(9, square_x[0], 2, element[0], "triangle 2 uses node 9, but there are 9 nodes");
    element[1][4] = -1;
    expect(9, square_x[0], 2, element[0], "uses node -1");

    memcpy(element, square_element, sizeof square_element);
    element[1][4] = 1;
    expect(9, square_x[0], 2, element[0], "corner of one triangle and the middle");

    memcpy(element, square_element, sizeof square_element); /* the first again, turned */
    memcpy(element[1], (int[]){0, 2, 1, 8, 5, 4}, sizeof element[1]);
    expect(9, square_x[0], 2, element[0], "triangles 1 and 2 overlap");

    memcpy(element, square_element, sizeof square_element); /* a third one on the diagonal */
    memcpy(element[2], (int[]){0, 2, 9, 8, 10, 11}, sizeof element[2]);
    expect(12, x[0], 3, element[0], "triangles 1, 2 and 3 share the edge from (1, 1) to (0, 0)");

    memcpy(element, square_element, sizeof square_element);
    element[1][5] = 9; /* the diagonal with another middle */
    expect(10, x[0], 2, element[0], "but not its middle node (8 and 9)");

    memcpy(x, square_x, sizeof square_x);
    x[6][0] = NAN;
    expect(9, x[0], 2, square_element[0], "finite");

    memcpy(x, square_x, sizeof square_x); /* node 1 on the straight diagonal */
    x[1][0] = x[1][1] = 0.5;
    x[4][0] = x[4][1] = 0.25;
    x[5][0] = x[5][1] = 0.75;
    x[8][0] = 0.5;
    expect(9, x[0], 2, square_element[0], "triangle 1 of 2, near (0.5, 0.5), is degenerate");

    memcpy(x, square_x, sizeof square_x);
    x[4][1] = 0.6; /* the bottom bends through the triangle */
    expect(9, x[0], 2, square_element[0], "is folded by its curved sides");
}

/* n by n cells, an inner bump; many triangles share a vertex in no special way. */
static sab_mesh *grid(int n, sab_status *status, sab_error *err)
{
    const int line = 2 * n + 1, nnodes = line * line;
    double *x = malloc(2 * (size_t)nnodes * sizeof *x);
    int *element = malloc(12 * (size_t)n * (size_t)n * sizeof *element), *next = element;
    sab_mesh *m = NULL;

    for (int k = 0; k < nnodes; k++) {
        const double s = (double)(k % line) / (line - 1), t = (double)(k / line) / (line - 1);
        const double bump = 0.05 * sin(3.0 * s) * sin(6.0 * t);

        x[2 * k] = s + bump;
        x[2 * k + 1] = t - bump;
    }
    for (int c = 0; c < n * n; c++) {
        const int a = 2 * (c % n) + 2 * (c / n) * line, b = a + 2, d = a + 2 * line, e = d + 2;
        const int both[12] = {a, b, e, a + 1,    b + line, a + line + 1,
                              a, d, e, a + line, d + 1,    a + line + 1};

        memcpy(next, both, sizeof both);
        next += 12;
    }
    *status = sab_mesh_create(&sab_cell_triangle, nnodes, x, 2 * n * n, element, &m, err);
    return m;
}

static void test_grid(void)
{
    sab_status status;
    sab_error err = {0};
    sab_mesh *m = grid(12, &status, &err);

    CU_ASSERT_EQUAL_FATAL(status, SAB_OK);
    check_mesh(m, 0);
    check_split(m, 0);
    sab_mesh_destroy(&m);
}

/* Position and Jacobian against finite differences; the map meets the nodes. */
static void test_map(void)
{
    static const double node[6][2] = {{0, 0}, {1, 0}, {0, 1}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}};
    const double h = 1e-6;
    sab_mesh *m = square();

    for (int a = 0; a < 6; a++) {
        double x[2], J[SAB_DIM][SAB_DIM], ahead[2], behind[2];

        sab_mesh_map(m, 0, node[a], x, J);
        SAB_ASSERT_CLOSE(x[0], m->x[2 * m->element[a]], 1e-15);
        SAB_ASSERT_CLOSE(x[1], m->x[2 * m->element[a] + 1], 1e-15);
        for (int j = 0; j < 2; j++) {
            const double dx = j == 0 ? h : 0.0, dy = j == 1 ? h : 0.0;

            sab_mesh_map(m, 0, (double[]){node[a][0] + dx, node[a][1] + dy}, ahead, NULL);
            sab_mesh_map(m, 0, (double[]){node[a][0] - dx, node[a][1] - dy}, behind, NULL);
            SAB_ASSERT_CLOSE(J[0][j], (ahead[0] - behind[0]) / (2 * h), 1e-9);
            SAB_ASSERT_CLOSE(J[1][j], (ahead[1] - behind[1]) / (2 * h), 1e-9);
        }
    }
    sab_mesh_destroy(&m);
}

/* Let each allocation fail in turn, until none does. The leak sanitizer sees to the rest. */
static void test_out_of_memory(void)
{
    static const int side[][2] = {{0, 1}, {0, 2}};
    sab_status status = SAB_ERR_MEMORY;
    sab_mesh *m = NULL, *fine = NULL;
    sab_error err = {0};
    long n;

    for (n = 0; status != SAB_OK && n < 100; n++) {
        sab_memory.failing = n;
        status = create(9, square_x[0], 2, square_element[0], &m, &err);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && m == NULL));
    }
    CU_ASSERT_TRUE_FATAL(status == SAB_OK && n > 8);
    status = SAB_ERR_MEMORY;
    for (n = 0; status != SAB_OK && n < 100; n++) {
        sab_memory.failing = n;
        status = sab_mesh_add_group(m, "wall", 1, 2, side[0], &err);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && m->ngroups == 0));
        CU_ASSERT_TRUE(status == SAB_OK || m->nfacets == 4);
    }
    CU_ASSERT_TRUE_FATAL(status == SAB_OK && n > 5);
    status = SAB_ERR_MEMORY;
    for (n = 0; status != SAB_OK && n < 100; n++) {
        sab_memory.failing = n;
        status = sab_mesh_split_alfeld(m, &fine, &err);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && fine == NULL));
    }
    CU_ASSERT_TRUE(status == SAB_OK && n > 15);
    sab_memory.failing = -1;
    sab_mesh_destroy(&fine);
    sab_mesh_destroy(&m);
}

static const sab_test tests[] = {
    {"two triangles", test_square},
    {"interior group", test_interior_group},
    {"group errors", test_group_errors},
    {"unused node", test_unused_node},
    {"create errors", test_create_errors},
    {"curved grid", test_grid},
    {"map", test_map},
    {"out of memory", test_out_of_memory},
};

int main(void)
{
    return SAB_TEST_MAIN("mesh", tests);
}

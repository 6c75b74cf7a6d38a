/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tetrahedra by Gmsh: geometries of both kernels, files of all formats, what is refused. */
#include "check_mesh.h"

#include "mesh/gmsh.h"
#include "mesh/gmsh_session.h"

#include <gmshc.h>

#include <stdio.h>
#include <unistd.h>

#define DATA "tests/mesh/data/"

static const double pi = 3.14159265358979323846;
static char scratch[] = "/tmp/sab-space-XXXXXX";

static const char *scratch_path(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

static const char *scratch_file(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static sab_mesh *read_at(const char *path, int dim, double h)
{
    const sab_mesh_parameter parameter = {"h", h};
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    if (sab_mesh_read(path, dim, h > 0.0, &parameter, &mesh, &err) != SAB_OK) {
        printf("\n    %s", err.message);
        CU_FAIL_FATAL("cannot read");
    }
    return mesh;
}

static void expect_error(const char *name, const char *text, int dim, const char *message)
{
    const char *path = scratch_file(name, text);
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_mesh_read(path, dim, 0, NULL, &mesh, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(mesh);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, path));
    if (strstr(err.message, message) == NULL) {
        printf("\n    expected '%s' in '%s'", message, err.message);
        CU_FAIL("message");
    }
    sab_mesh_destroy(&mesh);
    unlink(path);
}

static bool same(const sab_mesh *a, const sab_mesh *b, double tolerance)
{
    if (a->nnodes != b->nnodes || a->nelements != b->nelements || a->nfacets != b->nfacets ||
        a->ngroups != b->ngroups)
        return false;
    for (int i = 0; i < 3 * a->nnodes; i++)
        if (fabs(a->x[i] - b->x[i]) > tolerance)
            return false;
    for (int g = 0; g < a->ngroups; g++)
        if (strcmp(a->group[g].name, b->group[g].name) != 0 ||
            a->group[g].nfacets != b->group[g].nfacets ||
            memcmp(a->group[g].facet, b->group[g].facet,
                   (size_t)a->group[g].nfacets * sizeof(int)) != 0)
            return false;
    return memcmp(a->element, b->element, 10 * (size_t)a->nelements * sizeof(int)) == 0 &&
           memcmp(a->side, b->side, 4 * (size_t)a->nelements * sizeof(int)) == 0;
}

/* --- good files ------------------------------------------------------------------------------- */

/* The volume of a ball with P2 sides tends to the true one with h^4; with flat sides it would be
 * h^2. All nodes of the boundary are on the sphere. */
static void test_ball(void)
{
    static const double h[] = {0.7, 0.35, 0.175};
    double error[3];

    for (int k = 0; k < 3; k++) {
        sab_mesh *m = read_at(DATA "ball.geo", 3, h[k]);
        double worst = 0.0;

        check_mesh(m, 0);
        CU_ASSERT_EQUAL(m->group[0].nfacets, m->nfacets);
        error[k] = 4.0 / 3.0 * pi - mesh_area(m);
        for (int i = 0; i < 6 * m->nfacets; i++) {
            const double *x = sab_mesh_x(m, m->facet[i]);

            worst = fmax(worst, fabs(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - 1.0));
        }
        CU_ASSERT_TRUE(worst < 1e-9);
        sab_mesh_destroy(&m);
    }
    CU_ASSERT_TRUE(error[1] > 0.0 && error[2] > 0.0);
    CU_ASSERT_TRUE(log2(error[0] / error[1]) > 3.4);
    CU_ASSERT_TRUE(log2(error[1] / error[2]) > 3.6);
    CU_ASSERT_TRUE(error[2] < 1e-4);
}

static void check_octant(const sab_mesh *m)
{
    static const char *const name[] = {"flat", "round", "everything", "77"};
    int n[4];

    for (int k = 0; k < 4; k++) {
        const int g = sab_mesh_find_group(m, name[k]);

        CU_ASSERT_TRUE_FATAL(g >= 0);
        n[k] = m->group[g].nfacets;
    }
    CU_ASSERT_EQUAL(m->ngroups, 4);
    CU_ASSERT_EQUAL(n[0] + n[1], m->nfacets);
    CU_ASSERT_EQUAL(n[2], m->nfacets);
    CU_ASSERT_TRUE(n[3] > 0 && n[3] < n[0]);
    check_mesh(m, 0);
}

/* The built-in kernel; and the same mesh again, to the last bit. */
static void test_octant(void)
{
    sab_mesh *m = read_at(DATA "octant.geo", 0, 0.25), *again = read_at(DATA "octant.geo", 3, 0.25);

    check_octant(m);
    SAB_ASSERT_CLOSE(mesh_area(m), pi / 6.0, 1e-4);
    CU_ASSERT_TRUE(same(m, again, 0.0));
    sab_mesh_destroy(&again);
    sab_mesh_destroy(&m);
}

/* Mesh octant.geo, save it, and read the file. */
static sab_mesh *by_file(int order, double version, int binary)
{
    const char *path = scratch_path("octant.msh");
    sab_gmsh_session session = {0};
    int ierr;

    CU_ASSERT_EQUAL_FATAL(sab_gmsh_session_open(&session, 0, NULL, NULL), SAB_OK);
    gmshMerge(DATA "octant.geo", &ierr);
    gmshModelMeshGenerate(3, &ierr);
    gmshModelMeshSetOrder(order, &ierr);
    gmshOptionSetNumber("Mesh.MshFileVersion", version, &ierr);
    gmshOptionSetNumber("Mesh.Binary", binary, &ierr);
    gmshWrite(path, &ierr);
    CU_ASSERT_EQUAL(ierr, 0);
    sab_gmsh_session_close(&session);
    return read_at(path, 3, 0.0);
}

static void test_formats(void)
{
    sab_mesh *curved = read_at(DATA "octant.geo", 3, 0.0), *straight = NULL;

    for (int k = 0; k < 4; k++) {
        const double version = k < 2 ? 2.2 : 4.1;
        sab_mesh *m = by_file(2, version, k % 2);

        CU_ASSERT_TRUE(same(m, curved, 1e-14));
        sab_mesh_destroy(&m);
        m = by_file(1, version, k % 2);
        check_octant(m);
        CU_ASSERT_EQUAL(m->nnodes, curved->nnodes);
        CU_ASSERT_TRUE(mesh_area(m) < mesh_area(curved) - 0.01);
        if (straight == NULL) {
            straight = m;
        } else {
            CU_ASSERT_TRUE(same(m, straight, 1e-14));
            sab_mesh_destroy(&m);
        }
    }
    sab_mesh_destroy(&straight);
    sab_mesh_destroy(&curved);
}

#define BOX "SetFactory(\"OpenCASCADE\"); Mesh.MeshSizeMin = 0.6; Mesh.MeshSizeMax = 0.6;\n"

/* Flat sides need no Gmsh for their middles; two volumes share a side, only one is physical. */
static void test_volumes(void)
{
    const char *const both = BOX "Box(1) = {0, 0, 0, 1, 1, 1}; Box(2) = {1, 0, 0, 2, 1, 1};\n"
                                 "BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }\n"
                                 "Physical Surface(\"wall\") = {1 : 11};\n";
    char one[1000];

    sab_mesh *m = read_at(scratch_file("both.geo", both), 3, 0.0);
    SAB_ASSERT_CLOSE(mesh_area(m), 3.0, 1e-13);
    check_mesh(m, 0);
    CU_ASSERT_TRUE(m->group[0].nfacets == m->nfacets);
    CU_ASSERT_TRUE(m->facet_interior[m->nfacets - 1]);
    sab_mesh_destroy(&m);
    snprintf(one, sizeof one,
             BOX "Box(1) = {0, 0, 0, 1, 1, 1}; Box(2) = {5, 0, 0, 2, 1, 1};\n"
                 "Physical Volume(\"a\") = {1}; Physical Surface(\"wall\") = {1 : 6};\n");
    m = read_at(scratch_file("one.geo", one), 3, 0.0);
    SAB_ASSERT_CLOSE(mesh_area(m), 1.0, 1e-13);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
}

/* A thin shell of large elements: the sides bend through each other, and Gmsh must unfold them. The
 * same mesh again to the last bit; nodes off the sphere by half a step at most. */
static void test_shell(void)
{
    const char *path = scratch_file(
        "shell.geo",
        "SetFactory(\"OpenCASCADE\"); Sphere(1) = {0, 0, 0, 1}; Sphere(2) = {0, 0, 0, 0.9};\n"
        "BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };\n"
        "Mesh.MeshSizeMin = 0.5; Mesh.MeshSizeMax = 0.5;\n"
        "Physical Surface(\"wall\") = Surface{:};\n");
    sab_mesh *m = read_at(path, 3, 0.0), *again = read_at(path, 3, 0.0);

    check_mesh(m, 1);
    CU_ASSERT_TRUE(same(m, again, 0.0));
    SAB_ASSERT_CLOSE(mesh_area(m), 4.0 / 3.0 * pi * (1.0 - 0.729), 5e-3);
    for (int i = 0; i < 6 * m->nfacets; i++) {
        const double *x = sab_mesh_x(m, m->facet[i]);
        const double r = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);

        if (fmin(fabs(r - 1.0), fabs(r - 0.9)) > 2e-5)
            CU_FAIL("off the sphere");
    }
    sab_mesh_destroy(&again);
    sab_mesh_destroy(&m);
}

/* --- what is refused -------------------------------------------------------------------------- */

#define UNIT_BOX BOX "Box(1) = {0, 0, 0, 1, 1, 1};\n"
#define SQUARE                                                                                     \
    "Point(1) = {0, 0, 0, 1}; Point(2) = {1, 0, 0, 1}; Point(3) = {1, 1, 0, 1};\n"                 \
    "Point(4) = {0, 1, 0, 1}; Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4};\n"             \
    "Line(4) = {4, 1}; Curve Loop(1) = {1 : 4}; Plane Surface(1) = {1};\n"                         \
    "Physical Curve(\"wall\") = {1 : 4};\n"

static void test_geo_errors(void)
{
    expect_error("box.geo", UNIT_BOX "Physical Surface(\"wall\") = {1 : 6};\n", 2,
                 "the model has volumes, but a flow in the plane");
    expect_error("square.geo", SQUARE, 3, "the geometry has no volume to mesh");
    expect_error("square.geo", SQUARE, 3, "geometry: space needs a mesh of tetrahedra");
    expect_error("nogroup.geo", UNIT_BOX, 3, "Physical Surface(\"wall\") = {1, 3};");
    expect_error("nogroup.geo", UNIT_BOX "Physical Curve(\"wall\") = {1 : 4};\n", 3,
                 "add physical surfaces");
    expect_error("cubic.geo",
                 UNIT_BOX "Physical Surface(\"wall\") = {1 : 6}; Mesh.ElementOrder = 3;\n", 3,
                 "only tetrahedra of 4 or 10 nodes can be used: set Mesh.ElementOrder to 1 or 2");
    expect_error("prisms.geo",
                 SQUARE "Extrude {0, 0, 1} { Surface{1}; Layers{2}; Recombine; }\n"
                        "Physical Surface(\"w\") = {1};\n",
                 3, "volume 1 has prisms (Prism 6), but only tetrahedra can be used");
    expect_error("hexahedra.geo",
                 SQUARE "Transfinite Surface{1}; Recombine Surface{1};\n"
                        "Extrude {0, 0, 1} { Surface{1}; Layers{2}; Recombine; }\n"
                        "Physical Surface(\"w\") = {1};\n",
                 3, "volume 1 has hexahedra (Hexahedron 8)");
    expect_error("loose.geo",
                 UNIT_BOX "Rectangle(20) = {3, 0, 0, 1, 1};\n"
                          "Physical Surface(\"wall\") = {1 : 6}; Physical Surface(\"s\") = {20};\n",
                 3, "group 's' (number 2) has a side at node");
    sab_mesh *m = read_at(DATA "octant.geo", 3, 0.0); /* none of these spoils what comes after */
    check_octant(m);
    sab_mesh_destroy(&m);
}

#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
#define NINE                                                                                       \
    "9\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n6 1 1 0\n7 0.3 0.3 0.3\n8 1 0 1\n9 0.5 0.5 "  \
    "0\n"                                                                                          \
    "$EndNodes\n$Elements\n"
#define END "$EndElements\n"
#define WALL "1 2 2 1 1 1 2 3\n"

static void test_msh_errors(void)
{
    expect_error("surfaces.msh", MSH NINE "1\n" WALL END, 3, "the mesh has no tetrahedra");
    expect_error("surfaces.msh", MSH NINE "1\n" WALL END, 3, "gmsh -3");
    expect_error("pyramid.msh", MSH NINE "2\n" WALL "2 7 2 1 1 1 2 6 3 4\n" END, 0,
                 "volume 1 has pyramids");
    expect_error("both.msh", MSH NINE "3\n" WALL "2 4 2 1 1 1 2 3 4\n3 7 2 1 1 1 2 6 3 4\n" END, 0,
                 "pyramids");
    expect_error("quads.msh", MSH NINE "2\n1 3 2 1 1 1 2 6 3\n2 4 2 1 1 1 2 3 4\n" END, 3,
                 "surface 1 has quadrangles");
    expect_error("plane.msh", MSH NINE "2\n" WALL "2 4 2 1 1 1 2 3 4\n" END, 2,
                 "the model has volumes");
    expect_error("nogroup.msh", MSH NINE "1\n1 4 2 0 1 1 2 3 4\n" END, 3,
                 "and also Physical Volume(\"domain\")");
    expect_error("missing.msh", MSH NINE "2\n" WALL "2 4 2 1 1 1 2 3 99\n" END, 3, "99");
    expect_error("flat.msh", MSH NINE "2\n" WALL "2 4 2 1 1 1 2 3 9\n" END, 3,
                 "tetrahedron 1 of 1, near (0.375, 0.375, 0), is degenerate");
    expect_error("overlap.msh", MSH NINE "3\n" WALL "2 4 2 1 1 1 2 3 4\n3 4 2 1 1 1 2 3 7\n" END, 3,
                 "tetrahedra 1 and 2 overlap: both lie on the same side of their face");
    expect_error("three.msh",
                 MSH NINE "4\n" WALL
                          "2 4 2 1 1 2 3 4 1\n3 4 2 1 1 2 3 4 5\n4 4 2 1 1 2 3 4 8\n" END,
                 3, "tetrahedra 1, 2 and 3 share the face with corners");
    expect_error("side.msh", MSH NINE "2\n1 2 2 1 1 1 2 5\n2 4 2 1 1 1 2 3 4\n" END, 3,
                 "group '' (number 1) has a side at node 5 (1, 1, 1)");
    expect_error("surface.msh", MSH NINE "3\n" WALL "2 2 2 2 1 1 2 4\n3 4 2 1 1 1 2 3 4\n" END, 3,
                 "same surface number 1");
}

/* Given negative, it is turned. */
static void test_negative(void)
{
    const char *path = scratch_file("turned.msh", MSH NINE "2\n" WALL "2 4 2 1 1 1 3 2 4\n" END);
    sab_mesh *m = read_at(path, 3, 0.0);

    SAB_ASSERT_CLOSE(mesh_area(m), 1.0 / 6.0, 1e-15);
    CU_ASSERT_EQUAL(m->nnodes, 10);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void test_out_of_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;
    char path[256];
    long n;

    strcpy(path, scratch_file("small.msh", MSH NINE "3\n" WALL "2 4 2 1 1 1 2 3 4\n"
                                                    "3 4 2 1 1 2 3 4 5\n" END));
    for (n = 0; status != SAB_OK && n < 300; n++) {
        sab_mesh *mesh = NULL;
        sab_error err = {0};

        sab_memory.failing = n;
        status = sab_mesh_read(path, 3, 0, NULL, &mesh, &err);
        CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && mesh == NULL));
        sab_mesh_destroy(&mesh);
    }
    sab_memory.failing = -1;
    CU_ASSERT_TRUE(status == SAB_OK && n > 30);
}

static void remove_scratch(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", scratch);
    CU_ASSERT_EQUAL(system(command), 0);
}

static const sab_test tests[] = {
    {"ball, volume of order 4", test_ball}, {"octant, twice", test_octant},
    {"formats 2.2 and 4.1", test_formats},  {"volumes", test_volumes},
    {"a shell unfolded", test_shell},       {".geo errors", test_geo_errors},
    {".msh errors", test_msh_errors},       {"negative tetrahedron", test_negative},
    {"out of memory", test_out_of_memory},  {"clean up", remove_scratch},
};

int main(void)
{
    if (mkdtemp(scratch) == NULL)
        return 1;
    return SAB_TEST_MAIN("gmsh, space", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check_mesh.h"

#include "mesh/gmsh.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA "tests/mesh/data/"

static sab_mesh *read_with(const char *path, int n, const sab_mesh_parameter *parameter)
{
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    if (sab_mesh_read(path, 2, n, parameter, &mesh, &err) != SAB_OK) {
        printf("\n    %s", err.message);
        CU_FAIL_FATAL("cannot read");
    }
    return mesh;
}

static sab_mesh *read_mesh(const char *path)
{
    return read_with(path, 0, NULL);
}

/* --- scratch directory ------------------------------------------------------------------------ */

static char scratch[] = "/tmp/sab-mesh-XXXXXX";

/* A file of the scratch directory, from text. The path is good until the next call. */
static const char *scratch_file(const char *name, const char *text, size_t length)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", scratch, name);
    FILE *file = fopen(path, "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fwrite(text, 1, length, file);
    fclose(file);
    return path;
}

static void expect_error(const char *path, int n, const sab_mesh_parameter *parameter,
                         const char *text)
{
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_mesh_read(path, 2, n, parameter, &mesh, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(mesh);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, path));
    if (strstr(err.message, text) == NULL) {
        printf("\n    expected '%s' in '%s'", text, err.message);
        CU_FAIL("message");
    }
    sab_mesh_destroy(&mesh);
}

static void expect_error_of(const char *name, const char *text, const char *message)
{
    const char *path = scratch_file(name, text, strlen(text));

    expect_error(path, 0, NULL, message);
    unlink(path);
}

/* --- good files ------------------------------------------------------------------------------- */

static void expect_same(const sab_mesh *a, const sab_mesh *b, double tolerance)
{
    CU_ASSERT_EQUAL_FATAL(a->nnodes, b->nnodes);
    CU_ASSERT_EQUAL_FATAL(a->nelements, b->nelements);
    CU_ASSERT_EQUAL_FATAL(a->nfacets, b->nfacets);
    CU_ASSERT_EQUAL_FATAL(a->ngroups, b->ngroups);
    CU_ASSERT_EQUAL(a->nvertices, b->nvertices);
    for (int i = 0; i < 2 * a->nnodes; i++)
        if (fabs(a->x[i] - b->x[i]) > tolerance)
            CU_FAIL("nodes differ");
    CU_ASSERT_EQUAL(memcmp(a->element, b->element, 6 * (size_t)a->nelements * sizeof(int)), 0);
    CU_ASSERT_EQUAL(memcmp(a->facet, b->facet, 3 * (size_t)a->nfacets * sizeof(int)), 0);
    for (int g = 0; g < a->ngroups; g++) {
        CU_ASSERT_STRING_EQUAL(a->group[g].name, b->group[g].name);
        CU_ASSERT_EQUAL(a->group[g].tag, b->group[g].tag);
        CU_ASSERT_EQUAL_FATAL(a->group[g].nfacets, b->group[g].nfacets);
        CU_ASSERT_EQUAL(
            memcmp(a->group[g].facet, b->group[g].facet, (size_t)a->group[g].nfacets * sizeof(int)),
            0);
    }
}

static void check_hole_groups(const sab_mesh *m)
{
    const int wall = sab_mesh_find_group(m, "wall"), hole = sab_mesh_find_group(m, "hole");
    const int all = sab_mesh_find_group(m, "everything"), left = sab_mesh_find_group(m, "77");

    CU_ASSERT_TRUE_FATAL(wall >= 0 && hole >= 0 && all >= 0 && left >= 0 && m->ngroups == 4);
    CU_ASSERT_EQUAL(m->group[wall].nfacets, 16);
    CU_ASSERT_EQUAL(m->group[hole].nfacets, 8);
    CU_ASSERT_EQUAL(m->group[all].nfacets, 24);
    CU_ASSERT_EQUAL(m->group[left].nfacets, 4);
    for (int i = 0; i < 4; i++)
        SAB_ASSERT_CLOSE(m->x[2 * m->facet[3 * m->group[left].facet[i]]], -2.0, 1e-12);
}

/* The hole has eight sides, each a parabola through three points of the circle. */
static void test_curved_sides(void)
{
    const double r = 0.5, eighth = acos(-1.0) / 4.0;
    const double chord = 2.0 * r * sin(eighth / 2.0), sagitta = r * (1.0 - cos(eighth / 2.0));
    const double polygon = 8.0 * 0.5 * r * r * sin(eighth);
    sab_mesh *m = read_mesh(DATA "hole.geo");

    CU_ASSERT_EQUAL(m->nelements, 80);
    SAB_ASSERT_CLOSE(mesh_area(m), 16.0 - polygon - 8.0 * 2.0 / 3.0 * chord * sagitta, 1e-8);
    check_hole_groups(m);
    check_mesh(m, 1);
    check_split(m, 1);
    sab_mesh_destroy(&m);
}

/* Formats 2.2 and 4.1, text and binary; quadratic files keep the curved sides of the .geo, linear
 * ones have the same corners. */
static void test_formats(void)
{
    static const char *const quadratic[] = {
        DATA "hole_22_p2_ascii.msh", DATA "hole_22_p2_binary.msh", DATA "hole_41_p2_ascii.msh",
        DATA "hole_41_p2_binary.msh"};
    static const char *const linear[] = {DATA "hole_22_p1_ascii.msh", DATA "hole_22_p1_binary.msh",
                                         DATA "hole_41_p1_ascii.msh", DATA "hole_41_p1_binary.msh"};
    sab_mesh *curved = read_mesh(DATA "hole.geo"), *straight = NULL;

    for (int k = 0; k < 4; k++) {
        sab_mesh *m = read_mesh(quadratic[k]);

        expect_same(m, curved, 1e-14);
        sab_mesh_destroy(&m);

        m = read_mesh(linear[k]);
        check_mesh(m, 1);
        check_hole_groups(m);
        CU_ASSERT_EQUAL(m->nnodes, curved->nnodes);
        SAB_ASSERT_CLOSE(mesh_area(m), 16.0 - 8.0 * 0.125 * sqrt(0.5), 1e-8);
        if (straight == NULL) {
            straight = m;
        } else {
            expect_same(m, straight, 1e-14);
            sab_mesh_destroy(&m);
        }
    }
    for (int k = 0; k < 6 * curved->nelements; k++) {
        const double *p = curved->x + 2 * curved->element[k];
        const double *q = straight->x + 2 * straight->element[k];

        if (k % 6 < 3 && hypot(p[0] - q[0], p[1] - q[1]) > 1e-14)
            CU_FAIL("corners differ");
    }
    sab_mesh_destroy(&straight);
    sab_mesh_destroy(&curved);
}

/* Overrides reach each form of DefineConstant, and the next mesh does not remember them. */
static void test_parameters(void)
{
    const sab_mesh_parameter named = {"h", 0.5}, plain = {"r", 0.25}, elsewhere = {"outer", 4.0};
    const sab_mesh_parameter all[] = {plain, named, elsewhere};
    sab_mesh *m = read_mesh(DATA "hole.geo");
    sab_mesh *other = read_with(DATA "hole.geo", 1, &named);

    CU_ASSERT_TRUE(other->nelements > 2 * m->nelements);
    sab_mesh_destroy(&other);
    other = read_with(DATA "hole.geo", 1, &plain);
    SAB_ASSERT_CLOSE(mesh_area(other), 16.0 - acos(-1.0) / 16.0, 1e-3);
    sab_mesh_destroy(&other);
    other = read_with(DATA "hole.geo", 3, all);
    SAB_ASSERT_CLOSE(mesh_area(other), 64.0 - acos(-1.0) / 16.0, 1e-3);
    sab_mesh_destroy(&other);
    other = read_mesh(DATA "hole.geo");
    expect_same(other, m, 0.0); /* and the same to the last bit */
    sab_mesh_destroy(&other);
    sab_mesh_destroy(&m);
}

static void test_parameter_errors(void)
{
    const sab_mesh_parameter typing = {"outr", 1.0}, far = {"mesh_size", 1.0}, nan = {"h", NAN};
    const sab_mesh_parameter quoted = {"quoted", 1.0}, inner = {"inner", 0.5};
    const char *const text =
        "Include \"inner.geo\"; // DefineConstant[ quoted = 1 ];\n"
        "/* DefineConstant[ quoted = 1 ]; */ Printf(\"DefineConstant[ "
        "quoted = 2 ];\");\n"
        "DefineConstant[ a = {1 + 2 * (3), Min 0, Max Sqrt(100), Name \"x,y\"} "
        ", quoted = \"text\", b ];\n"
        "Point(1) = {0, 0, 0, 1}; Point(2) = {1, 0, 0, 1};\n"
        "Point(3) = {0, inner, 0, 1};\n"
        "Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 1};\n"
        "Curve Loop(1) = {1, 2, 3}; Plane Surface(1) = {1};\n"
        "Physical Curve(\"wall\") = {1 : 3};\n";
    const char *const included = "DefineConstant[ inner = {1, Name \"inner\"} ];\n";

    expect_error(DATA "hole.geo", 1, &typing, "no parameter 'outr' (did you mean 'outer'?)");
    expect_error(DATA "hole.geo", 1, &far, "it defines: h, r, outer");
    expect_error(DATA "hole.geo", 1, &nan, "'h' is not a finite number");
    expect_error(DATA "hole_41_p1_ascii.msh", 1, &inner, "'inner') are for .geo files");

    scratch_file("inner.geo", included, strlen(included));
    const char *path = scratch_file("scan.geo", text, strlen(text));
    expect_error(path, 1, &quoted, "it defines: inner, a, b\n");
    sab_mesh *m = read_with(path, 1, &inner);
    SAB_ASSERT_CLOSE(mesh_area(m), 0.25, 1e-14);
    sab_mesh_destroy(&m);
    path = scratch_file("none.geo", "Point(1) = {0, 0, 0};\n", 22);
    expect_error(path, 1, &inner, "it defines none");
}

/* What Gmsh takes for a constant is one: without commas, from a file whose name is computed,
 * changed after that. What it takes for something else is none, even if its name stands in the
 * text. */
static void test_parameters_asked(void)
{
    static const char text[] = "name = \"asked\"; Include StrCat(name, \".inc\");\n"
                               "DefineConstant[ a = {1, Name \"a\"} b = {2} n = 8 ];\n"
                               "n = n/4; own = 3; own_list() = {1, 2};\n"
                               "Macro none Return\n"
                               "Point(1) = {0, 0, 0, n}; Point(2) = {a, 0, 0, n};\n"
                               "Point(3) = {a, b*far, 0, n}; Point(4) = {0, b*far, 0, n};\n"
                               "Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4};\n"
                               "Line(4) = {4, 1}; Curve Loop(1) = {1 : 4};\n"
                               "Plane Surface(1) = {1}; Physical Curve(\"wall\") = {1 : 4};\n";
    static const char bad[] = "DefineConstant[ a = 1 ];\nPoint(1) = {;\n";
    const sab_mesh_parameter good[] = {{"b", 3.0}, {"far", 2.0}, {"n", 1.0}, {"a", 0.5}};
    const sab_mesh_parameter own = {"own", 4.0}, same = {"own", 3.0}, one = {"a", 2.0};
    static const sab_mesh_parameter wrong[] = {{"Point", 1.0}, {"none", 1.0},     {"Name", 1.0},
                                               {"wall", 1.0},  {"own_list", 5.0}, {"name", 1.0},
                                               {"a; b", 1.0},  {"", 1.0},         {"\"", 1.0}};

    scratch_file("asked.inc", "DefineConstant[ far = 1 ];\n", 27);
    const char *path = scratch_file("asked.geo", text, strlen(text));
    sab_mesh *m = read_with(path, 4, good);
    SAB_ASSERT_CLOSE(mesh_area(m), 3.0, 1e-14);
    sab_mesh_destroy(&m);
    m = read_with(path, 1, &same);
    SAB_ASSERT_CLOSE(mesh_area(m), 2.0, 1e-14);
    sab_mesh_destroy(&m);
    expect_error(path, 1, &own, "gives 'own' the value 3 itself");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        expect_error(path, 1, &wrong[i],
                     strcmp(wrong[i].name, "own_list") == 0 ? "gives 'own_list' the value 1 itself"
                                                            : "it defines: a, b, n, far\n");
    m = read_with(path, 4, good); /* and Gmsh is sound after all that */
    SAB_ASSERT_CLOSE(mesh_area(m), 3.0, 1e-14);
    sab_mesh_destroy(&m);
    path = scratch_file("bad_asked.geo", bad, strlen(bad));
    expect_error(path, 1, &one, "Gmsh, reading the file: ");
    expect_error(path, 1, &own, "it defines: a\n");
}

/* --- bad files -------------------------------------------------------------------------------- */

static void test_file_errors(void)
{
    char path[256];

    expect_error(DATA "nosuch.geo", 0, NULL, "No such file");
    snprintf(path, sizeof path, "%s/dir.geo", scratch);
    CU_ASSERT_EQUAL(mkdir(path, 0700), 0);
    expect_error(path, 0, NULL, "is a directory");
    expect_error_of("empty.geo", "", "is empty");
    expect_error_of("empty.msh", "", "is empty");
    expect_error_of("shape.step", "x", "unknown extension '.step'");
    expect_error_of("shape.goe", "x", "did you mean '.geo'?");
    expect_error_of("shape", "x", "unknown extension ''");
    expect_error_of("text.msh", "Point(1) = {0, 0, 0};\n", "no Gmsh mesh");
    expect_error_of("mesh.geo", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "name it .msh");
    expect_error_of("v3.msh", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", "version 3 is not supported");
    if (geteuid() != 0) { /* root reads everything */
        const char *secret = scratch_file("secret.geo", "x", 1);

        chmod(secret, 0);
        expect_error(secret, 0, NULL, "Permission denied");
    }
}

#define SQUARE(z, h)                                                                               \
    "Point(1) = {0, 0, " #z ", " #h "}; Point(2) = {1, 0, " #z ", " #h "};\n"                      \
    "Point(3) = {1, 1, " #z ", " #h "}; Point(4) = {0, 1, " #z ", " #h "};\n"                      \
    "Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4}; Line(4) = {4, 1};\n"                    \
    "Curve Loop(1) = {1 : 4}; Plane Surface(1) = {1};\n"
#define WALL "Physical Curve(\"wall\") = {1 : 4};\n"

static void test_geo_errors(void)
{
    expect_error_of("syntax.geo", SQUARE(0, 1) "Point(9) = {1, 2\n;\n" WALL, "syntax error");
    expect_error_of("syntax.geo", SQUARE(0, 1) "Point(9) = {1, 2\n;\n" WALL, "line 6");
    expect_error_of("unknown.geo", SQUARE(0, 1) WALL "Line(9) = {1, nothing};\n", "nothing");
    expect_error_of("nosurface.geo", "Point(1) = {0, 0, 0};\n", "no surface to mesh");
    expect_error_of("quads.geo", SQUARE(0, 0.3) WALL "Recombine Surface{1};\n", "remove Recombine");
    expect_error_of("lifted.geo", SQUARE(0.5, 1) WALL, "not in the plane z = 0");
    expect_error_of("volume.geo", SQUARE(0, 1) WALL "Extrude {0, 0, 1} { Surface{1}; }\n",
                    "has volumes");
    expect_error_of("nogroup.geo", SQUARE(0, 1), "Physical Curve(\"wall\") = {1, 3};");
    expect_error_of("cubic.geo", SQUARE(0, 1) WALL "Mesh.ElementOrder = 3;\n",
                    "Mesh.ElementOrder to 1 or 2");
    expect_error_of("loose.geo",
                    SQUARE(0, 1) WALL
                    "Point(5) = {3, 3, 0, 1}; Line(5) = {3, 5}; Physical Curve(\"loose\") = {5};\n",
                    "group 'loose' (number 2) has a side");
    expect_error_of("twice.geo",
                    SQUARE(0, 1) "Physical Curve(\"wall\", 1) = {1};\n"
                                 "Physical Curve(\"wall\", 2) = {2};\n",
                    "already exists");

    /* none of these spoils what comes after */
    sab_mesh *m = read_mesh(DATA "hole.geo");
    CU_ASSERT_EQUAL(m->nelements, 80);
    sab_mesh_destroy(&m);
}

/* Clockwise loop, several surfaces, no physical surface; then only one of the two is physical. */
static void test_surfaces(void)
{
    const char *const text = SQUARE(0, 1) "Point(5) = {2, 0, 0, 1}; Line(5) = {2, 5};\n"
                                          "Line(6) = {5, 3}; Curve Loop(2) = {2, -6, -5};\n"
                                          "Plane Surface(2) = {2};\n" WALL;
    char all[2000];

    sab_mesh *m = read_mesh(scratch_file("two.geo", text, strlen(text)));
    SAB_ASSERT_CLOSE(mesh_area(m), 1.5, 1e-14);
    CU_ASSERT_EQUAL(m->group[0].nfacets, 4); /* one of them interior */
    check_mesh(m, 0);
    check_split(m, 0);
    sab_mesh_destroy(&m);
    snprintf(all, sizeof all, "%sPhysical Surface(\"a\") = {1}; Physical Surface(\"b\") = {1};\n",
             text);
    m = read_mesh(scratch_file("two.geo", all, strlen(all)));
    SAB_ASSERT_CLOSE(mesh_area(m), 1.0, 1e-14);
    sab_mesh_destroy(&m);
}

#define MSH "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n"
#define FIVE "5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 0.5 1\n$EndNodes\n$Elements\n"
#define END "$EndElements\n"

static void test_msh_errors(void)
{
    expect_error_of("lines.msh", MSH FIVE "1\n1 1 2 1 1 1 2\n" END, "Physical Surface(\"domain\")");
    expect_error_of("quad.msh", MSH FIVE "2\n1 1 2 1 1 1 2\n2 3 2 1 1 1 2 3 4\n" END,
                    "quadrangles");
    expect_error_of("tetra.msh", MSH FIVE "2\n1 1 2 1 1 1 2\n2 4 2 1 1 1 2 3 5\n" END, "volumes");
    expect_error_of("nogroup.msh", MSH FIVE "1\n1 2 2 0 1 1 2 3\n" END, "names no boundary");
    expect_error_of("missing.msh", MSH FIVE "2\n1 1 2 1 1 1 2\n2 2 2 1 1 1 2 9\n" END, "9");
    expect_error_of("plane.msh", MSH FIVE "2\n1 1 2 1 1 1 2\n2 2 2 1 1 1 2 5\n" END, "z = 0");
    expect_error_of("flat.msh",
                    MSH "3\n1 0 0 0\n2 1 0 0\n3 2 0 0\n$EndNodes\n$Elements\n"
                        "2\n1 1 2 1 1 1 2\n2 2 2 1 1 1 2 3\n" END,
                    "triangle 1 of 1, near (1, 0), is degenerate");
    expect_error_of("overlap.msh",
                    MSH FIVE "3\n1 1 2 1 1 1 2\n2 2 2 1 1 1 2 3\n3 2 2 1 1 1 2 4\n" END,
                    "triangles 1 and 2 overlap");
    expect_error_of("mixed.msh",
                    MSH "7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 0 0\n6 1 0.5 0\n7 0.5 0.5 0\n"
                        "$EndNodes\n$Elements\n"
                        "3\n1 1 2 1 1 1 2\n2 9 2 1 1 1 2 3 5 6 7\n3 2 2 1 1 1 3 4\n" END,
                    "surface 1 has both linear and quadratic");
    expect_error_of("mixed.msh",
                    MSH "7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 0 0\n6 1 0.5 0\n7 0.5 0.5 0\n"
                        "$EndNodes\n$Elements\n"
                        "3\n1 1 2 1 1 1 2\n2 2 2 1 1 1 3 4\n3 9 2 1 1 1 2 3 5 6 7\n" END,
                    "surface 1 has both linear and quadratic");
    expect_error_of("mixed.msh",
                    MSH "7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0.5 0 0\n6 1 0.5 0\n7 0.5 0.5 0\n"
                        "$EndNodes\n$Elements\n"
                        "3\n1 1 2 1 1 1 2\n2 2 2 1 2 1 3 4\n3 9 2 1 1 1 2 3 5 6 7\n" END,
                    "the mesh has both linear and quadratic");
    /* two groups on curve 1, each side in one of them */
    expect_error_of("curve.msh",
                    MSH FIVE
                    "4\n1 1 2 1 1 1 2\n2 1 2 2 1 2 3\n3 2 2 1 1 1 2 3\n4 2 2 1 1 1 3 4\n" END,
                    "same curve number 1");
}

/* Format 2.2 repeats triangles that are in two physical surfaces. */
static void test_repeated_triangles(void)
{
    const char *const text = MSH FIVE "5\n1 1 2 1 1 1 2\n2 2 2 1 1 1 2 3\n3 2 2 2 1 1 2 3\n"
                                      "4 2 2 1 1 1 3 4\n5 2 2 2 1 1 3 4\n" END;
    sab_mesh *m = read_mesh(scratch_file("repeat.msh", text, strlen(text)));

    CU_ASSERT_EQUAL(m->nelements, 2);
    CU_ASSERT_EQUAL(m->nnodes, 9);
    CU_ASSERT_EQUAL(sab_mesh_find_group(m, "1"), 0);
    check_mesh(m, 0);
    sab_mesh_destroy(&m);
}

/* Is region i the elements whose centre has low < x < high, and no others? */
static void check_region(const sab_mesh *m, const char *name, double low, double high)
{
    const int i = sab_mesh_find_region(m, name);
    const double middle[] = {1.0 / 3.0, 1.0 / 3.0};
    int wrong = 0;

    CU_ASSERT_TRUE_FATAL(i >= 0);
    for (int e = 0; e < m->nelements; e++) {
        double x[SAB_DIM];

        sab_mesh_map(m, e, middle, x, NULL);
        wrong += m->region[i].has[e] != (x[0] > low && x[0] < high);
    }
    CU_ASSERT_EQUAL(wrong, 0);
}

/* Groups of elements, by name and number, of both kinds of reading and after a split; in format 2.2
 * too, where one that cannot be told from another is not there. */
static void test_regions(void)
{
    const char *const text =
        SQUARE(0, 0.3) "Point(5) = {2, 0, 0, 0.3}; Line(5) = {2, 5};\n"
                       "Line(6) = {5, 3}; Curve Loop(2) = {2, -6, -5};\n"
                       "Plane Surface(2) = {2};\n" WALL "Physical Surface(\"all\") = {1, 2};\n"
                       "Physical Surface(\"right\") = {2};\n"
                       "Physical Surface(17) = {1};\n";
    const char *const mixed = MSH FIVE "3\n1 1 2 1 1 1 2\n2 2 2 4 1 1 2 3\n3 2 2 5 1 1 3 4\n" END;
    const char *const apart = MSH FIVE "3\n1 1 2 1 1 1 2\n2 2 2 4 1 1 2 3\n3 2 2 5 2 1 3 4\n" END;

    for (int k = 0; k < 3; k++) {
        const char *path = scratch_file("regions.geo", text, strlen(text));
        sab_mesh *m = NULL, *fine = NULL;
        sab_error err = {0};
        const sab_status status = k == 1 ? sab_mesh_read_apart(path, true, 2, 0, NULL, &m, &err)
                                         : sab_mesh_read(path, 2, 0, NULL, &m, &err);

        CU_ASSERT_EQUAL_FATAL(status, SAB_OK);
        if (k == 2) {
            CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(m, &fine, NULL), SAB_OK);
            sab_mesh_destroy(&m);
            m = fine;
        }
        CU_ASSERT_EQUAL(m->nregions, 3);
        check_region(m, "all", -9.0, 9.0);
        check_region(m, "right", 1.0, 9.0);
        check_region(m, "17", -9.0, 1.0);
        CU_ASSERT_EQUAL(sab_mesh_find_region(m, "left"), -1);
        CU_ASSERT_EQUAL(sab_mesh_find_region(m, "99"), -1);
        CU_ASSERT_EQUAL(sab_mesh_find_region(m, ""), -1);
        sab_mesh_destroy(&m);
    }
    sab_mesh *m = read_mesh(scratch_file("mixed.msh", mixed, strlen(mixed)));
    CU_ASSERT_EQUAL(m->nelements, 2);
    CU_ASSERT_EQUAL(m->nregions, 0);
    sab_mesh_destroy(&m);
    m = read_mesh(scratch_file("apart.msh", apart, strlen(apart)));
    CU_ASSERT_EQUAL(m->nregions, 2);
    check_region(m, "4", 0.5, 1.0);
    check_region(m, "5", 0.0, 0.5);
    CU_ASSERT_EQUAL(sab_mesh_add_region(m, "x", 9, 1, (int[]){0, 1, 1}, NULL), SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(m->nregions, 2);
    sab_mesh_destroy(&m);
}

/* A file cut short is an error wherever the cut is, and never a crash. */
static void test_truncated(void)
{
    static const char *const name[] = {"22_p1_ascii", "22_p2_binary", "41_p2_ascii",
                                       "41_p1_binary"};

    for (int k = 0; k < 4; k++) {
        static char text[20000];
        char path[256];

        snprintf(path, sizeof path, DATA "hole_%s.msh", name[k]);
        FILE *file = fopen(path, "rb");
        CU_ASSERT_PTR_NOT_NULL_FATAL(file);
        const size_t length = fread(text, 1, sizeof text, file);
        fclose(file);
        for (int tenth = 1; tenth < 10; tenth++) {
            const char *cut = scratch_file("cut.msh", text, length * (size_t)tenth / 10);

            expect_error(cut, 0, NULL, "truncated");
        }
        /* whole sections missing: no sentence of ours to expect, but an error */
        char *elements = NULL;
        for (size_t i = 0; i + 9 < length && elements == NULL; i++)
            elements = memcmp(text + i, "$Elements", 9) == 0 ? text + i : NULL;
        expect_error(scratch_file("cut.msh", text, (size_t)(elements - text)), 0, NULL,
                     "no triangles");
    }
}

/* --- the process is left as it was ------------------------------------------------------------ */

static void handler(int signal_number)
{
    (void)signal_number;
}

static void test_process(void)
{
    struct sigaction before = {.sa_handler = handler}, after;
    const int out = dup(1), errors = dup(2);
    char path[256];
    struct stat info;
    sab_mesh *mesh = NULL;
    sab_error err = {0};

    fflush(stdout);
    snprintf(path, sizeof path, "%s/printed", scratch);
    CU_ASSERT_PTR_NOT_NULL_FATAL(freopen(path, "w", stderr));
    dup2(2, 1);
    sigaction(SIGINT, &before, NULL);
    const char *set = setlocale(LC_NUMERIC, "C.utf8");
    sab_mesh_read(DATA "hole.geo", 2, 0, NULL, &mesh, &err);
    sab_mesh_destroy(&mesh);
    const char *bad = scratch_file("bad.geo", "Point(1) = {;\n", 14);
    sab_mesh_read(bad, 2, 0, NULL, &mesh, &err);
    fflush(stdout);
    dup2(out, 1);
    dup2(errors, 2);
    close(out);
    close(errors);
    CU_ASSERT_EQUAL(stat(path, &info), 0);
    CU_ASSERT_EQUAL(info.st_size, 0);
    sigaction(SIGINT, NULL, &after);
    CU_ASSERT_TRUE(after.sa_handler == handler);
    if (set != NULL)
        CU_ASSERT_STRING_EQUAL(setlocale(LC_NUMERIC, NULL), "C.utf8");
    setlocale(LC_NUMERIC, "C");
    signal(SIGINT, SIG_DFL);
}

static void test_out_of_memory(void)
{
    static const char *const path[] = {DATA "hole.geo", DATA "hole_41_p1_binary.msh"};
    const sab_mesh_parameter parameter = {"h", 1.0};

    for (int k = 0; k < 2; k++) {
        sab_status status = SAB_ERR_MEMORY;
        long n;

        for (n = 0; status != SAB_OK && n < 300; n++) {
            sab_mesh *mesh = NULL;
            sab_error err = {0};

            sab_memory.failing = n;
            status = sab_mesh_read(path[k], 2, 1 - k, &parameter, &mesh, &err);
            CU_ASSERT_TRUE(status == SAB_OK || (status == SAB_ERR_MEMORY && mesh == NULL));
            sab_mesh_destroy(&mesh);
        }
        sab_memory.failing = -1;
        CU_ASSERT_TRUE(status == SAB_OK && n > 30);
    }
}

/* --- the meshes that come with the program ---------------------------------------------------- */

static void check_case(const char *path, int n, const sab_mesh_parameter *parameter, double area,
                       const char *group, int nfacets)
{
    sab_mesh *m = read_with(path, n, parameter);
    const int g = sab_mesh_find_group(m, group);
    int total = 0;

    check_mesh(m, 0);
    SAB_ASSERT_CLOSE(mesh_area(m), area, 1e-13);
    CU_ASSERT_TRUE_FATAL(g >= 0);
    CU_ASSERT_EQUAL(m->group[g].nfacets, nfacets);
    for (int k = 0; k < m->ngroups; k++)
        total += m->group[k].nfacets;
    CU_ASSERT_EQUAL(total, m->nfacets); /* the groups are the boundary */
    sab_mesh_destroy(&m);
}

static void test_meshes(void)
{
    for (int structured = 0; structured < 2; structured++) {
        const sab_mesh_parameter p[] = {{"structured", structured}, {"n", 5}, {"L", 2.5}};
        const sab_mesh_parameter q[] = {{"structured", structured}, {"n", 5}, {"h", 0.2}};

        check_case("meshes/channel.geo", 3, p, 5.0, "inlet", 5);
        check_case("meshes/channel.geo", 3, p, 5.0, "outlet", 5);
        check_case("meshes/channel.geo", 3, p, 5.0, "wall", 12); /* round(2.5 / 0.4) = 6 */
        check_case("meshes/film.geo", 3, p, 2.5, "left", 5);
        check_case("meshes/film.geo", 3, p, 2.5, "bottom", 13);
        check_case("meshes/cavity.geo", 3, q, 1.0, "lid", 5);
        check_case("meshes/cavity.geo", 3, q, 1.0, "wall", 15);
    }
    check_case("meshes/box.geo", 3, (sab_mesh_parameter[]){{"W", 3}, {"H", 2}, {"h", 0.5}}, 6.0,
               "side", 8);
}

static void remove_scratch(void)
{
    char command[128];

    snprintf(command, sizeof command, "rm -rf %s", scratch);
    CU_ASSERT_EQUAL(system(command), 0);
}

static const sab_test tests[] = {
    {"curved sides", test_curved_sides},
    {"formats 2.2 and 4.1", test_formats},
    {"parameters", test_parameters},
    {"parameter errors", test_parameter_errors},
    {"parameters are asked for", test_parameters_asked},
    {"file errors", test_file_errors},
    {".geo errors", test_geo_errors},
    {"surfaces", test_surfaces},
    {".msh errors", test_msh_errors},
    {"repeated triangles", test_repeated_triangles},
    {"groups of elements", test_regions},
    {"truncated files", test_truncated},
    {"the process is left as it was", test_process},
    {"out of memory", test_out_of_memory},
    {"meshes of the program", test_meshes},
    {"clean up", remove_scratch},
};

int main(void)
{
    if (mkdtemp(scratch) == NULL)
        return 1;
    return SAB_TEST_MAIN("gmsh", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The case file: what is read, what is refused and how, and the way back to YAML. Linked with ld
 * --wrap for sab_alloc, sab_realloc, sab_strdup and sab_free, to make each allocation fail. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "io/case.h"
#include "io/schema.h"
#include "io/yaml_tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a directory with a case ---- */

static char directory[] = "/tmp/sab-case-XXXXXX", file[sizeof directory + 20];

static void write_case(const char *text, size_t length)
{
    FILE *out = fopen(file, "wb");

    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    CU_ASSERT_EQUAL(fwrite(text, 1, length, out), length);
    fclose(out);
}

/* Everything the schema has, once. */
static const char full[] = "title: Half silo\n"                                    /* 1 */
                           "mesh:\n"                                               /* 2 */
                           "  file: ../meshes/silo.geo\n"                          /* 3 */
                           "  parameters: {D: 1.5, h: 3e-1}\n"                     /* 4 */
                           "material:\n"                                           /* 5 */
                           "  friction: 0.5\n"                                     /* 6 */
                           "  reynolds: 100\n"                                     /* 7 */
                           "  viscosity: shear_rate*(1 + x)\n"                     /* 8 */
                           "gravity: [0, -1]\n"                                    /* 9 */
                           "boundaries:\n"                                         /* 10 */
                           "  wall: {velocity: [0, \"sin(pi*x)\"]}\n"              /* 11 */
                           "  axis: {slip: true}\n"                                /* 12 */
                           "  7: {velocity: [0, free], traction: [0, 0.25]}\n"     /* 13 */
                           "  top: {pressure: 1/4}\n"                              /* 14 */
                           "  outlet: {traction: 0}\n"                             /* 15 */
                           "solver: {method: pg, tolerance: 0.1}\n"                /* 16 */
                           "probes:\n"                                             /* 17 */
                           "  discharge: {flux: outlet}\n"                         /* 18 */
                           "  load: {force: 7}\n"                                  /* 19 */
                           "  centre: {point: [0, 1], field: pressure}\n"          /* 20 */
                           "  axis_v: {line: [[0, 0], [0, 8]]}\n"                  /* 21 */
                           "exact: {velocity: [\"1-y^2\", 0], pressure: \"-y\"}\n" /* 22 */
    ;

/* `full` with the first `old` replaced by `new`; owned by the caller. */
static char *vary(const char *old, const char *new)
{
    const char *at = strstr(full, old);
    char *text = malloc(sizeof full + strlen(new));

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    sprintf(text, "%.*s%s%s", (int)(at - full), full, new, at + strlen(old));
    return text;
}

/* Reading the file gives this message (its beginning is the path of the file, if at_file), and no
 * other, unless the wanted one ends in a newline. */
static void expect(const char *what, int noverrides, const char *const *override, bool at_file,
                   const char *message)
{
    sab_error err = {0};
    sab_case *c = NULL;
    const sab_status status = sab_case_read(directory, noverrides, override, &c, &err);
    const size_t n = strlen(file), length = strcspn(message, "\n");
    bool same = status == SAB_ERR_INPUT && c == NULL &&
                (strchr(err.message, '\n') != NULL) == (message[length] == '\n');

    same = same && (!at_file || strncmp(err.message, file, n) == 0);
    same = same && strncmp(err.message + (at_file ? n : 0), message, length) == 0;
    if (!same)
        printf("\n    %s\n    gives  %s\n    wanted %s%s", what, err.message, at_file ? file : "",
               message);
    CU_ASSERT(same);
    sab_case_destroy(&c);
}

/* ---- tests ---- */

static double at(const sab_function *f, double x, double y)
{
    double value = NAN;

    CU_ASSERT_EQUAL(
        sab_function_at(f, &(sab_vars){.x = x, .y = y, .shear_rate = 2.0}, &value, NULL), SAB_OK);
    return value;
}

static void check_full(const sab_case *c)
{
    CU_ASSERT_STRING_EQUAL(c->title, "Half silo");
    CU_ASSERT_STRING_EQUAL(c->path, file);
    CU_ASSERT_STRING_EQUAL(c->directory, directory);
    CU_ASSERT_STRING_EQUAL(c->name, directory + strlen("/tmp/"));
    CU_ASSERT_PTR_EQUAL(c->geometry, &sab_geometry_plane);
    CU_ASSERT_STRING_EQUAL(c->mesh_file + strlen(directory), "/../meshes/silo.geo");
    CU_ASSERT_EQUAL_FATAL(c->nparameters, 2);
    CU_ASSERT_STRING_EQUAL(c->parameter[1].name, "h");
    CU_ASSERT_EQUAL(c->parameter[1].value, 0.3);
    CU_ASSERT_EQUAL(c->split, SAB_SPLIT_ALFELD);
    CU_ASSERT_EQUAL(at(&c->material.friction, 0, 0), 0.5);
    CU_ASSERT_FALSE(c->material.friction_is_angle);
    CU_ASSERT_EQUAL(at(&c->material.dilatancy, 0, 0), 0.0);
    CU_ASSERT_EQUAL(at(&c->material.bingham, 0, 0), 0.0);
    CU_ASSERT_EQUAL(at(&c->material.reynolds, 0, 0), 100.0);
    CU_ASSERT_EQUAL(c->material.bulk, 1.0);
    CU_ASSERT(c->material.has_viscosity);
    CU_ASSERT_EQUAL(at(&c->material.viscosity, 3, 0), 8.0);
    CU_ASSERT_EQUAL(at(&c->gravity[1], 0, 0), -1.0);
    CU_ASSERT_EQUAL(at(&c->gravity[2], 0, 0), 0.0);
    CU_ASSERT_EQUAL(c->solver.method, SAB_METHOD_PG);
    CU_ASSERT_EQUAL(c->solver.tolerance, 0.1);
    CU_ASSERT_EQUAL(c->viscosity_max_iterations, 30);
    CU_ASSERT_FALSE(c->output_float32);
    CU_ASSERT_FALSE(c->output_gauss);
    CU_ASSERT(c->has_exact_velocity);
    CU_ASSERT(c->has_exact_pressure);
    CU_ASSERT_EQUAL(at(&c->exact_velocity[0], 0, 0.5), 0.75);
    CU_ASSERT_EQUAL(at(&c->exact_pressure, 0, 0.5), -0.5);
}

static void check_full_lists(const sab_case *c)
{
    CU_ASSERT_EQUAL_FATAL(c->nboundaries, 5);
    const sab_boundary *b = c->boundary; /* by the alphabet: 7, axis, outlet, top, wall */
    CU_ASSERT_STRING_EQUAL(b[4].group, "wall");
    CU_ASSERT_EQUAL(b[4].line, 11);
    CU_ASSERT(b[4].has_velocity && b[4].prescribed[0] && b[4].prescribed[1]);
    SAB_ASSERT_CLOSE(at(&b[4].velocity[1], 0.5, 0), 1.0, 1e-15);
    CU_ASSERT(b[1].slip && !b[1].has_velocity && !b[1].has_traction);
    CU_ASSERT_STRING_EQUAL(b[0].group, "7");
    CU_ASSERT(b[0].has_velocity && b[0].prescribed[0] && !b[0].prescribed[1]);
    CU_ASSERT(b[0].has_traction && at(&b[0].traction[1], 0, 0) == 0.25);
    CU_ASSERT(b[3].has_pressure && at(&b[3].pressure, 0, 0) == 0.25);
    CU_ASSERT(b[2].has_traction && at(&b[2].traction[0], 0, 0) == 0.0);
    CU_ASSERT_EQUAL(b[2].line, 15);

    CU_ASSERT_EQUAL_FATAL(c->nprobes, 4);
    const sab_probe *p = c->probe;
    CU_ASSERT(p[0].kind == SAB_PROBE_FLUX && strcmp(p[0].group, "outlet") == 0);
    CU_ASSERT(p[1].kind == SAB_PROBE_FORCE && strcmp(p[1].group, "7") == 0);
    CU_ASSERT(p[2].kind == SAB_PROBE_POINT && p[2].from[1] == 1.0);
    CU_ASSERT(p[2].field == SAB_FIELD_PRESSURE && p[2].line == 20);
    CU_ASSERT(p[3].kind == SAB_PROBE_LINE && p[3].from[1] == 0.0 && p[3].to[1] == 8.0);
    CU_ASSERT(p[3].samples == 101 && p[3].field == SAB_FIELD_VELOCITY);
    CU_ASSERT_STRING_EQUAL(p[3].name, "axis_v");
}

static void test_full(void)
{
    sab_error err = {0};
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &c, &err), SAB_OK);
    CU_ASSERT_STRING_EQUAL(err.message, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    check_full(c);
    check_full_lists(c);
    sab_case_destroy(&c);
    CU_ASSERT_PTR_NULL(c);
    sab_case_destroy(&c); /* harmless */
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* One change of `full`, one message. */
static void test_messages(void)
{
    static const struct {
        const char *old, *new, *message;
    } bad[] = {
        /* keys */
        {"friction", "frction", ":6:3: material.frction: unknown key; did you mean 'friction'?"},
        {"material:", "materials:", ":5:1: materials: unknown key; did you mean 'material'?"},
        {"title: Half", "friction: Half", ":1:1: friction: unknown key; did you mean 'material.fr"},
        {"title: Half", "zzz: Half", ":1:1: zzz: unknown key; the keys here are title, geometry,"},
        {"slip", "slipp", ":12:10: boundaries.axis.slipp: unknown key; did you mean 'slip'?"},
        {"field", "feild", ":20:27: probes.centre.feild: unknown key; did you mean 'field'?"},
        {"0.5", "{angel: 30}", ":6:14: material.friction.angel: unknown key; did you mean 'angle'"},
        {"  friction: 0.5\n", "", ":5:1: material.friction: missing, and it has no default"},
        {"  reynolds: 100\n", "", ":5:1: material.reynolds: missing"},
        {"gravity: [0, -1]\n", "", ":1:1: gravity: missing"},
        {"  file: ../meshes/silo.geo\n", "", ":2:1: mesh.file: missing"},
        {"0.5", "{}", ":6:13: material.friction: expected number, formula or section, found an "},
        {"solver: {", "solver: {method: pg, ", ":16:22: the key 'method' is given twice (first in"},
        {"gravity", "title", ":9:1: the key 'title' is given twice (first in line 1)"},
        {"material:\n", "material: 5\n#",
         ":7:3: did not find expected key, while parsing a block map"},
        {"solver: {method: pg, tolerance: 0.1}", "solver: 5", ":16:9: solver: expected a section"},
        {"{slip: true}", "[slip]", ":12:9: boundaries.axis: expected a section (name: value), fou"},
        /* numbers */
        {"D: 1.5", "D: 1_5", ":4:19: mesh.parameters.D: '1_5' is not a number"},
        {"D: 1.5", "D: 1/2", ":4:19: mesh.parameters.D: '1/2' is not a number"},
        {"D: 1.5", "D: 0x10", ":4:19: mesh.parameters.D: '0x10' is hexadecimal"},
        {"D: 1.5", "D: nan", ":4:19: mesh.parameters.D: 'nan' is not a finite number"},
        {"D: 1.5", "D: .inf", ":4:19: mesh.parameters.D: '.inf' is not a finite number"},
        {"D: 1.5", "D: 1e400", ":4:19: mesh.parameters.D: '1e400' is too large for a number"},
        {"D: 1.5", "D: true", ":4:19: mesh.parameters.D: 'true' is a boolean, not a number"},
        {"D: 1.5", "D: '1.5'", ":4:19: mesh.parameters.D: expected a number without quotes, fou"},
        {"D: 1.5", "D: [1]", ":4:19: mesh.parameters.D: expected a number, found a list"},
        {"D: 1.5", "D: {a: 1}", ":4:19: mesh.parameters.D: expected a number, found a section"},
        {"D: 1.5", "D: ", ":4:19: mesh.parameters.D: expected a number, found nothing"},
        {"D: 1.5", "D: 1 m", ":4:19: mesh.parameters.D: '1 m' has a unit, but the case has no se"},
        {"0.5", "0,5", ":6:13: material.friction: '0,5' has a decimal comma; use a point"},
        {"0.5", "0.38 Pa", ":6:13: material.friction: '0.38 Pa' is a stress; expected a pure n"},
        {"0.5", "nan", ":6:13: material.friction: 'nan' is not a finite number"},
        {"0.5", "inf", ":6:13: material.friction: 'inf' is not a finite number"},
        {"0.5", "1e400", ":6:13: material.friction: '1e400' is too large for a number"},
        {"0.5", "0x10", ":6:13: material.friction: '0x10' is hexadecimal"},
        {"0.5", "yes", ":6:13: material.friction: 'yes' is a boolean, not a number"},
        {"0.5", "-0.5", ":6:13: material.friction: -0.5 is out of range (>= 0)"},
        {"0.5", "1/3-1", ":6:13: material.friction: 1/3-1 is out of range (>= 0)"},
        {"0.5", "1/0", ":6:13: material.friction: formula '1/0' is infinite"},
        {"0.5", "", ":6:12: material.friction: expected number, formula or section, found nothing"},
        {"0.5", "~", ":6:13: material.friction: expected number, formula or section, found nothi"},
        {"0.5", "[0.5]", ":6:13: material.friction: expected number, formula or section, found a"},
        {"0.5", "{angle: 90}", ":6:21: material.friction.angle: 90 is out of range (0 <= value <"},
        {"100", "0", ":7:13: material.reynolds: 0 is out of range (> 0)"},
        {"100", "inf", ":7:3: material.reynolds: inf means no viscosity, and then a creeping"},
        {"100", "-inf", ":7:13: material.reynolds: '-inf' is not a finite number"},
        {"100\n", "100\n  bulk: 0\n", ":8:9: material.bulk: 0 is out of range (0 < value <= 1)"},
        {"100\n", "100\n  bulk: 1.01\n", ":8:9: material.bulk: 1.01 is out of range"},
        {"100\n", "100\n  dilatancy: 0.6\n", ":8:3: material.dilatancy: 0.6 is more than the fric"},
        {"tolerance: 0.1", "tolerance: 1", ":16:33: solver.tolerance: 1 is out of range (0 < val"},
        {"tolerance: 0.1", "inner: 1.5", ":16:29: solver.inner: '1.5' is not an integer"},
        {"tolerance: 0.1", "inner: 0", ":16:29: solver.inner: 0 is out of range (>= 1)"},
        {"tolerance: 0.1", "inner: 1,5", ":16:31: solver.5: unknown key; if the comma before it"},
        {"tolerance: 0.1", "inner: 99999999999", ":16:29: solver.inner: '99999999999' is not an "},
        {"tolerance: 0.1", "anderson: 51", ":16:32: solver.anderson: 51 is out of range (1 <= v"},
        /* choices, booleans, texts */
        {"pg", "apdg", ":16:18: solver.method: 'apdg' is none of the choices (auto, pg, "},
        {"pg", "newton", ":16:18: solver.method: 'newton' is none of the choices (auto, pg, "},
        {"mesh:", "geometry: 3d\nmesh:", ":2:11: geometry: '3d' is none of the choices (plane, ax"},
        {"mesh:", "geometry: plan\nmesh:", ":2:11: geometry: 'plan' is none of the choices (plane"},
        {"exact:", "time: {scheme: inertial}\nexact:",
         ":22:1: time.step: missing, and it has no \n"},
        {"exact:", "time: {scheme: inert}\nexact:",
         ":22:1: time.step: missing, and it has no def\n"},
        {"exact:", "time: {step: 0.1}\nexact:", ":22:8: time.step: only has a meaning with time."},
        {"slip: true", "slip: yes", ":12:16: boundaries.axis.slip: expected true or false, found"},
        {"slip: true", "slip: 1", ":12:16: boundaries.axis.slip: expected true or false, found '"},
        {"file: ../meshes/silo.geo", "file: ''", ":3:9: mesh.file: expected a text, found"},
        {"Half silo", "[a, b]", ":1:8: title: expected a text, found a list"},
        /* formulas */
        {"x)", "w)", ":8:14: material.viscosity: formula 'shear_rate*(1 + w)': unknown name 'w'"},
        {"shear_rate*", "shear_rte*", ":8:14: material.viscosity: formula 'shear_rte*(1 + x)': un"},
        {"sin(pi*x)", "pressure", ":11:24: boundaries.wall.velocity: formula 'pressure': 'press"},
        {"sin(pi*x)", "x = 1", ":11:24: boundaries.wall.velocity: formula 'x = 1' has an assignm"},
        {"sin(pi*x)", "x**2", ":11:24: boundaries.wall.velocity: formula 'x**2': '**' is not an"},
        {"sin(pi*x)", "", ":11:24: boundaries.wall.velocity: the formula is empty"},
        {"shear_rate*", "*",
         ":8:15: did not find expected alphabetic or numeric character, while s"},
        /* vectors */
        {"[0, -1]", "-1", ":9:10: gravity: expected a list of components in brackets, found '-1'"},
        {"[0, -1]", "[0, -1, 0]", ":9:10: gravity: expected 2 components, found 3"},
        {"[0, -1]", "[0, -0,5]", ":9:10: gravity: expected 2 components, found 3 (decimals are"},
        {"[0, -1]", "[0, free]", ":9:14: gravity: formula 'free': unknown name 'free'"},
        {"[0, -1]", "[0, [1]]", ":9:14: gravity: expected list of numbers or formulas, found a l"},
        {"traction: 0}", "traction: 1}", ":15:22: boundaries.outlet.traction: '1' is no vector"},
        {"traction: 0}", "traction: {}}", ":15:22: boundaries.outlet.traction: expected a list"},
        {"[0, free]", "free", ":13:17: boundaries.7.velocity: expected a list of components"},
        {"[0, -1]", "[0]",
         ":9:10: gravity: expected 2 components, found 1 (decimals are written "
         "with a point); a vector in geometry: plane has x, y"},
        /* geometry: lengths, names, elements, gravity, friction */
        {"mesh:", "geometry: space\nmesh:",
         ":10:10: gravity: expected 3 components, found 2 (deci"
         "mals are written with a point); a vector in geometry:"
         " space has x, y, z\n"},
        {"sin(pi*x)", "r*x",
         ":11:24: boundaries.wall.velocity: formula 'r*x': r is a coordinate "
         "of geometry: axisymmetric, and this one is plane; write sqrt(x^2"},
        {"0.5", "{in: shear}", ":6:14: material.friction.in: only has a meaning beside 'angle'"},
        {"0.5", "{angle: 30, in: extension}",
         ":6:25: material.friction.in: there is no extension "
         "in the plane; give plane (Mohr's circle) or shear"},
        {"0.5", "{angle: 30, in: cone}", ":6:29: material.friction.in: 'cone' is none of the cho"},
        {"  parameters:", "  element: p2nb\n  parameters:",
         ":4:3: mesh.element: p2nb is an element"},
        /* boundaries */
        {"{slip: true}", "{}",
         ":12:3: boundaries.axis: says nothing; give velocity, wall, slip: true,"},
        {"{slip: true}", "", ":12:3: boundaries.axis: says nothing"},
        {"{slip: true}", "{slip: false}", ":12:3: boundaries.axis: says nothing"},
        {"slip: true", "slip: true, velocity: [0, 0]", ":12:3: boundaries.axis: has velocity and "},
        {"slip: true", "slip: true, pressure: 1", ":12:3: boundaries.axis: has slip and pressure"},
        {"pressure: 1/4", "pressure: 1, traction: 0", ":14:3: boundaries.top: has traction and p"},
        {"[0, free]", "[0, 0]", ":13:3: boundaries.7: has a velocity without free component"},
        {"[0, free]", "[free, free]", ":13:3: boundaries.7: has a velocity with only free compon"},
        /* probes */
        {"flux: outlet", "", ":18:3: probes.discharge: does not say what to take; give exactly"},
        {"flux: outlet", "flux: a, force: b", ":18:3: probes.discharge: is ambiguous; give exact"},
        {"flux: outlet", "flux: a, samples: 5", ":18:24: probes.discharge.samples: only has a me"},
        {"flux: outlet", "flux: a, field: stress", ":18:24: probes.discharge.field: only has a m"},
        {"flux: outlet", "flux: [a]", ":18:21: probes.discharge.flux: expected a text, found a l"},
        {"discharge", "dis/charge", ":18:3: probes.dis/charge: the name of a probe has only lett"},
        {"discharge", "..", ":18:3: probes...: the name of a probe has only letters"},
        {"[0, 1]", "[0, 1, 2]", ":20:19: probes.centre.point: expected a point, 2 numbers in bra"},
        {"[0, 1]", "[0, y]", ":20:23: probes.centre.point: 'y' is not a number"},
        {"field: pressure", "field: presure", ":20:34: probes.centre.field: 'presure' is none of"},
        {"[[0, 0], [0, 8]]", "[0, 8]", ":21:19: probes.axis_v.line: expected a point, 2 numbers"},
        {"[[0, 0], [0, 8]]", "[[0, 8]]", ":21:18: probes.axis_v.line: expected two points"},
        {"[[0, 0], [0, 8]]", "[[0, 8], [0, 8]]", ":21:18: probes.axis_v.line: the two points ar"},
        {"8]]", "8]], samples: 1", ":21:45: probes.axis_v.samples: 1 is out of range (2 <= value"},
        {"8]]", "8]], samples: 1000001", ":21:45: probes.axis_v.samples: 1000001 is out of range"},
        /* YAML */
        {"  friction", "\tfriction", ":6:1: found character that cannot start any token (indent "},
        {"0.5", "&a 0.5", ":6:13: anchors (&name) are not supported"},
        {"0.5", "*a", ":6:13: aliases (*name) are not supported"},
        {"0.5", "!!float 0.5", ":6:13: tags (!name) are not supported"},
        {"exact", "--- \nexact", ":22:1: a second document begins here"},
        {"Half silo", "\"a\\0b\"", ":1:8: the text contains a zero character"},
        {"Half silo", "caf\xe9", ":1:12: invalid trailing UTF-8 octet (the text must be UTF-8)"},
        {"Half silo", "\x01", ":1:8: control characters are not allowed"},
        {"title", "\"ti\\ttle\"", ":1:1: a key contains a control character"},
        {"title", "[title]", ":1:1: a key must be a name"},
        {"title", "''", ":1:1: a key must be a name"},
        {"[0, -1]", "[0, -1", ":10:11: did not find expected ',' or ']', while parsing a flow seq"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *text = vary(bad[i].old, bad[i].new);

        write_case(text, strlen(text));
        expect(bad[i].new, 0, NULL, true, bad[i].message);
        free(text);
    }
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* Files that are no case at all. */
static void test_files(void)
{
    static const struct {
        const char *text, *message;
    } bad[] = {{"", ":1:1: the file is empty"},
               {"# a comment\n", ":2:1: the file is empty"},
               {"---\n", ":2:1: expected sections (name: value), found a value"},
               {"just words\n", ":1:1: expected sections (name: value), found a value"},
               {"- a\n- b\n", ":1:1: expected sections (name: value), found a list"},
               {"{}\n", ":1:1: mesh.file: missing\n"},
               {"$MeshFormat\n2.2 0 8\n", ":1:1: expected sections"}};
    sab_error err = {0};
    sab_case *c = NULL;
    char *deep = malloc(200001);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        write_case(bad[i].text, strlen(bad[i].text));
        expect(bad[i].text, 0, NULL, true, bad[i].message);
    }
    memset(deep, '[', 200000);
    write_case(deep, 200000);
    expect("200000 times [", 0, NULL, true, ":1:33: nested too deeply");
    for (int i = 0; i < 100000; i++)
        memcpy(deep + 2 * i, "- ", 2);
    write_case(deep, 200000);
    expect("100000 times '- '", 0, NULL, true, ":1:65: nested too deeply");
    free(deep);

    remove(file);
    expect("no file", 0, NULL, true, ": there is no such file in the directory '");
    CU_ASSERT_EQUAL(sab_case_read(file, 0, NULL, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, ": cannot open: "));
    CU_ASSERT_EQUAL(sab_case_read("", 0, NULL, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_EQUAL(sab_case_read("/dev/null", 0, NULL, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "is not a regular file"));
    CU_ASSERT_EQUAL(mkdir(file, 0777), 0); /* case.yaml is a directory */
    expect("directory", 0, NULL, true, ": ");
    rmdir(file);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* The name is that of the directory, however it is given. */
static void test_paths(void)
{
    static const struct {
        const char *given, *path;
    } list[] = {{".", "case.yaml"},
                {"case.yaml", "case.yaml"},
                {"./", "./case.yaml"},
                {"./case.yaml", "./case.yaml"}};
    char back[1000];
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_PTR_NOT_NULL_FATAL(getcwd(back, sizeof back));
    CU_ASSERT_EQUAL_FATAL(chdir(directory), 0);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        CU_ASSERT_EQUAL(sab_case_read(list[i].given, 0, NULL, &c, NULL), SAB_OK);
        if (c != NULL) {
            CU_ASSERT_STRING_EQUAL(c->path, list[i].path);
            CU_ASSERT_STRING_EQUAL(c->name, directory + strlen("/tmp/"));
            CU_ASSERT_STRING_EQUAL(c->mesh_file, "../meshes/silo.geo");
        }
        sab_case_destroy(&c);
    }
    CU_ASSERT_EQUAL(chdir(back), 0);
    const char *const absolute = "mesh.file=/somewhere/a.msh";
    CU_ASSERT_EQUAL(sab_case_read(file, 1, &absolute, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_STRING_EQUAL(c->mesh_file, "/somewhere/a.msh");
    sab_case_destroy(&c);
}

/* mu_i in place of friction. */
static void test_mu_i(void)
{
    static const char inertial[] = "time={scheme: inertial, step: 0.1, end: 1}";
    static const char good[] =
        "material={mu_i: {static: 0.32, dynamic: 0.6, I0: 0.4, grain: 0.0893}, reynolds: inf}";
    static const struct {
        const char *material, *message;
    } bad[] = {
        {"material={reynolds: 1}",
         "--set material.friction: missing, and it has no default (Coefficient of internal"},
        {"material={mu_i: {static: 0.3, dynamic: 0.6, I0: 0.4}, reynolds: 1}",
         "--set material.mu_i.grain: missing, and it has no default"},
        {"material={mu_i: {static: 0.3, dynamic: 0.6, I0: 0, grain: 1}, reynolds: 1}",
         "--set material.mu_i.I0: 0 is out of range (> 0)"},
        {"material={mu_i: {static: 0.3, dynamic: 0.2, I0: 1, grain: 1}, reynolds: 1}",
         "--set material.mu_i.dynamic: 0.2 is less than the static coefficient 0.3"},
        {"material={mu_i: {static: 0.3, dynamik: 0.6, I0: 1, grain: 1}, reynolds: 1}",
         "--set material.mu_i.dynamik: unknown key; did you mean 'dynamic'?"},
        {"material={mu_i: {static: 0.3, dynamic: 0.6, I0: 1, grain: 1}, reynolds: 1, dilatancy: "
         "0.4}",
         "--set material.dilatancy: 0.4 is more than the static friction coefficient 0.3"},
        {"material={mu_i: 0.3, reynolds: 1}", "--set material.mu_i: expected a section"},
    };
    const char *override[2] = {good, inertial};
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_EQUAL(sab_case_read(directory, 2, override, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT(c->material.has_mu_i && !c->material.friction_is_angle);
    CU_ASSERT(c->material.mu_i.resting == 0.32 && c->material.mu_i.flowing == 0.6);
    CU_ASSERT(c->material.mu_i.I0 == 0.4 && c->material.mu_i.grain == 0.0893);
    sab_case_destroy(&c);
    CU_ASSERT_EQUAL(sab_case_read(directory, 1, override, &c, NULL), SAB_OK); /* creeping too */
    sab_case_destroy(&c);
    override[0] = "material.mu_i={static: 0.3, dynamic: 0.6, I0: 0.4, grain: 0.1}";
    expect(override[0], 2, override, true,
           ":6:3: material.friction: 'mu_i' is in its place; give one of them");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        override[0] = bad[i].material;
        expect(bad[i].material, 2, override, false, bad[i].message);
    }
}

/* Integrals, and parts of a force. */
static void test_probe_options(void)
{
    const char *const good[] = {"probes.energy.integral=kinetic_energy",
                                "probes.moved={integral: moving_area, above: 0.01}",
                                "probes.drag={force: 7, part: contact}"};
    static const struct {
        const char *override, *message;
    } bad[] = {
        {"probes.a={integral: energy}", "--set probes.a.integral: 'energy' is none of the choices"},
        {"probes.a={integral: moving_area}", "--set probes.a: moving_area needs `above`"},
        {"probes.a={integral: area, above: 1}", "--set probes.a: `above` only has a meaning with"},
        {"probes.a={flux: 7, above: 1}", "--set probes.a.above: only has a meaning beside 'int"},
        {"probes.a={integral: moving_area, above: -1}", "--set probes.a.above: -1 is out of range"},
        {"probes.a={force: 7, part: drag}", "--set probes.a.part: 'drag' is none of the choices ("},
        {"probes.a={flux: 7, part: total}", "--set probes.a.part: only has a meaning beside 'for"},
        {"probes.a={integral: moving_volume, above: 1}",
         "--set probes.a: plane flow has no volume; use moving_area"},
        {"probes.a={line: [[0, 0], [1, 1]], samples: [3, 4]}",
         "--set probes.a: a pair of samples is for a plane; give one number"},
        {"probes.a={flux: 7, integral: area}", "--set probes.a: is ambiguous; give exactly one of"},
    };
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_EQUAL(sab_case_read(directory, 3, good, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL_FATAL(c->nprobes, 7);
    CU_ASSERT(c->probe[1].kind == SAB_PROBE_FORCE && c->probe[1].part == SAB_FORCE_TOTAL);
    CU_ASSERT_EQUAL(c->probe[4].kind, SAB_PROBE_INTEGRAL);
    CU_ASSERT_EQUAL(c->probe[4].integral, SAB_INTEGRAL_KINETIC_ENERGY);
    CU_ASSERT_EQUAL(c->probe[5].integral, SAB_INTEGRAL_MOVING_AREA);
    CU_ASSERT_EQUAL(c->probe[5].above, 0.01);
    CU_ASSERT(c->probe[6].kind == SAB_PROBE_FORCE && c->probe[6].part == SAB_FORCE_CONTACT);
    sab_case_destroy(&c);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(bad[i].override, 1, &bad[i].override, false, bad[i].message);
}

static void test_overrides(void)
{
    const char *const good[] = {"solver.tolerance=1e-3",
                                "gravity=[\"0.1*x\", -2]",
                                "mesh.parameters.W=4",
                                "solver.tolerance = 2e-3", /* the last one counts */
                                "output={gauss: true}",
                                "material.friction.angle=30",
                                "boundaries.top={traction: 0}",
                                "boundaries.new.slip=true",
                                "title=\"a: b\""};
    static const struct {
        const char *override, *message;
    } bad[] = {
        {"material.frction=0.4", "--set material.frction: unknown key; did you mean 'friction'?"},
        {"materal.friction=0.4", "--set materal: unknown key; did you mean 'material'?"},
        {"material.friction=0,4", "--set material.friction: '0,4' has a decimal comma"},
        {"gravity=[0, w]", "--set gravity: formula 'w': unknown name 'w'"},
        {"gravity=[0, -1", "--set gravity: did not find expected ',' or ']'"},
        {"gravity.x=1", "--set gravity: expected a list of components in brackets, found a sect"},
        {"solver={tolerence: 1}", "--set solver.tolerence: unknown key; did you mean 'tolerance'?"},
        {"solver.tolerance=", "--set solver.tolerance: expected a number, found nothing"},
        {"solver=5", "--set solver: expected a section (name: value), found a value"},
        {"material={friction: 1}", "--set material.reynolds: missing, and it has no default"},
        {"boundaries.top.traction=0", "--set boundaries.top: has traction and pressure"},
        {"solver.tolerance", "--set solver.tolerance: give a key and a value: key.path=value"},
        {"=5", "--set =5: give a key and a value"},
        {".=5", "--set .: a key is a path such as solver.tolerance"},
        {"solver.=5", "--set solver.: a key is a path such as solver.tolerance"},
        {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.w.x.y.z.a.b.c.d.e.f.g.h=1", "--set a.b.c"},
        {"title=a: b: c", "--set title: mapping values are not allowed in this context"},
    };
    sab_error err = {0};
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_EQUAL(sab_case_read(directory, sizeof good / sizeof good[0], good, &c, &err), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(c->solver.tolerance, 2e-3);
    CU_ASSERT_EQUAL(c->solver.method, SAB_METHOD_PG);
    SAB_ASSERT_CLOSE(at(&c->gravity[0], 3, 0), 0.3, 1e-15);
    CU_ASSERT(c->nparameters == 3 && c->parameter[1].value == 4.0); /* D, W, h */
    CU_ASSERT(c->output_gauss);
    CU_ASSERT(c->material.friction_is_angle && c->material.friction.constant == 30.0);
    CU_ASSERT_EQUAL(c->nboundaries, 6); /* by the alphabet, a new one in its place */
    CU_ASSERT(c->boundary[4].has_traction && !c->boundary[4].has_pressure);
    CU_ASSERT(strcmp(c->boundary[2].group, "new") == 0 && c->boundary[2].line == 0);
    CU_ASSERT_STRING_EQUAL(c->title, "a: b");
    sab_case_destroy(&c);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        expect(bad[i].override, 1, &bad[i].override, false, bad[i].message);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

static void test_locate(void)
{
    static const struct {
        const char *key, *place;
    } list[] = {{"boundaries.outlet", ":15:3: boundaries.outlet"},
                {"mesh.file", ":3:3: mesh.file"},
                {"boundaries.missing", ":10:1: boundaries.missing"},
                {"boundaries", ":10:1: boundaries"},
                {"output.gauss", ":1:1: output.gauss"}, /* a default, in a section that is one */
                {"solver.inner", ":16:1: solver.inner"}};
    const char *const override = "boundaries.a.b={slip: true}";
    const char *const name_with_dot = "boundaries={a.b: {slip: true}}";
    char buffer[300], small[10];
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        sab_case_locate(c, list[i].key, buffer, sizeof buffer);
        CU_ASSERT_STRING_EQUAL(buffer + strlen(file), list[i].place);
    }
    sab_case_locate(c, "mesh.file", small, sizeof small);
    CU_ASSERT_EQUAL(strlen(small), sizeof small - 1);
    sab_case_destroy(&c);
    expect(override, 1, &override, false, "--set boundaries.a.b: unknown key");
    CU_ASSERT_EQUAL(sab_case_read(directory, 1, &name_with_dot, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_STRING_EQUAL(sab_case_locate(c, "boundaries.a.b", buffer, sizeof buffer),
                           "--set boundaries.a.b");
    sab_case_destroy(&c);
}

/* Defaults agree with those of the solver. */
static void test_defaults(void)
{
    const sab_solver_options d = sab_solver_options_default();
    const char *const override = "solver={}";
    sab_case *c = NULL;

    write_case(full, strlen(full));
    CU_ASSERT_EQUAL(sab_case_read(directory, 1, &override, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(c->solver.method, d.method);
    CU_ASSERT_EQUAL(c->solver.tolerance, d.tolerance);
    CU_ASSERT_EQUAL(c->solver.change_tolerance, d.change_tolerance);
    CU_ASSERT_EQUAL(c->solver.max_iterations, d.max_iterations);
    CU_ASSERT_EQUAL(c->solver.inner, d.inner);
    CU_ASSERT_EQUAL(c->solver.damping, d.damping);
    CU_ASSERT_EQUAL(c->solver.anderson, d.anderson);
    CU_ASSERT_EQUAL(c->solver.linear, d.linear);
    sab_case_destroy(&c);
}

/* The default of mesh.split depends on mesh.element; what is given stands. */
static void test_element(void)
{
    static const struct {
        const char *override[2];
        const sab_element *element;
        sab_split split;
    } rows[] = {
        {{"mesh.element=p2", "title=a"}, &sab_element_p2, SAB_SPLIT_ALFELD},
        {{"mesh.element=p2b", "title=a"}, &sab_element_p2b, SAB_SPLIT_NONE},
        {{"mesh.element=p2b", "mesh.split=alfeld"}, &sab_element_p2b, SAB_SPLIT_ALFELD},
        {{"mesh.split=none", "title=a"}, &sab_element_p2, SAB_SPLIT_NONE},
    };
    static const char *const wrong[] = {"mesh.element=[p2b]", "mesh.element=p3"};

    write_case(full, strlen(full));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sab_error err = {0};
        sab_case *c = NULL;
        sab_text text = {0};

        CU_ASSERT_EQUAL(sab_case_read(directory, 2, rows[i].override, &c, &err), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        CU_ASSERT_PTR_EQUAL(c->element, rows[i].element);
        CU_ASSERT_EQUAL(c->split, rows[i].split);
        CU_ASSERT_EQUAL(sab_case_resolved(c, &text, &err), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL(strstr(text.data, rows[i].split == SAB_SPLIT_NONE
                                                     ? "\n  split: none\n"
                                                     : "\n  split: alfeld\n"));
        sab_text_destroy(&text);
        sab_case_destroy(&c);
    }
    expect("element is a list", 1, wrong, false, "--set mesh.element: expected ");
    expect("element p3", 1, wrong + 1, false,
           "--set mesh.element: 'p3' is none of the choices (p2,");
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* ---- other geometries ---- */

static const char box[] = "geometry: space\n"                              /* 1 */
                          "mesh: {file: box.msh}\n"                        /* 2 */
                          "material: {friction: 0.5, reynolds: 1}\n"       /* 3 */
                          "gravity: [0, 0, -1]\n"                          /* 4 */
                          "boundaries:\n"                                  /* 5 */
                          "  wall: {velocity: [0, free, x*z]}\n"           /* 6 */
                          "  top: {traction: [0, 0, -1]}\n"                /* 7 */
                          "probes:\n"                                      /* 8 */
                          "  a: {point: [1, 2, 3]}\n"                      /* 9 */
                          "  b: {line: [[0, 0, 0], [0, 0, 1]]}\n";         /* 10 */
static const char pipe_case[] = "geometry: axisymmetric\n"                 /* 1 */
                                "mesh: {file: pipe.msh}\n"                 /* 2 */
                                "material: {friction: 0.5, reynolds: 1}\n" /* 3 */
                                "gravity: [0, r*z]\n"                      /* 4 */
                                "boundaries: {wall: {velocity: [x - r, y - z + r]}}\n";

static void test_space(void)
{
    sab_case *c = NULL;
    sab_error err = {0};
    double value = NAN;

    write_case(box, strlen(box));
    CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &c, &err), SAB_OK);
    CU_ASSERT_STRING_EQUAL(err.message, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_PTR_EQUAL(c->geometry, &sab_geometry_space);
    CU_ASSERT_PTR_EQUAL(c->element, &sab_element_p2nb);
    CU_ASSERT_EQUAL(c->split, SAB_SPLIT_NONE);
    CU_ASSERT_EQUAL(c->gravity[2].constant, -1.0);
    CU_ASSERT(!c->boundary[1].prescribed[1] && c->boundary[1].prescribed[2]); /* top, wall */
    CU_ASSERT_EQUAL(sab_function_at(&c->boundary[1].velocity[2],
                                    &(sab_vars){.x = 2.0, .y = 5.0, .z = 3.0}, &value, &err),
                    SAB_OK);
    CU_ASSERT_EQUAL(value, 6.0);
    CU_ASSERT_EQUAL(c->boundary[0].traction[2].constant, -1.0);
    CU_ASSERT_EQUAL(c->probe[0].from[2], 3.0);
    CU_ASSERT_EQUAL(c->probe[1].to[2], 1.0);
    sab_case_destroy(&c);

    static const char *const planes[] = {
        "probes.c={plane: {point: [1, 2, 3], normal: [4, 5, 6]}, samples: [7, 8], field: stress}",
        "probes.d={plane: {point: [1, 2, 3], normal: [0, 0, 1]}, samples: 9}",
        "probes.e={plane: {point: [1, 2, 3], normal: [0, 0, 1]}}"};
    CU_ASSERT_EQUAL(sab_case_read(directory, 3, planes, &c, &err), SAB_OK);
    CU_ASSERT_STRING_EQUAL(err.message, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    const sab_probe *p = c->probe + c->nprobes - 3;
    CU_ASSERT(p->kind == SAB_PROBE_PLANE && p->from[1] == 2.0 && p->to[2] == 6.0);
    CU_ASSERT(p->samples == 7 && p->across == 8 && p->field == SAB_FIELD_STRESS);
    CU_ASSERT(p[1].samples == 9 && p[1].across == 9);
    CU_ASSERT(p[2].samples == 51 && p[2].across == 51);
    sab_case_destroy(&c);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

static void test_axis(void)
{
    sab_case *c = NULL;
    sab_error err = {0};
    double value = NAN;

    write_case(pipe_case, strlen(pipe_case));
    CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &c, &err), SAB_OK);
    CU_ASSERT_STRING_EQUAL(err.message, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_PTR_EQUAL(c->geometry, &sab_geometry_axisymmetric);
    CU_ASSERT_PTR_EQUAL(c->element, &sab_element_p2);
    CU_ASSERT_EQUAL(c->split, SAB_SPLIT_ALFELD);
    const double place[2] = {3.0, 5.0};
    const sab_vars at_place = sab_vars_at(2, place, 0.0);
    CU_ASSERT_EQUAL(sab_function_at(&c->gravity[1], &at_place, &value, &err), SAB_OK);
    CU_ASSERT_EQUAL(value, 15.0);
    CU_ASSERT_EQUAL(sab_function_at(&c->boundary[0].velocity[0], &at_place, &value, &err), SAB_OK);
    CU_ASSERT_EQUAL(value, 0.0);
    CU_ASSERT_EQUAL(sab_function_at(&c->boundary[0].velocity[1], &at_place, &value, &err), SAB_OK);
    CU_ASSERT_EQUAL(value, 3.0);
    sab_case_destroy(&c);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* What a geometry refuses, and what it says. */
static void test_geometry_messages(void)
{
    static const struct {
        const char *text, *override, *message;
    } rows[] = {
        {box, "gravity=[0, -1]", "--set gravity: expected 3 components, found 2"},
        {box, "boundaries.top.traction=[0, 1]",
         "--set boundaries.top.traction: expected 3 components, found 2"},
        {box, "boundaries.wall.velocity=[0, 0, r]",
         "--set boundaries.wall.velocity: formula 'r': r is a coordinate of geometry: axisymm"},
        {box, "probes.a.point=[0, 1]",
         "--set probes.a.point: expected a point, 3 numbers in brack"
         "ets; a point in geometry: space has x, y, z"},
        {box, "mesh.element=p2",
         "--set mesh.element: p2 has two spurious pressures per tetrahedro"
         "n, and locks; in space give p2nb"},
        {box, "mesh.element=p2b",
         "--set mesh.element: p2b has pressures in space that no flow thr"},
        {box, "mesh.split=alfeld",
         "--set mesh.split: the split of tetrahedra leaves weak pressures"},
        {box, "material.friction=0.867",
         "--set material.friction: a coefficient of 0.867; above sq"},
        {box, "material.friction={angle: 30}",
         "--set material.friction.in: missing; outside the plane an angle must say in which motion "
         "it was measured (plane, compression, extension, shear), because the coefficients differ; "
         "here they would be: plane 0.500, compression 0.693, extension 0.495, shear 0.577"},
        {box, "material.friction={angle: 37, in: compression}",
         "--set material.friction: a coefficient of 0.8693; above sqrt(3)/2"},
        {box, "material={mu_i: {static: 0.4, dynamic: 0.9, I0: 1, grain: 1}, reynolds: 1}",
         "--set material.mu_i.dynamic: a coefficient of 0.9; above sqrt(3)/2 = 0.866"},
        {box, "probes.c={integral: yielded_area}",
         "--set probes.c: in this geometry it is a volume; use yielded_volume"},
        {box, "probes.c={integral: moving_volume}", "--set probes.c: moving_volume needs `above`"},
        {box, "probes.c={plane: {point: [0, 0, 0]}}", "--set probes.c.plane.normal: missing"},
        {box, "probes.c={plane: {point: [0, 0, 0], normal: [1, 0, 0]}, samples: [3, 4, 5]}",
         "--set probes.c.samples: expected an integer, or two of them in brackets"},
        {box, "probes.c={plane: {point: [0, 0, 0], normal: [1, 0, 0]}, samples: [3, 1]}",
         "--set probes.c.samples: 1 is out of range"},
        {pipe_case, "probes.c={integral: area}",
         "--set probes.c: in this geometry it is a volume; use volume"},
        {pipe_case, "gravity=[0, 0, -1]",
         "--set gravity: expected 2 components, found 3 (decimals "
         "are written with a point); a vector in geometry: axisym"
         "metric has r, z"},
        {pipe_case, "gravity=[0.1, -1]", "--set gravity: its radial component must be 0 about an"},
        {pipe_case, "gravity=[x, -1]", "--set gravity: its radial component must be 0 about an ax"},
        {pipe_case, "mesh.element=p2nb", "--set mesh.element: p2nb is an element of space"},
        {pipe_case, "material.friction={angle: 30}",
         "--set material.friction.in: missing; outside"},
        {pipe_case, "boundaries.wall.velocity=[0, q]",
         "--set boundaries.wall.velocity: formula 'q': unknown name 'q'; did you mean"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        write_case(rows[i].text, strlen(rows[i].text));
        expect(rows[i].override, 1, &rows[i].override, false, rows[i].message);
    }
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* An angle with its motion, in the plane by default; it is in the resolved case. */
static void test_friction_in(void)
{
    static const struct {
        const char *text, *override;
        sab_friction_mode mode;
        const char *resolved;
    } rows[] = {
        {full, "material.friction={angle: 30}", SAB_FRICTION_PLANE, "30, in: plane}"},
        {full, "material.friction={angle: 30, in: shear}", SAB_FRICTION_SHEAR, "30, in: shear}"},
        {pipe_case, "material.friction={angle: 30, in: plane}", SAB_FRICTION_PLANE,
         "30, in: plane}"},
        {box, "material.friction={in: extension, angle: 80}", SAB_FRICTION_EXTENSION,
         "80, in: extension}"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sab_case *c = NULL;
        sab_error err = {0};
        sab_text text = {0};

        write_case(rows[i].text, strlen(rows[i].text));
        CU_ASSERT_EQUAL(sab_case_read(directory, 1, &rows[i].override, &c, &err), SAB_OK);
        CU_ASSERT_STRING_EQUAL(err.message, "");
        CU_ASSERT_PTR_NOT_NULL_FATAL(c);
        CU_ASSERT(c->material.friction_is_angle && c->material.has_friction_in);
        CU_ASSERT_EQUAL(c->material.friction_in, rows[i].mode);
        CU_ASSERT_EQUAL(sab_case_resolved(c, &text, &err), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL(strstr(text.data, rows[i].resolved));
        sab_text_destroy(&text);
        sab_case_destroy(&c);
    }
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* Numbers as YAML 1.1 and 1.2 read them: the same digits, a point and a sign where an exponent is,
 * no leading zeros. */
static void test_numbers(void)
{
    static const char *const row[][2] = {
        {"2e-3", "2.0e-3"},
        {"1.0e-3", "1.0e-3"},
        {".5", "0.5"},
        {"-.5e3", "-0.5e+3"},
        {"+5", "5"},
        {"5.", "5.0"},
        {"010", "10"},
        {"00.10", "0.10"},
        {"1E05", "1.0e+05"},
        {"-0", "-0"},
        {"0", "0"},
        {"0e0", "0.0e+0"},
        {"1e300", "1.0e+300"},
        {"7.e-2", "7.0e-2"},
        {"-12", "-12"},
        {"000", "0"},
        {"3.25E-310", "3.25e-310"},
        {"1234567890.0123456789e-5", "1234567890.0123456789e-5"},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        sab_error err = {0};
        sab_yaml *node = NULL;

        CU_ASSERT_EQUAL(
            sab_yaml_parse("number", SAB_YAML_OVERRIDE, row[i][0], strlen(row[i][0]), &node, &err),
            SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(node);
        CU_ASSERT_EQUAL(sab_yaml_set_number(node, node->text, &err), SAB_OK);
        CU_ASSERT_STRING_EQUAL(node->text, row[i][1]);
        CU_ASSERT_EQUAL(strtod(node->text, NULL), strtod(row[i][0], NULL));
        sab_yaml_destroy(&node);
    }
    CU_ASSERT(sab_yaml_is_ambiguous("2020-01-01") && sab_yaml_is_ambiguous("True"));
    CU_ASSERT_FALSE(sab_yaml_is_ambiguous("wall") || sab_yaml_is_ambiguous("/tmp/1e3"));
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* resolved -> read from another directory -> resolved: the same text, the same case. */
static void test_round_trip(void)
{
    static const char *const titles[] = {"Half silo",
                                         "\"quotes \\\" and \\\\ and \\t, \\u2028 \\x85 \\xa0\"",
                                         "'- # : caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8f\x96'",
                                         "'null'",
                                         "'~'",
                                         "'---'",
                                         "\"\\ufeff \\uffff\"",
                                         ">-\n  two\n  lines",
                                         "''"};
    char other[sizeof directory + 20];

    snprintf(other, sizeof other, "%s/other", directory);
    CU_ASSERT_EQUAL(mkdir(other, 0777), 0);
    snprintf(other, sizeof other, "%s/other/a.yaml", directory);
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        char *text = vary("Half silo", titles[i]);
        sab_case *a = NULL, *b = NULL;
        sab_text ya = {0}, yb = {0};
        sab_error err = {0};

        write_case(text, strlen(text));
        free(text);
        CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &a, &err), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(a);
        CU_ASSERT_EQUAL(sab_case_resolved(a, &ya, &err), SAB_OK);
        FILE *out = fopen(other, "wb");
        CU_ASSERT_PTR_NOT_NULL_FATAL(out);
        fputs(ya.data, out);
        fclose(out);
        CU_ASSERT_EQUAL(sab_case_read(other, 0, NULL, &b, &err), SAB_OK);
        if (b == NULL)
            printf("\n    %s\n%s", err.message, ya.data);
        CU_ASSERT_PTR_NOT_NULL_FATAL(b);
        CU_ASSERT_EQUAL(sab_case_resolved(b, &yb, &err), SAB_OK);
        CU_ASSERT_STRING_EQUAL(ya.data, yb.data);
        CU_ASSERT_STRING_EQUAL(a->title, b->title);
        CU_ASSERT(b->mesh_file[0] == '/');
        if (i == 0)
            check_full_lists(a);
        CU_ASSERT_EQUAL_FATAL(b->nboundaries, a->nboundaries);
        for (int k = 0; k < a->nboundaries; k++)
            CU_ASSERT_STRING_EQUAL(b->boundary[k].group, a->boundary[k].group);
        CU_ASSERT_EQUAL(at(&b->material.viscosity, 3, 0), 8.0);
        CU_ASSERT_PTR_NOT_NULL(strstr(ya.data, "\nsolver:\n  method: pg\n  tolerance: 0.1\n"));
        CU_ASSERT_PTR_NOT_NULL(strstr(ya.data, "\n  change_tolerance: 1.0e-2\n"));
        CU_ASSERT_PTR_NOT_NULL(strstr(ya.data, "\ngravity: [0, -1]\n"));
        sab_text_destroy(&ya);
        sab_text_destroy(&yb);
        sab_case_destroy(&a);
        sab_case_destroy(&b);
    }
    remove(other);
    *strrchr(other, '/') = '\0';
    CU_ASSERT_EQUAL(rmdir(other), 0);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* The table is sound: every default is accepted (test_defaults reads them), every row has help, its
 * parent is a section, and docs/keys.md is what the table says. */
static void check_rows(const sab_key *parent, int *rows)
{
    for (const sab_key *row = NULL; (row = sab_schema_next(parent, row)) != NULL;) {
        (*rows)++;
        CU_ASSERT(row->help != NULL && row->help[0] != '\0' &&
                  row->help[strlen(row->help) - 1] != '.');
        CU_ASSERT((row->type == SAB_KEY_CHOICE) == (row->choice != NULL));
        CU_ASSERT_PTR_NULL(strchr(row->help, '|')); /* it goes into a table of Markdown */
        check_rows(row, rows);
    }
}

static void test_keys(void)
{
    sab_text text = {0};
    FILE *in = fopen("docs/keys.md", "rb");
    int rows = 0;

    check_rows(NULL, &rows);
    CU_ASSERT(rows > 40);
    CU_ASSERT_EQUAL(sab_case_keys(NULL, true, &text, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    char *doc = calloc(text.length + 2, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
    CU_ASSERT_EQUAL(fread(doc, 1, text.length + 1, in), text.length);
    CU_ASSERT_STRING_EQUAL(doc, text.data); /* else: sablier keys --markdown > docs/keys.md */
    free(doc);
    fclose(in);
    sab_text_destroy(&text);
    CU_ASSERT_EQUAL(sab_case_keys(NULL, false, &text, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(text.data, "solver.tolerance\n    number, 0 < value < 1; default"));
    sab_text_destroy(&text);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* Each allocation of ours fails in turn: SAB_ERR_MEMORY, and nothing is left behind. */
/* All mistakes at once, and none that only follows from another. */
static void test_faults(void)
{
    static const char many[] = "mesh: {file: a.geo, paramters: {D: 1}, split: alfald}\n"
                               "materials: {friction: 0.5}\n"
                               "gravity: [0, -1, 2]\n"
                               "boundaries:\n"
                               "  top: {tractoin: 0}\n"
                               "  wall: {velocity: [0, zero], slip: maybe}\n"
                               "  axis: {slip: true, velocity: [0, 0]}\n"
                               "probes: {a: {flux: }, b: {line: [[0, 0], [0, 0]]}, c: {}}\n";
    static const char *const wanted[] = {
        ":1:21: mesh.paramters: unknown key; did you mean 'parameters'?",
        ":2:1: materials: unknown key; did you mean 'material'?",
        ":5:9: boundaries.top.tractoin: unknown key",
        ":1:47: mesh.split: 'alfald' is none of the choices",
        ":3:10: gravity: expected 2 components",
        ":7:3: boundaries.axis: has velocity and slip",
        ":6:24: boundaries.wall.velocity: formula 'zero'",
        ":6:37: boundaries.wall.slip: expected true or false",
        ":8:20: probes.a.flux: expected a text, found nothing",
        ":8:33: probes.b.line: the two points are the same",
        ":8:52: probes.c: does not say what to take"};
    enum { WANTED = sizeof wanted / sizeof wanted[0] };
    sab_error err = {0};
    sab_case *c = NULL;
    const char *line = err.message;
    int n = 0;

    write_case(many, strlen(many));
    CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NULL(c);
    for (; line != NULL && n < WANTED; n++) {
        const bool there = strncmp(line, file, strlen(file)) == 0 &&
                           strncmp(line + strlen(file), wanted[n], strlen(wanted[n])) == 0;

        if (!there)
            printf("\n    %.200s\n    wanted %s", line, wanted[n]);
        CU_ASSERT(there);
        line = strchr(line, '\n');
        line = line != NULL ? line + 1 : NULL;
    }
    CU_ASSERT_EQUAL(n, WANTED);
    CU_ASSERT_PTR_NULL(line);

    /* more than are shown */
    sab_text text = {0};
    CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "%s", "gravity: [0, -1]\n"), SAB_OK);
    for (int i = 0; i < 40; i++)
        CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "wrong%d: 1\n", i), SAB_OK);
    write_case(text.data, text.length);
    CU_ASSERT_EQUAL(sab_case_read(directory, 0, NULL, &c, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, ":1: and 28 more"));
    sab_text_destroy(&text);
    write_case(full, strlen(full));
}

static void test_memory(void)
{
    const char *const override[] = {"solver.tolerance=1e-3", "boundaries.new={slip: true}"};
    int n = 0;

    write_case(full, strlen(full));
    for (sab_status status = SAB_ERR_MEMORY; status != SAB_OK && n < 10000;) {
        sab_error err = {0};
        sab_text text = {0};
        sab_case *c = NULL;

        sab_memory.failing = n++;
        status = sab_case_read(directory, 2, override, &c, &err);
        if (status == SAB_OK)
            status = sab_case_resolved(c, &text, &err);
        if (status == SAB_OK)
            status = sab_case_keys(NULL, true, &text, &err);
        if (status != SAB_OK) {
            CU_ASSERT_EQUAL(status, SAB_ERR_MEMORY);
            CU_ASSERT_EQUAL(err.status, SAB_ERR_MEMORY);
        }
        sab_text_destroy(&text);
        sab_case_destroy(&c);
        CU_ASSERT_EQUAL(sab_memory.live, 0);
    }
    sab_memory.failing = -1;
    CU_ASSERT(n > 250 && n < 10000);

    /* and on the way to a message */
    char *typo = vary("friction", "frction");
    write_case(typo, strlen(typo));
    free(typo);
    n = 0;
    for (sab_status status = SAB_ERR_MEMORY; status == SAB_ERR_MEMORY && n < 10000;) {
        sab_case *c = NULL;

        sab_memory.failing = n++;
        status = sab_case_read(directory, 0, NULL, &c, NULL);
        CU_ASSERT_PTR_NULL(c);
        CU_ASSERT_EQUAL(sab_memory.live, 0);
    }
    sab_memory.failing = -1;
    CU_ASSERT(n > 50 && n < 10000);
}

int main(void)
{
    static const sab_test tests[] = {{"a full case", test_full},
                                     {"messages", test_messages},
                                     {"files", test_files},
                                     {"paths", test_paths},
                                     {"mu(I) instead of friction", test_mu_i},
                                     {"options of probes", test_probe_options},
                                     {"overrides", test_overrides},
                                     {"places", test_locate},
                                     {"defaults", test_defaults},
                                     {"element and default of the split", test_element},
                                     {"a case in space", test_space},
                                     {"a case about an axis", test_axis},
                                     {"what a geometry refuses", test_geometry_messages},
                                     {"friction of an angle", test_friction_in},
                                     {"round trip", test_round_trip},
                                     {"numbers of YAML", test_numbers},
                                     {"table of keys", test_keys},
                                     {"all mistakes at once", test_faults},
                                     {"allocations fail", test_memory}};
    int result;

    if (mkdtemp(directory) == NULL)
        return 2;
    snprintf(file, sizeof file, "%s/case.yaml", directory);
    result = SAB_TEST_MAIN("io/case", tests);
    remove(file);
    rmdir(directory);
    return result;
}

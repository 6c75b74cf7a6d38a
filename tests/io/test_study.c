/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io_test.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/study.h"

#include <sys/stat.h>

/* ---- a directory with a base case and a study ---- */

static const char CASE[] = "mesh: {file: box.geo, parameters: {h: 0.5}}\n"
                           "material: {friction: 0.5, reynolds: 1}\n"
                           "gravity: [0, -1]\n"
                           "boundaries:\n"
                           "  top: {pressure: 0}\n"
                           "  wall: {velocity: [0, 0]}\n"
                           "probes:\n"
                           "  U: {flux: top}\n"
                           "  drag: {force: wall}\n"
                           "  line: {line: [[0, 0], [1, 1]]}\n";

static void begin(void)
{
    scratch_create();
    CU_ASSERT_EQUAL(mkdir(scratch_path("base"), 0777), 0);
    CU_ASSERT_EQUAL(mkdir(scratch_path("s"), 0777), 0);
    spit(scratch_path("base/case.yaml"), CASE, sizeof CASE - 1);
}

static void end(void)
{
    remove(scratch_path("base/case.yaml"));
    remove(scratch_path("s/study.yaml"));
    rmdir(scratch_path("base"));
    rmdir(scratch_path("s"));
    scratch_remove();
}

static sab_status read_study(const char *text, sab_study **s, sab_error *err)
{
    spit(scratch_path("s/study.yaml"), text, strlen(text));
    return sab_study_read(scratch_path("s"), s, err);
}

static sab_study *good(const char *text)
{
    sab_error err = {0};
    sab_study *s = NULL;

    if (read_study(text, &s, &err) != SAB_OK)
        printf("\n%s\n", err.message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(s);
    return s;
}

static const char *name(const sab_study *s, int combination, const char *value)
{
    static char text[SAB_STUDY_NAME];

    CU_ASSERT_EQUAL(sab_study_name(s, combination, value, text, NULL), SAB_OK);
    return text;
}

static void test_product(void)
{
    begin();
    sab_study *s =
        good("title: t\nbase: ../base\njobs: 3\n"
             "set: {material: {reynolds: 7, bulk: 0.5}, gravity: [0, -2]}\n"
             "vary:\n  mesh.parameters.h: [0.5, 0.25]\n  material: {friction: [0.3, 0.4, "
             "0.5]}\n"
             "fit: {law: power, x: mesh.parameters.h, y: probes.U, scale: -2}\n");
    char *override[SAB_STUDY_OVERRIDES] = {NULL};
    int n = 0;
    sab_case *c = NULL;

    CU_ASSERT_STRING_EQUAL(s->name, "s");
    CU_ASSERT_EQUAL(s->jobs, 3);
    CU_ASSERT_EQUAL(s->ncombinations, 6);
    CU_ASSERT_EQUAL(s->continued, -1);
    CU_ASSERT_STRING_EQUAL(name(s, 0, NULL), "h=0.5,friction=0.3");
    CU_ASSERT_STRING_EQUAL(name(s, 1, NULL), "h=0.5,friction=0.4"); /* the last runs fastest */
    CU_ASSERT_STRING_EQUAL(name(s, 5, NULL), "h=0.25,friction=0.5");
    CU_ASSERT_EQUAL(sab_study_stride(s, 0), 3);
    CU_ASSERT_EQUAL(sab_study_index(s, 4, 0), 1);
    CU_ASSERT_EQUAL(sab_study_index(s, 4, 1), 1);
    CU_ASSERT_STRING_EQUAL(sab_study_value(s, 4, 1), "0.4");
    CU_ASSERT(s->has_fit && s->fit.ngroups == 1 && s->fit.scale == -2.0);
    CU_ASSERT_STRING_EQUAL(s->fit.group[0], "material.friction");
    CU_ASSERT_EQUAL(sab_study_overrides(s, 3, NULL, &n, override, SAB_STUDY_OVERRIDES, NULL),
                    SAB_OK);
    CU_ASSERT_EQUAL_FATAL(n, 5);
    CU_ASSERT_STRING_EQUAL(override[0], "material.reynolds=7");
    CU_ASSERT_STRING_EQUAL(override[2], "gravity=[0, -2]");
    CU_ASSERT_STRING_EQUAL(override[3], "mesh.parameters.h=0.25");
    CU_ASSERT_STRING_EQUAL(override[4], "material.friction=0.3");
    for (int i = 0; i < n; i++)
        SAB_FREE(override[i]);
    CU_ASSERT_EQUAL(sab_study_case(s, 3, NULL, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_EQUAL(c->material.friction.constant, 0.3);
    CU_ASSERT_EQUAL(c->material.reynolds.constant, 7.0);
    CU_ASSERT_EQUAL(c->parameter[0].value, 0.25);
    CU_ASSERT_EQUAL(c->gravity[1].constant, -2.0);
    sab_case_destroy(&c);
    sab_study_destroy(&s);
    CU_ASSERT_PTR_NULL(s);
    end();
}

static void test_zip(void)
{
    begin();
    /* one axis; the first key tells the points apart */
    sab_study *s = good("base: ../base\n"
                        "zip: {material.bingham: [1, 2, 3], material.bulk: [0.1, 0.1, 0.2]}\n"
                        "vary: {material.friction: [0.3, 0.4]}\n"
                        "continue: material.bulk\n");
    CU_ASSERT(s->naxes == 2 && s->ncombinations == 6 && s->continued == 0);
    CU_ASSERT_STRING_EQUAL(name(s, 3, NULL), "bingham=2,friction=0.4");
    CU_ASSERT_STRING_EQUAL(sab_study_value(s, 3, 1), "0.1");
    sab_study_destroy(&s);
    /* several; of a key that tells nothing, the points have no name */
    s = good(
        "base: ../base\n"
        "zip: [{material.bingham: [1, 1], material.bulk: [0.1, 0.2]}, {material.friction: [0.3, "
        "0.4]}]\n");
    CU_ASSERT(s->naxes == 2 && s->ncombinations == 4);
    CU_ASSERT_STRING_EQUAL(name(s, 2, NULL), "bulk=0.2,friction=0.3");
    sab_study_destroy(&s);
    /* the points of one value of the first are told by the second, those of one of both by the last
     */
    s = good(
        "base: ../base\nzip: {mesh.parameters.h: [0.5, 0.5, 0.25, 0.25], material.bulk: [0.1, 0.2, "
        "0.1, 0.1], material.friction: [0.3, 0.3, 0.3, 0.4], material.bingham: [1, 2, 3, 4]}\n");
    CU_ASSERT_STRING_EQUAL(name(s, 1, NULL), "h=0.5,bulk=0.2,friction=0.3");
    CU_ASSERT_STRING_EQUAL(name(s, 3, NULL), "h=0.25,bulk=0.1,friction=0.4");
    sab_study_destroy(&s);
    end();
}

/* Values that are lists themselves: a gravity, told by another key. */
static void test_lists(void)
{
    sab_case *c = NULL;

    begin();
    sab_study *s = good("base: ../base\n"
                        "zip: {title: [flat, steep], gravity: [[0, -1], [\"sin(0.5)\", -0.8]]}\n");
    CU_ASSERT_EQUAL(s->ncombinations, 2);
    CU_ASSERT_STRING_EQUAL(name(s, 1, NULL), "title=steep");
    CU_ASSERT_STRING_EQUAL(sab_study_value(s, 0, 1), "[0, -1]");
    CU_ASSERT_EQUAL(sab_study_case(s, 1, NULL, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_STRING_EQUAL(c->title, "steep");
    CU_ASSERT_EQUAL(c->gravity[1].constant, -0.8);
    sab_case_destroy(&c);
    sab_study_destroy(&s);
    end();
}

/* Cases that vary, and keys that only one of them has. */
static void test_bases(void)
{
    char *override[SAB_STUDY_OVERRIDES] = {NULL};
    sab_case *c = NULL;
    int n = 0;

    begin();
    spit(scratch_path("base/case.yaml"), CASE, sizeof CASE - 1);
    spit(scratch_path("s/rough.yaml"), CASE, sizeof CASE - 1);
    sab_study *s = good("zip:\n  mesh.parameters.h: [0.5, ~, 0.25]\n"
                        "  base: [../base, ../base, rough.yaml]\n"
                        "vary: {material.friction: [0.3, 0.4]}\n"
                        "fit: {law: power, x: mesh.parameters.h, y: probes.U}\n");
    CU_ASSERT(s->naxes == 2 && s->ncombinations == 6 && s->nbases == 3);
    CU_ASSERT_STRING_EQUAL(sab_study_base(s, 1), scratch_path("s/../base"));
    CU_ASSERT_STRING_EQUAL(sab_study_base(s, 4), scratch_path("s/rough.yaml"));
    CU_ASSERT_STRING_EQUAL(sab_study_value(s, 2, 0), "");
    CU_ASSERT_STRING_EQUAL(name(s, 5, NULL), "h=0.25,base=rough.yaml,friction=0.4");
    CU_ASSERT(strncmp(name(s, 2, NULL), "base=.._base,friction=0.3,", 26) == 0);
    CU_ASSERT(s->fit.ngroups == 2); /* the cases are not mixed in one fit */
    CU_ASSERT_STRING_EQUAL(s->fit.group[0], "base");
    CU_ASSERT_EQUAL(sab_study_case(s, 2, NULL, &c, NULL), SAB_OK);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_STRING_EQUAL(c->name, "base");
    sab_case_destroy(&c);
    CU_ASSERT_EQUAL(sab_study_overrides(s, 2, NULL, &n, override, SAB_STUDY_OVERRIDES, NULL),
                    SAB_OK);
    CU_ASSERT_EQUAL_FATAL(n, 1);
    CU_ASSERT_STRING_EQUAL(override[0], "material.friction=0.3");
    SAB_FREE(override[0]);
    CU_ASSERT(sab_study_is_one(scratch_path("s/study.yaml")));
    CU_ASSERT_FALSE(sab_study_is_one(scratch_path("s/rough.yaml")));
    sab_study_destroy(&s);
    remove(scratch_path("s/rough.yaml"));
    end();
}

static void test_names(void)
{
    char text[1000], first[SAB_STUDY_NAME];

    begin();
    sab_study *s = good("base: ../base\nvary:\n"
                        "  boundaries.top.pressure: [0.1]\n  boundaries.wall.pressure: [1]\n"
                        "  material.friction: ['0.1*x', '0.1/x', plain]\n");
    CU_ASSERT_STRING_EQUAL(s->key[0].label, "top.pressure");
    CU_ASSERT_STRING_EQUAL(s->key[2].label, "friction");
    strcpy(first, name(s, 0, NULL));
    CU_ASSERT_EQUAL(strncmp(first, "top.pressure=0.1,wall.pressure=1,friction=0.1_x,", 48), 0);
    CU_ASSERT_STRING_NOT_EQUAL(first, name(s, 1, NULL));
    CU_ASSERT_PTR_NULL(strchr(name(s, 1, NULL), '/'));
    CU_ASSERT_STRING_EQUAL(name(s, 2, NULL), "top.pressure=0.1,wall.pressure=1,friction=plain");
    sab_study_destroy(&s);
    /* long ones are cut, and stay different */
    snprintf(text, sizeof text, "base: ../base\nvary: {material.friction: [%0*d, %0*d]}\n", 300, 1,
             300, 2);
    s = good(text);
    strcpy(first, name(s, 0, NULL));
    CU_ASSERT(strlen(first) < SAB_STUDY_NAME);
    CU_ASSERT_STRING_NOT_EQUAL(first, name(s, 1, NULL));
    sab_study_destroy(&s);
    s = good("base: ../base\nbracket: {key: boundaries.top.pressure, between: [2, 3.2], probe: "
             "probes.U, below: 1e-6, width: 0.02}\n");
    CU_ASSERT(s->has_bracket && s->ncombinations == 1);
    CU_ASSERT_STRING_EQUAL(name(s, 0, "2.6"), "pressure=2.6");
    sab_study_destroy(&s);
    end();
}

#define BRACKET                                                                                    \
    "bracket: {key: boundaries.top.pressure, between: [2, 3], probe: probes.U, below: 1, width: "  \
    "0.1}\n"

/* Each with its message, behind "<path>/study.yaml". */
static void test_messages(void)
{
    static const struct {
        const char *text, *message;
    } row[] = {
        {"", ":1:1: the file is empty, or has only comments"},
        {"[1, 2]", ":1:1: expected a section (name: value)"},
        {"title: t\nvary: {material.friction: [1]}\n", ":1:1: base: missing"},
        {"base: ../nothing\nvary: {a: [1]}\n", ":1:7: base: there is no case '"},
        {"base: [1]\n", ":1:7: base: expected a text"},
        {"base:\n", ":1:6: base: is empty"},
        {"base: ../base\n", ":1:1: nothing varies: give vary, zip or bracket"},
        {"base: ../base\nvarry: {a: [1]}\n",
         ":2:1: varry: unknown key of a study; did you mean 'vary'?"},
        {"base: ../base\nmaterial.friction: 1\n",
         ":2:1: material.friction: unknown key of a study; keys of the case go below set, vary or "
         "zip"},
        {"base: ../base\nvary: [1]\n", ":2:7: vary: expected keys with their lists"},
        {"base: ../base\nvary: {a: 1}\n", ":2:11: a: expected a list of values"},
        {"base: ../base\nvary: {a: []}\n", ":2:11: a: expected a list of values"},
        {"base: ../base\nvary: {a: [1, {b: 2}]}\n",
         ":2:15: a: value 2 of the list is no number, no text and no list"},
        {"base: ../base\nvary: {a: [[1], []]}\n",
         ":2:17: a: value 2 of the list is no number, no text and no list"},
        {"base: ../base\nvary: {a: [[0, -1], [0, -1]]}\n", ":2:21: a: [0, -1] is listed twice"},
        {"base: ../base\nvary: {a: [1, ]}\nzip: {b: [1, ~]}\n",
         ":3:14: b: value 2 of the list is no number, no text and no list"},
        {"base: ../base\nvary: {a: [0.5, 1, 0.50]}\n", ":2:20: a: 0.50 is listed twice"},
        {"base: ../base\nvary: {a: [1], b: {c: [1]}, b.c: [2]}\n",
         ":2:29: b.c: is given twice (first in line 2)"},
        {"base: ../base\nzip: {a: [1, 2], b: [1, 2, 3]}\n",
         ":2:21: b: 3 values, but a has 2: lists that are zipped have one length"},
        {"base: ../base\nzip: {a: [1, 1], b: [2, 2]}\n", ":2:14: a: 1 is listed twice"},
        {"base: ../base\nset: {a: 3}\nvary: {a: [1]}\n", ":2:10: set: a varies in this study"},
        {"base: ../base\nset: 3\nvary: {a: [1]}\n", ":2:6: set: expected keys with their values"},
        {"base: ../base\nvary: {base: [../base]}\n", ":1:7: base: varies in this study"},
        {"vary: {base: [../base, nothing]}\n", ":1:24: base: there is no case '"},
        {"vary: {base: [../base, [1]]}\n", ":1:24: base: expected a case"},
        {"zip: {base: [../base, ~], h: [1, 2]}\n", ":1:23: base: expected a case"},
        {"zip: {base: [../base, ../base], a: [1, ~]}\nvary: {c: [~]}\n",
         ":2:12: c: value 1 of the list is no number"},
        {"zip: {base: [../base, ../base], a: [1, 2]}\ncontinue: a\n",
         ":2:11: continue: the case varies along with 'a'"},
        {"base: ../base\njobs: 0\nvary: {a: [1]}\n",
         ":2:7: jobs: expected a whole number from 1 to 1024"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: beverlo, x: D, y: probes.U}\n",
         ":3:12: fit.law: 'beverlo' is none of beverloo, power"},
        {"base: ../base\nvary: {a.DD: [1]}\nfit: {law: power, x: a.D, y: probes.U}\n",
         ":3:22: fit.x: 'a.D' does not vary in this study; did you mean 'a.DD'?"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: U}\n",
         ":3:28: fit.y: 'U' is neither a probe (probes.NAME) nor an error (errors.L2)"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D}\n", ":3:6: fit.y: missing"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: beverloo, x: D, y: probes.U}\n",
         ":3:6: fit.grain: missing"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: beverloo, x: D, y: probes.U, grain: -1}\n",
         ":3:48: fit.grain: -1 must be positive"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: probes.U, grain: 1}\n",
         ":3:45: fit.grain: belongs to the law beverloo"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: probes.U, dimension: 3}\n",
         ":3:49: fit.dimension: belongs to the law beverloo"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: beverloo, grain: 1, x: D, y: probes.U, "
         "dimension: 4}\n",
         ":3:62: fit.dimension: expected 2 (slot, exponent 3/2) or 3"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: probes.U, scale: 0}\n",
         ":3:45: fit.scale: 0 must not be 0"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: probes.U, weight: 0}\n",
         ":3:38: fit.weight: unknown key of a study; did you mean 'weights'?"},
        {"base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: probes.U, weights: none}\n",
         ":3:47: fit.weights: 'none' is none of deviations, equal"},
        {"base: ../base\nvary: {D: [1]}\ncontinue: E\n",
         ":3:11: continue: 'E' does not vary in this study; did you mean 'D'?"},
        {BRACKET "base: ../base\nvary: {D: [1]}\ncontinue: D\n",
         ":4:11: continue: with a bracket it can only be its key 'boundaries.top.pressure'"},
        {BRACKET "base: ../base\nvary: {boundaries.top.pressure: [1]}\n",
         ":1:16: bracket.key: 'boundaries.top.pressure' varies already"},
        {BRACKET "base: ../base\nset: {boundaries: {top: {pressure: 1}}}\n",
         ":3:36: set: boundaries.top.pressure is the key of the bracket"},
        {BRACKET "base: ../base\nvary: {D: [1]}\nfit: {law: power, x: D, y: probes.U}\n",
         ":1:10: bracket: a study with a bracket has no fit"},
        {"base: ../base\nbracket: {key: a, between: [1], probe: probes.U, below: 1, width: 1}\n",
         ":2:28: bracket.between: expected two numbers"},
        {"base: ../base\nbracket: {key: a, between: [1, 1], probe: probes.U, below: 1, width: 1}\n",
         ":2:28: bracket.between: the two are the same"},
        {"base: ../base\nbracket: {key: a, between: [1, 2], probe: U, below: 1, width: 1}\n",
         ":2:43: bracket.probe: 'U' is no probe"},
        {"base: ../base\nbracket: {key: a, between: [1, 2], probe: probes.U, below: 0, width: 1}\n",
         ":2:60: bracket.below: 0 must be positive"},
        {"base: ../base\nbracket: {key: a, between: [1, x], probe: probes.U, below: 1, width: 1}\n",
         ":2:32: bracket.between: expected a number"},
        {"base: ../base\nbracket: {key: a, between: [1, 2], probe: probes.U, below: 1, width: "
         "1e-12}\n",
         ":2:70: bracket.width: below a billionth of the interval"},
        {"base: ../base\nbracket: {key: a, probe: probes.U, below: 1, width: 1}\n",
         ":2:10: bracket.between: missing"},
    };

    begin();
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        sab_error err = {0};
        sab_study *s = NULL;
        const size_t n = strlen(scratch_path("s/study.yaml"));

        CU_ASSERT_EQUAL(read_study(row[i].text, &s, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NULL(s);
        if (strncmp(err.message + n, row[i].message, strlen(row[i].message)) != 0) {
            printf("\n%s\n  gives     %s\n  expected  %s\n", row[i].text, err.message + n,
                   row[i].message);
            CU_FAIL("message");
        }
    }
    end();
}

/* What only the case of a point tells, with its place in the study. */
static void test_case_messages(void)
{
    static const struct {
        const char *text, *message;
        int combination;
    } row[] = {
        {"base: ../base\nvary: {material.frction: [1, 2]}\n",
         ":2:8: material.frction: unknown key; did you mean 'friction'?", 0},
        {"base: ../base\nvary: {materal.friction: [1, 2]}\n", ":2:8: materal: unknown key", 0},
        {"base: ../base\nset: {material: {frction: 1}}\nvary: {material.bulk: [1]}\n",
         ":2:18: material.frction: unknown key; did you mean 'friction'?", 0},
        {"base: ../base\nvary: {material.friction: [1, -2]}\n", ":2:31: material.friction: ", 1},
        {"base: ../base\nvary: {material.reynolds: [1, hello]}\n", ":2:31: material.reynolds: ", 1},
        {"base: ../base\nvary: {material.bulk: [1]}\nfit: {law: power, x: material.bulk, y: "
         "probes.V}\n",
         ":3:40: fit.y: the case has no probe 'V'; did you mean 'U'?", 0},
        {"base: ../base\nvary: {material.bulk: [1]}\nfit: {law: power, x: material.bulk, y: "
         "probes.drag}\n",
         ":3:40: fit.y: the probe 'drag' has components; take probes.drag_x", 0},
        {"base: ../base\nvary: {material.bulk: [1]}\nfit: {law: power, x: material.bulk, y: "
         "probes.line}\n",
         ":3:40: fit.y: the probe 'line' is a profile, not a number", 0},
        {"base: ../base\nvary: {material.bulk: [1]}\nfit: {law: power, x: material.bulk, y: "
         "errors.L2}\n",
         ":3:40: fit.y: the case has no exact solution, and no errors", 0},
    };

    begin();
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        sab_error err = {0};
        sab_study *s = good(row[i].text);
        sab_case *c = NULL;
        const size_t n = strlen(scratch_path("s/study.yaml"));

        CU_ASSERT_EQUAL(sab_study_case(s, row[i].combination, NULL, &c, &err), SAB_ERR_INPUT);
        if (strncmp(err.message + n, row[i].message, strlen(row[i].message)) != 0) {
            printf("\n%s\n  gives     %s\n  expected  %s\n", row[i].text, err.message,
                   row[i].message);
            CU_FAIL("message");
        }
        sab_study_destroy(&s);
    }
    end();
}

static void test_too_many(void)
{
    sab_text text = {0};
    sab_error err = {0};
    sab_study *s = NULL;

    begin();
    CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "base: ../base\nvary:\n"), SAB_OK);
    for (int k = 0; k < 5; k++) {
        CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "  k%d: [0", k), SAB_OK);
        for (int i = 1; i < 10; i++)
            CU_ASSERT_EQUAL(sab_text_add(&text, NULL, ", %d", i), SAB_OK);
        CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "]\n"), SAB_OK);
    }
    CU_ASSERT_EQUAL(read_study(text.data, &s, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, ":7:7: more than 10000 points"));
    sab_text_destroy(&text);
    CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "base: ../base\nvary:\n"), SAB_OK);
    for (int k = 0; k < 64; k++)
        CU_ASSERT_EQUAL(sab_text_add(&text, NULL, "  k%d: [0]\n", k), SAB_OK);
    CU_ASSERT_EQUAL(read_study(text.data, &s, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "more than 63 keys"));
    sab_text_destroy(&text);
    CU_ASSERT_EQUAL(sab_study_read(scratch_path("base"), &s, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "there is no such file in the directory"));
    end();
}

static void test_memory(void)
{
    static const char text[] =
        "base: ../base\nset: {material: {reynolds: 2}}\nzip: {material.bulk: [0.1, 0.2]}\n"
        "vary: {material.friction: [1, 2]}\nfit: {law: power, x: material.bulk, y: probes.U}\n";
    sab_status status = SAB_ERR_MEMORY;
    int n = 0;

    begin();
    spit(scratch_path("s/study.yaml"), text, strlen(text));
    for (; status == SAB_ERR_MEMORY && n < 10000; n++) {
        sab_study *s = NULL;
        sab_case *c = NULL;
        sab_error err = {0};

        sab_memory.failing = n;
        status = sab_study_read(scratch_path("s"), &s, &err);
        if (status == SAB_OK)
            status = sab_study_case(s, 1, NULL, &c, &err);
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(status, err.status);
        sab_case_destroy(&c);
        sab_study_destroy(&s);
    }
    CU_ASSERT(status == SAB_OK && n > 50);
    end();
}

int main(void)
{
    static const sab_test tests[] = {{"product", test_product},
                                     {"zip", test_zip},
                                     {"lists", test_lists},
                                     {"cases that vary", test_bases},
                                     {"names of points", test_names},
                                     {"messages", test_messages},
                                     {"messages of cases", test_case_messages},
                                     {"limits", test_too_many},
                                     {"allocations fail", test_memory}};

    return SAB_TEST_MAIN("io/study", tests);
}

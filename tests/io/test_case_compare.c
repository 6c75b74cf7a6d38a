/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which changes of a case a run may go on with; and the keys of time, resolved. */
#include "io_test.h"

#include "io/case.h"

static const char text[] = "title: Silo\n"
                           "mesh: {file: silo.geo, parameters: {D: 1.5}}\n"
                           "material: {friction: 0.5, reynolds: inf}\n"
                           "gravity: [0, -1]\n"
                           "boundaries:\n"
                           "  wall: {velocity: [0, \"sin(x)\"]}\n"
                           "  outlet: {traction: 0}\n"
                           "time: {scheme: inertial, step: 0.1, end: 8}\n"
                           "probes: {q: {flux: outlet}, f: {force: wall}}\n";

static sab_case *read_case(const char *path, int n, const char *const *override)
{
    sab_error err = {0};
    sab_case *c = NULL;

    if (sab_case_read(path, n, override, &c, &err) != SAB_OK)
        printf("\n    %s\n", err.message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    return c;
}

static void resolve(const sab_case *c, sab_text *yaml)
{
    sab_text_destroy(yaml);
    CU_ASSERT_EQUAL_FATAL(sab_case_resolved(c, yaml, NULL), SAB_OK);
}

static void test_defaults(void)
{
    const char *path;
    sab_text yaml = {0}, again = {0};

    scratch_create();
    path = scratch_path("case.yaml");
    spit(path, text, strlen(text));
    sab_case *c = read_case(path, 0, NULL);
    CU_ASSERT(c->time.scheme == SAB_INERTIAL && c->time.step == 0.1 && c->time.end == 8.0);
    CU_ASSERT(c->time.order == 2 && c->time.steady == 2e-3 && c->time.window == 5.0);
    CU_ASSERT(c->time.max_missed == 100 && c->time.probe == NULL);
    CU_ASSERT(c->output_every == 0.4 && c->output_checkpoint == 60.0); /* a twentieth of the end */
    CU_ASSERT(!c->has_initial_velocity && c->initial_from == NULL);
    resolve(c, &yaml);
    CU_ASSERT_PTR_NOT_NULL(strstr(yaml.data, "every: 0.4\n"));
    sab_case_destroy(&c);
    spit(path, yaml.data, yaml.length);
    c = read_case(path, 0, NULL);
    resolve(c, &again);
    CU_ASSERT_STRING_EQUAL(yaml.data, again.data);
    sab_case_destroy(&c);

    const char *const creeping[] = {"time={scheme: creeping}", "material.reynolds=1"};
    spit(path, text, strlen(text));
    c = read_case(path, 2, creeping);
    CU_ASSERT(c->time.scheme == SAB_CREEPING && c->time.step == 0.0);
    resolve(c, &yaml);
    CU_ASSERT_PTR_NULL(strstr(yaml.data, "every"));
    CU_ASSERT_PTR_NULL(strstr(yaml.data, "window"));
    sab_case_destroy(&c);

    const char *const from[] = {"initial.from=../b/./c/../a.sab"}; /* not there: still absolute */
    c = read_case(path, 1, from);
    resolve(c, &yaml);
    CU_ASSERT_PTR_NULL(strstr(yaml.data, "/../"));
    CU_ASSERT_PTR_NOT_NULL(strstr(yaml.data, "from: /"));
    sab_case_destroy(&c);
    sab_text_destroy(&yaml);
    sab_text_destroy(&again);
    remove(path);
    scratch_remove();
}

static void test_differences(void)
{
    static const struct {
        const char *override, *difference;
    } change[] = {
        {"material.friction=0.4", "material.friction: 0.5 then, 0.4 now"},
        {"material.friction=0.50", ""},
        {"material.friction={angle: 30}",
         "material.friction: 0.5 then, {angle: 30, in: plane} now"},
        {"material.bingham=1", "material.bingham: 0 then, 1 now"},
        {"mesh.parameters.D=2", "mesh.parameters.D: 1.5 then, 2 now"},
        {"mesh.parameters.W=2", "mesh.parameters.W: not given then, 2 now"},
        {"mesh.file=other.geo", ""},
        {"gravity=[0, -1.0]", ""},
        {"gravity=[0.1, -1]", "gravity: [0, -1] then, [0.1, -1] now"},
        {"boundaries.wall={slip: true}",
         "boundaries.wall.velocity: [0, \"sin(x)\"] then, not given "
         "now"},
        {"boundaries={outlet: {traction: 0}, wall: {velocity: [0, sin(x)]}}", ""},
        {"probes={f: {force: wall}, q: {flux: outlet}}", "probes: in another order"},
        {"probes={q: {flux: outlet}, f: {force: wall, part: contact}}",
         "probes.f.part: total then, contact now"},
        {"probes.q={flux: wall}", "probes.q.flux: outlet then, wall now"},
        {"time.step=0.2", "time.step: 0.1 then, 0.2 now"},
        {"time.order=1", "time.order: 2 then, 1 now"},
        {"initial.velocity=[0, 0]", "initial: not given then, {velocity: [0, 0]} now"},
        {"solver.tolerance=1e-3", "solver.tolerance: 3.0e-2 then, 1.0e-3 now"},
        {"title=Other", ""},
        {"time.end=9", ""},
        {"time.steady=0", ""},
        {"time.window=1", ""},
        {"time.probe=q", ""},
        {"time.max_missed=0", ""},
        {"output={every: 0, checkpoint: 5, precision: float32}", ""},
    };
    sab_text yaml = {0};

    scratch_create();
    const char *path = scratch_path("case.yaml");
    spit(path, text, strlen(text));
    sab_case *c = read_case(path, 0, NULL);
    resolve(c, &yaml);
    sab_case_destroy(&c);
    for (size_t i = 0; i < sizeof change / sizeof change[0]; i++) {
        sab_text difference = {0};

        c = read_case(path, 1, &change[i].override);
        CU_ASSERT_EQUAL(sab_case_compare(c, yaml.data, "then", &difference, NULL), SAB_OK);
        CU_ASSERT_PTR_NOT_NULL_FATAL(difference.data);
        if (strcmp(difference.data, change[i].difference) != 0)
            printf("\n    %s gives '%s'\n", change[i].override, difference.data);
        CU_ASSERT_STRING_EQUAL(difference.data, change[i].difference);
        sab_text_destroy(&difference);
        sab_case_destroy(&c);
    }
    sab_text_destroy(&yaml);
    remove(path);
    scratch_remove();
}

static void test_out_of_memory(void)
{
    const char *const override[] = {"material.friction=0.4"};
    sab_status status = SAB_ERR_MEMORY;
    sab_text yaml = {0};
    int failures = -1;

    scratch_create();
    const char *path = scratch_path("case.yaml");
    spit(path, text, strlen(text));
    sab_case *c = read_case(path, 0, NULL);
    resolve(c, &yaml);
    sab_case_destroy(&c);
    c = read_case(path, 1, override);
    for (int k = 0; status != SAB_OK && k < 1000; k++) {
        sab_text difference = {0};

        sab_memory.failing = k;
        status = sab_case_compare(c, yaml.data, "then", &difference, NULL);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        sab_text_destroy(&difference);
        failures++;
    }
    sab_memory.failing = -1;
    CU_ASSERT(failures > 10);
    CU_ASSERT_EQUAL(sab_case_compare(c, "a: [", "then", &yaml, NULL), SAB_ERR_INPUT);
    sab_case_destroy(&c);
    sab_text_destroy(&yaml);
    remove(path);
    scratch_remove();
}

int main(void)
{
    static const sab_test tests[] = {{"defaults of time", test_defaults},
                                     {"differences", test_differences},
                                     {"out of memory", test_out_of_memory}};

    return SAB_TEST_MAIN("io/case_compare", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run without a terminal: what it leaves behind, interruption, going on, warnings, memory. */
#include "../io/io_test.h"

#include "io/file.h"
#include "run/run.h"

#include <sys/stat.h>

static sab_case *read_case(const char *path, int n, const char *const *override)
{
    sab_case *c = NULL;
    sab_error err = {0};

    if (sab_case_read(path, n, override, &c, &err) != SAB_OK)
        printf("%s\n", err.message);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    return c;
}

static sab_case *creeping(void)
{
    const char *const override[] = {"mesh.parameters.n=2", "solver.tolerance=1e-2"};

    return read_case("cases/poiseuille", 2, override);
}

static sab_case *inertial(void)
{
    const char *const override[] = {"mesh.parameters.n=2", "time.step=0.05", "time.end=0.2"};

    return read_case("cases/chute/inertial.yaml", 3, override);
}

static sab_run *create(sab_case *c, const sab_run_options *options, const sab_run_events *events)
{
    sab_run *run = NULL;
    sab_error err = {0};

    if (sab_run_create(&c, options, events, &run, &err) != SAB_OK)
        printf("%s\n", err.message);
    CU_ASSERT_PTR_NULL(c); /* moved */
    CU_ASSERT_PTR_NOT_NULL_FATAL(run);
    return run;
}

static void finish(sab_run *run)
{
    while (sab_run_goes_on(run))
        CU_ASSERT_EQUAL_FATAL(sab_run_step(run, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_run_finish(run, NULL), SAB_OK);
    CU_ASSERT(sab_run_is_good(run));
}

/* Remove a directory of files, and one of profiles in it. */
static void remove_result(const char *directory)
{
    char command[300];

    snprintf(command, sizeof command, "rm -r '%s'", directory);
    CU_ASSERT_EQUAL(system(command), 0);
}

/* A creeping flow has one step, and its result is there whole or not at all. */
static void test_whole_or_nothing(void)
{
    scratch_create();
    const char *taken = scratch_path("result/history.csv");
    char directory[100];
    snprintf(directory, sizeof directory, "%s/result", scratch); /* scratch_path has four buffers */
    const sab_run_options options = {.directory = directory};
    sab_run *run = create(creeping(), &options, NULL);

    CU_ASSERT_EQUAL(sab_run_steps(run), 1);
    CU_ASSERT(sab_run_goes_on(run));
    CU_ASSERT_EQUAL(sab_run_step(run, NULL), SAB_OK);
    CU_ASSERT_FALSE(sab_run_goes_on(run));
    CU_ASSERT_EQUAL(count_files(directory), 2); /* its fence, run/owner.h */
    mkdir(taken, 0777);                         /* a file cannot take the place of a directory */
    CU_ASSERT_EQUAL(sab_run_finish(run, NULL), SAB_ERR_IO);
    CU_ASSERT_EQUAL(count_files(directory), 3);
    rmdir(taken);
    finish(run); /* again, now that there is room */
    CU_ASSERT(sab_file_exists(scratch_path("result/summary.json")));
    CU_ASSERT(sab_file_exists(scratch_path("result/fields_0000.vtu")));
    CU_ASSERT_FALSE(sab_file_exists(scratch_path("result/fields_0001.vtu")));
    CU_ASSERT_EQUAL(count_files(directory), 8); /* neither the fence nor the directory aside */
    sab_run_destroy(&run);

    sab_case *c = creeping(); /* a result is there already */
    CU_ASSERT_EQUAL(sab_run_create(&c, &options, NULL, &run, NULL), SAB_ERR_USAGE);
    CU_ASSERT_PTR_NULL(run);
    CU_ASSERT_PTR_NULL(c);
    remove_result(directory);
    scratch_remove();
}

/* A directory that was made for nothing goes again. */
static void test_abandoned(void)
{
    scratch_create();
    const char *directory = scratch_path("a/b");
    const sab_run_options options = {.directory = directory};
    sab_run *run = create(creeping(), &options, NULL);

    CU_ASSERT(sab_file_exists(directory));
    sab_run_destroy(&run);
    CU_ASSERT_EQUAL(count_files(scratch), 0);
    scratch_remove();
}

typedef struct stop { /* after so many iterations, once; negative: never */
    int left, iterations;
    int steps, stepped;
} stop;

static bool on_iteration(void *data, int viscosity_iteration, const sab_report *so_far)
{
    stop *s = data;

    (void)viscosity_iteration;
    (void)so_far;
    s->iterations++;
    return s->left < 0 || s->left-- != 0;
}

static bool on_step(void *data, int step)
{
    stop *s = data;

    s->steps++;
    return step > 0;
}

static void on_stepped(void *data, const sab_run *run)
{
    stop *s = data;

    CU_ASSERT_EQUAL(run->march->rows, ++s->stepped);
}

/* The numbers of two runs, of every step, are the same bits. */
static void assert_same(const sab_run *a, const sab_run *b)
{
    const sab_march *m = a->march;

    CU_ASSERT_EQUAL_FATAL(m->rows, b->march->rows);
    CU_ASSERT_EQUAL_FATAL(m->columns, b->march->columns);
    CU_ASSERT_EQUAL(memcmp(m->history, b->march->history,
                           (size_t)m->rows * (size_t)m->columns * sizeof *m->history),
                    0);
    CU_ASSERT_STRING_EQUAL(a->result.status, b->result.status);
}

/* A step that is interrupted leaves the run as it was: it goes on as if nothing had been, in the
 * same process without any file, or in another from the checkpoint. */
static void test_interrupted(void)
{
    scratch_create();
    const char *directory = scratch_path("result");
    const sab_run_options none = {0}, kept = {.directory = directory},
                          again = {.directory = directory, .resume = true};
    stop whole = {.left = -1}, first = {0};
    sab_run_events events = {
        .data = &whole, .step = on_step, .iteration = on_iteration, .stepped = on_stepped};
    sab_run *reference = create(inertial(), &none, &events);

    finish(reference);
    CU_ASSERT_EQUAL(sab_run_steps(reference), 4);
    CU_ASSERT_EQUAL(whole.steps, 4);
    CU_ASSERT_EQUAL(whole.stepped, 4);
    CU_ASSERT_EQUAL(count_files(scratch), 0);
    first.left = whole.iterations / 2;
    events.data = &first;
    sab_run *run = create(inertial(), &none, &events);
    sab_status status = SAB_OK;
    while (status == SAB_OK && sab_run_goes_on(run))
        status = sab_run_step(run, NULL);
    CU_ASSERT_EQUAL(status, SAB_INTERRUPTED);
    CU_ASSERT(run->march->rows < 4);
    finish(run);
    assert_same(run, reference);
    sab_run_destroy(&run);

    stop second = {.left = whole.iterations / 2};
    events.data = &second;
    run = create(inertial(), &kept, &events);
    status = SAB_OK;
    while (status == SAB_OK && sab_run_goes_on(run))
        status = sab_run_step(run, NULL);
    CU_ASSERT_EQUAL(status, SAB_INTERRUPTED);
    sab_run_destroy(&run);
    run = create(inertial(), &again, NULL);
    CU_ASSERT_FALSE(sab_run_is_whole(run));
    finish(run);
    assert_same(run, reference);
    sab_run_destroy(&run);
    run = create(inertial(), &again, NULL); /* nothing to do */
    CU_ASSERT(sab_run_is_whole(run));
    sab_run_destroy(&run);
    sab_run_destroy(&reference);
    remove_result(directory);
    scratch_remove();
}

static void on_warning(void *data, const char *sentence)
{
    char *text = data;

    CU_ASSERT_STRING_EQUAL(text, ""); /* one only */
    strncat(text, sentence, 200);
}

/* A warning is told at once and kept for the summary. */
static void test_warnings(void)
{
    const char *const override[] = {"mesh.parameters.n=2", "material.friction=1.2"};
    const sab_run_options none = {0};
    char told[300] = "";
    const sab_run_events events = {.data = told, .warning = on_warning};
    sab_run *run = create(read_case("cases/poiseuille", 2, override), &none, &events);

    CU_ASSERT_EQUAL(sab_warnings_kept(&run->warnings), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(told, "material.friction: 1.2"));
    CU_ASSERT_EQUAL(strncmp(told, run->warnings.text[0], 150), 0);
    sab_run_destroy(&run);

    sab_warnings many = {0};
    for (int i = 1; i <= 20; i++)
        sab_warnings_add(&many, "number %d", i);
    sab_warnings_mention(&many, "not kept");
    CU_ASSERT_EQUAL(many.given, 20);
    CU_ASSERT_EQUAL(sab_warnings_kept(&many), SAB_WARNINGS);
    CU_ASSERT_STRING_EQUAL(many.text[0], "number 1");
    CU_ASSERT_STRING_EQUAL(many.text[SAB_WARNINGS - 1], "number 20");
}

/* Each allocation of the end fails in turn, and some of the beginning: an error, nothing left. */
static void test_memory(void)
{
    scratch_create();
    const char *directory = scratch_path("result");
    const sab_run_options options = {.directory = directory};
    sab_run *run = NULL;
    sab_status status = SAB_ERR_MEMORY;

    for (long k = 0; k < 4000 && status == SAB_ERR_MEMORY; k += 1 + k / 4) {
        sab_case *c = creeping();

        sab_memory.failing = k;
        status = sab_run_create(&c, &options, NULL, &run, NULL);
        sab_memory.failing = -1;
        CU_ASSERT_PTR_NULL(c);
        CU_ASSERT_EQUAL(run == NULL, status != SAB_OK);
    }
    CU_ASSERT_EQUAL_FATAL(status, SAB_OK);
    CU_ASSERT_EQUAL(sab_run_step(run, NULL), SAB_OK);
    status = SAB_ERR_MEMORY;
    long k = 0;
    for (; k < 1000 && status == SAB_ERR_MEMORY; k++) {
        CU_ASSERT_EQUAL(count_files(directory), 2); /* its fence */
        sab_memory.failing = k;
        status = sab_run_finish(run, NULL);
        sab_memory.failing = -1;
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    CU_ASSERT(k > 10);
    CU_ASSERT(sab_file_exists(scratch_path("result/summary.json")));
    sab_run_destroy(&run);
    remove_result(directory);
    scratch_remove();
}

int main(void)
{
    static const sab_test tests[] = {
        {"whole or nothing", test_whole_or_nothing},
        {"abandoned", test_abandoned},
        {"interrupted", test_interrupted},
        {"warnings", test_warnings},
        {"memory", test_memory},
    };

    return SAB_TEST_MAIN("run/run", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batch systems: what commands become, and what is understood of the answers. The commands are
 * those of the shell; no batch system is needed. */
#define _GNU_SOURCE
#include "../failing.h"
#include "../unit.h"

#include "run/batch.h"

#include <stdlib.h>
#include <string.h>

static void check_output(const char *command, const sab_batch_word *words, const char *expected)
{
    sab_text output = {0};
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_batch_run(command, words, &output, &err), SAB_OK);
    CU_ASSERT_STRING_EQUAL(output.data, expected);
    sab_text_destroy(&output);
}

/* A {name} is one word whatever is in it, {options} are many; quotes hold words together; a name
 * that nobody knows stays. The shell prints each of its words in brackets. */
static void test_words(void)
{
    static const sab_batch_word words[] = {{"log", "a b/'c'"},
                                           {"options", "-q \"long one\" {log} 'x y'"},
                                           {"empty", NULL},
                                           {NULL, NULL}};

    check_output("printf '[%s]' {log}/%A.txt", words, "[a b/'c'/%A.txt]");
    check_output("printf '[%s]' {options} end", words, "[-q][long one][{log}][x y][end]");
    check_output("printf '[%s]' --x={empty} {other} {log", words, "[--x=][{other}][{log]");
    check_output("printf '[%s]'   a  ", NULL, "[a]");
    check_output("true", NULL, "");
}

static void check_failure(const char *command, const char *words)
{
    sab_text output = {0};
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_batch_run(command, NULL, &output, &err), SAB_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, words));
    if (strstr(err.message, words) == NULL)
        printf("%s\n", err.message);
    sab_text_destroy(&output);
}

static void test_failures(void)
{
    char many[1200] = "true";
    sab_text output = {0};
    sab_error err = {0};
    sab_status status = SAB_ERR_MEMORY;

    check_failure("sh -c 'echo no room >&2; exit 3'", "sh failed (exit code 3): no room");
    check_failure("sh -c 'echo 12; exit 4'", "(exit code 4): it does not say why");
    check_failure("no-such-program x", "no-such-program failed (exit code 127): No such file");
    check_failure("sh -c 'kill -KILL $$'", "exit code 137");
    check_failure("echo 'a b", "a quote is not closed");
    for (int i = 0; i < 200; i++)
        strcat(many, " x");
    check_failure(many, "more than 200 words");
    for (long i = 0; status == SAB_ERR_MEMORY; i++) { /* each allocation fails in turn */
        sab_memory.failing = i;
        status = sab_batch_run("echo {a} 'b c'", (sab_batch_word[]){{"a", "1"}, {NULL, NULL}},
                               &output, &err);
        sab_memory.failing = -1;
        sab_text_destroy(&output);
        CU_ASSERT_EQUAL(sab_memory.live, 0);
        CU_ASSERT_FATAL(i < 100);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
}

static void check_array(const char *system, int n, int at_most, const char *expected)
{
    char text[60];

    sab_batch_array(sab_batch_find(system), n, at_most, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_arrays(void)
{
    char names[100];

    check_array("slurm", 1, 0, "0-0");
    check_array("slurm", 17, 4, "0-16%4");
    check_array("pbs", 1, 0, "0-1"); /* it takes no array of one */
    check_array("pbs", 3, 2, "0-2%2");
    check_array("lsf", 3, 0, "1-3]");
    check_array("lsf", 3, 2, "1-3]%2");
    CU_ASSERT_PTR_NULL(sab_batch_find("local"));
    CU_ASSERT_STRING_EQUAL(sab_batch_names(names, sizeof names), "slurm, pbs, lsf");
}

static void check_id(const char *output, const char *expected)
{
    char id[16];
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_batch_id(output, id, sizeof id, &err), expected ? SAB_OK : SAB_ERR_USAGE);
    if (expected != NULL)
        CU_ASSERT_STRING_EQUAL(id, expected);
}

/* What is printed after a submission, as the manuals show it. */
static void test_ids(void)
{
    check_id("1234\n", "1234");
    check_id("1234;cluster\n", "1234");
    check_id("1234[].server\n", "1234[].server");
    check_id("Job <1234> is submitted to queue <normal>.\n", "1234");
    check_id("", NULL);
    check_id("sorry\n", NULL);
    check_id("1234567890123456\n", NULL); /* not cut: that would be another job */
}

static void check_line(const char *system, const char *line, long id, int index, const char *name)
{
    long found = -7;
    int at = -7;
    const char *called = NULL;

    CU_ASSERT_EQUAL(sab_batch_line(sab_batch_find(system), line, &found, &at, &called), id > 0);
    if (id > 0) {
        CU_ASSERT_EQUAL(found, id);
        CU_ASSERT_EQUAL(at, index);
        CU_ASSERT_STRING_EQUAL(called, name);
    }
}

static void test_lines(void)
{
    check_line("slurm", "1234 5 sablier-ab", 1234, 5, "sablier-ab");
    check_line("slurm", "1234 0 sablier-ab", 1234, 0, "sablier-ab");
    check_line("slurm", "1240 N/A sablier-ab", 1240, -1, "sablier-ab"); /* no array */
    check_line("pbs", "1234[5].server", 1234, 5, "");
    check_line("pbs", "1234[].server", 1234, -1, "");
    check_line("lsf", "1234 5 sablier-ab", 1234, 4, "sablier-ab"); /* counts from 1 */
    check_line("lsf", "1240 0 sablier-ab", 1240, -1, "sablier-ab");
    check_line("slurm", "slurm_load_jobs error", 0, 0, NULL);
    check_line("lsf", "No unfinished job found", 0, 0, NULL);
    check_line("slurm", "", 0, 0, NULL);
}

/* The largest array is what the system says, or the table's where it says nothing sensible. */
static void test_limit(void)
{
    sab_batch system = *sab_batch_find("slurm");

    system.limit = "printf 'MaxArrayFoo = 3\\nMaxArraySize            = 201\\nx = 5\\n'";
    CU_ASSERT_EQUAL(sab_batch_limit(&system), 201);
    system.limit = "echo MaxArraySize = none";
    CU_ASSERT_EQUAL(sab_batch_limit(&system), 1001);
    system.limit = "echo nothing";
    CU_ASSERT_EQUAL(sab_batch_limit(&system), 1001);
    system.limit = "sh -c 'echo MaxArraySize = 7; exit 1'";
    CU_ASSERT_EQUAL(sab_batch_limit(&system), 1001);
    system.limit = NULL;
    CU_ASSERT_EQUAL(sab_batch_limit(&system), 1001);
}

/* What requeue gets is this element, never the whole array. */
static void test_this(void)
{
    static const char *const names[] = {"SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID", "LSB_JOBID",
                                        "LSB_JOBINDEX"};
    char text[40];

    for (int i = 0; i < 4; i++)
        unsetenv(names[i]);
    CU_ASSERT_STRING_EQUAL(sab_batch_this(sab_batch_find("slurm"), text, sizeof text), "");
    setenv("SLURM_ARRAY_JOB_ID", "77", 1);
    CU_ASSERT_STRING_EQUAL(sab_batch_this(sab_batch_find("slurm"), text, sizeof text), "");
    setenv("SLURM_ARRAY_TASK_ID", "3", 1);
    CU_ASSERT_STRING_EQUAL(sab_batch_this(sab_batch_find("slurm"), text, sizeof text), "77_3");
    CU_ASSERT_STRING_EQUAL(sab_batch_this(sab_batch_find("pbs"), text, sizeof text), "");
    setenv("LSB_JOBID", "78", 1);
    setenv("LSB_JOBINDEX", "4", 1);
    CU_ASSERT_STRING_EQUAL(sab_batch_this(sab_batch_find("lsf"), text, sizeof text), "78[4]");
    for (int i = 0; i < 4; i++)
        unsetenv(names[i]);
}

int main(void)
{
    static const sab_test tests[] = {{"words of a command", test_words},
                                     {"commands that fail", test_failures},
                                     {"arrays", test_arrays},
                                     {"numbers of jobs", test_ids},
                                     {"lines of a queue", test_lines},
                                     {"the largest array", test_limit},
                                     {"this job", test_this}};

    return SAB_TEST_MAIN("run/batch", tests);
}

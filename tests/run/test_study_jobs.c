/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was given to a batch system, as it is written down and read again. */
#define _GNU_SOURCE
#include "../io/io_test.h"

#include "io/file.h"
#include "run/study_jobs.h"

#include <sys/stat.h>

static void begin(void)
{
    scratch_create();
    mkdir(scratch_path("batch"), 0777);
}

static void end(void)
{
    sab_directory_remove(scratch_path("batch"));
    scratch_remove();
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

/* With signs that mean something to JSON and to YAML. */
static const char study[] = "/a \"b\"/c\\d/\te: #é{.yaml", options[] = "-q 'x: y' --time=1:00";

static sab_status write_some(sab_error *err)
{
    sab_study_jobs b = {0};
    sab_status status = sab_study_jobs_read(scratch, &b, err);

    if (status == SAB_OK)
        status = sab_study_jobs_text(&b.study, study, err);
    if (status == SAB_OK)
        status = sab_study_jobs_text(&b.options, options, err);
    b.system = sab_batch_find("lsf");
    b.at_most = 7;
    if (status == SAB_OK)
        status = sab_study_jobs_add_list(&b, 3, (int[]){4, 0, 11}, err);
    if (status == SAB_OK)
        status = sab_study_jobs_add(&b, "1234[].server", b.lists, err);
    for (int i = 0; i < 40 && status == SAB_OK; i++) /* it grows */
        status = sab_study_jobs_add(&b, "99", 0, err);
    if (status == SAB_OK)
        status = sab_study_jobs_write(&b, err);
    sab_study_jobs_destroy(&b);
    return status;
}

static void check_some(void)
{
    sab_study_jobs b;
    sab_error err = {0};
    int chain[5] = {-1, -1, -1, -1, -1};

    CU_ASSERT_EQUAL_FATAL(sab_study_jobs_read(scratch, &b, &err), SAB_OK);
    CU_ASSERT_PTR_EQUAL(b.system, sab_batch_find("lsf"));
    CU_ASSERT_STRING_EQUAL(b.study, study);
    CU_ASSERT_STRING_EQUAL(b.options, options);
    CU_ASSERT_EQUAL(b.at_most, 7);
    CU_ASSERT_EQUAL(b.lists, 1);
    CU_ASSERT_EQUAL_FATAL(b.n, 41);
    CU_ASSERT_STRING_EQUAL(b.job[0].id, "1234[].server");
    CU_ASSERT_EQUAL(b.job[0].list, 1);
    CU_ASSERT_STRING_EQUAL(b.job[40].id, "99");
    CU_ASSERT_EQUAL(b.job[40].list, 0);
    CU_ASSERT_EQUAL(sab_study_jobs_list(&b, 1, chain, 5), 3);
    CU_ASSERT(chain[0] == 4 && chain[1] == 0 && chain[2] == 11 && chain[3] == -1);
    CU_ASSERT_EQUAL(sab_study_jobs_list(&b, 1, chain, 2), 2); /* no more than there is room */
    CU_ASSERT_EQUAL(sab_study_jobs_list(&b, 2, chain, 5), 0);
    sab_study_jobs_destroy(&b);
}

static void test_round(void)
{
    sab_error err = {0};

    begin();
    CU_ASSERT_EQUAL(write_some(&err), SAB_OK);
    check_some();
    end();
}

/* Each allocation fails in turn: said, nothing is lost, and the last file that was whole stays. */
static void test_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;
    sab_error err = {0};
    sab_study_jobs b;
    long i;

    begin();
    for (i = 0; status == SAB_ERR_MEMORY && i < 2000; i++) {
        sab_memory.failing = i;
        status = write_some(&err);
        sab_memory.failing = -1;
        CU_ASSERT(status == SAB_OK || strlen(err.message) > 0);
        CU_ASSERT_EQUAL(sab_memory.live, 0);
        if (status != SAB_OK)
            CU_ASSERT_FALSE(sab_file_exists(scratch_path("batch/jobs.json")));
        unlink(scratch_path("batch/list-1"));
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    CU_ASSERT(i > 10);
    status = SAB_ERR_MEMORY;
    for (i = 0; status == SAB_ERR_MEMORY && i < 5000; i++) {
        sab_memory.failing = i;
        status = sab_study_jobs_read(scratch, &b, &err);
        sab_memory.failing = -1;
        sab_study_jobs_destroy(&b);
        CU_ASSERT_EQUAL(sab_memory.live, 0);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    CU_ASSERT(i > 20);
    end();
}

/* No directory, no file: nothing was submitted. */
static void test_nothing(void)
{
    sab_study_jobs b;
    sab_error err = {0};

    begin();
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_EQUAL(sab_study_jobs_read(i == 0 ? scratch : "/no/such/place", &b, &err), SAB_OK);
        CU_ASSERT(b.n == 0 && b.lists == 0 && b.system == NULL);
        CU_ASSERT_STRING_EQUAL(b.study, "");
        sab_study_jobs_destroy(&b);
    }
    end();
}

/* A file that was changed by hand, or damaged, is refused: what it says becomes words of commands
 * such as scancel. */
static void test_damaged(void)
{
    static const char *const job[] = {
        "{\"id\": \"--all\", \"list\": 1}",
        "{\"id\": \"\", \"list\": 1}",
        "{\"id\": \"12 13\", \"list\": 1}",
        "{\"id\": \"12;rm\", \"list\": 1}",
        "{\"id\": \"12\", \"list\": -1}",
        "{\"id\": \"12\", \"list\": \"x\"}",
        "{\"id\": \"12\"}",
        "{\"list\": 1}",
        "{\"id\": [\"12\"], \"list\": 1}",
        "12",
        "{\"id\": \"123456789012345678901234567890123456789012345678901234567890abcd\", "
        "\"list\": 1}"};
    static const char *const whole[] = {
        "{\"backend\": \"slurm\", \"at_most\": 0, \"lists\": 1}",
        "{\"backend\": \"slurm\", \"at_most\": 0, \"lists\": 1, \"jobs\": 3}",
        "{\"backend\": \"slurm\", \"at_most\": \"\", \"lists\": 1, \"jobs\": []}",
        "{\"backend\": \"slurm\", \"at_most\": 0, \"jobs\": []}",
        "{\"backend\": \"slurm\", \"at_most\": 0,",
        "[]",
        ""};
    sab_study_jobs b;
    char text[600];

    begin();
    for (size_t i = 0; i < sizeof job / sizeof job[0] + sizeof whole / sizeof whole[0]; i++) {
        const size_t n = sizeof job / sizeof job[0];
        sab_error err = {0};

        snprintf(text, sizeof text, i < n ? "{\"at_most\": 0, \"lists\": 1, \"jobs\": [%s]}" : "%s",
                 i < n ? job[i] : whole[i - n]);
        CU_ASSERT_EQUAL(sab_file_write_text(scratch_path("batch/jobs.json"), text, NULL), SAB_OK);
        CU_ASSERT_EQUAL(sab_study_jobs_read(scratch, &b, &err), SAB_ERR_INPUT);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "jobs.json"));
        if (err.status != SAB_ERR_INPUT)
            printf("taken: %s\n", text);
        sab_study_jobs_destroy(&b);
    }
    end();
}

/* A list that was cut short ends where it is damaged: the other chains are submitted again. */
static void test_lists(void)
{
    sab_study_jobs b;
    sab_error err = {0};
    int chain[8];

    begin();
    CU_ASSERT_EQUAL(sab_study_jobs_read(scratch, &b, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_file_write_text(scratch_path("batch/list-1"), "3\n5\nx\n7\n", NULL),
                    SAB_OK);
    CU_ASSERT_EQUAL(sab_study_jobs_list(&b, 1, chain, 8), 2);
    CU_ASSERT(chain[0] == 3 && chain[1] == 5);
    sab_study_jobs_destroy(&b);
    end();
}

/* The name tells one directory from another, and is the same each time. */
static void test_names(void)
{
    sab_study_jobs a = {.directory = "/x/batch"}, b = {.directory = "/y/batch"};
    char one[SAB_JOB_NAME], other[SAB_JOB_NAME];

    sab_study_jobs_name(&a, one);
    sab_study_jobs_name(&b, other);
    CU_ASSERT_STRING_NOT_EQUAL(one, other);
    CU_ASSERT_EQUAL(strlen(one), strlen("sablier-") + 10);
    strcpy(b.directory, "/x/batch");
    sab_study_jobs_name(&b, other);
    CU_ASSERT_STRING_EQUAL(one, other);
}

int main(void)
{
    static const sab_test tests[] = {
        {"written and read", test_round},    {"allocations fail", test_memory},
        {"nothing submitted", test_nothing}, {"damaged files", test_damaged},
        {"damaged lists", test_lists},       {"names of jobs", test_names}};

    return SAB_TEST_MAIN("run/study_jobs", tests);
}

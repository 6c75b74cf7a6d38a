/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io_test.h"

#include "io/file.h"
#include "io/json.h"

#include <math.h>
#include <sys/stat.h>

static void assert_content(const char *path, const char *expected)
{
    char *text = slurp(path, NULL);

    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
}

static void test_write_and_replace(void)
{
    scratch_create();
    const char *path = scratch_path("a.txt");
    CU_ASSERT_FALSE(sab_file_exists(path));
    CU_ASSERT_EQUAL(sab_file_write_text(path, "old\n", NULL), SAB_OK);
    CU_ASSERT(sab_file_exists(path));
    CU_ASSERT_EQUAL(sab_file_write_text(path, "new\n", NULL), SAB_OK);
    assert_content(path, "new\n");
    CU_ASSERT_EQUAL(count_files(scratch), 1);
    remove(path);
    scratch_remove();
}

static void test_abort_keeps_old(void)
{
    sab_file file;

    scratch_create();
    const char *path = scratch_path("a.txt");
    CU_ASSERT_EQUAL(sab_file_write_text(path, "old\n", NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_file_open(path, &file, NULL), SAB_OK);
    fputs("half", file.stream);
    fflush(file.stream);
    CU_ASSERT_EQUAL(count_files(scratch), 2);
    assert_content(path, "old\n"); /* a reader never sees a part */
    sab_file_abort(&file);
    sab_file_abort(&file); /* harmless */
    assert_content(path, "old\n");
    CU_ASSERT_EQUAL(count_files(scratch), 1);
    CU_ASSERT_EQUAL(sab_file_open(path, &file, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_file_close(&file, NULL), SAB_OK);
    sab_file_abort(&file); /* after close: nothing to do */
    assert_content(path, "");
    remove(path);
    scratch_remove();
}

static void test_refusals(void)
{
    sab_error err = {0};
    sab_file file;

    scratch_create();
    CU_ASSERT_EQUAL(sab_file_open(scratch_path("no/such.txt"), &file, &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "no/such.txt"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No such file or directory"));
    CU_ASSERT_PTR_NULL(file.stream);
    sab_file_abort(&file);
    CU_ASSERT_EQUAL(sab_file_write_text(scratch, "x", &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "a directory"));
    CU_ASSERT_EQUAL(sab_file_write_text("/dev/full", "x", &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "not a regular file"));
    CU_ASSERT_EQUAL(sab_file_write_text("", "x", &err), SAB_ERR_IO);

    /* a directory that appears between open and close: rename fails, nothing stays */
    const char *path = scratch_path("late");
    CU_ASSERT_EQUAL(sab_file_open(path, &file, NULL), SAB_OK);
    CU_ASSERT_EQUAL(mkdir(path, 0777), 0);
    CU_ASSERT_EQUAL(sab_file_close(&file, &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "directory"));
    CU_ASSERT_EQUAL(count_files(scratch), 1);
    rmdir(path);
    scratch_remove();
}

static void test_disk_full(void)
{
    sab_error err = {0};
    sab_file file;

    if (!scratch_mount("size=64k"))
        return;
    const char *path = scratch_path("a.txt");
    CU_ASSERT_EQUAL(sab_file_write_text(path, "old\n", NULL), SAB_OK);
    /* within stdio's buffer at the end, and far beyond it */
    for (int size = 61500; size < 200000; size += 30000) {
        CU_ASSERT_EQUAL(sab_file_open(path, &file, NULL), SAB_OK);
        for (int i = 0; i < size; i++)
            putc('x', file.stream);
        CU_ASSERT_EQUAL(sab_file_close(&file, &err), SAB_ERR_IO);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No space left on device"));
        CU_ASSERT_PTR_NOT_NULL(strstr(err.message, path));
        CU_ASSERT_EQUAL(count_files(scratch), 1);
        assert_content(path, "old\n");
    }
    scratch_unmount();
}

/* The old file keeps a name, also if a process was killed between the two renamings: then both
 * names lead to one file. */
static void test_keeping(void)
{
    char path[256], previous[256];
    sab_file file;

    scratch_create();
    strcpy(path, scratch_path("a"));
    strcpy(previous, scratch_path("b"));
    for (int i = 0; i < 4; i++) {
        if (i == 3) {
            remove(previous);
            CU_ASSERT_EQUAL(link(path, previous), 0);
        }
        CU_ASSERT_EQUAL(sab_file_open(path, &file, NULL), SAB_OK);
        fprintf(file.stream, "%d", i);
        CU_ASSERT_EQUAL(sab_file_close_keeping(&file, previous, NULL), SAB_OK);
        assert_content(path, (const char *[]){"0", "1", "2", "3"}[i]);
        if (i > 0)
            assert_content(previous, (const char *[]){"", "0", "1", "2"}[i]);
        CU_ASSERT_EQUAL(count_files(scratch), i > 0 ? 2 : 1);
    }
    remove(path);
    remove(previous);
    scratch_remove();
}

/* A row that does not fit on the disk leaves no half of it. */
static void test_append(void)
{
    sab_error err = {0};
    sab_file file, block;

    if (!scratch_mount("size=64k"))
        return;
    const char *path = scratch_path("a.csv");
    CU_ASSERT_EQUAL(sab_file_append(path, &file, &err), SAB_ERR_IO); /* there is none */
    CU_ASSERT_EQUAL(sab_file_write_text(path, "a\n", NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_file_open(scratch_path("block"), &block, NULL), SAB_OK);
    for (int i = 0; i < 56 * 1024; i++)
        putc('x', block.stream);
    CU_ASSERT_EQUAL(sab_file_flush(&block, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_file_append(scratch_path("a.csv"), &file, NULL), SAB_OK);
    fputs("b\n", file.stream);
    CU_ASSERT_EQUAL(sab_file_flush(&file, NULL), SAB_OK);
    for (int i = 0; i < 9000; i++)
        putc('x', file.stream);
    CU_ASSERT_EQUAL(sab_file_flush(&file, &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "No space left on device"));
    assert_content(scratch_path("a.csv"), "a\nb\n");
    sab_file_abort(&file);
    sab_file_abort(&block);
    assert_content(scratch_path("a.csv"), "a\nb\n");
    CU_ASSERT_EQUAL(count_files(scratch), 1);
    scratch_unmount();
}

/* A link at the temporary name goes, one at the name is replaced; what they lead to stays. */
static void test_links(void)
{
    sab_file file;

    scratch_create();
    CU_ASSERT_EQUAL(sab_file_write_text(scratch_path("mine"), "mine", NULL), SAB_OK);
    for (int i = 0; i < 2; i++) {
        char target[256];

        strcpy(target, scratch_path("mine"));
        CU_ASSERT_EQUAL(symlink(target, scratch_path(i == 0 ? "a.tmp~" : "a")), 0);
        CU_ASSERT_EQUAL(sab_file_append(scratch_path("a"), &file, NULL), SAB_ERR_IO);
        CU_ASSERT_EQUAL(sab_file_write_text(scratch_path("a"), "new", NULL), SAB_OK);
        assert_content(scratch_path("a"), "new");
        assert_content(scratch_path("mine"), "mine");
        CU_ASSERT_EQUAL(count_files(scratch), 2);
        remove(scratch_path("a"));
    }
    CU_ASSERT_EQUAL(mkdir(scratch_path("d"), 0777), 0);
    CU_ASSERT_EQUAL(mkdir(scratch_path("d/e"), 0777), 0);
    CU_ASSERT_EQUAL(symlink(scratch, scratch_path("d/e/up")), 0);
    CU_ASSERT_EQUAL(sab_directory_create_inside(scratch_path("d/e/up"), NULL), SAB_ERR_IO);
    sab_directory_remove(scratch_path("d"));
    CU_ASSERT_FALSE(sab_file_exists(scratch_path("d")));
    assert_content(scratch_path("mine"), "mine");
    remove(scratch_path("mine"));
    scratch_remove();
}

static void test_directories(void)
{
    sab_error err = {0};
    char path[256];

    scratch_create();
    strcpy(path, scratch_path("a/b//c/"));
    CU_ASSERT_EQUAL(sab_directory_create(path, &err), SAB_OK);
    CU_ASSERT_EQUAL(sab_directory_create(path, &err), SAB_OK); /* again */
    CU_ASSERT_EQUAL(count_files(path), 0);                     /* the probe is gone */
    spit(scratch_path("a/b/c/.writable.tmp~"), "x", 1);        /* a process was killed in between */
    CU_ASSERT_EQUAL(sab_directory_create(path, &err), SAB_OK);
    CU_ASSERT_EQUAL(count_files(path), 0);
    spit(scratch_path("file"), "x", 1);
    CU_ASSERT_EQUAL(sab_directory_create(scratch_path("file"), &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "there is a file"));
    CU_ASSERT_EQUAL(sab_directory_create(scratch_path("file/sub"), &err), SAB_ERR_IO);
    CU_ASSERT_EQUAL(sab_directory_create("", &err), SAB_ERR_IO);
    CU_ASSERT_EQUAL(sab_directory_create("/proc/no-such-directory", &err), SAB_ERR_IO);

    remove(scratch_path("file"));
    rmdir(scratch_path("a/b/c"));
    rmdir(scratch_path("a/b"));
    rmdir(scratch_path("a"));
    scratch_remove();
}

/* Permission bits do not stop root, a read-only mount does. */
static void test_read_only(void)
{
    sab_error err = {0};

    if (!scratch_mount("ro"))
        return;
    CU_ASSERT_EQUAL(sab_directory_create(scratch, &err), SAB_ERR_IO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "cannot write in directory"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "Read-only file system"));
    CU_ASSERT_EQUAL(sab_file_write_text(scratch_path("a.txt"), "x", &err), SAB_ERR_IO);
    scratch_unmount();
}

static void test_json_text(void)
{
    sab_json json = {0};

    scratch_create();
    sab_json_begin_object(&json, NULL);
    sab_json_string(&json, "st\"at\\us", "a\nb\tc\x01 \x7f caf\xC3\xA9 \xF0\x9F\x8F\x9D");
    /* Latin-1, overlong, surrogate, cut short, above U+10FFFF */
    sab_json_string(&json, "bad", "\xE9! \xC0\xAF \xED\xA0\x80 \xE2\x82");
    sab_json_number(&json, "nan", NAN);
    sab_json_number(&json, "inf", -INFINITY);
    sab_json_number(&json, "tolerance", 0.03);
    sab_json_number(&json, "third", 1.0 / 3.0);
    sab_json_integer(&json, "big", 9223372036854775807LL);
    sab_json_bool(&json, "yes", true);
    sab_json_begin_array(&json, "empty");
    sab_json_end_array(&json);
    sab_json_begin_array(&json, "list");
    sab_json_number(&json, NULL, -2.5e-300);
    sab_json_begin_object(&json, NULL);
    sab_json_end_object(&json);
    sab_json_end_array(&json);
    sab_json_end_object(&json);
    CU_ASSERT_EQUAL(sab_json_save(&json, scratch_path("a.json"), NULL), SAB_OK);
    sab_json_destroy(&json);
#define BAD "\xEF\xBF\xBD"
    assert_content(scratch_path("a.json"),
                   "{\n"
                   "  \"st\\\"at\\\\us\": \"a\\nb\\tc\\u0001 \x7f caf\xC3\xA9 \xF0\x9F\x8F\x9D\",\n"
                   "  \"bad\": \"" BAD "! " BAD BAD " " BAD BAD BAD " " BAD BAD "\",\n"
                   "  \"nan\": null,\n"
                   "  \"inf\": null,\n"
                   "  \"tolerance\": 0.03,\n"
                   "  \"third\": 0.3333333333333333,\n"
                   "  \"big\": 9223372036854775807,\n"
                   "  \"yes\": true,\n"
                   "  \"empty\": [],\n"
                   "  \"list\": [\n"
                   "    -2.5e-300,\n"
                   "    {}\n"
                   "  ]\n"
                   "}\n");
    remove(scratch_path("a.json"));
    scratch_remove();
}

static void test_json_numbers_are_exact(void)
{
    unsigned long long state = 7;

    for (int i = 0; i < 2000; i++) {
        const double v =
            ldexp(sab_test_random(&state) - 0.5, (int)(2000 * sab_test_random(&state)) - 1000);
        sab_json json = {0};

        sab_json_number(&json, NULL, v);
        CU_ASSERT_EQUAL(strtod(json.text.data, NULL), v);
        sab_json_destroy(&json);
    }
}

static void test_json_mistakes(void)
{
    sab_json json = {0};

    scratch_create();
    const char *path = scratch_path("a.json");
    CU_ASSERT_EQUAL(sab_json_save(&json, path, NULL), SAB_ERR_INTERNAL); /* nothing */
    sab_json_begin_object(&json, NULL);
    CU_ASSERT_EQUAL(sab_json_save(&json, path, NULL), SAB_ERR_INTERNAL); /* not ended */
    sab_json_end_object(&json);
    sab_json_begin_object(&json, NULL); /* a second root */
    CU_ASSERT_EQUAL(sab_json_save(&json, path, NULL), SAB_ERR_INTERNAL);
    sab_json_destroy(&json);
    sab_json_end_array(&json); /* one end too many */
    CU_ASSERT_EQUAL(json.status, SAB_ERR_INTERNAL);
    sab_json_destroy(&json);
    for (int i = 0; i < SAB_JSON_DEPTH; i++)
        sab_json_begin_array(&json, NULL);
    CU_ASSERT_EQUAL(json.status, SAB_OK);
    sab_json_begin_array(&json, NULL); /* too deep */
    sab_json_number(&json, NULL, 1.0);
    CU_ASSERT_EQUAL(json.status, SAB_ERR_INTERNAL);
    sab_json_destroy(&json);
    scratch_remove();
}

static sab_status write_sample(const char *path, sab_error *err)
{
    sab_json json = {0};

    sab_json_begin_object(&json, NULL);
    for (int i = 0; i < 50; i++)
        sab_json_string(&json, "key", "a string that makes the text grow more than once");
    sab_json_end_object(&json);
    const sab_status status = sab_json_save(&json, path, err);
    sab_json_destroy(&json);
    return status;
}

static void test_out_of_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;
    int failures = -1;

    scratch_create();
    const char *path = scratch_path("a.json");
    for (int k = 0; status != SAB_OK && k < 100; k++) {
        sab_error err = {0};

        sab_memory.failing = k;
        status = write_sample(path, &err);
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT(status == SAB_OK || strstr(err.message, "out of memory") != NULL);
        CU_ASSERT_EQUAL(count_files(scratch), status == SAB_OK);
        failures++;
    }
    sab_memory.failing = -1;
    CU_ASSERT(failures >= 4);
    remove(path);
    sab_memory.failing = 0;
    CU_ASSERT_EQUAL(sab_directory_create(scratch, NULL), SAB_ERR_MEMORY);
    sab_memory.failing = -1;
    scratch_remove();
}

int main(void)
{
    static const sab_test tests[] = {{"files are written and replaced", test_write_and_replace},
                                     {"abort keeps the old file", test_abort_keeps_old},
                                     {"bad targets are refused", test_refusals},
                                     {"a full disk leaves the old file", test_disk_full},
                                     {"the file before is kept", test_keeping},
                                     {"a row is written whole", test_append},
                                     {"links are not followed", test_links},
                                     {"directories", test_directories},
                                     {"a read-only directory", test_read_only},
                                     {"JSON text", test_json_text},
                                     {"JSON numbers read back", test_json_numbers_are_exact},
                                     {"JSON mistakes", test_json_mistakes},
                                     {"out of memory", test_out_of_memory}};

    return SAB_TEST_MAIN("io/file", tests);
}

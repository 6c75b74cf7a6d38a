/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/path.h"

#include <string.h>

/* One character more than fits is a failure with a sentence, and no path at all: not one cut short,
 * which may be that of another file. */
static void test_ends(void)
{
    char path[SAB_PATH], name[SAB_PATH];
    sab_error err = {0};

    memset(name, 'a', sizeof name);
    name[SAB_PATH - 3] = '\0';
    CU_ASSERT_EQUAL(sab_path_set(path, &err, "%s/%d", name, 7), SAB_OK);
    CU_ASSERT_EQUAL(strlen(path), SAB_PATH - 1);
    CU_ASSERT_STRING_EQUAL(path + SAB_PATH - 3, "/7");
    CU_ASSERT_EQUAL(sab_path_set(path, &err, "%s/%d", name, 17), SAB_ERR_IO);
    CU_ASSERT_STRING_EQUAL(path, "");
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "too long: 4096 characters, at most 4095"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "'aaaa"));
    CU_ASSERT_EQUAL(sab_path_set(path, NULL, "%s/%d", name, 17), SAB_ERR_IO);
}

static void test_room(void)
{
    char name[SAB_PATH];
    sab_error err = {0};

    memset(name, 'a', sizeof name);
    name[SAB_PATH - SAB_PATH_ROOM - 1] = '\0';
    CU_ASSERT_EQUAL(sab_path_check(name, &err), SAB_OK);
    strcat(name, "a");
    CU_ASSERT_EQUAL(sab_path_check(name, &err), SAB_ERR_USAGE);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "3496 characters, at most 3495"));
}

int main(void)
{
    static const sab_test tests[] = {{"too long by one", test_ends},
                                     {"room below a directory", test_room}};

    return SAB_TEST_MAIN("base/path", tests);
}

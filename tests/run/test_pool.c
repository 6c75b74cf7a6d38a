/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes of a study. */
#include "../failing.h"
#include "../unit.h"

#include "run/pool.h"

/* A study that cannot have its pool still stops what runs: nothing. */
static void test_failures(void)
{
    sab_pool pool;
    sab_error err = {0};
    int code;

    sab_memory.failing = 0;
    CU_ASSERT_EQUAL(sab_pool_create(3, &pool, &err), SAB_ERR_MEMORY);
    sab_memory.failing = -1;
    CU_ASSERT_EQUAL(sab_pool_wait(&pool, 0.0, &code), -1);
    sab_pool_stop(&pool);
    sab_pool_destroy(&pool);
    CU_ASSERT_EQUAL(sab_memory.live, 0);
}

int main(void)
{
    static const sab_test tests[] = {{"failures", test_failures}};

    return SAB_TEST_MAIN("run/pool", tests);
}

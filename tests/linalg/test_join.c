/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts under each other: B u is that of the parts with zeros between, B^T y the sum. */
#include "unit.h"

#include "linalg/join.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 25, PARTS = 3 };

/* Components, points per block, columns per block, blocks; the third part is empty. */
static const int shapes[PARTS][4] = {{3, 3, 12, 20}, {2, 1, 5, 7}, {4, 2, 6, 0}};

static sab_blocks *random_blocks(const int *shape, unsigned long long *seed)
{
    const int s = shape[0], points = shape[1], columns = shape[2], blocks = shape[3];
    sab_blocks *B = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_blocks_create(s, points * blocks, COLUMNS, blocks, columns * blocks,
                                            columns * s * points * blocks, &B, NULL),
                          SAB_OK);
    for (int e = 0; e < blocks; e++) {
        B->point[e + 1] = points * (e + 1);
        B->column_start[e + 1] = columns * (e + 1);
        B->value_start[e + 1] = columns * s * points * (e + 1);
        for (int j = 0; j < columns; j++)
            B->column[columns * e + j] = (3 * e + 4 * j) % COLUMNS;
    }
    for (int i = 0; i < columns * s * points * blocks; i++)
        B->value[i] = 2.0 * sab_test_random(seed) - 1.0;
    return B;
}

static void random_vector(int n, unsigned long long *seed, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 2.0 * sab_test_random(seed) - 1.0;
}

static void test_products(void)
{
    unsigned long long seed = 3;
    sab_blocks *part[PARTS], *B = NULL;
    int first[PARTS + 1];
    double u[COLUMNS], f[COLUMNS] = {0}, sum[COLUMNS] = {0}, own[200], y[300];

    for (int i = 0; i < PARTS; i++)
        part[i] = random_blocks(shapes[i], &seed);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_join(PARTS, (const sab_blocks *const *)part, first, &B, NULL),
                          SAB_OK);
    CU_ASSERT(first[0] == 0 && first[1] == 60 && first[2] == 67 && first[3] == 67);
    CU_ASSERT(B->s == 4 && B->npoints == 67 && B->nblocks == 27 && B->ncolumns == COLUMNS);
    random_vector(COLUMNS, &seed, u);
    sab_blocks_multiply(B, u, y);
    for (int i = 0; i < PARTS; i++) {
        const int s = part[i]->s;

        sab_blocks_multiply(part[i], u, own);
        for (int q = 0; q < part[i]->npoints; q++)
            for (int c = 0; c < 4; c++)
                CU_ASSERT_EQUAL(y[4 * (first[i] + q) + c], c < s ? own[s * q + c] : 0.0);
    }
    random_vector(4 * B->npoints, &seed, y); /* what is in the padding must not matter */
    sab_blocks_multiply_transpose(B, y, f);
    for (int i = 0; i < PARTS; i++) {
        const int s = part[i]->s;

        for (int q = 0; q < part[i]->npoints; q++)
            memcpy(own + s * q, y + 4 * (first[i] + q), (size_t)s * sizeof *own);
        sab_blocks_multiply_transpose(part[i], own, sum);
    }
    for (int j = 0; j < COLUMNS; j++)
        SAB_ASSERT_CLOSE(f[j], sum[j], 1e-14);
    sab_blocks_destroy(&B);
    for (int i = 0; i < PARTS; i++)
        sab_blocks_destroy(&part[i]);
}

static void test_refused(void)
{
    static const int wide[] = {3, 40, 4, 1}, tall[] = {4, 1, 4, 1};
    unsigned long long seed = 4;
    sab_blocks *a = random_blocks(wide, &seed), *b = random_blocks(tall, &seed), *B = NULL;
    sab_blocks *c = random_blocks(tall, &seed);
    const sab_blocks *part[] = {a, b};
    sab_error err = {0};
    int first[3];

    CU_ASSERT_EQUAL(sab_blocks_join(2, part, first, &B, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "block 0 of part 0 has 160 rows"));
    CU_ASSERT_PTR_NULL(B);
    part[0] = c;
    b->ncolumns = COLUMNS + 1;
    CU_ASSERT_EQUAL(sab_blocks_join(2, part, first, &B, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "part 1 has 26 unknowns, part 0 has 25"));
    CU_ASSERT_PTR_NULL(B);
    sab_blocks_destroy(&a);
    sab_blocks_destroy(&b);
    sab_blocks_destroy(&c);
}

static const sab_test tests[] = {{"products are those of the parts", test_products},
                                 {"what does not fit is refused", test_refused}};

int main(void)
{
    return SAB_TEST_MAIN("linalg/join", tests);
}

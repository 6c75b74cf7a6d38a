/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "failing.h"
#include "unit.h"

#include "fem/slice.h"
#include "grid.h"

#include <math.h>
#include <string.h>

/* Slices of [0, 2] x [0, 1] x [0, 3]: along an axis a rectangle, all points inside, the axes of the
 * plane in the order x y z x; across a corner a triangle, of which the rectangle has half. */
static void test_planes(void)
{
    static const double normal[4][3] = {{2, 0, 0}, {0, -1, 0}, {0, 0, 5}, {1, 1, 1}};
    static const double origin[4][3] = {{0.7, 9, 9}, {9, 0.0, 9}, {9, 9, 2.9}, {0.3, 0.3, 0.3}};
    static const int first[3] = {1, 2, 0};
    static const double high[3] = {2, 1, 3};
    sab_mesh *mesh = sab_grid_box(&(sab_box){.n = {3, 2, 4}, .high = {2, 1, 3}, .jitter = 0.1});
    sab_locator *locator = NULL;

    CU_ASSERT_EQUAL_FATAL(sab_locator_create(mesh, &locator, NULL), SAB_OK);
    for (int k = 0; k < 4; k++) {
        sab_slice *slice = NULL;

        CU_ASSERT_EQUAL_FATAL(
            sab_slice_create(mesh, locator, origin[k], normal[k], 21, 11, &slice, NULL), SAB_OK);
        for (int i = 0; i < slice->n; i++) {
            const double *x = slice->x + 3 * i;
            double distance = 0.0, at[3];

            for (int c = 0; c < 3; c++)
                distance += (x[c] - origin[k][c]) * normal[k][c];
            SAB_ASSERT_CLOSE(distance, 0.0, 1e-12);
            sab_mesh_map(mesh, slice->element[i], slice->xi + 3 * i, at, NULL);
            for (int c = 0; c < 3; c++)
                SAB_ASSERT_CLOSE(at[c], x[c], 1e-10);
        }
        if (k < 3) { /* the first axis runs fastest, over the whole length */
            CU_ASSERT_EQUAL_FATAL(slice->n, 21 * 11);
            const double *end = slice->x + 3 * 20;
            SAB_ASSERT_CLOSE(fabs(end[first[k]] - slice->x[first[k]]), high[first[k]], 1e-12);
            SAB_ASSERT_CLOSE(end[first[first[k]]], slice->x[first[first[k]]], 1e-12);
        } else { /* half of the rectangle, and its border */
            CU_ASSERT(slice->n > 21 * 11 / 2 - 5 && slice->n < 21 * 11 / 2 + 21);
        }
        sab_slice_destroy(&slice);
        CU_ASSERT_PTR_NULL(slice);
    }
    sab_locator_destroy(&locator);
    sab_mesh_destroy(&mesh);
}

static void test_errors(void)
{
    static const double none[3] = {0, 0, 0}, up[3] = {0, 0, 1}, above[3] = {0, 0, 2};
    sab_mesh *mesh = sab_grid_box(&(sab_box){.n = {1, 1, 1}, .high = {1, 1, 1}});
    sab_locator *locator = NULL;
    sab_slice *slice = NULL;
    sab_error err = {0};
    bool reached = true;

    CU_ASSERT_EQUAL_FATAL(sab_locator_create(mesh, &locator, NULL), SAB_OK);
    CU_ASSERT_EQUAL(sab_slice_create(mesh, locator, none, none, 3, 3, &slice, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "the normal of the plane is zero"));
    CU_ASSERT_EQUAL(sab_slice_create(mesh, locator, above, up, 3, 3, &slice, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "does not cut the domain"));
    for (int k = 0; reached; k++) {
        sab_memory.failing = k;
        const sab_status status = sab_slice_create(mesh, locator, none, up, 3, 3, &slice, NULL);
        reached = sab_memory.failing < 0;
        sab_memory.failing = -1;
        CU_ASSERT_EQUAL(status, reached ? SAB_ERR_MEMORY : SAB_OK);
        CU_ASSERT_EQUAL(slice == NULL, reached);
        sab_slice_destroy(&slice);
    }
    sab_locator_destroy(&locator);
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {{"planes", test_planes}, {"errors", test_errors}};

    return SAB_TEST_MAIN("fem/slice", tests);
}

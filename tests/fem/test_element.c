/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tables of elements promise, for each of them. */
#include "unit.h"

#include "fem/space.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static const sab_element *const all[] = {&sab_element_p2, &sab_element_p2b};
enum { ELEMENTS = sizeof all / sizeof *all };

static void test_names(void)
{
    for (int k = 0; k < ELEMENTS; k++)
        CU_ASSERT_PTR_EQUAL(sab_element_find(all[k]->name), all[k]);
    CU_ASSERT_PTR_NULL(sab_element_find("p3"));
    CU_ASSERT_PTR_NULL(sab_element_find(""));
}

/* Law points: as many as P1 has unknowns, point q nearest to corner q, a rule of degree 2; the mass
 * rule is exact for squares of the functions, whose degree is 2, or dim + 1 with a bubble. */
static void test_rules(void)
{
    for (int k = 0; k < ELEMENTS; k++) {
        const sab_element *el = all[k];
        const int degree = el->inner > 0 ? el->cell->dim + 1 : 2;

        CU_ASSERT_EQUAL(el->law->n, el->cell->corners);
        CU_ASSERT_TRUE(el->law->n <= SAB_LAW_POINTS && el->law->degree >= 2);
        CU_ASSERT_TRUE(el->mass_degree >= 2 * degree);
        CU_ASSERT_TRUE(el->norms_degree >= el->mass_degree);
        CU_ASSERT_TRUE(el->cell->nodes + el->inner <= SAB_SHAPES);
        for (int q = 0; q < el->law->n; q++) {
            double l[SAB_CORNERS];

            sab_cell_barycentric(el->cell, el->law->xi[q], l);
            for (int i = 0; i < el->cell->corners; i++)
                CU_ASSERT_TRUE(i == q || l[q] > l[i] + 0.1);
        }
    }
}

/* Inner functions vanish at all nodes and on all sides, and not inside. */
static void test_inner(void)
{
    for (int k = 0; k < ELEMENTS; k++) {
        const sab_element *el = all[k];
        const double inside[SAB_DIM] = {0.3, 0.2, 0.1};
        double value[SAB_SHAPES], sum = 0.0;
        const int n = sab_element_values(el, inside, value);

        CU_ASSERT_EQUAL(n, el->cell->nodes + el->inner);
        for (int a = 0; a < el->cell->nodes; a++)
            sum += value[a];
        SAB_ASSERT_CLOSE(sum, 1.0, 1e-15);
        for (int a = el->cell->nodes; a < n; a++)
            CU_ASSERT_TRUE(fabs(value[a]) > 0.1);
        for (int side = 0; side < el->cell->sides; side++) /* two ends, any point between */
            for (double t = 0.0; t <= 1.0; t += 0.125) {
                double xi[SAB_DIM] = {0.0};

                for (int end = 0; end < 2; end++)
                    if (el->cell->side[side][end] > 0)
                        xi[el->cell->side[side][end] - 1] += end == 0 ? 1.0 - t : t;
                sab_element_values(el, xi, value);
                for (int a = el->cell->nodes; a < n; a++)
                    SAB_ASSERT_CLOSE(value[a], 0.0, 1e-15);
            }
    }
}

/* `sab_element_at` has the gradients of its values, by differences along the axes, on curved
 * triangles. */
static void test_gradients(void)
{
    const sab_grid grid = {2, 2, 0, 0, 1, 1, 0.3, 0.1, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);
    const double h = 1e-6;

    for (int k = 0; k < ELEMENTS; k++)
        for (int e = 0; e < mesh->nelements; e++) {
            const double xi[SAB_DIM] = {0.31, 0.22};
            const int dim = mesh->cell->dim;
            sab_shapes at, more, less;

            sab_element_at(all[k], mesh, e, xi, &at);
            for (int j = 0; j < dim; j++) {
                double up[SAB_DIM] = {xi[0], xi[1]}, down[SAB_DIM] = {xi[0], xi[1]};

                up[j] += h;
                down[j] -= h;
                sab_element_at(all[k], mesh, e, up, &more);
                sab_element_at(all[k], mesh, e, down, &less);
                for (int a = 0; a < at.n; a++) {
                    double along = 0.0;

                    for (int i = 0; i < dim; i++)
                        along += at.gradient[a][i] * (more.x[i] - less.x[i]) / (2.0 * h);
                    SAB_ASSERT_CLOSE(along, (more.value[a] - less.value[a]) / (2.0 * h), 1e-7);
                }
            }
        }
    sab_mesh_destroy(&mesh);
}

/* A P1 function given at the law points comes back at all nodes. */
static void test_extrapolation(void)
{
    const sab_grid grid = {2, 1, 0, 0, 1, 1, 0.0, 0.0, 0.0};
    sab_mesh *mesh = sab_grid_create(&grid);

    for (int k = 0; k < ELEMENTS; k++) {
        sab_space *space = NULL;
        double value[64], nodal[128];

        CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, all[k], &sab_geometry_plane, &space, NULL),
                              SAB_OK);
        CU_ASSERT_FATAL(space->npoints <= 64 && mesh->cell->nodes * mesh->nelements <= 128);
        for (int q = 0; q < space->npoints; q++)
            value[q] = 0.7 - 2.0 * space->point[2 * q] + 3.0 * space->point[2 * q + 1];
        sab_space_to_nodes(space, 1, value, nodal);
        for (int i = 0; i < mesh->cell->nodes * mesh->nelements; i++) {
            const double *x = sab_mesh_x(mesh, mesh->element[i]);

            SAB_ASSERT_CLOSE(nodal[i], 0.7 - 2.0 * x[0] + 3.0 * x[1], 1e-14);
        }
        sab_space_destroy(&space);
    }
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"names", test_names},
        {"rules", test_rules},
        {"inner functions", test_inner},
        {"gradients", test_gradients},
        {"extrapolation", test_extrapolation},
    };

    return SAB_TEST_MAIN("fem/element", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mass points that move: their mass matrix, their momenta, where they go. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/filling.h"
#include "fem/mass.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct setup {
    sab_mesh *mesh;
    sab_dofs *dofs;
    sab_space *space;
    sab_blocks *B;
    sab_sparse *A[2];
    sab_scatter *scatter;
    sab_carriers *carriers;
    double *k;
    bool *open;
} setup;

/* Nothing prescribed; element and geometry as given; all sides open or none. */
static setup set_up(sab_mesh *mesh, const sab_element *element, const sab_geometry *geometry,
                    bool open)
{
    setup s = {.mesh = mesh};

    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, geometry, sab_element_faces(element, mesh), 0, NULL,
                                          NULL, 0.0, &s.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(mesh, element, geometry, &s.space, NULL), SAB_OK);
    s.k = sab_alloc((size_t)geometry->s * (size_t)s.space->npoints, sizeof *s.k);
    s.open = sab_alloc((size_t)mesh->nfacets, sizeof *s.open);
    for (int f = 0; f < mesh->nfacets; f++)
        s.open[f] = open;
    CU_ASSERT_EQUAL_FATAL(sab_space_strain(s.space, s.dofs, &s.B, s.k, NULL), SAB_OK);
    for (int i = 0; i < 2; i++)
        CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(s.B, true, &s.A[i], NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_scatter_create(s.B, s.A[0], &s.scatter, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_carriers_create(s.space, s.dofs, s.open, &s.carriers, NULL), SAB_OK);
    return s;
}

static void tear_down(setup *s)
{
    sab_carriers_destroy(&s->carriers);
    sab_scatter_destroy(&s->scatter);
    sab_sparse_destroy(&s->A[0]);
    sab_sparse_destroy(&s->A[1]);
    sab_blocks_destroy(&s->B);
    SAB_FREE(s->k);
    SAB_FREE(s->open);
    sab_space_destroy(&s->space);
    sab_dofs_destroy(&s->dofs);
    sab_mesh_destroy(&s->mesh);
}

static sab_mesh *plane_mesh(void)
{
    const sab_grid grid = {3, 3, 0.2, 0, 1.2, 1, 0.1, 0.0, 0.0};

    return sab_grid_create(&grid);
}

static sab_mesh *space_mesh(void)
{
    const sab_box box = {{2, 2, 2}, {0, 0, 0}, {1, 1, 1}, 0.1, 0.0, {0}};

    return sab_grid_box(&box);
}

/* Carriers at the points of the mass matrix, with its weights, make the mass matrix; and the load
 * of a field. Every element, every geometry. */
static void test_matrix(void)
{
    const struct {
        const sab_element *element;
        const sab_geometry *geometry;
    } of[] = {{&sab_element_p2, &sab_geometry_plane},
              {&sab_element_p2b, &sab_geometry_plane},
              {&sab_element_p2, &sab_geometry_axisymmetric},
              {&sab_element_p2nb, &sab_geometry_space}};

    for (size_t v = 0; v < sizeof of / sizeof *of; v++) {
        const bool space = of[v].geometry->dim == 3;
        setup s = set_up(space ? space_mesh() : plane_mesh(), of[v].element, of[v].geometry, false);
        const sab_quadrature *rule = s.space->mass;
        const int n = rule->n * s.mesh->nelements;
        sab_mass *mass = NULL;
        sab_carrier *at = sab_alloc((size_t)n, sizeof *at);
        double *left = sab_alloc((size_t)s.mesh->nfacets, sizeof *left);

        CU_ASSERT_EQUAL_FATAL(sab_mass_create(s.space, s.dofs, &mass, NULL), SAB_OK);
        for (int p = 0; p < n; p++) {
            at[p].element = p / rule->n;
            memcpy(at[p].xi, rule->xi[p % rule->n], sizeof at[p].xi);
            at[p].mass = mass->at->weight[p];
        }
        CU_ASSERT_EQUAL_FATAL(sab_carriers_restore(s.carriers, n, at, left, left, NULL), SAB_OK);
        sab_mass_assemble(mass, 2.0, s.scatter, s.A[0]);
        sab_carriers_assemble(s.carriers, 2.0, s.scatter, s.A[1]);
        double worst = 0.0, largest = 0.0;
        for (int64_t i = 0; i < s.A[0]->start[s.A[0]->n]; i++) {
            worst = fmax(worst, fabs(s.A[0]->value[i] - s.A[1]->value[i]));
            largest = fmax(largest, fabs(s.A[0]->value[i]));
        }
        CU_ASSERT(worst < 1e-14 * largest);
        sab_mass_destroy(&mass);
        sab_free(at);
        sab_free(left);
        tear_down(&s);
    }
}

/* n^dim carriers in an element have its volume, together and each its part, and their first
 * moment is that of the volume. */
static void test_fill(void)
{
    for (int space = 0; space < 2; space++)
        for (int n = 1; n <= 4; n++) {
            setup s = set_up(space ? space_mesh() : plane_mesh(),
                             space ? &sab_element_p2nb : &sab_element_p2,
                             space ? &sab_geometry_space : &sab_geometry_plane, false);
            const int dim = space ? 3 : 2, each = space ? n * n * n : n * n;
            double x = 0.0;

            for (int e = 0; e < s.mesh->nelements; e++)
                CU_ASSERT_EQUAL_FATAL(sab_carriers_fill(s.carriers, e, n, 1.0, NULL), SAB_OK);
            sab_carriers_sort(s.carriers);
            CU_ASSERT_EQUAL(s.carriers->n, each * s.mesh->nelements);
            SAB_ASSERT_CLOSE(sab_carriers_mass(s.carriers), 1.0, 1e-13);
            for (int p = 0; p < s.carriers->n; p++) {
                double l[SAB_CORNERS];

                x += s.carriers->at[p].mass * s.carriers->at[p].x[0];
                sab_cell_barycentric(s.mesh->cell, s.carriers->at[p].xi, l);
                for (int i = 0; i <= dim; i++)
                    CU_ASSERT(l[i] > 0.0);
            }
            if (!space) /* congruent parts: those of a triangle have its centre */
                SAB_ASSERT_CLOSE(x, 0.7, 1e-13);
            tear_down(&s);
        }
}

/* A velocity vector of the field a + b x in the plane. */
static double *linear_field(const setup *s, const double a[2], const double b[2][2])
{
    double *U = sab_alloc(sab_space_size(s->space), sizeof *U);

    for (int node = 0; node < s->mesh->nnodes; node++)
        for (int i = 0; i < 2; i++)
            U[2 * node + i] = a[i] + b[i][0] * sab_mesh_x(s->mesh, node)[0] +
                              b[i][1] * sab_mesh_x(s->mesh, node)[1];
    return U;
}

/* A ball far from walls is moved by a translation exactly; turned by the midpoint rule it keeps its
 * radii to dt^4 per step, by Euler's only to dt^2; momentum is that of the field; no mass moves. */
static void test_motion(void)
{
    const double dt = 0.1;
    setup s = set_up(plane_mesh(), &sab_element_p2, &sab_geometry_plane, false);
    double *U = linear_field(&s, (double[2]){0.5, 0.7}, (double[2][2]){{0, -1}, {1, 0}});
    double kinetic, radius[2] = {0.0}, momentum = 0.0, mass;

    for (int euler = 0; euler < 2; euler++) {
        sab_carrier *at = sab_alloc(4, sizeof *at);
        double *left = sab_alloc((size_t)s.mesh->nfacets, sizeof *left);

        s.carriers->n = 0;
        for (int e = 0; e < s.mesh->nelements; e++)
            CU_ASSERT_EQUAL_FATAL(sab_carriers_fill(s.carriers, e, 2, 1.0, NULL), SAB_OK);
        int kept = 0;
        for (int p = 0; p < s.carriers->n; p++)
            if (hypot(s.carriers->at[p].x[0] - 0.7, s.carriers->at[p].x[1] - 0.5) < 0.4)
                s.carriers->at[kept++] = s.carriers->at[p];
        s.carriers->n = kept;
        sab_carriers_sort(s.carriers);
        mass = sab_carriers_mass(s.carriers);
        for (int k = 0; k < 5; k++) { /* the field turns about (-0.7, 0.5): take one about 0.7 */
            for (int node = 0; node < s.mesh->nnodes; node++) {
                U[2 * node] = -(sab_mesh_x(s.mesh, node)[1] - 0.5);
                U[2 * node + 1] = sab_mesh_x(s.mesh, node)[0] - 0.7;
            }
            double before = 0.0, after = 0.0;
            for (int p = 0; p < kept; p++)
                before += s.carriers->at[p].mass *
                          hypot(s.carriers->at[p].x[0] - 0.7, s.carriers->at[p].x[1] - 0.5);
            sab_transport_report r = {0};
            sab_carriers_move(s.carriers, dt, euler == 1, U, &kinetic, &r);
            CU_ASSERT_EQUAL(s.carriers->n, kept);
            for (int p = 0; p < kept; p++)
                after += s.carriers->at[p].mass *
                         hypot(s.carriers->at[p].x[0] - 0.7, s.carriers->at[p].x[1] - 0.5);
            radius[euler] = fmax(radius[euler], fabs(after / before - 1.0));
            momentum = 0.0;
            for (int p = 0; p < kept; p++)
                momentum += s.carriers->at[p].mass * s.carriers->at[p].v[0];
        }
        CU_ASSERT(fabs(sab_carriers_mass(s.carriers) - mass) < 1e-15 && fabs(momentum) < 0.02);
        sab_free(at);
        sab_free(left);
    }
    SAB_ASSERT_CLOSE(radius[0], pow(dt, 4) / 8.0, 1e-7);
    SAB_ASSERT_CLOSE(radius[1], sqrt(1.0 + dt * dt) - 1.0, 1e-10);
    sab_free(U);
    tear_down(&s);
}

/* Through an open side they leave, counted at that side; a wall holds them. */
static void test_sides(void)
{
    for (int open = 0; open < 2; open++) {
        setup s = set_up(plane_mesh(), &sab_element_p2, &sab_geometry_plane, open == 1);
        double *U = linear_field(&s, (double[2]){0.3, 0.0}, (double[2][2]){{0, 0}, {0, 0}});
        double kinetic, right = 0.0;
        sab_transport_report r = {0};

        for (int e = 0; e < s.mesh->nelements; e++)
            CU_ASSERT_EQUAL_FATAL(sab_carriers_fill(s.carriers, e, 4, 1.0, NULL), SAB_OK);
        sab_carriers_sort(s.carriers);
        sab_carriers_move(s.carriers, 1.0, false, U, &kinetic, &r);
        const int g = sab_mesh_find_group(s.mesh, "right");
        for (int i = 0; i < s.mesh->group[g].nfacets; i++)
            right += s.carriers->left[s.mesh->group[g].facet[i]];
        SAB_ASSERT_CLOSE(sab_carriers_mass(s.carriers) + right, 1.0, 1e-13);
        CU_ASSERT(open ? fabs(right - 0.3) < 0.03 && r.clamped == 0 : right == 0.0);
        SAB_ASSERT_CLOSE(kinetic, 0.5 * right * 0.09, 1e-14);
        for (int p = 0; p < s.carriers->n; p++) {
            CU_ASSERT(s.carriers->at[p].x[0] <= 1.2 + 1e-12);
            CU_ASSERT(p == 0 || s.carriers->at[p].element >= s.carriers->at[p - 1].element);
        }
        sab_free(U);
        tear_down(&s);
    }
}

/* A full mesh is inside everywhere, at fill 1; with the upper half empty a row of surface elements
 * lies between; all with the parents of a split. */
static void test_states(void)
{
    const sab_grid grid = {6, 6, 0, 0, 1.2, 1.2, 0.0, 0.0, 0.0};

    for (int half = 0; half < 2; half++) {
        sab_mesh *coarse = sab_grid_create(&grid), *mesh = NULL;
        sab_filling *fill = NULL;
        int count[3] = {0};

        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &mesh, NULL), SAB_OK);
        CU_ASSERT(mesh->children == 3 && coarse->children == 1);
        sab_mesh_destroy(&coarse);
        setup s = set_up(mesh, &sab_element_p2, &sab_geometry_plane, false);
        CU_ASSERT_EQUAL_FATAL(sab_filling_create(s.space, s.open, 0.8, 0.1, &fill, NULL), SAB_OK);
        CU_ASSERT(fill->nparents == 72 && fill->nvertices == 49);
        for (int e = 0; e < s.mesh->nelements; e++)
            CU_ASSERT_EQUAL_FATAL(sab_carriers_fill(s.carriers, e, 3, 1.0, NULL), SAB_OK);
        int kept = 0;
        for (int p = 0; p < s.carriers->n; p++)
            if (!half || s.carriers->at[p].x[1] < 0.6)
                s.carriers->at[kept++] = s.carriers->at[p];
        s.carriers->n = kept;
        sab_carriers_sort(s.carriers);
        sab_filling_measure(fill, s.carriers);
        for (int k = 0; k < fill->nparents; k++) {
            count[fill->state[k]]++;
            CU_ASSERT(fabs(fill->content[k] - (fill->state[k] != SAB_FILLING_EMPTY)) < 1e-13);
        }
        CU_ASSERT(half ? count[0] == 36 && count[1] == 12 && count[2] == 24 : count[2] == 72);
        CU_ASSERT(sab_filling_excess(fill) < 1e-13 && fill->fewest == 27);
        for (int q = 0; q < s.space->npoints; q++)
            CU_ASSERT(fill->phi[q] == 0.0 || fill->phi[q] == 1.0);
        /* all of it in the lower half, at fill 2: excess at its vertices, but not at the row above
         */
        for (int p = 0; p < s.carriers->n && !half; p++) {
            const double d[3] = {0.0, -0.5 * s.carriers->at[p].x[1]};
            sab_transport_report r = {0};

            CU_ASSERT(sab_carriers_shift(s.carriers, p, d, &r));
        }
        sab_carriers_sort(s.carriers);
        sab_filling_measure(fill, s.carriers);
        CU_ASSERT(half || fabs(sab_filling_excess(fill) - 0.6 / 1.44) < 0.02);
        sab_filling_destroy(&fill);
        tear_down(&s);
    }
}

static sab_status make(void *data, sab_error *err)
{
    setup *s = data;
    sab_carriers *c = NULL;
    sab_filling *fill = NULL;
    sab_status status = sab_carriers_create(s->space, s->dofs, s->open, &c, err);

    if (status == SAB_OK)
        status = sab_carriers_fill(c, 0, 3, 1.0, err);
    if (status == SAB_OK)
        status = sab_filling_create(s->space, s->open, 0.8, 0.1, &fill, err);
    sab_filling_destroy(&fill);
    sab_carriers_destroy(&c);
    return status;
}

static void test_memory(void)
{
    setup s = set_up(plane_mesh(), &sab_element_p2, &sab_geometry_plane, false);
    const long live = sab_memory.live;
    sab_status status = SAB_ERR_MEMORY;

    for (long k = 0; k < 200 && status != SAB_OK; k++) {
        sab_memory.failing = k;
        status = make(&s, NULL);
        sab_memory.failing = -1;
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT_EQUAL(sab_memory.live, live);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
    tear_down(&s);
}

int main(void)
{
    static const sab_test tests[] = {
        {"the mass matrix", test_matrix},          {"elements filled", test_fill},
        {"translation and rotation", test_motion}, {"walls and open sides", test_sides},
        {"empty, surface, inside", test_states},   {"allocation failures", test_memory}};

    return SAB_TEST_MAIN("carriers", tests);
}

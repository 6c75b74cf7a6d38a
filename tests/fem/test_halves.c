/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heavy carriers are halved where there are few [docs/theory.md, 3.5]: what stays, and what does
 * not. */
#include "failing.h"
#include "unit.h"

#include "base/memory.h"
#include "fem/halves.h"
#include "grid.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    sab_mesh *mesh;
    sab_dofs *dofs;
    sab_space *space;
    sab_carriers *carriers;
    sab_filling *fill;
    bool *open;
} setup;

/* A few heavy carriers in each element: 1, 2, 3, 1, ... per side; curved, or not. */
static setup set_up(const sab_geometry *geometry, double bulge)
{
    const sab_grid grid = {4, 4, 0.1, 0, 1.1, 1.2, 0.1, bulge, 0.0};
    const sab_box box = {{2, 2, 2}, {0, 0, 0}, {0.8, 0.7, 0.9}, 0.1, bulge, {0}};
    const bool space = geometry->dim == 3;
    const sab_element *element = space ? &sab_element_p2nb : &sab_element_p2;
    sab_mesh *coarse = space ? NULL : sab_grid_create(&grid);
    setup s = {.mesh = space ? sab_grid_box(&box) : NULL};

    if (!space)
        CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &s.mesh, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(s.mesh, geometry, sab_element_faces(element, s.mesh), 0,
                                          NULL, NULL, 0.0, &s.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(s.mesh, element, geometry, &s.space, NULL), SAB_OK);
    s.open = sab_alloc((size_t)s.mesh->nfacets, sizeof *s.open);
    CU_ASSERT_EQUAL_FATAL(sab_carriers_create(s.space, s.dofs, s.open, &s.carriers, NULL), SAB_OK);
    for (int e = 0; e < s.mesh->nelements; e++)
        CU_ASSERT_EQUAL(sab_carriers_fill(s.carriers, e, 1 + e / s.mesh->children % 3, 0.9, NULL),
                        SAB_OK);
    sab_carriers_sort(s.carriers);
    for (int p = 0; p < s.carriers->n; p++)
        for (int i = 0; i < geometry->dim; i++)
            s.carriers->at[p].v[i] = sin(3.0 * p + i);
    CU_ASSERT_EQUAL_FATAL(sab_filling_create(s.space, s.open, 0.8, 0.1, &s.fill, NULL), SAB_OK);
    sab_filling_measure(s.fill, s.carriers);
    return s;
}

static void tear_down(setup *s)
{
    sab_filling_destroy(&s->fill);
    sab_carriers_destroy(&s->carriers);
    sab_space_destroy(&s->space);
    sab_dofs_destroy(&s->dofs);
    sab_mesh_destroy(&s->mesh);
    SAB_FREE(s->open);
}

enum { MASS, CENTRE, MOMENTUM = CENTRE + 3, SPIN = MOMENTUM + 3, ENERGY, SUMS };

static void sum_up(const sab_carriers *c, double *sum)
{
    memset(sum, 0, SUMS * sizeof *sum);
    for (int p = 0; p < c->n; p++) {
        const sab_carrier *at = &c->at[p];

        sum[MASS] += at->mass;
        sum[SPIN] += at->mass * (at->x[0] * at->v[1] - at->x[1] * at->v[0]);
        for (int i = 0; i < c->space->mesh->cell->dim; i++) {
            sum[CENTRE + i] += at->mass * at->x[i];
            sum[MOMENTUM + i] += at->mass * at->v[i];
            sum[ENERGY] += 0.5 * at->mass * at->v[i] * at->v[i];
        }
    }
}

/* Mass, momenta, centre of mass, kinetic energy and the masses of the vertices stay; parents get as
 * many as they should have, and none is halved that is as light as at the beginning. */
static void test_sums(void)
{
    static const sab_geometry *const geometry[] = {&sab_geometry_plane, &sab_geometry_axisymmetric,
                                                   &sab_geometry_space};

    for (int g = 0; g < 6; g++) {
        setup s = set_up(geometry[g % 3], g < 3 ? 0.0 : 0.05);
        const int children = s.mesh->children, n = s.carriers->n, fewest = 7;
        double before[SUMS], after[SUMS], worst = 0.0;
        double *mass = sab_alloc((size_t)s.fill->nvertices, sizeof *mass);
        int halved = -1;

        memcpy(mass, s.fill->hat_mass, (size_t)s.fill->nvertices * sizeof *mass);
        sum_up(s.carriers, before);
        CU_ASSERT_EQUAL(sab_halves_make(s.carriers, s.fill, 3, fewest, &halved, NULL), SAB_OK);
        sum_up(s.carriers, after);
        CU_ASSERT(halved > 20 && s.carriers->n == n + halved);
        for (int i = 0; i < SUMS; i++)
            SAB_ASSERT_CLOSE(after[i], before[i], 1e-13);
        sab_filling_measure(s.fill, s.carriers);
        for (int v = 0; v < s.fill->nvertices; v++)
            worst = fmax(worst, fabs(s.fill->hat_mass[v] - mass[v]) / s.fill->hat_volume[v]);
        CU_ASSERT(g >= 3 || worst < 1e-12); /* hats are not linear in curved elements */
        for (int k = 0; k < s.fill->nparents; k++) {
            const int first = s.carriers->start[children * k];
            const int own = s.carriers->start[children * (k + 1)] - first;

            CU_ASSERT(own >= fewest);
            for (int p = first; p < first + own; p++)
                CU_ASSERT(s.carriers->at[p].element / children == k);
        }
        CU_ASSERT_EQUAL(sab_halves_make(s.carriers, s.fill, 3, fewest, &halved, NULL), SAB_OK);
        CU_ASSERT_EQUAL(halved, 0);
        CU_ASSERT_EQUAL(sab_halves_make(s.carriers, s.fill, 1, 1000, &halved, NULL), SAB_OK);
        CU_ASSERT_EQUAL(halved, 0); /* all are as light as one per element already */
        CU_ASSERT_EQUAL(sab_halves_make(s.carriers, s.fill, 3, 0, &halved, NULL), SAB_OK);
        CU_ASSERT_EQUAL(halved, 0);
        SAB_FREE(mass);
        tear_down(&s);
    }
}

/* Only inside: what the surface passes may be as empty as it is. */
static void test_inside(void)
{
    setup s = set_up(&sab_geometry_plane, 0.0);
    int halved = -1;

    for (int k = 0; k < s.fill->nparents; k++)
        s.fill->state[k] = SAB_FILLING_SURFACE;
    CU_ASSERT_EQUAL(sab_halves_make(s.carriers, s.fill, 3, 9, &halved, NULL), SAB_OK);
    CU_ASSERT_EQUAL(halved, 0);
    tear_down(&s);
}

static void test_memory(void)
{
    sab_status status = SAB_ERR_MEMORY;

    for (long k = 0; k < 30 && status != SAB_OK; k++) {
        setup s = set_up(&sab_geometry_plane, 0.0);
        const long live = sab_memory.live;
        int halved;

        sab_memory.failing = k;
        status = sab_halves_make(s.carriers, s.fill, 3, 9, &halved, NULL);
        sab_memory.failing = -1;
        CU_ASSERT(status == SAB_OK || status == SAB_ERR_MEMORY);
        CU_ASSERT_EQUAL(sab_memory.live, live);
        tear_down(&s);
    }
    CU_ASSERT_EQUAL(status, SAB_OK);
}

int main(void)
{
    static const sab_test tests[] = {
        {"what stays", test_sums},
        {"inside only", test_inside},
        {"memory", test_memory},
    };

    return SAB_TEST_MAIN("fem/halves", tests);
}

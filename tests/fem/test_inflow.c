/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The term of open sides: its matrix, its force and its power are one form. */
#include "unit.h"

#include "base/memory.h"
#include "fem/inflow.h"
#include "grid.h"

#include <math.h>
#include <string.h>

typedef struct setup {
    sab_mesh *mesh;
    sab_dofs *dofs;
    sab_space *space;
    sab_blocks *B;
    sab_sparse *A;
    sab_inflow *inflow;
    double *k, *U, *F, *u, *l;
} setup;

static const struct {
    const sab_geometry *geometry;
    const sab_element *element;
} kinds[] = {{&sab_geometry_plane, &sab_element_p2},
             {&sab_geometry_plane, &sab_element_p2b},
             {&sab_geometry_axisymmetric, &sab_element_p2b},
             {&sab_geometry_space, &sab_element_p2nb}};

enum { PLANE, KINDS = sizeof kinds / sizeof kinds[0] };

static sab_boundary entry_of(char *group)
{
    sab_boundary b = {.group = group};

    if (strcmp(group, "bottom") == 0) {
        b.has_velocity = true;
        memset(b.prescribed, 1, sizeof b.prescribed);
    }
    b.has_traction = strcmp(group, "top") == 0;
    b.has_pressure = strcmp(group, "left") == 0;
    b.slip = !b.has_velocity && !b.has_traction && !b.has_pressure;
    return b;
}

/* A turned square or cube, open above and on the left; elsewhere oblique slip walls, whose last
 * nodes are on the open top too. The sides of the top are curved. */
static setup set_up(int kind)
{
    const sab_geometry *geometry = kinds[kind].geometry;
    const sab_element *element = kinds[kind].element;
    const sab_grid grid = {3, 3, 1, 0, 2, 1, 0.1, 0.05, 0.3};
    const sab_box box = {{2, 2, 1}, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, 0.1, 0.03, {0.3, 0.2, 0.1}};
    setup s = {.mesh = geometry->dim == 2 ? sab_grid_create(&grid) : sab_grid_box(&box)};
    const int dim = geometry->dim, corners = s.mesh->cell->facet->corners;
    sab_boundary boundary[6];
    sab_boundary_report report;
    int group[6], n = s.mesh->ngroups;
    int *part = sab_alloc((size_t)s.mesh->nfacets, sizeof *part);

    for (int f = 0; f < s.mesh->nfacets; f++)
        part[f] = -1;
    for (int g = 0; g < n; g++) {
        const sab_mesh_group *of = &s.mesh->group[g];

        boundary[g] = entry_of(of->name);
        for (int i = 0; i < of->nfacets && !boundary[g].slip && !boundary[g].has_velocity; i++) {
            part[of->facet[i]] = boundary[g].has_pressure;
            if (boundary[g].has_traction) /* out by 0.01 */
                sab_mesh_x(s.mesh, sab_mesh_facet(s.mesh, of->facet[i])[corners])[dim - 1] += 0.01;
        }
    }
    CU_ASSERT_EQUAL_FATAL(sab_boundary_match(s.mesh, geometry, n, boundary, group, &report, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(s.mesh, geometry, sab_element_faces(element, s.mesh), n,
                                          boundary, group, 0.0, &s.dofs, NULL),
                          SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(s.mesh, element, geometry, &s.space, NULL), SAB_OK);
    s.k = sab_alloc((size_t)(geometry->s * s.space->npoints), sizeof *s.k);
    CU_ASSERT_EQUAL_FATAL(sab_space_strain(s.space, s.dofs, &s.B, s.k, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_blocks_pattern(s.B, true, &s.A, NULL), SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_inflow_create(s.space, s.dofs, 2, part, s.A, &s.inflow, NULL),
                          SAB_OK);
    s.U = sab_alloc(sab_space_size(s.space), sizeof *s.U);
    s.F = sab_alloc(sab_space_size(s.space), sizeof *s.F);
    s.u = sab_alloc((size_t)s.A->n, sizeof *s.u);
    s.l = sab_alloc((size_t)s.A->n, sizeof *s.l);
    SAB_FREE(part);
    return s;
}

static void tear_down(setup *s)
{
    sab_inflow_destroy(&s->inflow);
    sab_sparse_destroy(&s->A);
    sab_blocks_destroy(&s->B);
    sab_space_destroy(&s->space);
    sab_dofs_destroy(&s->dofs);
    sab_mesh_destroy(&s->mesh);
    SAB_FREE(s->k);
    SAB_FREE(s->U);
    SAB_FREE(s->F);
    SAB_FREE(s->u);
    SAB_FREE(s->l);
}

/* u.Au = power + brought, -F.U = power, row by row Au = F(0) - F(u), whatever u. The power is that
 * of the differences from the means, which are those of the velocity that enters. */
static void test_one_form(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        setup s = set_up(kind);
        const int dim = s.mesh->cell->dim;
        double *Au = sab_alloc((size_t)s.A->n, sizeof *Au);
        double quadratic = 0.0, work = 0.0, brought;

        for (int i = 0; i < s.A->n; i++)
            s.u[i] = sin(1.0 + 7.0 * i);
        sab_space_expand(s.space, s.dofs, s.u, s.U);
        CU_ASSERT(sab_inflow_update(s.inflow, s.U));
        CU_ASSERT(!sab_inflow_update(s.inflow, s.U));
        CU_ASSERT(sab_inflow_power(s.inflow, s.U, &brought) > 0.0); /* Jensen */
        CU_ASSERT(brought > 0.0);
        sab_inflow_force(s.inflow, s.U, s.F); /* its resultant on a part vanishes */
        sab_inflow_assemble(s.inflow, s.A);
        for (int i = 0; i < s.A->n; i++)
            s.u[i] = cos(3.0 * i); /* another one than that of the coefficients */
        sab_space_expand(s.space, s.dofs, s.u, s.U);
        double resultant[SAB_DIM] = {0.0};
        for (int i = 0; i < dim * s.mesh->nnodes; i++)
            resultant[i % dim] += s.F[i];
        for (int i = 0; i < dim; i++)
            SAB_ASSERT_CLOSE(resultant[i], 0.0, 1e-14);
        sab_sparse_multiply(s.A, s.u, Au);
        memset(s.F, 0, sab_space_size(s.space) * sizeof *s.F);
        sab_inflow_force(s.inflow, s.U, s.F);
        sab_space_restrict(s.space, s.dofs, s.F, s.l);
        for (int i = 0; i < s.A->n; i++) {
            quadratic += s.u[i] * Au[i];
            Au[i] += s.l[i]; /* D m */
        }
        double *nothing = sab_alloc(sab_space_size(s.space), sizeof *nothing);
        double *G = sab_alloc(sab_space_size(s.space), sizeof *G);
        sab_inflow_force(s.inflow, nothing, G);
        sab_space_restrict(s.space, s.dofs, G, s.l);
        for (int i = 0; i < s.A->n; i++)
            CU_ASSERT_DOUBLE_EQUAL(Au[i], s.l[i], 1e-14);
        SAB_FREE(nothing);
        SAB_FREE(G);
        for (size_t i = 0; i < sab_space_size(s.space); i++)
            work -= s.F[i] * s.U[i];
        CU_ASSERT(quadratic > 0.01);
        CU_ASSERT_DOUBLE_EQUAL(work, sab_inflow_power(s.inflow, s.U, &brought), 1e-13);
        CU_ASSERT_DOUBLE_EQUAL(quadratic, work + brought, 1e-13);
        CU_ASSERT(sab_inflow_update(s.inflow, NULL));
        CU_ASSERT_EQUAL(sab_inflow_power(s.inflow, s.U, &brought), 0.0);
        CU_ASSERT_EQUAL(brought, 0.0);
        SAB_FREE(Au);
        tear_down(&s);
    }
}

/* A uniform velocity w that comes in through the top brings 1/2 |w|^2 times the flux of w through
 * its chord, also where the sides are curved, and nothing is taken from it; nor if it goes out. */
static void test_uniform(void)
{
    const double n[2] = {-sin(0.3), cos(0.3)}; /* of the top */
    setup s = set_up(PLANE);

    for (int sign = -1; sign <= 1; sign += 2) {
        for (int a = 0; a < s.mesh->nnodes; a++)
            for (int i = 0; i < 2; i++)
                s.U[2 * a + i] = 0.7 * sign * n[i];
        sab_inflow_update(s.inflow, s.U);
        /* the left side is along w: nothing passes */
        double brought;
        CU_ASSERT_DOUBLE_EQUAL(sab_inflow_power(s.inflow, s.U, &brought), 0.0, 1e-13);
        CU_ASSERT_DOUBLE_EQUAL(brought, sign < 0 ? 0.5 * 0.7 * 0.7 * 0.7 : 0.0, 1e-13);
    }
    tear_down(&s);
}

int main(void)
{
    static const sab_test tests[] = {{"matrix, force and power", test_one_form},
                                     {"uniform velocity", test_uniform}};

    return SAB_TEST_MAIN("fem/inflow", tests);
}

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

static char names[4][8] = {"bottom", "right", "top", "left"};

/* A turned square, open above and on the left; on the right an oblique slip wall whose last node is
 * on the open top too. The sides of the top are curved. */
static setup set_up(bool bubbles)
{
    const sab_grid grid = {3, 3, 0, 0, 1, 1, 0.1, 0.05, 0.3};
    sab_boundary boundary[4] = {{.group = names[0], .has_velocity = true, .prescribed = {1, 1}},
                                {.group = names[1], .slip = true},
                                {.group = names[2], .has_traction = true},
                                {.group = names[3], .has_pressure = true}};
    setup s = {.mesh = sab_grid_create(&grid)};
    sab_boundary_report report;
    int *part;
    int group[4];

    CU_ASSERT_EQUAL_FATAL(
        sab_boundary_match(s.mesh, &sab_geometry_plane, 4, boundary, group, &report, NULL), SAB_OK);
    part = sab_alloc((size_t)s.mesh->nfacets, sizeof *part);
    for (int f = 0; f < s.mesh->nfacets; f++)
        part[f] = -1;
    for (int b = 2; b < 4; b++)
        for (int i = 0; i < s.mesh->group[group[b]].nfacets; i++) {
            const int f = s.mesh->group[group[b]].facet[i];

            part[f] = b - 2;
            if (b == 2) /* out by 0.01 */
                s.mesh->x[2 * s.mesh->facet[3 * f + 2] + 1] += 0.01;
        }
    CU_ASSERT_EQUAL_FATAL(
        sab_dofs_create(s.mesh, &sab_geometry_plane, 0, 4, boundary, group, 0.0, &s.dofs, NULL),
        SAB_OK);
    CU_ASSERT_EQUAL_FATAL(sab_space_create(s.mesh, bubbles ? &sab_element_p2b : &sab_element_p2,
                                           &sab_geometry_plane, &s.space, NULL),
                          SAB_OK);
    s.k = sab_alloc(3 * (size_t)s.space->npoints, sizeof *s.k);
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
    for (int bubbles = 0; bubbles < 2; bubbles++) {
        setup s = set_up(bubbles == 1);
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
        double resultant[2] = {0.0, 0.0};
        for (int i = 0; i < 2 * s.mesh->nnodes; i++)
            resultant[i % 2] += s.F[i];
        CU_ASSERT(hypot(resultant[0], resultant[1]) < 1e-14);
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
    setup s = set_up(false);

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

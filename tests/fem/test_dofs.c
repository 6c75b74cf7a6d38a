#include "unit.h"

#include "base/memory.h"
#include "fem/dofs.h"
#include "grid.h"

#include <math.h>
#include <string.h>

static const sab_grid unit_square = {4, 4, 0, 0, 1, 1, 0.1, 0.0, 0.0};

static sab_boundary velocity(char *group, double ux, double uy)
{
    return (sab_boundary){.group = group,
                          .has_velocity = true,
                          .prescribed = {true, true},
                          .velocity = {sab_constant(ux), sab_constant(uy)}};
}

static int node_at(const sab_mesh *mesh, double x, double y)
{
    for (int n = 0; n < mesh->nnodes; n++)
        if (hypot(mesh->x[2 * n] - x, mesh->x[2 * n + 1] - y) < 1e-9)
            return n;
    return -1;
}

/* Velocity along the axes of a node when all unknowns are `u`. */
static void velocity_at(const sab_dofs *dofs, int node, double u, double out[2])
{
    double *all = sab_alloc((size_t)dofs->nfree + 1, sizeof *all);
    double *U = sab_alloc(2 * (size_t)dofs->nnodes, sizeof *U);

    for (int i = 0; i < dofs->nfree; i++)
        all[i] = u;
    sab_dofs_expand(dofs, all, U);
    out[0] = U[2 * node];
    out[1] = U[2 * node + 1];
    SAB_FREE(all);
    SAB_FREE(U);
}

static sab_dofs *apply(const sab_mesh *mesh, int n, const sab_boundary *boundary)
{
    int group[8];
    sab_dofs *dofs = NULL;

    for (int b = 0; b < n; b++)
        group[b] = sab_mesh_find_group(mesh, boundary[b].group);
    CU_ASSERT_EQUAL_FATAL(sab_dofs_create(mesh, n, boundary, group, 0.0, &dofs, NULL), SAB_OK);
    return dofs;
}

/* The corner of a lid-driven cavity takes the velocity of the entry written last. */
static void test_later_wins(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const sab_boundary lid_last[] = {velocity("left", 0, 0), velocity("top", 1, 0)};
    const sab_boundary wall_last[] = {velocity("top", 1, 0), velocity("left", 0, 0)};
    const int corner = node_at(mesh, 0, 1);
    double u[2];

    sab_dofs *dofs = apply(mesh, 2, lid_last);
    velocity_at(dofs, corner, 9.0, u);
    CU_ASSERT(u[0] == 1.0 && u[1] == 0.0);
    CU_ASSERT_EQUAL(dofs->owner[corner], 1);
    CU_ASSERT_EQUAL(dofs->nfree, 2 * (mesh->nnodes - 17));
    sab_dofs_destroy(&dofs);
    dofs = apply(mesh, 2, wall_last);
    velocity_at(dofs, corner, 9.0, u);
    CU_ASSERT(u[0] == 0.0 && u[1] == 0.0);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* A free component of the later entry leaves what the earlier one prescribes there. */
static void test_components(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    sab_boundary b[] = {velocity("bottom", 3, 4), velocity("left", 5, 6)};
    double u[2];

    b[1].prescribed[1] = false; /* left: u_x = 5, u_y free */
    sab_dofs *dofs = apply(mesh, 2, b);
    velocity_at(dofs, node_at(mesh, 0, 0), 9.0, u);
    CU_ASSERT(u[0] == 5.0 && u[1] == 4.0);
    velocity_at(dofs, node_at(mesh, 0, 1), 9.0, u);
    CU_ASSERT(u[0] == 5.0 && u[1] == 9.0);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* Slip on a rotated square: u.n = 0 on each side, corners at rest, and no flux whatever the
 * unknowns are. */
static void test_oblique_slip(void)
{
    sab_grid grid = unit_square;
    grid.rotation = 0.5;
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_boundary b[4] = {{.group = "bottom", .slip = true},
                         {.group = "right", .slip = true},
                         {.group = "top", .slip = true},
                         {.group = "left", .slip = true}};
    sab_dofs *dofs = apply(mesh, 4, b);
    double *u = sab_alloc((size_t)dofs->nfree, sizeof *u);
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U);
    unsigned long long seed = 5;

    for (int i = 0; i < dofs->nfree; i++)
        u[i] = sab_test_random(&seed) - 0.5;
    sab_dofs_expand(dofs, u, U);
    const int middle = node_at(mesh, 0.5 * cos(0.5), 0.5 * sin(0.5));
    SAB_ASSERT_CLOSE(-sin(0.5) * U[2 * middle] + cos(0.5) * U[2 * middle + 1], 0.0, 1e-14);
    CU_ASSERT(hypot(U[2 * middle], U[2 * middle + 1]) > 0.01);
    const int corner = node_at(mesh, cos(0.5), sin(0.5));
    SAB_ASSERT_CLOSE(hypot(U[2 * corner], U[2 * corner + 1]), 0.0, 1e-15);
    for (int g = 0; g < 4; g++)
        SAB_ASSERT_CLOSE(sab_boundary_flux(mesh, g, U), 0.0, 1e-14);
    /* l.u = F.U for a force: restriction is the transpose of expansion */
    double *l = sab_alloc((size_t)dofs->nfree, sizeof *l), work = 0.0, work_nodal = 0.0;
    double *F = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *F);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        F[i] = sab_test_random(&seed) - 0.5;
    sab_dofs_restrict(dofs, F, l);
    for (int i = 0; i < dofs->nfree; i++)
        work += l[i] * u[i];
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        work_nodal += F[i] * U[i];
    SAB_ASSERT_CLOSE(work, work_nodal, 1e-13);
    SAB_FREE(u);
    SAB_FREE(U);
    SAB_FREE(l);
    SAB_FREE(F);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

/* An oblique slip wall that meets a wall with given velocity at a corner: both hold. */
static void test_slip_meets_velocity(void)
{
    sab_grid grid = unit_square;
    grid.rotation = 0.5;
    sab_mesh *mesh = sab_grid_create(&grid);
    sab_boundary b[2] = {{.group = "bottom", .slip = true},
                         {.group = "left",
                          .has_velocity = true,
                          .prescribed = {true, false},
                          .velocity = {sab_constant(2.0)}}};
    sab_dofs *dofs = apply(mesh, 2, b);
    double u[2];

    velocity_at(dofs, node_at(mesh, 0, 0), 9.0, u);
    SAB_ASSERT_CLOSE(u[0], 2.0, 1e-14);
    SAB_ASSERT_CLOSE(-sin(0.5) * u[0] + cos(0.5) * u[1], 0.0, 1e-14);
    sab_dofs_destroy(&dofs);
    sab_mesh_destroy(&mesh);
}

static void test_rigid_motions(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    const sab_boundary fixed = velocity("left", 0, 0);
    const sab_boundary slip[3] = {{.group = "bottom", .slip = true},
                                  {.group = "top", .slip = true},
                                  {.group = "left", .slip = true}};
    const struct {
        int n;
        const sab_boundary *b;
        int motions;
    } table[] = {{0, NULL, 3}, {1, &fixed, 0}, {1, slip, 1}, {2, slip, 1}, {3, slip, 0}};

    for (int i = 0; i < 5; i++) {
        sab_dofs *dofs = apply(mesh, table[i].n, table[i].b);

        CU_ASSERT_EQUAL(sab_dofs_rigid_motions(dofs, mesh), table[i].motions);
        sab_dofs_destroy(&dofs);
    }
    sab_mesh_destroy(&mesh);
}

/* A uniform pressure on a closed boundary has no resultant; a traction has its length as one. */
static void test_loads(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    sab_boundary b[4];
    int group[4] = {0, 1, 2, 3};
    char *names[4] = {"bottom", "right", "top", "left"};
    double *F = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *F), sum[2] = {0.0, 0.0};

    for (int i = 0; i < 4; i++)
        b[i] =
            (sab_boundary){.group = names[i], .has_pressure = true, .pressure = sab_constant(3.0)};
    CU_ASSERT_EQUAL(sab_boundary_load(mesh, 4, b, group, 0.0, F, NULL), SAB_OK);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        sum[i % 2] += F[i];
    SAB_ASSERT_CLOSE(sum[0], 0.0, 1e-14);
    SAB_ASSERT_CLOSE(sum[1], 0.0, 1e-14);
    memset(F, 0, 2 * (size_t)mesh->nnodes * sizeof *F);
    sum[0] = sum[1] = 0.0;
    sab_boundary_load(mesh, 1, b, group, 0.0, F, NULL); /* the bottom pushes up */
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        sum[i % 2] += F[i];
    SAB_ASSERT_CLOSE(sum[0], 0.0, 1e-14);
    SAB_ASSERT_CLOSE(sum[1], 3.0, 1e-14);
    memset(F, 0, 2 * (size_t)mesh->nnodes * sizeof *F);
    sum[0] = sum[1] = 0.0;
    b[1] = (sab_boundary){.group = names[1],
                          .has_traction = true,
                          .traction = {sab_constant(2.0), sab_constant(-5.0)}};
    sab_boundary_load(mesh, 1, b + 1, group + 1, 0.0, F, NULL);
    for (int i = 0; i < 2 * mesh->nnodes; i++)
        sum[i % 2] += F[i];
    SAB_ASSERT_CLOSE(sum[0], 2.0, 1e-14);
    SAB_ASSERT_CLOSE(sum[1], -5.0, 1e-14);
    SAB_FREE(F);
    sab_mesh_destroy(&mesh);
}

/* Outward flux of (3x, -y) is the divergence times the area. */
static void test_flux(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    double *U = sab_alloc(2 * (size_t)mesh->nnodes, sizeof *U), flux = 0.0;

    for (int n = 0; n < mesh->nnodes; n++) {
        U[2 * n] = 3.0 * mesh->x[2 * n];
        U[2 * n + 1] = -mesh->x[2 * n + 1];
    }
    for (int g = 0; g < 4; g++)
        flux += sab_boundary_flux(mesh, g, U);
    SAB_ASSERT_CLOSE(flux, 2.0, 1e-13);
    SAB_ASSERT_CLOSE(sab_boundary_flux(mesh, sab_mesh_find_group(mesh, "right"), U), 3.0, 1e-13);
    SAB_FREE(U);
    sab_mesh_destroy(&mesh);
}

static void test_matching(void)
{
    sab_mesh *mesh = sab_grid_create(&unit_square);
    sab_boundary b[4] = {velocity("bottom", 0, 0), velocity("2", 0, 0), velocity("top", 0, 0),
                         velocity("left", 0, 0)};
    int group[4];
    sab_boundary_report report;
    sab_error err = {0};

    CU_ASSERT_EQUAL(sab_boundary_match(mesh, 4, b, group, &report, &err), SAB_OK);
    CU_ASSERT_EQUAL(group[1], sab_mesh_find_group(mesh, "right")); /* by number */
    CU_ASSERT_EQUAL(report.uncovered, 0);
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, 3, b, group, &report, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "group 'left' (number 4) of the mesh has no"));
    b[3].group = "lid";
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, 4, b, group, &report, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "'bottom', 'right', 'top' and 'left'"));
    b[3].group = "right";
    CU_ASSERT_EQUAL(sab_boundary_match(mesh, 4, b, group, &report, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "the same group as 'boundaries.2'"));
    sab_mesh_destroy(&mesh);
}

int main(void)
{
    static const sab_test tests[] = {
        {"the later entry wins at shared nodes", test_later_wins},
        {"free components keep the earlier entry", test_components},
        {"oblique slip", test_oblique_slip},
        {"slip meets a given velocity", test_slip_meets_velocity},
        {"rigid motions", test_rigid_motions},
        {"pressure and traction", test_loads},
        {"flux", test_flux},
        {"matching groups and entries", test_matching},
    };

    return SAB_TEST_MAIN("fem/dofs", tests);
}

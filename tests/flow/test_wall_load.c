/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads of walls, sections and the balance of forces, in the plane, about an axis and in space. */
#include "problem.h"
#include "unit.h"

#include "base/memory.h"
#include "flow/wall_load.h"
#include "grid.h"

#include <math.h>
#include <stdio.h>

enum { PLANE, ROUND, SPACE, GEOMETRIES };
static const char *const name_of[GEOMETRIES] = {"plane", "axis", "space"};
/* Entries of a box: those of the plane, and two more in space. Faces 0 to 3 are its sides. */
enum { FLOOR, RIGHT, TOP, LEFT, FRONT, BACK, ENTRIES };

typedef struct vessel {
    sab_mesh *mesh;
    sab_material material;
    sab_function gravity[SAB_DIM];
    sab_boundary boundary[ENTRIES];
    sab_flow_setup setup;
    sab_flow *flow;
} vessel;

static int up_of(const vessel *v)
{
    return v->mesh->cell->dim - 1;
}

/* A box 0 < x < 1 (0 < y < 0.5), 0 < height < 1, full of grains; all entries free of traction. */
static void open_vessel(vessel *v, int kind, double friction, double step, int order)
{
    static char names[ENTRIES][8] = {"bottom", "right", "top", "left", "front", "back"};
    const sab_grid grid = {5, 4, 0, 0, 1, 1, 0.15, 0.0, 0.0};
    const sab_box box = {{2, 2, 2}, {0, 0, 0}, {1, 0.5, 1}, 0.1, 0.0, {0}};

    memset(v, 0, sizeof *v);
    v->mesh = kind == SPACE ? sab_grid_box(&box) : sab_grid_create(&grid);
    v->material = (sab_material){
        .bulk = 1.0, .reynolds = sab_constant(10.0), .friction = sab_constant(friction)};
    v->gravity[up_of(v)] = sab_constant(-1.0);
    for (int b = 0; b < ENTRIES; b++)
        v->boundary[b] = (sab_boundary){.group = names[b], .has_traction = true};
    v->setup = (sab_flow_setup){.mesh = v->mesh,
                                .element = kind == SPACE ? &sab_element_p2nb : &sab_element_p2,
                                .geometry = kind == SPACE   ? &sab_geometry_space
                                            : kind == ROUND ? &sab_geometry_axisymmetric
                                                            : &sab_geometry_plane,
                                .material = &v->material,
                                .gravity = v->gravity,
                                .nboundaries = kind == SPACE ? ENTRIES : FRONT,
                                .boundary = v->boundary,
                                .solver = sab_solver_options_default(),
                                .viscosity_iterations = 20,
                                .dt = step,
                                .order = order};
    v->setup.solver.tolerance = v->setup.solver.change_tolerance = 1e-9;
    v->setup.solver.max_iterations = 300;
}

static void put_wall(vessel *v, int b, double friction)
{
    v->boundary[b].has_traction = false;
    v->boundary[b].has_wall = true;
    v->boundary[b].wall.friction = sab_constant(friction);
}

static void put_slip(vessel *v, int b)
{
    v->boundary[b].has_traction = false;
    v->boundary[b].slip = true;
}

static void hold(vessel *v, int b)
{
    v->boundary[b].has_traction = false;
    v->boundary[b].has_velocity = true;
    for (int i = 0; i <= up_of(v); i++)
        v->boundary[b].prescribed[i] = true;
}

static void march(vessel *v, int steps)
{
    sab_flow_report report;
    sab_error err = {0};

    CU_ASSERT_EQUAL_FATAL(sab_flow_create(&v->setup, &v->flow, &err), SAB_OK);
    for (int k = 0; k < steps; k++)
        CU_ASSERT_EQUAL_FATAL(sab_flow_step(v->flow, NULL, &report, &err), SAB_OK);
}

static void close_vessel(vessel *v)
{
    sab_flow_destroy(&v->flow);
    sab_mesh_destroy(&v->mesh);
}

static double *load_of(const vessel *v, int entry, sab_wall_load **load)
{
    sab_error err = {0};
    double *value;

    CU_ASSERT_EQUAL_FATAL(sab_wall_load_create(v->flow, entry, load, &err), SAB_OK);
    value = sab_alloc((size_t)((*load)->rows->n * (*load)->columns + sab_wall_load_beside(*load)),
                      sizeof *value);
    CU_ASSERT_EQUAL_FATAL(sab_wall_load_evaluate(*load, v->flow, value, &err), SAB_OK);
    return value;
}

/* Of what a row is the mean of. */
static double mean_height(const sab_wall_load *load, const sab_flow *flow, int row)
{
    double sum = 0.0;

    for (int k = 0; k < load->rows->nshares; k++) {
        const sab_wall_point *p = &flow->walls->point[load->rows->share[k].point];

        if (load->rows->share[k].row == row)
            sum += load->rows->share[k].part * p->weight * p->x[load->dim - 1];
    }
    return sum / load->rows->weight[row];
}

/* A fluid at rest between smooth walls under a pressure: every stress is pressure + depth, on
 * meshes of any shape; sections and their rims are those of the box. */
static void test_fluid(void)
{
    const double P = 0.7, area[] = {1.0, 0.5, 0.5}, rim[] = {2.0, 1.0, 3.0};

    for (int kind = 0; kind < GEOMETRIES; kind++) {
        vessel v;
        sab_wall_load *load;
        double worst = 0.0, geometric = 0.0;

        open_vessel(&v, kind, 0.0, 0.1, 1);
        for (int b = RIGHT; b < ENTRIES; b++)
            if (b != TOP)
                put_wall(&v, b, 0.0);
        if (kind == ROUND)
            v.boundary[LEFT] = (sab_boundary){.group = v.boundary[LEFT].group, .slip = true};
        put_slip(&v, FLOOR);
        v.boundary[TOP].traction[up_of(&v)] = sab_constant(-P);
        march(&v, 1);
        double *value = load_of(&v, RIGHT, &load);
        for (int i = 0; i < load->rows->n; i++) {
            const double *row = value + load->columns * i;
            const double y = load->rows->x[load->dim * i + up_of(&v)];
            const double exact = P + 1.0 - mean_height(load, v.flow, i);
            const sab_section_values at = sab_sections_at(load->sections, load->section, y);

            worst = fmax(worst, fabs(row[load->column[SAB_LOAD_VERTICAL]] - exact));
            worst = fmax(worst, fabs(row[load->column[SAB_LOAD_JANSSEN]] - exact));
            worst = fmax(worst, fabs(row[load->column[SAB_LOAD_NORMAL]] - exact));
            geometric = fmax(geometric, fabs(at.area - area[kind]) + fabs(at.rim - rim[kind]));
            geometric = fmax(geometric, fabs(at.volume - area[kind] * (1.0 - y)));
        }
        const sab_load_figures f = sab_wall_load_figures(load, v.flow, value);
        const double whole = v.setup.geometry->whole;
        printf("  %-5s %2d rows, %2d sections: stress off by %.1e, shape by %.1e, K %.9f, bottom "
               "%.9f, defect %.1e\n",
               name_of[kind], load->rows->n, load->sections->n, worst, geometric, f.K,
               f.bottom / whole, f.defect);
        CU_ASSERT(worst < 1e-7);
        CU_ASSERT(geometric < 1e-9);
        SAB_ASSERT_CLOSE(f.K, 1.0, 1e-6);
        SAB_ASSERT_CLOSE(f.vertical, 1.0 + P, 1e-7);
        SAB_ASSERT_CLOSE(f.bottom, whole * area[kind] * (1.0 + P), 1e-7);
        SAB_ASSERT_CLOSE(f.weight, whole * area[kind], 1e-9);
        CU_ASSERT(f.defect < 1e-8);
        CU_ASSERT_STRING_EQUAL(f.verdict, "rest");
        SAB_FREE(value);
        sab_wall_load_destroy(&load);
        close_vessel(&v);
    }
}

/* Of the section at s: -int D(w e_up):sigma from the stresses alone. */
static double stress_through(const vessel *v, const sab_section *s)
{
    const int dim = up_of(v) + 1;
    double *F = sab_alloc(sab_space_size(v->flow->space), sizeof *F), sum = 0.0;

    sab_space_internal_force(v->flow->space, v->flow->fields->total, F);
    for (int a = 0; a < v->mesh->nnodes; a++) {
        const double above = sab_mesh_x(v->mesh, a)[dim - 1] - s->y;
        const double w = fmin(1.0, fmax(0.0, 0.5 + 0.5 * above / s->reach));

        sum -= w * F[dim * a + dim - 1];
    }
    SAB_FREE(F);
    return sum;
}

/* Grains fall through a chute of which one side is a wall with friction, one holds them and, in
 * space, the others slip; its outlet is open. What flows is neither slow nor symmetric: gravity,
 * inertia, and the forces of all entries are in balance all the same, of the whole body and above
 * every height; without inertia, or the side that holds, they would be far from it. */
static void test_balance(void)
{
    for (int variant = 0; variant < 5; variant++) {
        const int kind = variant < 3 ? PLANE : variant - 2, dim = kind == SPACE ? 3 : 2;
        vessel v;
        sab_wall_load *load;
        double worst = 0.0;

        open_vessel(&v, kind, 0.3, 0.1, variant == 1 ? 2 : 1);
        if (variant == 2)
            v.setup.element = &sab_element_p2b;
        put_wall(&v, RIGHT, 0.2);
        if (kind == ROUND)
            put_slip(&v, LEFT);
        else
            hold(&v, LEFT);
        put_slip(&v, FRONT);
        put_slip(&v, BACK);
        v.boundary[TOP].traction[dim - 1] = sab_constant(-0.1);
        if (kind != ROUND)
            v.gravity[0] = sab_constant(0.2);
        v.setup.solver.tolerance = 1e-2; /* whatever the gap */
        march(&v, 3);
        double *value = load_of(&v, RIGHT, &load);
        const double *force = value + load->rows->n * load->columns;
        const sab_load_figures f = sab_wall_load_figures(load, v.flow, value);
        for (int k = 0; k < load->sections->n; k++) {
            const sab_section *s = &load->sections->section[k];
            const double direct = stress_through(&v, s) / s->area;
            const double weight = f.weight / v.setup.geometry->whole / load->sections->volume;

            worst = fmax(worst, fabs(load->section[k].vertical + weight * (s->y - s->z) - direct));
        }
        const int up = dim - 1;
        printf("  %-5s gravity %.4f, inertia %.4f (%.4f leaves), wall %.4f, held %.4f, top %.4f: "
               "defect %.1e, above heights %.1e\n",
               name_of[kind], force[up], force[dim + up], force[2 * dim + up],
               force[dim * (SAB_FORCES_ENTRIES + RIGHT) + up],
               force[dim * (SAB_FORCES_ENTRIES + LEFT) + up],
               force[dim * (SAB_FORCES_ENTRIES + TOP) + up], f.defect, worst);
        CU_ASSERT(f.defect < 1e-8);
        CU_ASSERT(worst < 1e-8);
        CU_ASSERT(fabs(force[dim + up]) > 0.1 * f.weight); /* inertia matters, */
        CU_ASSERT(kind == ROUND || fabs(force[2 * dim + up]) > 0.005 * f.weight); /* what leaves */
        CU_ASSERT_EQUAL(f.aslant, kind != ROUND);
        SAB_FREE(value);
        sab_wall_load_destroy(&load);
        close_vessel(&v);
    }
}

/* A box of walls at rest, all of them with friction: rows sum up to points, floor and sides to the
 * weight; with a yielding bed nothing moves. */
static void test_box(void)
{
    for (int kind = 0; kind < GEOMETRIES; kind++) {
        vessel v;
        double carried = 0.0, weight = 0.0;

        open_vessel(&v, kind, 0.5, 0.1, 1);
        for (int b = 0; b < ENTRIES; b++)
            if (b != TOP)
                put_wall(&v, b, 0.3);
        if (kind == ROUND)
            v.boundary[LEFT] = (sab_boundary){.group = v.boundary[LEFT].group, .slip = true};
        march(&v, 1);
        for (int b = 0; b < v.setup.nboundaries; b++) {
            sab_wall_load *load;
            double area = 0.0, points = 0.0, normal[2] = {0.0};

            if (!v.boundary[b].has_wall)
                continue;
            double *value = load_of(&v, b, &load);
            for (int i = 0; i < load->rows->n; i++) {
                area += load->rows->weight[i];
                normal[0] += load->rows->weight[i] * value[load->columns * i];
            }
            for (int i = 0; i < v.flow->walls->n; i++)
                if (v.flow->walls->point[i].entry == b) {
                    points += v.flow->walls->point[i].weight;
                    normal[1] += v.flow->walls->point[i].weight * v.flow->traction[load->dim * i];
                }
            SAB_ASSERT_CLOSE(area, points, 1e-12);
            SAB_ASSERT_CLOSE(normal[0], normal[1], 1e-12);
            const sab_load_figures f = sab_wall_load_figures(load, v.flow, value);
            carried += b == FLOOR ? f.bottom : f.friction;
            weight = f.weight;
            CU_ASSERT_STRING_EQUAL(f.verdict, b == FLOOR ? "none" : "rest");
            SAB_FREE(value);
            sab_wall_load_destroy(&load);
        }
        printf("  %-5s %.10f of %.10f\n", name_of[kind], carried, weight);
        SAB_ASSERT_CLOSE(carried / weight, 1.0, 1e-7);
        close_vessel(&v);
    }
}

static void test_refused(void)
{
    vessel v;
    sab_wall_load *load = NULL;
    sab_error err = {0};

    open_vessel(&v, PLANE, 0.5, 0.1, 1);
    hold(&v, FLOOR);
    put_wall(&v, LEFT, 0.1);
    march(&v, 0);
    CU_ASSERT_EQUAL(sab_wall_load_create(v.flow, FLOOR, &load, &err), SAB_ERR_INPUT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.message, "traction"));
    CU_ASSERT_PTR_NULL(load);
    close_vessel(&v);
}

static const sab_test tests[] = {
    {"a fluid under pressure", test_fluid},
    {"forces of a flow", test_balance},
    {"a box at rest", test_box},
    {"refused", test_refused},
};

int main(void)
{
    return SAB_TEST_MAIN("flow/wall_load", tests);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/flow/moving.h -- grains whose surface moves, on a grid. */
#ifndef SAB_TESTS_FLOW_MOVING_H
#define SAB_TESTS_FLOW_MOVING_H

#include "problem.h"
#include "unit.h"

#include "flow/inertia.h"
#include "grid.h"

#include <math.h>

typedef struct region {
    double low[3], high[3];
} region;

static inline sab_status inside(void *data, const sab_vars *at, double *value, sab_error *err)
{
    const region *r = data;
    const double x[3] = {at->x, at->y, at->z};

    (void)err;
    *value = 1.0;
    for (int i = 0; i < 3; i++)
        if (x[i] < r->low[i] || x[i] > r->high[i])
            *value = 0.0;
    return SAB_OK;
}

typedef struct scene {
    problem p;
    region r;
    sab_function fill;
    sab_surface_setup surface;
    sab_mesh *mesh;
} scene;

/* A rectangle with its bottom held, left side slipping, right side and top open; grains in `r`. */
static inline void set_scene(scene *s, const sab_grid *grid, region r, double dt)
{
    sab_mesh *coarse = sab_grid_create(grid);

    CU_ASSERT_EQUAL_FATAL(sab_mesh_split_alfeld(coarse, &s->mesh, NULL), SAB_OK);
    sab_mesh_destroy(&coarse);
    make_problem(&s->p, s->mesh, dt, 1);
    s->r = r;
    s->fill = (sab_function){.call = inside, .data = &s->r, .steady = true};
    s->surface = sab_surface_default();
    s->surface.fill = &s->fill;
    s->p.setup.surface = &s->surface;
    s->p.material.reynolds = sab_constant(1e4);
    s->p.material.friction = sab_constant(0.4);
    s->p.gravity[1] = sab_constant(-1.0);
    s->p.setup.solver.tolerance = 1e-2;
    hold_side(&s->p, 0, 0.0);
    s->p.boundary[3].has_traction = false;
    s->p.boundary[3].slip = true;
}

static inline sab_flow *start(const scene *s)
{
    sab_flow *flow = NULL;
    sab_error err = {0};

    if (sab_flow_create(&s->p.setup, &flow, &err) != SAB_OK)
        CU_FAIL_FATAL(err.message);
    return flow;
}

static inline void step(sab_flow *flow, sab_flow_report *report)
{
    sab_error err = {0};

    if (sab_flow_step(flow, NULL, report, &err) != SAB_OK)
        CU_FAIL_FATAL(err.message);
}

/* sum m x_i / sum m */
static inline double centre(const sab_flow *flow, int i)
{
    const sab_carriers *c = flow->surface->carriers;
    double sum = 0.0;

    for (int p = 0; p < c->n; p++)
        sum += c->at[p].mass * c->at[p].x[i];
    return sum / sab_carriers_mass(c);
}

static inline double rms_speed(const sab_flow *flow)
{
    return sqrt(2.0 * sab_surface_kinetic(flow->surface) /
                sab_carriers_mass(flow->surface->carriers));
}

#endif

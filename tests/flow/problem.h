/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tests/flow/problem.h -- a flow on a grid, all sides free of traction: the tests close some. */
#ifndef SAB_TESTS_FLOW_PROBLEM_H
#define SAB_TESTS_FLOW_PROBLEM_H

#include "flow/flow.h"

#include <string.h>

typedef struct problem {
    sab_material material;
    sab_function gravity[2], initial[2];
    sab_boundary boundary[4]; /* bottom, right, top, left */
    sab_flow_setup setup;     /* borrows the rest: never copy this struct */
} problem;

/* step 0: creeping. Viscosity, friction and gravity are still to be given. */
static inline void make_problem(problem *p, const sab_mesh *mesh, double step, int order)
{
    static char names[4][8] = {"bottom", "right", "top", "left"};

    memset(p, 0, sizeof *p);
    p->material.bulk = 1.0;
    for (int b = 0; b < 4; b++)
        p->boundary[b] = (sab_boundary){.group = names[b], .has_traction = true};
    p->setup = (sab_flow_setup){.mesh = mesh,
                                .element = &sab_element_p2,
                                .geometry = &sab_geometry_plane,
                                .material = &p->material,
                                .gravity = p->gravity,
                                .nboundaries = 4,
                                .boundary = p->boundary,
                                .solver = sab_solver_options_default(),
                                .dt = step,
                                .order = order,
                                .initial = p->initial};
}

/* Side b moves along x; 0: it is held. */
static inline void hold_side(problem *p, int b, double speed)
{
    p->boundary[b].has_traction = false;
    p->boundary[b].has_velocity = true;
    p->boundary[b].prescribed[0] = p->boundary[b].prescribed[1] = true;
    p->boundary[b].velocity[0] = sab_constant(speed);
}

#endif

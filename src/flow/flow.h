/* SPDX-License-Identifier: GPL-3.0-or-later */
/* flow/flow.h -- from mesh, rheology and boundary conditions to a cone program, its solution, and
 * the fields; of a creeping flow, or of one time step after the other.
 *
 *     Du/Dt - div[(2 eta/Re) E_b D(u) - lambda] = e_g,   (D(u), lambda) in DP   [docs/theory.md, 3]
 */
#ifndef SAB_FLOW_FLOW_H
#define SAB_FLOW_FLOW_H

#include "fem/dofs.h"
#include "fem/fields.h"
#include "fem/material.h"
#include "fem/points.h"
#include "fem/space.h"
#include "fem/wall_points.h"
#include "flow/ledger.h"
#include "flow/surface.h"
#include "solve/solve.h"

/* What a flow is made of; all borrowed, all must outlive the flow. */
typedef struct sab_flow_setup {
    const sab_mesh *mesh;
    const sab_element *element;
    const sab_geometry *geometry;
    const sab_material *material;
    const sab_function *gravity; /* [dim] */
    int nboundaries;
    const sab_boundary *boundary;
    sab_solver_options solver;
    int viscosity_iterations; /* cone programs at most, where the viscosity depends on the flow */
    double dt;                /* of a time step; 0: creeping flow, without inertia */
    int levels;               /* of a moving surface: steps may be halved so many times, */
    double courant;           /* so that grains go no farther than this part of an element in one */
    int order;                /* of the time scheme: 1, or 2 */
    const sab_function *initial;      /* [dim] velocity at time 0; NULL: rest */
    const sab_surface_setup *surface; /* a free surface that moves, of order 1; NULL: the mesh is
                                         full */
    double opened; /* time, in units of dt, up to which walls that open are open: 0 to begin with */
    bool free_inflow; /* material that enters an open side brings its energy for nothing: unstable,
                         for comparison only [docs/theory.md, 3.4] */
} sab_flow_setup;

typedef struct sab_flow {
    sab_flow_setup setup;
    const sab_boundary *given; /* [nboundaries] as the setup had them, borrowed; */
    sab_boundary *own;         /* and with walls taken away (flow/gates.h), which setup.boundary is
                                  then; NULL: none is */
    sab_boundary_report boundaries;
    int *group; /* [nboundaries] group of each entry */
    sab_space *space;
    sab_dofs *dofs;
    sab_program *program;
    sab_scatter *scatter;  /* of program->B in program->A */
    sab_points *remainder; /* of bubbles, with its scatter; NULL without any */
    sab_scatter *remainder_scatter;
    sab_solver *solver;
    sab_fields *fields;
    double *load;             /* force vector: gravity, tractions and, as a load, inertia */
    double *u;                /* [program->n] */
    double *lambda;           /* [npoints][s] of the program: of the material, then of walls */
    sab_wall_points *walls;   /* with friction; NULL: none */
    double *slip, *traction;  /* [walls->n][dim] velocity off the wall and traction on the grains,
                                 components (N; T), of the last update of the fields */
    double *wall_force;       /* force vector of these tractions; NULL without walls */
    struct sab_flow_law *law; /* flow/law.h */
    sab_rate_law rate;        /* the same for the interior points */
    double *work;             /* [max(size of a velocity vector, npoints*s*s)] */
    double *strain;           /* [npoints][s] workspace, of the program as well */
    struct sab_inertia *inertia; /* flow/inertia.h; NULL: creeping */
    sab_surface *surface;        /* NULL: the mesh is full */
    int steps;                   /* done so far */
    double at;                   /* time in units of setup.dt, exact: flow/pace.h */
    int level;                   /* of the last step: it was setup.dt/2^level long */
    double time;
    double natural; /* residual of the last solve, for the fields */
    bool stale;     /* the values of A have changed since it was factored */
    bool counted;   /* stale in this process only: the run has counted its factorisation before */
    double cpu_assembly;
} sab_flow;

typedef struct sab_flow_report {
    sab_report solve;         /* of the last cone program; work counts are sums over all */
    int viscosity_iterations; /* cone programs solved */
    double rate_residual;     /* power by which mu(I) or the viscosity formula is violated, in parts
                                 of that which responds to rate [docs/theory.md, 7.7] */
    int retries;              /* of a time step: cold starts, and smaller steps */
    sab_limit missed;         /* what missed its tolerance: the last program, the rate law, or the
                                 ledger of energy */
    sab_ledger ledger;        /* of a time step: its energies */
    bool unsound;             /* of a time step: its energy has an excess that is too large, */
    bool unstable;            /* more than all that took energy from it; or is not finite */
    bool converged;           /* nothing missed */
} sab_flow_report;

/* One row per outer iteration of the solver. Return false to stop. */
typedef struct sab_flow_observer {
    bool (*row)(void *data, int viscosity_iteration, const sab_report *so_far);
    void *data;
} sab_flow_observer;

/* Match boundaries, evaluate the rheology, assemble, analyse: everything but solving. Bad input is
 * SAB_ERR_INPUT. The caller owns *flow. */
sab_status sab_flow_create(const sab_flow_setup *setup, sab_flow **flow, sab_error *err);
void sab_flow_destroy(sab_flow **flow);
/* Solve a creeping flow; the fields are then up to date. observer may be NULL. */
sab_status sab_flow_solve(sab_flow *flow, const sab_flow_observer *observer,
                          sab_flow_report *report, sab_error *err);
/* One time step of an inertial flow. A program that misses its tolerance is tried again from a cold
 * start; if the better of both is useless (merit above 0.2), by two steps of half the length and of
 * first order, and so on; one whose energies are unsound by one of first order before that
 * [docs/theory.md, 3.4]. SAB_INTERRUPTED leaves the flow as it was before the step. */
sab_status sab_flow_step(sab_flow *flow, const sab_flow_observer *observer, sab_flow_report *report,
                         sab_error *err);
/* How long the last step was. */
double sab_flow_length(const sab_flow *flow);
/* What a flow has to remember from one step to the next; the arrays are borrowed from the flow. */
typedef struct sab_flow_state {
    int steps; /* done so far */
    double at; /* time in units of setup.dt */
    int level; /* of the last step */
    double time;
    double natural;                     /* residual of the last solve */
    double inertia;                     /* factor of the mass matrix in A; 0: creeping */
    double stored;                      /* energy of the last step, for the next (flow/ledger.h) */
    bool factored;                      /* A has been factored */
    size_t nvelocity, nstress, npoints; /* entries of the arrays below; of stresses those of the
                                           npoints law points, then those of walls */
    const double *velocity, *previous;  /* [nvelocity] after the last step, and the one before */
    const double *lambda;               /* [nstress] */
    const double *eta, *nu; /* [npoints] viscosity factor, rate stress of mu(I) per strain rate */
    int ncarriers, nsides;  /* of a flow whose surface moves, else 0: the carriers, */
    const sab_carrier *carrier;
    const double *left, *fed; /* [nsides] what has left through each side of the boundary, and what
                                 was fed there, */
    size_t nowed;
    const double *owed; /* [nowed] and the rest of it (fem/feeder.h) */
} sab_flow_state;
sab_flow_state sab_flow_get_state(const sab_flow *flow);
/* Copy a state into the flow, fields included. SAB_ERR_INPUT if its sizes are not those of the
 * flow. Of a state of another flow (run/initial.h) only velocity and lambda may
 * count: give it step and time zero, and this flow's own eta and nu, or the law of the other
 * one would stay. A creeping flow starts from its lambda. */
sab_status sab_flow_restore(sab_flow *flow, const sab_flow_state *state, sab_error *err);
/* After restoring the state of another process: A as that one had it, so that a run which goes on
 * counts its factorisations like one that never stopped. */
void sab_flow_go_on(sab_flow *flow, const sab_flow_state *state);
/* Work of `now` added to that of earlier programs; everything else is that of `now`. */
void sab_flow_add_work(sab_report *sum, const sab_report *now);
/* Estimate of the memory a solve needs, in bytes: factors, and all that grows as the mesh does. */
typedef struct sab_flow_memory {
    double factors, rest;
} sab_flow_memory;
sab_flow_memory sab_flow_memory_of(const sab_flow *flow);

#endif

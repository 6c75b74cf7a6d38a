/* flow/flow.h -- creeping flow: from mesh, rheology and boundary conditions to a cone program, its
 * solution, and the fields.
 *
 *     - div[(2 eta/Re) E_b D(u) - lambda] = e_g,   (D(u), lambda) in DP        [docs/theory.md, 3]
 */
#ifndef SAB_FLOW_FLOW_H
#define SAB_FLOW_FLOW_H

#include "fem/dofs.h"
#include "fem/fields.h"
#include "fem/material.h"
#include "fem/space.h"
#include "solve/solve.h"

/* What a flow is made of; all borrowed, all must outlive the flow. */
typedef struct sab_flow_setup {
    const sab_mesh *mesh;
    bool bubbles; /* P2 with bubbles, element p2b [docs/theory.md, 4.9] */
    const sab_geometry *geometry;
    const sab_material *material;
    const sab_function *gravity; /* [dim] */
    int nboundaries;
    const sab_boundary *boundary;
    sab_solver_options solver;
    int viscosity_iterations;   /* at most, when material->has_viscosity */
    double viscosity_tolerance; /* relative change of the strain rate between two of them */
} sab_flow_setup;

typedef struct sab_flow {
    sab_flow_setup setup;
    sab_boundary_report boundaries;
    int *group; /* [nboundaries] group of each entry */
    sab_space *space;
    sab_dofs *dofs;
    sab_program *program;
    sab_scatter *scatter; /* of program->B in program->A */
    sab_blocks *bubble;   /* the columns of the bubbles, with their scatter; NULL without bubbles */
    sab_scatter *bubble_scatter;
    sab_solver *solver;
    sab_fields *fields;
    double *load;             /* force vector: gravity and tractions */
    double *u;                /* [program->n] */
    double *lambda;           /* [npoints][s] */
    double *eta;              /* [npoints] viscosity factor */
    double *inverse_reynolds; /* [npoints] */
    double *work;             /* [max(size of a velocity vector, npoints*s*s)] */
    double *strain;           /* [npoints][s] of the previous viscosity iteration */
    double cpu_assembly;
} sab_flow;

typedef struct sab_flow_report {
    sab_report solve;         /* of the last cone program; work counts are sums over all */
    int viscosity_iterations; /* cone programs solved */
    double viscosity_change;  /* last relative change of the strain rate; 0 without formula */
    bool converged;           /* the last program met its tolerance, and viscosity settled */
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
/* Solve; the fields are then up to date. observer may be NULL. */
sab_status sab_flow_solve(sab_flow *flow, const sab_flow_observer *observer,
                          sab_flow_report *report, sab_error *err);
/* Estimate of the memory a solve needs, in bytes: program, factor, workspace. */
double sab_flow_memory(const sab_flow *flow);

#endif

/* bench/flow_step.h -- a time step of a flow as a cone program, without advection.
 *
 *     (u - u_prev)/dt - div[(2/Re) E_b D(u) - lambda] = e_g,  (D(u), lambda) in DP;  dt = 0:
 * creeping
 *
 * The benchmark's own small time loop: straight on fem and solve, so that it measures those. */
#ifndef SAB_BENCH_FLOW_STEP_H
#define SAB_BENCH_FLOW_STEP_H

#include "fem/mass.h"
#include "fem/material.h"
#include "solve/program.h"

/* All borrowed; must outlive the step. */
typedef struct bench_setup {
    const sab_mesh *mesh;
    const sab_geometry *geometry;
    const sab_material *material;
    const sab_function *gravity; /* [2] */
    int nboundaries;
    const sab_boundary *boundary;
    double dt; /* 0: no inertia */
    double
        inertia; /* part of r due to inertia: a uniform number, 0: the scale, < 0: the safe one */
} bench_setup;

typedef struct bench_step {
    bench_setup setup;
    int *group;
    sab_space *space;
    sab_dofs *dofs;
    sab_mass *mass;
    sab_program *program;
    sab_scatter *scatter;
    double *load; /* [nfree] all but inertia */
    double *v;    /* velocity at the points of mass */
} bench_step;

/* The program of the first step, from rest. Which step r? Two answers.
 *
 * Scale (the default). r turns strain rates into stresses: an interior point starts at the stress
 * rms(r gamma0) of the unresisted flow u0 = A^-1 l, and the strain rate of that stress over r. The
 * mean strain rate of u0 is e = int |gamma0| / V, the stress that would absorb the power of its
 * inertia u0.M u0/dt / (V e), hence
 *     r = nu + (u0.M u0/dt) V / (int |gamma0|)^2 = nu + l0^2/dt,
 * l0 the length on which u0 varies. (The L1 norm does not see how thin a boundary layer is, which
 * without viscosity is a mesh width; the L2 norm does, and r would fall with the mesh.) It is not
 * safe (R W > 1): first-order methods estimate the norm.
 *
 * Safe. With K_e = sum_q m_q B_q^T B_q and M_e the mass matrix of element e, and eta_e the largest
 * eigenvalue of M_e^-1 K_e,
 *     u.A u = sum_e [sum_q m_q nu_q |B_q u|^2 + u.M_e u/dt] >= sum_q m_q r_q |B_q u|^2,
 *     r_q = nu_q b + 1/(dt eta_e),
 * that is R W <= 1. But eta_e is about 130/h^2, r a hundred times smaller than the scale, and an
 * interior point that starts from it jams [docs/benchmark.md].
 *
 * The caller owns *step. */
sab_status bench_step_create(const bench_setup *setup, bench_step **step, sab_error *err);
void bench_step_destroy(bench_step **step);
/* The program of the step that follows the velocity u [nfree]. */
void bench_step_advance(bench_step *step, const double *u);
/* q [nfree] such that the flux through a group is q.u plus *given. */
sab_status bench_step_flux(const bench_step *step, const char *group, double *q, double *given,
                           sab_error *err);

#endif

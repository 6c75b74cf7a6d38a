/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/fields.h -- what users look at, from velocity and stress: one place for VTU and probes.
 *
 * Fields that are P1 in each element are held at its nodes, [nelements][nodes][components]. The
 * pressure is the element mean: point values of the plain pair are noise on general meshes. */
#ifndef SAB_FEM_FIELDS_H
#define SAB_FEM_FIELDS_H

#include "fem/material.h"
#include "fem/probe.h"
#include "fem/space.h"
#include "fem/wall_points.h"

/* The law at the points, as the cone program holds it (borrowed, npoints entries each). */
typedef struct sab_point_law {
    const double *friction, *yield, *viscosity;
    const double *rate; /* the part of the viscosity that is friction, of mu(I); NULL: none */
    double bulk;
    double residual;      /* natural residual of the solve, in units of stress */
    const sab_mu_i *mu_i; /* `friction` is that at rest; NULL: it is given */
    const double *r;      /* r of the natural residual; NULL: the viscosity */
} sab_point_law;

typedef struct sab_fields {
    const sab_space *space; /* borrowed */
    double *velocity;       /* a velocity vector: [nnodes][dim], then the bubbles */
    double *strain_rate;    /* gamma [npoints][s], Dirichlet part and bubbles included */
    double *lambda;         /* [npoints][s] compression positive */
    double *total;          /* [npoints][s] total Cauchy stress: viscous - lambda */
    double *stress;         /* [nelements][nodes][s] total, tension positive */
    double *shear_stress;   /* [nelements][nodes] |Dev sigma| of the total stress */
    double *shear_rate;     /* [nelements][nodes] |gamma_T| */
    double *yield_ratio;    /* [nelements][nodes] |lambda_T| / (sigma + mu lambda_N) in [0,1] */
    double *friction; /* [nelements][nodes] in the user's convention; mu(I) of this flow, I from the
                         shear rate at the point and the *mean* pressure of the element */
    double *inertial_number; /* [nelements][nodes] of this flow, up to SAB_INERTIAL_BOUND I0; 0
                                without mu(I) */
    double *pressure;        /* [nelements] lambda_N / sqrt(d/2), mean of the element */
    double *yielded;         /* [nelements] share of the law points that flow, 0 to 1 */
    sab_point_law law;       /* of the last update; its arrays are copies in `given` */
    double *given;           /* [4][npoints] */
    double *work;            /* [npoints][7] */
    bool *marked;            /* [nnodes] workspace */
    /* Walls with friction, all borrowed and NULL without any: their points, the tractions on the
     * grains [walls->n][dim] with components (N; T), and the force vector of these. */
    const sab_wall_points *walls;
    const double *traction, *wall_force;
    const double *fill; /* [nelements] where a surface moves, borrowed; NULL: all is full */
} sab_fields;

/* Without pressure the inertial number is infinite. Files get at most so many times I0: mu(I) has
 * made 99 % of its way there. */
#define SAB_INERTIAL_BOUND 100.0

sab_status sab_fields_create(const sab_space *space, sab_fields **fields, sab_error *err);
void sab_fields_destroy(sab_fields **fields);
/* Recompute everything from a velocity vector and the stress (both copied). */
void sab_fields_update(sab_fields *fields, const double *velocity, const double *lambda,
                       const sab_point_law *law);
/* Number of components of a field at a point: velocity dim, stress 6 (geometry->component),
 * else 1. */
int sab_fields_components(const sab_fields *fields, sab_probe_field field);
/* Its value at reference point xi of an element. */
void sab_fields_at(const sab_fields *fields, sab_probe_field field, int element, const double *xi,
                   double *value);
/* Largest |u| h/nu of the elements, nu = eta/Re the viscosity of the last solve and h^2 twice the
 * area, of a cell of two triangles [docs/theory.md, 3.3]. Infinite where something moves without
 * viscosity. */
double sab_fields_cell_reynolds(const sab_fields *fields);

/* Largest |u| dt/h of the elements, with the same h. */
double sab_fields_courant(const sab_fields *fields, double dt);

/* The balance of momentum beside the stresses, at time t; all borrowed. */
typedef struct sab_balance {
    const sab_dofs *dofs;
    const sab_boundary *boundary;
    const int *group;
    double t;
    const double *load; /* force vector of all loads: gravity, tractions, and minus inertia */
} sab_balance;

/* Nodal forces F of the grains on the boundary entry `entry`. Total: minus the reactions
 * R = int D(v):sigma - load on the nodes it holds, of those it shares its part, minus the load of
 * the traction it applies; of a wall with friction minus the forces of its points, where walls meet
 * those of this one. Contact and viscous: int D(v):lambda and -int D(v):(viscous stress) on
 * these nodes and on those of its group that nobody holds; what is missing to the total is the load
 * on them (not of its own traction), which vanishes with the size of the elements [docs/theory.md,
 * 10.5]. F and load are force vectors of the space; their bubbles do not matter, because
 * translations and the hats of a wall are made of nodal functions alone. Not for
 * SAB_FORCE_RECOVERED (fem/wall.h). */
sab_status sab_fields_nodal_force(const sab_fields *fields, const sab_balance *balance, int entry,
                                  sab_force_part part, double *F, sab_error *err);
/* Their sum force [dim], that on the entry; the total is in exact balance, about an axis along it
 * only. work is a force vector. */
sab_status sab_fields_force(const sab_fields *fields, const sab_balance *balance, int entry,
                            sab_force_part part, double *work, double *force, sab_error *err);

#endif

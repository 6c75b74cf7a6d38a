/* fem/fields.h -- what users look at, from velocity and stress: one place for VTU and probes.
 *
 * Fields that are P1 in each element are held at its six nodes, [nelements][6][components]. The
 * pressure is the element mean: point values of the plain pair are noise on general meshes. */
#ifndef SAB_FEM_FIELDS_H
#define SAB_FEM_FIELDS_H

#include "fem/probe.h"
#include "fem/space.h"

typedef struct sab_fields {
    const sab_space *space; /* borrowed */
    double *velocity;       /* a velocity vector: [nnodes][dim], then the bubbles */
    double *strain_rate;    /* gamma [npoints][s], Dirichlet part and bubbles included */
    double *lambda;         /* [npoints][s] compression positive */
    double *total;          /* [npoints][s] total Cauchy stress: viscous - lambda */
    double *stress;         /* [nelements][6][s] total, tension positive */
    double *shear_stress;   /* [nelements][6] |Dev sigma| of the total stress */
    double *shear_rate;     /* [nelements][6] |gamma_T| */
    double *yield_ratio;    /* [nelements][6] |lambda_T| / (sigma + mu lambda_N) in [0,1] */
    double *pressure;       /* [nelements] lambda_N / sqrt(d/2), mean of the element */
    double *yielded;        /* [nelements] share of the law points that flow: 0, 1/3, 2/3 or 1 */
    double *work;           /* [npoints][6] */
} sab_fields;

/* The law at the points, as the cone program holds it (borrowed, npoints entries each). */
typedef struct sab_point_law {
    const double *friction, *yield, *viscosity;
    double bulk;
    double residual; /* natural residual of the solve, in units of stress */
} sab_point_law;

sab_status sab_fields_create(const sab_space *space, sab_fields **fields, sab_error *err);
void sab_fields_destroy(sab_fields **fields);
/* Recompute everything from a velocity vector and the stress (both copied). */
void sab_fields_update(sab_fields *fields, const double *velocity, const double *lambda,
                       const sab_point_law *law);
/* Number of components of a field at a point: velocity dim, stress 6 (XX YY ZZ XY YZ XZ), else 1.
 */
int sab_fields_components(const sab_fields *fields, sab_probe_field field);
/* Its value at reference point xi of an element. */
void sab_fields_at(const sab_fields *fields, sab_probe_field field, int element, const double xi[2],
                   double *value);
/* Nodal forces F of the grains on the boundary entry `entry`: minus the reactions
 * R = int D(v):sigma - load on the nodes it owns, minus the load of the traction it applies. load,
 * all loads, and F are force vectors of the space; their bubbles do not matter, because a bubble
 * vanishes on every side. */
sab_status sab_fields_nodal_force(const sab_fields *fields, const sab_dofs *dofs, int entry,
                                  const sab_boundary *boundary, const int *group, double t,
                                  const double *load, double *F, sab_error *err);
/* Their sum, the force on the entry; exact balance. work is a force vector. */
sab_status sab_fields_force(const sab_fields *fields, const sab_dofs *dofs, int entry,
                            const sab_boundary *boundary, const int *group, double t,
                            const double *load, double *work, double *force, sab_error *err);

#endif

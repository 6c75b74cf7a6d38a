/* fem/geometry.h -- what plane, axisymmetric and 3D flow differ in: s, d, the strain rows, the
 * measure of integrals, rigid motions, what a friction angle means. Everything else is written on
 * s-vectors [docs/theory.md, 1]. */
#ifndef SAB_FEM_GEOMETRY_H
#define SAB_FEM_GEOMETRY_H

#include <stdbool.h>

enum { SAB_MAX_S = 6, SAB_MAX_RIGID = 6, SAB_AXES = 3, SAB_TENSOR = 6 };

typedef struct sab_geometry {
    const char *name; /* "plane" */
    int dim;          /* space dimensions of the mesh = velocity components */
    int d;            /* dimension of the tensors: Tr D = sqrt(2d) D_N */
    int s;            /* components of chi^-1(D) */
    int rigid;        /* rigid motions */
    bool axis;        /* x[0] = r is the distance from an axis, where u_r = 0 */
    int degree;       /* of the measure as a polynomial */
    /* Factor that makes integrals over the mesh those of the whole body: 1; 2 pi about an axis. It
     * is in no weight, but in every integral that leaves the program: probes, history, summary. */
    double whole;
    /* Names in files, x y z or r z, and those of a tensor, XX YY ZZ XY YZ XZ or RR ZZ TT RZ ZT RT:
     * TT is the hoop. */
    const char *coordinate[SAB_AXES], *component[SAB_TENSOR];
    /* Velocity [dim] of rigid motion k at x. */
    void (*motion)(int k, const double *x, double *velocity);
    /* Factor of dx and ds at x, in every integral over the domain or a side: 1; r about an axis. */
    double (*measure)(const double *x);
    /* chi^-1(D) of the velocity phi e_i, given grad phi: row[0..s-1]. hoop: u_r/r of phi e_r as the
     * law sees it, that is projected like the stresses; 0 where there is no axis. */
    void (*strain)(int i, const double *gradient, double hoop, double *row);
    /* chi: the tensor XX YY ZZ XY YZ XZ of an s-vector. In the plane ZZ is the in-plane mean, which
     * the two-dimensional law leaves open. */
    void (*tensor)(const double *x, double tensor[SAB_TENSOR]);
    /* Friction coefficient sqrt(J2)/p of a friction angle (radians), and back: NAN if none. */
    double (*friction_of_angle)(double angle);
    double (*angle_of_friction)(double friction);
} sab_geometry;

extern const sab_geometry sab_geometry_plane, sab_geometry_axisymmetric, sab_geometry_space;

/* The geometry of that name, or NULL. */
const sab_geometry *sab_geometry_find(const char *name);
/* p = lambda_N / sqrt(d/2), and mu = friction / sqrt(d/2) [docs/theory.md, 1 and 2]. */
double sab_geometry_normal_scale(const sab_geometry *geometry); /* sqrt(d/2) */
/* div u = sqrt(2d) gamma_N. */
double sab_geometry_trace(const sab_geometry *geometry); /* sqrt(2d) */

#endif

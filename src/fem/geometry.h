/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/geometry.h -- what plane, axisymmetric and 3D flow differ in: s, d, the strain rows, the
 * measure of integrals, rigid motions, names. Everything else is written on
 * s-vectors [docs/theory.md, 1]. */
#ifndef SAB_FEM_GEOMETRY_H
#define SAB_FEM_GEOMETRY_H

#include "mesh/cell.h"

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
    /* Names in formulas, messages and files, x y z or r z, and those of a tensor, XX YY ZZ XY YZ XZ
     * or RR ZZ TT RZ ZT RT: TT is the hoop. */
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
} sab_geometry;

extern const sab_geometry sab_geometry_plane, sab_geometry_axisymmetric, sab_geometry_space;

/* The geometry of that name, or NULL. */
const sab_geometry *sab_geometry_find(const char *name);
/* p = lambda_N / sqrt(d/2), and mu = friction / sqrt(d/2) [docs/theory.md, 1 and 2]. */
double sab_geometry_normal_scale(const sab_geometry *geometry); /* sqrt(d/2) */
/* div u = sqrt(2d) gamma_N. */
double sab_geometry_trace(const sab_geometry *geometry); /* sqrt(2d) */

/* The motion in which an angle of friction was measured: a circular cone meets the pyramid of Mohr
 * and Coulomb in one of them only [docs/theory.md, 2.5]. */
typedef enum sab_friction_mode {
    SAB_FRICTION_PLANE,       /* plane strain: the largest inclination of Mohr's circle */
    SAB_FRICTION_COMPRESSION, /* triaxial, the two smaller stresses equal */
    SAB_FRICTION_EXTENSION,   /* the two larger ones equal: a flow converging to a round outlet */
    SAB_FRICTION_SHEAR, /* shear over normal stress on the plane of shear: slope, shear cell */
    SAB_FRICTION_MODES
} sab_friction_mode;
extern const char *const sab_friction_mode_name[SAB_FRICTION_MODES]; /* "plane", ... */

/* Are there such motions? In the plane no compression nor extension. */
bool sab_friction_has_mode(const sab_geometry *geometry, sab_friction_mode mode);
/* The coefficient sqrt(J2)/p of an angle (radians), the dilatancy being a coefficient as well, and
 * back: NAN if there is none, or no such mode. */
double sab_friction_of_angle(const sab_geometry *geometry, sab_friction_mode mode, double angle,
                             double dilatancy);
double sab_angle_of_friction(const sab_geometry *geometry, sab_friction_mode mode, double friction,
                             double dilatancy);
/* The largest coefficient whose cone admits no tension: sqrt(3)/2 of tensors of dimension 3, where
 * extension has the smallest stress (1 - 2 friction/sqrt 3) p. In the plane it would be 1, which is
 * a warning there: INFINITY. */
double sab_friction_limit(const sab_geometry *geometry);

#endif

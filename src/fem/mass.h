/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/mass.h -- velocity at quadrature points, and the mass matrix made of it.
 *
 *     int u.v = sum_p w_p N_p(u).N_p(v),   u(x_p) = N u + k                     [docs/theory.md, 3]
 *
 * over the points p of a rule that is exact for the velocities on straight elements: that of the
 * element (fem/element.h).
 * N has the columns of the strain blocks (fem/points.h), element by element and in the same order:
 * the mass matrix has the pattern of A, and the scatter of the strain blocks serves it too. */
#ifndef SAB_FEM_MASS_H
#define SAB_FEM_MASS_H

#include "fem/points.h"

typedef struct sab_mass {
    sab_points *at; /* owned, s = dim: velocities along the axes; at->B is N */
    double *C;      /* [n][dim][dim] workspace of the assembly */
    double *work;   /* [n][dim] */
} sab_mass;

/* The caller owns *mass. */
sab_status sab_mass_create(const sab_space *space, const sab_dofs *dofs, sab_mass **mass,
                           sab_error *err);
void sab_mass_destroy(sab_mass **mass);

/* A += factor sum_p w_p N_p^T N_p; `scatter` is that of the strain blocks (or of N) in A. */
void sab_mass_assemble(sab_mass *mass, double factor, const sab_scatter *scatter, sab_sparse *A);
/* v [npoints][dim] = N u + k: the velocity at the points. */
void sab_mass_velocity(const sab_mass *mass, const double *u, double *v);
/* l += factor sum_p w_p N_p^T (v_p - k_p): the load of a field v given at the points, with the
 * prescribed part of the mass matrix, so that M u = load(v) is the L2 projection of v. */
void sab_mass_load(sab_mass *mass, double factor, const double *v, double *l);

/* v [npoints][dim] = U at the points, for a velocity vector U. */
void sab_mass_interpolate(const sab_space *space, const double *U, double *v);
/* F += int f.v for all v: a force vector; f [npoints][dim] given at the points. */
void sab_mass_force(const sab_mass *mass, const sab_space *space, const double *f, double *F);
/* int |v|^2, v [npoints][dim] given at the points. */
double sab_mass_square(const sab_mass *mass, const double *v);

#endif

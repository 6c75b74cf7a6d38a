/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/carriers.h -- mass points that move with the flow: the grains of a flow whose surface moves
 * [docs/theory.md, 3.5]. (Law points are another thing: they stay.)
 *
 * They are the quadrature of inertia and weight,
 *     int rho u.v = sum_p m_p u(x_p).v(x_p),
 * and they are carried by u. A mass is fill times volume with the measure of the geometry, r about
 * an axis, and without the factor `whole`. Carriers are kept in the order of their elements, and
 * within an element in the order they had before: sums over them have the same bits for any number
 * of threads and after a resume. */
#ifndef SAB_FEM_CARRIERS_H
#define SAB_FEM_CARRIERS_H

#include "fem/points.h"
#include "fem/transport.h"

typedef struct sab_carrier {
    double x[SAB_DIM];  /* its place, */
    double xi[SAB_DIM]; /* as a reference point of its element */
    double v[SAB_DIM];
    double mass;
    int element;
} sab_carrier;

typedef struct sab_carriers {
    const sab_space *space;   /* borrowed */
    sab_transport *transport; /* walls and open sides */
    int n, capacity;
    sab_carrier *at; /* [n] by elements */
    int *start;      /* [nelements+1] */
    double *left;    /* [nfacets] mass that has left through each, */
    double *fed;     /* and that was fed there */
    int *facet;      /* [nelements][sides] of the boundary, or -1 */
    int *order;      /* [capacity] workspace, as is the next */
    sab_carrier *sorted;
    sab_points *functions; /* the unknowns of the elements: sum_e B_e^T C_e B_e */
    double *C;             /* [nelements][s][s] workspace of the assembly */
} sab_carriers;

/* None yet. open [nfacets]: where grains may leave. The space is borrowed. The caller owns
 * *carriers. */
sab_status sab_carriers_create(const sab_space *space, const sab_dofs *dofs, const bool *open,
                               sab_carriers **carriers, sab_error *err);
void sab_carriers_destroy(sab_carriers **carriers);
/* Fill element e: with density `fill`, at rest, `per_side`^dim of them at the centroids of
 * congruent parts. Their masses are those of the parts, so that together they have the mass fill
 * times volume of the law points, exactly. Call it element by element, in order; then sort. */
sab_status sab_carriers_fill(sab_carriers *carriers, int e, int per_side, double fill,
                             sab_error *err);
/* Room for n of them. */
sab_status sab_carriers_reserve(sab_carriers *carriers, int n, sab_error *err);
/* One more, at reference point xi of element e: at rest, without mass. *added is borrowed until the
 * next one; sort afterwards. */
sab_status sab_carriers_add(sab_carriers *carriers, int e, const double *xi, sab_carrier **added,
                            sab_error *err);
/* Copies of `n` carriers, and of what has left and was fed, in the place of those there are. */
sab_status sab_carriers_restore(sab_carriers *carriers, int n, const sab_carrier *at,
                                const double *left, const double *fed, sab_error *err);
/* By elements, stable. */
void sab_carriers_sort(sab_carriers *carriers);

/* A += factor sum_p m_p N(x_p)^T N(x_p); `scatter` is that of the strain blocks in A. */
void sab_carriers_assemble(sab_carriers *carriers, double factor, const sab_scatter *scatter,
                           sab_sparse *A);
/* F += sum_p m_p f_p.v(x_p) for all v, f [n][dim]: a force vector. */
void sab_carriers_force(const sab_carriers *carriers, const double *f, double *F);
/* v [n][dim] = U at the carriers. */
void sab_carriers_velocity(const sab_carriers *carriers, const double *U, double *v);
/* The velocity of every carrier becomes U there, and they move: with `euler` by dt U(x), else by
 * the midpoint rule dt U(x + dt/2 U(x)), which keeps volume to second order. Walls stop them, open
 * sides let them out, which is counted, and the rest closes ranks in order. *kinetic is the energy
 * that they take along. */
void sab_carriers_move(sab_carriers *carriers, double dt, bool euler, const double *U,
                       double *kinetic, sab_transport_report *report);
/* Move every carrier of a parent, the element before a split, by d [parents][dim], and change
 * nothing else of it. f [n][dim]: *work = sum m f.(way it has gone). */
void sab_carriers_displace(sab_carriers *carriers, const double *d, const double *f,
                           double *kinetic, double *work, sab_transport_report *report);
/* Move carrier p by d, walls and all; false: it has left. */
bool sab_carriers_shift(sab_carriers *carriers, int p, const double *d,
                        sab_transport_report *report);

/* Largest |v| dt/h, h that of the parent. */
double sab_carriers_courant(const sab_carriers *carriers, double dt);
double sab_carriers_mass(const sab_carriers *carriers);
double sab_carriers_left(const sab_carriers *carriers); /* through all sides, */
double sab_carriers_fed(const sab_carriers *carriers);  /* likewise */

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/transport.h -- velocity carried along the trajectories of the material (Lagrange-Galerkin)
 * [docs/theory.md, 3].
 *
 * For each point x of the mass matrix (fem/mass.h, element by element) these functions find the
 * foot X, where the material at x was one or two time steps ago, and the velocity that it had. The
 * path from x to X is a straight line, followed from element to element. A wall stops it: the foot
 * slides along the wall with the tangential part of the displacement (in space: of each side of the
 * wall, then along the edge where two meet). Through an open side it goes
 * no farther than the side, and the velocity there is taken.
 *
 * Stability. With exact integrals of u^n o X the scheme gains no energy. With sums over points it
 * does when feet move by less than an element, since the sums do not see where u^n o X has its
 * kinks; viscosity nu makes up for that up to a Reynolds number |u| h/nu of the elements. Measured
 * with random velocities in a steady vortex, growth in units of |u|/h (h: cell of two triangles, as
 * they were before an Alfeld split):
 *
 *     element, order    worst growth, at |u| dt/h    none from |u| dt/h    none up to |u| h/nu
 *     p2, 1                  0.3    0.06                  0.5                  100
 *     p2 split, 1            1.1    0.02                  0.5                  400
 *     p2b, 1                 0.4    0.03                  0.5                  300
 *     p2, 2                  1.2    0.12                  3                     25
 *     p2 split, 2            4.0    0.02                  -                    100
 *     p2b, 2                 1.8    0.06                  0.5                   50
 *     p2nb, 1                0.1    0.06                  0.3                  800
 *     p2nb, 2                0.9    0.06                  -                    100
 *
 * (p2nb: in two crossed vortices of a box of 4^3 cells of six tetrahedra, h the side of a cell; at
 * order 1 none is seen at 1600 either, at order 2 there is at 200.)
 */
#ifndef SAB_FEM_TRANSPORT_H
#define SAB_FEM_TRANSPORT_H

#include "fem/space.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sab_transport sab_transport; /* opaque: defined in transport.c */

typedef struct sab_transport_report { /* of one call */
    int64_t points;                   /* feet found, those of intermediate points included */
    int64_t steps;                    /* element sides crossed */
    int64_t clamped;                  /* feet held by a wall: they slid along it or stopped */
    int64_t left;                     /* feet that left through an open side */
    int longest;                      /* most sides crossed by one foot */
} sab_transport_report;
/* Add those of another call. */
void sab_transport_add(sab_transport_report *sum, const sab_transport_report *now);
/* The last column of the table. */
double sab_transport_limit(const sab_element *element, bool split, int order);

/* open [nfacets of the mesh]: true where material may come in or go out, false at a wall; copied,
 * not read for interior facets, NULL if there are walls only. match [nmatches]: sides beyond which
 * it goes on at others (periodic), whatever `open` says; read here only. The space is borrowed. The
 * caller owns *transport. */
sab_status sab_transport_create(const sab_space *space, const bool *open, int nmatches,
                                const sab_match *match, sab_transport **transport, sab_error *err);
void sab_transport_destroy(sab_transport **transport);

/* Velocity vectors are those of the space, inner functions included; v, v1, v2 are [points of
 * mass][dim]. Nothing is allocated, and the same input gives the same bits. report may be NULL.
 *
 * First order, for (u^{n+1} - u^n o X)/dt:  v = U(X),  X = x - dt U(x). */
void sab_transport_first(sab_transport *transport, double dt, const double *U, double *v,
                         sab_transport_report *report);
/* The same for a velocity U carried by another one:  v = U(X),  X = x - dt wind(x). */
void sab_transport_along(sab_transport *transport, double dt, const double *wind, const double *U,
                         double *v, sab_transport_report *report);
/* Second order, for (3 u^{n+1} - 4 u^n o X1 + u^{n-1} o X2)/(2 dt) with now = u^n, before =
 * u^{n-1}: v1 = now(X1),     X1 = x - dt w(x - dt/2 w(x)),  w = (3 now - before)/2, v2 =
 * before(X2),  X2 = x - 2 dt v1. */
void sab_transport_second(sab_transport *transport, double dt, const double *now,
                          const double *before, double *v1, double *v2,
                          sab_transport_report *report);

/* Where the path x + d from point xi of element *element ends; xi [dim] and *element become those
 * of the end. *side: SAB_INSIDE, or the side it is held by or leaves through; *open: the latter. */
void sab_transport_follow(const sab_transport *transport, const double *d, int *element, double *xi,
                          int *side, bool *open, sab_transport_report *report);

/* v = U at the foot x + d of reference point xi of a boundary facet; d and v are [dim]. */
void sab_transport_from_side(const sab_transport *transport, int facet, const double *xi,
                             const double *d, const double *U, double *v);

#endif

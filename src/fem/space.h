/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/space.h -- the velocities of an element on a mesh, with the points where the law lives.
 *
 * Bubbles of the element (fem/element.h) are further velocities [docs/theory.md, 4.9]. A velocity
 * vector U is [nnodes][dim], followed by [nsides][dim] if the element has face functions and by
 * [nelements][inner][dim], and so is a force F. A face function has its place among the frames of
 * fem/dofs.h like a node; the unknowns of the inner functions follow all others. */
#ifndef SAB_FEM_SPACE_H
#define SAB_FEM_SPACE_H

#include "base/function.h"
#include "fem/dofs.h"
#include "fem/element.h"
#include "fem/geometry.h"
#include "linalg/blocks.h"
#include "mesh/mesh.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct sab_space {
    const sab_mesh *mesh;                      /* borrowed */
    const sab_geometry *geometry;              /* borrowed */
    const sab_element *element;                /* borrowed */
    const sab_quadrature *mass, *load, *norms; /* rules of the element with the measure */
    int npoints;                               /* law points, element->law->n of each element */
    double *point;                             /* [npoints][dim] */
    double *weight;                            /* [npoints] w_q, Jacobian and measure included */
    /* Where there is an axis, or face functions, law points and what they see are found by
     * integration (fem/law_points.h) and kept; otherwise these are NULL, and read off the element.
     */
    double *xi;       /* [npoints][dim] reference places */
    double *gradient; /* [npoints][shapes][dim] of the shape functions, projected */
    double *hoop;     /* [npoints][shapes] likewise; NULL without an axis */
    double *corner;   /* [nelements][corners][points] of a P1 function from its values there */
    /* What the law does not see of the strain rates of bubbles, and viscosity does: a rule, and a
     * factor of its sums [docs/theory.md, 4.9]. NULL: nothing. */
    const sab_quadrature *remainder;
    double remainder_factor;
} sab_space;

sab_status sab_space_create(const sab_mesh *mesh, const sab_element *element,
                            const sab_geometry *geometry, sab_space **space, sab_error *err);
void sab_space_destroy(sab_space **space);
/* Entries of a velocity vector; number of unknowns. */
size_t sab_space_size(const sab_space *space);
int sab_space_unknowns(const sab_space *space, const sab_dofs *dofs);
/* sab_dofs_restrict (forces), _take and _expand (velocities) with the inner functions: between
 * velocity vectors and unknowns. */
void sab_space_restrict(const sab_space *space, const sab_dofs *dofs, const double *F, double *l);
void sab_space_take(const sab_space *space, const sab_dofs *dofs, const double *U, double *u);
void sab_space_expand(const sab_space *space, const sab_dofs *dofs, const double *u, double *U);

/* h of element e: h^2 is twice its area on the mesh, h^3 six times its volume. */
double sab_space_length(const sab_space *space, int e);
/* Reference place of law point q of element e. */
static inline const double *sab_space_xi(const sab_space *space, int e, int q)
{
    return space->xi != NULL ? space->xi + space->geometry->dim * (space->element->law->n * e + q)
                             : space->element->law->xi[q];
}
/* chi^-1 D at law point q of element e for the axis components of its shape functions:
 * row[s][dim shapes]; the P1 projection. */
void sab_space_strain_rows(const sab_space *space, int e, int q,
                           double row[SAB_MAX_S][SAB_COMPONENTS]);
/* The same at point p of the remainder, of bubbles only (the columns of nodes are 0); returns the
 * weight of the point. */
double sab_space_remainder_rows(const sab_space *space, int e, int p,
                                double row[SAB_MAX_S][SAB_COMPONENTS]);
/* A value [npoints] of the law points as point p of the remainder of element e has it. */
double sab_space_remainder_value(const sab_space *space, const double *value, int e, int p);
/* The blocks of sab_points_strain (fem/points.h), gamma = B u + k: the caller owns *B and gives
 * room for k [npoints][s]. */
sab_status sab_space_strain(const sab_space *space, const sab_dofs *dofs, sab_blocks **B, double *k,
                            sab_error *err);
/* Strain rate gamma [npoints][s] of a velocity U; of bubbles the P1 projection. */
void sab_space_strain_rate(const sab_space *space, const double *U, double *gamma);
/* F += int D(v):sigma for all nodal v and bubbles, that is sum_q m_q B_q^T sigma_q with
 * m_q = 2 w_q; sigma is [npoints][s]. */
void sab_space_internal_force(const sab_space *space, const double *sigma, double *F);
/* F += int f.v; f has dim functions of x, y, z, t. */
sab_status sab_space_body_force(const sab_space *space, const sab_function *f, double t, double *F,
                                sab_error *err);

/* Stress or strain rate given at the law points, seen as the P1 function of each element that has
 * those values: `components` per point, value [npoints][components] -> nodal
 * [nelements][nodes][components]. */
void sab_space_to_nodes(const sab_space *space, int components, const double *value, double *nodal);
/* Weighted mean over the law points of each element: mean [nelements][components]. */
void sab_space_element_mean(const sab_space *space, int components, const double *value,
                            double *mean);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/element.h -- a velocity on a cell, and the points where the law sees it, as tables: p2, p2b
 * on triangles, p2nb on tetrahedra.
 *
 * The shape functions of an element are those of the nodes of its cell; then one for each of its
 * sides, if it has face functions, which vanish on the other sides; then `inner` ones that vanish
 * on all of them. The last two kinds are its bubbles. What a solver, a file or a warning asks of
 * the pair of velocity and stress is answered here, so that nobody asks for its name. */
#ifndef SAB_FEM_ELEMENT_H
#define SAB_FEM_ELEMENT_H

#include "fem/p2.h"
#include "fem/quadrature.h"

#include <stdbool.h>

enum { /* of the largest element */
       SAB_BUBBLES = SAB_SIDES + 1,
       SAB_SHAPES = SAB_NODES + SAB_BUBBLES,
       SAB_COMPONENTS = SAB_DIM * SAB_SHAPES, /* of the velocity */
       SAB_SIDE_SHAPES = SAB_SIDE_NODES + 1,
       SAB_LAW_POINTS = 4
};

/* The shape functions of an element at one point, in physical space. */
typedef struct sab_shapes {
    int n; /* of nodes, sides, and inner ones */
    double x[SAB_DIM], det;
    double value[SAB_SHAPES], gradient[SAB_SHAPES][SAB_DIM];
    double hoop[SAB_SHAPES]; /* u_r/r as the law sees it, at law points only: 0 without an axis */
} sab_shapes;

typedef struct sab_element {
    const char *name; /* as in a case */
    const sab_cell *cell;
    bool stable; /* inf-sup on every mesh; otherwise on split ones only [docs/theory.md, 4] */
    bool faces;  /* a function per side, of which only the part along its normal is unknown */
    int inner;   /* number of inner functions: 0 or 1 */
    /* In the plane int 2 C D(b e_i):D(b e_j) over the sum at the law points, C constant; 0: no such
     * factor is known, or none holds [docs/theory.md, 4.9] */
    double inner_stiffness;
    /* Values of the bubbles at xi, and their gradients; p: P2 at the same point. */
    void (*bubbles)(const double *xi, double *value);
    void (*bubble_gradients)(const double *xi, const sab_p2 *p, double (*gradient)[SAB_DIM]);
    /* What the law sees of the inner function at law point q of a triangle in the plane: the P1
     * projection of its gradient. NULL: found by integration (fem/law_points.h). */
    void (*inner_projection)(int q, const sab_p2 *p, double *gradient);
    /* As many points as P1 has unknowns, point q near corner q; about an axis they move. */
    const sab_quadrature *law;
    /* Degrees of the rules on straight elements without a measure: exact for products of
     * velocities; body forces; errors and areas. */
    int mass_degree, load_degree, norms_degree;
    /* P1 through the law points: mean + extrapolate (f_q - mean) at corner q. */
    double extrapolate;
    double reynolds_limit[2]; /* of transport, order 1 and 2 (fem/transport.h), on meshes as made */
} sab_element;

extern const sab_element sab_element_p2, sab_element_p2b, sab_element_p2nb;

/* The element of that name, or NULL. */
const sab_element *sab_element_find(const char *name);
/* Number of face and inner functions of an element. */
static inline int sab_element_bubbles(const sab_element *element)
{
    return (element->faces ? element->cell->sides : 0) + element->inner;
}
/* Sides of a mesh that have a face function. */
static inline int sab_element_faces(const sab_element *element, const sab_mesh *mesh)
{
    return element->faces ? mesh->nsides : 0;
}
/* Values of all shape functions at reference point xi; returns their number. */
int sab_element_values(const sab_element *element, const double *xi, double *value);
/* Everything at point xi of element e of a mesh; the hoop strain, which is of law points, is 0. */
void sab_element_at(const sab_element *element, const sab_mesh *mesh, int e, const double *xi,
                    sab_shapes *at);
/* Where the shape functions of element e stand in a velocity vector: component i of function a is
 * entry dim index[a] + i. Returns their number. */
int sab_element_index(const sab_element *element, const sab_mesh *mesh, int e,
                      int index[SAB_SHAPES]);
/* The shape functions that do not vanish on a facet, at point xi of it: value [SAB_SIDE_SHAPES] and
 * place and normal as in p; returns their number. Where they stand: index. */
int sab_element_side_at(const sab_element *element, const sab_mesh *mesh, int facet,
                        const double *xi, sab_p2_side *p, double *value);
/* Their derivatives d/dxi_a along the facet; p is sab_p2_side_at the same point. */
void sab_element_side_slopes(const sab_element *element, const double *xi, const sab_p2_side *p,
                             double (*slope)[SAB_DIM - 1]);
int sab_element_side_index(const sab_element *element, const sab_mesh *mesh, int facet,
                           int index[SAB_SIDE_SHAPES]);

#endif

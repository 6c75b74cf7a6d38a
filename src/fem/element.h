/* fem/element.h -- a velocity on a cell, and the points where the law sees it, as tables: p2, p2b.
 *
 * The shape functions of an element are those of the nodes of its cell, and after them `inner` ones
 * of its own that vanish on its sides (a bubble). What a solver, a file or a warning asks of the
 * pair of velocity and stress is answered here, so that nobody asks for its name. */
#ifndef SAB_FEM_ELEMENT_H
#define SAB_FEM_ELEMENT_H

#include "fem/p2.h"
#include "fem/quadrature.h"

#include <stdbool.h>

enum { /* of the largest element */
       SAB_SHAPES = SAB_NODES + 1,
       SAB_COMPONENTS = SAB_DIM * SAB_SHAPES, /* of the velocity */
       SAB_LAW_POINTS = 4
};

/* The shape functions of an element at one point, in physical space. */
typedef struct sab_shapes {
    int n; /* nodal and inner */
    double x[SAB_DIM], det;
    double value[SAB_SHAPES], gradient[SAB_SHAPES][SAB_DIM];
    double hoop[SAB_SHAPES]; /* u_r/r as the law sees it, at law points only: 0 without an axis */
} sab_shapes;

typedef struct sab_element {
    const char *name; /* as in a case */
    const sab_cell *cell;
    bool stable; /* inf-sup on every mesh; otherwise on split ones only [docs/theory.md, 4] */
    int inner;   /* number of inner functions: 0 or 1 */
    /* int 2 C D(b e_i):D(b e_j) over the sum at the law points, C constant [docs/theory.md, 4.9] */
    double inner_stiffness;
    double (*inner_value)(const double *xi);
    /* Its gradient at xi, and what the law sees of it at law point q: the P1 projection. p: P2 at
     * the same point. */
    void (*inner_gradient)(const double *xi, const sab_p2 *p, double *gradient);
    void (*inner_projection)(int q, const sab_p2 *p, double *gradient);
    /* law: as many points as P1 has unknowns, point q near corner q. mass: exact for products of
     * velocities; load: body forces; norms: errors and areas. */
    const sab_quadrature *law, *mass, *load, *norms;
    /* P1 through the law points: mean + extrapolate (f_q - mean) at corner q. */
    double extrapolate;
    double reynolds_limit[2]; /* of transport, order 1 and 2 (fem/transport.h), on meshes as made */
} sab_element;

extern const sab_element sab_element_p2, sab_element_p2b;

/* The element of that name, or NULL. */
const sab_element *sab_element_find(const char *name);
/* Values of all shape functions at reference point xi; returns their number. */
int sab_element_values(const sab_element *element, const double *xi, double *value);
/* Everything at point xi of element e of a mesh, or at its law point q, where gradients of inner
 * functions are projected. */
void sab_element_at(const sab_element *element, const sab_mesh *mesh, int e, const double *xi,
                    sab_shapes *at);
void sab_element_at_law(const sab_element *element, const sab_mesh *mesh, int e, int q,
                        sab_shapes *at);
/* Where the shape functions of element e stand in a velocity vector: component i of function a is
 * entry dim index[a] + i. Returns their number. */
int sab_element_index(const sab_element *element, const sab_mesh *mesh, int e,
                      int index[SAB_SHAPES]);

#endif

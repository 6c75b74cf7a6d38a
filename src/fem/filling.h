/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fem/filling.h -- how full of carriers the mesh is: which elements are empty, which have a surface
 * in them, and how much room the grains inside have left [docs/theory.md, 3.5].
 *
 * Counted by parents, the elements before a split (mesh->children). c_K is the mass in a parent
 * over its volume. Empty: c_K < 1e-3. Surface: not empty, and shares a vertex with an empty one or
 * with an open side. Inside: all others. A surface element is partly full of *dense* material, and
 * counts as dense if it is not nearly empty, c_K > contact; inside, the fill is that of the
 * vertices, from inside elements only, and dense from `dense` on. */
#ifndef SAB_FEM_FILLING_H
#define SAB_FEM_FILLING_H

#include "fem/carriers.h"

typedef enum sab_filling_state {
    SAB_FILLING_EMPTY,
    SAB_FILLING_SURFACE,
    SAB_FILLING_INSIDE
} sab_filling_state;

/* The share of a law point where nothing is: positive, and not to be seen in any sum. */
#define SAB_FILLING_VOID 1e-6

typedef struct sab_filling {
    const sab_space *space; /* borrowed */
    double dense, contact;  /* theta2, theta */
    int nparents, nvertices;
    int *vertex;                   /* [nparents][corners] */
    double *volume;                /* [nparents] with the measure */
    double *content;               /* [nparents] c_K */
    sab_filling_state *state;      /* [nparents] */
    bool *open;                    /* [nvertices] on an open side */
    bool *bare;                    /* [nvertices] of an empty parent, or open */
    double *hat_mass, *hat_volume; /* [nvertices] sum m_p phi_i(x_p) and int phi_i, of all, */
    double *centre;                /* [nvertices][dim] int phi_i x / int phi_i */
    double *mass, *room;           /* of inside parents only */
    double *phi;                   /* [law points] density, 1 where grains touch; 0: empty */
    double *share;                 /* [law points] of the point that is full, in (0, 1] */
    int fewest;                    /* carriers in an inside parent; 0: there is none */
} sab_filling;

/* open [nfacets]. The caller owns *fill. */
sab_status sab_filling_create(const sab_space *space, const bool *open, double dense,
                              double contact, sab_filling **fill, sab_error *err);
void sab_filling_destroy(sab_filling **fill);
/* Everything from the places of the carriers. */
void sab_filling_measure(sab_filling *fill, const sab_carriers *carriers);
/* The node that is corner i of a parent. */
int sab_filling_corner(const sab_mesh *mesh, int parent, int i);
/* Values l [corners] of the hats of a parent at reference point xi of its child e. */
void sab_filling_hats(const sab_space *space, int e, const double *xi, double *l);
/* The slope of the surface, from least squares of height against the level coordinates over the
 * places whose fill (of the vertices, linear between them) is about a half; g [dim] is gravity. In
 * the plane it is positive if the surface is turned anticlockwise from the level. 0 without a
 * surface. */
double sab_filling_slope(const sab_filling *fill, const double *g);
/* Mass beyond what the vertices hold, sum_i max(0, M_i - V_i), over the mass. */
double sab_filling_excess(const sab_filling *fill);

#endif

/* fem/quadrature.h -- Gauss rules on the reference triangle (0,0) (1,0) (0,1) and on [0,1]. */
#ifndef SAB_FEM_QUADRATURE_H
#define SAB_FEM_QUADRATURE_H

#include "mesh/cell.h"

typedef struct sab_quadrature {
    int n, degree;
    const double (*xi)[SAB_DIM]; /* [n] reference points; on a line only xi[q][0] */
    const double *weight;        /* [n] they sum to the reference measure: 1/2, or 1 on a line */
} sab_quadrature;

/* The law lives at the points of the order-2 rule: as many as P1 has unknowns, and point q is the
 * one near corner q [docs/theory.md, 4]. */
extern const sab_quadrature sab_triangle_law;
extern const sab_quadrature sab_triangle_degree4; /* mass, loads */
extern const sab_quadrature sab_triangle_degree6; /* error norms */
extern const sab_quadrature sab_line_degree7;     /* tractions, fluxes */

#endif

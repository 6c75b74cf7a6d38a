/* fem/geometry.h -- what plane, axisymmetric and 3D flow differ in: s, d and the strain rows.
 * Everything else is written on s-vectors [docs/theory.md, 1]. */
#ifndef SAB_FEM_GEOMETRY_H
#define SAB_FEM_GEOMETRY_H

enum { SAB_MAX_S = 6 }; /* the largest s */

typedef struct sab_geometry {
    const char *name; /* "plane" */
    int dim;          /* space dimensions of the mesh = velocity components */
    int d;            /* dimension of the tensors: Tr D = sqrt(2d) D_N */
    int s;            /* components of chi^-1(D) */
    /* chi^-1(D) of the velocity phi e_i, given grad phi: row[0..s-1]. */
    void (*strain)(int i, const double *gradient, double *row);
    /* chi: the tensor XX YY ZZ XY YZ XZ of an s-vector. In the plane ZZ is the in-plane mean, which
     * the two-dimensional law leaves open. */
    void (*tensor)(const double *x, double tensor[6]);
} sab_geometry;

extern const sab_geometry sab_geometry_plane;

/* The geometry of that name, or NULL. */
const sab_geometry *sab_geometry_find(const char *name);
/* p = lambda_N / sqrt(d/2), and mu = friction / sqrt(d/2) [docs/theory.md, 1 and 2]. */
double sab_geometry_normal_scale(const sab_geometry *geometry); /* sqrt(d/2) */

#endif
